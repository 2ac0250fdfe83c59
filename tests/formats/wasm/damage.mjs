// Loads a module as it is and after each of many changes: node damage.mjs NAME.mjs NAME.wasm SEED COUNT
// Tells, as JSON, the changes that were taken, those refused with anything but LoadError, and the longest load.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, , module, file, seed, count] = process.argv;
const { load, LoadError } = await import(pathToFileURL(module));
const whole = readFileSync(file);
await load(whole);

let state = Number(seed);
const random = (below) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
const code = whole.indexOf("hybridize.weights");
const changes = [
  ["flip anywhere", () => flipped(random(whole.length))],
  ["flip code", () => flipped(random(code))],
  ["flip the end", () => flipped(whole.length - 1 - random(2000))],
  ["cut", () => whole.subarray(0, random(whole.length))],
  ["longer", () => Buffer.concat([whole, Buffer.alloc(1 + random(64))])],
  ["bytes swapped", () => swapped(random(whole.length - 8), 4)],
  ["zeros", () => Buffer.from(whole).fill(0, random(whole.length))],
  ["hole", () => { const at = random(whole.length - 9); return Buffer.concat([whole.subarray(0, at), whole.subarray(at + 8)]); }],
];

function flipped(at) {
  const copy = Buffer.from(whole);
  copy[at] ^= 1 << random(8);
  return copy;
}

function swapped(at, length) {
  const copy = Buffer.from(whole);
  whole.copy(copy, at, at + length, at + 2 * length);
  whole.copy(copy, at + length, at, at + length);
  return copy;
}

const taken = [], others = [];
let longest = 0, tried = 0;
for (let turn = 0; turn < Number(count); turn++) {
  const [name, make] = changes[turn % changes.length];
  const bytes = make();
  if (whole.equals(bytes)) continue;
  tried++;
  const start = performance.now();
  try {
    await load(bytes);
    taken.push(`${name} ${turn}`);
  } catch (problem) {
    if (!(problem instanceof LoadError)) others.push(`${name} ${turn}: ${problem}`);
  }
  longest = Math.max(longest, performance.now() - start);
}
console.log(JSON.stringify({ tried, taken, others, longest }));
