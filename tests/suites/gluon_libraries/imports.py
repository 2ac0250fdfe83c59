# SPDX-License-Identifier: Apache-2.0
"""Imports every module of a package, and writes a line of JSON for each: `suite.py` runs it, a process per library."""

from __future__ import annotations

import importlib
import json
import pkgutil
import signal
import sys
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import numpy_removed

SECONDS = 60
"""For one module."""


def modules(package: str, folder: Path, left_out: list[str]) -> Iterator[str]:
    """Give the dotted names of a package's modules, read from its folders: none is imported for it."""
    yield package
    for found in pkgutil.iter_modules([str(folder)]):
        name = f"{package}.{found.name}"
        if found.name in ("__main__", "tests", "test", "testing") or name in left_out:
            continue
        if found.ispkg:
            yield from modules(name, folder / found.name, left_out)
        else:
            yield name


def error_of(name: str, root: str) -> str:
    """Import a module, and return what went wrong in one line with the place in the library; empty if nothing."""
    try:
        importlib.import_module(name)
    except BaseException as error:
        frames = [one for one in traceback.extract_tb(error.__traceback__) if root in one.filename]
        place = f"  [{frames[-1].filename.partition(root)[2].lstrip('/')}:{frames[-1].lineno}]" if frames else ""
        first = next(iter(str(error).splitlines()), "")
        missing = f"lacks {error.name}: " if _is_of_others(error, name) else ""
        return f"{missing}{type(error).__name__}: {first}{place}"
    return ""


def _is_of_others(error: BaseException, name: str) -> bool:
    """Tell whether what is missing is a package that is neither the library's nor hybridize's."""
    top = (getattr(error, "name", None) or "").partition(".")[0]
    return isinstance(error, ModuleNotFoundError) and top not in ("", "hybridize", "mxnet", name.partition(".")[0])


def timed_out(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError(f"takes more than {SECONDS} s")


def main() -> None:
    package, root, out, *left_out = sys.argv[1:]
    others = sorted(str(one) for one in Path(root).parent.iterdir() if one != Path(root))
    sys.path[:0] = [root]
    sys.path += others
    sys.argv[1:] = []
    warnings.simplefilter("ignore")
    numpy_removed.put_back()
    signal.signal(signal.SIGALRM, timed_out)
    with Path(out).open("w") as lines:
        for name in modules(package, Path(root) / package, left_out):
            signal.alarm(SECONDS)
            error = error_of(name, root)
            signal.alarm(0)
            lines.write(json.dumps({"module": name, "error": error}) + "\n")
            lines.flush()


if __name__ == "__main__":
    main()
