# SPDX-License-Identifier: Apache-2.0
"""JAX: jit with the weights as constants, which is its cheapest call; blocked on, because dispatch is asynchronous."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hybridize.tools.peers import F32, Layers, Prepared, Start


def load_compiler() -> None:
    """Compile something unrelated: starting XLA is not part of a model's first call."""
    jax.jit(lambda x: x - 3)(jnp.ones(2)).block_until_ready()


def prepare(function: Any, x: F32) -> Start:
    """The function under jit."""
    load_compiler()
    argument = jnp.asarray(x)

    def start() -> Prepared:
        fast = jax.jit(function)
        return Prepared(lambda x: fast(x).block_until_ready(), (argument,), np.asarray)

    return start


def mlp(layers: Layers, x: F32) -> Start:
    """The layers as a function that closes over its weights."""
    weights = [(jnp.asarray(weight.T), jnp.asarray(bias)) for weight, bias in layers]

    def net(x: Any) -> Any:
        for weight, bias in weights[:-1]:
            x = jnp.maximum(x @ weight + bias, 0)
        weight, bias = weights[-1]
        return x @ weight + bias

    return prepare(net, x)


def add_one(x: F32) -> Start:
    """x + 1."""
    return prepare(lambda x: x + 1, x)


MLP = {"jit": mlp}
ADD_ONE = {"jit": add_one}
