"""Sizes of 1 and programs for all sizes: which of them one program serves, and that what it gives is what Python gives.

Where nothing asks whether a size is 1, the program that is made for sizes beyond it serves 1 too. What broadcasts, what
is a view where an axis has one element, and what the function asks itself are other programs, which the same calls
must not get.
"""

import itertools

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hybridize
from hybridize import autograd, gluon
from hybridize.array import np, npx
from hybridize.base.errors import CaptureError
from hybridize.capture import Function
from hybridize.gluon import nn, rnn
from hybridize.programs.differentiated import Recorded

SIZES = [(5, 3), (7, 4), (1, 4), (6, 1), (1, 1), (2, 2), (9, 9), (1, 9)]
"""Lengths and batches: the first two make the program for all, the others are for it or not."""
DRAW = numpy.random.default_rng(0)
WEIGHTS = {
    name: np.array(DRAW.standard_normal(shape))
    for name, shape in {"w": (6, 6), "b": (6,), "row": (1, 6), "recurrent": (6, 6)}.items()
}


def array(*shape):
    return np.array(DRAW.standard_normal(shape))


def recurrent(x):
    state = np.zeros((x.shape[1], 6))
    for row in x:
        state = np.tanh(row @ WEIGHTS["w"] + state @ WEIGHTS["recurrent"])
    return state


def gathered_rows(x):
    found = []
    state = np.zeros((x.shape[1], 6))
    for step in range(x.shape[0]):
        state = np.tanh(x[step] + state)
        found.append(state)
    return np.stack(found)


def attention(x):
    length, batch = x.shape[:2]
    q, k, v = (np.transpose(x.reshape(length, batch, 2, 3), (1, 2, 0, 3)) for _ in range(3))
    scores = npx.softmax(np.matmul(q, np.transpose(k, (0, 1, 3, 2))) / 3.0, axis=-1)
    together = np.transpose(np.matmul(scores, v), (2, 0, 1, 3)).reshape(length, batch, 6)
    return np.dot(together, WEIGHTS["w"]) + WEIGHTS["b"]


def asks(x):
    return x * 2 if x.shape[0] == 1 else x * 3


def asks_of_another(x):
    return x * 2 if x.shape[1] > 1 else x * 3


def squeezed(x):
    return np.squeeze(x + 1)


def broadcast_by_size(x):
    row = x[:1] if x.shape[0] < 3 else x[:3]
    return row + x[: row.shape[0]]


def positions(x):
    return x + np.arange(x.shape[0]).reshape(-1, 1, 1) + np.arange(x.shape[1]).reshape(-1, 1)


def causal(x):
    length = x.shape[0]
    mask = np.arange(length).reshape(length, 1) >= np.arange(length)
    scores = np.matmul(np.transpose(x, (1, 0, 2)), np.transpose(x, (1, 2, 0)))
    return npx.softmax(np.where(mask, scores, -1e9), axis=-1)


def gradient(x):
    return hybridize.grad(lambda x: (npx.softmax(x @ WEIGHTS["w"] + WEIGHTS["b"], axis=0) * x).sum())(x)


