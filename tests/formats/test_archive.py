"""The archive: what is written is read back, and nothing else is."""

import json
import random
from collections import namedtuple
from contextlib import suppress

import ml_dtypes
import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file

import hybridize
from hybridize import formats, np, ops
from hybridize.base.dtypes import float32
from hybridize.base.errors import ArgumentError, LoadError
from hybridize.base.nested import flatten
from hybridize.base.types import TensorType
from hybridize.capture import Function
from hybridize.formats.archive.container import PROGRAM, checksum, chunks, opened
from hybridize.formats.saved import ARRAY, Leaf, SavedProgram, SavedSignature
from hybridize.ops import composites
from hybridize.ops.evaluate import evaluate
from hybridize.ops.op import constant
from hybridize.ops.tracing import make_graph
from hybridize.tools import contents
from tests.refusals import refusal

Point = namedtuple("Point", "x y")
TABLE = numpy.arange(300, dtype="f4").reshape(100, 3)


def body(x, state, weight):
    y = composites.softmax(ops.add(ops.matmul(x, weight, False, False), constant(TABLE[:2])), 1)
    return (
        y,
        ops.sum(ops.mul(y, constant(numpy.full((2, 3), numpy.inf, "f4"))), (0, 1)),
        ops.add(state, constant(TABLE)),
    )


def example(weights=None, **changes):
    graph = make_graph(body, [TensorType(s, float32) for s in ((2, 4), (100, 3), (4, 3))], ["x", "", "w"])
    draw = numpy.random.default_rng(0)
    weights = weights or {"state": numpy.zeros((100, 3), "f4"), "w": draw.normal(size=(4, 3)).astype("f4")}
    _, arguments = flatten((("x", 3), {"mode": "fast", "flag": None}))
    _, result = flatten(Point("y", {"total": ["t"], 7: 2.5}))
    fields = {
        "graph": graph,
        "arguments": arguments,
        "leaves": (ARRAY, Leaf("constant", 3), Leaf("constant", "fast")),
        "result": result,
        "result_leaves": (ARRAY, ARRAY, Leaf("constant", 2.5)),
        "state": ("state", "w"),
        "writes": (1,),
    }
    return SavedProgram("net", (SavedSignature(**{**fields, **changes}),), weights, ("x", "n"), {"backend": "llvm"})


def test_what_is_written_is_read_back(tmp_path):
    program = example()
    path = tmp_path / "net"
    formats.write_archive(path, program)
    assert [p.name for p in tmp_path.iterdir()] == ["net"]
    assert formats.detect(path) == "archive"
    again = formats.read_archive(path)
    assert (again.name, again.argument_names, again.options) == ("net", ("x", "n"), {"backend": "llvm"})
    (before,), (after,) = program.signatures, again.signatures
    assert after.graph.fingerprint == before.graph.fingerprint
    assert [value.name for value in after.graph.inputs] == ["x", "", "w"]
    for field in ("arguments", "leaves", "result_leaves", "state", "writes", "training"):
        assert getattr(after, field) == getattr(before, field)
    assert str(after.result) == str(before.result)
    inputs = [numpy.ones((2, 4), "f4"), *again.weights.values()]
    for got, want in zip(evaluate(after.graph, inputs), evaluate(before.graph, inputs), strict=True):
        numpy.testing.assert_array_equal(got, want)
    assert all(weight.flags.writeable and weight.flags.carray for weight in again.weights.values())


def test_other_programs_read_the_weights(tmp_path):
    program = example()
    formats.write_archive(tmp_path / "net", program)
    found = load_file(tmp_path / "net")
    for name, weight in program.weights.items():
        numpy.testing.assert_array_equal(found[f"weight:{name}"], weight)


def test_written_weights_stay_out_of_the_file(tmp_path):
    path = tmp_path / "net"
    formats.write_archive(path, example())
    before = path.read_bytes()
    one, other = formats.read_archive(path).weights, formats.read_archive(path).weights
    kept = other["w"].copy()
    one["w"][...] = 7
    assert path.read_bytes() == before
    numpy.testing.assert_array_equal(other["w"], kept)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i8", "f2", "f8", ml_dtypes.bfloat16])
def test_weights_of_every_dtype(tmp_path, dtype):
    kind = numpy.dtype(dtype)
    graph = make_graph(lambda a, b, c: (a,), [TensorType(s, kind) for s in ((), (0, 3), (3, 2))])
    _, structure = flatten(((), {}))
    _, one = flatten("y")
    weights = {
        "a": numpy.ones((), kind),
        "b": numpy.ones((0, 3), kind),
        "c": numpy.arange(6).reshape(2, 3).T.astype(kind),
    }
    signature = SavedSignature(graph, structure, (), one, (ARRAY,), ("a", "b", "c"))
    formats.write_archive(tmp_path / "w", SavedProgram("f", (signature,), weights))
    for name, array in formats.read_archive(tmp_path / "w").weights.items():
        assert (array.dtype, array.shape) == (kind, weights[name].shape)
        assert array.tobytes() == weights[name].tobytes()


