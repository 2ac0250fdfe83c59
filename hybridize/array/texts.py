# SPDX-License-Identifier: Apache-2.0
"""Docstrings of functions of `np` and `npx` that tables make: no `def` of theirs has a place for one.

`base.names.with_texts` gives them to the functions, and loads this module when somebody first asks for one of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TEXTS: Final[Mapping[str, str]] = {
    "np.abs": """\
Return the absolute value of each element; of complex numbers their distance from 0, as floats.

>>> np.abs(np.array([-1.5, 2]))
array([1.5, 2. ])
>>> np.abs(np.array([3 + 4j], dtype="complex64"))
array([5.])
""",
    "np.add": """\
Return the sum x1 + x2 of each pair of elements; of bools, whether one of both is true.

>>> np.add(np.array([1, 2]), 0.5)
array([1.5, 2.5])
""",
    "np.arccos": """\
Return the angle whose cosine is x, from 0 to pi; NaN outside of -1 to 1.

>>> np.arccos(np.array([1, 0, 2])).round(4)
array([0.    , 1.5708,    nan])
""",
    "np.arccosh": """\
Return the number whose hyperbolic cosine is x; NaN below 1.

>>> np.arccosh(np.array([1, 2])).round(4)
array([0.   , 1.317])
""",
    "np.arcsin": """\
Return the angle whose sine is x, from -pi/2 to pi/2; NaN outside of -1 to 1.

>>> np.arcsin(np.array([0, 0.5, 2])).round(4)
array([0.    , 0.5236,    nan])
""",
    "np.arcsinh": """\
Return the number whose hyperbolic sine is x.

>>> np.arcsinh(np.array([0, 1])).round(4)
array([0.    , 0.8814])
""",
    "np.arctan": """\
Return the angle whose tangent is x, from -pi/2 to pi/2.

>>> np.arctan(np.array([0, 1, np.inf])).round(4)
array([0.    , 0.7854, 1.5708])
""",
    "np.arctan2": """\
Return the angle of the point (x2, x1), in radians from -pi to pi.

>>> np.arctan2(np.array([1.0, -1.0]), np.array([1.0, -1.0])).round(4)
array([ 0.7854, -2.3562])
""",
    "np.arctanh": """\
Return the number whose hyperbolic tangent is x; infinite at -1 and 1.

>>> np.arctanh(np.array([0, 0.5, 1])).round(4)
array([0.    , 0.5493,    inf])
""",
    "np.argmax": """\
Return the index of the first largest element along an axis, or of the first NaN, as int64.

>>> np.argmax(np.array([[1, 9, 3], [7, 7, 2]]), axis=1)
array([1, 0], dtype=int64)
""",
    "np.argmin": """\
Return the index of the first smallest element along an axis, or of the first NaN, as int64.

>>> np.argmin(np.array([[1, 9, 3], [7, 7, 2]]), axis=1)
array([0, 2], dtype=int64)
""",
    "np.argsort": """\
Return the indices that sort along an axis, as int64; see `sort`.

>>> np.argsort(np.array([3, 1, 2]))
array([1, 2, 0], dtype=int64)
""",
    "np.argwhere": """\
Return the indices of the elements that are not zero, as rows. Imperative only: data decide the size.

>>> np.argwhere(np.array([[0, 1], [2, 0]]))
array([[0, 1],
       [1, 0]], dtype=int64)
""",
    "np.array2string": """\
Return an array as text, without the word `array`. Imperative only; arguments are those of `numpy.array2string`.

>>> np.array2string(np.array([1, 2.5]))
'[1.  2.5]'
""",
    "np.array_repr": """\
Return an array as `repr` does. Imperative only.

>>> np.array_repr(np.array([1, 2.5]))
'array([1. , 2.5], dtype=float32)'
""",
    "np.array_str": """\
Return an array as `str` does. Imperative only.

>>> np.array_str(np.array([1, 2.5]))
'[1.  2.5]'
""",
    "np.bartlett": """\
Return the Bartlett window of `M` points: a triangle that is 0 at both ends.

>>> np.bartlett(5)
array([0. , 0.5, 1. , 0.5, 0. ])
""",
    "np.bincount": """\
Count how often each integer occurs, from 0 on. Imperative only: data decide the size.

>>> np.bincount(np.array([0, 2, 2], dtype="int64"))
array([1, 0, 2], dtype=int64)
""",
    "np.bitwise_and": """\
Return the bits that x1 and x2 have in common, of integers or bools.

