# SPDX-License-Identifier: Apache-2.0
"""MXNet 1.9.1's face: `import hybridize.mxnet as mx` gives programs the version that they ask for.

All else is hybridize's own: `hybridize.mxnet.gluon` is `hybridize.gluon`, and `from hybridize.mxnet.gluon.nn import
Dense` imports no second one.
"""

import sys
from importlib.machinery import ModuleSpec
from typing import Any

import hybridize
from hybridize.base.names import Alias
from hybridize.base.version import MXNET

__version__ = MXNET
__path__: list[str] = []

_ROOT, _FACE = f"{hybridize.__name__}.", f"{__name__}."


class _Face:
    """Finds the modules of the face, before Python looks for files, of which it would make copies."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return how a module is imported; None for what is not below the face."""
        if not name.startswith(_FACE):
            return None
        inner = name.removeprefix(_FACE)
        return ModuleSpec(name, Alias(_ROOT + inner, hybridize.PATHS.below(inner)))


sys.meta_path.insert(0, _Face)  # type: ignore[arg-type]


def __getattr__(name: str) -> Any:
    return getattr(hybridize, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(hybridize)})
