"""Blocks applied to symbols: they compose without weights, and compute with them what the block itself computes."""

import numpy
import pytest

import hybridize
from hybridize import autograd, gluon, nd, np, sym
from hybridize.errors import CaptureError, UntypedError
from hybridize.gluon import loss, nn, rnn
from hybridize.gluon.model_zoo import vision
from tests.samples import sampled


def array(*shape):
    return np.array(numpy.random.RandomState(sum(shape)).uniform(-1, 1, shape).astype("f4"))


def flat(value):
    return [one for part in value for one in flat(part)] if isinstance(value, (list, tuple)) else [value]


def check(block, *arrays, states=()):
    """The block of symbols: without weights, then bound with its own. It gives the numbers that the block gives."""
    names = [f"x{number}" for number in range(len(arrays))]
    begin = [sym.var(f"s{number}") for number in range(len(states))]
    one = block(*map(sym.var, names), *([begin] if begin else []))
    symbols = flat(one)
    assert all(isinstance(part, sym.Symbol) for part in symbols)
    whole = sym.Group(symbols)
    values = dict(zip(names, arrays, strict=True)) | {f"s{number}": state for number, state in enumerate(states)}
    arguments, results, statistics = whole.infer_shape(**{name: value.shape for name, value in values.items()})
    block.initialize()
    wanted = flat(block(*arrays, *([list(states)] if states else [])))
    assert results == [part.shape for part in wanted]
    parameters = {parameter.name: parameter for parameter in block.collect_params().values()}
    inferred = dict(zip(whole.list_arguments() + whole.list_auxiliary_states(), arguments + statistics, strict=True))
    assert inferred == {name: value.shape for name, value in values.items()} | {
        name: parameter.shape for name, parameter in parameters.items() if name in inferred
    }
    assert set(inferred) == {*values, *parameters}
    got = whole.eval(**values, **{name: parameter.data() for name, parameter in parameters.items()})
    for part, other in zip(got, wanted, strict=True):
        numpy.testing.assert_allclose(part.asnumpy(), other.asnumpy(), rtol=1e-4, atol=1e-5)
    check_file(whole, got, values | {name: parameter.data() for name, parameter in parameters.items()})
    block.hybridize()
    again = flat(block(*map(sym.var, names), *([begin] if begin else [])))
    assert sym.Group(again).list_inputs() == whole.list_inputs()
    assert [part.list_outputs() for part in again] == [part.list_outputs() for part in symbols]
    return whole


def check_file(whole, wanted, values):
    """What is written of an expression is MXNet's operators, and gives the same numbers; layers without any say so."""
    try:
        text = whole.tojson()
    except CaptureError as error:
        if error.code in ("E467", "E468") and any(word in str(error) for word in UNSPELLED):
            return
        raise
    again = sym.load_json(text)
    assert sorted(again.list_inputs()) == sorted(whole.list_inputs())
    for part, other in zip(again.eval(**{name: values[name] for name in again.list_inputs()}), wanted, strict=True):
        numpy.testing.assert_allclose(part.asnumpy(), other.asnumpy(), rtol=1e-5, atol=1e-6)


UNSPELLED = (
    "Conv2DLSTMCell",
    "LSTMPCell",
    "Zoneout",
    "DeformableConvolution",
    "Doubled",
    "FeedForward",
    "Loss",
    "PixelShuffle3D",
    "Positional",
    "RMSNorm",
    "ResidualCell",
)
"""Layers that are not in the table of those that are operators of MXNet's."""


def joined():
    block = nn.HybridConcatenate(axis=1)
    block.add(nn.Dense(2), nn.Dense(3))
    return block


