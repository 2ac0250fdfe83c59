# SPDX-License-Identifier: Apache-2.0
"""Messages of gRPC to requests, and outputs to messages."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.serve.datatypes import DATATYPES, dtype_of, from_bytes, shape_of
from hybridize.serve.oip import message
from hybridize.serve.refusals import Refusal, refuse
from hybridize.serve.registry import ServedModel
from hybridize.serve.requests import UNSUPPORTED, InferenceRequest, check_parameters

_RESPONSE: Final = message("ModelInferResponse")
_CONTENTS: Final = {
    "BOOL": "bool_contents", "INT8": "int_contents", "INT16": "int_contents", "INT32": "int_contents",
    "INT64": "int64_contents", "UINT8": "uint_contents", "UINT16": "uint_contents", "UINT32": "uint_contents",
    "UINT64": "uint64_contents", "FP32": "fp32_contents", "FP64": "fp64_contents",
}  # fmt: skip
"""The field that has the elements of a datatype; FP16 and BF16 go as bytes alone."""


def _parameters(parameters: Any) -> dict[str, Any]:
    if not parameters:
        return {}
    values = {key: getattr(one, one.WhichOneof("parameter_choice") or "bool_param") for key, one in parameters.items()}
    return check_parameters(values, UNSUPPORTED)


def parse(call: Any) -> InferenceRequest:
    """Read a `ModelInferRequest`; refuse what is wrong with it."""
    request = InferenceRequest(call.id)
    parameters = _parameters(call.parameters)
    if "timeout" in parameters:
        request.limit(parameters["timeout"])
    raw = call.raw_input_contents
    request.binary = bool(raw)
    if raw and len(raw) != len(call.inputs):
        refuse(f"raw_input_contents has {len(raw)} tensors for {len(call.inputs)} inputs")
    if not call.inputs:
        refuse("inputs must hold a tensor")
    for k, tensor in enumerate(call.inputs):
        name = tensor.name
        dtype, shape = dtype_of(tensor.datatype, name), shape_of([*tensor.shape], name)
        _parameters(tensor.parameters)
        if raw:
            request.add(name, from_bytes(raw[k], dtype, shape, name))
        else:
            request.add(name, _contents(tensor, dtype, shape))
    request.outputs = [(one.name, request.binary) for one in call.outputs]
    for one in call.outputs:
        _parameters(one.parameters)
    return request


def _contents(tensor: Any, dtype: numpy.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """The array of an input that has its elements as numbers."""
    name = tensor.name
    field = _CONTENTS.get(tensor.datatype)
    if field is None:
        refuse(f"input {name!r} is {tensor.datatype}, whose elements go in raw_input_contents")
    numbers = getattr(tensor.contents, field)
    if len(numbers) != math.prod(shape):
        refuse(f"input {name!r} has the shape {list(shape)}, which is {math.prod(shape)} numbers, and {len(numbers)} "
               f"in {field}")  # fmt: skip
    if dtype.kind in "iu" and len(numbers):
        limits = numpy.iinfo(dtype)
        if min(numbers) < limits.min or max(numbers) > limits.max:
            refuse(f"input {name!r} is {tensor.datatype}, which holds {limits.min} to {limits.max}; its data does not")
    return numpy.array(numbers, dtype).reshape(shape)


def formatted(served: ServedModel, request: InferenceRequest, arrays: list[NDArray[Any]]) -> Any:
    """Return the `ModelInferResponse` of outputs; as bytes, if the inputs came so."""
    answer = _RESPONSE(model_name=served.model.name, model_version=served.model.version, id=request.id)
    chosen = request.chosen(served, arrays)
    words = [DATATYPES.get(array.dtype) for _, array, _ in chosen]
    raw = request.binary or any(word not in _CONTENTS for word in words)
    for (name, array, _), word in zip(chosen, words, strict=True):
        if word is None:
            raise Refusal("UNIMPLEMENTED", f"output {name!r} is {array.dtype.name}, which the protocol has no word for")
        tensor = answer.outputs.add(name=name, datatype=word, shape=array.shape)
        if raw:
            answer.raw_output_contents.append(array.tobytes())
        else:
            getattr(tensor.contents, _CONTENTS[word]).extend(array.reshape(-1).tolist())
    return answer
