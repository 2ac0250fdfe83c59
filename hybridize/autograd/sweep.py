# SPDX-License-Identifier: Apache-2.0
"""The backward pass: from the newest node to the oldest, by the ops' own rules.

Nodes are numbered as they are made and have edges only to older ones, so the order needs no search. Gradients of
variables are collected and written at the end: where something fails on the way, every buffer is as it was.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.array.buffer import content_of, filled, host_view, is_exposed, rebind
from hybridize.array.device import OTHERS, cpu
from hybridize.array.nd_array import like
from hybridize.array.ndarray import gradient_of, history, is_content, ndarray, store, wrap
from hybridize.array.operands import operand
from hybridize.array.placing import arrays_in, beside, one_device
from hybridize.array.staging import staging
from hybridize.array.symbol import Symbol
from hybridize.array.traced import RELEASED, LostHistory, Release, Traced, Variable, released
from hybridize.autograd.nodes import TapeNode, freed, number_of_next
from hybridize.autograd.tape import TAPE
from hybridize.base import modes
from hybridize.base.access import READERS, SMALL, WRITER
from hybridize.base.advice import warn
from hybridize.base.dims import same
from hybridize.base.dtypes import is_inexact
from hybridize.base.errors import ArgumentError, StateError
from hybridize.base.forks import renewed
from hybridize.base.locations import SourceLoc
from hybridize.base.modes import LOCKED
from hybridize.base.nested import listed
from hybridize.base.tracebacks import leaves
from hybridize.base.types import TensorType
from hybridize.ops import Add, Where
from hybridize.ops.complexes import pulled_back
from hybridize.ops.gradient import Arrived, Cotangents, reverse
from hybridize.ops.op import Operand, capturing, eagerly, taped
from hybridize.runtime.cpython import USABLE

Edge = Any
_NUMBER = attrgetter("number")
_commit = renewed(threading.RLock())
_HOME = cpu()


class Sweep:
    """One backward pass.

    Args:
        create: record it, so that the gradients have gradients.
        keep: leave the nodes their values.
        wanted: edges whose gradients alone are asked for; None: those of all variables.
        anew: what is wanted was made for this pass, so that no history from before leads there.
        stops: edges behind which it does not go, whose gradients are asked for besides those of all variables.
        since: the number of the first node that it goes through; what arrives at older ones stays in `variables`.
    """

    def __init__(
        self,
        *,
        create: bool = False,
        keep: bool = False,
        wanted: Iterable[Edge] | None = None,
        anew: bool = False,
        stops: Iterable[Edge] = (),
        since: int = 0,
    ) -> None:
        self.create = create
        self.keep = keep
        self.variables: Arrived[Edge] = Arrived()
        """The gradients that arrived at variables; on the way, those at outputs of nodes too."""
        self.targets: set[Edge] | None = None if wanted is None else set(wanted)
        self._anew = anew
        self.stops: set[Edge] = set(stops)
        self.gradients: dict[Edge, Operand] = {}
        """The gradients that arrived at wanted outputs of nodes."""
        self._since = since
        self._visited: set[TapeNode] = set()
        self._passed: set[Edge] = set()
        """Outputs, of nodes that tell what is behind each, that were reached."""
        self._entered: list[TapeNode] = []
        """Nodes that were reached on the way, by `take`."""
        self._leads: set[Any] = set()

    def run(self, heads: Sequence[tuple[Edge, Operand]]) -> None:
        """Propagate the gradients of some edges.

        Raises:
            StateError E541, E542: values are gone, or were overwritten.
        """
        nodes = self._reachable([edge for edge, _ in heads])
        with taped(TAPE if self.create else None):
            for edge, gradient in heads:
                self.variables.add(edge, gradient)
            reverse(self._in_order(nodes), self.variables, self._through)
        constants = {one for node in self._visited for one in node.constants}
        if constants and not self._since:
            self._check_constants(constants)
        if not self.keep:
            release = Release.of(self.variables)
            for node in self._visited:
                if self.targets is None or node in self._leads:
                    node.release(release)
            RELEASED.number, RELEASED.constants = number_of_next(), ()

    def _check_constants(self, constants: Iterable[tuple[Release, SourceLoc | None]]) -> None:
        """Tell of gradients that would go on where an earlier pass has freed the graph of what was recorded.

        Raises:
            StateError E541: it is all that was asked for that may lie there.
        """
        wanted = {edge for edge in self.targets or () if edge not in self.variables}
        for release, line in constants:
            read = "" if line is None else f", read at {line.described()},"
            if any(map(release.reaches, wanted)):
                raise freed(f"an array{read} that may depend on what the gradient is asked for", release.at)
            if self.targets is None and release.missed(self.variables):
                warn(missing(read, release))

    def take(self, edge: Edge, gradient: Operand) -> None:
        """Take a gradient that a rule has found of something that its node has no edge to: of a closure's array."""
        if type(edge) is tuple:
            self._entered += self._reachable([edge])
        self.variables.add(edge, gradient)

    def _in_order(self, nodes: list[TapeNode]) -> Iterator[TapeNode]:
        """Yield nodes, given oldest first, newest first, and those that are reached on the way in their places."""
        while nodes:
            yield nodes.pop()
            if self._entered:
                nodes = sorted([*nodes, *self._entered], key=_NUMBER)
                self._entered.clear()

    def _reachable(self, edges: Iterable[Edge]) -> list[TapeNode]:
        """The nodes behind edges that were not seen yet, oldest first."""
        nodes: list[TapeNode] = []
        todo = [edge for edge in edges if type(edge) is tuple]
        while todo:
            edge = todo.pop()
            node = edge[0]
            if node.number < self._since:
                continue
            behind = _behind(node)
            if behind is not None:
                if edge in self._passed:
                    continue
                self._passed.add(edge)
            elif node in self._visited:
                continue
            if node not in self._visited:
                self._visited.add(node)
                nodes.append(node)
                if node.freed:
                    node.check()
            below = node.edges or ()
            if behind is not None:
                below = [below[number] for number in behind(edge[1])]
            todo += [one for one in below if type(one) is tuple and one not in self._passed]
        nodes.sort(key=_NUMBER)
        if self.targets is not None:
            self._leading(nodes, self.targets)
        return nodes

    def _leading(self, nodes: Sequence[Any], wanted: set[Edge]) -> None:
        """Find the nodes, given oldest first, that lead to what is wanted; one that recomputes may lead anywhere."""
        # an output may have been computed of a wanted one of the same node
        within = {edge[0] for edge in wanted if type(edge) is tuple and _at_output(edge[0]) is not None}
        for node in nodes:
            if type(node) is LostHistory:
                if not self._anew and any(_may_be_behind(node, edge) for edge in wanted):
                    self._leads.add(node)
                continue
            if node.private and hasattr(node.rule, "sweep"):
                self._leads.add(node)
                continue
            for edge in node.edges or ():
                if edge in wanted or (type(edge) is tuple and (edge[0] in self._leads or edge[0] in within)):
                    self._leads.add(node)
                    break

    def arrived(self, edge: Edge) -> Operand | None:
        """The gradient of a wanted edge; None where nothing depends on it."""
        return self.gradients.get(edge) if type(edge) is tuple else self.variables.get(edge)

    def _through(self, node: TapeNode, gradients: Cotangents) -> Iterable[tuple[Edge, Operand | None]]:
        """Go from the outputs of a node to its inputs."""
        if self.targets is not None:
            for number in range(len(gradients)):
                if (node, number) in self.targets:
                    g = self._arrived_at(node, number, gradients)
                    if g is not None:
                        self.gradients[node, number] = g
            if node not in self._leads:
                return ()
        if node.retained is not None:
            for number, variable in node.retained.items():
                g = self._arrived_at(node, number, gradients)
                if g is not None:
                    self.variables.add(variable, g)
        if self.stops and (node, 0) in self.stops:
            self.gradients[node, 0] = gradients[0]
            return ()
        node.check()
        edges = node.edges
        assert edges is not None
        xs, ys = node.xs, node.ys
        if self.create:
            xs, ys = node.traced()
        whole: tuple[Any, ...]
        if len(gradients) == 1 or getattr(node.rule, "takes_absent", False):
            whole = tuple(gradients)
        else:
            whole = tuple(
                [numpy.zeros(y.shape, y.dtype) if g is None else g for g, y in zip(gradients, node.ys, strict=True)]
            )
        sweeping = getattr(node.rule, "sweep", None) if node.private else None
        if sweeping is not None:
            cotangents = sweeping(self, whole, ys, xs)
        elif None in edges and not node.private:
            cotangents = pulled_back(node.rule, [edge is not None for edge in edges], whole, tuple(ys), *xs)
        elif not node.private:
            cotangents = pulled_back(node.rule, None, whole, tuple(ys), *xs)
        else:
            cotangents = node.rule.vjp(whole, tuple(ys), *xs)
        behind = _behind(node)
        if behind is not None and len(gradients) > 1:
            reached = {number for k, g in enumerate(gradients) if g is not None for number in behind(k)}
            # a node that only the other outputs lead to is not gone through: an earlier pass may have freed it
            edges = tuple(edge if type(edge) is not tuple or k in reached else None for k, edge in enumerate(edges))
        return [(edge, g) for edge, g in zip(edges, cotangents, strict=True) if edge is not None]

    def _arrived_at(self, node: TapeNode, number: int, gradients: Cotangents) -> Operand | None:
        """The gradient of one output of a node, by way of the node's other outputs too."""
        at_output = _at_output(node)
        if at_output is None:
            return gradients[number]
        node.check()
        xs = node.traced()[0] if self.create else node.xs
        return at_output(number, (node, number), gradients, xs)


