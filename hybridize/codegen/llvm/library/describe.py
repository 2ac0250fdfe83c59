# SPDX-License-Identifier: Apache-2.0
"""Describe the arrays of a library by constants of its own.

ptr NAME_describe()
"""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dims import is_symbolic, text
from hybridize.codegen.llvm.library import codes
from hybridize.codegen.llvm.library.model import LibraryModel, LibraryTensor
from hybridize.codegen.llvm.library.writer import Writer
from hybridize.codegen.llvm.text import Module

_TENSOR = "{ ptr, ptr, i32, i32, ptr, ptr, ptr }"


def emit_describe(module: Module, model: LibraryModel) -> None:
    """Write the functions and the constants."""
    arrays = [_tensors(module, model, model.inputs, 0), _tensors(module, model, model.outputs, len(model.inputs))]
    words = [_string(module, text_) for text_ in (model.json, model.name, model.version)]
    counts = [len(model.inputs), len(model.outputs)]
    fields = [*(f"ptr {word}" for word in words), *(f"i32 {count}" for count in counts), *(f"ptr {x}" for x in arrays)]
    types = "ptr, ptr, ptr, i32, i32, ptr, ptr"
    if model.state_tensors:
        fields += [f"ptr {_states(module, model)}", f"i32 {len(model.state_tensors)}"]
        types += ", ptr, i32"
    table = module.constant("description", f"{{ {types} }}", f"{{ {', '.join(fields)} }}")
    w = Writer(module, f"{model.name}_describe", [], returns="ptr", linkage="")
    w.do(f"ret ptr {table}")


def _tensors(module: Module, model: LibraryModel, tensors: Sequence[LibraryTensor], first: int) -> str:
    entries = []
    for number, one in enumerate(tensors):
        type_ = one.type
        ranges = [codes.size_range(model, first + number, axis) for axis in range(type_.ndim)]
        smallest = _numbers(module, [low for low, _ in ranges])
        largest = _numbers(module, [high for _, high in ranges])
        name, dtype = _string(module, one.name), _string(module, type_.dtype.name)
        shape = _string(module, shape_text(model, first + number))
        fields = [f"ptr {name}", f"ptr {dtype}", f"i32 {type_.dtype.itemsize}", f"i32 {type_.ndim}"]
        fields += [f"ptr {pointer}" for pointer in (smallest, largest, shape)]
        entries.append(f"{_TENSOR} {{ {', '.join(fields)} }}")
    if not entries:
        return "null"
    return module.constant(f"tensors.{first}", f"[{len(entries)} x {_TENSOR}]", f"[ {', '.join(entries)} ]")


def _states(module: Module, model: LibraryModel) -> str:
    entries = []
    for one in model.state_tensors:
        sizes = _numbers(module, one.type.shape)
        shape = _string(module, f"[{','.join(map(str, one.type.shape))}]")
        name, dtype = _string(module, one.name), _string(module, one.type.dtype.name)
        fields = [f"ptr {name}", f"ptr {dtype}", f"i32 {one.type.dtype.itemsize}", f"i32 {one.type.ndim}"]
        fields += [f"ptr {pointer}" for pointer in (sizes, sizes, shape)]
        entries.append(f"{_TENSOR} {{ {', '.join(fields)} }}")
    return module.constant("tensors.states", f"[{len(entries)} x {_TENSOR}]", f"[ {', '.join(entries)} ]")


def shape_words(model: LibraryModel, number: int) -> list[str]:
    """The sizes of an array (inputs, then outputs) as text; of one that differs between variants, where it is from."""
    tensors = (*model.inputs, *model.outputs)
    words = []
    for axis, size in enumerate(tensors[number].type.shape):
        low, high = codes.size_range(model, number, axis)
        words.append(text(size) if is_symbolic(size) or low == high else f"{low}..{high}")
    return words


def shape_text(model: LibraryModel, number: int) -> str:
    """The shape of an array, as in `[n0,512]`."""
    return f"[{','.join(shape_words(model, number))}]"


def _numbers(module: Module, numbers: Sequence[int]) -> str:
    if not numbers:
        return "null"
    value = f"[ {', '.join(f'i64 {number}' for number in numbers)} ]"
    name = f"numbers.{'.'.join(map(str, numbers))}"
    return module.constant(name, f"[{len(numbers)} x i64]", value)


def quoted(content: bytes) -> str:
    """Bytes as they stand in a constant."""
    return "".join(chr(byte) if 32 <= byte < 127 and byte not in (34, 92, 64) else f"\\{byte:02X}" for byte in content)


def _string(module: Module, text: str) -> str:
    """A zero-terminated text, written once."""
    content = text.encode() + b"\0"
    literal = quoted(content)
    for name, line in module.globals.items():
        if line.endswith(f'c"{literal}", align 1'):
            return f"@{name}"
    name = f"text.{len(module.globals)}"
    module.globals[name] = f'@{name} = private unnamed_addr constant [{len(content)} x i8] c"{literal}", align 1'
    return f"@{name}"
