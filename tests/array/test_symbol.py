import numpy
import pytest

from hybridize.array import np
from hybridize.array.staging import ArrayTracer
from hybridize.array.symbol import Symbol
from hybridize.base.errors import ArgumentError, CaptureError
from hybridize.ops.op import interpreting

X = numpy.ones((2, 3), "float32")


@pytest.mark.parametrize(
    "call", ["bool", "int", "float", "index", "item", "asscalar", "asnumpy", "tolist", "numpy.asarray", "__dlpack__"]
)
def test_values_are_refused_by_name_with_a_remedy(trace, call):
    ways = {
        "bool": bool,
        "int": int,
        "float": float,
        "index": lambda x: [1, 2][x],
        "item": lambda x: x.item(),
        "asscalar": lambda x: x.asscalar(),
        "asnumpy": lambda x: x.asnumpy(),
        "tolist": lambda x: x.tolist(),
        "numpy.asarray": numpy.asarray,
        "__dlpack__": lambda x: x.__dlpack__(),
    }
    with pytest.raises(CaptureError) as error:
        trace(lambda x: ways[call](x.sum().astype("int32") if call == "index" else x.sum()), X)
    message = str(error.value)
    assert f"{call}()" in message
    assert "test_symbol.py" in message
    assert "help:" in message


def test_its_type_is_there(trace):
    def look(x):
        assert isinstance(x, Symbol)
        assert (x.shape, x.dtype, x.ndim, x.size, len(x), str(x.type)) == ((2, 3), numpy.float32, 2, 6, 2, "f32[2,3]")
        assert repr(x[0]) == "<Symbol f32[3]>"
        assert f"{x}" == "<Symbol f32[2,3]>"
        return x

    trace(look, X)


def test_name_is_shown():
    class Trace:
        def type_of(self, value):
            return value

    assert repr(Symbol.of(Trace(), np.ones((1, 3)).type, "x")) == "<Symbol x f32[1,3]>"


def test_a_symbol_does_not_outlive_its_capture(trace):
    kept = []
    trace(lambda x: kept.append(x) or x, X)
    with pytest.raises(CaptureError, match="after the end of the capture"):
        kept[0] + 1


def test_closed_over_arrays_are_inputs(trace):
    weight = np.ones(3)
    found = trace(lambda x: x * weight, X)
    numpy.testing.assert_array_equal(found, X)

    def count(x):
        weight[0] += 5
        return weight.sum()

    assert trace(count, X) == 8
    assert weight.tolist() == [6, 1, 1], "a write to a closed-over array is a write"


def test_broadcast_views_are_read_only(trace):
    def write(x):
        view = np.broadcast_to(x, (4, 2, 3))
        view[0] = 1

    with pytest.raises(ArgumentError, match="read-only"):
        trace(write, X)


def test_captured_python_numbers_are_weak():
    trace = ArrayTracer()
    number = Symbol.of(trace, trace.builder.constant(numpy.float64(2.0)), weak=float)
    count = Symbol.of(trace, trace.builder.constant(numpy.int64(2)), weak=int)
    half = Symbol.of(trace, trace.builder.constant(numpy.ones(3, "float16")))
    whole = Symbol.of(trace, trace.builder.constant(numpy.ones(3, "int32")))
    with interpreting(trace):
        assert (half * number).dtype == "float16"
        assert (whole * number).dtype == "float32"
        assert (whole + count).dtype == "int32"
        assert ((number * count).weak, (number * count).dtype) == (float, "float64")
        assert ((count + 1).weak, (count + 1).dtype) == (int, "int64")
        assert (count / count).weak is float
        assert (count < number).weak is bool
        assert (-count).weak is int
        assert np.exp(number).dtype == "float32" or np.exp(number).weak is not None
