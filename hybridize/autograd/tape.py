# SPDX-License-Identifier: Apache-2.0
"""The tape: the interpreter that computes at once and remembers how.

It takes the place of the imperative interpreter in a thread that records. Operands are NumPy buffers where nothing is
to be remembered (numbers, indices, what was computed of constants), else `Traced`.

An array that is a view made while recording knows its base and the ops between. A write with a history changes the
histories from the written view up to its base, as the capture's symbols do; other views find theirs again from the base
when they are next read, which they see by the version of the buffer.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import setitem
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.array.buffer import content_of
from hybridize.array.ndarray import Taping, history, is_content, ndarray, view, wrap
from hybridize.array.staging import Staging
from hybridize.array.storage import Storage
from hybridize.array.symbol import Strided
from hybridize.array.traced import RELEASED, Traced, constant, released
from hybridize.autograd.fused import RULES
from hybridize.autograd.nodes import TapeNode, reads, unowned
from hybridize.base.access import ACCESS, exclusively
from hybridize.base.dtypes import float32, float64
from hybridize.base.errors import ArgumentError, StateError
from hybridize.base.types import TensorType
from hybridize.ops import Add, Broadcast, Div, Mul, Reshape, Slice, StopGradient, Sub, Transpose, UpdateSlice
from hybridize.ops.op import Op, Operand, eagerly

Array = NDArray[Any]


class Tape(Staging, Taping):
    """Computes, and makes a node of each operation that a gradient may pass. It has no state: histories are arrays'."""

    def bind(self, op: Op, operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
        """Compute at once, and remember."""
        tracked = False
        data = []
        for x in operands:
            if type(x) is Traced:
                data.append(x.data)
                if x.edge is not None:
                    tracked = True
            else:
                data.append(x)
        outputs = eagerly(op, data)
        if type(op) is StopGradient:
            return (outputs[0].copy(),)
        if len(data) == 1 and type(operands[0]) is Traced:
            y = outputs[0]
            if y is data[0] or (y.base is not None and numpy.may_share_memory(y, data[0])):
                return self.note(op, operands, data, outputs, operands[0])
        return self.note(op, operands, data, outputs) if tracked else outputs

    def note(
        self,
        op: Op,
        operands: Sequence[Operand],
        data: Sequence[Array],
        outputs: Sequence[Array],
        shares: Traced | None = None,
    ) -> tuple[Operand, ...]:
        """Operands for `outputs`, which `op` made of operands whose values are `data`.

        Args:
            op: what was done.
            operands: to what.
            data: their values.
            outputs: its results.
            shares: the operand in whose buffer the outputs are.
        """
        storage, version = (None, 0) if shares is None else (shares.storage, shares.version)
        if shares is not None and shares.edge is None:
            return tuple(unowned(y, None, storage, version) for y in outputs)
        tracked = [y.dtype.kind in "fcV" for y in outputs]
        if not all(tracked) and any(map(_is_exact, operands)):
            tracked = [True] * len(outputs)  # integers have a history only where their gradient was asked for
        if not any(tracked):
            return tuple(outputs)
        read = reads(op, operands, data, outputs)
        node = TapeNode(op, operands, data, outputs, read)
        results: list[Operand] = []
        for number, y in enumerate(outputs):
            if not tracked[number]:
                results.append(y)
                continue
            own = storage
            if read[1][number] and own is None:
                own = Storage()
                node.guard(own, number)
            results.append(unowned(y, (node, number), own, version))
        return tuple(results)

    def type_of(self, operand: Operand) -> TensorType:
        """Type of an operand."""
        if type(operand) is Traced:
            operand = operand.data
        return TensorType(operand.shape, operand.dtype)

    def constant(self, array: Array) -> Operand:
        """The buffer itself."""
        return array

    def op_of(self, operand: Operand) -> Any:
        """The op whose node an operand's history begins with."""
        edge = operand.edge if type(operand) is Traced else None
        return getattr(edge[0], "rule", None) if type(edge) is tuple else None  # a variable else

    # --------------------------------------------------------------------------------------------------- arrays

    def operand(self, array: ndarray, data: Array | None = None) -> Operand:
        """The operand that an array is; `data`: its elements, where they are at hand.

        Raises:
            StateError E544: which values it has now, and where they come from, cannot be told.
        """
        traced = getattr(array, "_traced", None)
        if type(traced) is Traced and (edge := traced.edge) is not None and ACCESS.queue is None:
            storage = traced.storage
            if storage is not None and traced.version == storage.version:
                return traced if type(edge) is not tuple or edge[0].live >= RELEASED.number else self._remaining(traced)
        if data is None:
            data = content_of(array)
        if data.dtype.kind not in "fcV" and not _is_tracked(array):
            return data.copy()  # an index that is overwritten later must not change a gradient
        traced = history(array)
        storage = array.storage
        if traced is None:
            if storage.recorded:
                raise unclear(array.type, WRITTEN_THROUGH)
            return Traced(data, None, storage, storage.version)
        if traced.version == storage.version:
            return self._remaining(traced)
        if traced.base is not None:
            traced.edge = self._stepped(self.operand(traced.base), traced.steps, data).edge
        elif traced.edge is not None and traced.edge is not traced.variable:
            traced.edge = self._remaining(traced).edge
            if traced.edge is not None:
                raise unclear(array.type, WRITTEN_IN_PAUSE)
        traced.data, traced.version = data, storage.version
        return traced

    def _remaining(self, traced: Traced) -> Traced:
        """Return what the passes since have left of a history: a constant where they have freed all of its graph."""
        if type(traced.edge) is not tuple:
            return traced
        gone = released(traced.edge[0])
        if gone is None:
            return traced
        if traced.variable is None:
            return constant(traced, gone.freed)
        traced.edge = traced.variable  # as of an array that was computed before: recordings begin with it
        return traced

    def wrap(self, traced: Traced) -> ndarray:
        """A new array of an operand."""
        if traced.owner:  # an array's already: here is another one over its buffer
            known = traced
            traced = unowned(known.data, known.edge, known.storage, known.version)
        if traced.storage is None:
            traced.storage, traced.version = Storage(), 0
        array = wrap(traced.data, traced.storage)
        if traced.edge is not None:
            traced.owner = True
            array._traced = traced
        return array

    def copy(self, traced: Traced) -> ndarray:
        """A new array with the values of an operand."""
        data = traced.data.copy()
        if traced.edge is None:
            return wrap(data)
        (value,) = self.note(Reshape(data.shape), (traced,), (traced.data,), (data,))
        return self.wrap(value)

    def view(self, x: ndarray, steps: Sequence[Op], result: ndarray | None = None) -> ndarray:
        """The view of an array that view ops make."""
        whole = content_of(x)
        data = viewed(whole, steps) if result is None else content_of(result)
        array = view(x, data)
        if data.dtype.kind not in "fcV" and not _is_tracked(x):
            return array
        if not numpy.may_share_memory(data, whole):  # NumPy had to copy
            traced = self._stepped(self.operand(x), steps, data)
            return self.wrap(unowned(data, traced.edge, None, 0)) if traced.edge is not None else wrap(data)
        storage = array.storage
        before = self.operand(x)
        traced = Traced(data, self._stepped(before, steps, data).edge, storage, storage.version)
        traced.base, traced.steps = x, tuple(steps)
        array._traced = traced
        return array

    def _stepped(self, x: Traced, steps: Sequence[Op], data: Array) -> Traced:
        """The history of a view, whose buffer is `data`."""
        if x.edge is None or not steps:
            return x
        for number, step in enumerate(steps):
            y = data if number == len(steps) - 1 else viewed(x.data, (step,))
            (x,) = self.note(step, (x,), (x.data,), (y,), x)
        return x

    def binary(self, name: str, x: ndarray, y: Any, reflected: bool) -> ndarray | None:
        """The short way of an operator between float arrays of one type, or with a number; None for the general way."""
        op, data = _OPERATORS.get(name), content_of(x)
        dtype = data.dtype
        if op is None or not (dtype is float32 or dtype is float64):
            return None
        if isinstance(y, ndarray):
            values = content_of(y)
            if values.dtype is not dtype or values.shape != data.shape:
                return None
            other: Operand = self.operand(y, values)
        elif type(y) is float or type(y) is int:
            try:
                number = numpy.asarray(y, dtype)
            except OverflowError:
                return None  # the general way says what is wrong
            other = numpy.ndarray(data.shape, dtype, number, 0, (0,) * data.ndim)
        else:
            return None
        mine = self.operand(x, data)
        (value,) = self.bind(op, (other, mine) if reflected else (mine, other))
        return self.wrap(value) if type(value) is Traced else wrap(value)

    def unary(self, op: Op, x: ndarray) -> ndarray:
        """The short way of a function of one float array."""
        (value,) = self.bind(op, (self.operand(x),))
        return self.wrap(value) if type(value) is Traced else wrap(value)

    def made(self, name: str, arrays: Sequence[ndarray], y: Array, *parameters: Any) -> ndarray:
        """The array `y` that a function of `fused` has computed of arrays."""
        operands, edges, data, tracked = [], [], [], False
        for x in arrays:
            operand = self.operand(x)
            operands.append(operand)
            if type(operand) is Traced:
                tracked = tracked or operand.edge is not None
                edges.append(operand.edge)
                data.append(operand.data)
            else:
                edges.append(None)
                data.append(operand)
        if not tracked:
            return wrap(y)
        rule = RULES[name](*parameters)
        read = rule.reads(edges)
        node = TapeNode(rule, operands, data, (y,), read)
        node.private = rule.keeps
        storage = Storage()
        if read[1][0]:
            node.guard(storage, 0)
        array = wrap(y, storage)
        array._traced = Traced(y, (node, 0), storage)
        return array

    def by_rule(
        self, rule: Any, operands: Sequence[Operand], results: Sequence[ndarray], saved: Sequence[ndarray] = ()
    ) -> list[ndarray]:
        """The arrays `results` with a history: a rule of their own makes the gradients of `operands`.

        Args:
            rule: with `name`, `vjp` and `release`, which lets go of what it keeps.
            operands: what the results were computed of.
            results: whose gradients the rule is given; nobody else has them.
            saved: arrays that the rule reads; those among the results come to it as outputs.
        """
        data = [x.data if type(x) is Traced else x for x in operands]
        residuals = set(map(id, saved))
        read = ((False,) * len(data), tuple([id(y) in residuals for y in results]))
        node = TapeNode(rule, operands, data, [content_of(y) for y in results], read)
        node.private = True
        for one in saved:
            node.guard(one.storage)
        return [
            self.wrap(unowned(content_of(y), (node, number), y.storage, y.storage.version))
            for number, y in enumerate(results)
        ]

    # --------------------------------------------------------------------------------------------------- writes

    def concerns(self, x: ndarray, update: Operand) -> bool:
        """Tell whether a write of `update` to `x`, or to a part of it, has a history."""
        if type(update) is Traced and update.edge is not None:
            return True
        traced = history(x)
        while traced is not None:
            if traced.edge is not None:
                return True
            traced = None if traced.base is None else history(traced.base)
        return False

    def write(self, x: ndarray, steps: Sequence[Op], update: Operand) -> None:
        """Write `update` to the view of `x` that `steps` make, and remember where the values come from.

        Raises:
            StateError E543: `x` is a variable, or a view of one.
        """
        arrays = [x]
        while (traced := history(arrays[-1])) is not None and traced.base is not None:
            arrays.append(traced.base)
        self.check_writable(arrays[-1])
        if type(update) is not Traced and not is_content(update):
            update = numpy.asarray(update, x.dtype)
        befores = [self.operand(array) for array in arrays] if steps or len(arrays) > 1 else []
        befores = [Traced(before.data, before.edge, before.storage, before.version) for before in befores]
        part = viewed(content_of(x), steps)
        exclusively(setitem, part, ..., update.data if type(update) is Traced else update)  # NumPy minds overlaps
        storage = x.storage
        storage.recorded = True
        storage.touch()
        new = self._undone(steps, befores[0], update) if steps else update
        for number, array in enumerate(arrays):
            if number:
                child = history(arrays[number - 1])
                assert child is not None
                new = self._undone(child.steps, befores[number], new)
            traced = history(array)
            if traced is None:
                traced = array._traced = Traced(content_of(array), None, storage)
            traced.edge = new.edge if type(new) is Traced else None
            traced.version = storage.version

    def check_writable(self, x: ndarray) -> None:
        """Raise for a variable, which is not written while recording."""
        root = history(x)
        while root is not None and root.base is not None:
            root = history(root.base)
        if root is not None and root.edge is not None and root.edge is root.variable:
            raise variable_written(x.type)

    def _undone(self, steps: Sequence[Op], before: Traced, update: Operand) -> Operand:
        """`before`, changed so that `steps` of it make `update`; only the history: the values are written already."""
        if not steps:
            return update  # a view of all of it
        states = [before]
        for step in steps[:-1]:
            data = viewed(states[-1].data, (step,))
            states.append(Traced(data, self._stepped(states[-1], (step,), data).edge))
        for step, state in zip(reversed(steps), reversed(states), strict=True):
            value = update.data if type(update) is Traced else update
            op: Op
            operands: tuple[Operand, ...]
            values: tuple[Array, ...]
            match step:
                case Slice():
                    op = UpdateSlice(step.starts, step.stops, step.steps)
                    operands, values = (state, update), (state.data, value)
                case Reshape():
                    op, operands, values = Reshape(state.data.shape), (update,), (value,)
                case Transpose():
                    op = Transpose(tuple(int(i) for i in numpy.argsort(step.axes)))
                    operands, values = (update,), (value,)
                case _:
                    raise ArgumentError("E306", "a broadcast view is read-only", help="write to a copy: x.copy()")
            if any(type(x) is Traced and x.edge is not None for x in operands):
                (update,) = self.note(op, operands, values, (state.data,))
            else:
                update = state.data
        return update


_OPERATORS: dict[str, Op] = {"add": Add(), "sub": Sub(), "mul": Mul(), "truediv": Div()}

TAPE = Tape()
"""The one there is."""


def _is_exact(x: Operand) -> bool:
    """Tell whether an operand with a history is of integers or bools."""
    return type(x) is Traced and x.edge is not None and x.data.dtype.kind in "biu"


def _is_tracked(array: ndarray) -> bool:
    """Tell whether an array of integers or bools has a history: its gradient was asked for, or that of one before."""
    traced = history(array)
    while traced is not None and traced.edge is None and traced.base is not None:
        traced = history(traced.base)
    return traced is not None and traced.edge is not None


def viewed(data: Array, steps: Sequence[Op | Strided]) -> Array:
    """The NumPy view that view ops make; a copy where NumPy has no such view."""
    for step in steps:
        match step:
            case Slice():
                stops = (None if stop < 0 else stop for stop in step.stops)
                key: Any = (*map(slice, step.starts, stops, step.steps), ...)
                data = data[key]
            case Reshape():
                data = data.reshape(step.shape)
            case Transpose():
                data = data.transpose(step.axes)
            case Broadcast():
                data = numpy.broadcast_to(data, step.shape)
            case Strided():
                inside = data[tuple(slice(first, None) for first in step.starts)]
                data = numpy.lib.stride_tricks.as_strided(inside, step.shape, step.strides(data.strides))
            case _:
                (data,) = step.eager(data)
    return data


WRITTEN_THROUGH = "values with a history were written to its buffer through another array"
WRITTEN_IN_PAUSE = "it was written while nothing was recorded, after it had been computed while recording"


def unclear(kind: TensorType, why: str) -> StateError:
    """The error for an array whose values and history are not of one another."""
    return StateError(
        "E544",
        f"the gradient of {kind} is ambiguous: {why}",
        help="index or view it again while recording, or make its values constants: x.detach()",
    )


def variable_written(kind: TensorType) -> StateError:
    """The error for a variable that is written while recording."""
    return StateError(
        "E543",
        f"{kind} has a gradient attached, so it cannot be written while its use is recorded",
        help="compute a new array, or write within autograd.pause()",
    )
