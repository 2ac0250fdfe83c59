"""Protocol buffers by tables of fields: against the library of protocol buffers itself, and against broken data."""

import random

import numpy
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper, numpy_helper

from hybridize.base.errors import LoadError
from hybridize.formats.onnx.messages import SCHEMAS
from hybridize.formats.wire import DEEPEST, field_numbers, parse, schemas, serialized

TABLES = schemas("""
    Thing: 1 number int, 2 word text, 3 raw bytes, 4 flag bool, 5 half float, 6 whole double, 7 inner Thing
    Many: 1 numbers int*, 2 words text*, 3 halves float*, 4 things Thing*, 5 flags bool*, 6 named Thing{}, 7 notes text{}
""")
INTEGERS = st.integers(-(2**63), 2**63 - 1)
FLOATS = st.floats(width=32, allow_nan=False)
THINGS = st.fixed_dictionaries({}, optional={
    "number": INTEGERS, "word": st.text(), "raw": st.binary(), "flag": st.booleans(), "half": FLOATS,
    "whole": st.floats(allow_nan=False),
})  # fmt: skip


def comparable(message):
    return {
        name: [comparable(one) if isinstance(one, dict) else one for one in value] if isinstance(value, list)
        else comparable(value) if isinstance(value, dict)
        else bytes(value) if isinstance(value, memoryview) else value
        for name, value in message.items()
    }  # fmt: skip


@given(THINGS, THINGS, st.lists(INTEGERS), st.lists(st.text()), st.lists(FLOATS), st.lists(st.booleans()))
def test_what_is_written_is_read(outer, inner, numbers, words, halves, flags):
    thing = {**outer, "inner": inner}
    many = {"numbers": numbers, "words": words, "halves": halves, "things": [thing, inner], "flags": flags,
            "named": {"a": inner, "": {}}, "notes": {word: word for word in words}}  # fmt: skip
    wanted = {name: value for name, value in many.items() if value or name == "named"}
    assert comparable(parse(serialized(many, "Many", TABLES), "Many", TABLES, "bytes")) == wanted


def model():
    array = numpy.arange(6, dtype="f4").reshape(2, 3)
    node = helper.make_node("Gemm", ["x", "w"], ["y"], name="n", alpha=0.5, transB=1, doc_string="é")
    info = [helper.make_tensor_value_info(name, 1, ["batch", 3]) for name in ("x", "y")]
    graph = helper.make_graph([node], "g", info[:1], info[1:], [numpy_helper.from_array(array, "w")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_the_library_of_protocol_buffers_reads_what_is_written_and_writes_what_is_read():
    data = model().SerializeToString()
    message = parse(data, "Model", SCHEMAS, "bytes")
    assert [one["op"] for one in message["graph"]["node"]] == ["Gemm"]
    assert {one["name"]: one.get("f", one.get("i")) for one in message["graph"]["node"][0]["attr"]} == {
        "alpha": 0.5,
        "transB": 1,
    }
    assert onnx.load_from_string(serialized(message, "Model", SCHEMAS)) == model()


def test_messages_nest_to_a_limit():
    data = b""
    for _ in range(DEEPEST + 5):
        data = serialized({"inner": None}, "Thing", TABLES) + bytes([7 << 3 | 2]) + varint(len(data)) + data
    with pytest.raises(LoadError, match=r"E601.*nested deeper"):
        parse(data, "Thing", TABLES, "deep")


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


@pytest.mark.parametrize(
    "data", [b"\x08", b"\x08" + b"\xff" * 11, b"\x12\x05ab", b"\x1f", b"\x0a\x01x", b"\x2d\x00", b"\x12\x01\xff"]
)
def test_broken_data_is_an_error_with_its_byte(data):
    with pytest.raises(LoadError, match=r"bytes is malformed at byte \d"):
        parse(data, "Thing", TABLES, "bytes")


def test_mutants_are_read_or_refused():
    source, generator = model().SerializeToString(), random.Random(0)
    outcomes = set()
    for _ in range(400):
        data = bytearray(source)
        for _ in range(generator.randint(1, 4)):
            data[generator.randrange(len(data))] = generator.randrange(256)
        data = data[: generator.randint(1, len(data))] if generator.random() < 0.3 else data
        try:
            parse(bytes(data), "Model", SCHEMAS, "mutant")
            outcomes.add("read")
        except LoadError as error:
            outcomes.add(error.code)
    assert outcomes == {"read", "E601"}
    assert next(iter(field_numbers(source, "model"))) == (1, 0)
