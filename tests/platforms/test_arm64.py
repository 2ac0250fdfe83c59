"""Files that go between an emulated Linux on AArch64 and this machine; long."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from hybridize.codegen.levels import runnable
from tests.platforms import arm64, debian
from tests.platforms.debian import CHECKOUT

SCRIPT = "tests/platforms/exchanged.py"
TARGETS = "aarch64-linux", "avx2-linux", "baseline-linux"
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif("avx2" not in runnable(), reason="both sides are compared with AVX2's code"),
    pytest.mark.skipif(not (arm64.ROOT / arm64.PACKAGES).exists(), reason="`make test-arm64` makes the root of Debian"),
]


def here(*words, cache=None):
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT), **cached(cache)}
    return _output(subprocess.run([sys.executable, SCRIPT, *words], env=environment, cwd=CHECKOUT, **CAUGHT))


def there(*words, cache=None):
    return _output(debian.inside(arm64.ROOT, ["python3", SCRIPT, *words], cached(cache), **CAUGHT))


def cached(folder):
    """The variables for a disk cache in a folder, or for none."""
    return {"HYBRIDIZE_CACHE": "1", "HYBRIDIZE_CACHE_DIR": str(folder)} if folder else {"HYBRIDIZE_CACHE": "0"}


CAUGHT = {"capture_output": True, "text": True}


def _output(done):
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def shared():
    """A folder of this machine, and its name there; a run that was stopped has left its own."""
    place = Path(tempfile.mkdtemp(prefix="exchanged-", dir=arm64.ROOT / "tmp"))
    yield place, f"/tmp/{place.name}"
    subprocess.run(["rm", "-r", place], check=True)


@pytest.fixture(scope="module")
def written(shared):
    """What each of both writes of one net and one function."""
    place, inside = shared
    here("write", str(place / "here"), *TARGETS)
    there("write", f"{inside}/there", *TARGETS)
    return place / "here", place / "there"


def test_every_export_has_the_same_bytes_wherever_it_is_written(written):
    """So what was run of the ones also holds for the others."""
    contents = [
        {
            file.relative_to(folder): file.read_bytes()
            for file in folder.rglob("*")
            if file.suffix in (".o", ".wasm", ".h")
        }
        for folder in written
    ]
    assert len(contents[0]) >= 11
    assert [name for name in contents[0] if contents[0][name] != contents[1].get(name)] == []


def test_code_in_archives_runs_on_the_other_machine(written, shared):
    place, inside = shared
    for writer in ("here", "there"):
        assert here("read", str(place / writer / "f")) == "False"
        assert there("read", f"{inside}/{writer}/f") == "False"


def test_one_cache_serves_both(shared):
    """Each finds its own code there, and none of the other's."""
    place, inside = shared
    told = [run("call", cache=cache) for run, cache in [(here, place / "cache"), (there, f"{inside}/cache")] * 2]
    assert told == ["True", "True", "False", "False"]
