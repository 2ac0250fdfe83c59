"""Decoders and attention to caches, wrongly called or at their edges: the same error, or value, in both modes."""

import numpy
import pytest

from hybridize import autograd, hybridize, np, npx
from hybridize.errors import ArgumentError, ValueArgumentError
from hybridize.gluon.model_zoo.text import GPT, Llama
from tests.gluon.both_ways import agreed, refused
from tests.refusals import refusal

PLACES, VOCABULARY = 6, 11


def drawn(*shape, seed=0):
    return np.array(numpy.random.default_rng((seed, *shape)).normal(size=shape).astype("f4"))


def tokens(*shape):
    return np.array(numpy.random.default_rng(1).integers(0, VOCABULARY, shape), dtype="int64")


# ------------------------------------------------------------------------------------------------ attention to caches

Q, K, V = drawn(2, 4, 3, 8), drawn(2, 2, 9, 8, seed=1), drawn(2, 2, 9, 8, seed=2)
ONE = Q[:, :, :1]


def by_hand(q, k, v, length, start=None):
    """In float64, a query without places gives 0."""
    q, k, v = (x.asnumpy().astype("f8") for x in (q, k, v))
    k, v = (np.repeat(np.array(x), q.shape[1] // x.shape[1], axis=1).asnumpy() for x in (k, v))
    place, newest = numpy.arange(k.shape[2]), length - q.shape[2] + numpy.arange(q.shape[2])
    seen = numpy.broadcast_to(place <= newest[:, None], (*q.shape[:3], k.shape[2]))
    if start is not None:
        seen = seen & (place >= numpy.array(start)[:, None, None, None])
    powers = numpy.exp(q @ k.swapaxes(2, 3) / 8**0.5) * seen
    sums = powers.sum(-1, keepdims=True)
    return numpy.divide(powers, sums, out=numpy.zeros_like(powers), where=sums > 0) @ v


@pytest.mark.parametrize("length", [0, 1, 2, 9])
@pytest.mark.parametrize("start", [None, [0, 1], [2, 0], [9, -4]])
def test_queries_that_see_no_place_give_zeros(length, start):
    first = None if start is None else np.array(start, dtype="int64")
    for q in (Q, ONE):
        for count in (length, np.array(length, dtype="int64")):
            (found,) = agreed(lambda q, k, v, n: npx.cached_attention(q, k, v, n, first), q, K, V, count)
            numpy.testing.assert_allclose(found, by_hand(q, K, V, length, start), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("compiled", [False, True])
def test_gradients_of_queries_that_see_no_place_are_zeros(compiled):
    def attend(q, k, v):
        return npx.cached_attention(q, k, v, 2, np.array([0, 1], dtype="int64"))

    xs = [x.copy() for x in (Q, K, V)]
    for x in xs:
        x.attach_grad()
    with autograd.record():
        y = (hybridize(attend) if compiled else attend)(*xs)
    y.backward()
    assert not xs[0].grad[:, :, 0].asnumpy().any(), "the first query comes before all places"
    for x in xs:
        assert numpy.isfinite(x.grad.asnumpy()).all()
    assert xs[0].grad[0, :, 2].asnumpy().any() and xs[2].grad[:, :, 1].asnumpy().any()


def test_caches_of_other_floats():
    expected = by_hand(ONE, K, V, 5)
    for kinds in (("float64", "float32"), ("float32", "float64"), ("float32", "float16"), ("int32", "float32")):
        q = np.ones((2, 4, 1, 8)) if kinds[0] == "int32" else ONE
        wanted = by_hand(q, K, V, 5) if kinds[0] == "int32" else expected
        (found,) = agreed(
            lambda q, k, v: npx.cached_attention(q, k, v, 5), q.astype(kinds[0]), K.astype(kinds[1]), V.astype(kinds[1])
        )
        numpy.testing.assert_allclose(found, wanted, rtol=3e-3 if "float16" in kinds else 1e-5, atol=1e-3)
        assert found.dtype == (numpy.float64 if "float64" in kinds else numpy.float32)


def test_attention_of_nothing():
    for q, k, n in (
        (Q[:0], K[:0], 3), (Q[:, :, :0], K, 3), (Q, K[:, :, :0], 0), (Q[..., :0], K[..., :0], 3),
    ):  # fmt: skip
        (found,) = agreed(lambda q, k, n=n: npx.cached_attention(q, k, k, n), q, k)
        assert found.shape == q.shape and not found.any()


@pytest.mark.parametrize(
    ("call", "code", "words"),
    [
        (lambda q, k: npx.cached_attention(q, k, k, np.array([1, 2])), "E134", "the length is"),
        (lambda q, k: npx.cached_attention(q, k, k, np.array([3])), "E134", "the length is"),
        (lambda q, k: npx.cached_attention(q, k, k, -1), "E110", "length"),
        (lambda q, k: npx.cached_attention(q, k, k, 10), "E110", "length"),
        (lambda q, k: npx.cached_attention(q, k, k, np.array(numpy.nan)), "E110", "length"),
        (lambda q, k: npx.cached_attention(q, k, k, None), "E307", "NoneType"),
        (lambda q, k: npx.cached_attention(q, k, k, 4, np.array([0, 1, 2])), "E134", "start"),
        (lambda q, k: npx.cached_attention(q, k, k, 4, np.array(1)), "E134", "start"),
        (lambda q, k: npx.cached_attention(q, k[:, :0], k[:, :0], 4), "E134", "0 groups"),
        (lambda q, k: npx.cached_attention(q[:, :3], k, k, 4), "E134", "2 groups"),
        (lambda q, k: npx.cached_attention(q[0], k, k, 4), "E134", "f32[4,3,8]"),
        (lambda q, k: npx.cached_attention(q[:1], k, k, 4), "E134", "f32[1,4,3,8]"),
        (lambda q, k: npx.cached_attention(q, k, k[:, :, :4], 4), "E134", "values"),
    ],
)
def test_what_attention_to_caches_refuses(call, code, words):
    refused(__file__, code, words, call, Q, K)


def test_a_length_of_the_call_is_checked_as_a_known_one():
    for length, code in ((np.array(10), "E110"), (10, "E110"), (-1, "E110"), (np.array([1, 2]), "E134")):
        refused(__file__, code, "length", lambda q, k, n: npx.cached_attention(q, k, k, n), Q, K, length)


# ----------------------------------------------------------------------------------------------------------- decoders


@pytest.fixture(scope="module", params=[pytest.param(GPT, marks=pytest.mark.long), Llama])
def net(request):
    made = request.param(VOCABULARY, 16, 2, 2, max_length=PLACES)
    made.initialize()
    return made


def test_no_rows_and_no_places(net):
    for call, x, shape in (
        (lambda t: net(t), tokens(0, 4), (0, 4, VOCABULARY)),
        (lambda t: net(t), tokens(2, 0), (2, 0, VOCABULARY)),
        (lambda t: net.prefill(t, net.begin_cache(0)), tokens(0, 4), (0, VOCABULARY)),
        (lambda t: net.step(t, 2, net.begin_cache(0)), tokens(0), (0, VOCABULARY)),
    ):
        (found,) = agreed(call, x)
        assert found.shape == shape


WRONG_TOKENS = [
    (lambda net, t: net(t), (3,), "E134", "prompts are i64[3]"),
    (lambda net, t: net(t), (1, PLACES + 1), "E134", "7 tokens for 6 places"),
    (lambda net, t: net.prefill(t, net.begin_cache(2)), (2,), "E134", "prompts are i64[2]"),
    (lambda net, t: net.prefill(t, net.begin_cache(2)), (2, 0), "E134", "prompts are i64[2,0]"),
    (lambda net, t: net.prefill(t, net.begin_cache(1)), (1, PLACES + 1), "E134", "for 6 places"),
    (lambda net, t: net.step(t, 1, net.begin_cache(2)), (2, 1), "E134", "a step takes tokens"),
    (lambda net, t: net.step(t, 1, net.begin_cache(1)), (), "E134", "a step takes tokens"),
]


def test_tokens_of_other_axes(net):
    for call, shape, code, words in WRONG_TOKENS:
        refused(__file__, code, words, lambda t, call=call: call(net, t), tokens(*shape))


def test_tokens_that_there_are_not(net):
    for wrong in (VOCABULARY, numpy.nan):
        row = np.array([wrong, 0])
        for call in (
            lambda t: net(np.expand_dims(t, 0)),
            lambda t: net.prefill(np.expand_dims(t, 0), net.begin_cache(1)),
            lambda t: net.step(t, 1, net.begin_cache(2)),
        ):
            refused(__file__, "E110", "embedding", call, row)


def test_caches_that_do_not_fit(net):
    for rows, given in ((1, 3), (3, 1), (2, 3), (2, 0)):
        refused(__file__, "E134", "a cache", lambda t, n=given: net.prefill(t, net.begin_cache(n)), tokens(rows, 4))
        refused(__file__, "E134", "a cache", lambda t, n=given: net.step(t, 1, net.begin_cache(n)), tokens(rows))
    good = net.begin_cache(2)
    for caches, code, words in (
        (good[:-1], "E331", "3 caches for 2 layers"),
        ([*good, good[0]], "E331", "5 caches for 2 layers"),
        ([], "E331", "0 caches"),
        (None, "E331", "NoneType caches"),
        (good[0], "E331", "caches for 2 layers"),
        ([one[:, :1] for one in good], "E134", "a cache"),
        ([one[..., :1] for one in good], "E134", "a cache"),
        ([one[0] for one in good], "E134", "a cache"),
        ([None] * 4, "E307", "NoneType"),
    ):
        refused(__file__, code, words, lambda t, caches=caches: net.prefill(t, caches), tokens(2, 4))
        refused(__file__, code, words, lambda t, caches=caches: net.step(t, 1, caches), tokens(2))
    short = [one[:, :, :3].copy() for one in good]
    refused(__file__, "E134", "for prompts of 4 places", lambda t: net.prefill(t, short), tokens(2, 4))
    refused(__file__, "E110", "", lambda t: net.step(t, 3, short), tokens(2))


def test_places_where_prompts_begin(net):
    for start, code in (([-1, 0], "E110"), ([0, 4], "E110"), ([numpy.nan, 0], "E110"), ([0], "E134"), (1, "E134")):
        first = np.array(start)
        refused(__file__, code, "start", lambda t, s: net.prefill(t, net.begin_cache(2), s), tokens(2, 4), first)
        if code == "E134":
            refused(__file__, code, "start", lambda t, s: net.step(t, 1, net.begin_cache(2), s), tokens(2), first)
    given = agreed(lambda t: net.prefill(t, net.begin_cache(2), [3, 0]), tokens(2, 4))
    alone = agreed(lambda t: net.prefill(t, net.begin_cache(1)), tokens(2, 4)[:1, 3:])
    numpy.testing.assert_allclose(given[0][:1], alone[0], rtol=1e-4, atol=1e-5)


def test_places_of_steps(net):
    for place, code in ((PLACES, "E110"), (-1, "E110"), (1.5, "E204"), (None, "E307"), ([1, 1], "E134"), ([1], "E134")):
        at = np.array(place) if isinstance(place, list) else place
        refused(__file__, code, "", lambda t, at=at: net.step(t, at, net.begin_cache(2)), tokens(2))


@pytest.mark.parametrize("compiled", [False, True])
def test_a_call_that_fails_changes_no_cache(net, compiled):
    caches = net.begin_cache(2)
    prefill, step = (hybridize(one) if compiled else one for one in (net.prefill, net.step))
    prefill(tokens(2, 3), caches)
    before = [one.asnumpy().copy() for one in caches]
    for call in (
        lambda: prefill(np.array([[1, VOCABULARY], [0, 0]]), caches),
        lambda: prefill(tokens(2, 3), caches, np.array([0, 3])),
        lambda: prefill(tokens(1, 3), caches),
        lambda: step(np.array([1, VOCABULARY]), 3, caches),
        lambda: step(tokens(2), PLACES, caches),
        lambda: step(tokens(1), 3, caches),
    ):
        with pytest.raises((ValueError, IndexError)):
            call()
        for one, other in zip(before, caches, strict=True):
            assert (one == other.asnumpy()).all()


@pytest.mark.parametrize("make", [GPT, Llama])
def test_sizes_that_make_no_net(make):
    good = {"vocab_size": 11, "units": 16, "num_layers": 1, "num_heads": 2, "max_length": 6}
    wrong = [{name: number} for name in good for number in (0, -1, 1.5, "a")] + [{"num_heads": 3}, {"hidden": 0}]
    if make is Llama:
        wrong += [{"num_kv_heads": 0}, {"num_kv_heads": 3}, {"units": 6}]
        with refusal(ValueArgumentError, "rotary_base"):
            Llama(**good, rotary_base=0)
    for one in wrong:
        with pytest.raises(ArgumentError, match="E331"):
            make(**{**good, **one})
