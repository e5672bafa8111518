// SPDX-License-Identifier: Apache-2.0
// All runs of the folder: a table to filter, to sort, and to choose several from.
import { useMemo, useState } from "preact/hooks";
import { useBeat, useJson } from "./api";
import { Delete } from "./change";
import { age, day, metric, seconds } from "./format";
import { Machine } from "./machine";
import { Bar, Empty, Link, StateMark, Waiting, Wrong } from "./parts";
import { compareHref, go, runHref, setQuery, useRoute } from "./route";
import type { RunList, RunSummary } from "./types";

const kFirstRows = 200;
const kStates = ["running", "done", "failed", "stopped", "cut off"];

// The metric that the job cares about most is the first of its test metrics.
export function firstMetric(run: RunSummary): string {
  return Object.keys(run.metrics?.test ?? {}).find((name) => name !== "rows") ?? "";
}

interface Column {
  key: string;
  name: string;
  number?: boolean;
  value: (run: RunSummary) => number | string;
}

const kNone = Number.POSITIVE_INFINITY; // Sorted last.
const kColumns: Column[] = [
  { key: "run", name: "run", value: (run) => run.run },
  { key: "state", name: "state", value: (run) => run.state },
  { key: "started", name: "started", value: (run) => run.started },
  { key: "seconds", name: "took", number: true, value: (run) => run.seconds ?? kNone },
  { key: "metric", name: "test metric", number: true, value: (run) => run.metrics?.test?.[firstMetric(run)] ?? kNone },
  { key: "baseline", name: "baseline", number: true, value: (run) => run.metrics?.baseline?.[firstMetric(run)] ?? kNone },
  { key: "engine", name: "engine", value: (run) => run.engine ?? "" },
  { key: "tags", name: "tags and note", value: (run) => [...run.tags, run.note].join(" ") },
];

