# SPDX-License-Identifier: Apache-2.0
"""Random expressions over square matrices, where a value per row is read per column too: by rows not computed yet.

Sums, maxima and functions of rows and columns, broadcast along either axis, alone and after a product, kept as results
or not: symmetric normalisations, distances, double centring. Each program gives what NumPy gives.
"""

import random
from collections.abc import Callable
from typing import Any

import numpy
import pytest

from hybridize import hybridize, np

SIZES = (2, 3, 5, 16, 33)
FUNCTIONS: list[Callable[[Any, Any], Any]] = [
    lambda v, m: v,
    lambda v, m: m.sqrt(v),
    lambda v, m: 1 / (v + 1),
    lambda v, m: m.exp(-v) * 3 + m.sqrt(v) / 2,
    lambda v, m: m.sqrt(m.exp(-v) + m.log(v + 1)),
]
FOLDS: list[Callable[[Any, int], Any]] = [
    lambda x, axis: x.sum(axis),
    lambda x, axis: x.max(axis),
    lambda x, axis: x.mean(axis),
]
VIEWS: list[Callable[[Any], Any]] = [
    lambda d: d[:, None],
    lambda d: d[None],
    lambda d: d,
    lambda d: d[0],
    lambda d: d[::-1][:, None],
    lambda d: d[None, ::-1],
]


def drawn(draw: random.Random) -> Callable[[Any, Any, Any], list[Any]]:
    """Draw a function of a matrix, a vector and the module of functions; it gives a matrix and some vectors."""
    after_product, of_the_first = draw.random() < 0.4, draw.random() < 0.7
    parts = [
        (
            draw.choice([*FOLDS, None]),
            draw.randint(0, 1),
            draw.choice(FUNCTIONS),
            draw.choices(VIEWS, k=draw.randint(1, 3)),
            draw.random() < 0.4,
        )
        for _ in range(draw.randint(1, 3))
    ]

    def function(x: Any, w: Any, m: Any) -> list[Any]:
        start = x @ x.T if after_product else x
        result, vectors = start, []
        for fold, axis, of, views, kept in parts:
            vector = of(w if fold is None else fold(start if of_the_first else result, axis), m)
            if kept:
                vectors.append(vector)
            for view in views:
                result = result * view(vector)
        return [result, *vectors]

    return function


def check(seed: int) -> None:
    draw = random.Random(seed)
    function, size = drawn(draw), draw.choice(SIZES)
    numbers = numpy.random.default_rng(seed)
    x, w = (numbers.uniform(0.1, 1.1, shape).astype("f4") for shape in ((size, size), (size,)))
    found = hybridize(lambda x, w: function(x, w, np))(np.array(x), np.array(w))
    for result, expected in zip(found, function(x, w, numpy), strict=True):
        numpy.testing.assert_allclose(result.asnumpy(), expected, rtol=2e-4, atol=1e-6 * abs(expected).max())


@pytest.mark.parametrize("start", range(0, 40, 10))
def test_random_squares(start: int) -> None:
    for seed in range(start, start + 10):
        check(seed)


@pytest.mark.long
@pytest.mark.parametrize("start", range(1000, 2000, 50))
def test_many_random_squares(start: int) -> None:
    for seed in range(start, start + 50):
        check(seed)
