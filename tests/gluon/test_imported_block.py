"""Models of other frameworks as blocks: calls, second sizes, weights, training, copies, files. Made here, by onnx."""

import copy
import pickle
import threading

import numpy
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

import hybridize
from hybridize import autograd, gluon, load, np
from hybridize.base.errors import ArgumentError, DTypeError, LoadError, OutOfBoundsError, ShapeError
from tests.onnx_models import image_net, model, table
from tests.refusals import refusal


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for name, made in {"net": image_net(), "table": table()}.items():
        onnx.save(made, folder / f"{name}.onnx")
    return folder


@pytest.fixture
def net(files):
    return load(files / "net.onnx")


def theirs(path, *arrays):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_inputs()]
    return session.run(None, dict(zip(names, arrays, strict=True)))[0]


def images(*shape, seed=0):
    return numpy.random.default_rng(seed).normal(size=shape).astype("f4")


def close(y, expected):
    return numpy.allclose(numpy.asarray(y), expected, rtol=1e-5, atol=1e-5)


# ------------------------------------------------------------------------------------------------------------- sizes


def test_a_second_size_makes_one_general_program_and_no_other(net, files):
    for k, shape in enumerate([(1, 3, 8, 8), (3, 3, 8, 8), (5, 3, 8, 8), (1, 3, 8, 8), (2, 3, 8, 8)]):
        x = images(*shape, seed=k)
        assert close(net(x), theirs(files / "net.onnx", x))
    assert net.cache_info().captures == 2
    first, second = net._function.programs()
    assert first.captured.scope is None, "the first is exact: no size is open before another one has come"
    assert str(second.captured.scope) == "Scope(n0 in 1.. like 3)", "nothing has asked for a size"


def test_all_ways_to_run_it_agree(net, files):
    x = images(2, 3, 9, 7)
    expected = theirs(files / "net.onnx", x)
    net.hybridize(False)
    assert close(net(x), expected)
    for options in ({}, {"backend": "numpy"}, {"verify": "ops"}, {"freeze": True}, {"dynamic": True}):
        net.hybridize(**options)
        assert close(net(x), expected), options
    with hybridize.disabled():
        assert close(net(x), expected)


