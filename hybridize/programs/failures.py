# SPDX-License-Identifier: Apache-2.0
"""Errors of what a program itself asserts, at the user's lines that asserted it.

Machine code knows no lines: equal graphs share it, and it is kept on the disk. So the line is looked up when an
assertion has failed, in the graph as it was captured. Where two lines assert the same, it stays that of the call, and
the help lists them. So it stays where it was the line that called: functions of ours have no line of the user's, and
are called from several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hybridize.base.errors import DeviceError, HybridizeError
from hybridize.base.locations import SourceLoc
from hybridize.graph import Graph
from hybridize.ops import Assert
from hybridize.runtime import effects

_LISTED = 4
"""Lines that one error lists."""


def locate(error: BaseException, graph: Graph, caller: SourceLoc | None = None) -> None:
    """Have an error name the line of the assertion of a graph that it comes from, if it comes from one.

    Args:
        error: what was raised.
        graph: of the program.
        caller: the line that called what was captured.
    """
    if isinstance(error, HybridizeError):
        lines = dict.fromkeys(_lines(graph, error, None))
        known = [line for line in lines if line is not None and line != caller]
        if len(known) == len(lines) == 1:
            (error.loc,) = known
        elif len(known) > 1:
            listed = [line.described() for line in known[:_LISTED]] + ["..."][: len(known) > _LISTED]
            error.help = "\n    ".join(filter(None, [error.help, "it is one of these lines", *listed]))


def locate_refused(error: DeviceError, graph: Graph) -> None:
    """Have an error that refuses a part of a graph, for a device, name the user's line of that part."""
    for one in graph.nested():
        for node in one.nodes:
            if node.loc is not None and f"({node.loc})" in error.what:
                error.loc = node.loc
                return


def taken_of(graph: Graph, caller: SourceLoc | None) -> Callable[[], BaseException | None]:
    """Make the function that gives what a call of a graph's program has left behind to be raised (`effects.taken`)."""

    def pending() -> BaseException | None:
        error = effects.outcome()
        if error is not None:
            locate(error, graph, caller)
        return error

    return pending


def _lines(graph: Graph, error: HybridizeError, around: SourceLoc | None) -> Iterator[SourceLoc | None]:
    """The lines of the assertions that raise such an error, those of graphs inside of ops included."""
    for node in graph.nodes:
        line, op = node.loc or around, node.op
        if isinstance(op, Assert) and not op.recipe and isinstance(error, op.raises) and error.what == op.message:
            yield line
        for inner in op.graphs.values():
            yield from _lines(inner, error, line)
