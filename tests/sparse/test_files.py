# SPDX-License-Identifier: Apache-2.0
"""`nd.save`, `nd.load`, `npx.save`, `npx.savez`, `npx.load`: MXNet's files, and back what was written."""

from pathlib import Path

import ml_dtypes
import numpy
import pytest
from hybridize.nd import sparse

from hybridize import nd, np, npx
from hybridize.array.ndarray import ndarray
from hybridize.errors import ArgumentError, CaptureError, DTypeError, LoadError
from hybridize.verb import hybridize
from tests.refusals import refusal

FILES = Path(__file__).parents[1] / "formats" / "mxnet_files"
X, Y = numpy.arange(6, dtype="f4").reshape(2, 3), numpy.array([True, False])
ROWS = numpy.array([[1, 2], [0, 0], [0, 0], [3, 4], [0, 0]], "f4")


def equal(found, expected, kind=ndarray):
    assert type(found) is kind
    assert found.dtype == expected.dtype
    numpy.testing.assert_array_equal(found.asnumpy(), expected)


def test_mxnets_files():
    tiny = nd.load(str(FILES / "v1_9_1_nd/tiny_dict.params"))
    assert list(tiny) == ["w", "b"]
    equal(tiny["w"], numpy.array([[1, 2, 3], [4, 5, 6]], "f4"), nd.NDArray)
    assert [x.tolist() for x in nd.load(FILES / "v1_9_1_nd/tiny_list.params")] == [x.tolist() for x in tiny.values()]
    assert len(nd.load(FILES / "legacy/legacy_ndarray.v0")) == 6
    named = npx.load(str(FILES / "v2_0_0b1_np/tiny_dict.npz"))
    equal(named["w"], tiny["w"].asnumpy())
    alone = npx.load(FILES / "v2_0_0b1_np/tiny_one.npy")
    assert type(alone) is ndarray
    assert type(nd.load(FILES / "v2_0_0b1_np/tiny_one.npy")) is list
    for array in nd.load(FILES / "v1_9_1_np/tiny_dict_v3.params").values():
        assert array.asnumpy().flags.carray


def test_sparse_arrays_stay_sparse():
    path = FILES / "v1_9_1_nd/sparse_dict.params"
    found = nd.load(path)
    assert sorted(x.stype for x in found.values()) == ["csr", "row_sparse"]
    (rows,) = [x for x in found.values() if x.stype == "row_sparse"]
    assert (rows.indices.tolist(), rows.data.tolist()) == ([0, 3], [[1, 2], [3, 4]])
    numpy.testing.assert_array_equal(rows.asnumpy(), ROWS)
    assert [type(x) for x in nd.load_frombuffer(path.read_bytes()).values()] == [type(x) for x in found.values()]


def test_sparse_arrays_are_written_as_mxnet_writes_them(tmp_path):
    theirs = FILES / "v1_9_1_nd/sparse_dict.params"
    nd.save(tmp_path / "again.params", nd.load(theirs))
    assert (tmp_path / "again.params").read_bytes() == theirs.read_bytes()


def test_what_is_saved_is_loaded(tmp_path):
    path = str(tmp_path / "file")
    x, y = np.array(X), np.array(Y, dtype=bool)
    for save, load, kind in ((nd.save, nd.load, nd.NDArray), (npx.save, npx.load, ndarray)):
        save(path, {"x": x, "y": y})
        found = load(path)
        assert list(found) == ["x", "y"]
        equal(found["x"], X, kind)
        equal(found["y"], Y, kind)
        for given in ([x, y], (x, y)):
            save(path, given)
            found = load(path)
            assert type(found) is list
            equal(found[0], X, kind)
            equal(found[1], Y, kind)
    nd.save(path, x)
    equal(nd.load(path)[0], X, nd.NDArray)
    npx.save(path, x)
    equal(npx.load(path), X)
    numpy.testing.assert_array_equal(numpy.load(path), X)
    assert not (tmp_path / "file.npy").exists(), "nothing is added to the name"


