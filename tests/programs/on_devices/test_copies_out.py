"""Copies from the device to the host within a compiled function: what follows is computed at the host, and lands there."""

import numpy
import pytest

from hybridize import autograd, cpu, gluon, gpu, hybridize, load, np, npx
from hybridize.errors import DeviceError, OutOfBoundsError
from hybridize.gluon import nn
from tests.refusals import refusal

DATA = numpy.arange(6, dtype="float32").reshape(2, 3) / 4 - 0.6
ROW = np.array([[1.0, 2, 3]])
HERE, THERE = cpu(), gpu(0)


def added_up(x, there):
    total, rows, last = np.zeros(3), [], x[0] * 0
    for row in x.as_in_ctx(HERE):
        total = total + row
        rows.append(row * 2)
    for row in x:
        last = last + row
    return total, np.stack(rows), last, npx.foreach(lambda row, sum: (row + sum, row), x.as_in_ctx(HERE), ROW[0])[0]


FUNCTIONS = {
    "loops": added_up,
    "result": lambda x, there: np.exp(x).as_in_ctx(HERE), "argument": lambda x, there: x.to("cpu"), "part": lambda x, there: x.T[1:].as_in_ctx(HERE)[0], "both": lambda x, there: (x * 2, (x * 2).as_in_ctx(HERE)),
    "goes on": lambda x, there: (np.exp(x).as_in_ctx(HERE) * 2 + ROW, np.exp(x) * 3), "number": lambda x, there: x.sum().as_in_ctx(HERE) / 2, "several": lambda x, there: x.as_in_ctx(HERE) + (x * 2).copyto(HERE),
    "no code there": lambda x, there: abs(np.fft.fft(np.exp(x).as_in_ctx(HERE))), "and back": lambda x, there: (np.exp(x).as_in_ctx(HERE) * 2).as_in_ctx(there) + x, "back at the end": lambda x, there: (x.as_in_ctx(HERE) * 2).as_in_ctx(there),
    "random": lambda x, there: x.sum().as_in_ctx(HERE) + np.random.uniform(size=(2, 3)), "indices": lambda x, there: ROW[0][x.as_in_ctx(HERE).astype("int64") * 0 + 1], "branch": lambda x, there: npx.cond(x.sum().as_in_ctx(HERE) > 0, lambda: ROW, lambda: ROW * 2),
}  # fmt: skip


def parts(x):
    return x if isinstance(x, tuple) else (x,)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_are_those_of_imperative_code_and_where_those_are(name):
    function = FUNCTIONS[name]
    compiled = hybridize(function)
    for data in (DATA, DATA, numpy.vstack([DATA, DATA, DATA]), DATA[:1]) if name != "random" else (DATA, DATA):
        results = []
        for one in (function, compiled):
            np.random.seed(1)
            results.append(parts(one(np.array(data, ctx=THERE), THERE)))
        for wanted, y in zip(*results, strict=True):
            assert (y.device, y.shape, y.dtype) == (wanted.device, wanted.shape, wanted.dtype)
            numpy.testing.assert_allclose(y.asnumpy(), wanted.asnumpy(), 1e-5, 1e-6)
    assert len(compiled.programs()) <= 3


def test_gradients_pass_through():
    weight = np.array([2.0, 3, 4])
    weight.attach_grad()

    def loss(x):
        return ((np.exp(x) * x).as_in_ctx(HERE) * weight).sum()

    results = []
    for function in (loss, hybridize(loss)):
        x = np.array(DATA, ctx=THERE)
        x.attach_grad()
        for _ in range(2):
            with autograd.record():
                y = function(x)
            y.backward()
        assert (y.device, x.grad.device, weight.grad.device) == (HERE, THERE, HERE)
        results.append([one.asnumpy() for one in (y, x.grad, weight.grad)])
    for one, wanted in zip(*results, strict=True):
        numpy.testing.assert_allclose(one, wanted, 1e-5, 1e-6)


class OnTwo(nn.HybridBlock):
    """A layer on the device, and one at the host."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Dense(4, in_units=3, activation="tanh"), nn.Dense(2, in_units=4)

    def forward(self, x):
        return self.second(self.first(x).as_in_ctx(HERE))


def losses(compiled):
    np.random.seed(2)
    net = OnTwo()
    net.first.initialize(ctx=THERE)
    net.second.initialize(ctx=HERE)
    if compiled:
        net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    result = []
    for _ in range(3):
        with autograd.record():
            loss = ((net(np.array(DATA, ctx=THERE)) - 1) ** 2).mean()
        loss.backward()
        trainer.step(1)
        assert loss.device == HERE
        result.append(loss.item())
    return result


def test_a_net_in_two_places_trains():
    numpy.testing.assert_allclose(losses(True), losses(False), 1e-5)


def test_state_of_both_places_is_written():
    here, there = np.zeros((2, 3)), np.zeros((2, 3), ctx=THERE)

    @hybridize
    def step(x):
        here[:] = here + x.as_in_ctx(HERE)
        there[:] = there + (x.as_in_ctx(HERE) * 2).as_in_ctx(THERE)
        return there.sum().as_in_ctx(HERE)

    for _ in range(3):
        y = step(np.array(DATA, ctx=THERE))
    numpy.testing.assert_allclose(here.asnumpy(), 3 * DATA, 1e-6)
    numpy.testing.assert_allclose(there.asnumpy(), 6 * DATA, 1e-6)
    assert y.device == HERE and y.item() == pytest.approx(6 * DATA.sum())


def test_the_host_prints_and_asserts(capfd):
    @hybridize
    def f(x):
        places = x.as_in_ctx(HERE).astype("int64")
        print("at", places)
        return ROW[0][places], x * 2

    for _ in range(2):
        assert f(np.array([2, 0], ctx=THERE))[0].tolist() == [3, 1]
    assert capfd.readouterr().out == "at [2 0]\n" * 2
    with refusal(OutOfBoundsError, "E110: axis 0 of f32.3.: an index is out of bounds") as caught:
        f(np.array([2, 3], ctx=THERE))
    assert caught.value.loc.line == f.__wrapped__.__code__.co_firstlineno + 4


def test_a_saved_program_does_it_on_a_device(tmp_path):
    f = hybridize(lambda x: np.exp(x).as_in_ctx(HERE) * 2)
    expected = f(np.array(DATA, ctx=THERE)).asnumpy()
    f.save(str(tmp_path / "f.hyb"))
    numpy.testing.assert_allclose(load(str(tmp_path / "f.hyb"))(np.array(DATA)).asnumpy(), expected, 1e-6)
    there = load(str(tmp_path / "f.hyb"), device=THERE)(np.array(DATA, ctx=THERE))
    numpy.testing.assert_allclose(there.asnumpy(), expected, 1e-6)


def test_loops_and_branches_do_not_copy():
    @hybridize
    def f(x):
        if x.sum() > 0:
            return x.as_in_ctx(HERE)
        return x.as_in_ctx(HERE) * 2

    with refusal(
        DeviceError, r"E705: cond copies f32\[2,3\] to the host(?s:.*)help: copy it behind the loop"
    ) as caught:
        f(np.array(DATA, ctx=THERE))
    assert caught.value.loc.line == f.__wrapped__.__code__.co_firstlineno + 3
