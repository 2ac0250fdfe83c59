"""What functions read and write around them: closures, globals, attributes, containers, arguments, views."""

import array
import collections
import contextvars
import functools
import hashlib
import logging
import math
import os
import queue
import sys
import threading
from types import SimpleNamespace

import numpy
import pytest

from hybridize import hybridize
from hybridize.array import np, npx
from hybridize.capture import Function
from hybridize.errors import CaptureError, ShapeError

X, Y = [1.0, 2.0], [-3.0, 4.0]
SCALE = 2.0
VARIABLE: contextvars.ContextVar[int] = contextvars.ContextVar("of_tests", default=0)
WEIGHT = np.array([3.0, 4.0])
TABLE = {"by": 3.0, "nested": {"deep": [1.0, 2.0]}}


def doubled(x):
    return x * 2


class Model:
    """A user's own class, not a block."""

    slope = 2.0

    def __init__(self, weight=1.0):
        self.weight = weight
        self.layers = [doubled, doubled]
        self.calls = 0
        self.last = None
        self._gain = 3.0

    @property
    def gain(self):
        return self._gain * 2

    @functools.cached_property
    def cached(self):
        return self._gain + 1

    def __call__(self, x):
        return self.forward(x) if x.sum() > 0 else -self.forward(x)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x * self.weight + self.slope

    def __getitem__(self, key):
        return self.layers[key]

    def __len__(self):
        return len(self.layers)

    @staticmethod
    def static(x):
        return x + 1

    @classmethod
    def of_class(cls, x):
        return x * cls.slope


def test_globals_are_read_at_each_call(same, monkeypatch):
    function = same(lambda: lambda x: x * SCALE + doubled(x), X, Y, programs=1)
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert function(np.array(X)).asnumpy().tolist() == [7.0, 14.0]
    monkeypatch.setitem(globals(), "doubled", lambda x: x * 100)
    assert function(np.array(X)).asnumpy().tolist() == [105.0, 210.0]


def test_a_global_that_appears_and_goes(monkeypatch):
    function = Function(lambda x: x * LATER, backend="numpy")  # noqa: F821
    with pytest.raises(NameError, match="LATER"):
        function(np.array(X))
    monkeypatch.setitem(globals(), "LATER", 2.0)
    assert function(np.array(X)).asnumpy().tolist() == [2.0, 4.0]
    monkeypatch.delitem(globals(), "LATER")
    with pytest.raises(NameError, match="LATER"):
        function(np.array(X))


def test_closures(same):
    def make():
        by = 2.0

        def function(x):
            return x * by

        def change():
            nonlocal by
            by += 1

        return function, change

    function, change = make()
    compiled = Function(function)
    for _ in range(3):
        assert compiled(np.array(X)).asnumpy().tolist() == function(np.array(X)).asnumpy().tolist()
        change()
    same(lambda: make()[0], X, Y, programs=1)


def test_items_of_containers(monkeypatch):
    function = Function(lambda x: x * TABLE["by"] + TABLE["nested"]["deep"][1])
    one = np.array([1.0])
    assert function(one).item() == 5.0
    monkeypatch.setitem(TABLE, "unread", 7)
    assert function(one).item() == 5.0
    assert function.cache_info().captures == 1, "an item that was not read is no guard"
    TABLE["nested"]["deep"][1] = 10.0
    assert function(one).item() == 13.0
    monkeypatch.setitem(TABLE, "nested", {"deep": [0, 0.5]})
    assert function(one).item() == 3.5


@pytest.mark.parametrize(
    "use",
    [
        lambda x, c: x * sum(c),
        lambda x, c: x * len(c),
        lambda x, c: x + max(c),
        lambda x, c: x if 3.0 in c else -x,
        lambda x, c: x * [v * 1 for v in c][-1],
        lambda x, c: x * functools.reduce(lambda a, b: a + b, c),
        lambda x, c: x * sorted(c)[0],
        lambda x, c: x + np.array(list(c))[0],
        lambda x, c: x * c[-1],
        lambda x, c: x * c[0:2][1],
    ],
)
def test_whole_containers_are_guarded(use):
    values = [1.0, 2.0]

    def function(x):
        return use(x, values)

    compiled = Function(function, backend="numpy")
    x = np.array(X)
    for change in (lambda: None, lambda: values.append(3.0), lambda: values.reverse(), lambda: values.insert(0, 4.0)):
        change()
        assert compiled(x).asnumpy().tolist() == function(x).asnumpy().tolist()
        assert compiled(x).asnumpy().tolist() == function(x).asnumpy().tolist()


