"""Blocks that live at the same time never overlap."""

from hypothesis import given
from hypothesis import strategies as st

from hybridize.schedule.memory import Block, assign

blocks = st.lists(
    st.tuples(st.integers(0, 5000), st.integers(0, 30), st.integers(0, 10)).map(
        lambda t: Block(t[0], t[1], t[1] + t[2])
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
    made = [Block(1000, 0, 1), Block(500, 1, 2), Block(900, 2, 3)]
    assert assign(made) == 1024 + 512
