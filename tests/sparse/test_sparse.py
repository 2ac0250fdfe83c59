# SPDX-License-Identifier: Apache-2.0
"""MXNet's sparse arrays: their parts, their conversions, and that everything else is done densely and says so."""

import copy
import pickle
import warnings

import numpy
import pytest
from hybridize.nd import sparse

from hybridize import nd, np
from hybridize.array.ndarray import ndarray
from hybridize.errors import ArgumentError, HybridizeError, ValueArgumentError
from tests.refusals import refusal

DENSE = numpy.array([[1, 0, 2], [0, 0, 0], [0, 3, 0]], "f4")
ROWS = numpy.array([[1, 2], [0, 0], [0, 0], [3, 4], [0, 0]], "f4")


def csr():
    return sparse.csr_matrix(([1, 2, 3], [0, 2, 1], [0, 2, 2, 3]), shape=(3, 3))


def rows():
    return sparse.row_sparse_array(([[1, 2], [3, 4]], [0, 3]), shape=(5, 2))


def same(found, expected):
    assert found.shape == expected.shape
    numpy.testing.assert_array_equal(found.asnumpy(), expected)


def test_the_parts_of_a_matrix():
    x = csr()
    assert (x.stype, x.shape, x.ndim, x.size, len(x), x.dtype) == ("csr", (3, 3), 2, 9, 3, numpy.float32)
    for part, expected in ((x.data, [1, 2, 3]), (x.indices, [0, 2, 1]), (x.indptr, [0, 2, 2, 3])):
        assert type(part) is ndarray
        assert part.tolist() == expected
    assert x.indices.dtype == x.indptr.dtype == numpy.int64
    same(x, DENSE)
    assert repr(x) == "\n<CSRNDArray 3x3 @cpu(0)>"
    x.data[:] = 7  # a copy, as in MXNet
    same(x, DENSE)


def test_the_parts_of_rows():
    x = rows()
    assert (x.stype, x.shape) == ("row_sparse", (5, 2))
    assert (x.data.tolist(), x.indices.tolist()) == ([[1, 2], [3, 4]], [0, 3])
    same(x, ROWS)
    same(x.retain(np.array([3, 4])), numpy.where(numpy.arange(5)[:, None] == 3, ROWS, 0))
    same(sparse.retain(x, [0]), numpy.where(numpy.arange(5)[:, None] == 0, ROWS, 0))
    assert x[:] is x


@pytest.mark.parametrize(
    "make",
    [
        lambda: sparse.csr_matrix(DENSE),
        lambda: sparse.csr_matrix(np.array(DENSE)),
        lambda: sparse.csr_matrix(DENSE.tolist()),
        lambda: sparse.csr_matrix(csr()),
        lambda: sparse.csr_matrix((np.array([2, 3, 1]), (np.array([0, 2, 0]), [2, 1, 0])), shape=(3, 3)),
        lambda: sparse.csr_matrix(([3, 1, 2], ([2, 0, 0], [1, 0, 2]))),
        lambda: sparse.csr_matrix(([1, 2, 3], [0, 2, 1], [0, 2, 2, 3])),
        lambda: np.array(DENSE).tostype("csr"),
        lambda: nd.cast_storage(nd.array(DENSE), "csr"),
        lambda: rows_of_dense().tostype("csr"),
        lambda: sparse.array(csr()),
    ],
)
def test_ways_to_a_matrix(make):
    x = make()
    assert type(x) is sparse.CSRNDArray
    assert (x.data.tolist(), x.indices.tolist(), x.indptr.tolist()) == ([1, 2, 3], [0, 2, 1], [0, 2, 2, 3])
    assert (x.shape, x.dtype) == ((3, 3), numpy.float32)


def rows_of_dense():
    return np.array(DENSE).tostype("row_sparse")


