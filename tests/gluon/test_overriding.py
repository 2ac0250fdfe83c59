"""Classes that override `hybrid_forward` or `forward` of a layer, a loss or a cell of ours: theirs is what runs."""

import copy
import functools
import inspect
import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import hybridize
from hybridize import autograd, nd, np
from hybridize.base.errors import ArgumentError, DeferredInitializationError, UndefinedError
from hybridize.gluon import HybridBlock, SymbolBlock, contrib, loss, nn, rnn
from hybridize.gluon.data.vision import transforms
from hybridize.gluon.probability import StochasticBlock, StochasticSequential
from hybridize.gluon.rnn.base import RecurrentCell
from tests.gluon.overriding_programs import results
from tests.refusals import refusal

ROOMS = {
    module.__name__.removeprefix("hybridize.gluon."): module
    for module in (nn, loss, rnn, contrib.nn, contrib.cnn, contrib.rnn, transforms)
}
VECTORS, IMAGES, WORDS = (2, 3, 4), (2, 4, 6, 6), (3, 2, 4)
LINE, VOLUME = (2, 4, 6), (2, 4, 4, 4, 4)
BY_RANK = {1: LINE, 2: IMAGES, 3: VOLUME}
PAIR, TRIPLE = ((2, 3), (2, 3)), ((2, 3), (2, 3), (2, 3))
BASES = {
    "Block", "HybridBlock", "SymbolBlock", "HybridLambda", "Loss", "HybridRecurrentCell", "ModifierCell",
    "BidirectionalCell", "HybridCompose", "HybridSequentialRNNCell", "ConvolutionalCell",
}  # fmt: skip
"""Classes that compute nothing by themselves, or have no step: they have tests of their own below."""


def cell(kind, *args, **kwargs):
    return lambda make: make(*args, **kwargs)


def _with_dense(make):
    net = make()
    with net.name_scope():
        net.add(nn.Dense(4, flatten=False, in_units=4))
    return net


CASES = {
    "Activation": (lambda c: c("tanh"), (VECTORS,)), "LeakyReLU": (lambda c: c(0.3), (VECTORS,)),
    "PReLU": (lambda c: c(), (VECTORS,)), "ELU": (lambda c: c(), (VECTORS,)), "SELU": (lambda c: c(), (VECTORS,)),
    "GELU": (lambda c: c(), (VECTORS,)), "Swish": (lambda c: c(), (VECTORS,)), "SiLU": (lambda c: c(), (VECTORS,)),
    "DotProductAttention": (lambda c: c(), (VECTORS, VECTORS, VECTORS)),
    "MultiHeadAttention": (lambda c: c(4, 2), (VECTORS,)), "Dense": (lambda c: c(5, "relu"), (VECTORS,)),
    "Dropout": (lambda c: c(0.5), (VECTORS,)), "Embedding": (lambda c: c(5, 3), ("words",)),
    "SparseEmbedding": (lambda c: c(5, 3), ("words",)),
    "Flatten": (lambda c: c(), (VECTORS,)), "Identity": (lambda c: c(), (VECTORS,)),
    "HybridSequential": (_with_dense, (VECTORS,)), "HybridConcatenate": (_with_dense, (VECTORS,)),
    "HybridConcurrent": (_with_dense, (VECTORS,)),
    **{f"Conv{k}D{more}": (lambda c: c(3, 3, padding=1, activation="relu"), (shape,)) for k, shape in BY_RANK.items() for more in ("", "Transpose")},
    **{f"{kind}Pool{k}D": (lambda c: c(), (shape,)) for k, shape in BY_RANK.items() for kind in ("Max", "Avg", "GlobalMax", "GlobalAvg")},
    **{f"PixelShuffle{k}D": (lambda c: c(2), ((1, 8, *shape[2:]),)) for k, shape in BY_RANK.items()},
    "DeformableConvolution": (lambda c: c(3, 3, offset_weight_initializer="uniform"), (IMAGES,)),
    "ModulatedDeformableConvolution": (lambda c: c(3, 3, offset_weight_initializer="uniform"), (IMAGES,)),
    "GLU": (lambda c: c(), (VECTORS,)), "FeedForward": (lambda c: c(6, 4), (VECTORS,)),
    "SwiGLU": (lambda c: c(6, 4), (VECTORS,)), "BatchNorm": (lambda c: c(), (IMAGES,)),
    "BatchNormReLU": (lambda c: c(), (IMAGES,)), "SyncBatchNorm": (lambda c: c(), (IMAGES,)),
    "GroupNorm": (lambda c: c(2), (IMAGES,)), "InstanceNorm": (lambda c: c(), (IMAGES,)),
    "LayerNorm": (lambda c: c(), (VECTORS,)), "RMSNorm": (lambda c: c(), (VECTORS,)),
    "LearnedPositionalEncoding": (lambda c: c(9), (VECTORS,)), "PositionalEncoding": (lambda c: c(4), (VECTORS,)),
    "RotaryEmbedding": (lambda c: c(layout="BHTD"), (VECTORS,)), "ReflectionPad2D": (lambda c: c(1), (IMAGES,)),
    "TransformerEncoderLayer": (lambda c: c(4, 2, 6, 0.0), (VECTORS,)),
    "TransformerDecoderLayer": (lambda c: c(4, 2, 6, 0.0), (VECTORS, VECTORS)),
    "TransformerEncoder": (lambda c: c(1, 4, 2, 6, 0.0), (VECTORS,)),
    "TransformerDecoder": (lambda c: c(1, 4, 2, 6, 0.0), (VECTORS, VECTORS)),
    **dict.fromkeys(
        ("HingeLoss", "KLDivLoss", "LogisticLoss", "SigmoidBCELoss", "SigmoidBinaryCrossEntropyLoss",
         "SquaredHingeLoss", "HuberLoss", "L1Loss", "L2Loss", "PoissonNLLLoss", "SDMLLoss"),
        (lambda c: c(), PAIR),
    ),
    "SoftmaxCELoss": (lambda c: c(), ((2, 3), "labels")),
    "SoftmaxCrossEntropyLoss": (lambda c: c(), ((2, 3), "labels")),
    "CosineEmbeddingLoss": (lambda c: c(), (*PAIR, "labels")), "TripletLoss": (lambda c: c(), TRIPLE),
    "CTCLoss": (lambda c: c(), ((2, 5, 4), "words")),
    "RNN": (lambda c: c(3, 2), (WORDS,)), "LSTM": (lambda c: c(3, layout="NTC"), (WORDS,)),
    "GRU": (lambda c: c(3, bidirectional=True), (WORDS,)),
    "RNNCell": (lambda c: c(4), ((2, 4), [(2, 4)])), "LSTMCell": (lambda c: c(3), ((2, 4), [(2, 3), (2, 3)])),
    "GRUCell": (lambda c: c(3), ((2, 4), [(2, 3)])), "LSTMPCell": (lambda c: c(3, 2), ((2, 4), [(2, 2), (2, 3)])),
    **{
        f"Conv{k}D{kind}Cell": (
            lambda c, shape=shape: c(shape[1:], 2, 3, 3, 1), (shape, [(2, 2, *shape[2:])] * (1 + (kind == "LSTM")))
        )
        for k, shape in BY_RANK.items() for kind in ("RNN", "LSTM", "GRU")
    },
    "DropoutCell": (lambda c: c(0.5), ((2, 4), [])),
    **{
        name: (lambda c: c(rnn.RNNCell(4, input_size=4)), ((2, 4), [(2, 4)]))
        for name in ("ResidualCell", "ZoneoutCell", "VariationalDropoutCell")
    },
    "ToTensor": (lambda c: c(), ((4, 4, 3),)), "Normalize": (lambda c: c(0.5, 2.0), ((3, 4, 4),)),
    "Cast": (lambda c: c("float64"), (VECTORS,)),
}  # fmt: skip
"""How to make a layer, and the shapes of its inputs; a list is one of states."""


