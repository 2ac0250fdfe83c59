"""What a host may do wrong: every mistake has a code with a text, and nothing is touched."""

import ctypes
import os

import numpy
import pytest

import hybridize as hy
from hybridize import np
from tests.platforms.marks import links


@pytest.fixture(scope="module")
def sums(library):
    """x[n, 4] + y[4], and their sum."""

    def add(x, y):
        z = x + y
        return z, z.sum()

    return library(add, (np.ones((3, 4)), np.ones((4,))), (np.ones((5, 4)), np.ones((4,))))


def test_pointers_that_are_null(sums):
    model = sums.create()
    x, y = numpy.ones((3, 4), "f4"), numpy.ones(4, "f4")
    z, total = numpy.zeros((3, 4), "f4"), numpy.zeros((), "f4")
    inputs, outputs, shapes = [x.ctypes.data, y.ctypes.data], [z.ctypes.data, total.ctypes.data], [(3, 4), (4,)]
    run = model.run

    def text(code):
        return sums.kinds[code & 255], sums.error(code)

    assert run(inputs, shapes, outputs) == 0
    assert text(run(None, shapes, outputs)) == ("NULL", "the array of inputs is a null pointer")
    assert text(run(inputs, shapes, None)) == ("NULL", "the array of outputs is a null pointer")
    assert text(run(inputs, None, outputs))[1].startswith("the sizes of the inputs are a null pointer")
    assert text(run([inputs[0], None], shapes, outputs)) == ("NULL", "input 1 `y` is a null pointer")
    assert text(run(inputs, shapes, [None, outputs[1]])) == ("NULL", "output 0 `output_0` is a null pointer")
    code = sums.function("run")(None, None, None, None, None)
    assert text(code) == ("NULL", "the model is a null pointer")
    assert sums.function("create")(None, None) & 255 == 1
    assert sums.function("sizes")(None, None) & 255 == 1
    model.destroy()
    sums.function("destroy")(None)


def test_arrays_that_are_not_aligned(sums):
    model = sums.create()
    room = numpy.zeros(400, "u1")
    base = room.ctypes.data
    shapes = [(3, 4), (4,)]
    for place in range(4):
        pointers = [base, base + 64, base + 128, base + 200]
        pointers[place] += 1 + place % 3
        code = model.run(pointers[:2], shapes, pointers[2:])
        kind = "input" if place < 2 else "output"
        assert sums.error(code).startswith(f"{kind} {place % 2} `") and sums.error(code).endswith(
            "must lie at a multiple of 4 bytes"
        )
        assert (code & 255, code >> 8 & 0xFFFF) == (3, place + 1)
    assert not room.any()
    model.destroy()


def test_an_array_without_elements_may_be_null(library):
    made = library(lambda x, y: (x + 1, y.sum()), (np.zeros((0, 3)), np.ones((2,))))
    model, y, total = made.create(), numpy.ones(2, "f4"), numpy.zeros((), "f4")
    assert model.run([None, y.ctypes.data], None, [None, total.ctypes.data]) == 0
    assert total == 2
    assert made.error(model.run([None, None], None, [None, total.ctypes.data])) == "input 1 `y` is a null pointer"
    model.destroy()


