# SPDX-License-Identifier: Apache-2.0
"""The threads of the process as IR: a loop cut into chunks, which the caller and parked workers take in turn.

    void hybridize_parallel(ptr team, ptr body, ptr data, i64 count, i64 grain, i64 slots, i64 wake)
    i64  hybridize_shutdown(ptr pool)                    0 where the pool is busy

`hybridize_parallel` calls `body(data, start, stop, slot)` for ranges that cover 0..count once, at most `slots` of
them at a time, each of those with its own slot below `slots`; a range has at least `grain` turns.
Without `wake` the caller runs alone where that would take waking a worker.
Memory is laid out as `runtime.pool` says, which also makes it; the code refers to no symbol, so that its image can be
mapped anywhere.

One word, the ticket, holds the number of the loop and the chunks that nobody has taken. A thread takes a chunk by
compare-and-swap on it: so a worker that comes late, or was stopped between looking and taking, cannot take part in
another loop than it saw, and nobody ever waits for a thread that has taken nothing. The caller takes chunks from the
front and workers from the back, and so they meet the same data in the next loop. A loop that finds the pool busy
(another Python thread, or a loop within a loop) is run by its caller alone.
"""

from __future__ import annotations

from hybridize.codegen.llvm.text import UNOPTIMISED, Function, Module
from hybridize.machine.target import Target
from hybridize.runtime import pool

# The ticket, from the low bit: first free chunk, end of the free chunks, workers that take part, number of the loop.
_CHUNK_BITS, _WORKER_BITS = 12, 8
_STOP_AT, _WORKERS_AT, _LOOP_AT = _CHUNK_BITS, 2 * _CHUNK_BITS, 32
_MOST_CHUNKS = (1 << _CHUNK_BITS) - 1

_WAIT, _WAKE = 128, 129
"""Operations of futex, private to the process."""
_MONOTONIC = 1
"""CLOCK_MONOTONIC."""
_YIELD_HINT = 1
"""The instruction `yield`."""
_SIG_SETMASK = 2
_SIGNAL_SET = 16
"""Words of a sigset_t."""


def emit_pool(target: Target) -> Module:
    """The module of the pool."""
    module = Module()
    _emit_breathe(module, target)
    rounding = _Rounding(module, target)
    _emit_help(module, rounding)
    _emit_worker(module)
    _emit_start(module)
    _emit_parallel(module, rounding)
    _emit_shutdown(module)
    return module


