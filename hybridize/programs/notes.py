# SPDX-License-Identifier: Apache-2.0
"""Notes: what calls of a program leave in Python, and nothing that a file computes depends on. Files do without them.

    self.calls += 1; self.attention = w        notes, where only Python looks at them afterwards
    self.rate *= 0.9; return x * self.rate     none: what one call leaves there is what the next one reads

A write is a note unless a guard, or an input of what the results need, reads its place: in its own program, or in
another one of the same file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import Any

from hybridize.array import random
from hybridize.array.buffer import host_copy
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.storage import STATE
from hybridize.base.errors import CaptureError, StateError
from hybridize.base.frozen import changed, frozen
from hybridize.base.nested import flatten, unflatten
from hybridize.contract import places as place_kinds
from hybridize.contract.captured import (
    BuiltContainer,
    BuiltObject,
    Captured,
    ExistingArray,
    GivenContainer,
    Output,
    Result,
    SideEffect,
    Source,
    stand_ins,
    target_of,
)
from hybridize.contract.feeds import NO_TRANSACTION, TRAINING, Feed, FeedInFile, FeedStates, SharedStates
from hybridize.contract.guards import Guard
from hybridize.contract.snapshots import CONTAINERS, inside, own
from hybridize.graph import Graph, Value, needed
from hybridize.graph.ir import Node
from hybridize.ops import Effect, effect_of


@frozen
class Computed:
    """A captured function without its notes, which files can hold; and what these were."""

    captured: Captured
    notes: tuple[str, ...]
    names: Mapping[int, str] = field(default_factory=dict)
    """Names of arrays by their identity, as far as who trains them has some."""
    settable: tuple[ndarray, ...] = ()
    """Arrays that no call writes, and that stand for what Python sets between calls."""


def computed(name: str, captures: Sequence[Captured], steps: bool = False) -> list[Computed]:
    """Take the notes out of the programs of one function.

    Args:
        name: of the function.
        captures: its programs.
        steps: whether trainers' steps stay, with what Python counts and schedules as states.

    Raises:
        CaptureError E465: a call does in Python what results depend on, or others see.
    """
    stated = [_Stated(name, one, shared) for shared in [SharedStates()] for one in captures] if steps else []
    if stated:
        return [
            changed(one, notes=(*one.notes, *step.left_out), names=step.names, settable=step.settable)
            for one, step in zip(computed(name, [one.captured for one in stated]), stated, strict=True)
        ]
    lives = [_Live(one) for one in captures]
    if not any(one.effects or one.transaction.feeds for one in captures):
        return [Computed(one, ()) for one in captures]
    read = _Reads()
    for captured, live in zip(captures, lives, strict=True):
        for guard in (*captured.guards, *captured.seen):
            read.add(guard)
        for feed in live.feeds:
            if feed.place is not None:
                read.add_place(feed.place)
    return [_without_notes(name, one, live, read) for one, live in zip(captures, lives, strict=True)]


def writes_itself(captured: Captured, guards: Sequence[Guard]) -> bool:
    """Tell whether the places of guards are written by the program itself."""
    places = [_place_of(effect) for effect in captured.effects]
    keys = {place.key for place in places if place is not None}
    owners = {id(effect.arguments[0]) for effect in captured.effects if effect.arguments and target_of(effect) is None}
    return all(guard.place.key in keys or id(guard.place.owner) in owners for guard in guards)


class _Live:
    """The part of a program that its results, and what it writes to arrays, need."""

    def __init__(self, captured: Captured) -> None:
        graph = captured.graph
        outputs = [graph.outputs[source.written] for source in captured.sources if source.written >= 0]
        for result in captured.results:
            if result.kind == "container":
                outputs += [graph.outputs[one.index] for one in stand_ins(result.value) if isinstance(one, Output)]
        self.values: set[Value] = {*captured.result_values, *outputs}
        self.nodes = needed(graph.nodes, self.values, lambda node: effect_of(node.op) is Effect.WORLD)
        pairs = zip(captured.sources, graph.inputs, strict=True)
        arrays = {id(source.array) for source, value in pairs if value in self.values and source.array is not None}
        identities = {id(one) for condition in captured.conditions for one in condition.positions}
        self.feeds = [
            feed
            for feed in captured.transaction.feeds
            if id(feed) in identities or id(getattr(feed, "array", None)) in arrays or not feed.is_read
        ]
        """Those whose numbers and arrays it needs, and those that do more than to read."""


class _Stated:
    """A program of a trainer's step, whose feeds are computed of states; of gradients it has those that it reads."""

    def __init__(self, name: str, captured: Captured, shared: SharedStates) -> None:
        self.names: dict[int, str] = {}
        self.left_out: tuple[str, ...] = ()
        self.settable: tuple[ndarray, ...] = ()
        transaction = captured.transaction
        progress: FeedStates = []
        with STATE:
            try:
                if not transaction.begin(progress):
                    raise StateError(
                        "E535", f"{name} has changed since it was called: its trainer would do another step",
                        help="call it once more",
                    )  # fmt: skip
                pairs = [(feed, feed.in_file(shared)) for feed in transaction.feeds if feed.place is None]
            finally:
                transaction.rollback(progress)
        facts = [fact for _, fact in pairs if fact is not None]
        stated = [feed for feed, fact in pairs if fact is not None]
        others = tuple(feed for feed in transaction.feeds if feed not in stated)
        self.captured = _without_gradients(changed(captured, transaction=changed(transaction, feeds=others)))
        for fact in facts:
            self.names.update(fact.names)
            self.left_out += fact.left_out
            self.settable += tuple(one for k, one in enumerate(fact.states) if k not in fact.writes)
            if fact.graph is not None:
                self.captured = _computing(self.captured, fact)