def test_any_alignment_of_an_element_will_do(sums):
    model = sums.create()
    room = numpy.zeros(4096, "u1")
    base = -(-room.ctypes.data // 64) * 64
    x, y = numpy.random.default_rng(0).standard_normal((2, 33, 4)).astype("f4")
    for shift in range(0, 64, 4):
        places = [base + shift, base + 700 + shift, base + 1000 + shift, base + 1800 + shift]
        ctypes.memmove(places[0], x.ctypes.data, x.nbytes)
        ctypes.memmove(places[1], y.ctypes.data, 16)
        assert model.run(places[:2], [(33, 4), (4,)], places[2:]) == 0
        found = numpy.frombuffer(ctypes.string_at(places[2], x.nbytes), "f4").reshape(33, 4)
        numpy.testing.assert_array_equal(found, x + y[0])
    model.destroy()


@pytest.mark.parametrize(
    ("shapes", "text"),
    [
        ([(3, 5), (4,)], "input 0 `x`: axis 1 must be 4"),
        ([(3, 4), (5,)], "input 1 `y`: axis 0 must be 4"),
        ([(-3, 4), (4,)], "input 0 `x`: axis 0 must be 1 or more"),
        ([(0, 4), (4,)], "input 0 `x`: axis 0 must be 1 or more"),
        ([((1 << 63) - 1, 4), (4,)], "input 0 `x`: axis 0 must be 1 or more"),
        ([(1 << 62, 4), (4,)], "input 0 `x`: axis 0 must be 1 or more"),
        ([(3, 4), (0,)], "input 1 `y`: axis 0 must be 4"),
    ],
)
def test_sizes_that_are_wrong(sums, shapes, text):
    model = sums.create()
    found = sums.sizes(shapes)
    assert found.startswith("SIZE: ") and found[6:].startswith(text)
    code = model.run([64, 64], shapes, [64, 64])  # nothing is looked at there
    assert sums.error(code).startswith(text)
    model.destroy()


def test_room_that_is_wrong(sums):
    model = sums.create()
    x, y = numpy.ones((3, 4), "f4"), numpy.ones(4, "f4")
    z, total = numpy.zeros((3, 4), "f4"), numpy.zeros((), "f4")
    arrays = [x.ctypes.data, y.ctypes.data], [(3, 4), (4,)], [z.ctypes.data, total.ctypes.data]
    assert sums.error(model.run(*arrays, found=[(4, 4), ()])) == "output 0 `output_0`: axis 0 must be n0"
    assert sums.error(model.run(*arrays, found=[(3, 3), ()])) == "output 0 `output_0`: axis 1 must be 4"
    assert not z.any()
    assert model.run(*arrays, found=[(3, 4), ()]) == 0
    assert z.all()
    model.destroy()


def test_options_that_are_wrong(sums):
    assert (
        sums.create(processor="pentium") == "OPTION: options.processor is none of those that this library has code for"
    )
    assert sums.create(processor="avx51").startswith("OPTION") and sums.create(processor="avx5122").startswith("OPTION")
    assert sums.create(processor="").startswith("OPTION")
    assert sums.create(threads=-1) == "OPTION: options.threads is negative"
    assert sums.create(threads=2).startswith("OPTION: options.threads is more than 1")


def test_codes_that_there_are_not(sums):
    assert sums.error(0) == "no error"
    for code in (8, 255, -1, 1 << 30, 3 | 1 << 20):
        assert sums.error(code) == "there is no such code"


def test_a_condition_of_sizes_is_told(library):
    def halves(x):
        return x.reshape(2, -1) if x.shape[0] % 2 == 0 else x

    function = hy.hybridize(halves)
    for length in (6, 10):
        function(np.ones((length,)))
    made = library(halves, (np.ones((6,)),), (np.ones((10,)),))
    model = made.create()
    assert model(numpy.ones(8, "f4"))[0].shape == (2, 4)
    found = model(numpy.ones(9, "f4"))
    assert found.startswith("SIZE: the program does not hold for these sizes: it needs ")
    model.destroy()


# The file of weights


@pytest.fixture(scope="module")
def beside(library):
    w = np.array(numpy.random.default_rng(0).standard_normal((64, 32)).astype("f4"))
    return library(lambda x: np.dot(x, w), (np.ones((2, 64)),), weights="beside")


@links
def test_a_file_that_is_absent_or_not_given(beside, tmp_path):
    assert beside.create().startswith("FILE: options.weights is not given")
    assert beside.create(weights=str(tmp_path / "none")) == "FILE: the file of weights cannot be opened"
    assert beside.create(weights=str(tmp_path)).startswith("FILE: ")
    os.mkfifo(tmp_path / "pipe")
    assert beside.create(weights=str(tmp_path / "pipe")).startswith("FILE: ")  # and nobody waits for a writer


def test_a_file_that_is_another(beside, tmp_path):
    content = beside.files[2].read_bytes()
    file = tmp_path / "weights"
    draw = numpy.random.default_rng(1)
    for length in (0, 1, 8, len(content) - 1, len(content) + 1):
        file.write_bytes((content + b"0")[:length])
        assert beside.create(weights=str(file)).startswith("FILE: the file of weights has another length")
    for _ in range(500):
        changed = bytearray(content)
        for place in draw.integers(0, len(content), draw.integers(1, 3)):
            changed[place] ^= 1 << draw.integers(0, 8)
        if changed != content:
            file.write_bytes(changed)
            assert beside.create(weights=str(file)).startswith("FILE: the file of weights has another content")
    words = bytearray(content)
    words[-8:], words[-16:-8] = content[-16:-8], content[-8:]
    file.write_bytes(words)
    assert beside.create(weights=str(file)).startswith("FILE: the file of weights has another content")
    file.write_bytes(content)
    beside.create(weights=str(file)).destroy()


def test_the_file_is_one_that_others_read(beside):
    from safetensors.numpy import load_file

    arrays = load_file(beside.files[2])
    assert any(array.shape == (64, 32) or array.shape == (32, 64) for array in arrays.values())
