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

from hybridize_bench import networks
from hybridize_bench.networks import Layer, Network
from hybridize_bench.peers import F32, I32, Layers, Prepared, Start

SCHEMA_VERSION = 3
OPERATOR, OPTIONS, ACTIVATION = schema.BuiltinOperator, schema.BuiltinOptions, schema.ActivationFunctionType
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
    """A .tflite file in the making."""

    def __init__(self) -> None:
        self._buffers: list[Any] = [schema.BufferT()]  # buffer 0 is empty: the schema's word for "no constant"
        self._tensors: list[Any] = []
        self._operators: list[Any] = []
        self._codes: list[int] = []

    def tensor(
        self, name: str, shape: tuple[int, ...], data: F32 | I32 | None = None, *, variable: bool = False
    ) -> int:
        """Add a tensor of float32, or of the data's int32, a constant if its data is known; returns its number.

        A variable one is zero in the beginning, and kept from call to call.
        """
        if data is not None:
            self._buffers.append(AlignedBuffer(data.tobytes()))
        self._tensors.append(
            schema.TensorT(
                shape=list(shape),
                type=schema.TensorType.INT32
                if data is not None and data.dtype == np.int32
                else schema.TensorType.FLOAT32,
                buffer=0 if data is None else len(self._buffers) - 1,
                name=name,
                hasRank=True,
                isVariable=variable,
            )
        )
        return len(self._tensors) - 1

    def operator(self, opcode: int, inputs: Sequence[int], output: int, kind: int = 0, options: Any = None) -> None:
        """Add an operator; `kind` is the schema's number of its options."""
        if opcode not in self._codes:
            self._codes.append(opcode)
        self._operators.append(
            schema.OperatorT(
                opcodeIndex=self._codes.index(opcode),
                inputs=list(inputs),
                outputs=[output],
                builtinOptionsType=kind,
                builtinOptions=options,
            )
        )

    def written(self, inputs: Sequence[int], last: int) -> bytes:
        """The file of a model from some tensors to tensor `last`."""
        model = schema.ModelT(
            version=SCHEMA_VERSION,
            operatorCodes=[
                schema.OperatorCodeT(deprecatedBuiltinCode=min(opcode, 127), builtinCode=opcode, version=1)
                for opcode in self._codes
            ],
            subgraphs=[
                schema.SubGraphT(
                    tensors=self._tensors, inputs=list(inputs), outputs=[last], operators=self._operators, name="main"
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
        fused = ACTIVATION.NONE if last else ACTIVATION.RELU
        options = schema.FullyConnectedOptionsT(fusedActivationFunction=fused)
        model.operator(OPERATOR.FULLY_CONNECTED, operands, value, OPTIONS.FullyConnectedOptions, options)
    return model.written([first], value)


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
        fusedActivationFunction=ACTIVATION.RELU,
    )
    model.operator(OPERATOR.CONV_2D, operands, value, OPTIONS.Conv2DOptions, options)
    return model.written([first], value)


class NetworkFile:
    """A network as a .tflite file in the making, as converters make one.

    Channels lie last, a normalization is part of the convolution before it or a product and a sum, and an activation
    is part of what stands before it.
    """

    def __init__(self, network: Network, weights: list[tuple[F32, ...]], batch: int) -> None:
        self._network, self._weights, self._batch = network, weights, batch
        self._model = Model()
        self._readers = [
            [k for k, layer in enumerate(network.layers) if v in layer.inputs] for v in range(len(weights))
        ]
        self._numbers = {0: self._model.tensor("x", self._shape(0))}

    def written(self) -> bytes:
        """The file."""
        for number in range(len(self._weights)):
            if number + 1 not in self._numbers:
                self._add(number)
        return self._model.written([self._numbers[0]], self._numbers[len(self._weights)])

    def _shape(self, value: int) -> tuple[int, ...]:
        channels, *size = self._network.shape(value)
        return (self._batch, *size, channels)

    def _constant(self, name: str, data: Any, dtype: Any = np.float32) -> int:
        array = np.ascontiguousarray(data, dtype)
        return self._model.tensor(name, array.shape, array)

    def _followed_by(self, number: int, *kinds: str) -> Layer | None:
        """The layer that alone reads the result of another one, if it is of one of these kinds."""
        readers = self._readers[number + 1] if number + 1 < len(self._readers) else []
        next_one = self._network.layers[readers[0]] if len(readers) == 1 else None
        return next_one if next_one is not None and next_one.kind in kinds else None

    def _result(self, number: int) -> tuple[int, int]:
        """The tensor that a layer writes, and its activation, which is the next layer if one follows."""
        following = self._followed_by(number, networks.RELU, networks.RELU6)
        tensor = self._model.tensor(f"v{number}", self._shape(number + 1))
        self._numbers[number + 1] = tensor
        if following is None:
            return tensor, ACTIVATION.NONE
        self._numbers[self._readers[number + 1][0] + 1] = tensor
        return tensor, ACTIVATION.RELU if following.kind == networks.RELU else ACTIVATION.RELU6

    def _padded(self, layer: Layer, value: int, around: float) -> int:
        """The tensor of a value with the padding of a layer, of which there is none in the schema's words."""
        if not layer.padding:
            return self._numbers[value]
        n, h, w, c = self._shape(value)
        sides = np.array([[0, 0], [layer.padding] * 2, [layer.padding] * 2, [0, 0]])
        number = len(self._numbers)
        padded = self._model.tensor(f"padded{value}.{number}", (n, h + 2 * layer.padding, w + 2 * layer.padding, c))
        operands = [self._numbers[value], self._constant(f"sides{value}.{number}", sides, np.int32)]
        if around:
            operands.append(self._constant(f"around{value}.{number}", [around]))
        self._model.operator(
            OPERATOR.PADV2 if around else OPERATOR.PAD,
            operands,
            padded,
            OPTIONS.PadV2Options if around else OPTIONS.PadOptions,
            schema.PadV2OptionsT() if around else schema.PadOptionsT(),
        )
        return padded

    def _add(self, number: int) -> None:
        layer, arrays = self._network.layers[number], self._weights[number]
        match layer.kind:
            case networks.CONVOLUTION:
                self._convolution(number, layer, arrays)
            case networks.NORMALIZATION:
                self._scale_and_shift(number, layer, arrays)
            case networks.MAX_POOL | networks.AVERAGE_POOL:
                largest = layer.kind == networks.MAX_POOL
                x = self._padded(layer, layer.inputs[0], -np.inf if largest else 0.0)
                options = schema.Pool2DOptionsT(schema.Padding.VALID, *[layer.stride] * 2, *[layer.kernel] * 2)
                opcode = OPERATOR.MAX_POOL_2D if largest else OPERATOR.AVERAGE_POOL_2D
                result, options.fusedActivationFunction = self._result(number)
                self._model.operator(opcode, [x], result, OPTIONS.Pool2DOptions, options)
            case networks.MEAN:
                axes = self._constant(f"axes{number}", [1, 2], np.int32)
                self._plain(number, OPERATOR.MEAN, [axes], OPTIONS.ReducerOptions, schema.ReducerOptionsT())
            case networks.ADD:
                self._plain(number, OPERATOR.ADD, [], OPTIONS.AddOptions, schema.AddOptionsT())
            case networks.JOIN:
                joined = schema.ConcatenationOptionsT(axis=3)
                self._plain(number, OPERATOR.CONCATENATION, [], OPTIONS.ConcatenationOptions, joined)
            case networks.DENSE:
                shape = self._network.shape(layer.inputs[0])
                order = (0, *range(2, len(shape) + 1), 1)
                weight = arrays[0].reshape(-1, *shape).transpose(order).reshape(arrays[0].shape)
                operands = [self._constant(f"w{number}", weight), self._constant(f"b{number}", arrays[1])]
                dense = schema.FullyConnectedOptionsT()
                self._plain(number, OPERATOR.FULLY_CONNECTED, operands, OPTIONS.FullyConnectedOptions, dense)
            case kind:
                self._plain(number, {networks.RELU: OPERATOR.RELU, networks.RELU6: OPERATOR.RELU6}[kind], [])

    def _plain(self, number: int, opcode: int, more: list[int], kind: int = 0, options: Any = None) -> None:
        """An operator over a layer's operands, and more; with an activation, where its options have one."""
        inputs = [self._numbers[one] for one in self._network.layers[number].inputs]
        if hasattr(options, "fusedActivationFunction"):
            result, options.fusedActivationFunction = self._result(number)
        else:
            result = self._numbers[number + 1] = self._model.tensor(f"v{number}", self._shape(number + 1))
        self._model.operator(opcode, [*inputs, *more], result, kind, options)

    def _convolution(self, number: int, layer: Layer, arrays: tuple[F32, ...]) -> None:
        weight, bias = arrays[0], arrays[1] if len(arrays) > 1 else np.zeros(len(arrays[0]), np.float32)
        last = number
        if self._followed_by(number, networks.NORMALIZATION) is not None:
            last = self._readers[number + 1][0]
            scale, shift = _factors(self._weights[last])
            weight, bias = weight * scale.reshape(-1, 1, 1, 1), bias * scale + shift
        value, kept = layer.inputs[0], layer.kernel // 2 == layer.padding and layer.stride == 1
        x = self._numbers[value] if kept else self._padded(layer, value, 0.0)
        padding = schema.Padding.SAME if kept else schema.Padding.VALID
        single = layer.groups == len(weight) > 1
        filters = weight.transpose((1, 2, 3, 0) if single else (0, 2, 3, 1))
        operands = [x, self._constant(f"w{number}", filters), self._constant(f"b{number}", bias)]
        options: Any = schema.DepthwiseConv2DOptionsT(depthMultiplier=1) if single else schema.Conv2DOptionsT()
        options.padding, options.strideH, options.strideW = padding, layer.stride, layer.stride
        result, options.fusedActivationFunction = self._result(last)
        opcode = OPERATOR.DEPTHWISE_CONV_2D if single else OPERATOR.CONV_2D
        kind = OPTIONS.DepthwiseConv2DOptions if single else OPTIONS.Conv2DOptions
        self._numbers[number + 1] = result
        self._model.operator(opcode, operands, result, kind, options)

    def _scale_and_shift(self, number: int, layer: Layer, arrays: tuple[F32, ...]) -> None:
        scale, shift = (self._constant(f"c{number}.{k}", one) for k, one in enumerate(_factors(arrays)))
        scaled = self._model.tensor(f"s{number}", self._shape(number + 1))
        x = self._numbers[layer.inputs[0]]
        self._model.operator(OPERATOR.MUL, [x, scale], scaled, OPTIONS.MulOptions, schema.MulOptionsT())
        options = schema.AddOptionsT()
        result, options.fusedActivationFunction = self._result(number)
        self._model.operator(OPERATOR.ADD, [scaled, shift], result, OPTIONS.AddOptions, options)


def _factors(normalization: tuple[F32, ...]) -> tuple[F32, F32]:
    """The factors of a normalization, and what it adds."""
    gamma, beta, mean, variance = normalization
    scale = gamma / np.sqrt(variance + np.float32(networks.EPSILON))
    return scale, beta - mean * scale


def interpreted(model: bytes, *xs: F32, states: bool = False) -> Start:
    """set_tensor, invoke, get_tensor: arrays in, arrays out; states are zero again before each call."""

    def start() -> Prepared:
        interpreter = Interpreter(model_content=model, num_threads=1)
        interpreter.allocate_tensors()
        sources = [details["index"] for details in interpreter.get_input_details()]
        (source, *others) = sources
        target = interpreter.get_output_details()[0]["index"]
        set_tensor, invoke, get_tensor = interpreter.set_tensor, interpreter.invoke, interpreter.get_tensor

        def call(x: F32) -> F32:
            set_tensor(source, x)
            invoke()
            return get_tensor(target)  # type: ignore[no-any-return]

        def call_all(*xs: F32) -> F32:
            if states:
                interpreter.reset_all_variables()
            for source, x in zip(sources, xs, strict=True):
                set_tensor(source, x)
            invoke()
            return get_tensor(target)  # type: ignore[no-any-return]

        return Prepared(call_all if others or states else call, xs, np.asarray)

    return start


def mlp(layers: Layers, x: F32) -> Start:
    """The layers, from a file in memory."""
    return interpreted(tflite(layers, len(x)), x)


def convolution(x: F32, weight: F32, bias: F32) -> Start:
    """The convolution, from a file in memory."""
    return interpreted(convolution_tflite(x, weight, bias), x)


def network(network: Network, weights: list[tuple[F32, ...]], x: F32) -> Start:
    """The network, from a file in memory, and its images channels last."""
    return interpreted(NetworkFile(network, weights, len(x)).written(), np.ascontiguousarray(x.transpose(0, 2, 3, 1)))


def file(layers: Layers, x: F32, path: str) -> None:
    """Write the .tflite file."""
    Path(path).write_bytes(tflite(layers, len(x)))


MLP = {"interpreter": mlp}
CONV = {"interpreter": convolution}
NET = {"interpreter": network}
FILE = {"tflite": file}
