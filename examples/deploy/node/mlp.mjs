// The chapter's net from Node.js, 18 or later, without a package. In the folder of the models:
//
//     node ../node/mlp.mjs

import { readFileSync } from "node:fs";
import { load } from "../models/mlp.mjs";

const read = (file) => new Float32Array(Uint8Array.from(readFileSync(file)).buffer);

const model = await load();
const { output } = model.run({ data: read("mlp.input.f32") });
const expected = read("mlp.output.f32");
const difference = Math.max(...expected.map((value, k) => Math.abs(output[k] - value)));
console.log(`output ${output.join(" ")}, largest difference ${difference}`);
if (!(difference <= 1e-5)) process.exit(1);
