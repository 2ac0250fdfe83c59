# SPDX-License-Identifier: Apache-2.0
"""Choose the steps that are worth several threads, and cut their work.

All of this is a guess about time. Results do not depend on it: whatever the cut, every element is computed by the same
code, in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dims import Size, hint, is_symbolic, same, text
from hybridize.base.frozen import changed, frozen
from hybridize.loops.expr import Load
from hybridize.loops.kernel import roots_of
from hybridize.loops.measure import walk
from hybridize.runtime.plan import BYTES_PER_US, FLOPS_PER_US
from hybridize.schedule import thresholds
from hybridize.schedule.kernel import Kernel, LoopAxis, Memcpy, Nest, Tiles


@frozen
class SharedLoop:
    """The loop of a nest that threads share by its turns: each turn is the same code, whoever runs it."""

    axis: int
    size: int
    step: int
    """Indices of one turn; the last may have fewer."""
    nests: int = 1
    """Nests one after the other that run in the same ranges: each its own part of what the others store."""

    @property
    def turns(self) -> int:
        """The number of times it runs."""
        return (self.size + self.step - 1) // self.step

    def __str__(self) -> str:
        return f"i{self.axis} by {self.step}{f' in {self.nests} nests' if self.nests > 1 else ''}"


def shared_loops(kernel: Kernel) -> tuple[SharedLoop | None, ...]:
    """The loops of a kernel's nests that threads share, one for those that run together; None: one thread runs it.

    To copy an image and to store the zeros around it is one loop over images, not five, each begun and ended.
    """
    return kernel.results.of(shared_loops, lambda: _shared_loops(kernel))


def _shared_loops(kernel: Kernel) -> tuple[SharedLoop | None, ...]:
    loops: list[SharedLoop | None] = []
    together: list[Nest] = []
    for nest in kernel.nests:
        loop, before = shared_loop(nest), loops[-1] if loops else None
        alike = loop is not None and before is not None and changed(before, nests=1) == loop
        if before is not None and alike and _apart(kernel, [*together, nest]):
            loops[-1] = changed(before, nests=before.nests + 1)
            together.append(nest)
        else:
            loops.append(loop)
            together = [nest]
    return tuple(loops)


def _apart(kernel: Kernel, nests: Sequence[Nest]) -> bool:
    """Tell whether no nest reads what one of them stores, so that ranges of one may run beside those of another."""
    statements = [statement for nest in nests for statement in nest.statements]
    stored = {statement.buffer for statement in statements}
    read = {node.operand for node in walk(*roots_of(statements)) if isinstance(node, Load)}
    buffers = (*kernel.params, *kernel.locals)
    return not stored & read and not any(buffers[number].shared for number in stored | read)


def shared_loop(nest: Nest) -> SharedLoop | None:
    """The outermost loop of a nest, which can be run in ranges; None where it turns only once, or there is none."""
    sizes = nest.bodies[0].sizes if nest.bodies else ()
    if not nest.bodies or any(same(size, 0) for size in (*(row.size for row in nest.rows), *sizes)):
        return None
    if nest.rows:
        return _several(0, nest.rows[0])
    axes = nest.bodies[0].axes
    # Another body would begin before all ranges of this one have ended.
    if len(nest.bodies) > 1 or not axes or isinstance(axes[0].kind, Memcpy):
        return None
    # Tiles of the first axis are inside of the loops over the others.
    first = next((k for k, axis in enumerate(axes[:-1]) if not isinstance(axis.kind, Tiles)), 0)
    return _several(first, axes[first])


def _several(number: int, axis: LoopAxis) -> SharedLoop | None:
    loop = SharedLoop(number, axis.size, axis.kind.step)
    return loop if is_symbolic(loop.turns) or loop.turns > 1 else None


@frozen
class ThreadRanges:
    """The ranges in which threads get the turns of a loop that they share."""

    grain: int | None
    """Turns of a range, at least; None where the call decides by its sizes: as many as take `RANGE_US`."""
    wakes: bool | None
    """True if workers that sleep are woken; None where the call decides: if its work takes `WORTH_US`."""
    alone_us: float
    """Estimated work below which a call that decides shares nothing."""

    def __str__(self) -> str:
        if self.grain is None:
            waking = ", woken" if self.wakes else ""
            return f"ranges that the call cuts, from {self.alone_us:g} us on{waking}"
        turns = f"{self.grain} turns" if self.grain > 1 else "a turn"
        return f"ranges of {turns} or more, {'woken' if self.wakes else 'where awake'}"


@frozen
class Split:
    """A step that threads share."""

    slots: int
    """Threads at most."""
    nbytes: int
    """Bytes read and written."""
    flops: int
    team: int
    """The slot, among the inputs, of who runs its loop: see `runtime.pool`."""
    strides: tuple[int, ...]
    """Bytes between the threads' own parts of each of the step's last addresses."""
    loops: tuple[SharedLoop | None, ...] = ()
    """Of a kernel: for each nest, or for some that run together, the loop that is shared; None where one thread runs
    it.
    """
    wakes: bool = False
    """True in a loop whose turns are worth waking workers together: they stay awake between two turns."""

    def ranges(self, turns: Size) -> ThreadRanges:
        """The ranges of a loop of so many turns."""
        return ranges_of(turns, self.nbytes, self.flops, wakes=self.wakes)

    def text(self, turns: Sequence[int]) -> str:
        """Describe it: `turns` are those of its loops, or of what it is called for."""
        own = " and ".join(map(text, dict.fromkeys(stride for stride in self.strides if not same(stride, 0))))
        threads = f"up to {self.slots} threads{f', each with {own} bytes,' if own else ''}"
        if not self.loops:
            return f"{threads} in {self.ranges(*turns)}"
        pairs = zip(self.loops, turns, strict=True)
        loops = ("none" if loop is None else f"{loop} in {self.ranges(count)}" for loop, count in pairs)
        return f"{threads} share {', '.join(loops)}"


def ranges_of(turns: Size, nbytes: int, flops: int, *, wakes: bool) -> ThreadRanges:
    """The ranges of a loop of so many turns and so much work; `wakes` as in `Split`."""
    if not isinstance(turns, int) or is_symbolic(nbytes) or is_symbolic(flops):
        least = min(thresholds.INNER_US if wakes else thresholds.AWAKE_US, thresholds.WORTH_US)
        return ThreadRanges(None, wakes or None, least)
    work = estimated_us(nbytes, flops)
    grain = int(hint(turns) * thresholds.RANGE_US / max(work, thresholds.RANGE_US))
    return ThreadRanges(max(1, grain), wakes or work >= thresholds.WORTH_US, 0.0)


def estimated_us(nbytes: int, flops: int) -> float:
    """Roughly how long a step takes on one core."""
    return hint(flops) / FLOPS_PER_US + hint(nbytes) / BYTES_PER_US


def shared_us(alone: float, turns: int, threads: int) -> float:
    """Roughly how long a loop takes of which threads share the turns, if they can."""
    if turns < 2 or threads < 2:
        return alone
    return alone * -(-turns // threads) / turns + thresholds.LOOP_US


def worth(nbytes: int, flops: int, awake: bool, turns: int = 1) -> bool:
    """Tell whether a step may be worth waking threads, or handing work to those that are `awake`; of a loop, one of its
    `turns`.
    """
    growth = thresholds.GROWTH if is_symbolic(nbytes) or is_symbolic(flops) else 1
    work = estimated_us(nbytes, flops) * growth
    if turns > 1:
        return work >= min(thresholds.INNER_US, thresholds.WORTH_US) and work * turns >= thresholds.WORTH_US
    return work >= (min(thresholds.AWAKE_US, thresholds.WORTH_US) if awake else thresholds.WORTH_US)