def missing(read: str, release: Release) -> str:
    """The warning of a pass that gives no gradient to variables which an array, `read` somewhere, was computed of."""
    at = "" if release.at is None else f" at {release.at.described()}"
    return (
        f"a backward pass{at} has freed the graph of an array{read} so this pass takes it as a constant, and some of "
        "the variables that it was computed of get no gradient here; pass retain_graph=True to the earlier pass, or "
        "write x.detach() where a constant is meant"
    )


def _behind(node: Any) -> Callable[[int], Iterable[int]] | None:
    """The function by which a node's rule tells what is behind each output; None where all is behind all of them."""
    return getattr(node.rule, "behind", None) if node.private else None


def _at_output(node: Any) -> Callable[..., Operand | None] | None:
    """The function by which a node's rule tells an output's gradient by other outputs; None where there is no way."""
    return getattr(node.rule, "at_output", None) if node.private and len(node.ys or ()) > 1 else None


def _may_be_behind(lost: Any, edge: Edge) -> bool:
    """Tell whether an edge may be behind a history that stayed in a call: programs record of variables and the like."""
    if type(edge) is tuple:
        return type(edge[0]) is LostHistory and edge[0] is not lost
    return edge is not None


@leaves
def backward(heads: Any, head_grads: Any = None, retain_graph: bool = False, train_mode: bool = True) -> None:
    """Compute the gradients of arrays with respect to all variables that they depend on, and write them to `x.grad`.

    Args:
        heads: an array, or a list of them. Of one with many elements the sum is meant.
        head_grads: the gradients of the heads, each None or an array of the head's shape and dtype; ones by default.
        retain_graph: the same heads will be asked again; else what the recording kept is let go.
        train_mode: whether layers and functions called on the way behave as in training.

    Raises:
        StateError E540: nothing was recorded of a head.
        StateError E541, E542: it was let go by an earlier pass, or values were overwritten since.
        ArgumentError E385 to E387: a head of integers; head gradients that do not fit.

    >>> from hybridize import autograd, np
    >>> x = np.array([1.0, 2.0])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = x * 3
    >>> autograd.backward([y], [np.array([1.0, 10.0])])
    >>> x.grad
    array([ 3., 30.])
    """
    if capturing() and staging().backward(heads, head_grads, retain_graph, train_mode) is not NotImplemented:
        return
    arrays = listed(heads)
    begins = [edge_of(head) for head in arrays]
    pairs = list(zip(begins, _head_grads(arrays, head_grads, create=False), strict=True))
    sweep = Sweep(keep=retain_graph)
    with modes.mode(recording=False, training=train_mode):
        sweep.run(pairs)
        modes.listen()
    commit(sweep.variables)


