# SPDX-License-Identifier: Apache-2.0
"""Places in the user's source: what an error points at and every graph node carries."""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from types import FrameType

from hybridize.base.frozen import frozen
from hybridize.system.interruptions import let_through

PACKAGE = os.path.dirname(os.path.dirname((lambda: None).__code__.co_filename)) + os.sep
"""The folder of this package as its code names it, which in a frozen program is no folder: its frames are not lines of
the user's."""
_COMMANDS = f"{PACKAGE}tools{os.sep}"
CONTEXTS = contextmanager.__code__.co_filename
"""Of Python's, and between ours and the user's where a context of ours is entered."""
STANDARD = os.path.dirname(CONTEXTS) + os.sep if os.path.isabs(CONTEXTS) else "<none>"
"""The folder of Python's own modules, which call what the user hands to them: no line of theirs is anybody's mistake.

As their code names it: where the program is frozen, they may have no file."""
_LOOKING = frozenset({"pdb", "bdb", "pydevd", "_pydevd_bundle", "debugpy", "IPython", "_pytest", "traceback"})
"""Modules and packages that show what variables hold, while a program stands still or has failed."""
_SHOWING = ("__repr__", "__str__", "__format__")
_CLASSES = ("dataclasses", "reprlib")
"""Modules of Python's that make text of objects out of that of their parts."""
_LIBRARIES = ("numpy", "torch", "tensorflow", "keras", "jax", "jaxlib")
SITES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
"""Folders of packages that were installed; the latter of Debian's Python."""
_SITE = tuple(f"{site}{name}{os.sep}" for site in SITES for name in _LIBRARIES)


@frozen
class SourceLoc:
    """One line of the user's program; or of line 0, a node of a model that was loaded, and `function` is its name."""

    file: str
    line: int
    function: str

    @property
    def text(self) -> str:
        """The line itself, or the empty string when its source is not at hand."""
        try:
            return linecache.getline(self.file, self.line).strip() if self.line else ""
        except Exception as error:  # loaders may fail: one of a zip file that was written anew, say
            let_through(error)
            return ""

    def described(self) -> str:
        """`train.py:41 in forward:  y = h @ self.w`; of a notebook `In [3]:2 in forward:  ...`."""
        if not self.line:
            return f"{self.file}: node {self.function!r}"
        text = self.text
        return f"{cell(self.file) or self.file}:{self.line} in {self.function}" + (f":  {text}" if text else "")

    def __str__(self) -> str:
        if not self.line:
            return self.function
        return f"{cell(self.file) or os.path.basename(self.file)}:{self.line}"


def cell(file: str) -> str | None:
    """Return `In [3]` for the file that IPython made of a cell of this session; None for any other.

    The same text run twice is one file, and has the later number.
    """
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    named = getattr(getattr(shell, "compile", None), "format_code_name", lambda _: None)(file)
    return None if named is None else str(named[1]).replace("[", " [", 1)


def frozen_root(file: str) -> str | None:
    """Return the module or package on top that a file of code belongs to, where the code of a frozen program names it.

    Programs that freeze others (PyInstaller, cx_Freeze) have code name its file as it lies in its package, by
    `numpy/linalg/_linalg.py` say. There is no such file, and no folder tells whose code it is. None for other files.
    """
    if not getattr(sys, "frozen", False) or file.startswith("<") or os.path.isabs(file):
        return None
    return file.replace("\\", "/").split("/")[0].removesuffix(".py")


@lru_cache(1024)
def is_users(file: str) -> bool:
    """Tell whether a file of code belongs neither to hybridize nor to a library it is called through."""
    root = frozen_root(file)
    if root is not None:
        return root not in _LIBRARIES and root not in sys.stdlib_module_names and not file.startswith(PACKAGE)
    if file.startswith("<frozen ") or (file.startswith(STANDARD) and "-packages" not in file[len(STANDARD) :]):
        return False
    return not file.startswith(PACKAGE) and file != CONTEXTS and not any(part in file for part in _SITE)


def asks_for_text(frame: FrameType | None) -> SourceLoc | None:
    """Find the line of the user's program that asks for text which a frame makes; None where it is not the program.

    It may be that one of our own messages or a debugger shows a value, an object by its `__repr__`, say.
    """
    while frame is not None and (frame.f_code.co_name in _SHOWING or _room(frame) in _CLASSES):
        frame = frame.f_back
    line = None
    while frame is not None and not frame.f_code.co_filename.startswith(PACKAGE):
        if _room(frame) in _LOOKING:
            return None
        file = frame.f_code.co_filename
        if line is None and is_users(file):  # not one of Python's own, which the program has called
            line = SourceLoc(file, frame.f_lineno, frame.f_code.co_name)
        frame = frame.f_back
    return line


def _room(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__")).partition(".")[0]


_commanded = False


@contextmanager
def no_program() -> Iterator[None]:
    """The command line is at work inside a `with` block: nothing that calls it is a line of anybody's program."""
    global _commanded
    _commanded = True
    try:
        yield
    finally:
        _commanded = False


def location_in(error: BaseException) -> SourceLoc | None:
    """The innermost line of the user's that an exception came through."""
    at, loc = error.__traceback__, None
    while at is not None:
        code = at.tb_frame.f_code
        if is_users(code.co_filename):
            loc = SourceLoc(code.co_filename, at.tb_lineno, code.co_name)
        at = at.tb_next
    return loc


NODE: ContextVar[SourceLoc | None] = ContextVar("node", default=None)
"""The node of a loaded model that is at work: what it computes is no line of Python's."""


@contextmanager
def at_node(loc: SourceLoc | None) -> Iterator[None]:
    """Run a node of a loaded model inside a `with` block; None: what the node around it does."""
    token = NODE.set(loc or NODE.get())
    try:
        yield
    finally:
        NODE.reset(token)


def user_location() -> SourceLoc | None:
    """The innermost frame that belongs neither to hybridize nor to a library it is called through."""
    line = user_line(2)
    return None if line is None else SourceLoc(*line)


def user_line(depth: int = 1) -> tuple[str, int, str] | None:
    """The file, the line and the function of that frame; the first `depth` are known to be ours."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        code = frame.f_code
        if _commanded and code.co_filename.startswith(_COMMANDS):
            return None
        if is_users(code.co_filename):
            return code.co_filename, frame.f_lineno, code.co_name
        frame = frame.f_back
    return None
