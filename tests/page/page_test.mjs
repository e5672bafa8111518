// SPDX-License-Identifier: Apache-2.0
// page_test.mjs PROTIUM REPOSITORY [PICTURES]: the page in a real browser, over a real run from its
// first byte to its end. Exits with 77 where there is no Chromium.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser, findChromium, sleep, until } from "./browser.mjs";
import { kForestJob, kSearchJob, makeSearch, writeShops } from "./made_jobs.mjs";
import { seeStream } from "./streams.mjs";

const [, , protium, repository, pictures] = process.argv;
if (!findChromium()) {
  console.log("skipped: there is no Chromium (apt-get install chromium)");
  process.exit(77);
}
const scratch = mkdtempSync(join(tmpdir(), "protium-page-"));
const runs = join(scratch, "runs");
// Of the test alone; none runs at first.
process.env.PROTIUM_POOL = join(scratch, "own", "pool.sock");
const children = [];

function start(words, out = "ignore") {
  const child = spawn(protium, words, { cwd: scratch, stdio: ["ignore", out, "pipe"] });
  child.errors = "";
  child.stderr.on("data", (data) => (child.errors += data));
  child.ended = new Promise((done) => child.once("exit", done));
  children.push(child);
  return child;
}

async function runToEnd(words) {
  const child = start(words);
  const code = await child.ended;
  if (code !== 0) throw new Error(`protium ${words.join(" ")} exited with ${code}: ${child.errors}`);
}

async function serve(port, ...more) {
  const child = start(["ui", runs, ...(port ? ["--port", String(port)] : []), ...more], "pipe");
  let text = "";
  child.stdout.on("data", (data) => (text += data));
  await until("the address is printed", () => text.includes("\n"));
  child.address = text.split("\n")[0];
  child.told = () => text;
  assert.match(child.address, /^http:\/\/127\.0\.0\.1:\d+\/$/);
  return child;
}

const resultOf = (run) => JSON.parse(readFileSync(join(runs, run, "result.json"), "utf8"));
const began = Date.now();
const tests = [];
const test = (name, run) => tests.push({ name, run });

// The job of the examples. With many epochs it goes on until it is stopped, however fast the machine.
function startJob(epochs, ...more) {
  const job = join(scratch, "flights.toml");
  cpSync(join(repository, "examples/flights/flights.toml"), job);
  return start(["run", job, "--runs-dir", runs, "--set", `train.epochs=${epochs}`, "--set", "train.shards=2", ...more]);
}

async function newRun() {
  const known = new Set(readdirSync(runs));
  const fresh = (name) => name.startsWith("flights-") && !known.has(name);
  return () => until("the run begins", () => readdirSync(runs).find(fresh));
}

// Folders as runs leave them, many and with names that want to be more than names.
function makeOldRuns(count) {
  for (let i = 0; i < count; ++i) {
    const folder = join(runs, `old-${String(i).padStart(4, "0")}`);
    mkdirSync(folder, { recursive: true });
    const started = new Date(Date.UTC(2020, 0, 1) + i * 60_000).toISOString();
    writeFileSync(join(folder, "run.json"), JSON.stringify({ name: "old", state: "done", pid: 1, started, ended: started, argv: ["protium"] }));
    writeFileSync(join(folder, "result.json"), JSON.stringify({ metrics: { test: { rmse: i / 7, rows: 9 } }, seconds: { total: i } }));
  }
  const hostile = '<img src=x onerror="window.hostile=1">';
  writeFileSync(join(runs, "old-0000", "labels.json"), JSON.stringify({ tags: [hostile], note: `"'>${hostile}` }));
  const step = (i) => JSON.stringify({ time: "2020-01-01T00:00:00.000Z", event: "step", step: i, steps: 50_000, epoch: 1, loss: 1 / (i + 1), learning_rate: 0.1, rows_per_second: 1, wait_share: 0.1 });
  const lines = [JSON.stringify({ event: "start", run: hostile }), JSON.stringify({ event: "note", message: hostile })];
  for (let i = 1; i <= 50_000; ++i) lines.push(step(i));
  writeFileSync(join(runs, "old-0001", "events.jsonl"), `${lines.join("\n")}\n{"event":"torn`);
}

