# SPDX-License-Identifier: Apache-2.0
"""TFLite files: what is read of them, what is refused, and what malformed ones do."""

from __future__ import annotations

import struct

import numpy
import pytest

import hybridize
from hybridize import load
from hybridize.errors import ArgumentError, LoadError
from hybridize.formats.detection import detect
from hybridize.formats.tflite.read import program
from hybridize.gluon.imported_block import ImportedBlock
from tests.formats.tflite.cases import asked, ints, numbers
from tests.formats.tflite.writer import Builder
from tests.refusals import refusal


def run(model: bytes, *inputs: numpy.ndarray) -> list[numpy.ndarray]:
    y = ImportedBlock(program(model, "m.tflite"))(*map(hybridize.np.array, inputs))
    return [one.asnumpy() for one in (y if isinstance(y, tuple) else (y,))]


def dense(**more) -> bytes:
    """A layer with short weights, which are widened by a node, as converters write them."""
    b = Builder()
    x = b.input((1, 4), name="serving_default_x:0", signature=[-1, 4])
    short = b.constant(numbers(3, 4).astype("f2"), name="weight")
    wide, y = b.tensor((3, 4), name="wide"), b.tensor((1, 3), name="call:0", signature=[-1, 3])
    b.operator("DEQUANTIZE", [short], [wide])
    b.operator("FULLY_CONNECTED", [x, wide, -1], [y], ("dense", {"activation": 1}))
    b.outputs(y)
    return b.bytes(**more)


def test_content_says_that_a_file_is_tflite_and_load_gives_a_block(tmp_path):
    path = tmp_path / "model.bin"
    path.write_bytes(dense())
    assert detect(path) == "tflite"
    net = load(path)
    assert [str(port) for port in net.inputs] == ["serving_default_x:0: f32[?,4]"]
    assert net.metadata["description"] == "of our own making"
    x = numbers(2, 4, seed=4)
    weight = numbers(3, 4).astype("f2").astype("f4")
    numpy.testing.assert_allclose(net(hybridize.np.array(x)).asnumpy(), numpy.maximum(x @ weight.T, 0), rtol=1e-6)


def test_short_weights_stay_short():
    (parameter,) = ImportedBlock(program(dense(), "m.tflite")).collect_params().values()
    assert parameter.name == "weight"
    assert parameter.dtype == numpy.float16


def test_a_second_batch_size_compiles_one_general_program(tmp_path):
    (tmp_path / "m.tflite").write_bytes(dense())
    net = load(tmp_path / "m.tflite")
    for batch in (1, 5, 7, 9):
        assert net(hybridize.np.zeros((batch, 4))).shape == (batch, 3)
    assert net.cache_info().programs == 2


def test_names_of_signatures_are_those_of_inputs_and_outputs():
    signature = {
        "inputs": [{"name": "x", "tensor": 0}],
        "outputs": [{"name": "y", "tensor": 3}],
        "key": "serve",
        "graph": 0,
    }
    net = ImportedBlock(program(dense(signatures=[signature]), "m.tflite"))
    assert [net.inputs[0].name, net.outputs[0].name] == ["x", "y"]
    assert net(x=hybridize.np.zeros((1, 4))).shape == (1, 3)


def sparse() -> tuple[bytes, numpy.ndarray]:
    """A weight [4, 4] whose blocks [1, 2] are sparse, and the same dense."""
    b = Builder()
    x = b.input((1, 4))
    b.buffers.append({"data": numpy.frombuffer(numpy.arange(1, 7, dtype="f4").tobytes(), "u1")})
    axes = [
        {"format": 0, "size": 4},
        {"format": 1, "segments": ("ints", {"values": [0, 1, 1, 3, 3]}), "indices": ("bytes", {"values": [1, 0, 1]})},
        {"format": 0, "size": 2},
    ]
    stored = b.tensor((4, 4), buffer=1, sparsity={"order": [0, 1, 2], "blocks": [1], "axes": axes})
    wide, y = b.tensor((4, 4)), b.tensor((1, 4))
    b.operator("DENSIFY", [stored], [wide])
    b.operator("FULLY_CONNECTED", [x, wide, -1], [y], ("dense", {}))
    b.outputs(y)
    return b.bytes(), numpy.array([[0, 0, 1, 2], [0, 0, 0, 0], [3, 4, 5, 6], [0, 0, 0, 0]], "f4")


def test_sparse_weights_are_dense_from_the_load_on():
    model, weight = sparse()
    numpy.testing.assert_array_equal(run(model, numpy.eye(4, dtype="f4")[2:3])[0], weight[:, 2:3].T)


def test_mediapipe_s_transposed_convolution():
    b = Builder()
    x, w, bias = b.input((1, 3, 4, 2)), b.constant(numbers(3, 2, 2, 2)), b.constant(numbers(3))
    y = b.tensor((1, 6, 8, 3))
    b.operator("Convolution2DTransposeBias", [x, w, bias], [y], custom=list(struct.pack("<3i", 1, 2, 2)))
    b.outputs(y)
    image = numbers(1, 3, 4, 2, seed=8)
    expected = numpy.einsum("nhwc,ourc->nhuwro", image, numbers(3, 2, 2, 2)).reshape(1, 6, 8, 3) + numbers(3)
    numpy.testing.assert_allclose(run(b.bytes(), image)[0], expected, rtol=1e-5, atol=1e-6)


