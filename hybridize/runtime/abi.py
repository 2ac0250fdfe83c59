# SPDX-License-Identifier: Apache-2.0
"""The number of what machine code and the runtime must agree on, which stands beside the code that files hold.

Code in the disk cache is found by a digest of the compiler itself. Code in a file may be of another release: it runs
here if it reads its tables, its plan and its records as this release writes them. Whoever changes one of those counts
`NUMBER` up (a test says when), and files from before are compiled anew where they are loaded.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any, Final

from hybridize.runtime import cpython, effects, entry, exchange, image, plan, pool
from hybridize.runtime.serialization import stored_name

NUMBER: Final = 19


def facts() -> str:
    """Return the text whose digest `NUMBER` stands for."""
    classes = [image.Image, *plan.PLAN_CLASSES]
    names = {kind.__name__: stored_name(kind) for kind in classes}
    fields = {
        stored_name(kind): [(field.name, _in_stored_names(str(field.type), names)) for field in _fields(kind)]
        for kind in classes
    }
    tables = [
        entry.FIELDS,
        entry.ARGUMENT,
        entry.OUTPUT,
        entry.GUARD,
        exchange.EXCHANGE,
        cpython.EXTERNALS,
        plan.FRAME,
        plan.PREPARE,
    ]
    words = [pool.TEAM, pool.WORD, pool.PARALLEL, pool.SHUTDOWN, effects.VARIABLE, effects.WATCHED, effects.NUMBERS]
    kinds = [{one.name: one.value for one in kind} for kind in (entry.ArgumentKind, entry.Returns, entry.Look)]
    offsets = {name: value for name, value in vars(cpython).items() if name.startswith(("OB_", "ARRAY_", "FLOAT_"))}
    return repr((fields, tables, words, kinds, offsets))


def _fields(kind: Any) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(kind)


def _in_stored_names(annotation: str, names: Mapping[str, str]) -> str:
    """Return an annotation with the names that files hold, so that renaming a class changes no format."""
    return re.sub(r"\w+", lambda word: names.get(word[0], word[0]), annotation)
