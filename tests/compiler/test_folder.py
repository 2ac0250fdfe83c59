"""A folder of records: private, bounded, atomic, shared by processes that are killed."""

import errno
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from hybridize.compiler.folder import SUFFIX, Folder
from tests.platforms.marks import links, owners, root

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path):
    return Folder(str(tmp_path / "deep" / "cache"), 1000)


def test_what_is_written_is_read(folder):
    assert folder.read("a") is None
    assert folder.problem == ""  # that nothing is there yet is no problem
    assert folder.write("a", b"one")
    assert folder.write("b", b"two")
    assert folder.write("a", b"three")
    assert (folder.read("a"), folder.read("b"), folder.read("c")) == (b"three", b"two", None)
    assert sorted(kept.name for kept in folder.entries()) == ["a" + SUFFIX, "b" + SUFFIX]
    assert folder.clear() == 8
    assert folder.entries() == []
    assert folder.read("a") is None


@owners
def test_only_the_user_may_look(folder):
    before = os.umask(0)
    try:
        folder.write("a", b"one")
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.stat(folder.path).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(f"{folder.path}/a{SUFFIX}").st_mode) == 0o600


@owners
@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
def test_a_folder_that_others_may_write_to_is_not_used(folder, mode):
    folder.write("a", b"one")
    os.chmod(folder.path, mode)
    assert folder.read("a") is None
    assert "others may write" in folder.problem
    assert not folder.write("b", b"two")
    assert folder.entries() == []
    assert folder.clear() == 0
    os.chmod(folder.path, 0o755)
    assert folder.read("a") == b"one"


@owners
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_is_not_used(folder, mode):
    folder.write("a", b"one")
    os.chmod(f"{folder.path}/a{SUFFIX}", mode)
    assert folder.read("a") is None
    assert "others may write" in folder.problem
    assert folder.write("a", b"two")  # a new file takes its place
    assert folder.read("a") == b"two"


@root
def test_what_belongs_to_somebody_else_is_not_used(folder):
    folder.write("a", b"one")
    os.chown(f"{folder.path}/a{SUFFIX}", 12345, -1)
    assert folder.read("a") is None
    folder.write("a", b"one")
    os.chown(folder.path, 12345, -1)
    assert folder.read("a") is None
    assert not folder.write("b", b"two")


@links
def test_links_and_pipes_are_not_followed(folder, tmp_path):
    folder.write("a", b"one")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"foreign")
    os.symlink(elsewhere, f"{folder.path}/b{SUFFIX}")
    os.mkfifo(f"{folder.path}/c{SUFFIX}")
    os.mkdir(f"{folder.path}/d{SUFFIX}")
    assert [folder.read(name) for name in "bcd"] == [None, None, None]
    folder.until_look = 0  # this write looks whether there is room: a folder takes none
    assert folder.write("b", b"two")
    assert (elsewhere.read_bytes(), folder.read("b")) == (b"foreign", b"two")
    assert not folder.write("d", b"two")


def test_the_least_recently_used_go_first(folder):
    for number in range(10):
        folder.write(f"r{number}", bytes(100))
        os.utime(f"{folder.path}/r{number}{SUFFIX}", (1e9 + number, 1e9 + number))
    assert len(folder.entries()) == 10
    assert folder.read("r0") is not None  # which makes it the last to go
    folder.write("new", bytes(100))
    names = [kept.name.removesuffix(SUFFIX) for kept in folder.entries()]
    assert names == ["r3", "r4", "r5", "r6", "r7", "r8", "r9", "r0", "new"]
    assert sum(kept.nbytes for kept in folder.entries()) <= 900


@pytest.mark.parametrize(("unused_s", "renewed"), [(0, False), (1800, False), (4000, True)])
def test_reading_notes_the_hour(folder, unused_s, renewed):
    """To write the time takes as long as to read the file: it is not done at each start."""
    folder.write("a", b"content")
    before = time.time() - unused_s
    os.utime(f"{folder.path}/a{SUFFIX}", (before, before))
    assert folder.read("a") == b"content"
    (kept,) = folder.entries()
    assert (kept.used > before + 1) is renewed


def test_what_is_larger_than_all_is_not_kept(folder):
    folder.write("a", bytes(900))
    assert not folder.write("b", bytes(1001))
    assert folder.read("a") is not None


def test_bytes_that_others_wrote_count(folder):
    folder.write("a", bytes(10))
    other = Folder(folder.path, 1 << 20)
    for number in range(20):
        other.write(f"o{number}", bytes(100))
    for number in range(40):
        folder.write(f"b{number}", bytes(10))
    assert sum(kept.nbytes for kept in folder.entries()) <= 1000


