// Gives an exported module what it should not be given: node try_wasm.mjs calls|forged NAME.mjs NAME.wasm SEED COUNT
//
// calls: arrays of wrong types, sizes that are none, inputs that are missing; after each of them the model still gives
// what it gave. forged: descriptions that somebody edited, with the checksum made right again: an error, or a model.
// Prints JSON: how often what came of it, and what went wrong.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { crc32 } from "node:zlib";

const [, , mode, module, file, seed, count] = process.argv;
const { load, LoadError, AssertionError } = await import(pathToFileURL(module));
const whole = readFileSync(file);
let state = Number(seed);
const random = (below) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
const pick = (list) => list[random(list.length)];
const outcomes = {}, wrong = [];
let longest = 0;

const KINDS = {
  bool: Uint8Array, int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array, uint8: Uint8Array,
  uint16: Uint16Array, uint32: Uint32Array, uint64: BigUint64Array, float16: Uint16Array, bfloat16: Uint16Array,
  float32: Float32Array, float64: Float64Array,
};
const ARRAYS = [...new Set(Object.values(KINDS)), DataView];

function good(model, size) {
  return Object.fromEntries(model.inputs.map(({ name, dtype, shape }) => {
    const sizes = shape.map((one) => (typeof one === "number" ? one : size));
    const length = sizes.reduce((x, y) => x * y, 1);
    const data = new KINDS[dtype](length);
    for (let k = 0; k < length; k++) data[k] = typeof data[0] === "bigint" ? BigInt(k % 2) : k % 2;
    return [name, { data, shape: sizes }];
  }));
}

const text = (outputs) => JSON.stringify(
  Object.entries(outputs).map(([name, array]) => [name, array.shape, Array.from(array, String)]),
);

const NUMBERS = [
  NaN, -1, -0, 0, 1, 1.5, 2, 3, Infinity, -Infinity, 2 ** 31, 2 ** 32, 2 ** 40, 2 ** 53, Number.MAX_VALUE, 1e-300, "4", "", null,
  undefined, true, 3n, -1n, [], [2], {}, Symbol.iterator, () => 3,
];
const VALUES = [
  undefined, null, 0, 3.5, NaN, "x", true, 7n, Symbol("x"), [], [1, 2, 3], {}, { data: null }, { shape: [2] }, new Date(0), new Map(),
  new ArrayBuffer(64), new SharedArrayBuffer(64), () => 1, /x/, { data: { data: new Float32Array(3) } },
  new Proxy({}, { get: () => undefined }), Object.create(null), { length: 1e9 }, { get data() { throw new Error("mine"); } },
];

function spoiled(inputs) {
  const names = Object.keys(inputs);
  const name = pick(names);
  const { data, shape } = inputs[name];
  const Kind = data.constructor;
  switch (random(12)) {
    case 0: delete inputs[name]; return "missing";
    case 1: inputs[name] = pick(VALUES); return "no array";
    case 2: {
      const Other = pick(ARRAYS.filter((one) => one !== Kind));
      inputs[name] = { data: Other === DataView ? new DataView(new ArrayBuffer(64)) : new Other(data.length), shape };
      return "of another type";
    }
    case 3: inputs[name] = { data: new Kind(Math.max(0, data.length + pick([-1, 1, 7, -data.length, 1000]))), shape }; return "of another length";
    case 4: inputs[name] = { data, shape: shape.map((one, k) => (k === random(shape.length) ? pick(NUMBERS) : one)) }; return "a size that is none";
    case 5: inputs[name] = { data, shape: pick([null, "2,3", 7, {}, new Int32Array(shape), { length: shape.length }, [shape], [...shape, 1], shape.slice(1), [...shape].fill(NaN), new Array(shape.length), true]) }; return "a shape that is none";
    case 6: inputs[`${name}x`] = inputs[name]; delete inputs[name]; return "by another name";
    case 7: inputs.more = data; return "one too many";
    case 8: { const { buffer } = data; structuredClone(buffer, { transfer: [buffer] }); return "taken away"; }
    case 9: inputs[name] = Object.assign(new Kind(data), { shape: shape.map(() => pick(NUMBERS)) }); return "with a shape of its own";
    case 10: inputs[name] = { data, shape: [...shape].reverse() }; return "the other way round";
    default: inputs[name] = { [Symbol.toStringTag]: Kind.name, length: data.length, shape }; return "that says it is one";
  }
}

