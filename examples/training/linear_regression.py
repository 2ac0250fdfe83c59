"""Linear regression twice: from scratch, with nothing but arrays and gradients, and in a few lines of Gluon.

    python examples/training/linear_regression.py

Each is trained imperatively, then hybridized. Exits with an error when the losses of the two differ, or when the
weights that the data were made with are not found.
"""

import numpy

from hybridize import autograd, gluon, hybridize, init, np, random
from hybridize.gluon import nn

TRUE_W, TRUE_B = [2.0, -3.4], 4.2
BATCH, EPOCHS, RATE = 10, 3, 0.03


def synthetic_data(count, dtype):
    """Points of a plane, and a little noise."""
    x = random.normal(size=(count, 2)).astype(dtype)
    y = np.dot(x, np.array(TRUE_W, dtype=dtype)) + TRUE_B
    return x, y + random.normal(size=y.shape).astype(dtype) * 0.01


def batches(x, y):
    """What a loader does: all examples in random order, ten at a time."""
    order = random.permutation(len(x))
    for i in range(0, len(x), BATCH):
        some = order[i : i + BATCH]
        yield x[some], y[some]


def squared_loss(x, y, w, b):
    return (np.dot(x, w) + b - y) ** 2 / 2


def from_scratch(compiled, dtype="float32", epochs=EPOCHS):
    """The loss of every step, and the weights."""
    random.seed(1)
    x, y = synthetic_data(1000, dtype)
    w = random.normal(0, 0.01, size=(2,)).astype(dtype)
    b = np.zeros((), dtype=dtype)
    w.attach_grad()
    b.attach_grad()
    loss_of = hybridize(squared_loss) if compiled else squared_loss
    losses = []
    for _ in range(epochs):
        for some_x, some_y in batches(x, y):
            with autograd.record():
                loss = loss_of(some_x, some_y, w, b)
            loss.backward()
            for parameter in (w, b):
                parameter -= RATE * parameter.grad / BATCH
            losses.append(float(loss.mean()))
    return losses, w.asnumpy(), float(b)


def concise(compiled, dtype="float32", epochs=EPOCHS):
    """The same with a layer, a loss, a loader and a trainer."""
    random.seed(1)
    x, y = synthetic_data(1000, dtype)
    net = nn.Dense(1, in_units=2, dtype=dtype)
    net.initialize(init.Normal(0.01))
    if compiled:
        net.hybridize()
    loss_of = gluon.loss.L2Loss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": RATE})
    loader = gluon.data.DataLoader(gluon.data.ArrayDataset(x, y), BATCH, shuffle=True)
    losses = []
    for _ in range(epochs):
        for some_x, some_y in loader:
            with autograd.record():
                loss = loss_of(net(some_x), some_y)
            loss.backward()
            trainer.step(BATCH)
            losses.append(float(loss.mean()))
    return losses, net.weight.data().asnumpy()[0], float(net.bias.data()[0])


def main():
    for train in (from_scratch, concise):
        imperative, w, b = train(compiled=False)
        compiled, *_ = train(compiled=True)
        numpy.testing.assert_allclose(compiled[:10], imperative[:10], rtol=1e-4)
        print(f"{train.__name__}: loss {imperative[0]:.3f} -> {imperative[-1]:.6f}, w = {w}, b = {b:.3f}")
        numpy.testing.assert_allclose(w, TRUE_W, atol=0.01)
        numpy.testing.assert_allclose(b, TRUE_B, atol=0.01)
    print("Compiled and imperative losses are the same; the weights were found.")


if __name__ == "__main__":
    main()
