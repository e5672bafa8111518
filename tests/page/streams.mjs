// SPDX-License-Identifier: Apache-2.0
// A stream without a model, from its first batch to its death, as the page shows it.
import assert from "node:assert/strict";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./browser.mjs";

// `start` runs the command in `scratch`, whose folder streams/ the page at `address` shows.
export async function seeStream({ browser, address, scratch, start, pictures }) {
  const tab = await browser.tab();
  await tab.open(`${address}streams`);
  await tab.shows("No streams in");
  const into = join(scratch, "in");
  mkdirSync(into);
  writeFileSync(join(scratch, "live.toml"), [
    'name = "live"',
    "[stream]",
    'source = { folder = "in", pattern = "*.csv" }',
    'sink = { folder = "out", format = "jsonl" }',
    'columns = { id = "int64", note = "string" }',
    "[etl]",
    'sql = "SELECT id * 2 AS twice FROM events"',
  ].join("\n"));
  const put = (name, lines) => {
    writeFileSync(join(into, `.${name}`), `id,note\n${lines.join("\n")}\n`);
    renameSync(join(into, `.${name}`), join(into, name));
  };
  put("a.csv", ["1,a", '<img src=x onerror="window.hostile=1">,b', "3,c"]);
  const stream = start(["stream", "live.toml"]);
  await until("the stream is listed", async () => (await tab.text()).includes("1 stream in"), 30_000);
  await tab.run(`document.querySelector('a[href="/streams/live"]').click()`);
  await tab.shows("2 rows in 1 batch");
  await tab.shows("a.csv, line 3");
  await tab.shows("<img src=x onerror");
  await tab.shows("running");
  if (pictures) await tab.picture(join(pictures, "stream.png"));
  put("b.csv", ["4,d"]);
  await until("the next batch is seen", async () => (await tab.text()).includes("3 rows in 2 batches"));
  stream.kill("SIGKILL");
  await stream.ended;
  await until("its end is seen", async () => (await tab.text()).includes("cut off"));
  await tab.open(`${address}streams/nothing`);
  await tab.shows('there is no stream "nothing"');
  assert.equal(await tab.run("window.hostile ?? 0"), 0);
}
