"""Broken copies of models, and processes of their own that try them: nothing may crash, hang, or take memory."""

import json
import math
import os
import random
import signal
import struct
import tracemalloc
from collections.abc import Iterator, Sequence

import numpy
import onnx

from tests.platforms.pace import SLOWER

EXTREMES = [
    b"\xff" * 9 + b"\x01", b"\x80" * 9 + b"\x01", b"\xff\xff\xff\xff\x0f", b"\xff\xff\xff\xff\x07", b"\0", b"\x7f",
    struct.pack("<f", float("nan")), struct.pack("<f", float("inf")),
]  # fmt: skip
VALUES = {
    int: [0, -1, 1, 7, 255, 2**31 - 1, -(2**31), 2**62, -(2**63)],
    float: [0.0, -1.0, float("nan"), float("inf"), 1e38],
    str: ["", "x", "Relu", "a" * 5000, "../x"],
    bytes: [b"", b"\xff" * 7, b"relu", b"\0" * 4096],
}


def by_bytes(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """The data with some bytes changed, lost, added, moved, or from another file."""
    b = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        b = b or bytearray(b"\0")
        i = rng.randrange(len(b))
        match rng.randrange(9):
            case 0:
                b[i] ^= 1 << rng.randrange(8)
            case 1:
                b[i] = rng.randrange(256)
            case 2:
                del b[i : i + rng.choice([1, 2, 4, 16, len(b)])]
            case 3:
                b[i:i] = rng.randbytes(rng.choice([1, 2, 4, 16]))
            case 4:
                j = rng.randrange(len(b))
                b[i:i] = b[j : j + rng.choice([1, 4, 16, 64])]
            case 5:
                b[i : i + 1] = rng.choice(EXTREMES)
            case 6:
                b = b[:i] + other[rng.randrange(len(other)) :]
            case 7:
                j, n = rng.randrange(len(b)), rng.choice([1, 2, 4, 8])
                b[i : i + n], b[j : j + n] = b[j : j + n], b[i : i + n]
            case 8:
                b[i : i + 8] = b"\xff" * min(8, len(b) - i)
    return bytes(b)


def by_fields(rng: random.Random, data: bytes) -> bytes:
    """An ONNX model with a field or two changed, lost or doubled, whatever they are."""
    model = onnx.ModelProto.FromString(data)
    spots = list(_spots(model))
    for _ in range(rng.choice([1, 1, 2])):
        message, field = rng.choice(spots)
        value = getattr(message, field.name)
        try:
            if not hasattr(value, "append") and not hasattr(value, "add"):
                if field.message_type or rng.random() < 0.3:
                    message.ClearField(field.name)
                else:
                    setattr(message, field.name, rng.choice(VALUES[type(value)]))
            elif len(value):
                i, way = rng.randrange(len(value)), rng.randrange(3)
                if way == 0:
                    del value[i]
                elif field.message_type:
                    value.add().CopyFrom(value[i]) if way == 1 else value[i].Clear()
                elif way == 1:
                    value.append(value[i])
                else:
                    value[i] = rng.choice(VALUES[type(value[i])])
        except (ValueError, TypeError):  # protocol buffers take no such value
            pass
    return model.SerializeToString()


def by_wire(rng: random.Random, data: bytes) -> bytes:
    """A message of protocol buffers, of whatever kind, with a field changed, lost or doubled in it or in one inside."""
    fields = _fields(data)
    if not fields:
        return by_bytes(rng, data, data)
    k = rng.randrange(len(fields))
    key, content = fields[k]
    if key & 7 == 2 and len(content) > 3 and _fields(content) and rng.random() < 0.8:
        fields[k] = key, by_wire(rng, content)
    else:
        match rng.randrange(4):
            case 0:
                del fields[k]
            case 1:
                fields.insert(k, fields[k])
            case 2:
                fields[k] = fields[rng.randrange(len(fields))]
            case 3:
                fields[k] = key, by_bytes(rng, content, content) if key & 7 == 2 else rng.choice(EXTREMES[:6])
    return b"".join(_varint(key) + (_varint(len(one)) if key & 7 == 2 else b"") + one for key, one in fields)


def _fields(data: bytes) -> list[tuple[int, bytes]]:
    """The keys and contents of a message; none where the data is not one."""
    fields, at = [], 0
    try:
        while at < len(data):
            key, at = _number(data, at)
            start = at
            if key & 7 == 2:
                size, start = _number(data, at)
                at = start + size
            else:
                at = _number(data, at)[1] if key & 7 == 0 else at + {1: 8, 5: 4}[key & 7]
            if at > len(data) or key < 8:
                return []
            fields.append((key, data[start:at]))
    except (IndexError, KeyError):
        return []
    return fields


def _number(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while data[at] > 127:
        value, shift, at = value | (data[at] & 127) << shift, shift + 7, at + 1
    return value | data[at] << shift, at + 1


def _varint(value: int) -> bytes:
    return bytes([value & 127 | 128]) + _varint(value >> 7) if value > 127 else bytes([value])


def _spots(message: object) -> Iterator[tuple[object, object]]:
    for field, value in message.ListFields():
        yield message, field
        if field.message_type:
            for one in value if hasattr(value, "add") else [value]:
                yield from _spots(one)


def mutants(models: Sequence[bytes], count: int, seed: int = 0) -> Iterator[bytes]:
    """So many broken models, the same at each run."""
    rng = random.Random(seed)
    for number in range(count):
        data = models[number % len(models)]
        yield by_fields(rng, data) if number % 2 else by_bytes(rng, data, rng.choice(models))


def wrong(results: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """The verdicts that must not be."""
    fine = ("right", "refused", "memory", "time")
    return {path: verdict for path, verdict in results.items() if verdict[0] not in fine}


def verdicts(paths: Sequence[str], seconds: float = SLOWER, megabytes: int = 256) -> dict[str, tuple[str, str]]:
    """Load each file and run it on zeros: what came of it, and the message.

    `right` it ran, `refused` by an error of ours, `memory` or `time` that it took to run, as models may ask for millions
    of rounds or elements; and what must not be: `python`, an error that is none of ours, `load memory`, more than three
    times the file and what a small model takes, `crash`, `hang`.
    """
    results: dict[str, tuple[str, str]] = {}
    while waiting := [path for path in paths if path not in results]:
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            with os.fdopen(writing, "w", buffering=1) as out:
                _try_all(waiting, out, seconds, megabytes)
            os._exit(0)
        os.close(writing)
        at = None
        with os.fdopen(reading) as lines:
            for line in lines:
                path, stage, *verdict = json.loads(line)
                at = (path, stage) if not verdict else None
                if verdict:
                    results[path] = tuple(verdict)
        _, status = os.waitpid(child, 0)
        if at is not None:
            killed = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
            late = "time" if at[1] == "run" else "hang"
            results[at[0]] = (late if killed == signal.SIGPROF else "crash", f"signal {killed}")
    return results


def _try_all(paths: Sequence[str], out, seconds: float, megabytes: int) -> None:
    quiet = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(quiet, number)
    import resource

    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    with open("/proc/self/statm") as file:
        room = int(file.read().split()[0]) * resource.getpagesize() + (megabytes << 20)
    resource.setrlimit(resource.RLIMIT_AS, (room, room))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for path in paths:
        out.write(json.dumps([path, "load"]) + "\n")
        signal.setitimer(signal.ITIMER_PROF, seconds)
        verdict = _tried(path, out)
        signal.setitimer(signal.ITIMER_PROF, 0)
        out.write(json.dumps([path, "", *verdict]) + "\n")


SMALL = 1 << 20
"""Bytes that reading a model may take beside three times its file: whole ones of a few kilobytes, a node of which takes
a kilobyte as objects of Python, take up to half of it."""


def _size(path: str) -> int:
    return sum(_size(one.path) for one in os.scandir(path)) if os.path.isdir(path) else os.stat(path).st_size


def peak(function, *args) -> int:
    """The most memory that a call has at a time, of what it takes itself."""
    tracemalloc.start()
    try:
        function(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _loaded(path: str, again: bool = True):
    """Load a model; refuse one that takes too much, without what only the first load takes: modules."""
    from hybridize import load

    tracemalloc.start()
    try:
        return load(path)
    finally:
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        if most > 3 * _size(path) + SMALL:
            if not again:
                raise MemoryError(most)
            _loaded(path, again=False)


def _tried(path: str, out) -> tuple[str, str]:
    from hybridize.base.errors import HybridizeError, InternalError

    stage = "load "
    try:
        net = _loaded(path)
        stage = ""
        out.write(json.dumps([path, "run"]) + "\n")
        net.hybridize(False)
        sizes = [[one if isinstance(one, int) else 1 for one in port.shape or ()] for port in net.inputs]
        if max((math.prod(max(one, 1) for one in shape) for shape in sizes), default=0) < 1 << 20:
            net(*(numpy.zeros(shape, port.dtype or "f4") for shape, port in zip(sizes, net.inputs, strict=True)))
    except MemoryError as error:
        return f"{stage}memory", str(error)
    except InternalError as error:
        return ("refused" if error.code == "E979" else "python"), str(error)  # the model says what is not so
    except HybridizeError as error:
        return "refused", str(error)
    except BaseException as error:
        return "python", f"{type(error).__name__}: {error}"
    return "right", ""