>>> np.bitwise_and(np.array([12, 10], dtype="int32"), 6)
array([4, 2], dtype=int32)
""",
    "np.bitwise_or": """\
Return the bits that x1 or x2 has, of integers or bools.

>>> np.bitwise_or(np.array([12, 10], dtype="int32"), 6)
array([14, 14], dtype=int32)
""",
    "np.bitwise_xor": """\
Return the bits that one of x1 and x2 has and the other does not, of integers or bools.

>>> np.bitwise_xor(np.array([12, 10], dtype="int32"), 6)
array([10, 12], dtype=int32)
""",
    "np.blackman": """\
Return the Blackman window of `M` points.

>>> np.blackman(5)[1:4].round(2)
array([0.34, 1.  , 0.34])
""",
    "np.cbrt": """\
Return the cube root of each element, also of negative ones. Integers give float32.

>>> np.cbrt(np.array([27, -8])).round(4)
array([ 3., -2.])
""",
    "np.ceil": """\
Return the smallest integer that is not below each element; integers stay as they are.

>>> np.ceil(np.array([1.2, -1.7]))
array([ 2., -1.])
""",
    "np.compress": """\
Return the slices along an axis where a condition is true. Imperative only: data decide the size.

>>> np.compress(np.array([1, 0, 1]) > 0, np.array([1, 2, 3]))
array([1., 3.])
""",
    "np.copysign": """\
Return the absolute values of x1 with the signs of x2.

>>> np.copysign(np.array([1.0, 2.0]), np.array([-0.0, 5.0]))
array([-1.,  2.])
""",
    "np.cos": """\
Return the cosine of each element, an angle in radians. Integers give float32.

>>> np.cos(np.array([0, np.pi / 3])).round(4)
array([1. , 0.5])
""",
    "np.cosh": """\
Return the hyperbolic cosine of each element.

>>> np.cosh(np.array([0, 1])).round(4)
array([1.    , 1.5431])
""",
    "np.cumprod": """\
Return the products of all elements up to each along an axis; of the flat array, where `axis` is None.

>>> np.cumprod(np.array([1, 2, 3, 4]))
array([ 1.,  2.,  6., 24.])
""",
    "np.cumsum": """\
Return the sums of all elements up to each along an axis; of the flat array, where `axis` is None.

>>> np.cumsum(np.array([[1, 2], [3, 4]]), axis=1)
array([[1., 3.],
       [3., 7.]])
""",
    "np.cumulative_prod": """\
Return the products of all elements up to each along an axis, which arrays of one axis need not name.

With `include_initial` the products begin with 1.

>>> np.cumulative_prod(np.array([2, 3]), include_initial=True)
array([1., 2., 6.])
""",
    "np.cumulative_sum": """\
Return the sums of all elements up to each along an axis, which arrays of one axis need not name.

With `include_initial` the sums begin with 0.

>>> np.cumulative_sum(np.array([2, 3]), include_initial=True)
array([0., 2., 5.])
""",
    "np.divide": """\
Return the quotient x1 / x2 of each pair of elements.

Integers give float32, where NumPy gives float64.

>>> np.divide(np.array([1, 2], dtype="int64"), 4)
array([0.25, 0.5 ])
""",
    "np.einsum_path": """\
Return the order in which `einsum` had best multiply, and a report of it. Imperative only.

>>> np.einsum_path("ij,jk->ik", np.ones((2, 3)), np.ones((3, 4)))[0]
['einsum_path', (0, 1)]
""",
    "np.equal": """\
Return whether x1 == x2 for each pair of elements, as bools.

>>> np.equal(np.array([1, 2, 3]), np.array([1, 0, 3]))
array([ True, False,  True])
""",
    "np.exp": """\
Return e to the power of each element. Integers give float32.

>>> np.exp(np.array([0, 1])).round(4)
array([1.    , 2.7183])
""",
    "np.exp2": """\
Return 2 to the power of each element. Integers give float32.

>>> np.exp2(np.array([0, 0.5, 3])).round(4)
array([1.    , 1.4142, 8.    ])
""",
    "np.expm1": """\
Return exp(x) - 1 for each element, exact for small x.

>>> np.expm1(np.array([1e-6, 1], dtype="float64"))
array([1.00000050e-06, 1.71828183e+00], dtype=float64)
""",
    "np.extract": """\
Return the elements where a condition is true. Imperative only: data decide the size.

>>> np.extract(np.array([1, 0, 1]) > 0, np.array([1, 2, 3]))
array([1., 3.])
""",
    "np.fix": """\
Return the integer part of each element: rounded towards 0.

