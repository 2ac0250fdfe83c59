"""Parameters of any generation into nets, and back."""

from pathlib import Path

import numpy
import pytest

from hybridize import autograd
from hybridize.array import np
from hybridize.base.errors import ArgumentError, LoadError
from hybridize.formats.mxnet import read_params
from hybridize.gluon import SymbolBlock, nn

FILES = Path(__file__).parent.parent / "formats" / "mxnet_files"


def get_net():
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu"), nn.Dense(128, activation="relu"), nn.Dense(2))
    return net


@pytest.mark.parametrize("generation", ["v1_9_1_nd", "v1_9_1_np", "v2_0_0b1_np"])
def test_parameters_of_every_mxnet_fit_a_new_net(generation):
    """1.x names the parameters dense0_weight, ...; whatever counters this process has reached, they are found."""
    net = get_net()
    net.load_parameters(FILES / generation / "my_mlp-0000.params")
    x = np.array(numpy.load(FILES / generation / "my_mlp-input.npy"))
    numpy.testing.assert_allclose(
        net(x).asnumpy(), numpy.load(FILES / generation / "my_mlp-output.npy"), rtol=1e-4, atol=1e-5
    )


@pytest.mark.parametrize("generation", ["v1_9_1_nd", "v1_9_1_np", "v2_0_0b1_np"])
def test_symbol_blocks_of_every_mxnet(generation):
    folder = FILES / generation
    x = np.array(numpy.load(folder / "my_mlp-input.npy"))
    expected = numpy.load(folder / "my_mlp-output.npy")
    net = SymbolBlock.imports(str(folder / "my_mlp-symbol.json"), ["data"], str(folder / "my_mlp-0000.params"))
    numpy.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-4, atol=1e-5)
    for path in (folder / "my_mlp", folder / "my_mlp-symbol.json"):
        numpy.testing.assert_allclose(SymbolBlock.read(path)(x).asnumpy(), expected, rtol=1e-4, atol=1e-5)
    assert len(net.collect_params()) == 6


def test_wrong_input_names_are_explained():
    with pytest.raises(LoadError, match=r"variable 'data' of .* is neither an input \(data0, data1\) nor in"):
        SymbolBlock.imports(
            FILES / "v1_9_1_nd/my_mlp-symbol.json", ["data0", "data1"], FILES / "v1_9_1_nd/my_mlp-0000.params"
        )


def test_unsupported_graphs_are_refused_when_read(tmp_path):
    text = (FILES / "v2_0_0b1_np/my_mlp-symbol.json").read_text().replace('"FullyConnected"', '"no_such_op"')
    (tmp_path / "net-symbol.json").write_text(text)
    with pytest.raises(LoadError, match="operator no_such_op, node 'node_"):
        SymbolBlock.imports(tmp_path / "net-symbol.json", ["data"])


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("name", ["foreachnet", "whilenet", "condnet"])
def test_control_flow_computes_what_mxnet_computed(name, hybrid):
    """MXNet's rows that a while loop did not reach are not stored: here they are 0."""
    folder = FILES / "v1_9_1_nd"
    inputs = [np.array(numpy.load(folder / f"{name}-input{k}.npy")) for k in range(2)]
    net = SymbolBlock.imports(folder / f"{name}-symbol.json", ["data0", "data1"], folder / f"{name}-0000.params")
    if hybrid:
        net.hybridize()
    found = net(*inputs)
    for k, y in enumerate(found if isinstance(found, (list, tuple)) else [found]):
        expected = numpy.load(folder / f"{name}-output{k}.npy")
        y = y.asnumpy()
        if expected.ndim:
            assert not y[len(expected) :].any()
            y = y[: len(expected)]
        numpy.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)


