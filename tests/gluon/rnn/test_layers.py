"""Recurrent layers: every option against PyTorch, values and gradients, imperatively and hybridized; sizes, messages."""

from __future__ import annotations

import numpy
import pytest
import torch

from hybridize import autograd, gluon, hybridize, np, npx
from hybridize.errors import ArgumentError, OutOfBoundsError, ShapeError
from hybridize.gluon import rnn
from tests.refusals import refusal

MODES = pytest.mark.parametrize("compiled", [False, True], ids=["imperatively", "hybridized"])
PARTS = {
    "i2h_weight": "weight_ih", "h2h_weight": "weight_hh", "h2r_weight": "weight_hr", "i2h_bias": "bias_ih",
    "h2h_bias": "bias_hh",
}  # fmt: skip
TOLERANCES = {"float64": 1e-10, "float32": 2e-5, "float16": 4e-3}
STEPS, BATCH, INPUTS, SIZE = 5, 3, 4, 6
LAYERS = {
    "lstm": (rnn.LSTM, {}),
    "gru": (rnn.GRU, {}),
    "relu": (rnn.RNN, {"activation": "relu"}),
    "tanh": (rnn.RNN, {"activation": "tanh"}),
    "projected": (rnn.LSTM, {"projection_size": 2}),
}
OPTIONS = [
    {},
    {"num_layers": 2, "bidirectional": True},
    {"num_layers": 2, "layout": "NTC", "use_sequence_length": True},
    {"bidirectional": True, "use_sequence_length": True},
]
QUICK = {("lstm", 1), ("gru", 3), ("tanh", 2), ("relu", 0), ("projected", 0)}
LENGTHS = numpy.array([5, 2, 3])


def drawn(*shape, seed=1):
    return numpy.random.default_rng(seed).normal(size=shape)


def filled(layer, dtype="float64", inputs=INPUTS):
    """A layer with parameters that are neither zeros nor alike."""
    layer.initialize()
    layer.infer_shape(np.zeros((1, 1, inputs)))
    layer.cast(dtype)
    for number, parameter in enumerate(layer.collect_params().values()):
        parameter.set_data(np.array(drawn(*parameter.shape, seed=number + 5) * 0.5, dtype=dtype))
    return layer


def peer_of(layer, inputs=INPUTS):
    """PyTorch's module with the same weights."""
    stack = layer._stack
    kind = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU}.get(stack.mode, torch.nn.RNN)
    more = {"proj_size": stack.projection_size} if stack.projection_size else {}
    more |= {"nonlinearity": stack.mode[4:]} if kind is torch.nn.RNN else {}
    module = kind(
        inputs, stack.state_size, stack.num_layers, bidirectional=stack.bidirectional,
        batch_first=layer._layout == "NTC", **more,
    ).double()  # fmt: skip
    with torch.no_grad():
        for name in layer.collect_params():
            torch_parameter(module, name).copy_(torch.tensor(getattr(layer, name).data().asnumpy()))
    return module


def torch_parameter(module, name):
    direction, number, part = name[0], name[1], name[3:]
    return getattr(module, f"{PARTS[part]}_l{number}{'_reverse' if direction == 'r' else ''}")


def states_of(layer, batch=BATCH, dtype="float64"):
    return [drawn(*info["shape"], seed=9 + k).astype(dtype) for k, info in enumerate(layer.state_info(batch))]


def by_torch(layer, x, states, lengths=None):
    """Results, last states, and the gradients of a mixture of them by the input, the states and the parameters."""
    module = peer_of(layer, x.shape[2])
    given = torch.tensor(x, requires_grad=True)
    begin = [torch.tensor(state, requires_grad=True) for state in states]
    first, hx = layer._layout == "NTC", tuple(begin) if len(begin) == 2 else begin[0]
    if lengths is None:
        y, last = module(given, hx)
    else:
        packed = torch.nn.utils.rnn.pack_padded_sequence(given, torch.tensor(lengths), first, enforce_sorted=False)
        y, last = module(packed, hx)
        y, _ = torch.nn.utils.rnn.pad_packed_sequence(y, first, total_length=x.shape[1 if first else 0])
    last = list(last) if isinstance(last, tuple) else [last]
    mixture(torch, y, last).backward()
    gradients = {name: torch_parameter(module, name).grad.numpy() for name in layer.collect_params()}
    gradients |= {"x": given.grad.numpy()} | {f"state{k}": one.grad.numpy() for k, one in enumerate(begin)}
    return [y.detach().numpy(), *(one.detach().numpy() for one in last)], gradients