def _is_layer(value):
    return inspect.isclass(value) and issubclass(value, HybridBlock)


LAYERS = {
    f"{room}.{name}": getattr(module, name)
    for room, module in ROOMS.items()
    for name in dir(module)
    if _is_layer(getattr(module, name))
    and name not in BASES
    and not (room == "data.vision.transforms" and name not in CASES)
}


def test_every_public_layer_has_a_case():
    assert {name.rpartition(".")[2] for name in LAYERS} == set(CASES)
    assert len(LAYERS) > 90


def inputs_of(name):
    random = numpy.random.default_rng(3)

    def array(shape):
        if isinstance(shape, list):
            return [array(one) for one in shape]
        if isinstance(shape, str):
            return np.array({"words": [[1, 2], [2, 0]], "labels": [1, 0]}[shape], dtype="float32")
        return np.array(random.uniform(0.1, 0.9, shape).astype("float32"))

    return [array(shape) for shape in CASES[name.rpartition(".")[2]][1]]


def made(name, kind):
    hybridize.random.seed(5)
    block = CASES[name.rpartition(".")[2]][0](kind)
    block.initialize()
    return block


def leaves(result):
    return [x for part in result for x in leaves(part)] if isinstance(result, (list, tuple)) else [result.asnumpy()]


def assert_same(result, expected):
    assert len(leaves(result)) == len(leaves(expected))
    for x, y in zip(leaves(result), leaves(expected), strict=True):
        numpy.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)


def sevens(base):
    class Sevens(base):
        def hybrid_forward(self, F, x, *args, **parameters):
            y = F.ones_like(x) * 7
            return (y, [state * 1 for state in args[0]]) if issubclass(base, RecurrentCell) else y

    return Sevens


def doubled(base):
    class Doubled(base):
        def hybrid_forward(self, F, x, *args, **parameters):
            return super().hybrid_forward(F, x, *args, **{key: value * 2 for key, value in parameters.items()})

    return Doubled


def unique(layers):
    """Layers under their first names."""
    return list({id(layer): name for name, layer in reversed(layers.items())}.values())


