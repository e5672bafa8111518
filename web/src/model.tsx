// SPDX-License-Identifier: Apache-2.0
// The model's card: what it predicts, how well, by which columns, and how to load it elsewhere.
import { runPath, useJson } from "./api";
import { Diagnostics } from "./diagnostics";
import { ForestPanels, forestFacts, type Forest } from "./forest";
import { bytes, counted, grouped, metric, shown } from "./format";
import { ImportancePanels, type Importance, type Splits } from "./importance";
import { Copy, Empty, Facts, Panel, Table, Waiting, Wrong } from "./parts";
import { TryIt, type InputColumn } from "./try";
import type { JsonObject, Numbers, Overview } from "./types";

interface Model {
  labels?: string[];
  classes?: string[];
  input?: InputColumn[] | null;
  metrics?: { test?: Numbers; validation?: Numbers; baseline?: Numbers };
  importance?: Importance;
  splits?: Splits[];
  diagnostics?: Record<string, { kind: string; labels?: JsonObject[] }>;
  fingerprint?: JsonObject;
  weights_sha256?: string;
  net: JsonObject;
  estimator: JsonObject | null;
  files: { path: string; bytes: number }[];
  model?: string;
}

// The first of many names, and how many there are.
function listOf(names: string[]): string {
  const most = 24;
  const first = `${counted(names.length, "column")}: ${names.slice(0, most).join(", ")}`;
  return names.length > most ? `${first} and ${names.length - most} more` : first;
}

export function ModelScreen({ run }: { run: Overview }) {
  const { data: model, error } = useJson<Model>(runPath(run.run, "model"), run.state);
  const { data: forest, error: unread } = useJson<Forest>(run.has.model ? runPath(run.run, "forest") : null, run.state);
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
            ...forestFacts(forest),
            ["net", shown((model.estimator?.net as JsonObject | undefined)?.name ?? model.net.name)],
            ...names.map((name) => [`test ${name}`, `${metric(model.metrics!.test![name])}${model.metrics?.baseline?.[name] !== undefined ? `, baseline ${metric(model.metrics.baseline[name])}` : ""}`] as [string, string]),
            ["weights, SHA-256", model.weights_sha256 && <code title={model.weights_sha256}>{model.weights_sha256.slice(0, 24)}</code>],
            ...Object.entries(model.fingerprint ?? {}).map(([key, value]) => [key === "trees" ? "arithmetic of trees" : key.replace(/_/g, " "), shown(value)] as [string, string]),
          ]}
        />
      </Panel>
      {model.files.length > 0 && (
        <Panel title="Use this model">
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
      <ImportancePanels importance={model.importance} splits={model.splits} />
      {forest?.trees && <ForestPanels run={run} forest={forest} />}
      {unread && <Wrong error={unread} />}
      {run.result.rows !== undefined && <p class="soft wide">Trained on {grouped(run.result.rows)} rows.</p>}
    </div>
  );
}