WINDOWED = ["MaxPool", "AvgPool", "GlobalAvgPool", "GlobalMaxPool"]
LAYERS = {
    "dense": (lambda: nn.Dense(3, activation="tanh"), (2, 4)),
    "dense_last": (lambda: nn.Dense(3, flatten=False, use_bias=False), (2, 4, 5)),
    "dropout": (lambda: nn.Dropout(0.5), (2, 4)), "flatten": (nn.Flatten, (2, 3, 4)), "identity": (nn.Identity, (2, 3)),
    "lambda": (lambda: nn.HybridLambda(lambda F, x: F.relu(x)), (2, 3)), "named": (lambda: nn.HybridLambda("tanh"), (2, 3)),
    "batch_norm": (nn.BatchNorm, (2, 3, 4, 4)), "batch_norm_relu": (nn.BatchNormReLU, (2, 3, 4, 4)),
    "sync_batch_norm": (nn.SyncBatchNorm, (2, 3, 4, 4)), "layer_norm": (nn.LayerNorm, (2, 3)),
    "group_norm": (lambda: nn.GroupNorm(2), (2, 4, 3)), "instance_norm": (nn.InstanceNorm, (2, 3, 4)),
    "rms_norm": (nn.RMSNorm, (2, 3)), "conv1": (lambda: nn.Conv1D(4, 3), (1, 2, 8)),
    "conv2": (lambda: nn.Conv2D(4, 3, activation="relu", groups=2), (1, 2, 8, 8)),
    "conv3": (lambda: nn.Conv3D(2, 2), (1, 2, 4, 4, 4)), "turned1": (lambda: nn.Conv1DTranspose(4, 3), (1, 2, 8)),
    "turned2": (lambda: nn.Conv2DTranspose(4, 3, strides=2, output_padding=1), (1, 2, 4, 4)),
    "turned3": (lambda: nn.Conv3DTranspose(2, 2), (1, 2, 3, 3, 3)),
    **{f"{kind}{axes}": (getattr(nn, f"{kind}{axes}D"), (1, 2, *[6] * axes)) for kind in WINDOWED for axes in (1, 2, 3)},
    "pad": (lambda: nn.ReflectionPad2D(1), (1, 2, 4, 4)), "shuffle1": (lambda: nn.PixelShuffle1D(2), (1, 4, 3)),
    "shuffle2": (lambda: nn.PixelShuffle2D(2), (1, 4, 3, 3)), "shuffle3": (lambda: nn.PixelShuffle3D(2), (1, 8, 2, 2, 2)),
    **{name: (getattr(nn, name), (2, 3)) for name in ("ELU", "GELU", "SELU", "PReLU", "SiLU", "Swish")},
    "leaky": (lambda: nn.LeakyReLU(0.1), (2, 3)), "activation": (lambda: nn.Activation("softrelu"), (2, 3)),
    "deformable": (lambda: nn.DeformableConvolution(4, 3), (1, 2, 6, 6)),
    "modulated": (lambda: nn.ModulatedDeformableConvolution(4, 3), (1, 2, 6, 6)), "joined": (joined, (2, 4)),
    "feed_forward": (lambda: nn.FeedForward(4, 8), (2, 3, 4)), "positions": (lambda: nn.PositionalEncoding(4), (2, 3, 4)),
    "lstm": (lambda: rnn.LSTM(3), (2, 2, 4)), "gru": (lambda: rnn.GRU(3, 2, bidirectional=True), (2, 2, 4)),
    "rnn": (lambda: rnn.RNN(3, layout="NTC"), (2, 2, 4)),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYERS)
def test_layers_compose(name):
    make, shape = LAYERS[name]
    check(make(), array(*shape))


def test_embeddings_compose():
    check(nn.Embedding(7, 3), np.array([[1, 2], [3, 4]], dtype="int32"))


def stacked():
    cell = rnn.HybridSequentialRNNCell()
    cell.add(rnn.LSTMCell(3), rnn.ResidualCell(rnn.GRUCell(3)))
    return cell


@pytest.mark.parametrize(
    ("make", "x", "states"),
    [
        (lambda: rnn.RNNCell(3), (2, 4), [(2, 3)]), (lambda: rnn.LSTMCell(3), (2, 4), [(2, 3)] * 2),
        (lambda: rnn.GRUCell(3), (2, 4), [(2, 3)]), (lambda: rnn.LSTMPCell(3, 2), (2, 4), [(2, 2), (2, 3)]),
        (lambda: rnn.Conv2DLSTMCell((2, 6, 6), 3, 3, 3, i2h_pad=1), (1, 2, 6, 6), [(1, 3, 6, 6)] * 2),
        (stacked, (2, 4), [(2, 3)] * 3), (lambda: rnn.ZoneoutCell(rnn.LSTMCell(3), 0.1, 0.1), (2, 4), [(2, 3)] * 2),
        (lambda: rnn.LSTM(3), (2, 2, 4), [(1, 2, 3)] * 2), (lambda: rnn.GRU(3, layout="NTC"), (2, 2, 4), [(1, 2, 3)]),
    ],
)  # fmt: skip
def test_cells_and_layers_compose_with_states(make, x, states):
    check(make(), array(*x), states=[array(*shape) for shape in states])


LOSSES = ["L2Loss", "L1Loss", "SoftmaxCELoss", "SigmoidBCELoss", "HuberLoss", "KLDivLoss", "HingeLoss", "LogisticLoss"]


