"""SavedModels that TensorFlow wrote, against its own numbers: `tests/suites/doors/programs/tensorflow_programs.py`."""

import importlib.util
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy
import pytest

from hybridize import load, np
from hybridize.base.errors import AssertionFailed, LoadError

HERE = Path(__file__).parent
MODELS = sorted(path.stem for path in (HERE / "models").glob("*.zip"))
LARGE = [
    "arithmetic",
    "raw_arrays",
    "raw_elementwise",
    "raw_colours",
    "raw_matrices",
    "raw_segments",
    "resized_images",
    "slices",
]
"""Models of many results: their compilation takes seconds."""
_PATH = HERE.parents[1] / "suites/doors/programs/compare.py"
_SPEC = importlib.util.spec_from_file_location("doors_compare", _PATH)
comparison = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(comparison)


def unpacked(name, folder):
    """The folder of a model; its numbers lie beside it."""
    with zipfile.ZipFile(HERE / "models" / f"{name}.zip") as file:
        file.extractall(folder)
    return folder / name


def batch(numbers, call=0):
    """The inputs of a call."""
    start = f"{call}.in."
    return [np.array(numbers[key], dtype=numbers[key].dtype) for key in numbers.files if key.startswith(start)]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long) if name in LARGE else name for name in MODELS]
)
def test_a_model_gives_tensorflows_numbers(name, tmp_path):
    unpacked(name, tmp_path)
    assert comparison.compare(tmp_path, name) < 2e-6


@pytest.mark.parametrize("name", [*LARGE, "raw_spectra", "counters", "small_lstm", "training_step", "random_bits"])
def test_it_gives_them_imperatively_too(name, tmp_path):
    unpacked(name, tmp_path)
    assert comparison.compare(tmp_path, name, imperative=True) < 2e-6


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(name, marks=pytest.mark.long) for name in (*LARGE, "training_step")),
        *("small_lstm", "subclassed_training", "tensor_array"),
    ],
)
def test_other_sizes_are_one_general_program(name, tmp_path):
    net = load(unpacked(name, tmp_path), signature=str(numpy.load(tmp_path / f"{name}.npz")["signature"]))
    numbers = numpy.load(tmp_path / f"{name}.npz")
    for size in (3, 4, 6, 5):
        whole = [numpy.resize(x.asnumpy(), (size if name != "raw_arrays" or x.ndim > 1 else 2, *x.shape[1:]))
                 for x in batch(numbers)]  # fmt: skip
        net(*(np.array(x, dtype=x.dtype) for x in whole))
    assert net.cache_info().programs == 2