ALL = {
    "elementwise": lambda x: np.tanh(x) * x,
    "weights": lambda x: npx.relu(x @ WEIGHTS["w"] + WEIGHTS["b"]),
    "row of ones": lambda x: x + WEIGHTS["row"],
    "sums": lambda x: (x.sum(), x.sum(axis=0), x.mean(axis=1), x.max(axis=(0, 1)), x.var(axis=0)),
    "kept axes": lambda x: (x - x.mean(axis=0, keepdims=True)) / (1 + x.std(axis=1, keepdims=True)),
    "softmax": lambda x: (npx.softmax(x, axis=0), npx.softmax(x, axis=1)),
    "layer norm": lambda x: npx.layer_norm(x, WEIGHTS["b"], WEIGHTS["b"]),
    "merged": lambda x: x.reshape(-1, 6) @ WEIGHTS["w"],
    "merged and back": lambda x: (x.reshape(-1, 6) @ WEIGHTS["w"]).reshape(x.shape),
    "split": lambda x: np.transpose(x.reshape(x.shape[0], x.shape[1], 2, 3), (2, 0, 1, 3)) + 1,
    "transposed and merged": lambda x: np.transpose(x + 1, (1, 0, 2)).reshape(-1, 6) * 2,
    "concatenated": lambda x: np.concatenate([x, x * 2], axis=0),
    "concatenated columns": lambda x: np.concatenate([x, x * 2, x[:, :, :3]], axis=2),
    "stacked": lambda x: np.stack([x, x + 1], axis=1),
    "products": lambda x: np.matmul(x, np.transpose(x, (0, 2, 1))),
    "gram": lambda x: np.dot(x.reshape(-1, 6).T, x.reshape(-1, 6)),
    "first and last": lambda x: x[0] + x[-1],
    "one column": lambda x: x[:, :, 2] * x[:, :, 3],
    "taken": lambda x: np.take(x, np.array([0, 0]), axis=0),
    "flipped": lambda x: np.flip(x, 0) + np.flip(x, 1),
    "sorted": lambda x: np.sort(x, axis=0),
    "greatest where": lambda x: np.argmax(x, axis=1),
    "cumulated": lambda x: np.cumsum(x, axis=0),
    "padded": lambda x: np.pad(x, ((1, 2), (0, 1), (0, 0))),
    "size as data": lambda x: x.sum(axis=0) / x.shape[0] + x.shape[1],
    "positions": positions,
    "causal": causal,
    "scan": recurrent,
    "loop over numbers": gathered_rows,
    "attention": attention,
    "gradient": gradient,
    "zeros and rows": lambda x: np.zeros((x.shape[0], 6)) + x.sum(axis=1),
    "norms": lambda x: np.linalg.norm(x.reshape(-1, 6), axis=1),
    "picked": lambda x: np.where(x > 0, x, np.zeros_like(x)),
    "einsum": lambda x: np.einsum("ijk,ijk->ij", x, x),
    "tiled": lambda x: np.repeat(x, 2, axis=1),
    "in place": lambda x: np.concatenate([x, x], axis=0).__iadd__(1),
}  # fmt: skip
"""Functions of (length, batch, 6) that one program serves for every length and batch from 1 on."""

SOME = {
    "asks": asks,
    "asks of another": asks_of_another,
    "squeezed": squeezed,
    "broadcast by size": broadcast_by_size,
    "all but one": lambda x: x[1:] * x[:-1],
    "a view or a copy that is returned": lambda x: np.transpose(x, (1, 0, 2)).reshape(-1, 6),
    "two of one memory or two": lambda x: (y := x * 2, np.transpose(y, (1, 0, 2)).reshape(-1)),
    "diagonal or not": lambda x: x[0] * x[:, 0] if x.shape[0] == x.shape[1] else x[0],
    "item": lambda x: x * 2 if x.shape[0] * x.shape[1] > 1 else x * 3,
    "strides": lambda x: x * np.transpose(x, (1, 0, 2)).strides[0],
}  # fmt: skip
"""Functions that are several programs: size 1 makes a difference, to one of the axes at least."""


def leaves(result):
    return result if isinstance(result, (tuple, list)) else [result]


def agree(compiled, function, *args):
    """Results, what became of the arguments, and which arrays are over one memory."""
    copies = [x.copy() for x in args]
    found, expected = leaves(compiled(*args)), leaves(function(*copies))
    assert len(found) == len(expected)
    for got, want in zip((*found, *args), (*expected, *copies), strict=True):
        assert got.shape == want.shape
        assert got.dtype == want.dtype
        numpy.testing.assert_allclose(got.asnumpy(), want.asnumpy(), 1e-4, 1e-5)
    mine, theirs = (
        [np.shares_memory(x, y) for x, y in itertools.combinations(arrays, 2)]
        for arrays in ((*found, *args), (*expected, *copies))
    )
    assert mine == theirs


@pytest.mark.parametrize("name", ALL)
def test_one_program_serves_sizes_of_one(name):
    compiled = Function(ALL[name])
    for length, batch in SIZES:
        agree(compiled, ALL[name], array(length, batch, 6))
    (scope,) = [one.captured.scope for one in compiled.programs() if one.captured.scope is not None]
    assert [symbol.low for symbol in scope.symbols] == [1, 1]
    assert compiled.cache_info().programs == 2


@pytest.mark.parametrize("name", SOME)
def test_what_asks_of_size_one_is_several_programs(name):
    compiled = Function(SOME[name])
    for length, batch in SIZES * 2:
        agree(compiled, SOME[name], array(length, batch, 6))
    scopes = [one.captured.scope for one in compiled.programs() if one.captured.scope is not None]
    assert len(scopes) >= 1
    assert any(symbol.low > 1 for scope in scopes for symbol in scope.symbols) or any(
        scope.conditions for scope in scopes
    )


