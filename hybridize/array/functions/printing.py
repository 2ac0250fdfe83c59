# SPDX-License-Identifier: Apache-2.0
"""Numbers as text, and what NumPy does where a computation has no finite result.

The settings are NumPy's own, one for its arrays and for ours. A program reports nothing of its elements, so in one only
settings that ask for nothing are possible.
"""

from __future__ import annotations

from typing import Any

import numpy

from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ArgumentError, CaptureError
from hybridize.base.participation import outside_only
from hybridize.ops.op import ACTIVE, capturing


def format_float_positional(x: Any, *args: Any, **kwargs: Any) -> str:
    """A number as decimal text; arguments as of `numpy.format_float_positional`."""
    return numpy.format_float_positional(_number(x), *args, **kwargs)


def format_float_scientific(x: Any, *args: Any, **kwargs: Any) -> str:
    """A number as text with an exponent; arguments as of `numpy.format_float_scientific`."""
    return numpy.format_float_scientific(_number(x), *args, **kwargs)


def _number(x: Any) -> Any:
    return x.asnumpy()[()] if isinstance(x, ndarray) else x


_REPORTS = ("warn", "raise", "call", "print", "log")


class errstate(numpy.errstate):  # noqa: N801 - the name NumPy gave it
    """Sets what is done within where a result overflows, is no number, ...: `with errstate(divide="ignore")`.

    Of imperative computations; compiled programs report nothing.

    Raises:
        CaptureError E404: in a program, asked for a report.
    """

    def __init__(self, **kwargs: Any) -> None:
        names = sorted(name for name, value in kwargs.items() if value in _REPORTS)
        if ACTIVE and capturing() and names:
            what = f"errstate({names[0]}={kwargs[names[0]]!r}) in a program, which reports nothing of its elements"
            raise CaptureError("E404", what, help="test the result: npx.assert_(np.isfinite(x).all(), ...)")
        super().__init__(**kwargs)


@outside_only("changes what is reported")
def seterr(
    all: Any = None, divide: Any = None, over: Any = None, under: Any = None, invalid: Any = None
) -> dict[str, Any]:
    """Set what is done where a result overflows, is no number, ..., imperatively; return what was set."""
    return {**numpy.seterr(all=all, divide=divide, over=over, under=under, invalid=invalid)}


@outside_only("changes what is reported")
def seterrcall(func: Any) -> Any:
    """Set the function, or the object with `write`, that is told of such results where they are to be told of.

    Returns what was set before.

    Raises:
        ArgumentError E344: it is neither.
    """
    if func is not None and not callable(func) and not callable(getattr(func, "write", None)):
        what = f"seterrcall takes a function, or an object with write, got {type(func).__name__}"
        raise ArgumentError("E344", what)
    return numpy.seterrcall(func)


def geterrcall() -> Any:
    """Return what `seterrcall` has set; None where nothing is."""
    return numpy.geterrcall()


def geterr() -> dict[str, Any]:
    """Return what is done where a result overflows, is no number, ..."""
    return {**numpy.geterr()}
