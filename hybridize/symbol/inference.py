# SPDX-License-Identifier: Apache-2.0
"""Shapes of an expression's variables and results, from those of some of its variables.

Forwards a call is captured with typed arrays. Backwards, and where a size is not known, MXNet's rules hold: weights are
as the data asks, the arrays of an elementwise operator are alike, a loop's are those of its body. All is done until
nothing more is found; then a variable that is added to something is taken to be like it, as in MXNet, and it goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy

from hybridize.array.ndarray import wrap
from hybridize.base.dtypes import float32
from hybridize.base.errors import HybridizeError
from hybridize.base.types import Shape, TensorType
from hybridize.symbol.control import COND, FOREACH, ControlFlow
from hybridize.symbol.expression import GROUP, OUTPUT, Expression, expressions, group, type_of, typed, var
from hybridize.symbol.file_operators import FileOperator
from hybridize.symbol.operators import ALIKE, OPERATORS, SAME, UNKNOWN, Shaping

Known = dict[int, list[Shape]]
"""By the identity of an expression the shapes of its results: `UNKNOWN`, or with 0 for each size that is not known."""


def shapes(expression: Expression, hints: Mapping[str, Any], suppose: bool = True) -> Known:
    """Find what is known when some variables have the given shapes.

    Args:
        expression: of which.
        hints: shapes, types or arrays by the names of variables.
        suppose: take a variable that is added to something to be like it, where nothing else tells its shape.
    """
    return _Search(expression, hints, suppose).run()


class _Search:
    """The shapes of an expression's parts, as far as they are known so far."""

    def __init__(self, expression: Expression, hints: Mapping[str, Any], suppose: bool) -> None:
        self.suppose = suppose
        self.order = expression._in_order()
        self.calls = [part for part in self.order if part.function is not None]
        self.known: Known = {id(part): [UNKNOWN] * part.outputs for part in self.order}
        self.dtypes: dict[int, list[Any]] = {id(part): [float32] * part.outputs for part in self.order}
        self.done: set[int] = set()
        """Calls whose results have been captured."""
        for part in self.order:
            if part.function is None:
                spec = hints.get(part.name)
                shape, dtype = part.shape_hint, part.dtype_hint or float32
                if spec is not None:
                    kind = type_of(part, spec)
                    shape, dtype = kind.shape, kind.dtype
                self.known[id(part)] = [UNKNOWN if shape is None else shape]
                self.dtypes[id(part)] = [dtype]

    def run(self) -> Known:
        """Look until nothing more is found."""
        while self._forwards() or self._backwards() or (self.suppose and self._supposed()):
            pass
        return self.known

    def _is_known(self, one: Expression) -> bool:
        return all(shape is not UNKNOWN for shape in self.known[id(one)])

    def _whole(self, one: Expression) -> bool:
        return all(shape is not UNKNOWN and 0 not in shape for shape in self.known[id(one)])

    def learn(self, one: Any, shape: Shape, number: int = 0) -> bool:
        """Take over what is known of a shape; tells whether it is news. Sizes that differ are left: a call says so."""
        if not isinstance(one, Expression) or id(one) in self.done or shape is UNKNOWN:
            return False
        old = self.known[id(one)][number]
        if old is not UNKNOWN:
            if len(old) != len(shape):
                return False
            shape = tuple(size or other for size, other in zip(old, shape, strict=True))
        if shape == old and old is not UNKNOWN:
            return False
        self.known[id(one)][number] = shape
        return True

    # -------------------------------------------------------------------------------------------------- the directions

    def _forwards(self) -> bool:
        is_new = False
        for part in self.calls:
            if id(part) not in self.done and all(map(self._whole, part._parts())):
                self.known[id(part)], self.dtypes[id(part)] = self._captured(part)
                self.done.add(id(part))
                is_new = True
        return is_new

    def _captured(self, part: Expression) -> tuple[list[Shape], list[Any]]:
        """Shapes and dtypes of a call's results, from those of what it is applied to."""
        types: dict[str, TensorType] = {}
        operands: dict[int, Expression] = {}
        for one in {id(one): one for one in part._parts()}.values():
            variables = []
            for shape, dtype in zip(self.known[id(one)], self.dtypes[id(one)], strict=True):
                variables.append(var(f"x{len(types)}"))
                types[variables[-1].name] = TensorType(shape, dtype)
            operands[id(one)] = group(variables) if one.outputs > 1 or one.word == GROUP else variables[0]
        graph = part._with(typed(part.args, operands), typed(part.kwargs, operands))._captured(types, copies=True).graph
        return [value.type.shape for value in graph.outputs], [value.type.dtype for value in graph.outputs]

    def _backwards(self) -> bool:
        return any([self._ruled(part) for part in reversed(self.calls) if id(part) not in self.done])  # noqa: C419

    def _ruled(self, part: Expression) -> bool:
        """Find shapes around a call by the rule of its operator."""
        if isinstance(part.function, ControlFlow):
            return self._through(part, part.function)
        if part.word == OUTPUT:
            source, number = part.args
            return self.learn(part, self.known[id(source)][number])
        arrays = [one for one in part.args if isinstance(one, Expression)]
        if part.word in SAME and arrays:
            return self._alike([arrays[0], part])
        if part.word in ALIKE and len(arrays) == 2:
            if part.word.startswith("elemwise_"):
                return self._alike([*arrays, part])
            both = [self.known[id(one)][0] for one in arrays]
            return self.learn(part, _broadcast(*both)) if all(map(self._is_known, arrays)) else False
        return self._weights(part)

    def _alike(self, several: list[Expression]) -> bool:
        """Let expressions have one shape."""
        return any([self.learn(one, self.known[id(other)][0]) for one in several for other in several])  # noqa: C419

    def _weights(self, part: Expression) -> bool:
        """Find the shapes of an operator's other arrays from that of its data."""
        if isinstance(part.function, Shaping):
            return self._by_itself(part, part.function)
        operator = OPERATORS.get(part.word)
        if operator is None:
            return False
        arrays = dict(zip(operator.arrays, part.args, strict=False)) | part.kwargs
        data = arrays.get(operator.arrays[0])
        if not isinstance(data, Expression) or not self._is_known(data):
            return False
        try:
            attributes = part.function.keywords if isinstance(part.function, FileOperator) else part.kwargs
            rules = operator.shapes(self.known[id(data)][0], attributes)
        except (IndexError, KeyError, TypeError, HybridizeError):  # forwards says what is wrong
            return False
        return any([self.learn(arrays.get(name), shape) for name, shape in rules.items()])  # noqa: C419

    def _by_itself(self, part: Expression, function: Shaping) -> bool:
        """Find the shapes of the variables of a call whose function tells them."""
        *inputs, variables = part.args
        arrays = list(expressions(inputs))
        if not all(map(self._whole, arrays)) or all(map(self._whole, variables)):
            return False
        zeros: dict[int, Any] = {}
        for one in arrays:
            of = zip(self.known[id(one)], self.dtypes[id(one)], strict=True)
            results = [wrap(numpy.zeros(shape, dtype)) for shape, dtype in of]
            zeros[id(one)] = results[0] if one.outputs == 1 else results
        try:
            shapes = function.shapes(typed(inputs, zeros), [self.known[id(one)][0] for one in variables])
        except HybridizeError:  # forwards says what is wrong
            return False
        return any([self.learn(one, shape) for one, shape in zip(variables, shapes, strict=True)])  # noqa: C419

    def _through(self, part: Expression, loop: ControlFlow) -> bool:
        """Find shapes around a loop or a branch from those inside of its bodies."""
        sliced = len(loop.places("in_data")) if loop.word == FOREACH else 0
        lengths = {shape[0] for shape in (self.known[id(one)][0] for one in part.args[:sliced]) if shape}
        length = next(iter(lengths - {0}), 0)
        is_new = False
        for body, places in zip(loop.bodies, loop.inputs(), strict=True):
            inputs = {}
            for name, place in zip(body.inputs, places, strict=True):
                shape = self.known[id(part.args[place])][0]
                if shape is not UNKNOWN:
                    inputs[name] = shape[1:] if place < sliced else shape
            inner = shapes(body.results, inputs, self.suppose)
            for variable in body.results._variables():
                place, shape = places[body.inputs.index(variable.name)], inner[id(variable)][0]
                if shape is not UNKNOWN:
                    is_new = self.learn(part.args[place], (length, *shape) if place < sliced else shape) or is_new
            if body is loop.bodies[-1]:
                stacked = 0 if loop.word == COND else loop.rows
                rounds = length if loop.word == FOREACH else loop.attributes.get("max_iterations", 0)
                for number, shape in enumerate(inner[id(body.results)]):
                    if shape is not UNKNOWN:
                        is_new = self.learn(part, (rounds, *shape) if number < stacked else shape, number) or is_new
        return is_new

    def _supposed(self) -> bool:
        """Let one variable of which nothing is known be like what it is added to."""
        for part in self.calls:
            arrays = [one for one in part.args if isinstance(one, Expression)] if part.word in ALIKE else []
            for one, other in (arrays, arrays[::-1]) if len(arrays) == 2 else ():
                if one.function is None and not self._is_known(one) and self._is_known(other):
                    return self.learn(one, self.known[id(other)][0])
        return False


def _broadcast(one: Shape, other: Shape) -> Shape:
    """The shape of two that are stretched, as far as it is known."""
    if len(one) != len(other):
        return UNKNOWN
    return tuple(max(pair) if 0 not in pair or max(pair) > 1 else 0 for pair in zip(one, other, strict=True))
