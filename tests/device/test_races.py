"""Races: planted in kernels that are right without them."""

import numpy as np
import pytest

from tests.device import grid, shadow
from tests.device.emulated import Emulated
from tests.device.written import faulty, module, tried

TURNED = """
    .shared .align 4 .b32 room[64];
    mov.u64 %rd3, room;
    mul.wide.u32 %rd1, %r93, 4;
    mul.wide.u32 %rd4, %r90, 4;
    add.s64 %rd5, %rd3, %rd4;
    xor.b32 %r2, %r90, 63;
    mul.wide.u32 %rd6, %r2, 4;
    add.s64 %rd6, %rd3, %rd6;
    add.s64 %rd2, %rd1, %rd61;
    add.s64 %rd1, %rd1, %rd60;
    mov.u32 %r3, 0;
$again:
    ld.global.u32 %r1, [%rd2];
    add.u32 %r1, %r1, %r3;
    st.shared.u32 [%rd5], %r1;
    bar.sync 0;        // written before it is read
    ld.shared.u32 %r4, [%rd6];
    bar.sync 0;        // read before it is written again
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, 3;
    @%p1 bra $again;
    st.global.u32 [%rd1], %r4;
"""
"""Each block turns its 64 numbers around by shared memory, three times."""
X = np.arange(192, dtype=np.uint32)


def turned(body: str) -> np.ndarray:
    (out,) = tried(module(body, ("u64 out", "u64 x")), 3, 64, [X], [np.empty(192, np.uint32)])
    return out


def test_barriers_make_it_right():
    assert (turned(TURNED) == X.reshape(3, 64)[:, ::-1].ravel() + 2).all()


@pytest.mark.parametrize("number", [0, 1])
def test_each_barrier_is_missed(number):
    parts = TURNED.split("bar.sync 0;")
    body = "bar.sync 0;".join(parts[: number + 1]) + "bar.sync 0;".join(parts[number + 1 :])
    with faulty(
        "ld.shared.u32 %r4 , [ %rd6 ]: race at byte 252: thread 0 of block 0 and thread 63 of block 0 meet with no barrier between"
    ):
        turned(body)


def test_a_barrier_for_half_of_the_writers_is_no_barrier():
    """What was never written is seen before the race is."""
    body = TURNED.replace("st.shared.u32 [%rd5], %r1;", "setp.lt.u32 %p2, %r90, 32; @%p2 st.shared.u32 [%rd5], %r1;")
    with faulty("thread 0 of block 0 reads byte 252 of shared memory before it is written"):
        turned(body)


ADDRESS = "mul.wide.u32 %rd1, {0}, 4; add.s64 %rd1, %rd1, %rd60;"


ONE = "setp.eq.u32 %p1, %r93, 0; @%p1 st.global.u32 [%rd60], 1;"


@pytest.mark.parametrize(
    "body",
    [
        ADDRESS.format("%r91") + "st.global.u32 [%rd1], 1;",  # all threads of a block
        ADDRESS.format("%r90") + "st.global.u32 [%rd1], 1;",  # the same thread of each block
        "st.global.u32 [%rd60], 1;",
        "setp.eq.u32 %p1, %r90, 0; @%p1 st.global.u32 [%rd60], 1;",
        f"{ONE} bar.sync 0; ld.global.u32 %r1, [%rd60];",
        f"{ONE} ld.global.u32 %r1, [%rd60];",
        f"ld.global.u32 %r1, [%rd60]; bar.sync 0; {ONE}",
        f"setp.eq.u32 %p2, %r91, 2; @%p2 ld.global.u32 %r1, [%rd60]; bar.sync 0; bar.sync 0; {ONE}",
    ],
    ids=range(8),
)
@pytest.mark.parametrize("lanes", [1 << 14, 64])
def test_races_in_global_memory(body, lanes, monkeypatch):
    """Blocks that run at once, and blocks that run one after the other here."""
    monkeypatch.setattr(grid, "LANES", lanes)
    with faulty("race at byte"):
        tried(module(body), 3, 64, [np.zeros(192, np.uint32)])


def test_one_block_orders_global_memory_by_its_barriers():
    body = """
        setp.eq.u32 %p1, %r93, 0; @%p1 st.global.u32 [%rd60], 41; bar.sync 0; ld.global.u32 %r1, [%rd60];
        add.u32 %r1, %r1, %r93; bar.sync 0; setp.eq.u32 %p1, %r93, 1; @%p1 st.global.u32 [%rd60], %r1;
    """
    (out,) = tried(module(body), 1, 64, outputs=[np.empty(1, np.uint32)])
    assert out[0] == 42


