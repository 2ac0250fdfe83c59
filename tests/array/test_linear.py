import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hybridize as hy
from hybridize import autograd
from hybridize.array import np, npx
from hybridize.base.errors import ArgumentError, CaptureError, DTypeError, ShapeError
from tests.refusals import refusal

RANDOM = numpy.random.default_rng(0)


def numbers(*shape):
    return RANDOM.normal(size=shape).astype("float32")


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ((3, 4), (4, 5)),
        ((4,), (4, 5)),
        ((3, 4), (4,)),
        ((4,), (4,)),
        ((2, 3, 4), (4, 5)),
        ((2, 3, 4), (2, 4, 5)),
        ((6, 1, 3, 4), (2, 4, 5)),
        ((3, 4), (2, 4, 5)),
        ((0, 4), (4, 5)),
        ((3, 0), (0, 5)),
        ((2, 3, 4), (4,)),
    ],
)
def test_matmul_is_numpys(both, x, y):
    a, b = numbers(*x), numbers(*y)
    numpy.testing.assert_allclose(both(np.matmul, a, b, rtol=1e-4, atol=1e-5), a @ b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("x", "y"), [((3, 4), (4, 5)), ((4,), (4,)), ((2, 3, 4), (4,)), ((2, 3, 4), (6, 4, 5)), ((), (3,))]
)
def test_dot_is_numpys(both, x, y):
    a, b = numbers(*x), numbers(*y)
    numpy.testing.assert_allclose(both(np.dot, a, b, rtol=1e-4, atol=1e-5), numpy.dot(a, b), rtol=1e-4, atol=1e-5)


def test_other_products(both):
    a, b = numbers(3, 4), numbers(4, 5)

    def products(np, a, b):
        return (
            np.tensordot(a, b, 1),
            np.tensordot(a, b.T, ([1], [1])),
            np.tensordot(a, a),
            np.inner(a, b.T),
            np.outer(a[0], b[0]),
            np.vdot(a, a),
            np.kron(a, b),
            np.cross(a[:, :3], a[:, 1:]),
            np.trace(a),
            np.dot(2.0, a),
        )

    for got, want in zip(
        both(lambda a, b: products(np, a, b), a, b, rtol=1e-4, atol=1e-4), products(numpy, a, b), strict=True
    ):
        numpy.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "text",
    [
        "ij,jk->ik",
        "ij,jk",
        "ij,kj->ik",
        "ij->ji",
        "ij->",
        "ij->i",
        "ii->i",
        "ii",
        "bij,bjk->bik",
        "bhqd,bhkd->bhqk",
        "i,i",
        "i,j->ij",
        "ij,ij->ij",
        "ij,j->i",
        "ijk,ilm,njm,nlk->",
        "...ij,...jk->...ik",
        "...i->...",
        "ij,jk,kl->il",
        "a,ab,abc->abc",
        "bij,jk->bik",
    ],
)
def test_einsum_is_numpys(both, text):
    sizes = {letter: 2 + i % 3 for i, letter in enumerate("ijkblmnhqdac")}
    shapes = [tuple(sizes[c] for c in term.replace("...", "ab")) for term in text.split("->")[0].split(",")]
    xs = [numbers(*shape) for shape in shapes]
    want = numpy.einsum(text, *xs)
    numpy.testing.assert_allclose(
        both(lambda *xs: np.einsum(text, *xs), *xs, rtol=1e-4, atol=1e-4), want, rtol=1e-4, atol=1e-4
    )


PAIRS = [
    ("bqhd,bkhd->bhqk", (2, 3, 2, 4), (2, 5, 2, 4)),
    ("bhqk,bkhd->bqhd", (2, 2, 3, 5), (2, 5, 2, 4)),
    ("ij,kj->ki", (2, 3), (4, 3)),
    ("ij,kl->jk", (2, 3), (4, 5)),
    ("ij,j->", (2, 3), (3,)),
    ("ii,ij->ji", (3, 3), (3, 2)),
    ("ii,jj->ij", (3, 3), (2, 2)),
    ("iij,ij->i", (3, 3, 2), (3, 2)),
    ("ij,ij->j", (2, 3), (2, 3)),
    ("ij,jk->ik", (2, 1), (3, 4)),
    ("ij,ij->ij", (2, 1), (1, 3)),
    ("...ij,...jk->...ki", (2, 1, 3, 4), (3, 4, 2)),
    ("...i,i...->...", (3, 2), (2, 3)),
    (",ij->ji", (), (2, 3)),
    ("i,j->ij", (0,), (3,)),
    ("ij,jk->ik", (2, 0), (0, 3)),
]


