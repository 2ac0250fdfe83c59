# SPDX-License-Identifier: Apache-2.0
"""Bodies of REST requests and answers: JSON, and JSON followed by the bytes of tensors."""

from __future__ import annotations

import json
import zlib
from typing import Any, Final

import numpy
import orjson
from numpy.typing import NDArray

from hybridize.serve.datatypes import DATATYPES, dtype_of, from_bytes, from_numbers, shape_of
from hybridize.serve.refusals import Refusal, refuse
from hybridize.serve.registry import ServedModel
from hybridize.serve.requests import UNSUPPORTED, InferenceRequest, check_parameters

_MOST_TENSORS: Final = 1024
_FAST: Final = frozenset("?bBhHiIlLqQfd")
"""Types that orjson writes as they lie."""


def decompressed(body: bytes, encoding: str, limit: int) -> bytes:
    """Return the content of a body in gzip or deflate; refuse others, and what is larger than `limit` bytes."""
    if encoding not in ("gzip", "deflate"):
        refuse(f"content-encoding {encoding[:40]!r} is not read here; gzip and deflate are")
    decoder = zlib.decompressobj(47 if encoding == "gzip" else zlib.MAX_WBITS)
    try:
        content = decoder.decompress(body, limit + 1)
    except zlib.error as error:
        refuse(f"the body is no {encoding}: {error}")
    if len(content) > limit:
        raise Refusal("OUT_OF_RANGE", f"the body is larger than {limit} bytes, which --max-body allows", "size")
    if not decoder.eof:
        refuse(f"the body in {encoding} ends too early")
    return content


def loads(content: bytes | memoryview) -> Any:
    """Return what a JSON text says; NaN and Infinity are numbers, as many clients write them."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError as error:
        text = bytes(content)
        if b"NaN" in text or b"Infinity" in text:
            try:
                return json.loads(text)
            except (ValueError, RecursionError):
                pass
        refuse(f"the body is no JSON: {error}")


def parse(body: bytes, header: str | None) -> InferenceRequest:
    """Read a request.

    Args:
        body: JSON, and where `header` is there the bytes of tensors after it.
        header: what `Inference-Header-Content-Length` says: the bytes of the JSON.

    Raises:
        Refusal: something is missing, of the wrong type, or too short.
    """
    view = memoryview(body)
    length = len(body)
    if header is not None:
        if not (header.isascii() and header.isdecimal()) or len(header) > 12 or int(header) > length:
            refuse(f"Inference-Header-Content-Length is {header[:40]!r}, and the body has {length} bytes")
        length = int(header)
    tree = loads(view[:length] if header is not None else body)
    if not isinstance(tree, dict):
        refuse("the body must be a JSON object with inputs")
    request = InferenceRequest()
    number = tree.get("id", "")
    if not isinstance(number, str):
        refuse(f"id must be a string, got {str(number)[:40]}")
    request.id = number.encode("utf-8", "replace").decode()
    parameters = check_parameters(tree.get("parameters"), UNSUPPORTED)
    request.binary = parameters.get("binary_data_output") is True
    if "timeout" in parameters:
        request.limit(parameters["timeout"])
    inputs = tree.get("inputs")
    if not isinstance(inputs, list) or not inputs or len(inputs) > _MOST_TENSORS:
        refuse("inputs must be a list of tensors: [{name, shape, datatype, data}]")
    rest = view[length:]
    for tensor in inputs:
        rest = _input(request, tensor, rest)
    if len(rest):
        refuse(f"{len(rest)} bytes follow the tensors")
    _outputs(request, tree.get("outputs"))
    return request


def _input(request: InferenceRequest, tensor: Any, rest: memoryview) -> memoryview:
    """Read an input; return the bytes that are left."""
    if not isinstance(tensor, dict) or not isinstance(tensor.get("name"), str):
        refuse("an input must be an object with name, shape, datatype and data")
    name = tensor["name"]
    dtype, shape = dtype_of(tensor.get("datatype"), name), shape_of(tensor.get("shape"), name)
    parameters = check_parameters(tensor.get("parameters"), UNSUPPORTED) if "parameters" in tensor else {}
    if "binary_data_size" not in parameters:
        if "data" not in tensor:
            refuse(f"input {name!r} has neither data nor binary_data_size")
        request.add(name, from_numbers(tensor["data"], dtype, shape, name))
        return rest
    size = parameters["binary_data_size"]
    if type(size) is not int or size < 0 or "data" in tensor:
        refuse(f"input {name!r} needs binary_data_size, a number of bytes, and no data beside it")
    if size > len(rest):
        refuse(f"input {name!r} says {size} bytes of binary data, and {len(rest)} are left in the body")
    request.add(name, from_bytes(rest[:size], dtype, shape, name))
    return rest[size:]


def _outputs(request: InferenceRequest, outputs: Any) -> None:
    if outputs is None:
        return
    if not isinstance(outputs, list) or len(outputs) > _MOST_TENSORS:
        refuse("outputs must be a list of objects with a name")
    for tensor in outputs:
        if not isinstance(tensor, dict) or not isinstance(tensor.get("name"), str):
            refuse("outputs must be a list of objects with a name")
        parameters = check_parameters(tensor.get("parameters"), UNSUPPORTED)
        request.outputs.append((tensor["name"], parameters.get("binary_data", request.binary) is True))


def formatted(served: ServedModel, request: InferenceRequest, arrays: list[NDArray[Any]]) -> tuple[bytes, int | None]:
    """Return the body of an answer, and the bytes of its JSON where bytes of tensors follow."""
    tensors: list[dict[str, Any]] = []
    tail: list[bytes] = []
    finite = True
    for name, array, binary in request.chosen(served, arrays):
        tensor: dict[str, Any] = {"name": name, "datatype": _datatype(name, array), "shape": array.shape}
        if binary:
            content = array.tobytes()
            tensor["parameters"] = {"binary_data_size": len(content)}
            tail.append(content)
        else:
            tensor["data"], whole = _numbers(array)
            finite = finite and whole
        tensors.append(tensor)
    answer: dict[str, Any] = {"model_name": served.model.name, "model_version": served.model.version}
    if request.id:
        answer["id"] = request.id
    answer["outputs"] = tensors
    if finite:
        head = orjson.dumps(answer, option=orjson.OPT_SERIALIZE_NUMPY)
    else:
        head = json.dumps(answer, default=lambda array: array.tolist()).encode()
    return (b"".join([head, *tail]), len(head)) if tail else (head, None)


def _datatype(name: str, array: NDArray[Any]) -> str:
    word = DATATYPES.get(array.dtype)
    if word is None:
        raise Refusal("UNIMPLEMENTED", f"output {name!r} is {array.dtype.name}, which the protocol has no word for")
    return word


def _numbers(array: NDArray[Any]) -> tuple[NDArray[Any], bool]:
    """An array as JSON's writer takes it, flat; and False where it has numbers that JSON lacks."""
    flat = array.reshape(-1)
    if flat.dtype.char not in _FAST:
        flat = flat.astype(numpy.float32)
    return flat, flat.dtype.kind != "f" or bool(numpy.isfinite(flat).all())
