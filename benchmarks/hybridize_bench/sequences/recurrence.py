# SPDX-License-Identifier: Apache-2.0
"""A layer of LSTM or GRU over a short sequence: its sizes, its data, what must come out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hybridize_bench.networks import F64
from hybridize_bench.peers import F32
from hybridize_bench.sequences import parts

GATES = {"lstm": 4, "gru": 3}
NAMES = ("w_input", "w_state", "b_input", "b_state")
"""The weights of a layer. Gates of an LSTM are i, f, g, o, of a GRU r, z, n, as MXNet and PyTorch have them."""


@dataclass(frozen=True)
class RecurrentNet:
    """One layer, from a state of zeros; all its outputs are the result."""

    kind: str
    """A key of `GATES`."""
    batch: int
    steps: int = 35
    inputs: int = 128
    hidden: int = 256
    table = "RECURRENCE"

    @property
    def title(self) -> str:
        """The sizes, in words."""
        return f"{self.kind.upper()}, {self.inputs} to {self.hidden}, T = {self.steps}, batch {self.batch}"

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the result."""
        return self.steps, self.batch, self.hidden

    def arrays(self) -> dict[str, F32]:
        """x [time, batch, in] and the weights, the same at every run."""
        random = np.random.default_rng(0)
        rows = GATES[self.kind] * self.hidden
        shapes = ((rows, self.inputs), (rows, self.hidden), (rows,), (rows,))
        bound = self.hidden**-0.5
        found = {name: random.uniform(-bound, bound, shape) for name, shape in zip(NAMES, shapes, strict=True)}
        found["x"] = random.standard_normal((self.steps, self.batch, self.inputs))
        return {name: array.astype(np.float32) for name, array in found.items()}

    def expected(self, arrays: dict[str, F32]) -> F64:
        """The outputs [time, batch, out] in float64."""
        x, *weights = (arrays[name].astype(np.float64) for name in ("x", *NAMES))
        return parts.gru(x, *weights) if self.kind == "gru" else parts.lstm(x, *weights)[0]

    @property
    def flops(self) -> int:
        """Operations of the products; a multiply-add is two."""
        return 2 * self.steps * self.batch * GATES[self.kind] * self.hidden * (self.inputs + self.hidden)

    @property
    def state_bytes(self) -> int:
        """Bytes of the weights that every step reads."""
        return 4 * GATES[self.kind] * self.hidden**2

    @property
    def read_bytes(self) -> int:
        """Bytes of weights that all steps read; those of the input are read once."""
        return self.steps * self.state_bytes + 4 * GATES[self.kind] * self.hidden * self.inputs