@pytest.mark.parametrize("name", unique(LAYERS))
def test_an_override_is_what_runs(name, tmp_path):
    block, inputs = made(name, sevens(LAYERS[name])), inputs_of(name)
    expected = inputs[0].asnumpy() * 0 + 7
    numpy.testing.assert_array_equal(leaves(block(*inputs))[0], expected)
    block.hybridize(backend="numpy")
    numpy.testing.assert_array_equal(leaves(block(*inputs))[0], expected)


def in_files(block, inputs, path):
    """The block, written as MXNet's files and read back."""
    symbol, params = block.export(path)
    flat = [x for one in inputs for x in (one if isinstance(one, list) else [one])]
    names = ["data"] if len(flat) == 1 else [f"data{k}" for k in range(len(flat))]
    return SymbolBlock.imports(symbol, names, params), flat


@pytest.mark.parametrize("name", unique(LAYERS))
def test_super_takes_any_weights(name):
    """Doubled weights give what the layer gives whose weights are doubled; none, what the layer gives."""
    base, inputs = LAYERS[name], inputs_of(name)
    plain, block = made(name, base), made(name, doubled(base))
    plain(*inputs)
    block(*inputs)
    others = block._collect_params_with_prefix()
    for path, parameter in plain._collect_params_with_prefix().items():
        others[path].set_data(parameter.data())
    for parameter in plain._parameters.values():
        parameter.set_data(parameter.data() * 2)
    expected = plain(*inputs)
    assert_same(block(*inputs), expected)
    block.hybridize(backend="numpy")
    assert_same(block(*inputs), expected)


@pytest.mark.parametrize("name", unique(LAYERS))
def test_super_takes_weights_by_position(name):
    base, inputs = LAYERS[name], inputs_of(name)
    plain = made(name, base)
    expected = plain(*inputs)
    if not plain._parameters:
        return
    forward = inspect.signature(base.forward).parameters
    if list(forward.values())[-1].default is not inspect.Parameter.empty:
        return  # further inputs would take their places
    weights = [plain._parameters[key].data() for key in plain._operands.replace("?", "").split()]
    assert_same(plain.hybrid_forward(nd, *inputs, *weights), expected)


NOT_IN_FILES = {"DropoutCell", "SigmoidBCELoss", "SigmoidBinaryCrossEntropyLoss", "LogisticLoss", "CTCLoss"}
"""Layers that files of MXNet's cannot hold, overridden or not."""


@pytest.mark.parametrize("name", [name for name in unique(LAYERS) if name.rpartition(".")[2] not in NOT_IN_FILES])
@pytest.mark.parametrize("override", [pytest.param(sevens, marks=pytest.mark.long), doubled])
def test_files_hold_the_override(override, name, tmp_path):
    block, inputs = made(name, override(LAYERS[name])), inputs_of(name)
    block(*inputs)
    block.hybridize(backend="numpy")
    expected = block(*inputs)
    back, flat = in_files(block, inputs, str(tmp_path / "net"))
    assert_same(back(*flat), expected)


def ones(*shape):
    return np.ones(shape)


class OneMore(nn.Dense):
    def hybrid_forward(self, F, x, weight, bias=None):
        return super().hybrid_forward(F, x, weight, bias) + 1


class Forward(OneMore):
    def forward(self, x):
        return super().forward(x) * 10


class Both(nn.Dense):
    def forward(self, x):
        return super().forward(x) * 10

    def hybrid_forward(self, F, x, weight, bias=None):
        return F.FullyConnected(x, weight, bias, num_hidden=self._units) + 1


class ForwardBelow(nn.Dense):
    def forward(self, x):
        return super().forward(x) * 10


class HybridAbove(ForwardBelow):
    def hybrid_forward(self, F, x, weight, bias):
        return super().hybrid_forward(F, x, weight, bias=bias) + 1


class Plain(nn.Dense):
    """Overrides nothing."""


class AbovePlain(Plain):
    def hybrid_forward(self, F, x, weight, bias):
        return super().hybrid_forward(F, x, weight, bias) + 1


class Mixin:
    def hybrid_forward(self, F, x, weight, bias):
        return super().hybrid_forward(F, x, weight, bias) + 1


class Mixed(Mixin, nn.Dense):
    pass


class BlockMixin(HybridBlock):
    def hybrid_forward(self, F, x, weight, bias):
        return super().hybrid_forward(F, x, weight, bias) + 1


class MixedBlocks(BlockMixin, nn.Dense):
    pass


class MixedLast(nn.Dense, BlockMixin):
    """The layer comes first, so it is what runs."""


class Diamond(AbovePlain, OneMore):
    pass


class NoBias(nn.Dense):
    def hybrid_forward(self, F, x, weight, bias):
        return super().hybrid_forward(F, x, weight)


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (Plain, 5), (OneMore, 6), (Forward, 60), (Both, 60), (ForwardBelow, 50), (HybridAbove, 60), (AbovePlain, 6),
        (Mixed, 6), (MixedBlocks, 6), (MixedLast, 5), (Diamond, 7), (NoBias, 4),
    ],
)  # fmt: skip
def test_the_more_derived_method_runs(kind, expected, hybridized):
    """As in MXNet, where `HybridBlock.forward` calls `hybrid_forward` of the most derived class."""
    block = kind(3, bias_initializer="ones", weight_initializer="ones")
    block.initialize()
    if hybridized:
        block.hybridize(backend="numpy")
    numpy.testing.assert_array_equal(block(ones(2, 4)).asnumpy(), numpy.full((2, 3), expected))


