"""ONNX's integers that stand for real numbers give the integers of ONNX Runtime, or of the onnx package's reference."""

import numpy
import pytest

from hybridize import np
from hybridize.errors import LoadError
from tests.formats.onnx.oracles import agree, block_of, info, model_of, node, reference

LONG = pytest.mark.long
RANDOM = numpy.random.RandomState(0)


def numbers(*shape, dtype="u1"):
    ends = numpy.iinfo(dtype)
    return RANDOM.randint(ends.min, ends.max + 1, shape).astype(dtype)


def floats(*shape):
    return RANDOM.uniform(-2, 2, shape).astype("f4")


@pytest.mark.parametrize(("dtype", "axis"), [
    ("u1", None), ("i1", -1), ("u1", 0), pytest.param("i1", None, marks=LONG), pytest.param("u1", -1, marks=LONG),
])  # fmt: skip
def test_floats_as_integers_and_back(dtype, axis):
    """Halves go to the even neighbour, what is too large to the end."""
    count = {None: (), 0: (3,), -1: (5,)}[axis]
    scale = numpy.asarray(RANDOM.choice([0.25, 0.125, 0.0625], count or None), "f4")
    weights = {"scale": scale, "zero": numpy.asarray(numbers(*count, dtype=dtype))}
    attributes = {} if axis is None else {"axis": axis}
    nodes = [node("QuantizeLinear", "x scale zero", "q", **attributes),
             node("DequantizeLinear", "q scale zero", "y", **attributes)]  # fmt: skip
    size = "n" if axis != 0 else 3
    model = model_of(nodes, [info("x", "f4", [size, 5])], [info("q", dtype), info("y")], weights)
    batches = [{"x": (RANDOM.randint(-40, 41, (n, 5)) / 8).astype("f4")} for n in ((3, 7, 4) if axis != 0 else (3,))]
    agree(model, *batches, rtol=0, atol=0)


def test_blocks_have_scales_of_their_own():
    nodes = [node("QuantizeLinear", "x scale zero", "q", axis=1, block_size=3),
             node("DequantizeLinear", "q scale zero", "y", axis=1, block_size=3)]  # fmt: skip
    weights = {"scale": numpy.full((2, 2), 0.1, "f4") * numpy.arange(1, 5).reshape(2, 2).astype("f4"),
               "zero": numpy.array([[1, 2], [3, 4]], "i2")}  # fmt: skip
    model = model_of(nodes, [info("x", "f4", [2, 6])], [info("q", "i2"), info("y")], weights, opset=21)
    agree(model, {"x": floats(2, 6)}, oracle=reference)


def test_a_scale_of_its_own():
    model = model_of([node("DynamicQuantizeLinear", "x", "q scale zero")], [info("x", "f4", ["n", 4])],
                     [info("q", "u1"), info("scale"), info("zero", "u1")])  # fmt: skip
    block = agree(model, {"x": floats(3, 4)}, {"x": floats(5, 4) + 3}, {"x": -abs(floats(2, 4))}, programs=2)
    assert block.metadata["operator set"] == "ai.onnx 17"


@pytest.mark.parametrize("zeros", [pytest.param(0, marks=LONG), pytest.param(1, marks=LONG), 2])
def test_products_of_integers_are_exact(zeros):
    weights = {"b": numbers(600, 4, dtype="i1"), "za": numpy.array(77, "u1"), "zb": numpy.array([3, -5, 7, 0], "i1")}
    inputs = ["a", "b", "za", "zb"][: 2 + zeros]
    used = {name: weights[name] for name in inputs[1:]}
    model = model_of([node("MatMulInteger", inputs)], [info("a", "u1", ["n", 600])], [info("y", "i4")], used)
    agree(model, {"a": numbers(3, 600)}, {"a": numbers(6, 600)}, {"a": numbers(5, 600)})


def test_convolutions_of_integers_are_exact():
    """What surrounds an image stands for 0."""
    weights = {"w": numbers(4, 2, 3, 3), "zx": numpy.array(9, "u1"), "zw": numpy.array(100, "u1")}
    model = model_of([node("ConvInteger", "x w zx zw", pads=[1, 1, 0, 1], strides=[2, 1])],
                     [info("x", "u1", ["n", 2, 6, 7])], [info("y", "i4")], weights)  # fmt: skip
    agree(model, *({"x": numbers(n, 2, 6, 7)} for n in (2, 3, 5)))


@pytest.mark.parametrize("kind", ["u1", pytest.param("i1", marks=LONG)])
def test_products_on_one_scale(kind):
    weights = {
        "sa": numpy.float32(0.02), "za": numpy.array(3, kind), "b": numbers(20, 4, dtype="i1"),
        "sb": numpy.float32(0.011), "zb": numpy.array(-2, "i1"), "s": numpy.float32(0.3), "z": numpy.array(11, kind),
    }  # fmt: skip
    model = model_of([node("QLinearMatMul", "a sa za b sb zb s z")], [info("a", kind, ["n", 20])],
                     [info("y", kind)], weights)  # fmt: skip
    agree(model, *({"a": numbers(n, 20, dtype=kind)} for n in (5, 9, 3)))


