// SPDX-License-Identifier: Apache-2.0
// side_by_side.mjs PROTIUM REPOSITORY [PICTURES]: one run on Spark on three pages: ours, Spark's own,
// to which ours links, and TensorBoard's. With a folder it takes the pictures of docs into it, made
// small by pngquant where that is installed. Exits with 77 where Chromium, Spark or TensorBoard are
// not there.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser, findChromium, sleep, until } from "./browser.mjs";

const [, , protium, repository, pictures] = process.argv;
const tensorboard = join(repository, ".deps/peers/bin/tensorboard");
const missing = [
  [!findChromium(), "Chromium (apt-get install chromium)"],
  [!existsSync(join(repository, ".deps/spark/4.2.1")), "Spark (scripts/spark-server fetch --version 4.2)"],
  [!existsSync(tensorboard), "TensorBoard (bench/peers/setup.sh)"],
].filter(([none]) => none);
if (missing.length) {
  console.log(`skipped: there is no ${missing.map(([, what]) => what).join(", no ")}`);
  process.exit(77);
}
const scratch = mkdtempSync(join(tmpdir(), "protium-side-"));
const runs = join(scratch, "runs");
const children = [];
const began = Date.now();

function start(program, words) {
  const child = spawn(program, words, { cwd: scratch, stdio: ["ignore", "pipe", "pipe"] });
  child.told = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (child.told += data));
  child.ended = new Promise((done) => child.once("exit", done));
  children.push(child);
  return child;
}

async function toEnd(program, words) {
  const child = start(program, words);
  assert.equal(await child.ended, 0, `${words.join(" ")}:\n${child.told}`);
}

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

async function json(address) {
  const answer = await fetch(address);
  assert.equal(answer.status, 200, address);
  return answer.json();
}

async function take(tab, name) {
  if (!pictures) return;
  const file = join(pictures, `${name}.png`);
  await tab.picture(file);
  if (existsSync("/usr/bin/pngquant")) execFileSync("/usr/bin/pngquant", ["--force", "--speed", "1", "--output", file, "48", file]);
}

cpSync(join(repository, "examples/flights/flights.toml"), join(scratch, "flights.toml"));
const runFlights = (...more) => toEnd(protium, ["run", "flights.toml", "--runs-dir", "runs", ...more]);

// The picture of README.md and docs/page.md: a run on this machine.
async function takePage(tab, address, known) {
  await runFlights();
  const run = readdirSync(runs).find((name) => name.startsWith("flights-") && name !== known);
  await tab.size(1200, 850);
  await tab.open(`${address}runs/${run}`);
  await tab.shows("Metrics");
  await take(tab, "page");
}

// The operators of reads and of writes, each with links to what Spark's own page has of them.
async function checkOurs(tab, address, run) {
  const { plans } = await json(`${address}api/v1/runs/${run}/operators`);
  const written = plans.filter((plan) => plan.operators[0]?.name.startsWith("Execute Insert"));
  assert.ok(written.length > 0, JSON.stringify(plans.map((plan) => plan.operators[0])));
  const read = plans.filter((plan) => !written.includes(plan));
  assert.ok(read.length > 0);
  for (const plan of plans) {
    for (const word of ["SQL execution", "job", "stage", "session"]) {
      assert.ok(plan.links.some((link) => link.text.startsWith(word)), `${plan.name} has no link to a ${word}`);
    }
    for (const { href } of plan.links) assert.equal((await fetch(href)).status, 200, href);
  }
  const result = JSON.parse(readFileSync(join(runs, run, "result.json"), "utf8"));
  const kept = written.find((plan) => plan.operators[0].rows > result.rows);
  assert.ok(kept, "the table to learn from was written");
  await tab.open(`${address}runs/${run}/plan`);
  await tab.shows(`Operators of the engine: ${kept.name}`);
  await tab.shows("On Spark's own page:");
  await tab.run("[...document.querySelectorAll('h2')].find((each) => each.innerText.startsWith('What the engine ran')).scrollIntoView()");
  await take(tab, "side-plan");
  await tab.open(`${address}runs/${run}/executors`);
  await tab.shows("Spark's executors");
  await tab.open(`${address}runs/${run}`);
  await tab.shows("Metrics");
  await take(tab, "side-ours");
  return kept;
}

async function checkSparks(tab, kept) {
  const { href } = kept.links.find((link) => link.text.startsWith("SQL execution"));
  await tab.open(href);
  await until("Spark's page has the write", async () => (await tab.run("document.body?.textContent ?? ''")).includes("Execute InsertIntoHadoopFsRelationCommand"));
  await tab.open(`${new URL(href).origin}/jobs/`);
  await tab.shows("Completed Jobs (");
  await until("its jobs are listed", () => tab.run("[...document.querySelectorAll('table')].some((each) => each.offsetHeight > 200)"));
  if (pictures) await sleep(1000); // It folds its time line away when all is loaded.
  await take(tab, "side-spark");
}

async function checkTensorBoard(tab, run) {
  await toEnd(protium, ["export", run, "--runs-dir", runs, "--to", "tensorboard"]);
  const port = await freePort();
  const server = start(tensorboard, ["--logdir", "tensorboard", "--port", String(port), "--host", "127.0.0.1", "--load_fast=false"]);
  const address = `http://127.0.0.1:${port}/`;
  const tags = await until("TensorBoard has the run", async () => {
    if (server.exitCode !== null) throw new Error(server.told);
    const answer = await fetch(`${address}data/plugin/scalars/tags`).catch(() => null);
    return answer?.ok && Object.values(await answer.json())[0];
  }, 60_000);
  assert.ok(tags["epoch/loss"] && tags["test/rmse"], JSON.stringify(tags));
  await tab.open(`${address}#timeseries`);
  await until("TensorBoard draws", () => tab.run("document.querySelectorAll('svg path, canvas').length > 3"), 60_000);
  if (pictures) await sleep(8000); // Its curves come one by one; nothing tells when all are there.
  await take(tab, "side-tensorboard");
}

let browser;
let spark;
let failed = 1;
const server = join(repository, "scripts/spark-server");
try {
  spark = execFileSync(server, ["start", "--version", "4.2.1", "--master", "local[2]", "--conf", "spark.ui.enabled=true", "--owner", String(process.pid), "--brief"], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
  await toEnd(protium, ["example", "flights", "data", "--rows", "20000", "--seed", "7"]);
  await runFlights("--engine", spark);
  const [run] = readdirSync(runs).filter((name) => name.startsWith("flights-"));
  const ui = start(protium, ["ui", runs]);
  const [address] = await until("the address is printed", () => /http:\S+/.exec(ui.told));
  browser = await Browser.start();
  const tab = await browser.tab();
  await tab.size(1000, 640);
  await tab.send("Emulation.setScrollbarsHidden", { hidden: true });
  const kept = await checkOurs(tab, address, run);
  assert.deepEqual(tab.wrong, []);
  await checkSparks(tab, kept);
  await checkTensorBoard(tab, run);
  if (pictures) await takePage(tab, address, run);
  failed = 0;
} catch (error) {
  console.log(`FAILED  ${error.stack}`);
} finally {
  await browser?.end();
  for (const child of children) child.kill("SIGKILL");
  if (spark) execFileSync(server, ["stop", spark], { stdio: "ignore" });
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`${3 - 3 * failed} passed, ${failed} failed, in ${((Date.now() - began) / 1000).toFixed(0)} s`);
process.exit(failed);
