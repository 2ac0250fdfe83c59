// A net that repeats a layer until nothing changes, from Node.js: any number of rows, two results, one of them int64.
// In the folder of the models:
//
//     node ../node/steps.mjs

import { readFileSync } from "node:fs";
import { load } from "../models/steps.mjs";

const bytes = (file) => Uint8Array.from(readFileSync(file)).buffer;
const data = new Float32Array(bytes("steps.input.f32"));
const expected = new Float32Array(bytes("steps.output.f32"));
const [count] = new BigInt64Array(bytes("steps.count.i64"));

const model = await load();
const { state, steps } = model.run({ data });
const difference = Math.max(...expected.map((value, k) => Math.abs(state[k] - value)));
console.log(`${state.shape.join(" x ")} after ${steps[0]} steps, largest difference ${difference}`);
if (!(difference <= 1e-5) || steps[0] !== count) process.exit(1);
