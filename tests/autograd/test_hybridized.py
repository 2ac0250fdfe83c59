# SPDX-License-Identifier: Apache-2.0
"""Gradients through compiled functions and blocks: those of the same Python, run imperatively."""

import weakref

import numpy
import pytest

from hybridize import autograd, disabled, errors, np, npx, random
from hybridize.autograd.split import split
from hybridize.gluon import HybridBlock, nn
from hybridize.verb import hybridize, load

RNG = numpy.random.default_rng


def variable(values):
    x = np.array(values)
    x.attach_grad()
    return x


def arrays(*shapes):
    return [variable(RNG(n).uniform(0.3, 1.7, shape)) for n, shape in enumerate(shapes)]


def gradients(call, xs):
    """The value of what a call computes while recording, and the gradients that arrive at arrays."""
    with autograd.record():
        loss = call()
    loss.backward()
    return [float(loss), *(x.grad.asnumpy() for x in xs)]


def same(call, xs, rtol=2e-5):
    """Check that compiled functions inside of `call` have the gradients of their Python."""
    found = gradients(call, xs)
    with disabled():
        wanted = gradients(call, xs)
    assert any(numpy.any(w != 0) for w in wanted[1:])
    for a, b in zip(found, wanted, strict=True):
        numpy.testing.assert_allclose(a, b, rtol=rtol, atol=1e-5)


FUNCTIONS = {
    "elementwise": lambda x, y: np.tanh(x) * np.exp(-y) + x / y,
    "matmul": lambda x, y: np.tanh(x @ y.T) @ y,
    "views": lambda x, y: x.T.reshape(3, 4)[1:] * y[:2, :2].sum() + x[0, 1],
    "writes": lambda x, y: _written(x, y),
    "softmax": lambda x, y: npx.log_softmax(x) * npx.softmax(y, 0),
    "norms": lambda x, y: npx.layer_norm(x, y[0], y[1]),
    "reductions": lambda x, y: x.max(1) + y.mean(0).sum() + np.sort(x, 0)[1].sum(),
    "gathers": lambda x, y: (
        x[np.array([0, 3, 3], dtype="int64")] * np.take(y, np.array([1, 2], dtype="int64"), 1).sum()
    ),
    "branches": lambda x, y: _branched(x, y),
    "loops": lambda x, y: _looped(x, y),
    "detached": lambda x, y: x * y.detach() + npx.stop_gradient(x),
    "one argument": lambda x, y: y * 2,
    "integers": lambda x, y: npx.one_hot(np.argmax(x, 1), 3) * y,
}


def _written(x, y):
    out = np.zeros((4, 3))
    for i in range(4):
        out[i] = x[i] * y[3 - i]
    out[1:3] *= 2
    out[0, 1] += y[0, 0]
    return out


def _branched(x, y):
    if x.sum() > 0:
        z = x * y
    else:
        z = x - y
    return z * x if z[0, 0] > 100 else z + y * y


def _looped(x, y):
    state, total = y[0], y[1] * 0
    for row in x:
        state = np.tanh(state + row)
        total += state * row
    return total


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("options", [{}, {"backend": "numpy"}, {"verify": "outputs"}], ids=["llvm", "numpy", "verify"])
def test_functions(name, options):
    x, y = arrays((4, 3), (4, 3))
    function = hybridize(FUNCTIONS[name], **options)
    with autograd.record():
        weights = np.array(RNG(9).uniform(0.5, 1.5, function(x, y).shape))
    same(lambda: (function(x * 1, y) * weights).sum(), [x, y])


class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Dense(8, activation="relu"), nn.Dense(3)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        h = self.drop(self.first(x))
        return self.second(h), (h * h).sum()


def net_of(kind=Net, hybrid=True):
    net = kind()
    net.initialize()
    net(np.ones((4, 6)))
    if hybrid:
        net.hybridize()
    return net, list(net.collect_params().values())


def test_a_block_with_its_weights_dropout_and_two_results():
    net, parameters = net_of()
    x = variable(RNG(0).normal(size=(4, 6)))

    def call():
        random.seed(11)
        y, extra = net(x * 2)
        return (y * y).sum() + extra * 0.1

    same(call, [x, *(p.data() for p in parameters)])


def test_weights_alone_make_no_gradient_of_the_input():
    net, _ = net_of()
    x = np.array(RNG(0).normal(size=(4, 6)))
    with autograd.record():
        y, _ = net(x)
    rule = y._traced.edge[0].rule
    assert 0 not in rule._pair.halves.gradients
    assert len(rule._pair.halves.gradients) == 4
    y.backward()


def test_mixed_with_imperative_code_and_nested():
    net, parameters = net_of()
    scale = variable([2.0])

    @hybridize
    def around(x):
        return net(x * scale)[0] + 1

    x = variable(RNG(0).normal(size=(4, 6)))

    def call():
        random.seed(2)
        total = np.zeros(())
        for row in range(3):
            total = total + np.sin(around(x * (row + 1))).sum() * scale[0]
        return total

    same(call, [x, scale, *(p.data() for p in parameters)])


