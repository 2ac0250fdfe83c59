"""Initializers fill what they promise, by name, from the seed."""

import logging
import math

import numpy
import pytest

from hybridize import init
from hybridize.array import np, random
from hybridize.base.errors import ArgumentError, LoadError, ShapeError
from hybridize.formats.mxnet import write_params
from hybridize.gluon import HybridBlock, Parameter, ParameterDict, nn
from hybridize.init.base import _BY_ENDING
from tests.refusals import refusal


def filled(initializer, shape, name="weight"):
    array = np.full(shape, 7.0)
    init.create(initializer)(init.InitDesc(name), array)
    return array.asnumpy()


@pytest.fixture(autouse=True)
def seeded():
    random.seed(0)


def test_constants():
    assert (filled("zeros", (2, 3)) == 0).all()
    assert (filled("ones", (2, 3)) == 1).all()
    assert (filled(init.Constant(2.5), (2, 3)) == 2.5).all()
    numpy.testing.assert_array_equal(filled(init.Constant(np.array([1, 2])), (2,)), [1, 2])
    numpy.testing.assert_array_equal(filled(init.LSTMBias(2.0), (8,), "i2h_bias"), [0, 0, 2, 2, 0, 0, 0, 0])


@pytest.mark.parametrize(
    ("initializer", "low", "high", "deviation"),
    [
        (init.Uniform(), -0.07, 0.07, 0.07 / 3**0.5),
        (init.Uniform(2), -2, 2, 2 / 3**0.5),
        ("normal", -0.1, 0.1, 0.01),
        (init.Xavier(), -(0.02**0.5), 0.02**0.5, (2 / 300) ** 0.5),
        (init.Xavier("gaussian", "in", 2), -9, 9, 0.1),
        (init.Xavier(factor_type="out", magnitude=6), -(0.06**0.5), 0.06**0.5, (2 / 100) ** 0.5),
        (init.MSRAPrelu("in", 0), -9, 9, 0.1),
    ],
)
def test_what_is_drawn(initializer, low, high, deviation):
    values = filled(initializer, (100, 200))
    assert low <= values.min()
    assert values.max() <= high
    assert abs(values.mean()) < 5 * deviation / 140
    assert values.std() == pytest.approx(deviation, rel=0.05)


def test_filters_count_their_area():
    values = filled(init.Xavier("gaussian", "in", 1), (64, 4, 5, 5))
    assert values.std() == pytest.approx(0.1, rel=0.05)


@pytest.mark.parametrize("shape", [(4, 9), (9, 4), (6, 2, 3)])
def test_orthogonal_matrices_are(shape):
    values = filled(init.Orthogonal(scale=2.0), shape).reshape(shape[0], -1)
    small = values @ values.T if values.shape[0] <= values.shape[1] else values.T @ values
    numpy.testing.assert_allclose(small, 4 * numpy.eye(len(small)), atol=1e-5)


def test_bilinear_enlarges_smoothly():
    values = filled(init.Bilinear(), (1, 1, 4, 4))[0, 0]
    numpy.testing.assert_allclose(values[1], [0.1875, 0.5625, 0.5625, 0.1875])


def test_seeds_reproduce():
    first = filled("xavier", (3, 4))
    second = filled("xavier", (3, 4))
    random.seed(0)
    numpy.testing.assert_array_equal(filled("xavier", (3, 4)), first)
    assert (first != second).any()


@pytest.mark.parametrize(
    ("name", "value"),
    [("dense0_bias", 0), ("gamma", 1), ("beta", 0), ("bn_running_mean", 0), ("moving_var", 1), ("fc_weight", 3)],
)
def test_names_choose(name, value):
    assert (filled(init.Constant(3), (2,), name) == value).all()


def test_own_classes():
    @init.register
    class Stairs(init.Initializer):
        def _init_weight(self, name, arr):
            arr[:] = np.arange(arr.size).reshape(arr.shape)

    numpy.testing.assert_array_equal(filled("stairs", (2, 2)), [[0, 1], [2, 3]])


def test_mixed_looks_at_patterns():
    mixed = init.Mixed([".*bias", ".*"], [init.Constant(1), "zeros"])
    assert (filled(mixed, (2,), "fc_weight") == 0).all()
    with pytest.raises(ArgumentError, match="no pattern"):
        filled(init.Mixed(["a"], ["ones"]), (2,), "b_weight")


def test_json_names_an_initializer():
    made = init.create(init.Xavier("gaussian", "in", 2).dumps())
    assert made == init.Xavier("gaussian", "in", 2)
    assert init.create(init.Constant(np.array([1, 2])).dumps()).value == [1, 2]


def test_what_cannot_be_is_an_error():
    with pytest.raises(ArgumentError, match=r"nonsense.*(\n|.)*xavier"):
        init.create("nonsense")
    for text in ('["xavier"', '["xavier"]', "[3, 4]", "[]"):
        with pytest.raises(ArgumentError, match="E354"):
            init.create(text)
    with pytest.raises(ShapeError, match="two axes"):
        filled("xavier", (3,))
    with pytest.raises(ArgumentError, match="avg, in or out"):
        init.Xavier(factor_type="sideways")
    with pytest.raises(ShapeError, match="four"):
        filled(init.LSTMBias(), (6,))
    with pytest.raises(ShapeError, match="E120"):
        filled(init.LSTMBias(), ())
    with pytest.raises(ArgumentError, match="1 patterns, but 0"):
        init.Mixed(["a"], [])


