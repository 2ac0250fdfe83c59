"""CompiledDraw of random numbers, each by a program once that pays: no number depends on which of both made it."""

import numpy
import pytest

from hybridize import ops
from hybridize.array import single
from hybridize.array.generators import default_rng
from hybridize.array.np import argsort, array
from hybridize.array.single import MANY, CompiledDraw
from hybridize.base.dtypes import float32, float64, int64, uint64
from hybridize.ops.sorting import ArgSort

KEY = numpy.array([0x123456789ABCDEF0, 7], uint64)

EXACT = {
    "bits": (ops.random_bits, ()),
    "float32": (lambda key, shape: ops.uniform_numbers(key, shape, float32), ()),
    "float32, open": (lambda key, shape: ops.uniform_numbers(key, shape, float32, 0.5), ()),
    "float64": (lambda key, shape: ops.uniform_numbers(key, shape, float64), ()),
    "float64, open": (lambda key, shape: ops.uniform_numbers(key, shape, float64, 0.5), ()),
    "gamma": (ops.standard_gamma, "alphas"),
    "gamma of one shape": (lambda key, shape, a: ops.standard_gamma(key, ops.broadcast(a, shape)), "alpha"),
}


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("count", [0, 1, 2, 3, 77, 1000])
def test_programs_draw_what_numpy_draws(name, count, monkeypatch):
    function, kind = EXACT[name]
    arguments = {"alphas": (numpy.linspace(1, 9, count, dtype="f4"),), "alpha": (numpy.array(2.5, "f4"),)}.get(kind, ())
    if name == "gamma":
        draw = CompiledDraw(lambda key, shape, a: ops.standard_gamma(key, a), name)
    else:
        draw = CompiledDraw(function, name)
    first = draw(KEY, count, *arguments)
    assert not draw._programs
    monkeypatch.setattr(single, "PATIENCE", 0.0)
    again = draw(KEY, count, *arguments)
    assert draw._programs
    assert first.dtype == again.dtype
    numpy.testing.assert_array_equal(first, again)


def test_uniform_numbers_are_the_bits_of_the_generator():
    """Multiples of 2**-24 and 2**-53, or the middles of 2**23 and 2**53 parts."""
    words = ops.random_bits(KEY, (50,))
    numpy.testing.assert_array_equal(ops.uniform_numbers(KEY, (50,), float32), (words >> 8) * 2.0**-24)
    numpy.testing.assert_array_equal(ops.uniform_numbers(KEY, (50,), float32, 0.5), ((words >> 9) + 0.5) * 2.0**-23)
    first, second = ops.random_bits(KEY, (50, 2)).astype("u8").T
    whole = (first >> 5 << 26) + (second >> 6)
    numpy.testing.assert_array_equal(ops.uniform_numbers(KEY, (50,), float64), whole * 2.0**-53)
    assert (numpy.abs(ops.uniform_numbers(KEY, (50,), float64, 0.5) - (whole + 0.5) * 2.0**-53) <= 2.0**-53).all()


@pytest.mark.parametrize("kind", ["normal", "exponential"])
@pytest.mark.parametrize("count", [MANY - 1, 2 * MANY])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_no_number_depends_on_what_was_drawn_before(kind, count, dtype):
    def drawn():
        generator = default_rng(5)
        return getattr(generator, f"standard_{kind}")(count, dtype=dtype).asnumpy()

    first = drawn()
    for _ in range(3):
        default_rng(5).normal(size=MANY * 4)
    numpy.testing.assert_array_equal(first, drawn())
    # Few and many are made of the same bits: what differs are last digits of logarithms and cosines.
    few = getattr(default_rng(5), f"standard_{kind}")(min(count, MANY - 2), dtype=dtype).asnumpy()
    if kind == "exponential":
        numpy.testing.assert_allclose(first[: len(few)], few, rtol=2e-6, atol=1e-7)


HARD = numpy.array([0.0, -0.0, numpy.nan, 1.0, -1.0, numpy.inf, -numpy.inf, -numpy.nan, 1e-45, -1e-45, 0.0, 1.0], "f4")


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint32"])
@pytest.mark.parametrize("descending", [False, True])
def test_the_order_of_many_is_the_stable_one(dtype, descending):
    rng = numpy.random.default_rng(0)
    x = rng.choice(HARD, (3, 900)) if dtype == "float32" else rng.integers(0, 50, (3, 900)).astype(dtype)
    if dtype == "int32":
        x[0, :3] = [-(2**31), 2**31 - 1, -1]
    if dtype == "uint32":
        x[0, :2] = [2**32 - 1, 2**31]
    for axis in (0, 1):
        of = x if axis else numpy.ascontiguousarray(x.T)
        (order,) = ArgSort(axis, descending).reference(of)
        assert order.dtype == int64
        back = numpy.flip(of, axis) if descending else of
        expected = numpy.argsort(back, axis, kind="stable")
        if descending:
            expected = numpy.flip(of.shape[axis] - 1 - expected, axis)
        numpy.testing.assert_array_equal(order, expected)
        numpy.testing.assert_array_equal(argsort(array(x), 1).asnumpy(), numpy.argsort(x, 1, kind="stable"))