def test_processes_that_write_little_count_bytes_in_turn(folder):
    assert {Folder(folder.path, 1000).until_look for _ in range(2000)} == set(range(32))
    folder.write("a", bytes(999))
    for until_look, kept in ((1, ["a", "b"]), (0, ["b"])):
        other = Folder(folder.path, 1000)
        other.until_look = until_look
        other.write("b", bytes(10))
        assert [record.name.removesuffix(SUFFIX) for record in other.entries()] == kept


def test_parts_that_a_killed_process_left_go(folder):
    folder.write("a", b"one")
    for name, age in ((".old.1.0.part", 7200), (".new.1.0.part", 10)):
        path = Path(folder.path, name)
        path.write_bytes(b"half")
        os.utime(path, (time.time() - age,) * 2)
    other = Path(folder.path, "notes.txt")
    other.write_text("the user's own")
    os.utime(other, (0, 0))
    another = Folder(folder.path, 1000)
    another.until_look = 0
    another.write("b", b"two")
    assert sorted(os.listdir(folder.path)) == [".new.1.0.part", "a" + SUFFIX, "b" + SUFFIX, "notes.txt"]


def test_a_full_disk(folder, monkeypatch):
    folder.write("a", b"one")

    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "rename", full)
    assert not folder.write("b", b"two")
    assert "No space left" in folder.problem
    monkeypatch.undo()
    assert os.listdir(folder.path) == ["a" + SUFFIX]  # no part is left behind
    assert folder.read("a") == b"one"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_a_write_that_fails_half_way(folder, monkeypatch):
    folder.write("a", b"one")
    opened = os.open

    def to_full(path, flags, *args, **kwargs):
        return opened("/dev/full", os.O_WRONLY) if flags & os.O_CREAT else opened(path, flags, *args, **kwargs)

    monkeypatch.setattr(os, "open", to_full)
    assert not folder.write("a", b"two")
    assert "No space left" in folder.problem
    monkeypatch.undo()
    assert folder.read("a") == b"one"


def test_a_place_where_no_folder_can_be(tmp_path):
    (tmp_path / "file").write_text("no folder")
    folder = Folder(str(tmp_path / "file" / "cache"), 1000)
    assert not folder.write("a", b"one")
    assert folder.read("a") is None
    assert folder.problem
    assert (folder.entries(), folder.clear()) == ([], 0)


@owners
def test_a_folder_that_is_read_only(tmp_path):
    path = tmp_path / "cache"
    Folder(str(path), 1000).write("a", b"one")
    code = (
        "import os, sys\n"
        "from hybridize.compiler.folder import Folder\n"
        "os.setuid(12345) if os.geteuid() == 0 else None\n"  # root may write anywhere
        "print(Folder(sys.argv[1], 1000).write('b', b'two'))"
    )
    os.chmod(path, 0o500)
    os.chmod(tmp_path, 0o755)
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    os.chmod(path, 0o700)
    assert done.stdout.strip() == "False", done.stderr
    assert os.listdir(path) == ["a" + SUFFIX]


# Without the packages' own modules, which take ten times as long to load as this one.
WRITER = """
import sys, types
for name in ("hybridize", "hybridize.compiler"):
    sys.modules[name] = package = types.ModuleType(name)
    package.__path__ = [name.replace(".", "/")]
from hybridize.compiler.folder import Folder
folder = Folder(sys.argv[1], 1 << 30)
kinds = [bytes([kind]) * 300_000 for kind in range(4)]
print("ready", flush=True)
number = 0
while True:
    number += 1
    folder.write(f"r{number % 3}", kinds[number % 4])
"""


def kill_writers(path, times):
    """Writers of whole records, two at a time, killed at random moments; each record must be one of theirs, whole."""
    folder = Folder(str(path), 1 << 30)
    rng = np.random.default_rng(0)
    whole = 0
    for _ in range(times):
        writers = [
            subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True, cwd=ROOT)
            for _ in range(2)
        ]
        try:
            for writer in writers:
                assert writer.stdout.readline() == "ready\n"
            time.sleep(float(rng.uniform(0, 0.02)))
        finally:
            for writer in writers:
                writer.send_signal(signal.SIGKILL)
                writer.communicate()
        for number in range(3):
            content = folder.read(f"r{number}")
            if content is not None:
                assert len(content) == 300_000
                assert len(set(content)) == 1
                whole += 1
    return whole


def test_killed_writers_leave_whole_records(tmp_path):
    assert kill_writers(tmp_path / "cache", 3) > 0


@pytest.mark.long
def test_many_killed_writers_leave_whole_records(tmp_path):
    assert kill_writers(tmp_path / "cache", 200) > 200
