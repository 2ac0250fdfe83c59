"""Wrong states, inputs and lengths of every cell and layer: the same error, or value, in both modes, at one's own line."""

import numpy
import pytest

from hybridize import autograd, np
from hybridize.errors import ArgumentError
from hybridize.gluon import rnn
from tests.gluon.both_ways import agreed, outcome, refused

BATCH, STEPS, INPUTS, SIZE = 3, 5, 4, 6


def stack():
    made = rnn.HybridSequentialRNNCell()
    made.add(rnn.LSTMCell(SIZE), rnn.DropoutCell(0.3), rnn.GRUCell(SIZE))
    return made


CELLS = {
    "plain": (lambda: rnn.RNNCell(SIZE), (INPUTS,)),
    "lstm": (lambda: rnn.LSTMCell(SIZE), (INPUTS,)),
    "gru": (lambda: rnn.GRUCell(SIZE), (INPUTS,)),
    "projected": (lambda: rnn.LSTMPCell(SIZE, 2), (INPUTS,)),
    "zoneout": (lambda: rnn.ZoneoutCell(rnn.LSTMCell(SIZE), 0.5, 0.5), (INPUTS,)),
    "residual": (lambda: rnn.ResidualCell(rnn.GRUCell(INPUTS)), (INPUTS,)),
    "variational": (lambda: rnn.VariationalDropoutCell(rnn.LSTMCell(SIZE), 0.5, 0.5, 0.5), (INPUTS,)),
    "stack": (stack, (INPUTS,)),
    "bidirectional": (lambda: rnn.BidirectionalCell(rnn.LSTMCell(SIZE), rnn.GRUCell(SIZE)), (INPUTS,)),
    "conv1": (lambda: rnn.Conv1DLSTMCell((2, 7), 3, 3, 3, 1), (2, 7)),
    "conv2": (lambda: rnn.Conv2DGRUCell((2, 5, 5), 3, 3, 3, 1), (2, 5, 5)),
    "conv3": (lambda: rnn.Conv3DRNNCell((2, 4, 4, 4), 3, 3, 3, 1), (2, 4, 4, 4)),
}


SLOW = {"plain", "projected", "variational", "conv2", "conv3"}
EACH = [pytest.param(name, marks=pytest.mark.long if name in SLOW else []) for name in CELLS]


def made(name):
    """A cell, an input of all steps, and good states."""
    make, shape = CELLS[name]
    cell = make()
    cell.initialize()
    x = np.array(numpy.random.default_rng(1).normal(size=(BATCH, STEPS, *shape)))
    cell.unroll(None, x)
    return cell, x, cell.begin_state(BATCH)


WRONG_STATES = [
    # of good states; the code; words
    (lambda states: states[:-1], "E331", " got "),
    (lambda states: [*states, states[0]], "E331", " got "),
    (lambda states: [state[:1] for state in states], "E187", "f32"),
    (lambda states: [np.repeat(state, 2, axis=0) for state in states], "E187", "f32"),
    (lambda states: [np.concatenate([one, one], axis=-1) for one in states], "E187", "f32"),
    (lambda states: [np.expand_dims(state, 0) for state in states], "E187", "f32"),
    (lambda states: [np.array(0.0) for _ in states], "E187", "f32"),
    (lambda states: [None] * len(states), "E307", "NoneType"),
    (lambda states: ["zeros"] * len(states), "E307", "str"),
]


def unrolls(cell, training=False, **kwargs):
    """A function of the inputs that goes through all steps."""

    def unrolled(x):
        with autograd.train_mode() if training else autograd.predict_mode():
            return cell.unroll(inputs=x, **{"length": None, "merge_outputs": True, **kwargs})

    return unrolled


@pytest.mark.parametrize("name", EACH)
def test_states_of_every_cell(name):
    cell, x, good = made(name)
    for wrong, code, words in WRONG_STATES:
        states = wrong(good)
        for training in (False, True):
            refused(__file__, code, words, unrolls(cell, training, begin_state=states), x)
        if name != "bidirectional":
            refused(__file__, code, words, lambda x, states=states: cell(x, states), x[:, 0])
    given = agreed(unrolls(cell, begin_state=[state.asnumpy() for state in good]), x)
    zeros = agreed(unrolls(cell), x)
    for ours, theirs in zip(given, zeros, strict=True):
        assert (ours == theirs).all(), "NumPy's arrays are states, too"


