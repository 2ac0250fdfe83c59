"""Parameters: one buffer for life, deferred shapes, loud mistakes."""

import numpy
import pytest

from hybridize import autograd, gluon, init
from hybridize.array import np
from hybridize.base.errors import ArgumentError, DeferredInitializationError, DeviceError, ShapeError, StateError
from hybridize.gluon import Constant, Parameter, ParameterDict, nn
from tests.refusals import refusal


def made(*shape, **kwargs):
    parameter = Parameter("weight", shape=shape, **kwargs)
    parameter.initialize()
    return parameter


def test_data_is_one_object_for_life():
    parameter = made(3, 4)
    data, buffer = parameter.data(), parameter.data()._data
    parameter.set_data(np.ones((3, 4)))
    parameter.set_data(numpy.full((3, 4), 2.0))
    parameter.initialize("zeros", force_reinit=True)
    assert parameter.data() is data
    assert data._data is buffer
    assert (data.asnumpy() == 0).all()


def test_writes_are_announced():
    parameter = made(2, 2)
    version = parameter.data().storage.version
    parameter.set_data(np.zeros((2, 2)))
    assert parameter.data().storage.version > version
    replaced = parameter.watch.version
    parameter.cast("float16")
    assert parameter.watch.version > replaced
    assert parameter.data().dtype == numpy.float16


def test_unknown_sizes_wait_for_the_first_input():
    parameter = Parameter("weight", shape=(3, 0), allow_deferred_init=True)
    assert parameter.shape == (3, -1)
    with pytest.raises(StateError, match=r"initialize\(\)"):
        parameter.data()
    parameter.initialize(init.One())
    with pytest.raises(DeferredInitializationError, match="first call"):
        parameter.data()
    with pytest.raises(gluon.DeferredInitializationError):
        parameter.data()
    parameter.complete(3, 5)
    assert parameter.data().asnumpy().sum() == 15
    with pytest.raises(ShapeError, match=r"\(3, 5\)"):
        parameter.complete(3, 6)


def test_unknown_sizes_may_be_forbidden():
    parameter = Parameter("w_weight", shape=(-1,))
    with pytest.raises(ShapeError, match=r"'w_weight'.*its shape \(-1,\) is not known"):
        parameter.initialize()


def test_set_data_says_the_shape_of_a_deferred_parameter():
    parameter = Parameter("weight", shape=(2, 0), allow_deferred_init=True)
    parameter.initialize()
    parameter.set_data(np.ones((2, 7)))
    assert parameter.shape == (2, 7)
    assert (parameter.data().asnumpy() == 1).all()


def test_its_own_initializer_wins():
    parameter = Parameter("weight", shape=(2,), init="ones")
    parameter.initialize(default_init=init.Zero())
    assert (parameter.data().asnumpy() == 1).all()


@pytest.mark.parametrize("shape", [(), (1,), (3, 0, 2)])
def test_small_shapes(shape):
    if 0 in shape:
        parameter = Parameter("weight", shape=shape, allow_deferred_init=True)
        parameter.initialize("ones")
        parameter.complete(*shape)
    else:
        parameter = made(*shape, init="ones")
    assert parameter.data().shape == shape


def test_initializing_twice_warns_and_does_nothing():
    parameter = made(2, init="ones")
    with pytest.warns(UserWarning, match="'weight' is already initialized"):
        parameter.initialize("zeros")
    assert (parameter.data().asnumpy() == 1).all()


def test_gradients_are_zero_before_the_first():
    parameter = made(2, 3)
    assert (parameter.grad().asnumpy() == 0).all()
    parameter.grad()[:] = 5
    parameter.zero_grad()
    assert (parameter.grad().asnumpy() == 0).all()
    parameter.grad_req = "null"
    with pytest.raises(StateError, match="grad_req is null"):
        parameter.grad()
    with refusal(ArgumentError, "sometimes"):
        parameter.grad_req = "sometimes"


def test_wrong_data_is_refused():
    parameter = made(2, 3)
    with pytest.raises(ShapeError, match=r"expected shape \(2, 3\), got \(3, 2\)"):
        parameter.set_data(np.zeros((3, 2)))
    with pytest.raises(ShapeError, match="cannot be given the shape"):
        parameter.shape = (2, 3, 4)
    with pytest.raises(DeviceError, match=r"no gpu\(0\)"):
        parameter.reset_device("gpu(0)")
    assert [str(device) for device in parameter.list_ctx()] == ["cpu(0)"]


def test_constants_keep_their_value():
    for constant in (Constant("const", [[1, 2], [3, 4]]), Constant(np.array([[1, 2], [3, 4]]))):
        constant.initialize("zeros")
        numpy.testing.assert_array_equal(constant.data().asnumpy(), [[1, 2], [3, 4]])
        assert constant.grad_req == "null"


