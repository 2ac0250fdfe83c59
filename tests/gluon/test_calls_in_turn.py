"""Good and bad calls in turn, of one block as Python and of one that is hybridized: the same results, errors and lines.

A program that serves other calls is kept where one of them fails, so that a bad call comes to an entry, too.
"""

import numpy
import pytest

from hybridize import autograd, np
from hybridize.gluon import HybridBlock, rnn
from hybridize.gluon.generation import BeamSearch, SequenceSampler
from hybridize.gluon.model_zoo.text import GPT, Llama
from tests.gluon.both_ways import outcome

X = np.array(numpy.random.default_rng(0).normal(size=(5, 3, 4)).astype("f4"))
PROMPTS = np.array([[5, 3], [7, 2]], dtype="int64")


class Unrolled(HybridBlock):
    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def forward(self, x, states=None, lengths=None):
        return self.cell.unroll(None, x, states, "TNC", True, lengths)


class OfData(HybridBlock):
    """As many steps as data says."""

    def __init__(self):
        super().__init__()
        self.cell = rnn.LSTMCell(4, input_size=4)

    def forward(self, x, count):
        states, y, k = self.cell.begin_state(x.shape[1]), x[0], 0
        while k < count:
            y, states = self.cell(x[k], states)
            k = k + 1
        return y, states


class Settling(HybridBlock):
    """As many steps as the state takes to grow."""

    def __init__(self):
        super().__init__()
        self.cell = rnn.GRUCell(4, input_size=4)

    def forward(self, x, state):
        steps = 0
        while np.abs(state).sum() < 2.0:
            state, _ = self.cell(x[0], [state])
            steps = steps + 1
            if steps > 20:
                break
        return state, steps


def stack():
    made = rnn.HybridSequentialRNNCell()
    made.add(rnn.LSTMCell(6), rnn.ResidualCell(rnn.GRUCell(6)), rnn.BidirectionalCell(rnn.LSTMCell(3), rnn.GRUCell(2)))
    return Unrolled(made)


def zeros(*sizes, batch=3):
    return [np.zeros((batch, size)) for size in sizes]


def called(block, args):
    return block(*args)


def decoder(make):
    net = make(23, 16, 1, 2, max_length=8)
    net.initialize()
    for one in net.collect_params().values():
        if one.name.endswith("weight"):
            one.set_data(one.data() * 12)
    return net


