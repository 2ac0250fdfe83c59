"""The pool by itself: every turn once, slots apart, busy and nested loops, signals, fork, the end of the process."""

import ctypes
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy
import pytest

from hybridize.codegen.llvm.engine import compile_module, host_target, runnable
from hybridize.compiler.pool import have_pool
from hybridize.runtime.pool import POOL, TEAM
from tests.platforms.marks import forks, signals

pytestmark = pytest.mark.skipif(not POOL.possible(), reason="no pool on this system")

# counts[i] += 1 for each turn, busy[slot] counts the ranges that run in a slot at once, and the worst is kept.
BODIES = """
define void @body(ptr %data, i64 %first, i64 %last, i64 %slot) {
start:
  %counts = load ptr, ptr %data
  %cell = getelementptr ptr, ptr %data, i64 1
  %slots = load ptr, ptr %cell
  %mine = getelementptr i64, ptr %slots, i64 %slot
  %others = atomicrmw add ptr %mine, i64 1 seq_cst
  %worst = getelementptr i64, ptr %slots, i64 255
  %was = atomicrmw max ptr %worst, i64 %others seq_cst
  br label %turn
turn:
  %i = phi i64 [ %first, %start ], [ %next, %turn ]
  %count = getelementptr i64, ptr %counts, i64 %i
  %old = load i64, ptr %count
  %new = add i64 %old, 1
  store i64 %new, ptr %count
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %last
  br i1 %more, label %turn, label %end
end:
  %left = atomicrmw sub ptr %mine, i64 1 seq_cst
  ret void
}
; data: team, count, then what body wants: each turn is a loop of its own.
define void @nest(ptr %data, i64 %first, i64 %last, i64 %slot) {
start:
  %team = load ptr, ptr %data
  %parallel = load ptr, ptr %team
  %cell = getelementptr i64, ptr %data, i64 1
  %count = load i64, ptr %cell
  %inner = getelementptr i64, ptr %data, i64 2
  br label %turn
turn:
  %i = phi i64 [ %first, %start ], [ %next, %turn ]
  %arrays = getelementptr ptr, ptr %inner, i64 %i
  %array = load ptr, ptr %arrays
  %pair = alloca [2 x ptr]
  store ptr %array, ptr %pair
  %second = getelementptr ptr, ptr %pair, i64 1
  %last.array = getelementptr i64, ptr %array, i64 %count
  store ptr %last.array, ptr %second
  call void %parallel(ptr %team, ptr @body, ptr %pair, i64 %count, i64 1, i64 255, i64 1)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %last
  br i1 %more, label %turn, label %end
end:
  ret void
}
"""


@pytest.fixture(scope="module", autouse=True)
def bodies():
    assert have_pool()
    return compile_module(BODIES, host_target())


def call(team, body, data, count, grain=1, slots=255, wake=1):
    kinds = [ctypes.c_void_p] * 3 + [ctypes.c_int64] * 4
    parallel = ctypes.CFUNCTYPE(None, *kinds)(int(team[TEAM["parallel"]]))
    parallel(team.ctypes.data, body, data, count, grain, slots, wake)


def run(bodies, threads, count, grain=1, slots=255, turns=1):
    """How often each turn was run, and whether two ranges ever had one slot."""
    counts, busy = numpy.zeros(max(count, 1), numpy.int64), numpy.zeros(256, numpy.int64)
    data = numpy.array([counts.ctypes.data, busy.ctypes.data])
    for _ in range(turns):
        call(POOL.team(threads), bodies.address("body"), data.ctypes.data, count, grain, slots)
    assert (busy[:255] == 0).all()
    return counts[:count], bool(busy[255])


@pytest.mark.parametrize("threads", [1, 2, 3, 8, 40, 1000])
@pytest.mark.parametrize(("count", "grain"), [(0, 1), (1, 1), (2, 1), (7, 3), (1000, 1), (1000, 999), (70_001, 64)])
def test_every_turn_once(bodies, threads, count, grain):
    counts, shared = run(bodies, threads, count, grain, turns=20)
    assert (counts == 20).all()
    assert not shared


