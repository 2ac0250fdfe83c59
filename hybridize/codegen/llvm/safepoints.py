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

from typing import Final

from hybridize.base.loading import LOADING
from hybridize.codegen.llvm.text import Function, Module
from hybridize.machine.target import Target
from hybridize.runtime import effects

LOOP: Final = ("left", "interval", "since")
"""Words of a loop, see `runtimes/safepoint.c`."""


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
        self._target = target
        _add(f.module, target)
        self._cells = f.alloca("i64", len(LOOP), align=8)
        for name, value in (("left", "1"), ("interval", "1"), ("since", clock(f, target))):
            f.store(value, self._cells, 8 * LOOP.index(name))

    def end_turn(self, again: str, after: str) -> None:
        """End the current block by a branch to the next turn or, where the program has failed, to what follows."""
        f = self._f
        look = f.fresh("look")
        at = 8 * LOOP.index("left")
        fewer = f.minus(f.load(self._cells, at), 1)
        f.store(fewer, self._cells, at)
        due = f.test("eq", fewer, 0)
        if self._effects:
            due = f.op(f"or i1 {due}, {some_failed(f, self._target)}")
        f.branch(due, look, again, begin=look)
        f.branch(f.op(f"call i1 @safepoint(ptr {self._cells})"), after, again)

    def goes_on(self, turn: str, between: int) -> str:
        """Return an i1 that is false where a loop is to end that counts its turns, and looks once in `between` of them.

        It costs a turn two instructions; `between` is a power of two.
        """
        f = self._f
        look, on, before = f.fresh("look"), f.fresh("on"), f.label
        due = f.test("eq", f.op(f"and i64 {turn}, {between - 1}"), between - 1)
        f.branch(due, look, on, begin=look)
        more = f.op(f"xor i1 {f.op(f'call i1 @safepoint(ptr {self._cells})')}, true")
        f.jump(on)
        f.begin_block(on)
        return f.op(f"phi i1 [ true, %{before} ], [ {more}, %{look} ]")


def _add(module: Module, target: Target) -> None:
    """Add what the safepoints of a module call and read."""
    if "safepoint" not in module.functions:
        with LOADING:
            from hybridize.codegen import runtimes  # late: few programs have loops that data ends

        module.add(runtimes.text("safepoint", target.processor), {}, ())
        module.variable(effects.WATCHED, 8 * len(effects.NUMBERS))
        module.variable(effects.VARIABLE, 8)


def failed(f: Function, target: Target) -> str:
    """Return an i1: true if this thread's program has left an exception behind; for where few calls come by."""
    _add(f.module, target)
    return f.op("call i1 @has_failed()")


def some_failed(f: Function, target: Target) -> str:
    """Return an i1: true if the program of any thread has left an exception behind."""
    _add(f.module, target)
    pending = f.load(f"@{effects.WATCHED}", type="ptr")
    return f.test("ne", f.op(f"load volatile i64, ptr {pending}, align 8"), 0)