def test_attributes_methods_properties(same):
    def make():
        model = Model()

        def function(x):
            y = model(x) + model.gain * model.cached + model[0](x) * len(model)
            return Model.static(y) + model.of_class(y)

        return function

    same(make, X, Y, programs=2)  # the second finds the cached property computed


def test_attributes_are_read_at_each_call():
    model = Model()
    compiled = Function(model.forward)
    x = np.array(X)
    for change in (
        lambda: None,
        lambda: setattr(model, "weight", 5.0),
        lambda: model.layers.append(doubled),
        lambda: setattr(Model, "slope", 7.0),
        lambda: setattr(model, "slope", 1.0),
    ):
        change()
        assert compiled(x).asnumpy().tolist() == model.forward(x).asnumpy().tolist()
    Model.slope = 2.0


def test_missing_attributes(same):
    def make():
        space = SimpleNamespace()

        def function(x):
            if hasattr(space, "a"):
                return x * space.a
            return x + getattr(space, "b", 10.0)

        def state():
            space.a = 3.0  # from the second call on
            return []

        return function, state

    same(make, X, Y)


def test_arrays_outside_are_inputs(same, monkeypatch):
    function = same(lambda: lambda x: x * WEIGHT, X, Y, programs=1)
    WEIGHT[:] = 7
    assert function(np.array(X)).asnumpy().tolist() == [7.0, 14.0]
    assert function.cache_info().captures == 1, "what an array holds is no guard"
    monkeypatch.setitem(globals(), "WEIGHT", np.array([1.0, 1.0]))
    assert function(np.array(X)).asnumpy().tolist() == [1.0, 2.0]


def test_numpy_arrays_outside_are_inputs():
    weight = numpy.array([3.0, 4.0], dtype="float32")
    pair = [weight, weight + 1]
    compiled = Function(lambda x: x * weight + numpy.sum(weight) + sum(w * x for w in pair))
    x = np.array(X)
    first = compiled(x).asnumpy()
    numpy.testing.assert_allclose(first, [3 + 7 + 3 + 4, 8 + 7 + 8 + 10])
    weight[:] = 0
    numpy.testing.assert_allclose(compiled(x).asnumpy(), [4.0, 10.0])


def test_writes_to_arrays_outside(same):
    def make():
        total = np.zeros(2)

        def function(x):
            total[:] = total + x
            return total * 2

        return function, lambda: total

    same(make, X, Y, programs=1)


def test_attributes_are_written_at_each_call(same):
    def make():
        model = Model()

        def function(x):
            model.last = x * 2
            model.name = "used"
            return x + 1

        return function, lambda: [model.last, model.name]

    same(make, X, Y, programs=1)


def test_counters(same):
    def make():
        model = Model()

        def function(x):
            model.calls += 1
            return x + model.calls

        return function, lambda: [model.calls]

    same(make, X, Y)


def test_appending_to_a_list_outside(same):
    def make():
        log, names = [], {}

        def function(x):
            log.append(x.sum())
            names["count"] = x.shape[0]
            names["array"] = x * 2
            return x

        return function, lambda: [*log, names]

    same(make, X, Y, programs=1)


def test_reading_what_was_appended(same):
    def make():
        log = []

        def function(x):
            log.append(1.0)
            return x * len(log)

        return function, lambda: log

    same(make, X, Y)


def test_global_and_nonlocal_writes(same):
    def make():
        count, last = 0, None

        def function(x):
            nonlocal count, last
            count = count + 1
            last = x * count
            return x

        return function, lambda: [count, last]

    same(make, X, Y)


def test_refused_captures_leave_no_trace():
    model, log, cells = Model(), [1.0], {"a": 1}

    def function(x):
        model.last = x * 2
        log.append(3.0)
        cells["a"] = x
        return x * len(os.listdir("."))

    with pytest.raises(CaptureError, match="E420"):
        Function(function)(np.array(X))
    assert model.last is None
    assert log == [1.0]
    assert cells == {"a": 1}


