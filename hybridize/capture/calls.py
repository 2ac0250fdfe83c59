# SPDX-License-Identifier: Apache-2.0
"""`Calls`: a callable that keeps a program for each signature that it was called with, and runs them without Python.

A call goes to the emitted entry of the newest program, which hands what is not exactly for it to the entry before, and
the last of them to `_dispatch`, which is Python: it finds the right program, or has a new one captured.
"""

from __future__ import annotations

import functools
import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable
from operator import attrgetter
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

import numpy

from hybridize.array.device import OTHERS, cpu, current_device, when_used
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.placing import arrays_in, device_of, place
from hybridize.base import modes
from hybridize.base.access import ACCESS
from hybridize.base.config import CONFIG
from hybridize.base.dtypes import float32
from hybridize.base.errors import ArgumentError, GraphError, ShapeError
from hybridize.base.faces import TRACED_ELSEWHERE, Counterpart, Door, Library, OtherLibrary, door_of
from hybridize.base.forks import renewed
from hybridize.base.frozen import frozen
from hybridize.base.loading import load_module
from hybridize.base.nested import flatten
from hybridize.base.notebooks import follow_autoreload
from hybridize.base.participation import ReadPolicy
from hybridize.base.tracebacks import trim
from hybridize.base.types import TensorType
from hybridize.capture.bound import BoundCall
from hybridize.capture.trace.recording import current_trace
from hybridize.contract.call import Call, OfExpressions
from hybridize.programs.cache import ProgramCache
from hybridize.programs.families import family_key
from hybridize.programs.program import Program

if TYPE_CHECKING:
    import typing_extensions

    P = typing_extensions.ParamSpec("P", default=...)
    R = typing_extensions.TypeVar("R", default=Any)
else:
    P, R = ParamSpec("P"), TypeVar("R")
Rest = ParamSpec("Rest")

LIMIT = 64
"""Programs that a function keeps; the least recently used go first."""
_CHAIN = 4
"""Programs whose entries are tried before Python looks for the right one."""
_KEY, _OUTDATED = attrgetter("key"), attrgetter("outdated")


@frozen
class CacheInfo:
    """Counts of the program cache: programs that a function has compiled, and calls that found one."""

    programs: int
    hits: int
    """Calls that Python found a program for. Those that the emitted entry serves, most of them after the first, are not
    counted, as that would cost each of them: 0 does not mean that programs are made again, `captures` says that."""
    captures: int
    evictions: int


