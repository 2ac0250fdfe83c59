# SPDX-License-Identifier: Apache-2.0
"""Gradients that a captured function asks for itself: `loss.backward()`, `torch.autograd.grad`, `x.grad`.

The graph that is being captured is the tape: a backward pass goes along its nodes, and adds those of the gradients. So
a whole training step is one program, and so are forces that a module computes as gradients of its energy.

`x.grad` of a tensor from outside is state of the program: it is set as each call ends. A gradient that is there before
is only looked at for whether it is there, until somebody computes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import torch

from hybridize import ops
from hybridize.array.symbol import Symbol
from hybridize.base import modes
from hybridize.base.dtypes import is_float
from hybridize.base.errors import CaptureError
from hybridize.capture.gradients.sweep import Producer, TraceSweep
from hybridize.capture.trace.recording import Recording, active_trace
from hybridize.contract.captured import SideEffect
from hybridize.contract.guards import Guard, Test
from hybridize.contract.places import Attribute, Refer
from hybridize.graph import Node, Value
from hybridize.ops import Cast, full
from hybridize.ops.library.histories import with_gradient_of
from hybridize.ops.op import Operand, bind1
from hybridize.torch.internals import as_torch
from hybridize.torch.tensors import TracedTensor


class NotRecorded(CaptureError):
    """A backward pass where the capture remembers no history, as the function is called without gradients."""


class OwnPasses:
    """The backward passes of one capture, and what they write."""

    def __init__(self) -> None:
        self.passed: bool = False
        """True if a pass has written gradients: then what the function gives has no history, as after it in torch."""
        self.written: dict[Value, Any] = {}
        """Leaves that were written under `no_grad`, by the values that they have been since."""
        self._kept: dict[Value, Value] = {}
        """For values of tensors that were written without a history: those whose history they keep."""
        self.leaves: dict[Value, Any] = {}
        """Tensors of the program that were made leaves, by `requires_grad_()`."""
        self._views: list[tuple[Symbol, Any]] = []
        """Of views of what is there before the call that were: they, what they are of, and what these held then."""
        self.states: dict[tuple[int, int], dict[str, Any]] = {}
        """State of optimizers as the program has left it, by the identities of optimizer and parameter."""
        self.kept: set[int] = set()
        """Tensors from outside that are the state of an optimizer, by identity."""
        self.stepping: list[Any] = []
        """Copies of optimizers that steps of the program work on."""
        self.settings: dict[int, Any] = {}
        """Feeds that compare all that updates depend on, by the identity of the optimizer."""
        self.rates: dict[int, Any] = {}
        """Rates that a schedule has set by what the program computes, by the identity of the group of parameters."""
        self.scaled: dict[int, dict[int, Any]] = {}
        """Scalers of gradients that have been used since their last update, and for which optimizers."""
        self._grads: dict[int, tuple[Any, Any]] = {}
        """`x.grad` as the program has set it, by the identity of `x`, which it keeps."""
        self._met: dict[int, tuple[Any, Any]] = {}
        """`x.grad` as it was before the call."""
        self.flags: dict[int, tuple[torch.Tensor, bool]] = {}
        """`x.requires_grad` of tensors from outside as the program has set it, by the identity of `x`."""
        self._cut: dict[Any, tuple[Any, Any]] = {}
        """By the cells of those: the values that stand for them since, and what is in their memory."""

    # ------------------------------------------------------------------------------------------------------ x.grad

    def grad(self, trace: Recording, of: Any) -> Any:
        """Return `of.grad`: a tensor of the program, or None."""
        owner = _known_owner(trace, of)
        known = self._grads.get(id(owner)) or self._met.get(id(owner))
        if known is not None:
            return known[1]
        if isinstance(owner, TracedTensor):  # nobody has set it
            return None
        with as_torch():
            before = owner.grad
        place = Attribute(owner, "grad")
        if place.key not in trace.root.world.guards:
            trace.root.world.guards[place.key] = Guard(place, _IsThere(before is not None), trace.root.location())
        face = None if before is None else TracedTensor.later(lambda: _looked_at(trace, owner, before), before)
        self._met[id(owner)] = owner, face
        return face

    def set_grad(self, trace: Recording, of: Any, value: Any) -> None:
        """Set `of.grad`.

        Raises:
            CaptureError E422: where data decides whether it is set.
            RuntimeError, TypeError: in torch's words.
        """
        owner = _known_owner(trace, of)
        if value is not None:
            value = trace.lifted(value)
            if not isinstance(value, TracedTensor):
                raise TypeError(f"assigned grad expected to be a Tensor or None but got {type(value).__name__}")
            theirs, mine = value.array.type, trace.lifted(of).array.type
            if theirs != mine:
                raise RuntimeError(f"assigned grad is {theirs}, of a tensor that is {mine}")
        self._check_depth(trace, "x.grad is set")
        self._grads[id(owner)] = owner, value

    def finish(self, trace: Recording) -> None:
        """Let each call leave the gradients that there are as the function ends.

        Raises:
            CaptureError E422: a view that was made a leaf was written, or what it is of.
        """
        if any(symbol.operand() is not before for symbol, before in self._views):
            raise trace.refusal(
                "E422",
                "a view on which requires_grad_() was called is written to later, or its base is",
                help="write x = x.detach().requires_grad_()",
            )
        for cell, (value, memory) in self._cut.items():
            cell.value = memory if cell.value is value else cell.value  # where nothing was written
        for owner, flag in self.flags.values():
            if owner.requires_grad is not flag:
                trace.root.world.effects.append(SideEffect(owner.requires_grad_, (flag,)))
        left = [(owner, value) for owner, value in self._grads.values() if not isinstance(owner, TracedTensor)]
        left = [one for one in left if self._met.get(id(one[0]), (None, self))[1] is not one[1]]
        if left:
            owners, values = map(tuple, zip(*left, strict=True))
            trace.root.world.effects.append(SideEffect(LeftGradients(owners), (values,)))
        if self.passed:
            return
        library: Any = trace.root.library
        for entry in trace.root.inputs.entries:  # torch keeps the history with the tensor, which stays outside
            symbol = entry.symbol
            if symbol.weak is not None or symbol._cell.value is entry.value or not is_float(symbol.dtype):
                continue
            tensor = library.tensor(entry.array)
            is_leaf = entry.value in library.flagged or (tensor is not None and tensor.is_leaf and tensor.requires_grad)
            if is_leaf or symbol.operand() in self._kept:
                with modes.mode(recording=False):
                    symbol.write(ops.stop_gradient(symbol.operand()))

    # ------------------------------------------------------------------------------------------------------ leaves

    def keep(self, base: Symbol, before: Value, owner: Any) -> None:
        """Hear that a tensor was written while torch records nothing: it keeps the history that it had.

        Args:
            base: the tensor, which holds the new value.
            before: the value that it had.
            owner: the tensor from outside that it is, where it is a leaf.
        """
        operand = with_gradient_of(before, base.operand())
        with modes.mode(recording=False):
            base.write(operand)
        value = base.operand()
        assert isinstance(value, Value), "it is recorded"
        self._kept[value] = self._kept.get(before, before)
        if owner is not None:
            self.written[value] = owner

    def set_data(self, trace: Recording, target: Any, source: Any) -> None:
        """Let a tensor have the value of another one: what was made as a view of it before is one of the old value.

        Raises:
            CaptureError E422: in a branch or loop that depends on data.
        """
        self._check_depth(trace, "x.data is set")
        library: Any = trace.root.library
        symbol = target.array
        before = symbol.operand()
        leaf = library.leaf(trace, symbol)
        has_history = trace.differentiated and is_float(symbol.dtype)
        keeps = has_history and (leaf is not None or library.is_live(trace, before))
        value = source.array.operand()
        trace.root.inputs.rebind(symbol, ops.stop_gradient(value) if has_history else value)
        if keeps:
            self.keep(symbol, before, leaf)

    def set_flag(self, trace: Recording, face: TracedTensor, flag: bool) -> None:
        """Set `requires_grad` of a leaf: what is computed of it from now on has a gradient or none.

        Raises:
            RuntimeError: it is no leaf; in torch's words.
            CaptureError E422: in a branch or loop that depends on data.
        """
        self._check_depth(trace, "requires_grad_() is called")
        symbol, owner = face.array.base, _known_owner(trace, face)
        if not self.is_leaf(trace, owner):
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in "
                "a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            )
        now = symbol.operand()
        if isinstance(owner, TracedTensor):
            del self.leaves[now]
            face.array = face.array.view_by(ops.StopGradient())
            return
        self.flags[id(owner)] = owner, flag
        value, memory = self._cut.get(symbol._cell, (now, now))
        entry = trace.root.inputs.of_cell(symbol._cell)
        assert entry is not None, "it is there before the call"
        operand = with_gradient_of(entry.value, now) if flag else ops.stop_gradient(now)
        with modes.mode(recording=False):
            symbol.write(operand)
        self._cut[symbol._cell] = symbol.operand(), memory if value is now else now
        if flag:
            self._kept[symbol.operand()] = entry.value

    def require(self, trace: Recording, face: TracedTensor) -> Value:
        """Make a tensor of the program a leaf, and return its value.

        Raises:
            CaptureError E422: it is there before the call, which leaves what it requires outside as it is.
        """
        entry = trace.root.inputs.of_cell(face.array._cell)
        if entry is not None and entry.position >= 0 and face.array.is_whole and face.array.operand() is entry.value:
            argument: Value = entry.value
            return argument  # within the call: the caller's tensor stays as it is
        view = face.array
        is_view = face.of is None and view._view
        if view.exists and not is_view and not view.has_step(ops.StopGradient):
            raise trace.refusal(
                "E422",
                "requires_grad_() of a tensor that existed before the call",
                help="call it before the compiled function, or write x = x.detach().requires_grad_()",
            )
        value = _of_its_own(view.operand())
        face.array = Symbol.of(trace, value)
        if view.exists and is_view:
            self._views += [(view.base, view.base.operand()), (face.array, value)]
        self.leaves[value] = face
        return value

    def is_leaf(self, trace: Recording, of: Any) -> bool:
        """Tell whether a tensor is a leaf of graphs."""
        face = trace.lifted(of)
        if face.of is not None:
            trace.root.world.read(Attribute(face.of, "is_leaf"), face.of.is_leaf, whole=False)
            return bool(face.of.is_leaf)
        if not face.requires_grad or face.array.operand() in self.leaves:
            return True
        library: Any = trace.root.library
        argument = library.argument_of(trace, face)
        return argument is not None and bool(argument.is_leaf)

    def as_leaf(self, face: TracedTensor) -> tuple[bool, bool] | None:
        """Tell of a tensor that the program made a leaf whether it is a parameter, and whether it has a gradient; None
        of all others.
        """
        is_parameter = face.of is None and bool(vars(face).get("_is_param"))
        has_gradient = any(one is face for one in self.leaves.values())
        return (is_parameter, has_gradient) if is_parameter or has_gradient else None

    def check_leaves(self, results: Sequence[TracedTensor]) -> bool:
        """Tell whether the program returns leaves that it made.

        Raises:
            CaptureError E422: another result is computed from one, to which its gradient would have to go.
        """
        leaves = [face for face in results if self.as_leaf(face) is not None]
        if not leaves or self.passed:
            return bool(leaves)
        trace = active_trace()
        library: Any = trace.root.library
        live = library.live(trace, {face.array.operand() for face in leaves}) if trace.differentiated else set()
        if any(face.array.operand() in live for face in results if self.as_leaf(face) is None):
            raise trace.refusal(
                "E422",
                "a result is computed from another one, which is a leaf: nn.Parameter(x) or requires_grad_() of "
                "what the call computes",
                help="create the leaf outside from the result of the call, or compute the other results from "
                "x.detach()",
            )
        return True

    # ---------------------------------------------------------------------------------------------- backward passes

    def backward(
        self, trace: Recording, heads: Sequence[Any], cotangents: Sequence[Any], inputs: Any, *, create: bool
    ) -> None:
        """Add gradients to `x.grad` of the leaves that the heads are computed from, or of `inputs`."""
        self._check_depth(trace, "backward() is called")
        leaves = self._leaves_of(trace)
        if inputs is not None:
            identities = {id(_owner(one)) for one in _listed(inputs)}
            leaves = {value: owner for value, owner in leaves.items() if id(_owner(owner)) in identities}
        arrived = self._gradients(trace, heads, cotangents, list(leaves), create=create)
        totals: dict[int, tuple[Any, Operand]] = {}
        for value, owner in leaves.items():
            gradient = arrived.get(value)
            if gradient is None:
                continue
            gradient = self._hooked(trace, owner, gradient)
            if owner is None:
                raise self._reaching(trace, value)
            before = totals.get(id(_owner(owner)))
            total = gradient if before is None else ops.add(before[1], gradient)
            totals[id(_owner(owner))] = _owner(owner), total
        self.passed = True
        with torch.no_grad():
            for owner, gradient in totals.values():
                known = self.grad(trace, owner)
                face = TracedTensor(Symbol.of(trace, gradient))
                if known is None:
                    self.set_grad(trace, owner, face)
                elif create:
                    self.set_grad(trace, owner, known + face)
                else:
                    known.add_(face)
                for hook in self._hooks(trace, owner, "_post_accumulate_grad_hooks"):
                    trace.convert(hook)(trace.lifted(owner))

    def _reaching(self, trace: Recording, argument: Value) -> CaptureError:
        """Return the error for a backward pass that reaches an argument: programs have to know that by its identity.

        Of one that the function itself says `requires_grad_()` of, the caller's tensor stays as it is.
        """
        library: Any = trace.root.library
        entry = next(entry for entry in trace.root.inputs.entries if entry.value is argument)
        library.argument_of(trace, TracedTensor(entry.symbol))
        return trace.refusal(
            "E422",
            "backward() inside a compiled function reaches one of its arguments, which requires a gradient",
            help="pass x.detach(), or compute the gradient with torch.autograd.grad(loss, x)",
        )

    def _hooked(self, trace: Recording, owner: Any, gradient: Operand) -> Operand:
        """Return the gradient of a leaf as its hooks make it."""
        for hook in self._hooks(trace, owner, "_backward_hooks"):
            replacement = trace.convert(hook)(TracedTensor(Symbol.of(trace, gradient)))
            if replacement is not None:
                gradient = trace.lifted(replacement).array.operand()
        return gradient

    def _hooks(self, trace: Recording, owner: Any, name: str) -> list[Callable[..., Any]]:
        """List the hooks that a tensor from outside has, and depend on which they are."""
        if not isinstance(owner, torch.Tensor) or isinstance(owner, TracedTensor):
            return []
        with as_torch():
            hooks = getattr(owner, name)
        world, place = trace.root.world, Attribute(owner, name)
        if place.key not in world.guards:
            world.guards[place.key] = Guard.on(place, hooks, trace.root.location())
        if hooks is None:
            return []
        world.know(hooks)
        world.read_content(hooks, name)
        return list(hooks.values())

    def gradients(
        self, trace: Recording, heads: Sequence[Any], wanted: Sequence[Any], cotangents: Sequence[Any], *, create: bool
    ) -> list[Any]:
        """Return gradients of `heads` with respect to `wanted`; None for one that they are not computed from."""
        values = [self._value_of(trace, one) for one in wanted]
        arrived = self._gradients(trace, heads, cotangents, values, create=create)
        owners = [_owner(trace.lifted(one)) for one in wanted]
        gradients = [arrived.get(value) for value in values]
        gradients = [
            None if one is None else self._hooked(trace, owner, one)
            for one, owner in zip(gradients, owners, strict=True)
        ]
        return [None if one is None else TracedTensor(Symbol.of(trace, one)) for one in gradients]

    def _gradients(
        self, trace: Recording, heads: Sequence[Any], cotangents: Sequence[Any], wanted: list[Value], *, create: bool
    ) -> dict[Value, Operand]:
        if not trace.differentiated:
            raise NotRecorded("E422", "gradients are asked for inside of a function that is called without")
        started = [
            (face.array.operand(), _cotangent(trace, face, one)) for face, one in zip(heads, cotangents, strict=True)
        ]
        for number, (value, face) in enumerate(zip([one for one, _ in started], heads, strict=True)):
            if not face.requires_grad:
                raise RuntimeError(f"element {number} of tensors does not require grad and does not have a grad_fn")
            assert isinstance(value, Value), "a constant has no gradient"
        tape = _Tape(trace)
        sweep = TraceSweep(tape, trace, [value for value, _ in started], wanted, anew=True)
        with modes.mode(recording=create):
            arrived = sweep.run(started)
            return {value: arrived[value] for value in wanted if value in arrived}

    def _leaves_of(self, trace: Recording) -> dict[Value, Any]:
        """Return all leaves by the values that they are or were; None stands for an argument."""
        library: Any = trace.root.library
        leaves: dict[Value, Any] = dict.fromkeys(library.flagged)
        leaves.update((value, tensor) for value, tensor in library.held(trace) if library.flag(trace, tensor))
        leaves |= self.leaves
        return {value: one for value, one in leaves.items() if self.flags.get(id(_owner(one)), (one, True))[1]}

    def _value_of(self, trace: Recording, x: Any) -> Value:
        """The value that stands for a tensor with respect to which a gradient is asked.

        Raises:
            RuntimeError: it has none; in torch's words.
            CaptureError E422: it is a view, whose elements are those of another tensor.
        """
        face = trace.lifted(x)
        if not isinstance(face, TracedTensor):
            raise TypeError(f"gradients are asked with respect to {type(x).__name__}, which is no tensor")
        if not face.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
        if face.array._view:
            raise trace.refusal(
                "E422",
                "a gradient with respect to a view of another tensor",
                help="differentiate by the base tensor, or compute with x.clone()",
            )
        value = face.array.operand()
        assert isinstance(value, Value), "a constant has no gradient"
        return self._kept.get(value, value)

    def _check_depth(self, trace: Recording, what: str) -> None:
        if trace.depth:
            raise trace.refusal(
                "E422",
                f"{what} in a branch or loop that depends on data",
                help="move it after the branch or loop, or use torch.autograd.grad inside",
            )


CURRENT: ContextVar[OwnPasses] = ContextVar("backward passes of the capture")


@contextmanager
def capturing() -> Iterator[OwnPasses]:
    """Let backward passes be those of a new capture."""
    passes = OwnPasses()
    before = CURRENT.set(passes)
    try:
        yield passes
    finally:
        CURRENT.reset(before)


class _Tape:
    """The graph that is being captured, as a backward pass goes along it."""

    def __init__(self, trace: Recording) -> None:
        self.leaves: dict[Value, tuple[Any, Recording]] = {}
        self.nodes: dict[Value, Producer] = {}
        scope: Any = trace
        while scope is not None:
            for number, node in enumerate(scope.builder.nodes):
                producer = Producer(number, node, scope)
                self.nodes.update((value, producer) for value in node.outputs if is_float(value.type.dtype))
            scope = scope.parent

    def check(self, node: Node) -> None:
        """Nothing is ever freed: values do not change."""


class _IsThere(Test):
    """Something, or nothing, as it was; not what."""

    __slots__ = ()

    def holds(self, now: Any) -> bool:
        return (now is not None) is self.value

    def check(self, now: str, refer: Refer) -> str:
        return f"({now} is {'not ' if self.value else ''}None)"


def _looked_at(trace: Recording, owner: Any, before: torch.Tensor) -> Any:
    """Depend on which tensor a gradient is, and return its symbol."""
    world, place = trace.root.world, Attribute(owner, "grad")
    world.guards[place.key] = Guard.on(place, before, trace.root.location())
    return trace.lifted(before).array


def _owner(of: Any) -> Any:
    """The tensor from outside that a face is of, else the face."""
    return of.of if type(of) is TracedTensor and of.of is not None else of


def _known_owner(trace: Recording, of: Any) -> Any:
    """The same, where an argument is the caller's tensor, which programs then know by its identity."""
    owner, library = _owner(of), trace.root.library
    argument = library.argument_of(trace, owner) if type(owner) is TracedTensor else None  # type: ignore[union-attr]
    return owner if argument is None else argument


