# SPDX-License-Identifier: Apache-2.0
"""Values of `a and b` and `a or b` where data decides which, and the two have no type in common.

A program has no such value, but it can ask for its truth, which is what an `if` wants, and `c and a or b` asks only
for the part of it that is left once the truth is known.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from hybridize.array.operators import functions
from hybridize.array.symbol import Symbol
from hybridize.base.errors import CaptureError
from hybridize.base.frozen import frozen
from hybridize.capture.control.joining import spec_of
from hybridize.capture.control.signals import Part
from hybridize.capture.control.truth import RESULT, Undecided, as_bool, is_one, refusal, truth


@frozen
class Alternative:
    """A value that it may be."""

    condition: Symbol
    """The condition under which the value is this one; of all alternatives one holds."""
    value: Any
    true: bool | None
    """Its truth, where that follows from the condition."""


_REFUSED = (
    "add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "matmul", "rmatmul", "pow", "rpow", "neg",
    "abs", "lt", "le", "gt", "ge", "eq", "ne", "getitem", "setitem", "len", "iter", "contains", "array",
    "mod", "format",
)  # fmt: skip
"""Special methods that have no answer."""


class MixedValue(Undecided, refuses={f"__{name}__": f"__{name}__" for name in _REFUSED}):
    """A value of one of several types."""

    __slots__ = ("_truth_under", "alternatives")

    def __init__(self, alternatives: list[Alternative], truth_under: Callable[[Symbol, Part], Any]) -> None:
        """Name the alternatives.

        Args:
            alternatives: the values that it may be.
            truth_under: records the truth of a part under a condition.
        """
        super().__init__()
        self.alternatives: list[Alternative] = alternatives
        self._truth_under = truth_under

    def truth(self) -> Any:
        """A symbol of type bool[]."""
        truths = []
        for one in self.alternatives:
            known = one.true
            if known is None and is_one(one.value):
                known = truth(one.value)
            elif known is None:  # it may raise an exception, in calls that have this value
                known = self._truth_under(one.condition, lambda one=one: one.value)
            if type(known) is Symbol:
                truths.append(functions.logical_and(one.condition, known))
            elif known:
                truths.append(one.condition)
        return as_bool(reduce(functions.logical_or, truths)) if truths else False

    def left(self, true: bool) -> list[Alternative]:
        """Return the alternatives that are left once its truth is known."""
        return [one for one in self.alternatives if one.true is not (not true)]

    def of(self, alternatives: list[Alternative]) -> MixedValue:
        """Return a value that may be some of these."""
        return MixedValue(alternatives, self._truth_under)

    def refused(self, what: str) -> CaptureError:
        """The error for any use but of its truth."""
        kinds = " or ".join(dict.fromkeys(str(spec_of(one.value)) for one in self.alternatives))
        return refusal(
            "E440", f"{what} of the result of an `and` or `or` that depends on data: it is {kinds}",
            help="give both operands the same shape and dtype with np.where(c, a, b), or use bool(...) if only the "
            "truth value matters",
            loc=self.loc if what == RESULT else None,
        )  # fmt: skip

    def __repr__(self) -> str:
        return "<one of several types, as data decides>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise self.refused(f".{name}")
