# SPDX-License-Identifier: Apache-2.0
"""LLaMA, as in "LLaMA: Open and Efficient Foundation Language Models" (Touvron and others, 2023), of any size."""

from __future__ import annotations

from typing import Any

import numpy

from hybridize.base.errors import ArgumentError
from hybridize.base.settings import number
from hybridize.gluon import nn
from hybridize.gluon.checking import check_counts
from hybridize.gluon.model_zoo.text.decoder import CachedAttention, CausalDecoder, DecoderLayer


class Llama(CausalDecoder):
    """Decode tokens with RMS norms, rotary embeddings, grouped queries, SwiGLU and no biases, as LLaMA.

    Args:
        vocab_size: number of tokens.
        units: size of a vector.
        num_layers: of attention and SwiGLU.
        num_heads: of the queries; divides the units.
        num_kv_heads: of keys and values; divides `num_heads`, and is as many unless given.
        hidden: units of the SwiGLU; 8 / 3 of the units, rounded up to a multiple of 32, unless given.
        max_length: places that there are.
        rotary_base: of the wave lengths.
        eps: of the norms.
        tie_weights: the scores are products with the vectors of the tokens.

    Raises:
        ArgumentError E331: a number is not positive, or does not divide another; the size of a head is odd.
        ValueArgumentError E353: the base is no number from 1 on.

    >>> from hybridize import np
    >>> from hybridize.gluon.model_zoo import text
    >>> net = text.Llama(20, units=8, num_layers=1, num_heads=2, max_length=16)
    >>> net.initialize()
    >>> net(np.array([[1, 2, 3]], dtype="int32")).shape
    (1, 3, 20)
    """

    def __init__(
        self,
        vocab_size: int,
        units: int,
        num_layers: int,
        num_heads: int,
        num_kv_heads: int | None = None,
        hidden: int | None = None,
        max_length: int = 256,
        rotary_base: float = 10000.0,
        eps: float = 1e-5,
        tie_weights: bool = True,
        **kwargs: Any,
    ) -> None:
        check_counts(self, units=units, num_layers=num_layers, num_heads=num_heads, max_length=max_length)
        size, rest = divmod(units, num_heads)
        if size % 2 and not rest:
            what = f"Llama of {units} units in {num_heads} heads"
            raise ArgumentError("E331", what, help="the size of a head must be even: components are rotated in pairs")
        base = number("rotary_base of Llama", rotary_base, 1.0)
        angles = numpy.outer(numpy.arange(max_length), base ** (-numpy.arange(0, size, 2) / size))
        waves = numpy.cos(angles).astype("f4"), numpy.sin(angles).astype("f4")
        inner = -(-8 * units // 96) * 32 if hidden is None else hidden

        def norm() -> nn.RMSNorm:
            return nn.RMSNorm(epsilon=eps, in_channels=units)

        layers = [
            DecoderLayer(
                CachedAttention(units, num_heads, num_heads if num_kv_heads is None else num_kv_heads, False),
                nn.SwiGLU(inner, units, in_units=units),
                norm(),
                norm(),
            )
            for _ in range(num_layers)
        ]
        super().__init__(
            vocab_size,
            units,
            max_length,
            layers,
            norm(),
            waves=waves,
            tie_weights=tie_weights,
            **kwargs,
        )


def llama_mini(vocab_size: int = 256, max_length: int = 256, **kwargs: Any) -> Llama:
    """Return a LLaMA of four layers of 128 units, with a million parameters.

    It has two heads of keys for four heads of queries.

    >>> from hybridize import np
    >>> from hybridize.gluon.model_zoo import text
    >>> net = text.llama_mini(vocab_size=100)
    >>> net.initialize()
    >>> net(np.array([[1, 2, 3]])).shape
    (1, 3, 100)
    """
    sizes = {"units": 128, "num_layers": 4, "num_heads": 4, "num_kv_heads": 2} | kwargs
    return Llama(vocab_size, max_length=max_length, **sizes)
