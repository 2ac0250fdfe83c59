# SPDX-License-Identifier: Apache-2.0
"""`Program`: one captured function, compiled. Runs calls of one signature, and writes back what the function wrote."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy
from numpy.typing import NDArray

from hybridize import compiler
from hybridize.array import random
from hybridize.array.buffer import (
    at_host,
    buffer_of,
    content_of,
    host_view,
    is_exposed,
    is_row_major,
    memory_key,
    notify_written,
    overwrite,
    pending_view,
    replaced,
    same_place,
    share_elements,
)
from hybridize.array.device import AWAY
from hybridize.array.nd_array import ND, classed
from hybridize.array.ndarray import have_one_history, ndarray, wrap, written
from hybridize.array.placing import on_device, place
from hybridize.array.traced import LostHistory, Variable
from hybridize.autograd.tape import viewed as viewed_buffer
from hybridize.base import modes
from hybridize.base.access import ACCESS, WRITER, begin_writing
from hybridize.base.dims import SizeScope, SizeSymbol
from hybridize.base.dtypes import is_inexact
from hybridize.base.errors import ArgumentError, DTypeError, ShapeError, StateError
from hybridize.base.frozen import changed
from hybridize.base.loading import LOADING
from hybridize.base.nested import Structure, empty_object, unflatten
from hybridize.base.spans import LISTENERS, PROGRAM, is_heard, span
from hybridize.base.tracebacks import throw
from hybridize.base.types import TensorType
from hybridize.compiler.archived import Code
from hybridize.contract import captured as captures
from hybridize.contract.call import Call
from hybridize.contract.conditions import Decided
from hybridize.contract.feeds import NO_TRANSACTION
from hybridize.contract.guards import checker, watches
from hybridize.contract.snapshots import Snapshot
from hybridize.graph import Graph, exact, is_exact, sizes_of
from hybridize.ops.op import Op, taping
from hybridize.programs.backends import Backend, Evaluation, Machine, Making, Memory, Verifying
from hybridize.programs.differentiated import Recorded, viewed
from hybridize.programs.donation import donated, updates_of
from hybridize.programs.entry import (
    Closed,
    CommitFlag,
    Entry,
    Stages,
    assembling,
    marking,
    not_taken,
    overlapping,
    plain_structure,
    same_objects,
    unasked,
)
from hybridize.programs.failures import locate, taken_of
from hybridize.programs.families import family_key
from hybridize.programs.packed import Copies, PackedMachine
from hybridize.programs.queued import acts, called, can_be_queued
from hybridize.programs.recorded_calls import recorded
from hybridize.runtime.entry import Argument, ArgumentKind, PythonEntry, Watch
from hybridize.runtime.exchange import Exchange

if TYPE_CHECKING:
    from hybridize.compiler.explanation import Explanation
    from hybridize.contract.captured import Captured

Buffers = Sequence[NDArray[Any]]
Steps = tuple[Op, ...]
"""Ops that make a view, one after the other."""
Views = dict[tuple[int, Steps], Any]
"""Arrays of the result by their output and the view of it."""


class Program:
    """Run a function that was compiled for arguments of one structure and one type each.

    `hybridize(function).program(...)` and `hybridize(function).current()` return programs. You do not make them
    yourself.

    Call a program with NumPy arrays or arrays of hybridize. It returns arrays of hybridize. Other parts of hybridize
    use its further methods, which may change from version to version.

    >>> import hybridize
    >>> double = hybridize.hybridize(lambda x: x * 2)
    >>> program = double.program(np.ones(3))
    >>> isinstance(program, hybridize.Program), program.backend
    (True, 'llvm')
    >>> program(np.ones(3))
    array([2., 2., 2.])
    """

    capture: Captured

    def __init__(
        self,
        captured: captures.Captured,
        *,
        name: str = "program",
        backend: str = "llvm",
        verify: Any = False,
        threads: int | None = None,
        reason: str = "",
        codes: Sequence[Code] = (),
    ) -> None:
        self.name = name
        self._aliases = aliases(captured.call, captured) if captured.same_memory or captured.writes_arguments else None
        compared = captured.compared
        self._objects = None if compared is None else same_objects(captured.call.leaves, compared)
        """The arrays among the arguments that are one object; None where that does not matter."""
        self.sample: tuple[Any, ...] | None = recorded(captured.call)
        """The leaves of the call that it was captured at, for files; None where they are not kept."""
        call = captured.call.without_arrays()
        self.capture = captured = captured if call is captured.call else changed(captured, call=call)
        written = [source.array for source in captured.sources if source.written >= 0]
        self.writes: bool = bool(written)
        """True if a call writes arrays that were there before it."""
        self._alone = any(array is not random.state for array in written)
        """True if a call writes arrays that others may read meanwhile: they are kept out (`base.access`)."""
        self._written = [array for array in written if array is not None and array is not random.state]
        """Arrays from outside that a call writes, and that may be among its arguments."""
        self._same_views = all(map(is_exact, captured.views))
        """True if the views in the result, and in what is kept, do not depend on sizes that only a call knows."""
        self._contained = any(result.kind == "container" for result in captured.results)
        """True if containers that calls make, or were given, are part of the result."""
        self._holds = checker(captured.guards) if captured.guards else None
        self._dirty = PythonEntry(self)
        for storage in captured.watched:
            storage.watch(self._dirty)
        make: Making = Machine
        whole: Making = Machine
        self._at_host = True
        if AWAY:
            make, whole = self._made_on_device(captured) or (make, whole)
        self.make: Making = make
        """Compiles graphs for where it runs."""
        self._recorded = Recorded(captured.graph, name, backend, verify, threads, make=make, forward=whole)
        self._runs: Backend
        if call.recording and not captured.is_closed:
            self._runs = self._recorded
        elif backend == "numpy":
            self._runs = Evaluation(captured.graph)
        elif verify:
            self._runs = Verifying(captured.graph, name, verify == "ops", threads, make, whole)
        elif not self._at_host:
            self._runs = whole(captured.graph, name, threads)
        else:
            self._runs = PackedMachine(
                captured.graph, name, self._stable(), self._dirty, threads=threads, codes=codes,
                updates=self.updates if self.writes else {},
            )  # fmt: skip
        self.reason = reason
        """The reason why it was captured: empty for the first program of a function."""
        self._decides: Backend | None = None
        """Computes what data decides and the program is specialized on; made when it is first asked."""

    def _made_on_device(self, captured: captures.Captured) -> tuple[Making, Making] | None:
        """Return what compiles for the device of the function, see `making`; None where that is the host."""
        with LOADING:
            from hybridize.programs import device_machine  # late: few processes have devices

        makers = device_machine.making(captured, self._stable())
        self._at_host = makers is None
        return makers

    def _stable(self) -> dict[int, ndarray]:
        """Matrices from outside, and what lies otherwise than row by row, that calls only read and that nobody writes
        unseen; none while weights are learned.
        """
        call = self.capture.call
        if call.training or call.recording:
            return {}
        arrays = {number: source.array for number, source in enumerate(self.capture.sources) if source.written < 0}
        return {number: array for number, array in arrays.items() if array is not None and not is_exposed(array)}

    def described_as(self, captured: captures.Captured) -> Program:
        """Return the same program with another account of where its inputs come from and what results are made of."""
        copy = object.__new__(type(self))
        vars(copy).update(vars(self), capture=captured)
        return copy

    # ------------------------------------------------------------------------------------------------ what it is

    @property
    def backend(self) -> str:
        """`llvm` or `numpy`."""
        return self._runs.name

    @property
    def captured(self) -> Graph:
        """The graph of the function before all passes."""
        return self.capture.graph

    @property
    def optimized(self) -> Graph:
        """The graph after all passes."""
        return self._runs.optimized

    @property
    def kernels(self) -> tuple[Any, ...]:
        """The kernels that a call runs, step by step."""
        return self._runs.kernels

    @property
    def fallbacks(self) -> tuple[str, ...]:
        """Names of the operations that run by code of other libraries, each once: all of them on the NumPy backend."""
        return self._runs.fallbacks

    @property
    def memory(self) -> Memory:
        """The memory of one call, in bytes, known before it runs."""
        return self._runs.memory

    @property
    def types(self) -> tuple[TensorType, ...]:
        """Types of the inputs of the graph."""
        return tuple(value.type for value in self.capture.graph.inputs)

    def schedule(self) -> str:
        """Return how the program runs, as text: steps with their memory, products, loops and threads.

        The text is for those who work on the compiler. It may change from version to version. `explain` is for all
        others.

        >>> double = hybridize(lambda x: x * 2)
        >>> print(double.program(np.ones(3)).schedule())
        1 step, 0 bytes of scratch
        0. loops: mul  # ...
        """
        with LOADING:
            from hybridize.programs.explain import scheduled  # late: few programs are explained

        return scheduled(self.capture, self._runs)

    def explain(self, *args: Any, profile: bool = False, html: str | os.PathLike[str] | None = None) -> Explanation:
        """Report what the program is, why it was compiled, what the passes did and which kernels it runs.

        `str()` of it is the text.

        Args:
            args: of the call to measure; arrays from outside are taken as they are, arguments not given at random.
            profile: measure each kernel, and set it beside what this machine can do at best.
            html: write the report here, too, as notebooks show it: a page with the graph and the kernels.

        Raises:
            ShapeError E120, DTypeError E210, ArgumentError E310: arguments other than it was compiled for.
            WriteError E335: `html` cannot be written there.

        >>> double = hybridize(lambda x: x * 2)
        >>> print(double.program(np.ones(3)).explain())
        <lambda>
          takes        x: f32[3]
          gives        f32[3]
        ...
        """
        with LOADING:
            from hybridize.programs.explain import explained, write_page  # late: few programs are explained

        arrays = None
        if args:
            call = Call.of(args, {})
            self._check(call)
            arrays = self.arrays(call)
        report = explained(self.name, self.reason, self.capture, self._runs, arguments=arrays, profile=profile)
        if html is not None:
            write_page(html, report)
        return report

    def __repr__(self) -> str:
        return f"<Program {self.name}({', '.join(map(str, self.types))}) backend={self.backend}>"

    def _repr_html_(self) -> str:
        """Return the report that `explain` gives, as notebooks show it."""
        return self.explain()._repr_html_()

    def __reduce__(self) -> NoReturn:
        raise ArgumentError(
            "E346", f"the program of {self.name} cannot be pickled or copied: it is machine code of this process",
            help="use save(path) and hybridize.load(path)",
        )  # fmt: skip

    @property
    def is_plain(self) -> bool:
        """True if calls are no more than a run of machine code over the inputs, which a signal may interrupt."""
        runs = self._runs
        if not isinstance(runs, PackedMachine) or runs.executable.derivers:
            return False
        return not runs.executable.effects or not acts(self.capture.graph, asserting=True)

    def entry_over(
        self, bound: Buffers, fallback: Entry, exchange: Exchange, watches: Sequence[Watch], structure: Any,
        doubt: Callable[[], bool] | None = None, arguments: tuple[Sequence[Argument], tuple[str, ...]] | None = None,
    ) -> Entry | None:  # fmt: skip
        """A callable over arrays of another library, in and out, which gives calls of other arguments to `fallback`.

        None where there can be none.

        Args:
            bound: arrays in place of those that the program was captured with: inputs behind the arguments.
            fallback: gets the others.
            exchange: takes and makes the arrays.
            watches: what must be as it is for a call to be taken.
            structure: of the result, as `compiler.make_entry` has it.
            doubt: tells of all that is watched whether it is right, where other objects may be equal.
            arguments: what is checked of each, and the names of the last of them; those of the capture are the default.
        """
        arguments = arguments or self.arguments_of_entry()
        if arguments is None or not self.is_plain or unasked(self.capture):
            return None
        runs: Any = self._runs
        entry = compiler.make_entry(
            runs.executable, array_type=None, arguments=arguments[0], keywords=arguments[1], bound=bound,
            fallback=fallback, structure=structure, exchange=exchange, watches=watches, doubt=doubt,
        )  # fmt: skip
        return None if isinstance(entry, PythonEntry) else entry

    def on_lines(self) -> Callable[..., Buffers] | None:
        """Return a function of the inputs, as NumPy arrays, which gives outputs that begin on cache lines.

        None where sizes are not known, or calls need more than that.
        """
        runs: Any = self._runs
        return runs.executable.caller_on_lines() if self.is_plain else None

    def run_inputs(self, inputs: Buffers) -> Buffers:
        """Return the outputs for inputs that the program holds for, in the order of the graph."""
        return self._runs.run(inputs)

    # ----------------------------------------------------------------------------------------------- when it holds

    @property
    def key(self) -> tuple[Any, ...]:
        """The key that the calls which it may be right for have in common."""
        return self.capture.call.key if self.captured.scope is None else family_key(self.capture.call)

    def _sizes(self, call: Call) -> Mapping[SizeSymbol, int] | None:
        """The sizes of a call; None where the program does not hold for them."""
        if self.captured.scope is None:
            return {}
        positions = [source.position for source in self.capture.sources]
        shapes = [
            value.type.shape if position < 0 else getattr(call.leaves[position], "shape", ())
            for position, value in zip(positions, self.captured.inputs, strict=True)
        ]
        sizes = sizes_of(self.captured, shapes)
        return sizes if sizes is not None and self._runs.accepts(shapes) else None

    @property
    def stale(self) -> bool:
        """True if something it depends on was replaced, so that it never holds again."""
        return bool(self._dirty.dirty[0])

    @property
    def outdated(self) -> bool:
        """True if the program will hardly be right again: it is stale, or an array that it reads was replaced.

        It would keep that array alive.
        """
        of_arrays = [one for one in self.capture.guards if one.test.of_memory or _is_array(_first(one.expected))]
        return self.stale or not all(one.holds() for one in of_arrays)

    @property
    def holds(self) -> Callable[[], bool] | None:
        """The function that tells whether its guards hold; None where it has none."""
        return self._holds

    @property
    def current(self) -> bool:
        """True if nothing has changed that the capture depended on: the program does what the function does."""
        return not self.stale and (self._holds is None or bool(self._holds()))

    def accepts(self, call: Call) -> bool:
        """Tell whether the program is right for a call whose key is its own: its guards hold, and its conditions."""
        captured = self.capture
        if not self.suits(call):
            return False
        if captured.transaction is not NO_TRANSACTION and not (
            captured.transaction.takes(call.leaves) and captured.transaction.holds()
        ):
            return False
        return captured.decided is None or not self._decided_otherwise(captured.decided, call)

    def suits(self, call: Call) -> bool:
        """Tell as much of that as can be told once a call has begun: all but its feeds, and what data decides."""
        captured = self.capture
        if self.stale or (captured.numbers and not all(call.number(*number) for number in captured.numbers.items())):
            return False
        if captured.conditions and not all(condition.holds(call.leaves) for condition in captured.conditions):
            return False
        if captured.layouts and not all(_laid_out(call, *layout) for layout in captured.layouts.items()):
            return False
        if self._sizes(call) is None or (captured.changed and not captures.are_distinct(captured, call)):
            return False
        return (self._holds is None or bool(self._holds())) and self._same_memory(call)

    def _decided_otherwise(self, decided: Decided, call: Call) -> str:
        """Say what data decides otherwise in a call than in that which was captured; empty where nothing is."""
        arrays = decided.arrays(call.leaves)
        if self._decides is None:
            evaluates = self.backend == "numpy"
            self._decides = Evaluation(decided.graph) if evaluates else Machine(decided.graph, f"{self.name}_decides")
        return decided.change(self._decides.run(arrays))

    def _same_memory(self, call: Call) -> bool:
        """Tell whether arguments share memory where they did, and only there, as far as it matters."""
        for position, array in self.capture.bound.items():
            if memory_key(call.leaves[position]) != memory_key(array):
                return False
        if any(
            share_elements(leaf, array) for array in self._written for leaf in call.leaves if isinstance(leaf, ndarray)
        ):
            return False
        if self._objects is not None and same_objects(call.leaves, self.capture.compared or ()) != self._objects:
            return False
        return self._aliases is None or aliases(call, self.capture) == self._aliases

    def _check_histories(self, call: Call) -> None:
        """Refuse to record a call of arrays over one memory, which are one to the program, with several histories.

        Raises:
            StateError E558: gradients would go to one of them alone.
        """
        leaves = call.leaves
        pairs = [(position, leaves[earlier]) for position, earlier in self.capture.same_memory.items()]
        for position, other in [*pairs, *self.capture.bound.items()]:
            if is_inexact(other.dtype) and not have_one_history(leaves[position], other):
                raise StateError(
                    "E558",
                    f"argument {position} of {self.name} is over the memory of another array of the program, and only "
                    "one of them has this history: one is detached, or has a gradient of its own",
                    help="pass a copy of one of them: x.detach().copy()",
                )

    def renewed(self) -> bool:
        """Tell whether its entries are to be made again; says so once."""
        runs = self._runs
        if not isinstance(runs, PackedMachine) or not runs.renewed:
            return False
        runs.renewed = False
        return True

    def objections(self, call: Call) -> str:
        """Say why the program is not right for a call whose key is its own; empty where it is."""
        for position, value in self.capture.numbers.items():
            if not call.number(position, value):
                return f"argument {position} was {value!r} and is {call.leaves[position]!r}"
        for condition in self.capture.conditions:
            if not condition.holds(call.leaves):
                return f"a condition on numbers was {condition.expected} and is not, at {condition.loc}"
        for guard in self.capture.guards:
            if not guard.holds():
                return f"{guard.change()}, read at {guard.loc}"
        if self.stale:
            return "a block's setting or child was replaced"
        for position, strides in self.capture.layouts.items() if call.originals is not None else ():
            if not _laid_out(call, position, strides):
                return f"argument {position} is laid out in another way"
        if self.capture.decided is not None and (change := self._decided_otherwise(self.capture.decided, call)):
            return f"{change}, at {self.capture.decided.loc}"
        if not self.capture.transaction.takes(call.leaves):
            return "gradients are attached to other arguments"
        if not self.capture.transaction.holds():
            return "what each call reads outside (an optimizer, a container) or which gradients are fresh has changed"
        return "arguments share memory differently"

    # ---------------------------------------------------------------------------------------------------- calls

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program.

        Raises:
            ShapeError E120, DTypeError E210, ArgumentError E310: arguments other than it was compiled for.
        """
        call = Call.of(args, kwargs)
        self._check(call)
        return self.run(call)

    def _check(self, call: Call) -> None:
        expected = self.capture.call
        if call.structure != expected.structure:
            text = f"{self.name} takes {described(expected)}, got {described(call)}"
            raise ArgumentError("E310", text, help="compile it for these arguments")
        for position, (kind, wanted) in enumerate(zip(call.kinds, expected.kinds, strict=True)):
            if kind == wanted or (isinstance(kind, type) and isinstance(wanted, type)):
                continue
            if self.captured.scope is not None and _alike(kind, wanted):
                continue
            text = f"argument {position} of {self.name} must be {show(wanted)}, got {show(kind)}"
            if isinstance(kind, TensorType) and isinstance(wanted, TensorType):
                if kind.dtype != wanted.dtype:
                    raise DTypeError("E210", text, help=f"cast the argument: x.astype({wanted.dtype.name!r})")
                raise ShapeError("E120", text)
            raise ArgumentError("E310", text)
        if self._sizes(call) is None:
            raise ShapeError(
                "E120", f"{self.name} takes {accepted(expected, self.captured.scope)}, got {described(call)}"
            )
        for position, value in self.capture.numbers.items():
            if not call.number(position, value):
                text = f"argument {position} of {self.name} must be {value!r}, got {call.leaves[position]!r}"
                raise ArgumentError("E310", text)

    def run(self, call: Call) -> Any:
        """Run a call that the program is right for; or let that be done later, where calls are asynchronous."""
        return self.run_now(call) if ACCESS.queue is None else called(self, call)

    def run_now(self, call: Call) -> Any:
        """Run a call that the program is right for, and return when it is done."""
        if LISTENERS and is_heard(PROGRAM):
            return span(PROGRAM, self, self.run_now, call)
        captured = self.capture
        pairs = zip(captured.sources, self.captured.inputs, strict=True)
        arrays = [
            self.array(source, value.type, call) if source.array is None else source.array for source, value in pairs
        ]
        if taping() is not None and (captured.same_memory or captured.bound):
            self._check_histories(call)
        views: Views = {}
        took: list[None] = []
        saved: Collection[int] = ()
        with captured.transaction.lock(self.writes), captured.transaction.call(took):
            view = host_view if self._at_host else content_of
            buffers = [view(array) if isinstance(array, ndarray) else array for array in arrays]
            taped, outputs = taping() is not None, None
            entered = self._alone and begin_writing()
            try:
                if taped:
                    outputs, saved = self._recorded.taped(captured.sources, arrays, buffers, views)
                elif self.writes and isinstance(self._runs, PackedMachine):
                    outputs = self._runs.update(buffers)
                else:
                    outputs = self._runs.run(buffers)
                if self.writes:
                    self._commit(arrays, outputs, saved)
            except BaseException as error:
                locate(error, self.captured, captured.caller)
                # An interruption may come when the program has written in place. What it began is ended then.
                if self.writes and outputs is not None:
                    took.append(None)
                    self._commit(arrays, outputs, saved)
                notify_written(self._written)
                raise
            finally:
                if entered:
                    WRITER.value = 0
                    del ACCESS.marks[-1:]
            if not self._at_host:
                outputs = [at_host(y) if k in self._read_outputs else y for k, y in enumerate(outputs)]
            if taped and self.writes:
                self._recorded.remember(captured.sources, arrays, views)
        return self.finished(call, lambda result: self.leaf(result, arrays, outputs, views), outputs, views)

    def finished(self, call: Call, leaf: Callable[[captures.Result], Any], outputs: Buffers, views: Views) -> Any:
        """Do what the function does to objects outside, and return its result, or raise what it ends with.

        Args:
            call: whose outputs are there.
            leaf: makes a leaf of the result, its views for the sizes of the call; no container.
            outputs: of the graph.
            views: arrays that the result and what is kept have in common.
        """
        captured = self.capture
        results = captured.results
        if not self._same_views:
            steps = self.steps_for(call)
            results = tuple([changed(one, steps=steps(one.steps)) for one in results])
        if not captured.effects and not self._contained:
            leaves = list(map(leaf, results))
        else:
            fill = self._filling(call, outputs, views)
            for effect in captured.effects:
                keywords = {name: fill(argument) for name, argument in effect.keywords.items()}
                effect.apply(*map(fill, effect.arguments), **keywords)
            leaves = [fill(one.value) if one.kind == "container" else leaf(one) for one in results]
        result = unflatten(captured.structure, leaves)
        if captured.raises is not None:
            throw(captured.raises.exception(result))
        return result

    @cached_property
    def queued_machine(self) -> PackedMachine | None:
        """The machine code whose calls can run later; None where they cannot."""
        return self._runs if isinstance(self._runs, PackedMachine) and can_be_queued(self.capture) else None

    @cached_property
    def _read_outputs(self) -> frozenset[int]:
        """The outputs that a call reads at the host: numbers, and what texts are made of."""
        parts = self.capture.stand_ins
        numbers = [one.index for one in self.capture.results if one.kind == "number"]
        numbers += [one.index for one in parts if isinstance(one, captures.Output) and one.weak is not None]
        parts = self.capture.stand_ins
        numbers += [k for one in parts if isinstance(one, captures.FormattedText) for k in one.outputs]
        return frozenset(numbers)

    @cached_property
    def updates(self) -> dict[int, int]:
        """The outputs that are nothing but the new value of an array that is there before the call, by its input."""
        return updates_of(self.capture)

    def steps_for(self, call: Call) -> Callable[[Steps], Steps]:
        """Make a function that returns the steps of a view for the sizes of a call."""
        if self._same_views:
            return tuple
        sizes = self._sizes(call) or {}
        return lambda steps: tuple([exact(step, sizes) for step in steps])

    @property
    def arguments(self) -> int:
        """The number of inputs of the graph that are arguments."""
        return sum(source.position >= 0 for source in self.capture.sources)

    def outputs(self, arguments: Buffers, words: NDArray[Any] | None = None) -> list[NDArray[Any]]:
        """Outputs of the graph for the arrays and numbers among the arguments; nothing is written back.

        Args:
            arguments: of the call.
            words: the state of the random generator to draw from; None for the present one.
        """
        buffers = iter(arguments)
        view = host_view if self._at_host else content_of
        arrays = [next(buffers) if one.array is None else view(one.array) for one in self.capture.sources]
        if words is not None:
            pairs = zip(arrays, self.capture.sources, strict=True)
            arrays = [words if one.array is random.state else array for array, one in pairs]
        return list(map(at_host, self._runs.run(arrays)))

    def array(self, source: captures.Source, kind: TensorType, call: Call) -> Any:
        """Return what an input of a call is given: an array, of ours where the call has one of ours."""
        if source.array is not None:
            return source.array
        leaf = call.leaves[source.position]
        return leaf if isinstance(leaf, ndarray) else numpy.asarray(leaf, dtype=kind.dtype)

    def arrays(self, call: Call) -> list[Any]:
        """Return what each input of a call is given."""
        pairs = zip(self.capture.sources, self.captured.inputs, strict=True)
        return [self.array(source, value.type, call) for source, value in pairs]

    def _commit(self, arrays: Sequence[Any], outputs: list[Any], saved: Collection[int]) -> None:
        """Write the outputs that are new values of arrays; who else has memory of an output says so by `saved`.

        A second time ends what an interruption has cut off: memory that has changed places does not change back.
        """
        again = modes.THREAD.recomputing
        for source, array in zip(self.capture.sources, arrays, strict=True):
            if again and source.array is not None and source.array is not random.state:
                continue  # state was moved the first time
            if source.written >= 0:
                number = source.written
                if outputs[number] is not buffer_of(array):
                    if number in self.updates and number not in saved and replaced(array, outputs[number]):
                        outputs[number] = buffer_of(array)  # no call between: Ctrl-C comes before both, or after
                    else:
                        overwrite(array, outputs[number])
                written(array)
                if source.lost is not None:
                    source.lost.mark(array)
        self.capture.transaction.commit()

    def _filling(self, call: Call, outputs: Buffers, views: Views) -> Callable[[Any], Any]:
        """Make a function that puts what a call has in the place of what stands for it: outputs, containers, ..."""
        steps_of = self.steps_for(call)

        def value_of(argument: Any) -> Any:
            kind = type(argument)
            if kind is captures.Output:
                steps = steps_of(argument.steps)
                output = self._output(argument.index, steps, argument.weak, argument.lost, outputs, views)
                return classed(output, argument.of_nd)
            if kind is captures.ExistingArray:
                array = call.leaves[argument.position] if argument.array is None else argument.array
                steps = steps_of(argument.steps)
                if not isinstance(array, ndarray):
                    return viewed_buffer(array, steps) if steps else array
                return classed(_view(array, steps, argument.lost) if steps else array, argument.of_nd)
            if kind is captures.FormattedText:
                return argument.now(outputs)
            if kind is captures.Faced:
                return argument.kind.shown(value_of(argument.inside))
            if kind is captures.GivenContainer:
                return argument.find(call.originals)
            if kind is captures.BuiltContainer:
                if argument.number not in built:
                    built[argument.number] = container = argument.empty.copy()
                    (container.update if isinstance(container, (dict, set)) else container.extend)(
                        map(value_of, argument.content)
                    )
                return built[argument.number]
            if kind is captures.BuiltObject:
                if argument.number not in built:
                    built[argument.number] = made_object = empty_object(argument.cls)
                    vars(made_object).update(zip(argument.names, map(value_of, argument.content), strict=True))
                return built[argument.number]
            if isinstance(argument, tuple) and hasattr(argument, "_fields"):
                return kind(*map(value_of, argument))
            if kind in (tuple, frozenset):
                return kind(map(value_of, argument))
            return argument

        built: dict[int, Any] = {}
        return value_of

    def leaf(self, result: captures.Result, arrays: Sequence[Any], outputs: Buffers, views: Views) -> Any:
        """Return a leaf of the result of a call that is no container."""
        match result.kind:
            case "array":
                output = self._output(result.index, result.steps, None, result.lost, outputs, views)
                return classed(output, result.of_nd)
            case "view":
                array = arrays[result.index]
                return classed(_view(array, result.steps, result.lost) if result.steps else array, result.of_nd)
        return constant(result, outputs)

    def _output(
        self, index: int, steps: tuple[Op, ...], weak: type | None, lost: LostHistory | None, outputs: Buffers,
        views: Views,
    ) -> Any:  # fmt: skip
        """An output as the caller gets it: one array for each output, however often it is part of the result."""
        if weak is not None:
            return weak(outputs[index])
        known = views.get((index, steps))
        if known is None:
            if not steps:
                known = wrap(outputs[index]) if self._at_host else on_device(outputs[index])
            else:
                base = self._output(index, (), None, None, outputs, views)
                known = viewed(base, steps)
            views[index, steps] = known
        if index in self.capture.devices:
            place(known, self.capture.devices[index])
        if lost is not None:
            known._traced = lost  # new, so that `history` can tell the rest
        return known

    # ---------------------------------------------------------------------------------------------- the fast entry

    def entry(
        self, fallback: Entry, exchange: Exchange | None = None, modes: Sequence[Watch] = (),
        closed: Closed | None = None,
    ) -> Entry | None:  # fmt: skip
        """A callable for exactly the calls that the program is right for, which gives all others to `fallback`.

        None where there can be none; see `why_no_entry`.

        Args:
            fallback: gets the others.
            exchange: arrays are another library's, in and out; such entries keep state only where they are `closed`.
            modes: what else must be as it is for a call to be taken.
            closed: what the entry needs besides, where it is for a program whose calls are closed.
        """
        captured, runs = self.capture, self._runs
        if self.why_no_entry(exchange is not None, closed is not None):
            return None
        assert isinstance(runs, PackedMachine), "it runs as machine code"
        described = self.arguments_of_entry(flags=() if closed is None else self._unflagged())
        if described is None:
            return None
        arguments, keywords = described
        if keywords and self._asks_more:
            return None
        lifted = [source.array for source in captured.sources if source.array is not None]
        written = [source.array for source in captured.sources if source.array is not None and source.written >= 0]
        keeps_state = self._keeps_state
        order = [source.written for source in captured.sources if source.written >= 0]
        executable, copies = runs.now()
        count = len(executable.results) - len(order)
        if order != list(range(count, count + len(order))):
            return None
        inputs = [numpy.empty(0) if source.array is None else pending_view(source.array) for source in captured.sources]
        bound = [
            array
            for array, source in zip(copies.inputs(inputs), captured.sources, strict=True)
            if source.array is not None
        ]
        structure = self._finish(count, lifted, exchange is not None) if closed is None else closed.finish
        if structure is None:
            return None
        committed = CommitFlag()
        array_type = ND if captured.call.of_nd else ndarray
        entry = compiler.make_entry(
            executable, array_type=array_type if exchange is None else None, arguments=arguments, bound=bound,
            fallback=not_taken if keeps_state else fallback, structure=structure, exchange=exchange, keywords=keywords,
            writes=[pending_view(array) for array in written],
            committed=committed.put if written else None, derived=[copy.buffer for copy in copies.derived],
            doubt=self._holds, outcome=taken_of(self.captured, captured.caller),
            watches=[*modes, *watches(captured.guards)], in_place=donated(executable.plan.updates, inputs),
            exclusive=self._alone,
        )  # fmt: skip
        if isinstance(entry, PythonEntry):
            return None
        self._watch(entry, copies)
        if self.stale:
            return None
        overlaps = overlapping(self._written) if closed is None else closed.overlaps
        return self._around(entry, fallback, committed, overlaps)

    @property
    def _keeps_state(self) -> bool:
        """True if a call writes arrays from outside, or has feeds: it is made under the lock of state."""
        return bool(self.capture.transaction.feeds) or any(
            one.array is not None and one.written >= 0 for one in self.capture.sources
        )

    def _around(
        self, entry: Entry, fallback: Entry, committed: CommitFlag, overlaps: Callable[[Sequence[Any]], bool] | None
    ) -> Entry:
        """The entry with what Python asks and does around it, if anything."""
        transaction = self.capture.transaction
        if not (self._keeps_state or self._objects is not None or transaction.marks):
            return entry
        stages = Stages(
            is_constant=bool(transaction.marks),
            objects=self._objects,
            compared=self.capture.compared or (),
            overlaps=overlaps,
            transaction=transaction,
            excludes=self._alone,
            written=self._written,
            committed=committed,
            keeps_state=self._keeps_state,
        )
        return stages.around(entry, fallback)

    def device_entry(self, fallback: Entry) -> Entry | None:
        """A callable for exactly the calls on a device that the program is right for, which gives all others to
        `fallback`; None where there can be none.
        """
        if self._at_host or self._objects is not None or self._aliases is not None:
            return None
        with LOADING:
            from hybridize.programs.device_entry import DeviceCalls, why_none  # late: few processes have devices

        runs: Any = self._runs
        described = None if why_none(self.capture, runs) else self.arguments_of_entry()
        if described is None or (described[1] and self._asks_more):
            return None
        arguments, keywords = described
        committed = CommitFlag()
        entry = DeviceCalls(
            captured=self.capture, machine=runs, arguments=arguments, keywords=keywords, dirty=self._dirty.dirty,
            holds=self._holds, suits=self.suits, is_alone=self._alone, committed=committed.put,
        ).entry(not_taken if self._keeps_state else fallback)  # fmt: skip
        return None if entry is None else self._around(entry, fallback, committed, None)

    def why_not_bound(self) -> str:
        """Say why its calls cannot be bound to memory, see `bound_entry`; empty where they can."""
        if reason := self.why_no_entry():
            return reason
        if self.captured.scope is not None:
            return "its program is for any size"
        if self.writes or self.capture.transaction.feeds:
            return "it keeps state, as random numbers are"
        results, count = self.capture.results, len(self.captured.outputs)
        plain = all(one.kind == "array" and not one.steps for one in results)
        if not plain or [one.index for one in results] != list(range(count)):
            return "its results are not one new array each"
        return ""

    def bound_entry(self, call: Call, targets: Buffers, fallback: Entry) -> Entry:
        """A function of no arguments that computes a call in place: of the memory of its arguments, into `targets`.

        Args:
            call: that the program is right for; its arrays lie row by row.
            targets: one for each result, of its type; no other name of what the program reads.
            fallback: gets the calls that it is not right for, with no arguments.
        """
        captured, runs = self.capture, self._runs
        assert isinstance(runs, PackedMachine), "it runs as machine code"
        executable, copies = runs.now()
        buffers = [pending_view(one) if isinstance(one, ndarray) else one for one in self.arrays(call)]
        entry = compiler.make_entry(
            executable, array_type=None, arguments=(), bound=copies.inputs(buffers), fallback=fallback,
            structure="none", writes=targets, derived=[copy.buffer for copy in copies.derived], doubt=self._holds,
            outcome=taken_of(self.captured, captured.caller), watches=watches(captured.guards),
            in_place=range(len(targets)),
        )  # fmt: skip
        if not isinstance(entry, PythonEntry):
            self._watch(entry, copies)
        return PythonEntry(fallback) if self.stale else entry

    def _watch(self, entry: Entry, copies: Copies) -> None:
        """Let an entry hear of what makes it wrong: writes to what it reads copies of, and whatever was watched."""
        state: Any = entry.__self__  # type: ignore[attr-defined]
        for storage in self.capture.watched:
            storage.watch(state)
        assert isinstance(self._runs, PackedMachine), "it runs as machine code"
        self._runs.watch(state, copies)

    def why_no_entry(self, is_foreign: bool = False, is_closed: bool = False) -> str:
        """Say why the program can have no entry; empty where it may have one.

        Args:
            is_foreign: arrays are another library's.
            is_closed: its calls are closed.
        """
        reason = unasked(self.capture)
        return reason or next((why for why, test in _NO_ENTRY.items() if test(self, is_foreign, is_closed)), "")

    @property
    def _asks_more(self) -> bool:
        """True if Python has to do more around a call than the emitted entry does; a wrapper takes no keywords."""
        transaction = self.capture.transaction
        return bool(self.writes or transaction.feeds or transaction.marks or self._objects is not None)

    def _unflagged(self) -> list[bool | None]:
        """For each array among the leaves of the call: it is none that is differentiated."""
        return [False for kind in self.capture.call.kinds if isinstance(kind, TensorType)]

    def _scattered(self, position: int) -> bool:
        """Tell whether an argument is laid out otherwise than row by row, which is all that entries take."""
        kind, strides = self.capture.call.kinds[position], self.capture.layouts[position]
        return strides is not None and numpy.empty(kind.shape, kind.dtype).strides != strides

    def arguments_of_entry(
        self, parameters: Sequence[TensorType] | None = None, flags: Sequence[bool | None] = ()
    ) -> tuple[list[Argument], tuple[str, ...]] | None:
        """List what the entry checks of each argument, and the keywords of the last of them.

        None where no entry can be made for them.

        Args:
            parameters: types of the inputs, where it is not the program that the entry runs.
            flags: for each array among the leaves, whether it is to be differentiated, where that matters.
        """
        call = self.capture.call
        positional, keywords = call.structure.children
        inputs = zip(self.capture.sources, self.captured.inputs, strict=True)
        types = {source.position: value.type for source, value in inputs if source.position >= 0}
        if parameters is not None:
            pairs = zip(self.capture.sources, parameters, strict=True)
            types = {source.position: type_ for source, type_ in pairs if source.position >= 0}
        left = iter(flags)
        leaves = iter(enumerate(zip(call.kinds, call.leaves, strict=True)))

        def described(part: Structure) -> Argument | None:
            if part.kind == "none":
                return Argument(ArgumentKind.SAME, value=None)
            if part.kind == "leaf":
                position, (kind, value) = next(leaves)
                if isinstance(kind, TensorType):
                    return Argument(ArgumentKind.ARRAY, types.get(position, kind), flag=next(left, None))
                return _described(kind, value, types.get(position))
            if part.kind not in _CONTAINERS or part.cls not in (None, part.cls if part.kind == "namedtuple" else None):
                return None
            items = list(map(described, part.children))
            kind, cls = _CONTAINERS[part.kind]
            if None in items:
                return None
            return Argument(kind, value=part.cls or cls, items=tuple(items), keys=part.keys)  # type: ignore[arg-type]

        arguments = list(map(described, (*positional.children, *keywords.children)))
        present = [argument for argument in arguments if argument is not None]
        return (present, keywords.keys) if len(present) == len(arguments) else None

    def _needs_arguments(self, result: captures.Result) -> bool:
        argument = result.kind == "view" and self.capture.sources[result.index].position >= 0
        return argument or result.kind == "container"

    def _finish(self, count: int, lifted: Sequence[ndarray], exchanged: bool) -> Any:
        """Give the entry's way to make the result of its outputs: a kind where they are the result, else a function.

        None where there is none, for arrays that are another library's.
        """
        captured = self.capture
        of_nd = bool(captured.call.of_nd)
        if any(result.kind == "array" and result.of_nd != of_nd for result in captured.results):
            return None if exchanged else self._leaves
        lost = [(number, result.lost) for number, result in enumerate(captured.results) if result.lost is not None]
        if kind := plain_structure(captured, count):
            return marking(kind, lost) if lost else kind
        assembled = assembling(captured.structure, captured.results)
        if assembled is not None or exchanged:
            return assembled
        return self._leaves

    def _leaves(self, outputs: tuple[Any, ...]) -> Any:
        """Make the result of a call of the outputs of the entry."""
        captured = self.capture
        arrays = [source.array for source in captured.sources]
        buffers = [host_view(output) for output in outputs]
        views: Views = {(number, ()): output for number, output in enumerate(outputs)}
        return unflatten(captured.structure, [self.leaf(result, arrays, buffers, views) for result in captured.results])


