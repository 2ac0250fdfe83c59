"""ONNX's transforms, windows and bands of pitch give the onnx package's numbers."""

import numpy
import pytest

from tests.formats.onnx.oracles import agree, info, model_of, node, reference, runtime

RANDOM = numpy.random.RandomState(0)


def floats(*shape):
    return RANDOM.uniform(-1, 1, shape).astype("f4")


def number(x, dtype="i8"):
    return numpy.array(x, dtype)


@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("length", [None, 5, 12])
@pytest.mark.parametrize("attributes", [{}, {"onesided": 1}, {"inverse": 1}])
def test_transforms(parts, length, attributes):
    """Of a signal, cut off or with zeros behind it."""
    if parts == 2 and attributes.get("onesided"):
        attributes = {"onesided": 1, "inverse": 1}
    names = "x - a" if length is None else "x l a"
    weights = {"a": number(1)} if length is None else {"a": number(1), "l": number(length)}
    model = model_of(
        [node("DFT", names, **attributes)], [info("x", "f4", ["n", 8, 3, parts])], [info("y")], weights, 20
    )
    agree(model, {"x": floats(2, 8, 3, parts)}, {"x": floats(3, 8, 3, parts)}, oracle=reference, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("onesided", [0, 1])
def test_frames_of_a_signal(onesided):
    nodes = [node("HannWindow", "size", "w"), node("STFT", "x step w", onesided=onesided)]
    model = model_of(nodes, [info("x", "f4", ["n", 40, 1])], [info("y")], {"size": number(16), "step": number(5)})
    agree(model, {"x": floats(2, 40, 1)}, {"x": floats(3, 40, 1)}, oracle=runtime, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("op", ["HannWindow", "HammingWindow", "BlackmanWindow"])
@pytest.mark.parametrize("periodic", [0, 1])
def test_windows_are_as_long_as_a_signal(op, periodic):
    nodes = [node("Shape", "x", "s", start=1), node("Squeeze", "s", "k"), node(op, "k", "w", periodic=periodic),
             node("Mul", "x w")]  # fmt: skip
    model = model_of(nodes, [info("x", "f4", [2, "k"])], [info("y")])
    agree(model, {"x": floats(2, 10)}, {"x": floats(2, 7)}, oracle=reference)


def test_bands_of_pitch():
    weights = {"bands": number(8), "length": number(64), "rate": number(8192), "low": number(0.0, "f4"),
               "high": number(4096.0, "f4")}  # fmt: skip
    nodes = [node("MelWeightMatrix", "bands length rate low high", "m"), node("MatMul", "x m")]
    model = model_of(nodes, [info("x", "f4", ["n", 33])], [info("y")], weights)
    agree(model, {"x": floats(2, 33)}, {"x": floats(3, 33)}, oracle=runtime)