@pytest.mark.parametrize(("text", "x", "w"), PAIRS)
def test_einsums_of_two_operands_compiled_and_their_gradients(text, x, w):
    """Values are NumPy's, and each product of a gradient and a direction is the change along it, which is exact."""
    xs = [numbers(*shape).astype("float64") for shape in (x, w)]
    along = [numbers(*shape).astype("float64")[::-1].copy() if shape else numpy.array(0.5) for shape in (x, w)]
    wanted = numpy.einsum(text, *xs)
    g = np.array(numpy.arange(1.0, 1.0 + wanted.size).reshape(wanted.shape), dtype="float64")
    for function in (lambda *xs: np.einsum(text, *xs), hy.hybridize(lambda *xs: np.einsum(text, *xs))):
        arrays = [np.array(each, dtype="float64") for each in xs]
        for each in arrays:
            each.attach_grad()
        with autograd.record():
            found = function(*arrays)
        numpy.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-12, atol=1e-12)
        found.backward(g)
        for k, (array, step) in enumerate(zip(arrays, along, strict=True)):
            moved = numpy.einsum(text, *(step if n == k else each for n, each in enumerate(xs)))
            assert (array.grad.asnumpy() * step).sum() == pytest.approx((moved * g.asnumpy()).sum(), abs=1e-9)


SHAPES = {"a": 2, "b": 3, "c": 4, "d": 5}
EINSUMS = ["abc,bcd->da", "abc->ca", "abc->", "abc", "abc->cab", "bb->b", "bb->", "bb,ab->a", "abc,c,bd->ad"]


def operands_of(text, dtype):
    terms = text.split("->")[0].split(",")
    return [numpy.abs(numbers(*(SHAPES[c] for c in term)) * 3 + k).astype(dtype) for k, term in enumerate(terms)]


@pytest.mark.parametrize("text", EINSUMS)
@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "uint8", "float16", "float32"])
def test_dtypes_of_einsum(both, dtype, text):
    xs = operands_of(text, dtype)
    want = numpy.einsum(text, *xs)
    found = both(lambda *xs: np.einsum(text, *xs), *xs, rtol=1e-2, atol=1e-2)
    assert found.dtype == want.dtype
    numpy.testing.assert_allclose(found.astype("float64"), want.astype("float64"), rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("text", EINSUMS)
@pytest.mark.parametrize(
    ("given", "dtype"), [("int8", "int64"), ("bool", "int32"), ("int8", "float32"), ("float32", "float64")]
)
def test_einsum_computes_in_the_dtype_that_is_asked_for(both, given, dtype, text):
    xs = operands_of(text, given)
    want = numpy.einsum(text, *xs, dtype=dtype).astype(dtype)  # where NumPy gives a view, it forgets the dtype
    found = both(lambda *xs: np.einsum(text, *xs, dtype=dtype), *xs, rtol=1e-5, atol=1e-5)
    assert found.dtype == want.dtype == dtype
    numpy.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-5)


def test_einsum_casts_what_casting_allows():
    x = np.array([[1.5, 2.5]])
    for function in (np.einsum, hy.hybridize(lambda *args, **kwargs: np.einsum(*args, **kwargs))):
        with pytest.raises(DTypeError, match="E207"):
            function("ij->i", x, dtype="int32")
        assert function("ij->i", x, dtype="int32", casting="unsafe").tolist() == [3]
        with pytest.raises(NotImplementedError, match="E351"):
            function("ij->i", x, order="F")