@leaves
def grad(
    heads: Any,
    variables: Any,
    head_grads: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    train_mode: bool = True,
) -> list[ndarray]:
    """Return the gradients of arrays with respect to other arrays, as new arrays. It writes no `x.grad`.

    Args:
        heads: an array, or a list of them. Of one with many elements the sum is meant.
        variables: an array or a list of them: variables, or what was computed between.
        head_grads: as for `backward`.
        retain_graph: keep what was recorded; by default only with `create_graph`.
        create_graph: record this pass, so that its results can be differentiated again.
        train_mode: whether layers and functions called on the way behave as in training.

    Returns:
        A list of arrays, one for each variable, and of one where `variables` is an array, as in MXNet. Zeros where no
        head depends on a variable.

    Raises:
        StateError E540 to E542, ArgumentError E385 to E387: as for `backward`.
        ArgumentError E388: a variable that nothing was recorded of.

    >>> from hybridize import autograd, np
    >>> x = np.array([1.0, 2.0])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = (x**3).sum()
    >>> autograd.grad(y, x)
    [array([ 3., 12.])]
    """
    arrays, of = listed(heads), listed(variables)
    if capturing():
        captured = staging().grad(heads, of, head_grads, retain_graph, create_graph, train_mode)
        if captured is not NotImplemented:
            return list(map(beside, captured, of))
    begins = [edge_of(head) for head in arrays]
    pairs = list(zip(begins, _head_grads(arrays, head_grads, create_graph), strict=True))
    edges = []
    for x in of:
        traced = history(x) if isinstance(x, ndarray) else None
        if traced is None or traced.edge is None or (type(traced.edge) is tuple and released(traced.edge[0])):
            what = str(x.type) if isinstance(x, ndarray) else type(x).__name__
            raise ArgumentError("E388", f"grad: {what} was not recorded", help="call x.attach_grad() before recording")
        edges.append(traced.edge)
    sweep = Sweep(create=create_graph, keep=create_graph if retain_graph is None else retain_graph, wanted=edges)
    with modes.mode(recording=create_graph, training=train_mode):
        sweep.run(pairs)
        modes.listen()
    gradients = results(sweep, edges, of)
    return [_depending(g, x) for g, x in zip(gradients, of, strict=True)] if create_graph else gradients


