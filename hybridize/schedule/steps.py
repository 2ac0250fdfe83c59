# SPDX-License-Identifier: Apache-2.0
"""What a schedule is made of: steps over places, ready for codegen."""

from __future__ import annotations

from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.graph.ir import Buffer
from hybridize.loops.expr import Expr, Routine
from hybridize.loops.kernel import Kernel, Param
from hybridize.runtime.plan import Plan
from hybridize.schedule.parallel import Split


@frozen
class About:
    """Where a step comes from: its ops and the user's lines, in order."""

    ops: tuple[str, ...]
    lines: tuple[str, ...]


@frozen
class Place:
    """Where the bytes of a stored value are during a call; `runtime.plan.Place` is the same as text."""

    kind: str
    """input (also constants), output or scratch."""
    slot: int
    offset: int
    """In bytes; may be a dim."""


@frozen
class Extra:
    """A store besides the main one in the epilogue of a contraction."""

    param: int
    address: Expr
    value: Expr


@frozen
class Finish:
    """What becomes of each element of a contraction before it is stored.

    Expressions over Axis 0, 1, 2 (batch, row, column), the accumulated element being a load of operand -1.
    """

    value: Expr
    params: tuple[Param, ...]
    extras: tuple[Extra, ...]


@frozen
class Product:
    """A contraction: y[batch, m, n] = sum over k of x[batch, m, k] w[batch, k, n], either stored transposed."""

    x: TensorType
    w: TensorType
    batch: int
    m: int
    n: int
    k: int
    transpose_x: bool
    transpose_w: bool
    shared_x: bool = False
    """x is one matrix for the whole batch."""
    shared_w: bool = False
    packed: bool = False
    """w is as `Packed` says."""


@frozen
class Stable:
    """Part of an input that is the same at most calls, from an element on."""

    input: int
    offset: int


@frozen(eq=False)
class Packed:
    """A constant made of another one, or of an input that seldom changes: w of `product` as its tiles read it."""

    source: Buffer | Stable
    product: Product
    """One that reads it; w is packed alike for every m."""


@frozen(eq=False)
class Team:
    """A constant that is no array: who runs the loops of steps that are split, as `runtime.pool` says."""


@frozen
class LoopStep:
    """Run a kernel; one place per param."""

    about: About
    kernel: Kernel
    places: tuple[Place, ...]
    split: Split | None = None


@frozen
class ProductStep:
    """Run a contraction and finish its elements; `places` are out, x, w and the finish's params."""

    about: About
    product: Product
    out: TensorType
    finish: Finish | None
    places: tuple[Place, ...]
    workspace: Place
    split: Split | None = None


@frozen
class RoutineStep:
    """Run a routine; `places` are outputs, then inputs."""

    about: About
    routine: Routine
    inputs: tuple[TensorType, ...]
    outputs: tuple[TensorType, ...]
    places: tuple[Place, ...]
    workspace: Place


@frozen
class RegionStep:
    """Control flow; `places` are outputs, then inputs.

    State that the body hands on as it is (`steady`) stays where it is and is no output of the body. The rest of the
    state is kept twice in the workspace; then come a line for the condition of a while loop and the bodies' scratch.
    """

    about: About
    kind: str
    """cond, while or scan."""
    bodies: tuple[Schedule, ...]
    """then and orelse; condition and body; body."""
    constants: tuple[tuple[int, ...], ...]
    """For each body, the slots of its constants in this program's array of inputs."""
    carried: int
    """How many of the inputs are state."""
    steady: tuple[int, ...]
    length: int
    """Of a scan."""
    reverse: bool
    stacked: tuple[int, ...]
    """Inputs of a scan that are sliced along their first axis."""
    inputs: tuple[TensorType, ...]
    outputs: tuple[TensorType, ...]
    places: tuple[Place, ...]
    workspace: Place
    state_offsets: tuple[int, ...]
    """Where each state value lies within one copy of the state."""
    state_bytes: int
    scratch_offset: int


ScheduleStep = LoopStep | ProductStep | RoutineStep | RegionStep


@frozen(eq=False)
class Schedule:
    """A program, ready for codegen."""

    plan: Plan
    steps: tuple[ScheduleStep, ...]
    constants: tuple[Buffer | Packed | Team, ...]
    """All constants in slot order: the graph's own (empty where no step reads them), then those of its sub-graphs and
    packed ones."""
    reads: frozenset[int]
    """Slots that steps read."""
    scratch_bytes: int
    work: tuple[int, int]
    """Bytes read and written, and operations, of all steps."""