def test_values_that_no_file_can_hold_are_named(tmp_path):
    path = tmp_path / "net"
    path.write_text("old")
    with refusal(ArgumentError, "object"):
        formats.write_archive(path, example(leaves=(ARRAY, Leaf("constant", object()), Leaf("constant", "fast"))))
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_constants_of_equal_bytes_and_different_shapes(tmp_path):
    def zeros(x):
        flat, square = constant(numpy.zeros(100, "f4")), constant(numpy.zeros((10, 10), "f4"))
        return ops.add(x, square), flat

    graph = make_graph(zeros, [TensorType((10, 10), float32)])
    _, arguments = flatten((("x",), {}))
    _, result = flatten(("a", "b"))
    program = SavedProgram("f", (SavedSignature(graph, arguments, (ARRAY,), result, (ARRAY, ARRAY)),))
    formats.write_archive(tmp_path / "f", program)
    assert formats.read_archive(tmp_path / "f").signatures[0].graph.fingerprint == graph.fingerprint


# ------------------------------------------------------------------------------------------------- malformed files


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "net"
    formats.write_archive(path, example())
    return path


def rewritten(path, change=None):
    """The archive with another description or other tensors, all checksums made right again."""
    container = opened(str(path))
    tree = container.program()
    tensors = {name: container.array(name) for name in container.entries if name != PROGRAM}
    if change is not None:
        change(tree, tensors)
    tree["checks"] = [checksum(array) for array in tensors.values()]
    path.write_bytes(b"".join(chunks(tensors, json.dumps(tree).encode())))
    return path


def read_all(path):
    """Read a program with everything in it, which `read_archive` leaves for later."""
    program = formats.read_archive(path)
    for signature in program.signatures:
        signature.graph.nodes, list(signature.samples)
    return program, dict(program.weights)


def test_a_later_version_is_refused_with_the_remedy(archive):
    data = archive.read_bytes()
    archive.write_bytes(data.replace(b'"version":"2"', b'"version":"3"'))
    with pytest.raises(LoadError, match=r"E605(.|\n)*version 3, this hybridize reads version 2(.|\n)*release"):
        formats.read_archive(archive)


def test_what_is_rewritten_reads(archive):
    program, _ = read_all(rewritten(archive))
    assert program.signatures[0].graph.fingerprint == example().signatures[0].graph.fingerprint


def signature_change(key, value):
    return lambda tree, tensors: tree["signatures"][0].update({key: value})


def section_change(kind, content):
    return lambda tree, tensors: tensors.update({f"hybridize:{kind}:0": numpy.frombuffer(content, "u1")})


def graph_change(text):
    return section_change("graph", text.encode("latin1"))


@pytest.mark.parametrize(
    "change",
    [
        graph_change("graph() {"),
        graph_change("graph() {\n  return %7\n}"),
        graph_change("\xff"),
        graph_change('graph() {\n  %0: f32[2] = system(command="ls")\n  return %0\n}'),
        graph_change("graph(%0: f32[2]) {\n  %1: f32[3] = neg(%0)\n  return %1\n}"),
        graph_change("graph(%0: f32[2,4], %1: f32[100,3], %2: f32[4,3]) {\n  return %0\n}"),
        graph_change("composite " * 10000),
        graph_change("(" * 100000),
        section_change("lines", b"{}"),
        section_change("lines", b'{"files": ["a"], "functions": ["f"], "nodes": [[0, 1, 0]]}'),
        signature_change("inputs", []),
        signature_change("inputs", [["x", "f32", [2, 5]]] * 3),
        signature_change("inputs", [["x", "f32", [-2]]] * 3),
        signature_change("inputs", [["x", "q8", [2]]] * 3),
        signature_change("sizes", ["n0 in 2.. like 9"]),
        signature_change("samples", [[1, 1]]),
        signature_change("samples", [[1 << 62, 1 << 62]]),
        signature_change("samples", [["x", 3]]),
        signature_change(
            "arguments", {"kind": "tuple", "children": [{"kind": "list", "children": [{"kind": "leaf"}] * 3}]}
        ),
        signature_change("result_leaves", [["scalar", "int"], ["array"], ["constant", 2.5]]),
        signature_change("codes", [{}]),
        lambda tree, tensors: tree.update(process=[{"section": "a"}]),
        lambda tree, tensors: tree.update(options={"backend": "shell"}),
        lambda tree, tensors: tensors.update(unknown=numpy.zeros(3)),
        signature_change("leaves", []),
        signature_change("leaves", [["constant", {}]] * 3),
        signature_change("writes", [9]),
        signature_change("writes", [0]),
        signature_change("writes", ["a"]),
        signature_change("state", ["w", "w"]),
        signature_change("leaves", [["scalar"]] * 3),
        signature_change("state", ["nothing", "w"]),
        signature_change("arguments", {"kind": "pickle"}),
        signature_change("result", {"kind": "namedtuple", "class": ["import os", "x"], "children": [{"kind": "leaf"}]}),
        signature_change("result", {"kind": "dict", "keys": [*"abcc"], "children": [{"kind": "leaf"}] * 3}),
        signature_change("arguments", None),
        lambda tree, tensors: tree.pop("signatures"),
        lambda tree, tensors: tree.update(name=3),
        lambda tree, tensors: tensors.pop("weight:w"),
        lambda tree, tensors: tensors.update({"weight:w": numpy.zeros((4, 4), "f4")}),
        lambda tree, tensors: tensors.pop(next(name for name in tensors if name.startswith("constant:"))),
        lambda tree, tensors: [t.fill(1) for name, t in tensors.items() if name.startswith("constant:")],
    ],
)
def test_descriptions_that_do_not_fit_are_refused(archive, change):
    path = rewritten(archive, change)
    with pytest.raises(LoadError):
        read_all(path)
    with suppress(LoadError):  # nor does `inspect` stumble over them
        contents.tables(path)


