# SPDX-License-Identifier: Apache-2.0
"""Add to a library what is the same in all: C (`codegen.runtimes`), and the tables of the model that it reads.

    i32 NAME_create(ptr place, ptr options)
    void NAME_destroy(ptr model)
    i32 NAME_seed(ptr model, i64 seed)          where numbers are drawn
    ptr NAME_error(i32 code)

What differs between models: `i32 setup.L(ptr model, ptr weights)`, the functions, states and derived constants of a
level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from hybridize.codegen import runtimes
from hybridize.codegen.llvm.library import codes
from hybridize.codegen.llvm.library.call import CALL, block_bytes
from hybridize.codegen.llvm.library.describe import quoted
from hybridize.codegen.llvm.library.instructions import x86_functions
from hybridize.codegen.llvm.library.layout import LINE, MODEL, NAME_BYTES, Layout
from hybridize.codegen.llvm.library.model import LibraryModel
from hybridize.codegen.llvm.library.sizes import renamed
from hybridize.codegen.llvm.library.writer import Writer
from hybridize.codegen.llvm.text import Function, Module

_X86_LEVELS: Final = {"avx512": 4, "avx2": 3}
_OPEN_FLAGS: Final = {"linux": 0x80000 | 0x800, "macos": 0x1000000 | 0x4}
"""O_CLOEXEC and O_NONBLOCK."""


def emit_runtime(module: Module, model: LibraryModel, layout: Layout) -> None:
    """Write the functions."""
    windows = model.system == "windows"
    place = "inside" if model.marker else "read" if windows else "mapped"
    public = ["create", "destroy", "error", *(["seed"] if model.random >= 0 else [])]
    names = {"give_way": "SwitchToThread" if windows else "sched_yield"}
    names |= {f"model_{word}": f"{model.name}_{word}" for word in public}
    texts = [runtimes.text("library", model.levels[0].processor), runtimes.text(f"weights_{place}")]
    if model.system == "linux":
        texts.append(runtimes.text("image_elf"))
    else:
        Function(module, "touch_image", [], linkage="internal").do("ret void")
    if model.levels[0].processor == "x86_64":
        texts += x86_functions().values()
    for text in texts:
        module.add(text, names, public=names.values())
    _emit_tables(module, model, layout)
    _emit_errors(module, model)
    if place != "inside":
        numbers = {"weights_bytes": model.nbytes, "weights_checksum": model.checksum}
        _emit_numbers(module, numbers | {"open_flags": _OPEN_FLAGS.get(model.system, 0)})
    for level in range(len(model.levels)):
        _emit_setup(module, model, layout, level)


def _emit_numbers(module: Module, numbers: Mapping[str, int]) -> None:
    for name, number in numbers.items():
        signed = number - (1 << 64) if number >> 63 else number
        module.globals[name] = f"@{name} = private constant i64 {signed}, align 8"


def _emit_array(module: Module, name: str, type: str, values: Sequence[str]) -> None:
    elements = ", ".join(f"{type} {value}" for value in values)
    module.globals[name] = f"@{name} = private constant [{len(values)} x {type}] [ {elements} ]"


def _emit_tables(module: Module, model: LibraryModel, layout: Layout) -> None:
    levels = []
    for number, (target, nbytes) in enumerate(zip(model.levels, layout.nbytes, strict=True)):
        name = quoted(target.name.encode().ljust(NAME_BYTES, b"\0"))
        # What is asked of no machine: the last level is for those that reach none.
        reached = _X86_LEVELS.get(target.name, 0) if number < len(model.levels) - 1 else 0
        words = f"i64 {reached}, i64 {nbytes}, ptr @setup.{number}"
        levels.append(f'{{ [{NAME_BYTES} x i8] c"{name}", {words} }}')
    _emit_array(module, "levels", f"{{ [{NAME_BYTES} x i8], i64, i64, ptr }}", levels)
    generator = layout.states[model.random] if model.random >= 0 else 0
    reserved = max(block_bytes(model)) if model.fixed else -1
    _emit_numbers(module, {"level_count": len(levels), "generator": generator, "reserved": reserved})


def _emit_errors(module: Module, model: LibraryModel) -> None:
    """A table of codes, one of where each text begins in a single piece of text."""
    texts = codes.texts(model)
    content, starts = b"", []
    for line in (*texts.values(), "there is no such code"):
        starts.append(str(len(content)))
        content += line.encode() + b"\0"
    module.globals["errors"] = f'@errors = private constant [{len(content)} x i8] c"{quoted(content)}"'
    _emit_array(module, "codes", "i32", list(map(str, texts)))
    _emit_array(module, "starts", "i32", starts)
    _emit_numbers(module, {"code_count": len(texts)})


def _emit_setup(module: Module, model: LibraryModel, layout: Layout, level: int) -> None:
    f = Writer(module, f"setup.{level}", [("ptr", "model"), ("ptr", "weights")])
    if any(variant.versions[level].built.plan.teams for variant in model.variants):
        f.store("@shared", f.at("%model", MODEL["parallel"]), type="ptr")
    calls = f.at("%model", MODEL["calls"])
    for number in range(len(model.variants)):
        f.store(f"@{renamed(CALL, number, level)}", f.element(calls, number, "ptr"), type="ptr")
    for (array, size), offset in zip(model.states, layout.states, strict=True):
        f.copy(f.at("%model", offset), f.at("%weights", model.offsets[array]), size)
    derived = layout.derived[level]
    most = max((len(one.arrays) for one in derived), default=0)
    sources, outputs = f.alloca("ptr", max(1, most), 8), f.alloca("ptr", 1, 8)
    scratch_bytes, raw, scratch = max((one.scratch_bytes for one in derived), default=0), "", "null"
    if scratch_bytes:
        raw = f.external("malloc", "ptr", f"i64 {scratch_bytes + LINE}")
        f.fail(f.is_null(raw), codes.code(codes.MEMORY))
        scratch = f.lined(raw)
    for one in derived:
        for number, array in enumerate(one.arrays):
            f.store(f.at("%weights", model.offsets[array]), f.element(sources, number, "ptr"), type="ptr")
        f.store(f.at("%model", one.offset), outputs, type="ptr")
        function = renamed(one.function, one.variant, level)
        f.do(f"call void @{function}(ptr {sources}, ptr {outputs}, ptr {scratch})")
    if raw:
        f.external("free", "void", f"ptr {raw}")
    f.finish()