def _without_gradients(captured: Captured) -> Captured:
    """Leave out the arrays of gradients that a program only writes."""
    arrays = {id(variable.grad) for variable in captured.transaction.fresh if variable.grad is not None}
    graph = captured.graph
    read = {value for node in graph.nodes for value in node.inputs} | {*captured.result_values}
    pairs = [
        (source, value)
        for source, value in zip(captured.sources, graph.inputs, strict=True)
        if id(source.array) not in arrays or value in read
    ]
    inputs = tuple(value for _, value in pairs)
    return changed(
        captured, sources=tuple(source for source, _ in pairs),
        graph=Graph(inputs, graph.nodes, graph.outputs, graph.constants),
    )  # fmt: skip


def _computing(captured: Captured, fact: FeedInFile) -> Captured:
    """Let a program compute what a feed has filled."""
    graph, own = captured.graph, fact.graph
    assert own is not None, "who fills an array says what it is"
    pairs = list(zip(captured.sources, graph.inputs, strict=True))
    filled = {value: own.outputs[0] for source, value in pairs if source.array is fact.array}
    nodes = [
        Node(node.op, tuple(filled.get(value, value) for value in node.inputs), node.outputs, node.loc)
        for node in graph.nodes
    ]
    pairs = [(source, value) for source, value in pairs if value not in filled]
    numbers = dict(zip(fact.writes, range(len(graph.outputs), len(graph.outputs) + len(fact.writes)), strict=True))
    outputs = tuple(filled.get(value, value) for value in graph.outputs)
    sources = [Source(-1, array, numbers.get(position, -1)) for position, array in enumerate(fact.states)]
    return changed(
        captured,
        sources=(*(source for source, _ in pairs), *sources),
        graph=Graph(
            (*(value for _, value in pairs), *own.inputs), (*own.nodes, *nodes), (*outputs, *own.outputs[1:]),
            {**graph.constants, **own.constants},
        ),
        result_values=tuple(filled.get(value, value) for value in captured.result_values),
    )  # fmt: skip


