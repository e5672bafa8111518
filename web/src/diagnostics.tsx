// SPDX-License-Identifier: Apache-2.0
// Predictions beside what was right, as metrics/diagnostics.h keeps them.
import { Chart, type Line } from "./chart";
import { metric, shown } from "./format";
import { Panel } from "./parts";
import type { Json, JsonObject } from "./types";

type Pair = [number, number];

// A list of [x, y, ...]; what is something else is left out.
function pairsOf(value: Json | undefined): Pair[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter((each): each is Json[] => Array.isArray(each) && typeof each[0] === "number" && typeof each[1] === "number")
    .map((each) => [each[0] as number, each[1] as number]);
}

// On the diagonal the model is right.
function Scatter({ pairs, label }: { pairs: Pair[]; label: string }) {
  const all = pairs.flat();
  const low = all.reduce((a, b) => Math.min(a, b));
  const high = all.reduce((a, b) => Math.max(a, b));
  const at = (value: number) => ((value - low) / Math.max(1e-12, high - low)) * 300;
  return (
    <figure class="chart">
      <figcaption>
        Predicted and actual {label} <span class="soft">{pairs.length} rows; on the line they agree</span>
      </figcaption>
      <svg class="scatter" viewBox="-44 -8 352 340" role="img" aria-label={`Predicted against actual ${label}, from ${metric(low)} to ${metric(high)}`}>
        <line class="axis" x1="0" y1="300" x2="300" y2="0" />
        <rect class="frame" x="0" y="0" width="300" height="300" />
        {pairs.map(([predicted, actual], index) => (
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

interface CurveKind {
  key: string;
  title: string;
  x: string;
  diagonal?: string;
}

const kCurves: CurveKind[] = [
  { key: "roc", title: "ROC: true over false positives", x: "false positive rate", diagonal: "by chance" },
  { key: "precision_recall", title: "Precision over recall", x: "recall" },
  { key: "calibration", title: "Calibration: share of rows over probability", x: "probability", diagonal: "ideal" },
  { key: "below", title: "Share of labels below each quantile", x: "level", diagonal: "ideal" },
];

function Curve({ kind, pairs }: { kind: CurveKind; pairs: Pair[] }) {
  const line = (name: string, points: Pair[]): Line => ({ name, x: points.map((each) => each[0]), y: points.map((each) => each[1]), dots: points.length < 40 && name === "model" });
  const lines = [line("model", pairs)];
  if (kind.diagonal) lines.push(line(kind.diagonal, [[0, 0], [1, 1]]));
  return <Chart title={kind.title} xName={kind.x} lines={lines} />;
}

// Counts of residuals, as the outline of a histogram.
function residualsOf(value: Json | undefined): Pair[] {
  const residuals = value as { low?: Json; high?: Json; counts?: Json } | null | undefined;
  const counts = residuals?.counts;
  if (!Array.isArray(counts) || !counts.length || typeof residuals?.low !== "number" || typeof residuals.high !== "number") return [];
  const width = (residuals.high - residuals.low) / counts.length;
  const outline: Pair[] = [[residuals.low, 0]];
  counts.forEach((count, at) => {
    const left = (residuals.low as number) + width * at;
    // Equal x would be one point to the chart.
    outline.push([left + width * 1e-6, Number(count)], [left + width, Number(count)]);
  });
  outline.push([residuals.high + width * 1e-6, 0]);
  return outline;
}

// Rows by class and prediction; a cell is the darker, the larger its share of the class.
function Confusion({ rows, classes }: { rows: Json[]; classes: string[] }) {
  const name = (at: number) => (typeof classes[at] === "string" ? classes[at]! : String(at));
  return (
    <figure>
      <figcaption>Confusion</figcaption>
      <div class="scroll" tabIndex={0} role="region" aria-label="confusion">
        <table class="confusion">
          <thead>
            <tr>
              <th scope="col">class</th>
              {rows.map((_, at) => (
                <th key={at} scope="col" class="num">
                  as {name(at)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => {
              const cells = Array.isArray(row) ? row.map((cell) => (typeof cell === "number" ? cell : 0)) : [];
              const all = Math.max(1, cells.reduce((sum, cell) => sum + cell, 0));
              return (
                <tr key={at}>
                  <th scope="row">{name(at)}</th>
                  {cells.map((cell, to) => (
                    <td key={to} class={`num ${to === at ? "right" : ""}`} style={{ "--share": `${Math.round((50 * cell) / all)}%` }}>
                      {shown(cell)}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

// The panels of one label.
export function Diagnostics({ of, label, classes }: { of: JsonObject; label: string; classes: string[] }) {
  const scatter = pairsOf(of.predicted_actual);
  const residuals = residualsOf(of.residuals);
  return (
    <>
      {Array.isArray(of.confusion) && of.confusion.length > 0 && (
        <Panel wide={of.confusion.length > 4}>
          <Confusion rows={of.confusion} classes={classes} />
        </Panel>
      )}
      {kCurves.map((kind) => {
        const pairs = pairsOf(of[kind.key]);
        return pairs.length > 1 ? (
          <Panel key={kind.key}>
            <Curve kind={kind} pairs={pairs} />
          </Panel>
        ) : null;
      })}
      {scatter.length > 1 && (
        <Panel>
          <Scatter pairs={scatter} label={label} />
        </Panel>
      )}
      {residuals.length > 0 && (
        <Panel>
          <Chart title={`Residuals of ${label}`} xName="actual − predicted" lines={[{ name: "rows of a sample", x: residuals.map((each) => each[0]), y: residuals.map((each) => each[1]) }]} />
        </Panel>
      )}
    </>
  );
}
