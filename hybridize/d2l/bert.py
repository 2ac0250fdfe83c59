# SPDX-License-Identifier: Apache-2.0
"""BERT as the book builds it, of the Transformer's blocks: Devlin and others, "BERT" (2018)."""

from __future__ import annotations

from typing import Any

from hybridize.array import np
from hybridize.d2l.attention import TransformerEncoderBlock
from hybridize.gluon import Parameter, nn


def get_tokens_and_segments(tokens_a: list[str], tokens_b: list[str] | None = None) -> tuple[list[str], list[int]]:
    """Join one or two texts: tokens with `<cls>` before and `<sep>` after each text, and the text of each token.

    Args:
        tokens_a: the first text.
        tokens_b: the second text; None: there is one text.

    >>> from hybridize import d2l
    >>> d2l.get_tokens_and_segments(["a", "b"], ["c"])
    (['<cls>', 'a', 'b', '<sep>', 'c', '<sep>'], [0, 0, 0, 0, 1, 1])
    """
    tokens, segments = ["<cls>", *tokens_a, "<sep>"], [0] * (len(tokens_a) + 2)
    if tokens_b is not None:
        tokens, segments = [*tokens, *tokens_b, "<sep>"], [*segments, *[1] * (len(tokens_b) + 1)]
    return tokens, segments


class BERTEncoder(nn.Block):
    """Embed tokens, texts and positions, and apply the Transformer's blocks to their sum.

    A call takes tokens and segments (batch, steps), and the number of valid tokens (batch,) or None.

    Args:
        vocab_size: how many tokens there are.
        num_hiddens, ffn_num_hiddens, num_heads, dropout: see `TransformerEncoderBlock`.
        num_blks: how many blocks.
        max_len: the longest text.

    >>> from hybridize import d2l, np
    >>> encoder = d2l.BERTEncoder(20, 8, 16, num_heads=2, num_blks=1, dropout=0.1, max_len=6)
    >>> encoder.initialize()
    >>> encoder(np.ones((2, 5)), np.zeros((2, 5)), None).shape
    (2, 5, 8)
    """

    token_embedding: nn.Embedding
    segment_embedding: nn.Embedding
    blks: nn.Sequential
    pos_embedding: Parameter

    def __init__(
        self,
        vocab_size: int,
        num_hiddens: int,
        ffn_num_hiddens: int,
        num_heads: int,
        num_blks: int,
        dropout: float,
        max_len: int = 1000,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.token_embedding = nn.Embedding(vocab_size, num_hiddens)
        self.segment_embedding = nn.Embedding(2, num_hiddens)
        self.blks = nn.Sequential()
        for _ in range(num_blks):
            self.blks.add(TransformerEncoderBlock(num_hiddens, ffn_num_hiddens, num_heads, dropout, True))
        self.pos_embedding = Parameter("pos_embedding", shape=(1, max_len, num_hiddens))

    def forward(self, tokens: Any, segments: Any, valid_lens: Any) -> Any:
        X = self.token_embedding(tokens) + self.segment_embedding(segments)
        X = X + self.pos_embedding.data(ctx=X.ctx)[:, : X.shape[1], :]
        for block in self.blks:
            X = block(X, valid_lens)
        return X


class MaskLM(nn.Block):
    """Score the hidden tokens.

    Args:
        vocab_size: how many tokens there are.
        num_hiddens: how wide it is inside.

    >>> from hybridize import d2l, np
    >>> net = d2l.MaskLM(20, 8)
    >>> net.initialize()
    >>> net(np.ones((2, 5, 8)), np.array([[1, 2], [0, 3]])).shape
    (2, 2, 20)
    """

    mlp: nn.Sequential

    def __init__(self, vocab_size: int, num_hiddens: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.mlp = nn.Sequential()
        self.mlp.add(
            nn.Dense(num_hiddens, flatten=False, activation="relu"),
            nn.LayerNorm(),
            nn.Dense(vocab_size, flatten=False),
        )

    def forward(self, X: Any, pred_positions: Any) -> Any:
        """Return scores (batch, positions, tokens).

        Args:
            X: features, (batch, steps, hidden).
            pred_positions: positions of hidden tokens, (batch, positions).
        """
        batch, count = pred_positions.shape
        rows = np.arange(batch).repeat(count)
        return self.mlp(X[rows, pred_positions.reshape(-1)].reshape(batch, count, X.shape[-1]))


class NextSentencePred(nn.Block):
    """Return two scores that tell whether one text follows the other.

    >>> from hybridize import d2l, np
    >>> net = d2l.NextSentencePred()
    >>> net.initialize()
    >>> net(np.ones((2, 8))).shape
    (2, 2)
    """

    output: nn.Dense

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.output = nn.Dense(2)

    def forward(self, X: Any) -> Any:
        return self.output(X)


class BERTModel(nn.Block):
    """Apply BERT's encoder, and score hidden tokens and whether one text follows the other.

    A call returns features (batch, steps, hidden), scores of hidden tokens (batch, positions, tokens) or None, and two
    scores of each pair of texts (batch, 2).

    Args:
        vocab_size, num_hiddens, ffn_num_hiddens, num_heads, num_blks, dropout, max_len: see `BERTEncoder`.

    >>> from hybridize import d2l, np
    >>> net = d2l.BERTModel(20, 8, 16, num_heads=2, num_blks=1, dropout=0.1, max_len=6)
    >>> net.initialize()
    >>> features, tokens, follows = net(np.ones((2, 5)), np.zeros((2, 5)), None, np.array([[1, 2], [0, 3]]))
    >>> features.shape, tokens.shape, follows.shape
    ((2, 5, 8), (2, 2, 20), (2, 2))
    """

    encoder: BERTEncoder
    hidden: nn.Dense
    mlm: MaskLM
    nsp: NextSentencePred

    def __init__(
        self,
        vocab_size: int,
        num_hiddens: int,
        ffn_num_hiddens: int,
        num_heads: int,
        num_blks: int,
        dropout: float,
        max_len: int = 1000,
    ) -> None:
        super().__init__()
        self.encoder = BERTEncoder(vocab_size, num_hiddens, ffn_num_hiddens, num_heads, num_blks, dropout, max_len)
        self.hidden = nn.Dense(num_hiddens, activation="tanh")
        self.mlm = MaskLM(vocab_size, num_hiddens)
        self.nsp = NextSentencePred()

    def forward(self, tokens: Any, segments: Any, valid_lens: Any = None, pred_positions: Any = None) -> Any:
        """Return features (batch, steps, hidden), scores of hidden tokens or None, and scores of texts (batch, 2)."""
        encoded = self.encoder(tokens, segments, valid_lens)
        hidden = self.mlm(encoded, pred_positions) if pred_positions is not None else None
        return encoded, hidden, self.nsp(self.hidden(encoded[:, 0, :]))
