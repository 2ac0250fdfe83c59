# SPDX-License-Identifier: Apache-2.0
"""A plan that was read as text, run step by step: memory is NumPy's bytes, functions are called by ctypes.

Everything but what a function computes comes from the text: the order, the arguments, the ranges, the control flow.
Turns that may run in any order run from the last range to the first, tasks from the last to the first.
"""

import ctypes
import itertools
import math

import numpy

from hybridize.base.dtypes import BY_CODE
from hybridize.runtime.buffers import aligned
from hybridize.runtime.plan import (
    CONDITION_BYTES,
    PlanBand,
    PlanRolling,
    PlanScans,
    PlanStop,
    PlanTable,
    PlanTasks,
    filled,
    steps_of,
)


class Stopped(Exception):
    """The program has failed before it would have written over an input."""


class Runner:
    """Runs one plan; `function` gives the address of a function by its name."""

    def __init__(self, plan, function):
        self.plan = plan
        self.called = []
        self._function = function
        self._tables = []

    def __call__(self, inputs, constants, sources, symbols=None, donated=None):
        """The outputs of a call with these arrays; `constants` and `sources` are those that stand beside the plan."""
        plan = filled(self.plan, symbols or {})
        arrays = [numpy.ascontiguousarray(one) for one in inputs]
        constants = [*constants]
        makers = {maker.function: maker for maker in plan.makers}
        for one in plan.derivations:
            target, scratch = memory(one.nbytes), memory(one.scratch_bytes)
            origins = {
                ("input", k): {"input": arrays, "constant": sources}[source.kind][source.number].ctypes.data
                + source.offset
                for k, source in enumerate(one.sources)
            }
            maker = makers[one.function]
            bases = {**origins, ("output", 0): target.ctypes.data, ("scratch", 0): scratch.ctypes.data}
            Frame(self, maker.steps, maker.order, bases).run()
            constants[one.slot] = target
        outputs = [memory(buffer.nbytes) for buffer in plan.outputs]
        for output, number in plan.updates:
            if donated is not None:
                outputs[output] = arrays[number].reshape(-1).view(numpy.uint8)
        scratch = memory(plan.scratch_bytes)
        held = [*arrays, *constants]
        bases = {("input", k): one.ctypes.data for k, one in enumerate(held)}
        bases |= {("output", k): one.ctypes.data for k, one in enumerate(outputs)}
        Frame(self, plan.steps, plan.order, {**bases, ("scratch", 0): scratch.ctypes.data}).run()
        return [
            one.view(BY_CODE[buffer.dtype]).reshape(buffer.shape)
            for one, buffer in zip(outputs, plan.outputs, strict=True)
        ]

    def call(self, name, pointers, numbers):
        self.called.append(name)
        kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(pointers), *[ctypes.c_int64] * len(numbers))
        kind(self._function(name))(*pointers, *numbers)

    def table(self, table):
        self._tables.append(memory(len(table.numbers) * BY_CODE[table.dtype].itemsize))
        self._tables[-1].view(BY_CODE[table.dtype])[...] = table.numbers
        return self._tables[-1].ctypes.data


def memory(nbytes):
    """Bytes that nobody has written: whoever reads them gives another result."""
    block = aligned((int(nbytes) + CONDITION_BYTES,), numpy.dtype(numpy.uint8))
    block[...] = 0xA5
    return block[: int(nbytes)]


def slice_bytes(buffer):
    return math.prod(buffer.shape[1:], start=BY_CODE[buffer.dtype].itemsize)


