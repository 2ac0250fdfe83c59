"""MXNet's documented examples of its key-value store, and what it refuses."""

import numpy
import pytest

from hybridize import autograd, gluon, kv, kvstore, np, optimizer
from hybridize.errors import ArgumentError, HybridizeError, LoadError, StateError
from tests.refusals import refusal

SHAPE = (2, 3)


@pytest.fixture(params=["local", "device", "local_allreduce_cpu"])
def store(request):
    return kvstore.create(request.param)


def test_names():
    assert kv is kvstore
    assert [kv.create(name).type for name in ("local", "Device", "teststore")] == ["local", "device", "teststore"]
    store = kv.create()
    assert (store.type, store.rank, store.num_workers) == ("local", 0, 1)
    assert store.is_capable("optimizer")
    assert kv.KVStore.is_capable(kv.KVStoreBase.OPTIMIZER)
    with refusal(ArgumentError, r"E3003.*no capability 'speed'"):
        store.is_capable("speed")


@pytest.mark.parametrize("keys", [[3, 5, 7], ["a", "b", "c"]])
def test_what_is_pushed_replaces_the_value_and_parts_are_summed(store, keys):
    one, *others = keys
    first = np.ones(SHAPE) * 2
    store.init(one, first)
    first[...] = 9  # a copy was kept
    a = np.zeros(SHAPE)
    store.pull(one, out=a)
    assert (a == 2).all()
    store.push(one, np.ones(SHAPE) * 8)
    store.pull(one, a)
    assert (a == 8).all()
    store.push(one, [np.ones(SHAPE)] * 4)
    b = [np.zeros(SHAPE) for _ in range(4)]
    store.pull(one, b)
    assert all((part == 4).all() for part in b)
    store.init(others, [np.zeros(SHAPE)] * 2)
    store.push(others, [[np.ones(SHAPE)] * 3, [np.ones(SHAPE) * 2] * 2])
    c, d = np.zeros(SHAPE), np.zeros(SHAPE)
    store.pull(others, [c, d])
    assert (c == 3).all()
    assert (d == 4).all()
    store.push([one, one], [np.ones(SHAPE), np.ones(SHAPE) * 5])  # one key twice is one push of two parts
    store.pull(one, a)
    assert (a == 6).all()


def test_what_is_pushed_is_not_changed_and_not_kept(store):
    part = np.ones(SHAPE)
    store.init("w", np.zeros(SHAPE))
    store.push("w", [part, part])
    part[...] = 7
    out = np.zeros(SHAPE)
    store.pull("w", out)
    assert (out == 2).all()
    out[...] = 5
    store.pull("w", out)
    assert (out == 2).all()


def test_pushpull_and_broadcast():
    for name in ("device", "teststore"):
        store = kv.create(name)
        out = [np.zeros(SHAPE) for _ in range(3)]
        store.broadcast("k", np.ones(SHAPE), out)
        assert all((one == 1).all() for one in out)
        store.pushpull("k", out)  # in place
        assert all((one == 3).all() for one in out)
        target = np.zeros(SHAPE)
        store.pushpull("k", [np.ones(SHAPE)] * 2, out=target)
        assert (target == 2).all()


def test_rows(store):
    value = np.arange(9).reshape(3, 3) + 1
    store.init("e", value)
    for rows, kept in (([0, 2], [0, 2]), ([2, 2], [2]), ([1, 0], [0, 1]), ([], [])):
        out = np.ones((3, 3)) * 7
        store.row_sparse_pull("e", out=out, row_ids=np.array(rows, dtype="int64"))
        expected = numpy.zeros((3, 3))
        expected[kept] = value.asnumpy()[kept]
        numpy.testing.assert_array_equal(out.asnumpy(), expected)
    outs = [np.zeros((3, 3)), np.zeros((3, 3))]
    store.row_sparse_pull("e", outs, row_ids=[np.array([0]), np.array([[1, 2]])])
    assert [one.sum(axis=1).tolist() for one in outs] == [[6.0, 0.0, 0.0], [0.0, 15.0, 24.0]]
    with refusal(ArgumentError, r"rows \[3\] are outside of the 3 of 'e'"):
        store.row_sparse_pull("e", outs[0], row_ids=np.array([3]))


def test_updaters(store):
    seen = []

    def update(key, pushed, value):
        seen.append(key)
        value += pushed * 2

    store._set_updater(update)
    store.init(["v", "w"], [np.ones(SHAPE), np.ones(SHAPE)])
    for _ in range(2):
        store.push("w", [np.ones(SHAPE)] * 2)
    out = [np.zeros(SHAPE), np.zeros(SHAPE)]
    store.pull(["v", "w"], out)
    assert (seen, float(out[0].mean()), float(out[1].mean())) == (["w", "w"], 1.0, 9.0)


