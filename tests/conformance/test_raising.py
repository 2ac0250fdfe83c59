"""Exceptions on sides that data decides about, by `raise`, `assert` or otherwise: that class, those arguments, that line.

Exceptions that Python decides about; variables that a loop sets first.
"""

import contextlib
import enum
import subprocess
import traceback
import types

import numpy
import pytest

from hybridize import nd
from hybridize.array import np, npx
from hybridize.base.errors import CaptureError
from hybridize.capture import Function
from hybridize.gluon import nn
from tests.refusals import refusal

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


def prints_then_asks():
    def step(x):
        print(f"got {x.sum():.1f}")
        return x and 1

    return step


def prints_then_multiplies():
    def step(x):
        print(x)
        return x @ np.ones((5, 5))

    return step


def test_what_was_printed_before_an_exception_is_printed(same, capsys):
    for make in (prints_then_asks, prints_then_multiplies):
        step = make()
        printed = []
        for function in (step, *(Function(step, backend=backend) for backend in ("numpy", "llvm"))):
            for _ in range(3):
                with pytest.raises(ValueError, match="E1"):
                    function(np.array([1.0, 2.0]))
            printed.append(capsys.readouterr().out)
        assert printed[0] and printed == printed[:1] * 3


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


# ------------------------------------------------------------- exceptions other than by `raise`, on a side of a branch

TABLE = {"a": 1.0}


def key(x):
    if x.sum() > 3:
        return x * TABLE["missing"]
    return x


def item_of_a_list(x):
    y = x
    if x[0] > 1:
        y = [1, 2][5] + x
    return y


def division(x):
    zero = 0
    if x[0] > 1:
        x = x * (1 / zero)
    return x


def conversion(x):
    return int("abc") if x[0] > 1 else 2


def attribute_of_none(x):
    y = None
    return y.foo if x[0] > 1 else x


def attribute_of_an_array(x):
    if x[0] > 1:
        return x.nothing
    return x


def text_and_an_array(x):
    if x[0] > 1:
        return x + "a"
    return x


def unpacking(x):
    if x[0] > 1:
        a, b, c = x
        return a + b + c
    return x


def wrong_call(x):
    if x[0] > 1:
        return second()
    return x


def shapes(x):
    if x[0] > 1:
        x = x + np.ones(3)
    return x


def sizes(x):
    return x.reshape(5) if x[0] > 1 else x


def out_of_range(x):
    if x[0] > 1:
        return x[7]
    return x[0]


def nothing_to_join(x):
    if x[0] > 1:
        return np.concatenate([])
    return x


def bytes_that_are_no_text(x):
    if x[0] > 1:
        return b"\xff".decode()
    return x


def keys_of_all_kinds(x):
    if x[0] > 20:
        return {}[None]
    if x[0] > 1:
        return {}[1, "a", (2.5, b"c")]
    return x


def empty(x):
    if x[0] > 20:
        return max([])
    if x[0] > 1:
        return next(iter([]))
    return x


def one_each(x):
    if x[0] > 20:
        y = x
    elif x[0] > 1:
        y = {}["k"]
    else:
        y = int("no")
    return y


def second(y):
    return [y][1]


def in_functions(x):
    def inner(y, depth):
        return second(y) if depth == 0 else inner(y, depth - 1)

    if x.max() > 2:
        x = inner(x, 3)
    return x + 1


class Thing:
    limit = 1

    def method(self, x):
        if x[0] > self.limit:
            return self.absent
        return x

    @property
    def broken(self):
        return [][0]


THING = Thing()


def of_a_method(x):
    return THING.method(x)


def of_a_property(x):
    if x[0] > 1:
        x = x * THING.broken
    return x


def of_a_lambda(x):
    return (lambda v: v if v[0] < 1 else {}["lambda"])(x)


def conjunction(x):
    return x[0] > 1 and {}["k"]


def disjunction(x):
    if x[0] < 1 or TABLE["nope"]:
        return x
    return x * 2


