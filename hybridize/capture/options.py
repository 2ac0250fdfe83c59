# SPDX-License-Identifier: Apache-2.0
"""`Options`: the keywords of `hybridize`."""

from __future__ import annotations

from typing import Any, Final

from hybridize.base.errors import ArgumentError
from hybridize.base.frozen import frozen

_IGNORED = frozenset({
    "static_alloc", "static_shape", "inline_limit", "forward_bulk_size", "backward_bulk_size", "clear",
    "partition_if_dynamic",
})  # fmt: skip
_ALLOWED: dict[str, tuple[Any, ...]] = {
    "backend": ("llvm", "numpy"), "verify": (False, None, "outputs", "ops"), "dynamic": (None, True, False),
    "freeze": (True, False), "winograd": (True, False),
}  # fmt: skip


@frozen
class Options:
    """Keywords of `hybridize`."""

    backend: str = "llvm"
    verify: Any = False
    dynamic: bool | None = None
    freeze: bool = False
    threads: int | None = None
    winograd: bool = False

    @classmethod
    def of(cls, keywords: dict[str, Any]) -> Options:
        """Check keywords.

        Raises:
            ArgumentError E329, E330: an unknown keyword, a value that a keyword does not take.
        """
        for name in keywords:
            if name not in cls.__dataclass_fields__ and name not in _IGNORED:
                known = ", ".join(cls.__dataclass_fields__)
                text = f"hybridize() got an unexpected keyword {name!r}"
                raise ArgumentError("E329", text, help=f"known: {known}")
        options = cls(**{name: value for name, value in keywords.items() if name not in _IGNORED})
        for name, value in keywords.items():
            allowed = _ALLOWED.get(name, (value,))
            if not any(value is one or (isinstance(one, str) and value == one) for one in allowed):
                raise ArgumentError("E330", f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")
        threads = options.threads
        if threads is not None and (not isinstance(threads, int) or isinstance(threads, bool) or threads < 1):
            raise ArgumentError("E330", f"threads must be a positive integer or None, got {threads!r}")
        return options


DEFAULTS: Final = Options()
