# SPDX-License-Identifier: Apache-2.0
"""A compiled function while a tape records: one compiled program forward, one back, and one node between them.

The two are made for what is to be differentiated at a call, weights alone or the arguments too, when that first comes.
A recorded pass back, for second derivatives, runs the graph's gradient rules on the tape instead.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from hybridize.array.buffer import at_host, content_of, is_away, pending_view, row_by_row
from hybridize.array.device import AWAY
from hybridize.array.ndarray import history, ndarray, view
from hybridize.array.operands import operand
from hybridize.array.placing import on_device
from hybridize.array.traced import Traced
from hybridize.autograd import tape
from hybridize.autograd.nodes import unowned
from hybridize.autograd.tape import TAPE
from hybridize.base.access import ACCESS
from hybridize.base.dims import SizeSymbol
from hybridize.base.dtypes import is_inexact
from hybridize.base.errors import StateError
from hybridize.base.frozen import frozen
from hybridize.base.loading import LOADING
from hybridize.base.types import Shape
from hybridize.graph import Graph, bound, with_sizes
from hybridize.ops import StopGradient
from hybridize.ops.gradient import pullback
from hybridize.ops.op import Op, Operand, taped, taping
from hybridize.programs.backends import Backend, Evaluation, Machine, Making, Memory, Verifying
from hybridize.system.interruptions import let_through

if TYPE_CHECKING:
    from hybridize.autograd.split import Halves

LIMIT = 16
"""Pairs of programs that are kept for one captured function; the oldest goes first."""

Sizes = tuple[tuple[SizeSymbol, int], ...]


@frozen(eq=False)
class Pair:
    """The programs of both directions."""

    halves: Halves
    forward: Backend
    backward: Backend
    compiled: Callable[[Graph], Backend]
    """Compiles another backward pass."""
    partial: dict[tuple[frozenset[int], Sizes | None], Backend]
    """Backward passes for some of the cotangents, and for some sizes; filled as they are asked for."""

    def back(self, inputs: Sequence[NDArray[Any]], arrived: Sequence[bool]) -> list[NDArray[Any]]:
        """Return the gradients for the inputs of the backward pass.

        Args:
            inputs: zeros for cotangents that have not arrived.
            arrived: by the numbers of outputs, whether there is a cotangent.
        """
        absent = frozenset([k for k in self.halves.cotangents if not arrived[k]])
        if not absent and self.halves.backward.scope is None:
            return self.backward.run(inputs)
        shapes = [x.shape for x in inputs]
        program = self._backward(absent, None)
        if not program.accepts(shapes):
            sizes = bound(self.halves.backward, shapes)
            assert sizes is not None
            program = self._backward(absent, tuple(sizes.items()))
        return program.run(inputs)

    def _backward(self, absent: frozenset[int], sizes: Sizes | None) -> Backend:
        """Return the backward pass for the cotangents of all outputs but some, for some sizes or for any."""
        if not absent and sizes is None:
            return self.backward
        if (absent, sizes) not in self.partial:
            graph = self.halves.backward
            first = len(graph.inputs) - len(self.halves.cotangents)
            places = {k: first + place for place, k in enumerate(self.halves.cotangents)}
            if sizes is not None:
                graph = with_sizes(graph, dict(sizes))
            if absent:
                with LOADING:
                    from hybridize.autograd.absent import without  # late: most calls use all that they get

                present = [place for k, place in places.items() if k not in absent]
                graph = without(graph, [places[k] for k in absent], present)
            self.partial[absent, sizes] = self.compiled(graph)
        return self.partial[absent, sizes]

    def dims(self, inputs: Sequence[Any]) -> list[NDArray[Any]]:
        """Return the arrays without elements that tell the backward program sizes which nothing else tells.

        Args:
            inputs: all inputs of the graph; their shapes are read.
        """
        if not self.halves.sizes:
            return []
        sizes = bound(self.halves.forward, [numpy.shape(x) for x in inputs])
        assert sizes is not None  # it runs forward
        return [numpy.empty((sizes[symbol], 0), bool) for symbol in self.halves.sizes]


class Recorded:
    """Runs a captured graph forward and back; alone, it is a backend that runs it forward.

    Args:
        graph: as captured.
        name: of the program.
        backend: `llvm` or `numpy`.
        verify: False, `outputs` or `ops`.
        threads: at most so many for a call.
        of: numbers of the outputs that are differentiated; all floats where it is not given.
        make: compiles the programs of both directions.
        forward: compiles those that run forward, if others do.
    """

    def __init__(
        self, graph: Graph, name: str, backend: str, verify: Any, threads: int | None,
        of: Sequence[int] | None = None, make: Making = Machine, forward: Making | None = None,
    ) -> None:  # fmt: skip
        self.graph = graph
        self.name = backend
        self._name = name
        self._verify = verify
        self._threads = threads
        self._of = of
        self._compile = make
        self._forward = forward or make
        self._pairs: dict[tuple[tuple[int, ...], Sizes | None], Pair | None] = {}
        self._opened: dict[int, tuple[Recorded, frozenset[int]]] = {}

    def _make(self, graph: Graph, name: str, compile: Making | None = None) -> Backend:
        compile = compile or self._compile
        if self.name == "numpy":
            return Evaluation(graph)
        if self._verify:
            return Verifying(graph, name, self._verify == "ops", self._threads, compile)
        return compile(graph, name, self._threads)

    # ------------------------------------------------------------------------------------------------ a backend

    def run(self, inputs: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """Outputs for inputs; nothing is remembered."""
        return self.pair((), inputs).forward.run(inputs)

    def accepts(self, shapes: Sequence[Shape]) -> bool:
        """Always: what does not hold for all sizes is compiled for these."""
        return True

    @property
    def _alone(self) -> Backend:
        pair = self._pair_of(((), None), self.graph)
        return pair.forward if pair is not None else self._make(with_sizes(self.graph), self._name, self._forward)

    @property
    def optimized(self) -> Graph:
        """The graph after all passes."""
        return self._alone.optimized

    @property
    def kernels(self) -> tuple[Any, ...]:
        """The kernels that run forward."""
        return self._alone.kernels

    @property
    def fallbacks(self) -> tuple[str, ...]:
        """Those of the program that runs forward."""
        return self._alone.fallbacks

    @property
    def memory(self) -> Memory:
        """Memory of one call that is not differentiated."""
        return self._alone.memory

    # ------------------------------------------------------------------------------------------------- the tape

    def taped(
        self, sources: Sequence[Any], arrays: Sequence[Any], buffers: Sequence[Any], outputs_by_place: dict[Any, Any]
    ) -> tuple[list[NDArray[Any]], Collection[int]]:
        """The outputs for inputs that are arrays and numbers, and numbers of those that the tape has, too.

        Args:
            sources: where the inputs come from, and which of them are written.
            arrays: the inputs.
            buffers: their values.
            outputs_by_place: takes the arrays of the outputs, which have a history.

        Raises:
            StateError E543: what has a gradient attached is written.
        """
        operands = [
            operand(x) if isinstance(x, ndarray) and (is_inexact(x.dtype) or history(x) is not None) else x
            for x in arrays
        ]
        wrt = tuple(k for k, x in enumerate(operands) if type(x) is Traced and x.edge is not None)
        for source, array in zip(sources, arrays, strict=True):
            if source.written >= 0 and is_inexact(array.dtype):
                TAPE.check_writable(array)
        pair = self.pair(wrt, buffers)
        halves = pair.halves
        arrays = [  # as they are now, where the call will write what a pass back may read
            on_device(buffer.copy()) if halves.gradients and source.written >= 0 and number in halves.needed else array
            for number, (source, array, buffer) in enumerate(zip(sources, arrays, buffers, strict=True))
        ]
        results = pair.forward.run(buffers)
        count = len(self.graph.outputs)
        outputs = [on_device(y) for y in results[:count]]
        if halves.gradients:
            residuals = [arrays[k] for k in halves.inputs if isinstance(arrays[k], ndarray)]
            residuals += [outputs[k] for k in halves.outputs]
            traced = TAPE.by_rule(Rule(self, pair, arrays, outputs, results[count:]), operands, outputs, residuals)
            outputs = [traced[k] if k in halves.linked else plain for k, plain in enumerate(outputs)]
        outputs_by_place.update(((number, ()), output) for number, output in enumerate(outputs))
        return results[:count], {*halves.outputs, *halves.linked} if halves.gradients else ()

    def remember(self, sources: Sequence[Any], arrays: Sequence[Any], outputs_by_place: Mapping[Any, Any]) -> None:
        """Give arrays that were written the histories of what was written to them, as if it was imperatively."""
        for source, array in zip(sources, arrays, strict=True):
            if source.written >= 0 and is_inexact(array.dtype):
                update = operand(outputs_by_place[source.written, ()])
                if TAPE.concerns(array, update):
                    TAPE.write(array, (), update)

    def opened(self, output: int) -> tuple[Recorded, frozenset[int]]:
        """The graph with an output for its last input, and the numbers of the outputs that are computed of that."""
        pair = self._opened.get(output)
        if pair is None:
            with LOADING:
                from hybridize.autograd import split  # late: who does not train does without it

            graph = split.opened(self.graph, output)
            behind = split.behind_outputs(graph, [len(graph.inputs) - 1])
            outputs = frozenset(number for number, inputs in enumerate(behind) if inputs)
            recorded = Recorded(
                graph, self._name, self.name, self._verify, self._threads, sorted(outputs), self._compile
            )
            pair = self._opened[output] = recorded, outputs
        return pair

    def pair(self, wrt: tuple[int, ...], data: Sequence[Any]) -> Pair:
        """The programs for a call with these inputs, whose gradients with respect to the inputs `wrt` are wanted."""
        if self.graph.scope is not None:
            shapes = [numpy.shape(x) for x in data]
            pair = self._pair_of((wrt, None), self.graph)
            if pair is not None and pair.forward.accepts(shapes):
                return pair
            sizes = bound(self.graph, shapes)
            assert sizes is not None  # who calls has asked
            pair = self._pair_of((wrt, tuple(sizes.items())), with_sizes(self.graph, sizes))
        else:
            pair = self._pair_of((wrt, None), self.graph)
        assert pair is not None
        return pair

    def _pair_of(self, key: tuple[tuple[int, ...], Sizes | None], graph: Graph) -> Pair | None:
        """The pair of a key; None where there is none for all sizes."""
        if key in self._pairs:
            return self._pairs[key]
        with taped(None):
            pair = self._compiled(key[0], graph)
        self._pairs[key] = pair
        while len(self._pairs) > LIMIT:
            del self._pairs[next(iter(self._pairs))]
        return pair

    def _compiled(self, wrt: tuple[int, ...], graph: Graph) -> Pair | None:
        with LOADING:
            from hybridize.autograd.split import split  # late: who does not train does without it

        try:
            halves = split(graph, wrt, self._of)
            forward = self._make(halves.forward, self._name, self._forward)
            compiled = partial(self._make, name=f"{self._name}.backward")
            return Pair(halves, forward, compiled(halves.backward), compiled, {})
        except Exception as error:
            let_through(error)
            if graph.scope is None:
                raise
            with LOADING:
                import logging  # late: it takes milliseconds to load, and this seldom happens

            log = logging.getLogger(__name__)
            log.debug("%s has no gradient for any size: %s", self._name, error, exc_info=True)
            return None


def viewed(array: ndarray, steps: Sequence[Op]) -> ndarray:
    """The view of an array that view ops make, with a history where a tape records, if it is not detached."""
    detached = any(type(step) is StopGradient for step in steps)
    if taping() is not None and not detached:
        return TAPE.view(array, steps)
    data = tape.viewed(pending_view(array), steps)
    if ACCESS.queue is not None and not numpy.may_share_memory(data, pending_view(array)):
        data = tape.viewed(content_of(array), steps)  # a copy: it waits for the elements
    same = view(array, data)
    if detached and history(array) is not None:
        same._traced = Traced(data, None, same.storage)
    return same


class Rule:
    """The rule of the node of one call."""

    takes_absent = True
    """As `Op.takes_absent`."""

    def __init__(
        self, recorded: Recorded, pair: Pair, arrays: Sequence[Any], outputs: Sequence[ndarray],
        residuals: Sequence[NDArray[Any]],
    ) -> None:  # fmt: skip
        self._recorded = recorded
        self._pair = pair
        self._arrays: list[Any] = [content_of(x) if isinstance(x, ndarray) else x for x in arrays]
        self._storages = [(x.storage, x.storage.version) if isinstance(x, ndarray) else None for x in arrays]
        self._outputs = [content_of(outputs[k]) for k in pair.halves.outputs]
        self._residuals = list(residuals)

    @property
    def name(self) -> str:
        """The function's."""
        return self._recorded._name

    def behind(self, output: int) -> frozenset[int]:
        """Return the numbers of the operands that an output depends on; another output's gradient goes elsewhere."""
        return self._pair.halves.behind[output]

    def release(self) -> None:
        """Let go of what is kept."""
        self._arrays, self._outputs, self._residuals, self._storages = [], [], [], []

    def vjp(self, g: tuple[Operand | None, ...], y: tuple[Operand, ...], *xs: Operand) -> tuple[Operand | None, ...]:
        """By the compiled program, or on the tape where this is recorded too."""
        if taping() is not None:
            return self._on_tape(g, xs)
        halves = self._pair.halves
        arrived = [one is not None for one in g]
        g = tuple([numpy.zeros(y[k].shape, y[k].dtype) if one is None else one for k, one in enumerate(g)])
        inputs = [
            *(self._arrays[k] for k in halves.inputs), *self._outputs, *self._residuals, *self._pair.dims(self._arrays),
            *(row_by_row(g[k]) for k in halves.cotangents),
        ]  # fmt: skip
        results = self._pair.back(inputs, arrived)
        gradients: list[Operand | None] = [None] * len(xs)
        for number, gradient in zip(halves.gradients, results, strict=True):
            # What came to a device with the call is at the host, and so is its gradient.
            gradients[number] = gradient if not AWAY or is_away(self._arrays[number]) else at_host(gradient)
        return tuple(gradients)

    def at_output(self, output: int, edge: Any, g: Sequence[Operand | None], xs: Sequence[Operand]) -> Operand | None:
        """The cotangent of an output that was asked for: its own, and what arrives by outputs computed of it.

        Args:
            output: its number.
            edge: where its history begins, for a pass that is recorded.
            g: the cotangents of all outputs, None where none has arrived.
            xs: the operands.
        """
        recorded, later = self._recorded.opened(output)
        if all(number == output or g[number] is None for number in later):
            return g[output]
        self._check_unwritten()
        values = self._pair.forward.run(self._arrays)
        if taping() is not None:
            inputs = [*self._traced(xs), unowned(values[output], edge)]
            return self._pulled(recorded.graph, inputs, g)[-1]
        whole = [
            numpy.zeros(value.shape, value.dtype) if one is None else one for one, value in zip(g, values, strict=False)
        ]
        data = [*self._arrays, values[output]]
        pair = recorded.pair((len(self._arrays),), data)
        results = pair.forward.run(data)
        halves = pair.halves
        arguments = [
            *(data[k] for k in halves.inputs), *(results[k] for k in halves.outputs),
            *results[len(recorded.graph.outputs) :], *pair.dims(data),
            *(row_by_row(whole[k]) for k in halves.cotangents),
        ]  # fmt: skip
        (gradient,) = pair.back(arguments, [one is not None for one in g])
        return gradient

    def _check_unwritten(self) -> None:
        """Raise where an operand is not any more what was computed with."""
        for number, storage in enumerate(self._storages):
            needed = number in self._pair.halves.needed  # not so what a call only writes, as running statistics
            if needed and storage is not None and storage[0].version != storage[1]:
                raise StateError(
                    "E542", f"an argument of {self.name} was overwritten after it was recorded",
                    help="write to a copy, or call backward before the write",
                )  # fmt: skip

    def _traced(self, xs: Sequence[Operand]) -> list[Operand]:
        """The operands with their values and histories."""
        edges = [x.edge if type(x) is Traced else None for x in xs]
        return [
            data if edge is None else unowned(data, edge, *(storage or (None, 0)))
            for edge, data, storage in zip(edges, self._arrays, self._storages, strict=True)
        ]

    def _on_tape(self, g: Sequence[Operand | None], xs: Sequence[Operand]) -> tuple[Operand | None, ...]:
        self._check_unwritten()
        return self._pulled(self._recorded.graph, self._traced(xs), g)

    @staticmethod
    def _pulled(graph: Graph, inputs: Sequence[Operand], g: Sequence[Operand | None]) -> tuple[Operand | None, ...]:
        """The cotangents of a graph's inputs, computed on the tape."""
        if graph.scope is not None:
            graph = with_sizes(graph, bound(graph, [TAPE.type_of(x).shape for x in inputs]))
        wrt = [number for number, x in enumerate(inputs) if type(x) is Traced and x.edge is not None]
        return pullback(graph, inputs, g, wrt)
