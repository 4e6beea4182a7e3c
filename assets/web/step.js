// The page: one step at a time, its words, the fork, and what a reader does to them. All that is
// said of a scene comes from the core.

const part = (id) => document.getElementById(id);
const paperWidth = 1000;  // 0.7 of it fits: see page.css
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

class Page {
  constructor(core, data) {
    this.core = core;
    this.data = data;
    this.allows = data.allows;
    this.steps = data.lesson ? data.lesson.steps : [];
    this.answered = new Set();  // steps whose answer was shown
    this.groups = [];           // how many edits of the core each action of the reader was
    this.undone = [];
    this.heatmaps = new Map();
    this.blocks = [];
    for (const [name, bytes] of data.files || []) core.source(name, bytes);
    const opened = core.load(JSON.stringify(data.lesson || data.scene));
    this.handle = opened.handle;
    this.opened = opened;
    this.listen();
    this.drawDots();
    this.enter(this.stepOfAddress());
  }

  get last() { return this.opened.steps.length - 1; }

  // --- steps

  stepOfAddress() {
    const step = Number(location.hash.slice(1)) - 1;
    return Number.isInteger(step) ? Math.min(this.last, Math.max(0, step)) : 0;
  }

  enter(step) {
    const { core, handle } = this;
    this.step = step;
    this.groups = [];
    this.undone = [];
    this.edited = null;
    this.begun = null;
    this.closeCard();
    this.tell("");
    setText(part("spoken"), "");
    const entered = core.step(handle, step);
    core.view(handle, { theme: this.theme });
    // Each head of a view of heads is a fork of its own.
    if (this.shown("view") === "heads")
      core.view(handle, { show: { view: "pipeline", heads: this.shown("heads") || [0, 1] } });
    const asks = this.allows.questions && !this.answered.has(step);
    if (entered.asks && !asks) core.answer(handle, "");
    part("said").value = "";
    document.body.classList.remove("all");
    try {
      history.replaceState(null, "", `#${step + 1}`);
    } catch (refused) {
      // a viewer whose address stays as it is
    }
    this.pointed = null;
    this.draw();
  }

  turn(by) {
    const to = this.step + by;
    if (by > 0 && this.words.covered) return this.uncover("");
    if (to < 0 || to > this.last) return;
    this.enter(to);
    part("words").focus({ preventScroll: true });
    scrollTo(0, 0);
  }

  uncover(said) {
    this.core.answer(this.handle, said);
    this.answered.add(this.step);
    this.draw();
    part("words").focus({ preventScroll: true });
  }

  // --- edits

  // One action of the reader; `edit` is an edit of the core, or several.
  edit(...edits) {
    let done = 0;
    try {
      for (const edit of edits) {
        const { changed, ...state } = this.core.edit(this.handle, edit);
        this.edited = state;
        done += changed ? 1 : 0;
      }
      this.tell("");
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused;
      this.tell(refused.message);
    }
    if (done > 0) this.undone = [];
    return done;
  }

  do(...edits) {
    const done = this.edit(...edits);
    if (done > 0) this.groups.push(done);
    this.draw();
    this.speak();
    return done > 0;
  }

  // As `do`, but what belongs to one gesture is undone as one.
  doMore(gesture, ...edits) {
    const done = this.edit(...edits);
    if (done > 0 && this.gesture === gesture && this.groups.length)
      this.groups[this.groups.length - 1] += done;
    else if (done > 0)
      this.groups.push(done);
    this.gesture = gesture;
    this.draw();
  }

  move(from, to, op) {
    const count = from.pop();
    if (!count) return;
    for (let k = 0; k < count; ++k) this.edited = this.core.edit(this.handle, { op });
    to.push(count);
    this.gesture = null;
    this.tell("");
    this.draw();
    this.speak();
  }
  undo() { this.move(this.groups, this.undone, "undo"); }
  redo() { this.move(this.undone, this.groups, "redo"); }
  restore() { this.do({ op: "restore" }); }

  // --- drawing

  draw() {
    const { core, handle } = this;
    const result = core.compute(handle);
    this.result = result;
    this.words = core.words(handle);
    this.drawWords();
    this.drawPicture();
    this.drawFork();
    this.drawButtons();
  }

  drawDots() {
    const dots = this.opened.steps.map((step, k) => {
      const dot = make("button", { type: "button", "aria-label": `Step ${k + 1}: ${step.title}`,
                                   title: step.title });
      dot.addEventListener("click", () => this.enter(k));
      return make("li", {}, dot);
    });
    part("dots").replaceChildren(...(dots.length > 1 ? dots : []));
  }