@pytest.mark.parametrize("name", LOSSES)
def test_losses_compose(name):
    check(getattr(loss, name)(), array(2, 3), np.array([1, 2]) if "Softmax" in name else array(3, 2).T)


LONGER = {
    "resnet18_v2": 64, "mobilenet_v2_0_25": 32, "mobilenet0_25": 64, "squeezenet1_1": 224, "densenet121": 224,
    "vgg11_bn": 64, "alexnet": 224, "inception_v3": 299,
}  # fmt: skip
NETS = [("resnet18_v1", 32), *(pytest.param(*net, marks=pytest.mark.long) for net in LONGER.items())]


@pytest.mark.parametrize(("name", "size"), NETS)
def test_nets_of_the_zoo_compose(name, size):
    check(getattr(vision, name)(classes=7), array(1, 3, size, size))


class Net(gluon.HybridBlock):
    """As MXNet 1's users write them: parameters of its own, functions of `F`, several results."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.inner = nn.Dense(4, activation="relu")
            self.scale = self.params.get("scale", shape=(4,), init="ones")

    def hybrid_forward(self, F, x, scale):
        assert F is (hybridize.nd if isinstance(x, hybridize.nd.NDArray) else hybridize.sym)
        y = F.Activation(self.inner(x), act_type="relu")
        return F.broadcast_mul(y, scale), [F.concat(y, x, dim=1)]


class Newer(gluon.HybridBlock):
    """As MXNet 2's users write them."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Dense(4)
        self.scale = gluon.Parameter("scale", shape=(4,))

    def forward(self, x):
        return np.tanh(self.inner(x)) * self.scale.data()


class Shared(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(4, in_units=4)
        self.second = nn.Dense(4, params=self.first.params)

    def hybrid_forward(self, F, x):
        return self.second(self.first(x))


@pytest.mark.parametrize("kind", [Net, Newer, Shared])
def test_blocks_of_users_compose(kind):
    check(kind(), array(2, 4))


def test_names_are_mxnets():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.MaxPool2D(), nn.Flatten(), Net(), nn.Dense(2))
        net[4].hybrid_forward = lambda F, x, scale: F.Activation(F.Activation(x, act_type="relu"), act_type="relu")
    y = net(sym.var("data"))
    assert y.list_arguments() == [
        "data", "net_conv0_weight", "net_conv0_bias", "net_batchnorm0_gamma", "net_batchnorm0_beta", "net_dense0_weight",
        "net_dense0_bias",
    ]  # fmt: skip
    assert y.list_auxiliary_states() == ["net_batchnorm0_running_mean", "net_batchnorm0_running_var"]
    assert [name for name in y.get_internals().list_outputs() if name.endswith("_output")] == [
        "net_conv0_fwd_output", "net_conv0_relu_fwd_output", "net_batchnorm0_fwd_output", "net_pool0_fwd_output",
        "net_flatten0_flatten0_output", "net_net0_activation0_output", "net_net0_activation1_output",
        "net_dense0_fwd_output",
    ]  # fmt: skip


def test_a_feature_extractor_shares_the_parameters():
    """What GluonCV does: results from within a net, as a block with its parameters, initialized before or after."""
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.Dense(2))
    inside = net(sym.var("data")).get_internals()
    names = ["net_conv0_relu_fwd_output", "net_dense0_fwd_output"]
    features = gluon.SymbolBlock([inside[name] for name in names], sym.var("data"), params=net.collect_params())
    net.initialize()
    x = array(2, 3, 8, 8)
    first, last = features(x)
    assert first.shape == (2, 4, 6, 6)
    assert {id(one) for one in features.collect_params().values()} == {id(one) for one in net.collect_params().values()}
    numpy.testing.assert_allclose(last.asnumpy(), net(x).asnumpy(), rtol=1e-5, atol=1e-6)
    features.hybridize()
    trainer = gluon.Trainer(features.collect_params(), "sgd", {"learning_rate": 0.1})
    before = net[1].running_mean.data().asnumpy()
    for _ in range(2):
        with autograd.record():
            value = (features(x)[1] ** 2).sum()
        value.backward()
        trainer.step(1)
    assert not numpy.allclose(net[1].running_mean.data().asnumpy(), before)  # a batch moved it
    numpy.testing.assert_allclose(features(x)[1].asnumpy(), net(x).asnumpy(), rtol=1e-4, atol=1e-5)
    again = features(sym.var("other"))
    assert [one.list_arguments()[0] for one in again] == ["other"] * 2


