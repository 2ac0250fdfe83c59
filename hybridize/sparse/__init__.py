# SPDX-License-Identifier: Apache-2.0
"""MXNet's sparse arrays, and files of arrays: `nd.sparse`, `nd.save`, `nd.load`, `npx.save`, `npx.savez`, `npx.load`.

A sparse array holds what is stored of it. Functions that give 0 of 0 compute what is stored, and sums, differences and
products of one storage type have it, as MXNet's; every other function makes it dense first and says so, since programs
compute with dense arrays only.

- `arrays` has the two classes, `creation` the functions that make them, `functions` names those that compute, `files`
  what reads and writes.

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
        "functions": (
            "ElementWiseSum Embedding FullyConnected LinearRegressionOutput LogisticRegressionOutput "
            "MAERegressionOutput abs adam_update add add_n arccos arccosh arcsin arcsinh arctan arctanh "
            "broadcast_add broadcast_div broadcast_minus broadcast_mul broadcast_plus broadcast_sub cbrt ceil clip "
            "concat cos cosh degrees divide elemwise_add elemwise_div elemwise_mul elemwise_sub exp expm1 fix floor "
            "ftrl_update gamma gammaln log log10 log1p log2 make_loss mean multiply negative norm radians relu rint "
            "round rsqrt sgd_mom_update sgd_update sigmoid sign sin sinh slice sqrt square stop_gradient subtract sum "
            "tan tanh trunc where zeros_like"
        ),
    },
)
"""Places of the names."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(globals(), PLACES)

functions.late({"tostype": "hybridize.sparse.creation:cast_storage"})
files.late(places("hybridize.sparse", {"files": "load=load_np save=save_np savez"}))
