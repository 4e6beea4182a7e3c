// The core, compiled to WebAssembly, behind its calls: see app/web/calls.h. A page has no files, no
// arguments and no network; what the core asks of a system is answered here.

"use strict";

// The bytes of a gzip file that is written in base64.
async function unpacked(base64) {
  const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The calls of the system interface (WASI) that the core imports: there are no files.
function systemCalls(memory) {
  const view = () => new DataView(memory().buffer), badFile = 8;
  const calls = {
    environ_sizes_get(...places) {
      for (const place of places) view().setUint32(place, 0, true);
      return 0;
    },
    clock_time_get(clock, precision, at) {
      view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    proc_exit(status) {
      throw new Error(`The core ended with status ${status}.`);
    },
  };
  return new Proxy(calls, { get: (known, name) => known[name] || (() => badFile) });
}

// An edit or a text that the core refuses: `message` is its own sentence.
class Refused extends Error {
  constructor(answer) {
    super(answer.error);
    this.place = answer.place;
    this.kind = answer.kind;
  }
}

// The calls as functions that take and give strings, numbers and objects.
async function startCore(bytes) {
  let core = null;
  const module = await WebAssembly.compile(bytes);
  const system = systemCalls(() => core.memory);
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module))
    imports[from] = { ...imports[from], [name]: system[name] };
  core = (await WebAssembly.instantiate(module, imports)).exports;
  if (core._initialize) core._initialize();

  const encoder = new TextEncoder(), decoder = new TextDecoder();
  const give = (bytesOrText) => {
    const text = typeof bytesOrText === "string";
    const given = text ? encoder.encode(bytesOrText) : bytesOrText;
    const at = core.ms_room(given.length + 1);
    if (!at) throw new Error("There is not enough memory for this.");
    const memory = new Uint8Array(core.memory.buffer, at, given.length + 1);
    memory.set(given);
    memory[given.length] = 0;
    return at;
  };
  const text = (at) => {
    const memory = new Uint8Array(core.memory.buffer);
    return decoder.decode(memory.subarray(at, memory.indexOf(0, at)));
  };
  const call = (name, ...given) => {
    const rooms = [];
    const address = (x) => {
      if (typeof x === "number") return x;
      rooms.push(give(x));
      return rooms[rooms.length - 1];
    };
    try {
      return text(core[name](...given.map(address)));
    } finally {
      rooms.forEach((room) => core.ms_free(room));
    }
  };
  const json = (...given) => {
    const answer = JSON.parse(call(...given));
    if (answer && answer.error !== undefined) throw new Refused(answer);
    return answer;
  };
  return {
    source: (name, content) => json("ms_source", name, content, content.length),
    load: (file) => json("ms_load", file),
    close: (handle) => core.ms_close(handle),
    step: (handle, step) => json("ms_step", handle, step),
    scene: (handle) => JSON.parse(call("ms_scene", handle)),
    edit: (handle, edit) => json("ms_edit", handle, JSON.stringify(edit)),
    view: (handle, view) => json("ms_view", handle, JSON.stringify(view)),
    compute: (handle) => json("ms_compute", handle),
    texts: (handle, heatmap, form) => json("ms_texts", handle, heatmap, form),
    words: (handle) => json("ms_words", handle),
    answer: (handle, said) => json("ms_answer", handle, said),
    card: (handle, b, h, i, j) => json("ms_card", handle, b, h, i, j),
    stage: (handle, lane, stage) => json("ms_stage", handle, lane, stage),
    doubles: (at, count) => new Float64Array(core.memory.buffer, at, count),
    bytes: (at, count) => new Uint8Array(core.memory.buffer, at, count),
  };
}