class Calls(ABC, Generic[P, R]):
    """The calls of a function: by the entry of a program, by a program, or by one that is made.

    Args:
        function: the user's.
    """

    __hybridize_read__ = ReadPolicy.IDENTITY

    # A slot of this name is what `self(...)` calls: the entry itself, without a Python frame between.
    __slots__ = ("__call__", "__dict__", "__weakref__")

    if TYPE_CHECKING:

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

    def __init__(self, function: Callable[P, R]) -> None:
        functools.update_wrapper(self, function)  # first: what it wraps may be hybridized, with attributes like these
        self.python_function = function
        self.library: Library | None = None
        """The array library that the function is written for, where that is another one."""
        self._door: Door | None = None
        """That of another library which the function uses, also in calls without an array of it."""
        self.counterpart: Counterpart | None = None
        """The function over arrays of another library, once it was called with such."""
        self._cache: ProgramCache[Program] = ProgramCache(LIMIT)
        self._recent: list[Program] = []
        self._installed = True
        """True if the latest programs have entries."""
        self._new = False
        """True if it comes from a file and was not called yet."""
        self._lock = renewed(threading.RLock())
        self._hits = self._captures = 0
        self.name: str = getattr(function, "__name__", type(function).__name__)
        if isinstance(function, MethodType) and self.name.startswith("_"):
            self.name = type(function.__self__).__name__
        self._install()
        _FUNCTIONS.add(self)
        follow_autoreload(Calls, _wrapped)

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...
    @overload
    def __get__(
        self: Calls[Concatenate[Any, Rest], R], instance: object, owner: type | None = None
    ) -> Callable[Rest, R]: ...
    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        count = self.cache_info().programs
        return f"<hybridized {self.name}: {count} program{'' if count == 1 else 's'}>"

    # ---------------------------------------------------------------------------------------------------- calls

    def _dispatch(self, /, *args: Any, **kwargs: Any) -> Any:
        """A call that no entry is for."""
        if CONFIG.disable or modes.is_disabled():
            return self.python_function(*args, **kwargs)
        trace = current_trace()
        if trace is not None:  # inside of another capture it becomes part of that program
            elsewhere = TRACED_ELSEWHERE.get() or self._door_of(args, kwargs) is not None
            if self.library is None and elsewhere:
                return self.python_function(*args, **kwargs)
            return trace.convert(self.python_function)(*args, **kwargs)
        try:
            if self.library is None and (door := self._door_of(args, kwargs)) is not None:
                return door.called(self, args, kwargs)
            return self._served(args, kwargs)
        except OfExpressions:
            return self.python_function(*args, **kwargs)
        except OtherLibrary as other:
            if _has_arrays(args, kwargs, load_module(other.door)):
                text = f"{self.name} uses {other.door.rpartition('.')[2]}, and gets arrays of NumPy's or of ours"
                raise ArgumentError("E311", text, help="pass arrays of that library") from None
            self._door = load_module(other.door)
        except BaseException as error:
            trim(error)
            raise
        return self(*args, **kwargs)

    def _served(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result of a call by a program, captured and compiled where there is none."""
        call, program = self._call_and_program(args, kwargs)
        if program is None:
            with self._lock:
                program = self._find(call) or self._capture(call)
            return program.run(call)
        if not (self._installed or self._new or _for_python(args)):
            with self._lock:
                self._install()
            return self(*args, **kwargs)
        self._hits += 1
        self._cache.used(program.key)
        result = program.run(call)
        if program.renewed():
            with self._lock:
                self._install()
        self._new = False
        return result

    def _door_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Door | None:
        """Return the door of the library that a call is for: that of its arrays, or of all that the function does."""
        door = door_of(args, kwargs)
        if door is None and self._door is not None and not _has_arrays(args, kwargs, self._door):
            return self._door
        return door

    def _call_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        """Take a call apart."""
        return Call.of(args, kwargs)

    def _call_and_program(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Call, Program | None]:
        """Take a call apart, and find the program that is right for it; None where there is none."""
        call = self._call_of(args, kwargs)
        return call, self._find(call)

    def _find(self, call: Call) -> Program | None:
        for key_of in (_KEY, family_key):
            for program in self._cache.of(key_of(call)):
                if program.accepts(call):
                    return program
        return None

    @abstractmethod
    def _capture(self, call: Call) -> Program:
        """Capture and compile a call; the lock is held."""

    def _keep(self, program: Program) -> None:
        self._installed = False
        self._cache.add(program.key, program, _OUTDATED)
        self._recent = [program, *(other for other in self._recent if not other.outdated)][:_CHAIN]

    def _install(self) -> None:
        """Make the entries of the latest programs what a call reaches first.

        At the second call of a program, which goes through its entry: many are called once, and the first call of all,
        where nothing is on the disk yet, need not wait for the entry's code, which takes LLVM as long as a small
        program. Not for calls with NumPy arrays, which entries leave to Python.
        """
        self._installed = True
        entry: Callable[..., Any] = self._dispatch
        if not CONFIG.disable:
            entry = entry if self.counterpart is None else self.counterpart.chain(entry)
            for program in reversed(self._recent):
                entry = program.entry(entry) or entry
        if OTHERS and entry != self._dispatch:
            entry = _at_home(entry, self._dispatch)
        for program in reversed(self._recent) if OTHERS and not CONFIG.disable else ():
            entry = program.device_entry(entry) or entry
        object.__setattr__(self, "__call__", entry)

    # ------------------------------------------------------------------------------------------------- programs

    def program(self, *args: Any, **kwargs: Any) -> Program:
        """The program that a call with these arguments runs; captured and compiled if need be, but not run."""
        if self.library is None and (door := self._door_of(args, kwargs)) is not None:
            result: Program = door.program(self, args, kwargs)
            return result
        call = self._call_and_program(args, kwargs)[0]
        with self._lock:
            program = self._find(call) or self._capture(call)
            if not self._installed:
                self._install()
            return program

    def compile(self, *specs: Any) -> Program:
        """Compile ahead of the first call.

        Args:
            specs: for each argument an array or number like it, a shape (of float32), or a type such as `"f32[2,3]"`.
        """
        args = [_example(spec) for spec in specs]
        call = self._call_and_program(tuple(args), {})[0]
        with self._lock:
            known = self._find(call)
            program = self.program(*args)
            if known is None and any(arg is not spec for arg, spec in zip(args, specs, strict=True)):
                program.sample = None  # zeros show little
        return program

    def install(self) -> None:
        """Make the entries of the latest programs, those of the counterpart too, what a call reaches first."""
        with self._lock:
            self._install()

    def bound(self, *args: Any, out: Any) -> BoundCall:
        """Return a function of no arguments that computes the call with these arguments anew, and writes it to `out`.

        It reads the elements that the arguments have then, where they lie, and writes the results into the arrays of
        `out`. A call of it asks for no memory: see the guide, "In real time".

        Args:
            args: arguments of the function; arrays are of np or of NumPy, row by row. Numbers stay what they are.
            out: an array for the result, or a tuple or list of arrays for the results in their order.

        Raises:
            StateError E549: the function keeps state, its program is for any size, or its results are not new arrays.
            ValueArgumentError E345: an array that is not row-major, of another type than the result, or over the
                memory of another one.
        """
        return BoundCall(self, args, out)

    def forget(self, program: Program) -> None:
        """Forget one program; a call that only it was for is captured again."""
        if self.counterpart is not None:
            self.counterpart.forget(program)
        with self._lock:
            self._cache.remove(lambda one: one is program)
            self._recent = [one for one in self._recent if one is not program]
            self._install()

    @property
    def recent(self) -> tuple[Program, ...]:
        """The latest programs, the last made first: those whose entries are tried."""
        return tuple(self._recent)

    def programs(self) -> list[Program]:
        """All programs, the least recently made first; then those over arrays of another library."""
        with self._lock:
            return [*self._cache, *([] if self.counterpart is None else self.counterpart.programs())]

    def cache_info(self) -> CacheInfo:
        """Return the number of programs there are, and how often they were used."""
        with self._lock:
            return CacheInfo(len(self.programs()), self._hits, self._captures, self._cache.evictions)

    def cache_clear(self) -> None:
        """Forget all programs."""
        if self.counterpart is not None:
            self.counterpart.clear()
        with self._lock:
            self._cache.clear()
            self._recent = []
            self._hits = self._captures = 0
            self._install()


def _at_home(entry: Callable[..., Any], elsewhere: Callable[..., Any]) -> Callable[..., Any]:
    """The entry for calls on `cpu(0)`, of which it knows no other; `elsewhere` is for those."""

    def call(*args: Any, **kwargs: Any) -> Any:
        home = cpu()
        if current_device() == home and all(device_of(x) == home for x in arrays_in((args, kwargs))):
            return entry(*args, **kwargs)
        return elsewhere(*args, **kwargs)

    return call


def _wrapped(of: Calls[..., Any]) -> Callable[..., Any]:
    return of.python_function


_FUNCTIONS: weakref.WeakSet[Calls[..., Any]] = weakref.WeakSet()
"""All that there are: their calls go another way once arrays have devices."""


def _choose_calls(_: bool) -> None:
    """Let the next call of each program make its entry anew."""
    for function in list(_FUNCTIONS):
        with function._lock:
            function._installed = False
            object.__setattr__(function, "__call__", function._dispatch)


when_used(_choose_calls)


def _for_python(args: tuple[Any, ...]) -> bool:
    """Tell whether entries leave such a call to Python."""
    return ACCESS.queue is not None or any(type(arg) is numpy.ndarray for arg in args)


def _has_arrays(args: tuple[Any, ...], kwargs: dict[str, Any], door: Any) -> bool:
    """Tell whether there are arrays among arguments that a door does not take."""
    kinds = ndarray if getattr(door, "TAKES_NUMPY", False) else (ndarray, numpy.ndarray)
    return any(isinstance(leaf, kinds) for leaf in flatten((args, kwargs))[0])


def _example(spec: Any) -> Any:
    """An argument that a specification stands for.

    Raises:
        ArgumentError E347: a text that is no type.
        ShapeError E112: a negative size.
    """
    if isinstance(spec, str):
        try:
            spec = TensorType.parse(spec)
        except GraphError as error:
            raise ArgumentError("E347", f"compile: {error.what}", help=error.help) from None
    if isinstance(spec, tuple) and all(isinstance(size, int) for size in spec):
        if any(size < 0 for size in spec):
            raise ShapeError("E112", f"sizes must not be negative, got {list(spec)}", help="give the array's sizes")
        spec = TensorType(spec, float32)
    if isinstance(spec, TensorType):
        return place(wrap(numpy.zeros(spec.shape, spec.dtype)), current_device())
    return spec
