"""Expressions as MXNet's symbols: names, weights that make themselves, groups, shapes, executors, JSON."""

import copy
import json
import math
import pickle

import numpy
import pytest

from hybridize import gluon, hybridize, nd, np
from hybridize import symbol as sym
from hybridize.base.errors import ArgumentError, CaptureError
from hybridize.formats.mxnet.symbol import read_symbol
from hybridize.gluon import nn, rnn


def mlp():
    data = sym.Variable("data")
    hidden = sym.Activation(sym.FullyConnected(data=data, name="fc1", num_hidden=8), act_type="relu", name="act")
    return sym.FullyConnected(data=hidden, name="fc2", num_hidden=3)


def test_weights_make_themselves():
    net = mlp()
    assert net.name == "fc2"
    assert net.list_arguments() == ["data", "fc1_weight", "fc1_bias", "fc2_weight", "fc2_bias"]
    assert net.list_outputs() == ["fc2_output"]
    assert sym.FullyConnected(net, num_hidden=2, no_bias=True, name="x").list_arguments()[-1] == "x_weight"
    given = sym.var("w")
    assert sym.FullyConnected(sym.var("a"), given, num_hidden=2, name="y").list_arguments() == ["a", "w", "y_bias"]
    normed = sym.BatchNorm(net, name="bn")
    assert normed.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    assert normed.list_arguments()[-2:] == ["bn_gamma", "bn_beta"]
    assert normed.list_inputs()[-4:] == ["bn_gamma", "bn_beta", "bn_moving_mean", "bn_moving_var"]


@pytest.mark.parametrize(
    ("operator", "attributes", "weights", "states"),
    [
        *(
            (one, {}, {"gamma": (4,), "beta": (4,)}, {"moving_mean": (4,), "moving_var": (4,)})
            for one in ("BatchNorm", "contrib.BatchNormWithReLU", "contrib.SyncBatchNorm")
        ),
        ("InstanceNorm", {}, {"gamma": (4,), "beta": (4,)}, {}),
        ("contrib.SparseEmbedding", {"input_dim": 5, "output_dim": 3}, {"weight": (5, 3)}, {}),
        *(
            (f"contrib.{one}", {"num_filter": 6, "kernel": (3, 3), "pad": (1, 1), "num_group": 2}, shapes, {})
            for one, shapes in (
                ("DeformableConvolution", {"offset": (2, 18, 8, 8), "weight": (6, 2, 3, 3), "bias": (6,)}),
                (
                    "ModulatedDeformableConvolution",
                    {"offset": (2, 18, 8, 8), "mask": (2, 9, 8, 8), "weight": (6, 2, 3, 3), "bias": (6,)},
                ),
            )
        ),
    ],
)
def test_operators_make_variables_of_what_is_not_given(operator, attributes, weights, states, tmp_path):
    """Names and shapes as MXNet 1.9.1 has them; of offsets and masks it asks the shape, too."""
    *place, word = operator.split(".")
    with sym.NameManager():
        call = getattr(getattr(sym, *place) if place else sym, word)(sym.var("x"), **attributes)
    name = f"{word.lower()}0"
    assert call.list_arguments() == ["x", *(f"{name}_{one}" for one in weights)]
    assert call.list_auxiliary_states() == [f"{name}_{one}" for one in states]
    asked = {f"{name}_{one}": weights[one] for one in ("offset", "mask") if one in weights}
    arguments, results, auxiliary = call.infer_shape(x=(2, 4, 8, 8), **asked)
    assert (arguments[1:], auxiliary) == ([*weights.values()], [*states.values()])
    call.save(str(tmp_path / "net.json"))
    again = sym.load(str(tmp_path / "net.json"))
    assert (again.list_arguments(), again.list_auxiliary_states()) == (
        call.list_arguments(), call.list_auxiliary_states(),
    )  # fmt: skip
    drawn = numpy.random.RandomState(0)
    shapes = dict(zip((*call.list_arguments(), *call.list_auxiliary_states()), (*arguments, *auxiliary), strict=True))
    arrays = {one: np.array(drawn.rand(*shape).astype("f4")) for one, shape in shapes.items()}
    names = dict.fromkeys(call.list_auxiliary_states())
    (first,), (second,) = (
        one.bind(
            None, {k: v for k, v in arrays.items() if k not in names}, aux_states={k: arrays[k] for k in names}
        ).forward()
        for one in (call, again)
    )
    assert first.shape == results[0]
    numpy.testing.assert_array_equal(first.asnumpy(), second.asnumpy())


