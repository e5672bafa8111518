// SPDX-License-Identifier: Apache-2.0
// The plan as a graph from the tables on the left to the gang on the right, and the SQL behind it.
import { useMemo } from "preact/hooks";
import { runPath, useJson } from "./api";
import { bytes } from "./format";
import { OperatorsPanel } from "./operators";
import { Copy, Empty, Panel, Table, Waiting, Wrong } from "./parts";
import type { Json, JsonObject, Overview } from "./types";

interface Plan {
  engine?: string;
  tree?: string;
  sql?: string;
  etl_sql: string | null;
  not_exact?: string[];
  stages?: JsonObject[];
  training?: JsonObject;
  inputs: { path: string; bytes?: number; sha256?: string }[] | null;
}

interface Node {
  verb: string;
  text: string;
  depth: number;
  lane: number;
  child: number; // Whom its rows go to; -1: nobody.
}

// The tree as the plan writes it: a line a node, its inputs below it and further in.
function nodesOf(tree: string): Node[] {
  const nodes: Node[] = [];
  const open: number[] = [];
  for (const line of tree.split("\n").filter((each) => each.trim())) {
    const depth = Math.floor((line.length - line.trimStart().length) / 2);
    const words = line.trim();
    const verb = words.split(" ")[0]!;
    open.length = depth;
    // Of a scan the table's name and its format; the data screen has its columns.
    const text = verb === "scan" ? words.split(" ").slice(1, 3).join(" ") : words.slice(verb.length + 1);
    nodes.push({ verb, text, depth, lane: 0, child: open[depth - 1] ?? -1 });
    open[depth] = nodes.length - 1;
  }
  // Leaves get lanes of their own; the others stand amid their inputs.
  let lanes = 0;
  for (let at = nodes.length - 1; at >= 0; --at) {
    const inputs = nodes.filter((node) => node.child === at).map((node) => node.lane);
    nodes[at]!.lane = inputs.length ? (Math.min(...inputs) + Math.max(...inputs)) / 2 : lanes++;
  }
  return nodes;
}

const kWidth = 176;
const kGap = 34;
const kHeight = 52;
const kLane = 66;

function Graph({ tree }: { tree: string }) {
  const nodes = useMemo(() => nodesOf(tree), [tree]);
  if (!nodes.length) return null;
  const deepest = Math.max(...nodes.map((node) => node.depth));
  const lanes = Math.max(...nodes.map((node) => node.lane)) + 1;
  const x = (node: Node) => (deepest - node.depth) * (kWidth + kGap) + 1;
  const y = (node: Node) => node.lane * kLane + 4;
  const cut = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="graph of the plan">
      <svg class="plan" width={(deepest + 1) * (kWidth + kGap) - kGap + 2} height={lanes * kLane} role="img" aria-label={tree}>
        {nodes.map((node, at) => {
          const to = nodes[node.child];
          if (!to) return null;
          const [x1, y1, x2, y2] = [x(node) + kWidth, y(node) + kHeight / 2, x(to), y(to) + kHeight / 2];
          const middle = (x1 + x2) / 2;
          return <path key={at} class="edge" d={`M${x1} ${y1} C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`} />;
        })}
        {nodes.map((node, at) => (
          <g key={at} transform={`translate(${x(node)} ${y(node)})`}>
            <title>{`${node.verb} ${node.text}`}</title>
            <rect class={`node n-${node.verb}`} width={kWidth} height={kHeight} rx="7" />
            <text x="12" y="21" class="verb">
              {node.verb}
            </text>
            <text x="12" y="39">{cut(node.text, 23)}</text>
          </g>
        ))}
      </svg>
    </div>
  );
}

function stageName(value: Json): string {
  if (value === null || typeof value !== "object") return String(value ?? "");
  return Array.isArray(value) ? value.map(stageName).join(", ") : String((value as JsonObject).stage ?? JSON.stringify(value));
}

export function PlanScreen({ run }: { run: Overview }) {
  const { data: plan, error } = useJson<Plan>(runPath(run.run, "plan"), run.state);
  if (!plan) return error ? <Wrong error={error} /> : <Waiting />;
  if (!plan.tree && !plan.etl_sql) return <Empty>This run has no plan yet; it is written before the first row is read.</Empty>;
  return (
    <div class="panels">
      {plan.tree && (
        <Panel title="Plan" more={`on ${plan.engine ?? "the engine"}`} wide>
          <Graph tree={plan.tree} />
        </Panel>
      )}
      {plan.not_exact && plan.not_exact.length > 0 && (
        <Panel title="Not exact" more="may differ between engines or runs" wide>
          <ul>
            {plan.not_exact.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </Panel>
      )}
      <OperatorsPanel run={run} />
      {plan.stages && plan.stages.length > 0 && (
        <Panel title="Stages" wide>
          <Table
            label="stages"
            rows={plan.stages}
            columns={[
              { name: "stage", cell: (stage) => stageName(stage.id ?? null) },
              { name: "kind", cell: (stage) => stageName(stage.kind ?? null) },
              { name: "level", number: true, cell: (stage) => stageName(stage.level ?? null) },
              { name: "from", wrap: true, cell: (stage) => stageName(stage.inputs ?? []) },
              { name: "columns added", number: true, cell: (stage) => (Array.isArray(stage.outputs) ? stage.outputs.length : "") },
            ]}
          />
        </Panel>
      )}
      {plan.etl_sql && (
        <Panel title="SQL of the job" more={<Copy text={plan.etl_sql} />} wide>
          <pre>{plan.etl_sql}</pre>
        </Panel>
      )}
      {plan.sql && (
        <Panel title={`SQL as ${plan.engine ?? "the engine"} gets it`} more={<Copy text={plan.sql} />} wide>
          <details>
            <summary>{plan.sql.length} characters</summary>
            <pre>{plan.sql}</pre>
          </details>
        </Panel>
      )}
      {plan.inputs && plan.inputs.length > 0 && (
        <Panel title="Input files" more="by their contents" wide>
          <Table
            label="input files"
            rows={plan.inputs}
            columns={[
              { name: "file", wrap: true, cell: (file) => file.path },
              { name: "size", number: true, cell: (file) => (file.bytes === undefined ? "" : bytes(file.bytes)) },
              { name: "SHA-256", cell: (file) => <code title={file.sha256}>{file.sha256?.slice(0, 16)}</code> },
            ]}
          />
        </Panel>
      )}
    </div>
  );
}