  drawButtons() {
    const { covered } = this.words;
    part("undo").disabled = this.groups.length === 0;
    part("redo").disabled = this.undone.length === 0;
    part("restore").disabled = !(this.edited && this.edited.restorable);
    part("back").disabled = this.step === 0;
    part("next").disabled = !covered && this.step === this.last;
    setText(part("next"), covered ? "Show answer" : "Next");
    part("turning").hidden = this.last === 0;
    [...part("dots").querySelectorAll("button")].forEach((dot, k) => {
      dot.classList.toggle("seen", k < this.step);
      if (k === this.step) dot.setAttribute("aria-current", "step");
      else dot.removeAttribute("aria-current");
    });
    setText(part("count"), `${this.step + 1} / ${this.last + 1}`);
  }

  drawWords() {
    const { words, opened } = this, { covered } = words;
    const place = opened.lesson === null ? opened.title
                                         : `Step ${this.step + 1} of ${this.last + 1} · ${words.title}`;
    setText(part("place"), place);
    document.title = opened.lesson === null ? opened.title : `${words.title} · ${opened.title}`;
    const { ask, caption } = this.saidWords;
    this.drawLine("asked", covered ? "" : ask);
    this.drawLine("words", covered ? ask : caption);
    part("answering").hidden = !covered;
    const { answered, answer } = words;
    this.drawLine("answered", answered ? answered.words : answer && `Answer: ${answer}`,
                  answered && !answered.right ? "odd" : "right");
    const [fact] = words.facts;
    this.drawLine("verdict", words.verdict, fact && fact.holds ? "holds" : "fails");
    this.drawTry();
    this.drawExercise();
    this.drawTable();
    this.drawFacts();
    this.drawLine("source", words.source && !covered ? `Source: ${words.source}` : "");
    this.drawSentences();
  }

  // Once the Try is done, the caption is still that of the step as it began.
  get saidWords() {
    const { words } = this, tokens = ({ sentences }) => JSON.stringify(sentences);
    if (!words.covered && !(this.edited && this.edited.restorable)) this.begun = words;
    const isTried = words.try_done && this.begun && tokens(words) === tokens(this.begun);
    return isTried ? this.begun : words;
  }

  drawLine(id, text, state = "") {
    part(id).hidden = !text;
    setText(part(id), text || "");
    part(id).className = state;
  }

  drawTry() {
    const { words } = this, done = words.try_done === true;
    const { try_sets: sets } = this.steps[this.step] || {};
    part("try").hidden = !words.try;
    part("try").classList.toggle("done", done);
    part("follow").hidden = done || !sets;
    this.drawLine("to-try", words.try && `Try: ${words.try}`);
    this.drawLine("tried", done && `Done: ${words.try_shows}`);
  }

  drawExercise() {
    const { exercise, covered } = this.words;
    part("exercise").hidden = !exercise || covered;
    if (!exercise) return;
    const { differing, cells } = exercise, done = differing === 0;
    part("exercise").classList.toggle("done", done);
    setText(part("painted"), done ? `Done: all ${cells} cells are right`
                                  : `${differing} of ${cells} cells are not right yet`);
    part("solve").hidden = done;
  }

  drawTable() {
    const [head, ...body] = this.words.table;
    const row = (tag, texts) => make("tr", {}, ...texts.map((text) =>
      make(tag, { scope: tag === "th" && "col" }, text)));
    part("table").hidden = !head;
    part("table").replaceChildren(...(head ? [make("thead", {}, row("th", head)),
      make("tbody", {}, ...body.map((texts) => row("td", texts)))] : []));
  }

  drawFacts() {
    const { facts } = this.words;
    part("facts").hidden = facts.length === 0;
    const hold = facts.filter((fact) => fact.holds).length;
    setText(part("facts-title"), `Facts: ${hold} of ${facts.length} hold`);
    part("facts-list").replaceChildren(...facts.map((fact) =>
      make("li", { class: fact.holds ? "holds" : "fails" },
           fact.exists ? `${fact.claim}: ${fact.verdict}` : fact.claim)));
  }

  drawPicture() {
    const pictures = (this.data.pictures || {})[this.step];
    const svg = pictures && (this.words.covered ? pictures.ask || this.data.first : pictures.show);
    part("picture").hidden = !svg;
    part("outdated").hidden = !(this.edited && this.edited.restorable);
    if (this.shownSvg === svg) return;
    this.shownSvg = svg;
    const parsed = (text) => new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    const drawn = typeof svg === "string" ? document.adoptNode(parsed(svg)) : svg;
    part("drawing").replaceChildren(...(drawn ? [drawn] : []));
    if (!drawn) return;
    cropPicture(drawn);
    const room = part("drawing");
    room.tabIndex = room.scrollWidth > room.clientWidth ? 0 : -1;  // so that keys scroll it
  }

