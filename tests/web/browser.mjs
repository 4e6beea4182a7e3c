// Drives Chromium through its DevTools protocol, over two pipes: no package is needed.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const phone = { width: 390, height: 844, scale: 2, touch: true };
export const laptop = { width: 1366, height: 768, scale: 1, touch: false };

// These two end with the status of a test that is skipped.
function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(77);
}

export function liveOrSkip(program) {
  const folder = mkdtempSync(join(tmpdir(), "maskscope-live-"));
  const tried = spawnSync(program, ["export", "lesson:one-row/1", "--out", join(folder, "a.html"),
                                    "--live"], { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  if (tried.stderr.includes("was built without")) skip("this program makes no live pages");
}

export function chromiumOrSkip(program) {
  if (spawnSync("chromium", ["--version"]).status !== 0) skip("there is no chromium");
  liveOrSkip(program);
}

export class Browser {
  static async start() {
    const browser = new Browser();
    browser.profile = mkdtempSync(join(tmpdir(), "maskscope-browser-"));
    browser.process = spawn("chromium", [
      "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
      "--no-first-run", "--disable-extensions", "--force-color-profile=srgb",
      `--user-data-dir=${browser.profile}`, "about:blank",
    ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
         env: { ...process.env, HOME: browser.profile } });
    browser.waiting = new Map();
    browser.listeners = new Set();
    browser.sent = 0;
    let rest = "";
    browser.process.stdio[4].setEncoding("utf8");
    browser.process.stdio[4].on("data", (text) => {
      const messages = (rest + text).split("\0");
      rest = messages.pop();
      messages.forEach((message) => browser.receive(JSON.parse(message)));
    });
    return browser;
  }

  receive({ id, result, error, method, params, sessionId }) {
    if (id === undefined) return this.listeners.forEach((use) => use(method, params, sessionId));
    const { resolve, reject } = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) reject(new Error(error.message));
    else resolve(result);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.sent;
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  // Opens a page of this size. features: media features such as { "prefers-color-scheme": "dark" }.
  // first: a script that each document runs before its own.
  async open(address, { width, height, scale, touch }, features = {}, first = "") {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new BrowserPage(this, sessionId, targetId);
    for (const domain of ["Page", "Runtime", "Network", "Log", "DOM", "Accessibility"])
      await page.send(`${domain}.enable`);
    await page.send("Emulation.setDeviceMetricsOverride",
                    { width, height, deviceScaleFactor: scale, mobile: touch });
    await page.send("Emulation.setTouchEmulationEnabled", { enabled: touch });
    await page.media(features);
    if (first) await page.send("Page.addScriptToEvaluateOnNewDocument", { source: first });
    await page.send("Network.emulateNetworkConditions",
                    { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
    if (address !== "about:blank") await page.go(address);
    return page;
  }

  close() {
    this.send("Browser.close");  // it ends its own processes first, which write to the profile
    return new Promise((done) => this.process.on("exit", () => {
      rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
      done();
    }));
  }
}

class BrowserPage {
  constructor(browser, sessionId, targetId) {
    Object.assign(this, { browser, sessionId, targetId, requests: [], errors: [] });
    browser.listeners.add((method, params, session) => {
      if (session !== sessionId) return;
      if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
      if (method === "Runtime.exceptionThrown")
        this.errors.push(params.exceptionDetails.exception?.description
                         || params.exceptionDetails.text);
      if (method === "Log.entryAdded" && params.entry.level === "error")
        this.errors.push(params.entry.text);
    });
  }

  send(method, params) { return this.browser.send(method, params, this.sessionId); }

  media(features, media = "") {
    const list = Object.entries(features).map(([name, value]) => ({ name, value }));
    return this.send("Emulation.setEmulatedMedia", { media, features: list });
  }

  // Opens an address and waits until the page has started; throws if the page says why it cannot.
  async go(address) {
    await this.send("Page.navigate", { url: address });
    await this.until("window.page && window.page.result || " +
                     "document.getElementById('why')?.textContent");
    const why = await this.run("document.getElementById('why')?.textContent || ''");
    if (why) throw new Error(why);
  }

  async run(expression) {
    const { result, exceptionDetails } = await this.send(
      "Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails)
      throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
    return result.value;
  }

  async until(expression, seconds = 20) {
    const end = Date.now() + 1000 * seconds;
    while (!(await this.run(`!!(${expression})`).catch(() => false))) {
      if (Date.now() > end)
        throw new Error(`waited in vain for ${expression} ${this.errors.join(" | ")}`);
      await new Promise((wake) => setTimeout(wake, 25));
    }
  }

  // Returns the middle of the first element that a selector finds, scrolled into view.
  async place(selector) {
    const place = await this.run(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      if (!element) return null;
      element.scrollIntoView({ block: "center", inline: "nearest" });
      const at = element.getBoundingClientRect();
      return { x: at.x + at.width / 2, y: at.y + at.height / 2 };
    })()`);
    if (!place) throw new Error(`nothing is found by ${selector}`);
    return place;
  }

  async click(selector) {
    const at = { ...await this.place(selector), button: "left", clickCount: 1 };
    for (const type of ["mouseMoved", "mousePressed", "mouseReleased"])
      await this.send("Input.dispatchMouseEvent",
                      { type, ...at, buttons: type === "mousePressed" ? 1 : 0 });
  }

  async tap(selector) {
    const at = await this.place(selector);
    await this.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [at] });
    await this.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  }

  async key(key, modifiers = 0) {
    const text = key.length === 1 && !modifiers ? key : key === "Enter" ? "\r" : undefined;
    const code = { " ": 32, Enter: 13, Escape: 27, PageUp: 33, PageDown: 34, End: 35, Home: 36,
                   ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Tab: 9 }[key]
                 || key.toUpperCase().charCodeAt(0);
    const all = { key, text, modifiers, windowsVirtualKeyCode: code };
    await this.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", ...all });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...all });
  }

  async type(text) { await this.send("Input.insertText", { text }); }

  async picture(file, full = false) {
    const { data } = await this.send("Page.captureScreenshot",
                                     { format: "png", captureBeyondViewport: full });
    if (file) writeFileSync(file, Buffer.from(data, "base64"));
    return data;
  }

  close() { return this.browser.send("Target.closeTarget", { targetId: this.targetId }); }
}

export const control = 2, shift = 8;
