# SPDX-License-Identifier: Apache-2.0
"""Saved files on the command line: run, explain."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

import hybridize
from hybridize.base.dtypes import bfloat16
from hybridize.base.errors import LoadError
from hybridize.compiler.explanation import Explanation
from hybridize.formats import detect
from hybridize.formats.atomic import write_atomically
from hybridize.tools import exported_files


def arrays(paths: Sequence[Path]) -> list[NDArray[Any]]:
    """The .npy files, in order; no pickled objects.

    Raises:
        LoadError E640: a file is not a .npy file, or holds objects.
    """
    loaded = []
    for path in paths:
        try:
            if not _is_npy(path):
                raise ValueError
            array = numpy.load(path, allow_pickle=False)
            # What NumPy writes of a dtype that it does not know.
            loaded.append(array.view(bfloat16) if array.dtype.str in ("|V2", "<V2") else array)
        except (ValueError, OSError, EOFError) as error:
            reason = "objects would need pickle, which runs code" if "pickle" in str(error) else str(error)
            reason = reason if _is_npy(path) else "it does not begin like one"
            raise LoadError("E640", f"{path} is not a .npy file of numbers: {reason}", help="use numpy.save") from None
    return loaded


def _is_npy(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(6) == b"\x93NUMPY"


def as_numpy(value: Any) -> list[NDArray[Any]]:
    """The arrays of a result, flat: a tuple of results gives one entry for each."""
    if isinstance(value, (tuple, list)):
        return [array for part in value for array in as_numpy(part)]
    return [value.asnumpy() if hasattr(value, "asnumpy") else numpy.asarray(value)]


def run(file: Path, inputs: Sequence[Path]) -> list[NDArray[Any]]:
    """Results of the saved program on the inputs: of an archive, an exported net, a C library, WebAssembly."""
    kind = detect(file)
    if kind in ("library", "wasm"):
        return (exported_files.run_library if kind == "library" else exported_files.run_module)(file, arrays(inputs))
    program = hybridize.load(str(file))
    return as_numpy(program(*arrays(inputs)))


def write(path: Path, results: Sequence[NDArray[Any]]) -> None:
    """Write the first result as .npy, or all of them, where the name ends in .npz.

    Raises:
        WriteError E335: it cannot be written there.
    """
    content = io.BytesIO()
    if path.suffix == ".npz":
        numpy.savez(content, *results)
    else:
        numpy.save(content, results[0])
    write_atomically(path, [content.getbuffer()])


def explain(file: Path, inputs: Sequence[Path], *, profile: bool = False, html: Path | None = None) -> Explanation:
    """Compile for the inputs, and say how; `profile` measures each kernel on them; `html` is the page to write."""
    loaded: Any = hybridize.load(str(file))
    if isinstance(loaded, hybridize.gluon.HybridBlock):
        loaded.hybridize()
    values = [hybridize.np.array(value, dtype=value.dtype) for value in arrays(inputs)]
    explanation: Explanation = loaded.program(*values).explain(*values, profile=profile, html=html)
    return explanation
