# SPDX-License-Identifier: Apache-2.0
"""One capture: run the user's function on symbols, and describe as data what it did."""

from __future__ import annotations

import dis
import enum
import inspect
import sys
import types
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from itertools import islice
from typing import Any

import numpy

from hybridize.array.buffer import bounds_of, host_view, share_elements
from hybridize.array.device import Device, cpu
from hybridize.array.ndarray import ndarray
from hybridize.array.staging import staging
from hybridize.array.symbol import At, Cell, Symbol, described
from hybridize.base import modes
from hybridize.base.dims import Dim, SizeScope, is_symbolic
from hybridize.base.errors import CaptureError, HybridizeError, InternalError
from hybridize.base.faces import Face, FaceTuple, Library
from hybridize.base.frozen import changed
from hybridize.base.locations import SourceLoc, is_users, user_location
from hybridize.base.names import places
from hybridize.base.nested import Structure, flatten, items_of, unflatten
from hybridize.base.participation import is_of_package
from hybridize.base.tracebacks import as_python, trim
from hybridize.capture.control import raising
from hybridize.capture.control.joining import Opened, objects_of
from hybridize.capture.control.raising import Ended
from hybridize.capture.control.rolled_lists import unroll
from hybridize.capture.control.selected import ConditionalItem, unknown
from hybridize.capture.control.texts import Text, bound, of_data
from hybridize.capture.control.truth import RESULT, Undecided, plain
from hybridize.capture.gradients.history import History
from hybridize.capture.outside.objects import is_plain, slots
from hybridize.capture.outside.trust import is_trusted_file
from hybridize.capture.outside.world import World
from hybridize.capture.python.keys import keyed
from hybridize.capture.python.mutators import check_leaks
from hybridize.capture.python.router import routed
from hybridize.capture.trace.inputs import FROZEN, Input
from hybridize.capture.trace.recording import FORMS, Recording, Trace
from hybridize.contract import captured as captures
from hybridize.contract.call import Call
from hybridize.contract.guards import Guard, gathered
from hybridize.contract.places import Attribute, Key
from hybridize.contract.snapshots import CONTAINERS, own
from hybridize.graph import Graph, Value
from hybridize.ops import size_of
from hybridize.ops.op import Effect, Op, effect_of, in_charge, interpreting
from hybridize.runtime.recipes import attributes_of
from hybridize.system.interruptions import is_asynchronous, let_through

_CONSTANT = (
    int, float, complex, bool, str, bytes, type(None), numpy.generic, numpy.dtype, type, types.FunctionType,
    types.BuiltinFunctionType, types.ModuleType, slice, range, enum.Enum, type(Ellipsis), frozenset,
)  # fmt: skip
_LOOKED_AT = 10_000
"""The number of objects in a result that are looked into."""


