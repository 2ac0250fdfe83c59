"""Data sets and samplers."""

import pickle

import numpy
import pytest

from hybridize import np, random, recordio
from hybridize.errors import ArgumentError, LoadError
from hybridize.gluon import data

X = numpy.arange(20, dtype="float32").reshape(10, 2)
Y = numpy.arange(10)


def double(x, *rest):
    return (2 * x, *rest)


def is_even(sample):
    return sample[1] % 2 == 0


def labels(dataset):
    return [int(label) for _, label in dataset]


def test_samples_of_arrays_are_tuples_with_numbers_as_labels():
    ds = data.ArrayDataset(np.array(X), np.array(Y, dtype="int64"))
    row, label = ds[3]
    assert type(row) is type(np.ones(1))
    assert row.asnumpy().tolist() == [6, 7]
    assert isinstance(label, numpy.int64) and label == 3
    assert len(ds) == 10
    assert data.ArrayDataset(X)[2].tolist() == [4, 5]


def test_arrays_of_different_lengths():
    with pytest.raises(ArgumentError, match=r"E377.*equal lengths, got 10, 9"):
        data.ArrayDataset(X, Y[:9])
    with pytest.raises(ArgumentError, match="E377"):
        data.ArrayDataset()


def test_transform_is_called_with_the_parts_of_a_sample_when_it_is_read():
    calls = []

    def f(x, y):
        calls.append(y)
        return x + y, y

    lazy = data.ArrayDataset(X, Y).transform(f)
    assert calls == []
    assert lazy[4][0].tolist() == [12, 13]
    assert calls == [4]
    now = data.ArrayDataset(X, Y).transform(f, lazy=False)
    assert calls[1:] == list(range(10))
    assert now[4][0].tolist() == [12, 13]
    assert len(calls) == 11


def test_transform_first_leaves_the_label():
    ds = data.ArrayDataset(X, Y).transform_first(lambda x: -x)
    assert ds[1][0].tolist() == [-2, -3]
    assert ds[1][1] == 1
    assert data.SimpleDataset([1, 2]).transform_first(lambda x: -x)[1] == -2


def test_filter_shard_take_sample():
    ds = data.ArrayDataset(X, Y)
    assert labels(ds.filter(is_even)) == [0, 2, 4, 6, 8]
    assert [labels(ds.shard(3, i)) for i in range(3)] == [[0, 1, 2, 3], [4, 5, 6], [7, 8, 9]]
    assert labels(ds.take(3)) == [0, 1, 2]
    assert labels(ds.take(30)) == labels(ds.take(None)) == list(range(10))
    assert labels(ds.sample(data.IntervalSampler(10, 4))) == [0, 4, 8, 1, 5, 9, 2, 6, 3, 7]
    assert labels(ds.filter(is_even).shard(2, 1).take(1)) == [6]
    assert labels(ds.shard(2, 1).filter(is_even)) == [6, 8]


def test_shards_hold_every_sample_once():
    for length in range(8):
        for parts in range(1, 6):
            ds = data.SimpleDataset(range(length))
            assert [x for i in range(parts) for x in ds.shard(parts, i)] == list(range(length))


@pytest.mark.parametrize(
    "call",
    [
        lambda ds: ds.shard(2, 2),
        lambda ds: ds.shard(0, 0),
        lambda ds: ds.shard(2, -1),
        lambda ds: ds.take(-1),
        lambda ds: ds.sample([1, 2]),
    ],
)
def test_parts_that_are_none(call):
    with pytest.raises(ArgumentError, match="E382"):
        call(data.ArrayDataset(X))


def test_many_samples_at_once_equal_single_ones():
    """The short way of whole batches, through every data set that has it."""
    base = data.ArrayDataset(np.array(X), Y)
    for ds in (base, base.take(7), base.shard(3, 1), base.filter(is_even), base.filter(is_even).take(3).shard(2, 0)):
        for indices in (slice(0, len(ds)), slice(1, 2), numpy.array([1, 0, 1]), numpy.array([], int)):
            x, y = ds.read_many(indices)
            numbers = range(len(ds))[indices] if isinstance(indices, slice) else indices
            expected = [ds[int(i)] for i in numbers]
            assert y.tolist() == [label for _, label in expected]
            assert x.tolist() == [row.asnumpy().tolist() for row, _ in expected]
            assert x.flags.writeable and not numpy.shares_memory(x, X)


def test_a_subclass_with_samples_of_its_own_is_read_sample_by_sample():
    class Mine(data.ArrayDataset):
        def __getitem__(self, index):
            return super().__getitem__(index)[1] + 100

    assert Mine(X, Y).read_many(slice(0, 3)) is None
    (batch,) = data.DataLoader(Mine(X, Y), 10)
    assert batch.asnumpy().tolist() == list(range(100, 110))


def test_what_is_not_numbers_has_no_short_way():
    assert data.ArrayDataset(X, list("abcdefghij")).read_many(slice(0, 3)) is None
    assert data.ArrayDataset(numpy.array(["a", "b"])).read_many(slice(0, 1)) is None


def test_data_sets_can_be_sent():
    ds = data.ArrayDataset(np.array(X), Y).filter(is_even).transform(double).take(4)
    again = pickle.loads(pickle.dumps(ds))
    assert [(a.asnumpy().tolist(), b) for a, b in again] == [(a.asnumpy().tolist(), b) for a, b in ds]
    first = pickle.loads(pickle.dumps(data.ArrayDataset(X, Y).transform_first(numpy.negative)))
    assert first[1][0].tolist() == [-2, -3]


