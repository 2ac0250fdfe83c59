# SPDX-License-Identifier: Apache-2.0
"""The goals that the benchmark's figures have to reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hybridize_bench.bench import FROM_DISK, LIMIT, Amount, Measured, Measurement
from hybridize_bench.deployment import CREATE, FIRST_CREATE, RESIDENT, WASM_CALL
from hybridize_bench.peers import (
    ARCHIVE,
    BLOCK,
    CHAPTER,
    EXPORTED,
    HYBRIDIZED,
    IMPERATIVE,
    KERNEL,
    LIBRARY,
    LITERT_FILE,
    TORCH_FILE,
    WINOGRAD,
)
from hybridize_bench.sequence_memory import DECODED

LITERT, ORT, ORT_RUN = "LiteRT set+invoke+get", "ONNX Runtime io_binding", "ONNX Runtime run"
OPENVINO, SCRIPT, COMPILED = "OpenVINO infer(bound)", "TorchScript frozen", "torch.compile"
FREEZING, AOT = "torch.compile, freezing", "AOTInductor, freezing"
JAX, IREE, NUMPY, EAGER = "JAX jit", "IREE llvm-cpu", "NumPy", "PyTorch eager"
SERVERS = (LITERT, ORT, ORT_RUN, OPENVINO, SCRIPT, COMPILED, EAGER, JAX, NUMPY)
FUSERS = (JAX, COMPILED, IREE, EAGER, NUMPY)
FUSED = "PyTorch eager, fused update"
TRAINERS = (JAX, EAGER, FUSED, COMPILED)
RECURRENT = (ORT, OPENVINO, SCRIPT, AOT)
ENCODERS = (FREEZING, OPENVINO, ORT)
DECODERS = (EAGER, COMPILED, ORT)
PRODUCTS = ("weights known ÷ oneDNN", "weights not known ÷ oneDNN")
"""Figures of `benchmarks/products.py`: geometric means over 88 cases each."""
NARROW = "1 x 1024 x 1024: int8 with scales"
"""The case of `benchmarks/weights.py` that a goal is set for."""
LAYERS = "40 layers ÷ oneDNN"
"""The figure of `benchmarks/convolutions.py`: a geometric mean."""

THREADED = (
    "LSTM, 128 to 256, T = 35, batch 32: 2 processes ÷ 2 threads",
    "Transformer encoder, 4 layers of 256, T = 128: 2 processes ÷ 2 threads",
)
"""Figures of `benchmarks/threads.py`."""
LENGTHS = (
    "LSTM", "GRU", "Transformer encoder", "causal Transformer", "training step of an LSTM", "of a Transformer",
)  # fmt: skip
"""Figures of `benchmarks/lengths.py`: programs of each net."""


@dataclass(frozen=True)
class Outcome:
    """The figures that a row has reached."""

    peer: str = ""
    """The best of the goal's peers; empty where none was run."""
    ratio: float | None = None
    share: float | None = None


@dataclass(frozen=True)
class Level:
    """A level that a row has to reach, as a ratio or as a share: one of the two is enough."""

    ratio: float | None = None
    """The most of our time, or bytes, over those of the best peer."""
    share: float | None = None
    """The least of the limit of the core, as measured in the same rounds."""

    def reached(self, found: Outcome) -> bool:
        """Tell whether one of the two is kept."""
        near = self.ratio is not None and found.ratio is not None and found.ratio <= self.ratio
        full = self.share is not None and found.share is not None and found.share >= self.share
        return near or full

    def __str__(self) -> str:
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}"
        share = "" if self.share is None else f"{100 * self.share:g}%"
        return " or ".join(part for part in (ratio, share) if part)


@dataclass(frozen=True)
class Goal:
    """A level that a row has to reach against the best of some peers, or of the core's limit."""

    workload: str
    ours: str
    against: tuple[str, ...]
    must: Level
    aim: Level | None = None
    """None where there is nothing beyond what must be reached."""


def ratios(workload: str, ours: str, against: tuple[str, ...], must: float, aim: float) -> Goal:
    """A goal that is a ratio to the best peer, and nothing else."""
    return Goal(workload, ours, against, Level(must), Level(aim))


