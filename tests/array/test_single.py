"""A few rows times a large weight: a compiled program of one operation, imperatively, for every kind of argument."""

import numpy
import pytest

from hybridize.array import np, npx
from hybridize.array.functions import dense
from hybridize.base import modes
from hybridize.base.errors import HybridizeError

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
