// Tests a live page as a reader uses it: mouse, finger, keys, a question, undo, NaN, leaks, themes, text
// that looks like code, and requests to the network.
// page.mjs PROGRAM [PICTURE]: PICTURE is where the phone's picture for the documents goes.

import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";

import { Browser, chromiumOrSkip, control, laptop, phone, shift } from "./browser.mjs";

const [, , program, picture] = process.argv;
chromiumOrSkip(program);
const folder = mkdtempSync(join(tmpdir(), "maskscope-page-"));
const lesson = join(folder, "lesson.html");
const masks = "additive-or-multiplicative";

let failures = 0;
function check(holds, what) {
  if (holds) return;
  ++failures;
  console.error(`not so: ${what}`);
}

// Returns the selector of a heatmap's cell: `key` as in calls.h, row and column from 0.
const cell = (key, i, j) =>
  `[data-key="${key}"] tbody tr:nth-child(${i + 1}) td:nth-of-type(${j + 1})`;
const text = (page, selector) =>
  page.run(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? null`);
const key_of = (page, stage, lane) => page.run(
  `[...page.heatmaps.values()].find(({ map }) => map.stage === "${stage}" &&
    map.lane === ${lane})?.key`);

async function edits(page, size) {
  const press = (selector) => (size.touch ? page.tap(selector) : page.click(selector));
  const mask = await key_of(page, "allowed", null), weights = await key_of(page, "weights", 1);
  const sum = `[data-key="${weights}"] tbody tr:nth-child(3) .sum span`;
  check(await text(page, sum) === "0.35", `B keeps 0.35 of “name”, got ${await text(page, sum)}`);
  const ringed = await page.run("document.querySelectorAll('[data-ring]').length");
  check(ringed === 1, `one cell is ringed, got ${ringed}`);
  const top = () => page.run(
    "document.querySelector('[data-ring]').getBoundingClientRect().top + scrollY");
  const before = await top();
  await press("[data-ring]");
  check(Math.abs(await top() - before) < 1, `the mask moved from ${before} to ${await top()}`);
  check(await text(page, sum) === "0.91", `after the click 0.91, got ${await text(page, sum)}`);
  check(await page.run("!document.getElementById('tried').hidden"), "the Try is done");
  check((await text(page, "#words")).includes("keeps 35%"), "the caption is that of the step");
  check(await page.run("document.getElementById('verdict').className") === "fails",
        "the fact no longer holds");
  await press("#undo");
  check(await text(page, sum) === "0.35", "Undo");
  await press("#redo");
  check(await text(page, sum) === "0.91", "Redo");
  await press("#restore");
  check(await text(page, sum) === "0.35", "Restore");

  // Uses keys alone.
  await page.run(`document.querySelector('${cell(mask, 0, 0)}').focus()`);
  for (const key of ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight"])
    await page.key(key);
  await page.key(" ");
  check(await text(page, sum) === "0.91", "Space toggles the cell in focus");
  check(await page.run("document.activeElement.getAttribute('aria-label')") === "name → Luke: 1, allowed",
        "the cell says what it is");
  check((await text(page, "#spoken")).includes("Done"), "a screen reader hears that it is done");
  await page.key("z", control);
  check(await text(page, sum) === "0.35", "Ctrl+Z");
  await page.key("z", control | shift);
  check(await text(page, sum) === "0.91", "Ctrl+Shift+Z");
  await page.key("r");
  check(await text(page, sum) === "0.35", "R restores");

  // Blocks every key of a row.
  for (const j of [0, 1, 2]) await press(cell(mask, 2, j));
  const nan = await page.run("document.querySelectorAll('.heatmap td.nan').length");
  check(nan >= 6, `the row of A is NaN, got ${nan} cells`);
  check(await page.run("!!document.querySelector('#legend .nan')"), "the legend explains NaN");
  await press("#restore");

  // Applies the mask in another way, so that weight leaks.
  const apply = 'select[data-lane="1"][data-setting="mask.apply"]';
  await page.run(`(() => {
    const field = document.querySelector('${apply}');
    field.value = [...field.options].find(({ text }) => text === "Multiplied before the softmax").value;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  })()`);
  check(await page.run("document.querySelectorAll('.heatmap td.leaks').length") > 0, "weight leaks");
  check(await page.run("!!document.querySelector('#legend .leaks')"), "the legend explains leaks");
  const hasDots = (lane) => page.run(`[...document.querySelectorAll('.heatmap.ones')].some((each) =>
    each.dataset.key.startsWith("${lane}.weights"))`);
  check(await hasDots("A"), "rows that all sum to 1 have dots");
  check(!await hasDots("B"), "rows that leak have bars, though they sum to 1");
  await press("#restore");

  // Types other tokens; what is typed without a pause is one undo step.
  await press("#sentences input");
  await page.run("document.activeElement.select()");
  for (const letter of "a b <b>") await page.type(letter);
  check(await page.run("page.result.blocks[0].queries.join()") === "a,b,<b>", "tokens are typed");
  check(await page.run("document.querySelectorAll('.heatmap b').length") === 0, "text is not run as code");
  await page.run("document.activeElement.blur()");
  await press("#undo");
  check(await page.run("page.result.blocks[0].queries.length") === 6, "typing is undone in one step");

  // Shows how a number was computed.
  await press(cell(weights, 2, 1));
  check(await page.run("!document.getElementById('card').hidden"), "the card opens");
  check((await text(page, "#card h2")).includes("name attends to My"), await text(page, "#card h2"));
  await page.key("Escape");
  check(await page.run("document.getElementById('card').hidden"), "Escape closes the card");
  await page.run(`document.querySelector('${cell(weights, 2, 1)}').focus()`);
  await page.key("Enter");
  check(await page.run("document.activeElement.id") === "card", "Enter opens the card, and goes there");
  await page.key("Escape");
  check(await page.run(`document.activeElement === document.querySelector('${cell(weights, 2, 1)}')`),
        "and back");
}

async function questions(page) {
  await page.run("document.querySelectorAll('#dots button')[1].click()");
  check(await page.run("page.words.covered && location.hash === '#2'"), "step 2 asks");
  check(await text(page, "#next") === "Show answer", "the button shows the answer");
  check(await page.run("document.getElementById('asked').hidden"), "the question is there once");
  await page.key("PageDown");
  check(await page.run("!page.words.covered"), "Page Down shows the answer");
  check(await text(page, "#asked") === await page.run("page.words.ask"), "the question stays");
  check(await text(page, "#words") === await page.run("page.words.caption"), "below it, the caption");
  await page.key("PageDown");
  await page.key("PageUp");
  check(await page.run("page.step === 1 && !page.words.covered"), "Back is never to the question");
  await page.run("location.hash = '#1'");
  await page.until("page.step === 0", 5);
}

async function looks(browser, size) {
  const page = await browser.open(`file://${lesson}`, size, { "prefers-color-scheme": "dark" });
  const colour = (selector) =>
    page.run(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`);
  check(await colour("body") === "rgb(20, 22, 26)", `dark: ${await colour("body")}`);
  await page.media({ "prefers-color-scheme": "light" });
  check(await colour("body") === "rgb(255, 255, 255)", `light: ${await colour("body")}`);
  await page.media({ "forced-colors": "active" });
  check(await page.run("page.theme") === "high_contrast", "forced colours have more contrast");
  await page.media({ "prefers-reduced-motion": "reduce" });
  const moves = await page.run(
    "getComputedStyle(document.querySelector('#dots button'), '::before').transitionDuration");
  check(moves === "0s", `reduced motion: ${moves}`);
  await page.close();
}

// On paper a page is light, whatever the screen's theme: the words are there, and no heatmap is cut off.
async function prints(browser, size) {
  const page = await browser.open(`file://${lesson}`, size, { "prefers-color-scheme": "dark" });
  await page.run(`addEventListener("beforeprint", () => {
    const paper = 718, zoom = 0.7;  // A4 between usual margins; see page.css
    const at = (element) => element.getBoundingClientRect(), fork = document.querySelector("#fork");
    const ends = [...fork.querySelectorAll("table")].map((table) =>
      (at(table).right - at(fork).left) * zoom);
    window.printed = { theme: page.theme, fits: Math.max(...ends) <= paper };
  })`);
  const paper = { printBackground: false, paperWidth: 8.27, paperHeight: 11.69 };
  const { data } = await page.send("Page.printToPDF", paper);
  const file = join(folder, "page.pdf");
  writeFileSync(file, Buffer.from(data, "base64"));
  const { theme, fits } = await page.run("window.printed");
  check(theme === "print", `it is printed in the colours of ${theme}`);
  check(fits, "it is wider than paper");
  check(await page.run("page.theme") === "dark", "on the screen it is dark again");
  const words = spawnSync("pdftotext", [file, "-"], { encoding: "utf8" });
  if (!words.error)
    for (const word of ["Two ways to hide the future", "Mask", "Weights", "0.35"])
      check(words.stdout.includes(word), `“${word}” is not printed`);
  const pixels = spawnSync("pdftoppm", ["-r", "20", "-gray", file], { encoding: "latin1" });
  if (pixels.error) return page.close();
  const grey = Buffer.from(pixels.stdout, "latin1").subarray(20);
  const mean = grey.reduce((sum, pixel) => sum + pixel, 0) / grey.length;
  check(mean > 220, `on average, the paper has a grey of ${Math.round(mean)} of 255`);
  await page.close();
}

// Without scripts, the page shows a sentence, and the picture of the first step.
async function still(browser) {
  const page = await browser.open(`file://${lesson}`, laptop);
  await page.send("Emulation.setScriptExecutionDisabled", { value: true });
  await page.send("Page.reload");
  await new Promise((wake) => setTimeout(wake, 1500));
  const { root } = await page.send("DOM.getDocument", { depth: -1 });
  const find = async (selector) =>
    (await page.send("DOM.querySelector", { nodeId: root.nodeId, selector })).nodeId;
  check(await find("#static noscript p"), "it says that it needs scripts");
  check(await find("#static svg"), "and shows a picture");
  await page.close();
}

// In an old browser the page shows the same as without scripts, and says what it needs. It also
// works in a viewer that does not let it change its address.
async function elsewhere(browser) {
  const without = (script) => browser.open(`file://${lesson}`, phone, {}, script);
  const said = await without("delete globalThis.DecompressionStream")
    .catch((failed) => failed.message);
  check(said === "This page needs a browser from 2023 or later.", `in an old browser: ${said}`);
  const page = await without("history.replaceState = () => { throw new Error('no'); }");
  await page.tap("#next");
  check(await page.run("page.step === 1"), "a viewer that keeps its address");
  await page.close();
}

// The page has no controls for what the export sheet forbids.
async function restricted(browser) {
  const data = /(const packedData = ")([^"]+)/, html = readFileSync(lesson, "utf8");
  const whole = JSON.parse(gunzipSync(Buffer.from(data.exec(html)[2], "base64")));
  const file = join(folder, "restricted.html");
  const found = async (forbidden) => {
    const allows = { ...whole.allows, [forbidden]: false };
    const packed = gzipSync(JSON.stringify({ ...whole, allows })).toString("base64");
    writeFileSync(file, html.replace(data, `$1${packed}`));
    const page = await browser.open(`file://${file}#2`, laptop);
    const questions = await page.run("page.words.covered");
    await page.run("location.hash = '#1'");
    await page.until("page.step === 0", 5);
    const mask = await key_of(page, "allowed", null);
    await page.click(cell(mask, 2, 4));
    await page.click(cell(mask, 2, 3));
    const seen = (selector) => page.run(`[...document.querySelectorAll("${selector}")]
      .some((each) => each.checkVisibility())`);
    const now = {
      questions, mask: await page.run("page.groups.length === 2"),
      tokens: await seen("#sentences input"),
      settings: await seen(".settings select"),
    };
    const isGrid = await page.run("!!document.querySelector('[role=grid]')");
    check(now.mask === isGrid, `without ${forbidden}: the mask is a grid: ${isGrid}`);
    const folded = { mask: "Settings", settings: "Mask rules" }[forbidden] || "Mask rules and settings";
    check(await text(page, ".settings summary") === folded, `without ${forbidden}: ${folded}`);
    check(page.errors.length === 0, page.errors.join("\n"));
    await page.close();
    return now;
  };
  const all = { questions: true, mask: true, tokens: true, settings: true };
  check(JSON.stringify(whole.allows) === JSON.stringify(all), `all is allowed: ${whole.allows}`);
  for (const forbidden of Object.keys(all)) {
    const now = JSON.stringify(await found(forbidden));
    check(now === JSON.stringify({ ...all, [forbidden]: false }), `without ${forbidden}: ${now}`);
  }
}

