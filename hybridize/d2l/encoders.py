# SPDX-License-Identifier: Apache-2.0
"""Encoders and decoders: one sequence read, another one written; and what a translation is worth."""

from __future__ import annotations

import collections
import math
from typing import Any

from hybridize import gluon, init
from hybridize.array import np
from hybridize.d2l.classes import Classifier, not_said
from hybridize.d2l.recurrent import GRU
from hybridize.gluon import nn


class Encoder(nn.Block):
    """Read a sequence. A subclass defines `forward`, whose result a `Decoder` begins with.

    >>> from hybridize import d2l, np
    >>> class Sum(d2l.Encoder):
    ...     def forward(self, X, *args):
    ...         return X.sum(axis=1)
    >>> Sum()(np.ones((2, 5))).tolist()
    [5.0, 5.0]
    """

    def forward(self, X: Any, *args: Any) -> Any:
        """Return what a decoder begins with. A subclass defines it."""
        not_said(self, "forward")


class Decoder(nn.Block):
    """Write a sequence step by step. A subclass defines `init_state` and `forward`.

    >>> from hybridize import d2l, np
    >>> class Count(d2l.Decoder):
    ...     def init_state(self, enc_all_outputs, *args):
    ...         return enc_all_outputs
    ...     def forward(self, X, state):
    ...         return X + state, state + 1
    >>> decoder = Count()
    >>> decoder(np.zeros(2), decoder.init_state(np.array([3.0, 4.0])))
    (array([3., 4.]), array([4., 5.]))
    """

    def init_state(self, enc_all_outputs: Any, *args: Any) -> Any:
        """Return the first state, from the encoder's result. A subclass defines it."""
        not_said(self, "init_state")

    def forward(self, X: Any, state: Any) -> Any:
        """Return the results and the next state. A subclass defines it."""
        not_said(self, "forward")


class EncoderDecoder(Classifier):
    """Run an encoder, then a decoder that begins with the encoder's result.

    Args:
        encoder: an `Encoder`.
        decoder: a `Decoder`.

    >>> from hybridize import d2l, np
    >>> class Sum(d2l.Encoder):
    ...     def forward(self, X, *args):
    ...         return X.sum(axis=1)
    >>> class Add(d2l.Decoder):
    ...     def init_state(self, enc_all_outputs, *args):
    ...         return enc_all_outputs
    ...     def forward(self, X, state):
    ...         return X + state, state
    >>> d2l.EncoderDecoder(Sum(), Add())(np.ones((2, 5)), np.zeros(2))
    array([5., 5.])
    """

    def __init__(self, encoder: Any, decoder: Any) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def forward(self, enc_X: Any, dec_X: Any, *args: Any) -> Any:  # type: ignore[override]
        state = self.decoder.init_state(self.encoder(enc_X, *args), *args)
        return self.decoder(dec_X, state)[0]

    def predict_step(
        self, batch: Any, device: Any, num_steps: int, save_attention_weights: bool = False
    ) -> tuple[Any, list[Any]]:
        """Write sequences token by token, each the likeliest one.

        Args:
            batch: sources (B, steps), targets of which the first tokens are taken (B, steps), lengths of the sources
                (B,), and one more, which is not looked at.
            device: where.
            num_steps: how many tokens to write.
            save_attention_weights: whether to keep what the decoder looked at.

        Returns:
            The tokens (B, num_steps), and the weights of each step.
        """
        source, target, lengths, _ = (one.as_in_ctx(device) for one in batch)
        state = self.decoder.init_state(self.encoder(source, lengths), lengths)
        token, tokens, weights = target[:, :1], [], []
        for _ in range(num_steps):
            scores, state = self.decoder(token, state)
            token = scores.argmax(axis=2)
            tokens.append(token)
            if save_attention_weights:
                weights.append(self.decoder.attention_weights)
        return np.concatenate(tokens, axis=1), weights


class Seq2SeqEncoder(Encoder):
    """Encode a sequence by layers of gated recurrent units.

    Args:
        vocab_size: how many tokens there are.
        embed_size: how many features of each.
        num_hiddens, num_layers, dropout: see `GRU`.

    >>> from hybridize import d2l, np
    >>> encoder = d2l.Seq2SeqEncoder(10, 8, 16, 2)
    >>> outputs, state = encoder(np.zeros((4, 9)))
    >>> outputs.shape
    (9, 4, 16)
    """

    embedding: nn.Embedding
    rnn: GRU

    def __init__(self, vocab_size: int, embed_size: int, num_hiddens: int, num_layers: int, dropout: float = 0) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = GRU(num_hiddens, num_layers, dropout)
        self.initialize(init.Xavier())

    def forward(self, X: Any, *args: Any) -> Any:
        return self.rnn(self.embedding(X.T))


class Seq2Seq(EncoderDecoder):
    """Train an encoder and a decoder together, by Adam.

    Args:
        encoder, decoder: see `EncoderDecoder`.
        tgt_pad: the number of the token that fills up targets.
        lr: the learning rate.

    >>> from hybridize import d2l
    >>> encoder = d2l.Seq2SeqEncoder(vocab_size=10, embed_size=8, num_hiddens=16, num_layers=2)
    >>> model = d2l.Seq2Seq(encoder, d2l.Decoder(), tgt_pad=0, lr=0.005)
    >>> model.configure_optimizers().learning_rate
    0.005
    """

    def __init__(self, encoder: Any, decoder: Any, tgt_pad: int, lr: float) -> None:
        super().__init__(encoder, decoder)
        self.save_hyperparameters(ignore=("encoder", "decoder"))

    def validation_step(self, batch: Any) -> None:
        self.plot("loss", self.loss(self(*batch[:-1]), batch[-1]), train=False)

    def configure_optimizers(self) -> Any:
        return gluon.Trainer(self.parameters(), "adam", {"learning_rate": self.lr})


def bleu(pred_seq: str, label_seq: str, k: int) -> float:
    """Return the BLEU of a sentence: how many of its runs of up to `k` words are in another sentence. 1 means all.

    The longer a run, the more it counts; a sentence that is shorter than the other one has less. From Papineni and
    others, "BLEU: a method for automatic evaluation of machine translation" (2002), with the book's weights.

    Args:
        pred_seq: the words that are judged, with a blank between.
        label_seq: the words that are right.
        k: the longest run.

    >>> from hybridize import d2l
    >>> round(d2l.bleu("il est paresseux .", "il est calme .", k=2), 3)
    0.658
    """
    guess, right = pred_seq.split(" "), label_seq.split(" ")
    score = math.exp(min(0.0, 1 - len(right) / len(guess)))
    for n in range(1, min(k, len(guess)) + 1):
        ours, theirs = (
            collections.Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1)) for words in (guess, right)
        )
        score *= ((ours & theirs).total() / (len(guess) - n + 1)) ** 0.5**n
    return score
