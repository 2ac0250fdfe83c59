# SPDX-License-Identifier: Apache-2.0
"""`t = 0.0` before a loop on data and `t += x[i]` in it: a new array in the first round, a write to it in later ones."""

from __future__ import annotations

import operator
import random
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

from hybridize import hybridize, np
from hybridize.base.nested import flatten
from hybridize.errors import CaptureError

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, name)
    for name in ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor")
}
PAIRS = [(name, start) for name in OPERATORS for start in (0, 0.5)]


def outcome(function: Callable[..., Any], *args: Any) -> str:
    """Results and arguments after a call, or the class of what it raises."""
    try:
        return repr((function(*args), args))
    except (TypeError, ValueError) as error:
        return type(error).__name__


@pytest.mark.parametrize("dtype", ["float32", "int64"])
@pytest.mark.parametrize(("name", "start"), PAIRS, ids=str)
def test_every_operator_of_every_number(name: str, start: Any, dtype: str) -> None:
    apply = OPERATORS[name]

    def function(x: Any) -> Any:
        t, i = start, 0
        while x[i] > 0:
            t = apply(t, x[i])
            i += 1
        return t

    x = np.array([1, 3, 2, 0, 1], dtype=dtype)
    assert outcome(hybridize(function), x.copy()) == outcome(function, x)


def plain(x: Any) -> Any:
    t, i = 0.0, 0
    while x[i] < 3:
        t += x[i]
        i += 1
    return t


def in_a_branch(x: Any) -> Any:
    t, i = 0.0, 0
    while x[i] < 3:
        if x[i] > 1:
            t += x[i]
        i += 1
    return t * 2


def in_a_branch_of_few_operations(x: Any) -> Any:
    t, i = 0.0, 0
    while x[i] < 3:
        y = x[i] * 1
        if y > 1:
            t += y
        i += 1
    return t


def old_value_read_on_the_other_side(x: Any) -> Any:
    t, u, i = 0.0, 0.0, 0
    while x[i] < 3:
        y, w = x[i] * 1, t
        if y > 1:
            t += y
        else:
            u = u + w
        i += 1
    return t, u


def begins_again(x: Any) -> Any:
    t, best, i = 0.0, 0.0, 0
    while x[i] < 3:
        t += x[i]
        if t > best:
            best = t * 1
        if t > 2:
            t = 0.0
        i += 1
    return t, best


def returned(x: Any) -> Any:
    t, i = 0.0, 0
    while x[i] < 3:
        t += x[i]
        if t > 2:
            return t
        i += 1
    return t * 5


def sums_of_sums(x: Any) -> Any:
    t, u, i = 0.0, 0.0, 0
    while x[i] < 3:
        t += x[i]
        u += t
        i += 1
    return t, u


def nested(x: Any) -> Any:
    t, u, i = 0.0, 0.0, 0
    while x[i] < 3:
        j = 0
        while x[j] < 2:
            t += x[j]
            j += 1
        u = u + t
        t += 1
        i += 1
    return t, u


def nested_rounds(x: Any) -> Any:
    t, i = 0.0, 0
    while x[i] < 3:
        for k in range(40):
            t += x[k % 3]
        i += 1
    return t


def left_by_break(x: Any) -> Any:
    t = 0.0
    for i in range(40):
        t += x[i % 3]
        if t > 20:
            break
    return t


def in_a_dict(x: Any) -> Any:
    d, i = {"a": 0.0, "b": (0.0, 0.0)}, 0
    while x[i] < 3:
        a, b = d["b"]
        a += x[i]
        b += a
        d["b"] = a, b
        d["a"] += x[i]
        i += 1
    return d


def by_another_name_afterwards(x: Any) -> Any:
    t = u = 0.0
    i = 0
    while x[i] < 3:
        t += x[i]
        u = t
        u += 1
        i += 1
    return t, u


def old_value_read(x: Any) -> Any:
    t, i = 0.0, 0
    while x[i] < 3:
        w = t
        t += x[i]
        t = w + t
        i += 1
    return t


def old_value_read_in_a_branch(x: Any) -> Any:
    t, u, i = 0.0, 0.0, 0
    while x[i] < 3:
        w = t
        if x[i] > 1:
            t += x[i]
            u = w
        i += 1
    return t, u


def old_value_read_after_a_branch(x: Any) -> Any:
    t, u, i = 0.0, 0.0, 0
    while x[i] < 3:
        w = t
        if x[i] > 1:
            t += x[i]
        u = u + w
        i += 1
    return t, u


def old_value_read_after_a_branch_of_few_operations(x: Any) -> Any:
    t, u, i = 0.0, 0.0, 0
    while x[i] < 3:
        y, w = x[i] * 1, t
        if y > 1:
            t += x[i]
        u = u + w
        i += 1
    return t, u


def old_value_read_after_a_loop(x: Any) -> Any:
    t, i = 0.0, 0
    while x[i] < 3:
        w, j = t, 0
        while x[j] < 2:
            t += x[j]
            j += 1
        t = w + t
        i += 1
    return t


def old_value_read_in_a_loop(x: Any) -> Any:
    t, u, i = 0.0, 0.0, 0
    while x[i] < 3:
        w, j = t, 0
        while x[j] < 2:
            t += x[j]
            u = u + w
            j += 1
        i += 1
    return t, u


def value_of_the_round_before(x: Any) -> Any:
    t, u, i = 0.0, 0.0, 0
    while x[i] < 3:
        t += x[i]
        v = u + 1
        u = t
        i += 1
    return t, u, v


