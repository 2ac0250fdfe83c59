# SPDX-License-Identifier: Apache-2.0
"""The runtimes that the benchmark compares, one module each; a module is imported only in its own worker process.

Each module offers tables from a mode ("eager", "script") to a build:

    MLP      : (layers, x) -> start        a multilayer perceptron, ReLU between the layers
    ADD_ONE  : (x) -> start                x + 1, where nothing but the call costs
    FORMULA  : (name, arrays) -> start     a function of `tools.formulas`
    TRAIN    : (training, layers, batches) -> start    steps of a training of `tools.training_workloads`
    TRAIN_NET: (training, weights, batches) -> start   the same of a network of `tools.networks`
    STEP     : the same, imperative, line by line
    EPOCH    : the same as TRAIN, but one batch that holds all samples; a call goes over them with the runtime's loader
    CONV     : (x, weight, bias) -> start  a convolution and its ReLU; x and the result [batch, height, width, channel]
                                           where the runtime can, the weight [out, in, height, width]
    NET      : (network, weights, x) -> start  a network of `tools.networks`; its images [batch, channel, height, width]
                                           or, where the runtime likes that best, channels last
    FILE     : (layers, x, path) -> None   the perceptron as a file, for `ARTIFACTS`

Those of networks over sequences are in `peers.sequences`.

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
I32 = NDArray[np.int32]
Layers = list[tuple[F32, F32]]
"""(weight [out, in], bias [out]) of each dense layer, first to last."""
Batches = list[tuple[F32, I32]]
"""Samples and their labels."""


@dataclass(frozen=True)
class Prepared:
    """A model that is ready to be called."""

    function: Callable[..., Any]
    """The function that is timed, from Python to Python, its result allocated where users pay for that."""
    arguments: tuple[Any, ...]
    """The arguments that it is called with; inputs that a runtime binds beforehand are not among them."""
    read: Callable[[Any], F32]
    """Its result as a NumPy array."""


Start = Callable[[], Prepared]
BuildMlp = Callable[[Layers, F32], Start]
BuildAddOne = Callable[[F32], Start]
BuildConvolution = Callable[[F32, F32, F32], Start]


@dataclass(frozen=True)
class Row:
    """One line of the table: a runtime through one of its entry points."""

    name: str
    module: str
    """Module of this package."""
    mode: str
    """Key in the module's tables."""
    package: str
    """The package that has to be importable for the row to appear."""
    tables: tuple[str, ...] = ("MLP", "ADD_ONE")
    """The module's tables that have the mode."""
    slow_start: bool = False
    """First calls take seconds: sample them once."""


HYBRIDIZED = "hybridize, hybridized"
BLOCK = "hybridize, hybridized block"
IMPERATIVE = "hybridize, imperative"
WINOGRAD = "hybridize, winograd"

ALL = ("MLP", "ADD_ONE", "FORMULA")
TRAINED = (*ALL, "TRAIN", "EPOCH")
NETS = ("MLP", "ADD_ONE", "CONV", "NET")
INFERRED = ("RECURRENCE", "ENCODER", "ATTENTION")
WEIGHTED = ("RECURRENCE", "ENCODER")
ROWS = (
    Row(HYBRIDIZED, "ours", "hybridized", "hybridize", (*TRAINED, "CONV", "NET", "TRAIN_NET")),
    Row(BLOCK, "ours", "block", "hybridize", ("ADD_ONE",)),
    Row(WINOGRAD, "ours", "winograd", "hybridize", ("NET", "TRAIN_NET")),
    Row("hybridize, frozen", "ours", "frozen", "hybridize", ("MLP",)),
    Row(IMPERATIVE, "ours", "imperative", "hybridize", (*TRAINED, "STEP")),
    Row("hybridize, PyTorch module", "ours_torch", "hybridized", "torch", ("MLP", "ADD_ONE", "TRAIN")),
    Row("NumPy", "plain_numpy", "out", "numpy", ALL),
    Row("PyTorch eager", "pytorch", "eager", "torch", (*TRAINED, "STEP", "CONV", "NET", "TRAIN_NET")),
    Row("PyTorch eager, fused update", "pytorch", "fused", "torch", ("TRAIN", "STEP", "EPOCH", "TRAIN_NET")),
    Row("TorchScript frozen", "pytorch", "script", "torch", NETS),
    Row("torch.compile", "pytorch", "compile", "torch", (*TRAINED, "CONV", "NET", "TRAIN_NET"), slow_start=True),
    Row("torch.compile, freezing", "pytorch", "freezing", "torch", ("NET",), slow_start=True),
    Row("AOTInductor, freezing", "pytorch", "aot", "torch", ("NET",), slow_start=True),
    Row("ONNX Runtime io_binding", "ort", "io_binding", "onnxruntime", NETS),
    Row("ONNX Runtime run", "ort", "run", "onnxruntime", NETS),
    Row("OpenVINO infer(bound)", "ov", "bound", "openvino", NETS),
    Row("LiteRT set+invoke+get", "litert", "interpreter", "ai_edge_litert", ("MLP", "CONV", "NET")),
    Row("JAX jit", "jax", "jit", "jax", (*ALL, "CONV", "NET", "TRAIN", "TRAIN_NET")),  # it has no loader
    Row("IREE llvm-cpu", "iree", "invoke", "iree", ("FORMULA",), slow_start=True),
    Row(
        HYBRIDIZED, "sequences.ours", "hybridized", "hybridize",
        (*INFERRED, "DECODER", "TRAIN_SEQUENCE", "ATTENTION_BACK", "DECODING"),
    ),
    Row(
        "PyTorch eager", "sequences.pytorch", "eager", "torch",
        ("RECURRENCE", "ATTENTION", "DECODER", "TRAIN_SEQUENCE", "ATTENTION_BACK", "DECODING"),
    ),
    Row("PyTorch eager", "sequences.pytorch", "own", "torch", ("ENCODER",)),
    Row("PyTorch eager, fused update", "sequences.pytorch", "fused", "torch", ("TRAIN_SEQUENCE",)),
    Row("TorchScript frozen", "sequences.pytorch", "script", "torch", WEIGHTED),
    Row("torch.compile", "sequences.pytorch", "compile", "torch", ("DECODER", "TRAIN_SEQUENCE"), slow_start=True),
    Row("torch.compile, freezing", "sequences.pytorch", "freezing", "torch", ("ENCODER",), slow_start=True),
    Row("AOTInductor, freezing", "sequences.pytorch", "aot", "torch", WEIGHTED, slow_start=True),
    Row("ONNX Runtime io_binding", "sequences.ort", "io_binding", "onnxruntime", (*INFERRED, "DECODER")),
    Row("OpenVINO infer(bound)", "sequences.ov", "bound", "openvino", INFERRED),
    Row("LiteRT set+invoke+get", "sequences.litert", "interpreter", "ai_edge_litert", INFERRED),
    Row("JAX jit", "sequences.jax", "jit", "jax", (*INFERRED, "DECODER", "TRAIN_SEQUENCE")),
)  # fmt: skip


