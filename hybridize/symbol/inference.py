# SPDX-License-Identifier: Apache-2.0
"""Shapes of an expression's variables and results, from those of some of its variables.

Forwards a call is captured with typed arrays. Backwards MXNet's rules hold: weights are as the data asks, and the
arrays of an elementwise operator are alike. Both are done until nothing more is found.
"""

from __future__ import annotations

from typing import Any

import numpy

from hybridize.array import np
from hybridize.array.ndarray import wrap
from hybridize.base.dtypes import float32
from hybridize.base.errors import HybridizeError
from hybridize.base.types import Shape
from hybridize.capture.capture import capture
from hybridize.contract.call import Call
from hybridize.symbol.expression import GROUP, Expression, applied, type_of
from hybridize.symbol.operators import ALIKE, OPERATORS, UNKNOWN

Known = dict[int, list[Shape]]
"""By the identity of an expression the shapes of its results: `UNKNOWN`, or with 0 for each size that is not known."""


def shapes(expression: Expression, given: dict[str, Any]) -> Known:
    """Find what is known when some variables have the given shapes.

    Args:
        expression: of which.
        given: shapes, types or arrays by the names of variables.
    """
    order = expression._in_order()
    known: Known = {}
    dtypes: dict[int, list[Any]] = {}
    for part in order:
        if part.function is None:
            spec = given.get(part.name)
            if spec is None:
                known[id(part)] = [UNKNOWN if part.shape_hint is None else part.shape_hint]
                dtypes[id(part)] = [part.dtype_hint or float32]
            else:
                kind = type_of(part, spec)
                known[id(part)], dtypes[id(part)] = [kind.shape], [kind.dtype]
    told = {id(part) for part in order if part.function is None and (part.name in given or part.shape_hint is not None)}
    changed = True
    while changed:
        changed = False
        for part in order:
            if part.function is not None and id(part) not in known and _ready(part, known, told):
                known[id(part)], dtypes[id(part)] = _forwards(part, known, dtypes)
                told.add(id(part))
                changed = True
        for part in reversed(order):
            changed = (part.function is not None and _backwards(part, known, told)) or changed
    for part in order:
        known.setdefault(id(part), [UNKNOWN] * part.outputs)
    return known


def _whole(shape: Shape) -> bool:
    return 0 not in shape


def _ready(part: Expression, known: Known, told: set[int]) -> bool:
    return all(id(one) in told and all(map(_whole, known[id(one)])) for one in part._parts())


def _forwards(part: Expression, known: Known, dtypes: dict[int, list[Any]]) -> tuple[list[Shape], list[Any]]:
    """Shapes and dtypes of a call's results, from those of what it is applied to."""
    parts = list({id(one): one for one in part._parts()}.values())
    counts = [len(known[id(one)]) for one in parts]
    examples = [
        wrap(numpy.zeros(shape, dtype))
        for one in parts
        for shape, dtype in zip(known[id(one)], dtypes[id(one)], strict=True)
    ]

    def call(*arrays: Any) -> Any:
        values, given = {}, iter(arrays)
        for one, count in zip(parts, counts, strict=True):
            several = [next(given) for _ in range(count)]
            values[id(one)] = several if one.outputs > 1 or one.word == GROUP else several[0]
        found = applied(part, values)  # copies: what is a view of an argument is no output of a program
        return [np.copy(one) for one in (found if isinstance(found, (list, tuple)) else [found])]

    graph = capture(call, Call.of(examples, {}), [f"x{number}" for number in range(len(examples))]).graph
    return [value.type.shape for value in graph.outputs], [value.type.dtype for value in graph.outputs]


def _backwards(part: Expression, known: Known, told: set[int]) -> bool:
    """Find shapes of the variables that a call is applied to; tells whether any was found."""
    wanted: list[tuple[Expression, Shape]] = []
    operator = OPERATORS.get(part.word)
    if operator is not None:
        arrays = dict(zip(operator.arrays, part.args, strict=False)) | part.kwargs
        data = arrays.get(operator.arrays[0])
        if isinstance(data, Expression) and id(data) in told:
            try:
                rules = operator.shapes(known[id(data)][0], getattr(part.function, "given", part.kwargs))
            except (IndexError, KeyError, TypeError, HybridizeError):  # forwards says what is wrong
                rules = {}
            wanted = [
                (arrays[name], shape) for name, shape in rules.items() if isinstance(arrays.get(name), Expression)
            ]
    elif part.word in ALIKE:
        both = [one for one in part.args if isinstance(one, Expression)]
        there = [known[id(one)][0] for one in both if id(one) in told and _whole(known[id(one)][0])]
        if len(both) == 2 and there and part.word.startswith("elemwise_"):
            wanted = [(one, there[0]) for one in both]
    found = False
    for one, shape in wanted:
        if one.function is None and (id(one) not in told or not _whole(known[id(one)][0])):
            if shape != known[id(one)][0]:
                known[id(one)], found = [shape], True
            told.add(id(one))
    return found
