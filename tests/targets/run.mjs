// Runs programs linked for WebAssembly: node run.mjs FOLDER LIBRARY TIMED. What is in the files: see programs.py.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, , folder, libraryFile, timed] = process.argv;
const { library } = await import(pathToFileURL(libraryFile));
const data = readFileSync(`${folder}/given`);
const names = JSON.parse(readFileSync(`${folder}/names`, "utf8"));
let at = 0;
const number = () => Number(data.readBigInt64LE((at += 8) - 8));
const bytes = (count) => data.subarray(at, (at += Math.ceil(count / 8) * 8));
const found = [];
const times = [];

function run({ program, derivations }, source) {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(source), { env: library });
  let free = exports.__heap_base.value;
  const room = (count) => {
    const place = Math.ceil(free / 64) * 64;
    free = place + count;
    const missing = free - exports.memory.buffer.byteLength;
    if (missing > 0) exports.memory.grow(Math.ceil(missing / 65536));
    return place;
  };
  const fill = (count) => {
    const place = room(count);
    new Uint8Array(exports.memory.buffer).set(bytes(count).subarray(0, count), place);
    return place;
  };
  const array = (places) => {
    const place = room(4 * places.length);
    new Uint32Array(exports.memory.buffer, place, places.length).set(places);
    return place;
  };
  const inputs = [];
  const given = number();
  for (let k = 0; k < given; k++) inputs.push(fill(number()));
  const constants = number();
  for (let k = 0; k < constants; k++) {
    const maker = number();
    if (maker < 0) {
      inputs.push(fill(number()));
      continue;
    }
    const made = room(number());
    const scratch = room(number());
    const sources = Array.from({ length: number() }, () => fill(number()));
    inputs.push(made);
    exports[derivations[maker]](array(sources), array([made]), scratch);
  }
  const sizes = Array.from({ length: number() }, number);
  const outputs = sizes.map(room);
  const call = [array(inputs), array(outputs), room(number())];
  exports[program](...call);
  sizes.forEach((size, k) => found.push(Buffer.from(exports.memory.buffer.slice(outputs[k], outputs[k] + size))));
  if (timed !== "timed") return;
  const turns = [];
  for (let start = performance.now(), turn = 0; turn < 200 && performance.now() - start < 3000; turn++) {
    const before = performance.now();
    for (let k = 0; k < 20; k++) exports[program](...call);
    turns.push((performance.now() - before) * 50);
  }
  times.push(Math.min(...turns));
}

names.forEach((each, k) => run(each, readFileSync(`${folder}/${k}.wasm`)));
writeFileSync(`${folder}/found`, Buffer.concat(found));
writeFileSync(`${folder}/times`, JSON.stringify(times));