def left_behind(x: Any) -> Any:
    t, best, i = 0.0, 0.0, 0
    while x[i] < 3:
        best = t
        t += x[i]
        i += 1
    return t, best


def swapped(x: Any) -> Any:
    t, u, i = 0.0, 1.0, 0
    while x[i] < 3:
        t += x[i]
        t, u = u, t
        i += 1
    return t, u


def in_a_list(x: Any) -> Any:
    t, items, i = 0.0, [0.0], 0
    while x[i] < 3:
        t += x[i] + items[0]
        items[0] = t
        i += 1
    return t, items


def view_of_an_argument(x: Any) -> Any:
    t, i = 0.0, 0
    while x[i] < 3:
        t += x[i]
        if i == 1:
            t = x[i]
        i += 1
    return t


COMPILED = [plain, in_a_branch, in_a_branch_of_few_operations, old_value_read_on_the_other_side, begins_again, returned, sums_of_sums, nested, nested_rounds, left_by_break, in_a_dict,
            by_another_name_afterwards]  # fmt: skip
SEEN = [old_value_read, old_value_read_after_a_branch_of_few_operations, old_value_read_in_a_branch, old_value_read_after_a_branch, old_value_read_after_a_loop,
        old_value_read_in_a_loop, value_of_the_round_before, left_behind, swapped, in_a_list, view_of_an_argument]  # fmt: skip
VALUES = [[0.0, 1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 5.0, 1.0, 0.0], [1.0, 3.0, 0.0, 0.0, 0.0], [4.0, 3.0, 0.0, 0.0, 0.0]]


@pytest.mark.parametrize("dynamic", [False, True], ids=["sizes", "dynamic"])
@pytest.mark.parametrize("function", COMPILED)
def test_accumulators_that_nobody_else_has(function: Callable[..., Any], dynamic: bool) -> None:
    compiled = hybridize(function, dynamic=True) if dynamic else hybridize(function)
    for values in VALUES[:3]:
        x = np.array(values)
        result, expected = flatten(compiled(x.copy()))[0], flatten(function(x))[0]
        for one, other in zip(result, expected, strict=True):  # a float that no round has changed may be an array
            assert one == other and (repr(one) == repr(other) or type(other) is float)


@pytest.mark.parametrize("function", SEEN)
def test_accumulators_that_somebody_else_reads(function: Callable[..., Any]) -> None:
    """In the first round the other name is the number of before, in later rounds the array that is written."""
    with pytest.raises(CaptureError, match=r"E441.*\n.*\+= x") as error:
        hybridize(function)(np.array(VALUES[0]))
    assert error.value.loc is not None and error.value.loc.function == function.__name__


def test_the_longer_form_is_the_way_out() -> None:
    def function(x: Any) -> Any:
        t, i = 0.0, 0
        while x[i] < 3:
            w = t
            t = t + x[i]
            t = w + t
            i += 1
        return t

    for values in VALUES[:3]:
        x = np.array(values)
        assert repr(hybridize(function)(x)) == repr(function(x))


NAMES = ("t", "u", "w")


def _expression(draw: random.Random) -> str:
    name, other = draw.choice(NAMES), draw.choice(NAMES)
    return draw.choice(["x[i]", "y", name, f"{name} * 1", f"{name} + {other}", f"x[i] - {name}", f"y + {name}"])


def _block(draw: random.Random, depth: int, indent: str) -> list[str]:
    """Statements that write to names, copy them, and branch or loop on data."""
    lines: list[str] = []
    for _ in range(draw.randrange(1, 4)):
        name, kind = draw.choice(NAMES), draw.randrange(10)
        if kind < 3:
            lines.append(f"{indent}{name} += {draw.choice(['x[i]', 'y', '1', *NAMES])}")
        elif kind < 6:
            lines.append(f"{indent}{name} = {_expression(draw)}")
        elif kind == 6:
            lines.append(f"{indent}{name}, {draw.choice(NAMES)} = {draw.choice(NAMES)}, {draw.choice(NAMES)}")
        elif kind < 9 and depth < 2:
            lines += [f"{indent}if {name} > {draw.choice([0, 1, 2])}:", *_block(draw, depth + 1, indent + "    ")]
        elif depth < 1:
            lines += [f"{indent}j = 0", f"{indent}while x[j] < 2:", *_block(draw, depth + 1, indent + "    ")]
            lines.append(f"{indent}    j += 1")
    return lines or [f"{indent}{draw.choice(NAMES)} += x[i]"]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(200))
def test_random_accumulators(seed: int, tmp_path: Path) -> None:
    """Names that are numbers or arrays, one or several: the same values, or a refusal."""
    draw = random.Random(seed)
    starts = [f"    u = {draw.choice(['0.0', 't', '0', 'x[0] * 1'])}", f"    w = {draw.choice(['u', 't', '1.0'])}"]
    lines = ["def function(x):", "    t, i = 0.0, 0", *starts, "    while x[i] < 3:", "        y = x[i] * 1"]
    lines += [*_block(draw, 0, "        "), "        i += 1", "    return t, u, w"]
    path = tmp_path / f"random_{seed}.py"
    path.write_text("\n".join(lines) + "\n")
    function = runpy.run_path(str(path))["function"]
    compiled = hybridize(function)
    for values in [*VALUES, [1.0, 1.0, 1.0, 1.0, 9.0]]:
        one, other = np.array(values), np.array(values)
        try:
            result = compiled(one)
        except CaptureError as error:
            if error.code not in ("E440", "E441", "E444", "E449"):
                raise
            return
        expected = function(other)
        assert numpy.allclose(list(map(float, result)), list(map(float, expected))), "\n".join(lines)
        assert repr(one) == repr(other)