class _Writer:
    """Writes one function over the words of `%pool`."""

    def __init__(
        self, module: Module, name: str, params: tuple[tuple[str, str], ...], returns: str = "void", linkage: str = ""
    ) -> None:
        self.f = Function(module, name, params, returns=returns, linkage=linkage, attributes=UNOPTIMISED)
        self.pool = "%pool"

    def word(self, name: str) -> str:
        """The address of a word."""
        return self.f.op(f"getelementptr i64, ptr {self.pool}, i64 {pool.WORD[name]}")

    def load(self, name: str, order: str = "monotonic", type: str = "i64") -> str:
        return self.f.op(f"load atomic {type}, ptr {self.word(name)} {order}, align 8")

    def store(self, value: str | int, name: str, order: str = "monotonic", type: str = "i64") -> None:
        self.f.do(f"store atomic {type} {value}, ptr {self.word(name)} {order}, align 8")

    def add(self, value: str | int, name: str) -> str:
        """Add to a word; returns what it was."""
        return self.f.op(f"atomicrmw add ptr {self.word(name)}, i64 {value} seq_cst, align 8")

    def replace(self, name: str, expected: str | int, value: str | int) -> str:
        """Set a word if it is as expected; whether it was."""
        f = self.f
        pair = f.op(f"cmpxchg ptr {self.word(name)}, i64 {expected}, i64 {value} seq_cst seq_cst, align 8")
        return f.op(f"extractvalue {{ i64, i1 }} {pair}, 1")

    def job(self) -> tuple[str, str, str, str]:
        """Body, data, count of turns and number of chunks."""
        return self.load("body", type="ptr"), self.load("data", type="ptr"), self.load("count"), self.load("chunks")

    def external(self, name: str, returns: str, *args: str, variadic: str = "") -> str:
        return self.f.op(f"call {returns} {variadic}{self.load(name, type='ptr')}({', '.join(args)})")

    def futex(self, address: str, operation: int, value: str | int) -> None:
        """Sleep while the 32-bit word at `address` is `value`, or wake that many who do."""
        arguments = (f"i64 {self.load('futex')}", f"ptr {address}", f"i64 {operation}", f"i64 {value}", "ptr null")
        self.external("syscall", "i64", *arguments, variadic="(i64, ...) ")

    def loop_number(self) -> str:
        """The address of the 32 bits of the ticket that number the loop, which workers sleep on."""
        return self.f.op(f"getelementptr i8, ptr {self.word('ticket')}, i64 {_LOOP_AT // 8}")

    def now(self) -> str:
        """Nanoseconds of a clock."""
        f = self.f
        time = f.alloca("i64", 2)
        self.external("clock_gettime", "i32", f"i32 {_MONOTONIC}", f"ptr {time}")
        seconds = f.op(f"load i64, ptr {time}, align 8")
        rest = f.op(f"load i64, ptr {f.op(f'getelementptr i64, ptr {time}, i64 1')}, align 8")
        return f.op(f"add i64 {f.op(f'mul i64 {seconds}, 1000000000')}, {rest}")

    def number(self, operation: str, x: str | int, y: str | int) -> str:
        """Arithmetic."""
        return self.f.op(f"{operation} i64 {x}, {y}")

    def next_loop(self) -> str:
        """A ticket for the loop after this one, without chunks."""
        number = self.number("lshr", self.load("ticket"), _LOOP_AT)
        return self.number("shl", self.number("add", number, 1), _LOOP_AT)

    def bits(self, ticket: str, at: int, width: int) -> str:
        """A part of the ticket."""
        shifted = self.number("lshr", ticket, at) if at else ticket
        return self.f.op(f"and i64 {shifted}, {(1 << width) - 1}")

    def free(self, ticket: str) -> tuple[str, str]:
        """Tell whether there are chunks that nobody has taken, and where they end."""
        stop = self.bits(ticket, _STOP_AT, _CHUNK_BITS)
        return self.f.op(f"icmp ult i64 {self.bits(ticket, 0, _CHUNK_BITS)}, {stop}"), stop

    def run(self, body: str, data: str, chunk: str, chunks: str, count: str, slot: str | int) -> None:
        """Run one chunk. No chunk has more than one turn more than another: half of them are half of the work."""
        start, stop = (
            self.number("udiv", self.number("mul", number, count), chunks)
            for number in (chunk, self.number("add", chunk, 1))
        )
        self.f.do(f"call void {body}(ptr {data}, i64 {start}, i64 {stop}, i64 {slot})")


class _Rounding:
    """Copies a caller's rounding mode and treatment of denormal numbers to the workers."""

    def __init__(self, module: Module, target: Target) -> None:
        self.processor = target.processor
        if self.processor == "x86_64":
            self.read = module.declare("llvm.x86.sse.stmxcsr", "void", ["ptr"])
            self.write = module.declare("llvm.x86.sse.ldmxcsr", "void", ["ptr"])
        else:
            self.read = module.declare("llvm.aarch64.get.fpcr", "i64", [])
            self.write = module.declare("llvm.aarch64.set.fpcr", "void", ["i64"])

    def keep(self, w: _Writer) -> None:
        """Write down the caller's."""
        if self.processor == "x86_64":
            w.f.do(f"call void {self.read}(ptr {w.word('rounding')})")
        else:
            w.store(w.f.op(f"call i64 {self.read}()"), "rounding")

    def take(self, w: _Writer, mode: str) -> None:
        """Set the worker's."""
        if self.processor == "x86_64":
            cell = w.f.alloca("i64")
            w.f.do(f"store i64 {mode}, ptr {cell}, align 8")
            w.f.do(f"call void {self.write}(ptr {cell})")
        else:
            w.f.do(f"call void {self.write}(i64 {mode})")


