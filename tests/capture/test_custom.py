"""Gradients of the user's own inside of compiled functions: as imperatively, or refused."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import hybridize as hz
from hybridize import autograd, gluon, hybridize, np, npx
from hybridize.errors import ArgumentError, HybridizeError, StateError
from hybridize.gluon import nn


class Sigmoid(autograd.Function):
    """Saves a result. Its gradient is thrice the true one, so that nobody gets it from anywhere else."""

    def forward(self, x):
        y = 1 / (1 + np.exp(-x))
        self.save_for_backward(y)
        return y

    def backward(self, dy):
        (y,) = self.saved_tensors
        return 3 * dy * y * (1 - y)


class Clipped(autograd.Function):
    """Keeps attributes: a number, a flag and an intermediate; two arguments, one without a gradient."""

    def __init__(self, low, loud=True):
        self.low = low
        self.loud = loud

    def forward(self, x, scale):
        self.mask = x > self.low
        self.scaled = scale * 2
        return np.where(self.mask, x * scale, x * 0)

    def backward(self, dy):
        if not self.loud:
            return None, None
        return dy * self.mask * self.scaled, None


class Both(autograd.Function):
    """Two results; saves arguments and what is between."""

    def forward(self, x, y):
        product = x * y
        self.save_for_backward(x, product, y)
        return product + x, np.sin(product)

    def backward(self, da, db):
        x, product, y = self.saved_tensors
        return da * y + db * product, da * x * 0.5


class Outside(autograd.Function):
    """Reads a weight from outside, which is a constant to it."""

    weight: Any = None

    def forward(self, x):
        return x * self.weight

    def backward(self, dy):
        return dy * self.weight * 2


class Straight(autograd.Function):
    """The sign, with the gradient of the identity."""

    def forward(self, x):
        return np.sign(x)

    def backward(self, dy):
        return dy


def _variables(count: int, size: int = 3) -> list[Any]:
    rng = numpy.random.default_rng(3)
    made = [np.array(rng.standard_normal(size), dtype="float64") for _ in range(count)]
    for x in made:
        x.attach_grad()
    return made


def _both(make: Any, count: int = 2) -> list[list[Any]]:
    """Results, variables and gradients after three calls, imperatively and compiled."""
    found = []
    for wrap in (lambda f: f, hybridize):
        xs = _variables(count)
        Outside.weight = np.array([2.0, 3.0, 4.0], dtype="float64")
        step = wrap(make(*xs))
        results = [numpy.asarray(step().asnumpy()) for _ in range(3)]
        found.append([*results, *(x.asnumpy() for x in xs), *(x.grad.asnumpy() for x in xs)])
    for ours, theirs in zip(found[1], found[0], strict=True):
        numpy.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)
    return found


def _step(loss: Any) -> Any:
    def make(x, y):
        def step():
            with autograd.record():
                value = loss(x, y)
            value.backward()
            x[...] -= 0.1 * x.grad
            return value

        return step

    return make


LOSSES = {
    "a result is saved": lambda x, y: (Sigmoid()(x * y) * x).sum(),
    "attributes are kept": lambda x, y: (Clipped(0.1)(x * 2, y) ** 2).sum() + y.sum(),
    "no gradient": lambda x, y: (Clipped(0.1, loud=False)(x * 2, y) + x * y).sum(),
    "two results": lambda x, y: sum((a * b).sum() for a, b in [Both()(x, y * 2)]),
    "one of two results": lambda x, y: (Both()(x, y * 2)[1] * x).sum() + y.sum(),
    "one array twice": lambda x, y: sum(a.sum() for a in Both()(x, x)) + y.sum(),
    "of a variable itself": lambda x, y: Sigmoid()(x).sum() + Straight()(y).sum(),
    "of a variable of which a part is taken": lambda x, y: Sigmoid()(x[::-1][:2]).sum() + y.sum(),
    "a weight from outside": lambda x, y: (Outside()(x) * y).sum(),
    "one in another": lambda x, y: (Sigmoid()(Sigmoid()(x) * Straight()(y))).sum(),
    "in a conditional expression": lambda x, y: (Sigmoid()(x * y) if x.sum() > -99 else Straight()(x) * y).sum(),
    "in the other side": lambda x, y: (Sigmoid()(x * y) if x.sum() > 99 else Straight()(x) * y).sum(),
    "of what is paused": lambda x, y: (_paused(x) * y + x).sum(),
}  # fmt: skip


def _paused(x: Any) -> Any:
    with autograd.pause():
        return Sigmoid()(x)


@pytest.mark.parametrize("name", LOSSES)
def test_in_a_step(name):
    _both(_step(LOSSES[name]))


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_in_a_function_that_is_called_while_recording(name, backend):
    found = []
    for wrap in (lambda f: f, lambda f: hybridize(f, backend=backend)):
        xs = _variables(2)
        Outside.weight = np.array([2.0, 3.0, 4.0], dtype="float64")
        loss = wrap(LOSSES[name])
        for _ in range(2):
            with autograd.record():
                value = loss(xs[0], xs[1]) * 2
            value.backward()
        found.append([value.asnumpy(), *(x.grad.asnumpy() for x in xs)])
    for ours, theirs in zip(found[1], found[0], strict=True):
        numpy.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)


def test_in_a_loop():
    def make(x, y):
        def step():
            with autograd.record():
                z = x * 1
                for i in range(3):
                    z = Sigmoid()(z) * y if i % 2 else Straight()(z) + z
                value = z.sum()
            value.backward()
            return value

        return step

    _both(make)


def test_second_derivatives():
    def make(x, y):
        def step():
            with autograd.record():
                value = (Sigmoid()(x * y) * x).sum()
                (first,) = autograd.grad(value, [x], create_graph=True)
                total = (first * first).sum() + value
            total.backward()
            return total

        return step

    _both(make)


def test_in_a_block_with_a_trainer():
    class Net(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.inner = nn.Dense(4, in_units=3)
            self.outer = nn.Dense(1, in_units=4)

        def forward(self, x):
            return self.outer(Sigmoid()(self.inner(x)))

    losses = []
    for wrap, hybrid in ((lambda f: f, False), (lambda f: f, True), (hybridize, False), (hybridize, True)):
        hz.random.seed(1)
        net = Net()
        net.initialize()
        net.cast("float64")
        if hybrid:
            net.hybridize()
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1})
        x = np.array(numpy.random.default_rng(0).standard_normal((5, 3)), dtype="float64")

        def step(x, net=net, trainer=trainer):
            with autograd.record():
                loss = ((net(x) - 1) ** 2).mean()
            loss.backward()
            trainer.step(1)
            return loss

        step = wrap(step)
        losses.append([float(step(x)) for _ in range(5)])
    assert losses[0][-1] < losses[0][0]
    for other in losses[1:]:
        numpy.testing.assert_allclose(other, losses[0], rtol=1e-10)


def test_an_object_of_outside_is_refused():
    (x,) = _variables(1)
    function = Sigmoid()

    @hybridize
    def step():
        with autograd.record():
            y = function(x).sum()
        y.backward()
        return y

    with pytest.raises(StateError, match="E546"):
        step()


def test_an_object_is_used_once():
    (x,) = _variables(1)

    @hybridize
    def step():
        function = Sigmoid()
        with autograd.record():
            y = (function(x) + function(x)).sum()
        y.backward()
        return y

    with pytest.raises(StateError, match="E546"):
        step()


class _Writes(autograd.Function):
    def forward(self, x):
        x[...] = 0
        return x * 2

    def backward(self, dy):
        return dy


class _Short(autograd.Function):
    def forward(self, x):
        return x * 2

    def backward(self, dy):
        return dy[:1]


class _Many(autograd.Function):
    def forward(self, x):
        return x * 2

    def backward(self, dy):
        return dy, dy


class _None(autograd.Function):
    def forward(self, x):
        return x * 2


KEPT = np.zeros(3)


class _WritesOutside(autograd.Function):
    """Writes an array of the surroundings, which it has by a name, by an attribute, or among its arguments."""

    def __init__(self, how, kept):
        self.how, self.kept = how, kept

    def forward(self, x):
        target = {"global": KEPT, "attribute": self.kept, "argument": x}[self.how]
        if self.how != "argument":
            target[...] = x
        else:
            target[0] = 5.0
        return x * 2

    def backward(self, dy):
        return dy * 2


@pytest.mark.parametrize("how", ["global", "attribute", "argument"])
@pytest.mark.parametrize("reads", [False, True])
def test_a_function_that_writes_outside_is_refused_and_nothing_is_written(how, reads):
    """It was a KeyError: the program went on with what the refused call had written."""
    (x,) = _variables(1)
    kept = np.zeros(x.shape)
    before = x.copy()

    @hybridize
    def step(x):
        total = kept.sum() if reads else 0.0
        return _WritesOutside(how, kept)(x).sum() + total

    for _ in range(2):
        with pytest.raises(StateError, match=r"E545.*_WritesOutside changes an array"), autograd.record():
            step(x)
    for array, old in ((x, before), (kept, 0 * before), (KEPT, np.zeros(3))):
        numpy.testing.assert_array_equal(array, old)


@pytest.mark.parametrize(
    ("kind", "error", "code"),
    [(_Writes, StateError, "E545"), (_Short, ArgumentError, "E387"), (_Many, ArgumentError, "E389"),
     (_None, NotImplementedError, "E328")],
)  # fmt: skip
def test_refusals(kind, error, code):
    (x,) = _variables(1)

    @hybridize
    def step():
        with autograd.record():
            y = kind()(x * 2).sum()
        y.backward()
        return y

    with pytest.raises(error) as caught:
        step()
    found: HybridizeError = caught.value
    assert found.code == code and found.loc is not None and found.loc.file == __file__


class Cubed(autograd.Function):
    """Its gradient is no gradient of its `forward`."""

    def forward(self, x):
        self.save_for_backward(x)
        return x * x

    def backward(self, dy):
        (x,) = self.saved_tensors
        return 3 * dy * x


class CubedOp(hz.operator.CustomOp):
    """The same, as an operation by name."""

    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] * in_data[0])

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], 3 * out_grad[0] * in_data[0])


@hz.operator.register("cubed_of_rows")
class CubedProperties(hz.operator.CustomOpProp):
    def __init__(self):
        super().__init__(need_top_grad=True)

    def create_operator(self, ctx, shapes, dtypes):
        return CubedOp()


def _by_name(x):
    return hz.nd.Custom(x, op_type="cubed_of_rows").as_np_ndarray()


def _over_rows(of, x):
    total = np.zeros(3)
    for row in x:
        total = total * 0.5 + of(row)
    return total


def _over_pairs(of, x):
    total = np.zeros(3)
    for row, other in zip(x, x[::-1], strict=True):
        total = total * 0.5 + of(row) * other
    return total


def _over_numbered(of, x):
    total = np.zeros(3)
    for number, row in enumerate(x * 2):
        total = total + of(row) * number
    return total


def _backwards(of, x):
    total = np.zeros(3)
    for row in reversed(x):
        total = total * 0.5 + of(row)
    return total


def _on_sides(of, x):
    total = np.zeros(3)
    for row in x:
        if row.sum() > 0:
            total = total + of(row)
        else:
            total = total - of(row) * 2
    return total


def _in_rows_of_rows(of, x):
    total = np.zeros(1)
    for row in x:
        for one in row:
            total = total * 0.5 + of(one.reshape(1))
    return total


def _of_a_list(of, x):
    rows, total = [], np.zeros(3)
    for row in x:
        rows.append(row * 2)  # noqa: PERF401
    for row in rows:
        total = total * 0.5 + of(row)
    return total


def _of_columns(of, x):
    total = np.zeros(3)
    for number in range(len(x)):
        total = total * 0.5 + of(x[number])
    return total


def _foreach(of, x):
    rows, total = npx.foreach(lambda row, total: (of(row), total + row), x, np.zeros(3))
    return rows.sum() + total


def _beside_constants(of, x):
    total = np.zeros(3)
    for row, other in zip(x, np.ones(x.shape), strict=True):
        total = total * 0.5 + row * of(other)
    return total


def _detached(of, x):
    total = np.zeros(3)
    for row in x.detach():
        total = total * 0.5 + of(row)
    return total * x[0]


LOOPS = [
    _over_rows, _over_pairs, _over_numbered, _backwards, _on_sides, _in_rows_of_rows, _of_a_list, _of_columns,
    _foreach, _beside_constants, _detached,
]  # fmt: skip


@pytest.mark.parametrize("of", [lambda x: Cubed()(x), _by_name], ids=["Function", "CustomOp"])
@pytest.mark.parametrize("loop", LOOPS, ids=lambda one: one.__name__.strip("_"))
def test_rows_of_rolled_loops(loop, of):
    def step(x):
        with autograd.record():
            y = loop(of, x).sum()
        y.backward()
        return y

    data = numpy.random.default_rng(2).normal(size=(20, 3)).astype("f4")
    results = []
    for function in (step, hybridize(step)):
        x = np.array(data)
        x.attach_grad()
        results.append((function(x).asnumpy(), x.grad.asnumpy()))
    assert numpy.abs(results[0][1]).max() > 0
    for found, expected in zip(*results, strict=True):
        numpy.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
