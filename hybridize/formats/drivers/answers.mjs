// SPDX-License-Identifier: Apache-2.0
// What a model answers to calls, wherever it runs. The files of calls and results are those of library.py.

const KINDS = {
  bool: Uint8Array, int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array,
  uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, uint64: BigUint64Array,
  float16: Uint16Array, bfloat16: Uint16Array, float32: Float32Array, float64: Float64Array,
};
const REFUSED = 2;

/** The parts of the file of results; `load` gives the model of a call, with the state of the file. */
export async function answers(load, calls) {
  const data = new DataView(calls.buffer, calls.byteOffset, calls.byteLength);
  let at = 0;

  function words(count) {
    const read = Array.from({ length: count }, (_, k) => Number(data.getBigInt64(at + 8 * k, true)));
    at += 8 * count;
    return read;
  }

  function block(size) {
    const start = at;
    at += Math.ceil(size / 16) * 16;
    return calls.slice(start, start + size);
  }

  const parts = [];
  const write = (...numbers) => parts.push(new Uint8Array(BigInt64Array.from(numbers, BigInt).buffer));
  for (let [left] = words(1); left > 0; left--) {
    const [inputs, outputs, sizeCount, outputSizeCount] = words(4);
    const sizes = words(sizeCount);
    const lengths = words(inputs);
    words(outputs); // bytes of an element
    words(outputs); // axes
    const model = await load();
    const given = {};
    for (const [k, { name, dtype, shape }] of model.inputs.entries()) {
      given[name] = { data: new KINDS[dtype](block(lengths[k]).buffer), shape: sizes.splice(0, shape.length) };
    }
    try {
      const results = await model.run(given);
      const arrays = model.outputs.map(({ name }) => results[name]);
      const shapes = arrays.flatMap(({ shape }) => shape);
      if (shapes.length !== outputSizeCount) throw new Error(`outputs have ${shapes.length} axes`);
      write(0, 0, ...shapes);
      for (const { buffer, byteOffset, byteLength } of arrays) {
        parts.push(new Uint8Array(buffer, byteOffset, byteLength));
      }
    } catch (problem) {
      const text = new TextEncoder().encode(`${problem.name}: ${problem.message}`);
      write(problem instanceof RangeError ? REFUSED : 1, text.length);
      parts.push(text);
    }
  }
  return parts;
}
