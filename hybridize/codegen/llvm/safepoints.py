# SPDX-License-Identifier: Apache-2.0
"""Safepoints: where a loop that data ends looks whether its program has failed, or a signal has come.

An exception cannot travel through machine code, so a program runs on after an error, and what it computes then is
worth nothing: such a loop might never end. And while compiled code runs, Python handles no signal. So each turn of
such a loop counts down, and now and then looks at the processor's clock; some hundredths of a second after the last
time it lets other threads have the GIL, takes it, and has CPython handle what signals there are. What a handler raises
is left behind as the error of any effect is (`runtime.effects`), and the loop ends. A loop whose own steps have effects
looks at each turn whether any thread has left an exception behind, and ends in that turn.

CPython runs Python of the user's then, so the program is no reader of memory meanwhile (`base.access`).
"""

from __future__ import annotations

from hybridize.codegen.llvm.text import UNOPTIMISED, Function, Module
from hybridize.machine.target import Target
from hybridize.runtime import effects
from hybridize.schedule import thresholds

_LOOK = "safepoint"
_ASK = "has_failed"
_CELLS = ("left", "interval", "since")
"""Of each loop: turns until the next look at the clock, turns between the last two, and the clock at the last call."""


def clock(f: Function, target: Target) -> str:
    """Read the processor's clock: the time stamp on x86, whose like on AArch64 only the system may read."""
    counter = "readcyclecounter" if target.processor == "x86_64" else "readsteadycounter"
    return f.op(f"call i64 {f.module.declare(f'llvm.{counter}', 'i64', ())}()")


class Safepoint:
    """The safepoint of one loop, in the function that holds it."""

    def __init__(self, f: Function, target: Target, effects: bool) -> None:
        """Write what comes before the loop; `effects` is whether its own steps may leave an exception behind."""
        self._f = f
        self._effects = effects
        if _LOOK not in f.module.functions:
            _emit_look(f.module, target)
        self._cells = f.alloca("i64", len(_CELLS), align=8)
        for name, value in (("left", "1"), ("interval", "1"), ("since", clock(f, target))):
            f.do(f"store i64 {value}, ptr {_cell(f, self._cells, name)}, align 8")

    def end_turn(self, again: str, after: str) -> None:
        """End the current block by a branch to the next turn or, where the program has failed, to what follows."""
        f = self._f
        look = f.fresh("look")
        left = _cell(f, self._cells, "left")
        fewer = f.op(f"sub i64 {f.op(f'load i64, ptr {left}, align 8')}, 1")
        f.do(f"store i64 {fewer}, ptr {left}, align 8")
        due = f.op(f"icmp eq i64 {fewer}, 0")
        if self._effects:
            due = f.op(f"or i1 {due}, {some_failed(f)}")
        f.branch(due, look, again, begin=look)
        f.branch(f.op(f"call i1 @{_LOOK}(ptr {self._cells})"), after, again)


def _cell(f: Function, cells: str, name: str) -> str:
    return f.op(f"getelementptr i64, ptr {cells}, i64 {_CELLS.index(name)}")


def _shared(f: Function, name: str) -> str:
    """The address of a number of the process that `effects.connect` has told the module."""
    table = f.module.variable(effects.WATCHED, 8 * len(effects.NUMBERS))
    return f.op(f"load ptr, ptr {f.op(f'getelementptr ptr, ptr {table}, i64 {effects.NUMBERS.index(name)}')}, align 8")


def _is_set(f: Function, name: str) -> str:
    return f.op(f"icmp ne i64 {f.op(f'load volatile i64, ptr {_shared(f, name)}, align 8')}, 0")


def failed(f: Function) -> str:
    """Return an i1: true if this thread's program has left an exception behind; for where few calls come by."""
    if _ASK not in f.module.functions:
        _emit_ask(f.module)
    return f.op(f"call i1 @{_ASK}()")


def some_failed(f: Function) -> str:
    """Return an i1: true if the program of any thread has left an exception behind."""
    return _is_set(f, "pending")