def test_a_class_that_overrides_nothing_calls_the_layer_itself():
    assert Plain.forward is nn.Dense.forward
    assert all(hasattr(layer, "hybrid_forward") for layer in LAYERS.values())


def test_own_parameters_come_by_keyword():
    class Scaled(nn.BatchNorm):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.by = self.params.get(
                "by", shape=(1, 0, 1, 1), init=hybridize.init.Constant(3), allow_deferred_init=True
            )

        def hybrid_forward(self, F, x, gamma, beta, running_mean, running_var, by):
            return F.broadcast_mul(super().hybrid_forward(F, x, gamma, beta, running_mean, running_var), by)

    for hybridized in (False, True):
        block, plain = Scaled(), nn.BatchNorm()
        x = np.array(numpy.random.default_rng(0).normal(size=IMAGES).astype("float32"))
        block.initialize()
        plain.initialize()
        if hybridized:
            block.hybridize()
        with hybridize.autograd.record():
            result, expected = block(x), plain(x)
        assert_same(result, expected * 3)
        assert block.by.shape == (1, 4, 1, 1)
        assert_same(block.running_var.data(), plain.running_var.data())
        assert block.running_mean.data().asnumpy().any()


@pytest.mark.parametrize("hybridized", [False, True])
def test_the_first_use_tells_shapes(hybridized):
    """The layer learns its sizes from what `super` is given, not from what the block is called with."""

    class Twice(nn.Dense):
        def hybrid_forward(self, F, x, weight, bias):
            return super().hybrid_forward(F, F.concat(x, x, dim=1), F.sign(weight) * 2, bias=bias)

    class Itself(nn.Conv2D):
        def hybrid_forward(self, F, x, weight, bias):
            return F.Convolution(F.concat(x, x, dim=1), weight, bias, **self._kwargs)

    for block, x, weight in ((Twice(3), ones(2, 4), (3, 8)), (Itself(3, 1), ones(2, 4, 5, 5), (3, 8, 1, 1))):
        block.initialize(hybridize.init.One())
        if hybridized:
            block.hybridize()
        block(x)
        assert block.weight.shape == weight
    assert Twice(3).infer_shape(ones(2, 4)) is None


def test_a_use_that_tells_no_shape_says_so():
    class Summed(nn.Dense):
        def hybrid_forward(self, F, x, weight, bias):
            return super().hybrid_forward(F, x, F.sum(weight, axis=0), bias)

    block = Summed(3)
    block.initialize()
    with pytest.raises(DeferredInitializationError, match="E501"):
        block(ones(2, 4))


def test_user_infer_shape_is_asked_first():
    class Told(nn.Dense):
        def infer_shape(self, x):
            self.weight.complete(3, 2 * x.shape[1])

        def hybrid_forward(self, F, x, weight, bias):
            return super().hybrid_forward(F, F.concat(x, x, dim=1), weight, bias)

    block = Told(3)
    block.initialize()
    assert block(ones(2, 4)).shape == (2, 3)


def test_values_that_lack_or_are_too_many():
    layer = nn.Dense(3, in_units=4)
    layer.initialize()
    with pytest.raises(ArgumentError, match="E344: hybrid_forward of Dense: missing a required argument: 'weight'"):
        layer.hybrid_forward(nd, ones(2, 4))
    with pytest.raises(ArgumentError, match="E344: hybrid_forward of Dense: got an unexpected keyword argument 'by'"):
        layer.hybrid_forward(nd, ones(2, 4), weight=layer.weight.data(), by=1)
    with pytest.raises(UndefinedError, match="E328"):
        HybridBlock().hybrid_forward(nd, ones(2, 4))


@pytest.mark.parametrize(
    ("base", "name"),
    [(rnn.LSTM, "_forward_kernel"), (rnn.LSTMCell, "_get_activation"), (nn.Dense, "_build_cache")],
)
def test_what_is_not_called_here_is_refused(base, name):
    with refusal(ArgumentError, f"E369: Refused overrides {name}") as caught:

        class Refused(base):
            exec(f"def {name}(self, *args): pass")

    assert "test_overriding.py" in str(caught.value)


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("with_states", [False, True])
@pytest.mark.parametrize("kind", [rnn.RNN, rnn.LSTM, rnn.GRU])
def test_layers_over_sequences_get_states_at_each_call(kind, with_states, hybridized):
    class Seen(kind):
        def hybrid_forward(self, F, inputs, states, sequence_length=None, **weights):
            assert len(states) == len(self.state_info())
            return super().hybrid_forward(F, inputs, states, sequence_length, **weights)

    hybridize.random.seed(2)
    plain = kind(3, layout="NTC")
    plain.initialize()
    x, more = ones(2, 5, 4), [plain.begin_state(2)] if with_states else []
    expected = plain(x, *more)
    block = Seen(3, layout="NTC", params=plain.params)
    if hybridized:
        block.hybridize()
    result = block(x, *more)
    assert isinstance(result, tuple) is isinstance(expected, tuple)
    assert_same(result, expected)


