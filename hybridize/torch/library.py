# SPDX-License-Identifier: Apache-2.0
"""PyTorch as the library that a captured function is written for: what a capture asks of it."""

from __future__ import annotations

import functools
import inspect
import types
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import torch

from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.symbol import Symbol
from hybridize.base.dtypes import is_float
from hybridize.base.faces import Library
from hybridize.base.nested import flatten
from hybridize.capture.outside.trust import is_trusted_file
from hybridize.capture.python.mathematics import ELEMENTS, to_float, to_int
from hybridize.capture.python.router import context, routed
from hybridize.capture.python.writes import new
from hybridize.capture.trace.recording import Recording, active_trace, current_trace
from hybridize.contract.guards import Guard, Test
from hybridize.contract.places import Attribute, Place, Refer
from hybridize.graph import Value
from hybridize.ops import StopGradient
from hybridize.runtime.entry import Look, Watch
from hybridize.runtime.exchange import tensor_word
from hybridize.runtime.recipes import show
from hybridize.torch.averaging import averaging_call
from hybridize.torch.backward import CALLS, CURRENT, NotRecorded, OwnPasses
from hybridize.torch.custom import custom_call
from hybridize.torch.exchange import exchange, is_memory
from hybridize.torch.functions import FUNCTIONS, apply
from hybridize.torch.internals import as_torch, records
from hybridize.torch.islands import island_call
from hybridize.torch.memory import ARGUMENTS, array_of, as_memory, as_tensor, check_class, dtype_of
from hybridize.torch.modules import METHODS, SPECIAL, call_module, depend_on_looked_at
from hybridize.torch.optimizers import optimizer_call
from hybridize.torch.scaling import scaler_call
from hybridize.torch.shapes import shape_call
from hybridize.torch.tensors import TracedTensor


class Flag(Attribute):
    """An attribute of a tensor that is True or False."""

    __slots__ = ()

    def watches(self, value: Any) -> list[Watch] | None:
        return [Watch(Look.ATTRIBUTE, self.owner, self.name, value)]


class TensorMemory(Place):
    """The memory of a tensor: its address, sizes, strides and dtype."""

    __slots__ = ()

    def read(self) -> Any:
        with as_torch():  # also while a program is captured, whose mode would take the question for its own
            return memory_of(self.owner)

    def expression(self, refer: Refer) -> str:
        return f"{refer(memory_of)}({refer(self.owner)})"

    def described(self) -> str:
        return "the memory of a tensor"


class AtAddress(Test):
    """The memory that it was."""

    __slots__ = ("_owner",)
    of_memory = True

    def __init__(self, owner: torch.Tensor) -> None:
        super().__init__(memory_of(owner))
        self._owner = owner

    def holds(self, now: Any) -> bool:
        return bool(now == self.value)

    def check(self, now: str, refer: Refer) -> str:
        owner, (address, size, stride, dtype) = self._owner, self.value
        same = f"{refer(owner.data_ptr)}() == {address} and {refer(owner.size)}() == {refer(size)}"
        return f"({same} and {refer(owner.stride)}() == {refer(stride)} and {refer(owner)}.dtype is {refer(dtype)})"

    def watches(self, place: Place) -> list[Watch] | None:
        library, owner = exchange(), self._owner
        if library is None or not is_memory(owner):
            return None
        address, size, stride, dtype = self.value
        words = address, tensor_word(dtype_of(dtype), len(size)), *size, *stride
        return [Watch(Look.TENSOR, owner, library, words)]


def memory_of(tensor: torch.Tensor) -> tuple[Any, ...]:
    """Return what tells whether a tensor is where it was, in the same form."""
    return tensor.data_ptr(), tensor.size(), tensor.stride(), tensor.dtype


class HeldTensor:
    """Stands for a tensor among the arguments of a call whose programs know it by its identity, like one from outside.

    So are those of which a function reads or sets what is kept with the object: `x.grad`, attributes of the user's.
    """

    __slots__ = ("__weakref__", "tensor")

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor: Any = tensor


class AsObjects(Exception):
    """Tensors among the arguments have to be known by their identity: the call is to be captured again."""

    def __init__(self, tensors: Sequence[torch.Tensor]) -> None:
        super().__init__()
        self.tensors = tensors