def test_threads_share_its_programs(files):
    net, results = load(files / "net.onnx"), {}

    def run(size):
        x = images(size, 3, 6, 6, seed=size)
        results[size] = close(net(x), theirs(files / "net.onnx", x))

    threads = [threading.Thread(target=run, args=(size,)) for size in range(1, 7)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert results == dict.fromkeys(range(1, 7), True)
    assert net.cache_info().captures <= 3


# ------------------------------------------------------------------------------------------------------------- calls


def test_inputs_are_arrays_numbers_and_lists_by_position_and_name(files):
    net = load(files / "table.onnx")
    expected = theirs(files / "table.onnx", numpy.array([1, 4]), numpy.array(2, "f4"))
    i = numpy.array([1, 4])
    assert net.inputs[0].shape == ("n",) and str(net.inputs[1]) == "by: f32[]"
    calls = [
        net(i, 2), net(i, by=2.0), net(by=2, i=i), net([1, 4], numpy.float32(2)), net((1, 4), np.array(2.0)),
        net(np.array(i, dtype="int64"), numpy.array(2, "f4")),
    ]  # fmt: skip
    assert all(close(y, expected) for y in calls)
    assert net.cache_info().programs == 1, "all of these are one call"


@pytest.mark.parametrize(
    ("args", "kwargs", "error", "message"),
    [
        (([1],), {}, ArgumentError, r"E333: table\.onnx takes i: i64\[n\], by: f32\[\]; got 1 by position; by is mis"),
        (([1], 2, 3), {}, ArgumentError, r"E333: .*; got 3 by position"),
        (([1], 2), {"by": 3}, ArgumentError, r"E333: .*; got 2 by position, by=; by is there twice"),
        (([1],), {"factor": 3}, ArgumentError, r"E333: .*; got 1 by position, factor=; by is missing"),
        (([0.5], 2), {}, DTypeError, r"E210: .*; got for i a list that is no array of int64: it holds float64"),
        (([[1], [2, 3]], 2), {}, DTypeError, r"E210: .*; got for i a list that is no array"),
        (("abc", 2), {}, ArgumentError, r"E307: .*; got str for i"),
        ((None, 2), {}, ArgumentError, r"E307: .*; got NoneType for i"),
        ((numpy.array([1], "i4"), 2), {}, DTypeError, r"E210: .*; got i32\[1\] for i"),
        (([1], numpy.float64(2)), {}, DTypeError, r"E210: .*; got f64\[\] for by"),
        (([[1]], 2), {}, ShapeError, r"E120: .*; got i64\[1,1\] for i"),
        (([1], [2.0]), {}, ShapeError, r"E120: .*; got f32\[1\] for by"),
    ],
)
@pytest.mark.parametrize("active", [True, False])
def test_errors_of_calls_are_in_the_words_of_the_file(files, args, kwargs, error, message, active):
    net = load(files / "table.onnx")
    net.hybridize(active)
    with refusal(error, message):
        net(*args, **kwargs)
    assert net([1], 2).shape == (1, 3)


def test_a_number_of_a_captured_function_is_an_input(files):
    net = load(files / "table.onnx")

    @hybridize.hybridize
    def twice(i, by):
        return net(i, by) + net(i, by=by)

    i = np.array([1, 4], dtype="int64")
    assert close(twice(i, 3.0), 6 * numpy.arange(15).reshape(5, 3)[[1, 4]])
    with pytest.raises(ShapeError, match=r"E120: table\.onnx takes .*; got i64\[1,2\] for i\n .*test_imported_block"):
        twice(i.reshape(1, 2), 3.0)


@pytest.mark.parametrize("active", [True, False])
def test_indices_out_of_bounds_are_an_error_at_the_node(files, active):
    net = load(files / "table.onnx")
    net.hybridize(active)
    assert close(net([-1, 0], 1), [[12, 13, 14], [0, 1, 2]])
    with pytest.raises(OutOfBoundsError, match=r"(?s)E110: an axis of 5 elements: .*node '/embed/Gather'"):
        net([1, 5], 1)
    with pytest.raises(OutOfBoundsError, match="E110"):
        net([-6], 1)


def test_errors_inside_name_line_and_node(net):
    with pytest.raises(
        ShapeError, match=r"(?s)E175.*test_imported_block\.py.*in net\.onnx: operator Conv, node '/conv"
    ):
        net(images(2, 3, 0, 4))


def test_reports_name_the_nodes_of_the_file(net):
    text = str(net.program(np.array(images(2, 3, 8, 8))).explain())
    assert "/conv/Conv" in text and "/head/Gemm" in text


# ----------------------------------------------------------------------------------------------------------- weights


def test_weights_are_parameters_and_changes_are_seen(net, files):
    x = np.array(images(2, 3, 8, 8))
    before = net(x).asnumpy()
    assert {*net.collect_params()} == {"w", "b", "scale", "shift", "mean", "var", "head", "bias"}
    bias = net.collect_params()["bias"]
    bias.set_data(bias.data() + 1)
    assert close(net(x), before + 1)
    assert net.cache_info().captures == 1
    assert close(load(files / "net.onnx")(x), before), "the file has not changed"


def test_weights_are_in_memory_once(tmp_path):
    wide = numpy.random.default_rng(0).normal(size=(64, 1024)).astype("f4")
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    made = model([node], {"x": (TensorProto.FLOAT, ["n", 64])}, {"y": (TensorProto.FLOAT, ["n", 1024])}, {"w": wide})
    onnx.save(made, tmp_path / "near.onnx")
    onnx.save(made, tmp_path / "far.onnx", save_as_external_data=True, location="far.data", size_threshold=0)
    x = images(3, 64)
    for name in ("near.onnx", "far.onnx"):
        net = load(tmp_path / name)
        assert numpy.allclose(net(x).asnumpy(), x @ wide, atol=1e-4)
        assert not net._program.weights and "1 weights" in repr(net)


def test_it_is_trained_as_any_net(files):
    net, x = load(files / "net.onnx"), np.array(images(4, 3, 8, 8))
    fixed = [name for name, one in net.collect_params().items() if one.grad_req == "null"]
    assert fixed == ["mean", "var"], "the statistics of batch norm"
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.05})
    losses = []
    for _ in range(4):
        with autograd.record():
            loss = (net(x) ** 2).mean()
        loss.backward()
        trainer.step(1)
        losses.append(float(loss.asnumpy()))
    assert losses == sorted(losses, reverse=True) and losses[-1] < 0.8 * losses[0]


def test_gradients_are_those_of_the_same_layers_of_ours(files):
    net, x = load(files / "net.onnx"), np.array(images(2, 3, 6, 6))
    p = {name: one.data() for name, one in net.collect_params().items()}
    with autograd.record():
        net(x).sum().backward()
    head = p["head"].grad.asnumpy()
    pooled = numpy.asarray(onnx_features(files, x.asnumpy())).sum(0)
    assert numpy.allclose(head, numpy.broadcast_to(pooled, (5, 4)), rtol=1e-4, atol=1e-5)
    assert numpy.allclose(p["bias"].grad.asnumpy(), 2)


def onnx_features(files, x):
    made = onnx.load(files / "net.onnx")
    made.graph.output.append(helper.make_empty_tensor_value_info("f"))
    return onnxruntime.InferenceSession(made.SerializeToString()).run(["f"], {"x": x})[0]


