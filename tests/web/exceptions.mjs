// exceptions.mjs MODULE: status 1, with the number of each check of exceptions.cpp that fails.
import { readFileSync } from 'node:fs';

const refuse = new Proxy({}, { get: (_, name) => () => (name === 'proc_exit' ? 0 : 8) });
const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), {
    wasi_snapshot_preview1: refuse });
instance.exports._initialize();
let failed = 0, k = 0;
for (let said; (said = instance.exports.check(k)) >= 0; ++k)
    if (said !== 1) {
        console.log(`check ${k} of exceptions.cpp fails`);
        ++failed;
    }
console.log(`${k} checks, ${failed} fail`);
process.exit(failed ? 1 : 0);