def test_what_is_no_list_of_states():
    cell, x, _ = made("lstm")
    for states in (None, {}, "ab", 0, np.zeros((BATCH, SIZE))):
        refused(__file__, "E331", "LSTMCell got", lambda x, states=states: cell(x, states), x[:, 0])
    dropout = rnn.DropoutCell(0.5)
    refused(__file__, "E331", " got ", lambda x: dropout(x, None), x)
    refused(__file__, "E331", "got 1 states", unrolls(dropout, begin_state=[x]), x)
    for layer, wrong in ((rnn.GRU(SIZE), "GRU"), (rnn.GRUCell(SIZE), "GRUCell")):
        layer.initialize()
        args = ([np.zeros((BATCH, SIZE))],) if wrong == "GRUCell" else ()
        refused(
            __file__,
            "E307",
            f"{wrong} takes arrays, got NoneType",
            lambda x, layer=layer, args=args: layer(None, *args),
            x,
        )


LENGTHS = [
    ([1, 2], "E187", "of 3 sequences"),
    ([[1], [1], [2]], "E187", "of 3 sequences"),
    (3, "E187", "of 3 sequences"),
    ([1, -1, 2], "E110", "valid_length"),
    ([1, STEPS + 1, 2], "E110", "valid_length"),
    ([1, numpy.nan, 2], "E110", "valid_length"),
]


@pytest.mark.parametrize("cell", [rnn.DropoutCell(0.5), rnn.HybridSequentialRNNCell(), *EACH], ids=str)
def test_lengths_of_every_cell(cell):
    cell, x, _ = made(cell) if isinstance(cell, str) else (cell, np.ones((BATCH, STEPS, INPUTS)), None)
    for lengths, code, words in LENGTHS:
        refused(__file__, code, words, unrolls(cell, valid_length=np.array(lengths)), x)
    refused(__file__, "E110", "valid_length", unrolls(cell, valid_length=np.array([0, 1, 0])), x[:, :0])
    outputs, *_ = agreed(unrolls(cell, valid_length=np.array([0, 0, 0])), x)
    assert not outputs.any()
    states = cell.begin_state(BATCH)
    refused(
        __file__, "E110", "valid_length",
        lambda x: rnn.rnn_cell.dynamic_unroll(cell, x, states, layout="NTC", valid_length=np.array([1, 9, 1])), x,
    )  # fmt: skip


def test_inputs_and_layouts_of_cells():
    for name in CELLS:
        cell, x, good = made(name)
        if name != "bidirectional":
            for wrong in (np.array(1.0), np.ones((BATCH,)), x[:1, 0], np.ones((BATCH, *x.shape[2:-1], 9))):
                kind = outcome(cell, wrong, good)
                assert kind[0].__name__ == "ShapeError", (name, kind)
                refused(__file__, kind[1], "", lambda x, cell=cell, good=good: cell(x, good), wrong)
        for layout in (None, 3, "CTN", "", ("N", "T")):
            refused(__file__, "E331", "layout", unrolls(cell, layout=layout), x)
        for length in (STEPS - 1, STEPS + 1, -1, "all"):
            refused(__file__, "E187", "length", unrolls(cell, length=length), x)
        empty = agreed(unrolls(cell), x[:0])
        assert empty[0].shape[:2] == (0, STEPS)
        states = agreed(unrolls(cell, begin_state=good), x[:, :0])[1:]
        for ours, theirs in zip(states, good, strict=True):
            assert (ours == theirs.asnumpy()).all()


def test_residuals_are_as_large_as_the_input():
    for size in (1, SIZE):
        cell = rnn.ResidualCell(rnn.GRUCell(size, input_size=INPUTS))
        cell.initialize()
        x, states = np.ones((BATCH, STEPS, INPUTS)), cell.begin_state(BATCH)
        refused(__file__, "E187", "ResidualCell of GRUCell", unrolls(cell), x)
        refused(__file__, "E187", "ResidualCell of GRUCell", lambda x, s=states, cell=cell: cell(x, s), x[:, 0])


