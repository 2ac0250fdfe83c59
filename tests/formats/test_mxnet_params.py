"""`.params` of every generation: what MXNet wrote, what we write, and what nobody wrote."""

import io
import random
import struct
import zipfile
from pathlib import Path

import ml_dtypes
import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hybridize.base.errors import ArgumentError, DTypeError, LoadError
from hybridize.formats.mxnet import parse_params, parse_stored, read_params, serialize_params, write_params
from tests.refusals import refusal

FILES = Path(__file__).parent / "mxnet_files"
ALL = sorted(p for p in FILES.rglob("*") if p.suffix in (".params", ".npz", ".npy", ".v0"))
LISTS = [p for p in ALL if p.suffix == ".params" and p.read_bytes()[:1] == b"\x12"]


@pytest.mark.filterwarnings("ignore:.*made dense")
@pytest.mark.parametrize("path", ALL, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_every_file_of_mxnet_is_read(path):
    arrays = read_params(path)
    values = arrays.values() if isinstance(arrays, dict) else arrays
    for array in values:
        assert array.flags.carray, "aligned, contiguous, writable"


@pytest.mark.parametrize("path", LISTS, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_lists_of_mxnet_are_rewritten_byte_for_byte(path):
    data = path.read_bytes()
    assert serialize_params(parse_stored(data), np_shape=path.parent.name == "v1_9_1_np") == data


@pytest.mark.filterwarnings("ignore:.*made dense")
@pytest.mark.parametrize("path", ALL, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_mapped_arrays_are_the_file_itself(path):
    """What is copied anyway is no copy: it lies in the file, and cannot be written."""
    mapped, copied = read_params(path, mapped=True), read_params(path)
    lists = [list(arrays.values()) if isinstance(arrays, dict) else arrays for arrays in (mapped, copied)]
    for view, array in zip(*lists, strict=True):
        assert view.tobytes() == array.tobytes()
        assert (view.dtype, view.shape) == (array.dtype, array.shape)
        if "sparse" not in path.name:
            assert not view.flags.owndata
            assert not view.flags.writeable


def test_a_word_in_a_zip_as_mxnet_2_writes_it():
    """Its header of a word is two headers, of which the first breaks off."""
    parts = zip_of(
        r__data=numpy.array([[1.0, 2]], "f4"), r__indices=numpy.array([1]), r__shape=numpy.array([2, 2]),
    )  # fmt: skip
    header = b"{'descr': '|s10{'descr': '<i8', 'fortran_order': False, 'shape': (), }"
    word = b"\x93NUMPY\1\0\x76\0" + header.ljust(117) + b"\nrow_sparse"
    buffer = io.BytesIO(parts)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("r/format.npy", word)
    found = parse_stored(buffer.getvalue())["r"]
    assert (found.storage, found.shape, found.indices.tolist()) == ("row_sparse", (2, 2), [1])
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("other.npy", word)
    with refusal(LoadError, "not a Python dictionary"):
        parse_stored(buffer.getvalue())


@pytest.mark.parametrize("storage", ["stored", "deflated"])
def test_a_flipped_bit_in_a_zip_is_seen(storage):
    buffer = io.BytesIO()
    (numpy.savez if storage == "stored" else numpy.savez_compressed)(buffer, x=numpy.arange(100.0))
    data = bytearray(buffer.getvalue())
    data[len(data) // 2] ^= 1
    with refusal(LoadError, "damaged|cannot be read"):
        parse_params(bytes(data))


def test_the_values_of_the_small_files():
    tiny = read_params(FILES / "v1_9_1_nd/tiny_dict.params")
    assert list(tiny) == ["w", "b"]
    numpy.testing.assert_array_equal(tiny["w"], numpy.array([[1, 2, 3], [4, 5, 6]], "f4"))
    numpy.testing.assert_array_equal(tiny["b"], numpy.array([7], "f4"))
    for left, right in zip(read_params(FILES / "v1_9_1_nd/tiny_list.params"), tiny.values(), strict=True):
        numpy.testing.assert_array_equal(left, right)
    np_dict = read_params(FILES / "v1_9_1_np/tiny_dict_v3.params")
    assert {array.shape for array in np_dict.values()} >= {(), (0, 3)}
    zipped = read_params(FILES / "v2_0_0b1_np/tiny_dict.npz")
    numpy.testing.assert_array_equal(zipped["w"], tiny["w"])
    assert isinstance(read_params(FILES / "v2_0_0b1_np/tiny_pos.npz"), list)


def test_every_dtype_of_mxnet_is_kept():
    old = read_params(FILES / "v1_9_1_nd/dtypes_dict.params")
    codes = {"f32": "f4", "f64": "f8", "f16": "f2", "u8": "u1", "i32": "i4", "i8": "i1", "i64": "i8"}
    assert {name: array.dtype for name, array in old.items()} == {k: numpy.dtype(v) for k, v in codes.items()}
    new = read_params(FILES / "v2_0_0b1_np/dtypes.npz")
    assert new["b"].dtype == bool
    assert {new[name].dtype.name for name in ("int16", "uint16", "uint32", "uint64")} == {
        "int16",
        "uint16",
        "uint32",
        "uint64",
    }


def test_sparse_arrays_are_read_dense_and_it_is_said():
    with pytest.warns(UserWarning, match="is stored as (csr|row_sparse), and made dense") as told:
        sparse = read_params(FILES / "v1_9_1_nd/sparse_dict.params")
    assert [each.filename for each in told] == [__file__] * 2
    row_sparse, csr = (next(a for a in sparse.values() if a.shape == shape) for shape in ((5, 2), (3, 3)))
    numpy.testing.assert_array_equal(row_sparse, [[1, 2], [0, 0], [0, 0], [3, 4], [0, 0]])
    assert numpy.count_nonzero(csr) == 3


def test_a_sparse_array_that_mxnet_wrote_before_it_was_computed_is_whole():
    """Its file says 0 values, which is what MXNet knew then; it counts the indices, as we do, and so reads them all."""
    data = (FILES / "v1_9_1_nd/sparse_dict.params").read_bytes()
    early = bytearray(data)
    for at, count in ((36, 2), (144, 3)):
        assert data[at : at + 8] == struct.pack("<q", count)
        early[at : at + 8] = struct.pack("<q", 0)
    with pytest.warns(UserWarning, match="made dense"):
        expected, found = parse_params(data), parse_params(bytes(early))
    assert found.keys() == expected.keys()
    for name, x in expected.items():
        assert x.any()
        numpy.testing.assert_array_equal(found[name], x)


def zip_of(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in members.items():
            part = io.BytesIO()
            numpy.save(part, array)
            archive.writestr(name.replace("__", "/") + ".npy", part.getvalue())
    return buffer.getvalue()


@pytest.mark.filterwarnings("ignore:.*made dense")
def test_sparse_arrays_of_a_zip_are_read_dense():
    arrays = parse_params(
        zip_of(
            r__data=numpy.array([[1.0, 2], [3, 4]], "f4"),
            r__indices=numpy.array([0, 3]),
            r__shape=numpy.array([5, 2]),
            r__format=numpy.array(b"row_sparse"),
            c__data=numpy.array([1.0, 2, 3], "f4"),
            c__indices=numpy.array([0, 2, 1]),
            c__shape=numpy.array([3, 3]),
            c__indptr=numpy.array([0, 2, 2, 3]),
            c__format=numpy.array(b"csr"),
            w=numpy.ones(2, "f4"),
        )
    )
    assert set(arrays) == {"r", "c", "w"}
    numpy.testing.assert_array_equal(arrays["r"], [[1, 2], [0, 0], [0, 0], [3, 4], [0, 0]])
    numpy.testing.assert_array_equal(arrays["c"], [[1, 0, 2], [0, 0, 0], [0, 3, 0]])


def test_bfloat16_and_fortran_order_in_a_zip():
    x = numpy.arange(6, dtype=ml_dtypes.bfloat16).reshape(2, 3)
    header = b"{'descr': '<b2', 'fortran_order': False, 'shape': (2, 3), }"
    header += b" " * (118 - len(header) - 1) + b"\n"
    npy = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + x.tobytes()
    (got,) = parse_params(npy)
    assert got.dtype == ml_dtypes.bfloat16
    numpy.testing.assert_array_equal(got, x)
    y = numpy.asfortranarray(numpy.arange(6.0).reshape(2, 3))
    numpy.testing.assert_array_equal(parse_params(zip_of(y=y))["y"], y)


def test_the_oldest_formats():
    x = numpy.arange(6, dtype="f4").reshape(2, 3)
    v0 = struct.pack("<I2Iiii", 2, 2, 3, 2, 0, 0) + x.tobytes()
    v1 = struct.pack("<Ii2qiii", 0xF993FAC8, 2, 2, 3, 1, 0, 0) + x.tobytes()
    nothing = struct.pack("<I", 0) + struct.pack("<Ii", 0xF993FAC8, 0)
    data = struct.pack("<QQQ", 0x112, 0, 4) + v0 + v1 + nothing + struct.pack("<Q", 0)
    first, second, third, fourth = parse_params(data)
    numpy.testing.assert_array_equal(first, x)
    numpy.testing.assert_array_equal(second, x)
    assert [third, fourth] == [None, None]
    assert serialize_params([None]) == struct.pack("<QQQIiiQ", 0x112, 0, 1, 0xF993FAC9, 0, 0, 0)
    assert parse_params(serialize_params([None, x[:0]]))[0] is None


DTYPES = [numpy.dtype(t) for t in ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")]
arrays = st.sampled_from(DTYPES).flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text(max_size=9).filter(lambda s: s.isprintable()), arrays, min_size=1, max_size=4))
def test_what_is_written_is_read_back(values):
    data = serialize_params(values)
    got = parse_params(data)
    assert list(got) == list(values)
    for name, want in values.items():
        assert (got[name].dtype, got[name].shape) == (want.dtype, want.shape)
        assert got[name].tobytes() == want.tobytes()
    assert serialize_params(got) == data


def test_files_are_written_atomically(tmp_path):
    path = tmp_path / "a.params"
    x = numpy.arange(12.0).reshape(3, 4)
    write_params(path, {"x": x.T})
    numpy.testing.assert_array_equal(read_params(path)["x"], x.T)

    with pytest.raises(DTypeError, match="complex128"):
        write_params(path, {"x": x.astype(complex)})
    with pytest.raises(ArgumentError):
        write_params(path, {1: x})
    numpy.testing.assert_array_equal(read_params(path)["x"], x.T, "the old file stands")
    assert [p.name for p in tmp_path.iterdir()] == ["a.params"], "and no temporary file is left"


# ------------------------------------------------------------------------------------------------- malformed files

SMALL = [p for p in ALL if p.stat().st_size < 4500]


def read_or_refuse(data):
    try:
        parse_params(data)
    except LoadError as error:
        return "byte" not in str(error)
    return True


@pytest.mark.parametrize("path", SMALL[::2], ids=lambda p: f"{p.parent.name}/{p.name}")
def test_every_truncation_is_refused(path):
    data = path.read_bytes()
    step = max(1, len(data) // 400)
    for size in range(0, len(data), step):
        assert not read_or_refuse(data[:size]), size
    if data[:2] != b"PK":
        assert not read_or_refuse(data + b"\0")


@pytest.mark.parametrize("path", SMALL[1::2], ids=lambda p: f"{p.parent.name}/{p.name}")
def test_flipped_bits_never_crash(path):
    draw = random.Random(0)
    data = path.read_bytes()
    for _ in range(300):
        wrong = bytearray(data)
        for _ in range(draw.choice((1, 1, 4))):
            wrong[draw.randrange(min(len(wrong), 400))] ^= 1 << draw.randrange(8)
        read_or_refuse(bytes(wrong))


def listed(body, names=b"\0" * 8, count=1):
    return struct.pack("<QQQ", 0x112, 0, count) + body + names


V2 = 0xF993FAC9


def row_sparse(size, row):
    """A vector of `size` numbers of which the one at `row` is stored."""
    return struct.pack("<Iiiqiqiiiiiqfq", V2, 1, 1, 1, 1, size, 1, 0, 0, 6, 1, 1, 2.0, row)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "byte 0"),
        (b"not a params file at all", "byte 0"),
        (listed(b"", count=1 << 60), "byte 16.*arrays do not fit"),
        (listed(struct.pack("<I", 77)), "byte 24.*not an array format"),
        (listed(struct.pack("<Iii", V2, 7, 0)), "storage type 7"),
        (listed(struct.pack("<Iii", V2, 0, -2)), "-2 axes"),
        (listed(struct.pack("<Iii", V2, 0, 1 << 30)), "axes"),
        (listed(struct.pack("<Iiiq", V2, 0, 1, -5)), "negative size -5"),
        (listed(struct.pack("<Iii2qiii", V2, 0, 2, 1 << 40, 1 << 40, 1, 0, 0)), "more than the 8 bytes"),
        (listed(struct.pack("<Iii2qiii", V2, 0, 2, 0, 1 << 62, 1, 0, 0)), "needs more than"),
        (listed(struct.pack("<Iii2qiii", V2, 0, 2, 1 << 32, 1 << 32, 1, 0, 0)), "needs more than"),
        (listed(struct.pack("<Iiiqiii", V2, 0, 1, 1, 1, 0, 99) + b"1234"), "dtype code 99"),
        (listed(struct.pack("<Iiiqiii", V2, 0, 1, 1, 1, 0, 7) + b"\2"), "not booleans"),
        (listed(struct.pack("<I", 0), struct.pack("<Q", 3)), "1 arrays have 3 names"),
        (listed(struct.pack("<I", 0), struct.pack("<QQ", 1, 1 << 62)), "needs 4611686018427387904 bytes"),
        (listed(struct.pack("<I", 0), struct.pack("<QQ", 1, 2) + b"\xff\xfe"), "byte 44.*UTF-8"),
        (listed(struct.pack("<II", 0, 0), struct.pack("<QQ", 2, 1) + b"w" + struct.pack("<Q", 1) + b"w", 2), "twice"),
        (listed(row_sparse(1 << 50, 0)), "too large"),
        (listed(row_sparse(4, 4)), "do not fit"),
        (b"PK\3\4" + b"\0" * 60, "zip archive"),
        (zip_of(x=numpy.array([object()])), "dtype"),
        (b"\x93NUMPY\1\0" + struct.pack("<H", 8) + b"(" * 8, "not a Python dictionary"),
    ],
)
def test_malformed_files_say_what_and_where(data, what):
    with refusal(LoadError, what) as error:
        parse_params(data, "some.params")
    assert "some.params" in str(error.value)


def test_a_missing_file_is_a_load_error(tmp_path):
    with pytest.raises(LoadError, match="No such file"):
        read_params(tmp_path / "none.params")


def test_a_zip_bomb_is_refused_before_it_is_unpacked():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", b"\0" * (1 << 20))
    data = bytearray(buffer.getvalue())
    at = data.find(b"PK\1\2") + 24
    data[at : at + 4] = struct.pack("<I", 0xFFFFFFF0)
    with pytest.raises(LoadError, match="impossible size"):
        parse_params(bytes(data))
