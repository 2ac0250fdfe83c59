"""Cells: steps against PyTorch's, loops over steps in every form, in both modes; what modifies them; messages."""

from __future__ import annotations

import numpy
import pytest
import torch

from hybridize import autograd, gluon, hybridize, np, npx
from hybridize.errors import ArgumentError, CaptureError, OutOfBoundsError, ShapeError
from hybridize.gluon import rnn
from tests.refusals import refusal

MODES = pytest.mark.parametrize("compiled", [False, True], ids=["imperatively", "hybridized"])
STEPS, BATCH, SIZE = 5, 3, 4
LENGTHS = numpy.array([5, 0, 3])


def sequence(*cells, kind=rnn.HybridSequentialRNNCell):
    made = kind()
    made.add(*cells)
    return made


CELLS = {
    "plain": lambda: rnn.RNNCell(SIZE),
    "lstm": lambda: rnn.LSTMCell(SIZE),
    "projected": lambda: rnn.LSTMPCell(SIZE, 2),
    "gru": lambda: rnn.GRUCell(SIZE, activation="softsign"),
    "residual": lambda: rnn.ResidualCell(rnn.GRUCell(SIZE)),
    "zoneout": lambda: rnn.ZoneoutCell(rnn.LSTMCell(SIZE), 0.3, 0.4),
    "variational": lambda: rnn.VariationalDropoutCell(rnn.LSTMCell(SIZE), 0.3, 0.4, 0.2),
    "stack": lambda: sequence(rnn.LSTMCell(SIZE), rnn.DropoutCell(0.5), rnn.ResidualCell(rnn.GRUCell(SIZE))),
    "both": lambda: rnn.BidirectionalCell(rnn.LSTMCell(SIZE), rnn.GRUCell(2)),
    "above": lambda: sequence(rnn.BidirectionalCell(rnn.GRUCell(2), rnn.GRUCell(2)), rnn.RNNCell(SIZE)),
    "users": lambda: Running(),
}
QUICK = {"lstm", "zoneout", "variational", "stack", "above", "users"}
STEPPED = [name for name in CELLS if name not in ("both", "above")]


class Running(rnn.HybridRecurrentCell):
    """A cell of a user's: the sum so far, and the greatest so far."""

    def state_info(self, batch_size=0):
        return [{"shape": (batch_size, SIZE), "__layout__": "NC"}] * 2

    def forward(self, x, states):
        total, greatest = states
        total, greatest = total + x, np.maximum(greatest, x)
        return total - greatest, [total, greatest]


class Unrolled(gluon.HybridBlock):
    def __init__(self, cell, length=STEPS, **how):
        super().__init__()
        self.cell, self.length, self.how = cell, length, how

    def forward(self, x, begin=None, lengths=None):
        return self.cell.unroll(self.length, x, begin, valid_length=lengths, **self.how)


def drawn(*shape, seed=1):
    return np.array(numpy.random.default_rng(seed).normal(size=shape), dtype="float64")


def filled(cell):
    cell.initialize()
    if isinstance(cell, gluon.HybridBlock) and not isinstance(cell, Unrolled):
        cell.unroll(1, np.ones((1, 1, SIZE)))
    elif isinstance(cell, Unrolled):
        cell.cell.unroll(1, np.ones((1, 1, SIZE)))
    cell.cast("float64")
    for number, parameter in enumerate(cell.collect_params().values()):
        parameter.set_data(drawn(*parameter.shape, seed=number + 5) * 0.5)
    return cell


def begun(cell):
    return [drawn(*info["shape"], seed=9 + k) for k, info in enumerate(cell.state_info(BATCH))]


def near(found, expected, tolerance=1e-10):
    found, expected = (x.asnumpy() if hasattr(x, "asnumpy") else x for x in (found, expected))
    numpy.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


PEERS = {
    "plain": (rnn.RNNCell, torch.nn.RNNCell, {}),
    "relu": (lambda size: rnn.RNNCell(size, "relu"), torch.nn.RNNCell, {"nonlinearity": "relu"}),
    "lstm": (rnn.LSTMCell, torch.nn.LSTMCell, {}),
    "gru": (rnn.GRUCell, torch.nn.GRUCell, {}),
}


