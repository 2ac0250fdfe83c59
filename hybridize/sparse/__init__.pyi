# Written by `docs/make.py` from the module's table of names.

from typing import Any

from hybridize.array.ndarray import ndarray as ndarray
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
from hybridize.sparse.functions import ElementWiseSum as ElementWiseSum
from hybridize.sparse.functions import Embedding as Embedding
from hybridize.sparse.functions import LinearRegressionOutput as LinearRegressionOutput
from hybridize.sparse.functions import LogisticRegressionOutput as LogisticRegressionOutput
from hybridize.sparse.functions import MAERegressionOutput as MAERegressionOutput
from hybridize.sparse.functions import add_n as add_n
from hybridize.sparse.functions import clip as clip
from hybridize.sparse.functions import concat as concat
from hybridize.sparse.functions import make_loss as make_loss
from hybridize.sparse.functions import mean as mean
from hybridize.sparse.functions import norm as norm
from hybridize.sparse.functions import rint as rint
from hybridize.sparse.functions import round as round
from hybridize.sparse.functions import slice as slice
from hybridize.sparse.functions import stop_gradient as stop_gradient
from hybridize.sparse.functions import sum as sum
from hybridize.sparse.functions import where as where

PLACES: dict[str, str]
__all__ = [
    "BaseSparseNDArray", "CSRNDArray", "ElementWiseSum", "Embedding", "FullyConnected", "LinearRegressionOutput",
    "LogisticRegressionOutput", "MAERegressionOutput", "RowSparseNDArray", "abs", "adam_update", "add", "add_n",
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "array", "broadcast_add", "broadcast_div",
    "broadcast_minus", "broadcast_mul", "broadcast_plus", "broadcast_sub", "cast_storage", "cbrt", "ceil", "clip",
    "concat", "cos", "cosh", "csr_matrix", "degrees", "divide", "dot", "elemwise_add", "elemwise_div", "elemwise_mul",
    "elemwise_sub", "empty", "exp", "expm1", "fix", "floor", "ftrl_update", "gamma", "gammaln", "log", "log10",
    "log1p", "log2", "make_loss", "mean", "multiply", "negative", "norm", "radians", "relu", "retain", "rint",
    "round", "row_sparse_array", "rsqrt", "sgd_mom_update", "sgd_update", "sigmoid", "sign", "sin", "sinh", "slice",
    "sqrt", "square", "stop_gradient", "subtract", "sum", "tan", "tanh", "trunc", "where", "zeros", "zeros_like"
]

def FullyConnected(data: Any, weight: Any, bias: Any = None, num_hidden: Any = None, no_bias: Any = False, flatten: bool = True) -> Any:
    """Return x Wᵀ + b, what a dense layer computes; all axes of `data` but the first are joined, unless
    `flatten` is False."""

