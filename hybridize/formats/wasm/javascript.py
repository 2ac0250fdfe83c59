# SPDX-License-Identifier: Apache-2.0
"""The JavaScript beside a module: its loader, made of a template, and the types of that, for TypeScript and editors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from typing import Any, Final

from hybridize.base.errors import CodegenError

EFFECT: Final = "effect"
"""The import by which a program prints and asserts."""
_KINDS: Final = {
    "bool": "Uint8Array", "int8": "Int8Array", "int16": "Int16Array", "int32": "Int32Array", "int64": "BigInt64Array",
    "uint8": "Uint8Array", "uint16": "Uint16Array", "uint32": "Uint32Array", "uint64": "BigUint64Array",
    "float16": "Uint16Array", "bfloat16": "Uint16Array", "float32": "Float32Array", "float64": "Float64Array",
}  # fmt: skip
"""The arrays that JavaScript has; those of 16-bit floats are of their bits."""
_IDLE: Final = """class World {
  settle() {}
}"""
_LOAD: Final = """/** Load a model from the file beside this one, or from a path, URL, response or bytes. */
export async function load(source = new URL("./NAME.wasm", import.meta.url)) {
  return compiled(contents(await bytesOf(await source)));
}"""


def loader(name: str, imports: Sequence[str], gpu: bool = False) -> str:
    """The text of NAME.mjs, for a module with these imports; with `gpu`, of one that runs on GPUs, too.

    Raises:
        CodegenError E977: a module imports what JavaScript's library lacks.
    """
    acts = EFFECT in imports
    parts = {
        "/* LOAD */": _text("hybridize.formats.wasm", "webgpu.mjs").strip() if gpu else _LOAD,
        "/* LIBRARY */": _library([each for each in imports if each != EFFECT]),
        "/* WORLD */": _text("hybridize.formats.wasm", "effects.mjs").strip() if acts else _IDLE,
    }
    text = _text("hybridize.formats.wasm", "loader.mjs")
    if not acts:
        text = text.replace(", effect: world.effect", "").replace("{ ...library }", "library")
    if gpu:
        text = text.replace("const outputs = model.run", "const outputs = await model.run")
    for mark, part in parts.items():
        text = text.replace(mark, part)
    return text.replace("NAME", name)


def _text(package: str, file: str) -> str:
    return resources.files(package).joinpath(file).read_text(encoding="utf-8")


def _library(imports: Iterable[str]) -> str:
    """The object of the functions that a module imports, and what they are made of."""
    whole = _text("hybridize.codegen.wasm", "library.mjs")
    # What stands between two empty lines defines the names that begin its lines.
    names = re.compile(r"^(?:function|const) (\w+)", re.MULTILINE)
    blocks = {word: block for block in whole.split("\n\n") for word in names.findall(block)}
    known = {word for names in re.findall(r"const \{([^}]*)\} = Math;", whole) for word in re.findall(r"\w+", names)}
    needed: set[str] = set()

    def take(word: str) -> None:
        if word in blocks and blocks[word] not in needed:
            needed.add(blocks[word])
            for inner in re.findall(r"\w+", re.sub("//.*", "", blocks[word])):
                take(inner)

    entries = []
    for each in sorted(imports):
        double = each.removesuffix("f")
        if each in blocks:
            take(each)
            entries.append(each)
        elif each in known:
            entries.append(f"{each}: Math.{each}")
        elif double in blocks or double in known:
            take("rounded")
            take(double)
            entries.append(f"{each}: rounded({double if double in blocks else f'Math.{double}'})")
        else:
            raise CodegenError("E977", f"the module calls {each}, which the library for JavaScript lacks")
    written = [block for block in dict.fromkeys(blocks.values()) if block in needed]
    listed = f"{{ {', '.join(entries)} }}" if entries else "{}"
    return "\n\n".join([*written, f"// Functions that the module calls.\nconst library = {listed};"])


def declarations(description: Mapping[str, Any], gpu: bool = False) -> str:
    """The text of NAME.d.mts; with `gpu`, for a model that runs on GPUs, too."""
    seed = ""
    if description["random"]:
        seed = _SEED
    inputs = "\n".join(
        f"  /** {_description(one)} */\n  {one['name']}: {_input(one)};" for one in description["inputs"]
    )
    outputs = "\n".join(
        f"  /** {_description(one)} */\n  {one['name']}: Shaped<{_KINDS[one['dtype']]}, {_shape(one)}>;"
        for one in description["outputs"]
    )
    text = _DECLARATIONS.format(name=description["name"], inputs=inputs, outputs=outputs, seed=seed)
    for old, new in _ON_GPUS if gpu else ():
        text = text.replace(old, new.replace("NAME", description["name"]))
    return text


_ON_GPUS: Final = (
    (
        "  readonly name: string;\n  readonly inputs: readonly",
        """\
  readonly name: string;
  /** Where it runs. */
  readonly device: "webgpu" | "wasm";
  /** The GPU, as the browser calls it; empty where WebAssembly runs. */
  readonly adapter: string;
  /** Why WebAssembly runs; empty where a GPU does. */
  readonly reason: string;
  readonly inputs: readonly""",
    ),
    (
        """   * Run the model.
""",
        """   * Run the model. The arrays are read before this returns; calls run in the order in which they are made.