@dataclass(frozen=True)
class Artifact:
    """The perceptron as a runtime's files."""

    name: str
    module: str
    """Module of this package."""
    mode: str
    """Key in its table FILE."""
    package: str
    """The package that has to be importable for it to be written."""
    path: str
    """Handed to the writer, in a folder of the benchmark's."""
    files: tuple[str, ...]
    """The files that are written, and must be present where the model runs."""
    imports: str = ""
    """Python: what a process that loads it has imported before."""
    load: str = ""
    """Python: from `path` (of the first file) and the array `x` to the array `y`; empty where Python is not needed."""


_LITERT = """
model = Interpreter(model_path=path, num_threads=1)
model.allocate_tensors()
model.set_tensor(model.get_input_details()[0]["index"], x)
model.invoke()
y = model.get_tensor(model.get_output_details()[0]["index"])
"""
_TORCH = """
with torch.inference_mode():
    y = torch.jit.load(path)(torch.from_numpy(x)).numpy()
"""
_ONNX = """
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
y = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]
"""

NUMPY_ALONE = Artifact("NumPy alone", "", "", "numpy", "", ("x.npy",))
"""An interpreter with NumPy: what any process that loads a model has."""
ARCHIVE, LIBRARY, WASM = "hybridize, archive", "hybridize, C library", "hybridize, WebAssembly"
KERNEL, EXPORTED = "kernel alone", "library"
CHAPTER = "MLP, batch 1"
"""Rows and first case of the calls from C."""
LITERT_FILE, TORCH_FILE = "LiteRT, .tflite", "TorchScript frozen, .pt"
ARTIFACTS = (
    Artifact(
        ARCHIVE, "ours", "archive", "hybridize", "mlp.hybridize", ("mlp.hybridize",),
        "import hybridize", "y = hybridize.load(path, images=True)(x).asnumpy()",
    ),
    Artifact(LIBRARY, "ours", "library", "hybridize", "mlp", ("libmlp.so",)),
    Artifact(f"{LIBRARY}, any batch", "ours", "any batch", "hybridize", "mlp_any", ("libmlp_any.so",)),
    Artifact(WASM, "ours", "wasm", "hybridize", "mlp", ("mlp.wasm", "mlp.mjs")),
    Artifact(
        LITERT_FILE, "litert", "tflite", "ai_edge_litert", "mlp.tflite", ("mlp.tflite",),
        "from ai_edge_litert.interpreter import Interpreter", _LITERT,
    ),
    Artifact(
        TORCH_FILE, "pytorch", "script", "torch", "mlp.pt", ("mlp.pt",),
        "import torch; torch.set_num_threads(1)", _TORCH,
    ),
    Artifact(
        "ONNX Runtime, .onnx", "ort", "onnx", "onnxruntime", "mlp.onnx", ("mlp.onnx",), "import onnxruntime", _ONNX
    ),
)  # fmt: skip
