# SPDX-License-Identifier: Apache-2.0
"""The public names of modules as data: each is loaded from the module that holds it when it is first asked for.

    # hybridize/array/np.py
    PLACES = places("hybridize.array.functions", {"bits": "frexp modf", "elementwise": "add abs=absolute"})
    __getattr__, __dir__ = late(globals(), PLACES)

`np.frexp` then imports `hybridize.array.functions.bits`, and stands in `np` from there on. Type checkers and editors
read the module's stub, `np.pyi`, which `docs/make.py` writes from the same table.

A package may have one more table, of the paths by which programs import what lies elsewhere: `Paths` finds those, and
`further` adds to modules the names that are asked for there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib.machinery import ModuleSpec
from types import FrameType, FunctionType, ModuleType
from typing import Any, Final

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


def at(place: str) -> Any:
    """Return what stands at a place."""
    home, _, attribute = place.partition(":")
    return getattr(loaded(home), attribute) if attribute else loaded(home)


class Alias:
    """Imports what stands at a place under another name: the same object, never a copy.

    What is below a package is then found below that name, too: by `ALIASES`, before Python looks for files.
    """

    def __init__(self, place: str) -> None:
        self._place = place

    def create_module(self, spec: ModuleSpec) -> None:
        """Let Python make a module, in whose place the other one is put."""

    def exec_module(self, module: ModuleType) -> None:
        """Put the other one there."""
        sys.modules[module.__name__] = ALIASES.seen_from(module.__name__.rpartition(".")[0], at(self._place))
        ALIASES.add(module.__name__, self._place)


def _spec(name: str, place: str) -> ModuleSpec:
    return ModuleSpec(name, Alias(place))  # type: ignore[arg-type]  # a loader, without the class of importlib.abc


class OtherNames:
    """Finds what is below other names of packages."""

    def __init__(self) -> None:
        self._packages: dict[str, str] = {}
        self._own: dict[str, str] = {}

    def add(self, name: str, package: str, own: Mapping[str, str] | None = None) -> None:
        """Find below a name what is below a package, but for its `own` modules, whose places stand by their names."""
        if not self._packages:
            sys.meta_path.insert(0, self)
        self._packages[name] = package
        self._own.update({f"{name}.{module}": place for module, place in (own or {}).items()})

    def seen_from(self, name: str, value: Any) -> Any:
        """Return the module of this name where the value is the package that it has another name of."""
        return sys.modules[name] if value is sys.modules.get(self._packages.get(name, "")) else value

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return how a module is imported; None for what is not below such a name."""
        parent, _, last = name.rpartition(".")
        package, own = self._packages.get(parent), self._own.get(name)
        if package is None or own == name:  # its own module, of which there is a file
            return None
        return _spec(name, own or further(parent, last) or f"{package}.{last}")


ALIASES: Final = OtherNames()