# ------------------------------------------------------------------------------------------------ views and writes


def in_place(x):
    y = np.ones_like(x)
    y += x
    y[0] = 5
    y[1:] *= 3
    return y


def argument_written(x):
    x += 1
    x[0] = 7.0
    return x * 2


def argument_written_through_a_view(x):
    y = x[1:]
    y[:] = 9
    z = x.reshape(2, 1).T
    z *= 2
    return x + 0


def written_under_a_condition(x):
    if x.sum() > 0:
        x[0] = 100
    return x * 2


def written_in_a_loop(x):
    while np.abs(x).max() > 1:
        x /= 2
    return x + 1


def written_row_by_row(x):
    y = np.zeros((2, 2))
    for i in range(2):
        y[i] = x * i
        y[i, 1] += 1
    return y


def argument_returned(x):
    return x


def view_of_argument(x):
    return x[1:], x.reshape(2, 1), x


def views_of_one_array(x):
    y = x * 2
    return y, y[:1], y.reshape(2, 1)


@pytest.mark.parametrize(
    "function",
    [
        in_place,
        argument_written,
        argument_written_through_a_view,
        written_under_a_condition,
        written_in_a_loop,
        written_row_by_row,
        argument_returned,
        view_of_argument,
        views_of_one_array,
    ],
)
def test_views_and_writes(same, function):
    same(lambda: function, X, Y, programs=1)


@pytest.mark.parametrize("function", [argument_returned, view_of_argument, views_of_one_array])
def test_results_share_memory_as_in_numpy(function):
    compiled = Function(function)
    for _ in range(2):
        x, again = np.array(X), np.array(X)
        expected, found = function(x), compiled(again)
        for result in (expected, found):
            first = result[0] if isinstance(result, tuple) else result
            first[...] = 50
        assert again.asnumpy().tolist() == x.asnumpy().tolist()
        if isinstance(expected, tuple):
            assert [part.asnumpy().tolist() for part in found] == [part.asnumpy().tolist() for part in expected]


def test_the_same_array_twice():
    def function(a, b):
        a += 1
        return a * 10 + b

    compiled = Function(function)
    for _ in range(2):
        shared, expected = np.array(X), np.array(X)
        assert compiled(shared, shared).asnumpy().tolist() == function(expected, expected).asnumpy().tolist()
        assert shared.asnumpy().tolist() == expected.asnumpy().tolist()
        assert compiled(np.array(X), np.array(Y)).asnumpy().tolist() == [17.0, 34.0]
    whole = np.array([1.0, 2.0, 3.0])
    with pytest.raises(Exception, match="same memory"):
        compiled(whole[:2], whole[1:])


def test_an_argument_that_is_also_read_from_outside():
    weight, other = np.array([3.0, 4.0]), np.array(X)

    def function(x):
        return x * weight

    for first, second in ((weight, other), (other, weight)):
        compiled = Function(function)
        for _ in range(2):
            for x in (first, second):
                assert compiled(x).asnumpy().tolist() == function(x).asnumpy().tolist()


def test_an_argument_that_is_also_written_outside():
    for order in ((0, 1), (1, 0)):
        results = []
        for run in (lambda function: function, Function):
            total = np.array([3.0, 4.0])

            def function(x, total=total):
                total[:] = total + 1
                return x * 2

            called = run(function)
            arguments = (total, np.array(X))
            results.append([called(arguments[i]).asnumpy().tolist() for i in order * 2] + [total.asnumpy().tolist()])
        assert results[0] == results[1]


# ------------------------------------------------------------------------------------------------ numbers, dtypes


def number_as_data(x, n):
    return x * n + n / 3 - n**2


def number_as_shape(x, n):
    return x.reshape(1, n) if n == 2 else np.zeros((n, 2)) + x


def number_in_range(x, n):
    for i in range(int(n)):
        x = x + i
    return x, n


def number_decides(x, n):
    if n > 2:
        return x * n
    return x - n


def number_arithmetic(x, n):
    half = n * 0.5 + 1
    return x * half, half, n + 1


def number_text(x, n):
    return {f"layer{n}": x, str(n): x + 1}


def number_as_key(x, n):
    return x * {1: 10.0, 2: 20.0, 3: 30.0, 2.5: 40.0, 4: 1.0}[n]