def test_a_loop_of_a_file_serves_all_lengths_and_has_a_gradient():
    folder = FILES / "v1_9_1_nd"
    read = ("data0", "data1"), folder / "foreachnet-0000.params"
    nets = [SymbolBlock.imports(folder / "foreachnet-symbol.json", *read) for _ in range(2)]
    nets[1].hybridize()
    for length in (5, 3, 9):
        data = numpy.random.default_rng(length).standard_normal((length, 2, 4)).astype("float32")
        gradients = []
        for net in nets:
            x, state = np.array(data), np.ones((2, 4))
            x.attach_grad()
            with autograd.record():
                rows, last = net(x, state)
                loss = (rows * rows).sum() + last.sum()
            loss.backward()
            gradients.append([x.grad.asnumpy(), *(p.grad().asnumpy() for p in net.collect_params().values())])
        for one, other in zip(*gradients, strict=True):
            numpy.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_saved_parameters_are_found_again(tmp_path):
    net, again = get_net(), get_net()
    net.initialize()
    x = np.ones((1, 20))
    expected = net(x).asnumpy()
    path = tmp_path / "net.params"
    net.save_parameters(path)
    assert list(read_params(path)) == list(net.collect_params())
    again.load_parameters(path)
    numpy.testing.assert_array_equal(again(x).asnumpy(), expected)
    again.initialize(force_reinit=True)
    buffer = again[0].weight.data()
    again.load_dict({name: p.data() for name, p in net.collect_params().items()})
    assert again[0].weight.data() is buffer
    numpy.testing.assert_array_equal(again(x).asnumpy(), expected)


def test_what_does_not_fit_is_refused_and_changes_nothing(tmp_path):
    net, path = nn.Dense(3, in_units=3), tmp_path / "f.params"
    net.initialize("ones")
    small = nn.Dense(2, in_units=2)
    small.initialize()
    small.save_parameters(path)
    with pytest.raises(LoadError, match=r"'weight': expected shape \(3, 3\), saved \(2, 2\)"):
        net.load_parameters(path)
    with pytest.raises(LoadError, match=r"parameter 'bias' is missing in the dict.*'weight'"):
        net.load_dict({"weight": numpy.zeros((3, 3), "f4")})
    with pytest.raises(LoadError, match="parameter 'x' of the dict is not in the net"):
        net.load_dict({"weight": numpy.zeros((3, 3), "f4"), "bias": numpy.zeros(3, "f4"), "x": numpy.zeros(3)})
    with pytest.raises(LoadError, match="dtype incompatible"):
        net.load_dict({"weight": numpy.zeros((3, 3)), "bias": numpy.zeros(3, "f4")})
    for holder in (net, net.collect_params()):
        with pytest.raises(ArgumentError, match="dtype_source must be current or saved, got 'file'"):
            holder.load_dict({"weight": numpy.zeros((3, 3), "f4")}, allow_missing=True, dtype_source="file")
    assert (net.weight.data().asnumpy() == 1).all()
    net.load_dict({"weight": numpy.zeros((3, 3))}, allow_missing=True, cast_dtype=True)
    assert net.weight.dtype == numpy.float32
    net.load_dict(
        {"weight": numpy.zeros((3, 3)), "y": 3},
        allow_missing=True,
        ignore_extra=True,
        cast_dtype=True,
        dtype_source="saved",
    )
    assert net.weight.data().dtype == numpy.float64


def test_shared_parameters_are_stored_once_and_need_one_name(tmp_path):
    first = nn.Dense(3, in_units=3)
    net = nn.HybridSequential()
    net.add(first, nn.Dense(3, in_units=3, params=first.params))
    net.initialize()
    path = tmp_path / "f.params"
    net.save_parameters(path, deduplicate=True)
    assert list(read_params(path)) == ["1.weight", "1.bias"]
    before = first.weight.data().asnumpy()
    net.initialize("zeros", force_reinit=True)
    net.load_parameters(path)
    numpy.testing.assert_array_equal(first.weight.data().asnumpy(), before)


def test_lists_without_names_are_refused():
    with pytest.raises(LoadError, match="2 arrays without names"):
        nn.Dense(1).load_parameters(FILES / "v1_9_1_nd/tiny_list.params")


def test_a_net_without_parameters_saves_and_loads(tmp_path):
    nn.Identity().save_parameters(tmp_path / "f.params")
    nn.Identity().load_parameters(tmp_path / "f.params")
