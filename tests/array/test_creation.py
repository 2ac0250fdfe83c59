import inspect

import numpy
import pytest

from hybridize import hybridize
from hybridize.array import cpu, np
from hybridize.array.symbol import Symbol
from hybridize.base.errors import ArgumentError, DTypeError, ShapeError
from tests.refusals import refusal


def test_the_default_is_float32():
    for x in (
        np.array([1, 2]),
        np.array([True]),
        np.array(1),
        np.array([[1.5]]),
        np.zeros(2),
        np.ones((2, 3)),
        np.full(2, 3.0),
        np.arange(3),
        np.linspace(0, 1, 5),
        np.eye(2),
        np.empty(2),
        np.array([]),
        np.array(numpy.ones(2)),
    ):
        assert x.dtype == "float32"
    assert np.full(2, True).dtype == bool
    assert np.full(2, 3).dtype == np.full(2, numpy.int8(3)).dtype == "int64"  # as in NumPy and MXNet 2
    assert np.full(2, 3j).dtype == "complex64"
    assert np.array(numpy.arange(3)).dtype == "int64"
    assert np.array(np.arange(3, dtype="int8")).dtype == "int8"
    assert np.zeros_like(np.ones(2, dtype="float16")).dtype == "float16"


def test_creation_is_numpys(both):
    def make(np, x):
        return (
            np.zeros((2, 3)),
            np.ones(4),
            np.full((2,), 7),
            np.arange(5),
            np.arange(2, 9, 3),
            np.arange(1, 0, -0.25),
            np.linspace(0, 1, 7),
            np.linspace(1, 5, 4, endpoint=False),
            np.eye(3, 4, 1),
            np.identity(2),
            np.tri(3, k=-1),
            np.zeros_like(x),
            np.ones_like(x),
            np.full_like(x, 2),
            np.indices((2, 3)),
            np.logspace(0, 2, 3),
            np.hanning(5),
            np.hamming(4),
            np.blackman(6),
        )

    x = numpy.ones((2, 2), "float32")
    for got, want in zip(both(lambda x: make(np, x), x), make(numpy, x), strict=True):
        numpy.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-7)
        assert got.shape == want.shape


def test_arrays_within_lists(both):
    x = numpy.array([1.0, 2.0], "float32")
    numpy.testing.assert_array_equal(both(lambda x: np.array([x, x * 2]), x), [[1, 2], [2, 4]])
    numpy.testing.assert_array_equal(both(lambda x: np.array([[x[0], 5], [3, x[1]]]), x), [[1, 5], [3, 2]])
    numpy.testing.assert_array_equal(both(lambda x: np.add(x, [1, 2]), x), [2, 4])


def test_a_copy_unless_asked():
    x = np.ones(3)
    assert np.array(x) is not x
    assert np.asarray(x) is x
    data = numpy.ones(3, "float32")
    shared = np.asarray(data)
    data[0] = 5
    assert shared[0].item() == 5
    assert shared.storage.exposed
    assert np.array(data, copy=True)[0].item() == 5
    assert np.array([1], ndmin=3).shape == (1, 1, 1)


def test_made_while_capturing_is_part_of_the_program(trace):
    seen = []

    def program(x):
        seen.append(np.zeros(2))
        zeros = np.zeros(2)
        zeros[0] = x[0]
        return zeros + np.arange(2) + np.array([1.0, 2.0])

    numpy.testing.assert_array_equal(trace(program, numpy.array([5.0], "float32")), [6, 3])
    assert isinstance(seen[0], Symbol)


def test_what_is_no_array():
    with pytest.raises(ShapeError):
        np.array([[1, 2], [3]])
    for bad in ("text", [object()], {"a": 1}):
        with pytest.raises(DTypeError):
            np.array(bad)
    with refusal(DTypeError, "float33"):
        np.zeros(2, dtype="float33")
    with pytest.raises(ArgumentError):
        np.exp("text")
    with pytest.raises(ArgumentError):
        np.zeros("2")
    with pytest.raises(ShapeError):
        np.zeros(-1)
    with pytest.raises(TypeError):
        np.zeros(2, colour="red")


def test_prints_as_mxnet_prints():
    x = np.array([[1, 2], [3, 4]])
    assert repr(x) == "array([[1., 2.],\n       [3., 4.]])"
    assert str(x) == "[[1. 2.]\n [3. 4.]]"
    assert repr(np.array([1, 2], dtype="int64")) == "array([1, 2], dtype=int64)"
    assert repr(np.array([1, 2], dtype="int32")) == "array([1, 2], dtype=int32)"
    assert repr(np.array([1], dtype="float64")) == "array([1.], dtype=float64)"
    assert repr(np.array([1, 0], dtype=bool)) == "array([ True, False])"
    assert repr(np.array(2.5)) == "array(2.5)"
    assert repr(np.array([1.5], dtype="bfloat16")) == "array([1.5], dtype=bfloat16)"
    assert f"{np.array(1.5):.3f}" == "1.500"


