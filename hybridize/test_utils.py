# SPDX-License-Identifier: Apache-2.0
"""MXNet's `test_utils`, as programs use it: comparisons of arrays, random arrays, the default device."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy

from hybridize.array import np, random
from hybridize.array.device import Device, current_device
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ArgumentError
from hybridize.base.names import refuses
from hybridize.formats.downloads import download as download

default_context: Callable[[], Device]
default_device = default_context = current_device
_TOLERANCES = {
    "float16": (1e-2, 1e-1), "float32": (1e-4, 1e-3), "float64": (1e-5, 1e-20), "bool": (0, 0), "int8": (0, 0),
    "uint8": (0, 0), "int32": (0, 0), "int64": (0, 0),
}  # fmt: skip
"""MXNet's relative and absolute tolerances on the CPU."""


def default_dtype() -> Any:
    """Return the dtype of arrays that are created without a dtype: float32.

    >>> from hybridize import test_utils
    >>> test_utils.default_dtype()
    <class 'numpy.float32'>
    """
    return numpy.float32


def list_gpus() -> list[int]:
    """Return the numbers of the GPUs: an empty list.

    >>> from hybridize import test_utils
    >>> list(test_utils.list_gpus())
    []
    """
    return []


def same(a: Any, b: Any) -> bool:
    """Tell whether two arrays have the same elements.

    Args:
        a, b: arrays, or what `numpy.asarray` takes.

    >>> from hybridize import np, test_utils
    >>> test_utils.same(np.ones(2), np.ones(2))
    True
    """
    return bool(numpy.array_equal(numpy.asarray(a), numpy.asarray(b)))


def get_tolerance(arr: Any, rtol: float | None, atol: float | None) -> tuple[float, float]:
    """Return the tolerances of the call, or else MXNet's for the dtype of an array.

    Args:
        arr: an array.
        rtol, atol: tolerances of the call, or None.

    >>> from hybridize import np, test_utils
    >>> test_utils.get_tolerance(np.ones(2), 1e-3, None)
    (0.001, 0.001)
    """
    default = _TOLERANCES.get(numpy.asarray(arr).dtype.name, (1e-5, 1e-20))
    return default[0] if rtol is None else rtol, default[1] if atol is None else atol


def _both(a: Any, b: Any, rtol: float | None, atol: float | None) -> tuple[float, float]:
    """The wider tolerances of two arrays."""
    (r, s), (t, u) = get_tolerance(a, rtol, atol), get_tolerance(b, rtol, atol)
    return max(r, t), max(s, u)


def almost_equal(
    a: Any,
    b: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
) -> bool:
    """Tell whether two arrays differ nowhere by more than `atol + rtol * |b|`.

    Args:
        a, b: arrays, or what `numpy.asarray` takes.
        rtol, atol: tolerances; None: see `get_tolerance`.
        equal_nan: let NaN equal NaN.

    >>> from hybridize import np, test_utils
    >>> test_utils.almost_equal(np.ones(2), np.ones(2) + 1e-6)
    True
    """
    rtol, atol = _both(a, b, rtol, atol)
    return bool(numpy.allclose(numpy.asarray(a), numpy.asarray(b), rtol, atol, equal_nan))


def assert_almost_equal(
    a: Any,
    b: Any,
    rtol: float | None = None,
    atol: float | None = None,
    names: tuple[str, str] = ("a", "b"),
    equal_nan: bool = False,
    use_broadcast: bool = True,
    mismatches: Any = None,
) -> None:
    """Raise unless two arrays are `almost_equal`.

    Args:
        a, b: the arrays.
        rtol, atol: tolerances; None: MXNet's for the dtypes.
        names: what the message calls them.
        equal_nan: NaN equals NaN.
        use_broadcast: let shapes differ that broadcast.
        mismatches: accepted.

    Raises:
        AssertionError: they are not; the message says where.

    >>> from hybridize import np, test_utils
    >>> test_utils.assert_almost_equal(np.ones(2), np.ones(2))
    """
    x, y = numpy.asarray(a), numpy.asarray(b)
    if not use_broadcast and x.shape != y.shape:
        raise AssertionError(f"{names[0]} has the shape {x.shape}, {names[1]} has {y.shape}")
    rtol, atol = _both(a, b, rtol, atol)
    numpy.testing.assert_allclose(x, y, rtol, atol, equal_nan, f"{names[0]} and {names[1]} differ")


assert_allclose = assert_almost_equal


def assert_almost_equal_ignore_nan(
    a: Any, b: Any, rtol: float | None = None, atol: float | None = None, names: tuple[str, str] = ("a", "b")
) -> None:
    """Raise unless two arrays are `almost_equal` where neither is NaN.

    Args:
        a, b, rtol, atol, names: see `assert_almost_equal`.

    >>> from hybridize import np, test_utils
    >>> test_utils.assert_almost_equal_ignore_nan(np.array([1.0, float("nan")]), np.array([1.0, 5.0]))
    """
    x, y = numpy.array(numpy.asarray(a)), numpy.array(numpy.asarray(b))
    absent = numpy.isnan(x) | numpy.isnan(y)
    x[absent] = y[absent] = 0
    assert_almost_equal(x, y, rtol, atol, names)


