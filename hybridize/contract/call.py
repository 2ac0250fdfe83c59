# SPDX-License-Identifier: Apache-2.0
"""The signature of a call, as far as a program's key goes: the structure of the arguments and the type of each leaf."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy

from hybridize.array.buffer import buffer_of, host_view
from hybridize.array.device import OTHERS, Device, cpu, current_device, is_away
from hybridize.array.nd_array import NDArray
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.operators import Operators
from hybridize.array.placing import place
from hybridize.array.symbol import Symbol
from hybridize.base import modes
from hybridize.base.dtypes import CODES, REALS
from hybridize.base.errors import ArgumentError, CaptureError
from hybridize.base.frozen import changed, frozen
from hybridize.base.nested import Structure, flatten_call
from hybridize.base.promotion import EXACT
from hybridize.base.types import TensorType
from hybridize.contract.snapshots import same

_EXACT = range(-EXACT, EXACT + 1)


class OfExpressions(Exception):
    """Raised where an argument is an expression, which has no values: the call makes an expression of it."""


class SameObject:
    """An object that stands for itself in a key; kept alive by it."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value: Any = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameObject) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)

    def __repr__(self) -> str:
        return repr(self.value)


@frozen
class Call:
    """The arguments of one call, taken apart."""

    structure: Structure
    """Of `(args, kwargs)`."""
    leaves: list[Any]
    """Arrays as `ndarray`, everything else as it is."""
    kinds: tuple[Any, ...]
    """For each leaf its part of the key: the type of an array, the kind of a number, the value of anything else."""
    training: bool
    recording: bool | tuple[bool, ...]
    """True where a backward pass may follow; of another library's arrays also whether each has a gradient."""
    originals: tuple[Any, Any] | None = None
    """The arguments and keywords themselves, lists and dicts among them; None where a call is only kept."""
    of_nd: tuple[int, ...] = ()
    """The leaves that are NDArrays: their operators and methods are others (`array.nd_array`)."""
    devices: tuple[Device | None, ...] | None = None
    """The present device, and that of each array, None of NumPy's; None where none is another than `cpu(0)`."""

    @property
    def key(self) -> tuple[Any, ...]:
        """The part of a call that those which may share a program have in common: the key of the cache."""
        return self.structure, self.kinds, self.training, self.recording, self.of_nd, self.devices

    @property
    def device(self) -> Device | None:
        """The device of the first array, one with a memory of its own if there is one, or the present one; None where
        all are `cpu(0)`.
        """
        if self.devices is None:
            return None
        present, *others = self.devices
        return next(filter(is_away, (*others, present)), next(filter(None, others), present))

    @property
    def numpys(self) -> frozenset[int]:
        """The leaves that are arrays of NumPy's, where that matters: functions take them to the present device."""
        if self.devices is None:
            return frozenset()
        positions = [position for position, kind in enumerate(self.kinds) if isinstance(kind, TensorType)]
        return frozenset(at for at, device in zip(positions, self.devices[1:], strict=True) if device is None)

    def place(self, leaves: Sequence[Any]) -> AbstractContextManager[Any]:
        """Move arrays to where those of the call were.

        Args:
            leaves: as many arrays as the call has, of which nobody has views, among others.

        Returns:
            a context in which the present device is that of the call.
        """
        if self.devices is None:
            return nullcontext()
        present, *others = self.devices
        for array, device in zip([leaf for leaf in leaves if isinstance(leaf, ndarray)], others, strict=True):
            place(array, device or cpu())
        return present or nullcontext()

    @classmethod
    def of(cls, args: Sequence[Any], kwargs: dict[str, Any]) -> Call:
        """Take a call apart.

        Raises:
            ArgumentError E311: an argument that no program can be keyed by.
        """
        try:
            leaves, structure = flatten_call(args, kwargs)
        except RecursionError:
            raise ArgumentError(
                "E311",
                "an argument contains itself, or is nested hundreds of levels deep",
                help="pass its parts as separate arguments",
            ) from None
        devices = _devices(leaves) if OTHERS else None
        kinds: list[Any] = []
        of_nd: tuple[int, ...] = ()
        wrapped: dict[int, ndarray] | None = None  # arrays of other classes: one object stays one
        for position, leaf in enumerate(leaves):
            kind = type(leaf)
            if kind is ndarray:
                data = buffer_of(leaf)
                kinds.append(TensorType(data.shape, data.dtype))
            elif kind is float or (kind is int and leaf in _EXACT):
                kinds.append(kind)
            elif kind is NDArray:
                kinds.append(leaf.type)
                of_nd += (position,)
            elif isinstance(leaf, (ndarray, numpy.ndarray)):
                wrapped = {} if wrapped is None else wrapped
                if id(leaf) not in wrapped:
                    wrapped[id(leaf)] = _array(leaf)
                leaves[position] = array = wrapped[id(leaf)]
                kinds.append(array.type)
            elif isinstance(leaf, numpy.generic) and leaf.dtype in REALS:
                kinds.append(kind)
            else:
                kinds.append(_static(leaf))
        return cls(
            structure, leaves, tuple(kinds), modes.is_training(), modes.is_recording(), (args, kwargs),
            of_nd, devices,
        )  # fmt: skip

    def without_arrays(self) -> Call:
        """The same without the arrays, to be kept."""
        if self.originals is None and not any(isinstance(leaf, ndarray) for leaf in self.leaves):
            return self
        return changed(
            self, originals=None, leaves=[None if isinstance(leaf, ndarray) else leaf for leaf in self.leaves]
        )

    def leaf_names(self, known: Sequence[str]) -> list[str]:
        """Names of the leaves, with a number where there are several in one argument.

        Args:
            known: names of the positional parameters, or the first of them.
        """
        names: list[str] = []
        positional, keywords = self.structure.children
        parts = [(known[i] if i < len(known) else f"arg{i}", child) for i, child in enumerate(positional.children)]
        parts += [(str(key), child) for key, child in zip(keywords.keys, keywords.children, strict=True)]
        for name, child in parts:
            names += [name] if child.kind == "leaf" else [f"{name}_{i}" for i in range(child.leaves)]
        return names

    def number(self, position: int, value: Any) -> bool:
        """Tell whether a number among the leaves has a value."""
        leaf = self.leaves[position]
        return same(leaf, value) or (isinstance(leaf, numpy.generic) and same(leaf.item(), value))


