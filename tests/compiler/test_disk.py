"""The disk cache: programs of earlier processes run as if they had been compiled here, or are compiled here."""

import gc
import os
import re
import struct
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from hybridize import array, compiler, hybridize, ops
from hybridize.base.config import CONFIG
from hybridize.base.digests import digest
from hybridize.base.dims import SizeScope
from hybridize.base.errors import CodegenError
from hybridize.base.locations import SourceLoc
from hybridize.base.types import TensorType
from hybridize.codegen.llvm import engine
from hybridize.compiler import disk, host, identity, stored
from hybridize.compiler.entry import entry_code
from hybridize.compiler.folder import SUFFIX
from hybridize.graph import Builder
from hybridize.machine.target import named_target
from hybridize.ops.analysis import Exp
from hybridize.ops.arithmetic import Add, Mul
from hybridize.ops.matmul import Matmul
from hybridize.runtime.serialization import dump
from tests.catalog.samples import samples

F = np.dtype(np.float32)
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """A cache of this test's own, and counts from zero."""
    entry_code()  # made once in a process, by whichever test comes first: it has no record here
    monkeypatch.setattr(CONFIG, "cache", True)
    monkeypatch.setattr(CONFIG, "cache_folder", str(tmp_path / "cache"))
    monkeypatch.setattr(identity, "compiler", lambda: "this one")  # even while somebody edits it
    disk.forget_counts()
    compiler.cache_clear()
    yield tmp_path / "cache"
    compiler.cache_clear()


@pytest.fixture
def no_llvm(monkeypatch):
    """From now on nothing can be compiled."""

    def forget():
        compiler.cache_clear()
        gc.collect()

        def refuse(*args):
            raise AssertionError("compiled, and not taken from the disk")

        monkeypatch.setattr(engine, "compile_image", refuse)

    return forget


def graph(scale=2.0, lines=(10, 11)):
    """y, z = exp(x) * scale + b, x @ w^T; the numbers of lines are the user's"""
    builder = Builder()
    x, b = (builder.input(TensorType((3, 5), F), name) for name in "xb")
    factor = builder.constant(np.full((3, 5), scale, np.float32))
    w = builder.constant(np.arange(100, dtype=np.float32).reshape(20, 5))
    (e,) = builder.add(Exp(), [x], SourceLoc("net.py", lines[0], "f"))
    (m,) = builder.add(Mul(), [e, factor], SourceLoc("net.py", lines[0], "f"))
    (y,) = builder.add(Add(), [m, b], SourceLoc("net.py", lines[0], "f"))
    (z,) = builder.add(Matmul(False, True), [x, w], SourceLoc("net.py", lines[1], "f"))
    return builder.finish([y, z])


def data():
    rng = np.random.default_rng(0)
    return [rng.uniform(-1, 1, (3, 5)).astype(np.float32) for _ in range(2)]


def check(program, scale=2.0):
    x, b = data()
    y, z = program.run([x, b])
    np.testing.assert_allclose(y, np.exp(x) * scale + b, rtol=1e-5)
    np.testing.assert_allclose(z, x @ np.arange(100, dtype=np.float32).reshape(20, 5).T, rtol=1e-5)


def records(folder):
    return sorted(path for path in folder.iterdir() if path.suffix == SUFFIX)


def test_the_second_time_nothing_is_compiled(no_llvm):
    first = compiler.compile(graph())
    assert set(first.timings) == {"passes", "codegen", "llvm"}
    plan = first.plan
    del first
    no_llvm()
    second = compiler.compile(graph())
    assert second.plan == plan
    assert set(second.timings) == {"disk"}
    check(second)
    assert second.optimized.op_names()  # passes run when somebody looks
    assert "define" in second.llvm_text
    assert compiler.cache_info().disk.hits == 1


def test_counts_tell_what_became_of_the_questions(own_folder):
    compiler.compile(graph())
    info = compiler.cache_info().disk
    assert (info.hits, info.damaged, info.problem) == (0, 0, "")
    assert info.misses >= 1
    assert info.written_bytes == sum(path.stat().st_size for path in own_folder.iterdir())