  // --- the fields of the sentences

  drawSentences() {
    part("sentences").hidden = !this.allows.tokens;
    const fields = [];
    this.words.sentences.forEach((sentence, b) => {
      for (const side of ["queries", "keys"])
        if (typeof sentence[side] === "string")
          fields.push({ b, side, text: sentence[side], of: this.words.sentences.length,
                        both: typeof sentence.keys === "string" });
    });
    const shape = JSON.stringify(fields.map(({ b, side, of }) => [b, side, of]));
    if (shape !== this.sentenceShape) {
      this.sentenceShape = shape;
      part("sentences").replaceChildren(...fields.map((field) => this.sentenceField(field)));
    }
    const inputs = part("sentences").querySelectorAll("input");
    fields.forEach(({ text }, k) => {
      const typing = inputs[k] === document.activeElement && this.gesture === inputs[k];
      if (!typing && inputs[k].value !== text) inputs[k].value = text;
    });
  }

  sentenceField({ b, side, of, both }) {
    const name = both ? (side === "queries" ? "Queries" : "Keys") : "Tokens";
    const input = make("input", { type: "text", autocomplete: "off", autocapitalize: "off",
                                  spellcheck: "false", "data-b": b, "data-side": side });
    input.addEventListener("input", () =>
      this.doMore(input, { op: "sentence", b, side, text: input.value }));
    input.addEventListener("change", () => {
      this.gesture = null;
      this.draw();
      this.speak();
    });
    return make("label", {}, of > 1 ? `${name} of sequence ${b + 1}` : name, input);
  }

  // --- the fork

  masksOf(block) {
    const own = block.lanes.flatMap((lane) => lane.stages.filter((map) => map.stage === "allowed"));
    return block.mask ? [block.mask] : own;
  }

  // What the step claims. On a phone its stage comes first.
  get fact() { return this.steps[this.step] && (this.steps[this.step].facts || [])[0]; }
  get claimed() { return this.fact ? this.fact.of : "weights"; }

  isFirst(map, lane) {
    if (map.of || map.stage === "allowed" || map.stage === this.claimed) return true;
    const has = (stage) => lane && lane.stages.some((other) => other.stage === stage);
    const wanted = has(this.claimed) ? this.claimed : "weights";
    return map.stage === wanted || (lane && !has(wanted) && map === lane.stages[lane.stages.length - 1]);
  }

  drawFork() {
    const { result } = this;
    const width = this.printing ? paperWidth : part("fork").clientWidth;
    const shape = JSON.stringify([width, this.step, this.claimed, result.blocks.map((block) =>
      [block.title, block.columns, block.source, this.heatmapsOf(block).map(({ map, lane }) =>
        [map.key, map.column, map.columns, map.rows, lane && lane.lane]), block.queries, block.keys])]);
    if (shape !== this.forkShape) {
      this.forkShape = shape;
      this.arrange(width);
    }
    result.blocks.forEach((block, k) => this.drawBlock(block, this.blocks[k], k === 0));
    const spread = `${this.words.covered} ${shape}`;  // row sums are covered, too
    if (spread !== this.spread) this.spreadHeads(width);
    this.spread = spread;
    this.drawLegend();
    this.point(this.pointed);
  }

  // The settings of a variant may end right of its heatmaps, where nothing is.
  spreadHeads(width) {
    this.blocks.forEach(({ root, grid, room }, k) => {
      const next = this.blocks[k + 1], isLast = !next || next.root.offsetTop > root.offsetTop;
      const columns = getComputedStyle(grid).gridTemplateColumns.split(" ");
      const used = columns.reduce((sum, column) => sum + parseFloat(column), root.offsetLeft);
      const spread = !room.stacked && !room.abreast && isLast;
      const free = spread ? part("fork").offsetLeft + width - used : 0;
      grid.style.setProperty("--free", `${Math.max(0, free)}px`);
    });
  }

  heatmapsOf(block) {
    const of = (maps, lane = null) => maps.map((map) => ({ map, lane }));
    return [...of(block.earlier), ...of(block.tensors), ...of(block.shared),
            ...(block.mask ? of([block.mask]) : []),
            ...block.lanes.flatMap((lane) => of(lane.stages, lane))];
  }

  heatmapAt(key) {
    if (!this.heatmaps.has(key)) this.heatmaps.set(key, new Heatmap(key, this.allows.mask));
    return this.heatmaps.get(key);
  }

