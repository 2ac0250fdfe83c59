"""Samples of every op: small cases that reach every field, every special shape, and inputs that must fail.

`samples(cls)` lists those of an op. The catalogues of tests run each through every rule, so an op without samples fails
there. A function below is of the classes behind it, and of those that are made of them.
"""

import math
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import (
    CODES,
    COMPLEXES,
    REALS,
    DType,
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from hybridize.base.errors import ArgumentError, DTypeError, GraphError, InternalError, OutOfBoundsError, ShapeError
from hybridize.base.frozen import frozen
from hybridize.base.types import Shape, TensorType
from hybridize.graph import Builder
from hybridize.ops import OPS
from hybridize.ops.analysis import sin
from hybridize.ops.arithmetic import Mul, add, lt, mul
from hybridize.ops.complexes import conj
from hybridize.ops.elementwise import ANY, Binary, Unary
from hybridize.ops.foreign import call_op
from hybridize.ops.fourier import NORMS
from hybridize.ops.interpolation import linear, means
from hybridize.ops.op import Op, Operand
from hybridize.ops.resampling import _tables
from hybridize.ops.tracing import make_graph
from hybridize.ops.views import like, sum, wide
from hybridize.ops.windows import WindowArgMax, WindowMax, WindowSum, WindowTake
from hybridize.runtime import foreign
from hybridize.runtime.foreign import Callee


@frozen
class Sample:
    """One case of an op."""

    inputs: tuple[NDArray[Any], ...]
    op: Op
    grad: tuple[int, ...] | None = None
    """The inputs to check by central differences; None: every floating-point input."""
    fails: type[Exception] | None = None
    """The error that `infer` must raise for these inputs."""
    rtol: float = 1e-5
    atol: float = 1e-6


Samples = Callable[[Any], Iterator[Sample]]
_SAMPLES: dict[type[Op], Samples] = {}


def of(*classes: str | type[Op]) -> Callable[[Samples], Samples]:
    """Declare the samples of ops, by their words or classes."""

    def declare(function: Samples) -> Samples:
        for one in classes:
            _SAMPLES[OPS[one] if isinstance(one, str) else one] = function
        return function

    return declare


def samples(cls: type[Op]) -> Iterator[Sample]:
    """The samples of an op, or of the class that it is made of."""
    found = next((_SAMPLES[base] for base in cls.__mro__ if base in _SAMPLES), None)
    assert found is not None, f"the op {cls.word} has no samples: declare them here"
    return found(cls)


ZERO = (2, 0, 3)
"""A shape without elements."""
ONE = (1, 1)
"""A shape of one element."""
INFINITE = (0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, math.nan)
"""Numbers for which arithmetic has special rules."""


def complex_array(shape: tuple[int, ...], dtype: DType | str = "c8", seed: int = 0) -> NDArray[Any]:
    """Complex numbers whose parts are spread so."""
    real, imag = (sample_array(shape, "f8", seed=seed + k) for k in range(2))
    return numpy.asarray(real + 1j * imag, dtype)


def sample_array(
    shape: tuple[int, ...], dtype: DType | str = "f4", low: float = -2.0, high: float = 2.0, seed: int = 0
) -> NDArray[Any]:
    """Numbers evenly spread over [low, high], in an order that looks random; integers and bools rounded."""
    dtype = numpy.dtype(dtype)
    count = math.prod(shape)
    order = numpy.random.default_rng(zlib.crc32(repr((shape, seed)).encode())).permutation(count)
    spread = low + (high - low) * (order + 0.2 + 0.25 * (seed % 2)) / max(count, 1)
    if dtype == numpy.bool_:
        return numpy.asarray(order % 2 == 0).reshape(shape)
    if dtype.kind in "iu":
        spread = numpy.rint(spread)
        spread = numpy.abs(spread) if dtype.kind == "u" else spread
    return spread.astype(dtype).reshape(shape)


DOMAIN = (-2.0, 2.0)
DOMAINS = {
    "sqrt": (0.3, 3.0), "rsqrt": (0.3, 3.0), "cbrt": (0.3, 3.0), "log": (0.3, 3.0), "log2": (0.3, 3.0),
    "log10": (0.3, 3.0), "log1p": (-0.9, 2.0), "tan": (-1.2, 1.2), "arcsin": (-0.9, 0.9), "arccos": (-0.9, 0.9),
    "arccosh": (1.2, 3.0), "arctanh": (-0.9, 0.9), "erfinv": (-0.9, 0.9), "gamma": (0.3, 3.0),
    "gammaln": (0.3, 3.0), "bit_count": (-100.0, 100.0), "pow": (0.3, 3.0),
}  # fmt: skip
"""The intervals that samples of functions of one element are drawn from, kinks and poles apart, where not `DOMAIN`."""
SECOND_DOMAINS = {
    "div": (0.5, 2.0), "floor_div": (0.6, 2.9), "mod": (0.6, 2.9), "shift_left": (0.0, 70.0),
    "shift_right": (0.0, 70.0), "pow": (-1.5, 2.0), "fmod": (0.6, 2.9),
}  # fmt: skip
"""Those of second operands, where they are others."""


# arithmetic


@of("eq", "ne", "lt", "le", "gt", "ge")
def _comparison(cls: Any) -> Iterator[Sample]:
    """Ties too."""
    yield from _binary(cls)
    x = sample_array((2, 3))
    yield Sample((x, numpy.where(x > 0, x, -x)), cls())


@of("where")
def _where(cls: Any) -> Iterator[Sample]:
    for dtype in sorted(ANY, key=str):
        x, y = sample_array((2, 3), dtype), sample_array((2, 3), dtype, seed=1)
        yield Sample((sample_array((2, 3), bool_, seed=2), x, y), cls())
    for shape in (ZERO, ONE, ()):
        yield Sample((sample_array(shape, bool_), sample_array(shape), sample_array(shape, seed=1)), cls())
    x = numpy.array(INFINITE, "f4")
    yield Sample((x > 0, x, x[::-1].copy()), cls(), grad=())
    x = sample_array((2, 3))
    yield Sample((x, x, x), cls(), fails=DTypeError)
    yield Sample((x > 0, x, x.astype("f8")), cls(), fails=DTypeError)
    yield Sample((x > 0, x, x[:1]), cls(), fails=ShapeError)
    yield Sample((x[:1] > 0, x, x), cls(), fails=ShapeError)


# bits


@of("bitcast")
def _bitcast(cls: Any) -> Iterator[Sample]:
    for group in (
        (float64, int64, uint64), (float32, int32, uint32), (float16, bfloat16, int16, uint16), (int8, uint8),
    ):  # fmt: skip
        for source in group:
            for dtype in group:
                low = 0.0 if source.kind == "u" else -100.0
                floats = dtype.kind in "fV" and source.kind not in "fV"  # small integers are denormal floats
                if not floats:
                    yield Sample((sample_array((2, 3), source, low, 100.0),), cls(dtype), grad=())
    yield Sample((numpy.array(INFINITE, float32),), cls(int32), grad=())
    yield Sample((numpy.array(INFINITE, float32).view(int32),), cls(float32), grad=())
    yield Sample((sample_array(ZERO),), cls(int32), grad=())
    yield Sample((sample_array((2,), float32),), cls(int64), fails=DTypeError)
    yield Sample((sample_array((2,), uint8),), cls(bool_), fails=DTypeError)


# complexes


@of("real_part", "imag_part", "conj")
def _ofcomplex(cls: Any) -> Iterator[Sample]:
    """Both dtypes, no elements, one element, no axes."""
    for dtype in COMPLEXES:
        yield Sample((complex_array((2, 3), dtype),), cls())
    for shape in (ZERO, ONE, ()):
        yield Sample((complex_array(shape),), cls())
    yield Sample((sample_array((2, 3)),), cls(), fails=DTypeError)


@of("from_parts")
def _from_parts(cls: Any) -> Iterator[Sample]:
    for dtype in (float32, float64):
        yield Sample((sample_array((2, 3), dtype), sample_array((2, 3), dtype, seed=1)), cls(), grad=())
    for shape in (ZERO, ONE, ()):
        yield Sample((sample_array(shape), sample_array(shape, seed=1)), cls(), grad=())
    yield Sample((sample_array((2,), "i4"), sample_array((2,), "i4")), cls(), fails=DTypeError)
    yield Sample((sample_array((2,)), sample_array((2,), "f8")), cls(), fails=DTypeError)


# composite


@of("composite")
def _composite(cls: Any) -> Iterator[Sample]:
    builder = Builder()
    x = builder.input(TensorType((2, 3), sample_array(()).dtype), "x")
    (y,) = builder.add(Mul(), (x, x))
    op = cls("square", (("exponent", 2), ("name", "a b"), ("flags", (True, None, 1.5))), builder.finish([y]))
    yield Sample((sample_array((2, 3)),), op)
    yield Sample((sample_array((3, 2)),), op, fails=GraphError)


# contract


@of("contract")
def _contract(cls: Any) -> Iterator[Sample]:
    def sample(spec: str, x: Shape, w: Shape, sizes: Shape = (), dtype: Any = "f4", **more: Any) -> Sample:
        more = {"rtol": 1e-2 if dtype in ("f2", bfloat16) else 1e-4, "atol": 1e-5} | more
        op = cls(spec, sizes, more.pop("result", None))
        return Sample((sample_array(x, dtype), sample_array(w, dtype, seed=1)), op, **more)

    for spec, x, w in (
        ("ac,cb->ab", (2, 3), (3, 4)),
        ("acd,bdc->ab", (2, 3, 2), (4, 2, 3)),
        ("caeb,dce->abcd", (2, 3, 2, 2), (2, 2, 2)),
        ("ab,ab->ab", (2, 3), (2, 3)),
        ("a,b->ba", (2,), (3,)),
        ("a,a->", (5,), (5,)),
        (",->", (), ()),
        ("ac,->a", (2, 3), ()),
        ("ac,bd->ab", (2, 3), (2, 2)),
        ("aa,ab->ab", (3, 3), (3, 2)),
        ("ac,cb->ab", (2, 0), (0, 3)),
        ("ac,cb->ab", (0, 2), (2, 3)),
    ):
        yield sample(spec, x, w)
    convolution = "ad[c+e-1],bde->abc"
    yield sample(convolution, (2, 2, 5), (3, 2, 3), (5,))
    yield sample("ad[2c+e-1],bde->abc", (1, 2, 6), (2, 2, 3), (3,))
    yield sample("ad[c+2e],bde->abc", (1, 2, 6), (2, 2, 2), (4,))
    yield sample("ad[(c-e+1)/2],dbe->abc", (1, 2, 3), (2, 2, 3), (6,))
    yield sample("a[b+d][c+e],de->abc", (1, 4, 3), (2, 2), (3, 2))
    yield sample("[2a+b],a->b", (5,), (3,), (2,))
    yield sample("[-a+3],[a]->a", (4,), (3,), (5,))
    yield sample("[1]a,[2a]->a", (2, 3), (4,))
    yield sample("[5]a,a->a", (2, 3), (3,))
    yield sample("[2a+b],->a", (7,), (), (3, 2))
    yield sample("[2b],[3b]->", (4,), (5,), (3,))
    yield sample("[a/2],[2a]->a", (3,), (7,), (6,))
    yield sample("a[b+c-1],c->ab", (0, 3), (2,), (3,))
    for dtype in ("f8", "f2", bfloat16, "i4", "i8", "i1", "u1"):
        yield sample(convolution, (1, 2, 4), (2, 2, 3), (4,), dtype)
    yield sample(convolution, (1, 4, 4), (2, 4, 3), (4,), "i2", result=numpy.dtype("i4"))
    yield sample("ac,bc->ab", (2, 3), (2, 3), dtype="f2", result=float32)
    yield sample("a[b+c],c->ab", (2, 3), (2,), (2,), dtype="f4", result=float64, grad=())
    yield sample("a[b+c],c->ab", (2, 3), (2,), (2,), result=float16, rtol=1e-2, grad=())
    yield sample("ac,cb->ab", (2, 3), (4, 2), fails=ShapeError)
    yield sample("ac,cb->ab", (2, 3), (3,), fails=ShapeError)
    yield sample("a[b+c],c->ab", (2, 3), (2,), fails=ShapeError)
    yield sample("a[b+c],c->ab", (2, 3), (2,), (-1,), fails=ShapeError)
    yield sample("a[b+c],c->ab", (2, 3), (2,), (1 << 61,), fails=ShapeError)
    yield sample("[a+5000000000000000000],->a", (2,), (), (1,), fails=ShapeError)
    yield sample("ac,cb->ab", (2, 3), (3, 2), result=numpy.dtype("i4"), fails=DTypeError)
    yield sample("ac,cb->ab", (2, 3), (3, 2), dtype="?", fails=DTypeError)
    yield Sample((sample_array((2, 3)), sample_array((3, 2), "f8")), cls("ac,cb->ab"), fails=DTypeError)
    for unreadable in (
        "ac,cb",
        "ac->a",
        "ac,cb,d->a",
        "ac,cb->aa",
        "a-,b->a",
        "a,b->c",
        "[a+],b->a",
        "[(a)/0],b->a",
    ):
        yield sample(unreadable, (2, 3), (3, 2), fails=ArgumentError)


@of("paired_contract")
def _paired_contract(cls: Any) -> Iterator[Sample]:
    """Products and windows of pairs that wrap, groups, terms of one operand alone, and a vector."""
    yield from _of_several(cls)


@of("fourfold_contract")
def _fourfold_contract(cls: Any) -> Iterator[Sample]:
    """The same of fours."""
    yield from _of_several(cls)


def _of_several(cls: Any) -> Iterator[Sample]:
    def pairs(shape: Shape, seed: int) -> NDArray[Any]:
        halves = sample_array((*shape, 2), "i2", -32768.0, 32767.0, seed)
        return halves.view("i4")[..., 0]

    for spec, x, w, sizes in (
        ("ac,cb->ab", (2, 3), (3, 40), ()),
        ("ac,bc->ab", (9, 40), (5, 40), ()),
        ("dac,dcb->dab", (2, 3, 4), (2, 4, 5), ()),
        ("a,a->", (5,), (5,), ()),
        ("ac,->a", (2, 3), (), ()),
        ("ad[c+e-1],bde->abc", (2, 2, 5), (3, 2, 3), (5,)),
        ("af[2c+e-1]b,fde->acdb", (1, 3, 9, 2), (3, 17, 3), (5,)),
        ("ab[c+e]d,bde->acd", (1, 3, 9, 20), (3, 20, 3), (7,)),
    ):
        yield Sample((pairs(x, 0), pairs(w, 1)), cls(spec, sizes), grad=())
    yield Sample((sample_array((2, 3)), sample_array((3, 2))), cls("ac,cb->ab"), fails=DTypeError)
    yield Sample((pairs((2, 3), 0), pairs((3, 2), 1)), cls("ac,cb->ab", (), numpy.dtype("i4")), fails=DTypeError)


@of("winograd_contract")
def _winograd_contract(cls: Any) -> Iterator[Sample]:
    """Convolutions, their gradients, and a product, which is one like any other."""
    for spec, x, w, sizes in (
        ("ac,cb->ab", (2, 3), (3, 4), ()),
        ("ae[c+f-1][d+g-1],befg->abcd", (1, 2, 4, 5), (3, 2, 3, 3), (4, 5)),
        ("ae[c-f+1][d-g+1],ebfg->abcd", (1, 3, 4, 5), (3, 2, 3, 3), (4, 5)),
        ("ea[c+f-1][d+g-1],ebfg->bacd", (1, 2, 4, 5), (1, 3, 4, 5), (3, 3)),
    ):
        op = cls(spec, sizes)
        yield Sample((sample_array(x), sample_array(w, seed=1)), op, rtol=1e-4, atol=1e-5)
    unread = cls("ac,cb")
    yield Sample((sample_array((2, 3)), sample_array((3, 2))), unread, fails=ArgumentError)


# control


@of("cond")
def _cond(cls: Any) -> Iterator[Sample]:
    kind, count = TensorType((2, 3), sample_array(()).dtype), TensorType((), numpy.dtype("i8"))
    then = make_graph(lambda x, y, n: [mul(x, sin(y)), add(n, n)], (kind, kind, count))
    orelse = make_graph(lambda x, y, n: [add(x, like(2, x)), n], (kind, kind, count))
    operands = (sample_array((2, 3)), sample_array((2, 3), seed=1), numpy.array(3))
    for truth in (True, False):
        yield Sample((numpy.array(truth), *operands), cls(then, orelse))
    yield Sample((numpy.array([True]), *operands), cls(then, orelse), fails=DTypeError)
    yield Sample((numpy.array(1), *operands), cls(then, orelse), fails=DTypeError)
    yield Sample((numpy.array(True), *operands[:2]), cls(then, orelse), fails=ShapeError)
    other = make_graph(lambda x, y, n: [sum(x, (0,)), n], (kind, kind, count))
    yield Sample((numpy.array(True), *operands), cls(then, other), fails=ShapeError)


@of("while")
def _while(cls: Any) -> Iterator[Sample]:
    kind, count = TensorType((2, 3), sample_array(()).dtype), TensorType((), numpy.dtype("i8"))
    cond = make_graph(lambda n, x: [lt(n, like(4, n))], (count, kind))
    body = make_graph(lambda n, x: [add(n, like(1, n)), add(x, sin(x))], (count, kind))
    for start in (0, 9):
        yield Sample((numpy.array(start), sample_array((2, 3))), cls(cond, body), grad=())
    yield Sample((numpy.array(0),), cls(cond, body), fails=ShapeError)
    yield Sample((numpy.array(0), sample_array((2, 3))), cls(body, body), fails=DTypeError)


@of("scan")
def _scan(cls: Any) -> Iterator[Sample]:
    f4 = sample_array(()).dtype
    row, count = TensorType((3,), f4), TensorType((), numpy.dtype("i8"))

    def step(h: Operand, n: Operand, x: Operand, w: Operand) -> list[Operand]:
        after = sin(add(mul(h, w), x))
        return [after, add(n, like(1, n)), mul(after, x), n]

    body = make_graph(step, (row, count, row, row))
    inputs = (sample_array((3,)), numpy.array(0), sample_array((4, 3), seed=1), sample_array((3,), seed=2))
    for reverse in (False, True):
        yield Sample(inputs, cls(body, 4, reverse, 2))
    yield Sample((*inputs[:2], sample_array((0, 3)), inputs[3]), cls(body, 0, False, 2))
    pure = make_graph(lambda x, w: [mul(x, w)], (row, row))
    yield Sample((sample_array((4, 3)), sample_array((3,))), cls(pure, 4))
    fold = make_graph(lambda h, w: [mul(h, w)], (row, row))
    yield Sample((sample_array((3,)), sample_array((3,), seed=1)), cls(fold, 5, False, 1))
    yield Sample(inputs, cls(body, 5, False, 2), fails=ShapeError)
    yield Sample(inputs[:3], cls(body, 4, False, 2), fails=ShapeError)
    yield Sample(inputs, cls(pure, 4, False, 1), fails=ShapeError)


# custom


@of("after")
def _after(cls: Any) -> Iterator[Sample]:
    yield Sample((sample_array((2, 3)), sample_array((4,), seed=1)), cls(), grad=(0,))
    yield Sample((sample_array(ZERO, "i4"), sample_array(())), cls(), grad=())


@of("custom_gradient")
def _custom_gradient(cls: Any) -> Iterator[Sample]:
    kind = TensorType((2, 3), sample_array(()).dtype)
    body = make_graph(lambda x, y: [mul(x, y), mul(x, x)], (kind, kind))
    back = make_graph(lambda g, x, y: [mul(g, y), mul(g, x)], (kind, kind, kind))
    op = cls("product", body, back, 1, (0, 3, 4), (0, 1))
    product = make_graph(lambda x, y: [mul(x, y)], (kind, kind))
    yield Sample(
        (sample_array((2, 3)), sample_array((2, 3), seed=1)), cls("product", product, back, 1, (0, 2, 3), (0, 1))
    )
    twice = make_graph(lambda g, y: [add(g, g)], (kind, kind))
    both = make_graph(lambda x: [add(x, x)], (kind,))
    yield Sample((sample_array((2, 3)),), cls("twice", both, twice, 1, (0, 1), (0,)))
    yield Sample((sample_array((3, 2)), sample_array((3, 2))), op, fails=GraphError)


# dynamic_slices


@of("slice_at")
def _slice_at(cls: Any) -> Iterator[Sample]:
    yield Sample((sample_array((5, 7)), numpy.array(2)), cls(0, 3))
    yield Sample((sample_array((3, 5, 2)), numpy.array(4)), cls(1, 1))
    yield Sample((sample_array((3, 5, 4), "i4"), numpy.array(0)), cls(2, 4))
    yield Sample((sample_array((5, 7)), numpy.array(5)), cls(0, 0))
    yield Sample((sample_array((5, 0)), numpy.array(1)), cls(0, 2))
    yield Sample((sample_array((5, 7)), numpy.array(0)), cls(0, 6), fails=OutOfBoundsError)
    yield Sample((sample_array((5, 7)), numpy.array(0)), cls(2, 1), fails=ShapeError)
    yield Sample((sample_array((5, 7)), numpy.array([0])), cls(0, 1), fails=DTypeError)
    yield Sample((sample_array((5, 7)), numpy.array(0, "i4")), cls(0, 1), fails=DTypeError)


@of("update_at")
def _update_at(cls: Any) -> Iterator[Sample]:
    yield Sample((sample_array((5, 7)), numpy.array(2), sample_array((3, 7), seed=1)), cls(0))
    yield Sample((sample_array((5, 7)), numpy.array(3), sample_array((5, 2), seed=1)), cls(1))
    yield Sample((sample_array((3, 5, 2)), numpy.array(4), sample_array((3, 1, 2), seed=1)), cls(1))
    yield Sample((sample_array((3, 5), "i8"), numpy.array(0), sample_array((3, 5), "i8", seed=1)), cls(1))
    yield Sample((sample_array((5, 7)), numpy.array(5), sample_array((0, 7))), cls(0))
    yield Sample((sample_array((0, 7)), numpy.array(2), sample_array((0, 3))), cls(1))
    yield Sample((sample_array((5, 7)), numpy.array(0), sample_array((6, 7))), cls(0), fails=OutOfBoundsError)
    yield Sample((sample_array((5, 7)), numpy.array(0), sample_array((5, 7))), cls(2), fails=ShapeError)
    yield Sample((sample_array((5, 7)), numpy.array(0), sample_array((2, 6))), cls(0), fails=ShapeError)
    yield Sample((sample_array((5, 7)), numpy.array([0]), sample_array((2, 7))), cls(0), fails=DTypeError)
    yield Sample((sample_array((5, 7)), numpy.array(0), sample_array((2, 7), "f8")), cls(0), fails=DTypeError)


# eigenvalues


@of("eig")
def _eig(cls: Any) -> Iterator[Sample]:
    for shape in ((3, 3), (2, 2, 2), (1, 1)):
        yield Sample((numpy.triu(well(shape)) + 0.1 * positive(shape),), cls())
    yield Sample((sample_array((2, 3)),), cls(), fails=ShapeError)


# elementwise


@of(Unary)
def _unary(cls: Any) -> Iterator[Sample]:
    """All kinds of dtypes it takes, no elements, one element, no axes, infinities and NaN."""
    low, high = DOMAINS.get(cls.word, DOMAIN)
    for dtype in (d for d in CODES if d in cls.takes):
        yield Sample((sample_array((2, 3), dtype, low, high),), cls(), rtol=1e-2 if dtype.itemsize == 2 else 1e-5)
    main = numpy.dtype("f4") if numpy.dtype("f4") in cls.takes else numpy.dtype("i8")
    for shape in (ZERO, ONE, ()):
        yield Sample((sample_array(shape, main, low, high),), cls())
    if main.kind == "f":
        yield Sample((numpy.array(INFINITE, main),), cls(), grad=())
    for dtype in (d for d in (bool_, numpy.dtype("i4"), numpy.dtype("f4")) if d not in cls.takes):
        yield Sample((sample_array((2,), dtype, low, high),), cls(), fails=DTypeError)


@of(Binary)
def _binary(cls: Any) -> Iterator[Sample]:
    """All kinds of dtypes it takes, no elements, one element, no axes, infinities, NaN, zeros, unequal operands."""
    low, high = DOMAINS.get(cls.word, DOMAIN)
    low2, high2 = SECOND_DOMAINS.get(cls.word, (low, high))
    for dtype in (d for d in CODES if d in cls.takes):
        x, y = sample_array((2, 3), dtype, low, high), sample_array((2, 3), dtype, low2, high2, seed=1)
        yield Sample((x, y), cls(), rtol=1e-2 if dtype.itemsize == 2 else 1e-5)
    main = numpy.dtype("f4") if numpy.dtype("f4") in cls.takes else numpy.dtype("i8")
    for shape in (ZERO, ONE, ()):
        yield Sample((sample_array(shape, main, low, high), sample_array(shape, main, low2, high2, seed=1)), cls())
    if main.kind == "f":
        x, y = (part.ravel().astype(main) for part in numpy.meshgrid(INFINITE, INFINITE))
        yield Sample((x, y), cls(), grad=())
    x = sample_array((2, 3), main, low, high)
    yield Sample((x, x[:1]), cls(), fails=ShapeError)
    yield Sample((x, x.astype(numpy.int16)), cls(), fails=DTypeError)


# elimination


@of("lu")
def _lu(cls: Any) -> Iterator[Sample]:
    for shape in ((3, 3), (2, 2, 2), (1, 1), (0, 0), (9, 9)):
        yield Sample((well(shape),), cls(), rtol=1e-4)
        yield Sample((well(shape)[..., ::-1, :].copy(),), cls(), rtol=1e-4)
    yield Sample((singular(),), cls(), grad=())
    yield Sample((sample_array((2, 3)),), cls(), fails=ShapeError)


@of("solve_triangular")
def _solve_triangular(cls: Any) -> Iterator[Sample]:
    for number in range(8):
        op = cls(number % 2 == 0, number // 2 % 2 == 0, number // 4 == 0)
        for shape, other in (((3, 3), (3, 2)), ((2, 2, 2), (2, 2, 1)), ((1, 1), (1, 1)), ((0, 0), (0, 2))):
            yield Sample((well(shape), sample_array(other, seed=1)), op, rtol=1e-4)
        yield Sample((well((7, 7)), sample_array((7, 19), seed=1)), op, rtol=1e-4, grad=())
    yield Sample((well((3, 3)), sample_array((2, 3))), cls(True), fails=ShapeError)
    yield Sample((well((3, 3)), sample_array((3, 3), "f8")), cls(True), fails=DTypeError)


# factors


@of("cholesky")
def _cholesky(cls: Any) -> Iterator[Sample]:
    for upper in (False, True):
        for shape in ((3, 3), (2, 2, 2), (1, 1), (0, 0), (9, 9)):
            yield Sample((positive(shape),), cls(upper), rtol=1e-4, atol=1e-5, grad=())
    stack = numpy.stack([positive((3, 3)), -positive((3, 3))])
    yield Sample((stack,), cls(False, False), rtol=1e-4, atol=1e-5, grad=())
    yield Sample((sample_array((2, 3)),), cls(), fails=ShapeError)


@of("qr")
def _qr(cls: Any) -> Iterator[Sample]:
    yield from of_any_sizes(cls())
    yield Sample((well((2, 4)),), cls(True), rtol=1e-4, atol=1e-5)
    yield Sample((well((2, 4, 2)),), cls(True), rtol=1e-4, atol=1e-5, grad=())
    yield Sample((sample_array((3, 0)),), cls(True), grad=())


@of("eigh")
def _eigh(cls: Any) -> Iterator[Sample]:
    for upper in (False, True):
        for shape in ((3, 3), (2, 2, 2), (1, 1), (0, 0)):
            yield Sample((positive(shape),), cls(upper), rtol=1e-4, atol=1e-5, grad=())
    yield Sample((sample_array((2, 3)),), cls(), fails=ShapeError)


@of("svd")
def _svd(cls: Any) -> Iterator[Sample]:
    yield from of_any_sizes(cls())
    yield Sample((well((3, 3)),), cls(True), rtol=1e-4, atol=1e-5)


# foreign


@of("python_call")
def _python_call(cls: Any) -> Iterator[Sample]:
    x, y = sample_array((2, 3)), sample_array((2, 3), seed=1)
    yield Sample((x, y), call_op("a product", _PRODUCT, [TensorType(x.shape, x.dtype)]))


class _Product:
    """x * y, a function for samples."""

    keeps = False
    learnt: Sequence[int] = (0, 1)

    def run(self, operands: foreign.Arrays) -> tuple[foreign.Arrays, Any]:
        x, y = operands
        return [x * y], None

    def gradient(self, wanted: tuple[int, ...]) -> Callee:
        return _callees.setdefault(wanted, Callee(_Gradient(wanted)))


class _Gradient:
    """The gradient of that: g * y and g * x."""

    keeps = False
    learnt: Sequence[int] = ()

    def __init__(self, wanted: tuple[int, ...]) -> None:
        self._wanted = wanted

    def run(self, operands: foreign.Arrays) -> tuple[foreign.Arrays, Any]:
        g, x, y = operands
        return [g * (y, x)[k] for k in self._wanted], None

    def gradient(self, wanted: tuple[int, ...]) -> Callee:
        raise InternalError("E910", "the product of the samples has no second gradient")


_callees: dict[tuple[int, ...], Callee] = {}


_PRODUCT = Callee(_Product())


# fourier


@of("fourier")
def _fourier(cls: Any) -> Iterator[Sample]:
    for inverse in (False, True):
        for norm in NORMS:
            yield Sample((complex_array((2, 5)),), cls(1, inverse, norm))
        yield Sample((complex_array((4, 3), "c16"),), cls(0, inverse))
        yield Sample((sample_array((4, 3)),), cls(0, inverse), grad=())
        yield Sample((sample_array((1, 3), "f8"),), cls(0, inverse), grad=())
        yield Sample((complex_array((0, 3)),), cls(1, inverse))
    yield Sample((complex_array((0, 3)),), cls(0), fails=ShapeError)
    yield Sample((complex_array((2, 3)),), cls(2), fails=ShapeError)
    yield Sample((sample_array((2, 3), "i4"),), cls(1), fails=DTypeError)


@of("real_fourier")
def _real_fourier(cls: Any) -> Iterator[Sample]:
    for norm in NORMS:
        yield Sample((sample_array((2, 5)),), cls(1, norm), grad=())
    for shape in ((4, 3), (1, 2), (2, 2)):
        yield Sample((sample_array(shape, "f8"),), cls(0), grad=())
    yield Sample((sample_array((0, 3)),), cls(0), fails=ShapeError)
    yield Sample((complex_array((2, 3)),), cls(1), fails=DTypeError)


@of("inverse_real_fourier")
def _inverse_real_fourier(cls: Any) -> Iterator[Sample]:
    for norm in NORMS:
        for n in (4, 5):
            yield Sample((complex_array((2, 3)),), cls(1, n, norm), grad=())
    yield Sample((complex_array((1, 3), "c16"),), cls(0, 1), grad=())
    yield Sample((complex_array((2, 3)),), cls(1, 7), fails=ShapeError)
    yield Sample((sample_array((2, 3)),), cls(1, 4), fails=DTypeError)


# hosted


@of("hosted")
def _hosted(cls: Any) -> Iterator[Sample]:
    kind = TensorType((2, 3), complex_array(()).dtype)
    body = make_graph(lambda x, y: [mul(x, y), conj(x)], (kind, kind))
    yield Sample((complex_array((2, 3)), complex_array((2, 3), seed=2)), cls("a product", body), grad=())
    yield Sample((sample_array((2, 3)), sample_array((2, 3))), cls("a product", body), fails=GraphError)


# indexing


@of("gather")
def _gather(cls: Any) -> Iterator[Sample]:
    at = numpy.array([[1, 0, 4, 1], [2, 2, 0, 3]])
    yield Sample((sample_array((5, 7)), at), cls(0))
    yield Sample((sample_array((3, 5, 2)), at), cls(1))
    yield Sample((sample_array((3, 5), "i4"), at[0]), cls(1))
    yield Sample((sample_array((5, 7)), numpy.array(3)), cls(0))
    yield Sample((sample_array((5, 7)), at[:, :0]), cls(0))
    yield Sample((sample_array((5, 0)), at[0]), cls(0))
    yield Sample((sample_array((0, 7)), at[:, :0]), cls(0))
    yield Sample((sample_array((0, 7)), at), cls(0), fails=OutOfBoundsError)
    yield Sample((sample_array((5, 7)), at), cls(2), fails=ShapeError)
    yield Sample((sample_array((5, 7)), at.astype("i4")), cls(0), fails=DTypeError)


@of("gather_nd")
def _gather_nd(cls: Any) -> Iterator[Sample]:
    at = numpy.array([[1, 0], [2, 2], [4, 1], [1, 0]])
    yield Sample((sample_array((5, 3)), at), cls())
    yield Sample((sample_array((5, 3, 2)), at), cls())
    yield Sample((sample_array((5, 3, 2)), at.reshape(2, 2, 2)), cls())
    yield Sample((sample_array((5, 3)), numpy.array([2, 1])), cls())
    yield Sample((sample_array((5, 3)), at[:0]), cls())
    yield Sample((sample_array((5,)), at), cls(), fails=ShapeError)
    yield Sample((sample_array((5, 3)), numpy.array(1)), cls(), fails=ShapeError)
    yield Sample((sample_array((5, 0)), at), cls(), fails=OutOfBoundsError)
    yield Sample((sample_array((5, 3)), at.astype("f4")), cls(), fails=DTypeError)


@of("scatter_nd")
def _scatter_nd(cls: Any) -> Iterator[Sample]:
    at = numpy.array([[1, 0], [2, 2], [4, 1], [1, 0]])
    for mode in ("set", "add"):
        yield Sample((sample_array((5, 3)), at, sample_array((4,))), cls(mode))
        yield Sample((sample_array((5, 3, 2)), at, sample_array((4, 2))), cls(mode))
        yield Sample((sample_array((5, 3), "i4"), at[:, :1], sample_array((4, 3), "i4")), cls(mode))
        yield Sample((sample_array((5, 3)), at[:0], sample_array((0,))), cls(mode))
        yield Sample((sample_array((5, 3)), numpy.array([2, 1]), sample_array(())), cls(mode))
        yield Sample((sample_array((5, 3)), at, sample_array((4, 1))), cls(mode), fails=ShapeError)
        yield Sample((sample_array((5, 3)), at, sample_array((4,), "f8")), cls(mode), fails=DTypeError)
        yield Sample((sample_array((0, 3)), at, sample_array((4,))), cls(mode), fails=OutOfBoundsError)
    yield Sample((sample_array((5, 3)), at, sample_array((4,))), cls("mul"), fails=ArgumentError)


@of("take_along_axis")
def _take_along_axis(cls: Any) -> Iterator[Sample]:
    yield Sample((sample_array((5, 3)), numpy.array([[1, 0, 4], [2, 2, 0]])), cls(0))
    yield Sample((sample_array((2, 5)), numpy.array([[1, 1, 4], [2, 2, 0]])), cls(1))
    yield Sample((sample_array((2, 5), "u1", 0.0, 9.0), numpy.array([[1], [2]])), cls(1))
    yield Sample((sample_array((2, 5)), numpy.zeros((2, 0), "i8")), cls(1))
    yield Sample((sample_array((2, 5)), numpy.array([[1], [2], [3]])), cls(1), fails=ShapeError)
    yield Sample((sample_array((2, 0)), numpy.array([[1], [2]])), cls(1), fails=OutOfBoundsError)
    yield Sample((sample_array((2, 5)), numpy.array([[1], [2]], "i4")), cls(1), fails=DTypeError)


# matmul


@of("matmul")
def _matmul(cls: Any) -> Iterator[Sample]:
    for transpose_x in (False, True):
        for transpose_w in (False, True):
            op = cls(transpose_x, transpose_w)
            for batch, m, n, k in (((), 2, 3, 4), ((), 1, 5, 7), ((2, 3), 5, 4, 1), ((2,), 3, 0, 4), ((), 2, 3, 0)):
                x = (*batch, k, m) if transpose_x else (*batch, m, k)
                w = (*batch, n, k) if transpose_w else (*batch, k, n)
                yield Sample((sample_array(x), sample_array(w, seed=1)), op, rtol=1e-4, atol=1e-5)
    for dtype in ("f8", "f2", "i4", "i8"):
        yield Sample(
            (sample_array((2, 5), dtype), sample_array((5, 3), dtype)), cls(), rtol=1e-2 if dtype == "f2" else 1e-5
        )
    yield Sample((sample_array((17, 40)), sample_array((40, 33), seed=1)), cls(), rtol=1e-4, atol=1e-4, grad=())
    yield Sample((numpy.array([[1, numpy.inf], [numpy.nan, 0]], "f4"), sample_array((2, 2))), cls(), grad=())
    yield Sample((sample_array((2, 5)), sample_array((3, 5))), cls(), fails=ShapeError)
    yield Sample((sample_array((2, 5)), sample_array((5,))), cls(), fails=ShapeError)
    yield Sample((sample_array((2, 3, 5)), sample_array((4, 5, 3))), cls(), fails=ShapeError)
    yield Sample((sample_array((2, 5)), sample_array((5, 3), "f8")), cls(), fails=DTypeError)
    yield Sample((sample_array((2, 5), "?"), sample_array((5, 3), "?")), cls(), fails=DTypeError)


# matrices


def well(shape: tuple[int, ...]) -> NDArray[Any]:
    """Matrices far from singular, whose singular values differ."""
    return numpy.asarray(
        sample_array(shape) + 3 * numpy.eye(shape[-2], shape[-1]) * numpy.arange(1, shape[-1] + 1), "f4"
    )


def of_any_sizes(op: Op) -> Iterator[Sample]:
    """Samples of an op on matrices that need not be square."""
    for shape in ((3, 3), (4, 2), (2, 4), (2, 3, 2), (1, 1)):
        yield Sample((well(shape),), op, rtol=1e-4, atol=1e-5)
    yield Sample((sample_array((3,)),), op, fails=ShapeError)


def positive(shape: tuple[int, ...]) -> NDArray[Any]:
    """Symmetric positive definite matrices, whose eigenvalues differ."""
    x = well(shape)
    return numpy.asarray(x @ numpy.swapaxes(x, -1, -2) / 4, "f4")


def singular() -> NDArray[Any]:
    """A matrix of rank 2."""
    return numpy.array([[1, 2, 3], [2, 4, 6], [1, 0, 1]], "f4")


# prefixes


@of("dots_until")
def _dots_until(cls: Any) -> Iterator[Sample]:
    for d in (3, 8, 16, 37):
        yield Sample((sample_array((2, 3, d)), sample_array((2, 7, d), seed=1), numpy.array(5)), cls())
    yield Sample((sample_array((1, 64)), sample_array((9, 64), seed=1), numpy.array(9)), cls())
    yield Sample((sample_array((1, 4)), sample_array((9, 4), seed=1), numpy.array(0)), cls())
    yield Sample((sample_array((2, 1, 5), "f8"), sample_array((2, 4, 5), "f8", seed=1), numpy.array(3)), cls())
    yield Sample((sample_array((0, 4)), sample_array((9, 4)), numpy.array(2)), cls())
    yield Sample((sample_array((2, 4)), sample_array((9, 5)), numpy.array(2)), cls(), fails=ShapeError)
    yield Sample((sample_array((1, 2, 4)), sample_array((2, 9, 4)), numpy.array(2)), cls(), fails=ShapeError)
    yield Sample((sample_array((2, 4)), sample_array((9, 4)), numpy.array([2])), cls(), fails=DTypeError)
    yield Sample((sample_array((2, 4)), sample_array((9, 4), "f8"), numpy.array(2)), cls(), fails=DTypeError)


@of("sum_until")
def _sum_until(cls: Any) -> Iterator[Sample]:
    for d in (3, 8, 16, 37):
        yield Sample((sample_array((2, 3, 7)), sample_array((2, 7, d), seed=1), numpy.array(5)), cls())
    yield Sample((sample_array((1, 9)), sample_array((9, 64), seed=1), numpy.array(9)), cls())
    yield Sample((sample_array((1, 9)), sample_array((9, 4), seed=1), numpy.array(0)), cls())
    yield Sample((sample_array((2, 1, 4), "f8"), sample_array((2, 4, 5), "f8", seed=1), numpy.array(3)), cls())
    yield Sample((sample_array((2, 9)), sample_array((9, 0)), numpy.array(2)), cls())
    yield Sample((sample_array((2, 8)), sample_array((9, 5)), numpy.array(2)), cls(), fails=ShapeError)
    yield Sample((sample_array((9,)), sample_array((9, 5)), numpy.array(2)), cls(), fails=ShapeError)
    yield Sample((sample_array((2, 9)), sample_array((9, 4)), numpy.array(2, "i4")), cls(), fails=DTypeError)
    yield Sample((sample_array((2, 9), "i8"), sample_array((9, 4), "i8"), numpy.array(2)), cls(), fails=DTypeError)


# randomness


@of("random_bits")
def _random_bits(cls: Any) -> Iterator[Sample]:
    key = numpy.array([0x123456789ABCDEF0, 7], uint64)
    yield Sample((key,), cls((3, 5)))
    yield Sample((numpy.array([2**64 - 1, 2**64 - 1], uint64),), cls((9,)))
    yield Sample((key,), cls(()))
    yield Sample((key,), cls((2, 0)))
    yield Sample((key.astype("i8"),), cls((2,)), fails=DTypeError)
    yield Sample((key[:1],), cls((2,)), fails=ShapeError)


@of("standard_gamma")
def _standard_gamma(cls: Any) -> Iterator[Sample]:
    key = numpy.array([0x123456789ABCDEF0, 7], uint64)
    for dtype in ("f4", "f8"):
        for shape in ((), (1,), (3, 67), (2, 0)):
            yield Sample((key, sample_array(shape, dtype, 1.0, 4.0)), cls(), grad=())
        yield Sample((key, numpy.array([1, 1e-3, 0, -1, 1e30, numpy.inf, numpy.nan], dtype)), cls(), grad=())
    yield Sample((key, sample_array((2,), "f2")), cls(), fails=DTypeError)
    yield Sample((key.astype("i8"), sample_array((2,))), cls(), fails=DTypeError)
    yield Sample((key[:1], sample_array((2,))), cls(), fails=ShapeError)


# reductions


@of("prod")
def _prod(cls: Any) -> Iterator[Sample]:
    yield from reduction_samples(cls)
    yield Sample((numpy.array([[0.0, 2.0, 3.0], [0.0, 5.0, 0.0]], "f4"),), cls((1,)))


@of("reduce_max", "reduce_min", "shared_reduce_max", "shared_reduce_min")
def _extreme(cls: Any) -> Iterator[Sample]:
    """Ties too."""
    yield from reduction_samples(cls, empty=False)
    yield Sample((sample_array((2, 3), bool_),), cls((1,)))
    yield Sample((numpy.array([[1, 2, 2], [3, 3, 3]], float32),), cls((1,)), grad=())


@of("any", "all")
def _logical(cls: Any) -> Iterator[Sample]:
    """Nothing among them: any of nothing is false, all of nothing true."""
    for axes in ((), (0,), (0, 1)):
        yield Sample((sample_array((2, 3), bool_),), cls(axes))
    yield Sample((sample_array(ZERO, bool_),), cls((1,)))
    yield Sample((numpy.array([[True, True], [False, False]]),), cls((1,)))
    yield Sample((numpy.array(True),), cls(()))
    yield Sample((sample_array((2, 3)),), cls((0,)), fails=DTypeError)
    yield Sample((sample_array((2, 3), bool_),), cls((2,)), fails=ShapeError)


@of("arg_max", "arg_min")
def _arg(cls: Any) -> Iterator[Sample]:
    """Ties and NaN: the first one counts."""
    for axis in (0, 1, 2):
        yield Sample((sample_array((2, 3, 4)),), cls(axis))
    yield Sample((sample_array((2, 3), "i4"),), cls(1))
    yield Sample((sample_array((2, 3), bool_),), cls(1))
    yield Sample((sample_array(ONE),), cls(0))
    yield Sample((sample_array((0, 3)),), cls(1))
    yield Sample((numpy.array([[1, 3, 3], [-1, -1, 2], [1, numpy.nan, numpy.nan]], float32),), cls(1))
    yield Sample((numpy.array([INFINITE, (*INFINITE[:6], 1.0)], float32),), cls(1))
    yield Sample((sample_array((0, 3)),), cls(0), fails=ShapeError)
    yield Sample((sample_array((2, 3)),), cls(2), fails=ShapeError)


@of("cum_sum", "cum_max")
def _running(cls: Any) -> Iterator[Sample]:
    """Zeros and NaN among them."""
    for axis in (0, 1, 2):
        yield Sample((sample_array((2, 3, 4)),), cls(axis))
    for dtype in ("f8", "f2", "i4", "i8"):
        yield Sample((sample_array((3, 5), dtype),), cls(1), rtol=1e-2 if dtype == "f2" else 1e-5)
    yield Sample((sample_array(ZERO),), cls(1))
    yield Sample((sample_array(ONE),), cls(0))
    special = numpy.array([[1, numpy.nan, 2], [1, numpy.inf, 3], [-numpy.inf, 0, 1]], float32)
    yield Sample((special,), cls(1), grad=())
    yield Sample((sample_array((2, 3)),), cls(2), fails=ShapeError)
    yield Sample((sample_array((2, 3), bool_),), cls(0), fails=DTypeError)


@of("cum_prod")
def _cum_prod(cls: Any) -> Iterator[Sample]:
    yield from _running(cls)
    yield Sample((numpy.array([[2, 0, 3, 0, 5]], float32),), cls(1))


# resampling


@of("resample")
def _resample(cls: Any) -> Iterator[Sample]:
    for table in (linear(5, 9, True), linear(7, 3, False), means(7, 3), means(3, 5), means(24, 2)):
        size = max(max(row) for row, _ in table) + 1
        for axis in (0, 1) if size < 9 else (1,):
            shape = (size, 4) if axis == 0 else (3, size)
            yield Sample((sample_array(shape), *_tables(table, size, numpy.dtype("f4"))), cls(axis), grad=(0,))
    table = linear(4, 7, False)
    for dtype in (float64, float16, bfloat16):
        rtol = 1e-2 if dtype.itemsize == 2 else 1e-5
        yield Sample((sample_array((4, 2), dtype), *_tables(table, 4, wide(dtype))), cls(0), rtol=rtol, grad=(0,))
    tables = _tables(table, 4, numpy.dtype("f4"))
    special = numpy.array([[1, numpy.inf, 2, numpy.nan]], float32)
    beside = [((number, min(number + 1, 3)), (1.0, 0.0)) for number in range(4)]  # what has no weight
    yield Sample((special, *_tables(beside, 4, numpy.dtype("f4"))), cls(1), grad=())
    yield Sample((sample_array((0, 4)), *tables), cls(1), grad=(0,))
    yield Sample((sample_array((3, 5)), *tables), cls(1), fails=ShapeError)
    yield Sample((sample_array((4, 4)), *tables[:1], *tables[3:], *tables[2:]), cls(1), fails=ShapeError)
    yield Sample((sample_array((4, 4), "f8"), *tables), cls(1), fails=DTypeError)
    yield Sample((sample_array((4, 4), "i4"), *tables), cls(1), fails=DTypeError)


# sizes


@of("size_of")
def _size_of(cls: Any) -> Iterator[Sample]:
    yield Sample((), cls(5))
    yield Sample((), cls(0))


# slicing


@of("slice")
def _slice(cls: Any) -> Iterator[Sample]:
    yield Sample((sample_array((5, 7)),), cls((1, 2), (4, 7), (1, 2)))
    yield Sample((sample_array((5, 7)),), cls((4, 5), (-1, 0), (-1, -2)))
    yield Sample((sample_array((5, 7), "i4"),), cls((2, 0), (2, 7), (1, 3)))
    yield Sample((sample_array((5, 7)),), cls((4, 0), (2, 7), (1, 1)))
    yield Sample((sample_array(()),), cls((), (), ()))
    yield Sample((sample_array(ZERO),), cls((0, 0, 0), (2, 0, 2), (1, 1, 1)))
    yield Sample((sample_array((5, 7)),), cls((0, 0), (6, 7), (1, 1)), fails=ShapeError)
    yield Sample((sample_array((5, 7)),), cls((0, 0), (5, 7), (1, 0)), fails=ShapeError)
    yield Sample((sample_array((5, 7)),), cls((-1, 0), (5, 7), (1, 1)), fails=ShapeError)
    yield Sample((sample_array((5, 7)),), cls((0,), (5,), (1,)), fails=ShapeError)


@of("update_slice")
def _update_slice(cls: Any) -> Iterator[Sample]:
    yield Sample((sample_array((5, 7)), sample_array((3, 2))), cls((1, 2), (4, 6), (1, 2)))
    yield Sample((sample_array((5, 7)), sample_array((5, 3))), cls((4, 5), (-1, 0), (-1, -2)))
    yield Sample((sample_array((5, 7)), sample_array((5, 1))), cls((0, 3), (5, 4), (1, 1)))
    yield Sample((sample_array((5, 7)), sample_array((0, 7))), cls((2, 0), (2, 7), (1, 1)))
    yield Sample((sample_array((5, 7), "i8"), sample_array((5, 7), "i8", seed=1)), cls((0, 0), (5, 7), (1, 1)))
    yield Sample((sample_array(()), sample_array((), seed=1)), cls((), (), ()))
    yield Sample((sample_array((5, 7)), sample_array((3, 3))), cls((1, 2), (4, 6), (1, 2)), fails=ShapeError)
    yield Sample((sample_array((5, 7)), sample_array((3, 2), "f8")), cls((1, 2), (4, 6), (1, 2)), fails=DTypeError)


@of("concat")
def _concat(cls: Any) -> Iterator[Sample]:
    yield Sample((sample_array((2, 3)), sample_array((2, 4)), sample_array((2, 1))), cls(1))
    yield Sample((sample_array((2, 3)), sample_array((4, 3))), cls(0))
    yield Sample((sample_array((2, 3)), sample_array((0, 3))), cls(0))
    yield Sample((sample_array((0, 3)), sample_array((0, 3))), cls(0))
    yield Sample((sample_array((2, 3)),), cls(0))
    yield Sample((sample_array((2, 3), bool_), sample_array((1, 3), bool_)), cls(0))
    yield Sample((sample_array((2, 3)), sample_array((2, 3), "f8")), cls(0), fails=DTypeError)
    yield Sample((sample_array((2, 3)), sample_array((4, 5))), cls(0), fails=ShapeError)
    yield Sample((sample_array((2, 3)), sample_array((2,))), cls(0), fails=ShapeError)
    yield Sample((sample_array(()), sample_array(())), cls(0), fails=ShapeError)


@of("pad")
def _pad(cls: Any) -> Iterator[Sample]:
    yield Sample((sample_array((2, 3)), sample_array(())), cls((1, 0), (0, 2)))
    yield Sample((sample_array((2, 3)), sample_array(())), cls((0, 0), (0, 0)))
    yield Sample((sample_array((2, 1), "i4"), sample_array((), "i4")), cls((2, 1), (1, 2)))
    yield Sample((sample_array(ZERO), sample_array(())), cls((1, 2, 0), (0, 0, 1)))
    yield Sample((sample_array(()), sample_array(())), cls((), ()))
    yield Sample((sample_array((2, 3)), sample_array(())), cls((1,), (0,)), fails=ShapeError)
    yield Sample((sample_array((2, 3)), sample_array(())), cls((-1, 0), (0, 0)), fails=ShapeError)
    yield Sample((sample_array((2, 3)), sample_array((1,))), cls((1, 0), (0, 2)), fails=ShapeError)
    yield Sample((sample_array((2, 3)), sample_array((), "f8")), cls((1, 0), (0, 2)), fails=DTypeError)


@of("iota")
def _iota(cls: Any) -> Iterator[Sample]:
    for dtype in REALS:
        if dtype != bool_:
            yield Sample((), cls((2, 3, 4), 1, dtype))
    yield Sample((), cls((5,), 0, float32))
    yield Sample((), cls((2, 0), 1, int64))
    yield Sample((), cls((2, 3), 2, int64), fails=ShapeError)
    yield Sample((), cls((2, 3), 0, bool_), fails=DTypeError)


# solutions


@of("inverse")
def _inverse(cls: Any) -> Iterator[Sample]:
    for shape in ((3, 3), (2, 2, 2), (1, 1), (0, 0)):
        yield Sample((well(shape),), cls(), rtol=1e-4, atol=1e-5)
    yield Sample((sample_array((2, 3)),), cls(), fails=ShapeError)
    yield Sample((sample_array((2, 2), "f2"),), cls(), fails=DTypeError)
    yield Sample((sample_array((2,)),), cls(), fails=ShapeError)


@of("solve")
def _solve(cls: Any) -> Iterator[Sample]:
    for transposed in (False, True):
        op = cls(True, transposed)
        yield Sample((well((3, 3)), sample_array((3, 2))), op, rtol=1e-4, atol=1e-5)
        yield Sample((well((2, 2, 2)), sample_array((2, 2, 1))), op, rtol=1e-4, atol=1e-5)
        yield Sample((well((3, 3)), sample_array((3, 0))), op)
        yield Sample((well((0, 0)), sample_array((0, 2))), op)
    stack = numpy.stack([singular(), well((3, 3))])
    yield Sample((stack, sample_array((2, 3, 2))), cls(False), rtol=1e-4, atol=1e-5, grad=())
    yield Sample((well((3, 3)), sample_array((2, 3))), cls(), fails=ShapeError)
    yield Sample((well((3, 3)), sample_array((3, 3), "f8")), cls(), fails=DTypeError)


@of("det")
def _det(cls: Any) -> Iterator[Sample]:
    for shape in ((3, 3), (2, 2, 2), (1, 1), (0, 0)):
        yield Sample((well(shape),), cls(), rtol=1e-4, atol=1e-5)
    yield Sample((singular(),), cls())
    yield Sample((sample_array((2, 3)),), cls(), fails=ShapeError)


@of("cofactor")
def _cofactor(cls: Any) -> Iterator[Sample]:
    for shape in ((3, 3), (2, 2, 2), (1, 1), (4, 4)):
        yield Sample((well(shape),), cls(), rtol=1e-4, atol=1e-4)
    yield Sample((singular(),), cls(), rtol=1e-4, atol=1e-5)
    yield Sample((sample_array((2, 3)),), cls(), fails=ShapeError)


@of("cofactor_pullback")
def _cofactor_pullback(cls: Any) -> Iterator[Sample]:
    for shape in ((3, 3), (2, 2, 2), (4, 4)):
        yield Sample((well(shape), sample_array(shape, seed=1)), cls(), rtol=1e-4, atol=1e-4)
    yield Sample((sample_array((2, 3)), sample_array((2, 3))), cls(), fails=ShapeError)


@of("slog_det")
def _slog_det(cls: Any) -> Iterator[Sample]:
    for shape in ((3, 3), (2, 2, 2), (1, 1)):
        yield Sample((well(shape),), cls())
        yield Sample((-well(shape),), cls())
    yield Sample((sample_array((2, 3)),), cls(), fails=ShapeError)


@of("pseudo_inverse")
def _pseudo_inverse(cls: Any) -> Iterator[Sample]:
    yield from of_any_sizes(cls())


@of("least_squares")
def _least_squares(cls: Any) -> Iterator[Sample]:
    for shape in ((3, 3), (4, 2), (2, 4), (1, 1)):
        yield Sample((well(shape), sample_array((shape[0], 2), seed=1)), cls(1e-6), rtol=1e-4, atol=1e-5)
    yield Sample((sample_array((2, 3)), sample_array((3, 3))), cls(1e-6), fails=ShapeError)


# descent


@of("descent")
def _descent(cls: Any) -> Iterator[Sample]:
    """Full trees of three levels, few and many rows and trees, NaN; trees of a leaf alone, ways that are cut short."""
    number = numpy.arange(7)
    for trees, rows, dtype in ((1, 1, "f4"), (3, 1, "f8"), (19, 2, "f4"), (2, 21, "f4"), (9, 8, "f8")):
        first, behind = 7 * numpy.arange(trees)[:, None], 7 * trees + 8 * numpy.arange(trees)[:, None]
        below = [numpy.where(2 * number + k < 7, first + 2 * number + k, behind + 2 * number + k - 7) for k in (1, 2)]
        neither = below[0] if trees % 2 else below[1]
        links = numpy.stack([first + number, *below, neither], -1).reshape(-1, 4)
        links[:, 0] %= 5
        x, splits = sample_array((rows, 5), dtype), sample_array((7 * trees,), dtype, seed=1)
        x[:1, ::2] = numpy.nan
        x[1:2, 0] = splits[0]
        roots = first.reshape(-1).copy()
        roots[2::3] += 7 * trees
        operands = x, splits, links.astype("i4"), roots.astype("i4")
        yield from (Sample(operands, cls(depth), grad=()) for depth in (0, 2, 3))
    yield Sample((x.astype("f2"), splits.astype("f2"), *operands[2:]), cls(3), fails=DTypeError)
    yield Sample((x, splits, operands[2].astype("i8"), operands[3]), cls(3), fails=DTypeError)
    yield Sample((x, splits[1:], *operands[2:]), cls(3), fails=ShapeError)
    yield Sample((x[:, :0], *operands[1:]), cls(3), fails=ShapeError)


# sorting


@of("arg_sort")
def _arg_sort(cls: Any) -> Iterator[Sample]:
    yield from _sorting_samples(cls)


@of("sort")
def _sort(cls: Any) -> Iterator[Sample]:
    yield from _sorting_samples(cls)


def _sorting_samples(cls: Any) -> Iterator[Sample]:
    """Ties, both orders, NaN."""
    for descending in (False, True):
        for axis in (0, 1, 2):
            yield Sample((sample_array((2, 3, 4)),), cls(axis, descending))
        for dtype in ("f8", "f2", "i4", "u1", bool_):
            yield Sample((sample_array((2, 9), dtype, 0.0, 3.0),), cls(1, descending), grad=())
        yield Sample((sample_array(ZERO),), cls(1, descending))
        yield Sample((sample_array(ONE),), cls(0, descending))
        yield Sample((numpy.array([INFINITE, INFINITE[::-1]], float32),), cls(1, descending), grad=())
    yield Sample((sample_array((2, 3)),), cls(2), fails=ShapeError)
    yield Sample((sample_array(()),), cls(0), fails=ShapeError)


# views


@of("cast")
def _cast(cls: Any) -> Iterator[Sample]:
    for source in (float64, float32, float16, bfloat16, int64, int32, bool_):
        for dtype in CODES:
            low = 0.0 if dtype.kind == "u" else -100.0
            yield Sample((sample_array((2, 3), source, low, 100.0),), cls(dtype), grad=())
    yield Sample((sample_array((2, 3), float64),), cls(float64))
    yield Sample((sample_array(ZERO),), cls(int64))
    yield Sample((numpy.array(INFINITE, float32),), cls(bool_))
    outside = numpy.array([*INFINITE, -1.5, 300.0, -3e4, 1e20, -1e20], float32)
    for dtype in (int8, uint8, int32, int64, uint64):
        for source in (float64, float32, float16):
            with numpy.errstate(over="ignore"):
                values = outside.astype(source)
            yield Sample((values,), cls(dtype), grad=())
        yield Sample((outside[numpy.isfinite(outside)].astype(bfloat16),), cls(dtype), grad=())
    yield Sample((sample_array((2,)),), cls(numpy.dtype("M8[s]")), fails=DTypeError)


@of("stop_gradient")
def _stop_gradient(cls: Any) -> Iterator[Sample]:
    yield Sample((sample_array((2, 3)),), cls(), grad=())
    yield Sample((sample_array(ZERO, "i4"),), cls())


@of("broadcast")
def _broadcast(cls: Any) -> Iterator[Sample]:
    yield Sample((sample_array((3, 1)),), cls((2, 3, 4)))
    yield Sample((sample_array((1, 1, 1)),), cls((1, 3, 1)))
    yield Sample((sample_array(()),), cls((2, 3)))
    yield Sample((sample_array((1,)),), cls((0,)))
    yield Sample((sample_array((2, 3), "i2"),), cls((2, 3)))
    yield Sample((sample_array((2, 3)),), cls((3, 2)), fails=ShapeError)
    yield Sample((sample_array((2, 3)),), cls((3,)), fails=ShapeError)


@of("reshape")
def _reshape(cls: Any) -> Iterator[Sample]:
    yield Sample((sample_array((2, 3, 4)),), cls((6, 4)))
    yield Sample((sample_array((2, 3, 4)),), cls((3, 8)))
    yield Sample((sample_array((6, 4)),), cls((2, 3, 1, 4)))
    yield Sample((sample_array((4, 6)),), cls((3, 8)))
    yield Sample((sample_array(()),), cls((1, 1)))
    yield Sample((sample_array(ONE),), cls(()))
    yield Sample((sample_array(ZERO),), cls((0, 5)))
    yield Sample((sample_array((2, 3), "u1", 0.0, 9.0),), cls((3, 2)))
    yield Sample((sample_array((2, 3)),), cls((4,)), fails=ShapeError)
    yield Sample((sample_array((2, 3)),), cls((-2, -3)), fails=ShapeError)


@of("transpose")
def _transpose(cls: Any) -> Iterator[Sample]:
    yield Sample((sample_array((2, 3, 4)),), cls((2, 0, 1)))
    yield Sample((sample_array((2, 3)),), cls((1, 0)))
    yield Sample((sample_array(()),), cls(()))
    yield Sample((sample_array(ZERO, "i8"),), cls((1, 2, 0)))
    yield Sample((sample_array((2, 3)),), cls((0, 0)), fails=ShapeError)
    yield Sample((sample_array((2, 3)),), cls((0,)), fails=ShapeError)


@of("sum")
def _sum(cls: Any) -> Iterator[Sample]:
    yield from reduction_samples(cls)


def reduction_samples(cls: Any, empty: bool = True) -> Iterator[Sample]:
    """Samples of a reduction of numbers over axes."""
    for axes in ((), (0,), (1,), (0, 2), (0, 1, 2)):
        yield Sample((sample_array((2, 3, 4)),), cls(axes))
    for dtype in (float64, float16, bfloat16, int32, int64):
        yield Sample((sample_array((3, 5), dtype),), cls((1,)), rtol=1e-2 if dtype.itemsize == 2 else 1e-5)
    yield Sample((sample_array(()),), cls(()))
    yield Sample((sample_array(ONE),), cls((0,)))
    yield Sample((sample_array(ZERO),), cls((2,)))
    yield Sample((sample_array(ZERO),), cls((1,)), fails=None if empty else ShapeError)
    special = numpy.array([[1, numpy.nan, 2], [1, numpy.inf, -numpy.inf], [-numpy.inf, 0, 1]], float32)
    yield Sample((special,), cls((1,)), grad=())
    yield Sample((sample_array((2, 3)),), cls((2,)), fails=ShapeError)
    yield Sample((sample_array((2, 3)),), cls((1, 0)), fails=ShapeError)
    yield Sample((sample_array((2, 3)),), cls((-1,)), fails=ShapeError)


# windows


@of("window_max")
def _window_max(cls: Any) -> Iterator[Sample]:
    yield from _maximum_samples(cls)


@of("window_arg_max")
def _window_arg_max(cls: Any) -> Iterator[Sample]:
    yield from _maximum_samples(cls)


def _maximum_samples(cls: Any) -> Iterator[Sample]:
    """Ties, NaN, and nothing but -inf."""
    yield from _window_samples(cls)
    inf, nan = math.inf, math.nan
    special = numpy.array([[1, 1, -inf, -inf, -inf, nan, 2, nan], [3, 3, 3, inf, inf, 0, -0.0, 0]], float32)
    yield Sample((special,), cls((1, 3), (1, 2), (0, 1), (0, 1)), grad=())


def _window_samples(cls: Any) -> Iterator[Sample]:
    """Samples of windows of one array."""
    x = sample_array((2, 3, 7, 6))
    yield Sample((x,), cls((1, 1, 2, 2), (1, 1, 2, 2), (0, 0, 0, 0), (0, 0, 0, 0)))
    yield Sample((x,), cls((1, 1, 3, 3), (1, 1, 2, 2), (0, 0, 1, 1), (0, 0, 1, 2)))
    yield Sample((x,), cls((1, 3, 2, 1), (1, 2, 3, 1), (0, 1, 0, 0), (0, 1, 0, 0)))
    yield Sample((x,), cls((1, 1, 7, 6), (1, 1, 7, 6), (0, 0, 0, 0), (0, 0, 0, 0)))
    yield Sample((x,), cls((1, 1, 7, 5), (1, 1, 1, 1), (0, 0, 3, 2), (0, 0, 3, 2)), rtol=1e-4)
    yield Sample((x,), cls((1, 1, 1, 1), (1, 1, 1, 2), (0, 0, 0, 0), (0, 0, 0, 0)))
    for dtype in (float64, float16, bfloat16, int32, int64):
        rtol = 1e-2 if dtype.itemsize == 2 else 1e-5
        yield Sample(
            (sample_array((2, 9), dtype),),
            cls((1, 3), (1, 2), (0, 1), (0, 1)),
            rtol=rtol,
            atol=1e-2 if dtype.itemsize == 2 else 1e-6,
        )
    yield Sample((sample_array((0, 5)),), cls((1, 2), (1, 2), (0, 0), (0, 0)))
    yield Sample((sample_array((2, 5)),), cls((1, 6), (1, 1), (0, 0), (0, 0)), fails=ShapeError)
    yield Sample((sample_array((2, 0)),), cls((1, 2), (1, 1), (0, 1), (0, 1)), fails=ShapeError)
    yield Sample((sample_array((2, 5)),), cls((1, 2), (1, 1), (0, 2), (0, 0)), fails=ShapeError)
    yield Sample((sample_array((2, 5)),), cls((1, 2), (1, 0), (0, 0), (0, 0)), fails=ShapeError)
    yield Sample((sample_array((2, 5)),), cls((1, 1), (1, 2), (0, 0), (0, 2)), fails=ShapeError)
    yield Sample((sample_array((2, 5)),), cls((2,), (1,), (0,), (0,)), fails=ShapeError)
    yield Sample((sample_array((2, 5), bool_),), cls((1, 2), (1, 2), (0, 0), (0, 0)), fails=DTypeError)


@of("window_take")
def _window_take(cls: Any) -> Iterator[Sample]:
    for sample in samples(WindowMax):
        op = sample.op
        fields = (op.window, op.strides, op.low, op.high)
        (x,) = sample.inputs
        numbers = numpy.zeros((1,), int32) if sample.fails else WindowArgMax(*fields).reference(x)[0]
        yield Sample(
            (x, numbers), cls(*fields), fails=sample.fails, rtol=sample.rtol, atol=sample.atol, grad=sample.grad
        )
    x = sample_array((2, 5))
    numbers = sample_array((2, 2), "i4", 0, 1)
    yield Sample((x, numbers), cls((1, 2), (1, 2), (0, 0), (0, 0)))
    yield Sample((x, numbers.astype("i8")), cls((1, 2), (1, 2), (0, 0), (0, 0)), fails=DTypeError)
    yield Sample((x, numbers[:1]), cls((1, 2), (1, 2), (0, 0), (0, 0)), fails=ShapeError)


@of("window_put")
def _window_put(cls: Any) -> Iterator[Sample]:
    for sample in samples(WindowTake):
        op = sample.op
        x, numbers = sample.inputs
        fields = (op.window, op.strides, op.low, op.high, x.shape)
        shape = numbers.shape if sample.fails else op.counts(x.shape)
        g = sample_array(shape, x.dtype)
        yield Sample((g, numbers), cls(*fields), fails=sample.fails, rtol=sample.rtol, atol=sample.atol)
    g = sample_array((2, 2))
    yield Sample((g, numpy.zeros((2, 3), int32)), cls((1, 2), (1, 2), (0, 0), (0, 0), (2, 5)), fails=ShapeError)


@of("window_sum")
def _window_sum(cls: Any) -> Iterator[Sample]:
    yield from _window_samples(cls)


@of("window_spread")
def _window_spread(cls: Any) -> Iterator[Sample]:
    for sample in samples(WindowSum):
        op = sample.op
        (x,) = sample.inputs
        fields = (op.window, op.strides, op.low, op.high, x.shape)
        g = sample_array((2, 2) if sample.fails else op.counts(x.shape), x.dtype)
        yield Sample((g,), cls(*fields), fails=sample.fails, rtol=sample.rtol, atol=sample.atol)
    yield Sample((sample_array((2, 3)),), cls((1, 2), (1, 2), (0, 0), (0, 0), (2, 5)), fails=ShapeError)


# world


@of("print")
def _print(cls: Any) -> Iterator[Sample]:
    yield Sample((numpy.array(1.5, "f4"),), cls("x is {}"), grad=())
    yield Sample((), cls('a "quoted"\nline'))
    recipe = repr((("text", ("x is ", (("value", 0, "float"), "", ("constant", ".2f")), "\n")), "stdout", False))
    yield Sample((numpy.array(1.5, "f4"),), cls("x is {}", recipe), grad=())


@of("assert", "bounds", "solvable", "permitted")
def _assert(cls: Any) -> Iterator[Sample]:
    yield Sample((numpy.array([True, True]),), cls("both hold"))
    recipe = repr(("builtins:ValueError", ("tuple", (("value", 0, "float"),)), ("dict", ()), ""))
    yield Sample((numpy.array(True), numpy.array(1.5, "f4")), cls("{}", recipe))
    yield Sample((sample_array((2, 0), bool_),), cls("of nothing all holds"))
    yield Sample((sample_array((2,)),), cls("no bools"), fails=DTypeError)
