# SPDX-License-Identifier: Apache-2.0
"""Control flow: branches and loops around the steps of their bodies.

A region is an internal function `(ptr outputs..., ptr inputs..., ptr constants..., ptr workspace)`, the constants of
one body after those of another; where sizes come with the call, `ptr sizes` follows. The steps of its bodies are called
from its own blocks, with pointers to the region's buffers or to slices of them. What is the same in all turns is
computed before the loop. State is handed on as a pointer: nothing is copied from turn to turn.

Scans that share a loop are one function, which takes what each of them takes, one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from hybridize.base.dims import bounds, is_symbolic, same
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.calls import addresses_of
from hybridize.codegen.llvm.pointers import Base, Pointers
from hybridize.codegen.llvm.safepoints import Safepoint
from hybridize.codegen.llvm.text import Function, LoopBlock, Module
from hybridize.machine.target import Target
from hybridize.runtime.plan import CONDITION_BYTES, Buffer, Plan, PlanRegion, turns_between_looks

WriteBody = Callable[[Function, Plan, Pointers], None]
"""Writes the steps of a body."""


def emit_region(
    module: Module, name: str, step: PlanRegion, write: WriteBody, watched: Target | None, *, sized: bool
) -> None:
    """Write the region `name`; `sized` is whether sizes come with the call.

    Where `watched` says the machine, a loop that may last also ends when its program has failed, or been interrupted.
    """
    f = _function(module, name, [step], sized)
    region = _Region(f, step, write, 0)
    match step.control:
        case "cond":
            region.cond()
        case "while":
            region.repeat(watched)
        case "scan":
            _turn_together(f, [region], watched)


def emit_scans(
    module: Module, name: str, steps: Sequence[PlanRegion], write: WriteBody, watched: Target | None, *, sized: bool
) -> None:
    """Write scans of one length that do not need each other as one loop."""
    f = _function(module, name, steps, sized)
    _turn_together(f, [_Region(f, step, write, number) for number, step in enumerate(steps)], watched)


def _function(module: Module, name: str, steps: Sequence[PlanRegion], sized: bool) -> Function:
    params: list[str] = []
    for number, step in enumerate(steps):
        params += [f"o{number}.{k}" for k in range(len(step.outputs))]
        params += [f"i{number}.{k}" for k in range(len(step.inputs))]
        for number_of_body, body in enumerate(step.bodies):
            params += [f"k{number}.{number_of_body}.{k}" for k in range(len(body.constants))]
        params.append(f"workspace{number}")
    f = Function(module, name, [("ptr", param) for param in (*params, *["sizes"] * sized)])
    if sized:
        f.sizes = "%sizes"
    return f


def _turn_together(f: Function, scans: Sequence[_Region], watched: Target | None) -> None:
    """One loop over the slices of scans of one length."""
    turns = _between_looks(scans) if watched is not None else 0
    safepoint = Safepoint(f, watched, effects=False) if watched is not None and turns else None
    first = [scan.begin() for scan in scans]
    carry = [("ptr", pointer) for pointers in first for pointer in pointers]
    with f.loop(0, f.size(scans[0].step.length), 1, carry) as loop:
        values = iter(loop.values)
        for scan in scans:
            scan.turn(loop, values)
        if safepoint is not None:
            loop.more = safepoint.goes_on(loop.index, turns)
    results = iter(loop.results)
    for scan in scans:
        scan.end(results)


def _between_looks(scans: Sequence[_Region]) -> int:
    """After how many turns scans of one loop look whether they were interrupted; 0 for never."""
    steps: list[Any] = [step for scan in scans for step in scan.step.bodies[0].steps]
    return turns_between_looks(
        scans[0].step.length, sum(step.bytes for step in steps), sum(step.flops for step in steps)
    )


@frozen
class _Turn:
    """The places of a value of a loop's state in a turn, as registers."""

    now: str
    """Read by the body."""
    to: str
    """Written by it."""
    spare: str = ""
    """By turns: written by the next turn."""


