// SPDX-License-Identifier: Apache-2.0
// The model's card: what it predicts, how well, by which columns, and how to load it elsewhere.
import { runPath, useJson } from "./api";
import { Diagnostics } from "./diagnostics";
import { bytes, counted, grouped, metric, shown } from "./format";
import { Copy, Empty, Facts, Panel, Table, Waiting, Wrong } from "./parts";
import { TryIt, type InputColumn } from "./try";
import type { JsonObject, Numbers, Overview } from "./types";

interface Importance {
  metric: string;
  value: number;
  rows: number;
  columns: { column: string; value: number; worse: number }[];
}
interface Model {
  labels?: string[];
  classes?: string[];
  input?: InputColumn[] | null;
  metrics?: { test?: Numbers; validation?: Numbers; baseline?: Numbers };
  importance?: Importance;
  diagnostics?: Record<string, { kind: string; labels?: JsonObject[] }>;
  fingerprint?: JsonObject;
  weights_sha256?: string;
  net: JsonObject;
  estimator: JsonObject | null;
  files: { path: string; bytes: number }[];
  model?: string;
}

function Columns({ importance }: { importance: Importance }) {
  const columns = importance.columns.slice(0, 25);
  const most = Math.max(1e-12, ...columns.map((each) => Math.abs(each.worse)));
  return (
    <Panel title="Feature importance">
      <Table
        label="importance of columns"
        rows={columns}
        columns={[
          { name: "column", cell: (each) => each.column },
          { name: "worse by", number: true, cell: (each) => metric(each.worse) },
          {
            name: "share of the most",
            cell: (each) => (
              <div class="worth">
                <div class={each.worse < 0 ? "less" : ""} style={{ width: `${(100 * Math.abs(each.worse)) / most}%` }} />
              </div>
            ),
          },
        ]}
      />
      <p class="soft">
        How much worse {importance.metric} becomes when a column's values are shuffled among {grouped(importance.rows)} validation rows, where it is{" "}
        {metric(importance.value)}. Of columns that say the same, each can do without the other.
      </p>
      {importance.columns.length > 25 && <p class="soft">{importance.columns.length - 25} more are worth less.</p>}
    </Panel>
  );
}

// The first of many names, and how many there are.
function listOf(names: string[]): string {
  const most = 24;
  const first = `${counted(names.length, "column")}: ${names.slice(0, most).join(", ")}`;
  return names.length > most ? `${first} and ${names.length - most} more` : first;
}

export function ModelScreen({ run }: { run: Overview }) {
  const { data: model, error } = useJson<Model>(runPath(run.run, "model"), run.state);
  if (!model) return error ? <Wrong error={error} /> : <Waiting />;
  if (!model.labels && !model.files.length) return <Empty>This run has no model {run.state === "running" ? "yet" : ""}.</Empty>;
  const columns = Array.isArray(model.input) ? model.input.filter((each) => each && typeof each.name === "string") : [];
  const test = model.diagnostics?.test ?? model.diagnostics?.validation;
  const labels = test?.labels ?? [];
  // Where the run lies now: it may have moved since it wrote its result.
  const place = run.has.model ? `${run.folder}/model` : (model.model ?? "");
  const names = Object.keys(model.metrics?.test ?? {}).filter((name) => name !== "rows");
  return (
    <div class="panels">
      <Panel title="The model">
        <Facts
          rows={[
            ["predicts", model.labels?.join(", ")],
            ["classes", model.classes && model.classes.length > 0 && `${model.classes.length}: ${model.classes.slice(0, 12).join(", ")}`],
            ["from", columns.length > 0 && listOf(columns.map((column) => shown(column.name)))],
            ["net", shown((model.estimator?.net as JsonObject | undefined)?.name ?? model.net.name)],
            ...names.map((name) => [`test ${name}`, `${metric(model.metrics!.test![name])}${model.metrics?.baseline?.[name] !== undefined ? `, baseline ${metric(model.metrics.baseline[name])}` : ""}`] as [string, string]),
            ["weights, SHA-256", model.weights_sha256 && <code title={model.weights_sha256}>{model.weights_sha256.slice(0, 24)}</code>],
            ...Object.entries(model.fingerprint ?? {}).map(([key, value]) => [key.replace(/_/g, " "), shown(value)] as [string, string]),
          ]}
        />
      </Panel>
      {model.files.length > 0 && (
        <Panel title="Use it">
          <p>
            <code>protium predict --model {place} …</code> <Copy text={`protium predict --model ${place}`} />
          </p>
          <Table
            label="files of the model"
            rows={model.files}
            columns={[
              { name: "file", cell: (file) => file.path },
              { name: "size", number: true, cell: (file) => bytes(file.bytes) },
            ]}
          />
        </Panel>
      )}
      <TryIt run={run} columns={columns} />
      {labels.map((label, at) => (
        <Diagnostics key={at} of={label} label={model.labels?.[at] ?? ""} classes={model.classes ?? []} />
      ))}
      {model.importance && model.importance.columns.length > 0 && <Columns importance={model.importance} />}
      {run.result.rows !== undefined && <p class="soft wide">Trained on {grouped(run.result.rows)} rows.</p>}
    </div>
  );
}