// Text that looks like code stays text.
async function hostile(browser) {
  const evil = ["</script><script>window.evil=1</script>", "<img src=x onerror=window.evil=2>",
                "a\u2028b", "\"'`${1}", "日本"];
  const scene = {
    maskscope: 1, title: evil[0], sequences: [{ queries: evil }],
    inputs: { kind: "embedding", seed: 1, heads: 1, d_k: 4, d_v: 4 },
    variants: [{ name: evil[1], mask: { layers: [{ kind: "causal" }] } }],
  };
  const file = join(folder, "evil.json"), out = join(folder, "evil.html");
  writeFileSync(file, JSON.stringify(scene));
  execFileSync(program, ["export", file, "--out", out, "--live"]);
  check(!readFileSync(out, "utf8").includes(evil[0]), "code is not in the file as it was typed");
  const page = await browser.open(`file://${out}`, laptop);
  check(await page.run("window.evil === undefined"), "nothing of a scene is run");
  const shown = await page.run("document.querySelector('.heatmap tbody th').textContent");
  check(shown === evil[0], `the token is shown as it is, got ${shown}`);
  // Typed text is not run as code either. Too many tokens are refused with a visible message.
  const type = (text) => page.run(`(() => {
    const input = document.querySelector("#sentences input");
    input.value = ${JSON.stringify(text)};
    input.dispatchEvent(new Event("input", { bubbles: true }));
  })()`);
  await type(`<img/src=x/onerror=window.evil=3> ${evil[0].replace(" ", "")} \u2028 "a \\" b"`);
  check(await page.run("window.evil === undefined"), "nothing that is typed is run");
  check(await page.run("page.result.blocks[0].queries.at(-1)") === 'a " b', "a quoted token");
  const before = await page.run("page.result.blocks[0].queries.length");
  await type("t ".repeat(65));
  check(await text(page, "#message") === "A live page shows at most 64 tokens, but this scene has 65.",
        `65 tokens: ${await text(page, "#message")}`);
  check(await page.run("page.result.blocks[0].queries.length") === before, "they change nothing");
  check(await page.run(`(() => {
    const at = document.getElementById("message").getBoundingClientRect();
    return at.height > 0 && at.top >= 0 && at.bottom <= innerHeight;
  })()`), "the refusal is in sight");
  await type("t ".repeat(64));
  check(await page.run("document.getElementById('message').hidden"), "64 tokens are shown");
  check(page.requests.length === 1, `one request: ${page.requests}`);
  check(page.errors.length === 0, page.errors.join("\n"));
  await page.close();
}