@as_python
def capture(
    function: Callable[..., Any], call: Call, names: Sequence[str], *, freeze: bool = False, winograd: bool = False,
    scope: SizeScope | None = None, changing: Mapping[Key, Guard] | None = None, indices: Collection[int] = (),
    library: Library | None = None, decides: bool = False,
) -> captures.Captured:  # fmt: skip
    """Run `function` on symbols of the types of `call`, whose leaves are called `names`.

    Args:
        function: the user's.
        call: its arguments. Sizes in its `kinds` may be symbols of `scope`.
        names: of its leaves.
        freeze: arrays from outside are constants.
        winograd: convolutions may be computed by Winograd's algorithm.
        scope: what the function assumes of sizes that are symbols is remembered here.
        changing: numbers and arrays from outside that each call reads; `indices`: integers that do so where they index.
        library: the array library that the function is written for, where that is another one.
        decides: what data decides and Python has to know is known, for the arrays of this call: the program holds for
            calls in which it is the same.

    Raises:
        CaptureError: at the user's line, where the function does what no program can.
    """
    trace = Trace(
        routed, keyed=keyed, gradients=History, check=_check, changing=changing or {}, indices=indices,
        freeze=freeze, winograd=winograd, sizes=scope, library=library, decides=decides,
    )  # fmt: skip
    if scope is not None:
        scope.number = _number
    thread = modes.THREAD
    switches = thread.recording, thread.training, thread.disabled
    with modes.busy(), interpreting(trace):
        leaves = [_symbol(trace, call, position, names[position]) for position in range(len(call.leaves))]
        for position in call.numpys if library is None else ():
            leaves[position].of_numpy = True
        args, kwargs = unflatten(call.structure, leaves)
        for argument in objects_of((args, kwargs)):
            trace.world.made(argument, trace)
        raises: captures.Raises | None = None
        trace.world.argument_paths = {id(container): path for path, container in captures.containers((args, kwargs))}
        try:
            try:
                result = routed(function)(*args, **kwargs)
            except Ended:
                result = None  # the program raises by itself
            except Exception as error:
                let_through(error)
                error = raising.depending(error)
                if not _ends_a_program(error, trace):
                    for one in raising.chain_of(error):
                        _give_numbers(one)
                    raise error
                chain = raising.chain_of(error)
                result = [(tuple(one.args), attributes_of(one)) for one in chain]
                loc = _innermost(error)
                note = "" if loc is None else f"  {loc.described()}"
                raises = captures.Raises(tuple(map(type, chain)), chain[-1].__suppress_context__, note)
            if trace.refused is not None:
                raise trace.refused
            _check_generators(trace)
            trace.world.drop_restored()
            captured = _Finalizer(trace, call, result, raises).captured()
            trace.world.restore()
            _check_containers(call, leaves, args, kwargs)
            _check_distinct(captured, call)
        except BaseException as error:
            translation = _translated(error, trace)
            if isinstance(translation, HybridizeError):
                for generator, _ in _left_halfway(trace):
                    with suppress(Exception):  # what its end does is taken back now: later, nobody would
                        generator.close()
                trace.world.take_back()
            raise translation from (translation.__cause__ if isinstance(translation, InternalError) else None)
        finally:
            # An interruption may have come where a `with` of the user's was about to end.
            thread.recording, thread.training, thread.disabled = switches
            if scope is not None:
                scope.capturing, scope.number = False, None
            with ExitStack() as after:  # each is done, whatever happens in another
                after.callback(trace.world.restore)
                after.callback(trace.history.undo)
                for feed, before in trace.feed_states:
                    after.callback(feed.rollback, before)
    check_leaks(trace)
    return captured


FORMS.late(
    places(
        "hybridize.capture",
        {
            "gradients.custom": "custom=called checkpoint=checkpointed",
            "control.combinators": "cond foreach while_loop",
        },
    )
)


def _check(test: Symbol, error: Exception) -> None:
    raising.check(in_charge(Recording), test, error)


def _give_numbers(error: BaseException) -> None:
    """Give an exception the numbers of the call for the symbols that stand for them in its arguments and attributes."""
    if any(type(x) in (Symbol, list, tuple, dict) for x in error.args):
        error.args = tuple(map(_numbers, error.args))
    for name, value in list(vars(error).items()):
        if type(value) in (Symbol, list, tuple, dict) and name[:2] != "__":
            setattr(error, name, _numbers(value))


def _numbers(value: Any) -> Any:
    if type(value) is dict:
        return {plain(key): _numbers(part) for key, part in value.items()}
    return type(value)(map(_numbers, value)) if type(value) in (list, tuple) else plain(value)


def _ends_a_program(error: Exception, trace: Trace) -> bool:
    """Tell whether calls are to do what the function did until an exception, and then to raise it.

    Where the function has done nothing yet, the exception itself is all that there is to it.
    """
    of_ours = isinstance(error, HybridizeError)
    if (of_ours and (trace.sizes is not None or trace.library is not None)) or not raising.is_users(trace, error):
        return False  # of another library errors of ours are none: what it raises is for it to say
    acts = trace.has_written or any(effect_of(node.op) is not Effect.PURE for node in trace.builder.nodes)
    return acts or (not of_ours and any(of_data(list(one.args)) for one in raising.chain_of(error)))


def _number(size: Dim) -> Symbol:
    """A size as a Python number that the program computes."""
    return Symbol.of(staging(), size_of(size), weak=int)


