"""Attention against PyTorch's, forward and gradients, imperatively and hybridized; masks, lengths, and bad arguments."""

import traceback

import numpy
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize import autograd, grad, hybridize, nd, np, npx
from hybridize.errors import ArgumentError, DTypeError, OutOfBoundsError, ShapeError, ValueArgumentError
from tests.array.beside_torch import of_torch, same, with_gradients
from tests.refusals import refusal

MODES = pytest.mark.parametrize("compiled", [False, True], ids=["imperatively", "hybridized"])
Q, K, V = (2, 4, 5, 8), (2, 4, 7, 8), (2, 4, 7, 6)


def drawn(*shape, seed=0, dtype="f4"):
    return numpy.random.default_rng((seed, *shape)).normal(size=shape).astype(dtype)


def operands(*shapes, dtype="f4"):
    return [drawn(*shape, seed=k, dtype=dtype) for k, shape in enumerate(shapes)]


def mask_of(kind, shape=(2, 1, 5, 7)):
    seen = numpy.random.default_rng(5).random(shape) > 0.4
    seen[..., 2, :] = False  # a row that sees nothing
    return seen if kind == "bool" else numpy.where(seen, drawn(*shape, seed=9), -numpy.inf).astype("f4")


OPTIONS = {
    "plain": (Q, K, V, {}),
    "causal": (Q, (2, 4, 5, 8), (2, 4, 5, 6), {"is_causal": True}),
    "causal, more keys": (Q, K, V, {"is_causal": True}),
    "causal, fewer keys": ((2, 4, 9, 8), K, V, {"is_causal": True}),
    "scale": (Q, K, V, {"scale": 0.7}),
    "bool": (Q, K, V, {"attn_mask": mask_of("bool")}),
    "additive": (Q, K, V, {"attn_mask": mask_of("additive")}),
    "mask of all rows": (Q, K, V, {"attn_mask": mask_of("bool", (5, 7))}),
    "grouped": (Q, (2, 2, 7, 8), (2, 2, 7, 6), {"enable_gqa": True}),
    "one head of keys": (Q, (2, 1, 7, 8), (2, 1, 7, 6), {"enable_gqa": True, "attn_mask": mask_of("additive", (2, 4, 5, 7))}),
    "batch alone": (Q[1:], K[1:], V[1:], {"is_causal": True}),
    "no batch": (Q[2:], K[2:], V[2:], {}),
    "more axes": ((2, 2, 3, 5, 8), (2, 2, 3, 7, 8), (2, 2, 3, 7, 6), {"attn_mask": mask_of("bool", (3, 5, 7))}),
    "one key": (Q, (2, 4, 1, 8), (2, 4, 1, 6), {}),
}  # fmt: skip


SHORT = {"causal, more keys", "bool", "additive", "grouped"}


@MODES
@pytest.mark.parametrize(
    "option", [one if one in SHORT else pytest.param(one, marks=pytest.mark.long) for one in OPTIONS]
)
def test_as_pytorch(option, compiled):
    *shapes, keywords = OPTIONS[option]
    xs = operands(*shapes)

    def ours(*xs):
        return npx.scaled_dot_product_attention(*xs, **keywords)

    tensors = {key: torch.tensor(x) if isinstance(x, numpy.ndarray) else x for key, x in keywords.items()}
    wanted = of_torch(lambda *xs: F.scaled_dot_product_attention(*xs, **tensors), xs)
    same(with_gradients(hybridize(ours) if compiled else ours, xs), wanted)


@MODES
@pytest.mark.parametrize("by_query", [False, True])
def test_lengths_are_masks(compiled, by_query):
    xs = operands(Q, K, V)
    lengths = numpy.array([[0, 7, 3, 1, 5], [7, 2, 0, 6, 4]] if by_query else [3, 0])
    seen = numpy.arange(7) < lengths.reshape(2, 1, -1, 1)

    def ours(*xs):
        return npx.scaled_dot_product_attention(*xs, valid_length=np.array(lengths), is_causal=True)

    mask = torch.tensor(seen & numpy.tri(5, 7, dtype=bool))
    wanted = of_torch(lambda *xs: F.scaled_dot_product_attention(*xs, attn_mask=mask), xs)
    found = with_gradients(hybridize(ours) if compiled else ours, xs)
    same(found, wanted)
    assert not found[0][~mask.numpy().any(-1).repeat(4, 1)].any(), "0 where nothing is seen"


@MODES
def test_time_before_heads(compiled):
    """The same numbers where the heads stand after time, without a copy of an operand."""
    xs = operands(Q, (2, 2, 7, 8), (2, 2, 7, 6))
    turned = [x.swapaxes(1, 2) for x in xs]
    mask = mask_of("bool")

    def ours(*xs):
        return npx.scaled_dot_product_attention(*xs, np.array(mask), layout="BTHD")

    wanted = with_gradients(lambda *xs: npx.scaled_dot_product_attention(*xs, np.array(mask)), xs)
    found = with_gradients(hybridize(ours) if compiled else ours, turned)
    mean = found[0].swapaxes(1, 2)
    numpy.testing.assert_allclose(mean, wanted[0], rtol=2e-5, atol=2e-6)


