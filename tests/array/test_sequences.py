"""Sequences of several lengths, masks, positions, gates: against PyTorch or NumPy, in both modes; bad arguments."""

import re

import numpy
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize import hybridize, nd, np, npx
from hybridize.errors import ArgumentError, DTypeError, OutOfBoundsError, ShapeError, ValueArgumentError
from tests.array.beside_torch import of_torch, same, with_gradients

MODES = pytest.mark.parametrize("compiled", [False, True], ids=["imperatively", "hybridized"])


def drawn(*shape, seed=0, dtype="f4"):
    return numpy.random.default_rng((seed, *shape)).normal(size=shape).astype(dtype)


def run(function, compiled, *xs):
    return (hybridize(function) if compiled else function)(*(np.array(x, dtype=x.dtype) for x in xs)).asnumpy()


def words_of(error):
    """Code, words and remedy, without the user's line, which may hold what a test looks for."""
    return f"{error.code} {error.what} {error.help}"


# ------------------------------------------------------------------------------------------------------------ lengths


def masked(x, lengths, value, axis):
    steps = numpy.arange(x.shape[axis])
    seen = steps[:, None] < lengths if axis == 0 else steps < lengths[:, None]
    return numpy.where(seen.reshape(seen.shape + (1,) * (x.ndim - 2)), x, value).astype(x.dtype)


def turned(x, lengths, axis):
    y = numpy.moveaxis(x.copy(), axis, 0)
    for k, n in enumerate(lengths):
        y[:n, k] = y[:n, k][::-1]
    return numpy.moveaxis(y, 0, axis)


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 8), st.integers(1, 6), st.sampled_from([0, 1]), st.sampled_from([(), (3,), (2, 2)]), st.data())
def test_lengths(steps, batch, axis, rest, data):
    """Of any shape, along either axis; programs serve all sizes and lengths."""
    x = drawn(*((steps, batch) if axis == 0 else (batch, steps)), *rest)
    some = numpy.array(data.draw(st.lists(st.integers(0, steps), min_size=batch, max_size=batch)))
    ends = numpy.maximum(some, 1)
    last = numpy.moveaxis(x, axis, 0)[ends - 1, numpy.arange(batch)]
    wanted = masked(x, some, -1.5, axis), last, turned(x, some, axis)
    for functions in (_LENGTHS[axis], _COMPILED[axis]):
        found = functions[0](np.array(x), np.array(some)), functions[1](np.array(x), np.array(ends))
        found += (functions[2](np.array(x), np.array(some)),)
        for ours, theirs in zip(found, wanted, strict=True):
            assert (ours.asnumpy() == theirs).all()


_LENGTHS = [
    (
        lambda x, n, axis=axis: npx.sequence_mask(x, n, True, -1.5, axis),
        lambda x, n, axis=axis: npx.sequence_last(x, n, axis=axis),
        lambda x, n, axis=axis: npx.sequence_reverse(x, n, axis=axis),
    )
    for axis in (0, 1)
]
_COMPILED = [tuple(hybridize(function) for function in functions) for functions in _LENGTHS]


@MODES
def test_without_lengths(compiled):
    x = drawn(4, 3, 2)
    assert (run(lambda x: npx.sequence_mask(x), compiled, x) == x).all()
    assert (run(lambda x: npx.sequence_last(x, axis=1), compiled, x) == x[:, -1]).all()
    assert (run(lambda x: npx.sequence_reverse(x), compiled, x) == x[::-1]).all()
    lengths = np.array([9, 0, 1])
    assert (run(lambda x: npx.sequence_mask(x, lengths, False), compiled, x) == x).all()
    assert run(lambda x: nd.SequenceMask(x, lengths), compiled, x)[:, 0].all(), "beyond the end nothing is masked"
    assert (run(lambda x: nd.SequenceReverse(x, np.array([2, 1, 4])), compiled, x) == turned(x, [2, 1, 4], 0)).all()
    assert (
        run(lambda x: npx.sequence_mask(x, lengths, value=7), compiled, x.astype("i4"))
        == masked(x.astype("i4"), numpy.array([9, 0, 1]), 7, 0)
    ).all()