_NO_ENTRY: Final[Mapping[str, Callable[[Program, bool, bool], Any]]] = {
    "its calls are recorded": lambda one, foreign, closed: not closed and one.capture.call.recording,
    "it does not run as machine code of ours": lambda one, foreign, closed: not isinstance(one._runs, PackedMachine),
    "it changes objects": lambda one, foreign, closed: not closed and one.capture.effects,
    "weights are learned": lambda one, foreign, closed: one.capture.call.training,
    "gradients are attached to arguments": lambda one, foreign, closed: any(
        mark is not None for mark in one.capture.transaction.marks.values()
    ),
    "arguments are written": lambda one, foreign, closed: one.capture.writes_arguments,
    "what is written loses its history": lambda one, foreign, closed: any(
        source.lost is not None for source in one.capture.sources
    ),
    "arguments are arrays of np and of nd": lambda one, foreign, closed: (
        one.capture.call.of_nd and len(one.capture.call.of_nd) < len(one._unflagged())
    ),
    "arguments are not laid out row by row": lambda one, foreign, closed: any(map(one._scattered, one.capture.layouts)),
    "arguments are part of the result": lambda one, foreign, closed: any(
        map(one._needs_arguments, one.capture.results)
    ),
    "views depend on sizes that only a call knows": lambda one, foreign, closed: not one._same_views,
    "it asks which arguments are one object": lambda one, foreign, closed: closed and one._objects is not None,
    "it keeps state for arrays of another library": lambda one, foreign, closed: (
        foreign and not closed and one._asks_more
    ),
}
"""Reasons for which a program can have no entry: for each the test of the program, of whether arrays are another
library's, and of whether its calls are closed.
"""


