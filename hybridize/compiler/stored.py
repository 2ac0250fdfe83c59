# SPDX-License-Identifier: Apache-2.0
"""A compiled program as a file: what another process that has captured the same graph needs to run it.

The code and the plan stand in the file, constants do not: an equal graph has equal ones, so it says which. Where the
user's lines are is no part of what a graph is either; a line stands as the number of a node that was written there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import BY_CODE, CODES
from hybridize.base.frozen import changed, frozen
from hybridize.base.locations import SourceLoc
from hybridize.compiler import disk
from hybridize.graph import Graph, Node
from hybridize.runtime.image import Image
from hybridize.runtime.plan import PLAN_CLASSES, Plan, PlanStep, each_step

LITERAL_BYTES = 1 << 14
"""Constants that the schedule itself made may stand in the file up to this size; there are none that are larger."""

Array = NDArray[Any]


@frozen
class CapturedConstant:
    """A constant of the graph as it was captured."""

    number: int


@frozen
class FoldedConstant:
    """A constant that the passes made."""

    number: int


@frozen
class LiteralConstant:
    """A constant that stands in the file."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes


StoredCode = Image | str
"""Machine code, or the text of a device's kernels."""
StoredConstant = CapturedConstant | FoldedConstant | LiteralConstant


@frozen
class StoredProgram:
    """The file."""

    code: StoredCode
    plan: Plan
    constants: tuple[StoredConstant, ...]
    sources: tuple[StoredConstant, ...]
    """The constants that others are derived of."""


_CLASSES = (StoredProgram, CapturedConstant, FoldedConstant, LiteralConstant, Image, *PLAN_CLASSES)


def keep(
    name: str | None,
    graph: Graph,
    optimized: Graph,
    code: StoredCode,
    plan: Plan,
    lists: tuple[Sequence[Array], Sequence[Array]],
) -> None:
    """Keep what `graph` was compiled to for other processes; `lists` are its constants, and what others are made of."""
    if name is None:
        return
    known: dict[int, CapturedConstant | FoldedConstant] = {
        id(array): FoldedConstant(k) for k, array in enumerate(constants_in(optimized))
    }
    known |= {id(array): CapturedConstant(k) for k, array in enumerate(constants_in(graph))}
    constants, sources = (
        [one for array in arrays if (one := known.get(id(array)) or _literal(array))] for arrays in lists
    )
    whole = (len(constants), len(sources)) == tuple(map(len, lists))
    lines: dict[str, str] = {}
    firsts: dict[int, tuple[SourceLoc | None, int]] = {}  # the first node of each place
    for number, node in enumerate(_nodes(graph)):
        firsts.setdefault(id(node.loc), (node.loc, number))
    for loc, number in firsts.values():
        lines.setdefault(str(loc), str(number))
    if whole and lines.keys() >= _lines(plan):
        disk.keep(name, StoredProgram(code, _with_lines(plan, lines), tuple(constants), tuple(sources)))


def find(name: str | None) -> StoredProgram | None:
    """The file of that name."""
    program = disk.find(name, _CLASSES)
    return program if isinstance(program, StoredProgram) else None


def plan_of(program: StoredProgram, graph: Graph) -> Plan:
    """The plan, with the lines of the user who captured `graph`."""
    nodes = list(_nodes(graph))
    locs = {number: nodes[int(number)].loc for number in _lines(program.plan)}
    return _with_lines(program.plan, {number: "" if loc is None else str(loc) for number, loc in locs.items()})


def constants_of(
    program: StoredProgram, graph: Graph, optimized: Callable[[], Graph]
) -> tuple[list[Array], list[Array]]:
    """The constants in the order of their slots, and what others are made of; passes are run where they made one."""
    captured: list[Array] = []
    folded: list[Array] = []
    arrays: list[Array] = []
    for constant in (*program.constants, *program.sources):
        match constant:
            case CapturedConstant(number=number):
                captured = captured or list(constants_in(graph))
                arrays.append(captured[number])
            case FoldedConstant(number=number):
                folded = folded or list(constants_in(optimized()))
                arrays.append(folded[number])
            case LiteralConstant(dtype=dtype, shape=shape, data=data):
                arrays.append(numpy.frombuffer(data, BY_CODE[dtype]).reshape(shape))
    count = len(program.constants)
    return arrays[:count], arrays[count:]


def _literal(array: Array) -> LiteralConstant | None:
    return LiteralConstant(CODES[array.dtype], array.shape, array.tobytes()) if array.nbytes <= LITERAL_BYTES else None


def constants_in(graph: Graph) -> Iterator[Array]:
    """All constants of a graph and of those inside its ops, in an order that equal graphs share."""
    for one in graph.nested():
        yield from one.constants.values()


def _nodes(graph: Graph) -> Iterator[Node]:
    for one in graph.nested():
        yield from one.nodes


def _lines(plan: Plan) -> set[str]:
    """The lines that steps come from."""
    lines: set[str] = set()

    def look(step: PlanStep) -> PlanStep:
        lines.update(step.lines)
        return step

    each_step(plan, look)
    return lines


def _with_lines(plan: Plan, lines: dict[str, str]) -> Plan:
    def renamed(step: PlanStep) -> PlanStep:
        return changed(step, lines=tuple(dict.fromkeys(lines[line] for line in step.lines if lines[line])))

    return each_step(plan, renamed)
