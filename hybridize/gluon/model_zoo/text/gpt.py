# SPDX-License-Identifier: Apache-2.0
"""GPT, as in "Language Models are Unsupervised Multitask Learners" (Radford and others, 2019), of any size."""

from __future__ import annotations

from typing import Any

from hybridize.gluon import nn
from hybridize.gluon.checking import check_counts
from hybridize.gluon.model_zoo.text.decoder import CachedAttention, CausalDecoder, DecoderLayer


class GPT(CausalDecoder):
    """Decode tokens with layer norms, learned positions, GELU and biases, as GPT-2.

    Args:
        vocab_size: number of tokens.
        units: size of a vector.
        num_layers: of attention and feed-forward nets.
        num_heads: divides the units.
        hidden: units of the feed-forward nets; four times the units unless given.
        max_length: places that there are.
        eps: of the norms.
        tie_weights: the scores are products with the vectors of the tokens.

    Raises:
        ArgumentError E331: a number is not positive, or does not divide another.

    >>> from hybridize import np
    >>> from hybridize.gluon.model_zoo import text
    >>> net = text.GPT(20, units=8, num_layers=1, num_heads=2, max_length=16)
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
        hidden: int | None = None,
        max_length: int = 256,
        eps: float = 1e-5,
        tie_weights: bool = True,
        **kwargs: Any,
    ) -> None:
        check_counts(self, units=units, num_layers=num_layers, num_heads=num_heads)

        def norm() -> nn.LayerNorm:
            return nn.LayerNorm(epsilon=eps, in_channels=units)

        layers = [
            DecoderLayer(
                CachedAttention(units, num_heads, num_heads, True),
                nn.FeedForward(4 * units if hidden is None else hidden, units, "gelu_tanh", in_units=units),
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
            learned_positions=True,
            tie_weights=tie_weights,
            **kwargs,
        )


def gpt_mini(vocab_size: int = 256, max_length: int = 256, **kwargs: Any) -> GPT:
    """Return a GPT of four layers of 128 units in four heads.

    >>> from hybridize import np
    >>> from hybridize.gluon.model_zoo import text
    >>> net = text.gpt_mini(vocab_size=100)
    >>> net.initialize()
    >>> net(np.array([[1, 2, 3]])).shape
    (1, 3, 100)
    """
    sizes = {"units": 128, "num_layers": 4, "num_heads": 4} | kwargs
    return GPT(vocab_size, max_length=max_length, **sizes)
