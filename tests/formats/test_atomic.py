# SPDX-License-Identifier: Apache-2.0
"""Where files cannot be written: each way out of Python says the same, by one error with the remedy."""

import errno
import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

import pytest

import hybridize
from hybridize import np, system
from hybridize.errors import ArgumentError, CodegenError, ReadError, VerificationError, WriteError
from hybridize.formats import atomic, checking, leftovers
from hybridize.formats.atomic import replacing, write_atomically
from hybridize.gluon import nn
from tests.platforms.marks import forks, links
from tests.refusals import refusal

FORMATS = ("mxnet", "archive", "library", "object", "wasm", "wheel")


@pytest.fixture(scope="module")
def net():
    net = nn.Dense(2, in_units=3)
    net.initialize()
    net.hybridize()
    net(np.ones((1, 3)))
    return net


WAYS = {
    **{form: lambda net, path, form=form: net.export(path, format=form) for form in FORMATS},
    "save": lambda net, path: net.save(path),
    "parameters": lambda net, path: net.save_parameters(path),
    "bytes": lambda net, path: write_atomically(path, [b"x"]),
}


@pytest.fixture(params=WAYS, scope="module")
def write(request, net):
    return lambda path: WAYS[request.param](net, path)


@pytest.mark.parametrize(
    ("where", "number", "said"),
    [
        (
            "no/such/net",
            errno.ENOENT,
            "cannot write .*no/such/net[^ ]*: No such file or directory(.|\n)*make the folder",
        ),
        ("file/net", errno.ENOTDIR, "cannot write .*file/net[^ ]*: Not a directory(.|\n)*a file is in the way"),
        ("n" * 300, errno.ENAMETOOLONG, "cannot write .*: File name too long(.|\n)*choose a shorter name"),
    ],
)
def test_places_that_are_none(tmp_path, write, where, number, said):
    (tmp_path / "file").write_text("as it was")
    if os.name == "nt":  # it names one reason for all of them, in words and with separators of its own
        number, said = errno.ENOENT, r"cannot write .*: .* not found(.|\n)*make the folder"
    with refusal(WriteError, said) as caught:
        write(tmp_path / where)
    assert isinstance(caught.value, (OSError, ArgumentError)) and caught.value.code == "E335"
    assert caught.value.errno == number
    assert ".part" not in str(caught.value)  # the file that was asked for, not ours
    assert os.path.samefile(caught.value.loc.file, __file__)  # the user's line, not the standard library's
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("path", ["", ".", "..", "folder/", "folder/."])
def test_paths_of_no_file(tmp_path, monkeypatch, write, path):
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArgumentError, match=r"E338: .* does not name a file"):
        write(path)
    assert os.listdir(tmp_path) == ["folder"] and os.listdir(tmp_path / "folder") == []


@pytest.mark.parametrize("path", [3, b"bytes", "zero\0", None])
def test_what_is_no_path(write, path):
    with pytest.raises(ArgumentError, match=r"E338: a path must be a string or pathlib\.Path, got "):
        write(path)


def test_a_full_disk(tmp_path, monkeypatch, write):
    sync = system.sync

    def full(path):
        if os.path.isfile(path):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(path)

    monkeypatch.setattr(system, "sync", full)
    (tmp_path / "net").write_text("as it was")
    with pytest.raises(WriteError, match=r"cannot write .*: No space left on device(.|\n)*make room") as caught:
        write(tmp_path / "net")
    assert ".part" not in str(caught.value)
    assert os.listdir(tmp_path) == ["net"] and (tmp_path / "net").read_text() == "as it was"


def test_a_linker_that_removes_what_it_cannot_finish(tmp_path):
    def link():
        with replacing(tmp_path / "lib.so") as temporary:
            os.unlink(temporary)
            raise CodegenError("E973", "no room")

    with refusal(CodegenError, "no room"):
        link()
    assert os.listdir(tmp_path) == []


@links
@pytest.mark.parametrize("way", ["archive", "save", "parameters", "bytes"])
def test_what_is_no_file_is_never_replaced(tmp_path, net, way):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        for name, said in (("pipe", "a pipe or a socket"), ("socket", "a pipe or a socket"), ("folder", "a folder")):
            with refusal(WriteError, f"cannot write .*{name}: it is {said}"):
                WAYS[way](net, tmp_path / name)
    assert stat.S_ISFIFO(os.stat(tmp_path / "pipe").st_mode)
    assert sorted(os.listdir(tmp_path)) == ["folder", "pipe", "socket"]


def test_devices_are_never_replaced():
    with pytest.raises(WriteError, match="cannot write /dev/null: it is a device"):
        atomic.destination(os.devnull)


