"""A `for` over a sequence is one scan for all lengths: what Python gives, its gradient, and few programs."""

import numpy
import pytest

from hybridize import autograd, gluon, hybridize
from hybridize.array import np, npx
from hybridize.gluon import nn
from hybridize.ops import Scan

LENGTHS = (20, 30, 2, 1, 0)
MOST = 4
"""Programs: of the first length, of any from 1 or 2, of 1 where it is asked for, and of 0: what is empty is another."""


def arrays(length, seed=0):
    random = numpy.random.default_rng((seed, length))
    return [np.array(random.standard_normal(shape).astype("float32")) for shape in ((length, 3), (3,))]


def folded(xs, h):
    for x in xs:
        h = np.tanh(h * 0.5 + x)
    return h


def stacked(xs, h):
    outs = []
    for x in xs:
        h = np.tanh(h + x)
        outs.append(h)
    return np.stack(outs), outs[-1], len(outs), outs[0], h


def by_number(xs, h):
    for t in range(xs.shape[0]):
        h = np.tanh(h * 0.5 + xs[t])
    return h


def with_the_one_before(xs, h):
    t = -1
    for t in range(len(xs)):
        if t > 0:
            h = np.tanh(h * 0.5 + xs[t] - xs[t - 1])
    return h, t


def counted(xs, h):
    i = n = 0
    for i, x in enumerate(xs):
        h = h * 0.9 + x * i
        n = n + 2
    return h, i, n


def zipped(xs, h):
    for x, y in zip(xs, reversed(xs), strict=True):
        h = h * 0.9 + x * y
    return h


def written(xs, h):
    out = np.zeros(xs.shape)
    for t in range(xs.shape[0]):
        h = h * 0.9 + xs[t]
        out[t] = h
    return out, h


def written_columns(xs, h):
    turned = xs.T
    out = np.zeros(turned.shape)
    for t in range(turned.shape[1]):
        h = h * 0.9 + turned[:, t]
        out[:, t] = h
    return out


def written_items(xs, h):
    for x in xs:
        x += 1
    return xs * 1, h


def broken(xs, h):
    for x in xs:
        h = h * 0.5 + x
        if h.sum() > 4:
            break
    else:
        h = h * 2
    return h


def returned(xs, h):
    for x in xs:
        h = h * 0.5 + x
        if h.sum() > 4:
            return h * 2
    return h


def kept_in_a_dict(xs, h):
    state = {"h": h, "c": np.zeros(3)}
    for x in xs:
        if x.sum() < 0:
            continue
        state["h"] = np.tanh(state["h"] + x)
        state["c"] = state["c"] + state["h"]
    return state["h"], state["c"]


def kept_in_a_list(xs, h):
    state = [h, np.zeros(3)]
    for x in xs:
        state = [np.tanh(state[0] + x), state[1] + state[0]]
    return state


def begun_with_none(xs, h):
    last = None
    outs = [h]
    for x in xs:
        last = x if last is None else np.tanh(last + x)
        outs.append(last)
    return np.concatenate(outs)


def nested(xs, h):
    for x in xs:
        for y in xs:
            h = np.tanh(h + x * y)
    return h


def from_the_last_item(xs, h):
    outs = [h]
    for x in xs:
        outs.append(np.tanh(outs[-1] + x))
    return np.stack(outs)


def over_its_own_list(xs, h):
    outs = []
    for x in xs:
        h = np.tanh(h + x)
        outs.append(h)
    total = np.zeros(3)
    for o in outs:
        total = total + o * o
    for o, x in zip(outs, xs, strict=True):
        total = total + o * x
    return total


def backwards(xs, h):
    outs = [h]
    for t in range(len(xs) - 1, -1, -1):
        h = np.tanh(h + xs[t])
        outs.append(h)
    outs.reverse()
    return np.stack(outs, axis=1), np.array(outs)


def written_after_they_are_kept(xs, h):
    y = h * 1
    same, own = [], []
    for x in xs:
        y += 0.1
        same.append(y)
        z = x * 2
        own.append(z)
        z += 1
    return np.stack(same) if same else y, np.stack(own) if own else y