def _emit_breathe(module: Module, target: Target) -> None:
    """`breathe(pool, elapsed)`: what a waiting thread does between two looks.

    It soon gives way to others: the thread it waits for may be waiting for this very processor.
    """
    w = _Writer(module, "breathe", (("ptr", "pool"), ("i64", "elapsed")), linkage="internal")
    if target.processor == "x86_64":
        w.f.do(f"call void {module.declare('llvm.x86.sse2.pause', 'void', [])}()")
    elif target.processor == "aarch64":
        w.f.do(f"call void {module.declare('llvm.aarch64.hint', 'void', ['i32'])}(i32 {_YIELD_HINT})")
    with w.f.when(w.f.op(f"icmp sgt i64 %elapsed, {pool.YIELDS_AFTER_NS}")):
        w.external("sched_yield", "i32")


def _emit_help(module: Module, rounding: _Rounding) -> None:
    """`i1 help(pool)`: take part in the loop there is; whether there was anything to do."""
    w = _Writer(module, "help", (("ptr", "pool"),), returns="i1", linkage="internal")
    f = w.f
    mine, last = f.alloca("i64"), f.alloca("i64")
    f.enter("look")
    ticket = w.load("ticket", "acquire")
    some, stop = w.free(ticket)
    f.branch(some, "some", "none", begin="some")
    slot = w.number("add", w.bits(ticket, _WORKERS_AT, _WORKER_BITS), 1)
    f.branch(f.op(f"icmp ult i64 {slot}, {w.load('threads')}"), "wanted", "none", begin="wanted")
    # Read before the chunk is taken: taking it proves that they are those of the loop that was seen.
    body, data, count, chunks = w.job()
    mode = w.load("rounding")
    joined = w.number("add", ticket, (1 << _WORKERS_AT) - (1 << _STOP_AT))
    f.branch(w.replace("ticket", ticket, joined), "first", "look", begin="first")
    rounding.take(w, mode)
    f.do(f"store i64 0, ptr {mine}, align 8")
    f.do(f"store i64 {stop}, ptr {last}, align 8")
    f.enter("chunk")
    w.run(body, data, f.op(f"sub i64 {f.op(f'load i64, ptr {last}, align 8')}, 1"), chunks, count, slot)
    f.do(f"store i64 {w.number('add', f.op(f'load i64, ptr {mine}, align 8'), 1)}, ptr {mine}, align 8")
    f.enter("next")
    ticket = w.load("ticket", "acquire")
    some, stop = w.free(ticket)
    f.branch(some, "more", "done", begin="more")
    f.do(f"store i64 {stop}, ptr {last}, align 8")
    f.branch(w.replace("ticket", ticket, w.number("sub", ticket, 1 << _STOP_AT)), "chunk", "next")
    f.begin_block("done")
    ran = f.op(f"load i64, ptr {mine}, align 8")
    total = w.number("add", w.add(ran, "done"), ran)
    complete = f.op(f"icmp eq i64 {total}, {chunks}")
    waits = f.op(f"icmp ne i64 {w.load('waiting', 'seq_cst')}, 0")
    with f.when(f.op(f"and i1 {complete}, {waits}")):
        w.futex(w.word("done"), _WAKE, 1)
    f.do("ret i1 true")
    f.begin_block("none")
    f.do("ret i1 false")


def _emit_worker(module: Module) -> None:
    """`ptr worker(ptr pool)`: a thread's life. It helps, looks for a while for more to do, then sleeps."""
    w = _Writer(module, "worker", (("ptr", "pool"),), returns="ptr", linkage="internal")
    f = w.f
    f.enter("awake")
    since = w.now()
    f.enter("look")
    ticket = w.load("ticket", "acquire")
    f.branch(f.op(f"icmp eq i64 {w.load('stop', 'acquire')}, 0"), "alive", "end", begin="alive")
    f.branch(f.op("call i1 @help(ptr %pool)"), "awake", "idle", begin="idle")
    elapsed = w.number("sub", w.now(), since)
    f.branch(f.op(f"icmp slt i64 {elapsed}, {pool.WORKER_SPINS_NS}"), "breathe", "sleep", begin="breathe")
    f.do(f"call void @breathe(ptr %pool, i64 {elapsed})")
    f.jump("look")
    f.begin_block("sleep")
    # Before the futex looks at the number: a caller that then sees no sleeper has already set a new one.
    w.add(1, "sleepers")
    w.futex(w.loop_number(), _WAIT, w.number("lshr", ticket, _LOOP_AT))
    w.add(-1, "sleepers")
    f.jump("awake")
    f.begin_block("end")
    f.do("ret ptr null")