class Mine(rnn.HybridRecurrentCell):
    """A cell of a user, whose step may be wrong."""

    def __init__(self, step):
        super().__init__()
        self.step = step

    def state_info(self, batch_size=0):
        return [{"shape": (batch_size, INPUTS)}]

    def forward(self, x, states):
        return self.step(x, states)


WRONG_STEPS = [
    (lambda x, states: (x, None), "E331", "must return arrays, got NoneType"),
    (lambda x, states: (x, []), "E331", "with 1 states returned 0"),
    (lambda x, states: (x, [x, x]), "E331", "with 1 states returned 2"),
    (lambda x, states: (x, [x[:, :1]]), "E187", "in place of"),
    (lambda x, states: (x, [0.0]), "E331", "must return arrays, got float"),
    (lambda x, states: x, "E331", "returned f32[3,4]"),
    (lambda x, states: None, "E331", "returned NoneType"),
    (lambda x, states: (x, x, [x]), "E331", "returned 3 results"),
    (lambda x, states: (None, [x]), "E331", "must return arrays, got NoneType"),
    (lambda x, states: ([x, x], [x]), "E331", "must return arrays, got list"),
    (lambda x, states: (x.sum(), [x]), "E187", "gives the output f32[]"),
    (lambda x, states: (x[:2], [x]), "E187", "for 3 sequences"),
]


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize(("step", "code", "words"), WRONG_STEPS)
def test_what_a_users_cell_gives(step, code, words, counted):
    lengths = np.array([1, STEPS, 2]) if counted else None
    refused(__file__, code, words, unrolls(Mine(step), valid_length=lengths), np.ones((BATCH, STEPS, INPUTS)))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: rnn.DropoutCell(0.5, ("a",)), "axes of DropoutCell"),
        (lambda: rnn.DropoutCell(0.5, 1.5), "axes of DropoutCell"),
        (lambda: rnn.GRUCell(3).begin_state(2, func=3), "with func=3"),
        (lambda: rnn.GRU(3).begin_state(2, func="zeros"), "with func='zeros'"),
        (lambda: rnn.GRU(3).begin_state(1.5), "batch_size=1.5"),
    ],
)
def test_bad_settings(make, words):
    with pytest.raises(ArgumentError, match="E331") as caught:
        make()
    assert words in str(caught.value)


LAYERS = {
    "plain": (rnn.RNN, {}),
    "lstm": (rnn.LSTM, {}),
    "gru": (rnn.GRU, {}),
    "projected": (rnn.LSTM, {"projection_size": 2}),
}


@pytest.mark.parametrize("name", LAYERS)
def test_states_and_lengths_of_every_layer(name):
    make, options = LAYERS[name]
    layer, counted = (make(SIZE, 2, input_size=INPUTS, **options, use_sequence_length=use) for use in (False, True))
    layer.initialize()
    counted.initialize()
    x, good = np.ones((STEPS, BATCH, INPUTS)), layer.begin_state(BATCH)
    wrong = [
        (good[:-1], "E331", " got "),
        ([*good, good[0]], "E331", " got "),
        ([np.swapaxes(state, 0, 1) for state in good], "E186", "with states"),
        ([state[:, :1] for state in good], "E186", "with states"),
        ([state[:1] for state in good], "E186", "with states"),
        ([state[:, :, :1] for state in good], "E186", "with states"),
        ([state[0] for state in good], "E186", "with states"),
        ([0.0] * len(good), "E186", "with states"),
        ([None] * len(good), "E307", "NoneType"),
    ]
    for states, code, words in wrong:
        refused(__file__, code, words, lambda x, states=states: layer(x, states), x)
    for lengths, code, words in LENGTHS:
        code, words = ("E186", "lengths") if code == "E187" else (code, "lengths of sequences")
        refused(__file__, code, words, lambda x, n: counted(x, None, n), x, np.array(lengths))
    refused(
        __file__,
        "E331",
        "got sequence_length, but was created without use_sequence_length",
        lambda x: layer(x, None, [1, 2, 3]),
        x,
    )
    refused(__file__, "E331", "got no sequence_length", lambda x: counted(x), x)
    for other in (x[0], x[None], x[:, :, :3], x[:, :, :0]):
        refused(__file__, "E186", "", lambda x: layer(x), other)
    for few in (x[:0], x[:, :0]):
        agreed(lambda x: layer(x, layer.begin_state(x.shape[1])), few)
