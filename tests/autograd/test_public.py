# SPDX-License-Identifier: Apache-2.0
"""Functions with arguments of many kinds, on the tape: the same values, and central differences, in float64."""

import inspect

import numpy
import pytest
import torch

from hybridize import autograd, errors, np, npx, random
from hybridize.array import ndarray, wrap

I = numpy.array  # noqa: E741 - indices, which are constants

# Plain calls of every function: test_every_function.py.
ONE = {
    "arccos": lambda x: np.arccos(x / 3),
    "arcsin": lambda x: np.arcsin(x / 3),
    "arctanh": lambda x: np.arctanh(x / 3),
    "arccosh": lambda x: np.arccosh(x + 2),
    "erfinv": lambda x: npx.erfinv(x / 3),
    "add": lambda x: x + x[0] + 2,
    "subtract": lambda x: 2 - x - x[:, :1],
    "multiply": lambda x: x * x[1] * 3,
    "divide": lambda x: x / x[0] / 2 + 1 / x,
    "power": lambda x: x**3 + x**0.5 + 2**x + x ** x[0] + x**2,
    "mod": lambda x: x % 1.7,
    "floor_divide": lambda x: x + x // 1.7,
    "maximum": lambda x: np.maximum(x, x[::-1]),
    "minimum": lambda x: np.minimum(x, 1.1),
    "clip": lambda x: np.clip(x, 0.6, 1.4),
    "hypot": lambda x: np.hypot(x, x.T @ x),
    "arctan2": lambda x: np.arctan2(x, x[0]),
    "copysign": lambda x: np.copysign(x, -1.0),
    "fmod": lambda x: np.fmod(x, 0.7),
    "logaddexp": lambda x: np.logaddexp(x, x[:1]),
    "fmax": lambda x: np.fmax(x, 1.0),
    "ldexp": lambda x: np.ldexp(x, 2),
    "where": lambda x: np.where(x > 1, x, x * x),
    "heaviside": lambda x: x * np.heaviside(x - 1, 0.5),
    "matmul": lambda x: x @ x.T @ x,
    "dot": lambda x: np.dot(x, x[0]),
    "vecdot": lambda x: np.vecdot(x, x * 2),
    "inner": lambda x: np.inner(x, x),
    "outer": lambda x: np.outer(x, x[0]),
    "tensordot": lambda x: np.tensordot(x, x, 1),
    "einsum": lambda x: np.einsum("ij,kj->ik", x, x),
    "kron": lambda x: np.kron(x, x[0]),
    "vdot": lambda x: np.vdot(x, x),
    "cross": lambda x: np.cross(x, x[::-1]),
    "batch_dot": lambda x: npx.batch_dot(x[None], x.T[None]),
    "concatenate": lambda x: np.concatenate([x, x * 2], 1),
    "stack": lambda x: np.stack([x, x * x], 1),
    "vstack": lambda x: np.vstack([x, x[0]]),
    "hstack": lambda x: np.hstack([x, x]),
    "dstack": lambda x: np.dstack([x, x]),
    "column_stack": lambda x: np.column_stack([x, x[:, 0]]),
    "append": lambda x: np.append(x, x[0]),
    "split": lambda x: np.split(x, 3)[1] * np.split(x, [1, 2], 1)[2],
    "array_split": lambda x: np.array_split(x, 2)[0],
    "broadcast_to": lambda x: np.broadcast_to(x, (2, 3, 3)),
    "broadcast_arrays": lambda x: np.broadcast_arrays(x, x[:1])[1],
    "expand_dims": lambda x: np.expand_dims(x, 1),
    "swapaxes": lambda x: np.swapaxes(x, 0, 1),
    "T": lambda x: x.T,
    "moveaxis": lambda x: np.moveaxis(x, 0, 1),
    "rollaxis": lambda x: np.rollaxis(x, 1),
    "roll": lambda x: np.roll(x, 2),
    "repeat": lambda x: np.repeat(x, 2, 1),
    "tile": lambda x: np.tile(x, (2, 2)),
    "pad": lambda x: np.pad(x, 1, mode="edge"),
    "pad_constant": lambda x: np.pad(x, ((1, 2), (0, 1))),
    "resize": lambda x: np.resize(x, (4, 4)),
    "reshape": lambda x: x.reshape(-1) * x.reshape((9,)),
    "reshape_f": lambda x: np.reshape(x, (9,), order="F"),
    "flatten": lambda x: x.flatten() * 2,
    "delete": lambda x: np.delete(x, 1, 0),
    "insert": lambda x: np.insert(x, 1, x[0], 0),
    "take": lambda x: np.take(x, I([0, 2, 2]), 1),
    "take_along_axis": lambda x: np.take_along_axis(x, I([[0], [2], [1]]), 1),
    "take_flat": lambda x: x.take(I([1, 5])),
    "diff2": lambda x: np.diff(x, 2),
    "interp": lambda x: x * np.interp(1.0, I([0, 2]), I([0, 3])),
    "meshgrid": lambda x: np.meshgrid(x[0], x[1])[0],
    "average": lambda x: np.average(x, 0, x[:, 0]),
    "percentile": lambda x: np.percentile(x, 30),
    "quantile": lambda x: np.quantile(x, 0.3, 1),
    "max_axis": lambda x: x.max(1) + x.min(0),
    "mean_axis": lambda x: x.mean(1, keepdims=True) * x.std(0),
    "prod_axis": lambda x: x.prod(1),
    "cumsum_axis": lambda x: x.cumsum(1) * x.cumprod(0),
    "sort_axis": lambda x: np.sort(x, 0),
    "norm": lambda x: np.linalg.norm(x, axis=1),
    "matrix_power": lambda x: np.linalg.matrix_power(x, 3),
    "full": lambda x: np.full((2, 3), x[0]),
    "lists": lambda x: np.array([x[0], x[1]]),
    "astype": lambda x: x.astype("float64") * 2,
    "iteration": lambda x: sum(row * n for n, row in enumerate(x, 1)),
    "round": lambda x: x * np.round(x),
    "multiple": lambda x: divmod(x, 0.7)[1],
    "fill_diagonal": lambda x: _filled(x),
    "hypot2": lambda x: numpy.hypot(x, 2.0),
    "numpy": lambda x: numpy.exp(x),
    "npx.activation": lambda x: npx.activation(x, "softrelu"),
    "npx.add_n": lambda x: npx.add_n(x, x * 2, x[0:3]),
    "npx.cast": lambda x: npx.cast(x, "float64"),
    "npx.broadcast_like": lambda x: npx.broadcast_like(x[:1], x),
    "npx.embedding": lambda x: npx.embedding(I([2, 0, 2]), x),
    "npx.pick": lambda x: npx.pick(x, I([0, 2, 1])),
    "npx.gather_nd": lambda x: npx.gather_nd(x, I([[0, 1, 1], [2, 0, 0]])),
    "npx.scatter_nd": lambda x: npx.scatter_nd(x[0], I([[0, 2, 1]]), (4,)),
    "npx.index_add": lambda x: npx.index_add(x, I([[0, 1, 1]]), x * 2),
    "npx.index_update": lambda x: npx.index_update(x, I([[0, 1]]), x[:2] * 3),
    "npx.layer_norm": lambda x: npx.layer_norm(x, x[0], x[1]),
    "npx.group_norm": lambda x: npx.group_norm(x[None], x[0], x[1], 3),
    "npx.batch_norm": lambda x: npx.batch_norm(x, x[0], x[1], x[2], x[0] ** 2, fix_gamma=False),
    "npx.instance_norm": lambda x: npx.instance_norm(x[None], x[0], x[1]),
    "npx.rms_norm": lambda x: npx.rms_norm(x, x[0]),
    "npx.fully_connected": lambda x: npx.fully_connected(x, x.T, x[0]),
    "npx.convolution": lambda x: npx.convolution(x[None], x[:, :, None], x[0]),
    "npx.deconvolution": lambda x: npx.deconvolution(x[None], x[:, :, None], x[0], stride=2),
    "npx.reshape": lambda x: npx.reshape(x, (-1,)),
    "npx.reshape_like": lambda x: npx.reshape_like(x, np.ones(9)),
    "npx.slice": lambda x: npx.slice(x, (0, 1), (2, 3)),
    "npx.slice_axis": lambda x: npx.slice_axis(x, 1, 0, 2),
    "npx.slice_like": lambda x: npx.slice_like(x, np.ones((2, 2))),
    "npx.masked_softmax": lambda x: npx.masked_softmax(x, x > 0.8),
    "npx.softmax_t": lambda x: npx.softmax(x, 0, temperature=2.0),
    "npx.softmax_length": lambda x: npx.softmax(x, length=I([1, 3, 2])),
    "npx.sequence_mask": lambda x: npx.sequence_mask(x, I([1, 3, 2]), True),
    "npx.sequence_last": lambda x: npx.sequence_last(x[:, :, None], I([1, 3, 2]), True),
    "npx.sequence_reverse": lambda x: npx.sequence_reverse(x[:, :, None], I([1, 3, 2]), True),
    "npx.topk": lambda x: npx.topk(x, ret_typ="value", k=2),
    "npx.norm1": lambda x: npx.norm(x, ord=1, axis=0),
    "npx.elu": lambda x: npx.leaky_relu(x - 1, act_type="elu"),
    "npx.prelu": lambda x: npx.leaky_relu(x - 1, x[0, :1], act_type="prelu"),
    "npx.selu": lambda x: npx.leaky_relu(x - 1, act_type="selu"),
    "npx.cond": lambda x: npx.cond(x.sum() > 0, lambda: x * 2, lambda: x),
    "npx.foreach": lambda x: npx.foreach(lambda r, s: (r * s, s + r), x, x[0])[0],
    "npx.while_loop": lambda x: npx.while_loop(lambda s: s.sum() < 50, lambda s: (s, s * 2), x, 6)[0],
    "npx.dropout": lambda x: _dropped(x),
    "npx.norm_layer": lambda x: npx.layer_norm(x, x[0], x[1], output_mean_var=True)[2],
    "npx.gelu_tanh": lambda x: npx.gelu(x, "tanh"),
    "npx.rrelu": lambda x: npx.leaky_relu(x - 1, act_type="rrelu"),
}


