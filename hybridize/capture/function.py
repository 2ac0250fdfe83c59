# SPDX-License-Identifier: Apache-2.0
"""`Function`: the callable that a hybridized function is. It captures the user's for each signature that is called."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Generic

import numpy

from hybridize.array.nd_array import classed
from hybridize.array.ndarray import wrap
from hybridize.base import modes
from hybridize.base.collector import seldom
from hybridize.base.config import CONFIG
from hybridize.base.dims import SizeScope, hint
from hybridize.base.errors import ArgumentError, StateError
from hybridize.base.frozen import changed
from hybridize.base.loading import LOADING
from hybridize.base.participation import outside_only
from hybridize.base.pickled import copied_by, named
from hybridize.base.progress import showing
from hybridize.base.room import with_room
from hybridize.base.spans import COMPILATION, LISTENERS, is_heard, span
from hybridize.base.tracebacks import leaves
from hybridize.base.types import TensorType
from hybridize.capture.calls import Calls, P, R
from hybridize.capture.capture import capture
from hybridize.capture.options import DEFAULTS, Options
from hybridize.compiler.archived import Code
from hybridize.contract.call import Call
from hybridize.contract.captured import Captured
from hybridize.contract.feeds import own_array
from hybridize.formats import SavedProgram, write_archive
from hybridize.programs import saving
from hybridize.programs.changes import Changes
from hybridize.programs.families import Family, family_key
from hybridize.programs.program import Program, described, show
from hybridize.system.interruptions import let_through

if TYPE_CHECKING:
    from hybridize.formats.exporting import Exported


class Function(Calls[P, R], Generic[P, R]):
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

    if TYPE_CHECKING:

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

    def __init__(self, function: Callable[P, R], **options: Any) -> None:
        checked = Options.of(options) if options else DEFAULTS
        _check_kind(function)
        super().__init__(function)
        self.options = checked
        self._changes = Changes()
        self._names: tuple[str, ...] | None = None
        self.described_by: Callable[..., Any] | tuple[str, ...] = function
        """The function whose parameters name the arguments, or their names; a block's function passes on whatever it is
        given."""
        self.decides = False
        """True if programs are specialized on what data decides and the function has to know."""

    def __reduce__(self) -> Any:
        """Pickled as functions are, by name; by value for who pickles functions so, as cloudpickle does.

        Raises:
            ArgumentError E346: it has no name by which another process finds it.
        """
        module, name = str(getattr(self, "__module__", "")), str(self.__dict__.get("__qualname__", self.name))
        there = named(module, name)
        always, nameless = copied_by(sys._getframe(1), module)
        if there is self and not always:
            return name
        if there is not self.python_function and not nameless and isinstance(self.python_function, FunctionType):
            raise ArgumentError(
                "E346", f"{self!r} cannot be pickled: no other process finds it as {name} in {module}",
                help="define it at the top of a module, save it and send hybridize.load(path), or use cloudpickle",
            )  # fmt: skip
        options = {field.name: getattr(self.options, field.name) for field in dataclasses.fields(self.options)}
        return functools.partial(type(self), **options), (self.python_function,)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    # ------------------------------------------------------------------------------------------------- captures

    def _capture(self, call: Call) -> Program:
        """Capture and compile a call; the lock is held."""
        if LISTENERS and is_heard(COMPILATION):
            return span(COMPILATION, self.name, self._capture, call)
        family = self._cache.family(family_key(call))
        array_of = own_array if self.library is None else self.library.memory
        self._changes.see([program.capture for program in self._cache], call, array_of)
        with seldom(), showing(f"capturing {self.name}"):
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
        return self.decides

    def _compile(self, captured: Any, reason: str, codes: Sequence[Code] = ()) -> Program:
        options = self.options
        return with_room(
            Program, captured, name=self.name, backend=options.backend, verify=options.verify, threads=options.threads,
            reason=reason, codes=codes,
        )  # fmt: skip

    def _parameters(self) -> tuple[str, ...]:
        """Names of the positional parameters."""
        if self._names is None:
            self._names = _positional(self.described_by)
        return self._names

    def leaf_names(self, call: Call) -> list[str]:
        """Names of the leaves: of the parameters, with a number where there are several in one."""
        return call.leaf_names(self._parameters())

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
            then, now = (
                ", ".join(str(device or "no device") for device in one.devices[1:]) if one.devices else "cpu(0)"
                for one in (nearest, call)
            )
            return f"the arrays were on {then} and are on {now}"
        if nearest.training != call.training:
            return f"training was {nearest.training} and is {call.training}"
        return f"recording was {nearest.recording} and is {call.recording}"

    def cache_clear(self) -> None:
        """Forget all programs, and what was seen of changes between calls."""
        with self._lock:
            self._changes = Changes()
            super().cache_clear()

    # ----------------------------------------------------------------------------------------------------- files

    def saved(
        self, names: dict[int, str] | None = None, samples: Sequence[Any] | None = None,
        notes: list[str] | None = None, steps: bool = False,
    ) -> SavedProgram:  # fmt: skip
        """The programs as plain data.

        Args:
            names: of arrays that are read from outside, by identity; others are named after their variables.
            samples: None: there are none in it. Else each program has a sample of the call that it was captured at,
                with what is expected; and these calls are samples too, each an array or a tuple of arguments.
            notes: hears where something else had to stand for the user's Python.
            steps: whether the file holds trainers' steps, whose learning rates and counts are states of it then.

        Raises:
            ArgumentError E334: no program takes one of the samples.
            StateError E535: the programs are not what the function does any more.
            VerificationError E811: Python and the program disagree about the types of a result.
        """
        if self.counterpart is not None and not len(self._cache):
            theirs: SavedProgram = self.counterpart.saved(samples, [] if notes is None else notes, steps)
            return theirs
        programs = self.current()
        program = self._plain(programs, names or {}, steps)
        if samples is None:
            return program
        return self.with_samples(program, programs, samples, [] if notes is None else notes)

    def with_samples(
        self, saved: SavedProgram, programs: Sequence[Program], samples: Sequence[Any], notes: list[str]
    ) -> SavedProgram:
        """Plain data with samples; see `saved`."""
        pairs = [self._call_and_program(one if isinstance(one, tuple) else (one,), {}) for one in samples]
        return saving.with_samples(saved, programs, self._judge(), [call for call, _ in pairs], notes)

    def _judge(self) -> Callable[..., Any] | None:
        """Return what says what samples give: the user's Python; None: the programs do.

        A frozen program has the weights of its capture; Python has those of today.
        """
        return None if self.options.freeze else self.python_function

    def _plain(self, programs: Sequence[Program], names: Mapping[int, str], steps: bool = False) -> SavedProgram:
        """The programs as plain data, without samples."""
        options: dict[str, Any] = {"backend": self.options.backend, "freeze": self.options.freeze}
        options |= {"winograd": True} if self.options.winograd else {}
        program = saving.saved(self.name, programs, self._parameters(), options, names, steps)
        return changed(program, none_defaults=_none_defaults(self.described_by))

    def current(self) -> list[Program]:
        """The programs that can be saved, in the order of files, which have no guards: those whose guards hold now.

        One that has itself changed what it reads is captured again, so that its calls read that.

        Raises:
            StateError E535: there are some, and none holds.
        """
        programs = list(self._cache)
        candidates = list(dict.fromkeys(one for program in programs if (one := self._now(program)) is not None))
        if programs and not candidates:
            reason = programs[-1].objections(programs[-1].capture.call)
            raise StateError("E535", f"{self.name} has changed since it was called: {reason}", help="call it once more")
        # Of a trainer's steps those that it would do now; calls that only raise have no place in a file, which refuses
        # all that it has no program for.
        candidates = [one for one in candidates if one.capture.transaction.holds()] or candidates
        return [one for one in candidates if one.capture.raises is None] or candidates

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
                leaf = leaves[number]
                array = wrap(numpy.zeros(tuple(map(hint, kind.shape)), kind.dtype) if leaf is None else leaf)
                leaves[number] = classed(array, number in call.of_nd)
                kinds[number] = leaves[number].type
        exact = changed(call, leaves=leaves, kinds=tuple(kinds))
        with call.place(leaves), self._lock, modes.mode(training=call.training, recording=bool(call.recording)):
            return self._find(exact) or self._capture(exact)

    @outside_only("writes a file")
    @leaves
    def save(
        self, path: str | os.PathLike[str], *, samples: Sequence[Any] = (), targets: str | Sequence[str] | None = None
    ) -> None:
        """Write all programs and what they read from outside to one file, for `hybridize.load`.

        Args:
            path: of the file.
            samples: calls by which the file can be checked, besides those that the programs were captured at: each an
                array or a tuple of arguments.
            targets: what to bring machine code along for, so that `load(path, images=True)` needs no compiler there:
                `"avx512"`, `"avx2"`, `"baseline"` (levels of x86-64), `"aarch64"`, or several of them; of another
                operating system `"avx2-windows"`, `"aarch64-macos"`, `"avx2-linux"`; `"native"`, as None, is the widest
                level that this machine has, and `()` is none at all.

        Raises:
            StateError E530: nothing has been compiled yet.
            ValueArgumentError E345: there is no such target.
        """
        if not self.cache_info().programs:
            text = f"{self.name} has no program to save yet"
            raise StateError("E530", text, help="call it once, or use compile(...)")
        saved = self.saved(samples=samples)
        write_archive(path, saved, targets)
        saving.tell_notes(path, saved)

    @outside_only("writes a file")
    @leaves
    def export(
        self, path: str | os.PathLike[str], format: str = "archive", *, samples: Sequence[Any] = (),
        progress: Callable[[str], None] | None = None, **options: Any,
    ) -> Exported:  # fmt: skip
        """Write all programs as files that run without this Python; each is run and compared before it is in place.

        Args:
            path: of the archive; of other formats, the folder and the name of the model.
            format: `"archive"`, `"library"` (a C library and its header), `"object"` (the same, not linked), `"wheel"`
                (a package that pip installs), `"wasm"` (WebAssembly with a JavaScript loader), `"web"` (the same with
                kernels for the visitor's GPU, and a page). A step of a trainer is written as library or object alone.
            samples: calls to check it with, besides those that the programs were captured at: each an array or a
                tuple of arguments.
            progress: hears what is being done.
            options: of library, object and wheel `targets`, `weights`, `threads`; of library and wheel `linker` and
                `version`; of library `bindings`; of wheel `name`, `summary`; of archive `targets`.

        Raises:
            StateError E533: nothing has been compiled yet.
            ArgumentError E334 to E337: a sample that no program takes, an unknown format or option.
            CaptureError E450, E454 to E457, E464 to E467: what only Python can do is part of a program.
            VerificationError E810 to E812: what was written is not what Python gives. Nothing changed on the disk.
        """
        with LOADING:
            from hybridize.capture import SavedFunction  # late: most processes write no file
            from hybridize.formats.exporting import STEPS
            from hybridize.programs.exporting import export, nothing_to_export

        if not self.cache_info().programs:
            raise nothing_to_export(self.name)
        return export(
            lambda samples, notes: self.saved(None, samples, notes, format in STEPS), SavedFunction, path, format,
            samples=samples, progress=progress, options=options,
        )  # fmt: skip


_KINDS = {
    inspect.CO_COROUTINE: "a coroutine function (async def)", inspect.CO_ASYNC_GENERATOR: "an asynchronous generator",
    inspect.CO_GENERATOR: "a generator function, whose calls compute nothing yet",
}  # fmt: skip
_REFUSED = sum(_KINDS)


def _check_kind(function: Any) -> None:
    """Refuse what gives no results when it is called.

    Raises:
        ArgumentError E355: a coroutine or generator function.
    """
    flags = getattr(getattr(function, "__code__", None), "co_flags", 0)  # of a method, too
    if flags & _REFUSED:
        what = next(what for flag, what in _KINDS.items() if flags & flag)
        raise ArgumentError(
            "E355", f"{function.__qualname__} is {what}, so no program can compute its results",
            help="hybridize the functions that it calls and that return arrays",
        )  # fmt: skip


def _distance(x: Call, y: Call) -> tuple[int, int]:
    """Return the number of differences between two calls."""
    if x.structure != y.structure:
        return 1, 0
    modes_differ = (x.training, x.recording) != (y.training, y.recording)
    return 0, sum(kind != other for kind, other in zip(x.kinds, y.kinds, strict=True)) + modes_differ


_DESCRIBED = ("__wrapped__", "__signature__")
"""Attributes by which a function has the signature of another."""


def _positional(function: Any) -> tuple[str, ...]:
    """Names of the positional parameters of a function; none where Python does not tell."""
    if type(function) is tuple:
        return function
    plain = function.__func__ if type(function) is MethodType else function
    if type(plain) is FunctionType and plain.__dict__.keys().isdisjoint(_DESCRIBED):
        code = plain.__code__  # what `inspect` would go by as well, which takes twenty times as long
        return code.co_varnames[plain is not function : code.co_argcount]
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return tuple(parameter.name for parameter in _parameters(function) if parameter.kind in kinds)


def _none_defaults(function: Any) -> tuple[str, ...]:
    """Names of the parameters of a function whose default is None."""
    return tuple(parameter.name for parameter in _parameters(function) if parameter.default is None)


def _parameters(function: Any) -> Iterable[inspect.Parameter]:
    try:
        return inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ()
