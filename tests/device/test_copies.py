"""`cp.async`: right with its waits and barriers, a fault without each of them."""

import numpy as np
import pytest

from tests.device.written import faulty, module, tried

STAGED = """
    .shared .align 16 .b8 room[2048];
    mov.u64 %rd3, room;
    mul.wide.u32 %rd4, %r90, 16;
    add.s64 %rd5, %rd3, %rd4;              // what this thread brings: 16 bytes of each stage
    xor.b32 %r2, %r90, 63;
    mul.wide.u32 %rd6, %r2, 16;
    add.s64 %rd6, %rd3, %rd6;              // what it reads: those of another thread
    add.s64 %rd7, %rd4, %rd61;
    add.s64 %rd1, %rd4, %rd60;
    cp.async.cg.shared.global [%rd5], [%rd7], 16;
    cp.async.commit_group;
    mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0; mov.u32 %r3, 0;
$again:
    add.s64 %rd7, %rd7, 1024;
    xor.b32 %r4, %r3, 1;
    and.b32 %r4, %r4, 1;
    mul.wide.u32 %rd8, %r4, 1024;
    add.s64 %rd9, %rd5, %rd8;
    setp.lt.u32 %p2, %r3, 3;
    selp.u32 %r5, 16, 0, %p2;              // beyond the last stage: zeros
    selp.b64 %rd10, %rd7, %rd61, %p2;
    cp.async.cg.shared.global [%rd9], [%rd10], 16, %r5;
    cp.async.commit_group;
    cp.async.wait_group 1;
    bar.sync 0;
    and.b32 %r4, %r3, 1;
    mul.wide.u32 %rd8, %r4, 1024;
    add.s64 %rd9, %rd6, %rd8;
    ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%rd9];
    add.u32 %r10, %r10, %r20; add.u32 %r11, %r11, %r21; add.u32 %r12, %r12, %r22; add.u32 %r13, %r13, %r23;
    bar.sync 0;
    add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 4; @%p1 bra $again;
    st.global.v4.u32 [%rd1], {%r10, %r11, %r12, %r13};
"""
"""64 threads add four stages of 1024 bytes, each of which is fetched while the one before is added."""
X = np.arange(1024, dtype=np.uint32).reshape(4, 64, 4)


def staged(body: str) -> np.ndarray:
    (out,) = tried(module(body, ("u64 out", "u64 x")), 1, 64, [X], [np.empty((64, 4), np.uint32)])
    return out


def test_stages_that_are_waited_for():
    assert (staged(STAGED) == X.sum(0)[::-1]).all()


@pytest.mark.parametrize(
    ("old", "number", "new", "words"),
    [
        ("cp.async.wait_group 1;", 0, "", "of shared memory before it is written"),
        ("cp.async.wait_group 1;", 0, "cp.async.wait_group 2;", "of shared memory before it is written"),
        ("cp.async.commit_group;", 0, "", "of shared memory before it is written"),
        ("cp.async.commit_group;", 1, "", "of shared memory before it is written"),
        ("bar.sync 0;", 0, "", "meet with no barrier between"),
        ("bar.sync 0;", 1, "", "meet with no barrier between"),
        ("cp.async.cg.shared.global [%rd9], [%rd10], 16, %r5;", 0, "cp.async.cg.shared.global [%rd9], [%rd7], 16;", "is outside of what x may reach"),
        ("[%rd9], [%rd10], 16, %r5;", 0, "[%rd9+8], [%rd10], 16, %r5;", "is not a multiple of 16"),
        ("[%rd9], [%rd10], 16, %r5;", 0, "[%rd9+2048], [%rd10], 16, %r5;", "outside of the 2048 bytes of shared memory"),
        ("[%rd9], [%rd10], 16, %r5;", 0, "[%rd9], [%rd10], 16, 8;", "a copy of a part of its bytes"),
        ("cp.async.cg.shared.global [%rd9], [%rd10], 16, %r5;", 0, "cp.async.cg.shared.global [%rd9], [%rd10], 8;", "cp.async copies 4, 8 or 16 bytes; .cg 16"),
    ],
    ids=range(11),
)  # fmt: skip
def test_what_is_left_out(old, number, new, words):
    parts = STAGED.split(old)
    body = old.join(parts[: number + 1]) + new + old.join(parts[number + 1 :])
    with faulty(words):
        staged(body)


@pytest.mark.parametrize("wait", ["cp.async.wait_all;", "cp.async.wait_group 0;"])
def test_waiting_for_all(wait):
    """The second loads are of the same thread: it needs no barrier, but has to wait."""
    body = f"""
        .shared .align 16 .b8 room[1024];
        mov.u64 %rd3, room; mul.wide.u32 %rd4, %r90, 8; add.s64 %rd5, %rd3, %rd4; add.s64 %rd7, %rd4, %rd61; add.s64 %rd1, %rd4, %rd60;
        cp.async.ca.shared.global [%rd5], [%rd7], 4;
        cp.async.ca.shared.global [%rd5+4], [%rd7+4], 4;
        {"" if "all" in wait else "cp.async.commit_group;"}
        {wait}
        ld.shared.b64 %rd8, [%rd5]; st.global.b64 [%rd1], %rd8;
    """
    x = np.arange(128, dtype=np.uint32)
    (out,) = tried(module(body, ("u64 out", "u64 x")), 1, 64, [x], [np.empty(128, np.uint32)])
    assert out.tolist() == x.tolist()
    if "group" in wait:
        with faulty("of shared memory before it is written"):
            tried(
                module(body.replace("cp.async.commit_group;", ""), ("u64 out", "u64 x")),
                1,
                64,
                [x],
                [np.empty(128, np.uint32)],
            )
