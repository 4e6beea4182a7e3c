// Measures in Chromium how soon a live page is ready, and how soon an edit is visible: medians
// over several openings, and over the clicks in each of them. Results go into the table in README.md.
// live_page.mjs PROGRAM [OPENINGS]

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Browser, chromiumOrSkip, laptop, phone } from "../web/browser.mjs";

const [, , program, openings = "5"] = process.argv;
chromiumOrSkip(program);
const folder = mkdtempSync(join(tmpdir(), "maskscope-bench-"));

// Notes the milliseconds from the request for the page until the first frame in which it is live.
const watch = `new MutationObserver((changes, watching) => {
  if (!document.querySelector("#live:not([hidden]) td")) return;
  watching.disconnect();
  requestAnimationFrame(() => setTimeout(() => (window.liveAfter = performance.now())));
}).observe(document, { childList: true, subtree: true, attributes: true });`;

// Measures the time from a click on the mask until the frame with its numbers is painted.
const clicks = `(async () => {
  if (page.words.covered) page.uncover("");
  const mask = [...page.heatmaps.values()].find((map) => map.isMask), times = [];
  for (let k = 0; k < 21; ++k) {
    const begin = performance.now();
    const options = { bubbles: true, pointerType: "mouse", button: 0, buttons: 1 };
    mask.cellAt({ i: 2, j: 1 }).dispatchEvent(new PointerEvent("pointerdown", options));
    dispatchEvent(new PointerEvent("pointerup", options));
    await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
    times.push(performance.now() - begin);
  }
  return times;
})()`;

const median = (list) => list.sort((x, y) => x - y)[Math.floor(list.length / 2)];

const browser = await Browser.start();
try {
  for (const name of ["additive-or-multiplicative", "masks-of-models", "casebook"])
    for (const size of [phone, laptop]) {
      const file = join(folder, `${name}.html`);
      execFileSync(program, ["export", `lesson:${name}`, "--out", file, "--live"]);
      const still = [], live = [], edits = [];
      for (let k = 0; k < Number(openings); ++k) {
        const page = await browser.open("about:blank", size, {}, watch);
        await page.go(`file://${file}`);
        await page.until("window.liveAfter");
        live.push(await page.run("window.liveAfter"));
        still.push(await page.run(
          "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? liveAfter"));
        edits.push(...await page.run(clicks));
        await page.close();
      }
      console.log(`${name}, ${size.width} wide, ${Math.round(statSync(file).size / 1000)} kB: ` +
                  `picture after ${Math.round(median(still))} ms, live after ` +
                  `${Math.round(median(live))} ms, an edit in ${median(edits).toFixed(1)} ms`);
    }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
