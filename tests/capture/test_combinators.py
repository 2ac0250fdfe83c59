"""Bodies of `npx.foreach` and `npx.while_loop` that draw, keep statistics, or write what is around: one loop of the
program, with the imperative run's numbers, state and gradients."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from hybridize import autograd, hybridize, np, npx
from hybridize.gluon import nn

LENGTH = 20


class Bodies:
    """What the functions below use, anew for each run."""

    def __init__(self) -> None:
        rng = numpy.random.default_rng(2)
        self.x = np.array(rng.standard_normal((LENGTH, 4, 3)), dtype="float64")
        self.w = np.array(rng.standard_normal(3) * 0.2, dtype="float64")
        self.norm = nn.BatchNorm(axis=-1, in_channels=3)
        self.norm.cast("float64")
        self.norm.initialize()
        self.total = np.zeros((4, 3), dtype="float64")
        self.x.attach_grad()
        self.w.attach_grad()
        np.random.seed(11)

    def dropout(self, r: Any, s: Any) -> Any:
        s = np.tanh(npx.dropout(s, p=0.4) + r * self.w)
        return s * 2, s

    def draws(self, r: Any, s: Any) -> Any:
        return r * np.random.normal(size=(3,), dtype="float64"), s * self.w + np.random.uniform(
            size=(4, 3), dtype="float64"
        )

    def statistics(self, r: Any, s: Any) -> Any:
        s = self.norm(r * s + self.w)
        return s + r, s

    def writes(self, r: Any, s: Any) -> Any:
        self.total += s
        return self.total * r, np.tanh(s + self.total * self.w)

    def foreach(self, body: Any) -> Any:
        rows, last = npx.foreach(body, self.x, self.x[0] * self.w)
        return [rows, last]

    def counted(self, body: Any) -> Any:
        def step(r: Any, states: Any) -> Any:
            row, s = body(r, states["s"])
            return row * states["n"], {"s": s, "n": states["n"] + 2}

        rows, last = npx.foreach(step, self.x, {"s": self.x[0] * self.w, "n": 1})
        assert last["n"] == 1 + 2 * LENGTH
        return [rows, last["s"]]

    def while_loop(self, body: Any) -> Any:
        def func(n: Any, s: Any) -> Any:
            row, s = body(self.x[3], s)
            return [row, None, (s.sum(),)], [n + 1, s]

        rows, (n, last) = npx.while_loop(
            lambda n, s: n * 1000 + np.abs(s).sum() * 0 < 6500,
            func,
            [np.zeros((), dtype="int64"), self.x[0] * self.w],
            9,
        )
        return [rows[0], rows[2][0], last, n]


BODIES = ["dropout", "draws", "statistics", "writes"]
LOOPS = ["foreach", "counted", "while_loop"]


def run(body: str, loop: str, mode: str, wrap: Any) -> tuple[list[Any], Any]:
    """Results and what is left behind, of the second call: a program's goes by its entry."""

    def called(here: Bodies) -> Any:
        return getattr(here, loop)(getattr(here, body))

    def loss_of(parts: list[Any]) -> Any:
        return sum((part * part).sum() for part in parts[:3])

    def step(here: Bodies) -> Any:
        with autograd.record():
            loss = loss_of(called(here))
        loss.backward()
        return [loss]

    function = wrap(step if mode == "step" else called)
    for _ in range(2):
        here = Bodies()
        if mode == "trained":
            with autograd.train_mode():
                parts = function(here)
        elif mode == "recorded":
            with autograd.record():
                parts = function(here)
                loss = loss_of(parts)
            loss.backward()
        else:
            parts = function(here)
    state = [here.norm.running_mean.data(), here.norm.running_var.data(), here.total, here.x.grad, here.w.grad]
    return [part.asnumpy() for part in [*parts, *state, np.random.uniform(size=(2,))]], function


