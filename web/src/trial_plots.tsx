// SPDX-License-Identifier: Apache-2.0
// Pictures of a search: where the values of each option lie, what two of them do together, all
// options of each trial, and the front of two objectives. Trials of a level are one path, so that
// thousands of them are drawn at once.
import { useState } from "preact/hooks";
import { metric } from "./format";
import { Panel } from "./parts";
import { briefly, inWords, kLevels, leveled, marksOf, placeOf, valueOf, type Importance, type Objective, type Option, type Trial } from "./tried";

// What all pictures of a search need.
export interface Drawn {
  trials: ReturnType<typeof leveled>; // The best first.
  options: Option[];
  name: string; // Of the metric.
  picked: number | null; // A trial that the pointer is on.
  pick: (trial: number | null) => void;
}

export interface Dot {
  x: number;
  y: number;
  level: number;
  trial: Trial;
}

// The worst first, so that the best are on top.
function Dots({ dots, picked }: { dots: Dot[]; picked: number | null }) {
  const levels = [...Array(kLevels).keys()].reverse();
  const marked = dots.find((dot) => dot.trial.trial === picked);
  return (
    <>
      {levels.map((level) => (
        <path key={level} class={`dots q${level}`} d={dots.filter((dot) => dot.level === level).map((dot) => `M${dot.x.toFixed(1)},${dot.y.toFixed(1)}h0`).join("")} />
      ))}
      {marked && <circle class="picked" cx={marked.x} cy={marked.y} r="5" />}
    </>
  );
}

// The nearest of `dots` to the pointer, in the picture's own units.
function nearest(event: MouseEvent, dots: Dot[]): number | null {
  const picture = event.currentTarget as SVGSVGElement;
  const matrix = picture.getScreenCTM();
  if (!matrix) return null;
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
  let found: Dot | null = null;
  let far = 400; // 20 units away at most.
  for (const dot of dots) {
    const away = (dot.x - at.x) ** 2 + (dot.y - at.y) ** 2;
    if (away < far) [far, found] = [away, dot];
  }
  return found?.trial.trial ?? null;
}

export function Legend({ drawn }: { drawn: Drawn }) {
  const picked = drawn.trials.find(({ trial }) => trial.trial === drawn.picked)?.trial;
  return (
    <p class="legend levels">
      best
      {[...Array(kLevels).keys()].map((level) => (
        <i key={level} class={`q${level}`} />
      ))}
      worst <span aria-live="polite">{picked ? inWords(picked, drawn.name) : ""}</span>
    </p>
  );
}

const kWide = 300;
const kHigh = 170;

// The scale of values: that of all but the worst tenth, or the others would be one line.
function scaleOf(trials: Drawn["trials"], more: number[]): (value: number) => number {
  const most = trials.slice(0, Math.max(2, Math.ceil(trials.length * 0.9))).map(({ trial }) => trial.value!);
  const all = [...most, ...more];
  const low = Math.min(...all);
  const high = Math.max(...all);
  const place = (value: number) => kHigh - ((value - low) / Math.max(1e-300, high - low)) * kHigh;
  return Object.assign((value: number) => Math.min(kHigh, Math.max(0, place(value))), { low, high });
}

function XMarks({ option, high }: { option: Option; high: number }) {
  const marks = marksOf(option);
  const few = marks.length <= 6 ? marks : [marks[0]!, marks.at(-1)!];
  return (
    <>
      {few.map((mark) => (
        <text key={mark.place} x={mark.place * kWide} y={high + 15} text-anchor={mark.place < 0.1 ? "start" : mark.place > 0.9 ? "end" : "middle"}>
          {mark.text.length > 14 ? `${mark.text.slice(0, 13)}…` : mark.text}
        </text>
      ))}
    </>
  );
}