def normal(x, deviation=1.0):
    return 0.5 * (1 + math.erf(x / deviation / math.sqrt(2)))


def truncated(x):
    return min(max((normal(x) - normal(-2)) / (normal(2) - normal(-2)), 0), 1)


@pytest.mark.parametrize(
    ("initializer", "chance"),
    [
        (init.Uniform(2), lambda x: (x + 2) / 4),
        (init.Normal(3), lambda x: normal(x, 3)),
        (init.TruncNorm(stdev=1), truncated),
        (init.TruncNorm(5, 2), lambda x: truncated((x - 5) / 2)),
        (init.TruncNorm(stdev=1, scale=9), normal),
        (init.Xavier("gaussian", "in", 100), normal),
        (init.MSRAPrelu("out", 1), lambda x: normal(x, 0.1)),
        (init.Xavier("uniform", "avg", 25), lambda x: (x + 0.5) / 1),
    ],
)
@pytest.mark.parametrize("seed", [1, 2])
def test_distributions(initializer, chance, seed):
    """Kolmogorov and Smirnov: the greatest distance of the distribution functions, at a chance of 1 in 10,000."""
    random.seed(seed)
    values = numpy.sort(filled(initializer, (100, 100)).ravel())
    steps = numpy.arange(values.size + 1) / values.size
    wanted = numpy.array([chance(x) for x in values])
    distance = max(abs(wanted - steps[1:]).max(), abs(wanted - steps[:-1]).max())
    assert distance < 2.23 / math.sqrt(values.size)


def test_truncated_normal_numbers_stay_within():
    values = filled(init.TruncNorm(1.0, 0.5), (200, 200))
    assert values.min() >= 0 and values.max() <= 2
    assert values.std() == pytest.approx(0.5 * 0.8796, rel=0.02)
    assert (filled(init.TruncNorm(3, 0), (5,)) == 3).all()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "bfloat16"])
@pytest.mark.parametrize("name", ["uniform", "normal", "xavier", "msraprelu", "orthogonal", "truncnorm", "ones"])
def test_every_float(name, dtype):
    array = np.full((20, 30), 7.0, dtype=dtype)
    init.create(name)(init.InitDesc("weight"), array)
    values = array.asnumpy().astype("f8")
    assert array.dtype == np.zeros(1, dtype=dtype).dtype
    assert numpy.isfinite(values).all() and (values != 7).all()
    if name == "orthogonal" and dtype == "float64":
        numpy.testing.assert_allclose(values @ values.T, 1.414**2 * numpy.eye(20), atol=1e-12)


@pytest.mark.parametrize(
    ("mode", "gates", "projection"), [("lstm", 4, None), ("lstm", 4, 3), ("gru", 3, None), ("rnn_tanh", 1, None)]
)
def test_packed_parameters_of_recurrent_layers(mode, gates, projection):
    """Weights by layer, direction and part, then biases; sizes as MXNet counts them."""
    inputs, states, layers, given = 5, 4, 2, projection or 4
    rows = gates * states
    chosen = {
        f"{part}_initializer": init.Constant(k)
        for k, part in enumerate(("i2h_weight", "h2h_weight", "i2h_bias", "h2h_bias", "h2r_weight"))
    }
    fused = init.RNNFused(mode, layers, states, True, projection, **chosen)
    wanted = []
    for layer in range(layers):
        for _ in range(2):
            wanted += [0] * (rows * (inputs if layer == 0 else 2 * given)) + [1] * (rows * given)
            wanted += [4] * (projection * states) if projection else []
    wanted += ([2] * rows + [3] * rows) * 4
    numpy.testing.assert_array_equal(filled(fused, (len(wanted),)), wanted)
    numpy.testing.assert_array_equal(filled(fused.dumps(), (len(wanted),)), wanted)
    with pytest.raises(ShapeError, match="whole number of inputs"):
        filled(fused, (len(wanted) + 1,))


def test_packed_parameters_are_filled_as_the_net_is():
    """Weights have two axes where they are filled, so that Xavier knows its inputs; biases are zeros."""
    packed = Parameter("rnn_param", shape=(8 * (6 + 2 + 2),), init=init.RNNFused("lstm", 1, 2))
    packed.initialize(default_init=init.Constant(3))
    numpy.testing.assert_array_equal(packed.data().asnumpy(), [3] * 64 + [0] * 16)
    packed.initialize(default_init="xavier", force_reinit=True)
    values = packed.data().asnumpy()
    assert 0 < abs(values[:48]).max() <= math.sqrt(3 / 7)
    assert abs(values[48:64]).max() <= math.sqrt(3 / 5)
    forgetful = init.RNNFused("lstm", 1, 2, i2h_bias_initializer=init.LSTMBias(1.5))
    numpy.testing.assert_array_equal(filled(forgetful, (80,))[64:72], [0, 0, 1.5, 1.5, 0, 0, 0, 0])
    with pytest.raises(ArgumentError, match=r"FusedRNNCell(.|\n)*RNNFused"):
        init.FusedRNN("xavier", 4, 1, "lstm")
    with pytest.raises(ArgumentError, match="no mode 'cnn'"):
        init.RNNFused("cnn", 1, 4)


