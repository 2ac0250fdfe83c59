# SPDX-License-Identifier: Apache-2.0
"""Arrays that `nd` makes: who gives them, imperatively and hybridized. Their numbers are held by tests/census."""

import copy
import pickle

import numpy
import pytest

import hybridize
from hybridize import autograd, gluon, io, nd, np, npx, operator
from hybridize.gluon import nn

X, WHOLE, W = nd.array([[1, 2.0], [3, 4]]), nd.array([[1, 2], [3, 4]], dtype="int32"), nd.array([2.0, 3.0])
MANY = nd.array(numpy.arange(120.0).reshape(60, 2) / 60)


def check_same(expected, result):
    """Hold classes, dtypes, shapes and elements."""
    assert type(result) is type(expected)
    if isinstance(expected, (list, tuple)):
        assert len(result) == len(expected)
        for one, other in zip(expected, result, strict=True):
            check_same(one, other)
    elif hasattr(expected, "asnumpy"):
        assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
        numpy.testing.assert_allclose(result.asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)
    else:
        assert result == expected


def beside_np(x):
    p = np.ones((2,))
    return p + x, x + p, p == x, 2 - x, x > 1.5, x % 2, p - (x > 1), x * W + (W == 2), W.sum(), [W / 2]


def of_np(x):
    return np.exp(x), npx.relu(x), np.sum(x), np.sum(W), x.as_np_ndarray() == 1, np.stack([x, x]), np.where(x > 1, x, W)


def written(x):
    y = x.copy()
    y[0] = 7
    y[1, 1] = y[0, 0]
    y += 1
    y *= 2.5
    y[:] = y > 2
    return y, y[0] - 1


def branch_by_data(x):
    y = x > 2 if x.sum() > 3 else x * 1
    return y * 2 - 1


def loop_by_data(x):
    s, k = x.sum(), 0
    while s > 1:
        s, k = s / 2, k + 1
    return s, k


def loop_over_rows(x):
    total, out = nd.zeros((2,)), []
    for row in x:
        total = total + (row > 1) - (total == 2) * row
        out.append(total > 1)
    return total, nd.concat(*out, dim=0), out[1] - 1, out


def loop_over_elements(x):
    total, out = nd.zeros((1,)), []
    for one in x.reshape(-1):
        total = total * 0.5 + one + (one > 1)
        out.append(total * one)
    return total, nd.stack(*out), out[1]


def control_flow(x):
    rows = nd.contrib.foreach(lambda row, s: ((row > 1) - 1 + s, s + (row > 2)), x, nd.zeros((2,)))
    elements = nd.contrib.foreach(lambda one, s: (one - 1, s + one), x[0], nd.zeros((1,)))
    rounds = nd.contrib.while_loop(
        lambda i, s: i < 3, lambda i, s: ((s > 2) - 1, [i + 1, s + x / 2]), [nd.array([0]), x], max_iterations=4
    )
    return rows, elements, rounds, nd.contrib.cond(x.sum() > 3, lambda: (x > 2) - 1, lambda: x - 1)


class Gated(autograd.Function):
    def forward(self, x):
        self.save_for_backward(x)
        return (x > 1) * x - (x == 2)

    def backward(self, g):
        (x,) = self.saved_tensors
        return ((x > 1) - 2) * g


def gradients(x):
    value, slope = hybridize.value_and_grad(lambda z: (z * z * (z > 1)).sum())(x)
    with autograd.record():
        y = Gated()(x)
    again = autograd.checkpoint(lambda z: (z > 1) - z)(x)
    return value, slope, slope > 1, y, y == 1, again


def classes(x):
    return isinstance(x, nd.NDArray), isinstance(x, np.ndarray), type(x) is nd.NDArray, type(x) is np.ndarray


PROGRAMS = (
    beside_np, of_np, written, branch_by_data, loop_by_data, loop_over_rows, loop_over_elements, control_flow,
    gradients, classes,
)  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS)
def test_programs_give_what_python_gives(function):
    fast = hybridize.hybridize(function)
    for x in (X, X, X, -X, X.as_np_ndarray() if function in (beside_np, written, classes) else X, X):
        check_same(function(x), fast(x))


@pytest.mark.parametrize("function", [loop_over_rows, loop_over_elements])
def test_rounds_that_are_not_unrolled_give_what_python_gives(function):
    check_same(function(MANY), hybridize.hybridize(function)(MANY))


