# SPDX-License-Identifier: Apache-2.0
"""The benchmark's convolutions, with bias and ReLU, channels last: their sizes, their data, what must come out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hybridize_bench.peers import F32


@dataclass(frozen=True)
class Convolution:
    """A two-dimensional convolution of stride 1 whose padding keeps height and width."""

    batch: int
    size: int
    """Height and width."""
    inputs: int
    outputs: int
    """Channels that go in, and that come out."""
    kernel: int
    """Height and width of the window; odd."""

    @property
    def title(self) -> str:
        """The sizes, in words."""
        return (
            f"{self.kernel}×{self.kernel} convolution, {self.inputs} to {self.outputs} channels, "
            f"{self.size}², batch {self.batch}, ReLU"
        )

    @property
    def flops(self) -> int:
        """Operations of the products, those with the padding included; a multiply-add is two."""
        return 2 * self.batch * self.size**2 * self.inputs * self.outputs * self.kernel**2

    def arrays(self) -> tuple[F32, F32, F32]:
        """x [batch, height, width, channel], weight [out, in, height, width], bias; the same at every run."""
        random = np.random.default_rng(0)
        x = random.standard_normal((self.batch, self.size, self.size, self.inputs)).astype(np.float32)
        weight = random.standard_normal((self.outputs, self.inputs, self.kernel, self.kernel))
        weight *= (2 / (self.inputs * self.kernel**2)) ** 0.5
        return x, weight.astype(np.float32), random.standard_normal(self.outputs).astype(np.float32)

    def expected(self, x: F32, weight: F32, bias: F32) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The result in float64, channels last."""
        margin = (self.kernel // 2, self.kernel // 2)
        padded = np.pad(x.astype(np.float64), ((0, 0), margin, margin, (0, 0)))
        taps = weight.astype(np.float64)
        result = np.zeros((*x.shape[:3], self.outputs)) + bias
        for i in range(self.kernel):
            for j in range(self.kernel):
                result += padded[:, i : i + self.size, j : j + self.size] @ taps[:, :, i, j].T
        return np.maximum(result, 0)


CONVOLUTIONS = {"conv-64-56": Convolution(batch=1, size=56, inputs=64, outputs=64, kernel=3)}
