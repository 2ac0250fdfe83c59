"""Files of records, byte for byte as MXNet's format has them, by keys, in other processes, damaged."""

import multiprocessing
import pickle
import struct

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize import recordio
from hybridize.errors import ArgumentError, HybridizeError, LoadError, StateError, WriteError
from hybridize.formats.records import MAGIC
from tests.refusals import refusal

RECORDS = [b"", b"a", b"abcd", bytes(range(256)), MAGIC, b"ab" + MAGIC, b"abcd" + MAGIC + b"efg" + MAGIC, MAGIC * 3]


def test_bytes_of_the_format(tmp_path):
    """As dmlc-core writes: magic, kind and length, bytes, zeros; cut where the magic stands at a multiple of four."""
    path = tmp_path / "x.rec"
    with recordio.MXRecordIO(str(path), "w") as writer:
        writer.write(b"record_0")
        writer.write(b"abcde")
        writer.write(b"wxyz" + MAGIC + b"!")
        writer.write(b"xy" + MAGIC)  # not at a multiple of four: as it is

    def part(kind, data):
        return struct.pack("<II", 0xCED7230A, kind << 29 | len(data)) + data + bytes(-len(data) % 4)

    assert path.read_bytes() == b"".join(
        [part(0, b"record_0"), part(0, b"abcde"), part(1, b"wxyz"), part(3, b"!"), part(0, b"xy" + MAGIC)]
    )


def test_in_order(tmp_path):
    path = str(tmp_path / "x.rec")
    writer = recordio.MXRecordIO(path, "w")
    for one in RECORDS:
        writer.write(one)
    writer.close()
    reader = recordio.MXRecordIO(path, "r")
    assert [reader.read() for _ in RECORDS] == RECORDS
    assert reader.read() is None
    reader.reset()
    assert reader.read() == RECORDS[0]
    assert reader.is_open
    reader.close()
    with refusal(StateError, r"E579.*closed"):
        reader.read()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.sampled_from([MAGIC, b"\0", b"ab", MAGIC[:2], b"xyz1"]), max_size=8).map(b"".join)))
def test_whatever_is_written_is_read(tmp_path_factory, records):
    folder = tmp_path_factory.mktemp("records")
    names = str(folder / "x.idx"), str(folder / "x.rec")
    with recordio.MXIndexedRecordIO(*names, "w") as writer:
        for number, one in enumerate(records):
            writer.write_idx(number, one)
    reader = recordio.MXIndexedRecordIO(*names, "r")
    assert reader.keys == list(range(len(records)))
    assert [reader.read_idx(key) for key in reversed(reader.keys)] == records[::-1]


def test_by_keys_as_mxnet_documents_it(tmp_path):
    names = str(tmp_path / "x.idx"), str(tmp_path / "x.rec")
    writer = recordio.MXIndexedRecordIO(*names, "w")
    positions = [writer.tell()]
    for number in range(5):
        writer.write_idx(number, b"record_%d" % number)
        positions.append(writer.tell())
    assert positions == [0, 16, 32, 48, 64, 80]
    writer.close()
    assert (tmp_path / "x.idx").read_text() == "0\t0\n1\t16\n2\t32\n3\t48\n4\t64\n"
    reader = recordio.MXIndexedRecordIO(*names, "r")
    assert (reader.read_idx(3), reader.read_idx(0), reader.read()) == (b"record_3", b"record_0", b"record_1")
    with refusal(ArgumentError, "has no record 9"):
        reader.read_idx(9)
    words = recordio.MXIndexedRecordIO(*names, "w", key_type=str)
    words.write_idx("cat", b"meow")
    words.close()
    assert recordio.MXIndexedRecordIO(*names, "r", key_type=str).read_idx("cat") == b"meow"


def _read(reader, key):
    return reader.read_idx(key)


def test_other_processes(tmp_path):
    names = str(tmp_path / "x.idx"), str(tmp_path / "x.rec")
    with recordio.MXIndexedRecordIO(*names, "w") as writer:
        for number in range(5):
            writer.write_idx(number, b"record_%d" % number)
        with refusal(StateError, r"E579.*open for writing"):
            pickle.dumps(writer)
    reader = recordio.MXIndexedRecordIO(*names, "r")
    reader.read_idx(1)
    copy = pickle.loads(pickle.dumps(reader))
    assert (copy.read(), reader.read()) == (b"record_2", b"record_2")
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.starmap(_read, [(reader, key) for key in (4, 0, 3)])
    assert found == [b"record_4", b"record_0", b"record_3"]
    assert reader.read() == b"record_3"


