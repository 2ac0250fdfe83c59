"""Transformer layers with PyTorch's weights: values and gradients; norms, gates, positions, and what is refused."""

import numpy
import pytest
import torch

from hybridize import autograd, np, npx
from hybridize.errors import ArgumentError, ShapeError
from hybridize.gluon import nn
from hybridize.gluon.model_zoo.text import GPT, Llama
from tests.refusals import refusal

MODES = pytest.mark.parametrize("compiled", [False, True], ids=["imperatively", "hybridized"])


def drawn(*shape, seed=0):
    return numpy.random.default_rng((seed, *shape)).normal(size=shape).astype("f4")


def given_weights(theirs, names):
    """PyTorch's weights under our names."""
    found = {}
    for theirs_name, ours_name in names.items():
        part = getattr(theirs, theirs_name)
        if isinstance(part, torch.nn.MultiheadAttention):
            for name, weight, bias in zip("qkv", part.in_proj_weight.chunk(3), part.in_proj_bias.chunk(3), strict=True):
                found |= {f"{ours_name}.{name}_proj.weight": weight, f"{ours_name}.{name}_proj.bias": bias}
            found |= {
                f"{ours_name}.out_proj.weight": part.out_proj.weight,
                f"{ours_name}.out_proj.bias": part.out_proj.bias,
            }
        elif isinstance(part, torch.nn.LayerNorm):
            found |= {f"{ours_name}.gamma": part.weight, f"{ours_name}.beta": part.bias}
        else:
            found |= {f"{ours_name}.weight": part.weight, f"{ours_name}.bias": part.bias}
    return found


ENCODER = {
    "self_attn": "self_attn", "linear1": "feed_forward.linear1", "linear2": "feed_forward.linear2", "norm1": "norm1",
    "norm2": "norm2",
}  # fmt: skip
DECODER = ENCODER | {"multihead_attn": "cross_attn", "norm3": "norm3"}


def filled(ours, given):
    ours.initialize()
    parameters = ours.collect_params()
    assert set(parameters) == set(given)
    for name, parameter in parameters.items():
        parameter.set_data(np.array(given[name].detach().numpy()))


def random_weights(module):
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.uniform_(-0.4, 0.4)
    return module


@MODES
@pytest.mark.parametrize(
    ("pre_norm", "activation"), [(False, "relu"), pytest.param(True, "gelu", marks=pytest.mark.long)]
)
@pytest.mark.parametrize("kind", [pytest.param("encoder", marks=pytest.mark.long), "decoder"])
def test_as_pytorch(kind, pre_norm, activation, compiled):
    make = torch.nn.TransformerEncoderLayer if kind == "encoder" else torch.nn.TransformerDecoderLayer
    theirs = random_weights(make(16, 4, 32, 0.0, activation, batch_first=True, norm_first=pre_norm))
    ours = getattr(nn, make.__name__)(16, 4, 32, 0.0, activation, pre_norm)
    filled(ours, given_weights(theirs, ENCODER if kind == "encoder" else DECODER))
    if compiled:
        ours.hybridize()
    x, memory = drawn(3, 5, 16), drawn(3, 7, 16, seed=1)
    lengths = numpy.array([7, 2, 4] if kind == "decoder" else [5, 2, 3])
    hidden = torch.tensor(numpy.arange(7 if kind == "decoder" else 5) >= lengths[:, None])
    later = torch.ones(5, 5, dtype=torch.bool).triu(1)
    tensors = [torch.tensor(one, requires_grad=True) for one in (x, memory)]
    xs = [np.array(one) for one in (x, memory)]
    for one in xs:
        one.attach_grad()
    if kind == "encoder":
        wanted = theirs(tensors[0], src_mask=later, src_key_padding_mask=hidden)
        tensors, xs = tensors[:1], xs[:1]
    else:
        wanted = theirs(*tensors, tgt_mask=later, memory_key_padding_mask=hidden)
    torch.cos(wanted).sum().backward()
    with autograd.record():
        if kind == "encoder":
            found = ours(*xs, valid_length=np.array(lengths), is_causal=True)
        else:
            found = ours(*xs, memory_valid_length=np.array(lengths))
        total = np.cos(found).sum()
    total.backward()
    numpy.testing.assert_allclose(found.asnumpy(), wanted.detach().numpy(), rtol=1e-4, atol=1e-5)
    for one, tensor in zip(xs, tensors, strict=True):
        numpy.testing.assert_allclose(one.grad.asnumpy(), tensor.grad.numpy(), rtol=1e-3, atol=1e-4)
    wanted = theirs.linear1.weight.grad.numpy()
    numpy.testing.assert_allclose(ours.feed_forward.linear1.weight.grad().asnumpy(), wanted, rtol=1e-3, atol=1e-4)


