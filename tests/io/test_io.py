"""MXNet's iterators: its documented examples, its own tests of the last batch, files, and what is refused."""

import gzip
import struct

import numpy
import pytest

from hybridize import io, nd, np, random
from hybridize.errors import ArgumentError, HybridizeError, LoadError
from tests.refusals import refusal


def rows(batches):
    return [batch.data[0].asnumpy().ravel().astype(int).tolist() for batch in batches]


def test_descriptions_and_batches():
    described = io.DataDesc("data", (3, 2))
    name, shape = described
    assert (name, shape, described.dtype, described.layout) == ("data", (3, 2), numpy.float32, "NCHW")
    assert repr(described) == "DataDesc[data,(3, 2),float32,NCHW]"
    assert [io.DataDesc.get_batch_axis(layout) for layout in (None, "NCHW", "TNC", "TC")] == [0, 0, 1, -1]
    one, two = io.DataDesc.get_list([("a", (1,)), ("b", (2,))], [("b", "int32"), ("a", "float16")])
    assert (one.dtype, two.dtype) == ("float16", "int32")
    assert io.DataDesc.get_list([("a", (1,))], None)[0].dtype == numpy.float32
    assert str(io.DataBatch([nd.ones((2, 3))])) == "DataBatch: data shapes: [(2, 3)] label shapes: None"
    batch = io.DataBatch([nd.ones((2, 3)), nd.ones((7, 8))], [nd.ones((4, 5))])
    assert str(batch) == "DataBatch: data shapes: [(2, 3), (7, 8)] label shapes: [(4, 5)]"
    with refusal(ArgumentError, "list of arrays"):
        io.DataBatch(nd.ones((2, 3)))


# ------------------------------------------------------------------------------------------------------------- arrays


@pytest.mark.parametrize(
    ("handle", "first", "pads", "second", "second_pads"),
    [
        ("pad", [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 0, 1]], [0, 0, 2], "same", [0, 0, 2]),
        ("discard", [[0, 1, 2, 3], [4, 5, 6, 7]], [0, 0], "same", [0, 0]),
        ("roll_over", [[0, 1, 2, 3], [4, 5, 6, 7]], [0, 0], [[8, 9, 0, 1], [2, 3, 4, 5], [6, 7, 8, 9]], [2, 0, 0]),
    ],
)
def test_the_last_batch(handle, first, pads, second, second_pads):
    data = numpy.arange(10)
    batches = io.NDArrayIter(data, data * 2, 4, last_batch_handle=handle)
    found = list(batches)
    assert (rows(found), [batch.pad for batch in found]) == (first, pads)
    assert all((batch.data[0] * 2 == batch.label[0]).all() for batch in found)
    assert list(batches) == []
    batches.reset()
    found = list(batches)
    assert (rows(found), [batch.pad for batch in found]) == (first if second == "same" else second, second_pads)
    assert all((batch.data[0] * 2 == batch.label[0]).all() for batch in found)
    batches.reset()
    batches.hard_reset()
    assert rows(batches) == first


def test_as_mxnet_documents_it():
    data = numpy.arange(40).reshape(10, 2, 2)
    batches = io.NDArrayIter(data, numpy.ones([10, 1]), 3, last_batch_handle="roll_over")
    assert repr(batches.provide_data) == "[DataDesc[data,(3, 2, 2),float32,NCHW]]"
    assert repr(batches.provide_label) == "[DataDesc[softmax_label,(3, 1),float32,NCHW]]"
    assert len(list(batches)) == 3
    batches.reset()
    assert batches.next().data[0].tolist() == [[[36, 37], [38, 39]], [[0, 1], [2, 3]], [[4, 5], [6, 7]]]
    corner = io.NDArrayIter(data=numpy.arange(10), batch_size=205).next()
    numpy.testing.assert_array_equal(
        corner.data[0].asnumpy(), numpy.concatenate((numpy.tile(numpy.arange(10), 20), numpy.arange(5)))
    )


def test_names_and_several_arrays():
    x = np.arange(6).reshape(3, 2)
    several = io.NDArrayIter([x, x + 1], {"b": x, "a": x + 2}, 2)
    assert [one.name for one in several.provide_data] == ["_0_data", "_1_data"]
    assert [one.name for one in several.provide_label] == ["a", "b"]
    batch = several.next()
    assert (batch.data[1] - batch.data[0] == 1).all()
    assert (batch.label[0] - batch.label[1] == 2).all()
    assert io.NDArrayIter(x, [], 2).next().label == []
    assert io.NDArrayIter(x.astype("int32"), batch_size=2).next().data[0].dtype == numpy.int32
    assert several.num_source == 4


def test_shuffling():
    random.seed(3)
    data = numpy.arange(100)
    batches = io.NDArrayIter(data, data, 8, shuffle=True, last_batch_handle="roll_over")
    rounds = []
    for _ in range(3):
        rounds.append([number for batch in rows(batches) for number in batch])
        batches.reset()
    whole = [number for one in rounds for number in one]
    assert len(whole) == 296  # 96, 104 and 96: a batch holds what was left over
    assert all(sorted(part[-96:]) != part[-96:] for part in rounds)
    assert sorted(numpy.bincount(whole[:200])) == [2] * 100
    random.seed(3)
    again = io.NDArrayIter(data, data, 8, shuffle=True)
    assert rows(again)[:5] == [rounds[0][start : start + 8] for start in range(0, 40, 8)]
    assert again.idx[:8].tolist() == rounds[0][:8]


