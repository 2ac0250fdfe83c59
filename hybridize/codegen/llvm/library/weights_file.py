# SPDX-License-Identifier: Apache-2.0
"""Weights in a file beside the library: mapped, and known by length and checksum to be those of this library.

    i32 open_weights(ptr path, ptr model)           sets the words `mapped` and `weights`
    void close_weights(ptr model)
    i64 checksum(ptr bytes)                         of as many bytes as the file has

Where there is no `mmap` the file is read into memory. The checksum finds damage and other models' files; it is no
protection against somebody who wants to be mistaken.
"""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.codegen.llvm.library import codes
from hybridize.codegen.llvm.library.layout import WORD
from hybridize.codegen.llvm.library.model import LibraryModel
from hybridize.codegen.llvm.library.writer import Writer
from hybridize.codegen.llvm.text import Module

OPEN, CLOSE, CHECKSUM = "open_weights", "close_weights", "checksum"
_FLAGS = {"linux": 0x80000 | 0x800, "macos": 0x1000000 | 0x4}
"""Closed when another program is started; and not waited for, as a pipe would be until somebody writes to it."""
_READ, _PRIVATE, _FROM_END = 1, 2, 2
_PART = 1 << 20


def checksum(data: NDArray[Any]) -> int:
    """The sum, modulo 2^64, of w (2 i + 1) + rotl(w, 31) (4 i + 3) over all 64-bit words w, i counting from 0.

    Factors are odd, so that a change of one word always shows; each word goes in twice, as changes of the highest bits
    of two words would hide in a single sum. The bytes are a whole number of words.

    >>> checksum(numpy.array([1, 2, 0, 0, 0, 0, 0, 0], numpy.uint8)) == 0x201 * (1 + 3 * (1 << 31))
    True
    """
    words = data.view(numpy.uint64)
    total = 0
    for start in range(0, len(words), _PART):
        part = words[start : start + _PART]
        number = numpy.arange(start, start + len(part), dtype=numpy.uint64)
        turned = (part << numpy.uint64(31)) | (part >> numpy.uint64(33))
        total += int((part * (2 * number + 1) + turned * (4 * number + 3)).sum(dtype=numpy.uint64))
    return total % (1 << 64)


def emit_weights_file(module: Module, model: LibraryModel) -> None:
    """Write the functions."""
    _emit_checksum(module, model)
    if model.system == "windows":
        _emit_read(module, model)
    else:
        _emit_map(module, model)