def _emit_start(module: Module) -> None:
    """`i64 start(pool, wanted)`: start threads until there are `wanted` workers; returns how many there are.

    Workers take no signals: those are for the threads that run Python.
    """
    w = _Writer(module, "start", (("ptr", "pool"), ("i64", "wanted")), returns="i64", linkage="internal")
    f = w.f
    every, before = f.alloca("i64", _SIGNAL_SET), f.alloca("i64", _SIGNAL_SET)
    with f.loop(0, _SIGNAL_SET) as loop:
        f.do(f"store i64 -1, ptr {f.op(f'getelementptr i64, ptr {every}, i64 {loop.index}')}, align 8")
    w.external("pthread_sigmask", "i32", f"i32 {_SIG_SETMASK}", f"ptr {every}", f"ptr {before}")
    f.enter("more")
    count = w.load("workers")
    f.branch(f.op(f"icmp ult i64 {count}, {f.umin('%wanted', w.load('ceiling'))}"), "one", "enough", begin="one")
    thread = f.op(f"getelementptr i64, ptr {w.word('thread')}, i64 {count}")
    code = w.external("pthread_create", "i32", f"ptr {thread}", "ptr null", "ptr @worker", "ptr %pool")
    f.branch(f.op(f"icmp eq i32 {code}, 0"), "made", "refused", begin="made")
    w.store(w.number("add", count, 1), "workers")
    f.jump("more")
    f.begin_block("refused")
    w.store(count, "ceiling")
    f.jump("more")
    f.begin_block("enough")
    w.external("pthread_sigmask", "i32", f"i32 {_SIG_SETMASK}", f"ptr {before}", "ptr null")
    f.do(f"ret i64 {count}")


def _emit_parallel(module: Module, rounding: _Rounding) -> None:
    """The loop; see the module."""
    numbers = ("count", "grain", "slots", "wake")
    params = (("ptr", "team"), ("ptr", "body"), ("ptr", "data"), *(("i64", name) for name in numbers))
    w = _Writer(module, pool.PARALLEL, params)
    f = w.f
    cells = {name: f.op(f"getelementptr i64, ptr %team, i64 {at}") for name, at in pool.TEAM.items()}
    w.pool = f.op(f"load ptr, ptr {cells['pool']}, align 8")
    limit = f.umin(f.op(f"load atomic i64, ptr {cells['threads']} monotonic, align 8"), "%slots")
    # At least two ranges: `grain` is 1 or more, and no more than half of `count`.
    some = f.op(f"icmp ult i64 {w.number('sub', '%grain', 1)}, {w.number('lshr', '%count', 1)}")
    f.branch(f.op(f"and i1 {some}, {f.op(f'icmp ugt i64 {limit}, 1')}"), "try", "alone", begin="try")
    f.branch(f.op("icmp ne i64 %wake, 0"), "begin", "asleep", begin="asleep")
    none = f.op(f"icmp eq i64 {w.load('workers')}, 0")
    some = f.op(f"icmp ne i64 {w.load('sleepers')}, 0")
    f.branch(f.op(f"icmp eq i1 {f.op(f'or i1 {none}, {some}')}, false"), "begin", "alone", begin="begin")
    f.branch(w.replace("lock", 0, 1), "mine", "alone", begin="mine")
    workers = f.op(f"call i64 @start(ptr {w.pool}, i64 {f.op(f'sub i64 {limit}, 1')})")
    threads = f.umin(limit, w.number("add", workers, 1))
    f.branch(f.op(f"icmp ugt i64 {threads}, 1"), "several", "unlock", begin="several")
    most = f.umin(w.number("mul", threads, pool.CHUNKS_EACH), _MOST_CHUNKS)
    chunks = f.umin(most, w.number("udiv", "%count", "%grain"))
    rounding.keep(w)
    _publish(w, threads, chunks)
    _take_front(w, chunks)
    _wait(w, chunks)
    f.begin_block("unlock")
    w.store(0, "lock", "release")
    f.branch(f.op(f"icmp ugt i64 {threads}, 1"), "end", "alone", begin="end")
    f.do("ret void")
    f.begin_block("alone")
    with f.when(f.op("icmp sgt i64 %count, 0")):
        f.do("call void %body(ptr %data, i64 0, i64 %count, i64 0)")


