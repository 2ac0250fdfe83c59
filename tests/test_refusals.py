"""What `refusal` accepts, and what it does not."""

import pytest

from hybridize import np
from hybridize.errors import OutOfBoundsError, ShapeError
from tests.refusals import refusal


@pytest.mark.parametrize("words", ["E111", "sum: axis 7", "(?s)E111.*help: axes run"])
def test_code_message_and_remedy_are_what_is_said(words):
    with refusal(OutOfBoundsError, words) as caught:
        np.ones(2).sum(axis=7)
    assert caught.value.code == "E111"


@pytest.mark.parametrize("words", ["unwritten", "test_refusals.py", "in test_the_line", "OutOfBoundsError"])
def test_the_line_that_is_quoted_is_not(words):
    with pytest.raises(AssertionError, match="is not in what is said:"), refusal(OutOfBoundsError, words):
        np.ones(2).sum(axis=7)  # unwritten


def test_the_class_counts():
    with pytest.raises(OutOfBoundsError, match="E111"), refusal(ShapeError, ""):
        np.ones(2).sum(axis=7)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"), refusal(ShapeError, ""):
        pass


def test_errors_of_python_say_all_of_their_text():
    with refusal((KeyError, IndexError), "^list index out of range$"):
        [][0]
