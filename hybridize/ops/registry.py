# SPDX-License-Identifier: Apache-2.0
"""A registry: what the modules of a package define, by name, whether they have been imported yet or not."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TypeVar

from hybridize.base.loading import load_module

T = TypeVar("T")


class OpRegistry(Mapping[str, T]):
    """Entries by their names, which modules add as they are imported.

    The package's other modules are imported when a name is not known, or all names are asked for: so nothing is loaded
    before somebody needs it, and nothing depends on who was imported first.

    Args:
        package: the name of the package whose modules add entries; modules elsewhere may as well.
    """

    def __init__(self, package: str) -> None:
        self._package = package
        self._entries: dict[str, T] = {}
        self._whole = False

    def add(self, name: str, entry: T) -> None:
        """Add an entry, or put it in the place of that of the same name."""
        self._entries[name] = entry

    def known(self, name: str) -> T | None:
        """The entry of this name that was added so far."""
        return self._entries.get(name)

    def _load(self) -> None:
        if not self._whole:
            for folder in load_module(self._package).__path__:
                for file in sorted(os.listdir(folder)):
                    stem, _, kind = file.partition(".")
                    if kind == "py" and stem != "__init__":
                        load_module(f"{self._package}.{stem}")
            self._whole = True

    def __getitem__(self, name: str) -> T:
        if name not in self._entries:
            self._load()
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        self._load()
        return iter(self._entries)

    def __len__(self) -> int:
        self._load()
        return len(self._entries)