def _depending(g: ndarray, x: ndarray) -> ndarray:
    """A gradient that can be differentiated again, with gradients of 0 where it is constant."""
    if history(g) is not None:
        return g
    with taped(TAPE):
        mask = numpy.ones(g.shape, bool)
        (value,) = TAPE.bind(Where(), (mask, content_of(g), TAPE.operand(x)))
        return TAPE.wrap(value)


def results(sweep: Sweep, edges: Iterable[Edge], of: Sequence[ndarray]) -> list[ndarray]:
    """The gradients of wanted edges as arrays of their own, zeros where none has arrived; the sweep lets go of all.

    What nobody else has is no copy: results may be the most that there is.
    """
    arrived = [sweep.arrived(edge) for edge in edges]
    sweep.gradients.clear()
    sweep.variables.clear()
    gradients: list[ndarray] = []
    while arrived:
        gradient = arrived.pop()
        gradients.append(like(of[len(arrived)], _result(gradient, of[len(arrived)])))
    return list(map(beside, gradients[::-1], of)) if OTHERS else gradients[::-1]


def _result(gradient: Operand | None, x: ndarray) -> ndarray:
    """The array of a gradient, whose caller has it in one variable: a copy where anybody else has it, too."""
    if gradient is None:
        return wrap(filled(x, 0))
    if type(gradient) is Traced:
        return TAPE.wrap(gradient)
    if x.device != _HOME and is_content(gradient) and type(gradient) is not numpy.ndarray:
        return wrap(gradient.copy())
    if type(gradient) is not numpy.ndarray or LOCKED or sys.getrefcount(gradient) > _OF_FOUND:
        return wrap(numpy.array(gradient))
    if not _owned(gradient) or gradient.flags.num & _WHOLE != _WHOLE:
        return wrap(numpy.array(gradient))
    return wrap(gradient)


def commit(gradients: dict[Variable, Operand]) -> None:
    """Write gradients to the buffers of variables; what was found is empty then.

    A large one that nobody else has takes the place of a buffer that nobody else has: to copy it would cost as much as
    the update of the weight, and drive as much out of the caches.
    """
    with _commit:
        while gradients:
            variable, gradient = gradients.popitem()
            if type(gradient) is Traced:
                gradient = gradient.data
            if variable.grad is None and type(gradient) is not numpy.ndarray:
                variable.grad = wrap(gradient.copy())  # in the memory in which it is
            elif variable.req == "add":
                buffer = gradient_of(variable)
                store(buffer, ..., eagerly(Add(), (content_of(buffer), gradient))[0])
            elif gradient.size <= SMALL or not _takes_place(variable, gradient):
                store(gradient_of(variable), ..., gradient)
            variable.fresh = True


def _takes_place(variable: Variable, data: NDArray[Any]) -> bool:
    """Let the buffer of a gradient be `data`, where neither that nor the buffer before is anybody else's."""
    kind = variable.type
    if type(data) is not numpy.ndarray or LOCKED or sys.getrefcount(data) > _OF_FOUND or not _owned(data):
        return False
    if data.flags.num & _WHOLE != _WHOLE:
        return False
    if data.dtype is not kind.dtype or data.shape != kind.shape or WRITER or READERS:
        return False
    grad = variable.grad
    if grad is None:
        variable.grad = wrap(data)
        return True
    if is_exposed(grad):
        return False
    if sys.getrefcount(host_view(grad)) > _OF_SLOT or not _owned(host_view(grad)):
        return False
    rebind(grad, data)
    return True


def _owned(data: NDArray[Any]) -> bool:
    """Tell whether no other array is over the memory of one that nobody else refers to."""
    base = data.base
    if base is None:
        return bool(data.flags.owndata)
    return type(base) is numpy.ndarray and bool(base.flags.owndata) and sys.getrefcount(base) <= _OF_BASE


