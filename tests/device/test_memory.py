"""Loads and stores of every space: what they move, and the faults of addresses."""

import numpy as np
import pytest

from tests.device.emulated import Emulated
from tests.device.memory import Span
from tests.device.written import faulty, module, tried

IN = "mul.wide.u32 %rd9, %r93, 4; add.s64 %rd2, %rd9, %rd61; add.s64 %rd1, %rd9, %rd60;"
PARAMS = ("u64 out", "u64 x")


def copied(body: str, threads: int = 32, values: int = 32, results: int = 32, blocks: int = 1, **more) -> np.ndarray:
    (out,) = tried(
        module(body, PARAMS, **more),
        blocks,
        threads,
        [np.arange(values, dtype=np.uint32)],
        [np.empty(results, np.uint32)],
    )
    return out


def test_vectors_of_every_width():
    body = """
        mul.wide.u32 %rd1, %r93, 16; add.s64 %rd2, %rd1, %rd61; add.s64 %rd1, %rd1, %rd60;
        ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd2];
        st.global.v2.b32 [%rd1], {%r4, %r3};
        mov.b64 %rd3, {%r2, %r1};
        st.global.b64 [%rd1+8], %rd3;
    """
    out = copied(body, threads=8)
    assert out.reshape(8, 4).tolist() == [[4 * k + 3, 4 * k + 2, 4 * k + 1, 4 * k] for k in range(8)]


def test_narrow_numbers_are_filled_up():
    body = f"""
        {IN}
        ld.global.s8 %r1, [%rd2]; ld.global.u8 %r2, [%rd2]; ld.global.s16 %rd5, [%rd2]; cvt.u32.u64 %r3, %rd5;
        add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; st.global.u32 [%rd1], %r1;
    """
    values = np.array([0x00, 0x7F, 0x80, 0xFF, 0x8000, 0x1FFFF], np.uint32)
    (out,) = tried(module(body, PARAMS), 1, 6, [values], [np.empty(6, np.uint32)])
    low, words = values.astype(np.uint8), values.astype(np.uint16)
    want = low.view(np.int8).astype(np.int64) + low + words.view(np.int16)
    assert out.tolist() == (want & 0xFFFFFFFF).tolist()


@pytest.mark.parametrize("space", ["shared", "local"])
def test_memory_of_blocks_and_threads_by_its_own_and_by_generic_addresses(space):
    body = f"""
        .{space} .align 8 .b8 room[256];
        {IN}
        mov.u64 %rd3, room;
        mul.wide.u32 %rd4, %r90, 4;
        add.s64 %rd5, %rd3, %rd4;
        ld.global.u32 %r1, [%rd2];
        st.{space}.u32 [%rd5], %r1;
        cvta.{space}.u64 %rd6, %rd5;
        ld.u32 %r2, [%rd6];
        cvta.to.{space}.u64 %rd7, %rd6;
        ld.{space}.u32 %r3, [%rd7];
        cvt.u32.u64 %r5, %rd3;
        mad.lo.u32 %r5, %r90, 4, %r5;
        ld.{space}.u32 %r4, [%r5];
        add.u32 %r2, %r2, %r3;
        add.u32 %r2, %r2, %r4;
        st.u32 [%rd1], %r2;
    """
    assert copied(body, threads=16, blocks=2).tolist() == [3 * k for k in range(32)]


def test_shared_memory_whose_size_the_launch_says():
    body = f"""
        {IN}
        mov.u64 %rd3, room; mul.wide.u32 %rd4, %r90, 4; add.s64 %rd3, %rd3, %rd4;
        ld.global.u32 %r1, [%rd2]; st.shared.u32 [%rd3], %r1; ld.shared.u32 %r2, [%rd3]; st.global.u32 [%rd1], %r2;
    """
    text = module(body, PARAMS, head=".extern .shared .align 16 .b8 room[];")
    values, out = np.arange(32, dtype=np.uint32), np.empty(32, np.uint32)
    assert tried(text, 1, 32, [values], [out], shared_bytes=128)[0].tolist() == values.tolist()
    with faulty("outside of the 124 bytes of shared memory"):
        tried(text, 1, 32, [values], [out], shared_bytes=124)