def number_kind(x, n):
    if isinstance(n, int):
        return x * n
    return x - n if type(n) is float else x


@pytest.mark.parametrize(
    "function",
    [
        number_as_data,
        number_in_range,
        number_decides,
        number_arithmetic,
        number_text,
        number_as_key,
        number_kind,
    ],
)
def test_numbers_as_arguments(same, function):
    same(lambda: function, (X, 1), (X, 2), (Y, 3), (X, 2.5), (Y, 4))


def number_is_an_index(x, n):
    y = x[n]
    y += 1
    x[n] = x[n] * 2
    return x, x[:n], x[n:]


def number_is_integer_arithmetic(x, n):
    return n // 2, n % 3, -n, n**2, n / 2, abs(n), divmod(n, 3), +n, n & 3, n | 4, n ^ 1, n << 2, n >> 1, ~n


def number_grows_large(x, n):
    return n * 2**40 * 2**30, n + 2**80


def number_repeats(x, n):
    return [0] * n, (1,) * n, "a" * n, list(range(n)), sum(range(n)), sorted([n, 2, 1]), max(n, 3), min([n, 2])


def number_in_containers(x, n):
    return n in (1, 2), n in {1: 2}, [10, 20, 30, 40, 50][n], {1: 5, 2: 6}.get(n), {n: 1, (n, 1): 2}, {n} == {1}


def number_in_functions(x, n):
    filled = np.full((2,), n), np.array([n, 1]), np.eye(n), np.arange(n)
    return filled, np.maximum(x, n), np.where(x > n, x, n), x.sum(axis=n - n)


def number_counts_down(x, n):
    while n > 0:
        x = x * 2
        n -= 1
    return x, n


@pytest.mark.parametrize(
    "function",
    [
        number_is_an_index,
        number_is_integer_arithmetic,
        number_grows_large,
        number_repeats,
        number_in_containers,
        number_in_functions,
        number_counts_down,
    ],
)
def test_integers_are_pythons(same, function):
    same(lambda: function, (X, 1), (Y, 0), (X, 1))


def float_is_pythons(x, a):
    whole = round(a), int(a), math.floor(a), math.ceil(a), a.is_integer()
    return whole, a.real, f"{a:.2f}", hash(a), a * 1e-20 + 1, not a


def float_is_data(x, a):
    return x * a + a / 2 - 1 / (a + 3), x**a, np.clip(x, 0, a), 0.5**a, a**2


@pytest.mark.parametrize("function", [float_is_pythons, float_is_data])
def test_floats_are_pythons(same, function):
    same(lambda: function, (X, 1.5), (Y, 0.0), (X, -2.5))


def test_division_by_zero_is_an_error():
    compiled = Function(lambda x, a: x * (1 / a))
    assert compiled(np.array(X), 2.0).asnumpy().tolist() == [0.5, 1.0]
    assert compiled(np.array(X), 4.0).asnumpy().tolist() == [0.25, 0.5]
    assert compiled.cache_info().captures == 1
    with pytest.raises(ZeroDivisionError):
        compiled(np.array(X), 0.0)


def test_conditions_on_numbers():
    def warm(x, step):
        if step > 3:
            return x * 10
        return x * step

    compiled = Function(warm)
    for step in range(8):
        assert compiled(np.array(X), step).asnumpy().tolist() == warm(np.array(X), step).asnumpy().tolist()
    assert compiled.cache_info().captures == 2, "one for each side, whatever the number"


def rows_in_a_loop(x):
    i = 0
    while x.sum() > 0 and i < 2:
        y = x[i]
        y -= 10
        i += 1
    return x


def items_in_a_loop(x):
    i = 0
    while x.sum() > 0 and i < 2:
        x[i] -= 10
        z = x.reshape(2, 1)[i, 0:1]
        z *= 2
        i += 1
    return x


def rows_of_a_loop(x):
    for row in x.reshape(2, 1):
        if row.sum() > 1.5:
            break
        row += 5
    return x


def view_sees_writes(x):
    i = 0
    total = x[0] * 0
    while i < 2 and x.sum() < 100:
        y = x[i]
        x[i] = 7
        total = total + y
        i += 1
    return total, x


@pytest.mark.parametrize("function", [rows_in_a_loop, items_in_a_loop, rows_of_a_loop, view_sees_writes])
def test_views_at_counters(same, function):
    same(lambda: function, X, Y, [30.0, 2.0], programs=1)


