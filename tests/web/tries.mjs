// Goes through every step of every lesson like a reader, on a phone and on a laptop: the answer is not
// in the document before it is shown, the Try is followed by clicks, keys and menus, and the page says
// that it is done.
// tries.mjs PROGRAM [LESSON…]

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Browser, chromiumOrSkip, laptop, phone } from "./browser.mjs";

const [, , program, ...chosen] = process.argv;
chromiumOrSkip(program);
const folder = mkdtempSync(join(tmpdir(), "maskscope-tries-"));
const names = chosen.length ? chosen
  : execFileSync(program, ["lessons"], { encoding: "utf8" }).trim().split("\n")
    .map((line) => line.split("\t")[0]);

let failures = 0;
const counts = { steps: 0, asked: 0, tries: 0, byHand: 0 };
function check(holds, what) {
  if (holds) return;
  ++failures;
  console.error(what);
}

// Returns what the Try sets as a reader's actions: cells to click, menus, fields and a sentence. The
// rest is left to the button that does it.
const plan = `(() => {
  const step = page.steps[page.step], sets = step.try_sets || {};
  const scene = page.core.scene(page.handle), wanted = JSON.parse(JSON.stringify(scene));
  const put = (pointer, value) => {
    const path = pointer.slice(1).split("/").map((part) => part.replace(/~1/g, "/").replace(/~0/g, "~"));
    const last = path.pop();
    const at = path.reduce((object, part) => (object[part] === undefined ? (object[part] = {}) : object[part]), wanted);
    at[last] = value;
  };
  for (const [pointer, value] of Object.entries(sets)) put(pointer, value);
  const valueAt = (pointer) => pointer.slice(1).split("/")
    .reduce((object, part) => object?.[part], page.core.scene(page.handle));
  // Returns the menu's entry that makes the value, or what is typed.
  const settingOf = (pointer, value) => {
    const [, lane, path] = /^\\/variants\\/(\\d+)\\/(.+)$/.exec(pointer) || [];
    const found = lane && page.words.settings[lane].find(({ setting }) =>
      (path + "/").startsWith(setting.replace(".", "/") + "/"));
    if (!found) return null;
    const { setting, choices, text } = found, of = { lane: Number(lane), setting };
    const makes = (words, choice) => {
      let changed;
      try {
        ({ changed } = page.core.edit(page.handle, { op: "choose", ...of, choice }));
      } catch (refused) {
        return false;
      }
      const made = JSON.stringify(valueAt(pointer)) === JSON.stringify(value);
      if (changed) page.core.edit(page.handle, { op: "undo" });
      return made;
    };
    const choice = choices.findIndex(makes);
    if (choice >= 0) return { kind: "choose", ...of, choice };
    return text === null ? null : { kind: "type", ...of, text: String(value) };
  };
  const actions = [];
  let masks = false;
  for (const [pointer, value] of Object.entries(sets)) {
    const set = settingOf(pointer, value);
    const sentence = /^\\/sequences\\/(\\d+)\\/(queries|keys)(\\/|$)/.exec(pointer);
    if (/^\\/variants\\/\\d+\\/mask\\/layers/.test(pointer)) {
      masks = true;
    } else if (set) {
      actions.push(set);
    } else if (sentence) {
      const tokens = wanted.sequences[sentence[1]][sentence[2]];
      const words = tokens.map((token) => (/^[^\\s"\\\\]+$/.test(token) ? token : JSON.stringify(token)));
      actions.push({ kind: "sentence", b: Number(sentence[1]), side: sentence[2], text: words.join(" ") });
    }
  }
  if (masks) {
    try {
      const only = page.core.load(JSON.stringify(wanted)).handle, clicks = [];
      let isWhole = true;
      const ofLane = (handle, lane) => {
        const { at, shape } = page.core.stage(handle, lane, "allowed");
        return { cells: Array.from(page.core.doubles(at, shape.reduce((x, y) => x * y))), shape };
      };
      page.core.compute(only);
      scene.variants.forEach((variant, lane) => {
        const now = ofLane(page.handle, lane), then = ofLane(only, lane);
        const [, h, n, k] = now.shape;
        if (then.cells.length !== now.cells.length) return void (isWhole = false);
        now.cells.forEach((value, at) => {
          if (value === then.cells[at]) return;
          const j = at % k, i = Math.floor(at / k) % n;
          const head = Math.floor(at / k / n) % h, b = Math.floor(at / k / n / h);
          const map = [...page.heatmaps.values()].find(({ map: { stage, lane: own }, block }) =>
            stage === "allowed" && (own === null || own === lane) && block.b === b && block.h === head);
          if (!map) return void (isWhole = false);
          const key = map.key;
          if (!clicks.some((click) => click.key === key && click.i === i && click.j === j))
            clicks.push({ kind: "cell", key, i, j });
        });
      });
      page.core.close(only);
      if (isWhole) actions.push(...clicks);
    } catch (failed) {
      // the fields alone are not a scene
    }
  }
  return actions;
})()`;

