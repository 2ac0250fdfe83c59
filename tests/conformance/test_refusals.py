"""What cannot be part of a program is an error at the user's own line, with a remedy."""

import contextlib
import json
import os
import pickle
import random
import statistics
import time
from datetime import datetime

import numpy
import pytest

from hybridize.array import np
from hybridize.base.errors import CaptureError
from hybridize.capture import Function

X = [1.0, 2.0]
LOG: list[float] = []
NUMBERS = iter([1.0, 2.0, 3.0])


class Thing:
    count = 0


THING = Thing()


def asks_for_a_value(x):
    return x + float(x.asnumpy().sum())  # here


def asks_for_an_item(x):
    return round(x.mean().item(), 23)  # here


def asks_for_a_float(x):
    return x * statistics.mean([float(x.sum()), 1.0])  # here


def asks_for_a_list(x):
    y = np.broadcast_to(x, (1025, 2))
    return y.tolist()  # here


def makes_numpy(x):
    return numpy.asarray(x)  # here


def indexes_a_list_of_names(x):
    options = ["one", "two"]
    i = x.argmax()
    return options[i]  # here


def indexes_a_list_inside_of_a_try(x):
    try:
        return [1.0, 2.0][x.argmax()]  # here
    except IndexError:
        return x


def indexes_a_dict(x):
    options = {0: 1.0, 1: 2.0}
    return x * options[x.argmax()]  # here


def shape_from_data(x):
    n = x.sum().astype("int64")
    return np.zeros((n,))  # here


def truth_of_many(x):
    if x > 0:  # here
        return x
    return -x


def iterates_a_number(x):
    for part in x.sum():  # here
        x = x + part
    return x


def reads_a_clock(x):
    return x * time.time()  # here


def reads_the_date(x):
    return x * datetime.now().year  # here


def draws_from_python(x):
    return x * random.random()  # here


def draws_a_choice(x):
    return x * random.choice([1.0, 2.0])  # here


def draws_from_numpy(x):
    return x + numpy.random.normal(size=2)  # here


def draws_from_a_generator(x):
    rng = numpy.random.default_rng(0)  # here
    return x + rng.normal()


def opens_a_file(x):
    with open(__file__) as file:  # here
        return x * len(file.read())


def reads_the_environment(x):
    return x * len(os.getlogin())  # here


def asks_the_user(x):
    return x * float(input())  # here


def uses_an_iterator(x):
    return x * next(NUMBERS)  # here


def appends_in_a_branch(x):
    if x.sum() > 0:
        LOG.append(1.0)  # here
    return x


def appends_own_list_in_a_branch(x):
    parts = [x]
    if x.sum() > 0:
        parts.append(x)  # here
    return parts


def appends_in_a_loop(x):
    parts = []
    while x.sum() > 1:
        x = x / 2
        parts.append(x)  # here
    return x


def sets_an_attribute_in_a_branch(x):
    if x.sum() > 0:
        THING.count = 1  # here
    return x


def sets_a_global_in_a_loop(x):
    global LOG
    while x.sum() > 1:
        x = x / 2
        LOG = [1.0]  # here
    return x


def sets_a_variable_of_the_function_around_in_a_branch(x):
    n = 0

    def inner():
        nonlocal n
        n = n + 1  # here

    if x.sum() > 0:
        inner()
    return x + n


def raises_inside_of_a_try(x):
    try:
        if x.sum() > 0:
            raise ValueError("positive")  # here
    except ValueError:
        return -x
    return x


def raises_where_suppressed(x):
    with contextlib.suppress(ValueError):
        if x.sum() > 0:
            raise ValueError("positive")  # here
    return x


def raises_with_an_object(x):
    if x.sum() > 0:
        raise ValueError(object())  # here
    return x


def compares_text(x):
    return x if f"{x[0]}" == "1.0" else -x  # here


def keys_by_text(x):
    return {f"{x[0]}": x}  # here


def counts_characters(x):
    return len(f"{x[0]:.3f}")  # here


def returns_a_selection(x):
    return [v for v in x if v > 0]  # here


def loops_over_a_selection(x):
    total = 0
    for v in [v for v in x if v > 0]:  # here
        total += v
    return total


def indexes_a_selection(x):
    chosen = [v for v in x if v > 0]
    return chosen[0]  # here


def makes_an_array_of_a_selection(x):
    return np.array([v for v in x if v > 0])  # here


def sorts_by_a_key(x):
    return sorted(x, key=lambda v: -v)  # here


def stops_a_generator_with_effects(x):
    seen = []
    return any(seen.append(v) or v > 0 for v in x)  # here


def returns_one_of_two_types(x):
    return x[0] > 0 and x[1]  # here


def adds_to_one_of_two_types(x):
    y = x[0] > 0 and x[1]
    return y + 1  # here


def prints_to_a_file(x):
    print(x[0], file=LOG)  # here
    return x


