"""Programs of contractions over taps in every format: two layers of convolutions, inference, sizes seen and not seen."""

import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import hybridize
from hybridize import gluon, np, npx, ops
from hybridize.array.operands import operand, result
from hybridize.base.config import CONFIG
from hybridize.errors import ShapeError
from hybridize.gluon import nn

ROOT = Path(__file__).parents[2]


def drawn(*shape, seed=0):
    return numpy.random.default_rng(seed).normal(size=shape).astype("f4")


def image(rows):
    return np.array(drawn(rows, 3, 12, 14, seed=rows))


class Convolutions(gluon.HybridBlock):
    """A strided layer with a bias, one with a residual, a mean over pixels: packed weights, halos, homes, a table."""

    def __init__(self):
        super().__init__()
        self.first = gluon.Parameter("first", shape=(16, 3, 3, 3), init="xavier")
        self.bias = gluon.Parameter("bias", shape=(1, 16, 1, 1), init="normal")
        self.second = gluon.Parameter("second", shape=(16, 16, 3, 3), init="xavier")

    def forward(self, x):
        y = result(ops.convolution(operand(x), operand(self.first.data()), 2, 1)) + self.bias.data()
        y = np.maximum(y, 0)
        y = y + np.maximum(result(ops.convolution(operand(y), operand(self.second.data()), 1, 2, 2)), 0)
        return y.mean(axis=(2, 3)), y


@pytest.fixture(scope="module")
def net():
    np.random.seed(7)
    made = Convolutions()
    made.initialize()
    wanted = {rows: [each.asnumpy() for each in made(image(rows))] for rows in (1, 2, 3, 5)}
    made.hybridize()
    for rows in (1, 2, 3):  # exactly one, and any number
        made(image(rows))
    return made, wanted


@pytest.fixture(autouse=True)
def no_disk(monkeypatch):
    monkeypatch.setattr(CONFIG, "cache", False)


def close(found, wanted):
    for one, other in zip(found, wanted, strict=True):
        numpy.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_tiles_over_taps_are_what_is_saved(net):
    program = net[0].program(image(1))
    assert sum("contraction: contract" in line for line in program.schedule().splitlines()) == 2
    assert program.explain().layouts


@pytest.mark.parametrize("images", [False, True])
def test_an_archive_gives_the_same_here(net, tmp_path, images):
    made, wanted = net
    made.save(tmp_path / "net")
    loaded = hybridize.load(tmp_path / "net", images=images)
    for rows, expected in wanted.items():
        close([each.asnumpy() for each in loaded(image(rows))], expected)
    one = loaded.program(image(1)).explain()
    assert one.layouts == made.program(image(1)).explain().layouts
    assert [kernel.bytes for kernel in one.kernels] == [
        kernel.bytes for kernel in made.program(image(1)).explain().kernels
    ]


SCRIPT = """
import sys, numpy
import hybridize
loaded = hybridize.load(sys.argv[1], images=True)
for rows in (1, 2, 3, 5):
    x = numpy.random.default_rng(rows).normal(size=(rows, 3, 12, 14)).astype("f4")
    for _ in range(2):
        mean, y = loaded(hybridize.np.array(x))
    numpy.savez(f"{sys.argv[2]}{rows}.npz", mean=mean.asnumpy(), y=y.asnumpy())
print([name for name in sys.modules if name.partition(".")[0] == "llvmlite" or name.startswith("hybridize.schedule.")])
"""


def test_a_process_without_a_compiler_runs_an_archive(net, tmp_path):
    made, wanted = net
    made.export(tmp_path / "net", format="archive")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "net"), str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        timeout=120,
        env=os.environ | {"HYBRIDIZE_CACHE": "0"},
    )
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr
    for rows, expected in wanted.items():
        found = numpy.load(tmp_path / f"out{rows}.npz")
        close([found["mean"], found["y"]], expected)


@pytest.mark.parametrize("format", ["library", "object", "wasm"])
def test_exports_run_themselves_and_agree(net, tmp_path, format, system):
    """An export that differs from the imperative results is an error: nothing is written then."""
    if format == "wasm":
        system("node")
    found = net[0].export(tmp_path / "net", format=format)
    assert any("as expected" in check for check in found.checks), found