ANY_ORDER = given(
    st.sampled_from(sorted({**ALL, **SOME})),
    st.lists(st.tuples(st.sampled_from([1, 1, 2, 3, 5, 8]), st.sampled_from([1, 1, 2, 4, 7])), min_size=3, max_size=7),
    st.sampled_from(["llvm", "llvm", "numpy"]),
    st.sampled_from([None, None, True]),
)


@settings(max_examples=20, deadline=None)
@ANY_ORDER
def test_any_order_of_sizes(name, sizes, backend, dynamic):
    in_this_order(name, sizes, backend, dynamic)


@pytest.mark.long
@settings(max_examples=700, deadline=None)
@ANY_ORDER
def test_hundreds_of_orders(name, sizes, backend, dynamic):
    in_this_order(name, sizes, backend, dynamic)


def in_this_order(name, sizes, backend, dynamic):
    function = {**ALL, **SOME}[name]
    compiled = Function(function, backend=backend, dynamic=dynamic)
    for length, batch in sizes:
        agree(compiled, function, array(length, batch, 6))


def test_an_axis_that_is_asked_about_is_exact_alone():
    compiled = Function(asks)
    for length, batch in SIZES:
        agree(compiled, asks, array(length, batch, 6))
    general = next(one.captured.scope for one in compiled.programs() if one.captured.scope is not None)
    assert general.lines() == ["n0 in 2.. like 7", "n1 in 1.. like 4"]
    assert compiled.cache_info().programs == 3, "the first, the general one, and one of length 1 for all batches"


def pairs(x, y):
    return x * y + 1, np.maximum(x, y).sum(axis=0)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(*[st.sampled_from([1, 4, 6])] * 2, *[st.booleans()] * 4), min_size=3, max_size=8))
def test_two_arguments_that_broadcast_or_not(calls):
    compiled = Function(pairs)
    for length, batch, *ones in calls:
        x, y = (array(*(1 if one else n for n, one in zip((length, batch), part, strict=True)))
                for part in (ones[:2], ones[2:]))  # fmt: skip
        agree(compiled, pairs, x, y)


def test_what_broadcasts_is_another_program():
    compiled = Function(pairs)
    for n in (4, 6):
        agree(compiled, pairs, array(n, 3), array(n, 3))
    for one, other in ((1, 1), (1, 6), (6, 1), (1, 5), (5, 1), (9, 9)):
        agree(compiled, pairs, array(one, 3), array(other, 3))


def writes_through_a_view(x):
    flat = np.transpose(x, (1, 0)).reshape(-1)
    flat += 1
    return x * 2


def writes_what_it_was_copied_from(x):
    y = x * 2
    flat = np.transpose(y, (1, 0)).reshape(-1)
    y[0] = 7
    return flat * 1


def writes_a_copy_of_a_copy(x):
    y = np.transpose(x, (1, 0)).reshape(-1)
    z = np.transpose(y.reshape(x.shape), (1, 0)).reshape(-1)
    z *= 3
    return x + 1, y + 1


def writes_in_a_branch(x):
    y = x * 1
    flat = np.transpose(y, (1, 0)).reshape(-1)
    if x.sum() > 0:
        flat = flat * 2
    flat[0] = 5
    return flat + 0, y + 0


def writes_one_or_the_other(x):
    y = x * 1
    if x.sum() > 0:
        flat = np.transpose(y, (1, 0)).reshape(-1)
    else:
        flat = np.zeros(y.size)
    flat += 1
    return y + 0


def writes_in_a_loop(x):
    y = x * 1
    flat = np.transpose(y, (1, 0)).reshape(-1)
    for _ in range(3):
        flat += 1
    return y + 0, flat + 0


def in_columns(x):
    return np.transpose(x, (1, 0)).reshape(-1)


class Keeper:
    """Where functions keep arrays."""

    one = None
    items = [None]
    names: dict = {}


class Made:
    """An object that each call makes."""

    def __init__(self, x):
        self.x = x


def keeps_an_attribute(x):
    Keeper.one = in_columns(x)
    return x


def keeps_an_item(x):
    Keeper.items[0] = in_columns(x)
    return x


def keeps_one_within(x):
    Keeper.names["key"] = [Made(in_columns(x))]
    return x