def mixture(of, y, last):
    return (y * of.cos(y)).sum() + sum((k + 2) * (one * one).sum() for k, one in enumerate(last))


def by_us(layer, x, states, lengths=None):
    given, begin = np.array(x, dtype=x.dtype), [np.array(one, dtype=one.dtype) for one in states]
    for one in (given, *begin):
        one.attach_grad()
    with autograd.record():
        y, last = layer(given, begin, *([] if lengths is None else [np.array(lengths)]))
        total = mixture(np, y, last)
    total.backward()
    gradients = {name: one.grad().asnumpy() for name, one in layer.collect_params().items()}
    gradients |= {"x": given.grad.asnumpy()} | {f"state{k}": one.grad.asnumpy() for k, one in enumerate(begin)}
    return [y.asnumpy(), *(one.asnumpy() for one in last)], gradients


def near(found, expected, tolerance=1e-10):
    numpy.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        pytest.param(name, options, marks=[] if (name, k) in QUICK else pytest.mark.long, id=f"{name}-{k}")
        for name in LAYERS
        for k, options in enumerate(OPTIONS)
    ],
)
def test_as_in_pytorch(name, options):
    kind, more = LAYERS[name]
    layer = filled(kind(SIZE, **more, **options))
    shape = (BATCH, STEPS, INPUTS) if layer._layout == "NTC" else (STEPS, BATCH, INPUTS)
    x, states = drawn(*shape), states_of(layer)
    lengths = LENGTHS if layer._use_sequence_length else None
    results, gradients = by_torch(layer, x, states, lengths)
    for compiled in (False, True):
        layer.hybridize(compiled)
        found, slopes = by_us(layer, x, states, lengths)
        for ours, theirs in zip(found, results, strict=True):
            near(ours, theirs)
        for key, slope in gradients.items():
            near(slopes[key], slope)
    given = [np.array(x), [np.array(one) for one in states], *([] if lengths is None else [np.array(lengths)])]
    assert layer.program(*given).fallbacks == ()


@MODES
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", ["lstm", "gru"])
def test_short_floats(name, dtype, compiled):
    layer = filled(LAYERS[name][0](SIZE, 2, dtype=dtype), dtype)
    x = drawn(STEPS, BATCH, INPUTS).astype(dtype)
    exact = filled(LAYERS[name][0](SIZE, 2))
    for ours, theirs in zip(exact.collect_params().values(), layer.collect_params().values(), strict=True):
        ours.set_data(theirs.data().astype("float64"))
    layer.hybridize(compiled)
    found = layer(np.array(x, dtype=dtype))
    assert found.dtype == dtype
    near(found.asnumpy(), exact(np.array(x, dtype="float64")).asnumpy(), TOLERANCES[dtype])


@MODES
def test_without_states_they_are_zeros_and_not_returned(compiled):
    layer = filled(rnn.LSTM(SIZE, 2))
    layer.hybridize(compiled)
    x = np.array(drawn(STEPS, BATCH, INPUTS), dtype="float64")
    y = layer(x)
    again, states = layer(x, layer.begin_state(BATCH, dtype="float64"))
    near(y.asnumpy(), again.asnumpy())
    assert [one.shape for one in states] == [(2, BATCH, SIZE)] * 2
    plain = filled(rnn.GRU(SIZE))
    _, (last,) = plain(x, np.zeros((1, BATCH, SIZE), dtype="float64"))  # one state by itself
    assert last.shape == (1, BATCH, SIZE)


def test_states_are_made_as_asked_for():
    layer = rnn.LSTM(SIZE, 2, bidirectional=True, projection_size=2)
    assert [info["shape"] for info in layer.state_info(7)] == [(4, 7, 2), (4, 7, SIZE)]
    assert {info["__layout__"] for info in layer.state_info()} == {"LNC"}
    ones = layer.begin_state(7, np.ones, dtype="float64")
    assert [(one.shape, one.dtype) for one in ones] == [((4, 7, 2), "float64"), ((4, 7, SIZE), "float64")]
    assert ones[0].asnumpy().min() == 1


