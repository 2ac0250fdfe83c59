# SPDX-License-Identifier: Apache-2.0
"""The benchmark's networks over sequences as PyTorch modules, as its users write them."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from hybridize_bench import networks
from hybridize_bench.peers import F32
from hybridize_bench.sequences import recurrence
from hybridize_bench.sequences.attention import AttentionNet
from hybridize_bench.sequences.decoder import DecoderNet
from hybridize_bench.sequences.encoder import EncoderNet
from hybridize_bench.sequences.language_models import RecurrentModel, TransformerModel
from hybridize_bench.sequences.recurrence import RecurrentNet

Arrays = dict[str, F32]


def tensor(x: F32) -> Tensor:
    """The array as a tensor with memory of its own."""
    return torch.from_numpy(x.copy())


def filled(module: Any, **arrays: F32) -> Any:
    """The module with these arrays as its parameters and buffers."""
    with torch.no_grad():
        for name, array in arrays.items():
            getattr(module, name).copy_(torch.from_numpy(array))
    return module


def recurrent(kind: str, inputs: int, arrays: Arrays) -> nn.Module:
    """A layer of torch's own."""
    w_input, w_state, b_input, b_state = (arrays[name] for name in recurrence.NAMES)
    made = {"lstm": nn.LSTM, "gru": nn.GRU}[kind](inputs, w_state.shape[1])
    return filled(made, weight_ih_l0=w_input, weight_hh_l0=w_state, bias_ih_l0=b_input, bias_hh_l0=b_state)  # type: ignore[no-any-return]


class TorchRecurrent(nn.Module):
    """A recurrent layer without its last states."""

    def __init__(self, net: RecurrentNet, arrays: Arrays) -> None:
        super().__init__()
        self.layer = recurrent(net.kind, net.inputs, arrays)

    def forward(self, x: Tensor) -> Tensor:
        """From [time, batch, in] to [time, batch, out]."""
        found: Tensor = self.layer(x)[0]
        return found


class TorchAttention(nn.Module):
    """`scaled_dot_product_attention`."""

    def __init__(self, net: AttentionNet) -> None:
        super().__init__()
        self.causal = net.causal

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Of [batch, head, time, size]."""
        return F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)


def _linear(arrays: Arrays, name: str) -> nn.Linear:
    weight, bias = arrays[f"{name}.weight"], arrays.get(f"{name}.bias")
    made = nn.Linear(weight.shape[1], weight.shape[0], bias=bias is not None)
    return filled(made, weight=weight, **({} if bias is None else {"bias": bias}))  # type: ignore[no-any-return]


def _norm(arrays: Arrays, name: str) -> nn.LayerNorm:
    gamma, beta = arrays[f"{name}.gamma"], arrays[f"{name}.beta"]
    return filled(nn.LayerNorm(len(gamma), networks.EPSILON), weight=gamma, bias=beta)  # type: ignore[no-any-return]


class TorchBlock(nn.Module):
    """A layer of a Transformer; its normalizations first, or behind the sums."""

    def __init__(self, arrays: Arrays, heads: int, causal: bool, first: bool) -> None:
        super().__init__()
        self.heads, self.causal, self.first = heads, causal, first
        self.qkv, self.out = _linear(arrays, "qkv"), _linear(arrays, "out")
        self.up, self.down = _linear(arrays, "up"), _linear(arrays, "down")
        self.norm1, self.norm2 = _norm(arrays, "norm1"), _norm(arrays, "norm2")

    def seen(self, x: Tensor) -> Tensor:
        """Self-attention."""
        batch, time, width = x.shape
        q, k, v = self.qkv(x).view(batch, time, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        found = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        result: Tensor = self.out(found.transpose(1, 2).reshape(batch, time, width))
        return result

    def wide(self, x: Tensor) -> Tensor:
        """The two dense layers."""
        found: Tensor = self.down(F.gelu(self.up(x)))
        return found

    def forward(self, x: Tensor) -> Tensor:
        """Of [batch, time, width]."""
        if self.first:
            x = x + self.seen(self.norm1(x))
            return x + self.wide(self.norm2(x))
        x = self.norm1(x + self.seen(x))
        found: Tensor = self.norm2(x + self.wide(x))
        return found


def of_layer(arrays: Arrays, number: int) -> Arrays:
    """The weights of a layer, by their names in it."""
    start = f"{number}."
    return {name.removeprefix(start): one for name, one in arrays.items() if name.startswith(start)}


def encoder(net: EncoderNet, arrays: Arrays) -> nn.Module:
    """The layers in plain words, for compilers."""
    made = [TorchBlock(of_layer(arrays, number), net.heads, causal=False, first=False) for number in range(net.layers)]
    return nn.Sequential(*made).eval()


def own_encoder(net: EncoderNet, arrays: Arrays) -> nn.Module:
    """Torch's own encoder, whose layers are one operation each in inference."""
    layer = nn.TransformerEncoderLayer(net.width, net.heads, net.inner, 0.0, F.gelu, networks.EPSILON, batch_first=True)
    made = nn.TransformerEncoder(layer, net.layers, enable_nested_tensor=False)
    for number, one in enumerate(made.layers):
        weights = of_layer(arrays, number)
        attention: Any = one.self_attn
        filled(attention, in_proj_weight=weights["qkv.weight"], in_proj_bias=weights["qkv.bias"])
        parts = {"out": attention.out_proj, "up": one.linear1, "down": one.linear2}
        for name, linear in parts.items():
            filled(linear, weight=weights[f"{name}.weight"], bias=weights[f"{name}.bias"])
        for name, norm in (("norm1", one.norm1), ("norm2", one.norm2)):
            filled(norm, weight=weights[f"{name}.gamma"], bias=weights[f"{name}.beta"])
    return made.eval()


