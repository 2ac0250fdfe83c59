// Runs models on what a test gives: node calls.mjs < {"module": path of NAME.mjs, "calls": [...]} > answers
//
// A call is {"inputs"}, {"seed"} or {"load": source}; its answer is {"outputs"} or {"error", "message"}. Arrays are
// {"kind": "Float32Array", "hex", "shape"}, with "plain" without a shape; anything else is given as it is.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { module, calls } = JSON.parse(readFileSync(0, "utf8"));
const { load } = await import(pathToFileURL(module));
const printed = [];
console.log = (...words) => printed.push(words.join(" "));

function given(value) {
  if (value?.bigint) return BigInt(value.bigint);
  if (value?.hex === undefined) return value;
  const data = new globalThis[value.kind](Uint8Array.from(Buffer.from(value.hex, "hex")).buffer);
  return value.plain ? data : { data, shape: value.shape };
}

function told(array) {
  const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
  return { kind: array.constructor.name, hex: bytes.toString("hex"), shape: array.shape };
}

const mapped = (object, of) => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, of(value)]));
let model = await load();
const kept = [];
const answers = calls.map((call) => {
  try {
    if ("seed" in call) return { outputs: model.seed(given(call.seed)) ?? {} };
    const outputs = model.run(mapped(call.inputs, given));
    kept.push(outputs);
    return outputs;
  } catch (problem) {
    return { error: problem.name, message: problem.message, isError: problem instanceof Error };
  }
});
// Told only now: what a call gave must still be there after all others.
const outcomes = answers.map((one) => (kept.includes(one) ? { outputs: mapped(one, told) } : one));
const { name, inputs, outputs } = model;
process.stdout.write(JSON.stringify({ outcomes, printed, model: { name, inputs, outputs } }));