@pytest.mark.parametrize(
    ("function", "error", "code"),
    [
        (lambda x: npx.sequence_mask(x, np.array([1, -1, 2])), OutOfBoundsError, "E110.*not negative"),
        (lambda x: npx.sequence_last(x, np.array([1, 0, 2])), OutOfBoundsError, "E110.*from 1 to 4"),
        (lambda x: npx.sequence_last(x, np.array([1, 5, 2])), OutOfBoundsError, "E110"),
        (lambda x: npx.sequence_reverse(x, np.array([1, 5, 2])), OutOfBoundsError, "E110.*from 0 to 4"),
        (lambda x: npx.softmax(x[0], length=np.array([1, 2, 3])), OutOfBoundsError, "E110.*from 0 to 2"),
        (lambda x: npx.log_softmax(x[0], length=np.array([1, -1, 2])), OutOfBoundsError, "E110"),
        (lambda x: npx.softmax(x[0], length=np.array([1, numpy.nan, 2])), OutOfBoundsError, "E110"),
        (
            lambda x: npx.softmax(x, length=np.array([1, 2])),
            ShapeError,
            r"E194.*one for each row: \[4, 3\]",
        ),
        (lambda x: npx.log_softmax(x, length=np.array([[1, 2, 1]] * 4), axis=1), ShapeError, r"E194.*\[4, 2\]"),
        (lambda x: npx.softmax(x, length=2), ShapeError, "E194"),
        (lambda x: npx.sequence_mask(x, np.array([1, 2])), ShapeError, "E194"),
        (lambda x: npx.sequence_mask(x, np.array([1, 2, 3]), axis=2), ShapeError, "E194"),
        (lambda x: npx.sequence_last(x[0, 0], np.array([1])), ShapeError, "E194"),
        (lambda x: npx.sequence_reverse(x, use_sequence_length=True), ArgumentError, "E302"),
    ],
)
@MODES
def test_bad_lengths(function, error, code, compiled):
    with pytest.raises(error) as caught:
        run(function, compiled, drawn(4, 3, 2))
    assert re.match(code, words_of(caught.value))


# ----------------------------------------------------------------------------------------------------- masked softmax


@MODES
@pytest.mark.parametrize("shape", [(2, 3, 5), (1, 3, 5), (3, 1), (5,)])
def test_masked_softmax(shape, compiled):
    """0 where a row has nothing left; the gradients are 0 there."""
    x = drawn(2, 3, 5)
    mask = numpy.random.default_rng(1).random(shape) > 0.4
    if mask.ndim > 1:
        mask[..., 0, :] = False

    def theirs(x):
        hidden = torch.tensor(~mask)
        return torch.softmax((x / 2).masked_fill(hidden, -1e30), -1).masked_fill(hidden, 0)

    def ours(x):
        return npx.masked_softmax(x, np.array(mask), temperature=2.0)

    same(with_gradients(hybridize(ours) if compiled else ours, [x]), of_torch(theirs, [x]))
    logs = run(lambda x: npx.masked_log_softmax(x, np.array(mask), temperature=2.0), compiled, x)
    with numpy.errstate(divide="ignore"):
        wanted = numpy.log(theirs(torch.tensor(x)).numpy())
    some = numpy.broadcast_to(mask, x.shape)
    numpy.testing.assert_allclose(logs[some], wanted[some], rtol=1e-5, atol=1e-6)
    assert (logs[~some] == -numpy.inf).all()


