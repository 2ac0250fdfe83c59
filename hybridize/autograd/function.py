# SPDX-License-Identifier: Apache-2.0
"""`Function`: an operation with a gradient of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy

from hybridize.array.device import OTHERS
from hybridize.array.nd_array import classed, holds_nd, like
from hybridize.array.ndarray import ndarray
from hybridize.array.operands import array, operand, result
from hybridize.array.placing import beside, place
from hybridize.array.staging import staging
from hybridize.array.traced import Traced
from hybridize.autograd.modes import pause
from hybridize.autograd.tape import TAPE
from hybridize.base import modes
from hybridize.base.dtypes import is_inexact
from hybridize.base.errors import ArgumentError, StateError, UndefinedError
from hybridize.base.nested import listed
from hybridize.base.participation import ReadPolicy, WritePolicy
from hybridize.base.types import TensorType
from hybridize.ops.op import Operand, capturing, taping


class Function:
    """Define an operation with a gradient of your own. Derive from it, and use an object for one call.

        class Sigmoid(autograd.Function):
            def forward(self, x):
                y = 1 / (1 + np.exp(-x))
                self.save_for_backward(y)
                return y

            def backward(self, dy):
                (y,) = self.saved_tensors
                return dy * y * (1 - y)

        y = Sigmoid()(x)

    `forward` computes while nothing is recorded. `backward` gets the gradient of each result and gives that of each
    array among the arguments, None for no gradient. Written with functions of arrays it can be differentiated itself;
    what is saved besides arguments and results counts as a constant then.

    >>> from hybridize import autograd, np
    >>> class Square(autograd.Function):
    ...     def forward(self, x):
    ...         self.save_for_backward(x)
    ...         return x * x
    ...     def backward(self, dy):
    ...         (x,) = self.saved_tensors
    ...         return 2 * x * dy
    >>> x = np.array([3.0])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = Square()(x)
    >>> y.backward()
    >>> x.grad
    array([6.])
    """

    __hybridize_read__ = ReadPolicy.IDENTITY
    __hybridize_write__ = WritePolicy.IN_TURN

    _saved: tuple[Any, ...] = ()  # of the class, as not every subclass calls __init__
    _used = False
    is_of_one_call: ClassVar[bool] = False
    """True of classes whose objects are made by what calls them, each for one call."""

    def forward(self, *inputs: Any) -> Any:
        """Return the results for the arguments. Your subclass defines it.

        It gets the arguments of the call and returns an array, or a tuple of arrays. hybridize records nothing
        meanwhile.

        Raises:
            UndefinedError E328: the subclass does not define it.

        >>> class Double(autograd.Function):
        ...     def forward(self, x):
        ...         return 2 * x
        >>> Double()(np.array([3.0]))
        array([6.])
        """
        raise UndefinedError("E328", f"{type(self).__name__} has no forward", help="define forward(self, *inputs)")

    def backward(self, *output_grads: Any) -> Any:
        """Return the gradients of the arguments. Your subclass defines it.

        It gets the gradient of each result, of the result's shape and dtype. It returns the gradient of each array
        among the arguments, or None for no gradient.

        Raises:
            UndefinedError E328: the subclass does not define it.

        >>> class Straight(autograd.Function):
        ...     def forward(self, x):
        ...         return x.round()
        ...     def backward(self, dy):
        ...         return dy
        >>> x = np.array([1.4, 2.6])
        >>> x.attach_grad()
        >>> with autograd.record():
        ...     Straight()(x).sum().backward()
        >>> x.grad
        array([1., 1.])
        """
        raise UndefinedError("E328", f"{type(self).__name__} has no backward", help="define backward(self, *grads)")

    def save_for_backward(self, *arrays: Any) -> None:
        """Keep arrays from `forward` for `backward`, which reads them from `saved_tensors`.

        Do not overwrite these arrays before the backward pass.

        Args:
            arrays: in the order of `saved_tensors`.

        >>> class Exp(autograd.Function):
        ...     def forward(self, x):
        ...         y = np.exp(x)
        ...         self.save_for_backward(y)
        ...         return y
        ...     def backward(self, dy):
        ...         (y,) = self.saved_tensors
        ...         return dy * y
        >>> x = np.array([0.0])
        >>> x.attach_grad()
        >>> with autograd.record():
        ...     Exp()(x).backward()
        >>> x.grad
        array([1.])
        """
        self._saved = tuple(arrays)

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The arrays that `forward` saved."""
        return self._saved

    def __call__(self, *inputs: Any) -> Any:
        """Compute, and remember the gradient.

        Raises:
            StateError E545, E546: it does inside of a compiled function what no program can; the object was called
                before.
        """
        if self._used:
            raise StateError(
                "E546",
                f"{type(self).__name__} was called twice, but it stores the values of only one call for the gradient",
                help=f"create an object for each call: {type(self).__name__}()(...)",
            )
        self._used = True
        if capturing():
            captured = staging().form("custom", self, inputs)
            if captured is not NotImplemented:
                return captured
        tape = taping()
        with pause(train_mode=modes.is_training()):
            outputs = self.forward(*inputs)
        several = isinstance(outputs, (list, tuple))
        results: list[Any] = [y if isinstance(y, ndarray) else array(y) for y in (outputs if several else [outputs])]
        if tape is None:
            return outputs
        arrays = [x for x in inputs if isinstance(x, ndarray)]
        operands = [operand(x) for x in arrays]
        if not any(type(x) is Traced and x.edge is not None for x in operands):
            return outputs
        residuals = [x for x in self._saved if isinstance(x, ndarray)]
        ys = TAPE.by_rule(_Custom(self, inputs, results), operands, results, residuals)
        ys = list(map(like, results, ys))
        return type(outputs)(ys) if several else ys[0]


