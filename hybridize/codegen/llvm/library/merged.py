# SPDX-License-Identifier: Apache-2.0
"""Several modules as one: other names, each function with the processor that it is for, what is unused left out.

LLVM takes a processor for each function, so one object holds code for several. What may be seen from outside is the
functions of the first module that are not internal to it; all else has no symbol that a linker would look at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.text import Module
from hybridize.machine.target import Target

_NAME = re.compile(r"@([\w.$-]+)")
_HEAD = re.compile(r"define (?:internal )?")


@frozen(eq=False)
class MergedModule:
    """A module, and what its names end in."""

    module: Module
    suffix: str
    target: Target


def merged(face: Module, parts: Sequence[MergedModule], base: Target, *, hidden: str, exported: str) -> str:
    """The text of all modules together.

    Args:
        face: functions that are exported, and what they need; its names stay. Others may call its functions.
        parts: the others.
        base: the processor that `face` is for.
        hidden: linkage of what is not exported.
        exported: storage class of what is.
    """
    targets: list[Target] = [base]
    public: list[str] = []
    same: dict[str, str] = {}
    declarations = dict(face.declarations)
    pieces = dict(face.globals)
    for name, function in face.functions.items():
        text = function.text()
        if text.startswith("define internal "):
            pieces[name] = _attributed(text, f"define {hidden} ", 0)
        else:
            public.append(name)
            pieces[name] = _attributed(text, f"define {exported} ".replace("  ", " "), 0)
    for part in parts:
        if part.target not in targets:
            targets.append(part.target)
        number = targets.index(part.target)
        declarations.update(part.module.declarations)
        names = {name: f"{name}{part.suffix}" for name in (*part.module.functions, *part.module.globals)}
        for name, line in part.module.globals.items():
            # Tables are the same for all processors.
            value = line.partition("=")[2]
            names[name] = same.setdefault(value, names[name])
            pieces[names[name]] = f"@{names[name]} ={value}"
        for name, function in part.module.functions.items():
            pieces[names[name]] = _attributed(_renamed(function.text(), names), f"define {hidden} ", number)
    definitions = _reachable(pieces, public)
    used = {name for piece in definitions.values() for name in _NAME.findall(piece)}
    lines = [line for name, line in declarations.items() if name in used]
    groups = [_group(number, target) for number, target in enumerate(targets)]
    return "\n".join([*lines, *definitions.values(), *groups]) + "\n"


def _renamed(text: str, names: Mapping[str, str]) -> str:
    return _NAME.sub(lambda match: f"@{names.get(match[1], match[1])}", text)


def _attributed(text: str, head: str, group: int) -> str:
    """A function with another beginning, and the attributes of its processor."""
    first, _, rest = text.partition("\n")
    signature, prologue, code = _HEAD.sub(head, first, count=1).removesuffix("{").partition("prologue ")
    return f"{signature}#{group} {prologue}{code}{{\n{rest}"


def _group(number: int, target: Target) -> str:
    features = f' "target-features"="{target.features}"' if target.features else ""
    return f'attributes #{number} = {{ "target-cpu"="{target.cpu}"{features} }}'


def _reachable(pieces: dict[str, str], roots: Iterable[str]) -> dict[str, str]:
    """The pieces that are called or read from the roots on, in their order."""
    names: set[str] = set()
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name in names or name not in pieces:
            continue
        names.add(name)
        waiting += _NAME.findall(pieces[name])
    return {name: piece for name, piece in pieces.items() if name in names}
