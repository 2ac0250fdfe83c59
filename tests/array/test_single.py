"""Rows times a weight, and its gradients: compiled programs of one operation, imperatively, for every kind of argument."""

import itertools

import numpy
import pytest

from hybridize import autograd, ops
from hybridize.array import np, npx, single
from hybridize.array.functions import dense
from hybridize.base import modes
from hybridize.base.errors import HybridizeError, StateError
from hybridize.base.types import TensorType
from hybridize.ops import control
from hybridize.ops.op import bind

W = numpy.linspace(-1, 1, 24 * 32, dtype="f4").reshape(24, 32)
B = numpy.linspace(0, 1, 24, dtype="f4")


def expected(x):
    return (x.astype("f8") @ W.T.astype("f8") + B).astype(x.dtype)


@pytest.mark.parametrize("rows", [1, 2, 4, 5, 0])
def test_equals_numpy(rows):
    x = numpy.sin(numpy.arange(rows * 32, dtype="f4")).reshape(rows, 32)
    for _ in range(2):
        got = npx.fully_connected(np.array(x), np.array(W), np.array(B))
        assert got.dtype == numpy.float32
        numpy.testing.assert_allclose(got.asnumpy(), expected(x), rtol=1e-5, atol=1e-5)


def test_what_the_program_cannot_take_is_computed_otherwise():
    x = numpy.sin(numpy.arange(64, dtype="f4")).reshape(2, 32)
    weight, bias = np.array(W), np.array(B)
    npx.fully_connected(np.array(x), weight, bias)
    assert ((2, 32), (24, 32), (24,)) in dense._ROWS.programs
    strided = np.array(numpy.asfortranarray(W)).T.T
    for other in (weight, strided):
        numpy.testing.assert_allclose(
            npx.fully_connected(np.array(x), other, bias).asnumpy(), expected(x), rtol=1e-5, atol=1e-5
        )
    double = npx.fully_connected(np.array(x, dtype="float64"), weight.astype("float64"), bias.astype("float64"))
    assert double.dtype == numpy.float64
    numpy.testing.assert_allclose(double.asnumpy(), expected(x), rtol=1e-5, atol=1e-5)
    with modes.mode(recording=True):
        numpy.testing.assert_allclose(
            npx.fully_connected(np.array(x), weight, bias).asnumpy(), expected(x), rtol=1e-5, atol=1e-5
        )
    with pytest.raises(HybridizeError, match="24"):
        npx.fully_connected(np.array(x), weight, np.array(B[:3]))


def test_any_count_of_rows_is_one_program_from_the_second_on():
    made = []
    double = single.Single(
        lambda x, w: [ops.matmul(x, w, False, True)], lambda *_: made.append("otherwise"), "rows", rows=(True, False)
    )

    def compiled(key):
        made.append(key)
        return single.Single._compiled(double, key)

    double._compiled = compiled
    weight = np.array(W)
    for rows in (1, 2, 9, 9, 40, 7, 500, 1, 40):
        x = numpy.cos(numpy.arange(rows * 32, dtype="f4")).reshape(rows, 32)
        key = (x.shape, W.shape)
        program = double.programs.get(key) or double.make(key)
        numpy.testing.assert_allclose(program(np.array(x), weight).asnumpy(), x @ W.T, rtol=1e-5, atol=1e-5)
    assert len(made) == 4, made
    assert [shapes[0][0] for shapes in made[:3]] == [1, 2, 9]


@pytest.mark.parametrize("rows", [1, 3, 50])
def test_a_recorded_layer_has_the_bits_of_one_that_is_not(rows):
    x, weight, bias = (
        np.array(numpy.sin(numpy.arange(rows * 32, dtype="f4"))).reshape(rows, 32),
        np.array(W),
        np.array(B),
    )
    plain = npx.fully_connected(x, weight, bias)
    weight.attach_grad()
    with autograd.record():
        recorded = npx.fully_connected(x, weight, bias)
    numpy.testing.assert_array_equal(plain.asnumpy(), recorded.asnumpy())