@MODES
def test_layers_of_llama(compiled):
    """Root mean squares, a gated net, grouped queries that turn, no biases: written out."""
    net = nn.TransformerEncoder(
        1, 16, 4, 24, 0.0, "swiglu", True, norm="rms_norm", use_bias=False, num_kv_heads=2,
        rotary=nn.RotaryEmbedding(pairing="neighbours"),
    )  # fmt: skip
    net.initialize("xavier")
    x = drawn(2, 6, 16)
    net(np.array(x))  # for the shapes
    w = {name: torch.tensor(parameter.data().asnumpy()) for name, parameter in net.collect_params().items()}
    if compiled:
        net.hybridize()

    def norm(x, name):
        return torch.nn.functional.rms_norm(x, (16,), w[name], 1e-5)

    def heads(x, name, count):
        return (x @ w[f"layers.0.self_attn.{name}_proj.weight"].T).reshape(2, 6, count, 4).swapaxes(1, 2)

    def turned(x):
        angles = torch.arange(6)[:, None] * 10000.0 ** (-torch.arange(0, 4, 2) / 4)
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], 2, 2)) * torch.polar(torch.ones_like(angles), angles)
        return torch.view_as_real(pairs).flatten(-2)

    y = torch.tensor(x)
    z = norm(y, "layers.0.norm1.gamma")
    query, key, value = (heads(z, name, count) for name, count in (("q", 4), ("k", 2), ("v", 2)))
    means = torch.nn.functional.scaled_dot_product_attention(
        turned(query), turned(key.contiguous()), value, is_causal=True, enable_gqa=True
    )
    y = y + means.swapaxes(1, 2).reshape(2, 6, 16) @ w["layers.0.self_attn.out_proj.weight"].T
    z = norm(y, "layers.0.norm2.gamma")
    gate, up, down = (w[f"layers.0.feed_forward.{name}.weight"] for name in ("gate", "linear1", "linear2"))
    y = y + (torch.nn.functional.silu(z @ gate.T) * (z @ up.T)) @ down.T
    wanted = norm(y, "norm.gamma").numpy()
    numpy.testing.assert_allclose(net(np.array(x), is_causal=True).asnumpy(), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.long
def test_one_program_for_all_lengths():
    net, plain = (nn.TransformerDecoder(1, 8, 2, 16, pre_norm=True) for _ in range(2))
    net.initialize()
    plain.share_parameters(net.collect_params())
    net.hybridize()
    random = numpy.random.default_rng(0)
    for batch, time, length in random.integers(2, 16, (40, 3)):  # of three axes, each of size 1 is a program of its own
        x, memory = np.array(drawn(batch, time, 8)), np.array(drawn(batch, length, 8))
        lengths = np.array(random.integers(0, length + 1, batch))
        found = net(x, memory, None, None, None, lengths)
        numpy.testing.assert_allclose(
            found.asnumpy(), plain(x, memory, None, None, None, lengths).asnumpy(), rtol=1e-4, atol=1e-5
        )
    assert net.cache_info().programs <= 4
    assert net.program(x, memory, None, None, None, lengths).fallbacks == ()


@MODES
def test_positions(compiled):
    x = drawn(2, 5, 6)
    angles = numpy.arange(90)[:, None] / 10000 ** (numpy.arange(0, 6, 2) / 6)
    table = numpy.stack([numpy.sin(angles), numpy.cos(angles)], -1).reshape(90, 6)
    places = numpy.array([[4, 0, 3, 80, 9], [1, 2, 3, 4, 5]])
    for net in (nn.PositionalEncoding(6, max_length=90), nn.PositionalEncoding(6, max_length=None)):
        if compiled:
            net.hybridize()
        numpy.testing.assert_allclose(net(np.array(x)).asnumpy(), x + table[:5], rtol=1e-4, atol=1e-5)
        numpy.testing.assert_allclose(
            net(np.array(x), np.array(places)).asnumpy(), x + table[places], rtol=1e-4, atol=1e-5
        )
    learned = nn.LearnedPositionalEncoding(90)
    learned.initialize()
    learned(np.array(x))
    if compiled:
        learned.hybridize()
    weight = learned.weight.data().asnumpy()
    assert (learned(np.array(x)).asnumpy() == x + weight[:5]).all()
    assert (learned(np.array(x), np.array(places)).asnumpy() == x + weight[places]).all()
    for net in (nn.PositionalEncoding(6, max_length=4), nn.LearnedPositionalEncoding(4, 6)):
        net.initialize()
        if compiled:
            net.hybridize()
        assert net(np.ones((2, 4, 6))).shape == (2, 4, 6)
        with pytest.raises(ShapeError, match=r"E197.*4 positions"):
            net(np.ones((2, 5, 6)))
        with pytest.raises(ShapeError, match="E197"):
            net(np.ones((2, 4, 5)))


@MODES
def test_norms_and_gates(compiled):
    x = drawn(2, 3, 8)
    norm, gate = nn.RMSNorm(axis=1, epsilon=1e-3), nn.GLU(activation="gelu_tanh")
    norm.initialize()
    norm(np.array(x))
    norm.gamma.set_data(np.array([1.0, 2.0, 3.0]))
    wanted = x / numpy.sqrt((x * x).mean(1, keepdims=True) + 1e-3) * numpy.array([1, 2, 3])[:, None]
    net = nn.SwiGLU(5, 4)
    net.initialize()
    net(np.array(x))
    if compiled:
        for one in (norm, gate, net):
            one.hybridize()
    numpy.testing.assert_allclose(norm(np.array(x)).asnumpy(), wanted, rtol=1e-5, atol=1e-6)
    assert gate(np.array(x)).asnumpy() == pytest.approx(
        x[..., :4] * npx.gelu(np.array(x[..., 4:]), "tanh").asnumpy(), abs=1e-6
    )
    up, by, down = (net.collect_params()[f"{name}.weight"].data().asnumpy() for name in ("linear1", "gate", "linear2"))
    turned = x @ by.T
    wanted = (turned / (1 + numpy.exp(-turned)) * (x @ up.T)) @ down.T
    numpy.testing.assert_allclose(net(np.array(x)).asnumpy(), wanted, rtol=1e-4, atol=1e-6)
    assert sorted(net.collect_params()) == ["gate.weight", "linear1.weight", "linear2.weight"]


@pytest.mark.parametrize(
    ("make", "error", "code"),
    [
        (lambda: nn.TransformerEncoderLayer(10, 4), ShapeError, "E192"),
        (lambda: nn.TransformerEncoderLayer(16, 4, norm="batch_norm"), ArgumentError, "E331"),
        (lambda: nn.TransformerDecoderLayer(16, 4, activation="step"), ArgumentError, "E330"),
        (lambda: nn.TransformerEncoder(0, 16, 4), ArgumentError, "E331"),
        (lambda: nn.TransformerEncoderLayer(16, 4, dropout=1.5), ArgumentError, "E331"),
        (lambda: nn.FeedForward(0, 4), ArgumentError, "E331"),
        (lambda: nn.RMSNorm(epsilon=0), ArgumentError, "E331"),
        *(
            (lambda make=make, wrong=wrong: make(wrong), ArgumentError, "E331.*positive number")
            for make in (
                lambda eps: nn.RMSNorm(epsilon=eps),
                lambda eps: nn.LayerNorm(epsilon=eps),
                lambda eps: nn.BatchNorm(epsilon=eps),
                lambda eps: nn.GroupNorm(2, epsilon=eps),
                lambda eps: nn.InstanceNorm(epsilon=eps),
                lambda eps: nn.TransformerEncoderLayer(16, 4, epsilon=eps),
                lambda eps: GPT(20, 16, 1, 2, eps=eps),
                lambda eps: Llama(20, 16, 1, 2, eps=eps),
            )
            for wrong in ("1e-5", None, [1e-5], -1e-5, float("nan"))
        ),
        (lambda: nn.RotaryEmbedding(pairing="other"), ArgumentError, "E331"),
        (lambda: nn.PositionalEncoding(0), ArgumentError, "E331"),
    ],
)
def test_bad_layers(make, error, code):
    with refusal(error, code):
        make()


@pytest.mark.parametrize("kind", [nn.TransformerEncoderLayer, nn.TransformerDecoderLayer, nn.TransformerEncoder])
def test_sizes_that_the_units_say_are_known_at_once(kind):
    """Only a memory may have vectors of another size."""
    layer = kind(2, 16, 4, 32) if kind is nn.TransformerEncoder else kind(16, 4, 32, num_kv_heads=2)
    shapes = {name: parameter.shape for name, parameter in layer.collect_params().items()}
    unknown = {name for name, shape in shapes.items() if 0 in shape or -1 in shape}
    assert unknown == {name for name in shapes if name in ("cross_attn.k_proj.weight", "cross_attn.v_proj.weight")}
    assert {shape for name, shape in shapes.items() if "self_attn.q_proj.weight" in name} == {(16, 16)}
    layer.initialize()
    with pytest.raises(ShapeError, match="the weight's rows, 16"):
        layer(np.ones((2, 3, 8)), *[np.ones((2, 5, 6))] * (kind is nn.TransformerDecoderLayer))
