// SPDX-License-Identifier: Apache-2.0
// Loads NAME.wasm, a model compiled by hybridize, and runs it: in Node from 18 on, in browsers, in workers.
//
//   import { load } from "./NAME.mjs";
//   const model = await load();
//   const outputs = model.run(inputs);
//
// NAME.d.mts says what goes in and out; so do model.inputs and model.outputs.

/* LIBRARY */

const FORMAT = 1;
const ALIGN = 64;
const PAGE = 65536;
const REACH = 2 ** 32;
const KINDS = {
  bool: Uint8Array, int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array,
  uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, uint64: BigUint64Array,
  float16: Uint16Array, bfloat16: Uint16Array, float32: Float32Array, float64: Float64Array,
};

/** The file is not what was exported: cut short, altered, something else, or beyond what this engine runs. */
export class LoadError extends Error {
  name = "LoadError";
}

/** An assertion in the model does not hold. */
export class AssertionError extends Error {
  name = "AssertionError";
}

/** The sizes of a call, which is good for all calls of these sizes until another takes its place. */
class Sizes {
  #lengths;
  #shapes;

  constructor(arrays, shapes) {
    this.#lengths = arrays.map(({ length }) => length);
    this.#shapes = shapes.map((shape) => (shape === undefined ? undefined : [...shape]));
  }

  /** Whether arrays are of these sizes, said in the same way. */
  takes(arrays, shapes) {
    for (let k = 0; k < arrays.length; k++) {
      if (arrays[k].length !== this.#lengths[k] || !same(shapes[k], this.#shapes[k])) return false;
    }
    return true;
  }
}

/* LOAD */

/** The model on the processor. */
async function compiled({ code, weights, description }) {
  const world = new World();
  let instance;
  try {
    ({ instance } = await WebAssembly.instantiate(code, { env: { ...library, effect: world.effect } }));
  } catch (problem) {
    throw new LoadError(`this engine does not run NAME.wasm, which uses WebAssembly with SIMD: ${problem.message}`);
  }
  try {
    return new Model(description, weights, instance.exports, world);
  } catch (problem) {
    if (problem instanceof RangeError || problem instanceof LoadError) throw problem;
    throw new LoadError(`NAME.wasm does not hold together: ${problem.message}`);
  }
}

/** What goes in and out of a model, whatever runs it. */
class Face {
  constructor({ name, inputs, outputs, program }) {
    this.name = name;
    this.inputs = inputs;
    this.outputs = outputs;
    this.program = program;
    this.kinds = inputs.map((input) => KINDS[input.dtype]);
  }

  /** The arrays that are given, and the shapes of those that have one. */
  given(inputs) {
    if (inputs === null || typeof inputs !== "object") throw new TypeError(`${this.name}: inputs are given by name`);
    const count = this.inputs.length;
    const arrays = new Array(count);
    const shapes = new Array(count);
    for (let k = 0; k < count; k++) {
      const value = inputs[this.inputs[k].name];
      arrays[k] = elements(this.inputs[k], this.kinds[k], value);
      shapes[k] = value.shape;
    }
    if (Object.keys(inputs).length > count) this.refuse(inputs);
    return [arrays, shapes];
  }

  /** An input that there is not, which nobody would read. */
  refuse(inputs) {
    const names = this.inputs.map(({ name }) => name);
    const other = Object.keys(inputs).find((name) => !names.includes(name));
    throw new TypeError(`${this.name} has no input ${other}; it has ${names.join(", ") || "none"}`);
  }

  /** The first variant that is for such arrays, and what `asked` says that it needs with their sizes. */
  chosen(arrays, shapes, asked) {
    shapes.forEach((shape, k) => check(this.inputs[k], arrays[k], shape));
    for (const [number, variant] of this.program.variants.entries()) {
      const sizes = variant.inputs.map((pattern, k) => fitted(pattern, arrays[k].length, shapes[k]));
      const needs = sizes.includes(null) ? null : asked(variant, sizes, number);
      if (needs !== null) return { arrays, shapes, variant, sizes, needs };
    }
    const got = this.inputs.map(({ name, dtype }, k) => `${name} ${dtype}${shown(shapes[k] ?? [arrays[k].length])}`);
    throw new RangeError(`${this.name} takes ${this.taken().join(", or ")}; got ${got.join(", ")}`);
  }