@MODES
def test_logarithms_of_scores_of_any_size(compiled):
    """A hidden score is less than any other one, whatever these are; a row without scores has no gradient."""
    mask = numpy.array([[True, False, True, True], [False] * 4, [False, False, True, False]])

    def theirs(x):
        logs = torch.log_softmax(x.masked_fill(torch.tensor(~mask), -torch.inf), -1)
        return torch.where(torch.tensor(mask), logs, 0)

    def ours(x):
        return np.where(np.array(mask), npx.masked_log_softmax(x, np.array(mask)), 0)

    for size in (1.0, 1e20):
        x = drawn(2, 3, 4, dtype="f8") * size - 2 * size
        found, slopes = with_gradients(hybridize(ours) if compiled else ours, [x])
        expected, gradients = of_torch(theirs, [x])
        numpy.testing.assert_allclose(found[0], expected[0], rtol=1e-10)
        numpy.testing.assert_allclose(slopes[0], numpy.nan_to_num(gradients[0]), rtol=1e-8, atol=1e-12)


@MODES
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_softmaxes_of_a_part_keep_the_dtype(dtype, compiled):
    lengths, mask = np.array([1, 0, 3]), np.array([[True, False, True, True]] * 2 + [[False] * 4])
    for function in (
        lambda x: npx.softmax(x, length=lengths),
        lambda x: npx.log_softmax(x, length=lengths),
        lambda x: npx.masked_softmax(x, mask),
        lambda x: npx.masked_log_softmax(x, mask),
    ):
        assert run(function, compiled, drawn(3, 4, dtype=dtype)).dtype == dtype


@MODES
def test_masks_that_do_not_fit(compiled):
    for function in (npx.masked_softmax, npx.masked_log_softmax):
        with pytest.raises(ShapeError, match="E191"):
            run(lambda x, function=function: function(x, np.ones((2, 4))), compiled, drawn(2, 5))


# ---------------------------------------------------------------------------------------------------------- positions


