"""Attention layers: PyTorch's numbers with its weights, one program for all lengths, options and messages."""

import numpy
import pytest
import torch

from hybridize import autograd, np, npx
from hybridize.errors import ArgumentError, OutOfBoundsError, ShapeError
from hybridize.gluon import nn
from tests.refusals import refusal

MODES = pytest.mark.parametrize("compiled", [False, True], ids=["imperatively", "hybridized"])


def drawn(*shape, seed=0):
    return numpy.random.default_rng((seed, *shape)).normal(size=shape).astype("f4")


def with_weights_of(theirs, *, bias=True, **sizes):
    """A layer of ours with the weights of PyTorch's."""
    units, heads = theirs.embed_dim, theirs.num_heads
    ours = nn.MultiHeadAttention(units, heads, use_bias=bias, **sizes)
    ours.initialize()
    packed = theirs.in_proj_weight
    parts = (theirs.q_proj_weight, theirs.k_proj_weight, theirs.v_proj_weight) if packed is None else packed.chunk(3)
    names = ("q_proj", "k_proj", "v_proj")
    given = {f"{name}.weight": part for name, part in zip(names, parts, strict=True)}
    given["out_proj.weight"] = theirs.out_proj.weight
    if bias:
        given |= {f"{name}.bias": part for name, part in zip(names, theirs.in_proj_bias.chunk(3), strict=True)}
        given["out_proj.bias"] = theirs.out_proj.bias
    return ours, given


def filled(ours, given, *inputs):
    ours(*inputs)  # for the shapes
    for name, parameter in ours.collect_params().items():
        parameter.set_data(np.array(given[name].detach().numpy()))


@MODES
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(
    "kind", ["self", *(pytest.param(one, marks=pytest.mark.long) for one in ("cross", "other sizes"))]
)
def test_as_pytorch(kind, bias, compiled):
    sizes = {"kdim": 12, "vdim": 10} if kind == "other sizes" else {}
    theirs = torch.nn.MultiheadAttention(16, 4, bias=bias, batch_first=True, **sizes)
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.uniform_(-0.5, 0.5)
    ours, given = with_weights_of(theirs, bias=bias)
    query = drawn(3, 5, 16)
    key = query if kind == "self" else drawn(3, 7, sizes.get("kdim", 16), seed=1)
    value = key if kind != "other sizes" else drawn(3, 7, 10, seed=2)
    mask = numpy.random.default_rng(1).random((5, key.shape[1])) > 0.3
    mask[:, 0] = True
    lengths = numpy.array([key.shape[1], 2, 4])
    xs = [np.array(query)] if kind == "self" else [np.array(query), np.array(key), np.array(value)]
    filled(ours, given, *xs)
    if compiled:
        ours.hybridize()

    tensors = [torch.tensor(x, requires_grad=True) for x in (query, key, value)]
    if kind == "self":
        tensors = tensors[:1] * 3
    hidden = torch.tensor(numpy.arange(key.shape[1]) >= lengths[:, None])
    wanted, weights = theirs(
        *tensors, key_padding_mask=hidden, attn_mask=torch.tensor(~mask), average_attn_weights=False
    )
    torch.cos(wanted).sum().backward()
    for x in xs:
        x.attach_grad()
    with autograd.record():
        found, shares = ours(*xs, mask=np.array(mask), valid_length=np.array(lengths), need_weights=True)
        total = np.cos(found).sum()
    total.backward()
    numpy.testing.assert_allclose(found.asnumpy(), wanted.detach().numpy(), rtol=1e-4, atol=1e-5)
    numpy.testing.assert_allclose(shares.asnumpy(), weights.detach().numpy(), rtol=1e-4, atol=1e-6)
    for x, tensor in zip(xs, tensors, strict=False):
        numpy.testing.assert_allclose(x.grad.asnumpy(), tensor.grad.numpy(), rtol=1e-4, atol=1e-5)
    parts = theirs.in_proj_weight.grad.chunk(3) if theirs.in_proj_weight is not None else None
    wanted = parts[1] if parts is not None else theirs.k_proj_weight.grad
    numpy.testing.assert_allclose(ours.k_proj.weight.grad().asnumpy(), wanted.numpy(), rtol=1e-4, atol=1e-4)


def test_parameters():
    net = nn.MultiHeadAttention(16, 4, num_kv_heads=2, out_units=6)
    net.initialize()
    assert net(np.ones((2, 3, 5)), np.ones((2, 4, 7))).shape == (2, 3, 6)
    assert {name: parameter.shape for name, parameter in net.collect_params().items()} == {
        "q_proj.weight": (16, 5), "q_proj.bias": (16,), "k_proj.weight": (8, 7), "k_proj.bias": (8,),
        "v_proj.weight": (8, 7), "v_proj.bias": (8,), "out_proj.weight": (6, 16), "out_proj.bias": (6,),
    }  # fmt: skip
    given = nn.MultiHeadAttention(16, 4, query_units=5, key_units=7, value_units=9, use_bias=False)
    given.initialize()
    assert given.v_proj.weight.data().shape == (16, 9)
    assert net(np.ones((3, 5)), np.ones((4, 7))).shape == (3, 6), "without a batch"


