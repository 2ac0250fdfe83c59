"""Functions outside of blocks that make arrays by themselves make them where their arguments are."""

import numpy
import pytest

from hybridize import autograd, cpu, gluon, gpu, hybridize, init, io, nd, np, random, sparse, sym
from hybridize.errors import DeviceError
from hybridize.gluon import contrib, probability, rnn
from tests.refusals import refusal

DATA = numpy.arange(24, dtype="float32").reshape(4, 2, 3) / 12 - 1
CELLS = {
    "LSTM": lambda: rnn.LSTMCell(3), "zoneout": lambda: rnn.ZoneoutCell(rnn.GRUCell(3), 0.3, 0.3), "dropout": lambda: rnn.DropoutCell(0.5),
    "residual": lambda: rnn.ResidualCell(rnn.RNNCell(3)), "both ways": lambda: rnn.BidirectionalCell(rnn.RNNCell(2), rnn.RNNCell(2)),
    "variational": lambda: contrib.rnn.VariationalDropoutCell(rnn.RNNCell(3), 0.3, 0.3, 0.3),
}  # fmt: skip


def mostly_long(names, *quick):
    return [name if name in quick else pytest.param(name, marks=pytest.mark.long) for name in names]


@pytest.mark.parametrize("mode", ["imperative", "compiled"])
def test_a_layer_copies_no_states_of_numpy_s(mode):
    cell = rnn.GRUCell(3, input_size=3)
    cell.initialize(ctx=gpu(0))
    step = hybridize(lambda x: cell(x, [DATA[:, 0]])) if mode == "compiled" else lambda x: cell(x, [DATA[:, 0]])
    with refusal(DeviceError, r"E703: GRUCell: .* f32\[4,3\] on gpu\(0\)"):
        step(np.array(DATA[:, 1], ctx=gpu(0)))


@pytest.mark.parametrize("name", mostly_long(CELLS, "zoneout"))
def test_cells_unroll_beside_their_inputs(name):
    def unrolled(device):
        random.seed(3)
        cell = CELLS[name]()
        cell.initialize(init.Xavier(), ctx=device)
        x = np.array(DATA, ctx=device)
        cell.unroll(4, x, layout="TNC")  # weights of unknown sizes are drawn here
        random.seed(4)
        with autograd.record():
            y, states = cell.unroll(4, x, layout="TNC", merge_outputs=True, valid_length=np.array([2, 4], ctx=device))
            z, _ = contrib.rnn.dynamic_unroll(cell, x, cell.begin_state(2, ctx=device), 0.3, 0.3)
        assert {one.ctx for one in (y, z, *states)} == {device}
        return numpy.concatenate([y.asnumpy(), z.asnumpy()])

    numpy.testing.assert_allclose(unrolled(gpu(1)), unrolled(cpu()), 1e-5, 1e-6)


def numbers(device, *values):
    return np.array(values, ctx=device)


DISTRIBUTIONS = {
    "Categorical": lambda d: (3, numbers(d, 0.2, 0.3, 0.5)), "OneHotCategorical": lambda d: (3, numbers(d, 0.2, 0.3, 0.5)), "RelaxedOneHotCategorical": lambda d: (numbers(d, 0.5), 3, numbers(d, 0.2, 0.3, 0.5)),
    "Cauchy": lambda d: (numbers(d, 0.0, 1.0), 2.0), "HalfCauchy": lambda d: (numbers(d, 1.0, 2.0),), "HalfNormal": lambda d: (numbers(d, 1.0, 2.0),), "StudentT": lambda d: (numbers(d, 3.0, 4.0),),
    "Geometric": lambda d: (numbers(d, 0.3, 0.5),), "Weibull": lambda d: (numbers(d, 2.0, 3.0),), "Pareto": lambda d: (numbers(d, 2.0, 3.0),), "Bernoulli": lambda d: (numbers(d, 0.3, 0.5),),
    "MultivariateNormal": lambda d: (numbers(d, 0.0, 1.0), np.eye(2, ctx=d)), "Normal": lambda d: (0.0, numbers(d, 1.0, 2.0)),
}  # fmt: skip


@pytest.mark.parametrize("name", mostly_long(DISTRIBUTIONS, "Categorical", "Cauchy", "Weibull"))
def test_distributions_draw_beside_their_parameters(name):
    """A distribution is made of arrays, and draws noise, lists its events, and fills what has no value."""

    def known(device):
        random.seed(5)
        one = getattr(probability, name)(*DISTRIBUTIONS[name](device))
        drawn = one.sample_n((2,))
        arrays = [drawn, one.log_prob(drawn)]
        arrays += [one.mean, one.variance] if "Cauchy" in name else []
        arrays += [one.enumerate_support()] if one.has_enumerate_support else []
        assert {array.ctx for array in arrays} == {device}
        return arrays

    for there, here in zip(known(gpu(1)), known(cpu()), strict=True):
        numpy.testing.assert_allclose(there.asnumpy(), here.asnumpy(), 1e-5, 1e-6)


def test_rows_and_sparse_matrices():
    with pytest.warns(UserWarning, match="Parameter 'w' is dense"):
        parameter = gluon.Parameter("w", shape=(4, 2), stype="row_sparse")
    parameter.initialize(init.One(), ctx=gpu(1))
    for rows in (np.array([1, 3]), np.array([1, 3], ctx=gpu(1))):
        some = parameter.row_sparse_data(rows)
        assert (some.ctx, some.tolist()) == (gpu(1), [[0, 0], [1, 1], [0, 0], [1, 1]])
    matrix = nd.array([[1, 0, 2], [0, 0, 3]], ctx=gpu(1)).tostype("csr")
    product = sparse.dot(matrix, nd.ones((3, 2), ctx=gpu(1)))
    assert (product.ctx, product.asnumpy().tolist()) == (gpu(1), [[3, 3], [3, 3]])
    assert matrix.ctx == matrix.data.ctx == gpu(1)


def test_expressions_and_iterators_take_arrays_of_a_device():
    x, w = nd.ones((2, 3), ctx=gpu(1)), nd.array([[1, 2, 3], [3, 2, 1]], ctx=gpu(1))
    product = sym.FullyConnected(sym.var("x"), sym.var("w"), no_bias=True, num_hidden=2)
    (y,) = product.eval(ctx=gpu(1), x=x, w=w)
    assert (y.ctx, y.asnumpy().tolist()) == (gpu(1), [[6, 6], [6, 6]])
    for shuffle in (False, True):
        batches = list(io.NDArrayIter(w.T, np.array([0, 1, 2], ctx=gpu(1)), 2, shuffle))
        assert {part.ctx for batch in batches for part in (*batch.data, *batch.label)} == {gpu(1)}
        rows = numpy.concatenate([batch.data[0].asnumpy() for batch in batches])
        assert sorted(map(tuple, rows[:3])) == [(1, 3), (2, 2), (3, 1)]


def test_no_device_and_gradients_of_another_device_are_refused():
    with refusal(DeviceError, r"E701: an empty list of devices\nhelp: name one, such as ctx=cpu\(\)"):
        gluon.Parameter("w", shape=(2,)).initialize(ctx=[])
    x = np.ones(2, ctx=gpu(1))
    x.attach_grad()
    with autograd.record():
        y = x * 2
    with refusal(DeviceError, r"E703: backward: arrays on different devices, f32\[2\] on gpu\(1\) and f32\[2\] on cpu"):
        y.backward(np.ones(2))
    y.backward(np.ones(2, ctx=gpu(1)))
    assert x.grad.tolist() == [2, 2]
