"""Machine code in archives: it runs where it fits and was asked for, without LLVM, and is compiled anew where not."""

import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import hybridize
from hybridize import np, npx, random
from hybridize.base.config import CONFIG
from hybridize.base.errors import CodegenError, LoadError, ShapeError, ValueArgumentError, VerificationError
from hybridize.base.frozen import changed
from hybridize.capture import Function, SavedFunction
from hybridize.codegen.levels import runnable
from hybridize.compiler import archived
from hybridize.formats import read_archive, write_archive
from hybridize.machine.target import named_target
from hybridize.runtime import abi

ROOT = Path(__file__).parents[2]


def drawn(*shape, seed=0):
    return numpy.random.default_rng(seed).normal(size=shape).astype("f4")


def net(rows=(4,)):
    """Two layers: their weights are packed where several rows come."""
    first, second = np.array(drawn(64, 96)), np.array(drawn(96, 40, seed=1))
    fast = Function(lambda x: npx.softmax(np.dot(npx.relu(np.dot(x, first)), second)))
    results = {}
    for count in rows:
        results[count] = fast(np.array(drawn(count, 64, seed=count))).asnumpy()
    return fast, results


@pytest.fixture(autouse=True)
def no_disk(monkeypatch):
    monkeypatch.setattr(CONFIG, "cache", False)


def test_code_runs_without_compiler_and_graph(tmp_path, monkeypatch):
    fast, results = net((4, 3, 7))
    fast.save(tmp_path / "net")
    for name in ("formats.archive.reading.parse", "codegen.llvm.engine.compile_image", "compiler.compile"):
        monkeypatch.setattr(f"hybridize.{name}", None)
    loaded = hybridize.load(tmp_path / "net", images=True)
    assert loaded.cache_info().programs == 2, "exactly four rows, and any number of them"
    for _ in range(3):
        for count, expected in results.items():
            found = loaded(np.array(drawn(count, 64, seed=count))).asnumpy()
            numpy.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


