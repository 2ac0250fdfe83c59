"""MXNet's custom operations: its tutorial's softmax, several results, auxiliary states, inside of compiled functions."""

import multiprocessing

import numpy
import pytest

from hybridize import autograd, gluon, hybridize, nd, np, npx, operator, sym
from hybridize.errors import ArgumentError, HybridizeError
from tests.refusals import refusal


class Softmax(operator.CustomOp):
    """As MXNet's tutorial has it: the gradient is that of the cross-entropy, whatever comes from above."""

    def forward(self, is_train, req, in_data, out_data, aux):
        x = in_data[0]
        y = np.exp(x - x.max(axis=1, keepdims=True))
        self.assign(out_data[0], req[0], y / y.sum(axis=1, keepdims=True))

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        onehot = nd.one_hot(in_data[1], out_data[0].shape[1])
        self.assign(in_grad[0], req[0], out_data[0] - onehot)


@operator.register("test_softmax")
class SoftmaxProp(operator.CustomOpProp):
    def __init__(self):
        super().__init__(need_top_grad=False)

    def list_arguments(self):
        return ["data", "label"]

    def infer_shape(self, in_shape):
        return [in_shape[0], (in_shape[0][0],)], [in_shape[0]], []

    def create_operator(self, ctx, shapes, dtypes):
        assert str(ctx) == "cpu(0)"
        assert [len(shape) for shape in shapes] == [2, 1]
        return Softmax()


class Scaled(operator.CustomOp):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, is_train, req, in_data, out_data, aux):
        if aux:
            aux[0][:] = aux[0] + (2 if is_train else 1)
        self.assign(out_data[0], req[0], in_data[0] * self.scale)
        self.assign(out_data[1], req[1], in_data[0] ** 2)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0] * self.scale)
        self.assign(in_grad[0], "add", 2 * in_data[0] * out_grad[1])


@operator.register("test_scaled")
class ScaledProp(operator.CustomOpProp):
    def __init__(self, scale="1"):
        super().__init__()
        assert isinstance(scale, str)  # as MXNet gives it
        self.scale = float(scale)

    def list_outputs(self):
        return ["scaled", "squared"]

    def list_auxiliary_states(self):
        return ["count"]

    def create_operator(self, ctx, shapes, dtypes):
        return Scaled(self.scale)


@operator.register("test_stateless")
class StatelessProp(ScaledProp):
    def list_auxiliary_states(self):
        return []


X = numpy.array([[1.0, 2.0, 0.5], [0.0, -1.0, 3.0]], numpy.float32)
LABEL = np.array([1, 0], dtype="int32")


def test_the_tutorials_softmax():
    x = np.array(X)
    x.attach_grad()
    with autograd.record():
        y = nd.Custom(x, LABEL, op_type="test_softmax", name="softmax")
    y.backward()
    expected = numpy.exp(X) / numpy.exp(X).sum(1, keepdims=True)
    numpy.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-5)
    expected[[0, 1], [1, 0]] -= 1
    numpy.testing.assert_allclose(x.grad.asnumpy(), expected, rtol=1e-4, atol=1e-6)
    assert (nd.Custom(label=LABEL, data=x, op_type="test_softmax") == y).all()


def test_several_results_and_states():
    x, count = np.array(X), np.zeros(1)
    x.attach_grad()
    with autograd.record():
        scaled, squared = nd.Custom(x, count, op_type="test_scaled", scale=2.5)
        loss = scaled.sum() + (squared * 3).sum()
    loss.backward()
    numpy.testing.assert_allclose(scaled.asnumpy(), X * 2.5)
    numpy.testing.assert_allclose(squared.asnumpy(), X**2)
    numpy.testing.assert_allclose(x.grad.asnumpy(), 2.5 + 6 * X)
    nd.Custom(x, count=count, op_type="test_scaled")
    assert count.item() == 3  # once in training, once not


