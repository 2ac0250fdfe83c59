"""A user's program, as type checkers and editors see it: `test_typical.py` asks mypy, pyright and Jedi about it."""

from typing import Any, assert_type

from hybridize import Device, autograd, gluon, hybridize, init, load, lr_scheduler, metric, nd, np, npx, optimizer
from hybridize.gluon import nn, rnn
from hybridize.gluon.data import ArrayDataset, DataLoader

# Arrays and functions of them.
x = np.random.normal(size=(8, 4))
assert_type(x, np.ndarray)
assert_type(np.tanh(x), np.ndarray)
assert_type(x.sum(), np.ndarray)
assert_type(np.where(x > 0, x, 0), np.ndarray)
assert_type(np.concatenate([x, x]), np.ndarray)
assert_type(np.split(x, 2), list[np.ndarray])
assert_type(np.unique(x), np.ndarray)
assert_type(np.linalg.svd(x).S, np.ndarray)
assert_type(np.linalg.norm(x), np.ndarray)
assert_type(np.fft.rfft(x), np.ndarray)
assert_type(np.random.randint(0, 3, size=8), np.ndarray)
assert_type(npx.softmax(x), np.ndarray)
assert_type(npx.one_hot(x, 10), np.ndarray)
assert_type(x[0], np.ndarray)
assert_type(x + 1, np.ndarray)
assert_type(x @ x.T, np.ndarray)
assert_type(x.shape, tuple[int, ...])
assert_type(x.ndim, int)
assert_type(float(x.mean()), float)
assert_type(x.astype("float64").reshape(2, -1), np.ndarray)
assert_type(nd.array([1, 2]), nd.NDArray)
assert_type(nd.array([1, 2]) + 1, nd.NDArray)
assert_type(nd.ones((2, 3)), nd.NDArray)
x.attach_grad()
assert_type(x.grad, np.ndarray | None)
for row in x:
    assert_type(row, np.ndarray)


# Nets.
class Net(nn.HybridBlock):
    def __init__(self, units: int = 2) -> None:
        super().__init__()
        self.hidden = nn.Dense(16, activation="relu")
        self.out = nn.Dense(units)

    def forward(self, x: np.ndarray) -> np.ndarray:
        return self.out(self.hidden(x))


net = Net()
net.initialize(init.Xavier())
net.hybridize()
assert_type(net(x), np.ndarray)
assert_type(net.hidden, nn.Dense)
assert_type(net.hidden.weight.data(), np.ndarray)
assert_type(net.collect_params(), gluon.ParameterDict)
assert_type(hybridize(net), Net)

layers = nn.HybridSequential()
layers.add(nn.Conv2D(8, 3), nn.BatchNorm(), nn.Flatten(), nn.Dense(2))
assert_type(layers(x), np.ndarray)
assert_type(rnn.LSTM(8)(x), np.ndarray)


# Classes of the user's own, known by name.
@init.register
class Halves(init.Initializer):
    pass


@metric.alias("slowness")
@metric.register
class Slow(metric.EvalMetric):
    pass


@optimizer.register
class Still(optimizer.Optimizer):
    pass


assert_type(Halves(), Halves)
assert_type(Slow("slow"), Slow)
assert_type(Still(), Still)
assert_type(optimizer.create("still"), optimizer.Optimizer)
assert_type(x.device, Device)
assert_type(Device.default_ctx, Device)

# Training.
schedule = lr_scheduler.FactorScheduler(step=10, factor=0.9)
assert_type(schedule(3), float)
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 1e-3})
other = gluon.Trainer(net.collect_params(), optimizer.SGD(momentum=0.9))
loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
accuracy = metric.Accuracy()
loader = DataLoader(ArrayDataset(x, np.zeros((8,))), batch_size=4, shuffle=True)
assert_type(len(loader), int)
for data, label in loader:
    assert_type(data, np.ndarray)
    assert_type(label, np.ndarray)
    with autograd.record():
        loss = loss_fn(net(data), label)
    assert_type(loss, np.ndarray)
    assert_type(loss.backward(), None)
    assert_type(trainer.step(len(data)), None)
    accuracy.update(label, net(data))
    assert_type(float(loss.mean()), float)
    assert_type(autograd.grad(loss, [x]), list[np.ndarray])
assert_type(accuracy.get(), tuple[Any, Any])
for rows in DataLoader(x, batch_size=2):
    assert_type(rows, np.ndarray)


# Compiled functions keep their signatures.
@hybridize
def scaled(x: np.ndarray, k: float = 1.0) -> np.ndarray:
    return x * k


assert_type(scaled(x, k=2.0), np.ndarray)
scaled.save("scaled")
assert_type(trainer.learning_rate, float)
net.save_parameters("net.params")
net.load_parameters("net.params")
net.export("net")
again = load("net-symbol.json")
