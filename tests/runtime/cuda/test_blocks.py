"""Blocks of a device's memory: none lies in another, what is freed is joined, and nothing is lost."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as some

from hybridize.runtime.cuda.blocks import ALIGNMENT, CHUNK, SMALL, SMALL_CHUNK, Blocks


class Memory:
    """A device that has so many bytes."""

    def __init__(self, nbytes=1 << 40):
        self.free, self.chunks, self.next = nbytes, {}, 1 << 20

    def reserve(self, nbytes):
        if nbytes > self.free:
            return None
        self.free -= nbytes
        address, self.next = self.next, self.next + nbytes + ALIGNMENT
        self.chunks[address] = nbytes
        return address

    def release(self, address):
        self.free += self.chunks.pop(address)


SIZES = some.one_of(
    some.integers(0, 3000), some.sampled_from([SMALL, SMALL + 1, CHUNK // 2, CHUNK // 2 + 1, 3 * CHUNK])
)


@given(some.lists(some.tuples(SIZES, some.integers(0, 5)), max_size=60))
def test_blocks_lie_in_chunks_and_not_in_each_other(requests):
    memory = Memory()
    blocks, living = Blocks(memory.reserve, memory.release), {}
    for nbytes, turn in requests:
        if turn == 0 and living:
            address = sorted(living)[len(living) // 2]
            del living[address]
            blocks.give_back(address)
        elif turn == 1:
            blocks.shrink()
        address = blocks.take(nbytes)
        assert address % ALIGNMENT == 0 and address not in living
        living[address] = nbytes
        ends = sorted((start, start + size) for start, size in living.items())
        assert all(end <= start for (_, end), (start, _) in pairwise(ends))
        inside = [any(c <= a and b <= c + n for c, n in memory.chunks.items()) for a, b in ends]
        assert all(inside)
        assert blocks.unused <= sum(memory.chunks.values()) - sum(living.values())
    for address in living:
        blocks.give_back(address)
    assert blocks.unused == sum(memory.chunks.values())
    blocks.shrink()
    assert memory.chunks == {} and blocks.unused == 0


def test_the_least_that_fits_is_taken_so_a_loop_meets_the_same_addresses():
    memory = Memory()
    blocks = Blocks(memory.reserve, memory.release)
    sizes = [700, 5000, 1200, 90_000, 5000, 1 << 22, 3 << 22]
    first = [blocks.take(size) for size in sizes]
    for _ in range(3):
        for address in reversed(first):
            blocks.give_back(address)
        assert [blocks.take(size) for size in sizes] == first


def test_small_blocks_do_not_break_up_large_chunks():
    memory = Memory()
    blocks = Blocks(memory.reserve, memory.release)
    large = blocks.take(CHUNK)
    blocks.give_back(large)
    blocks.take(8)
    assert sorted(memory.chunks.values()) == [SMALL_CHUNK, CHUNK] and blocks.take(CHUNK) == large


def test_where_there_is_no_room_for_a_chunk_the_block_itself_is_asked_for():
    memory = Memory(3 * SMALL)
    blocks = Blocks(memory.reserve, memory.release)
    assert blocks.take(2 * SMALL) is not None and blocks.take(2 * SMALL) is None
    assert list(memory.chunks.values()) == [2 * SMALL]