def constant(result: captures.Result, outputs: Buffers) -> Any:
    """Return a leaf of the result of a call that is no array: a number, a text made of outputs, a constant."""
    match result.kind:
        case "number":
            return result.value(outputs[result.index])
        case "made":
            return result.value.now(outputs)
    return result.value.copy() if isinstance(result.value, (numpy.ndarray, set)) else result.value


_CONTAINERS: Final = {
    "tuple": (ArgumentKind.TUPLE, tuple), "list": (ArgumentKind.LIST, list), "dict": (ArgumentKind.DICT, dict),
    "namedtuple": (ArgumentKind.TUPLE, tuple),
}  # fmt: skip
"""Containers that entries take apart."""


def _described(kind: Any, value: Any, type_: TensorType | None) -> Argument | None:
    """Describe what an entry checks of a leaf that is no array; `type_` is that of the input that it is, if any."""
    if kind in (int, float) and type_ is not None and type(value) is kind:
        return Argument(ArgumentKind.FLOAT if kind is float else ArgumentKind.INT, type_)
    return Argument(ArgumentKind.SAME, value=value) if isinstance(value, (bool, str)) else None


def _view(array: ndarray, steps: tuple[Op, ...], lost: LostHistory | None) -> ndarray:
    """The view of an array that view ops make, which may have lost its history."""
    view = viewed(array, steps)
    if lost is not None:
        lost.mark(view)
    return view