class _Reads:
    """The places that programs depend on."""

    def __init__(self) -> None:
        self._keys: set[place_kinds.Key] = set()
        self._parts: set[int] = set()
        """Identities of containers an item of which is read."""
        self._whole: set[int] = set()
        """Identities of containers, and of tables of attributes, of which more is read than items."""

    def add(self, guard: Guard) -> None:
        """Add the place of a guard; of a container all that are in it."""
        place = guard.place
        if type(place) is place_kinds.Content:
            self._whole.update(id(value) for value, _ in inside(place.owner, guard.expected))
        self.add_place(place)

    def add_place(self, place: place_kinds.Place) -> None:
        """Add a place."""
        self._keys.add(place.key)
        if type(place) is place_kinds.Items:
            self._keys.update(place_kinds.Item(place.owner, index).key for index in place.indices)
        if isinstance(place, (place_kinds.Item, place_kinds.Items)):
            self._parts.add(id(place.owner))
        elif isinstance(
            place, (place_kinds.Content, place_kinds.Length, place_kinds.Emptiness, place_kinds.Membership)
        ):
            self._whole.add(id(place.owner))
        if isinstance(place, place_kinds.CallResult):
            self._whole.update(map(id, place.args))

    def of_place(self, place: place_kinds.Place) -> bool:
        """Tell whether a place is read."""
        table = own(place.owner) if isinstance(place, place_kinds.Attribute) else place.owner
        keys = (
            {place.key, place_kinds.Item(table, place.name).key}
            if isinstance(place, (place_kinds.Attribute, place_kinds.Global))
            else {place.key}
        )
        whole = (place.owner, table) if isinstance(place, (place_kinds.Attribute, place_kinds.Item)) else ()
        return not self._keys.isdisjoint(keys) or any(id(one) in self._whole for one in whole)

    def of_container(self, container: Any) -> bool:
        """Tell whether anything of a container is read."""
        return id(container) in self._parts or id(container) in self._whole


def _without_notes(name: str, captured: Captured, live: _Live, read: _Reads) -> Computed:
    _check_feeds(name, captured, live.feeds)
    notes = dict.fromkeys(_note(name, effect, read) for effect in captured.effects)
    fed = {id(array) for feed in live.feeds if (array := getattr(feed, "array", None)) is not None}
    sources, inputs = [], []
    for source, value in zip(captured.sources, captured.graph.inputs, strict=True):
        if source.array is None or source.written >= 0 or source.array is random.state or value in live.values:
            if source.array is not None and id(source.array) in fed:
                source = changed(source, array=wrap(host_copy(source.array).copy()))
            sources.append(source)
            inputs.append(value)
    constants = {value: array for value, array in captured.graph.constants.items() if value in live.values}
    results, values, structure = _opened(name, captured)
    outputs = (*values, *(captured.graph.outputs[one.written] for one in sources if one.written >= 0))
    numbers = iter(range(len(values), len(outputs)))
    sources = [changed(one, written=next(numbers)) if one.written >= 0 else one for one in sources]
    graph = Graph(tuple(inputs), tuple(live.nodes), outputs, constants)
    return Computed(
        changed(
            captured, graph=graph, sources=tuple(sources), structure=structure, results=results, result_values=values,
            effects=(), transaction=NO_TRANSACTION,
        ),
        tuple(f"{note}, which Python notes and no result needs" for note in notes if note),
    )  # fmt: skip


def _check_feeds(name: str, captured: Captured, feeds: Sequence[Feed]) -> None:
    """Fill what a file can hold as it is now; refuse what each call has Python do.

    Raises:
        CaptureError E465: there is such a thing.
    """
    refused = [feed for feed in feeds if feed.place is None]
    if refused:
        what, remedy = min(refused, key=lambda one: (one.in_files is not TRAINING, one.is_read)).in_files
        raise CaptureError("E465", f"{name} {what}", help=remedy)
    of_places = [one for one in captured.conditions if not any(type(position) is int for position in one.positions)]
    if not all(feed.begin(None) for feed in feeds) or not all(one.holds(()) for one in of_places):
        raise StateError(
            "E535", f"{name} has changed since it was called: numbers that it reads from outside have changed",
            help="call it once more",
        )  # fmt: skip


def _place_of(effect: SideEffect) -> place_kinds.Place | None:
    """Return the place that an effect writes, if it is one alone."""
    place = target_of(effect)
    if place is None and getattr(effect.apply, "__name__", "") == "__setitem__":
        container, key, _ = effect.arguments
        if isinstance(container, CONTAINERS) and type(key) is not slice:
            return place_kinds.Item(container, key)
    return place


