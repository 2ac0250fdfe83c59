# SPDX-License-Identifier: Apache-2.0
"""A user's first quarter of an hour, for machines that are too slow for the tests: an emulator, say.

    python -m tests.platforms.probe [ARCHIVE]

Imports, computes imperatively and hybridized, trains, exports, saves and loads; then calls a function that another
machine has saved. It prints one line of facts, and fails where a result is wrong.
"""

import sys
import tempfile
from pathlib import Path

import numpy

from hybridize import autograd, gluon, hybridize, load, np
from hybridize.codegen.levels import runnable
from hybridize.compiler import default_target
from hybridize.gluon import SymbolBlock, nn
from hybridize.runtime import cpython

numpy.random.seed(0)


def same(a: np.ndarray, b: np.ndarray) -> None:
    """Check that two results differ by no more than roundings."""
    numpy.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-4, atol=1e-5)


@hybridize
def doubled(x):
    """Return a sum, whose value is known."""
    return (x * 2 + 1).sum()


def main() -> None:
    """Run it all."""
    for _ in range(3):
        assert doubled(np.ones((3, 4))).item() == 36
    net = nn.HybridSequential()
    net.add(nn.Dense(32, activation="relu"), nn.Dense(16, activation="tanh"), nn.Dense(2))
    net.initialize()
    x = np.array(numpy.random.normal(size=(5, 24)).astype("float32"))
    imperative = net(x)
    net.hybridize()
    for _ in range(3):
        same(net(x), imperative)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 1e-2})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()

    @hybridize
    def train(x, y):
        with autograd.record():
            loss = loss_of(net(x), y)
        loss.backward()
        trainer.step(len(x))
        return loss.mean()

    losses = [train(x, np.array([0, 1, 0, 1, 1])).item() for _ in range(5)]
    assert losses == sorted(losses, reverse=True), losses
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        net.export(folder / "net")
        again = SymbolBlock.imports(str(folder / "net-symbol.json"), ["data"], str(folder / "net-0000.params"))
        same(again(x), net(x))
        doubled.save(folder / "doubled")
        assert load(folder / "doubled")(np.ones((3, 4))).item() == 36
    for path in sys.argv[1:]:
        saved = load(path)
        for _ in range(3):
            assert saved(np.ones((3, 4))).item() == 36
    print(sys.version.split()[0], numpy.__version__, *runnable(), "for", default_target().name, cpython.supported())


if __name__ == "__main__":
    main()
