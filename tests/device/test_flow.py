"""Threads that go different ways, meet again, and wait for each other."""

import numpy as np
import pytest

from tests.device import grid
from tests.device.written import faulty, module, tried

STORE = """
    mul.wide.u32 %rd1, %r93, 4;
    add.s64 %rd1, %rd1, %rd60;
    st.global.u32 [%rd1], %r1;
"""


def outcome(body: str, blocks: int = 2, threads: int = 48) -> list[int]:
    """Return what %r1 is at last, of each thread."""
    (out,) = tried(module(body + STORE), blocks, threads, outputs=[np.empty(blocks * threads, np.uint32)])
    return out.tolist()


def test_each_thread_turns_as_often_as_it_wants():
    body = """
        and.b32 %r2, %r93, 7;
        mov.u32 %r1, 0;
        mov.u32 %r3, 0;
    $again:
        setp.ge.u32 %p1, %r3, %r2;
        @%p1 bra $done;
        add.u32 %r1, %r1, %r3;
        add.u32 %r3, %r3, 1;
        bra $again;
    $done:
        add.u32 %r1, %r1, 100;
    """
    assert outcome(body) == [100 + sum(range(k & 7)) for k in range(96)]


def test_loops_within_branches_within_loops():
    body = """
        mov.u32 %r1, 0;
        mov.u32 %r4, 0;
    $outer:
        and.b32 %r2, %r93, 1;
        setp.eq.u32 %p1, %r2, 0;
        @%p1 bra $even;
        mov.u32 %r5, %r93;
    $inner:
        add.u32 %r1, %r1, 1;
        shr.u32 %r5, %r5, 1;
        setp.ne.u32 %p2, %r5, 0;
        @%p2 bra $inner;
        bra $join;
    $even:
        add.u32 %r1, %r1, 1000;
    $join:
        add.u32 %r4, %r4, 1;
        setp.lt.u32 %p3, %r4, 3;
        @%p3 bra $outer;
    """
    assert outcome(body) == [3 * (k.bit_length() if k & 1 else 1000) for k in range(96)]


def test_a_guard_is_of_its_own_instruction():
    body = """
        and.b32 %r2, %r93, 1;
        setp.eq.u32 %p1, %r2, 0;
        mov.u32 %r1, 5;
        @%p1 mov.u32 %r1, 7;
        @!%p1 add.u32 %r1, %r1, 1;
    """
    assert outcome(body) == [6 if k & 1 else 7 for k in range(96)]


def test_threads_that_end_early_leave_the_others():
    body = """
        mov.u32 %r1, 1;
        mul.wide.u32 %rd1, %r93, 4;
        add.s64 %rd1, %rd1, %rd60;
        st.global.u32 [%rd1], %r1;
        setp.ge.u32 %p1, %r93, 50;
        @%p1 ret;
        mov.u32 %r3, 0;
    $again:
        add.u32 %r1, %r1, 2;
        add.u32 %r3, %r3, 1;
        setp.lt.u32 %p2, %r3, 4;
        @%p2 bra $again;
    """
    assert outcome(body) == [9 if k < 50 else 1 for k in range(96)]


def test_a_number_that_all_threads_share_stays_one_for_those_that_change_it():
    body = """
        mov.u32 %r1, 3;
        setp.lt.u32 %p1, %r93, 10;
        @%p1 bra $some;
        bra $join;
    $some:
        mov.u32 %r1, 4;
    $join:
        add.u32 %r1, %r1, 0;
    """
    assert outcome(body) == [4 if k < 10 else 3 for k in range(96)]


def test_registers_that_share_an_array_change_apart():
    """`mov` gives two registers one array; a part of the threads changes each of them afterwards."""
    body = """
        mov.u32 %r2, %r93;
        mov.u32 %r1, %r2;
        setp.lt.u32 %p1, %r93, 10;
        @%p1 add.u32 %r2, %r2, 1000;
        @%p1 add.u32 %r2, %r2, 1000;
        mov.u32 %r3, %r2;
        @!%p1 add.u32 %r3, %r3, 500;
        add.u32 %r1, %r1, %r2;
        add.u32 %r1, %r1, %r3;
    """
    assert outcome(body) == [3 * k + (4000 if k < 10 else 500) for k in range(96)]


def test_many_blocks_run_in_groups(monkeypatch):
    monkeypatch.setattr(grid, "LANES", 256)
    body = """
        mov.u32 %r1, %ctaid.x;
        mov.u32 %r2, %nctaid.x;
        mad.lo.u32 %r1, %r1, 1000, %r2;
    """
    assert outcome(body, blocks=40, threads=33) == [1000 * (k // 33) + 40 for k in range(40 * 33)]


HALF = "setp.lt.u32 %p1, %r90, 32; @%p1 bra $low; bra $join; $low:"


def test_a_barrier_that_some_threads_go_around():
    with faulty("bar.sync 0: 32 of 48 threads of block 0 are here; the others have ended"):
        outcome(f"mov.u32 %r1, 0; {HALF} bar.sync 0; $join:")
    assert outcome("mov.u32 %r1, 0; bar.sync 0;") == [0] * 96


def test_two_barriers_of_which_each_thread_meets_one():
    body = """
        mov.u32 %r1, 0;
        setp.lt.u32 %p1, %r90, 32;
        @%p1 bra $low;
        bar.sync 0;
        bra $join;
    $low:
        bar.sync 0;
    $join:
    """
    with faulty("others wait at line"):
        outcome(body)


def test_a_barrier_after_threads_have_ended():
    with faulty("of 48 threads of block 0 are here; the others have ended"):
        outcome("mov.u32 %r1, 0; setp.lt.u32 %p1, %r90, 5; @%p1 ret; bar.sync 0;")


def test_barriers_in_loops_that_blocks_turn_differently_often():
    body = """
        mov.u32 %r1, 0;
        add.u32 %r2, %r91, 2;
    $again:
        bar.sync 0;
        add.u32 %r1, %r1, 1;
        setp.lt.u32 %p1, %r1, %r2;
        @%p1 bra $again;
    """
    assert outcome(body, blocks=3, threads=40) == [2 + k // 40 for k in range(120)]


def test_what_is_read_before_it_is_written():
    with faulty("%r1 is read before it is written"):
        outcome("add.u32 %r2, %r93, 1;")


def test_a_trap_is_a_fault():
    with faulty("the kernel traps"):
        outcome("mov.u32 %r1, 0; setp.eq.u32 %p1, %r93, 17; @%p1 trap;")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("mov.u32 %r1, 0; bra $nowhere;", "no such label"),
        ("mov.u32 %r1, 0; bar.sync 1;", "barriers are known of all threads of a block"),
        ("mov.u32 %r1, 0; bar.sync 0, 64;", "barriers are known of all threads of a block"),
        ("mov.u32 %r1, 0; bar.warp.sync 15;", "warps meet with all of their threads"),
        ("mov.u32 %r1, %clock;", "%clock is not known"),
        ("mov.u32 %r1, 0; wgmma.fence.sync.aligned;", "an opcode with one type has another number of them"),
        ("mov.u64 %r1, 0;", "%r1 is b32, too narrow for u64"),
        ("add.u64 %rd1, %r93, 1; mov.u32 %r1, 0;", "%r93 is s32, narrower than u64"),
        ("setp.eq.u32 %r1, %r93, 1;", "%r1 is b32, too narrow for pred"),
    ],
)
def test_what_is_refused(body, words):
    with faulty(words if "wgmma" not in body else "this opcode is not known"):
        outcome(body)