@pytest.mark.parametrize("name", PEERS)
def test_a_step_is_pytorchs(name):
    ours, theirs, more = PEERS[name]
    cell, module = filled(ours(SIZE)), theirs(SIZE, SIZE, **more).double()
    with torch.no_grad():
        for part, of in (("i2h", "ih"), ("h2h", "hh")):
            for word in ("weight", "bias"):
                value = torch.tensor(getattr(cell, f"{part}_{word}").data().asnumpy())
                getattr(module, f"{word}_{of}").copy_(value)
    x, states = drawn(BATCH, SIZE), begun(cell)
    hx = tuple(torch.tensor(one.asnumpy()) for one in states)
    expected = module(torch.tensor(x.asnumpy()), hx if len(hx) == 2 else hx[0])
    expected = expected if isinstance(expected, tuple) else (expected,)
    for compiled in (False, True):
        cell.hybridize(compiled)
        y, after = cell(x, states)
        near(y, expected[0].detach().numpy())
        for one, other in zip(after, expected, strict=True):
            near(one, other.detach().numpy())


@pytest.mark.parametrize("name", STEPPED)
def test_unrolling_is_step_after_step(name):
    cell = filled(CELLS[name]())
    x, states = drawn(BATCH, STEPS, SIZE), begun(cell)
    outputs, last = cell.unroll(STEPS, x, states)
    assert isinstance(outputs, list) and len(outputs) == STEPS
    now = states
    for k in range(STEPS):
        y, now = cell(x[:, k], now)
        near(outputs[k], y)
    for one, other in zip(last, now, strict=True):
        near(one, other)


@pytest.mark.parametrize(
    ("name", "counted", "training"),
    [
        pytest.param(name, counted, training, marks=[] if name in QUICK and counted and training else pytest.mark.long)
        for name in CELLS
        for counted in (False, True)
        for training in (False, True)
    ],
)
def test_hybridized_it_is_one_loop(name, counted, training):
    """One program whose scans are as many as the cells, and which gives what Python gives, gradients too."""
    net = filled(Unrolled(CELLS[name](), merge_outputs=True))
    x, states = drawn(BATCH, STEPS, SIZE), begun(net.cell)
    lengths = [np.array(LENGTHS)] if counted else []
    found = []
    for compiled in (False, True):
        net.hybridize(compiled)
        npx.random.seed(3)
        x.attach_grad()
        with autograd.record(train_mode=training):
            y, last = net(x, states, *lengths)
            total = (y * y).sum() + sum((one * one).sum() for one in last)
        total.backward()
        gradients = [one.grad() for one in net.collect_params().values()]
        found.append([one.asnumpy() for one in (y, *last, x.grad, *gradients)])
    for ours, theirs in zip(*found, strict=True):
        near(theirs, ours)
    assert net.program(x, states, *lengths).fallbacks == ()
    if counted:
        assert not found[0][0][1].any() and not found[0][0][2, 3:].any()
        near(found[0][1][1], states[0][1])


@pytest.mark.parametrize("name", ["lstm", "above", "users", "zoneout"])
def test_one_program_for_any_number_of_steps(name):
    net = filled(Unrolled(CELLS[name](), None, merge_outputs=True))
    given = [(drawn(batch, steps, SIZE), np.array(numpy.arange(batch) % (steps + 1))) for steps, batch in SIZES]
    found = []
    for compiled in (False, True):
        net.hybridize(compiled)
        found.append([])
        for x, lengths in given:
            x.attach_grad()
            with autograd.record(train_mode=False):
                y, last = net(x, None, lengths)
                (y * y).sum().backward()
            found[-1] += [y.asnumpy(), last[0].asnumpy(), x.grad.asnumpy()]
    for ours, theirs in zip(*found, strict=True):
        near(theirs, ours)
    assert net.cache_info().programs <= 3


SIZES = [(5, 3), (7, 3), (9, 2), (4, 4), (11, 5), (60, 2)]


def test_the_graph_of_a_long_loop_does_not_grow():
    def nodes(steps):
        net = filled(Unrolled(CELLS["stack"](), None, merge_outputs=True))
        net.hybridize()
        return len(net.program(drawn(BATCH, steps, SIZE)).optimized.nodes)

    assert nodes(300) == nodes(20)


@MODES
@pytest.mark.parametrize("layout", ["NTC", "TNC"])
def test_forms_of_sequences(layout, compiled):
    cell = filled(rnn.GRUCell(SIZE))
    x = drawn(BATCH, STEPS, SIZE)
    given = x if layout == "NTC" else x.swapaxes(0, 1)
    expected, (state,) = cell.unroll(STEPS, x, merge_outputs=True)

    def call(x, merge, listed):
        inputs = [x[:, k] if layout == "NTC" else x[k] for k in range(STEPS)] if listed else x
        return cell.unroll(STEPS, inputs, layout=layout, merge_outputs=merge)

    for merge in (None, True, False):
        for listed in (False, True):
            outputs, (last,) = (hybridize(call) if compiled else call)(given, merge, listed)
            if merge:
                near(outputs if layout == "NTC" else outputs.swapaxes(0, 1), expected)
            else:
                assert isinstance(outputs, list)
                near(np.stack(outputs, axis=1), expected)
            near(last, state)


