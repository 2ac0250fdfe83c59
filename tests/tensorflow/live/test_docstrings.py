"""The examples in the door's docstrings."""

from tests.docstrings import play


def test_every_example_runs():
    assert play("tensorflow") > 0