@MODES
@pytest.mark.parametrize(("steps", "batch"), [(0, 3), (4, 0), (0, 0), (1, 1)])
def test_few_steps_or_sequences(steps, batch, compiled):
    layer = filled(rnn.GRU(SIZE, 2, bidirectional=True))
    layer.hybridize(compiled)
    x, states = np.array(drawn(steps, batch, INPUTS), dtype="float64"), states_of(layer, batch)
    y, (last,) = layer(x, [np.array(states[0], dtype="float64")])
    assert y.shape == (steps, batch, 2 * SIZE)
    if not steps:
        near(last.asnumpy(), states[0])


def test_one_program_for_any_number_of_steps_and_sequences():
    layer = filled(rnn.LSTM(SIZE, 2, bidirectional=True, use_sequence_length=True))
    sizes = [(5, 3), (7, 3), (9, 2), (4, 4), (11, 5), (8, 8), (100, 2)]
    found = []
    layer.hybridize()
    for steps, batch in sizes:
        lengths = numpy.arange(batch) % (steps + 1)
        found.append(layer(np.array(drawn(steps, batch, INPUTS)), None, np.array(lengths)).asnumpy())
    programs = layer.cache_info().programs
    layer.hybridize(False)
    for (steps, batch), y in zip(sizes, found, strict=True):
        lengths = numpy.arange(batch) % (steps + 1)
        near(y, layer(np.array(drawn(steps, batch, INPUTS)), None, np.array(lengths)).asnumpy(), 1e-5)
    assert programs <= 3


@MODES
def test_lengths_of_nothing_and_of_all(compiled):
    layer = filled(rnn.LSTM(SIZE, bidirectional=True, use_sequence_length=True))
    layer.hybridize(compiled)
    x, states = np.array(drawn(STEPS, BATCH, INPUTS), dtype="float64"), states_of(layer)
    begin = [np.array(one, dtype="float64") for one in states]
    y, last = layer(x, begin, np.array([0, STEPS, 0]))
    assert not y.asnumpy()[:, 0].any()
    near(last[0].asnumpy()[:, 0], states[0][:, 0])
    near(y.asnumpy()[:, 1:2], layer(x[:, 1:2], [one[:, 1:2] for one in begin], np.array([STEPS]))[0].asnumpy())


@MODES
def test_cells_are_clipped(compiled):
    layer = filled(rnn.LSTM(SIZE, state_clip_min=-0.1, state_clip_max=0.2))
    layer.hybridize(compiled)
    x = np.array(drawn(STEPS, BATCH, INPUTS) * 3, dtype="float64")
    _, (state, cell) = layer(x, layer.begin_state(BATCH, dtype="float64"))
    assert cell.asnumpy().min() == -0.1 and cell.asnumpy().max() == 0.2
    assert abs(state.asnumpy()).max() <= numpy.tanh(0.2)
    x[0, 0, 0] = numpy.nan
    y = layer(x)
    assert numpy.isnan(y.asnumpy()[-1, 0]).any()
    bounded = filled(rnn.LSTM(SIZE, state_clip_min=-0.1, state_clip_max=0.2, state_clip_nan=True))
    _, (_, cell) = bounded(x[:1], bounded.begin_state(BATCH, dtype="float64"))
    assert not numpy.isnan(cell.asnumpy()).any()


@MODES
def test_dropout_is_between_layers_while_training(compiled):
    layer = filled(rnn.LSTM(64, 2, dropout=0.5), "float32")
    plain = filled(rnn.LSTM(64, 2), "float32")
    layer.hybridize(compiled)
    x = np.array(drawn(STEPS, 8, INPUTS), dtype="float32")
    near(layer(x).asnumpy(), plain(x).asnumpy(), 1e-5)
    with autograd.train_mode():
        npx.random.seed(2)
        first, second = layer(x).asnumpy(), layer(x).asnumpy()
        npx.random.seed(2)
        again = layer(x).asnumpy()
    near(again, first, 0 if compiled else 1e-6)  # a scan that ran often is compiled: other last bits
    assert abs(first - second).max() > 1e-2
    single = filled(rnn.LSTM(SIZE, dropout=0.9), "float32")  # nothing comes after its only layer
    with autograd.train_mode():
        with_dropout = single(x).asnumpy()
    near(with_dropout, single(x).asnumpy(), 1e-6)


