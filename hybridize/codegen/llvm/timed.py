# SPDX-License-Identifier: Apache-2.0
"""A program that notes the time after each of its steps and, where that is wanted, when each thread ran which part.

It is called as any program is, with one or two arrays more behind its outputs:

    stamps    nanoseconds of `perf_counter`: twice before the first step, which tells what noting costs, then after each
    parts     how many there were, how many there is room for, two words more; then `PART` words for each
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hybridize.base.dims import Size
from hybridize.codegen.llvm.host import HostBlock, HostWriter
from hybridize.codegen.llvm.pointers import Pointers
from hybridize.codegen.llvm.table import FunctionTable
from hybridize.codegen.llvm.text import UNOPTIMISED, Function, Module
from hybridize.machine.target import Target
from hybridize.runtime.plan import PlanAddress, PlanNode, PlanShare, PlanStep, PlanTasks, steps_of

_CLOCKS: Final = {"linux": 1, "macos": 8}
"""The number of the clock that `perf_counter` reads, where it is one of `clock_gettime`."""
PART: Final = ("step", "thread", "begin", "end")
"""The words of a part: the number of its step, or `~first` of several in turns; the system's number of the thread;
nanoseconds.
"""
FIRST_PART: Final = 4
"""The word at which the first part stands."""
_LOOP: Final = [("ptr", "data"), ("i64", "first"), ("i64", "last"), ("i64", "slot")]
"""Parameters of a loop's body, see `parallel`."""


class TimedWriter(HostWriter):
    """Writes the time twice before the first step, then after each step of the outermost program."""

    def __init__(self, functions: FunctionTable, target: Target, outputs: int, *, parts: bool = False) -> None:
        """`outputs` is how many the program has; with `parts`, threads write what they do."""
        super().__init__(functions, target)
        self.parts = parts
        self.nodes: list[range] = []
        """The steps that run together, in order; most are alone. The first of several is given the time of all."""
        self._outputs = outputs
        self.noted: int = 0
        """Times that are noted so far."""

    def block(self, f: Function, steps: Sequence[PlanStep], pointers: Pointers, team: PlanAddress | None) -> HostBlock:
        if f.name == self.functions.prefix:
            return _TimedBlock(self, f, steps, pointers, team)
        if self.parts and f.name.startswith(f"{self.functions.prefix}.task"):
            return _TimedTask(self, f, steps, pointers, team)
        return super().block(f, steps, pointers, team)  # a body inside a step

    def note(self, f: Function) -> None:
        """Write down the time."""
        f.store(self.now(f), self.array(f, 0), 8 * self.noted)
        self.noted += 1

    def array(self, f: Function, number: int) -> str:
        """The array behind the outputs that has a number; to be asked of the outermost program."""
        cell = f.on_entry(f"getelementptr ptr, ptr %outputs, i64 {self._outputs + number}", ("cell behind", number))
        return f.on_entry(f"load ptr, ptr {cell}, align 8", ("behind", number))

    def now(self, f: Function) -> str:
        """Read the clock."""
        if _NOW not in f.module.functions:
            _emit_now(f.module, self.target.system)
        return f.op(f"call i64 @{_NOW}()")

    def record(self, f: Function, parts: str, step: int, begin: str) -> None:
        """Write down a part of a step that ends now."""
        if _RECORD not in f.module.functions:
            _emit_record(self, f.module)
        f.do(f"call void @{_RECORD}(ptr {parts}, i64 {step}, i64 {begin})")


class _TimedBlock(HostBlock):
    """The outermost program."""

    def __init__(
        self, host: TimedWriter, f: Function, steps: Sequence[PlanStep], pointers: Pointers, team: PlanAddress | None
    ) -> None:
        super().__init__(host, f, steps, pointers, team)
        self._timed = host
        self._node: PlanNode = 0

    def write(self, node: PlanNode) -> None:
        timed, numbers = self._timed, steps_of(node)
        self._node = node
        if numbers and not timed.noted:
            timed.note(self._f)
            timed.note(self._f)
        super().write(node)
        if numbers:
            timed.nodes.append(numbers)
        for _ in numbers:
            timed.note(self._f)

    def _run(
        self, body: str, pointers: Sequence[str], turns: Size, share: PlanShare, numbers: Sequence[str] = ()
    ) -> None:
        if self._timed.parts:
            step = None if isinstance(self._node, PlanTasks) else self._node
            if step is not None and not isinstance(step, int):
                step = ~steps_of(step)[0]
            key = f"recorded {body} of {step}"
            body = self._functions.once("recorded", key, lambda name: _emit_recorded(self._timed, name, body, step))
            pointers = [self._timed.array(self._f, 1), *pointers]
        super()._run(body, pointers, turns, share, numbers)


