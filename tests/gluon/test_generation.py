"""Generation: the same tokens imperatively and in a program; sampling by its statistics, beams by brute force."""

import gc
import itertools
import math
import os
from pathlib import Path

import numpy
import pytest

from hybridize import errors, hybridize, load, np, npx
from hybridize.gluon import HybridBlock, nn
from hybridize.gluon.generation import BeamSearch, Recurrent, SequenceSampler
from hybridize.gluon.model_zoo.text import GPT, Llama
from tests.refusals import refusal

PROMPTS = numpy.array([[5, 3, 9, 1], [7, 2, 0, 0], [4, 0, 0, 0]])
LENGTHS = numpy.array([4, 2, 1])


@pytest.fixture(scope="module")
def net():
    np.random.seed(3)
    made = Llama(23, 16, 2, 4, 2, max_length=12)
    made.initialize()
    for one in made.collect_params().values():  # small weights have one favourite token
        if one.name.endswith("weight"):
            one.set_data(one.data() * 12)
    return made


def plain(net, prompt, new, stop=(), pad=0, penalty=1.0):
    """Greedy, all places at once for each token."""
    row, made = list(prompt), []
    while len(made) < new and (not made or made[-1] not in stop):
        scores = net(np.array([row], dtype="int64")).asnumpy()[0, -1].astype("f8")
        for token in set(row):
            scores[token] = scores[token] / penalty if scores[token] > 0 else scores[token] * penalty
        row.append(int(scores.argmax()))
        made.append(row[-1])
    return made + [pad] * (new - len(made)), len(made)


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({}, marks=pytest.mark.long),
        {"repetition_penalty": 1.5, "stop_tokens": [2, 11], "pad_token": 22},
    ],
)
def test_greedy_gives_the_likeliest_token_of_each_place(net, settings):
    sampler = SequenceSampler(net, 7, **settings)
    prompts, lengths = np.array(PROMPTS), np.array(LENGTHS)
    expected = [
        plain(net, row[:n], 7, settings.get("stop_tokens", ()), settings.get("pad_token", 0),
              settings.get("repetition_penalty", 1.0))
        for row, n in zip(PROMPTS, LENGTHS, strict=True)
    ]  # fmt: skip
    for _ in range(2):
        tokens, counts = sampler(prompts, lengths)
        assert tokens.asnumpy().tolist() == [row for row, _ in expected]
        assert counts.asnumpy().tolist() == [count for _, count in expected]
        sampler.hybridize()
    assert sampler.program(prompts, lengths).fallbacks == ()
    alone, _ = sampler(prompts[:1])
    assert alone.asnumpy().tolist() == [expected[0][0]]


@pytest.mark.parametrize("settings", [{"temperature": 0.7}, {"temperature": 1.3, "top_k": 4, "top_p": 0.9}])
def test_one_seed_gives_one_text(net, settings):
    texts = []
    for hybrid in (False, True):
        sampler = SequenceSampler(net, 8, repetition_penalty=1.2, **settings)
        if hybrid:
            sampler.hybridize()
        for seed in (0, 0, 1):
            np.random.seed(seed)
            texts.append(sampler(np.array(PROMPTS), np.array(LENGTHS))[0].asnumpy().tolist())
    assert texts[0] == texts[1] == texts[3] == texts[4] != texts[2] == texts[5]


class Fixed:
    """A decoder whose scores are the same at each place."""

    max_length = None

    def __init__(self, scores):
        self.scores = np.array(scores)

    def begin_cache(self, batch_size):
        return []

    def prefill(self, tokens, caches, start=None):
        return np.broadcast_to(self.scores, (tokens.shape[0], self.scores.size))

    def step(self, tokens, place, caches, start=None):
        return np.broadcast_to(self.scores, (tokens.shape[0], self.scores.size))


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"temperature": 1.0}, [0.4, 0.3, 0.2, 0.1]),
        ({"temperature": 0.5}, [16 / 30, 9 / 30, 4 / 30, 1 / 30]),
        ({"temperature": 1.0, "top_k": 2}, [4 / 7, 3 / 7, 0, 0]),
        ({"temperature": 1.0, "top_k": 9}, [0.4, 0.3, 0.2, 0.1]),
        ({"temperature": 1.0, "top_p": 0.65}, [4 / 7, 3 / 7, 0, 0]),
        ({"temperature": 1.0, "top_p": 0.75}, [4 / 9, 3 / 9, 2 / 9, 0]),
        ({"temperature": 1.0, "top_p": 1e-6}, [1, 0, 0, 0]),
        ({"temperature": 1.0, "top_k": 3, "top_p": 0.7}, [4 / 7, 3 / 7, 0, 0]),
    ],
)
def test_tokens_are_drawn_as_often_as_they_are_likely(settings, expected):
    order = [2, 0, 3, 1]
    scores = numpy.empty(4)
    scores[order] = numpy.log([0.4, 0.3, 0.2, 0.1])
    np.random.seed(1)
    tokens, _ = SequenceSampler(Fixed(scores), 20, **settings)(np.zeros((1000, 1), dtype="int64"))
    found = numpy.bincount(tokens.asnumpy().ravel(), minlength=4)[order] / 20_000
    error = 4.5 * numpy.sqrt(numpy.multiply(expected, numpy.subtract(1, expected)) / 20_000)
    assert (numpy.abs(found - expected) <= error).all()