def _emit_look(module: Module, target: Target) -> None:
    """Write `i1 safepoint(ptr cells)`: true if the loop is to end."""
    f = Function(module, _LOOK, [("ptr", "cells")], attributes=UNOPTIMISED, returns="i1")
    left, interval, since = (_cell(f, "%cells", name) for name in _CELLS)
    now = clock(f, target)
    passed = f.op(f"sub i64 {now}, {f.op(f'load i64, ptr {since}, align 8')}")
    late = f.op(f"icmp ugt i64 {passed}, {thresholds.SAFEPOINT_TICKS[target.processor]}")
    most = thresholds.SAFEPOINT_TURNS
    double = f.op(f"shl i64 {f.op(f'load i64, ptr {interval}, align 8')}, 1")
    rarer = f.op(f"select i1 {f.op(f'icmp ult i64 {double}, {most}')}, i64 {double}, i64 {most}")
    for cell in (left, interval):
        f.do(f"store i64 {f.op(f'select i1 {late}, i64 1, i64 {rarer}')}, ptr {cell}, align 8")
    ask, on = f.fresh("ask"), f.fresh("on")
    f.branch(f.op(f"or i1 {late}, {some_failed(f)}"), ask, on, begin=on)
    f.do("ret i1 false")
    f.begin_block(ask)
    f.do(f"store i64 {now}, ptr {since}, align 8")
    f.do(f"ret i1 {failed(f)}")


def _emit_ask(module: Module) -> None:
    """Write `i1 has_failed()`: have CPython handle signals, and what they raise be left behind."""
    f = Function(module, _ASK, [], attributes=UNOPTIMISED, returns="i1")
    error = [f.alloca("ptr", align=8) for _ in range(3)]
    answer = f.alloca("i32", align=8)
    state = _call(f, "PyGILState_Ensure", "i32")
    _count_reader(f, -1)
    f.do(f"store i32 0, ptr {answer}")
    _call(f, "PyEval_RestoreThread", "void", f"ptr {_call(f, 'PyEval_SaveThread', 'ptr')}")  # a loop may have kept it
    raised = f.op(f"icmp ne i32 {_call(f, 'PyErr_CheckSignals', 'i32')}, 0")
    for place in error:
        f.do(f"store ptr null, ptr {place}")
    with f.when(raised):
        _call(f, "PyErr_Fetch", "void", *(f"ptr {place}" for place in error))
        _call(f, "PyErr_NormalizeException", "void", *(f"ptr {place}" for place in error))
    kind, value, traceback = (f.op(f"load ptr, ptr {place}") for place in error)
    with f.when(f.op(f"icmp ne ptr {traceback}, null")):
        _call(f, "PyException_SetTraceback", "i32", f"ptr {value}", f"ptr {traceback}")
    others = f.op(f"or i1 {some_failed(f)}, {_is_set(f, 'writer')}")
    with f.when(f.op(f"or i1 {raised}, {others}")):
        callee = f.op(f"load ptr, ptr {f.module.variable(effects.VARIABLE, 8)}")
        f.do(f"store i32 {f.op(f'call i32 {callee}(ptr null, ptr {value})')}, ptr {answer}")
    for object_ in (kind, value, traceback):
        _call(f, "Py_DecRef", "void", f"ptr {object_}")
    _count_reader(f, 1)
    _call(f, "PyGILState_Release", "void", f"i32 {state}")
    code = f.op(f"load i32, ptr {answer}")
    f.do(f"ret i1 {f.op(f'icmp ne i32 {code}, 0')}")


def _call(f: Function, name: str, returns: str, *args: str) -> str:
    """Call a function of CPython's."""
    text = f"call {returns} {f.module.declare(name, returns, [arg.split()[0] for arg in args])}({', '.join(args)})"
    if returns != "void":
        return f.op(text)
    f.do(text)
    return ""


def _count_reader(f: Function, change: int) -> None:
    readers = _shared(f, "readers")
    now = f.op(f"load i64, ptr {readers}, align 8")
    f.do(f"store i64 {f.op(f'add i64 {now}, {change}')}, ptr {readers}, align 8")
