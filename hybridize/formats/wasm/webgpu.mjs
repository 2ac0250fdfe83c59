const LEAST = 16; // bytes of a buffer; all of them are multiples of 4, as copies are
const SLOT = 256; // bytes on whose multiples numbers of a launch begin
const REACH_GPU = 2 ** 31 - 4; // bytes of a buffer, at most: kernels count them in numbers of 32 bits with a sign
const ROW = 65535; // blocks that are numbered along one axis
const NOTE = 16; // bytes on whose multiples the parts of a note begin
const SHARED = Symbol.for("hybridize.webgpu.1"); // of models of other files, too
const REMEDY = 'load({ device: "wasm" }) runs it on the processor';

// Lets a state be as a call leaves it, unless the call has left a note.
const COMMIT = `
@group(0) @binding(0) var<uniform> words: vec4<u32>;
@group(0) @binding(1) var<storage, read> note: array<u32>;
@group(0) @binding(2) var<storage, read> made: array<u32>;
@group(0) @binding(3) var<storage, read_write> state: array<u32>;
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
  let index = (group.x + group.y * ${ROW}u) * 256u + thread;
  if (note[0] == 0u && index < words.x) { state[index] = made[index]; }
}`;

/** What was asked of a GPU, which it cannot do; `code` is one of hybridize's errors. */
export class DeviceError extends Error {
  name = "DeviceError";

  constructor(code, message) {
    super(`${code}: ${message}`);
    this.code = code;
  }
}

/** Load a model from the file beside this one, or from a path, URL, response or bytes; onto a GPU, if there is one. */
export async function load(options = {}) {
  const { source = new URL("./NAME.wasm", import.meta.url), ...choice } = isSource(options) ? { source: options } : options;
  if (![undefined, "webgpu", "wasm"].includes(choice.device)) {
    throw new TypeError(`device is "webgpu" or "wasm", or left out; got ${shown(choice.device)}`);
  }
  const bytes = await bytesOf(await source);
  // Where it can be read again: of large weights no second copy stays in memory, unless nothing may fail later.
  const place = (typeof source === "string" || source?.href !== undefined) && !choice.fallback ? source : bytes;
  return Placed.of(bytes, place, choice);
}

function isSource(options) {
  if (options === null || typeof options !== "object" || ArrayBuffer.isView(options)) return true;
  return options instanceof ArrayBuffer || ["href", "arrayBuffer", "then"].some((name) => name in options);
}

/** A model, wherever it runs. */
class Placed {
  #place;
  #choice;
  #checksum;
  #on = null;
  #reason = "";
  #moving = null;

  /** The model of a file, which lies at a place that it can be read from again. */
  static async of(bytes, place, choice) {
    const model = new Placed(place, choice);
    await model.#start(bytes, null);
    return model;
  }

  constructor(place, choice) {
    this.#place = place;
    this.#choice = choice;
  }

