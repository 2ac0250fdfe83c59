"""Generators and decoders of steps, wrongly made or called: the same error, or value, in both modes, at one's own line."""

import numpy
import pytest

from hybridize import np
from hybridize.errors import ArgumentError, ValueArgumentError
from hybridize.gluon import nn, rnn
from hybridize.gluon.generation import BeamSearch, Recurrent, SequenceSampler
from tests.gluon.both_ways import agreed, refused
from tests.refusals import refusal

VOCABULARY = 7
PROMPTS = np.array([[5, 3], [6, 2]], dtype="int64")


@pytest.fixture(scope="module")
def parts():
    """A step and its states: an embedding, an LSTM cell, a dense layer."""
    embedding, cell, scores = (
        nn.Embedding(VOCABULARY, 4),
        rnn.LSTMCell(5, input_size=4),
        nn.Dense(VOCABULARY, in_units=5),
    )
    np.random.seed(3)
    for block in (embedding, cell, scores):
        block.initialize(init="normal")
        for one in block.collect_params().values():  # small weights have no favourite token
            one.set_data(one.data() * 100)

    def step(tokens, states):
        y, after = cell(embedding(tokens), states)
        return scores(y), after

    return step, cell.begin_state


def generators(decoder, new=3, **settings):
    """One of each, hybridized or not as their caller is."""
    yield SequenceSampler(decoder, new, **settings)
    yield BeamSearch(decoder, new, beams=2, **settings)


WRONG_SETTINGS = [
    ({"stop_tokens": 1.5}, "stop_tokens"),
    ({"stop_tokens": [1, 2.5]}, "stop_tokens"),
    ({"stop_tokens": np.array([1, 2.5])}, "stop_tokens"),
    ({"stop_tokens": -1}, "stop_tokens"),
    ({"stop_tokens": [3, -1]}, "stop_tokens"),
    ({"stop_tokens": numpy.nan}, "stop_tokens"),
    ({"stop_tokens": True}, "stop_tokens"),
    ({"stop_tokens": "a"}, "stop_tokens"),
    ({"stop_tokens": None}, "stop_tokens"),
    ({"stop_tokens": [[1, 2]]}, "stop_tokens"),
    ({"pad_token": -1}, "pad_token"),
    ({"pad_token": 0.5}, "pad_token"),
    ({"new": 0}, "max_new_tokens"),
    ({"new": 2.0}, "max_new_tokens"),
]
OF_SAMPLING = [
    (name, value)
    for name, values in {
        "temperature": (-1, 1e-30, 1e300, numpy.nan, "a"), "repetition_penalty": (0, 1e300, -1, numpy.nan, None),
        "top_k": (0, 1.5), "top_p": (0, 1.5, "a"),
    }.items()
    for value in values
]  # fmt: skip
OF_BEAMS = [
    (name, value)
    for name, values in {
        "beams": (0, 1.5, None), "n_best": (0, 1.5), "length_penalty": (1e3, -1e3, numpy.nan, "a", None),
    }.items()
    for value in values
]  # fmt: skip


def test_settings_that_make_no_sense(parts):
    decoder = Recurrent(*parts)
    for settings, words in WRONG_SETTINGS:
        for make in (SequenceSampler, BeamSearch):
            rest = dict(settings)
            with refusal(ValueArgumentError, f"E353.*{words} of {make.__name__}") as caught:
                make(decoder, rest.pop("new", 3), **rest)
            assert caught.value.loc.file == __file__
    for make, wrong in ((SequenceSampler, OF_SAMPLING), (BeamSearch, OF_BEAMS)):
        for name, value in wrong:
            with refusal(ValueArgumentError, f"E353.*{name} of {make.__name__}"):
                make(decoder, 3, **{name: value})
    for make in (SequenceSampler, BeamSearch):
        for other in (None, nn.Dense(3), lambda tokens: tokens):
            with refusal(ArgumentError, f"E331.*decoder of {make.__name__}"):
                make(other, 3)
    for wrong in ((3, parts[1]), (parts[0], [np.zeros((2, 5))]), (None, None)):
        with pytest.raises(ArgumentError, match=r"E331.*of Recurrent"):
            Recurrent(*wrong)


def test_stop_tokens_may_be_given_in_any_form(parts):
    texts = [], []
    for stop in ((1, 2), [2, 1], {1, 2}, range(1, 3), np.array([1, 2]), numpy.array([2, 1]), (numpy.int32(1), 2.0)):
        for found, generator in zip(texts, generators(Recurrent(*parts), 5, stop_tokens=stop), strict=True):
            found.append([one.asnumpy().tolist() for one in generator(PROMPTS)])
    for found in texts:
        assert all(text == found[0] for text in found)


def test_tokens_beyond_the_vocabulary(parts):
    for settings, words in (
        ({"stop_tokens": VOCABULARY}, "stop_tokens of"),
        ({"stop_tokens": [1, 1 << 40]}, "stop_tokens of"),
        ({"stop_tokens": 1, "pad_token": VOCABULARY}, "pad_token of"),
        ({"stop_tokens": 1, "pad_token": 1 << 40}, "pad_token of"),
    ):
        for generator in generators(Recurrent(*parts), **settings):
            refused(__file__, "E331", words, lambda x, generator=generator: generator(x), PROMPTS)
    for generator, other in zip(
        generators(Recurrent(*parts), pad_token=VOCABULARY), generators(Recurrent(*parts)), strict=True
    ):
        found, expected = generator(PROMPTS)[0], other(PROMPTS)[0]
        assert (found == expected).all(), "without stop tokens nothing is padded"


