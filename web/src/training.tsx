// SPDX-License-Identifier: Apache-2.0
// Loss, learning rate and metrics as they come, how fast it goes, and what to do about it.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { runPath, useJson } from "./api";
import { Chart, type Line } from "./chart";
import { seconds, short } from "./format";
import { LanesPanel, useLanes } from "./lanes";
import { Empty, Panel, Waiting, Wrong } from "./parts";
import { setQuery, useRoute } from "./route";
import type { CurveData, Metrics, Overview, RunEvent } from "./types";

const kMostPoints = 4000; // Of a live curve, before it is asked for anew.
const kDrawMillis = 500;
const kNoMetrics = new Set(["event", "time", "epoch", "step", "rows", "rank", "attempt"]);
const kOfSteps = ["loss", "learning_rate", "rows_per_second", "wait_share"];

function hints(run: Overview): string[] {
  const found: string[] = [];
  const wait = run.result.wait_share ?? run.wait_share;
  if (wait > 0.2) {
    found.push(
      `${Math.round(100 * wait)}% of the time goes into the sum ${run.progress?.trees ? "over ranks" : "of gradients over ranks"}, and into waiting for the others there. ${
        run.progress?.trees
          ? "Rounds are short beside it, or the cores are shared: fewer workers make more of each round."
          : "Steps are short beside it, shards are uneven, or the cores are shared: a larger batch_size or fewer workers make more of each step."
      }`,
    );
  }
  const train = run.parts.find((part) => part.name === "train");
  const start = run.parts.find((part) => part.name === "start ranks");
  if (train && start && start.ended && train.seconds < start.seconds && run.state === "done") {
    found.push(
      `Starting the ranks took ${seconds(start.seconds)}, training ${seconds(train.seconds)}: one worker may be as fast for a job of this size.`,
    );
  }
  return found;
}

// What the server had, and the steps that came since, appended in place.
class Live {
  curves = new Map<string, CurveData>();
  stale = false;

  constructor(metrics: Metrics) {
    for (const each of metrics.series) this.curves.set(each.name, { ...each, x: [...each.x], y: [...each.y] });
  }

  add(events: RunEvent[]): void {
    for (const event of events) {
      if (event.event === "step") for (const name of kOfSteps) this.point(name, event.step, event[name]);
      if (event.event === "epoch") this.point("epoch loss", event.step, event.loss);
      if (event.event === "validation") {
        for (const [name, value] of Object.entries(event)) {
          if (!kNoMetrics.has(name)) this.point(`validation ${name}`, event.step, value);
        }
      }
      // It may go back to a checkpoint: the server knows what still counts.
      if (event.event === "restart" || event.event === "start") this.stale = true;
    }
  }

  private point(name: string, x: unknown, y: unknown): void {
    if (typeof x !== "number" || typeof y !== "number") return;
    let curve = this.curves.get(name);
    if (!curve) this.curves.set(name, (curve = { name, x: [], y: [], of: 0 }));
    const last = curve.x.at(-1);
    if (last !== undefined && last !== null && x <= last) {
      this.stale = true;
      return;
    }
    curve.x.push(x);
    curve.y.push(y);
    curve.of += 1;
    if (curve.x.length > kMostPoints) this.stale = true;
  }
}

function smoothed(values: (number | null)[], share: number): (number | null)[] {
  let mean: number | null = null;
  return values.map((value) => {
    if (value === null) return null;
    mean = mean === null ? value : share * mean + (1 - share) * value;
    return mean;
  });
}

