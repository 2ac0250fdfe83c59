# SPDX-License-Identifier: Apache-2.0
"""Attention layers: scaled dot products alone, and in several heads between projections."""

from __future__ import annotations

from typing import Any

from hybridize.array.functions import attention, shapes
from hybridize.base.errors import ShapeError
from hybridize.gluon.checking import check_choice, check_count, check_number, check_part
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.gluon.nn.basic import Dense


class _Attention(HybridBlock):
    """The base of the layers: the dropout of the weights and the scale of the scores."""

    def _score_by(self, dropout: float, scale: float | None) -> None:
        """Take the settings over, checked."""
        self._dropout = check_part(self, "dropout", dropout)
        self._scale = None if scale is None else check_number(self, "scale", scale)

    def _means(
        self, query: Any, key: Any, value: Any, mask: Any, lengths: Any, is_causal: bool, weights: bool, layout: str
    ) -> Any:
        """Return the means of values, and the weights where they are wanted."""
        options = {"valid_length": lengths, "layout": layout, "need_weights": weights}
        return attention.scaled_dot_product_attention(
            query, key, value, mask, self._dropout, is_causal, self._scale, **options
        )


class DotProductAttention(_Attention):
    """Return the means of values, weighted by the softmax of the scaled products of their keys with queries.

    Called as `attention(query, key, value, mask=None, valid_length=None, is_causal=False, need_weights=False)`; see
    `npx.scaled_dot_product_attention` for what these are. The weights of the last call are not kept: ask for them.

    Args:
        dropout: the part of the weights that is dropped while training.
        scale: of the scores; 1 / sqrt(size of a query) unless given.
        layout: "BHTD", [..., heads, time, size], or [..., time, size]; or "BTHD", [..., time, heads, size].

    Raises:
        ArgumentError E331: dropout does not lie between 0 and 1, the scale is no number, or there is no such layout.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> query, key, value = np.ones((2, 5, 4)), np.ones((2, 7, 4)), np.ones((2, 7, 3))
    >>> nn.DotProductAttention()(query, key, value).shape
    (2, 5, 3)
    """

    _repr_form = "p = {0._dropout}, layout={0._layout}"

    def __init__(self, dropout: float = 0.0, scale: float | None = None, layout: str = "BHTD", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._score_by(dropout, scale)
        check_choice(self, "layout", layout, ("BHTD", "BTHD"), "heads stand before time, or after it")
        self._layout = layout

    def forward(
        self,
        query: Any,
        key: Any,
        value: Any,
        mask: Any = None,
        valid_length: Any = None,
        is_causal: bool = False,
        need_weights: bool = False,
    ) -> Any:
        return self._means(query, key, value, mask, valid_length, is_causal, need_weights, self._layout)


class MultiHeadAttention(_Attention):
    """Apply attention in several heads: projections, scaled dot products, and a projection back.

    Called as `attention(query, key=None, value=None, mask=None, valid_length=None, is_causal=False,
    need_weights=False)`, with arrays [..., time, units]; keys are the query unless given, values the keys. It gives
    [..., time, out_units], and, if asked, the weights [..., heads, time, keys]. A mask is true where a query sees a
    key, or floats that are added to the scores, and broadcasts to [..., heads, time, keys]: [time, keys] for all,
    [batch, 1, 1, keys] by row of the batch. `valid_length`, [batch] or [batch, time], says how many keys, from the
    first, are seen.

    Its children are dense layers: `q_proj`, `k_proj`, `v_proj` and `out_proj`, so that its parameters are
    `q_proj.weight` [units, query_units], `q_proj.bias` [units], and so on.

    Args:
        units: of all heads together.
        num_heads: divides the units.
        dropout: the part of the weights that is dropped while training.
        use_bias: whether projections have a bias.
        num_kv_heads: heads of keys and values, each for as many of the queries'; `num_heads` unless given.
        out_units: size of a result; `units` unless given.
        query_units: size of a query; 0: taken from the first input.
        key_units: size of a key; 0: taken from the first input.
        value_units: size of a value; 0: taken from the first input.
        scale: of the scores; 1 / sqrt(units / num_heads) unless given.
        rotary: a block that is applied to queries and keys [..., time, heads, size], such as `RotaryEmbedding`.
        dtype: of the parameters.
        weight_initializer: of the four weights.
        bias_initializer: of the four biases.

    Raises:
        ArgumentError E331: a number is not a positive integer, dropout does not lie between 0 and 1, or the scale is no
            number.
        ShapeError E192: the number of heads does not divide the units, or that of the keys the number of heads.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.MultiHeadAttention(64, num_heads=4)
    >>> layer.initialize()
    >>> layer(np.ones((2, 5, 64)), is_causal=True).shape
    (2, 5, 64)
    """

    q_proj: Dense
    k_proj: Dense
    v_proj: Dense
    out_proj: Dense

    def __init__(
        self,
        units: int,
        num_heads: int,
        dropout: float = 0.0,
        use_bias: bool = True,
        num_kv_heads: int | None = None,
        out_units: int | None = None,
        query_units: int = 0,
        key_units: int = 0,
        value_units: int = 0,
        scale: float | None = None,
        rotary: HybridBlock | None = None,
        dtype: Any = "float32",
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        shared = num_heads if num_kv_heads is None else num_kv_heads
        for word, count in (("units", units), ("num_heads", num_heads), ("num_kv_heads", shared)):
            check_count(self, word, count)
        self._score_by(dropout, scale)
        if units % num_heads or num_heads % shared:
            text = f"{units} units in {num_heads} heads" + (
                f" with {shared} of the keys" if units % num_heads == 0 else ""
            )
            raise ShapeError("E192", f"MultiHeadAttention: {text}", help="each number must divide the one before it")
        self._units, self._num_heads, self._num_kv_heads = units, num_heads, shared
        size = units // num_heads
        settings: dict[str, Any] = {
            "use_bias": use_bias, "flatten": False, "dtype": dtype, "weight_initializer": weight_initializer,
            "bias_initializer": bias_initializer,
        }  # fmt: skip
        with self._internal_scope():
            self.q_proj = Dense(units, in_units=query_units, **settings)
            self.k_proj = Dense(size * shared, in_units=key_units, **settings)
            self.v_proj = Dense(size * shared, in_units=value_units, **settings)
            self.out_proj = Dense(units if out_units is None else out_units, in_units=units, **settings)
        self.rotary = rotary

    def forward(
        self,
        query: Any,
        key: Any = None,
        value: Any = None,
        mask: Any = None,
        valid_length: Any = None,
        is_causal: bool = False,
        need_weights: bool = False,
    ) -> Any:
        key = query if key is None else key
        value = key if value is None else value
        for x in (query, key, value):
            if x.ndim < 2:
                what = f"MultiHeadAttention of {x.type}"
                raise ShapeError("E190", what, help="query, key and value are [..., time, units]")
        queries = self._split(self.q_proj(query), self._num_heads)
        keys = self._split(self.k_proj(key), self._num_kv_heads)
        if self.rotary is not None:
            queries, keys = self.rotary(queries), self.rotary(keys)
        values = self._split(self.v_proj(value), self._num_kv_heads)
        outputs = self._means(queries, keys, values, mask, valid_length, is_causal, need_weights, "BTHD")
        means, weights = outputs if need_weights else (outputs, None)
        result = self.out_proj(shapes.reshape(means, (*query.shape[:-1], self._units)))
        return (result, weights) if need_weights else result

    def _split(self, x: Any, heads: int) -> Any:
        """[..., time, units] -> [..., time, heads, size]"""
        return shapes.reshape(x, (*x.shape[:-1], heads, self._units // self._num_heads))

    def __repr__(self) -> str:
        shared = f", {self._num_kv_heads} of keys" if self._num_kv_heads != self._num_heads else ""
        return f"{type(self).__name__}({self._units} units, {self._num_heads} heads{shared})"