  // Makes the blocks anew: where each heatmap stands, and how large its cells are.
  arrange(width) {
    const before = this.heatmaps;
    this.heatmaps = new Map();
    for (const block of this.result.blocks)
      for (const { map } of this.heatmapsOf(block)) {
        if (before.has(map.key)) this.heatmaps.set(map.key, before.get(map.key));
      }
    this.blocks = this.result.blocks.map((block) => {
      const maps = this.heatmapsOf(block);
      const room = roomOf(block, maps, width);
      const root = make("div", { class: room.stacked ? "block stacked" : "block" });
      if (block.title) root.append(make("h2", {}, capital(block.title)));
      const grid = make("div", { class: "stages" });
      root.append(grid);
      const heads = new Map();
      for (const lane of block.lanes) heads.set(lane.lane, this.laneHead(lane));
      return { root, grid, room, heads };
    });
    this.blocks.forEach((made, k) => this.fillBlock(this.result.blocks[k], made));
    // Where only one is in sight, that of the claim is the first.
    const [b, h] = (this.fact || {}).at || [];
    const claimed = this.result.blocks.findIndex((block) => block.b === b && block.h === h);
    const roots = this.blocks.map((made) => made.root);
    if (width < 700 && claimed > 0) roots.unshift(...roots.splice(claimed, 1));
    part("fork").replaceChildren(...roots);
  }

  laneHead(lane) {
    const chips = lane.difference
      ? [chip(lane.difference.lane), " − ", chip(lane.difference.minus)] : [chip(lane.lane)];
    const name = make("span", { class: "name" });
    const settings = make("div", { class: "settings" });
    const head = make("div", { class: "lane" }, make("h2", {}, ...chips, name));
    return { head, name, settings };
  }

  fillBlock(block, { grid, room, heads }) {
    const first = [], rest = [];
    const add = ({ map, lane }) => {
      const { figure } = this.heatmapAt(map.key);
      figure.dataset.key = map.key;
      const isFirst = this.isFirst(map, lane);
      figure.classList.toggle("rest", !isFirst);
      (isFirst ? first : rest).push(figure);
      figure.classList.toggle("leftmost", !room.stacked && room.columnOf(map) === 0);
      figure.style.gridColumn = room.stacked ? null : room.columnOf(map) + 1;
      figure.style.gridRow = room.stacked ? null : room.rowOf(map, lane);
      figure.style.setProperty("--before", room.stacked ? null : `${room.before(map)}px`);
    };
    const maps = this.heatmapsOf(block);
    maps.forEach(add);
    if (!room.stacked) {
      block.lanes.forEach((lane, k) => {
        const own = lane.stages.length ? room.columnOf(lane.stages[0]) : 0;
        const { head, settings } = heads.get(lane.lane);
        head.append(settings);
        head.style.paddingLeft = room.abreast && own > 0 ? "28px" : null;
        head.style.gridColumn = room.abreast ? `${own + 1}` : `${own + 1} / -1`;
        head.style.gridRow = room.headRowOf(k);
      });
      grid.style.gridTemplateColumns = `repeat(${room.count}, max-content)`;
      const figuresOf = (some) => some.map(({ map }) => this.heatmapAt(map.key).figure);
      const vectors = figuresOf(maps.filter(({ map }) => map.of));
      // Below each other, beside all rows of the others.
      const beside = vectors.slice(0, 1).map(({ style }) =>
        make("div", { class: "vectors", style: `grid-column: ${style.gridColumn}` }, ...vectors));
      grid.style.gridTemplateRows = `repeat(${2 * block.lanes.length + 2}, auto) 1fr`;
      grid.replaceChildren(...beside, ...block.lanes.map((lane) => heads.get(lane.lane).head),
                           ...figuresOf(maps.filter(({ map }) => !map.of)));
      return;
    }
    // One above the other: what all share, then each variant below its name, the one of the claim
    // first, so that it stands below the mask.
    const ofLane = (lane) => maps.filter((each) => each.lane === lane)
      .map(({ map }) => this.heatmapAt(map.key).figure);
    const shared = ofLane(null), mask = block.mask && this.heatmapAt(block.mask.key).figure;
    const ordered = mask ? [mask, ...shared.filter((figure) => figure !== mask)] : shared;
    const isRest = (figure) => figure.matches(".rest");
    const claimed = mask ? letters.indexOf((this.fact || {}).lane) : -1;
    const lanes = [...block.lanes].sort((x, y) => (y.lane === claimed) - (x.lane === claimed));
    grid.replaceChildren(...ordered, ...lanes.flatMap((lane) => {
      const own = ofLane(lane), { head, settings } = heads.get(lane.lane);
      return [head, ...own.filter((figure) => !isRest(figure)), settings, ...own.filter(isRest)];
    }));
    if (rest.length === 0) return;
    const more = make("button", { type: "button", class: "more" },
                      rest.length === 1 ? "Show 1 more stage" : `Show ${rest.length} more stages`);
    more.addEventListener("click", () => document.body.classList.add("all"));
    grid.append(more);
  }

