# SPDX-License-Identifier: Apache-2.0
"""`Followed`: a module, or a function of tensors, that our own capture follows, and its calls, with gradients or not.

The module's `forward` is converted and followed like any function of the user's, on tensors of the program (`tensors`),
and what it calls of torch is in the table of `functions`. What comes of it is an ordinary `Program`: guards, sizes,
numbers, state and control flow on data are those of all functions.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, cast

import numpy
import torch
from torch.autograd import forward_ad
from torch.nn.utils.rnn import PackedSequence

from hybridize.array import random
from hybridize.array.buffer import content_of, host_view
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.symbol import Symbol
from hybridize.base import modes
from hybridize.base.dtypes import is_float
from hybridize.base.errors import CaptureError
from hybridize.base.frozen import changed
from hybridize.base.loading import LOADING
from hybridize.base.nested import LEAF, Structure, flatten, object_classes, unflatten
from hybridize.base.types import TensorType
from hybridize.capture import Function
from hybridize.capture.options import Options
from hybridize.capture.trace.recording import current_trace
from hybridize.compiler import make_entry
from hybridize.contract.call import Call
from hybridize.contract.captured import Captured, Faced, Output, Result
from hybridize.contract.feeds import NO_TRANSACTION
from hybridize.contract.guards import watches
from hybridize.formats.saved import SavedProgram
from hybridize.graph import Graph, Value
from hybridize.ops import StopGradient
from hybridize.ops.op import Op
from hybridize.programs import Program
from hybridize.programs.backends import Machine
from hybridize.programs.entry import Closed, Entry, assembling, unasked
from hybridize.programs.failures import locate, taken_of
from hybridize.programs.families import family_key
from hybridize.programs.program import constant
from hybridize.runtime.entry import Look, PythonEntry, Watch, input_rows
from hybridize.runtime.exchange import Exchange
from hybridize.system.interruptions import let_through
from hybridize.torch.backward import LeftGradients, NotRecorded, OwnPasses, capturing
from hybridize.torch.draws import CURRENT, DrawnKey, ModuleDraws
from hybridize.torch.exchange import exchange
from hybridize.torch.exchange import modes as mode_watches
from hybridize.torch.functions import Capturing
from hybridize.torch.functions.recurrent import packed_refused
from hybridize.torch.gradients import Attachment, Gradients, sides_differ, wanted
from hybridize.torch.internals import has_dual_level, overriding_mode, pytree, records, transform
from hybridize.torch.library import AsObjects, TorchLibrary
from hybridize.torch.memory import (
    ARGUMENTS,
    HOME,
    as_memory,
    as_tensor,
    check_class,
    device_of,
    in_order,
    present,
    tensor_of,
    uses_gpus,
)
from hybridize.torch.modules import SETTINGS
from hybridize.torch.names import named_tensors
from hybridize.torch.scaling import check_updated
from hybridize.torch.tensors import SIZES, TensorSizes, TracedTensor, is_traced


class Followed:
    """A module, or a function of tensors, whose calls run as programs of our own capture.

    Args:
        module: the module or function.
        options: keywords of `hybridize`.
    """

    def __init__(self, module: Callable[..., Any], options: dict[str, Any]) -> None:
        self.module = module
        self._options = options
        self.library: TorchLibrary = TorchLibrary()
        self.function: _Captured = _Captured(self._run, module, self.library, options)
        self.learning: _Captured = self.function
        """The same for calls with gradients: parameters are no constants there."""
        if self.function.options.freeze:
            self.learning = _Captured(self._run, module, self.library, {**options, "freeze": False})
        self._inside: _Captured | None = None
        """The same for calls without gradients, where the function records inside: forces, say."""
        self._objects: dict[Structure, set[int]] = {}
        """Leaves of calls that are tensors which programs know by their identity, by the structure of the arguments."""
        self._differentiated: dict[int, Differentiated] = {}
        """Of the programs that were called with gradients on, by the identity of the program."""
        self._known: tuple[Any, ...] = ()
        """The latest programs, as the last call left them, and what it differentiated."""
        self._installed: tuple[Any, ...] = ()
        """Those that entries were made for."""
        self.enter: Callable[..., Any] = self._slowly
        """Calls it: by the entries of its latest programs, where there are some."""

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        """Run the module on tensors of the program; what the capture calls.

        Outside of a capture it runs in PyTorch, arrays in and out: by that, files are checked.
        """
        trace = current_trace()
        if trace is None:
            leaves, structure = flatten((args, kwargs))
            args, kwargs = unflatten(structure, [_copied(x) if isinstance(x, ndarray) else x for x in leaves])
            with torch.no_grad():
                return _arrays(self.module(*args, **kwargs))
        leaves, _ = flatten((args, kwargs), whole=is_traced)
        tensors = {id(leaf.array): leaf for leaf in leaves if type(leaf) is TracedTensor}  # one may be there twice
        marked = zip(tensors.values(), self.library.flags, strict=False)
        self.library.flagged = {face.array.operand() for face, flag in marked if flag}
        self.library.asks_mode = False
        self.library.objects.clear()
        self.library.records = records()
        self.library.settings = {setting: setting() for setting in SETTINGS}
        recording = torch.is_grad_enabled()
        before = CURRENT.set(ModuleDraws())
        try:
            with Capturing(), capturing() as passes:
                result = trace.lifted(trace.convert(self.module)(*args, **kwargs))
                check_updated(trace)
                passes.finish(trace)
                self.library.passes = passes
                result = _plain(result, passes)
            if self.library.objects:
                raise AsObjects(list(self.library.objects.values()))
            return result
        finally:
            CURRENT.reset(before)
            torch.set_grad_enabled(recording)

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result of a call.

        Raises:
            CaptureError E458: a mode of PyTorch is on that programs know nothing of.
            CannotCapture: the module cannot be captured for it.
        """
        self._check_modes(args, kwargs)
        with in_order():
            return self._with_arrays(args, kwargs, partial(self._call, args, kwargs))

    def _check_modes(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        mode = ""
        if any(map(torch.is_autocast_enabled, ("cpu", "cuda") if uses_gpus() else ("cpu",))):
            mode = "within torch.autocast"
        elif transform() is not None:
            mode = "within a transform of torch.func, such as vmap"
        elif has_dual_level() and _has_tangents((args, kwargs)):
            mode = "with tangents of forward-mode differentiation"
        elif overriding := overriding_mode():
            mode = f"within {overriding}"
        if mode:
            raise CaptureError(
                "E458",
                f"{self.function.name} is called {mode}, which its programs do not support",
                help="call the original module there; module.bfloat16() gives programs of half precision",
            )

    def _with_arrays(self, args: tuple[Any, ...], kwargs: dict[str, Any], act: Callable[..., Any]) -> Any:
        """Return `act(args, kwargs, tensors)` for a call with arrays in the place of tensors; see `taken`."""
        while True:
            arguments, named, tensors = arrays_and_tensors(args, kwargs, self.library, self._objects)
            before = ARGUMENTS.set(((arguments, named), tensors))
            home = HOME.set(device_of(self.module)) if uses_gpus() else None
            try:
                with present():
                    return act(arguments, named, tensors)
            except AsObjects as request:
                self._as_objects(args, kwargs, request.tensors)
            finally:
                ARGUMENTS.reset(before)
                if home is not None:
                    HOME.reset(home)

    def _as_objects(self, args: tuple[Any, ...], kwargs: dict[str, Any], tensors: Sequence[torch.Tensor]) -> None:
        """Let programs know tensors among the arguments by their identity, in all calls of such arguments."""
        leaves, structure = flatten((args, kwargs))
        identities = set(map(id, tensors))
        numbers = {number for number, leaf in enumerate(leaves) if id(leaf) in identities}
        self._objects.setdefault(structure, set()).update(numbers)

    def _call(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        arguments: tuple[Any, ...],
        named: dict[str, Any],
        tensors: dict[int, torch.Tensor],
    ) -> Any:
        is_plain = not kwargs and all([type(arg) is torch.Tensor for arg in args])  # noqa: C419  # faster
        if is_plain and self._inside is None and not records():
            try:
                return whole(self.function(*arguments), tensors)
            except CannotCapture as problem:
                if not isinstance(problem.__cause__, NotRecorded):
                    raise
        program, call = self.program(arguments, named, [tensor.requires_grad for tensor in tensors.values()])
        call = changed(call, originals=(args, kwargs))
        if not call.recording:
            return whole(program.run(call), tensors)
        if program.capture.is_closed:
            return self._closed(program, call)
        with torch.enable_grad():
            return whole(self._of(program).call(call, tensors))

    def _closed(self, program: Program, call: Call) -> Any:
        """Run a program that sets gradients itself; torch hears of what it writes."""
        result = whole(program.run(call))
        left = next((one.left[program] for one in self._all() if program in one.left), None)
        if left is not None:
            torch.autograd.graph.increment_version(left.written)
        return result

    def _slowly(self, *args: Any, **kwargs: Any) -> Any:
        result = self.call(args, kwargs)
        if self.renewed():
            self.enter = self.entry(self._slowly)
        return result

    def renewed(self) -> bool:
        """Tell whether entries are to be made anew: at the second call since there is another program, as many are
        called once.
        """
        latest = self._latest()
        known, self._known = self._known, latest
        if any([program.renewed() for program, _ in latest]):  # noqa: C419  # each says it once
            return True
        return latest == known and latest != self._installed

    def _latest(self) -> tuple[tuple[Program, Any], ...]:
        """The latest programs, and what was differentiated of each."""
        functions = (self.function,) if self.learning is self.function else (self.function, self.learning)
        programs = [program for function in functions for program in function.recent]
        return tuple(
            [(program, getattr(self._differentiated.get(id(program)), "latest", None)) for program in programs]
        )

    def entry(self, fallback: Callable[..., Any]) -> Callable[..., Any]:
        """Return a callable for the calls of the latest programs, which gives all others to `fallback`."""
        library = exchange()
        self._installed = self._latest()
        entry = fallback
        if library is None or self.library.asks_attributes:
            return entry
        for program, _ in reversed(self._installed):
            if program.capture.compared is not None:
                continue  # entries do not ask which tensors are one object
            if program.capture.is_closed:
                entry = self._entry_of_closed(program, entry, library) or entry
                continue
            if program.capture.call.recording:
                candidate = self._of(program).entry(entry, library)
            else:
                candidate = program.entry(entry, library, mode_watches(False))
            entry = candidate or entry
        return entry

    def _entry_of_closed(self, program: Program, fallback: Entry, library: Exchange) -> Entry | None:
        """Return a callable for the calls of a program that sets gradients itself; None where there can be none."""
        left, captured = self.learning.left.get(program), program.capture
        recording: Any = captured.call.recording
        if left is None or (recording is not True and any(recording[1:])):
            return None
        finish = left.finish(captured)
        if finish is None:
            return None
        return program.entry(fallback, library, mode_watches(True), Closed(finish, left.overlaps))

    def program(self, args: tuple[Any, ...], kwargs: dict[str, Any], flags: Sequence[bool]) -> tuple[Program, Call]:
        """Return the program for a call of arrays, and the call.

        Args:
            args: of the call, tensors as arrays.
            kwargs: of the call.
            flags: whether each array has a gradient.

        Raises:
            CannotCapture: the module cannot be captured for it.
        """
        call, captured = Call.of(args, kwargs), self.learning
        if not records():
            try:
                if self._inside is None:
                    return self.function.program_of(call, ()), call
            except CannotCapture as problem:
                if not isinstance(problem.__cause__, NotRecorded):
                    raise
                self._inside = _Captured(self._run, self.module, self.library, {**self._options, "freeze": False})
            captured = self._inside
        with modes.mode(recording=True):
            call = changed(call, recording=(True, *flags) if any(flags) else True)
            return captured.program_of(call, flags), call

    def program_for(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Program:
        """Return the program that a call of tensors runs where nothing is differentiated.

        Raises:
            CannotCapture: the module cannot be captured for it.
        """
        with torch.no_grad():
            program: Program = self._with_arrays(
                args, kwargs, lambda arguments, named, _: self.program(arguments, named, [])[0]
            )
        return program

    def programs(self) -> list[Program]:
        """Return all programs, the least recently made first."""
        return list(dict.fromkeys(program for one in self._all() for program in one.programs()))

    def forget(self, program: Program) -> None:
        """Forget one program."""
        for one in self._all():
            one.forget(program)
        self.enter = self._slowly

    def clear(self) -> None:
        """Forget all programs."""
        for one in self._all():
            one.cache_clear()
        self.enter = self._slowly
        self._differentiated.clear()

    def chain(self, fallback: Callable[..., Any]) -> Callable[..., Any]:
        """Return `fallback`: Python sees to what is differentiated before `enter` is tried."""
        return fallback

    def _all(self) -> list[_Captured]:
        return [self.function, self.learning, *([] if self._inside is None else [self._inside])]

    def _of(self, program: Program) -> Differentiated:
        known = self._differentiated.get(id(program))
        if known is None or known.program is not program:
            alive = set(map(id, self.programs()))
            self._differentiated = {number: one for number, one in self._differentiated.items() if number in alive}
            known = self._differentiated[id(program)] = Differentiated(program, self.function.options)
        return known

    # ------------------------------------------------------------------------------------------------------- files

    def saved(self, samples: Sequence[Any] | None, notes: list[str], steps: bool = False) -> SavedProgram:
        """Return the programs that hold now as plain data, with the weights as they are.

        Args:
            samples: calls, each a tensor or a tuple of arguments; None: none are written.
            notes: hears where something else had to stand for PyTorch.
            steps: whether the file holds optimizers' steps.
        """
        function = self._inside or self.function
        named = named_tensors(self.module, [program.capture for program in function.programs()])
        names = {id(self.library.array(tensor)): name for name, tensor in named}
        calls = None
        if samples is not None:
            calls = [arrays_and_tensors(one if isinstance(one, tuple) else (one,), {})[0] for one in samples]
        return function.saved(names, calls, notes, steps)


NO_OBJECTS: Mapping[Structure, Collection[int]] = {}


def arrays_and_tensors(
    args: Sequence[Any],
    kwargs: dict[str, Any],
    library: TorchLibrary | None = None,
    objects: Mapping[Structure, Collection[int]] = NO_OBJECTS,
) -> tuple[tuple[Any, ...], dict[str, Any], dict[int, torch.Tensor]]:
    """Return the arguments of a call with arrays in the place of tensors, and the tensors by the identity of these.

    Args:
        args: of the call.
        kwargs: of the call.
        library: whose arrays stand for tensors that programs have met outside as well.
        objects: leaves in whose place is what stands for the tensor itself, by the structure of the arguments.
    """
    if any(isinstance(arg, PackedSequence) for arg in (*args, *kwargs.values())):
        raise packed_refused()
    maker = _array if library is None else library.argument_array
    leaves, structure = flatten((tuple(args), kwargs))
    numbers = objects.get(structure, ()) if objects else ()
    tensors: dict[int, torch.Tensor] = {}
    arrays: list[Any] = []
    memo: dict[int, ndarray] = {}
    for number, leaf in enumerate(leaves):
        if isinstance(leaf, torch.Tensor):
            check_class(leaf)
            if library is not None and (number in numbers or (library.asks_attributes and vars(leaf))):
                arrays.append(library.held_as(leaf))
                continue
            array = memo.get(id(leaf))
            if array is None:
                array = memo[id(leaf)] = maker(leaf)
            tensors[id(array)] = leaf
            arrays.append(array)
        else:
            arrays.append(leaf)
    arguments, named = unflatten(structure, arrays)
    return arguments, named, tensors


def _has_tangents(arguments: Any) -> bool:
    tensors = [leaf for leaf in flatten(arguments)[0] if isinstance(leaf, torch.Tensor)]
    return any(forward_ad.unpack_dual(tensor).tangent is not None for tensor in tensors)  # type: ignore[no-untyped-call]


class CannotCapture(Exception):
    """A module cannot be captured for a call; the cause tells why."""


class WrittenTensors:
    """Tensors in which calls of a program that sets gradients leave something."""

    def __init__(self, captured: Captured) -> None:
        arrays = [source.array for source in captured.sources if source.written >= 0 and source.array is not None]
        self.written: list[Any] = [tensor_of(array) for array in arrays]
        """Tensors that are written in place."""
        self._storages = {tensor.untyped_storage().data_ptr() for tensor in self.written}

    def overlaps(self, arguments: Sequence[Any]) -> bool:
        """Tell whether an argument may be over the memory of what is written."""
        for one in arguments:
            if isinstance(one, torch.Tensor) and one.untyped_storage().data_ptr() in self._storages:
                return True
        return False

    def finish(self, captured: Captured) -> Callable[[tuple[Any, ...]], Any] | None:
        """Return what makes the result of a call of its outputs, as tensors, and leaves gradients; None where that is
        more than setting them.
        """
        result = assembling(captured.structure, captured.results)
        owners: tuple[torch.Tensor, ...] = ()
        places: list[int] = []
        if len(captured.effects) > 1 or result is None:
            return None
        for effect in captured.effects:
            (values,) = effect.arguments if len(effect.arguments) == 1 else (None,)
            if not isinstance(effect.apply, LeftGradients) or not isinstance(values, tuple):
                return None
            owners = effect.apply.owners
            for value in values:
                inside = value.inside if isinstance(value, Faced) else value
                if inside is not None and (not isinstance(inside, Output) or inside.steps or inside.lost is not None):
                    return None
                places.append(-1 if inside is None else inside.index)
        pairs = tuple(zip(owners, places, strict=True))
        written, tell, assembler = self.written, torch.autograd.graph.increment_version, result

        def finish(outputs: tuple[Any, ...]) -> Any:
            for owner, place in pairs:
                owner.grad = None if place < 0 else outputs[place]
            tell(written)
            return assembler(outputs)

        return finish


class _Captured(Function[Any, Any]):
    """The function that a module is to the capture."""

    def __init__(
        self,
        function: Any,
        module: Callable[..., Any],
        library: TorchLibrary,
        options: dict[str, Any],
    ) -> None:
        super().__init__(function, **options)
        self.left: weakref.WeakKeyDictionary[Program, WrittenTensors] = weakref.WeakKeyDictionary()
        """For programs that go back themselves: the tensors that their calls write."""
        self._of_any_mode: weakref.WeakSet[Program] = weakref.WeakSet()
        """Programs that compute the same whether gradients are recorded or not."""
        self.library: TorchLibrary = library
        is_module = isinstance(module, torch.nn.Module)
        self.name: str = type(module).__name__ if is_module else getattr(module, "__name__", type(module).__name__)
        self.described_by: Callable[..., Any] | tuple[str, ...] = cast("Any", module).forward if is_module else module
        self._specialized: set[Hashable] = set()
        """Kinds of calls in which Python has to know what data decides."""

    def program_of(self, call: Call, flags: Sequence[bool]) -> Program:
        """Return the program for a call, captured and compiled where there is none.

        Raises:
            CannotCapture: it cannot be.
        """
        program = self._find(call)
        if program is not None:
            return program
        with self._lock:
            program = self._find(call)
            if program is None:
                self.library.flags = flags
                program = self._capture(call)
        return program

    def _capture(self, call: Call) -> Program:
        shared = None if call.recording else self._of_training(call)
        if shared is not None:
            return shared
        kind = family_key(call)
        try:
            if kind not in self._specialized:
                try:
                    program = super()._capture(call)
                except CaptureError as refusal:
                    if self.library.objects:
                        raise
                    return self._specialize(call, kind, refusal)
                if call.recording and sides_differ(program.capture.graph, self._leaves(program)):
                    return self._by_side(call, kind, program)
                return program
            return super()._capture(call)
        except Exception as error:
            let_through(error)
            if self.library.objects:  # what was refused may be right with these
                raise AsObjects(list(self.library.objects.values())) from None
            if isinstance(error, CaptureError):  # in the words of tensors
                error.help = error.help.replace(".copy()", ".clone()")
            raise CannotCapture from error

    def _of_training(self, call: Call) -> Program | None:
        """Return a program for a call without gradients of the graph that was captured for the same call with such."""
        trained = changed(call, recording=True)
        for program in list(self._of_any_mode):
            captured = program.capture
            if captured.call.recording is True and program.key in (trained.key, family_key(trained)):
                if not program.accepts(trained):
                    continue
                same = changed(call, kinds=captured.call.kinds)
                twin = super()._compile(changed(captured, call=same), program.reason)
                self._keep(twin)
                return twin
        return None

    def _compile(self, captured: Any, reason: str, codes: Sequence[Any] = ()) -> Program:
        passes = self.library.passes
        if passes.passed:
            captured = changed(captured, is_closed=True)
        program = super()._compile(captured, reason, codes)
        if passes.passed:
            self.left[program] = WrittenTensors(captured)
        elif not captured.is_closed and captured.decided is None and not self.library.asks_mode:
            self._of_any_mode.add(program)
        return program

    def _specialize(self, call: Call, kind: Hashable, refusal: CaptureError) -> Program:
        """Return a program that is specialized on what data decides, after the one that leaves it open was refused.

        Raises:
            CaptureError: the refusal, where that is of no use either.
        """
        self._specialized.add(kind)
        try:
            program = super()._capture(call)
        except Exception as error:
            let_through(error)
            self._specialized.discard(kind)
            raise refusal from None
        if program.capture.decided is None:  # the first attempt has changed what the second one saw
            self._specialized.discard(kind)
        return program

    def _by_side(self, call: Call, kind: Hashable, program: Program) -> Program:
        """Return a program for the sides that a call takes, so that what other sides read has no gradient at all.

        Where there can be none, that is 0, as the program for all sides gives it.
        """
        refusal = CaptureError("E422", "a branch that only a call decides")
        try:
            variant = self._specialize(call, kind, refusal)
        except CaptureError as error:
            if error is not refusal:
                raise
            return program
        super().forget(program)
        return variant

    def _leaves(self, program: Program) -> set[Value]:
        """Inputs that gradients are wanted for."""
        pairs = zip(program.capture.sources, program.capture.graph.inputs, strict=True)
        library = self.library
        outside = {value for source, value in pairs if source.array is not None and library.has_gradient(source.array)}
        return library.flagged | outside

    def _decides(self, call: Call) -> bool:
        return family_key(call) in self._specialized

    def current(self) -> list[Program]:
        """The programs that can be saved: one for each kind of call, made for prediction where there is one."""
        chosen: dict[Any, Program] = {}
        for program in sorted(super().current(), key=lambda one: bool(one.capture.call.recording)):
            call = program.capture.call
            chosen.setdefault((call.structure, call.kinds), program)
        return list(map(_portable, chosen.values()))


def _portable(program: Program) -> Program:
    """Return a program as files have it: random numbers go on from a state of its own, results are in plain containers.

    What torch's users may have registered for results is Python: of a mapping its items are kept as a dict, else the
    leaves in a tuple.
    """
    captured = program.capture
    keys = {id(feed.array) for feed in captured.transaction.feeds if isinstance(feed, DrawnKey)}
    if keys:
        sources = tuple(
            changed(source, array=random.state) if id(source.array) in keys else source for source in captured.sources
        )
        rest = tuple(feed for feed in captured.transaction.feeds if not isinstance(feed, DrawnKey))
        transaction = changed(captured.transaction, feeds=rest) if rest else NO_TRANSACTION
        captured = changed(captured, sources=sources, transaction=transaction)
    if captured.results and type(captured.results[0].value) is _Spec:
        parts = captured.structure.children[1:]
        ends = list(accumulate((part.leaves for part in parts), initial=1))
        tree = pytree.tree_unflatten([_Place(k) for k in range(len(parts))], captured.results[0].value.spec)
        places, structure = flatten(_in_python(tree))
        numbers = [place.number for place in places]
        results = tuple(one for k in numbers for one in captured.results[ends[k] : ends[k + 1]])
        structure = _with_leaves(structure, iter([parts[k] for k in numbers]))
        captured = changed(captured, structure=structure, results=results)
    if any(map(_is_torchs_tuple, object_classes(captured.structure))):
        captured = changed(captured, structure=_without_torch(captured.structure))
    if captured is program.capture:
        return program
    return program.described_as(captured)


def _without_torch(structure: Structure) -> Structure:
    """Return a structure with tuples in the place of sizes of tensors, and of results such as those of `topk`."""
    children = tuple(map(_without_torch, structure.children))
    is_torchs = structure.cls is not None and _is_torchs_tuple(structure.cls)
    return Structure("tuple", children) if is_torchs else changed(structure, children=children)


def _is_torchs_tuple(kind: type) -> bool:
    return kind is TensorSizes or kind.__module__ == "torch.return_types"


def _with_leaves(structure: Structure, parts: Iterator[Structure]) -> Structure:
    """Return a structure with another one in the place of each leaf."""
    if structure.kind == "leaf":
        return next(parts)
    return changed(structure, children=tuple([_with_leaves(child, parts) for child in structure.children]))


class _Place:
    """Stands for a leaf of a result."""

    def __init__(self, number: int) -> None:
        self.number = number


def _in_python(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _in_python(part) for key, part in value.items()}
    if isinstance(value, (tuple, list)):
        container = list if type(value) is list else tuple
        return container(map(_in_python, value))
    return value if pytree.tree_is_leaf(value) else tuple(pytree.tree_flatten(value)[0])


def _array(tensor: torch.Tensor) -> ndarray:
    return wrap(as_memory(tensor.detach() if tensor.requires_grad else tensor))


def _copied(array: ndarray) -> torch.Tensor:
    return as_tensor(numpy.array(host_view(array), order="C", copy=True))


class _Spec:
    """The structure of a result, as torch's users may have registered it, and which of its tensors are leaves."""

    __slots__ = ("leaves", "spec")

    def __init__(self, spec: Any, leaves: dict[int, tuple[bool, bool]]) -> None:
        """`leaves` tells by number whether a tensor is a parameter, and whether it has a gradient."""
        self.spec = spec
        self.leaves = leaves

    def whole(self, tensors: Sequence[Any]) -> Any:
        """Return the result."""
        parts, replacements = list(tensors), dict[int, torch.Tensor]()
        for number, (is_parameter, has_gradient) in self.leaves.items():
            tensor = parts[number].detach()
            if id(parts[number]) not in replacements:
                parameter = torch.nn.Parameter(tensor, has_gradient) if is_parameter else tensor.requires_grad_()
                replacements[id(parts[number])] = parameter
            parts[number] = replacements[id(parts[number])]
        return pytree.tree_unflatten(parts, self.spec)


NO_TENSORS: Mapping[int, torch.Tensor] = {}


def _plain(result: Any, passes: OwnPasses) -> Any:
    """Return the result of a module as the capture takes it: symbols, in containers of Python's or with a structure."""
    tensors = [leaf for leaf in flatten(result, whole=is_traced)[0] if type(leaf) is TracedTensor]
    for tensor in tensors:
        tensor.check()
        tensor.check_attributes()
    has_leaves = passes.check_leaves(tensors)
    if not has_leaves:
        if type(result) is TracedTensor:
            return result.array
        leaves, structure = flatten(result, faces=SIZES)
        if not any(map(_is_opened, leaves)):
            return unflatten(_unfaced(structure), leaves)
    leaves, spec = pytree.tree_flatten(result, is_leaf=lambda part: isinstance(part, torch.Size))
    numbered = ((number, passes.as_leaf(leaf)) for number, leaf in enumerate(leaves) if type(leaf) is TracedTensor)
    of_graphs = {number: flags for number, flags in numbered if flags is not None}
    return (_Spec(spec, of_graphs), *map(_plain_leaf, leaves))


def _plain_leaf(leaf: Any) -> Any:
    if type(leaf) is TracedTensor:
        return leaf.array
    return TensorSizes(leaf) if type(leaf) is torch.Size else leaf


def _unfaced(structure: Structure) -> Structure:
    if structure.kind == "face":
        return LEAF
    return changed(structure, children=tuple(map(_unfaced, structure.children)))


def _is_opened(leaf: Any) -> bool:
    """Tell whether torch knows how to take an object apart: a `ModelOutput`, say."""
    return type(leaf) is not Symbol and not pytree.tree_is_leaf(leaf)


def whole(result: Any, tensors: Mapping[int, torch.Tensor] = NO_TENSORS) -> Any:
    """Return what a program gives as the module does.

    Args:
        result: of the program.
        tensors: those behind the arrays among its arguments, by the identity of the array.
    """
    if type(result) is ndarray:
        return tensor_of(result) if (known := tensors.get(id(result))) is None else known
    if isinstance(result, torch.Tensor):
        return result
    memo = dict(tensors)

    def shown(leaf: Any) -> Any:
        """One object stays one."""
        if type(leaf) is not ndarray:
            return leaf
        if id(leaf) not in memo:
            memo[id(leaf)] = tensor_of(leaf)
        return memo[id(leaf)]

    if type(result) is tuple and result and type(result[0]) is _Spec:
        return result[0].whole(list(map(shown, result[1:])))
    leaves, structure = flatten(result, faces=SIZES)
    return unflatten(structure, list(map(shown, leaves)))


def _arrays(result: Any) -> Any:
    """Return the result of a module as files have it: arrays in the place of tensors, in containers of Python's."""
    leaves, structure = flatten(result)
    if any(map(_is_opened, leaves)):
        leaves, structure = flatten(_in_python(result))
    return unflatten(structure, [_array(leaf) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves])


class Differentiated:
    """Runs a program whose results are part of torch's graph."""

    program: Program

    def __init__(self, program: Program, options: Options) -> None:
        captured = program.capture
        written = [(number, one.written) for number, one in enumerate(captured.sources) if one.written >= 0]
        last = [output for _, output in written]
        first = [number for number in range(len(captured.graph.outputs)) if number not in last]
        self.program, self._captured = program, captured
        self._place = {number: place for place, number in enumerate(first)}
        """Outputs that are results, by their numbers in the program."""
        outputs = tuple(captured.graph.outputs[number] for number in (*first, *last))
        graph: Graph = changed(captured.graph, outputs=outputs)
        names = [captured.graph.inputs[number].name or "a tensor" for number, _ in written]
        self._gradients = Gradients(
            graph,
            program.name,
            writes=[number for number, _ in written],
            names=names,
            backend=options.backend,
            verify=options.verify,
            threads=options.threads,
            make=program.make,
        )
        self._fed = {id(feed.array) for feed in captured.transaction.feeds if hasattr(feed, "array")}
        """Arrays that are filled before each call, of which a backward pass has to keep what they held."""
        self.latest: tuple[tuple[int, ...], tuple[tuple[int, ...], ...]] | None = None
        """Inputs that the last call differentiated, and the sizes of all."""

    def call(self, call: Call, originals: dict[int, torch.Tensor]) -> Any:
        """Return the result of a call; `originals` are the tensors behind the arrays among its leaves, by identity."""
        captured = self._captured
        with captured.transaction.lock(), captured.transaction.call(()):
            tensors, buffers = self._inputs(call, originals)
            wrt = wanted(tensors)
            self.latest = wrt, tuple([buffer.shape for buffer in buffers])
            try:
                outputs = self._gradients.call(tensors, buffers, wrt).results()
            except BaseException as error:
                locate(error, captured.graph, captured.caller)
                raise
            captured.transaction.commit()
        return self._finished(call, outputs, tensors)

    def entry(self, fallback: Entry, library: Exchange) -> Entry | None:
        """Return a callable for calls as the last one was; None where there can be none."""
        captured, owner = self._captured, self._gradients
        transaction = captured.transaction
        needs = captured.effects, captured.layouts, captured.numbers, transaction.feeds, transaction.marks, owner.writes
        if self.latest is None or unasked(captured) or any(needs):
            return None
        if captured.compared is not None or captured.call.devices or owner.calls_python:
            return None
        wrt, shapes = self.latest
        route, pair = owner.prepared(wrt, [numpy.broadcast_to(numpy.empty((), bool), shape) for shape in shapes])
        if not isinstance(pair.forward, Machine) or pair.forward.target_name or pair.forward.executable.derivers:
            return None
        executable = pair.forward.executable
        positions = [source.position for source in captured.sources if source.array is None]
        rest = [source.array for source in captured.sources[len(positions) :]]
        outside = [tensor_of(array) for array in rest if array is not None]
        arrays = [place for place, kind in enumerate(captured.call.kinds) if isinstance(kind, TensorType)]
        if positions != arrays or len(outside) < len(rest) or not all(map(_is_own, outside)):
            return None
        types = executable.parameters[: len(arrays)]
        flags = [number in wrt if is_float(type_.dtype) else None for number, type_ in enumerate(types)]
        described = self.program.arguments_of_entry(executable.parameters, flags)
        finish: Any = assembling(captured.structure, captured.results)
        if described is None or finish is None:
            return None
        arguments, keywords = described
        flagged = [
            Watch(Look.ATTRIBUTE, tensor, "requires_grad", number in wrt)
            for number, tensor in enumerate(outside, len(positions))
            if tensor.is_floating_point()
        ]
        if route.of:
            finish = Attachment(owner, route, pair, outside, input_rows(arguments), library).finishing(finish)
        entry = make_entry(
            executable,
            array_type=None,
            arguments=arguments,
            bound=[content_of(array) for array in rest if array is not None],
            fallback=fallback,
            structure=finish,
            attaches=bool(route.of),
            exchange=library,
            keywords=keywords,
            doubt=self.program.holds,
            outcome=taken_of(captured.graph, captured.caller),
            watches=[*mode_watches(True), *flagged, *watches(captured.guards)],
        )
        if isinstance(entry, PythonEntry):
            return None
        state: Any = entry.__self__  # type: ignore[attr-defined]
        for storage in captured.watched:
            storage.watch(state)
        return None if self.program.stale else entry

    def _inputs(self, call: Call, originals: dict[int, torch.Tensor]) -> tuple[list[torch.Tensor], list[Any]]:
        tensors: list[torch.Tensor] = []
        buffers: list[Any] = []
        for source, value in zip(self._captured.sources, self._captured.graph.inputs, strict=True):
            array = call.leaves[source.position] if source.array is None else source.array
            if id(array) in self._fed:
                buffers.append(host_view(array).copy())
                tensors.append(as_tensor(buffers[-1]))
            elif isinstance(array, ndarray):
                buffers.append(content_of(array))
                tensor = originals.get(id(array))
                tensors.append(tensor_of(array) if tensor is None else tensor)
            else:
                buffers.append(numpy.asarray(array, dtype=value.type.dtype))
                tensors.append(as_tensor(buffers[-1]))
        return tensors, buffers

    def _finished(self, call: Call, outputs: Sequence[torch.Tensor], tensors: Sequence[torch.Tensor]) -> Any:
        """Return the result of a call whose outputs are there; see `Program.finished`."""
        captured, program = self._captured, self.program
        steps = program.steps_for(call)
        values: list[Any] = [None] * len(captured.graph.outputs)
        for number, place in self._place.items():
            values[number] = as_memory(outputs[place].detach())
        views: dict[Any, Any] = {}
        for one in captured.stand_ins:
            if isinstance(one, Output) and one.weak is None:
                views[one.index, steps(one.steps)] = _viewed(outputs[self._place[one.index]], steps(one.steps))

        def leaf(result: Result) -> Any:
            match result.kind:
                case "array":
                    return _viewed(outputs[self._place[result.index]], result.steps)
                case "view":
                    return _viewed(tensors[result.index], result.steps)
            return constant(result, values)

        return program.finished(call, leaf, values, views)


def _is_own(tensor: torch.Tensor) -> bool:
    """Tell whether a tensor is of a class of PyTorch's, so that to look at it runs no Python."""
    return type(tensor) in (torch.Tensor, torch.nn.Parameter)


def _viewed(tensor: torch.Tensor, steps: Sequence[Op]) -> torch.Tensor:
    """Return the view of a tensor that view ops make."""
    if not steps:
        return tensor
    if any(type(step) is StopGradient for step in steps):
        tensor = tensor.detach()
    with LOADING:
        from hybridize.autograd.tape import viewed  # late: few results are views of others

    base = as_memory(tensor.detach())
    view = viewed(base, tuple(steps))
    start = view.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    strides = [stride // view.itemsize for stride in view.strides]
    return tensor.as_strided(view.shape, strides, tensor.storage_offset() + start // view.itemsize)
