// SPDX-License-Identifier: Apache-2.0
// Runs an exported WebAssembly module: node node.mjs NAME.mjs CALLS RESULTS. The files are those of library.py.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const KINDS = {
  bool: Uint8Array, int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array,
  uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, uint64: BigUint64Array,
  float16: Uint16Array, bfloat16: Uint16Array, float32: Float32Array, float64: Float64Array,
};
const REFUSED = 2;

const [loader, calls, results] = process.argv.slice(2);
const { load } = await import(pathToFileURL(loader).href);
const data = readFileSync(calls);
let at = 0;

function words(count) {
  const found = Array.from({ length: count }, (_, k) => Number(data.readBigInt64LE(at + 8 * k)));
  at += 8 * count;
  return found;
}

function block(size) {
  const start = at;
  at += Math.ceil(size / 16) * 16;
  return data.subarray(start, start + size);
}

const answer = [];
const write = (...numbers) => answer.push(new Uint8Array(BigInt64Array.from(numbers, BigInt).buffer));

for (let [left] = words(1); left > 0; left--) {
  const [inputs, outputs, sizeCount, outputSizeCount] = words(4);
  const sizes = words(sizeCount);
  const lengths = words(inputs);
  words(outputs); // bytes of an element
  words(outputs); // axes
  const model = await load(); // each call has its own: the state is that of the file
  const given = {};
  for (const [k, { name, dtype, shape }] of model.inputs.entries()) {
    const bytes = Uint8Array.from(block(lengths[k]));
    given[name] = { data: new KINDS[dtype](bytes.buffer), shape: sizes.splice(0, shape.length) };
  }
  try {
    const found = model.run(given);
    const arrays = model.outputs.map(({ name }) => found[name]);
    const shapes = arrays.flatMap(({ shape }) => shape);
    if (shapes.length !== outputSizeCount) throw new Error(`outputs have ${shapes.length} axes`);
    write(0, 0, ...shapes);
    for (const { buffer, byteOffset, byteLength } of arrays) {
      answer.push(new Uint8Array(buffer, byteOffset, byteLength));
    }
  } catch (problem) {
    const text = Buffer.from(`${problem.name}: ${problem.message}`);
    write(problem instanceof RangeError ? REFUSED : 1, text.length);
    answer.push(text);
  }
}
writeFileSync(results, Buffer.concat(answer));
