"""Python numbers among the arguments of which the program needs only what many have in common."""

from __future__ import annotations

import inspect
from types import SimpleNamespace

import numpy
import pytest

from hybridize import hybridize, np


def test_a_remainder_is_a_condition_not_the_number():
    def every_third(x, step):
        if (step + 1) % 3 == 0:
            x = x * 2
        if not step // 4 % 2:
            x = x - 7
        return x + step % 4

    compiled = hybridize(every_third)
    x = np.array([1.0, 2.0], dtype="float64")
    for step in [*range(-30, 30), 2**40, -(2**40) - 1, 2**53 + 1, 2**63 - 1, -(2**63)]:
        assert compiled(x, step).tolist() == every_third(x, step).tolist(), step
    assert compiled.cache_info().captures <= 4 + 3  # numbers beyond 2**53 are Python's


def test_an_index_that_is_a_remainder_has_a_program_for_each():
    def turn(x, step):
        return x[step % 3] + step

    compiled = hybridize(turn)
    x = np.array([1.0, 2.0, 4.0], dtype="float64")
    for step in range(-7, 14):
        assert float(compiled(x, step)) == float(turn(x, step))
    assert compiled.cache_info().captures == 3


def test_remainders_by_an_argument():
    def due(x, step, every):
        return x if step % every == 0 else -x

    compiled = hybridize(due)
    x = np.array(1.0)
    for step, every in [(0, 3), (1, 3), (4, 2), (7, 5), (8, -4), (9, -4), (-9, 3)]:
        assert float(compiled(x, step, every)) == float(due(x, step, every))
    assert compiled.cache_info().captures == 2
    with pytest.raises(ZeroDivisionError):
        compiled(x, 5, 0)
    assert float(compiled(x, 5, 5)) == 1.0
    assert compiled.cache_info().captures == 2


def takes_numbers(function) -> bool:
    """Whether the second parameter is data, by its annotation, of a function of an array first of all."""
    parameters = [str(one.annotation) for one in inspect.signature(function).parameters.values()]
    return len(parameters) > 1 and all("ArrayLike" in one for one in parameters[:2])


FUNCTIONS = [name for name in np.__all__ if inspect.isfunction(getattr(np, name))]
OF_NUMBERS = sorted(name for name in FUNCTIONS if takes_numbers(getattr(np, name)))
INTEGERS = {name for name in OF_NUMBERS if "bitwise" in name or "shift" in name or name in ("gcd", "lcm")}
CALLS = {
    "where": lambda of, x, n: of.where(x > 2, n, x),
    "clip": lambda of, x, n: of.clip(x, 1, n),
}


@pytest.mark.parametrize("of", [np, numpy])
@pytest.mark.parametrize("name", OF_NUMBERS)
def test_a_number_that_is_data_makes_no_new_program(name, of):
    """By the annotations of our functions, and the same for NumPy's functions on our arrays."""
    if not hasattr(of, name):
        assert of is numpy
        return

    def function(x, n):
        x = x.astype("int32") if name in INTEGERS else x
        return CALLS[name](of, x, n) if name in CALLS else getattr(of, name)(x, n)

    fast = hybridize(function)
    x = np.arange(6).astype("float32")
    for n in (2, 3, 5):
        found, wanted = fast(x, n), function(x, n)
        pairs = zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]
        for one, other in pairs:
            numpy.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-6)
    assert len(fast.programs()) == 1


@pytest.mark.parametrize(
    "function",
    [lambda x, n: np.tile(x, n), lambda x, n: np.full((n,), x[1]), lambda x, n: np.roll(x, shift=n)],
)  # fmt: skip
def test_a_number_that_is_a_size_or_a_setting_is_one_of_the_program(function):
    fast = hybridize(function)
    x = np.arange(6).astype("float32")
    for n in (2, 3, 5):
        assert fast(x, n).tolist() == function(x, n).tolist()
    assert len(fast.programs()) == 3


