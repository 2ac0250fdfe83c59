# SPDX-License-Identifier: Apache-2.0
"""Asynchronous calls of programs (`array.pending`): what is done at once, and what is left to the queue.

At once: what the call reads is settled, numbers that change with each call (a learning rate) are computed and copied,
memory for results is made, objects are changed as the function changes them, and the result is returned, its arrays
pending. Later, in the order of the calls: the machine code, and the writing of state.

Calls that cannot be taken apart so wait for all that came before them, and run at once: those that are recorded by a
tape, that give Python numbers, print, call Python, end with an exception, or write memory that others see.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from numpy.typing import NDArray

from hybridize.array.buffer import is_exposed, pending_view
from hybridize.array.ndarray import ndarray, written
from hybridize.array.pending import QUEUE, Job
from hybridize.array.traced import Variable
from hybridize.base import modes
from hybridize.base.locations import user_location
from hybridize.base.nested import flatten_call
from hybridize.base.types import TensorType
from hybridize.contract import captured as captures
from hybridize.contract.call import Call
from hybridize.contract.feeds import FeedStates
from hybridize.graph import Graph, nodes_inside
from hybridize.ops import Assert
from hybridize.ops.op import Effect, effect_of, taping
from hybridize.programs.failures import locate
from hybridize.programs.packed import PackedMachine
from hybridize.runtime.buffers import uninitialized

Views = dict[tuple[int, Any], ndarray]
"""Arrays of the result by their output and the view of it."""


class Queueable(Protocol):
    """A program, as far as its calls are taken apart here."""

    capture: captures.Captured
    writes: bool

    @property
    def queued_machine(self) -> PackedMachine | None:
        """The machine code whose calls can run later; None where they cannot."""

    @property
    def updates(self) -> Mapping[int, int]:
        """The outputs that are nothing but the new value of an array that is there before the call, by its input."""

    def run_now(self, call: Call) -> Any:
        """Run a call, and return when it is done."""

    def array(self, source: captures.Source, kind: TensorType, call: Call) -> Any:
        """Return what an input of a call is given."""

    def leaf(self, result: captures.Result, arrays: Sequence[Any], outputs: Any, views: Views) -> Any:
        """Return a leaf of the result of a call."""

    def finished(self, call: Call, leaf: Callable[[captures.Result], Any], outputs: Any, views: Views) -> Any:
        """Do what the function does to objects outside, and return its result."""


_LATER: Final = ("array", "view", "constant", "container")
"""Kinds of results that are there before the elements of arrays are."""


def called(program: Queueable, call: Call) -> Any:
    """Call a program that is right for a call: now, where that cannot wait."""
    if QUEUE.is_mine or QUEUE.is_worker:
        return program.run_now(call)  # Python that a program calls
    machine = program.queued_machine
    if machine is not None and _can_wait(program, call):
        QUEUE.make_room()
        for result in _Call(program, call, machine).begin():
            return result
    with QUEUE.turn():
        return program.run_now(call)


def can_be_queued(captured: captures.Captured) -> bool:
    """Tell whether calls of a program can run later, as far as that is the same for all of them."""
    if captured.raises is not None:
        return False
    if any(result.kind not in _LATER for result in captured.results):
        return False
    containers = [result for result in captured.results if result.kind == "container"]
    if any(
        isinstance(one, captures.FormattedText) or (isinstance(one, captures.Output) and one.weak is not None)
        for one in captured.stand_ins
    ):
        return False
    if any(
        map(
            _shows,
            [*(one for effect in captured.effects for one in effect.operands), *(one.value for one in containers)],
        )
    ):
        return False
    if any(source.lost is not None for source in captured.sources):
        return False
    return not acts(captured.graph)


def _shows(data: Any) -> bool:
    """Tell whether something in an argument of an effect is made for another library, which looks at elements."""
    if isinstance(data, (captures.BuiltContainer, captures.BuiltObject)):
        data = data.content
    return isinstance(data, captures.Faced) or (isinstance(data, (tuple, frozenset)) and any(map(_shows, data)))


def acts(graph: Graph, *, asserting: bool = False) -> bool:
    """Tell whether a program prints, or calls Python; or `asserting`, too: assertions can be raised later."""
    nodes = [one for node in graph.nodes for one in (node, *nodes_inside(node.op))]
    return any(
        effect_of(node.op) is not Effect.PURE and (asserting or not isinstance(node.op, Assert))
        for node in nodes
        if not node.op.graphs
    )


def _can_wait(program: Queueable, call: Call) -> bool:
    """Tell whether a call can run later: no tape records it, and it writes no memory that somebody else sees."""
    if modes.THREAD.recomputing or taping() is not None:
        return False
    users = _users(call) if program.capture.writes_arguments else ()
    for source in program.capture.sources:
        if source.written >= 0:
            array = call.leaves[source.position] if source.array is None else source.array
            if source.position in users or is_exposed(array):
                return False
    return True


def _users(call: Call) -> Collection[int]:
    """Return the positions of the arguments that are arrays of other classes than ours, over memory of the user's."""
    if call.originals is None:
        return range(len(call.leaves))
    leaves, _ = flatten_call(*call.originals)
    pairs = enumerate(zip(leaves, call.leaves, strict=True))
    return {position for position, (leaf, one) in pairs if leaf is not one}