def test_names():
    with sym.NameManager():
        first, second = (sym.FullyConnected(sym.var("x"), num_hidden=1) for _ in range(2))
        assert [first.name, second.name] == ["fullyconnected0", "fullyconnected1"]
        with sym.Prefix("part_"):
            assert sym.Activation(first, act_type="relu").name == "part_activation0"
        assert sym.Activation(first, act_type="relu").name == "activation0"
    assert sym.elemwise_add(sym.var("a"), sym.var("b"), name="both").list_outputs() == ["both_output"]


def test_attributes():
    with sym.AttrScope(group="1"):
        a = sym.Variable("a", attr={"mood": "angry"}, lr_mult=2)
        with sym.AttrScope(group="2"):
            b = sym.Variable("b")
        c = sym.Activation(a + b, act_type="relu", name="c", attr={"own": "yes"})
    assert a.list_attr() == {"group": "1", "mood": "angry", "__lr_mult__": "2", "lr_mult": "2"}
    assert b.attr("group") == "2"
    assert c.attr("own") == "yes"
    assert c.attr_dict()["b"] == {"group": "2"}
    assert sym.Variable("d").list_attr() == {}
    with pytest.raises(ArgumentError, match="E310"):
        sym.AttrScope(group=1)
    d = copy.copy(a)
    d._set_attr(name="d", mood="calm")
    assert (a.name, a.attr("mood"), d.name, d.attr("mood")) == ("a", "angry", "d", "calm")


def test_composition_by_calls():
    inner = mlp()
    outer = sym.FullyConnected(name="fc3", num_hidden=10)
    outer = sym.FullyConnected(sym.Activation(outer, act_type="relu"), name="fc4", num_hidden=20)
    assert outer.list_arguments()[0] == "fc3_data"
    whole = outer(fc3_data=inner, name="composed")
    assert whole.name == "composed"
    assert whole.list_arguments()[:5] == inner.list_arguments()
    assert outer.list_arguments()[0] == "fc3_data"
    with pytest.raises(ArgumentError, match="E314"):
        outer(nothing=inner)


def test_groups_internals_and_children():
    net = mlp()
    both = sym.Group([net, sym.var("z")])
    assert len(both) == 2
    assert both.list_outputs() == ["fc2_output", "z"]
    assert [one.name for one in both] == ["fc2", "z"]
    inside = net.get_internals()
    assert inside.list_outputs() == [
        "data", "fc1_weight", "fc1_bias", "fc1_output", "act_output", "fc2_weight", "fc2_bias", "fc2_output",
    ]  # fmt: skip
    assert inside["fc1_output"].list_arguments() == ["data", "fc1_weight", "fc1_bias"]
    with pytest.raises(ArgumentError, match="E314"):
        inside["nothing"]
    children = net.get_children()
    assert children.list_outputs() == ["act_output", "fc2_weight", "fc2_bias"]
    assert children["fc2_weight"].get_children() is None
    parts = sym.SliceChannel(sym.var("x"), num_outputs=3, name="slice")
    assert sym.Concat(*parts).get_children().list_outputs() == ["slice_output0", "slice_output1", "slice_output2"]
    assert parts[-1].list_outputs() == ["slice_output2"]
    with pytest.raises(IndexError):
        parts[3]