>>> np.fix(np.array([1.7, -1.7]))
array([ 1., -1.])
""",
    "np.flatnonzero": """\
Return the flat indices of the elements that are not zero. Imperative only: data decide the size.

>>> np.flatnonzero(np.array([0, 1, 2]))
array([1, 2], dtype=int64)
""",
    "np.floor": """\
Return the largest integer that is not above each element; integers stay as they are.

>>> np.floor(np.array([1.7, -1.7]))
array([ 1., -2.])
""",
    "np.floor_divide": """\
Return the largest integer that is not above x1 / x2, in the dtype of the operands.

>>> np.floor_divide(np.array([7, -7]), 2)
array([ 3., -4.])
""",
    "np.fmax": """\
Return the larger of each pair of elements; where one is NaN, the other one.

>>> np.fmax(np.array([1, 5, np.nan]), 3)
array([3., 5., 3.])
""",
    "np.fmin": """\
Return the smaller of each pair of elements; where one is NaN, the other one.

>>> np.fmin(np.array([1, 5, np.nan]), 3)
array([1., 3., 3.])
""",
    "np.fmod": """\
Return the remainder of x1 / x2 for each pair of elements, with the sign of x1, as C's `fmod`.

>>> np.fmod(np.array([7, -7]), 3)
array([ 1., -1.])
""",
    "np.fromiter": """\
Return an array of what an iterator yields, in a dtype. Imperative only.

>>> np.fromiter((k * k for k in range(3)), "float32")
array([0., 1., 4.])
""",
    "np.genfromtxt": """\
Read numbers from text, where values may be missing. Imperative only; arguments are those of `numpy.genfromtxt`.

>>> import io
>>> np.genfromtxt(io.StringIO("1,,3"), delimiter=",")
array([ 1., nan,  3.])
""",
    "np.greater": """\
Return whether x1 > x2 for each pair of elements, as bools.

>>> np.greater(np.array([1, 2, 3]), 2)
array([False, False,  True])
""",
    "np.greater_equal": """\
Return whether x1 >= x2 for each pair of elements, as bools.

>>> np.greater_equal(np.array([1, 2, 3]), 2)
array([False,  True,  True])
""",
    "np.hamming": """\
Return the Hamming window of `M` points.

>>> np.hamming(3).round(2)
array([0.08, 1.  , 0.08])
""",
    "np.hanning": """\
Return the Hann window of `M` points.

>>> np.hanning(5).round(2)
array([0. , 0.5, 1. , 0.5, 0. ])
""",
    "np.histogram": """\
Count the elements between edges; return the counts, as int64, and the edges.

>>> np.histogram(np.array([1, 2, 2, 4]), bins=3)
(array([1, 2, 1], dtype=int64), array([1., 2., 3., 4.]))
""",
    "np.histogram2d": """\
Count the points (x, y) in the cells of a grid; return the counts and both lists of edges. Imperative only.

>>> np.histogram2d(np.array([0, 1]), np.array([0, 1]), bins=2)[0]
array([[1., 0.],
       [0., 1.]])
""",
    "np.histogram_bin_edges": """\
Return the edges of the bins that `histogram` counts in. Imperative only.

>>> np.histogram_bin_edges(np.array([1, 2, 2, 4]), bins=3)
array([1., 2., 3., 4.])
""",
    "np.histogramdd": """\
Count points in the cells of a grid of any number of axes; return the counts and the edges. Imperative only.

>>> np.histogramdd(np.array([[0, 0], [1, 1]]), bins=2)[0]
array([[1., 0.],
       [0., 1.]])
""",
    "np.hypot": """\
Return sqrt(x1**2 + x2**2), the hypotenuse of each pair of legs, without overflow on the way.

>>> np.hypot(np.array([3.0, 6.0]), np.array([4.0, 8.0]))
array([ 5., 10.])
""",
    "np.intersect1d": """\
Return the elements that two arrays have in common, in ascending order. Imperative only.

>>> np.intersect1d(np.array([1, 2, 3]), np.array([3, 1]))
array([1., 3.])
""",
    "np.isfinite": """\
Return whether each element is neither NaN nor infinite.

>>> np.isfinite(np.array([1, np.nan, -np.inf]))
array([ True, False, False])
""",
    "np.isinf": """\
Return whether each element is infinite, of either sign.

>>> np.isinf(np.array([1, np.nan, -np.inf]))
array([False, False,  True])
""",
    "np.isnan": """\
Return whether each element is NaN.