def test_python_conversions():
    assert float(np.array([1.5])) == 1.5
    assert int(np.array(2.9)) == 2
    assert bool(np.array(0.0)) is False
    assert [10, 20, 30][np.array(1, dtype="int32")] == 20
    with pytest.raises(TypeError):
        [10, 20][np.array(1.0)]
    with pytest.raises(ValueError, match=r"f32\[2\]"):
        bool(np.ones(2))
    with pytest.raises(ValueError, match=r"f32\[2\]"):
        np.ones(2).item()
    x = np.ones((2, 3), dtype="float16")
    assert (x.size, x.ndim, x.nbytes, x.itemsize, x.stype, str(x.ctx)) == (6, 2, 12, 2, "default", "cpu(0)")
    assert x.tolist() == [[1.0] * 3] * 2
    assert {x: 1}[x] == 1
    assert x.asnumpy() is not x.asnumpy()


@pytest.mark.parametrize("compiled", [False, True], ids=["imperative", "compiled"])
def test_numbers_between_arrays(compiled):
    a, b = numpy.array([1.0, -2.0]), numpy.array([3.0, 4.0])
    cases = [
        (lambda m, a, b: m.linspace(a, b, 5)),
        (lambda m, a, b: m.linspace(a, b, 4, endpoint=False)),
        (lambda m, a, b: m.linspace(a, 1, 3, axis=1)),
        (lambda m, a, b: m.linspace(a[0], b, 3, axis=-1)),
        (lambda m, a, b: m.linspace(a, b, 1)),
        (lambda m, a, b: m.linspace(a, b, 0)),
        (lambda m, a, b: m.linspace(a, b, 3, retstep=True)[1]),
        (lambda m, a, b: m.logspace(a, b, 3)),
        (lambda m, a, b: m.full_like(m.stack([a, b]), a)),
    ]
    for case in cases:
        call = hybridize(lambda a, b: case(np, a, b)) if compiled else lambda a, b: case(np, a, b)  # noqa: B023
        found = call(np.array(a, dtype="float64"), np.array(b, dtype="float64"))
        assert found.dtype == "float64"
        numpy.testing.assert_allclose(found.asnumpy(), case(numpy, a, b), rtol=1e-12)
    assert np.linspace(np.array([0.0]), np.array([1]), 3, dtype="int32").dtype == "int32"
    assert np.linspace(np.array([0], dtype="int32"), 1, 3).dtype == "float32"


WIDE, MANY = numpy.ones((2, 2)), numpy.arange(3)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.array(WIDE),
        lambda x: np.asarray(WIDE),
        lambda x: np.array(WIDE[0]),
        lambda x: np.array(MANY),
        lambda x: np.array([WIDE, WIDE]),
        lambda x: np.array([WIDE[0], [1.0, 2.0]]),
        lambda x: np.array([MANY, [float(x[0]), 1.0, 2]]),
        lambda x: np.array([x, x.astype("float64")]),
        lambda x: np.array(WIDE, dtype="float64"),
        lambda x: np.array(x.astype("float64")),
    ],
)
def test_arrays_of_numpy_from_outside_become_ours_by_one_rule_in_programs_too(function):
    x = np.ones(2)
    made, expected = hybridize(function)(x), function(x)
    assert made.dtype == expected.dtype and made.tolist() == expected.tolist()


@pytest.mark.parametrize("function", [np.zeros, np.ones, np.empty], ids=lambda one: one.__name__)
def test_order_and_device_are_the_last_arguments(function):
    assert list(inspect.signature(function).parameters) == ["shape", "dtype", "order", "ctx", "device"]
    given = [function((2,), "int32", "C", cpu()), function((2,), dtype="int32", ctx=cpu())]
    for x in given:
        assert x.dtype == "int32"
        numpy.testing.assert_array_equal(x.asnumpy(), function((2,)).asnumpy())
    for call in (
        lambda: function((2,), "int32", "C", None, None, None),
        lambda: function((2,), "int32", "C", order="C"),
        lambda: function((2,), nonsense=1),
        lambda: function(ctx=cpu()),
    ):
        with pytest.raises(TypeError):
            call()


def test_a_draw_is_written_to_out():
    for draw in (np.random.uniform, np.random.normal, np.random.gumbel, np.random.laplace, np.random.logistic):
        out = np.zeros((3,))
        assert draw(0.0, 1.0, (3,), None, None, None, out) is out
        assert (out.asnumpy() != 0).all()
