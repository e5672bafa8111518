// SPDX-License-Identifier: Apache-2.0
// Where the time of each rank goes, as a lane by time and as a table, and which rank is waited for.
import { useEffect, useRef, useState } from "preact/hooks";
import { runPath, useJson } from "./api";
import { useDark } from "./chart";
import { seconds } from "./format";
import { Panel, Table } from "./parts";
import type { Overview, RunEvent } from "./types";

interface Times {
  seconds: number[];
  wait: number[];
  parts: Record<string, number[]>;
}
interface Interval extends Times {
  ended: number;
  step: number;
  count: number;
}
interface Lanes {
  intervals: Interval[];
  total: Times & { held: number[] };
  slow: { rank: number; text: string } | null;
  hosts: string[];
}

// What is drawn, from the bottom of a lane up. The sum over ranks is cut in two: what waits for
// others, and the rest.
const kKinds = [
  { name: "rows", color: "--c2" },
  { name: "forward", color: "--c0" },
  { name: "backward", color: "--c3" },
  { name: "sum", color: "--c4" },
  { name: "optimizer", color: "--c5" },
  { name: "validation", color: "--good" },
  { name: "checkpoint", color: "--ink" },
  { name: "other", color: "--soft" },
  { name: "waiting", color: "--c1" },
] as const;
type Kind = (typeof kKinds)[number]["name"];

// Of a rank, the seconds of each kind.
function kindsOf(times: Times, rank: number): Record<Kind, number> {
  const part = (name: string) => times.parts[name]?.[rank] ?? 0;
  const waiting = Math.min(times.wait[rank] ?? 0, part("reduce"));
  const told = Object.keys(times.parts).reduce((sum, name) => sum + part(name), 0);
  return {
    rows: part("rows"),
    forward: part("forward"),
    backward: part("backward"),
    sum: part("reduce") - waiting,
    optimizer: part("optimizer"),
    validation: part("validation"),
    checkpoint: part("checkpoint"),
    other: Math.max(0, (times.seconds[rank] ?? 0) - told),
    waiting,
  };
}

const percent = (part: number, whole: number) => (whole > 0 ? `${Math.round((100 * part) / whole)}%` : "–");

const kMostDrawn = 64; // Lanes; the table has all.
const kLane = 26;

function draw(canvas: HTMLCanvasElement, intervals: Interval[], ranks: number): void {
  const width = canvas.clientWidth;
  const context = canvas.getContext("2d");
  if (!context || width === 0) return;
  canvas.width = width * devicePixelRatio;
  canvas.height = ranks * kLane * devicePixelRatio;
  context.scale(devicePixelRatio, devicePixelRatio);
  const style = getComputedStyle(document.documentElement);
  const colors = kKinds.map((kind) => style.getPropertyValue(kind.color).trim());
  const longest = intervals.map((each) => Math.max(...each.seconds, 0));
  const whole = longest.reduce((a, b) => a + b, 0) || 1;
  let left = 0;
  intervals.forEach((interval, at) => {
    const wide = (longest[at]! / whole) * width;
    for (let rank = 0; rank < ranks; ++rank) {
      const kinds = kindsOf(interval, rank);
      const all = Math.max(interval.seconds[rank] ?? 0, 1e-9);
      let bottom = (rank + 1) * kLane - 3;
      kKinds.forEach((kind, index) => {
        const high = (kinds[kind.name] / all) * (kLane - 6);
        context.fillStyle = colors[index]!;
        context.fillRect(left, bottom - high, wide, high);
        bottom -= high;
      });
    }
    left += wide;
  });
}

function Picture({ lanes, ranks }: { lanes: Lanes; ranks: number }) {
  const place = useRef<HTMLCanvasElement>(null);
  const dark = useDark();
  useEffect(() => {
    const canvas = place.current!;
    const again = () => draw(canvas, lanes.intervals, ranks);
    again();
    const observer = new ResizeObserver(again);
    observer.observe(canvas);
    return () => observer.disconnect();
  }, [lanes, ranks, dark]);
  return (
    <div class="lanes">
      <div>
        {[...Array(ranks).keys()].map((rank) => (
          <span key={rank} style={{ height: `${kLane}px` }}>
            rank {rank}
          </span>
        ))}
      </div>
      <canvas
        ref={place}
        style={{ height: `${ranks * kLane}px` }}
        role="img"
        aria-label={`Time of ${ranks} ranks over ${lanes.intervals.length} intervals; the table below has the sums`}
      />
    </div>
  );
}

// As they are told; null before, and of a run that has none.
export function useLanes(run: Overview, subscribe: (take: (events: RunEvent[]) => void) => () => void): Lanes | null {
  const [told, setTold] = useState(0);
  const { data } = useJson<Lanes>(runPath(run.run, "lanes"), `${told} ${run.state}`);
  useEffect(
    () => subscribe((events) => events.some((event) => event.event === "lanes") && setTold((old) => old + 1)),
    [subscribe],
  );
  return data?.intervals.length ? data : null;
}

export function LanesPanel({ lanes: data }: { lanes: Lanes }) {
  const { total } = data;
  const ranks = [...total.seconds.keys()];
  const used = kKinds.filter((kind) => ranks.some((rank) => kindsOf(total, rank)[kind.name] > 0));
  return (
    <Panel title="Time of each rank" more="shares of the time; ranks from top to bottom, time from left to right" wide>
      <Picture lanes={data} ranks={Math.min(kMostDrawn, Math.max(...data.intervals.map((each) => each.seconds.length)))} />
      <p class="legend">
        {used.map((kind) => (
          <span key={kind.name}>
            <i style={{ background: `var(${kind.color})` }} /> {kind.name}
          </span>
        ))}
      </p>
      <Table
        label="time of each rank"
        rows={ranks}
        row={(rank) => (data.slow?.rank === rank ? "chosen" : "")}
        columns={[
          { name: "rank", number: true, cell: (rank) => rank },
          { name: "host", cell: (rank) => data.hosts[rank] ?? "" },
          { name: "time", number: true, cell: (rank) => (total.seconds[rank]! > 0 ? seconds(total.seconds[rank]) : "owns no shards") },
          ...used.map((kind) => ({
            name: kind.name,
            number: true,
            cell: (rank: number) => percent(kindsOf(total, rank)[kind.name], total.seconds[rank]!),
          })),
          { name: "others wait for it", number: true, cell: (rank) => percent(total.held[rank] ?? 0, total.seconds[rank]!) },
        ]}
      />
    </Panel>
  );
}