def test_neighbouring_bytes_are_not_one_word():
    body = "cvt.u64.u32 %rd1, %r93; add.s64 %rd1, %rd1, %rd60; cvt.u16.u32 %h1, %r93; st.global.u8 [%rd1], %h1;"
    (out,) = tried(module(body), 3, 64, outputs=[np.empty(192, np.uint8)])
    assert out.tolist() == list(range(192))
    wide = body.replace("cvt.u64.u32 %rd1, %r93;", "shr.u32 %r1, %r93, 1; mul.wide.u32 %rd1, %r1, 2;").replace(
        "st.global.u8", "st.global.u16"
    )
    with faulty("meet with no barrier between"):
        tried(module(wide), 3, 64, outputs=[np.empty(192, np.uint8)])
    with faulty("meet with no barrier between"):  # words first, then a byte of another thread's word
        words = ADDRESS.format("%r93") + "st.global.u32 [%rd1], 1; st.global.u8 [%rd1+-1], %h1;"
        tried(
            module("mov.u16 %h1, 1; setp.eq.u32 %p1, %r93, 0; @%p1 bra $end;" + words + "$end:"),
            1,
            64,
            outputs=[np.empty(192, np.uint32)],
        )


WARP = """
    .shared .align 4 .b32 room[64];
    mov.u64 %rd3, room; mul.wide.u32 %rd4, %r90, 4; add.s64 %rd5, %rd3, %rd4;
    xor.b32 %r2, %r90, {0}; mul.wide.u32 %rd6, %r2, 4; add.s64 %rd6, %rd3, %rd6;
    mul.wide.u32 %rd1, %r93, 4; add.s64 %rd1, %rd1, %rd60;
    mov.u32 %r3, 0;
$again:
    add.u32 %r4, %r93, %r3;
    st.shared.u32 [%rd5], %r4;
    bar.warp.sync -1;
    ld.shared.u32 %r1, [%rd6];
    bar.warp.sync -1;
    add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 3; @%p1 bra $again;
    st.global.u32 [%rd1], %r1;
"""


def by_warps(body: str) -> np.ndarray:
    (out,) = tried(module(body), 2, 64, outputs=[np.empty(128, np.uint32)])
    return out


def test_a_warp_that_meets_orders_its_own_memory():
    assert by_warps(WARP.format(31)).tolist() == [(k ^ 31) + 2 for k in range(128)]


@pytest.mark.parametrize("number", [0, 1])
def test_a_warp_that_does_not_meet(number):
    parts = WARP.format(31).split("bar.warp.sync -1;")
    body = "bar.warp.sync -1;".join(parts[: number + 1]) + "bar.warp.sync -1;".join(parts[number + 1 :])
    with faulty("meet with no barrier between"):
        by_warps(body)


def test_a_warp_that_meets_does_not_order_what_others_do():
    with faulty("meet with no barrier between"):
        by_warps(WARP.format(63))


def test_several_readers_of_a_warp_are_not_its_next_writer_s_race():
    body = """
        .shared .align 4 .b32 room[2];
        mov.u64 %rd3, room; shr.u32 %r1, %r90, 5; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd3, %rd3, %rd4;
        and.b32 %r2, %r90, 31; setp.eq.u32 %p1, %r2, 0; setp.eq.u32 %p2, %r2, 1;
        @%p1 st.shared.u32 [%rd3], %r93;
        bar.warp.sync -1;
        ld.shared.u32 %r1, [%rd3];
        bar.warp.sync -1;
        @%p2 st.shared.u32 [%rd3], %r93;
        bar.warp.sync -1;
        ld.shared.u32 %r3, [%rd3];
        add.u32 %r1, %r1, %r3;
        mul.wide.u32 %rd1, %r93, 4; add.s64 %rd1, %rd1, %rd60; st.global.u32 [%rd1], %r1;
    """
    assert by_warps(body).tolist() == [64 * (k // 32) + 1 for k in range(128)]
    one = body.replace("shr.u32 %r1, %r90, 5", "mov.u32 %r1, 0")
    with faulty("meet with no barrier between"):
        by_warps(one)


@pytest.mark.parametrize("limit", [1, 50, 1 << 23])
def test_accesses_are_remembered_when_their_notes_are_not(limit, monkeypatch):
    """The notes of an epoch are looked at before its end where they become many."""
    monkeypatch.setattr(shadow, "LIMIT", limit)
    assert (turned(TURNED) == X.reshape(3, 64)[:, ::-1].ravel() + 2).all()
    with faulty("meet with no barrier between"):
        turned("".join(TURNED.rsplit("bar.sync 0;", 1)))


def test_what_several_blocks_have_read_may_be_written_in_the_next_launch():
    device, kernels = Emulated(), []
    index = "mul.wide.u32 %rd1, %r93, 4; add.s64 %rd1, %rd1, %rd60;"
    kernels.append(f"{index} ld.global.u32 %r1, [%rd60]; st.global.u32 [%rd1+4], %r1;")
    kernels.append(f"{index} st.global.u32 [%rd1], %r93;")
    at = device.alloc(4 * 97)
    device.copy_in(at, np.full(97, 5, np.uint32))
    for body in kernels:
        device.launch(device.load(module(body))["k"], (3, 1, 1), 32, 0, [at])
    assert device.copy_out(at, np.empty(97, np.uint32)).tolist() == [*range(96), 5]
    with faulty("race at byte"):
        device.launch(device.load(module(f"{kernels[0]} {kernels[1]}"))["k"], (3, 1, 1), 32, 0, [at])
