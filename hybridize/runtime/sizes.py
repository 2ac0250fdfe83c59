# SPDX-License-Identifier: Apache-2.0
"""The sizes that a call brings along: found from the shapes of the inputs, checked, and filled into types and bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy
from numpy.typing import NDArray

from hybridize.base import dims
from hybridize.base.dims import Dim, Size, SizeSymbol, parse_scope
from hybridize.base.errors import ShapeError
from hybridize.base.types import Shape, TensorType
from hybridize.runtime.plan import LARGEST, Plan, sized

if TYPE_CHECKING:
    from hybridize.base.dims.scope import SizeScope


Sizes = Mapping[SizeSymbol, int]
Types = tuple[list[TensorType], list[TensorType]]


def symbol_of(size: Size) -> SizeSymbol | None:
    """The symbol that a size is."""
    return size.symbol if isinstance(size, Dim) else None


class CallSizes:
    """Binds the size symbols of a plan to each call's sizes, and checks what the plan assumes of them."""

    parameters: list[TensorType]
    scope: SizeScope
    results: list[TensorType]

    def __init__(self, plan: Plan, name: str, types: Types | None = None) -> None:
        """`name` is the program's, for errors; `types` are those of inputs and outputs, where somebody has them."""
        self.name = name
        self.scope, symbols = parse_scope(plan.sizes)
        self.parameters, self.results = types or (plan.types(plan.inputs, symbols), plan.types(plan.outputs, symbols))
        """Types of the inputs and of the outputs, with dims where sizes are the call's."""
        self._scratch_bytes = sized(plan.scratch_bytes, symbols)
        self.symbolic: bool = bool(self.scope.symbols)
        """True if there is a symbol to bind."""

    def bound(self, shapes: Sequence[Shape]) -> Sizes | None:
        """The sizes of a call; None where the program is not made for such shapes."""
        if len(shapes) != len(self.parameters):
            return None
        if any(len(shape) != type_.ndim for shape, type_ in zip(shapes, self.parameters, strict=True)):
            return None
        symbolic = [size for type_ in self.parameters for size in type_.shape]
        sizes = dims.bind(symbolic, [size for shape in shapes for size in shape])
        return sizes if sizes is not None and self.scope.holds(sizes) else None

    def checked(self, shapes: Sequence[Shape]) -> Sizes:
        """The sizes of a call.

        Raises:
            ShapeError E120: a shape is not what the program was compiled for.
        """
        if not self.symbolic and [type_.shape for type_ in self.parameters] == list(shapes):
            return {}
        sizes: dict[SizeSymbol, int] = {}
        origin: dict[SizeSymbol, str] = {}
        for number, (shape, type_) in enumerate(zip(shapes, self.parameters, strict=True)):
            here = f"input {number} of {self.name} must be {type_}, got {type_.with_shape(shape)}"
            if len(shape) != type_.ndim:
                raise ShapeError("E120", here)
            for axis, (actual, size) in enumerate(zip(shape, type_.shape, strict=True)):
                symbol = symbol_of(size)
                if symbol is not None and symbol not in sizes:
                    sizes[symbol], origin[symbol] = actual, f"axis {axis} of input {number}"
                    if not symbol.low <= actual <= symbol.high:
                        raise ShapeError("E120", f"{here}; axis {axis}: {symbol.bounds_text}")
        for number, (shape, type_) in enumerate(zip(shapes, self.parameters, strict=True)):
            for axis, (actual, size) in enumerate(zip(shape, type_.shape, strict=True)):
                solved = dims.solve(size, actual)
                if solved is None or solved[0] in sizes:
                    continue
                symbol, value = solved
                sizes[symbol], origin[symbol] = value, f"axis {axis} of input {number}"
                if not symbol.low <= value <= symbol.high:
                    here = f"input {number} of {self.name} must be {type_}, got {type_.with_shape(shape)}"
                    raise ShapeError("E120", f"{here}; axis {axis}: {symbol.bounds_text}")
        for number, (shape, type_) in enumerate(zip(shapes, self.parameters, strict=True)):
            for axis, (actual, size) in enumerate(zip(shape, type_.shape, strict=True)):
                expected = dims.value(size, sizes)
                if actual != expected:
                    got = f"input {number} of {self.name} must be {type_}, got {type_.with_shape(shape)}"
                    named = ", ".join(f"{one.name} is {sizes[one]} by {origin[one]}" for one in sizes)
                    where = f": axis {axis} should be {expected}, as {named}" if dims.is_symbolic(size) else ""
                    raise ShapeError("E120", got + where)
        for condition in self.scope.conditions:
            if not condition.holds(sizes):
                named = ", ".join(f"{one.name} = {sizes[one]}" for one in sizes)
                raise ShapeError("E120", f"{self.name} holds where {condition}, got {named}")
        return sizes

    def types(self, sizes: Sizes) -> list[TensorType]:
        """Types of the results of a call."""
        if not sizes:
            return self.results
        return [type_.with_shape(tuple(dims.value(size, sizes) for size in type_.shape)) for type_ in self.results]

    def scratch_bytes(self, sizes: Sizes) -> int:
        """Memory that a call needs besides its results.

        Raises:
            ShapeError E125: it and the results would be more than any machine has.
        """
        scratch = dims.value(self._scratch_bytes, sizes)
        peak = scratch + sum(dims.value(type_.nbytes, sizes) for type_ in self.results)
        if peak >= LARGEST:
            named = ", ".join(f"{one.name} = {sizes[one]}" for one in sizes)
            with_sizes = f" with {named}" if named else ""
            raise ShapeError("E125", f"a call of {self.name}{with_sizes} takes {peak} bytes of memory")
        return scratch

    def values(self, sizes: Sizes) -> NDArray[numpy.int64]:
        """The sizes in the order of their symbols, as the program reads them."""
        return numpy.array([sizes.get(symbol, symbol.hint) for symbol in self.scope.symbols], dtype=numpy.int64)
