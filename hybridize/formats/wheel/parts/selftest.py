# SPDX-License-Identifier: Apache-2.0
"""The self-test of a model: `python -m PACKAGE [PROCESSOR]` runs it on the samples that it was exported with."""

from __future__ import annotations

import array
import hashlib
import json
import os
import struct
import sys
from importlib import import_module
from typing import Any

_BOUNDS = {"float16": 1e-2, "bfloat16": 1e-1, "float32": 1e-3, "float64": 1e-9}
"""The largest difference of an output from the recorded one, relative to the largest number in it: it finds what is
damaged, or wrong for the machine. Results were compared closely when the files were written."""


def main(processor: str | None = None) -> int:
    """Compare files with their digests and results with samples; returns the number of what differs."""
    package = import_module(_package())
    with open(os.path.join(package.Model.folder, "samples.safetensors"), "rb") as file:
        content = file.read()
    end = 8 + int.from_bytes(content[:8], "little")
    tensors = json.loads(content[8:end])
    problems = list(_damaged(package.Model.folder, json.loads(tensors.pop("__metadata__")["files"])))
    calls = 1 + max((int(name.partition(".")[0]) for name in tensors), default=-1)
    for call in range(calls):
        inputs = [_tensor(tensors, content[end:], f"{call}.input.{one[0]}") for one in package.Model.inputs]
        outputs = package.Model(processor)._call(*inputs)
        for (name, dtype, _), output in zip(package.Model.outputs, outputs, strict=True):
            expected = _tensor(tensors, content[end:], f"{call}.output.{name}")
            if not _is_near(_numbers(output, dtype), _numbers(expected, dtype), _BOUNDS.get(dtype, 0.0)):
                problems.append(f"sample {call}: output {name} differs from the recorded one")
    print(*problems, sep="\n", end="\n" if problems else "")
    print(
        f"{package.__name__} {package.__version__}: {calls} calls, {len(problems) or 'all as expected'}"
        f"{' problems' if problems else ''}"
    )
    return len(problems)


def _package() -> str:
    return __package__ or os.path.basename(os.path.dirname(__file__))


def _damaged(folder: str, digests: dict[str, str]) -> Any:
    for name, digest in digests.items():
        with open(os.path.join(folder, name), "rb") as file:
            if hashlib.sha256(file.read()).hexdigest() != digest:
                yield f"{name} is not the file that was written: install the package again"


def _tensor(tensors: dict[str, Any], data: bytes, name: str) -> Any:
    """Return the buffer of a tensor of the file."""
    entry = tensors[name]
    start, stop = entry["data_offsets"]
    codes = {
        "BOOL": "?",
        "F16": "H",
        "BF16": "H",
        "F32": "f",
        "F64": "d",
        "I8": "b",
        "I16": "h",
        "I32": "i",
        "I64": "q",
    }
    code = codes.get(entry["dtype"]) or {"U8": "B", "U16": "H", "U32": "I", "U64": "Q"}[entry["dtype"]]
    if start == stop:
        return import_module(f"{_package()}._binding").empty_buffer(code, entry["shape"])
    memory: Any = memoryview(bytearray(data[start:stop]))
    return memory.cast(code, entry["shape"])


def _numbers(view: Any, dtype: str) -> list[float]:
    """Return the elements, in order."""
    if not memoryview(view).nbytes:
        return []
    flat: Any = memoryview(view).cast("B")
    if dtype == "float16":
        return [number for (number,) in struct.iter_unpack("e", flat)]
    if dtype == "bfloat16":
        return array.array("f", b"".join(b"\0\0" + flat[k : k + 2].tobytes() for k in range(0, len(flat), 2))).tolist()
    return list(flat.cast(view.format))


def _is_near(numbers: list[float], expected: list[float], bound: float) -> bool:
    finite = [abs(number) for number in expected if abs(number) < float("inf")]
    most = bound * max(finite, default=0.0)
    pairs = zip(numbers, expected, strict=True)
    return all(x == y or abs(x - y) <= most or (x != x and y != y) for x, y in pairs)


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:2]) else 0)
