// SPDX-License-Identifier: Apache-2.0
// One tree, drawn from left to right: at each split "yes" is the upper way. Splits are buttons that
// hide and show what is below; the same tree stands below the picture as text.
import { useEffect, useState } from "preact/hooks";
import { report, runPath, useJson } from "./api";
import { grouped, plain } from "./format";
import { Panel, Wrong } from "./parts";
import { setQuery, useRoute } from "./route";
import type { Overview } from "./types";

interface Node {
  value: number | string;
  cover: number;
  column?: string;
  gain?: number;
  missing?: "left" | "right";
  threshold?: number | string;
  named?: "left" | "right";
  categories?: string[];
  category_count?: number;
  left?: number;
  below?: number;
}
interface Tree {
  tree: number;
  round: number;
  output: number;
  leaves: number;
  depth: number;
  nodes: Node[];
}

const kWide = 178; // Of a box.
const kHigh = 40;
const kAside = 254; // From depth to depth.
const kDown = 47;
const kFirstDepth = 4; // That many splits on each way are shown at first.

// What stands behind the column's name. Of categories the first `most` are named.
function limitOf(node: Node, most: number): string {
  if (!node.named) return `≤ ${plain(node.threshold)}`;
  const names = (node.categories ?? []).slice(0, most).map((each) => each || "(empty)");
  const more = (node.category_count ?? names.length) - names.length;
  return `is ${names.join(", ") || "none"}${more > 0 ? ` or ${grouped(more)} more` : ""}`;
}

const conditionOf = (node: Node) => `${node.column} ${limitOf(node, 12)}`;

// The child where the condition holds, and the other one.
function childrenOf(node: Node): [number, number] | null {
  if (node.left === undefined) return null;
  return node.named === "right" ? [node.left + 1, node.left] : [node.left, node.left + 1];
}

function wordsOf(node: Node, holds: boolean): string {
  const missing = (node.missing === (node.named ?? "left")) === holds;
  return `${holds ? "yes" : "no"}${missing ? ", missing" : ""}`;
}

const leavesOf = (count: number) => `${grouped(count)} ${count === 1 ? "leaf" : "leaves"}`;
const coverOf = ({ cover }: Node) => `cover ${cover >= 100 ? grouped(Math.round(cover)) : plain(cover, 3)}`;
const added = (node: Node) => `${Number(node.value) > 0 ? "+" : ""}${plain(node.value, 4)}`;

interface Placed {
  at: number;
  node: Node;
  x: number;
  y: number;
  open: boolean;
  way: string; // From its parent.
  from: Placed | null;
}

// Those to be drawn, parents first. The lowest ones of each way share the height.
function place(tree: Tree, isOpen: (at: number, depth: number) => boolean): { all: Placed[]; wide: number; high: number } {
  const all: Placed[] = [];
  let rows = 0;
  let deepest = 0;
  const add = (at: number, depth: number, way: string, from: Placed | null): number => {
    const node = tree.nodes[at]!;
    const children = childrenOf(node);
    const open = children !== null && isOpen(at, depth);
    const placed: Placed = { at, node, x: depth * kAside, y: 0, open, way, from };
    all.push(placed);
    deepest = Math.max(deepest, depth);
    placed.y = open ? (add(children[0], depth + 1, wordsOf(node, true), placed) + add(children[1], depth + 1, wordsOf(node, false), placed)) / 2 : rows++ * kDown;
    return placed.y;
  };
  add(0, 0, "", null);
  return { all, wide: deepest * kAside + kWide, high: (rows - 1) * kDown + kHigh };
}

function Edge({ placed, all }: { placed: Placed; all: number }) {
  const { from } = placed;
  if (!from) return null;
  const [x0, y0, x1, y1] = [from.x + kWide, from.y + kHigh / 2, placed.x, placed.y + kHigh / 2];
  const middle = x0 + 16;
  return (
    <>
      <path class="edge" d={`M${x0},${y0}C${middle},${y0} ${middle - 8},${y1} ${middle + 10},${y1}H${x1}`} style={{ strokeWidth: 1 + (6 * placed.node.cover) / Math.max(1e-12, all) }} />
      <text class="way" x={x1 - 6} y={y1 - 6} text-anchor="end">
        {placed.way}
      </text>
    </>
  );
}

// `most` is the size of the largest value below; a leaf is the fuller, the nearer it comes.
function Box({ placed, most, toggle }: { placed: Placed; most: number; toggle: () => void }) {
  const { node, way } = placed;
  const leaf = node.column === undefined;
  const before = way ? `${way}: ` : "";
  const cover = coverOf(node);
  if (leaf) {
    return (
      <g class="leaf" transform={`translate(${placed.x},${placed.y})`} role="img" aria-label={`${before}adds ${added(node)}, ${cover}`}>
        <rect class={Number(node.value) < 0 ? "less" : "more"} width={kWide / 2} height={kHigh} rx="6" style={{ fillOpacity: 0.08 + (0.42 * Math.abs(Number(node.value))) / most }} />
        <foreignObject width={kWide / 2} height={kHigh}>
          <div class="box">
            <b>{added(node)}</b>
            <div>{cover}</div>
          </div>
        </foreignObject>
      </g>
    );
  }
  const leaves = placed.open ? "" : node.below ? `, ${leavesOf(node.below)} below` : ", more below";
  const facts = `gain ${plain(node.gain, 4)}, ${cover}`;
  const words = `${before}${conditionOf(node)}? ${facts}${leaves}`;
  // In SVG the attribute has small letters.
  const act = node.left === undefined ? {} : ({ role: "button", tabindex: 0, "aria-expanded": placed.open, onClick: toggle } as const);
  return (
    <g
      class={placed.open ? "split" : "split closed"}
      transform={`translate(${placed.x},${placed.y})`}
      aria-label={words}
      {...act}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        toggle();
      }}
    >
      <title>{words}</title>
      <rect width={kWide} height={kHigh} rx="6" />
      <foreignObject width={kWide} height={kHigh}>
        <div class="box">
          <div>
            <b class={node.named ? "name whole" : "name"}>{node.column}</b> <b class={node.named ? "rest" : ""}>{limitOf(node, 3)}</b>
          </div>
          <div>
            <span class="rest">{placed.open ? facts : `mean ${added(node)}${leaves}`}</span>
          </div>
        </div>
      </foreignObject>
    </g>
  );
}

