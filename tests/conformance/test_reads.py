"""Reads of the world that a later call has to see: builtins, modules, gradients, descriptors, weak references."""

import numpy
import pytest

from hybridize import autograd, hybridize
from hybridize.array import np
from hybridize.errors import ArgumentError, StateError

X, Y = [1.0, 2.0], [-3.0, 4.0]


def _follows(function, *changes, args=lambda: (np.array(X),)):
    """A function and its program agree before and after each change of the world, both when they are called twice."""
    compiled, answers = hybridize(function), []
    for change in (lambda: None, *changes):
        change()
        for _ in range(2):
            expected = function(*args())
            found = compiled(*args())
            assert type(found) is type(expected)
            numpy.testing.assert_array_equal(numpy.asarray(found), numpy.asarray(expected))
        answers.append(numpy.asarray(expected).tolist())
    return answers


def reads_builtins(x):
    total = x * max(2, 3) + sum([1, 2]) + len(x) + float("4") + round(2.6)
    for i in range(2):
        total = total + i
    return total if isinstance(total, object) else -total


@pytest.mark.parametrize(("name", "other"), [
    ("max", lambda *args: -7), ("sum", lambda items: 70), ("len", lambda items: 700), ("float", lambda text: 0.25),
    ("round", lambda x: -1), ("range", lambda n: [5, 6]), ("isinstance", lambda x, kind: False),
])  # fmt: skip
def test_a_global_that_hides_a_builtin(name, other):
    names = globals()
    answers = _follows(
        reads_builtins, lambda: names.update({name: other}), lambda: names.pop(name), lambda: names.update({name: other}),
        lambda: names.pop(name),
    )  # fmt: skip
    assert answers[0] == answers[2] == answers[4] != answers[1] == answers[3]


def test_a_builtin_that_is_replaced(monkeypatch):
    answers = _follows(
        reads_builtins, lambda: monkeypatch.setattr("builtins.round", lambda x: 90), lambda: monkeypatch.undo()
    )
    assert answers[0] == answers[2] != answers[1]


def test_a_builtin_in_a_helper_a_lambda_and_a_comprehension():
    def helper(x):
        return x * (lambda n: abs(n))(-2) + sum([abs(k) for k in (-1, -2)])

    names = globals()
    answers = _follows(lambda x: helper(x), lambda: names.update(abs=lambda x: 50), lambda: names.pop("abs"))
    assert answers[0] == answers[2] != answers[1]


def test_programs_of_functions_with_builtins_are_not_made_anew():
    compiled = hybridize(reads_builtins)
    first = compiled(np.array(X))
    for k in range(3):
        globals()["of_no_concern"] = k  # other names of the module are nobody's business
        assert compiled(np.array(X)).asnumpy().tolist() == first.asnumpy().tolist()
    del globals()["of_no_concern"]
    assert len(compiled.programs()) == 1


def test_whether_an_argument_has_a_gradient():
    weight = np.array(X)
    answers = _follows(
        lambda x: x.grad is None, lambda: weight.attach_grad(), lambda: weight.attach_grad("null"),
        args=lambda: (weight,),
    )  # fmt: skip
    assert answers[:2] == [True, False]
    compiled = hybridize(lambda x: -x if x.grad is None else x + x.grad)
    for attached in (False, True, False, True):
        x = np.array(X)
        if attached:
            x.attach_grad()
        assert compiled(x).asnumpy().tolist() == (X if attached else [-1.0, -2.0])


def test_a_weight_that_gets_its_gradient_after_a_step_has_failed():
    state = {"w": np.array(X)}
    state["w"].attach_grad()
    log = []

    def step(x):
        with autograd.record():
            loss = (x * state["w"]).sum()
        loss.backward()
        log.append(1.0)
        return state["w"].grad * 1.0

    compiled = hybridize(step)
    for run in (0, 1, 2, 3):
        if run in (1, 3):
            state["w"] = np.array(Y)  # without a gradient
        if run == 2:
            state["w"].attach_grad()
        for function in (step, compiled):
            if run in (1, 3):
                with pytest.raises((TypeError, ArgumentError, StateError)):
                    function(np.array(X))
            else:
                assert function(np.array(X)).asnumpy().tolist() == X


def test_variables_of_the_surroundings_that_are_deleted():
    names = globals()

    def make():
        kept = 5.0

        def both(x):
            global made_here, other_here
            nonlocal kept
            made_here, other_here = x, x * 2
            result = made_here + other_here * kept
            del made_here, other_here, kept
            return result

        def put(value):
            nonlocal kept
            kept = value

        return both, put

    for wrap in (lambda function: function, hybridize):
        function, put = make()
        function = wrap(function)
        for value in (5.0, 2.0, 3.0, 4.0):
            put(value)
            assert function(np.array(X)).asnumpy().tolist() == [v + 2 * v * value for v in X]
            assert "made_here" not in names and "other_here" not in names
            with pytest.raises(NameError, match="kept"):
                function(np.array(X))
        assert "made_here" in names and "other_here" in names  # what was done before the exception was done
        del names["made_here"], names["other_here"]
        put(6.0)
        assert function(np.array(X)).asnumpy().tolist() == [13.0, 26.0]