>>> np.isnan(np.array([1, np.nan, np.inf]))
array([False,  True, False])
""",
    "np.left_shift": """\
Return x1 * 2**x2 of integers: their bits moved to the left.

>>> np.left_shift(np.array([1, 3], dtype="int32"), 2)
array([ 4, 12], dtype=int32)
""",
    "np.less": """\
Return whether x1 < x2 for each pair of elements, as bools.

>>> np.less(np.array([1, 2, 3]), 2)
array([ True, False, False])
""",
    "np.less_equal": """\
Return whether x1 <= x2 for each pair of elements, as bools.

>>> np.less_equal(np.array([1, 2, 3]), 2)
array([ True,  True, False])
""",
    "np.linalg.cholesky": """\
Return the lower triangle L of positive definite matrices, A = L Lᵀ; the upper one with `upper`.

Args:
    a: symmetric matrices [..., n, n].
    upper: give the upper triangle Lᵀ.

>>> np.linalg.cholesky(np.array([[4, 2], [2, 5]]))
array([[2., 0.],
       [1., 2.]])
""",
    "np.linalg.cond": """\
Return the condition numbers of matrices: the largest singular value by the smallest, unless `p` is another norm.

>>> np.linalg.cond(np.array([[1, 0], [0, 4]]))
array(4.)
""",
    "np.linalg.det": """\
Return the determinants of square matrices [..., n, n].

>>> np.linalg.det(np.array([[1, 2], [3, 4]])).round(4)
array(-2.)
""",
    "np.linalg.eig": """\
Return the eigenvalues and eigenvectors of square matrices. Imperative only: the results may be complex.

>>> np.linalg.eig(np.array([[2, 0], [0, 3]]))[0]
array([2., 3.])
""",
    "np.linalg.eigh": """\
Return the eigenvalues of symmetric matrices, in ascending order, and their eigenvectors as columns.

Args:
    a: symmetric matrices [..., n, n], of which one triangle is read.
    UPLO: the triangle: `L` or `U`.
    upper: the same as a bool, MXNet's.

>>> np.linalg.eigh(np.array([[2, 1], [1, 2]]))[0].round(4)
array([1., 3.])
""",
    "np.linalg.eigvals": """\
Return the eigenvalues of square matrices. Imperative only: the results may be complex.

>>> np.linalg.eigvals(np.array([[2, 0], [0, 3]]))
array([2., 3.])
""",
    "np.linalg.eigvalsh": """\
Return the eigenvalues of symmetric matrices, in ascending order; arguments are those of `eigh`.

Args:
    a: symmetric matrices [..., n, n], of which one triangle is read.
    UPLO: the triangle: `L` or `U`.
    upper: the same as a bool, MXNet's.

>>> np.linalg.eigvalsh(np.array([[2, 1], [1, 2]])).round(4)
array([1., 3.])
""",
    "np.linalg.inv": """\
Return the inverses of square matrices [..., n, n].

>>> np.linalg.inv(np.array([[2, 0], [0, 4]]))
array([[0.5 , 0.  ],
       [0.  , 0.25]])
""",
    "np.linalg.lstsq": """\
Return the x that comes closest to A x = b by least squares, with the residuals, the rank and the singular
values.

Args:
    a: a matrix [m, n].
    b: a vector [m], or several as columns [m, k].
    rcond: singular values below this share of the largest one count as 0.

>>> x, residuals, rank, singular = np.linalg.lstsq(np.array([[1, 0], [1, 1], [1, 2]]), np.array([1, 3, 5]))
>>> x.round(4)
array([1., 2.])
""",
    "np.linalg.matrix_rank": """\
Return the ranks of matrices: the number of singular values above a tolerance.

Args:
    A: matrices [..., m, n].
    tol: the tolerance; None: by the largest singular value and the dtype.
    hermitian: the matrices are symmetric.
    rtol: the tolerance as a share of the largest singular value.

>>> np.linalg.matrix_rank(np.array([[1, 2], [2, 4]]))
array(1, dtype=int64)
""",
    "np.linalg.pinv": """\
Return the pseudoinverses of matrices [..., m, n], which are [..., n, m].

Args:
    a: matrices.
    rcond: singular values below this share of the largest one count as 0.
    hermitian: the matrices are symmetric.
    rtol: another name of `rcond`.

>>> np.linalg.pinv(np.array([[2, 0], [0, 0]])).round(4)
array([[0.5, 0. ],
       [0. , 0. ]])
""",
    "np.linalg.qr": """\
Return Q, with orthonormal columns, and the upper triangle R: A = Q R.