def test_shapes_forwards_and_backwards():
    net = mlp()
    arguments, results, states = net.infer_shape(data=(5, 2, 2))
    assert arguments == [(5, 2, 2), (8, 4), (8,), (3, 8), (3,)]
    assert (results, states) == ([(5, 3)], [])
    assert net.infer_shape() == (None, None, None)
    assert net.infer_shape_partial()[0] == [()] * 5
    a, b = sym.var("a", shape=(2, 3)), sym.var("b")
    assert sym.elemwise_add(a, b).infer_shape() == ([(2, 3), (2, 3)], [(2, 3)], [])
    assert sym.elemwise_add(a, b).infer_shape(a=(5, 6))[0] == [(5, 6), (5, 6)]
    image = sym.Convolution(sym.var("x"), name="c", kernel=(3, 3), num_filter=4, pad=(1, 1), num_group=2)
    image = sym.Pooling(sym.BatchNorm(image, name="b"), kernel=(2, 2), stride=(2, 2), pool_type="max")
    found = dict(zip(image.list_arguments(), image.infer_shape(x=(1, 6, 8, 8))[0], strict=True))
    assert found["c_weight"] == (4, 3, 3, 3)
    assert found["b_gamma"] == (4,)
    assert image.infer_shape(x=(1, 6, 8, 8))[1:] == ([(1, 4, 4, 4)], [(4,), (4,)])
    assert np.transpose(sym.var("x")).infer_shape(x=(2, 3))[1] == [(3, 2)]
    assert [str(one) for one in np.transpose(sym.var("x")).infer_type(x="f64[2,3]")[1]] == ["float64"]


def of_windows(operator, layer, layout, groups):
    rank = len(layout) - 2
    make = getattr(sym, operator)
    kernel = (3, 2, 1)[:rank]
    call = make(sym.var("x"), kernel=kernel, num_filter=6, num_group=groups, no_bias=False, layout=layout, name="op")
    net = getattr(nn, layer.format(rank))(6, kernel, groups=groups, layout=layout)
    shape = [5, 6, 7][:rank]
    shape.insert(len(shape) if layout.endswith("C") else 0, 4)
    return call, net, (2, *shape)


@pytest.mark.parametrize("layout", ["NCW", "NWC", "NCHW", "NHWC", "NCDHW", "NDHWC"])
@pytest.mark.parametrize(("operator", "layer"), [("Convolution", "Conv{}D"), ("Deconvolution", "Conv{}DTranspose")])
def test_weights_of_windows_are_those_of_the_layers(operator, layer, layout):
    for groups in (1, 2):
        call, net, shape = of_windows(operator, layer, layout, groups)
        net.initialize()
        y = net(np.zeros(shape))
        found = dict(zip(call.list_arguments(), call.infer_shape(x=shape)[0], strict=True))
        assert found["op_weight"] == net.weight.shape
        assert found["op_bias"] == net.bias.shape
        assert call.infer_shape(x=shape)[1] == [y.shape]


@pytest.mark.parametrize("mode", ["rnn_relu", "rnn_tanh", "gru", "lstm"])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_parameters_of_recurrent_layers_are_those_of_the_layers(mode, bidirectional):
    options = {"num_layers": 2, "bidirectional": bidirectional}
    kind = {"gru": rnn.GRU, "lstm": rnn.LSTM}.get(mode, rnn.RNN)
    call = sym.RNN(sym.var("x"), mode=mode, state_size=3, name="op", **options)
    net = kind(3, input_size=5, **options)
    count = sum(math.prod(parameter.shape) for parameter in net.collect_params().values())
    found = dict(zip(call.list_arguments(), call.infer_shape_partial(x=(4, 2, 5))[0], strict=True))
    assert found["op_parameters"] == (count,)
    assert [found[f"op_{word}"] for word in ("state", "state_cell") if f"op_{word}" in found] == [
        info["shape"] for info in net.state_info(2)
    ]
    unknown = dict(zip(call.list_arguments(), call.infer_shape_partial(x=(4, 2, 0))[0], strict=True))
    assert unknown["op_parameters"] in [(), (0,)]  # not the number for no inputs at all


@pytest.mark.parametrize("grad_req", ["write", "add"])
def test_executors(grad_req):
    a, b = sym.var("a"), sym.var("b")
    x, y = numpy.array([1.0, 2.0], "f4"), numpy.array([3.0, 4.0], "f4")
    gradients = {"a": np.ones(2), "b": np.ones(2)}
    run = (a * b + a).bind(None, {"a": np.array(x), "b": np.array(y)}, gradients, grad_req=grad_req)
    (found,) = run.forward(is_train=True)
    assert found.tolist() == [4.0, 10.0]
    run.backward(np.array([1.0, 10.0]))
    more = 1.0 if grad_req == "add" else 0.0
    assert run.grad_dict["a"].tolist() == [4.0 + more, 50.0 + more]
    assert gradients["b"].tolist() == [1.0 + more, 20.0 + more]
    assert run.forward(a=np.array([0.0, 1.0]))[0].tolist() == [0.0, 5.0]
    assert list(run.output_dict) == (a * b + a).list_outputs() or len(run.outputs) == 1
    run.copy_params_from({"b": np.array([0.0, 0.0])})
    assert run.forward()[0].tolist() == [0.0, 1.0]
    with pytest.raises(ArgumentError, match="E314"):
        run.copy_params_from({"c": x})
    with pytest.raises(ArgumentError, match="E314"):
        (a * b).bind(None, {"a": np.array(x)})