def _is_array(value: Any) -> bool:
    """Tell whether a value is an array of whichever library, or a variable; a number of NumPy's is none."""
    return isinstance(value, Variable) or (hasattr(type(value), "__array__") and not isinstance(value, numpy.generic))


def _first(value: Any) -> Any:
    if type(value) is Snapshot and value.parts:
        value = value.parts[-1]
    return value[0] if type(value) is tuple and value else value


def _laid_out(call: Call, position: int, strides: tuple[int, ...] | None) -> bool:
    """Tell whether an array among the leaves has these strides; None: is laid out row by row."""
    array = call.leaves[position]
    return is_row_major(array) if strides is None else array.strides == strides


def _alike(x: Any, y: Any) -> bool:
    """Tell whether two parts of a key are arrays that differ in sizes alone."""
    both = isinstance(x, TensorType) and isinstance(y, TensorType)
    return both and x.dtype == y.dtype and x.ndim == y.ndim


def aliases(call: Call, captured: captures.Captured) -> dict[int, int]:
    """Map each array leaf that is over the memory of an earlier one to that one; to -1 where they overlap otherwise."""
    partners: dict[int, int] = {}
    leaves = [(position, leaf) for position, leaf in enumerate(call.leaves) if isinstance(leaf, ndarray)]
    lifted = [source.array for source in captured.sources if source.array is not None]
    for number, (position, leaf) in enumerate(leaves):
        for before, other in leaves[:number]:
            if not share_elements(leaf, other):
                continue
            same = same_place(leaf, other)
            partners.setdefault(position, partners.get(before, before) if same else -1)
        if any(share_elements(leaf, array) for array in lifted):
            partners[position] = -1
    return partners


def show(kind: Any) -> str:
    """A part of a key, for messages."""
    if isinstance(kind, TensorType):
        return str(kind)
    if isinstance(kind, type):
        return f"a {'numpy.' if issubclass(kind, numpy.generic) else 'Python '}{kind.__name__}"
    return repr(kind[1] if isinstance(kind, tuple) else kind)


def described(call: Call) -> str:
    """The arguments of a call, for messages."""
    args, kwargs = unflatten(call.structure, [_Shown(kind) for kind in call.kinds])
    return f"({', '.join([*map(repr, args), *(f'{name}={value!r}' for name, value in kwargs.items())])})"


def accepted(call: Call, scope: SizeScope | None) -> str:
    """The arguments of a program, and the bounds of sizes that calls bring along, for messages."""
    conditions = () if scope is None else scope.assumption_texts
    return described(call) + (f" with {', '.join(conditions)}" if conditions else "")


class _Shown:
    """A leaf that shows its type."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return show(self.kind)