function matches(run: RunSummary, words: string[], state: string): boolean {
  if (state && run.state !== state) return false;
  const text = `${run.run} ${run.state} ${run.engine ?? ""} ${run.tags.join(" ")} ${run.note}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function sorted(runs: RunSummary[], key: string): RunSummary[] {
  const down = key.startsWith("-");
  const column = kColumns.find((each) => each.key === key.replace("-", "")) ?? kColumns[2]!;
  const sign = down ? -1 : 1;
  return runs
    .map((run) => ({ run, value: column.value(run) }))
    .sort((a, b) => {
      if (a.value === kNone || b.value === kNone) return a.value === b.value ? 0 : a.value === kNone ? 1 : -1;
      return a.value < b.value ? -sign : a.value > b.value ? sign : 0;
    })
    .map((each) => each.run);
}

function Heads({ sort }: { sort: string }) {
  return (
    <tr>
      <th scope="col" class="check">
        <span class="hidden">chosen</span>
      </th>
      {kColumns.map((column) => {
        const up = sort === column.key;
        const down = sort === `-${column.key}`;
        return (
          <th
            key={column.key}
            scope="col"
            class={column.number ? "num" : ""}
            aria-sort={up ? "ascending" : down ? "descending" : "none"}
          >
            <button type="button" onClick={() => setQuery("sort", up ? `-${column.key}` : column.key)}>
              {column.name}
              <span aria-hidden="true">{up ? " ↑" : down ? " ↓" : ""}</span>
            </button>
          </th>
        );
      })}
    </tr>
  );
}

function Row(props: { run: RunSummary; chosen: boolean; choose: (on: boolean) => void }) {
  const { run } = props;
  const name = firstMetric(run);
  const progress = run.progress;
  return (
    <tr class={props.chosen ? "chosen" : ""}>
      <td class="check">
        <input
          type="checkbox"
          aria-label={`choose ${run.run}`}
          checked={props.chosen}
          onChange={(event) => props.choose(event.currentTarget.checked)}
        />
      </td>
      <td>
        <Link href={runHref(run.run)}>{run.run}</Link>
      </td>
      <td>
        <StateMark state={run.state} />
        {progress && run.state !== "done" && (
          <span class="soft">
            {" "}
            {progress.trees ? "round" : "step"} {progress.step} of {progress.steps}
          </span>
        )}
        {progress && run.state === "running" && (
          <Bar share={progress.step / Math.max(1, progress.steps)} label={`progress of ${run.run}`} />
        )}
      </td>
      <td title={`${day(run.started)} UTC`}>{age(run.started)}</td>
      <td class="num">{seconds(run.seconds)}</td>
      <td class="num">
        {name && <span class="soft">{name} </span>}
        {name ? metric(run.metrics.test?.[name]) : "–"}
      </td>
      <td class="num soft">{name ? metric(run.metrics.baseline?.[name]) : ""}</td>
      <td class="soft">{run.engine ?? ""}</td>
      <td class="wrap">
        {run.tags.map((tag) => (
          <span key={tag} class="tag">
            {tag}
          </span>
        ))}
        {run.note && <span class="soft"> {run.note}</span>}
      </td>
    </tr>
  );
}

function Filters(props: { list: RunList; query: string; state: string }) {
  const counts = useMemo(() => {
    const found = new Map<string, number>();
    for (const run of props.list.runs) found.set(run.state, (found.get(run.state) ?? 0) + 1);
    return found;
  }, [props.list]);
  return (
    <div class="filters">
      <input
        type="search"
        id="filter"
        placeholder="filter by name, tag, engine …   ( / )"
        aria-label="filter runs"
        value={props.query}
        onInput={(event) => setQuery("q", event.currentTarget.value)}
      />
      {kStates
        .filter((state) => counts.has(state))
        .map((state) => (
          <button
            key={state}
            type="button"
            class="chip"
            aria-pressed={props.state === state}
            onClick={() => setQuery("state", props.state === state ? "" : state)}
          >
            {state} <b>{counts.get(state)}</b>
          </button>
        ))}
    </div>
  );
}

export function Runs() {
  const { query } = useRoute();
  const [beat, look] = useBeat(3000);
  const [all, setAll] = useState(false);
  const [chosen, setChosen] = useState<string[]>([]);
  const { data, error } = useJson<RunList>("runs", beat);
  const words = query.get("q") ?? "";
  const state = query.get("state") ?? "";
  const sort = query.get("sort") ?? "-started";
  const shown = useMemo(
    () => sorted((data?.runs ?? []).filter((run) => matches(run, words.toLowerCase().split(/\s+/), state)), sort),
    [data, words, state, sort],
  );
  if (!data) return error ? <Wrong error={error} /> : <Waiting />;
  if (!data.runs.length) {
    return (
      <>
        <Machine beat={beat} />
        <Empty>
          No runs in {data.folder} yet. <code>protium run JOB.toml</code> makes one; it shows here at once.
        </Empty>
      </>
    );
  }
  const rows = all ? shown : shown.slice(0, kFirstRows);
  return (
    <>
      <h1 class="hidden">Runs</h1>
      {error && <Wrong error={error} />}
      <Filters list={data} query={words} state={state} />
      <div class="scroll" tabIndex={0} role="region" aria-label="runs">
        <table class="runs">
          <thead>
            <Heads sort={sort} />
          </thead>
          <tbody>
            {rows.map((run) => (
              <Row
                key={run.run}
                run={run}
                chosen={chosen.includes(run.run)}
                choose={(on) => setChosen((old) => (on ? [...old, run.run] : old.filter((each) => each !== run.run)))}
              />
            ))}
          </tbody>
        </table>
      </div>
      <p class="soft">
        {shown.length} of {data.runs.length} runs in {data.folder}
        {data.left_out > 0 && `; ${data.left_out} older ones are left out`}
        {rows.length < shown.length && (
          <>
            {" "}
            · <button type="button" class="small" onClick={() => setAll(true)}>{`show all ${shown.length}`}</button>
          </>
        )}
      </p>
      <Machine beat={beat} />
      {chosen.length > 0 && (
        <div class="bottom" role="status">
          {chosen.length} chosen
          <button type="button" disabled={chosen.length < 2 || chosen.length > 12} onClick={() => go(compareHref(chosen))}>
            compare
          </button>
          <Delete
            key={chosen.join()}
            runs={chosen}
            done={() => {
              setChosen([]);
              look();
            }}
          />
          <button type="button" class="small" onClick={() => setChosen([])}>
            none
          </button>
        </div>
      )}
    </>
  );
}
