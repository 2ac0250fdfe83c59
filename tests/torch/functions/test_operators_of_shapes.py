# SPDX-License-Identifier: Apache-2.0
"""Functions that move elements or give views, on PyTorch's own samples of them."""

import pytest

from tests.torch.functions.opinfo import check

NAMES = [
    "view",
    "view_as",
    "reshape",
    "unflatten",
    "squeeze",
    "unsqueeze",
    "movedim",
    "narrow",
    "select",
    "chunk",
    "split",
    "split.list_args",
    "tensor_split",
    "unbind",
    "hsplit",
    "vsplit",
    "dsplit",
    "stack",
    "hstack",
    "vstack",
    "dstack",
    "column_stack",
    "cat",
    "expand",
    "broadcast_to",
    "broadcast_tensors",
    "repeat",
    "repeat_interleave",
    "tile",
    "flip",
    "fliplr",
    "flipud",
    "roll",
    "rot90",
    "diagonal",
    "diag",
    "diag_embed",
    "tril",
    "triu",
    "unfold",
    "T",
    "mT",
    "H",
    "mH",
    "ravel",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block_diag",
    "cartesian_prod",
    "combinations",
    "gather",
    "scatter",
    "scatter_add",
    "scatter_reduce.sum",
    "scatter_reduce.mean",
    "scatter_reduce.prod",
    "scatter_reduce.amin",
    "scatter_reduce.amax",
    "index_select",
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    "take",
    "take_along_dim",
    "put",
    "histc",
    "isin",
    "trace",
    "cross",
    "kron",
    "diagonal_scatter",
    "select_scatter",
    "slice_scatter",
    "linalg.inv",
    "linalg.det",
    "linalg.slogdet",
    "linalg.solve",
    "linalg.solve_triangular",
    "linalg.cholesky",
    "linalg.qr",
    "linalg.svdvals",
    "linalg.eigvalsh",
    "linalg.multi_dot",
    "linalg.cross",
    "linalg.diagonal",
    "logdet",
    "view_copy",
    "__getitem__",
]
SHORT = {"narrow", "diagonal", "index_put", "roll", "linalg.solve", "linalg.solve_triangular", "scatter_reduce.amax"}


@pytest.mark.parametrize("name", sorted(SHORT))
def test_some_samples(name: str) -> None:
    assert not check(name, samples=1, seconds=1.0).wrong


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_samples(name: str) -> None:
    outcome = check(name, samples=6, seconds=20.0)
    assert outcome.right and not outcome.wrong, str(outcome)