  // Settings stand at the first of several blocks: they hold for all.
  drawBlock(block, { room, heads }, isFirst) {
    const ring = this.shown("ring");
    for (const { map, lane } of this.heatmapsOf(block)) {
      const isWeights = map.stage === "weights" && lane && lane.sums.length > 0 && !map.covered;
      const place = { ...room.placeOf(map, lane), sums: isWeights ? lane.sums : null,
                      ring: ring && { i: ring[0], j: ring[1] } };
      this.heatmapAt(map.key).draw(map, block, this.core, this.handle, place);
    }
    for (const lane of block.lanes) {
      const { name, settings } = heads.get(lane.lane);
      setText(name, lane.name + lane.changes);
      if (isFirst && !lane.difference)
        this.drawSettings(settings, lane, this.masksOf(block).length > 0);
    }
  }

  // What the step itself shows: the cell in focus, the ring.
  shown(what) {
    const scene = this.data.scene || this.steps[this.step].scene;
    return (scene.show || {})[what];
  }

  // While something is covered, the other signs would give it away.
  drawLegend() {
    const maps = [...this.heatmaps.values()], open = maps.filter(({ map }) => !map.covered);
    const isWhole = open.length === maps.length;
    const seen = open.reduce((all, map) => all | map.signs, 0);
    const items = [["blocked", "blocked", signs.blocked], ["missing", "blocked missing", signs.missing],
                   ...(isWhole ? [["leaks", "leaks", signs.leaks], ["NaN", "nan", signs.nan]] : [])]
      .filter(([, , sign]) => seen & sign);
    if (isWhole && open.some(({ lost }) => lost)) items.push(["weight lost", "lost"]);
    part("legend").replaceChildren(...items.map(([words, name]) =>
      make("li", {}, make("i", { class: name }), words)));
  }

  // --- settings of a variant

  // Where there is a mask, how it is applied is seen; all else is folded.
  drawSettings(root, { lane }, hasMask) {
    const all = this.allows.settings ? this.words.settings[lane] : [];
    const rules = this.allows.mask ? this.words.rules[lane] : [];
    if (all.length + rules.length === 0) return;
    const shape = JSON.stringify([hasMask, all.map(({ setting, choices }) => [setting, choices]),
                                  rules.map(({ kind }) => kind)]);
    if (root.shape !== shape) {
      root.shape = shape;
      root.fields = all.map((each) =>
        settingField(each, lane, (edit) => this.do({ lane, setting: each.setting, ...edit })));
      const isSeen = (label, k) => hasMask && all[k].heading;
      const labels = root.fields.map((field) => field.label);
      const seen = labels.filter(isSeen), folded = labels.filter((label, k) => !isSeen(label, k));
      root.rules = rules.map(({ kind, label }) => {
        const button = make("button", { type: "button" }, label);
        button.addEventListener("click", () => this.do({
          op: "layer", lanes: [lane], kind, on: button.getAttribute("aria-pressed") !== "true" }));
        return button;
      });
      const masks = make("fieldset", {}, make("legend", {}, "Mask rules"), ...root.rules);
      const titles = [rules.length && "mask rules", folded.length && "settings"].filter(Boolean);
      const more = titles.length && make("details", {},
        make("summary", {}, capital(titles.join(" and "))), ...(rules.length ? [masks] : []), ...folded);
      root.replaceChildren(...seen, ...(more ? [more] : []));
    }
    all.forEach((each, k) => root.fields[k].show(each));
    rules.forEach(({ on }, k) => root.rules[k].setAttribute("aria-pressed", on));
  }

  // --- the pointer

  point(place) {
    this.pointed = place;
    const focus = this.shown("focus");
    const lit = place || (focus ? { i: focus[0], j: focus[1] } : null);
    for (const map of this.heatmaps.values()) map.light(lit);
  }

