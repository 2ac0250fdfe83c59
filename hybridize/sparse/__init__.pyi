# Written by `docs/make.py` from the module's table of names.

from hybridize.sparse.arrays import BaseSparseNDArray as BaseSparseNDArray
from hybridize.sparse.arrays import CSRNDArray as CSRNDArray
from hybridize.sparse.arrays import RowSparseNDArray as RowSparseNDArray
from hybridize.sparse.creation import array as array
from hybridize.sparse.creation import cast_storage as cast_storage
from hybridize.sparse.creation import csr_matrix as csr_matrix
from hybridize.sparse.creation import dot as dot
from hybridize.sparse.creation import empty as empty
from hybridize.sparse.creation import retain as retain
from hybridize.sparse.creation import row_sparse_array as row_sparse_array
from hybridize.sparse.creation import zeros as zeros

PLACES: dict[str, str]
__all__ = [
    "BaseSparseNDArray", "CSRNDArray", "RowSparseNDArray", "array", "cast_storage", "csr_matrix", "dot", "empty",
    "retain", "row_sparse_array", "zeros"
]
