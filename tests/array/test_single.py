"""A few rows times a large weight: a compiled program of one operation, imperatively, for every kind of argument."""

import numpy
import pytest

from hybridize import ops
from hybridize.array import np, npx, single
from hybridize.array.functions import dense
from hybridize.base import modes
from hybridize.base.errors import HybridizeError
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
    assert ((2, 32), (24, 32)) in dense._ROWS.programs
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
    monkeypatch.setattr(single, "PATIENCE", 0.0)
    _decayed(x, state, rate)
    assert len(scans.programs) == 1
    monkeypatch.setattr(ops.Scan, "reference", None)
    for found, wanted in zip(_decayed(x, state, rate), first, strict=True):
        numpy.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_programs_of_scans_are_bounded(monkeypatch):
    scans = single.Scans()
    monkeypatch.setattr(control.RUNNER, "value", scans.run)
    monkeypatch.setattr(single, "LIMIT", 2)
    monkeypatch.setattr(single, "PATIENCE", 0.0)
    for length in (1, 2, 3, 2, 1):
        y, _ = _decayed(numpy.ones((length, 2)), numpy.zeros(2), numpy.ones(2))
        assert y.tolist() == [length] * 2
    assert len(scans.programs) == 2