def _symbol(trace: Trace, call: Call, position: int, name: str) -> Any:
    leaf, kind = call.leaves[position], call.kinds[position]
    if isinstance(leaf, ndarray):
        symbol = trace.inputs.argument(leaf, position, name, kind)
        return symbol if trace.library is None else trace.library.face(symbol)
    if isinstance(kind, type):
        return trace.inputs.number_argument(leaf, kind, position, name)
    return leaf if trace.library is None else trace.library.argument(leaf)


def _check_generators(trace: Trace) -> None:
    """Refuse generators of the program that are left halfway within `try` or `with`.

    Python ends them when nobody has them any more, which runs the user's code: while capturing, somebody has.
    """
    for one, frame in _left_halfway(trace):
        raise CaptureError(
            "E434",
            f"{one.__name__}() is left halfway: what its `try` or `with` does at its end would be done once, while "
            "capturing",
            loc=SourceLoc(frame.f_code.co_filename, frame.f_lineno, one.__name__),
            help="call its close() in the function, or iterate over all of it",
        )


def _left_halfway(trace: Trace) -> list[tuple[types.GeneratorType[Any, Any, Any], types.FrameType]]:
    """List the generators of the program that are within `try` or `with`, perhaps, each with its frame."""
    generators = [one for one, *_ in trace.world.fresh.values() if type(one) is types.GeneratorType]
    left = [(one, one.gi_frame) for one in generators if inspect.getgeneratorstate(one) == inspect.GEN_SUSPENDED]
    return [(one, frame) for one, frame in left if frame is not None and _cleans_up(frame.f_code)]


def _cleans_up(code: types.CodeType) -> bool:
    """Tell whether code of the user's handles exceptions, besides what Python 3.12 adds to all generators."""
    if is_trusted_file(code.co_filename):
        return False
    return any(one.opname == "PUSH_EXC_INFO" for one in dis.get_instructions(code))


def _check_distinct(captured: captures.Captured, call: Call) -> None:
    """Refuse to change a list or dict among the arguments that is there twice, or is one from outside as well."""
    if captured.changed and not captures.are_distinct(captured, call):
        raise CaptureError(
            "E431", "a list or dict argument is changed, but is passed twice or is also reachable from outside",
            help="pass a copy",
        )  # fmt: skip


def _check_containers(call: Call, leaves: list[Any], args: Any, kwargs: Any) -> None:
    """Lists and dicts among the arguments were rebuilt for the capture: a change to them would be lost."""
    values, structure = flatten((args, kwargs), whole=lambda value: isinstance(value, Face))
    if structure != call.structure or any(now is not then for now, then in zip(values, leaves, strict=True)):
        raise CaptureError(
            "E431", "the function changes a list or dict argument",
            help="return the new values instead of storing them in an argument",
        )  # fmt: skip


def _constant_of(x: Any) -> Any:
    """A constant of the result with the numbers that sizes in it are, which the program then depends on."""
    if is_symbolic(x):
        return int(x)
    return type(x)(map(_constant_of, x)) if type(x) in (tuple, set, frozenset) else x


def _with_known_keys(structure: Structure) -> Structure:
    children = tuple(map(_with_known_keys, structure.children))
    return changed(structure, children=children, keys=tuple(map(_constant_of, structure.keys)))


