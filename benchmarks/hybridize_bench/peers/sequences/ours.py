# SPDX-License-Identifier: Apache-2.0
"""hybridize itself on networks over sequences: Gluon blocks, hybridized."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from hybridize import autograd, hybridize, np, npx
from hybridize.gluon import Parameter, nn, rnn
from hybridize.gluon import loss as losses
from hybridize.gluon.model_zoo import text
from hybridize.gluon.trainer import Trainer
from hybridize_bench import networks
from hybridize_bench.peers import F32, Batches, Prepared, Start
from hybridize_bench.peers.ours import as_numpy, load_llvm
from hybridize_bench.sequences import recurrence as recurrence_net
from hybridize_bench.sequences.attention import AttentionNet
from hybridize_bench.sequences.decoder import BASE, DecoderNet, DecodingNet
from hybridize_bench.sequences.encoder import EncoderNet
from hybridize_bench.sequences.language_models import RecurrentModel, TransformerModel
from hybridize_bench.sequences.recurrence import RecurrentNet
from hybridize_bench.sequences.training import SequenceTraining
from hybridize_bench.training_workloads import CHECKED_OF_NETWORKS, steps

Arrays = dict[str, F32]


def dense(weight: F32, bias: F32 | None) -> Any:
    """A dense layer over the last axis."""
    made: Any = nn.Dense(weight.shape[0], flatten=False, use_bias=bias is not None, in_units=weight.shape[1])
    made.initialize()
    made.weight.set_data(np.array(weight))
    if bias is not None:
        made.bias.set_data(np.array(bias))
    return made


def recurrent(kind: str, inputs: int, arrays: Arrays) -> Any:
    """A layer of Gluon's own."""
    made: Any = {"lstm": rnn.LSTM, "gru": rnn.GRU}[kind](arrays["w_state"].shape[1], input_size=inputs)
    made.initialize()
    for part, name in zip(("i2h_weight", "h2h_weight", "i2h_bias", "h2h_bias"), recurrence_net.NAMES, strict=True):
        getattr(made, f"l0_{part}").set_data(np.array(arrays[name]))
    return made


def of_layer(arrays: Arrays, number: int) -> Arrays:
    """The weights of a layer, by their names in it."""
    start = f"{number}."
    return {name.removeprefix(start): one for name, one in arrays.items() if name.startswith(start)}


def stack(model: EncoderNet | TransformerModel, arrays: Arrays, first: bool) -> Any:
    """The layers of a Transformer; their normalizations first, and one of the result, or behind the sums."""
    made: Any = nn.TransformerEncoder(
        model.layers, model.width, model.heads, model.inner, 0.0, "gelu", first, epsilon=networks.EPSILON
    )
    made.initialize()
    for number, layer in enumerate(made.layers):
        one, attention, wide = of_layer(arrays, number), layer.self_attn, layer.feed_forward
        for kind in ("weight", "bias"):
            thirds = zip(
                (attention.q_proj, attention.k_proj, attention.v_proj), numpy.split(one[f"qkv.{kind}"], 3), strict=True
            )
            others = {"out": attention.out_proj, "up": wide.linear1, "down": wide.linear2}
            for part, array in (*thirds, *((part, one[f"{name}.{kind}"]) for name, part in others.items())):
                getattr(part, kind).set_data(np.array(array))
        fill(layer.norm1, one, "norm1")
        fill(layer.norm2, one, "norm2")
    if first:
        fill(made.norm, arrays, "norm")
    return made


def fill(norm: Any, arrays: Arrays, name: str) -> None:
    """Set the weights of a normalization."""
    norm.gamma.set_data(np.array(arrays[f"{name}.gamma"]))
    norm.beta.set_data(np.array(arrays[f"{name}.beta"]))


class RecurrentScores(nn.HybridBlock):
    """The scores of a recurrent language model."""

    def __init__(self, model: RecurrentModel, arrays: Arrays) -> None:
        super().__init__()
        self.embedding = embedding(arrays["embedding"])
        self.layer = recurrent("lstm", model.embedding, arrays)
        self.head = dense(arrays["head.weight"], arrays["head.bias"])

    def forward(self, tokens: Any) -> Any:
        return self.head(self.layer(self.embedding(tokens)))


class TransformerScores(nn.HybridBlock):
    """The scores of a causal Transformer."""

    def __init__(self, model: TransformerModel, arrays: Arrays) -> None:
        super().__init__()
        self.embedding = embedding(arrays["embedding"])
        self.places = Parameter(shape=arrays["places"].shape)
        self.places.initialize()
        self.places.set_data(np.array(arrays["places"]))
        self.layers = stack(model, arrays, first=True)
        self.head = dense(arrays["head.weight"], arrays["head.bias"])

    def forward(self, tokens: Any) -> Any:
        return self.head(self.layers(self.embedding(tokens) + self.places.data()[: tokens.shape[1]], is_causal=True))


def embedding(weight: F32) -> nn.Embedding:
    """A table of tokens."""
    made = nn.Embedding(*weight.shape)
    made.initialize()
    made.weight.set_data(np.array(weight))
    return made


