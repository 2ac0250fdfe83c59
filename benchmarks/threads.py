# SPDX-License-Identifier: Apache-2.0
"""What a second thread is worth, against what a second process is: the machine's own limit for two of anything.

    python benchmarks/threads.py [--rounds 30] [--window-ms 40] [--threads 2] [--only NAME ...]

In each round one process runs a kernel alone on one thread, then as many processes as there are threads run it at the
same time, each on data of its own, then one process runs it with that many threads. Each runs for a window; what
counts is the best window of each kind. `processes` and `threads` are how much more work is done than by one, and
`ratio` is threads over processes: the issue asks for 0.85.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy
from hybridize_bench import networks
from hybridize_bench.peers import ours
from hybridize_bench.peers.sequences import ours as sequences
from hybridize_bench.sequences.inference import SEQUENCES

import hybridize
from hybridize import autograd, gluon, np, npx

Call = Callable[[], Any]


def mlp(threads: int) -> Call:
    net = gluon.nn.HybridSequential()
    for units, activation in ((256, "relu"), (128, "relu"), (2, None)):
        net.add(gluon.nn.Dense(units, activation=activation))
    net.initialize()
    net.hybridize(threads=threads)
    x = np.random.normal(0, 1, (1024, 512))
    return lambda: net(x)


def convolution(channels: int, size: int, strides: int = 1) -> gluon.nn.Conv2D:
    return gluon.nn.Conv2D(channels, size, strides, size // 2, activation="relu")


def inception(c1: int, c2: tuple[int, int], c3: tuple[int, int], c4: int) -> gluon.nn.HybridConcurrent:
    """Four branches, joined along the channels."""
    block = gluon.nn.HybridConcurrent(axis=1)
    block.add(convolution(c1, 1))
    for parts in (
        (convolution(c2[0], 1), convolution(c2[1], 3)),
        (convolution(c3[0], 1), convolution(c3[1], 5)),
        (gluon.nn.MaxPool2D(3, 1, 1), convolution(c4, 1)),
    ):
        branch = gluon.nn.HybridSequential()
        branch.add(*parts)
        block.add(branch)
    return block


STAGES = (
    ((64, (96, 128), (16, 32), 32), (128, (128, 192), (32, 96), 64)),
    (
        (192, (96, 208), (16, 48), 64),
        (160, (112, 224), (24, 64), 64),
        (128, (128, 256), (24, 64), 64),
        (112, (144, 288), (32, 64), 64),
        (256, (160, 320), (32, 128), 128),
    ),
    ((256, (160, 320), (32, 128), 128), (384, (192, 384), (48, 128), 128)),
)
"""Channels of GoogLeNet's blocks."""


def googlenet(size: int) -> Callable[[int], Call]:
    """GoogLeNet on one image."""

    def make(threads: int) -> Call:
        net = gluon.nn.HybridSequential()
        net.add(convolution(64, 7, 2), gluon.nn.MaxPool2D(3, 2, 1), convolution(64, 1), convolution(192, 3))
        for stage in STAGES:
            net.add(gluon.nn.MaxPool2D(3, 2, 1), *(inception(*channels) for channels in stage))
        net.add(gluon.nn.GlobalAvgPool2D(), gluon.nn.Dense(1000))
        net.initialize()
        net.hybridize(threads=threads)
        x = np.random.normal(0, 1, (1, 3, size, size))
        return lambda: net(x)

    return make


def resnet(threads: int) -> Call:
    """ResNet-18 on one image, as `hybridize bench resnet18-1`."""
    network = networks.resnet18()
    net = ours.Layers2D(network, network.arrays())
    net.hybridize(threads=threads)
    x = np.array(network.input(1))
    return lambda: net(x)


def lenet_step(threads: int) -> Call:
    """A training step of LeNet on 64 images, as `hybridize bench train-lenet-64`."""
    net = gluon.nn.HybridSequential()
    for channels, padding in ((6, 2), (16, 0)):
        net.add(gluon.nn.Conv2D(channels, 5, padding=padding, activation="relu"), gluon.nn.MaxPool2D(2, 2))
    net.add(*(gluon.nn.Dense(units, activation=kind) for units, kind in ((120, "relu"), (84, "relu"), (10, None))))
    net.initialize()
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
    x, y = np.random.normal(0, 1, (64, 1, 28, 28)), np.array(numpy.arange(64) % 10)
    net(x)

    def step(x: Any, y: Any) -> Any:
        with autograd.record():
            loss = loss_fn(net(x), y)
        loss.backward()
        trainer.step(64)
        return loss.mean()

    compiled = hybridize.hybridize(step, threads=threads)
    return lambda: compiled(x, y)


def recurrent(threads: int) -> Call:
    """A layer of LSTM, as `hybridize bench lstm-32`."""
    return sequence(sequences.recurrence, "lstm-32", threads)


def encoder(threads: int) -> Call:
    """A Transformer encoder, as `hybridize bench transformer-1`."""
    return sequence(sequences.encoder, "transformer-1", threads)


def sequence(build: Callable[..., Any], workload: str, threads: int) -> Call:
    net: Any = SEQUENCES[workload]
    prepared = build(net, net.arrays(), threads=threads)()
    return lambda: prepared.function(*prepared.arguments)


def heads(threads: int) -> Call:
    """Four heads of four small layers each, over one input: none of their products is worth a second thread."""
    net = gluon.nn.HybridConcurrent(axis=1)
    for _ in range(4):
        head = gluon.nn.HybridSequential()
        head.add(*(gluon.nn.Dense(128, activation="tanh") for _ in range(4)))
        net.add(head)
    net.initialize()
    net.hybridize(threads=threads)
    x = np.random.normal(0, 1, (32, 128))
    return lambda: net(x)


