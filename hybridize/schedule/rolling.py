# SPDX-License-Identifier: Apache-2.0
"""Rolling bands: consecutive contractions over images that run a few lines at a time, one after the other.

    expand   lines  0..5   | 5..9    | 9..13    ...
    window         0..2    |   2..4  |   4..6
    project        0..2    |   2..4  |   4..6

As in an inverted residual: a pointwise convolution makes many channels, a depthwise one filters them, a pointwise one
adds them up. What lies between them is kept for a few lines only, which stay in the second-level cache, and never goes
through memory as a whole. A window sees lines of its neighbours, so some lines of a block are kept for the next one:
they are moved to the beginning of that memory. Every line is computed once, by the same tiles, so bits are the same;
only where a thread begins in the middle it computes again the lines that its first window sees.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hybridize.base.dims import hint, known, product
from hybridize.base.frozen import frozen
from hybridize.loops.expr import Axis, Expr
from hybridize.loops.index import Index
from hybridize.loops.kernel import Statement
from hybridize.machine.target import Target
from hybridize.schedule import thresholds
from hybridize.schedule.bands import Memory
from hybridize.schedule.contraction.lanes import LanePlan
from hybridize.schedule.contraction.taps import TapPlan
from hybridize.schedule.memory import ScratchBlock
from hybridize.schedule.steps import RollingBlock, RollingCut, RollingLines


@frozen(eq=False)
class RollingMember:
    """A contraction over an image that may share a rolling band: all that it reads and writes is where it lies."""

    number: int
    plan: TapPlan | LanePlan
    stores: tuple[Statement, ...]
    x: Memory
    memories: tuple[Memory, ...]
    """Of its params."""
    elements: tuple[int, ...]
    """Of those memories."""
    itemsizes: tuple[int, ...]
    nbytes: int
    flops: int


@frozen
class _Walk:
    """The lines of an image that a contraction walks, a unit of its work at a time."""

    units: int
    rows: int
    """Lines of the result."""
    height: int
    """Lines of a unit; those of the last one end with the image."""
    axis: int
    """The axis of the result that counts them."""

    def of(self, unit: int) -> tuple[int, int]:
        """The first line of a unit, and the one after its last."""
        first = min(unit * self.height, self.rows - self.height)
        return first, first + self.height


@frozen
class _Lines:
    """Lines of memory that one step stores and the next one reads."""

    block: ScratchBlock
    pitch: int
    """Elements of a line."""
    count: int
    itemsize: int
    first: int
    """The line of memory that is the first of the result: those before, and after the last, are zeros."""
    stride: int
    """Lines from one line of the reader's result to the next."""
    start: int
    """The first line that the first one of its result sees."""
    seen: int
    """Lines that one of its result sees."""

    @property
    def line_bytes(self) -> int:
        """Bytes of a line."""
        return self.pitch * self.itemsize


