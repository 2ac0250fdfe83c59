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
    """x W^T + b, what a dense layer computes."""

def abs(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The absolute value of x."""

def adam_update(weight: Any, grad: Any, mean: Any, var: Any, lr: Any, beta1: Any = 0.9, beta2: Any = 0.999, epsilon: float = 1e-08, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> Any:
    """Adam, without the correction of its bias, which the learning rate has."""

def add(lhs: Any, rhs: Any) -> Any:
    """x1 + x2"""

def arccos(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The angle whose cosine is x."""

def arccosh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The number whose hyperbolic cosine is x."""

def arcsin(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The angle whose sine is x."""

def arcsinh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The number whose hyperbolic sine is x."""

def arctan(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The angle whose tangent is x."""

def arctanh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The number whose hyperbolic tangent is x."""

def broadcast_add(lhs: Any, rhs: Any, axis: Any = None) -> Any:
    """x1 + x2"""

def broadcast_div(lhs: Any, rhs: Any, axis: Any = None) -> Any:
    """The quotient; that of integers without what follows the point, as in C."""

def broadcast_minus(lhs: Any, rhs: Any, axis: Any = None) -> Any:
    """x1 - x2"""

def broadcast_mul(lhs: Any, rhs: Any, axis: Any = None) -> Any:
    """x1 * x2"""

def broadcast_plus(lhs: Any, rhs: Any, axis: Any = None) -> Any:
    """x1 + x2"""

def broadcast_sub(lhs: Any, rhs: Any, axis: Any = None) -> Any:
    """x1 - x2"""

def cbrt(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The cube root of x."""

def ceil(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The smallest integer not below x."""

def cos(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The cosine of x, in radians."""

def cosh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The hyperbolic cosine of x."""

def degrees(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Radians to degrees."""

def divide(lhs: Any, rhs: Any) -> Any:
    """The quotient; that of integers without what follows the point, as in C."""

def elemwise_add(lhs: Any, rhs: Any) -> Any:
    """x1 + x2"""

def elemwise_div(lhs: Any, rhs: Any) -> Any:
    """The quotient; that of integers without what follows the point, as in C."""

def elemwise_mul(lhs: Any, rhs: Any) -> Any:
    """x1 * x2"""

def elemwise_sub(lhs: Any, rhs: Any) -> Any:
    """x1 - x2"""

def exp(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """e to the power of x."""

def expm1(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """exp(x) - 1, exact for small x."""

def fix(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The integer part of x."""

def floor(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The largest integer not above x."""

def ftrl_update(weight: Any, grad: Any, z: Any, n: Any, lr: Any, lamda1: float = 0.01, beta: float = 1.0, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0) -> Any:
    """Follow the regularized leader."""

def gamma(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The gamma function; NaN at negative integers."""

def gammaln(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The logarithm of the absolute value of the gamma function."""

def log(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The natural logarithm of x."""

def log10(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The logarithm of x to base 10."""

def log1p(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """log(1 + x), exact for small x."""

def log2(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The logarithm of x to base 2."""

def multiply(lhs: Any, rhs: Any) -> Any:
    """x1 * x2"""

def negative(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """-x"""

def radians(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Degrees to radians."""

def relu(data: Any) -> Any:
    """max(x, 0); NaN stays NaN."""

def rsqrt(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """1 / sqrt(x)"""

def sgd_mom_update(weight: Any, grad: Any, mom: Any, lr: Any, momentum: Any = 0.0, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> Any:
    """A step down the gradient, with momentum."""

def sgd_update(weight: Any, grad: Any, lr: Any, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> Any:
    """A step down the gradient."""

def sigmoid(data: Any) -> Any:
    """1 / (1 + exp(-x))."""

def sign(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """-1, 0 or 1; NaN of NaN."""

def sin(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The sine of x, in radians."""

def sinh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The hyperbolic sine of x."""

def sqrt(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The square root of x."""

def square(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """x * x, a copy."""

def subtract(lhs: Any, rhs: Any) -> Any:
    """x1 - x2"""

def tan(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The tangent of x, in radians."""

def tanh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The hyperbolic tangent of x."""

def trunc(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """The integer part of x."""

def zeros_like(data: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> Any:
    """Zeros of the shape, unless another one is given, and dtype of `a`."""