def _listed(x: Any) -> list[Any]:
    return [x] if isinstance(x, torch.Tensor) or not isinstance(x, Iterable) else list(x)


def _of_its_own(value: Any) -> Value:
    """Return a value that nothing else is."""
    copy = bind1(Cast(ops.type_of(value).dtype), value)
    assert isinstance(copy, Value), "it is recorded"
    return copy


class LeftGradients:
    """The effect of a call that sets gradients of tensors from outside."""

    def __init__(self, owners: tuple[torch.Tensor, ...]) -> None:
        self.owners = owners

    @property
    def places(self) -> list[Attribute]:
        """The places that are set."""
        return [Attribute(owner, "grad") for owner in self.owners]

    def __call__(self, values: Sequence[torch.Tensor | None]) -> None:
        """Set them."""
        for owner, value in zip(self.owners, values, strict=True):
            owner.grad = value


def _cotangent(trace: Recording, head: TracedTensor, grad: Any) -> Operand:
    kind = head.array.type
    if grad is None:
        if head.numel() != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        return full(1, kind)
    grad = trace.lifted(grad)
    if tuple(grad.shape) != tuple(kind.shape):
        raise RuntimeError(
            f"Mismatch in shape: grad_output[0] has a shape of {grad.shape} and output[0] has a shape of {head.shape}."
        )
    operand: Operand = grad.array.operand()
    return operand


