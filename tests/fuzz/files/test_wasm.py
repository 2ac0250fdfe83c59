"""WebAssembly modules that are given what they should not be given, and modules that somebody edited.

That nothing of a file that was damaged is loaded is tested with the format, in tests/formats/wasm/test_files.py.
"""

import importlib.util
import json
import subprocess
from pathlib import Path

import pytest

from hybridize.formats.deployable import deployable
from hybridize.formats.wasm import write_wasm

HERE = Path(__file__).parent
NAMES = ("mlp", "together", "halves", "indices", "attention", "narrow")
"""Without a state, so that each call gives what the one before gave."""


@pytest.fixture(scope="module")
def modules(tmp_path_factory, system):
    system("node")
    folder = tmp_path_factory.mktemp("wasm")
    spec = importlib.util.spec_from_file_location("fuzz_nets", HERE / "nets.py")
    nets = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(nets)
    known = {}

    def get(name):
        if name not in known:
            known[name] = write_wasm(deployable(nets.NETS[name][0]().saved()), folder / name)
        return known[name]

    return get


def tried(modules, name, mode, count, seed=1):
    wasm, loader, _ = modules(name)
    command = ["node", HERE / "try_wasm.mjs", mode, loader, wasm, str(seed), str(count)]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout)
    assert not told["wrong"], told["wrong"][:10]
    assert told["longest"] < 1000
    assert sum(told["outcomes"].values()) == count
    return told["outcomes"]


def test_calls_that_are_wrong(modules):
    """Each is refused by name, or is a call; and the next call is right."""
    outcomes = tried(modules, "mlp", "calls", 300)
    for kind in (
        "missing",
        "no array",
        "of another type",
        "of another length",
        "by another name",
        "that says it is one",
    ):
        assert {key.partition(": ")[2].partition(":")[0] for key in outcomes if key.startswith(f"{kind}:")} == {
            "refused"
        }, kind


def test_modules_that_somebody_edited(modules):
    outcomes = tried(modules, "together", "forged", 200)
    assert len(outcomes) > 3


@pytest.mark.long
@pytest.mark.parametrize("mode", ["calls", "forged"])
@pytest.mark.parametrize("name", NAMES)
def test_many_modules(modules, name, mode):
    tried(modules, name, mode, 3000, 2)