def test_numbers_as_shapes(same):
    same(lambda: number_as_shape, (X, 1), (X, 2), (Y, 3))


def test_numbers_that_are_only_data_need_one_program(same):
    same(lambda: number_as_data, *[(X, float(n)) for n in range(5)], programs=1)


def shapes_as_numbers(x):
    rows, columns = x.shape[0], x.ndim
    return x * rows + columns * math.sqrt(x.size) + len(x)


def dtype_decides(x):
    return x + 1 if x.dtype == numpy.float32 else x * 2


def mixed_dtypes(x):
    i = np.arange(2, dtype="int64")
    b = x > 0
    return x + i, i + b, b * 2, i / 2, x.astype("float64") * 2 + x, np.where(b, i, 0), (i + 0.5).astype("int32")


def nan_and_infinity(x):
    y = x / 0.0
    z = np.sqrt(x)
    return y, z, np.maximum(z, 1.0), npx.relu(z), (z != z).astype("float32"), np.isnan(y - y)


def integers(x):
    i = x.astype("int32")
    return i // 2, i % 3, i * i, -i, np.abs(i), i.sum(), i.mean(), i**2


def numpy_functions(x):
    e = numpy.exp(x - numpy.max(x))
    return e / numpy.sum(e), numpy.concatenate([x, e]), numpy.where(x > 0, x, 0), numpy.stack([x, x]).T


def nested_structures(x):
    return {"a": [x, (x + 1, None)], "b": {"c": 3, "d": "text", "e": 1.5, "f": True}}


@pytest.mark.parametrize(
    "function",
    [
        shapes_as_numbers,
        dtype_decides,
        mixed_dtypes,
        nan_and_infinity,
        integers,
        numpy_functions,
        nested_structures,
    ],
)
def test_values(same, function):
    same(lambda: function, X, Y, (numpy.array([1.0, -2.0], dtype="float64"),), [4.0, 5.0])


def test_several_shapes(same):
    same(lambda: shapes_as_numbers, X, [1.0, 2.0, 3.0], numpy.ones((2, 3), "float32"), X, programs=3)


def structured(pair, options, *rest, scale=2.0, **named):
    x, y = pair
    z = x * options["by"] + y * scale
    for one in rest:
        z = z + one
    return z + named.get("extra", 0.0)


def test_structured_arguments(same):
    same(lambda: structured, ((X, Y), {"by": 2.0}), ([X, Y], {"by": 3.0}, X), ((Y, X), {"by": X}, X, Y))


def test_keywords_and_defaults():
    compiled = Function(structured)
    a, b = np.array(X), np.array(Y)
    for keywords in ({}, {"scale": 3.0}, {"extra": 1.0}, {"extra": a, "scale": b}):
        expected = structured((a, b), {"by": 2.0}, **keywords)
        assert compiled((a, b), {"by": 2.0}, **keywords).asnumpy().tolist() == expected.asnumpy().tolist()


def test_random_numbers_go_on(same):
    from hybridize.array import random

    def make():
        return lambda x: x + random.normal(size=(2,))

    compiled, python = Function(make()), make()
    random.seed(3)
    found = [compiled(np.array(X)).asnumpy() for _ in range(3)]
    random.seed(3)
    expected = [python(np.array(X)).asnumpy() for _ in range(3)]
    numpy.testing.assert_allclose(found, expected, rtol=1e-5)


def test_hybridized_functions_inside(same):
    inner = Function(lambda x: x * 2 if x.sum() > 0 else -x)
    outer = Function(lambda x: inner(x) + inner(-x))
    outer(np.array(X))
    assert inner.cache_info().captures == 0, "it became part of the other program"
    same(lambda: lambda x: inner(x) + inner(-x), X, Y, programs=1)


def test_cached_and_partial_functions(same):
    @functools.lru_cache
    def memo(n):
        return n * 2

    add = functools.partial(lambda a, b: a + b, 3.0)
    same(lambda: lambda x: add(x) * memo(2), X, Y, programs=1)


def test_functions_without_source(same):
    names = {"scale": 2.0, "np": np}
    exec("def f(x):\n    return np.exp(x) * scale\n", names)
    function = same(lambda: names["f"], X, Y, programs=1)
    names["scale"] = 4.0
    assert function(np.array([0.0])).item() == 4.0


