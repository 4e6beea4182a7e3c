// parity.mjs PROGRAM CORE REPOSITORY [EDITS]: status 1 unless core.wasm answers every call as the
// native library does, and every number of every stage of all golden scenes, the scenes of assets and
// all lessons is the same, bit for bit. Then it makes EDITS random edits (2,000). Models and bilinear
// scores multiply matrices with Eigen, which adds in another order on each machine, and e^x in float64
// is that of the C library: models, and what an edit makes of such variants, may differ by 1e-4.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { openCore } from './core.mjs';

const [program, wasm, repository, edits = '2000'] = process.argv.slice(2);
const stages = ['allowed', 'scores', 'scaled', 'logits', 'softmax', 'weights', 'output',
    'sensitivity', 'depends'];
const models = ['italian-english', 'italian-english-no-causal', 'italian-english-multiplied',
    'italian-english-both-causal'];

// --- the calls

const files = folder => readdirSync(join(repository, folder)).map(name => join(repository, folder, name));
const scenes = [...files('tests/data/golden').map(folder => join(folder, 'scene.json'))
    .filter(path => !path.includes('README')),
...files('assets/scenes').filter(path => path.endsWith('.json'))].sort();
const lessons = files('assets/lessons').filter(path => path.endsWith('.json')).sort();

function* all(scene) {
    yield 'compute';
    yield 'words';
    yield 'scene';
    for (let lane = 0; lane < scene.variants.length; ++lane)
        for (const stage of stages) yield `bits ${lane} ${stage}`;
    yield 'card 0 0 0 0';
    yield 'texts 0 0';
    yield 'texts 1 2';
}

function* everything() {
    for (const name of models) yield `source ${name} ${join(repository, 'assets/models', name)}.safetensors`;
    yield `source transformer-heads.safetensors ${join(repository, 'assets/scenes/transformer-heads.safetensors')}`;
    for (const path of scenes) {
        const beside = dirname(path);
        for (const name of readdirSync(beside).filter(file => file.endsWith('.npy')))
            yield `source ${name} ${join(beside, name)}`;
        yield `load ${path}`;
        yield* all(JSON.parse(readFileSync(path)));
    }
    for (const path of lessons) {
        yield `load ${path}`;
        const steps = JSON.parse(readFileSync(path)).steps;
        for (let k = 0; k < steps.length; ++k) {
            yield `step ${k}`;
            yield 'compute';
            yield 'words';
            yield 'answer 50%';
            yield* all(steps[k].scene);
            if (!steps[k].try_sets) continue;
            yield `edit ${JSON.stringify({ op: 'fields', fields: steps[k].try_sets })}`;
            yield 'compute';
            yield 'words';
            yield 'edit {"op": "undo"}';
        }
    }
}

// --- random edits

let state = 12345;
const below = n => {
    state = Number((BigInt(state) * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffn);
    return Math.floor(state / 2 ** 20) % n;
};
const one = list => list[below(list.length)];
const words = ['My', 'name', 'is', 'Luke', 'é', '日本', '<pad>', '</script>', '"', '\u2028', 'a'];
const settings = ['mask.apply', 'mask.value', 'mask.times', 'mask.order', 'score', 'scale', 'softcap',
    'softcap.order', 'normalizer', 'normalizer.sink', 'empty_rows', 'dtype', 'output', 'reference', 'nothing'];
const makers = [
    () => ({ op: 'cell', i: below(8), j: below(8) }),
    () => ({ op: 'cell', lanes: [below(2)], i: below(6), j: below(6), allow: below(2) === 0 }),
    () => ({ op: 'row', i: below(8) }),
    () => ({ op: 'column', j: below(8) }),
    () => ({ op: 'sentence', side: 'queries', text: Array.from({ length: 1 + below(8) }, () => one(words)).join(' ') }),
    () => ({ op: 'rename', index: below(8), text: one(words) }),
    () => ({ op: 'insert', index: below(8), text: one(words) }),
    () => ({ op: 'delete', index: below(8) }),
    () => ({ op: 'pad', index: below(8) }),
    () => ({ op: 'choose', lane: below(3), setting: one(settings), choice: below(7) }),
    () => ({ op: 'type', lane: below(2), setting: one(settings), text: one(['-inf', 'lowest', '1/√n', '0.5', '30', '1 2', '1, x', '0.1 * i', 'none', '']) }),
    () => ({ op: 'heads', value: 1 + below(3) }),
    () => ({ op: 'layer', kind: one(['causal', 'padding', 'window', 'alibi', 'sinks']), on: below(2) === 0 }),
    () => ({ op: 'fields', fields: { [`/variants/${below(3)}/mask/value`]: one(['-inf', 'lowest', -1e9, -2, 'minus']) } }),
    () => ({ op: 'fields', fields: { '/variants/0/dtype': one(['float64', 'float32', 'float16', 'bfloat16']) } }),
    () => ({ op: 'fields', fields: { '/variants/1/empty_rows': one(['nan', 'zero', 'zero_after', 'all']) } }),
    () => ({ op: 'fields', fields: { '/variants/0/scale': one(['sqrt_d_k', 'none', 0.5, 1e3, 'x']) } }),
    () => ({ op: 'fields', fields: { '/inputs/seed': one([0, 7, 2 ** 40, 2 ** 53 - 1, 2 ** 53]) } }),
    () => ({ op: 'score', i: below(6), j: below(6), value: below(100) / 7 - 5 }),
    () => ({ op: one(['undo', 'undo', 'redo']) }),
    () => ({ op: below(8) === 0 ? 'restore' : 'undo' }),
    () => ({ op: 'nothing' }),
];

function* randomEdits(count) {
    for (let k = 0; k < count; ++k) {
        if (k % 500 === 0) yield `load ${join(repository, 'assets/lessons/additive-or-multiplicative.json')}`;
        yield `edit ${JSON.stringify(one(makers)())}`;
        yield 'compute';
        if (k % 20 === 0) yield 'words';
    }
    yield 'scene';
}

// --- both, compared

const plain = text => text.replace(/"(values|signs|fills|light|at)":\d+/g, '"$1":0')
    .replace(/"milliseconds":[^,}]+/, '"milliseconds":0').replaceAll('\n', ' ').trimEnd();

