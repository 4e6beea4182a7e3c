// Starts the page that the exporter wrote: `packedData` is the lesson and its pictures, `packedCore`
// the core, both as gzip in base64.

const packedFiles = (files) =>
  Object.entries(files || {}).map(([name, base64]) =>
    [name, Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))]);

async function start() {
  try {
    const bytes = unpacked(packedCore);
    const data = JSON.parse(new TextDecoder().decode(await unpacked(packedData)));
    data.files = packedFiles(data.files);
    data.first = part("static").querySelector("svg");
    const core = await startCore(await bytes);
    part("static").hidden = true;
    part("live").hidden = false;
    window.page = new Page(core, data);
    part("static").remove();
  } catch (failed) {
    if (part("why").hidden) setText(part("why"), `This page could not start: ${failed.message}`);
    part("why").hidden = part("static").hidden = false;
    part("live").hidden = true;
    console.error(failed);
  }
}

start();
