# SPDX-License-Identifier: Apache-2.0
"""Transformations from all numbers to those that a constraint allows: `biject_to`, `transform_to`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridize.base.errors import ArgumentError
from hybridize.gluon.probability import constraint as constraints
from hybridize.gluon.probability.constraint import Constraint
from hybridize.gluon.probability.transformation import (
    AffineTransform,
    ComposeTransform,
    ExpTransform,
    SigmoidTransform,
    Transformation,
)

_Factory = Callable[[Any], Transformation]


class domain_map:  # noqa: N801 - MXNet's name
    """Map kinds of constraints to functions that return a transformation for a constraint.

    >>> from hybridize import np
    >>> from hybridize.gluon.probability import biject_to, constraint
    >>> biject_to(constraint.Positive())(np.zeros(2))
    array([1., 1.])
    """

    def __init__(self) -> None:
        self._factories: dict[type[Constraint], _Factory] = {}

    def register(self, constraint: Any, factory: _Factory | None = None) -> Any:
        """Enter a function for a kind of constraint; a decorator where it is not given."""
        if factory is None:
            return lambda function: self.register(constraint, function)
        kind = type(constraint) if isinstance(constraint, Constraint) else constraint
        if not (isinstance(kind, type) and issubclass(kind, Constraint)):
            raise ArgumentError("E310", f"register takes a constraint or its class, got {constraint!r}")
        self._factories[kind] = factory
        return factory

    def __call__(self, constraint: Constraint) -> Transformation:
        """Return the transformation for a constraint."""
        factory = self._factories.get(type(constraint))
        if factory is None:
            raise _NoTransformation("E310", f"no transformation to {type(constraint).__name__}", help="register one")
        return factory(constraint)


class _NoTransformation(ArgumentError, NotImplementedError):
    """Nobody has registered a transformation for a kind of constraint."""


biject_to: domain_map = domain_map()
transform_to: domain_map = domain_map()


def _to_positive(constraint: Any) -> Transformation:
    return ExpTransform()


def _to_above(constraint: Any) -> Transformation:
    return ComposeTransform([ExpTransform(), AffineTransform(constraint._lower_bound, 1)])


def _to_below(constraint: Any) -> Transformation:
    return ComposeTransform([ExpTransform(), AffineTransform(constraint._upper_bound, -1)])


def _to_interval(constraint: Any) -> Transformation:
    low, high = constraint._lower_bound, constraint._upper_bound
    if isinstance(low, (int, float)) and isinstance(high, (int, float)) and (low, high) == (0, 1):
        return SigmoidTransform()
    return ComposeTransform([SigmoidTransform(), AffineTransform(low, high - low)])


for _kinds, _factory in (
    ((constraints.Positive, constraints.NonNegative), _to_positive),
    ((constraints.GreaterThan, constraints.GreaterThanEq), _to_above),
    ((constraints.LessThan, constraints.LessThanEq), _to_below),
    (
        (
            constraints.Interval,
            constraints.OpenInterval,
            constraints.HalfOpenInterval,
            constraints.UnitInterval,
        ),
        _to_interval,
    ),
):
    for _kind in _kinds:
        biject_to.register(_kind, _factory)
        transform_to.register(_kind, _factory)
