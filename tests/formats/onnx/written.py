"""Graphs written as ONNX models and run by others: what tests of the writer share."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy
import onnx
import onnxruntime

from hybridize.base.types import TensorType
from hybridize.formats.deployable import Deployable, Tensor, Variant
from hybridize.formats.onnx.write import DEFAULT, write
from hybridize.formats.saved import CheckedCall
from hybridize.graph import Builder, Graph


def typed(x: Any) -> TensorType:
    """The type of an array."""
    return TensorType(x.shape, x.dtype)


def graph_of(op: Any, inputs: Sequence[Any]) -> Graph:
    """The graph that is an op on arrays."""
    builder = Builder()
    values = [builder.input(typed(x)) for x in inputs]
    return builder.finish(builder.add(op, values))


def model_of(graph: Graph, samples: Sequence[CheckedCall] = ()) -> Deployable:
    """What is written of a graph all of whose inputs are arguments."""
    inputs, outputs = (
        tuple(Tensor(f"{word}{k}", value.type) for k, value in enumerate(values))
        for word, values in (("x", graph.inputs), ("y", graph.outputs))
    )
    return Deployable("model", inputs, outputs, (), (Variant(graph, (), (), tuple(samples)),))


def written(graph: Graph, path: Any, opset: int = DEFAULT) -> str:
    """Write a graph; return the file, which the onnx package has checked."""
    (file,) = write(model_of(graph), str(path), opset)
    onnx.checker.check_model(file, full_check=True)
    return file


@cache
def _options() -> Any:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return options


def session(file: str) -> Any:
    """ONNX Runtime's session of a file."""
    return onnxruntime.InferenceSession(str(file), _options(), providers=["CPUExecutionProvider"])


def answers(file: str, inputs: Sequence[Any]) -> list[Any]:
    """ONNX Runtime's results."""
    one = session(file)
    return one.run(
        None, {info.name: numpy.asarray(x, order="C") for info, x in zip(one.get_inputs(), inputs, strict=True)}
    )