GOALS = (
    ratios("mlp-1", HYBRIDIZED, SERVERS, 0.75, 0.63),
    ratios("mlp-1", HYBRIDIZED, (SCRIPT,), 0.25, 0.2),
    ratios("mlp-1", IMPERATIVE, (EAGER,), 0.6, 0.5),
    Goal("mlp-64", HYBRIDIZED, SERVERS, Level(0.93, 0.97), Level(share=0.985)),
    Goal("mlp-1024", HYBRIDIZED, SERVERS, Level(0.98, 0.95), Level(share=0.97)),
    *(ratios(workload, HYBRIDIZED, FUSERS, 0.75, 0.5) for workload in ("pointwise", "softmax", "chain")),
    *(Goal(workload, HYBRIDIZED, FUSERS, Level(0.9, 0.85)) for workload in ("transpose-1024", "transpose-2048")),
    *(ratios(workload, HYBRIDIZED, FUSERS, 0.9, 0.7) for workload in ("sum-0", "sum-1", "arithmetic")),
    *(
        ratios(workload, HYBRIDIZED, TRAINERS, 0.85, 0.65)
        for workload in ("train-64", "train-adam-1", "train-adam-256", "train-wide", "train-digits")
    ),
    ratios("train-lenet-64", HYBRIDIZED, TRAINERS, 0.35, 0.2),
    ratios("train-resnet18-8", HYBRIDIZED, TRAINERS, 0.85, 0.65),
    ratios("imperative-step", IMPERATIVE, (EAGER,), 1.1, 0.9),
    Goal("conv-64-56", HYBRIDIZED, (), Level(share=0.9), Level(share=0.97)),
    ratios("lenet-1", HYBRIDIZED, (LITERT,), 0.5, 0.3),
    ratios("lenet-64", HYBRIDIZED, (ORT, OPENVINO, SCRIPT), 0.5, 0.35),
    ratios("resnet18-1", HYBRIDIZED, (OPENVINO,), 0.95, 0.9),
    ratios("resnet18-1", WINOGRAD, (OPENVINO,), 0.75, 0.65),
    *(
        ratios(workload, HYBRIDIZED, (OPENVINO, ORT, LITERT), 1.0, 0.8)
        for workload in ("mobilenet-v2-1", "densenet121-1")
    ),
    ratios("lstm-1", HYBRIDIZED, RECURRENT, 0.75, 0.62),
    ratios("lstm-32", HYBRIDIZED, RECURRENT, 0.97, 0.88),
    ratios("gru-1", HYBRIDIZED, RECURRENT, 0.75, 0.55),
    ratios("transformer-1", HYBRIDIZED, ENCODERS, 0.85, 0.75),
    ratios("attention-128", HYBRIDIZED, (EAGER,), 0.75, 0.62),
    ratios("attention-512", HYBRIDIZED, (EAGER,), 0.82, 0.7),
    ratios("attention-1024", HYBRIDIZED, (EAGER,), 0.88, 0.76),
    *(ratios(f"attention-causal-{steps}", HYBRIDIZED, (EAGER,), 0.7, 0.6) for steps in (128, 512, 1024)),
    Goal("decode-20m", HYBRIDIZED, (), Level(share=0.9), Level(share=0.95)),
    ratios("decode-20m", HYBRIDIZED, DECODERS, 0.95, 0.9),
    ratios("decode-1m", HYBRIDIZED, DECODERS, 0.6, 0.45),
    ratios("train-lstm-lm", HYBRIDIZED, TRAINERS, 0.85, 0.65),
    ratios("train-transformer", HYBRIDIZED, TRAINERS, 0.85, 0.65),
    *(
        ratios("train-memory", f"{name}: {HYBRIDIZED}", (f"{name}: {EAGER}",), 1.0, 1.0)
        for name in (
            "train-64", "train-adam-256", "train-wide", "train-lenet-64", "train-resnet18-8",
            "train-lstm-lm", "train-lstm-lm-1000", "train-transformer",
        )
    ),
    ratios("deploy-calls", f"{CHAPTER}: {EXPORTED}", (f"{CHAPTER}: {KERNEL}",), 1.15, 1.05),
    ratios("deploy-starts", ARCHIVE, (LITERT_FILE,), 1.0, 0.8),
    ratios("deploy-starts", ARCHIVE, (TORCH_FILE,), 1.0, 0.1),
)  # fmt: skip


@dataclass(frozen=True)
class Bound:
    """A time that a row has to stay under, in seconds."""

    workload: str
    row: str
    must_s: float
    aim_s: float


BOUNDS = (
    Bound("call-overhead", HYBRIDIZED, 300e-9, 300e-9),
    Bound("call-overhead", BLOCK, 1e-6, 1e-6),
    Bound("first-call", HYBRIDIZED, 0.08, 0.04),
    # The first was 23 ms when this was written: no worse, within what a shared machine varies.
    Bound("compile", "chapter MLP", 0.025, 0.015),
    Bound("compile", "12 layers of width 1024", 0.2, 0.2),
    Bound("compile", "5,000 elementwise operations", 1.2, 0.8),
    Bound("compile", FROM_DISK, 4.7e-3, 3e-3),
    Bound("import", "import hybridize", 0.25, 0.2),
    Bound("deploy-calls", CREATE, 1e-3, 0.5e-3),
    Bound("deploy-calls", WASM_CALL, 45e-6, 20e-6),
    Bound("deploy-starts", FIRST_CREATE, 1e-3, 0.5e-3),
)


