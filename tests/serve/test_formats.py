"""Files that other programs wrote are served as `load` reads them: sizes that are known, are not known, are few."""

import json
import zipfile
from pathlib import Path

import numpy
import pytest

import hybridize
from hybridize.serve.datatypes import DTYPES
from hybridize.serve.loaded import LoadedModel
from hybridize.serve.sources import Sources, snapshot
from tests.formats.tflite.test_read import dense

FORMATS = Path(__file__).parents[1] / "formats"
SAVED_MODELS = sorted((FORMATS / "tensorflow" / "models").glob("*.zip"))
PAIRS = sorted((FORMATS / "mxnet_files").glob("v*/*-symbol.json"))


def opened(path):
    """The one model at a path."""
    ((versions),) = Sources([str(path)]).scan().values()
    (source,) = versions.values()
    with snapshot(source) as copy:
        return LoadedModel(source, copy, {})


def test_a_model_of_tflite(running, tmp_path):
    (tmp_path / "m.tflite").write_bytes(dense())
    with running(tmp_path / "m.tflite", max_batch=4) as server:
        metadata = json.loads(server.ask("/v2/models/m")[2])
        assert metadata["platform"] == "tflite"
        x = numpy.arange(8, dtype="float32").reshape(2, 4)
        status, answer = server.infer("m", x, names=[metadata["inputs"][0]["name"]])
        expected = hybridize.load(tmp_path / "m.tflite")(hybridize.np.array(x)).asnumpy()
        assert status == 200
        numpy.testing.assert_allclose(answer["outputs"][0]["data"], expected.reshape(-1), 1e-5)


@pytest.mark.parametrize("path", SAVED_MODELS[:4], ids=lambda path: path.stem)
def test_saved_models(tmp_path, path):
    with zipfile.ZipFile(path) as file:
        file.extractall(tmp_path / "m")
    folder = next(tmp_path.rglob("saved_model.pb")).parent
    model = opened(f"m={folder}")
    assert model.platform == "saved_model"
    arrays = [numpy.ones([max(size, 1) for size in port.shape], port.dtype) for port in model.inputs]
    outputs = model.run(model.arranged({port.name: array for port, array in zip(model.inputs, arrays, strict=True)}))
    assert len(outputs) == len(model.outputs)
    for port, output in zip(model.outputs, outputs, strict=True):
        assert port.dtype in (None, output.dtype)


@pytest.mark.parametrize("path", PAIRS[:3], ids=lambda path: f"{path.parent.name} {path.stem}")
def test_pairs_of_mxnet(path):
    """Their files say no types: metadata say what is likely, and any type and size goes to the model."""
    model = opened(path)
    assert model.platform == "mxnet"
    for port in model.inputs:
        described = port.described()
        assert (described["datatype"], described["shape"]) == ("FP32", [-1])


@pytest.mark.parametrize("name", ["v2-mlp", "v2-bf16", "v2-state", "v2-random", "v2-control"])
def test_old_archives(name):
    """What an archive takes and gives, numbers of Python's and several results included."""
    model = opened(FORMATS / "golden" / f"{name}.hybridize")
    shapes = [[size if size > 0 else 2 for size in port.shape] for port in model.inputs]
    arrays = [numpy.ones(shape, port.dtype) for shape, port in zip(shapes, model.inputs, strict=True)]
    outputs = model.run(arrays)
    assert [port.dtype for port in model.outputs] == [output.dtype for output in outputs]
    assert all(port.described()["datatype"] in DTYPES for port in (*model.inputs, *model.outputs))
