# SPDX-License-Identifier: Apache-2.0
"""The number of what machine code and the runtime must agree on, which stands beside the code that files hold.

Code in the disk cache is found by a digest of the compiler itself. Code in a file may be of another release: it runs
here if it reads its tables, its plan and its records as this release writes them. Whoever changes one of those counts
`NUMBER` up (a test says when), and files from before are compiled anew where they are loaded.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Final

from hybridize.runtime import cpython, effects, entry, image, plan, pool

NUMBER: Final = 2


def facts() -> str:
    """What `NUMBER` stands for, as text."""
    classes = [image.Image, plan.Buffer, plan.Place, plan.Step, plan.Pack, plan.Plan]
    fields = {kind.__name__: [(field.name, str(field.type)) for field in _fields(kind)] for kind in classes}
    tables = [entry.FIELDS, entry.ARGUMENT, entry.OUTPUT, entry.GUARD, cpython.EXTERNALS, plan.FRAME, plan.PREPARE]
    words = [pool.TEAM, pool.WORD, pool.PARALLEL, pool.SHUTDOWN, effects.VARIABLE]
    kinds = [{one.name: one.value for one in kind} for kind in (entry.Kind, entry.Returns, entry.Look)]
    offsets = {name: value for name, value in vars(cpython).items() if name.startswith(("OB_", "ARRAY_", "FLOAT_"))}
    return repr((fields, tables, words, kinds, offsets))


def _fields(kind: Any) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(kind)
