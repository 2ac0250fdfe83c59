# SPDX-License-Identifier: Apache-2.0
"""Loaded functions refuse calls that they have no program for, and say what is different."""

import pytest

from hybridize import autograd, disabled, hybridize, load, np
from hybridize.errors import ArgumentError, DTypeError, ShapeError, StateError
from hybridize.gluon import nn
from tests.refusals import refusal


@pytest.fixture
def loaded(tmp_path):
    def again(function, *calls):
        fast = hybridize(function)
        for call in calls:
            fast(*call)
        fast.save(tmp_path / "f")
        return load(tmp_path / "f")

    return again


def test_other_types(loaded):
    again = loaded(lambda x: x * 2, [np.ones((2,))])
    with pytest.raises(DTypeError, match=r"E210: .* was saved for \(f32\[2\]\), got \(i64\[2\]\)"):
        again(np.ones((2,), dtype="int64"))
    with pytest.raises(ShapeError, match=r"E120: .* was saved for \(f32\[2\]\), got \(f32\[3\]\)"):
        again(np.ones((3,)))


def test_a_number_that_was_decided(loaded):
    again = loaded(lambda a, b: np.array(a) * b, [2.5, 3])
    assert float(again(2.5, 7)) == 17.5
    with pytest.raises(
        ArgumentError, match=r"E310: .*: argument 0 was 2\.5 and is 1\.5\n(.|\n)*call it like this, too"
    ):
        again(1.5, 3)


def test_a_mode(tmp_path):
    net = nn.Dense(2, in_units=3)
    net.initialize()
    net.hybridize()
    with autograd.train_mode():
        net(np.ones((1, 3)))
    net.save(tmp_path / "net")
    again = load(tmp_path / "net")
    with pytest.raises(
        ArgumentError,
        match=r"E310: .* was saved while training for \(f32\[1,3\]\); got \(f32\[1,3\]\) while predicting",
    ):
        again(np.ones((1, 3)))
    with autograd.train_mode():
        assert again(np.ones((1, 3))).shape == (1, 2)


def test_a_mode_and_other_sizes(tmp_path):
    """A net that was trained with one size and then called with another says which it was saved for, and when."""
    net = nn.Dense(1)
    net.initialize()
    net.hybridize()
    with autograd.record():
        net(np.ones((2, 3)))
    net(np.ones((5, 3)))
    net.save(tmp_path / "net")
    again = load(tmp_path / "net")
    assert again(np.ones((5, 3))).shape == (5, 1)
    known = r"was saved for \(f32\[5,3\]\), while training.* for \(f32\[2,3\]\); got"
    with refusal(ArgumentError, rf"E310: .* {known} \(f32\[2,3\]\) while predicting"):
        again(np.ones((2, 3)))
    with refusal(ShapeError, rf"E120: .* {known} \(f32\[7,3\]\) while predicting"):
        again(np.ones((7, 3)))


def test_there_is_no_python_to_run(loaded):
    again = loaded(lambda x: x * 2, [np.ones((2,))])
    with (
        disabled(),
        pytest.raises(StateError, match=r"E534: .* loaded from a file(.|\n)*where hybridize is not disabled"),
    ):
        again(np.ones((2,)))
    assert again(np.ones((2,))).tolist() == [2, 2]
