# SPDX-License-Identifier: Apache-2.0
"""Late imports: modules that a function loads when it is first called, so that `import hybridize` stays light.

Python locks each module while it is loaded. A process that is forked meanwhile by another thread has that lock in the
child, held by a thread that is not there: who imports the module then waits for ever. So whatever a function of the
package imports is imported while it holds LOADING, which a fork waits for:

    with LOADING:
        from hybridize.codegen.llvm.program import build  # late: why

Locks are taken in the order of their levels, and LOADING has the highest: it is entered with any of the others held,
and none of them is entered by a module as it is loaded, nor LOADING itself. (Two threads of which one has LOADING and
waits for a module, and the other loads the module and waits for LOADING, would wait for each other.) Modules of the
user's are not imported under it, as nobody knows what they wait for.

Entered again it costs as much as an attribute. What is called again and again, though, keeps what it has imported:
another thread may be loading LLVM for a quarter of a second.
"""

from __future__ import annotations

import importlib
from typing import Any, Final

from hybridize.base.collector import seldom
from hybridize.base.forks import awaited
from hybridize.system.imports import IMPORTS

LOADING: Final = awaited(IMPORTS, 3)
"""Held while a module is loaded."""


def load_module(name: str) -> Any:
    """Return the module of this name, which is imported if it was not yet."""
    with LOADING, seldom():
        return importlib.import_module(name)
