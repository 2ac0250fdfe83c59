"""`hybridize cache`: what is on the disk, and none of it."""

import os

import pytest
from typer.testing import CliRunner

from hybridize.base.config import CONFIG
from hybridize.compiler.folder import Folder
from hybridize.tools.application import application
from tests.platforms.marks import owners


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(CONFIG, "cache", True)
    monkeypatch.setattr(CONFIG, "cache_folder", str(tmp_path))
    os.chmod(tmp_path, 0o700)
    return Folder(str(tmp_path), CONFIG.cache_bytes)


def command(*arguments):
    done = CliRunner().invoke(application, ["cache", *arguments])
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


def test_sizes_and_ages(folder):
    assert "just now" not in command()
    folder.write("a", bytes(1000))
    folder.write("b", bytes(234))
    os.utime(f"{folder.path}/b.image", (1e9, 1e9))
    said = command()
    assert "1,234 of 268,435,456" in said
    assert "just now" in said
    assert "days ago" in said


def test_clear(folder):
    folder.write("a", bytes(1000))
    assert command("--clear") == "1,000 bytes freed"
    assert folder.entries() == []


def test_switched_off(folder, monkeypatch):
    monkeypatch.setattr(CONFIG, "cache", False)
    assert "switched off" in command()
    assert command("--clear") == "0 bytes freed"


@owners
def test_a_folder_of_others(folder):
    os.chmod(folder.path, 0o777)
    assert "others may write to it" in command()