function Slice({ option, drawn, marginal }: { option: Option; drawn: Drawn; marginal: Importance["options"] extends (infer T)[] | undefined ? T | undefined : never }) {
  const place = scaleOf(drawn.trials, marginal?.value ?? []) as ((value: number) => number) & { low: number; high: number };
  const dots = drawn.trials.flatMap(({ trial, level }) => {
    const x = placeOf(option, valueOf(trial, option.option));
    return x === null ? [] : [{ x: x * kWide, y: place(trial.value!), level, trial }];
  });
  const half = option.choices ? (0.3 * kWide) / option.choices.length : 0;
  const line = marginal?.value
    .map((value, at) => {
      const x = (placeOf(option, marginal.at[at]) ?? 0) * kWide;
      return half ? `M${x - half},${place(value)}h${2 * half}` : `${at ? "L" : "M"}${x},${place(value)}`;
    })
    .join("");
  return (
    <figure class="chart">
      <figcaption>{briefly(option.option)}</figcaption>
      <svg
        class="trials"
        viewBox={`-52 -8 ${kWide + 64} ${kHigh + 30}`}
        role="img"
        aria-label={`${drawn.name} by ${option.option}, ${dots.length} trials from ${metric(place.low)} to ${metric(place.high)}`}
        onMouseMove={(event) => drawn.pick(nearest(event, dots))}
        onMouseLeave={() => drawn.pick(null)}
      >
        <rect class="frame" x="0" y="0" width={kWide} height={kHigh} />
        <Dots dots={dots} picked={drawn.picked} />
        {line && <path class="marginal" d={line} />}
        <text x="-6" y="10" text-anchor="end">{metric(place.high)}</text>
        <text x="-6" y={kHigh} text-anchor="end">{metric(place.low)}</text>
        <XMarks option={option} high={kHigh} />
      </svg>
    </figure>
  );
}

export function Slices({ drawn, importance }: { drawn: Drawn; importance: Importance | null }) {
  const known = importance?.options;
  return (
    <Panel title={`${drawn.name} by each option`} more={known ? "the line: what is expected of a value, over all values of the other options" : ""} wide>
      <div class="plots">
        {drawn.options.map((option) => (
          <Slice key={option.option} option={option} drawn={drawn} marginal={known?.find((each) => each.option === option.option)} />
        ))}
      </div>
      <Legend drawn={drawn} />
    </Panel>
  );
}

const kSquare = 300;

function Surface({ pair, a, b, drawn }: { pair: number[][]; a: Option; b: Option; drawn: Drawn }) {
  const all = pair.flat();
  const low = Math.min(...all);
  const high = Math.max(...all);
  const wide = kWide / pair.length;
  const tall = kSquare / (pair[0]?.length ?? 1);
  const dots = drawn.trials.flatMap(({ trial, level }) => {
    const x = placeOf(a, valueOf(trial, a.option));
    const y = placeOf(b, valueOf(trial, b.option));
    return x === null || y === null ? [] : [{ x: x * kWide, y: (1 - y) * kSquare, level, trial }];
  });
  return (
    <svg
      class="trials surface"
      viewBox={`-72 -8 ${kWide + 84} ${kSquare + 46}`}
      role="img"
      aria-label={`${drawn.name} by ${a.option} and ${b.option}, expected from ${metric(low)} to ${metric(high)}`}
      onMouseMove={(event) => drawn.pick(nearest(event, dots))}
      onMouseLeave={() => drawn.pick(null)}
    >
      {pair.map((column, i) =>
        column.map((value, j) => (
          <rect key={`${i} ${j}`} class="heat" x={i * wide} y={kSquare - (j + 1) * tall} width={wide + 0.3} height={tall + 0.3} style={{ "--share": `${Math.round((70 * (value - low)) / Math.max(1e-300, high - low))}%` }} />
        )),
      )}
      <Dots dots={dots} picked={drawn.picked} />
      <XMarks option={a} high={kSquare} />
      {marksOf(b).map((mark) => (
        <text key={mark.place} x="-6" y={(1 - mark.place) * kSquare + (mark.place === 0 ? 0 : mark.place === 1 ? 10 : 4)} text-anchor="end">
          {mark.text.length > 10 ? `${mark.text.slice(0, 9)}…` : mark.text}
        </text>
      ))}
      <text x={kWide / 2} y={kSquare + 32} text-anchor="middle">{briefly(a.option)}</text>
    </svg>
  );
}

