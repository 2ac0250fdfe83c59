# SPDX-License-Identifier: Apache-2.0
"""A captured function as data: its graph, where inputs come from and results go, and what its calls depend on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Any

from hybridize.array.device import Device
from hybridize.array.ndarray import ndarray
from hybridize.array.storage import Storage
from hybridize.array.traced import LostHistory
from hybridize.base.faces import Face, FaceTuple
from hybridize.base.frozen import frozen
from hybridize.base.locations import SourceLoc
from hybridize.base.nested import Structure, items_of
from hybridize.contract.call import Call
from hybridize.contract.conditions import Condition, Decided
from hybridize.contract.feeds import NO_TRANSACTION, Transaction
from hybridize.contract.guards import Guard
from hybridize.contract.places import Place
from hybridize.graph import Graph, Value
from hybridize.ops.op import Op
from hybridize.runtime.recipes import Recipe, prepared, raised


@frozen
class Source:
    """The origin of an input of the graph at each call: an argument, or an array from outside."""

    position: int
    """Leaf of the arguments; -1 for an array that was there when the function was captured."""
    array: ndarray | None = None
    """That array."""
    written: int = -1
    """The output to be written back to it, where there is one."""
    lost: LostHistory | None = None
    """Marks it then as one whose history stays in the call."""

    def __init__(
        self, position: int, array: ndarray | None = None, written: int = -1, lost: LostHistory | None = None
    ) -> None:
        # By hand, as every program makes some: `frozen` would write it when the first eight are there.
        self.__dict__.update(position=position, array=array, written=written, lost=lost)


@frozen
class Result:
    """One leaf of the result."""

    kind: str
    """`array`, `number`, `view` (of an input), `constant`, `made` (of outputs), or `container` (a kept one)."""
    index: int = -1
    """Number of the output, or of the input that is viewed."""
    steps: tuple[Op, ...] = ()
    """The view of that array that it is, as ops to apply in turn."""
    value: Any = None
    """Kind of a number; a constant; what is `Made`; of a container, what stands for it."""
    lost: LostHistory | None = None
    """Marks an array whose history stays in the call."""
    of_nd: bool = False
    """True of an NDArray."""


@frozen
class SideEffect:
    """Something that every call does besides computing: `apply(*arguments)`, symbols replaced by their results."""

    apply: Callable[..., object]
    arguments: tuple[Any, ...]
    keywords: dict[str, Any] = field(default_factory=dict)
    loc: SourceLoc | None = None
    """The line of the function that does it."""

    @property
    def operands(self) -> list[Any]:
        """All arguments."""
        return [*self.arguments, *self.keywords.values()]


def target_of(effect: SideEffect) -> Place | None:
    """Return the place that an effect writes; None for any other effect."""
    owner = getattr(effect.apply, "__self__", None)
    return owner if isinstance(owner, Place) else None


@frozen
class Raises:
    """An exception that every call raises once it has done the rest.

    The result has the arguments and the attributes of the exception, of its cause, of the cause of that, and so on.
    """

    kinds: tuple[type[BaseException], ...]
    """The classes of these."""
    from_none: bool
    """True if the last of them was raised `from None`."""
    note: str
    """Tells the line."""

    def exception(self, result: Any) -> BaseException:
        """The exception of a call."""
        first, *causes = map(raised, self.kinds, *zip(*result, strict=True), (self.note, *[""] * (len(self.kinds) - 1)))
        last = first
        for cause in causes:
            last.__cause__ = cause
            last = cause
        last.__suppress_context__ = self.from_none
        return first


@frozen
class Captured:
    """A function, captured once."""

    call: Call
    """Its kinds are the types that the program was captured with: sizes in them may be symbols."""
    graph: Graph
    sources: tuple[Source, ...]
    """One for each input of the graph."""
    structure: Structure
    """Of the result."""
    results: tuple[Result, ...]
    result_values: tuple[Value, ...]
    """For each leaf that is an array or number: the value of the graph that it is."""
    effects: tuple[SideEffect, ...]
    """Side effects of each call besides its arrays; symbols in them are replaced by `Output`, `Given`."""
    guards: tuple[Guard, ...]
    watched: tuple[Storage, ...]
    numbers: dict[int, Any]
    """Leaves that must have these values."""
    conditions: tuple[Condition, ...]
    """Facts of the numbers among the arguments that must be as true as they were, or as large."""
    layouts: dict[int, tuple[int, ...] | None]
    """Array leaves that must have these strides; None: that must be laid out row by row."""
    same_memory: dict[int, int]
    """Array leaves that are over the same memory as an earlier leaf."""
    bound: dict[int, ndarray]
    """Array leaves that are over the same memory as an array from outside."""
    compared: tuple[ndarray, ...] | None = None
    """Arrays from outside that arguments were compared to by identity: which of all these are one object must be as it
    was. None where no argument was asked about."""
    transaction: Transaction = NO_TRANSACTION
    """The feeds and gradient flags of backward passes and updates, begun and rolled back with each call."""
    changed: tuple[tuple[Any, ...], ...] = ()
    """Paths of containers among the arguments that calls change: no two arguments may be one container then."""
    outside: tuple[Any, ...] = ()
    """Containers from outside that the program knows: none of them may be among the arguments that it changes."""
    seen: tuple[Guard, ...] = ()
    """Numbers and arrays whose owners tell when they are replaced: no guards, but what they would be."""
    raises: Raises | None = None
    """The exception that calls end with, where they end so."""
    is_closed: bool = False
    """True if nothing that it gives or writes has a history, though it was captured while recording: gradients that it
    asks for are part of it, and its calls are run as those of any program."""
    decided: Decided | None = None
    """Values that data decides, and that the program is specialized on."""
    devices: dict[int, Device] = field(default_factory=dict)
    """Outputs that are on other devices than `cpu(0)`."""
    caller: SourceLoc | None = None
    """The line that called the function when it was captured: what is recorded at this line is of each call."""

    @property
    def stand_ins(self) -> Iterator[Output | ExistingArray | FormattedText]:
        """All that stands for something of a call, in effects and in containers of the result."""
        for effect in self.effects:
            yield from stand_ins(tuple(effect.operands))
        for result in self.results:
            if result.kind in ("made", "container"):
                yield from stand_ins(result.value)

    @property
    def views(self) -> Iterator[Op]:
        """The steps of all views that calls make: for results, and for what they keep."""
        for result in self.results:
            yield from result.steps
        for one in self.stand_ins:
            if not isinstance(one, FormattedText):
                yield from one.steps

    @property
    def writes_arguments(self) -> bool:
        """True if a call writes to arrays among its arguments."""
        return any(source.written >= 0 and source.position >= 0 for source in self.sources)


@frozen
class Output:
    """Stands for an output of the program among the arguments of an effect."""

    index: int
    weak: type | None
    steps: tuple[Op, ...] = ()
    """The view of it that is meant, as ops to apply in turn."""
    lost: LostHistory | None = None
    """Marks an array whose history stays in the call."""
    of_nd: bool = False
    """True of an NDArray."""


@frozen
class ExistingArray:
    """Stands for an array that is there before the call among the arguments of an effect."""

    position: int
    """Leaf of the call; -1 for an array from outside."""
    array: Any = None
    """That array: ours, or NumPy's where the user's is."""
    steps: tuple[Op, ...] = ()
    """The view of it that is meant, as ops to apply in turn."""
    lost: LostHistory | None = None
    """Marks an array whose history stays in the call."""
    of_nd: bool = False
    """True of an NDArray."""


@frozen
class FormattedText:
    """Stands for text that each call makes of outputs of the program."""

    recipe: Recipe
    """See `runtime.recipes`; its operands are `outputs`."""
    outputs: tuple[int, ...]

    def now(self, outputs: Sequence[Any]) -> Any:
        """The text of a call."""
        return prepared(self.recipe, [outputs[number] for number in self.outputs])


@frozen
class GivenContainer:
    """Stands for a list, dict or another container among the arguments of a call."""

    path: tuple[Any, ...]
    """Keys and numbers from `(args, kwargs)` on."""

    def find(self, value: Any) -> Any:
        """Find it in the arguments of a call."""
        for key in self.path:
            value = value[key] if isinstance(value, dict) else items_of(value)[key]
        return value


def containers(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """List the containers in the arguments of a call that can be changed, each with the path to it."""
    if isinstance(value, (list, dict)) and len(path) > 1:
        yield path, value
    if isinstance(value, dict):
        for key, part in value.items():
            yield from containers(part, (*path, key))
    elif isinstance(value, (tuple, list)):
        for number, part in enumerate(items_of(value)):
            yield from containers(part, (*path, number))


@frozen
class Faced:
    """Stands for an array that another library gets, or a tuple of numbers, among the arguments of an effect."""

    kind: type[Face | FaceTuple]
    inside: Any
    """The stand-in for the array of ours, or for the numbers; `kind.shown` makes the library's of it."""