export function TrainingScreen(props: { run: Overview; subscribe: (take: (events: RunEvent[]) => void) => () => void }) {
  const { run } = props;
  const { query } = useRoute();
  const [again, setAgain] = useState(0);
  const [beat, setBeat] = useState(0);
  const live = useRef<Live | null>(null);
  const drawing = useRef(0);
  const { data, error } = useJson<Metrics>(runPath(run.run, "metrics"), `${again} ${run.state}`);
  useMemo(() => {
    live.current = data ? new Live(data) : null;
  }, [data]);
  useEffect(
    () =>
      props.subscribe((events) => {
        live.current?.add(events);
        drawing.current ||= window.setTimeout(() => {
          drawing.current = 0;
          if (live.current?.stale) setAgain((old) => old + 1);
          else setBeat((old) => old + 1);
        }, kDrawMillis);
      }),
    [props.subscribe],
  );
  useEffect(() => {
    if (data && data.behind_bytes > 0) setAgain((old) => old + 1);
  }, [data]);
  const lanes = useLanes(run, props.subscribe);
  const smooth = Number(query.get("smooth") ?? "0");
  const log = query.get("log") === "1";
  const lines = useMemo(() => {
    const curves = [...(live.current?.curves.values() ?? [])];
    const line = (name: string, called = name): Line | null => {
      const curve = curves.find((each) => each.name === name);
      if (!curve || !curve.x.length) return null;
      return { name: called, x: curve.x, y: curve.y, dots: curve.x.length < 60 };
    };
    // A round of trees sees all rows, so it has one loss; steps are told by the clock only.
    const rounds = data?.x === "round" ? line("epoch loss", "after the round") : null;
    const loss = rounds ?? line("loss", "at the step");
    const epoch = rounds ? null : line("epoch loss", "mean of the epoch");
    const first = loss && smooth > 0 ? { ...loss, y: smoothed(loss.y, smooth), name: "smoothed" } : loss;
    return {
      loss: [first, epoch].filter((each): each is Line => each !== null),
      rate: line("learning_rate"),
      pace: line("rows_per_second", "rows per second"),
      wait: line("wait_share", "share of time"),
      metrics: curves.filter((each) => each.name.startsWith("validation ")).map((each) => line(each.name, each.name.slice(11))!),
      points: curves.find((each) => each.name === (rounds ? "epoch loss" : "loss")),
    };
  }, [data, beat, smooth, log]);
  if (!data) return error ? <Wrong error={error} /> : <Waiting />;
  if (!lines.loss.length && !lines.metrics.length) {
    return <Empty>{run.state === "running" ? `No ${data.x ?? "step"} has been taken yet: ${run.now}` : "This run has not trained."}</Empty>;
  }
  const xName = data.x ?? "step";
  const marks = data.marks.map((mark) => ({ x: mark.step, text: mark.text }));
  const told = lines.points && lines.points.of > lines.points.x.length ? `${lines.points.x.length} of ${short(lines.points.of)} points` : "";
  return (
    <>
      {error && <Wrong error={error} />}
      {lanes?.slow && <p class="hint">{lanes.slow.text}</p>}
      {hints(run).map((hint) => (
        <p key={hint} class="hint">
          {hint}
        </p>
      ))}
      <div class="filters">
        <label>
          smoothing{" "}
          <input
            type="range"
            min="0"
            max="0.99"
            step="0.01"
            value={smooth}
            onInput={(event) => setQuery("smooth", event.currentTarget.value === "0" ? "" : event.currentTarget.value)}
          />
        </label>
        <button type="button" class="chip" aria-pressed={log} onClick={() => setQuery("log", log ? "" : "1")}>
          logarithmic loss
        </button>
      </div>
      <div class="charts">
        <Panel wide>
          <Chart title="Training loss" xName={xName} lines={lines.loss} marks={marks} note={told} height={280} log={log} sync="steps" />
        </Panel>
        {lines.metrics.map((line) => (
          <Panel key={line.name}>
            <Chart title={`Validation ${line.name}`} xName={xName} lines={[line]} marks={marks} sync="steps" />
          </Panel>
        ))}
        {(["rate", "pace", "wait"] as const).map((name) => {
          const line = lines[name];
          const titles = { rate: "Learning rate", pace: "Throughput, all ranks", wait: "All-reduce and waiting, share of the time" };
          return line ? (
            <Panel key={name}>
              <Chart title={titles[name]} xName={xName} lines={[line]} sync="steps" />
            </Panel>
          ) : null;
        })}
        {lanes && <LanesPanel lanes={lanes} />}
      </div>
    </>
  );
}