def test_step_by_step():
    batches = io.NDArrayIter(numpy.arange(5), batch_size=2)
    assert batches.iter_next()
    assert batches.getdata()[0].tolist() == [0, 1]
    while batches.iter_next():
        last = batches.getdata()[0].tolist(), batches.getpad()
    assert last == ([4, 0], 1)
    with refusal(ArgumentError, "no more batches"):
        batches.getdata()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: io.NDArrayIter(numpy.arange(4), numpy.arange(3), 2), "softmax_label has 3 rows, data has 4"),
        (lambda: io.NDArrayIter([], batch_size=2), "there is no data"),
        (lambda: io.NDArrayIter("abc", batch_size=2), "list or a dict of arrays, got str"),
        (lambda: io.NDArrayIter(np.array(3.0)), "data has no axes"),
        (lambda: io.NDArrayIter(numpy.arange(4), batch_size=0), "batch_size must be 1 or more"),
        (lambda: io.NDArrayIter(numpy.arange(4), last_batch_handle="keep"), "pad, discard, roll_over, got 'keep'"),
        (lambda: io.PrefetchingIter([]), "the list of iterators is empty"),
        (lambda: next(io.DataIter(3)), "does not say how to go on"),
    ],
)
def test_refusals(make, words):
    with refusal(HybridizeError, words):
        make()


def test_what_is_not_there_says_what_to_use():
    with refusal(AttributeError, "DataLoader"):
        io.ImageDetRecordIter  # noqa: B018
    with refusal(AttributeError, "did you mean 'NDArrayIter'"):
        io.NdArrayIter  # noqa: B018


# ------------------------------------------------------------------------------------------------------------ others


def test_resized_rounds():
    inner = io.NDArrayIter(numpy.arange(6), batch_size=2)
    batches = io.ResizeIter(inner, 4)
    assert rows(batches) == [[0, 1], [2, 3], [4, 5], [0, 1]]
    batches.reset()
    assert rows(batches)[0] == [0, 1]
    going_on = io.ResizeIter(inner, 2, reset_internal=False)
    inner.reset()
    assert rows(going_on) == [[0, 1], [2, 3]]
    going_on.reset()
    assert rows(going_on) == [[4, 5], [0, 1]]
    assert going_on.provide_data[0].shape == (2,)


def test_batches_fetched_ahead():
    def both():
        one = io.NDArrayIter({"data": numpy.arange(10)}, numpy.arange(10), 4)
        two = io.NDArrayIter({"data": numpy.arange(10) * 10}, numpy.arange(10), 4)
        return [one, two]

    batches = io.PrefetchingIter(both(), [{"data": "one"}, {"data": "two"}])
    assert [one.name for one in batches.provide_data] == ["one", "two"]
    assert [one.name for one in batches.provide_label] == ["softmax_label"] * 2
    for _ in range(3):
        found = list(batches)
        assert [[array.tolist() for array in batch.data] for batch in found][-1] == [[8, 9, 0, 1], [80, 90, 0, 10]]
        assert [batch.pad for batch in found] == [0, 0, 2]
        batches.reset()
    batches.next()
    batches.reset()  # in the middle
    assert batches.next().data[0].tolist() == [0, 1, 2, 3]
    short = io.PrefetchingIter([io.NDArrayIter(numpy.arange(4), batch_size=4), *both()])
    short.next()
    with refusal(HybridizeError, "ended before another"):
        short.next()


def test_errors_of_iterators_surface_where_the_batch_is_asked_for():
    class Broken(io.DataIter):
        provide_data = provide_label = [io.DataDesc("data", (2, 1))]

        def next(self):
            raise RuntimeError("the disk is gone")

    with refusal(RuntimeError, "the disk is gone"):
        io.PrefetchingIter(Broken()).next()


# ------------------------------------------------------------------------------------------------------------- files


