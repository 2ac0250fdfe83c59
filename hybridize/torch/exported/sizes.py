# SPDX-License-Identifier: Apache-2.0
"""Sizes that torch.export left open, as `Dim`s: torch's expressions become ours, its guards what the program assumes.

Torch answers what a module asks of a size by the sizes of the call at hand, and remembers each answer as a guard. Here
the guards are asked once more, of our sizes, which remembers them in our `SizeScope`. What has no word here (a
logarithm of a size, say) pins the sizes in it: the program then holds for those very ones.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch

from hybridize.base.dims import Dim, SizeScope, is_symbolic, maximum, product
from hybridize.base.errors import CaptureError
from hybridize.base.types import TensorType
from hybridize.torch.memory import dtype_of


class Sizes:
    """The sizes of one exported program."""

    def __init__(self, inputs: Sequence[tuple[torch.Tensor, TensorType]]) -> None:
        """Name the sizes of `inputs`: torch's stand-ins, and the types that the program was asked for.

        Axes that share a symbol there share one here too, whether torch needs that or not.
        """
        self.scope = SizeScope()
        self._environment: Any = None
        self._symbols: dict[Any, Dim] = {}
        """By torch's symbol."""
        self._known: dict[Any, int] = {}
        """By torch's expression."""
        shared: dict[Any, Dim] = {}
        for tensor, wanted in inputs:
            for size, asked in zip(tensor.shape, wanted.shape, strict=True):
                node = _node(size)
                if node is None or not node.expr.is_Symbol:
                    continue
                self._environment, symbol = node.shape_env, node.expr
                key = asked.key if is_symbolic(asked) else None  # type: ignore[attr-defined]
                found = self._symbols.get(symbol) or shared.get(key)
                if found is None:
                    found = self.scope.symbol(int(node.hint))
                self._symbols[symbol] = found
                if key is not None:
                    shared[key] = found
        self._assume()

    def type_of(self, tensor: torch.Tensor) -> TensorType:
        """Type of a tensor, or of torch's stand-in for one."""
        return TensorType(tuple(self.size(size) for size in tensor.shape), dtype_of(tensor.dtype))

    def size(self, size: int | torch.SymInt) -> int:
        """A size as ours."""
        node = _node(size)
        return int(size) if node is None else self._size(node.expr)

    def _assume(self) -> None:
        """Remember what torch assumed."""
        environment = self._environment
        if environment is None:
            return
        for symbol, dim in self._symbols.items():
            span = environment.var_to_range[symbol]
            # Beyond the largest number that torch counts with there is no size.
            if not (dim >= int(span.lower) and (not span.upper.is_Integer or dim <= int(span.upper))):
                raise _refused(f"{symbol} in {span}")
        for guard in environment.guards:
            expression = environment.replace(guard.expr)
            try:
                holds = self._truth(expression)
            except _NoWordError:
                self._pin(expression)
                continue
            if not holds:
                raise _refused(expression)

    def _truth(self, expression: Any) -> bool:
        """Tell whether a guard of torch's is true of the call at hand; the scope remembers the answer."""
        name = type(expression).__name__
        if name in ("BooleanTrue", "BooleanFalse"):
            return bool(expression)
        if name == "Not":
            return not self._truth(expression.args[0])
        if name in ("And", "Or"):
            return (all if name == "And" else any)(map(self._truth, expression.args))
        if name not in _RELATIONS:
            raise _NoWordError(name)
        left, right = (self._exact(argument) for argument in expression.args)
        return bool(_RELATIONS[name](left, right))

    def _size(self, expression: Any) -> int:
        found = self._known.get(expression)
        if found is None:
            try:
                found = self._exact(expression)
            except _NoWordError:
                found = self._pinned(expression)
            self._known[expression] = found
        return found

    def _exact(self, expression: Any) -> int:
        """An expression in our words."""
        if expression.is_Integer:
            return int(expression)
        if expression.is_Symbol:
            if expression not in self._symbols:
                raise _refused(expression)
            return self._symbols[expression]  # type: ignore[return-value]
        name = type(expression).__name__
        if name not in _OPERATIONS:
            raise _NoWordError(name)
        return _OPERATIONS[name]([self._exact(argument) for argument in expression.args])

    def _pinned(self, expression: Any) -> int:
        """The value of an expression for the call at hand."""
        return int(expression.xreplace(self._pin(expression)))

    def _pin(self, expression: Any) -> dict[Any, int]:
        """The sizes in an expression by torch's symbols; the program then holds for no others."""
        return {symbol: int(self._exact(symbol)) for symbol in expression.free_symbols}


def _node(size: Any) -> Any:
    """Return torch's node of a size that it left open; None of others."""
    return size.node if isinstance(size, torch.SymInt) else None


class _NoWordError(Exception):
    """Torch says something of a size for which there is no word here."""


def _refused(expression: Any) -> CaptureError:
    return CaptureError(
        "E426",
        f"a size depends on data or is not known to torch.export: {expression}",
        help="elements that a mask selects: torch.where(mask, x, 0) keeps the size; or take them outside of the module",
    )


def _power(parts: list[int]) -> int:
    base, exponent = parts
    if is_symbolic(exponent) or not 0 <= exponent <= 4:
        raise _NoWordError("Pow")
    return product([base] * exponent)


def _minimum(x: int, y: int) -> int:
    return x + y - maximum(x, y)


_RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "Equality": operator.eq, "Unequality": operator.ne, "StrictLessThan": operator.lt, "LessThan": operator.le,
    "StrictGreaterThan": operator.gt, "GreaterThan": operator.ge,
}  # fmt: skip
"""By SymPy's names."""
_OPERATIONS: dict[str, Callable[[list[int]], int]] = {
    "Add": lambda parts: functools.reduce(operator.add, parts),
    "Mul": product,
    "Pow": _power,
    "PowByNatural": _power,
    "FloorDiv": lambda parts: parts[0] // parts[1],
    "CleanDiv": lambda parts: parts[0] // parts[1],
    "Mod": lambda parts: parts[0] % parts[1],
    "PythonMod": lambda parts: parts[0] % parts[1],
    "Max": lambda parts: functools.reduce(maximum, parts),
    "Min": lambda parts: functools.reduce(_minimum, parts),
}
"""By the names of SymPy's classes and torch's own."""
