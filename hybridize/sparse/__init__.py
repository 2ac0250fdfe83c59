# SPDX-License-Identifier: Apache-2.0
"""MXNet's sparse arrays, and files of arrays: `nd.sparse`, `nd.save`, `nd.load`, `npx.save`, `npx.savez`, `npx.load`.

A sparse array holds what is stored of it and knows few operations: its parts, its conversions. Every other function
makes it dense first and says so, since programs compute with dense arrays only.

- `arrays` has the two classes, `creation` the functions that make them, `files` what reads and writes.

In: arrays of ours and of NumPy, paths. Out: the same. It must not know capture, nets or programs. Nothing of it is
loaded before somebody asks for it.
"""

from __future__ import annotations

from hybridize.array.files import files
from hybridize.array.methods import functions
from hybridize.base.names import late, places

PLACES = places(
    "hybridize.sparse",
    {
        "arrays": "BaseSparseNDArray CSRNDArray RowSparseNDArray",
        "creation": "array cast_storage csr_matrix dot empty retain row_sparse_array zeros",
    },
)
"""Places of the names."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(
    globals(),
    PLACES,
    {
        name: f"np.{name}(x, y) makes sparse arrays dense, and says so"
        for name in ("add", "subtract", "multiply", "divide")
    },
)

functions.late({"tostype": "hybridize.sparse.creation:cast_storage"})
files.late(places("hybridize.sparse", {"files": "load=load_np save=save_np savez"}))