UNROLLED = {
    "RNNCell": lambda c: c(4), "LSTMCell": lambda c: c(4), "DropoutCell": lambda c: c(0.5),
    "ResidualCell": lambda c: c(rnn.RNNCell(4)), "ZoneoutCell": lambda c: c(rnn.RNNCell(4)),
    "VariationalDropoutCell": lambda c: c(rnn.RNNCell(4)), "HybridSequentialRNNCell": lambda c: c(),
    "SequentialRNNCell": lambda c: c(),
}  # fmt: skip


@pytest.mark.parametrize("method", ["forward", "hybrid_forward"])
@pytest.mark.parametrize("name", UNROLLED)
def test_steps_of_the_user_are_unrolled(name, method):
    """Cells that go through whole sequences in a way of their own do so only where the step is theirs."""
    base = getattr(rnn, name)
    if method == "hybrid_forward" and not issubclass(base, HybridBlock):
        return

    def step(self, *args, **weights):
        x, states = args[-2:]
        return x * 0 + 7, states

    block = UNROLLED[name](type("Step", (base,), {method: step}))
    block.initialize()
    outputs, _ = block.unroll(3, ones(2, 3, 4), merge_outputs=True)
    numpy.testing.assert_array_equal(outputs.asnumpy(), numpy.full((2, 3, 4), 7))
    stack = rnn.HybridSequentialRNNCell() if issubclass(base, HybridBlock) else rnn.SequentialRNNCell()
    stack.add(block)
    outputs, _ = stack.unroll(3, ones(2, 3, 4), merge_outputs=True)
    numpy.testing.assert_array_equal(outputs.asnumpy(), numpy.full((2, 3, 4), 7))


def test_containers_and_functions():
    class Skip(nn.HybridSequential):
        def hybrid_forward(self, F, x):
            return super().hybrid_forward(F, x) + x

    class Sum(nn.Sequential):
        def forward(self, x):
            return super().forward(x) + x

    for kind in (Skip, Sum):
        net = kind()
        net.add(nn.Dense(4, in_units=4, weight_initializer="ones"), nn.Activation("relu"))
        net.initialize()
        numpy.testing.assert_array_equal(net(ones(2, 4)).asnumpy(), numpy.full((2, 4), 5))
        net.hybridize()
        numpy.testing.assert_array_equal(net(ones(2, 4)).asnumpy(), numpy.full((2, 4), 5))

    class Root(nn.HybridLambda):
        def hybrid_forward(self, F, x):
            return super().hybrid_forward(F, x) + 1

    assert Root("sqrt")(ones(2)).asnumpy().tolist() == [2, 2]


def test_a_net_read_from_files_has_its_graph():
    with pytest.raises(ArgumentError, match="E369: Twice overrides hybrid_forward"):

        class Twice(SymbolBlock):
            def hybrid_forward(self, F, x, **weights):
                return x


def test_gradients_go_through_super():
    class Squared(nn.Dense):
        def hybrid_forward(self, F, x, weight, bias):
            return super().hybrid_forward(F, x, weight * weight, bias)

    for hybridized in (False, True):
        block = Squared(1, in_units=2)
        block.initialize(hybridize.init.Constant(3))
        if hybridized:
            block.hybridize()
        with hybridize.autograd.record():
            y = block(ones(1, 2)).sum()
        y.backward()
        assert block.weight.grad().asnumpy().tolist() == [[6, 6]]


def test_stochastic_blocks():
    class Layer(StochasticBlock):
        @StochasticBlock.collectLoss
        def hybrid_forward(self, F, x):
            return x

    with pytest.raises(ValueError, match="forward is not decorated"):
        Layer()(ones(2))

    class Chain(StochasticSequential):
        @StochasticBlock.collectLoss
        def forward(self, x):
            self.add_loss(x * 3)
            return x * 2

    chain = Chain()
    assert chain(ones(2)).asnumpy().tolist() == [2, 2]
    assert chain.losses[0].asnumpy().tolist() == [3, 3]


OPERATORS = {
    **{f"Conv{k}D": "Convolution" for k in BY_RANK},
    **{f"Conv{k}DTranspose": "Deconvolution" for k in BY_RANK},
    **{f"{kind}Pool{k}D": "Pooling" for k in BY_RANK for kind in ("Max", "Avg", "GlobalMax", "GlobalAvg")},
    "BatchNorm": "BatchNorm", "Embedding": "Embedding",
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATORS)
def test_keywords_of_operators(name):
    """`F.Convolution(x, weight, bias, **self._kwargs)`, as `hybrid_forward` of MXNet's own layers has it."""

    class Operator(getattr(nn, name)):
        def hybrid_forward(self, F, x, *args, **weights):
            return getattr(F, OPERATORS[name])(x, *weights.values(), name="fwd", **self._kwargs)

    inputs = inputs_of(f"nn.{name}")
    make = (lambda c: c(3, 3, 2, 1)) if name.startswith("Conv") else CASES[name][0]
    plain = make(getattr(nn, name))
    plain.initialize()
    expected = plain(*inputs)
    block = make(Operator)
    block.share_parameters(plain.collect_params())
    assert_same(block(*inputs), expected)
    block.hybridize(backend="numpy")
    assert_same(block(*inputs), expected)