class _Call:
    """One call, begun now and run later."""

    def __init__(self, program: Queueable, call: Call, machine: PackedMachine) -> None:
        self._program, self._call, self._machine = program, call, machine
        self._feed_states: FeedStates = []
        self._fresh: list[tuple[Variable, bool]] = []
        """Variables whose gradients it writes, and whether these were fresh before."""
        self._arrays: list[Any] = []
        """For each input what it is given, as the call has it."""
        self._buffers: list[NDArray[Any]] = []
        """The same as the program reads it."""
        self._outputs: dict[int, NDArray[Any]] = {}
        """Those that the result is made of, and whatever else is no more than a new value of state."""

    def begin(self) -> tuple[Any, ...]:
        """Begin the call; its result, alone in a tuple, or none where calls are not asynchronous any more."""
        program, captured = self._program, self._program.capture
        job = None
        with captured.transaction.lock(program.writes):
            try:
                self._settle()
                candidate = self._job()
                if QUEUE.put(candidate):
                    job = candidate
            finally:
                if job is None:
                    self._undo()
            if job is None:
                return ()
            self._touch()
        arrays: Views = {}
        try:
            result = program.finished(
                self._call,
                lambda one: program.leaf(one, self._arrays, self._outputs, arrays),
                self._outputs,
                arrays,
            )
        finally:
            QUEUE.hand_out(job, arrays.values())
        return (result,)

    def _settle(self) -> None:
        """Take what the call reads, as it is now."""
        captured = self._program.capture
        captured.transaction.start(self._feed_states)
        self._fresh = [(variable, variable.fresh) for variable in captured.transaction.fresh]
        captured.transaction.commit()
        users = _users(self._call)
        for source, value in zip(captured.sources, captured.graph.inputs, strict=True):
            array = self._program.array(source, value.type, self._call)
            self._arrays.append(array)
            if not isinstance(array, ndarray):
                self._buffers.append(array)
                continue
            data = pending_view(array)
            is_seen = source.position in users or is_exposed(array)
            self._buffers.append(data.copy("K") if is_seen and source.written < 0 else data)
        sizes = self._machine.executable.sizes
        bound = sizes.checked([data.shape for data in self._buffers])
        sizes.scratch_bytes(bound)  # refuses what is more than any machine has
        types = sizes.types(bound)
        state = self._program.updates
        self._outputs = {
            number: uninitialized(type_.shape, type_.dtype) for number, type_ in enumerate(types) if number not in state
        }

    def _job(self) -> Job:
        written = [data for data, _, _ in self._written()]
        return Job(
            self._run, self._undo, self._buffers, [*self._outputs.values(), *written], alone=bool(written),
            line=user_location(),
        )  # fmt: skip

    def _written(self) -> Iterator[tuple[NDArray[Any], ndarray, int]]:
        """List the memory of arrays that the program writes, the arrays, and the outputs that are written to them."""
        for source, array, data in zip(self._program.capture.sources, self._arrays, self._buffers, strict=True):
            if source.written >= 0:
                yield data, array, source.written

    def _touch(self) -> None:
        for _, array, _ in self._written():
            written(array)

    def _run(self) -> None:
        captured = self._program.capture
        try:
            outputs = self._machine.update(self._buffers, self._outputs)
            for data, _, number in self._written():
                if outputs[number] is not data:
                    data[...] = outputs[number]
        except BaseException as error:
            locate(error, captured.graph, captured.caller)
            raise
        finally:
            self._touch()  # again: who has copied the state meanwhile has copied what was before

    def _undo(self) -> None:
        """Take back what the call has begun: it does not take place."""
        for variable, fresh in self._fresh:
            variable.fresh = fresh
        self._program.capture.transaction.rollback(self._feed_states)
