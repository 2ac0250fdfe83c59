# SPDX-License-Identifier: Apache-2.0
"""NumPy written for speed: weights transposed beforehand, results into buffers that exist."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hybridize_bench.formulas import FORMULAS
from hybridize_bench.peers import F32, Layers, Prepared, Start


def mlp(layers: Layers, x: F32) -> Start:
    """dot(out=), add and maximum in place; the last layer's result is the caller's, so it is allocated."""

    def start() -> Prepared:
        steps = [
            (np.ascontiguousarray(weight.T), bias, np.empty((len(x), len(bias)), np.float32)) for weight, bias in layers
        ]
        hidden, (last_weight, last_bias, _) = steps[:-1], steps[-1]

        def call(x: F32) -> F32:
            for weight, bias, out in hidden:
                np.dot(x, weight, out=out)
                out += bias
                np.maximum(out, 0, out=out)
                x = out
            return x @ last_weight + last_bias

        return Prepared(call, (x,), np.asarray)

    return start


def add_one(x: F32) -> Start:
    """x + 1."""
    return lambda: Prepared(lambda x: x + 1, (x,), np.asarray)


def formula(name: str, arrays: Sequence[F32]) -> Start:
    """A formula as it is."""
    function = FORMULAS[name].of(np)
    return lambda: Prepared(function, tuple(arrays), np.asarray)


MLP = {"out": mlp}
FORMULA = {"out": formula}
ADD_ONE = {"out": add_one}