def every(net, prompt, new, stop, alpha):
    """All sequences, with their scores."""
    found = {}
    for row in itertools.product(range(net.vocab_size), repeat=new):
        end = next((n + 1 for n, token in enumerate(row) if token in stop), new)
        found[row[:end]] = None
    rows = [list(prompt) + list(row) for row in found]
    width = max(map(len, rows))
    ids = np.array([row + [0] * (width - len(row)) for row in rows], dtype="int64")
    logp = npx.log_softmax(net(ids), -1).asnumpy().astype("f8")
    for number, row in enumerate(found):
        total = sum(logp[number, len(prompt) - 1 + at, token] for at, token in enumerate(row))
        found[row] = total / ((5 + len(row)) / 6) ** alpha
    return sorted(found.items(), key=lambda pair: -pair[1])


@pytest.mark.parametrize("alpha", [pytest.param(0.0, marks=pytest.mark.long), 1.0])
def test_beams_as_many_as_sequences_find_the_best(alpha):
    np.random.seed(5)
    net = GPT(5, 8, 1, 2, max_length=8)
    net.initialize()
    for one in net.collect_params().values():
        if one.name.endswith("weight"):
            one.set_data(one.data() * 20)
    prompts, lengths = np.array([[1, 4, 2], [3, 0, 0]]), np.array([3, 1])
    # Five tokens and three places: no more than 25 sequences are worth keeping.
    search = BeamSearch(net, 3, beams=5, n_best=3, length_penalty=alpha, stop_tokens=4, pad_token=0)
    expected = [every(net, prompts.asnumpy()[row, :n], 3, (4,), alpha) for row, n in ((0, 3), (1, 1))]
    for _ in range(2):
        tokens, counts, scores = (one.asnumpy() for one in search(prompts, lengths))
        for row, best in enumerate(expected):
            for place in range(3):
                made = tuple(tokens[row, place, : counts[row, place]].tolist())
                assert (tokens[row, place, counts[row, place] :] == 0).all()
                assert math.isclose(dict(best)[made], scores[row, place], rel_tol=1e-4)
            assert tuple(tokens[row, 0, : counts[row, 0]].tolist()) == best[0][0]
        search.hybridize()
    assert search.program(prompts, lengths).fallbacks == ()


def by_hand(net, prompt, new, beams, stop):
    """Beam search in plain Python, all places at once."""
    held = [((), 0.0)]
    for _ in range(new):
        found = []
        for row, total in held:
            if row and row[-1] in stop:
                found.append((row, total))
                continue
            ids = np.array([[*prompt, *row]], dtype="int64")
            logp = npx.log_softmax(net(ids), -1).asnumpy()[0, -1]
            found += [((*row, token), total + float(logp[token])) for token in range(net.vocab_size)]
        held = sorted(found, key=lambda pair: -pair[1])[:beams]
    return held


def test_a_few_beams_are_those_of_a_search_by_hand(net):
    search = BeamSearch(net, 5, beams=3, n_best=3, stop_tokens=[2, 11])
    search.hybridize()
    tokens, counts, scores = (one.asnumpy() for one in search(np.array(PROMPTS), np.array(LENGTHS)))
    for row, (prompt, length) in enumerate(zip(PROMPTS, LENGTHS, strict=True)):
        expected = by_hand(net, prompt[:length], 5, 3, (2, 11))
        found = [tuple(tokens[row, k, : counts[row, k]].tolist()) for k in range(3)]
        assert found == [made for made, _ in expected]
        numpy.testing.assert_allclose(scores[row], [total for _, total in expected], rtol=1e-4)
    best, _, _ = BeamSearch(net, 5, beams=1)(np.array(PROMPTS), np.array(LENGTHS))
    greedy, _ = SequenceSampler(net, 5)(np.array(PROMPTS), np.array(LENGTHS))
    assert (best.asnumpy()[:, 0] == greedy.asnumpy()).all()


