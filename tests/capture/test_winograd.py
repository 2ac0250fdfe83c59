"""`hybridize(winograd=True)`: a permission that programs, their gradients and files carry."""

import numpy
import pytest

import hybridize
from hybridize import autograd, gluon, np, npx, ops
from hybridize import hybridize as compiled
from hybridize.array.operands import operand, result
from hybridize.errors import ArgumentError


def drawn(*shape, seed=0):
    return numpy.random.default_rng(seed).normal(size=shape).astype("f4")


WEIGHT, BIAS = np.array(drawn(24, 16, 3, 3) / 12), np.array(drawn(24, 1, 1))

SQUARE = np.array(drawn(16, 16, 3, 3) / 12)


def layer(x):
    return npx.relu(result(ops.convolution(operand(x), operand(WEIGHT), padding=1)) + BIAS)


def image(rows=2, size=(14, 12)):
    return np.array(drawn(rows, 16, *size, seed=1))


def kinds(function):
    return [step.kind for step in function.programs()[-1].explain().kernels]


def test_it_is_off_by_default():
    function = compiled(layer)
    function(image())
    assert "winograd" not in kinds(function)


def test_a_function_that_is_permitted():
    function = compiled(layer, winograd=True)
    x = image()
    numpy.testing.assert_allclose(function(x).asnumpy(), layer(x).asnumpy(), atol=1e-5)
    assert "winograd" in kinds(function)
    assert "F(4,3)" in function.programs()[0].schedule()
    assert function.programs()[0].explain().notes == ()


def test_what_does_not_profit_is_said():
    function = compiled(layer, winograd=True)
    function(image(size=(3, 3)))
    assert "winograd" not in kinds(function)
    assert any("winograd" in note for note in function.programs()[0].explain().notes)


def test_an_infinity_reaches_its_tile_and_no_further():
    x = image(1, (16, 16)).asnumpy()
    x[0, 3, 9, 9] = numpy.inf
    found = compiled(layer, winograd=True)(np.array(x)).asnumpy()
    near = numpy.zeros((16, 16), bool)
    near[4:12, 4:12] = True  # the tiles that see it
    assert numpy.isfinite(found[0][:, ~near]).all()
    direct = compiled(layer)(np.array(x)).asnumpy()
    assert numpy.isfinite(direct[0][:, [8, 8, 11], [11, 5, 8]]).all()


def test_bodies_of_control_flow_too():
    def looped(x):

        def body(_, x):
            y = npx.relu(result(ops.convolution(operand(x), operand(SQUARE), padding=1)))
            return y, y

        return npx.foreach(body, np.zeros((3, 1)), x)[1]

    function = compiled(looped, winograd=True)
    x = image()
    numpy.testing.assert_allclose(function(x).asnumpy(), looped(x).asnumpy(), atol=1e-4)
    assert "winograd_contract" in str(function.programs()[0].captured)


class Net(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        self.first = gluon.Parameter("first", shape=(16, 16, 3, 3), init="xavier")
        self.second = gluon.Parameter("second", shape=(24, 16, 3, 3), init="xavier")

    def forward(self, x):
        for weight in (self.first, self.second):
            x = npx.relu(result(ops.convolution(operand(x), operand(weight.data()), padding=1)))
        return x


@pytest.fixture(scope="module")
def net():
    made = Net()
    made.initialize()
    return made


@pytest.mark.parametrize("rows", [2, 32])
def test_gradients(net, rows):
    x = image(rows)
    found = []
    for options in ({"active": False}, {"winograd": True}):
        net.hybridize(**options)
        x.attach_grad()
        with autograd.record():
            total = (net(x) * net(x)).sum()
        total.backward()
        found.append([x.grad.asnumpy(), *(one.grad().asnumpy() for one in (net.first, net.second))])
    for wanted, one in zip(*found, strict=True):
        numpy.testing.assert_allclose(one, wanted, atol=2e-5 * abs(wanted).max())


def test_files_keep_it(net, tmp_path):
    net.hybridize(winograd=True)
    x = image()
    wanted = net(x).asnumpy()
    net.export(str(tmp_path / "net.hybridize"), format="archive")
    loaded = hybridize.load(str(tmp_path / "net.hybridize"))
    numpy.testing.assert_array_equal(loaded(x).asnumpy(), wanted)
    assert "winograd" in kinds(loaded)
    assert loaded.options.winograd


@pytest.mark.parametrize("verify", ["outputs", "ops"])
def test_verify_knows_how_far_errors_reach(verify):
    """A large element is near results that it is no part of."""
    x = image(40).asnumpy()
    x[:, :, 5, 5] *= 1e6
    function = compiled(layer, winograd=True, verify=verify)
    function(np.array(x))
    assert "winograd" in kinds(function)


def test_a_value_that_is_none():
    with pytest.raises(ArgumentError, match="winograd must be one of True, False"):
        compiled(layer, winograd="yes")
