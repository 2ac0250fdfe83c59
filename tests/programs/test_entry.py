# SPDX-License-Identifier: Apache-2.0
"""Calls by the emitted entry: programs that assert or print, whose errors are those of imperative Python."""

import os
import sys

import numpy
import pytest

import hybridize
from hybridize import autograd, gluon, np, npx
from hybridize.gluon import nn

TABLE = np.array(numpy.arange(12, dtype="float32").reshape(4, 3))


def own_assertion(x, i):
    assert x.sum() < 100, "too much"
    return x * 2


def own_error(x, i):
    if x[0] > 50:
        raise ValueError("first is too large")
    return x + 1


def printed(x, i):
    print("the index is", i)
    return x[i]


CASES = {
    "take": lambda x, i: np.take(x, i, mode="raise"),
    "item": lambda x, i: x[i],
    "row": lambda x, i: TABLE[i] + x[:3],
    "take along axis": lambda x, i: np.take_along_axis(x, i.reshape(1), 0),
    "embedding": lambda x, i: npx.embedding(i, TABLE, 4, 3),
    "item and sum": lambda x, i: (x[i], x.sum()),
    "own assertion": own_assertion,
    "own error": own_error,
    "printed": printed,
}
X = numpy.array([1, 2, 3, 4], "float32")
RIGHT, WRONG = (X, numpy.array(2)), (X * 60, numpy.array(9))


def outcome(function, call, capfd):
    """What a call gives, prints or raises."""
    try:
        found = function(*(np.array(one) for one in call))
    except Exception as error:
        said = getattr(error, "code", None) or str(error).split("\n")[0]  # texts of ours name the index if they know it
        return type(error), said, capfd.readouterr().out
    return [one.asnumpy().tolist() for one in (found if isinstance(found, tuple) else (found,))], capfd.readouterr().out


@pytest.mark.parametrize("name", CASES)
def test_programs_that_assert_are_called_by_the_entry(name, capfd):
    function = CASES[name]
    compiled = hybridize.hybridize(function)
    for call in (RIGHT, RIGHT):
        assert type(outcome(compiled, call, capfd)[0]) is list
    known = compiled.cache_info()
    for call in (RIGHT, WRONG, RIGHT, WRONG, RIGHT):
        assert outcome(compiled, call, capfd) == outcome(function, call, capfd)
    assert compiled.cache_info() == known and known.programs == 1


def make_step(adam=False):
    hybridize.random.seed(3)
    net = nn.HybridSequential()
    net.add(nn.Embedding(10, 6), nn.Dense(8, activation="relu"), nn.BatchNorm(), nn.Dropout(0.2), nn.Dense(5))
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "adam" if adam else "sgd", {"learning_rate": 0.1})
    loss = gluon.loss.SoftmaxCrossEntropyLoss()

    def step(x, y):
        with autograd.record():
            value = loss(net(x), y).mean()
        value.backward()
        trainer.step(1)
        return value

    return step, net, trainer


def state(net, trainer):
    arrays = {name: one.data().asnumpy().copy() for name, one in net.collect_params().items()}
    arrays |= {
        f"grad of {name}": one.grad().asnumpy().copy()
        for name, one in net.collect_params().items()
        if one.grad_req != "null"
    }
    return arrays, trainer.optimizer.num_update


@pytest.mark.parametrize("adam", [False, True])
def test_a_step_that_is_refused_changes_nothing(adam):
    """Neither weights nor gradients, slots or counts, and the next step goes on as if it had not been asked for."""
    x, y = numpy.arange(12).reshape(4, 3) % 10, numpy.array([0, 1, 2, 3])
    runs = []
    for refused in (False, True):
        function, net, trainer = make_step(adam)
        step = hybridize.hybridize(function)
        losses = []
        for turn in range(6):
            losses.append(float(step(np.array(x), np.array(y))))
            if turn == 2:
                known = step.cache_info()
            if refused and turn >= 2:
                before = state(net, trainer)
                for bad in ((x + 7, y), (x, y + 2), (x - 30, y - 9)):
                    with pytest.raises(hybridize.errors.OutOfBoundsError, match="E110"):
                        step(np.array(bad[0]), np.array(bad[1]))
                after = state(net, trainer)
                assert after[1] == before[1]
                for name in before[0]:
                    numpy.testing.assert_array_equal(after[0][name], before[0][name], err_msg=name)
        assert step.cache_info() == known and known.programs == 1
        assert step.program(np.array(x), np.array(y))._runs.executable.effects
        runs.append(losses)
    assert runs[0] == runs[1]