def test_other_graphs_targets_and_packings_are_other_programs(own_folder):
    counts = []
    for make in (
        lambda: compiler.compile(graph()),
        lambda: compiler.compile(graph(scale=3.0)),
        lambda: compiler.compile(graph(), named_target("baseline")),
        lambda: compiler.compile(graph(), stable=[0]),
    ):
        make()
        counts.append(len(records(own_folder)))
    assert [after - before for before, after in pairwise(counts)] == [1, 1, 1]


def test_another_compiler_finds_nothing(own_folder, monkeypatch):
    compiler.compile(graph())
    before = records(own_folder)
    compiler.cache_clear()
    gc.collect()
    monkeypatch.setattr(identity, "compiler", lambda: "another")
    check(compiler.compile(graph()))
    assert disk.info().hits == 0
    assert set(records(own_folder)) > set(before)


def test_another_machine_that_shares_the_folder_finds_nothing(own_folder, monkeypatch):
    compiler.compile(graph(), named_target("baseline"))
    before = records(own_folder)
    compiler.cache_clear()
    gc.collect()
    monkeypatch.setattr(identity, "processor", lambda: "another")
    check(compiler.compile(graph(), named_target("baseline")))
    assert disk.info().hits == 0
    assert set(records(own_folder)) > set(before)


def test_code_for_other_machines_is_not_compiled_to_be_run():
    for name in ("avx2" if engine.host_target().processor == "aarch64" else "aarch64", "wasm32"):
        with pytest.raises(CodegenError, match="E965"):
            compiler.compile(graph(), named_target(name))


def test_what_the_machine_is_stands_on_the_disk(own_folder, monkeypatch):
    asked = []
    first, second = (
        host.HostFacts(named_target(name), release) for name, release in [("baseline", "20"), ("avx2", "21")]
    )
    monkeypatch.setattr(host, "_by_llvm", lambda: asked.append(1) or first)
    ask = host.this_host.__wrapped__
    assert [ask(), ask()] == [first] * 2
    assert len(asked) == 1
    monkeypatch.setattr(host, "_by_llvm", lambda: second)
    monkeypatch.setattr(host, "this_host", ask)
    host.renew.__wrapped__()
    assert ask() == second


def test_a_compiler_that_cannot_tell_what_it_is_keeps_nothing(own_folder, monkeypatch):
    monkeypatch.setattr(identity, "compiler", lambda: None)
    check(compiler.compile(graph()))
    assert not own_folder.exists()
    assert "younger than this process" in disk.info().problem


def test_a_processor_that_is_not_known_keeps_nothing(own_folder, monkeypatch):
    monkeypatch.setattr(identity, "processor", lambda: None)
    check(compiler.compile(graph()))
    assert not own_folder.exists()
    assert "what processor" in disk.info().problem


def test_a_report_says_that_nothing_is_kept(own_folder, monkeypatch, tmp_path):
    """Without /proc, without the right to write, without a home; and nothing where all is well, or switched off."""
    program = hybridize(lambda x: x * 2).program(array.np.ones(3))

    def notes():
        return "; ".join(program.explain().notes)

    assert "disk cache" not in notes()
    with monkeypatch.context() as patch:
        patch.setattr(identity, "processor", lambda: None)
        assert "does not say what processor this is; each process compiles this program anew" in notes()
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda path, mode: False)  # root may write everywhere
        assert f"{own_folder} cannot be written; each process" in notes()
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(CONFIG, "cache_folder", str(tmp_path / "file" / "cache"))
    assert "Not a directory; each process" in notes()
    monkeypatch.setattr(CONFIG, "cache_folder", "")
    assert "no home folder; each process" in notes()
    monkeypatch.setattr(CONFIG, "cache", False)
    assert "disk cache" not in notes()


def test_switched_off(own_folder, monkeypatch):
    monkeypatch.setattr(CONFIG, "cache", False)
    check(compiler.compile(graph()))
    assert not own_folder.exists()


