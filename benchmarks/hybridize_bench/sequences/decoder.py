# SPDX-License-Identifier: Apache-2.0
"""One step of a LLaMA-like decoder at batch 1: its sizes, its data, what must come out.

RMS norms, rotary embeddings of halves, SwiGLU, no biases, one table for tokens and scores. The step takes a token and
its position, writes a key and a value of each head at that position of caches that are full up to it, and gives the
scores of the next token. Called again it writes the same, so that any number of calls gives the same scores.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hybridize_bench.networks import EPSILON, F64
from hybridize_bench.peers import F32
from hybridize_bench.sequences import parts

BASE = 10_000.0
"""Of the rotary embedding's wave lengths."""
NAMES = ("norm1", "q", "k", "v", "out", "norm2", "gate", "up", "down")
"""The weights of a layer, each [out, in], those of norms [width]."""


@dataclass(frozen=True)
class DecoderNet:
    """Sizes of a decoder, and where in its caches it stands."""

    layers: int
    width: int
    heads: int
    inner: int
    vocabulary: int
    context: int = 256
    """Tokens that the caches have room for."""
    position: int = 128
    """Of the step's token; as many stand before it."""
    token: int = 7
    table = "DECODER"

    @property
    def title(self) -> str:
        """The sizes, in words."""
        return (
            f"a step of a LLaMA-like decoder, {self.parameters / 1e6:.1f} M parameters, {self.layers} layers of "
            f"{self.width}, token {self.position} of {self.context}"
        )

    @property
    def size(self) -> int:
        """Of a head."""
        return self.width // self.heads

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the result."""
        return 1, self.vocabulary

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Those of a layer's weights."""
        square, wide = (self.width, self.width), (self.inner, self.width)
        sizes = ((self.width,), square, square, square, square, (self.width,), wide, wide, wide[::-1])
        return dict(zip(NAMES, sizes, strict=True))

    @property
    def parameters(self) -> int:
        """Numbers of all weights together."""
        of_layer = sum(int(np.prod(shape)) for shape in self.shapes().values())
        return self.layers * of_layer + self.width * (self.vocabulary + 1)

    @property
    def weight_bytes(self) -> int:
        """Bytes of the weights, all of which a step reads: the table's as scores."""
        return 4 * self.parameters

    def arrays(self) -> dict[str, F32]:
        """Weights and caches `keys`, `values` [layer, head, time, size], the same at every run."""
        random = np.random.default_rng(0)

        def weight(shape: tuple[int, ...]) -> F32:
            drawn = random.uniform(0.8, 1.2, shape) if len(shape) == 1 else random.standard_normal(shape)
            return (drawn * (1 if len(shape) == 1 else shape[1] ** -0.5)).astype(np.float32)

        found = {"embedding": random.standard_normal((self.vocabulary, self.width)).astype(np.float32)}
        for number in range(self.layers):
            found |= {f"{number}.{name}": weight(shape) for name, shape in self.shapes().items()}
        found["norm"] = weight((self.width,))
        for name in ("keys", "values"):
            cache = random.standard_normal((self.layers, self.heads, self.context, self.size)).astype(np.float32)
            cache[:, :, self.position :] = 0
            found[name] = cache
        return found

    def waves(self) -> tuple[F32, F32]:
        """Cosines and sines of the rotary embedding, [context, size / 2]."""
        frequencies = BASE ** (-np.arange(0, self.size, 2) / self.size)
        angles = np.outer(np.arange(self.context), frequencies)
        return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)

    def rotated(self, x: F64) -> F64:
        """Vectors [..., size] turned as those at `position` are."""
        cosine, sine = (one[self.position].astype(np.float64) for one in self.waves())
        first, second = np.split(x, 2, -1)
        return np.concatenate([first * cosine - second * sine, second * cosine + first * sine], -1)

    def expected(self, arrays: dict[str, F32]) -> F64:
        """The scores [1, vocabulary] in float64."""
        wide = {name: array.astype(np.float64) for name, array in arrays.items()}
        x = wide["embedding"][self.token]
        for number in range(self.layers):
            one = {name: wide[f"{number}.{name}"] for name in NAMES}
            normal = _rms(x, one["norm1"])
            q, k, v = ((one[name] @ normal).reshape(self.heads, 1, self.size) for name in "qkv")
            keys, values = (wide[name][number][:, : self.position] for name in ("keys", "values"))
            keys, values = np.concatenate([keys, self.rotated(k)], 1), np.concatenate([values, v], 1)
            seen, _ = parts.attention(self.rotated(q), keys, values, causal=False)
            x = x + one["out"] @ seen.ravel()
            normal = _rms(x, one["norm2"])
            gate = one["gate"] @ normal
            x = x + one["down"] @ (gate * parts.sigmoid(gate) * (one["up"] @ normal))
        found: F64 = wide["embedding"] @ _rms(x, wide["norm"])
        return found[None]


def _rms(x: F64, weight: F64) -> F64:
    found: F64 = x / np.sqrt((x**2).mean() + EPSILON) * weight
    return found


@dataclass(frozen=True)
class DecodingNet(DecoderNet):
    """Step after step: each call goes one place on, and begins again where the caches are full."""

    table = "DECODING"

    @property
    def title(self) -> str:
        """The sizes, in words."""
        return f"decoding, {self.parameters / 1e6:.1f} M parameters"

    def positions(self) -> Iterator[int]:
        """Those of the calls."""
        return itertools.cycle((*range(self.position, self.context), *range(self.position)))