class _Region:
    def __init__(self, f: Function, step: PlanRegion, write: WriteBody, number: int) -> None:
        self.f = f
        self.step = step
        self.outputs = [f"%o{number}.{k}" for k in range(len(step.outputs))]
        self.inputs = [f"%i{number}.{k}" for k in range(len(step.inputs))]
        self._number = number
        self._write = write
        self._workspace = f"%workspace{number}"
        self._scratch = self.f.at(self._workspace, step.scratch_offset)
        self._fixed: list[Pointers] = []
        """Of each body those that are the same in all turns."""

    def _copy(self, target: str, source: str, nbytes: int) -> None:
        if not same(nbytes, 0):
            self.f.copy(target, source, nbytes)

    # Bodies

    def _fix(self, inputs: Mapping[int, str]) -> None:
        """Compute the pointers of the bodies that are the same in all turns: constants, scratch, these inputs."""
        for number, body in enumerate(self.step.bodies):
            first = len(body.inputs)
            bases: dict[Base, str] = {("scratch", 0): self._scratch}
            bases |= {("input", k): pointer for k, pointer in inputs.items()}
            names = (f"%k{self._number}.{number}.{k}" for k in range(len(body.constants)))
            bases |= {("input", first + k): name for k, name in enumerate(names)}
            pointers = Pointers(self.f, bases)
            pointers.resolve(addresses_of(body))
            self._fixed.append(pointers)

    def _body(self, number: int, inputs: Mapping[int, str], outputs: Sequence[str]) -> None:
        """The steps of a body in one turn, with these inputs besides those that are fixed."""
        bases: dict[Base, str] = {("input", k): pointer for k, pointer in inputs.items()}
        bases |= {("output", k): pointer for k, pointer in enumerate(outputs)}
        self._write(self.f, self.step.bodies[number], self._fixed[number].within(bases))

    # State

    def _of_kinds(self, *kinds: str) -> list[int]:
        """The state that is kept in one of these ways."""
        return [k for k, home in enumerate(self.step.state) if home.kind in kinds]

    def _settle(self) -> dict[int, str]:
        """The state that never moves: inputs of the bodies. What is kept in place is copied there."""
        for k in self._of_kinds("in place"):
            self._copy(self.outputs[k], self.inputs[k], self.step.inputs[k].nbytes)
        steady = {k: self.inputs[k] for k in self._of_kinds("steady")}
        return {**steady, **{k: self.outputs[k] for k in self._of_kinds("in place")}}

    def _end_steady(self) -> None:
        """Give what the body hands on as it is."""
        for k in self._of_kinds("steady"):
            if k not in self.step.unread:
                self._copy(self.outputs[k], self.inputs[k], self.step.outputs[k].nbytes)

    # Branches, and loops that ask

    def cond(self) -> None:
        """One of two bodies."""
        f = self.f
        truth = f.op(f"icmp ne i8 {f.op(f'load i8, ptr {self.inputs[0]}, align 1')}, 0")
        then, orelse, after = f.fresh("then"), f.fresh("else"), f.fresh("after")
        self._fix(dict(enumerate(self.inputs[1:])))
        f.branch(truth, then, orelse)
        for number, label in enumerate((then, orelse)):
            f.begin_block(label)
            self._body(number, {}, [self.outputs[k] for k in self.step.gives])
            f.jump(after)
        f.begin_block(after)

    def repeat(self, watched: Target | None) -> None:
        """A while loop."""
        f, step = self.f, self.step
        self._fix(self._settle())
        safepoint = None if watched is None else Safepoint(f, watched, effects=step.acts)
        flag = self.f.at(self._workspace, step.scratch_offset - CONDITION_BYTES)
        carried = self._of_kinds("by turns")
        first = {k: _Turn(self.inputs[k], self.outputs[k], self._other(k)) for k in carried}
        before, head, turn, again, after = f.label, f.fresh("head"), f.fresh("turn"), f.fresh("again"), f.fresh("after")
        f.enter(head)
        state = {k: _Turn(*(f"%{f.fresh(word)}" for word in ("now", "to", "spare"))) for k in carried}
        for k, one in state.items():
            begin = first[k]
            for name, start, following in (
                (one.now, begin.now, one.to),
                (one.to, begin.to, one.spare),
                (one.spare, begin.spare, one.to),
            ):
                f.do(f"{name} = phi ptr [ {start}, %{before} ], [ {following}, %{again} ]")
        now = {k: one.now for k, one in state.items()}
        self._body(0, now, [flag])
        truth = f.op(f"icmp ne i8 {f.op(f'load i8, ptr {flag}, align 1')}, 0")
        f.branch(truth, turn, after, begin=turn)
        self._body(1, now, [state[k].to if k in state else self.outputs[k] for k in step.gives])
        if safepoint is None:
            f.jump(again)
        else:
            safepoint.end_turn(again, after)
        f.begin_block(again)
        f.jump(head)
        f.begin_block(after)
        for k, one in state.items():
            with f.when(f.op(f"icmp ne ptr {one.now}, {self.outputs[k]}")):
                self._copy(self.outputs[k], one.now, step.outputs[k].nbytes)
        self._end_steady()

    # Scans

    def begin(self) -> list[str]:
        """Write what comes before a scan's loop; returns the first values of the pointers that it carries."""
        constants = (k for k in range(len(self.step.state), len(self.inputs)) if k not in self.step.stacked)
        self._fix({**self._settle(), **{k: self.inputs[k] for k in constants}})
        return [pointer for k in self._carried for pointer in self._first(k)]

    def turn(self, loop: LoopBlock, values: Iterator[str]) -> None:
        """Write one turn of a scan, of which the loop carries the next of these values."""
        f, step = self.f, self.step
        index = f.op(f"sub i64 {f.size(step.length - 1)}, {loop.index}") if step.reverse else loop.index
        first = len(step.state)
        slices = {k: self._slice(self.outputs[k], step.outputs[k], index) for k in range(first, len(step.outputs))}
        state = {k: self._turn(k, values, slices, loop.index) for k in self._carried}
        inputs = {k: one.now for k, one in state.items()}
        inputs |= {k: self._slice(self.inputs[k], step.inputs[k], index) for k in step.stacked}
        self._body(0, inputs, [state[k].to if k in state else slices.get(k, self.outputs[k]) for k in step.gives])
        for one in state.values():
            loop.following += [one.to, one.spare, one.to] if one.spare else [one.to]

    def end(self, results: Iterator[str]) -> None:
        """Write what comes after a scan's loop: the last state to the outputs."""
        step = self.step
        for k in self._carried:
            last, nbytes = next(results), step.outputs[k].nbytes
            if step.state[k].kind == "as left":
                # Without a turn it is where it was given.
                if k not in step.unread:
                    self._copy(self.outputs[k], last, nbytes)
                continue
            if step.state[k].kind == "by turns":
                next(results), next(results)
            self._copy_if(False, self.outputs[k], self.inputs[k], nbytes)
        self._end_steady()

    @property
    def _carried(self) -> list[int]:
        """The state of which a scan carries pointers."""
        return self._of_kinds("by turns", "as left", "as found")

    def _other(self, k: int) -> str:
        """The place besides the output in which state is by turns."""
        return self.f.at(self._workspace, self.step.state[k].offset)

    def _first(self, k: int) -> list[str]:
        """The pointers that a scan carries for a value of the state, in the first turn."""
        f, step, home = self.f, self.step, self.step.state[k]
        source, output = self.inputs[k], self.outputs[k]
        if home.kind == "as left":
            return [source]
        if home.kind == "as found":
            first = f.size(step.length - 1) if step.reverse else "0"
            row = self._slice(self.outputs[home.stack], step.outputs[home.stack], first)
            self._copy_if(True, row, source, step.inputs[k].nbytes)
            return [row]
        other = self._other(k)
        if not is_symbolic(step.length):
            return [source, *((output, other) if step.length % 2 else (other, output))]
        odd = f.op(f"trunc i64 {f.size(step.length)} to i1")
        return [source, *(f.op(f"select i1 {odd}, ptr {x}, ptr {y}") for x, y in ((output, other), (other, output)))]

    def _turn(self, k: int, values: Iterator[str], slices: Mapping[int, str], turn: str) -> _Turn:
        """The places of a value of the state in a turn."""
        f, step, home = self.f, self.step, self.step.state[k]
        now = next(values)
        if home.kind == "by turns":
            return _Turn(now, next(values), next(values))
        if home.kind == "as left":
            return _Turn(now, slices[home.stack])
        nbytes = step.inputs[k].nbytes
        following = self.f.at(now, f.size(-nbytes if step.reverse else nbytes))
        last = f.op(f"icmp eq i64 {turn}, {f.size(step.length - 1)}")
        return _Turn(now, f.op(f"select i1 {last}, ptr {self.outputs[k]}, ptr {following}"))

    def _copy_if(self, turns: bool, target: str, source: str, nbytes: int) -> None:
        """Copy in a call with turns, or in one without."""
        low, high = bounds(self.step.length)
        if low > 0 or high < 1:
            if turns == (low > 0):
                self._copy(target, source, nbytes)
            return
        with self.f.when(self.f.op(f"icmp {'ne' if turns else 'eq'} i64 {self.f.size(self.step.length)}, 0")):
            self._copy(target, source, nbytes)

    def _slice(self, pointer: str, stack: Buffer, index: str) -> str:
        return self.f.at(pointer, self.f.times(index, stack.slice_bytes))
