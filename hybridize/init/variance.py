# SPDX-License-Identifier: Apache-2.0
"""Initializers that draw numbers, or fill a filter."""

from __future__ import annotations

import math

import numpy

from hybridize.array import np, npx, random
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.init.base import Initializer, alias, register


@register
class Uniform(Initializer):
    """Draw from the uniform distribution over [-scale, scale). This is Gluon's default initializer.

    >>> from hybridize import init, np
    >>> w = np.zeros((2, 100))
    >>> init.Uniform(0.1)("weight", w)
    >>> bool(abs(w).max() <= 0.1)
    True
    """

    def __init__(self, scale: float = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _init_weight(self, name: str, arr: ndarray) -> None:
        arr[...] = random.uniform(-self.scale, self.scale, arr.shape)


@alias("gaussian")
@register
class Normal(Initializer):
    """Draw from the normal distribution with mean 0 and standard deviation `sigma`.

    >>> from hybridize import init, np
    >>> w = np.zeros((2, 100))
    >>> init.Normal(0.02)("weight", w)
    >>> bool(0 < abs(w).max() < 0.2)
    True
    """

    def __init__(self, sigma: float = 0.01) -> None:
        super().__init__(sigma=sigma)
        self.sigma = sigma

    def _init_weight(self, name: str, arr: ndarray) -> None:
        arr[...] = random.normal(0, self.sigma, arr.shape)


@register
class TruncNorm(Initializer):
    """Draw from the normal distribution, without values farther from the mean than `scale` standard deviations.

    Args:
        mean: of the normal distribution, and of what is drawn.
        stdev: its standard deviation; of what is drawn it is smaller, 0.880 `stdev` for two of them.
        scale: where it is cut off.

    Source: by the inverse of the distribution function.

    >>> from hybridize import init, np
    >>> w = np.zeros((2, 100))
    >>> init.TruncNorm(stdev=0.1, scale=2)("weight", w)
    >>> bool(abs(w).max() <= 0.2)
    True
    """

    def __init__(self, mean: float = 0.0, stdev: float = 0.01, scale: float = 2.0) -> None:
        super().__init__(mean=mean, stdev=stdev, scale=scale)
        if stdev < 0 or scale <= 0:
            raise ArgumentError("E312", f"TruncNorm needs stdev >= 0 and scale > 0, got {stdev!r} and {scale!r}")
        self.stdev: float
        self.scale: float
        self.mean: float
        self.mean, self.stdev, self.scale = mean, stdev, scale

    def _init_weight(self, name: str, arr: ndarray) -> None:
        part = math.erf(self.scale / math.sqrt(2))
        steps = npx.erfinv(random.uniform(-part, part, arr.shape)) * math.sqrt(2)
        arr[...] = self.mean + self.stdev * np.clip(steps, -self.scale, self.scale)


@register
class Xavier(Initializer):
    """Draw with mean 0 and a variance that keeps the size of signals (or gradients) from layer to layer.

    scale = sqrt(magnitude / n), n the number of inputs, of outputs, or their mean: uniform over [-scale, scale), or
    normal with that standard deviation.

    Args:
        rnd_type: `uniform` or `gaussian`.
        factor_type: `avg`, `in` or `out`.
        magnitude: 3 makes the uniform variance 1/n.

    Source: Glorot & Bengio 2010, equation 16.

    >>> from hybridize import init, np
    >>> w = np.zeros((2, 4))
    >>> init.Xavier()("weight", w)
    >>> bool(abs(w).max() <= 1)
    True
    """

    def __init__(self, rnd_type: str = "uniform", factor_type: str = "avg", magnitude: float = 3) -> None:
        super().__init__(rnd_type=rnd_type, factor_type=factor_type, magnitude=magnitude)
        if rnd_type not in ("uniform", "gaussian") or factor_type not in ("avg", "in", "out"):
            raise ArgumentError(
                "E312",
                f"Xavier takes rnd_type uniform or gaussian and factor_type avg, in or out, got {rnd_type!r} and "
                f"{factor_type!r}",
            )
        self.magnitude: float
        self.rnd_type, self.factor_type, self.magnitude = rnd_type, factor_type, float(magnitude)

    def _init_weight(self, name: str, arr: ndarray) -> None:
        shape = arr.shape
        if len(shape) < 2:
            raise ShapeError(
                "E121",
                f"Xavier needs a parameter of at least two axes, but {name} is {arr.type}",
                help="give this parameter an init of its own, as zeros for a bias, or use Uniform or Normal",
            )
        area = math.prod(shape[2:])
        inputs, outputs = shape[1] * area, shape[0] * area
        count = {"avg": (inputs + outputs) / 2, "in": inputs, "out": outputs}[self.factor_type]
        scale = math.sqrt(self.magnitude / max(count, 1))
        if self.rnd_type == "uniform":
            arr[...] = random.uniform(-scale, scale, shape)
        else:
            arr[...] = random.normal(0, scale, shape)


@register
class MSRAPrelu(Xavier):
    """Draw as `Xavier` with a normal distribution, for layers before a (leaky) ReLU: magnitude 2 / (1 + slope²).

    Source: He et al. 2015, equation 15.

    >>> from hybridize import init, np
    >>> w = np.zeros((2, 100))
    >>> init.MSRAPrelu()("weight", w)
    >>> bool(abs(w).max() > 0)
    True
    """

    def __init__(self, factor_type: str = "avg", slope: float = 0.25) -> None:
        super().__init__("gaussian", factor_type, 2.0 / (1 + slope**2))
        self._kwargs = {"factor_type": factor_type, "slope": slope}


@register
class Orthogonal(Initializer):
    """Fill with a random matrix that has orthogonal rows (or columns, if it has fewer columns), times `scale`.

    Args:
        scale: factor; sqrt(2) suits rectifiers.
        rand_type: `uniform` or `normal`, the matrix whose singular vectors are taken.

    Source: Saxe et al. 2014.

    >>> from hybridize import init, np
    >>> w = np.zeros((2, 4))
    >>> init.Orthogonal(scale=1)("weight", w)
    >>> abs(w @ w.T).round(2)
    array([[1., 0.],
           [0., 1.]])
    """

    def __init__(self, scale: float = 1.414, rand_type: str = "uniform") -> None:
        super().__init__(scale=scale, rand_type=rand_type)
        if rand_type not in ("uniform", "normal"):
            raise ArgumentError("E312", f"Orthogonal takes rand_type uniform or normal, got {rand_type!r}")
        self.scale: float
        self.scale, self.rand_type = scale, rand_type

    def _init_weight(self, name: str, arr: ndarray) -> None:
        if not arr.ndim:
            raise ShapeError("E121", f"Orthogonal needs a parameter of at least one axis, but {name} is {arr.type}")
        rows, columns = arr.shape[0], math.prod(arr.shape[1:])
        size = (rows, columns)
        drawn = random.uniform(-1.0, 1.0, size) if self.rand_type == "uniform" else random.normal(0.0, 1.0, size)
        u, _, v = numpy.linalg.svd(drawn.asnumpy().astype(numpy.float64), full_matrices=False)
        arr[...] = (self.scale * (u if u.shape == size else v)).reshape(arr.shape).astype(arr.dtype)


@register
class Bilinear(Initializer):
    """Fill the weights of a transposed convolution so that it enlarges an image by bilinear interpolation.

    >>> from hybridize import init, np
    >>> w = np.zeros((1, 1, 4, 4))
    >>> init.Bilinear()("weight", w)
    >>> w[0, 0, 0]
    array([0.0625, 0.1875, 0.1875, 0.0625])
    """

    def _init_weight(self, name: str, arr: ndarray) -> None:
        shape = arr.shape
        if len(shape) != 4:
            raise ShapeError("E121", f"Bilinear needs a filter of four axes, but {name} is {arr.type}")
        factor = math.ceil(shape[3] / 2.0)
        center = (2 * factor - 1 - factor % 2) / (2.0 * factor)
        y, x = numpy.ogrid[: shape[2], : shape[3]]
        weight = (1 - abs(x / factor - center)) * (1 - abs(y / factor - center))
        arr[...] = numpy.broadcast_to(weight, shape).astype(arr.dtype)