WRONG_PROMPTS = [
    (([1, 2],), "E134", "prompts are"),
    (([[[1]]],), "E134", "prompts are"),
    (([[], []],), "E134", "prompts are f32[2,0]"),
    (([[VOCABULARY, 1]],), "E110", "embedding"),
    pytest.param(([[-1, 1]],), "E110", "embedding", marks=pytest.mark.long),
    (([[numpy.nan, 1]],), "E110", "embedding"),
    (([[1, 2]], 1), "E134", "valid_length"),
    (([[1, 2]], [1, 2]), "E134", "valid_length"),
    (([[1, 2]], [[1]]), "E134", "valid_length"),
    (([[1, 2]], [0]), "E110", "valid_length"),
    pytest.param(([[1, 2]], [3]), "E110", "valid_length", marks=pytest.mark.long),
    (([[1, 2]], [numpy.nan]), "E110", "valid_length"),
]


@pytest.mark.parametrize(("args", "code", "words"), WRONG_PROMPTS)
def test_prompts_and_lengths(parts, args, code, words):
    for generator in generators(Recurrent(*parts)):
        refused(__file__, code, words, lambda *xs, generator=generator: generator(*xs), *map(np.array, args))


def test_no_rows_and_what_stands_behind_a_prompt(parts):
    for generator in generators(Recurrent(*parts)):
        empty = agreed(lambda x, generator=generator: generator(x), np.zeros((0, 2), dtype="int64"))
        assert all(one.shape[0] == 0 for one in empty)
        behind = agreed(lambda x, n, generator=generator: generator(x, n), np.array([[3, 99]]), np.array([1]))
        alone = agreed(lambda x, generator=generator: generator(x), np.array([[3]]))
        assert (behind[0] == alone[0]).all(), "what stands behind a prompt is read by nobody"


WRONG_STEPS = [
    (lambda scores, states: scores, "E331", "did not return a pair"),
    (lambda scores, states: None, "E331", "did not return a pair"),
    (lambda scores, states: (None, states), "E331", "did not return a pair"),
    (lambda scores, states: (scores, []), "E331", "0 states in place of 2"),
    (lambda scores, states: (scores, states[0]), "E331", "1 states in place of 2"),
    (lambda scores, states: (scores, [*states, scores]), "E331", "3 states in place of 2"),
    (lambda scores, states: (scores, [one[:, :1] for one in states]), "E134", "in place of"),
    (lambda scores, states: (scores, [None, None]), "E307", "NoneType"),
    (lambda scores, states: (scores[0], states), "E134", "scores f32[7]"),
    (lambda scores, states: (np.expand_dims(scores, 1), states), "E134", "scores f32[2,1,7]"),
    (lambda scores, states: (scores[:1], states), "E134", "scores f32[1,7]"),
]


@pytest.mark.parametrize(("given", "code", "words"), WRONG_STEPS)
def test_what_a_users_step_gives(parts, given, code, words):
    step, begin_state = parts
    for generator in generators(Recurrent(lambda tokens, states: given(*step(tokens, states)), begin_state)):
        refused(__file__, code, words, lambda x, generator=generator: generator(x), PROMPTS)


def test_states_to_begin_with(parts):
    step, begin_state = parts
    for states, code, words in (
        (lambda rows: begin_state(rows)[:1], "E331", "got 1 states"),
        (lambda rows: begin_state(rows)[0], "E331", "got 1 states"),
        (lambda rows: begin_state(rows + 1), "E187", "with a state"),
        (lambda rows: None, "E307", "NoneType"),
    ):
        for generator in generators(Recurrent(step, states)):
            refused(__file__, code, words, lambda x, generator=generator: generator(x), PROMPTS)
    numbers = Recurrent(step, lambda rows: tuple(numpy.zeros((rows, 5), "f4") for _ in range(2)))
    for ours, theirs in zip(generators(numbers), generators(Recurrent(*parts)), strict=True):
        found = agreed(lambda x, ours=ours: ours(x), PROMPTS)
        assert (found[0] == theirs(PROMPTS)[0].asnumpy()).all()


def test_a_decoder_of_steps_that_is_called_by_hand(parts):
    decoder = Recurrent(*parts)
    for start, code in (([-1, 0], "E110"), ([0, 2], "E110"), ([numpy.nan, 0], "E110"), ([0], "E134"), (0, "E134")):
        refused(
            __file__,
            code,
            "start",
            lambda x, s: decoder.prefill(x, decoder.begin_cache(2), s),
            PROMPTS,
            np.array(start),
        )
    for prompts in (PROMPTS[0], PROMPTS[:, :0]):
        refused(__file__, "E134", "prompts are", lambda x: decoder.prefill(x, decoder.begin_cache(2)), prompts)
    for rows in (1, 3):
        refused(__file__, "E187", "with a state", lambda x, n=rows: decoder.prefill(x, decoder.begin_cache(n)), PROMPTS)
        refused(__file__, "E187", "", lambda x, n=rows: decoder.step(x, 0, decoder.begin_cache(n)), PROMPTS[0])


class Scores:
    """A decoder whose scores are what it is given."""

    max_length = None

    def __init__(self, scores):
        self.scores = scores

    def begin_cache(self, batch_size):
        return []

    def prefill(self, tokens, caches, start=None):
        return self.scores

    def step(self, tokens, place, caches, start=None):
        return self.scores


def test_scores_of_other_axes():
    for shape in ((VOCABULARY,), (2, 1, VOCABULARY), (1, VOCABULARY), (2, 0), ()):
        for generator in generators(Scores(np.zeros(shape))):
            refused(__file__, "E134", "the decoder gives scores", lambda x, generator=generator: generator(x), PROMPTS)
    refused(
        __file__,
        "E331",
        "2 beams for a vocabulary of 1",
        lambda x: BeamSearch(Scores(np.zeros((2, 1))), 3, beams=2)(x),
        PROMPTS,
    )
