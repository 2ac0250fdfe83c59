"""Errors by what they say: the user's line that they quote is a line of the test, which may hold any word it looks for."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hybridize.errors import HybridizeError


def said(error: BaseException) -> str:
    """Return the code, the message and the remedy of an error of ours, without its line and layer; the text of another."""
    if not isinstance(error, HybridizeError):
        return str(error)
    return f"{error.code}: {error.what}" + (f"\nhelp: {error.help}" if error.help else "")


@contextmanager
def refusal(
    kind: type[BaseException] | tuple[type[BaseException], ...], words: str
) -> Iterator[pytest.ExceptionInfo[BaseException]]:
    """Check that a block raises an error of a kind that says words, a regular expression; wherever it was raised.

    Args:
        kind: the class of the error, or several.
        words: is searched in what the error says, as `match=` of `pytest.raises` is in all of its text.
    """
    with pytest.raises(kind) as caught:
        yield caught
    assert re.search(words, said(caught.value)), f"{words!r} is not in what is said:\n{said(caught.value)}"
