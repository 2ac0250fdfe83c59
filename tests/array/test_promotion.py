import numpy
import pytest

from hybridize.array import np
from hybridize.base.dtypes import BY_CODE
from hybridize.base.promotion import promote, result_dtype, with_weak

TABLE = [
    ("f32", "f64", "f64"), ("f16", "f32", "f32"), ("f16", "bf16", "f32"), ("bf16", "f32", "f32"), ("i64", "f16", "f16"),
    ("i64", "f32", "f32"), ("u8", "bf16", "bf16"), ("bool", "f32", "f32"), ("i8", "u8", "i16"), ("i32", "i64", "i64"),
    ("u32", "i32", "i64"), ("u64", "i64", "f64"), ("bool", "i8", "i8"), ("bool", "bool", "bool"),
]  # fmt: skip


@pytest.mark.parametrize(("x", "y", "z"), TABLE)
def test_two_dtypes(x, y, z):
    assert promote(BY_CODE[x], BY_CODE[y]) == promote(BY_CODE[y], BY_CODE[x]) == BY_CODE[z]
    found = np.ones(2, dtype=BY_CODE[x]) + np.ones((1, 2), dtype=BY_CODE[y])
    assert found.dtype == BY_CODE[z]


@pytest.mark.parametrize(
    ("dtype", "number", "result"),
    [
        ("f32", 2, "f32"),
        ("f32", 2.0, "f32"),
        ("f16", 2.0, "f16"),
        ("i32", 2, "i32"),
        ("i32", 2.0, "f32"),
        ("bool", 2, "i64"),
        ("bool", True, "bool"),
        ("u8", 3, "u8"),
        ("bool", 0.5, "f32"),
        ("f64", 1, "f64"),
        ("f32", numpy.float64(2), "f32"),
        ("i32", numpy.int64(2), "i32"),
    ],
)
def test_python_numbers_are_weak(both, dtype, number, result):
    x = numpy.ones(3, dtype=BY_CODE[dtype])
    assert both(lambda x: (x + number, number + x), x)[0].dtype == BY_CODE[result]


def test_numbers_alone():
    assert result_dtype([], [int]) == numpy.int64
    assert result_dtype([], [int, float]) == numpy.float32
    assert with_weak(numpy.dtype(bool), bool) == numpy.dtype(bool)


def test_integers_divide_and_exponentiate_to_float32(both):
    x = numpy.array([1, 2, 3], "int32")
    assert (
        both(lambda x: (x / x, x / 2, np.exp(x), np.sqrt(x), np.mean(x), np.std(x)), x, rtol=1e-5)[0].dtype == "float32"
    )
    assert both(lambda x: x > 1, x).dtype == bool


def test_sums_of_integers_are_wide():
    assert np.ones(3, dtype="int8").sum().dtype == "int64"
    assert np.ones(3, dtype="uint8").sum().dtype == "uint64"
    assert np.array([True, True]).astype(bool).sum().item() == 2
