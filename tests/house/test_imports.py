"""What importing costs; who may import whom is what `make lint` asks import-linter."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def modules_after(statement: str, **environment: str) -> set[str]:
    """Names of the modules that a fresh interpreter has loaded after `statement`."""
    env = os.environ | environment
    code = f"import sys\n{statement}\nprint(chr(10).join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


LATE = {
    "other people's programs": {"torch", "onnx", "typer", "rich", "hypothesis"},
    "the compiler, loaded with the first compilation": {"llvmlite", "hybridize.codegen.llvm", "hybridize.schedule"},
    "formats, loaded with the first file": {
        "zipfile", "tempfile", "hybridize.formats.archive.writing",
        "hybridize.formats.archive.lines", "hybridize.formats.mxnet.table",
        "hybridize.formats.mxnet.write",
    },
    "what costs milliseconds and has cheaper means": {
        "hashlib", "logging", "numpy.ma", "numpy.random", "pathlib", "random", "sysconfig", "tempfile",
    },
}  # fmt: skip
"""What `import hybridize` does without, so that it stays a matter of a tenth of a second."""


def test_import_hybridize_is_light():
    loaded = modules_after("import hybridize") - modules_after("import numpy")
    assert {why: found for why, names in LATE.items() if (found := names & loaded)} == {}


NET = (
    "from hybridize import np; from hybridize.gluon import nn;"
    "net = nn.HybridSequential(); net.add(nn.Dense(2, in_units=3, activation='relu')); net.initialize();"
    "net.hybridize(); x = np.ones((4, 3))"
)


def test_the_first_call_waits_for_no_entry():
    """Its code, and the code of the pool, takes LLVM as long as a small program: it is made at the second call."""
    runtimes = "hybridize.codegen.runtimes"
    first = modules_after(f"{NET}; net(x)", HYBRIDIZE_CACHE="0")
    assert "llvmlite" in first
    assert not first & {
        runtimes,
        "hybridize.codegen.llvm.timed",
        "numpy.ma",
        "logging",
    }
    assert runtimes in modules_after(f"{NET}; net(x); net(x)", HYBRIDIZE_CACHE="0")


def test_a_call_that_the_disk_knows_loads_nothing(tmp_path):
    known = {"HYBRIDIZE_CACHE": "1", "HYBRIDIZE_CACHE_DIR": str(tmp_path / "cache")}
    modules_after(f"{NET}; net(x); net(x)", **known)
    assert modules_after(f"{NET}; net(x); net(x)", **known) == modules_after(NET, **known)


def test_imperative_nets_and_files_need_no_compiler():
    loaded = modules_after(
        "import os, tempfile; from hybridize import np; from hybridize.gluon import nn;"
        "net = nn.HybridSequential(); net.add(nn.Dense(2, in_units=3)); net.initialize(); net(np.ones((64, 3)));"
        "path = os.path.join(tempfile.mkdtemp(), 'net.params'); net.save_parameters(path); net.load_parameters(path)"
    )
    assert not loaded & {"llvmlite", "hybridize.codegen.llvm", "hybridize.schedule"}


def test_runtime_alone_knows_no_compiler():
    """A package's `__init__` runs first, so the public surface is replaced by an empty one with the same folder."""
    alone = (
        "import types; package = types.ModuleType('hybridize'); package.__path__ = ['hybridize'];"
        "sys.modules['hybridize'] = package; import hybridize.runtime"
    )
    loaded = modules_after(alone)
    assert "llvmlite" not in loaded
    ours = {name.split(".")[1] for name in loaded if name.startswith("hybridize.")}
    assert ours <= {"runtime", "base", "system"}