def test_keywords_are_settings():
    layer = nn.Conv2D(3, 1, in_channels=4)
    layer.initialize()
    layer.hybridize(backend="numpy")
    assert layer(ones(2, 4, 5, 5)).shape == (2, 3, 5, 5)
    layer._kwargs["stride"] = (2, 2)
    assert layer(ones(2, 4, 5, 5)).shape == (2, 3, 3, 3)
    layer._kwargs.update(stride=(1, 1), pad=(1, 1))
    assert layer(ones(2, 4, 5, 5)).shape == (2, 3, 7, 7)
    layer._kwargs = {"pad": (0, 0)}
    assert layer(ones(2, 4, 5, 5)).shape == (2, 3, 5, 5)
    layer._kwargs["cudnn_off"] = True
    copy = layer._kwargs.copy()
    copy["stride"] = (5, 5)
    assert layer._kwargs["stride"] == (1, 1)
    with pytest.raises(ArgumentError, match=r"E344: Conv2D\._kwargs has no 'strides'"):
        layer._kwargs["strides"] = 2
    with pytest.raises(ArgumentError, match="E344: keywords of Conv2D cannot be removed"):
        layer._kwargs.pop("layout")


# What `_kwargs` of MXNet 1.9.1's layers holds.
KWARGS = {
    "Conv2D": {"kernel": (3, 3), "stride": (1, 1), "dilate": (1, 1), "pad": (1, 1), "num_filter": 3, "num_group": 1, "no_bias": False, "layout": "NCHW"},
    "Conv1DTranspose": {"kernel": (3,), "stride": (1,), "dilate": (1,), "pad": (1,), "num_filter": 3, "num_group": 1, "no_bias": False, "layout": "NCW", "adj": (0,)},
    "BatchNorm": {"axis": 1, "eps": 1e-5, "momentum": 0.9, "fix_gamma": False, "use_global_stats": False},
    "Embedding": {"input_dim": 5, "output_dim": 3, "dtype": "float32", "sparse_grad": False},
    "InstanceNorm": {"eps": 1e-5, "axis": 1, "center": True, "scale": False},
    "LayerNorm": {"eps": 1e-5, "axis": -1, "center": True, "scale": True},
    "GroupNorm": {"eps": 1e-5, "num_groups": 2, "center": True, "scale": True},
    "MaxPool2D": {"kernel": (2, 2), "stride": (2, 2), "pad": (0, 0), "global_pool": False, "pool_type": "max", "layout": "NCHW", "pooling_convention": "valid"},
    "GlobalAvgPool1D": {"kernel": (1,), "stride": (1,), "pad": (0,), "global_pool": True, "pool_type": "avg", "layout": "NCW", "pooling_convention": "full"},
}  # fmt: skip


@pytest.mark.parametrize("name", KWARGS)
def test_keywords_are_those_of_mxnet(name):
    assert CASES[name][0](getattr(nn, name))._kwargs == KWARGS[name]


@pytest.mark.long
def test_results_are_those_of_mxnet():
    if sys.version_info >= (3, 12):
        pytest.skip("MXNet needs a NumPy that is there for Python up to 3.11")
    here = Path(__file__).parent
    python = here.parents[1] / ".mxnet" / "1.9.1" / "bin" / "python"
    command = [python, here / "overriding_programs.py", "mx"]
    expected = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=600, check=True).stdout)
    found = results(hybridize)
    assert set(found) == set(expected)
    for name, arrays in expected.items():
        assert len(found[name]) == len(arrays)
        for x, y in zip(found[name], arrays, strict=True):
            numpy.testing.assert_allclose(x, y, rtol=1e-4, atol=1e-5, err_msg=name)


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("kind", [nn.Dense, OneMore, Forward, Both])
def test_a_block_with_a_method_of_its_own(kind, hybridized):
    """`hybrid_forward` set on one block, and on the class, replaces the class's: while compiled as well."""

    class Copy(kind):
        """A class whose method can be replaced."""

    block = (kind if kind is nn.Dense else Copy)(3, weight_initializer="ones", bias_initializer="ones")
    block.initialize()
    if hybridized:
        block.hybridize(backend="numpy")

    def first():
        return float(block(ones(2, 4))[0, 0])

    before = first()
    tenfold = 10 if issubclass(kind, (Forward, Both)) else 1
    layer = block.hybrid_forward
    block.hybrid_forward = lambda F, x, **weights: layer(F, x, **weights) * 2
    assert first() == before * 2
    block.hybrid_forward = lambda F, x, **weights: F.ones_like(x) * 7
    assert first() == 7 * tenfold
    del block.hybrid_forward
    assert first() == before
    if kind is not nn.Dense:
        Copy.hybrid_forward = lambda self, F, x, **weights: F.ones_like(x) * 5
        assert first() == 5 * tenfold
    block.forward = lambda x: x
    block.hybrid_forward = lambda F, x, **weights: F.ones_like(x) * 7
    assert first() == 1


