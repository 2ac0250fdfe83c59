"""What was measured of this machine: kept once for all processes, measured anew where that cannot be used."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hybridize import compiler
from hybridize.base.config import CONFIG
from hybridize.base.dtypes import float32
from hybridize.base.errors import ArgumentError
from hybridize.base.types import TensorType
from hybridize.compiler import default_target, disk, host, identity, measured
from hybridize.compiler.folder import LASTING, Folder
from hybridize.compiler.measured import MeasuredChoices
from hybridize.graph import Builder
from hybridize.machine.choices import CHOICES, with_fields
from hybridize.machine.target import named_target
from hybridize.ops.matmul import Matmul
from tests.platforms.marks import forks, owners

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder of this test's own, in which nothing was measured, and a machine that may be measured."""
    monkeypatch.setattr(CONFIG, "cache", True)
    monkeypatch.setattr(CONFIG, "cache_folder", str(tmp_path / "cache"))
    monkeypatch.setattr(CONFIG, "machine", "")
    disk.forget_counts()
    return tmp_path / "cache"


def other(field):
    """A value that the table of this machine does not have."""
    return next(value for value in CHOICES[field] if value != getattr(host.host_target(), field))


@pytest.fixture
def asked(monkeypatch):
    """How often the machine is measured. Each time something else is found: the result of the last is `asked[-1]`."""
    results = []

    def measure(told):
        fields = {field: values[len(results) % len(values)] for field, values in CHOICES.items()}
        results.append(MeasuredChoices(fields, {"unroll": {other("unroll"): 1.5}}, 0.04 + len(results)))
        return results[-1]

    monkeypatch.setattr(measured, "_measured", measure)
    return results


def forget():
    """Be another process."""
    measured._choices.clear()
    measured._full.clear()


def file(folder):
    (found,) = folder.glob(f"*{LASTING}")
    return found


def test_once_for_all_processes(folder, asked):
    first = default_target()
    assert first == with_fields(host.host_target(), asked[0].fields)
    assert default_target() == first
    forget()
    assert default_target() == first
    assert len(asked) == 1
    assert measured.measurement() == asked[0]
    assert file(folder).name == f"{measured.file_name()}{LASTING}"
    assert json.loads(file(folder).read_text())["fields"] == asked[0].fields


def test_a_process_goes_by_what_it_has_found_whatever_becomes_of_the_file(folder, asked):
    first = default_target()
    file(folder).unlink()
    assert default_target() == first
    forget()
    assert default_target() != first
    assert len(asked) == 2