def _filled(x):
    y = x * 2
    np.fill_diagonal(y, x[0, 0])
    return y


def _dropped(x):
    random.seed(5)
    return npx.dropout(x, 0.5, mode="always")


def outputs_of(found):
    found = found if isinstance(found, (list, tuple)) else [found]
    return [y for y in found if isinstance(y, ndarray) and y.dtype.kind == "f"]


@pytest.mark.parametrize("name", ONE)
def test_gradient(name):
    function = ONE[name]
    data = numpy.random.default_rng(3).uniform(0.5, 1.6, (3, 3))
    x = wrap(data.copy())
    x.attach_grad()
    with autograd.record(train_mode=False):
        found = outputs_of(function(x))
    assert found, "a float that depends on the argument"
    heads = [wrap(numpy.random.default_rng(n).uniform(0.5, 1.5, y.shape).astype(y.dtype)) for n, y in enumerate(found)]
    autograd.backward(found, heads)
    numpy.testing.assert_allclose(x._data, data, err_msg="the argument is as it was")

    def total():
        ys = outputs_of(function(wrap(data)))
        return sum(float((y._data.astype("f8") * h._data).sum()) for y, h in zip(ys, heads, strict=True))

    for y, again in zip(found, outputs_of(function(wrap(data))), strict=True):
        assert y.type == again.type
        numpy.testing.assert_allclose(y._data, again._data, rtol=1e-6, atol=1e-7)
    wanted = numpy.zeros((3, 3))
    for place in numpy.ndindex(3, 3):
        centre = data[place]
        data[place] = centre + 1e-6
        above = total()
        data[place] = centre - 1e-6
        wanted[place] = (above - total()) / 2e-6
        data[place] = centre
    narrow = any(y.dtype == "float32" for y in found)
    numpy.testing.assert_allclose(x.grad._data, wanted, rtol=1e-4, atol=0.3 if narrow else 1e-5)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.histogram(x),
        lambda x: np.histogram2d(x[0], x[1]),
        lambda x: numpy.histogram(x),
    ],
)
def test_what_numpy_computes_is_refused_where_a_gradient_would_have_to_pass(call):
    x = np.array([[1.0, 2.0], [3.0, 5.0]])
    x.attach_grad()
    with autograd.record():
        with pytest.raises(errors.StateError, match="E547") as raised:
            call(x)
        assert raised.value.loc.file == __file__
        call(x.detach())
        call(np.array([[1.0, 2.0], [3.0, 5.0]]))