@pytest.mark.parametrize("dtype", ["bool", "int64", "float16", "float64"])
def test_constants_of_numbers_that_are_not_our_arrays_are_float32(dtype):
    """As in both MXNets: a table that NumPy computed in float64 does not make a net compute in it."""
    values = numpy.array([[0.0, 1.0]]).astype(dtype)
    for constant in (Constant("c", values), Constant(values), ParameterDict().get_constant("c", values)):
        constant.initialize()
        assert (constant.dtype, constant.data().dtype) == ("float32", "float32")
    own = Constant(np.array(values, dtype=dtype))
    own.initialize()
    assert own.data().dtype == dtype

    class Shifted(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.table = self.params.get_constant("table", values)

        def hybrid_forward(self, F, x, table):
            return F.broadcast_add(x, table)

    net = Shifted()
    net.initialize()
    for _ in range(2):
        assert net(np.ones((3, 2))).dtype == "float32"
        net.hybridize()


# ------------------------------------------------------------------------------------------------- ParameterDict


def test_a_dict_shows_a_parameter_a_line():
    net = nn.HybridSequential()
    net.add(nn.Dense(2, in_units=3))
    first, second = repr(net.collect_params()).splitlines()
    assert first.startswith("{'0.weight': Parameter") and "(2, 3)" in first and "float32" in first
    assert second.startswith(" '0.bias': Parameter") and second.endswith("}")
    params = ParameterDict("net_")
    params.get("w", shape=(2,))
    assert repr(params).splitlines()[0] == "net_ (" and "net_w" in repr(params)


def test_get_makes_and_finds():
    params = ParameterDict("net_")
    weight = params.get("weight", shape=(3, 0), allow_deferred_init=True)
    assert weight.name == "net_weight"
    assert params.get("weight", shape=(3, 5)) is weight
    assert weight.shape == (3, 5)
    assert params["net_weight"] is weight
    with pytest.raises(ShapeError, match="cannot be given the shape"):
        params.get("weight", shape=(4, 4))
    with refusal(ArgumentError, "dtype"):
        params.get("weight", dtype="float16")
    shared = ParameterDict("net_", shared=params)
    assert shared.get("weight") is weight
    constant = params.get_constant("table", numpy.ones(3, "f4"))
    assert params.get_constant("table") is constant


def test_two_parameters_of_one_name_do_not_mix():
    params, other = ParameterDict("a_"), ParameterDict("a_")
    params.get("weight", shape=(1,))
    other.get("weight", shape=(1,))
    with pytest.raises(ArgumentError, match="two different parameters"):
        params.update(other)


def test_collected_parameters_answer_to_path_and_name():
    net = nn.HybridSequential()
    net.add(nn.Dense(2, in_units=3), nn.Dense(1, in_units=2))
    params = net.collect_params()
    assert list(params) == ["0.weight", "0.bias", "1.weight", "1.bias"]
    assert params[net[1].bias.name] is params["1.bias"] is net[1].bias
    assert list(net.collect_params(".*weight")) == ["0.weight", "1.weight"]
    assert list(net.collect_params("1")) == ["1.weight", "1.bias"]
    params.setattr("grad_req", "null")
    assert net[0].weight.grad_req == "null"
    with pytest.raises(KeyError):
        params["nothing"]
    assert params.get("nothing") is None


def test_other_storage_types_are_made_dense_and_it_is_said():
    for named in ({"stype": "row_sparse"}, {"grad_stype": "row_sparse"}, {"stype": "csr", "grad_stype": "row_sparse"}):
        with pytest.warns(UserWarning, match="Parameter 'w' is dense.* all of its rows") as told:
            parameter = Parameter("w", shape=(3, 2), **named)
        assert [each.filename for each in told] == [__file__]
        parameter.initialize("ones")
        assert parameter.data().stype == parameter.grad().stype == "default"
    with refusal(ArgumentError, "E321: the storage type must be default, csr or row_sparse, got 'coo'"):
        Parameter("w", stype="coo")


def test_a_table_of_rows():
    """As MXNet 1.9.1: the rows that a batch reads are changed, and the table gives some of its rows."""
    with pytest.warns(UserWarning, match="Parameter 'sparseembedding\\d+_weight' is dense"):
        table = gluon.contrib.nn.SparseEmbedding(5, 3)
    table.initialize("ones")
    assert repr(table) == "SparseEmbedding(5 -> 3, float32)"
    trainer = gluon.Trainer(table.collect_params(), "sgd", {"learning_rate": 0.1})
    for _ in range(2):
        with autograd.record():
            loss = (table(np.array([1, 3])) ** 2).sum()
        loss.backward()
        trainer.step(1)
        table.hybridize()
    numpy.testing.assert_allclose(table(np.array([0, 1, 3])).asnumpy(), [[1.0] * 3, [0.64] * 3, [0.64] * 3], rtol=1e-6)
    rows = table.weight.row_sparse_data(np.array([0, 1]))
    numpy.testing.assert_allclose(rows.asnumpy()[:, 0], [1.0, 0.64, 0, 0, 0], rtol=1e-6)


def test_training_loops_ask_mxnets_trainer_for_what_waits():
    net = nn.Dense(2, in_units=3)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "adam")
    assert not trainer._params_to_init
    trainer._init_kvstore()
    assert len(trainer._updaters[0].get_states(dump_optimizer=False)) > 0


@pytest.mark.parametrize("value", [(1.0, 2.0), [1, 2]])
def test_a_call_that_is_hybridized_may_make_a_block_with_constants(value):
    """As target generators of detectors do: the value is there at once, and is asked for again."""

    class Encoder(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.means = self.params.get_constant("means", value)
            self.again = self.params.get_constant("means", (1.0, 2.0))
            self.own = gluon.Constant(value)

        def hybrid_forward(self, F, x, means, again, own):
            return F.broadcast_add(x, (means + own).reshape((1, -1)))

    class Net(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            encoder = Encoder()
            encoder.initialize()
            return encoder(x)

    net = Net()
    expected = net(np.ones((3, 2))).tolist()
    net.hybridize()
    assert net(np.ones((3, 2))).tolist() == net(np.zeros((3, 2)) + 1).tolist() == expected == [[3.0, 5.0]] * 3