function linesOf(tree: Tree, at = 0, depth = 0, way = ""): string[] {
  const node = tree.nodes[at]!;
  const before = `${"  ".repeat(depth)}${way ? `${way}: ` : ""}`;
  if (node.column === undefined) return [`${before}${added(node)} (${coverOf(node)})`];
  const line = `${before}${conditionOf(node)}? (gain ${plain(node.gain, 4)}, ${coverOf(node)})`;
  const children = childrenOf(node);
  if (!children) return [`${line} and ${leavesOf(node.below ?? 0)} below`];
  return [line, ...children.flatMap((child, which) => linesOf(tree, child, depth + 1, wordsOf(node, which === 0)))];
}

function Drawing({ tree }: { tree: Tree }) {
  const [depth, setDepth] = useState(kFirstDepth);
  const [toggled, setToggled] = useState<Map<number, boolean>>(new Map());
  const show = (levels: number) => {
    setDepth(levels);
    setToggled(new Map());
  };
  useEffect(() => show(kFirstDepth), [tree]);
  const { all, wide, high } = place(tree, (at, level) => toggled.get(at) ?? level < depth);
  const most = Math.max(1e-12, ...tree.nodes.map((node) => Math.abs(Number(node.value))));
  const few = Math.min(kFirstDepth, tree.depth);
  return (
    <>
      {tree.depth > few && (
        <div class="filters" role="group" aria-label="how much of the tree is shown">
          <button type="button" class="chip" aria-pressed={depth === few && !toggled.size} onClick={() => show(few)}>
            {few} splits deep
          </button>
          <button type="button" class="chip" aria-pressed={depth >= tree.depth && !toggled.size} onClick={() => show(tree.depth)}>
            all {tree.depth}
          </button>
          <span class="soft">a click, or Enter, on a split hides and shows what is below</span>
        </div>
      )}
      <div class="scroll tree" tabIndex={0} role="region" aria-label={`tree ${tree.tree + 1}, drawn`}>
        <svg width={wide + 8} height={high + 8} viewBox={`-4 -4 ${wide + 8} ${high + 8}`} role="group" aria-label={`tree ${tree.tree + 1}: ${leavesOf(tree.leaves)}`}>
          {all.map((placed) => (
            <Edge key={`to ${placed.at}`} placed={placed} all={tree.nodes[0]!.cover} />
          ))}
          {all.map((placed) => (
            <Box key={placed.at} placed={placed} most={most} toggle={() => setToggled(new Map(toggled).set(placed.at, !placed.open))} />
          ))}
        </svg>
      </div>
      <details>
        <summary>the same as text</summary>
        <pre class="rules" tabIndex={0}>{linesOf(tree).join("\n")}</pre>
      </details>
    </>
  );
}

function Chooser({ chosen, trees }: { chosen: number; trees: number }) {
  const choose = (tree: number) => setQuery("tree", tree > 1 ? String(Math.min(tree, trees)) : "");
  return (
    <div class="filters">
      <label>
        tree{" "}
        <input
          type="number"
          min="1"
          max={trees}
          value={chosen}
          onChange={(event) => choose(Math.round(Number(event.currentTarget.value)) || 1)}
        />{" "}
        of {grouped(trees)}
      </label>
      <button type="button" disabled={chosen <= 1} onClick={() => choose(chosen - 1)}>
        previous
      </button>
      <button type="button" disabled={chosen >= trees} onClick={() => choose(chosen + 1)}>
        next
      </button>
    </div>
  );
}

export function TreePanel({ run, trees, outputs }: { run: Overview; trees: number; outputs: string[] }) {
  const { query } = useRoute();
  const chosen = report ? 1 : Math.min(Math.max(1, Math.floor(Number(query.get("tree") ?? "1")) || 1), trees);
  const { data, error } = useJson<Tree>(runPath(run.run, `forest/${chosen - 1}`), run.state);
  const [tree, setTree] = useState<Tree | null>(null);
  // The old one stays until the new one is there.
  useEffect(() => {
    if (data?.nodes?.length) setTree(data);
  }, [data]);
  const more = tree ? `round ${grouped(tree.round)}: adds to ${outputs[tree.output] ?? ""}` : undefined;
  return (
    <Panel title={report ? `The first of ${grouped(trees)} trees` : "A tree"} more={more} wide>
      {!report && trees > 1 && <Chooser chosen={chosen} trees={trees} />}
      {error && <Wrong error={error} />}
      {tree && <Drawing tree={tree} />}
      <p class="soft">
        The wider a line, the more rows went there in training. Leaves add their value to the prediction, in the units that are named above. Gain: by how much a
        split lowers the loss; cover: the rows, each with its weight in the loss (the hessian).{report && trees > 1 && " The other trees are shown by protium ui."}
      </p>
    </Panel>
  );
}
