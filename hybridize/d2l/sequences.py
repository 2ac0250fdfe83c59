# SPDX-License-Identifier: Apache-2.0
"""The book's texts, from local files: a novel, letter by letter, and sentences in two languages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hybridize.array import np
from hybridize.d2l.classes import DataModule
from hybridize.d2l.downloads import DATA_HUB, download, extract
from hybridize.d2l.figures import pyplot, set_figsize
from hybridize.d2l.text import Vocab, truncate_pad

_NOVEL, _SENTENCES = DATA_HUB["time_machine"], DATA_HUB["fra-eng"]


class TimeMachine(DataModule):
    """Give batches of runs of letters, and the same runs one letter later, from H. G. Wells, "The Time Machine".

    The text is a local file. A subclass that defines `_download` takes another text.

    Args:
        batch_size: how many runs in a batch.
        num_steps: how many letters in a run.
        num_train: how many runs to train with.
        num_val: how many to validate with.

    Raises:
        ArgumentError E381: the file timemachine.txt is not in the folder `root`.

    >>> from hybridize import d2l
    >>> class Short(d2l.TimeMachine):
    ...     def _download(self):
    ...         return "The Time Traveller"
    >>> data = Short(batch_size=2, num_steps=4, num_train=6, num_val=2)
    >>> data.vocab.to_tokens(data.X[0]), data.vocab.to_tokens(data.Y[0])
    (['t', 'h', 'e', ' '], ['h', 'e', ' ', 't'])
    """

    num_steps: int
    num_train: int
    num_val: int
    vocab: Vocab
    batch_size: int

    def __init__(self, batch_size: int, num_steps: int, num_train: int = 10000, num_val: int = 5000) -> None:
        super().__init__()
        self.batch_size, self.num_steps, self.num_train, self.num_val = batch_size, num_steps, num_train, num_val
        corpus, self.vocab = self.build(self._download())
        runs = np.array([corpus[i : i + num_steps + 1] for i in range(len(corpus) - num_steps)])
        self.X, self.Y = runs[:, :-1], runs[:, 1:]

    def _download(self) -> str:
        return Path(download(_NOVEL[0], self.root, _NOVEL[1])).read_text()

    def _preprocess(self, text: str) -> str:
        return re.sub("[^A-Za-z]+", " ", text).lower()

    def _tokenize(self, text: str) -> list[str]:
        return list(text)

    def build(self, raw_text: str, vocab: Vocab | None = None) -> tuple[list[int], Vocab]:
        """Return the letters of a text as numbers, and their vocabulary: `vocab`, or a new one if it is None."""
        tokens = self._tokenize(self._preprocess(raw_text))
        vocab = Vocab(tokens) if vocab is None else vocab
        return [vocab[one] for one in tokens], vocab

    def get_dataloader(self, train: bool) -> Any:
        rows = slice(0, self.num_train) if train else slice(self.num_train, self.num_train + self.num_val)
        return self.get_tensorloader([self.X, self.Y], train, rows)


class MTFraEng(DataModule):
    r"""Give batches of English sentences with their French translations, from a local file.

    A batch has sources, targets that begin with `<bos>`, the lengths of the sources, and targets without `<bos>`.
    A subclass that defines `_download` takes other sentences.

    Args:
        batch_size: how many in a batch.
        num_steps: the number of words that each is cut or filled up to.
        num_train: how many to train with.
        num_val: how many to validate with.

    Raises:
        ArgumentError E381: the file fra-eng.zip is not in the folder `root`.

    >>> from hybridize import d2l
    >>> class Short(d2l.MTFraEng):
    ...     def _download(self):
    ...         return "Go.\tVa !\nGo on.\tVa !\n"
    >>> data = Short(batch_size=2, num_steps=5, num_train=2, num_val=0)
    >>> source, target, lengths, labels = data.arrays
    >>> data.tgt_vocab.to_tokens(target[0]), lengths.tolist()
    (['<bos>', 'va', '!', '<eos>', '<pad>'], [3, 4])
    """

    num_steps: int
    num_train: int
    num_val: int
    src_vocab: Vocab
    tgt_vocab: Vocab
    batch_size: int
    arrays: Any

    def __init__(self, batch_size: int, num_steps: int = 9, num_train: int = 512, num_val: int = 128) -> None:
        super().__init__()
        self.batch_size, self.num_steps, self.num_train, self.num_val = batch_size, num_steps, num_train, num_val
        self.arrays, self.src_vocab, self.tgt_vocab = self._build_arrays(self._download())

    def _download(self) -> str:
        extract(download(_SENTENCES[0], self.root, _SENTENCES[1]))
        return (Path(self.root) / "fra-eng" / "fra.txt").read_text(encoding="utf-8")

    def _preprocess(self, text: str) -> str:
        return preprocess_nmt(text)

    def _tokenize(self, text: str, max_examples: int | None = None) -> tuple[list[list[str]], list[list[str]]]:
        sources, targets = tokenize_nmt(text, max_examples)
        return tuple([[*filter(None, words), "<eos>"] for words in lines] for lines in (sources, targets))  # type: ignore[return-value]

    def _build_arrays(self, raw_text: str, src_vocab: Any = None, tgt_vocab: Any = None) -> tuple[Any, Vocab, Vocab]:
        sources, targets = self._tokenize(self._preprocess(raw_text), self.num_train + self.num_val)
        pairs = []
        for lines, vocab, begin in ((sources, src_vocab, []), (targets, tgt_vocab, ["<bos>"])):
            words = [[*begin, *truncate_pad(line, self.num_steps, "<pad>")] for line in lines]
            vocab = Vocab(words, min_freq=2) if vocab is None else vocab
            pairs.append((np.array([vocab[line] for line in words]), vocab))
        (source, src_vocab), (target, tgt_vocab) = pairs
        lengths = (source != src_vocab["<pad>"]).astype("int32").sum(axis=1)
        return (source, target[:, :-1], lengths, target[:, 1:]), src_vocab, tgt_vocab

    def build(self, src_sentences: Sequence[str], tgt_sentences: Sequence[str]) -> Any:
        """Return sentences as the arrays of a batch, by the vocabularies of the data."""
        lines = (f"{one}\t{two}" for one, two in zip(src_sentences, tgt_sentences, strict=True))
        return self._build_arrays("\n".join(lines), self.src_vocab, self.tgt_vocab)[0]

    def get_dataloader(self, train: bool) -> Any:
        rows = slice(0, self.num_train) if train else slice(self.num_train, None)
        return self.get_tensorloader(self.arrays, train, rows)


def preprocess_nmt(text: str) -> str:
    r"""Return sentences in small letters, with a blank before each punctuation mark.

    Args:
        text: lines of sentences.

    >>> from hybridize import d2l
    >>> d2l.preprocess_nmt("Go.\tVa !")
    'go .\tva !'
    """
    return re.sub(r"(?<=[^ ])(?=[,.!?])", " ", text.replace("\u202f", " ").replace("\xa0", " ").lower())


def tokenize_nmt(text: str, num_examples: int | None = None) -> tuple[list[list[str]], list[list[str]]]:
    r"""Split lines of two sentences with a tab between into words.

    The result is a pair: the words of the first and of the second sentences.

    Args:
        text: the lines.
        num_examples: the number of the last line that is read, counted from 0; None: all.

    >>> from hybridize import d2l
    >>> d2l.tokenize_nmt("go .\tva !")
    ([['go', '.']], [['va', '!']])
    """
    lines = text.split("\n")
    pairs = [line.split("\t") for line in (lines[: num_examples + 1] if num_examples else lines)]
    pairs = [pair for pair in pairs if len(pair) == 2]
    return [one.split(" ") for one, _ in pairs], [two.split(" ") for _, two in pairs]


def show_list_len_pair_hist(
    legend: Sequence[str], xlabel: str, ylabel: str, xlist: Sequence[Any], ylist: Sequence[Any]
) -> None:
    r"""Draw a histogram of the lengths of lists, for two collections of lists.

    Args:
        legend: a text for each collection.
        xlabel, ylabel: texts of the axes.
        xlist, ylist: the two collections.

    Raises:
        ArgumentError E380: matplotlib is not installed.

    >>> from hybridize import d2l
    >>> sources, targets = d2l.tokenize_nmt("go .\tva !\nhi .\tsalut !")
    >>> d2l.show_list_len_pair_hist(["source", "target"], "tokens", "count", sources, targets)
    >>> d2l.plt.gca().get_xlabel()
    'tokens'
    >>> d2l.plt.close()
    """
    set_figsize()
    plt = pyplot()
    _, _, patches = plt.hist([[len(one) for one in lists] for lists in (xlist, ylist)])
    plt.xlabel(xlabel)
    plt.ylabel(ylabel)
    for patch in patches[1].patches:
        patch.set_hatch("/")
    plt.legend(legend)
