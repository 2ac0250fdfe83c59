# SPDX-License-Identifier: Apache-2.0
"""Functions of matrices that LAPACK computes: imperatively through NumPy, in programs and with gradients by `factors`.

Which there are says `np.linalg`; each is made when it is first asked for.
"""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

import numpy

from hybridize.array.functions.matrix_arguments import check
from hybridize.array.functions.searching import data_dependent, recorded
from hybridize.ops.signs import signed_eigh, signed_svd


def _eigh(a: Any, UPLO: Any = "L", *, upper: bool | None = None) -> Any:
    pair = numpy.linalg.eigh(a, _triangle(UPLO, upper))
    return type(pair)(*signed_eigh(*pair))


def _eigvalsh(a: Any, UPLO: Any = "L", *, upper: bool | None = None) -> Any:
    return numpy.linalg.eigvalsh(a, _triangle(UPLO, upper))


def _triangle(letter: Any, upper: bool | None) -> Any:
    """The triangle of a matrix by NumPy's letter, or by MXNet's keyword."""
    return letter if upper is None else "LU"[bool(upper)]


def _svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    if not compute_uv:
        return numpy.linalg.svd(a, full_matrices, False, hermitian)
    parts = numpy.linalg.svd(a, full_matrices, True, hermitian)
    return type(parts)(*signed_svd(*parts))


def _matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    return numpy.asarray(numpy.linalg.matrix_rank(A, tol, hermitian, rtol=rtol))  # of a vector, too


_AS_PROGRAMS: dict[str, Any] = {"eigh": _eigh, "eigvalsh": _eigvalsh, "svd": _svd, "matrix_rank": _matrix_rank}
"""Functions that give what programs give: signs that no matrix determines, an array where NumPy has a Python number."""
_WITH_TRIANGLE = ("eigh", "eigvalsh")
"""Functions with a keyword that NumPy's do not have."""
_IMPERATIVE = ("eig", "eigvals")
"""Functions whose results may be complex."""


def _function(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    numpys = _AS_PROGRAMS.get(name) or getattr(numpy.linalg, name)
    ours = recorded(name, "factors")
    passing = None if name == "matrix_rank" else ours
    captured = None if name in _IMPERATIVE else ours
    function: Any = data_dependent(f"linalg.{name}", numpys, passing, captured, partial(check, name))
    function.__signature__ = inspect.signature(numpys if name in _WITH_TRIANGLE else getattr(numpy.linalg, name))
    return globals().setdefault(name, function)


__getattr__ = _function