def test_batches_of_many_sizes_use_few_programs():
    net, parameters = net_of()
    for size in (4, 7, 3, 9, 12, 1, 5, 8):
        x = variable(RNG(size).normal(size=(size, 6)))

        def call(x=x, size=size):
            random.seed(size)
            return (net(x)[0] ** 2).sum()

        same(call, [x, *(p.data() for p in parameters)])
    assert net.cache_info().captures <= 3


def test_second_order():
    net, parameters = net_of(lambda: _smooth())
    x = variable(RNG(0).normal(size=(2, 6)))

    def call():
        y = net(x).sum()
        (g,) = autograd.grad(y, x, create_graph=True)
        return (g * g).sum()

    same(call, [x, *(p.data() for p in parameters)], rtol=1e-4)


def _smooth():
    net = nn.HybridSequential()
    net.add(nn.Dense(5, activation="tanh"), nn.Dense(3, activation="sigmoid"))
    return net


def test_gradients_add_up():
    net, parameters = net_of(_smooth)
    for p in parameters:
        p.grad_req = "add"
    x = np.array(RNG(0).normal(size=(2, 6)))
    for _ in range(3):
        with autograd.record():
            loss = net(x).sum()
        loss.backward()
    added = [p.grad().asnumpy() for p in parameters]
    for p in parameters:
        p.grad_req = "write"
    with autograd.record():
        loss = net(x).sum()
    loss.backward()
    for total, p in zip(added, parameters, strict=True):
        numpy.testing.assert_allclose(total, 3 * p.grad().asnumpy(), rtol=1e-5)


def test_arrays_written_by_a_compiled_function_have_a_history():
    @hybridize
    def fill(out, x):
        out[1:] = x * 2
        return out[0]

    x = variable([1.0, 2.0])

    def call():
        out = np.ones(3) * x[0]
        first = fill(out, x)
        return (out * np.array([1.0, 10.0, 100.0])).sum() + first

    same(call, [x])


def test_a_variable_is_not_written():
    w = variable([1.0, 2.0])

    @hybridize
    def step(x):
        w[...] = w * 0.5
        return x * w

    with autograd.record(), pytest.raises(errors.StateError, match="E543"):
        step(np.ones(2))
    assert w.tolist() == [1, 2]


def test_an_overwritten_weight_is_an_error():
    net, parameters = net_of(_smooth)
    x = np.array(RNG(0).normal(size=(2, 6)))
    with autograd.record():
        y = net(x)
    parameters[2].data()[...] = 0
    with pytest.raises(errors.StateError, match="E542") as raised:
        y.backward()
    assert raised.value.loc.file == __file__


def test_what_is_kept_goes_with_the_pass():
    net, _ = net_of(_smooth)
    x = np.array(RNG(0).normal(size=(2, 6)))
    with autograd.record():
        y = net(x)
    rule = y._traced.edge[0].rule
    kept = [weakref.ref(one) for one in rule._residuals]
    assert kept
    y.backward()
    assert all(one() is None for one in kept)
    with pytest.raises(errors.StateError, match="E541"):
        y.backward()


def test_what_was_compiled_for_prediction_stays():
    net, _ = net_of(_smooth)
    x = np.array(RNG(0).normal(size=(2, 6)))
    before = net(x)
    with autograd.record():
        y = net(x)
    y.backward()
    numpy.testing.assert_allclose(net(x).asnumpy(), before.asnumpy())
    assert net(x).grad is None


def test_nothing_to_differentiate():
    @hybridize
    def double(x):
        return x * 2

    with autograd.record():
        y = double(np.ones(3))
    with pytest.raises(errors.StateError, match="E540"):
        y.backward()


def test_what_was_loaded_is_differentiated(tmp_path):
    w = variable(RNG(0).normal(size=(3, 2)))
    function = hybridize(lambda x: np.tanh(x @ w))
    x = variable(RNG(1).normal(size=(4, 3)))
    function(x)
    function.save(tmp_path / "f.hybridize")
    loaded = load(tmp_path / "f.hybridize")
    found = []
    for call in (function, loaded):
        with autograd.record(train_mode=False):
            y = (call(x) ** 2).sum()
        y.backward()
        found.append(x.grad.asnumpy())
    numpy.testing.assert_allclose(*found, rtol=1e-6)
    assert abs(found[0]).max() > 0
    with autograd.record(), pytest.raises(errors.ArgumentError, match="E310"):
        loaded(x)  # saved as it predicts, not as it trains


def test_gradients_of_functions_inside_and_outside_of_compiled_ones():
    @hybridize
    def slope(x):
        return autograd.grad_of(lambda z: (z * z).sum())(x)

    assert slope(np.array([1.0, 2.0])).tolist() == [2, 4]
    compiled = hybridize(lambda z: (z * z * z).sum())
    assert autograd.grad_of(compiled)(np.array([1.0, 2.0])).tolist() == [3, 12]


# --------------------------------------------------------------------------------------------------- the split


def _cubic(h):
    return (h * h + 1) * h * 2