DAMAGES = {
    "empty": lambda content: b"",
    "cut off": lambda content: content[: len(content) // 2],
    "no text": lambda content: bytes(range(256)),
    "a number": lambda content: b"7",
    "a list": lambda content: b"[1, 2]",
    "nothing in it": lambda content: b"{}",
    "deeply nested": lambda content: b"[" * 100_000,
    "another value": lambda content: content.replace(b'"unroll": 1', b'"unroll": 2'),
    "no checksum": lambda content: content.replace(b"checksum", b"chucksum"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_made_anew(folder, asked, damage, capsys, monkeypatch):
    monkeypatch.setattr(CONFIG, "explain", True)
    default_target()
    before = file(folder).read_bytes()
    file(folder).write_bytes(DAMAGES[damage](before))
    assert file(folder).read_bytes() != before
    forget()
    second = default_target()
    assert second == with_fields(host.host_target(), asked[1].fields)
    assert "measured anew" in capsys.readouterr().err
    forget()
    assert default_target() == second
    assert len(asked) == 2


@pytest.mark.parametrize("place", range(0, 400, 29))
def test_a_byte_that_changed(folder, asked, place):
    """Either it means the same, or it is measured anew: never anything else."""
    first = default_target()
    content = bytearray(file(folder).read_bytes())
    content[place] ^= 1
    file(folder).write_bytes(content)
    forget()
    found = default_target()
    assert len(asked) == 2 or found == first


def signed(values):
    """The content of a file whose checksum is right, whoever made it."""
    values.pop("checksum")
    return json.dumps(values | {"checksum": measured._checksum(values)})


@pytest.mark.parametrize(
    "change",
    [
        {"machine": "another"},
        {"format": 99},
        {"fields": {"unroll": 2}},
        {"fields": {"unroll": 3, "packs_from": 1}},
        {"fields": {"unroll": 1, "packs_from": 1, "registers": 64}},
        {"fields": [1, 2]},
        {"speeds": {"unroll": {"two": 1.0}}},
        {"speeds": None},
        {"seconds": "long"},
    ],
)
def test_the_file_of_another_machine_or_version_is_made_anew(folder, asked, change):
    default_target()
    values = json.loads(file(folder).read_text()) | change
    file(folder).write_text(signed(values))
    forget()
    default_target()
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("what", "value"),
    [
        ((identity, "processor"), lambda: "another"),
        ((measured, "VERSION"), "99.0"),
        ((measured, "this_host"), lambda: host.HostFacts(host.host_target(), "99")),
        (
            (measured, "this_host"),
            lambda: host.HostFacts(with_fields(host.host_target(), {"l2_bytes": 1 << 13}), host.this_host().llvm),
        ),
    ],
    ids=["processor", "hybridize", "llvm", "caches"],
)
def test_another_machine_or_release_measures_for_itself(folder, asked, monkeypatch, what, value):
    first = default_target()
    with monkeypatch.context() as patched:
        patched.setattr(*what, value)
        forget()
        default_target()
        assert len(asked) == 2
    forget()
    assert default_target() == first
    assert len(asked) == 2


def test_the_first_that_writes_decides(folder, asked, monkeypatch):
    """Another process comes first while this one measures."""
    measure = measured._measured
    theirs = MeasuredChoices({field: values[-1] for field, values in CHOICES.items()}, {}, 0.01)

    def overtaken(told):
        measured._kept(disk.folder(), measured.file_name(), theirs, first=True)
        return measure(told)

    monkeypatch.setattr(measured, "_measured", overtaken)
    assert default_target() == with_fields(host.host_target(), theirs.fields)
    forget()
    assert default_target() == with_fields(host.host_target(), theirs.fields)
    assert not list(folder.glob("*.part"))


def test_a_file_system_without_links(folder, asked, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    first = default_target()
    forget()
    assert default_target() == first
    assert len(asked) == 1


def test_threads_that_come_at_once(asked):
    started = threading.Barrier(4)
    found = []

    def work():
        started.wait()
        found.append(default_target())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(asked) == 1
    assert len(set(map(repr, found))) == 1
    assert len(found) == 4


@owners
def test_a_file_that_others_may_write_is_replaced(folder, asked):
    default_target()
    file(folder).chmod(0o666)
    forget()
    second = default_target()
    assert len(asked) == 2
    assert file(folder).stat().st_mode & 0o777 == 0o600
    forget()
    assert default_target() == second
    assert len(asked) == 2


def off(monkeypatch, folder):
    monkeypatch.setattr(CONFIG, "cache", False)


def no_folder(monkeypatch, folder):
    monkeypatch.setattr(CONFIG, "cache_folder", "")


def below_a_file(monkeypatch, folder):
    folder.write_text("no folder can be here")
    monkeypatch.setattr(CONFIG, "cache_folder", str(folder / "below"))


def read_only(monkeypatch, folder):
    monkeypatch.setattr(os, "access", lambda *args, **kwargs: False)


def of_all(monkeypatch, folder):
    folder.mkdir(mode=0o700)
    folder.chmod(0o777)


def nameless(monkeypatch, folder):
    monkeypatch.setattr(identity, "processor", lambda: None)


@pytest.mark.parametrize("state", [off, no_folder, below_a_file, read_only, of_all, nameless])
def test_where_nothing_can_be_kept_the_table_counts(folder, asked, monkeypatch, state):
    state(monkeypatch, folder)
    assert default_target() == host.host_target()
    assert not asked


def test_a_full_disk(folder, asked, monkeypatch):
    """What could not be kept is not used: the next process would find something else."""
    monkeypatch.setattr(Folder, "write", lambda *args, **kwargs: False)
    for _ in range(3):  # each compilation asks
        assert default_target() == host.host_target()
    assert len(asked) == 1


def test_what_the_user_says_goes_before_what_was_measured(asked, monkeypatch):
    monkeypatch.setattr(CONFIG, "machine", f"unroll={other('unroll')}")
    found = default_target()
    assert found.unroll == other("unroll")
    assert found.packs_from == asked[0].fields["packs_from"]
    monkeypatch.setattr(CONFIG, "machine", "unroll=3")
    with pytest.raises(ArgumentError, match="E392"):
        default_target()


@pytest.mark.parametrize("text", ["table", "unroll=4,packs_from=4", "table,unroll=4"])
def test_what_the_user_says_need_not_be_measured(asked, monkeypatch, text):
    monkeypatch.setattr(CONFIG, "machine", text)
    found = default_target()
    assert found.unroll == (4 if "unroll" in text else host.host_target().unroll)
    assert not asked


def test_named_targets_are_those_of_the_table(asked, monkeypatch):
    monkeypatch.setattr(CONFIG, "target", "baseline")
    assert default_target() == named_target("baseline")
    monkeypatch.setattr(CONFIG, "machine", "unroll=4")
    assert default_target() == with_fields(named_target("baseline"), {"unroll": 4})
    assert not asked


def test_measuring_again_replaces_what_was_found(folder, asked):
    first = default_target()
    again = measured.again()
    assert default_target() == with_fields(first, again.fields)
    assert default_target() != first
    forget()
    assert default_target() == with_fields(first, again.fields)
    assert len(asked) == 2


def test_clearing_the_cache_forgets_the_machine(folder, asked):
    default_target()
    assert not [kept for kept in disk.folder().entries() if kept.name.endswith(LASTING)]
    disk.folder().clear()
    assert not list(folder.glob(f"*{LASTING}"))


def test_the_file_stays_when_room_is_short(folder, asked):
    default_target()
    home = Folder(str(folder), 1000)
    home.until_look = 0
    home.write("a", bytes(900))
    assert file(folder).exists()


PROGRAM = """
import sys, hybridize, numpy
from hybridize.compiler import default_target, disk
from hybridize import np
f = hybridize.hybridize(lambda x, w: np.dot(x, w.T))
x, w = (np.array(numpy.arange(n * 512).reshape(n, 512) % 7, dtype="float32") for n in (1, 64))
assert (f(x, w).asnumpy() == x.asnumpy() @ w.asnumpy().T).all()
target = default_target()
print(target.unroll, target.packs_from, "llvmlite" in sys.modules)
"""


def process(folder, **more):
    env = os.environ | {"HYBRIDIZE_CACHE": "1", "HYBRIDIZE_CACHE_DIR": str(folder), "HYBRIDIZE_MACHINE": ""} | more
    same = "from hybridize.compiler import identity\nidentity.compiler = lambda: 'this one'\n"
    return subprocess.Popen(
        [sys.executable, "-c", same + PROGRAM], env=env, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )


def said(process):
    out, _ = process.communicate()
    assert process.returncode == 0
    return out.split()


def test_processes_measure_once(folder):
    """Two that measure at once have one target; a third finds it and its programs, and loads no compiler."""
    one, two = (process(folder) for _ in range(2))
    one, two = said(one), said(two)
    assert one[:2] == two[:2]
    assert "True" in (one[2], two[2])  # the one that comes late may find what the other has compiled
    assert said(process(folder)) == [*one[:2], "False"]
    assert len(list(folder.glob(f"*{LASTING}"))) == 1


def test_programs_of_other_choices_are_other_programs(folder):
    """A process finds no program on the disk that another one has made for other choices."""
    assert said(process(folder, HYBRIDIZE_MACHINE="unroll=1,packs_from=4")) == ["1", "4", "True"]
    assert said(process(folder, HYBRIDIZE_MACHINE="unroll=1,packs_from=1")) == ["1", "1", "True"]
    assert said(process(folder, HYBRIDIZE_MACHINE="unroll=1,packs_from=4")) == ["1", "4", "False"]
    assert not list(folder.glob(f"*{LASTING}"))


@forks
def test_a_child_measures_like_its_parent(folder, asked):
    parent = default_target()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, repr(default_target()).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 1 << 16).decode() == repr(parent)
    os.close(reader)
    os.close(writer)


def test_programs_are_compiled_for_what_was_measured(asked):
    """One row of a product reads its weight from a packed copy, or not: as this machine does it faster."""
    builder = Builder()
    x, w = (builder.input(TensorType(shape, float32)) for shape in ((1, 512), (256, 512)))
    graph = builder.finish(builder.add(Matmul(False, True), [x, w]))
    for _ in CHOICES["packs_from"]:
        forget()
        disk.folder().clear()
        compiler.cache_clear()
        packs = bool(compiler.compile(graph, stable=[1]).derivers)
        assert packs is (asked[-1].fields["packs_from"] == 1)
