// SPDX-License-Identifier: Apache-2.0
// A forest of the model: what it is, how predictions change with a column, and its trees.
import { Chart } from "./chart";
import { counted, grouped, plain } from "./format";
import { Panel, Table } from "./parts";
import { setQuery, useRoute } from "./route";
import { TreePanel } from "./tree";
import type { Overview } from "./types";

type Shown = number | string; // Numbers that are infinite are texts.

interface Dependence {
  column: string;
  gain: number;
  thresholds?: Shown[];
  categories?: string[];
  left_out?: number;
  values: Shown[][];
  missing: Shown[];
}
export interface Forest {
  rounds: number;
  trees: number;
  leaves: number;
  columns: number;
  outputs: string[];
  mean: Shown[];
  dependence: Dependence[];
}

const numbers = (values: Shown[] | undefined) => (values ?? []).map(Number).filter(isFinite);

// Predictions jump at thresholds: each stretch between two of them has two points.
function stepsOf(thresholds: number[], values: Shown[]): { x: number[]; y: (number | null)[] } {
  const first = thresholds[0]!;
  const last = thresholds.at(-1)!;
  const beyond = (last - first || Math.max(1, Math.abs(first))) * 0.04;
  const ends = [first - beyond, ...thresholds, last + beyond];
  const x: number[] = [];
  const y: (number | null)[] = [];
  values.forEach((value, at) => {
    const [from, to] = [ends[at]!, ends[at + 1]!];
    const number = Number(value);
    // Equal x would be one point to the chart.
    x.push(from + (to - from) * 1e-6, to);
    y.push(...[0, 1].map(() => (isFinite(number) ? number : null)));
  });
  return { x, y };
}

const percent = (share: number) => (share < 0.01 ? "< 1%" : `${Math.round(100 * share)}%`);

interface Drawn {
  of: Dependence;
  output: number;
  text: string;
  mean: number;
  range: [number, number] | null; // Of all plots; null: each has its own.
}

function Categories({ of, output, text, mean, range }: Drawn) {
  const names = of.categories ?? [];
  const [low, high] = range ?? rangeOf([of], output);
  const most = Math.max(1e-12, high - mean, mean - low);
  return (
    <figure class="chart">
      <figcaption>
        {text} by {of.column} <span class="soft">{percent(of.gain)} of all gain</span>
      </figcaption>
      <Table
        label={`${text} by ${of.column}`}
        rows={names.map((name, at) => ({ name, value: Number(of.values[output]?.[at]) }))}
        columns={[
          { name: of.column, cell: (row) => (row.name === "" ? "(empty)" : row.name) },
          { name: "mean", number: true, cell: (row) => plain(row.value, 4) },
          {
            name: "relative to the overall mean",
            cell: (row) => (
              <div class="worth">
                <div class={row.value < mean ? "less" : ""} style={{ width: `${(100 * Math.abs(row.value - mean)) / most}%` }} />
              </div>
            ),
          },
        ]}
      />
      {(of.left_out ?? 0) > 0 && <p class="soft">{counted(of.left_out!, "rarer one")} left out.</p>}
    </figure>
  );
}

function DependencePlot(drawn: Drawn) {
  const { of, output, text, range } = drawn;
  if (of.categories) return <Categories {...drawn} />;
  const thresholds = numbers(of.thresholds);
  const values = of.values[output] ?? [];
  if (!thresholds.length || values.length !== thresholds.length + 1) return null;
  const line = { name: text, ...stepsOf(thresholds, values) };
  const note = `${percent(of.gain)} of all gain; ${plain(of.missing[output], 4)} where it is missing`;
  return <Chart title={`${text} by ${of.column}`} xName={of.column} lines={[line]} note={note} {...(range ? { range } : {})} />;
}

function rangeOf(all: Dependence[], output: number): [number, number] {
  const values = numbers(all.flatMap((each) => each.values[output] ?? []));
  const low = values.reduce((a, b) => Math.min(a, b), Infinity);
  const high = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const beyond = (high - low || Math.max(1e-6, Math.abs(high))) * 0.05;
  return [low - beyond, high + beyond];
}

function DependencePanel({ forest }: { forest: Forest }) {
  const { query } = useRoute();
  const output = Math.max(0, forest.outputs.indexOf(query.get("output") ?? ""));
  if (!forest.dependence.length) return null;
  const text = forest.outputs[output] ?? "";
  const same = query.get("scale") === "one";
  const range = same ? rangeOf(forest.dependence, output) : null;
  return (
    <Panel title="Partial dependence" wide>
      <div class="filters">
        {forest.outputs.length > 1 && (
          <label>
            output{" "}
            <select value={text} onChange={(event) => setQuery("output", event.currentTarget.value)}>
              {forest.outputs.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
        )}
        <button type="button" class="chip" aria-pressed={same} onClick={() => setQuery("scale", same ? "" : "one")}>
          one scale for all
        </button>
      </div>
      <div class="plots">
        {forest.dependence.map((of) => (
          <DependencePlot key={of.column} of={of} output={output} text={text} mean={Number(forest.mean[output])} range={range} />
        ))}
      </div>
      <p class="soft">
        The mean of what the forest predicts where a column has this value and the others are as in the training rows: at their splits both branches count, by
        their cover (partial dependence). Correlated columns are varied independently, so some of these rows may not exist.
      </p>
    </Panel>
  );
}

export function forestFacts(forest: Forest | null): [string, string][] {
  if (!forest?.trees) return [];
  const each = forest.outputs.length > 1 ? ` in ${counted(forest.rounds, "round")}` : "";
  return [
    ["forest", `${counted(forest.trees, "tree")}${each} of at most ${grouped(forest.leaves)} leaves, on ${counted(forest.columns, "column")}`],
    ["adds up to", forest.outputs.slice(0, 12).map((name, at) => `${name}, in the mean ${plain(forest.mean[at], 4)}`).join("; ")],
  ];
}

export function ForestPanels({ run, forest }: { run: Overview; forest: Forest }) {
  return (
    <>
      <DependencePanel forest={forest} />
      <TreePanel run={run} trees={forest.trees} outputs={forest.outputs} />
    </>
  );
}
