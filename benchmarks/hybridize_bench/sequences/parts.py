# SPDX-License-Identifier: Apache-2.0
"""Layers of networks over sequences in float64, each with its backward pass.

The reference that every runtime is compared with. A layer takes its input and its weights, and gives its result and a
function from the gradient of the result to those of the input and of the weights. Features lie last.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from hybridize_bench.networks import EPSILON, F64

Back = Callable[[F64], tuple[F64, list[F64]]]
"""From the gradient of a layer's result to that of its input, and those of its weights."""
MASKED = -np.inf
"""The score of what a query does not see."""


def dense(x: F64, weight: F64, bias: F64) -> tuple[F64, Back]:
    """A product with weight [out, in] and a sum with bias."""

    def back(gradient: F64) -> tuple[F64, list[F64]]:
        rows = gradient.reshape(-1, len(weight))
        return gradient @ weight, [rows.T @ x.reshape(len(rows), -1), rows.sum(0)]

    return x @ weight.T + bias, back


def embedding(tokens: Any, weight: F64) -> tuple[F64, Callable[[F64], F64]]:
    """Rows of a table; the way back leads to the table alone."""

    def back(gradient: F64) -> F64:
        found = np.zeros_like(weight)
        np.add.at(found, tokens, gradient)
        return found

    return weight[tokens], back


def layer_norm(x: F64, gamma: F64, beta: F64) -> tuple[F64, Back]:
    """Normal over the features, scaled and shifted."""
    centred = x - x.mean(-1, keepdims=True)
    scale = 1 / np.sqrt((centred**2).mean(-1, keepdims=True) + EPSILON)
    normal = centred * scale

    def back(gradient: F64) -> tuple[F64, list[F64]]:
        above = gradient * gamma
        rest = above.mean(-1, keepdims=True) + normal * (above * normal).mean(-1, keepdims=True)
        over = tuple(range(x.ndim - 1))
        return scale * (above - rest), [(gradient * normal).sum(over), gradient.sum(over)]

    return normal * gamma + beta, back


def gelu(x: F64) -> tuple[F64, Back]:
    """The exact one, by the error function."""
    below = 0.5 * (1 + np.fromiter(map(math.erf, x.ravel() / math.sqrt(2)), np.float64, x.size).reshape(x.shape))

    def back(gradient: F64) -> tuple[F64, list[F64]]:
        return gradient * (below + x * np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)), []

    return x * below, back


def sigmoid(x: F64) -> F64:
    """The logistic function."""
    return 0.5 * (1 + np.tanh(0.5 * x))


def softmax(scores: F64) -> F64:
    """Over the last axis."""
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    found: F64 = weights / weights.sum(-1, keepdims=True)
    return found


def attention(
    q: F64, k: F64, v: F64, causal: bool, first: int = 0
) -> tuple[F64, Callable[[F64], tuple[F64, F64, F64]]]:
    """softmax(q kᵀ / √size) v over [..., time, size].

    Causal: a query sees what stands before it, and its own; the first query is at place `first`.
    """
    scale = q.shape[-1] ** -0.5
    scores = q @ k.swapaxes(-1, -2) * scale
    if causal:
        scores = np.where(np.tri(scores.shape[-2], scores.shape[-1], first, dtype=bool), scores, MASKED)
    weights = softmax(scores)

    def back(gradient: F64) -> tuple[F64, F64, F64]:
        of_weights = gradient @ v.swapaxes(-1, -2)
        of_scores = weights * (of_weights - (of_weights * weights).sum(-1, keepdims=True)) * scale
        return of_scores @ k, of_scores.swapaxes(-1, -2) @ q, weights.swapaxes(-1, -2) @ gradient

    return weights @ v, back


def split(x: F64, heads: int) -> F64:
    """[batch, time, heads × size] as [batch, head, time, size]."""
    return x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def joined(x: F64) -> F64:
    """Join what `split` has split."""
    batch, heads, time, size = x.shape
    return x.swapaxes(1, 2).reshape(batch, time, heads * size)


def heads_of(qkv: F64, heads: int, causal: bool) -> tuple[F64, Callable[[F64], F64]]:
    """Attention of several heads over queries, keys and values that lie beside each other: [batch, time, 3 × width]."""
    q, k, v = (split(part, heads) for part in np.split(qkv, 3, -1))
    found, back = attention(q, k, v, causal)
    return joined(found), lambda gradient: np.concatenate([joined(part) for part in back(split(gradient, heads))], -1)


def lstm(x: F64, w_input: F64, w_state: F64, b_input: F64, b_state: F64) -> tuple[F64, Back]:
    """A layer of LSTM over [time, batch, in] from states of zeros; its gates are i, f, g, o."""
    (steps, batch, _), size = x.shape, w_state.shape[1]
    before = x @ w_input.T + (b_input + b_state)
    h, c = np.zeros((2, batch, size))
    hs, cs, gates = [h], [c], []
    for t in range(steps):
        i, f, g, o = np.split(before[t] + h @ w_state.T, 4, -1)
        i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
        c = f * c + i * g
        h = o * np.tanh(c)
        hs.append(h)
        cs.append(c)
        gates.append((i, f, g, o))

    def back(gradient: F64) -> tuple[F64, list[F64]]:
        of_before = np.empty_like(before)
        of_h, of_c = np.zeros((2, batch, size))
        for t in reversed(range(steps)):
            i, f, g, o = gates[t]
            tanh = np.tanh(cs[t + 1])
            of_h = of_h + gradient[t]
            of_c = of_c + of_h * o * (1 - tanh**2)
            parts = (
                of_c * g * i * (1 - i),
                of_c * cs[t] * f * (1 - f),
                of_c * i * (1 - g**2),
                of_h * tanh * o * (1 - o),
            )
            of_before[t] = np.concatenate(parts, -1)
            of_h, of_c = of_before[t] @ w_state, of_c * f
        rows, states = of_before.reshape(steps * batch, -1), np.stack(hs[:-1]).reshape(steps * batch, -1)
        of_bias = rows.sum(0)
        return of_before @ w_input, [rows.T @ x.reshape(len(rows), -1), rows.T @ states, of_bias, of_bias]

    return np.stack(hs[1:]), back


def gru(x: F64, w_input: F64, w_state: F64, b_input: F64, b_state: F64) -> F64:
    """A layer of GRU over [time, batch, in] from a state of zeros; its gates are r, z, n, and r scales a product."""
    before = x @ w_input.T + b_input
    h = np.zeros((x.shape[1], w_state.shape[1]))
    found = []
    for row in before:
        (r, z, n), (r_h, z_h, n_h) = np.split(row, 3, -1), np.split(h @ w_state.T + b_state, 3, -1)
        r, z = sigmoid(r + r_h), sigmoid(z + z_h)
        h = (1 - z) * np.tanh(n + r * n_h) + z * h
        found.append(h)
    return np.stack(found)
