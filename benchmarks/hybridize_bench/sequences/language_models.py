# SPDX-License-Identifier: Apache-2.0
"""Language models that are trained: their sizes, their weights, their loss and its gradients in float64."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from hybridize_bench.network_gradients import cross_entropy
from hybridize_bench.networks import F64
from hybridize_bench.peers import F32, I32
from hybridize_bench.sequences import encoder, parts, recurrence

Weights = dict[str, F32]
Found = tuple[float, dict[str, F64]]
"""The mean loss, and its gradients by the weights' names."""


@dataclass(frozen=True)
class RecurrentModel:
    """An embedding, a layer of LSTM from a state of zeros, a dense layer over all its outputs.

    Tokens lie as [time, batch].
    """

    steps: int
    vocabulary: int = 2000
    embedding: int = 128
    hidden: int = 256

    def shape(self, batch: int) -> tuple[int, int]:
        """Of a batch's tokens."""
        return self.steps, batch

    def arrays(self) -> Weights:
        """The weights, the same at every run."""
        random = np.random.default_rng(0)
        rows, bound = 4 * self.hidden, self.hidden**-0.5
        shapes = ((rows, self.embedding), (rows, self.hidden), (rows,), (rows,))
        found = {"embedding": random.standard_normal((self.vocabulary, self.embedding))}
        found |= {
            name: random.uniform(-bound, bound, shape) for name, shape in zip(recurrence.NAMES, shapes, strict=True)
        }
        found["head.weight"] = random.uniform(-bound, bound, (self.vocabulary, self.hidden))
        found["head.bias"] = np.zeros(self.vocabulary)
        return {name: array.astype(np.float32) for name, array in found.items()}

    def flops(self, batch: int) -> int:
        """Operations of a step's products: forward, and twice as many back."""
        of_token = 4 * self.hidden * (self.embedding + self.hidden) + self.hidden * self.vocabulary
        return 6 * self.steps * batch * of_token

    def backward(self, weights: Mapping[str, F64], x: I32, y: I32) -> Found:
        """The mean loss over all tokens, and its gradients."""
        rows, to_table = parts.embedding(x, weights["embedding"])
        states, to_rows = parts.lstm(rows, *(weights[name] for name in recurrence.NAMES))
        loss, gradient, of_head = _head(states, weights, y)
        gradient, of_lstm = to_rows(gradient)
        named = dict(zip(recurrence.NAMES, of_lstm, strict=True))
        return loss, {"embedding": to_table(gradient), **named, **of_head}


@dataclass(frozen=True)
class TransformerModel:
    """Embeddings of tokens and places, causal layers with their normalization first, a last one, a dense layer.

    As GPT-2 has them, but for its exact gelu and the scores, which have weights of their own. Tokens lie as
    [batch, time].
    """

    steps: int = 128
    vocabulary: int = 2000
    layers: int = 4
    width: int = 256
    heads: int = 4
    inner: int = 1024

    def shape(self, batch: int) -> tuple[int, int]:
        """Of a batch's tokens."""
        return batch, self.steps

    def arrays(self) -> Weights:
        """The weights, the same at every run."""
        random = np.random.default_rng(0)
        found: Weights = {
            "embedding": random.standard_normal((self.vocabulary, self.width)).astype(np.float32),
            "places": (0.1 * random.standard_normal((self.steps, self.width))).astype(np.float32),
        }
        for number in range(self.layers):
            of_layer = encoder.layer(random, self.width, self.inner)
            found |= {f"{number}.{name}": one for name, one in of_layer.items()}
        found["norm.gamma"], found["norm.beta"] = np.ones(self.width, np.float32), np.zeros(self.width, np.float32)
        head = random.standard_normal((self.vocabulary, self.width)) * self.width**-0.5
        return found | {"head.weight": head.astype(np.float32), "head.bias": np.zeros(self.vocabulary, np.float32)}

    def flops(self, batch: int) -> int:
        """Operations of a step's products: forward, and twice as many back; of scores those that are seen."""
        tokens, seen = batch * self.steps, batch * self.steps * (self.steps + 1) // 2
        of_layer = tokens * self.width * (4 * self.width + 2 * self.inner) + 2 * seen * self.width
        return 6 * (self.layers * of_layer + tokens * self.width * self.vocabulary)

    def backward(self, weights: Mapping[str, F64], x: I32, y: I32) -> Found:
        """The mean loss over all tokens, and its gradients."""
        rows, to_table = parts.embedding(x, weights["embedding"])
        value, backs = rows + weights["places"], []
        for number in range(self.layers):
            one = {name: weights[f"{number}.{name}"] for name in encoder.NAMES}
            value, back = _block(value, one, self.heads)
            backs.append(back)
        value, to_value = parts.layer_norm(value, weights["norm.gamma"], weights["norm.beta"])
        loss, gradient, found = _head(value, weights, y)
        gradient, (found["norm.gamma"], found["norm.beta"]) = to_value(gradient)
        for number, back in reversed([*enumerate(backs)]):
            gradient, of_layer = back(gradient)
            found |= {f"{number}.{name}": array for name, array in of_layer.items()}
        return loss, found | {"embedding": to_table(gradient), "places": gradient.sum(0)}


