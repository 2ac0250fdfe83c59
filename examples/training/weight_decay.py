"""Weight decay where it matters: 200 features, 20 examples to learn from.

    python examples/training/weight_decay.py

Without decay the examples are learned by heart and nothing is understood; with it the error on other examples is less.
Exits with an error when that is not so, or when compiled and imperative losses differ.
"""

import numpy

from hybridize import autograd, gluon, init, np, random
from hybridize.gluon import data, nn

FEATURES, KNOWN, OTHERS = 200, 20, 100
BATCH, EPOCHS, RATE = 5, 60, 0.003


def train(decay, compiled=False, dtype="float32", epochs=EPOCHS):
    """The loss of every step, the loss on other examples, and the length of the weights."""
    random.seed(4)
    x = random.normal(size=(KNOWN + OTHERS, FEATURES)).astype(dtype)
    noise = random.normal(0, 0.01, size=(KNOWN + OTHERS, 1)).astype(dtype)
    y = 0.05 + 0.01 * x.sum(axis=1, keepdims=True) + noise
    net = nn.Dense(1, in_units=FEATURES, dtype=dtype)
    net.initialize(init.Normal(1))
    if compiled:
        net.hybridize()
    net.bias.wd_mult = 0
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": RATE, "wd": decay})
    loss_of = gluon.loss.L2Loss()
    loader = data.DataLoader(data.ArrayDataset(x[:KNOWN], y[:KNOWN]), BATCH, shuffle=True)
    losses = []
    for _ in range(epochs):
        for some_x, some_y in loader:
            with autograd.record():
                loss = loss_of(net(some_x), some_y)
            loss.backward()
            trainer.step(BATCH)
            losses.append(float(loss.mean()))
    other = float(loss_of(net(x[KNOWN:]), y[KNOWN:]).mean())
    return losses, other, float(np.sqrt((net.weight.data() ** 2).sum()))


def main():
    others = []
    for decay in (0, 3):
        imperative, other, length = train(decay)
        compiled, *_ = train(decay, compiled=True)
        numpy.testing.assert_allclose(compiled[:10], imperative[:10], rtol=1e-4)
        last = sum(imperative[-4:]) / 4
        print(f"decay {decay}: loss {last:.2g} on known examples, {other:.2g} on others; |w| = {length:.2f}")
        others.append(other)
    if others[1] > others[0] / 2:
        raise SystemExit("weight decay did not help")


if __name__ == "__main__":
    main()
