# SPDX-License-Identifier: Apache-2.0
"""Lists and dicts that branches and loops on data leave behind: arrays from outside in them stay what they are."""

from __future__ import annotations

import copy
from typing import Any

import numpy
import pytest

from hybridize import hybridize, np
from hybridize.errors import CaptureError

X = np.array([1.0, 2.0, 0.0])

COPIES: dict[str, Any] = {
    "display": lambda d: {**d},
    "dict()": dict,
    "dict.copy": lambda d: d.copy(),
    "copy.copy": copy.copy,
    "comprehension": lambda d: {key: value for key, value in d.items()},  # noqa: C416
    "|": lambda d: d | {"n": 1.0},
    "list of values": lambda d: dict(zip("ab", list(d.values()), strict=True)),
    "nested": lambda d: {"b": d["b"], "a": d["a"], "all": [*d.values()], "pair": tuple(d.values())},
}


def changed_on_one_side(d: Any, x: Any) -> Any:
    if x.sum() > 0:
        d["b"] = x
    return d


def changed_on_both_sides(d: Any, x: Any) -> Any:
    if x.sum() > 0:
        d["b"] = x
    else:
        d["b"] = -x
    return d


def set_by_default(d: Any, x: Any) -> Any:
    if x.sum() > 0:
        d.setdefault("a", x)
    return d


def written_before(d: Any, x: Any) -> Any:
    d["a"][0] = 5.0
    if x.sum() > 0:
        d.setdefault("b", x)
    return d


def written_on_one_side(d: Any, x: Any) -> Any:
    if x.sum() > 0:
        d["a"][0] += 5.0
        d["b"] = x
    return d


def written_after(d: Any, x: Any) -> Any:
    if x.sum() > 0:
        d["b"] = x * 2
    d["a"][1] = 7.0
    return d


def chosen(d: Any, x: Any) -> Any:
    return {**d, "b": x} if x.sum() > 0 else {**d, "b": -x}


def returned_early(d: Any, x: Any) -> Any:
    if x.sum() > 0:
        return {**d, "b": x}
    return {**d, "b": x * 3}


MERGED = [
    changed_on_one_side, changed_on_both_sides, set_by_default, written_before, written_on_one_side, written_after,
    chosen, returned_early,
]  # fmt: skip


def _numbers(value: Any) -> Any:
    """What is in a value, arrays as lists of numbers."""
    if isinstance(value, dict):
        return {key: _numbers(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return list(map(_numbers, value))
    return value.tolist() if isinstance(value, (np.ndarray, numpy.ndarray)) else value


def _calls(body: Any, made: Any, users: bool, compiled: bool) -> list[Any]:
    """The results of calls between which the array is written; whether it is in them, as arrays of NumPy's are not."""
    array: Any = numpy.ones(3) if users else np.ones(3)
    outside = {"a": array, "b": np.zeros(3)}
    step: Any = lambda x: body(made(outside), x)  # noqa: E731
    step = hybridize(step, backend="numpy") if compiled else step
    found = []
    for number, sign in enumerate((1, 1, -1, 1)):
        array[2] = 10.0 + number
        result = step(X * sign)
        found.append((_numbers(result), array.tolist(), users or result["a"] is array))
    return found


@pytest.mark.parametrize("users", [False, True], ids=["ours", "NumPy's"])
@pytest.mark.parametrize("name", COPIES)
@pytest.mark.parametrize("body", MERGED, ids=lambda body: body.__name__)
def test_arrays_from_outside_are_read_at_each_call_and_are_the_same_objects(body, name, users):
    expected, found = (_calls(body, COPIES[name], users, compiled) for compiled in (False, True))
    assert found == expected


@pytest.mark.parametrize("users", [False, True], ids=["ours", "NumPy's"])
def test_arrays_that_a_loop_carries_in_a_list_are_read_at_each_call(users):
    def body(values: list[Any], x: Any) -> Any:
        held = list(values)
        for i in range(4):
            held = [held[0] + 0.0 if i % 2 else held[0], held[0] * x]
            if x.sum() > 2 * i:
                break
        return held

    array: Any = numpy.ones(3) if users else np.ones(3)
    fast = hybridize(lambda x: body([*outside], x), backend="numpy")
    outside = [array, np.zeros(3)]
    for number in range(3):
        array[0] = 10.0 + number
        assert _numbers(fast(X)) == _numbers(body(outside, X))


def running_maximum(x: Any) -> Any:
    y = x.copy()
    for i in range(1, len(x)):
        y[i] = x[i] if x[i] > y[i - 1] else y[i - 1]
    return y


def compared(x: Any) -> Any:
    y = x.copy()
    y[1] = max(y[0], x[2])
    y[0] = min(y[1], y[2])
    return y


def either(x: Any) -> Any:
    y = x.copy()
    y[1] = (x[0] > y[2] and y[0]) or x[2]
    return y


def clipped(x: Any) -> Any:
    y = [x.copy()]
    y[0][1:] = y[0][:-1] if x[0] > 1 else x[1:]
    return y[0]


@pytest.mark.parametrize("function", [running_maximum, compared, either, clipped])
@pytest.mark.parametrize("values", [[2.0, 3.0, 1.0], [0.5, 1.0, 5.0], [5.0, 4.0, 3.0]], ids=str)
def test_what_data_chooses_may_be_written_where_it_comes_from(function: Any, values: list[float]) -> None:
    """Nobody reads the choice again, so it does not matter whose memory it is."""
    assert repr(hybridize(function)(np.array(values))) == repr(function(np.array(values)))


def test_what_data_chooses_and_somebody_still_has_may_not() -> None:
    def function(x: Any) -> Any:
        y = x.copy()
        chosen = x[0] if x[0] > y[2] else y[0]
        y[1] = chosen
        return y, chosen

    with pytest.raises(CaptureError, match="E441"):
        hybridize(function)(X)