def third_turn(x):
    n = 0
    while x.sum() < 50:
        x = x + 7
        n = n + 1
        if n == 3:
            x = x * TABLE["third"]
    return x


def every_turn(x):
    while x.sum() > 0:
        x = x - 1
        x = x * TABLE["always"]
    return x


def condition_of_a_loop(x):
    steps = []
    while x.sum() < 10 and [1][len(steps)]:
        x = x + 20
    while x.sum() < 60 or TABLE["done"]:
        x = x + 20
    return x


def end_of_a_table(x):
    table = [1, 2]
    i = 0
    while x.sum() < 50:
        x = x + table[i]
        i += 1
    return x


def in_a_for(x):
    for i in range(3):
        if x[i % 2] > 2:
            [][i]
        x = x + 1
    return x


def in_a_for_that_breaks(x):
    for _ in range(100):
        if x[0] > 25:
            TABLE["warm"]
        if x[1] > 50:
            break
        x = x + 1
    return x


def after_continue(x):
    for i in range(3):
        if x[0] > 1:
            continue
        x = x + [0.5, 1.0][i]
    return x


def selected_items(x):
    return sum([TABLE["b"] for v in x if v > 2])


def assertion_of_a_constant(x):
    if x[0] > 1:
        assert x.shape == (3,), "three"
    return x


def caught_inside(x):
    if x[0] > 1:
        try:
            y = x * TABLE["b"]
        except KeyError as error:
            y = x * len(str(error))
    else:
        y = x
    return y


def raised_in_a_handler(x):
    if x[0] > 1:
        try:
            y = x * TABLE["b"]
        except KeyError as error:
            raise LookupError(f"none: {error}") from error
    else:
        y = x
    return y


def with_a_finally(x):
    try:
        if x[0] > 1:
            x = x * TABLE["k"]
    finally:
        y = x
    return y


def after_writes(x):
    parts = [x]
    if x.sum() > 3:
        parts.append(x * 2)
        parts[5]
    return parts


def global_without_a_value(x):
    if x[0] > 1:
        return nobody + x  # noqa: F821
    return x


def local_without_a_value(x):
    if x[0] > 1:
        y = later + x  # noqa: F821
        return y
    later = x
    return later


def local_in_an_expression(x):
    y = (later if x[0] > 1 else x) + 1  # noqa: F821
    later = y
    return later


def deleted(x):
    a = 1
    if x[0] > 1:
        del a
        return a + x
    return x


def free_without_a_value(x):
    def inner():
        return later + x

    if x[0] > 1:
        return inner()
    later = 1
    return x * later


def local_of_a_function_called(x):
    def inner(y):
        if y[0] > 1:
            z = other  # noqa: F821
        else:
            z = other = y
        return z + other

    return inner(x) * 2


# The truth of an array of several elements, and of what Python would not come to: it is asked by the calls that come.


def truth_in_and_or(x):
    return (x.sum() > 20 and x) or x * 2


def truth_in_a_condition(x):
    return 1 if x.sum() > 20 and x else 2


def truth_in_not(x):
    return not (x[0] > 1 and x)


def truth_kept(x):
    kept = x[0] > 1 and x
    y = x + 1
    if kept:
        y = y * 2
    return y


def truth_in_any(x):
    return any([x[0] < 1, x, {}.get("k")])


def truth_in_all(x):
    return all([x[0] > 1, x[1] > 2, x])


def exception_of_a_generator(x):
    row = [0.0]
    return any(v < row[i] for i, v in enumerate(x))


def item_that_is_an_array(x):
    return x[0] in [0.5, x[0] * (x[0] < 0), x]


def shapes_of_an_item(x):
    return x.sum() in [x[0] * 3, np.ones((2, 2))]


def largest_of_arrays(x):
    rows = np.stack([x, x + 1, x - 30])
    return max([row for row in rows if row.sum() > 33])


def key_of_the_largest(x):
    return max([v for v in x if v > 2], key=lambda v: v if v < 20 else {}["large"], default=x[0])


def comparisons_in_a_chain(x):
    return 1 if 0 < x[0] < 20 < x else 2


