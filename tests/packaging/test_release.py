"""What is released: the files hold the package and nothing else, install where nothing is, and their ranges are true."""

import importlib.util
import os
import subprocess
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

venv = pytest.importorskip("venv", reason="the embeddable Python for Windows has none")

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TOOLS = ("build", "twine", "check-wheel-contents")


def script():
    """`packaging/release.py`, which is in no package."""
    spec = importlib.util.spec_from_file_location("release", ROOT / "packaging" / "release.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RELEASE = script()


@pytest.fixture
def source(tmp_path):
    """A small source with the places that a release looks at."""
    (tmp_path / "hybridize/base").mkdir(parents=True)
    (tmp_path / "hybridize/py.typed").write_text("")
    (tmp_path / "hybridize/base/version.py").write_text('VERSION: Final = "1.2.0"\n')
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2.0"\n')
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.0 (2026-11-30)\n\nText.\n")
    return tmp_path


def wheel_of(folder, *names):
    info = "hybridize-1.2.0.dist-info"
    wheel = folder / "hybridize-1.2.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in (*names, f"{info}/METADATA", f"{info}/entry_points.txt", f"{info}/licenses/LICENSE"):
            archive.writestr(name, "")
    return wheel


def test_a_good_wheel(source):
    wheel = wheel_of(source, "hybridize/py.typed", "hybridize/base/version.py")
    assert list(RELEASE.wheel_problems(wheel, source)) == []
    assert list(RELEASE.version_problems(source)) == []


def test_what_a_wheel_must_not_have_and_lacks(source):
    wheel = wheel_of(source, "hybridize/base/version.py", "tests/test_x.py", "benchmarks/x.py", "hybridize/old.py")
    assert list(RELEASE.wheel_problems(wheel, source)) == [
        f"{wheel.name} has benchmarks/x.py",
        f"{wheel.name} has tests/test_x.py",
        f"{wheel.name} lacks hybridize/py.typed",
        f"{wheel.name} has hybridize/old.py, which is not in the source",
    ]


def test_versions_that_differ(source):
    (source / "hybridize/base/version.py").write_text('VERSION: Final = "1.1.0"\n')
    (source / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n")
    first, second = RELEASE.version_problems(source)
    assert first == "pyproject.toml says 1.2.0, hybridize/base/version.py says 1.1.0"
    assert second == "CHANGELOG.md begins with 'Unreleased', not with '1.2.0 (YEAR-MONTH-DAY)'"


def test_what_a_source_lacks(tmp_path):
    archive = tmp_path / "hybridize-1.2.0.tar.gz"
    (tmp_path / "README.md").write_text("")
    with tarfile.open(archive, "w:gz") as file:
        file.add(tmp_path / "README.md", "hybridize-1.2.0/README.md")
    lacking = {line.rpartition(" ")[2] for line in RELEASE.source_problems(archive)}
    assert lacking == {*RELEASE.OF_SOURCE, *RELEASE.FOLDERS} - {"README.md"}


def test_one_version():
    own = importlib.import_module("hybridize").__version__
    assert own == PROJECT["version"]


def test_the_first_example_is_the_readmes():
    assert RELEASE.first_example().startswith("from hybridize import np\n")


def environment(folder, *packages):
    """An environment of its own with these packages."""
    venv.create(folder, with_pip=True)
    command = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "bin" / "python"


@pytest.fixture(scope="module")
def tools(tmp_path_factory):
    return environment(tmp_path_factory.mktemp("tools") / "environment", *TOOLS)


@pytest.fixture(scope="module")
def wheel(tools, tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    done = subprocess.run([tools, "-m", "build", "--outdir", folder, ROOT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl"))


@pytest.mark.long
def test_release(tools, tmp_path):
    """Source and wheel are built, checked, installed in empty environments, and run the README's first example."""
    command = [tools, ROOT / "packaging" / "release.py", "--dirty", "--folder", tmp_path / "dist"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("installs in an empty environment and runs the README's first example") == 2


def lowest(requirements):
    """Each requirement at the lower end of its range."""
    return [one.split(";")[0].replace(">=", "==").split(",")[0].strip() for one in requirements if ">=" in one]


CHECKS = {
    "onnx": "import onnx; net.export('m', format='onnx'); onnx.checker.check_model('m.onnx'); hybridize.load('m.onnx')(x)",
    "plot": "from hybridize import d2l; d2l.plot([1, 2], [3, 4])",
    "image": "from hybridize import image; image.imresize(np.zeros((4, 4, 3), dtype='uint8'), 2, 2)",
    "data": "from hybridize.gluon.data import sets; assert len(sets.digits())",
    "serve": "from hybridize.serve import server, rest, telemetry",
}
"""What proves that an extra works."""


@pytest.mark.long
@pytest.mark.parametrize("end", ["lower", "upper"])
@pytest.mark.parametrize("extra", ["", *CHECKS])
def test_ranges_are_true_at_both_ends(wheel, tmp_path, end, extra):
    """With the oldest versions that the ranges permit, and with the newest that pip finds."""
    wanted = [*PROJECT["dependencies"], *(PROJECT["optional-dependencies"][extra] if extra else [])]
    packages = lowest(wanted) if end == "lower" else []
    python = environment(tmp_path / "environment", f"{wheel}[{extra}]" if extra else str(wheel), *packages)
    program = tmp_path / "program.py"
    lines = RELEASE.first_example(), "import hybridize", "from hybridize import np", CHECKS.get(extra, "")
    program.write_text("\n".join(lines), encoding="utf-8")
    own = {name: value for name, value in os.environ.items() if not name.startswith(("HYBRIDIZE_", "PYTHON"))}
    for command in ([python, "-I", program], [python.parent / "hybridize", "doctor"]):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=own)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "compiles, and gives NumPy's result" in done.stdout, done.stdout