def shapes_differ(x):
    if x.sum() > 0:
        y = x
    else:
        y = x[:1]
    return y + 1  # here


def dtypes_differ(x):
    if x.sum() > 0:
        y = x
    else:
        y = x.astype("float64")
    return y * 2  # here


def structures_differ(x):
    if x.sum() > 0:
        y = (x, x)
    else:
        y = x
    return y  # here


def an_elif_of_other_types(x):
    if x.sum() < 0:
        y = x
    elif x.sum() < 1:
        y = x.sum()
    else:
        y = x * 2
    return y  # here


def an_elif_without(x):
    if x.sum() < 0:
        y = x
    elif x.sum() < 1:
        z = x  # noqa: F841
    else:
        y = x * 2
    return y  # here


def one_side_only(x):
    if x.sum() > 0:
        y = x * 2
    return y  # here


def set_in_the_loop_only(x):
    while x.sum() > 1:
        y = x * 2
        x = x / 2
    return y  # here


def grows_in_a_loop(x):
    y = x
    while x.sum() > 1:
        x = x / 2
        y = np.concatenate([y, x])  # here
    return y


def becomes_none(x):
    y = x
    if x.sum() > 0:
        y = None
    return y  # here


def results_differ(x):
    return x if x.sum() > 0 else x[:1]  # here


def returns_differ(x):
    if x.sum() > 0:  # here
        return x
    return None


def returns_from_with(x):
    with np_errstate():
        if x.sum() > 0:  # here
            return x
        x = x + 1
    return x


class np_errstate:  # noqa: N801
    def __enter__(self):
        return self

    def __exit__(self, *args):
        return False


def writes_what_may_be_an_argument(x):
    y = x
    if x.sum() > 0:
        y = x * 2
    y += 1  # here
    return y


def changes_what_may_be_another_list(x):
    parts = [x]
    others = parts
    if x.sum() > 0:
        parts = [x * 2]
    parts.append(x)  # here
    return others


def caught_refusals(x):
    try:
        return x * float(x.asnumpy().sum())  # here
    except Exception:
        return x


def writes_a_record(x):
    return json.dumps({"loss": float(x.sum()), "step": 1})  # here


def writes_nested_records(x):
    return json.dumps([{"all": [{"loss": float(x.sum())}]}])  # here


def pickles_an_array(x):
    return pickle.dumps(x)  # here


def pickles_a_record(x):
    return pickle.dumps({"x": x})  # here


def wrong_shapes(x):
    return x + np.ones((3,))  # here


def sizes_of_a_matmul(x):
    return np.matmul(x, np.ones((5, 5)))  # here


CASES = [
    (asks_for_a_value, "E401", "asnumpy"), (asks_for_an_item, "E427", "round"),
    (asks_for_a_float, "E427", r"statistics\.mean"), (writes_a_record, "E427", r"json\.dumps"),
    (writes_nested_records, "E427", r"json\.dumps"), (pickles_an_array, "E427", "dumps.*an array"),
    (pickles_a_record, "E427", "dumps.*an array"),
    (asks_for_a_list, "E401", "tolist"), (makes_numpy, "E401", "asarray"), (indexes_a_list_of_names, "E422", "item"),
    (indexes_a_list_inside_of_a_try, "E433", "IndexError"),
    (indexes_a_dict, "E422", "key"), (shape_from_data, "E401", "index"), (truth_of_many, "E130", "one element"),
    (iterates_a_number, "E302", "without axes"), (reads_a_clock, "E420", "time.time"),
    (reads_the_date, "E420", "datetime.now"), (draws_from_python, "E420", "random"),
    (draws_a_choice, "E420", "choice"), (draws_from_numpy, "E420", "normal"),
    (draws_from_a_generator, "E420", "default_rng"), (opens_a_file, "E420", "open"),
    (reads_the_environment, "E420", "getlogin"), (asks_the_user, "E420", "input"), (uses_an_iterator, "E421", "NUMBERS"),
    (appends_in_a_branch, "E430", "list"),
    (appends_own_list_in_a_branch, "E430", "list"), (appends_in_a_loop, "E430", "list"),
    (sets_an_attribute_in_a_branch, "E430", "count"), (sets_a_global_in_a_loop, "E430", "LOG"),
    (sets_a_variable_of_the_function_around_in_a_branch, "E430", "'n'"), (raises_inside_of_a_try, "E433", "except"),
    (raises_where_suppressed, "E433", "except"), (raises_with_an_object, "E433", "object"),
    (compares_text, "E424", "comparison"), (keys_by_text, "E424", "hash"), (counts_characters, "E424", "length"),
    (returns_a_selection, "E402", "result"), (loops_over_a_selection, "E402", "loop"),
    (indexes_a_selection, "E402", "item"), (makes_an_array_of_a_selection, "E402", "array"),
    (sorts_by_a_key, "E402", "key"), (stops_a_generator_with_effects, "E430", "generator"),
    (returns_one_of_two_types, "E440", "f32.* or bool"), (adds_to_one_of_two_types, "E440", "f32.* or bool"),
    (prints_to_a_file, "E430", "print"),
    (shapes_differ, "E440", r"'y' is f32\[2\] on one side, f32\[1\] on the other"),
    (dtypes_differ, "E440", r"f32\[2\] on one side, f64\[2\]"), (structures_differ, "E440", "'y'"),
    (one_side_only, "E440", "'y' is set on one side only"),
    (an_elif_of_other_types, "E440", r"'y' is f32\[\] on one side, f32\[.*\] on the other, of the branch"),
    (an_elif_without, "E440", "'y' is set on one side only of the branch"),
    (set_in_the_loop_only, "E440", "'y' is set in the loop only"),
    (grows_in_a_loop, "E440", r"'y' is f32\[2\] before and f32\[4\]"), (becomes_none, "E440", "None"),
    (results_differ, "E440", r"f32\[2\] and f32\[1\]"), (returns_differ, "E440", "None"),
    (returns_from_with, "E434", "with or try"), (writes_what_may_be_an_argument, "E441", "depending on data"),
    (changes_what_may_be_another_list, "E441", "depending on data"),
    (caught_refusals, "E401", "asnumpy"),
    (wrong_shapes, "E101", "f32"), (sizes_of_a_matmul, "E102", r"f32\[5,5\]"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "code", "match"), CASES, ids=[case[0].__name__ for case in CASES])