def test_executors_from_shapes():
    run = sym.BatchNorm(mlp(), name="bn", fix_gamma=False).simple_bind(data=(4, 5), grad_req="write")
    assert run.arg_dict["fc1_weight"].shape == (8, 5)
    assert list(run.aux_dict) == ["bn_moving_mean", "bn_moving_var"]
    for name, array in run.arg_dict.items():
        array[...] = numpy.random.RandomState(len(name)).rand(*array.shape)
    before = run.aux_dict["bn_moving_mean"].asnumpy()
    run.forward(is_train=True)
    assert (run.aux_dict["bn_moving_mean"].asnumpy() != before).all()
    run.backward(np.ones((4, 3)))
    assert run.grad_dict["bn_beta"].asnumpy() == pytest.approx([4.0, 4.0, 4.0])
    with pytest.raises(ArgumentError, match="E314"):
        mlp().simple_bind()
    with pytest.raises(Exception, match="f32"):
        (np.transpose(sym.var("v")) + sym.var("x") + sym.var("v")).simple_bind(x=(2, 3), v=(2, 3))
    stopped = sym.BlockGrad(sym.var("a") * 2).simple_bind(a=(3,))
    stopped.forward(is_train=True)
    stopped.backward()
    assert stopped.grad_dict["a"].tolist() == [0, 0, 0]


def test_json(tmp_path):
    net = sym.SoftmaxOutput(mlp() * 2 - sym.var("shift", shape=(1, 3)), name="softmax")
    text = net.tojson()
    tree = json.loads(text)
    assert [node["op"] for node in tree["nodes"] if node["op"] != "null"] == [
        "FullyConnected", "Activation", "FullyConnected", "_mul_scalar", "broadcast_sub", "SoftmaxOutput",
    ]  # fmt: skip
    assert tree["nodes"][3]["attrs"] == {"num_hidden": "8"}
    again = sym.load_json(text)
    assert again.tojson() == text
    assert again.list_arguments() == net.list_arguments()
    net.save(tmp_path / "net.json")
    assert sym.load(tmp_path / "net.json").tojson() == text
    assert read_symbol(tmp_path / "net.json").variables == net.list_arguments()
    assert pickle.loads(pickle.dumps(net)).tojson() == text
    assert copy.deepcopy(net).tojson() == text
    shapes = {"data": (2, 5), "softmax_label": (2,)}
    runs = [one.simple_bind(**shapes) for one in (net, again)]
    for run in runs:
        for name, array in run.arg_dict.items():
            array[...] = numpy.random.RandomState(len(name)).rand(*array.shape)
        run.forward(is_train=True)
        run.backward()
    numpy.testing.assert_allclose(runs[0].outputs[0].asnumpy(), runs[1].outputs[0].asnumpy(), rtol=1e-5)
    with pytest.raises(CaptureError, match="E468"):
        (sym.var("a") * np.ones(2)).tojson()
    with pytest.raises(CaptureError, match="E468"):
        np.sum(sym.var("a")).tojson()
    assert '"op": "sum"' in sym.sum(sym.var("a"), axis=1).tojson()


def test_a_block_of_an_expression():
    net = mlp()
    block = gluon.SymbolBlock(net, sym.var("data"))
    block.initialize()
    x = np.array(numpy.random.RandomState(0).rand(4, 5).astype("f4"))
    y = block(x)
    assert y.shape == (4, 3)
    assert block.collect_params()["fc1_weight"].shape == (8, 5)
    block.hybridize()
    numpy.testing.assert_allclose(block(x).asnumpy(), y.asnumpy(), rtol=1e-5)
    arrays = {name: p.data() for name, p in block.collect_params().items()}
    (wanted,) = net.eval(data=x, **arrays)
    numpy.testing.assert_allclose(wanted.asnumpy(), y.asnumpy(), rtol=1e-5)
    inside = gluon.SymbolBlock([net.get_internals()["fc1_output"], net], "data")
    inside.initialize()
    assert [one.shape for one in inside(x)] == [(4, 8), (4, 3)]


