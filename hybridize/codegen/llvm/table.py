# SPDX-License-Identifier: Apache-2.0
"""The functions that a program has of its own, equal ones once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hybridize.codegen.llvm.text import Module
from hybridize.runtime.plan import PlanLaunch, Quantity


class FunctionTable:
    """Names functions of a module, and writes each of them once."""

    def __init__(self, module: Module, prefix: str) -> None:
        self.module: Final = module
        self.prefix: Final = prefix
        self.seldom = False
        """True while what is written runs once for each version of a constant of few bytes."""
        self._written: dict[str, str] = {}

    def once(self, kind: str, key: str, write: Callable[[str], object]) -> str:
        """Write a function unless an equal one is there; returns its name."""
        name = self._written.get(key)
        known = name is not None
        if name is None:
            name = self._written[key] = f"{self.prefix}.{kind}{len(self._written)}"
            write(name)
        function = self.module.functions.get(name)
        if function is not None:
            function.seldom = self.seldom and (function.seldom or not known)
        return name

    def launch(self, name: str, turns: Quantity = None) -> PlanLaunch:
        """A call of a function that is written, with the sizes that it asks for."""
        symbols = self.module.functions[name].symbols
        return PlanLaunch(name, turns, tuple(symbols[number].name for number in sorted(symbols)))