@pytest.mark.parametrize("version", ["v1_9_1_nd", "v2_0_0b1_np"])
def test_mxnets_convolutional_net_gives_mxnets_output(version):
    stem = str(Path(__file__).parent / "mxnet_files" / version / "convnet")
    made = gluon.SymbolBlock.imports(f"{stem}-symbol.json", ["data"], f"{stem}-0000.params")
    x, wanted = np.array(numpy.load(f"{stem}-input.npy")), numpy.load(f"{stem}-output.npy")
    for compiled in (False, True):
        made.hybridize(compiled)
        numpy.testing.assert_allclose(made(x).asnumpy(), wanted, rtol=1e-5, atol=1e-6)
    assert made.program(x).fallbacks == ()


def lenet():
    """LeNet on images of 28 by 28."""
    net = nn.HybridSequential()
    net.add(nn.Conv2D(6, 5, padding=2, activation="relu"), nn.MaxPool2D(2, 2))
    net.add(nn.Conv2D(16, 5, activation="relu"), nn.MaxPool2D(2, 2))
    net.add(nn.Dense(120, activation="relu"), nn.Dense(84, activation="relu"), nn.Dense(10))
    return net


class Residual(gluon.HybridBlock):
    """Two convolutions with norms beside the identity, or beside a convolution that halves the image, too."""

    def __init__(self, channels, stride=1):
        super().__init__()
        self.body = nn.HybridSequential()
        self.body.add(nn.Conv2D(channels, 3, stride, 1, use_bias=False), nn.BatchNorm(), nn.Activation("relu"))
        self.body.add(nn.Conv2D(channels, 3, 1, 1, use_bias=False), nn.BatchNorm())
        self.beside = nn.HybridSequential()
        if stride > 1:
            self.beside.add(nn.Conv2D(channels, 1, stride, use_bias=False), nn.BatchNorm())

    def forward(self, x):
        return npx.relu(self.body(x) + self.beside(x))


def resnet(widths, blocks):
    """A residual network of as many stages as there are widths, on images of any size."""
    net = nn.HybridSequential()
    net.add(nn.Conv2D(widths[0], 7, 2, 3, use_bias=False), nn.BatchNorm(), nn.Activation("relu"))
    net.add(nn.MaxPool2D(3, 2, 1))
    for number, width in enumerate(widths):
        net.add(*(Residual(width, 2 if number and not block else 1) for block in range(blocks)))
    net.add(nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(10))
    return net


def trained(net, *shapes, dynamic=None):
    """A hybridized net whose running statistics are not the first ones, called with images of these shapes; results."""
    np.random.seed(3)
    net.initialize("xavier")
    with hybridize.autograd.train_mode():
        for seed in range(3):
            net(np.array(drawn(*shapes[0], seed=seed) * 2 + 1))
    wanted = [net(np.array(drawn(*shape))).asnumpy() for shape in shapes]
    net.hybridize(dynamic=dynamic)
    for shape in shapes:
        net(np.array(drawn(*shape)))
    return net, wanted


@pytest.mark.parametrize("format", ["library", "wasm"])
def test_lenet_runs_without_python(tmp_path, format, system):
    """On every level of this machine, and in Node, for any batch."""
    if format == "wasm":
        system("node")
    net, _ = trained(lenet(), (3, 1, 28, 28), (2, 1, 28, 28), dynamic=True)
    found = net.export(tmp_path / "lenet", format=format)
    assert any("as expected" in check for check in found.checks), found


@pytest.mark.long
@pytest.mark.parametrize("format", ["library", "wasm", "archive"])
def test_resnet18_runs_without_python(tmp_path, format, system):
    if format == "wasm":
        system("node")
    net, _ = trained(resnet((64, 128, 256, 512), 2), (2, 3, 48, 40))
    found = net.export(tmp_path / "resnet", format=format)
    assert any("as expected" in check for check in found.checks), found


def test_an_archive_takes_any_batch_height_and_width(tmp_path):
    """Of sizes that were not seen, too."""
    seen = [(2, 3, 24, 20), (3, 3, 17, 23), (4, 3, 33, 18)]
    net, wanted = trained(resnet((4, 6), 1), *seen)
    net.export(tmp_path / "net", format="archive")
    net.hybridize(False)
    others = [(5, 3, 26, 31), (2, 3, 9, 64), (7, 3, 18, 19)]
    wanted += [net(np.array(drawn(*shape))).asnumpy() for shape in others]
    for images in (False, True):
        loaded = hybridize.load(tmp_path / "net", images=images)
        for shape, expected in zip([*seen, *others], wanted, strict=True):
            close([loaded(np.array(drawn(*shape))).asnumpy()], [expected])
        with pytest.raises(ShapeError) as caught:
            loaded(np.array(drawn(2, 4, 24, 20)))
        assert caught.value.loc.file == __file__
