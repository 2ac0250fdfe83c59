# SPDX-License-Identifier: Apache-2.0
"""MXNet's `contrib.text`: numbers of tokens, and vectors of them out of files. Nothing is downloaded."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, ClassVar

import numpy

from hybridize import registry
from hybridize.array import np
from hybridize.array.ndarray import ndarray
from hybridize.base.advice import warn
from hybridize.base.errors import LoadError, OutOfBoundsError, ReadError, ValueArgumentError
from hybridize.base.library import data_dir
from hybridize.base.names import late


def count_tokens_from_str(
    source_str: str,
    token_delim: str = " ",
    seq_delim: str = "\n",
    to_lower: bool = False,
    counter_to_update: Counter[str] | None = None,
) -> Counter[str]:
    """Count the tokens of a text.

    Args:
        source_str: the text.
        token_delim: a regular expression that separates tokens.
        seq_delim: a regular expression that separates sequences.
        to_lower: count words in small letters.
        counter_to_update: the counter to add to; None: a new one.

    >>> from hybridize.contrib import text
    >>> text.count_tokens_from_str("a b b")["b"]
    2
    """
    counter = Counter() if counter_to_update is None else counter_to_update
    words = filter(None, re.split(f"{token_delim}|{seq_delim}", source_str))
    counter.update(word.lower() if to_lower else word for word in words)
    return counter


class Vocabulary:
    """Give each token a number: 0 the unknown token, then the reserved tokens, then the others, the commonest first.

    Args:
        counter: how often each token is there; None: there are no others.
        most_freq_count: how many of them have a number at most.
        min_freq: how often a token must be there to have one.
        unknown_token: what stands for all others.
        reserved_tokens: more tokens that have a number.

    Raises:
        ValueArgumentError E361: `min_freq` is less than 1, or reserved tokens are not different ones.

    >>> from collections import Counter
    >>> from hybridize.contrib import text
    >>> words = text.Vocabulary(Counter(["a", "b", "b"]))
    >>> words.to_indices(["b", "z"]), words.to_tokens(1)
    ([1, 0], 'b')
    """

    def __init__(
        self,
        counter: Counter[Any] | None = None,
        most_freq_count: int | None = None,
        min_freq: int = 1,
        unknown_token: Hashable = "<unk>",
        reserved_tokens: Sequence[Any] | None = None,
    ) -> None:
        if min_freq < 1:
            raise ValueArgumentError("E361", f"min_freq must be positive, got {min_freq}")
        first = [unknown_token, *(reserved_tokens or ())]
        if len(set(first)) < len(first):
            raise ValueArgumentError("E361", f"the unknown and the reserved tokens {first} must be different ones")
        self.unknown_token = unknown_token
        self.reserved_tokens: list[Any] | None = None if reserved_tokens is None else list(reserved_tokens)
        counts = sorted((counter or Counter()).items())
        common = sorted(counts, key=lambda one: one[1], reverse=True)
        others = [token for token, count in common if count >= min_freq and token not in set(first)]
        self.idx_to_token: list[Any] = first + others[:most_freq_count]
        """Tokens by number."""
        self.token_to_idx: dict[Any, int] = {token: number for number, token in enumerate(self.idx_to_token)}
        """Numbers by token."""

    def __len__(self) -> int:
        return len(self.idx_to_token)

    def to_indices(self, tokens: Any) -> Any:
        """Return the number of a token, or a list for a list. An unknown token has number 0."""
        if isinstance(tokens, list):
            return [self.token_to_idx.get(token, 0) for token in tokens]
        return self.token_to_idx.get(tokens, 0)

    def to_tokens(self, indices: Any) -> Any:
        """Return the token of a number, or a list for a list.

        Raises:
            ValueArgumentError E361: there is none.
        """
        tokens = []
        for index in indices if isinstance(indices, list) else [indices]:
            if not (isinstance(index, (int, numpy.integer)) and 0 <= index < len(self)):
                raise ValueArgumentError("E361", f"no token has the number {index!r}: there are {len(self)}")
            tokens.append(self.idx_to_token[index])
        return tokens if isinstance(indices, list) else tokens[0]


class TokenEmbedding(Vocabulary):
    """Give each token a vector, which is a row of `idx_to_vec`. The base of embeddings from files and from others.

    Args:
        vectors: the vector of each token, in order; all of one length.
        unknown: the vector of the unknown token; None: from `init_unknown_vec`.
        init_unknown_vec: makes it of a shape; zeros by default.
        vocabulary: the tokens that have numbers, in its order; None: those of the vectors.
        kwargs: settings of `Vocabulary`.

    >>> from hybridize.contrib import text
    >>> embedding = text.TokenEmbedding({"hello": [1, 2], "world": [3, 4]})
    >>> embedding.get_vecs_by_tokens(["world", "unknown"])
    array([[3., 4.],
           [0., 0.]])
    """

    idx_to_vec: ndarray
    """(tokens, length)."""
    unknown_token: Hashable
    reserved_tokens: list[Any] | None

    def __init__(
        self,
        vectors: Mapping[Any, Sequence[float]],
        unknown: Sequence[float] | None = None,
        init_unknown_vec: Callable[..., Any] = np.zeros,
        vocabulary: Vocabulary | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        length = len(next(iter(vectors.values()), unknown or ()))
        row = init_unknown_vec(shape=(length,)) if unknown is None else unknown
        self._fill(list(vectors), numpy.array([numpy.asarray(row, "f4"), *vectors.values()], "float32"))
        if vocabulary is not None:
            self._follow(vocabulary, [self])

    def _fill(self, tokens: list[Any], rows: Any) -> None:
        self.idx_to_token: list[Any] = [self.unknown_token, *tokens]
        self.token_to_idx: dict[Any, int] = {token: number for number, token in enumerate(self.idx_to_token)}
        self.idx_to_vec = np.array(rows)

    def _follow(self, vocabulary: Vocabulary, embeddings: Sequence[TokenEmbedding]) -> None:
        """Take the tokens of a vocabulary, and for each the vectors that embeddings have, one after the other."""
        tokens = vocabulary.idx_to_token
        parts = [one.idx_to_vec.asnumpy()[[0, *one.to_indices(tokens[1:])]] for one in embeddings]
        self.unknown_token, self.reserved_tokens = vocabulary.unknown_token, vocabulary.reserved_tokens
        self._fill(tokens[1:], numpy.concatenate(parts, axis=1))

    @property
    def vec_len(self) -> int:
        """The length of a vector."""
        return int(self.idx_to_vec.shape[1])

    def get_vecs_by_tokens(self, tokens: Any, lower_case_backup: bool = False) -> ndarray:
        """Return the vector of a token, or one row for each of a list.

        Args:
            tokens: one, or a list.
            lower_case_backup: look up an unknown token in small letters.
        """
        words = tokens if isinstance(tokens, list) else [tokens]
        if lower_case_backup:
            words = [word if word in self.token_to_idx else word.lower() for word in words]
        rows: ndarray = self.idx_to_vec[self.to_indices(words)]
        return rows if isinstance(tokens, list) else rows[0]

    def update_token_vectors(self, tokens: Any, new_vectors: Any) -> None:
        """Replace vectors of tokens that are known.

        Raises:
            OutOfBoundsError E110: one is unknown.
        """
        for token, row in zip(
            tokens if isinstance(tokens, list) else [tokens], new_vectors.reshape((-1, self.vec_len)), strict=True
        ):
            if token not in self.token_to_idx:
                what = f"the token {token!r} has no vector"
                raise OutOfBoundsError(
                    "E110", what, help=f"{self.unknown_token!r} is the token of all that are unknown"
                )
            self.idx_to_vec[self.token_to_idx[token]] = row


register: Callable[..., Any] = registry.get_register_func(TokenEmbedding, "token embedding")
create: Callable[..., Any] = registry.get_create_func(TokenEmbedding, "token embedding")


def get_pretrained_file_names(embedding_name: str | None = None) -> Any:
    """Return the names of the files in the folder of an embedding; without a name, a list for each embedding.

    The folders are `embeddings/glove` and `embeddings/fasttext` in `$MXNET_HOME` or `~/.mxnet`. Nothing is downloaded.

    Args:
        embedding_name: `glove` or `fasttext`; None: all.

    Raises:
        ValueArgumentError E361: there is no embedding of this name.

    >>> from hybridize.contrib import text
    >>> sorted(text.get_pretrained_file_names())
    ['fasttext', 'glove']
    """
    names = {
        name: kind.files() for name, kind in registry.get_registry(TokenEmbedding).items() if hasattr(kind, "files")
    }
    if embedding_name is None:
        return names
    if embedding_name not in names:
        raise ValueArgumentError("E361", f"no embedding {embedding_name!r}", help=f"there are {', '.join(names)}")
    return names[embedding_name]


class CustomEmbedding(TokenEmbedding):
    r"""Read vectors of tokens from a file with a line for each token: the token, then its numbers.

    Args:
        pretrained_file_path: the file.
        elem_delim: what separates the parts of a line.
        encoding: of the file.
        init_unknown_vec: makes the vector of the unknown token where the file has none.
        vocabulary: the tokens that have numbers; None: all of the file.
        kwargs: settings of `Vocabulary`.

    Raises:
        ReadError E600: it cannot be read.
        LoadError E601: a line does not fit.

    >>> import os, tempfile
    >>> from hybridize.contrib import text
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "vectors.txt")
    ...     with open(path, "w") as file:
    ...         _ = file.write("hello 1 2\nworld 3 4\n")
    ...     embedding = text.CustomEmbedding(path)
    >>> embedding.get_vecs_by_tokens("world")
    array([3., 4.])
    """

    def __init__(
        self,
        pretrained_file_path: Any,
        elem_delim: str = " ",
        encoding: str = "utf8",
        init_unknown_vec: Callable[..., Any] = np.zeros,
        vocabulary: Vocabulary | None = None,
        **kwargs: Any,
    ) -> None:
        path = os.path.expanduser(os.fspath(pretrained_file_path))
        vectors = _read(path, elem_delim, encoding)
        unknown = vectors.pop(kwargs.get("unknown_token", "<unk>"), None)
        super().__init__(vectors, unknown, init_unknown_vec, vocabulary, **kwargs)


class CompositeEmbedding(TokenEmbedding):
    """Join the vectors that several embeddings have for the tokens of a vocabulary, one after the other.

    Args:
        vocabulary: the tokens.
        token_embeddings: an embedding, or a list of them.

    >>> from collections import Counter
    >>> from hybridize.contrib import text
    >>> first, second = text.TokenEmbedding({"a": [1, 2]}), text.TokenEmbedding({"a": [5]})
    >>> both = text.CompositeEmbedding(text.Vocabulary(Counter("a")), [first, second])
    >>> both.get_vecs_by_tokens("a")
    array([1., 2., 5.])
    """

    def __init__(self, vocabulary: Vocabulary, token_embeddings: Any) -> None:
        self._follow(vocabulary, token_embeddings if isinstance(token_embeddings, list) else [token_embeddings])


class _InFolder(CustomEmbedding):
    """The base of embeddings whose files lie in a folder: `embeddings/glove` in `$MXNET_HOME` or `~/.mxnet`."""

    folder: ClassVar[str]
    _default: ClassVar[str]

    def __init__(
        self,
        pretrained_file_name: str | None = None,
        embedding_root: Any = None,
        init_unknown_vec: Callable[..., Any] = np.zeros,
        vocabulary: Vocabulary | None = None,
        **kwargs: Any,
    ) -> None:
        folder = os.path.join(embedding_root or os.path.join(data_dir(), "embeddings"), self.folder)
        path = os.path.join(folder, pretrained_file_name or self._default)
        super().__init__(path, init_unknown_vec=init_unknown_vec, vocabulary=vocabulary, **kwargs)

    @classmethod
    def files(cls) -> list[str]:
        """Return the names of the files that are there."""
        folder = os.path.join(data_dir(), "embeddings", cls.folder)
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


@register
class GloVe(_InFolder):
    r"""Read GloVe's vectors from a file in the folder `embeddings/glove`. Nothing is downloaded.

    Args:
        pretrained_file_name: the file; None: `glove.840B.300d.txt`.
        embedding_root: the folder that `glove` is in; None: `embeddings` in `$MXNET_HOME` or `~/.mxnet`.
        init_unknown_vec, vocabulary, kwargs: as of `CustomEmbedding`.

    Raises:
        ReadError E600: the file cannot be read.
        LoadError E601: a line does not fit.

    >>> import os, tempfile
    >>> from hybridize.contrib import text
    >>> with tempfile.TemporaryDirectory() as root:
    ...     os.mkdir(os.path.join(root, "glove"))
    ...     with open(os.path.join(root, "glove", "small.txt"), "w") as file:
    ...         _ = file.write("hello 1 2\n")
    ...     embedding = text.GloVe("small.txt", root)
    >>> embedding.vec_len
    2
    """

    folder, _default = "glove", "glove.840B.300d.txt"


@register
class FastText(_InFolder):
    r"""Read fastText's vectors from a file in the folder `embeddings/fasttext`. Nothing is downloaded.

    Args:
        pretrained_file_name: the file; None: `wiki.simple.vec`.
        embedding_root: the folder that `fasttext` is in; None: `embeddings` in `$MXNET_HOME` or `~/.mxnet`.
        init_unknown_vec, vocabulary, kwargs: as of `CustomEmbedding`.

    Raises:
        ReadError E600: the file cannot be read.
        LoadError E601: a line does not fit.

    >>> import os, tempfile
    >>> from hybridize.contrib import text
    >>> with tempfile.TemporaryDirectory() as root:
    ...     os.mkdir(os.path.join(root, "fasttext"))
    ...     with open(os.path.join(root, "fasttext", "small.vec"), "w") as file:
    ...         _ = file.write("hello 1 2\n")
    ...     embedding = text.FastText("small.vec", root)
    >>> embedding.to_indices("hello")
    1
    """

    folder, _default = "fasttext", "wiki.simple.vec"


def _read(path: str, delimiter: str, encoding: str) -> dict[str, list[float]]:
    """Return the vectors of a file; a line with one number only is a header."""
    vectors: dict[str, list[float]] = {}
    length = None
    try:
        with open(path, encoding=encoding) as file:
            for number, line in enumerate(file, 1):
                token, *numbers = line.rstrip().split(delimiter)
                vector = [float(one) for one in numbers]
                if len(vector) == 1:
                    warn(f"line {number} of {path}: {token!r} with one number is taken for a header, and left out")
                elif token in vectors:
                    warn(f"line {number} of {path}: a second vector of {token!r} is left out")
                elif not vector or length not in (None, len(vector)):
                    what = f"line {number} of {path}: {len(vector)} numbers, after lines with {length}"
                    raise LoadError("E601", what, help="each line is a token and the numbers of its vector")
                else:
                    vectors[token], length = vector, len(vector)
    except OSError as error:
        help = "nothing is downloaded: put the file there"
        raise ReadError("E600", f"cannot read {path}: {error.strerror or error}", help=help) from error
    except ValueError as error:
        raise LoadError("E601", f"{path} is no file of vectors: {error}") from error
    return vectors


__dir__: Callable[[], list[str]]
__getattr__: Callable[[str], Any]
__getattr__, __dir__ = late(globals(), {})