@pytest.mark.parametrize("count", [2, 3, 7, 9, 14, 28, 30, 31, 57, 112])
def test_half_of_the_ranges_are_half_of_the_turns(count):
    """Ranges differ by one turn at most: two threads that take as many ranges each do as much work, or one turn more."""
    ranges = []

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int64] * 3)
    def body(_, first, last, slot):
        ranges.append((first, last))

    for grain in (1, 2):
        ranges.clear()
        call(POOL.team(2), ctypes.cast(body, ctypes.c_void_p), 0, count, grain)
        sizes = [last - first for first, last in sorted(ranges)]
        assert sum(sizes) == count
        assert len(ranges) == (max(1, min(8, count // grain)))
        assert max(sizes) - min(sizes) <= 1
        assert min(sizes) >= grain or len(sizes) == 1


def test_no_more_slots_than_allowed(bodies):
    for slots in (1, 2, 5):
        seen = set()
        lock = threading.Lock()

        @ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int64] * 3)
        def body(_, first, last, slot, seen=seen, lock=lock):
            with lock:
                seen.add(slot)
            time.sleep(0.001)

        call(POOL.team(8), ctypes.cast(body, ctypes.c_void_p), 0, 64, slots=slots)
        assert seen <= set(range(slots))
        assert 0 in seen


def test_workers_take_part(bodies):
    """While the caller is in its first range, a worker takes the rest from the back."""
    ranges = []
    caller, worker = threading.Event(), threading.Event()

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int64] * 3)
    def body(_, first, last, slot):
        ranges.append((slot, first))
        mine, other = (worker, caller) if slot else (caller, worker)
        mine.set()
        if other.wait(30) and not slot:
            time.sleep(0.3)

    call(POOL.team(2), ctypes.cast(body, ctypes.c_void_p), 0, 8)
    assert sorted(ranges) == [(0, 0), *((1, first) for first in range(1, 8))]
    assert [first for slot, first in ranges if slot] == [7, 6, 5, 4, 3, 2, 1]


def test_work_that_is_not_worth_waking_anybody(bodies):
    """Where a worker sleeps, or there is none yet, the caller does it alone."""
    slots = []

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int64] * 3)
    def body(_, first, last, slot):
        slots.append((first, last, slot))

    assert POOL.shutdown()
    call(POOL.team(2), ctypes.cast(body, ctypes.c_void_p), 0, 8, wake=0)
    assert (slots, POOL.workers) == ([(0, 8, 0)], 0)
    call(POOL.team(2), ctypes.cast(body, ctypes.c_void_p), 0, 8)
    time.sleep(0.1)
    slots.clear()
    call(POOL.team(2), ctypes.cast(body, ctypes.c_void_p), 0, 8, wake=0)
    assert slots == [(0, 8, 0)]


ROUNDING = """
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)
define void @read(ptr %where) {
  call void @llvm.x86.sse.stmxcsr(ptr %where)
  ret void
}
define void @write(ptr %where) {
  call void @llvm.x86.sse.ldmxcsr(ptr %where)
  ret void
}
"""


@pytest.mark.skipif("baseline" not in runnable(), reason="reads a register of x86")
def test_workers_round_as_their_caller_does():
    """A caller may flush denormals to zero, as some libraries let users do: workers then do, and stop when it stops."""
    loaded = compile_module(ROUNDING, host_target())
    read, write = (ctypes.CFUNCTYPE(None, ctypes.c_void_p)(loaded.address(name)) for name in ("read", "write"))
    usual, flushing = ctypes.c_uint32(), ctypes.c_uint32()
    read(ctypes.addressof(usual))
    for mode in (usual.value | 0x8040, usual.value):
        seen = {}
        together = threading.Barrier(2, timeout=30)

        @ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int64] * 3)
        def body(_, first, last, slot, seen=seen, together=together):
            found = ctypes.c_uint32()
            read(ctypes.addressof(found))
            seen[slot] = found.value & ~0x3F  # without the flags of what has happened
            together.wait()

        flushing.value = mode
        write(ctypes.addressof(flushing))
        call(POOL.team(2), ctypes.cast(body, ctypes.c_void_p), 0, 2)
        write(ctypes.addressof(usual))
        assert seen == {0: mode & ~0x3F, 1: mode & ~0x3F}


def test_many_python_threads_at_once(bodies):
    wrong = []

    def work():
        for _ in range(200):
            counts, shared = run(bodies, 3, 500)
            if shared or (counts != 1).any():
                wrong.append(counts)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads), "a thread hangs"
    assert not wrong


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_a_loop_within_a_loop_runs_alone(bodies, threads):
    outer, count = 50, 300
    arrays = [numpy.zeros(count + 256, numpy.int64) for _ in range(outer)]
    team = POOL.team(threads)
    data = numpy.array([team.ctypes.data, count, *(array.ctypes.data for array in arrays)])
    call(team, bodies.address("nest"), data.ctypes.data, outer)
    assert all((array[:count] == 1).all() for array in arrays)


def test_shutdown_and_again(bodies):
    for _ in range(20):
        assert (run(bodies, 3, 1000)[0] == 1).all()
        assert POOL.workers >= 2
        assert POOL.shutdown()
        assert POOL.workers == 0