LISTS = {
    "ij,jk->ik": lambda x, y: (x, [0, 1], y, [1, 2], [0, 2]),
    "ij,jk": lambda x, y: (x, [0, 1], y, (1, 2)),
    "ba,ac->ca": lambda x, y: (x, [1, 0], y, [0, 2], [2, 0]),
    "...j,j...->...": lambda x, y: (x, [Ellipsis, 7], y, [7, ...], [...]),
    "ij,jk->": lambda x, y: (x, [51, 3], y, [numpy.int64(3), 0], []),
}


@pytest.mark.parametrize("text", LISTS)
def test_axes_of_einsum_as_lists_of_numbers(both, text):
    x, y = numbers(3, 4), numbers(4, 3)
    found = both(lambda x, y: np.einsum(*LISTS[text](x, y)), x, y, rtol=1e-4, atol=1e-4)
    numpy.testing.assert_allclose(found, numpy.einsum(*LISTS[text](x, y)), rtol=1e-4, atol=1e-4)
    numpy.testing.assert_allclose(found, numpy.einsum(text, x, y), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("operands", "code"),
    [
        ((), "E313"),
        (([0, 1],), "E313"),
        ((np.ones((2, 2)), "ij->i"), "E397"),
        ((np.ones((2, 2)), [0, 1], np.ones((2,))), "E397"),
        ((np.ones((2, 2)), [0, -1]), "E397"),
        ((np.ones((2, 2)), [0, 52]), "E397"),
        ((np.ones((2, 2)), [0, 1.0]), "E397"),
        ((np.ones((2, 2)), [0, True]), "E397"),
        ((np.ones((2, 2)), [0, 1], [0, 2]), "E397"),
        ((np.ones((2, 2)), [0, 1], [0, 0]), "E397"),
        ((np.ones((2, 2)), [0]), "E114"),
        (("ij,jk", np.ones((2, 2))), "E313"),
    ],
)
def test_lists_of_axes_that_are_refused(operands, code):
    for function in (np.einsum, hy.hybridize(lambda *xs: np.einsum(*xs))):
        with pytest.raises(hy.errors.HybridizeError) as caught:
            function(*operands)
        assert caught.value.code == code


@pytest.mark.parametrize(
    ("text", "shapes", "error"),
    [
        ("ij,jk->ik", ((2, 3), (4, 5)), ShapeError),
        ("ii,i->i", ((2, 3), (3,)), ShapeError),
        ("ij,j->i", ((2, 3, 4), (3,)), ShapeError),
        ("ij,jk->iz", ((2, 3), (3, 4)), ArgumentError),
        ("i$,jk->i", ((2, 3), (3, 4)), ArgumentError),
        ("ij,jk->ii", ((2, 3), (3, 4)), ArgumentError),
        ("ij->iz", ((2, 3),), ArgumentError),
        ("ij->ii", ((2, 3),), ArgumentError),
        ("i$->i", ((2, 3),), ArgumentError),
    ],
)
def test_einsums_that_are_refused(text, shapes, error):
    with pytest.raises(error):
        np.einsum(text, *(np.ones(shape) for shape in shapes))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text("abc", max_size=3), min_size=1, max_size=3), st.data())
