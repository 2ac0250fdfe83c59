# SPDX-License-Identifier: Apache-2.0
"""Gradients of the user's own inside of a program: an `autograd.Function` becomes one node, with both of its methods.

So does what is to be computed again instead of remembered (`autograd.checkpoint`).

`forward` and `backward` are Python, so both are captured at once, where the function is called. What `backward` reads
of `forward`, whether it was saved or is an attribute, is seen by the values that it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from hybridize.array.ndarray import ndarray
from hybridize.array.operands import array
from hybridize.array.symbol import Symbol
from hybridize.autograd.function import argument_gradients
from hybridize.base import modes
from hybridize.base.dtypes import is_inexact
from hybridize.base.errors import StateError
from hybridize.base.nested import flatten, unflatten
from hybridize.base.types import TensorType
from hybridize.capture.trace.recording import Branch, Recording
from hybridize.graph import Graph, Value
from hybridize.ops import After, CustomGradient, full
from hybridize.ops.gradient import pullback
from hybridize.ops.op import Operand, bind1, interpreting
from hybridize.ops.tracing import make_graph


def called(at: Recording, function: Any, inputs: Sequence[Any]) -> Any:
    """`function(*inputs)` of an `autograd.Function`.

    Raises:
        StateError E545, E546: `forward` changes what is outside of it; the object was made outside of the program.
        ArgumentError E387, E389: gradients that do not fit, as imperatively.
    """
    name = type(function).__name__
    if not function.is_of_one_call and id(function) not in at.root.world.fresh:
        raise StateError(
            "E546", f"{name} was created outside the compiled function, so all calls would share this object",
            help=f"create an object for each call: {name}()(...)",
        )  # fmt: skip
    symbols: dict[int, Symbol] = {
        position: at.lifted(x)
        for position, x in enumerate(inputs)
        if isinstance(x, ndarray) or (type(x) is Symbol and x.weak is None)
    }
    history = at.root.history
    operands = [symbol.operand() for symbol in symbols.values()] if modes.is_recording() else []
    if not (operands and (history.called or any(history.has(at, value) for value in operands))):
        with modes.mode(recording=False):
            return _handed(at, function, at, function.forward)(*inputs)
    with modes.mode(recording=False):
        inner = Branch(at)
        own = [inner.input(value.type) for value in operands]
        replacements = {
            position: Symbol.of(inner, value, of_nd=symbol.of_nd)
            for (position, symbol), value in zip(symbols.items(), own, strict=True)
        }
        with interpreting(inner):
            outputs = _handed(at, function, inner, function.forward)(
                *(replacements.get(k, x) for k, x in enumerate(inputs))
            )
            several = isinstance(outputs, (list, tuple))
            lifted = [inner.lifted(y) for y in (outputs if several else [outputs])]
            classes = [getattr(y, "of_nd", False) for y in lifted]
            results = [inner.own(array(y).operand()) for y in lifted]
        _check(inner, name, replacements.values(), own)
        back = Branch(at)
        heads = [back.input(value.type) for value in results]
        takes = [position in symbols for position in range(len(inputs))]
        with modes.mode(recording=False, training=True), interpreting(back):
            arriving = [Symbol.of(back, value, of_nd=of_nd) for value, of_nd in zip(heads, classes, strict=True)]
            answer = _handed(at, function, back, function.backward)(*arriving)
            gradients = _gradients(back, name, answer, takes, [value.type for value in operands])
        _check(back, name, [], [])
    node = _node(name, inner, own, results, back, heads, gradients)
    outer = [*operands, *inner.outer]
    values = at.bind(node, tuple(outer))[: len(results)]
    ys = [Symbol.of(at, value, of_nd=of_nd) for value, of_nd in zip(values, classes, strict=True)]
    at.root.world.made(function, at)
    return type(outputs)(ys) if several else ys[0]


def checkpointed(at: Recording, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """`function(*args, **kwargs)`, which a backward pass computes again; see `autograd.checkpoint`.

    Raises:
        StateError E545: the function writes to its arguments, or changes what is outside of it in Python.
    """
    leaves, structure = flatten((args, kwargs))
    positions = [k for k, x in enumerate(leaves) if isinstance(x, ndarray) or (type(x) is Symbol and x.weak is None)]
    symbols = [at.lifted(leaves[k]) for k in positions]
    operands = [symbol.operand() for symbol in symbols]
    inner = Branch(at)
    own = [inner.input(value.type) for value in operands]
    pairs = zip(own, symbols, strict=True)
    replacements = dict(zip(positions, (Symbol.of(inner, x, of_nd=y.of_nd) for x, y in pairs), strict=True))
    name = f"checkpoint({getattr(function, '__name__', type(function).__name__)})"
    try:
        with interpreting(inner):
            args, kwargs = unflatten(structure, [replacements.get(k, x) for k, x in enumerate(leaves)])
            ys, of = flatten(at.convert(function)(*args, **kwargs))
            lifted = [inner.lifted(y) for y in ys]
            classes = [getattr(y, "of_nd", False) for y in lifted]
            results = [inner.own(array(y).operand()) for y in lifted]
        _check(inner, name, replacements.values(), own, arrays=False)
        written = {cell: inner.own(cell.value) for cell, before in inner.journal if before not in inner.mine}
    finally:
        for cell, before in reversed(inner.journal):
            cell.value = before
    outputs = [*results, *written.values()]
    body = inner.graph(list(inner.outer), outputs, own)
    wrt = [k for k, value in enumerate(body.inputs) if is_inexact(value.type.dtype)]
    node = CustomGradient(
        name, body, _again(body, len(results), len(own), wrt), len(results),
        (*range(len(results)), *(len(results) + len(outputs) + k for k in range(len(body.inputs)))), tuple(wrt),
    )  # fmt: skip
    values = at.bind(node, (*operands, *inner.outer))
    for cell, value in zip(written, values[len(results) :], strict=True):
        at.leave(cell, value)
    pairs = zip(values, classes, strict=False)
    return unflatten(of, [Symbol.of(at, value, of_nd=of_nd) for value, of_nd in pairs])


def _again(body: Graph, results: int, arguments: int, wrt: Sequence[int]) -> Graph:
    """The gradients of a graph, which is run again for them, once there is a gradient of its results."""
    types = [value.type for value in (*body.outputs[:results], *body.inputs)]

    def back(*operands: Operand) -> list[Operand]:
        heads, xs = operands[:results], operands[results:]
        late = [bind1(After(), x, heads[0]) if k < arguments and heads else x for k, x in enumerate(xs)]
        arrived = [g if is_inexact(kind.dtype) else None for g, kind in zip(heads, types, strict=False)]
        cotangents = pullback(body, late, [*arrived, *[None] * (len(body.outputs) - results)])
        return [full(0, body.inputs[k].type) if cotangents[k] is None else cotangents[k] for k in wrt]

    return make_graph(back, types)


def _handed(at: Recording, function: Any, home: Recording, method: Any) -> Callable[..., Any]:
    """A method of the user's, converted; the object belongs to the recording that the method is for."""
    at.root.world.made(function, home)
    return at.convert(method)


