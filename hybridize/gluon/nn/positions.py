# SPDX-License-Identifier: Apache-2.0
"""Layers that tell vectors of a sequence where they stand: by sines, by learned vectors, by rotations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridize.array.functions import creation, neural
from hybridize.array.functions import positions as encodings
from hybridize.array.ndarray import ndarray
from hybridize.array.operands import array
from hybridize.base import dims
from hybridize.base.errors import ShapeError
from hybridize.base.promotion import floating
from hybridize.base.types import same_shape
from hybridize.gluon.checking import check_choice, check_count, check_number, check_part
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.gluon.parameter import UNKNOWN

if TYPE_CHECKING:
    from hybridize.gluon.parameter import Parameter


class PositionalEncoding(HybridBlock):
    """Add sines and cosines of the positions to an input [..., time, units], then apply dropout.

    Component 2 k is sin(position / base ** (2 k / units)), component 2 k + 1 the cosine of the same. Called as
    `encode(x, positions=None)`; positions are 0, 1, 2, ... unless given, [time] or [..., time] or what broadcasts to
    that. Those that are given may be any numbers.

    Args:
        units: size of a vector.
        dropout: the part of the sum that is dropped while training.
        max_length: so many positions are computed once, and longer sequences refused unless their positions are given;
            None: computed at each call.
        base: the longest wave is 2 pi times this.

    Raises:
        ArgumentError E331: a count is not a positive integer, the base no number, or dropout does not lie between 0 and
            1.
        ShapeError E197: at a call: vectors of another size, a longer sequence, or positions that are not one for each
            vector.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.PositionalEncoding(4)(np.zeros((1, 2, 4))).round(3)
    array([[[0.   , 1.   , 0.   , 1.   ],
            [0.841, 0.54 , 0.01 , 1.   ]]])
    """

    _repr_form = "{0._units}, p = {0._dropout}, max_length={0._max_length}"

    def __init__(
        self, units: int, dropout: float = 0.0, max_length: int | None = 1000, base: float = 10000.0, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        check_count(self, "units", units)
        check_part(self, "dropout", dropout)
        check_number(self, "base", base)
        self._units, self._dropout, self._base, self._max_length = units, dropout, base, max_length
        self._table = None
        if max_length is not None:
            check_count(self, "max_length", max_length)
            self._table = encodings.sinusoidal_positions(creation.arange(max_length), units, base)

    def forward(self, x: Any, positions: Any = None) -> ndarray:
        _check_vectors(self, x, self._units)
        if positions is None and self._table is not None:
            added = _first_rows(self, self._table, x)
        else:
            places = creation.arange(x.shape[-2]) if positions is None else _places(self, positions, x)
            added = encodings.sinusoidal_positions(places, self._units, self._base, floating(x.dtype))
        return neural.dropout(x + added, self._dropout)


class LearnedPositionalEncoding(HybridBlock):
    """Add a learned vector for each position to an input [..., time, units], then apply dropout.

    Called as `encode(x, positions=None)`; positions are 0, 1, 2, ... unless given, integers [time] or [..., time] or
    what broadcasts to that. Its parameter is `weight`, [max_length, units].

    Args:
        max_length: how many positions there are.
        units: size of a vector; 0: taken from the first input.
        dropout: the part of the sum that is dropped while training.
        dtype: of the parameter.
        weight_initializer: of the parameter.

    Raises:
        ArgumentError E331: a number is not a positive integer, or dropout does not lie between 0 and 1.
        OutOfBoundsError E110: at a call: there is no vector for a position.
        ShapeError E197: at a call: vectors of another size, a longer sequence, or positions that are not one for each
            vector.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> layer = nn.LearnedPositionalEncoding(16)
    >>> layer.initialize()
    >>> layer(np.zeros((2, 5, 4))).shape, layer.weight.shape
    ((2, 5, 4), (16, 4))
    """

    _operands = "weight"

    def __init__(
        self,
        max_length: int,
        units: int = 0,
        dropout: float = 0.0,
        dtype: Any = "float32",
        weight_initializer: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_count(self, "max_length", max_length)
        check_part(self, "dropout", dropout)
        self._dropout, self._max_length = dropout, max_length
        self.weight: Parameter = self.params.deferred("weight", (max_length, units), weight_initializer, dtype=dtype)

    def infer_shape(self, x: Any, *_: Any) -> None:
        _check_vectors(self, x)
        self.weight.complete(self._max_length, x.shape[-1])

    def forward(self, x: Any, positions: Any = None) -> ndarray:
        weight = self.weight.data()
        _check_vectors(self, x, weight.shape[1])
        if positions is None:
            added = _first_rows(self, weight, x)
        else:
            added = neural.embedding(_places(self, positions, x), weight)
        return neural.dropout(x + added, self._dropout)

    def __repr__(self) -> str:
        rows, units = self.weight.shape or (UNKNOWN, UNKNOWN)
        return f"{type(self).__name__}({rows} x {units if units >= 0 else None}, p = {self._dropout})"


class RotaryEmbedding(HybridBlock):
    """Rotate pairs of components of queries or keys by their position: see `npx.rotary_embedding`.

    Called as `rotate(x, positions=None)`; positions are 0, 1, 2, ... unless given, [time] or [batch, time]. It has no
    parameters. Given to `MultiHeadAttention` as `rotary`, it turns queries and keys.

    Args:
        base: pair k turns by base ** (-2 k / size) for each position.
        pairing: "halves": component k goes with k + size / 2; "neighbours": 2 k with 2 k + 1.
        rotary_size: how many components turn, from the first; all unless given.
        layout: "BHTD", [..., heads, time, size], or "BTHD", [..., time, heads, size].

    Raises:
        ArgumentError E331: there is no such pairing or layout, or the base is no number.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.RotaryEmbedding()(np.ones((1, 2, 3, 4))).shape
    (1, 2, 3, 4)
    >>> layer = nn.MultiHeadAttention(8, 2, rotary=nn.RotaryEmbedding(layout="BTHD"))
    """

    _repr_form = "base={0._base}, pairing={0._pairing}"

    def __init__(
        self,
        base: float = 10000.0,
        pairing: str = "halves",
        rotary_size: int | None = None,
        layout: str = "BTHD",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_choice(self, "pairing", pairing, ("halves", "neighbours"))
        check_choice(self, "layout", layout, ("BHTD", "BTHD"))
        check_number(self, "base", base)
        self._base, self._pairing, self._rotary_size, self._layout = base, pairing, rotary_size, layout

    def forward(self, x: Any, positions: Any = None) -> ndarray:
        return encodings.rotary_embedding(x, positions, self._base, self._pairing, self._rotary_size, self._layout)


def _check_vectors(block: HybridBlock, x: Any, units: int | None = None) -> None:
    """Refuse what is no sequence of vectors.

    Raises:
        ShapeError E197: it has fewer than two axes, or vectors of another size.
    """
    if x.ndim < 2 or (units is not None and x.shape[-1] != units):
        what = f"{type(block).__name__} of {x.type}"
        size = "units" if units is None else dims.text(units)
        raise ShapeError("E197", what, help=f"the input is a sequence of vectors, [..., time, {size}]")


def _first_rows(block: HybridBlock, table: Any, x: Any) -> Any:
    """As many rows of a table as `x` has positions, in its dtype.

    Raises:
        ShapeError E197: it has more.
    """
    time = x.shape[-2]
    if time > table.shape[0]:
        what = f"{type(block).__name__} of {x.type}: there are {table.shape[0]} positions"
        raise ShapeError("E197", what, help="use a larger max_length")
    return table[:time].astype(floating(x.dtype), copy=False)


def _places(block: HybridBlock, positions: Any, x: Any) -> Any:
    """Positions of the vectors of `x`.

    Raises:
        ShapeError E197: they are not one for each, even by broadcasting.
    """
    places, wanted = array(positions), x.shape[:-1]
    if not same_shape(dims.broadcast(places.shape, wanted) or (), wanted):
        what = f"{type(block).__name__} of {x.type} at positions {places.type}"
        raise ShapeError("E197", what, help="give one place per time step, [time], or per vector, [..., time]")
    return places
