"""Parameters on several devices: an array on each, with a gradient of its own, and blocks that use that of their input."""

import numpy
import pytest

import hybridize
from hybridize import autograd, cpu, gluon
from hybridize.array import np
from hybridize.errors import DeviceError, StateError
from hybridize.gluon import nn, rnn
from hybridize.gluon.utils import split_and_load
from tests.refusals import refusal

DEVICES = [cpu(0), cpu(1)]
WAYS = pytest.mark.parametrize("hybridized", [False, True], ids=["imperative", "hybridized"])


def parameter(devices=DEVICES, **settings):
    made = gluon.Parameter("weight", shape=(2, 3), **settings)
    made.initialize("xavier", ctx=devices)
    return made


def test_an_array_and_a_gradient_on_each_device():
    one = parameter()
    assert (
        one.list_ctx()
        == one.list_device()
        == [x.ctx for x in one.list_data()]
        == [x.ctx for x in one.list_grad()]
        == DEVICES
    )
    first, second = one.list_data()
    assert (first.asnumpy() == second.asnumpy()).all()
    assert not numpy.shares_memory(first._data, second._data)
    assert one.data(cpu(1)) is one.data(ctx=cpu(1)) is second
    assert one.data() is first
    with cpu(1):
        assert one.data() is second
        assert one.grad().ctx == cpu(1)
    for reach in (one.data, one.grad):
        with refusal(DeviceError, r"E704.*not initialized on device cpu\(5\), only on cpu\(0\), cpu\(1\)"):
            reach(cpu(5))
        with cpu(5), refusal(DeviceError, "E704"):
            reach()


def test_one_device_other_than_the_first():
    with cpu(2):
        one = parameter(None)
    assert one.list_ctx() == [cpu(2)]
    assert one.data() is one.data(cpu(2))
    assert one.data().ctx == one.grad().ctx == cpu(2)
    with refusal(DeviceError, "E704"):
        one.data(cpu(0))


def test_what_sets_one_sets_all():
    one = parameter()
    one.set_data(np.ones((2, 3)))
    assert all((x.asnumpy() == 1).all() for x in one.list_data())
    one.set_data(np.zeros((2, 3), ctx=cpu(1)))
    assert all((x.asnumpy() == 0).all() for x in one.list_data())
    assert [x.ctx for x in one.list_data()] == DEVICES
    for x in one.list_data():
        with autograd.record():
            y = (x * 3).sum()
        y.backward()
    assert all((g.asnumpy() == 3).all() for g in one.list_grad())
    one.zero_grad()
    assert all((g.asnumpy() == 0).all() for g in one.list_grad())
    one.grad_req = "add"
    for _ in range(2):
        with autograd.record():
            y = one.data(cpu(1)).sum()
        y.backward()
    assert one.grad(cpu(1)).asnumpy().tolist() == [[2] * 3] * 2
    assert one.grad(cpu(0)).asnumpy().tolist() == [[0] * 3] * 2
    one.cast("float64")
    assert {x.dtype.name for x in (*one.list_data(), *one.list_grad())} == {"float64"}
    assert [x.ctx for x in one.list_data()] == DEVICES
    one.grad_req = "null"
    with refusal(StateError, "E503"):
        one.list_grad()


def test_moving():
    one = parameter()
    one.data(cpu(1))[...] = one.data(cpu(0)).as_in_ctx(cpu(1)) + 2
    mean = one.data(cpu(0)).asnumpy() + 1
    one.reset_ctx([cpu(1), cpu(2)])
    assert one.list_ctx() == [x.ctx for x in one.list_data()] == [cpu(1), cpu(2)]
    for x in one.list_data():
        numpy.testing.assert_allclose(x.asnumpy(), mean, rtol=1e-6)
    one.reset_device(cpu(0))
    assert one.list_ctx() == [one.data().ctx] == [cpu(0)]
    waiting = gluon.Parameter("weight", shape=(0, 3), allow_deferred_init=True)
    with refusal(StateError, "E502"):
        waiting.reset_ctx(cpu(1))
    waiting.initialize(ctx=cpu(2))
    waiting.reset_ctx(DEVICES)
    waiting.complete(2, 3)
    assert [x.ctx for x in waiting.list_data()] == DEVICES


