# SPDX-License-Identifier: Apache-2.0
"""`ByExport`: the programs of a module that `torch.export` has captured."""

from __future__ import annotations

import dataclasses
import logging
import threading
from collections.abc import Hashable, Sequence
from typing import Any

import torch
from numpy.typing import NDArray

from hybridize.base.dims import is_symbolic
from hybridize.base.errors import ArgumentError, HybridizeError
from hybridize.base.forks import renewed
from hybridize.base.interruptions import let_through
from hybridize.base.nested import Structure, flatten
from hybridize.base.types import TensorType
from hybridize.contract.call import Call
from hybridize.formats.saved import SavedProgram
from hybridize.programs import Program
from hybridize.programs.cache import ProgramCache
from hybridize.programs.families import Family
from hybridize.torch.exported.compiled import Compiled, OtherTensorsError, Shapes, call_of
from hybridize.torch.exported.exporting import export, own_error
from hybridize.torch.exported.samples import recorded
from hybridize.torch.exported.samples import samples as sampled
from hybridize.torch.kinds import kind_of

PROGRAMS = 64
"""The most programs that a module keeps; those for the kind of call that last needed a new one longest ago go first."""
_log = logging.getLogger(__name__)


class ByExport:
    """The programs of a module that `torch.export` has captured, one for each kind of call.

    Args:
        module: the module; its parameters are read where they are.
        options: keywords of `hybridize`.
    """

    def __init__(self, module: torch.nn.Module, options: dict[str, Any]) -> None:
        self.module, self.options = module, options
        self._cache: ProgramCache[Compiled] = ProgramCache(PROGRAMS, _is_general)
        """Programs by what their calls have in common but for sizes."""
        self._latest: Compiled | None = None
        """The program of the last call, where calls like it need no taking apart."""
        self._lock = renewed(threading.RLock())

    def __len__(self) -> int:
        return len(list(self._cache))

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result of a call.

        Raises:
            CaptureError: a part of the module that cannot be compiled, named with its line.
        """
        latest = self._latest
        if latest is not None and not kwargs and latest.fits(args):
            return latest.direct(args)
        leaves, structure = flatten((args, kwargs))
        compiled = self._compiled(leaves, structure, args, kwargs)
        self._latest = compiled if compiled.plain and not kwargs else None
        return compiled.result(compiled(leaves))

    def program(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Program:
        """Return the program that a call with these arguments runs where nothing is differentiated."""
        leaves, structure = flatten((args, kwargs))
        compiled = self._compiled(leaves, structure, args, kwargs)
        args, kwargs = compiled.call(leaves)
        function: Any = compiled.function  # mypy binds what a property gives, as if it were a method
        program: Program = function.program(*args, **kwargs)
        return program

    def forget(self, program: Program) -> None:
        """Forget one program; a call that only it was for is exported again."""
        with self._lock:
            self._cache.remove(lambda one: one.runs(program))
            self._latest = None

    def clear(self) -> None:
        """Forget all programs."""
        with self._lock:
            self._cache.clear()
            self._latest = None

    def saved(self, samples: Sequence[Any], notes: list[str]) -> SavedProgram:
        """Return every program as plain data, with the weights as they are now.

        Args:
            samples: calls to check what is made of it with, besides those that the programs were exported at: each a
                tensor or a tuple of arguments.
            notes: hears where something else had to stand for PyTorch.

        Raises:
            ArgumentError E334: no program takes one of the samples.
        """
        with self._lock:
            compiled = list(self._cache)
        calls: dict[int, list[tuple[NDArray[Any], ...] | None]] = {id(one): [one.sample] for one in compiled}
        for number, sample in enumerate(samples):
            leaves, structure = flatten((sample if isinstance(sample, tuple) else (sample,), {}))
            found = self._find(self._key(leaves, structure), _shapes(leaves))
            if found is None:
                text = f"sample {number} is a call that {type(self.module).__name__} has no program for"
                raise ArgumentError("E334", text, help="call it once with these arguments")
            calls[id(found)].append(recorded(leaves))
        weights: dict[str, Any] = {}
        signatures = []
        for one in compiled:
            weights.update(one.saved.weights)
            module = self.module if one.same_module() and one.same_tensors() and not one.frozen else None
            made = sampled(module, one.saved, one.structure, one.leaves, calls[id(one)], notes)
            signatures.append(dataclasses.replace(one.saved.signatures[0], samples=made))
        return dataclasses.replace(compiled[0].saved, signatures=tuple(signatures), weights=weights)

    def _key(self, leaves: Sequence[Any], structure: Structure) -> Hashable:
        """Return what calls that differ in sizes only have in common."""
        return structure, tuple(map(kind_of, leaves)), self.module.training

    def _find(self, key: Hashable, shapes: Shapes) -> Compiled | None:
        """The program that is right for a call, as far as the module is what it was."""
        return next((one for one in self._cache.of(key) if one.accepts(shapes)), None)

    def _compiled(
        self, leaves: Sequence[Any], structure: Structure, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Compiled:
        """The program for a call, made where there is none."""
        key, shapes = self._key(leaves, structure), _shapes(leaves)
        found = self._find(key, shapes)
        if found is None or not found.same_module() or not found.same_tensors():
            with self._lock:
                self._cache.used(key)
                if not all(one.same_module() for one in self._cache.of(key)):
                    self._cache.forget(key)
                found = self._find(key, shapes)
                if found is not None and not found.same_tensors():
                    found = self._renewed(key, found, leaves, structure)
                if found is None:
                    found = self._made(key, leaves, structure, args, kwargs)
        return found

    def _made(
        self,
        key: Hashable,
        leaves: Sequence[Any],
        structure: Structure,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Compiled:
        """A new program, for other sizes too where calls were seen to differ in those; the lock is held."""
        call = call_of(leaves, structure, self.module.training)
        family = self._cache.family(key)
        opened = family.kinds(call, self.options["dynamic"])
        compiled = None if opened is None else self._general(family, call, opened[0], args, kwargs)
        if compiled is None:
            exported = export(self.module, args, kwargs)
            try:
                compiled = Compiled(self.module, leaves, structure, exported, self.options)
            except HybridizeError:
                own = own_error(self.module, leaves, structure)
                if own is not None:
                    raise own from None
                raise
        family.saw(call)
        self._cache.add(key, compiled)
        return compiled

    def _general(
        self, family: Family, call: Call, kinds: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Compiled | None:
        """A program for this call and others that differ in sizes; None where an exact one is of more use."""
        try:
            wanted = [kind for kind in kinds if isinstance(kind, TensorType)]
            exported = export(self.module, args, kwargs, wanted)
            compiled = Compiled(self.module, call.leaves, call.structure, exported, self.options)
        except Exception as error:
            let_through(error)
            # Whatever it is: if it is the user's error, the exact export says so too, in terms of true sizes.
            _log.debug("%s cannot be exported for any size: %s", type(self.module).__name__, error, exc_info=True)
            family.give_up(kinds, error)
            return None
        for asked, given in zip(wanted, exported.kinds, strict=True):
            for size, found in zip(asked.shape, given.shape, strict=True):
                if is_symbolic(size) and not _is_open(found):
                    int(size)  # which pins it, so that the family hears that it is no use as a symbol
        useful = family.settle(kinds)
        if useful:
            compiled.explain(family.change(call, kinds, [f"argument {i}" for i in range(len(kinds))]))
            return compiled
        return compiled if compiled.graph.scope is None else None

    def _renewed(self, key: Hashable, before: Compiled, leaves: Sequence[Any], structure: Structure) -> Compiled | None:
        """A program whose tensors were replaced, over the new ones; None if that takes another graph."""
        try:
            compiled = Compiled(self.module, leaves, structure, before.exported, self.options, before)
        except OtherTensorsError:
            self._cache.forget(key)
            return None
        self._cache.replace(before, compiled)
        return compiled


def _shapes(leaves: Sequence[Any]) -> Shapes:
    return tuple([leaf.shape for leaf in leaves if isinstance(leaf, torch.Tensor)])


def _is_general(program: Compiled) -> bool:
    """Tell whether a program is for calls of several sizes."""
    return program.graph.scope is not None


def _is_open(size: int) -> bool:
    """Tell whether a program holds for more than one value of a size."""
    symbol = size.symbol if is_symbolic(size) else None  # type: ignore[attr-defined]
    return is_symbolic(size) and (symbol is None or not symbol.pinned)