class Frame:
    """The steps of a program, a body or a maker, and where its memory begins."""

    def __init__(self, runner, steps, order, bases):
        self.runner, self.steps, self.order, self.bases = runner, steps, order, bases

    def run(self):
        for node in self.order:
            match node:
                case int():
                    self.step(node)
                case PlanStop(condition=None):
                    pass  # nobody interrupts a test
                case PlanStop(condition=condition):
                    if not ctypes.c_int8.from_address(self.at(condition)).value:
                        raise Stopped
                case PlanScans():
                    scan(
                        [(self.steps[number].region, self.arguments(number)) for number in steps_of(node)], self.runner
                    )
                case PlanTasks():
                    for task in reversed(node.tasks):
                        for number, index, count in task:
                            self.step(number, (index, count))
                case PlanBand():
                    self.band(node)
                case PlanRolling():
                    self.rolling(node)

    def at(self, argument):
        if isinstance(argument, PlanTable):
            return self.runner.table(argument)
        return None if argument.kind == "nowhere" else self.bases[argument.kind, argument.slot] + argument.offset

    def arguments(self, number):
        return [self.at(argument) for argument in self.steps[number].arguments]

    def step(self, number, part=None, pointers=None):
        step, pointers = self.steps[number], self.arguments(number) if pointers is None else pointers
        if step.region is not None:
            region(step.region, pointers, self.runner)
        for launch in step.launches:
            if launch.turns is None or step.share is None:
                assert launch.turns is None, "a step that threads do not share does all its work at once"
                self.runner.call(launch.function, pointers, launch.sizes)
            else:
                self.ranges(launch, pointers, step.share.own, step.share.threads, part)

    def ranges(self, launch, pointers, own, threads, part=None, before=()):
        """The turns of a launch as a task has them, or as threads might take them."""
        cuts = range(threads) if part is None else [part[0]]
        count = threads if part is None else part[1]
        for index in reversed(cuts):
            first, last = (launch.turns * one // count for one in (index, index + 1))
            if first < last:
                head = len(pointers) - len(own)
                apart = [one + index * by for one, by in zip(pointers[head:], own, strict=True)]
                self.runner.call(launch.function, [*pointers[:head], *apart], [*before, first, last, *launch.sizes])

    def band(self, band):
        packed = [(one, self.arguments(one.step)) for one in band.packing]
        for member in range(band.batch):
            back = {}
            for one, (target, source) in packed:
                number = member
                for size, stride in reversed(one.members[1:]):
                    source, number = source + number % size * stride, number // size
                source += number * one.members[0][1]
                self.step(one.step, pointers=[target, source])
                back[self.steps[one.step].arguments[0]] = member * one.bytes
            for block in reversed(range(band.count)):
                start = member * band.rows + block * band.block
                stop = (member + 1) * band.rows if block + 1 == band.count else start + band.block
                slot = 0 if band.share is None else block % band.share.threads
                for rows in band.steps:
                    self.rows(band, rows, start, stop, back, slot)

    def rows(self, band, rows, start, stop, back, slot):
        step = self.steps[rows.step]
        own = {} if band.share is None else dict(zip(reversed(band.own), reversed(band.share.own), strict=True))
        pointers = []
        for argument, row in zip(step.arguments, rows.blocks, strict=True):
            at = self.at(argument)
            pointers.append(
                None if at is None else at - start * row - back.get(argument, 0) + slot * own.get(argument, 0)
            )
        (launch,) = step.launches
        self.runner.call(launch.function, pointers, [start, stop, *launch.sizes])

    def rolling(self, band):
        own = [0] * len(band.memories) if band.share is None else band.share.own
        for part in reversed(range(band.parts)):
            places = {one.address: self.at(one.address) + part * by for one, by in zip(band.memories, own, strict=True)}
            for one in band.memories:
                ctypes.memset(places[one.address], 0, one.lines * one.line_bytes)
            first, last = (len(band.blocks) * one // band.parts for one in (part, part + 1))
            for number in range(first, last):
                self.block(band, band.blocks[number], places, alone=number == first)

    def block(self, band, numbers, places, *, alone):
        steps = [self.steps[number] for number in steps_of(band)]
        units = [numbers[3 * k : 3 * k + 3] for k in range(len(steps))]
        lines = [numbers[k : k + 5] for k in range(3 * len(steps), len(numbers), 5)]
        moved = {}
        for one, (low, _, _, zeros, count) in zip(band.memories, lines, strict=True):
            ctypes.memset(places[one.address] + zeros * one.line_bytes, 0, count * one.line_bytes)
            moved[one.address] = places[one.address] - low * one.line_bytes
        for step, (begin, following, end) in zip(steps, units, strict=True):
            (launch,) = step.launches
            pointers = [moved.get(argument) or self.at(argument) for argument in step.arguments]
            self.runner.call(launch.function, pointers, [begin if alone else following, end, *launch.sizes])
        for one, (_, seen, count, _, _) in zip(band.memories, lines, strict=True):
            at = places[one.address]
            ctypes.memmove(at, at + seen * one.line_bytes, count * one.line_bytes)


# Control flow


class Loop:
    """The memory of a region."""

    def __init__(self, region, pointers, runner):
        self.region, self.runner = region, runner
        pointers = iter(pointers)
        self.outputs = list(itertools.islice(pointers, len(region.outputs)))
        self.inputs = list(itertools.islice(pointers, len(region.inputs)))
        self.constants = [list(itertools.islice(pointers, len(body.constants))) for body in region.bodies]
        (self.workspace,) = pointers

    def body(self, number, inputs, outputs):
        body = self.region.bodies[number]
        constants = {("input", len(body.inputs) + k): at for k, at in enumerate(self.constants[number])}
        bases = {("input", k): at for k, at in inputs.items()} | constants
        bases |= {("output", k): at for k, at in enumerate(outputs)}
        bases["scratch", 0] = (self.workspace or 0) + self.region.scratch_offset
        Frame(self.runner, body.steps, body.order, bases).run()

    def of(self, *kinds):
        return [k for k, state in enumerate(self.region.state) if state.kind in kinds]

    def copy(self, k, source):
        if self.outputs[k] is not None and self.outputs[k] != source:
            ctypes.memmove(self.outputs[k], source, self.region.outputs[k].nbytes)

    def settled(self):
        """The places of state that never moves."""
        for k in self.of("in place"):
            self.copy(k, self.inputs[k])
        return {k: self.inputs[k] for k in self.of("steady")} | {k: self.outputs[k] for k in self.of("in place")}

    def end_steady(self):
        for k in self.of("steady"):
            if k not in self.region.unread:
                self.copy(k, self.inputs[k])

    def cond(self):
        number = 0 if ctypes.c_int8.from_address(self.inputs[0]).value else 1
        self.body(number, dict(enumerate(self.inputs[1:])), [self.outputs[k] for k in self.region.gives])

    def repeat(self):
        inputs = self.settled()
        flag = self.workspace + self.region.scratch_offset - CONDITION_BYTES
        now = {k: self.inputs[k] for k in self.of("by turns")}
        while True:
            self.body(0, inputs | now, [flag])
            if not ctypes.c_int8.from_address(flag).value:
                break
            to = {k: self.other(k) if at == self.outputs[k] else self.outputs[k] for k, at in now.items()}
            self.body(1, inputs | now, [to.get(k, self.outputs[k]) for k in self.region.gives])
            now = to
        for k, at in now.items():
            self.copy(k, at)
        self.end_steady()

    def other(self, k):
        return self.workspace + self.region.state[k].offset

    # Scans: begin, then a turn after the other, then end

    def begin(self):
        region = self.region
        self.fixed = self.settled() | {
            k: self.inputs[k] for k in range(len(region.state), len(self.inputs)) if k not in region.stacked
        }
        self.now = {k: self.inputs[k] for k in self.of("by turns", "as left")}
        self.turns = 0
        for k in self.of("as found"):
            self.now[k] = self.slice(self.outputs, region.outputs, region.state[k].stack)
            if region.length:
                ctypes.memmove(self.now[k], self.inputs[k], region.inputs[k].nbytes)

    def slice(self, pointers, buffers, k, turn=0):
        index = self.region.length - 1 - turn if self.region.reverse else turn
        return pointers[k] + index * slice_bytes(buffers[k])

    def turn(self):
        region, turn = self.region, self.turns
        first = len(region.state)
        slices = {k: self.slice(self.outputs, region.outputs, k, turn) for k in range(first, len(self.outputs))}
        to = {}
        for k in self.now:
            home = region.state[k]
            if home.kind == "by turns":  # the last turn writes the output
                to[k] = self.outputs[k] if (region.length - turn) % 2 else self.other(k)
            elif home.kind == "as left":
                to[k] = slices[home.stack]
            else:
                last = turn == region.length - 1
                to[k] = self.outputs[k] if last else self.slice(self.outputs, region.outputs, home.stack, turn + 1)
        inputs = self.fixed | self.now
        inputs |= {k: self.slice(self.inputs, region.inputs, k, turn) for k in region.stacked}
        self.body(0, inputs, [to.get(k) or slices.get(k, self.outputs[k]) for k in region.gives])
        self.now, self.turns = to, turn + 1

    def end(self):
        for k, at in self.now.items():
            if self.region.state[k].kind == "as left":
                if k not in self.region.unread:
                    self.copy(k, at)
            elif not self.region.length:
                self.copy(k, self.inputs[k])
        self.end_steady()


def region(region, pointers, runner):
    if region.control == "scan":
        scan([(region, pointers)], runner)
    else:
        loop = Loop(region, pointers, runner)
        (loop.cond if region.control == "cond" else loop.repeat)()


def scan(regions, runner):
    """Scans in one loop."""
    loops = [Loop(*one, runner) for one in regions]
    for loop in loops:
        loop.begin()
    for _ in range(loops[0].region.length):
        for loop in loops:
            loop.turn()
    for loop in loops:
        loop.end()
