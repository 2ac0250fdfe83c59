"""The face of the device: memory, launches, graphs, and what a program may not ask."""

import numpy as np
import pytest

from tests.device.emulated import Emulated
from tests.device.memory import Span
from tests.device.written import faulty, module

ADD = module(
    """
    mul.wide.u32 %rd9, %r93, 4; add.s64 %rd1, %rd9, %rd60; ld.param.u32 %r2, [n];
    ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, %r2; st.global.u32 [%rd1], %r1;
    """,
    ("u64 x", "u32 n"),
    threads=64,
)


@pytest.fixture
def device():
    return Emulated(nbytes=1 << 16)


def four(device) -> int:
    at = device.alloc(16, "x")
    device.copy_in(at, np.arange(4, dtype=np.uint32))
    return at


def contents(device, at: int) -> list[int]:
    return device.copy_out(at, np.empty(4, np.uint32)).tolist()


def test_what_a_program_asks_is_done_in_order(device):
    function, at = device.load(ADD)["k"], four(device)
    device.launch(function, (1, 1, 1), 4, 0, [at, 10])
    device.launch(function, (2, 1, 1), 2, 0, [Span(at, 16), 100])
    device.wait(device.event())
    assert contents(device, at) == [110, 111, 112, 113]
    assert device.launches == 2


def test_arrays_of_every_kind_come_back(device):
    for array in (np.arange(6.0).reshape(2, 3), np.array(True), np.zeros((0, 3)), np.arange(8, dtype=np.int8)[::2]):
        at = device.alloc(array.nbytes)
        device.copy_in(at, array)
        np.testing.assert_array_equal(device.copy_out(at, np.empty_like(array, order="C")), array)


def test_memory_is_counted_and_ends(device):
    free, total = device.memory()
    assert (free, total) == (1 << 16, 1 << 16)
    at = device.alloc(1 << 15)
    assert device.memory()[0] == 1 << 15
    with pytest.raises(MemoryError, match="40000 bytes asked, 32768 of 65536 are free"):
        device.alloc(40000)
    device.free(at)
    assert device.memory()[0] == 1 << 16
    assert device.alloc(16) > at, "an address never comes again"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (lambda d, f, at: d.free(at + 4), "is not the address of a buffer"),
        (lambda d, f, at: (d.free(at), d.free(at)), "is freed a second time"),
        (lambda d, f, at: (d.free(at), contents(d, at)), "copy_out: x at 0x"),
        (lambda d, f, at: (d.free(at), d.launch(f, (1, 1, 1), 4, 0, [at, 1])), "argument x points to x, which is freed"),
        (lambda d, f, at: (d.free(at), d.launch(f, (1, 1, 1), 4, 0, [Span(at, 16), 1])), "argument x: x at 0x"),
        (lambda d, f, at: d.copy_in(at, np.zeros(5, np.uint32)), "copy_in: 20 bytes at 0x"),
        (lambda d, f, at: contents(d, d.alloc(16)), "copy_out: 16 bytes of buffer 1, from byte 0 on, were never written"),
        (lambda d, f, at: d.copy(at, at + 4, 8), "overlap"),
        (lambda d, f, at: d.launch(f, (1, 1, 1), 4, 0, [at]), "k has 2 parameters, not 1"),
        (lambda d, f, at: d.launch(f, (1, 1, 1), 65, 0, [at, 1]), "65 threads, at most 64"),
        (lambda d, f, at: d.launch(f, (0, 1, 1), 4, 0, [at, 1]), "(0, 1, 1) blocks of 4 threads"),
        (lambda d, f, at: d.launch(f, (1, 2, 1), 4, 0, [at, 1]), "(1, 2, 1) blocks"),
        (lambda d, f, at: d.launch(f, (1, 1, 1), 4, 1 << 18, [at, 1]), "262144 bytes of shared memory, at most"),
        (lambda d, f, at: d.launch(f, (1, 1, 1), 5, 0, [at, 1]), "k: line 29: ld.global.u32 %r1 , [ %rd1 ]: address"),
        (lambda d, f, at: d.load(ADD)["other"], "there is no kernel other; there are k"),
        (lambda d, f, at: Emulated().launch(f, (1, 1, 1), 4, 0, [at, 1]), "k is loaded on another device"),
        (lambda d, f, at: Emulated().copy_in(at, np.zeros(4, np.uint32)), "are in no buffer"),
        (lambda d, f, at: d.close(), "not freed: x (16 bytes)"),
        (lambda d, f, at: d.alloc(-1), "-1 bytes"),
    ],
    ids=range(19),
)  # fmt: skip
def test_what_is_a_fault(device, asked, words):
    function, at = device.load(ADD)["k"], four(device)
    with faulty(words):
        asked(device, function, at)


def test_a_kernel_with_too_much_static_memory(device):
    text = module(".shared .b8 room[49153]; mov.u64 %rd1, room;")
    with faulty("more than 49152 are dynamic"):
        device.launch(device.load(text)["k"], (1, 1, 1), 4, 0, [four(device)])


def test_what_is_not_freed_is_told_where_a_device_ends():
    with Emulated() as device:
        device.load(module("", head=".global .b32 table[4];"))  # what belongs to a module is not the program's to free
        device.free(four(device))
    with faulty("not freed: x (16 bytes)"), Emulated() as device:
        four(device)


def test_a_graph_does_again_what_was_recorded(device):
    function, at, other = device.load(ADD)["k"], four(device), four(device)
    with device.capture() as graph:
        device.launch(function, (1, 1, 1), 4, 0, [at, 1])
        device.copy(other, at, 16)
        with faulty("copy_out while a graph is recorded"):
            contents(device, at)
    assert contents(device, at) == [0, 1, 2, 3], "recorded, not done"
    graph.launch()
    graph.launch()
    assert contents(device, other) == [2, 3, 4, 5]
    device.free(at)
    with faulty("argument x points to x, which is freed"):
        graph.launch()


def test_copies_carry_what_is_unknown(device):
    at, other = device.alloc(16), four(device)
    device.copy(other, at, 8)
    with faulty("8 bytes of x, from byte 0 on, were never written"):
        contents(device, other)


def test_threads_of_the_host_ask_one_after_the_other():
    from concurrent.futures import ThreadPoolExecutor

    device = Emulated()
    function, at = device.load(ADD)["k"], four(device)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: device.launch(function, (1, 1, 1), 4, 0, [at, 1]), range(40)))
    assert contents(device, at) == [40, 41, 42, 43]


def test_it_is_a_kind_of_device():
    from tests.device import emulated

    assert emulated.count() == 2
    assert emulated.opened(1).name == "emulated:1"
