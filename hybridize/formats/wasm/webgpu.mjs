const LEAST = 16; // bytes of a buffer; all of them are multiples of 4, as copies are
const SLOT = 256; // bytes on whose multiples numbers of a launch begin
const REACH_GPU = 2 ** 31 - 4; // bytes of a buffer, at most: kernels count them in numbers of 32 bits with a sign
const ROW = 65535; // blocks that are numbered along one axis
const SHARED = Symbol.for("hybridize.webgpu.1"); // of models of other files, too
const REMEDY = 'load({ device: "wasm" }) runs it on the processor';

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
  #face;
  #on = null;
  #reason = "";
  // Calls stand in line behind what has to come before one of them: kernels, another place to run.
  #line = Promise.resolve();
  #waiting = 0;

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
    this.#face = new Face(file.description);
    ({ name: this.name, inputs: this.inputs, outputs: this.outputs } = this.#face);
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

  /** Run the model on arrays by name, which are read before this returns; gives arrays by name, left alone later. */
  async run(inputs) {
    const on = this.#on;
    const waits = this.#waiting > 0 || on.isLost === true;
    const mayRunAgain = this.#choice.fallback && on instanceof Gpu;
    let own = waits || mayRunAgain ? copied(inputs) : inputs; // the caller may write other numbers into them meanwhile
    const running = waits ? null : on.run(own);
    if (running && !mayRunAgain) return running;
    if (own === inputs) own = copied(inputs);
    const call = running ? { on, ends: running } : await this.#next(own);
    try {
      return await call.ends;
    } catch (problem) {
      if (!mayRunAgain || !(problem instanceof DeviceError) || call.on.isDestroyed) throw problem;
      return (await this.#next(own, call.on, problem)).ends;
    }
  }

  /** Get ready for calls with arrays like these: compile what they need and was not needed before. */
  async prepare(inputs) {
    const own = copied(inputs);
    await this.#inLine(() => this.#readied(own));
  }

  /** Begin a call behind what waits; the next one does not wait for its end. */
  #next(inputs, gpu, problem) {
    return this.#inLine(async () => {
      await this.#readied(inputs, gpu, problem);
      return { on: this.#on, ends: this.#on.run(inputs) };
    });
  }

  /** Do something behind what waits. */
  #inLine(act) {
    this.#waiting++;
    const done = () => void this.#waiting--;
    const turn = this.#line.then(act);
    this.#line = turn.then(done, done);
    return turn;
  }

  /** Put the model to where a call can run, which may have had a problem on a GPU, and compile its kernels. */
  async #readied(inputs, gpu, problem = null) {
    if (problem || this.#on.isLost) await this.#move(gpu ?? this.#on, problem);
    try {
      await this.#on.prepare?.(inputs); // WebAssembly is always ready
    } catch (failure) {
      const { device, fallback } = this.#choice;
      if (failure.code !== "E907" || (device === "webgpu" && !fallback)) throw failure;
      await this.#move(this.#on, failure);
    }
  }

  /** Go on from the states that the last call has left: on the GPU that has come back, else by WebAssembly. */
  async #move(gpu, problem) {
    if (this.#on !== gpu) return; // another call has done so
    const states = await gpu.left();
    const bytes = await bytesOf(this.#place);
    if (contents(bytes).checksum !== this.#checksum) throw new LoadError("NAME.wasm is another file than when it was loaded");
    if (problem === null && !this.#choice.fallback) await this.#start(bytes, states);
    else this.#runs(await compiled(contents(bytes)), (problem ?? gpu.failure()).message, states);
    if (gpu.isDestroyed) this.destroy(); // meanwhile
    gpu.destroy();
  }

  /** Start random numbers over: equal seeds give equal numbers. */
  seed(seed) {
    this.#face.seeded(seed); // what is none is an error now
    if (this.#waiting) void this.#inLine(() => this.#on.seed(seed));
    else this.#on.seed(seed);
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
  #progress;
  #kernels = {};
  // Buffers of states and constants, and what the states were after the latest call that has ended.
  #lasting;
  #left;
  #latest = Promise.resolve();
  #call = null;

  /** Put the model of a file onto the GPU; onto one that the processor imitates only if asked. */
  static async open({ description, weights, kernels }, asked, progress = () => {}) {
    const { name } = description;
    const program = await inflated(kernels);
    if (program.refused) throw new DeviceError("E705", `${name} has no kernels: ${program.refused}; ${REMEDY}`);
    const model = new Gpu(new Face(description), program, await SharedGpu.of(name), progress);
    try {
      model.#check(asked);
      await model.#fill(weights);
    } catch (problem) {
      model.destroy();
      throw problem;
    }
    return model;
  }

  constructor(face, program, shared, progress) {
    this.#face = face;
    this.#program = program;
    this.#progress = progress;
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
      throw new DeviceError("E705", `${this.name} has a kernel of ${needed} buffers; this GPU takes ${arrays}; ${REMEDY}`);
    }
  }

  /** Put weights and states in place. */
  async #fill(weights) {
    const { buffers, states, constants } = this.#program;
    await this.#compileAll(constants.flatMap(({ work }) => work ?? []));
    await this.#watched(() => {
      this.#lasting = this.#buffers(buffers);
      this.#left = this.#face.program.states.map((one) => part(weights, one.at, one.bytes).slice());
      this.restore(this.#left);
      for (const one of constants) {
        if (one.work) this.#derive(weights, one);
        else this.#put(this.#lasting.constant, one.place, part(weights, one.at, one.bytes));
      }
    });
  }

  /** Compile the kernels of some work that no work before has had. */
  async #compileAll(work) {
    const lacking = this.#lacking(work);
    let done = 0;
    const compiling = lacking.map(async (name) => {
      await this.#compile(name, this.#program.kernels[name]);
      this.#progress(++done, lacking.length);
    });
    await Promise.all(compiling);
  }

  #lacking(work) {
    const names = new Set(work.map(([name]) => name));
    return [...names].filter((name) => name !== null && !this.#kernels[name]);
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
      if (this.isLost) throw this.failure();
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

  /** Write into a buffer, now as far as later commands can tell; the last word is written whole. */
  write(buffer, { buffer: memory, byteOffset, byteLength }, at = 0) {
    const even = byteLength - (byteLength % 4);
    if (even) this.#device.queue.writeBuffer(buffer, at, memory, byteOffset, even);
    if (even === byteLength) return;
    const rest = new Uint8Array(4);
    rest.set(new Uint8Array(memory, byteOffset + even, byteLength - even));
    this.#device.queue.writeBuffer(buffer, at + even, rest);
  }

  /** Write an array to its place among buffers of a kind. */
  #put(buffers, [number, offset], array) {
    this.write(buffers[number], array, offset);
  }

  /** Buffers of each kind, by their bytes. */
  #buffers(kinds) {
    return Object.fromEntries(Object.entries(kinds).map(([kind, sizes]) => [kind, sizes.map((bytes) => this.buffer(bytes))]));
  }

  /** A launch of a kernel on buffers. */
  bound({ pipeline, layout }, table, buffers) {
    const entries = [table, ...buffers.map((buffer) => ({ buffer }))].map((resource, binding) => ({ binding, resource }));
    return { pipeline, group: this.#device.createBindGroup({ layout, entries }) };
  }

  /** Let launches make a constant of weights. */
  #derive(weights, { sources, inputs, buffers, work }) {
    const own = this.#buffers(buffers);
    sources.forEach(([at, bytes], k) => this.#put(own.input, inputs[k], part(weights, at, bytes)));
    const commands = new Commands(this, this.#kernels, work, { ...this.#lasting, ...own }, {});
    const encoder = this.#device.createCommandEncoder();
    commands.encode(encoder);
    this.#device.queue.submit([encoder.finish()]);
    for (const one of [...Object.values(own).flat(), commands]) one.destroy(); // after they have been used
  }

  /** Run the model on arrays by name, which are read before this returns; null if `prepare` has to come first. */
  run(inputs) {
    let fit;
    try {
      fit = this.#fitted(inputs);
    } catch (problem) {
      return Promise.reject(problem);
    }
    if (this.#lacking(fit.needs?.work ?? []).length) return null;
    const ends = this.#begun(fit);
    this.#latest = ends.catch(() => {});
    return ends;
  }

  /** Compile what a call with arrays like these needs. */
  async prepare(inputs) {
    await this.#compileAll(this.#fitted(inputs).needs?.work ?? []);
  }

  /** The arrays of a call, and the first variant that is for them, unless the latest call was like it. */
  #fitted(inputs) {
    if (this.#isDestroyed || this.isLost) throw this.failure();
    const [arrays, shapes] = this.#face.given(inputs);
    if (this.#call?.takes(arrays, shapes)) return { arrays, shapes };
    const asked = (variant, sizes, number) => needed(variant, this.#program.variants[number], sizes);
    return this.#face.chosen(arrays, shapes, asked);
  }

  async #begun(fit) {
    let call = fit.needs ? null : this.#call;
    let place;
    const could = this.#watched(() => {
      call ??= this.#newCall(fit);
      place = call.spare.pop() ?? this.buffer(call.bytes, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
      fit.arrays.forEach((array, k) => this.#put(call.buffers.input, call.inputs[k], array));
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

  /** Make room for a call, in place of the latest one. */
  #newCall(fit) {
    const { needs } = fit;
    for (const bytes of Object.values(needs.buffers).flat()) checkRoom(this.name, bytes, this.#shared.most);
    this.#drop();
    const own = this.#buffers(needs.buffers);
    const commands = new Commands(this, this.#kernels, needs.work, { ...this.#lasting, ...own }, needs.symbols);
    this.#call = new GpuCall(fit, own, commands);
    return this.#call;
  }

  /** Start random numbers over: equal seeds give equal numbers. */
  seed(seed) {
    const words = this.#face.seeded(seed);
    const { random } = this.#face.program;
    this.#put(this.#lasting.state, this.#program.states[random], words);
    this.#left[random] = new Uint8Array(words.buffer);
  }

  /** The states after the latest call that has ended well. */
  async left() {
    await this.#latest;
    return this.#left;
  }

  /** Let states be as calls elsewhere have left them. */
  restore(states) {
    states.forEach((bytes, k) => this.#put(this.#lasting.state, this.#program.states[k], bytes));
    this.#left = states;
  }

  /** Give its memory back, once: calls that have begun end. */
  destroy() {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.#drop();
    for (const one of Object.values(this.#lasting ?? {}).flat()) one.destroy();
    this.#shared.close();
  }
}

/** A call of known sizes, with its memory. */
class GpuCall extends Sizes {
  /** Places where results arrive, which no call waits for. */
  spare = [];
  #commands;
  #outputs;
  #notes;

  constructor({ arrays, shapes, variant, needs }, buffers, commands) {
    super(arrays, shapes);
    this.buffers = buffers;
    this.inputs = needs.inputs;
    this.#commands = commands;
    this.#notes = needs.notes;
    // What comes back: a note, then the outputs, as they lie.
    this.bytes = 0;
    this.arriving = [...buffers.flag, ...buffers.output].map((buffer) => {
      const at = this.bytes;
      this.bytes += buffer.size;
      return { buffer, at };
    });
    const starts = this.arriving.slice(buffers.flag.length);
    const first = needs.outputs.length - variant.newStates.length;
    this.#outputs = needs.outputs.map(([number, offset], k) => {
      const kind = KINDS[variant.outputTypes[k]];
      const shape = Object.freeze([...needs.shapes[k]]);
      const bytes = product(shape) * kind.BYTES_PER_ELEMENT;
      return { at: starts[number].at + offset, bytes, kind, shape, state: variant.newStates[k - first] };
    });
    /** What the last outputs are the new values of. */
    this.changes = this.#outputs.slice(first);
  }

  /** Compute, and bring the outputs to where they can be read. */
  encode(encoder, place) {
    for (const flag of this.buffers.flag) encoder.clearBuffer(flag);
    this.#commands.encode(encoder);
    for (const { buffer, at } of this.arriving) encoder.copyBufferToBuffer(buffer, 0, place, at, buffer.size);
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
    for (const buffer of [...Object.values(this.buffers).flat(), ...this.spare]) buffer.destroy();
    this.#commands.destroy();
  }
}

/** Launches and copies on buffers, in a call of known sizes. */
class Commands {
  #steps = [];
  #table;

  constructor(gpu, kernels, work, buffers, symbols) {
    // The words of each launch in a slot of their own, all in one buffer.
    const slots = [];
    let end = 0;
    const all = work.map(([, , words]) => {
      slots.push({ offset: end, size: Math.ceil(words.length / 4) * 16 });
      end += Math.ceil(words.length / (SLOT / 4)) * SLOT;
      return words.map((one) => sized(one, symbols));
    });
    const numbers = new Uint32Array(end / 4);
    all.forEach((words, k) => numbers.set(words, slots[k].offset / 4));
    this.#table = gpu.buffer(numbers.byteLength, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST);
    gpu.write(this.#table, numbers);
    work.forEach(([name, bindings], k) => {
      const bound = bindings.map(([kind, number]) => buffers[kind][number]);
      if (name === null) {
        const [at, from, bytes] = all[k];
        this.#steps.push({ copy: [bound[1], from, bound[0], at, bytes] });
      } else {
        const blocks = all[k].at(-2);
        if (blocks) this.#steps.push({ ...gpu.bound(kernels[name], { buffer: this.#table, ...slots[k] }, bound), blocks });
      }
    });
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
    this.#table.destroy();
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
function needed(variant, { inputs, outputs, buffers, work, holds, notes }, sizes) {
  const symbols = Object.fromEntries(symbolsOf(variant, sizes).map((size, k) => [holds[k].split(" ", 1)[0], size]));
  const all = (pattern) => pattern.map((size) => sized(size, symbols));
  if (!holds.every((line) => holding(line, symbols))) return null;
  if (!variant.inputs.every((pattern, k) => same(all(pattern), sizes[k]))) return null;
  return {
    symbols, work,
    inputs: inputs.map(all), outputs: outputs.map(all), shapes: variant.outputs.map(all),
    buffers: Object.fromEntries(Object.entries(buffers).map(([kind, bytes]) => [kind, all(bytes)])),
    notes: notes.map(([said, operands]) => [
      said, operands.map(([code, shape, offset]) => ({ code, shape: all(shape), offset: sized(offset, symbols) })),
    ]),
  };
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

/** Make sure that a GPU has room for a buffer. */
function checkRoom(name, bytes, most) {
  if (bytes > most) throw new DeviceError("E706", `${name} needs a buffer of ${bytes} bytes; this GPU has room for ${most}; ${REMEDY}`);
}

/** The inputs as they are now. */
function copied(inputs) {
  const arrays = Object.entries(inputs ?? {}).map(([name, value]) => {
    const array = value?.data ?? value;
    const shape = value?.shape;
    return [name, ArrayBuffer.isView(array) && array.length > 0 ? { data: array.slice(), ...(shape && { shape: [...shape] }) } : value];
  });
  return Object.fromEntries(arrays);
}
