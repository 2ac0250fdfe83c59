# SPDX-License-Identifier: Apache-2.0
"""Words as numbers."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import Any

from hybridize.base.errors import ArgumentError


def tokenize(lines: Sequence[str], token: str = "word") -> list[list[str]]:
    """Return the words, or the characters, of each line.

    Args:
        lines: texts.
        token: `word` or `char`.

    Raises:
        ArgumentError E300: `token` is neither `word` nor `char`.

    >>> from hybridize import d2l
    >>> d2l.tokenize(["the time machine", "by wells"])
    [['the', 'time', 'machine'], ['by', 'wells']]
    """
    if token not in ("word", "char"):
        raise ArgumentError("E300", f"a token is a word or a char, got {token!r}")
    return [line.split() if token == "word" else list(line) for line in lines]


def truncate_pad(line: Sequence[Any], num_steps: int, padding_token: Any) -> list[Any]:
    """Return a list of `num_steps` tokens: cut, or filled at its end.

    Args:
        line: a list of tokens.
        num_steps: the length of the result.
        padding_token: what fills the end.

    >>> from hybridize import d2l
    >>> d2l.truncate_pad([1, 2, 3], 5, 0)
    [1, 2, 3, 0, 0]
    """
    return [*line[:num_steps], *[padding_token] * (num_steps - len(line))]


class Vocab:
    """Give each token a number, in alphabetical order. `<unk>` stands for all tokens that have none.

    Args:
        tokens: a list of tokens, or of such lists.
        min_freq: how often a token must occur to have a number.
        reserved_tokens: more tokens that have one.

    >>> from hybridize import d2l
    >>> vocab = d2l.Vocab(["b", "a", "a"], min_freq=2)
    >>> vocab.idx_to_token, vocab[["a", "b"]], vocab.to_tokens([1, 0])
    (['<unk>', 'a'], [1, 0], ['a', '<unk>'])
    """

    def __init__(self, tokens: Sequence[Any] = (), min_freq: int = 0, reserved_tokens: Sequence[str] = ()) -> None:
        if tokens and isinstance(tokens[0], list):
            tokens = [token for line in tokens for token in line]
        counts = collections.Counter(tokens)
        self.token_freqs: list[tuple[str, int]] = sorted(counts.items(), key=lambda one: one[1], reverse=True)
        """Tokens and how often they are there, the commonest first."""
        frequent = (token for token, count in self.token_freqs if count >= min_freq)
        self.idx_to_token: list[str] = sorted({"<unk>", *reserved_tokens, *frequent})
        self.token_to_idx: dict[str, int] = {token: number for number, token in enumerate(self.idx_to_token)}

    def __len__(self) -> int:
        return len(self.idx_to_token)

    def __getitem__(self, tokens: Any) -> Any:
        if isinstance(tokens, (list, tuple)):
            return [self[token] for token in tokens]
        return self.token_to_idx.get(tokens, self.unk)

    def to_tokens(self, indices: Any) -> Any:
        """Return the token of a number, or a list of tokens for several."""
        if hasattr(indices, "__len__") and getattr(indices, "shape", None) != ():
            return [self.idx_to_token[int(one)] for one in indices]
        return self.idx_to_token[int(indices)]

    @property
    def unk(self) -> int:
        """The number of tokens that have none."""
        return self.token_to_idx["<unk>"]