def test_lines_are_those_of_the_user_who_asks(no_llvm):
    assert [step.lines for step in compiler.compile(graph(lines=(10, 11))).kernels] == [("net.py:10",), ("net.py:11",)]
    no_llvm()
    again = compiler.compile(graph(lines=(77, 5)))
    assert [step.lines for step in again.kernels] == [("net.py:77",), ("net.py:5",)]


def test_programs_for_all_sizes(no_llvm):
    def symbolic():
        scope = SizeScope()
        scope.capturing = False
        n = scope.symbol(7)
        return ops.make_graph(lambda x, b: [ops.bind1(Add(), ops.bind1(Exp(), x), b)], [TensorType((n, 5), F)] * 2)

    plan = compiler.compile(symbolic()).plan
    no_llvm()
    program = compiler.compile(symbolic())
    assert program.plan == plan
    for size in (2, 7, 33):
        x = np.linspace(-1, 1, 5 * size, dtype=np.float32).reshape(size, 5)
        assert program.accepts([x.shape, x.shape])
        np.testing.assert_allclose(program.run([x, x])[0], np.exp(x) + x, rtol=1e-5)


def test_constants_come_from_the_graph_and_not_from_the_record(own_folder, no_llvm):
    secret = np.frombuffer(b"the weights are not in the cache" * 64, np.float32)
    builder = Builder()
    x = builder.input(TensorType((512,), F))
    (y,) = builder.add(Add(), [x, builder.constant(secret)])
    folded = builder.add(Mul(), [builder.constant(secret), builder.constant(secret)])
    (z,) = builder.add(Mul(), [y, *folded])
    made = builder.finish([z])
    x = np.ones(512, np.float32)
    with np.errstate(all="ignore"):
        (expected,) = compiler.compile(made).run([x])
    assert not any(b"weights are not" in path.read_bytes() for path in records(own_folder))
    no_llvm()
    program = compiler.compile(made)
    np.testing.assert_array_equal(program.run([x])[0], expected)


def test_kinds_of_constants():
    made = graph()
    program = stored.StoredProgram(
        None,
        None,
        (
            stored.CapturedConstant(1),
            stored.FoldedConstant(0),
            stored.LiteralConstant("i32", (2,), np.int32([5, 6]).tobytes()),
        ),
        (stored.FoldedConstant(1), stored.CapturedConstant(0)),
    )
    (captured, folded, literal), sources = stored.constants_of(program, made, lambda: made)
    assert [captured.shape, folded.shape, literal.tolist()] == [(20, 5), (3, 5), [5, 6]]
    assert [source.shape for source in sources] == [(20, 5), (3, 5)]


def check_made_anew():
    """The one record is no good: the program is compiled, and its new record is read the next time."""
    compiler.cache_clear()
    gc.collect()
    disk.forget_counts()
    check(compiler.compile(graph()))
    assert (disk.info().hits, disk.info().damaged) == (0, 1)
    compiler.cache_clear()
    gc.collect()
    check(compiler.compile(graph()))
    assert disk.info().hits == 1


