# SPDX-License-Identifier: Apache-2.0
"""Rows of jaxprs about windows that move over arrays: folds, and the gradients of maxima."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hybridize import ops
from hybridize.base.dtypes import DType, bool_
from hybridize.formats.foreign.known import operand_of
from hybridize.formats.foreign.walk import Application
from hybridize.formats.jaxpr.elementwise import maximum, minimum
from hybridize.formats.jaxpr.shapes import padded
from hybridize.formats.jaxpr.vocabulary import JAXPR, graph_of, least, most, of_any_shape, sizes
from hybridize.ops.op import Operand, scalar, type_of

Join = Callable[[Operand, Operand], Operand]


_FOLDS: dict[str, tuple[Join, Callable[[DType], Any], Any]] = {
    "reduce_window_sum": (ops.add, lambda kind: 0, ops.window_sum),
    "reduce_window_max": (maximum, least, ops.window_max),
    "reduce_window_min": (minimum, most, None),
}
"""A function of two elements, what changes nothing beside it, and the op that folds whole windows by it."""


@JAXPR(*_FOLDS)
def fold(n: Application, x: Operand) -> Operand:
    """Each window folded: its sum, its largest or smallest element."""
    join, neutral, whole = _FOLDS[n.node.op]
    kind = type_of(x)
    window, strides = sizes(n, "window_dimensions"), sizes(n, "window_strides")
    low, high = (tuple(ends) for ends in zip(*sizes(n, "padding"), strict=True)) if window else ((), ())
    between, apart = sizes(n, "base_dilation"), sizes(n, "window_dilation")
    plain = all(step == 1 for step in (*between, *apart)) and whole is not None and kind.dtype != bool_
    if (
        plain
        and all(0 <= one < size for one, size in zip(low, window, strict=True))
        and all(0 <= one < size for one, size in zip(high, window, strict=True))
    ):
        return whole(x, window, strides, low, high)
    x = padded(x, scalar(neutral(kind.dtype), kind.dtype), low, high, [gap - 1 for gap in between])
    if plain:
        return whole(x, window, strides, (0,) * len(window), (0,) * len(window))
    return functools.reduce(join, _taps(x, window, strides, apart))


def _taps(x: Operand, window: Sequence[int], strides: Sequence[int], apart: Sequence[int]) -> Iterator[Operand]:
    """For each element of a window its values over all windows."""
    for place in itertools.product(*map(range, window)):
        starts = tuple(at * gap for at, gap in zip(place, apart, strict=True))
        stops = tuple(
            size - (taps - 1 - at) * gap
            for size, taps, at, gap in zip(type_of(x).shape, window, place, apart, strict=True)
        )
        yield ops.slice(x, starts, stops, tuple(strides))


@JAXPR("reduce_window")
def fold_by_program(n: Application, *operands: Operand) -> tuple[Operand, ...]:
    """Each window of several arrays folded together by a program of scalars."""
    count = len(operands) // 2
    body = of_any_shape(graph_of(n, "jaxpr"))
    names = [port.name for port in body.inputs]
    low, high = zip(*sizes(n, "padding"), strict=True)
    between = [gap - 1 for gap in sizes(n, "base_dilation")]
    window, strides, apart = (sizes(n, f"window_{word}") for word in ("dimensions", "strides", "dilation"))
    starts = operands[count:]
    arrays = [padded(x, start, low, high, between) for x, start in zip(operands[:count], starts, strict=True)]
    results: Sequence[Operand] | None = None
    for taps in zip(*(_taps(x, window, strides, apart) for x in arrays), strict=True):
        if results is None:
            results = [ops.broadcast(start, type_of(tap).shape) for start, tap in zip(starts, taps, strict=True)]
        values = dict(zip(names, (*results, *taps), strict=True))
        results = [operand_of(value) for value in n.walk.graph(body, values)]
    assert results is not None
    return tuple(results)


def _fields(n: Application) -> tuple[Any, ...]:
    padding = sizes(n, "padding")
    ends = tuple(zip(*padding, strict=True)) if padding else ((), ())
    return sizes(n, "window_dimensions"), sizes(n, "window_strides"), *ends


def _smallest(n: Application) -> bool:
    """True where windows give their smallest element, not their largest."""
    prim = n.text("select_prim", None, ("ge", "le"))
    return prim == "le"


@JAXPR("select_and_scatter_add")
def gradient_of_maxima(n: Application, g: Operand, x: Operand) -> Operand:
    """Numbers of windows, each added where the window has its largest element."""
    x = ops.neg(x) if _smallest(n) else x
    window, strides, low, high = _fields(n)
    places = ops.window_arg_max(x, window, strides, low, high)
    return ops.window_put(g, places, window, strides, low, high, type_of(x).shape)


@JAXPR("select_and_gather_add")
def taken_at_maxima(n: Application, tangents: Operand, x: Operand) -> Operand:
    """The element of one array in each window at the place where the other has its largest."""
    x = ops.neg(x) if _smallest(n) else x
    fields = _fields(n)
    if any(step != 1 for name in ("base_dilation", "window_dilation") for step in sizes(n, name)):
        n.fail("elements that stand apart are not supported")
    return ops.window_take(tangents, ops.window_arg_max(x, *fields), *fields)