// Holds a rank up again and again, as a busy host would, until `seen` has come true.
async function slowDown(address, run, rank, seen) {
  const { gangs } = await (await fetch(`${address}api/v1/runs/${run}/gang`)).json();
  const { pid } = gangs.at(-1).ranks.find((each) => each.rank === rank);
  let over = false;
  const holding = (async () => {
    while (!over) {
      process.kill(pid, "SIGSTOP");
      await sleep(100);
      process.kill(pid, "SIGCONT");
      await sleep(50);
    }
  })();
  try {
    await seen();
  } finally {
    over = true;
    await holding;
  }
}

const steps = "Number(/step (\\d+)\\/\\d+/.exec(document.body.innerText)?.[1] ?? 0)";

test("a run is seen while it goes on, and stopped", async ({ tab, address }) => {
  const began = await newRun();
  // With few steps an epoch, checkpoints are what takes the time.
  const job = startJob(1_000_000, "--set", "train.batch_size=16");
  await tab.open(address);
  await until("the run is listed", async () => (await tab.run("document.querySelectorAll('.runs tbody tr').length")) > 0);
  const run = await began();
  await tab.run(`document.querySelector('a[href="/runs/${run}"]').click()`);
  await tab.shows("Timeline");
  const first = await until("steps are told", () => tab.run(steps), 60_000);
  await tab.shows("live");
  await until("steps go on", async () => (await tab.run(steps)) > first);
  if (pictures) await tab.picture(join(pictures, "live.png"));
  await tab.run(`document.querySelector('a[href="/runs/${run}/training"]').click()`);
  for (const chart of ["Training loss", "Validation rmse"]) {
    const words = `document.querySelector('[aria-label^="${chart}"]')?.ariaLabel`;
    const before = await until(`${chart} is drawn`, () => tab.run(words));
    await until(`${chart} goes on`, async () => (await tab.run(words)) !== before);
  }
  await tab.shows("Time of each rank");
  await slowDown(address, run, 1, () => tab.shows("The others wait for rank 1 for", 30_000));
  job.kill("SIGINT");
  assert.equal(await job.ended, 75, job.errors);
  await tab.run(`document.querySelector('a[href="/runs/${run}"]').click()`);
  await tab.shows("stopped at step");
  await tab.shows(`protium resume ${join(runs, run)}`);
});

test("a run is seen to its end, without a reload", async ({ tab, address, state }) => {
  const began = await newRun();
  const job = startJob(5);
  state.run = await began();
  await tab.open(`${address}runs/${state.run}`);
  assert.equal(await job.ended, 0, job.errors);
  await tab.shows("Metrics");
  const result = resultOf(state.run);
  const text = await tab.text();
  for (const set of ["test", "baseline", "validation"]) {
    for (const [name, value] of Object.entries(result.metrics[set])) {
      const shown = Number.isInteger(value) ? value.toLocaleString("en-US") : value.toFixed(4);
      assert.ok(text.includes(shown), `${set} ${name} ${shown} is not on the page:\n${text}`);
    }
  }
  assert.ok(text.includes(result.weights_sha256.slice(0, 16)));
  assert.ok(text.includes(result.rows.toLocaleString("en-US")));
});

test("the machine is seen while a pool runs", async ({ tab, address }) => {
  await tab.open(address);
  await tab.shows("runs in");
  assert.ok(!(await tab.text()).includes("This machine"));
  const pool = start(["pool", "start", "--foreground"]);
  await tab.shows("No gang holds cores or waits for any.");
  const began = await newRun();
  const job = startJob(1_000_000);
  const run = await began();
  await tab.shows("gang train of " + run, 60_000);
  await tab.shows("holds");
  assert.ok(await tab.run(`document.querySelector('.panel a[href="/runs/${run}"]') !== null`));
  if (pictures) await tab.picture(join(pictures, "machine.png"));
  job.kill("SIGINT");
  assert.equal(await job.ended, 75, job.errors);
  await tab.shows("No gang holds cores or waits for any.");
  await tab.shows("warm");
  pool.kill("SIGINT");
  assert.equal(await pool.ended, 0, pool.errors);
  await until("nothing is said of it", async () => !(await tab.text()).includes("This machine"));
});

