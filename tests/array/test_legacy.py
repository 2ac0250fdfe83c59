"""The names and meanings of MXNet 1, through the module that `F` is."""

import importlib

import hybridize.nd as nd
import numpy
import pytest

import hybridize.ndarray as F
import hybridize.symbol as sym
from hybridize import autograd, hybridize
from hybridize.array import np, random
from hybridize.errors import ShapeError
from tests.refusals import refusal

X = numpy.array([[3.0, -1.0, 2.0], [0.5, 4.0, -2.0]], "float32")

USED_IN_THE_LIBRARIES = """
    concat slice_axis broadcast_mul where ones_like reshape expand_dims zeros_like sum Activation broadcast_add stack
    batch_dot log transpose broadcast_div squeeze linalg_gemm2 split arange broadcast_like mean softmax take abs
    gather_nd zeros relu FullyConnected swapaxes sigmoid cast clip exp ones elemwise_add Dropout broadcast_sub
    broadcast_minimum maximum pick eye Embedding SequenceMask one_hot argsort broadcast_maximum broadcast_minus
    reshape_like repeat sqrt tile pad slice stop_gradient broadcast_lesser square minimum log_softmax max array
    slice_like broadcast_greater dot full broadcast_lesser_equal broadcast_logical_and power flatten broadcast_axis
    broadcast_equal elemwise_mul tanh SequenceReverse sample_multinomial add_n shape_array broadcast_axes
""".split()  # noqa: SIM905


@pytest.mark.parametrize("name", USED_IN_THE_LIBRARIES)
def test_names_used_by_the_libraries_are_there(name):
    assert callable(getattr(F, name))
    assert getattr(F, name) is getattr(nd, name)
    assert getattr(F, name).__doc__


def test_f_says_which_face_it_is():
    assert "hybridize.ndarray" in str(F)
    assert {"np", "npx", "concat", "contrib", "random", "linalg"} <= set(dir(F))
    assert F.np is np
    with pytest.raises(AttributeError, match="has no 'nothing'"):
        F.nothing  # noqa: B018
    assert isinstance(np.ones(2), importlib.import_module("hybridize.nd").NDArray)


