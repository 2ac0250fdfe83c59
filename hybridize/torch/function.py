# SPDX-License-Identifier: Apache-2.0
"""`TorchFunction`: a module, compiled for each kind of call."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from hybridize.base import modes
from hybridize.base.config import CONFIG
from hybridize.base.errors import CaptureError, HybridizeError, InternalError, StateError
from hybridize.base.forks import renewed
from hybridize.base.locations import location_in
from hybridize.base.nested import flatten, unflatten
from hybridize.base.tracebacks import trim
from hybridize.capture.calls import LIMIT
from hybridize.capture.options import Options
from hybridize.capture.saved_function import Exportable
from hybridize.formats.archive import write_archive
from hybridize.formats.saved import SavedProgram
from hybridize.programs import Program
from hybridize.system.interruptions import let_through
from hybridize.torch.kinds import example
from hybridize.torch.modules import Wrapper
from hybridize.torch.traced import CannotCapture, Followed

_SHARED = tuple(vars(torch.nn.Module()))
"""Attributes in which a module keeps its parameters, buffers, parts and hooks."""
_OWN = frozenset({"options", "_followed", "_lock"})
"""Attributes of the wrapper itself."""
_OF_ISLANDS = ("E460", "E573", "E574", "E575", "E576")
"""Errors that say what is wrong with an island: nothing else shall stand for it."""
_ISLAND = "hybridize.torch.island(...) runs a part of it in PyTorch"


class TorchFunction(Exportable, Wrapper):
    """Run the calls of a `torch.nn.Module` as machine code. `hybridize(module)` returns it.

    It is a module, too. Its parameters, buffers, parts, hooks and modes are those of the wrapped module, under the same
    names, and so are all other methods and attributes.

    Attributes:
        module: the wrapped module. A call reads the parameters as they are.

    >>> import torch
    >>> from hybridize import hybridize
    >>> from hybridize.torch import TorchFunction
    >>> layer = hybridize(torch.nn.Linear(3, 2))
    >>> isinstance(layer, TorchFunction), layer(torch.ones(1, 3)).shape
    (True, torch.Size([1, 2]))
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
        self.options: dict[str, Any] = {
            field.name: getattr(checked, field.name) for field in dataclasses.fields(checked)
        }
        """Keywords of the programs."""
        self._followed = Followed(module, self.options)
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
        """Run the module, as a call of the object itself does."""
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
        if CONFIG.disable or modes.is_disabled():
            return self.module(*args, **kwargs)
        try:
            return self._dispatched(args, kwargs)
        except Exception as error:
            trim(error)
            raise

    def _dispatched(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            result = self._followed.call(args, kwargs)
        except CannotCapture as problem:
            cause = problem.__cause__
            raise self._refusal(cause, args, kwargs) from (None if cause is None else cause.__cause__)
        if self._followed.renewed():
            with self._lock:
                self._install()
        return result

    def _refusal(self, problem: BaseException | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> BaseException:
        """Return what the user meets where the module cannot be captured for a call, which `problem` says.

        It is what the module itself raises for these arguments, if it does; a refusal at the user's line, with an
        island among its remedies; or InternalError E978, where the capture fails in another way than by refusing.
        """
        if isinstance(problem, CaptureError):
            return problem if problem.code in _OF_ISLANDS else _offering_an_island(problem)
        if isinstance(problem, HybridizeError) and problem.code in _OF_ISLANDS:
            return problem
        own = _own_error(self.module, args, kwargs)
        if own is not None:
            return own
        if isinstance(problem, InternalError):
            return problem
        return _offering_an_island(problem) if isinstance(problem, HybridizeError) else _defect(self.module, problem)

    def program(self, *args: Any, **kwargs: Any) -> Program:
        """Return the program that a call with these arguments runs if nothing is differentiated."""
        try:
            return self._followed.program_for(args, kwargs)
        except CannotCapture as problem:
            raise self._refusal(problem.__cause__, args, kwargs) from None

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

    def saved(self, samples: Sequence[Any] = (), notes: list[str] | None = None) -> SavedProgram:
        """Return every program compiled so far as plain data, with the weights as they are now.

        Args:
            samples: calls to check what is made of it with, besides those that the programs were made at: each a
                tensor or a tuple of arguments.
            notes: hears where something else had to stand for PyTorch.

        Raises:
            StateError E507: nothing has been compiled yet.
            ArgumentError E334: no program takes one of the samples.
        """
        if not self._followed.programs():
            raise StateError("E507", "there is no program to save yet", help="call the module once, then save it")
        calls = [sample if isinstance(sample, tuple) else (sample,) for sample in samples]
        return self._followed.saved(calls, [] if notes is None else notes)

    def save(self, path: str | Path, *, samples: Sequence[Any] = ()) -> None:
        """Write every program compiled so far, with the weights as they are now, as one file for `hybridize.load`.

        Args:
            path: of the file.
            samples: calls by which the file can be checked; see `export`.

        Raises:
            StateError E507: nothing has been compiled yet.
        """
        write_archive(path, self.saved(samples))

    def programs(self) -> list[Program]:
        """Return all programs, the least recently made first."""
        return self._followed.programs()

    def cache_info(self) -> dict[str, int]:
        """Count the programs that are kept, and tell how many may be."""
        return {"programs": len(self._followed.programs()), "limit": LIMIT}

    def cache_clear(self) -> None:
        """Forget all programs."""
        self._followed.clear()
        self._install()


def _of_module(module: torch.nn.Module, options: dict[str, Any]) -> TorchFunction:
    return TorchFunction(module, **options)


def _own_error(module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception | None:
    """Return what a module raises in PyTorch for these arguments, if it does: its own words for what we refuse.

    It runs on copies of tensors, parameters and buffers, and of the state of the random generator; what it does to its
    attributes is undone. Modules of TorchScript, whose tensors cannot be replaced, do not run.
    """
    parts = list(module.modules())
    if any(isinstance(part, torch.jit.ScriptModule) for part in parts):
        return None
    leaves, structure = flatten((args, kwargs))
    args, kwargs = unflatten(structure, [_copied(leaf) for leaf in leaves])
    state = {name: _copied(tensor) for name, tensor in (*module.named_parameters(), *module.named_buffers())}
    before = [(vars(part), dict(vars(part))) for part in parts]
    try:
        with torch.random.fork_rng(devices=[]):
            torch.func.functional_call(module, state, args, kwargs)
    except Exception as error:
        let_through(error)
        return error
    finally:
        for attributes, old in before:
            for name in attributes.keys() - old.keys():
                del attributes[name]
            attributes.update(old)
    return None


def _copied(x: Any) -> Any:
    if not isinstance(x, torch.Tensor):
        return x
    copied = x.detach().clone().requires_grad_(x.requires_grad)
    return copied if x.is_leaf else copied.clone()


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
