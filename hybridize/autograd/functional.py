# SPDX-License-Identifier: Apache-2.0
"""Gradients as functions of functions, and functions that are computed again instead of remembered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from hybridize.array import random
from hybridize.array.buffer import content_of, filled, overwrite
from hybridize.array.nd_array import like
from hybridize.array.ndarray import history, ndarray, view, wrap
from hybridize.array.operands import array, operand, result
from hybridize.array.placing import beside
from hybridize.array.staging import staging
from hybridize.array.storage import STATE
from hybridize.array.symbol import Symbol
from hybridize.array.traced import Traced, Variable
from hybridize.autograd.modes import pause, record
from hybridize.autograd.nodes import number_of_next
from hybridize.autograd.sweep import Sweep, edge_of, results
from hybridize.autograd.tape import TAPE
from hybridize.autograd.variables import mark
from hybridize.base import modes
from hybridize.base.dtypes import is_float
from hybridize.base.errors import ArgumentError
from hybridize.base.nested import flatten, unflatten
from hybridize.ops.op import Operand, capturing, taped, taping


def value_and_grad(
    function: Callable[..., Any], argnums: int | Sequence[int] = 0, *, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that computes the value of `function` and its gradients by some of its arguments.

    It may be applied again, for second derivatives. Buffers of `attach_grad` are neither needed nor written.

    Args:
        function: gives one number (an array of one element), or a tuple that begins with it where `has_aux`.
        argnums: which positional arguments; each an array, or a list, tuple or dict of arrays.
        has_aux: whether the function also gives something else.

    Returns:
        A function that gives (value, gradients); gradients of one argument have its structure, those of several are a
        tuple. With `has_aux` the value is the whole tuple.

    Raises:
        ArgumentError E395: `function` is none.

    >>> from hybridize import np
    >>> import hybridize
    >>> hybridize.value_and_grad(lambda x: (x**2).sum())(np.array([1.0, 2.0]))
    (array(5.), array([2., 4.]))
    """
    if not callable(function):
        raise ArgumentError(
            "E395",
            f"grad takes a function, got {type(function).__name__}",
            help="autograd.grad(heads, variables) gives gradients of arrays",
        )
    positions = (argnums,) if isinstance(argnums, int) else tuple(argnums)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        arguments = list(args)
        leaves: list[Any] = []
        structures = []
        outer = modes.is_recording() if capturing() else taping() is not None
        called = staging().convert(function) if capturing() else function
        for position in positions:
            if not -len(args) <= position < len(args):
                raise ArgumentError("E388", f"no argument {position} to differentiate by: the function got {len(args)}")
            xs, structure = flatten(args[position])
            mine = [_copy(x, position, outer) for x in xs]
            leaves += mine
            structures.append(structure)
            arguments[position] = unflatten(structure, mine)
        with record(train_mode=modes.is_training()):
            outputs = called(*arguments, **kwargs)
            value = outputs[0] if has_aux else outputs
            if isinstance(value, (ndarray, Symbol)) and value.size != 1:
                raise ArgumentError(
                    "E385",
                    f"value_and_grad of a function that returns {value.type} instead of one number",
                    help="sum or average the result",
                )
            gradients = _gradients(value, leaves, create=outer)
        parts = iter(gradients)
        trees = [unflatten(structure, [next(parts) for _ in range(structure.leaves)]) for structure in structures]
        return outputs, trees[0] if isinstance(argnums, int) else tuple(trees)

    return call


