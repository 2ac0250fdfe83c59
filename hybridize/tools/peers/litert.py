# SPDX-License-Identifier: Apache-2.0
"""LiteRT (TensorFlow Lite) with XNNPACK, from a file written here, so that no TensorFlow is needed."""

from __future__ import annotations

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


def tflite(layers: Layers, batch: int) -> bytes:
    """The layers as a .tflite file: one FULLY_CONNECTED for each, with its ReLU fused."""
    buffers: list[Any] = [schema.BufferT()]  # buffer 0 is empty: the schema's word for "no constant"
    tensors: list[Any] = []

    def tensor(name: str, shape: tuple[int, ...], data: F32 | None = None) -> int:
        if data is not None:
            buffers.append(AlignedBuffer(data.tobytes()))
        tensors.append(
            schema.TensorT(
                shape=list(shape),
                type=schema.TensorType.FLOAT32,
                buffer=0 if data is None else len(buffers) - 1,
                name=name,
                hasRank=True,
            )
        )
        return len(tensors) - 1

    operators = []
    value = first = tensor("x", (batch, layers[0][0].shape[1]))
    for i, (weight, bias) in enumerate(layers):
        last = i == len(layers) - 1
        operands = [value, tensor(f"w{i}", weight.shape, weight), tensor(f"b{i}", bias.shape, bias)]
        value = tensor("y" if last else f"h{i}", (batch, len(bias)))
        fused = schema.ActivationFunctionType.NONE if last else schema.ActivationFunctionType.RELU
        operators.append(
            schema.OperatorT(
                opcodeIndex=0,
                inputs=operands,
                outputs=[value],
                builtinOptionsType=schema.BuiltinOptions.FullyConnectedOptions,
                builtinOptions=schema.FullyConnectedOptionsT(fusedActivationFunction=fused),
            )
        )
    opcode = schema.BuiltinOperator.FULLY_CONNECTED
    model = schema.ModelT(
        version=SCHEMA_VERSION,
        operatorCodes=[schema.OperatorCodeT(deprecatedBuiltinCode=opcode, builtinCode=opcode, version=1)],
        subgraphs=[
            schema.SubGraphT(tensors=tensors, inputs=[first], outputs=[value], operators=operators, name="main")
        ],
        buffers=buffers,
        description="multilayer perceptron",
    )
    builder = flatbuffers.Builder(1 << 20)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    return bytes(builder.Output())


def mlp(layers: Layers, x: F32) -> Start:
    """set_tensor, invoke, get_tensor: arrays in, arrays out."""
    model = tflite(layers, len(x))

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


def file(layers: Layers, x: F32, path: str) -> None:
    """Write the .tflite file."""
    Path(path).write_bytes(tflite(layers, len(x)))


MLP = {"interpreter": mlp}
FILE = {"tflite": file}