@pytest.mark.parametrize("dtype", ["bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "bf16"])
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3), (1, 2, 3, 4, 5)])
def test_zips_hold_all_dtypes_and_shapes(dtype, shape, tmp_path):
    path = str(tmp_path / "file.npz")
    kind = numpy.dtype(ml_dtypes.bfloat16 if dtype == "bf16" else dtype)
    array = numpy.arange(numpy.prod(shape, dtype=int)).astype(kind).reshape(shape)
    npx.savez(path, ndarray(array), **{"a.b/c": ndarray(array)})
    found = npx.load(path)
    assert list(found) == ["arr_0", "a.b/c"]
    for one in found.values():
        equal(one, array)
        assert one.shape == shape
    if dtype != "bf16":  # which NumPy does not know
        numpy.testing.assert_array_equal(numpy.load(path)["a.b/c"], array)
    npx.savez(path, ndarray(array), ndarray(array))
    assert list(npx.load(path)) == ["arr_0", "arr_1"]


def test_headers_in_zips_are_short_enough_for_mxnet(tmp_path):
    """MXNet 2.0 reads the length of one that is longer than 128 bytes wrongly."""
    path = str(tmp_path / "file.npy")
    for axes in (1, 8, 16, 20):
        npx.save(path, ndarray(numpy.ones((1,) * axes, "f4")))
        data = Path(path).read_bytes()
        assert len(data) - 4 in (64, 128)
        assert numpy.load(path).shape == (1,) * axes


def test_zips_hold_sparse_arrays(tmp_path):
    path = str(tmp_path / "file.npz")
    matrix = sparse.csr_matrix(numpy.diag([1.0, 0, 2]).astype("f4"))
    npx.savez(path, m=matrix, r=sparse.row_sparse_array(ROWS), x=np.array(X))
    found = npx.load(path)
    assert [x.stype for x in found.values()] == ["csr", "row_sparse", "default"]
    for one, expected in zip(found.values(), (matrix.asnumpy(), ROWS, X), strict=True):
        numpy.testing.assert_array_equal(one.asnumpy(), expected)
    scipy = pytest.importorskip("scipy.sparse")
    with numpy.load(path) as parts:
        theirs = scipy.csr_matrix((parts["m/data"], parts["m/indices"], parts["m/indptr"]), shape=parts["m/shape"])
    numpy.testing.assert_array_equal(theirs.toarray(), matrix.asnumpy())


def test_an_array_that_is_none_is_none():
    empty = b"\x12\x01" + b"\0" * 14 + b"\1" + b"\0" * 7 + b"\0\0\0\0" + b"\0" * 8
    assert nd.load_frombuffer(empty) == [None]


@pytest.mark.parametrize(
    ("save", "kind", "said"),
    [
        (lambda path: nd.save(path, 3), ArgumentError, "takes arrays.*got int"),
        (lambda path: nd.save(path, [np.ones(2), None]), ArgumentError, "got NoneType"),
        (lambda path: nd.save(path, {1: np.ones(2)}), ArgumentError, "names of arrays must be strings"),
        (lambda path: nd.save(path, numpy.ones(2, complex)), DTypeError, "complex128"),
        (lambda path: npx.save(path, sparse.zeros("csr", (2, 3))), ArgumentError, "npx.savez writes one"),
        (lambda path: npx.save(path, [sparse.zeros("csr", (2, 3))]), ArgumentError, "npx.savez writes them all"),
        (lambda path: nd.save(path, [sparse.zeros("csr", (2, 3)), np.ones(())]), ArgumentError, "no axes"),
        (lambda path: npx.savez(path, np.ones(2), arr_0=np.ones(2)), ArgumentError, "two arrays have the name"),
        (lambda path: npx.savez(path, x="text"), ArgumentError, "got str"),
    ],
)
def test_what_cannot_be_saved_is_refused_and_the_old_file_stands(save, kind, said, tmp_path):
    path = tmp_path / "file"
    nd.save(path, np.array(X))
    before = path.read_bytes()
    with refusal(kind, said):
        save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_files_are_of_the_world_outside(tmp_path):
    @hybridize
    def f(x):
        npx.save(tmp_path / "file", x)
        return x

    with refusal(CaptureError, "writes a file"):
        f(np.ones(2))


def test_a_file_that_is_replaced_does_not_change_what_was_loaded(tmp_path):
    path = tmp_path / "file"
    nd.save(path, np.array(X))
    (found,) = nd.load(path)
    path.write_bytes(b"")
    equal(found, X, nd.NDArray)
    with refusal(LoadError, "at byte 0"):
        nd.load(path)
