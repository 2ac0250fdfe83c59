# SPDX-License-Identifier: Apache-2.0
"""MXNet's operators applied to expressions, by position or by name; arrays that are not given become variables."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from hybridize.base.errors import ArgumentError
from hybridize.base.prefixes import name_of
from hybridize.ops.op import capturing
from hybridize.symbol.expression import Expression, called, expressions, var
from hybridize.symbol.operators import CREATORS, OPERATORS, outputs_of

_Function = Callable[..., Any]


def composed(word: str, function: _Function, *, draws: bool = False) -> _Function:
    """The function of `F` that also makes expressions: of expressions, or of nothing where it can be composed later."""
    operator = OPERATORS.get(word)
    creates = draws or word in CREATORS

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        values = [*args, *kwargs.values()]
        if any(True for _ in expressions(values)):
            if operator is not None:
                return _with_variables(word, function, args, kwargs)
            return called(word, function, args, kwargs)
        if operator is None and not creates:
            return function(*args, **kwargs)
        if capturing() or any(hasattr(one, "shape") for one in values):
            return function(*args, **kwargs)
        if creates:
            name, attributes = kwargs.pop("name", None), kwargs.pop("attr", None)
            if not draws:
                function(*args, **kwargs)  # says what is wrong with the arguments
            return Expression(word, function, args, kwargs, name=name, attributes=attributes)
        return _with_variables(word, function, args, kwargs)

    return call


def _with_variables(word: str, function: _Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Expression:
    operator = OPERATORS[word]
    keywords = dict(kwargs)
    attributes = keywords.pop("attr", None)
    name = name_of(keywords.pop("name", None), word.lower())
    if len(args) > len(operator.arrays):
        raise ArgumentError(
            "E310",
            f"{word} of expressions takes {', '.join(operator.arrays)} by position",
            help="pass the others by keyword",
        )
    arrays = dict(zip(operator.arrays, args, strict=False))
    for one in operator.arrays:
        if one in keywords:
            if one in arrays:
                raise ArgumentError("E310", f"{word} got {one} twice")
            arrays[one] = keywords.pop(one)
    ordered = []
    for one in operator.arrays:
        if not operator.takes(one, keywords):
            break
        value = arrays.get(one)
        if value is None:
            value = var(f"{name}_{one}")
        if isinstance(value, Expression) and value.function is None and one in operator.states:
            value.auxiliary = True
        ordered.append(value)
    count = outputs_of(word, keywords)
    expression = Expression(word, function, ordered, keywords, name=name, outputs=count, attributes=attributes)
    expression.name = name
    return expression