def function(body: Callable[..., Any], *shapes: tuple[int, ...]) -> Callable[[int], Call]:
    def make(threads: int) -> Call:
        compiled = hybridize.hybridize(body, threads=threads)
        arrays = [np.random.normal(0, 1, shape) for shape in shapes]
        return lambda: compiled(*arrays)

    return make


def normalised(x: Any, w: Any, b: Any) -> Any:
    return npx.gelu(npx.layer_norm(x, w, b)) + x


def chain(x: Any, y: Any) -> Any:
    for _ in range(3):
        x = np.tanh(x * y + 0.5) - np.exp(-x * x)
    return x


KERNELS: dict[str, Callable[[int], Call]] = {
    "MLP, 1024 rows": mlp,
    "gelu(layernorm) + x, 1024 x 1024": function(normalised, (1024, 1024), (1024,), (1024,)),
    "product, 1024 x 1024 x 1024": function(np.dot, (1024, 1024), (1024, 1024)),
    "softmax, 1024 x 1000": function(lambda x: npx.softmax(x), (1024, 1000)),
    "chain of 12 on 10^6": function(chain, (1_000_000,), (1_000_000,)),
    "sum of rows, 4096 x 4096": function(lambda x: np.sum(x, axis=1), (4096, 4096)),
    "sum of columns, 4096 x 4096": function(lambda x: np.sum(x, axis=0), (4096, 4096)),
    "transpose + add, 1500 x 1500": function(lambda x, y: x.T + y, (1500, 1500), (1500, 1500)),
    "GoogLeNet, 224 x 224": googlenet(224),
    "GoogLeNet, 96 x 96": googlenet(96),
    "ResNet-18, 224 x 224": resnet,
    "LeNet, training step, 64 images": lenet_step,
    "four heads of 4 layers, 32 rows": heads,
    "LSTM, 128 to 256, T = 35, batch 32": recurrent,
    "Transformer encoder, 4 layers of 256, T = 128": encoder,
}


def speed(call: Call, seconds: float) -> float:
    """Calls a second over a window."""
    count, start = 0, time.perf_counter()
    while True:
        call()
        count += 1
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            return count / elapsed


def serve() -> None:
    """Run what is asked for, one line each: the name of a kernel and the seconds."""
    calls: dict[str, Call] = {}
    for line in sys.stdin:
        name, _, seconds = line.rstrip("\n").rpartition(" ")
        if name not in calls:
            calls[name] = KERNELS[name](1)
            calls[name]()
        print(speed(calls[name], float(seconds)), flush=True)


class Others:
    """The other processes, each on a processor of its own."""

    def __init__(self, cpus: list[int]) -> None:
        command = [sys.executable, __file__, "--serve"]
        pipe = subprocess.PIPE
        self.processes = [subprocess.Popen([*command, str(cpu)], stdin=pipe, stdout=pipe, text=True) for cpu in cpus]

    def start(self, name: str, seconds: float) -> None:
        for process in self.processes:
            assert process.stdin is not None
            process.stdin.write(f"{name} {seconds}\n")
            process.stdin.flush()

    def finish(self) -> Iterator[float]:
        for process in self.processes:
            assert process.stdout is not None
            yield float(process.stdout.readline())


def measure(name: str, others: Others, cpus: list[int], rounds: int, seconds: float) -> tuple[float, float, float]:
    """The best speeds: one alone, all processes together, threads; as many of both as there are processors."""
    alone, together = KERNELS[name](1), KERNELS[name](len(cpus))
    best = [0.0, 0.0, 0.0]
    others.start(name, 0.001)
    list(others.finish())
    for _ in range(rounds):
        os.sched_setaffinity(0, {cpus[0]})
        best[0] = max(best[0], speed(alone, seconds))
        others.start(name, seconds)
        best[1] = max(best[1], speed(alone, seconds) + sum(others.finish()))
        os.sched_setaffinity(0, set(cpus))
        best[2] = max(best[2], speed(together, seconds))
    return best[0], best[1], best[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--window-ms", type=float, default=40)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", action="append", help="kernels whose name contains this; may be repeated")
    parser.add_argument("--cpu", type=int, default=0, help="of the process that is alone")
    parser.add_argument("--figures", type=Path, help="write the times of processes over those of threads here, as JSON")
    parser.add_argument("--serve", type=int, default=None)
    options = parser.parse_args()
    if options.serve is not None:
        os.sched_setaffinity(0, {options.serve})
        serve()
        return
    cpus = sorted(os.sched_getaffinity(0), key=lambda cpu: (cpu != options.cpu, cpu))[: options.threads]
    if len(cpus) < options.threads:
        raise SystemExit(f"{options.threads} threads want as many processors; this process may use {len(cpus)}")
    others = Others(cpus[1:])
    print(f"{options.threads} threads against {options.threads} processes; best of {options.rounds} windows")
    print(f"{'kernel':46} {'us alone':>9} {'processes':>10} {'threads':>9} {'ratio':>7}")
    ratios = {}
    for name in KERNELS:
        if not any(part in name for part in options.only or [""]):
            continue
        one, processes, threads = measure(name, others, cpus, options.rounds, options.window_ms / 1e3)
        ratios[name] = threads / processes
        print(
            f"{name:46} {1e6 / one:9.0f} {processes / one:10.2f} {threads / one:9.2f} {ratios[name]:7.2f}", flush=True
        )
    print(f"geometric mean of the ratios: {numpy.exp(numpy.log([*ratios.values()]).mean()):.2f}")
    for process in others.processes:
        process.terminate()
    if options.figures:
        words = f"{options.threads} processes ÷ {options.threads} threads"
        options.figures.write_text(json.dumps({f"{name}: {words}": 1 / ratio for name, ratio in ratios.items()}))


if __name__ == "__main__":
    main()