  openCard(cell, byKey) {
    if (this.words.covered) return this.tell("Show the answer to see how this number is computed.");
    const { heatmap, place: { i, j } } = cell;
    if (!heatmap.keys) return;
    const { b, h } = heatmap.block;
    const { query, key, shared, lanes, row } = this.core.card(this.handle, b, h, i, j);
    const line = ({ operation, result, strong }) =>
      make("tr", { class: strong && "strong" }, make("td", {}, operation), make("td", {}, result));
    const parts = [make("h2", {}, make("b", {}, query), " attends to ", make("b", {}, key))];
    if (shared.length) parts.push(make("table", {}, make("tbody", {}, ...shared.map(line))));
    for (const { lane, lines } of lanes) {
      const caption = make("caption", {}, chip(lane), this.result.blocks[0].lanes
        .filter((each) => each.lane === lane).map((each) => each.name).join(""));
      parts.push(make("table", {}, caption, make("tbody", {}, ...lines.map(line))));
    }
    if (row.length)
      parts.push(make("table", { class: "row" },
        make("caption", {}, "The row of ", make("b", {}, query)),
        make("thead", {}, make("tr", {}, make("td"),
                               ...lanes.map(({ lane }) => make("td", {}, chip(lane))))),
        make("tbody", {}, ...row.map(({ name, texts }) =>
          make("tr", {}, make("th", { scope: "row" }, name),
               ...texts.map((text) => make("td", {}, text)))))));
    const close = make("button", { type: "button", "aria-label": "Close" }, "×");
    close.addEventListener("click", () => this.closeCard());
    part("card").replaceChildren(close, ...parts);
    part("card").hidden = false;
    this.carded = cell;
    this.placeCard(cell);
    if (byKey) part("card").focus();
    this.point({ i, j });
  }

  placeCard(cell) {
    const card = part("card"), at = cell.getBoundingClientRect();
    const space = { w: document.documentElement.clientWidth, h: innerHeight };
    if (space.w < 700) return card.removeAttribute("style");
    const { width, height } = card.getBoundingClientRect();
    const right = at.right + 14 + width < space.w ? at.right + 14 : at.left - 14 - width;
    card.style.left = `${Math.max(8, right)}px`;
    card.style.top = `${Math.max(8, Math.min(at.top - 20, space.h - height - 8))}px`;
  }

  closeCard() {
    if (part("card").hidden) return;
    const back = part("card").contains(document.activeElement) ? this.carded : null;
    part("card").hidden = true;
    part("card").replaceChildren();
    if (back && back.isConnected) back.focus();
    this.carded = null;
  }

  turnCell(cell, allow, gesture) {
    const { heatmap, place: { i, j } } = cell, { b, h } = heatmap.block;
    const edit = { op: "cell", b, h, i, j, ...(allow === undefined ? {} : { allow }) };
    if (heatmap.map.lane !== null) edit.lanes = [heatmap.map.lane];
    this.closeCard();
    if (gesture) this.doMore(gesture, edit);
    else this.do(edit);
  }

  // --- what is said aloud

  // A sentence of the core that says why an edit was not done, or a hint.
  tell(text) {
    part("message").hidden = !text;
    setText(part("message"), text);
  }

  // To a screen reader: what an edit changed of the verdicts.
  speak() {
    const { words } = this;
    const tried = words.try_done ? `Done: ${words.try_shows}. ` : "";
    setText(part("spoken"), `${tried}${words.verdict || ""}`);
  }

  // --- events

  listen() {
    const click = (id, action) => part(id).addEventListener("click", action);
    click("back", () => this.turn(-1));
    click("next", () => this.turn(1));
    click("undo", () => this.undo());
    click("redo", () => this.redo());
    click("restore", () => this.restore());
    click("solve", () => this.solve());
    click("message", () => this.tell(""));
    click("follow", () => this.do({ op: "restore" },
                                  { op: "fields", fields: this.steps[this.step].try_sets }));
    part("answering").addEventListener("submit", (event) => {
      event.preventDefault();
      this.uncover(part("said").value);
    });
    addEventListener("hashchange", () => {
      if (this.stepOfAddress() !== this.step) this.enter(this.stepOfAddress());
    });
    let width = innerWidth;
    addEventListener("resize", () => {
      if (width === innerWidth) return;
      width = innerWidth;
      this.closeCard();
      this.draw();
    });
    document.addEventListener("keydown", (event) => this.onKey(event));
    this.listenToCells();
    this.listenToThemes();
  }