@pytest.mark.parametrize(
    ("read", "change"),
    [
        (lambda: "HYBRIDIZE_TEST" in os.environ, lambda m: m.setenv("HYBRIDIZE_TEST", "1")),
        (lambda: os.environ.get("HYBRIDIZE_TEST", "") == "", lambda m: m.setenv("HYBRIDIZE_TEST", "1")),
        (lambda: os.getenv("HYBRIDIZE_TEST") is None, lambda m: m.setenv("HYBRIDIZE_TEST", "1")),
        (lambda: len(sys.argv) > 1000, lambda m: m.setattr(sys, "argv", ["x"] * 1001)),
        (lambda: "-v" in sys.argv, lambda m: m.setattr(sys, "argv", ["x"] if "-v" in sys.argv else ["x", "-v"])),
        (lambda: sys.getrecursionlimit() > 5000, lambda m: sys.setrecursionlimit(6000)),
        (lambda: "of_tests" in sys.modules, lambda m: m.setitem(sys.modules, "of_tests", sys)),
        (lambda: logging.getLogger("of_tests").isEnabledFor(10), lambda m: logging.getLogger("of_tests").setLevel(10)),
        (lambda: logging.getLogger("of_tests").level > 5, lambda m: logging.getLogger("of_tests").setLevel(10)),
        (lambda: VARIABLE.get() > 1, lambda m: VARIABLE.set(5)),
    ],
)
def test_the_process_is_read_at_each_call(monkeypatch, read, change):
    limit, logger = sys.getrecursionlimit(), logging.getLogger("of_tests")
    logger.setLevel(0)
    VARIABLE.set(0)

    def body(x):
        return x * 2 if read() else x * 3

    made, x = hybridize(body), np.ones(2)
    try:
        for _ in range(2):
            assert made(x).tolist() == body(x).tolist()
        before = read()
        change(monkeypatch)
        assert read() is not before
        for _ in range(2):
            assert made(x).tolist() == body(x).tolist()
    finally:
        sys.setrecursionlimit(limit)


@pytest.mark.parametrize("ask", [os.path.exists, os.path.isfile, os.path.getsize, os.path.abspath, os.listdir])
def test_files_are_refused(ask):
    @hybridize
    def body(x):
        return x * len(str(ask(".")))

    with pytest.raises(CaptureError, match="E420"):
        body(np.ones(2))


def test_attributes_of_classes_become_those_of_who_writes_them():
    def of(make):
        class Base:
            count, total = 1, np.ones(2)

        class Derived(Base):
            pass

        one = Derived()

        def body(x):
            Derived.count += 1
            Derived.total *= 2
            one.count += 10
            return x * Derived.count + one.count

        made = make(body)
        results = [made(np.ones(2)).tolist() for _ in range(3)]
        return results, vars(Base)["count"], vars(Derived)["count"], vars(one), vars(Derived)["total"].tolist()

    assert of(hybridize) == of(lambda f: f)
    with pytest.raises(NameError):
        hybridize(lambda x: there_is_no_such_name + x)(np.ones(2))  # noqa: F821


def test_what_was_written_before_a_missing_name_stays():
    kept = []

    def body(x):
        kept.append(x)
        return there_is_no_such_name  # noqa: F821

    with pytest.raises(NameError):
        hybridize(body)(np.ones(2))
    assert [one.tolist() for one in kept] == [[1.0, 1.0]]


def test_what_was_written_before_a_wrong_shape_stays():
    kept = [np.zeros(3)]

    @hybridize
    def body(x):
        kept.append(x)
        return np.stack(kept)

    for number in (2, 3):
        with pytest.raises(ShapeError):
            body(np.ones(2))
        assert len(kept) == number


def test_attributes_of_the_class_that_type_gives():
    class Base:
        held = [np.zeros(2)]

    class Derived(Base):
        pass

    one = Derived()
    made = hybridize(lambda x: type(one).held)
    assert made(np.ones(2)) is Base.held
    Derived.held = [np.ones(2)]
    assert made(np.ones(2)) is Derived.held