Args:
    a: matrices [..., m, n].
    mode: `reduced`, `complete` or `r`, as in NumPy.

>>> q, r = np.linalg.qr(np.array([[3, 1], [4, 2]]))
>>> (q @ r).round(4)
array([[3., 1.],
       [4., 2.]])
""",
    "np.linalg.slogdet": """\
Return the sign of determinants and the logarithm of their absolute values, as a tuple with names.

>>> np.linalg.slogdet(np.array([[1, 0], [0, -1]]))
SlogdetResult(sign=array(-1.), logabsdet=array(0.))
""",
    "np.linalg.solve": """\
Return the x of A x = b for square matrices.

Args:
    a: matrices [..., n, n].
    b: vectors [n], or several as columns [..., n, k].

>>> np.linalg.solve(np.array([[2, 0], [0, 4]]), np.array([2, 8]))
array([1., 2.])
""",
    "np.linalg.svd": """\
Return U, the singular values in descending order, and Vᵀ: A = U diag(s) Vᵀ.

Args:
    a: matrices [..., m, n].
    full_matrices: U and Vᵀ are square.
    compute_uv: give U and Vᵀ; the singular values alone otherwise.
    hermitian: the matrices are symmetric.

>>> np.linalg.svd(np.array([[3, 0], [0, 4]]))[1]
array([4., 3.])
""",
    "np.linalg.svdvals": """\
Return the singular values of matrices, in descending order.

>>> np.linalg.svdvals(np.array([[3, 0], [0, 4]]))
array([4., 3.])
""",
    "np.linalg.tensorinv": """\
Return the inverse of a tensor: of the matrix that its first `ind` axes and the other ones make.

>>> np.linalg.tensorinv(np.eye(4).reshape(2, 2, 2, 2)).shape
(2, 2, 2, 2)
""",
    "np.linalg.tensorsolve": """\
Return the x whose sums of products with `a` over all axes of x are `b`.

Args:
    a: an array of the shape of `b` and then that of x.
    b: an array.
    axes: axes of `a` that are moved to the end first.

>>> np.linalg.tensorsolve(np.eye(4).reshape(2, 2, 4), np.ones((2, 2)))
array([1., 1., 1., 1.])
""",
    "np.log": """\
Return the natural logarithm of each element: -inf of 0, NaN below. Integers give float32.

>>> np.log(np.array([1, np.e, 0])).round(4)
array([  0.,   1., -inf])
""",
    "np.log10": """\
Return the logarithm of each element to base 10. Integers give float32.

>>> np.log10(np.array([1, 1000])).round(4)
array([0., 3.])
""",
    "np.log1p": """\
Return log(1 + x) for each element, exact for small x.

>>> np.log1p(np.array([1e-6, 1], dtype="float64"))
array([9.99999500e-07, 6.93147181e-01], dtype=float64)
""",
    "np.log2": """\
Return the logarithm of each element to base 2. Integers give float32.

>>> np.log2(np.array([1, 8, 0.5])).round(4)
array([ 0.,  3., -1.])
""",
    "np.logaddexp": """\
Return log(exp(x1) + exp(x2)) without overflow: the logarithm of a sum of probabilities.

>>> np.logaddexp(np.array([1000.0]), np.array([1000.0])).round(4)
array([1000.6932])
""",
    "np.logical_and": """\
Return whether both elements are true (not zero).

>>> np.logical_and(np.array([0, 1, 2]), np.array([1, 0, 3]))
array([False, False,  True])
""",
    "np.logical_or": """\
Return whether one element of each pair is true (not zero), or both.

>>> np.logical_or(np.array([0, 1, 0]), np.array([1, 1, 0]))
array([ True,  True, False])
""",
    "np.logical_xor": """\
Return whether exactly one element of each pair is true (not zero).

>>> np.logical_xor(np.array([0, 1, 0]), np.array([1, 1, 0]))
array([ True, False, False])
""",
    "np.max": """\
Return the largest element over an axis; NaN if any is NaN.

The gradient at a tie goes to each of the largest elements, as in MXNet.

Args:
    a: an array.
    axis: an axis, several in a tuple, or None for all.
    out: an array that the result is written to.
    keepdims: reduced axes stay with size 1.
    initial: a number that is compared as well; an axis without elements needs it.
    where: bools: the elements that count.

>>> np.max(np.array([[1, 9], [7, 2]]), axis=0)
array([7., 9.])
""",
    "np.maximum": """\
Return the larger of each pair of elements; NaN where either is NaN.

