"""Blocks as they are imperatively: members, names, calls, hooks, tables."""

import re
import warnings

import numpy
import pytest

from hybridize import gluon, init
from hybridize.array import np, npx
from hybridize.base.errors import ArgumentError, HybridizeError, ShapeError, StateError
from hybridize.gluon import Block, Constant, HybridBlock, Parameter, nn
from tests.refusals import refusal


class Net(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.body = nn.HybridSequential()
            with self.body.name_scope():
                self.body.add(nn.Dense(4, activation="relu"), nn.Dense(3))
            self.scale = self.params.get("scale", shape=(3,), init="ones")
        self.shift = Parameter("shift", shape=(1,), init="zeros")

    def forward(self, x):
        return self.body(x) * self.scale.data() + self.shift.data()


def test_paths_and_names():
    net = Net(prefix="net_")
    params = net.collect_params()
    assert list(net._collect_params_with_prefix()) == [
        "scale",
        "shift",
        "body.0.weight",
        "body.0.bias",
        "body.1.weight",
        "body.1.bias",
    ]
    names = [parameter.name for parameter in params.values()]
    assert list(params) == names, "it has a scope of names, so the keys are names"
    assert {"net_scale", "net_shift", "net_hybridsequential0_dense1_bias"} <= set(names)
    assert params["body.0.weight"] is params["net_hybridsequential0_dense0_weight"]
    assert net.body[0].act.prefix == "net_hybridsequential0_dense0_relu_"
    assert Net(prefix="net_").collect_params().keys() == params.keys(), "names do not depend on what was built before"


def test_global_counters_outside_of_scopes():
    first, second = nn.Dense(1), nn.Dense(1)
    assert int(second.name.removeprefix("dense")) == int(first.name.removeprefix("dense")) + 1
    assert nn.Dense(1, prefix="mine_").weight.name == "mine_weight"


def test_deferred_shapes_come_from_the_first_call():
    net = Net()
    net.initialize()
    with pytest.raises(StateError, match="first call"):
        net.body[0].weight.data()
    assert net(np.ones((2, 5))).shape == (2, 3)
    assert net.body[0].weight.shape == (4, 5)
    with pytest.raises(ShapeError, match="5"):
        net(np.ones((2, 6)))


def test_uninitialized_nets_say_what_to_do():
    with pytest.raises(StateError, match=r"dense\d+_weight' has not been initialized(\n|.)*net.initialize\(\)"):
        nn.Dense(2, in_units=2)(np.ones((1, 2)))


def test_printed_as_in_mxnet():
    net = nn.HybridSequential()
    net.add(nn.Dense(4, in_units=3), nn.Dense(2, activation="relu"), nn.Dropout(0.5), nn.Flatten(), nn.LayerNorm())
    net.add(
        nn.Activation("tanh"), nn.LeakyReLU(0.1), nn.Embedding(7, 2), nn.HybridSequential(), nn.HybridLambda("tanh")
    )
    assert repr(net) == (
        "HybridSequential(\n  (0): Dense(3 -> 4, linear)\n  (1): Dense(None -> 2, Activation(relu))\n"
        "  (2): Dropout(p = 0.5, axes=())\n  (3): Flatten\n"
        "  (4): LayerNorm(eps=1e-05, axis=-1, center=True, scale=True, in_channels=-1)\n"
        "  (5): Activation(tanh)\n  (6): LeakyReLU(0.1)\n  (7): Embedding(7 -> 2, float32)\n"
        "  (8): HybridSequential(\n  \n  )\n  (9): HybridLambda(tanh)\n)"
    )


def test_containers_count_slice_and_thread_tuples():
    net = nn.HybridSequential()
    net.add(nn.Dense(4), nn.Dense(3), nn.Dense(2))
    net.initialize()
    x = np.ones((1, 5))
    net(x)
    assert len(net) == 3
    assert [type(block) for block in net] == [nn.Dense] * 3
    assert net[-1] is net[2]
    head = net[:2]
    assert isinstance(head, nn.HybridSequential)
    numpy.testing.assert_array_equal(net[2](head(x)).asnumpy(), net(x).asnumpy())

    class Two(HybridBlock):
        def forward(self, x, y=1):
            return x + y, y + 1

    chain = nn.HybridSequential()
    chain.add(Two(), Two())
    result = chain(x)
    assert isinstance(result, tuple)
    numpy.testing.assert_array_equal(result[0].asnumpy(), 4 * numpy.ones((1, 5)))


def test_only_hybrid_blocks_in_hybrid_blocks():
    with pytest.raises(
        ArgumentError, match=r"children of HybridBlock must also be HybridBlock.*Block(\n|.)*HybridSequential"
    ):
        nn.HybridSequential().add(Block())
    with pytest.raises(ArgumentError, match="HybridBlock"):
        Net().extra = nn.Lambda(lambda x: x)


def test_attributes_keep_their_kind():
    net = Net()
    with pytest.raises(
        ArgumentError, match="changing attribute type for body from HybridSequential to int is not allowed"
    ):
        net.body = 3
    net.body = nn.Dense(3)
    assert "body.weight" in net.collect_params()
    del net.body
    assert "body.weight" not in net.collect_params()

    class Early(Block):
        def __init__(self):
            self.layer = nn.Dense(1)

    with pytest.raises(StateError, match=r"before super\(\).__init__"):
        Early()


def test_blocks_hidden_in_lists_are_warned_of():
    net = Net()
    net.layers = [nn.Dense(2)]
    with pytest.warns(UserWarning, match=r'"Net.layers" is an unregistered container with Blocks'):
        net.collect_params()
    net.register_child(net.layers[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert net.layers[0].weight in net.collect_params().values()


def test_hooks_run_until_detached():
    net, seen = nn.Dense(2, in_units=3), []
    net.initialize()
    before = net.register_forward_pre_hook(lambda block, inputs: seen.append(("before", inputs[0].shape)))
    with net.register_forward_hook(lambda block, inputs, outputs: seen.append(("after", outputs.shape))):
        net(np.ones((1, 3)))
    before.detach()
    net(np.ones((1, 3)))
    assert seen == [("before", (1, 3)), ("after", (1, 2))]


def test_apply_visits_children_first():
    seen = []
    net = Net()
    assert net.apply(lambda block: seen.append(type(block).__name__)) is net
    assert seen == ["Activation", "Dense", "Dense", "HybridSequential", "Net"]


def test_shared_parameters_are_one():
    first = nn.Dense(3, in_units=3)
    second = nn.Dense(3, in_units=3, params=first.params)
    assert second.weight is first.weight
    third = nn.Dense(3, in_units=3)
    third.share_parameters(first.collect_params())
    assert third.weight is first.weight
    with pytest.warns(UserWarning, match="nothing is not in the current model"):
        third.share_parameters({"nothing": first.weight})
    net = nn.HybridSequential()
    net.add(first, third)
    net.initialize()
    first.weight.set_data(np.ones((3, 3)))
    assert (third.weight.data().asnumpy() == 1).all()


def test_cast_reaches_all():
    net = Net()
    net.initialize()
    net.cast("float64")
    assert net(np.ones((1, 2), dtype="float64")).dtype == numpy.float64
    assert all(parameter.dtype == numpy.float64 for parameter in net.collect_params().values())


def test_summary_counts(capsys):
    net = Net()
    net.initialize()
    net.summary(np.ones((2, 5)))
    text = capsys.readouterr().out
    assert re.search(r"Dense-2 +\(2, 3\) +15 ", text)
    assert "Total params: 43" in text
    assert "Trainable params: 43" in text


@pytest.mark.filterwarnings("ignore:All children of this Sequential")
@pytest.mark.parametrize("kind", [nn.Sequential, nn.HybridSequential])
def test_summary_of_a_hybridized_net_is_the_same_and_keeps_its_programs(kind, capsys):
    net = kind()
    net.add(Net(), nn.BatchNorm(), nn.Dense(2))
    net.initialize()
    x = np.ones((2, 5))
    expected = net(x)
    net.summary(x)
    imperatively = capsys.readouterr().out
    assert imperatively.count("BatchNorm-1") == 1
    net.hybridize()
    net(x)
    blocks = [block for block in (net, *net) if getattr(block, "active", False)]
    captures = [block.cache_info().captures for block in blocks]
    assert sum(captures) == (1 if kind is nn.HybridSequential else 3)
    net.summary(x)
    assert capsys.readouterr().out == imperatively
    numpy.testing.assert_allclose(net(x).asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)
    assert [block.cache_info().captures for block in blocks] == captures


def test_hybrid_forward_gets_functions_and_parameters():
    class Old(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.weight = self.params.get("weight", shape=(3, 0), allow_deferred_init=True, init="ones")
                self.offset = Constant("offset", [10.0])

        def hybrid_forward(self, F, x, weight, offset):
            return F.FullyConnected(x, weight, no_bias=True, num_hidden=3) + offset

    net = Old()
    net.initialize()
    assert (net(np.ones((2, 4))).asnumpy() == 14).all()
    assert net.weight.shape == (3, 4)


@pytest.mark.parametrize(
    ("shape", "use", "expected"),
    [
        ((0, 2), lambda F, x, w: F.np.dot(x, w), (4, 2)),
        ((1, 0), lambda F, x, w: F.broadcast_mul(x, w), (1, 4)),
        ((0,), lambda F, x, w: w * x, (4,)),
        ((0,), lambda F, x, w: F.LayerNorm(x, w, w), (4,)),
        ((0,), lambda F, x, w: x + w, (4,)),
    ],
)
def test_first_uses_tell_shapes(shape, use, expected):
    class Old(HybridBlock):
        def __init__(self):
            super().__init__()
            self.w = self.params.get("w", shape=shape, allow_deferred_init=True, init="ones")

        def hybrid_forward(self, F, x, w):
            return use(F, x, w)

    net = Old()
    net.initialize()
    net(np.ones((2, 4)))
    assert net.w.shape == expected


def test_first_uses_that_tell_nothing_say_so():
    class Old(HybridBlock):
        def __init__(self):
            super().__init__()
            self.w = self.params.get("w", shape=(0,), allow_deferred_init=True, init="ones")

        def hybrid_forward(self, F, x, w):
            return F.np.exp(w)

    net = Old()
    net.initialize()
    with pytest.raises(StateError, match=r"cannot be inferred(\n|.)*infer_shape"):
        net(np.ones((2, 4)))


def test_a_block_without_forward_says_so():
    with pytest.raises(ArgumentError, match="Empty has no forward"):
        type("Empty", (HybridBlock,), {})()(np.ones(1))


@pytest.mark.parametrize(
    ("layer", "expected"),
    [
        (nn.Activation("sigmoid"), lambda x: 1 / (1 + numpy.exp(-x))),
        (nn.LeakyReLU(0.1), lambda x: numpy.where(x > 0, x, 0.1 * x)),
        (nn.ELU(2.0), lambda x: numpy.where(x > 0, x, 2 * numpy.expm1(x))),
        (nn.PReLU(), lambda x: numpy.where(x > 0, x, 0.25 * x)),
        (nn.SELU(), lambda x: 1.0507009873554805 * numpy.where(x > 0, x, 1.6732632423543772 * numpy.expm1(x))),
        (nn.GELU("tanh"), lambda x: 0.5 * x * (1 + numpy.tanh((2 / numpy.pi) ** 0.5 * (x + 0.044715 * x**3)))),
        (nn.Swish(), lambda x: x / (1 + numpy.exp(-x))),
        (nn.SiLU(), lambda x: x / (1 + numpy.exp(-x))),
        (nn.Identity(), lambda x: x),
        (nn.HybridLambda(lambda x: x * 2), lambda x: 2 * x),
        (nn.HybridLambda(lambda F, x: F.relu(x)), lambda x: x.clip(0)),
        (nn.Lambda("tanh"), numpy.tanh),
        (nn.Dropout(0.5), lambda x: x),
        (nn.Flatten(), lambda x: x.reshape(2, 6)),
        (nn.LayerNorm(), lambda x: (x - x.mean(-1, keepdims=True)) / numpy.sqrt(x.var(-1, keepdims=True) + 1e-5)),
        (nn.LayerNorm(axis=1), lambda x: (x - x.mean(1, keepdims=True)) / numpy.sqrt(x.var(1, keepdims=True) + 1e-5)),
    ],
)
def test_small_layers(layer, expected):
    x = numpy.linspace(-3, 2, 12, dtype="f4").reshape(2, 3, 2)
    layer.initialize()
    numpy.testing.assert_allclose(layer(np.array(x)).asnumpy(), expected(x), rtol=1e-4, atol=1e-5)


def test_dense_flattens_or_not():
    x = np.ones((2, 3, 4))
    flat, last = nn.Dense(5), nn.Dense(5, flatten=False, use_bias=False)
    for layer, shape, weight in ((flat, (2, 5), (5, 12)), (last, (2, 3, 5), (5, 4))):
        layer.initialize()
        assert layer(x).shape == shape
        assert layer.weight.shape == weight
    assert last.bias is None
    with refusal(ArgumentError, "nonsense"):
        nn.Dense(2, activation="nonsense")


def test_embedding_looks_up():
    layer = nn.Embedding(5, 3)
    layer.initialize()
    numpy.testing.assert_array_equal(
        layer(np.array([[0, 4]], dtype="int32")).asnumpy(), layer.weight.data().asnumpy()[[[0, 4]]]
    )


def test_blocks_side_by_side():
    net = nn.HybridConcurrent(axis=1)
    net.add(nn.Dense(3), nn.Identity(), nn.HybridLambda(lambda x: npx.relu(x)))
    net.initialize()
    assert net(np.ones((2, 7))).shape == (2, 17)
    assert isinstance(net, nn.HybridConcatenate)
    assert issubclass(nn.Concurrent, Block)
    assert not issubclass(nn.Concurrent, HybridBlock)


def _arguments():
    return [[[1.0, 2.0]], (1.0, 2.0), 3.0, "text", {"x": 1}]


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("layer", [lambda: nn.Dense(2), lambda: nn.BatchNorm(), lambda: nn.LayerNorm()])
def test_a_layer_that_is_given_no_array_says_so(layer, hybridized):
    for wrong in _arguments():
        block = layer()
        block.initialize()
        if hybridized:
            block.hybridize()
        with pytest.raises(HybridizeError, match=r"E\d\d\d"):
            block(wrong)
        block(np.ones((2, 3)))


def test_an_input_of_float64_is_told_of_once():
    net = nn.Dense(2)
    net.initialize()
    with pytest.warns(UserWarning, match="computed in float64"):
        assert net(numpy.ones((2, 3))).dtype == "float64"
    net.cast("float64")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert net(numpy.ones((2, 3))).dtype == "float64"
        net.cast("float32")
        assert net(np.array(numpy.ones((2, 3)))).dtype == "float32"


@pytest.mark.parametrize("name", ["w2", "pos_embedding", "a", "weight", "Query"])
@pytest.mark.parametrize("by", [None, "xavier", init.Normal(3.0), init.Constant(2.0)])
def test_a_parameter_of_any_name_is_initialized(name, by):
    class Net(HybridBlock):
        def __init__(self):
            super().__init__()
            setattr(self, name, gluon.Parameter(name, shape=(40, 30)))

        def forward(self, x):
            return x @ getattr(self, name).data()

    net = Net()
    net.initialize(by)
    values = getattr(net, name).data().asnumpy()
    if isinstance(by, init.Constant):
        assert (values == 2.0).all()
    else:
        assert values.std() > 0
        assert (values.std() > 1) == isinstance(by, init.Normal)


class _Own(HybridBlock):
    def __init__(self):
        super().__init__()
        self.w = gluon.Parameter(shape=(3, 2))
        self.v = gluon.Parameter("v", shape=(2,))

    def forward(self, x):
        return x @ self.w.data() + self.v.data()


def test_params_are_the_blocks_own_and_can_be_shared():
    for make in (_Own, lambda: nn.Dense(2, in_units=3), lambda: nn.BatchNorm(in_channels=3)):
        one, other = make(), make()
        assert {id(p) for p in one.params.values()} == {id(p) for p in one.collect_params().values()}
        for shared in (one.params, one.collect_params()):
            other = make()
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                assert other.share_parameters(shared) is other
            assert {id(p) for p in other.collect_params().values()} == {id(p) for p in one.collect_params().values()}
            assert {id(p) for p in other.params.values()} == {id(p) for p in one.params.values()}
        assert other.share_parameters(None) is other
    block = _Own()
    assert block.params["w"] is block.w
    new = gluon.Parameter("w", shape=(3, 2))
    block.w = new
    assert block.params["w"] is new
    del block.w
    assert list(block.collect_params()) == ["v"]
    assert len(block.params) == 1


def test_plain_attributes_before_the_block_is_one():
    class Early(HybridBlock):
        def __init__(self, scale, names):
            self._scale = scale
            self.names = names
            super().__init__()
            self.dense = nn.Dense(2)

        def forward(self, x):
            return self.dense(x) * self._scale

    net = Early(2.0, ["a"])
    net.initialize()
    x = np.ones((1, 3))
    first = net(x)
    net.hybridize()
    numpy.testing.assert_allclose(net(x).asnumpy(), first.asnumpy(), rtol=1e-6)
    net._scale = 4.0
    numpy.testing.assert_allclose(net(x).asnumpy(), 2 * first.asnumpy(), rtol=1e-6)

    class Wrong(HybridBlock):
        def __init__(self):
            self.dense = nn.Dense(2)
            super().__init__()

    with pytest.raises(StateError, match="E504"):
        Wrong()