@MODES
def test_no_steps(compiled):
    net = filled(Unrolled(sequence(rnn.LSTMCell(SIZE), rnn.GRUCell(3)), None, merge_outputs=True))
    net.hybridize(compiled)
    states = begun(net.cell)
    y, last = net(drawn(BATCH, 0, SIZE), states)
    assert y.shape == (BATCH, 0, 3)
    for one, other in zip(last, states, strict=True):
        near(one, other)


def test_lengths_are_those_of_pytorchs_packed_sequences():
    layer = rnn.LSTM(SIZE, bidirectional=True, layout="NTC", use_sequence_length=True, dtype="float64", input_size=SIZE)
    layer.initialize()
    x = drawn(BATCH, STEPS, SIZE)
    expected, last = layer(x, layer.begin_state(BATCH), np.array(LENGTHS))
    found, after = layer.unfuse().unroll(STEPS, x, merge_outputs=True, valid_length=np.array(LENGTHS))
    near(found, expected)
    near(after[0], last[0][0])
    near(after[3], last[1][1])


def test_zoneout_keeps_the_part_asked_for():
    cell = rnn.ZoneoutCell(rnn.RNNCell(50, input_size=50), 0.25, 0.4)
    cell.initialize()
    base = cell.base_cell
    base.i2h_weight.set_data(np.eye(50))
    base.h2h_weight.set_data(np.zeros((50, 50)))
    base.i2h_bias.set_data(np.full((50,), 0.5))
    with autograd.train_mode():
        y, (state,) = cell.unroll(1, np.zeros((40, 1, 50)), [np.ones((40, 50)) * 7], merge_outputs=True)
    y, state = y.asnumpy(), state.asnumpy()
    assert abs((y == 0).mean() - 0.25) < 0.05 and abs((state == 7).mean() - 0.4) < 0.05
    assert set(numpy.unique(y.round(5))) == {0, numpy.float32(numpy.tanh(0.5)).round(5)}
    outputs, _ = cell.unroll(1, np.zeros((40, 1, 50)), [np.ones((40, 50)) * 7], merge_outputs=True)
    assert (outputs.asnumpy() != 0).all()


def test_variational_dropout_is_the_same_at_every_step():
    cell = rnn.VariationalDropoutCell(Running(), drop_inputs=0.5)
    with autograd.train_mode():
        _, (total, _) = cell.unroll(6, np.ones((BATCH, 6, SIZE)), merge_outputs=True)
        assert set(numpy.unique(total.asnumpy())) <= {0.0, 12.0}
        cell.reset()
        states = cell.begin_state(BATCH)
        for _ in range(3):
            _, states = cell(np.ones((BATCH, SIZE)), states)
        assert set(numpy.unique(states[0].asnumpy())) <= {0.0, 6.0}


@pytest.mark.parametrize("name", ["zoneout", "variational"])
def test_steps_by_hand_in_a_program(name):
    """What a cell keeps from step to step is the program's, and begins anew when the cell is reset."""

    class Stepped(gluon.HybridBlock):
        def __init__(self, cell):
            super().__init__()
            self.cell = cell

        def forward(self, x, states):
            self.cell.reset()
            outputs = []
            for k in range(3):
                y, states = self.cell(x[:, k], states)
                outputs.append(y)
            return np.stack(outputs), states

    net = Stepped(filled(CELLS[name]()))
    x, states = drawn(BATCH, STEPS, SIZE), begun(net.cell)
    found = []
    for compiled in (False, True):
        net.hybridize(compiled)
        for _ in range(2):
            npx.random.seed(4)
            with autograd.train_mode():
                found.append(net(x, states)[0].asnumpy())
    for other in found[1:]:
        near(other, found[0])