def test_hooks_get_symbols():
    layer, seen = nn.Dense(2), []
    layer.register_forward_pre_hook(lambda block, args: seen.append(args[0].name))
    layer.register_forward_hook(lambda block, args, result: seen.append(result.name))
    layer(sym.var("data"))
    assert seen == ["data", f"{layer.prefix}fwd"]


def sequence():
    cell = rnn.SequentialRNNCell()
    cell.add(rnn.GRUCell(4, input_size=3), rnn.DropoutCell(0.3), rnn.ResidualCell(rnn.RNNCell(4, input_size=4)))
    return cell


CELLS = {
    "rnn": lambda: rnn.RNNCell(4, input_size=3), "lstm": lambda: rnn.LSTMCell(4, input_size=3),
    "gru": lambda: rnn.GRUCell(4, input_size=3), "zoneout": lambda: rnn.ZoneoutCell(rnn.RNNCell(4, input_size=3), 0.2),
    "sequence": sequence,
}  # fmt: skip


@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize("layout", ["NTC", "TNC"])
@pytest.mark.parametrize("name", sampled(CELLS, 2))
def test_cells_unroll_symbols(name, layout, steps):
    cell = CELLS[name]()
    cell.initialize()
    x = array(2, steps, 3) if layout == "NTC" else array(steps, 2, 3)
    weights = {parameter.name: parameter.data() for parameter in cell.collect_params().values()}
    apart = [x[:, k] if layout == "NTC" else x[k] for k in range(steps)]
    ends = np.array([1, steps])
    for inputs, values in (
        (sym.var("x"), {"x": x}),
        ([sym.var(f"x{k}") for k in range(steps)], {f"x{k}": one for k, one in enumerate(apart)}),
    ):
        for merge, lengths in ((True, None), (False, None), (True, ends), (None, ends)):
            more = {} if lengths is None else {"valid_length": sym.var("ends")}
            outputs, states = cell.unroll(steps, inputs, layout=layout, merge_outputs=merge, **more)
            wanted = cell.unroll(steps, x, layout=layout, merge_outputs=merge, valid_length=lengths)
            assert isinstance(outputs, list) == isinstance(wanted[0], list)
            whole = sym.Group([*flat(outputs), *states])
            assert whole.infer_shape(
                **{key: one.shape for key, one in (values | ({} if lengths is None else {"ends": ends})).items()}
            )[1] == [one.shape for one in flat(list(wanted))]
            everything = values | weights | ({} if lengths is None else {"ends": ends})
            found = whole.eval(**everything)
            check_file(whole, found, everything)
            for one, other in zip(found, flat(list(wanted)), strict=True):
                numpy.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-5, atol=1e-6)


def test_symbols_are_unrolled_over_a_number_of_steps():
    cell = rnn.LSTMCell(4, input_size=3)
    outputs, states = cell.unroll(2, sym.var("x"), [sym.var("h"), sym.var("c")], merge_outputs=True)
    assert {"x", "h", "c"} <= set(sym.Group([outputs, *states]).list_arguments())
    with pytest.raises(TypeError, match=r"E331.*length=None"):
        cell.unroll(None, sym.var("x"))
    with pytest.raises(TypeError, match=r"E331.*of 1 steps"):
        cell.unroll(2, [sym.var("x")])


def test_what_has_no_values_is_said():
    class Sized(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return x.reshape((x.shape[0], -1))

    with pytest.raises(UntypedError, match=r"E453.*no shape before it is compiled"):
        Sized()(sym.var("data"))
    with pytest.raises(CaptureError, match=r"E468.*is the layer RMSNorm(.|\n)*net.export"):
        nn.RMSNorm()(sym.var("data")).tojson()
    assert nd.ones(2).shape == (2,)


def test_a_layer_with_another_forward_composes():
    class Doubled(nn.Dense):
        def forward(self, x):
            return super().forward(x) * 2

    check(Doubled(3), array(2, 4))


def test_an_operator_takes_an_initializer_among_its_attributes():
    """As GluonCV's feature expanders give them; MXNet's files have it as JSON."""
    y = sym.Convolution(sym.var("x"), kernel=(3, 3), num_filter=2, attr={"__init__": hybridize.init.Xavier()})
    assert y.attr("__init__").startswith('["xavier"')
    with pytest.raises(hybridize.errors.ArgumentError, match="must be a string, got 3"):
        sym.relu(sym.var("x"), attr={"a": 3})
