# SPDX-License-Identifier: Apache-2.0
"""`F` of `hybrid_forward(F, x)` while a block is compiled, and symbolic expressions written by hand.

    a, b = sym.var("a"), sym.var("b")
    program = (a + b).compile(a=(2, 3), b=(2, 3))

The functions are those of `hybridize.ndarray`: MXNet 1's names, and `F.np` and `F.npx`. On variables they make untyped
expressions; types come with `compile`, `bind` or `infer_shape`.

- `expression` is what is recorded, `scopes` how it is named, `operators` what MXNet's operators take, so that
  `composing` makes variables of weights that are not given;
- `inference` finds shapes, `executor` binds arrays, `stored` writes and reads MXNet's JSON.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from hybridize import nd
from hybridize.array import np, npx
from hybridize.array.symbol import Symbol
from hybridize.base.loading import LOADING
from hybridize.symbol.composing import composed
from hybridize.symbol.expression import Expression, group, var
from hybridize.symbol.scopes import AttrScope, NameManager, Prefix

Variable = var
Group = group

_made: dict[str, Any] = {}


def __getattr__(name: str) -> Any:
    if name in _made:
        return _made[name]
    if name in ("load", "load_json", "fromjson"):
        with LOADING:
            from hybridize.symbol import stored  # late: files are seldom read

        return stored.load if name == "load" else stored.load_json
    if name in nd.OF_FILES:
        raise nd.absent(__name__, name)
    try:
        function = getattr(nd, name)
    except AttributeError:
        raise nd.absent(__name__, name, __all__) from None
    if callable(function):
        function = composed(name, function)
    elif name == "random":
        words = {word: one for word, one in vars(function).items() if callable(one)}
        function = SimpleNamespace(**{word: composed(f"random_{word}", one, draws=True) for word, one in words.items()})
    _made[name] = function
    return function


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(nd), "fromjson", "load", "load_json"} - ({*nd.OF_FILES} - {"load"}))


__all__ = [
    "AttrScope", "Expression", "Group", "NameManager", "Prefix", "Symbol", "Variable", "group", "np", "npx", "var",
]  # fmt: skip