def keeps_two(x):
    y = x * 2
    Keeper.items[0] = y
    Keeper.one = in_columns(y)
    return x


KEEPING = {
    keeps_an_attribute: lambda x: (Keeper.one, x),
    keeps_an_item: lambda x: (Keeper.items[0], x),
    keeps_one_within: lambda x: (Keeper.names["key"][0].x, x),
    keeps_two: lambda x: (Keeper.one, Keeper.items[0]),
    lambda x: Made(in_columns(x)): None,
    lambda x: [y := x * 2, {"part": in_columns(y)}]: None,
}


def in_order_of_columns(x):
    y = np.reshape(x, -1, order="F")
    y += 1
    return x * 1


WRITING = [
    writes_through_a_view, writes_what_it_was_copied_from, writes_a_copy_of_a_copy, writes_in_a_loop,
    in_order_of_columns,
]  # fmt: skip
REFUSED = [writes_in_a_branch, writes_one_or_the_other]
"""Where it is a view, data decides whose memory is written."""
ORDERS = [[(5, 3), (7, 4), (1, 4), (6, 1), (1, 1)], [(1, 3), (4, 1), (5, 5), (3, 2), (1, 2)]]


@pytest.mark.parametrize("function", WRITING)
@pytest.mark.parametrize("sizes", ORDERS)
def test_a_view_where_an_axis_has_one_element_is_written_as_one(function, sizes):
    compiled = Function(function)
    for size in sizes:
        agree(compiled, function, array(*size))


@pytest.mark.parametrize("function", REFUSED)
@pytest.mark.parametrize("sizes", ORDERS)
def test_what_may_be_a_view_is_refused_where_it_is_one(function, sizes):
    compiled = Function(function)
    for size in sizes:
        for sign in (1, -1):
            x = np.array(sign * abs(DRAW.standard_normal(size)))
            if 1 in size:
                with pytest.raises(CaptureError, match="E441"):
                    compiled(x)
            else:
                agree(compiled, function, x)


@pytest.mark.parametrize("number", range(len(KEEPING)))
def test_what_is_left_outside_is_a_view_where_it_is_one(number):
    function, found = list(KEEPING.items())[number]
    compiled = Function(function)
    for n, m in ((5, 3), (7, 4), (6, 4), (1, 4), (6, 1), (1, 1)):
        for run in (compiled, function):
            x = array(n, m)
            result = run(x)
            if found is not None:
                one, other = found(x)
            elif isinstance(result, list):
                one, other = result[1]["part"], result[0]
            else:
                one, other = result.x, x
            assert numpy.shares_memory(one._data, other._data) == (1 in (n, m))
            numpy.testing.assert_array_equal(one.asnumpy(), other.asnumpy().T.reshape(-1))


LAYOUTS = [
    (lambda n, m: (2 * n, m), lambda x: x[::2]),
    (lambda n, m: (n, 2 * m), lambda x: x[:, ::2]),
    (lambda n, m: (m, n), lambda x: x.T),
    (lambda n, m: (n, m), lambda x: x),
]


@pytest.mark.parametrize("function", [writes_through_a_view, lambda x: x.reshape(-1) + 1, keeps_an_item])
def test_strides_of_an_axis_of_one_element_mean_nothing(function):
    """Parts of larger arrays that NumPy calls contiguous, as they have one row or one column."""
    compiled = Function(function)
    for n, m in ((5, 3), (7, 4), (1, 4), (6, 1), (1, 1)):
        for shape, of in LAYOUTS:
            whole = array(*shape(n, m))
            part, copy = of(whole), of(whole.copy())
            numpy.testing.assert_allclose(compiled(part).asnumpy(), function(copy).asnumpy())
            if function is not keeps_an_item:
                numpy.testing.assert_allclose(part.asnumpy(), copy.asnumpy())


def recorded_call(net, x):
    x.attach_grad()
    with autograd.record():
        loss = (net(x) ** 2).mean()
    loss.backward()
    gradients = [p.grad().asnumpy().copy() for p in net.collect_params().values() if p.grad_req != "null"]
    return [loss.asnumpy(), x.grad.asnumpy().copy(), *gradients]