def test_it_is_part_of_other_blocks_and_functions(files):
    body = load(files / "net.onnx")

    class Both(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.body, self.head = body, gluon.nn.Dense(2, in_units=5)

        def forward(self, x):
            return self.head(self.body(x))

    both, x = Both(), np.array(images(2, 3, 8, 8))
    both.head.initialize()
    expected = both(x).asnumpy()
    both.hybridize()
    assert close(both(x), expected) and close(both(x), expected)
    assert "body.w" in both.collect_params() and "head.weight" in both.collect_params()


# ------------------------------------------------------------------------------------------------- copies and files


def test_copies_and_pickles_are_models_of_their_own(net):
    x = np.array(images(2, 3, 8, 8))
    expected = net(x).asnumpy()
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert close(other(x), expected) and other.active
        other.collect_params()["bias"].set_data(np.zeros(5))
        assert close(net(x), expected)


def test_archives_give_the_same_bits_by_name_and_position(net, tmp_path):
    x, y = np.array(images(1, 3, 8, 8)), np.array(images(3, 3, 8, 8))
    expected = [net(x).asnumpy(), net(x=y).asnumpy()]
    net.save(tmp_path / "net.hybridize")
    again = load(tmp_path / "net.hybridize")
    for call in (again, lambda one: again(x=one)):
        assert [call(one).asnumpy().tobytes() for one in (x, y)] == [one.tobytes() for one in expected]
    assert again(np.array(images(6, 3, 8, 8))).shape == (6, 5)


@pytest.mark.parametrize("format", ["object", "archive"])
def test_exports_check_themselves(net, tmp_path, format):
    net(np.array(images(1, 3, 8, 8)))
    net(np.array(images(2, 3, 8, 8)))
    done = net.export(tmp_path / "net", format=format)
    assert all("as expected" in line for line in done.checks)


def test_a_sensitive_output_is_exported_as_far_as_rounding_goes(tmp_path):
    """The logarithm of what a difference leaves: two right computations of it are far apart."""
    rng = numpy.random.default_rng(1)
    arrays = {"w": rng.normal(size=(64, 16)).astype("f4")}
    arrays["v"] = arrays["w"] + rng.normal(size=(64, 16)).astype("f4") * 1e-6
    arrays["little"] = numpy.float32(1e-4)
    node = helper.make_node
    nodes = [node("MatMul", ["x", "w"], ["a"]), node("MatMul", ["x", "v"], ["b"]), node("Sub", ["a", "b"], ["d"]),
             node("Abs", ["d"], ["e"]), node("Add", ["e", "little"], ["f"]), node("Log", ["f"], ["y"])]  # fmt: skip
    made = model(nodes, {"x": (TensorProto.FLOAT, [4, 64])}, {"y": (TensorProto.FLOAT, [4, 16])}, arrays)
    onnx.save(made, tmp_path / "log.onnx")
    net = load(tmp_path / "log.onnx")
    x = np.array(images(4, 64))
    compiled = net(x).asnumpy()
    net.hybridize(False)
    assert abs(compiled - net(x).asnumpy()).max() > 1e-3
    net.hybridize()
    net(x)
    assert all("as expected" in line for line in net.export(tmp_path / "decibels", format="object").checks)


def test_there_is_nothing_to_verify_a_model_by(files):
    with pytest.raises(LoadError, match="E653"):
        load(files / "net.onnx", verify=True)


def test_what_is_no_path_is_refused(files):
    with refusal(ArgumentError, r"E301: load takes the path of a file, got bytes(.|\n)*InferenceSession"):
        load((files / "net.onnx").read_bytes())


def test_outputs_keep_their_names_in_a_model_of_onnx(tmp_path):
    nodes = [helper.make_node("Relu", ["x"], ["y/0"]), helper.make_node("ArgMax", ["x"], ["label"], axis=-1)]
    kinds = {"y/0": (TensorProto.FLOAT, ["n", 3]), "label": (TensorProto.INT64, ["n", 1])}
    onnx.save(model(nodes, {"x": (TensorProto.FLOAT, ["n", 3])}, kinds, {}), tmp_path / "first.onnx")
    net = load(tmp_path / "first.onnx")
    net(images(2, 3))
    net.export(tmp_path / "second", format="onnx")
    assert [port.name for port in load(tmp_path / "second.onnx").outputs] == ["y/0", "label"]
    net.export(tmp_path / "third", format="onnx", output_names=["a", "b"])
    assert [port.name for port in load(tmp_path / "third.onnx").outputs] == ["a", "b"]


def test_a_model_is_of_the_types_of_its_file(net):
    x = images(1, 3, 8, 8)
    y = net(x)
    with refusal(DTypeError, r"E210: net\.onnx is not cast to float16(.|\n)*convert the file"):
        net.cast("float16")
    net.cast("float32")
    assert (net(x) == y).all()
