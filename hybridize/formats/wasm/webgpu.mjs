const LEAST = 16; // bytes of a buffer; all of them are multiples of 4, as copies are
const SLOT = 256; // bytes on whose multiples numbers of a launch begin
const ROW = 65535; // blocks that are numbered along one axis
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
  const { source = new URL("./NAME.wasm", import.meta.url), device, fallback = false } = isSource(options)
    ? { source: options }
    : options;
  if (![undefined, "webgpu", "wasm"].includes(device)) {
    throw new TypeError(`device is "webgpu" or "wasm", or left out; got ${shown(device)}`);
  }
  const file = contents(await bytesOf(await source));
  if (device === "wasm") return new Placed(file, await compiled(file), "it was asked for", false);
  try {
    return new Placed(file, await Gpu.open(file, device === "webgpu"), "", fallback);
  } catch (problem) {
    if (!(problem instanceof DeviceError) || (device === "webgpu" && !fallback)) throw problem;
    return new Placed(file, await compiled(file), problem.message, false);
  }
}

function isSource(options) {
  if (options === null || typeof options !== "object" || ArrayBuffer.isView(options)) return true;
  return options instanceof ArrayBuffer || ["href", "arrayBuffer", "then"].some((name) => name in options);
}

/** A model, wherever it runs. */
class Placed {
  #file;
  #on;
  #reason;
  #fallback;
  #moving = null;