def rotated(x, positions, pairing, base=10000.0):
    """As complex numbers; x is [..., time, size]."""
    x = torch.as_tensor(x)
    size = x.shape[-1]
    angles = torch.as_tensor(positions, dtype=torch.float64)[..., None] * base ** (
        -torch.arange(0, size, 2, dtype=torch.float64) / size
    )
    pairs = (x[..., 0::2], x[..., 1::2]) if pairing == "neighbours" else (x[..., : size // 2], x[..., size // 2 :])
    turned = torch.complex(*(part.double() for part in pairs)) * torch.polar(torch.ones_like(angles), angles)
    if pairing == "neighbours":
        return torch.view_as_real(turned).flatten(-2).to(x.dtype)
    return torch.cat([turned.real, turned.imag], -1).to(x.dtype)


@MODES
@pytest.mark.parametrize("pairing", ["halves", "neighbours"])
@pytest.mark.parametrize("layout", ["BHTD", "BTHD"])
def test_rotations(layout, pairing, compiled):
    x = drawn(2, 3, 7, 8)

    def ours(x):
        x = x if layout == "BHTD" else np.swapaxes(x, 1, 2)
        y = npx.rotary_embedding(x, pairing=pairing, layout=layout)
        return y if layout == "BHTD" else np.swapaxes(y, 1, 2)

    wanted = of_torch(lambda x: rotated(x, torch.arange(7), pairing), [x])
    same(with_gradients(hybridize(ours) if compiled else ours, [x]), wanted, 1e-4, 1e-5)


@MODES
def test_rotations_at_places_and_of_a_part(compiled):
    x = drawn(2, 3, 5, 8)
    places = numpy.array([[3, 4, 5, 6, 7], [0, 2, 4, 6, 90]])
    found = run(lambda x: npx.rotary_embedding(x, np.array(places), base=100.0, rotary_size=4), compiled, x)
    wanted = rotated(x[..., :4], places[:, None], "halves", 100.0)
    numpy.testing.assert_allclose(found[..., :4], wanted, rtol=1e-4, atol=1e-5)
    assert (found[..., 4:] == x[..., 4:]).all()
    line = run(lambda x: npx.rotary_embedding(x, np.arange(3, 8)), compiled, x)
    numpy.testing.assert_allclose(line, rotated(x, torch.arange(3, 8), "halves"), rtol=1e-4, atol=1e-5)


@MODES
def test_products_of_rotated_vectors_depend_on_distances(compiled):
    """Of the same query and key at any places."""
    q, k = (numpy.broadcast_to(drawn(1, 8, seed=seed), (40, 8)).copy() for seed in (1, 2))
    found = run(
        lambda q, k: npx.batch_dot(npx.rotary_embedding(q[None]), npx.rotary_embedding(k[None]), transpose_b=True)[0],
        compiled,
        q,
        k,
    )
    for offset in (-7, 0, 3):
        assert numpy.ptp(numpy.diagonal(found, offset)) < 1e-5


@MODES
@pytest.mark.parametrize("units", [1, 6, 7])
def test_sines_of_positions(units, compiled):
    found = run(lambda p: npx.sinusoidal_positions(p, units), compiled, numpy.array([[0, 5, 300], [1, 2, 3]]))
    angles = numpy.array([[0, 5, 300], [1, 2, 3]])[..., None] / 10000 ** (2 * numpy.arange((units + 1) // 2) / units)
    wanted = numpy.stack([numpy.sin(angles), numpy.cos(angles)], -1).reshape(2, 3, -1)[..., :units]
    numpy.testing.assert_allclose(found, wanted, rtol=1e-4, atol=3e-5)


@MODES
def test_numbers_like(compiled):
    x = drawn(3, 4)
    assert run(lambda x: npx.arange_like(x), compiled, x).tolist() == numpy.arange(12).reshape(3, 4).tolist()
    assert run(lambda x: npx.arange_like(x, 1, 0.5, 2, axis=-1), compiled, x).tolist() == [1, 1, 1.5, 1.5]
    assert npx.arange_like(np.array([[3, 1]], dtype="i4"), axis=1).dtype == "int32", "of the array, as in MXNet"
    assert run(lambda x: nd.contrib.arange_like(x, axis=0), compiled, x).tolist() == [0, 1, 2]
    assert run(lambda x: nd.contrib.div_sqrt_dim(x), compiled, x) == pytest.approx(x / 2)


# -------------------------------------------------------------------------------------------------------------- gates


GATES = {
    "sigmoid": torch.sigmoid, "silu": F.silu, "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "relu": F.relu, "linear": lambda x: x,
}  # fmt: skip


@MODES
@pytest.mark.parametrize(
    "kind", [one if one in ("silu", "sigmoid") else pytest.param(one, marks=pytest.mark.long) for one in GATES]
)
def test_gates(kind, compiled):
    x = drawn(3, 8, 2)

    def ours(x):
        return npx.glu(x, 1, kind)

    wanted = of_torch(lambda x: x[:, :4] * GATES[kind](x[:, 4:]), [x])
    same(with_gradients(hybridize(ours) if compiled else ours, [x]), wanted)
    if kind == "sigmoid":
        same(wanted, of_torch(lambda x: F.glu(x, 1), [x]))


@MODES
@pytest.mark.parametrize("axis", [-1, 1, (1, 2)])
def test_root_mean_squares(axis, compiled):
    x = drawn(4, 3, 5)
    axes = axis if isinstance(axis, tuple) else (axis,)
    scale = drawn(*(x.shape[k] for k in axes), seed=1)
    ones = [x.shape[k] if k in [a % 3 for a in axes] else 1 for k in range(3)]

    def ours(x, scale):
        return npx.rms_norm(x, scale, axis, 1e-3) + npx.rms_norm(x, axis=axis)

    def theirs(x, scale):
        square = (x * x).mean(axes, keepdim=True)
        return x * torch.rsqrt(square + 1e-3) * scale.reshape(ones) + x * torch.rsqrt(square + 1e-5)

    same(with_gradients(hybridize(ours) if compiled else ours, [x, scale]), of_torch(theirs, [x, scale]), 1e-4, 1e-5)


@pytest.mark.parametrize(
    ("function", "error", "code"),
    [
        (lambda x: npx.glu(x[:, :5]), ShapeError, "E198"),
        (lambda x: npx.glu(x, 0, "swish_of_something"), ArgumentError, "E342"),
        (lambda x: npx.rms_norm(x, np.ones(4)), ShapeError, "E164"),
        (lambda x: npx.rotary_embedding(x[:, :5]), ShapeError, "E197"),
        (lambda x: npx.rotary_embedding(x, rotary_size=10), ShapeError, "E197"),
        (lambda x: npx.rotary_embedding(x, np.arange(3)), ShapeError, "E197"),
        (lambda x: npx.rotary_embedding(x[0]), ShapeError, "E197"),
        (lambda x: npx.rotary_embedding(x, pairing="pairs"), ValueArgumentError, "E345"),
        (
            lambda x: npx.rotary_embedding(x, np.arange(3, dtype="int16")),
            ShapeError,
            r"E197.*f32\[4,8\] at places i16\[3\]",
        ),
        (lambda x: npx.sinusoidal_positions(x, 2.5), ArgumentError, "E308"),
        (lambda x: npx.sinusoidal_positions(x, 4, dtype="int32"), DTypeError, "E221"),
        (lambda x: npx.arange_like(x, repeat=0), ArgumentError, "E309"),
    ],
)
@MODES
def test_bad_arguments(function, error, code, compiled):
    with pytest.raises(error) as caught:
        run(function, compiled, drawn(4, 8))
    assert re.match(code, words_of(caught.value))


# -------------------------------------------------------------------------------------------------- MXNet's attention


@MODES
def test_interleaved(compiled):
    """By the definition: a query, a key and a value of each head beside each other."""
    heads, size, time, batch = 3, 4, 5, 2
    x, kv, q = drawn(time, batch, heads * 3 * size), drawn(7, batch, heads * 2 * size), drawn(time, batch, heads * size)

    def apart(x, parts):
        x = x.reshape(x.shape[0], batch, heads, parts, size)
        return [x[:, :, :, k].permute(1, 2, 0, 3).reshape(batch * heads, -1, size) for k in range(parts)]

    def joined(y):
        return y.reshape(batch, heads, time, size).permute(2, 0, 1, 3).reshape(time, batch, -1)

    def own(x):
        weights = npx.softmax(npx.interleaved_matmul_selfatt_qk(x, heads))
        return npx.interleaved_matmul_selfatt_valatt(x, weights, heads)

    def their(x):
        query, key, value = apart(x, 3)
        return joined(torch.softmax(query @ key.mT / size**0.5, -1) @ value)

    same(with_gradients(hybridize(own) if compiled else own, [x]), of_torch(their, [x]))

    def cross(q, kv):
        weights = npx.softmax(nd.contrib.interleaved_matmul_encdec_qk(q, kv, heads))
        return nd.contrib.interleaved_matmul_encdec_valatt(kv, weights, heads)

    def their_cross(q, kv):
        (query,), (key, value) = apart(q, 1), apart(kv, 2)
        return joined(torch.softmax(query @ key.mT / size**0.5, -1) @ value)

    same(with_gradients(hybridize(cross) if compiled else cross, [q, kv]), of_torch(their_cross, [q, kv]))


@MODES
@pytest.mark.parametrize("symmetric", [True, False])
def test_sliding_windows(symmetric, compiled):
    """By the definition, place by place."""
    batch, time, heads, size, w = 2, 7, 2, 3, 2
    q, k, v = (drawn(batch, time, heads, size, seed=seed) for seed in range(3))
    steps, lengths = numpy.array([1, 2]), numpy.array([7, 4])
    window = 2 * w + 1 if symmetric else w + 1
    places = numpy.arange(time)[:, None, None] + steps[:, None] * (numpy.arange(window) - w)  # time, heads, window
    inside = torch.tensor((places >= 0) & (places < time))
    near = torch.tensor(places.clip(0, time - 1))

    def seen(x):
        found = torch.stack([x[:, near[:, h], h] for h in range(heads)], 2)  # batch, time, heads, window, size
        return torch.where(inside[..., None], found, 0)

    def ours(q, k, v):
        score = npx.sldwin_atten_score(q, k, np.array(steps), w, symmetric)
        return npx.sldwin_atten_context(score, v, np.array(steps), w, symmetric)

    def theirs(q, k, v):
        score = (q[:, :, :, None] * seen(k)).sum(-1)
        return (score[..., None] * seen(v)).sum(3)

    same(with_gradients(hybridize(ours) if compiled else ours, [q, k, v]), of_torch(theirs, [q, k, v]))
    score = drawn(batch, time, heads, window)
    mask = run(
        lambda s: npx.sldwin_atten_mask_like(s, np.array(steps), np.array(lengths), w, symmetric), compiled, score
    )
    rows = numpy.arange(time)[:, None, None] < lengths[:, None, None, None]
    within = (places >= 0) & (places < lengths[:, None, None, None])
    assert (mask == (rows & within)).all()


@MODES
@pytest.mark.parametrize("step", [0, -1, 1 << 40, numpy.nan])
def test_dilations_are_distances(step, compiled):
    x, score, steps = drawn(2, 5, 3, 4), drawn(2, 5, 3, 3), np.array([1, step, 1])
    for function, args in (
        (lambda q, s: npx.sldwin_atten_score(q, q, s, 1), (x,)),
        (lambda a, v, s: npx.sldwin_atten_context(a, v, s, 1), (score, x)),
        (lambda a, s: npx.sldwin_atten_mask_like(a, s, np.array([5, 2]), 1), (score,)),
    ):
        with pytest.raises(OutOfBoundsError) as caught:
            (hybridize(function) if compiled else function)(*map(np.array, args), steps)
        assert re.match("E110.*dilation.*from 1 to", words_of(caught.value))


@MODES
def test_lengths_of_windows(compiled):
    score = drawn(2, 5, 3, 3)
    for lengths in ([-1, 5], [0, 6], [numpy.nan, 1]):
        with pytest.raises(OutOfBoundsError, match="E110"):
            run(
                lambda s, n=lengths: npx.sldwin_atten_mask_like(s, np.array([1, 1, 2]), np.array(n), 1), compiled, score
            )
    none = run(lambda s: npx.sldwin_atten_mask_like(s, np.array([1, 1, 2]), np.array([0, 5]), 1), compiled, score)
    assert not none[0].any() and none[1].any()


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (lambda x: npx.interleaved_matmul_selfatt_qk(x, 5), "E195"),
        (lambda x: npx.interleaved_matmul_selfatt_valatt(x, x[:, :, :4], 2), "E195"),
        (lambda x: npx.interleaved_matmul_encdec_qk(x, x, 2), "E195"),
        (lambda x: npx.interleaved_matmul_encdec_valatt(x, x, 2), "E195"),
        (lambda x: npx.sldwin_atten_score(x, x, np.array([1]), 2), "E196"),
        (lambda x: npx.sldwin_atten_score(x[None], x[None], np.array([1]), 2), "E196"),
        (lambda x: npx.sldwin_atten_context(x[None], x[None], np.array([1, 1, 1]), 2), "E196"),
        (lambda x: npx.sldwin_atten_mask_like(x[None, :, :, :5], np.array([1, 1, 1]), np.array([4, 4]), 2), "E196"),
    ],
)
@MODES
def test_operands_that_do_not_fit(function, code, compiled):
    with pytest.raises(ShapeError) as caught:
        run(function, compiled, drawn(4, 3, 12))
    assert caught.value.code == code