""",
    ),
    (
        """   * @throws AssertionError an assertion in the model does not hold.
   */
  run(inputs: Inputs): Outputs;""",
        """   * @throws AssertionError an assertion in the model does not hold.
   * @throws DeviceError the GPU has no room for the call, or is lost.
   */
  run(inputs: Inputs): Promise<Outputs>;
  /**
   * Compile what a call with arrays like these needs on a GPU, before such a call: else the first one waits for it.
   * @throws DeviceError the browser refuses a kernel, and a GPU was asked for.
   */
  prepare(inputs: Inputs): Promise<void>;
  /** Give the GPU's memory back. No call may follow. */
  destroy(): void;""",
    ),
    (
        """/** Bytes, or where they are""",
        """/** What was asked of a GPU, which it cannot do. */
export class DeviceError extends Error {
  /**
   * E701: there is no WebGPU, or no GPU. E705: the model has no code for one, or a kernel takes more buffers than this
   * one does. E706: the GPU has too little memory, or takes no buffer of this size. E707: the GPU is lost, and the next
   * call starts it again; or the model was destroyed. E907, E908: the browser refuses what hybridize has written.
   */
  readonly code: string;
}

/** Where a model comes from, and where it runs. */
export interface Options {
  readonly source?: Source | Promise<Source>;
  /** Left out: on a GPU if WebGPU has one that can run the model, else by WebAssembly. */
  readonly device?: "webgpu" | "wasm";
  /** Run by WebAssembly what the GPU cannot, also after the model was loaded; false unless said otherwise. */
  readonly fallback?: boolean;
  /** Hears how many kernels are compiled, and of how many, after each: when a call needs some for the first time. */
  readonly progress?: (compiled: number, kernels: number) => void;
}

/** Bytes, or where they are""",
    ),
    (
        """/**
 * Load the model.
 * @throws LoadError
 */
export function load(source?: Source | Promise<Source>)""",
        """/**
 * Load the model.
 * @throws LoadError
 * @throws DeviceError the device that was asked for cannot run it.
 */
export function load(options?: Options | Source | Promise<Source>)""",
    ),
)
"""Lines of the types of a model that runs on GPUs, by the lines of others that they replace."""
_SEED = """
  /** Start random numbers over: equal seeds give equal numbers. */
  seed(seed: number | bigint): void;"""
_DECLARATIONS = """\
/** An array with its sizes, as `run` gives it. */
export type Shaped<A, S extends readonly number[] = readonly number[]> = A & {{ readonly shape: S }};

/** An array; where more than one size is the call's choice, with its sizes. */
export type Given<A> = A | Shaped<A> | {{ readonly data: A; readonly shape: readonly number[] }};

/** What `run` takes. */
export interface Inputs {{
{inputs}
}}

/** What `run` gives: arrays of their own, which later calls leave alone. */
export interface Outputs {{
{outputs}
}}

/** An array that goes in or out. */
export interface Tensor {{
  readonly name: string;
  /** As in NumPy. float16 and bfloat16 are given by their bits, as Uint16Array. */
  readonly dtype: string;
  /** A number, or the name of a size that is the call's choice. */
  readonly shape: readonly (number | string)[];
  readonly smallest: readonly number[];
  /** null: as large as memory has room for. */
  readonly largest: readonly (number | null)[];
}}

/** A model in memory. */
export interface Model {{
  readonly name: string;
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly Tensor[];
  /**
   * Run the model.
   * @throws TypeError an input is missing, or of another element type.
   * @throws RangeError sizes that the model does not take, or for which there is not enough memory.
   * @throws AssertionError an assertion in the model does not hold.
   */
  run(inputs: Inputs): Outputs;{seed}
}}

/** The file is not what was exported: cut short, altered, something else, or beyond what this engine runs. */
export class LoadError extends Error {{}}

/** An assertion in the model does not hold. */
export class AssertionError extends Error {{}}

/** Bytes, or where they are: {name}.wasm beside this file unless said otherwise. */
export type Source =
  | string
  | {{ readonly href: string }}
  | ArrayBuffer
  | ArrayBufferView
  | {{ arrayBuffer(): Promise<ArrayBuffer> }};

/**
 * Load the model.
 * @throws LoadError
 */
export function load(source?: Source | Promise<Source>): Promise<Model>;
"""


def _description(tensor: Mapping[str, Any]) -> str:
    """`float32 [n0, 512], n0 from 1`; where each size has a variant of its own, `float32 [1..64, 512]`."""
    shape, limits = [], []
    for size, low, high in zip(tensor["shape"], tensor["smallest"], tensor["largest"], strict=True):
        named = isinstance(size, str)
        shape.append(str(size) if named or low == high else f"{low}..{high}")
        if named and low != high:
            limits.append(f", {size} from {low}{'' if high is None else f' to {high}'}")
    return f"{tensor['dtype']} [{', '.join(shape)}]{''.join(limits)}"


def _shape(tensor: Mapping[str, Any]) -> str:
    """The type of the sizes of a result."""
    limits = zip(tensor["smallest"], tensor["largest"], strict=True)
    return f"readonly [{', '.join(str(low) if low == high else 'number' for low, high in limits)}]"


def _input(tensor: Mapping[str, Any]) -> str:
    kind = _KINDS[tensor["dtype"]]
    text = f"Given<{kind}>"
    if tensor["shape"] or tensor["dtype"].endswith("float16"):
        return text
    if tensor["dtype"] == "bool":
        return f"boolean | {text}"
    return f"{'number | bigint' if tensor['dtype'].endswith('int64') else 'number'} | {text}"
