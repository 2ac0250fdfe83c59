"""Loops and branches of expressions: values and gradients are those of the loop written by hand, imperatively, compiled
and read back from files by two readers."""

import itertools
import json
import pickle
from pathlib import Path

import numpy
import pytest

from hybridize import autograd, gluon, nd
from hybridize import symbol as sym
from hybridize.base.errors import ArgumentError, CaptureError, LoadError, ShapeError, UnusedError, ValueArgumentError
from hybridize.formats.mxnet.symbol import parse_symbol

FILES = Path(__file__).parents[1] / "formats" / "mxnet_files" / "v1_9_1_nd"
draw = numpy.random.default_rng(0)


def arrays(**shapes):
    return {name: nd.array(draw.normal(size=shape).astype("f4")) for name, shape in shapes.items()}


def by_hand(function, given, weights):
    """The results of a function of arrays, and the gradients of their weighted sum, of NumPy's loop on the tape."""
    given = {name: x.copy() for name, x in given.items()}
    for x in given.values():
        x.attach_grad()
    with autograd.record():
        found = function(**given)
        total = sum((one * weight).sum() for one, weight in zip(found, weights, strict=True))
    total.backward()
    return [one.asnumpy() for one in found], {name: x.grad.asnumpy() for name, x in given.items()}


def check(expression, function, given):
    """Compare an expression with a function of arrays: at once, bound, from its file, and by gluon's reader of files."""
    count = len(expression.list_outputs())
    shapes = [x.shape for x in function(**given)]
    assert len(shapes) == count
    weights = [nd.array(draw.normal(size=shape).astype("f4")) for shape in shapes]
    wanted, gradients = by_hand(function, given, weights)
    assert expression.infer_shape(**{name: x.shape for name, x in given.items()})[1] == shapes
    text = expression.tojson()
    again = sym.fromjson(text)
    assert again.tojson() == text
    assert pickle.loads(pickle.dumps(expression)).tojson() == text
    for one in (expression, again):
        for got, want in zip(one.eval(**given), wanted, strict=True):
            numpy.testing.assert_allclose(got.asnumpy(), want, 1e-5, 1e-6)
        executor = one.bind(args=given, args_grad={name: nd.zeros(x.shape) for name, x in given.items()})
        for got, want in zip(executor.forward(is_train=True), wanted, strict=True):
            numpy.testing.assert_allclose(got.asnumpy(), want, 1e-5, 1e-6)
        executor.backward(weights)
        for name, want in gradients.items():
            numpy.testing.assert_allclose(executor.grad_dict[name].asnumpy(), want, 1e-4, 1e-5, err_msg=name)
    names = expression.list_arguments()
    block = gluon.SymbolBlock(parse_symbol(text), names)
    found = block(*(given[name] for name in names))
    for got, want in zip(found if count > 1 else [found], wanted, strict=True):
        numpy.testing.assert_allclose(got.asnumpy(), want, 1e-5, 1e-6)


# ------------------------------------------------------------------------------------------------------------- foreach


@pytest.mark.parametrize("order", [*itertools.permutations(("x", "s", "w"))])
def test_foreach_with_what_is_around_it(order):
    """The order in which a body reads its inputs is that of its graph, which is not the loop's."""
    x, s, w, v = (sym.var(name) for name in "xswv")
    outer = w * v

    def step(row, states):
        parts = {"x": row * 2, "s": states[0].tanh(), "w": outer}
        total = sum((parts[name] for name in order[1:]), parts[order[0]])
        return total * w, [total]

    rows, (last,) = sym.contrib.foreach(step, x, [s])

    def loop(x, s, w, v):
        found = []
        for k in range(x.shape[0]):
            s = x[k] * 2 + nd.tanh(s) + w * v
            found.append(s * w)
        return [nd.stack(*found, axis=0), s]

    check(sym.Group([rows, last]), loop, arrays(x=(4, 3), s=(3,), w=(3,), v=(3,)))


def test_foreach_of_several_rows_and_states():
    x, y, s, t = (sym.var(name) for name in "xyst")

    def step(rows, states):
        one = rows[0] * states[1] + rows[1]
        return [one, [rows[0] - states[0]]], [states[1], one]

    (first, (second,)), states = sym.contrib.foreach(step, [x, y], [s, t])
    assert isinstance(states, list)

    def loop(x, y, s, t):
        ones, others = [], []
        for k in range(x.shape[0]):
            one = x[k] * t + y[k]
            others.append(x[k] - s)
            ones.append(one)
            s, t = t, one
        return [nd.stack(*ones, axis=0), nd.stack(*others, axis=0), s, t]

    check(sym.Group([first, second, *states]), loop, arrays(x=(3, 2), y=(3, 2), s=(2,), t=(2,)))


