# SPDX-License-Identifier: Apache-2.0
"""Numbers as text, and what NumPy does where a computation has no finite result.

The settings are NumPy's own, one for its arrays and for ours. A program reports nothing of its elements, so in one only
settings that ask for nothing are possible.
"""

from __future__ import annotations

from typing import Any

import numpy

from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ArgumentError, CaptureError, ValueArgumentError
from hybridize.base.participation import outside_only
from hybridize.base.tracebacks import leaves
from hybridize.ops.op import ACTIVE, capturing


def format_float_positional(x: Any, *args: Any, **kwargs: Any) -> str:
    """Return a number as decimal text; arguments are those of `numpy.format_float_positional`.

    >>> np.format_float_positional(0.00015)
    '0.00015'
    """
    return numpy.format_float_positional(_number(x), *args, **kwargs)


def format_float_scientific(x: Any, *args: Any, **kwargs: Any) -> str:
    """Return a number as text with an exponent; arguments are those of `numpy.format_float_scientific`.

    >>> np.format_float_scientific(1500.0)
    '1.5e+03'
    """
    return numpy.format_float_scientific(_number(x), *args, **kwargs)


def _number(x: Any) -> Any:
    return x.asnumpy()[()] if isinstance(x, ndarray) else x


_REPORTS = ("warn", "raise", "call", "print", "log")
_WAYS = ("ignore", *_REPORTS)


def _check_ways(function: str, **ways: Any) -> None:
    """Refuse what is no way to report a kind of results.

    Raises:
        ValueArgumentError E345: there is no such way.
    """
    for name, way in ways.items():
        if name != "call" and way is not None and way not in _WAYS:
            what = f"{name} of {function} must be {', '.join(_WAYS[:-1])} or {_WAYS[-1]}, got {way!r}"
            raise ValueArgumentError("E345", what, help="`warn` shows a warning, `ignore` reports nothing")


@leaves
class errstate(numpy.errstate):  # noqa: N801 - the name NumPy gave it
    """Set, within a `with` block, what happens where a result overflows or is no number.

    Of imperative computations; compiled programs report nothing.

    Raises:
        CaptureError E404: in a program, asked for a report.

    >>> with np.errstate(divide="ignore"):
    ...     print(np.array([1.0]) / 0)
    [inf]
    """

    def __init__(self, **kwargs: Any) -> None:
        names = sorted(name for name, value in kwargs.items() if value in _REPORTS)
        if ACTIVE and capturing() and names:
            what = f"errstate({names[0]}={kwargs[names[0]]!r}) in a program, which reports nothing of its elements"
            raise CaptureError("E404", what, help="test the result: npx.assert_(np.isfinite(x).all(), ...)")
        _check_ways("errstate", **kwargs)
        super().__init__(**kwargs)


@outside_only("changes what is reported")
@leaves
def seterr(
    all: Any = None, divide: Any = None, over: Any = None, under: Any = None, invalid: Any = None
) -> dict[str, Any]:
    """Set what happens where a result overflows or is no number, imperatively; return what was set before.

    Args:
        all: for every kind: `ignore`, `warn`, `raise`, `call`, `print` or `log`.
        divide: where a number is divided by 0.
        over: where a result is too large.
        under: where a result is too small.
        invalid: where a result is NaN.

    Raises:
        ValueArgumentError E345: it is none of these words.

    >>> before = np.seterr(divide="ignore")
    >>> np.geterr()["divide"]
    'ignore'
    >>> _ = np.seterr(**before)
    """
    _check_ways("seterr", all=all, divide=divide, over=over, under=under, invalid=invalid)
    return {**numpy.seterr(all=all, divide=divide, over=over, under=under, invalid=invalid)}


@outside_only("changes what is reported")
@leaves
def seterrcall(func: Any) -> Any:
    """Set the function, or the object with `write`, that hears of results that overflow or are no numbers.

    Returns what was set before.

    Raises:
        ArgumentError E344: it is neither.

    >>> before = np.seterrcall(print)
    >>> np.geterrcall() is print
    True
    >>> _ = np.seterrcall(before)
    """
    if func is not None and not callable(func) and not callable(getattr(func, "write", None)):
        what = f"seterrcall takes a function, or an object with write, got {type(func).__name__}"
        raise ArgumentError("E344", what, help="pass a function of a text and a number, or None")
    return numpy.seterrcall(func)


def geterrcall() -> Any:
    """Return what `seterrcall` has set; None where it has set nothing.

    >>> np.geterrcall() is None
    True
    """
    return numpy.geterrcall()


def geterr() -> dict[str, Any]:
    """Return what happens where a result overflows or is no number, imperatively.

    >>> np.geterr()["divide"]
    'warn'
    """
    return {**numpy.geterr()}
