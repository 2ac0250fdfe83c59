# SPDX-License-Identifier: Apache-2.0
"""JAX's arrays as the emitted entry takes and makes them, the modes in which it takes none, and entries of forms."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final

import jax
import numpy

from hybridize.base.config import CONFIG
from hybridize.base.dtypes import CODES
from hybridize.base.types import TensorType
from hybridize.jax import internals
from hybridize.jax.arrays import ARRAY, is_key
from hybridize.jax.forms import ArrayLeaf, CallForm
from hybridize.jax.outside import Outside
from hybridize.programs import Program
from hybridize.runtime import cpython
from hybridize.runtime.entry import Argument, ArgumentKind, Look, Watch
from hybridize.runtime.exchange import ViewExchange, formats_of

Entry = Callable[..., Any]
_FLOATS: Final = ("float32", "float64")


@cache
def exchange() -> ViewExchange | None:
    """Return how an emitted entry takes and makes arrays; None where this JAX does not allow it."""
    function, operands = internals.maker()
    if function is None or not cpython.supported():
        return None
    arrays = []
    for dtype in CODES:
        try:
            arrays.append(internals.over_memory(numpy.zeros(1, dtype)))
        except (TypeError, ValueError, BufferError):  # it has no such arrays
            continue
    return ViewExchange(ARRAY, function, operands, formats_of(arrays), sys.intern("weak_type"))


def settings_watched() -> list[Watch]:
    """List the modes that must be as they are now for an entry to take a call: JAX's settings, which traces are of."""
    now = internals.settings()

    def are_same() -> bool:
        return bool(internals.settings() == now)

    return [Watch(Look.SETTING, vars(CONFIG), "disable", False), Watch(Look.CALL, are_same, None, True)]


class Entered:
    """The calls of a form, of one layout: entries for its latest programs.

    Args:
        form: the form.
        args: arguments of a call, all of which are laid out as these.
        kwargs: the same by name.
        positions: of those that are constants to JAX.
        names: of those that are.
    """

    def __init__(
        self, form: CallForm, args: tuple[Any, ...], kwargs: Mapping[str, Any], positions: Sequence[int],
        names: Sequence[str],
    ) -> None:  # fmt: skip
        self.form = form
        self._args, self._kwargs = args, dict(kwargs)
        self._fixed = {position % len(args) for position in positions if -len(args) <= position < len(args)}, set(names)
        self._programs: tuple[Program, ...] = ()

    def is_current(self) -> bool:
        """Tell whether there is no other program since the entries were made."""
        return self._programs == self.form.compiled.recent

    def entry(
        self, fallback: Entry, library: ViewExchange, settings: Sequence[Watch], outside: Sequence[Outside | None]
    ) -> Entry:
        """Return a callable for the calls of the programs, which gives all others to `fallback`.

        Args:
            fallback: gets the others.
            library: takes and makes arrays.
            settings: what must be as it is.
            outside: what the function reads besides its arguments, which must be the same.
        """
        reads = [one for one in outside if one is not None]
        watches = [*settings, *(watch for one in reads for watch in one.watches())]

        def doubt() -> bool:
            return all(one.holds() for one in reads)

        self._programs, results = self.form.compiled.recent, self.form.results
        if results is None or not results.plain:
            return fallback
        is_leaf = results.tree == jax.tree.structure(0)
        entry = fallback
        for program in reversed(self._programs):
            arguments = self._arguments(program)
            if arguments is not None:
                structure = "leaf" if is_leaf else results.tree.unflatten
                entry = program.entry_over((), entry, library, watches, structure, doubt, arguments) or entry
        return entry

    def _arguments(self, program: Program) -> tuple[list[Argument], tuple[str, ...]] | None:
        """List what the entry checks of each argument, and the names of the last of them; None where it cannot."""
        count = sum(isinstance(leaf, ArrayLeaf) for leaf in self.form.leaves)
        if [source.position for source in program.capture.sources] != list(range(count)):
            return None
        types = [value.type for value in program.captured.inputs]
        try:
            args, kwargs = jax.tree.unflatten(self.form.tree, range(len(self.form.leaves)))
            numbers, layout = iter(args), _Layout(self.form, types)
            positions, names = self._fixed
            arguments = [
                Argument(ArgumentKind.SAME, value=value) if position in positions else layout.of(value, next(numbers))
                for position, value in enumerate(self._args)
            ]
            dynamic = [name for name in self._kwargs if name not in names]
            if dynamic != sorted(dynamic):  # which is the order of JAX
                return None
            for name, value in self._kwargs.items():
                same = Argument(ArgumentKind.SAME, value=value)
                arguments.append(same if name in names else layout.of(value, kwargs[name]))
        except _NoEntryError:
            return None
        return arguments, tuple(map(sys.intern, self._kwargs))


class _NoEntryError(Exception):
    """An argument is of a kind that entries do not check."""


class _Layout:
    """Describes arguments of a form as entries check them.

    Args:
        form: the form.
        types: of the arrays, in the order of the form.
    """

    def __init__(self, form: CallForm, types: Sequence[TensorType]) -> None:
        self._leaves = form.leaves
        arrays = [number for number, leaf in enumerate(form.leaves) if isinstance(leaf, ArrayLeaf)]
        self._types = dict(zip(arrays, types, strict=True))

    def of(self, value: Any, number: Any) -> Argument:
        """Describe an argument, or an item of one; its number is that of the leaf, or the same container of numbers.

        Raises:
            _NoEntryError: it cannot be checked by an entry.
        """
        kind = type(value)
        if value is None:
            return Argument(ArgumentKind.SAME, value=None)
        if isinstance(number, int):
            return self._leaf(value, number)
        if kind is dict and type(number) is dict:
            order = sorted(value)
            items = tuple(self.of(value[key], number[key]) for key in value)
            ranks = tuple(map(order.index, value))
            return Argument(ArgumentKind.DICT, value=dict, items=items, keys=tuple(value), order=ranks)
        if type(number) is kind and (kind in (list, tuple) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))):
            items = tuple(map(self.of, value, number))
            return Argument(ArgumentKind.LIST if kind is list else ArgumentKind.TUPLE, value=kind, items=items)
        raise _NoEntryError

    def _leaf(self, value: Any, number: int) -> Argument:
        leaf = self._leaves[number]
        if not isinstance(leaf, ArrayLeaf):
            return Argument(ArgumentKind.SAME, value=value)
        type_ = self._types[number]
        if type(value) is ARRAY and not is_key(leaf.dtype):
            return Argument(ArgumentKind.ARRAY, type_, flag=bool(leaf.weak))
        if type(value) is float and type_.dtype.name in _FLOATS:
            return Argument(ArgumentKind.FLOAT, type_)
        raise _NoEntryError