class _Finalizer:
    """Describe what a trace has recorded, as data: `captured`."""

    def __init__(self, trace: Trace, call: Call, result: Any, raises: captures.Raises | None) -> None:
        self.trace, self.call, self.raises = trace, call, raises
        if trace.rolls:
            unroll(trace, (result, [effect.operands for effect in trace.world.effects]))
        counts: Counter[int] = Counter(id(one) for one in self._containers_in(result))
        containers = (one for effect in trace.world.effects for one in self._containers_in(effect.operands))
        self._shared = {id(one) for one in containers} | {number for number, count in counts.items() if count > 1}
        """Containers that the program makes and that are met more than once, in the result or outside."""
        self.leaves, structure = flatten(result, Opened(trace), self._is_kept)
        self.structure = _with_known_keys(structure)
        self.outputs: list[Value] = []
        self._built: dict[int, captures.BuiltContainer | captures.BuiltObject | int] = {}
        """Containers that are kept outside, by identity."""
        self._count: dict[Cell, int] = {}
        """The number of views of a new array that are in the result or kept."""
        self._bases: dict[Cell, int] = {}
        """The outputs that they are views of."""
        self.devices: dict[int, Device] = {}
        """Outputs that are on other devices than `cpu(0)`."""

    def _containers_in(self, value: Any, seen: frozenset[int] = frozenset()) -> Iterator[Any]:
        """List the lists, dicts, sets and deques of the program in a value, as often as they are met."""
        named = isinstance(value, tuple) and hasattr(value, "_fields")
        plain = not named and type(value) not in CONTAINERS
        if id(value) in seen or self.trace.world.is_users(value) or (plain and not self._is_built(value)):
            return
        if not isinstance(value, (tuple, frozenset)):
            yield value
        parts = own(value) if plain else value
        for part in parts.values() if isinstance(parts, dict) else items_of(parts) if named else parts:
            yield from self._containers_in(part, seen | {id(value)})

    def _is_kept(self, value: Any) -> bool:
        """Tell whether a value is a container that a call finds or fills by itself, and not one of the leaves' places.

        That are the user's own, those that are met more than once, and dicts with arrays of the call for keys.
        """
        if self._is_built(value):
            return id(value) in self._shared
        self.trace.world.fed.check_container(self.trace, value, "returned")
        if isinstance(value, (tuple, frozenset)) or not isinstance(value, CONTAINERS):
            return False
        if self.trace.world.is_users(value) or id(value) in self._shared:
            return True
        return isinstance(value, dict) and any(self._is_of_the_call(key) for key in value)

    def _is_built(self, value: Any) -> bool:
        """Tell whether calls make an object anew, of its attributes: a plain one that the program has made."""
        kind: Any = type(value)
        return self.trace.world.is_own(value) and kind not in CONTAINERS and is_plain(kind)

    def _holds_symbols(self, value: Any) -> bool:
        """Tell whether a container holds what only a call has, at any depth."""
        if isinstance(value, dict):
            return any(self._holds_symbols(part) for pair in dict.items(value) for part in pair)
        if isinstance(value, CONTAINERS):
            return any(map(self._holds_symbols, items_of(value) if isinstance(value, (tuple, list)) else value))
        return isinstance(self.trace.lifted(value), (Symbol, Text, Undecided))

    def _is_of_the_call(self, key: Any) -> bool:
        """Tell whether a key is one that only a call has: an array, or a tuple with one in it."""
        if isinstance(key, (tuple, frozenset)):
            return any(map(self._is_of_the_call, key))
        return isinstance(self.trace.lifted(key), Symbol)

    def captured(self) -> captures.Captured:
        """Everything about the trace."""
        trace = self.trace
        results, values = self._results()
        effects = tuple(self._effect(effect) for effect in trace.world.effects)
        written = self._written()
        used = {value for node in trace.builder.nodes for value in node.inputs} | set(self.outputs) | set(values)
        inputs: list[Value] = []
        sources: list[captures.Source] = []
        numbers: dict[Value, Any] = {}
        input_of: dict[int, int] = {}
        for entry in trace.inputs.entries:
            if entry.position in trace.numbers.pinned and entry.position >= 0:
                numbers[entry.value] = number = host_view(entry.array).copy()
                number.setflags(write=False)
            elif entry.position >= 0 or entry.value in used or id(entry) in written or self._is_viewed(entry, results):
                input_of[id(entry)] = len(inputs)
                inputs.append(entry.value)
                array = entry.array if entry.position < 0 else None
                output = written.get(id(entry), -1)
                lost = trace.history.lost_by_write(entry.symbol._cell) if output >= 0 else None
                sources.append(captures.Source(entry.position, array, output, lost))
        constants = {value: array for value, array in trace.builder.constants.items() if value in used} | numbers
        graph = Graph(tuple(inputs), tuple(trace.builder.nodes), tuple(self.outputs), constants)
        results = [
            changed(result, index=input_of[id(trace.inputs.entries[result.index])]) if result.kind == "view" else result
            for result in results
        ]
        return captures.Captured(
            self.call, graph, tuple(sources), self.structure, tuple(results), tuple(values), effects,
            gathered(trace.world.lasting_guards()), trace.world.watched(),
            numbers=dict(trace.numbers.pinned), conditions=tuple(trace.numbers.conditions),
            layouts=dict(trace.inputs.layouts), same_memory=self._same_memory(), bound=dict(trace.inputs.bound),
            compared=None if trace.inputs.compared is None else tuple(trace.inputs.compared),
            transaction=trace.history.transaction([feed for feed, _ in trace.feed_states]),
            changed=tuple(trace.world.given_changed),
            outside=tuple(trace.world.outside.values()) if trace.world.given_changed else (),
            seen=tuple(trace.world.fed.seen.values()), raises=self.raises, caller=user_location(), devices=self.devices,
            decided=None if trace.decisions is None else trace.decisions.decided(),
        )  # fmt: skip

    def _output(self, value: Value) -> int:
        self.outputs.append(value)
        return len(self.outputs) - 1

    def _results(self) -> tuple[list[captures.Result], list[Value]]:
        lifted = [self.trace.lifted(leaf) for leaf in self.leaves]
        others = [leaf for effect in self.trace.world.effects for leaf in self._leaves_of(effect)]
        for leaf in (*lifted, *others):
            if isinstance(leaf, Symbol) and leaf.weak is None:
                self._count[leaf._cell] = self._count.get(leaf._cell, 0) + 1
        self.trace.aliases.leave([*self._count, *(entry.symbol._cell for entry in self.trace.inputs.entries)])
        results: list[captures.Result] = []
        values: list[Value] = []
        for leaf in lifted:
            if is_symbolic(leaf):
                results.append(captures.Result("number", self._output(size_of(leaf)), value=int))
                values.append(self.outputs[-1])
                continue
            if type(leaf) is Text:
                results.append(captures.Result("made", value=self._text(leaf)))
                continue
            if not isinstance(leaf, Symbol):
                results.append(self._constant(leaf))
                continue
            value = leaf.operand()
            values.append(value)
            entry = self.trace.inputs.of_cell(leaf._cell)
            if leaf.weak is not None:
                if value in self.trace.numbers.mixed:
                    raise self.trace.numbers.mixed_refused("the caller, who gets it,")
                results.append(captures.Result("number", self._output(value), value=leaf.weak))
            elif entry is not None and entry.position != -2:
                self.trace.world.fed.check(self.trace, entry, "returned")
                steps = self._static(leaf)
                lost = self.trace.history.lost(leaf) if steps else None
                results.append(
                    captures.Result("view", self.trace.inputs.entries.index(entry), steps, lost=lost, of_nd=leaf.of_nd)
                )
            else:
                lost = self.trace.history.lost(leaf)
                results.append(captures.Result("array", *self._new(leaf), lost=lost, of_nd=leaf.of_nd))
        return results, values

    def _leaves_of(self, effect: captures.SideEffect) -> list[Any]:
        leaves = flatten(effect.operands, self._is_built)[0]
        return [leaf.array if isinstance(leaf, Face) else leaf for leaf in leaves]

    def _new(self, leaf: Symbol) -> tuple[int, tuple[Op, ...]]:
        """The output that is a new array, and which view of it a symbol is."""
        cell = leaf._cell
        if cell not in self._bases:
            alone = self._count.get(cell, 0) < 2 and leaf._view  # nobody has the rest of it
            number = self._output(leaf.operand() if alone or not leaf._view else cell.value)
            device = cell.device or self.call.device
            if device is not None and device != cpu():
                self.devices[number] = device
            if alone:
                return number, ()
            self._bases[cell] = number
        return self._bases[cell], self._static(leaf)

    def _static(self, leaf: Symbol) -> tuple[Any, ...]:
        """The steps of a view that calls can make again."""
        moving = next((step for step in leaf._view if isinstance(step, At)), None)
        if moving is not None:
            lines = (node.loc for node in self.trace.builder.nodes if moving.index in node.outputs)
            raise self.trace.refusal(
                "E425", "a view x[i] is returned whose index is known only at run time", loc=next(lines, None),
                help="return a copy: x[i].copy()",
            )  # fmt: skip
        return tuple(leaf._view)

    def _text(self, text: Text) -> captures.FormattedText:
        """Text as calls make it of outputs."""
        numbers: list[int] = []

        def number(symbol: Symbol) -> int:
            numbers.append(self._output(symbol._cell.value))
            return len(numbers) - 1

        recipe = bound(text.recipe, number)
        return captures.FormattedText(recipe, tuple(numbers))

    def _constant(self, leaf: Any) -> captures.Result:
        if isinstance(leaf, (Undecided, ConditionalItem)):
            raise leaf.refused(RESULT) if isinstance(leaf, Undecided) else unknown("an item")
        if self._is_kept(leaf) or (type(leaf) in CONTAINERS and id(leaf) in self.trace.world.fresh):
            return captures.Result("container", value=self._argument(leaf))
        self._check_content(leaf, "is returned")
        if isinstance(leaf, numpy.ndarray) or (type(leaf) is set and all(isinstance(x, _CONSTANT) for x in leaf)):
            leaf = _constant_of(leaf.copy())
        elif (not isinstance(leaf, _CONSTANT) and id(leaf) in self.trace.world.fresh) or hasattr(
            type(leaf), "__next__"
        ):
            raise self.trace.refusal(
                "E423", f"a {type(leaf).__name__} is returned, but a program cannot create such an object at each call",
                help="return arrays, numbers and strings, in tuples, lists or dicts; or dataclasses and plain objects "
                "of classes without __slots__ (slots=True), which a call makes anew",
            )  # fmt: skip
        elif (part := _symbol_in(leaf, set(), self.trace.world)) is not None:
            raise self.trace.refusal(
                "E423",
                f"a {type(leaf).__name__} is returned that holds {described(part)}, but a program cannot create such "
                f"an object at each call",
                help="return arrays, numbers and strings, in tuples, lists or dicts",
            )  # fmt: skip
        return captures.Result("constant", value=leaf)

    def _effect(self, effect: captures.SideEffect) -> captures.SideEffect:
        keywords = {name: self._argument(argument) for name, argument in effect.keywords.items()}
        return changed(effect, arguments=tuple(map(self._argument, effect.arguments)), keywords=keywords)

    def _argument(self, argument: Any) -> Any:
        """An argument of an effect as data: what calls have in place of symbols, and of containers they make."""
        if type(argument) is Text:
            return self._text(argument)
        if isinstance(argument, Undecided):
            raise argument.refused(RESULT)
        argument = self.trace.lifted(argument)
        if isinstance(argument, Face):
            return captures.Faced(type(argument), self._argument(argument.array))
        if isinstance(argument, FaceTuple):
            return captures.Faced(type(argument), tuple(map(self._argument, argument)))
        if isinstance(argument, Symbol):
            array = self._array_of(argument)
            if array is not None:
                return array
            if argument.weak is not None:
                if argument.operand() in self.trace.numbers.mixed:
                    raise self.trace.numbers.mixed_refused("who finds it outside")
                return captures.Output(self._output(argument.operand()), argument.weak)
            index, steps = self._new(argument)
            return captures.Output(index, None, steps, self.trace.history.lost(argument), argument.of_nd)
        if is_symbolic(argument):
            return captures.Output(self._output(size_of(argument)), int)
        if isinstance(argument, tuple) and hasattr(argument, "_fields"):
            return type(argument)(*map(self._argument, argument))
        self.trace.world.fed.check_container(self.trace, argument, "kept elsewhere")
        if isinstance(argument, CONTAINERS) and id(argument) in self.trace.world.argument_paths:
            return captures.GivenContainer(self.trace.world.argument_paths[id(argument)])
        if type(argument) in CONTAINERS and not self.trace.world.is_outside(argument):
            return self._container(argument)
        if self._is_built(argument):
            return self._object(argument)
        self._check_content(argument, "is kept outside")
        return argument

    def _check_content(self, value: Any, becomes: str) -> None:
        """Refuse a container of a class that no call makes, where it holds what only a call has."""
        if type(value) not in CONTAINERS and isinstance(value, CONTAINERS) and self._holds_symbols(value):
            raise self.trace.refusal(
                "E423", f"a {type(value).__name__} with values of the program in it {becomes}, and a program makes no "
                "such object at each call",
                help="use tuples, lists or dicts of arrays, numbers and strings",
            )  # fmt: skip

    def _container(self, container: Any) -> Any:
        """A container that the program makes, kept outside: each call makes one of its own."""
        if type(container) in (tuple, frozenset):
            return type(container)(map(self._argument, container))
        return self._once(container, self._filled_container)

    def _object(self, value: Any) -> Any:
        """An object that the program makes, kept outside: each call makes one of its own."""
        return self._once(value, self._filled_object)

    def _once(self, value: Any, built: Callable[[int, Any], captures.BuiltContainer | captures.BuiltObject]) -> Any:
        """Describe a container or object the first time that it is met; afterwards it is that one."""
        known = self._built.get(id(value))
        if known is None:
            self._built[id(value)] = number = len(self._built)
            self._built[id(value)] = known = built(number, value)
        elif isinstance(known, int):
            raise self.trace.refusal(
                "E432", f"a {type(value).__name__} that contains itself is stored outside", help="store its parts",
            )  # fmt: skip
        return known

    def _filled_container(self, number: int, container: Any) -> captures.BuiltContainer:
        empty = container.copy()
        empty.clear()
        items = container.items() if isinstance(container, dict) else container
        return captures.BuiltContainer(number, empty, tuple(map(self._argument, items)))

    def _filled_object(self, number: int, value: Any) -> captures.BuiltObject:
        attributes = own(value)
        return captures.BuiltObject(
            number, type(value), tuple(attributes), tuple(map(self._argument, attributes.values()))
        )

    def _array_of(self, symbol: Symbol) -> captures.ExistingArray | None:
        """Return the array that a symbol stands for if it is an array that is there before, or a view of one."""
        entry = None if symbol.weak is not None else self.trace.inputs.of_cell(symbol._cell)
        if entry is None or entry.position == -2:
            return None
        self.trace.world.fed.check(self.trace, entry, "kept elsewhere")
        steps = self._static(symbol)
        lost = self.trace.history.lost(symbol) if steps else None
        if entry.position >= 0:
            return captures.ExistingArray(entry.position, None, steps, lost, symbol.of_nd)
        users = self.trace.inputs.is_foreign(symbol)
        return captures.ExistingArray(-1, host_view(entry.array) if users else entry.array, steps, lost, symbol.of_nd)

    def _written(self) -> dict[int, int]:
        """Map each input that is written to the output that writes it; refuse what may be seen in two ways."""
        trace = self.trace
        numbers: dict[int, int] = {}
        for entry in trace.inputs.entries:
            now = entry.symbol._cell.value
            if trace.inputs.of_cell(entry.symbol._cell) is not entry or entry.position == FROZEN or now is entry.value:
                continue
            numbers[id(entry)] = self._output(now)
        self._check_overlaps(numbers)
        entries = [entry for entry in trace.inputs.entries if id(entry) in numbers]
        containers = [container for container, _ in trace.world.changed.values()]
        trace.world.fed.finish(trace, entries, containers, bool(trace.world.given_changed))
        return numbers

    def _check_overlaps(self, written: Mapping[int, object]) -> None:
        """Refuse a write to elements that another array among the inputs shows too.

        Raises:
            CaptureError E446: there is such an array.
        """
        if not written:
            return
        entries = [entry for entry in self.trace.inputs.entries if entry.array.size]
        spans = sorted([(*bounds_of(entry.array), number) for number, entry in enumerate(entries)])
        for at, (_, stop, number) in enumerate(spans):
            for start, _, further in islice(spans, at + 1, None):
                if start >= stop:
                    break
                one, other = entries[number], entries[further]
                if one.symbol._cell is other.symbol._cell or not (id(one) in written or id(other) in written):
                    continue
                if share_elements(one.array, other.array):
                    raise _overlap(*((one, other) if id(one) in written else (other, one)))

    def _is_viewed(self, entry: Input, results: list[captures.Result]) -> bool:
        return any(result.kind == "view" and self.trace.inputs.entries[result.index] is entry for result in results)

    def _same_memory(self) -> dict[int, int]:
        same: dict[int, int] = {}
        for entry in self.trace.inputs.entries:
            first = self.trace.inputs.of_cell(entry.symbol._cell)
            if first is not None and first is not entry and entry.symbol.weak is None and entry.position >= 0:
                same[entry.position] = first.position
        return same