def test_any_einsum(terms, data):
    letters = sorted(set("".join(terms)))
    out = "".join(
        data.draw(st.permutations(data.draw(st.lists(st.sampled_from(letters), unique=True)) if letters else []))
    )
    sizes = {"a": 2, "b": 3, "c": 4}
    xs = [numbers(*(sizes[c] for c in term)) for term in terms]
    text = ",".join(terms) + "->" + out
    found = np.einsum(text, *map(np.array, xs)).asnumpy()
    numpy.testing.assert_allclose(found, numpy.einsum(text, *xs), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(
    "case",
    [
        {},
        {"axis": 1},
        {"ord": 1, "axis": 0},
        {"ord": numpy.inf, "axis": 0},
        {"ord": 0, "axis": 1},
        {"ord": 3, "axis": 1, "keepdims": True},
        {"ord": "fro"},
        {"ord": 1},
        {"ord": -numpy.inf},
    ],
)
def test_norms_are_numpys(both, case):
    x = numbers(3, 4)
    numpy.testing.assert_allclose(
        both(lambda x: np.linalg.norm(x, **case), x, rtol=1e-5), numpy.linalg.norm(x, **case), rtol=1e-5
    )


def test_batch_dot(both):
    a, b = numbers(2, 3, 4), numbers(2, 4, 5)
    want = a @ b
    numpy.testing.assert_allclose(both(npx.batch_dot, a, b, rtol=1e-4, atol=1e-5), want, rtol=1e-4, atol=1e-5)
    found = both(
        lambda a, b: npx.batch_dot(a, b, True, True),
        a.swapaxes(1, 2).copy(),
        b.swapaxes(1, 2).copy(),
        rtol=1e-4,
        atol=1e-5,
    )
    numpy.testing.assert_allclose(found, want, rtol=1e-4, atol=1e-5)


def test_sizes_that_do_not_fit_are_named(trace):
    for run in (lambda f: f(np.ones((32, 10)), np.ones((12, 5))), lambda f: trace(f, numbers(32, 10), numbers(12, 5))):
        for function in (np.matmul, np.dot, lambda x, y: x @ y):
            with pytest.raises(ShapeError, match=r"f32\[32,10\] and f32\[12,5\]") as error:
                run(function)
            assert "10 and 12 must be equal" in error.value.help
    with pytest.raises(ArgumentError):
        np.einsum("ij,jk", np.ones((2, 2)))
    with refusal(ShapeError, "fully_connected"):
        npx.fully_connected(np.ones((1, 511)), np.ones((256, 512)))


def test_what_may_be_complex_is_named_while_capturing(trace):
    for name in ("eig", "eigvals"):
        with refusal(CaptureError, f"linalg.{name}"):
            trace(getattr(np.linalg, name), numbers(3, 3))


def test_lapack_is_numpys():
    x = numbers(3, 3) + 4 * numpy.eye(3, dtype="float32")
    for name in ("inv", "det", "svdvals", "qr", "solve", "eigvalsh"):
        args = (x, x) if name == "solve" else (x,)
        ours = getattr(np.linalg, name)(*map(np.array, args))
        theirs = getattr(numpy.linalg, name)(*args)
        for got, want in zip(
            ours if isinstance(ours, tuple) else (ours,),
            theirs if isinstance(theirs, tuple) else (theirs,),
            strict=True,
        ):
            numpy.testing.assert_allclose(got.asnumpy(), want, rtol=1e-3, atol=1e-4)
            assert got.dtype == want.dtype
    numpy.testing.assert_allclose(
        np.linalg.matrix_power(np.array(x), 3).asnumpy(), numpy.linalg.matrix_power(x, 3), rtol=1e-4
    )


@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "int64"])
def test_products_of_whole_numbers_are_numpys(both, dtype):
    x, y = (RANDOM.integers(0, 2**62, shape).astype(dtype) for shape in ((3, 4), (4, 2)))
    x[0] = 0
    for product in (
        lambda m, x, y: m.matmul(x, y),
        lambda m, x, y: m.dot(x, y),
        lambda m, x, y: m.tensordot(x, y, axes=1),
        lambda m, x, y: m.einsum("ij,jk->ik", x, y),
        lambda m, x, y: m.inner(x, x),
        lambda m, x, y: m.vdot(x, x),
        lambda m, x, y: m.outer(x, y),
    ):
        found, want = both(lambda x, y, product=product: product(np, x, y), x, y), product(numpy, x, y)
        numpy.testing.assert_array_equal(found, want)
        assert found.dtype == want.dtype


def test_trace_is_numpys(both):
    x = numbers(2, 3, 4)
    for arguments in ((), (1,), (-1, 1, 2), (0, 2, 0)):
        found = both(lambda x, arguments=arguments: (x.trace(*arguments), np.trace(x, *arguments)), x)
        for part in found:
            numpy.testing.assert_allclose(part, x.trace(*arguments), rtol=1e-5)