# ------------------------------------------------------------------------------------------------------- torch's names


def _tensors(trace: Recording, tensors: Any) -> list[Any]:
    faces = [trace.lifted(one) for one in _listed(tensors)]
    for one in faces:
        if not isinstance(one, TracedTensor):
            raise TypeError(f"gradients are asked of {type(one).__name__}, which is no tensor")
    return faces


def _cotangents(gradients: Any, count: int) -> list[Any]:
    cotangents = [None] * count if gradients is None else _listed(gradients)
    if len(cotangents) != count:
        raise RuntimeError(f"got {count} tensors and {len(cotangents)} gradients")
    return cotangents


def _tensor_backward(
    trace: Recording,
    self: Any,
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    _backward(trace, self, gradient, retain_graph, create_graph, inputs=inputs)


def _backward(
    trace: Recording,
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    heads = _tensors(trace, tensors)
    gradients = grad_tensors if grad_variables is None else grad_variables
    CURRENT.get().backward(trace, heads, _cotangents(gradients, len(heads)), inputs, create=create_graph)


def _grad(
    trace: Recording,
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    if is_grads_batched:
        raise CaptureError("E422", "autograd.grad(is_grads_batched=True) cannot be compiled", help="call it in a loop")
    heads, wanted = _tensors(trace, outputs), _tensors(trace, inputs)
    gradients = CURRENT.get().gradients(
        trace, heads, wanted, _cotangents(grad_outputs, len(heads)), create=create_graph
    )
    for number, (gradient, of) in enumerate(zip(gradients, wanted, strict=True)):
        if gradient is None:
            if materialize_grads:
                gradients[number] = torch.zeros_like(of)
            elif not allow_unused:
                raise RuntimeError(
                    "One of the differentiated Tensors appears to not have been used in the graph. Set "
                    "allow_unused=True if this is the desired behavior."
                )
    return tuple(gradients)


def _requires_grad(trace: Recording, self: Any, requires_grad: bool = True) -> Any:
    face = trace.lifted(self)
    if bool(requires_grad) == face.requires_grad:
        return self
    passes, library = CURRENT.get(), trace.root.library
    if not requires_grad or (face.of is not None and id(face.of) in passes.flags):
        passes.set_flag(trace, face, bool(requires_grad))
    else:
        library.flagged.add(passes.require(trace, face))  # type: ignore[union-attr]
    return self


def _set_data(trace: Recording, self: Any, value: Any) -> None:
    """Set `x.data` to what the program has made; views of what `x` was before stay with that.

    Raises:
        CaptureError E401: to a tensor that is there before the call, whose memory `x` would share, or of another type;
            E422: in a branch or loop that depends on data.
    """
    target, source = trace.lifted(self), trace.lifted(value)
    if isinstance(source, TracedTensor):
        if source.array._cell is target.array._cell and source.array.type == target.array.type:
            return  # `x.data -= y`, which has been done
        known = trace.root.inputs.of_cell(target.array._cell)
        is_alone = target.array.is_whole if known is None else known.symbol is target.array
        if not source.array.exists and source.array.type == target.array.type and is_alone:
            CURRENT.get().set_data(trace, target, source)
            return
    raise trace.refusal(
            "E401", "x.data is set to a tensor that existed before the call, or that has another type",
            help="write to the tensor: x.data.copy_(value)",
        )  # fmt: skip


def clear(trace: Recording, tensors: Iterable[Any], set_to_none: bool = True) -> None:
    """Set the gradients of tensors to None, whatever they are, or those that there are to 0."""
    passes = CURRENT.get()
    for one in list(tensors):
        if set_to_none:
            passes.set_grad(trace, one, None)
        elif (grad := passes.grad(trace, one)) is not None:
            with torch.no_grad():
                grad.zero_()


_GRAD: Any = torch.Tensor.grad
_DATA: Any = torch.Tensor.data
_IS_LEAF: Any = torch.Tensor.is_leaf
_REQUIRES_GRAD: Any = torch.Tensor.requires_grad
CALLS: dict[Any, Callable[..., Any]] = {
    torch.Tensor.backward: _tensor_backward,
    torch.autograd.backward: _backward,
    torch.autograd.grad: _grad,
    torch.Tensor.requires_grad_: _requires_grad,
    _DATA.__set__: _set_data,
    _GRAD.__get__: lambda trace, self, *_: CURRENT.get().grad(trace, self),
    _IS_LEAF.__get__: lambda trace, self, *_: CURRENT.get().is_leaf(trace, self),
    _GRAD.__set__: lambda trace, self, value: CURRENT.get().set_grad(trace, self, value),
    _GRAD.__delete__: lambda trace, self: CURRENT.get().set_grad(trace, self, None),
    _REQUIRES_GRAD.__set__: _requires_grad,
    torch.nn.Module.zero_grad: lambda trace, module, *args, **kwargs: clear(
        trace, module.parameters(), *args, **kwargs
    ),
}
"""Calls that a program makes in the place of torch's functions, which get the recording first."""