def test_functions_without_a_gradient_give_the_same_values():
    x = np.array([[1.0, -2.0], [3.0, 0.0]])
    x.attach_grad()
    calls = [
        lambda: x > 0,
        lambda: x == x,
        lambda: np.argmax(x, 1),
        lambda: np.isnan(x),
        lambda: np.argsort(x),
        lambda: np.sign(x),
        lambda: np.nonzero(x)[0],
        lambda: x.astype("int32"),
        lambda: np.zeros_like(x),
        lambda: np.floor(x),
        lambda: np.any(x),
        lambda: npx.one_hot(x[:, 0].astype("int32"), 4),
        lambda: npx.topk(x),
        lambda: np.count_nonzero(x),
        lambda: np.isin(x, x[0]),
        lambda: np.searchsorted(np.array([0.0, 1.0, 2.0]), x),
        lambda: np.array_equal(x, x),
        lambda: np.allclose(x, x),
        lambda: x.asnumpy(),
        lambda: numpy.asarray(x),
        lambda: float(x[0, 0]),
        lambda: x.tolist(),
        lambda: x.copy(),
        lambda: x.detach(),
        lambda: np.bincount(np.array([0, 1, 1], dtype="int64")),
        lambda: np.arange(3),
        lambda: np.random.uniform(size=0),
    ]
    for call in calls:
        plain = call()
        with autograd.record():
            recorded = call()
        numpy.testing.assert_array_equal(numpy.asarray(recorded), numpy.asarray(plain), err_msg=inspect.getsource(call))


