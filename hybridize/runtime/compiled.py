# SPDX-License-Identifier: Apache-2.0
"""A compiled program, wherever its code runs: what it takes and gives, for which sizes, how much memory it needs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybridize.base.types import Shape, TensorType
from hybridize.runtime.plan import Plan, PlanStep
from hybridize.runtime.sizes import CallSizes, Types


class CompiledProgram(ABC):
    """Base of programs whose code runs at the host (`Executable`), and of those whose kernels a device runs
    (`DeviceExecutable`).
    """

    code_bytes: int
    """Memory of the code."""

    def __init__(
        self,
        plan: Plan,
        *,
        name: str = "program",
        types: Types | None = None,
        optimized: Callable[[], Any] | None = None,
        graph_bytes: int = 0,
        timings: Mapping[str, float] | None = None,
        llvm_text: Callable[[], str] | None = None,
        updates: Mapping[int, int] | None = None,
        machine: str = "",
    ) -> None:
        """`types` are those of inputs and outputs, for a plan that would have to be read for them.

        `updates` are the outputs that it was compiled to have in an input's place, where that can be. `machine` is the
        name of the target, where that is not this machine.
        """
        self.name = name
        self.plan = plan
        self.machine: str = machine
        self.updates: dict[int, int] = dict(updates or {})
        self._optimized = optimized
        self._graph_bytes = graph_bytes
        self.timings: dict[str, float] = dict(timings or {})
        """Milliseconds of each stage of compilation."""
        self.sizes: CallSizes = CallSizes(plan, name, types)
        """Binds the size symbols of each call."""
        self.parameters: list[TensorType] = self.sizes.parameters
        """Types of the inputs of `run`; sizes that are the call's are dims."""
        self.results: list[TensorType] = self.sizes.results
        """Types of the outputs of `run`."""
        self._llvm_text = llvm_text

    @property
    @abstractmethod
    def constant_bytes(self) -> int:
        """Memory of the constants as the program reads them."""

    @property
    def stable(self) -> tuple[int, ...]:
        """Numbers of the inputs that constants are derived of."""
        return tuple(sorted({number for one in self.plan.derivations for number in one.inputs}))

    @property
    def optimized(self) -> Any:
        """The graph after all passes, where the program was made of one; None where it was not."""
        return self._optimized() if self._optimized is not None else None

    @property
    def kernels(self) -> tuple[PlanStep, ...]:
        """The steps of the program, in order; at the sizes that it was compiled at, like all figures here."""
        return self.plan.as_compiled().steps

    @property
    def scratch_bytes(self) -> int:
        """Memory that a call needs besides its outputs."""
        return self.sizes.scratch_bytes({symbol: symbol.hint for symbol in self.sizes.scope.symbols})

    @property
    def peak_bytes(self) -> int:
        """Scratch and outputs of one call."""
        return self.plan.as_compiled().peak_bytes

    @property
    def held_bytes(self) -> int:
        """All memory that lives as long as this object: code, constants, and those of the graph it was made of."""
        return self.code_bytes + self.constant_bytes + self._graph_bytes

    @property
    def llvm_text(self) -> str:
        """The LLVM IR of the program; written anew each time, as it is large and seldom read."""
        return self._llvm_text() if self._llvm_text is not None else ""

    def accepts(self, shapes: Sequence[Shape]) -> bool:
        """Tell whether the program holds for inputs of these shapes."""
        return self.sizes.bound(shapes) is not None

    def peak_bytes_of(self, shapes: Sequence[Shape]) -> int:
        """Scratch and outputs of a call with inputs of these shapes."""
        sizes = self.sizes.checked(shapes)
        return self.plan.at({symbol.name: number for symbol, number in sizes.items()}).peak_bytes
