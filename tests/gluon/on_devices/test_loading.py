"""What is loaded from files runs on the device that `load` names, or on the present one."""

import copy
import pickle

import numpy
import pytest

import hybridize
from hybridize import cpu, gpu
from hybridize.array import np
from hybridize.errors import DeviceError, PlacementError, ValueArgumentError
from hybridize.gluon import data, nn
from tests.refusals import refusal


@pytest.fixture
def saved(tmp_path):
    """A net on a device, its input there, what it gives, and the folder of its files."""
    net = nn.HybridSequential()
    net.add(nn.Dense(4, activation="relu"), nn.Dense(2))
    net.initialize(ctx=gpu(0))
    net.hybridize()
    x = np.ones((2, 3), ctx=gpu(0))
    y = net(x).asnumpy()
    net.save(str(tmp_path / "net.hyb"))
    net.export(str(tmp_path / "net"))
    net.export(str(tmp_path / "net"), format="onnx")
    return x, y, tmp_path


def test_an_archive(saved):
    x, y, folder = saved
    for one in (hybridize.load(folder / "net.hyb", device=gpu(0)), hybridize.load(folder / "net.hyb", device="gpu(0)")):
        assert one(x).device == gpu(0)
        assert one(x).asnumpy().tolist() == y.tolist()
    with gpu(1):
        there = hybridize.load(folder / "net.hyb")
    numpy.testing.assert_array_equal(there(x.as_in_ctx(gpu(1))).asnumpy(), y)
    here = hybridize.load(folder / "net.hyb")
    numpy.testing.assert_allclose(here(x.as_in_ctx(cpu())).asnumpy(), y, rtol=1e-5, atol=1e-6)
    with refusal(DeviceError, r"was loaded on the host, and is called with f32\[2,3\] on gpu\(0\)"):
        here(x)
    with refusal(DeviceError, r"was loaded on gpu\(1\), and is called with f32\[2,3\] on cpu\(0\)"):
        there(x.as_in_ctx(cpu()))
    with refusal(DeviceError, "E701"):
        hybridize.load(folder / "net.hyb", device=gpu(7))


def test_copies_stay_on_the_device(saved):
    x, y, folder = saved
    function = hybridize.load(folder / "net.hyb", device=gpu(0))
    for one in (copy.deepcopy(function), pickle.loads(pickle.dumps(function))):
        assert one(x).device == gpu(0)
        assert one(x).asnumpy().tolist() == y.tolist()
    function.save(str(folder / "again.hyb"))
    assert hybridize.load(folder / "again.hyb", device=gpu(0))(x).asnumpy().tolist() == y.tolist()


def test_a_net_that_counts_its_calls_is_written_after_the_first(tmp_path):
    class Counting(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.dense, self.calls = nn.Dense(2, in_units=3), 0

        def forward(self, x):
            self.calls += 1
            return self.dense(x) + np.ones(2)

    net = Counting()
    net.initialize(ctx=gpu(0))
    net.hybridize()
    x = np.ones((2, 3), ctx=gpu(0))
    with gpu(0):
        y = net(x).asnumpy()
    written = net.export(tmp_path / "net", format="archive")
    assert any("as expected" in line for line in written.checks) and "'calls' of Counting" in written.left_out[0]
    assert hybridize.load(tmp_path / "net", device=gpu(0))(x).asnumpy().tolist() == y.tolist()


@pytest.mark.parametrize("name", ["net-symbol.json", "net.onnx"])
def test_a_model(saved, name):
    x, y, folder = saved
    there = hybridize.load(folder / name, device=gpu(0))
    assert there(x).device == gpu(0)
    numpy.testing.assert_allclose(there(x).asnumpy(), y, rtol=1e-5, atol=1e-6)  # operation by operation
    here = hybridize.load(folder / name)
    numpy.testing.assert_allclose(here(x.as_in_ctx(cpu())).asnumpy(), y, rtol=1e-5, atol=1e-6)
    with refusal(PlacementError, r"was not initialized on device gpu\(0\), only on cpu\(0\)"):
        here(x)


def test_numbers_and_state(tmp_path):
    """Numbers of a call are no arrays; a state of the file is on the device."""
    total = np.zeros((2,), ctx=gpu(0))

    @hybridize.hybridize
    def add(x, by):
        global_total = total
        global_total += x * by
        return global_total.sum()

    x = np.array([1.0, 2.0], ctx=gpu(0))
    add(x, 2.0)
    add.save(str(tmp_path / "add.hyb"))
    again = hybridize.load(tmp_path / "add.hyb", device=gpu(1))
    y = x.as_in_ctx(gpu(1))
    assert [float(again(y, 3.0)), float(again(y, 1.0))] == [15.0, 18.0]
    assert total.asnumpy().tolist() == [2.0, 4.0]


def test_batches_of_samples_on_a_device():
    """Each function that makes batches leaves samples where they are."""
    x = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], ctx=gpu(1))
    batchify = data.batchify
    pairs = [(x[0], x[1, :1]), (x[2], x[1])]
    for function, samples, expected in (
        (batchify.Stack(), [x[0], x[2]], [[1, 2], [5, 6]]), (batchify.Pad(val=-1), [x[0], x[2, 1:]], [[1, 2], [6, -1]]), (batchify.Pad(dtype="int32", round_to=3), [x[0]], [[1, 2, 0]]),
        (batchify.Append(), [x[0], x[2, 1:]], [[[1, 2]], [[6]]]), (batchify.Append(expand=False), [x[0]], [[1, 2]]), (batchify.Group(batchify.Stack(), batchify.Pad()), pairs, [[[1, 2], [5, 6]], [[3, 0], [3, 4]]]),
        (data.batchify.default_batchify_fn, [(x[0], 1), (x[2], 2)], [[[1, 2], [5, 6]], [1, 2]]),
    ):  # fmt: skip
        batch = function(samples)
        parts = list(batch) if isinstance(batch, (list, tuple)) else [batch]
        assert [one.tolist() for one in parts] == (expected if isinstance(batch, (list, tuple)) else [expected])
        assert parts[0].ctx == gpu(1)
    with refusal(ValueArgumentError, r"E379: the samples of a batch must have one shape, got \(2,\), \(1,\)"):
        batchify.Stack()([x[0], x[2, 1:]])


def test_workers_say_that_they_have_no_device():
    samples = data.ArrayDataset(np.ones((4, 3), ctx=gpu(0)), numpy.arange(4))
    assert [(x.ctx, y.tolist()) for x, y in data.DataLoader(samples, 2)] == [(gpu(0), [0, 1]), (gpu(0), [2, 3])]
    with refusal(
        DeviceError,
        r"E708: this process was forked after its parent had used.*\nhelp: start it by multiprocessing's 'spawn'",
    ):
        next(iter(data.DataLoader(samples, 2, num_workers=1)))