MXNETS = {
    "data gamma beta": (
        "GroupNorm LayerNorm "
    ),
    "input1 input2 label sample_weight?": (
        "CosineEmbeddingLoss "
    ),
    "inputs states": (
        "DropoutCell HybridSequentialRNNCell ResidualCell VariationalDropoutCell ZoneoutCell "
    ),
    "inputs states i2h_weight h2h_weight h2r_weight i2h_bias h2h_bias": (
        "LSTMPCell "
    ),
    "inputs states i2h_weight h2h_weight i2h_bias h2h_bias": (
        "Conv1DGRUCell Conv1DLSTMCell Conv1DRNNCell Conv2DGRUCell Conv2DLSTMCell Conv2DRNNCell Conv3DGRUCell "
        "Conv3DLSTMCell Conv3DRNNCell GRUCell LSTMCell RNNCell "
    ),
    "inputs states sequence_length?": (
        "GRU LSTM RNN "
    ),
    "pred label pred_lengths? label_lengths? sample_weight?": (
        "CTCLoss "
    ),
    "pred label sample_weight?": (
        "HingeLoss HuberLoss KLDivLoss L1Loss L2Loss LogisticLoss SoftmaxCELoss SoftmaxCrossEntropyLoss "
        "SquaredHingeLoss "
    ),
    "pred label sample_weight? pos_weight?": (
        "SigmoidBCELoss SigmoidBinaryCrossEntropyLoss "
    ),
    "pred positive negative": (
        "TripletLoss "
    ),
    "pred target sample_weight? epsilon": (
        "PoissonNLLLoss "
    ),
    "x": (
        "Activation AvgPool1D AvgPool2D AvgPool3D Dropout ELU Flatten GELU GlobalAvgPool1D GlobalAvgPool2D "
        "GlobalAvgPool3D GlobalMaxPool1D GlobalMaxPool2D GlobalMaxPool3D HybridConcurrent HybridSequential "
        "Identity LeakyReLU MaxPool1D MaxPool2D MaxPool3D PixelShuffle1D PixelShuffle2D PixelShuffle3D "
        "ReflectionPad2D SELU Swish "
    ),
    "x alpha": (
        "PReLU "
    ),
    "x gamma beta": (
        "InstanceNorm "
    ),
    "x gamma beta running_mean running_var": (
        "BatchNorm BatchNormReLU SyncBatchNorm "
    ),
    "x offset_weight deformable_conv_weight offset_bias? deformable_conv_bias?": (
        "DeformableConvolution ModulatedDeformableConvolution "
    ),
    "x weight": (
        "Embedding "
    ),
    "x weight bias?": (
        "Conv1D Conv1DTranspose Conv2D Conv2DTranspose Conv3D Conv3DTranspose Dense "
    ),
    "x1 x2": (
        "SDMLLoss "
    ),
}  # fmt: skip
"""Layers of MXNet 1.9.1 by the arguments of their `hybrid_forward` after `F`; `?`: one that may be left out."""


@pytest.mark.parametrize("arguments", MXNETS)
def test_arguments_have_the_names_and_the_order_of_mxnet(arguments):
    """`super().hybrid_forward(F, pred=pred, label=label)` is how libraries call it."""
    layers = {name.rpartition(".")[2]: layer for name, layer in LAYERS.items()}
    wanted = arguments.replace("?", "").split()
    for name in MXNETS[arguments].split():
        layer = layers.get(name) or getattr(rnn, name)
        inputs = list(inspect.signature(layer.forward).parameters)[1:]
        found = inputs + layer._operands.replace("?", "").split()
        assert found[: len(wanted)] == wanted, name


def test_inputs_by_keyword():
    class Named(loss.SoftmaxCrossEntropyLoss):
        def hybrid_forward(self, F, x, label, sample_weight=None):
            return super().hybrid_forward(F, pred=x * 2, label=label, sample_weight=sample_weight)

    class Cell(rnn.GRUCell):
        def hybrid_forward(self, F, inputs, states, **weights):
            return super().hybrid_forward(F, inputs=inputs, states=states, **weights)

    class Layer(rnn.GRU):
        def hybrid_forward(self, F, inputs, states, sequence_length=None, **weights):
            return super().hybrid_forward(F, inputs=inputs, states=states, **weights)

    x, label = inputs_of("loss.SoftmaxCrossEntropyLoss")
    assert_same(Named()(x, label), loss.SoftmaxCrossEntropyLoss()(x * 2, label))
    for kind, base, x in ((Cell, rnn.GRUCell, (2, 4)), (Layer, rnn.GRU, (3, 2, 4))):
        plain = base(3)
        plain.initialize()
        states = plain.begin_state(2)
        expected = plain(ones(*x), states)
        assert_same(kind(3, params=plain.params)(ones(*x), states), expected)