def test_what_a_subclass_has_to_say():
    with pytest.raises(NotImplementedError, match="E328"):
        data.Dataset()[0]
    with pytest.raises(NotImplementedError, match="E328"):
        len(data.Dataset())


def test_record_files(tmp_path):
    names = str(tmp_path / "x.idx"), str(tmp_path / "x.rec")
    with recordio.MXIndexedRecordIO(*names, "w") as writer:
        for number in range(10):
            writer.write_idx(number * 3, b"record_%d" % number)
    records = data.RecordFileDataset(names[1])
    assert (len(records), records[4]) == (10, b"record_4")
    assert pickle.loads(pickle.dumps(records))[9] == b"record_9"
    loader = data.DataLoader(records.transform(len), 5, num_workers=2)
    assert [batch.tolist() for batch in loader] == [[8] * 5, [8] * 5]
    with pytest.raises(LoadError, match="E600"):
        data.RecordFileDataset(str(tmp_path / "y.rec"))


# ------------------------------------------------------------------------------------------------------------- samplers


def test_samplers():
    assert list(data.SequentialSampler(3, 4)) == [4, 5, 6]
    assert list(data.FilterSampler(lambda x: x > 6, range(10))) == [7, 8, 9]
    assert list(data.IntervalSampler(5, 2)) == [0, 2, 4, 1, 3]
    assert list(data.IntervalSampler(5, 2, rollover=False)) == [0, 2, 4]
    for sampler in (data.IntervalSampler(5, 2, False), data.IntervalSampler(5, 3), data.RandomSampler(6)):
        assert len(list(sampler)) == len(sampler)


def test_random_order_follows_the_seed_and_differs_between_epochs():
    random.seed(5)
    sampler = data.RandomSampler(50)
    first, second = list(sampler), list(sampler)
    assert sorted(first) == sorted(second) == list(range(50))
    assert first != second
    random.seed(5)
    assert [list(data.RandomSampler(50)), list(sampler)] == [first, second]
    assert list(data.RandomSampler(0)) == []


def test_all_orders_are_equally_likely():
    random.seed(0)
    counts = {}
    for _ in range(4800):
        order = tuple(data.RandomSampler(4))
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 24
    squares = sum((count - 200) ** 2 / 200 for count in counts.values())
    assert squares < 58  # chi-squared of 23 degrees of freedom: less with a probability of 0.9999
    places = numpy.array([data.RandomSampler(1000).order() for _ in range(200)])
    assert abs(places.mean(0) - 499.5).max() < 100  # five deviations of the mean
    assert abs(numpy.corrcoef(places[:, :-1].ravel(), places[:, 1:].ravel())[0, 1]) < 0.01


@pytest.mark.parametrize(
    ("last", "epochs", "lengths"),
    [
        ("keep", [[[0, 1, 2], [3, 4, 5], [6]]] * 2, [3, 3]),
        ("discard", [[[0, 1, 2], [3, 4, 5]]] * 2, [2, 2]),
        ("rollover", [[[0, 1, 2], [3, 4, 5]], [[6, 0, 1], [2, 3, 4]], [[5, 6, 0], [1, 2, 3], [4, 5, 6]]], [2, 2, 3]),
    ],
)
def test_last_batch(last, epochs, lengths):
    sampler = data.BatchSampler(data.SequentialSampler(7), 3, last)
    for expected, length in zip(epochs, lengths, strict=True):
        assert len(sampler) == length
        assert list(sampler) == expected
    arrays = data.BatchSampler(data.SequentialSampler(7), 3, last)
    for expected, length in zip(epochs, lengths, strict=True):
        assert len(arrays) == length
        assert [list(range(7)[b]) if isinstance(b, slice) else b for b in arrays.arrays()] == expected


def test_rollover_of_a_random_order_loses_nothing():
    for how in (iter, lambda sampler: sampler.arrays()):
        sampler = data.BatchSampler(data.RandomSampler(7), 3, "rollover")
        seen = [int(i) for _ in range(3) for batch in how(sampler) for i in batch]
        assert sorted(seen) == sorted(list(range(7)) * 3)


@pytest.mark.parametrize(
    "make",
    [
        lambda: data.BatchSampler(data.SequentialSampler(7), 0),
        lambda: data.BatchSampler(data.SequentialSampler(7), 2.0),
        lambda: data.BatchSampler(data.SequentialSampler(7), 2, "drop"),
        lambda: data.IntervalSampler(3, 4),
        lambda: data.SequentialSampler(-1),
        lambda: data.RandomSampler(2.5),
    ],
)
def test_numbers_out_of_range(make):
    with pytest.raises(ArgumentError, match="E376"):
        make()


@pytest.mark.parametrize("parts", [1, 3, 4, 10])
def test_the_parts_of_a_split_are_all_samples(parts):
    def numbers(**options):
        return [list(data.SplitSampler(10, parts, k, **options)) for k in range(parts)]

    assert [one for part in numbers(even_size=False, shuffle=False) for one in part] == list(range(10))
    assert sorted(one for part in numbers(even_size=False) for one in part) == list(range(10))
    even = numbers(repeat=2)
    assert {len(part) for part in even} == {2 * -(-10 // parts)} == {len(data.SplitSampler(10, parts, 0, repeat=2))}
    assert {one for part in even for one in part} == set(range(10))


@pytest.mark.parametrize("arguments", [(10, 11, 0), (10, 2, 2), (10, 2, -1), (10, 0, 0), (10, 2, 0, True, 0)])
def test_wrong_parts_of_a_split(arguments):
    with pytest.raises(ValueError, match="E376"):
        data.SplitSampler(*arguments)
