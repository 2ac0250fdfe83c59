# SPDX-License-Identifier: Apache-2.0
"""Operations of ours that MXNet's operators make together, and arrays that they are called with."""

import numpy

from hybridize import nd, np, npx
from tests.formats.mxnet_control import Body, draw


def assigned(x, y):
    """A copy in which parts are replaced, one after the other."""
    x = x * 1
    x[:, 1:3] = y
    x[0] = 0
    x[1:, 3:] = 7
    x[:] = x * 2
    return x


HALVES = numpy.array([[0.5, 1.5, 2.5, -0.5], [-1.5, -2.5, 0.49999997, 3.2], [-7.7, 1e9, -0.0, 8.0]], "f4")
TWO = numpy.array([[0, 2], [1, 3]], "i8")
MADE = {
    name: (lambda function=function: Body(function), [xs])
    for name, (function, *xs) in {
        "floor quotients": (np.floor_divide, draw(3, 4) * 9, numpy.where(draw(3, 4) > 0, 2, -3).astype("f4")),
        "whole quotients": (lambda x: (x.astype("int64") // -3).astype("float32"), draw(3, 4) * 9),
        "rounded": (np.rint, HALVES),
        "known": (
            lambda x: np.where(np.isnan(x), 0, np.isfinite(x) * 2.0 + np.isinf(x)),
            numpy.array([[1.5, numpy.nan], [numpy.inf, -numpy.inf]], "f4"),
        ),
        "sums of powers": (lambda x, y: np.logaddexp(x, y) + np.exp2(x), draw(3, 4), draw(3, 4, seed=1)),
        "assigned": (assigned, draw(3, 4), draw(3, 2)),
        "scattered": (lambda x, i: npx.index_update(x, i, x[0, :2]), draw(3, 4), TWO),
        "added": (lambda x, i: npx.index_add(x, i, x[0, :2]), draw(3, 4), TWO * 0),
        "scattered rows": (lambda x: nd.contrib.index_copy(x, np.array([0, 2], dtype="int64"), -x[:2]), draw(3, 4)),
    }.items()
}