def made():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(3, 3), nn.BatchNorm(), nn.Activation("relu"), nn.Flatten(), nn.Dropout(0.5), nn.Dense(2))
    return net


@WAYS
def test_a_net_runs_where_its_input_is(hybridized):
    net = made()
    net.initialize(ctx=DEVICES)
    if hybridized:
        net.hybridize()
    data = numpy.random.default_rng(1).normal(size=(4, 2, 6, 6)).astype("float32")
    expected = net(np.array(data)).asnumpy()  # finds the shapes
    for _ in range(3):
        for device in DEVICES:
            y = net(np.array(data, ctx=device))
            assert y.ctx == device
            numpy.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-5, atol=1e-6)
    with refusal(DeviceError, "E704"):
        net(np.array(data, ctx=cpu(7)))
    net[-1].bias.data(cpu(1))[...] += 1
    assert net(np.array(data, ctx=cpu(1))).asnumpy() == pytest.approx(expected + 1, abs=1e-4)
    assert net(np.array(data)).asnumpy() == pytest.approx(expected, abs=1e-4)


@WAYS
def test_gradients_of_parts_are_those_of_the_whole(hybridized):
    net, whole = nn.Dense(2, in_units=3), nn.Dense(2, in_units=3)
    net.initialize(ctx=DEVICES)
    whole.initialize()
    for mine, theirs in ((net.weight, whole.weight), (net.bias, whole.bias)):
        theirs.set_data(mine.data())
    if hybridized:
        net.hybridize()
    data = numpy.random.default_rng(1).normal(size=(6, 3)).astype("float32")
    with autograd.record():
        losses = [(net(x) ** 2).sum() for x in split_and_load(data, DEVICES)]
        total = (whole(np.array(data)) ** 2).sum()
    autograd.backward([*losses, total])
    for mine, theirs in ((net.weight, whole.weight), (net.bias, whole.bias)):
        found = sum(g.asnumpy() for g in mine.list_grad())
        numpy.testing.assert_allclose(found, theirs.grad().asnumpy(), rtol=1e-4, atol=1e-5)


LAYERS = {
    "dense": (lambda: nn.Dense(3), (2, 3)), "dropout": (lambda: nn.Dropout(0.5), (2, 3)),
    "layer norm": (nn.LayerNorm, (2, 3)), "embedding": (lambda: nn.Embedding(4, 3), (2,)),
    "lstm": (lambda: rnn.LSTM(3), (4, 2, 3)), "gru": (lambda: rnn.GRU(3, bidirectional=True), (4, 2, 3)),
    "pooling": (nn.MaxPool1D, (1, 2, 6)), "prelu": (nn.PReLU, (2, 3)), "lambda": (lambda: nn.HybridLambda("tanh"), (2,)),
    "concurrent": (lambda: _concurrent(), (2, 3)), "bidirectional": (lambda: _unrolled(), (2, 4, 3)),
}  # fmt: skip


def _concurrent():
    net = nn.HybridConcatenate()
    net.add(nn.Dense(2), nn.Identity())
    return net


def _unrolled():
    class Net(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.cell = rnn.BidirectionalCell(rnn.LSTMCell(3), rnn.GRUCell(3))

        def forward(self, x):
            return self.cell.unroll(x.shape[1], x, layout="NTC", merge_outputs=True)[0]

    return Net()


@pytest.mark.parametrize("name", LAYERS)
@WAYS
def test_layers(name, hybridized):
    make, shape = LAYERS[name]
    net = make()
    net.initialize(ctx=DEVICES)
    if hybridized:
        net.hybridize()
    data = numpy.arange(numpy.prod(shape)).reshape(shape) % 4
    expected = net(np.array(data, dtype="float32")).asnumpy()
    for record in (False, True, True):
        x = np.array(data, dtype="float32", ctx=cpu(1))
        x.attach_grad()
        if not record:
            y = net(x)
            numpy.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-5, atol=1e-6)
        else:
            with autograd.record():
                y = net(x)
                loss = (y * y).sum()
            loss.backward()
            assert loss.ctx == x.grad.ctx == cpu(1)
        assert y.ctx == cpu(1)


