# SPDX-License-Identifier: Apache-2.0
"""Values of which a program has several, depending on data: what type they have in common.

A leaf is a Python number (weak: it takes the type of what stands beside it), an array, or anything else, which must
then be the same everywhere.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy

from hybridize.array.device import OTHERS, Device, is_away
from hybridize.array.nd_array import NDArray
from hybridize.array.ndarray import ndarray
from hybridize.array.symbol import Cell, Symbol
from hybridize.base.dims import is_symbolic
from hybridize.base.dtypes import is_float, is_integer
from hybridize.base.frozen import changed, frozen
from hybridize.base.nested import Structure, flatten, is_record, is_sequence_class, items_of, unflatten
from hybridize.base.promotion import number_dtype, python_kind
from hybridize.base.types import TensorType
from hybridize.capture.control.rolled import RolledItems
from hybridize.capture.outside.objects import is_plain
from hybridize.capture.trace.bounds import is_beyond
from hybridize.capture.trace.recording import Recording, current_trace
from hybridize.contract.snapshots import MISSING, same
from hybridize.graph import Value
from hybridize.ops import Broadcast, Cast, size_of
from hybridize.ops.op import bind1, constant, in_charge

_ORDER = (bool, int, float)
NUMBERS = (bool, int, float, numpy.generic)


class Mismatch(Exception):
    """Two values have no type in common; says what they are."""


@frozen
class LeafSpec:
    """The type of one leaf."""

    weak: type | None
    """Kind of a Python number."""
    type: TensorType | None
    """None for what is no number or array."""
    value: Any = None
    """Such a thing."""
    mixed: bool = False
    """Data decides whether the number is an int or a float."""
    of_nd: bool = False
    """The array is an NDArray."""
    device: Device | None = field(default=None, compare=False)
    """The device of the array, where that is known; of several, one with a memory of its own."""

    def __str__(self) -> str:
        if self.weak is not None:
            return f"a {'Python ' if self.weak in _ORDER else 'numpy.'}{self.weak.__name__}"
        if self.type is not None:
            return f"NDArray {self.type}" if self.of_nd else str(self.type)
        return "undefined" if self.value is MISSING else f"{type(self.value).__name__} {self.value!r}"


@frozen
class Spec:
    """The type of a value: its structure, and the types of its leaves."""

    structure: Structure
    leaves: tuple[LeafSpec, ...]

    def __str__(self) -> str:
        if self.structure.kind == "leaf":
            return str(self.leaves[0])
        return str(self.structure) if not self.leaves else f"{self.structure} of {', '.join(map(str, self.leaves))}"

    @property
    def types(self) -> list[TensorType]:
        """Types of the leaves that are values of the graph."""
        return [leaf.type for leaf in self.leaves if leaf.type is not None]


def leaf_of(value: Any) -> LeafSpec:
    """The type of one leaf."""
    if isinstance(value, Symbol):
        mixed = value.weak is not None and is_mixed(value)
        device = None if value.of_numpy else value._cell.device
        return LeafSpec(value.weak, value.type, None, mixed, value.of_nd, device)
    if isinstance(value, ndarray):
        return LeafSpec(None, value.type, of_nd=type(value) is NDArray, device=value.device if OTHERS else None)
    if isinstance(value, NUMBERS) and not is_beyond(value):
        kind = _kind_of(value)
        return LeafSpec(kind, TensorType((), number_dtype(kind)))
    return LeafSpec(None, None, value)


def _kind_of(number: Any) -> type:
    """The class of a number: Python's own, or that of a NumPy scalar."""
    return (
        type(number)
        if isinstance(number, numpy.generic)
        else bool
        if isinstance(number, bool)
        else (int if isinstance(number, int) else float)
    )


def is_mixed(symbol: Symbol) -> bool:
    """Tell whether data decides of which class a Python number is."""
    trace = current_trace()
    return trace is not None and symbol._cell.value in trace.root.numbers.mixed


