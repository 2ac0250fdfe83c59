# SPDX-License-Identifier: Apache-2.0
"""`Site`: the calls of one program: tensors in, variables read, the program, variables assigned, tensors out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.base.nested import unflatten
from hybridize.programs import Program
from hybridize.runtime.entry import Watch
from hybridize.tensorflow import internals, places
from hybridize.tensorflow.exchange import exchange, modes
from hybridize.tensorflow.gradients import RecordedCalls
from hybridize.tensorflow.internals import elements
from hybridize.tensorflow.memory import as_tensor
from hybridize.tensorflow.tracing import TracedGraph

_FEW: Final = 2
_SOME: Final = 8
_MANY: Final = 128
"""Calls that Python finds the program for before an entry is made, as many are called once: without variables, and with
some. Each time it takes twice as many, at most the last: what an entry holds is copied by TensorFlow's next write."""


class Site:
    """Runs the calls of a program.

    Args:
        program: compiled.
        trace: that it is of.
        owner: the function.
    """

    def __init__(self, program: Program, trace: TracedGraph, owner: Any) -> None:
        self._trace, self._owner, self._program = trace, owner, program
        self._run: Callable[..., Sequence[NDArray[Any]]] = self._first
        self._handles = [variable.handle for variable in trace.variables]
        self._dtypes = [variable.dtype for variable in trace.variables]
        self._assigned = [variable.handle for variable in trace.written]
        self._count = trace.results
        self._is_one = trace.structure.kind == "leaf"
        self._is_all = self._is_one and not trace.written
        """True if a call gives one tensor, and that is all."""
        self._calls, self._wait = 0, _SOME if self._handles else _FEW
        self._watched: list[Watch] = []
        """Words that the entry looks at to see that no variable was written."""
        self._has_numbers = any(value.type.ndim == 0 for value in trace.graph.inputs)
        self._recording = RecordedCalls(trace, owner)

    def is_due(self) -> bool:
        """Count a call that has no entry, and tell whether one is to be made."""
        self._calls += 1
        return self._calls >= self._wait

    def holds(self) -> bool:
        """Tell whether no variable was written since the entry was made. Else it holds what is of no use."""
        return places.hold(self._watched)

    def entry(self, fallback: Callable[..., Any], watches: Sequence[Watch]) -> Callable[..., Any] | None:
        """Return a callable for calls of this program, which gives all others to `fallback`; None without one.

        Args:
            fallback: gets the others.
            watches: what must be as it is.
        """
        self._calls, self._wait, self._watched = 0, min(2 * self._wait, _MANY), []
        library = exchange() if internals.RECORDS else None
        if library is None or self._assigned or not self._program.is_plain:
            return None
        bound: list[NDArray[Any]] = []
        watched: list[Watch] = []
        if self._handles:
            bound = places.read(self._handles, self._dtypes)
            words = places.watches(self._handles, bound)
            if words is None:
                return None
            watched = words
        ordered = modes(is_ordered=bool(self._handles))
        finish: Any = "leaf" if self._is_all else self._finished
        entry = self._program.entry_over(bound, fallback, library, [*ordered, *watches, *watched], finish)
        self._watched = watched
        return entry

    def call(self, tensors: Sequence[Any], arrays: Sequence[Any]) -> Any:
        """Return the result of a call.

        Args:
            tensors: its tensors.
            arrays: their elements.
        """
        trace = self._trace
        contents = internals.values(self._handles, self._dtypes)
        inputs = [*arrays, *map(elements, contents)]
        if self._has_numbers:  # TensorFlow shows an array without axes as one
            inputs = [*map(numpy.asarray, inputs)]
        if not internals.RECORDS:
            results = [*map(as_tensor, self._run(*inputs))]
            return self._finished(self._recording.publicly(tensors, contents, results))
        if internals.could_record():
            for variable in trace.sensitive:
                internals.accessed(variable)
            sources = [*tensors, *self._handles]
            if internals.has_tangents(sources):
                return trace.original(*tensors)
            if internals.records(sources):
                recorded = self._recording.run(tensors, contents, inputs)
                return trace.original(*tensors) if recorded is None else self._finished(recorded)
        outputs = self._run(*inputs)
        return as_tensor(outputs[0]) if self._is_all else self._finished([*map(as_tensor, outputs)])

    def _first(self, *inputs: NDArray[Any]) -> Sequence[NDArray[Any]]:
        """Run the program for the first time; later calls go by its entry: many are called once."""
        program = self._program
        self._run = program.on_lines() or (lambda *inputs: program.run_inputs(inputs))
        return program.run_inputs(inputs)

    def _finished(self, outputs: Sequence[Any]) -> Any:
        """Assign what is assigned, and make the result."""
        for handle, value in zip(self._assigned, outputs[self._count :], strict=True):
            internals.assign(handle, value)
        return outputs[0] if self._is_one else unflatten(self._trace.structure, list(outputs[: self._count]))
