# SPDX-License-Identifier: Apache-2.0
"""Errors of what a program itself asserts, at the user's lines that asserted it.

Machine code knows no lines: equal graphs share it, and it is kept on the disk. So the line is looked up when an
assertion has failed, in the graph as it was captured; where two lines assert the same, it stays that of the call, and
where it was the line that called: functions of ours have no line of the user's, and are called from several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hybridize.base.errors import HybridizeError
from hybridize.base.locations import SourceLoc
from hybridize.graph import Graph
from hybridize.ops import Assert
from hybridize.runtime import effects


def locate(error: BaseException, graph: Graph, caller: SourceLoc | None = None) -> None:
    """Have an error name the line of the assertion of a graph that it comes from, if it comes from one.

    Args:
        error: what was raised.
        graph: of the program.
        caller: the line that called what was captured.
    """
    if isinstance(error, HybridizeError):
        lines = set(_lines(graph, error, None))
        if len(lines) == 1 and not lines & {None, caller}:
            (error.loc,) = lines


def taken_of(graph: Graph, caller: SourceLoc | None) -> Callable[[], BaseException | None]:
    """Make the function that gives what a call of a graph's program has left behind to be raised (`effects.taken`)."""

    def taken() -> BaseException | None:
        error = effects.taken()
        if error is not None:
            locate(error, graph, caller)
        return error

    return taken


def _lines(graph: Graph, error: HybridizeError, around: SourceLoc | None) -> Iterator[SourceLoc | None]:
    """The lines of the assertions that raise such an error, those of graphs inside of ops included."""
    for node in graph.nodes:
        line, op = node.loc or around, node.op
        if isinstance(op, Assert) and not op.recipe and type(error) is op.raises and error.what == op.message:
            yield line
        for inner in op.graphs.values():
            yield from _lines(inner, error, line)
