# SPDX-License-Identifier: Apache-2.0
"""`TorchFunction`: a module, compiled for each kind of call."""

from __future__ import annotations

import dataclasses
import logging
import threading
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from numpy.typing import NDArray
from torch.autograd import forward_ad

from hybridize.base import modes
from hybridize.base.config import CONFIG
from hybridize.base.dims import is_symbolic
from hybridize.base.errors import ArgumentError, CaptureError, HybridizeError, StateError
from hybridize.base.forks import renewed
from hybridize.base.interruptions import let_through
from hybridize.base.loading import LOADING
from hybridize.base.nested import Structure, flatten
from hybridize.base.types import TensorType
from hybridize.capture import Function
from hybridize.capture.function import Options
from hybridize.contract.call import Call
from hybridize.formats.archive import write_archive
from hybridize.formats.saved import SavedProgram
from hybridize.programs import Program
from hybridize.programs.cache import ProgramCache
from hybridize.programs.families import Family
from hybridize.torch.compiled import Compiled, OtherTensorsError, Shapes, call_of
from hybridize.torch.exporting import export, own_error
from hybridize.torch.samples import example, recorded
from hybridize.torch.samples import samples as sampled
from hybridize.torch.tracing import is_traced

if TYPE_CHECKING:
    from hybridize.formats.exporting import Exported as Files

PROGRAMS = 64
"""The most programs that a module keeps; those for the kind of call that last needed a new one longest ago go first."""
_log = logging.getLogger(__name__)