MEANINGS = {
    "concat": (lambda F, x: F.concat(x, x), numpy.concatenate([X, X], 1)),
    "concat dim": (lambda F, x: F.Concat(x, x, dim=0, name="joined"), numpy.concatenate([X, X], 0)),
    "stack": (lambda F, x: F.stack(x, x, axis=1), numpy.stack([X, X], 1)),
    "split": (lambda F, x: F.split(x, num_outputs=3, axis=1)[1], X[:, 1:2]),
    "split squeezed": (lambda F, x: F.SliceChannel(x, num_outputs=2, axis=0, squeeze_axis=True)[1], X[1]),
    "slice": (lambda F, x: F.slice(x, begin=(0, 1), end=(2, None)), X[:, 1:]),
    "slice step": (lambda F, x: F.slice(x, begin=(None, 2), end=(None, 0), step=(1, -1)), X[:, 2:0:-1]),
    "slice_axis": (lambda F, x: F.slice_axis(x, axis=-1, begin=0, end=-1), X[:, :-1]),
    "slice_like": (lambda F, x: F.slice_like(x, F.zeros((1, 2))), X[:1, :2]),
    "sum": (lambda F, x: F.sum(x, axis=(0, 1)), X.sum()),
    "sum exclude": (lambda F, x: F.sum(x, axis=0, exclude=True), X.sum(1)),
    "max keepdims": (lambda F, x: F.max(x, axis=1, keepdims=True), X.max(1, keepdims=True)),
    "argmax": (lambda F, x: F.argmax(x, axis=1), X.argmax(1).astype("float32")),
    "argsort": (lambda F, x: F.argsort(x, is_ascend=False), numpy.argsort(-X, 1).astype("float32")),
    "sort": (lambda F, x: F.sort(x, is_ascend=False), -numpy.sort(-X, 1)),
    "greater": (lambda F, x: F.broadcast_greater(x, F.zeros((1, 3))), (X > 0).astype("float32")),
    "logical_not": (lambda F, x: F.logical_not(x > 0), X <= 0),
    "dot": (lambda F, x: F.dot(x, x, transpose_b=True), X @ X.T),
    "dot a": (lambda F, x: F.dot(x, x, transpose_a=True), X.T @ X),
    "dot 3d": (lambda F, x: F.dot(F.stack(x, x), F.transpose(x)), numpy.stack([X, X]) @ X.T),
    "batch_dot": (lambda F, x: F.batch_dot(F.stack(x, x), F.stack(x, x), transpose_b=True), numpy.stack([X @ X.T] * 2)),
    "gemm2": (lambda F, x: F.linalg.gemm2(x, x, transpose_b=True, alpha=2.0), 2 * (X @ X.T)),
    "gemm": (lambda F, x: F.linalg_gemm(x, x, F.ones((2, 2)), transpose_b=True, beta=3.0), X @ X.T + 3),
    "reshape": (lambda F, x: F.reshape(x, shape=(0, -1, 1)), X.reshape(2, 3, 1)),
    "reshape -3": (lambda F, x: F.Reshape(x, shape=(-3,)), X.reshape(6)),
    "reshape -4": (lambda F, x: F.reshape(x, shape=(-4, 1, -1, -2)), X.reshape(1, 2, 3)),
    "transpose": (lambda F, x: F.transpose(x, axes=(1, 0)), X.T),
    "swapaxes": (lambda F, x: F.SwapAxis(x, dim1=0, dim2=1), X.T),
    "flip": (lambda F, x: F.reverse(x, axis=1), X[:, ::-1]),
    "broadcast_axis": (lambda F, x: F.broadcast_axis(x[:1], axis=0, size=3), numpy.broadcast_to(X[:1], (3, 3))),
    "broadcast_to": (lambda F, x: F.broadcast_to(x[:1], shape=(4, 0)), numpy.broadcast_to(X[:1], (4, 3))),
    "take": (lambda F, x: F.take(x, F.array([1, 0, 7])), X[[1, 0, 1]]),
    "pick": (lambda F, x: F.pick(x, F.array([0, 2])), X[[0, 1], [0, 2]]),
    "where": (lambda F, x: F.where(x > 0, x, F.zeros_like(x)), numpy.where(X > 0, X, 0)),
    "where rows": (lambda F, x: F.where(F.array([1, 0]), x, -x), numpy.stack([X[0], -X[1]])),
    "clip": (lambda F, x: F.clip(x, a_min=-1, a_max=2), X.clip(-1, 2)),
    "round": (lambda F, x: F.round(x), numpy.sign(X) * numpy.floor(abs(X) + 0.5)),
    "pad": (
        lambda F, x: F.pad(x, mode="constant", pad_width=(0, 0, 1, 2), constant_value=5),
        numpy.pad(X, ((0, 0), (1, 2)), constant_values=5),
    ),
    "norm": (lambda F, x: F.norm(x, axis=1), numpy.linalg.norm(X, axis=1)),
    "arange": (lambda F, x: x[0, 0] * F.arange(3, repeat=2), 3 * numpy.repeat(numpy.arange(3), 2).astype("float32")),
    "full": (lambda F, x: F.full((2,), 3) + x[0, :2], 3 + X[0, :2]),
    "fully connected": (
        lambda F, x: F.FullyConnected(x, F.ones((4, 3)), F.ones(4), num_hidden=4),
        X @ numpy.ones((3, 4), "float32") + 1,
    ),
    "activation": (lambda F, x: F.Activation(x, act_type="relu"), numpy.maximum(X, 0)),
    "leaky": (lambda F, x: F.LeakyReLU(x, act_type="leaky", slope=0.1), numpy.where(X > 0, X, X * numpy.float32(0.1))),
    "flatten": (lambda F, x: F.Flatten(F.expand_dims(x, axis=2)), X),
    "l2": (lambda F, x: F.L2Normalization(x), X / numpy.sqrt((X * X).sum(1, keepdims=True) + 1e-10)),
    "add_n": (lambda F, x: F.add_n(x, x, x), 3 * X),
    "elementwise": (lambda F, x: F.elemwise_sub(F.broadcast_div(x, x), F.elemwise_mul(x, x)), 1 - X * X),
    "embedding": (lambda F, x: F.Embedding(F.array([1, 0]), x, input_dim=2, output_dim=3), X[[1, 0]]),
    "cast": (lambda F, x: F.Cast(x, dtype="int32"), X.astype("int32")),
    "contrib": (lambda F, x: F.contrib.div_sqrt_dim(x), X / 3**0.5),
    "square": (lambda F, x: F.square(x, out=F.zeros((2, 3))), X * X),
}


