// SPDX-License-Identifier: Apache-2.0
// What screens are put together from.
import { Component, type ComponentChildren, type JSX } from "preact";
import { report, type Refused } from "./api";
import { go } from "./route";
import type { State, StreamState } from "./types";

// A link within the page: a plain click changes the screen, all others are the browser's. A report
// has no other screens to lead to.
export function Link(props: JSX.IntrinsicElements["a"] & { href: string }) {
  if (report) return <span class={props.class}>{props.children}</span>;
  return (
    <a
      {...props}
      onClick={(event: MouseEvent) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        go(props.href);
      }}
    />
  );
}

// As /icon.svg has it.
export function Brand() {
  return (
    <>
      <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
        <circle cx="16" cy="16" r="13" fill="none" stroke="#2563c9" stroke-width="3" />
        <circle cx="16" cy="16" r="4.5" fill="#2563c9" />
        <circle cx="26" cy="8" r="3" fill="#d9660b" />
      </svg>
      Protium
    </>
  );
}

export function StateMark({ state }: { state: State | StreamState }) {
  return <span class={`state ${state.replace(" ", "-")}`}>{state}</span>;
}

export function Panel(props: {
  title?: string;
  more?: ComponentChildren;
  wide?: boolean;
  children: ComponentChildren;
}) {
  return (
    <section class={`panel ${props.wide ? "wide" : ""}`}>
      {props.title && (
        <header>
          <h2>{props.title}</h2>
          {props.more && <span class="soft">{props.more}</span>}
        </header>
      )}
      {props.children}
    </section>
  );
}

export function Wrong({ error }: { error: Refused }) {
  return (
    <div class="fault" role="alert">
      <b>{error.message}</b>
      {error.fix && <p class="soft">{error.fix}</p>}
    </div>
  );
}

// Files of another version, or damaged ones, may hold what a screen does not expect: then the screen
// says so, and the others still work.
export class Fenced extends Component<{ children: ComponentChildren }, { error: Error | null }> {
  override state = { error: null as Error | null };
  static override getDerivedStateFromError(error: Error) {
    return { error };
  }
  override render() {
    if (!this.state.error) return this.props.children;
    return (
      <div class="fault" role="alert">
        <b>This page cannot show the files of this run.</b>
        <p class="soft">{this.state.error.message}</p>
      </div>
    );
  }
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

export function Waiting() {
  return (
    <p class="empty" aria-busy="true">
      reading …
    </p>
  );
}

export function Facts({ rows }: { rows: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {rows
        .filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

export interface Column<Row> {
  name: string;
  number?: boolean;
  wrap?: boolean;
  cell: (row: Row) => ComponentChildren;
}

export function Table<Row>(props: {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  row?: (row: Row) => string;
}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={props.label}>
      <table>
        <thead>
          <tr>
            {props.columns.map((column) => (
              <th key={column.name} scope="col" class={column.number ? "num" : ""}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row, at) => (
            <tr key={at} class={props.row?.(row)}>
              {props.columns.map((column) => (
                <td key={column.name} class={column.number ? "num" : column.wrap ? "wrap" : ""}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export interface Elsewhere {
  text: string;
  href: string;
}

// To another page than this one: in a tab of its own, which learns nothing of where it was.
export function Links({ links }: { links: Elsewhere[] | undefined }) {
  return (
    <>
      {(links ?? []).map((each, at) => (
        <span key={each.href}>
          {at > 0 && ", "}
          <a href={each.href} target="_blank" rel="noreferrer">
            {each.text}
          </a>
        </span>
      ))}
    </>
  );
}

// A share as a bar; `of` is what 100 % are.
export function Bar({ share, label }: { share: number; label: string }) {
  const percent = Math.max(0, Math.min(100, 100 * share));
  return (
    <div
      class="progress"
      role="progressbar"
      aria-label={label}
      aria-valuenow={Math.round(percent)}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <div style={{ width: `${percent}%` }} />
    </div>
  );
}

export function Copy({ text }: { text: string }) {
  return (
    <button
      type="button"
      class="small"
      onClick={(event: MouseEvent) => {
        const button = event.currentTarget as HTMLButtonElement;
        void navigator.clipboard?.writeText(text).then(() => {
          button.textContent = "copied";
        });
      }}
    >
      copy
    </button>
  );
}