@frozen(eq=False)
class _Chain:
    members: tuple[RollingMember, ...]
    walks: tuple[_Walk, ...]
    between: tuple[_Lines, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of all that lies between the steps."""
        return sum(one.count * one.line_bytes for one in self.between)


@frozen(eq=False)
class RollingRun:
    """Consecutive members that run some lines at a time."""

    members: tuple[RollingMember, ...]
    blocks: tuple[ScratchBlock, ...]
    """The memory between them."""
    cut: RollingCut

    @property
    def span(self) -> tuple[int, int]:
        """The first and last step."""
        return self.members[0].number, self.members[-1].number

    @property
    def work(self) -> tuple[int, int]:
        """Bytes that are read and written, and operations."""
        return sum(member.nbytes for member in self.members), sum(member.flops for member in self.members)

    @property
    def block_bytes(self) -> list[int]:
        """Bytes of the lines that are kept of each memory."""
        return [lines.count * lines.line_bytes for lines in self.cut.lines]


def find_rolling(members: Iterable[RollingMember], target: Target, threads: int) -> list[RollingRun]:
    """The bands of lines among the steps of a program, in order."""
    # Steps are given pointers to where all lines would begin, before the memory that there is.
    if target.pointer_bytes < 8:
        return []
    walking = (one for one in members if _walk(one.plan) is not None)
    return [run for chain in _chains(walking) for run in _parted(*chain, target, threads)]


def _chains(walking: Iterable[RollingMember]) -> Iterable[tuple[list[RollingMember], list[_Lines]]]:
    """The longest chains of steps each of which reads what the one before it stores."""
    members: list[RollingMember] = []
    between: list[_Lines] = []
    for member in walking:
        lines = _lines(members[-1], member) if members and members[-1].number + 1 == member.number else None
        if members and lines is None:
            yield members, between
            members, between = [], []
        members.append(member)
        between += [] if lines is None else [lines]
    if members:
        yield members, between


def _parted(
    members: Sequence[RollingMember], between: Sequence[_Lines], target: Target, threads: int
) -> list[RollingRun]:
    """Part a chain into bands, so that the fewest bytes go through memory as a whole."""
    best: list[tuple[int, list[RollingRun]]] = [(0, [])]
    for end in range(1, len(members) + 1):
        options = [best[end - 1]]
        for start in range(max(0, end - thresholds.ROLLING_STEPS), end - 1):
            walks = tuple(walk for one in members[start:end] if (walk := _walk(one.plan)) is not None)
            chain = _Chain(tuple(members[start:end]), walks, tuple(between[start : end - 1]))
            cut = _cut(chain, target, threads)
            if cut is not None:
                run = RollingRun(chain.members, tuple(lines.block for lines in chain.between), cut)
                options.append((best[start][0] + chain.nbytes, [*best[start][1], run]))
        best.append(max(options, key=lambda option: option[0]))
    return best[-1][1]


def _cut(chain: _Chain, target: Target, threads: int) -> RollingCut | None:
    """Cut a chain into blocks: how many units of the last step each has, and what of the others; None where that is not
    faster.
    """
    if chain.nbytes * thresholds.FAR_SHARE <= target.l2_bytes or all(lines.seen == 1 for lines in chain.between):
        return None
    if sum(hint(one.flops) for one in chain.members) > thresholds.ROLLING_WORK * chain.nbytes:
        return None
    if sum(map(_weights, chain.members)) * thresholds.WEIGHT_SHARE > target.l2_bytes:
        return None
    again = sum(max(0, lines.seen - lines.stride) for lines in chain.between) * (threads - 1)
    if again * thresholds.ROLLING_AGAIN > min(walk.rows for walk in chain.walks):
        return None
    units, best = chain.walks[-1].units, None
    for size in range(1, units):
        blocks, lines = _blocks(chain, size)
        nbytes = sum(one.count * one.line_bytes for one in lines)
        share = 2 if best is None else thresholds.BLOCK_SHARE
        if nbytes * min(share, thresholds.BLOCK_SHARE) > target.l2_bytes or len(blocks) < threads:
            break
        if all(move[1] <= move[0] for block in blocks for move in block.moved):
            best = RollingCut(size, units, lines, blocks)
    return best if best is not None and len(best.blocks) > 1 else None


def _weights(member: RollingMember) -> int:
    """Bytes of the weights of a step."""
    plan = member.plan
    if isinstance(plan, LanePlan):  # an element for each lane and each sum
        (part,) = plan.tiles[0].parts
        walked = (size for axis, size in enumerate(part.sizes) if plan.w_stride(axis))
        return hint(product(walked)) * plan.elements.itemsize
    elements = plan.packed_elements
    return hint(elements) * plan.elements.itemsize


def _walk(plan: TapPlan | LanePlan) -> _Walk | None:
    """The lines that a plan's units are; None where they are none of one image, or not known."""
    if len(plan.tiles) != 1 or len(plan.tiles[0].parts) != 1 or not known((plan.lines, *plan.sizes)):
        return None
    if isinstance(plan, TapPlan):
        tiles = plan.tiles[0]
        axes = [(axis.axis, size, 1) for axis, size in zip(tiles.outer, tiles.parts[0].lines, strict=True)]
        if product(axis.size for axis in plan.packed_groups) != 1 or plan.scratch_bytes or plan.blocks.count != 1:
            return None
        if any(axis.step != 1 for axis in (*tiles.outer, tiles.row)):
            return None
    else:
        part = plan.tiles[0].parts[0]
        axes = [(axis, part.sizes[axis], count) for axis, count in plan.tiles[0].rows[:-1]]
        if plan.by_lanes or plan.is_summed or any(axis.step != 1 for axis in plan.axes):
            return None
    counted = [(axis, size, height) for axis, size, height in axes if size != 1]
    if len(counted) != 1:
        return None
    ((axis, size, height),) = counted
    if size < height or plan.sizes[axis] != size:
        return None
    return _Walk(-(-size // height), size, height, axis)


def _reads(plan: TapPlan | LanePlan) -> tuple[int, list[tuple[int, int, int]]]:
    """The first element of x that a plan reads, and each axis that it walks x along: its number, step and size."""
    if isinstance(plan, TapPlan):
        (tiles,) = plan.tiles
        (part,) = tiles.parts
        axes = [(axis.axis, axis.x, size) for axis, size in zip(tiles.outer, part.lines, strict=True)]
        axes.append((tiles.row.axis, tiles.row.x, part.rows))
        axes += [(axis.axis, axis.x, size) for axis, size in zip(plan.taps, part.taps, strict=True)]
        axes += [(axis.axis, axis.x, axis.size) for axis in plan.terms]
        return part.start, axes
    (lane_part,) = plan.tiles[0].parts
    return lane_part.x, [(axis, plan.x_stride(axis), size) for axis, size in enumerate(lane_part.sizes)]


def _lines(member: RollingMember, following: RollingMember) -> _Lines | None:
    """The lines between two steps, if the second one alone reads what the first one stores, and nothing else of it."""
    walk, reader = _walk(member.plan), _walk(following.plan)
    if walk is None or reader is None or len(member.stores) != 1:
        return None
    (store,) = member.stores
    block = member.memories[store.buffer]
    if not isinstance(block, ScratchBlock) or following.x is not block or block in following.memories:
        return None
    if block.first != member.number or block.last != following.number:
        return None
    elements, itemsize = member.elements[store.buffer], member.itemsizes[store.buffer]
    steps, offset = _strides(store.index)
    if steps is None or not known((offset, elements, *steps.values())):
        return None
    pitch = steps.pop(walk.axis, 0)
    if pitch <= 0 or elements % pitch or any(step < 0 for step in steps.values()):
        return None
    if offset % pitch + sum(step * (member.plan.sizes[axis] - 1) for axis, step in steps.items()) >= pitch:
        return None
    start, axes = _reads(following.plan)
    if not known((start, *(number for axis in axes for number in axis))):
        return None
    stride, seen, within = 0, 1, start % pitch
    for axis, step, size in axes:
        if axis == reader.axis:
            stride = step // pitch
            if step <= 0 or step % pitch:
                return None
        elif size > 1 and step and step % pitch == 0 and step > 0:
            seen += (size - 1) * step // pitch
        elif step < 0:
            return None
        else:
            within += (size - 1) * step
    if within >= pitch or not stride:
        return None
    return _Lines(
        block=block,
        pitch=pitch,
        count=elements // pitch,
        itemsize=itemsize,
        first=offset // pitch,
        stride=stride,
        start=start // pitch,
        seen=seen,
    )


def _strides(index: Expr) -> tuple[dict[int, int] | None, int]:
    """The step of an address along each axis, and its first; None where it is not affine in the axes."""
    constant, terms = (index.constant, index.terms) if isinstance(index, Index) else (0, ((index, 1),))
    if not all(isinstance(atom, Axis) and atom.number >= 0 for atom, _ in terms):
        return None, 0
    return {atom.number: step for atom, step in terms if isinstance(atom, Axis)}, constant


def _blocks(chain: _Chain, size: int) -> tuple[tuple[RollingBlock, ...], tuple[RollingLines, ...]]:
    """Find the work of each step for each block of so many units of the last one, and the lines that are kept."""
    count = -(-chain.walks[-1].units // size)
    done = [0] * len(chain.walks)
    ranges: list[list[tuple[int, int, int]]] = []
    """For each block, and each step, its first unit by itself, the first one not yet done, the end."""
    windows: list[list[tuple[int, int]]] = []
    """For each block, and each memory, the first line that is there, and the end."""
    for block in range(count):
        wanted = (block * size, min((block + 1) * size, chain.walks[-1].units))
        ranges_of = [(wanted[0], wanted[0], wanted[1])]
        lines_of: list[tuple[int, int]] = []
        for k in reversed(range(len(chain.between))):
            lines, walk, reader = chain.between[k], chain.walks[k], chain.walks[k + 1]
            spans = [reader.of(unit) for unit in range(*wanted)]
            low = min(span[0] for span in spans) * lines.stride + lines.start
            high = (max(span[1] for span in spans) - 1) * lines.stride + lines.start + lines.seen
            rows = [min(max(line - lines.first, 0), walk.rows) for line in (low, high)]
            begin, end = rows[0] // walk.height, -(-rows[1] // walk.height)
            wanted = begin, max(begin, end, done[k])
            ranges_of.append((begin, max(begin, done[k]), wanted[1]))
            written = [walk.of(unit) for unit in range(begin, wanted[1])]
            low = min([low, *(span[0] + lines.first for span in written)])
            high = max([high, *(span[1] + lines.first for span in written)])
            lines_of.append((low, high))
        ranges.append(ranges_of[::-1])
        windows.append(lines_of[::-1])
        done = [end for _, _, end in ranges[-1]]
    blocks = []
    for block in range(count):
        moved, zeros = [], []
        for k, lines in enumerate(chain.between):
            low, high = windows[block][k]
            following = windows[block + 1][k][0] if block + 1 < count else high
            moved.append((following - low, max(0, high - following)))
            before = windows[block - 1][k][1] if block else low
            end = lines.first + chain.walks[k].rows
            zeros.append((max(before, end, low) - low, max(0, high - max(before, end, low))))
        firsts = tuple(low for low, _ in windows[block])
        blocks.append(RollingBlock(tuple(ranges[block]), firsts, tuple(moved), tuple(zeros)))
    between = []
    for k, lines in enumerate(chain.between):
        most = max(high - low for low, high in (window[k] for window in windows))
        between.append(RollingLines(lines.line_bytes, most, lines.count))
    return tuple(blocks), tuple(between)
