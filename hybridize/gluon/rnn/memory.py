# SPDX-License-Identifier: Apache-2.0
"""The memory of a cell from one call to the next, besides its states: dropout masks, the last output."""

from __future__ import annotations

from typing import Any

from hybridize.capture.python.writes import refused
from hybridize.capture.trace.recording import current_trace
from hybridize.contract.places import Attribute


class CellMemory:
    """Holds an array, or nothing. A program reads and writes it as it does attributes of the user's objects."""

    def __init__(self) -> None:
        self.value: Any = None

    def get(self) -> Any:
        """Return what is held; None: nothing."""
        trace = current_trace()
        if trace is None:
            return self.value
        return trace.root.world.read(Attribute(self, "value"), self.value, "what a cell keeps")

    def set(self, value: Any) -> None:
        """Hold an array, or nothing.

        Raises:
            CaptureError E430: in a branch or loop of a program.
        """
        trace = current_trace()
        if trace is None:
            self.value = value
        elif value is not None or self.get() is not None:
            if trace.depth:
                raise refused(trace, "what a cell keeps between steps is set", "unroll is a loop that carries it")
            trace.root.world.write(Attribute(self, "value"), value)