def _symbol_in(value: Any, identities: set[int], world: World) -> Symbol | None:
    """Find a value of the program in an object that was there before, or that code made which is not converted.

    Attributes that the program sets, and containers that it changes, are those that each call sets and changes again.
    """
    if type(value) is Symbol:
        return value
    if isinstance(value, Face):
        return _symbol_in(value.array, identities, world)
    if (
        isinstance(value, _CONSTANT)
        or is_of_package(type(value))
        or id(value) in identities
        or len(identities) > _LOOKED_AT
    ):
        return None
    if id(value) in world.changed:
        return None
    identities.add(id(value))
    attributes = {**own(value), **slots(value)}
    parts = [part for name, part in attributes.items() if Attribute(value, name).key not in world.written]
    if isinstance(value, CONTAINERS):
        parts += value.values() if isinstance(value, dict) else value
    return next((symbol for part in parts if (symbol := _symbol_in(part, identities, world)) is not None), None)


def _overlap(entry: Input, other: Input) -> CaptureError:
    names = [one.value.name or "an array from outside" for one in (entry, other)]
    return CaptureError(
        "E446", f"{names[0]} is written, and {names[1]} is another view of the same memory",
        help="pass a copy", loc=entry.written_at,
    )  # fmt: skip


def _translated(error: BaseException, trace: Trace) -> BaseException:
    """The error as the user should see it: without our frames, and with the reason where a variable has no value."""
    error = raising.unset(trace, error) or error
    if isinstance(error, RecursionError):
        error = _too_deep(error)
    refused = trace.refused
    if refused is not None and error is not refused and isinstance(error, Exception) and not is_asynchronous(error):
        error = refused
    trim(error)
    return error


