# SPDX-License-Identifier: Apache-2.0
"""Lists of hundreds of arrays: they are joined, and differentiated, without a frame of Python for each."""

import numpy
import pytest

from hybridize import autograd, hybridize, np

COUNT = 400
JOINS = {
    "stack": lambda x: np.stack([x[k] * k for k in range(COUNT)]),
    "stack, last": lambda x: np.stack([x[COUNT - 1 - k] for k in range(COUNT)], -1),
    "concatenate": lambda x: np.concatenate([x[k : k + 1] * k for k in range(COUNT)]),
    "vstack": lambda x: np.vstack([x[k] + k for k in range(COUNT)]),
    "sum": lambda x: sum(x[k] * k for k in range(COUNT)),
}


FEW = ("sum",)
"""The others take longer."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=[] if name in FEW else pytest.mark.long) for name in JOINS])
def test_many_pieces_and_their_gradient(name: str):
    join = JOINS[name]
    x = np.array(numpy.random.default_rng(0).integers(-8, 8, (COUNT, 3)))
    numpy.testing.assert_array_equal(hybridize(join)(x).asnumpy(), join(x).asnumpy())
    gradients = []
    for function in (join, hybridize(join)):
        x.attach_grad()
        with autograd.record():
            y = (function(x) * 2).sum()
        y.backward()
        gradients.append(x.grad.asnumpy())
    numpy.testing.assert_array_equal(*gradients)