def test_dropped_between_layers_is_the_part_asked_for():
    """The second layer hands its input on, so what was dropped is seen."""
    layer = rnn.RNN(SIZE, 2, input_size=SIZE, dropout=0.25)
    layer.initialize()
    for name, parameter in layer.collect_params().items():
        value = numpy.eye(SIZE) if name.endswith("i2h_weight") else numpy.zeros(parameter.shape)
        parameter.set_data(np.array(value))
    with autograd.train_mode():
        y = layer(np.ones((50, 40, SIZE))).asnumpy()
    assert set(numpy.unique(y).round(4)) == {0, numpy.float32(1 / 0.75).round(4)}
    assert abs((y == 0).mean() - 0.25) < 0.02


def test_second_order_gradients():
    layer = filled(rnn.GRU(3, bidirectional=True), inputs=2)
    data = drawn(4, 2, 2)

    def penalty(of, call, x):
        y = call(x)
        return (y * y * y).sum()

    module = peer_of(layer, 2)
    x = torch.tensor(data, requires_grad=True)
    (slope,) = torch.autograd.grad(penalty(torch, lambda x: module(x)[0], x), x, create_graph=True)
    (slope * slope).sum().backward()
    for compiled in (False, True):
        layer.hybridize(compiled)
        ours = np.array(data, dtype="float64")
        ours.attach_grad()
        with autograd.record():
            total = penalty(np, layer, ours)
            (first,) = autograd.grad(total, [ours], create_graph=True)
            (first * first).sum().backward()
        near(first.asnumpy(), slope.detach().numpy())
        near(ours.grad.asnumpy(), x.grad.numpy())


def test_a_whole_step_is_one_program():
    net = gluon.nn.HybridSequential()
    net.add(rnn.LSTM(SIZE, layout="NTC"), gluon.nn.Dense(2))
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    loss_fn = gluon.loss.L2Loss()

    def step(x, y):
        with autograd.record():
            loss = loss_fn(net(x), y)
        loss.backward()
        trainer.step(len(x))
        return loss.mean()

    x, y = np.array(drawn(BATCH, STEPS, INPUTS)), np.array(drawn(BATCH, 2))
    net(x)
    before = {name: one.data().asnumpy() for name, one in net.collect_params().items()}
    losses = [float(step(x, y)) for _ in range(3)]
    for name, one in net.collect_params().items():
        one.set_data(np.array(before[name]))
    compiled = hybridize(step)
    near([float(compiled(x, y)) for _ in range(3)], losses, 1e-5)
    assert compiled.program(x, y).fallbacks == ()


@pytest.mark.parametrize("mode", ["lstm", "gru", "rnn_tanh", "rnn_relu"])
@MODES
def test_packed_parameters(mode, compiled):
    """`npx.rnn`, whose vector holds the weights of all layers and directions, then their biases."""
    kind = {"lstm": rnn.LSTM, "gru": rnn.GRU}.get(mode, rnn.RNN)
    layer = filled(kind(SIZE, 2, bidirectional=True, **({"activation": mode[4:]} if kind is rnn.RNN else {})))
    packed = np.concatenate([one.data().reshape(-1) for one in layer.collect_params().values()])
    x, states = np.array(drawn(STEPS, BATCH, INPUTS), dtype="float64"), states_of(layer)
    begin = [np.array(one, dtype="float64") for one in states]

    def call(x, packed, *begin):
        return npx.rnn(
            x, packed, *begin, mode=mode, state_size=SIZE, num_layers=2, bidirectional=True, state_outputs=True
        )

    call = hybridize(call) if compiled else call
    y, last = layer(x, begin)
    found = call(x, packed, *begin)
    assert len(found) == len(last) + 1
    for ours, expected in zip(found, [y, *last], strict=True):
        near(ours.asnumpy(), expected.asnumpy())


def test_cells_of_a_layer_share_its_parameters():
    for name, (kind, more) in LAYERS.items():
        layer = filled(kind(SIZE, 2, bidirectional=name != "gru", dropout=0.5, layout="NTC", **more))
        cells = layer.unfuse()
        x, states = np.array(drawn(BATCH, STEPS, INPUTS), dtype="float64"), states_of(layer)
        y, last = layer(x, [np.array(one, dtype="float64") for one in states])
        count = len(states[0])
        begin = [np.array(state[k], dtype="float64") for k in range(count) for state in states]
        found, after = cells.unroll(STEPS, x, begin, merge_outputs=True)
        near(found.asnumpy(), y.asnumpy())
        for k in range(count):
            for position, state in enumerate(last):
                near(after[k * len(last) + position].asnumpy(), state.asnumpy()[k])
        assert {id(one) for one in cells.collect_params().values()} == {
            id(one) for one in layer.collect_params().values()
        }