// A folder of pages opens without a server: its pages share the core, and its list leads to their steps.
async function site(browser) {
  const out = join(folder, "site/");
  execFileSync(program, ["export", `lesson:${masks}`, "--out", out, "--live"]);
  const page = await browser.open(`file://${out}${masks}.html`, laptop);
  check(page.requests.length === 2 && page.requests[1].endsWith("/core.js"), `${page.requests}`);
  check(page.errors.length === 0, page.errors.join("\n"));
  await page.send("Page.navigate", { url: `file://${out}index.html` });
  await page.until("document.querySelector('section a[href$=\"#3\"]')");
  await page.click("section a[href$='#3']");
  await page.until("window.page && window.page.result");
  check(await page.run("page.step === 2"), "the list leads to the third step");
  await page.close();
}

// An edit must be drawn within 16 ms, the time of a frame. Only the fastest of many edits counts,
// because the machine may be busy.
async function speed(browser) {
  const scene = {
    maskscope: 1, title: "Twelve", sequences: [{ queries: [..."abcdefghijkl"] }],
    inputs: { kind: "embedding", seed: 1, heads: 1, d_k: 8, d_v: 8 },
    variants: [{ name: "A", mask: { layers: [{ kind: "causal" }] } },
               { name: "B", mask: { layers: [{ kind: "causal" }], apply: "multiply_weights" } }],
    show: { stages: ["scaled", "softmax", "weights"] },
  };
  const file = join(folder, "twelve.json"), out = join(folder, "twelve.html");
  writeFileSync(file, JSON.stringify(scene));
  execFileSync(program, ["export", file, "--out", out, "--live"]);
  const page = await browser.open(`file://${out}`, laptop);
  const times = await page.run(`(() => {
    const times = [], drawn = [];
    for (let k = 0; k < 40; ++k) {
      const begin = performance.now();
      page.core.edit(page.handle, { op: "cell", i: 3, j: 5 });
      const result = page.core.compute(page.handle);
      times.push(performance.now() - begin);
      page.draw();
      document.body.offsetHeight;
      drawn.push(performance.now() - begin);
    }
    const best = (list) => Math.round(100 * Math.min(...list)) / 100;
    const middle = (list) => Math.round(100 * list.sort((x, y) => x - y)[20]) / 100;
    return { core: best(times), drawn: best(drawn), usual: middle(drawn) };
  })()`);
  console.log(`an edit of 12 tokens: ${times.core} ms in the core, ${times.drawn} ms drawn ` +
              `(usually ${times.usual} ms)`);
  check(times.core <= 5, `an edit takes ${times.core} ms in the core`);
  check(times.drawn <= 16, `an edit is drawn in ${times.drawn} ms`);
  await page.close();
}