class TorchStepper(nn.Module):
    """A decoder that keeps its caches; queries, keys and values are one product, gate and up another.

    Eager it takes its position as a number, and reads what the caches hold up to it. A compiler would make a program of
    each position then: for those it is a tensor, and what stands behind it is masked.
    """

    cosine: Tensor
    sine: Tensor
    places: Tensor

    def __init__(self, net: DecoderNet, arrays: Arrays, compiled: bool) -> None:
        super().__init__()
        self.heads, self.compiled = net.heads, compiled
        self.embedding = nn.Parameter(tensor(arrays["embedding"]))
        self.norm = nn.Parameter(tensor(arrays["norm"]))
        self.layers = nn.ModuleList()
        for number in range(net.layers):
            layer = TorchStepLayer(net, of_layer(arrays, number), compiled)
            for name in ("keys", "values"):
                layer.register_buffer(name, tensor(arrays[name][number])[None])
            self.layers.append(layer)
        cosine, sine = net.waves()
        self.register_buffer("cosine", tensor(cosine))
        self.register_buffer("sine", tensor(sine))
        self.register_buffer("places", torch.arange(net.context))

    def forward(self, token: Tensor, position: Any) -> Tensor:
        """The scores of the next token."""
        x = F.embedding(token, self.embedding)
        cosine, sine = self.cosine[position], self.sine[position]
        mask = (self.places <= position).view(1, 1, 1, -1) if self.compiled else None
        for layer in self.layers:
            x = layer(x, cosine, sine, position, mask)
        return F.linear(F.rms_norm(x, x.shape[-1:], self.norm, networks.EPSILON), self.embedding)


class TorchStepLayer(nn.Module):
    """A layer of `TorchStepper`."""

    keys: Tensor
    values: Tensor
    qkv: Tensor
    out: Tensor
    wide: Tensor
    down: Tensor

    def __init__(self, net: DecoderNet, arrays: Arrays, compiled: bool) -> None:
        super().__init__()
        self.heads, self.compiled = net.heads, compiled
        joined = {"qkv": "qkv", "out": ("out",), "wide": ("gate", "up"), "down": ("down",)}
        for name, parts in joined.items():
            weight = torch.cat([tensor(arrays[part]) for part in parts])
            setattr(self, name, nn.Parameter(weight))
        self.norm1, self.norm2 = (nn.Parameter(tensor(arrays[name])) for name in ("norm1", "norm2"))

    def turned(self, x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
        """[1, head, 1, size], turned by an angle for each of a half."""
        first, second = x.chunk(2, -1)
        return torch.cat([first * cosine - second * sine, second * cosine + first * sine], -1)

    def forward(self, x: Tensor, cosine: Tensor, sine: Tensor, position: Any, mask: Tensor | None) -> Tensor:
        """Of [1, width]."""
        normal = F.rms_norm(x, x.shape[-1:], self.norm1, networks.EPSILON)
        q, k, v = F.linear(normal, self.qkv).view(3, 1, self.heads, 1, -1).unbind(0)
        q, k = self.turned(q, cosine, sine), self.turned(k, cosine, sine)
        keys, values = self.keys, self.values
        if self.compiled:
            keys.index_copy_(2, position, k)
            values.index_copy_(2, position, v)
        else:
            keys[:, :, position] = k[:, :, 0]
            values[:, :, position] = v[:, :, 0]
            keys, values = keys[:, :, : position + 1], values[:, :, : position + 1]
        seen = F.scaled_dot_product_attention(q, keys, values, mask)
        x = x + F.linear(seen.view(1, -1), self.out)
        gate, up = F.linear(F.rms_norm(x, x.shape[-1:], self.norm2, networks.EPSILON), self.wide).chunk(2, -1)
        return x + F.linear(F.silu(gate) * up, self.down)


class TorchRecurrentScores(nn.Module):
    """The scores of a recurrent language model."""

    def __init__(self, model: RecurrentModel, arrays: Arrays) -> None:
        super().__init__()
        self.embedding = filled(nn.Embedding(model.vocabulary, model.embedding), weight=arrays["embedding"])
        self.layer = recurrent("lstm", model.embedding, arrays)
        self.head = _linear(arrays, "head")

    def forward(self, tokens: Tensor) -> Tensor:
        """From [time, batch] to [time, batch, vocabulary]."""
        found: Tensor = self.head(self.layer(self.embedding(tokens))[0])
        return found


class TorchTransformerScores(nn.Module):
    """The scores of a causal Transformer."""

    def __init__(self, model: TransformerModel, arrays: Arrays) -> None:
        super().__init__()
        self.embedding = filled(nn.Embedding(model.vocabulary, model.width), weight=arrays["embedding"])
        self.places = nn.Parameter(tensor(arrays["places"]))
        blocks = [
            TorchBlock(of_layer(arrays, number), model.heads, causal=True, first=True) for number in range(model.layers)
        ]
        self.layers = nn.Sequential(*blocks)
        self.norm, self.head = _norm(arrays, "norm"), _linear(arrays, "head")

    def forward(self, tokens: Tensor) -> Tensor:
        """From [batch, time] to [batch, time, vocabulary]."""
        found: Tensor = self.head(self.norm(self.layers(self.embedding(tokens) + self.places)))
        return found


class TorchLoss(nn.Module):
    """The mean loss over all tokens of a language model."""

    def __init__(self, model: RecurrentModel | TransformerModel, arrays: Arrays) -> None:
        super().__init__()
        kind: Any = TorchRecurrentScores if isinstance(model, RecurrentModel) else TorchTransformerScores
        self.scores = kind(model, arrays)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Cross-entropy after softmax."""
        return F.cross_entropy(self.scores(x).flatten(0, 1), y.flatten())
