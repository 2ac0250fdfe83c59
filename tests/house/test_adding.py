"""What docs/internals/adding.md says of adding a function is so: it is taken out of a copy of the package, and put back."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "internals" / "adding.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
EXAMPLE = next(text for title, text in SECTIONS.items() if "logaddexp2" in title)
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


def modules_with(word):
    """The modules of the package in which a word stands."""
    pattern = re.compile(rf"\b{word}\b")
    files = (ROOT / "hybridize").rglob("*.py")
    return {str(file.relative_to(ROOT)) for file in files if pattern.search(file.read_text(encoding="utf-8"))}


def test_no_more_places_than_the_page_says():
    assert modules_with("logaddexp2") == set(FILES.findall(EXAMPLE))
    assert len(modules_with("logaddexp2")) <= 4
    torchs = next(text for title, text in SECTIONS.items() if "renorm" in title)
    assert modules_with("renorm") == set(FILES.findall(torchs))
    layer = next(text for title, text in SECTIONS.items() if "GLU" in title)
    assert len(set(FILES.findall(layer))) <= 6
    of_torch = {file for file in modules_with("glu") | modules_with("GLU") if "torch" in file}
    assert (modules_with("glu") | modules_with("GLU")) - of_torch == set(FILES.findall(layer))


@pytest.mark.parametrize("put_back", [True, False])
def test_the_page_is_played(tmp_path, put_back):
    shutil.copytree(ROOT / "hybridize", tmp_path / "hybridize", ignore=shutil.ignore_patterns("__pycache__"))
    steps = re.findall(r"`(hybridize/[\w/]+\.py)`\.(?:(?!`hybridize/).)*?```python\n(.*?)```", EXAMPLE, re.DOTALL)
    assert len(steps) == 3
    for name, code in steps:
        file = tmp_path / name
        text = file.read_text(encoding="utf-8")
        assert code in text, f"{name} has other code than the page"
        file.write_text(text.replace(code, "") + (f"\n\n{code}" if put_back else ""), encoding="utf-8")
    ((table, row, word),) = re.findall(r"`(hybridize/[\w/]+\.py)`, in the row `([\w.]+)`: `(\w+)`", EXAMPLE)
    file = tmp_path / table
    text = file.read_text(encoding="utf-8").replace(f" {word} ", " ", 1)
    file.write_text(text.replace(f'"{row}": "', f'"{row}": "{word} ') if put_back else text, encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", RUN], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode == 0) == put_back, done.stderr