@pytest.mark.parametrize("hybridized", [False, True])
def test_attributes_with_names_of_methods_of_ours(hybridized):
    class Own(loss.HingeLoss):
        def __init__(self):
            super().__init__()
            self._missing = self._like = self._finished = 3

        def hybrid_forward(self, F, pred, label):
            return super().hybrid_forward(F, pred * self._missing, label)

    block, inputs = Own(), inputs_of("loss.HingeLoss")
    if hybridized:
        block.hybridize(backend="numpy")
    assert_same(block(*inputs), loss.HingeLoss()(inputs[0] * 3, inputs[1]))


class Weighty(nn.Dense):
    def hybrid_forward(self, F, x, weight, bias=None):
        return super().hybrid_forward(F, x, weight * 2, bias)


def test_copies_archives_and_dtypes(tmp_path):
    block = Weighty(3, weight_initializer="ones")
    block.initialize()
    block.hybridize()
    expected = block(ones(2, 4))
    block.save(tmp_path / "net")
    for one in (copy.deepcopy(block), pickle.loads(pickle.dumps(block)), hybridize.load(tmp_path / "net")):
        assert_same(one(ones(2, 4)), expected)
    block.cast("float16")
    assert block(ones(2, 4).astype("float16")).dtype == "float16"


def test_each_device_has_its_weights():
    block, devices = Weighty(3, weight_initializer="ones"), [hybridize.cpu(0), hybridize.cpu(1)]
    block.initialize(ctx=devices)
    for hybridized in (False, True):
        block.hybridize(hybridized)
        for device in devices:
            with hybridize.autograd.record():
                y = block(np.ones((2, 4), ctx=device))
            y.backward()
            assert y.ctx == device
            assert block.weight.grad(device)[0, 0] == 4


# ------------------------------------------------------------------------------------ forward around hybrid_forward


class Chooses(HybridBlock):
    """As libraries write it for MXNet 1: Python around what is compiled."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.calls = []
        self.weight = self.params.get("weight", shape=(3,), init="ones")

    @functools.lru_cache(maxsize=2)  # noqa: B019 - of the block
    def rows(self, indices):
        return self.weight.data()[indices]

    def forward(self, x, indices=None):
        if not hasattr(x, "__hybridize_captured__"):
            self.calls.append(float(x.asnumpy().max()))
        if indices is not None:
            return self.rows(indices) * int(x.sum())
        return super().forward(x) + 1

    def hybrid_forward(self, F, x, weight):
        return F.broadcast_mul(x, weight) * 2


class ChoosesLayer(Chooses, nn.Activation):
    """Of a layer of ours."""

    def __init__(self, **kwargs):
        nn.Activation.__init__(self, "relu", **kwargs)
        self.calls = []
        self.weight = self.params.get("weight", shape=(3,), init="ones")


@pytest.mark.parametrize("kind", [Chooses, ChoosesLayer])
def test_forward_is_python_around_what_is_compiled(kind, tmp_path):
    net, x = kind(), np.array([[1.0, 2.0, 3.0]])
    net.initialize()
    wanted = net(x).asnumpy()
    numpy.testing.assert_array_equal(wanted, [[3.0, 5.0, 7.0]])
    net.hybridize()
    assert net.active
    net.calls.clear()
    for _ in range(3):
        numpy.testing.assert_array_equal(net(x).asnumpy(), wanted)
        numpy.testing.assert_array_equal(net(x, np.array([0, 2])).asnumpy(), [6.0, 6.0])
    assert net.calls.count(3.0) == 6, "Python runs at every call"
    assert (net.cache_info().programs, net.cache_info().captures) == (1, 1), "and what it calls is compiled once"
    x.attach_grad()
    with autograd.record():
        y = (net(x) * 3).sum()
    y.backward()
    numpy.testing.assert_array_equal(x.grad.asnumpy(), [[6.0, 6.0, 6.0]])
    net.hybridize(False)
    net.calls.clear()
    net(x)
    assert net.calls == [3.0]
    again = copy.deepcopy(net)
    again.hybridize()
    numpy.testing.assert_array_equal(again(x).asnumpy(), wanted)
    again.export(tmp_path / "net")
    read = SymbolBlock.imports(tmp_path / "net-symbol.json", ["data"], tmp_path / "net-0000.params")
    numpy.testing.assert_array_equal(read(x).asnumpy(), wanted - 1)  # as MXNet 1: of what is compiled


def test_within_a_compiled_net_all_of_it_is_compiled():
    class Net(HybridBlock):
        def __init__(self):
            super().__init__()
            self.inner = Chooses()

        def hybrid_forward(self, F, x):
            return self.inner(x) * 2

    net, x = Net(), np.array([[1.0, 2.0, 3.0]])
    net.initialize()
    net.hybridize()
    for _ in range(2):
        numpy.testing.assert_array_equal(net(x).asnumpy(), [[6.0, 10.0, 14.0]])
    assert net.cache_info().programs == 1