@MODES
def test_weights(compiled):
    xs = operands(Q, K, V)

    def ours(*xs):
        return npx.scaled_dot_product_attention(*xs, is_causal=True, need_weights=True)

    means, weights = (hybridize(ours) if compiled else ours)(*map(np.array, xs))
    scores = torch.tensor(xs[0] @ xs[1].swapaxes(2, 3)) / 8**0.5
    wanted = torch.softmax(scores.masked_fill(torch.tensor(numpy.tri(5, 7) == 0), -numpy.inf), -1).numpy()
    numpy.testing.assert_allclose(weights.asnumpy(), wanted, rtol=1e-5, atol=1e-7)
    numpy.testing.assert_allclose(means.asnumpy(), weights.asnumpy() @ xs[2], rtol=1e-5, atol=1e-6)


@MODES
def test_second_order(compiled):
    """Gradients of gradients, of rows that see nothing, too."""
    xs = operands((2, 3, 4), (2, 5, 4), (2, 5, 3), dtype="f8")
    mask = mask_of("bool", (2, 3, 5))

    def ours(q, k, v):
        def energy(k):
            y = npx.scaled_dot_product_attention(q, k, v, np.array(mask), valid_length=np.array([4, 5]))
            return (y * y).sum()

        by_k = grad(energy)(k)
        return by_k * by_k

    def theirs(q, k, v):
        seen = torch.tensor(mask & (numpy.arange(5) < numpy.array([4, 5])[:, None, None]))
        scores = (q @ k.mT / 2).masked_fill(~seen, -1e30)
        y = torch.where(seen, torch.softmax(scores, -1), 0) @ v
        (by_k,) = torch.autograd.grad((y * y).sum(), k, create_graph=True)
        return by_k * by_k

    same(with_gradients(hybridize(ours) if compiled else ours, xs), of_torch(theirs, xs), 1e-9, 1e-12)


@MODES
@pytest.mark.parametrize("dtype", ["f2", "f8"])
def test_other_dtypes(dtype, compiled):
    """Short floats are computed in float32, and rounded once."""
    xs = operands(Q, K, V, dtype=dtype)

    def ours(*xs):
        return npx.scaled_dot_product_attention(*xs, is_causal=True)

    found = with_gradients(hybridize(ours) if compiled else ours, xs)
    wide = of_torch(lambda *xs: F.scaled_dot_product_attention(*xs, is_causal=True), [x.astype("f8") for x in xs])
    assert {x.dtype.str[1:] for x in found} == {dtype}
    same(found, wide, *((2e-3, 2e-3) if dtype == "f2" else (1e-10, 1e-12)))


@MODES
def test_dropout(compiled):
    """The part that is left of the weights is scaled; nothing is dropped outside of training."""
    q, k, v = np.zeros((1, 400, 4)), np.zeros((1, 500, 4)), np.ones((1, 500, 1))

    def ours(q, k, v):
        return npx.scaled_dot_product_attention(q, k, v, dropout_p=0.3)

    function = hybridize(ours) if compiled else ours
    assert numpy.ptp(function(q, k, v).asnumpy()) < 1e-6
    with autograd.train_mode():
        once, again = (function(q, k, v).asnumpy() for _ in range(2))
    assert abs(once.mean() - 1) < 0.01
    assert 0.02 < once.std() < 0.04, "sqrt(0.3 / 0.7 / 500) is 0.029"
    assert (once != again).any()