  /** What each variant takes, for messages. */
  taken() {
    return this.program.variants.map(({ inputs, holds = [] }) => {
      const arrays = inputs.map((shape, k) => `${this.inputs[k].name} ${this.inputs[k].dtype}${shown(shape)}`);
      return arrays.join(", ") + (holds.length ? ` (${holds.join(", ")})` : "");
    });
  }

  /** The two words of the state that a seed stands for. */
  seeded(seed) {
    if (this.program.random < 0) throw new TypeError(`${this.name} draws no random numbers`);
    if (typeof seed !== "bigint" && !Number.isSafeInteger(seed)) {
      throw new TypeError(`a seed is a whole number; got ${shown(seed)}`);
    }
    return BigUint64Array.of(BigInt.asUintN(64, BigInt(seed)), 0n);
  }
}

class Model {
  #face;
  #exports;
  #world;
  // Where arrays begin that stay: constants as programs read them, states, and what sizes are asked with.
  #constants;
  #states;
  #question;
  // What lies behind them belongs to the latest call, and so do all views of memory.
  #arena;
  #call = null;

  constructor(description, weights, exports, world) {
    this.#face = new Face(description);
    const { name, inputs, outputs } = this.#face;
    this.name = name;
    this.inputs = inputs;
    this.outputs = outputs;
    this.#exports = exports;
    this.#world = world;
    world.memory = exports.memory;
    this.#keep(weights);
  }

  /** Run the model on arrays by name; gives arrays by name, which later calls leave alone. */
  run(inputs) {
    const [arrays, shapes] = this.#face.given(inputs);
    const call = this.#call?.takes(arrays, shapes) ? this.#call : this.#newCall(arrays, shapes);
    for (let k = 0; k < arrays.length; k++) call.inputs[k].set(arrays[k]);
    this.#exports[call.run](call.table, call.results, call.scratch);
    this.#world.settle();
    call.commit();
    const results = {};
    for (let k = 0; k < this.outputs.length; k++) {
      const result = call.outputs[k].slice();
      result.shape = call.outputShapes[k];
      results[this.outputs[k].name] = result;
    }
    return results;
  }

