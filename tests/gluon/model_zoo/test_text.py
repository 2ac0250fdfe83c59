"""Decoders of text: one place after the other gives what all at once give, however the caches are kept."""

import tracemalloc

import numpy
import pytest

from hybridize import errors, gluon, hybridize, np, npx
from hybridize.gluon import HybridBlock, nn
from hybridize.gluon.model_zoo.text import GPT, Llama, gpt_mini, llama_mini

SIZES = [
    # heads, groups, batch, prompt, length
    (4, 4, 1, 1, 5),
    (4, 2, 3, 5, 8),
    (2, 1, 2, 11, 12),
]


def made(cls, heads=4, groups=2, **kwargs):
    np.random.seed(0)
    shared = {"num_kv_heads": groups} if cls is Llama else {}
    net = cls(37, 32, 2, heads, max_length=12, **shared, **kwargs)
    net.initialize()
    return net


def tokens(*shape):
    return np.array(numpy.random.default_rng(1).integers(0, 37, shape), dtype="int64")


def walked(net, batch, prompt, length, start=None, prefill=None, step=None):
    """The scores after each place from the prompt's last on."""
    caches = net.begin_cache(batch)
    found = [(prefill or net.prefill)(prompt, caches, start)]
    ids = tokens(batch, length)
    places = range(prompt.shape[1], length)
    found += [(step or net.step)(ids[:, place].copy(), place, caches, start) for place in places]
    return numpy.stack([one.asnumpy() for one in found], 1)


@pytest.mark.parametrize(
    ("cls", "sizes", "compiled"),
    [
        pytest.param(cls, sizes, compiled, marks=[pytest.mark.long] if compiled and sizes is not one else [])
        for cls, one in ((Llama, SIZES[1]), (GPT, SIZES[2]))
        for sizes in SIZES
        for compiled in (False, True)
    ],
)
def test_steps_give_what_all_places_at_once_give(cls, sizes, compiled):
    heads, groups, batch, prompt, length = sizes
    net = made(cls, heads, groups, tie_weights=heads != 2)
    ids = tokens(batch, length)
    expected = net(ids).asnumpy()[:, prompt - 1 :]
    prefill, step = net.prefill, net.step
    if compiled:
        prefill, step = hybridize(net.prefill), hybridize(net.step)
    found = walked(net, batch, ids[:, :prompt], length, prefill=prefill, step=step)
    numpy.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)
    if compiled:
        assert len(step.programs()) <= 2  # the first place, and all others
        assert step.programs()[-1].fallbacks == ()


