"""Programs on systems with musl, such as Alpine: what hybridize has exported runs there; a wheel says that it does not."""

import subprocess

import pytest

STATIC = ("musl-gcc", "-static", "net.o")
SHARED = ("musl-gcc", "-Ishared", "shared/libnet.so", "-Wl,-rpath,shared")


@pytest.mark.parametrize("words", [STATIC, SHARED], ids=["static", "shared"])
def test_a_library_runs(words, exported, system):
    """musl's loader takes the name of glibc's library for itself, and has each function that ours ask for."""
    system("musl-gcc", "readelf")
    exported.build(*words)
    program = subprocess.run(
        ["readelf", "-lW", "main"], cwd=exported.folder, capture_output=True, text=True, check=True
    )
    assert ("ld-musl" in program.stdout) is (words is SHARED)
    exported.run("./main")
