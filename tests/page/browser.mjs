// SPDX-License-Identifier: Apache-2.0
// Debian's Chromium, driven over its DevTools protocol with what Node brings along.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const sleep = (millis) => new Promise((done) => setTimeout(done, millis));

// Waits until `ask` gives something true; `what` is told when that takes too long.
export async function until(what, ask, millis = 15_000) {
  const end = Date.now() + millis;
  for (;;) {
    const found = await ask();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited ${millis / 1000} s without: ${what}`);
    await sleep(50);
  }
}

export function findChromium() {
  return ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
}

class Connection {
  constructor(url) {
    this.socket = new WebSocket(url);
    this.waiting = new Map();
    this.listeners = [];
    this.next = 0;
    this.opened = new Promise((done, failed) => {
      this.socket.onopen = done;
      this.socket.onerror = () => failed(new Error("no connection to the browser"));
    });
    this.socket.onmessage = (message) => {
      const told = JSON.parse(message.data);
      if (told.id === undefined) return this.listeners.forEach((listener) => listener(told));
      const { done, failed } = this.waiting.get(told.id);
      this.waiting.delete(told.id);
      return told.error ? failed(new Error(told.error.message)) : done(told.result);
    };
  }
  send(method, params = {}, sessionId = undefined) {
    const id = ++this.next;
    this.socket.send(JSON.stringify({ id, method, params, sessionId }));
    return new Promise((done, failed) => this.waiting.set(id, { done, failed }));
  }
}

// One tab. `wrong` collects what a console would show in red, refusals by the security policy too.
export class Tab {
  constructor(connection, session) {
    this.connection = connection;
    this.session = session;
    this.wrong = [];
    connection.listeners.push((told) => this.listen(told));
  }
  listen(told) {
    if (told.sessionId !== this.session) return;
    if (told.method === "Runtime.exceptionThrown") this.wrong.push(told.params.exceptionDetails.text);
    if (told.method === "Log.entryAdded" && told.params.entry.level === "error") {
      this.wrong.push(`${told.params.entry.text} ${told.params.entry.url ?? ""}`);
    }
  }
  send(method, params) {
    return this.connection.send(method, params, this.session);
  }
  async open(url) {
    await this.send("Page.navigate", { url });
  }
  async run(expression) {
    const told = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (told.exceptionDetails) throw new Error(told.exceptionDetails.exception?.description ?? expression);
    return told.result.value;
  }
  text() {
    return this.run("document.body?.innerText ?? ''");
  }
  shows(words, millis) {
    return until(`the page shows "${words}"`, async () => (await this.text()).includes(words), millis).catch(async (error) => {
      throw new Error(`${error.message}; it shows:\n${await this.text()}`);
    });
  }
  async size(width, height, dark = false) {
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 500 });
    await this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
  }
  async picture(file) {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    writeFileSync(file, Buffer.from(data, "base64"));
  }
}

export class Browser {
  static async start() {
    const browser = new Browser();
    browser.folder = mkdtempSync(join(tmpdir(), "protium-chromium-"));
    browser.process = spawn(
      findChromium(),
      ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions", "--remote-debugging-port=0", `--user-data-dir=${browser.folder}`, "about:blank"],
      { stdio: "ignore" },
    );
    const file = join(browser.folder, "DevToolsActivePort");
    await until("Chromium is ready", () => existsSync(file) && readFileSync(file, "utf8").split("\n").length > 1, 20_000);
    const [port, path] = readFileSync(file, "utf8").split("\n");
    browser.connection = new Connection(`ws://127.0.0.1:${port}${path}`);
    await browser.connection.opened;
    return browser;
  }
  async tab() {
    const { targetId } = await this.connection.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.connection.send("Target.attachToTarget", { targetId, flatten: true });
    const tab = new Tab(this.connection, sessionId);
    tab.target = targetId;
    for (const part of ["Page", "Runtime", "Log"]) await tab.send(`${part}.enable`);
    await tab.size(1280, 900);
    return tab;
  }
  async close(tab) {
    await this.connection.send("Target.closeTarget", { targetId: tab.target });
  }
  async end() {
    const ended = new Promise((done) => this.process.once("exit", done));
    await this.connection.send("Browser.close").catch(() => {});
    await Promise.race([ended, sleep(3000)]);
    this.process.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
