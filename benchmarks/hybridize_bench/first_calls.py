# SPDX-License-Identifier: Apache-2.0
"""First calls of hybridize, one in each process: how long compiling takes, how much the disk cache saves."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy

from hybridize import hybridize, np
from hybridize.gluon import nn
from hybridize_bench.peers.ours import gluon, load_llvm
from hybridize_bench.workloads import layers_and_input

Model = tuple[Callable[..., Any], tuple[Any, ...]]


def mlp() -> Model:
    """The chapter's net, batch 1."""
    layers, x = layers_and_input(1)
    net = gluon(layers)
    net.hybridize()
    return net, (np.array(x),)


def deep() -> Model:
    """Twelve dense layers of width 1024 with ReLU, batch 32."""
    net = nn.HybridSequential()
    for _ in range(12):
        net.add(nn.Dense(1024, in_units=1024, activation="relu"))
    net.initialize()
    net.hybridize()
    return net, (np.array(numpy.ones((32, 1024), numpy.float32)),)


def long() -> Model:
    """Five thousand elementwise operations on a thousand numbers, no two of them alike."""

    def function(x: Any) -> Any:
        y = x
        for k in range(2500):
            y = y * (1 + k * 1e-6) + x
        return y

    return hybridize(function), (np.array(numpy.ones((1000,), numpy.float32)),)


MODELS: dict[str, Callable[[], Model]] = {"mlp": mlp, "deep": deep, "long": long}


def measure(name: str, *, loaded: bool) -> dict[str, Any]:
    """Seconds of the first call of a model; those that the processor was at it; whether LLVM was there after it.

    Args:
        name: of the model.
        loaded: compile something unrelated before: loading LLVM is not part of what is measured.
    """
    function, arguments = MODELS[name]()
    if loaded:
        load_llvm()
    begin, busy = time.perf_counter(), time.process_time()
    function(*arguments)
    seconds, ours = time.perf_counter() - begin, time.process_time() - busy
    return {"first_s": seconds, "cpu_s": ours, "llvm": "llvmlite" in sys.modules}