def test_ways_to_rows():
    cube = numpy.zeros((4, 2, 2), "f8")
    cube[2, 0, 1] = -1
    for x, expected in (
        (sparse.row_sparse_array(ROWS), ROWS),
        (sparse.row_sparse_array(([[3, 4], [1, 2]], [3, 0]), shape=(5, 2)), ROWS),
        (sparse.row_sparse_array(([[3, 4], [1, 2]], [3, 0])), ROWS[:4]),
        (csr().tostype("row_sparse"), DENSE),
        (np.array(cube, dtype="float64").tostype("row_sparse"), cube),
    ):
        assert type(x) is sparse.RowSparseNDArray
        same(x, expected)
        assert x.dtype == expected.dtype
        assert x.indices.tolist() == sorted(set(numpy.nonzero(expected)[0]))


def test_nothing_stored():
    for x in (sparse.zeros("csr", (2, 3)), sparse.csr_matrix((2, 3)), sparse.empty("csr", (2, 3), dtype="float64")):
        same(x, numpy.zeros((2, 3)))
        assert x.indptr.tolist() == [0, 0, 0]
    for x in (sparse.zeros("row_sparse", (2, 3)), sparse.row_sparse_array((2, 3))):
        same(x, numpy.zeros((2, 3)))
        assert x.data.shape == (0, 3)
    assert type(sparse.zeros("default", (2,))) is ndarray


def test_rows_of_a_matrix():
    x = csr()
    for key in (0, -1, slice(1, 3), slice(None), slice(2, 1)):
        found = x[key]
        assert type(found) is sparse.CSRNDArray
        same(found, DENSE[[key]] if isinstance(key, int) else DENSE[key])
    for key, said in ((3, "out of bounds"), (slice(None, None, 2), "range of consecutive rows"), ((0, 1), "tostype")):
        with refusal(IndexError, said):
            x[key]
    with refusal(IndexError, r"only x\[:\]"):
        rows()[0]


def test_scipys_matrices():
    scipy = pytest.importorskip("scipy.sparse")
    theirs = scipy.coo_matrix(([1, 1, 3], ([0, 0, 2], [1, 1, 0])), shape=(3, 2), dtype="f4")
    for x in (sparse.csr_matrix(theirs), sparse.array(theirs)):
        same(x, theirs.toarray())  # an element that is there twice is their sum
        numpy.testing.assert_array_equal(x.asscipy().toarray(), theirs.toarray())


def test_conversions_that_need_no_word():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x, dense in ((csr(), DENSE), (rows(), ROWS)):
            assert type(x.tostype("default")) is ndarray
            same(x.tostype("default"), dense)
            for y in (x.copy(), x.tostype(x.stype), copy.deepcopy(x), copy.copy(x)):
                assert y is not x
                same(y, dense)
            same(x.astype("float64"), dense)
            assert x.astype("float64").dtype == numpy.float64
            for y, expected in ((x * 2, dense * 2), (2 * x, dense * 2), (x / 4, dense / 4), (-x, -dense)):
                assert y.stype == x.stype
                same(y, expected)
            target = np.ones(x.shape)
            assert x.copyto(target) is target
            same(target, dense)
            again = pickle.loads(pickle.dumps(x))
            assert type(again) is type(x)
            same(again, dense)
            dense_again = np.array(dense)
            assert dense_again.stype == "default"
            copied = dense_again.tostype("default")
            copied[:] = 0
            same(dense_again, dense)
        same(sparse.dot(csr(), np.array(DENSE)), DENSE @ DENSE)
        same(sparse.dot(csr(), np.array(DENSE), transpose_a=True), DENSE.T @ DENSE)


@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        (lambda x: x + 1, DENSE + 1),
        (lambda x: np.ones((3, 3)) * x, DENSE),
        (lambda x: x * numpy.inf, numpy.where(DENSE, numpy.inf, numpy.nan)),
        (lambda x: x == 0, DENSE == 0),
        (lambda x: np.concatenate([x, np.ones((1, 3))]), numpy.concatenate([DENSE, numpy.ones((1, 3))])),
        (lambda x: nd.dot(x, np.array(DENSE)), DENSE @ DENSE),
        (lambda x: x.sum(axis=0), DENSE.sum(0)),
        (lambda x: x.T, DENSE.T),
        (lambda x: np.array(x), DENSE),
    ],
)
def test_other_functions_make_it_dense_and_say_so_at_the_users_line(compute, expected):
    with pytest.warns(UserWarning, match=r"<CSRNDArray 3x3 @cpu\(0\)> is made dense") as told:
        found = compute(csr())
    assert {each.filename for each in told if each.category is UserWarning} == {__file__}  # NumPy has a word on 0 * inf
    assert isinstance(found, ndarray)
    numpy.testing.assert_array_equal(found.asnumpy(), expected)


