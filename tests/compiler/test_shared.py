"""Files that processes map: who comes first writes, the others wait; what nobody maps goes; others cannot interfere."""

import os
import subprocess
import sys
import tempfile
import threading

import numpy
import pytest

from hybridize import system
from hybridize.compiler import shared
from tests.platforms.marks import owners

SIZE = 1 << 20
WRITER = """
import sys, time
import numpy
from hybridize.compiler import shared
def fill(memory):
    print("writes", flush=True)
    time.sleep(float(sys.argv[1]))
    memory[:] = b"a" * len(memory)
    return True
mapping = shared.mapped("key", 1 << 20, fill)
print("has", mapping[:2], flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path / f"hybridize-{system.user_name()}"


def filled(letter):
    def fill(memory):
        memory[:] = letter * len(memory)
        return True

    return fill


def refuses(memory):
    raise AssertionError("the file is there")


def other(seconds=0.0):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(seconds)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def ended(process):
    process.stdin.close()
    process.wait(30)
    process.stdout.close()


def test_the_first_writes_and_others_find_it(folder):
    first = shared.mapped("key", SIZE, filled(b"a"))
    second = shared.mapped("key", SIZE, refuses)
    assert first[:] == second[:] == b"a" * SIZE
    assert (os.stat(folder).st_mode & 0o777, len(list(folder.iterdir()))) == (0o700, 1)
    assert shared.mapped("other", SIZE, filled(b"b"))[:1] == b"b"


def test_what_is_written_to_a_mapping_is_its_own():
    first, second = (shared.mapped("key", SIZE, filled(b"a")) for _ in range(2))
    numpy.frombuffer(first, numpy.uint8)[:] = 7
    assert second[:] == b"a" * SIZE == shared.mapped("key", SIZE, refuses)[:]


def test_another_process_is_waited_for(folder):
    process = other(0.5)
    assert process.stdout.readline() == "writes\n"
    mapping = shared.mapped("key", SIZE, refuses)
    assert mapping[:] == b"a" * SIZE
    assert process.stdout.readline() == "has b'aa'\n"
    ended(process)


def test_one_that_was_killed_is_not_waited_for(folder):
    process = other(600)
    assert process.stdout.readline() == "writes\n"
    process.kill()
    ended(process)
    assert shared.mapped("key", SIZE, filled(b"b"))[:] == b"b" * SIZE
    assert len(list(folder.iterdir())) == 1


def test_threads_of_one_process_write_once():
    calls, mappings = [], []

    def fill(memory):
        calls.append(1)
        return filled(b"a")(memory)

    threads = [threading.Thread(target=lambda: mappings.append(shared.mapped("key", SIZE, fill))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1
    assert [mapping[:] == b"a" * SIZE for mapping in mappings] == [True] * 6


def test_files_that_nobody_maps_go_with_the_next_one(folder):
    first = shared.mapped("first", SIZE, filled(b"a"))
    process = other()
    assert process.stdout.readline() == "writes\n"
    assert process.stdout.readline() == "has b'aa'\n"
    (folder / "mine").write_text("no file of ours")
    del first
    shared.mapped("second", SIZE, filled(b"b"))
    assert len(list(folder.iterdir())) == 3  # the first is gone, that of the other process is not
    ended(process)
    shared.mapped("third", SIZE, filled(b"c"))
    assert sorted(path.name for path in folder.iterdir() if path.suffix != shared.SUFFIX) == ["mine"]
    assert len(list(folder.iterdir())) == 2


def test_what_cannot_be_written_now_is_nobodys(folder):
    assert shared.mapped("key", SIZE, lambda memory: False) is None
    with pytest.raises(ZeroDivisionError):
        shared.mapped("key", SIZE, lambda memory: 1 / 0)
    assert not list(folder.iterdir())


@owners
@pytest.mark.parametrize("spoilt", ["a folder of others", "a link", "a full disk", "a file of others"])
def test_where_it_cannot_be_each_has_its_own(folder, monkeypatch, spoilt, tmp_path):
    if spoilt == "a folder of others":
        folder.mkdir(mode=0o777)
        folder.chmod(0o777)
    elif spoilt == "a link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to(tmp_path / "elsewhere")
    elif spoilt == "a full disk":

        def full(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "posix_fallocate", full)
    else:
        shared.mapped("key", SIZE, filled(b"a"))
        (file,) = folder.iterdir()
        file.chmod(0o666)
    assert shared.mapped("key", SIZE, filled(b"b")) is None
    if spoilt == "a link":
        assert not list((tmp_path / "elsewhere").iterdir())
