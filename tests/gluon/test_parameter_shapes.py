"""Shapes of parameters and sizes of layers that are none."""

import pytest

from hybridize.base.errors import ArgumentError
from hybridize.gluon import Parameter, nn


@pytest.mark.parametrize("shape", ["a", (2, "b"), 1.5, (2.0,), ((1, 2), 3)])
def test_shapes_that_are_none(shape):
    with pytest.raises(ArgumentError, match="E309"):
        Parameter("weight", shape=shape)


@pytest.mark.parametrize("units", [0, -1, "a", 2.0, None, (3,)])
def test_units_that_are_none(units):
    with pytest.raises(ArgumentError, match="units of Dense must be a positive integer"):
        nn.Dense(units)