def grad_of(
    function: Callable[..., Any], argnums: int | Sequence[int] = 0, *, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that computes the gradients of `function` by some of its arguments; see `value_and_grad`.

    With `has_aux` it gives (gradients, whatever else the function gives).

    >>> from hybridize import np
    >>> import hybridize
    >>> hybridize.grad(lambda x: (x**2).sum())(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    both = value_and_grad(function, argnums, has_aux=has_aux)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        value, gradients = both(*args, **kwargs)
        return (gradients, value[1] if len(value) == 2 else value[1:]) if has_aux else gradients

    return call


def _copy(x: Any, position: int, outer: bool) -> ndarray | Symbol:
    """A variable with the values of an argument, which is remembered as its origin where somebody records outside."""
    x = x if isinstance(x, (ndarray, Symbol)) else array(x)
    if not isinstance(x, (ndarray, Symbol)) or not is_float(x.dtype):
        kind = getattr(x, "type", type(x).__name__)
        raise ArgumentError("E385", f"only floats have gradients, but argument {position} is {kind}")
    if capturing() or not isinstance(x, ndarray):
        return staging().variable(x)
    if not outer:
        return _variable(x)
    seen: ndarray = like(x, result(_Through.of(operand(x))))
    return seen


def _variable(x: ndarray) -> ndarray:
    """A variable over the same memory."""
    copy = view(x, content_of(x))
    mark(copy, Variable(x.type, "write"))
    return like(x, copy)  # type: ignore[no-any-return]


class _Through:
    """The identity, a node of its own: with respect to its output a gradient is asked, and more lies behind it."""

    name = "argument"

    @classmethod
    def of(cls, x: Operand) -> Traced:
        """The output for an input."""
        array = wrap(x.data, x.storage) if type(x) is Traced else wrap(x)
        (y,) = TAPE.by_rule(cls(), [x], [array])
        traced = history(y)
        assert traced is not None
        return traced

    def vjp(self, g: tuple[Operand, ...], y: tuple[Operand, ...], *xs: Operand) -> tuple[Operand | None, ...]:
        """Of the identity."""
        return (g[0],)

    def release(self) -> None:
        """It keeps nothing."""


def _gradients(value: Any, leaves: Sequence[Any], *, create: bool) -> Sequence[ndarray | Symbol]:
    if capturing() and type(value) is Symbol:
        return list(map(beside, staging().gradients(value, leaves, create), leaves))
    edges = [edge for x in leaves if (traced := history(x)) is not None and (edge := traced.edge) is not None]
    traced = history(value) if isinstance(value, ndarray) else None
    if traced is not None and traced.edge is not None:
        sweep = Sweep(create=create, keep=create, wanted=edges, anew=True)
        with modes.mode(recording=create):
            sweep.run([(edge_of(value), filled(value, 1))])
        return results(sweep, edges, leaves)
    if not isinstance(value, ndarray):
        raise ArgumentError("E385", f"the gradient of a function that returns {type(value).__name__}, not an array")
    return [like(x, beside(wrap(filled(x, 0)), x)) for x in leaves]


def checkpoint(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that remembers only its arguments for the backward pass, which computes it again.

    It saves memory for time. Weights that the function uses get their gradients as usual; random numbers are drawn
    again as they were, and running statistics are not moved again. The function must do the same both times.

    >>> from hybridize import np
    >>> import hybridize
    >>> block = hybridize.checkpoint(lambda x: np.exp(np.sin(x)).sum())
    >>> hybridize.grad(block)(np.zeros(2))
    array([1., 1.])
    """

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if capturing() and modes.is_recording():
            captured = staging().form("checkpoint", function, args, kwargs)
            if captured is not NotImplemented:
                return captured
        if taping() is None or capturing():
            return function(*args, **kwargs)
        leaves, structure = flatten((args, kwargs))
        arrays = [x for x in leaves if isinstance(x, ndarray)]
        training = modes.is_training()
        drawn = random.state.asnumpy()
        with pause(train_mode=training):
            outputs = function(*args, **kwargs)
        values, of = flatten(outputs)
        results = [array(y) for y in values]
        operands = [operand(x) for x in arrays]
        again = _Recomputation(function, leaves, structure, drawn, training)
        ys = TAPE.by_rule(again, operands, results, arrays)
        return unflatten(of, list(map(like, values, ys)))

    return call


class _Recomputation:
    """The rule of one call of a function that is computed again."""

    def __init__(
        self, function: Callable[..., Any], leaves: Sequence[Any], structure: Any, drawn: Any, training: bool
    ) -> None:
        self._function = function
        self._leaves: list[Any] = list(leaves)
        self._structure = structure
        self._drawn = drawn
        self._training = training

    @property
    def name(self) -> str:
        """The function's."""
        return f"checkpoint({getattr(self._function, '__name__', type(self._function).__name__)})"

    def release(self) -> None:
        """Let go of the arguments."""
        self._leaves = []

    def sweep(self, outer: Sweep, g: Sequence[Operand], ys: Sequence[Any], xs: Sequence[Any]) -> list[Operand | None]:
        """Compute again, recording, and go back from there; gradients of variables inside go to the pass outside."""
        leaves, positions = list(self._leaves), [k for k, x in enumerate(self._leaves) if isinstance(x, ndarray)]
        since = number_of_next()
        for k, x in zip(positions, xs, strict=True):
            if not is_float(leaves[k].dtype):
                continue
            if outer.create:
                storage = leaves[k].storage
                edge = x.edge if type(x) is Traced else None
                through = result(_Through.of(Traced(content_of(leaves[k]), edge, storage, storage.version)))
                leaves[k] = like(leaves[k], through)
            else:
                leaves[k] = _variable(leaves[k])
        with STATE:
            before = random.state.asnumpy()
            overwrite(random.state, self._drawn)
        nested, modes.THREAD.recomputing = modes.THREAD.recomputing, True
        try:
            args, kwargs = unflatten(self._structure, leaves)
            with record(train_mode=self._training):
                outputs = self._function(*args, **kwargs)
        finally:
            modes.THREAD.recomputing = nested
            with STATE:
                overwrite(random.state, before)
        values, _ = flatten(outputs)
        edges = [traced.edge if (traced := history(leaves[k])) is not None else None for k in positions]
        heads = [
            (traced.edge, one)
            for y, one in zip(values, g, strict=True)
            if isinstance(y, ndarray) and (traced := history(y)) is not None and traced.edge is not None
        ]
        inner = Sweep(
            create=outer.create, keep=outer.create, stops=[edge for edge in edges if edge is not None], since=since
        )
        with taped(TAPE if outer.create else None):
            inner.run(heads)
        for edge, gradient in inner.variables.items():  # variables, and arrays that were recorded around the function
            if edge not in edges:
                outer.take(edge, gradient)
        return [None if edge is None else inner.arrived(edge) for edge in edges]
