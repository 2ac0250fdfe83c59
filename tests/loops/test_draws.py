"""Formulas of random numbers: published words, functions as exact as their dtype, laws of what is drawn."""

import mpmath
import numpy
import pytest
from scipy import stats

from hybridize.base.dtypes import float32, float64
from hybridize.loops import draws
from hybridize.ops.randomness import _ARRAYS

FLOATS = [float32, float64]


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [
        ((0,) * 4, (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_philox_gives_the_words_that_its_authors_publish(counter, key, words):
    found = draws.philox(_ARRAYS, [numpy.array([word], "u8") for word in counter], key)
    assert [int(word[0]) for word in found] == list(words)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_logarithms_are_right_to_the_last_bits(dtype):
    tiny = numpy.finfo(dtype).tiny
    near = 1 + numpy.linspace(-0.5, 0.5, 401)
    x = numpy.concatenate([numpy.geomspace(tiny, 1 / tiny, 600), near]).astype(dtype)
    wanted = numpy.array([float(mpmath.log(mpmath.mpf(float(one)))) for one in x])
    numpy.testing.assert_allclose(draws.logarithm(_ARRAYS, x, dtype), wanted, rtol=4 * numpy.finfo(dtype).eps)


def words_of(count, seed=0):
    return list(numpy.random.default_rng(seed).integers(0, 1 << 32, (2, count), dtype="u8"))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_units_lie_inside_and_are_uniform(dtype):
    ends = [numpy.array([0, 0xFFFFFFFF], "u8")] * 2
    low, high = draws.unit(_ARRAYS, ends, dtype)
    assert 0 < low < high < 1 and low == 1 - high
    assert stats.kstest(draws.unit(_ARRAYS, words_of(100_000), dtype), "uniform").pvalue > 1e-3


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_normals_are_normal_and_independent(dtype):
    x, y = draws.normals(_ARRAYS, words_of(200_000, 1), words_of(200_000, 2), dtype)
    assert x.dtype == y.dtype == dtype
    for numbers in (x, y, (x + y) / 2**0.5, (x - y) / 2**0.5):
        assert stats.kstest(numbers.astype("f8"), "norm").pvalue > 1e-3
    assert stats.kstest(numpy.arctan2(y, x).astype("f8"), "uniform", (-numpy.pi, 2 * numpy.pi)).pvalue > 1e-3
    assert stats.kstest((x**2 + y**2).astype("f8"), "chi2", (2,)).pvalue > 1e-3