def test_tables_of_a_module():
    head = """
        .const .align 4 .b32 squares[4] = {0, 1, 4, 9};
        .global .align 1 .b8 bytes[8] = {1, 2, 3, 4, 0x10};
        .global .align 4 .f32 half = 0f3F000000;
    """
    body = f"""
        {IN}
        and.b32 %r1, %r93, 3; mul.wide.u32 %rd3, %r1, 4; mov.u64 %rd4, squares; add.s64 %rd3, %rd3, %rd4;
        ld.const.u32 %r2, [%rd3];
        ld.global.nc.u8 %r3, [bytes+4]; ld.global.u8 %r4, [bytes+7]; ld.global.f32 %f1, [half]; cvt.rpi.u32.f32 %r5, %f1;
        add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, %r5; st.global.u32 [%rd1], %r2;
    """
    assert copied(body, head=head).tolist() == [(k & 3) ** 2 + 17 for k in range(32)]


def test_numbers_as_parameters():
    body = """
        ld.param.f32 %f1, [scale]; ld.param.u32 %r1, [n]; cvt.rn.f32.u32 %f2, %r1; mul.rn.f32 %f1, %f1, %f2;
        mul.wide.u32 %rd1, %r93, 4; add.s64 %rd1, %rd1, %rd60; st.global.f32 [%rd1], %f1;
    """
    text = module(body, ("u64 out", "f32 scale", "u32 n"))
    (out,) = tried(text, 1, 4, outputs=[np.empty(4, np.float32)], numbers=[0.5, 6])
    assert out.tolist() == [3.0] * 4


LOAD = f"{IN} ld.global.u32 %r1, [%rd2]; st.global.u32 [%rd1], %r1;"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (LOAD.replace("[%rd2]", "[%rd2+4]"), "thread 31 of block 0 is outside of what x may reach, in no buffer"),
        (LOAD.replace("[%rd2]", "[%rd2+-4]"), "thread 0 of block 0 is outside of what x may reach"),
        (LOAD.replace("[%rd1]", "[%rd1+4]"), "is outside of what out may reach"),
        (LOAD.replace("[%rd2]", "[%rd2+2]"), "is not a multiple of 4"),
        (LOAD.replace("ld.global.u32 %r1,", "ld.global.v2.u32 {%r1, %r2},"), "is not a multiple of 8"),
        (LOAD.replace("ld.global.u32 %r1, [%rd2]", "ld.global.u32 %r1, [%rd1]"), "reads byte 0 of output 0 before it is written"),
        (".shared .b32 s[32];" + LOAD.replace("ld.global.u32 %r1, [%rd2]", "ld.shared.u32 %r1, [s+4]"), "byte 4 of shared memory before"),
        (".shared .b32 s[32];" + LOAD.replace("ld.global.u32 %r1, [%rd2]", "ld.shared.u32 %r1, [s+128]"), "outside of the 128 bytes of shared"),
        (".local .b32 s[2];" + LOAD.replace("ld.global.u32 %r1, [%rd2]", "ld.local.u32 %r1, [s+8]"), "outside of the 8 bytes of local"),
        (LOAD.replace("ld.global", "ld.shared"), "outside of the 0 bytes of shared memory"),
        (LOAD.replace("ld.global", "ld.texture"), "its modifiers are not known"),
        (LOAD.replace("%r1", "%h1"), "%h1 is b16, too narrow for b32"),
    ],
    ids=lambda value: None,
)  # fmt: skip
def test_wrong_addresses(body, words):
    with faulty(words):
        copied(body)