class _Custom:
    """The rule of the node of one call."""

    def __init__(self, function: Function, inputs: Sequence[Any], results: Sequence[ndarray]) -> None:
        self._function = function
        self._takes = [isinstance(x, ndarray) for x in inputs]
        self._classes = [holds_nd(y) for y in results]
        self._devices = [y.device for y in results]
        self._outputs = {
            position: number for position, x in enumerate(function._saved) for number, y in enumerate(results) if x is y
        }
        """The saved arrays that are results: they come with their history."""

    @property
    def name(self) -> str:
        """The class of the user's."""
        return type(self._function).__name__

    def release(self) -> None:
        """Let go of what was saved."""
        self._function._saved = ()

    def vjp(self, g: tuple[Operand, ...], y: tuple[Operand, ...], *xs: Operand) -> tuple[Operand | None, ...]:
        """By the user's `backward`."""
        saved = self._function._saved
        try:
            self._function._saved = tuple(
                beside(like(x, result(y[self._outputs[position]])), x) if position in self._outputs else x
                for position, x in enumerate(saved)
            )
            return self._gradients(g, xs)
        finally:
            self._function._saved = saved

    def _gradients(self, g: tuple[Operand, ...], xs: Sequence[Operand]) -> tuple[Operand | None, ...]:
        gradients = [classed(result(one), of_nd) for one, of_nd in zip(g, self._classes, strict=True)]
        if OTHERS:
            gradients = [place(one, device) for one, device in zip(gradients, self._devices, strict=True)]
        answer = self._function.backward(*gradients)

        def taped_operand(one: Any, kind: TensorType) -> Operand:
            return operand(one if isinstance(one, (ndarray, numpy.ndarray)) else numpy.asarray(one, kind.dtype))

        return argument_gradients(
            self.name, answer, self._takes, list(map(TAPE.type_of, xs)), taped_operand, TAPE.type_of
        )


def argument_gradients(
    name: str, answer: Any, takes: Sequence[bool], kinds: Sequence[TensorType],
    operand: Callable[[Any, TensorType], Operand], type_of: Callable[[Operand], TensorType],
) -> tuple[Operand | None, ...]:  # fmt: skip
    """The gradients that a `backward` of the user's gave, as operands; None where an argument has none.

    Args:
        name: of its class.
        answer: what it gave: one for each argument, or for each that is an array.
        takes: for each argument, whether it is an array.
        kinds: types of the arrays.
        operand: makes an operand of what was given for a type.
        type_of: gives the type of an operand.

    Raises:
        ArgumentError E387, E389: they do not fit.
    """
    answers = listed(answer)
    if len(answers) == len(takes):
        answers = [one for one, is_array in zip(answers, takes, strict=True) if is_array]
    if len(answers) != len(kinds):
        raise ArgumentError(
            "E389",
            f"{name}.backward returned {len(answers)} gradients for {len(kinds)} array arguments",
            help="return one gradient for each, None where there is none",
        )
    gradients: list[Operand | None] = []
    for number, (one, kind) in enumerate(zip(answers, kinds, strict=True)):
        gradient = None if one is None or not is_inexact(kind.dtype) else operand(one, kind)
        if gradient is not None and type_of(gradient) != kind:
            raise ArgumentError(
                "E387",
                f"{name}.backward returned {type_of(gradient)} as the gradient of argument {number}, which is {kind}",
                help="a gradient must have the shape and dtype of its array",
            )
        gradients.append(gradient)
    return tuple(gradients)