def test_results_of_a_body_that_are_its_inputs():
    x, s, w = (sym.var(name) for name in "xsw")
    rows, (last,) = sym.contrib.foreach(lambda row, states: ([row, w, row], [states[0]]), x, [s])
    given = arrays(x=(3, 2), s=(2,), w=(2,))
    check(sym.Group([*rows, last]), lambda x, s, w: [x, nd.stack(w, w, w, axis=0), x, s * 1], given)


def test_only_rows_or_only_states():
    x, s = sym.var("x"), sym.var("s")
    rows, states = sym.contrib.foreach(lambda row, states: (row.square(), []), x, [])
    assert states == []
    check(rows, lambda x: [x * x], arrays(x=(3, 2)))
    rows, state = sym.contrib.foreach(lambda row, state: ([], row * state), x, s)
    assert rows == []
    check(state, lambda x, s: [x[0] * x[1] * x[2] * s], arrays(x=(3, 2), s=(2,)))


def test_a_group_is_a_list_of_its_results():
    parts = sym.SliceChannel(sym.var("x"), num_outputs=2, axis=1, squeeze_axis=True, name="cut")
    rows, _ = sym.contrib.foreach(lambda row, states: (row[0] * 10 + row[1], []), parts, [])
    check(rows, lambda x: [x[:, 0] * 10 + x[:, 1]], arrays(x=(3, 2)))


def test_weights_that_a_body_makes():
    x, s = sym.var("x"), sym.var("s")

    def step(row, states):
        new = sym.Activation(
            sym.FullyConnected(row, num_hidden=3, name="in")
            + sym.FullyConnected(states[0], num_hidden=3, name="state"),
            act_type="tanh",
        )
        return new, [new]

    rows, (last,) = sym.contrib.foreach(step, x, [s])
    both = sym.Group([rows, last])
    assert sorted(both.list_arguments()) == ["in_bias", "in_weight", "s", "state_bias", "state_weight", "x"]
    known = dict(zip(both.list_arguments(), both.infer_shape(x=(5, 2, 4), s=(2, 3))[0], strict=True))
    assert (known["in_weight"], known["state_weight"], known["in_bias"]) == ((3, 4), (3, 3), (3,))
    executor = both.simple_bind(x=(5, 2, 4), s=(2, 3))
    assert executor.arg_dict["in_weight"].shape == (3, 4)
    given = arrays(**known)

    def loop(**given):
        s, found = given["s"], []
        for k in range(5):
            a = nd.FullyConnected(given["x"][k], given["in_weight"], given["in_bias"], num_hidden=3)
            b = nd.FullyConnected(s, given["state_weight"], given["state_bias"], num_hidden=3)
            s = nd.tanh(a + b)
            found.append(s)
        return [nd.stack(*found, axis=0), s]

    check(both, loop, given)


def test_statistics_that_rounds_move():
    """A running mean inside of a loop is an auxiliary state, which each round moves."""
    x = sym.var("x")
    rows, _ = sym.contrib.foreach(lambda row, _: (sym.BatchNorm(row, name="n", fix_gamma=False), []), x, [])
    assert rows.list_auxiliary_states() == ["n_moving_mean", "n_moving_var"]
    given = arrays(x=(3, 4, 2))
    executor = rows.bind(
        args={**given, "n_gamma": nd.ones(2), "n_beta": nd.zeros(2)},
        aux_states={"n_moving_mean": nd.zeros(2), "n_moving_var": nd.ones(2)},
    )
    executor.forward(is_train=True)
    mean = numpy.zeros(2)
    for row in given["x"].asnumpy():
        mean = 0.9 * mean + 0.1 * row.mean(axis=0)
    numpy.testing.assert_allclose(executor.aux_dict["n_moving_mean"].asnumpy(), mean, 1e-5)


def test_each_round_draws():
    x = sym.var("x")
    rows, _ = sym.contrib.foreach(lambda row, _: (row + sym.random.uniform(shape=(4,)), []), x, [])
    found = rows.eval(x=nd.zeros((3, 4)))[0].asnumpy()
    assert len(numpy.unique(found)) == 12
    once = sym.random.uniform(shape=(4,))
    rows, _ = sym.contrib.foreach(lambda row, _: (row + once, []), x, [])
    found = rows.eval(x=nd.zeros((3, 4)))[0].asnumpy()
    assert len(numpy.unique(found)) == 4