@pytest.mark.parametrize("seed", range(3))
def test_a_damaged_record_is_compiled_again_and_replaced(own_folder, seed):
    compiler.compile(graph())
    rng = np.random.default_rng(seed)
    for path in records(own_folder):
        whole = path.read_bytes()
        damaged = bytearray(whole)
        damaged[int(rng.integers(len(whole)))] ^= 1 << int(rng.integers(8))
        path.write_bytes(bytes(damaged) if seed else whole[: len(whole) // 2])
    check_made_anew()


PLANS = {
    "steps of before": lambda text: re.sub(r'{"Step":\[', '{"Step":["f",', text),
    "a launch of another kind": lambda text: re.sub(r'{"PlanLaunch":', '{"PlanGrid":', text),
    "no order": lambda text: re.sub(r',\[[\d,]+\],(\[(?:{"PlanMaker".*?)?\],\[\]\]})', r",\1", text),
}


@pytest.mark.parametrize("change", PLANS)
def test_a_plan_of_another_version_is_compiled_again_and_replaced(own_folder, change):
    """Its checksum is right, its form is not ours."""
    compiler.compile(graph())
    (path,) = records(own_folder)
    whole = path.read_bytes()
    (length,) = struct.unpack_from("<Q", whole, 48)
    text = whole[56 : 56 + length].decode()
    other = PLANS[change](text)
    assert other != text
    body = struct.pack("<Q", len(other.encode())) + other.encode() + whole[56 + length :]
    path.write_bytes(whole[:16] + digest(body) + body)
    check_made_anew()


def test_damage_is_told_in_one_line(own_folder, monkeypatch, capsys):
    compiler.compile(graph())
    for path in records(own_folder):
        path.write_bytes(b"nothing of use")
    compiler.cache_clear()
    gc.collect()
    monkeypatch.setattr(CONFIG, "explain", True)
    compiler.compile(graph())
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("hybridize: disk cache: ")
    assert line.endswith("is made anew: 14 bytes of serialized data are cut off")


def test_a_record_under_the_name_of_another_is_not_used(own_folder):
    compiler.compile(graph(2.0))
    (first,) = set(records(own_folder))
    compiler.compile(graph(3.0))
    (second,) = set(records(own_folder)) - {first}
    second.write_bytes(first.read_bytes())
    compiler.cache_clear()
    gc.collect()
    check(compiler.compile(graph(3.0)), 3.0)
    assert disk.info().damaged == 1


def test_a_record_of_another_kind_is_not_used(own_folder):
    compiler.compile(graph())
    (path,) = records(own_folder)
    for value in (None, (1, 2), stored.CapturedConstant(1), "text"):
        path.write_bytes(dump((path.stem, value)))
        os.chmod(path, 0o600)
        compiler.cache_clear()
        gc.collect()
        check(compiler.compile(graph()))


def test_a_folder_of_no_use_is_told_once(own_folder, monkeypatch, capsys):
    own_folder.mkdir(mode=0o777)
    os.chmod(own_folder, 0o777)
    monkeypatch.setattr(CONFIG, "explain", True)
    for scale in (2.0, 3.0, 4.0):
        check(compiler.compile(graph(scale)), scale)
    (line,) = capsys.readouterr().err.splitlines()
    assert "cache: not used, as others may write to it" in line
    assert "others may write" in compiler.cache_info().disk.problem


def test_programs_that_print_and_assert(no_llvm, capsys):
    from hybridize import hybridize, np, npx

    def talk(x):
        npx.print("the sum is {}", x.sum())
        assert x.min() > 0, "negative"
        return x + 1

    for number in range(2):
        program = hybridize(lambda x: talk(x))
        program(np.array([1.0, 2.0]))
        assert capsys.readouterr().out == "the sum is 3.0\n"
        with pytest.raises(AssertionError, match="negative"):
            program(np.array([-1.0, 2.0]))
        assert capsys.readouterr().out == "the sum is 1.0\n"
        del program
        if not number:
            no_llvm()


# Where the test is not of it, the identity of the compiler is one that stays while somebody edits the compiler.
SAME = """
from hybridize.compiler import identity
identity.compiler = lambda: "this one"
"""
NET = """
import sys
import hybridize
from hybridize import np
from hybridize.gluon import nn
import numpy
hybridize.random.seed(7)
net = nn.HybridSequential()
net.add(nn.Dense(256, activation="relu", in_units=512), nn.Dense(128, activation="relu", in_units=256), nn.Dense(2, in_units=128))
net.initialize()
x = np.array(numpy.random.default_rng(0).standard_normal((64, 512), numpy.float32))
plain = net(x).asnumpy()
net.hybridize()
found = [net(x).asnumpy(), net(x).asnumpy(), net(x[:1].copy()).asnumpy()]
assert numpy.abs(found[0] - plain).max() < 1e-4 and (found[0] == found[1]).all()
assert numpy.abs(found[2] - plain[:1]).max() < 1e-4
print("llvmlite" in sys.modules, "hybridize.schedule" in sys.modules)
"""


def environment(folder, **more):
    return os.environ | {"HYBRIDIZE_CACHE": "1", "HYBRIDIZE_CACHE_DIR": str(folder), "HYBRIDIZE_EXPLAIN": ""} | more


def net(env, before=SAME):
    return subprocess.Popen(
        [sys.executable, "-c", before + NET],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def said(process):
    out, problems = process.communicate()
    assert process.returncode == 0, problems
    assert problems == ""
    return out.split()


def test_a_second_process_runs_without_llvm(own_folder):
    env = environment(own_folder)
    assert said(net(env, "")) == ["True", "True"]
    assert said(net(env, "")) == ["False", "False"]


def test_a_second_process_compiles_what_is_damaged(own_folder):
    env = environment(own_folder)
    assert said(net(env)) == ["True", "True"]
    for path in records(own_folder):
        path.write_bytes(path.read_bytes()[:-5] + b"wrong")
    assert said(net(env)) == ["True", "True"]
    assert said(net(env)) == ["False", "False"]


def test_processes_at_once_share_a_folder(own_folder):
    env = environment(own_folder)
    together = [net(env) for _ in range(3)]
    assert all(said(process) for process in together)
    assert said(net(env)) == ["False", "False"]


def test_without_a_home(tmp_path):
    env = environment("") | {"HOME": str(tmp_path / "nowhere" / "user"), "XDG_CACHE_HOME": "relative"}
    (tmp_path / "nowhere").write_text("no folder can be here")
    assert said(net(env)) == ["True", "True"]


def test_folders_by_the_environment(tmp_path):
    code = "from hybridize.base.config import CONFIG; print(CONFIG.cache, CONFIG.cache_folder, CONFIG.cache_bytes)"

    def folder(**env):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={"PATH": os.environ["PATH"]} | env,
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        return done.stdout.split() or done.stderr.splitlines()[-2:]

    home = {"HOME": "/somewhere"}
    limit = str(256 << 20)
    assert folder(**home) == ["True", "/somewhere/.cache/hybridize", limit]
    assert folder(**home, XDG_CACHE_HOME="/caches") == ["True", "/caches/hybridize", limit]
    assert folder(**home, XDG_CACHE_HOME="caches") == ["True", "/somewhere/.cache/hybridize", limit]
    assert folder(**home, HYBRIDIZE_CACHE_DIR="/mine", HYBRIDIZE_CACHE_BYTES="1000") == ["True", "/mine", "1000"]
    assert folder(**home, HYBRIDIZE_CACHE="0")[0] == "False"
    assert "E348" in " ".join(folder(**home, HYBRIDIZE_CACHE_BYTES="much"))


def test_everything_that_the_compiler_is_made_of_is_part_of_its_identity():
    """What a compilation loads of ours, besides what knows nothing of machine code, lies in the folders looked at."""
    code = (
        "import sys; from hybridize import compiler, ops; from hybridize.ops.analysis import Exp\n"
        "from hybridize.base.types import TensorType; import numpy; from hybridize.graph import Builder\n"
        "before = set(sys.modules)\n"
        "b = Builder(); x = b.input(TensorType((3,), numpy.dtype('f4')))\n"
        "compiler.compile(b.finish(b.add(Exp(), [x])))\n"
        "print(*[name for name in set(sys.modules) - before if name.startswith('hybridize.')])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = {name.split(".")[1] for name in done.stdout.split()}
    assert loaded <= set(identity.PARTS)
    assert "codegen" in loaded
    others = tuple(f"hybridize.{part.replace('/', '.')}" for part in identity.OF_DEVICES)
    assert not [name for name in done.stdout.split() if name.startswith(others)]


def test_what_devices_alone_need_is_no_part_of_the_identity_for_a_processor(tmp_path):
    (tmp_path / "codegen" / "wgsl" / "deep").mkdir(parents=True)
    late, parts = 1 << 62, ("codegen/wgsl",)
    before = identity.files(str(tmp_path), ("codegen",), late, parts), identity.files(str(tmp_path), parts, late)
    (tmp_path / "codegen" / "wgsl" / "deep" / "a.py").write_text("x = 1")
    assert identity.files(str(tmp_path), ("codegen",), late, parts) == before[0]
    assert identity.files(str(tmp_path), parts, late) != before[1]
    assert identity.compiler() != identity.of_devices() and identity.of_devices() is not None


def test_text_that_is_compiled_is_part_of_its_identity(tmp_path):
    (tmp_path / "codegen" / "runtimes").mkdir(parents=True)
    text = tmp_path / "codegen" / "runtimes" / "entry.ll"
    late = time.time_ns() + 10**12
    names = {identity.files(str(tmp_path), ("codegen",), late)}
    for content in ("define", "define "):
        text.write_text(content)
        names.add(identity.files(str(tmp_path), ("codegen",), late))
    assert len(names) == 3


def test_identity_changes_with_every_file(tmp_path):
    (tmp_path / "ops" / "deep").mkdir(parents=True)
    for path in ("ops/a.py", "ops/deep/b.py", "ops/notes.txt"):
        (tmp_path / path).write_text("x = 1")
    late = 1 << 62

    def now():
        return identity.files(str(tmp_path), ("ops",), late)

    first = now()
    assert now() == first
    (tmp_path / "ops/notes.txt").write_text("y = 2")
    assert now() == first
    times = os.stat(tmp_path / "ops/deep/b.py")
    (tmp_path / "ops/deep/b.py").write_text("x = 2")
    os.utime(tmp_path / "ops/deep/b.py", ns=(times.st_atime_ns, times.st_mtime_ns))  # as an unpacker does
    assert now() != first
    second = now()
    (tmp_path / "ops/c.py").write_text("")
    assert now() != second
    third, before = now(), os.stat(tmp_path / "ops/a.py")
    (tmp_path / "another").write_text("x = 3")
    os.utime(tmp_path / "another", ns=(before.st_atime_ns, before.st_mtime_ns))
    os.replace(tmp_path / "another", tmp_path / "ops/a.py")  # of the same size and date
    assert now() != third
    fourth = now()
    (tmp_path / "ops/c.py").rename(tmp_path / "ops/d.py")
    assert now() != fourth
    assert identity.files(str(tmp_path), ("ops", "absent"), late) is None


def test_a_compiler_that_was_changed_after_it_was_loaded_has_no_identity(tmp_path):
    (tmp_path / "ops").mkdir()
    (tmp_path / "ops" / "a.py").write_text("x = 1")
    changed = os.stat(tmp_path / "ops" / "a.py").st_ctime_ns
    assert identity.files(str(tmp_path), ("ops",), changed + 1) is not None
    assert identity.files(str(tmp_path), ("ops",), changed) is None


def test_the_processor_has_an_identity():
    assert identity.processor() == identity.processor.__wrapped__()
    assert len(identity.processor() or "") in (0, 64)


@pytest.mark.long
def test_every_operation_runs_from_the_disk_as_it_was_compiled(no_llvm):
    compiled_ops = [cls for word, cls in ops.OPS.items() if word != "eig"]  # which no program holds
    cases = [sample for cls in compiled_ops for sample in samples(cls) if sample.fails is None]

    def graph_of(sample):
        builder = Builder()
        inputs = [builder.input(TensorType(x.shape, x.dtype)) for x in sample.inputs]
        return builder.finish(builder.add(sample.op, inputs))

    compiled = [compiler.compile(graph_of(sample)).run(sample.inputs) for sample in cases]
    no_llvm()
    for sample, expected in zip(cases, compiled, strict=True):
        for found, wanted in zip(compiler.compile(graph_of(sample)).run(sample.inputs), expected, strict=True):
            np.testing.assert_array_equal(found, wanted)