_WHOLE: Final = USABLE | 0x400
"""Flags of an array that programs and writes can take: NumPy's own for writeable is the last."""


def _references() -> tuple[int, int, int]:
    """Count the references to what nobody else has, as `_takes_place` and `_owned` find them in this Python."""

    def of_argument(data: Any) -> int:
        return sys.getrefcount(data)

    def of_base(data: Any) -> int:
        base = data.base
        return sys.getrefcount(base)

    gradients = {0: numpy.zeros(2)}
    _, gradient = gradients.popitem()
    holder = wrap(numpy.zeros(2))
    viewed = [numpy.zeros(2)]
    viewed.append(viewed.pop()[:])
    return of_argument(gradient), sys.getrefcount(host_view(holder)), of_base(viewed[0])


_OF_FOUND, _OF_SLOT, _OF_BASE = _references()


def edge_of(head: Any) -> Edge:
    """Return the edge at which a backward pass from an array begins.

    Raises:
        StateError E540, E545: nothing was recorded of it; in the middle of a capture.
        ArgumentError E385: it is no array of floats.
    """
    if type(head) is Symbol or capturing():
        raise StateError("E545", "backward inside of a compiled function", help="call backward after it has returned")
    if not isinstance(head, ndarray):
        what = f"backward starts from an array, got {type(head).__name__}"
        raise ArgumentError("E385", what, help="compute it with functions of arrays, without float() and item()")
    known = history(head)
    lifted = None if known is None else TAPE.operand(head)
    if not is_inexact(head.dtype) and (type(lifted) is not Traced or lifted.edge is None or head.dtype.kind == "b"):
        raise ArgumentError("E385", f"only floats have gradients, not {head.type}", help="x.astype('float32')")
    if lifted is None or lifted.edge is None:
        gone = released(known.edge[0]) if known is not None and type(known.edge) is tuple else None
        if gone is not None:
            gone.check()
        raise StateError(
            "E540",
            f"{head.type} was not recorded, so it cannot be differentiated",
            help="compute it within `with autograd.record():`, from an array with attach_grad()",
        )
    return lifted.edge


def head_gradients(
    heads: Sequence[TensorType], head_grads: Any, operand: Callable[[Any, TensorType], Operand],
    type_of: Callable[[Operand], TensorType],
) -> list[Operand | None]:  # fmt: skip
    """The gradients of heads as operands; None for ones.

    Args:
        heads: their types.
        head_grads: by the user: one for each, or None.
        operand: makes an operand of what is given for a type.
        type_of: gives the type of an operand.

    Raises:
        ArgumentError E386, E387: they do not fit.
    """
    grads = [None] * len(heads) if head_grads is None else listed(head_grads)
    if len(grads) != len(heads):
        what = f"{len(heads)} heads were given {len(grads)} head gradients"
        raise ArgumentError("E386", what, help="give one gradient for each head, or None for ones")
    gradients = [None if g is None else operand(g, head) for head, g in zip(heads, grads, strict=True)]
    for head, g in zip(heads, gradients, strict=True):
        if g is not None and type_of(g) != head:
            what = f"the head gradient of {head} is {type_of(g)}"
            raise ArgumentError("E387", what, help="a gradient must have the shape and dtype of its array")
    return gradients


def shaped(g: Any, head: TensorType) -> Any:
    """A head gradient of one element in the shape of its head: MXNet 1's sums have the shape (1,)."""
    return g.reshape(head.shape) if same(g.size, 1) and same(head.size, 1) and g.ndim != head.ndim else g


def _head_grads(heads: Sequence[ndarray], head_grads: Any, create: bool) -> list[Operand]:
    """The gradients of heads: values alone, unless the pass is recorded and they have a history themselves."""
    if head_grads is None:
        return [filled(head, 1) for head in heads]
    for head, gradient in zip(heads, listed(head_grads), strict=False) if OTHERS else ():
        one_device("backward", list(arrays_in((head, gradient))), head)

    def taped_operand(g: Any, head: TensorType) -> Operand:
        with taped(TAPE):
            return operand(shaped(g if isinstance(g, (ndarray, numpy.ndarray)) else numpy.asarray(g, head.dtype), head))

    def operand_of(g: Operand | None, head: ndarray) -> Operand:
        if g is None:
            return filled(head, 1)
        return g.data if type(g) is Traced and not (create and g.edge is not None) else g

    gradients = head_gradients([head.type for head in heads], head_grads, taped_operand, TAPE.type_of)
    return list(map(operand_of, gradients, heads))
