"""Loaders without workers, and with threads."""

import os
import pickle
import threading

import numpy
import pytest

from hybridize import np, random
from hybridize.errors import ArgumentError, StateError, ValueArgumentError
from hybridize.gluon import data
from tests.platforms.marks import forks
from tests.refusals import refusal

X = numpy.arange(46, dtype="float32").reshape(23, 2)
Y = numpy.arange(23, dtype="int32")
DS = data.ArrayDataset(X, Y)


def as_lists(loader):
    return [[part.asnumpy().tolist() for part in batch] for batch in loader]


@pytest.mark.parametrize("threads", [0, 2])
def test_batches_are_those_of_the_data(threads):
    loader = data.DataLoader(DS, 5, num_workers=threads, thread_pool=True)
    assert len(loader) == 5
    for _ in range(2):
        batches = list(loader)
        assert [batch[0].shape for batch in batches] == [(5, 2)] * 4 + [(3, 2)]
        assert numpy.concatenate([x.asnumpy() for x, _ in batches]).tolist() == X.tolist()
        assert numpy.concatenate([y.asnumpy() for _, y in batches]).tolist() == Y.tolist()
        assert batches[0][1].dtype == "int32"


def test_whole_batches_equal_samples_one_by_one():
    for shuffle in (False, True):
        for last in ("keep", "discard", "rollover"):
            random.seed(1)
            fast = data.DataLoader(DS, 5, shuffle, last_batch=last)
            one = as_lists(fast) + as_lists(fast)
            random.seed(1)
            slow = data.DataLoader(DS.transform(lambda x, y: (x, y)), 5, shuffle, last_batch=last)
            assert as_lists(slow) + as_lists(slow) == one


def test_the_seed_says_the_order_with_and_without_threads():
    found = []
    for workers in (0, 3):
        random.seed(9)
        loader = data.DataLoader(DS, 4, shuffle=True, num_workers=workers, thread_pool=True)
        found.append(as_lists(loader) + as_lists(loader))
    assert found[0] == found[1]
    assert found[0][:6] != found[0][6:]


def test_arrays_and_lists_are_data_sets():
    assert [batch.asnumpy().tolist() for batch in data.DataLoader(np.array(X), 20)] == [
        X[:20].tolist(),
        X[20:].tolist(),
    ]
    assert [batch.asnumpy().tolist() for batch in data.DataLoader(X, 20)] == [X[:20].tolist(), X[20:].tolist()]
    assert [batch.asnumpy().tolist() for batch in data.DataLoader([3, 4, 5], 2)] == [[3, 4], [5]]
    with pytest.raises(ArgumentError, match=r"E375.*generator"):
        data.DataLoader((x for x in X), 2)


def test_a_batch_is_the_users_to_write():
    before = X.copy()
    for x, _ in data.DataLoader(DS, 5):
        x[:] = -1
    assert (before == X).all()


def test_batchify_fn_gets_the_list_of_samples():
    got = list(data.DataLoader(data.SimpleDataset(list("abcde")), 2, batchify_fn=data.batchify.AsList()))
    assert got == [["a", "b"], ["c", "d"], ["e"]]


def test_samplers_of_the_user():
    class Backwards(data.Sampler):
        def __iter__(self):
            return iter(range(22, -1, -1))

        def __len__(self):
            return 23

    got = [y for _, y in data.DataLoader(DS, 10, sampler=Backwards())]
    assert got[0].asnumpy().tolist() == list(range(22, 12, -1))
    got = [y.asnumpy().tolist() for _, y in data.DataLoader(DS, batch_sampler=[[0, 5], [7]])]
    assert got == [[0, 5], [7]]


def test_a_sampler_beyond_the_data_is_an_error_not_a_shorter_batch():
    with pytest.raises(IndexError):
        list(data.DataLoader(DS, 10, sampler=data.SequentialSampler(25)))
    with pytest.raises(IndexError):
        list(data.DataLoader(DS.take(5), 10, sampler=data.SequentialSampler(6)))


