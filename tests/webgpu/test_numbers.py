"""Numbers that WGSL does not have: integers of 64 bits, float64, parts of words, NaN."""

import numpy as np
import pytest

from tests.webgpu.running import elementwise

RNG = np.random.default_rng(0)
EDGES = [
    0,
    1,
    -1,
    2,
    -2,
    63,
    2**31 - 1,
    -(2**31),
    2**31,
    2**32,
    -(2**32),
    2**63 - 1,
    -(2**63),
    2**62,
    0x123456789ABCDEF,
]


def integers(count=600) -> tuple[np.ndarray, np.ndarray]:
    edges = np.array([(x, y) for x in EDGES for y in EDGES], np.int64)
    random = RNG.integers(-(2**63), 2**63 - 1, (count, 2)) >> RNG.integers(0, 63, (count, 2))
    pairs = np.concatenate([edges, random])
    return np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])


def wrapped(x: int) -> int:
    return (x + 2**63) % 2**64 - 2**63


def truncated(x: int, y: int) -> int:
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


OPERATIONS = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "and": lambda x, y: x & y,
    "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y, "shl": lambda x, y: x << (y % 64),
    "lshr": lambda x, y: (x % 2**64) >> (y % 64), "ashr": lambda x, y: x >> (y % 64),
    "sdiv": truncated, "srem": lambda x, y: x - truncated(x, y) * y,
    "udiv": lambda x, y: (x % 2**64) // (y % 2**64), "urem": lambda x, y: (x % 2**64) % (y % 2**64),
}  # fmt: skip


@pytest.mark.parametrize("word", OPERATIONS)
def test_integers_of_64_bits(word):
    x, y = integers()
    if word in ("sdiv", "srem", "udiv", "urem"):
        y[y == 0] = 7
    if word in ("shl", "lshr", "ashr"):
        y &= 63
    found = elementwise(f"{word} i64 {{0}}, {{1}}", "i64", np.int64, x, y)
    expected = [wrapped(OPERATIONS[word](int(a), int(b))) for a, b in zip(x, y, strict=True)]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("word", ["slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge", "eq", "ne"])
def test_comparisons_of_64_bits(word):
    x, y = integers()
    y[::5] = x[::5]
    flags = elementwise(f"icmp {word} i64 {{0}}, {{1}}", "i8", np.uint8, x, y)
    a, b = (x.view(np.uint64), y.view(np.uint64)) if word[0] == "u" else (x, y)
    ufunc = {
        "lt": np.less,
        "le": np.less_equal,
        "gt": np.greater,
        "ge": np.greater_equal,
        "eq": np.equal,
        "ne": np.not_equal,
    }
    np.testing.assert_array_equal(flags, ufunc[word[-2:]](a, b))


@pytest.mark.parametrize("word", ["ctpop", "ctlz", "cttz"])
def test_bits_are_counted(word):
    x, _ = integers()
    more = ", i1 false" if word != "ctpop" else ""
    found = elementwise(f"call i64 @llvm.{word}.i64(i64 {{0}}{more})", "i64", np.int64, x)
    texts = [f"{int(one) % 2**64:064b}" for one in x]
    counts = {
        "ctpop": lambda t: t.count("1"),
        "ctlz": lambda t: len(t) - len(t.lstrip("0")),
        "cttz": lambda t: len(t) - len(t.rstrip("0")),
    }
    np.testing.assert_array_equal(found, [counts[word](one) for one in texts])


def doubles(count=3000) -> tuple[np.ndarray, np.ndarray]:
    """Of all sizes that are normal, and close to each other, and special ones."""
    edges = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        np.inf,
        -np.inf,
        np.nan,
        2.0**-1022,
        1.7976931348623157e308,
        0.1,
        1 / 3,
        2.0**53,
        1 + 2.0**-52,
    ]
    pairs = [(x, y) for x in edges for y in edges]
    bits = RNG.integers(0, 2**64, (count, 2), dtype=np.uint64)
    random = bits.view(np.float64)
    near = RNG.standard_normal((count, 2)) * 2.0 ** RNG.integers(-30, 30, (count, 2))
    close = RNG.standard_normal((count, 1)) * (1 + RNG.integers(-4, 4, (count, 2)) * 2.0**-52)
    every = np.concatenate([np.array(pairs), random, near, close])
    every = every[~np.any((np.abs(every) < 2.0**-1022) & (every != 0), axis=1)]
    return np.ascontiguousarray(every[:, 0]), np.ascontiguousarray(every[:, 1])


def same_doubles(found: np.ndarray, expected: np.ndarray) -> None:
    expected = np.where(
        np.abs(expected) < 2.0**-1022, np.copysign(0.0, expected), expected
    )  # none below: see `doubles`
    nan = np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(found), nan)
    np.testing.assert_array_equal(found.view(np.int64)[~nan], expected.view(np.int64)[~nan])


