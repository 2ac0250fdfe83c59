"""What asynchronous calls save: NumPy prepares a batch while the step of the last one runs.

    python benchmarks/asynchronous.py [--rounds 7] [--steps 60] [--threads 1] [--batch 64] [--figures FILE]

A training loop of LeNet, the whole step as one program. A batch is cut out of larger images at random, mirrored, made
float and normalized by NumPy, so often that it takes about as long as the step. Four loops, in turn in each round: the
steps alone, the preparation alone, both with calls that return when they are done, both with asynchronous ones. Losses
are read at the end. Given is the time of one step of the best round. With two processors and one thread for the step,
the last loop can come down to the longer one of the first two. `eager` prepares with arrays of hybridize instead.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy

import hybridize
from hybridize import autograd, engine, gluon, np

Batch = tuple[Any, Any]


def stepper(batch: int, threads: int) -> Callable[[Any, Any], Any]:
    """A training step of LeNet as one program, as `hybridize bench train-lenet-64`."""
    net = gluon.nn.HybridSequential()
    for channels, padding in ((6, 2), (16, 0)):
        net.add(gluon.nn.Conv2D(channels, 5, padding=padding, activation="relu"), gluon.nn.MaxPool2D(2, 2))
    net.add(*(gluon.nn.Dense(units, activation=kind) for units, kind in ((120, "relu"), (84, "relu"), (10, None))))
    net.initialize()
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
    net(np.zeros((batch, 1, 28, 28)))

    def step(x: Any, y: Any) -> Any:
        with autograd.record():
            loss = loss_fn(net(x), y)
        loss.backward()
        trainer.step(batch)
        return loss.mean()

    compiled: Callable[[Any, Any], Any] = hybridize.hybridize(step, threads=threads)
    return compiled


class Images:
    """Random images, and batches made of them."""

    def __init__(self, batch: int) -> None:
        self.random = numpy.random.default_rng(0)
        self.pixels = self.random.integers(0, 256, (2000, 32, 32), dtype=numpy.uint8)
        self.labels = self.random.integers(0, 10, 2000).astype("int64")
        self.batch = batch
        self.passes = 1

    def cut(self) -> tuple[Any, Any]:
        """Images cut out at random, and their labels."""
        chosen = self.random.integers(0, len(self.pixels), self.batch)
        top, left = self.random.integers(0, 5, 2)
        found = self.pixels[chosen, top : top + 28, left : left + 28]
        return (found[:, :, ::-1] if self.random.random() < 0.5 else found), self.labels[chosen]

    def by_numpy(self) -> Batch:
        for _ in range(self.passes):
            found, labels = self.cut()
            x = found.astype("float32")
            x = (x - x.mean((1, 2), keepdims=True)) / (x.std((1, 2), keepdims=True) + 1e-3)
        return np.array(x[:, None]), np.array(labels)

    def eager(self) -> Batch:
        for _ in range(self.passes):
            found, labels = self.cut()
            x = np.array(found.astype("float32"))
            x = (x - x.mean((1, 2), keepdims=True)) / (x.std((1, 2), keepdims=True) + 1e-3)
        return x.reshape(self.batch, 1, 28, 28), np.array(labels)


def timed(loop: Callable[[], Any], steps: int) -> float:
    """Microseconds of one step."""
    start = time.perf_counter()
    loop()
    return (time.perf_counter() - start) / steps * 1e6


def measure(step: Callable[[Any, Any], Any], prepare: Callable[[], Batch], rounds: int, steps: int) -> dict[str, float]:
    ready = prepare()

    def alone() -> None:
        float([step(*ready) for _ in range(steps)][-1])

    def preparing() -> None:
        for _ in range(steps):
            prepare()

    def both() -> None:
        float([step(*prepare()) for _ in range(steps)][-1])

    def asynchronous() -> None:
        with engine.asynchronous():
            both()

    loops = {"step": alone, "preparation": preparing, "one after the other": both, "asynchronous": asynchronous}
    best = dict.fromkeys(loops, float("inf"))
    for _ in range(rounds):
        for name, loop in loops.items():
            best[name] = min(best[name], timed(loop, steps))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--threads", type=int, default=1, help="of the step")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--figures", type=Path, help="write the figures here, as JSON")
    options = parser.parse_args()
    step, images = stepper(options.batch, options.threads), Images(options.batch)
    x, y = images.by_numpy()
    for _ in range(5):
        step(x, y)
    duration = min(timed(lambda: step(x, y), 1) for _ in range(20))
    figures = {}
    for prepare in (images.by_numpy, images.eager):
        images.passes = 1
        images.passes = max(1, round(duration / min(timed(prepare, 1) for _ in range(20))))
        found = measure(step, prepare, options.rounds, options.steps)
        longer = max(found["step"], found["preparation"])
        print(f"{prepare.__name__}: microseconds of one step, {options.threads} thread(s), {options.batch} images")
        for name, value in found.items():
            print(f"    {name:22} {value:9.0f}")
        print(f"    asynchronous ÷ one after the other {found['asynchronous'] / found['one after the other']:6.2f}")
        print(f"    asynchronous ÷ the longer part     {found['asynchronous'] / longer:6.2f}", flush=True)
        figures |= {f"{prepare.__name__}: {name}": value for name, value in found.items()}
    if options.figures:
        options.figures.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
