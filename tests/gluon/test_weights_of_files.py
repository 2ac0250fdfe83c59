"""Weights of loaded models are in memory once, and no longer in the file: it may change, shrink or go away."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy
import onnx
import pytest

from hybridize import load, np
from hybridize.autograd import record
from hybridize.gluon import Trainer
from tests.formats.onnx.oracles import info, model_of, node
from tests.formats.tflite.test_read import dense
from tests.onnx_models import image_net

STORED = Path(__file__).parents[1] / "formats/tensorflow/models"
SIZE = 64
MEASURE = """
import sys
from pathlib import Path
import hybridize, hybridize.gluon.imported_block, hybridize.formats.onnx.read, hybridize.formats.tflite.read

def amount(file, word):
    return next(int(line.split()[1]) << 10 for line in Path(file).read_text().splitlines() if line.startswith(word))

before, highest = amount("/proc/self/smaps_rollup", "Rss:"), amount("/proc/self/status", "VmHWM:")
net = hybridize.load(sys.argv[1])
print(amount("/proc/self/smaps_rollup", "Rss:") - before, amount("/proc/self/status", "VmHWM:") - highest)
"""


def layers(count, size=SIZE):
    """Products with matrices whose bytes lie in the file as they come, aligned for floats or not."""
    square = numpy.random.RandomState(0).rand(size, size).astype("f4") - 0.5
    weights = {f"w{'_' * k}": square + k for k in range(count)}
    names = ["x", *(f"y{k}" for k in range(count - 1)), "y"]
    nodes = [node("MatMul", f"{names[k]} {weight}", [names[k + 1]]) for k, weight in enumerate(weights)]
    return model_of(nodes, [info("x", "f4", ["n", size])], [info("y", "f4", ["n", size])], weights)


def saved(model, path, external):
    onnx.save(model, path, save_as_external_data=external, location="weights.bin")
    return sum(one.stat().st_size for one in path.parent.iterdir())


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="Linux says what memory a process has")
@pytest.mark.parametrize("external", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_load_takes_the_weights_once(tmp_path, external):
    size = saved(layers(8, 1024), tmp_path / "net.onnx", external)
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, tmp_path / "net.onnx"],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    rest, highest = map(int, done.stdout.split())
    assert size <= rest + (2 << 20) <= size + (14 << 20), "weights are cut from chunks of 8 MiB"
    assert highest <= size + (18 << 20), "the largest weight is there twice for a moment"


def tensorflow_folder(folder):
    with zipfile.ZipFile(STORED / "small_lstm.zip") as file:
        file.extractall(folder)
    return next(path.parent for path in folder.rglob("saved_model.pb"))


def files(kind, folder):
    """A model of a kind: its path, its own input, and all files of it."""
    path = folder / "net"
    if kind == "tensorflow":
        path = tensorflow_folder(folder)
        net = load(path)
        shape = [3 if not isinstance(size, int) else size for size in net.inputs[0].shape]
        return path, numpy.ones(shape, net.inputs[0].dtype), [one for one in path.rglob("*") if one.is_file()]
    if kind == "tflite":
        path.write_bytes(dense())
        return path, numpy.ones((1, 4), "f4"), [path]
    path = path.with_suffix(".onnx")
    saved(layers(2), path, kind == "external")
    return path, numpy.ones((2, SIZE), "f4"), [*folder.iterdir()]


def flat(result):
    return [one.asnumpy() for one in (result.values() if isinstance(result, dict) else
            result if isinstance(result, tuple) else [result])]  # fmt: skip


@pytest.mark.parametrize("kind", ["onnx", "external", "tflite", "tensorflow"])
@pytest.mark.parametrize("change", ["overwritten", "cut short", "deleted"])
def test_what_becomes_of_the_file_changes_nothing(tmp_path, kind, change):
    path, x, every = files(kind, tmp_path)
    before = flat(load(path)(np.array(x)))
    net, called = load(path), load(path)
    called(np.array(x))
    mapped = Path("/proc/self/maps").read_text() if sys.platform == "linux" else ""
    for one in every:
        assert str(one) not in mapped
        if change == "overwritten":
            with open(one, "r+b") as file:
                file.write(b"\1" * one.stat().st_size)
        elif change == "cut short":
            os.truncate(one, 0)
        else:
            one.unlink()
    for each in (net, called):
        for ours, theirs in zip(flat(each(np.array(x))), before, strict=True):
            numpy.testing.assert_array_equal(ours, theirs)
    if net._state:
        net.reset()


def test_training_never_writes_to_the_file_and_the_net_is_saved_over_it(tmp_path):
    path = tmp_path / "net.onnx"
    onnx.save(image_net(), path)
    content, x = path.read_bytes(), np.array(numpy.random.RandomState(1).rand(2, 3, 6, 6).astype("f4"))
    net = load(path)
    before = net(x).asnumpy()
    trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    for _ in range(2):
        with record():
            loss = (net(x) ** 2).sum()
        loss.backward()
        trainer.step(2)
    after = net(x).asnumpy()
    assert abs(after - before).max() > 1e-3 and path.read_bytes() == content
    net.export(path, format="onnx")
    numpy.testing.assert_allclose(load(path)(x).asnumpy(), after, rtol=1e-5, atol=1e-6)
    numpy.testing.assert_array_equal(net(x).asnumpy(), after)


def test_shapes_tables_and_constants_are_in_memory_too(tmp_path):
    path = tmp_path / "net.onnx"
    onnx.save(image_net(), path)
    net = load(path)
    os.truncate(path, 0)
    for size in (4, 5):
        assert net(np.zeros((size, 3, 8, 8), dtype="float32")).shape == (size, 5)