FUNCTIONS = [
    written_after_they_are_kept,
    folded, stacked, by_number, with_the_one_before, counted, zipped, written, written_columns, written_items, broken,
    returned, kept_in_a_dict, kept_in_a_list, begun_with_none, nested, from_the_last_item, over_its_own_list, backwards,
]  # fmt: skip


def outcome(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return type(error)


def numbers(value):
    parts = value if isinstance(value, (tuple, list)) else [value]
    return [(type(part), numpy.asarray(part.asnumpy() if hasattr(part, "asnumpy") else part)) for part in parts]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_one_program_gives_what_python_gives(function):
    compiled = hybridize(function)
    for length in LENGTHS:
        expected = outcome(function, *arrays(length))
        found = outcome(compiled, *arrays(length))
        if isinstance(expected, type):
            assert found is expected
            continue
        for (kind, x), (other, y) in zip(numbers(expected), numbers(found), strict=True):
            assert kind is other
            assert x.shape == y.shape
            numpy.testing.assert_allclose(x, y, rtol=1e-4, atol=1e-5)
    assert compiled.cache_info().programs <= MOST or function is written_after_they_are_kept
    assert all(program.fallbacks == () for program in compiled.programs())


def loss(function, xs, h):
    total = 0
    found = function(xs, h)
    for part in found if isinstance(found, (tuple, list)) else [found]:
        if not isinstance(part, int):
            total = total + (part * part).sum()
    return total


@pytest.mark.parametrize(
    "function", [one for one in FUNCTIONS if one not in (written_items, written_after_they_are_kept)]
)
def test_gradients(function):
    compiled = hybridize(function)
    for length in (20, 7, 33):
        found = []
        for one in (function, compiled):
            xs, h = arrays(length)
            xs.attach_grad()
            h.attach_grad()
            with autograd.record():
                value = loss(one, xs, h)
            value.backward()
            found.append([xs.grad.asnumpy(), h.grad.asnumpy()])
        for x, y in zip(*found, strict=True):
            numpy.testing.assert_allclose(x, y, rtol=1e-3, atol=1e-4)
    assert compiled.cache_info().programs <= MOST


def test_the_rows_of_a_loop_are_slices_of_its_scan():
    """What is read and written by the number of the round is neither looked up nor carried."""
    compiled = hybridize(written)
    compiled(*arrays(20))
    (scan,) = [node for node in compiled.programs()[0].optimized.nodes if isinstance(node.op, Scan)]
    assert scan.op.num_carry == 1
    assert {node.op.name for node in scan.op.body.nodes} == {"mul", "add"}


class Cell(nn.HybridBlock):
    def __init__(self, units):
        super().__init__()
        self.of_input, self.of_state = nn.Dense(4 * units, in_units=3), nn.Dense(4 * units, in_units=units)

    def forward(self, x, state):
        h, c = state
        i, f, u, o = np.split(self.of_input(x) + self.of_state(h), 4, axis=1)
        c = npx.sigmoid(f) * c + npx.sigmoid(i) * np.tanh(u)
        h = npx.sigmoid(o) * np.tanh(c)
        return h, (h, c)


class Net(nn.HybridBlock):
    def __init__(self, units=5):
        super().__init__()
        self.units, self.cell, self.drop = units, Cell(units), nn.Dropout(0.5)
        self.norm, self.out = nn.BatchNorm(in_channels=units), nn.Dense(2, in_units=units, flatten=False)

    def forward(self, xs):
        state = (np.zeros((xs.shape[1], self.units)), np.zeros((xs.shape[1], self.units)))
        outs = []
        for x in xs:
            y, state = self.cell(x, state)
            outs.append(self.norm(self.drop(y)))
        return self.out(np.stack(outs))


def trained(make_step):
    np.random.seed(3)
    net = Net()
    net.initialize()
    random = numpy.random.default_rng(0)
    trainer = None
    losses = []
    for length, batch in ((20, 4), (5, 3), (30, 4), (2, 2)):
        xs = np.array(random.standard_normal((length, batch, 3)).astype("float32"))
        if trainer is None:
            net(xs)
            trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
            step = make_step(net, trainer)
        np.random.seed(length)
        losses.append(float(step(xs)))
    return losses, net, step


def test_a_training_step_through_a_recurrent_net():
    """Dropout draws anew in each round, running statistics go on, and the step is compiled for all lengths."""

    def make_step(net, trainer):
        def step(xs):
            with autograd.record():
                value = (net(xs) ** 2).mean()
            value.backward()
            trainer.step(1)
            return value

        return step

    losses, net, _ = trained(make_step)
    found, other, step = trained(lambda net, trainer: hybridize(make_step(net, trainer)))
    numpy.testing.assert_allclose(found, losses, rtol=1e-5)
    for name, parameter in net.collect_params().items():
        numpy.testing.assert_allclose(
            parameter.data().asnumpy(), other.collect_params()[name].data().asnumpy(), rtol=1e-4, atol=1e-5
        )
    assert step.cache_info().programs <= 2


def test_what_is_compiled_does_not_grow_with_the_length():
    sizes = []
    for length in (100, 10_000):
        compiled = hybridize(stacked)
        numpy.testing.assert_allclose(
            compiled(*arrays(length))[0].asnumpy(), stacked(*arrays(length))[0].asnumpy(), rtol=1e-4, atol=1e-5
        )
        sizes.append(len(compiled.programs()[0].optimized.nodes))
    assert sizes[0] == sizes[1]


def test_foreach_is_compiled_once_for_all_lengths():
    def scanned(xs, h):
        return npx.foreach(lambda x, state: (x * state, np.tanh(state + x)), xs, h)

    compiled = hybridize(scanned)
    for length in (5, 7, 20, 2):
        for found, expected in zip(compiled(*arrays(length)), scanned(*arrays(length)), strict=True):
            numpy.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-4, atol=1e-5)
    assert compiled.cache_info().programs == 2