@pytest.mark.parametrize("label", [4, 2.5, [1, 2, 3], numpy.arange(4.0), numpy.float32(7)])
def test_heads(label):
    packed = recordio.pack(recordio.IRHeader(0, label, 2574, 1), b"image")
    several = not numpy.isscalar(label)
    expected = struct.pack("<IfQQ", len(label) if several else 0, 0 if several else label, 2574, 1)
    assert packed[:24] == expected
    header, data = recordio.unpack(packed)
    assert (data, header.id, header.id2) == (b"image", 2574, 1)
    numpy.testing.assert_array_equal(header.label, label)
    assert recordio.pack((9, label, 2574, 1), b"image") == packed
    for end in (0, 23, *([30] if several else [])):
        with refusal(LoadError, "E666"):
            recordio.unpack(packed[:end])


def test_images():
    """Blue comes first in arrays, as OpenCV has it, and red first in the file."""
    from PIL import Image

    pixels = numpy.random.default_rng(0).integers(0, 256, (6, 5, 3)).astype(numpy.uint8)
    packed = recordio.pack_img((0, 3, 1, 0), pixels, 3, ".png")
    header, found = recordio.unpack_img(packed)
    assert header.label == 3
    numpy.testing.assert_array_equal(found, pixels)
    import io

    numpy.testing.assert_array_equal(numpy.asarray(Image.open(io.BytesIO(packed[24:]))), pixels[:, :, ::-1])
    smooth = numpy.broadcast_to(numpy.arange(0, 160, 10, dtype=numpy.uint8)[:, None, None], (16, 16, 3))
    _, lossy = recordio.unpack_img(recordio.pack_img((0, 3, 1, 0), smooth, 95))
    assert abs(lossy.astype(int) - smooth).max() < 12
    _, grey = recordio.unpack_img(recordio.pack_img((0, 0, 0, 0), pixels[:, :, 0], 9, ".png"))
    numpy.testing.assert_array_equal(grey, pixels[:, :, 0])
    assert recordio.unpack_img(packed, 0)[1].shape == (6, 5)
    for wrong, words in (((pixels, 95, ".tiff"), "tiff"), ((pixels.astype(float), 95, ".jpg"), "uint8")):
        with refusal(ArgumentError, words):
            recordio.pack_img((0, 0, 0, 0), *wrong)


def test_damaged_files(tmp_path):
    path = tmp_path / "x.rec"
    with recordio.MXRecordIO(str(path), "w") as writer:
        for one in RECORDS:
            writer.write(one)
    whole = path.read_bytes()
    rng = numpy.random.default_rng(0)
    for _ in range(300):
        data = bytearray(whole)
        if rng.random() < 0.5:
            del data[int(rng.integers(len(data))) :]
        else:
            data[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
        path.write_bytes(data)
        reader = recordio.MXRecordIO(str(path), "r")
        said = ""
        try:
            while reader.read() is not None:
                pass
        except LoadError as error:
            said = str(error)
        assert not said or ("E666" in said and "at byte" in said)


def test_refusals(tmp_path):
    path = str(tmp_path / "x.rec")
    with refusal(ArgumentError, "'r' or 'w', got 'a'"):
        recordio.MXRecordIO(path, "a")
    with refusal(LoadError, "E600"):
        recordio.MXRecordIO(path, "r")
    with refusal(WriteError, "E335"):
        recordio.MXRecordIO(str(tmp_path / "no" / "x.rec"), "w")
    writer = recordio.MXRecordIO(path, "w")
    with refusal(ArgumentError, "bytes, got str"):
        writer.write("text")
    with refusal(StateError, "open for writing"):
        writer.read()
    writer.close()
    with refusal(StateError, "open for reading"):
        recordio.MXRecordIO(path, "r").write(b"")
    (tmp_path / "x.idx").write_text("0\t0\nx 1\n")
    with refusal(HybridizeError, r"x.idx:2"):
        recordio.MXIndexedRecordIO(str(tmp_path / "x.idx"), path, "r")