@pytest.mark.parametrize("cls", [Llama, GPT])
def test_prompts_of_other_lengths_are_as_if_each_was_alone(cls):
    net = made(cls)
    ids = tokens(3, 9)
    start = np.array([0, 3, 4], dtype="int64")
    together = walked(net, 3, ids[:, :5], 9, start)
    for row, first in enumerate((0, 3, 4)):
        expected = net(ids[row : row + 1, first:]).asnumpy()[:, 4 - first :]
        numpy.testing.assert_allclose(together[row : row + 1], expected, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_full_cache_is_an_error_at_the_users_line(compiled):
    net = made(Llama)
    caches = net.begin_cache(1)

    def read(token, place):
        return net.step(token, place, caches)

    step = hybridize(read) if compiled else read
    token = np.array([3], dtype="int64")
    for place in (0, 1, 11):
        step(token, place)
    before = [one.asnumpy().copy() for one in caches]
    for place in (12, -1):
        with pytest.raises(errors.OutOfBoundsError, match="full"):
            step(token, place)
    for one, other in zip(before, caches, strict=True):
        assert (one == other.asnumpy()).all()
    with pytest.raises(errors.ShapeError, match="13 tokens for 12 places"):
        net.prefill(tokens(1, 13), caches)


def test_caches_are_written_where_they_lie_and_steps_take_no_memory():
    net = made(GPT)
    caches = net.begin_cache(2)
    step = hybridize(lambda token, place: net.step(token, place, caches))
    given = hybridize(lambda token, place, *arrays: net.step(token, place, arrays))
    token = np.array([3, 5], dtype="int64")
    where = [one._data.ctypes.data for one in caches]
    for place in range(12):
        step(token, place)
    for place in range(3):
        given(token, place, *caches)
    for function in (step, given):
        plan = function.programs()[-1]._runs.executable.plan
        assert len(plan.updates) == len(caches)
    tracemalloc.start()
    for _ in range(3):
        step(token, 5)
    first, _ = tracemalloc.get_traced_memory()
    for number in range(1000):
        step(token, number % 12)
    last, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert last - first < 20_000
    assert len(step.programs()) == 2
    assert where == [one._data.ctypes.data for one in caches]


def test_minis_have_the_sizes_that_they_say():
    for make, least in ((llama_mini, 0.6e6), (gpt_mini, 0.8e6)):
        net = make()
        net.initialize()
        assert net(tokens(1, 4)).shape == (1, 4, 256)
        count = sum(one.data().size for one in net.collect_params().values())
        assert least < count < 1.3e6


@pytest.mark.parametrize("start", [None, [0, 2]])
@pytest.mark.parametrize("time", [1, 3])
def test_cached_attention_is_attention_to_the_first_places(start, time):
    rng = numpy.random.default_rng(0)
    q, k, v = (rng.standard_normal((2, heads, n, 8)).astype("f4") for heads, n in ((4, time), (2, 9), (2, 9)))
    length = 6
    wide = [numpy.repeat(x, 2, 1).astype("f8") for x in (k, v)]
    scores = numpy.einsum("bhtd,bhnd->bhtn", q.astype("f8"), wide[0]) * 8**-0.5
    place, newest = numpy.arange(9), length - time + numpy.arange(time)
    hidden = numpy.broadcast_to(place > newest[:, None], scores.shape).copy()
    if start is not None:
        hidden |= place < numpy.array(start)[:, None, None, None]
    scores[hidden] = -numpy.inf
    weights = numpy.exp(scores - scores.max(-1, keepdims=True))
    expected = (weights / weights.sum(-1, keepdims=True)) @ wide[1]
    first = None if start is None else np.array(start, dtype="int64")
    k[:, :, length:] = numpy.nan  # is not read
    v[:, :, length:] = numpy.nan
    run = hybridize(lambda q, k, v, n: npx.cached_attention(q, k, v, n, first))
    for function in (run, lambda *args: npx.cached_attention(*args, first)):
        for n in (length, np.array(length, dtype="int64")):
            found = function(np.array(q), np.array(k), np.array(v), n)
            numpy.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-5, atol=1e-6)
    with pytest.raises(errors.OutOfBoundsError):
        npx.cached_attention(np.array(q), np.array(k), np.array(v), 10)
    with pytest.raises(errors.ShapeError):
        npx.cached_attention(np.array(q[:, :3]), np.array(k), np.array(v), 4)


class Kept(HybridBlock):
    """A block that keeps a cache as a parameter that is not learned, and counts its places."""

    def __init__(self):
        super().__init__()
        self.proj = nn.Dense(8, in_units=8, flatten=False)
        self.cache = gluon.Parameter("cache", shape=(2, 6, 8), init="zeros", grad_req="null")
        self.place = 0

    def forward(self, x):
        cache = self.cache.data()
        cache[:, self.place] = self.proj(x)
        self.place += 1
        return cache.sum()


def test_a_cache_may_be_a_parameter_and_its_place_an_attribute():
    imperative, compiled = Kept(), Kept()
    for block in (imperative, compiled):
        block.initialize()
        block.proj.weight.set_data(imperative.proj.weight.data())
    compiled.hybridize()
    for _ in range(6):
        x = np.random.normal(size=(2, 8))
        assert float(compiled(x)) == pytest.approx(float(imperative(x)), abs=1e-4)
    assert compiled.place == 6 and len(compiled._function.programs()) == 2
    assert compiled._function.programs()[-1]._runs.executable.plan.updates
    numpy.testing.assert_allclose(compiled.cache.data().asnumpy(), imperative.cache.data().asnumpy(), rtol=1e-5)
    with pytest.raises(IndexError):
        compiled(x)
    assert compiled.place == 6
