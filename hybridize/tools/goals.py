# SPDX-License-Identifier: Apache-2.0
"""The goals that the benchmark's figures have to reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hybridize.tools.bench import FROM_DISK, Amount, Measured, Measurement
from hybridize.tools.deployment import CREATE, FIRST_CREATE, RESIDENT, WASM_CALL
from hybridize.tools.peers import (
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
)

LITERT, ORT, ORT_RUN = "LiteRT set+invoke+get", "ONNX Runtime io_binding", "ONNX Runtime run"
OPENVINO, SCRIPT, COMPILED = "OpenVINO infer(bound)", "TorchScript frozen", "torch.compile"
JAX, IREE, NUMPY, EAGER = "JAX jit", "IREE llvm-cpu", "NumPy", "PyTorch eager"
SERVERS = (LITERT, ORT, ORT_RUN, OPENVINO, SCRIPT, JAX)
FUSERS = (JAX, COMPILED, NUMPY)
FUSED = "PyTorch eager, fused update"
TRAINERS = (JAX, EAGER, FUSED)


@dataclass(frozen=True)
class Goal:
    """A ratio that a workload has to reach: the time, or bytes, of `ours` over those of the best of `against`."""

    workload: str
    ours: str
    against: tuple[str, ...]
    must: float
    aim: float


GOALS = (
    Goal("mlp-1", HYBRIDIZED, SERVERS, 0.7, 0.62),
    Goal("mlp-1", HYBRIDIZED, (SCRIPT,), 0.25, 0.2),
    Goal("mlp-1", IMPERATIVE, (EAGER,), 0.6, 0.5),
    Goal("mlp-64", HYBRIDIZED, SERVERS, 0.9, 0.8),
    Goal("mlp-1024", HYBRIDIZED, SERVERS, 1.0, 0.93),
    Goal("pointwise", HYBRIDIZED, (JAX,), 0.45, 0.45),
    Goal("pointwise", HYBRIDIZED, (IREE,), 0.85, 0.85),
    Goal("pointwise", HYBRIDIZED, (COMPILED,), 0.25, 0.25),
    *(
        Goal(workload, HYBRIDIZED, FUSERS, 0.9, 0.7)
        for workload in (
            "softmax", "sum-0", "sum-1", "chain", "arithmetic", "transpose-1024", "transpose-2048",
        )
    ),
    Goal("train-64", HYBRIDIZED, (JAX,), 0.85, 0.7),
    Goal("train-64", HYBRIDIZED, (EAGER,), 0.45, 0.35),
    Goal("train-64", IMPERATIVE, (EAGER,), 1.2, 0.9),
    Goal("train-adam-1", HYBRIDIZED, TRAINERS, 1.0, 1.0),
    Goal("train-adam-256", HYBRIDIZED, TRAINERS, 1.0, 1.0),
    Goal("train-wide", HYBRIDIZED, TRAINERS, 0.95, 0.95),
    Goal("train-digits", HYBRIDIZED, (EAGER,), 0.5, 0.5),
    *(
        Goal("train-memory", f"{name}: {HYBRIDIZED}", (f"{name}: {EAGER}",), 1.0, 1.0)
        for name in ("train-64", "train-adam-256", "train-wide")
    ),
    Goal("deploy-calls", f"{CHAPTER}: {EXPORTED}", (f"{CHAPTER}: {KERNEL}",), 1.15, 1.05),
    Goal("deploy-starts", ARCHIVE, (LITERT_FILE,), 1.0, 0.8),
    Goal("deploy-starts", ARCHIVE, (TORCH_FILE,), 1.0, 0.1),
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
    Bound("compile", "chapter MLP", 0.06, 0.06),
    Bound("compile", "12 layers of width 1024", 0.2, 0.2),
    Bound("compile", "5,000 elementwise operations", 2.5, 2.5),
    Bound("compile", FROM_DISK, 0.005, 0.005),
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
)


def reached(goal: Goal, results: Sequence[Measured]) -> tuple[str, float] | None:
    """The best of the goal's peers and our ratio to it; None where a row is missing."""
    bytes_of = {one.name: one.nbytes for one in results if isinstance(one, Amount) and not one.error}
    if goal.ours in bytes_of and bytes_of.keys() & set(goal.against):
        least, name = min((bytes_of[name], name) for name in goal.against if name in bytes_of)
        return (name, bytes_of[goal.ours] / least) if least > 0 else None
    by_name = {
        result.name: result
        for result in results
        if isinstance(result, Measurement) and result.rounds and not result.error
    }
    peers = [by_name[name] for name in goal.against if name in by_name]
    if goal.ours not in by_name or not peers:
        return None
    best = min(peers, key=lambda result: result.median)
    return best.name, by_name[goal.ours].ratio(best)
