# SPDX-License-Identifier: Apache-2.0
"""States to begin with, of layers and cells, from what these say of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridize.array import np
from hybridize.array.operands import unknown_sizes
from hybridize.base.errors import ArgumentError, UndefinedError


class Stateful:
    """The base of layers and cells, which say in `state_info` what their states are."""

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Describe the states: for each its `shape`, and its `__layout__`."""
        raise UndefinedError("E328", f"{type(self).__name__} has no state_info", help="define state_info(batch_size=0)")

    def begin_state(self, batch_size: int = 0, func: Callable[..., Any] | None = None, **kwargs: Any) -> list[Any]:
        """Make states to begin with.

        Args:
            batch_size: how many sequences; 0 in a program: as many as the states are computed with.
            func: makes an array from `shape`, `dtype` and `kwargs`; `np.zeros` when None.
            kwargs: further arguments of `func`; a `dtype` among them wins.

        Raises:
            ArgumentError E331: the batch size is no number from 0, or `func` no function.
        """
        if not hasattr(batch_size, "__index__") or batch_size < 0:
            what = f"begin_state of {type(self).__name__} for batch_size={batch_size!r}"
            raise ArgumentError("E331", what, help="batch_size is a number of sequences, 0 or more")
        if func is not None and not callable(func):
            raise ArgumentError(
                "E331",
                f"begin_state of {type(self).__name__} with func={func!r}",
                help="func must take a shape, as np.zeros does",
            )
        make = np.zeros if func is None else func
        states = []
        for info in self.state_info(batch_size):
            described = {name: value for name, value in info.items() if not name.startswith("__")}
            state = make(**{**described, **kwargs})
            states.append(unknown_sizes(state, 0) if func is None else state)
        return states
