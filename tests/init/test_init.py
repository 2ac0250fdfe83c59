"""Initializers fill what they promise, by name, from the seed."""

import numpy
import pytest

from hybridize import init
from hybridize.array import np, random
from hybridize.base.errors import ArgumentError, ShapeError


def filled(initializer, shape, name="weight"):
    array = np.full(shape, 7.0)
    init.create(initializer)(init.InitDesc(name), array)
    return array.asnumpy()


@pytest.fixture(autouse=True)
def seeded():
    random.seed(0)


def test_constants():
    assert (filled("zeros", (2, 3)) == 0).all()
    assert (filled("ones", (2, 3)) == 1).all()
    assert (filled(init.Constant(2.5), (2, 3)) == 2.5).all()
    numpy.testing.assert_array_equal(filled(init.Constant(np.array([1, 2])), (2,)), [1, 2])
    numpy.testing.assert_array_equal(filled(init.LSTMBias(2.0), (8,), "i2h_bias"), [0, 0, 2, 2, 0, 0, 0, 0])


@pytest.mark.parametrize(
    ("initializer", "low", "high", "deviation"),
    [
        (init.Uniform(), -0.07, 0.07, 0.07 / 3**0.5), (init.Uniform(2), -2, 2, 2 / 3**0.5), ("normal", -0.1, 0.1, 0.01),
        (init.Xavier(), -(0.02**0.5), 0.02**0.5, (2 / 300) ** 0.5), (init.Xavier("gaussian", "in", 2), -9, 9, 0.1),
        (init.Xavier(factor_type="out", magnitude=6), -(0.06**0.5), 0.06**0.5, (2 / 100) ** 0.5),
        (init.MSRAPrelu("in", 0), -9, 9, 0.1),
    ],
)  # fmt: skip
def test_what_is_drawn(initializer, low, high, deviation):
    values = filled(initializer, (100, 200))
    assert low <= values.min()
    assert values.max() <= high
    assert abs(values.mean()) < 5 * deviation / 140
    assert values.std() == pytest.approx(deviation, rel=0.05)


def test_filters_count_their_area():
    values = filled(init.Xavier("gaussian", "in", 1), (64, 4, 5, 5))
    assert values.std() == pytest.approx(0.1, rel=0.05)


@pytest.mark.parametrize("shape", [(4, 9), (9, 4), (6, 2, 3)])
def test_orthogonal_matrices_are(shape):
    values = filled(init.Orthogonal(scale=2.0), shape).reshape(shape[0], -1)
    small = values @ values.T if values.shape[0] <= values.shape[1] else values.T @ values
    numpy.testing.assert_allclose(small, 4 * numpy.eye(len(small)), atol=1e-5)


def test_bilinear_enlarges_smoothly():
    values = filled(init.Bilinear(), (1, 1, 4, 4))[0, 0]
    numpy.testing.assert_allclose(values[1], [0.1875, 0.5625, 0.5625, 0.1875])


def test_seeds_reproduce():
    first = filled("xavier", (3, 4))
    second = filled("xavier", (3, 4))
    random.seed(0)
    numpy.testing.assert_array_equal(filled("xavier", (3, 4)), first)
    assert (first != second).any()


@pytest.mark.parametrize(
    ("name", "value"),
    [("dense0_bias", 0), ("gamma", 1), ("beta", 0), ("bn_running_mean", 0), ("moving_var", 1), ("fc_weight", 3)],
)
def test_names_choose(name, value):
    assert (filled(init.Constant(3), (2,), name) == value).all()


def test_own_classes():
    @init.register
    class Stairs(init.Initializer):
        def _init_weight(self, name, arr):
            arr[:] = np.arange(arr.size).reshape(arr.shape)

    numpy.testing.assert_array_equal(filled("stairs", (2, 2)), [[0, 1], [2, 3]])


def test_mixed_looks_at_patterns():
    mixed = init.Mixed([".*bias", ".*"], [init.Constant(1), "zeros"])
    assert (filled(mixed, (2,), "fc_weight") == 0).all()
    with pytest.raises(ArgumentError, match="no pattern"):
        filled(init.Mixed(["a"], ["ones"]), (2,), "b_weight")


def test_json_names_an_initializer():
    made = init.create(init.Xavier("gaussian", "in", 2).dumps())
    assert made == init.Xavier("gaussian", "in", 2)
    assert init.create(init.Constant(np.array([1, 2])).dumps()).value == [1, 2]


def test_what_cannot_be_is_an_error():
    with pytest.raises(ArgumentError, match=r"nonsense.*(\n|.)*xavier"):
        init.create("nonsense")
    with pytest.raises(ShapeError, match="two axes"):
        filled("xavier", (3,))
    with pytest.raises(ArgumentError, match="scale"):
        filled("zeros", (2,), "scale")
    with pytest.raises(ArgumentError, match="avg, in or out"):
        init.Xavier(factor_type="sideways")
    with pytest.raises(ShapeError, match="four"):
        filled(init.LSTMBias(), (6,))
    with pytest.raises(ArgumentError, match="each of 1"):
        init.Mixed(["a"], [])
