# SPDX-License-Identifier: Apache-2.0
"""Nodes of a tape: one operation that was computed while recording, and what its gradient rule will need.

Edges lead from a node to the nodes that made its inputs, never back, so a tape is held by its newest arrays alone:
when they go, it goes, without a cycle for the collector. Values that the rule does not read are not kept; what the rule
reads is found once for each op, by recording the rule as a graph.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from types import CodeType, FrameType
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.array.storage import Storage
from hybridize.array.traced import RELEASED, Release, Traced, Variable
from hybridize.base.errors import StateError
from hybridize.base.locations import SourceLoc, is_users
from hybridize.base.types import TensorType
from hybridize.graph import needed
from hybridize.ops import GraphTracer
from hybridize.ops.complexes import pulled_back
from hybridize.ops.op import OfComplex, Op, Operand, interpreting

Edge = Any
"""(node, number of the output), a `Variable`, or None: a constant."""
Mask = tuple[bool, ...]

_numbers = itertools.count(1)  # 0 is the number of `LostHistory`


def number_of_next() -> int:
    """A number that is above those of all nodes there are, and below those of all that will be made."""
    return next(_numbers)


_NOTHING: tuple[Mask, Mask] = ((False, False), (False,))
_reads: dict[Any, tuple[Mask, Mask]] = {}
_LIMIT = 4096


class TapeNode:
    """One recorded operation."""

    __slots__ = (
        "__weakref__", "_code", "_guards", "_last", "constants", "edges", "freed", "live", "number", "private",
        "retained", "rule", "xs", "ys",
    )  # fmt: skip

    def __init__(
        self, rule: Any, operands: Sequence[Operand], inputs: Sequence[Any], outputs: Sequence[Any], reads: Any
    ) -> None:
        """A node for outputs that `rule` computed of operands whose values are `inputs`."""
        self.rule: Any = rule
        self.number: int = next(_numbers)
        """Later than those of all nodes that it has edges to."""
        self.edges: tuple[Edge, ...] | None = tuple([x.edge if type(x) is Traced else None for x in operands])
        self.live: int = self.number
        """The number of the last release that is known to have left a way from here to a variable."""
        self.constants: tuple[tuple[Release, SourceLoc | None], ...] = ()
        """Its operands that are constants since a pass has freed their graphs, and where they were read."""
        if RELEASED.constants:
            read = {x.storage for x in operands if type(x) is Traced and x.edge is None and x.storage is not None}
            self.constants = tuple([one[1:] for one in RELEASED.constants if one[0] in read])
        self.freed: Release | None = None
        """The backward pass that let its values go."""
        self.retained: dict[int, Variable] | None = None
        """Outputs whose gradients are wanted too."""
        self.private: bool = False
        """True if the rule is this node's alone and keeps values itself."""
        self._guards: tuple[tuple[int | None, Storage, int], ...] = ()
        if reads is _NOTHING:
            self.xs: Any = [standin(x) for x in inputs]
            self.ys: Any = [standin(y) for y in outputs]
        else:
            of_xs, of_ys = reads
            guards: list[tuple[int | None, Storage, int]] = []
            written: set[int] = set()
            for number, x in enumerate(operands):
                if of_xs[number] and type(x) is Traced and x.storage is not None:
                    if x.storage.recorded:  # what a recording writes in place it may write again: a copy is kept
                        written.add(number)
                        continue
                    x.storage.tape_uses += 1
                    guards.append((number, x.storage, x.version))
            self._guards = tuple(guards)
            self.xs = [x if read else standin(x) for x, read in zip(inputs, of_xs, strict=True)]
            for number in written:
                self.xs[number] = self.xs[number].copy()
            self.ys = [y if read else standin(y) for y, read in zip(outputs, of_ys, strict=True)]
        self._code, self._last = _line()

    @property
    def outputs(self) -> list[Edge]:
        """The edges that lead to its outputs."""
        return [(self, number) for number in range(len(self.ys))]

    def guard(self, storage: Storage, output: int | None = None) -> None:
        """The rule reads what a buffer holds now, an output or whatever else."""
        storage.tape_uses += 1
        self._guards += ((None if output is None else -1 - output, storage, storage.version),)

    def traced(self) -> tuple[list[Any], list[Any]]:
        """The inputs and outputs with their histories, for a pass that is recorded itself."""
        stores = {number: (storage, version) for number, storage, version in self._guards}
        edges = self.edges or ()
        xs = [
            x if edge is None else unowned(x, edge, *stores.get(number, (None, 0)))
            for number, (x, edge) in enumerate(zip(self.xs, edges, strict=True))
        ]
        ys = [unowned(y, (self, number), *stores.get(-1 - number, (None, 0))) for number, y in enumerate(self.ys)]
        return xs, ys

    @property
    def loc(self) -> SourceLoc | None:
        """The user's line."""
        code = self._code
        if code is None:
            return None
        lines = list(code.co_positions())
        line = lines[self._last // 2][0] if self._last // 2 < len(lines) else None
        return SourceLoc(code.co_filename, line or code.co_firstlineno, code.co_name)

    def check(self) -> None:
        """Raise where the values are gone, or are not those any more that were computed with.

        Raises:
            StateError E541, E542: a backward pass freed them; they were overwritten.
        """
        if self.freed is not None:
            raise freed(self.described(), self.freed.at)
        for _, storage, version in self._guards:
            if storage.version != version:
                at = storage.written_at
                where = "" if at is None else f", at {at.described()}"
                raise StateError(
                    "E542",
                    f"a value that {self.described()} needs for its gradient was overwritten after it was recorded"
                    f"{where}",
                    help="write to a copy, or call backward before the write",
                )

    def described(self) -> str:
        """The operation and its line, for messages."""
        return described(self.rule.name, self.loc)

    def release(self, by: Release) -> None:
        """Let go of everything."""
        self.freed = by
        for _, storage, _ in self._guards:
            if storage.tape_uses:
                storage.tape_uses -= 1
        self.edges = self.xs = self.ys = None
        self._guards = ()
        if self.private:
            self.rule.release()


def unowned(data: NDArray[Any], edge: Edge, storage: Storage | None = None, version: int = 0) -> Traced:
    """The history of an operand that is not an array's yet."""
    traced = Traced(data, edge, storage, version)
    traced.owner = False
    return traced


def _line() -> tuple[CodeType | None, int]:
    """The user's code that is running, and the place in it."""
    frame: FrameType | None = sys._getframe(3)
    while frame is not None:
        code = frame.f_code
        if is_users(code.co_filename):
            return code, frame.f_lasti
        frame = frame.f_back
    return None, 0


_standins: dict[Any, NDArray[Any]] = {}
_nans = numpy.full(16, 255, numpy.uint8)


def standin(x: NDArray[Any]) -> NDArray[Any]:
    """An array of the type of `x` that holds nothing: rules ask for shapes and dtypes of what they do not read.

    Its elements are NaN where it is of floats, so that a rule that did read them would be seen to.
    """
    key = x.shape, x.dtype
    stand = _standins.get(key)
    if stand is None:
        if len(_standins) >= _LIMIT:
            _standins.clear()
        stand = _standins[key] = numpy.ndarray(x.shape, x.dtype, _nans, 0, (0,) * x.ndim)
        stand.flags.writeable = False
    return stand


def reads(
    op: Op, operands: Sequence[Operand], inputs: Sequence[NDArray[Any]], outputs: Sequence[NDArray[Any]]
) -> tuple[Mask, Mask]:
    """Tell which inputs and outputs an op's gradient rule reads, for the gradients of operands that have a history."""
    kind: Any = type(op)
    if kind.linear:
        return _NOTHING
    if kind.of_complex is OfComplex.VALUED and any(x.dtype.kind == "c" for x in inputs):
        return _NOTHING  # it has no gradient, which a backward pass says that comes there
    tracked = tuple([type(x) is Traced and x.edge is not None for x in operands])
    key = (kind if kind._compared is type else op, tracked)
    known = _reads.get(key)
    if known is None:
        known = _found(op, tracked, inputs, outputs)
        if any(x.size == 0 for x in inputs):
            return known  # a rule has nothing to read where there is nothing
        if len(_reads) >= _LIMIT:
            _reads.clear()
        _reads[key] = known
    return known


def _found(op: Op, tracked: Mask, inputs: Sequence[NDArray[Any]], outputs: Sequence[NDArray[Any]]) -> tuple[Mask, Mask]:
    recorder = GraphTracer()
    builder = recorder.builder
    xs = [builder.input(TensorType(x.shape, x.dtype)) for x in inputs]
    ys = [builder.input(TensorType(y.shape, y.dtype)) for y in outputs]
    gs = tuple(builder.input(TensorType(y.shape, y.dtype)) for y in outputs)
    with interpreting(recorder):
        gradients = pulled_back(op, None, gs, tuple(ys), *xs)
    live = {value for value, is_tracked in zip(gradients, tracked, strict=True) if value is not None and is_tracked}
    needed(builder.nodes, live)
    return tuple(x in live for x in xs), tuple(y in live for y in ys)


def described(operation: str, loc: SourceLoc | None) -> str:
    """An operation and the line where it was recorded, for messages."""
    return operation if loc is None else f"{operation}, recorded at {loc.described()},"


def freed(operation: str, where: SourceLoc | None) -> StateError:
    """The error for going twice along an operation that nobody asked to keep, after the pass at some line."""
    at = "" if where is None else f" at {where.described()}"
    return StateError(
        "E541",
        f"the graph of {operation} was freed by a backward pass{at}",
        help="pass retain_graph=True to that backward pass, or record again",
    )
