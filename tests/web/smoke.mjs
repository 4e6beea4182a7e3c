// Tests in short what a live page must do in every browser. page: run(expression), click(selector).

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { liveOrSkip } from "./browser.mjs";

// Makes a folder with lesson.html. Ends with the status of a test that is skipped if one of the
// commands or the core is not there.
export function folderWithLesson(program, ...commands) {
  for (const command of commands)
    if (spawnSync("sh", ["-c", `command -v ${command}`]).status !== 0) {
      console.log(`skipped: there is no ${command}`);
      process.exit(77);
    }
  liveOrSkip(program);
  const folder = mkdtempSync(join(tmpdir(), "maskscope-smoke-"));
  execFileSync(program, ["export", "lesson:additive-or-multiplicative", "--out",
                         join(folder, "lesson.html"), "--live"]);
  return folder;
}

export const pause = (milliseconds) => new Promise((wake) => setTimeout(wake, milliseconds));

// Returns the names of the checks that fail.
export async function smoke(page) {
  const failures = [];
  const check = async (expression, what) => {
    if (!await page.run(`!!(${expression})`)) failures.push(what);
  };
  const text = (id) => `document.getElementById("${id}").textContent`;
  for (let k = 0; k < 300 && !await page.run("!!(window.page && page.result)"); ++k) await pause(100);
  await check(`!document.getElementById("live").hidden`, "the page starts");
  const sum = `[...document.querySelectorAll('[data-key^="B.weights"] .sum span')][2].textContent`;
  await check(`${sum} === "0.35"`, "B keeps 0.35 of “name”");
  await page.click("[data-ring]");
  await check(`${sum} === "0.91"`, "a click changes the number");
  await check(`!document.getElementById("tried").hidden`, "a click does what the Try asks");
  await page.click("#undo");
  await check(`${sum} === "0.35"`, "Undo");
  await page.click("#next");
  await check(`page.words.covered && ${text("words")} === page.words.ask`, "step 2 asks");
  await check(`[...document.querySelectorAll(".covered tbody td")].every((cell) => !cell.textContent)`,
              "the answer is covered");
  await page.click("#next");
  await check(`!page.words.covered && ${text("words")} === page.words.caption`, "the answer is shown");
  await check(`document.documentElement.scrollWidth <= innerWidth`, "it does not scroll sideways");
  return failures;
}
