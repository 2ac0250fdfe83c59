# SPDX-License-Identifier: Apache-2.0
"""Attention by itself: its sizes, its data, what must come out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hybridize_bench.networks import F64
from hybridize_bench.peers import F32
from hybridize_bench.sequences import parts

BAND = 1024
"""Queries of which the reference keeps the scores."""


@dataclass(frozen=True)
class AttentionNet:
    """softmax(q kᵀ / √size) v for some heads, batch 1."""

    steps: int
    heads: int
    causal: bool = False
    size: int = 64
    table = "ATTENTION"

    @property
    def title(self) -> str:
        """The sizes, in words."""
        return f"attention, T = {self.steps:,}, {self.heads} heads of {self.size}{', causal' if self.causal else ''}"

    @property
    def shape(self) -> tuple[int, ...]:
        """Of queries, keys, values and the result: [batch, head, time, size]."""
        return 1, self.heads, self.steps, self.size

    def arrays(self) -> dict[str, F32]:
        """Queries, keys and values, the same at every run."""
        random = np.random.default_rng(0)
        return {name: random.standard_normal(self.shape).astype(np.float32) for name in "qkv"}

    def expected(self, arrays: dict[str, F32]) -> F64:
        """The result in float64."""
        q, k, v = (arrays[name].astype(np.float64) for name in "qkv")
        return np.concatenate([self._band(q, k, v, first)[0] for first in self._bands()], 2)

    def _bands(self) -> range:
        return range(0, self.steps, BAND)

    def _band(self, q: F64, k: F64, v: F64, first: int) -> Any:
        """Some queries, so that their scores fit into memory."""
        return parts.attention(q[:, :, first : first + BAND], k, v, self.causal, first)

    @property
    def pairs(self) -> int:
        """Queries and keys that see each other, of all heads."""
        return self.heads * (self.steps * (self.steps + 1) // 2 if self.causal else self.steps**2)

    @property
    def flops(self) -> int:
        """Operations of both products; a multiply-add is two."""
        return 4 * self.pairs * self.size


@dataclass(frozen=True)
class AttentionGradients(AttentionNet):
    """The gradients of q, k and v, for a gradient of the result that is its queries."""

    table = "ATTENTION_BACK"

    @property
    def title(self) -> str:
        """The sizes, in words."""
        return f"{super().title}, forward and back"

    def expected(self, arrays: dict[str, F32]) -> F64:
        """The three in float64, stacked."""
        q, k, v = (arrays[name].astype(np.float64) for name in "qkv")
        of_q, of_k, of_v = (np.zeros_like(one) for one in (q, k, v))
        for first in self._bands():
            rows = slice(first, first + BAND)
            _, back = self._band(q, k, v, first)
            of_q[:, :, rows], *others = back(q[:, :, rows])
            of_k += others[0]
            of_v += others[1]
        return np.stack([of_q, of_k, of_v])
