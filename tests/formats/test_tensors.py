# SPDX-License-Identifier: Apache-2.0
"""safetensors files of others: what the library writes is read, and what breaks the format is refused."""

import json
import struct

import ml_dtypes
import numpy
import pytest
import torch
from safetensors.numpy import load, save_file
from safetensors.torch import save_file as save_torch

from hybridize.errors import LoadError
from hybridize.formats.tensors import parse_safetensors, read_safetensors, safetensors_content
from tests.refusals import refusal

KINDS = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]


@pytest.mark.parametrize("mapped", [False, True])
def test_what_the_library_writes(mapped, tmp_path):
    arrays = {f"a.{kind}": numpy.arange(6).astype(kind).reshape(2, 3) for kind in KINDS}
    arrays |= {"scalar": numpy.array(2.5, "f4"), "nothing": numpy.zeros((0, 3), "f8"), "none": numpy.zeros(0, "i1")}
    path = tmp_path / "x.safetensors"
    save_file(arrays, path, {"format": "np", "more": "words"})
    found = read_safetensors(path, mapped=mapped)
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        numpy.testing.assert_array_equal(found[name], array)
        assert found[name].flags.writeable != mapped
        assert mapped or found[name].flags.carray
    save_file({"nothing": numpy.zeros((0, 3), "f8")}, path)
    assert read_safetensors(path, mapped=mapped)["nothing"].shape == (0, 3)
    save_file({}, path)
    assert read_safetensors(path, mapped=mapped) == {}


def test_half_floats_of_torch(tmp_path):
    save_torch({"h": torch.arange(6, dtype=torch.bfloat16)}, tmp_path / "x.safetensors")
    found = read_safetensors(tmp_path / "x.safetensors")["h"]
    assert found.dtype == ml_dtypes.bfloat16
    numpy.testing.assert_array_equal(found.astype("f4"), numpy.arange(6))


def file_of(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def tensor(dtype="F32", shape=(2,), offsets=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "byte 0: the length of the header needs 8 bytes"),
        (struct.pack("<Q", 1 << 60), "byte 0: a header of 1152921504606846976 bytes"),
        (file_of(b"{"), "byte 8: the header is not JSON"),
        (file_of(b"[" * 100_000), "byte 8: the header is not JSON"),
        (file_of([]), "byte 8: the header is no JSON object"),
        (file_of({"x": []}), "byte 8: the tensor 'x' lacks dtype"),
        (file_of({"x": tensor("F8_E4M3")}, b"12345678"), "the dtype 'F8_E4M3', which hybridize has not"),
        (file_of({"x": tensor(dtype=3)}, b"12345678"), "the dtype 3, which"),
        (file_of({"x": tensor(shape=(-2,))}, b"12345678"), r"the shape \[-2\]"),
        (file_of({"x": tensor(shape=(True, 2))}, b"12345678"), "the shape"),
        (file_of({"x": {**tensor(), "shape": None}}, b"12345678"), "the shape None"),
        (file_of({"x": tensor(offsets=(0,))}, b"12345678"), r"offsets \[0\]"),
        (file_of({"x": tensor(shape=(1 << 40, 1 << 40))}, b"12345678"), "needs more than the 8 bytes"),
        (file_of({"x": tensor(offsets=(0, 4))}, b"12345678"), "has 4 bytes"),
        (file_of({"x": tensor(offsets=(4, 12))}, b"123412345678"), "does not follow"),
        (file_of({"x": tensor(), "y": tensor()}, b"12345678"), "does not follow"),
        (file_of({"x": tensor()}, b"1234567"), "needs more than the 7 bytes"),
        (file_of({"x": tensor()}, b"123456789"), "1 bytes follow"),
        (file_of({"x": tensor("BOOL", (2,), (0, 2))}, b"\1\2"), "not booleans"),
    ],
)
def test_what_breaks_the_format_is_refused(data, said):
    with refusal(LoadError, f"E601: some.safetensors is malformed at .*{said}"):
        parse_safetensors(data, "some.safetensors")


def test_tensors_may_stand_in_any_order():
    header = {"late": tensor(shape=(1,), offsets=(8, 12)), "early": tensor()}
    found = parse_safetensors(file_of(header, numpy.arange(3, dtype="f4").tobytes()))
    assert {name: array.tolist() for name, array in found.items()} == {"late": [2], "early": [0, 1]}


@pytest.mark.parametrize("alignment", [8, 64])
def test_what_is_written_is_read_by_the_library(alignment):
    tensors = {
        "b": numpy.arange(5, dtype="u1"), "a": numpy.arange(6, dtype="f4").reshape(2, 3).T, "ü": numpy.float64(3),
        "h": numpy.arange(3, dtype="f2"), "none": numpy.zeros((0, 3), "i8"), "bool": numpy.array([True, False]),
    }  # fmt: skip
    content, begins = safetensors_content(tensors, {"some": 'text "in" it'}, alignment)
    first = 8 + int.from_bytes(content[:8], "little")
    assert first % alignment == 0
    for found in (load(content), parse_safetensors(content)):
        assert found.keys() == tensors.keys()
        for name, array in tensors.items():
            assert found[name].dtype == array.dtype
            numpy.testing.assert_array_equal(found[name], array)
            assert content[begins[name] :].startswith(array.tobytes())
            assert begins[name] % array.dtype.itemsize == 0
    names = {"b": numpy.arange(3, dtype=ml_dtypes.bfloat16)}
    assert parse_safetensors(safetensors_content(names, {})[0])["b"].dtype == ml_dtypes.bfloat16