// Runs axe-core, if AXE names its file (from npm).
async function accessible(browser, size) {
  const axe = process.env.AXE;
  if (!axe || !existsSync(axe)) return;
  const wide = join(folder, "break-it.html");  // its pictures scroll sideways on a phone
  execFileSync(program, ["export", "lesson:break-it", "--out", wide, "--live"]);
  for (const file of [lesson, wide]) await isAccessible(browser, size, file, axe);
}

async function isAccessible(browser, size, file, axe) {
  const page = await browser.open(`file://${file}#2`, size);
  await page.run(`${readFileSync(axe, "utf8")};0`);
  for (const state of ["asks", "answered", "card"]) {
    if (state === "answered") await page.run("void page.uncover('')");
    if (state === "card")
      await page.run("void page.openCard([...page.heatmaps.values()].pop().cells[0], true)");
    const found = await page.run(`axe.run().then(({ violations }) => violations.map((each) =>
      each.id + ": " + each.nodes.map((node) => node.target.join(" ")).join(", ")))`);
    check(found.length === 0, `axe, ${file}, ${size.width} wide, ${state}: ${found.join("\n")}`);
  }
  await page.close();
}

const browser = await Browser.start();
try {
  execFileSync(program, ["export", `lesson:${masks}`, "--out", lesson, "--live"]);
  for (const size of [phone, laptop]) {
    const page = await browser.open(`file://${lesson}`, size);
    if (size === phone) {
      const file = join(folder, "phone.png");
      await page.picture(file);
      if (picture) copyFileSync(file, picture);
    }
    await edits(page, size);
    await questions(page);
    check(page.errors.length === 0, page.errors.join("\n"));
    check(page.requests.length === 1, `one request: ${page.requests}`);
    const isRefused = await page.run("fetch('data:,x').then(() => false, () => true)");
    check(isRefused, "its policy refuses every connection");
    await page.close();
    await looks(browser, size);
    await prints(browser, size);
    await accessible(browser, size);
  }
  await still(browser);
  await elsewhere(browser);
  await restricted(browser);
  await hostile(browser);
  await site(browser);
  await speed(browser);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
process.exit(failures ? 1 : 0);
