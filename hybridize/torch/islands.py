# SPDX-License-Identifier: Apache-2.0
"""`island`: a module, or a function of tensors, that runs in PyTorch inside of captured modules.

A program calls it by the op `PythonCall`. Where something is differentiated the island runs with PyTorch's autograd
recording, on leaves of its own; what that has recorded is kept for the backward pass, which asks `torch.autograd.grad`.
Second gradients are those of the same record.
"""

from __future__ import annotations

import copy
import functools
import types
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy
import torch
from numpy.typing import NDArray

from hybridize.array.symbol import Symbol
from hybridize.base.dims import is_symbolic
from hybridize.base.dtypes import is_float
from hybridize.base.errors import CaptureError, StateError
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.capture.control.rolled_lists import unroll
from hybridize.capture.trace.recording import Recording, active_trace
from hybridize.contract.places import Item, Length
from hybridize.graph import Value
from hybridize.ops import stop_gradient
from hybridize.ops.foreign import call_op
from hybridize.ops.op import bind, type_of
from hybridize.runtime import foreign
from hybridize.runtime.foreign import Callee
from hybridize.system.interruptions import let_through
from hybridize.torch.internals import as_torch, pytree, records
from hybridize.torch.memory import as_memory, as_tensor, dtype_of
from hybridize.torch.tensors import TracedTensor

T = TypeVar("T", bound=Callable[..., Any])
_MARK = "__hybridize_island__"
"""The attribute by which a module is an island; it holds `like`."""


def island(function: T, *, like: Callable[..., Any] | None = None) -> T:
    """Mark a module or a function so that it runs in PyTorch, also when a compiled module calls it.

    Use it for parts that cannot be compiled. `program.fallbacks` lists them. Gradients flow through, also to the
    parameters of a module, or of the module of a bound method. Outside of captured modules nothing changes.

    The function must not write its arguments. Its results are new tensors, whose sizes and dtypes follow from those of
    the arguments. To learn them, a capture calls the function once more, a module as a copy, on numbers from 0 to 1.

    Args:
        function: a module, which is marked and returned itself, or any function of tensors.
        like: a function that returns tensors like the results. A capture calls it instead.

    >>> import torch
    >>> from hybridize import hybridize
    >>> from hybridize.torch import island
    >>> class Net(torch.nn.Module):
    ...     def forward(self, x):
    ...         return torch.relu(self.other(x))
    ...     other = staticmethod(island(lambda x: x - 1))
    >>> hybridize(Net())(torch.tensor([0.0, 2.0]))
    tensor([0., 1.])
    """
    if isinstance(function, torch.nn.Module):
        vars(function)[_MARK] = like
        return function
    return Island(function, like)  # type: ignore[return-value]


class Island:
    """A function that runs in PyTorch inside of captured modules."""

    def __init__(self, function: Callable[..., Any], like: Callable[..., Any] | None) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.like = like

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        return self.function(*args, **kwargs)

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        """Return the method of an object, where the function is in a class."""
        return self if owner is None else Island(self.function.__get__(owner, kind), self.like)


def is_island(function: Any) -> bool:
    """Tell whether a module or a function is an island: what TorchScript has made is one by itself."""
    if isinstance(function, (torch.jit.ScriptModule, torch.jit.ScriptFunction)):
        return True
    return type(function) is Island or (isinstance(function, torch.nn.Module) and _MARK in vars(function))


def island_call(function: Any) -> Callable[..., Any] | None:
    """Return what a program calls for an island; None for all else."""
    if type(function) is Island:
        return functools.partial(_called, function.function, function.like)
    return functools.partial(_called, function, vars(function).get(_MARK)) if is_island(function) else None


@frozen(eq=False)
class _Number:
    """Stands for a number among the arguments that only the program knows."""

    kind: type
    place: int


@frozen(eq=False)
class _Place:
    """Stands for a tensor among the arguments."""

    place: int