class Cell(HybridBlock):
    """A small recurrent language model."""

    def __init__(self):
        super().__init__()
        self.embedding, self.state = nn.Embedding(11, 8), nn.Dense(8, activation="tanh", in_units=16)
        self.scores = nn.Dense(11, in_units=8)

    def forward(self, tokens, states):
        state = self.state(np.concatenate([self.embedding(tokens), states[0]], 1))
        return self.scores(state) * 9, [state]


def test_a_step_function_with_states_generates():
    np.random.seed(2)
    cell = Cell()
    cell.initialize(init="normal")
    decoder = Recurrent(cell, lambda rows: [np.zeros((rows, 8))])

    def expected(prompt, new):
        states, row, made = [np.zeros((1, 8))], list(prompt), []
        for place in range(len(prompt) + new - 1):
            scores, states = cell(np.array([row[place]]), states)
            if place >= len(prompt) - 1:
                row.append(int(scores.asnumpy().argmax()))
                made.append(row[-1])
        return made

    prompts, lengths = PROMPTS % 11, LENGTHS
    rows = [expected(row[:n], 6) for row, n in zip(prompts, lengths, strict=True)]
    sampler = SequenceSampler(decoder, 6)
    for _ in range(2):
        tokens, _ = sampler(np.array(prompts), np.array(lengths))
        assert tokens.asnumpy().tolist() == rows
        sampler.hybridize()


def test_one_program_for_prompts_of_all_sizes(net):
    sampler = SequenceSampler(net, 4)
    sampler.hybridize()
    for time in (2, 3, 5, 7, 9):
        prompts = np.array(numpy.arange(time)[None] % 23, dtype="int64")
        assert sampler(prompts)[0].asnumpy()[0].tolist() == plain(net, range(time), 4)[0]
    assert len(sampler._function.programs()) == 2


def test_bad_settings_and_prompts(net):
    for settings in ({"temperature": -1}, {"top_k": 0}, {"top_p": 0}, {"top_p": 1.1}, {"repetition_penalty": 0}):
        with refusal(errors.ValueArgumentError, next(iter(settings))):
            SequenceSampler(net, 3, **settings)
    with pytest.raises(errors.ValueArgumentError, match="max_new_tokens"):
        SequenceSampler(net, 0)
    with refusal(errors.ArgumentError, "n_best"):
        BeamSearch(net, 3, beams=2, n_best=3)
    for sampler in (SequenceSampler(net, 4), hybridize(SequenceSampler(net, 4).forward)):
        with pytest.raises(errors.ShapeError, match="for 12 places"):
            sampler(np.zeros((1, 10), dtype="int64"))
        with pytest.raises(errors.ShapeError, match=r"\[batch, time\]"):
            sampler(np.zeros((3,), dtype="int64"))
        for wrong in ([0, 1], [5, 1]):
            with pytest.raises(errors.OutOfBoundsError, match="valid_length"):
                sampler(np.zeros((2, 4), dtype="int64"), np.array(wrong))
        with pytest.raises(errors.OutOfBoundsError):
            sampler(np.array([[3, 23]]))


@pytest.mark.long
def test_a_generator_is_exported(net, tmp_path):
    sampler = SequenceSampler(net, 5, stop_tokens=2)
    sampler.hybridize()
    prompts = np.array(PROMPTS[:1])
    expected = [one.asnumpy().tolist() for one in sampler(prompts)]
    sampler.save(tmp_path / "sampler")
    loaded = load(tmp_path / "sampler")
    assert [one.asnumpy().tolist() for one in loaded(prompts)] == expected
    for generator in (sampler, SequenceSampler(net, 5, temperature=0.8, top_k=3), BeamSearch(net, 4, beams=2)):
        generator.hybridize()
        generator(prompts)
        for form in ("library", "archive"):
            generator.export(str(tmp_path / "generator"), format=form)  # which runs what it writes


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="what is resident is asked of Linux")
def test_ten_thousand_steps_take_the_memory_of_one():
    """Caches are written where they lie, one program serves all places, and nothing is left of a step."""
    length, net = 1000, GPT(23, 16, 2, 2, max_length=1000)
    net.initialize()
    net.hybridize()
    caches = net.begin_cache(2)
    step = hybridize(lambda token, place: net.step(token, place, caches))

    def run(count):
        token = np.array([3, 5], dtype="int64")
        for place in range(count):
            token = step(token, place % length).argmax(-1).astype("int64")
        gc.collect()
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    held, programs = run(2 * length), len(step.programs())
    assert run(10_000) - held < 1 << 20
    assert len(step.programs()) == programs <= 2