test("every screen shows what the run has", async ({ tab, address, state }) => {
  const words = { training: "Validation rmse", gang: "rank", executors: "train, rank 0", plan: "Operators of the engine", data: "Column profiles", model: "Feature importance", logs: "rank-000.log", settings: "train.epochs", files: "result.json" };
  for (const [screen, word] of Object.entries(words)) {
    await tab.open(`${address}runs/${state.run}/${screen}`);
    await tab.shows(word);
    const wide = await tab.run("document.documentElement.scrollWidth - innerWidth");
    assert.ok(wide <= 0, `${screen} is ${wide} pixels too wide`);
    if (pictures) await tab.picture(join(pictures, `${screen}.png`));
  }
  const loss = await (await fetch(`${address}api/v1/runs/${state.run}/metrics`)).json();
  const epochs = loss.series.find((each) => each.name === "epoch loss");
  assert.equal(epochs.y.at(-1), resultOf(state.run).history.at(-1).loss);
});

test("the report tells the same from a file, wherever it lies", async ({ tab, state }) => {
  const file = join(scratch, "report of <b> & #1.html");
  cpSync(join(runs, state.run, "report.html"), file);
  await tab.open(pathToFileURL(file).href);
  const result = resultOf(state.run);
  await tab.shows("Feature importance");
  const words = [result.metrics.test.rmse.toFixed(4), result.weights_sha256.slice(0, 16), "a straight line in", "rows per step =", "SQL of the job", "Column profiles", "Operators of the engine", "train.epochs", "Logs and files lie in the folder"];
  for (const word of words) await tab.shows(word);
  assert.ok(!(await tab.text()).includes("Left out here"));
  await until("the curves are drawn", () => tab.run("document.querySelector('[aria-label^=\"Training loss\"] canvas') !== null"));
  await tab.run("[...document.querySelectorAll('button')].find((each) => each.innerText === 'defaults, too').click()");
  await tab.shows("train.seed");
  assert.ok(await tab.run("document.documentElement.scrollWidth <= innerWidth"));
  assert.deepEqual(tab.wrong, []);
  if (pictures) await tab.picture(join(pictures, "report.png"));
  await tab.size(360, 780, true);
  assert.ok(await tab.run("document.documentElement.scrollWidth <= innerWidth"), "the report fits a phone");
  await tab.size(1280, 900);
  // Names that want to be more, as src/doors/page/report.cc writes them.
  const hostile = '\\u003cimg src=x onerror=\\"window.hostile=1\\">\\u003c/script>';
  writeFileSync(file, readFileSync(file, "utf8").replaceAll('"arr_delay"', `"${hostile}"`).replaceAll('"dep_delay"', `"${hostile}"`));
  await tab.open(pathToFileURL(file).href);
  await tab.shows('<img src=x onerror="window.hostile=1"></script>');
  assert.equal(await tab.run("window.hostile ?? null"), null);
  assert.deepEqual(tab.wrong, []);
});

