# SPDX-License-Identifier: Apache-2.0
"""JAX: jit with the weights as constants, which is its cheapest call; blocked on, because dispatch is asynchronous."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hybridize.tools.formulas import FORMULAS
from hybridize.tools.peers import F32, Layers, Prepared, Start


def load_compiler() -> None:
    """Compile something unrelated: starting XLA is not part of a model's first call."""
    jax.jit(lambda x: x - 3)(jnp.ones(2)).block_until_ready()


def prepare(function: Any, *arrays: F32) -> Start:
    """The function under jit."""
    load_compiler()
    arguments = tuple(map(jnp.asarray, arrays))

    def start() -> Prepared:
        fast = jax.jit(function)
        return Prepared(lambda *xs: fast(*xs).block_until_ready(), arguments, np.asarray)

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


def pointwise(x: Any, w: Any, b: Any) -> Any:
    """As its users write it."""
    y = (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5) * w + b
    return jax.nn.gelu(y, approximate=True) + x


OWN: dict[str, Callable[..., Any]] = {"pointwise": pointwise, "softmax": jax.nn.softmax}


def function(name: str) -> Any:
    """A formula: in JAX's own words, where it has some."""
    return OWN.get(name) or FORMULAS[name].of(jnp)


def formula(name: str, arrays: Sequence[F32]) -> Start:
    """A formula under jit."""
    return prepare(function(name), *arrays)


MLP = {"jit": mlp}
FORMULA = {"jit": formula}
ADD_ONE = {"jit": add_one}