def test_refused_at_the_users_line(refused, function, code, match):
    refused(function, X, code=code, match=match)


def test_too_many_paths():
    def function(x):
        for factor in [1.0] * 30:
            if x.sum() > factor:
                if x.max() > 3:
                    return x
                x = x * factor
            elif x.min() < -factor:
                if x.max() < -5:
                    return x
                x = x + factor
        return x

    with pytest.raises(CaptureError, match="E448"):
        Function(function, backend="numpy")(np.array(X))


@pytest.mark.parametrize("argument", [{1, 2}, bytearray(b"a"), memoryview(b"a").tolist, numpy.array(["a"])])
def test_arguments_that_no_program_takes(argument):
    with pytest.raises(TypeError):
        Function(lambda x: x + np.ones((2,)))(argument)


def test_without_source_a_truth_value_is_an_error():
    names = {}
    exec("def f(x):\n    return x if x.sum() > 0 else -x\n", names)
    with pytest.raises(CaptureError, match="bool"):
        Function(names["f"])(np.array(X))


def test_without_source_arrays_outside_are_not_frozen():
    for text in ("bool(w)", "w.item()", "float(w)", "w.asnumpy()", "w.tolist()"):
        names = {"w": np.array([1.0])}
        exec(f"def f(x):\n    return x + {text}\n", names)
        with pytest.raises(CaptureError, match="E401"):
            Function(names["f"])(np.array(X))


def test_functions_without_source_change_nothing_outside():
    kept = []
    names = {"kept": kept}
    exec("def keep(x):\n    kept[:] = [x]\n    return x\n", names)
    with pytest.raises(CaptureError, match="E431"):
        Function(names["keep"])(np.array(X))
    assert kept == []


class Sink:
    """A class that no name of a function below leads to."""


def test_symbols_do_not_survive_their_capture():
    names = {}
    search = "next(kind for kind in object.__subclasses__() if kind.__name__ == 'Sink')"
    exec(f"def keep(x):\n    {search}.kept = x\n    return x\n", names)  # the write goes unseen
    Function(names["keep"])(np.array(X))
    kept = [Sink.kept]
    del Sink.kept
    with pytest.raises(CaptureError, match="E410"):
        kept[0] + 1
    with pytest.raises(CaptureError, match="E410"):
        Function(lambda x: x)(kept[0])


def returns_a_vector_or_a_pair(x):
    i = 0
    while True:  # here
        i += 1
        if i > 3:
            return x
        for v in x:
            if v > 2:
                return v, i


def returns_two_structures_out_of_a_while(x):
    while x.sum() > 0:  # here
        x = x - 1
        if x[0] > 2:
            return x
        if x[1] > 2:
            return {"a": x}
    return x


def returns_an_array_or_none_out_of_a_loop(x):
    for i in range(100):  # here
        if x[0] > i:
            return x
        if x[1] > 2:
            return None
    return x


@pytest.mark.parametrize(
    "function",
    [
        returns_a_vector_or_a_pair, returns_two_structures_out_of_a_while, returns_an_array_or_none_out_of_a_loop,
    ],
    ids=lambda function: function.__name__,
)  # fmt: skip
def test_results_of_several_structures_out_of_a_loop(refused, function):
    refused(function, np.array(X), code="E440", match="the result of the function")
