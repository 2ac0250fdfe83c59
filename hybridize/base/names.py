# SPDX-License-Identifier: Apache-2.0
"""The public names of modules as data: each is loaded from the module that holds it when it is first asked for.

    # hybridize/array/np.py
    PLACES = places("hybridize.array.functions", {"bits": "frexp modf", "elementwise": "add abs=absolute"})
    __getattr__, __dir__ = late(globals(), PLACES)

`np.frexp` then imports `hybridize.array.functions.bits`, and stands in `np` from there on. Type checkers and editors
read the module's stub, `np.pyi`, which `docs/make.py` writes from the same table.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

from hybridize.base.loading import load_module
from hybridize.base.missing import Instead, missing


def places(package: str, names: Mapping[str, str]) -> dict[str, str]:
    """Return the place of each name, as `module:attribute`; a module as a whole is a place without an attribute.

    Args:
        package: where the modules are.
        names: by module, its names, parted by spaces; `abs=absolute` is `absolute` there, and `abs` here.

    >>> places("math", {"trigonometry": "sin arcsin=asin"})
    {'sin': 'math.trigonometry:sin', 'arcsin': 'math.trigonometry:asin'}
    """
    return {
        name: f"{package}.{module}:{attribute or name}"
        for module, listed in names.items()
        for name, _, attribute in (one.partition("=") for one in listed.split())
    }


def _is_importing() -> bool:
    """Tell whether a module asks as it is imported: like an import statement, it takes no lock but Python's then."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "<module>" and getattr(frame.f_globals.get("__spec__"), "_initializing", False):
            return True
        frame = frame.f_back
    return False


def loaded(name: str) -> Any:
    """Return the module of this name, which is imported if it was not yet; also for a module that is being imported."""
    if not _is_importing():
        return load_module(name)
    __import__(name)
    return sys.modules[name]


def late(
    module: dict[str, Any],
    places: Mapping[str, str],
    instead: Instead = None,
    prepare: Callable[[str, Any], None] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return a module's `__getattr__`, which loads names from their places, and its `__dir__`.

    Args:
        module: its globals.
        places: the place of each name.
        instead: what to use instead of names that it will not have, or a function that gives it for a name.
        prepare: called once with each name and what it stands for, as it is loaded.
    """
    homes = {place.partition(":")[0] for place in places.values()}

    def __getattr__(name: str) -> Any:  # noqa: N807 - a module's
        place = places.get(name)
        if place is None and (home := f"{module.get('__name__')}.{name}") in homes:
            place = home  # a module below this one, which `import` alone would make a name of it
        if place is None and _is_importing():  # by `from package import module`
            raise AttributeError(f"module {module.get('__name__')!r} has no attribute {name!r}")
        if place is None:
            raise missing(module.get("__name__", "functions"), name, {*module, *places}, instead)
        home, _, attribute = place.partition(":")
        value = loaded(home)
        if attribute:
            value = getattr(value, attribute)
        if prepare is not None:
            prepare(name, value)
        module[name] = value
        return value

    def __dir__() -> list[str]:  # noqa: N807 - a module's
        return sorted({*module, *places})

    return __getattr__, __dir__
