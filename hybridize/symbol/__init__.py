# SPDX-License-Identifier: Apache-2.0
"""`F` of `hybrid_forward(F, x)` while a block is compiled, and symbolic expressions written by hand.

    a, b = sym.var("a"), sym.var("b")
    program = (a + b).compile(a=(2, 3), b=(2, 3))

The functions are those of `hybridize.ndarray`: MXNet 1's names, and `F.np` and `F.npx`. On variables they make untyped
expressions; types come with `compile`, `bind` or `infer_shape`.

- `expression` is what is recorded, `scopes` its attributes, `operators` what MXNet's operators take, so that
  `composing` makes variables of weights that are not given; `control` makes loops and branches;
- `inference` finds shapes, `executor` binds arrays, `stored` writes and reads MXNet's JSON, whose operators are
  functions of `nd` and `np` by the rows of `file_operators`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from hybridize import ndarray as nd
from hybridize.array import np, npx
from hybridize.array.operators import Operators
from hybridize.array.symbol import Symbol as _Captured
from hybridize.base.names import at, further
from hybridize.base.prefixes import NameManager, Prefix
from hybridize.symbol import control, executor, inference, stored
from hybridize.symbol.composing import composed
from hybridize.symbol.expression import FUNCTIONS as _FUNCTIONS
from hybridize.symbol.expression import Expression, expressions, fluent, group, var
from hybridize.symbol.scopes import AttrScope

Variable = var
Group = group


class _Kinds(type):
    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, (Expression, _Captured))


class _Symbol(metaclass=_Kinds):
    """Tell, by `isinstance`, expressions and arrays of a program that is being captured from everything else.

    `sym.var` and functions of expressions make expressions.

    >>> isinstance(sym.var("a"), sym.Symbol)
    True
    """

    __hybridize_captured__ = True


_Symbol.__name__ = _Symbol.__qualname__ = "Symbol"
Symbol = _Symbol

_cache: dict[str, Any] = {}
_OF_FILES = {"load": stored.load, "load_json": stored.load_json, "fromjson": stored.load_json}
_CONTROL: dict[str, Callable[..., Any]] = {
    "foreach": control.foreach,
    "while_loop": control.while_loop,
    "cond": control.cond,
}


def __getattr__(name: str) -> Any:
    if name in _cache:
        return _cache[name]
    if name in _OF_FILES:
        return _OF_FILES[name]
    if (place := further(__name__, name)) is not None:
        return at(place)
    if name in nd.OF_FILES:
        raise nd.absent(__name__, name)
    try:
        function = getattr(nd, name)
    except AttributeError:
        raise nd.absent(__name__, name, __all__) from None
    if callable(function):
        function = composed(name, function)
    elif name == "random":
        function = function.changed(lambda word, one: composed(f"random_{word}", one, draws=True))
    elif name == "contrib":
        function = function.changed(_of_contrib)
    elif name == "image":
        function = function.changed(lambda word, one: composed(word, one, draws=word.startswith("random_")))
    elif name in ("linalg", "_internal"):
        function = function.changed(composed)
    _cache[name] = function
    return function


def _of_contrib(word: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of `sym.contrib`; loops and branches are ours where they are given expressions."""
    imperative = composed(word, function)
    if word not in _CONTROL:
        return imperative
    symbolic = _CONTROL[word]

    @wraps(symbolic)
    def call(*args: Any, **kwargs: Any) -> Any:
        is_symbolic = any(True for _ in expressions([*args, *kwargs.values()]))
        return (symbolic if is_symbolic else imperative)(*args, **kwargs)

    return call


def __dir__() -> list[str]:
    return sorted({*__all__, *dir(nd), *_OF_FILES} - ({*nd.OF_FILES} - {"load"}) - {"NDArray"})


_FUNCTIONS.update(function=__getattr__, load_json=stored.load_json)
_METHODS: dict[str, Callable[..., Any]] = {
    **{word: fluent(word) for word in {*dir(Operators)} & {*dir(nd)} if not word.startswith("_")},
    "__abs__": fluent("abs"), "__neg__": fluent("negative"),
    "_bind": executor.bind, "_inferred": inference.shapes, "_simple_bind": executor.simple_bind,
    "astype": fluent("cast"), "bind": executor.bind, "save": stored.save, "simple_bind": executor.simple_bind,
    "tojson": stored.to_json,
}  # fmt: skip
for _word, _method in _METHODS.items():
    setattr(Expression, _word, _method)


__all__ = [
    "AttrScope", "Expression", "Group", "NameManager", "Prefix", "Symbol", "Variable", "group", "np", "npx", "var",
]  # fmt: skip