def test_dynamic_unroll():
    cell = filled(rnn.GRUCell(SIZE))
    x = drawn(STEPS, BATCH, SIZE)
    begin = begun(cell)
    expected, last = cell.unroll(STEPS, x, begin, layout="TNC", merge_outputs=True)
    for function in (rnn.rnn_cell.dynamic_unroll, hybridize(rnn.rnn_cell.dynamic_unroll)):
        found, after = function(cell, x, begin)
        near(found, expected)
        near(after[0], last[0])
    found, _ = gluon.contrib.rnn.dynamic_unroll(cell, x.swapaxes(0, 1), begin, layout="NTC", drop_inputs=0.5)
    near(found.swapaxes(0, 1), expected)  # nothing is dropped but while training
    with autograd.train_mode():
        dropped, _ = rnn.rnn_cell.dynamic_unroll(cell, x, begin, drop_outputs=0.5)
    ratio = dropped.asnumpy() / expected.asnumpy()
    assert set(numpy.unique(ratio.round(6))) <= {0.0, 2.0} and (ratio == ratio[:1]).all()


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("last", [False, True], ids=["first", "last"])
@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_convolutional_cells(kind, rank, last):
    """Where windows are of one element, each pixel is a sequence of its own for the cell of the same name."""
    pixels = (3, 2, 2)[:rank]
    letters = "DHW"[3 - rank :]
    layout = f"N{letters}C" if last else f"NC{letters}"
    shape = (*pixels, 2) if last else (2, *pixels)
    cell = getattr(rnn, f"Conv{rank}D{kind}Cell")(shape, SIZE, 1, 1, conv_layout=layout)
    plain = getattr(rnn, f"{kind}Cell")(SIZE, input_size=2)
    for one in (cell, plain):
        one.initialize()
        one.cast("float64")
    for part, parameter in plain.collect_params().items():
        theirs = getattr(cell, part)
        theirs.set_data(drawn(*theirs.shape, seed=len(part)))
        parameter.set_data(theirs.data().reshape(parameter.shape))
    x = drawn(2, STEPS, *shape)
    assert [info["shape"] for info in cell.state_info(2)] == [(2, *pixels, SIZE) if last else (2, SIZE, *pixels)] * (
        2 if kind == "LSTM" else 1
    )
    rows = x if last else np.moveaxis(x, 2, -1)
    expected, _ = plain.unroll(STEPS, np.moveaxis(rows, 1, -2).reshape(-1, STEPS, 2), merge_outputs=True)
    expected = np.moveaxis(expected.reshape(2, *pixels, STEPS, SIZE), -2, 1)
    net = Unrolled(cell, merge_outputs=True)
    for compiled in (False, True):
        net.hybridize(compiled)
        y, _ = net(x)
        near(y if last else np.moveaxis(y, 2, -1), expected)


def test_windows_of_convolutional_cells():
    cell = rnn.Conv2DLSTMCell((3, 9, 8), 4, (3, 5), 3, i2h_pad=(0, 2), i2h_dilate=2, h2h_dilate=(1, 2))
    cell.initialize()
    y, (state, memory) = cell(np.ones((2, 3, 9, 8)), cell.begin_state(2))
    assert y.shape == state.shape == memory.shape == (2, 4, 5, 4)
    x = numpy.random.default_rng(0).normal(size=(2, 3, 9, 8)).astype("f4")
    expected = torch.nn.functional.conv2d(
        torch.tensor(x), torch.tensor(cell.i2h_weight.data().asnumpy()), padding=(0, 2), dilation=2
    ) + torch.nn.functional.conv2d(
        torch.tensor(state.asnumpy()), torch.tensor(cell.h2h_weight.data().asnumpy()), padding=(1, 2), dilation=(1, 2)
    )
    i, f, g, o = expected.chunk(4, 1)
    after = torch.sigmoid(f) * torch.tensor(memory.asnumpy()) + torch.sigmoid(i) * torch.tanh(g)
    y, _ = cell(np.array(x), [state, memory])
    near(y, (torch.sigmoid(o) * torch.tanh(after)).numpy(), 1e-5)


def test_shapes_before_the_first_call():
    """MXNet 2's `infer_shape(layer, x, is_bidirect)` tells the shapes that the first call would find."""
    stack = rnn.HybridSequentialRNNCell()
    stack.add(rnn.LSTMCell(3))
    stack.add(rnn.ResidualCell(rnn.GRUCell(3)))
    stack.add(rnn.LSTMPCell(5, 2))
    both = rnn.SequentialRNNCell()
    both.add(rnn.BidirectionalCell(rnn.GRUCell(4), rnn.GRUCell(4)))
    both.add(rnn.ResidualCell(rnn.BidirectionalCell(rnn.RNNCell(4), rnn.RNNCell(4))))
    both.add(rnn.LSTMCell(2))
    image = rnn.Conv1DLSTMCell((-1, 7), 6, (3,), (3,), conv_layout="NCW")
    for cell, x in ((stack, (2, 3, 8)), (both, (2, 3, 8)), (image, (2, 3, 5, 7))):
        cell.infer_shape(0, np.zeros(x), False)
        told = {name: parameter.shape for name, parameter in cell.collect_params().items()}
        cell.initialize()
        cell.unroll(3, np.zeros(x), layout="NTC")
        assert told == {name: parameter.data().shape for name, parameter in cell.collect_params().items()}
        assert not any(-1 in shape for shape in told.values())
    image = rnn.Conv1DLSTMCell((-1, 7), 6, (3,), (3,))
    image.initialize()
    image(np.zeros((2, 5, 7)), image.begin_state(2))
    assert image.i2h_weight.shape == (24, 5, 3)