class _TimedTask(HostBlock):
    """A task, which finds the parts before its other pointers."""

    def __init__(
        self, host: TimedWriter, f: Function, steps: Sequence[PlanStep], pointers: Pointers, team: PlanAddress | None
    ) -> None:
        super().__init__(host, f, steps, pointers, team)
        self._timed = host

    def step(self, number: int, part: tuple[int, int] | None = None) -> None:
        begin = self._timed.now(self._f)
        super().step(number, part)
        self._timed.record(self._f, self._f.load("%data", -8, "ptr"), number, begin)


_NOW: Final = "now"
_RECORD: Final = "record"


def _emit_now(module: Module, system: str) -> None:
    """`i64 now()`: nanoseconds."""
    f = Function(module, _NOW, [], returns="i64", attributes=UNOPTIMISED)
    time = f.alloca("i64", 2, align=8)
    if system == "windows":
        for word, name in enumerate(("QueryPerformanceCounter", "QueryPerformanceFrequency")):
            function = module.declare(name, "i32", ["ptr"])
            f.op(f"call i32 {function}(ptr {f.element(time, word)})")
        ticks, rate = f.load(time), f.load(time, 8)
        seconds = f.op(f"udiv i64 {ticks}, {rate}")
        rest = f.times(f.op(f"urem i64 {ticks}, {rate}"), 10**9)  # the whole would take more than 64 bits
        nanoseconds = f.op(f"udiv i64 {rest}, {rate}")
    else:
        clock = module.declare("clock_gettime", "i32", ["i32", "ptr"])
        f.op(f"call i32 {clock}(i32 {_CLOCKS[system]}, ptr {time})")
        seconds, nanoseconds = f.load(time), f.load(time, 8)
    f.do(f"ret i64 {f.plus(f.times(seconds, 10**9), nanoseconds)}")


def _thread(f: Function, system: str) -> str:
    """The system's number of the running thread."""
    if system == "macos":
        number = f.alloca("i64", 1, align=8)
        function = f.module.declare("pthread_threadid_np", "i32", ["ptr", "ptr"])
        f.op(f"call i32 {function}(ptr null, ptr {number})")
        return f.load(number)
    function = f.module.declare({"linux": "gettid", "windows": "GetCurrentThreadId"}[system], "i32", [])
    return f.op(f"sext i32 {f.op(f'call i32 {function}()')} to i64")


def _emit_record(timed: TimedWriter, module: Module) -> None:
    """`(ptr parts, i64 step, i64 begin)`: where there is no room, a part is only counted."""
    f = Function(module, _RECORD, [("ptr", "parts"), ("i64", "step"), ("i64", "begin")], attributes=UNOPTIMISED)
    end = timed.now(f)
    number = f.op("atomicrmw add ptr %parts, i64 1 monotonic")
    with f.when(f.test("ult", number, f.load("%parts", 8))):
        at = f.element("%parts", f.plus(f.times(number, len(PART)), FIRST_PART))
        for place, value in enumerate(("%step", _thread(f, timed.target.system), "%begin", end)):
            f.store(value, at, 8 * place)


def _emit_recorded(timed: TimedWriter, name: str, body: str, step: int | None) -> None:
    """Write a body of a loop that calls another, whose pointers stand behind that to the parts; and its part.

    Args:
        timed: writes the part.
        name: of the function.
        body: the other body.
        step: the number of the step; None for tasks, which write their own.
    """
    f = Function(timed.module, name, _LOOP, attributes=UNOPTIMISED)
    begin = "" if step is None else timed.now(f)
    f.do(f"call void @{body}(ptr {f.at('%data', 8)}, i64 %first, i64 %last, i64 %slot)")
    if step is not None:
        timed.record(f, f.load("%data", type="ptr"), step, begin)
