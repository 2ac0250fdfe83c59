# SPDX-License-Identifier: Apache-2.0
"""The base of decoders: layers of attention to earlier places and of something for each place, over a table of tokens.

A place is an index into the caches. Prompts of several lengths end at one place: those that are shorter begin later, at
the `start` of their row, and what stands before is read by nobody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from hybridize.array import np, npx
from hybridize.array.functions.bounds import check
from hybridize.array.operands import array, result, shape_of, typed
from hybridize.array.operands import indices as index_operand
from hybridize.base import dims
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.base.types import same_shape
from hybridize.gluon import nn
from hybridize.gluon.checking import check_counts
from hybridize.gluon.generation.prompts import first_places, of_rows, prompts_of
from hybridize.gluon.hybrid_block import HybridBlock

if TYPE_CHECKING:
    from hybridize.gluon.nn.basic import Dense, Embedding
    from hybridize.gluon.nn.containers import HybridSequential


Caches = list[Any]
"""Keys and values of each layer in turn, [batch, groups, places, size of a head] each."""
Waves = tuple[Any, Any] | None
"""Cosines and sines by which queries and keys of some places are turned; None: positions are embedded elsewhere."""


class CachedAttention(nn.MultiHeadAttention):
    """Attention of each place to those up to it; keys and values of earlier places may come from caches.

    Args:
        units: size of a vector.
        num_heads: of the queries; divides the units.
        num_kv_heads: of keys and values; divides `num_heads`.
        use_bias: whether the four projections have a bias.
    """

    def __init__(self, units: int, num_heads: int, num_kv_heads: int, use_bias: bool, **kwargs: Any) -> None:
        if num_heads < 1 or num_kv_heads < 1 or units % num_heads or num_heads % num_kv_heads:
            what = f"{units} units in {num_heads} heads with {num_kv_heads} of keys and values"
            raise ArgumentError("E331", what, help="each number must divide the one before it")
        sizes: dict[str, Any] = {"query_units": units, "key_units": units, "value_units": units}
        super().__init__(units, num_heads, 0.0, use_bias, num_kv_heads, **sizes, **kwargs)
        self._groups, self._size = num_kv_heads, units // num_heads

    def forward(self, x: Any, waves: Waves = None, start: Any = None) -> Any:  # type: ignore[override]
        return self.of_all(x, waves, start)[0]

    def of_all(self, x: Any, waves: Waves, start: Any = None) -> tuple[Any, Any, Any]:
        """Attend within [batch, time, units]; returns the result, the keys and the values."""
        batch, time = x.shape[:2]
        q, k, v = self._projected(x, waves)
        seen = None if start is None else np.arange(time, dtype="int64") >= start.reshape((batch, 1, 1, 1))
        means = npx.scaled_dot_product_attention(q, k, v, seen, is_causal=True)
        return self.out_proj(means.swapaxes(1, 2).reshape((batch, time, self._units))), k, v

    def of_next(self, x: Any, place: Any, waves: Waves, keys: Any, values: Any, start: Any = None) -> Any:
        """Attend from one place [batch, 1, units] to all up to it, writing its key and value into the caches."""
        q, k, v = self._projected(x, waves)
        keys[:, :, place] = k[:, :, 0]
        values[:, :, place] = v[:, :, 0]
        means = npx.cached_attention(q, keys, values, place + 1, start)
        return self.out_proj(means.reshape(x.shape))

    def _projected(self, x: Any, waves: Waves) -> tuple[Any, Any, Any]:
        """Queries, keys and values, [batch, heads, time, size], the first two turned by their positions."""
        pairs = ((self.q_proj, self._num_heads), (self.k_proj, self._groups), (self.v_proj, self._groups))
        q, k, v = (self._split(projection(x), count).swapaxes(1, 2) for projection, count in pairs)
        return (q, k, v) if waves is None else (_rotated(q, *waves), _rotated(k, *waves), v)


def _rotated(x: Any, cosines: Any, sines: Any) -> Any:
    """Turn component k together with k + size / 2, by the angles of the places."""
    half = x.shape[-1] // 2
    first, second = x[..., :half], x[..., half:]
    return np.concatenate([first * cosines - second * sines, second * cosines + first * sines], -1)


class DecoderLayer(HybridBlock):
    """Attention and a network for each place, each of a normalized input and added to it.

    Args:
        attention: a `CachedAttention`.
        network: maps [batch, time, units] to the same.
        norms: two normalizations.
    """

    attention: CachedAttention
    network: HybridBlock
    attention_norm: HybridBlock
    network_norm: HybridBlock

    def __init__(self, attention: CachedAttention, network: HybridBlock, *norms: HybridBlock, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.attention, self.network = attention, network
        self.attention_norm, self.network_norm = norms

    def forward(self, x: Any, waves: Waves = None, start: Any = None) -> Any:
        return self.of_all(x, waves, start)[0]

    def of_all(self, x: Any, waves: Waves, start: Any = None) -> tuple[Any, Any, Any]:
        """All places; returns the result, the keys and the values."""
        y, k, v = self.attention.of_all(self.attention_norm(x), waves, start)
        return self._following(x + y), k, v

    def of_next(self, x: Any, place: Any, waves: Waves, keys: Any, values: Any, start: Any = None) -> Any:
        """One more place."""
        return self._following(x + self.attention.of_next(self.attention_norm(x), place, waves, keys, values, start))

    def _following(self, x: Any) -> Any:
        return x + self.network(self.network_norm(x))


class CausalDecoder(HybridBlock, layer=False):
    """Return scores of the next token after each position: [batch, time] to [batch, time, vocabulary].

    `GPT` and `Llama` derive from it. They make the layers.

    Args:
        vocab_size: number of tokens.
        units: size of a vector.
        max_length: places that there are.
        layers: instances of `DecoderLayer`, one at least.
        norm: the normalization behind them.
        waves: cosines and sines of rotary embeddings, [max_length, size of a head / 2] each.
        learned_positions: add a learned vector for each place.
        tie_weights: the scores are products with the vectors of the tokens.

    Raises:
        OutOfBoundsError E110: at a call: a token is none of the vocabulary.
        ShapeError E134: at a call: tokens are not [batch, time], or more than there are places.

    >>> from hybridize.gluon.model_zoo import text
    >>> net = text.gpt_mini(vocab_size=20)
    >>> isinstance(net, text.CausalDecoder), net.max_length
    (True, 256)
    """

    vocab_size: int
    max_length: int

    def __init__(
        self,
        vocab_size: int,
        units: int,
        max_length: int,
        layers: list[DecoderLayer],
        norm: HybridBlock,
        *,
        waves: tuple[NDArray[Any], NDArray[Any]] | None = None,
        learned_positions: bool = False,
        tie_weights: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not layers:
            raise ArgumentError("E331", f"{type(self).__name__} has no layers", help="num_layers must be 1 or more")
        check_counts(self, vocab_size=vocab_size, units=units, max_length=max_length)
        self.vocab_size, self.max_length, self._waves = vocab_size, max_length, waves
        self._groups, self._size = layers[0].attention._groups, layers[0].attention._size
        with self._internal_scope():
            self.embedding: Embedding = nn.Embedding(vocab_size, units)
            self.positions: Embedding | None = nn.Embedding(max_length, units) if learned_positions else None
            self.layers: HybridSequential = nn.HybridSequential()
            self.layers.add(*layers)
            self.norm = norm
            self.output: Dense | None = (
                None if tie_weights else nn.Dense(vocab_size, use_bias=False, flatten=False, in_units=units)
            )

    def forward(self, tokens: Any) -> Any:
        tokens = prompts_of(tokens, 0)
        x, waves = self._embedded(tokens, None), self._turns(slice(tokens.shape[1]))
        for layer in self.layers:
            x = layer(x, waves)
        return self._scores(x)

    def begin_cache(self, batch_size: int, dtype: Any = "float32") -> Caches:
        """Make empty caches for so many rows."""
        shape = (batch_size, self._groups, self.max_length, self._size)
        return [np.zeros(shape, dtype=dtype) for _ in range(2 * len(self.layers))]

    def prefill(self, tokens: Any, caches: Caches, start: Any = None) -> Any:
        """Read prompts [batch, time] into the first places of the caches; returns the scores [batch, vocabulary].

        Args:
            tokens: of each row, the last one at the last place; one at least.
            caches: are written.
            start: [batch], where each row's prompt begins, a place of the prompts; 0 unless given.

        Raises:
            ArgumentError E331: there are more or fewer caches than the layers have.
            OutOfBoundsError E110: a prompt begins before the first place, or behind its last one; a token is none of
                the vocabulary.
            ShapeError E134: the prompts are longer than there are places, or there is no token; caches or start are of
                other rows.
        """
        tokens = prompts_of(tokens)
        start = first_places(start, tokens)
        x, waves = self._embedded(tokens, start), self._turns(slice(tokens.shape[1]))
        self._check_caches(caches, *tokens.shape)
        layer: Any
        for number, layer in enumerate(self.layers):
            x, k, v = layer.of_all(x, waves, start)
            caches[2 * number][:, :, : tokens.shape[1]] = k
            caches[2 * number + 1][:, :, : tokens.shape[1]] = v
        return self._scores(x[:, -1])

    def step(self, tokens: Any, place: Any, caches: Caches, start: Any = None) -> Any:
        """Read the token [batch] of one more place; returns the scores [batch, vocabulary] of the next one.

        Args:
            tokens: one for each row.
            place: an integer, the number of tokens that stand before.
            caches: are written at this place.
            start: [batch], the first place that each row sees; 0 unless given.

        Raises:
            ArgumentError E331: there are more or fewer caches than the layers have.
            OutOfBoundsError E110: the caches are full; a token is none of the vocabulary.
            ShapeError E134: there is not one token for each row, or one place for all; caches or start are of other
                rows.
        """
        tokens = array(tokens)
        if tokens.ndim != 1:
            raise ShapeError("E134", f"a step takes tokens [batch], got {tokens.type}", help="give one token per row")
        start = None if start is None else of_rows("start", start, tokens.shape[0])
        self._check_caches(caches, tokens.shape[0], 0)
        number = self._number_of(place)
        x = np.expand_dims(self.embedding(tokens), 1)
        if self.positions is not None:
            at = number if start is None else np.maximum(number - start, 0)
            x = x + self.positions(at).reshape((-1, 1, x.shape[-1]))
        layer: Any
        waves = self._turns(place)
        for number, layer in enumerate(self.layers):
            x = layer.of_next(x, place, waves, *caches[2 * number : 2 * number + 2], start)
        return self._scores(x[:, 0])

    def _number_of(self, place: Any) -> Any:
        """Return a place as an int64 without axes.

        Raises:
            OutOfBoundsError E110: the caches have no such place.
            ShapeError E134: there are several.
        """
        number = index_operand(place)
        if shape_of(number) != ():
            what = f"a step at places {typed(number)}"
            raise ShapeError("E134", what, help="one for all rows; start=[batch] says where each begins")
        where = f"a token at a place of {self.max_length} that the caches have"
        check(number, 0, self.max_length, where, "full: a larger max_length, or new ones")
        return result(number)

    def _check_caches(self, caches: Any, batch: int, time: int) -> None:
        """Refuse what are not the caches of so many rows and places.

        Raises:
            ArgumentError E331: there are more or fewer than the layers have.
            ShapeError E134: one is not [batch, heads of keys, places, size of a head].
        """
        help, wanted = f"begin_cache({dims.text(batch)}) makes them", 2 * len(self.layers)
        if not isinstance(caches, (list, tuple)) or len(caches) != wanted:
            shown = len(caches) if isinstance(caches, (list, tuple)) else type(caches).__name__
            raise ArgumentError("E331", f"{shown} caches for {len(self.layers)} layers, two for each", help=help)
        for cache in map(array, caches):
            sizes = (*cache.shape[:2], *cache.shape[3:])
            if cache.ndim != 4 or not same_shape(sizes, (batch, self._groups, self._size)):
                what = f"a cache {cache.type} for {dims.text(batch)} rows"
                raise ShapeError("E134", what, help=f"{help}: [batch, {self._groups}, places, {self._size}]")
            if cache.shape[2] < time:
                raise ShapeError("E134", f"a cache {cache.type} for prompts of {dims.text(time)} places", help=help)

    def _turns(self, places: Any) -> Waves:
        """The rotary embedding of a place, or of several."""
        if self._waves is None:
            return None
        cosines, sines = (np.array(one)[places] for one in self._waves)
        return cosines, sines

    def _embedded(self, tokens: Any, start: Any) -> Any:
        time = tokens.shape[1]
        if time > self.max_length:
            raise ShapeError("E134", f"{time} tokens for {self.max_length} places", help="use a larger max_length")
        x = self.embedding(tokens)
        if self.positions is None:
            return x
        places = np.arange(time, dtype="int64")
        if start is not None:
            places = np.maximum(places - np.expand_dims(start, 1), 0)
        return x + self.positions(places)

    def _scores(self, x: Any) -> Any:
        x = self.norm(x)
        return (
            npx.fully_connected(x, self.embedding.weight.data(), None, flatten=False)
            if self.output is None
            else self.output(x)
        )
