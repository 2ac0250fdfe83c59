# SPDX-License-Identifier: Apache-2.0
"""The messages of SavedModels, graphs and tensor bundles, as tables of their fields; element types; arrays.

Parts that are many and of which few are needed (functions, nodes' attributes) are `bytes`, and parsed where they are.
"""

from __future__ import annotations

import math
from typing import Any, Final

import ml_dtypes
import numpy
from numpy.typing import NDArray

from hybridize.base.errors import LoadError
from hybridize.formats.cursor import checked_size, malformed
from hybridize.formats.wire import Message, schemas

SCHEMAS: Final = schemas("""
SavedModel: 1 version int, 2 meta_graphs MetaGraph*
MetaGraph: 1 info MetaInfo, 2 graph GraphDef, 5 signatures Signature{}, 7 objects Objects
MetaInfo: 4 tags text*, 5 tensorflow_version text
GraphDef: 1 node bytes*, 2 library Library, 4 versions Versions
Library: 1 function bytes*
FunctionName: 1 signature OpName
OpName: 1 name text
Function: 1 signature OpDef, 3 node Node*, 4 ret text{}, 5 attr Attr{}, 6 control_ret text{}, 7 arg_attr bytes*
OpDef: 1 name text, 2 input Arg*, 3 output Arg*
Arg: 1 name text, 3 type int, 5 number_attr text, 6 type_list_attr text
Node: 1 name text, 2 op text, 3 input text*, 5 attr bytes*
NamedAttr: 1 key text, 2 value Attr
Attr: 1 list List, 2 s bytes, 3 i int, 4 f float, 5 b bool, 6 type int, 7 shape Shape, 8 tensor Tensor, 10 func Call
List: 2 s bytes*, 3 i int*, 4 f float*, 5 b bool*, 6 type int*, 7 shape Shape*, 8 tensor Tensor*, 9 func Call*
Call: 1 name text
ArgAttrs: 1 key int, 2 value ArgAttr
ArgAttr: 1 attr Attr{}
Shape: 2 dim Dim*, 3 unknown_rank bool
Dim: 1 size int
Tensor: 1 dtype int, 2 shape Shape, 4 content bytes, 5 float float[], 6 double double[], 7 int int[], 8 string bytes*, 9 complex float[], 10 int64 int[], 11 bool bool[], 12 complex128 double[], 13 half int[], 16 uint32 int[], 17 uint64 int[]
Versions: 1 producer int, 2 min_consumer int
Signature: 1 inputs Info{}, 2 outputs Info{}, 3 method text
Info: 1 name text, 2 dtype int, 3 shape Shape
Objects: 1 node bytes*, 2 functions Concrete{}
Object: 1 children Child*, 4 user User, 5 asset Empty, 6 function Poly, 7 variable Variable, 8 bare Bare, 9 constant Constant, 10 resource Empty, 12 captured Empty
Empty:
User: 1 identifier text
Child: 1 id int, 2 name text
Poly: 1 names text*
Variable: 1 dtype int, 2 shape Shape, 3 trainable bool, 6 name text
Bare: 1 name text, 2 keywords text*
Constant: 1 operation text
Concrete: 2 bound int*, 3 inputs Structured, 4 outputs Structured
Structured: 1 none Empty, 31 tensor Spec, 33 bounded Spec, 51 list Values, 52 tuple Values, 53 dict Fields, 54 named Named
Spec: 1 name text, 2 shape Shape, 3 dtype int
Values: 1 values Structured*
Fields: 1 fields Structured{}
Named: 1 name text, 2 values Pair*
Pair: 1 key text, 2 value Structured
Header: 1 shards int, 2 endian int, 3 versions Versions
Entry: 1 dtype int, 2 shape Shape, 3 shard int, 4 offset int, 5 size int, 6 crc fixed32, 7 slices Empty*
""")  # noqa: E501
"""Every message that is read."""