def spec_of(value: Any) -> Spec:
    """The type of a value."""
    leaves, structure = flatten(value, _is_own_record)
    return Spec(structure, tuple(leaf_of(leaf) for leaf in leaves))


def joined(x: Spec, y: Spec) -> Spec:
    """The type that both values have."""
    if x.structure != y.structure:
        raise Mismatch(f"{x} and {y}")
    try:
        return Spec(x.structure, tuple(map(_joined, x.leaves, y.leaves)))
    except Mismatch as mismatch:
        raise Mismatch(f"{x} and {y}" if len(x.leaves) <= 1 else f"{mismatch} in {x.structure}") from None


def _joined(x: LeafSpec, y: LeafSpec) -> LeafSpec:
    if x.type is None or y.type is None:
        if x.type is None and y.type is None and (x.value is y.value or same(x.value, y.value)):
            return x
        raise Mismatch(f"{x} and {y}")
    if x.weak is not None and y.weak is not None:
        if x.weak is not y.weak and not {x.weak, y.weak} <= set(_ORDER):
            raise Mismatch(f"{x} and {y}")  # NumPy's scalars keep their class, or the value would change its own
        if x.weak not in _ORDER:
            return x
        kind = max(x.weak, y.weak, key=_ORDER.index)
        return LeafSpec(kind, TensorType((), number_dtype(kind)), None, x.weak is not y.weak or x.mixed or y.mixed)
    if x.weak is None and y.weak is None:
        if x.type != y.type or x.of_nd != y.of_nd:
            raise Mismatch(f"{x} and {y}")
        return y if x.device is None or is_away(y.device) else x
    weak, array = (x, y) if x.weak is not None else (y, x)
    assert array.type is not None
    assert weak.weak is not None
    kind = python_kind(weak.weak)
    fits = (
        is_float(array.type.dtype)
        or (is_integer(array.type.dtype) and kind is not float)
        or (array.type.dtype.kind == "b" and kind is bool)
    )
    if array.type.shape != () or not fits:
        raise Mismatch(f"{x} and {y}")
    return array


def with_common(spec: Spec, x: Any, y: Any) -> Spec:
    """The type of two values where an array that both have is that very array, and no value to choose."""
    pairs = zip(flatten(x, _is_own_record)[0], flatten(y, _is_own_record)[0], spec.leaves, strict=True)
    leaves = [LeafSpec(None, None, one) if _is_same_array(one, other) else leaf for one, other, leaf in pairs]
    return changed(spec, leaves=tuple(leaves))


def _is_same_array(x: Any, y: Any) -> bool:
    if x is y:
        return isinstance(x, (Symbol, ndarray))
    if leaf_of(x).of_nd != leaf_of(y).of_nd:
        return False
    cell = _cell_of(x)
    return cell is not None and cell is _cell_of(y) and _is_whole(x) and _is_whole(y)


def _is_whole(array: Any) -> bool:
    """Tell whether an array is no view of another one."""
    return isinstance(array, ndarray) or not array._view


def operands(value: Any, spec: Spec) -> list[Value]:
    """The leaves of a value that are values of the graph, each of the type that `spec` says."""
    leaves, _ = flatten(value, _is_own_record)
    return [_operand(x, leaf.type) for x, leaf in zip(leaves, spec.leaves, strict=True) if leaf.type is not None]


def _operand(x: Any, kind: TensorType) -> Value:
    if is_symbolic(x) and kind.dtype.kind == "i":
        size: Value = size_of(x)
        return size
    if isinstance(x, NUMBERS):
        number: Value = constant(numpy.asarray(x, dtype=kind.dtype))
        return number
    trace = in_charge(Recording)
    value: Value = trace.lifted(x).operand()
    return value if value.type.dtype == kind.dtype else bind1(Cast(kind.dtype), value)


