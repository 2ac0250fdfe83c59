# SPDX-License-Identifier: Apache-2.0
"""Transformers: encoder and decoder layers, and stacks of them.

A layer is made of sub-layers: attention, then a feed-forward net. Each has its input added to its result; it is
normalized after that (`pre_norm=False`), or before (`pre_norm=True`, of which the stack normalizes its result).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridize.array.functions import neural
from hybridize.array.ndarray import ndarray
from hybridize.gluon.checking import check_choice, check_count, check_part
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.gluon.nn.attention import MultiHeadAttention
from hybridize.gluon.nn.containers import HybridSequential
from hybridize.gluon.nn.feed_forward import FeedForward
from hybridize.gluon.nn.normalization import LayerNorm, RMSNorm

_NORMS: dict[str, Callable[..., HybridBlock]] = {"layer_norm": LayerNorm, "rms_norm": RMSNorm}


class _Layer(HybridBlock):
    """The base of the layers: attention, a feed-forward net, norms, and how they are joined."""

    norm1: HybridBlock
    norm2: HybridBlock
    norm3: HybridBlock
    feed_forward: FeedForward

    def __init__(
        self,
        units: int,
        num_heads: int,
        hidden_size: int = 2048,
        dropout: float = 0.1,
        activation: str = "relu",
        pre_norm: bool = False,
        attention_dropout: float | None = None,
        norm: str = "layer_norm",
        epsilon: float = 1e-5,
        use_bias: bool = True,
        num_kv_heads: int | None = None,
        rotary: HybridBlock | None = None,
        dtype: Any = "float32",
        weight_initializer: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_part(self, "dropout", dropout)
        check_choice(self, "norm", norm, _NORMS)
        self._pre_norm, self._dropout = pre_norm, dropout
        weights: dict[str, Any] = {"dtype": dtype, "weight_initializer": weight_initializer}

        def attention(**of: Any) -> MultiHeadAttention:
            part = dropout if attention_dropout is None else attention_dropout
            return MultiHeadAttention(
                units, num_heads, part, use_bias, num_kv_heads, query_units=units, **of, **weights
            )  # fmt: skip

        with self._internal_scope():
            self.self_attn: MultiHeadAttention = attention(rotary=rotary, key_units=units, value_units=units)
            if self._sublayers == 3:
                self.cross_attn: MultiHeadAttention = attention()  # of a memory, whose vectors may have another size
            self.feed_forward = FeedForward(hidden_size, units, activation, dropout, use_bias, units, **weights)
            for number in range(1, self._sublayers + 1):
                setattr(self, f"norm{number}", _NORMS[norm](epsilon=epsilon, in_channels=units))

    _sublayers = 2

    def _before(self, x: Any, norm: HybridBlock) -> Any:
        """Return the input of a sub-layer."""
        return norm(x) if self._pre_norm else x

    def _after(self, x: Any, y: Any, norm: HybridBlock) -> Any:
        """`x` and the result of its sub-layer together."""
        total = x + neural.dropout(y, self._dropout)
        return total if self._pre_norm else norm(total)


class TransformerEncoderLayer(_Layer):
    """Apply attention of the input to itself, then a feed-forward net. Add each result to its input, and normalize.

    Called as `layer(x, mask=None, valid_length=None, is_causal=False)` with x [batch, time, units]; see
    `MultiHeadAttention` for masks and lengths. Its children are `self_attn`, `feed_forward`, `norm1` and `norm2`.

    Args:
        units: size of a vector.
        num_heads: of attention; divides the units.
        hidden_size: units between the dense layers of the feed-forward net.
        dropout: the part of a sub-layer's result, and of the units between, that is dropped while training.
        activation: of the feed-forward net; see `FeedForward`.
        pre_norm: normalize before each sub-layer, instead of after it.
        attention_dropout: the part of attention's weights that is dropped; `dropout` unless given.
        norm: "layer_norm" or "rms_norm".
        epsilon: of the norms.
        use_bias: whether dense layers have a bias.
        num_kv_heads: heads of keys and values; `num_heads` unless given.
        rotary: a block that turns queries and keys, such as `RotaryEmbedding`.
        dtype: of the dense layers' parameters.
        weight_initializer: of the dense layers' weights.

    Raises:
        ArgumentError E331: a number is not a positive integer, dropout does not lie between 0 and 1, or there is no
            such norm; E330: there is no such activation.
        ShapeError E192: the numbers of heads do not divide the units.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.TransformerEncoderLayer(8, num_heads=2, hidden_size=16)
    >>> layer.initialize()
    >>> layer(np.ones((2, 5, 8))).shape
    (2, 5, 8)
    """

    def forward(self, x: Any, mask: Any = None, valid_length: Any = None, is_causal: bool = False) -> ndarray:
        y = self._before(x, self.norm1)
        y = self.self_attn(y, mask=mask, valid_length=valid_length, is_causal=is_causal)
        x = self._after(x, y, self.norm1)
        return self._after(x, self.feed_forward(self._before(x, self.norm2)), self.norm2)


class TransformerDecoderLayer(_Layer):
    """Apply attention to the input itself, attention to a memory, then a feed-forward net.

    Each result is added to its input and normalized.

    Called as `layer(x, memory, mask=None, valid_length=None, memory_mask=None, memory_valid_length=None,
    is_causal=True)`, with x [batch, time, units] and memory [batch, length, units of the memory]: `mask` and
    `valid_length` are of the input, which sees what came before unless `is_causal` is False. Its children are
    `self_attn`, `cross_attn`, `feed_forward`, `norm1`, `norm2` and `norm3`.

    Args:
        units: size of a vector.
        num_heads: of both attentions; divides the units.
        hidden_size: units between the dense layers of the feed-forward net.
        dropout: the part of a sub-layer's result, and of the units between, that is dropped while training.
        activation: of the feed-forward net; see `FeedForward`.
        pre_norm: normalize before each sub-layer, instead of after it.
        attention_dropout: the part of attention's weights that is dropped; `dropout` unless given.
        norm: "layer_norm" or "rms_norm".
        epsilon: of the norms.
        use_bias: whether dense layers have a bias.
        num_kv_heads: heads of keys and values; `num_heads` unless given.
        rotary: a block that turns queries and keys of attention to the input itself.
        dtype: of the dense layers' parameters.
        weight_initializer: of the dense layers' weights.

    Raises:
        ArgumentError E331: a number is not a positive integer, dropout does not lie between 0 and 1, or there is no
            such norm; E330: there is no such activation.
        ShapeError E192: the numbers of heads do not divide the units.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.TransformerDecoderLayer(8, num_heads=2, hidden_size=16)
    >>> layer.initialize()
    >>> layer(np.ones((2, 5, 8)), np.ones((2, 7, 8))).shape
    (2, 5, 8)
    """

    _sublayers = 3

    def forward(
        self,
        x: Any,
        memory: Any,
        mask: Any = None,
        valid_length: Any = None,
        memory_mask: Any = None,
        memory_valid_length: Any = None,
        is_causal: bool = True,
    ) -> ndarray:
        y = self._before(x, self.norm1)
        y = self.self_attn(y, mask=mask, valid_length=valid_length, is_causal=is_causal)
        x = self._after(x, y, self.norm1)
        y = self._before(x, self.norm2)
        y = self.cross_attn(y, memory, mask=memory_mask, valid_length=memory_valid_length)
        x = self._after(x, y, self.norm2)
        return self._after(x, self.feed_forward(self._before(x, self.norm3)), self.norm3)


class _Stack(HybridBlock):
    """The base of the stacks: `layers`, and `norm` of the last one's result."""

    _layer: type[_Layer]
    layers: HybridSequential

    def __init__(
        self, num_layers: int, units: int, num_heads: int, *args: Any, final_norm: bool | None = None, **kwargs: Any
    ) -> None:
        check_count(self, "num_layers", num_layers)
        super().__init__(**{word: kwargs.pop(word) for word in ("prefix", "params") if word in kwargs})
        with self._internal_scope():
            self.layers = HybridSequential()
            with self.layers._internal_scope():
                for _ in range(num_layers):
                    self.layers.add(self._layer(units, num_heads, *args, **kwargs))
            first = self.layers[0]
            self.norm: None = None
            if first._pre_norm if final_norm is None else final_norm:
                self.norm = type(first.norm1)(epsilon=first.norm1._epsilon, in_channels=units)