class TorchFunction:
    """A `torch.nn.Module` whose calls run as machine code.

    Attributes:
        module: the module itself; its parameters are read where they are.
    """

    def __init__(self, module: torch.nn.Module, **options: Any) -> None:
        """Wrap `module`; `options` are those of `hybridize`."""
        self.module = module
        checked = Options.of(options)
        self.options = {field.name: getattr(checked, field.name) for field in dataclasses.fields(checked)}
        """Keywords of the programs."""
        self._cache: ProgramCache[Compiled] = ProgramCache(PROGRAMS, _is_general)
        """Programs by what their calls have in common but for sizes."""
        self._latest: Compiled | None = None
        """The program of the last call, where calls like it need no taking apart."""
        self._lock = renewed(threading.RLock())

    def __repr__(self) -> str:
        return f"hybridize({self.module!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies, and what is read from a file of `pickle`, have the module's own copy and no program yet."""
        return _of_module, (self.module, self.options)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Compute `module(*args, **kwargs)` by a compiled program.

        Raises:
            CaptureError: a part of the module that cannot be compiled, named with its line.
            DeviceError E702: a tensor outside the computer's memory.
        """
        if is_traced():  # inside of another module, it is a part like any other
            return self.module(*args, **kwargs)
        if torch.is_autocast_enabled("cpu"):
            raise _refused(self.module, "within torch.autocast")
        if torch._C._functorch.peek_interpreter_stack() is not None:
            raise _refused(self.module, "within a transform of torch.func, such as vmap")
        if forward_ad._current_level >= 0 and _has_tangents((args, kwargs)):
            raise _refused(self.module, "with tangents of forward-mode differentiation")
        latest = self._latest
        if latest is not None and not kwargs and latest.fits(args):
            return latest.direct(args)
        if CONFIG.disable or modes.is_disabled():
            return self.module(*args, **kwargs)
        leaves, structure = flatten((args, kwargs))
        compiled = self._compiled(leaves, structure, args, kwargs)
        self._latest = compiled if compiled.plain and not kwargs else None
        return compiled.result(compiled(leaves))

    def program(self, *args: Any, **kwargs: Any) -> Program:
        """The program that a call with these arguments runs."""
        leaves, structure = flatten((args, kwargs))
        compiled = self._compiled(leaves, structure, args, kwargs)
        args, kwargs = compiled.call(leaves)
        function: Any = compiled.function  # mypy binds what a property gives, as if it were a method
        program: Program = function.program(*args, **kwargs)
        return program

    def compile(self, *specs: Any) -> Program:
        """Compile ahead of the first call.

        Args:
            specs: for each argument a tensor or number like it, or a type such as `"f32[2,3]"`.
        """
        return self.program(*(example(spec) if isinstance(spec, str) else spec for spec in specs))

    def forget(self, program: Program) -> None:
        """Forget one program; a call that only it was for is exported again."""
        with self._lock:
            self._cache.remove(lambda one: one.runs(program))
            self._latest = None

    def saved(self, samples: Sequence[Any] = (), notes: list[str] | None = None) -> SavedProgram:
        """Every program compiled so far as plain data, with the weights as they are now.

        Args:
            samples: calls to check what is made of it with, besides those that the programs were exported at: each a
                tensor or a tuple of arguments.
            notes: hears where something else had to stand for PyTorch.

        Raises:
            StateError E507: nothing has been compiled yet.
            ArgumentError E334: no program takes one of the samples.
        """
        with self._lock:
            compiled = self._all()
        if not compiled:
            raise StateError("E507", "there is no program to save yet", help="call the module once, then save it")
        calls: dict[int, list[tuple[NDArray[Any], ...] | None]] = {id(one): [one.sample] for one in compiled}
        for number, sample in enumerate(samples):
            leaves, structure = flatten((sample if isinstance(sample, tuple) else (sample,), {}))
            found = self._find(self._key(leaves, structure), _shapes(leaves))
            if found is None:
                text = f"sample {number} is a call that {type(self.module).__name__} has no program for"
                raise ArgumentError("E334", text, help="call it once with these arguments")
            calls[id(found)].append(recorded(leaves))
        told = [] if notes is None else notes
        weights: dict[str, Any] = {}
        signatures = []
        for one in compiled:
            weights.update(one.saved.weights)
            module = self.module if one.same_module() and one.same_tensors() and not one.frozen else None
            made = sampled(module, one.saved, one.structure, one.leaves, calls[id(one)], told)
            signatures.append(dataclasses.replace(one.saved.signatures[0], samples=made))
        return dataclasses.replace(compiled[0].saved, signatures=tuple(signatures), weights=weights)

    def save(self, path: str | Path, *, samples: Sequence[Any] = ()) -> None:
        """Write every program compiled so far, with the weights as they are now, as one file for `hybridize.load`.

        Args:
            path: of the file.
            samples: calls by which the file can be checked; see `export`.

        Raises:
            StateError E507: nothing has been compiled yet.
        """
        write_archive(path, self.saved(samples))

    def export(
        self,
        path: str | Path,
        format: str = "archive",
        *,
        samples: Sequence[Any] = (),
        progress: Callable[[str], None] | None = None,
        **options: Any,
    ) -> Files:
        """Write all programs as files that run without this Python; each is run and compared before it is in place.

        Args:
            path: of the archive; of other formats, the folder and the name of the model.
            format: as in `hybridize.Function.export`: `"archive"`, `"library"`, `"object"` or `"wasm"`.
            samples: calls to check it with, besides those that the programs were exported at: each a tensor or a
                tuple of arguments.
            progress: hears what is being done.
            options: as in `hybridize.Function.export`.

        Raises:
            StateError E507: nothing has been compiled yet.
            ArgumentError E334 to E337: a sample that no program takes, an unknown format or option.
            CaptureError E454 to E457: what only Python can do is part of a program.
            VerificationError E810 to E812: what was written is not what PyTorch gives. Nothing changed on the disk.
        """
        with LOADING:
            from hybridize.programs.exporting import export as write  # late: most processes write no file

        return write(self.saved, Function.from_saved, path, format, samples=samples, progress=progress, options=options)

    def cache_info(self) -> dict[str, int]:
        """Count the programs that are kept, and tell how many may be."""
        return {"programs": len(self._all()), "limit": PROGRAMS}

    def cache_clear(self) -> None:
        """Forget all programs."""
        with self._lock:
            self._cache.clear()
            self._latest = None

    def _all(self) -> list[Compiled]:
        return list(self._cache)

    def _key(self, leaves: Sequence[Any], structure: Structure) -> Hashable:
        """Return what calls that differ in sizes only have in common."""
        return structure, tuple(map(_kind, leaves)), self.module.training

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
            types = iter(exported.kinds)
            opened = tuple(next(types) if isinstance(kind, TensorType) else kind for kind in kinds)
            compiled.explain(family.change(call, opened, [f"argument {i}" for i in range(len(kinds))]))
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


def _of_module(module: torch.nn.Module, options: dict[str, Any]) -> TorchFunction:
    return TorchFunction(module, **options)


def _has_tangents(arguments: Any) -> bool:
    tensors = [leaf for leaf in flatten(arguments)[0] if isinstance(leaf, torch.Tensor)]
    return any(forward_ad.unpack_dual(tensor).tangent is not None for tensor in tensors)  # type: ignore[no-untyped-call]


def _refused(module: torch.nn.Module, mode: str) -> CaptureError:
    return CaptureError(
        "E458",
        f"{type(module).__name__} is called {mode}, which its programs know nothing of",
        help="call the module itself there; module.bfloat16() makes programs of half the precision",
    )


def _shapes(leaves: Sequence[Any]) -> Shapes:
    return tuple([leaf.shape for leaf in leaves if isinstance(leaf, torch.Tensor)])


def _is_general(program: Compiled) -> bool:
    """Tell whether a program is for calls of several sizes."""
    return program.graph.scope is not None


def _kind(leaf: Any) -> Hashable:
    """Return what calls of one program have in common, but for sizes."""
    if isinstance(leaf, torch.Tensor):
        return leaf.dtype, leaf.ndim
    if isinstance(leaf, (bool, int, float, str)):
        return type(leaf), leaf
    raise ArgumentError(
        "E311",
        f"an argument of class {type(leaf).__name__} cannot be part of a program",
        help="pass tensors, numbers, strings, None, or tuples, lists and dicts of them",
    )


def _is_open(size: int) -> bool:
    """Tell whether a program holds for more than one value of a size."""
    symbol = size.symbol if is_symbolic(size) else None  # type: ignore[attr-defined]
    return is_symbolic(size) and (symbol is None or not symbol.pinned)