def _note(name: str, effect: SideEffect, read: _Reads) -> str:
    """Name what an effect leaves in Python, if it is a note; empty for gradients, which are none of the user's.

    Raises:
        CaptureError E465: it is none.
    """
    place, where = _place_of(effect), "" if effect.loc is None else f" ({effect.loc})"
    written: Sequence[place_kinds.Place] | None = getattr(effect.apply, "places", None)
    if written is not None and not any(map(read.of_place, written)):
        return ""
    container = effect.arguments[0] if place is None and effect.arguments else None
    if place is None and isinstance(container, GivenContainer):
        raise CaptureError(
            "E465", f"{name} changes a list or dict argument, which a saved program cannot do", loc=effect.loc,
            help="return the new values",
        )  # fmt: skip
    if place is None and (effect.apply is print or not isinstance(container, CONTAINERS)):
        what = "prints" if effect.apply is print else "logs, or changes objects of Python's,"
        raise CaptureError(
            "E465", f"{name} {what} at each call, which a saved program cannot do", loc=effect.loc,
            help="return the values instead; npx.print prints in programs",
        )  # fmt: skip
    if place is not None and read.of_place(place):
        raise CaptureError(
            "E465", f"{name} sets {described(place)} and depends on its value, which a file does not hold",
            loc=effect.loc, help="store it in an array that calls write, self.state[:] = ..., or pass it as argument",
        )  # fmt: skip
    if place is None and read.of_container(container):
        raise CaptureError(
            "E465", f"{name} changes a {type(container).__name__} from call to call, and depends on what it holds, "
            "which a file does not have",
            loc=effect.loc, help="write to an array of fixed size instead, or pass and return the values",
        )  # fmt: skip
    return f"{described(place) if place is not None else f'the items of a {type(container).__name__}'}{where}"


def described(place: place_kinds.Place) -> str:
    """Name a place in one line."""
    if type(place) is place_kinds.Attribute:
        return f"attribute {place.name!r} of {type(place.owner).__name__}"
    return place.described()


# ------------------------------------------------------------------------------------------------------------- results


def _opened(name: str, captured: Captured) -> tuple[tuple[Result, ...], tuple[Value, ...], Any]:
    """Give the results where containers that a call makes, and keeps elsewhere as well, are part of the structure."""
    if not any(result.kind == "container" for result in captured.results):
        return captured.results, captured.result_values, captured.structure
    values = iter(captured.result_values)
    pairs = [
        _Leaf(result, next(values) if result.kind in ("array", "number", "view") else None)
        if result.kind != "container" else _container(name, captured, result.value)
        for result in captured.results
    ]  # fmt: skip
    leaves, structure = flatten(unflatten(captured.structure, pairs))
    outputs = tuple(leaf.value for leaf in leaves if leaf.value is not None)
    return tuple(leaf.result for leaf in leaves), outputs, structure


class _Leaf:
    """A leaf of the result, and its value in the graph, where it has one."""

    def __init__(self, result: Result, value: Value | None) -> None:
        self.result, self.value = result, value


def _container(name: str, captured: Captured, data: Any) -> Any:
    """Give a container of a call with leaves in it."""
    again = partial(_container, name, captured)
    if isinstance(data, BuiltContainer) and isinstance(data.empty, (list, dict)):
        container = data.empty.copy()
        (container.update if isinstance(container, dict) else container.extend)(
            _pairs(data.content, again) if isinstance(container, dict) else map(again, data.content)
        )
        return container
    if type(data) is tuple:
        return tuple(map(again, data))
    if isinstance(data, Output) and not data.steps:
        kind = Result("array", data.index) if data.weak is None else Result("number", data.index, value=data.weak)
        return _Leaf(kind, captured.graph.outputs[data.index])
    if isinstance(data, ExistingArray) and not data.steps:
        for source, value in zip(captured.sources, captured.graph.inputs, strict=True):
            if source.position == data.position and source.array is data.array:
                return _Leaf(Result("array"), value)
    if data is None or isinstance(data, (bool, int, float, str)):
        return _Leaf(Result("constant", value=data), None) if data is not None else None
    what = data.cls if isinstance(data, BuiltObject) else type(data.empty if isinstance(data, BuiltContainer) else data)
    raise CaptureError(
        "E465", f"{name} returns a {what.__name__} that it also stores in Python, which a saved program cannot do",
        help="return arrays and numbers, in tuples, lists and dicts",
    )  # fmt: skip


def _pairs(content: Sequence[Any], filled: Any) -> Iterator[tuple[Any, Any]]:
    return ((key, filled(value)) for key, value in content)
