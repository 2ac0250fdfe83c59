# SPDX-License-Identifier: Apache-2.0
"""The runtimes that the benchmark compares, one module each; a module is imported only in its own worker process.

Each module offers tables from a mode ("eager", "script") to a build:

    MLP      : (layers, x) -> start        a multilayer perceptron, ReLU between the layers
    ADD_ONE  : (x) -> start                x + 1, where nothing but the call costs
    FORMULA  : (name, arrays) -> start     a function of `tools.formulas`

A build makes the model in memory, as its user would have it, and loads whatever compiler it needs; `start` then does
what stands between that model and the first result (compile, freeze, load), so that it can be timed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
Layers = list[tuple[F32, F32]]
"""(weight [out, in], bias [out]) of each dense layer, first to last."""


@dataclass(frozen=True)
class Prepared:
    """A model that is ready to be called."""

    function: Callable[..., Any]
    """What is timed, from Python to Python, with its result allocated where users pay for that."""
    arguments: tuple[Any, ...]
    """What it is called with; inputs that a runtime binds beforehand are not among them."""
    read: Callable[[Any], F32]
    """Its result as a NumPy array."""


Start = Callable[[], Prepared]
BuildMlp = Callable[[Layers, F32], Start]
BuildAddOne = Callable[[F32], Start]


@dataclass(frozen=True)
class Row:
    """One line of the table: a runtime through one of its entry points."""

    name: str
    module: str
    """Module of this package."""
    mode: str
    """Key in the module's tables."""
    package: str
    """What has to be importable for the row to appear."""
    tables: tuple[str, ...] = ("MLP", "ADD_ONE")
    """The module's tables that have the mode."""
    slow_start: bool = False
    """First calls take seconds: sample them once."""


HYBRIDIZED = "hybridize, hybridized"
BLOCK = "hybridize, hybridized block"
IMPERATIVE = "hybridize, imperative"

ALL = ("MLP", "ADD_ONE", "FORMULA")
ROWS = (
    Row(HYBRIDIZED, "ours", "hybridized", "hybridize", ALL),
    Row(BLOCK, "ours", "block", "hybridize", ("ADD_ONE",)),
    Row("hybridize, frozen", "ours", "frozen", "hybridize", ("MLP",)),
    Row(IMPERATIVE, "ours", "imperative", "hybridize", ALL),
    Row("hybridize, PyTorch module", "ours_torch", "hybridized", "torch"),
    Row("NumPy", "plain_numpy", "out", "numpy", ALL),
    Row("PyTorch eager", "pytorch", "eager", "torch", ALL),
    Row("TorchScript frozen", "pytorch", "script", "torch"),
    Row("torch.compile", "pytorch", "compile", "torch", ALL, slow_start=True),
    Row("ONNX Runtime io_binding", "ort", "io_binding", "onnxruntime"),
    Row("ONNX Runtime run", "ort", "run", "onnxruntime"),
    Row("OpenVINO infer(bound)", "ov", "bound", "openvino"),
    Row("LiteRT set+invoke+get", "litert", "interpreter", "ai_edge_litert", ("MLP",)),
    Row("JAX jit", "jax", "jit", "jax", ALL),
    Row("IREE llvm-cpu", "iree", "invoke", "iree", ("FORMULA",), slow_start=True),
)