def test_a_compiled_function_makes_an_expression_of_an_expression():
    """Whether or not it has been called with arrays; tests/gluon/test_composing.py has the blocks."""
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    function = hybridize(lambda x: np.exp(x) * 2)
    for _ in range(2):
        (got,) = function(sym.var("data")).eval(data=x)
        numpy.testing.assert_allclose(got.asnumpy(), np.exp(x).asnumpy() * 2, rtol=1e-6)
        numpy.testing.assert_allclose(function(x).asnumpy(), np.exp(x).asnumpy() * 2, rtol=1e-6)


def test_methods_are_mxnet_1s_functions():
    """Those that arrays have with NumPy's meaning are on expressions what `sym` has, named and with attributes, too."""
    x = np.array(numpy.arange(12, dtype="f4").reshape(2, 3, 2))
    a = sym.var("a")
    cases = {
        "flatten": ((), (2, 6)), "take": ((np.array([1.0]),), (1, 3, 2)), "reshape": (((0, -1),), (2, 6)),
        "argmax": ((1,), (2, 2)), "sum": ((), (1,)), "transpose": ((), (2, 3, 2)[::-1]), "sort": ((0,), (2, 3, 2)),
    }  # fmt: skip
    for word, (args, shape) in cases.items():
        fluent, regular = getattr(a, word)(*args, name="one"), getattr(sym, word)(a, *args, name="one")
        assert fluent.list_outputs() == regular.list_outputs() == ["one_output"]
        got, want = (one.eval(a=x)[0] for one in (fluent, regular))
        assert got.shape == want.shape == shape, word
        numpy.testing.assert_array_equal(got.asnumpy(), want.asnumpy())
    assert a.reshape(3, 4).infer_shape(a=(2, 3, 2))[1] == [(3, 4)]
    assert a.astype("int32").infer_type(a=(2,))[1][0] == numpy.int32
    assert a.abs(name="size").list_outputs() == ["size_output"]


def test_comparisons_are_written_as_they_are():
    """Operators give numbers, as MXNet 1's do, and functions of `np` bools: sums of those are no sums of numbers."""
    a, b = sym.var("a"), sym.var("b")
    both = sym.Group([a < 2, sym.np.less(2, a), a >= b, a == b, b != 1])
    given = {"a": np.array([1.0, 2.0, 3.0]), "b": np.array([1.0, 5.0, 3.0])}
    again = sym.load_json(both.tojson())
    assert again.tojson() == both.tojson()
    assert [one.dtype for one in both.eval(**given)] == ["float32", "bool", "float32", "float32", "float32"]
    for got, want in zip(again.eval(**given), both.eval(**given), strict=True):
        assert got.dtype == want.dtype
        numpy.testing.assert_array_equal(got.asnumpy(), want.asnumpy())


def test_results_of_functions_that_give_several():
    a, x = sym.var("a"), np.array([[2.0, -1.0], [-1.0, 3.0]])
    for function, count in ((sym.linalg.gelqf, 2), (sym.linalg.syevd, 2), (sym.linalg.slogdet, 2), (sym.moments, 2)):
        results = function(a)
        assert len(results.list_outputs()) == count
        wanted = getattr(nd.linalg, function.__name__, nd.moments)(x)
        for one in (results, sym.load_json(results.tojson())) if function is not sym.moments else (results,):
            for got, want in zip(one.eval(a=x), wanted, strict=True):
                numpy.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=1e-6)
            numpy.testing.assert_allclose(one[1].eval(a=x)[0].asnumpy(), wanted[1].asnumpy(), rtol=1e-6)
    assert sym.SVMOutput(a, name="svm").list_arguments() == ["a", "svm_label"]


def test_eval_names_the_arrays_that_it_misses():
    net = sym.FullyConnected(sym.var("x"), sym.var("w"), sym.var("b", shape=(3,)), num_hidden=3)
    with pytest.raises(ArgumentError, match=r"E314: eval without arrays for 'w', 'b'\n(.*\n)*.*it takes x, w, b"):
        net.eval(x=np.ones((2, 4)))
