# SPDX-License-Identifier: Apache-2.0
"""Errors about blocks: the layer that one comes from and where that is in its net; keywords that no layer has."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Iterable
from functools import wraps
from types import FrameType
from typing import Any, TypeVar, cast

from hybridize.base.errors import TRAIL, ArgumentError, HybridizeError, InternalError
from hybridize.base.loading import load_module
from hybridize.base.settings import arguments_of, keywords_of
from hybridize.base.tracebacks import LEAVES, is_misfit, leaves

_Function = TypeVar("_Function", bound=Callable[..., Any])
_ELSEWHERE = {
    "stride": "strides", "kernel": "kernel_size", "dilate": "dilation", "pad": "padding", "num_group": "groups",
    "bias": "use_bias", "out_channels": "channels", "num_filter": "channels", "num_features": "in_channels",
    "out_features": "units", "in_features": "in_units", "eps": "epsilon", "p": "rate", "negative_slope": "alpha",
    "affine": "scale", "data_format": "layout", "filters": "channels",
}  # fmt: skip
"""Keywords by which other libraries, and MXNet's functions, call what a layer calls otherwise."""
_ORIGIN = re.compile(r"(.*), '([^']+)' of \w+", re.DOTALL)
"""The words of an error about the layer that it comes from, and its path."""
_CAPTURE = ("capture", "hybridize.capture.capture")
"""The function that captures a program, and its module, which is loaded when something is first captured."""


def tell(error: BaseException, block: Any) -> None:
    """Say in an error of ours that it left `block`: at the first one which layer it is, at those around it where.

    Its trail is the block that it has left, the text of the first one, the path so far.
    """
    if not isinstance(error, HybridizeError) or isinstance(error, InternalError):
        return
    left = error.__dict__
    known = left.get(TRAIL)
    if known is None and error.within:
        _continue(error, block)
        return
    if known is None:
        text = repr(block) if block._is_layer and not block._children else ""
        if text and "\n" not in text:
            left[TRAIL] = weakref.ref(block), text, ""
            error.within = text
        return
    inner, text, path = known
    for name, child in block._children.items():
        if child is inner():
            path = f"{name}.{path}" if path else name
            left[TRAIL] = weakref.ref(block), text, path
            error.within = f"{text}, {path!r} of {type(block).__name__}"
            return
    if error.code == "E502" and (holder := _holder(block, inner())):
        error.help = (
            f"{holder} does not register the layers in it, so net.initialize() does not reach them: make it an "
            "nn.Sequential, or call self.register_child(layer) for each"
        )


def _holder(block: Any, layer: Any) -> str:
    """Return the attribute of a block that is a plain list, tuple or dict with a layer in it; empty: none is."""
    for name, value in vars(block).items():
        parts = value.values() if isinstance(value, dict) else value
        if not name.startswith("_") and isinstance(value, (list, tuple, dict)) and any(one is layer for one in parts):
            return f"the {type(value).__name__} {type(block).__name__}.{name}"
    return ""


def _continue(error: HybridizeError, block: Any) -> None:
    """Take up the path of an error that a program raises, as it leaves the block that the path is of."""
    match = _ORIGIN.fullmatch(error.within)
    text, path = (match[1], match[2]) if match else (error.within, "")
    part = block
    for name in path.split(".") if path else ():
        part = None if part is None else part._children.get(name)
    if part is not None and repr(part) == text:
        error.__dict__[TRAIL] = weakref.ref(block), text, path


def tell_callers(error: BaseException, frame: FrameType | None) -> None:
    """Say in an error, which a program will raise, what it would say on its way out of the blocks that are called.

    Those are the blocks of the program, up to the one whose program it is, which captures it.
    """
    inside = True
    while frame is not None:
        inside = inside and (frame.f_code.co_name, frame.f_globals.get("__name__")) != _CAPTURE
        block = frame.f_locals.get("self") if frame.f_code.co_name == "__call__" else None
        if hasattr(block, "_is_layer"):
            if inside or getattr(block, "_function", None) is not None:
                tell(error, block)
            if not inside:
                return
        frame = frame.f_back


LEAVES.fill(tell_callers)


def unknown_keyword(kind: type, name: str) -> ArgumentError:
    """Return the error for a keyword that a block's class has not; it is a TypeError, as Python's."""
    known = {"prefix", "params"} | keywords_of(kind)
    close = load_module("difflib").get_close_matches  # late: only errors need it
    meant = [_ELSEWHERE[name]] if _ELSEWHERE.get(name) in known else close(name, sorted(known), 1)
    help = f"did you mean {meant[0]!r}?" if meant else f"it takes {', '.join(sorted(known))}"
    return ArgumentError("E344", f"{kind.__name__} takes no keyword {name!r}", help=help)


def constructor(function: _Function) -> _Function:
    """Make `__init__` of a class one whose errors name the class that the user calls, and no frame of this package."""

    @wraps(function)
    def call(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            function(self, *args, **kwargs)
        except TypeError as error:
            if is_misfit(error):
                raise _misfit(type(self), kwargs, error) from None
            raise

    return leaves(cast("_Function", call))


def _misfit(kind: type, keywords: Iterable[str], error: TypeError) -> ArgumentError:
    """Return the error for arguments that are not those of a class, in place of Python's."""
    unknown = [name for name in keywords if name not in {"prefix", "params"} | keywords_of(kind)]
    if unknown:
        return unknown_keyword(kind, unknown[0])
    return ArgumentError("E344", f"{kind.__name__} {str(error).partition('() ')[2]}", help=arguments_of(kind))


def check_prefix(kind: type, prefix: Any) -> None:
    """Raise where the first argument of a block is no prefix, but a layer as of containers elsewhere.

    Raises:
        ArgumentError E344: it is neither None nor a string.
    """
    if prefix is None or isinstance(prefix, str):
        return
    remedy = "net.add(...) takes layers" if hasattr(prefix, "collect_params") else "names of parameters begin with it"
    raise ArgumentError("E344", f"{kind.__name__} with prefix={type(prefix).__name__}", help=remedy)