def abs(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return the absolute value of each element."""

def adam_update(weight: Any, grad: Any, mean: Any, var: Any, lr: Any, beta1: Any = 0.9, beta2: Any = 0.999, epsilon: float = 1e-08, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> Any:
    """Update a weight by Adam, in place of `out`; the learning rate has to hold the correction of the bias."""

def add(lhs: Any, rhs: Any) -> Any:
    """Return the sum of each pair of elements; a number takes the dtype of the array beside it."""

def arccos(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return `np.arccos` of each element, in the dtype of the array: integers stay integers."""

def arccosh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return `np.arccosh` of each element, in the dtype of the array: integers stay integers."""

def arcsin(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return `np.arcsin` of each element, in the dtype of the array: integers stay integers."""

def arcsinh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return `np.arcsinh` of each element, in the dtype of the array: integers stay integers."""

def arctan(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return `np.arctan` of each element, in the dtype of the array: integers stay integers."""

def arctanh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return `np.arctanh` of each element, in the dtype of the array: integers stay integers."""

def broadcast_add(lhs: Any, rhs: Any, axis: Any = None) -> Any:
    """Return the sum of each pair of elements; a number takes the dtype of the array beside it."""

def broadcast_div(lhs: Any, rhs: Any, axis: Any = None) -> Any:
    """Return the quotient of each pair of elements; of integers without its fraction, as in C."""

def broadcast_minus(lhs: Any, rhs: Any, axis: Any = None) -> Any:
    """Return the difference x1 - x2 of each pair of elements."""

def broadcast_mul(lhs: Any, rhs: Any, axis: Any = None) -> Any:
    """Return the product x1 * x2 of each pair of elements; of bools, whether both are true."""

def broadcast_plus(lhs: Any, rhs: Any, axis: Any = None) -> Any:
    """Return the sum x1 + x2 of each pair of elements; of bools, whether one of both is true."""

def broadcast_sub(lhs: Any, rhs: Any, axis: Any = None) -> Any:
    """Return the difference x1 - x2 of each pair of elements."""

def cbrt(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return `np.cbrt` of each element, in the dtype of the array: integers stay integers."""

def ceil(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return the smallest integer that is not below each element."""

def cos(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return `np.cos` of each element, in the dtype of the array: integers stay integers."""

def cosh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return `np.cosh` of each element, in the dtype of the array: integers stay integers."""

def degrees(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return `np.degrees` of each element, in the dtype of the array: integers stay integers."""

def divide(lhs: Any, rhs: Any) -> Any:
    """Return the quotient of each pair of elements; of integers without its fraction, as in C."""

def elemwise_add(lhs: Any, rhs: Any) -> Any:
    """Return the sum of each pair of elements; a number takes the dtype of the array beside it."""

def elemwise_div(lhs: Any, rhs: Any) -> Any:
    """Return the quotient of each pair of elements; of integers without its fraction, as in C."""

def elemwise_mul(lhs: Any, rhs: Any) -> Any:
    """Return the product x1 * x2 of each pair of elements; of bools, whether both are true."""

def elemwise_sub(lhs: Any, rhs: Any) -> Any:
    """Return the difference x1 - x2 of each pair of elements."""

def exp(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return `np.exp` of each element, in the dtype of the array: integers stay integers."""

def expm1(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return `np.expm1` of each element, in the dtype of the array: integers stay integers."""

def fix(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return the integer part of each element."""

def floor(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return the largest integer that is not above each element."""

def ftrl_update(weight: Any, grad: Any, z: Any, n: Any, lr: Any, lamda1: float = 0.01, beta: float = 1.0, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0) -> Any:
    """Update a weight by FTRL (follow the regularized leader)."""

def gamma(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return the gamma function of each element, in the dtype of the array: integers stay integers."""

def gammaln(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return the logarithm of the gamma function of each element, in the dtype of the array: integers stay
    integers."""

def log(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return `np.log` of each element, in the dtype of the array: integers stay integers."""

def log10(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return `np.log10` of each element, in the dtype of the array: integers stay integers."""

def log1p(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return `np.log1p` of each element, in the dtype of the array: integers stay integers."""

def log2(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return `np.log2` of each element, in the dtype of the array: integers stay integers."""

def multiply(lhs: Any, rhs: Any) -> Any:
    """Return the product of each pair of elements; a number takes the dtype of the array beside it."""

def negative(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return -x for each element."""

def radians(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return `np.radians` of each element, in the dtype of the array: integers stay integers."""

def relu(data: Any) -> Any:
    """Return max(x, 0) for each element."""

def rsqrt(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return 1 / sqrt(x) of each element, in the dtype of the array: integers stay integers."""

def sgd_mom_update(weight: Any, grad: Any, mom: Any, lr: Any, momentum: Any = 0.0, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> Any:
    """Update a weight by a step down the gradient, with momentum."""

def sgd_update(weight: Any, grad: Any, lr: Any, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> Any:
    """Update a weight by a step down the gradient."""

def sigmoid(data: Any) -> Any:
    """Return 1 / (1 + exp(-x)) of each element, in the dtype of the array: integers stay integers."""

def sign(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return -1, 0 or 1 for each element; NaN of NaN, where MXNet gives 0."""

def sin(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return `np.sin` of each element, in the dtype of the array: integers stay integers."""

def sinh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return `np.sinh` of each element, in the dtype of the array: integers stay integers."""

def sqrt(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return `np.sqrt` of each element, in the dtype of the array: integers stay integers."""

def square(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return x * x for each element."""

def subtract(lhs: Any, rhs: Any) -> Any:
    """Return the difference of each pair of elements; a number takes the dtype of the array beside it."""

def tan(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return `np.tan` of each element, in the dtype of the array: integers stay integers."""

def tanh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return `np.tanh` of each element, in the dtype of the array: integers stay integers."""

def trunc(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return the integer part of each element."""

def zeros_like(data: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> Any:
    """Return an array of zeros of the shape and dtype of `a`; `np.empty_like` is another name."""
