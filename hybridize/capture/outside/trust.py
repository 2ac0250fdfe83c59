# SPDX-License-Identifier: Apache-2.0
"""Trust in code: functions that are called as they are, that are converted, and that are refused because they yield
other data at each call.
"""

from __future__ import annotations

import io
import os
import sys
import types
import weakref
from functools import cache, lru_cache
from typing import Any

from hybridize.array.operators import Operators
from hybridize.base.locations import PACKAGE, SITES, STANDARD, frozen_root
from hybridize.base.members import has_class_member, module_of
from hybridize.contract.snapshots import CONTAINERS

_TRUSTEDPACKAGES = ("hybridize", "numpy", "torch", "ml_dtypes", "llvmlite")
_LIBRARY = os.path.realpath(STANDARD) + os.sep

OPAQUE_MODULES = frozenset({
    "time", "random", "_random", "secrets", "uuid", "socket", "_socket", "subprocess", "urllib", "http", "select",
    "tempfile", "shutil", "glob", "getpass", "posix", "nt", "_io", "io", "os", "pathlib", "_thread", "threading",
    "multiprocessing", "numpy.random", "asyncio", "signal", "resource",
})  # fmt: skip
"""Modules whose functions yield other data at each call."""

_HARMLESS = frozenset({"getenv", "fspath", "fsencode", "fsdecode", "cpu_count", "getLogger", "get_ident"})
_OPAQUE_NAMES = frozenset({"input", "open", "id"})
_DEBUGGERS = frozenset({"pdb", "bdb", "ipdb", "pudb", "debugpy", "IPython", "code", "_pytest"})
_STOPPING = frozenset({"set_trace", "breakpoint", "embed", "interact"})
"""Functions of debuggers, and of prompts, that stop the line that calls them."""
_COUNTS = frozenset({"getrefcount", "getallocatedblocks", "_getframe", "_current_frames"})
_GENERATORS = {"random": ("Random",), "numpy.random": ("Generator", "RandomState", "BitGenerator")}
_OF_PATHS = frozenset({
    "exists", "lexists", "isfile", "isdir", "islink", "ismount", "getsize", "getmtime", "getatime", "getctime",
    "samefile", "realpath", "abspath", "expanduser", "expandvars",
})  # fmt: skip
"""Functions of `os.path` that look at files, the working directory or the environment."""
_OF_FILES = frozenset({"load", "loadtxt", "genfromtxt", "fromfile", "fromregex"})
_HEAP_TYPE = 1 << 9
"""Flag of classes that were made while Python ran: `Py_TPFLAGS_HEAPTYPE`."""
_SETTINGS = frozenset({"sys", "gc", "warnings", "locale"})
"""Modules whose functions give settings of the interpreter."""
_OF_LOGGERS = frozenset({"isEnabledFor", "getEffectiveLevel", "hasHandlers", "getChild"})
_CLOCKS = frozenset({"now", "today", "utcnow"})


@cache
def is_trusted_file(file: str) -> bool:
    """Tell whether the functions of a file are called as they are: hybridize, NumPy, torch and Python's own library."""
    if file.startswith(PACKAGE) or file.startswith("<frozen"):
        return True
    root = frozen_root(file)
    if root is not None:
        return root in _TRUSTEDPACKAGES or root in sys.stdlib_module_names
    real = os.path.realpath(file)
    for site in SITES:
        if site in real:
            return real.split(site)[-1].split(os.sep)[0].removesuffix(".py") in _TRUSTEDPACKAGES
    return real.startswith(_LIBRARY)


_FOLLOWED = frozenset({
    "_collections_abc", "collections", "collections.abc", "contextlib", "copy", "copyreg", "dataclasses", "functools",
    "statistics",
})  # fmt: skip
"""Modules of Python whose functions call what objects of the user's classes can do."""


def is_library(function: types.FunctionType) -> bool:
    """Tell whether a function of Python's own library is converted where it is given objects of the user's classes."""
    names = function.__globals__
    return names.get("__name__") in _FOLLOWED and is_trusted_file(function.__code__.co_filename)


@cache
def is_trusted_module(name: str) -> bool:
    """Tell whether the attributes of a module are taken as constant."""
    root = name.split(".")[0]
    if root in _TRUSTEDPACKAGES or root in sys.builtin_module_names:
        return True
    file = getattr(sys.modules.get(root), "__file__", None)
    return root in sys.stdlib_module_names and (file is None or is_trusted_file(file))


KEPT_CLASSES = 1024
"""Classes that answers are kept for, as they are kept alive by that: functions of the user's may make classes."""


@lru_cache(KEPT_CLASSES)
def is_trusted_class(kind: type) -> bool:
    """Tell whether instances of a class are taken as they are, without guards on their attributes."""
    if kind.__module__ == "builtins" and kind.__flags__ & _HEAP_TYPE:  # made by `exec` where no module has a name
        return False
    return issubclass(kind, Operators) or is_trusted_module(module_of(kind))