@pytest.mark.parametrize("x", [X, WHOLE], ids=["floats", "integers"])
@pytest.mark.parametrize("number", [2.5, -3, 2, True])
def test_numbers_of_each_call_count_as_imperatively(x, number):
    def compute(x, s):
        return x * s, s - x, x > s, x / s, x % s, s == x, nd.broadcast_add(x, s), x.astype("uint8") - s

    check_same(compute(x, number), hybridize.hybridize(compute)(x, number))


def test_an_array_of_each_class_has_its_own_program():
    fast = hybridize.hybridize(lambda x: (x / 2, x == 1, x.sum()))
    for _ in range(3):
        assert [y.dtype.name for y in fast(WHOLE)] == ["int32"] * 3
        assert [y.dtype.name for y in fast(WHOLE.as_np_ndarray())] == ["float32", "bool", "int64"]


def test_a_program_of_both_classes():
    fast = hybridize.hybridize(lambda x, y: (x == 1, y == 1, x + y))
    for pair in ((X, X.as_np_ndarray()), (X.as_np_ndarray(), X), (X, X)):
        for _ in range(3):
            check_same((pair[0] == 1, pair[1] == 1, pair[0] + pair[1]), fast(*pair))


class Legacy(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3)
        self.w = self.params.get("w", shape=(3,))

    def hybrid_forward(self, F, x, w):
        y = self.dense(x)
        return F.relu(y) * w + (y > 0) * (w == 0) + (y > 0).sum(), y.sum(), w.mean(), x[0, 0], (w == 1) - 1


def test_blocks_of_mxnet_1_compute_with_arrays_of_nd():
    block = Legacy()
    block.initialize("ones")
    expected = block(X)
    assert {type(one) for one in expected} == {nd.NDArray}
    assert [one.shape for one in expected] == [(2, 3), (1,), (1,), (1,), (3,)]
    block.hybridize()
    for _ in range(3):
        check_same(expected, block(X))


def chain(*blocks):
    net = nn.HybridSequential()
    net.add(*blocks)
    return net


LAYERS = {
    "Dense": lambda: nn.Dense(3), "Dropout": lambda: nn.Dropout(0.5), "Identity": lambda: nn.Identity(),
    "BatchNorm": lambda: nn.BatchNorm(), "LayerNorm": lambda: nn.LayerNorm(), "Activation": lambda: nn.Activation("relu"),
    "Embedding": lambda: nn.Embedding(5, 2), "Lambda": lambda: nn.HybridLambda(lambda F, x: (x > 1) - 1),
    "Sequential": lambda: chain(nn.Dense(3), nn.HybridLambda(lambda F, x: (x == 0) - 1)),
    "LSTMCell": lambda: gluon.rnn.LSTMCell(3), "GRU": lambda: gluon.rnn.GRU(3),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("array", [X, X.as_np_ndarray()], ids=["nd", "np"])
def test_layers_give_arrays_of_the_class_that_they_are_given(name, array):
    block = LAYERS[name]()
    block.initialize()
    args = (array,)
    if name == "LSTMCell":
        args = (array, [nd.zeros((2, 3)) if type(array) is nd.NDArray else np.zeros((2, 3)) for _ in range(2)])
    elif name == "GRU":
        args = (array.reshape((1, 2, 2)),)
    leaves = lambda y: [one for part in y for one in leaves(part)] if isinstance(y, (list, tuple)) else [y]  # noqa: E731
    expected = block(*args)
    assert {type(one) for one in leaves(expected)} == {type(array)}
    block.hybridize()
    for _ in range(3):
        check_same(leaves(expected), leaves(block(*args)))


@pytest.mark.parametrize("loss", [gluon.loss.L2Loss(), gluon.loss.SoftmaxCrossEntropyLoss(), gluon.loss.HuberLoss()])
def test_a_step_of_training(loss):
    label = nd.array([[0.0, 1], [1, 0]]) if "Softmax" not in type(loss).__name__ else nd.array([0, 1])
    results = []
    for hybridized in (False, True):
        net = chain(nn.Dense(4, activation="relu"), nn.Dense(2))
        net.initialize("ones")
        if hybridized:
            net.hybridize()
            loss.hybridize()
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
        for _ in range(3):
            with autograd.record():
                mean = loss(net(X), label).mean()
            mean.backward()
            trainer.step(2)
        assert (type(mean), mean.shape) == (nd.NDArray, (1,))
        results.append(mean)
    check_same(*results)


def test_gradients_are_arrays_of_nd():
    x = X.copy()
    x.attach_grad()
    with autograd.record():
        y = (x * x * (x > 1)).sum()
    y.backward()
    assert type(x.grad) is nd.NDArray
    assert x.grad is x.grad
    assert (x.grad == 0).asnumpy().tolist() == [[1, 0], [0, 0]]
    with autograd.record():
        y = x * x
    assert [type(one) for one in autograd.grad(y, x)] == [nd.NDArray]


@operator.register("nd_steps")
class Steps(operator.CustomOpProp):
    def list_arguments(self):
        return ["data"]

    def list_outputs(self):
        return ["output"]

    def infer_shape(self, shapes):
        return shapes, [shapes[0]], []

    def create_operator(self, ctx, shapes, dtypes):
        return StepsOperator()


class StepsOperator(operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], (in_data[0] > 1) - (in_data[0] == 2) - in_data[0])

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0] * ((in_data[0] > 1) - 1))


