# SPDX-License-Identifier: Apache-2.0
"""Real small data sets, out of scikit-learn's package: nothing is downloaded. The only door to scikit-learn.

Each function gives an `ArrayDataset` of features and targets. Every fifth sample is for testing, the others are for
training; the tables are sorted by class, so both parts have all of them.
"""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.errors import ArgumentError
from hybridize.base.loading import LOADING
from hybridize.gluon.data.dataset import ArrayDataset

_EVERY = 5
"""One in so many samples is for testing."""


def digits(train: bool | None = None, scaled: bool = True, images: bool = False) -> ArrayDataset:
    """Load 1797 handwritten digits of 8 × 8 pixels, and which digit each is.

    Args:
        train: True for the samples to train with, False for those to test with, None for all.
        scaled: whether pixels are from 0 to 1, as float32; otherwise they are as they are stored, from 0 to 16.
        images: whether a sample has the shape (8, 8, 1); otherwise it is a row of 64 numbers.

    Raises:
        ArgumentError E380: scikit-learn is not installed.

    >>> from hybridize.gluon import data
    >>> dataset = data.sets.digits(images=True)
    >>> len(dataset), dataset[0][0].shape
    (1797, (8, 8, 1))
    """
    x, y = _table("digits")
    x = x / 16 if scaled else x
    x = x.reshape(-1, 8, 8, 1) if images else x
    return _part(x.astype(numpy.float32), y.astype(numpy.int32), train)


def iris(train: bool | None = None, scaled: bool = True) -> ArrayDataset:
    """Load 150 irises: four lengths of each, and which of three species it is.

    It takes the arguments of `breast_cancer`.

    >>> from hybridize.gluon import data
    >>> dataset = data.sets.iris()
    >>> len(dataset), dataset[0][0].shape
    (150, (4,))
    """
    return _classes("iris", train, scaled)


def wine(train: bool | None = None, scaled: bool = True) -> ArrayDataset:
    """Load 178 wines: 13 measurements of each, and which of three growers made it.

    It takes the arguments of `breast_cancer`.

    >>> from hybridize.gluon import data
    >>> dataset = data.sets.wine()
    >>> len(dataset), dataset[0][0].shape
    (178, (13,))
    """
    return _classes("wine", train, scaled)


def breast_cancer(train: bool | None = None, scaled: bool = True) -> ArrayDataset:
    """Load 569 tumours: 30 measurements of each, and whether it is malignant (0) or benign (1).

    Args:
        train: True for the samples to train with, False for those to test with, None for all.
        scaled: whether each feature has mean 0 and variance 1 over the samples to train with.

    Raises:
        ArgumentError E380: scikit-learn is not installed.

    >>> from hybridize.gluon import data
    >>> train, test = data.sets.breast_cancer(train=True), data.sets.breast_cancer(train=False)
    >>> len(train), len(test), train[0][0].shape
    (456, 113, (30,))
    """
    return _classes("breast_cancer", train, scaled)


def diabetes(train: bool | None = None, scaled: bool = True) -> ArrayDataset:
    """Load 442 patients: 10 measurements of each, and how far the disease went in a year, from 25 to 346, as float32.

    Arguments as of `breast_cancer`.

    >>> from hybridize.gluon import data
    >>> dataset = data.sets.diabetes()
    >>> len(dataset), dataset[0][0].shape
    (442, (10,))
    """
    x, y = _table("diabetes", scaled=False)
    return _part(_standard(x) if scaled else x.astype(numpy.float32), y.astype(numpy.float32), train)


def _classes(name: str, train: bool | None, scaled: bool) -> ArrayDataset:
    x, y = _table(name)
    return _part(_standard(x) if scaled else x.astype(numpy.float32), y.astype(numpy.int32), train)


def _table(name: str, **options: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    try:
        with LOADING:
            from sklearn import datasets
    except ModuleNotFoundError as error:
        if error.name != "sklearn":
            raise
        raise ArgumentError(
            "E380",
            f"the data set {name!r} is part of scikit-learn, which is not installed",
            help='pip install "hybridize[data]"',
        ) from None
    x, y = getattr(datasets, f"load_{name}")(return_X_y=True, **options)
    return x, y


def _for_testing(count: int) -> NDArray[Any]:
    chosen: NDArray[Any] = numpy.arange(count) % _EVERY == _EVERY - 1
    return chosen


def _standard(x: NDArray[Any]) -> NDArray[Any]:
    known = x[~_for_testing(len(x))]  # of what is tested with nothing may be known
    standard: NDArray[Any] = ((x - known.mean(0)) / known.std(0)).astype(numpy.float32)
    return standard


def _part(x: NDArray[Any], y: NDArray[Any], train: bool | None) -> ArrayDataset:
    if train is None:
        return ArrayDataset(x, y)
    chosen = _for_testing(len(x)) ^ bool(train)
    return ArrayDataset(x[chosen], y[chosen])