async function follow(page, size) {
  const actions = await page.run(plan);
  for (const action of actions) {
    if (action.kind === "cell") {
      const selector = `[data-key="${action.key}"] tbody tr:nth-child(${action.i + 1}) ` +
                       `td:nth-of-type(${action.j + 1})`;
      await (size.touch ? page.tap(selector) : page.click(selector));
    } else if (action.kind !== "sentence") {
      await page.run(`(() => {
        const { kind, lane, setting, choice, text } = ${JSON.stringify(action)};
        const [menu, typed] = ["select", "input"].map((tag) =>
          document.querySelector(tag + '[data-lane="' + lane + '"][data-setting="' + setting + '"]'));
        const change = (field, value) => {
          field.value = value;
          field.dispatchEvent(new Event("change", { bubbles: true }));
        };
        if (kind === "choose") return change(menu, choice);
        if (menu) change(menu, "typed");
        change(typed, text);
        typed.blur();
      })()`);
    } else {
      await page.run(`(() => {
        const { b, side, text } = ${JSON.stringify(action)};
        const input = [...document.querySelectorAll("#sentences input")]
          .find((each) => each.dataset.b === String(b) && each.dataset.side === side);
        input.focus();
        input.value = text;
        input.dispatchEvent(new Event("input", { bubbles: true }));
        input.dispatchEvent(new Event("change", { bubbles: true }));
      })()`);
    }
  }
  const done = await page.run("page.words.try_done === true");
  if (!done) await (size.touch ? page.tap("#follow") : page.click("#follow"));
  return actions.length > 0 && done;
}

// Returns what a reader sees and hears: the text of the live part, and the labels of the document.
const document_text = `(() => {
  const labels = [...document.querySelectorAll("[aria-label], [title]")]
    .map((each) => (each.getAttribute("aria-label") || "") + " " + (each.title || ""));
  return document.getElementById("live").textContent + labels.join(" ");
})()`;

async function walk(page, name, size) {
  const steps = await page.run("page.opened.steps.length");
  for (let step = 0; step < steps; ++step) {
    const at = `${name}/${step + 1} (${size.width} wide)`;
    ++counts.steps;
    await page.run(`document.querySelectorAll("#dots button")[${step}].click()`);
    if (await page.run("page.words.covered")) {
      ++counts.asked;
      const before = await page.run(document_text);
      const covered = await page.run(`[...document.querySelectorAll(".covered td")].filter((cell) =>
        cell.textContent || cell.className || cell.ariaLabel || cell.getAttribute("style")).length`);
      check(covered === 0, `${at}: ${covered} covered cells show something`);
      await page.click("#said");
      await page.type("0.5");
      await page.key("Enter");
      check(!await page.run("page.words.covered"), `${at}: Enter does not show the answer`);
      const { caption, verdict } = await page.run("page.words");
      for (const words of [caption, verdict])
        check(!words || !before.includes(words), `${at}: “${words}” was in the document before`);
      check(await page.run("document.getElementById('answered').textContent.length > 0"),
            `${at}: nothing is said of the answer`);
    }
    const wide = await page.run("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    check(wide <= 0, `${at}: scrolls sideways by ${wide}`);
    const [hasMask, needsMask] = await page.run(`(() => {
      const { show = {}, variants } = page.steps[page.step].scene;
      const blocks = ({ mask }) => (mask?.layers || []).some(({ kind }) => kind !== "bias");
      return [[...page.heatmaps.values()].some(({ map }) => map.stage === "allowed"),
              !!show.ring || (show.stages || []).includes("allowed") || variants.some(blocks)];
    })()`);
    check(hasMask === needsMask, `${at}: it ${needsMask ? "needs a" : "has a needless"} mask`);
    const scale = await page.run(`(() => {
      const svg = document.querySelector("#picture:not([hidden]) svg");
      return svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
    })()`);
    check(scale > 0.65, `${at}: a point of its picture is ${scale} pixels`);
    if (size.touch) {
      const small = await page.run(`[...document.querySelectorAll("#live button, #live select, #live input")]
        .filter((each) => each.offsetParent && each.getBoundingClientRect().height < 43.9)
        .map((each) => each.id || each.textContent)`);
      check(small.length === 0, `${at}: lower than 44 pixels: ${small}`);
      const narrow = await page.run(`[...page.heatmaps.values()].filter((each) =>
        each.map.columns <= 8 && each.figure.offsetParent && each.cells && each.cells.length &&
        each.cells[0].getBoundingClientRect().width < 35.5).map((each) => each.key)`);
      check(narrow.length === 0, `${at}: cells narrower than 36 pixels: ${narrow}`);
      const cut = await page.run(`[...document.querySelectorAll(".scroller")].filter((each) =>
        each.offsetParent && each.scrollWidth > each.clientWidth + 1 &&
        each.querySelectorAll("thead th:not(.sums)").length <= 8).length`);
      check(cut === 0, `${at}: ${cut} heatmaps scroll sideways`);
    }
    if (await page.run("page.words.try_done === false")) {
      ++counts.tries;
      if (await follow(page, size)) ++counts.byHand;
      const done = await page.run("page.words.try_done === true && !document.getElementById('tried').hidden");
      check(done, `${at}: the Try is not done: ${await page.run("page.words.try + ' | ' + document.getElementById('message').textContent")}`);
      await page.run("document.getElementById('restore').click()");
      check(await page.run("page.words.try_done !== true"), `${at}: restored, the Try is still done`);
    }
  }
  check(page.errors.length === 0, `${name}: ${page.errors.join("\n")}`);
  check(page.requests.length === 1, `${name}: it asked for ${page.requests.slice(1)}`);
}

const browser = await Browser.start();
try {
  for (const name of names) {
    const file = join(folder, `${name}.html`);
    execFileSync(program, ["export", `lesson:${name}`, "--out", file, "--live"]);
    for (const size of [phone, laptop]) {
      const page = await browser.open(`file://${file}`, size);
      await walk(page, name, size);
      await page.close();
    }
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
console.log(`${counts.steps} steps, ${counts.asked} asked, ${counts.tries} Tries, ` +
            `${counts.byHand} of them with clicks, menus and fields alone`);
process.exit(failures ? 1 : 0);