async function calls() {
  const model = await load(whole);
  const sizes = [4, 7, 2];
  const expected = sizes.map((size) => text(model.run(good(model, size))));
  const kept = model.run(good(model, 4));
  const before = text(kept);
  for (let turn = 0; turn < Number(count); turn++) {
    const size = random(3);
    let inputs = good(model, sizes[size]);
    const kind = random(20) ? spoiled(inputs) : ((inputs = pick([undefined, null, 3, "x", [], new Float32Array(3)])), "no inputs");
    const start = performance.now();
    let said;
    try {
      said = text(model.run(inputs)) === expected[size] ? "same" : "another result";
    } catch (problem) {
      const ours = problem instanceof TypeError || problem instanceof RangeError || problem.message === "mine";
      const clear = problem.message === "mine" || (model.inputs.some(({ name }) => problem.message.includes(name)) || problem.message.includes(model.name));
      said = ours && clear ? `refused: ${problem.name}` : `unclear: ${problem.name}: ${problem.message}`;
    }
    longest = Math.max(longest, performance.now() - start);
    const key = `${kind}: ${said}`;
    outcomes[key] = (outcomes[key] ?? 0) + 1;
    if (said.startsWith("unclear")) wrong.push(key);
    const again = random(3);
    if (text(model.run(good(model, sizes[again]))) !== expected[again]) wrong.push(`${key}: and then another result`);
  }
  if (text(kept) !== before) wrong.push("an earlier result has changed");
}

// What somebody writes by hand

function sections() {
  const found = [];
  for (let at = 8; at < whole.length;) {
    const start = at, kind = whole[at++];
    let size = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = whole[at++];
      size += (byte & 127) * scale;
      if (byte < 128) break;
    }
    found.push({ start, kind, content: whole.subarray(at, at + size), end: at + size });
    at += size;
  }
  return found;
}

const leb = (value) => {
  const bytes = [];
  do {
    bytes.push((value & 127) | (value > 127 ? 128 : 0));
    value = Math.floor(value / 128);
  } while (value);
  return Buffer.from(bytes);
};

function places(tree, found = []) {
  for (const key of Object.keys(tree)) {
    found.push([tree, key]);
    if (tree[key] && typeof tree[key] === "object") places(tree[key], found);
  }
  return found;
}

function forged() {
  const parts = sections();
  const index = parts.findIndex(({ kind, content }) => kind === 0 && content.subarray(1, 10).toString() === "hybridize" && content[0] === 9);
  const tree = JSON.parse(parts[index].content.subarray(10).toString());
  const [here, key] = pick(places(tree));
  const values = [-1, 0, 1, 1.5, 2 ** 31, 2 ** 32, 2 ** 40, 2 ** 53, "", "x", "memory", "__proto__", null, true, [], {}, [[]], "float64", "n9", "a".repeat(1e5), new Array(1e4).fill(0)];
  switch (random(4)) {
    case 0: delete here[key]; break;
    case 1: { const [other, place] = pick(places(tree)); here[key] = structuredClone(other[place]); break; }
    default: here[key] = structuredClone(pick(values));
  }
  const words = Buffer.concat([Buffer.from([9]), Buffer.from("hybridize"), Buffer.from(JSON.stringify(tree))]);
  const made = Buffer.concat([
    whole.subarray(0, parts[index].start), Buffer.from([0]), leb(words.length), words, whole.subarray(parts[index].end, whole.length - 4), Buffer.alloc(4),
  ]);
  made.writeUInt32LE(crc32(made.subarray(0, -4)), made.length - 4);
  return [`${key} ${JSON.stringify(here[key])?.slice(0, 40)}`, made];
}

async function edited() {
  const inputs = good(await load(whole), 4);
  for (let turn = 0; turn < Number(count); turn++) {
    const [what, bytes] = forged();
    const start = performance.now();
    let said;
    try {
      const model = await load(bytes);
      said = "loaded";
      model.run(inputs);
      said = "ran";
    } catch (problem) {
      said = `${said ?? "load"}: ${problem instanceof LoadError ? "LoadError" : problem instanceof AssertionError ? "AssertionError" : problem.name}`;
      if (!(problem instanceof Error)) wrong.push(`${what}: ${problem}`);
    }
    const took = performance.now() - start;
    if (took > 1000) wrong.push(`${what}: ${took} ms`);
    longest = Math.max(longest, took);
    outcomes[said] = (outcomes[said] ?? 0) + 1;
  }
}

await (mode === "calls" ? calls() : edited());
console.log(JSON.stringify({ outcomes, wrong, longest }));
