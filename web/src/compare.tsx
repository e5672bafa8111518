// SPDX-License-Identifier: Apache-2.0
// Several runs at once: their curves over each other, the settings in which they differ, metrics.
import { useEffect, useMemo, useState } from "preact/hooks";
import { getJson, runPath, useJson, type Refused } from "./api";
import { Chart, type Line } from "./chart";
import { metric, shown } from "./format";
import { Empty, Link, Panel, StateMark, Table, Waiting, Wrong } from "./parts";
import { runHref, useRoute } from "./route";
import type { Json, Metrics, State } from "./types";

interface DiffRow {
  key: string;
  values: Json[];
}
interface Compared {
  runs: { run: string; state: State; weights_sha256: string | null }[];
  settings: DiffRow[];
  metrics: DiffRow[];
  seconds: DiffRow[];
}

// What names begin with alike says nothing about one of them.
export function tails(names: string[]): string[] {
  if (names.length < 2) return names;
  let alike = 0;
  while (names.every((name) => name[alike] !== undefined && name[alike] === names[0]![alike])) ++alike;
  const cut = names[0]!.lastIndexOf("-", alike) + 1;
  return names.map((name) => name.slice(cut) || name);
}

function useCurves(runs: string[]): Metrics[] | null {
  const [curves, setCurves] = useState<Metrics[] | null>(null);
  const key = runs.join("\n");
  useEffect(() => {
    let current = true;
    setCurves(null);
    const none = (_: Refused): Metrics => ({ series: [], marks: [], behind_bytes: 0 });
    void Promise.all(runs.map((run) => getJson<Metrics>(runPath(run, "metrics?points=1000")).catch(none))).then((all) => current && setCurves(all));
    return () => {
      current = false;
    };
  }, [key]);
  return curves;
}

const kFirstRows = 20;

function Rows(props: { title: string; rows: DiffRow[]; names: string[]; number?: boolean }) {
  const [all, setAll] = useState(false);
  if (!props.rows.length) return null;
  return (
    <Panel title={props.title} more={`${props.rows.length}`} wide>
      <Table
        label={props.title}
        rows={all ? props.rows : props.rows.slice(0, kFirstRows)}
        row={(row) => (row.values.every((value) => JSON.stringify(value) === JSON.stringify(row.values[0])) ? "soft" : "")}
        columns={[
          { name: "key", cell: (row) => row.key },
          ...props.names.map((name, at) => ({
            name,
            number: props.number ?? false,
            wrap: !props.number,
            cell: (row: DiffRow) => (props.number ? metric(row.values[at]) : shown(row.values[at]) || "–"),
          })),
        ]}
      />
      {!all && props.rows.length > kFirstRows && (
        <button type="button" class="small" onClick={() => setAll(true)}>
          show all {props.rows.length}
        </button>
      )}
    </Panel>
  );
}

export function Compare() {
  const { query } = useRoute();
  const runs = query.getAll("run");
  const path = runs.length > 1 ? `compare?${runs.map((run) => `run=${encodeURIComponent(run)}`).join("&")}` : null;
  const { data, error } = useJson<Compared>(path);
  const curves = useCurves(runs);
  const names = tails(runs);
  const charts = useMemo(() => {
    const found = new Map<string, Line[]>();
    (curves ?? []).forEach((metrics, at) => {
      for (const series of metrics.series) {
        if (!series.name.startsWith("validation ") && series.name !== "loss" && series.name !== "learning_rate") continue;
        const lines = found.get(series.name) ?? [];
        lines.push({ name: names[at]!, x: series.x, y: series.y, dots: series.x.length < 30 });
        found.set(series.name, lines);
      }
    });
    const order = (name: string) => (name === "loss" ? 0 : name === "learning_rate" ? 2 : 1);
    return [...found.entries()].sort((a, b) => order(a[0]) - order(b[0]));
  }, [curves]);
  if (runs.length < 2) return <Empty>Choose two or more runs in the list of runs.</Empty>;
  if (!data) return error ? <Wrong error={error} /> : <Waiting />;
  const equal = data.runs.every((run) => run.weights_sha256 !== null && run.weights_sha256 === data.runs[0]!.weights_sha256);
  return (
    <>
      <h1>{runs.length} runs</h1>
      <p>
        {data.runs.map((run, at) => (
          <span key={run.run} class="compared">
            <i class={`key k${at % 6}`} /> <Link href={runHref(run.run)}>{run.run}</Link> <StateMark state={run.state} />
          </span>
        ))}
      </p>
      {equal && <p class="hint">Their models are equal bit for bit.</p>}
      <div class="panels">
        <Rows title="Settings that differ" rows={data.settings} names={names} />
        {!data.settings.length && <p class="soft wide">Their settings do not differ.</p>}
        <Rows title="Metrics" rows={data.metrics} names={names} number />
      </div>
      <div class="charts">
        {charts.map(([name, lines]) => (
          <Panel key={name} wide={name === "loss"}>
            <Chart title={name === "loss" ? "Training loss" : name.replace("_", " ").replace(/^./, (c) => c.toUpperCase())} xName={curves?.every((each) => each.x === "round") ? "round" : "step"} lines={lines} sync="steps" />
          </Panel>
        ))}
      </div>
      <div class="panels">
        <Rows title="Seconds" rows={data.seconds} names={names} number />
      </div>
    </>
  );
}