_TEXT_KINDS = {
    (False, False): "tensor", (False, True): "leaf", (True, True): "parameter", (True, False): "constant parameter",
}  # fmt: skip
"""Words of recipes for tensors from outside: whether it is a parameter, and wants a gradient."""
show("tensor", as_tensor)
show("leaf", lambda data: as_tensor(data).requires_grad_())
show("parameter", lambda data: torch.nn.Parameter(as_tensor(data)))
show("constant parameter", lambda data: torch.nn.Parameter(as_tensor(data), requires_grad=False))


class TorchLibrary(Library):
    """PyTorch, as a capture asks it.

    Arrays of ours over tensors are kept for as long as the tensors live, so that programs know them again.
    """

    def __init__(self) -> None:
        self._arrays: dict[int, tuple[weakref.ref[torch.Tensor], tuple[Any, ...], ndarray]] = {}
        self.flags: Sequence[bool] = ()
        """True for each tensor among the arguments of the captured call that has a gradient."""
        self.flagged: set[Value] = set()
        """Arguments of the module that is captured through which a gradient goes."""
        self.settings: dict[Callable[[], Any], Any] = {}
        """Settings of torch's when the capture began, by the functions that tell them."""
        self.records = False
        """True if PyTorch recorded gradients when the capture began."""
        self.asks_mode: bool = False
        """True if what was captured last asks whether gradients are recorded, or whether one goes through a tensor."""
        self.passes: OwnPasses = OwnPasses()
        """Of the function that was captured last."""
        self.objects: dict[int, torch.Tensor] = {}
        """Arguments of the module that is captured that programs have to know by their identity, by that."""
        self.asks_attributes: bool = False
        """True if a program asks arguments for attributes of the user's."""
        self._tensors: weakref.WeakValueDictionary[int, HeldTensor] = weakref.WeakValueDictionary()

    def holds(self, value: Any) -> bool:
        return isinstance(value, torch.Tensor) and type(value) is not TracedTensor

    def array(self, value: torch.Tensor) -> ndarray:
        with as_torch():
            number, memory = id(value), memory_of(value)
            known = self._arrays.get(number)
            if known is not None and known[0]() is value and known[1] == memory:
                return known[2]
            arrays, tensors = ARGUMENTS.get()
            among = (array for array in flatten(arrays)[0] if tensors.get(id(array)) is value)
            array = array_of(value, next(among, None))
        self._arrays[number] = weakref.ref(value, lambda _: self._arrays.pop(number, None)), memory, array
        return array

    def memory(self, value: Any) -> ndarray | None:
        if not self.holds(value):
            return None
        with as_torch():
            if (value.requires_grad and records()) or not is_memory(value):
                return None
            return wrap(as_memory(value.detach() if value.requires_grad else value))

    def argument(self, leaf: Any) -> Any:
        return leaf.tensor if type(leaf) is HeldTensor else leaf

    def held_as(self, tensor: torch.Tensor) -> HeldTensor:
        """Return what stands for a tensor that programs know by its identity: for one tensor always the same."""
        known = self._tensors.get(id(tensor))
        if known is None:
            known = self._tensors[id(tensor)] = HeldTensor(tensor)
        return known

    def argument_of(self, recording: Recording, face: Any) -> torch.Tensor | None:
        """Return the caller's tensor that a face is, which programs then know by its identity; None for all others."""
        tensor = self._argument(recording, face)
        if tensor is not None:
            self.objects[id(tensor)] = tensor
        return tensor

    def _argument(self, recording: Recording, face: Any) -> torch.Tensor | None:
        array, (_, tensors) = vars(face).get("array"), ARGUMENTS.get()
        entries = recording.root.inputs.entries
        entry = next((one for one in entries if one.symbol is array and one.position >= 0), None)
        return None if entry is None else tensors.get(id(entry.array))

    def keeper(self, recording: Recording, face: Any, *, sets: bool = False) -> torch.Tensor | None:
        """Return the tensor from outside, or among the arguments, with which attributes of the user's are kept.

        None for all that the program makes, and for an argument that has none, while none is set.
        """
        tensor: torch.Tensor | None = vars(face).get("of")
        if tensor is not None:
            return tensor
        argument = self._argument(recording, face)
        if argument is None:
            return None
        self.asks_attributes = True
        if not sets and not vars(argument):
            return None
        return self.argument_of(recording, face)

    def argument_array(self, tensor: torch.Tensor) -> ndarray:
        """Return an array for a tensor among the arguments of a call: where programs have met it outside, the same."""
        known = self._arrays.get(id(tensor))
        if known is not None and known[0]() is tensor and known[1] == memory_of(tensor):
            return known[2]
        return wrap(as_memory(tensor.detach() if tensor.requires_grad else tensor))

    def face(self, symbol: Any, value: Any = None) -> TracedTensor:
        trace = current_trace()
        if value is not None and trace is not None:
            check_class(value)
            place = TensorMemory(value)
            if place.key not in trace.root.world.guards:
                with as_torch():
                    trace.root.world.guards[place.key] = Guard(place, AtAddress(value), trace.root.location())
        return TracedTensor(symbol, value)

    def apply(self, recording: Recording, function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        return apply(recording, function, args, kwargs)

    def number(self, face: Any, kind: type | None) -> Any:
        trace = current_trace()
        if kind is None and trace is not None and (known := trace.decided(face.array)) is not None:
            return known
        if kind is None:
            return ELEMENTS["item"](face.array)
        return to_int(face.array) if kind is int else to_float(face.array)

    def text_kind(self, recording: Recording, face: Any) -> str:
        if face.of is None:
            return "tensor"
        flag = bool(face.of.requires_grad)
        recording.root.world.read(Flag(face.of, "requires_grad"), flag, whole=False)
        return _TEXT_KINDS[isinstance(face.of, torch.nn.Parameter), flag]

    def requires_grad(self, recording: Recording, face: Any) -> bool:
        self.asks_mode = True
        if face.of is not None:
            _, flag = CURRENT.get().flags.get(id(face.of)) or (face.of, self.flag(recording, face.of))
            return flag
        if not recording.root.differentiated and self._argument(recording, face) is not None:
            raise NotRecorded("E422", "whether an argument has a gradient is asked in a call without")
        if not recording.root.differentiated or not is_float(face.array.dtype):
            return face.array.operand() in self.flagged
        return face.array.operand() in self._live(recording)

    def differentiates(self, recording: Recording) -> bool:
        self.asks_mode = True
        return records() and bool(self._live(recording))

    def is_leaf(self, recording: Recording, symbol: Symbol) -> bool:
        self.asks_mode = True
        entry = next((entry for entry in recording.root.inputs.entries if entry.symbol.shares_buffer(symbol)), None)
        now = symbol.base.operand()
        if entry is None:
            return now in CURRENT.get().leaves
        if now is not entry.value and now not in CURRENT.get().written:
            return False
        if entry.value in self.flagged:
            return True
        tensor = self.tensor(entry.array)
        if tensor is None or not is_float(symbol.dtype):
            return False
        recording.root.world.read(Flag(tensor, "requires_grad"), tensor.requires_grad, whole=False)
        return tensor.requires_grad

    def leaf(self, recording: Recording, base: Symbol) -> torch.Tensor | None:
        """Return the tensor from outside that a buffer is, where gradients go to it; None for all others."""
        entry = next((entry for entry in recording.root.inputs.entries if entry.symbol.shares_buffer(base)), None)
        tensor = None if entry is None else self.tensor(entry.array)
        return tensor if tensor is not None and tensor.requires_grad and self.is_leaf(recording, base) else None

    def is_live(self, recording: Recording, value: Any) -> bool:
        """Tell whether a gradient goes through a value, whatever torch records now."""
        return value in self._live(recording)

    def held(self, trace: Recording) -> Iterator[tuple[Value, torch.Tensor]]:
        """List the tensors of floats from outside that a program has met, with their values, but for the state that
        optimizers keep: to that no gradient goes.
        """
        tensors = {id(array): reference() for reference, _, array in list(self._arrays.values())}
        states = CURRENT.get().kept
        for entry in trace.root.inputs.entries:
            tensor = tensors.get(id(entry.array))
            if tensor is not None and tensor.is_floating_point() and id(tensor) not in states:
                yield entry.value, tensor

    def flag(self, trace: Recording, tensor: torch.Tensor) -> bool:
        """Tell whether a tensor from outside wants a gradient, and depend on it."""
        wants = tensor.requires_grad
        trace.root.world.read(Flag(tensor, "requires_grad"), wants, whole=False)
        return wants

    def _live(self, trace: Recording) -> set[Value]:
        """Return the values that a gradient goes through, by torch's rule: floats that are made of such."""
        live = self.flagged.union(CURRENT.get().written)
        live.update(value for value, tensor in self.held(trace) if self.flag(trace, tensor))
        return self.live(trace, live)

    def live(self, trace: Recording, sources: set[Value]) -> set[Value]:
        """Return the values that are sources or made of such, by torch's rule."""
        live = set(sources)
        scope: Any = trace
        scopes = []
        while scope is not None:
            scopes.append(scope)
            scope = scope.parent
        for one in reversed(scopes):
            live.update(own for outer, own in getattr(one, "outer", {}).items() if outer in live)
            for node in one.builder.nodes:
                if not isinstance(node.op, StopGradient) and not live.isdisjoint(node.inputs):
                    live.update(value for value in node.outputs if is_float(value.type.dtype))
        return live

    def has_gradient(self, array: ndarray) -> bool:
        """Tell whether the tensor that an array of ours is over wants a gradient."""
        tensor = self.tensor(array)
        return tensor is not None and tensor.requires_grad

    def tensor(self, array: ndarray) -> torch.Tensor | None:
        """Return the tensor that an array of ours is over."""
        for reference, _, candidate in self._arrays.values():
            if candidate is array:
                return reference()
        return None

    def depend(self, recording: Recording, value: Any, name: str = "") -> None:
        if isinstance(value, torch.nn.Module):
            depend_on_looked_at(recording, value, name)

    def call(self, function: Any) -> Callable[..., Any] | None:
        if (alone := island_call(function)) is not None:
            return alone
        if isinstance(function, torch.nn.Module):
            return functools.partial(call_module, function)
        if (custom := custom_call(function)) is not None:
            return custom
        for lookup in (optimizer_call, scaler_call, averaging_call, shape_call):
            if (updating := lookup(function)) is not None:
                return updating
        if (within := within_context(function) or generating(function)) is not None:
            return within
        try:
            if function in CALLS:
                return functools.partial(_applied, function)
            func = getattr(function, "__func__", None)
            if func is not None and func in CALLS:
                return functools.partial(_applied, func, function.__self__)
            special = SPECIAL.get(function) or METHODS.get(getattr(function, "__func__", None), _nothing)(function)
            if special is not None:
                return special
            if function not in FUNCTIONS:
                return None
        except TypeError:  # without a hash
            return None
        return functools.partial(_applied, function)


def _applied(function: Any, *args: Any, **kwargs: Any) -> Any:
    trace = active_trace()
    return apply(trace, function, args, kwargs)


_WITHIN: Any = cast("Any", torch.no_grad()(lambda: None)).__code__
"""The code of what `torch.no_grad()` and its like make of a function that they decorate."""


@torch.no_grad()
def _generating() -> Iterator[None]:
    yield


_WITHIN_ROUNDS: Any = cast("Any", _generating).__code__
"""The code of what it makes of a generator function: each round of that runs within the context."""


def generating(function: Any) -> Callable[..., Any] | None:
    """Return what a program calls for a generator function of the user's that `torch.no_grad()`, say, decorates: the
    same around that function as it is followed; None for all else.
    """
    inside = getattr(function, "__func__", function)
    if getattr(inside, "__code__", None) is not _WITHIN_ROUNDS:
        return None
    variables = inspect.getclosurevars(inside).nonlocals
    if is_trusted_file(getattr(getattr(variables["func"], "__code__", None), "co_filename", "")):
        return None
    cells = [
        types.CellType(routed(variables["func"])) if name == "func" else cell
        for name, cell in zip(inside.__code__.co_freevars, inside.__closure__, strict=True)
    ]
    twin = types.FunctionType(inside.__code__, inside.__globals__, inside.__name__, None, tuple(cells))

    def call(*args: Any, **kwargs: Any) -> Any:
        return new(twin(*args, **kwargs))

    return call if inside is function else functools.partial(call, function.__self__)


def within_context(function: Any) -> Callable[..., Any] | None:
    """Return what a program calls for a function or method of the user's that `torch.no_grad()`, say, decorates: that
    function within the context; None for all else.
    """
    inside = getattr(function, "__func__", function)
    if getattr(inside, "__code__", None) is not _WITHIN:
        return None
    variables = inspect.getclosurevars(inside).nonlocals
    factory, decorated = variables["ctx_factory"], variables["func"]
    is_torchs = is_trusted_file(getattr(getattr(decorated, "__code__", None), "co_filename", ""))
    if is_torchs and within_context(decorated) is None:
        return None

    def call(*args: Any, **kwargs: Any) -> Any:
        with context(routed(factory)()):
            return routed(decorated)(*args, **kwargs)

    return call if inside is function else functools.partial(call, function.__self__)


def _nothing(function: Any) -> None:
    return None
