// SPDX-License-Identifier: Apache-2.0
//
// Times an exported WebAssembly module in Node: node calls.mjs MODULE.mjs INPUT OUTPUT ROUNDS SECONDS
// INPUT and OUTPUT are raw float32; prints {"start": seconds of load and first run, "rounds": [[seconds of a call, ...]]}.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [path, input, output, rounds, seconds] = process.argv.slice(2);
const { load } = await import(pathToFileURL(path).href);
const bytes = readFileSync(input);
const array = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));

const begin = performance.now();
const model = await load();
const data = { [model.inputs[0].name]: array };
const [first] = Object.values(model.run(data));
const start = (performance.now() - begin) / 1e3;
writeFileSync(output, new Uint8Array(first.buffer, first.byteOffset, first.byteLength));

function sample(count) {
  const from = performance.now();
  for (let i = 0; i < count; i++) model.run(data);
  return (performance.now() - from) / 1e3 / count;
}

// What is called often enough is compiled again by the engine: a second of calls comes before those that count.
let count = 1;
const warm = performance.now() + Math.min(1000, 5e3 * Number(seconds));
while (performance.now() < warm) count = Math.max(1, Math.round(5e-4 / sample(count)));

const result = [];
for (let round = 0; round < Number(rounds); round++) {
  const samples = [];
  const end = performance.now() + 1e3 * Number(seconds);
  do samples.push(sample(count));
  while (performance.now() < end);
  result.push(samples);
}
console.log(JSON.stringify({ start, rounds: result }));