@pytest.mark.parametrize("mode", ["called", pytest.param("trained", marks=pytest.mark.long), "recorded", "step"])
@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("body", BODIES)
def test_a_body_that_changes_what_is_around_is_one_loop(body, loop, mode):
    expected, _ = run(body, loop, mode, lambda f: f)
    found, compiled = run(body, loop, mode, hybridize)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype == theirs.dtype
        numpy.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)
    loops = [node for node in compiled.programs()[-1].captured.nodes if node.op.name in ("scan", "while")]
    assert len(loops) == 1 or mode == "step"


def test_a_condition_that_draws_is_asked_as_often_as_imperatively():
    def function(w):
        return npx.while_loop(lambda s: np.random.uniform() < 0.8, lambda s: (s, s * w), w, 30)

    def run(function, *, record):
        w = np.array([0.5, 2.0])
        np.random.seed(5)
        with autograd.record() if record else autograd.pause():
            rows, last = function(w)
        return [rows[0].asnumpy(), last.asnumpy(), np.random.uniform(size=(3,)).asnumpy()]

    for record in (False, True):
        for ours, theirs in zip(run(hybridize(function), record=record), run(function, record=record), strict=True):
            numpy.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_numbers_among_loop_variables_stay_numbers():
    def function(w):
        rows, (n, total, s) = npx.while_loop(
            lambda n, total, s: s.sum() < 40, lambda n, total, s: (s * n, [n + 1, total + 0.5, s * w]), [0, 1.0, w], 12
        )
        return rows, n, total, s

    w = np.array([1.5, 2.0])
    for wrapped in (function, hybridize(function)):
        for recording in (False, True):
            with autograd.record() if recording else autograd.pause():
                rows, n, total, _ = wrapped(w)
            assert (type(n), n, type(total), total) == (int, 5, float, 3.5) and rows.shape == (12, 2)


@pytest.mark.parametrize("of", ["list", "dict"])
def test_a_state_that_rounds_change_in_place_is_changed_as_imperatively(of):
    key = 0 if of == "list" else "s"

    def function(x, w):
        states = [w] if of == "list" else {"s": w}

        def body(row, state):
            state[key] = state[key] + row
            return row * 2, state

        rows, last = npx.foreach(body, x, states)
        return rows, last[key], states[key]

    x, w = np.ones((4, 3)), np.zeros(3)
    for ours, theirs in zip(hybridize(function)(x, w), function(x, w), strict=True):
        numpy.testing.assert_allclose(ours.asnumpy(), theirs.asnumpy())


@pytest.mark.parametrize("kept", [False, True])
def test_states_before_and_after_are_written_as_the_arrays_that_they_are(kept):
    def function(x):
        first = x[0] * 1
        _, last = npx.foreach(lambda r, s: (r, s if kept else s + r), x, first)
        first += 1
        last += 10
        return first, last

    fast = hybridize(function)
    for length in (5, 7, 9):
        x = np.ones((length, 3))
        for ours, theirs in zip(fast(x), function(x), strict=True):
            numpy.testing.assert_allclose(ours.asnumpy(), theirs.asnumpy())
    assert fast.cache_info().programs == 2


@pytest.mark.parametrize("dtype", ["float32", "int32", "float64"])
@pytest.mark.parametrize("start", ["made inside", "from outside", "of the data"])
def test_counters_of_any_dtype_while_recording(dtype, start):
    outside = np.array(0, dtype=dtype)

    def step(x):
        first = {"made inside": np.array(0, dtype=dtype), "from outside": outside}.get(start)
        if first is None:
            first = (x.sum() * 0).astype(dtype)
        with autograd.record():
            rows, (s, n) = npx.while_loop(
                cond=lambda s, n: n < 3,
                func=lambda s, n: (s * n, (s * 0.5 + 1, n + 1)),
                loop_vars=(x, first),
                max_iterations=5,
            )
            y = (s * s).sum() + rows.sum() + n
        y.backward()
        return y, rows, s, n

    results = []
    for function in (step, hybridize(step)):
        x = np.array([1.0, 2.0])
        x.attach_grad()
        results.append([*function(x), x.grad])
    for found, expected in zip(*results, strict=True):
        assert found.dtype == expected.dtype
        numpy.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-6)