class Paths:
    """Finds the further paths of a package, which stand in a table; Python asks where it has found no file.

    Args:
        package: the package.
        table: the module of the table. Its `MODULES` are places by paths, and `NAMES` places by names, by modules.
    """

    def __init__(self, package: str, table: str) -> None:
        self._package, self._table = f"{package}.", table

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return how a module is imported; None for what the table does not have."""
        inner = self._inner(name)
        place = loaded(self._table).MODULES.get(inner) if inner and name != self._table else None
        return None if place is None else _spec(name, place)

    def place(self, module: str, name: str) -> str | None:
        """Return the place of a further name of a module; None where there is none."""
        if not f"{module}.".startswith(self._package) or name.startswith("__"):
            return None
        table, inner = loaded(self._table), self._inner(module)
        place: str | None = table.NAMES.get(inner, {}).get(name) or table.MODULES.get(f"{inner}.{name}".lstrip("."))
        return None if place == f"{module}:{name}" else place  # a name that the module itself should have

    def _inner(self, name: str) -> str:
        """Return a path without the package; "" for all else."""
        return name.removeprefix(self._package) if name.startswith(self._package) else ""


def further(module: str, name: str) -> str | None:
    """Return the place of a name that a module has by the table of paths; None where there is none."""
    finders = (finder for finder in sys.meta_path if isinstance(finder, Paths))
    return next((place for one in finders if (place := one.place(module, name)) is not None), None)


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
    module.setdefault("__path__", [])  # the table of paths may have modules below it

    def __getattr__(name: str) -> Any:  # noqa: N807 - a module's
        place = places.get(name)
        if place is None and (home := f"{module.get('__name__')}.{name}") in homes:
            place = home  # a module below this one, which `import` alone would make a name of it
        if place is None:
            place = further(str(module.get("__name__")), name)
        if place is None and _is_importing():  # by `from package import module`
            raise AttributeError(f"module {module.get('__name__')!r} has no attribute {name!r}")
        if place is None:
            try:
                raise missing(module.get("__name__", "functions"), name, {*module, *places}, instead)
            except AttributeError as error:
                error.__traceback__ = None  # the line that asks says all
                raise
        value = at(place)
        if prepare is not None:
            prepare(name, value)
        module[name] = value
        return value

    def __dir__() -> list[str]:  # noqa: N807 - a module's
        return sorted({*module, *places})

    return __getattr__, __dir__


def with_texts(table: str, module: str) -> Callable[[str, Any], None]:
    """Return a `prepare` of `late`: functions that tables make have their docstrings in a module of texts.

    Args:
        table: the module, whose `TEXTS` are docstrings by full names. It is loaded for a function whose docstring
            has no example.
        module: what stands before the names there: `np`.
    """

    def prepare(name: str, value: Any) -> None:
        if type(value) is FunctionType and f".{name}(" not in (value.__doc__ or ""):
            texts = loaded(table).TEXTS
            value.__doc__ = texts.get(f"{module}.{name}") or texts.get(f"{module}.{value.__name__}") or value.__doc__

    return prepare


def refuses(module: str, names: dict[str, Any], instead: Instead = None) -> Callable[[str], Any]:
    """Return a module's `__getattr__` that refuses names, as `missing` does, but those of the table of paths.

    Args:
        module: what it is called.
        names: its globals.
        instead: what to use instead of names that it will not have.
    """
    names.setdefault("__path__", [])  # as of `late`

    def __getattr__(name: str) -> Any:  # noqa: N807 - a module's
        place = further(module, name)
        if place is None:
            try:
                raise missing(module, name, names, instead)
            except AttributeError as error:
                error.__traceback__ = None  # the line that asks says all
                raise
        return at(place)

    return __getattr__


def face(
    names: dict[str, Any], package: str, own: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and `__dir__` of a module that has all that a package has, besides what is its own.

    Args:
        names: its globals.
        package: the package.
        own: the places of modules below it that are its own, by their names.
    """
    module: str = names["__name__"]
    names.setdefault("__path__", [])
    ALIASES.add(module, package, own)

    def __getattr__(name: str) -> Any:  # noqa: N807 - a module's
        if own and name in own:
            return loaded(own[name])
        if name == "__all__":
            base = loaded(package)
            return vars(base).get(name) or sorted(one for one in vars(base) if not one.startswith("_"))
        return ALIASES.seen_from(module, getattr(loaded(package), name))  # some paths stand for the package

    def __dir__() -> list[str]:  # noqa: N807 - a module's
        return sorted({*names, *(own or ()), *dir(loaded(package))})

    return __getattr__, __dir__


def replacing(names: dict[str, Any], base: ModuleType) -> dict[type, type]:
    """Return the public classes that a module defines so far, by those of the same names of another module.

    Args:
        names: the module's globals.
        base: the other module.
    """
    return {
        getattr(base, name): value
        for name, value in names.items()
        if isinstance(value, type) and value.__module__ == names["__name__"] and not name.startswith("_")
    }
