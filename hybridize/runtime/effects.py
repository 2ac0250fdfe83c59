# SPDX-License-Identifier: Apache-2.0
"""Run-time effects of programs: machine code calls back to print, or to say that an assertion does not hold.

    int effect(ptr note, ptr operands)            1 if this thread's program has failed

`note` is a zero-terminated text made when the program was compiled, one field per line: `print`, `assert`, `bounds`,
`solvable` or `permitted`, and after a tab the recipe of what is printed or raised, where there is one
(`runtime.recipes`); the message as a Python literal; then the type of each operand. `operands` points to their buffers.
For `foreign` the message is what users call a function of Python (`runtime.foreign`), the recipe its name; among the
types "->" stands before those of the results, which it fills. `hosted` is the same for what NumPy computes
(`runtime.hosted`); the recipe is the literal of a graph's text.
An exception cannot travel through machine code: it is kept for this thread and raised when the program has ended,
before anything is committed, by `Executable.run` or by the emitted entry, which asks `taken` where `PENDING` says that
some thread has one. A loop that data ends does not wait for that: at its safepoints (`codegen.llvm.safepoints`) it
calls `effect` without a note, and with what the handler of a signal has raised, if anything, for operands.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.access import READERS, WRITER, await_writer, pause_reading
from hybridize.base.errors import AssertionFailed, HybridizeError, LinAlgError, OutOfBoundsError, ValueArgumentError
from hybridize.base.forks import in_child, renewed
from hybridize.base.parsing import literal
from hybridize.base.tracebacks import as_python, trim
from hybridize.base.types import TensorType
from hybridize.runtime import foreign, hosted
from hybridize.runtime.recipes import exception, prepared

VARIABLE = "hybridize_effect"
"""The module variable that holds the address of `effect`; set when the module has been loaded."""
WATCHED = "hybridize_watched"
"""The module variable that holds the addresses of `NUMBERS`, where a loop of the module watches them."""
NUMBERS = ("pending", "readers", "writer")
"""`PENDING[0]`, and those of `base.access`."""


PENDING = numpy.zeros(1, dtype=numpy.int64)
"""PENDING[0]: threads whose program has left an exception behind. Its address is stable; emitted entries read it."""

_counting = renewed(threading.RLock())


class _Raised(threading.local):
    first: BaseException | None = None
    unprinted: bool = False


_raised = _Raised()


def _alone() -> None:
    """Count the forking thread, which is the only one in a forked child."""
    PENDING[0] = _raised.first is not None


in_child(_alone)


RAISES: dict[str, tuple[type[HybridizeError], str]] = {
    "assert": (AssertionFailed, "E520"), "bounds": (OutOfBoundsError, "E110"), "solvable": (LinAlgError, "E525"),
    "permitted": (ValueArgumentError, "E345"),
}  # fmt: skip
"""Exceptions of assertions by their kinds, with codes; another library's door may have one that is its own, too."""


def note(kind: str, message: str, recipe: str, types: Sequence[TensorType | str]) -> str:
    """The text that tells `effect` what to do."""
    return "\n".join([f"{kind}\t{recipe}" if recipe else kind, repr(message), *map(str, types)])


def _operands(types: list[str], pointers: int) -> list[NDArray[Any]]:
    arrays = []
    for number, text in enumerate(types):
        type_ = TensorType.parse(text)
        address = ctypes.c_void_p.from_address(pointers + 8 * number).value or 0
        data = ctypes.string_at(address, type_.nbytes)
        arrays.append(numpy.frombuffer(data, type_.dtype).reshape(type_.shape))
    return arrays


