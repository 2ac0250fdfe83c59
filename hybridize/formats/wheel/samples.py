# SPDX-License-Identifier: Apache-2.0
"""The calls that a wheel's self-test repeats, as a safetensors file, which Python reads without a library."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.formats.checking import Trial
from hybridize.formats.deployable import Deployable
from hybridize.formats.tensors import safetensors_content

MOST_BYTES: Final = 64 << 10
"""Bytes of all samples of a wheel beyond the first: a self-test tells whether a model works, and need not be large."""


def samples(deployable: Deployable, calls: Sequence[Trial], files: Mapping[str, bytes]) -> bytes:
    """Return the content of a file of samples.

    Args:
        deployable: the program.
        calls: with what they should give.
        files: of the package by their paths, whose digests the file holds.
    """
    tensors: dict[str, NDArray[Any]] = {}
    total = 0
    for number, call in enumerate(sorted((one for one in calls if not one.refusable), key=_nbytes)):
        total += _nbytes(call)
        if number and total > MOST_BYTES:
            break
        sides = (("input", deployable.inputs, call.inputs), ("output", deployable.outputs, call.outputs))
        for side, ports, arrays in sides:
            for port, array in zip(ports, arrays, strict=True):
                tensors[f"{number}.{side}.{port.name}"] = numpy.array(array, port.type.dtype, order="C")
    digests = {path: hashlib.sha256(content).hexdigest() for path, content in files.items()}
    return safetensors_content(tensors, {"files": json.dumps(digests, sort_keys=True)})[0]


def _nbytes(call: Trial) -> int:
    return sum(array.nbytes for array in (*call.inputs, *call.outputs))
