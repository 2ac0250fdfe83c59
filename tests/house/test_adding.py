"""What docs/internals/adding.md says of adding a function is so: it is taken out of a copy of the package, and put back."""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.samples import sampled

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "internals" / "adding.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
EXAMPLE = next(text for title, text in SECTIONS.items() if "logaddexp2" in title)
NAMES = "hybridize/array/names.py"
"""The only one that `docs/make.py` writes."""
FILES = re.compile(r"`(hybridize/[\w/]+\.py)`")
RUN = """
import numpy, torch
from hybridize import autograd, hybridize, np
x, y = numpy.array([1.0, -3.0, 1000.0]), numpy.array([2.0, -3.0, 0.0])
right = numpy.logaddexp2(x, y)
for found in (np.logaddexp2(np.array(x, dtype="float64"), np.array(y, dtype="float64")),
              hybridize(lambda a, b: np.logaddexp2(a, b))(np.array(x, dtype="float64"), np.array(y, dtype="float64")),
              hybridize(lambda a, b: torch.logaddexp2(a, b))(torch.tensor(x), torch.tensor(y))):
    numpy.testing.assert_allclose(numpy.asarray(found), right, rtol=1e-15)
numpy.testing.assert_allclose(np.logaddexp2.reduce(np.array(x)).asnumpy(), numpy.logaddexp2.reduce(x), rtol=1e-6)
"""


def maker():
    """`docs/make.py`, which is in no package."""
    spec = importlib.util.spec_from_file_location("make", ROOT / "docs" / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def modules_with(word):
    """The modules of the package in which a word stands."""
    pattern = re.compile(rf"\b{word}\b")
    files = (ROOT / "hybridize").rglob("*.py")
    return {str(file.relative_to(ROOT)) for file in files if pattern.search(file.read_text(encoding="utf-8"))}


def test_no_more_places_than_the_page_says():
    assert modules_with("logaddexp2") - {NAMES} == set(FILES.findall(EXAMPLE))
    assert len(modules_with("logaddexp2") - {NAMES}) <= 3
    torchs = next(text for title, text in SECTIONS.items() if "renorm" in title)
    assert modules_with("renorm") == set(FILES.findall(torchs))
    layer = next(text for title, text in SECTIONS.items() if "GLU" in title)
    assert len(set(FILES.findall(layer))) <= 6
    of_torch = {file for file in modules_with("glu") | modules_with("GLU") if "torch" in file}
    assert (modules_with("glu") | modules_with("GLU")) - of_torch == set(FILES.findall(layer))


@pytest.mark.parametrize("put_back", sampled([True, False], 2))
def test_the_page_is_played(tmp_path, put_back):
    shutil.copytree(ROOT / "hybridize", tmp_path / "hybridize", ignore=shutil.ignore_patterns("__pycache__"))
    steps = re.findall(r"`(hybridize/[\w/]+\.py)`\.(?:(?!`hybridize/).)*?```python\n(.*?)```", EXAMPLE, re.DOTALL)
    assert len(steps) == 3
    for name, code in steps:
        file = tmp_path / name
        text = file.read_text(encoding="utf-8")
        assert code in text, f"{name} has other code than the page"
        file.write_text(text.replace(code, "") + (f"\n\n{code}" if put_back else ""), encoding="utf-8")
    (tmp_path / NAMES).write_text(maker().names(tmp_path / "hybridize"), encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", RUN], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode == 0) == put_back, done.stderr


OF_THE_MACHINE = """
import numpy
from hybridize import autograd, hybridize, np, npx
for dtype, most in (("float32", 1e-6), ("float64", 1e-14)):
    values = numpy.array([0.25, -1.5, 7.0, 1000.125, 0.0], dtype)
    right = numpy.sin(numpy.pi * (values - 2 * numpy.rint(values / 2))).astype(dtype)
    x = np.array(values, dtype=dtype)
    x.attach_grad()
    for function in (npx.sinpi, hybridize(lambda x: npx.sinpi(x))):
        with autograd.record():
            y = function(x)
        y.backward()
        numpy.testing.assert_allclose(y.asnumpy(), right, atol=most)
        numpy.testing.assert_allclose(x.grad.asnumpy(), numpy.pi * numpy.cos(numpy.pi * values), atol=most * 4e3)
    assert y.dtype == dtype
assert hybridize(lambda x: npx.sinpi(x[x > 0]).sum())(np.ones(3)) < 1e-6
"""


def test_a_function_of_the_machine_is_added_in_three_places(tmp_path):
    text = next(text for title, text in SECTIONS.items() if "sinpi" in title)
    shutil.copytree(ROOT / "hybridize", tmp_path / "hybridize", ignore=shutil.ignore_patterns("__pycache__"))
    assert not modules_with("sinpi")
    steps = re.findall(r"`(hybridize/[\w/]+\.py)`(?:(?!`hybridize/).)*?```python\n(.*?)```", text, re.DOTALL)
    assert len(steps) == 3
    for (name, code), before in zip(steps, (r"^\)\n", r"^ANALYSIS: ", r"^SINGLE: "), strict=True):
        file = tmp_path / name
        source = file.read_text(encoding="utf-8")
        at = re.search(before, source, re.MULTILINE).start()
        code = f"    {code.strip()},\n" if "table" in text[: text.index(code)].rpartition("**")[2] else code
        file.write_text(source[:at] + code + source[at:], encoding="utf-8")
    (tmp_path / "program.py").write_text(OF_THE_MACHINE, encoding="utf-8")
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


OF_TORCH = """
import torch
from hybridize import hybridize
x = torch.arange(12.0).reshape(3, 4)
torch.testing.assert_close(hybridize(lambda x: torch.renorm(x, 2, 0, 5.0))(x), torch.renorm(x, 2, 0, 5.0))
"""
OF_ONNX = """
import onnx
from onnx import TensorProto, helper
from hybridize import load, np
node = helper.make_node("ThresholdedRelu", ["x"], ["y"], alpha=2.0)
ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in "xy"]
model = helper.make_model(helper.make_graph([node], "g", ends[:1], ends[1:]), opset_imports=[helper.make_opsetid("", 18)])
onnx.save(model, "model.onnx")
assert load("model.onnx")(np.array([1.0, 2.0, 3.0, -1.0])).tolist() == [0, 0, 3, 0]
"""
OF_GLUON = """
from hybridize import np
from hybridize.gluon import nn
layer = nn.GLU()
layer.hybridize()
assert layer(np.array([[2.0, 0.0]])).tolist() == [[1.0]]
"""


@pytest.mark.parametrize("put_back", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize(("word", "program"), [("renorm", OF_TORCH), ("ThresholdedRelu", OF_ONNX), ("GLU", OF_GLUON)])
def test_one_entry_is_added(tmp_path, word, program, put_back):
    """A torch function, an operator of ONNX, a layer: without the entry the program fails, with it it runs."""
    section = next(text for title, text in SECTIONS.items() if word in title)
    shutil.copytree(ROOT / "hybridize", tmp_path / "hybridize", ignore=shutil.ignore_patterns("__pycache__"))
    code = re.findall(r"```python\n(.*?)```", section, re.DOTALL)[-1]
    (file,) = (
        tmp_path / name for name in FILES.findall(section) if code in (tmp_path / name).read_text(encoding="utf-8")
    )
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(code, code if put_back else ""), encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode == 0) == put_back, done.stderr
    assert put_back or word in done.stderr