The gradient at a tie goes to x1 alone, as in MXNet; to the array, where the other operand is a number.

>>> np.maximum(np.array([1, 5, np.nan]), 3)
array([ 3.,  5., nan])
""",
    "np.may_share_memory": """\
Tell whether the memory of two arrays may overlap, by their ends alone. Imperative only.

>>> x = np.zeros(4)
>>> np.may_share_memory(x, x[1:])
True
""",
    "np.min": """\
Return the smallest element over an axis; NaN if any is NaN.

The gradient at a tie goes to each of the smallest elements, as in MXNet.

Args:
    a: an array.
    axis: an axis, several in a tuple, or None for all.
    out: an array that the result is written to.
    keepdims: reduced axes stay with size 1.
    initial: a number that is compared as well; an axis without elements needs it.
    where: bools: the elements that count.

>>> np.min(np.array([[1, 9], [7, 2]]), axis=0)
array([1., 2.])
""",
    "np.minimum": """\
Return the smaller of each pair of elements; NaN where either is NaN.

The gradient at a tie goes to x1 alone, as in MXNet; to the array, where the other operand is a number.

>>> np.minimum(np.array([1, 5, np.nan]), 3)
array([ 1.,  3., nan])
""",
    "np.mod": """\
Return the remainder x1 - x2 * floor(x1 / x2) of each pair of elements, with the sign of x2.

>>> np.mod(np.array([7, -7]), 3)
array([1., 2.])
""",
    "np.multiply": """\
Return the product x1 * x2 of each pair of elements; of bools, whether both are true.

>>> np.multiply(np.array([[1, 2], [3, 4]]), np.array([10, 100]))
array([[ 10., 200.],
       [ 30., 400.]])
""",
    "np.nanargmax": """\
Return the index of the first largest element along an axis that is not NaN, as int64.

>>> np.nanargmax(np.array([1, np.nan, 3]))
array(2, dtype=int64)
""",
    "np.nanargmin": """\
Return the index of the first smallest element along an axis that is not NaN, as int64.

>>> np.nanargmin(np.array([1, np.nan, 3]))
array(0, dtype=int64)
""",
    "np.nancumprod": """\
Return the products of all elements up to each along an axis, where NaN counts as 1.

>>> np.nancumprod(np.array([2, np.nan, 3]))
array([2., 2., 6.])
""",
    "np.nancumsum": """\
Return the sums of all elements up to each along an axis, where NaN counts as 0.

>>> np.nancumsum(np.array([2, np.nan, 3]))
array([2., 2., 5.])
""",
    "np.nanmax": """\
Return the largest element over an axis, without NaN; arguments are those of `max`.

>>> np.nanmax(np.array([2, np.nan, 3]))
array(3.)
""",
    "np.nanmin": """\
Return the smallest element over an axis, without NaN; arguments are those of `min`.

>>> np.nanmin(np.array([2, np.nan, 3]))
array(2.)
""",
    "np.nanprod": """\
Return the product over an axis, where NaN counts as 1; arguments are those of `prod`.

>>> np.nanprod(np.array([2, np.nan, 3]))
array(6.)
""",
    "np.nansum": """\
Return the sum over an axis, where NaN counts as 0; arguments are those of `sum`.

>>> np.nansum(np.array([2, np.nan, 3]))
array(5.)
""",
    "np.negative": """\
Return -x for each element; bools are refused with `E205`.

>>> np.negative(np.array([1, -2]))
array([-1.,  2.])
""",
    "np.nonzero": """\
Return the indices of the elements that are not zero, as one vector for each axis. Imperative only.

>>> np.nonzero(np.array([0, 1, 2]))
(array([1, 2], dtype=int64),)
""",
    "np.not_equal": """\
Return whether x1 != x2 for each pair of elements, as bools.

>>> np.not_equal(np.array([1, 2, 3]), np.array([1, 0, 3]))
array([False,  True, False])
""",
    "np.polydiv": """\
Return the quotient and the remainder of two polynomials. Imperative only.

>>> np.polydiv(np.array([1, 0, -1]), np.array([1, 1]))
(array([ 1., -1.]), array([0.]))
""",
    "np.prod": """\
Return the product of the elements over an axis; integers and bools are multiplied in 64 bits.

Args:
    a: an array.
    axis: an axis, several in a tuple, or None for all.
    dtype: to compute in, and of the result.
    out: an array that the result is written to.
    keepdims: reduced axes stay with size 1.
    initial: a number that the product begins with.
    where: bools: the elements that count.

