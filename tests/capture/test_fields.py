# SPDX-License-Identifier: Apache-2.0
"""Attributes that cannot be set, or deleted, as others: right, or refused at the line with nothing changed."""

import ctypes
import dataclasses
import threading
from types import SimpleNamespace

import pytest

from hybridize import hybridize, np
from hybridize.errors import CaptureError
from tests.refusals import refusal


class WithoutDeleter:
    def __init__(self):
        self._v = 0

    @property
    def v(self):
        return self._v

    @v.setter
    def v(self, value):
        self._v = value


class Slots:
    __slots__ = ("v",)


class ReadOnly:
    @property
    def v(self):
        return 3


class Structure(ctypes.Structure):
    _fields_ = [("v", ctypes.c_int)]


@dataclasses.dataclass(frozen=True)
class Frozen:
    v: int = 0


@dataclasses.dataclass(frozen=True)
class FrozenBelow(Frozen):
    w: int = 0


class Descriptor:
    def __get__(self, owner, kind=None):
        return self if owner is None else vars(owner).get("_v", 0)

    def __set__(self, owner, value):
        vars(owner)["_v"] = value


class ByDescriptor:
    v = Descriptor()


class Undeletable:
    v = 0

    def __delattr__(self, name):
        raise AttributeError("Cannot delete field attribute")


class SetOnce:
    def __setattr__(self, name, value):
        if name in vars(self):
            raise AttributeError("it is set")
        object.__setattr__(self, name, value)


class Fields:
    """Fields by name, which are no attributes."""

    def __init__(self):
        object.__setattr__(self, "held", {})

    def __getattr__(self, name):
        if name != "v":
            raise AttributeError(name)
        return self.held.get(name, 0)

    def __setattr__(self, name, value):
        if name != "v":
            raise AttributeError(name)
        self.held[name] = value

    def __delattr__(self, name):
        raise AttributeError("Cannot delete field attribute")


KINDS = [
    WithoutDeleter, Slots, ReadOnly, Structure, Frozen, FrozenBelow, ByDescriptor, Undeletable, SetOnce, Fields,
    SimpleNamespace, Exception, threading.local, lambda: ctypes.c_int(3),
]  # fmt: skip
ACTIONS = {
    "a constant": lambda o, x: setattr(o, "v", 5),
    "data": lambda o, x: setattr(o, "v", x.sum()),
    "a count": lambda o, x: setattr(o, "v", getattr(o, "v", 0) + 1),
    "twice": lambda o, x: (setattr(o, "v", 1), setattr(o, "v", 2)),
    "deleted": lambda o, x: delattr(o, "v"),
}


def _outcomes(make, act, verb, calls):
    owner, found = make(), []

    def function(x):
        act(owner, x)
        return x * 2

    call = verb(function)
    for _ in range(calls):
        try:
            result = call(np.ones(2)).tolist()
        except Exception as error:  # whichever: it must be the same
            result = type(error), str(error).splitlines()[0]
        value = getattr(owner, "v", "nothing")
        found.append((result, float(value) if value != "nothing" else value))
    return found


@pytest.mark.parametrize("act", ACTIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_as_imperatively(kind, act):
    assert _outcomes(kind, ACTIONS[act], hybridize, 3) == _outcomes(kind, ACTIONS[act], lambda f: f, 3)


def _messages():
    descriptor_pb2 = pytest.importorskip("google.protobuf.descriptor_pb2")
    timestamp_pb2 = pytest.importorskip("google.protobuf.timestamp_pb2")
    return {
        "field": (timestamp_pb2.Timestamp, lambda o: setattr(o, "seconds", 5), "E431: field 'seconds' of a Timestamp"),
        "optional": (
            descriptor_pb2.FieldDescriptorProto, lambda o: setattr(o, "name", ""), "E431: field 'name' of a Field",
        ),
        "inner": (
            descriptor_pb2.DescriptorProto, lambda o: setattr(o.options, "deprecated", True), "E431: field 'deprecated'",
        ),
        "repeated": (
            descriptor_pb2.FileDescriptorProto, lambda o: o.dependency.append("a"), r"E406: .*Container.append\(\)",
        ),
        "messages": (descriptor_pb2.FileDescriptorProto, lambda o: o.message_type.add(), r"E406: .*add\(\) changes"),
        "method": (timestamp_pb2.Timestamp, lambda o: o.FromSeconds(7), "E431: field|E406: Timestamp"),
        "clear": (lambda: timestamp_pb2.Timestamp(seconds=3), lambda o: o.Clear(), r"E406: Timestamp.Clear\(\) changes"),
    }  # fmt: skip


@pytest.mark.parametrize("case", ["field", "optional", "inner", "repeated", "messages", "method", "clear"])
def test_messages_are_refused_at_the_line_and_not_changed(case):
    make, act, words = _messages()[case]
    message = make()

    def function(x):
        act(message)
        return x * 2

    program = hybridize(function)
    for _ in range(2):
        with refusal(CaptureError, words):
            program(np.ones(2))
        assert message == make()


def test_messages_are_read():
    timestamp_pb2 = pytest.importorskip("google.protobuf.timestamp_pb2")
    message = timestamp_pb2.Timestamp(seconds=3)
    program = hybridize(lambda x: x * message.seconds + message.ByteSize())
    for seconds in (3, 3, 300, 3):
        message.seconds = seconds
        assert program(np.ones(2)).tolist() == [seconds + message.ByteSize()] * 2