def _check(inner: Branch, name: str, symbols: Any, own: Sequence[Value], *, arrays: bool = True) -> None:
    """Refuse what a node cannot do: change what is outside of it, be it arrays or not."""
    written = arrays and any(before not in inner.mine for _, before in inner.journal)
    written = written or any(symbol._cell.value is not value for symbol, value in zip(symbols, own, strict=True))
    if written or inner.containers:
        what = "a list or dict of the surroundings" if inner.containers else "an array that it did not make"
        for cell, before in reversed(inner.journal):
            cell.value = before  # the program may go on: it ends with this error
        raise StateError(
            "E545", f"{name} changes {what} inside of a compiled function",
            help="change a copy, and return it",
        )  # fmt: skip


def _gradients(
    back: Branch, name: str, answer: Any, takes: Sequence[bool], types: Sequence[Any]
) -> dict[int, Value]:  # fmt: skip
    """Return the gradients that `backward` gave, by the number of the operand; see `autograd.function`."""

    def operand(one: Any, kind: TensorType) -> Value:
        if type(one) is Symbol and one.weak is not None:
            one = array(one).astype(kind.dtype)
        if isinstance(one, (Symbol, ndarray)):
            return back.own(back.lifted(one).operand())
        return back.own(back.constant(numpy.asarray(one, kind.dtype)))

    gradients = argument_gradients(name, answer, takes, types, operand, back.type_of)
    return {number: value for number, value in enumerate(gradients) if value is not None}


def _node(
    name: str, inner: Branch, own: Sequence[Value], results: Sequence[Value], back: Branch, heads: Sequence[Value],
    gradients: dict[int, Value],
) -> CustomGradient:  # fmt: skip
    """The operation of both methods; `inner` reads afterwards what `back` reads of the surroundings."""
    outputs = list(results)
    reads: list[tuple[str, int]] = []
    for value in list(back.outer):
        if value in inner.stands:  # of the surroundings, as `forward` calls it
            value = inner.stands[value]
        if value not in inner.mine:
            inner.receive(value)
            reads.append(("operand", len(own) + list(inner.outer).index(value)))
        elif value in own:
            reads.append(("operand", list(own).index(value)))
        else:
            if value not in outputs:
                outputs.append(value)
            reads.append(("output", outputs.index(value)))
    first = {"operand": len(heads) + len(outputs), "output": len(heads)}
    numbers = [*range(len(heads)), *(first[kind] + number for kind, number in reads)]
    body = inner.graph(list(inner.outer), outputs, own)
    backward = back.graph(list(back.outer), list(gradients.values()), heads)
    return CustomGradient(name, body, backward, len(results), tuple(numbers), tuple(gradients))
