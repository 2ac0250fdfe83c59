"""Hybridized blocks: the same result, whatever is changed between the calls."""

import copy
import json

import numpy
import pytest

from hybridize import autograd
from hybridize.array import np, npx
from hybridize.base.errors import ArgumentError, CaptureError, StateError
from hybridize.capture import SavedFunction
from hybridize.formats import read_archive
from hybridize.formats.mxnet import read_params, write_params
from hybridize.gluon import Constant, HybridBlock, Parameter, SymbolBlock, nn
from tests.refusals import refusal


def get_net(*layers):
    net = nn.HybridSequential()
    net.add(*(layers or (nn.Dense(6, activation="relu"), nn.Dense(3))))
    net.initialize()
    return net


@pytest.fixture
def x():
    return np.array(numpy.random.default_rng(0).normal(size=(2, 5)).astype("f4"))


def same_after(net, change, *args):
    """Hybridize, call, change something: what is called then is what Python computes then."""
    net.hybridize()
    net(*args)
    change()
    got = net(*args)
    net.hybridize(active=False)
    expected = net(*args)
    numpy.testing.assert_allclose(got.asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)
    assert got.dtype == expected.dtype
    return got.asnumpy()


def test_every_change_of_parameters_is_seen(x):
    def changes(net):
        yield lambda: net.initialize("ones", force_reinit=True)
        yield lambda: net[0].weight.set_data(np.ones((6, 5)))
        yield lambda: net[0].weight.data().__setitem__(slice(None), 2)
        yield lambda: net[0].bias.data().__iadd__(1)
        yield lambda: net.cast("float64")
        yield lambda: net[1].share_parameters({"weight": Parameter_of(net[1])})
        yield lambda: net.load_dict({name: numpy.ones(p.shape, "f4") for name, p in net.collect_params().items()})

    def Parameter_of(layer):  # noqa: N802
        other = nn.Dense(3, in_units=6)
        other.initialize("zeros")
        return other.weight

    for number in range(7):
        net = get_net()
        net(x)
        same_after(net, list(changes(net))[number], x)


def test_every_change_of_layers_is_seen(x):
    net = get_net()
    same_after(net, lambda: setattr(net[0], "act", nn.Activation("tanh")), x)
    same_after(net, lambda: net.add(nn.Activation("sigmoid")), x)
    net = get_net(nn.Dense(3), nn.LeakyReLU(0.1))
    assert (same_after(net, lambda: setattr(net[1], "_alpha", 0.5), x) < 0).any()
    pre = get_net(nn.Dense(3), nn.Identity())
    same_after(pre, lambda: pre.register_child(nn.HybridLambda(lambda x: x * 2), "1"), x)


def test_attributes_of_own_blocks_are_guarded(x):
    class Scaled(HybridBlock):
        def __init__(self):
            super().__init__()
            self.by, self.table = 2.0, {"offset": 1.0}

        def forward(self, x):
            return x * self.by + self.table["offset"]

    net = Scaled()
    same_after(net, lambda: setattr(net, "by", 3.0), x)
    same_after(net, lambda: net.table.update(offset=5.0), x)


def test_own_attributes_that_nobody_reads_cost_nothing(x):
    class Counting(nn.HybridSequential):
        calls = 0

    net = Counting()
    net.add(nn.Dense(2))
    net.initialize()
    net.hybridize()
    for step in range(5):
        net.step = step
        net(x)
    assert net.cache_info().captures == 1
    own = nn.LeakyReLU(0.1)
    own.hybridize()
    for step in range(3):
        own._alpha = float(step)
        own(x)
    assert own.cache_info().captures == 3