@as_python
def perform(kind: str, message: str, recipe: str, operands: list[NDArray[Any]]) -> None:
    """Print the message with the operands in it, or raise what a failed assertion raises.

    Args:
        kind: `print` or `assert`.
        message: a format with {} for each operand.
        recipe: the literal of (recipe of the text, name of the stream, whether to flush it), or of an exception: see
            `recipes.exception`; empty for the message as it is.
        operands: of the recipe; for `assert` those after the first, which is the condition.

    Raises:
        AssertionFailed E520: kind is `assert` and the first operand is not true throughout.
        OutOfBoundsError E110: the same for `bounds`.
        LinAlgError E525: the same for `solvable`.
        ValueArgumentError E345: the same for `permitted`.
    """
    if kind == "print":
        if _raised.unprinted:
            return
        if not recipe:
            print(message.format(*operands))
            return
        text, stream, flush = literal(recipe)
        print(prepared(text, operands), end="", file=getattr(sys, stream), flush=flush)
        return
    condition, *others = operands
    if condition.all():
        return
    if recipe:
        raise exception(literal(recipe), others)
    error, code = RAISES[kind]
    raise error(code, message.format(*others) if others else message)


def _call(kind: str, name: str, title: str, types: list[str], pointers: int) -> None:
    """Call a function of Python, and fill its results; zeros, where it raises or the program is only measured."""
    split = types.index("->")
    kinds = [TensorType.parse(text) for text in types if text != "->"]
    memory = [_memory(kind, pointers + 8 * k) for k, kind in enumerate(kinds)]
    operands, results = memory[:split], memory[split:]
    for result in results:
        result[...] = 0
    if _raised.unprinted:
        return
    for operand in operands:
        operand.flags.writeable = False
    if kind == "hosted":
        values = hosted.COMPUTE.value(literal(name), operands)
    else:
        values = foreign.call(name, title, operands, kinds[split:])
    for result, value in zip(results, values, strict=True):
        result[...] = value


def _memory(kind: TensorType, pointer: int) -> NDArray[Any]:
    if not kind.nbytes:
        return numpy.empty(kind.shape, kind.dtype)
    address = ctypes.c_void_p.from_address(pointer).value or 0
    memory = memoryview((ctypes.c_char * kind.nbytes).from_address(address)).cast("B")
    array: NDArray[Any] = numpy.frombuffer(memory, dtype=kind.dtype)
    return array.reshape(kind.shape)


def _effect(text: int | None, pointers: int | None) -> int:
    if _raised.first is None:
        _act(text, pointers)
    elif text is None:
        await_writer()
    return _raised.first is not None


@as_python
def _act(text: int | None, pointers: int | None) -> None:
    try:
        if text is None:
            if pointers:
                raise ctypes.cast(pointers, ctypes.py_object).value
            await_writer()
            return
        assert pointers is not None
        head, message, *types = ctypes.string_at(text).decode().split("\n")
        kind, _, recipe = head.partition("\t")
        if kind in ("foreign", "hosted"):
            pause_reading(_call, kind, recipe, literal(message), types, pointers)
            return
        operands = _operands(types, pointers)
        pause_reading(perform, kind, literal(message), recipe, operands)
    except BaseException as problem:
        with _counting:
            PENDING[0] += 1
            _raised.first = problem


_callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(_effect)


@contextmanager
def unprinted() -> Iterator[None]:
    """Have the programs that this thread runs print nothing, as one that is only measured; assertions count."""
    before, _raised.unprinted = _raised.unprinted, True
    try:
        yield
    finally:
        _raised.unprinted = before


def address() -> int:
    """The address of `effect`; it takes the GIL by itself."""
    return ctypes.cast(_callback, ctypes.c_void_p).value or 0


def connect(loaded: Any) -> bool:
    """Tell a loaded image (`runtime.image.Loaded`) where `effect` is, and return True if it has effects at all."""
    if VARIABLE not in loaded.names:
        return False
    ctypes.c_void_p.from_address(loaded.address(VARIABLE)).value = address()
    if WATCHED in loaded.names:
        numbers = (PENDING.ctypes.data, ctypes.addressof(READERS), ctypes.addressof(WRITER))
        ctypes.memmove(loaded.address(WATCHED), (ctypes.c_void_p * len(numbers))(*numbers), 8 * len(numbers))
    return True


def outcome() -> BaseException | None:
    """Return what an effect of this thread left behind, and forget it."""
    problem = _raised.first
    if problem is not None:
        with _counting:
            PENDING[0] -= 1
            _raised.first = None
        trim(problem)
    return problem


@as_python
def raise_pending() -> None:
    """Raise what an effect of this thread left behind."""
    problem = outcome()
    if problem is not None:
        raise problem
