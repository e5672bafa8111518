// SPDX-License-Identifier: Apache-2.0
// The model's card: what it predicts, how well, by which columns, and how to load it elsewhere.
import { runPath, useJson } from "./api";
import { Chart, type Line } from "./chart";
import { bytes, grouped, metric, shown } from "./format";
import { Copy, Empty, Facts, Panel, Table, Waiting, Wrong } from "./parts";
import type { Json, JsonObject, Numbers, Overview } from "./types";

interface Importance {
  metric: string;
  value: number;
  rows: number;
  columns: { column: string; value: number; worse: number }[];
}
interface Model {
  labels?: string[];
  classes?: string[];
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

function pairsOf(value: Json | undefined): [number, number][] {
  if (!Array.isArray(value)) return [];
  return value.filter((each): each is [number, number] => Array.isArray(each) && typeof each[0] === "number" && typeof each[1] === "number");
}

// Predicted against actual values, as points; on the diagonal the model is right.
function Scatter({ pairs, label }: { pairs: [number, number][]; label: string }) {
  if (pairs.length < 2) return null;
  const all = pairs.flat();
  const low = all.reduce((a, b) => Math.min(a, b));
  const high = all.reduce((a, b) => Math.max(a, b));
  const at = (value: number) => ((value - low) / Math.max(1e-12, high - low)) * 300;
  return (
    <figure class="chart">
      <figcaption>
        Predicted and actual {label} <span class="soft">{pairs.length} held-out rows; on the line they agree</span>
      </figcaption>
      <svg class="scatter" viewBox="-44 -8 352 340" role="img" aria-label={`Predicted against actual ${label}, from ${metric(low)} to ${metric(high)}`}>
        <line class="axis" x1="0" y1="300" x2="300" y2="0" />
        <rect class="frame" x="0" y="0" width="300" height="300" />
        {pairs.slice(0, 2000).map(([predicted, actual], index) => (
          <circle key={index} cx={at(actual)} cy={300 - at(predicted)} r="2" />
        ))}
        <text x="0" y="318">{metric(low)}</text>
        <text x="300" y="318" text-anchor="end">{metric(high)}</text>
        <text x="150" y="318" text-anchor="middle">actual</text>
        <text x="-8" y="150" text-anchor="middle" transform="rotate(-90 -8 150)">predicted</text>
      </svg>
    </figure>
  );
}

// Curves that a diagnostic holds as lists of pairs: ROC, precision and recall, calibration.
function curvesOf(diagnostic: JsonObject): [string, Line][] {
  const found: [string, Line][] = [];
  for (const [name, value] of Object.entries(diagnostic)) {
    const pairs = pairsOf(value);
    if (name === "predicted_actual" || pairs.length < 2) continue;
    const ordered = [...pairs].sort((a, b) => a[0] - b[0]);
    found.push([name.replace(/_/g, " "), { name: name.replace(/_/g, " "), x: ordered.map((each) => each[0]), y: ordered.map((each) => each[1]), dots: ordered.length < 40 }]);
  }
  return found;
}

function Columns({ importance }: { importance: Importance }) {
  const columns = importance.columns.slice(0, 25);
  const most = Math.max(1e-12, ...columns.map((each) => Math.abs(each.worse)));
  return (
    <Panel title="What the columns are worth" more={`how much worse ${importance.metric} gets where one is shuffled`}>
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
      {importance.columns.length > 25 && <p class="soft">{importance.columns.length - 25} more are worth less.</p>}
    </Panel>
  );
}

export function ModelScreen({ run }: { run: Overview }) {
  const { data: model, error } = useJson<Model>(runPath(run.run, "model"), run.state);
  if (!model) return error ? <Wrong error={error} /> : <Waiting />;
  if (!model.labels && !model.files.length) return <Empty>This run has no model {run.state === "running" ? "yet" : ""}.</Empty>;
  const test = model.diagnostics?.test ?? model.diagnostics?.validation;
  const labels = test?.labels ?? [];
  const place = model.model ?? `${run.folder}/model`;
  const names = Object.keys(model.metrics?.test ?? {}).filter((name) => name !== "rows");
  return (
    <div class="panels">
      <Panel title="The model">
        <Facts
          rows={[
            ["predicts", model.labels?.join(", ")],
            ["classes", model.classes && model.classes.length > 0 && `${model.classes.length}: ${model.classes.slice(0, 12).join(", ")}`],
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
      {labels.map((label, at) => {
        const pairs = pairsOf(label.predicted_actual);
        return pairs.length > 1 ? (
          <Panel key={at}>
            <Scatter pairs={pairs} label={model.labels?.[at] ?? ""} />
          </Panel>
        ) : null;
      })}
      {labels.flatMap((label, at) =>
        curvesOf(label).map(([name, line]) => (
          <Panel key={`${at} ${name}`}>
            <Chart title={`${model.labels?.[at] ?? ""}: ${name}`} xName="x" lines={[line]} />
          </Panel>
        )),
      )}
      {model.importance && model.importance.columns.length > 0 && <Columns importance={model.importance} />}
      {run.result.rows !== undefined && <p class="soft wide">Trained on {grouped(run.result.rows)} rows.</p>}
    </div>
  );
}
