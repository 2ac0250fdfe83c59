# SPDX-License-Identifier: Apache-2.0
"""JAX on networks over sequences: jit with the weights as constants, steps of training into the memory of the old."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hybridize_bench.networks import EPSILON
from hybridize_bench.peers import F32, Batches, Prepared, Start
from hybridize_bench.peers.jax import load_compiler, prepare, stepping, updated
from hybridize_bench.sequences import recurrence as recurrent
from hybridize_bench.sequences.attention import AttentionNet
from hybridize_bench.sequences.decoder import DecoderNet
from hybridize_bench.sequences.encoder import EncoderNet
from hybridize_bench.sequences.language_models import RecurrentModel, TransformerModel
from hybridize_bench.sequences.recurrence import RecurrentNet
from hybridize_bench.sequences.training import SequenceTraining
from hybridize_bench.training_workloads import CHECKED_OF_NETWORKS

Arrays = dict[str, F32]
Weights = Mapping[str, Any]


def placed(arrays: Arrays) -> dict[str, Any]:
    """The arrays as JAX's; weights of products as [in, out]."""
    return {name: jnp.asarray(one.T if _turned(name, one) else one) for name, one in arrays.items()}


def _turned(name: str, array: F32) -> bool:
    return array.ndim == 2 and name not in ("embedding", "places")