def test_values_from_files(tmp_path):
    weight = numpy.arange(6, dtype="f4").reshape(2, 3)
    write_params(tmp_path / "net.params", {"arg:fc_weight": weight, "aux:bn_running_mean": numpy.ones(4, "f4")})
    for source in (tmp_path / "net.params", str(tmp_path / "net.params"), {"fc_weight": np.array(weight)}):
        load = init.Load(source, default_init="ones")
        numpy.testing.assert_array_equal(filled_by(load, (2, 3), "fc_weight"), weight)
        assert (filled_by(load, (2, 2), "other_weight") == 1).all()
    assert (filled_by(init.Load(tmp_path / "net.params"), (4,), "bn_running_mean") == 1).all()
    with pytest.raises(ArgumentError, match=r"no array for the parameter 'x_weight'(.|\n)*fc_weight"):
        filled_by(init.Load({"fc_weight": weight}), (2,), "x_weight")
    with pytest.raises(ShapeError, match=r"is f32\[3,2\], but Load holds shape \[2, 3\]"):
        filled_by(init.Load({"fc_weight": weight}), (3, 2), "fc_weight")
    (tmp_path / "broken.params").write_bytes(b"not a file of parameters")
    with pytest.raises(LoadError):
        init.Load(tmp_path / "broken.params")


def filled_by(initializer, shape, name):
    array = np.full(shape, 7.0)
    initializer(init.InitDesc(name), array)
    return array.asnumpy()


def test_nets_begin_with_values_from_elsewhere():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(2, in_units=3), nn.Dense(1, in_units=2))
    values = {name: numpy.full(p.shape, 5.0, "f4") for name, p in net.collect_params().items() if "weight" in name}
    by_name = {p.name: values[path] for path, p in net.collect_params().items() if path in values}
    net.initialize(init.Load(by_name, default_init="zeros"))
    assert (net[0].weight.data().asnumpy() == 5).all() and (net[1].weight.data().asnumpy() == 5).all()
    assert (net[0].bias.data().asnumpy() == 0).all()


def test_what_was_filled_is_logged(caplog):
    with caplog.at_level(logging.INFO, "hybridize.init"):
        filled(init.One().set_verbosity(True), (4,), "fc_weight")
        filled(init.Constant(2).set_verbosity(True, lambda x: f"{x.size} elements"), (4,), "fc_bias")
        filled(init.One().set_verbosity(True).set_verbosity(False), (4,), "fc_weight")
    assert caplog.messages == ["Initialized fc_weight as weight: 1.0", "Initialized fc_bias as bias: 4 elements"]


def test_more_names():
    for ending, value in (("min", 0), ("max", 1), ("moving_inv_var", 0), ("moving_avg", 0)):
        assert (filled("uniform", (3,), f"layer_{ending}") == value).all()


def test_more_that_cannot_be():
    with pytest.raises(ArgumentError, match="uniform or normal, got 'other'"):
        init.Orthogonal(rand_type="other")
    with pytest.raises(ArgumentError, match="scale > 0"):
        init.TruncNorm(scale=0)
    with pytest.raises(ShapeError, match="Orthogonal needs a parameter of at least one axis"):
        filled("orthogonal", ())
    with pytest.raises(ArgumentError, match="cannot be written as a string"):
        init.Load({}).dumps()


@pytest.mark.parametrize("name", [*_BY_ENDING, "alpha"])
@pytest.mark.parametrize(
    ("filler", "value"),
    [(init.One(), 1), (init.Zero(), 0), (init.Constant(0.5), 0.5), (init.Uniform(0), 0), ("ones", 1), ("zeros", 0)],
)
def test_a_parameter_without_an_initializer_is_filled_as_a_weight_whatever_its_name(name, filler, value):
    """As in both generations of MXNet: an initializer goes by names only where it is called with them."""
    alone, of_block = Parameter(name, shape=(2, 3)), Parameter(name, shape=(2, 3))
    alone.initialize(default_init=init.create(filler))
    block = HybridBlock()
    block.part = of_block
    block.initialize(filler)
    of_dict = ParameterDict("a_").get(name, shape=(2, 3))
    of_dict.initialize(default_init=init.create(filler))
    for parameter in (alone, of_block, of_dict):
        assert parameter.data().asnumpy().tolist() == [[value] * 3] * 2


def test_a_vector_needs_an_initializer_where_that_of_all_is_of_matrices():
    parameter = Parameter("bias", shape=(3,))
    with refusal(ShapeError, "E121: Xavier needs a parameter of at least two axes, but bias is"):
        parameter.initialize(default_init=init.Xavier())
