# SPDX-License-Identifier: Apache-2.0
"""Names of JAX that are not public; each has another way, or says what is lost without it."""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import jax
import numpy
from numpy.typing import NDArray

from hybridize.base.loading import LOADING
from hybridize.base.locations import SourceLoc, is_users

try:
    from jax._src import source_info_util
except ImportError:  # errors then have the line of the call
    source_info_util = None
try:
    from jax._src import config
except ImportError:
    config = None
try:
    from jaxlib import _jax
except ImportError:
    _jax = None

_CPU = jax.devices("cpu")[0]


def location(equation: Any) -> SourceLoc | None:
    """Return the user's line that an equation comes from; None where JAX does not tell."""
    if source_info_util is None:
        return None
    for frame in source_info_util.user_frames(equation.source_info.traceback):
        if is_users(frame.file_name):
            return SourceLoc(frame.file_name, frame.start_line, frame.function_name.rpartition(".")[2])
    return None


def settings() -> Any:
    """Return JAX's settings that a trace depends on, a key."""
    if config is not None and hasattr(config, "trace_context"):
        return config.trace_context()
    return jax.config.jax_enable_x64, jax.config.jax_threefry_partitionable, jax.config.jax_numpy_rank_promotion


def static_arguments(function: Any) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return the positions and the names of the arguments that a jitted function takes for constants.

    Without it, those are found as Python finds them out: tracing them fails.
    """
    info = getattr(function, "_jit_info", None)
    return tuple(getattr(info, "static_argnums", ())), tuple(getattr(info, "static_argnames", ()))


def over_memory(array: NDArray[Any]) -> jax.Array:
    """Return an array of JAX over the memory of one that nobody writes any more; it copies what begins anywhere."""
    if _jax is not None:
        try:
            return _jax.dlpack_managed_tensor_to_buffer(array.__dlpack__(), _CPU, None)
        except (AttributeError, TypeError, BufferError, RuntimeError):
            pass
    return jax.device_put(array, _CPU)


def maker() -> tuple[Any, tuple[Any, ...]]:
    """Return the function that makes an array of a capsule of DLPack, and its further operands; None without it."""
    return getattr(_jax, "dlpack_managed_tensor_to_buffer", None), (_CPU, None)


def weak(array: jax.Array) -> jax.Array:
    """Return an array whose dtype yields to others, as Python's numbers do."""
    try:
        with LOADING:
            from jax._src.lax.lax import _convert_element_type
    except ImportError:
        return array
    return _convert_element_type(array, array.dtype, weak_type=True)


def composition(equation: Any) -> Callable[..., Any] | None:
    """Return the function of other primitives by which JAX computes an equation; None where there is none."""
    name, params = equation.primitive.name, equation.params
    if name == "random_gamma" or not _is_of_jax(equation.primitive.impl):
        return functools.partial(equation.primitive.impl, **params)
    try:
        with LOADING:
            from jax._src.lax import lax, linalg, special
    except ImportError:
        return None
    places = (special, f"{name}_impl"), (lax, f"_{name}_impl"), (linalg, f"_{name}_jax_fn"), (linalg, f"_{name}_jax")
    function: Callable[..., Any] | None = next((getattr(m, n) for m, n in places if hasattr(m, n)), None)
    if function is None:
        return None
    keywords = {word: params[word] for word in inspect.signature(function).parameters if word in params}
    (result,) = equation.outvars
    if "dtype" not in inspect.signature(function).parameters:
        return functools.partial(function, **keywords)
    shape, dtype = result.aval.shape, result.aval.dtype
    wide = jax.numpy.promote_types(dtype, jax.numpy.float32)  # series of short floats are computed in longer ones
    typed = functools.partial(function, dtype=wide, **keywords)
    return lambda *xs: typed(*(jax.numpy.broadcast_to(x, shape).astype(wide) for x in xs)).astype(dtype)


def _is_of_jax(function: Any) -> bool:
    """Tell whether a primitive's own function is JAX's; that of another library is made of JAX's functions."""
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__module__", "jax")).partition(".")[0] in ("jax", "jaxlib")


def applied(equation: Any, *values: Any) -> list[Any]:
    """Return the results of an equation for values in the place of its inputs, as part of what is traced.

    Without it, functions with a gradient of their own are refused.
    """
    parts = equation.primitive.get_bind_params(equation.params)
    functions, params = parts if isinstance(parts, tuple) else ((), parts)
    return list(equation.primitive.bind(*functions, *values, **params))


_HEARING = threading.local()


def _hear_comparisons() -> bool:
    """Have comparisons of JAX's sizes told to `compared`: where they are not known to be equal, JAX says that they are
    not, which may be wrong.
    """
    try:
        (size,) = jax.export.symbolic_shape("n")
        kind: Any = type(size)
        plain = kind.__eq__
    except (AttributeError, TypeError, ValueError):
        return False

    def equal(self: Any, other: Any) -> bool:
        answer: bool = plain(self, other)
        pairs: list[tuple[Any, Any]] | None = getattr(_HEARING, "pairs", None)
        if pairs is None or answer or not isinstance(other, (int, numpy.integer, kind)):
            return answer
        if (not isinstance(other, kind) and other == 1) or not _is_jax(_comparing(sys._getframe(1))):
            pairs.append((self, other))
        return answer

    kind.__eq__ = equal
    return True


def _comparing(frame: FrameType | None) -> FrameType | None:
    """The frame that compares: what is around the methods of sizes."""
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("jax._src.export"):
        frame = frame.f_back
    return frame


def _is_jax(frame: FrameType | None) -> bool:
    """Tell whether JAX itself compares: to see whether operands fit, or for a shorter way to the same."""
    return frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "jax"


_HEARS: list[bool] = []


@contextmanager
def compared() -> Iterator[list[tuple[Any, Any]] | None]:
    """Collect the pairs of sizes that JAX takes to be unequal within; None where that cannot be known."""
    if not _HEARS:
        _HEARS.append(_hear_comparisons())
    if not _HEARS[0]:
        yield None
        return
    before = getattr(_HEARING, "pairs", None)
    pairs: list[tuple[Any, Any]] = []
    _HEARING.pairs = pairs
    try:
        yield pairs
    finally:
        _HEARING.pairs = before