def test_loops_in_loops():
    x, s, w = (sym.var(name) for name in "xsw")

    def inner(row, states):
        return row * states[0] + w, [states[0] + row]

    def outer(rows, states):
        found, _ = sym.contrib.foreach(inner, rows, [states[0] * w])
        return found, [found.sum(axis=0)]

    def loop(x, s, w):
        rows = []
        for k in range(x.shape[0]):
            t, found = s * w, []
            for m in range(x.shape[1]):
                found.append(x[k, m] * t + w)
                t = t + x[k, m]
            rows.append(nd.stack(*found, axis=0))
            s = rows[-1].sum(axis=0)
        return [nd.stack(*rows, axis=0), s]

    rows, (last,) = sym.contrib.foreach(outer, x, [s])
    check(sym.Group([rows, last]), loop, arrays(x=(2, 3, 2), s=(2,), w=(2,)))


def test_a_net_put_into_a_body():
    """What was composed before the loop is of the body where it depends on a row."""
    net = sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc", no_bias=True)
    rows, _ = sym.contrib.foreach(lambda row, _: (net(data=row), []), sym.var("x"), [])
    assert rows.list_arguments() == ["x", "fc_weight"]
    given = arrays(x=(3, 4, 5), fc_weight=(2, 5))
    check(rows, lambda x, fc_weight: [nd.dot(x, fc_weight.T)], given)


# --------------------------------------------------------------------------------------------------------------- while


@pytest.mark.parametrize("limit", [0, 2, 6])
def test_while_loop(limit):
    i, s, w = (sym.var(name) for name in "isw")
    rows, (count, total) = sym.contrib.while_loop(
        lambda i, s: i < w.sum(), lambda i, s: (s * i, [i + 1, s * 1.5 + w]), [i, s], max_iterations=6
    )

    def loop(i, s, w):
        found = []
        while i.asscalar() < w.sum().asscalar():
            found.append(s * i)
            i, s = i + 1, s * 1.5 + w
        rest = [nd.zeros((2,))] * (6 - len(found))
        return [nd.stack(*found, *rest, axis=0), i * 1, s * 1]

    given = {"i": nd.array([0.0]), "s": nd.array([1.0, -2.0]), "w": nd.array([limit / 2 - 0.25, limit / 2])}
    check(sym.Group([rows, count, total]), loop, given)


def test_while_loop_of_one_variable_without_rows():
    rows, last = sym.contrib.while_loop(lambda s: s.sum() < 20, lambda s: (None, s * 2), sym.var("s"), max_iterations=9)
    assert rows == []
    assert last.eval(s=nd.array([1.0, 2.0]))[0].asnumpy().tolist() == [8, 16]


# ---------------------------------------------------------------------------------------------------------------- cond


@pytest.mark.parametrize("sign", [1, -1])
def test_cond(sign):
    a, b, w = (sym.var(name) for name in "abw")
    outer = a * w
    found = sym.contrib.cond(outer.sum() > 0, lambda: [outer + b, b * 2], lambda: [outer - a, b])

    def branch(a, b, w):
        positive = (a * w).sum().asscalar() > 0
        return [a * w + b, b * 2] if positive else [a * w - a, b * 1]

    given = arrays(a=(3,), b=(3,)) | {"w": nd.array([1.0, 1.0, 1.0])}
    given["a"] = nd.abs(given["a"]) * sign
    check(sym.Group(found), branch, given)
    one = sym.contrib.cond(a.sum() > 0, lambda: a, lambda: b)
    check(one, lambda a, b: [(a if sign > 0 else b) * 1 + 0 * (a + b)], {name: given[name] for name in "ab"})


# ------------------------------------------------------------------------------------------------- shapes, files, errors


def test_shapes_that_are_known_in_part():
    x = sym.var("x", shape=(0, 3, 4))
    rows, states = sym.contrib.foreach(lambda row, states: (row + states[0], [states[0] * 2]), x, [sym.var("s")])
    assert rows.infer_shape_partial()[:2] == ([(0, 3, 4), (3, 4)], [(0, 3, 4)])
    assert rows.infer_shape() == (None, None, None)
    assert states[0].infer_shape(x=(5, 3, 4))[1] == [(3, 4)]
    weight = sym.Convolution(
        sym.tanh(sym.var("d", shape=(1, 0, 0, 0))), sym.abs(sym.var("w")), no_bias=True, kernel=(7, 7), num_filter=64
    )
    assert weight.infer_shape_partial()[0] == [(1, 0, 0, 0), (64, 0, 7, 7)]
    both = sym.elemwise_add(
        sym.FullyConnected(sym.var("a"), num_hidden=3), sym.FullyConnected(sym.var("b"), num_hidden=3)
    )
    assert both.infer_shape_partial(a=(2, 5))[1] == [(2, 3)]