def test_copies_share_nothing():
    x = np.array([1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        for make in (lambda: x.copy(), lambda: np.array(x), lambda: x.flatten(), lambda: +x, lambda: np.copy(x)):
            y = make()
            y[0] = 100.0
            assert x[0] == 1
            z = (y * 3).sum()
            assert autograd.grad(z, x)[0].tolist() == [0, 3]
        constant = npx.stop_gradient(x)
        constant[0] = 100.0
        assert x[0] == 1


def test_gradients_share_nothing():
    x, y, head = np.zeros(3), np.zeros(3), np.ones(3)
    for one in (x, y):
        one.attach_grad()
    with autograd.record():
        total = x + y
    by_x, by_y = autograd.grad(total, [x, y], head)
    by_x[...] = 5
    assert by_y.tolist() == head.tolist() == [1, 1, 1]


def test_the_gradient_of_relu_is_exact_at_odd_places():
    x = np.array([-1.0, -0.0, 0.0, 2.0, numpy.nan, numpy.inf, -numpy.inf, -3.0])
    g = np.array([1.0, 2.0, 3.0, 4.0, 5.0, numpy.inf, 7.0, numpy.inf])
    x.attach_grad()
    for shape in ((8,), (2, 4), (4, 2)):
        with autograd.record():
            y = npx.relu(x.reshape(shape).T)
        y.backward(g.reshape(shape).T)
        numpy.testing.assert_array_equal(x.grad.asnumpy(), [0, 0, 0, 4, 5, numpy.inf, 0, 0])
    one = np.array(3.0)
    one.attach_grad()
    with autograd.record():
        y = npx.relu(one) * 2
    y.backward()
    assert float(one.grad) == 2


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("asked", [(0,), (1,), (0, 1), (0, 1, 2)])
def test_a_dense_layer_gives_the_gradients_that_are_asked_for(bias, asked):
    values = [numpy.random.default_rng(n).normal(size=shape) for n, shape in enumerate([(5, 3), (4, 3), (4,)])]
    xs = [wrap(v) for v in values]
    for k in asked:
        xs[k].attach_grad()
    with autograd.record():
        y = npx.fully_connected(xs[0], xs[1], xs[2] if bias else None)
        first = autograd.grad((y * y).sum(), [xs[k] for k in asked if bias or k < 2], create_graph=True)
        loss = sum((f * f).sum() for f in first)
    loss.backward()

    ts = [torch.from_numpy(v).requires_grad_(k in asked) for k, v in enumerate(values)]
    y = torch.nn.functional.linear(ts[0], ts[1], ts[2] if bias else None)
    second = torch.autograd.grad((y * y).sum(), [ts[k] for k in asked if bias or k < 2], create_graph=True)
    sum((f * f).sum() for f in second).backward()
    for f, t in zip(first, second, strict=True):
        numpy.testing.assert_allclose(f.asnumpy(), t.detach().numpy(), rtol=1e-9)
    for k in asked:
        if bias or k < 2:
            numpy.testing.assert_allclose(xs[k].grad.asnumpy(), ts[k].grad.numpy(), rtol=1e-9)