@frozen
class BuiltContainer:
    """Stands for a container that each call makes anew, among the arguments of an effect: once, however often met."""

    number: int
    """Of the container in its program."""
    empty: Any
    """A container of its class without content."""
    content: tuple[Any, ...]
    """Its items; of a dict, pairs of key and value."""


@frozen
class BuiltObject:
    """Stands for an object that each call makes anew, among the arguments of an effect: once, however often met."""

    number: int
    """Of the object in its program."""
    cls: type
    """A class whose instances are no more than their attributes."""
    names: tuple[str, ...]
    content: tuple[Any, ...]
    """The attributes."""


def stand_ins(data: Any) -> Iterator[Output | ExistingArray | FormattedText]:
    """List what stands for arrays, numbers and text of a call in an argument of an effect, or in a kept container."""
    if isinstance(data, (Output, ExistingArray, FormattedText)):
        yield data
        return
    if isinstance(data, Faced):
        data = (data.inside,)
    if isinstance(data, (BuiltContainer, BuiltObject)):
        data = data.content
    if isinstance(data, (tuple, frozenset)):
        for part in data:
            yield from stand_ins(part)


def are_distinct(captured: Captured, call: Call) -> bool:
    """Tell whether the containers among the arguments that a program changes are met nowhere else."""
    every = list(containers(call.originals))
    changed = {path: container for path, container in every if path in captured.changed}
    others = [container for path, container in every if path not in changed] + list(captured.outside)
    known = {id(container) for container in others}
    return len({id(container) for container in changed.values()} - known) == len(changed)