@pytest.mark.parametrize("make", [csr, lambda: csr().tostype("row_sparse")])
def test_its_values_are_replaced_as_a_whole(make):
    x = make()
    before = x.copy()
    for value, expected in (
        (2, DENSE * 0 + 2), (np.array(DENSE.T), DENSE.T), (csr() * 3, DENSE * 3), (DENSE[0], DENSE * 0 + DENSE[0]),
        ((csr() * 2).tostype("row_sparse"), DENSE * 2),
    ):  # fmt: skip
        x[:] = value
        assert (x.stype, x.dtype) == (before.stype, numpy.float32)
        same(x, expected)
    x[...] = 5
    same(x, DENSE * 0 + 5)
    assert csr().copyto(x) is x
    same(x, DENSE)
    same(before, DENSE)
    for change in (lambda: x.__setitem__(0, 1), lambda: rows().copyto(x), lambda: x.__setitem__(slice(None), ROWS)):
        with pytest.raises(HybridizeError):
            change()
    same(x, DENSE)


SOME = numpy.array([[1, 0, 0.5], [0, 0, 0], [0, -0.3, 0]], "f4")
KEPT = (
    "abs arcsin arcsinh arctan arctanh cbrt ceil degrees expm1 fix floor log1p make_loss negative radians relu rint "
    "round sign sin sinh sqrt square stop_gradient tan tanh trunc zeros_like"
)
DROPPED = "arccos arccosh cos cosh exp gamma gammaln log log10 log2 mean norm rsqrt sigmoid sum"
PAIRS = {
    "add": True, "subtract": True, "multiply": True, "divide": False, "elemwise_add": True, "elemwise_sub": True,
    "elemwise_mul": True, "elemwise_div": False, "broadcast_add": False, "broadcast_sub": False, "broadcast_mul": False,
    "broadcast_plus": False, "broadcast_minus": False,
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
@pytest.mark.parametrize("name", [*KEPT.split(), *DROPPED.split()])
def test_functions_give_the_storage_type_that_mxnet_gives(name, stype):
    x = np.array(SOME).tostype(stype)
    found = getattr(sparse, name)(x)
    assert found.stype == (stype if name in KEPT.split() else "default")
    numpy.testing.assert_allclose(found.asnumpy(), getattr(nd, name)(nd.array(SOME)).asnumpy(), rtol=1e-6)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PAIRS)
