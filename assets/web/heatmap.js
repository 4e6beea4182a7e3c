// A heatmap as a table: the numbers are its text, the colours and signs its style. `look` is written
// into the page from the program's own tables.

const signs = { blocked: 1, leaks: 2, nan: 4, plusInfinity: 8, minusInfinity: 16, zero: 32,
                missing: 64 };

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : value);
  element.append(...children);
  return element;
}

// Sets what differs: most of a page stays as it is from edit to edit.
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// --- colours

function luminance([r, g, b]) {
  const light = (byte) => {
    const c = byte / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
}

// The lines over a fill: black or white, as strong as `look.hatchContrast` requires.
const hatchColours = new Map();
function hatchOn(fill, isLight) {
  const key = fill.join();
  if (hatchColours.has(key)) return hatchColours.get(key);
  const ink = isLight ? 255 : 0, own = luminance(fill) + 0.05;
  const mixed = (share) => fill.map((c) => Math.round(c + (ink - c) * share));
  let low = 0, high = 1;
  for (let k = 0; k < 6; ++k) {
    const share = (low + high) / 2, other = luminance(mixed(share)) + 0.05;
    if (Math.max(own, other) / Math.min(own, other) < look.hatchContrast) low = share;
    else high = share;
  }
  const colour = `rgb(${mixed(high)})`;
  hatchColours.set(key, colour);
  return colour;
}

// --- one cell

// What is drawn of a cell: the classes of its signs, and the two colours that they do not give.
function cellLook(map, data, at) {
  const sign = data.signs[at], blocked = (sign & signs.blocked) !== 0;
  const isMask = map.stage === "allowed", zero = (sign & signs.zero) !== 0;
  const alone = blocked && (isMask || (zero && (map.share || map.stage === "sensitivity")));
  const classes = [];
  let fill = "", hatch = "";
  if (sign & signs.nan) {
    classes.push("nan");
  } else if (alone || data.fills[4 * at + 3] === 0) {
    if (isMask && !blocked) classes.push("allowed");
    if (!blocked && sign & signs.minusInfinity) classes.push("minus");
    if (sign & signs.plusInfinity) classes.push("plus");
  } else {
    const rgb = [...data.fills.subarray(4 * at, 4 * at + 3)];
    fill = `rgb(${rgb})`;
    if (data.light[at]) classes.push("light");
    else classes.push("dark");
    if (blocked) hatch = hatchOn(rgb, data.light[at] !== 0);
  }
  if (blocked) classes.push("blocked");
  if (sign & signs.leaks) classes.push("leaks");
  if (sign & signs.missing) classes.push("missing");
  return { name: classes.join(" "), fill, hatch, text: alone ? "" : isMask ? "1" : data.texts[at] };
}

// Cells of the same look differ in nothing.
function drawCell(cell, drawn) {
  const before = cell.drawn || {};
  if (before.name !== drawn.name) cell.className = drawn.name;
  if (before.fill !== drawn.fill) cell.style.setProperty("--fill", drawn.fill || null);
  if (before.hatch !== drawn.hatch) cell.style.setProperty("--lines", drawn.hatch || null);
  if (before.text !== drawn.text) cell.firstChild.textContent = drawn.text;
  cell.drawn = drawn;
}

// --- row sums

// The bar of one row. Solid is weight on allowed keys, hatched is weight that leaks, and what is
// missing to 1 is lost.
function drawSum(cell, sum, leaked) {
  const [bar, words] = cell.children;
  const wrong = leaked > 0 || sum.nan;
  const calm = sum.is_one || sum.by_design || sum.zeroed;
  const state = sum.nan ? "wrong undefined" : sum.zeroed ? "zeroed" : wrong ? "wrong" : calm ? "right" : "odd";
  const total = sum.nan || sum.zeroed ? 0 : Number(sum.sum);
  const share = Number.isFinite(leaked) ? Math.min(1, Math.max(0, leaked)) : 1;
  const kept = share === 1 && !Number.isFinite(total) ? 0 : Math.min(1, Math.max(0, total - leaked));
  const above = !sum.nan && !calm && total > 1;
  const name = `sum ${state}${calm || leaked > 0 ? " kept" : ""}${above ? " above" : ""}`;
  if (cell.className !== name) cell.className = name;
  bar.style.setProperty("--kept", `${100 * kept}%`);
  bar.style.setProperty("--leaked", `${100 * Math.min(share, 1 - kept)}%`);
  const text = sum.is_one ? "1" : sum.by_design ? `${sum.text} by design` : sum.text;
  setText(words, sum.nan ? "NaN" : sum.zeroed ? "empty" : text);
}

// --- the table

let measuring = null;
function widthOf(text, size) {
  measuring = measuring || document.createElement("canvas").getContext("2d");
  measuring.font = `500 ${size}px Inter, system-ui, sans-serif`;
  return measuring.measureText(text).width;
}

// One heatmap of the fork. It is made once for a step and drawn again when its numbers change.
class Heatmap {
  // edits: whether the reader may edit a mask.
  constructor(key, edits) {
    this.key = key;
    this.edits = edits;
    this.shape = "";
    this.hash = "";
    this.title = make("h2");
    this.table = make("table");
    this.operations = make("p", { class: "operations" });
    this.figure = make("section", { class: "heatmap" }, this.operations, this.title,
                       make("div", { class: "scroller" }, this.table));
    this.at = { i: 0, j: 0 };
    this.table.addEventListener("keydown", (event) => this.onKey(event));
    this.table.addEventListener("focusin", (event) => this.onFocus(event));
  }

  get isMask() { return this.edits && this.map.stage === "allowed" && !this.map.covered; }

  // place: the side of a cell, the width of a row's label, whether rows show theirs, the sums of the
  // rows, and the cell that is ringed.
  draw(map, block, core, handle, place) {
    this.map = map;
    this.block = block;
    this.queries = map.queries || block.queries;
    this.keys = map.of ? null : map.keys || (map.columns === block.keys.length ? block.keys : null);
    this.drawTitle(map);
    this.figure.classList.toggle("covered", map.covered);
    const shape = JSON.stringify([map.rows, map.columns, this.queries, this.keys, place.side,
                                  place.labels, !!place.sums, map.covered, block.pads]);
    if (shape !== this.shape) this.build(place, shape);
    const hash = `${map.hash} ${shape}`;
    if (hash !== this.hash && !map.covered) this.fill(core, handle, place);
    this.hash = hash;
    this.ring(place.ring);
  }

  drawTitle({ title, operations, note: own }) {
    const note = own || (this.isMask ? "click or tap" : "");
    const drawn = JSON.stringify([title, operations, note]);
    if (this.titled === drawn) return;
    this.titled = drawn;
    this.operations.hidden = operations.length === 0;
    this.operations.replaceChildren(...operations.map((word) => make("span", {}, word)));
    this.title.replaceChildren(title, ...(note ? [" ", make("small", {}, note)] : []));
  }

  // The cells are empty: nothing of what is covered is in the document.
  build(place, shape) {
    this.shape = shape;
    this.hash = "";
    const { rows, columns, title, covered } = this.map;
    const focused = this.table.contains(document.activeElement);
    this.at = { i: Math.min(this.at.i, rows - 1), j: Math.min(this.at.j, columns - 1) };
    this.figure.style.setProperty("--side", `${place.side}px`);
    this.figure.style.setProperty("--label", `${place.labels ? place.label : 0}px`);
    for (const [name, lengths] of Object.entries(look.lengths))
      this.figure.style.setProperty(`--${name}`,
                                    `${lengths[Math.min(place.side, lengths.length - 1)]}px`);
    const fits = (size) => !this.keys ||
                           this.keys.every((key) => widthOf(key, size) <= place.side + 2);
    const named = fits(Math.min(13, 0.3 * place.side + 1)) ? "" : fits(11) ? "tight" : "turned";
    this.table.className = [named, !place.labels && "bare"].filter(Boolean).join(" ");
    const pads = this.keys && this.block.pads;
    this.columnHeads = Array.from({ length: columns }, (_, j) => {
      const word = this.keys ? this.keys[j] : `${j + 1}`;
      return make("th", { scope: "col", title: word, class: pads && pads[j] && "pad" },
                  make("span", {}, word));
    });
    const head = make("tr", {}, make("td"), ...this.columnHeads);
    if (place.sums) head.append(make("th", { scope: "col", class: "sums" }, make("span", {}, "sum")));
    this.rowHeads = [];
    this.cells = [];
    this.sums = [];
    const body = make("tbody");
    for (let i = 0; i < rows; ++i) {
      const word = this.queries[i] ?? `${i + 1}`;
      this.rowHeads.push(make("th", { scope: "row", title: word }, make("span", {}, word)));
      const row = make("tr", {}, this.rowHeads[i]);
      for (let j = 0; j < columns; ++j) {
        const cell = make("td", { tabindex: i === this.at.i && j === this.at.j ? 0 : -1 },
                          make("span"));
        cell.place = { i, j };
        cell.heatmap = this;
        if (this.isMask) cell.setAttribute("role", "gridcell");
        this.cells.push(cell);
        row.append(cell);
      }
      if (place.sums) {
        this.sums.push(make("td", { class: "sum" }, make("i"), make("span")));
        row.append(this.sums[i]);
      }
      body.append(row);
    }
    const caption = make("caption", { class: "unseen" },
                         covered ? `${title}: covered until the answer is shown` : title);
    this.table.replaceChildren(caption, make("thead", {}, head), body);
    if (this.isMask) this.nameGrid();
    this.ringed = null;
    this.lit = null;
    if (focused) this.cellAt(this.at).focus();
  }

  // The mask is a grid: each cell is a switch.
  nameGrid() {
    this.table.setAttribute("role", "grid");
    this.table.setAttribute("aria-label", `${this.map.title}: Space turns a cell`);
    for (const part of this.table.querySelectorAll("thead, tbody"))
      part.setAttribute("role", "rowgroup");
    for (const row of this.table.querySelectorAll("tr")) row.setAttribute("role", "row");
    this.columnHeads.forEach((cell) => cell.setAttribute("role", "columnheader"));
    this.rowHeads.forEach((cell) => cell.setAttribute("role", "rowheader"));
    this.table.querySelector("thead td").setAttribute("role", "gridcell");
  }

  fill(core, handle, place) {
    const { id, rows, columns } = this.map, count = rows * columns;
    const data = { texts: this.isMask ? [] : this.numbers(core, handle, id, place) };
    data.signs = core.bytes(this.map.signs, count);
    data.fills = core.bytes(this.map.fills, 4 * count);
    data.light = core.bytes(this.map.light, count);
    const values = core.doubles(this.map.values, count);
    this.signs = 0;
    this.cells.forEach((cell, at) => {
      this.signs |= data.signs[at];
      drawCell(cell, cellLook(this.map, data, at));
      if (this.isMask) this.nameCell(cell, (data.signs[at] & signs.blocked) === 0);
    });
    this.sums.forEach((cell, i) => {
      let leaked = 0;
      for (let at = i * columns; at < (i + 1) * columns; ++at)
        if (data.signs[at] & signs.leaks) leaked += values[at];
      drawSum(cell, place.sums[i], leaked);
    });
    // Dots in place of bars, as in the window, if every row sums to 1 and nothing leaks.
    const leaks = this.signs & signs.leaks;
    this.figure.classList.toggle("ones", !leaks && (place.sums || []).every((sum) => sum.is_one));
    this.lost = (place.sums || []).some((sum) => !sum.is_one && !sum.by_design && Number(sum.sum) < 1);
  }

  // In the longest form of which all have room.
  numbers(core, handle, id, place) {
    const size = Math.min(14, Math.max(10.5, 0.3 * place.side));
    for (let form = 0; ; ++form) {
      const texts = core.texts(handle, id, form);
      const widest = Math.max(...texts.map((text) => text.length - 0.5 * text.includes(".")));
      const width = 0.62 * size * widest + 4, fits = width <= place.side;
      if (!fits && form < 2) continue;
      const shrunk = fits ? size : Math.max(8, size * (place.side - 4) / (width - 4));
      this.table.style.setProperty("--number", `${shrunk}px`);
      return texts;
    }
  }

  nameCell(cell, allowed) {
    if (cell.allowed === allowed) return;
    cell.allowed = allowed;
    const { i, j } = cell.place;
    const key = this.keys ? this.keys[j] : j + 1;
    cell.setAttribute("aria-label",
                      `${this.queries[i]} → ${key}: ${allowed ? "1, allowed" : "blocked"}`);
  }

  // The cell that the step is about to have changed.
  ring(place) {
    const cell = place && this.isMask ? this.cellAt(place) : null;
    if (cell === this.ringed) return;
    if (this.ringed) this.ringed.removeAttribute("data-ring");
    if (cell) cell.setAttribute("data-ring", "");
    this.ringed = cell;
  }

  // The query and the key of a cell; its column may be a component.
  tokensOf({ i, j }) {
    return this.map.of === "keys" ? { j: i } : this.keys ? { i, j } : { i };
  }

  cellAt({ i, j }) {
    const { rows, columns } = this.map;
    return i < rows && j < columns ? this.cells[i * columns + j] : null;
  }

  // Its tokens are bold, and the cell outlined, in all heatmaps of these tokens.
  light(place) {
    for (const part of this.lit || []) part.removeAttribute("data-lit");
    this.lit = null;
    if (!place || this.map.covered) return;
    const { i, j } = place, ofKeys = this.keys !== null;
    const parts = [this.rowHeads[this.map.of === "keys" ? j : i],
                   ofKeys && this.columnHeads[j], ofKeys && this.cellAt(place)];
    this.lit = parts.filter(Boolean);
    for (const part of this.lit) part.setAttribute("data-lit", "");
  }

  onKey(event) {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const { rows, columns } = this.map;
    const [down, right] = steps[event.key] || [0, 0];
    const to = { i: this.at.i + down, j: this.at.j + right };
    if (event.key === "Home") to.j = 0;
    else if (event.key === "End") to.j = columns - 1;
    else if (!steps[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    to.i = Math.min(rows - 1, Math.max(0, to.i));
    to.j = Math.min(columns - 1, Math.max(0, to.j));
    this.cellAt(to).focus();
  }

  onFocus(event) {
    const cell = event.target.closest("td");
    if (!cell || !cell.place) return;
    this.cellAt(this.at)?.setAttribute("tabindex", -1);
    this.at = cell.place;
    cell.setAttribute("tabindex", 0);
  }
}