def again(x):
    for i in range(40):
        x = np.sin(x) + i
    for i in range(50):
        x = np.sin(x * 0.5) - i
    return x, i


def again_within(x):
    k = 7
    for _ in range(30):
        for k in range(60, 20, -2):
            x = np.sin(x) + k
        y = k
    for k in range(30):
        x = x * 0.5 + k
    return x, k, y


def again_after_a_float(x):
    i = 1.5
    for i in range(40):
        x = np.sin(x) + i
    else:
        x = x + i
    for i, j in zip(range(20), range(30, 50), strict=True):
        x = np.sin(x) - i * j
    return x, i, j


def again_in_a_branch(x):
    for i in range(30):
        x = np.sin(x) + i
    if x.sum() > 0:
        for i in range(25):
            x = np.sin(x) - i
    return x, i


def read_before_it_is_set(x):
    i = 5
    for j in range(40):
        x = x * 0.5 + i
        i = j
    return x, i, j


def kept_by_data(x):
    i = 5
    for j in range(40):
        if x.sum() > 3:
            i = j
        x = np.sin(x) + i
    return x, i, j


def read_in_another_round(x):
    i = 3
    for j in range(40):
        if j > 0:
            x = x * 0.5 + i
        i = j
    return x, i


def many_times(x):
    for i in range(3_000_000):
        x = np.sin(x) + i
    for i in range(3_000_000):
        x = np.sin(x) - i
        for j in range(100):
            x = x + j
    return x, i, j


AGAIN = [again, again_within, again_after_a_float, again_in_a_branch]


@pytest.mark.parametrize(
    "function",
    [*AGAIN, read_before_it_is_set, kept_by_data, read_in_another_round],
    ids=lambda function: function.__name__,
)
def test_a_variable_of_a_loop_may_be_one_from_before(function):
    compiled, x = hybridize(function), np.array([0.1, 0.2, 0.3, -0.5])
    for _ in range(2):
        values, wanted = compiled(x), function(x)
        assert [type(one) for one in values] == [type(one) for one in wanted]
        for one, other in zip(values, wanted, strict=True):
            numpy.testing.assert_allclose(numpy.asarray(one), numpy.asarray(other), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("function", [*AGAIN, many_times], ids=lambda function: function.__name__)
def test_a_loop_is_not_unrolled_for_a_variable_from_before(function):
    assert len(hybridize(function).program(np.array([0.1, 0.2])).optimized.nodes) < 16
