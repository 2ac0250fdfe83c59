"""Softmax regression on handwritten digits: from scratch, and with Gluon's layer, loss, trainer and metric.

    pip install "hybridize[data]"
    python examples/training/softmax_regression.py

Each is trained imperatively, then hybridized. Exits with an error when the losses of the two differ, or when fewer
than 93 % of the test digits are told right.
"""

import numpy

from hybridize import autograd, gluon, hybridize, init, np, random
from hybridize.gluon import data, nn

BATCH, EPOCHS, RATE = 64, 10, 0.5
GOAL = 0.93


def digits(dtype):
    """Loaders of the digits to train and to test with."""
    train, test = (
        data.sets.digits(train).transform_first(lambda x: x.astype(dtype), lazy=False) for train in (True, False)
    )
    return data.DataLoader(train, BATCH, shuffle=True), data.DataLoader(test, 256)


def softmax(x):
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def cross_entropy(x, y, w, b):
    """The negative logarithm of what the model thinks of the right digit."""
    probability = softmax(np.dot(x, w) + b)
    return -np.log(np.sum(probability * (y.reshape(-1, 1) == np.arange(10)), axis=1))


def from_scratch(compiled, dtype="float32", epochs=EPOCHS):
    """The loss of every step, and the accuracy on digits not seen."""
    random.seed(2)
    train, test = digits(dtype)
    w = random.normal(0, 0.01, size=(64, 10)).astype(dtype)
    b = np.zeros((10,), dtype=dtype)
    w.attach_grad()
    b.attach_grad()
    loss_of = hybridize(cross_entropy) if compiled else cross_entropy
    losses = []
    for _ in range(epochs):
        for x, y in train:
            with autograd.record():
                loss = loss_of(x, y, w, b)
            loss.backward()
            for parameter in (w, b):
                parameter -= RATE * parameter.grad / len(x)
            losses.append(float(loss.mean()))
    right = sum(int((np.argmax(np.dot(x, w) + b, axis=1) == y).sum()) for x, y in test)
    return losses, right / sum(len(y) for _, y in test)


def concise(compiled, dtype="float32", epochs=EPOCHS):
    """The same, of parts."""
    random.seed(2)
    train, test = digits(dtype)
    net = nn.Dense(10, in_units=64, dtype=dtype)
    net.initialize(init.Normal(0.01))
    if compiled:
        net.hybridize()
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": RATE})
    losses = []
    for _ in range(epochs):
        for x, y in train:
            with autograd.record():
                loss = loss_of(net(x), y)
            loss.backward()
            trainer.step(len(x))
            losses.append(float(loss.mean()))
    accuracy = gluon.metric.Accuracy()
    for x, y in test:
        accuracy.update(y, net(x))
    return losses, accuracy.get()[1]


def main():
    for train in (from_scratch, concise):
        imperative, right = train(compiled=False)
        compiled, right_compiled = train(compiled=True)
        numpy.testing.assert_allclose(compiled[:10], imperative[:10], rtol=1e-4)
        name = train.__name__
        print(f"{name}: loss {imperative[0]:.3f} -> {imperative[-1]:.3f}, {right:.1%} of the test digits are right")
        if min(right, right_compiled) < GOAL:
            raise SystemExit(f"fewer than {GOAL:.0%} are right")
    print("Compiled and imperative losses are the same.")


if __name__ == "__main__":
    main()
