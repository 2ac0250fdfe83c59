"""Makes the training step that the programs of this folder run, and the losses that Python gets with it.

    python examples/deploy/train/make_step.py [FOLDER]

The library `step`, with its files for C++, Fortran, Rust, CMake and pkg-config; eight batches (step.x.f32, step.y.f32),
and the losses of a hundred steps (step.losses.f32), as raw little-endian files. FOLDER is `models`, beside this file,
unless given.
"""

import sys
from pathlib import Path

import numpy

import hybridize
from hybridize import autograd, gluon, np
from hybridize.gluon import nn

STEPS, BATCHES, ROWS = 100, 8, 32


def get_step():
    """A net with dropout, Adam, and a step that updates it: images [32,64] and labels [32] to the mean loss."""
    net = nn.HybridSequential()
    net.add(nn.Dense(48, activation="relu"), nn.Dropout(0.2), nn.Dense(10))
    net.initialize("xavier")
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()

    @hybridize.hybridize
    def step(images, labels):
        with autograd.record():
            loss = loss_of(net(images), labels)
        loss.backward()
        trainer.step(len(images))
        return loss.mean()

    return step


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "models")
    folder.mkdir(parents=True, exist_ok=True)
    hybridize.random.seed(0)
    draw = numpy.random.default_rng(0)
    labels = draw.integers(0, 10, (BATCHES, ROWS))
    images = draw.standard_normal((BATCHES, ROWS, 64)) + numpy.eye(10, 64)[labels] * 3
    x, y = images.astype("<f4"), labels.astype("<f4")
    step = get_step()
    step(np.array(x[0]), np.array(y[0]))
    print(step.export(folder / "step", format="library", version="1.0.0",
                      bindings=["cpp", "fortran", "rust", "cmake", "pkg-config"]))  # fmt: skip
    losses = [step(np.array(x[k % BATCHES]), np.array(y[k % BATCHES])).item() for k in range(STEPS)]
    for name, array in (("x", x), ("y", y), ("losses", numpy.array(losses, "<f4"))):
        array.tofile(folder / f"step.{name}.f32")


if __name__ == "__main__":
    main()
