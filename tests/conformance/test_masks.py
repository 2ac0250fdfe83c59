"""Reductions over `x[mask]`, and assignments to it, against imperative Python."""

import numpy
import pytest

from hybridize import autograd
from hybridize.array import np
from hybridize.base.errors import CaptureError, KeyShapeError
from hybridize.capture import Function

VALUES = ([1.0, -3.0, 2.0, 4.0], [-1.0, -2.0, -0.5, -4.0], [0.5, 0.25, 9.0, 1.0])
ROWS = ([[1.0, 2.0], [-3.0, 4.0]], [[-1.0, 0.5], [-2.0, -2.0]])

REDUCTIONS = {
    "sum": lambda x: x[x > 0].sum(),
    "mean": lambda x: x[x > 0].mean(),
    "max": lambda x: x[x > 0].max(),
    "min": lambda x: np.min(x[x > 0]),
    "prod": lambda x: x[x > 0].prod(),
    "std": lambda x: x[x > 0].std(),
    "var": lambda x: np.var(x[x > 0], ddof=1),
    "any": lambda x: (x[x > 0] > 3).any(),
    "all": lambda x: np.all(x[x > 0] > 0.4),
    "len": lambda x: len(x[x > 0]),
    "size": lambda x: x[x > 0].size,
    "shape": lambda x: x[x > 0].shape[0],
    "count_nonzero": lambda x: np.count_nonzero(x[x > -2]),
    "elementwise": lambda x: np.log(x[x > 0] + 1).sum() / 2,
    "operators": lambda x: (2 * x[x > 0] - x[x > 0] ** 2).sum(),
    "one mask": lambda x: (lambda m: (x[m] * (x + 1)[m]).sum())(x > 0),
    "what comes of negative numbers": lambda x: np.sqrt(x[x >= 0]).sum(),
    "in a condition": lambda x: 1 if x[x > 0].sum() > 3 else 2,
    "integers": lambda x: x.astype("int32")[x > 0].sum(),
    "mean of integers": lambda x: x.astype("int32")[x > 0].mean(),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(same, name):
    same(lambda: REDUCTIONS[name], *VALUES)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_of_an_array_without_elements(same, name):
    same(lambda: REDUCTIONS[name], *VALUES, numpy.zeros(0, "float32"))


MATRICES = {
    "all": lambda x: x[x > 0].sum(),
    "rows": lambda x: x[x[:, 0] > 0].sum(),
    "columns of rows": lambda x: x[x[:, 0] > 0].sum(axis=0),
    "means of rows": lambda x: x[x[:, 0] < 0].mean(axis=0),
    "largest of rows": lambda x: x[x[:, 0] < 0].max(axis=0),
    "sizes": lambda x: (x[x[:, 0] > 0].size, x[x[:, 0] > 0].shape, len(x[x > 0])),
    "with an array of the rest": lambda x: (x[x[:, 0] < 0] * np.array([1.0, 10.0])).sum(),
}


@pytest.mark.parametrize("name", MATRICES)
def test_of_matrices(same, name):
    same(lambda: MATRICES[name], *ROWS)


def assigned(x):
    x[x > 0] = 7.0
    return x * 2


def added(x):
    x[x > 0] += 1
    return x


def scaled(x):
    y = x * 2
    y[y > 3] = y[y > 3] / 2 - 1
    return y


@pytest.mark.parametrize("function", [assigned, added, scaled])
def test_assignments(same, function):
    same(lambda: function, *VALUES)


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "std", "elementwise", "operators", "one mask"])
def test_gradients(name):
    for values in VALUES[::2]:
        found = []
        for function in (REDUCTIONS[name], Function(REDUCTIONS[name])):
            x = np.array(values)
            x.attach_grad()
            with autograd.record():
                y = function(x)
            y.backward()
            found.append(x.grad.asnumpy().tolist())
        assert found[1] == pytest.approx(found[0], rel=1e-5), values


def test_gradients_of_logarithms_are_finite():
    function = Function(lambda x: np.log(x[x > 0]).sum())
    x = np.array([1.0, 0.0, -2.0, 4.0])
    x.attach_grad()
    with autograd.record():
        y = function(x)
    y.backward()
    assert x.grad.asnumpy().tolist() == [1.0, 0.0, 0.0, 0.25]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[x > 0],
        lambda x: x[x > 0][0],
        lambda x: np.sort(x[x > 0]),
        lambda x: x[x > 0] + x[x < 0],
        lambda x: x[x > 0] + np.ones((4,)),
        lambda x: list(x[x > 0]),
        lambda x: 1 if x[x > 0] else 2,
        lambda x: x[x > 0].reshape(2, -1),
        lambda x: x[x > 0].cumsum(),
    ],
)
def test_refused(function):
    with pytest.raises(CaptureError, match="E402"):
        Function(function)(np.array(VALUES[0]))


def written(x, mask):
    x[mask] = 5
    return x


def subtracted(x, mask):
    x[mask] -= 5
    return x


@pytest.mark.parametrize("function", [lambda x, mask: x[mask].sum(), lambda x, mask: x[:, mask], written, subtracted])
@pytest.mark.parametrize("size", [1, 3])
def test_a_mask_of_another_size_is_the_same_error_in_both(function, size):
    for called in (function, Function(function), Function(lambda x, mask: function(x, OUTSIDE[size]))):
        with pytest.raises(KeyShapeError, match=r"E133.*(\n.*)*test_masks.py"):
            called(np.ones((2, 2)), OUTSIDE[size])


OUTSIDE = {size: np.array([True] * size, dtype="bool") for size in (1, 3)}
