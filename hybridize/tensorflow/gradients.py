# SPDX-License-Identifier: Apache-2.0
"""Gradients: a call that a `GradientTape` watches is one node of it, whose backward pass is a compiled program.

Where the pass back is watched itself (a second derivative), or TensorFlow runs it in a graph (`jacobian`), it is that
of the object in TensorFlow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import tensorflow as tf
from numpy.typing import NDArray

from hybridize.base.advice import warn
from hybridize.base.dtypes import is_inexact
from hybridize.base.errors import CaptureError, StateError
from hybridize.base.nested import flatten
from hybridize.formats.tensorflow.draws import GENERATOR
from hybridize.programs.differentiated import Pair, Recorded
from hybridize.tensorflow import internals
from hybridize.tensorflow.internals import elements
from hybridize.tensorflow.memory import as_array, as_tensor
from hybridize.tensorflow.tracing import TracedGraph, plain


class RecordedCalls:
    """Runs the calls of a trace that tapes record.

    Args:
        trace: the trace.
        owner: the function that it is of.
    """

    trace: TracedGraph
    name: Any

    def __init__(self, trace: TracedGraph, owner: Any) -> None:
        options = owner.options
        self.trace, self.name = trace, owner.name
        self.handles: list[Any] = [variable.handle for variable in trace.variables]
        self._has_none = False
        self._recorded = Recorded(
            trace.graph, owner.name, options.backend, options.verify, options.threads, range(trace.results)
        )

    def run(self, tensors: Sequence[Any], contents: Sequence[Any], inputs: Sequence[NDArray[Any]]) -> list[Any] | None:
        """Return the outputs of a call, the results among them as those of a node; None where it has no gradient but
        TensorFlow's, which is warned of once.

        Args:
            tensors: of the call.
            contents: the values of the variables.
            inputs: the elements of both.
        """
        graph = self.trace.graph
        sources = [*tensors, *self.handles]
        wrt = tuple(k for k, one in enumerate(sources)
                    if is_inexact(graph.inputs[k].type.dtype) and internals.records([one]))  # fmt: skip
        if self._has_none:
            return None
        if not self.trace.is_differentiable:
            self._leave("it has a gradient of tf.custom_gradient that is no function of tensors")
            return None
        try:
            pair = self._recorded.pair(wrt, inputs)
        except StateError as error:
            if error.code != "E521":
                raise
            self._leave(f"{error.what}, at {error.loc}")
            return None
        values = pair.forward.run(inputs)
        outputs = [as_tensor(value) for value in values[: len(graph.outputs)]]
        linked = [k for k in range(self.trace.results) if is_inexact(graph.outputs[k].type.dtype)]
        if pair.halves.linked:  # all of them are, then, as those of a `tf.function`
            node = _Node(self, pair, tensors, contents, outputs, values[len(graph.outputs) :], linked)
            internals.record(self.name, [outputs[k] for k in linked], sources, node)
        return outputs

    def _leave(self, why: str) -> None:
        self._has_none = True
        warn(f"{self.name}: calls that a tape watches run in TensorFlow, as {why}")

    def publicly(self, tensors: Sequence[Any], contents: Sequence[Any], outputs: Sequence[Any]) -> list[Any]:
        """Return the outputs of a call, the results among them as those of a node whose backward pass is TensorFlow's:
        by public names alone.
        """
        trace = self.trace
        linked = [k for k in range(trace.results) if is_inexact(trace.graph.outputs[k].type.dtype)]
        node = _Original(self, tensors, contents, linked)

        def forward(*tensors: Any) -> Any:
            for variable in trace.sensitive:
                variable.read_value()  # so that tapes watch it

            def backward(*cotangents: Any, variables: Sequence[Any] = ()) -> Any:
                gradients = node(*cotangents)
                known = dict(zip(map(id, trace.variables), gradients[len(tensors) :], strict=True))
                own = gradients[: len(tensors)]
                return (own, [known.get(id(one)) for one in variables]) if variables else own

            return [outputs[k] for k in linked], backward

        results = dict(zip(linked, tf.custom_gradient(forward)(*tensors), strict=True)) if linked else {}
        return [results.get(k, output) for k, output in enumerate(outputs)]


class _Original:
    """The backward pass of one call as TensorFlow computes it of the object, which can be differentiated itself.

    What it keeps are tensors: TensorFlow writes into no memory that one of them is over.
    """

    def __init__(
        self, of: RecordedCalls, tensors: Sequence[Any], contents: Sequence[Any], linked: Sequence[int]
    ) -> None:
        self._of, self._linked = of, linked
        self._tensors, self._contents = tensors, contents
        self._inputs = [*tensors, *contents]

    def __call__(self, *cotangents: Any) -> list[Any]:
        """Return the gradients of the inputs, None where there is none.

        Variables that the call has assigned, the state of random numbers among them, are meanwhile as it found them.

        Raises:
            StateError E542: a variable was assigned since the call.
            CaptureError E420: the call drew random numbers that TensorFlow cannot draw again.
        """
        trace = self._of.trace
        if GENERATOR in trace.names:
            raise CaptureError(
                "E420", f"{self._of.name} draws random numbers without a seed: it has no derivatives but the first",
                help="draw them by tf.random.stateless_uniform or stateless_normal",
            )  # fmt: skip
        with tf.init_scope():
            now = internals.values(self._of.handles, [variable.dtype for variable in trace.variables])
            written = [variable.read_value() for variable in trace.written]
        for variable, before, after in zip(trace.variables, self._contents, now, strict=True):
            if not any(variable is one for one in trace.written) and not _is_same(before, after):
                raise StateError(
                    "E542", f"the variable {variable.name} of {self._of.name} was assigned after it was recorded",
                    help="compute the gradient before the assignment",
                )  # fmt: skip
        for name, contents in zip(trace.names, self._contents, strict=True):
            if name in trace.written_names:
                trace.written[trace.written_names.index(name)].assign(contents)
        with tf.GradientTape() as tape:
            for one in self._tensors:
                tape.watch(one)
            results, _ = flatten(plain(trace.original(*self._tensors)))
        for variable, value in zip(trace.written, written, strict=True):
            variable.assign(value)
        sources = [*self._tensors, *trace.variables]
        wanted = [k for k, one in enumerate(self._inputs) if is_inexact(trace.graph.inputs[k].type.dtype)]
        pulled = tape.gradient([results[k] for k in self._linked], [sources[k] for k in wanted], list(cotangents))
        gradients: list[Any] = [None] * len(sources)
        for k, gradient in zip(wanted, pulled, strict=True):
            gradients[k] = gradient
        return gradients


class _Node(_Original):
    """The backward pass of one call: a program, or TensorFlow's where somebody differentiates that."""

    def __init__(
        self, of: RecordedCalls, pair: Pair, tensors: Sequence[Any], contents: Sequence[Any], outputs: Sequence[Any],
        residuals: Sequence[NDArray[Any]], linked: Sequence[int],
    ) -> None:  # fmt: skip
        super().__init__(of, tensors, contents, linked)
        self._pair, self._residuals = pair, residuals
        self._outputs = {k: outputs[k] for k in pair.halves.outputs}

    def __call__(self, *cotangents: Any) -> list[Any]:
        """Return the gradients of the inputs, None where there is none."""
        is_graph = not tf.executing_eagerly() or any(type(one) is not internals.EAGER for one in cotangents)
        if is_graph or internals.records([*cotangents, *self._inputs, *self._of.handles]):
            return super().__call__(*cotangents)
        halves = self._pair.halves
        arrived = dict(zip(self._linked, cotangents, strict=True))
        arrays = [as_array(self._inputs[k]) for k in halves.inputs]
        arrays += [as_array(self._outputs[k]) for k in halves.outputs]
        arrays += [*self._residuals, *self._pair.dims(self._inputs)]
        for k in halves.cotangents:
            value = self._of.trace.graph.outputs[k].type
            present = as_array(arrived[k]) if k in arrived else numpy.zeros(value.shape, value.dtype)
            arrays.append(present)
        results = self._pair.back(arrays, [True] * len(self._of.trace.graph.outputs))
        gradients: list[Any] = [None] * len(self._inputs)
        for number, gradient in zip(halves.gradients, results, strict=True):
            gradients[number] = as_tensor(gradient)
        return gradients


def _is_same(x: Any, y: Any) -> bool:
    """Tell whether a variable was not written between two looks: it moves when it is, while somebody keeps a tensor."""
    one, other = elements(x), elements(y)
    if type(one) is not numpy.ndarray:
        return bool(one.tobytes() == other.tobytes())
    return bool(one.ctypes.data == other.ctypes.data or not one.size)