>>> np.prod(np.array([[1, 2], [3, 4]]), axis=1)
array([ 2., 12.])
""",
    "np.random.binomial": """\
Draw the successes of `n` trials of probability `p`, as int64. NumPy draws; compiled programs call it.

>>> np.random.binomial(10, 0.5, size=4).shape
(4,)
""",
    "np.random.hypergeometric": """\
Draw how many of `nsample` items are good that you take of `ngood` good and `nbad` bad ones, as int64.

NumPy draws; compiled programs call it.

>>> np.random.hypergeometric(5, 5, 4, size=3).shape
(3,)
""",
    "np.random.multivariate_hypergeometric": """\
Draw how many of each colour are among `nsample` items, which you take of `colors` of each, as int64.

>>> np.random.seed(0)
>>> np.random.multivariate_hypergeometric([3, 4], 2).sum()
array(2, dtype=int64)
""",
    "np.random.negative_binomial": """\
Draw the failures before `n` trials of probability `p` succeed, as int64. NumPy draws; compiled programs call it.

>>> np.random.negative_binomial(3, 0.5, size=3).shape
(3,)
""",
    "np.random.noncentral_chisquare": """\
Draw noncentral chi-square numbers. NumPy draws; compiled programs call it.

>>> np.random.noncentral_chisquare(2, 1, size=3).shape
(3,)
""",
    "np.random.noncentral_f": """\
Draw numbers of the noncentral F distribution. NumPy draws; compiled programs call it.

>>> np.random.noncentral_f(2, 5, 1, size=3).shape
(3,)
""",
    "np.random.poisson": """\
Draw counts with mean `lam`, as int64. NumPy draws; compiled programs call it.

>>> np.random.poisson(4, size=4).shape
(4,)
""",
    "np.random.vonmises": """\
Draw angles around `mu`, closer with larger `kappa`. NumPy draws; compiled programs call it.

>>> np.random.vonmises(0, 2, size=3).shape
(3,)
""",
    "np.random.zipf": """\
Draw numbers k with probabilities proportional to k**-a, as int64. NumPy draws; compiled programs call it.

>>> np.random.zipf(3, size=3).shape
(3,)
""",
    "np.right_shift": """\
Return x1 // 2**x2 of integers: their bits moved to the right.

>>> np.right_shift(np.array([4, -5], dtype="int32"), 1)
array([ 2, -3], dtype=int32)
""",
    "np.rint": """\
Return the nearest integer of each element, halves to even; integers stay as they are.

>>> np.rint(np.array([0.5, 1.5, -1.7]))
array([ 0.,  2., -2.])
""",
    "np.roots": """\
Return the roots of a polynomial, whose coefficients begin with the highest power. Imperative only.

>>> np.roots(np.array([1, -3, 2])).round(3)
array([2., 1.])
""",
    "np.setdiff1d": """\
Return the elements of one array that another one lacks, in ascending order. Imperative only.

>>> np.setdiff1d(np.array([1, 2, 3]), np.array([3, 1]))
array([2.])
""",
    "np.setxor1d": """\
Return the elements that exactly one of two arrays has, in ascending order. Imperative only.

>>> np.setxor1d(np.array([1, 2, 3]), np.array([3, 4]))
array([1., 2., 4.])
""",
    "np.shares_memory": """\
Tell whether two arrays have memory in common. Imperative only.

>>> x = np.zeros(4)
>>> np.shares_memory(x[:2], x[2:])
False
""",
    "np.sign": """\
Return -1, 0 or 1 for each element; NaN of NaN. The gradient is 0.

>>> np.sign(np.array([-3.5, 0, 2]))
array([-1.,  0.,  1.])
""",
    "np.sin": """\
Return the sine of each element, an angle in radians. Integers give float32.

>>> np.sin(np.array([0, np.pi / 6, np.pi / 2])).round(4)
array([0. , 0.5, 1. ])
""",
    "np.sinh": """\
Return the hyperbolic sine of each element.

>>> np.sinh(np.array([0, 1])).round(4)
array([0.    , 1.1752])
""",
    "np.sort": """\
Return an array sorted along an axis, smallest elements first, NaN last; the order of equal elements stays.

Args:
    a: an array.
    axis: the axis; None: of the flat array.
    kind: has no effect: every sort is stable.
    order: has no meaning without fields; pass None.
    stable: has no effect: every sort is stable.
    descending: largest first, as in the array API standard.

>>> np.sort(np.array([[3, 1, 2], [9, 7, 8]]))
array([[1., 2., 3.],
       [7., 8., 9.]])