KEPT = []


def kept(x):
    KEPT.append(x.sum())
    return x * 2


def written(x):
    x[0] = 7
    return x * 2


def same_twice(x, y):
    y[0] = 7
    return x * 2, y * 3


def viewed(x):
    return x[1:]


V = numpy.arange(1, 5, dtype="float32")
REASONS = {
    "it does not run as machine code of ours": (lambda x: x * 2, lambda: (np.array(V),), {"backend": "numpy"}),
    "it changes objects": (kept, lambda: (np.array(V),), {}),
    "arguments are written": (written, lambda: (np.array(V),), {}),
    "arguments are over one memory": (same_twice, lambda: (np.array(V),) * 2, {}),
    "arguments are part of the result": (viewed, lambda: (np.array(V),), {}),
    "": (lambda x: x * 2, lambda: (np.array(V),), {}),
}


@pytest.mark.parametrize("reason", REASONS)
def test_a_program_says_why_it_has_no_entry_and_is_right_without(reason, capfd):
    function, call, options = REASONS[reason]
    compiled = hybridize.hybridize(function, **options)
    for _ in range(4):
        args, same = call(), call()
        assert outcome_of(compiled, args, capfd) == outcome_of(function, same, capfd)
        assert [x.asnumpy().tolist() for x in args] == [x.asnumpy().tolist() for x in same]
    (program,) = compiled.programs()
    assert program.why_no_entry() == reason
    assert bool(program.entry(lambda *_: None)) == (not reason)


def outcome_of(function, args, capfd):
    """What a call with these very arrays gives or raises."""
    try:
        found = function(*args)
    except Exception as error:
        return type(error), str(error).split("\n")[0]
    return [one.asnumpy().tolist() for one in (found if isinstance(found, tuple) else (found,))]


def _gluon():
    net = nn.HybridSequential()
    net.add(nn.Dense(8), nn.Dense(4))
    net.initialize()
    net.hybridize()
    return net


def _state():
    state = np.zeros((8,))

    def function(x):
        state[:] = state + x.sum(0)
        return x + 1

    return hybridize.hybridize(function)


def _backward():
    weight = np.ones((8,))
    weight.attach_grad()

    def function(x):
        with autograd.record():
            loss = (x * weight).sum()
        loss.backward()
        return loss

    return hybridize.hybridize(function)


def _step():
    net = nn.Dense(4)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})

    def function(x):
        with autograd.record():
            loss = (net(x) ** 2).mean()
        loss.backward()
        trainer.step(1)
        return loss

    return hybridize.hybridize(function)


def _marks():
    def function(x):
        with autograd.record():
            return (x * 2).sum()

    return hybridize.hybridize(function)


MOST_FRAMES = {
    "a net": (_gluon, 1),
    "nothing but a result": (lambda: hybridize.hybridize(lambda x: x + 1), 0),
    "random numbers": (lambda: hybridize.hybridize(lambda x: x + np.random.uniform(size=x.shape)), 2),
    "state": (_state, 4),
    "gradients of arguments": (_marks, 1),
    "a backward pass": (_backward, 5),
    "a training step": (_step, 29),
}
"""Kinds of programs, and how many functions of ours, written in Python, a call of one may enter."""


@pytest.mark.parametrize("kind", MOST_FRAMES)
def test_what_python_does_around_an_entry_is_one_function(kind):
    make, most = MOST_FRAMES[kind]
    compiled, x = make(), np.ones((4, 8))
    for _ in range(4):
        compiled(x)
    folder, entered = os.path.dirname(hybridize.__file__) + os.sep, []

    def look(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(folder):
            entered.append(f"{frame.f_code.co_filename[len(folder) :]}: {frame.f_code.co_name}")

    sys.setprofile(look)
    try:
        compiled(x)
    finally:
        sys.setprofile(None)
    assert len(entered) <= most, "\n".join(entered)