def test_no_code_is_mapped_unless_asked_for(tmp_path, monkeypatch):
    fast, results = net()
    fast.save(tmp_path / "net")
    monkeypatch.setattr(archived, "Loaded", None)
    monkeypatch.setattr(archived.Code, "read", None, raising=False)
    loaded = hybridize.load(tmp_path / "net")
    numpy.testing.assert_allclose(loaded(np.array(drawn(4, 64, seed=4))).asnumpy(), results[4], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("level", runnable())
def test_every_level_of_this_machine(tmp_path, monkeypatch, level):
    fast, results = net((4, 5))
    fast.save(tmp_path / "net", targets=("avx512", "avx2", "baseline"))
    monkeypatch.setattr(CONFIG, "target", level)
    program = read_archive(tmp_path / "net")
    assert {code.target for code in program.signatures[0].codes} == {
        named_target(name).label for name in ("avx512", "avx2", "baseline")
    }
    assert archived.best(program.signatures[0].codes).target == level
    loaded = SavedFunction(program, owned=True, images=True)
    for count, expected in results.items():
        found = loaded(np.array(drawn(count, 64, seed=count))).asnumpy()
        numpy.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


def test_code_for_other_machines_and_runtimes_is_left_alone(tmp_path, monkeypatch):
    fast, results = net()
    fast.save(tmp_path / "other", targets="aarch64")
    program = read_archive(tmp_path / "other")
    assert [code.fits for code in program.signatures[0].codes] == [False]
    fast.save(tmp_path / "native")
    for path, number in (("other", abi.NUMBER), ("native", abi.NUMBER + 1)):
        monkeypatch.setattr(abi, "NUMBER", number)
        loaded = hybridize.load(tmp_path / path, images=True)
        found = loaded(np.array(drawn(4, 64, seed=4))).asnumpy()
        numpy.testing.assert_allclose(found, results[4], rtol=1e-4, atol=1e-6)


def test_an_export_tries_the_code_of_every_level(tmp_path, monkeypatch):
    """One whose code is wrong is not written; here the image of the baseline is that of another function."""
    x = np.array(drawn(4, 64))
    weight = np.array(drawn(64, 8))
    fast, other = Function(lambda x: np.dot(x, weight) + 1), Function(lambda x: np.dot(x, weight) + 2)
    fast(x), other(x)
    levels = runnable()
    exported = fast.export(tmp_path / "net", "archive", targets=levels)
    for level in levels:
        assert f"net ({level}), program 0" in str(exported)
    made = archived.program_code

    def wrong(graph, target, *rest):
        return made(other.saved().signatures[0].graph if target == "baseline" else graph, target, *rest)

    monkeypatch.setattr(archived, "program_code", wrong)
    before = (tmp_path / "net").read_bytes()
    with pytest.raises(VerificationError, match=r"E810(.|\n)*baseline"):
        fast.export(tmp_path / "net", "archive", targets=levels)
    assert (tmp_path / "net").read_bytes() == before


def test_no_code_where_none_is_wanted(tmp_path):
    fast, _ = net()
    fast.save(tmp_path / "bare", targets=())
    program = read_archive(tmp_path / "bare")
    assert program.signatures[0].codes == program.process == ()
    for targets in ("wasm32", "pentium", ("avx2", "")):
        with pytest.raises(ValueArgumentError, match=r"E345(.|\n)*native"):
            fast.save(tmp_path / "wrong", targets=targets)
    assert not (tmp_path / "wrong").exists()


def test_constants_are_shared_by_graphs_and_code(tmp_path):
    weight = np.array(drawn(64, 192))
    fast = Function(lambda x: np.dot(x, weight), freeze=True)
    expected = fast(np.array(drawn(4, 64))).asnumpy()
    fast.save(tmp_path / "frozen", targets=("avx2", "baseline"))
    assert (tmp_path / "frozen").stat().st_size < 1.6 * weight.asnumpy().nbytes
    loaded = hybridize.load(tmp_path / "frozen", images=True)
    numpy.testing.assert_allclose(loaded(np.array(drawn(4, 64))).asnumpy(), expected, rtol=1e-4, atol=1e-5)


def test_control_flow_effects_and_random_numbers(tmp_path):
    def function(x):
        while x.sum() < 100:
            x = x * 2
        assert x.sum() >= 100, "too small"
        return x + np.random.uniform(0, 1, (3,))

    fast = Function(function)
    random.seed(5)
    fast.compile(np.ones(3))
    fast.save(tmp_path / "f")
    loaded = hybridize.load(tmp_path / "f", images=True)
    random.seed(7)
    expected = [fast(np.ones(3)).asnumpy() for _ in range(3)]
    random.seed(7)
    for one in expected:
        numpy.testing.assert_allclose(loaded(np.ones(3)).asnumpy(), one, rtol=1e-5)


def test_steps_that_threads_share(tmp_path):
    """A program with use for threads brings their code along."""
    weight = np.array(drawn(700, 700))
    fast = Function(lambda x: np.dot(x, weight))
    x = np.array(drawn(512, 700, seed=2))
    expected = fast(x).asnumpy()
    fast.save(tmp_path / "large")
    program = read_archive(tmp_path / "large")
    assert {code.kind for code in program.process} == {"entry", "pool"}
    loaded = SavedFunction(program, owned=True, images=True)
    for _ in range(2):
        numpy.testing.assert_allclose(loaded(x).asnumpy(), expected, rtol=1e-3, atol=1e-3)


def test_code_of_another_program_is_refused(tmp_path):
    """Both are sound, they only do not belong together."""
    weight = np.array(drawn(8, 8))
    for name, rows in (("a", 2), ("b", 3)):
        fast = Function(lambda x: np.dot(x, weight))
        fast(np.ones((rows, 8)))
        write_archive(tmp_path / name, fast.saved(samples=None))
    one, other = read_archive(tmp_path / "a"), read_archive(tmp_path / "b")
    (code,), graph = other.signatures[0].codes, one.signatures[0].graph
    with pytest.raises(LoadError, match="E652"):
        archived.executable([code], graph, name="a", stable=[])
    entry = one.process[0]
    with pytest.raises(LoadError, match="E652"):
        archived.executable([changed(entry, kind="program")], graph, name="a", stable=[])


@pytest.mark.parametrize(
    "said",
    [
        {"code": -1},
        {"inputs": 3},
        {"outputs": [["q8", [2]]]},
        {"constants": [["f32", [9], 35]]},
        {"constants": [[]]},
        {"exports": [3]},
        {"derivations": [[1]]},
        {"sources": [[]]},
        {"teams": None},
        {"scratch_bytes": "x"},
    ],
)
def test_code_that_is_described_wrongly_is_refused(tmp_path, said):
    net()[0].save(tmp_path / "net")
    signature = read_archive(tmp_path / "net").signatures[0]
    (code,) = signature.codes
    wrong = changed(code, facts={**code.facts, **said})
    with pytest.raises((LoadError, CodegenError)):
        archived.executable([wrong], signature.graph, name="net", stable=range(9))


SCRIPT = """
import os, sys, numpy
def rss():
    if not os.path.exists("/proc/self/statm"):
        return 0
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
before = rss()
import hybridize
loaded = hybridize.load(sys.argv[1], images=True)
for _ in range(4):
    found = loaded(hybridize.np.array(numpy.load(sys.argv[2])))
numpy.save(sys.argv[3], found.asnumpy())
print(rss() - before)
names = [name for name in sys.modules if name.partition(".")[0] in ("llvmlite", "safetensors")]
print(names + [name for name in sys.modules if name.startswith(("hybridize.schedule.", "hybridize.codegen.llvm"))])
"""


@pytest.mark.parametrize("rows", [1, 4])
def test_a_process_that_only_runs_loads_no_compiler(tmp_path, rows):
    fast, results = net((rows,))
    fast.save(tmp_path / "net")
    numpy.save(tmp_path / "x.npy", drawn(rows, 64, seed=rows))
    names = [str(tmp_path / name) for name in ("net", "x.npy", "y.npy")]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *names],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env=os.environ | {"HYBRIDIZE_CACHE": "0"},
    )
    numpy.testing.assert_allclose(numpy.load(tmp_path / "y.npy"), results[rows], rtol=1e-4, atol=1e-6)
    megabytes, modules = done.stdout.splitlines()
    assert modules == "[]"
    assert float(megabytes) < 60


def test_the_number_of_the_runtime_stands_for_its_tables():
    """Where this fails, code in files is of another runtime: count `runtime.abi.NUMBER` up, and note the new digest."""
    from hybridize.base.digests import digest

    assert (abi.NUMBER, digest(abi.facts().encode()).hex()[:16]) == (19, "d1e0a090e8486c2e")


def test_a_loaded_function_says_the_bounds_of_its_sizes(tmp_path):
    """`n0` alone does not tell that it must be 1, or in a program for larger ones more."""
    fast = Function(lambda x: np.dot(x, np.ones((4, 3))))
    for rows in (2, 3, 5):
        fast(np.ones((rows, 4)))
    fast.save(tmp_path / "rows")
    loaded = hybridize.load(tmp_path / "rows")
    for call in (loaded, fast.program(np.ones((7, 4)))):
        with pytest.raises(ShapeError, match=r"E120: .*\(f32\[n0,4\]\) with n0 from 1, got \(f32\[0,4\]\)"):
            call(np.ones((0, 4)))
