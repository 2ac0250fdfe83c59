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


VIEWS = {
    "x.reshape((4, 3))": lambda x: x.reshape((4, 3)),
    "x.reshape((0, -1))": lambda x: x.reshape((0, -1)),
    "x[0]": lambda x: x[0],
    "x[-1]": lambda x: x[-1],
    "x[0, 1]": lambda x: x[0, 1],
    "x[0:2]": lambda x: x[0:2],
    "x[:]": lambda x: x[:],
    "x[...]": lambda x: x[...],
    "x[None]": lambda x: x[None],
    "x[:, None]": lambda x: x[:, None],
    "x[1, 1:3]": lambda x: x[1, 1:3],
    "x[0:1, 1:3]": lambda x: x[0:1, 1:3],
    "iteration": lambda x: next(iter(x)),
    "detach": lambda x: x.detach(),
}
COPIES = {
    "x[:, 0]": lambda x: x[:, 0],
    "x[..., 0]": lambda x: x[..., 0],
    "x[:, 1:3]": lambda x: x[:, 1:3],
    "x[::2]": lambda x: x[::2],
    "x[::-1]": lambda x: x[::-1],
    "x.T": lambda x: x.T,
    "x.transpose()": lambda x: x.transpose(),
    "x.transpose((0, 1))": lambda x: x.transpose((0, 1)),
    "x.swapaxes(0, 1)": lambda x: x.swapaxes(0, 1),
    "x.expand_dims(0)": lambda x: x.expand_dims(0),
    "x.squeeze()": lambda x: x.squeeze(),
    "x.flatten()": lambda x: x.flatten(),
    "x.reshape_like": lambda x: x.reshape_like(nd.zeros((4, 3))),
    "x.slice_axis": lambda x: x.slice_axis(axis=0, begin=0, end=2),
    "x.slice": lambda x: x.slice(begin=(0, 1), end=(2, 3)),
    "x.slice_like": lambda x: x.slice_like(nd.zeros((2, 2))),
    "x.split": lambda x: x.split(num_outputs=3, axis=0)[0],
    "x.broadcast_to": lambda x: x.broadcast_to((3, 4)),
    "x.broadcast_like": lambda x: x.broadcast_like(nd.zeros((3, 4))),
    "x.flip": lambda x: x.flip(axis=0),
    "x.diag": lambda x: x.diag(),
    "nd.reshape": lambda x: nd.reshape(x, shape=(4, 3)),
    "nd.Reshape": lambda x: nd.Reshape(x, shape=(0, -1)),
    "nd.transpose": lambda x: nd.transpose(x),
    "nd.SwapAxis": lambda x: nd.SwapAxis(x, 0, 1),
    "nd.moveaxis": lambda x: nd.moveaxis(x, 0, 1),
    "nd.expand_dims": lambda x: nd.expand_dims(x, axis=1),
    "nd.squeeze": lambda x: nd.squeeze(x),
    "nd.flatten": lambda x: nd.flatten(x),
    "nd.slice": lambda x: nd.slice(x, begin=(0, 0), end=(3, 4)),
    "nd.crop": lambda x: nd.crop(x, begin=(0, 0), end=(1, 2)),
    "nd.split": lambda x: nd.split(x, 2, axis=1)[0],
    "nd.split of one": lambda x: nd.split(x, 1, axis=0),
    "nd.split_v2": lambda x: nd.split_v2(x, 3, axis=0)[0],
    "nd.SliceChannel": lambda x: nd.SliceChannel(x, num_outputs=2)[0],
    "nd.broadcast_axis": lambda x: nd.broadcast_axis(x.reshape((1, 12)), axis=0, size=1),
    "nd.add_n": lambda x: nd.add_n(x),
    "nd.concat": lambda x: nd.concat(x, dim=0),
    "nd.Dropout": lambda x: nd.Dropout(x),
    "nd.cast": lambda x: nd.cast(x, "float32"),
    "nd.BlockGrad": lambda x: nd.BlockGrad(x),
    "nd.reverse": lambda x: nd.reverse(x, axis=0),
    "nd.SequenceMask": lambda x: nd.SequenceMask(x),
    "nd.SequenceReverse": lambda x: nd.SequenceReverse(x),
    "nd.SequenceLast": lambda x: nd.SequenceLast(x),
    "nd.Crop": lambda x: nd.Crop(x.reshape((1, 1, 3, 4)), h_w=(2, 2)),
}


@pytest.mark.parametrize("name", [*VIEWS, *COPIES])
def test_functions_and_columns_are_new_arrays_and_rows_are_views(name):
    """What MXNet 1.9.1 gives: a write to a result is seen in the array, and the other way round, or neither is."""
    make = (VIEWS | COPIES)[name]

    def write_to_result(x):
        y = make(x)
        y[:] = -5
        return x

    def write_to_array(x):
        y = make(x)
        x[:] = -5
        return y

    def recorded(x):
        with autograd.record(train_mode=False):
            y = make(x * 1)
        return y * 2

    for write in (write_to_result, write_to_array):
        for way in (write, hybridize.hybridize(write)):
            for _ in range(2):
                result = way(nd.arange(12).reshape((3, 4)).copy())
                assert type(result) is nd.NDArray
                assert (result.asnumpy() == -5).any() == (name in VIEWS)
    expected = make(nd.arange(12).reshape((3, 4))) * 2
    check_same(expected, recorded(nd.arange(12).reshape((3, 4))))


def test_columns_in_programs_of_many_sizes():
    """One program serves sizes for which a column is a copy and, of one row, a view, too."""

    def compute(x):
        column, part = x[:, 0], x[:, 1:3]
        part *= 2
        x[:, 0] = 9
        return x, column, part, x[:, 1:3] + part

    compiled = hybridize.hybridize(compute)
    for rows in (3, 5, 1, 4, 1, 7):
        arrays = [nd.arange(4 * rows).reshape((rows, 4)).copy() for _ in range(2)]
        check_same(compute(arrays[0]), compiled(arrays[1]))
        check_same(arrays[0], arrays[1])


def test_gradients_go_through_copies():
    def loss(x):
        y, z, w = x[:, 1:3], x.T, nd.slice_axis(x, axis=1, begin=0, end=2)
        return (y * y).sum() + (z * 3).sum() + (w * nd.split(x, 2, axis=1)[1]).sum()

    for way in (loss, hybridize.hybridize(loss)):
        x = nd.arange(12).reshape((3, 4)).copy()
        x.attach_grad()
        with autograd.record():
            result = way(x)
        result.backward()
        assert x.grad.asnumpy().tolist() == [[5, 8, 7, 4], [9, 20, 19, 8], [13, 32, 31, 12]]