OF_LAYERS = [
    (X,),
    (X[:, :, :3],),
    (X[0],),
    (X, [np.zeros((1, 3, 6))] * 2),
    (X, [np.zeros((1, 4, 6))] * 2),
    (X, np.zeros((1, 3, 6))),
    (X[:2, :2], [np.zeros((1, 2, 6))] * 2),
    (X, [np.zeros((1, 3, 6)), np.zeros((3, 1, 6))]),
    (X, None, np.array([1, 2, 3])),
    (X[:0],),
    (X[:, :0],),
    (None,),
    ("text",),
    (X * numpy.nan,),
    (X,),
]
OF_LENGTHS = [
    (X, None, lengths)
    for lengths in (
        np.array([1, 5, 2]), np.array([0, 0, 0]), np.array([1, 6, 2]), np.array([1, -1, 2]), np.array([1, 2]), None,
        [1, 2, 3], (3, 4, 5), np.array([1.9, 2, 3]), numpy.array([1, 2, 9]), np.array([[1], [2], [3]]),
        np.array([5, 5, 5], dtype="int32"), np.array([True, True, False]),
    )
]  # fmt: skip
OF_STACKS = [
    (X,),
    (X, zeros(6, 6, 6, 3, 3, 2)),
    (X, zeros(6, 6, 6, 3, 3, 2, batch=4)),
    (X, zeros(6, 6, 6, 3, 3)),
    (X, zeros(2, 3, 3, 6, 6, 6)),
    (X, None, np.array([1, 5, 2])),
    (X, None, np.array([1, 6, 2])),
    (X[:, :1],),
    (X[:, :, :2],),
    (X[:0],),
    (X[0, 0],),
    (X[:2],),
]
OF_COUNTS = [(X, n) for n in (np.array(3), 3, 0, 6, np.array(6), np.array(7), -1)]
OF_STATES = [(X, x) for x in (np.zeros((3, 4)), np.zeros((4, 4)), np.ones((4, 4)), np.zeros((3, 5)))]
OF_PROMPTS = [
    (PROMPTS,),
    (PROMPTS, np.array([1, 2])),
    (PROMPTS, np.array([0, 2])),
    (PROMPTS, np.array([3, 2])),
    (PROMPTS + 20,),
    (PROMPTS - 9,),
    (PROMPTS[0],),
    (PROMPTS[:, :0],),
    (PROMPTS[:0],),
    (np.zeros((2, 6), dtype="int64"),),
    (PROMPTS.astype("float32"),),
    (PROMPTS.astype("int8"),),
    (PROMPTS, [1, 2]),
    (PROMPTS, np.array([1])),
    (np.array([[numpy.inf, 1]]),),
    ([[1, 2]],),
    (None,),
    (PROMPTS,),
]
ENDED = {"stop_tokens": [1, 2], "pad_token": 0}
BLOCKS = {
    "layer": (lambda: rnn.LSTM(6), OF_LAYERS),
    "lengths": (lambda: rnn.GRU(6, 2, bidirectional=True, use_sequence_length=True), OF_LENGTHS),
    "stack": (stack, OF_STACKS),
    "cell that does not fit": (lambda: Unrolled(rnn.BidirectionalCell(rnn.GRUCell(6), rnn.GRUCell(6, input_size=3))), OF_STACKS[:1]),
    "steps of data": (OfData, OF_COUNTS),
    "settling": (Settling, OF_STATES),
    "sampler": (lambda: SequenceSampler(decoder(Llama), 4, **ENDED), OF_PROMPTS),
    "drawing": (
        lambda: SequenceSampler(decoder(GPT), 4, temperature=0.9, top_k=5, repetition_penalty=1.3, **ENDED), OF_PROMPTS[:4]
    ),
    "beams": (lambda: BeamSearch(decoder(GPT), 4, beams=3, n_best=3, length_penalty=0.7, **ENDED), OF_PROMPTS),
}  # fmt: skip
SLOW = {"drawing", "beams"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long if name in SLOW else []) for name in BLOCKS]
)
def test_good_and_bad_calls_in_turn(name):
    make, calls = BLOCKS[name]
    blocks = []
    for compiled in (False, True):
        np.random.seed(7)
        block = make()
        if not isinstance(block, (SequenceSampler, BeamSearch)):
            block.initialize()
        block.hybridize(compiled)
        blocks.append(block)
    failed = 0
    for number, args in enumerate(calls):
        found = []
        for block in blocks:
            np.random.seed(11)
            found.append(outcome(called, block, args))
        if isinstance(found[0], tuple):
            assert found[0][:3] == found[1][:3], number
            assert found[0][2].startswith("test_calls_in_turn.py"), (number, found)
            failed += 1
            continue
        assert isinstance(found[1], list), (number, found)
        for ours, theirs in zip(*found, strict=True):
            numpy.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-6, err_msg=str(number))
    assert failed


def test_a_layer_of_ours_fails_at_the_line_of_each_call():
    """Whichever line it was captured from; what fails within the user's own forward fails there."""
    counted, unrolled = rnn.GRU(6, use_sequence_length=True), Unrolled(rnn.GRUCell(6))
    for block in (counted, unrolled):
        block.initialize()
        block.hybridize()
        for _ in range(2):
            block(X, None, np.array([1, 2, 3]))

    def later(block):
        return block(X, None, np.array([1, 2, 9]))

    def last(block):
        return block(X, None, np.array([1, -2, 5]))

    for call in (later, last, later):
        line = call.__code__.co_firstlineno + 1
        assert outcome(call, counted)[2] == f"test_calls_in_turn.py:{line}"
        within = Unrolled.forward.__code__.co_firstlineno + 1
        assert outcome(call, unrolled)[2] == f"test_calls_in_turn.py:{within}"


def test_what_is_generated_has_no_gradient():
    for make in (SequenceSampler, BeamSearch):
        grads = []
        for compiled in (False, True):
            np.random.seed(3)
            net = GPT(11, 8, 1, 2, max_length=6)
            net.initialize()
            generator = make(net, 3)
            generator.hybridize(compiled)
            with autograd.record():
                *_, last = generator(PROMPTS)
                assert autograd.is_recording()
                loss = net(PROMPTS).sum() + last.sum()
            loss.backward()
            grads.append(net.embedding.weight.grad().asnumpy())
        with autograd.record():
            loss = net(PROMPTS).sum()
        loss.backward()
        for found in grads:
            numpy.testing.assert_allclose(found, net.embedding.weight.grad().asnumpy(), rtol=1e-4, atol=1e-5)