@pytest.mark.parametrize("word", ["fadd", "fsub", "fmul", "fdiv"])
def test_arithmetic_of_float64_is_rounded_once(word):
    x, y = doubles()
    with np.errstate(all="ignore"):
        expected = {"fadd": np.add, "fsub": np.subtract, "fmul": np.multiply, "fdiv": np.divide}[word](x, y)
    same_doubles(elementwise(f"{word} double {{0}}, {{1}}", "double", np.float64, x, y), expected)


@pytest.mark.parametrize("word", ["sqrt", "trunc", "floor", "ceil", "rint", "fabs"])
def test_functions_of_float64(word):
    x, y = doubles()
    x = np.concatenate([x, y, np.arange(-8, 8) / 4])
    with np.errstate(all="ignore"):
        expected = getattr(np, word)(x)
    same_doubles(elementwise(f"call double @llvm.{word}.f64(double {{0}})", "double", np.float64, x), expected)


@pytest.mark.parametrize(
    "word", ["oeq", "one", "olt", "ole", "ogt", "oge", "ord", "ueq", "une", "ult", "ule", "ugt", "uge", "uno"]
)
@pytest.mark.parametrize("kind", ["float", "double"])
def test_comparisons_of_floats(kind, word):
    dtype = np.float32 if kind == "float" else np.float64
    with np.errstate(all="ignore"):
        x, y = (one.astype(dtype) for one in doubles(300))
    y[::7] = x[::7]
    flags = elementwise(f"fcmp {word} {kind} {{0}}, {{1}}", "i8", np.uint8, x, y)
    nan = np.isnan(x) | np.isnan(y)
    plain = {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y, "rd": ~nan, "no": nan}[
        word[1:]
    ]
    expected = plain if word in ("ord", "uno") else plain & ~nan if word[0] == "o" else plain | nan
    small = (np.abs(x) < 1e-37) & (np.abs(y) < 1e-37) & (kind == "float")  # drivers may take those for 0
    assert not ((flags != expected) & ~small).any()


def test_float32_as_float64_and_back():
    x = np.concatenate(
        [RNG.integers(0, 2**32, 5000, dtype=np.uint32).view(np.float32), np.float32([0, -0.0, np.inf, -np.inf])]
    )
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
    same_doubles(elementwise("fpext float {0} to double", "double", np.float64, x), wide)
    y = np.concatenate([wide * (1 + RNG.standard_normal(len(x)) * 1e-8), wide * (1 + 2.0**-25)])
    with np.errstate(all="ignore"):
        expected = y.astype(np.float32)
    found = elementwise("fptrunc double {0} to float", "float", np.float32, y)
    some = ~np.isnan(expected)
    np.testing.assert_array_equal(found.view(np.int32)[some], expected.view(np.int32)[some])
    assert np.isnan(found[~some]).all()


@pytest.mark.parametrize(("line", "source", "result", "dtype"), [
    ("sitofp i64 {0} to double", np.int64, "double", np.float64), ("uitofp i64 {0} to double", np.uint64, "double", np.float64),
    ("sitofp i64 {0} to float", np.int64, "float", np.float32), ("uitofp i64 {0} to float", np.uint64, "float", np.float32),
    ("sitofp i32 {0} to float", np.int32, "float", np.float32), ("uitofp i32 {0} to float", np.uint32, "float", np.float32),
])  # fmt: skip
def test_integers_as_floats_are_rounded_to_nearest(line, source, result, dtype):
    x = integers()[0].astype(source)
    np.testing.assert_array_equal(elementwise(line, result, dtype, x), x.astype(dtype))


@pytest.mark.parametrize(("line", "source", "result", "dtype", "most"), [
    ("fptosi double {0} to i64", np.float64, "i64", np.int64, 2.0**62), ("fptoui double {0} to i64", np.float64, "i64", np.uint64, 2.0**63),
    ("fptosi float {0} to i64", np.float32, "i64", np.int64, 2.0**62), ("fptosi float {0} to i32", np.float32, "i32", np.int32, 2.0**30),
    ("fptoui float {0} to i32", np.float32, "i32", np.uint32, 2.0**31),
])  # fmt: skip
def test_floats_as_integers_are_cut_off(line, source, result, dtype, most):
    x = np.concatenate(
        [RNG.standard_normal(2000) * 2.0 ** RNG.integers(-3, 60, 2000), [0.0, 0.5, 0.99, -0.99, 1.0, 2.0**31, 2.0**40]]
    )
    x = x[np.abs(x) < most].astype(source)
    x = np.abs(x) if dtype in (np.uint32, np.uint64) else x
    np.testing.assert_array_equal(elementwise(line, result, dtype, x), x.astype(dtype))