def _head(x: F64, weights: Mapping[str, F64], y: I32) -> tuple[float, F64, dict[str, F64]]:
    """The loss of the scores of `x`, its gradient by `x`, and those by the scores' weights."""
    scores, back = parts.dense(x, weights["head.weight"], weights["head.bias"])
    loss, gradient = cross_entropy(scores.reshape(-1, scores.shape[-1]), y.ravel())
    of_x, (of_weight, of_bias) = back(gradient.reshape(scores.shape))
    return loss, of_x, {"head.weight": of_weight, "head.bias": of_bias}


def _block(x: F64, one: Mapping[str, F64], heads: int) -> tuple[F64, Callable[[F64], tuple[F64, dict[str, F64]]]]:
    """A layer of the Transformer, and its way back."""
    found: dict[str, F64] = {}

    def dense(value: F64, name: str) -> tuple[F64, Callable[[F64], F64]]:
        return _keeping(name, ("weight", "bias"), found, parts.dense(value, one[f"{name}.weight"], one[f"{name}.bias"]))

    def norm(value: F64, name: str) -> tuple[F64, Callable[[F64], F64]]:
        made = parts.layer_norm(value, one[f"{name}.gamma"], one[f"{name}.beta"])
        return _keeping(name, ("gamma", "beta"), found, made)

    normal, from_first = norm(x, "norm1")
    qkv, from_qkv = dense(normal, "qkv")
    seen, from_heads = parts.heads_of(qkv, heads, causal=True)
    seen, from_out = dense(seen, "out")
    middle = x + seen
    normal, from_second = norm(middle, "norm2")
    wide, from_up = dense(normal, "up")
    active, from_gelu = parts.gelu(wide)
    narrow, from_down = dense(active, "down")

    def back(gradient: F64) -> tuple[F64, dict[str, F64]]:
        gradient = gradient + from_second(from_up(from_gelu(from_down(gradient))[0]))
        gradient = gradient + from_first(from_qkv(from_heads(from_out(gradient))))
        return gradient, found

    return middle + narrow, back


def _keeping(
    name: str, names: tuple[str, ...], found: dict[str, F64], made: tuple[F64, parts.Back]
) -> tuple[F64, Callable[[F64], F64]]:
    """A layer whose way back puts the gradients of its weights into `found`."""
    value, back = made

    def alone(gradient: F64) -> F64:
        of_input, of_weights = back(gradient)
        found.update({f"{name}.{one}": array for one, array in zip(names, of_weights, strict=True)})
        return of_input

    return value, alone