  /** Put the model of a file to where it is to run, with states if they are not those of the file. */
  async #start(bytes, states) {
    const { device, fallback, progress } = this.#choice;
    const file = contents(bytes);
    this.#checksum = file.checksum;
    let reason = "it was asked for";
    if (device !== "wasm") {
      try {
        this.#runs(await Gpu.open(file, device === "webgpu", progress), "", states);
        return;
      } catch (problem) {
        if (!(problem instanceof DeviceError) || (device === "webgpu" && !fallback)) throw problem;
        reason = problem.message;
      }
    }
    this.#runs(await compiled(file), reason, states);
  }

  #runs(on, reason, states) {
    if (states) on.restore(states);
    this.#on = on;
    this.#reason = reason;
    if (this.device === "wasm") this.#place = null;
    ({ name: this.name, inputs: this.inputs, outputs: this.outputs } = on);
  }

  /** "webgpu" or "wasm". */
  get device() {
    return this.#on instanceof Gpu ? "webgpu" : "wasm";
  }

  /** The GPU, as the browser calls it; empty where WebAssembly runs. */
  get adapter() {
    return this.#on.adapter ?? "";
  }

  /** Why WebAssembly runs; empty where a GPU does. */
  get reason() {
    return this.#reason;
  }

  /** Run the model on arrays by name; gives arrays by name, which later calls leave alone. */
  async run(inputs) {
    const on = this.#on;
    const lost = on.isLost === true;
    if (!lost && !(this.#choice.fallback && on instanceof Gpu)) return on.run(inputs);
    const again = copied(inputs); // the caller may write other numbers into them meanwhile
    let problem = null;
    if (!lost) {
      try {
        return await on.run(inputs);
      } catch (failure) {
        if (!(failure instanceof DeviceError) || on.isDestroyed) throw failure;
        problem = failure;
      }
    }
    this.#moving ??= this.#move(on, problem).finally(() => (this.#moving = null));
    return (await this.#moving).run(again);
  }

  /** Go on from the states that the last call has left: on the GPU that has come back, else by WebAssembly. */
  async #move(gpu, problem) {
    if (this.#on !== gpu) return this.#on; // another call has done so
    const states = await gpu.left();
    const bytes = await bytesOf(this.#place);
    if (contents(bytes).checksum !== this.#checksum) throw new LoadError("NAME.wasm is another file than when it was loaded");
    if (problem === null && !this.#choice.fallback) await this.#start(bytes, states);
    else this.#runs(await compiled(contents(bytes)), (problem ?? gpu.failure()).message, states);
    if (gpu.isDestroyed) this.destroy(); // meanwhile
    gpu.destroy();
    return this.#on;
  }

  /** Start random numbers over: equal seeds give equal numbers. */
  seed(seed) {
    this.#on.seed(seed);
  }

  /** Give the GPU's memory back. No call may follow. */
  destroy() {
    this.#on.destroy?.();
  }
}

/** The GPU of a page, which all its models share as long as there are some. They may be of several files like this. */
class SharedGpu {
  #gpu;
  #users = 0;
  #opening = null;
  lost = null;

  /** The one that is there, or another one. */
  static async of(name) {
    const { gpu } = globalThis.navigator ?? {};
    if (!gpu) throw new DeviceError("E701", `${name}: there is no WebGPU here; ${REMEDY}`);
    const one = (gpu[SHARED] ??= new SharedGpu(gpu));
    const problem = await one.join();
    if (problem) throw new DeviceError("E701", `${name}: ${problem}; ${REMEDY}`);
    return one;
  }

  constructor(gpu) {
    this.#gpu = gpu;
  }

  /** Count a model that uses it; gives what is wrong, if there is no GPU. */
  async join() {
    this.#users++;
    const problem = await (this.#opening ??= this.#opened());
    if (problem) this.close();
    return problem;
  }

  async #opened() {
    try {
      const adapter = await this.#gpu.requestAdapter({ powerPreference: "high-performance" });
      if (!adapter) return "WebGPU finds no GPU here";
      this.info = adapter.info ?? {};
      this.isImitated = this.info.isFallbackAdapter ?? adapter.isFallbackAdapter; // browsers before 2025 have the latter
      const { maxBufferSize, maxStorageBufferBindingSize, maxStorageBuffersPerShaderStage } = adapter.limits;
      this.most = Math.min(maxBufferSize, maxStorageBufferBindingSize, REACH_GPU);
      this.arrays = maxStorageBuffersPerShaderStage;
      const requiredLimits = { maxBufferSize, maxStorageBufferBindingSize, maxStorageBuffersPerShaderStage };
      this.device = await adapter.requestDevice({ requiredLimits });
    } catch ({ message }) {
      return `the GPU does not start (${message})`;
    }
    this.device.lost.then(({ message }) => {
      this.lost = `the GPU is lost (${message})`;
      this.#forget();
    });
    return "";
  }

  #forget() {
    if (this.#gpu[SHARED] === this) delete this.#gpu[SHARED];
  }

  /** Count a model that uses it no more. */
  close() {
    if (--this.#users) return;
    this.#forget();
    this.device?.destroy();
  }
}

/** A model on a GPU, which runs calls in the order in which they are made. */
class Gpu {
  #face;
  #program;
  #shared;
  #device;
  #isDestroyed = false;
  #kernels = {};
  // Arrays that stay, and what the states were after the latest call that has ended.
  #constants = [];
  #states = [];
  #left;
  #latest = Promise.resolve();
  #call = null;

  /** Put the model of a file onto the GPU; onto one that the processor imitates only if asked. */
  static async open({ description, weights, kernels }, asked, progress = () => {}) {
    const { name } = description;
    const program = await inflated(kernels);
    if (program.refused) throw new DeviceError("E705", `${name} has no kernels: ${program.refused}; ${REMEDY}`);
    const model = new Gpu(new Face(description), program, await SharedGpu.of(name));
    try {
      model.#check(asked);
      await model.#fill(weights, progress);
    } catch (problem) {
      model.destroy();
      throw problem;
    }
    return model;
  }

  constructor(face, program, shared) {
    this.#face = face;
    this.#program = program;
    this.#shared = shared;
    this.#device = shared.device;
    const { vendor, architecture, description } = shared.info;
    this.adapter = description || [vendor, architecture].filter(Boolean).join(" ");
    ({ name: this.name, inputs: this.inputs, outputs: this.outputs } = face);
  }

  /** Whether a call needs another GPU: this one has gone. */
  get isLost() {
    return this.#shared.lost !== null && !this.#isDestroyed;
  }

  get isDestroyed() {
    return this.#isDestroyed;
  }

  /** Refuse a GPU that is none, or too small. */
  #check(asked) {
    const { isImitated, most, arrays } = this.#shared;
    if (isImitated && !asked) {
      throw new DeviceError("E701", `${this.name}: WebGPU's only GPU here is imitated by the processor; ${REMEDY}`);
    }
    checkRoom(this.name, this.#program.largest, most);
    const needed = Math.max(0, ...Object.values(this.#program.kernels).map(({ writes }) => writes.length));
    if (needed > arrays) {
      throw new DeviceError("E705", `${this.name} has a kernel of ${needed} arrays; this GPU takes ${arrays}; ${REMEDY}`);
    }
  }

  /** Compile the kernels, and put weights and states in place. */
  async #fill(weights, progress) {
    const { kernels, variants, constants } = this.#program;
    const all = Object.entries(kernels);
    const states = this.#face.program.states;
    if (states.length && variants.some(({ notes }) => notes)) all.push(["commit", { text: COMMIT, writes: "rrw" }]);
    let done = 0;
    const compiling = all.map(async (one) => {
      await this.#compile(...one);
      progress(++done, all.length);
    });
    await Promise.all(compiling);
    await this.#watched(() => {
      states.forEach((one) => this.#states.push(this.#weight(weights, one)));
      this.#left = states.map(({ at, bytes }) => weights.slice(at, at + bytes));
      constants.forEach((one) =>
        this.#constants.push(one.launches ? this.#derived(weights, one) : this.#weight(weights, one)),
      );
    });
  }

  async #compile(name, { text, writes }) {
    const visibility = GPUShaderStage.COMPUTE;
    const types = ["uniform", ...Array.from(writes, (letter) => (letter === "w" ? "storage" : "read-only-storage"))];
    const entries = types.map((type, binding) => ({ binding, visibility, buffer: { type } }));
    const layout = this.#device.createBindGroupLayout({ entries });
    const all = this.#device.createPipelineLayout({ bindGroupLayouts: [layout] });
    const module = this.#device.createShaderModule({ code: text });
    try {
      const compute = { module, entryPoint: "main" };
      const pipeline = await this.#device.createComputePipelineAsync({ layout: all, compute });
      this.#kernels[name] = { pipeline, layout };
    } catch (problem) {
      const { messages } = await module.getCompilationInfo();
      const said = messages.find(({ type }) => type === "error")?.message ?? problem.message;
      throw new DeviceError("E907", `this browser does not compile ${name} of ${this.name}: ${said}; ${REMEDY}`);
    }
  }

  /** Do what makes buffers and commands; the promise is that the GPU can do it. */
  #watched(act) {
    this.#device.pushErrorScope("validation");
    this.#device.pushErrorScope("out-of-memory");
    try {
      act();
    } catch (problem) {
      this.#device.popErrorScope();
      this.#device.popErrorScope();
      throw problem;
    }
    const lost = ({ message }) => {
      throw this.failure(message);
    };
    return Promise.all([this.#device.popErrorScope(), this.#device.popErrorScope()]).catch(lost).then(([scarce, wrong]) => {
      if (scarce) throw new DeviceError("E706", `${this.name}: the GPU has no memory left; ${REMEDY}`);
      if (wrong) throw new DeviceError("E908", `${this.name}: WebGPU refuses a call: ${wrong.message}; ${REMEDY}`);
    });
  }

  /** A buffer for so many bytes. */
  buffer(bytes, usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST) {
    checkRoom(this.name, bytes, this.#shared.most);
    return this.#device.createBuffer({ size: whole(bytes), usage });
  }

  /** Write into a buffer, now as far as later commands can tell. */
  write(buffer, { buffer: memory, byteOffset, byteLength }) {
    const even = byteLength - (byteLength % 4);
    if (even) this.#device.queue.writeBuffer(buffer, 0, memory, byteOffset, even);
    if (even === byteLength) return;
    const rest = new Uint8Array(4);
    rest.set(new Uint8Array(memory, byteOffset + even, byteLength - even));
    this.#device.queue.writeBuffer(buffer, even, rest);
  }

  /** A launch of a kernel on buffers. */
  bound({ pipeline, layout }, table, buffers) {
    const entries = [table, ...buffers.map((buffer) => ({ buffer }))].map((resource, binding) => ({ binding, resource }));
    return { pipeline, group: this.#device.createBindGroup({ layout, entries }) };
  }

  #weight(weights, { at, bytes }) {
    if (!(at >= 0 && at + bytes <= weights.length)) throw new LoadError("NAME.wasm lacks weights that it names");
    const buffer = this.buffer(bytes);
    this.write(buffer, weights.subarray(at, at + bytes));
    return buffer;
  }

  /** A constant that launches make of weights. */
  #derived(weights, { bytes, sources, scratchBytes, launches }) {
    const made = this.buffer(bytes);
    const input = sources.map((one) => this.#weight(weights, one));
    const scratch = [this.buffer(scratchBytes)];
    const commands = new Commands(this, this.#kernels, launches, { input, output: [made], scratch }, {});
    const encoder = this.#device.createCommandEncoder();
    commands.encode(encoder);
    this.#device.queue.submit([encoder.finish()]);
    for (const one of [...input, ...scratch, commands]) one.destroy(); // after they have been used
    return made;
  }

  /** Run the model on arrays by name, which are read before this returns. */
  run(inputs) {
    const ends = this.#begun(inputs);
    this.#latest = ends.catch(() => {});
    return ends;
  }

  async #begun(inputs) {
    if (this.#isDestroyed || this.isLost) throw this.failure();
    const [arrays, shapes] = this.#face.given(inputs);
    let call = this.#call?.takes(arrays, shapes) ? this.#call : null;
    let place;
    const could = this.#watched(() => {
      call ??= this.#newCall(arrays, shapes);
      place = call.spare.pop() ?? this.buffer(call.bytes, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
      arrays.forEach((array, k) => this.write(call.input[k], array));
      const encoder = this.#device.createCommandEncoder();
      call.encode(encoder, place);
      this.#device.queue.submit([encoder.finish()]);
    });
    const [allowed, arrived] = await Promise.allSettled([could, place.mapAsync(GPUMapMode.READ)]);
    if (allowed.reason ?? arrived.reason) {
      place.destroy();
      if (this.#call === call) this.#drop();
      throw allowed.reason ?? this.failure(arrived.reason.message);
    }
    try {
      const memory = place.getMappedRange();
      call.settle(memory);
      for (const { state, at, bytes } of call.changes) this.#left[state] = new Uint8Array(memory.slice(at, at + bytes));
      return Object.fromEntries(this.outputs.map(({ name }, k) => [name, call.result(k, memory)]));
    } finally {
      place.unmap();
      if (this.#call === call) call.spare.push(place);
      else place.destroy();
    }
  }

  /** Why there can be no call, or `message` if it is not known yet. */
  failure(message) {
    if (this.#isDestroyed) return new DeviceError("E707", `${this.name} was destroyed; load it again`);
    const why = this.#shared.lost ?? `the GPU is lost (${message})`;
    const remedy = "the next call starts it again; with { fallback: true } calls go on by WebAssembly";
    return new DeviceError("E707", `${this.name}: ${why}; ${remedy}`);
  }

  #drop() {
    this.#call?.destroy();
    this.#call = null;
  }

  /** Make room for a call with such arrays, by the first variant that is for them, in place of the latest one. */
  #newCall(arrays, shapes) {
    const { variants } = this.#program;
    const asked = (variant, sizes, number) => needed(variant, variants[number], sizes);
    const { variant, sizes, needs } = this.#face.chosen(arrays, shapes, asked);
    const nbytes = (shape, kind) => product(shape) * kind.BYTES_PER_ELEMENT;
    const kinds = variant.outputTypes.map((type) => KINDS[type]);
    const read = sizes.map((shape, k) => nbytes(shape, this.#face.kinds[k]));
    const written = needs.outputs.map((shape, k) => nbytes(shape, kinds[k]));
    for (const bytes of [...read, ...written, needs.scratchBytes]) checkRoom(this.name, bytes, this.#shared.most);
    this.#drop();
    const buffers = (list) => list.map((bytes) => this.buffer(bytes));
    const { notes, bytes: noteBytes } = needs;
    const own = { input: buffers(read), output: buffers(written), scratch: buffers([needs.scratchBytes]) };
    own.flag = notes.length ? buffers([noteBytes]) : [];
    const states = variant.states.map((k) => this.#states[k]);
    const input = [...own.input, ...states, ...needs.constants.map((k) => this.#constants[k])];
    const first = written.length - variant.newStates.length;
    const outputs = needs.outputs.map((shape, k) => {
      const state = variant.newStates[k - first];
      return { shape, bytes: written[k], kind: kinds[k], state, home: this.#states[state] };
    });
    // Where an assertion may fail, a kernel looks at its note before states change.
    const launches = [...needs.launches];
    const home = outputs.map((one) => one.home);
    for (const [k, { bytes }] of outputs.entries()) {
      if (!notes.length || home[k] === undefined) continue;
      const words = whole(bytes) / 4;
      launches.push(["commit", Math.ceil(words / 256), [["flag", 0], ["output", k], ["home", k]], [words, 0, 0, 0]]);
    }
    const commands = new Commands(this, this.#kernels, launches, { ...own, input, home }, needs.symbols);
    this.#call = new GpuCall(own, commands, outputs, needs, shapes, arrays.map(({ length }) => length));
    return this.#call;
  }

  /** Start random numbers over: equal seeds give equal numbers. */
  seed(seed) {
    const words = this.#face.seeded(seed);
    const { random } = this.#face.program;
    this.write(this.#states[random], words);
    this.#left[random] = new Uint8Array(words.buffer);
  }

  /** The states after the latest call that has ended well. */
  async left() {
    await this.#latest;
    return this.#left;
  }

  /** Let states be as calls elsewhere have left them. */
  restore(states) {
    states.forEach((bytes, k) => this.write(this.#states[k], bytes));
    this.#left = states;
  }

  /** Give its memory back, once: calls that have begun end. */
  destroy() {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.#drop();
    for (const one of [...this.#states, ...this.#constants]) one.destroy();
    this.#shared.close();
  }
}

/** A call of known sizes, with its memory: good for all calls of these sizes until another takes its place. */
class GpuCall {
  /** Places where results arrive, which no call waits for. */
  spare = [];
  #own;
  #commands;
  #outputs;
  #notes;
  #shapes;
  #lengths;

  constructor(own, commands, outputs, { notes, bytes }, shapes, lengths) {
    this.bytes = notes.length ? bytes : 0; // a note stands before the outputs
    this.#own = own;
    this.#commands = commands;
    this.#notes = notes;
    this.#outputs = outputs.map((one) => {
      const at = this.bytes;
      this.bytes += whole(one.bytes);
      return { ...one, at, shape: Object.freeze([...one.shape]) };
    });
    this.#shapes = shapes.map((shape) => (shape === undefined ? undefined : [...shape]));
    this.#lengths = lengths;
    this.input = own.input;
    /** What the last outputs are the new values of. */
    this.changes = this.#outputs.filter(({ home }) => home !== undefined);
  }

  /** Whether arrays are of these sizes, said in the same way. */
  takes(arrays, shapes) {
    return arrays.every((array, k) => array.length === this.#lengths[k] && same(shapes[k], this.#shapes[k]));
  }

  /** Compute, let states be as the call leaves them, and bring the outputs to where they can be read. */
  encode(encoder, place) {
    const [flag] = this.#own.flag;
    if (flag) encoder.clearBuffer(flag);
    this.#commands.encode(encoder);
    if (flag) encoder.copyBufferToBuffer(flag, 0, place, 0, flag.size);
    this.#outputs.forEach(({ home, at, bytes }, k) => {
      if (home !== undefined && !flag) encoder.copyBufferToBuffer(this.#own.output[k], 0, home, 0, whole(bytes));
      encoder.copyBufferToBuffer(this.#own.output[k], 0, place, at, whole(bytes));
    });
  }

  /** Raise what an assertion has left in the memory of a place. */
  settle(memory) {
    if (!this.#notes.length) return;
    const world = new World();
    world.read(this.#notes, memory, 0);
    world.settle();
  }

  /** An output, of the memory of a place. */
  result(number, memory) {
    const { at, bytes, kind, shape } = this.#outputs[number];
    const array = new kind(memory.slice(at, at + bytes));
    array.shape = shape;
    return array;
  }

  destroy() {
    for (const buffer of [...Object.values(this.#own).flat(), ...this.spare]) buffer.destroy();
    this.#commands.destroy();
  }
}

/** Launches and copies on buffers, in a call of known sizes. */
class Commands {
  #steps = [];
  #own = [];

  constructor(gpu, kernels, launches, buffers, symbols) {
    const sizes = launches.map(([, amount, , words]) => [amount, ...words].map((one) => sized(one, symbols)));
    // The numbers of each launch in a slot of their own, all in one buffer.
    const slots = [];
    let end = 0;
    for (const [, ...words] of sizes) {
      const size = Math.ceil(words.length / 4) * 16;
      slots.push({ offset: end, size });
      end = Math.ceil((end + size) / SLOT) * SLOT;
    }
    const numbers = new Uint32Array(end / 4);
    sizes.forEach(([, ...words], k) => numbers.set(words, slots[k].offset / 4));
    const table = gpu.buffer(numbers.byteLength, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST);
    gpu.write(table, numbers);
    this.#own.push(table);
    launches.forEach(([name, , places], k) => {
      const [amount, ...words] = sizes[k];
      const bound = places.map(([kind, slot]) => kind === "nowhere" ? this.#spare(gpu, LEAST) : buffers[kind][slot]);
      if (name === null) return this.#copy(gpu, bound, words, amount);
      if (amount) this.#steps.push({ ...gpu.bound(kernels[name], { buffer: table, ...slots[k] }, bound), blocks: amount });
    });
  }

  /** A buffer of the commands' own. */
  #spare(gpu, bytes) {
    this.#own.push(gpu.buffer(bytes));
    return this.#own.at(-1);
  }

  /** Copy from an offset of a buffer to one of another; no buffer may be copied to itself. */
  #copy(gpu, [to, source], [at, from], bytes) {
    if (to !== source) return void this.#steps.push({ copy: [source, from, to, at, bytes] });
    const between = this.#spare(gpu, bytes);
    this.#steps.push({ copy: [source, from, between, 0, bytes] }, { copy: [between, 0, to, at, bytes] });
  }

  encode(encoder) {
    let pass = null;
    for (const { pipeline, group, blocks, copy } of this.#steps) {
      if (copy) {
        pass?.end();
        pass = null;
        encoder.copyBufferToBuffer(...copy);
        continue;
      }
      pass ??= encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(Math.min(blocks, ROW), Math.ceil(blocks / ROW));
    }
    pass?.end();
  }

  destroy() {
    for (const buffer of this.#own) buffer.destroy();
  }
}

/** The kernels of a file, and their launches. */
async function inflated(section) {
  if (section === undefined) return { refused: "NAME.wasm was exported for processors alone" };
  try {
    const stream = new Blob([section]).stream().pipeThrough(new DecompressionStream("deflate"));
    return await new Response(stream).json();
  } catch (problem) {
    throw new LoadError(`NAME.wasm does not hold together: its kernels cannot be read (${problem.message})`);
  }
}

/** What a call of a variant needs on a GPU; null where it is not for these sizes. */
function needed(variant, { constants, launches, scratchBytes, holds = [], notes = [] }, sizes) {
  const symbols = {};
  holds.forEach((line, k) => {
    const one = variant.symbols[k];
    if (one) symbols[line.split(" ", 1)[0]] = one.size ?? sizes[one.input][one.axis];
  });
  const shape = (pattern) => pattern.map((size) => sized(size, symbols));
  if (!holds.every((line) => holding(line, symbols))) return null;
  if (!variant.inputs.every((pattern, k) => same(shape(pattern), sizes[k]))) return null;
  const outputs = variant.outputs.map(shape);
  return { constants, launches, symbols, scratchBytes: sized(scratchBytes, symbols), outputs, ...placed(notes, symbols) };
}

/** The notes that assertions may leave, with the places of their operands, and the bytes of the longest. */
function placed(notes, symbols) {
  let most = NOTE;
  const all = notes.map(([said, operands]) => {
    let offset = NOTE;
    const places = operands.map(([code, shape, bytes]) => {
      const one = { code, shape: shape.map((size) => sized(size, symbols)), offset };
      offset += Math.ceil(sized(bytes, symbols) / NOTE) * NOTE;
      return one;
    });
    most = Math.max(most, offset);
    return [said, places];
  });
  return { notes: all, bytes: most };
}

/** Whether a line on sizes holds: `n0 in 2..64 like 9`, `n0-n1 == 0`. */
function holding(line, symbols) {
  const [name, relation, range] = line.split(" ");
  const size = sized(name, symbols);
  if (relation === ">") return size > 0;
  if (relation !== "in") return (size === 0) === (relation === "==");
  const [low, high] = range.split("..");
  return size >= Number(low) && (high === "" || size <= Number(high));
}

const PAIRS = {
  div: (x, y) => Math.floor(x / y),
  mod: (x, y) => x - y * Math.floor(x / y),
  max: Math.max,
};

/** A size by its text, `2*n0+div(n1,3)`, or as it is. */
function sized(size, symbols) {
  if (typeof size === "number") return size;
  const tokens = size.match(/\w+|[^\w\s]/g);
  const next = (token) => tokens[0] === token && tokens.shift() === token;
  const sum = () => {
    let total = next("-") ? -term() : term();
    for (;;) {
      if (next("+")) total += term();
      else if (next("-")) total -= term();
      else return total;
    }
  };
  const term = () => {
    let total = factor();
    while (next("*")) total *= factor();
    return total;
  };
  const factor = () => {
    const word = tokens.shift();
    if (!(word in PAIRS)) return symbols[word] ?? Number(word);
    const pair = [];
    while (!next(")")) pair.push((tokens.shift(), sum())); // behind a bracket, or a comma
    return PAIRS[word](...pair);
  };
  return sum();
}

/** Bytes of a buffer for so many. */
function whole(bytes) {
  return Math.max(LEAST, Math.ceil(bytes / 4) * 4);
}

/** Make sure that a GPU has room for an array. */
function checkRoom(name, bytes, most) {
  if (bytes > most) throw new DeviceError("E706", `${name} needs an array of ${bytes} bytes; this GPU has room for ${most}; ${REMEDY}`);
}

/** The inputs as they are now. */
function copied(inputs) {
  const arrays = Object.entries(inputs ?? {}).map(([name, value]) => {
    const array = value?.data ?? value;
    const shape = value?.shape;
    return [name, ArrayBuffer.isView(array) ? { data: array.slice(), ...(shape && { shape: [...shape] }) } : value];
  });
  return Object.fromEntries(arrays);
}
