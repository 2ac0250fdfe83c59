# SPDX-License-Identifier: Apache-2.0
"""Helpers of all distributions: probabilities and their logits, properties computed once, sums of last axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from hybridize.array import np, npx
from hybridize.base.errors import StateError


class Lacking(StateError, NotImplementedError):
    """There is no formula for what is asked of a distribution or a transformation."""


def lacking(one: Any, what: str) -> Lacking:
    """Return the error for what an object has no formula for."""
    return Lacking("E508", f"{type(one).__name__} has no {what}", help="where samples do, sample_n draws them")


_EPSILON = float(numpy.finfo("float32").eps)


def clipped(prob: Any) -> Any:
    """Probabilities away from 0 and 1, by the rounding of float32, so that their logarithms are finite."""
    return np.clip(prob, _EPSILON, 1 - _EPSILON)


def prob2logit(prob: Any, binary: bool = True) -> Any:
    """Return log(p / (1 - p)), or log(p) of several events if `binary` is off.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> probability.prob2logit(np.array(0.5))
    array(0.)
    """
    prob = clipped(prob)
    return np.log(prob) - np.log1p(-prob) if binary else np.log(prob)


def logit2prob(logit: Any, binary: bool = True) -> Any:
    """Return the sigmoid, or the softmax over the last axis of several events if `binary` is off.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> probability.logit2prob(np.array(0.0))
    array(0.5)
    """
    return npx.sigmoid(logit) if binary else npx.softmax(logit, -1)


def softplus(x: Any) -> Any:
    """log(1 + exp(x)), which overflows nowhere."""
    return np.logaddexp(x, np.zeros_like(x)) if hasattr(x, "shape") else np.logaddexp(x, 0.0)


def sum_right_most(x: Any, ndim: int) -> Any:
    """The sum over the last `ndim` axes."""
    return x if ndim == 0 else np.sum(x, tuple(range(-ndim, 0)))


class cached_property:  # noqa: N801 - as Python's
    """Compute a property once for each object, unless it is set before.

    >>> from hybridize.gluon import probability
    >>> class Circle:
    ...     @probability.cached_property
    ...     def area(self):
    ...         return 3
    >>> Circle().area
    3
    """

    __name__: str

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        value = self._function(instance)
        setattr(instance, self.__name__, value)
        return value
