# SPDX-License-Identifier: Apache-2.0
"""First calls of programs that nothing knows yet, from this tree and from another one in turns.

    python benchmarks/first_calls.py [--rounds 5] [--against FOLDER] [--only mlp transformer] [--disk]

Each figure is of a process of its own, which has compiled another program before (the compiler is loaded), with a
cache folder that is empty; with `--disk`, of a second process that finds the program in the folder of a first one.
Wall time of the call, the least of all rounds: threads that compile beside the caller are within it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent.parent


def mlp(width: int = 512) -> tuple[Any, Any]:
    """The chapter's net, for a batch of any size."""
    from hybridize import np
    from hybridize.gluon import nn

    net = nn.HybridSequential()
    net.add(nn.Dense(256, in_units=width, activation="relu"), nn.Dense(128, in_units=256, activation="relu"))
    net.add(nn.Dense(2, in_units=128))
    net.initialize()
    net.hybridize()
    return net, np.ones((3, width))


def transformer(layers: int = 12, width: int = 128, heads: int = 4) -> tuple[Any, Any]:
    """Layers that normalise first, of attention and two dense layers."""
    from hybridize import np, npx
    from hybridize.gluon import HybridBlock, nn

    class Layer(HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.projections = nn.Dense(3 * width, in_units=width, flatten=False)
            self.merged = nn.Dense(width, in_units=width, flatten=False)
            self.wide = nn.Dense(4 * width, in_units=width, flatten=False)
            self.narrow = nn.Dense(width, in_units=4 * width, flatten=False)
            self.norm1, self.norm2 = nn.LayerNorm(in_channels=width), nn.LayerNorm(in_channels=width)

        def forward(self, x: Any) -> Any:
            batch, length, _ = x.shape
            queries, keys, values = (
                np.transpose(np.reshape(part, (batch, length, heads, width // heads)), (0, 2, 1, 3))
                for part in np.split(self.projections(self.norm1(x)), 3, axis=-1)
            )
            weights = npx.softmax(np.matmul(queries, np.transpose(keys, (0, 1, 3, 2))) / 8.0, axis=-1)
            mixed = np.reshape(np.transpose(np.matmul(weights, values), (0, 2, 1, 3)), (batch, length, width))
            x = x + self.merged(mixed)
            return x + self.narrow(npx.gelu(self.wide(self.norm2(x))))

    net = nn.HybridSequential()
    net.add(*(Layer() for _ in range(layers)))
    net.initialize()
    net.hybridize()
    return net, np.ones((1, 64, width))


def convolutions(layers: int = 20) -> tuple[Any, Any]:
    """Convolution, normalisation, ReLU; every fifth one halves the picture."""
    from hybridize import np
    from hybridize.gluon import nn

    net, channels = nn.HybridSequential(), 3
    for number in range(layers):
        wide = 16 * (1 + number // 5)
        strides = 2 if number % 5 == 4 else 1
        net.add(nn.Conv2D(wide, 3, padding=1, in_channels=channels, strides=strides))
        net.add(nn.BatchNorm(in_channels=wide), nn.Activation("relu"))
        channels = wide
    net.initialize()
    net.hybridize()
    return net, np.ones((1, 3, 64, 64))


def unrolled(statements: int) -> tuple[Any, Any]:
    """A function without a loop: `statements` elementary functions, two operations after each, now and then a mean."""
    import linecache

    from hybridize import hybridize, np

    lines = ["def unrolled(x):"]
    for number in range(statements):
        scale, shift = 1 + number / 1000, 0.1 * (number % 7)
        lines.append(f"    x = np.{('tanh', 'exp', 'sin')[number % 3]}(x) * {scale} + {shift}")
        if number % 4 == 0:
            lines.append("    x = x - x.mean(axis=1, keepdims=True)")
    source = "\n".join([*lines, "    return x", ""])
    linecache.cache["<unrolled>"] = len(source), None, source.splitlines(True), "<unrolled>"
    names: dict[str, Any] = {"np": np}
    exec(compile(source, "<unrolled>", "exec"), names)
    return hybridize(names["unrolled"]), np.ones((8, 64))


def chain(pairs: int) -> tuple[Any, Any]:
    """A function with a loop over pairs of arrays, each of which it multiplies by and adds."""
    from hybridize import hybridize, np

    scales = [(np.full((64,), 1 + number / 10_000), np.full((64,), 0.1 * (number % 7))) for number in range(pairs)]

    def chained(x: Any) -> Any:
        for scale, shift in scales:
            x = x * scale + shift
        return x

    return hybridize(chained), np.ones((8, 64))


PROGRAMS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "mlp": mlp,
    "transformer": transformer,
    "convolutions": convolutions,
    "operations-1050": lambda: unrolled(300),
    "operations-5000": lambda: unrolled(1430),
    "chain-5000": lambda: chain(2500),
}


def first_call(program: str) -> float:
    """Call a program for the first time, in a process whose compiler is warm; returns seconds."""
    net, x = mlp(width=64)
    net(x).wait_to_read()
    net, x = PROGRAMS[program]()
    start = time.perf_counter()
    net(x).wait_to_read()
    return time.perf_counter() - start


def measured(program: str, tree: Path, *, known: bool) -> float:
    """Seconds of the first call in a new process of a tree, with the program on the disk where it is `known`."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPATH": str(tree), "HYBRIDIZE_CACHE_DIR": folder}
        command = [sys.executable, __file__, "--time", program]
        for _ in range(2 if known else 1):
            done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        return float(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """Print a row for each program: this tree, the other, the ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--against", type=Path, help="another checkout")
    parser.add_argument("--only", nargs="*", default=list(PROGRAMS), choices=PROGRAMS)
    parser.add_argument("--disk", action="store_true", help="of programs that are known to the disk")
    parser.add_argument("--time", choices=PROGRAMS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.time:
        print(json.dumps(first_call(options.time)))
        return
    trees = [HERE] if options.against is None else [HERE, options.against.resolve()]
    for program in options.only:
        times: dict[Path, list[float]] = {tree: [] for tree in trees}
        for _ in range(options.rounds):
            for tree in trees:
                times[tree].append(measured(program, tree, known=options.disk))
        now, *others = (min(seconds) for seconds in times.values())
        ratio = "".join(f", before {1e3 * before:.1f} ms, ratio {now / before:.2f}" for before in others)
        print(f"{program:16} {1e3 * now:8.1f} ms{ratio}", flush=True)


if __name__ == "__main__":
    main()
