"""`raise` and `assert` on data: that class, those arguments, nothing kept; variables that a loop sets first."""

import types

import pytest

from hybridize.array import np
from hybridize.capture import Function

VALUES = ([1.0, 3.0], [-1.0, -2.0], [0.5, -0.25], [2.0, 0.0], [30.0, 3.0], [-7.0, 60.0])


class Refused(Exception):
    """With an attribute, and an `__init__` of its own."""

    def __init__(self, what, limit):
        super().__init__(f"{what} is above {limit}")
        self.limit = limit


def check(x):
    if x[0] > 20:
        raise Refused(x[0], 20)
    return x * 2


def one_side(x):
    if x.sum() > 3:
        raise ValueError("big")
    return x + 1


def with_values(x):
    if x.sum() > 3:
        raise ValueError(f"bad {x.sum():.2f}", x[0])
    elif x.sum() < 0:
        raise KeyError(x)
    else:
        y = x + 1
    return y


def without_arguments(x):
    if x[0] > 1:
        raise ValueError
    return x


def in_a_helper(x):
    y = check(x)
    return check(y) + 1


def in_a_loop_of_the_graph(x):
    while abs(x).sum() < 100:
        if x.max() > 25:
            raise OverflowError("%.1f is too much" % x.max())  # noqa: UP031
        x = x * 2
        if x[0] < -10:
            raise ValueError("low")
    return x


def in_an_unrolled_loop(x):
    for i in range(3):
        if x[1] > 2 + i:
            raise IndexError(i)
        x = x - 1
    return x


def before_a_loop_that_would_not_end(x):
    if x[0] <= 0:
        raise ValueError("not positive")
    scale = x[0]
    while scale < 100:
        scale = scale * 2
    return scale


def whatever_happens(x):
    if x[0] > 0:
        raise ValueError("positive")
    else:
        raise TypeError("not")


def caught_in_the_branch(x):
    if x[0] > 0:
        try:
            if x.shape[0] == 2:
                raise ValueError("two")
        except ValueError as error:
            y = x + len(str(error))
    else:
        y = x
    return y


def chain(x):
    if x[0] > 20:
        return x
    if x[0] > 0:
        return x * 2
    raise ValueError(f"{x[0]}")


def asserts(x):
    assert x[0] > 0, f"x0 is {x[0]}"
    assert x[1] >= 0
    return x


def lists(x):
    parts = [x]
    if x[0] > 20:
        parts.append(x)
        raise ValueError(len(parts))
    parts.append(x + 1)
    return parts


FUNCTIONS = [
    one_side, with_values, without_arguments, in_a_helper, in_a_loop_of_the_graph, in_an_unrolled_loop,
    before_a_loop_that_would_not_end, whatever_happens, caught_in_the_branch, chain, asserts, lists,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_raised_by_calls(same, function):
    same(lambda: function, *VALUES)


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
def test_attributes_and_the_line(backend):
    function = Function(check, backend=backend)
    function(np.array([1.0, 2.0]))
    with pytest.raises(Refused, match=r"^30.0 is above 20\n") as caught:
        function(np.array([30.0, 2.0]))
    assert caught.value.limit == 20
    assert "in check:  raise Refused(x[0], 20)" in "".join(caught.value.__notes__)


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
def test_nothing_is_kept_of_a_call_that_raises(backend):
    weight, log = np.array([1.0, 2.0]), []

    def step(x):
        weight[:] = weight + x
        log.append(x.sum())
        if x[0] < 0:
            raise ValueError("negative")
        return weight * 2

    function = Function(step, backend=backend)
    for _ in range(3):
        with pytest.raises(ValueError, match="negative"):
            function(np.array([-1.0, 5.0]))
        assert weight.asnumpy().tolist() == [1.0, 2.0] and log == []
    function(np.array([1.0, 5.0]))
    assert weight.asnumpy().tolist() == [2.0, 7.0] and len(log) == 1


def line_search(x):
    for k in range(5):
        step = x / (k + 1)
        if step.sum() < 1:
            break
    return step, k


def first_round_of_a_while(x):
    while True:
        y = x * 2
        x = y + 1
        if x.sum() > 10 or x.sum() < -10:
            break
    return y


def rows_until(x):
    for row in x:
        last = row * 2
        if row > 1:
            break
    else:
        last = last + 100
    return last


def nested_first(x):
    for i in range(3):
        for j in range(2):
            w = x[j] + i
            if w > 2:
                break
        if w > 4:
            break
    return w, i


@pytest.mark.parametrize("function", [line_search, first_round_of_a_while, rows_until, nested_first])
def test_variables_that_a_loop_sets_first(same, function):
    same(lambda: function, *VALUES)


def weights_before_a_python_raise():
    weight, log, place = np.array([1.0, 2.0]), [], types.SimpleNamespace(count=0)

    def step(x, flag):
        weight[:] = weight + x
        log.append(x.sum())
        place.count += 1
        if flag:
            raise ValueError(f"flag after {x.sum()}", x)
        weight[:] = weight * 2
        log.append("done")
        return weight.sum()

    return step, lambda: (weight.copy(), list(log), place.count)


def lookup_after_a_write():
    weight, table = np.array([1.0, 2.0]), {"a": 1.0}

    def step(x, key):
        weight[:] = weight + x
        return weight * table[key]

    return step, lambda: weight.copy()


def test_what_was_done_before_an_exception_that_python_decides_stays_done(same):
    same(weights_before_a_python_raise, ([1.0, 2.0], True), ([3.0, 2.0], False), ([5.0, 2.0], True))
    same(lookup_after_a_write, ([1.0, 2.0], "a"), ([3.0, 2.0], "b"), ([5.0, 2.0], "b"))


def test_nothing_is_compiled_for_an_exception_that_comes_first():
    def function(x, flag):
        if flag:
            raise ValueError("flag")
        return x

    compiled = Function(function, backend="numpy")
    for _ in range(3):
        with pytest.raises(ValueError, match=r"^flag$"):
            compiled(np.array([1.0]), True)
    assert compiled.cache_info().programs == 0