@pytest.mark.parametrize("name", ["sgd", "adam"])
def test_an_optimizer_updates_as_a_trainer_does(name, tmp_path):
    settings = {"learning_rate": 0.1, **({"momentum": 0.9} if name == "sgd" else {})}
    store = kv.create()
    store.set_optimizer(optimizer.create(name, **settings))
    store.init(0, np.ones(SHAPE))
    weight = gluon.Parameter("weight", shape=SHAPE, init="ones")
    weight.initialize()
    trainer = gluon.Trainer([weight], name, settings)
    out = np.zeros(SHAPE)
    for step in range(1, 6):
        gradient = np.arange(6).reshape(SHAPE) * step
        store.push(0, gradient)
        with autograd.record():
            loss = (weight.data() * gradient).sum()
        loss.backward()
        trainer.step(1)
        store.pull(0, out)
        numpy.testing.assert_allclose(out.asnumpy(), weight.data().asnumpy(), rtol=1e-6)
        if step == 3:
            store.save_optimizer_states(str(tmp_path / "states"), dump_optimizer=True)
            held = out.copy()
    again = kv.create()
    again.set_optimizer(optimizer.create(name, **settings))
    again.load_optimizer_states(str(tmp_path / "states"))
    again.init(0, held)
    for step in (4, 5):
        again.push(0, np.arange(6).reshape(SHAPE) * step)
    resumed = np.zeros(SHAPE)
    again.pull(0, resumed)
    numpy.testing.assert_array_equal(resumed.asnumpy(), out.asnumpy())


def test_registered_stores():
    @kv.KVStoreBase.register
    class Mine(kv.KVStoreBase):
        def broadcast(self, key, value, out, priority=0):
            out[...] = value

    mine = kv.create("mine")
    out = np.zeros(2)
    mine.broadcast(1, np.ones(2), out)
    assert (type(mine), out.tolist()) == (Mine, [1.0, 1.0])
    with refusal(ArgumentError, "Mine does not update weights by an optimizer"):
        mine.set_optimizer(optimizer.create("sgd"))
    with pytest.warns(UserWarning, match="replaces"):
        kv.KVStoreBase.register(Mine)
    del kv.KVStoreBase.kv_registry["mine"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda store: store.pull("x", np.zeros(SHAPE)), "'x' has no value"),
        (lambda store: store.push("x", np.zeros(SHAPE)), "'x' has no value"),
        (lambda store: store.init("a", np.zeros(SHAPE)), "'a' has a value already"),
        (lambda store: store.init(3, np.zeros(SHAPE)), "all ints or all strings"),
        (lambda store: store.pull(3, np.zeros(SHAPE)), "all ints or all strings"),
        (lambda store: store.push(2.5, np.zeros(SHAPE)), "int or a string"),
        (lambda store: store.push("a", np.zeros((3, 3))), r"f32\[2,3\], f32\[3,3\] was pushed"),
        (lambda store: store.push(["a"], np.zeros(SHAPE)), "1 keys need a list of as many values"),
        (lambda store: store.push("a", [1, 2]), "needs an array or a list of arrays"),
        (lambda store: store.pull("a"), "needs an array or a list of arrays"),
        (lambda store: store.set_optimizer("sgd"), "takes an optimizer"),
        (lambda store: store.row_sparse_pull("a", np.zeros(SHAPE)), "needs the rows"),
    ],
)
def test_refusals(store, call, words):
    store.init("a", np.ones(SHAPE))
    with refusal(HybridizeError, words):
        call(store)
    out = np.zeros(SHAPE)
    store.pull("a", out)
    assert (out == 1).all()


def test_several_machines_and_files_that_are_not_there(tmp_path):
    for name in ("dist_device_async", "nccl", "horovod"):
        with refusal(ArgumentError, "E359"):
            kv.create(name)
    with refusal(ArgumentError, "there is no store 'lokal'"):
        kv.create("lokal")
    store = kv.create()
    with refusal(ArgumentError, "E359"):
        store.set_gradient_compression({"type": "2bit"})
    with refusal(StateError, "E577"):
        store.save_optimizer_states(str(tmp_path / "states"))
    store.set_optimizer(optimizer.create("sgd"))
    with refusal(LoadError, "E600"):
        store.load_optimizer_states(str(tmp_path / "nothing"))