@pytest.mark.parametrize(
    "kind",
    [
        "user's mask",
        *(
            pytest.param(one, marks=pytest.mark.long)
            for one in ("none", "causal", "lengths", "lengths, causal", "weights")
        ),
    ],
)
def test_one_program_for_all_lengths(kind):
    """Batches and lengths are symbols; so are the sizes of a mask that the user writes with arange."""
    net = _Masked(kind)
    net.initialize()
    net(np.ones((2, 3, 8)), np.array([1, 2]))
    plain = _Masked(kind)
    plain.share_parameters(net.collect_params())
    net.hybridize()
    random = numpy.random.default_rng(3)
    for batch, time in random.integers(1, 24, (60, 2)):
        x, lengths = np.array(drawn(int(batch), int(time), 8)), np.array(random.integers(0, time + 1, batch))
        numpy.testing.assert_allclose(net(x, lengths).asnumpy(), plain(x, lengths).asnumpy(), rtol=1e-4, atol=1e-5)
    assert net.cache_info().programs <= 4
    assert net.program(x, lengths).fallbacks == ()


class _Masked(nn.HybridBlock):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.attention = nn.MultiHeadAttention(8, 2, num_kv_heads=1)

    def forward(self, x, lengths):
        if self.kind == "user's mask":
            time = np.arange(x.shape[1])
            return self.attention(x, mask=time[:, None] >= time)
        found = self.attention(
            x,
            valid_length=lengths if "lengths" in self.kind else None,
            is_causal="causal" in self.kind,
            need_weights=self.kind == "weights",
        )
        return found[1] if self.kind == "weights" else found


@MODES
def test_dot_products_alone(compiled):
    """Its weights are asked for; the layout is the layer's."""
    q, k, v = np.array(drawn(2, 5, 3, 8)), np.array(drawn(2, 6, 3, 8, seed=1)), np.array(drawn(2, 6, 3, 4, seed=2))
    net = nn.DotProductAttention(layout="BTHD", scale=0.5)
    if compiled:
        net.hybridize()
    found, weights = net(q, k, v, None, np.array([6, 2]), need_weights=True)
    wanted = npx.scaled_dot_product_attention(
        *(np.swapaxes(x, 1, 2) for x in (q, k, v)), scale=0.5, valid_length=np.array([6, 2])
    )
    numpy.testing.assert_allclose(found.asnumpy(), wanted.asnumpy().swapaxes(1, 2), rtol=1e-5, atol=1e-6)
    assert weights.shape == (2, 3, 5, 6)
    assert not weights.asnumpy()[1, :, :, 2:].any()


@MODES
def test_dropout_of_weights(compiled):
    net = nn.MultiHeadAttention(8, 2, dropout=0.5)
    net.initialize()
    x = np.array(drawn(4, 6, 8))
    quiet = net(x).asnumpy()
    if compiled:
        net.hybridize()
    numpy.testing.assert_allclose(net(x).asnumpy(), quiet, rtol=1e-5, atol=1e-6)
    with autograd.record():
        once, again = net(x).asnumpy(), net(x).asnumpy()
    assert (once != again).any()
    assert (once != quiet).any()


@pytest.mark.parametrize(
    ("make", "error", "code"),
    [
        (lambda: nn.MultiHeadAttention(10, 4), ShapeError, "E192"),
        (lambda: nn.MultiHeadAttention(16, 4, num_kv_heads=3), ShapeError, "E192"),
        (lambda: nn.MultiHeadAttention(16, 0), ArgumentError, "E331"),
        (lambda: nn.MultiHeadAttention(16.0, 4), ArgumentError, "E331"),
        (lambda: nn.MultiHeadAttention(16, 4, dropout=2), ArgumentError, "E331"),
        (lambda: nn.DotProductAttention(dropout=-1), ArgumentError, "E331"),
        (lambda: nn.DotProductAttention(layout="TBHD"), ArgumentError, "E331"),
    ],
)
def test_bad_layers(make, error, code):
    with refusal(error, code):
        make()


@MODES
def test_bad_calls(compiled):
    net = nn.MultiHeadAttention(8, 2)
    net.initialize()
    x = np.ones((2, 5, 8))
    net(x)
    if compiled:
        net.hybridize()
    with pytest.raises(OutOfBoundsError, match="E110"):
        net(x, valid_length=np.array([6, 1]))
    with pytest.raises(ShapeError, match="E191"):
        net(x, mask=np.ones((5, 4), dtype=bool))
    with pytest.raises(ShapeError, match="E190"):
        net(x, np.ones((3, 5, 8)))
    with pytest.raises(ShapeError, match="E190"):
        net(np.ones(8))
