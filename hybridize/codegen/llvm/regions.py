# SPDX-License-Identifier: Apache-2.0
"""Control flow: branches and loops that call the functions of their bodies.

A region is an internal function `(ptr outputs..., ptr inputs..., ptr workspace, ptr constants)`, `constants` being the
program's array of inputs. A body has the program's own form `(ptr inputs, ptr outputs, ptr scratch)`; its arrays of
pointers are on the stack, and end with that to the sizes where the program's does. State alternates between two copies
in the workspace.
"""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dims import same
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.text import Function, Module
from hybridize.schedule.steps import RegionStep


def emit_region(
    module: Module, name: str, step: RegionStep, bodies: Sequence[str], sizes_slot: int | None = None
) -> None:
    """Write the region `name`, which calls `bodies`; the program has its sizes at `sizes_slot`, if it has any."""
    params = [f"o{k}" for k in range(len(step.outputs))] + [f"i{k}" for k in range(len(step.inputs))]
    f = Function(module, name, [("ptr", param) for param in (*params, "workspace", "constants")])
    if sizes_slot is not None:
        f.use_sizes("%constants", sizes_slot)
    writer = _Region(f, step, bodies)
    {"cond": writer.cond, "while": writer.repeat, "scan": writer.scan}[step.kind]()
    f.do("ret void")


class _Call:
    """A body with its arrays of pointers, its constants in address."""

    def __init__(self, f: Function, name: str, inputs: int, outputs: int, constants: Sequence[int]) -> None:
        self._f = f
        self._name = name
        self._inputs = f.alloca("ptr", max(1, inputs + len(constants) + bool(f.sizes)))
        self._outputs = f.alloca("ptr", max(1, outputs))
        for k, slot in enumerate(constants):
            self._set(self._inputs, inputs + k, f.op(f"load ptr, ptr {self._cell('%constants', slot)}"))
        if f.sizes:
            self._set(self._inputs, inputs + len(constants), f.sizes)

    def _cell(self, array: str, k: int) -> str:
        return array if not k else self._f.op(f"getelementptr ptr, ptr {array}, i64 {k}")

    def _set(self, array: str, k: int, pointer: str) -> None:
        self._f.do(f"store ptr {pointer}, ptr {self._cell(array, k)}")

    def inputs(self, pointers: Sequence[str]) -> None:
        """Set what the body reads."""
        for k, pointer in enumerate(pointers):
            self._set(self._inputs, k, pointer)

    def outputs(self, pointers: Sequence[str]) -> None:
        """Set what the body writes."""
        for k, pointer in enumerate(pointers):
            self._set(self._outputs, k, pointer)

    def run(self, scratch: str) -> None:
        """Call the body."""
        self._f.do(f"call void @{self._name}(ptr {self._inputs}, ptr {self._outputs}, ptr {scratch})")