def test_inside_of_compiled_functions():
    def loss(x):
        scaled, squared = nd.Custom(x, op_type="test_stateless", scale=3)
        return scaled.sum() + squared.sum()

    compiled = hybridize(loss)
    for function in (loss, compiled, compiled):
        x = np.array(X)
        x.attach_grad()
        with autograd.record():
            y = function(x)
        y.backward()
        numpy.testing.assert_allclose(y.asnumpy(), 3 * X.sum() + (X**2).sum(), rtol=1e-5)
        numpy.testing.assert_allclose(x.grad.asnumpy(), 3 + 2 * X, rtol=1e-5)
    with refusal(HybridizeError, "E545.*has auxiliary states"), autograd.record():
        hybridize(lambda x, count: nd.Custom(x, count, op_type="test_scaled")[0])(x, np.zeros(1))


class Net(gluon.HybridBlock):
    def hybrid_forward(self, F, x, label):
        return F.Custom(x * 2, label, op_type="test_softmax")


def test_blocks_of_mxnet_1():
    net = Net()
    net.initialize()
    results = []
    for _ in range(2):
        x = np.array(X)
        x.attach_grad()
        with autograd.record():
            y = net(x, LABEL)
        y.backward()
        results.append((y.asnumpy(), x.grad.asnumpy()))
        net.hybridize()
    numpy.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-6)
    numpy.testing.assert_allclose(results[0][1], results[1][1], rtol=1e-6)
    numpy.testing.assert_allclose(results[0][0].sum(1), 1, rtol=1e-6)


def test_expressions():
    data, label = sym.var("data"), sym.var("label")
    y = sym.Custom(data=data, label=label, op_type="test_softmax")
    (found,) = y.eval(data=np.array(X), label=LABEL)
    numpy.testing.assert_allclose(found.asnumpy().sum(1), 1, rtol=1e-6)


def test_the_name_of_mxnet_2():
    """`npx.custom` is the same function, alone, recorded, and in a program."""
    x = np.array(X)
    numpy.testing.assert_array_equal(
        npx.custom(x, LABEL, op_type="test_softmax"), nd.Custom(x, LABEL, op_type="test_softmax")
    )
    compiled = hybridize(lambda x: npx.custom(data=x, label=LABEL, op_type="test_softmax") * 2)
    numpy.testing.assert_allclose(compiled(x), 2 * nd.Custom(x, LABEL, op_type="test_softmax"), rtol=1e-6)
    with refusal(ArgumentError, "no custom operation is called 'nothing'"):
        npx.custom(x, op_type="nothing")


def _in_child():
    found = nd.Custom(np.array(X), LABEL, op_type="test_softmax")
    raise SystemExit(0 if abs(found.sum().item() - 2) < 1e-5 else 1)


def test_forked_children():
    """MXNet once hung here: issue 14396."""
    nd.Custom(np.array(X), LABEL, op_type="test_softmax")
    child = multiprocessing.get_context("fork").Process(target=_in_child)
    child.start()
    child.join(30)
    assert child.exitcode == 0


def test_what_is_wrong_is_said():
    x = np.array(X)
    assert "test_scaled" in operator.get_all_registered_operators()
    for call, words in (
        (lambda: nd.Custom(x, op_type="nothing"), "no custom operation is called 'nothing'"),
        (lambda: nd.Custom(x, op_type="test_softmax"), "takes 2 arrays, data, label, got 1"),
        (lambda: nd.Custom(x, LABEL, label=LABEL, op_type="test_softmax"), "takes no argument 'label'"),
        (lambda: operator.CustomOp().assign(x, "wrote", x), "got 'wrote'"),
    ):
        with refusal(ArgumentError, words):
            call()

    @operator.register("test_incomplete")
    class Incomplete(operator.CustomOpProp):
        pass

    with refusal(HybridizeError, "CustomOp has no forward"):
        nd.Custom(x, op_type="test_incomplete")
    with refusal(AttributeError, r"autograd\.Function"):
        operator.NumpyOp  # noqa: B018

    @operator.register("test_asking")
    class Asking(operator.CustomOpProp):
        def create_operator(self, ctx, shapes, dtypes):
            class Op(operator.CustomOp):
                def forward(self, is_train, req, in_data, out_data, aux):
                    self.assign(out_data[0], req[0], np.array(in_data[0].asnumpy() + 1))

            return Op()

    def function(x):
        return nd.Custom(x, op_type="test_asking")

    numpy.testing.assert_array_equal(function(x).asnumpy(), X + 1)
    with pytest.raises(HybridizeError) as refused:
        hybridize(function)(x)
    assert refused.value.code.startswith("E4")