SIZES = st.integers(1, 9)


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(SIZES, SIZES, SIZES, st.sampled_from([(1, 1), (4, 4), (4, 2), (3, 1)]), st.data())
def test_any_mask_and_lengths(batch, time, keys, heads, data):
    """One program for all sizes, masks and lengths."""
    own, shared = heads
    q, k, v = operands((batch, own, time, 4), (batch, shared, keys, 4), (batch, shared, keys, 3))
    mask = numpy.random.default_rng(data.draw(st.integers(0, 99))).random((batch, 1, time, keys)) > data.draw(
        st.sampled_from([0.0, 0.5, 0.9])
    )
    lengths = numpy.array(data.draw(st.lists(st.integers(0, keys), min_size=batch, max_size=batch)))
    arguments = [np.array(x) for x in (q, k, v, mask, lengths)]
    seen = mask & (numpy.arange(keys) < lengths[:, None, None, None])
    scores = numpy.where(seen, q @ k.repeat(own // shared, 1).swapaxes(2, 3) / 2, -numpy.inf)
    powers = numpy.exp(scores - numpy.maximum(scores.max(-1, keepdims=True), -1e30))
    wanted = powers / numpy.maximum(powers.sum(-1, keepdims=True), 1e-30) @ v.repeat(own // shared, 1)
    for function in (_masked, _PROGRAMS):
        numpy.testing.assert_allclose(function(*arguments).asnumpy(), wanted, rtol=1e-4, atol=1e-5)


def _masked(q, k, v, mask, lengths):
    return npx.scaled_dot_product_attention(q, k, v, mask, valid_length=lengths)


_PROGRAMS = hybridize(_masked)


def test_weights_that_are_one_number():
    """The compiler keeps no array of them, and the product has an operand without axes."""
    value = drawn(5, 2, 3, 6)
    mean = hybridize(lambda v: np.einsum("bhts,sbhd->tbhd", np.full((2, 3, 4, 5), 0.5), v))
    numpy.testing.assert_allclose(
        mean(np.array(value)).asnumpy(), numpy.broadcast_to(value.sum(0) / 2, (4, 2, 3, 6)), rtol=1e-5, atol=1e-6
    )


def test_faces_of_f():
    q, k, v = map(np.array, operands(Q, K, V))
    found = nd.scaled_dot_product_attention(q, k, v, is_causal=True)
    assert (found.asnumpy() == npx.scaled_dot_product_attention(q, k, v, is_causal=True).asnumpy()).all()


BAD = {
    "size": (lambda q, k, v: npx.scaled_dot_product_attention(q, k[..., :3], v), ShapeError, "E190"),
    "values": (lambda q, k, v: npx.scaled_dot_product_attention(q, k, v[:, :, :3]), ShapeError, "E190"),
    "axes": (lambda q, k, v: npx.scaled_dot_product_attention(q, k[0], v[0]), ShapeError, "E190"),
    "one axis": (lambda q, k, v: npx.scaled_dot_product_attention(q[0, 0, 0], k[0, 0, 0], v[0, 0, 0]), ShapeError, "E190"),
    "no heads": (lambda q, k, v: npx.scaled_dot_product_attention(q[0, 0], k[0, 0], v[0, 0], layout="BTHD"), ShapeError, "E190"),
    "mask": (lambda q, k, v: npx.scaled_dot_product_attention(q, k, v, np.ones((5, 6), dtype=bool)), ShapeError, "E191"),
    "larger mask": (lambda q, k, v: npx.scaled_dot_product_attention(q, k, v, np.ones((3, 2, 4, 5, 7))), ShapeError, "E191"),
    "integers": (lambda q, k, v: npx.scaled_dot_product_attention(q, k, v, np.ones((5, 7), dtype=int)), DTypeError, "E241"),
    "heads": (lambda q, k, v: npx.scaled_dot_product_attention(q, k[:, :3], v[:, :3]), ShapeError, "E192"),
    "groups refused": (lambda q, k, v: npx.scaled_dot_product_attention(q, k[:, :2], v[:, :2], enable_gqa=False), ShapeError, "E192"),
    "no groups": (lambda q, k, v: npx.scaled_dot_product_attention(q, k[:, :0], v[:, :0]), ShapeError, "E192"),
    "lengths": (lambda q, k, v: npx.scaled_dot_product_attention(q, k, v, valid_length=np.array([1, 2, 3])), ShapeError, "E193"),
    "too long": (lambda q, k, v: npx.scaled_dot_product_attention(q, k, v, valid_length=np.array([1, 8])), OutOfBoundsError, "E110"),
    "negative": (lambda q, k, v: npx.scaled_dot_product_attention(q, k, v, valid_length=np.array([-1, 7])), OutOfBoundsError, "E110"),
    "probability": (lambda q, k, v: npx.scaled_dot_product_attention(q, k, v, dropout_p=1.5), ArgumentError, "E316"),
    "layout": (lambda q, k, v: npx.scaled_dot_product_attention(q, k, v, layout="HTBD"), ValueArgumentError, "E345"),
}  # fmt: skip


@MODES
@pytest.mark.parametrize("case", BAD)
def test_bad_arguments_are_told_at_the_line(case, compiled):
    function, error, code = BAD[case]
    with refusal(error, code) as caught:
        (hybridize(function) if compiled else function)(*map(np.array, operands(Q, K, V)))
    lines = [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert lines[-1] == __file__


def test_lengths_that_a_program_is_given_are_checked():
    """Nothing is computed of them."""
    q, k, v = map(np.array, operands(Q, K, V))
    function = hybridize(lambda q, k, v, n: npx.scaled_dot_product_attention(q, k, v, valid_length=n))
    assert function(q, k, v, np.array([0, 7])).shape == (2, 4, 5, 6)
    for wrong in ([0, 8], [-1, 3]):
        with pytest.raises(OutOfBoundsError, match=r"E110.*lengths are from 0 to"):
            function(q, k, v, np.array(wrong))
