# SPDX-License-Identifier: Apache-2.0
"""A module taken apart into texts: some of its functions for LLVM, one of them as what its code depends on."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from hybridize.codegen.llvm.text import NAMED, Module
from hybridize.codegen.split import SECTION

APART: Final = 3
"""So many functions for which plain code will do are worth a text of their own."""

SHARE: Final = 6000
"""Characters of functions that work which are worth a module and a thread of their own: some 2 ms of LLVM's time, where
a module costs 0.5 ms. Measured 2026-11-29, Zen 4."""

PLAIN_SPEED: Final = 3
"""So many times faster is plain code made. Measured 2026-11-29, Zen 4."""


class Parts:
    """The functions of a module as texts, each written once."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._texts = {name: function.text() for name, function in module.functions.items()}
        self._mentioned = {name: tuple(dict.fromkeys(NAMED.findall(text))) for name, text in self._texts.items()}
        self.exported: list[str] = [name for name, function in module.functions.items() if function.exported]
        """The functions that others than the module know."""
        plain = frozenset(name for name, one in module.functions.items() if one.seldom or not one.works)
        self.plain: frozenset[str] = plain if len(plain) >= APART else frozenset()
        """The functions for which plain code will do, where there are several: those that seldom run, and those that
        only call others.
        """

    def length(self, name: str) -> int:
        """The characters of a function."""
        return len(self._texts[name])

    def text(self, names: Collection[str]) -> str:
        """Write some of the functions, each in a section of its own, with declarations of others that they name."""
        mentioned = dict.fromkeys(one for name in names for one in self._mentioned[name])
        # A constant that the text names has a section of its own, too.
        lines = [
            line.replace(", align 64", f', section ".rodata.{number}", align 64') if " = private " in line else line
            for number, line in enumerate(self._declared(mentioned, names))
        ]
        return "\n".join([*lines, *map(self._apart, names)]) + "\n"

    def _apart(self, name: str) -> str:
        head, _, rest = self._texts[name].partition(" {\n")
        head = head.replace("define internal ", "define hidden ", 1)
        return f'{head} section "{SECTION}{name}" {{\n{rest}'

    def outline(self, name: str) -> tuple[str, tuple[str, ...]]:
        """Write a function so that equal code has equal text: names of the module are numbers in it.

        Returns the text, and the functions and variables by number; the first is the function itself.
        """
        module, mentioned = self._module, self._mentioned[name]
        names = [name]
        names += (one for one in mentioned if one != name and (one in module.functions or one in module.variables))
        constants = [one for one in mentioned if one in module.globals and one not in module.variables]
        text = "\n".join([*self._declared(mentioned, (name,)), self._texts[name]])
        if len(names) + len(constants) == 1:
            return text.replace(f"@{name}(", "@0(", 1), (name,)
        numbers = {one: f"@{number}" for number, one in enumerate([*names, *constants])}
        return NAMED.sub(lambda match: numbers.get(match[1], match[0]), text), tuple(names)

    def _declared(self, names: Iterable[str], own: Collection[str]) -> list[str]:
        """Declare what functions name of the module, but for `own`, which stand beside them."""
        module = self._module
        lines: list[str] = []
        for name in names:
            if name in module.variables:
                lines.append(f"@{name} = external global [{module.variables[name]} x i8], align 64")
            elif name in module.globals:
                lines.append(module.globals[name])
            elif name in module.declarations:
                lines.append(module.declarations[name])
            elif name in module.functions and name not in own:
                lines.append(module.functions[name].declaration())
        return lines