def test_tensorflow_is_not_loaded(tmp_path):
    folder = unpacked("structured", tmp_path)
    program = (
        "import sys; from hybridize import load, np\n"
        f"net = load({str(folder)!r}); net(np.ones((1, 4)), np.ones((1, 3)))\n"
        "assert not {'tensorflow', 'keras', 'google.protobuf', 'hybridize.torch', 'hybridize.formats.onnx.read',"
        "            'hybridize.formats.tflite'} & set(sys.modules)\n"
        "tables = {name.rpartition('.')[2] for name in sys.modules if name.startswith('hybridize.formats.tensorflow.')}\n"
        "assert not {'windows', 'control', 'gradients', 'random', 'lists', 'reductions'} & tables, tables"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_inputs_and_results_have_the_names_of_the_signature(tmp_path):
    net = load(unpacked("structured", tmp_path))
    assert [str(port) for port in net.inputs] == ["inputs: f32[?,4]", "inputs_1: f32[?,3]"]
    assert [str(port) for port in net.outputs] == ["joined: f32[?,7]", "sum: f32[?,1]"]
    result = net(inputs_1=np.ones((2, 3)), inputs=np.ones((2, 4)))
    assert sorted(result) == ["joined", "sum"] and result["joined"].shape == (2, 7)


def test_weights_are_parameters_that_can_be_trained(tmp_path):
    from hybridize import autograd

    net = load(unpacked("structured", tmp_path))
    parameters = net.collect_params()
    assert set(parameters) >= {"dense/kernel", "dense_1/bias"}
    x, y = np.ones((2, 4)), np.ones((2, 3))
    before = net(x, y)["joined"]
    with autograd.record():
        loss = net(x, y)["joined"].sum()
    loss.backward()
    assert numpy.allclose(parameters["dense/bias"].grad(), 2)
    parameters["dense/bias"].set_data(parameters["dense/bias"].data() + 1)
    assert numpy.allclose(net(x, y)["joined"][:, :5], before[:, :5] + 1)


def test_a_loop_has_a_gradient(tmp_path):
    """A recurrent layer is a scan: its gradient by finite differences."""
    from hybridize import autograd

    net = load(unpacked("small_lstm", tmp_path))
    x = np.array(numpy.random.default_rng(0).standard_normal((1, 4, 3)).astype("f4"))
    x.attach_grad()
    for _ in range(2):
        with autograd.record():
            net(x).sum().backward()
    step = numpy.zeros((1, 4, 3), "f4")
    step[0, 1, 2] = 1e-2
    rise = (net(x + np.array(step)).sum() - net(x - np.array(step)).sum()) / 2e-2
    assert abs(float(rise) - float(x.grad[0, 1, 2])) < 1e-3


def test_integers_whose_sizes_alone_are_asked_for_do_not_specialize_a_program(tmp_path):
    net = load(unpacked("sorted_integers", tmp_path))
    for numbers in ([3, 1, 2], [1, 2, 3], [2, 2, 0]):
        net(np.array(numbers, dtype="int32"))
    assert net.cache_info().programs == 1
    net.save(tmp_path / "sorted")
    assert load(tmp_path / "sorted")(np.array([5, 3, 4], dtype="int32"))["output_0"].tolist() == [1, 2, 0]


def test_variables_that_calls_change_are_saved_with_the_rest(tmp_path):
    folder = unpacked("counters", tmp_path)
    numbers = numpy.load(tmp_path / "counters.npz")
    net = load(folder, signature="__call__")
    for call in range(2):
        net(*batch(numbers, call))
    net.save_parameters(str(tmp_path / "counters.params"))
    other = load(folder, signature="__call__")
    other.load_parameters(str(tmp_path / "counters.params"))
    result = other(*batch(numbers, 2))
    assert int(result[1]) == 3
    assert numpy.allclose(result[0], numbers["2.out.0"], atol=1e-6)


def test_an_assertion_of_the_model_is_an_error_and_changes_nothing(tmp_path):
    net = load(unpacked("asserted", tmp_path))
    for _ in range(3):
        with pytest.raises(AssertionFailed, match="too small"):
            net(np.full((2, 3), -200.0))
        assert numpy.allclose(net(np.full((2, 3), 4.0)), 2)


@pytest.mark.parametrize(
    ("name", "signature", "words"),
    [("counters", "other", "it has serving_default, __call__"), ("structured", "train", "serving_default")],
)
def test_what_signatures_there_are_is_said(name, signature, words, tmp_path):
    with pytest.raises(LoadError, match="no signature") as error:
        load(unpacked(name, tmp_path), signature=signature)
    assert words in str(error.value)


def test_files_of_keras_are_told_what_to_do(tmp_path):
    (tmp_path / "old.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    with zipfile.ZipFile(tmp_path / "new.keras", "w") as file:
        file.writestr("metadata.json", "{}")
        file.writestr("config.json", "{}")
    for name in ("old.h5", "new.keras"):
        with pytest.raises(LoadError, match="layers of Keras") as error:
            load(tmp_path / name)
        assert "keras.models.load_model(path), then hybridize it; or model.export(folder) once" in str(error.value)


def test_every_operator_is_on_the_guides_page():
    from hybridize.formats.tensorflow.vocabulary import TENSORFLOW

    page = (HERE.parents[2] / "docs/guide/saved-models.md").read_text()
    listed = page.partition("## Operators\n\n")[2].strip().removesuffix(".").split(", ")
    assert listed == [f"`{name}`" for name in TENSORFLOW.operators()]
