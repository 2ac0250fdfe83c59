# SPDX-License-Identifier: Apache-2.0
"""MXNet's sparse arrays, and files of arrays: `nd.sparse`, `nd.save`, `nd.load`, `npx.save`, `npx.savez`, `npx.load`.

A sparse array holds what is stored of it and knows few operations: its parts, its conversions. Every other function
makes it dense first and says so, since programs compute with dense arrays only.

- `arrays` has the two classes, `creation` the functions that make them, `files` what reads and writes.

In: arrays of ours and of NumPy, paths. Out: the same. It must not know capture, nets or programs. Nothing of it is
loaded before somebody asks for it.
"""

from __future__ import annotations

from typing import Any

from hybridize.array.files import files
from hybridize.array.methods import functions
from hybridize.base.loading import load_module
from hybridize.base.missing import missing

_WHERE = {
    "BaseSparseNDArray": "arrays", "CSRNDArray": "arrays", "RowSparseNDArray": "arrays",
    "array": "creation", "cast_storage": "creation", "csr_matrix": "creation", "dot": "creation", "empty": "creation",
    "retain": "creation", "row_sparse_array": "creation", "zeros": "creation",
}  # fmt: skip
_INSTEAD = {
    name: f"np.{name}(x, y) makes sparse arrays dense, and says so"
    for name in ("add", "subtract", "multiply", "divide")
}


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(_module(_WHERE[name]), name)
    raise missing(__name__, name, _WHERE, _INSTEAD)


def __dir__() -> list[str]:
    return sorted({*globals(), *_WHERE})


def _module(name: str) -> Any:
    return load_module(f"{__name__}.{name}")


functions.fill(tostype=lambda x, stype: _module("creation").cast_storage(x, stype))
files.fill(
    save=lambda file, arr: _module("files").save_np(file, arr),
    savez=lambda file, arrays: _module("files").savez(file, arrays),
    load=lambda file: _module("files").load_np(file),
)