def test_cells_in_containers_and_names():
    stack = sequence(rnn.LSTMCell(3, prefix="first_"), rnn.GRUCell(2), kind=rnn.SequentialRNNCell)
    assert len(stack) == 2 and isinstance(stack[1], rnn.GRUCell) and list(stack) == [stack[0], stack[1]]
    assert [info["shape"] for info in stack.state_info(7)] == [(7, 3), (7, 3), (7, 2)]
    assert stack[0].i2h_weight.name == "first_i2h_weight"
    assert [one.shape for one in stack.begin_state(7, np.ones)] == [(7, 3), (7, 3), (7, 2)]
    shared = rnn.LSTMCell(3, prefix="first_", params=stack[0].params)
    assert shared.i2h_weight is stack[0].i2h_weight
    assert repr(rnn.ResidualCell(rnn.GRUCell(2, input_size=2))) == "ResidualCell(GRUCell(2 -> 6))"


@MODES
def test_bad_calls(compiled):
    def refused(error, words, cell, *args, **kwargs):
        net = Unrolled(cell, **kwargs)
        net.initialize()
        net.hybridize(compiled)
        with refusal(error, words):
            net(*args)

    x = np.ones((BATCH, STEPS, SIZE))
    refused(ShapeError, "E187.*length=4", rnn.GRUCell(2), x, length=4)
    refused(ArgumentError, "layout='CTN'", rnn.GRUCell(2), x, layout="CTN")
    refused(ArgumentError, "got 1 states", rnn.LSTMCell(2), x, [np.zeros((BATCH, 2))])
    refused(ShapeError, "E187.*state", rnn.GRUCell(2), x, [np.zeros((BATCH, 3))])
    refused(ShapeError, "E187.*state", rnn.GRUCell(2), x, [np.zeros((BATCH + 1, 2))])
    refused(OutOfBoundsError, "E110", rnn.GRUCell(2), x, None, np.array([1, 2, STEPS + 1]))
    refused(OutOfBoundsError, "E110", rnn.GRUCell(2), x, None, np.array([1, 2, -1]))
    refused(ShapeError, "E187.*lengths|E187.*valid_length", rnn.GRUCell(2), x, None, np.array([1, 2]))


def test_bad_arguments():
    for make in (lambda: rnn.GRUCell(0), lambda: rnn.LSTMPCell(2, 0), lambda: rnn.DropoutCell(1.5),
                 lambda: rnn.ZoneoutCell(rnn.GRUCell(2), 2), lambda: rnn.Conv1DRNNCell((2, 4), 3, 3, 2),
                 lambda: rnn.Conv1DRNNCell((2, 4, 4), 3, 3, 3), lambda: rnn.GRUCell(2).begin_state(-1),
                 lambda: rnn.ZoneoutCell(rnn.BidirectionalCell(rnn.GRUCell(2), rnn.GRUCell(2)))):  # fmt: skip
        with pytest.raises(ArgumentError, match=r"E331|E345"):
            make()
    with pytest.raises(ArgumentError, match="has no single step"):
        rnn.BidirectionalCell(rnn.GRUCell(2), rnn.GRUCell(2))(np.ones((1, 2)), [])
    with pytest.raises(ArgumentError, match="is made of cells"):
        rnn.SequentialRNNCell().add(rnn.GRU(2))
    with pytest.raises(ArgumentError, match="has no state_info"):
        rnn.RecurrentCell().begin_state(1)
    cell = rnn.Conv1DRNNCell((2, 4), 3, 3, 3, 1)
    cell.initialize()
    with pytest.raises(ShapeError, match="E187"):
        cell(np.ones((1, 2, 5)), cell.begin_state(1))


def test_what_a_cell_keeps_is_not_set_in_a_branch():
    cell = filled(rnn.ZoneoutCell(rnn.GRUCell(SIZE), 0.5))

    @hybridize
    def stepped(x, states):
        with autograd.train_mode():
            if x.sum() > 0:
                x, states = cell(x, states)
        return x, states

    with pytest.raises(CaptureError, match="E430"):
        stepped(np.ones((BATCH, SIZE)), [np.ones((BATCH, SIZE))])
