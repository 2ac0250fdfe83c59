"""What libraries say of themselves, read from their bytes; damaged ones are refused, quickly."""

import random
import time

import pytest

import hybridize
from hybridize import np
from hybridize.base.errors import LoadError
from hybridize.formats.library.reading import read_library
from hybridize.tools import exported_files
from tests.platforms.pace import SLOWER

FILES = {"x86_64-linux": "libnet.so", "x86_64-windows": "net.dll"}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    at = tmp_path_factory.mktemp("libraries")
    fast = hybridize.hybridize(lambda x, i: {"y": np.take(x, i, axis=0)})
    for rows in (3, 6):
        fast(np.ones((rows, 4)), np.array([0, 1], dtype="int64"))
    for machine in FILES:
        fast.export(at / "net", "library", targets=machine)
    fast.export(at / "net", "object")
    return at


@pytest.mark.parametrize("machine", FILES)
def test_what_it_says(files, machine):
    found = read_library(files / FILES[machine])
    assert (found.name, found.platform.name) == ("net", machine)
    assert [one["name"] for one in found.description["inputs"]] == ["x", "i"]
    assert [one["shape"] for one in found.description["outputs"]] == [[2, 4]]
    assert found.description["sizes"][0].startswith("n0 in 1..")
    text = next(one for one in found.sections if one.name == ".text")
    assert text.code
    assert 1000 < text.nbytes < found.nbytes


def test_objects_are_no_libraries(files):
    with pytest.raises(LoadError, match=r"E642: .*net\.o is not a hybridize library: .*an object or a program"):
        read_library(files / "net.o")


@pytest.mark.parametrize("machine", FILES)
def test_damaged_files(files, machine, tmp_path):
    """Headers, tables and the description, changed at random: told as E642, or read and shown; never anything else."""
    whole = (files / FILES[machine]).read_bytes()
    draw = random.Random(5)
    place = whole.index(b'{"name"')
    refused = 0
    for number in range(400):
        data = bytearray(whole)
        if number % 4 == 0:
            data = data[: draw.randrange(len(data))]
        else:
            start, stop = ((0, 1024), (place, place + 400), (len(data) - 2000, len(data)))[number % 4 - 1]
            for _ in range(draw.randrange(1, 9)):
                data[draw.randrange(start, min(stop, len(data)))] = draw.randrange(256)
        path = tmp_path / "damaged"
        path.write_bytes(data)
        begin = time.thread_time()
        try:
            exported_files.library(path)
        except LoadError as error:
            assert error.code == "E642"  # noqa: PT017
            refused += 1
        assert time.thread_time() - begin < SLOWER
    assert refused > 100