def test_tables(tmp_path):
    data, label = tmp_path / "data.csv", tmp_path / "label.csv"
    data.write_text("1,2,3\n2,3,4\n3,4,5\n4,5,6\n")
    label.write_text("0\n1\n2\n3\n")
    even = io.CSVIter(data_csv=str(data), data_shape=(3,), batch_size=2)
    assert rows(even) == [[1, 2, 3, 2, 3, 4], [3, 4, 5, 4, 5, 6]]
    assert even.provide_data == [("data", (2, 3))]
    rounded = io.CSVIter(data_csv=str(data), data_shape=(3,), label_csv=str(label), batch_size=3)
    found = list(rounded)
    assert rows(found) == [[1, 2, 3, 2, 3, 4, 3, 4, 5], [4, 5, 6, 1, 2, 3, 2, 3, 4]]
    assert [batch.pad for batch in found] == [0, 2]
    assert found[1].label[0].tolist() == [[3], [0], [1]]
    rounded.reset()
    assert rows(rounded) == [[3, 4, 5, 4, 5, 6, 1, 2, 3]]  # MXNet: what filled up the last round is left out of this
    fixed = io.CSVIter(data_csv=str(data), data_shape=(3,), batch_size=3, round_batch=False)
    list(fixed)
    fixed.reset()
    assert rows(fixed)[0] == [1, 2, 3, 2, 3, 4, 3, 4, 5]
    shaped = io.CSVIter(data_csv=str(data), data_shape=(3, 1), batch_size=4, dtype="int64")
    assert shaped.iter_next()
    assert (shaped.getdata().shape, shaped.getdata().dtype) == ((4, 3, 1), numpy.int64)
    assert shaped.getlabel().tolist() == [[0]] * 4
    assert shaped.getindex().tolist() == [0, 1, 2, 3]
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "b.csv").write_text("5,6\n")
    (folder / "a.csv").write_text("3,4\n")
    assert rows(io.CSVIter(str(folder), (2,), batch_size=2)) == [[3, 4, 5, 6]]


def test_pairs(tmp_path):
    data, label = tmp_path / "data.t", tmp_path / "label.t"
    data.write_text("1.0 0:0.5 2:1.2\n-2.0\n-3.0 0:0.6 1:2.4 2:1.2\n4 2:-1.2\n")
    label.write_text("1.0\n-2.0 0:0.125\n-3.0 2:1.2\n4 1:1.0 2:-1.2\n")
    batches = io.LibSVMIter(str(data), (3,), str(label), (3,), batch_size=3)
    first, second = (batch.data[0].asnumpy() for batch in batches)
    numpy.testing.assert_allclose(first, [[0.5, 0, 1.2], [0, 0, 0], [0.6, 2.4, 1.2]], rtol=1e-6)
    numpy.testing.assert_allclose(second, [[0, 0, -1.2], [0.5, 0, 1.2], [0, 0, 0]], rtol=1e-6)
    alone = io.LibSVMIter(str(data), (3,), batch_size=4).next()
    assert alone.label[0].tolist() == [1, -2, -3, 4]
    data.write_text("1 -1:0.5\n")
    with refusal(LoadError, r"data.t:1: index -1 is outside"):
        io.LibSVMIter(str(data), (3,))
    data.write_text("1 0:0.5\n1 x\n")
    with refusal(LoadError, r"data.t:2"):
        io.LibSVMIter(str(data), (3,))


@pytest.mark.parametrize(
    ("text", "words"),
    [("1,2\n3\n", "data.csv:2: got 1 numbers, but the shape"), ("1,x\n", "data.csv:1"), ("1,2\n\xff", "600")],
)
def test_damaged_tables(tmp_path, text, words):
    path = tmp_path / "data.csv"
    path.write_bytes(text.encode("latin-1"))
    with refusal(LoadError, words):
        io.CSVIter(str(path), (2,))
    with refusal(LoadError, "E600"):
        io.CSVIter(str(tmp_path / "nothing"), (2,))
    with refusal(ArgumentError, "has no 'shuffel'"):
        io.CSVIter(str(path), (2,), shuffel=True)


def test_mnist(tmp_path):
    pixels = numpy.random.default_rng(0).integers(0, 256, (10, 28, 28)).astype(numpy.uint8)
    labels = numpy.arange(10, dtype=numpy.uint8)
    image, label = tmp_path / "images", tmp_path / "labels.gz"
    image.write_bytes(struct.pack(">IIII", 0x803, 10, 28, 28) + pixels.tobytes())
    label.write_bytes(gzip.compress(struct.pack(">II", 0x801, 10) + labels.tobytes()))
    batches = io.MNISTIter(image=str(image), label=str(label), batch_size=4, shuffle=False)
    found = list(batches)
    assert len(found) == 2
    numpy.testing.assert_array_equal(found[1].data[0].asnumpy()[:, 0], pixels[4:8] / numpy.float32(256))
    assert found[1].label[0].tolist() == [4, 5, 6, 7]
    flat = [io.MNISTIter(image=str(image), label=str(label), batch_size=5, flat=1, seed=seed) for seed in (1, 1, 2)]
    orders = [[batch.label[0].tolist() for batch in one] for one in flat]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(number for batch in orders[0] for number in batch) == list(range(10))
    flat[0].reset()
    batch = flat[0].next()
    assert batch.data[0].shape == (5, 784)
    for row, number in zip(batch.data[0].asnumpy(), batch.label[0].tolist(), strict=True):
        numpy.testing.assert_array_equal(row, pixels[int(number)].ravel() / numpy.float32(256))
    part = io.MNISTIter(image=str(image), label=str(label), batch_size=1, shuffle=False, num_parts=3, part_index=1)
    assert [int(batch.label[0].item()) for batch in part] == [3, 4, 5]
    image.write_bytes(image.read_bytes()[:-1])
    with refusal(LoadError, "E664"):
        io.MNISTIter(image=str(image), label=str(label))
    with refusal(ArgumentError, "E381"):
        io.MNISTIter(image=str(tmp_path / "none"), label=str(label))
