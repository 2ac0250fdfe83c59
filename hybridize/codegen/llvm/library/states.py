# SPDX-License-Identifier: Apache-2.0
"""Add to a library what its host does with states by name: C (`runtimes/states.c`), and the tables that it reads.

i32 NAME_get(ptr model, ptr name, ptr data, i64 nbytes)
i32 NAME_set(ptr model, ptr name, ptr data, i64 nbytes)
i32 NAME_save(ptr model, ptr path)
i32 NAME_load(ptr model, ptr path)
"""

from __future__ import annotations

import json
from typing import Final

from hybridize.codegen import runtimes
from hybridize.codegen.llvm.library.describe import quoted
from hybridize.codegen.llvm.library.layout import LINE, Layout
from hybridize.codegen.llvm.library.model import LibraryModel
from hybridize.codegen.llvm.text import Module

FUNCTIONS: Final = ("get", "set", "save", "load")
DTYPES: Final = {
    "bool": "BOOL", "int8": "I8", "int16": "I16", "int32": "I32", "int64": "I64", "uint8": "U8", "uint16": "U16",
    "uint32": "U32", "uint64": "U64", "float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64",
}  # fmt: skip
"""The dtypes of safetensors files."""
_WINDOWS: Final = {"seek_file": "_fseeki64", "fileno": "_fileno"}


def emit_states(module: Module, model: LibraryModel, layout: Layout) -> None:
    """Write the functions and the tables."""
    names = {f"model_{word}": f"{model.name}_{word}" for word in FUNCTIONS}
    names |= _WINDOWS if model.system == "windows" else {"seek_file": "fseek"}
    files = "files_windows" if model.system == "windows" else "files_posix"
    for text in (runtimes.text("states"), runtimes.text(files)):
        module.add(text, names, public=names.values())
    texts, sizes, rows = b"", list[int](), list[str]()
    for tensor, offset in zip(model.state_tensors, layout.states, strict=True):
        name, dtype = len(texts), len(texts) + len(tensor.name.encode()) + 1
        texts += tensor.name.encode() + b"\0" + DTYPES[tensor.type.dtype.name].encode() + b"\0"
        words = (name, dtype, tensor.type.nbytes, offset, tensor.type.ndim, len(sizes))
        rows.append(f"{{ i64, i64, i64, i64, i64, i64 }} {{ {', '.join(f'i64 {word}' for word in words)} }}")
        sizes += tensor.type.shape
    _emit_table(module, "state_table", "{ i64, i64, i64, i64, i64, i64 }", rows)
    _emit_table(module, "state_sizes", "i64", [f"i64 {size}" for size in sizes or [0]])
    for title, content in (("state_texts", texts), ("state_header", file_header(model))):
        module.globals[title] = f'@{title} = private constant [{len(content)} x i8] c"{quoted(content)}"'
    for title, number in (("state_count", len(rows)), ("state_header_bytes", len(file_header(model)))):
        module.globals[title] = f"@{title} = private constant i64 {number}, align 8"


def file_header(model: LibraryModel) -> bytes:
    """Return the beginning of a safetensors file of a model's states: its length, then JSON, up to a cache line."""
    entries: dict[str, object] = {"__metadata__": {"format": "hybridize", "model": model.name}}
    start = 0
    for tensor in model.state_tensors:
        stop = start + tensor.type.nbytes
        dtype = DTYPES[tensor.type.dtype.name]
        entries[tensor.name] = {"dtype": dtype, "shape": list(tensor.type.shape), "data_offsets": [start, stop]}
        start = stop
    text = json.dumps(entries, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-(8 + len(text)) % LINE)
    return len(text).to_bytes(8, "little") + text


def _emit_table(module: Module, name: str, type: str, rows: list[str]) -> None:
    module.globals[name] = f"@{name} = private constant [{len(rows)} x {type}] [ {', '.join(rows)} ]"