def test_operators_without_a_row_are_refused_all_at_once():
    b = Builder()
    x = b.input((1, 4))
    y, z = b.tensor((1, 4), name="first"), b.tensor((1, 4))
    b.operator("TransformLandmarks", [x], [y])
    b.operator("UNIQUE", [y], [z])
    b.outputs(z)
    with pytest.raises(
        LoadError, match=r"m.tflite: operator TransformLandmarks, node 'first'.*not supported"
    ) as caught:
        program(b.bytes(), "m.tflite")
    assert "TransformLandmarks, UNIQUE" in caught.value.help


def test_integers_beside_floats_and_some_of_sixteen_bits_are_refused():
    b = Builder()
    x, w, y = b.input((1, 4)), b.constant(numbers(1, 4, dtype="i1"), 0.1), b.tensor((1, 4), "i1", 0.1, name="y")
    b.operator("MUL", [x, w], [y], ("mul", {}))
    b.outputs(y)
    with pytest.raises(LoadError, match=r"E603.*MUL.*'y'.*input 0 is no quantized tensor"):
        run(b.bytes(), numbers(1, 4))
    for scale, zero, words in ((0.1, 3, "an integer of 0 that is not 0"), (0.125, 0, "a power of two")):
        b = Builder()
        x, y = b.input((1, 4), "i2", scale, zero), b.tensor((1, 4), "i2", 1 / 32768, name="y")
        b.operator("LOGISTIC", [x], [y])
        b.outputs(y)
        with refusal(LoadError, rf"E603.*LOGISTIC.*'y'.*{words}"):
            run(b.bytes(), numbers(1, 4).astype("i2"))
    b = Builder()
    x, y = b.input((1, 4), "i2", 0.1), b.tensor((1, 4), "i2", 0.1, name="y")
    b.operator("ELU", [x], [y])
    b.outputs(y)
    with pytest.raises(LoadError, match=r"E606.*ELU\[int16\]"):
        program(b.bytes(), "m.tflite")


def test_other_files_versions_and_roundings_are_refused(tmp_path):
    with pytest.raises(LoadError, match=r"E601.*TFL3 does not stand at byte 4"):
        program(b"\0" * 40, "m.tflite")
    with pytest.raises(LoadError, match=r"E602.*version 4 of TFLite's schema"):
        program(dense(version=4), "m.tflite")
    with pytest.raises(ArgumentError, match=r"E398.*rounding='even'"):
        program(dense(), "m.tflite", "even")


def test_values_are_there_before_they_are_read():
    b = Builder()
    x, y, z = b.input((1, 4)), b.tensor((1, 4)), b.tensor((1, 4), name="z")
    b.operator("NEG", [y], [z])
    b.operator("NEG", [x], [y])
    b.outputs(z)
    with pytest.raises(LoadError, match=r"E601.*node 'z', reads 't1' before it is computed"):
        program(b.bytes(), "m.tflite")


def mutants(model: bytes, count: int):
    """Yield the model with a few bytes or words changed, or cut short."""
    rng = numpy.random.default_rng(0)
    for number in range(count):
        data = bytearray(model)
        if number % 10 == 0:
            yield bytes(data[: rng.integers(0, len(data))])
            continue
        for _ in range(rng.integers(1, 4)):
            at = int(rng.integers(0, len(data) - 4))
            if number % 2:
                data[at] = int(rng.integers(0, 256))
            else:
                value = int(
                    rng.choice([0, 1, 2, 0x7FFFFFFF, 0xFFFFFFFF, 0x80000000, len(data), int(rng.integers(0, 1 << 32))])
                )
                struct.pack_into("<I", data, at & ~3, value)
        yield bytes(data)


@pytest.mark.long
def test_litert_reads_our_files_as_we_do():
    model, _ = sparse()
    x = numpy.eye(4, dtype="f4")[2:3]
    for model in (dense(), sparse()[0]):
        ((result,),) = asked([(model, [(x,)])], "default")
        numpy.testing.assert_allclose(result[0], run(model, x)[0], rtol=1e-6)


def test_spectra_are_machine_code_and_can_be_saved(tmp_path):
    b = Builder()
    x, size, order = b.input((2, 1, 12)), b.constant(ints(1, 16)), b.constant(ints(1, 0, 2))
    whole, turned, short, y = (
        b.tensor((2, 1, 9), "c8"),
        b.tensor((1, 2, 9), "c8"),
        b.tensor((2, 9), "c8"),
        b.tensor((2, 9)),
    )
    b.operator("RFFT2D", [x, size], [whole])
    b.operator("TRANSPOSE", [whole, order], [turned])
    b.operator("SQUEEZE", [turned], [short], ("squeeze", {"axes": [0]}))
    b.operator("COMPLEX_ABS", [short], [y])
    b.outputs(y)
    (tmp_path / "m.tflite").write_bytes(b.bytes())
    net, signal = load(tmp_path / "m.tflite"), numbers(2, 1, 12)
    result = net(hybridize.np.array(signal)).asnumpy()
    numpy.testing.assert_allclose(result, abs(numpy.fft.rfft(signal[:, 0], 16)), rtol=1e-5, atol=1e-6)
    assert not net.program(hybridize.np.array(signal)).fallbacks
    net.save(tmp_path / "m.hyb")
    numpy.testing.assert_array_equal(load(tmp_path / "m.hyb")(hybridize.np.array(signal)).asnumpy(), result)
    b.operator("NEG", [short], [b.tensor((2, 9), "c8", name="end")])
    with pytest.raises(LoadError, match=r"operator NEG\[complex\], node 'end'"):
        program(b.bytes(), "m.tflite")
