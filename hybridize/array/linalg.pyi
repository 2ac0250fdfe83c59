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
    """Return the lower triangle L of positive definite matrices, A = L Lᵀ; the upper one with `upper`."""

def cond(x: Any, p: Any = None) -> ndarray:
    """Return the condition numbers of matrices: the largest singular value by the smallest, unless `p` is
    another norm."""

def det(a: Any) -> ndarray:
    """Return the determinants of square matrices [..., n, n]."""

def eig(a: Any) -> _EigResult:
    """Return the eigenvalues and eigenvectors of square matrices. Imperative only: the results may be
    complex."""

def eigh(a: Any, UPLO: Any = 'L', *, upper: bool | None = None) -> _EigResult:
    """Return the eigenvalues of symmetric matrices, in ascending order, and their eigenvectors as columns."""

def eigvals(a: Any) -> ndarray:
    """Return the eigenvalues of square matrices. Imperative only: the results may be complex."""

def eigvalsh(a: Any, UPLO: Any = 'L', *, upper: bool | None = None) -> ndarray:
    """Return the eigenvalues of symmetric matrices, in ascending order; arguments are those of `eigh`."""

def inv(a: Any) -> ndarray:
    """Return the inverses of square matrices [..., n, n]."""

def lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """Return the x that comes closest to A x = b by least squares, with the residuals, the rank and the
    singular values."""

def matrix_rank(A: Any, tol: Any = None, hermitian: Any = False, *, rtol: Any = None) -> ndarray:
    """Return the ranks of matrices: the number of singular values above a tolerance."""

def pinv(a: Any, rcond: Any = None, hermitian: Any = False, *, rtol: Any = ...) -> ndarray:
    """Return the pseudoinverses of matrices [..., m, n], which are [..., n, m]."""

def qr(a: Any, mode: Any = 'reduced') -> _QRResult:
    """Return Q, with orthonormal columns, and the upper triangle R: A = Q R."""

def slogdet(a: Any) -> _SlogdetResult:
    """Return the sign of determinants and the logarithm of their absolute values, as a tuple with names."""

def solve(a: Any, b: Any) -> ndarray:
    """Return the x of A x = b for square matrices."""

@overload
def svd(a: Any, full_matrices: Any = True, compute_uv: Literal[True] = True, hermitian: Any = False) -> _SVDResult:
    """Return U, the singular values in descending order, and Vᵀ: A = U diag(s) Vᵀ."""
@overload
def svd(a: Any, full_matrices: Any = True, *, compute_uv: Literal[False], hermitian: Any = False) -> ndarray: ...

def svdvals(x: Any, /) -> ndarray:
    """Return the singular values of matrices, in descending order."""

def tensorinv(a: Any, ind: Any = 2) -> ndarray:
    """Return the inverse of a tensor: of the matrix that its first `ind` axes and the other ones make."""

def tensorsolve(a: Any, b: Any, axes: Any = None) -> ndarray:
    """Return the x whose sums of products with `a` over all axes of x are `b`."""

def matmul(x1: Any, x2: Any, /, out: Any = None) -> ndarray:
    """Return the matrix product over the last two axes; the axes before them are broadcast."""

def multi_dot(arrays: Any, *, out: Any = None) -> ndarray:
    """Return the product of several matrices, in the order that takes the fewest multiplications."""

def tensordot(a: Any, b: Any, axes: Any = 2) -> ndarray:
    """Return the sums of products over pairs of axes."""

def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> ndarray:
    """Return the sums of products of vectors along an axis; those of `x1` are conjugated."""

def matrix_norm(x: Any, /, ord: Any = 'fro', axis: Any = ..., keepdims: bool = False) -> ndarray:
    """Return the norms of matrices, which lie in the last two axes or in the two of `axis`."""

def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> ndarray:
    """Return the norms of vectors over one axis, or of matrices over two."""

def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> ndarray:
    """Return the p-norms of elements over an axis, over several together, or over all."""

def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> ndarray:
    """Return the vector product of vectors of three components along an axis."""

def diagonal(x: Any, /, *, offset: int = 0) -> ndarray:
    """Return a diagonal of the matrices in the last two axes, as the last axis; a copy."""

def matrix_power(a: Any, n: int) -> ndarray:
    """Return the product of `n` copies of square matrices; of their inverses, where `n` is negative."""

def matrix_transpose(x: Any, /) -> ndarray:
    """Exchange the last two axes; a view."""

def outer(x1: Any, x2: Any, /) -> ndarray:
    """Return every element of a vector times every element of another, [m, n]."""

def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> ndarray:
    """Return the sums of a diagonal of the matrices in the last two axes."""

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