def _too_deep(error: RecursionError) -> CaptureError:
    """Return the error of the user's for one of Python's: what it is that is too deep for it."""
    counts: Counter[types.CodeType] = Counter()
    at = error.__traceback__
    while at is not None:
        if is_users(at.tb_frame.f_code.co_filename):
            counts[at.tb_frame.f_code] += 1
        at = at.tb_next
    if max(counts.values(), default=0) > _FEW_LINES:
        return CaptureError(
            "E447",
            "the function calls itself endlessly while capturing, because both branches of a condition are captured",
            help="write a while loop, or a for loop over a range; their end may depend on data", loc=_innermost(error),
        )  # fmt: skip
    if len(counts) > _FEW_LINES:
        return CaptureError(
            "E447", f"branches on data, or calls, in {len(counts)} others: more than Python's recursion limit of "
            f"{sys.getrecursionlimit()} lets a capture follow",
            help="use a loop or a table instead, or raise sys.setrecursionlimit", loc=_innermost(error),
        )  # fmt: skip
    return CaptureError(
        "E432",
        "a list or dict that contains itself is returned, stored outside, or present at the end of a branch that "
        "depends on data",
        help="return or store its parts", loc=_innermost(error),
    )  # fmt: skip


_FEW_LINES = 30
"""More frames of one function of the user's in a traceback are those of one that calls itself."""


def _innermost(error: BaseException) -> SourceLoc | None:
    """The innermost line of the user's in a traceback."""
    location = user_location()
    at = error.__traceback__
    while at is not None:
        code = at.tb_frame.f_code
        if is_users(code.co_filename):
            location = SourceLoc(code.co_filename, at.tb_lineno, code.co_name)
        at = at.tb_next
    return location
