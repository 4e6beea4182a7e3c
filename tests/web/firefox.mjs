// A live page in Firefox, once: it starts, a click changes a number, and an answer is shown. Over
// Marionette, its own protocol: no package is needed.
// firefox.mjs PROGRAM

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { liveOrSkip } from "./browser.mjs";

const [, , program] = process.argv;
if (spawnSync("firefox-esr", ["--version"]).status !== 0) {
  console.log("skipped: there is no firefox-esr");
  process.exit(77);
}
liveOrSkip(program);

const folder = mkdtempSync(join(tmpdir(), "maskscope-firefox-"));
const file = join(folder, "lesson.html"), port = 2828;
execFileSync(program, ["export", "lesson:additive-or-multiplicative", "--out", file, "--live"]);
const firefox = spawn("firefox-esr", ["--headless", "--marionette", "--no-remote", "--profile", folder],
                      { stdio: "ignore", env: { ...process.env, HOME: folder } });

// A message is its length in bytes, a colon, and JSON: [0, id, command, parameters] and
// [1, id, error, result].
class Marionette {
  static async start() {
    for (let k = 0; k < 300; ++k) {
      const socket = await new Promise((resolve) => {
        const tried = connect(port, "127.0.0.1", () => resolve(tried));
        tried.on("error", () => resolve(null));
      });
      if (socket) return new Marionette(socket);
      await new Promise((wake) => setTimeout(wake, 200));
    }
    throw new Error("Firefox does not listen");
  }

  constructor(socket) {
    this.socket = socket;
    this.waiting = new Map();
    this.rest = Buffer.alloc(0);
    this.sent = 0;
    socket.on("data", (bytes) => {
      this.rest = Buffer.concat([this.rest, bytes]);
      for (;;) {
        const colon = this.rest.indexOf(":");
        const length = Number(this.rest.subarray(0, Math.max(0, colon)).toString());
        if (colon < 0 || this.rest.length < colon + 1 + length) return;
        const message = JSON.parse(this.rest.subarray(colon + 1, colon + 1 + length).toString());
        this.rest = this.rest.subarray(colon + 1 + length);
        if (!Array.isArray(message)) continue;
        const [, id, error, result] = message, { resolve, reject } = this.waiting.get(id);
        if (error) reject(new Error(error.message));
        else resolve(result);
      }
    });
  }

  send(command, parameters = {}) {
    const id = ++this.sent, message = Buffer.from(JSON.stringify([0, id, command, parameters]));
    this.socket.write(`${message.length}:${message}`);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  async run(script) {
    const { value } = await this.send("WebDriver:ExecuteScript",
                                      { script: `return (${script})`, args: [], sandbox: null });
    return value;
  }

  async click(selector) {
    const { value } = await this.send("WebDriver:FindElement",
                                      { using: "css selector", value: selector });
    await this.send("WebDriver:ElementClick", { id: Object.values(value)[0] });
  }
}

let failures = 0;
function check(holds, what) {
  if (holds) return;
  ++failures;
  console.error(`not so: ${what}`);
}

try {
  const page = await Marionette.start();
  await page.send("WebDriver:NewSession", { capabilities: {} });
  await page.send("WebDriver:Navigate", { url: `file://${file}` });
  for (let k = 0; k < 300 && !await page.run("!!(window.page && window.page.result)"); ++k)
    await new Promise((wake) => setTimeout(wake, 100));
  check(await page.run("!document.getElementById('live').hidden"), "the page starts");
  await page.click("[data-ring]");
  check(await page.run("!document.getElementById('tried').hidden"), "a click does what the Try asks");
  await page.click("#next");
  check(await page.run("page.words.covered"), "step 2 asks");
  await page.click("#next");
  check(await page.run("!page.words.covered && document.getElementById('words').textContent.length > 0"),
        "the answer is shown");
} finally {
  firefox.kill();
  await new Promise((done) => firefox.on("exit", done));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(failures ? 1 : 0);
