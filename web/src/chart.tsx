// SPDX-License-Identifier: Apache-2.0
// Line charts: the one place that knows uPlot.
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { metric, short } from "./format";

export interface Line {
  name: string;
  x: (number | null)[];
  y: (number | null)[];
  dots?: boolean | "only"; // Only: without a line.
}

export interface Mark {
  x: number;
  text: string;
}

interface Props {
  title: string;
  xName: string;
  lines: Line[];
  marks?: Mark[];
  note?: string;
  height?: number;
  log?: boolean;
  sync?: string;
  range?: [number, number]; // Of y; unless set, that of the lines.
}

export const kColors = 6;

function colorOf(index: number): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--c${index % kColors}`).trim();
}

function variable(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function dataOf(lines: Line[]): uPlot.AlignedData {
  const tables = lines.map((line) => [line.x, line.y] as unknown as uPlot.AlignedData);
  return tables.length === 1 ? tables[0]! : uPlot.join(tables);
}

function marksOf(marks: () => Mark[]): uPlot.Plugin {
  const draw = (plot: uPlot) => {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = variable("--soft");
    ctx.setLineDash([4, 4]);
    ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
    for (const mark of marks()) {
      const x = Math.round(plot.valToPos(mark.x, "x", true));
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      const right = x > bbox.left + bbox.width * 0.7;
      ctx.textAlign = right ? "right" : "left";
      ctx.fillText(mark.text, x + (right ? -5 : 5) * devicePixelRatio, bbox.top + 12 * devicePixelRatio);
    }
    ctx.restore();
  };
  return { hooks: { draw } };
}

// Steps, rounds and trials have nothing between them.
const kWhole = [1, 2, 5].flatMap((each) => [...Array(12).keys()].map((power) => each * 10 ** power)).sort((a, b) => a - b);

function isWhole(lines: Line[]): boolean {
  return lines.every((line) => line.x.every((each) => each === null || Number.isInteger(each)));
}

function optionsOf(props: Props, width: number, marks: () => Mark[]): uPlot.Options {
  const axis = {
    stroke: variable("--soft"),
    grid: { stroke: variable("--rule"), width: 1 },
    ticks: { show: false },
    font: "12px system-ui, sans-serif",
  };
  return {
    width,
    height: props.height ?? 220,
    cursor: { y: false, ...(props.sync ? { sync: { key: props.sync } } : {}) },
    scales: { x: { time: false }, y: props.log ? { distr: 3 } : props.range ? { range: props.range } : {} },
    axes: [
      { ...axis, values: (_, splits) => splits.map((each) => short(each)), size: 30, ...(isWhole(props.lines) ? { incrs: kWhole } : {}) },
      { ...axis, values: (_, splits) => splits.map((each) => (each === null ? "" : short(each))), size: 58 },
    ],
    legend: { live: true },
    padding: [8, 22, 0, 0],
    plugins: [marksOf(marks)],
    series: [
      { label: props.xName, value: (_, value) => (value === null ? "" : short(value)) },
      ...props.lines.map((line, at) => ({
        label: line.name,
        stroke: colorOf(at),
        width: line.dots === "only" ? 0 : 1.5,
        spanGaps: true,
        points: { show: Boolean(line.dots), size: 5, ...(line.dots === "only" ? { width: 1, stroke: colorOf(at) } : {}) },
        value: (_: uPlot, value: number | null) => (value === null ? "–" : metric(value)),
      })),
    ],
  };
}

// What a chart says to somebody who does not see it.
function inWords(props: Props): string {
  const each = props.lines.map((line) => {
    const values = line.y.filter((value): value is number => value !== null);
    if (!values.length) return `${line.name}: no values`;
    const low = values.reduce((a, b) => Math.min(a, b));
    return `${line.name}: first ${metric(values[0])}, least ${metric(low)}, last ${metric(values.at(-1))}`;
  });
  return `${props.title} by ${props.xName}. ${each.join("; ")}`;
}

export function useDark(): boolean {
  const media = matchMedia("(prefers-color-scheme: dark)");
  const [dark, setDark] = useState(media.matches);
  useEffect(() => {
    const change = () => setDark(media.matches);
    media.addEventListener("change", change);
    return () => media.removeEventListener("change", change);
  }, []);
  return dark;
}

export function Chart(props: Props) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const marks = useRef<Mark[]>([]);
  const dark = useDark();
  marks.current = props.marks ?? [];
  const shape = `${props.lines.map((line) => `${line.name}${line.dots ?? ""}`).join("|")} ${props.log} ${props.range} ${dark}`;
  useEffect(() => {
    const element = place.current!;
    const options = optionsOf(props, element.clientWidth || 300, () => marks.current);
    const made = new uPlot(options, dataOf(props.lines), element);
    plot.current = made;
    const observer = new ResizeObserver(() => {
      const width = element.clientWidth;
      if (width > 0 && width !== made.width) made.setSize({ width, height: options.height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape]);
  useEffect(() => {
    plot.current?.setData(dataOf(props.lines));
  }, [props.lines]);
  return (
    <figure class="chart">
      <figcaption>
        {props.title} {props.note && <span class="soft">{props.note}</span>}
      </figcaption>
      <div ref={place} role="img" aria-label={inWords(props)} />
    </figure>
  );
}
