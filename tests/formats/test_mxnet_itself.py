# SPDX-License-Identifier: Apache-2.0
"""Files that are handed to MXNet itself, and taken from it: both versions, in processes of their own.

`make test-long` lays both into .mxnet, with the NumPy that they were built for; that one is for Python up to 3.11.
"""

import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import hybridize
from hybridize import gluon, nd, np, npx, sym
from hybridize.base.nested import flatten
from hybridize.gluon import nn, rnn
from hybridize.gluon.model_zoo import vision
from tests.census import detectors
from tests.formats.mxnet_attention import ATTENTION
from tests.formats.mxnet_control import CONTROL, Body, draw
from tests.formats.mxnet_made import MADE
from tests.symbol.loops import LOOPS

ROOT = Path(__file__).parents[2]
VERSIONS = ("1.9.1", "2.0.0b1")
ZOO = {
    "alexnet": 96, "densenet121": 224, "inceptionv3": 299, "mobilenet0.25": 64, "mobilenetv2_0.25": 64,
    "resnet18_v1": 64, "resnet18_v2": 64, "squeezenet1.1": 224, "vgg11_bn": 64,
}  # fmt: skip
"""Networks of the zoo, and sizes of images that are enough for them."""
ORDERS = {
    name: (lambda function=function: Body(function), [(draw(3, 4),)])
    for name, function in {
        "topk": lambda x: npx.topk(x, k=2),
        "topk ascending": lambda x: npx.topk(x, k=3, axis=0, is_ascend=True),
        "topk values": lambda x: npx.topk(x, k=2, ret_typ="value"),
        "topk mask": lambda x: npx.topk(x, k=2, ret_typ="mask"),
        "sorted": np.sort,
        "taken": lambda x: np.take_along_axis(x, np.argsort(x, 0), 0),
        "gathered": lambda x: npx.gather_nd(x, np.array([[0, 1], [1, 2]], dtype="int64")),
        "leaky": lambda x: npx.leaky_relu(x, slope=0.1),
    }.items()
}
"""Sorts, and elements at places."""
EXPRESSIONS = {
    "numbers": (lambda: sym.subtract(2, X) * sym.divide(3, X) + sym.add(X, 1), {"data": (3, 4)}),
    "pairs": (lambda: sym.add(X, X) - sym.broadcast_plus(X, X) * sym.maximum(X, 0.5), {"data": (3, 4)}),
    "groups": (lambda: sym.linalg.gemm2(X, X, transpose_b=True) + sym.contrib.div_sqrt_dim(X), {"data": (3, 3)}),
    "cut": (lambda: sym.split_v2(X, (1, 3), axis=1)[1] * sym.full((3, 2), 2.5), {"data": (3, 4)}),
}
"""Functions that MXNet's files spell otherwise than programs."""
X = sym.var("data")
NETS = {
    "lenet": (
        lambda: [
            nn.Conv2D(6, 5, padding=2, activation="sigmoid"), nn.AvgPool2D(2, 2),
            nn.Conv2D(16, 5, activation="sigmoid"), nn.AvgPool2D(2, 2), nn.Dense(10),
        ],
        (2, 1, 28, 28),
    ),
    "transposed": (
        lambda: [
            nn.Conv2DTranspose(4, 3, strides=2, padding=1, output_padding=1), nn.BatchNorm(), nn.LeakyReLU(0.1),
            nn.MaxPool2D(3, 2, 1, ceil_mode=True), nn.GlobalAvgPool2D(),
        ],
        (2, 3, 9, 11),
    ),
    "signals": (
        lambda: [
            nn.Conv1D(4, 3, dilation=2), nn.MaxPool1D(2), nn.Conv1DTranspose(3, 2, 2),
            nn.AvgPool1D(3, 2, padding=1, count_include_pad=False),
        ],
        (2, 3, 24),
    ),
    "volumes": (lambda: [nn.Conv3D(4, 3), nn.AvgPool3D(2), nn.Flatten(), nn.Dense(3)], (2, 3, 8, 8, 8)),
    "padded": (
        lambda: [
            nn.ReflectionPad2D(2), nn.Conv2D(4, 3, strides=2, groups=2), nn.InstanceNorm(), nn.PReLU(),
            nn.GlobalMaxPool2D(), nn.Flatten(),
        ],
        (2, 4, 9, 9),
    ),
    "memory": (lambda: [rnn.LSTM(6, 2, bidirectional=True, layout="NTC", dropout=0.2), nn.Dense(3)], (3, 7, 4)),
    "gated": (lambda: [rnn.GRU(5, 2), nn.Dense(2, flatten=False)], (7, 3, 4)),
    "recurrent": (lambda: [rnn.RNN(5, activation="tanh"), rnn.RNN(4, bidirectional=True)], (7, 3, 4)),
    "deformable": (lambda: [nn.DeformableConvolution(4, kernel_size=3, padding=1), nn.Dense(2)], (2, 3, 8, 8)),
}  # fmt: skip


