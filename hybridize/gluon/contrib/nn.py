# SPDX-License-Identifier: Apache-2.0
"""The layers that MXNet 1.x has in `gluon.contrib.nn`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridize.base.names import late
from hybridize.gluon.nn import Concurrent as Concurrent
from hybridize.gluon.nn import Embedding
from hybridize.gluon.nn import HybridConcurrent as HybridConcurrent
from hybridize.gluon.nn import Identity as Identity
from hybridize.gluon.nn import PixelShuffle1D as PixelShuffle1D
from hybridize.gluon.nn import PixelShuffle2D as PixelShuffle2D
from hybridize.gluon.nn import PixelShuffle3D as PixelShuffle3D
from hybridize.gluon.nn import SyncBatchNorm as SyncBatchNorm


class SparseEmbedding(Embedding):
    """Look up rows of a table, as `nn.Embedding`. The table is dense, and has `weight.row_sparse_data(rows)`.

    Args:
        input_dim: number of rows.
        output_dim: size of a row.
        dtype: of the table.
        weight_initializer: initializer of `weight`, [input_dim, output_dim].

    >>> import warnings
    >>> from hybridize import np
    >>> from hybridize.gluon import contrib
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = contrib.nn.SparseEmbedding(10, 4)
    >>> layer.initialize()
    >>> layer(np.array([1, 2])).shape
    (2, 4)
    """

    _storage = {"stype": "row_sparse", "grad_stype": "row_sparse"}

    def __init__(
        self, input_dim: int, output_dim: int, dtype: Any = "float32", weight_initializer: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(input_dim, output_dim, dtype, weight_initializer, sparse_grad=True, **kwargs)


__dir__: Callable[[], list[str]]
__getattr__: Callable[[str], Any]
__getattr__, __dir__ = late(globals(), {})