@pytest.mark.parametrize("name", MEANINGS)
def test_meanings(both, name):
    call, want = MEANINGS[name]
    found = both(lambda x: call(F, x), X, rtol=1e-5)
    numpy.testing.assert_allclose(found, want, rtol=1e-4, atol=1e-5)
    assert numpy.asarray(found).dtype == numpy.asarray(want).dtype


def test_random_numbers_take_shape():
    random.seed(0)
    assert F.random.uniform(0, 1, shape=(2, 3)).shape == (2, 3)
    assert F.random.normal(0, 1, (4,)).shape == (4,)
    assert F.random_uniform(low=0, high=1, shape=5).shape == (5,)
    assert F.random.randint(0, 5, shape=(3,)).dtype == "int32"
    assert F.random.uniform().shape == (1,)
    drawn = F.sample_multinomial(F.array([[0, 1, 0], [1, 0, 0]]), shape=4)
    assert drawn.tolist() == [[1] * 4, [0] * 4]
    assert F.sample_multinomial(F.array([0, 0, 1])).item() == 2
    assert sorted(F.shuffle(F.arange(5)).tolist()) == [0, 1, 2, 3, 4]


def test_control_flow():
    out, state = F.contrib.foreach(lambda a, s: (a + s, a + s), F.array([[1], [2]]), F.zeros(1))
    assert (out.tolist(), state.tolist()) == ([[1], [3]], [3])


TIES = {
    "maximum": (lambda x, y: nd.maximum(x, y), ([1.0, 0.0, 1.0], [0.0, 1.0, 0.0])),
    "broadcast_minimum": (lambda x, y: nd.broadcast_minimum(x, y), ([1.0, 1.0, 0.0], [0.0, 0.0, 1.0])),
    "of a number": (lambda x, y: nd.maximum(x, 2.0) + nd.minimum(2.0, y), ([0.0, 1.0, 1.0], [1.0, 0.0, 1.0])),
    "max": (lambda x, y: nd.max(nd.concat(x, y, dim=0)), ([0.0, 0.0, 1.0], [0.0, 0.0, 0.0])),
    "min": (lambda x, y: nd.min(nd.concat(x, y, dim=0)), ([1.0, 0.0, 0.0], [1.0, 0.0, 0.0])),
    "max of rows": (lambda x, y: nd.max(nd.stack(x, y), axis=0), ([1.0, 0.0, 1.0], [1.0, 1.0, 0.0])),
    "max kept": (lambda x, y: nd.max(nd.stack(x, x + 0 * y), axis=(0,), keepdims=True), ([2.0, 2.0, 2.0], [0.0] * 3)),
}
"""Slopes at ties, as MXNet 1.9.1 gave them, of x = [1, 2, 3] and y = [1, 2.5, 2]."""


@pytest.mark.parametrize("name", TIES)
def test_slopes_of_ties_are_mxnets(name):
    function, wanted = TIES[name]
    for called in (function, hybridize(function)):
        x, y = nd.array([1.0, 2.0, 3.0]), nd.array([1.0, 2.5, 2.0])
        x.attach_grad()
        y.attach_grad()
        for _ in range(2):
            with autograd.record():
                found = called(x, y)
            found.backward()
            assert (x.grad.asnumpy().tolist(), y.grad.asnumpy().tolist()) == tuple(map(list, wanted))


