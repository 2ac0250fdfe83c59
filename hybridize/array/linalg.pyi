# Written by `docs/make.py` from the module's table of names.

from typing import Any, Literal, NamedTuple, overload

from hybridize.array.ndarray import ndarray as ndarray
from numpy.linalg import LinAlgError as LinAlgError

PLACES: dict[str, str]
__all__ = [
    "LinAlgError", "cholesky", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv",
    "lstsq", "matmul", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot", "norm", "outer",
    "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot", "tensorinv", "tensorsolve", "trace", "vecdot",
    "vector_norm"
]

def cholesky(a: Any, /, *, upper: Any = False) -> ndarray:
    """NumPy's `linalg.cholesky`."""

def cond(x: Any, p: Any = None) -> ndarray:
    """NumPy's `linalg.cond`."""

def det(a: Any) -> ndarray:
    """NumPy's `linalg.det`."""

def eig(a: Any) -> _EigResult:
    """NumPy's `linalg.eig`, imperatively; it cannot be compiled."""

def eigh(a: Any, UPLO: Any = 'L', *, upper: bool | None = None) -> _EigResult:
    """NumPy's `linalg.eigh`."""

def eigvals(a: Any) -> ndarray:
    """NumPy's `linalg.eigvals`, imperatively; it cannot be compiled."""

def eigvalsh(a: Any, UPLO: Any = 'L', *, upper: bool | None = None) -> ndarray:
    """NumPy's `linalg.eigvalsh`."""

def inv(a: Any) -> ndarray:
    """NumPy's `linalg.inv`."""

def lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """NumPy's `linalg.lstsq`."""

def matrix_rank(A: Any, tol: Any = None, hermitian: Any = False, *, rtol: Any = None) -> ndarray:
    """NumPy's `linalg.matrix_rank`."""

def pinv(a: Any, rcond: Any = None, hermitian: Any = False, *, rtol: Any = ...) -> ndarray:
    """NumPy's `linalg.pinv`."""

def qr(a: Any, mode: Any = 'reduced') -> _QRResult:
    """NumPy's `linalg.qr`."""

def slogdet(a: Any) -> _SlogdetResult:
    """NumPy's `linalg.slogdet`."""

def solve(a: Any, b: Any) -> ndarray:
    """NumPy's `linalg.solve`."""

@overload
def svd(a: Any, full_matrices: Any = True, compute_uv: Literal[True] = True, hermitian: Any = False) -> _SVDResult:
    """NumPy's `linalg.svd`."""
@overload
def svd(a: Any, full_matrices: Any = True, *, compute_uv: Literal[False], hermitian: Any = False) -> ndarray: ...

def svdvals(x: Any, /) -> ndarray:
    """NumPy's `linalg.svdvals`."""

def tensorinv(a: Any, ind: Any = 2) -> ndarray:
    """NumPy's `linalg.tensorinv`."""

def tensorsolve(a: Any, b: Any, axes: Any = None) -> ndarray:
    """NumPy's `linalg.tensorsolve`."""

def matmul(x1: Any, x2: Any, /, out: Any = None) -> ndarray:
    """The matrix product over the last two axes; the axes before them are broadcast."""

def multi_dot(arrays: Any, *, out: Any = None) -> ndarray:
    """The product of several matrices, in the order that takes the fewest multiplications."""

def tensordot(a: Any, b: Any, axes: Any = 2) -> ndarray:
    """The sum of products over pairs of axes: the last n of `a` with the first n of `b`, or those that `axes`
    lists."""

def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> ndarray:
    """The sums of products of vectors along `axis`, the first ones conjugated; the other axes are broadcast."""

def matrix_norm(x: Any, /, ord: Any = 'fro', axis: Any = ..., keepdims: bool = False) -> ndarray:
    """The norm of matrices, which lie in the last two axes or in the two of `axis`."""

def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> ndarray:
    """Vector norms over one axis, matrix norms over two: 2 or Frobenius when `ord` is None."""

def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> ndarray:
    """The p-norm of all elements over `axis`: one, several together, or all of them when None."""

def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> ndarray:
    """The vector product of vectors of three components along `axis`."""

def diagonal(x: Any, /, *, offset: int = 0) -> ndarray:
    """A diagonal of the matrices in the last two axes, as the last axis; a copy."""

def matrix_power(a: Any, n: int) -> ndarray:
    """The product of `n` copies of a square matrix; its inverse for negative `n`."""

def matrix_transpose(x: Any, /) -> ndarray:
    """The last two axes exchanged; a view."""

def outer(x1: Any, x2: Any, /) -> ndarray:
    """Every element of a vector times every element of another: [m, n]."""

def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> ndarray:
    """The sums of a diagonal of the matrices in the last two axes."""

class _EigResult(NamedTuple):
    eigenvalues: ndarray
    eigenvectors: ndarray

class _QRResult(NamedTuple):
    Q: ndarray
    R: ndarray

class _SVDResult(NamedTuple):
    U: ndarray
    S: ndarray
    Vh: ndarray

class _SlogdetResult(NamedTuple):
    sign: ndarray
    logabsdet: ndarray