def _is_own_record(value: Any) -> bool:
    """Tell whether an object is a record, which cannot change, that the program has made."""
    trace = current_trace()
    return type(value) is RolledItems or (trace is not None and is_record(value) and trace.root.world.is_own(value))


class Opened:
    """Tells whether an object in a result is taken apart: plain ones that the program has made, each once."""

    def __init__(self, trace: Recording) -> None:
        self._trace = trace
        self._met: set[int] = set()

    def __call__(self, value: Any) -> bool:
        kind: Any = type(value)
        if not self._trace.root.world.is_own(value) or not is_plain(kind):
            return False
        if id(value) in self._met:
            raise self._trace.refusal(
                "E423",
                f"a {type(value).__name__} occurs twice in the result, but a program cannot create such an object at "
                f"each call",
                help="return it once, or return arrays and numbers in tuples, lists or dicts",
            )  # fmt: skip
        self._met.add(id(value))
        return True


def objects_of(value: Any) -> list[Any]:
    """The records in a value, and its lists and tuples of classes of the user's."""
    if isinstance(value, (list, tuple)):
        of_users = [value] if is_sequence_class(type(value)) else []
        return of_users + [one for part in items_of(value) for one in objects_of(part)]
    if isinstance(value, dict):
        return [one for part in value.values() for one in objects_of(part)]
    if is_record(value):
        return [value, *(one for part in vars(value).values() for one in objects_of(part))]
    return []


def containers_of(value: Any) -> list[Any]:
    """The lists and dicts in a value."""
    containers = [value] if isinstance(value, (list, dict)) else []
    if isinstance(value, (list, tuple, dict)):
        for part in value.values() if isinstance(value, dict) else items_of(value):
            containers += containers_of(part)
    return containers


def symbol_of(leaf: LeafSpec, value: Value, trace: Recording, weak: type | None = None) -> Symbol:
    """A symbol of a leaf's class, on its device, of a value of the graph."""
    symbol: Symbol = Symbol.of(trace, value, weak=weak, of_nd=leaf.of_nd)
    symbol._cell.device = leaf.device
    return symbol


def rebuilt(spec: Spec, values: list[Value], trace: Recording) -> tuple[Any, list[Cell]]:
    """A value of type `spec` made of values of the graph, and the cells of the arrays in it."""
    cells: list[Cell] = []
    leaves: list[Any] = []
    rest = iter(values)
    for leaf in spec.leaves:
        if leaf.type is None:
            leaves.append(leaf.value)
            continue
        symbol = symbol_of(leaf, next(rest), trace, leaf.weak)
        leaves.append(symbol)
        if leaf.mixed:
            trace.root.numbers.mixed.add(symbol._cell.value)
        if leaf.weak is None:
            cells.append(symbol._cell)
    value = unflatten(spec.structure, leaves)
    for container in (*containers_of(value), *objects_of(value)):
        trace.root.world.made(container, trace)
    return value, cells


def cells_of(value: Any, spec: Spec) -> list[Cell | None]:
    """For each array in a value of type `spec` its cell, None for what becomes one only by that type."""
    leaves, _ = flatten(value, _is_own_record)
    pairs = zip(leaves, spec.leaves, strict=True)
    return [_cell_of(leaf) for leaf, kind in pairs if kind.type is not None and kind.weak is None]


def _cell_of(leaf: Any) -> Cell | None:
    if isinstance(leaf, ndarray):
        trace = current_trace()
        leaf = None if trace is None else trace.lift(leaf)
    return leaf._cell if isinstance(leaf, Symbol) and leaf.weak is None else None


def zeros(spec: Spec, trace: Recording) -> Any:
    """A value of type `spec`, all zeros, where nobody looks at it."""
    values = [bind1(Broadcast(kind.shape), constant(numpy.zeros((), dtype=kind.dtype))) for kind in spec.types]
    return rebuilt(spec, values, trace)[0]