def debugger_name(function: Any) -> str | None:
    """The name of a function that stops Python at the line that calls it; None for others, and where it is off."""
    name, module = getattr(function, "__name__", ""), module_of(function)
    if module == "builtins" and name == "breakpoint":
        is_off = sys.breakpointhook is sys.__breakpointhook__ and os.environ.get("PYTHONBREAKPOINT") == "0"
        return None if is_off else name
    root = module.split(".")[0]
    return f"{root}.{name}" if root in _DEBUGGERS and name in _STOPPING else None


def opaque_name(function: Any) -> str | None:
    """The name of a function that yields other data at each call; None for all others."""
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", "")
    module = module_of(function)
    kind: Any = type(owner)
    if owner is not None and _gives_other_data(kind):
        return f"{module_of(kind).removeprefix('_')}.{kind.__name__}.{name}"
    if name in _CLOCKS and getattr(owner, "__module__", "") == "datetime":
        return f"datetime.{name}"
    if module == "sys" and name in _COUNTS:
        return f"sys.{name}"
    if module == "builtins" or (module == "io" and name == "open"):
        return name if name in _OPAQUE_NAMES else None
    if (module in OPAQUE_MODULES or module.split(".")[0] in OPAQUE_MODULES) and name not in _HARMLESS:
        return f"{'os' if module == 'posix' else module}.{name}"
    if module in ("posixpath", "genericpath") and name in _OF_PATHS:
        return f"os.path.{name}"
    if module.startswith("numpy.random"):
        return f"numpy.random.{name}"
    return f"numpy.{name}" if module.split(".")[0] == "numpy" and name in _OF_FILES else None


@lru_cache(KEPT_CLASSES)
def _gives_other_data(kind: type) -> bool:
    """Tell whether each call of an instance's methods yields other data: a file's, or a random generator's."""
    return issubclass(kind, (io.IOBase, *_generators()))


def _generators() -> list[type]:
    """Classes of random generators; where their module is not loaded, there are no instances, and it need not be."""
    loaded = ((sys.modules.get(module), names) for module, names in _GENERATORS.items())
    return [getattr(module, name) for module, names in loaded if module is not None for name in names]


def is_iterator(value: Any) -> bool:
    """Tell whether a value yields other items each time it is gone through."""
    kind = type(value)
    if kind in weakref.ProxyTypes:  # whose class has every special method
        return hasattr(value, "__next__")
    return kind not in CONTAINERS and not isinstance(value, type) and has_class_member(kind, "__next__")


_VARIABLE = ("_contextvars", "ContextVar")
_READING = {
    _VARIABLE: frozenset({"get"}),
    ("_queue", "SimpleQueue"): frozenset({"empty", "qsize"}),
    ("_thread", "lock"): frozenset({"locked"}),
    ("_thread", "RLock"): frozenset({"locked"}),
}
"""Classes written in C whose state nobody could put back, and those of their methods that only read it.

By module and name: none is loaded for this."""
_OF_HASHES = frozenset({"_hashlib", "_md5", "_sha1", "_sha2", "_sha3", "_blake2"})


def changes_unseen(kind: type, name: str) -> bool:
    """Tell whether a method of a class of Python's changes an object whose state cannot be put back."""
    if kind.__module__ in _OF_HASHES:
        return name == "update"
    reading = _READING.get((kind.__module__, kind.__name__))
    return reading is not None and name[:1] != "_" and name.isidentifier() and name not in reading


def decimals() -> tuple[type, ...]:
    """Return the classes whose operators go by the thread's context of `decimal`: none while it is not loaded."""
    module = sys.modules.get("decimal")
    return () if module is None else (module.Decimal, module.Context)


def goes_by_decimal_context(function: Any, arguments: tuple[Any, ...]) -> bool:
    """Tell whether a call rounds as the context of `decimal` says: one of that module, or of numbers of it."""
    classes = decimals()
    if not classes:
        return False
    if getattr(function, "__module__", None) in ("decimal", "_decimal"):
        return True
    for one in classes:
        if function is one:
            return True
    return any(isinstance(value, classes) for value in arguments)


def decimal_context() -> tuple[Any, ...]:
    """Give all that the operators of `decimal` go by."""
    now = sys.modules["decimal"].getcontext()
    traps = tuple(sorted(signal.__name__ for signal, is_set in now.traps.items() if is_set))
    return now.prec, now.rounding, now.Emin, now.Emax, now.capitals, now.clamp, traps


FUNCTIONS = (types.FunctionType, types.MethodType)


def asks_interpreter(function: Any) -> bool:
    """Tell whether a call gives what others change: a setting of the interpreter or a logger, the state of a lock."""
    owner = getattr(function, "__self__", None)
    kind = type(owner).__module__, type(owner).__name__
    if kind in _READING and kind != _VARIABLE:
        return function.__name__ in _READING[kind]
    if isinstance(owner, types.ModuleType):
        return owner.__name__ in _SETTINGS
    if function is os.getenv:
        return True
    return getattr(function, "__module__", None) == "logging" and getattr(function, "__name__", "") in _OF_LOGGERS
