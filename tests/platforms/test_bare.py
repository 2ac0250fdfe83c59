"""hybridize where nothing is: a Debian with Python and no compiler, for each processor; long."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tomllib

import pytest

from tests.platforms import debian
from tests.platforms.debian import CHECKOUT, EMULATOR

pytestmark = pytest.mark.long
HERE = os.uname().machine
DEPENDENCIES = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]


def missing(architecture):
    """What a root of Debian needs and is not here."""
    if os.geteuid():
        return "it makes a root of Debian, as root"
    emulator = [EMULATOR] if debian.WHEELS[architecture] != HERE else []
    absent = [name for name in ("mmdebstrap", "unshare", *emulator) if not shutil.which(name)]
    return f"not here: {', '.join(absent)} (Debian: mmdebstrap qemu-user-static)" if absent else ""


@pytest.fixture(scope="module", params=debian.WHEELS)
def root(request, tmp_path_factory):
    """A Debian with Python, hybridize's wheel and those that it needs, and no tools."""
    if missing(request.param):
        pytest.skip(missing(request.param))
    place = tmp_path_factory.mktemp(request.param) / "root"
    debian.make(place, request.param, ("apt", "python3", "python3-venv"))
    assert not [name for name in ("cc", "gcc", "clang", "make", "ld") if (place / "usr/bin" / name).exists()]
    debian.pip(request.param, "download", "--dest", place / "wheels", *DEPENDENCIES)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", place / "wheels", CHECKOUT]
    subprocess.run(build, check=True)
    run(place, "python3", "-m", "venv", "/env")
    run(place, "/env/bin/pip", "install", "--no-index", "--find-links", "/wheels", "hybridize")
    yield place
    shutil.rmtree(place)


def run(root, *command, **environment):
    """The output of a program in the root."""
    done = debian.inside(root, [*command], environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def first_example():
    spec = importlib.util.spec_from_file_location("release", CHECKOUT / "packaging" / "release.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.first_example()


def test_the_first_example_and_the_command(root):
    (root / "tmp/example.py").write_text(first_example(), encoding="utf-8")
    run(root, "sh", "-c", "cd /tmp && /env/bin/python -I example.py && /env/bin/hybridize inspect my_mlp")
    assert "hybridize" in run(root, "/env/bin/hybridize", "doctor")


def test_the_demo(root):
    text = run(root, "/env/bin/python", "-I", "/src/examples/chapter_mlp.py")
    assert "fallbacks 0" in text
    assert "my_mlp.o: " in text
    assert 'pip install "hybridize[export]"' in text
    assert "All results are the same." in text


def test_the_second_process_compiles_nothing(root):
    """The disk cache serves this processor as well."""
    (root / "tmp/twice.py").write_text(
        "import sys\n"
        "from hybridize import hybridize, np\n"
        "f = hybridize(lambda x: np.tanh(x) @ x.T)\n"
        "print(float(f(np.ones((3, 4))).sum()) > 20, 'llvmlite' in sys.modules)\n"
    )
    told = [run(root, "/env/bin/python", "-I", "/tmp/twice.py", HYBRIDIZE_CACHE_DIR="/tmp/cache") for _ in range(2)]
    assert told == ["True True\n", "True False\n"]