// True if the numbers of a stage, as `bits` writes them, are near.
function areNear(mine, other) {
    const [shape, bytes] = mine.split(/ (?=[^ ]*$)/), [otherShape, others] = other.split(/ (?=[^ ]*$)/);
    if (shape !== otherShape || bytes.length !== others.length) return false;
    const x = Buffer.from(bytes, 'hex'), y = Buffer.from(others, 'hex');
    for (let at = 0; at < x.length; at += 8) {
        const a = x.readDoubleLE(at), b = y.readDoubleLE(at);
        if (!Object.is(a, b) && !(Math.abs(a - b) <= 1e-4 * Math.max(1, Math.abs(b)))) return false;
    }
    return true;
}

// Returns an answer without its numbers and the colours of its cells, which may differ.
const unnumbered = text => text.replace(/"hash":"[^"]*"/g, '').replace(/[−-]?[<>]?\.?\d[\d.e−-]*/g, '#');

// A row's statistics are sums of logarithms, which are those of the C library: last bits may differ.
function areStatisticsNear(mine, other) {
    const number = /-?\d[\d.]*(e[+-]?\d+)?/g;
    if (mine.replace(number, '#') !== other.replace(number, '#')) return false;
    const others = other.match(number) ?? [];
    return (mine.match(number) ?? []).every((x, k) =>
        x === others[k] || Math.abs(x - others[k]) <= 1e-12 * Math.max(1, Math.abs(others[k])));
}

function isSame(line, mine, other) {
    if (mine === other || (line === 'compute' && areStatisticsNear(mine, other))) return true;
    if (!mayDiffer) return false;
    if (line.startsWith('bits')) return areNear(mine, other);
    return /^(compute|card|texts)/.test(line) && unnumbered(mine) === unnumbered(other);
}

const core = await openCore(wasm);
let handle = 0, mayDiffer = false;

function mayBeOfAnotherMachine(line) {
    const scene = JSON.parse(core.call('ms_scene', handle));
    if (scene.inputs.kind === 'model') return true;
    return line.startsWith('edit') && scene.variants.some(variant =>
        variant.dtype === 'float64' || variant.score?.kind === 'bilinear');
}

function bits(lane, stage) {
    const said = core.call('ms_stage', handle, lane, stage);
    const { at, shape, error } = JSON.parse(said);
    if (error !== undefined || at === 0) return said;
    const count = shape.reduce((x, y) => x * y, 8);
    const hex = Buffer.from(core.memory.buffer, at, count).toString('hex');
    return `${said.slice(said.indexOf('"shape":'))} ${hex}`;
}

function make(line) {
    const end = line.indexOf(' '), call = end < 0 ? line : line.slice(0, end);
    const rest = end < 0 ? '' : line.slice(end + 1), words = rest.split(' ');
    switch (call) {
        case 'source': {
            const bytes = readFileSync(words[1]);
            // The answer is the same text wherever the bytes lie.
            return core.call('ms_source', words[0], bytes, bytes.length);
        }
        case 'load': {
            const said = core.call('ms_load', readFileSync(rest));
            handle = JSON.parse(said).handle ?? handle;
            return said;
        }
        case 'step': return core.call('ms_step', handle, Number(rest));
        case 'bits': return bits(Number(words[0]), words[1]);
        case 'card': return core.call('ms_card', handle, ...words.map(Number));
        case 'texts': return core.call('ms_texts', handle, ...words.map(Number));
        case 'edit': case 'view': case 'answer': return core.call(`ms_${call}`, handle, rest);
        default: return core.call(`ms_${call}`, handle);
    }
}

const folder = mkdtempSync(join(tmpdir(), 'maskscope-web-'));
let bad = 0;
try {
    const lines = [...everything(), ...randomEdits(Number(edits))];
    writeFileSync(join(folder, 'calls'), lines.join('\n') + '\n');
    const native = execFileSync(program, [join(folder, 'calls')], { maxBuffer: 2 ** 31 - 1 })
        .toString().split('\n');
    let numbers = 0, refused = 0;
    const begin = process.hrtime.bigint();
    lines.forEach((line, k) => {
        const mine = plain(make(line)), other = plain(native[k]);
        if (line.startsWith('bits')) numbers += (mine.length - mine.lastIndexOf(' ') - 1) / 16 | 0;
        if (mine.startsWith('{"error"')) ++refused;
        if (/^(load|step|edit)/.test(line)) mayDiffer = mayBeOfAnotherMachine(line);
        if (isSame(line, mine, other)) return;
        if (++bad > 10) return;
        let at = 0;
        while (mine[at] === other[at]) ++at;
        console.log(`${line.slice(0, 200)}\n  here     …${mine.slice(Math.max(0, at - 60), at + 100)}\n` +
            `  natively …${other.slice(Math.max(0, at - 60), at + 100)}`);
    });
    const seconds = Number(process.hrtime.bigint() - begin) / 1e9;
    console.log(`${lines.length} calls, ${numbers} numbers of stages, ${refused} refused, ` +
        `${bad} differ; ${seconds.toFixed(1)} s`);
} finally {
    rmSync(folder, { recursive: true });
}
process.exit(bad ? 1 : 0);
