"""Normalizing layers: values, gradients and running statistics against PyTorch, compiled, in steps and in files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy
import pytest
import torch

import hybridize as hz
from hybridize import autograd, gluon, hybridize, nd, np, npx
from hybridize.base.errors import ArgumentError, OutOfBoundsError, ShapeError
from hybridize.errors import AssertionFailed
from hybridize.formats.mxnet.params import read_params
from hybridize.formats.mxnet.symbol import parse_symbol
from hybridize.gluon import SymbolBlock, nn
from hybridize.symbol.stored import of_graph
from tests.formats.running import execute
from tests.refusals import refusal

MXNET = Path(__file__).parents[1] / "formats" / "mxnet_files"
SHAPES = {"rows": (16, 5), "sequence": (4, 5, 7), "image": (3, 5, 2, 4)}


def drawn(*shape, seed=1):
    return numpy.random.default_rng(seed).normal(2, 3, shape)


def fill(layer, size, dtype):
    """Parameters that are not 0 or 1."""
    rng = numpy.random.default_rng(2)
    layer.cast(dtype)
    layer.initialize()
    for parameter in layer.collect_params().values():
        parameter.set_data(np.array(rng.uniform(0.5, 2, size), dtype=dtype))
    return layer


def peer(layer, size, **arguments):
    """PyTorch's batch norm with the same parameters, and MXNet's meaning of momentum."""
    other = {2: torch.nn.BatchNorm1d, 3: torch.nn.BatchNorm1d, 4: torch.nn.BatchNorm2d}[size](
        5, layer._epsilon, 1 - layer._momentum, dtype=torch.float64, **arguments
    )
    names = {"weight": "gamma", "bias": "beta", "running_mean": "running_mean", "running_var": "running_var"}
    found = {
        ours: torch.tensor(getattr(layer, theirs).data().asnumpy())
        for ours, theirs in names.items()
        if getattr(other, ours) is not None
    }
    other.load_state_dict(found, strict=False)
    return other


@pytest.mark.parametrize("compiled", [False, True], ids=["imperatively", "hybridized"])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_batch_norm_trains_as_pytorch_does(shape, compiled):
    layer = fill(nn.BatchNorm(in_channels=5, momentum=0.8), 5, "float64")
    layer.hybridize(compiled)
    other = peer(layer, len(shape))
    count = numpy.prod(shape) // 5
    for number in range(3):
        x, weight = drawn(*shape, seed=number), drawn(*shape, seed=9)
        ours, theirs = np.array(x, dtype="float64"), torch.tensor(x, requires_grad=True)
        before = other.running_var.clone()
        ours.attach_grad()
        with autograd.record():
            y = layer(ours)
            loss = (np.array(weight, dtype="float64") * y**3).sum()
        loss.backward()
        z = other(theirs)
        (torch.tensor(weight) * z**3).sum().backward()
        with torch.no_grad():  # PyTorch keeps the unbiased variance, MXNet the biased one
            unbiased = (other.running_var - 0.8 * before) / 0.2
            other.running_var.copy_(0.8 * before + 0.2 * unbiased * (count - 1) / count)
        numpy.testing.assert_allclose(y.asnumpy(), z.detach(), rtol=1e-10, atol=1e-12)
        numpy.testing.assert_allclose(ours.grad.asnumpy(), theirs.grad, rtol=1e-8, atol=1e-8)
        numpy.testing.assert_allclose(layer.gamma.grad().asnumpy(), other.weight.grad, rtol=1e-9)
        numpy.testing.assert_allclose(layer.beta.grad().asnumpy(), other.bias.grad, rtol=1e-9)
        numpy.testing.assert_allclose(layer.running_mean.data().asnumpy(), other.running_mean, rtol=1e-12)
        numpy.testing.assert_allclose(layer.running_var.data().asnumpy(), other.running_var, rtol=1e-12)
        other.zero_grad()
        other.eval()  # between steps
        numpy.testing.assert_allclose(layer(ours).asnumpy(), other(theirs).detach(), rtol=1e-10)
        other.train()


@pytest.mark.parametrize("compiled", [False, True], ids=["imperatively", "hybridized"])
@pytest.mark.parametrize("training", [True, False])
def test_second_order(training, compiled):
    layer = fill(nn.BatchNorm(in_channels=5), 5, "float64")
    layer.hybridize(compiled)
    other = peer(layer, 3)
    other.train(training)
    x = drawn(4, 5, 3)
    ours, theirs = np.array(x, dtype="float64"), torch.tensor(x, requires_grad=True)
    ours.attach_grad()
    with autograd.record(train_mode=training):
        y = (layer(ours) ** 3).sum()
        (first,) = autograd.grad(y, [ours], create_graph=True)
        second = (first**2).sum()
    second.backward()
    (expected,) = torch.autograd.grad((other(theirs) ** 3).sum(), theirs, create_graph=True)
    (expected**2).sum().backward()
    numpy.testing.assert_allclose(first.asnumpy(), expected.detach(), rtol=1e-8, atol=1e-8)
    numpy.testing.assert_allclose(ours.grad.asnumpy(), theirs.grad, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("axis", [1, -1])
@pytest.mark.parametrize("settings", [{}, {"scale": False}, {"center": False}, {"use_global_stats": True}])
def test_gradients_in_a_program_are_the_tapes(settings, axis):
    """In a program the gradient of the whole layer is one rule; on the tape it is that of each operation."""
    size = 5
    layer = fill(nn.BatchNorm(axis=axis, in_channels=size, **settings), size, "float64")
    shape = (3, size, 4, 2) if axis == 1 else (3, 4, 2, size)
    x, weight = (np.array(drawn(*shape, seed=seed) + 7, dtype="float64") for seed in (4, 5))
    x.attach_grad()

    def gradients(x, weight):
        with autograd.record():
            y = npx.relu(layer(x) - 1)
        y.backward(weight)
        learned = [one.grad() for one in layer.collect_params().values() if one.grad_req != "null"]
        return [x.grad.copy(), *(one.copy() for one in learned)]

    imperative = gradients(x, weight)
    compiled = hybridize(gradients)(x, weight)
    assert len(imperative) == len(compiled) >= 2
    for one, other in zip(compiled, imperative, strict=True):
        numpy.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-9, atol=1e-9)


def test_second_order_of_the_rule_in_a_program():
    """Its results, mean and variance too, are differentiated again as functions of the batch."""
    layer = fill(nn.BatchNorm(in_channels=5), 5, "float64")
    x = drawn(4, 5, 3)
    ours, theirs = np.array(x, dtype="float64"), torch.tensor(x, requires_grad=True)
    ours.attach_grad()

    @hybridize
    def penalty(x):
        with autograd.record():
            (first,) = autograd.grad((layer(x) ** 3).sum(), [x], create_graph=True)
            second = (first**2).sum()
        second.backward()
        return x.grad.copy()

    other = peer(layer, 3)
    (expected,) = torch.autograd.grad((other(theirs) ** 3).sum(), theirs, create_graph=True)
    (expected**2).sum().backward()
    numpy.testing.assert_allclose(penalty(ours).asnumpy(), theirs.grad, rtol=1e-7, atol=1e-7)


def test_a_step_goes_over_the_batch_once_for_both_sums_of_the_gradient():
    """Two folds forward, mean and variance, and two back; what is kept for these is the batch itself."""
    layer = fill(nn.BatchNorm(in_channels=16), 16, "float32")
    x = np.array(drawn(8, 16, 6, 6), dtype="float32")
    x.attach_grad()

    @hybridize
    def step(x):
        with autograd.record():
            y = layer(x * 2)
        y.backward()
        return x.grad

    step(x)
    graph = step.program(x).optimized
    folds = [node for node in graph.nodes if node.op.name == "sum" and node.inputs[0].type.shape == x.shape]
    assert len(folds) == 4


def test_only_training_moves_the_running_statistics():
    layer = fill(nn.BatchNorm(in_channels=5), 5, "float32")
    x = np.array(drawn(8, 5))

    def moved(scope):
        before = layer.running_mean.data().asnumpy(), layer.running_var.data().asnumpy()
        with scope:
            layer(x)
        after = layer.running_mean.data().asnumpy(), layer.running_var.data().asnumpy()
        return any((a != b).any() for a, b in zip(before, after, strict=True))

    for active in (False, True):
        layer.hybridize(active)
        assert moved(autograd.record())
        assert moved(autograd.train_mode())
        assert not moved(autograd.predict_mode())
        assert not moved(autograd.record(train_mode=False))
        assert not moved(autograd.pause())
    frozen = fill(nn.BatchNorm(in_channels=5, use_global_stats=True), 5, "float32")
    expected = frozen(x).asnumpy()
    with autograd.record():
        numpy.testing.assert_allclose(frozen(x).asnumpy(), expected, rtol=1e-5, atol=1e-6)
    assert (frozen.running_mean.data().asnumpy() == fill(nn.BatchNorm(), 5, "f4").running_mean.data().asnumpy()).all()


def test_arguments_of_the_layer():
    x = np.array(drawn(6, 3, 4))
    last = nn.BatchNorm(axis=-1, epsilon=1e-3)
    last.initialize()
    with autograd.train_mode():
        y = last(x).asnumpy()
    numpy.testing.assert_allclose(y.mean((0, 1)), numpy.zeros(4), atol=1e-6)
    assert last.gamma.shape == last.running_var.shape == (4,)
    plain = nn.BatchNorm(center=False, scale=False, gamma_initializer=hz.init.Constant(7.0))
    plain.initialize()
    with autograd.record():
        plain(x)
    assert plain.gamma.grad_req == plain.beta.grad_req == plain.running_mean.grad_req == "null"
    with autograd.train_mode():
        assert float(abs(plain(x)).max()) < 7  # gamma is 1, whatever it holds
    assert repr(plain) == (
        "BatchNorm(axis=1, eps=1e-05, momentum=0.9, fix_gamma=True, use_global_stats=False, in_channels=3)"
    )
    assert list(plain.collect_params()) == ["gamma", "beta", "running_mean", "running_var"]
    rectified = nn.BatchNormReLU()
    rectified.initialize()
    with autograd.train_mode():
        numpy.testing.assert_allclose(
            rectified(x).asnumpy(), numpy.maximum(nn_reference(x.asnumpy()), 0), rtol=1e-4, atol=1e-5
        )


def nn_reference(x):
    axes = (0, *range(2, x.ndim))
    return (x - x.mean(axes, keepdims=True)) / numpy.sqrt(x.var(axes, keepdims=True) + 1e-5)


def net_with_norm(dtype="float64"):
    hz.random.seed(4)
    net = nn.HybridSequential()
    net.add(nn.Dense(8, use_bias=False, in_units=6), nn.BatchNorm(in_channels=8), nn.Activation("relu"))
    net.add(nn.Dropout(0.2), nn.Dense(3, in_units=8))
    net.cast(dtype)
    net.initialize(hz.init.Normal(0.3))
    return net


def stepping(net, name="adam"):
    trainer = gluon.Trainer(net.collect_params(), name, {"learning_rate": 0.05})
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()

    def step(x, y):
        with autograd.record():
            loss = loss_fn(net(x), y)
        loss.backward()
        trainer.step(x.shape[0])
        return loss.mean()

    return step


def test_a_compiled_step_is_the_imperative_one_with_evaluation_between():
    nets = [net_with_norm() for _ in range(3)]
    x = [np.array(drawn(n, 6, seed=n), dtype="float64") for n in (16, 16, 16, 7, 16, 16)]
    y = [np.array(numpy.arange(len(one)) % 3) for one in x]
    steps = [stepping(net) for net in nets]
    nets[1].hybridize()
    steps[2] = hybridize(steps[2])
    found = []
    for step, net in zip(steps, nets, strict=True):
        hz.random.seed(5)
        losses = []
        for a, b in zip(x, y, strict=True):
            losses.append(float(step(a, b)))
            losses += net(a).asnumpy().ravel().tolist()
        found.append(losses)
    numpy.testing.assert_allclose(found[1], found[0], rtol=1e-8, atol=1e-10)
    numpy.testing.assert_allclose(found[2], found[0], rtol=1e-8, atol=1e-10)
    for path, parameter in nets[0].collect_params().items():
        for net in nets[1:]:
            numpy.testing.assert_allclose(
                net.collect_params()[path].data().asnumpy(), parameter.data().asnumpy(), rtol=1e-7, atol=1e-9
            )
    assert steps[2].cache_info().captures <= 2


def test_a_step_that_fails_moves_nothing():
    net = net_with_norm()
    plain = stepping(net)

    @hybridize
    def step(x, y):
        loss = plain(x, y)
        npx.assert_(loss < 100, "diverged")  # noqa: PT009
        return loss

    labels = np.array([0, 1, 2, 0])
    step(np.array(drawn(4, 6), dtype="float64"), labels)
    before = [parameter.data().asnumpy() for parameter in net.collect_params().values()]
    net[0].weight.set_data(net[0].weight.data() * numpy.inf)
    before[0] = net[0].weight.data().asnumpy()
    with refusal(AssertionFailed, "diverged"):
        step(np.array(drawn(4, 6), dtype="float64"), labels)
    for parameter, was in zip(net.collect_params().values(), before, strict=True):
        numpy.testing.assert_array_equal(parameter.data().asnumpy(), was)


def test_any_batch_size_is_two_programs():
    layer = fill(nn.BatchNorm(in_channels=5), 5, "float32")
    other = fill(nn.BatchNorm(in_channels=5), 5, "float32")
    layer.hybridize()
    for n in (4, 6, 9, 5, 33):
        x = np.array(drawn(n, 5, 3, seed=n))
        for scope in (autograd.predict_mode, autograd.train_mode):
            with scope():
                numpy.testing.assert_allclose(layer(x).asnumpy(), other(x).asnumpy(), rtol=2e-4, atol=2e-5)
    numpy.testing.assert_allclose(layer.running_var.data().asnumpy(), other.running_var.data().asnumpy(), rtol=1e-5)
    assert layer.cache_info().programs <= 4


def test_short_floats_keep_long_statistics():
    net = net_with_norm("float16")
    assert net[1].gamma.dtype == net[1].running_mean.dtype == "float32"
    assert net[0].weight.dtype == "float16"
    x = np.array(drawn(9, 6), dtype="float16")
    results = []
    for active in (False, True):
        net.hybridize(active)
        with autograd.train_mode():
            hz.random.seed(1)
            results.append(net(x))
    assert results[0].dtype == results[1].dtype == "float16"
    numpy.testing.assert_allclose(results[1].asnumpy(), results[0].asnumpy(), rtol=5e-3, atol=5e-3)


# ------------------------------------------------------------------------------------------------------------- files


def trained():
    net = net_with_norm("float32")
    step = stepping(net)
    for number in range(3):
        step(np.array(drawn(16, 6, seed=number)), np.array(numpy.arange(16) % 3))
    return net


def test_parameters_are_saved_under_mxnets_names(tmp_path):
    net = trained()
    net.save_parameters(str(tmp_path / "net.params"))
    names = set(read_params(tmp_path / "net.params"))
    assert {"1.gamma", "1.beta", "1.running_mean", "1.running_var"} < names
    other = net_with_norm("float32")
    other.load_parameters(str(tmp_path / "net.params"))
    x = np.array(drawn(5, 6))
    numpy.testing.assert_array_equal(other(x).asnumpy(), net(x).asnumpy())


def test_exported_as_mxnet_writes_it_and_trained_on(tmp_path):
    net = trained()
    net.hybridize()
    x = np.array(drawn(5, 6))
    expected = net(x).asnumpy()
    symbol, params = net.export(str(tmp_path / "net"), samples=[np.array(drawn(5, 6, seed=2))])
    nodes = json.loads(Path(symbol).read_text())["nodes"]
    names = [one["name"] for one in nodes if one["op"] == "null"]
    assert names == ["data", "0.weight", "1.gamma", "1.beta", "1.running_mean", "1.running_var", "4.weight", "4.bias"]
    (node,) = (one for one in nodes if one["op"] == "BatchNorm")
    assert node["attrs"] == {
        "axis": "1",
        "eps": "1e-05",
        "fix_gamma": "False",
        "momentum": "0.9",
        "use_global_stats": "False",
    }
    assert [nodes[entry[0]]["name"] for entry in node["inputs"][1:]] == [
        "1.gamma",
        "1.beta",
        "1.running_mean",
        "1.running_var",
    ]
    assert {"arg:1.gamma", "arg:1.beta", "aux:1.running_mean", "aux:1.running_var"} < set(read_params(params))
    again = SymbolBlock.imports(symbol, ["data"], params)
    numpy.testing.assert_allclose(again(x).asnumpy(), expected, rtol=1e-5, atol=1e-6)
    assert again.collect_params()["1.running_mean"].grad_req == "null"
    net.hybridize(False)
    for active in (False, True):
        again.hybridize(active)
        with autograd.train_mode():
            for block in (net, again):
                hz.random.seed(3)
                block(np.array(drawn(16, 6, seed=8)))
        for name in ("running_mean", "running_var"):
            numpy.testing.assert_allclose(
                again.collect_params()[f"1.{name}"].data().asnumpy(), getattr(net[1], name).data().asnumpy(), rtol=1e-5
            )


@pytest.mark.filterwarnings("ignore:the net computes with the sizes")  # a group is that of so many elements
@pytest.mark.parametrize("layer", [nn.GroupNorm(2), nn.InstanceNorm(scale=True), nn.LayerNorm(), nn.BatchNormReLU()])
def test_other_layers_go_through_files(layer, tmp_path):
    net = nn.HybridSequential()
    net.add(layer)
    net.initialize()
    x = np.array(drawn(3, 6, 4))
    net(x)
    for parameter in net.collect_params().values():
        parameter.set_data(np.array(numpy.random.default_rng(3).uniform(0.5, 2, parameter.shape)))
    expected = net(x).asnumpy()
    net.hybridize()
    net(x)
    symbol, params = net.export(str(tmp_path / "net"))
    again = SymbolBlock.imports(symbol, ["data"], params)
    numpy.testing.assert_allclose(again(x).asnumpy(), expected, rtol=1e-4, atol=1e-5)
    net.save(tmp_path / "net.hybridize")
    numpy.testing.assert_allclose(hz.load(tmp_path / "net.hybridize")(x).asnumpy(), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("freeze", [False, True])
def test_archives_hold_what_training_made(freeze, tmp_path):
    net = trained()
    x = np.array(drawn(5, 6))
    expected = net(x).asnumpy()
    net.hybridize(freeze=freeze)
    net(x)
    net.save(tmp_path / "net.hybridize")
    numpy.testing.assert_allclose(hz.load(tmp_path / "net.hybridize")(x).asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_a_library_holds_it_in_the_kernel_of_the_layer_before(tmp_path):
    net = trained()
    net.hybridize()
    for n in (4, 6):
        net(np.array(drawn(n, 6)))
    kernels = net.program(np.array(drawn(4, 6))).kernels
    assert len(kernels) == 2  # two products: the norm is part of the first one's store
    found = net.export(str(tmp_path / "net"), format="library", samples=[np.array(drawn(9, 6))])
    assert "as expected" in str(found)  # it was run and compared


def test_an_archive_of_both_modes_trains_on(tmp_path):
    net = trained()
    net.hybridize()
    x = np.array(drawn(6, 6))
    net(x)
    with autograd.train_mode():
        net(x)
    net.save(tmp_path / "net.hybridize")
    again = hz.load(tmp_path / "net.hybridize")
    for _ in range(2):
        results = []
        for one in (net, again):
            hz.random.seed(4)
            with autograd.train_mode():
                one(x)
            results.append(one(x).asnumpy())
        numpy.testing.assert_allclose(results[1], results[0], rtol=1e-6)


@pytest.mark.parametrize("version", ["v1_9_1_np/npnet", "v1_9_1_nd/convnet", "v2_0_0b1_np/convnet"])
def test_batch_norm_as_mxnet_wrote_it(version):
    tree = json.loads((MXNET / f"{version}-symbol.json").read_text())
    weights = {name[4:]: value for name, value in read_params(MXNET / f"{version}-0000.params").items()}
    for number, node in enumerate(tree["nodes"]):
        if node["op"] != "BatchNorm":
            continue
        inputs = [tree["nodes"][entry[0]]["name"] for entry in node["inputs"]]
        alone = [
            {"op": "null", "name": one["name"], "inputs": []} if one is not node else one for one in tree["nodes"]
        ]  # what is before it is given
        graph = parse_symbol(json.dumps({**tree, "nodes": alone, "heads": [[number, 0, 0]]}))
        assert of_graph(graph).list_auxiliary_states() == inputs[3:]
        gamma, beta, mean, var = (weights[name].reshape(-1, 1, 1).astype("f8") for name in inputs[1:])
        if node["attrs"]["fix_gamma"] in ("True", "1"):
            gamma = numpy.ones_like(gamma)
        x = drawn(2, gamma.size, 3, 4).astype("f4")
        (found,) = execute(graph, {inputs[0]: x, **weights})
        numpy.testing.assert_allclose(found, (x - mean) / numpy.sqrt(var + 1e-5) * gamma + beta, rtol=1e-4, atol=1e-4)


def test_a_file_from_before_auxiliary_states_were_written():
    tree = json.loads((MXNET / "legacy/save_000800.json").read_text())
    graph = parse_symbol(json.dumps(tree))
    assert of_graph(graph).list_auxiliary_states() == ["batchnorm0_moving_mean", "batchnorm0_moving_var"]
    block = SymbolBlock(graph, ["data"])
    assert block.collect_params()["batchnorm0_moving_var"].grad_req == "null"


# -------------------------------------------------------------------------------------------------- functions, errors


def test_functions_of_both_faces():
    x = drawn(6, 4).astype("f4")
    gamma, beta, mean, var = (drawn(4, seed=s).astype("f4") ** 2 for s in range(4))
    arrays = [np.array(one) for one in (x, gamma, beta, mean, var)]
    expected = (x - mean) / numpy.sqrt(var + 1e-3)
    numpy.testing.assert_allclose(nd.BatchNorm(*arrays).asnumpy(), expected + beta, rtol=1e-4, atol=1e-4)
    found = npx.batch_norm(*arrays, fix_gamma=False, output_mean_var=True)
    numpy.testing.assert_allclose(found[0].asnumpy(), expected * gamma + beta, rtol=1e-4, atol=1e-4)
    numpy.testing.assert_allclose(found[2].asnumpy(), 1 / numpy.sqrt(var + 1e-3), rtol=1e-5)
    with autograd.train_mode():
        nd.BatchNorm(*arrays, momentum=0.5)
    numpy.testing.assert_allclose(arrays[3].asnumpy(), 0.5 * mean + 0.5 * x.mean(0), rtol=1e-5)
    numpy.testing.assert_allclose(arrays[4].asnumpy(), 0.5 * var + 0.5 * x.var(0), rtol=1e-5)
    assert arrays[1].asnumpy().tolist() == gamma.tolist()


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("settings", [{}, {"fix_gamma": False}, {"output_mean_var": True}, {"axis": -1}])
def test_gradients_of_the_function(settings, compiled):
    x, rest = drawn(6, 4, 4), [drawn(4, seed=s) ** 2 for s in range(4)]
    arrays = [np.array(one, dtype="float64") for one in (x, *rest)]
    for one in arrays[:3]:
        one.attach_grad()

    def loss(*arrays):
        found = npx.batch_norm(*arrays, **settings)
        if not isinstance(found, tuple):
            return (found**3).sum()
        y, mean, inverse = found  # through the last two no gradient passes
        return (y**3).sum() + (mean - mean.detach()).sum() + (inverse - inverse.detach()).sum()

    def with_gradients():
        with autograd.record():
            value = (hybridize(loss) if compiled else loss)(*arrays)
        value.backward()

    with_gradients()
    for one in arrays[:3]:
        step = numpy.random.default_rng(5).normal(size=one.shape) * 1e-5
        before = one.asnumpy()
        ends = []
        for sign in (1, -1):
            one[...] = np.array(before + sign * step, dtype="float64")
            with autograd.train_mode():
                ends.append(float(loss(*arrays)))
        one[...] = np.array(before, dtype="float64")
        assert (ends[0] - ends[1]) / 2 == pytest.approx(float((one.grad.asnumpy() * step).sum()), rel=1e-5, abs=1e-9)


def test_a_block_of_mxnet_1_finds_the_shapes():
    class Old(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            for name in ("gamma", "beta", "moving_mean", "moving_var"):
                kind = "null" if "moving" in name else "write"
                start = "ones" if name in ("gamma", "moving_var") else "zeros"
                parameter = self.params.get(name, shape=(0,), init=start, grad_req=kind, allow_deferred_init=True)
                setattr(self, name, parameter)

        def hybrid_forward(self, F, x, gamma, beta, moving_mean, moving_var):
            return F.BatchNorm(x, gamma, beta, moving_mean, moving_var, fix_gamma=False)

    x = np.array(drawn(6, 4, 3))
    for active in (False, True):
        net = Old()
        net.initialize()
        net.hybridize(active)
        with autograd.record():
            y = net(x)
        numpy.testing.assert_allclose(y.asnumpy().mean((0, 2)), numpy.zeros(4), atol=1e-5)
        numpy.testing.assert_allclose(net.moving_mean.data().asnumpy(), 0.1 * x.asnumpy().mean((0, 2)), rtol=1e-5)


LAYERS = {
    "group": (nn.GroupNorm(num_groups=3), lambda: torch.nn.GroupNorm(3, 6, dtype=torch.float64)),
    "instance": (nn.InstanceNorm(scale=True), lambda: torch.nn.InstanceNorm1d(6, affine=True, dtype=torch.float64)),
    "layer": (nn.LayerNorm(), lambda: torch.nn.LayerNorm(4, dtype=torch.float64)),
}


@pytest.mark.parametrize("compiled", [False, True], ids=["imperatively", "hybridized"])
@pytest.mark.parametrize("name", LAYERS)
def test_other_layers_as_in_pytorch(name, compiled):
    layer, make = LAYERS[name]
    other = make()
    layer.cast("float64")
    layer.initialize(force_reinit=True)
    layer.hybridize(compiled)
    x = drawn(5, 6, 4)
    ours, theirs = np.array(x, dtype="float64"), torch.tensor(x, requires_grad=True)
    layer(ours)
    rng = numpy.random.default_rng(7)
    for mine, its in ((layer.gamma, other.weight), (layer.beta, other.bias)):
        values = rng.normal(size=its.shape)
        mine.set_data(np.array(values, dtype="float64"))
        its.data = torch.tensor(values)
    ours.attach_grad()
    with autograd.record():
        y = (layer(ours) ** 3).sum()
    y.backward()
    (other(theirs) ** 3).sum().backward()
    numpy.testing.assert_allclose(layer(ours).asnumpy(), other(theirs).detach(), rtol=1e-9, atol=1e-10)
    numpy.testing.assert_allclose(ours.grad.asnumpy(), theirs.grad, rtol=1e-8, atol=1e-8)
    numpy.testing.assert_allclose(layer.gamma.grad().asnumpy(), other.weight.grad, rtol=1e-8)


def test_instance_norm_along_another_axis():
    x = np.array(drawn(3, 4, 5, 6))
    layer, last = nn.InstanceNorm(), nn.InstanceNorm(axis=-1)
    layer.initialize()
    last.initialize()
    assert layer.gamma.grad_req == "null"
    numpy.testing.assert_allclose(
        last(np.moveaxis(x, 1, -1)).asnumpy(), numpy.moveaxis(layer(x).asnumpy(), 1, -1), rtol=1e-4, atol=1e-5
    )


def test_what_does_not_fit_is_said():
    layer = nn.BatchNorm()
    layer.initialize()
    with pytest.raises(OutOfBoundsError, match=r"E111.*BatchNorm: axis 1 is out of bounds for an array of 1 axes"):
        layer(np.ones(3))
    layer(np.ones((2, 3)))
    with pytest.raises(ShapeError, match=r"E136.*batch_norm of f32\[2,4\], axis 1"):
        layer(np.ones((2, 4)))
    before = layer.running_var.data().asnumpy()
    with autograd.train_mode(), pytest.raises(ShapeError, match="an empty batch has no mean"):
        layer(np.ones((0, 3)))
    assert (layer.running_var.data().asnumpy() == before).all()
    assert layer(np.ones((0, 3))).shape == (0, 3)
    with pytest.raises(ArgumentError, match=r"E331.*num_devices=2"):
        nn.SyncBatchNorm(num_devices=2)
    assert repr(gluon.contrib.nn.SyncBatchNorm(3)).startswith("SyncBatchNorm(axis=1, eps=1e-05, momentum=0.9")
    for wrong in ({"momentum": 1.5}, {"epsilon": 0}):
        with pytest.raises(ArgumentError, match="E331"):
            nn.BatchNorm(**wrong)
    ones = numpy.ones(3)
    with autograd.train_mode(), pytest.raises(ArgumentError, match=r"E360.*got a ndarray"):
        npx.batch_norm(np.ones((2, 3)), ones, ones, ones, ones)
    with pytest.raises(ShapeError, match=r"E136.*group_norm.* in 4 groups"):
        npx.group_norm(np.ones((2, 6, 3)), np.ones(6), np.ones(6), 4)
    with pytest.raises(ShapeError, match=r"E136.*instance_norm"):
        npx.instance_norm(np.ones((2, 6)), np.ones(6), np.ones(6))