  listenToCells() {
    const fork = part("fork");
    const cellOf = (event) => {
      const cell = event.target instanceof Element ? event.target.closest("td") : null;
      return cell && cell.place ? cell : null;
    };
    let painting = null, pressedBy = "";  // not every browser's clicks say by what
    fork.addEventListener("pointerdown", (event) => {
      const cell = cellOf(event);
      pressedBy = event.pointerType;
      if (!cell || !cell.heatmap.isMask || pressedBy !== "mouse" || event.button) return;
      painting = { allow: !cell.allowed, key: cell.heatmap.key };
      this.turnCell(cell, painting.allow, painting);
    });
    fork.addEventListener("pointerover", (event) => {
      const cell = cellOf(event);
      if (event.pointerType !== "mouse") return;
      this.point(cell ? cell.heatmap.tokensOf(cell.place) : null);
      const paints = painting && event.buttons & 1 && cell && cell.heatmap.key === painting.key;
      if (paints && cell.allowed !== painting.allow) this.turnCell(cell, painting.allow, painting);
    });
    addEventListener("pointerup", () => {
      if (painting) this.speak();
      painting = null;
    });
    fork.addEventListener("pointerleave", () => this.point(null));
    fork.addEventListener("click", (event) => {
      const cell = cellOf(event);
      if (!cell) return;
      if (!cell.heatmap.isMask) this.openCard(cell, false);
      else if (pressedBy !== "mouse") this.turnCell(cell);
      pressedBy = "";
    });
    fork.addEventListener("focusin", (event) => {
      const cell = cellOf(event);
      if (cell) this.point(cell.heatmap.tokensOf(cell.place));
    });
    fork.addEventListener("keydown", (event) => {
      const cell = cellOf(event);
      if (!cell || ![" ", "Enter"].includes(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
      if (cell.heatmap.isMask) this.turnCell(cell);
      else this.openCard(cell, true);
    });
  }

  onKey(event) {
    const { key, target } = event, control = event.ctrlKey || event.metaKey;
    if (key === "Escape") {
      this.tell("");
      return this.closeCard();
    }
    const types = target instanceof Element && target.matches("input, select, textarea");
    const letter = key.toLowerCase();
    if (control && !event.altKey && !types && ["z", "y"].includes(letter)) {
      if (letter === "y" || event.shiftKey) this.redo();
      else this.undo();
      return event.preventDefault();
    }
    if (control || event.altKey || (types && !["PageDown", "PageUp"].includes(key))) return;
    if (["ArrowRight", "PageDown"].includes(key)) this.turn(1);
    else if (["ArrowLeft", "PageUp"].includes(key)) this.turn(-1);
    else if (letter === "r") this.restore();
    else return;
    event.preventDefault();
  }

  // An exercise's mask, as the step has it.
  solve() {
    const { exercise, scene } = this.steps[this.step];
    const at = letters.indexOf(exercise.lane);
    const { layers } = scene.variants[at].mask;
    this.do({ op: "fields", fields: { [`/variants/${at}/mask/layers`]: layers } });
  }

  // Colours of cells follow those of the page.
  get theme() {
    if (this.printing) return "print";
    if (matchMedia("(prefers-contrast: more), (forced-colors: active)").matches) return "high_contrast";
    const { theme } = document.documentElement.dataset;
    if (theme) return theme;
    return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }

  listenToThemes() {
    const redraw = () => {
      this.core.view(this.handle, { theme: this.theme });
      this.draw();
    };
    for (const query of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)",
                         "(forced-colors: active)"])
      matchMedia(query).addEventListener("change", redraw);
    const print = (printing) => {
      this.printing = printing;
      redraw();
    };
    addEventListener("beforeprint", () => print(true));
    addEventListener("afterprint", () => print(false));
  }
}