DTYPES: Final[dict[int, numpy.dtype[Any]]] = {
    number: numpy.dtype(dtype)
    for number, dtype in {
        1: "f4", 2: "f8", 3: "i4", 4: "u1", 5: "i2", 6: "i1", 8: "c8", 9: "i8", 10: "?", 14: ml_dtypes.bfloat16,
        17: "u2", 18: "c16", 19: "f2", 22: "u4", 23: "u8",
    }.items()
}  # fmt: skip
"""Element types by their numbers."""
STRING, RESOURCE, VARIANT = 7, 20, 21
NAMES: Final = {STRING: "string", RESOURCE: "resource", VARIANT: "variant", 11: "qint8", 12: "quint8", 13: "qint32",
         15: "qint16", 16: "quint16", 24: "float8_e5m2", 25: "float8_e4m3fn",
         29: "int4", 30: "uint4"}  # fmt: skip
"""Names of the types that are none of ours."""
_FIELDS: Final = {1: "float", 2: "double", 8: "complex", 9: "int64", 10: "bool", 14: "half", 18: "complex128",
                  19: "half", 22: "uint32", 23: "uint64"}  # fmt: skip
_LARGEST: Final = 1 << 28
"""Elements of the largest array that stands in a graph as one number for all of them."""


def type_of_number(number: int) -> numpy.dtype[Any] | str:
    """Return an element type, or the name of one that is none of ours."""
    return DTYPES.get(number) or NAMES.get(number, f"type {number}")


def sizes_of(shape: Message) -> tuple[int | None, ...] | None:
    """Return the sizes of a shape, None for one that is not known; None where not even their number is."""
    if shape.get("unknown_rank"):
        return None
    return tuple(None if dim.get("size", 0) < 0 else dim.get("size", 0) for dim in shape.get("dim", ()))


def array_of(tensor: Message, name: str, what: str) -> NDArray[Any]:
    """Return the array of a tensor, whose last number stands for all that follow; of text, an array of objects.

    Args:
        tensor: the message.
        name: of the file, for messages.
        what: whose tensor it is, for messages.

    Raises:
        LoadError E601: it is malformed; E603: of a type that is not supported.
    """
    sizes, number = sizes_of(tensor.get("shape", {})), tensor.get("dtype", 0)
    if number == STRING:
        texts = [bytes(one) for one in tensor.get("string", ())]
        return numpy.array([*texts, None], object)[:-1]
    if number not in DTYPES:
        raise LoadError("E603", f"{name}: {what} is of {type_of_number(number)}, which is not supported")
    dtype = DTYPES[number]
    shape = tuple(-1 if size is None else size for size in sizes or ())
    count = None if sizes is None else checked_size(shape, dtype)
    if count is None:
        raise malformed(name, f"{what} cannot have the shape {list(shape)}", 0)
    if len(tensor.get("content", b"")):
        data = tensor["content"]
        if len(data) != count * dtype.itemsize:
            raise malformed(name, f"{what} of shape {list(shape)} has {len(data)} bytes", 0)
        return numpy.frombuffer(data, dtype).reshape(shape).copy()
    field = _FIELDS.get(number, "int")
    values = numpy.asarray(tensor.get(field, ()))
    if field == "half":
        flat = values.astype("u2").view(dtype)
    elif field.startswith("complex"):
        flat = values[: len(values) // 2 * 2].astype("f4" if number == 8 else "f8").view(dtype)
    else:
        flat = values.astype(dtype)
    if len(flat) > count or (count > _LARGEST and len(flat) < count):
        raise malformed(name, f"{what} of shape {list(shape)} has {len(flat)} elements", 0)
    if len(flat) == count:
        return flat.reshape(shape)
    last = flat[-1:].reshape(()) if len(flat) else numpy.zeros((), dtype)
    if len(flat) < 2:
        return numpy.broadcast_to(last, shape)  # no memory for what is one number
    return numpy.concatenate([flat, numpy.broadcast_to(last, (count - len(flat),))]).reshape(shape)


def size_in_bytes(shape: tuple[int, ...], dtype: numpy.dtype[Any]) -> int:
    """Return the bytes of an array."""
    return math.prod(shape) * dtype.itemsize
