# SPDX-License-Identifier: Apache-2.0
"""Images, plans and whatever else is plain data, as bytes that check themselves.

    magic (16) | BLAKE2b of all that follows (32) | length of the text (8, little-endian) | text | blobs

The text is JSON. Numbers, strings, None and booleans stand for themselves, a tuple is a list, an instance of a frozen
class is `{"Name": [its fields in order]}`, bytes are `{"": [offset, length]}` among the blobs. The reader says which
classes there may be; nothing else is ever made, and nothing is run. Files outlive the names of classes: one that was
renamed keeps the name that files hold as its attribute `stored_as`.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import struct
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, Final

from hybridize.base.digests import digest
from hybridize.base.errors import LoadError

MAGIC: Final = b"hybridize 1\r\n\x1a\n\0"
"""The format, and bytes that a transfer as text would change."""

_HEAD: Final = struct.Struct("<16s32sQ")
_NESTED: Final = (list, dict)
_SCALARS: Final = frozenset({type(None), bool, int, float, str})


def dump(value: Any) -> bytes:
    """The bytes of a value: plain data, tuples, bytes and instances of frozen classes, nested."""
    blobs = bytearray()
    text = json.dumps(_plain(value, blobs), separators=(",", ":")).encode()
    body = b"".join([struct.pack("<Q", len(text)), text, blobs])
    return MAGIC + digest(body) + body


def load(content: bytes, classes: Iterable[type]) -> Any:
    """The value of bytes that `dump` gave.

    Raises:
        LoadError E651: they are damaged, of another version, or hold a class that is not among `classes`.
    """
    view = memoryview(content)
    if len(content) < _HEAD.size:
        raise LoadError("E651", f"{len(content)} bytes of serialized data are cut off")
    magic, expected, length = _HEAD.unpack_from(content)
    if magic != MAGIC:
        raise LoadError("E651", "the bytes are not serialized data of this version")
    if digest(view[_HEAD.size - 8 :]) != expected:
        raise LoadError("E651", "the serialized data is damaged: its checksum differs")
    start = _HEAD.size + length
    try:
        return _value(
            json.loads(content[_HEAD.size : start].decode()),
            view[start:],
            {stored_name(kind): kind for kind in classes},
        )
    except (ValueError, TypeError, LookupError, RecursionError) as problem:
        raise LoadError("E651", f"the serialized data cannot be read: {problem}") from problem


def stored_name(kind: type) -> str:
    """Return the name that files hold for instances of a class."""
    name: str = getattr(kind, "stored_as", kind.__name__)
    return name


def _plain(value: Any, blobs: bytearray) -> Any:
    if isinstance(value, tuple):
        return [part if type(part) in _SCALARS else _plain(part, blobs) for part in value]
    if value is None or isinstance(value, (int, float, str)):
        return value
    if isinstance(value, bytes):
        blobs += value
        return {"": [len(blobs) - len(value), len(value)]}
    kind: Any = type(value)
    name, fields_of = _fields(kind)
    return {name: [part if type(part) in _SCALARS else _plain(part, blobs) for part in fields_of(value)]}


@functools.cache
def _fields(kind: type) -> tuple[str, Callable[[Any], Iterable[Any]]]:
    """The name that files hold for a class, and the function that gives the fields of an instance."""
    if not dataclasses.is_dataclass(kind):
        raise LoadError("E651", f"{kind.__name__} is not plain data")
    names = [field.name for field in dataclasses.fields(kind)]
    several = attrgetter(*names) if len(names) > 1 else lambda value: [getattr(value, name) for name in names]
    return stored_name(kind), several


def _value(plain: Any, blobs: memoryview, classes: dict[str, type]) -> Any:
    if type(plain) is list:
        return tuple([_value(x, blobs, classes) if type(x) in _NESTED else x for x in plain])
    if type(plain) is not dict:
        return plain
    ((name, fields),) = plain.items()
    if not name:
        offset, length = fields
        if not 0 <= offset <= offset + length <= len(blobs):
            raise ValueError(f"bytes {offset} to {offset + length} of {len(blobs)}")
        return bytes(blobs[offset : offset + length])
    # Past `__init__`, which a frozen class writes when it is first called: that takes longer than all the rest.
    kind: Any = classes[name]
    instance: Any = object.__new__(kind)
    values = instance.__dict__
    for field, x in zip(kind.__match_args__, fields, strict=True):
        values[field] = _value(x, blobs, classes) if type(x) in _NESTED else x
    return instance
