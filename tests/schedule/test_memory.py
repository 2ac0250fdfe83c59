"""Blocks that live at the same time never overlap."""

import time

from hypothesis import given
from hypothesis import strategies as st

from hybridize.schedule.memory import ScratchBlock, assign

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


def best_fit(made):
    """The same said plainly: for each block in order of birth, the smallest hole between those that live."""
    done = []
    for block in sorted(made, key=lambda block: (block.first, -block.nbytes)):
        nbytes, end, best = -(-block.nbytes // 64) * 64, 0, None
        for offset, size in sorted((o, s) for o, s, last in done if last >= block.first and s):
            if nbytes <= offset - end and (best is None or offset - end < best[1]):
                best = (end, offset - end)
            end = max(end, offset + size)
        done.append((0 if not nbytes else end if best is None else best[0], nbytes, block.last))
        yield block, done[-1][0]


@given(blocks)
def test_each_takes_the_smallest_hole(made):
    assign(made)
    assert all(block.offset == offset for block, offset in best_fit(made))


def test_many_blocks_that_live_long_take_no_time_to_place():
    made = [ScratchBlock(64, first, first + 20_000) for first in range(20_000)]
    begin = time.process_time()
    assert assign(made) == 64 * 20_000
    assert time.process_time() - begin < 2  # a tenth of that; minutes where each block looks at all that live