// To what is drawn on its ground, which is the first rectangle: a page of paper has wide margins.
function cropPicture(svg) {
  const ground = svg.querySelector(":scope > rect"), margin = 12;
  ground.remove();
  const { x, y, width, height } = svg.getBBox();
  ground.style.width = ground.style.height = "100%";
  ground.setAttribute("x", x - margin);
  ground.setAttribute("y", y - margin);
  svg.prepend(ground);
  const box = [x - margin, y - margin, width + 2 * margin, height + 2 * margin];
  svg.setAttribute("viewBox", box.join(" "));
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  svg.style.minWidth = `${0.7 * width}px`;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

function chip(lane) {
  return make("span", { class: `chip lane-${lane % 4}` }, letters[lane]);
}

// A menu, a field in which the setting is typed, or both: the menu's last entry shows the field.
function settingField({ setting, label, heading, choices, text }, lane, change) {
  const isTyped = text !== null, name = heading ? "How the mask is applied" : label;
  const of = { "data-lane": lane, "data-setting": setting };
  const menu = choices.length > 0 && make("select", of,
    ...choices.map((words, k) => make("option", { value: k }, words)),
    ...(isTyped ? [make("option", { value: "typed" }, "other…")] : []));
  const field = isTyped && make("input", { ...of, type: "text", size: 8, autocomplete: "off",
                                           "aria-label": menu ? `${name}, typed` : null });
  if (menu)
    menu.addEventListener("change", () => {
      if (menu.value !== "typed") return change({ op: "choose", choice: Number(menu.value) });
      field.hidden = false;
      field.focus();
    });
  if (field) field.addEventListener("change", () => change({ op: "type", text: field.value }));
  const show = ({ chosen, text: now }) => {
    if (menu) menu.value = chosen ?? "typed";
    if (!field || document.activeElement === field) return;
    field.hidden = menu && chosen !== null;
    field.value = now;
  };
  const parts = [menu, field].filter(Boolean);
  return { label: make("label", {}, make("span", {}, name), ...parts), show };
}

// --- where the heatmaps of a block stand

const sumRoom = 102, narrowSumRoom = 44, arrowRoom = 78;

// Lengths are pixels. Either the fork, a column for each stage, or all of it one above the other.
// `apart`: the mask stands at the left, where it is seen, if the cells stay large enough.
function roomOf(block, maps, width, apart = true) {
  const narrow = width < 700;
  const stages = maps.map(({ map }) => map);
  const widest = Math.max(22, ...stages.flatMap((map) => map.queries || block.queries)
    .map((token) => widthOf(token, 13) + 10));
  const labelOf = ({ columns }) => {
    const sum = columns === block.keys.length ? narrowSumRoom : 0;
    const beside = width - sum - 36 * Math.min(8, columns);
    return Math.ceil(Math.min(narrow ? Math.max(30, Math.min(90, beside)) : 110, widest));
  };
  const label = labelOf(stages[0]);
  const used = [...new Set(stages.map((map) => map.column))].sort((x, y) => x - y);
  const lanes = block.lanes.length;
  const abreast = lanes > 1 && block.shared.length === 0 &&
                  block.lanes.every((lane) => lane.stages.length === 1);
  const laneAt = new Map();
  block.lanes.forEach((lane, k) => lane.stages.forEach((map) => laneAt.set(map.key, k)));
  const firstLane = used.indexOf(Math.min(...block.lanes.flatMap((lane) =>
    lane.stages.map((map) => map.column))));
  const aside = apart && block.mask && block.shared.length > 0 ? 1 : 0;
  const columnOf = (map) => {
    if (aside) return map.key === block.mask.key ? 0 : used.indexOf(map.column) + 1;
    const column = used.indexOf(map.column);
    return abreast && laneAt.has(map.key) ? firstLane + laneAt.get(map.key) : column;
  };
  const count = abreast ? firstLane + lanes : used.length + aside;
  const hasSums = (map) => map.stage === "weights" && laneAt.has(map.key);
  const columns = Array.from({ length: count }, (_, c) => stages.filter((map) => columnOf(map) === c));
  const most = (of) => (column) => Math.max(0, ...column.map(of));
  const cells = columns.map(most((map) => map.columns));
  const sums = columns.map(most((map) => (hasSums(map) ? sumRoom : 0)));
  const arrows = columns.map((column, c) =>
    (c === 0 ? 0 : column.some((map) => map.operations.length) ? arrowRoom : 28));
  const add = (list) => list.reduce((x, y) => x + y, 0);
  const sideWith = (labels) =>
    Math.floor((width - labels * label - add(sums) - add(arrows)) / Math.max(1, add(cells)));
  const all = sideWith(count), compact = all < 42 && count > 2;
  // Where two variants stand one below the other, the mask of the lower row is still seen.
  const rows = Math.max(1, ...stages.map((map) => map.rows)), deep = abreast ? 1 : Math.max(1, lanes);
  const high = Math.max(34, Math.floor((innerHeight - 250 - 80 * deep) / (deep * rows)));
  const side = Math.min(46, high, compact ? sideWith(2) : all);
  if (aside && !narrow && side < 34) return roomOf(block, maps, width, false);
  const stacked = narrow || side < 30;
  const hasLabel = (map) => stacked || !compact || columnOf(map) === 0 ||
                            columnOf(map) === firstLane + aside || map.stage === "allowed";
  const ownSide = (map) => {
    if (!stacked) return side;
    const sum = narrow ? narrowSumRoom : sumRoom;
    const fits = Math.floor((width - labelOf(map) - sum) / map.columns);
    return Math.max(map.columns > 8 ? 30 : 36, Math.min(46, fits));
  };
  const sharedRow = (map) => (!aside && map.stage === "allowed" && block.shared.length > 0 ? 4 : 2);
  return {
    stacked, abreast, count, columnOf,
    headRowOf: (lane) => (abreast ? 1 : 2 * lane + 1),
    rowOf: (map) => (!laneAt.has(map.key) ? sharedRow(map) : abreast ? 2 : 2 * laneAt.get(map.key) + 2),
    before: (map) => arrows[columnOf(map)],
    placeOf: (map) => ({ side: ownSide(map), label: labelOf(map), labels: hasLabel(map) }),
  };
}