@pytest.fixture(scope="module", params=VERSIONS)
def mxnet(request):
    """Run `mxnet_process.py` in the environment of a version."""
    if sys.version_info >= (3, 12):
        pytest.skip("MXNet needs a NumPy that is there for Python up to 3.11")
    python = ROOT / ".mxnet" / request.param / "bin" / "python"
    if not python.exists():
        pytest.fail("MXNet is not there: make .mxnet/.installed")

    def run(*arguments):
        done = subprocess.run(
            [python, Path(__file__).with_name("mxnet_process.py"), *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, done.stderr[-2000:]

    run.version = request.param
    return run


def near(found, expected):
    numpy.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * abs(expected).max())


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:the net computes with the sizes of its inputs")  # SqueezeNet, as the page says
def test_mxnet_runs_what_is_exported(mxnet, tmp_path):
    expected = {}
    for name, (layers, shape) in NETS.items():
        net = nn.HybridSequential()
        net.add(*layers())
        expected[name] = exported(net, tmp_path / name, shape)
    for name, size in ZOO.items():
        net = vision.get_model(name, classes=10)
        expected[name] = exported(net, tmp_path / name, (1, 3, size, size))
    mxnet("load", tmp_path)
    for name, y in expected.items():
        found = numpy.load(tmp_path / f"{name}.found.npz")
        assert found.files == (["nd0"] if mxnet.version.startswith("1") else ["nd0", "np0"])
        for kind in found.files:
            if name == "deformable" and mxnet.version.startswith("2"):  # as docs/guide/convolutions.md says
                assert "_contrib_DeformableConvolution is not registered" in str(found[kind])
                continue
            assert found[kind].dtype.kind == "f", f"{name}: MXNet says {found[kind]}"
            near(found[kind], y)


def exported(net, path, shape):
    """Write a net and its input; return its result."""
    net.initialize()
    x = numpy.random.default_rng(0).standard_normal(shape).astype("f4")
    net.hybridize()
    y = net(np.array(x)).asnumpy()
    net.export(str(path))
    numpy.savez(f"{path}.npz", x=x)
    return y


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:the net computes with the sizes of its inputs")
@pytest.mark.parametrize(
    "nets", [CONTROL, ATTENTION, ORDERS, MADE], ids=["loops and branches", "attention", "orders", "made of others"]
)
def test_mxnet_runs_what_has_no_operator_of_its_own(mxnet, nets, tmp_path):
    expected = {}
    for name, (make, calls) in nets.items():
        net = make()
        net.initialize()
        expected |= {
            f"{name.replace(' ', '_')}_{number}": [y.asnumpy() for y in flatten(net(*map(np.array, xs)))[0]]
            for number, xs in enumerate(calls)
        }
        net.hybridize()
        net(*map(np.array, calls[0]))
        for number, xs in enumerate(calls):
            path = tmp_path / f"{name.replace(' ', '_')}_{number}"
            net.export(path)
            numpy.savez(f"{path}.npz", *xs)
    mxnet("load", tmp_path)
    for name, ys in expected.items():
        found = numpy.load(tmp_path / f"{name}.found.npz")
        for kind in ["nd"] if mxnet.version.startswith("1") else ["nd", "np"]:
            for number, y in enumerate(ys):
                z = found[f"{kind}{number}"]
                assert z.dtype.kind == "f", f"{name}: MXNet says {z}"
                assert z.shape == (y.shape or (1,))
                near(z.reshape(y.shape), y)


@pytest.mark.long
def test_mxnet_runs_loops_of_expressions(mxnet, tmp_path):
    """What `tojson` writes of them gives our results and our gradients there."""
    wanted = {}
    for name, (make, shapes) in {**LOOPS, **EXPRESSIONS}.items():
        if name == "while" and mxnet.version.startswith("2"):
            continue  # it cannot train its own either: "Assigning to NDArrays that are already in a computational graph"
        draw = numpy.random.default_rng(0)
        given = {key: draw.normal(size=shape).astype("f4") for key, shape in shapes.items()}
        expression = make()
        bound = expression.bind(
            args=given, args_grad={key: np.zeros(shape) for key, shape in shapes.items()}, grad_req="write"
        )
        results = bound.forward(is_train=True)
        bound.backward()
        wanted[name] = {f"y{number}": y.asnumpy() for number, y in enumerate(results)}
        wanted[name] |= {key: gradient.asnumpy() for key, gradient in bound.grad_dict.items()}
        expression.save(tmp_path / f"{name}-symbol.json")
        numpy.savez(tmp_path / f"{name}.npz", **given)
    mxnet("bind", tmp_path)
    for name, arrays in wanted.items():
        found = numpy.load(tmp_path / f"{name}.found.npz")
        assert sorted(found.files) == sorted(arrays)
        for key, array in arrays.items():
            assert found[key].shape == array.shape
            near(found[key], array)


@pytest.mark.long
def test_mxnets_zoo_is_ours(mxnet, tmp_path):
    mxnet("save", tmp_path, *(f"{name}={size}" for name, size in ZOO.items()))
    for name in ZOO:
        file = tmp_path / name
        known = numpy.load(f"{file}.npz")
        net = vision.get_model(name, classes=10)
        net.load_parameters(f"{file}.params")
        imported = gluon.SymbolBlock.imports(f"{file}-symbol.json", ["data"], f"{file}-0000.params")
        for block in (net, imported):
            near(block(np.array(known["x"])).asnumpy(), known["y"])
            block.hybridize()
            near(block(np.array(known["x"])).asnumpy(), known["y"])


@pytest.mark.long
def test_recurrent_layers_are_mxnets(mxnet, tmp_path):
    """Its parameters give its output here; ours, which have the names of 1.x, give our output there."""
    layers = {
        "lstm": lambda: rnn.LSTM(6, 2, bidirectional=True, layout="NTC", input_size=4),
        "gru": lambda: rnn.GRU(5, 2, layout="NTC", input_size=4),
        "rnn": lambda: rnn.RNN(5, activation="tanh", bidirectional=True, layout="NTC", input_size=4),
    }
    ours = {}
    for name, make in layers.items():
        net = ours[name] = nn.HybridSequential()
        net.add(make())
        net.initialize()
        if mxnet.version.startswith("1"):
            net.save_parameters(tmp_path / f"{name}.ours.params")
    mxnet("recurrent", tmp_path)
    for name, make in layers.items():
        stored = numpy.load(tmp_path / f"{name}.npz")
        net = nn.HybridSequential()
        net.add(make())
        net.load_parameters(tmp_path / f"{name}.params")
        near(net(np.array(stored["x"])).asnumpy(), stored["y"])
        if mxnet.version.startswith("1"):
            near(ours[name](np.array(stored["x"])).asnumpy(), stored["ours"])


@pytest.mark.long
def test_files_of_arrays_go_both_ways(mxnet, tmp_path):
    """Ours are what they are there, of both kinds of arrays where a version has both; theirs are here, too."""
    second = mxnet.version.startswith("2")
    dense = {"w": numpy.arange(6, dtype="f4").reshape(2, 3), "i": numpy.array([1, 2], "i8"), "h": numpy.ones(3, "f2")}
    scalars = {"s": numpy.array(2.5, "f4"), "e": numpy.zeros((0, 3), "f4"), **dense}
    matrix = numpy.array([[1, 0, 2], [0, 0, 0], [0, 3, 0]], "f4")
    stored = {"c": np.array(matrix).tostype("csr"), "r": np.array(matrix).tostype("row_sparse")}
    stored |= {"n": nd.sparse.zeros("csr", (2, 3)), "m": nd.sparse.zeros("row_sparse", (2, 3))}
    nd.save(tmp_path / "ours.nd.params", dense)
    nd.save(tmp_path / "ours.nd.list.params", list(dense.values()))
    nd.save(tmp_path / "ours.nd.sparse.params", stored)
    npx.save(tmp_path / "ours.np.params", scalars)
    expected = {"nd": dense, "nd.list": {str(k): x for k, x in enumerate(dense.values())}, "np": scalars}
    expected["nd.sparse"] = {name: x.asnumpy() for name, x in stored.items()}
    if second:
        npx.savez(tmp_path / "ours.z.npz", **dense, **{f"a.{name}": x for name, x in dense.items()})
        npx.savez(tmp_path / "ours.z.sparse.npz", **stored)
        npx.save(tmp_path / "ours.z.npy", dense["w"])
        expected["z"] = dense | {f"a.{name}": x for name, x in dense.items()}
    mxnet("files", tmp_path)
    seen = set()
    for file in tmp_path.glob("*.found.npz"):
        found = dict(numpy.load(file))
        stypes = {name[: -len(".STYPE")]: str(found.pop(name)) for name in list(found) if name.endswith(".STYPE")}
        what = file.name.removeprefix("ours.").rsplit(".", 4)[0]
        wanted = {"alone": dense["w"]} if "npy" in file.name else expected["nd.sparse" if "sparse" in what else what]
        if "npy" in file.name and ".nd." in file.name:
            wanted = {"0": dense["w"]}
        seen.add(file.name)
        assert sorted(found) == sorted(wanted)
        for name, x in wanted.items():
            assert (found[name].dtype, found[name].shape) == (x.dtype, x.shape), (file, name)
            numpy.testing.assert_array_equal(found[name], x)
            assert stypes[name] == (stored[name].stype if "sparse" in what else "default")
    assert len(seen) == (9 if second else 4)
    theirs = [nd.load(tmp_path / "theirs.params"), nd.load(tmp_path / "theirs.list.params")]
    if second:
        theirs.append(npx.load(tmp_path / "theirs.npz"))
        assert npx.load(tmp_path / "theirs.npy").tolist() == [[1, 2]]
    for arrays in theirs:
        arrays = list(arrays.values()) if isinstance(arrays, dict) else arrays
        assert [x.stype for x in arrays] == ["default", "csr", "row_sparse", "csr", "row_sparse"]
        for x in arrays[:3]:
            numpy.testing.assert_array_equal(x.asnumpy(), matrix)
        for x in arrays[3:]:
            numpy.testing.assert_array_equal(x.asnumpy(), numpy.zeros((2, 3)))


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*was exported without its attributes")
def test_loops_that_mxnet_cannot_read_itself(mxnet, tmp_path):
    if mxnet.version.startswith("1"):
        pytest.skip("1.x writes the attributes of loops")
    mxnet("lost", tmp_path)
    for name in ("loop", "branch", "other"):
        known = numpy.load(tmp_path / f"{name}.npz")
        xs = [known[key] for key in known.files if key.startswith("arr")]
        net = gluon.SymbolBlock.imports(tmp_path / f"{name}-symbol.json", [f"data{k}" for k in range(len(xs))])
        for _ in range(2):
            for number, y in enumerate(net(*map(np.array, xs))):
                near(y.asnumpy(), known[f"y{number}"])
            net.hybridize()


class Call(gluon.HybridBlock):
    """A function of `F` and arrays as a block."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def hybrid_forward(self, F, *xs):
        return self.function(F, *xs)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:the net computes with the sizes of its inputs")
def test_detectors_go_both_ways(mxnet, tmp_path):
    """Their heads, and calls of the operators of these: our files there, and MXNet's here."""
    if mxnet.version.startswith("2"):
        pytest.skip("2.0 has no hybrid_forward")
    nets = detectors.nets(hybridize)
    ours, theirs, expected = tmp_path / "ours", tmp_path / "theirs", {}
    ours.mkdir()
    theirs.mkdir()
    mxnet("detect", theirs)
    for name, (make, xs) in {
        **{name: (lambda function=function: Call(function), xs) for name, (function, xs) in detectors.CALLS.items()},
        **{name: (make, detectors.inputs_of(shapes)) for name, (make, shapes) in nets.items()},
    }.items():
        arrays = [nd.array(x, dtype=x.dtype) for x in xs]
        net = make()
        detectors.initialize(net, hybridize, arrays)
        wanted = [y.asnumpy() for y in flatten(net(*arrays))[0]]
        net.hybridize()
        net(*arrays)
        net.export(ours / name)
        numpy.savez(ours / f"{name}.npz", *xs)
        expected[name] = wanted
        names = ["data"] if len(xs) == 1 else [f"data{number}" for number in range(len(xs))]
        params = theirs / f"{name}-0000.params"
        imported = gluon.SymbolBlock.imports(theirs / f"{name}-symbol.json", names, params if params.exists() else None)
        stored = numpy.load(theirs / f"{name}.npz")
        for _ in range(2):
            for number, (y, z) in enumerate(zip(flatten(imported(*arrays))[0], wanted, strict=True)):
                for found in (y.asnumpy(), z):
                    assert (found.dtype, found.shape) == (stored[f"y{number}"].dtype, stored[f"y{number}"].shape), name
                    near(found, stored[f"y{number}"])
            imported.hybridize()
    mxnet("load", ours)
    for name, ys in expected.items():
        found = numpy.load(ours / f"{name}.found.npz")
        for number, y in enumerate(ys):
            assert found[f"nd{number}"].dtype == y.dtype, f"{name}: MXNet says {found['nd0']}"
            near(found[f"nd{number}"], y)