test("a forest is seen by rounds, columns and trees, with the keyboard alone, on the page and in the report", async ({ tab, address }) => {
  writeShops(scratch);
  writeFileSync(join(scratch, "grown.toml"), kForestJob);
  await runToEnd(["run", join(scratch, "grown.toml"), "--runs-dir", runs]);
  const run = readdirSync(runs).find((name) => name.startsWith("grown-"));
  const here = `${address}runs/${run}`;
  await tab.open(`${here}/training`);
  const curve = "document.querySelector('[aria-label^=\"Training loss\"]')?.ariaLabel ?? ''";
  await until("the curve is by round", async () => (await tab.run(curve)).startsWith("Training loss by round."));
  assert.ok(!(await tab.text()).includes("epoch"));
  await tab.open(`${here}/model`);
  await tab.shows("Partial dependence");
  await tab.shows("A tree");
  const press = (words) => tab.run(`[...document.querySelectorAll('button')].find((each) => each.innerText === ${JSON.stringify(words)}).click()`);
  for (const by of ["gain", "cover"]) {
    await press(by);
    await tab.shows(`share of ${by}`);
  }
  await until("a plot is drawn for each column", () => tab.run("document.querySelectorAll('.plots figure').length === 3"));
  const buttons = "document.querySelectorAll('.tree [role=button]').length";
  const before = await until("the tree is drawn", () => tab.run(buttons));
  const root = "document.querySelector('.tree [role=button]')";
  await tab.run(`${root}.focus()`);
  await tab.run(`document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))`);
  await until("all but the root is hidden", async () => (await tab.run(buttons)) === 1 && (await tab.run(`${root}.getAttribute('aria-expanded')`)) === "false");
  await tab.run(`${root}.dispatchEvent(new KeyboardEvent('keydown', { key: ' ', bubbles: true }))`);
  await until("it is shown again", async () => (await tab.run(buttons)) === before);
  await press("next");
  await tab.shows("round 2: adds to sales");
  assert.ok((await tab.run("location.search")).includes("tree=2"));
  const tree = await (await fetch(`${address}api/v1/runs/${run}/forest/1`)).json();
  await tab.run("document.querySelector('.rules').parentElement.open = true");
  const lines = (await tab.run("document.querySelector('.rules').innerText")).split("\n");
  assert.equal(lines.length, tree.nodes.length);
  assert.equal(lines.filter((line) => /[+-][0-9.]+ \(cover [0-9,.]+\)$/.test(line)).length, tree.leaves);
  if (pictures) await tab.picture(join(pictures, "forest.png"));
  await tab.size(360, 780, true);
  assert.ok(await tab.run("document.documentElement.scrollWidth <= innerWidth"), "it fits a phone");
  await tab.size(1280, 900);
  await tab.open(pathToFileURL(join(runs, run, "report.html")).href);
  await tab.shows("The first of 30 trees");
  const text = await tab.text();
  for (const word of ["Feature importance, by permutation", "Feature importance, by gain", "Feature importance, by cover", "sales by age"]) assert.ok(text.includes(word), word);
  await until("its tree is drawn", async () => (await tab.run(buttons)) > 1);
});

test("a search is seen trial by trial, to its end and in the report", async ({ tab, address }) => {
  writeShops(scratch);
  writeFileSync(join(scratch, "sought.toml"), kSearchJob);
  const job = start(["run", join(scratch, "sought.toml"), "--runs-dir", runs]);
  const run = await until("the search begins", () => readdirSync(runs).find((name) => name.startsWith("sought-")));
  await tab.open(`${address}runs/${run}/trials`);
  await tab.shows("Trials, the best first");
  assert.equal(await job.ended, 0, job.errors);
  const { trials, best } = JSON.parse(readFileSync(join(runs, run, "trials.json"), "utf8"));
  const pruned = trials.filter((each) => each.state === "pruned").length;
  assert.ok(pruned > 0, "some trials are pruned");
  await tab.shows(`${24 - pruned} done, ${pruned} pruned`);
  await until("the best is first", async () => (await tab.run("document.querySelector('tr.chosen td')?.innerText")) === String(best));
  for (const word of ["Importance of options", "Length of trials", "pruned at 1", "by each option", "by two options", "Parallel coordinates"]) await tab.shows(word);
  await until("every option has its picture", () => tab.run("document.querySelectorAll('.plots .trials').length === 3"));
  const { options } = await (await fetch(`${address}api/v1/runs/${run}/trials/importance`)).json();
  assert.deepEqual(options.map((each) => each.option), ["trees.leaves", "trees.learning_rate", "trees.rows"]);
  // The pointer on a dot names its trial.
  await tab.run(`(() => { const picture = document.querySelector('.plots .trials'), box = picture.getBoundingClientRect(); const path = picture.querySelector('.q0').getAttribute('d'); const [x, y] = /M([0-9.]+),([0-9.]+)/.exec(path).slice(1).map(Number); const at = new DOMPoint(x, y).matrixTransform(picture.getScreenCTM()); picture.dispatchEvent(new MouseEvent('mousemove', { clientX: at.x, clientY: at.y, bubbles: true })); })()`);
  await until("the trial is named", async () => /trial \d+: rmse/.test(await tab.run("document.querySelector('.levels span').innerText")));
  if (pictures) await tab.picture(join(pictures, "search.png"));
  await tab.size(360, 780, true);
  assert.ok(await tab.run("document.documentElement.scrollWidth <= innerWidth"), "it fits a phone");
  await tab.size(1280, 900);
  await tab.open(pathToFileURL(join(runs, run, "report.html")).href);
  await tab.shows("Importance of options");
  await tab.shows("Parallel coordinates");
  if (pictures) await tab.picture(join(pictures, "search-report.png"));
});