class _Region:
    def __init__(self, f: Function, step: RegionStep, bodies: Sequence[str]) -> None:
        self.f = f
        self.step = step
        self.scratch = self._at("%workspace", step.scratch_offset)
        self.calls = [
            _Call(f, name, len(body.plan.inputs), len(body.plan.outputs), slots)
            for name, body, slots in zip(bodies, step.bodies, step.constants, strict=True)
        ]
        self.moving = [k for k in range(step.carried) if k not in step.invariant]

    def _at(self, pointer: str, offset: int | str) -> str:
        if isinstance(offset, str):
            return self.f.op(f"getelementptr i8, ptr {pointer}, i64 {offset}")
        return pointer if same(offset, 0) else self._at(pointer, self.f.size(offset))

    def _copy(self, target: str, source: str, nbytes: int) -> None:
        if not same(nbytes, 0):
            name = self.f.module.declare("llvm.memcpy.p0.p0.i64", "void", ["ptr", "ptr", "i64", "i1"])
            self.f.do(f"call void {name}(ptr {target}, ptr {source}, i64 {self.f.size(nbytes)}, i1 false)")

    def _state(self, copy: str) -> list[str]:
        """Pointers to the state, steady values where they were at the beginning."""
        return [
            f"%i{k}" if k in self.step.invariant else self._at(copy, self.step.state_offsets[k])
            for k in range(self.step.carried)
        ]

    def _begin(self) -> tuple[str, str]:
        """Copy the given state in; returns the two copies' pointers."""
        first = "%workspace"
        state = self._state(first)
        for k in self.moving:
            self._copy(state[k], f"%i{k}", self.step.inputs[k].nbytes)
        return first, self._at(first, self.step.state_bytes)

    def _end(self, copy: str) -> None:
        """Copy the state out."""
        addresses = self.step.addresses
        for k, pointer in enumerate(self._state(copy)):
            if k in self.moving or addresses[k] != addresses[len(self.step.outputs) + k]:
                self._copy(f"%o{k}", pointer, self.step.outputs[k].nbytes)

    def cond(self) -> None:
        """One of two bodies."""
        f = self.f
        truth = f.op(f"icmp ne i8 {f.op('load i8, ptr %i0, align 1')}, 0")
        then, orelse, after = f.fresh("then"), f.fresh("else"), f.fresh("after")
        f.branch(truth, then, orelse)
        for label, call in zip((then, orelse), self.calls, strict=True):
            f.begin_block(label)
            call.inputs([f"%i{k}" for k in range(1, len(self.step.inputs))])
            call.outputs([f"%o{k}" for k in range(len(self.step.outputs))])
            call.run(self.scratch)
            f.jump(after)
        f.begin_block(after)

    def repeat(self) -> None:
        """A while loop."""
        f = self.f
        asked, body = self.calls
        first, second = self._begin()
        flag = self._at("%workspace", 2 * self.step.state_bytes)
        asked.outputs([flag])
        before, head, turn, after = f.label, f.fresh("head"), f.fresh("turn"), f.fresh("after")
        f.jump(head)
        f.begin_block(head)
        now, other = f"%{f.fresh('now')}", f"%{f.fresh('other')}"
        # The turn jumps back with the copies exchanged.
        f.do(f"{now} = phi ptr [ {first}, %{before} ], [ {other}, %{turn} ]")
        f.do(f"{other} = phi ptr [ {second}, %{before} ], [ {now}, %{turn} ]")
        state = self._state(now)
        asked.inputs(state)
        asked.run(self.scratch)
        truth = f.op(f"icmp ne i8 {f.op(f'load i8, ptr {flag}, align 1')}, 0")
        f.branch(truth, turn, after)
        f.begin_block(turn)
        following = self._state(other)
        body.inputs(state)
        body.outputs([following[k] for k in self.moving])
        body.run(self.scratch)
        f.jump(head)
        f.begin_block(after)
        self._end(now)

    def scan(self) -> None:
        """A loop of known length over slices."""
        f, step = self.f, self.step
        (body,) = self.calls
        first, second = self._begin()
        with f.loop(0, f.size(step.length), 1, [("ptr", first), ("ptr", second)]) as loop:
            now, other = loop.values
            index = f.op(f"sub i64 {f.size(step.length - 1)}, {loop.index}") if step.reverse else loop.index
            inputs = self._state(now)
            for k in range(step.carried, len(step.inputs)):
                inputs.append(self._slice(f"%i{k}", step.inputs[k], index) if k in step.stacked else f"%i{k}")
            following = self._state(other)
            outputs = [following[k] for k in self.moving]
            stacked = range(step.carried, len(step.outputs))
            outputs += [self._slice(f"%o{k}", step.outputs[k], index) for k in stacked]
            body.inputs(inputs)
            body.outputs(outputs)
            body.run(self.scratch)
            loop.following = [other, now]
        self._end(loop.results[0])

    def _slice(self, pointer: str, type_: TensorType, index: str) -> str:
        nbytes = type_.with_shape(type_.shape[1:]).nbytes
        return self._at(pointer, self.f.op(f"mul i64 {index}, {self.f.size(nbytes)}"))
