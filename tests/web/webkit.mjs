// Tests a live page in WebKit, the engine of Safari, once: in the MiniBrowser of WebKitGTK, at the
// width of a phone, over the WebDriver protocol.
// webkit.mjs PROGRAM

import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";

import { folderWithLesson, pause, smoke } from "./smoke.mjs";

const browser = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";
const folder = folderWithLesson(process.argv[2], "WebKitWebDriver", browser, "xvfb-run");
const port = 4848;
const driver = spawn("xvfb-run", ["-a", "WebKitWebDriver", `--port=${port}`], {
  stdio: "ignore", detached: true,
  env: { ...process.env, HOME: folder, XDG_RUNTIME_DIR: folder, LIBGL_ALWAYS_SOFTWARE: "1",
         WEBKIT_DISABLE_DMABUF_RENDERER: "1" },
});

async function ask(method, path, body) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method, body: body && JSON.stringify(body), headers: { "Content-Type": "application/json" } });
  const { value } = await answer.json();
  if (!answer.ok) throw new Error(`${path}: ${value.error} ${value.message}`);
  return value;
}

class Driven {
  static async start() {
    const options = { binary: browser, args: ["--automation"] };
    const wanted = { capabilities: { alwaysMatch: { "webkitgtk:browserOptions": options } } };
    for (let k = 0; k < 100; ++k) {
      const started = await ask("POST", "/session", wanted).catch((failed) => {
        if (failed.cause) return null;  // the driver is not listening yet
        throw failed;
      });
      const at = started && `/session/${started.sessionId}`;
      if (at) return Object.assign(new Driven(), { at, version: started.capabilities.browserVersion });
      await pause(100);
    }
    throw new Error("WebKitWebDriver does not listen");
  }
  post(path, body) { return ask("POST", this.at + path, body); }
  run(expression) { return this.post("/execute/sync", { script: `return (${expression})`, args: [] }); }
  async click(selector) {
    const found = await this.post("/element", { using: "css selector", value: selector });
    await this.post(`/element/${Object.values(found)[0]}/click`, {});
  }
}

let failures = [];
try {
  const page = await Driven.start();
  await page.post("/window/rect", { width: 390, height: 844 });
  await page.post("/url", { url: `file://${join(folder, "lesson.html")}` });
  failures = await smoke(page);
  console.log(`WebKit ${page.version}, ${await page.run("innerWidth")} pixels wide`);
  await ask("DELETE", page.at);
} finally {
  process.kill(-driver.pid);
  await new Promise((done) => driver.on("exit", done));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
failures.forEach((what) => console.error(`not so: ${what}`));
process.exit(failures.length ? 1 : 0);
