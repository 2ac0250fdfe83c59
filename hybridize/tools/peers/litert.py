# SPDX-License-Identifier: Apache-2.0
"""LiteRT (TensorFlow Lite) with XNNPACK, from a file written here, so that no TensorFlow is needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter

from hybridize.tools.peers import F32, Layers, Prepared, Start

SCHEMA_VERSION = 3
ALIGNMENT = 16
"""Bytes; the schema asks it of every buffer, and XNNPACK loads weights accordingly."""


class AlignedBuffer(schema.BufferT):  # type: ignore[misc]
    """A buffer whose bytes start at a multiple of `ALIGNMENT`; the generated class packs them unaligned."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.bytes = data

    def Pack(self, builder: Any) -> int:  # noqa: N802 - the generated code's name
        """Write the vector of bytes, then the table that points to it."""
        builder.StartVector(1, len(self.bytes), ALIGNMENT)
        builder.head -= len(self.bytes)
        builder.Bytes[builder.head : builder.head + len(self.bytes)] = self.bytes
        vector = builder.EndVector()
        schema.BufferStart(builder)
        schema.BufferAddData(builder, vector)
        return int(schema.BufferEnd(builder))


class Model:
    """A .tflite file in the making: float32 tensors, and operators of one kind."""

    def __init__(self) -> None:
        self._buffers: list[Any] = [schema.BufferT()]  # buffer 0 is empty: the schema's word for "no constant"
        self._tensors: list[Any] = []
        self._operators: list[Any] = []

    def tensor(self, name: str, shape: tuple[int, ...], data: F32 | None = None) -> int:
        """Add a tensor, a constant if its data is known; returns its number."""
        if data is not None:
            self._buffers.append(AlignedBuffer(data.tobytes()))
        self._tensors.append(
            schema.TensorT(
                shape=list(shape),
                type=schema.TensorType.FLOAT32,
                buffer=0 if data is None else len(self._buffers) - 1,
                name=name,
                hasRank=True,
            )
        )
        return len(self._tensors) - 1

    def operator(self, inputs: Sequence[int], output: int, kind: int, options: Any) -> None:
        """Add an operator; `kind` is the schema's number of its options."""
        self._operators.append(
            schema.OperatorT(
                opcodeIndex=0, inputs=list(inputs), outputs=[output], builtinOptionsType=kind, builtinOptions=options
            )
        )

    def written(self, first: int, last: int, opcode: int) -> bytes:
        """The file of a model from tensor `first` to tensor `last`, all of whose operators are `opcode`."""
        model = schema.ModelT(
            version=SCHEMA_VERSION,
            operatorCodes=[schema.OperatorCodeT(deprecatedBuiltinCode=opcode, builtinCode=opcode, version=1)],
            subgraphs=[
                schema.SubGraphT(
                    tensors=self._tensors, inputs=[first], outputs=[last], operators=self._operators, name="main"
                )
            ],
            buffers=self._buffers,
            description="of the benchmark",
        )
        builder = flatbuffers.Builder(1 << 20)
        builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
        return bytes(builder.Output())


def tflite(layers: Layers, batch: int) -> bytes:
    """The layers as a .tflite file: one FULLY_CONNECTED for each, with its ReLU fused."""
    model = Model()
    value = first = model.tensor("x", (batch, layers[0][0].shape[1]))
    for i, (weight, bias) in enumerate(layers):
        last = i == len(layers) - 1
        operands = [value, model.tensor(f"w{i}", weight.shape, weight), model.tensor(f"b{i}", bias.shape, bias)]
        value = model.tensor("y" if last else f"h{i}", (batch, len(bias)))
        fused = schema.ActivationFunctionType.NONE if last else schema.ActivationFunctionType.RELU
        options = schema.FullyConnectedOptionsT(fusedActivationFunction=fused)
        model.operator(operands, value, schema.BuiltinOptions.FullyConnectedOptions, options)
    return model.written(first, value, schema.BuiltinOperator.FULLY_CONNECTED)


def convolution_tflite(x: F32, weight: F32, bias: F32) -> bytes:
    """A CONV_2D with its ReLU fused as a .tflite file; its layout is channels-last."""
    model = Model()
    filters = np.ascontiguousarray(weight.transpose(0, 2, 3, 1))
    first = model.tensor("x", x.shape)
    operands = [first, model.tensor("w", filters.shape, filters), model.tensor("b", bias.shape, bias)]
    value = model.tensor("y", (*x.shape[:3], len(bias)))
    options = schema.Conv2DOptionsT(
        padding=schema.Padding.SAME,
        strideH=1,
        strideW=1,
        fusedActivationFunction=schema.ActivationFunctionType.RELU,
    )
    model.operator(operands, value, schema.BuiltinOptions.Conv2DOptions, options)
    return model.written(first, value, schema.BuiltinOperator.CONV_2D)


def interpreted(model: bytes, x: F32) -> Start:
    """set_tensor, invoke, get_tensor: arrays in, arrays out."""

    def start() -> Prepared:
        interpreter = Interpreter(model_content=model, num_threads=1)
        interpreter.allocate_tensors()
        source = interpreter.get_input_details()[0]["index"]
        target = interpreter.get_output_details()[0]["index"]
        set_tensor, invoke, get_tensor = interpreter.set_tensor, interpreter.invoke, interpreter.get_tensor

        def call(x: F32) -> F32:
            set_tensor(source, x)
            invoke()
            return get_tensor(target)  # type: ignore[no-any-return]

        return Prepared(call, (x,), np.asarray)

    return start


def mlp(layers: Layers, x: F32) -> Start:
    """The layers, from a file in memory."""
    return interpreted(tflite(layers, len(x)), x)


def convolution(x: F32, weight: F32, bias: F32) -> Start:
    """The convolution, from a file in memory."""
    return interpreted(convolution_tflite(x, weight, bias), x)


def file(layers: Layers, x: F32, path: str) -> None:
    """Write the .tflite file."""
    Path(path).write_bytes(tflite(layers, len(x)))


MLP = {"interpreter": mlp}
CONV = {"interpreter": convolution}
FILE = {"tflite": file}
