# SPDX-License-Identifier: Apache-2.0
"""What hybridize cannot start without: an interpreter, and releases of packages; each lack is one ImportError.

`hybridize.base` asks before anything else does: errors with codes are made of NumPy's, and older Pythons do not
understand the rest of the source. So this file is written for Python 3.8, and imports nothing else of ours. Versions
are attributes of packages that are imported anyway: looking through what is installed would take milliseconds.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Final

PYTHON: Final = (3, 11)
"""The oldest Python."""
RANGES: Final = {"numpy": ((2, 0), (3,)), "ml_dtypes": ((0, 5), (1,)), "llvmlite": ((0, 45), (1,))}
"""Packages, the first release that is taken, and the first one that is not: pyproject.toml says the same."""
TITLES: Final = {"numpy": "NumPy"}
_NO_WHEELS: Final = ("ml_dtypes", "llvmlite")
"""Packages that have no wheels for musl."""


def lack_of_python(
    name: str = sys.implementation.name,
    version: tuple[int, ...] = sys.version_info[:3],
    *,
    has_gil: bool = getattr(sys, "_is_gil_enabled", lambda: True)(),
) -> str:
    """Return the sentence about an interpreter that hybridize cannot run in; empty where it can."""
    if name != "cpython":
        return f"hybridize needs CPython, found {name}, which has other objects: install Python from python.org"
    if version[:2] < PYTHON:
        found = ".".join(map(str, version[:3]))
        return f"hybridize needs Python >= {_joined(PYTHON)}, found {found}: install a later Python"
    if not has_gil:
        return "hybridize needs Python's GIL, and this free-threaded Python runs without it: set PYTHON_GIL=1"
    return ""


def lack_of(name: str, version: str | None, *, musl: bool = False) -> str:
    """Return the sentence about a package of `RANGES`; empty where its version is one that hybridize takes.

    Args:
        name: of the package.
        version: of the one that is installed; None where there is none.
        musl: tell that there are no wheels of some packages for this C library.
    """
    first, end = RANGES[name]
    if version is not None and first <= _numbers(version, len(first)) and _numbers(version, len(end)) < end:
        return ""
    title = TITLES.get(name, name)
    wanted = f"{title} >= {_joined(first)}, < {_joined(end)}"
    found = "it is not installed" if version is None else f"found {version}"
    remedy = f"pip install '{name}>={_joined(first)},<{_joined(end)}'"
    if version is None and musl and name in _NO_WHEELS:
        remedy = (
            f"there are no wheels of {name} for musl (Alpine), so use a system with glibc, such as python:slim, or "
            "deploy a library there that hybridize has exported"
        )
    return f"hybridize needs {wanted}, {found}: {remedy}"


def _joined(numbers: tuple[int, ...]) -> str:
    return ".".join(map(str, numbers))


def _numbers(version: str, count: int) -> tuple[int, ...]:
    """Return the first numbers of a version; what is no number counts as 0."""
    parts = [part if part.isdigit() else "0" for part in version.split(".")[:count]]
    return tuple(map(int, parts)) + (0,) * (count - len(parts))


def load(name: str) -> ModuleType:
    """Import a package of `RANGES`.

    Raises:
        ImportError: it is not installed, or of another release than hybridize takes. Whatever else it raises as it is
            imported passes.
    """
    version: Any = None
    try:
        module = import_module(name)
        version = module.__version__
    except ModuleNotFoundError as error:
        if error.name != name:  # it is there, and lacks something itself
            raise
    except ImportError as error:
        if "subinterpreters" not in str(error):
            raise
        what = f"{TITLES.get(name, name)}, which does not load in subinterpreters with a GIL of their own"
        raise ImportError(f"hybridize needs {what}: use threads, or processes", name=name) from None
    lack = lack_of(name, version, musl=getattr(sys.implementation, "_multiarch", "").endswith("musl"))
    if lack:
        raise ImportError(lack, name=name) from None
    return module


def problem() -> ImportError | None:
    """Return the error about this interpreter, NumPy or ml_dtypes; None where hybridize runs with all of them."""
    lack = lack_of_python()
    if lack:
        return ImportError(lack, name="hybridize")
    try:
        load("numpy")
        load("ml_dtypes")
    except ImportError as error:
        return error
    return None