def _devices(leaves: Sequence[Any]) -> tuple[Device | None, ...] | None:
    """The present device and those of arrays, see `Call.devices`."""
    arrays = [leaf for leaf in leaves if isinstance(leaf, (ndarray, numpy.ndarray))]
    devices = (current_device(), *[array.device if isinstance(array, ndarray) else None for array in arrays])
    return None if {cpu(), None}.issuperset(devices) else devices


def _array(leaf: Any) -> ndarray:
    data = host_view(leaf) if isinstance(leaf, ndarray) else numpy.asarray(leaf)
    if data.dtype not in CODES:
        native = data.dtype.newbyteorder("=")
        if native not in CODES:
            raise ArgumentError("E311", f"a compiled program takes no array of dtype {data.dtype}", help="use numbers")
        data = data.astype(native)
    return wrap(data)


def _static(leaf: Any) -> Any:
    if isinstance(leaf, Symbol):
        raise CaptureError(
            "E410", f"{leaf!r} is used after the end of the capture that created it",
            help="return the array from the captured function instead of storing it elsewhere",
        )  # fmt: skip
    if isinstance(leaf, (complex, numpy.complexfloating)):
        return type(leaf), leaf, repr(leaf)  # 0j == -0j
    if isinstance(leaf, Operators):
        raise OfExpressions
    if hasattr(leaf, "__dlpack__") or hasattr(leaf, "__array__"):
        raise ArgumentError(
            "E311", f"a {type(leaf).__module__}.{type(leaf).__name__} cannot be an argument of a compiled program",
            help="np.array(x) converts it to an array",
        )  # fmt: skip
    if type(leaf) in (str, bytes, bool, int):
        return type(leaf), leaf
    if isinstance(leaf, (set, bytearray)):
        raise ArgumentError(
            "E311", f"a {type(leaf).__name__} cannot be an argument of a compiled program",
            help="pass arrays, numbers, strings, and tuples, lists or dicts of them",
        )  # fmt: skip
    return SameObject(leaf)
