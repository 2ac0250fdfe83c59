# SPDX-License-Identifier: Apache-2.0
"""Attention, and the Transformer's encoder, as the book builds them up from blocks.

B is the size of a batch, Q how many queries there are, K how many keys with their values, d how many features.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from hybridize.array import np, npx
from hybridize.d2l.classes import Module, not_said
from hybridize.d2l.encoders import Decoder, Encoder
from hybridize.d2l.figures import numbers, pyplot, use_svg_display
from hybridize.gluon import nn


def show_heatmaps(
    matrices: Any,
    xlabel: str,
    ylabel: str,
    titles: Sequence[str] | None = None,
    figsize: tuple[float, float] = (2.5, 2.5),
    cmap: str = "Reds",
) -> None:
    """Draw matrices as colours.

    Args:
        matrices: (rows of the figure, columns of the figure, Q, K).
        xlabel, ylabel: texts below the last row and left of the first column.
        titles: texts above the columns.
        figsize: in inches.
        cmap: matplotlib's name of the colours.

    Raises:
        ArgumentError E380: matplotlib is not installed.

    >>> from hybridize import d2l, np
    >>> d2l.show_heatmaps(np.eye(4).reshape(1, 1, 4, 4), xlabel="keys", ylabel="queries")
    >>> d2l.plt.gcf().axes[0].get_xlabel()
    'keys'
    >>> d2l.plt.close()
    """
    use_svg_display()
    rows, columns = matrices.shape[:2]
    figure, grid = pyplot().subplots(rows, columns, figsize=figsize, sharex=True, sharey=True, squeeze=False)
    drawn = None
    for row in range(rows):
        for column in range(columns):
            axes = grid[row][column]
            drawn = axes.imshow(numbers(matrices[row][column]), cmap=cmap)
            axes.set_xlabel(xlabel if row == rows - 1 else "")
            axes.set_ylabel(ylabel if column == 0 else "")
            if titles:
                axes.set_title(titles[column])
    figure.colorbar(drawn, ax=grid, shrink=0.6)


def masked_softmax(X: Any, valid_lens: Any) -> Any:
    """Return the softmax along the last axis of the valid elements. The others get 0.

    Args:
        X: scores, (B, Q, K).
        valid_lens: how many keys are valid, (B,) or (B, Q); None: all.

    >>> from hybridize import d2l, np
    >>> d2l.masked_softmax(np.zeros((1, 1, 4)), np.array([2]))
    array([[[0.5, 0.5, 0. , 0. ]]])
    """
    if valid_lens is None:
        return npx.softmax(X)
    lengths = valid_lens.repeat(X.shape[1]) if valid_lens.ndim == 1 else valid_lens.reshape(-1)
    rows = npx.sequence_mask(X.reshape(-1, X.shape[-1]), lengths, True, value=-1e6, axis=1)
    return npx.softmax(rows).reshape(X.shape)


class DotProductAttention(nn.Block):
    """Return means of values, weighted by products of queries and keys, which are scaled by 1/√d.

    Args:
        dropout: the share of weights that is dropped while training.

    >>> from hybridize import d2l, np
    >>> attention = d2l.DotProductAttention(dropout=0.0)
    >>> attention(np.ones((2, 1, 4)), np.ones((2, 5, 4)), np.ones((2, 5, 3)), np.array([2, 3])).shape
    (2, 1, 3)
    """

    dropout: nn.Dropout

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries: Any, keys: Any, values: Any, valid_lens: Any = None) -> Any:
        scores = npx.batch_dot(queries, keys, transpose_b=True) / math.sqrt(queries.shape[-1])
        self.attention_weights: Any = masked_softmax(scores, valid_lens)
        return npx.batch_dot(self.dropout(self.attention_weights), values)


class AdditiveAttention(nn.Block):
    """Return means of values, weighted by a small net of queries and keys. These may have different sizes.

    Args:
        num_hiddens: how wide the net is.
        dropout: the share of weights that is dropped while training.

    >>> from hybridize import d2l, np
    >>> attention = d2l.AdditiveAttention(8, dropout=0.0)
    >>> attention.initialize()
    >>> attention(np.ones((2, 1, 4)), np.ones((2, 5, 6)), np.ones((2, 5, 3)), np.array([2, 3])).shape
    (2, 1, 3)
    """

    W_k: nn.Dense
    W_q: nn.Dense
    w_v: nn.Dense
    dropout: nn.Dropout

    def __init__(self, num_hiddens: int, dropout: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.W_k = nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_q = nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.w_v = nn.Dense(1, use_bias=False, flatten=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries: Any, keys: Any, values: Any, valid_lens: Any) -> Any:
        pairs = np.tanh(self.W_q(queries)[:, :, None] + self.W_k(keys)[:, None])  # (B, Q, K, hidden)
        self.attention_weights: Any = masked_softmax(self.w_v(pairs).squeeze(axis=-1), valid_lens)
        return npx.batch_dot(self.dropout(self.attention_weights), values)


class AttentionDecoder(Decoder):
    """Write a sequence with attention. A subclass also defines `attention_weights`: how much each input counted.

    >>> from hybridize import d2l, np
    >>> class Mean(d2l.AttentionDecoder):
    ...     attention_weights = np.ones((1, 2)) / 2
    ...     def init_state(self, enc_all_outputs, *args):
    ...         return enc_all_outputs
    ...     def forward(self, X, state):
    ...         return np.dot(self.attention_weights, state), state
    >>> Mean()(None, np.array([[1.0], [3.0]]))[0]
    array([[2.]])
    """

    @property
    def attention_weights(self) -> Any:
        """Subclasses say it."""
        not_said(self, "attention_weights")


class MultiHeadAttention(Module):
    """Apply attention in several heads, each to its part of the features.

    Args:
        num_hiddens: how many features the heads have together.
        num_heads: how many heads.
        dropout: the share of weights that is dropped while training.
        use_bias: whether the four projections have a bias.

    >>> from hybridize import d2l, np
    >>> attention = d2l.MultiHeadAttention(8, 2, dropout=0.0)
    >>> attention.initialize()
    >>> x = np.ones((2, 5, 8))
    >>> attention(x, x, x, np.array([2, 3])).shape
    (2, 5, 8)
    """

    attention: DotProductAttention
    W_q: nn.Dense
    W_k: nn.Dense
    W_v: nn.Dense
    W_o: nn.Dense

    def __init__(self, num_hiddens: int, num_heads: int, dropout: float, use_bias: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.num_heads = num_heads
        self.attention = DotProductAttention(dropout)
        self.W_q = nn.Dense(num_hiddens, use_bias=use_bias, flatten=False)
        self.W_k = nn.Dense(num_hiddens, use_bias=use_bias, flatten=False)
        self.W_v = nn.Dense(num_hiddens, use_bias=use_bias, flatten=False)
        self.W_o = nn.Dense(num_hiddens, use_bias=use_bias, flatten=False)

    def forward(self, queries: Any, keys: Any, values: Any, valid_lens: Any) -> Any:  # type: ignore[override]
        q, k, v = (
            self.transpose_qkv(project(one))
            for project, one in ((self.W_q, queries), (self.W_k, keys), (self.W_v, values))
        )
        lengths = valid_lens.repeat(self.num_heads, axis=0) if valid_lens is not None else None
        seen = self.attention(q, k, v, lengths)
        return self.W_o(self.transpose_output(seen))

    def transpose_qkv(self, X: Any) -> Any:
        """Split the features among the heads: from (B, Q, d) to (B · heads, Q, d / heads)."""
        batch, count, features = X.shape
        parted = X.reshape(batch, count, self.num_heads, -1).transpose(0, 2, 1, 3)
        return parted.reshape(-1, count, features // self.num_heads)

    def transpose_output(self, X: Any) -> Any:
        """Join the features of the heads again, as they were before `transpose_qkv`."""
        _, count, features = X.shape
        parted = X.reshape(-1, self.num_heads, count, features).transpose(0, 2, 1, 3)
        return parted.reshape(-1, count, self.num_heads * features)


class PositionalEncoding(nn.Block):
    """Add waves of growing lengths to the features of a sequence, so that positions differ.

    Args:
        num_hiddens: how many features.
        dropout: the share of results that is dropped while training.
        max_len: the longest sequence.

    >>> from hybridize import d2l, np
    >>> d2l.PositionalEncoding(4, dropout=0.0)(np.zeros((1, 2, 4))).round(2)
    array([[[0.  , 1.  , 0.  , 1.  ],
            [0.84, 0.54, 0.01, 1.  ]]])
    """

    dropout: nn.Dropout

    def __init__(self, num_hiddens: int, dropout: float, max_len: int = 1000) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        angles = np.arange(max_len)[:, None] / 10000 ** (np.arange(0, num_hiddens, 2) / num_hiddens)
        self.P = np.zeros((1, max_len, num_hiddens))
        self.P[:, :, 0::2] = np.sin(angles)
        self.P[:, :, 1::2] = np.cos(angles[:, : num_hiddens // 2])

    def forward(self, X: Any) -> Any:
        return self.dropout(X + self.P[:, : X.shape[1], :].as_in_ctx(X.ctx))


class PositionWiseFFN(nn.Block):
    """Apply two dense layers at each position of a sequence.

    Args:
        ffn_num_hiddens: how wide it is inside.
        ffn_num_outputs: how many features it gives.

    >>> from hybridize import d2l, np
    >>> net = d2l.PositionWiseFFN(8, 4)
    >>> net.initialize()
    >>> net(np.ones((2, 5, 3))).shape
    (2, 5, 4)
    """

    dense1: nn.Dense
    dense2: nn.Dense

    def __init__(self, ffn_num_hiddens: int, ffn_num_outputs: int) -> None:
        super().__init__()
        self.dense1 = nn.Dense(ffn_num_hiddens, activation="relu", flatten=False)
        self.dense2 = nn.Dense(ffn_num_outputs, flatten=False)

    def forward(self, X: Any) -> Any:
        return self.dense2(self.dense1(X))


class AddNorm(nn.Block):
    """Add an input to a layer's result, and normalize the sum.

    Args:
        dropout: the share of the layer's result that is dropped while training.

    >>> from hybridize import d2l, np
    >>> net = d2l.AddNorm(0.5)
    >>> net.initialize()
    >>> net(np.ones((2, 5, 3)), np.ones((2, 5, 3))).shape
    (2, 5, 3)
    """

    dropout: nn.Dropout
    ln: nn.LayerNorm

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.ln = nn.LayerNorm()

    def forward(self, X: Any, Y: Any) -> Any:
        return self.ln(X + self.dropout(Y))


class TransformerEncoderBlock(nn.Block):
    """Apply attention of a sequence to itself, and a net at each position.

    Add each result to its input, and normalize.

    Args:
        num_hiddens: how many features.
        ffn_num_hiddens: how wide the net is inside.
        num_heads, dropout, use_bias: see `MultiHeadAttention`.

    >>> from hybridize import d2l, np
    >>> block = d2l.TransformerEncoderBlock(8, 16, 2, 0.1)
    >>> block.initialize()
    >>> block(np.ones((2, 5, 8)), np.array([2, 3])).shape
    (2, 5, 8)
    """

    attention: MultiHeadAttention
    addnorm1: AddNorm
    ffn: PositionWiseFFN
    addnorm2: AddNorm

    def __init__(
        self, num_hiddens: int, ffn_num_hiddens: int, num_heads: int, dropout: float, use_bias: bool = False
    ) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(num_hiddens, num_heads, dropout, use_bias)
        self.addnorm1 = AddNorm(dropout)
        self.ffn = PositionWiseFFN(ffn_num_hiddens, num_hiddens)
        self.addnorm2 = AddNorm(dropout)

    def forward(self, X: Any, valid_lens: Any) -> Any:
        seen = self.addnorm1(X, self.attention(X, X, X, valid_lens))
        return self.addnorm2(seen, self.ffn(seen))


class TransformerEncoder(Encoder):
    """Apply the Transformer's encoder: embedded tokens with their positions, through blocks.

    Args:
        vocab_size: how many tokens there are.
        num_blks: how many blocks.
        num_hiddens, ffn_num_hiddens, num_heads, dropout, use_bias: see `TransformerEncoderBlock`.

    >>> from hybridize import d2l, np
    >>> encoder = d2l.TransformerEncoder(20, 8, 16, 2, 2, 0.1)
    >>> encoder(np.ones((2, 5)), np.array([2, 3])).shape
    (2, 5, 8)
    """

    embedding: nn.Embedding
    pos_encoding: PositionalEncoding
    blks: nn.Sequential

    def __init__(
        self,
        vocab_size: int,
        num_hiddens: int,
        ffn_num_hiddens: int,
        num_heads: int,
        num_blks: int,
        dropout: float,
        use_bias: bool = False,
    ) -> None:
        super().__init__()
        self.num_hiddens = num_hiddens
        self.embedding = nn.Embedding(vocab_size, num_hiddens)
        self.pos_encoding = PositionalEncoding(num_hiddens, dropout)
        self.blks = nn.Sequential()
        for _ in range(num_blks):
            self.blks.add(TransformerEncoderBlock(num_hiddens, ffn_num_hiddens, num_heads, dropout, use_bias))
        self.attention_weights: list[Any] = []
        self.initialize()

    def forward(self, X: Any, valid_lens: Any) -> Any:
        X = self.pos_encoding(self.embedding(X) * math.sqrt(self.num_hiddens))
        weights = []
        block: Any
        for block in self.blks:
            X = block(X, valid_lens)
            weights.append(block.attention.attention.attention_weights)
        self.attention_weights = weights
        return X