@pytest.mark.parametrize(
    ("kwargs", "code"),
    [
        ({}, "E375"),
        ({"batch_size": 2, "shuffle": True, "sampler": data.SequentialSampler(3)}, "E375"),
        ({"batch_size": 2, "batch_sampler": [[1]]}, "E375"),
        ({"last_batch": "keep", "batch_sampler": [[1]]}, "E375"),
        ({"batch_size": 2, "batchify_fn": "stack"}, "E375"),
        ({"batch_size": 0}, "E376"),
        ({"batch_size": 2, "last_batch": "pad"}, "E376"),
        ({"batch_size": 2, "num_workers": -1}, "E376"),
        ({"batch_size": 2, "prefetch": -1}, "E376"),
        ({"batch_size": 2, "timeout": 0}, "E376"),
        ({"batch_size": 2, "timeout": None}, "E376"),
        ({"batch_size": 2, "prefetch": "two"}, "E376"),
    ],
)
def test_arguments_that_do_not_go(kwargs, code):
    with refusal(ArgumentError, code):
        data.DataLoader(DS, **kwargs)


def test_what_mxnet_takes_is_taken():
    loader = data.DataLoader(DS, 5, pin_memory=True, pin_device_id=1, try_nopython=True, prefetch=0, auto_reload=False)
    assert len(list(loader)) == 5


def faulty(x, y):
    if y == 13:
        raise KeyError("no such picture")
    return x, y


@pytest.mark.parametrize("threads", [0, 2])
def test_the_users_exception_comes_with_the_users_line_and_the_sample(threads):
    loader = data.DataLoader(DS.transform(faulty), 5, num_workers=threads, thread_pool=True)
    taken = []
    with pytest.raises(KeyError, match="no such picture") as caught:
        taken.extend(loader)
    assert len(taken) == 2
    assert caught.traceback[-1].name == "faulty"
    assert caught.value.__notes__ == ["reading sample 13 of the data set"]


def test_threads_end_with_their_loader():
    before = set(threading.enumerate())
    loader = data.DataLoader(DS, 5, num_workers=3, thread_pool=True)
    next(iter(loader))
    mine = {thread for thread in threading.enumerate() if thread.name.startswith("DataLoader")} - before
    assert mine
    del loader
    for thread in mine:
        thread.join(10)
        assert not thread.is_alive()


def test_threads_work_at_the_same_time_and_not_too_far_ahead():
    barrier = threading.Barrier(2, timeout=20)
    read = []

    def meet(x, y):
        read.append(int(y))
        if y in (0, 1):
            barrier.wait()  # for the other thread
        return x, y

    loader = data.DataLoader(DS.transform(meet), 1, num_workers=2, thread_pool=True, prefetch=3)
    it = iter(loader)
    for taken in range(1, 5):
        next(it)
        assert max(read) < taken + 3


def test_a_thread_that_takes_too_long():
    release = threading.Event()
    loader = data.DataLoader(
        DS.transform(lambda x, y: release.wait(20) and (x, y)), 5, num_workers=1, thread_pool=True, timeout=0.1
    )
    with pytest.raises(StateError, match=r"E571: batch 0 .* 0.1 s"):
        next(iter(loader))
    release.set()


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader_can_be_sent(workers):
    loader = data.DataLoader(DS, 5, num_workers=workers)
    expected = as_lists(loader)
    assert as_lists(pickle.loads(pickle.dumps(loader))) == expected


def test_stop_iteration_of_the_users_is_not_the_end_of_an_epoch():
    def ended(x, y):
        return next(iter(())) if y == 7 else (x, y)

    for workers in (0, 1):
        with pytest.raises(RuntimeError, match="StopIteration"):
            list(data.DataLoader(DS.transform(ended), 5, num_workers=workers, thread_pool=True))


@forks
def test_a_forked_process_makes_threads_of_its_own():
    loader = data.DataLoader(DS, 5, num_workers=2, thread_pool=True)
    expected = as_lists(loader)
    pid = os.fork()
    if not pid:
        code = 1
        try:
            code = 0 if as_lists(loader) == expected else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_a_batch_sampler_that_names_no_sample():
    with pytest.raises(ValueArgumentError, match=r"E379.*empty batch"):
        list(data.DataLoader([1, 2], batch_sampler=[[0], []]))