test("a thousand trials of two objectives are there at once", async ({ tab, address }) => {
  const front = makeSearch(join(runs, "wide"), 1000);
  await tab.open(`${address}runs/wide/trials`);
  await tab.shows("Pareto front");
  await tab.shows(`${front.length} of 900`);
  await tab.shows("Importance of options");
  await until("all is drawn", () => tab.run("document.querySelectorAll('.plots .trials').length === 4"));
  const took = Math.round(await tab.run("performance.now()"));
  assert.equal(await tab.run("document.querySelectorAll('[aria-label=trials] tbody tr').length"), 15);
  await tab.run("[...document.querySelectorAll('button')].find((each) => each.innerText === 'all 1,000 trials').click()");
  await until("all are listed", () => tab.run("document.querySelectorAll('[aria-label=trials] tbody tr').length === 1000"));
  const { options } = await (await fetch(`${address}api/v1/runs/wide/trials/importance`)).json();
  assert.ok(options.find((each) => each.option === "lr").share > 0.8);
  console.log(`1,000 trials are drawn after ${took} ms`);
  assert.ok(took < 3000);
  if (pictures) {
    await tab.open(`${address}runs/wide/trials`);
    await until("all is drawn again", () => tab.run("document.querySelectorAll('.plots .trials').length === 4"));
    await tab.picture(join(pictures, "wide.png"));
  }
});