  /** Start random numbers over: equal seeds give equal numbers. */
  seed(seed) {
    const words = this.#face.seeded(seed);
    const { at } = this.#states[this.#face.program.random];
    new BigUint64Array(this.#exports.memory.buffer, at, 2).set(words);
  }

  /** Let states be as calls elsewhere have left them. */
  restore(states) {
    const memory = new Uint8Array(this.#exports.memory.buffer);
    states.forEach((bytes, k) => memory.set(bytes, this.#states[k].at));
  }

  /** Copy states and constants to where they stay, some in another layout. */
  #keep(weights) {
    const { constants, states, variants } = this.#face.program;
    const room = new Room(this.#exports.__heap_base.value);
    const stay = ({ bytes }) => ({ at: room.take(bytes), bytes });
    this.#states = states.map(stay);
    this.#constants = constants.map(stay);
    const words = ({ inputs, outputs }) => [...inputs, ...outputs].reduce((sum, shape) => sum + 1 + shape.length, 2);
    const longest = Math.max(...variants.map((one) => (one.sizes ? one.symbols.length + words(one) : 0)));
    this.#question = room.take(8 * longest);
    this.#arena = room.end;
    // What constants are derived of lies where calls will be, of one after the other: pointers, arrays, scratch.
    const derived = constants.map((constant, k) => {
      if (!constant.make) return null;
      const { make, sources, scratchBytes } = constant;
      const arena = new Room(this.#arena);
      const table = arena.take(4 * (sources.length + 1));
      const places = sources.map(({ bytes }) => arena.take(bytes));
      const scratch = arena.take(scratchBytes);
      return { make, sources, table, places, scratch, made: this.#constants[k].at, end: arena.end };
    });
    this.#reach(Math.max(this.#arena, ...derived.map((one) => one?.end ?? 0)));
    const memory = new Uint8Array(this.#exports.memory.buffer);
    const copy = ({ at, bytes }, place) => memory.set(part(weights, at, bytes), place);
    states.forEach((state, k) => copy(state, this.#states[k].at));
    constants.forEach((constant, k) => {
      const one = derived[k];
      if (one === null) {
        copy(constant, this.#constants[k].at);
        return;
      }
      one.sources.forEach((source, number) => copy(source, one.places[number]));
      new Uint32Array(memory.buffer, one.table, one.places.length + 1).set([...one.places, one.made]);
      this.#exports[one.make](one.table, one.table + 4 * one.places.length, one.scratch);
    });
  }

  #reach(end) {
    const { memory } = this.#exports;
    const missing = end - memory.buffer.byteLength;
    if (missing <= 0) return;
    try {
      if (end > REACH) throw new RangeError("addresses reach 4 GiB");
      memory.grow(Math.ceil(missing / PAGE));
    } catch (problem) {
      throw new RangeError(`${this.name} needs ${end} bytes of memory, which there are not: ${problem.message}`);
    }
  }

  /** Make room for a call with such arrays, by the first variant that is for them. */
  #newCall(arrays, shapes) {
    const asked = (variant, sizes) => (variant.sizes ? this.#asked(variant, sizes) : variant);
    const fit = this.#face.chosen(arrays, shapes, asked);
    this.#call = null;
    this.#call = new Call(fit, this.#face.kinds, {
      arena: this.#arena, constants: this.#constants, states: this.#states, memory: this.#exports.memory,
      reach: (end) => this.#reach(end),
    });
    return this.#call;
  }

  /** What a call of a variant needs whose sizes are the call's; null where it is not for these. */
  #asked(variant, sizes) {
    const { buffer } = this.#exports.memory;
    const symbols = symbolsOf(variant, sizes);
    const asked = new Uint32Array(buffer, this.#question, 2 * symbols.length);
    symbols.forEach((size, k) => asked.set([size, size / REACH], 2 * k));
    const answer = this.#question + 8 * symbols.length;
    if (this.#exports[variant.sizes](this.#question, answer) === 0n) return null;
    const words = new DataView(buffer, answer);
    let at = 0;
    const word = () => words.getUint32(at, true) + words.getInt32((at += 8) - 4, true) * REACH;
    const shape = (pattern) => (word(), pattern.map(word));
    const scratchBytes = word();
    word();
    const expected = variant.inputs.map(shape);
    if (!expected.every((one, k) => same(one, sizes[k]))) return null;
    return { scratchBytes, outputs: variant.outputs.map(shape) };
  }
}

/** A call of known sizes, with its memory. */
class Call extends Sizes {
  constructor({ arrays, shapes, variant, sizes, needs }, kinds, { arena, constants, states, memory, reach }) {
    super(arrays, shapes);
    const room = new Room(arena);
    const outputKinds = variant.outputTypes.map((type) => KINDS[type]);
    const bytes = (shape, kind) => product(shape) * kind.BYTES_PER_ELEMENT;
    const read = sizes.map((shape, k) => room.take(bytes(shape, kinds[k])));
    const written = needs.outputs.map((shape, k) => room.take(bytes(shape, outputKinds[k])));
    const symbols = symbolsOf(variant, sizes);
    const values = room.take(8 * symbols.length);
    const stay = [...variant.states.map((k) => states[k].at), ...variant.constants.map((k) => constants[k].at)];
    const pointers = [...read, ...stay, values];
    this.run = variant.run;
    this.table = room.take(4 * pointers.length);
    this.results = room.take(4 * written.length);
    this.scratch = room.take(needs.scratchBytes);
    reach(room.end);
    const { buffer } = memory;
    new Uint32Array(buffer, this.table, pointers.length).set(pointers);
    new Uint32Array(buffer, this.results, written.length).set(written);
    symbols.forEach((size, k) => new Uint32Array(buffer, values + 8 * k, 2).set([size, size / REACH]));
    this.inputs = sizes.map((shape, k) => new kinds[k](buffer, read[k], product(shape)));
    this.outputs = needs.outputs.map((shape, k) => new outputKinds[k](buffer, written[k], product(shape)));
    this.outputShapes = needs.outputs.map((shape) => Object.freeze([...shape]));
    const first = written.length - variant.newStates.length;
    this.changes = variant.newStates.map((number, k) => ({ to: states[number], from: written[first + k] }));
    this.memory = new Uint8Array(buffer);
  }

  /** Let the states be as the call leaves them. */
  commit() {
    for (const { to, from } of this.changes) this.memory.copyWithin(to.at, from, from + to.bytes);
  }
}

/** Addresses one after the other. */
class Room {
  constructor(start) {
    this.end = start;
  }

  take(bytes) {
    const at = this.end;
    this.end = Math.ceil((at + bytes) / ALIGN) * ALIGN;
    return at;
  }
}

/** The elements of an input: of an array, of { data, shape }, or of a number where there are no axes. */
function elements(input, Kind, value) {
  const array = value?.data ?? value;
  if (ArrayBuffer.isView(array) && array[Symbol.toStringTag] === Kind.name) {
    if (input.dtype === "bool" && array.length && array.some((byte) => byte > 1)) {
      throw new RangeError(`input ${input.name}: a bool is 0 or 1`);
    }
    return array;
  }
  const half = input.dtype.endsWith("float16");
  if (input.shape.length === 0 && !half && ["number", "boolean", "bigint"].includes(typeof value)) {
    return number(input, Kind, value);
  }
  const object = () => (array === null ? "null" : (array[Symbol.toStringTag] ?? array.constructor?.name ?? "object"));
  const found = array === undefined ? "nothing" : typeof array === "object" ? object() : typeof array;
  throw new TypeError(`input ${input.name} is ${input.dtype}, given as ${Kind.name}; got ${found}`);
}

function number(input, Kind, value) {
  const whole = !input.dtype.startsWith("float");
  const wide = input.dtype.endsWith("int64");
  if (whole && !wide && typeof value === "bigint") value = Number(value);
  if (wide && typeof value === "number" && !Number.isInteger(value)) {
    throw new RangeError(`input ${input.name}: ${value} is no ${input.dtype}`);
  }
  const array = Kind.of(wide ? BigInt(value) : Number(value));
  const kept = input.dtype === "bool" ? array[0] <= 1 : array[0] == value;
  if (whole && !kept) throw new RangeError(`input ${input.name}: ${value} is no ${input.dtype}`);
  return array;
}

/** Make sure that a shape is one, of this array. */
function check(input, array, shape) {
  if (shape === undefined) return;
  const rank = input.shape.length;
  const axes = `${rank} ${rank === 1 ? "axis" : "axes"}`;
  if (!Array.isArray(shape) || shape.length !== rank || !shape.every((size) => Number.isSafeInteger(size) && size >= 0)) {
    throw new RangeError(`input ${input.name} has ${axes}; got the shape ${shown(shape)}`);
  }
  if (product(shape) !== array.length) {
    throw new RangeError(`input ${input.name}: the shape ${shown(shape)} is not that of ${array.length} elements`);
  }
}

/** The sizes of a call that a variant has names for, in order. */
function symbolsOf({ symbols = [] }, sizes) {
  return symbols.map((one) => one.size ?? sizes[one.input][one.axis]);
}

/** The sizes of an array by a variant's pattern; a size that is not said follows from the length. Null: it has others. */
function fitted(pattern, length, shape) {
  if (shape !== undefined) return pattern.every((size, k) => typeof size === "string" || size === shape[k]) ? shape : null;
  const free = pattern.filter((size) => typeof size === "string").length;
  const known = product(pattern.filter((size) => typeof size === "number"));
  if (free === 0) return known === length ? pattern : null;
  if (free > 1 || known === 0 || length % known !== 0) return null;
  return pattern.map((size) => (typeof size === "string" ? length / known : size));
}

function product(shape) {
  return shape.reduce((total, size) => total * size, 1);
}

function same(x, y) {
  if (x === y) return true;
  if (x === undefined || x?.length !== y?.length) return false;
  for (let k = 0; k < x.length; k++) if (x[k] !== y[k]) return false;
  return true;
}

function shown(shape) {
  if (Array.isArray(shape)) return `[${Array.from(shape, shown)}]`;
  return ["object", "function", "symbol"].includes(typeof shape) && shape !== null ? typeof shape : String(shape);
}

/** Some bytes of the weights. */
function part(weights, at, bytes) {
  if (!(at >= 0 && at + bytes <= weights.length)) throw new LoadError("NAME.wasm lacks weights that it names");
  return weights.subarray(at, at + bytes);
}

// Reading the file

async function bytesOf(source) {
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  if (typeof source?.arrayBuffer === "function") {
    if (source.ok === false) {
      throw new LoadError(`${source.url || "the response"}: ${source.status} ${source.statusText}`.trim());
    }
    return new Uint8Array(await source.arrayBuffer());
  }
  if (globalThis.process?.versions?.node === undefined || /^(https?|data|blob):/.test(source)) {
    return bytesOf(await fetch(source));
  }
  const files = "node:fs/promises"; // a name that bundlers for browsers do not look for
  const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ files);
  return readFile(/^file:/.test(source) ? new URL(source) : source);
}

/** The parts of the file: code, then custom sections, at the end of the last a checksum of all before it. */
function contents(file) {
  const damaged = (what) => new LoadError(`NAME.wasm ${what}: export it once more, or copy it again`);
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < 12 || view.getUint32(0) !== 0x0061736d) throw damaged("is not WebAssembly");
  if (view.getUint32(file.length - 4, true) !== crc32(file.subarray(0, -4))) throw damaged("is cut short or altered");
  const found = {};
  let at = 8;
  const leb128 = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      if (at >= file.length) throw damaged("ends within a section");
      const byte = file[at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < file.length) {
    const start = at;
    const kind = file[at++];
    const size = leb128();
    const end = at + size;
    if (kind === 0) {
      const length = leb128();
      found[text(file.subarray(at, at + length))] = { start, content: file.subarray(at + length, end) };
    }
    at = end;
  }
  if (at > file.length) throw damaged("ends within a section");
  const { hybridize: said, "hybridize.weights": weights, "hybridize.webgpu": kernels } = found;
  let description;
  try {
    description = said && JSON.parse(text(said.content));
  } catch (problem) {
    throw damaged(`says nothing of itself that can be read (${problem.message})`);
  }
  if (description?.program?.format !== FORMAT || !weights) throw damaged("is of another version than NAME.mjs");
  const checksum = view.getUint32(file.length - 4, true);
  return { code: file.subarray(0, weights.start), weights: weights.content, description, kernels: kernels?.content, checksum };
}

/* WORLD */

function text(bytes) {
  return new TextDecoder().decode(bytes);
}

/** CRC-32 of zlib and PNG, four bytes at a time. */
function crc32(bytes) {
  const table = new Int32Array(1024);
  for (let n = 0; n < 256; n++) {
    let value = n;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    table[n] = value;
  }
  for (let n = 0; n < 768; n++) table[n + 256] = table[table[n] & 255] ^ (table[n] >>> 8);
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const words = new Int32Array(aligned.buffer, aligned.byteOffset, bytes.length >>> 2);
  let crc = -1;
  for (let k = 0; k < words.length; k++) {
    crc ^= words[k];
    crc = table[768 + (crc & 255)] ^ table[512 + ((crc >>> 8) & 255)] ^ table[256 + ((crc >>> 16) & 255)] ^ table[crc >>> 24];
  }
  for (let k = 4 * words.length; k < bytes.length; k++) crc = table[(crc ^ bytes[k]) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}
