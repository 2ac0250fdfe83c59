"""A multilayer perceptron on handwritten digits, with dropout and weight decay against learning by heart.

    pip install "hybridize[data]"
    python examples/training/mlp.py

Trained imperatively, then with a hybridized net, then with the whole step as one program: forward, backward, update.
All draw the same dropout. Exits with an error when their losses differ, or when fewer than 95 % of the test digits are
told right.
"""

import time

import numpy

from hybridize import autograd, gluon, hybridize, init, lr_scheduler, random
from hybridize.gluon import data, nn

BATCH, EPOCHS = 64, 12
GOAL = 0.95


def perceptron(dropout=0.2):
    """64 -> 256 -> 128 -> 10."""
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu", in_units=64), nn.Dropout(dropout))
    net.add(nn.Dense(128, activation="relu", in_units=256), nn.Dropout(dropout))
    net.add(nn.Dense(10, in_units=128))
    net.initialize(init.Xavier())
    return net


def accuracy(net, loader):
    metric = gluon.metric.Accuracy()
    for x, y in loader:
        metric.update(y, net(x))
    return metric.get()[1]


def train(compiled=None, dtype="float32", epochs=EPOCHS, dropout=0.2, decay=1e-3):
    """The loss of every step, the accuracy on digits not seen, and seconds an epoch.

    `compiled` is None, "net" or "step".
    """
    random.seed(3)
    training, testing = data.sets.digits(True), data.sets.digits(False)
    if dtype != "float32":
        training, testing = (one.transform_first(lambda x: x.astype(dtype), lazy=False) for one in (training, testing))
    loader = data.DataLoader(training, BATCH, shuffle=True)
    net = perceptron(dropout)
    net.cast(dtype)
    if compiled == "net":
        net.hybridize()
    net.collect_params(".*bias").setattr("wd_mult", 0)  # weights decay, offsets do not
    schedule = lr_scheduler.CosineScheduler(len(loader) * EPOCHS, base_lr=0.1, final_lr=0.001)
    options = {"momentum": 0.9, "wd": decay, "lr_scheduler": schedule}
    trainer = gluon.Trainer(net.collect_params(), "sgd", options)
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()

    def step(x, y):
        with autograd.record():
            loss = loss_of(net(x), y)
        loss.backward()
        trainer.step(len(x))
        return loss.mean()

    if compiled == "step":
        step = hybridize(step)
    losses, start = [], time.perf_counter()
    for _ in range(epochs):
        losses += [float(step(x, y)) for x, y in loader]
    seconds = (time.perf_counter() - start) / epochs
    return losses, accuracy(net, data.DataLoader(testing, 256)), seconds


def main():
    first = None
    for compiled in (None, "net", "step"):
        losses, right, seconds = train(compiled)
        first = first or losses
        numpy.testing.assert_allclose(losses[:10], first[:10], rtol=1e-4)
        last = sum(losses[-20:]) / 20
        name = f"{compiled} compiled" if compiled else "imperative"
        print(f"{name:13} loss {losses[0]:.3f} -> {last:.4f}, {right:.1%} right, {seconds * 1e3:.0f} ms an epoch")
        if right < GOAL:
            raise SystemExit(f"fewer than {GOAL:.0%} are right")
    print("Compiled and imperative losses are the same.")


if __name__ == "__main__":
    main()
