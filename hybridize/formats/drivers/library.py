# SPDX-License-Identifier: Apache-2.0
"""Runs an exported C library: python -I library.py LIBRARY NAME CALLS RESULTS [PROCESSOR [WEIGHTS [THREADS]]].

With THREADS the library is given a parallel-for, which runs tasks one after the other, the last first. Each call has a
model of its own. The result of a call is the code that the library returned, its text, and, where the code is 0, the
sizes and the bytes of the outputs.
"""

import ctypes
import struct
import sys
from collections.abc import Sequence
from typing import Any

Task: Any = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)
ParallelFor: Any = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)


class Options(ctypes.Structure):
    """NAME_options."""

    _fields_ = [
        ("weights", ctypes.c_char_p), ("processor", ctypes.c_char_p), ("parallel_for", ParallelFor),
        ("context", ctypes.c_void_p), ("threads", ctypes.c_int32),
    ]  # fmt: skip


def parallel_for(context: Any, task: int, work: int, count: int) -> None:
    """A host's parallel-for, in the order that hosts are least likely to choose."""
    run = Task(task)
    for number in reversed(range(count)):
        run(work, number)


class Reader:
    """The file of calls: 64-bit words, and bytes that are padded to 16."""

    data: bytes
    at: int

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def words(self, count: int) -> list[int]:
        """The next numbers."""
        self.at += 8 * count
        return list(struct.unpack_from(f"<{count}q", self.data, self.at - 8 * count))

    def block(self, size: int) -> bytes:
        """The next bytes."""
        start = self.at
        self.at += -(-size // 16) * 16
        return self.data[start : start + size]


def buffer(size: int) -> tuple[Any, int]:
    """Memory, and an address in it that is a multiple of 64."""
    memory = ctypes.create_string_buffer(size + 64)
    return memory, (ctypes.addressof(memory) + 63) // 64 * 64


class Model:
    """The functions of a library."""

    name: str
    library: ctypes.CDLL
    options: Options
    error: Any

    def __init__(self, path: str, name: str, processor: str, weights: str, threads: int) -> None:
        self.library, self.name = ctypes.CDLL(path), name
        host = ParallelFor(parallel_for) if threads > 1 else ParallelFor()
        self.options = Options(weights.encode() or None, processor.encode() or None, host, None, threads)
        self.error = self.function("error")
        self.error.restype = ctypes.c_char_p

    def function(self, what: str) -> Any:
        """NAME_what."""
        return getattr(self.library, f"{self.name}_{what}")

    def run(self, reader: Reader) -> tuple[int, list[int], list[bytes]]:
        """One call: the code, and the sizes and bytes of the outputs."""
        inputs, outputs, size_count, output_size_count = reader.words(4)
        sizes = (ctypes.c_int64 * max(1, size_count))(*reader.words(size_count))
        lengths, itemsizes, axes = reader.words(inputs), reader.words(outputs), reader.words(outputs)
        blocks = [reader.block(length) for length in lengths]
        model = ctypes.c_void_p()
        code = int(self.function("create")(ctypes.byref(model), ctypes.byref(self.options)))
        if code:
            return code, [], []
        try:
            output_sizes = (ctypes.c_int64 * max(1, output_size_count))()
            code = int(self.function("sizes")(sizes, output_sizes))
            if code:
                return code, [], []
            input_buffers = [buffer(len(data)) for data in blocks]
            for (_, address), data in zip(input_buffers, blocks, strict=True):
                ctypes.memmove(address, data, len(data))
            bytes_of = products(list(output_sizes)[:output_size_count], axes, itemsizes)
            output_buffers = [buffer(size) for size in bytes_of]
            code = int(
                self.function("run")(
                    model,
                    (ctypes.c_void_p * max(1, inputs))(*(address for _, address in input_buffers)),
                    sizes,
                    (ctypes.c_void_p * max(1, outputs))(*(address for _, address in output_buffers)),
                    output_sizes,
                )
            )
            results = [
                ctypes.string_at(address, size) for (_, address), size in zip(output_buffers, bytes_of, strict=True)
            ]
            return code, list(output_sizes)[:output_size_count], [] if code else results
        finally:
            self.function("destroy")(model)


def products(sizes: Sequence[int], axes: Sequence[int], itemsizes: Sequence[int]) -> list[int]:
    """Bytes of each output."""
    totals, at = [], 0
    for count, itemsize in zip(axes, itemsizes, strict=True):
        for size in sizes[at : at + count]:
            itemsize *= size
        totals.append(itemsize)
        at += count
    return totals


def main(
    path: str,
    name: str,
    calls: str,
    results: str,
    processor: str = "",
    weights: str = "",
    threads: str = "0",
) -> None:
    """Run all calls of a file."""
    with open(calls, "rb") as file:
        reader = Reader(file.read())
    model = Model(path, name, processor, weights, int(threads))
    with open(results, "wb") as out:
        for _ in range(reader.words(1)[0]):
            code, sizes, outputs = model.run(reader)
            text = (model.error(code) or b"") if code else b""
            out.write(struct.pack("<qq", code, len(text)) + text)
            if not code:
                out.write(struct.pack(f"<{len(sizes)}q", *sizes) + b"".join(outputs))


if __name__ == "__main__":
    main(*sys.argv[1:])