export function Contour({ drawn, importance }: { drawn: Drawn; importance: Importance }) {
  const [chosen, choose] = useState(0);
  const pairs = (importance.pairs ?? []).flatMap((pair) => {
    const a = drawn.options.find((each) => each.option === pair.a);
    const b = drawn.options.find((each) => each.option === pair.b);
    return a && b ? [{ ...pair, of: [a, b] as [Option, Option] }] : [];
  });
  const pair = pairs[Math.min(chosen, pairs.length - 1)];
  if (!pair) return null;
  return (
    <Panel title={`${drawn.name} by two options`}>
      {pairs.length > 1 && (
        <div class="filters" role="group" aria-label="options">
          {pairs.map((each, at) => (
            <button key={`${each.a} ${each.b}`} type="button" class="chip small" aria-pressed={each === pair} onClick={() => choose(at)}>
              {briefly(each.b)} by {briefly(each.a)}
            </button>
          ))}
        </div>
      )}
      <figure class="chart">
        <figcaption>{briefly(pair.b)} <span class="soft">upwards; the darker, the higher {drawn.name} is expected</span></figcaption>
        <Surface pair={pair.value} a={pair.of[0]} b={pair.of[1]} drawn={drawn} />
      </figure>
      <Legend drawn={drawn} />
    </Panel>
  );
}

const kAxis = 260;

// A line a trial, through its values and what came of them; the further up, the greater.
export function Parallel({ drawn }: { drawn: Drawn }) {
  const step = Math.max(90, Math.min(220, 1000 / Math.max(1, drawn.options.length)));
  const wide = step * drawn.options.length;
  const values = drawn.trials.map(({ trial }) => trial.value!);
  const kept = values.slice(0, Math.max(2, Math.ceil(values.length * 0.9)));
  const low = Math.min(...kept);
  const high = Math.max(...kept);
  const up = (value: number) => kAxis - Math.min(1, Math.max(0, (value - low) / Math.max(1e-300, high - low))) * kAxis;
  const pointsOf = (trial: Trial) =>
    drawn.options.flatMap((option, at) => {
      const place = placeOf(option, valueOf(trial, option.option));
      return place === null ? [] : [{ x: at * step, y: (1 - place) * kAxis }];
    }).concat({ x: wide, y: up(trial.value!) });
  const path = (trial: Trial) => pointsOf(trial).map((point, at) => `${at ? "L" : "M"}${point.x.toFixed(1)},${point.y.toFixed(1)}`).join("");
  const dots = drawn.trials.flatMap(({ trial, level }) => pointsOf(trial).map((point) => ({ ...point, level, trial })));
  const marked = drawn.trials.find(({ trial }) => trial.trial === drawn.picked)?.trial;
  return (
    <Panel title="Parallel coordinates" wide>
      <div class="scroll" tabIndex={0} role="region" aria-label="parallel coordinates">
        <svg
          class="trials parallel"
          width={wide + 170}
          height={kAxis + 54}
          viewBox={`-80 -32 ${wide + 170} ${kAxis + 54}`}
          role="img"
          aria-label={`${drawn.trials.length} trials through ${drawn.options.length} options to ${drawn.name}`}
          onMouseMove={(event) => drawn.pick(nearest(event, dots))}
          onMouseLeave={() => drawn.pick(null)}
        >
          {[...Array(kLevels).keys()].reverse().map((level) => (
            <path key={level} class={`lines q${level}`} d={drawn.trials.filter((each) => each.level === level).map(({ trial }) => path(trial)).join("")} />
          ))}
          {marked && <path class="lines picked" d={path(marked)} />}
          {drawn.options.map((option, at) => (
            <g key={option.option} transform={`translate(${at * step} 0)`}>
              <line class="axis" y1="0" y2={kAxis} />
              <text class="verb" y="-16" text-anchor="middle">{briefly(option.option)}</text>
              {marksOf(option).map((mark) => (
                <text key={mark.place} x="-5" y={(1 - mark.place) * kAxis + 4} text-anchor="end">
                  {mark.text.length > 12 ? `${mark.text.slice(0, 11)}…` : mark.text}
                </text>
              ))}
            </g>
          ))}
          <g transform={`translate(${wide} 0)`}>
            <line class="axis" y1="0" y2={kAxis} />
            <text class="verb" y="-16" text-anchor="middle">{drawn.name}</text>
            <text x="6" y="8">{metric(high)}</text>
            <text x="6" y={kAxis}>{metric(low)}</text>
          </g>
        </svg>
      </div>
      <Legend drawn={drawn} />
    </Panel>
  );
}

