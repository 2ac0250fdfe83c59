"""ONNX's transforms, windows and bands of pitch give the onnx package's numbers."""

import numpy
import pytest

from tests.formats.onnx.oracles import agree, info, model_of, node, reference, runtime

LONG = pytest.mark.long
RANDOM = numpy.random.RandomState(0)


def floats(*shape):
    return RANDOM.uniform(-1, 1, shape).astype("f4")


def number(x, dtype="i8"):
    return numpy.array(x, dtype)


@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("length", [5, pytest.param(None, marks=LONG), pytest.param(12, marks=LONG)])
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
    agree(model, *({"x": floats(n, 8, 3, parts)} for n in (2, 3, 5)), oracle=reference, rtol=1e-4, atol=1e-5)


@LONG
@pytest.mark.parametrize("attributes", [{}, {"onesided": 1}, {"inverse": 1}, {"onesided": 1, "inverse": 1}])
def test_long_transforms_are_for_one_size(attributes):
    """NumPy computes them."""
    x = floats(2, 1030, 2 if attributes.get("inverse") else 1)
    model = model_of([node("DFT", "x", **attributes)], [info("x", "f4", ["n", "t", "p"])], [info("y")], opset=20)
    agree(model, {"x": x}, {"x": x[:, :1027]}, oracle=reference, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("onesided", [0, 1])
def test_frames_of_a_signal(onesided):
    nodes = [node("HannWindow", "size", "w"), node("STFT", "x step w", onesided=onesided)]
    model = model_of(nodes, [info("x", "f4", ["n", 40, 1])], [info("y")], {"size": number(16), "step": number(5)})
    agree(model, *({"x": floats(n, 40, 1)} for n in (2, 3, 5)), oracle=runtime, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("op", "periodic"), [
    ("HannWindow", 1), ("BlackmanWindow", 0), pytest.param("HammingWindow", 0, marks=LONG),
    pytest.param("BlackmanWindow", 1, marks=LONG),
])  # fmt: skip
def test_windows_are_as_long_as_a_signal(op, periodic):
    nodes = [node("Shape", "x", "s", start=1), node("Squeeze", "s", "k"), node(op, "k", "w", periodic=periodic),
             node("Mul", "x w")]  # fmt: skip
    model = model_of(nodes, [info("x", "f4", [2, "k"])], [info("y")])
    agree(model, *({"x": floats(2, n)} for n in (10, 7, 12)), oracle=reference)


def test_bands_of_pitch():
    weights = {"bands": number(8), "length": number(64), "rate": number(8192), "low": number(0.0, "f4"),
               "high": number(4096.0, "f4")}  # fmt: skip
    nodes = [node("MelWeightMatrix", "bands length rate low high", "m"), node("MatMul", "x m")]
    model = model_of(nodes, [info("x", "f4", ["n", 33])], [info("y")], weights)
    agree(model, *({"x": floats(n, 33)} for n in (2, 3, 5)), oracle=runtime)