""",
    "np.sort_complex": """\
Return numbers as complex ones, sorted by their real parts, then by their imaginary ones. Imperative only.

>>> np.sort_complex(np.array([2, 1 + 1j], dtype="complex64"))
array([1.+1.j, 2.+0.j], dtype=complex64)
""",
    "np.sqrt": """\
Return the square root of each element; NaN below 0. Integers give float32.

>>> np.sqrt(np.array([4, 2, -1])).round(4)
array([2.    , 1.4142,    nan])
""",
    "np.subtract": """\
Return the difference x1 - x2 of each pair of elements.

Bools are refused with `E205`, as in NumPy.

>>> np.subtract(np.array([5, 7]), np.array([1, 2]))
array([4., 5.])
""",
    "np.sum": """\
Return the sum of the elements over an axis; integers and bools are summed in 64 bits.

Args:
    a: an array.
    axis: an axis, several in a tuple, or None for all.
    dtype: to compute in, and of the result.
    out: an array that the result is written to.
    keepdims: reduced axes stay with size 1.
    initial: a number that the sum begins with.
    where: bools: the elements that count.

>>> np.sum(np.array([[1, 2], [3, 4]]), axis=0)
array([4., 6.])
>>> np.sum(np.array([[1, 2], [3, 4]]), axis=1, keepdims=True)
array([[3.],
       [7.]])
""",
    "np.tan": """\
Return the tangent of each element, an angle in radians. Integers give float32.

>>> np.tan(np.array([0, np.pi / 4])).round(4)
array([0., 1.])
""",
    "np.tanh": """\
Return the hyperbolic tangent of each element, from -1 to 1.

>>> np.tanh(np.array([0, 1, -20])).round(4)
array([ 0.    ,  0.7616, -1.    ])
""",
    "np.trim_zeros": """\
Return a vector without the zeros at its ends. Imperative only: data decide the size.

>>> np.trim_zeros(np.array([0, 1, 0, 2, 0]))
array([1., 0., 2.])
""",
    "np.trunc": """\
Return the integer part of each element: rounded towards 0.

>>> np.trunc(np.array([1.7, -1.7]))
array([ 1., -1.])
""",
    "np.union1d": """\
Return the elements that one of two arrays has, in ascending order. Imperative only.

>>> np.union1d(np.array([1, 2]), np.array([2, 3]))
array([1., 2., 3.])
""",
    "np.unique": """\
Return the different elements of an array, in ascending order. Imperative only: data decide the size.

>>> np.unique(np.array([2, 1, 2]))
array([1., 2.])
""",
    "np.unique_all": """\
Return the different elements, where each occurs first, the index of each element among them, and the counts.

A tuple with the names `values`, `indices`, `inverse_indices` and `counts`. Imperative only.

>>> np.unique_all(np.array([2, 1, 2])).counts
array([1, 2], dtype=int64)
""",
    "np.unique_counts": """\
Return the different elements, and how often each occurs, as a tuple with names. Imperative only.

>>> np.unique_counts(np.array([2, 1, 2])).counts
array([1, 2], dtype=int64)
""",
    "np.unique_inverse": """\
Return the different elements, and the index of each element among them, as a tuple with names. Imperative only.

>>> np.unique_inverse(np.array([2, 1, 2])).inverse_indices
array([1, 0, 1], dtype=int64)
""",
    "np.unique_values": """\
Return the different elements; here in ascending order, in NumPy in any order. Imperative only.

>>> np.unique_values(np.array([2, 1, 2]))
array([1., 2.])
""",
    "npx.erf": """\
Return the error function, 2 / sqrt(pi) times the integral of exp(-t t) from 0 to x.

>>> npx.erf(np.array([0, 1])).round(4)
array([0.    , 0.8427])
""",
    "npx.erfinv": """\
Return the number whose error function is x.

>>> npx.erfinv(np.array([0, 0.5])).round(4)
array([0.    , 0.4769])
""",
    "npx.gamma": """\
Return the gamma function; NaN at negative integers.

>>> npx.gamma(np.array([1, 5])).round(3)
array([ 1., 24.])
""",
    "npx.gammaln": """\
Return the logarithm of the absolute value of the gamma function.

>>> npx.gammaln(np.array([1, 5])).round(4)
array([0.    , 3.1781])
""",
    "npx.rsqrt": """\
Return 1 / sqrt(x) for each element.

>>> npx.rsqrt(np.array([4, 16]))
array([0.5 , 0.25])
""",
}
"""The docstrings, by full names."""