@dataclass(frozen=True)
class Ceiling:
    """Bytes that a row has to stay under, besides those that were there before."""

    workload: str
    row: str
    """Its name, or what stands there before the colon."""
    beyond: str
    """A description of those."""
    must_bytes: int
    aim_bytes: int


CEILINGS = (
    Ceiling("deploy-sizes", LIBRARY, "beyond the weights", 250 << 10, 100 << 10),
    Ceiling("deploy-sizes", f"{ARCHIVE}: {RESIDENT}", "beyond NumPy's", 60_000_000, 30_000_000),
    # A byte for each pair of a query and a key would be 64 MiB, as many scores of four heads 1 GiB; queries are 8 MiB.
    Ceiling("sequence-memory", f"attention-8192: {HYBRIDIZED}", "beyond what goes in", 32 << 20, 12 << 20),
    Ceiling("sequence-memory", f"attention-back-8192: {HYBRIDIZED}", "beyond what goes in", 63 << 20, 48 << 20),
    Ceiling("sequence-memory", f"{DECODED}: {HYBRIDIZED}", "beyond what was held before", 64 << 10, 4 << 10),
)


@dataclass(frozen=True)
class Most:
    """A figure of a program of a checkout, and what it may be at most."""

    workload: str
    row: str
    must: float
    aim: float


MOSTS = (
    *(Most("products", name, 0.5, 0.45) for name in PRODUCTS),
    Most("weights", f"{NARROW} ÷ float32", 0.5, 0.3),
    Most("convolutions", LAYERS, 0.8, 0.6),
    # A scaling of 0.8 is 1.25 times the time.
    *(Most("sequence-threads", name, 1.25, 1.1) for name in THREADED),
    *(Most("lengths", name, 4, 3) for name in LENGTHS),
    Most("torch-first-mlp", "first-mlp, ms", 180, 100),
    Most("torch-first-bert", "first-bert, ms", 300, 150),
    Most("torch-first-resnet18", "first-resnet18, ms", 1800, 900),
    Most("torch-call-mlp", "call-mlp, µs", 1.5, 1.0),
    Most("torch-call-mlp", "call-mlp-gradients, µs", 4, 2.5),
    Most("torch-dict", "dict, µs", 3, 3),
    Most("torch-train-64", "train-64 ÷ eager, fused", 0.7, 0.55),
    Most("torch-train-64", "train-64, whole step ÷ eager, fused", 0.45, 0.35),
    Most("torch-load-minilm", "hybridize: time ÷ ONNX Runtime", 1.0, 0.5),
    Most("torch-load-minilm", "hybridize: whole process ÷ ONNX Runtime", 1.0, 0.75),
    Most("torch-load-minilm", "hybridize: resident ÷ ONNX Runtime", 1.3, 1.0),
    Most("torch-zoo-30", "30 architectures ÷ best", 0.75, 0.6),
)


def verdict(goal: Goal, found: Outcome) -> str:
    """Tell which of the goal's two levels was reached.

    >>> goal = Goal("mlp-64", HYBRIDIZED, SERVERS, Level(0.93, 0.97), Level(share=0.985))
    >>> verdict(goal, Outcome(OPENVINO, 0.9, 0.96)), verdict(goal, Outcome(OPENVINO, 1.2, 0.99))
    ('must', 'aim')
    >>> verdict(goal, Outcome(OPENVINO, 0.95, 0.96)), verdict(goal, Outcome(share=0.97))
    ('no', 'must')
    """
    if goal.aim is not None and goal.aim.reached(found):
        return "aim"
    return "must" if goal.must.reached(found) else "no"


def reached(goal: Goal, results: Sequence[Measured]) -> Outcome | None:
    """Our ratio to the best of the goal's peers, and our share of the core's limit; None where neither is known."""
    bytes_of = {one.name: one.nbytes for one in results if isinstance(one, Amount) and not one.error}
    if goal.ours in bytes_of and bytes_of.keys() & set(goal.against):
        least, name = min((bytes_of[name], name) for name in goal.against if name in bytes_of)
        return Outcome(name, bytes_of[goal.ours] / least) if least > 0 else None
    by_name = {
        result.name: result
        for result in results
        if isinstance(result, Measurement) and result.rounds and not result.error
    }
    ours = by_name.get(goal.ours)
    peers = [by_name[name] for name in goal.against if name in by_name]
    asked = any(level is not None and level.share is not None for level in (goal.must, goal.aim))
    limit = by_name.get(LIMIT) if asked else None
    if ours is None or not (peers or limit):
        return None
    share = None if limit is None else limit.ratio(ours)
    if not peers:
        return Outcome(share=share)
    best = min(peers, key=lambda result: result.median)
    return Outcome(best.name, ours.ratio(best), share)
