// SPDX-License-Identifier: Apache-2.0
// page.mjs PROTIUM REPOSITORY [paint] [frames] [cost] [memory]: how fast the page is in Debian's
// Chromium, and what it costs a run. Prints a line of JSON for each figure, with the machine's load
// beside it. All of them take about 20 minutes, ten of these for memory.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { Browser, sleep, until } from "../tests/page/browser.mjs";

const [, , protium, repository, ...asked] = process.argv;
const scratch = mkdtempSync(join(tmpdir(), "protium-page-bench-"));
const runs = join(scratch, "runs");
const kRounds = 5;
const kEpochs = 200;
const children = [];

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
function tell(figure, values, unit) {
  const rounded = values.map((value) => Number(value.toPrecision(4)));
  console.log(JSON.stringify({ figure, median: median(rounded), worst: Math.max(...rounded), unit, of: rounded.length, load: Number(loadavg()[0].toFixed(1)) }));
}

function makeRuns(count) {
  for (let i = 0; i < count; ++i) {
    const folder = join(runs, `old-${String(i).padStart(4, "0")}`);
    mkdirSync(folder, { recursive: true });
    const started = new Date(Date.UTC(2020, 0, 1) + i * 60_000).toISOString();
    writeFileSync(join(folder, "run.json"), JSON.stringify({ name: "old", state: "done", pid: 1, started, ended: started, argv: ["protium"] }));
    writeFileSync(join(folder, "result.json"), JSON.stringify({ metrics: { test: { rmse: i / 7, rows: 9 } }, seconds: { total: i } }));
  }
}

// A job of a fixed number of steps; gives its own CPU seconds, workers included, at its end.
function startJob(epochs) {
  const line = `"$0" run flights.toml --runs-dir runs --set train.epochs=${epochs} 2>/dev/null; echo "exit $?"; times`;
  const child = spawn("bash", ["-c", line, protium], { cwd: scratch, stdio: ["ignore", "pipe", "ignore"] });
  children.push(child);
  let text = "";
  child.stdout.on("data", (data) => (text += data));
  child.seconds = new Promise((done) => child.once("exit", () => {
    assert.match(text, /exit 0/);
    const spent = [...text.trim().split("\n").at(-1).matchAll(/(\d+)m([\d.]+)s/g)];
    done(spent.reduce((sum, [, minutes, seconds]) => sum + 60 * minutes + Number(seconds), 0));
  }));
  return child;
}

const known = new Set();
async function newRun() {
  const name = await until("the run begins", () => readdirSync(runs).find((each) => each.startsWith("flights-") && !known.has(each)), 30_000);
  known.add(name);
  return name;
}

async function firstPaints(browser, address) {
  const list = [];
  for (let i = 0; i < kRounds; ++i) {
    const tab = await browser.tab();
    await tab.open(address);
    await tab.shows("old-0999");
    list.push(await until("it is painted", () => tab.run("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")));
    await browser.close(tab);
  }
  tell("first paint with 1,000 runs", list, "ms");
}

// What holds up the page's thread, and the gaps between frames, while a run goes on.
const kWatch = `(() => {
  window.seen = { tasks: [], frames: [] };
  new PerformanceObserver((list) => list.getEntries().forEach((each) => seen.tasks.push(each.duration))).observe({ entryTypes: ["longtask"] });
  let before = performance.now();
  const frame = (now) => { seen.frames.push(now - before); before = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
})()`;

async function frames(browser, address) {
  const job = startJob(kEpochs);
  const run = await newRun();
  const tab = await browser.tab();
  await tab.open(`${address}runs/${run}/training`);
  await tab.shows("Training loss", 60_000);
  await sleep(1000);
  await tab.run(kWatch);
  await job.seconds;
  const seen = await tab.run("seen");
  const sorted = seen.frames.slice(2).sort((a, b) => a - b);
  tell("longest task of the page's thread while a run updates it (0: none of 50 ms or more)", [Math.max(0, ...seen.tasks)], "ms");
  tell(`gap between frames, the longest of ${sorted.length}`, [sorted.at(-1)], "ms");
  tell("gap between frames, 99th of 100", [sorted[Math.floor(sorted.length * 0.99)]], "ms");
  await browser.close(tab);
}

const ticks = Number(execFileSync("getconf", ["CLK_TCK"]));
function cpuOf(pid) {
  const words = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(words[11]) + Number(words[12])) / ticks;
}

// In turn, since the machine may do other things, too.
async function cost(browser, address, server) {
  const alone = [], watched = [], served = [];
  for (let i = 0; i < kRounds; ++i) {
    const job = startJob(kEpochs);
    await newRun();
    alone.push(await job.seconds);
    const before = cpuOf(server.pid);
    const other = startJob(kEpochs);
    const run = await newRun();
    const tabs = [];
    for (let k = 0; k < 8; ++k) {
      tabs.push(await browser.tab());
      await tabs.at(-1).open(`${address}runs/${run}`);
    }
    watched.push(await other.seconds);
    served.push(cpuOf(server.pid) - before);
    for (const tab of tabs) await browser.close(tab);
  }
  tell("CPU of a run, no page open", alone, "s");
  tell("CPU of a run, 8 tabs open", watched, "s");
  tell("rise with 8 tabs", [100 * (median(watched) / median(alone) - 1)], "%");
  tell("CPU of protium ui meanwhile", served, "s");
}

// What the page's script holds after each minute, once what it has dropped is gone.
async function memory(browser, address) {
  const kMinutes = 10;
  const job = spawn(protium, ["run", "flights.toml", "--runs-dir", runs, "--set", "train.epochs=1000000"], { cwd: scratch, stdio: "ignore" });
  children.push(job);
  const tab = await browser.tab();
  await tab.open(`${address}runs/${await newRun()}/training`);
  await tab.shows("Training loss", 60_000);
  const held = [];
  for (let i = 0; i <= kMinutes; ++i) {
    if (i > 0) await sleep(60_000);
    await tab.send("HeapProfiler.collectGarbage");
    held.push((await tab.send("Runtime.getHeapUsage")).usedSize / 1e6);
  }
  assert.equal(job.exitCode, null, "the run went on");
  job.kill("SIGKILL");
  tell("memory of the page's script at first", [held[0]], "MB");
  tell("memory of the page's script, each minute of ten", held.slice(1), "MB");
  tell("memory of the page's script after ten minutes", [held.at(-1)], "MB");
  await browser.close(tab);
}

let browser;
try {
  execFileSync(protium, ["example", "flights", "data", "--rows", "20000", "--seed", "7"], { cwd: scratch, stdio: "ignore" });
  cpSync(join(repository, "examples/flights/flights.toml"), join(scratch, "flights.toml"));
  makeRuns(1000);
  const server = spawn(protium, ["ui", runs], { stdio: ["ignore", "pipe", "ignore"] });
  children.push(server);
  let told = "";
  server.stdout.on("data", (data) => (told += data));
  const [address] = await until("the address is printed", () => /http:\S+/.exec(told));
  browser = await Browser.start();
  for (const [name, measure] of Object.entries({ paint: firstPaints, frames, cost, memory })) {
    if (!asked.length || asked.includes(name)) await measure(browser, address, server);
  }
} finally {
  await browser?.end();
  for (const child of children) child.kill("SIGKILL");
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
}
