# SPDX-License-Identifier: Apache-2.0
"""`Function`: the callable that a hybridized function is. It keeps a program for each signature that was called.

A call goes to the emitted entry of the newest program, which hands what is not exactly for it to the entry before, and
the last of them to `_dispatch`, which is Python: it finds the right program, or captures a new one.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Concatenate, Final, Generic, ParamSpec, Self, TypeVar, overload

import numpy

from hybridize.array.device import OTHERS, cpu, current_device, when_used
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.placing import arrays_in, device_of, one_device, settled
from hybridize.base import modes
from hybridize.base.access import ACCESS
from hybridize.base.collector import seldom
from hybridize.base.config import CONFIG
from hybridize.base.dims import SizeScope, hint
from hybridize.base.dtypes import float32
from hybridize.base.errors import ArgumentError, DTypeError, GraphError, HybridizeError, ShapeError, StateError
from hybridize.base.faces import Counterpart, Door, Library, OtherLibrary, door_of
from hybridize.base.forks import renewed
from hybridize.base.frozen import changed, frozen
from hybridize.base.interruptions import let_through
from hybridize.base.loading import LOADING, load_module
from hybridize.base.nested import arranged, flatten
from hybridize.base.participation import ReadPolicy, outside_only
from hybridize.base.room import with_room
from hybridize.base.spans import COMPILATION, LISTENERS, span, told
from hybridize.base.tracebacks import trim
from hybridize.base.types import TensorType
from hybridize.capture.capture import capture
from hybridize.capture.trace.recording import current_trace
from hybridize.compiler.archived import Code, offer_process_code
from hybridize.contract.call import Call, OfExpressions
from hybridize.contract.captured import Captured
from hybridize.contract.feeds import own_array
from hybridize.formats import SavedProgram, SavedSignature, read_received, write_archive, written
from hybridize.programs import saving
from hybridize.programs.cache import ProgramCache
from hybridize.programs.changes import Changes
from hybridize.programs.families import Family, family_key
from hybridize.programs.program import Program, accepted, described, show

if TYPE_CHECKING:
    import typing_extensions

    from hybridize.formats.exporting import Exported

    P = typing_extensions.ParamSpec("P", default=...)
    R = typing_extensions.TypeVar("R", default=Any)
else:
    P, R = ParamSpec("P"), TypeVar("R")
Rest = ParamSpec("Rest")

LIMIT = 64
"""Programs that a function keeps; the least recently used go first."""
_CHAIN = 4
"""Programs whose entries are tried before Python looks for the right one."""
_IGNORED = frozenset({
    "static_alloc", "static_shape", "inline_limit", "forward_bulk_size", "backward_bulk_size", "clear",
    "partition_if_dynamic",
})  # fmt: skip
_KEY, _OUTDATED = attrgetter("key"), attrgetter("outdated")
_ALLOWED: dict[str, tuple[Any, ...]] = {
    "backend": ("llvm", "numpy"), "verify": (False, None, "outputs", "ops"), "dynamic": (None, True, False),
    "freeze": (True, False), "winograd": (True, False),
}  # fmt: skip


@frozen
class CacheInfo:
    """Counts of the program cache: programs that a function has compiled, and calls that found one."""

    programs: int
    hits: int
    """Calls that Python found a program for. Those that the emitted entry serves, most of them after the first, are not
    counted, as that would cost each of them: 0 does not mean that programs are made again, `captures` says that."""
    captures: int
    evictions: int


@frozen
class Options:
    """Keywords of `hybridize`."""

    backend: str = "llvm"
    verify: Any = False
    dynamic: bool | None = None
    freeze: bool = False
    threads: int | None = None
    winograd: bool = False

    @classmethod
    def of(cls, given: dict[str, Any]) -> Options:
        """Check keywords.

        Raises:
            ArgumentError E329, E330: an unknown keyword, a value that a keyword does not take.
        """
        for name in given:
            if name not in cls.__dataclass_fields__ and name not in _IGNORED:
                known = ", ".join(cls.__dataclass_fields__)
                text = f"hybridize() got an unexpected keyword {name!r}"
                raise ArgumentError("E329", text, help=f"known are {known}")
        options = cls(**{name: value for name, value in given.items() if name not in _IGNORED})
        for name, value in given.items():
            allowed = _ALLOWED.get(name, (value,))
            if not any(value is one or (isinstance(one, str) and value == one) for one in allowed):
                raise ArgumentError("E330", f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")
        threads = options.threads
        if threads is not None and (not isinstance(threads, int) or isinstance(threads, bool) or threads < 1):
            raise ArgumentError("E330", f"threads must be a positive integer or None, got {threads!r}")
        return options


_DEFAULTS: Final = Options()


class Function(Generic[P, R]):
    """A function that is captured at its first call of each signature, compiled, and from then on runs without Python.

    Args:
        function: the user's.
        backend: `"llvm"`, machine code; `"numpy"`, the specification evaluated operation by operation.
        verify: `"outputs"` compares each call's results on both backends, `"ops"` every value in between.
        dynamic: whether other sizes of an axis are expected; None leaves it to the calls.
        freeze: arrays that the function reads from outside are constants: the user's word that they do not change.
        threads: at most so many threads for a call; None is what `set_num_threads` says.
        winograd: convolutions with 3 × 3 windows may be computed by fewer products, where that is faster: sums are
            rounded otherwise, and an infinity or NaN reaches all pixels of its tile.
    """

    __hybridize_read__ = ReadPolicy.IDENTITY
    library: Library | None = None
    """The array library that the function is written for, where that is another one."""

    # A slot of this name is what `self(...)` calls: the entry itself, without a Python frame between.
    __slots__ = ("__call__", "__dict__", "__weakref__")

    if TYPE_CHECKING:

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

    def __init__(self, function: Callable[P, R], **options: Any) -> None:
        self.options = Options.of(options) if options else _DEFAULTS
        _check_kind(function)
        self.python_function = function
        self.saved_program: SavedProgram | None = None
        self._door: Door | None = None
        """That of another library which the function uses, also in calls without an array of it."""
        self.counterpart: Counterpart | None = None
        """The function over arrays of another library, once it was called with such."""
        self._travels: bool | None = None
        """True if copies run the machine code in its file; None where it was not loaded from one."""
        self._cache: ProgramCache[Program] = ProgramCache(LIMIT)
        self._recent: list[Program] = []
        self._changes = Changes()
        self._installed = True
        """True if the latest programs have entries."""
        self._new = False
        """True if it comes from a file and was not called yet."""
        self._lock = renewed(threading.RLock())
        self._hits = self._captures = 0
        self._names: tuple[str, ...] | None = None
        self.described_by = function
        """The function whose parameters name the arguments; a block's function passes on whatever it is given."""
        functools.update_wrapper(self, function)
        self.name: str = getattr(function, "__name__", type(function).__name__)
        if isinstance(function, MethodType) and self.name.startswith("_"):
            self.name = type(function.__self__).__name__
        self._install()
        _FUNCTIONS.add(self)

    @classmethod
    def from_saved(
        cls, saved: SavedProgram, *, shared: bool = False, owned: bool = False, images: bool = False, **options: Any
    ) -> Function:
        """A function whose programs come from a file; there is no Python to capture another one from.

        Args:
            saved: the programs and their weights.
            shared: the weights are somebody else's, who may write them: they are read where they are, at each call.
            owned: nobody else will look at the weights again: they are not copied.
            images: run the machine code that came with the programs, where it fits this machine.
            options: as for `Function`.
        """
        known = {name: value for name, value in saved.options.items() if name in Options.__dataclass_fields__}
        made = cls(saving.without_python(saved.name), **{**known, **options})
        made.saved_program = saved
        made._names = saved.argument_names
        made.name = saved.name
        made._travels = images if owned else None
        if images:
            offer_process_code(saved.process)
        captures = saving.captured(saved, shared=shared, owned=owned)
        for captured, signature in zip(captures, saved.signatures, strict=True):
            made._keep(made._compile(captured, "", signature.codes if images else ()))
        made._new = True
        return made

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...
    @overload
    def __get__(
        self: Function[Concatenate[Any, Rest], R], instance: object, owner: type | None = None
    ) -> Callable[Rest, R]: ...
    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __reduce__(self) -> Any:
        """Copied and pickled as functions are, by name; what was loaded from a file as that file, weights as they are.

        Of two copies of what writes state, each goes on by itself; random numbers are of the process where it runs.
        """
        if self._travels is not None:
            with self._lock:
                return _received, (self.name, written(self.saved()), self._travels)
        return str(self.__dict__.get("__qualname__", self.name))

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
            return trace.convert(self.python_function)(*args, **kwargs)
        try:
            if self.library is None and (door := self._door_of(args, kwargs)) is not None:
                return door.called(self, args, kwargs)
            if self.saved_program is not None and OTHERS:
                return self._run_saved(args, kwargs)
            call, program = self._found(args, kwargs)
            if program is not None:
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
            with self._lock:
                program = self._find(call)
                if program is not None:
                    return program.run(call)
                program = self._capture(call)
            return program.run(call)
        except OfExpressions:
            return self.python_function(*args, **kwargs)
        except OtherLibrary as other:
            if _has_arrays(args, kwargs):
                text = f"{self.name} uses {other.door.rpartition('.')[2]}, and gets arrays of NumPy's or of ours"
                raise ArgumentError("E311", text, help="give it arrays of that library") from None
            self._door = load_module(other.door)
        except Exception as error:
            trim(error)
            raise
        return self(*args, **kwargs)

    def _run_saved(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of programs that were loaded, which know no devices: what they give is where the arguments are."""
        device = one_device(self.name, list(arrays_in((args, kwargs)))) or current_device()
        call, program = self._found(args, kwargs)
        if program is None:
            raise self._unknown(call)
        return settled(program.run(call), device, [])

    def _door_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Door | None:
        """Return the door of the library that a call is for: that of its arrays, or of all that the function does."""
        door = door_of(args, kwargs)
        return self._door if door is None and self._door is not None and not _has_arrays(args, kwargs) else door

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        return Call.of(args, kwargs) if self.saved_program is None else self._found(args, kwargs)[0]

    def _found(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Call, Program | None]:
        """Take a call apart, and find the program that is right for it; None where there is none."""
        if self.saved_program is not None and kwargs:
            args, kwargs = self._positional(args, kwargs)
        call = Call.of(args, kwargs)
        if self.saved_program is not None and call.devices is not None:
            call = changed(call, devices=None)
        program = self._find(call)
        if program is None and self.saved_program is not None:
            for other in self._arranged(args, kwargs):
                program = self._find(other)
                if program is not None:
                    return other, program
        return call, program

    def _arranged(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[Call]:
        """The same call as those that a function was saved for: their order of keys, and what is None by default."""
        names, defaults = self._names or (), self.saved_program.none_defaults if self.saved_program else ()
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        for structure in dict.fromkeys(program.capture.call.structure for program in self.programs()):
            positional, keywords = structure.children
            positional_names = names[: len(positional.children)]
            wanted = {*positional_names, *keywords.keys}
            absent = {name for name in wanted ^ given.keys() if given.get(name) is not None or name not in defaults}
            if absent or len(positional_names) < len(positional.children) or len(args) > len(names):
                if len(args) == len(positional.children) and kwargs.keys() == set(keywords.keys):
                    again = arranged((args, kwargs), structure)
                    yield Call.of(*again)
                continue
            found = (
                tuple(given.get(name) for name in positional_names),
                {name: given.get(name) for name in keywords.keys},
            )
            yield Call.of(*arranged(found, structure))

    def _positional(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Keywords in the order of their parameters, where a saved function knows those."""
        names = (self._names or ())[len(args) :]
        taken = [name for name in names if name in kwargs]
        if list(names[: len(taken)]) != taken:
            return args, kwargs
        return (*args, *(kwargs[name] for name in taken)), {k: v for k, v in kwargs.items() if k not in taken}

    def _find(self, call: Call) -> Program | None:
        for key_of in (_KEY, family_key):
            for program in self._cache.of(key_of(call)):
                if program.accepts(call):
                    return program
        if call.recording and self.saved_program is not None:
            return self._find(changed(call, recording=False))  # what was saved is differentiated as it is
        return None

    def _capture(self, call: Call) -> Program:
        """Capture and compile a call; the lock is held."""
        if LISTENERS and told(COMPILATION):
            return span(COMPILATION, self.name, self._capture, call)
        if self.saved_program is not None:
            raise self._unknown(call)
        family = self._cache.family(family_key(call))
        array_of = own_array if self.library is None else self.library.memory
        self._changes.see([program.capture for program in self._cache], call, array_of)
        with seldom():
            program = self._capture_family(call, family)
            if program is None:
                captured, reason = self.captured(call), self._reason(call)
                if reason and family.problem:
                    reason = f"{reason}; {family.problem}"
                program = self._compile(captured, reason)
        family.saw(call)
        if program.reason and CONFIG.explain:
            print(f"hybridize: {self.name} is captured again because {program.reason}", file=sys.stderr)
        self._captures += 1
        self._keep(program)
        return program

    def _capture_family(self, call: Call, family: Family) -> Program | None:
        """A program for this call and others that differ in sizes; None where an exact one is of more use."""
        opened = family.kinds(call, self.options.dynamic)
        if opened is None:
            return None
        kinds, scope = opened
        names = self.leaf_names(call)
        try:
            captured = self.captured(changed(call, kinds=kinds), scope)
            while family.fixes(kinds) and not scope.pinned:  # a number makes better code than a symbol of one size
                opened = family.kinds(call, self.options.dynamic)
                assert opened is not None
                kinds, scope = opened
                captured = self.captured(changed(call, kinds=kinds), scope)
            program = None if scope.pinned else self._compile(captured, "")
            if program is not None:
                program.reason = family.change(call, kinds, names)  # what it holds for is known now
        except Exception as error:
            let_through(error)
            # Whatever it is: if it is the user's error, the exact capture says so too, in terms of true sizes.
            with LOADING:
                import logging  # late: it takes milliseconds to load, and this seldom happens

            log = logging.getLogger(__name__)
            log.debug("%s cannot be captured for any size: %s", self.name, error, exc_info=True)
            family.give_up(kinds, error)
            return None
        return program if family.settle(kinds, scope.why) else None

    def captured(self, call: Call, scope: SizeScope | None = None) -> Captured:
        """Capture the function for a call, and do not keep it; sizes in its kinds may be symbols of `scope`."""
        names, options = self.leaf_names(call), self.options
        return self._changes.captured(
            lambda anew, indices: capture(
                self.python_function,
                call,
                names,
                freeze=options.freeze,
                winograd=options.winograd,
                scope=scope,
                changing=anew,
                indices=indices,
                library=self.library,
                decides=self._decides(call),
            ),
            alone=scope is None,
        )

    def _decides(self, call: Call) -> bool:
        """Tell whether programs for a call are specialized on what data decides and Python has to know."""
        return False

    def _compile(self, captured: Any, reason: str, codes: Sequence[Code] = ()) -> Program:
        options = self.options
        return with_room(
            Program, captured, name=self.name, backend=options.backend, verify=options.verify, threads=options.threads,
            reason=reason, codes=codes,
        )  # fmt: skip

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
            for program in reversed(self._recent):
                entry = program.entry(entry) or entry
        if OTHERS and entry != self._dispatch:
            entry = _at_home(entry, self._dispatch)
        object.__setattr__(self, "__call__", entry)

    # ------------------------------------------------------------------------------------------------- programs

    def program(self, *args: Any, **kwargs: Any) -> Program:
        """The program that a call with these arguments runs; captured and compiled if need be, but not run."""
        if self.library is None and (door := self._door_of(args, kwargs)) is not None:
            found: Program = door.program(self, args, kwargs)
            return found
        call = self._call(args, kwargs)
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
        call = self._call(tuple(args), {})
        with self._lock:
            known = self._find(call)
            program = self.program(*args)
            if known is None and any(example is not spec for example, spec in zip(args, specs, strict=True)):
                program.sample = None  # zeros show little
        return program

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
        with self._lock:
            if self.saved_program is not None:
                return
            if self.counterpart is not None:
                self.counterpart.clear()
            self._cache.clear()
            self._recent = []
            self._changes = Changes()
            self._hits = self._captures = 0
            self._install()

    # ----------------------------------------------------------------------------------------------------- files

    def saved(
        self, names: dict[int, str] | None = None, samples: Sequence[Any] | None = None,
        notes: list[str] | None = None,
    ) -> SavedProgram:  # fmt: skip
        """The programs as plain data.

        Args:
            names: of arrays that are read from outside, by identity; others are named after their variables.
            samples: None: there are none in it. Else each program has a sample of the call that it was captured at,
                with what is expected; and these calls are samples too, each an array or a tuple of arguments.
            notes: hears where something else had to stand for the user's Python.

        Raises:
            ArgumentError E334: no program takes one of the samples.
            StateError E535: the programs are not what the function does any more.
            VerificationError E811: Python and the program disagree about the types of a result.
        """
        if self.counterpart is not None and not len(self._cache):
            theirs: SavedProgram = self.counterpart.saved(samples, [] if notes is None else notes)
            return theirs
        programs = self.current()
        if self.saved_program is not None:
            found = changed(self.saved_program, weights=self._weights())
        else:
            options: dict[str, Any] = {"backend": self.options.backend, "freeze": self.options.freeze}
            options |= {"winograd": True} if self.options.winograd else {}
            found = saving.saved(self.name, programs, self._parameters(), options, names or {})
            found = changed(found, none_defaults=self._none_defaults())
        if samples is None:
            return found
        calls = [self._call(one if isinstance(one, tuple) else (one,), {}) for one in samples]
        # A frozen program has the weights of its capture; Python has those of today.
        function = None if self.saved_program is not None or self.options.freeze else self.python_function
        return saving.with_samples(found, programs, function, calls, [] if notes is None else notes)

    def current(self) -> list[Program]:
        """The programs that can be saved, in the order of files, which have no guards: those whose guards hold now.

        One that has itself changed what it reads is captured again, so that its calls read that.

        Raises:
            StateError E535: there are some, and none holds.
        """
        if self.saved_program is not None:
            return [program for program, _ in self.of_file()]
        programs = list(self._cache)
        found = list(dict.fromkeys(one for program in programs if (one := self._now(program)) is not None))
        if programs and not found:
            reason = programs[-1].objections(programs[-1].capture.call)
            raise StateError("E535", f"{self.name} has changed since it was called: {reason}", help="call it once more")
        return found

    def _now(self, program: Program) -> Program | None:
        """Return a program that is what the function does now, or the one that stands for it; None for neither."""
        if program.current or program.stale or not program.capture.effects:
            return program if program.current else None
        with LOADING:
            from hybridize.programs.notes import writes_itself  # late: few programs note anything

        if not writes_itself(program.capture, [guard for guard in program.capture.guards if not guard.holds()]):
            return None
        call = program.capture.call
        leaves, kinds = list(program.sample or call.leaves), list(call.kinds)
        for number, kind in enumerate(kinds):
            if isinstance(kind, TensorType):
                given = leaves[number]
                leaves[number] = wrap(numpy.zeros(tuple(map(hint, kind.shape)), kind.dtype) if given is None else given)
                kinds[number] = leaves[number].type
        exact = changed(call, leaves=leaves, kinds=tuple(kinds))
        with self._lock, modes.mode(training=call.training, recording=bool(call.recording)):
            return self._find(exact) or self._capture(exact)

    def _weights(self) -> dict[str, Any]:
        """Return the present contents of a loaded function's arrays."""
        assert self.saved_program is not None
        held: dict[str, Any] = {}
        for program, signature in self.of_file():
            arrays = [source.array for source in program.capture.sources if source.array is not None]
            held.update((name, array._data) for name, array in zip(signature.state, arrays, strict=True))
        return held

    def of_file(self) -> list[tuple[Program, SavedSignature]]:
        """The programs of a loaded function in the order of its file, with what that says of them."""
        assert self.saved_program is not None
        by_graph = {id(program.captured): program for program in self.programs()}
        return [(by_graph[id(signature.graph)], signature) for signature in self.saved_program.signatures]

    @outside_only("writes a file")
    def save(
        self, path: str | os.PathLike[str], *, samples: Sequence[Any] = (), targets: str | Sequence[str] | None = None
    ) -> None:
        """Write all programs and what they read from outside to one file, for `hybridize.load`.

        Args:
            path: of the file.
            samples: calls by which the file can be checked, besides those that the programs were captured at: each an
                array or a tuple of arguments.
            targets: what to bring machine code along for, so that `load(path, images=True)` needs no compiler there:
                `"avx512"`, `"avx2"`, `"baseline"` (levels of x86-64), `"aarch64"`, or several of them; `"native"`, as
                None, is the widest of these that this machine has, and `()` is none at all.

        Raises:
            StateError E530: nothing has been compiled yet.
            ValueArgumentError E345: there is no such target.
        """
        if not self.cache_info().programs:
            text = f"{self.name} has no program to save yet"
            raise StateError("E530", text, help="call it once, or say compile(...)")
        saved = self.saved(samples=samples)
        write_archive(path, saved, targets)
        saving.tell_notes(path, saved)

    @outside_only("writes a file")
    def export(
        self, path: str | os.PathLike[str], format: str = "archive", *, samples: Sequence[Any] = (),
        progress: Callable[[str], None] | None = None, **options: Any,
    ) -> Exported:  # fmt: skip
        """Write all programs as files that run without this Python; each is run and compared before it is in place.

        Args:
            path: of the archive; of other formats, the folder and the name of the model.
            format: `"archive"`, `"library"` (a C library and its header), `"object"` (the same, not linked), `"wasm"`
                (WebAssembly with a JavaScript loader).
            samples: calls to check it with, besides those that the programs were captured at: each an array or a
                tuple of arguments.
            progress: hears what is being done.
            options: of library and object `targets`, `weights`, `threads`; of library `linker`; of archive `targets`.

        Raises:
            StateError E533: nothing has been compiled yet.
            ArgumentError E334 to E337: a sample that no program takes, an unknown format or option.
            CaptureError E450, E454 to E457: what only Python can do is part of a program.
            VerificationError E810 to E812: what was written is not what Python gives. Nothing changed on the disk.
        """
        with LOADING:
            from hybridize.programs.exporting import export, nothing_to_export  # late: most processes write no file

        if not self.cache_info().programs:
            raise nothing_to_export(self.name)
        return export(
            lambda samples, notes: self.saved(None, samples, notes), type(self).from_saved, path, format,
            samples=samples, progress=progress, options=options,
        )  # fmt: skip

    # --------------------------------------------------------------------------------------------------- messages

    def _parameters(self) -> tuple[str, ...]:
        """Names of the positional parameters."""
        if self._names is None:
            self._names = _positional(self.described_by)
        return self._names

    def _none_defaults(self) -> tuple[str, ...]:
        """Names of the parameters whose default is None."""
        try:
            parameters = inspect.signature(self.described_by).parameters.values()
        except (TypeError, ValueError):
            return ()
        return tuple(parameter.name for parameter in parameters if parameter.default is None)

    def leaf_names(self, call: Call) -> list[str]:
        """Names of the leaves: of the parameters, with a number where there are several in one."""
        names: list[str] = []
        positional, keywords = call.structure.children
        known = self._parameters()
        parts = [(known[i] if i < len(known) else f"arg{i}", child) for i, child in enumerate(positional.children)]
        parts += [(str(key), child) for key, child in zip(keywords.keys, keywords.children, strict=True)]
        for name, child in parts:
            count = child.leaves
            names += [name] if child.kind == "leaf" else [f"{name}_{i}" for i in range(count)]
        return names

    def _reason(self, call: Call) -> str:
        """Return the reason that none of the programs is right for a call; empty where there are none."""
        programs = self._cache.of(call.key)
        if programs:
            return programs[0].objections(call)
        calls = [program.capture.call for program in self._cache.newest()]
        if not calls:
            return ""
        nearest = min(calls, key=lambda known: _distance(known, call))
        if nearest.structure != call.structure:
            return f"the arguments were {described(nearest)} and are {described(call)}"
        names = self.leaf_names(call)
        for name, then, now in zip(names, nearest.kinds, call.kinds, strict=True):
            if then != now:
                return f"argument {name} was {show(then)} and is {show(now)}"
        if nearest.devices != call.devices:
            then, now = (", ".join(map(str, one.devices[1:] if one.devices else ["cpu(0)"])) for one in (nearest, call))
            return f"the arrays were on {then} and are on {now}"
        if nearest.training != call.training:
            return f"training was {nearest.training} and is {call.training}"
        return f"recording was {nearest.recording} and is {call.recording}"

    def _unknown(self, call: Call) -> HybridizeError:
        """The error for a call that a saved function has no program for."""
        mode = call.training, call.recording
        everything = [program.capture.call for program in self.programs()]
        words = {
            id(program.capture.call): accepted(program.capture.call, program.captured.scope)
            for program in self.programs()
        }
        known = [one for one in everything if (one.training, one.recording) == mode]
        others = [one for one in everything if (one.training, one.recording) != mode]
        takes = [f"for {' or '.join(dict.fromkeys(words[id(one)] for one in known))}"] if known else []
        for state in dict.fromkeys(map(_modes, others)):
            calls = dict.fromkeys(words[id(one)] for one in others if _modes(one) == state)
            takes += [f"{state} for {' or '.join(calls)}"]
        got = f"; got {described(call)} {_modes(call)}" if others else f", got {described(call)}"
        text = f"{self.name} was saved {', '.join(takes)}{got}"
        for one in others:
            if one.structure == call.structure and one.kinds == call.kinds:
                return ArgumentError("E310", text, help="before saving it, call it with these sizes in that mode, too")
        for one in known:
            if one.structure == call.structure:
                pairs = list(zip(one.kinds, call.kinds, strict=True))
                if all(isinstance(x, TensorType) == isinstance(y, TensorType) for x, y in pairs):
                    wrong = [(x, y) for x, y in pairs if isinstance(x, TensorType) and x != y]
                    if any(x.dtype != y.dtype for x, y in wrong):
                        return DTypeError("E210", text, help="cast the arguments: x.astype(...)")
                    if wrong:
                        return ShapeError("E120", text, help="call it with these sizes before saving it")
        for program in self.programs():
            one = program.capture.call
            if one not in known or one.structure != call.structure or one.kinds != call.kinds:
                continue
            text += f": {program.objections(call)}"
            return ArgumentError("E310", text, help="before saving it, call it like this, too, or pass an array")
        return ArgumentError("E310", text)


_KINDS = {
    inspect.CO_COROUTINE: "a coroutine function (async def)", inspect.CO_ASYNC_GENERATOR: "an asynchronous generator",
    inspect.CO_GENERATOR: "a generator function, whose calls compute nothing yet",
}  # fmt: skip
_REFUSED = sum(_KINDS)


_DESCRIBED = ("__wrapped__", "__signature__")
"""Attributes by which a function has the signature of another."""


def _at_home(entry: Callable[..., Any], elsewhere: Callable[..., Any]) -> Callable[..., Any]:
    """The entry for calls on `cpu(0)`, of which it knows no other; `elsewhere` is for those."""

    def call(*args: Any, **kwargs: Any) -> Any:
        home = cpu()
        if current_device() == home and all(device_of(x) == home for x in arrays_in((args, kwargs))):
            return entry(*args, **kwargs)
        return elsewhere(*args, **kwargs)

    return call


_FUNCTIONS: weakref.WeakSet[Function[..., Any]] = weakref.WeakSet()
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


def _has_arrays(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return any(isinstance(leaf, (ndarray, numpy.ndarray)) for leaf in flatten((args, kwargs))[0])


def _check_kind(function: Any) -> None:
    """Refuse what gives no results when it is called.

    Raises:
        ArgumentError E355: a coroutine or generator function.
    """
    flags = getattr(getattr(function, "__code__", None), "co_flags", 0)  # of a method, too
    if flags & _REFUSED:
        what = next(what for flag, what in _KINDS.items() if flags & flag)
        raise ArgumentError(
            "E355", f"{function.__qualname__} is {what}: there is no program that gives its results",
            help="hybridize the functions that it calls, which return arrays",
        )  # fmt: skip


def _positional(function: Any) -> tuple[str, ...]:
    """Names of the positional parameters of a function; none where Python does not tell."""
    plain = function.__func__ if type(function) is MethodType else function
    if type(plain) is FunctionType and plain.__dict__.keys().isdisjoint(_DESCRIBED):
        code = plain.__code__  # what `inspect` would go by as well, which takes twenty times as long
        return code.co_varnames[plain is not function : code.co_argcount]
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ()
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return tuple(parameter.name for parameter in parameters if parameter.kind in kinds)


def _distance(x: Call, y: Call) -> tuple[int, int]:
    """Return the number of differences between two calls."""
    if x.structure != y.structure:
        return 1, 0
    modes_differ = (x.training, x.recording) != (y.training, y.recording)
    return 0, sum(kind != other for kind, other in zip(x.kinds, y.kinds, strict=True)) + modes_differ


def _modes(call: Call) -> str:
    """`while training and recording`, as an error says it."""
    words = ["training" if call.training else "predicting"] + (["recording"] if call.recording else [])
    return f"while {' and '.join(words)}"


def _example(spec: Any) -> Any:
    """An argument that a specification stands for."""
    if isinstance(spec, str):
        try:
            spec = TensorType.parse(spec)
        except GraphError as error:
            raise ArgumentError("E347", f"compile: {error.what}", help=error.help) from None
    if isinstance(spec, tuple) and all(isinstance(size, int) for size in spec):
        if any(size < 0 for size in spec):
            raise ShapeError(
                "E112", f"sizes must not be negative, got {list(spec)}", help="give the sizes of the array"
            )
        spec = TensorType(spec, float32)
    return wrap(numpy.zeros(spec.shape, spec.dtype)) if isinstance(spec, TensorType) else spec


def _received(name: str, content: bytes, images: bool) -> Function[..., Any]:
    """The function of a file's bytes, which a copy or `pickle` brings."""
    return Function.from_saved(read_received(f"the pickled {name}", content), owned=True, images=images)