def test_bools_count():
    """MXNet 1 has none: its comparisons give numbers, whose sums are counts."""
    x = nd.array([1.0, -1.0, 2.0])
    assert nd.sum(x > 0).asnumpy().tolist() == [2.0]
    assert nd.broadcast_add(x > 0, x > 0).asnumpy().tolist() == [2.0, 0.0, 2.0]
    assert nd.mean(x > 0).dtype == numpy.float32


def test_elementwise_functions_do_not_stretch():
    with refusal(ShapeError, "elemwise_add|add.*shapes differ"):
        nd.elemwise_add(nd.ones((2, 3)), nd.ones((1, 3)))


PAIRS = {
    "add": numpy.add, "div": numpy.divide, "equal": numpy.equal, "greater": numpy.greater,
    "greater_equal": numpy.greater_equal, "hypot": numpy.hypot, "lesser": numpy.less, "lesser_equal": numpy.less_equal,
    "logical_and": numpy.logical_and, "logical_or": numpy.logical_or, "logical_xor": numpy.logical_xor,
    "maximum": numpy.maximum, "minimum": numpy.minimum, "minus": numpy.subtract, "mod": numpy.mod,
    "mul": numpy.multiply, "not_equal": numpy.not_equal, "plus": numpy.add, "power": numpy.power, "sub": numpy.subtract,
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_operators_by_the_names_that_cells_call(name):
    """`F._internal._plus`, with numbers, with numbers on the left; in expressions, too, and through their files."""
    x, y, function = numpy.array([1.0, 2.0, 3.0], "f4"), numpy.array([2.0, 2.0, 0.5], "f4"), PAIRS[name]
    cases = [(f"_{name}", (x, y), {}, function(x, y))]
    if name not in ("add", "sub"):
        cases.append((f"_{name}_scalar", (x,), {"scalar": 2.0}, function(x, 2.0)))
    if name in ("div", "minus", "mod", "power"):
        cases.append((f"_r{name}_scalar", (x,), {"scalar": 2.0}, function(2.0, x)))
    for word, arrays, keywords, wanted in cases:
        found = getattr(F._internal, word)(*map(nd.array, arrays), **keywords, name="t0_state")
        traced = hybridize(lambda *arrays, word=word, kw=keywords: getattr(F._internal, word)(*arrays, **kw))
        numpy.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-6)
        numpy.testing.assert_allclose(traced(*map(nd.array, arrays)).asnumpy(), wanted, rtol=1e-6)
        variables = [sym.var(f"x{number}") for number in range(len(arrays))]
        expression = getattr(sym._internal, word)(*variables, **keywords, name="t0_state")
        assert expression.list_outputs() == ["t0_state_output"]
        for one in (expression, sym.load_json(expression.tojson())):
            bound = one.eval(**{f"x{number}": nd.array(array) for number, array in enumerate(arrays)})
            numpy.testing.assert_allclose(bound[0].asnumpy(), wanted, rtol=1e-6)


def test_all_operators_that_cells_call_are_tested():
    words = {word.removesuffix("_scalar") for word in vars(F._internal) if word != "_group"}
    assert words - {f"_{name}" for name in PAIRS} == {"_rdiv", "_rminus", "_rmod", "_rpower"}
    with pytest.raises(AttributeError, match=r"nd\._internal.*has no '_plu'"):
        F._internal._plu  # noqa: B018


@pytest.mark.parametrize("index", [-3, 7])
def test_embeddings_take_the_nearest_row_as_in_mxnet(index):
    weight = nd.array(numpy.arange(6, dtype="f4").reshape(3, 2))
    rows = nd.Embedding(nd.array([index]), weight, input_dim=3, output_dim=2)
    assert rows.asnumpy().tolist() == [weight.asnumpy()[0 if index < 0 else 2].tolist()]


@pytest.mark.parametrize("number", [0.5, 3, True, numpy.float64(0.5), numpy.array(0.5), numpy.float32(2)])
def test_an_array_of_one_number_has_no_axes(number):
    assert nd.array(number).shape == () and nd.array([number]).shape == (1,)