@pytest.mark.parametrize(
    "loss",
    [gluon.loss.L1Loss, gluon.loss.L2Loss, gluon.loss.SoftmaxCELoss, gluon.loss.SigmoidBCELoss, gluon.loss.HuberLoss, gluon.loss.KLDivLoss],
)  # fmt: skip
@WAYS
def test_losses(loss, hybridized):
    net = loss()
    if hybridized:
        net.hybridize()
    pred = numpy.array([[0.1, 0.9], [0.4, 0.6]], "float32")
    label = numpy.array([0, 1], "float32") if loss is gluon.loss.SoftmaxCELoss else pred[::-1].copy()
    expected = net(np.array(pred), np.array(label)).asnumpy()
    for _ in range(2):
        found = net(np.array(pred, ctx=cpu(1)), np.array(label, ctx=cpu(1)))
        assert found.ctx == cpu(1)
        numpy.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-5)
    with refusal(DeviceError, "E703"):
        net(np.array(pred, ctx=cpu(1)), np.array(label))


@WAYS
def test_code_that_asks_for_the_device(hybridized):
    class Net(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.weight = gluon.Parameter("weight", shape=(3,))

        def forward(self, x):
            self.last = x + np.ones(3, ctx=x.ctx) * self.weight.data(x.ctx)
            return self.last * np.arange(3)  # on the device where the block runs

    net = Net()
    net.initialize("ones", ctx=DEVICES)
    if hybridized:
        net.hybridize()
    for _ in range(2):
        for device in DEVICES:
            y = net(np.ones(3, ctx=device))
            assert y.ctx == net.last.ctx == device
            assert y.asnumpy().tolist() == [0, 2, 4]


def test_files(tmp_path):
    net, path = nn.Dense(2, in_units=3), str(tmp_path / "net.params")
    net.initialize(ctx=DEVICES)
    net.bias.data(cpu(1))[...] = 4.0
    net.save_parameters(path)  # the mean over the devices, as in MXNet
    other = nn.Dense(2, in_units=3)
    other.load_parameters(path, ctx=[cpu(1), cpu(2)])
    assert other.weight.list_ctx() == [cpu(1), cpu(2)]
    for x in other.bias.list_data():
        assert x.asnumpy().tolist() == [2, 2]
    for x in other.weight.list_data():
        assert (x.asnumpy() == net.weight.data().asnumpy()).all()
    other.load_parameters(path)
    with refusal(DeviceError, r"E704.*is on cpu\(1\), cpu\(2\), and was to be loaded on cpu\(0\)"):
        other.load_parameters(path, ctx=cpu(0))
    net.hybridize()
    net(np.ones((1, 3), ctx=cpu(1)))
    net.export(str(tmp_path / "exported"))
    read = gluon.SymbolBlock.imports(
        str(tmp_path / "exported-symbol.json"), ["data"], str(tmp_path / "exported-0000.params")
    )
    x = numpy.ones((1, 3), "float32")
    numpy.testing.assert_allclose(read(np.array(x)).asnumpy(), net(np.array(x, ctx=cpu(1))).asnumpy(), rtol=1e-5)


def test_shared_parameters():
    first, second = nn.Dense(2, in_units=2), nn.Dense(2, in_units=2)
    second.share_parameters(first.collect_params())
    first.initialize(ctx=DEVICES)
    second.weight.set_data(np.ones((2, 2)))
    for device in DEVICES:
        assert (
            first(np.ones((1, 2), ctx=device)).asnumpy().tolist()
            == second(np.ones((1, 2), ctx=device)).asnumpy().tolist()
            == [[2, 2]]
        )


@pytest.mark.parametrize("even", [True, False])
def test_split_and_load(even):
    x = np.arange(12).reshape(6 if even else 4, -1)
    devices = [cpu(number) for number in range(3)]
    parts = split_and_load(x, devices, even_split=even)
    assert [part.ctx for part in parts] == devices
    assert [len(part) for part in parts] == ([2, 2, 2] if even else [2, 1, 1])
    assert numpy.concatenate([part.asnumpy() for part in parts]).tolist() == x.tolist()
    columns = split_and_load(x, devices[:1] * 2 if even else devices[:2], batch_axis=1, even_split=False)
    assert numpy.concatenate([part.asnumpy() for part in columns], 1).tolist() == x.tolist()
    parts[0][...] = -1
    assert x[0, 0].item() == -1  # where the batch is already, a part is a view
    parts[1][...] = -1
    assert x[2, 0].item() != -1


def test_the_books_training_on_several_devices():
    """`lenet` by hand, as the book writes it: parameters copied to each device, gradients summed, all updated."""
    hybridize.random.seed(0)
    weights = [np.random.normal(size=(3, 4)) * 0.3, np.zeros(4)]

    def get_params(params, device):
        new_params = [p.copyto(device) for p in params]
        for p in new_params:
            p.attach_grad()
        return new_params

    def allreduce(data):
        for i in range(1, len(data)):
            data[0][:] += data[i].copyto(data[0].ctx)
        for i in range(1, len(data)):
            data[0].copyto(data[i])

    device_params = [get_params(weights, device) for device in DEVICES]
    X, y = np.random.normal(size=(8, 3)), np.random.normal(size=(8, 4))
    before = None
    for _ in range(20):
        X_shards, y_shards = split_and_load(X, DEVICES), split_and_load(y, DEVICES)
        with autograd.record():
            losses = [
                ((np.dot(a, W) + b - t) ** 2).sum()
                for a, t, (W, b) in zip(X_shards, y_shards, device_params, strict=True)
            ]
        for loss in losses:
            loss.backward()
        with autograd.pause():
            for i in range(len(device_params[0])):
                allreduce([device_params[c][i].grad for c in range(len(DEVICES))])
        for params in device_params:
            for p in params:
                p[:] = p - 0.02 * p.grad
        total = sum(float(loss) for loss in losses)
        before = before or total
    assert total < 0.7 * before
    for one, other in zip(*device_params, strict=True):
        assert (one.ctx, other.ctx) == tuple(DEVICES)
        assert (one.asnumpy() == other.asnumpy()).all()


LOSSES = {
    "entropy": gluon.loss.SoftmaxCrossEntropyLoss(),
    "squares": gluon.loss.L2Loss(),
    "binary entropy": gluon.loss.SigmoidBCELoss(),
    "huber": gluon.loss.HuberLoss(),
}


@pytest.mark.parametrize("loss", LOSSES)
def test_steps_have_the_same_bits_whatever_devices_are_used(loss):
    draws = numpy.random.default_rng(0)
    x = draws.normal(size=(16, 36)).astype("float32")
    y = draws.integers(0, 3, 16) if loss == "entropy" else draws.random((16, 3)).astype("float32")

    def stepped(device):
        hybridize.random.seed(3)
        net = nn.HybridSequential()
        net.add(nn.Dense(64, "relu"), nn.LayerNorm(), nn.Dense(20, "sigmoid"), nn.BatchNorm(), nn.Dense(3))
        net.initialize(ctx=device)
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.05})
        data, label = np.array(x, ctx=device), np.array(y, ctx=device, dtype=y.dtype)
        results = []
        for _ in range(3):
            with autograd.record():
                value = LOSSES[loss](net(data), label)
            value.backward()
            trainer.step(16)
            assert value.ctx == net(data).ctx == device
            results += [value.asnumpy(), net(data).asnumpy()]
        return results

    first = stepped(cpu(0))
    for device in (cpu(0), cpu(1)):
        np.zeros(1, ctx=cpu(1))  # from here on devices are looked at
        assert all((one == other).all() for one, other in zip(stepped(device), first, strict=True))
