// Provides the calls of core.wasm (app/web/calls.h) for tests in Node.js.
import { readFileSync } from 'node:fs';

const BADF = 8;

export async function openCore(path) {
    let memory = null;
    const wasi = new Proxy({}, { get: (_, name) => (...args) => {
        if (name === 'clock_time_get') {
            new DataView(memory.buffer).setBigUint64(args[2], process.hrtime.bigint(), true);
            return 0;
        }
        if (name.startsWith('environ')) {
            const view = new DataView(memory.buffer);
            if (name === 'environ_sizes_get') for (const at of args) view.setUint32(at, 0, true);
            return 0;
        }
        if (name === 'proc_exit') throw new Error(`the module ends with ${args[0]}`);
        return BADF;
    } });
    const module = await WebAssembly.compile(readFileSync(path));
    const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi });
    const calls = instance.exports;
    memory = calls.memory;
    calls._initialize();
    const bytes = () => new Uint8Array(memory.buffer);
    const give = data => {
        const at = calls.ms_room(data.length + 1);
        bytes().set(data, at);
        bytes()[at + data.length] = 0;
        return at;
    };
    const take = at => {
        const all = bytes();
        return new TextDecoder().decode(all.subarray(at, all.indexOf(0, at)));
    };
    // Calls a function with numbers, texts and bytes; returns the text of the answer.
    const call = (name, ...args) => {
        const given = [];
        try {
            return take(calls[name](...args.map(arg => {
                if (typeof arg === 'number') return arg;
                given.push(give(typeof arg === 'string' ? new TextEncoder().encode(arg) : arg));
                return given.at(-1);
            })));
        } finally {
            for (const at of given) calls.ms_free(at);
        }
    };
    return { call, memory, imports: WebAssembly.Module.imports(module) };
}