def message_of_an_assertion(x):
    assert x[0] < 20, {}["message"]
    return x


UNTAKEN = [
    truth_in_and_or, truth_in_a_condition, truth_in_not, truth_kept, truth_in_any, truth_in_all,
    exception_of_a_generator, item_that_is_an_array, shapes_of_an_item, largest_of_arrays, key_of_the_largest,
    comparisons_in_a_chain, message_of_an_assertion,
    key, item_of_a_list, division, conversion, attribute_of_none, attribute_of_an_array, text_and_an_array, unpacking,
    wrong_call, shapes, sizes, nothing_to_join, bytes_that_are_no_text, keys_of_all_kinds, empty, one_each,
    in_functions, of_a_method, of_a_property, of_a_lambda, conjunction, disjunction, third_turn, every_turn,
    condition_of_a_loop, end_of_a_table, in_a_for, in_a_for_that_breaks, after_continue, selected_items,
    assertion_of_a_constant, caught_inside, raised_in_a_handler, with_a_finally, after_writes, global_without_a_value,
    local_without_a_value, local_in_an_expression, deleted, free_without_a_value, local_of_a_function_called,
]  # fmt: skip
LINES = ([30.0, 3.0], [-1.0, -2.0], [0.5, -0.25])


@pytest.mark.parametrize("function", UNTAKEN, ids=lambda function: function.__name__)
def test_raised_by_the_calls_that_take_the_side(same, function):
    compiled = same(lambda: function, *VALUES)
    assert compiled.cache_info().programs == 1  # a call that does not raise has a program, and so have those that do


def raised(function, value):
    """The exception of a call; None where there is none."""
    try:
        function(np.array(value))
    except Exception as error:
        return error
    return None


def from_an_exception(x):
    if x[0] > 20:
        raise ValueError("large") from KeyError(x[0], "k")
    if x[0] > 1:
        raise Refused(x[0], 1) from None
    if x[0] < 0:
        raise ValueError("negative") from LookupError
    return x


def from_what_was_caught(x):
    if x[0] > 1:
        try:
            TABLE["cause"]
        except KeyError as error:
            raise LookupError("first") from error
    return x


def from_a_chain(x):
    if x[0] > 1:
        first = KeyError("first")
        second = ValueError(x.sum())
        second.__cause__ = first
        raise TypeError("third") from second
    return x


def from_no_exception(x):
    if x[0] > 1:
        raise ValueError("large") from "text"
    return x


def always_from(x):
    print(f"{x[0]}")
    raise ValueError("always") from KeyError(x.sum())


def always_without(x):
    print(f"{x[0]}")
    return {}["k"] + x


def chained(error):
    """Classes and arguments along the causes, and whether the context is hidden."""
    found = []
    while error is not None:
        found.append((type(error), str(error.args), error.__suppress_context__))
        error = error.__cause__
    return found


CHAINED = [from_an_exception, from_what_was_caught, from_a_chain, from_no_exception, always_from, always_without]


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
@pytest.mark.parametrize("function", CHAINED, ids=lambda function: function.__name__)
def test_the_cause_is_kept(function, backend):
    compiled = Function(function, backend=backend)
    for _ in range(2):
        for value in VALUES:
            assert chained(raised(compiled, value)) == chained(raised(function, value))


def test_a_cause_that_no_program_can_make_is_refused(refused):
    class Cause(Exception):
        pass

    def of_an_object(x):
        if x[0] > 1:
            raise ValueError("large") from Cause(object())  # here
        return x

    refused(of_an_object, np.array([1.0, 2.0]), code="E433", match="argument of object")


def line_of(error):
    """The number of the innermost line of this file."""
    lines = [line.lineno for line in traceback.extract_tb(error.__traceback__) if line.filename == __file__]
    return lines[-1]


@pytest.mark.parametrize("function", UNTAKEN, ids=lambda function: function.__name__)
def test_the_line_is_that_of_python(function):
    compiled = Function(function, backend="numpy")
    for value in VALUES:
        error, found = raised(function, value), raised(compiled, value)
        if error is not None:
            said = str(found) + "".join(getattr(found, "__notes__", ()))
            assert f"{__file__}:{line_of(error)} in " in said