def _publish(w: _Writer, threads: str, chunks: str) -> None:
    """Tell the workers of the loop, and wake as many as may be of use."""
    f = w.f
    for value, name, type_ in (
        ("%body", "body", "ptr"),
        ("%data", "data", "ptr"),
        ("%count", "count", "i64"),
        (chunks, "chunks", "i64"),
        (threads, "threads", "i64"),
        ("0", "done", "i64"),
    ):
        w.store(value, name, type=type_)
    w.store(w.number("or", w.next_loop(), w.number("shl", chunks, _STOP_AT)), "ticket", "seq_cst")
    with f.when(f.op(f"icmp ne i64 {w.load('sleepers', 'seq_cst')}, 0")):
        w.futex(w.loop_number(), _WAKE, w.number("sub", f.umin(threads, chunks), 1))


def _take_front(w: _Writer, chunks: str) -> None:
    """The caller's share: chunk after chunk from the front; it counts them as done in the end."""
    f = w.f
    f.enter("next")
    ticket = w.load("ticket", "acquire")
    some, _ = w.free(ticket)
    f.branch(some, "more", "none", begin="more")
    f.branch(w.replace("ticket", ticket, w.number("add", ticket, 1)), "chunk", "next", begin="chunk")
    w.run("%body", "%data", w.bits(ticket, 0, _CHUNK_BITS), chunks, "%count", 0)
    f.jump("next")
    f.begin_block("none")
    ran = w.bits(ticket, 0, _CHUNK_BITS)
    before = w.add(ran, "done")
    f.branch(f.op(f"icmp eq i64 {f.op(f'add i64 {before}, {ran}')}, {chunks}"), "unlock", "others")


def _wait(w: _Writer, chunks: str) -> None:
    """Until the workers have finished what they took: look for a while, then sleep."""
    f = w.f
    f.begin_block("others")
    since = w.now()
    f.enter("wait")
    f.branch(f.op(f"icmp eq i64 {w.load('done', 'acquire')}, {chunks}"), "finished", "unfinished", begin="finished")
    w.store(0, "waiting")
    f.jump("unlock")
    f.begin_block("unfinished")
    elapsed = w.number("sub", w.now(), since)
    f.branch(f.op(f"icmp slt i64 {elapsed}, {pool.CALLER_SPINS_NS}"), "breathe", "sleep", begin="breathe")
    f.do(f"call void @breathe(ptr {w.pool}, i64 {elapsed})")
    f.jump("wait")
    f.begin_block("sleep")
    # The word first, then another look: whoever finishes last looks at the word after counting.
    w.store(1, "waiting", "seq_cst")
    done = w.load("done", "seq_cst")
    f.branch(f.op(f"icmp eq i64 {done}, {chunks}"), "wait.over", "doze", begin="wait.over")
    f.jump("wait")
    f.begin_block("doze")
    w.futex(w.word("done"), _WAIT, done)
    f.jump("wait")


def _emit_shutdown(module: Module) -> None:
    """End the workers; the next loop makes new ones."""
    w = _Writer(module, pool.SHUTDOWN, (("ptr", "pool"),), returns="i64")
    f = w.f
    f.branch(w.replace("lock", 0, 1), "idle", "busy", begin="idle")
    w.store(1, "stop", "seq_cst")
    w.store(w.next_loop(), "ticket", "seq_cst")
    w.futex(w.loop_number(), _WAKE, pool.THREADS)
    with f.loop(0, w.load("workers")) as loop:
        cell = f.op(f"getelementptr i64, ptr {w.word('thread')}, i64 {loop.index}")
        thread = f.op(f"load i64, ptr {cell}, align 8")
        w.external("pthread_join", "i32", f"i64 {thread}", "ptr null")
    for name in ("workers", "stop"):
        w.store(0, name)
    w.store(0, "lock", "release")
    f.do("ret i64 1")
    f.begin_block("busy")
    f.do("ret i64 0")