def test_functions_of_two_give_the_storage_type_that_mxnet_gives(name):
    dense = nd.array(SOME + 1)
    for stype in ("csr", "row_sparse"):
        x = np.array(SOME).tostype(stype)
        for one, two in ((x, x), (x, dense), (dense, x), (x, np.array(SOME).tostype("csr"))):
            found = getattr(sparse, name)(one, two)
            assert found.stype == (one.stype if PAIRS[name] and one.stype == two.stype else "default")
            wanted = getattr(nd, name)(nd.array(one.asnumpy()), nd.array(two.asnumpy())).asnumpy()
            numpy.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_parts_ends_and_sums_keep_their_storage_type():
    x, y = np.array(SOME).tostype("csr"), np.array(SOME).tostype("row_sparse")
    for found, stype, expected in (
        (sparse.clip(x, -0.1, 0.2), "csr", SOME.clip(-0.1, 0.2)), (sparse.clip(x, 0.1, 0.2), "default", SOME.clip(0.1, 0.2)),
        (sparse.slice(x, begin=(0, 1), end=(2, 3)), "csr", SOME[:2, 1:]), (sparse.add_n(y, y), "row_sparse", SOME * 2),
        (sparse.concat(x, x, dim=0), "csr", numpy.concatenate([SOME, SOME])),
        (sparse.concat(y, y, dim=0), "default", numpy.concatenate([SOME, SOME])),
        (x + 1, "default", SOME + 1), (x * 2, "csr", SOME * 2), (x + x, "csr", SOME * 2), (x - x, "csr", SOME * 0),
        (x * x, "csr", SOME * SOME), (y + y, "row_sparse", SOME * 2), (y / 2, "row_sparse", SOME / 2), (-x, "csr", -SOME),
        (x + y, "default", SOME * 2), (sparse.sum(x, axis=0), "default", SOME.sum(0)),
    ):  # fmt: skip
        assert found.stype == stype
        numpy.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_what_is_stored_at_a_place_several_times_is_added_up(dtype):
    values, rows, columns = numpy.array([1, 2, 4, 8, 16], dtype), [0, 0, 2, 0, 2], [1, 1, 0, 2, 0]
    wanted = numpy.array([[0, 3, 8], [0, 0, 0], [20, 0, 0]], dtype)
    places = sparse.csr_matrix((values, (rows, columns)), shape=(3, 3))
    parts = sparse.csr_matrix((values[[0, 3, 1, 2, 4]], [1, 2, 1, 0, 0], [0, 3, 3, 5]), shape=(3, 3))
    for x in (places, parts):
        same(x, wanted)
        assert x.data.size == 3
        if dtype == "float32":
            numpy.testing.assert_array_equal(sparse.dot(x, np.eye(3)).asnumpy(), wanted)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: sparse.csr_matrix(([1, 2], [0, 5], [0, 2]), shape=(1, 3)), "do not fit"),
        (lambda: sparse.csr_matrix(([1, 2], [0, 1], [0, 1]), shape=(1, 3)), "do not fit"),
        (lambda: sparse.csr_matrix(([1, 2], [0, 1], [0, 2, 1]), shape=(2, 3)), "do not fit"),
        (lambda: sparse.csr_matrix(([1], ([4], [0])), shape=(2, 3)), "outside of the shape"),
        (lambda: sparse.csr_matrix(([1], ([-1], [0])), shape=(2, 3)), "outside of the shape"),
        (lambda: sparse.csr_matrix(([1, 2], ([1], [0])), shape=(2, 3)), "vectors of one size"),
        (lambda: sparse.csr_matrix(([1], ([0], [0])), shape=(1 << 50, 3)), "too many rows"),
        (lambda: sparse.zeros("csr", (1 << 50, 3)), "too large"),
        (lambda: sparse.csr_matrix(([1.0], [0.5], [0, 1])), "must be integers"),
        (lambda: sparse.csr_matrix(DENSE, shape=(2, 2)), r"has shape \(3, 3\), expected \(2, 2\)"),
        (lambda: sparse.csr_matrix(numpy.ones(3)), "two axes"),
        (lambda: sparse.row_sparse_array(([[1], [2]], [1, 1])), "stores a row twice"),
        (lambda: sparse.row_sparse_array(([[1], [2]], [1, 9]), shape=(3, 1)), "do not fit"),
        (lambda: sparse.row_sparse_array((3,)), "two sizes"),
        (lambda: sparse.zeros("csr", (2, 3, 4)), "do not fit|two axes"),
        (lambda: sparse.zeros("coo", (2, 3)), "default, csr or row_sparse, got 'coo'"),
        (lambda: np.ones((2, 2)).tostype("coo"), "default, csr or row_sparse, got 'coo'"),
        (lambda: np.ones(2).tostype("csr"), "two axes"),
        (lambda: sparse.zeros("csr", (2, -3)), "tuple of sizes"),
    ],
)
def test_parts_that_do_not_fit_are_refused(make, said):
    with refusal(ValueArgumentError, said):
        make()


def test_a_shape_too_large_to_be_dense():
    x = sparse.row_sparse_array(([1.0], [5]), shape=(1 << 50,))
    assert x.data.tolist() == [1]
    with refusal(ValueArgumentError, "too large to be made dense"):
        x.asnumpy()


def test_a_dense_array_is_not_taken_for_a_sparse_one():
    with refusal(ArgumentError, "tostype"):
        sparse.array(np.ones(2))
    with refusal(AttributeError, "no .arange."):
        _ = sparse.arange