def test_views_that_are_kept_by_keyword():
    kept = {}

    @hybridize
    def body(x):
        kept.update(b=x[::-1])

    for size in (1, 2, 3, 5):
        body(np.arange(size))
        assert kept["b"].tolist() == list(range(size))[::-1]


def test_what_a_class_makes_of_an_attribute_is_what_is_read():
    """`object.__setattr__` and `o.a` are one place."""

    class Doubled:
        def __init__(self):
            object.__setattr__(self, "v", 1.0)

        def __setattr__(self, name, value):
            object.__setattr__(self, name, value * 2)

    def of(make):
        one = Doubled()

        def body(x):
            one.v = one.v
            one.v += 1
            return x * one.v

        made = make(body)
        return [made(np.ones(2)).tolist() for _ in range(3)], one.v

    assert of(hybridize) == of(lambda f: f)


def test_an_attribute_that_cannot_be_set_leaves_what_was_written_before():
    class Fixed:
        value = property(lambda self: 7)

    kept, one = [], Fixed()

    def body(x):
        kept.append(x)
        one.value = 3

    for number in (1, 2):
        with pytest.raises(AttributeError):
            hybridize(body)(np.ones(2))
        assert len(kept) == number


def test_an_empty_counter_that_was_filled():

    counts = collections.Counter()
    made = hybridize(lambda x: x * sum(counts.values()))
    assert made(np.ones(1)).tolist() == [0.0]
    counts["b"] = 4
    assert made(np.ones(1)).tolist() == [4.0]


def test_a_change_that_failed_is_tried_again():
    kept = []

    def body(x):
        kept.__setitem__(0, x.sum())

    made = hybridize(body)
    with pytest.raises(IndexError):
        made(np.ones(2))
    kept.append(5.0)
    made(np.ones(2))
    assert [float(one) for one in kept] == [2.0]


def test_numpy_arrays_of_the_user_are_written_in_place():
    """Whichever way they come: as a default, in a list, from a module."""
    held = [numpy.zeros(2, "float32")]

    def of(make):
        held[0][:] = 0

        def helper(x, *, kept=numpy.zeros(2, "float32")):  # noqa: B008
            kept[...] = kept + 1
            kept[1:] = kept[:1]
            return kept

        def body(x, own=numpy.ones(2, "float32")):  # noqa: B008
            for one in held:
                one[0] = x[0]
                one += 1
            own += x
            return helper(own), own[::-1] * 1

        made = make(body)
        first = made(np.array([4.0, 5.0]))
        second = made(np.array([4.0, 5.0]))
        return [part.tolist() for part in (*first, *second)], held[0].tolist()

    assert of(hybridize) == of(lambda f: f)


def test_a_view_that_is_returned_and_kept_is_one_array():
    kept = []

    @hybridize
    def body(x):
        part = (x * 2)[::-1]
        kept.append(part)
        return part

    found = body(np.array([1.0, 2.0]))
    kept[0][:] = 7
    assert found.tolist() == [7.0, 7.0]


def test_missing_keys_are_read_as_missing():
    """A dict of which a key is asked that it has not is free to get others."""
    table, counts = {}, collections.Counter()
    made = hybridize(lambda x: x * table.get("a", 2) + counts["a"])
    for number in range(3):
        assert made(np.ones(1)).tolist() == [2.0]
        table[number] = counts[number] = 5
    assert made.cache_info().captures == 1
    table["a"] = 3
    assert made(np.ones(1)).tolist() == [3.0]
    counts["a"] = 4
    assert made(np.ones(1)).tolist() == [7.0]


def test_a_number_of_which_data_decides_the_class_is_not_kept():
    kept = {}

    @hybridize
    def body(x):
        kept["b"] = 3.0 if x.sum() > 1 else 1

    with pytest.raises(CaptureError):
        body(np.ones(2))
    assert kept == {}


@pytest.mark.parametrize("decorate", [functools.cache, functools.lru_cache(maxsize=2), functools.lru_cache(maxsize=0)])
def test_results_that_are_kept_are_computed_when_python_computes_them(decorate):
    rate = {"k": 2.0}

    @decorate
    def table(k):
        return np.arange(2) * k + rate["k"]

    def of(make):
        table.cache_clear()
        rate["k"] = 2.0
        made = make(lambda x: x + table(1))
        found = [made(np.ones(2)).tolist()]
        rate["k"] = 5.0
        found.append(made(np.ones(2)).tolist())
        table.cache_clear()
        return [*found, made(np.ones(2)).tolist()]

    assert of(hybridize) == of(lambda f: f)