def prepared(net: Any, *xs: Any, **keywords: int) -> Start:
    """The block, hybridized; `keywords` go to `net.hybridize`."""
    load_llvm()
    arguments = tuple(map(np.array, xs))

    def start() -> Prepared:
        net.hybridize(**keywords)
        return Prepared(net, arguments, as_numpy)

    return start


def recurrence(net: RecurrentNet, arrays: Arrays, **keywords: int) -> Start:
    """The layer; `keywords` go to `hybridize`."""
    return prepared(recurrent(net.kind, net.inputs, arrays), arrays["x"], **keywords)


def encoder(net: EncoderNet, arrays: Arrays, **keywords: int) -> Start:
    """The layers; `keywords` go to `hybridize`."""
    return prepared(stack(net, arrays, first=False), arrays["x"], **keywords)


def attention(net: AttentionNet, arrays: Arrays) -> Start:
    """The operation."""
    load_llvm()
    function = hybridize(lambda q, k, v: npx.scaled_dot_product_attention(q, k, v, is_causal=net.causal))
    return lambda: Prepared(function, tuple(np.array(arrays[name]) for name in "qkv"), as_numpy)


def attention_gradients(net: AttentionNet, arrays: Arrays) -> Start:
    """The gradients of the operation: a program forward, and one back."""
    load_llvm()
    operands = [np.array(arrays[name]) for name in "qkv"]
    for one in operands:
        one.attach_grad()
    function = hybridize(lambda q, k, v: npx.scaled_dot_product_attention(q, k, v, is_causal=net.causal))

    def call() -> Any:
        with autograd.record():
            y = function(*operands)
        return autograd.grad(y, operands, head_grads=operands[0])

    return lambda: Prepared(call, (), lambda found: numpy.stack([as_numpy(one) for one in found]))


def llama(net: DecoderNet, arrays: Arrays) -> Any:
    """The zoo's decoder."""
    made: Any = text.Llama(
        net.vocabulary, net.width, net.layers, net.heads, hidden=net.inner, max_length=net.context,
        rotary_base=BASE, eps=networks.EPSILON,
    )  # fmt: skip
    made.initialize()
    made.embedding.weight.set_data(np.array(arrays["embedding"]))
    made.norm.gamma.set_data(np.array(arrays["norm"]))
    for number in range(net.layers):
        one, layer = of_layer(arrays, number), made.layers[number]
        attention, network = layer.attention, layer.network
        parts = {"q": attention.q_proj, "k": attention.k_proj, "v": attention.v_proj, "out": attention.out_proj}
        for name, part in (parts | {"gate": network.gate, "up": network.linear1, "down": network.linear2}).items():
            part.weight.set_data(np.array(one[name]))
        layer.attention_norm.gamma.set_data(np.array(one["norm1"]))
        layer.network_norm.gamma.set_data(np.array(one["norm2"]))
    return made


def stepping(net: DecoderNet, arrays: Arrays) -> Callable[[Any, int], Any]:
    """A step of the decoder, compiled, from a token and its place; its caches are written in place."""
    load_llvm()
    made = llama(net, arrays)
    caches = [np.array(arrays[name][number][None]) for number in range(net.layers) for name in ("keys", "values")]
    return hybridize(lambda token, place: made.step(token, place, caches))


def decoder(net: DecoderNet, arrays: Arrays) -> Start:
    """The step, by a program for all places, which the second place makes."""
    step, token = stepping(net, arrays), np.array([net.token])

    def start() -> Prepared:
        step(token, net.position + 1)  # what it writes there is read by nobody
        return Prepared(step, (token, net.position), as_numpy)

    return start


def decoding(net: DecodingNet, arrays: Arrays) -> Start:
    """Step after step."""
    step, token, positions = stepping(net, arrays), np.array([net.token]), net.positions()
    return lambda: Prepared(lambda: step(token, next(positions)), (), as_numpy)


def step_of(training: SequenceTraining, weights: Arrays) -> Callable[[Any, Any], Any]:
    """A step, imperative, from tokens and those that follow to the mean loss."""
    model = training.model
    net = RecurrentScores(model, weights) if isinstance(model, RecurrentModel) else TransformerScores(model, weights)
    trainer = Trainer(net.collect_params(), training.optimizer, {"learning_rate": training.rate})
    loss_of = losses.SoftmaxCrossEntropyLoss()

    def step(x: Any, y: Any) -> Any:
        with autograd.record():
            loss = loss_of(net(x).reshape(-1, model.vocabulary), y.reshape(-1))
        loss.backward()
        trainer.step(y.size)
        return loss.mean()

    return step


def train(training: SequenceTraining, weights: Arrays, batches: Batches) -> Start:
    """Steps, each as one program."""
    load_llvm()
    step = step_of(training, weights)
    arrays = [(np.array(x), np.array(y)) for x, y in batches]
    return lambda: steps(hybridize(step), arrays, float, CHECKED_OF_NETWORKS)


RECURRENCE = {"hybridized": recurrence}
ENCODER = {"hybridized": encoder}
ATTENTION = {"hybridized": attention}
ATTENTION_BACK = {"hybridized": attention_gradients}
DECODER = {"hybridized": decoder}
DECODING = {"hybridized": decoding}
TRAIN_SEQUENCE = {"hybridized": train}