def _emit_checksum(module: Module, model: LibraryModel) -> None:
    w = Writer(module, CHECKSUM, [("ptr", "bytes")], returns="i64")
    f = w.f
    turn = f.module.declare("llvm.fshl.i64", "i64", ["i64", "i64", "i64"])
    with f.loop(0, model.nbytes // 8, carry=[("i64", "0"), ("i64", "1"), ("i64", "3")]) as loop:
        total, once, twice = loop.values
        word = w.load(w.element("%bytes", loop.index), 0, "i64")
        turned = f.op(f"call i64 {turn}(i64 {word}, i64 {word}, i64 31)")
        total = f.op(f"add i64 {total}, {f.op(f'mul i64 {word}, {once}')}")
        total = f.op(f"add i64 {total}, {f.op(f'mul i64 {turned}, {twice}')}")
        loop.following = [total, f.op(f"add i64 {once}, 2"), f.op(f"add i64 {twice}, 4")]
    f.do(f"ret i64 {loop.results[0]}")


def _right(w: Writer, model: LibraryModel, data: str) -> str:
    """Tell whether bytes are those that were written with this library."""
    digest = w.f.op(f"call i64 @{CHECKSUM}(ptr {data})")
    signed = model.checksum - (1 << 64) if model.checksum >> 63 else model.checksum
    return w.test("eq", digest, signed)


def _emit_map(module: Module, model: LibraryModel) -> None:
    w = Writer(module, OPEN, [("ptr", "path"), ("ptr", "model")])
    f = w.f
    w.fail(w.is_null("%path"), codes.code(codes.FILE, 0, 0))
    file = w.external("open", "i32", "ptr %path", f"i32 {_FLAGS[model.system]}", variadic=True)
    w.fail(w.test("slt", file, 0, "i32"), codes.code(codes.FILE, 0, 1))
    length = w.external("lseek", "i64", f"i32 {file}", "i64 0", f"i32 {_FROM_END}")
    with f.otherwise(w.test("eq", length, model.nbytes)):
        w.external("close", "i32", f"i32 {file}")
        f.do(f"ret i32 {codes.code(codes.FILE, 0, 2)}")
    data = w.external(
        "mmap", "ptr", "ptr null", f"i64 {model.nbytes}", f"i32 {_READ}", f"i32 {_PRIVATE}", f"i32 {file}", "i64 0"
    )
    w.external("close", "i32", f"i32 {file}")
    w.fail(w.test("eq", f.op(f"ptrtoint ptr {data} to i64"), -1), codes.code(codes.FILE, 0, 4))
    with f.otherwise(_right(w, model, data)):
        w.external("munmap", "i32", f"ptr {data}", f"i64 {model.nbytes}")
        f.do(f"ret i32 {codes.code(codes.FILE, 0, 3)}")
    for word in ("mapped", "weights"):
        w.store(data, "%model", WORD[word])
    w.finish()
    w = Writer(module, CLOSE, [("ptr", "model")], returns="void")
    mapped = w.load("%model", WORD["mapped"])
    w.external("munmap", "i32", f"ptr {mapped}", f"i64 {model.nbytes}")


def _emit_read(module: Module, model: LibraryModel) -> None:
    mode = module.constant("read.mode", "[3 x i8]", 'c"rb\\00"')
    w = Writer(module, OPEN, [("ptr", "path"), ("ptr", "model")])
    f = w.f
    w.fail(w.is_null("%path"), codes.code(codes.FILE, 0, 0))
    raw = w.external("malloc", "ptr", f"i64 {model.nbytes + 64}")
    w.fail(w.is_null(raw), codes.code(codes.MEMORY))
    file = w.external("fopen", "ptr", "ptr %path", f"ptr {mode}")
    opened, read, whole, same = (f.fresh(label) for label in ("opened", "read", "whole", "same"))
    absent, short, differs, drop = (f.fresh(label) for label in ("absent", "short", "differs", "drop"))
    f.branch(w.is_null(file), absent, opened, begin=opened)
    data = w.lined(raw)
    count = w.external("fread", "i64", f"ptr {data}", "i64 1", f"i64 {model.nbytes}", f"ptr {file}")
    rest = w.external("fgetc", "i32", f"ptr {file}")
    w.external("fclose", "i32", f"ptr {file}")
    f.enter(read)
    complete = w.test("eq", count, model.nbytes)
    f.branch(f.op(f"and i1 {complete}, {w.test('eq', rest, -1, 'i32')}"), whole, short, begin=whole)
    f.branch(_right(w, model, data), same, differs)
    cases = ((absent, 1), (short, 2), (differs, 3))
    for label, _ in cases:
        f.begin_block(label)
        f.jump(drop)
    f.begin_block(drop)
    pairs = ", ".join(f"[ {codes.code(codes.FILE, 0, case)}, %{label} ]" for label, case in cases)
    answer = f.op(f"phi i32 {pairs}")
    w.external("free", "void", f"ptr {raw}")
    f.do(f"ret i32 {answer}")
    f.begin_block(same)
    w.store(raw, "%model", WORD["mapped"])
    w.store(data, "%model", WORD["weights"])
    w.finish()
    w = Writer(module, CLOSE, [("ptr", "model")], returns="void")
    w.external("free", "void", f"ptr {w.load('%model', WORD['mapped'])}")