  constructor(file, on, reason, fallback) {
    this.#file = fallback ? file : null;
    this.#on = on;
    this.#reason = reason;
    this.#fallback = fallback;
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
    const gpu = this.#on;
    if (!this.#fallback) return gpu.run(inputs);
    const again = copied(inputs); // the caller may write other numbers into them meanwhile
    try {
      return await gpu.run(inputs);
    } catch (problem) {
      if (!(problem instanceof DeviceError)) throw problem;
      this.#moving ??= this.#move(gpu, problem);
      return (await this.#moving).run(again);
    }
  }

  /** Go on with WebAssembly, from the states that the last call has left. */
  async #move(gpu, problem) {
    const states = await gpu.left();
    const model = await compiled(this.#file);
    model.restore(states);
    this.#on = model;
    this.#reason = problem.message;
    this.#fallback = false;
    this.#file = null;
    gpu.destroy();
    return model;
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

/** A model on a GPU, which runs calls in the order in which they are made. */
class Gpu {
  #face;
  #program;
  #device;
  #lost = null;
  #kernels = {};
  // Arrays that stay, and what the states were after the latest call that has ended.
  #constants;
  #states;
  #left;
  #latest = Promise.resolve();
  #call = null;

  /** Put the model of a file onto the GPU; onto one that the processor imitates only if asked. */
  static async open({ description, weights, kernels }, asked) {
    const { name } = description;
    const program = await inflated(kernels);
    const { refused, largest } = program;
    if (refused) throw new DeviceError("E705", `${name} has no kernels: ${refused}; ${REMEDY}`);
    const { gpu } = globalThis.navigator ?? {};
    if (!gpu) throw new DeviceError("E701", `${name}: there is no WebGPU here; ${REMEDY}`);
    const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
    if (!adapter) throw new DeviceError("E701", `${name}: WebGPU finds no GPU here; ${REMEDY}`);
    if (adapter.info.isFallbackAdapter && !asked) {
      throw new DeviceError("E701", `${name}: WebGPU's only GPU here is imitated by the processor; ${REMEDY}`);
    }
    const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
    const most = Math.min(maxBufferSize, maxStorageBufferBindingSize);
    checkRoom(name, largest, most);
    const requiredLimits = { maxBufferSize, maxStorageBufferBindingSize };
    const device = await adapter.requestDevice({ requiredLimits }).catch(({ message }) => {
      throw new DeviceError("E701", `${name}: the GPU does not start (${message}); ${REMEDY}`);
    });
    const model = new Gpu(new Face(description), program, device, most, adapter.info);
    try {
      await model.#fill(weights);
    } catch (problem) {
      model.destroy();
      throw problem;
    }
    return model;
  }

  constructor(face, program, device, most, { vendor, architecture, description }) {
    this.#face = face;
    this.#program = program;
    this.#device = device;
    this.most = most;
    this.adapter = description || [vendor, architecture].filter(Boolean).join(" ");
    ({ name: this.name, inputs: this.inputs, outputs: this.outputs } = face);
    device.lost.then(({ reason, message }) => {
      this.#lost = reason === "destroyed" ? `${this.name} was destroyed` : `the GPU is lost (${message})`;
    });
  }

  /** Compile the kernels, and put weights and states in place. */
  async #fill(weights) {
    await Promise.all(Object.entries(this.#program.kernels).map((one) => this.#compile(...one)));
    await this.#watched(() => {
      this.#states = this.#face.program.states.map((one) => this.#weight(weights, one));
      this.#left = this.#face.program.states.map(({ at, bytes }) => weights.slice(at, at + bytes));
      this.#constants = this.#program.constants.map((one) =>
        one.launches ? this.#derived(weights, one) : this.#weight(weights, one),
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
      throw this.#failed(message);
    };
    return Promise.all([this.#device.popErrorScope(), this.#device.popErrorScope()]).catch(lost).then(([scarce, wrong]) => {
      if (scarce) throw new DeviceError("E706", `${this.name}: the GPU has no memory left; ${REMEDY}`);
      if (wrong) throw new DeviceError("E908", `${this.name}: WebGPU refuses a call: ${wrong.message}; ${REMEDY}`);
    });
  }

  /** A buffer for so many bytes. */
  buffer(bytes, usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST) {
    checkRoom(this.name, bytes, this.most);
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
    if (this.#lost) throw this.#failed();
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
      if (this.#call === call) this.#call = null;
      throw allowed.reason ?? this.#failed(arrived.reason.message);
    }
    const memory = place.getMappedRange();
    const results = {};
    this.outputs.forEach(({ name }, k) => (results[name] = call.result(k, memory)));
    for (const { state, at, bytes } of call.changes) this.#left[state] = new Uint8Array(memory.slice(at, at + bytes));
    place.unmap();
    if (this.#call === call) call.spare.push(place);
    else place.destroy();
    return results;
  }

  #failed(message) {
    const why = this.#lost ?? `the GPU is lost (${message})`;
    const remedy = "load it again; with { fallback: true } it goes on by WebAssembly";
    return new DeviceError("E707", `${this.name}: ${why}, and with it what the model had there; ${remedy}`);
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
    for (const bytes of [...read, ...written, needs.scratchBytes]) checkRoom(this.name, bytes, this.most);
    this.#call?.destroy();
    this.#call = null;
    const buffers = (list) => list.map((bytes) => this.buffer(bytes));
    const own = { input: buffers(read), output: buffers(written), scratch: buffers([needs.scratchBytes]) };
    const states = variant.states.map((k) => this.#states[k]);
    const input = [...own.input, ...states, ...needs.constants.map((k) => this.#constants[k])];
    const commands = new Commands(this, this.#kernels, needs.launches, { ...own, input }, needs.symbols);
    const first = written.length - variant.newStates.length;
    const outputs = needs.outputs.map((shape, k) => {
      const state = variant.newStates[k - first];
      return { shape, bytes: written[k], kind: kinds[k], state, home: this.#states[state] };
    });
    this.#call = new GpuCall(own, commands, outputs, shapes, arrays.map(({ length }) => length));
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

  destroy() {
    this.#device.destroy();
  }
}

/** A call of known sizes, with its memory: good for all calls of these sizes until another takes its place. */
class GpuCall {
  /** Places where results arrive, which no call waits for. */
  spare = [];
  #own;
  #commands;
  #outputs;
  #shapes;
  #lengths;

  constructor(own, commands, outputs, shapes, lengths) {
    this.bytes = 0;
    this.#own = own;
    this.#commands = commands;
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
    this.#commands.encode(encoder);
    this.#outputs.forEach(({ home, at, bytes }, k) => {
      if (home !== undefined) encoder.copyBufferToBuffer(this.#own.output[k], 0, home, 0, whole(bytes));
      encoder.copyBufferToBuffer(this.#own.output[k], 0, place, at, whole(bytes));
    });
  }

  /** An output, of the memory of a place. */
  result(number, memory) {
    const { at, bytes, kind, shape } = this.#outputs[number];
    const array = new kind(memory.slice(at, at + bytes));
    array.shape = shape;
    return array;
  }

  destroy() {
    const { input, output, scratch } = this.#own;
    for (const buffer of [...input, ...output, ...scratch, ...this.spare]) buffer.destroy();
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
function needed(variant, { constants, launches, scratchBytes, holds = [] }, sizes) {
  const symbols = {};
  holds.forEach((line, k) => {
    const one = variant.symbols[k];
    if (one) symbols[line.split(" ", 1)[0]] = one.size ?? sizes[one.input][one.axis];
  });
  const shape = (pattern) => pattern.map((size) => sized(size, symbols));
  if (!holds.every((line) => holding(line, symbols))) return null;
  if (!variant.inputs.every((pattern, k) => same(shape(pattern), sizes[k]))) return null;
  return { constants, launches, symbols, scratchBytes: sized(scratchBytes, symbols), outputs: variant.outputs.map(shape) };
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
