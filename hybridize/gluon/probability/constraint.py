# SPDX-License-Identifier: Apache-2.0
"""Constraints: what parameters and samples of a distribution are to be, checked where `validate_args` is on.

A check is an error at once where values are known; a compiled program asserts it when it runs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from numbers import Number
from typing import Any

from hybridize.array import np
from hybridize.array.functions.bounds import require
from hybridize.base.errors import StateError, ValueArgumentError

_ROUNDING = 1e-5


class Constraint(ABC):
    """Base of constraints: `check(value)` gives the value back, or refuses it."""

    @abstractmethod
    def check(self, value: Any, name: str = "value") -> Any:
        """Return `value`, which `name` says in the message, or raise."""


class ConditionConstraint(Constraint):
    """Base of constraints that are told by one condition."""

    @abstractmethod
    def rule(self) -> str:
        """The constraint in words, after "is"."""

    @abstractmethod
    def holds(self, value: Any) -> Any:
        """A bool or an array of bools: true where a value obeys."""

    def check(self, value: Any, name: str = "value") -> Any:
        """Return `value`, which `name` says in the message.

        Raises:
            ValueArgumentError E345: it breaks the rule.
        """
        require(self.holds(value), f"{name} is {self.rule()}")
        return value


class DependentConstraint(Constraint):
    """A constraint that other parameters decide: each object says its own."""

    def check(self, value: Any, name: str = "value") -> Any:
        """Refuse: there is no object to ask."""
        raise StateError(
            "E510",
            "this support depends on the parameters of the distribution",
            help="use the support of an object of the distribution",
        )


class dependent_property(property, DependentConstraint):  # noqa: N801 - MXNet's name
    """A property that, asked of the class, is a `DependentConstraint`."""


def is_dependent(constraint: Constraint) -> bool:
    """Tell whether a constraint can only be checked of an object."""
    return isinstance(constraint, DependentConstraint)


class Real(ConditionConstraint):
    """Any number but NaN."""

    def rule(self) -> str:
        return "a number, not NaN"

    def holds(self, value: Any) -> Any:
        return value == value


class Boolean(ConditionConstraint):
    """0 or 1."""

    def rule(self) -> str:
        return "0 or 1"

    def holds(self, value: Any) -> Any:
        return (value == 0) | (value == 1)


class _Bounded(ConditionConstraint):
    """Between two bounds, each None, included or not; of integers or of any numbers."""

    _includes = (True, True)
    _whole = False

    def __init__(self, lower_bound: Any = None, upper_bound: Any = None) -> None:
        self._lower_bound, self._upper_bound = lower_bound, upper_bound

    def rule(self) -> str:
        words = ["an integer"] if self._whole else []
        for bound, included, signs in zip(
            (self._lower_bound, self._upper_bound), self._includes, ((">=", ">"), ("<=", "<")), strict=True
        ):
            if bound is not None:
                words.append(f"{signs[0 if included else 1]} {bound if isinstance(bound, Number) else 'its bound'}")
        return " and ".join(words)

    def holds(self, value: Any) -> Any:
        fine = value % 1 == 0 if self._whole else None
        low, high = self._lower_bound, self._upper_bound
        if low is not None:
            above = value >= low if self._includes[0] else value > low
            fine = above if fine is None else fine & above
        if high is not None:
            below = value <= high if self._includes[1] else value < high
            fine = below if fine is None else fine & below
        return fine


class Interval(_Bounded):
    """Within [lower_bound, upper_bound]."""

    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        super().__init__(lower_bound, upper_bound)


class OpenInterval(Interval):
    """Within (lower_bound, upper_bound)."""

    _includes = (False, False)


class HalfOpenInterval(Interval):
    """Within [lower_bound, upper_bound)."""

    _includes = (True, False)


class UnitInterval(Interval):
    """Within [0, 1]."""

    def __init__(self) -> None:
        super().__init__(0, 1)


class IntegerInterval(Interval):
    """An integer within [lower_bound, upper_bound]."""

    _whole = True


class IntegerOpenInterval(IntegerInterval):
    """An integer within (lower_bound, upper_bound)."""

    _includes = (False, False)


class IntegerHalfOpenInterval(IntegerInterval):
    """An integer within [lower_bound, upper_bound)."""

    _includes = (True, False)


class GreaterThan(_Bounded):
    """Above `lower_bound`."""

    _includes = (False, False)

    def __init__(self, lower_bound: Any) -> None:
        super().__init__(lower_bound)


class GreaterThanEq(_Bounded):
    """`lower_bound` or above."""

    def __init__(self, lower_bound: Any) -> None:
        super().__init__(lower_bound)


class LessThan(_Bounded):
    """Below `upper_bound`."""

    _includes = (False, False)

    def __init__(self, upper_bound: Any) -> None:
        super().__init__(None, upper_bound)


class LessThanEq(_Bounded):
    """`upper_bound` or below."""

    def __init__(self, upper_bound: Any) -> None:
        super().__init__(None, upper_bound)


class IntegerGreaterThan(GreaterThan):
    """An integer above `lower_bound`."""

    _whole = True


class IntegerGreaterThanEq(GreaterThanEq):
    """An integer, `lower_bound` or above."""

    _whole = True


class IntegerLessThan(LessThan):
    """An integer below `upper_bound`."""

    _whole = True


class IntegerLessThanEq(LessThanEq):
    """An integer, `upper_bound` or below."""

    _whole = True


class _FromZero(_Bounded):
    """A bounded constraint from 0."""

    def __init__(self) -> None:
        super().__init__(0)


class Positive(_FromZero, GreaterThan):
    """Above 0."""


class NonNegative(_FromZero, GreaterThanEq):
    """0 or above."""


class PositiveInteger(_FromZero, IntegerGreaterThan):
    """An integer above 0."""


class NonNegativeInteger(_FromZero, IntegerGreaterThanEq):
    """An integer, 0 or above."""


class Simplex(ConditionConstraint):
    """Shares along the last axis: none negative, and their sum 1."""

    def rule(self) -> str:
        return ">= 0, and sums to 1 along its last axis"

    def holds(self, value: Any) -> Any:
        return np.all(value >= 0, -1) & (np.abs(np.sum(value, -1) - 1) < _ROUNDING)


class LowerTriangular(ConditionConstraint):
    """Lower triangular matrices [..., n, n]."""

    def rule(self) -> str:
        return "lower triangular"

    def holds(self, value: Any) -> Any:
        return np.tril(value) == value


class LowerCholesky(LowerTriangular):
    """Lower triangular matrices [..., n, n] whose diagonals are above 0."""

    def rule(self) -> str:
        return "lower triangular, its diagonal > 0"

    def holds(self, value: Any) -> Any:
        return np.all(np.tril(value) == value, -1) & (np.diagonal(value, axis1=-2, axis2=-1) > 0)


class PositiveDefinite(ConditionConstraint):
    """Symmetric matrices [..., n, n] whose eigenvalues are above 0."""

    def rule(self) -> str:
        return "symmetric and positive definite"

    def holds(self, value: Any) -> Any:
        apart = np.abs(value - np.swapaxes(value, -1, -2))
        return np.all(apart < _ROUNDING * np.maximum(np.abs(value), 1), -1) & (np.linalg.eigvalsh(value) > 0)


class Cat(Constraint):
    """Other constraints, each of a part of the value along `axis`, as `np.concatenate` lays them.

    Args:
        constraint_seq: of the parts.
        axis: along which they lie.
        lengths: of the parts; 1 each by default.
    """

    def __init__(
        self, constraint_seq: Sequence[Constraint], axis: int = 0, lengths: Sequence[int] | None = None
    ) -> None:
        self._parts = list(constraint_seq)
        self._lengths = [1] * len(self._parts) if lengths is None else list(lengths)
        self._axis = axis
        if len(self._lengths) != len(self._parts):
            raise ValueArgumentError("E345", f"{len(self._parts)} constraints of {len(self._lengths)} lengths")

    def check(self, value: Any, name: str = "value") -> Any:
        start = 0
        for constraint, length in zip(self._parts, self._lengths, strict=True):
            places = np.arange(start, start + length, dtype="int64", device=getattr(value, "device", None))
            constraint.check(np.take(value, places, self._axis), name)
            start += length
        return value


class Stack(Constraint):
    """Other constraints, each of one slice of the value along `axis`, as `np.stack` lays them."""

    def __init__(self, constraint_seq: Sequence[Constraint], axis: int = 0) -> None:
        self._parts = list(constraint_seq)
        self._axis = axis

    def check(self, value: Any, name: str = "value") -> Any:
        for number, constraint in enumerate(self._parts):
            constraint.check(np.take(value, number, self._axis), name)
        return value
