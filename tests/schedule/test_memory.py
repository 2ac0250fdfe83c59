"""Blocks that live at the same time never overlap."""

import time

from hypothesis import given
from hypothesis import strategies as st

from hybridize.schedule.memory import ScratchBlock, assign, most_alive
from tests.platforms.pace import SLOWER

blocks = st.lists(
    st.tuples(st.integers(0, 5000), st.integers(0, 30), st.integers(0, 10)).map(
        lambda t: ScratchBlock(t[0], t[1], t[1] + t[2])
    ),
    max_size=40,
)


@given(blocks)
def test_live_ranges_at_one_offset_are_disjoint(made):
    top = assign(made)
    for i, a in enumerate(made):
        assert a.offset % 64 == 0
        assert a.offset + a.nbytes <= top
        for b in made[:i]:
            together = a.first <= b.last and b.first <= a.last
            assert not together or a.offset + a.nbytes <= b.offset or b.offset + b.nbytes <= a.offset


def test_memory_of_the_dead_is_used_again():
    made = [ScratchBlock(1000, 0, 1), ScratchBlock(500, 1, 2), ScratchBlock(900, 2, 3)]
    assert assign(made) == 1024 + 512


def fitted(made, order, lives):
    """The same said plainly: for each block in an order, the smallest hole between those that it `lives` with."""
    done = []
    for block in sorted(made, key=order):
        nbytes, end, best = -(-block.nbytes // 64) * 64, 0, None
        for offset, size, _ in sorted(((o, s, 0) for o, s, other in done if lives(other, block) and s)):
            if nbytes <= offset - end and (best is None or offset - end < best[1]):
                best = (end, offset - end)
            end = max(end, offset + size)
        done.append(((0 if not nbytes else end) if best is None else best[0], nbytes, block))
    return max((offset + size for offset, size, _ in done), default=0), done


@given(blocks)
def test_each_takes_the_smallest_hole(made):
    top = assign(made)
    needed, _ = fitted(made, lambda one: (one.first, -one.nbytes), lambda one, new: one.last >= new.first)
    by_size, _ = fitted(
        made, lambda one: (-one.nbytes, one.first), lambda one, new: one.first <= new.last and new.first <= one.last
    )
    assert most_alive(made) <= top == min(needed, by_size)
    placed = [block for block in made if block.nbytes]
    for number, one in enumerate(placed):
        for new in placed[:number]:
            together = one.first <= new.last and new.first <= one.last
            apart = one.offset + one.nbytes <= new.offset or new.offset + new.nbytes <= one.offset
            assert apart or not together


def test_what_lives_long_does_not_part_the_memory_of_what_dies_soon():
    """A number for each row, kept from one band to the next, beside what only the first band needs."""
    made = [ScratchBlock(3000, 0, 3), ScratchBlock(64, 0, 7), ScratchBlock(4000, 4, 7)]
    assert assign(made) == 64 + 4032


@given(st.lists(st.integers(1, 5000), max_size=20))
def test_what_a_backward_pass_reads_needs_no_more_than_is_alive(sizes):
    """Values that a forward pass keeps, each until the backward pass comes to it."""
    kept = [ScratchBlock(size, step, 2 * len(sizes) - step) for step, size in enumerate(sizes)]
    assert assign(kept) == most_alive(kept)


def test_many_blocks_that_live_long_take_no_time_to_place():
    made = [ScratchBlock(64, first, first + 20_000) for first in range(20_000)]
    begin = time.process_time()
    assert assign(made) == 64 * 20_000
    assert time.process_time() - begin < 2 * SLOWER  # a tenth of that; minutes where each block looks at all that live
