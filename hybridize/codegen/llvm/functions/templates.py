# SPDX-License-Identifier: Apache-2.0
"""Instructions that a rule writes again and again, kept as text: only the numbers of registers differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.text import Function, Module

_NAME = re.compile(r"%([a-z]+)(?:\.(\d+))?")


@frozen(eq=False)
class Template:
    """The instructions of a rule that branches nowhere, for `str.format`: arguments first, then fresh registers."""

    text: str
    result: str
    count: int
    """Fresh registers."""
    declarations: Mapping[str, str]

    def write(self, f: Function, args: Sequence[str]) -> str:
        """Write the instructions for these arguments; returns the register of the result."""
        names = [*args, *f.registers(self.count)]
        f.module.declarations.update(self.declarations)
        f.lines(self.text.format(*names))
        return self.result.format(*names)


def template(rule: Callable[..., str], arity: int) -> Template | None:
    """The template of what `rule`, of a function and its arguments, writes; None where that is more than a few
    instructions: blocks, memory, other functions.
    """
    f = Function(Module(), "rule", [])
    arguments = [f"%arg.{number}" for number in range(arity)]
    result = rule(f, *arguments)
    plain = f.body()
    if plain is None or len(f.module.functions) > 1 or f.module.globals:
        return None

    def place(match: re.Match[str]) -> str:
        number = int(match[2])
        return f"{{{number if match[1] == 'arg' else arity + number - 1}}}"

    names = {match[1] for match in _NAME.finditer(plain)}
    if not names <= {"arg", "t"} or "{" in plain:
        return None
    return Template(_NAME.sub(place, plain), _NAME.sub(place, result), f.count, dict(f.module.declarations))