def test_a_result_that_is_kept_is_not_computed_after_a_write_or_for_a_refused_program():
    rate = {"k": 2.0}

    @functools.lru_cache(maxsize=2)
    def table(k):
        return k + rate["k"]

    @functools.cache
    def plain_table(k):
        return np.arange(2) * k

    @hybridize
    def writes(x):
        rate["k"] = 7.0
        return x + table(1) + plain_table(2)

    @hybridize
    def refused(x):
        table(1)
        return open("there is no such file")

    for function in (writes, refused):
        with pytest.raises(CaptureError):
            function(np.ones(2))
        assert table.cache_info().currsize == 0
        assert rate == {"k": 2.0}
    table(1)
    assert writes(np.ones(2)).tolist() == [4.0, 6.0]


def test_an_attribute_is_an_item_of_the_dict_of_its_object():
    one = SimpleNamespace(k=3.0, w=1.0)

    def of(make):
        one.k, one.w = 3.0, 1.0

        def body(x):
            one.k += 1
            y = x * vars(one)["k"]
            one.__dict__["w"] = y
            vars(one).update(k=one.k + 1)
            return one.w + one.k

        made = make(body)
        return [made(np.ones(1)).tolist() for _ in range(3)], one.k, one.w.tolist()

    assert of(hybridize) == of(lambda f: f)


def test_a_slice_that_is_set_and_items_from_the_other_end():
    kept, counts = [1.0, 2.0, 3.0], [3]

    def of(make):
        kept[:], counts[:] = [1.0, 2.0, 3.0], [3]

        def body(x):
            kept[1:] = [5.0]
            counts[0] = 2
            counts[-1] += 1
            return len(kept), x * sum(kept) + counts[-1]

        made, found = make(body), []
        for _ in range(3):
            length, value = made(np.ones(1))
            found.append((length, value.tolist()))
            kept.append(4.0)
        return found, kept, counts

    assert of(hybridize) == of(lambda f: f)


@pytest.mark.parametrize(
    ("name", "ask"),
    [
        ("__bool__", lambda one, x: x if one else -x),
        ("__contains__", lambda one, x: x if 3 in one else -x),
    ],
)
@pytest.mark.parametrize("where", ["outside", "the call's own"])
def test_a_special_method_that_a_class_gets_later(name, ask, where):
    def of(make):
        class Plain:
            def __iter__(self):
                return iter((1, 2))

        kept = Plain()

        def body(x):
            return ask(kept if where == "outside" else Plain(), x)

        made = make(body)
        found = [made(np.ones(1)).tolist()]
        setattr(Plain, name, lambda self, *other: name != "__bool__")
        return [*found, made(np.ones(1)).tolist()]

    assert of(hybridize) == of(lambda f: f)


def _with_items(kind):
    items = kind()
    items.put(1)
    return items


@pytest.mark.parametrize(("one", "change", "state"), [
    (VARIABLE, lambda one: one.set(3), lambda one: one.get()),
    (threading.Lock(), lambda one: one.acquire(), lambda one: one.locked()),
    (threading.Event(), lambda one: one.set(), lambda one: one.is_set()),
    (_with_items(queue.SimpleQueue), lambda one: one.get(), lambda one: one.qsize()),
    (_with_items(queue.SimpleQueue), lambda one: one.put(2), lambda one: one.qsize()),
    (_with_items(queue.Queue), lambda one: one.get(), lambda one: one.qsize()),
    (_with_items(queue.Queue), lambda one: one.put(2), lambda one: (one.qsize(), one.unfinished_tasks)),
    (hashlib.sha256(b"a"), lambda one: one.update(b"b"), lambda one: one.hexdigest()),
    (bytearray(b"ab"), lambda one: one.append(1), bytes),
    (array.array("d", [1.0]), lambda one: one.append(2.0), list),
])  # fmt: skip
def test_a_refused_change_of_an_object_of_pythons_is_not_done(one, change, state):
    before = state(one)

    def body(x):
        change(one)
        return x * 2

    with pytest.raises(CaptureError, match=r"E406|E420"):
        hybridize(body)(np.ones(2))
    assert state(one) == before