@links
@pytest.mark.parametrize("way", ["archive", "save", "parameters", "bytes"])
def test_links_are_followed(tmp_path, net, way):
    (tmp_path / "there").mkdir()
    (tmp_path / "net").symlink_to("there/one")
    for _ in range(2):  # to a file that is not there yet, and to one that is
        WAYS[way](net, tmp_path / "net")
        assert (tmp_path / "net").is_symlink() and (tmp_path / "there" / "one").stat().st_size
    assert os.listdir(tmp_path / "there") == ["one"]


def test_names_of_every_alphabet(tmp_path, net):
    for form in FORMATS:
        net.export(tmp_path / "größe der 模型 (2)", format=form)
    loaded = hybridize.load(tmp_path / "größe der 模型 (2)")
    assert loaded(np.ones((1, 3))).shape == (1, 2)


# ------------------------------------------------------------------------------------------------------ leftovers


def killed(write):
    """Write in a process that is killed as soon as it has something to put in place, or at its first rename."""
    child = os.fork()
    if not child:
        os.replace = os.rename = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
        try:
            write()
        finally:
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def parts(folder):
    return sorted(one.name for one in folder.iterdir() if one.name.endswith(".part"))


@forks
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_killed_writers_leave_is_swept(tmp_path, write):
    killed(lambda: write(tmp_path / "net"))
    killed(lambda: write(tmp_path / "other"))
    assert len(parts(tmp_path)) == 1  # the second one has swept what the first one left
    write(tmp_path / "net")
    assert parts(tmp_path) == []
    assert list(tmp_path.iterdir())


def test_what_living_writers_write_is_left_alone(tmp_path):
    """Also that of other machines, of containers that count processes for themselves, and of anybody else."""
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    machine, boot = leftovers._machine(), leftovers._boot()
    alive = f"{machine}-{boot}-{other.pid}-{system.process_start(other.pid)}-abcdefgh"
    names = [
        f".net.{alive}.part",
        f".net.00000000-{boot}-{other.pid}-1-abcdefgh.part",
        ".net.part",
        ".net.abcd.part",
        f".net.{machine}-00000000-{other.pid}-1-abcdefgh.part",
        "net.part",
    ]
    gone = [f".a.b.{machine}-{boot}-{other.pid}-1-abcdefgh.part", f".c.{machine}-00000000-1-1-abcdefgh.part"]
    for name in (*names, gone[0]):
        (tmp_path / name).write_text("x")
    (tmp_path / gone[1]).mkdir()
    (tmp_path / gone[1] / "inside").write_text("x")
    day = time.time() - 2 * 24 * 3600
    os.utime(tmp_path / gone[1], (day, day))
    try:
        with replacing(tmp_path / "outer") as outer:
            write_atomically(tmp_path / "net", [b"x"])
            assert os.path.exists(outer)
            os.unlink(outer)
            (tmp_path / os.path.basename(outer)).write_text("y")
    finally:
        other.communicate(b"\n")
    assert parts(tmp_path) == sorted(names)
    write_atomically(tmp_path / "net", [b"x"])
    assert parts(tmp_path) == sorted(names[1:])


def test_names_of_temporary_files_fit(tmp_path):
    name = "n" * 250
    write_atomically(tmp_path / name, [b"x"])
    assert [one.name for one in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("way", WAYS)
def test_a_working_directory_that_was_removed(net, tmp_path, monkeypatch, way):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with refusal(WriteError, r"E335: cannot write net: the working directory was removed(.|\n)*os\.chdir"):
        WAYS[way](net, "net")


def test_reading_where_the_working_directory_was_removed(tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with refusal(ReadError, r"E600: cannot read net(.|\n)*the working directory was removed"):
        hybridize.load("net")


@pytest.mark.parametrize("form", ["library", "object", "wheel"])
def test_where_there_is_no_folder_for_temporary_files(net, tmp_path, monkeypatch, form):
    def nowhere():
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr(tempfile, "gettempdir", nowhere)
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_get_default_tempdir", nowhere)
    with refusal(WriteError, r"E335: cannot write .*net: No usable temporary directory(.|\n)*set TMPDIR"):
        net.export(tmp_path / "net", format=form)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("form", ["library", "wheel"])
def test_a_disk_that_runs_no_files(net, tmp_path, monkeypatch, form):
    """A library cannot be run on it; the error says that this is for the disk."""
    printed = "OSError: /noexec/libnet.so: failed to map segment from shared object"
    monkeypatch.setattr(checking, "drivers", lambda: tmp_path)
    (tmp_path / "library.py").write_text(f"raise SystemExit({printed!r})")
    with refusal(VerificationError, r"E812(.|\n)*failed to map segment(.|\n)*noexec(.|\n)*TMPDIR"):
        net.export(tmp_path / "net", format=form)


def test_targets_of_a_format_that_takes_one(net, tmp_path):
    with refusal(ArgumentError, r"E337: targets must be one of(.|\n)*export once for each"):
        net.export(tmp_path / "net", format="library", targets=["aarch64-linux", "x86_64-windows"])