@pytest.mark.parametrize("name", ["foreachnet", "whilenet", "condnet"])
def test_files_that_mxnet_wrote(name):
    """They give MXNet's outputs, and what is written of them is what was read."""
    text = (FILES / f"{name}-symbol.json").read_text()
    loaded = sym.load(FILES / f"{name}-symbol.json")
    ours, theirs = json.loads(loaded.tojson()), json.loads(text)
    assert ours["nodes"] == theirs["nodes"]
    assert (ours["heads"], ours["node_row_ptr"]) == (theirs["heads"], theirs["node_row_ptr"])
    given = {f"data{k}": nd.array(numpy.load(FILES / f"{name}-input{k}.npy")) for k in range(2)}
    saved = nd.load(str(FILES / f"{name}-0000.params"))
    given |= {key.partition(":")[2]: value for key, value in (saved.items() if isinstance(saved, dict) else ())}
    for k, found in enumerate(loaded.eval(**{key: given[key] for key in loaded.list_inputs()})):
        wanted = numpy.load(FILES / f"{name}-output{k}.npy")
        numpy.testing.assert_allclose(found.asnumpy()[: len(wanted)], wanted, 1e-5)


def damaged():
    rows, states = sym.contrib.foreach(lambda row, states: (row + states[0], [row]), sym.var("x"), [sym.var("s")])
    loop = sym.Group([rows, *states])
    i = sym.var("i")
    _, last = sym.contrib.while_loop(lambda i: i < 3, lambda i: (i, i + 1), i, max_iterations=3)
    branch = sym.contrib.cond(i > 3, lambda: i, lambda: i * 2)
    for whole in (loop, last, branch):
        tree = json.loads(whole.tojson())
        (node,) = [one for one in tree["nodes"] if "subgraphs" in one]
        for key, text in node["attrs"].items():
            for wrong in ("[7]", "x", "[0, 0]", "-1", "[]", "2"):
                if wrong != text and key not in ("num_args", "max_iterations"):
                    node["attrs"][key] = wrong
                    yield json.dumps(tree)
            node["attrs"][key] = text


def test_damaged_files_are_refused_or_mean_something():
    """A file with other numbers of inputs or results is refused when it is read; none fails inside."""
    refused = 0
    for text in damaged():
        try:
            loaded = sym.load_json(text)
            loaded.infer_shape(x=(3, 2), s=(2,)) if "s" in loaded.list_arguments() else loaded.infer_shape(i=(1,))
        except (LoadError, ShapeError, ArgumentError, CaptureError):
            refused += 1
    assert refused > 60


def test_what_is_refused():
    x, s = sym.var("x"), sym.var("s")
    foreach, while_loop, cond = (getattr(sym.contrib, word) for word in ("foreach", "while_loop", "cond"))
    for body in (lambda row, states: (row, [row]), lambda row, states: (states[0], states)):
        with pytest.raises(UnusedError, match="E461") as caught:
            foreach(body, x, [s])
        assert isinstance(caught.value, AssertionError)
        assert "foreach(body" in caught.value.loc.text
    with pytest.raises(UnusedError, match="'s'"):
        while_loop(lambda i, s: i < 3, lambda i, s: ([], [i + 1, i]), [x, s], max_iterations=3)
    with pytest.raises(ArgumentError, match="returned 2 states for 1"):
        foreach(lambda row, states: (row, [row, states[0]]), x, [s])
    with pytest.raises(ArgumentError, match="expected expressions, got int"):
        foreach(lambda row, states: (1, states), x, [s])
    with pytest.raises(ValueArgumentError, match="max_iterations"):
        while_loop(lambda s: s < 3, lambda s: (s, s), s)
    with pytest.raises(ValueArgumentError, match="then_func returned 1 results, else_func 2"):
        cond(x, lambda: x, lambda: [x, s])
    with pytest.raises(CaptureError, match="E468"):
        foreach(lambda row, _: (sym.np.einsum("i,i", row, row), []), x, [])[0].tojson()


def test_arrays_are_computed_at_once():
    rows, last = sym.contrib.foreach(lambda row, s: (row + s, row), nd.array([[1.0], [2.0]]), nd.array([5.0]))
    assert (rows.asnumpy().tolist(), last.asnumpy().tolist()) == ([[6], [3]], [2])
    assert sym.contrib.cond(nd.array([1.0]), lambda: nd.array([2.0]), lambda: nd.array([3.0])).asnumpy() == 2
    rows, last = nd.contrib.while_loop(
        lambda i: i < 2, lambda i: (i, i + 1), nd.array([0.0]), max_iterations=2, name="n"
    )
    assert (rows.asnumpy().tolist(), last.asnumpy().tolist()) == ([[0], [1]], [2])