// Trials by two objectives; those that no other is better than are joined.
export function Front({ drawn, trials, objectives, front }: { drawn: Drawn; trials: Trial[]; objectives: Objective[]; front: number[] }) {
  const [second, choose] = useState(1);
  const names = [objectives[0]!.metric, objectives[second]!.metric] as const;
  const told = trials.filter((trial) => names.every((name) => typeof trial.measured?.[name] === "number"));
  if (told.length < 2) return null;
  const ends = names.map((name) => {
    const all = told.map((trial) => trial.measured![name]!);
    return [Math.min(...all), Math.max(...all)] as const;
  });
  const share = (at: 0 | 1, value: number) => (value - ends[at]![0]) / Math.max(1e-300, ends[at]![1] - ends[at]![0]);
  const dots: Dot[] = told.map((trial) => ({
    x: share(0, trial.measured![names[0]]!) * kWide,
    y: (1 - share(1, trial.measured![names[1]]!)) * kSquare,
    level: front.includes(trial.trial) ? 0 : kLevels - 1,
    trial,
  }));
  const line = dots.filter((dot) => dot.level === 0).sort((a, b) => a.x - b.x || a.y - b.y);
  return (
    <Panel title="Pareto front" more={`${front.length} of ${told.length}`}>
      {objectives.length > 2 && (
        <div class="filters" role="group" aria-label="objective">
          {objectives.slice(1).map((each, at) => (
            <button key={each.metric} type="button" class="chip small" aria-pressed={second === at + 1} onClick={() => choose(at + 1)}>
              {each.metric}
            </button>
          ))}
        </div>
      )}
      <figure class="chart">
        <figcaption>
          {names[1]} <span class="soft">upwards, {objectives[second]!.higher_is_better ? "more" : "less"} is better</span>
        </figcaption>
        <svg
          class="trials surface"
          viewBox={`-72 -8 ${kWide + 84} ${kSquare + 46}`}
          role="img"
          aria-label={`${names[1]} by ${names[0]}, ${front.length} trials on the front`}
          onMouseMove={(event) => drawn.pick(nearest(event, dots))}
          onMouseLeave={() => drawn.pick(null)}
        >
          <rect class="frame" x="0" y="0" width={kWide} height={kSquare} />
          <path class="marginal" d={line.map((dot, at) => `${at ? "L" : "M"}${dot.x},${dot.y}`).join("")} />
          <Dots dots={dots} picked={drawn.picked} />
          <text x="-6" y="10" text-anchor="end">{metric(ends[1]![1])}</text>
          <text x="-6" y={kSquare} text-anchor="end">{metric(ends[1]![0])}</text>
          <text x="0" y={kSquare + 15}>{metric(ends[0]![0])}</text>
          <text x={kWide} y={kSquare + 15} text-anchor="end">{metric(ends[0]![1])}</text>
          <text x={kWide / 2} y={kSquare + 32} text-anchor="middle">
            {names[0]}, {objectives[0]!.higher_is_better ? "more" : "less"} is better
          </text>
        </svg>
      </figure>
    </Panel>
  );
}