@pytest.mark.parametrize("make", [
    lambda: rnn.LSTM(5, input_size=6), lambda: nn.Dense(4, in_units=6, flatten=False),
    lambda: nn.LayerNorm(in_channels=6),
])  # fmt: skip
def test_gradients_of_recorded_calls(make):
    net = make()
    net.initialize()
    for length, batch in ((5, 3), (7, 4), (1, 4), (6, 1), (1, 1), (9, 2)):
        x = array(length, batch, 6)
        net.hybridize(active=False)
        expected = recorded_call(net, x.copy())
        net.hybridize()
        for got, want in zip(recorded_call(net, x), expected, strict=True):
            numpy.testing.assert_allclose(got, want, 1e-3, 1e-4)


def test_a_backward_pass_that_asks_more_than_the_pass_forward(monkeypatch):
    """It holds from size 2 on, what runs forward from 1 on: a call of size 1 has a pair of its own."""
    make = Recorded._make

    def asking(self, graph, name, *how):
        made = make(self, graph, name, *how)
        if name.endswith("backward") and graph.scope is not None:
            run = made.run

            def checked(inputs):
                assert 1 not in [size for x in inputs for size in x.shape]
                return run(inputs)

            made.run = checked
            made.accepts = lambda shapes: 1 not in [size for shape in shapes for size in shape]
        return made

    monkeypatch.setattr(Recorded, "_make", asking)
    net = nn.HybridLambda(lambda x: np.tanh(x)[:, ::-1])
    net.hybridize()
    for n in (4, 6, 1, 3):
        x = array(n, 5)
        x.attach_grad()
        with autograd.record():
            y = net(x)
        y.backward()
        numpy.testing.assert_allclose(x.grad.asnumpy(), 1 - numpy.tanh(x.asnumpy()) ** 2, 1e-4, 1e-5)
    assert net.cache_info().programs == 2


def trained(net):
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})

    def step(x, y):
        with autograd.record():
            loss = ((net(x) - y) ** 2).mean()
        loss.backward()
        trainer.step(1)
        return loss

    return step


def test_training_steps_of_one():
    losses = []
    for compiled in (True, False):
        numpy.random.seed(0)
        hybridize.random.seed(0)
        net = nn.HybridSequential()
        net.add(nn.Dense(8, in_units=6, activation="tanh"), nn.LayerNorm(in_channels=8), nn.Dense(2, in_units=8))
        net.initialize()
        step = hybridize.hybridize(trained(net)) if compiled else trained(net)
        draw = numpy.random.default_rng(1)
        losses.append([
            float(step(np.array(draw.standard_normal((n, 6))), np.array(draw.standard_normal((n, 2)))))
            for n in (4, 7, 1, 5, 1, 2)
        ])  # fmt: skip
        if compiled:
            assert step.cache_info().programs == 2
    numpy.testing.assert_allclose(*losses, 1e-3)


class Encoder(gluon.HybridBlock):
    """One layer of a Transformer encoder."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Dense(24, in_units=8, flatten=False)
        self.out = nn.Dense(8, in_units=8, flatten=False)
        self.norm = nn.LayerNorm(in_channels=8)
        self.feed = nn.Dense(8, in_units=8, flatten=False, activation="relu")

    def forward(self, x):
        batch, length, _ = x.shape
        parts = np.transpose(self.qkv(x).reshape(batch, length, 3, 2, 4), (2, 0, 3, 1, 4))
        scores = npx.softmax(np.matmul(parts[0], np.transpose(parts[1], (0, 1, 3, 2))) / 2.0, axis=-1)
        heads = np.transpose(np.matmul(scores, parts[2]), (0, 2, 1, 3)).reshape(batch, length, 8)
        x = self.norm(x + self.out(heads))
        return x + self.feed(x)


@pytest.mark.parametrize("make", [
    lambda: rnn.LSTM(5, input_size=8), lambda: rnn.GRU(5, num_layers=2, input_size=8),
    lambda: rnn.LSTM(5, bidirectional=True, input_size=8), Encoder,
])  # fmt: skip
def test_programs_of_nets_over_sequences(make):
    """The first call's, and one for every length and batch."""
    net = make()
    net.initialize()
    sizes = [(5, 3), (7, 4), (1, 4), (6, 1), (1, 1), (40, 8), (2, 2)]
    inputs = [array(*size, 8) for size in sizes]
    expected = [net(x).asnumpy() for x in inputs]
    net.hybridize()
    for x, want in zip(inputs, expected, strict=True):
        numpy.testing.assert_allclose(net(x).asnumpy(), want, 1e-4, 1e-5)
    assert net.cache_info().programs == 2