def test_out_of_range_on_a_side():
    compiled = Function(out_of_range, backend="numpy")
    assert compiled(np.array([0.5, 2.0])).item() == 0.5
    with refusal(IndexError, "E110: index 7 is out of bounds") as caught:
        compiled(np.array([2.0, 2.0]))
    assert (caught.value.loc.file, caught.value.loc.line) == (__file__, out_of_range.__code__.co_firstlineno + 2)


def test_an_except_around_the_branch_is_refused(refused):
    def around(x):
        try:
            if x[0] > 1:
                y = x * TABLE["b"]  # here
            else:
                y = x
        except KeyError:
            y = x * 10
        return y

    def swallowed(x):
        with contextlib.suppress(KeyError):
            if x[0] > 1:
                x = x * TABLE["b"]  # here
        return x

    refused(around, np.array([1.0, 2.0]), code="E433", match="KeyError")
    refused(swallowed, np.array([1.0, 2.0]), code="E433", match="KeyError")


def test_refusals_on_a_side_are_refusals(refused):
    def never_taken(x):
        if x[0] > 1e30:
            return {}[x.sum()]  # here
        return x

    refused(never_taken, np.array([1.0, 2.0]), code="E422", match="key")


def test_what_was_not_there_is_looked_for_again():
    names = {"table": {}, "np": np}
    thing, module, owner = types.SimpleNamespace(), types.ModuleType("m"), []
    later = None

    def of_a_closure(x):
        return later * x if x[0] > 1 else x

    def of_the_others(x, what):
        if x[0] > 1:
            if what == "attribute":
                x = x * thing.late
            elif what == "module":
                x = x * module.late
            elif what == "key":
                x = x * names["late"]
            elif what == "item":
                x = x * owner[0]
            else:
                x = x * LATE  # noqa: F821
        return x

    del later
    closure, others = Function(of_a_closure, backend="numpy"), Function(of_the_others, backend="numpy")
    taken, untaken = np.array([2.0]), np.array([1.0])
    for _ in range(2):
        assert closure(untaken).item() == 1.0
        with pytest.raises(NameError, match="free variable 'later'"):
            closure(taken)
    errors = {
        "attribute": AttributeError, "module": AttributeError, "key": KeyError, "item": IndexError, "global": NameError,
    }  # fmt: skip
    for what, error in errors.items():
        for _ in range(2):
            assert others(untaken, what).item() == 1.0
            with pytest.raises(error):
                others(taken, what)
    later = thing.late = module.late = names["late"] = globals()["LATE"] = 3.0
    owner.append(3.0)
    try:
        assert closure(taken).item() == 6.0
        assert [others(taken, what).item() for what in errors] == [6.0] * len(errors)
    finally:
        del globals()["LATE"]


def test_sizes_decide_which_exception_it_is(same):
    def function(x):
        if x.sum() > 100:
            x = x + np.ones(3) + [1.0, 2.0][x.shape[0] - 3]
        return x

    same(lambda: function, *[[value] * size for size in (2, 3, 4, 5, 6) for value in (1.0, 100.0)])


def test_variables_that_only_one_side_sets(refused):
    def function(x):
        if x[0] > 1:
            y = x
        return y  # here

    refused(function, np.array([1.0, 2.0]), code="E440", match="'y' is set on one side only")


def earlier_round(x):
    while x.sum() < 50:
        if x[0] > 3:
            x = x + before  # noqa: F821
        before = x + 1  # noqa: F841
        x = x * 2 + 1
    return x


def test_variables_of_an_earlier_round(refused):
    with pytest.raises(CaptureError, match="E440: variable 'before' is set in the loop only"):
        Function(earlier_round, backend="numpy")(np.array([1.0, 2.0]))


# ------------------------------------------------------------------------------------- exceptions that Python decides


def weights_and_a_log():
    return np.array([1.0, 2.0]), [], types.SimpleNamespace(count=0)