def test_elementwise_steps_are_computed_again_not_kept():
    function = hybridize(lambda x, w: _cubic(x @ w))
    x, w = np.ones((4, 3)), np.ones((3, 5))
    graph = function.program(x, w).captured
    halves = split(graph, (0, 1))
    assert halves.residual_count == 1, "the product alone"
    assert set(halves.inputs) == {0, 1}
    assert halves.gradients == (0, 1)


def test_an_output_is_kept_once():
    function = hybridize(lambda x, w: np.exp(x @ w))
    graph = function.program(np.ones((4, 3)), np.ones((3, 2))).captured
    halves = split(graph, (0, 1))
    assert (halves.inputs, halves.outputs, halves.residual_count) == ((0, 1), (0,), 0)
    assert len(halves.backward.inputs) == 4


def test_products_are_not_computed_again():
    function = hybridize(lambda x, w, v: np.tanh(np.tanh(x @ w) @ v))
    graph = function.program(np.ones((4, 3)), np.ones((3, 5)), np.ones((5, 2))).captured
    halves = split(graph, (0, 1, 2))
    assert halves.forward.op_names().count("matmul") == 2
    assert halves.backward.op_names().count("matmul") == 4
    assert "tanh" not in halves.backward.op_names()


@pytest.mark.parametrize("order", [1, 2])
def test_state_that_a_recorded_call_writes_is_a_constant(order):
    """A running statistic, written within `pause`: what is recorded later of it has no history."""
    state = np.zeros(3)

    @hybridize
    def f(x):
        with autograd.pause():
            state[...] = 0.5 * state + x
        return x**3 + state * x

    x = np.array([1.0, 2.0, 3.0])
    x.attach_grad()
    expected = numpy.zeros(3)
    for _ in range(3):
        with autograd.record():
            y = f(x).sum()
            if order == 2:
                (y,) = autograd.grad(y, [x], create_graph=True)
        expected = 0.5 * expected + x.asnumpy()
        y.backward()
        wanted = 3 * x.asnumpy() ** 2 + expected if order == 1 else 6 * x.asnumpy()
        numpy.testing.assert_allclose(x.grad.asnumpy(), wanted, rtol=1e-6)
        numpy.testing.assert_allclose(state.asnumpy(), expected, rtol=1e-6)


SCALE = 2.0


@pytest.mark.parametrize("gradient", [autograd.grad_of, autograd.value_and_grad])
def test_a_gradient_function_is_compiled_with_the_branches_of_what_it_is_of(gradient, monkeypatch):
    """It was made outside: the function in it is the user's all the same, converted and guarded."""

    def function(w):
        y = w * SCALE
        if w[0] > 2:
            y = y * w
        return y.sum()

    compiled = hybridize(gradient(function))
    for values in ([2.0, 3.0], [3.0, 1.0], [1.0, 1.0]):
        for scale in (2.0, 5.0):
            monkeypatch.setitem(globals(), "SCALE", scale)
            assert repr(compiled(np.array(values))) == repr(gradient(function)(np.array(values)))


def detached_with_gradient(x):
    z = x.detach()
    z.attach_grad()
    return z


def paused_view(x):
    with autograd.pause():
        return x[:]


@pytest.mark.parametrize(
    ("pair", "refused"),
    [
        (lambda x: (x, x), False),
        (lambda x: (x, x[:]), False),
        (lambda x: (x * 1, x), False),
        (lambda x: (lambda p: (p, p[:]))(x * 2), False),
        (lambda x: (lambda p: (p.reshape(2), p))(x * 2), False),
        (lambda x: (x, x.detach().copy()), False),
        (lambda x: (x.detach().copy(), x), False),
        (lambda x: (x, x.detach()), True),
        (lambda x: (x.detach(), x), True),
        (lambda x: (x, detached_with_gradient(x)), True),
        (lambda x: (x * 2, x.detach()), False),
        (lambda x: (lambda p: (p, p.detach()))(x * 2), True),
        (lambda x: (lambda p: (paused_view(p), p))(x * 2), True),
    ],
)
def test_two_arguments_over_one_memory_have_the_gradients_of_both_or_are_refused(pair, refused):
    """To a program arrays over one memory are one array; to a tape they are two, if one is detached."""

    def gradient(function):
        x = np.array([1.0, 2.0])
        x.attach_grad()
        with autograd.record():
            y = function(*pair(x))
        y.backward()
        return x.grad.tolist()

    def function(a, b):
        return (a * b * b).sum()

    for compiled in (hybridize(function), hybridize(function, verify="outputs")):
        compiled(np.ones(2), np.ones(2))  # a program for arrays that share nothing gives each its gradient
        if refused:
            with pytest.raises(errors.StateError, match="E558"):
                gradient(compiled)
        else:
            assert gradient(compiled) == gradient(function)


def test_an_outside_array_and_a_detached_one_over_its_memory_are_refused_while_recording():
    w = np.array([1.0, 2.0])
    w.attach_grad()
    compiled = hybridize(lambda x: (x * w).sum())
    with autograd.record(), pytest.raises(errors.StateError, match="E558"):
        compiled(w.detach())
    assert compiled(w.detach()).item() == 5