def _called(function: Callable[..., Any], like: Callable[..., Any] | None, *args: Any, **kwargs: Any) -> Any:
    """Return the results of an island as tensors of the program.

    Raises:
        CaptureError E460: its results cannot be told, or are no tensors.
    """
    trace = active_trace()
    library: Any = trace.root.library
    assert library is not None, "a module is captured"
    title = _title(function)
    recording = records()
    operands: list[Any] = []
    learnt: list[int] = []
    """Operands that a gradient goes to."""
    unroll(trace, (args, kwargs))
    leaves, spec = pytree.tree_flatten((args, kwargs))
    template: list[Any] = []
    for leaf in leaves:
        if isinstance(leaf, torch.Tensor):
            face = trace.lifted(leaf)
            if recording and is_float(face.array.dtype) and library.requires_grad(trace, face):
                learnt.append(len(operands))
            template.append(_Place(len(operands)))
            operands.append(face.array.operand())
        elif type(leaf) is Symbol:
            template.append(_Number(float if leaf.weak is float else leaf.weak or int, len(operands)))
            operands.append(leaf.operand())
        else:
            template.append(int(leaf) if is_symbolic(leaf) else leaf)
    count = len(operands)
    parameters = [one for one in _parameters(trace, function) if one.requires_grad] if recording else []
    for parameter in parameters:
        learnt.append(len(operands))
        operands.append(trace.lifted(parameter).array.operand())
    body = _Body(function, title, template, spec, count, parameters, learnt, recording)
    kinds = [_exact(type_of(one)) for one in operands[:count]]
    with as_torch():
        shown = _example_results(trace, body, like, kinds, title)
    outputs, body.results = pytree.tree_flatten(shown)
    body.nothing = tuple(number for number, leaf in enumerate(outputs) if leaf is None)
    tensors = [leaf for leaf in outputs if leaf is not None]
    strange = next((leaf for leaf in tensors if not isinstance(leaf, torch.Tensor)), None)
    if strange is not None:
        raise _refused(trace, f"{title} returns a {type(strange).__name__}, known only in a call", "return a tensor")
    kinds_given = [TensorType(tuple(one.shape), dtype_of(one.dtype)) for one in tensors]
    body.floats = sum(is_float(kind.dtype) for kind in kinds_given)
    results = bind(call_op(title, Callee(body), kinds_given), *operands)
    recorded = bool(learnt) and like is None
    whole = iter([_faced(trace, *each, recorded) for each in zip(results, tensors, strict=False)])
    return pytree.tree_unflatten([None if leaf is None else next(whole) for leaf in outputs], body.results)


def _faced(trace: Recording, value: Value, seen: torch.Tensor, recorded: bool) -> TracedTensor:
    """Return a result as a tensor of the program, without a history where PyTorch records none."""
    if recorded and not seen.requires_grad and is_float(type_of(value).dtype):
        value = stop_gradient(value)
    return TracedTensor(Symbol.of(trace, value))


def _title(function: Any) -> str:
    if isinstance(function, torch.nn.Module):
        return f"the island {type(function).__name__}"
    of_python = isinstance(getattr(function, "__func__", function), types.FunctionType)
    name = getattr(function, "__qualname__" if of_python else "__name__", type(function).__name__)
    return f"the island {name.rpartition('<locals>.')[2]}"


def _exact(kind: TensorType) -> TensorType:
    return kind.with_shape(tuple(map(int, kind.shape)))


def _refused(trace: Recording, what: str, help: str) -> CaptureError:
    return trace.refusal("E460", what, help=help)


def _module_of(function: Any) -> torch.nn.Module | None:
    owner = function if isinstance(function, torch.nn.Module) else getattr(function, "__self__", None)
    return owner if isinstance(owner, torch.nn.Module) else None


def _parameters(trace: Recording, function: Any) -> list[torch.nn.Parameter]:
    """Return the parameters of an island's module, on whose being those the program depends from now on."""
    module = _module_of(function)
    if module is None:
        return []
    world = trace.root.world
    for part in () if isinstance(module, torch.jit.ScriptModule) else module.modules():
        for table in (part._parameters, part._modules):
            for key, one in table.items():
                world.read(Item(table, key), one, key, whole=False)
            world.read(Length(table), len(table), "len", whole=False)
    return list(module.parameters())


def _example_results(
    trace: Recording, body: _Body, like: Callable[..., Any] | None, kinds: Sequence[TensorType], title: str
) -> Any:
    """Return tensors like the results of an island."""
    numbers = torch.Generator().manual_seed(0)
    arrays = [_sample(kind, numbers) for kind in kinds]
    function = like or _copied(body.function)
    leaves = [one.requires_grad_(number in body.learnt) for number, one in enumerate(arrays)]
    try:
        with torch.random.fork_rng(devices=()), torch.set_grad_enabled(body.recording and like is None):
            output = body.call(function, leaves)
    except Exception as error:
        let_through(error)
        shown = ", ".join(map(str, kinds))
        raise _refused(
            trace,
            f"{title} was called on ({shown}) to see its results, and raised {type(error).__name__}: {error}",
            "give island(..., like=f), where f(same arguments) returns tensors like the results",
        ) from error
    if body.recording and like is None:
        body.check(pytree.tree_leaves(output), leaves, function)
    return output