@pytest.mark.parametrize("text", [b"[" * 100_000, b"\xff", b"null", b"{}", b'{"checks": 3}', b"9" * 5000])
def test_descriptions_that_are_none_are_refused(archive, text):
    archive.write_bytes(b"".join(chunks({"weight:w": numpy.zeros((4, 3), "f4")}, text)))
    for read in (formats.read_archive, contents.tables):
        with pytest.raises(LoadError, match="E604"):
            read(archive)


def test_errors_do_not_repeat_the_file(archive):
    wrong = rewritten(archive, lambda tree, tensors: tree["signatures"][0].update(leaves=["a" * 100_000] * 3))
    with pytest.raises(LoadError, match="E604") as caught:
        formats.read_archive(wrong)
    assert len(str(caught.value)) < 1000 and "net" in str(caught.value)


def test_damage_is_always_found(archive, tmp_path):
    data = archive.read_bytes()
    draw = random.Random(0)
    damaged = tmp_path / "damaged"
    for size in range(0, len(data), len(data) // 40):
        damaged.write_bytes(data[:size])
        with pytest.raises(LoadError):
            read_all(damaged)
    code = [entry for name, entry in opened(str(archive)).entries.items() if name.startswith("hybridize:code:")]
    for _ in range(400):
        wrong = bytearray(data)
        place = draw.randrange(len(wrong))
        wrong[place] ^= 1 << draw.randrange(8)
        damaged.write_bytes(bytes(wrong))
        if not any(entry.start <= place < entry.end for entry in code):
            with pytest.raises(LoadError):
                read_all(damaged)
        else:
            program, _ = read_all(damaged)
            with pytest.raises(LoadError, match="E614"):
                [one.read() for one in (*program.signatures[0].codes, *program.process)]


def test_other_files_are_no_archives(tmp_path):
    for content in (b"", b"text", b"\x08\0\0\0\0\0\0\0{}      ", b"\xff" * 64):
        (tmp_path / "f").write_bytes(content)
        with pytest.raises(LoadError):
            formats.read_archive(tmp_path / "f")
    with pytest.raises(LoadError, match="cannot read"):
        formats.read_archive(tmp_path / "missing")
    with pytest.raises(LoadError):
        formats.read_archive(tmp_path)


# ------------------------------------------------------------------------------------------------------- checksums


@settings(max_examples=300, deadline=None)
@given(
    size=st.sampled_from([1, 100, (1 << 16) - 1, 1 << 16, 8 * 1021 * 9, 8 * 1021 * 9 + 13, 100_003]),
    content=st.sampled_from(["drawn", "zeros", "ones"]),
    place=st.floats(0, 1, exclude_max=True),
    bits=st.integers(1, (1 << 32) - 1),
    near=st.sampled_from([0, 8, 8 * 1021, 8 * 1021 * 9]),
)
def test_any_change_of_32_adjacent_bits_changes_the_checksum(size, content, place, bits, near):
    """Anywhere, and across the borders of words, of rows and of what fills no row."""
    data = bytearray(random.Random(size).randbytes(size) if content == "drawn" else [content == "ones"] * size)
    before = checksum(numpy.frombuffer(bytes(data), "u1"))
    at = int(place * 8 * size) if not near else 8 * near - 32 + int(place * 64)
    for k in range(32):
        if bits >> k & 1 and 0 <= at + k < 8 * size:
            data[(at + k) // 8] ^= 1 << (at + k) % 8
    changed = bytes(data) != (
        random.Random(size).randbytes(size) if content == "drawn" else bytes([content == "ones"] * size)
    )
    assert (checksum(numpy.frombuffer(bytes(data), "u1")) != before) == changed


@pytest.mark.parametrize("block", [1, 8, 64, 512, 4096, 65536])
@pytest.mark.parametrize("values", ["drawn", "identity", "ramp", "ones"])
def test_blocks_that_are_exchanged_lost_or_moved_change_the_checksum(values, block):
    """As disks and transfers do it; also where most words are alike."""
    arrays = {
        "drawn": numpy.random.default_rng(0).normal(size=(256, 512)),
        "identity": numpy.eye(512),
        "ramp": numpy.arange(1 << 17, dtype="f8"),
        "ones": numpy.ones(1 << 17),
    }
    data = arrays[values].tobytes()
    before = checksum(numpy.frombuffer(data, "u1"))
    draw = random.Random(block)
    count = len(data) // block
    for _ in range(60):
        i, j = sorted((draw.randrange(count), draw.randrange(count)))
        one, other = data[block * i : block * i + block], data[block * j : block * j + block]
        for found in (
            data[: block * i] + other + data[block * i + block : block * j] + one + data[block * j + block :]
            if i < j
            else data,
            data[: block * i] + bytes(block) + data[block * i + block :],
            data[: block * i] + other + data[block * i + block :],
            data[: block * i] + data[block * i + block :] + bytes(block),
        ):
            assert (checksum(numpy.frombuffer(found, "u1")) != before) == (found != data)


# -------------------------------------------------------------------------------------------- calls of loaded ones


def mixed(state, x, mask=None, *, bias=None, scale=2.0):
    total = (state["a"] - state["b"][0]["c"]) * scale + x * state["b"][0]["d"]
    if mask is not None:
        total = total * mask
    return total if bias is None else total + bias


def _mixed_arguments():
    a, b, c, d, e = (np.array([float(k), 2.0 * k]) for k in range(1, 6))
    ordered = {"a": a, "b": [{"c": b, "d": c}]}
    turned = {"b": [{"d": c, "c": b}], "a": a}
    return ordered, turned, d, e


def test_loaded_functions_take_dicts_in_any_order_and_none_where_it_is_the_default(tmp_path):
    ordered, turned, x, other = _mixed_arguments()
    function = Function(mixed)
    function(ordered, x)
    function(ordered, x, other, bias=x)
    function.save(tmp_path / "mixed")
    loaded = hybridize.load(tmp_path / "mixed")
    for state in (ordered, turned):
        for args, kwargs in (
            ((state, x), {}),
            ((state, x, None), {}),
            ((state, x), {"bias": None}),
            ((state,), {"x": x, "mask": None}),
            ((), {"x": x, "state": state}),
            ((state, x, None), {"bias": None}),
            ((state, x, other), {"bias": x}),
            ((state, x), {"bias": x, "mask": other}),
            ((), {"bias": x, "mask": other, "x": x, "state": state}),
        ):
            for _ in range(3):
                found, wanted = loaded(*args, **kwargs), mixed(*args, **kwargs)
                numpy.testing.assert_array_equal(found.asnumpy(), wanted.asnumpy())


def test_none_that_was_saved_need_not_be_given(tmp_path):
    ordered, turned, x, _ = _mixed_arguments()
    function = Function(mixed)
    function(ordered, x, None, bias=None)
    function.save(tmp_path / "mixed")
    loaded = hybridize.load(tmp_path / "mixed")
    for found in (loaded(turned, x), loaded(ordered, x, None, bias=None), loaded(ordered, x, bias=None)):
        numpy.testing.assert_array_equal(found.asnumpy(), mixed(ordered, x).asnumpy())


def test_other_calls_of_loaded_functions_are_refused(tmp_path):
    ordered, _, x, other = _mixed_arguments()
    function = Function(mixed)
    function(ordered, x)
    function.save(tmp_path / "mixed")
    loaded = hybridize.load(tmp_path / "mixed")
    for args, kwargs in (
        ((ordered, x, other), {}),
        ((ordered, x), {"scale": None}),
        ((ordered, x), {"unknown": None}),
        (({"a": ordered["a"]}, x), {}),
        (({**ordered, "z": x}, x), {}),
        ((ordered,), {}),
    ):
        with pytest.raises(ArgumentError, match="E310"):
            loaded(*args, **kwargs)