def in_a_nested_function():
    weight, log, place = weights_and_a_log()

    def second(x, k):
        place.count += 1
        return x * [1.0, 2.0][k]

    def step(x, k):
        weight[:] = weight + x
        log.append(x.sum())
        return second(x, k)

    return step, lambda: (weight.copy(), list(log), place.count)


def in_a_generator():
    weight, log, place = weights_and_a_log()

    def parts(x, k):
        for i in range(k):
            place.count += 1
            log.append(x * i)
            yield 1 / (2 - i)

    def step(x, k):
        weight[:] = weight + x
        return sum(parts(x, k))

    return step, lambda: (weight.copy(), list(log), place.count)


def in_a_method():
    class Model:
        def __init__(self):
            self.weight, self.log = np.array([1.0, 2.0]), []

        def scale(self, k):
            self.log.append(k)
            return self.names[k]

        def step(self, x, k):
            self.weight += x
            if k:
                self.names = {1: 2.0}
            return x * self.scale(k)

    model = Model()
    return model.step, lambda: (model.weight.copy(), list(model.log))


def in_a_block():
    class Net(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.seen, self.total = [], np.zeros(2)

        def forward(self, x, k):
            self.seen.append(x.sum())
            self.total[:] = self.total + x
            unset = [x, x * 2]
            return unset[k] + int("12x"[:2] if k < 2 else "12x")

    net = Net()
    return (lambda x, k: net(x, k)), lambda: (list(net.seen), net.total.copy())


def without_a_value():
    weight, log, _ = weights_and_a_log()

    def step(x, k):
        weight[:] = weight + x
        for _ in range(k):
            y = x
        log.append(y)
        return y

    return step, lambda: (weight.copy(), list(log))


@pytest.mark.parametrize(
    "make", [in_a_nested_function, in_a_generator, in_a_method, in_a_block, without_a_value], ids=lambda f: f.__name__
)
def test_what_was_written_before_an_exception_of_constants_stays_written(same, make):
    same(make, *[([float(k), 2.0], k) for k in (1, 0, 3, 2, 3, 1)])


def after_a_shape_error():
    weight, log, _ = weights_and_a_log()

    def step(x, axis):
        weight[:] = weight + x
        log.append(axis)
        return weight.sum(axis=axis)

    return step, lambda: (weight.copy(), list(log))


def test_what_was_written_before_an_error_of_ours_stays_written(same):
    same(after_a_shape_error, ([1.0, 2.0], 0), ([1.0, 2.0], 3), ([2.0, 2.0], 0), ([3.0, 2.0], 3))


# ------------------------------------------------------------------------------------------------- several in one call


def turns_that_continue(x):
    n = 0
    while abs(x).sum() < 60 and n < 4:
        n = n + 1
        if x[0] > 1:
            x = x * 2
            continue
        x = x * TABLE["unset"]
    return x


def turns_that_break(x):
    n = 0
    while abs(x).sum() < 60 and n < 4:
        n = n + 1
        if x[0] > 1:
            break
        x = x * 2 + (1 if x[1] < 0 else int("no"))
    return x, n


def one_after_the_other(x):
    if x[0] > 20:
        x = x * TABLE["first"]
    if x[0] > 1:
        x = x * [][0]
    return x.reshape(7)


def within_an_except_for_others(x):
    y = x
    try:
        try:
            if x[0] > 20:
                y = x * TABLE["b"]
            elif x[0] > 1:
                raise ValueError(f"{x[0]}")
        except (ArithmeticError, subprocess.SubprocessError):
            y = x * 10
    except IndexError:
        y = x * 20
    return y


def of_a_number(x, k):
    if x[0] > 1:
        raise ValueError("on data", k, [k, {"k": k + 1}])
    return x


def of_numbers_alone(x, k):
    error = LookupError("k", k, [k, {"k": k * 2}])
    error.number = k
    raise error


MORE = [turns_that_continue, turns_that_break, one_after_the_other, within_an_except_for_others]


@pytest.mark.parametrize("function", MORE, ids=lambda f: f.__name__)
def test_the_first_of_several(same, function):
    same(lambda: function, *VALUES)


class Mode(enum.Enum):
    FAST = 1
    SLOW = 2


class Level(enum.IntEnum):
    LOW = 1


def keys_with_names(x):
    modes = {Mode.FAST: 1.0}
    if x[0] > 20:
        x = x * modes[Mode.SLOW]
    if x[0] > 1:
        x = x * modes[dict, twice, (Level.LOW, 2)]
    if x[1] > 20:
        raise Refused(Thing, Mode)
    return x


def twice(x):
    return x * 2


def test_classes_functions_and_members_in_exceptions(same):
    same(lambda: keys_with_names, *VALUES)
    for value in ([30.0, 3.0], [2.0, 3.0]):
        expected, found = raised(keys_with_names, value), raised(Function(keys_with_names, backend="numpy"), value)
        assert found.args == expected.args


def test_numbers_in_exceptions_are_numbers(same):
    same(lambda: of_a_number, ([2.0], 3), ([0.5], 3), ([2.0], 4), ([2.0], 0.5))
    same(lambda: of_numbers_alone, ([2.0], 3), ([2.0], 4), ([2.0], 0.5))
    with pytest.raises(LookupError) as caught:
        Function(of_numbers_alone, backend="numpy")(np.array([1.0]), 5)
    assert caught.value.args == ("k", 5, [5, {"k": 10}]) and caught.value.number == 5


# ------------------------------------------------- what the program itself may raise, with an `except` around


def index_in_try(x, i):
    try:
        return x[i]  # here
    except IndexError:
        return x[0] * 0


def index_under_a_bare_except(x, i):
    try:
        return x[i]  # here
    except:  # noqa: E722
        return x[0] * 0


def index_in_a_called_function(x, i):
    def read():
        return x[i]  # here

    try:
        return read()
    except LookupError:
        return x[0]


def index_in_a_branch(x, i):
    try:
        if x[0] > 0:
            x = x + x[i]  # here
    except IndexError:
        return x
    return x


def index_suppressed(x, i):
    with contextlib.suppress(IndexError):
        return x[i]  # here
    return x[0]


class Quiet:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        return kind is IndexError


class Loud:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is None:
            return False
        return None


def index_in_a_quiet_context(x, i):
    with Quiet():
        return x[i]  # here
    return x[0]


@contextlib.contextmanager
def quietly():
    try:
        yield
    except IndexError:
        len("")


@contextlib.contextmanager
def nested_quietly():
    with contextlib.suppress(IndexError):
        yield


@contextlib.contextmanager
def cleaning():
    try:
        yield
    finally:
        len("")


def index_in_a_quiet_generator(x, i):
    with quietly():
        return x[i]  # here
    return x[0]


def index_in_a_nested_quiet_generator(x, i):
    with nested_quietly():
        return x[i]  # here
    return x[0]


def inverse_in_try(x, i):
    m = np.zeros((2, 2)) + x[0]
    try:
        return np.linalg.inv(m)  # here
    except numpy.linalg.LinAlgError:
        return m


def share_in_try(x, i):
    try:
        return np.quantile(x, i)  # here
    except ValueError:
        return x[0]


def assertion_in_try(x, i):
    try:
        npx.assert_(x[0] > i, "no")  # noqa: PT009  # here
    except AssertionError:
        return x
    return x + 1


def sorted_in_try(x, i):
    try:
        return sorted(x)  # here
    except AssertionError:
        return x


@pytest.mark.parametrize(
    "function",
    [
        index_in_try, index_under_a_bare_except, index_in_a_called_function, index_in_a_branch, index_suppressed,
        index_in_a_quiet_context, index_in_a_quiet_generator, index_in_a_nested_quiet_generator, inverse_in_try,
        share_in_try, assertion_in_try, sorted_in_try,
    ],
    ids=lambda function: function.__name__,
)  # fmt: skip
def test_what_an_except_might_catch_when_the_program_runs_is_refused(refused, function):
    refused(function, [1.0, 2.0], np.array(7, dtype="int64"), code="E433", match="except")


def factors(x):
    return np.linalg.cholesky(x)


def factors_of_nd(x):
    return nd.linalg.potrf(x)


def inverse(x):
    return np.linalg.inv(x)


def solution(x):
    return np.linalg.solve(x, x)


def checked(x):
    assert (x > 0).all()
    return x


def under_a_class(compute):
    def function(x):
        try:
            return compute(x) + 1
        except (numpy.linalg.LinAlgError, AssertionError):
            return x

    return function


def under_any(compute):
    def function(x):
        for number in range(3):
            try:
                y = compute(x)
            except Exception:
                x = x + np.eye(2) * 10
            else:
                return y, number
        return x, 3

    return function


def suppressed(compute):
    def function(x):
        y = x
        with contextlib.suppress(numpy.linalg.LinAlgError, AssertionError):
            y = compute(x)
        return y

    return function


def in_a_branch(compute):
    def function(x):
        try:
            return compute(x) * 2 if x.sum() > 0 else x
        except (numpy.linalg.LinAlgError, AssertionError):
            return x

    return function


@pytest.mark.parametrize("around", [under_a_class, under_any, suppressed, in_a_branch], ids=lambda one: one.__name__)
@pytest.mark.parametrize("compute", [factors, factors_of_nd, inverse, solution, checked], ids=lambda one: one.__name__)
def test_a_failure_in_a_try_is_raised_by_the_program(compute, around):
    """Nothing is refused before: the program does what Python does, but for going on in the `except`."""
    function, make = around(compute), nd.array if compute is factors_of_nd else np.array
    compiled = Function(function)
    good, bad = [[4.0, 1.0], [1.0, 3.0]], [[1.0, 1.0], [1.0, 1.0]] if compute is not checked else [[-1.0, 2.0], [3, 4]]
    for _ in range(2):
        expected, result = function(make(good)), compiled(make(good))
        for one, other in zip(*(x if isinstance(x, tuple) else (x,) for x in (expected, result)), strict=True):
            numpy.testing.assert_allclose(numpy.asarray(one), numpy.asarray(other), rtol=1e-5)
        function(make(bad))  # Python goes on in the except
        with refusal(CaptureError, "E433: .* is raised, and an enclosing except may catch it") as caught:
            compiled(make(bad))
        assert not isinstance(caught.value, (numpy.linalg.LinAlgError, AssertionError)), "nobody else catches it"
        assert caught.value.loc.file == __file__


def index_under_another_except(x, i):
    try:
        return x[i]
    except KeyError:
        return x[0]


def index_with_finally(x, i):
    try:
        return x[i]
    finally:
        len("")


def index_within_bounds(x, i):
    try:
        return x[x.argmax()] + x[i] * 0 if i.ndim else x[x.argmin()]
    except IndexError:
        return x[0]


def index_in_a_loud_context(x, i):
    with Loud():
        return x[i] * 2


def index_in_a_cleaning_context(x, i):
    with cleaning():
        return x[i] * 3


@pytest.mark.parametrize(
    "function",
    [
        index_under_another_except, index_with_finally, index_within_bounds, index_in_a_loud_context,
        index_in_a_cleaning_context,
    ],
    ids=lambda function: function.__name__,
)  # fmt: skip
def test_what_no_except_catches_is_raised_by_the_program(same, function):
    at = (np.array(1, dtype="int64"), np.array(7, dtype="int64"), np.array(-2, dtype="int64"))
    same(lambda: function, *[([1.0, 2.0], i) for i in at])


# ------------------------------------------------------------------------------------------------------------ finally


def raised_in_finally(x):
    try:
        if x.sum() > 0:
            raise ValueError("data")
    finally:
        {}["key"]  # here


def raised_in_finally_after_a_return(x):
    try:
        if x.sum() > 0:
            return x
        [][5]
    finally:
        int("a")  # here


def raised_by_data_in_finally(x):
    try:
        if x.sum() > 0:
            raise ValueError("first")
    finally:
        if x.sum() < 100:
            raise KeyError("second")  # here


def raised_by_an_index_in_finally(x):
    try:
        assert x.sum() < 5
    finally:
        y = [x, x + 1][int(x[0])]  # here
    return y


def raised_in_an_outer_finally(x):
    try:
        try:
            if x.sum() > 0:
                raise ValueError("data")
        finally:
            y = x + 1
    finally:
        [y][2]  # here


@pytest.mark.parametrize(
    "function",
    [
        raised_in_finally, raised_in_finally_after_a_return, raised_by_data_in_finally, raised_by_an_index_in_finally,
        raised_in_an_outer_finally,
    ],
)  # fmt: skip
def test_an_exception_of_a_finally_that_may_replace_one_of_data_is_refused(refused, function):
    refused(function, np.array([1.0, 2.0]), code="E433", match="may be raised in a finally")


def test_an_exception_of_a_finally_replaces_one_that_python_decides(same):
    def function(x, k):
        try:
            if k:
                x = x + 1 // (k - k)
        finally:
            if k > 1:
                {}["key"]
        return x

    same(lambda: function, *[([1.0, 2.0], k) for k in range(3)])


def test_a_finally_runs_on_the_way_of_an_exception_of_data(same):
    state = types.SimpleNamespace(training=True)

    def evaluated(x):
        state.training = False
        try:
            if x[0] < 0:
                raise ValueError("negative")
            return x * (2 if state.training else 1)
        finally:
            state.training = True

    def caught_inside(x):
        try:
            if x[0] < 0:
                return x
            [][5]
        finally:
            try:
                {}["key"]
            except KeyError:
                x = x + 1

    def in_a_loop(x):
        for _ in range(3):
            try:
                if x[0] > 3:
                    raise ValueError("large")
                x = x * 2
            finally:
                x = x + 1
        return x

    for function in (evaluated, caught_inside, in_a_loop):
        same(lambda function=function: (function, lambda: state.training), [1.0, 2.0], [-1.0, 2.0], [0.1, 0.0])


# -------------------------------------------------------------------------------------------- variables without a value


def read_in_try(x, n):
    if n:
        q = x
    try:
        return q
    except UnboundLocalError as error:
        return type(error).__name__, str(error)


def read_after_del(x, n):
    q = x
    if n:
        del q
    try:
        return q
    except NameError as error:
        return type(error).__name__, str(error)


def deleted_in_try(x, n):
    if n:
        q = x
    try:
        del q
    except UnboundLocalError as error:
        return str(error)


def added_to_in_try(x, n):
    if n:
        q = x
    try:
        q += 1
    except UnboundLocalError as error:
        return str(error)
    return q


def read_suppressed(x, n):
    if n:
        q = x
    with contextlib.suppress(UnboundLocalError):
        return q
    return x + 1


def read_by_a_nested_function(x, n):
    def inner():
        return q

    if n:
        q = x
    try:
        return inner()
    except NameError as error:
        return type(error).__name__, str(error)


def never_set(x, n):
    try:
        return nothing
    except NameError as error:
        return type(error).__name__, str(error)


def set_by_an_empty_loop(x, n):
    for i in range(n):
        x = x + i
    try:
        return i
    except UnboundLocalError as error:
        return str(error)


@pytest.mark.parametrize(
    "function",
    [
        read_in_try, read_after_del, deleted_in_try, added_to_in_try, read_suppressed, read_by_a_nested_function,
        never_set, set_by_an_empty_loop,
    ],
)  # fmt: skip
def test_variables_without_a_value_are_caught_as_in_python(same, function):
    same(lambda: function, ([1.0, 2.0], 0), ([1.0, 2.0], 1))


@pytest.mark.parametrize("kind", [UnboundLocalError, NameError, Exception])
def test_whether_data_sets_a_variable_is_not_caught(refused, kind):
    def function(x):
        if x[0] > 1:
            y = x
        try:
            return y  # here
        except kind:
            return x + 1

    refused(function, np.array([1.0, 2.0]), code="E440", match="'y' is set on one side only")