def _sample(kind: TensorType, numbers: torch.Generator) -> torch.Tensor:
    if is_float(kind.dtype):
        ones = torch.rand(tuple(kind.shape), generator=numbers)
        return ones.to(as_tensor(numpy.empty(0, kind.dtype)).dtype)
    return as_tensor(numpy.zeros(kind.shape, kind.dtype))


def _copied(function: Any) -> Any:
    """Return a copy of an island's module, which may keep what it sees; functions are what they are."""
    module = _module_of(function)
    if module is None:
        return function
    try:
        twin = copy.deepcopy(module)
    except Exception as error:  # what cannot be copied is called itself
        let_through(error)
        return function
    return twin if module is function else function.__func__.__get__(twin)


class _Body:
    """An island with its arguments that are no tensors, as programs call it."""

    def __init__(
        self,
        function: Callable[..., Any],
        title: str,
        leaves: Sequence[Any],
        spec: Any,
        count: int,
        parameters: Sequence[torch.nn.Parameter],
        learnt: Sequence[int],
        recording: bool,
    ) -> None:
        """`leaves` are the leaves of the arguments, with places of `count` operands; `parameters` are more of these."""
        self.function, self.title = function, title
        self._leaves, self._spec, self._count = leaves, spec, count
        self._parameters = parameters
        self.learnt = learnt
        self.recording = recording
        self.keeps = bool(learnt)
        self.operands = count + len(parameters)
        """The number of operands."""
        self.floats = 0
        """The number of results that are floats."""
        self.results: Any = None
        """The structure of the results."""
        self.nothing: tuple[int, ...] = ()
        """Those of them that are None."""
        self._gradients: dict[tuple[int, ...], Callee] = {}

    def call(self, function: Callable[..., Any], leaves: Sequence[torch.Tensor]) -> Any:
        """Return what a function gives for tensors in the places of the arguments."""

        def argument(leaf: Any) -> Any:
            if type(leaf) is _Place:
                return leaves[leaf.place]
            return leaf.kind(leaves[leaf.place].item()) if type(leaf) is _Number else leaf

        args, kwargs = pytree.tree_unflatten(list(map(argument, self._leaves)), self._spec)
        return function(*args, **kwargs)

    def check(self, results: Sequence[Any], leaves: Sequence[torch.Tensor], function: Any) -> None:
        """Look for tensors with gradients that the program does not know of.

        Raises:
            StateError E575: there are some.
        """
        module = _module_of(function)
        known = {id(one) for one in (*leaves, *self._parameters, *(() if module is None else module.parameters()))}
        todo = [one.grad_fn for one in results if isinstance(one, torch.Tensor) and one.grad_fn is not None]
        nodes = set(todo)
        while todo:
            node = todo.pop()
            variable = getattr(node, "variable", None)
            if variable is not None and id(variable) not in known and variable.is_leaf:
                raise StateError(
                    "E575",
                    f"{self.title} computes with a tensor of sizes {list(variable.shape)} that has a gradient, "
                    f"and is none of its arguments",
                    help="pass it as an argument, or make the module that holds it the island",
                )
            for following, _ in node.next_functions:
                if following is not None and following not in nodes:
                    nodes.add(following)
                    todo.append(following)

    # -------------------------------------------------------------------------------------- what programs call

    def leaves(self, operands: Sequence[NDArray[Any]]) -> list[torch.Tensor]:
        """Return tensors of its own for the operands; parameters are themselves."""
        tensors = [as_tensor(numpy.array(one)) for one in operands[: self._count]]
        for number in self.learnt:
            if number < self._count:
                tensors[number].requires_grad_()
        return [*tensors, *self._parameters]

    def tensors(self, leaves: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Return the results for leaves.

        Raises:
            StateError E574: they have another structure; E576: an argument was written.
        """
        versions = [one._version for one in leaves[: self._count]]
        outputs, spec = pytree.tree_flatten(self.call(self.function, leaves))
        if [one._version for one in leaves[: self._count]] != versions:
            raise StateError("E576", f"{self.title} writes to its argument", help="write to a copy: x = x.clone()")
        nothing = tuple(number for number, leaf in enumerate(outputs) if leaf is None)
        tensors = [leaf for leaf in outputs if isinstance(leaf, torch.Tensor)]
        if spec != self.results or nothing != self.nothing or len(tensors) + len(nothing) != len(outputs):
            raise StateError(
                "E574",
                f"{self.title} returned {spec}, but {self.results} when the program was captured",
                help="sizes and dtypes of its results must follow from those of its arguments",
            )
        return tensors

    def run(self, operands: foreign.Arrays) -> tuple[foreign.Arrays, Any]:
        """Call it."""
        leaves = self.leaves(operands)
        with torch.set_grad_enabled(self.recording):
            tensors = self.tensors(leaves)
        if self.recording:
            self.check(tensors, leaves, self.function)
        results = [as_memory(one.detach().contiguous()) for one in tensors]
        return results, _Recorded(leaves, tensors) if self.keeps else None

    def recorded(self, operands: Sequence[NDArray[Any]]) -> _Recorded:
        """Compute it once more: nothing is left of the call."""
        leaves = self.leaves(operands)
        return _Recorded(leaves, self.tensors(leaves))

    def gradient(self, wanted: tuple[int, ...]) -> Callee:
        """Return the function that gives cotangents of operands."""
        return self._gradients.setdefault(wanted, Callee(_Backward(self, wanted)))


@frozen(eq=False)
class _Recorded:
    """Results in PyTorch's graph, and the leaves that they are computed from."""

    leaves: Sequence[Any]
    tensors: Sequence[torch.Tensor]


class _Backward:
    """The cotangents of operands of another function."""

    keeps = False

    def __init__(self, of: _Body | _Backward, wanted: tuple[int, ...]) -> None:
        self._of, self._wanted = of, wanted
        heads = int(of.floats) + of.keeps
        self.operands: int = heads + of.operands
        """The number of operands: cotangents, a ticket, and those of the other function."""
        self.floats: int = len(wanted)
        """The number of results, which are floats."""
        self.learnt: Sequence[int] = (*range(of.floats), *(heads + k for k in of.learnt))
        self._gradients: dict[tuple[int, ...], Callee] = {}

    def recorded(self, operands: Sequence[NDArray[Any]]) -> _Recorded:
        """Compute it as a part of PyTorch's graph."""
        return self._computed(operands, True)

    def _computed(self, operands: Sequence[NDArray[Any]], create_graph: bool) -> _Recorded:
        below = len(operands) - self._of.operands
        ticket, under = operands[below - 1] if self._of.keeps else None, operands[below:]
        with torch.enable_grad():
            record = None if ticket is None else foreign.kept_by(int(ticket))
            if record is None:
                record = self._of.recorded(under)
            floats = [one for one in record.tensors if one.is_floating_point()]
            heads = [as_tensor(numpy.array(one)).requires_grad_(create_graph) for one in operands[: len(floats)]]
            pairs = [(y, g) for y, g in zip(floats, heads, strict=True) if y.requires_grad]
            sources = [record.leaves[k] for k in self._wanted]
            inputs = [one for one in sources if one.requires_grad]
            gradients: list[Any] = [None] * len(inputs)
            if pairs and inputs:
                outputs, cotangents = zip(*pairs, strict=True)
                gradients = list(
                    torch.autograd.grad(
                        outputs, inputs, cotangents, retain_graph=True, create_graph=create_graph, allow_unused=True
                    )
                )
        rest = iter(gradients)
        tensors = [next(rest) if one.requires_grad else None for one in sources]
        whole = [torch.zeros_like(one) if g is None else g for one, g in zip(sources, tensors, strict=True)]
        extra = [] if ticket is None else [as_tensor(numpy.array(ticket))]
        return _Recorded([*heads, *extra, *record.leaves], whole)

    def run(self, operands: foreign.Arrays) -> tuple[foreign.Arrays, Any]:
        """Run PyTorch's backward pass."""
        tensors = self._computed(operands, False).tensors
        return [as_memory(one.detach().contiguous()) for one in tensors], None

    def gradient(self, wanted: tuple[int, ...]) -> Callee:
        """Return the function that gives cotangents of its operands."""
        return self._gradients.setdefault(wanted, Callee(_Backward(self, wanted)))