def assert_exception(f: Callable[..., Any], exception_type: type[BaseException], *args: Any, **kwargs: Any) -> None:
    """Raise unless a call raises an error of a class.

    Args:
        f: the function.
        exception_type: the class of the error.
        args, kwargs: of the call.

    Raises:
        AssertionError: it did not raise.

    >>> from hybridize import test_utils
    >>> test_utils.assert_exception(int, ValueError, "x")
    """
    try:
        f(*args, **kwargs)
    except exception_type:
        return
    raise AssertionError(f"{getattr(f, '__name__', f)} did not raise {exception_type.__name__}")


def rand_shape_nd(num_dim: int, dim: int = 10, allow_zero_size: bool = False) -> tuple[int, ...]:
    """Draw a shape of `num_dim` axes of up to `dim`.

    Args:
        num_dim: how many axes.
        dim: the largest size.
        allow_zero_size: draw from 0 on, not from 1 on.

    >>> from hybridize import test_utils
    >>> len(test_utils.rand_shape_nd(4))
    4
    """
    low = 0 if allow_zero_size else 1
    return tuple(int(random.randint(low, dim + 1)) for _ in range(num_dim))


def rand_shape_2d(dim0: int = 10, dim1: int = 10, allow_zero_size: bool = False) -> tuple[int, ...]:
    """Draw a shape of two axes.

    Args:
        dim0, dim1: the largest sizes.
        allow_zero_size: draw from 0 on, not from 1 on.

    >>> from hybridize import test_utils
    >>> len(test_utils.rand_shape_2d())
    2
    """
    low = 0 if allow_zero_size else 1
    return tuple(int(random.randint(low, dim + 1)) for dim in (dim0, dim1))


def rand_shape_3d(dim0: int = 10, dim1: int = 10, dim2: int = 10, allow_zero_size: bool = False) -> tuple[int, ...]:
    """Draw a shape of three axes.

    Args:
        dim0, dim1, dim2: the largest sizes.
        allow_zero_size: draw from 0 on, not from 1 on.

    >>> from hybridize import test_utils
    >>> len(test_utils.rand_shape_3d())
    3
    """
    low = 0 if allow_zero_size else 1
    return tuple(int(random.randint(low, dim + 1)) for dim in (dim0, dim1, dim2))


def rand_ndarray(shape: Any, stype: str = "default", dtype: Any = None, scale: float = 1.0, ctx: Any = None) -> ndarray:
    """Draw an array of uniform numbers from -scale to scale.

    Args:
        shape: the sizes.
        stype: `default`.
        dtype: element type; None: float32.
        scale: the greatest absolute value.
        ctx: the device; None: the present one.

    Raises:
        ArgumentError E300: a sparse one is asked for.

    >>> from hybridize import test_utils
    >>> test_utils.rand_ndarray((2, 3)).shape
    (2, 3)
    """
    if stype != "default":
        raise ArgumentError("E300", f"random arrays are dense, got stype={stype!r}", help="convert it: x.tostype(...)")
    array: ndarray = random.uniform(-scale, scale, shape, ctx=ctx).astype("float32" if dtype is None else dtype)
    return array


def random_arrays(*shapes: Any) -> Any:
    """Draw NumPy arrays of normal numbers, float32. For one shape, return the array alone.

    Args:
        shapes: a shape for each array.

    >>> from hybridize import test_utils
    >>> test_utils.random_arrays((2, 3)).shape
    (2, 3)
    """
    arrays = [numpy.asarray(random.normal(0, 1, shape)) for shape in shapes]
    return arrays[0] if len(arrays) == 1 else arrays


def create_vector(size: int, dtype: Any = "int64") -> Any:
    """Return the numbers 0, 1, ..., size - 1.

    Args:
        size: how many numbers.
        dtype: element type.

    >>> from hybridize import test_utils
    >>> test_utils.create_vector(3)
    array([0, 1, 2], dtype=int64)
    """
    return np.arange(size, dtype=dtype)


@contextmanager
def environment(*args: Any) -> Iterator[None]:
    """Set environment variables inside a `with` block: a name and a value, or a dict.

    The value None removes a variable.

    Args:
        args: a name and its value, or a dict of names and values.

    >>> from hybridize import test_utils
    >>> import os
    >>> with test_utils.environment("MY_VARIABLE", "1"):
    ...     os.environ["MY_VARIABLE"]
    '1'
    """
    wanted = args[0] if len(args) == 1 else {args[0]: args[1]}
    before = {name: os.environ.get(name) for name in wanted}
    _put(wanted)
    try:
        yield
    finally:
        _put(before)


def _put(variables: dict[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = str(value)


def set_default_device(device: Device) -> None:
    """Raise an error: a `with` block chooses the present device.

    Raises:
        ArgumentError E3008: always.

    >>> from hybridize import test_utils
    >>> import hybridize
    >>> test_utils.set_default_device(hybridize.cpu())
    Traceback (most recent call last):
        ...
    hybridize.errors.ArgumentError: ArgumentError E3008: ...
    """
    raise ArgumentError(
        "E3008",
        f"the default device is always cpu(0), got {device}",
        help=f"use the device for a block of code: with {device}:",
    )


set_default_context = set_default_device
__getattr__: Callable[[str], Any] = refuses(__name__, globals(), instead={
    "get_mnist": "gluon.data.vision.MNIST(root) of local files",
    "check_numeric_gradient": "compare x.grad with differences, or with PyTorch",
    "check_symbolic_forward": "sym.eval(...)", "check_consistency": "there is one device",
})  # fmt: skip