def test_custom_operations_compute_with_arrays_of_nd():
    def compute(x):
        return nd.Custom(x, op_type="nd_steps")

    for function in (compute, hybridize.hybridize(compute)):
        x = X.copy()
        x.attach_grad()
        with autograd.record():
            y = function(x)
        y.backward()
        check_same(nd.array([[-1.0, -2], [-2, -3]]), y)
        check_same(nd.array([[-1.0, 0], [0, 0]]), x.grad)


def test_what_is_stored_outside_of_a_program_keeps_its_class():
    class Stores(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.last, self.buffer = None, nd.zeros((2, 2))

        def forward(self, x):
            self.last = x > 1
            self.buffer[:] = x > 2
            self.buffer += 1
            return x

    plain, fast = Stores(), Stores()
    fast.hybridize()
    for _ in range(3):
        check_same([plain(X), plain.last, plain.buffer], [fast(X), fast.last, fast.buffer])


def test_python_conversions_copies_and_text(tmp_path):
    x = X.copy()
    x.attach_grad()
    for again in (
        pickle.loads(pickle.dumps(x)),
        copy.copy(x),
        copy.deepcopy(x),
        x.copyto(x.ctx),
        x.as_in_context(x.ctx),
    ):
        check_same(x, again)
    assert pickle.loads(pickle.dumps(x)).grad is not None
    assert x.as_in_context(x.ctx) is x
    assert x.as_nd_ndarray() is x
    assert type(x.as_np_ndarray()) is np.ndarray
    x.as_np_ndarray()[0, 0] = 5
    assert float(x[0, 0]) == 5.0
    assert repr(nd.array([1, 2])) == str(nd.array([1, 2])) == "\n[1. 2.]\n<NDArray 2 @cpu(0)>"
    assert f"{nd.array([2.0])[0]:.2f}" == "2.00"
    assert hash(x) == hash(x)
    assert isinstance(np.ones(2), nd.NDArray)
    check_same(nd.array([2.0, 3.0]) * 2, numpy.float32(2) * W)
    check_same(nd.array([3.0, 4.0]), numpy.ones(2, "float32") + W)
    nd.save(str(tmp_path / "file"), {"x": x})
    check_same(x, nd.load(str(tmp_path / "file"))["x"])


def test_archives_know_the_class(tmp_path):
    def compute(x):
        return x / 2, x == 1, x.sum()

    fast = hybridize.hybridize(compute)
    fast(WHOLE)
    fast(WHOLE.as_np_ndarray())
    fast.save(tmp_path / "both")
    loaded = hybridize.load(tmp_path / "both")
    check_same(compute(WHOLE), loaded(WHOLE))
    check_same(compute(WHOLE.as_np_ndarray()), loaded(WHOLE.as_np_ndarray()))
    fast = hybridize.hybridize(compute)
    fast(WHOLE)
    fast.save(tmp_path / "one")
    check_same(compute(WHOLE), hybridize.load(tmp_path / "one")(WHOLE.as_np_ndarray()))


@pytest.mark.parametrize("workers", [0, 2])
def test_loaders_give_arrays_of_nd_of_arrays_of_nd(workers):
    data, labels = nd.array(numpy.arange(12.0).reshape(6, 2)), nd.arange(6)
    for one, wanted in (
        (gluon.data.ArrayDataset(data, labels), nd.NDArray),
        (gluon.data.ArrayDataset(data, labels).transform_first(lambda x: x * 2), nd.NDArray),
        (gluon.data.ArrayDataset(data, labels).take(4), nd.NDArray),
        (data, nd.NDArray),
        (gluon.data.ArrayDataset(data.asnumpy(), labels.asnumpy()), np.ndarray),
    ):
        batch = next(iter(gluon.data.DataLoader(one, 2, num_workers=workers)))
        assert {type(part) for part in (batch if isinstance(batch, list) else [batch])} == {wanted}
    batch = io.NDArrayIter(numpy.ones((4, 2)), numpy.ones(4), 2).next()
    assert {type(part) for part in (*batch.data, *batch.label)} == {nd.NDArray}


class Counting(gluon.rnn.HybridRecurrentCell):
    """A cell of the user's, whose step asks what only arrays of `nd` answer in numbers."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2)

    def state_info(self, batch_size=0):
        return [{"shape": (batch_size, 2), "__layout__": "NC"}]

    def hybrid_forward(self, F, x, states):
        y = self.dense(x) + (x > 1).sum() - (states[0] == 0)
        return y, [states[0] + (y > 2)]


@pytest.mark.parametrize("lengths", [None, nd.array([2, 3])])
@pytest.mark.parametrize("merge", [True, False])
@pytest.mark.parametrize("kind", ["own", "LSTM", "several", "residual"])
def test_unrolled_cells_give_arrays_of_nd(kind, merge, lengths):
    def make():
        if kind == "several":
            cell = gluon.rnn.HybridSequentialRNNCell()
            cell.add(gluon.rnn.GRUCell(2))
            cell.add(Counting())
            return cell
        return {
            "own": Counting, "LSTM": lambda: gluon.rnn.LSTMCell(2),
            "residual": lambda: gluon.rnn.ResidualCell(gluon.rnn.RNNCell(2)),
        }[kind]()  # fmt: skip

    cell, x = make(), nd.array(numpy.arange(12.0).reshape(2, 3, 2) / 6)
    cell.initialize("ones")

    def unroll(x):
        return cell.unroll(3, x, layout="NTC", merge_outputs=merge, valid_length=lengths)

    expected = unroll(x)
    states = expected[1]
    assert {type(one) for one in (expected[0] if isinstance(expected[0], list) else [expected[0]])} == {nd.NDArray}
    assert {
        type(one) for one in (states if isinstance(states[0], nd.NDArray) else [one for part in states for one in part])
    } == {nd.NDArray}
    check_same(expected, hybridize.hybridize(unroll)(x))


def test_what_a_program_reads_outside_may_become_of_the_other_class():
    class Stateful(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.state, self.parts = nd.array([1, 3], dtype="int32"), [nd.array([1, 3], dtype="int32")]

        def forward(self, x):
            y = self.state / 2
            self.state = self.state + x
            return y.as_np_ndarray(), [part / 2 for part in self.parts]

    plain, fast = Stateful(), Stateful()
    fast.hybridize()
    of_np = np.array([1, 3], dtype="int32")
    for number in range(7):
        check_same(plain(of_np), fast(of_np))
        if number % 2:
            other = of_np.copy() if number % 4 == 1 else nd.array([1, 3], dtype="int32")
            for block in (plain, fast):
                block.state, block.parts[0] = other.copy(), other


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("name", "operand"),
    [("take", [2.0, 0.0]), ("dot", [[1.0, 2.0]] * 4), ("pick", [1.0, 0.0, 3.0])],
)
def test_methods_of_arrays_of_np_beside_those_of_nd_are_of_nd(name, operand, compiled):
    """As operators are: `net.weight.data().take(rows)` takes rows, whatever class the weight has."""
    x = np.arange(12.0).reshape(3, 4)

    def function(x, y):
        return getattr(x, name)(y)

    function = hybridize.hybridize(function) if compiled else function
    result = function(x, nd.array(operand))
    expected = getattr(nd, name)(x.as_nd_ndarray(), nd.array(operand))
    assert type(result) is type(expected) is nd.NDArray
    numpy.testing.assert_array_equal(result.asnumpy(), expected.asnumpy())
    assert type(function(x, np.array(operand).astype("int64" if name != "dot" else "float32"))) is np.ndarray
