// Tests a live page in Firefox, once, over Marionette, its own protocol: no package is needed.
// firefox.mjs PROGRAM

import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";

import { folderWithLesson, pause, smoke } from "./smoke.mjs";

const folder = folderWithLesson(process.argv[2], "firefox-esr"), port = 2828;
const firefox = spawn("firefox-esr", ["--headless", "--marionette", "--no-remote", "--profile", folder],
                      { stdio: "ignore", env: { ...process.env, HOME: folder } });

// A message is the length of its JSON in bytes, a colon, and the JSON: [0, id, command, parameters] for
// a request, [1, id, error, result] for an answer.
class Marionette {
  static async start() {
    for (let k = 0; k < 300; ++k) {
      const socket = await new Promise((resolve) => {
        const tried = connect(port, "127.0.0.1", () => resolve(tried));
        tried.on("error", () => resolve(null));
      });
      if (socket) return new Marionette(socket);
      await pause(200);
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

let failures = [];
try {
  const page = await Marionette.start();
  await page.send("WebDriver:NewSession", { capabilities: {} });
  await page.send("WebDriver:Navigate", { url: `file://${join(folder, "lesson.html")}` });
  failures = await smoke(page);
} finally {
  firefox.kill();
  await new Promise((done) => firefox.on("exit", done));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
failures.forEach((what) => console.error(`not so: ${what}`));
process.exit(failures.length ? 1 : 0);