PRODUCTS = {
    "by a constant": lambda x, k: x + k * 2,
    "and a sum": lambda x, k: (x * (2 * k + 1), k * -3 - k),
    "a square": lambda x, k: (k * k, x),
    "of two": lambda x, k: (k * (k + 1), x * k * k),
    "three times": lambda x, k: (k * k * k, x),
    "compared": lambda x, k: x * 2 if k * k > 50 else x,
    "as an index": lambda x, k: x[(k * 5) % 3],
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_of_integers_are_of_each_call(name):
    """One program while 64 bits hold them, and Python's own integers beyond."""
    function = PRODUCTS[name]
    compiled = hybridize(function)
    x = np.array([1.0, 2.0, 3.0], dtype="float64")

    def plain(found):
        return [(type(one), str(one)) for one in (found if isinstance(found, tuple) else (found,))]

    for k in (2, 3, 7, 8, 11, -5, 0, 40):
        assert plain(compiled(x, k)) == plain(function(x, k))
    assert compiled.cache_info().captures <= {"compared": 2, "as an index": 3}.get(name, 1)
    for k in (2**20, 2**31, 2**31 + 1, 2**32, -(2**33), 2**53, 2**61, 2**62, -(2**63), 2**64, 6, True):
        assert plain(compiled(x, k)) == plain(function(x, k))


@pytest.mark.parametrize("rounds", [10, 100, 400])
def test_rounds_that_a_number_counts_leave_few_conditions(rounds):
    @hybridize
    def step(x, n):
        k = 0
        while k < n:
            x = x * 0.5 + 1
            k += 1
        return x

    def expected(n):
        x = np.ones(2)
        for _ in range(n):
            x = x * 0.5 + 1
        return x.asnumpy()

    for n in (rounds, rounds, rounds + 1, rounds - 1, rounds):
        numpy.testing.assert_array_equal(step(np.ones(2), n).asnumpy(), expected(n))
    assert all(len(one.capture.conditions) <= 24 for one in step.programs())


class Held:
    """Numbers outside."""

    limit, step = 0.0, 0.05


def until(x, limit, step):
    time = 0.0
    while time < limit:
        x = x * 0.5 + 1
        time += 0.05
    return x


def downwards(x, limit, step):
    time = 9.0
    while not limit >= time:
        x = x * 0.5 + 1
        time -= 0.05
    return x


def by_steps(x, limit, step):
    time = 0.0
    while time <= limit:
        x = x * 0.5 + 1
        time += step
    return x


def halved(x, low, high):
    while high - low > 1e-9:
        middle = (low + high) / 2
        if middle * middle > 2:
            high = middle
        else:
            low = middle
        x = x + middle
    return x


def until_outside(x, limit, step):
    time = 0.0
    while time < Held.limit:
        x = x * 0.5 + 1
        time += Held.step
    return x


def counted_outside(x, limit, step):
    Held.limit += 1.0
    k = 0
    while k < Held.limit * 40:
        x = x * 0.5 + 1
        k += 1
    return x


ROUNDS = [until, downwards, by_steps, halved, until_outside, counted_outside]


@pytest.mark.parametrize("function", ROUNDS, ids=lambda function: function.__name__)
def test_rounds_that_floats_decide_leave_few_conditions(function, monkeypatch):
    calls = [(3.0, 0.05), (3.01, 0.05), (2.2, 0.05), (3.0, 0.05), (3.0, 0.1), (3.0, 0.05), (2.96, 0.05)]

    def results(run):
        monkeypatch.setattr(Held, "limit", 0.0)
        found = []
        for limit, step in calls:
            if function is until_outside:
                Held.limit, Held.step = limit, step
            found.append(run(np.ones(2), limit, step).asnumpy().tolist())
        return found, Held.limit

    compiled = hybridize(function)
    assert results(compiled) == results(function)
    assert all(len(one.capture.conditions) <= 24 for one in compiled.programs())


def test_one_program_serves_all_floats_of_an_interval():
    compiled = hybridize(until)
    for limit in (2.99, 2.98, 2.961, 2.97):
        numpy.testing.assert_array_equal(
            compiled(np.ones(2), limit, 0).asnumpy(), until(np.ones(2), limit, 0).asnumpy()
        )
    assert compiled.cache_info().captures == 1
    for limit in (3.06, float("nan"), -1.0, 2.99):
        numpy.testing.assert_array_equal(
            compiled(np.ones(2), limit, 0).asnumpy(), until(np.ones(2), limit, 0).asnumpy()
        )
    assert compiled.cache_info().captures == 3


SIZES = SimpleNamespace(parts=[1, 2])
NUMPYS = {
    "cut": lambda: numpy.cumsum([1, 2])[:-1][0], "cut attribute": lambda: numpy.cumsum(SIZES.parts)[:-1][0],
    "tuple": lambda: max(tuple(numpy.cumsum([1, 2])[1:])) - 2, "list": lambda: list(numpy.arange(3)[::-1])[1],
    "tolist": lambda: numpy.cumsum([1, 2])[:-1].tolist()[0], "int": lambda: int(numpy.cumsum([1, 2])[:-1][0]),
    "transposed": lambda: numpy.array([[1, 2], [3, 4]]).T[0][1] - 1, "by indices": lambda: numpy.arange(5)[[1, 2]][0],
    "by mask": lambda: numpy.arange(3)[numpy.arange(3) > 1][0], "new axis": lambda: numpy.arange(5)[None][0, 2],
    "reshaped": lambda: numpy.arange(4).reshape(2, 2)[:, 1][0], "ravelled": lambda: numpy.ones((2, 2))[0].astype(int)[0],
    "unpacked": lambda: max(*numpy.arange(2)[:2]), "loop": lambda: sum(int(n) for n in numpy.arange(3)[1:2]),
}  # fmt: skip


@pytest.mark.parametrize("name", NUMPYS)
def test_parts_of_what_numpy_makes_of_plain_numbers_are_plain(name):
    """They may be sizes and indices, as Python's numbers: nothing of it is data of the program."""
    number = NUMPYS[name]

    def of(x):
        first, rest = np.split(x, (number(),), axis=1)
        return first * 2, rest, x[:, : number()]

    x = np.array(numpy.arange(6.0).reshape(2, 3))
    for mine, other in zip(hybridize(of)(x), of(x), strict=True):
        assert mine.shape == other.shape
        numpy.testing.assert_array_equal(mine.asnumpy(), other.asnumpy())