def test_deferred_sizes_and_names():
    layer = rnn.LSTM(SIZE, 2, bidirectional=True, prefix="net_")
    layer.initialize()
    assert repr(layer) == "LSTM(None -> 6, TNC, num_layers=2, bidirectional)"
    layer(np.ones((2, 1, INPUTS)))
    assert layer.l0_i2h_weight.shape == (4 * SIZE, INPUTS) and layer.r1_i2h_weight.shape == (4 * SIZE, 2 * SIZE)
    assert list(layer._parameters_by_path())[:3] == ["l0_i2h_weight", "l0_h2h_weight", "r0_i2h_weight"]
    assert list(layer.collect_params())[:2] == ["net_l0_i2h_weight", "net_l0_h2h_weight"]
    assert layer.l0_i2h_weight.name == "net_l0_i2h_weight"
    assert repr(layer) == "LSTM(4 -> 6, TNC, num_layers=2, bidirectional)"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"hidden_size": 0}, "hidden_size of LSTM"),
        ({"hidden_size": 2.0}, "hidden_size of LSTM"),
        ({"num_layers": 0}, "num_layers of LSTM"),
        ({"layout": "CNT"}, "layout of LSTM"),
        ({"dropout": 2}, "dropout of LSTM"),
        ({"projection_size": 0}, "projection_size of LSTM"),
        ({"state_clip_min": 0.0}, "lstm_state_clip_min"),
    ],
)
def test_bad_arguments(arguments, words):
    with refusal(ArgumentError, words):
        rnn.LSTM(**{"hidden_size": 4, **arguments})


def test_what_only_an_lstm_has():
    with refusal((ArgumentError, TypeError), "projection_size"):
        rnn.GRU(4, projection_size=2)
    with pytest.raises(ArgumentError, match="only an LSTM has a projection"):
        npx.rnn(np.ones((2, 1, 2)), np.ones(18), mode="gru", state_size=2, num_layers=1, projection_size=2)
    with pytest.raises(ArgumentError, match="activation of RNN"):
        rnn.RNN(4, activation="gelu")


@MODES
def test_bad_calls(compiled):
    def refused(error, words, layer, *args):
        layer.hybridize(compiled)
        with refusal(error, words) as caught:
            layer(*args)
        assert ("test_layers.py" in str(caught.value) and "help:" in str(caught.value)) or compiled

    layer = filled(rnn.LSTM(SIZE, 2), "float32")
    x, good = np.ones((STEPS, BATCH, INPUTS)), np.zeros((2, BATCH, SIZE))
    refused(ShapeError, "E186", layer, np.ones((STEPS, INPUTS)))
    refused(ShapeError, "E122|E186", layer, np.ones((STEPS, BATCH, INPUTS + 1)))
    refused(ArgumentError, "got 1 states", layer, x, [good])
    refused(ArgumentError, "got 3 states", layer, x, [good] * 3)
    refused(ShapeError, "E186", layer, x, [np.zeros((BATCH, 2, SIZE))] * 2)
    refused(ShapeError, "E186", layer, x, [good, np.zeros((2, BATCH, SIZE + 1))])
    refused(ArgumentError, "use_sequence_length", layer, x, None, np.array([1, 1, 1]))
    counted = filled(rnn.GRU(SIZE, use_sequence_length=True), "float32")
    refused(ArgumentError, "got no sequence_length", counted, x)
    refused(OutOfBoundsError, "E110", counted, x, None, np.array([1, STEPS + 1, 1]))
    refused(OutOfBoundsError, "E110", counted, x, None, np.array([1, -1, 1]))
    refused(ShapeError, "E186", counted, x, None, np.array([1, 1]))


def test_bad_packed_parameters():
    x = np.ones((2, 1, 2))
    with pytest.raises(ShapeError, match="E186"):
        npx.rnn(x, np.ones(17), mode="gru", state_size=2, num_layers=1)
    with pytest.raises(ArgumentError, match="no mode 'rnn'"):
        npx.rnn(x, np.ones(18), mode="rnn", state_size=2, num_layers=1)
    with pytest.raises(ArgumentError, match="E302"):
        npx.rnn(x, np.ones(18), mode="gru", state_size=2)
    with pytest.raises(ArgumentError, match="state_cell"):
        npx.rnn(x, np.ones(48), np.ones((1, 1, 2)), mode="lstm", state_size=2, num_layers=1)
