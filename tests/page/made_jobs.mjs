// SPDX-License-Identifier: Apache-2.0
// Jobs over a made table, and folders as searches leave them, for page_test.mjs.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export function writeShops(folder) {
  const rows = [...Array(2000).keys()].map((i) => `${i},${["north", "south", "east"][i % 3]},${(i * 37) % 101},${(i * 53) % 211},${((i * 37) % 101) * (i % 3) + (((i * 53) % 211) > 100 ? 40 : 0)}`);
  writeFileSync(join(folder, "shops.csv"), `id,shop,age,area,sales\n${rows.join("\n")}\n`);
}

export const kForestJob = `name = "grown"
[tables]
shops = { csv = "shops.csv" }
[etl]
sql = "SELECT * FROM shops"
[split]
by = ["id"]
[[pipeline]]
kind = "string_indexer"
id = "index"
inputs = ["shop"]
[[pipeline]]
kind = "tree_estimator"
categorical = [{ stage = "index" }]
numeric = ["age", "area"]
label = "sales"
trees = { rounds = 30, leaves = 31 }
[train]
validation = { share = 0.2, by = ["id"] }
`;

// A job of few rows whose trials are over in tenths of a second.
export const kSearchJob = `name = "sought"
[tables]
shops = { csv = "shops.csv" }
[etl]
sql = "SELECT * FROM shops"
[[pipeline]]
kind = "string_indexer"
id = "index"
inputs = ["shop"]
[[pipeline]]
kind = "tree_estimator"
categorical = [{ stage = "index" }]
numeric = ["age", "area"]
label = "sales"
trees = { rounds = 27 }
[train]
validation = { share = 0.2, by = ["id"] }
[search]
method = "tpe"
prune = "asha"
trials = 24
[search.space]
"trees.leaves" = { log_int_uniform = [2, 64] }
"trees.learning_rate" = { log_uniform = [0.005, 0.5] }
"trees.rows" = [0.5, 1]
`;

// As src/learning/search leaves it, with two metrics of which none decides alone.
export function makeSearch(folder, count) {
  mkdirSync(join(folder, "trials"), { recursive: true });
  const started = new Date().toISOString();
  writeFileSync(join(folder, "run.json"), JSON.stringify({ name: "made", state: "done", pid: 1, started, ended: started, argv: ["protium"] }));
  const space = { lr: { log_uniform: [1e-4, 0.1] }, layers: { int_uniform: [1, 5] }, kind: ["a", "b", [64, 32]], dropout: { uniform: [0, 0.5] } };
  writeFileSync(join(folder, "trials", "search.json"), JSON.stringify({ space }));
  let state = 7;
  const draw = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const trials = [...Array(count).keys()].map((at) => {
    const values = { lr: 10 ** (-4 + 3 * draw()), layers: 1 + Math.floor(5 * draw()), kind: space.kind[Math.floor(3 * draw())], dropout: draw() / 2 };
    const rmse = Math.abs(Math.log10(values.lr) + 2) + values.layers / 20 + draw() / 10;
    const state = at % 10 === 3 ? "failed" : "done";
    return { trial: at + 1, values, state, value: state === "done" ? rmse : null, folds: [], seconds: 1, error: "", measured: state === "done" ? { rmse, latency_us: values.layers * 10 + draw() } : null };
  });
  const done = trials.filter((each) => each.state === "done");
  const better = (a, b) => a.measured.rmse <= b.measured.rmse && a.measured.latency_us <= b.measured.latency_us && a !== b;
  const front = done.filter((each) => !done.some((other) => better(other, each))).map((each) => each.trial);
  writeFileSync(join(folder, "trials.json"), JSON.stringify({ metric: "rmse", higher_is_better: false, objectives: ["rmse", "latency_us"], front, best: front[0], trials }));
  return front;
}