def test_convolutions_on_one_scale():
    """Each channel of the weights has a scale, and a bias in units of the products."""
    weights = {
        "sx": numpy.float32(0.02), "zx": numpy.array(120, "u1"), "w": numbers(4, 2, 3, 3, dtype="i1"),
        "sw": numpy.array([0.01, 0.02, 0.005, 0.013], "f4"), "zw": numpy.zeros(4, "i1"),
        "s": numpy.float32(0.1), "z": numpy.array(100, "u1"), "b": RANDOM.randint(-900, 900, 4).astype("i4"),
    }  # fmt: skip
    model = model_of([node("QLinearConv", "x sx zx w sw zw s z b", pads=[1, 1, 1, 1])],
                     [info("x", "u1", ["n", 2, 6, 7])], [info("y", "u1")], weights)  # fmt: skip
    agree(model, *({"x": numbers(n, 2, 6, 7)} for n in (2, 3, 5)))


def test_short_floats_are_refused():
    model = model_of([node("QuantizeLinear", "x s", output_dtype=17)], [info("x", "f4", [2])], [], opset=21,
                     weights={"s": numpy.float32(1)})  # fmt: skip
    model.graph.output.append(info("y", "u1"))
    with pytest.raises(LoadError, match="float8e4m3fn are not supported") as error:
        block_of(model)(x=np.zeros(2))
    assert error.value.code == "E603"


def convolved(x, w, pads, strides, dilations, groups):
    """The convolution of int64, a tap at a time."""
    rank = x.ndim - 2
    x = numpy.pad(x, [(0, 0), (0, 0), *zip(pads[:rank], pads[rank:], strict=True)])
    kernel = w.shape[2:]
    sizes = [(size - (taps - 1) * apart - 1) // step + 1
             for size, taps, apart, step in zip(x.shape[2:], kernel, dilations, strides, strict=True)]  # fmt: skip
    y = numpy.zeros((len(x), groups, len(w) // groups, *sizes), "i8")
    parts = x.reshape(len(x), groups, -1, *x.shape[2:])
    for tap in numpy.ndindex(*kernel):
        window = tuple(slice(k * apart, k * apart + step * (size - 1) + 1, step)
                       for k, apart, step, size in zip(tap, dilations, strides, sizes, strict=True))  # fmt: skip
        of = w[(slice(None), slice(None), *tap)].reshape(groups, len(w) // groups, -1)
        y += numpy.einsum("ngc...,goc->ngo...", parts[(..., *window)], of)
    return y.reshape(len(x), len(w), *sizes)


@pytest.mark.parametrize("groups", [1, pytest.param(2, marks=LONG), pytest.param(6, marks=LONG)])
@pytest.mark.parametrize("rank", [pytest.param(1, marks=LONG), 2, pytest.param(3, marks=LONG)])
@pytest.mark.parametrize("kinds", [pytest.param("u1 u1", marks=LONG), pytest.param("u1 i1", marks=LONG), "i1 u1",
                                   pytest.param("i1 i1", marks=LONG)])  # fmt: skip
def test_convolutions_of_all_integers(kinds, rank, groups):
    """ONNX Runtime has not all of these: by the definition; weights have a zero for each channel."""
    of, by = kinds.split()
    x, w = numbers(2, 6, *(9, 8, 7)[:rank], dtype=of), numbers(12, 6 // groups, *(3, 2, 3)[:rank], dtype=by)
    zx, zw = numbers(dtype=of), numbers(12, dtype=by)
    pads, strides, dilations = [1, 0, 2, 2, 1, 0][: 2 * rank], [2, 1, 1][:rank], [1, 2, 1][:rank]
    fields = {"pads": pads, "strides": strides, "dilations": dilations, "group": groups}
    model = model_of([node("ConvInteger", "x w zx zw", **fields)], [info("x", of, x.shape)], [info("y", "i4")],
                     {"w": w, "zx": zx, "zw": zw})  # fmt: skip
    wide = w.astype("i8") - zw.reshape(-1, *(1,) * (rank + 1))
    wanted = convolved(x.astype("i8") - zx, wide, pads, strides, dilations, groups)
    numpy.testing.assert_array_equal(block_of(model)(np.array(x, dtype=of)).asnumpy(), wanted)


@pytest.mark.parametrize("kinds", ["u1 u1", "u1 i1", "i1 u1", "i1 i1"])
def test_products_of_all_integers(kinds):
    """A zero for each row of one and each column of the other."""
    of, by = kinds.split()
    a, b, za, zb = numbers(5, 33, dtype=of), numbers(33, 18, dtype=by), numbers(5, dtype=of), numbers(18, dtype=by)
    model = model_of([node("MatMulInteger", "a b za zb")], [info("a", of, a.shape)], [info("y", "i4")],
                     {"b": b, "za": za, "zb": zb})  # fmt: skip
    wanted = (a.astype("i8") - za[:, None]) @ (b.astype("i8") - zb)
    numpy.testing.assert_array_equal(block_of(model)(np.array(a, dtype=of)).asnumpy(), wanted)