def lstm(weights: Weights, x: Any) -> Any:
    """A layer over [time, batch, in]: one product for all inputs, and a scan over the steps."""
    before = x @ weights["w_input"] + (weights["b_input"] + weights["b_state"])

    def step(state: Any, row: Any) -> Any:
        h, c = state
        i, f, g, o = jnp.split(row + h @ weights["w_state"], 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zeros = jnp.zeros((x.shape[1], weights["w_state"].shape[0]), x.dtype)
    return jax.lax.scan(step, (zeros, zeros), before)[1]


def gru(weights: Weights, x: Any) -> Any:
    """The same of a GRU."""
    before = x @ weights["w_input"] + weights["b_input"]

    def step(h: Any, row: Any) -> Any:
        r, z, n = jnp.split(row, 3, -1)
        r_h, z_h, n_h = jnp.split(h @ weights["w_state"] + weights["b_state"], 3, -1)
        r, z = jax.nn.sigmoid(r + r_h), jax.nn.sigmoid(z + z_h)
        h = (1 - z) * jnp.tanh(n + r * n_h) + z * h
        return h, h

    return jax.lax.scan(step, jnp.zeros((x.shape[1], weights["w_state"].shape[0]), x.dtype), before)[1]


def recurrence(net: RecurrentNet, arrays: Arrays) -> Start:
    """The layer, its weights constants."""
    weights = placed({name: arrays[name] for name in recurrent.NAMES})
    layer = {"lstm": lstm, "gru": gru}[net.kind]
    return prepare(lambda x: layer(weights, x), arrays["x"])


def norm(weights: Weights, name: str, x: Any) -> Any:
    """Layer normalization over the features."""
    centred = x - x.mean(-1, keepdims=True)
    variance = (centred * centred).mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt(variance + EPSILON) * weights[f"{name}.gamma"] + weights[f"{name}.beta"]


def dense(weights: Weights, name: str, x: Any) -> Any:
    """A dense layer."""
    return x @ weights[f"{name}.weight"] + weights[f"{name}.bias"]


def seen(weights: Weights, number: int, x: Any, heads: int, causal: bool) -> Any:
    """Self-attention of a layer."""
    batch, time, width = x.shape
    qkv = dense(weights, f"{number}.qkv", x).reshape(batch, time, 3, heads, width // heads)
    found = jax.nn.dot_product_attention(*(qkv[:, :, part] for part in range(3)), is_causal=causal)
    return dense(weights, f"{number}.out", found.reshape(batch, time, width))


def wide(weights: Weights, number: int, x: Any) -> Any:
    """The two dense layers of a layer."""
    return dense(weights, f"{number}.down", jax.nn.gelu(dense(weights, f"{number}.up", x), approximate=False))


def encoder(net: EncoderNet, arrays: Arrays) -> Start:
    """The layers, their weights constants."""
    weights = placed({name: one for name, one in arrays.items() if name != "x"})

    def function(x: Any) -> Any:
        for number in range(net.layers):
            x = norm(weights, f"{number}.norm1", x + seen(weights, number, x, net.heads, causal=False))
            x = norm(weights, f"{number}.norm2", x + wide(weights, number, x))
        return x

    return prepare(function, arrays["x"])


def attention(net: AttentionNet, arrays: Arrays) -> Start:
    """`jax.nn.dot_product_attention` over [batch, time, head, size], as it likes them."""
    function = functools.partial(jax.nn.dot_product_attention, is_causal=net.causal)
    start = prepare(function, *(np.ascontiguousarray(arrays[name].swapaxes(1, 2)) for name in "qkv"))

    def begin() -> Prepared:
        made = start()
        return Prepared(made.function, made.arguments, lambda y: np.asarray(y).swapaxes(1, 2))

    return begin


def rms(x: Any, weight: Any) -> Any:
    """RMS normalization over the features."""
    return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + EPSILON) * weight


def _joined(net: DecoderNet, arrays: Arrays) -> Arrays:
    """The weights of a decoder; those of queries, keys and values are one, and those of gate and up."""
    found = {name: arrays[name] for name in ("embedding", "norm")}
    for number in range(net.layers):
        found |= {f"{number}.{name}": arrays[f"{number}.{name}"] for name in ("norm1", "out", "norm2", "down")}
        for name, parts in (("qkv", "qkv"), ("wide", ("gate", "up"))):
            found[f"{number}.{name}"] = np.concatenate([arrays[f"{number}.{part}"] for part in parts])
    return found


def decoder(net: DecoderNet, arrays: Arrays) -> Start:
    """The step under jit, into the memory of the caches; what lies behind its position is masked."""
    load_compiler()
    weights = placed(_joined(net, arrays))
    cosines, sines = map(jnp.asarray, net.waves())
    places = jnp.arange(net.context)

    def turned(x: Any, position: Any) -> Any:
        first, second = jnp.split(x, 2, -1)
        cosine, sine = cosines[position], sines[position]
        return jnp.concatenate([first * cosine - second * sine, second * cosine + first * sine], -1)

    def layer(number: int, x: Any, keys: Any, values: Any, position: Any) -> Any:
        one = {name: weights[f"{number}.{name}"] for name in ("norm1", "qkv", "out", "norm2", "wide", "down")}
        q, k, v = (rms(x, one["norm1"]) @ one["qkv"]).reshape(3, net.heads, net.size)
        keys = keys.at[:, position].set(turned(k, position))
        values = values.at[:, position].set(v)
        scores = jnp.einsum("hd,htd->ht", turned(q, position), keys) * net.size**-0.5
        chances = jax.nn.softmax(jnp.where(places <= position, scores, -jnp.inf))
        x = x + jnp.einsum("ht,htd->hd", chances, values).ravel() @ one["out"]
        gate, up = jnp.split(rms(x, one["norm2"]) @ one["wide"], 2)
        return x + (jax.nn.silu(gate) * up) @ one["down"], keys, values

    def step(caches: Any, token: Any, position: Any) -> Any:
        x, written = weights["embedding"][token], []
        for number, (keys, values) in enumerate(caches):
            x, *cache = layer(number, x, keys, values, position)
            written.append(cache)
        return (weights["embedding"] @ rms(x, weights["norm"]))[None], written

    state = [[[jnp.asarray(arrays[name][number]) for name in ("keys", "values")] for number in range(net.layers)]]

    def start() -> Prepared:
        fast = jax.jit(step, donate_argnums=(0,))

        def call(token: Any, position: Any) -> Any:
            scores, state[0] = fast(state[0], token, position)
            return scores.block_until_ready()

        return Prepared(call, (jnp.asarray(net.token), jnp.asarray(net.position)), np.asarray)

    return start


def _recurrent_scores(model: RecurrentModel, weights: Weights, tokens: Any) -> Any:
    return dense(weights, "head", lstm(weights, weights["embedding"][tokens]))


def _transformer_scores(model: TransformerModel, weights: Weights, tokens: Any) -> Any:
    x = weights["embedding"][tokens] + weights["places"]
    for number in range(model.layers):
        x = x + seen(weights, number, norm(weights, f"{number}.norm1", x), model.heads, causal=True)
        x = x + wide(weights, number, norm(weights, f"{number}.norm2", x))
    return dense(weights, "head", norm(weights, "norm", x))


def train(training: SequenceTraining, weights: Arrays, batches: Batches) -> Start:
    """Steps: value_and_grad and update in one jit, which may write into the memory of the old parameters."""
    load_compiler()
    model: Any = training.model
    scores_of: Callable[..., Any] = _recurrent_scores if isinstance(model, RecurrentModel) else _transformer_scores
    parameters = placed(weights)
    zeros = [jax.tree.map(jnp.zeros_like, parameters) for _ in range(2)]
    slots: Any = (*zeros, jnp.zeros((), jnp.float32)) if training.optimizer == "adam" else ()
    arrays = [(jnp.asarray(x), jnp.asarray(y)) for x, y in batches]

    def loss_of(parameters: Any, x: Any, y: Any) -> Any:
        scores = jax.nn.log_softmax(scores_of(model, parameters, x))
        return -jnp.take_along_axis(scores, y[..., None], -1).mean()

    def step(parameters: Any, slots: Any, x: Any, y: Any) -> Any:
        loss, gradients = jax.value_and_grad(loss_of)(parameters, x, y)
        return loss, *updated(training, parameters, gradients, slots)

    return stepping(step, [parameters, slots], arrays, CHECKED_OF_NETWORKS)


RECURRENCE = {"jit": recurrence}
ENCODER = {"jit": encoder}
ATTENTION = {"jit": attention}
DECODER = {"jit": decoder}
TRAIN_SEQUENCE = {"jit": train}
