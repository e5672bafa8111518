// SPDX-License-Identifier: Apache-2.0
// Column profiles, in training and in the test rows, and which of them drifted (profile.json,
// docs/page.md).
import { runPath, useJson } from "./api";
import { grouped, metric, short } from "./format";
import { Panel, Table } from "./parts";
import type { Overview } from "./types";

interface Column {
  column: string;
  kind: "number" | "text" | "time" | "other";
  type: string;
  missing: number;
  distinct?: number;
  distinct_exact?: boolean;
  low?: number;
  high?: number;
  mean?: number;
  quantiles?: [number, number][];
  histogram?: { edges: number[]; shares: number[] } | null;
  top?: [string | number, number][];
  psi?: number;
  drifted?: boolean;
}
interface Side {
  rows: number;
  sampled_rows: number;
  all_rows_sampled: boolean;
  columns: Column[];
  columns_left_out?: number;
}
export interface Profile {
  train?: Side;
  test?: Side;
}

const percent = (share: number) => (share === 0 ? "0%" : share < 0.001 ? "< 0.1%" : `${Number((100 * share).toPrecision(2))}%`);

function value(column: Column, number: number | undefined): string {
  if (number === undefined || number === null) return "";
  if (column.kind === "time") return new Date(number * 1000).toISOString().slice(0, 19).replace("T", " ").replace(" 00:00:00", "");
  return Number.isInteger(number) && Math.abs(number) < 1e5 ? String(number) : metric(number);
}

const quantile = (column: Column, share: number) => column.quantiles?.find(([at]) => at === share)?.[1];

// What a column usually holds, for a form: a value that stands out, or else the median.
export function usualOf(profile: Profile | null, name: string, type: string): string {
  const columns = profile?.train?.columns;
  const column = Array.isArray(columns) ? columns.find((each) => each.column === name) : undefined;
  if (!column) return "";
  const most = column.top?.[0];
  if (most && (column.kind === "text" || most[1] >= 0.02)) return column.kind === "time" ? value(column, Number(most[0])) : String(most[0]);
  const median = quantile(column, 0.5);
  if (median === undefined) return "";
  if (column.kind === "time") return value(column, median);
  return type.startsWith("int") ? String(Math.round(median)) : String(Number(median.toPrecision(6)));
}

const kWide = 132;
const kHigh = 30;

// Bars of the training rows; the line is the test rows'.
function Bars({ train, test }: { train: Column; test: Column | undefined }) {
  const drawn = train.histogram;
  if (!drawn) return null;
  const other = test?.histogram?.shares;
  const most = Math.max(...drawn.shares, ...(other ?? []), 1e-9);
  const wide = kWide / drawn.shares.length;
  const high = (share: number) => (share / most) * kHigh;
  const path = other?.map((share, at) => `${at ? "L" : "M"}${at * wide},${kHigh - high(share)}H${(at + 1) * wide}`).join("");
  const words = `${train.column}: bars from ${value(train, drawn.edges[0])} to ${value(train, drawn.edges.at(-1))}, half of the rows are below ${value(train, quantile(train, 0.5))}`;
  return (
    <svg class="bars" width={kWide} height={kHigh} viewBox={`0 0 ${kWide} ${kHigh}`} role="img" aria-label={words}>
      <title>{words}</title>
      {drawn.shares.map((share, at) => (
        <rect key={at} x={at * wide} y={kHigh - high(share)} width={Math.max(0.5, wide - 0.7)} height={high(share)} />
      ))}
      {path && <path d={path} />}
    </svg>
  );
}

function Top({ column }: { column: Column }) {
  if (!column.top?.length) return null;
  // Of numbers that are all different the most frequent ones say nothing.
  if (column.kind !== "text" && column.top[0]![1] < 0.02) return <span class="soft">none</span>;
  return (
    <>
      {column.top.slice(0, 4).map(([name, share]) => (
        <span key={name} class="top-value">
          {typeof name === "number" ? value(column, name) : name === "" ? "(empty)" : name} <span class="soft">{percent(share)}</span>
        </span>
      ))}
    </>
  );
}

function Drift({ column }: { column: Column | undefined }) {
  if (column?.psi === undefined) return null;
  const text = column.psi.toFixed(column.psi < 0.1 ? 3 : 2);
  return column.drifted ? <b class="drifted">{text} drifted</b> : <>{text}</>;
}

function said(side: Side): string {
  return side.all_rows_sampled ? `${grouped(side.rows)} rows` : `${grouped(side.rows)} rows, of which ${grouped(side.sampled_rows)} are sampled`;
}

export function ProfilePanel({ run }: { run: Overview }) {
  const { data } = useJson<Profile>(runPath(run.run, "profile"), `${run.state} ${run.parts.length}`);
  const train = data?.train;
  if (!train || !Array.isArray(train.columns) || !train.columns.length) return null;
  const test = data?.test;
  const beside = (column: Column) => test?.columns.find((each) => each.column === column.column);
  const drifted = test?.columns.filter((column) => column.drifted) ?? [];
  return (
    <>
      {drifted.length > 0 && (
        <p class="hint wide">
          The test rows differ from those that were learned from, in: {drifted.map((column) => column.column).join(", ")}. The test metrics say how the model does
          on such rows.
        </p>
      )}
      <Panel title="Column profiles" more={`training: ${said(train)}${test ? `; test: ${said(test)}` : ""}`} wide>
        <Table
          label="column profiles"
          rows={train.columns}
          columns={[
            { name: "column", cell: (column) => column.column },
            { name: "type", cell: (column) => <span class="soft">{column.type}</span> },
            ...(test ? [{ name: "drift (PSI)", number: true, cell: (column: Column) => <Drift column={beside(column)} /> }] : []),
            { name: "missing", number: true, cell: (column) => percent(column.missing / Math.max(1, train.rows)) },
            {
              name: "distinct",
              number: true,
              cell: (column) => (column.distinct === undefined ? "" : column.distinct_exact ? grouped(column.distinct) : `≈ ${short(Number(column.distinct.toPrecision(2)))}`),
            },
            { name: "least", number: true, cell: (column) => value(column, column.low) },
            { name: "5%", number: true, cell: (column) => value(column, quantile(column, 0.05)) },
            { name: "median", number: true, cell: (column) => value(column, quantile(column, 0.5)) },
            { name: "95%", number: true, cell: (column) => value(column, quantile(column, 0.95)) },
            { name: "greatest", number: true, cell: (column) => value(column, column.high) },
            { name: "mean", number: true, cell: (column) => value(column, column.mean) },
            { name: test ? "training, line: test" : "values", cell: (column) => <Bars train={column} test={beside(column)} /> },
            { name: "most frequent", wrap: true, cell: (column) => <Top column={column} /> },
          ]}
        />
        {train.columns_left_out && <p class="soft">{train.columns_left_out} more columns were not looked at.</p>}
      </Panel>
    </>
  );
}