def test_shutdown_leaves_a_busy_pool_alone():
    inside, leave = threading.Event(), threading.Event()

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int64] * 3)
    def body(_, first, last, slot):
        inside.set()
        leave.wait(30)

    caller = threading.Thread(target=lambda: call(POOL.team(2), ctypes.cast(body, ctypes.c_void_p), 0, 2))
    caller.start()
    assert inside.wait(30)
    assert not POOL.shutdown()
    leave.set()
    caller.join(30)
    assert POOL.shutdown()


@forks
def test_a_forked_child_makes_its_own_workers(bodies):
    assert (run(bodies, 2, 1000)[0] == 1).all()
    children = []
    for _ in range(5):
        child = os.fork()
        if not child:
            status = 1
            try:
                alone = POOL.workers == 0
                counts, shared = run(bodies, 2, 1000, turns=50)
                status = 0 if alone and POOL.workers == 1 and not shared and (counts == 50).all() else 2
            finally:
                os._exit(status)
        children.append(child)
        assert (run(bodies, 2, 1000)[0] == 1).all()
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 5


@forks
def test_fork_while_another_thread_is_in_a_loop(bodies):
    """The child inherits a pool that is taken, by a thread that it does not have."""
    inside, leave = threading.Event(), threading.Event()

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int64] * 3)
    def body(_, first, last, slot):
        inside.set()
        leave.wait(30)

    caller = threading.Thread(target=lambda: call(POOL.team(2), ctypes.cast(body, ctypes.c_void_p), 0, 2))
    caller.start()
    assert inside.wait(30)
    child = os.fork()
    if not child:
        status = 1
        try:
            counts, shared = run(bodies, 2, 1000)
            status = 0 if POOL.workers == 1 and not shared and (counts == 1).all() else 2
        finally:
            os._exit(status)
    leave.set()
    caller.join(30)
    assert os.waitpid(child, 0)[1] == 0


@signals
def test_signals_go_to_python(bodies):
    """Workers block them: the main thread is interrupted, wherever the kernel would rather deliver."""
    assert (run(bodies, 3, 1000)[0] == 1).all()
    caught = []
    before = signal.signal(signal.SIGUSR1, lambda *_: caught.append(threading.current_thread()))
    try:
        for _ in range(50):
            os.kill(os.getpid(), signal.SIGUSR1)
            run(bodies, 3, 1000)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert caught
    assert set(caught) == {threading.main_thread()}
    masks = [
        int(line.split()[1], 16)
        for task in os.listdir("/proc/self/task")
        for line in Path(f"/proc/self/task/{task}/status").read_text().splitlines()
        if line.startswith("SigBlk")
    ]
    assert sum(mask >> (signal.SIGINT - 1) & 1 for mask in masks) >= 2


def python(code):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120, check=False
    )


AT_END = """
    import ctypes, threading, time
    from hybridize.compiler.pool import have_pool
    from hybridize.runtime.pool import POOL, TEAM
    assert have_pool()
    Body = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int64] * 3)
    def call(body):
        team = POOL.team(2)
        parallel = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, *[ctypes.c_int64] * 4)(int(team[TEAM["parallel"]]))
        parallel(team.ctypes.data, body, 0, 8, 1, 255, 1)
"""


def test_the_process_ends_with_parked_workers():
    ended = python(AT_END + "    call(ctypes.cast(Body(lambda *_: None), ctypes.c_void_p)); print('end')")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "end\n", "")


def test_the_process_ends_during_a_loop():
    code = (
        AT_END
        + """
    from hybridize.codegen.llvm.engine import compile_module, host_target
    loaded = compile_module('''
        define void @body(ptr %seconds, i64 %first, i64 %last, i64 %slot) {
          br label %again
        again:
          br label %again
        }''', host_target())
    threading.Thread(target=lambda: call(loaded.address("body")), daemon=True).start()
    time.sleep(0.2)
    print("end")
    """
    )
    ended = python(code)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "end\n", "")


@pytest.mark.long
def test_for_a_long_time(bodies):
    """Loops of many sizes from several Python threads, while numbers change and workers come and go."""
    end = time.monotonic() + 60
    wrong = []

    def work(seed):
        random = numpy.random.default_rng(seed)
        while time.monotonic() < end:
            threads, count = (int(random.integers(1, 9)), int(random.integers(0, 3000)))
            counts, shared = run(bodies, threads, count, int(random.integers(1, 50)), int(random.integers(1, 12)))
            if shared or (counts != 1).any():
                wrong.append((threads, count))
            if random.random() < 0.01:
                POOL.shutdown()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads), "a thread hangs"
    assert not wrong