def test_a_pointer_keeps_to_the_buffer_that_it_comes_from():
    """The address is that of another buffer, far away, which lives."""
    body = f"{IN} ld.param.u64 %rd5, [far]; add.s64 %rd8, %rd2, %rd5; ld.global.u32 %r1, [%rd8]; st.global.u32 [%rd1], %r1;"
    text = module(body, (*PARAMS, "u64 far"))
    device = Emulated()
    places = [device.alloc(128, name) for name in ("out", "x", "other")]
    for at in places[1:]:
        device.copy_in(at, np.arange(32, dtype=np.uint32))
    function = device.load(text)["k"]
    device.launch(function, (1, 1, 1), 32, 0, [*places[:2], 0])
    with faulty("is outside of what x may reach: byte 0 of other"):
        device.launch(function, (1, 1, 1), 32, 0, [*places[:2], places[2] - places[1]])


def test_a_span_bounds_one_value_of_a_buffer():
    device = Emulated()
    function = device.load(module(LOAD, PARAMS))["k"]
    scratch = device.alloc(1024, "scratch")
    device.copy_in(scratch, np.arange(256, dtype=np.uint32))
    device.launch(function, (1, 1, 1), 32, 0, [Span(scratch, 128), Span(scratch + 512, 128)])
    assert device.copy_out(scratch, np.empty(2, np.uint32)).tolist() == [128, 129]
    with faulty("thread 16 of block 0 is outside of what out may reach: byte 64 of scratch"):
        device.launch(function, (1, 1, 1), 32, 0, [Span(scratch, 64), Span(scratch + 512, 128)])


def test_one_instruction_may_reach_two_buffers():
    body = f"""
        {IN} ld.param.u64 %rd5, [y]; cvta.to.global.u64 %rd5, %rd5; mul.wide.u32 %rd6, %r93, 4; add.s64 %rd5, %rd5, %rd6;
        and.b32 %r2, %r93, 1; setp.eq.u32 %p1, %r2, 0; selp.b64 %rd7, %rd2, %rd5, %p1;
        ld.global.u32 %r1, [%rd7]; st.global.u32 [%rd1], %r1;
    """
    x, y = np.arange(32, dtype=np.uint32), np.arange(100, 132, dtype=np.uint32)
    (out,) = tried(module(body, (*PARAMS, "u64 y")), 1, 32, [x, y], [np.empty(32, np.uint32)])
    assert out.tolist() == [k if k % 2 == 0 else 100 + k for k in range(32)]


def test_a_pointer_that_was_loaded_reaches_any_buffer_that_lives():
    body = "ld.global.u64 %rd2, [%rd61]; ld.global.u32 %r1, [%rd2+8]; st.global.u32 [%rd60], %r1;"
    text, device = module(body, PARAMS), Emulated()
    out, table, other = (device.alloc(16) for _ in range(3))
    device.copy_in(other, np.arange(4, dtype=np.uint32))
    device.copy_in(table, np.array([other, 0], np.uint64))
    function = device.load(text)["k"]
    device.launch(function, (1, 1, 1), 1, 0, [out, table])
    assert device.copy_out(out, np.empty(1, np.uint32))[0] == 2
    device.free(other)
    with faulty("is byte 8 of buffer 2, which is freed"):
        device.launch(function, (1, 1, 1), 1, 0, [out, table])


def test_what_is_read_as_if_nobody_wrote_it_may_not_be_written():
    body = f"{IN} ld.global.nc.u32 %r1, [%rd2]; st.global.u32 [%rd1], %r1;"
    device = Emulated()
    function = device.load(module(body, PARAMS))["k"]
    both = device.alloc(128)
    device.copy_in(both, np.arange(32, dtype=np.uint32))
    with faulty("is read by ld.global.nc and written in the same launch"):
        device.launch(function, (1, 1, 1), 32, 0, [both, both])
    in_order = device.load(module(body.replace(".nc", ""), PARAMS))["k"]
    device.launch(in_order, (1, 1, 1), 32, 0, [both, both])
