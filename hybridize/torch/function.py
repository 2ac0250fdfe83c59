# SPDX-License-Identifier: Apache-2.0
"""`TorchFunction`: a module, compiled for each kind of call."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch.autograd import forward_ad

from hybridize.base import modes
from hybridize.base.advice import warn_at
from hybridize.base.config import CONFIG
from hybridize.base.errors import ArgumentError, CaptureError, HybridizeError, InternalError, StateError
from hybridize.base.forks import renewed
from hybridize.base.loading import LOADING
from hybridize.base.locations import location_in
from hybridize.base.nested import flatten
from hybridize.base.tracebacks import trim
from hybridize.capture import Function
from hybridize.capture.function import LIMIT, Options
from hybridize.formats.archive import write_archive
from hybridize.formats.saved import SavedProgram
from hybridize.programs import Program
from hybridize.torch.being_exported import is_traced
from hybridize.torch.internals import has_dual_level, transform
from hybridize.torch.kinds import example, kind_of
from hybridize.torch.modules import Wrapper
from hybridize.torch.traced import CannotCapture, Followed

if TYPE_CHECKING:
    from hybridize.formats.exporting import Exported as Files
    from hybridize.torch.exported.door import ByExport

_SHARED = tuple(vars(torch.nn.Module()))
"""Attributes in which a module keeps its parameters, buffers, parts and hooks."""
_OWN = frozenset({"options", "_followed", "_export", "_exports", "_lock"})
"""Attributes of the wrapper itself."""
_OF_ISLANDS = ("E460", "E573", "E574", "E575", "E576")
"""Errors that say what is wrong with an island: nothing else shall stand for it."""
_ISLAND = "hybridize.torch.island(...) runs a part of it in PyTorch"


class ExportWarning(UserWarning):
    """Our own capture cannot follow a module for a kind of call: it goes by `torch.export`, which takes seconds."""


class TorchFunction(Wrapper):
    """A `torch.nn.Module` whose calls run as machine code.

    It is a module itself: its parameters, buffers, parts, hooks and modes are those of the module that it is made of,
    under the same names, and so are other methods and attributes, whoever sets them.

    Attributes:
        module: the module itself; its parameters are read where they are.
    """

    # As in `hybridize.Function`: what `self(...)` calls is the entry of the latest program itself.
    __slots__ = ("__call__",)

    if TYPE_CHECKING:

        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

    def __init__(self, module: torch.nn.Module, **options: Any) -> None:
        """Wrap `module`; `options` are those of `hybridize`."""
        super().__init__()
        module = module.module if isinstance(module, TorchFunction) else module
        own = vars(self)
        own.update({name: vars(module)[name] for name in _SHARED if name in vars(module)})
        del own["training"]
        own["module"] = module
        checked = Options.of(options)
        self.options = {field.name: getattr(checked, field.name) for field in dataclasses.fields(checked)}
        """Keywords of the programs."""
        self._followed = Followed(module, self.options)
        self._exports: dict[Hashable, str] = {}
        """Kinds of calls that only `torch.export` can capture, and why."""
        self._export: ByExport | None = None
        """The road through `torch.export`, once a call has needed it."""
        self._lock = renewed(threading.RLock())
        self._install()

    def _install(self) -> None:
        """Make the entries of the latest programs what a call reaches first."""
        object.__setattr__(self, "__call__", self._followed.entry(self._called))

    def __repr__(self) -> str:
        return f"hybridize({self.module!r})"

    def __getattr__(self, name: str) -> Any:
        """Give what the module has under a name."""
        module = vars(self).get("module")
        if module is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(module, name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute of the module."""
        if name in _OWN:
            vars(self)[name] = value
        else:
            setattr(self.module, name, value)

    def __delattr__(self, name: str) -> None:
        """Delete an attribute of the module."""
        delattr(self.module, name)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *dir(self.module)})

    def __bool__(self) -> bool:
        return bool(self.module)

    def __len__(self) -> int:
        return len(self._container)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._container)

    def __contains__(self, key: Any) -> bool:
        return key in self._container

    def __getitem__(self, key: Any) -> Any:
        return self._container[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._container[key] = value

    def __delitem__(self, key: Any) -> None:
        del self._container[key]

    @property
    def _container(self) -> Any:
        """The module, which may be a container of others: Python asks the class for what containers do."""
        return self.module

    def train(self, mode: bool = True) -> TorchFunction:
        """Set the mode of the module."""
        self.module.train(mode)
        return self

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call it."""
        return self(*args, **kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies, and what is read from a file of `pickle`, have the module's own copy and no program yet."""
        return _of_module, (self.module, self.options)

    def _called(self, /, *args: Any, **kwargs: Any) -> Any:
        """Compute `module(*args, **kwargs)` by a compiled program; a call that no entry is for.

        Raises:
            CaptureError: a part of the module that cannot be compiled, named with its line.
            DeviceError E702: a tensor outside the computer's memory.
        """
        if is_traced():  # inside of another module, it is a part like any other
            return self.module(*args, **kwargs)
        if torch.is_autocast_enabled("cpu"):
            raise _refused(self.module, "within torch.autocast")
        if transform() is not None:
            raise _refused(self.module, "within a transform of torch.func, such as vmap")
        if has_dual_level() and _has_tangents((args, kwargs)):
            raise _refused(self.module, "with tangents of forward-mode differentiation")
        if CONFIG.disable or modes.is_disabled():
            return self.module(*args, **kwargs)
        try:
            return self._dispatched(args, kwargs)
        except Exception as error:
            trim(error)
            raise

    def _dispatched(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not self._exports or self._key(args, kwargs) not in self._exports:
            try:
                result = self._followed.call(args, kwargs)
                if self._followed.renewed():
                    with self._lock:
                        self._install()
                return result
            except CannotCapture as problem:
                return self._by_export(problem.__cause__, args, kwargs)
        return self._exported_door().call(args, kwargs)

    def _by_export(self, problem: BaseException | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call that our own capture cannot follow.

        Raises:
            CaptureError: `torch.export` cannot either; what stopped our own capture says so at the user's line.
        """
        told = self._leave(problem, args, kwargs)
        try:
            result = self._exported_door().call(args, kwargs)
        except HybridizeError:
            self._exports.pop(self._key(args, kwargs), None)
            if not isinstance(problem, CaptureError):
                raise
            raise _offering_an_island(problem) from None
        told()
        return result

    def _exported_door(self) -> ByExport:
        """The road through `torch.export`; its modules are loaded by the first that needs it."""
        with self._lock:
            if self._export is None:
                with LOADING:
                    from hybridize.torch.exported.door import ByExport

                self._export = ByExport(self.module, self.options)
            return self._export

    def _leave(
        self, problem: BaseException | None, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Callable[[], None]:
        """Leave a kind of call to `torch.export`; return what says so, for when that has done it.

        Raises:
            Exception: what the module itself raises for these arguments.
            HybridizeError: what an island raises when its results are looked at.
            InternalError E978: our own capture fails otherwise than by refusing what it does not know.
        """
        if isinstance(problem, HybridizeError) and problem.code in _OF_ISLANDS:
            raise problem from None
        if not isinstance(problem, CaptureError):  # to run it in PyTorch changes what it keeps in Python
            with LOADING:
                from hybridize.torch.exported.exporting import own_error

            own = own_error(self.module, *flatten((args, kwargs)))
            if own is not None:
                raise own from None
        if isinstance(problem, InternalError):
            raise problem
        if not isinstance(problem, HybridizeError):
            raise _defect(self.module, problem) from problem
        key = self._key(args, kwargs)
        if key is None:
            raise _offering_an_island(problem) from None
        loc = problem.loc
        reason = problem.what + (f" ({loc})" if loc is not None else "")
        known = reason in self._exports.values()
        self._exports[key] = reason
        text = f"{type(self.module).__name__} is captured by torch.export, because {problem.what}; {_ISLAND}"
        return (lambda: None) if known else partial(warn_at, loc, text, ExportWarning)

    @property
    def exported(self) -> tuple[str, ...]:
        """The reasons for which calls were captured by `torch.export`, each once; empty where none was."""
        return tuple(dict.fromkeys(self._exports.values()))

    def program(self, *args: Any, **kwargs: Any) -> Program:
        """The program that a call with these arguments runs where nothing is differentiated."""
        if self._key(args, kwargs) not in self._exports:
            try:
                return self._followed.program_for(args, kwargs)
            except CannotCapture as problem:
                told = self._leave(problem.__cause__, args, kwargs)
                program = self._exported_door().program(args, kwargs)
                told()
                return program
        return self._exported_door().program(args, kwargs)

    def compile(self, *specs: Any) -> Program:  # type: ignore[override]
        """Compile ahead of the first call.

        Args:
            specs: for each argument a tensor or number like it, or a type such as `"f32[2,3]"`.
        """
        return self.program(*(example(spec) if isinstance(spec, str) else spec for spec in specs))

    def forget(self, program: Program) -> None:
        """Forget one program; a call that only it was for is captured again."""
        self._followed.forget(program)
        self._install()
        if self._export is not None:
            self._export.forget(program)

    def saved(self, samples: Sequence[Any] = (), notes: list[str] | None = None) -> SavedProgram:
        """Every program compiled so far as plain data, with the weights as they are now.

        Args:
            samples: calls to check what is made of it with, besides those that the programs were made at: each a
                tensor or a tuple of arguments.
            notes: hears where something else had to stand for PyTorch.

        Raises:
            StateError E507: nothing has been compiled yet.
            ArgumentError E334: no program takes one of the samples.
        """
        told = [] if notes is None else notes
        calls = [sample if isinstance(sample, tuple) else (sample,) for sample in samples]
        left = [call for call in calls if self._key(call, {}) in self._exports]
        found = []
        if self._followed.programs():
            found.append(self._followed.saved([call for call in calls if call not in left], told))
        if self._export is not None and len(self._export):
            found.append(self._export.saved(left, told))
        if not found:
            raise StateError("E507", "there is no program to save yet", help="call the module once, then save it")
        signatures = tuple(one for saved in found for one in saved.signatures)
        weights = {name: weight for saved in found for name, weight in saved.weights.items()}
        return dataclasses.replace(found[0], signatures=signatures, weights=weights)

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
            samples: calls to check it with, besides those that the programs were made at: each a tensor or a
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

    def programs(self) -> list[Program]:
        """All programs of our own capture, the least recently made first."""
        return self._followed.programs()

    def cache_info(self) -> dict[str, int]:
        """Count the programs that are kept, and tell how many may be."""
        exported = 0 if self._export is None else len(self._export)
        return {"programs": len(self._followed.programs()) + exported, "limit": LIMIT}

    def cache_clear(self) -> None:
        """Forget all programs."""
        self._followed.clear()
        self._install()
        self._exports.clear()
        if self._export is not None:
            self._export.clear()

    def _key(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Hashable:
        """Return what calls that differ in sizes only have in common; None where `torch.export` takes no such call."""
        leaves, structure = flatten((args, kwargs))
        try:
            return structure, tuple(map(kind_of, leaves)), self.module.training
        except ArgumentError:  # an object of a class of the user's, which our own capture follows
            return None


def _of_module(module: torch.nn.Module, options: dict[str, Any]) -> TorchFunction:
    return TorchFunction(module, **options)


def _offering_an_island(problem: HybridizeError) -> HybridizeError:
    """Return an error with an island among its remedies."""
    if _ISLAND not in problem.help:
        problem.help = "; or ".join(filter(None, [problem.help, _ISLAND]))
    return problem


def _defect(module: torch.nn.Module, problem: BaseException | None) -> InternalError:
    """Return the error for what our own capture must not raise."""
    return InternalError(
        "E978",
        f"capturing {type(module).__name__} raised {type(problem).__name__}: {problem}",
        loc=None if problem is None else location_in(problem),
        help=f"please report it; {_ISLAND}",
    )


def _has_tangents(arguments: Any) -> bool:
    tensors = [leaf for leaf in flatten(arguments)[0] if isinstance(leaf, torch.Tensor)]
    return any(forward_ad.unpack_dual(tensor).tangent is not None for tensor in tensors)  # type: ignore[no-untyped-call]


def _refused(module: torch.nn.Module, mode: str) -> CaptureError:
    return CaptureError(
        "E458",
        f"{type(module).__name__} is called {mode}, which its programs know nothing of",
        help="call the module itself there; module.bfloat16() makes programs of half the precision",
    )