class TransformerEncoder(_Stack):
    """Apply encoder layers one after the other. With `pre_norm` the result is normalized.

    Called as `encoder(x, mask=None, valid_length=None, is_causal=False)`. Its children are `layers`, so that parameters
    are `layers.0.self_attn.q_proj.weight` and so on, and `norm`.

    Args:
        num_layers: how many.
        units: size of a vector.
        num_heads: of attention; divides the units.
        args: further arguments of `TransformerEncoderLayer`.
        final_norm: whether the result is normalized; `pre_norm` unless given.
        kwargs: further arguments of `TransformerEncoderLayer`.

    Raises:
        ArgumentError E331: the number of layers is not a positive integer; and as of a layer.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> net = nn.TransformerEncoder(2, units=8, num_heads=2, hidden_size=16)
    >>> net.initialize()
    >>> net(np.ones((2, 5, 8)), valid_length=np.array([5, 3])).shape
    (2, 5, 8)
    """

    _layer = TransformerEncoderLayer

    def forward(self, x: Any, mask: Any = None, valid_length: Any = None, is_causal: bool = False) -> ndarray:
        for layer in self.layers:
            x = layer(x, mask, valid_length, is_causal)
        return x if self.norm is None else self.norm(x)


class TransformerDecoder(_Stack):
    """Apply decoder layers one after the other. With `pre_norm` the result is normalized.

    Called as `decoder(x, memory, mask=None, valid_length=None, memory_mask=None, memory_valid_length=None,
    is_causal=True)`. Its children are `layers` and `norm`.

    Args:
        num_layers: how many.
        units: size of a vector.
        num_heads: of both attentions; divides the units.
        args: further arguments of `TransformerDecoderLayer`.
        final_norm: whether the result is normalized; `pre_norm` unless given.
        kwargs: further arguments of `TransformerDecoderLayer`.

    Raises:
        ArgumentError E331: the number of layers is not a positive integer; and as of a layer.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> net = nn.TransformerDecoder(2, units=8, num_heads=2, hidden_size=16)
    >>> net.initialize()
    >>> net(np.ones((2, 5, 8)), np.ones((2, 7, 8))).shape
    (2, 5, 8)
    """

    _layer = TransformerDecoderLayer

    def forward(
        self,
        x: Any,
        memory: Any,
        mask: Any = None,
        valid_length: Any = None,
        memory_mask: Any = None,
        memory_valid_length: Any = None,
        is_causal: bool = True,
    ) -> ndarray:
        for layer in self.layers:
            x = layer(x, memory, mask, valid_length, memory_mask, memory_valid_length, is_causal)
        return x if self.norm is None else self.norm(x)
