// What a model does besides computing: it prints, and says which assertion does not hold.

const CODES = {
  bool: Uint8Array, i8: Int8Array, i16: Int16Array, i32: Int32Array, i64: BigInt64Array,
  u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, u64: BigUint64Array,
  f16: Uint16Array, bf16: Uint16Array, f32: Float32Array, f64: Float64Array,
};

class World {
  memory = null;
  #failed = null;

  /** The model calls back with a note, which ends in 0: a line for the kind, the text, the type of each operand. */
  effect = (note, operands) => {
    if (this.#failed !== null) return; // what follows a failed assertion does not happen
    const { buffer } = this.memory;
    const bytes = new Uint8Array(buffer, note >>> 0);
    const [head, literal, ...types] = text(bytes.subarray(0, bytes.indexOf(0))).split("\n");
    const [kind] = head.split("\t"); // what follows is how Python would say it
    const places = new Uint32Array(buffer, operands >>> 0, types.length);
    const shown = types.map((type, k) => printed(buffer, places[k], ...typed(type)));
    if (kind !== "print") shown.shift();
    if (kind === "print") console.log(filled(unquoted(literal), shown));
    else this.fail(unquoted(literal), shown);
  };

  /** Let an assertion fail, with the operands of its message. */
  fail(said, shown) {
    this.#failed = shown.length ? filled(said, shown) : said;
  }

  /** The same by the note that a GPU has left: an assertion's number, then from 16 on its operands. */
  read(notes, buffer, at) {
    const number = new Uint32Array(buffer, at, 1)[0];
    if (!number) return;
    const [said, operands] = notes[number - 1];
    this.fail(said, operands.map(({ code, shape, offset }) => printed(buffer, at + offset, code, shape)));
  }

  /** Raise what the call left behind: an exception would have left the model's own stack where it was. */
  settle() {
    if (this.#failed === null) return;
    const message = this.#failed;
    this.#failed = null;
    throw new AssertionError(message);
  }
}

/** The text that a Python literal of one stands for. */
function unquoted(literal) {
  const marks = { n: "\n", r: "\r", t: "\t" };
  const code = /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|([^]))/g;
  return literal.slice(1, -1).replace(code, (_, x, u, U, mark) => {
    return mark ? (marks[mark] ?? mark) : String.fromCodePoint(parseInt(x ?? u ?? U, 16));
  });
}

/** A format with its operands in place of {}. */
function filled(format, operands) {
  let next = 0;
  return format.replace(/\{\{|\}\}|\{\}/g, (mark) => (mark === "{}" ? operands[next++] : mark[0]));
}

/** The code and the shape of a type. */
function typed(type) {
  const [, code, sizes] = /^(\w+)\[(.*)\]$/.exec(type);
  return [code, sizes ? sizes.split(",").map(Number) : []];
}

function printed(buffer, at, code, shape) {
  const array = new CODES[code](buffer, at, product(shape));
  let next = 0;
  const nested = (axis) => {
    if (axis === shape.length) return written(code, array[next++]);
    return `[${Array.from({ length: shape[axis] }, () => nested(axis + 1)).join(" ")}]`;
  };
  return nested(0);
}

/** A number in as few digits as tell it from its neighbours. */
function written(code, value) {
  if (code === "bool") return value ? "True" : "False";
  if (code === "f16") value = half(value);
  if (code === "bf16") value = new Float32Array(Uint32Array.of(value << 16).buffer)[0];
  const bits = { f16: 10, bf16: 7, f32: 23 }[code];
  if (bits === undefined) return String(value);
  const nearest = 2 ** (Math.floor(Math.log2(Math.abs(value))) - bits);
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (2 * Math.abs(short - value) < nearest) return String(short);
  }
  return String(value);
}

/** A float16 by its bits. */
function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 25) * (1024 + fraction) : 2 ** -24 * fraction);
}
