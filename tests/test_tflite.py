# SPDX-License-Identifier: Apache-2.0
"""`hybridize.tflite.Interpreter` under the names of LiteRT's."""

from __future__ import annotations

import numpy
import pytest

import hybridize
from hybridize.errors import ArgumentError, DTypeError, ShapeError, StateError
from tests.formats.tflite.cases import CASES, LITERT, numbers
from tests.formats.tflite.test_read import dense
from tests.formats.tflite.test_state import FIRST, INPUTS, expected, streaming, two_signatures


def interpreter(model: bytes, **more) -> hybridize.tflite.Interpreter:
    net = hybridize.tflite.Interpreter(model_content=model, **more)
    net.allocate_tensors()
    return net


def test_a_script_of_litert_runs(tmp_path):
    path = tmp_path / "m.tflite"
    path.write_bytes(dense())
    net = hybridize.tflite.Interpreter(model_path=str(path), num_threads=1)
    net.allocate_tensors()
    (of,), (to,) = net.get_input_details(), net.get_output_details()
    assert (of["name"], of["index"], of["dtype"], of["shape"].tolist(), of["shape_signature"].tolist()) == (
        "serving_default_x:0", 0, numpy.float32, [1, 4], [-1, 4],
    )  # fmt: skip
    net.resize_tensor_input(of["index"], [2, 4])
    net.allocate_tensors()
    x = numbers(2, 4)
    net.set_tensor(of["index"], x)
    net.invoke()
    y = net.get_tensor(to["index"])
    weight = numbers(3, 4).astype("f2").astype("f4")
    numpy.testing.assert_allclose(y, numpy.maximum(x @ weight.T, 0), rtol=1e-6)
    assert net.get_tensor(of["index"]) is not net.get_tensor(of["index"])


def test_variables_live_from_call_to_call_and_can_be_reset():
    net = interpreter(streaming())
    for _ in range(2):
        for x, y in zip(INPUTS, expected(), strict=True):
            net.tensor(net.get_input_details()[0]["index"])()[...] = x
            net.invoke()
            numpy.testing.assert_array_equal(net.get_tensor(net.get_output_details()[0]["index"]), y)
        net.reset_all_variables()


def test_scales_are_told():
    (details,) = interpreter(CASES["int8 ADD_0"].model).get_output_details()
    assert details["dtype"] is numpy.int8
    assert details["quantization"] == (pytest.approx(0.057), -20)
    assert details["quantization_parameters"]["zero_points"].tolist() == [-20]


def test_signatures_are_functions_by_name():
    signature = {"inputs": [{"name": "x", "tensor": 0}], "outputs": [{"name": "y", "tensor": 3}], "key": "serve"}
    net = interpreter(dense(signatures=[signature]))
    assert net.get_signature_list() == {"serve": {"inputs": ["x"], "outputs": ["y"]}}
    assert net.get_signature_runner("serve")(x=numbers(1, 4))["y"].shape == (1, 3)
    with pytest.raises(ArgumentError, match=r"E333.*no signature 'other'"):
        net.get_signature_runner("other")


def test_signatures_share_their_variables():
    net = interpreter(two_signatures())
    assert net.get_signature_list() == {key: {"inputs": ["x"], "outputs": ["y"]} for key in ("push", "shifted")}
    push, shifted = net.get_signature_runner("push"), net.get_signature_runner("shifted")
    for count in (2, 3):
        numpy.testing.assert_array_equal(push(x=FIRST)["y"], count * FIRST)
        numpy.testing.assert_array_equal(shifted(x=FIRST[:, 1:2])["y"], count * FIRST + 2)
    numpy.testing.assert_array_equal(shifted(x=FIRST.T)["y"], 3 * FIRST + FIRST.T)
    net.reset_all_variables()
    numpy.testing.assert_array_equal(push(x=FIRST)["y"], 2 * FIRST)
    assert push.get_input_details()["x"]["shape"].tolist() == [1, 3]
    assert shifted.get_input_details()["x"]["shape_signature"].tolist() == [-1, 1]
    assert shifted.get_output_details()["y"]["index"] == 3
    with pytest.raises(ArgumentError, match=r"E333.*2 signatures"):
        net.get_signature_runner()


def test_a_constant_is_read_by_its_number():
    net = interpreter(dense())
    numbers_of = [one["index"] for one in net.get_tensor_details() if one["shape"].tolist() == [3, 4]]
    numpy.testing.assert_array_equal(net.get_tensor(numbers_of[0]), numbers(3, 4).astype("f2"))


def test_what_it_cannot_take_is_refused():
    net = hybridize.tflite.Interpreter(model_content=dense())
    with pytest.raises(StateError, match=r"E591.*no tensors yet"):
        net.invoke()
    net.allocate_tensors()
    with pytest.raises(DTypeError, match=r"E210.*f32\[\?,4\], got float64"):
        net.set_tensor(0, numpy.zeros((1, 4)))
    with pytest.raises(ShapeError, match=r"E120.*shape \[1, 4\], got \[2, 4\]"):
        net.set_tensor(0, numbers(2, 4))
    with pytest.raises(ShapeError, match=r"E120.*not the shape"):
        net.resize_tensor_input(0, (1, 5))
    with pytest.raises(ArgumentError, match=r"E333.*tensor 1 is no input"):
        net.set_tensor(1, numbers(1, 4))
    with pytest.raises(ArgumentError, match=r"E333.*has no value before invoke"):
        net.get_tensor(3)
    with pytest.raises(ArgumentError, match=r"E333.*model_path or model_content"):
        hybridize.tflite.Interpreter()


@pytest.mark.long
def test_details_are_those_of_litert(tmp_path):
    import json
    import subprocess

    path = tmp_path / "m.tflite"
    code = (
        "import sys, json; from ai_edge_litert.interpreter import Interpreter; net = Interpreter(sys.argv[1]);"
        "net.allocate_tensors(); print(json.dumps([{k: str(v) for k, v in one.items()} for one in "
        "net.get_input_details() + net.get_output_details()]))"
    )
    for model in (dense(), CASES["int8 CONV_2D"].model, streaming()):
        path.write_bytes(model)
        theirs = json.loads(
            subprocess.run([LITERT, "-c", code, path], capture_output=True, check=True, text=True).stdout
        )
        net = interpreter(model)
        ours = [{k: str(v) for k, v in one.items()} for one in net.get_input_details() + net.get_output_details()]
        for one, other in zip(ours, theirs, strict=True):
            assert {k: (v, other[k]) for k, v in one.items() if v != other[k]} == {}
            assert one.keys() == other.keys()
