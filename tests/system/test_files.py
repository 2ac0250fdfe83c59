"""Files of any system: what is loaded is its own, and another file can take its place."""

import os

import pytest

from hybridize import system
from hybridize.errors import WriteError
from hybridize.formats.atomic import replacing
from hybridize.system import windows
from tests.refusals import refusal

ENDS = pytest.mark.parametrize("end", [system.end, windows], ids=["this system's", "Windows's"])


@ENDS
def test_what_a_file_holds_is_there_when_another_one_takes_its_place(tmp_path, end):
    (tmp_path / "a").write_bytes(b"first" * 1000)
    (tmp_path / "b").write_bytes(b"other")
    file = os.open(tmp_path / "a", system.READ)
    content = end.file_content(file)
    os.close(file)
    end.replace(tmp_path / "b", tmp_path / "a")
    assert bytes(content) == b"first" * 1000
    assert (tmp_path / "a").read_bytes() == b"other"


@ENDS
def test_what_is_written_to_the_content_does_not_change_the_file(tmp_path, end):
    (tmp_path / "a").write_bytes(b"first")
    file = os.open(tmp_path / "a", system.READ)
    content = end.file_content(file, writable=True)
    os.close(file)
    content[:2] = b"FI"
    assert bytes(content) == b"FIrst"
    assert (tmp_path / "a").read_bytes() == b"first"


def test_a_file_that_somebody_has_open_for_a_moment_is_waited_for(tmp_path, monkeypatch):
    """As scanners and indexers of Windows do."""
    tries = []

    def busy(old, new, replace=os.replace):
        tries.append(new)
        if len(tries) < 3:
            raise PermissionError(13, "The process cannot access the file")
        replace(old, new)

    monkeypatch.setattr(windows.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(windows.os, "replace", busy)
    (tmp_path / "a").write_text("new")
    windows.replace(tmp_path / "a", tmp_path / "b")
    assert len(tries) == 3 and (tmp_path / "b").read_text() == "new"


@pytest.mark.parametrize(("number", "in_use"), [(5, True), (32, True), (1224, True), (2, False), (None, False)])
def test_errors_of_windows_that_mean_that_a_program_has_the_file(number, in_use):
    error = PermissionError(13, "denied")
    error.winerror = number
    assert windows.is_in_use(error) is in_use


def test_a_file_that_a_program_runs_is_named_with_the_remedy(tmp_path, monkeypatch):
    def refuse(old, new):
        error = PermissionError(13, "Access denied")
        error.winerror = 5
        raise error

    monkeypatch.setattr(system, "replace", refuse)
    monkeypatch.setattr(system, "is_in_use", windows.is_in_use)
    with (
        refusal(
            WriteError, r"E335: cannot write .*net\.dll: Access denied(.|\n)*close what has net\.dll open or runs it"
        ),
        replacing(tmp_path / "net.dll") as temporary,
        open(temporary, "w") as file,
    ):
        file.write("x")
    assert os.listdir(tmp_path) == []