def test_parameters_may_be_written_while_running(x):
    class Running(HybridBlock):
        def __init__(self):
            super().__init__()
            self.mean = Parameter("running_mean", shape=(5,), init="zeros", grad_req="null")

        def forward(self, x):
            self.mean.set_data(self.mean.data() * 0.5 + x.mean(axis=0))
            return x - self.mean.data()

    results = []
    for active in (False, True):
        net = Running()
        net.initialize()
        net.hybridize(active)
        results.append([net(x).asnumpy() for _ in range(3)] + [net.mean.data().asnumpy()])
    for got, want in zip(*results, strict=True):
        numpy.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_deferred_shapes_are_told_by_the_first_compiled_call(x):
    class Old(HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.weight = self.params.get("weight", shape=(3, 0), allow_deferred_init=True)
                self.inner = nn.Dense(4)

        def hybrid_forward(self, F, x, weight):
            return self.inner(F.FullyConnected(x, weight, no_bias=True, num_hidden=3))

    net = Old()
    net.initialize()
    net.hybridize()
    got = net(x).asnumpy()
    assert net.weight.shape == (3, 5)
    assert net.inner.weight.shape == (4, 3)
    net.hybridize(active=False)
    numpy.testing.assert_allclose(net(x).asnumpy(), got, rtol=1e-5, atol=1e-6)


def test_deferred_parameters_draw_the_same_numbers(x):
    from hybridize.array import random

    results = []
    for active in (False, True):
        random.seed(3)
        net = get_net()
        net.hybridize(active)
        results.append(net(x).asnumpy())
    numpy.testing.assert_allclose(*results, rtol=1e-5, atol=1e-6)


def test_what_mxnet_rejected_for_no_reason(x):
    class Free(HybridBlock):
        def __init__(self):
            super().__init__()
            self.table = Constant("table", [[1.0, 2, 3, 4, 5]])
            self.weight = Parameter("weight", shape=(5,), init="ones")

        def forward(self, x, *, scale=1.0, mask=None):
            y = x * scale + self.table.data()
            if mask is not None:
                y = y * mask
            return {"y": y, "pair": (y.sum(), None), "size": x.shape[0], "weight": self.weight.data()}

    net = Free()
    net.initialize()
    calls = [{}, {"scale": 2}, {"mask": np.array([0, 1, 0, 1, 0])}, {"scale": 3.5, "mask": None}]
    expected = [net(x, **call) for call in calls]
    net.hybridize()
    for _ in range(2):
        for call, want in zip(calls, expected, strict=True):
            got = net(x, **call)
            assert isinstance(got["pair"], tuple)
            assert (got["pair"][1], got["size"]) == (None, 2)
            numpy.testing.assert_allclose(got["y"].asnumpy(), want["y"].asnumpy(), rtol=1e-5)
            numpy.testing.assert_allclose(got["pair"][0].asnumpy(), want["pair"][0].asnumpy(), rtol=1e-5)


def test_hooks_of_a_compiled_block(x):
    net, seen = get_net(), []
    net.hybridize()
    net(x)
    handle = net.register_forward_hook(lambda block, inputs, output: seen.append(type(output).__name__))
    net(x)
    net(x)
    assert seen == ["ndarray", "ndarray"]
    handle.detach()
    net(x)
    assert len(seen) == 2


def test_children_are_inlined(x):
    net = get_net()
    net.hybridize()
    net(x)
    assert net.cache_info().programs == 1
    assert net[0].cache_info().programs == 0
    net[0](x)
    assert net[0].cache_info().programs == 1, "called directly, a child compiles itself"


def test_keywords(x):
    net = get_net()
    net.hybridize(static_alloc=True, static_shape=True, inline_limit=4)
    net(x)
    with refusal(ArgumentError, "static_aloc"):
        net.hybridize(static_aloc=True)
    with pytest.raises(TypeError):
        net.hybridize(nonsense=1)
    net.hybridize(backend="numpy")
    net(x)
    assert net.program(x).backend == "numpy"
    net.hybridize(verify="outputs")
    assert net(x).shape == (2, 3)
    net.hybridize(freeze=True)
    expected = net(x).asnumpy()
    numpy.testing.assert_allclose(net(x).asnumpy(), expected)


def test_compiling_ahead_tells_deferred_shapes():
    net = get_net()
    net.hybridize()
    program = net.compile((7, 5))
    assert net[0].weight.shape == (6, 5)
    assert program.fallbacks == ()
    assert net(np.ones((7, 5))).shape == (7, 3)
    assert net.cache_info().captures == 1


def test_the_cache_is_the_users(x):
    net = get_net()
    with pytest.raises(StateError, match=r"hybridize\(\)"):
        net.program(x)
    with pytest.raises(StateError):
        net.cache_info()
    net.hybridize()
    net(x)
    net.cache_clear()
    assert net.cache_info().programs == 0


def test_training_mode_is_part_of_the_key():
    net = get_net(nn.Dropout(0.5))
    net.hybridize()
    ones = np.ones((50, 50))
    assert (net(ones).asnumpy() == 1).all()
    with autograd.train_mode():
        assert (net(ones).asnumpy() == 0).any()
    assert (net(ones).asnumpy() == 1).all()


# ------------------------------------------------------------------------------------------------------------ files


def test_export_and_imports_of_several_inputs_and_outputs(x, tmp_path):
    class Several(HybridBlock):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Dense(4), nn.Dense(4)

        def forward(self, x, y):
            a, b = self.first(x), self.second(y)
            return {"sum": a + b, "parts": (npx.softmax(a), b.max(axis=1))}

    net = Several()
    net.initialize()
    net.hybridize()
    y = np.ones((2, 3))
    expected = net(x, y)
    files = net.export(tmp_path / "net", epoch=7)
    assert files == (str(tmp_path / "net-symbol.json"), str(tmp_path / "net-0007.params"))
    assert set(read_params(files[1])) == {f"arg:{name}" for name in net.collect_params()}
    again = SymbolBlock.imports(files[0], ["data0", "data1"], files[1])
    for hybridized in (False, True):
        again.hybridize(hybridized)
        got = again(x, y)
        numpy.testing.assert_allclose(got["sum"].asnumpy(), expected["sum"].asnumpy(), rtol=1e-5, atol=1e-6)
        for left, right in zip(got["parts"], expected["parts"], strict=True):
            numpy.testing.assert_allclose(left.asnumpy(), right.asnumpy(), rtol=1e-5, atol=1e-6)
    batch = np.ones((7, 5)), np.ones((7, 3))
    numpy.testing.assert_allclose(again(*batch)["sum"].asnumpy(), net(*batch)["sum"].asnumpy(), rtol=1e-5, atol=1e-6)
    other = Several()
    other.load_parameters(files[1])
    numpy.testing.assert_allclose(other(x, y)["sum"].asnumpy(), expected["sum"].asnumpy(), rtol=1e-5, atol=1e-6)


def test_an_exported_net_of_the_first_generation_has_mxnet_names(x, tmp_path):
    class Shared(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.first, self.norm = nn.Dense(5), nn.BatchNorm()
                self.second = nn.Dense(5, in_units=5, params=self.first.params)
                self.scale = self.params.get_constant("scale", [[2.0]])

        def hybrid_forward(self, F, x, scale):
            return self.second(F.broadcast_mul(self.norm(self.first(x)), scale))

    net = Shared(prefix="net_")
    net.initialize()
    net.hybridize()
    expected = net(x).asnumpy()
    files = net.export(tmp_path / "net")
    names = {"net_dense0_weight", "net_dense0_bias", "net_scale"} | {
        f"net_batchnorm0_{one}" for one in ("gamma", "beta", "running_mean", "running_var")
    }
    arrays = read_params(files[1])
    assert {one.partition(":")[2] for one in arrays} == names == set(net.collect_params())
    assert {one for one in arrays if one.startswith("aux:")} == {
        "aux:net_batchnorm0_running_mean", "aux:net_batchnorm0_running_var"
    }  # fmt: skip
    again = SymbolBlock.imports(files[0], ["data"], files[1])
    assert set(again.collect_params()) == names
    other = Shared(prefix="net_")
    other.load_parameters(files[1])
    for block in (again, other):
        numpy.testing.assert_allclose(block(x).asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_files_of_an_imported_block_have_names_without_their_common_beginning(x, tmp_path):
    """As MXNet writes them; whole names, and those of a block around it, are read, too."""
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(4), nn.Dense(2))
    net.initialize()
    net.hybridize()
    expected = net(x).asnumpy()
    symbol, params = net.export(tmp_path / "net")
    block = SymbolBlock.imports(symbol, ["data"], params)
    block.save_parameters(tmp_path / "block")
    short = {f"{layer}_{one}" for layer in (0, 1) for one in ("weight", "bias")}
    assert set(read_params(tmp_path / "block")) == short
    whole = nn.HybridSequential()
    whole.add(block)
    whole.save_parameters(tmp_path / "whole")
    assert set(read_params(tmp_path / "whole")) == {f"0.{name}" for name in short}
    write_params(tmp_path / "long", {f"net_dense{name}": one for name, one in read_params(tmp_path / "block").items()})
    for file in ("block", "long"):
        again = SymbolBlock.imports(symbol, ["data"])
        again.load_parameters(tmp_path / file)
        numpy.testing.assert_allclose(again(x).asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_an_imported_block_is_a_block(x, tmp_path):
    net = get_net()
    net.hybridize()
    net(x)
    net.export(tmp_path / "net")
    whole = get_net(nn.Identity(), nn.Dense(2))
    whole.register_child(SymbolBlock.read(tmp_path / "net"), "0")
    expected = whole(x).asnumpy()
    whole.hybridize()
    numpy.testing.assert_allclose(whole(x).asnumpy(), expected, rtol=1e-5, atol=1e-6)
    whole.export(tmp_path / "whole")
    text = json.loads((tmp_path / "whole-symbol.json").read_text())
    assert [node["op"] for node in text["nodes"]].count("FullyConnected") == 3


def test_export_says_what_it_cannot(x, tmp_path):
    net = get_net()
    for _ in range(2):
        with pytest.raises(StateError, match=r"has not been compiled yet(\n|.)*hybridize"):
            net.export(tmp_path / "net")
        net.hybridize()
    missing = get_net(nn.HybridLambda(lambda x: np.cumprod(x, axis=1)))
    missing.hybridize()
    missing(x)
    with pytest.raises(CaptureError, match=r"cum_prod has no counterpart in MXNet(\n|.)*test_hybrid.py(\n|.)*archive"):
        missing.export(tmp_path / "net")
    assert list(tmp_path.iterdir()) == []


def test_the_archive_holds_the_net_under_its_own_names(x, tmp_path):
    net = get_net()
    with pytest.raises(StateError, match="hybridize"):
        net.save(tmp_path / "net")
    net.hybridize()
    with pytest.raises(StateError, match="call the net once"):
        net.save(tmp_path / "net")
    expected = net(x)
    net.save(tmp_path / "net")
    saved = read_archive(tmp_path / "net")
    assert saved.weights.keys() == net.collect_params().keys()
    numpy.testing.assert_allclose(SavedFunction(saved)(x).asnumpy(), expected.asnumpy(), rtol=1e-6)
    other = get_net()
    other.load(tmp_path / "net")
    numpy.testing.assert_allclose(other(x).asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)
    plain = nn.Sequential()
    plain.add(*other)
    plain.save(tmp_path / "plain")
    plain.initialize("zeros", force_reinit=True)
    plain.load(tmp_path / "plain")
    numpy.testing.assert_allclose(other(x).asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("active", [False, True])
def test_copies_are_nets_of_their_own(x, active):
    net = get_net()
    net.hybridize(active, backend="numpy")
    expected = net(x).asnumpy()
    twin = copy.deepcopy(net)
    assert twin.active == active
    net.initialize("zeros", force_reinit=True)
    numpy.testing.assert_allclose(twin(x).asnumpy(), expected, rtol=1e-6)
    assert (net(x).asnumpy() == 0).all()
    if active:
        assert twin.program(x).backend == "numpy"