@pytest.mark.parametrize("biased", [True, False])
@pytest.mark.parametrize("rows", [1, 4, 43, 60])
def test_gradients_of_each_choice_of_arguments_are_those_of_numpy(rows, biased):
    """By programs, where they are worth it, for heads that are contiguous and such that are not."""
    x = numpy.sin(numpy.arange(rows * 32, dtype="f4")).reshape(rows, 32)
    head = numpy.cos(numpy.arange(rows * 24, dtype="f4")).reshape(rows, 24)
    by_bias = head.sum(0, dtype="f8")
    wanted = [head @ W.astype("f8"), head.T.astype("f8") @ x, *([by_bias] if biased else [])]
    for marked in itertools.product((False, True), repeat=3 if biased else 2):
        if not any(marked):
            continue
        for given in (np.array(head), np.array(numpy.asfortranarray(head).T).T):
            arrays = [np.array(x), np.array(W), *([np.array(B)] if biased else [])]
            for array, one in zip(arrays, marked, strict=True):
                if one:
                    array.attach_grad()
            with autograd.record():
                y = npx.fully_connected(*arrays)
            y.backward(given)
            for array, one, right in zip(arrays, marked, wanted, strict=True):
                if one:
                    numpy.testing.assert_allclose(array.grad.asnumpy(), right, rtol=1e-4, atol=1e-4)


def test_a_layer_whose_weight_is_written_before_the_backward_pass_is_refused():
    x, weight = np.ones((50, 32)), np.array(W)
    x.attach_grad()
    with autograd.record():
        y = npx.fully_connected(x, weight, np.array(B))
    weight[0] = 0
    with pytest.raises(StateError, match="overwritten"):
        y.backward()


def test_programs_are_bounded(monkeypatch):
    monkeypatch.setattr("hybridize.array.single.LIMIT", 3)
    for inner in range(300, 306):
        npx.fully_connected(np.ones((1, inner)), np.ones((2, inner)), np.ones((2,)))
    assert len(dense._ROWS.programs) <= 3


def _decayed(x, state, rate):
    """A scan of ours, bound as imperative code does: running sums that decay."""
    kinds = [TensorType(state.shape, state.dtype), TensorType(x.shape[1:], x.dtype), TensorType(rate.shape, rate.dtype)]

    def step(h, x, r):
        after = ops.add(ops.mul(h, r), x)
        return [after, after]

    return bind(ops.Scan(ops.make_graph(step, kinds), x.shape[0], False, 1), state, x, rate)


def test_a_scan_is_compiled_when_it_has_taken_long_enough(monkeypatch):
    scans = single.Scans()
    monkeypatch.setattr(control.RUNNER, "value", scans.run)
    rng = numpy.random.default_rng(0)
    x, state, rate = rng.normal(size=(40, 3)), rng.normal(size=3), rng.uniform(size=3)
    first = _decayed(x, state, rate)
    assert not scans.programs
    scans.patience = 0.0
    _decayed(x, state, rate)
    assert len(scans.programs) == 1
    monkeypatch.setattr(ops.Scan, "reference", None)
    for found, wanted in zip(_decayed(x, state, rate), first, strict=True):
        numpy.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_a_scan_of_many_steps_is_compiled_at_once(monkeypatch):
    monkeypatch.setattr(control.RUNNER, "value", single.Scans().run)
    monkeypatch.setattr(ops.Scan, "reference", None)
    y, _ = _decayed(numpy.ones((20000, 2)), numpy.zeros(2), numpy.ones(2))
    assert y.tolist() == [20000] * 2


def test_programs_of_scans_are_bounded(monkeypatch):
    scans = single.Scans()
    monkeypatch.setattr(control.RUNNER, "value", scans.run)
    monkeypatch.setattr(single, "LIMIT", 2)
    scans.patience = 0.0
    for length in (1, 2, 3, 2, 1):
        y, _ = _decayed(numpy.ones((length, 2)), numpy.zeros(2), numpy.ones(2))
        assert y.tolist() == [length] * 2
    assert len(scans.programs) == 2
