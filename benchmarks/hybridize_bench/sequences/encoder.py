# SPDX-License-Identifier: Apache-2.0
"""A Transformer encoder: its sizes, its data, what must come out.

Normalizations stand behind the sums, as in BERT: this is the form that runtimes have fused operations for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hybridize_bench.networks import F64
from hybridize_bench.peers import F32
from hybridize_bench.sequences import parts


@dataclass(frozen=True)
class EncoderNet:
    """Layers of self-attention and of two dense layers with an exact gelu between them; no mask."""

    layers: int = 4
    width: int = 256
    heads: int = 4
    inner: int = 1024
    steps: int = 128
    batch: int = 1
    table = "ENCODER"

    @property
    def title(self) -> str:
        """The sizes, in words."""
        return f"Transformer encoder, {self.layers} layers of {self.width}, T = {self.steps}, batch {self.batch}"

    @property
    def shape(self) -> tuple[int, ...]:
        """Of input and result."""
        return self.batch, self.steps, self.width

    def arrays(self) -> dict[str, F32]:
        """x [batch, time, width] and the weights, the same at every run."""
        random = np.random.default_rng(0)
        found = {"x": random.standard_normal(self.shape).astype(np.float32)}
        for number in range(self.layers):
            found |= {f"{number}.{name}": one for name, one in layer(random, self.width, self.inner).items()}
        return found

    def expected(self, arrays: dict[str, F32]) -> F64:
        """The result in float64."""
        wide = {name: array.astype(np.float64) for name, array in arrays.items()}
        x = wide["x"]
        for number in range(self.layers):
            one = {name: wide[f"{number}.{name}"] for name in NAMES}
            qkv, _ = parts.dense(x, one["qkv.weight"], one["qkv.bias"])
            seen, _ = parts.heads_of(qkv, self.heads, causal=False)
            seen, _ = parts.dense(seen, one["out.weight"], one["out.bias"])
            x, _ = parts.layer_norm(x + seen, one["norm1.gamma"], one["norm1.beta"])
            hidden, _ = parts.gelu(parts.dense(x, one["up.weight"], one["up.bias"])[0])
            hidden, _ = parts.dense(hidden, one["down.weight"], one["down.bias"])
            x, _ = parts.layer_norm(x + hidden, one["norm2.gamma"], one["norm2.beta"])
        return x

    @property
    def weight_bytes(self) -> int:
        """Bytes of all weights."""
        return sum(array.nbytes for name, array in self.arrays().items() if name != "x")

    @property
    def flops(self) -> int:
        """Operations of all products; a multiply-add is two."""
        tokens = self.batch * self.steps
        dense = tokens * self.width * (4 * self.width + 2 * self.inner)
        return self.layers * (2 * dense + 4 * self.batch * self.steps**2 * self.width)


NAMES = tuple(
    f"{layer}.{name}"
    for layer, names in (
        ("qkv", ("weight", "bias")),
        ("out", ("weight", "bias")),
        ("norm1", ("gamma", "beta")),
        ("up", ("weight", "bias")),
        ("down", ("weight", "bias")),
        ("norm2", ("gamma", "beta")),
    )
    for name in names
)
"""The weights of a layer; qkv are queries, keys and values below each other."""


def layer(random: np.random.Generator, width: int, inner: int) -> dict[str, F32]:
    """Random weights of one layer, which keep the scale of what goes through."""
    found: dict[str, F32] = {}
    for name, rows, columns in (
        ("qkv", 3 * width, width),
        ("out", width, width),
        ("up", inner, width),
        ("down", width, inner),
    ):
        found[f"{name}.weight"] = (random.standard_normal((rows, columns)) * columns**-0.5).astype(np.float32)
        found[f"{name}.bias"] = (0.1 * random.standard_normal(rows)).astype(np.float32)
    for name in ("norm1", "norm2"):
        found[f"{name}.gamma"] = random.uniform(0.8, 1.2, width).astype(np.float32)
        found[f"{name}.beta"] = random.uniform(-0.2, 0.2, width).astype(np.float32)
    return found