test("with the token runs are tagged and deleted, and a row is scored", async ({ tab, address, state }) => {
  await tab.open(`${address}runs/${state.run}/model`);
  await tab.shows("Here a row is scored where the page has a token");
  assert.equal((await fetch(`${address}api/v1/runs/${state.run}`, { method: "DELETE" })).status, 403);
  const locked = await serve(0, "--token");
  const [, place, token] = await until("the token is told", () => /with the token: (\S+)#token=(\S+)/.exec(locked.told()));
  await tab.open(`${place}#token=${token}`);
  await tab.shows(state.run);
  await tab.open(`${place}runs/${state.run}/model`);
  await tab.shows("Try it");
  await until("the form is filled", () => tab.run("document.querySelector('#try-distance')?.value !== ''"));
  const press = (words) => tab.run(`[...document.querySelectorAll('button')].find((each) => each.innerText.startsWith(${JSON.stringify(words)})).click()`);
  const row = await tab.run("Object.fromEntries([...document.querySelectorAll('.try input')].map((each) => [each.id.slice(4), each.value === '' ? null : /^-?[0-9.]+$/.test(each.value) ? Number(each.value) : each.value]))");
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const asked = await fetch(`${place}api/v1/runs/${state.run}/score`, { method: "POST", headers, body: JSON.stringify({ rows: [row] }) });
  const { predictions } = await asked.json();
  assert.equal(asked.status, 200);
  await press("score this row");
  const shown = Object.values(predictions[0])[0].toFixed(4);
  await until(`the prediction ${shown} is shown`, async () => (await tab.run("document.querySelector('.try [role=status]').innerText")).includes(shown));
  const type = (id, words) => tab.run(`(() => { const field = document.querySelector('${id}'); field.value = '${words}'; field.dispatchEvent(new Event('input', { bubbles: true })); })()`);
  await type("#try-distance", "far");
  await press("score this row");
  await tab.shows("distance: far is not a number");
  if (pictures) await tab.picture(join(pictures, "try.png"));
  cpSync(join(runs, state.run), join(runs, "old-copy"), { recursive: true });
  await tab.open(`${place}runs/old-copy`);
  await tab.shows("tags and note");
  await press("tags and note");
  await type("[name=tags]", "a-copy");
  await press("save");
  await until("the tag is shown", () => tab.run("document.querySelector('.runhead .tag')?.innerText === 'a-copy'"));
  await press("delete");
  await press("delete old-copy for good");
  await until("the list is shown", () => tab.run("location.pathname === '/'"));
  assert.ok(!readdirSync(runs).includes("old-copy"));
  assert.deepEqual(tab.wrong, []);
  locked.kill("SIGINT");
  await locked.ended;
});

test("run --ui serves the page for as long as the run lasts", async () => {
  const began = await newRun();
  const job = startJob(1_000_000, "--ui");
  const [, address] = await until("the address is told", () => /the run in the browser: (http\S+)/.exec(job.errors), 30_000);
  const { runs: listed } = await (await fetch(`${address}api/v1/runs`)).json();
  assert.ok(listed.length > 0);
  await began();
  await until("it can be stopped", () => job.errors.includes("etl"), 60_000);
  job.kill("SIGINT");
  assert.equal(await job.ended, 75, job.errors);
  await until("the page has ended with it", () => fetch(address).then(() => false, () => true));
});

test("the terminal and the exports tell the same", async ({ state }) => {
  const told = async (...words) => {
    const child = start([...words, "--runs-dir", runs], "pipe");
    let text = "";
    child.stdout.on("data", (data) => (text += data));
    assert.equal(await child.ended, 0, child.errors);
    return text;
  };
  const status = JSON.parse(await told("status", state.run, "--json"));
  assert.equal(status.state, "done");
  assert.deepEqual(status.parts.map((part) => part.name), ["prepare", "etl", "fit", "start ranks", "train", "score"]);
  assert.match(await told("status", state.run), /train +\d/);
  assert.match(await told("top"), /no runs in progress/);
  const csv = await told("export", state.run, "--to", "csv", "--output", "-");
  const last = resultOf(state.run).history.at(-1);
  assert.ok(csv.includes(`${state.run},epoch/loss,${last.step},`));
  const losses = csv.split("\n").filter((line) => line.includes(",epoch/loss,"));
  assert.equal(Number(losses.at(-1).split(",").at(-1)), last.loss);
  const trace = JSON.parse(await told("export", state.run, "--to", "trace", "--output", "-"));
  assert.ok(trace.traceEvents.some((event) => event.name === "score" && event.ph === "X"));
});

test("a lost connection is told, and found again", async ({ tab, server, state }) => {
  const began = await newRun();
  const job = startJob(1_000_000);
  const run = await began();
  await tab.open(`${server.address}runs/${run}`);
  await tab.shows("live");
  server.kill("SIGKILL");
  await server.ended;
  await tab.shows("connection lost, trying again");
  state.server = await serve(new URL(server.address).port);
  await until("steps are told", () => tab.run(steps), 60_000);
  await tab.shows("live");
  tab.wrong.length = 0; // The browser itself tells of connections that fail.
  job.kill("SIGINT");
  assert.equal(await job.ended, 75, "a server that is killed harms no run");
  await tab.shows("stopped at step");
});

test("a thousand runs and fifty thousand steps are there at once, and names are only names", async ({ browser, state }) => {
  makeOldRuns(1000);
  const { address } = state.server;
  await until("all runs are known", async () => (await (await fetch(`${address}api/v1/runs`)).json()).runs.length > 1000);
  const tab = await browser.tab();
  const painted = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0";
  await tab.open(address);
  await tab.shows("old-0999");
  const paint = await until("the list is painted", () => tab.run(painted));
  const listed = await tab.run("performance.now()");
  await tab.open(`${address}?q=old-0000`);
  await tab.shows("onerror");
  await tab.open(`${address}runs/old-0001`);
  await tab.shows("onerror");
  await fetch(`${address}api/v1/runs/old-0001/metrics`);
  await tab.open(`${address}runs/old-0001/training`);
  await tab.shows("of 50k points");
  const curve = await until("the curve is painted", () => tab.run(painted));
  assert.equal(await tab.run("window.hostile ?? null"), null);
  assert.deepEqual(tab.wrong, []);
  console.log(`first paint: ${Math.round(paint)} ms with 1,000 runs (rows there after ${Math.round(listed)} ms), ${Math.round(curve)} ms with a curve of 50,000 steps`);
  assert.ok(paint < 2000 && curve < 2000);
});

test("a run whose files are not what they should be leaves no blank page", async ({ browser, state }) => {
  const folder = join(runs, "old-0002");
  const odd = { metrics: { test: { rmse: [], x: { y: 1 } }, baseline: 7 }, seconds: "soon", outputs: {}, labels: 3, importance: { columns: 3 }, history: "no", error: { what: {}, where: 7 } };
  writeFileSync(join(folder, "result.json"), JSON.stringify(odd));
  writeFileSync(join(folder, "job.json"), JSON.stringify({ settings: [7, { key: {}, value: { a: [1] } }], plan: { tree: 7, stages: [1, null], sql: [] }, job: { tables: 1, etl: [], pipeline: [3] } }));
  writeFileSync(join(folder, "events.jsonl"), `{"event":"gang_start","ranks":[{"rank":{},"log":7,"host":[]}]}\n{"event":"note","message":{}}\n[]\n\u0000\n`);
  const tab = await browser.tab();
  for (const screen of ["", "training", "trials", "gang", "executors", "plan", "data", "model", "logs", "settings", "files"]) {
    await tab.open(`${state.server.address}runs/old-0002/${screen}`);
    await tab.shows("old-0002");
    await until(`${screen} says something`, async () => !(await tab.text()).includes("reading …"));
    assert.ok(await tab.run("document.querySelector('main').innerText.trim().split('\\n').length > 11"), `${screen}: ${await tab.text()}`);
  }
});

test("a stream is seen with its batches and dead letters while it goes on", ({ browser, state }) =>
  seeStream({ browser, address: state.server.address, scratch, start, pictures }));

test("it fits a phone and the dark", async ({ browser, state }) => {
  const tab = await browser.tab();
  await tab.size(360, 780, true);
  for (const path of ["", `runs/${state.run}`, `runs/${state.run}/training`, `runs/${state.run}/plan`, `runs/${state.run}/model`, "streams/live"]) {
    await tab.open(state.server.address + path);
    await tab.shows(path.startsWith("streams") ? "Dead letters" : path ? "overview" : "old-0999");
    const wide = await tab.run("document.documentElement.scrollWidth - innerWidth");
    assert.ok(wide <= 0, `/${path} is ${wide} pixels too wide for 360`);
    if (pictures) await tab.picture(join(pictures, `phone-${path.split("/").at(-1) || "runs"}.png`));
  }
  assert.equal(await tab.run("getComputedStyle(document.body).backgroundColor"), "rgb(20, 24, 31)");
  assert.deepEqual(tab.wrong, []);
});

let failed = 0;
let browser;
try {
  await runToEnd(["example", "flights", "data", "--rows", "3000", "--seed", "7"]);
  mkdirSync(runs);
  const server = await serve();
  browser = await Browser.start();
  const tab = await browser.tab();
  const state = { server };
  for (const { name, run } of tests) {
    const since = Date.now();
    try {
      await run({ browser, tab, server: state.server, address: state.server.address, state });
      assert.deepEqual(tab.wrong, []);
      console.log(`ok      ${name} (${((Date.now() - since) / 1000).toFixed(1)} s)`);
    } catch (error) {
      ++failed;
      console.log(`FAILED  ${name}\n${error.stack}`);
    }
  }
  const stopping = Date.now();
  state.server.kill("SIGINT");
  await state.server.ended;
  if (Date.now() - stopping > 3000) throw new Error("Ctrl-C took longer than three seconds");
} catch (error) {
  ++failed;
  console.log(`FAILED  ${error.stack}`);
} finally {
  await browser?.end();
  for (const child of children) child.kill("SIGKILL");
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`${tests.length - failed} passed, ${failed} failed, in ${((Date.now() - began) / 1000).toFixed(0)} s`);
process.exit(failed ? 1 : 0);
