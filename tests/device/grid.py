# SPDX-License-Identifier: Apache-2.0
"""Blocks that run: some thousand threads at once, as the lanes of arrays.

Threads at one segment run it together, those with the lowest one first, so that they meet where ways join. A register is
one number where all threads have the same, else an array of all lanes. Blocks run in groups, one group after the other.
"""

from __future__ import annotations

import copy
import ctypes
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.device import flow
from tests.device.access import Site
from tests.device.compiled import Program, Runner
from tests.device.copies import Pending
from tests.device.fault import Fault
from tests.device.memory import LOCAL, SHARED, Buffer, Bytes, Heap, Span
from tests.device.shadow import Moment, Shadow

LANES = 1 << 14
"""How many run at once: arrays that fit a core's cache, and are long beside what a call of NumPy costs."""


def keep_freed_memory() -> None:
    """Ask the C library to keep what arrays free: they are made anew a million times."""
    try:
        library = ctypes.CDLL(None)
        for option in (-1, -3):  # M_TRIM_THRESHOLD, M_MMAP_THRESHOLD
            library.mallopt(option, 1 << 28)
    except (OSError, TypeError, AttributeError):  # another C library
        return


@dataclass
class Clock:
    """Stamps that only grow, of all launches of a device."""

    stamp: int = 0
    block: int = 0


class Launch(NamedTuple):
    """What is asked of a device: a kernel, how many threads, and its arguments by name."""

    program: Program
    blocks: int
    threads: int
    """Of a block."""
    shared_bytes: int
    arguments: dict[str, int | float | Span]
    variables: dict[str, Span]
    """Where variables of the module are."""


class Grid:
    """One launch, and the threads of it that run now."""

    def __init__(self, heap: Heap, clock: Clock, launch: Launch) -> None:
        self.heap, self.clock, self.launch = heap, clock, launch
        program = launch.program
        self.threads, self.total = launch.threads, launch.blocks
        self.padded_block = -(-self.threads // 32) * 32  # warps begin at multiples of 32
        self.shared_row = -(-(program.shared_bytes + launch.shared_bytes) // 16) * 16
        self.local_row = -(-program.local_bytes // 16) * 16
        self.arguments = _numbers(launch)
        self._targets = self._pointers()
        self._spans: dict[int, list[tuple[int, int, Buffer]]] = {}
        self._known: dict[int, bool] = {}
        self._tracked: dict[int, bool] = {}
        self._stored = [
            span for site in program.sites if site.writes and site.space in ("global", "") for span in self.spans(site)
        ]
        self.watched: set[Shadow] = set()
        self.first_stamp, clock.block = clock.block, clock.block + self.total + 1
        self.at_once = max(1, min(self.total, LANES // self.padded_block))
        self.shared = Bytes(self.at_once * self.shared_row, "shared memory")
        self.local = Bytes(self.at_once * self.padded_block * self.local_row, "local memory", is_private=True)

    def run(self) -> None:
        """Run all blocks."""
        with np.errstate(all="ignore"):
            for first in range(0, self.total, self.at_once):
                self._begin(first, min(self.at_once, self.total - first))
                self._run()
                self._tick()

    # Pointers

    def _pointers(self) -> dict[str, tuple[int, int, Buffer]]:
        """Return what may be reached by each argument that points to a buffer, and by each variable."""
        result = {}
        for name, value in (*self.launch.arguments.items(), *self.launch.variables.items()):
            if not isinstance(value, Span) and not isinstance(value, int):
                continue
            if isinstance(value, Span):
                buffer, _ = self.heap.range(*value, f"argument {name}")
                result[name] = (value.address, value.address + value.nbytes, buffer)
            elif (buffer := self.heap.find(value, 0)) is not None:
                if buffer.is_freed:
                    raise Fault(f"argument {name} points to {buffer.name}, which is freed")
                result[name] = (buffer.address, buffer.end, buffer)
        return result

    def spans(self, site: Site) -> list[tuple[int, int, Buffer]]:
        """Return the ranges that an instruction may reach: those of the arguments that its pointer comes from."""
        spans = self._spans.get(site.number)
        if spans is None:
            spans = [self._targets[name] for name in sorted(site.roots) if name in self._targets]
            if not spans:
                spans = [(one.address, one.end, one) for one in self.heap.living()]
            self._spans[site.number] = spans
        return spans

    def outside(self, site: Site, address: int) -> str:
        """Say what is at an address that an instruction may not reach."""
        names = ", ".join(sorted(name for name in site.roots if name in self._targets)) or "any pointer"
        buffer = self.heap.find(address)
        if buffer is None:
            return f"is outside of what {names} may reach, in no buffer"
        place = f"byte {address - buffer.address} of {buffer.name}"
        return f"is {place}, which is freed" if buffer.is_freed else f"is outside of what {names} may reach: {place}"

    def is_known(self, site: Site, memory: Bytes) -> bool:
        """Tell whether all that an instruction may read was written before the launch."""
        if not isinstance(memory, Buffer):
            return False
        known = self._known.get(site.number)
        if known is None:
            known = self._known[site.number] = all(
                (one.known[low - one.address : high - one.address] != 0).all() for low, high, one in self.spans(site)
            )
        return known

    def is_tracked(self, site: Site, memory: Bytes) -> bool:
        """Tell whether somebody may write in this launch what an instruction reads."""
        if not isinstance(memory, Buffer):
            return True
        tracked = self._tracked.get(site.number)
        if tracked is None:
            tracked = self._tracked[site.number] = any(
                low < end and start < high for low, high, _ in self.spans(site) for start, end, _ in self._stored
            )
        return tracked

    def window(self, space: str) -> tuple[Bytes, np.ndarray | int, int, int]:
        """Return a memory of blocks or threads: where each thread's begins, its size, and its first generic address."""
        if space == "local":
            return self.local, self.lanes * self.local_row, self.launch.program.local_bytes, LOCAL
        size = self.launch.program.shared_bytes + self.launch.shared_bytes
        return self.shared, self.lanes // self.padded_block * self.shared_row, size, SHARED

    # Who runs

    def _begin(self, first: int, count: int) -> None:
        """Let some blocks be those that run."""
        self.first, self.padded = first, count * self.padded_block
        every = np.arange(self.padded)
        self.universe = every[every % self.padded_block < self.threads]
        """The lanes that have an element in the arrays of registers."""
        self.alive = np.zeros(self.padded, bool)
        self.alive[self.universe] = True
        self.groups = np.zeros(self.padded, np.int64)
        self.pending: list[Pending] = []
        self.registers: list[np.ndarray | None] = [None] * len(self.launch.program.slots)
        self.owned: set[int] = set()
        self.fronts: dict[int, np.ndarray | None] = {0: None}
        self.parked: dict[int, np.ndarray | None] = {}
        self.waiting: dict[int, np.ndarray | None] = {}
        self.shared.forget()
        self.local.forget()
        self._tables: dict[str, np.ndarray] = {}
        self._universal: dict[str, np.ndarray] = {}
        self._advance()
        self._select(None)

    def _advance(self) -> None:
        self.moment = Moment(
            self.clock.stamp, self.padded, self.first_stamp, self.total, first=self.first, row=self.padded_block
        )
        self.phases = np.zeros(self.padded // 32, np.int64)
        """How often each warp has met since the last barrier of its block."""

    def _tick(self) -> None:
        """Look at what the threads did since they met last."""
        for one in self.watched:
            one.settle(self.moment)
        self.watched.clear()
        self.clock.stamp += self.moment.codes * (1 + int(self.phases.max()))
        self._advance()
        self._universal.pop("who", None)

    def _select(self, ids: np.ndarray | None) -> None:
        self.ids = ids
        self.lanes = self.universe if ids is None else self.universe[ids]
        self.count = len(self.lanes)
        self._cache = self._universal if ids is None else {}

    def meet(self) -> None:
        """Let the warps that run meet: what their threads did before comes before what they do then."""
        for one in self.watched:
            one.settle(self.moment, ends=False)
        self.phases[np.unique(self.lanes >> 5)] += 1
        self._universal.pop("who", None)
        self._cache.pop("who", None)

    def part(self, index: np.ndarray) -> Grid:
        """Return the same with some of the threads that run."""
        result = copy.copy(self)
        result.lanes, result.count, result._cache = self.lanes[index], len(index), {}
        return result

    def thread(self, index: int) -> str:
        """Name one of the threads that run."""
        lane = int(self.lanes[min(index, self.count - 1)])
        return f"thread {lane % self.padded_block} of block {self.first + lane // self.padded_block}"

    @property
    def who(self) -> np.ndarray:
        """The stamps of the threads that run."""
        if "who" not in self._cache:
            self._cache["who"] = self.moment.epoch + self.phases[self.lanes >> 5] * self.moment.codes + self.lanes
        return self._cache["who"]

    @property
    def block(self) -> np.ndarray:
        """The numbers of their blocks, of all launches."""
        if "block" not in self._cache:
            self._cache["block"] = self.first_stamp + self.first + self.lanes // self.padded_block
        return self._cache["block"]

    def special(self, name: str) -> np.ndarray:
        """Return a register that the machine sets, as uint32."""
        if name not in self._cache:
            if name not in self._tables:
                self._tables[name] = self._table(name)
            table = self._tables[name]
            self._cache[name] = table if table.ndim == 0 else table[self.lanes]
        return self._cache[name]

    def _table(self, name: str) -> np.ndarray:
        lane = np.arange(self.padded)
        thread, block = lane % self.padded_block, self.first + lane // self.padded_block
        values = {"tid.x": thread, "ntid.x": self.threads, "ctaid.x": block, "nctaid.x": self.total}
        table = np.asarray(values[name], np.uint32)
        return table[0] if table.ndim and (table == table[0]).all() else table

    # How they run

    def _run(self) -> None:
        runners = self.launch.program.runners
        while True:
            if not self.fronts and not self._wake():
                return
            number = min(self.fronts)
            if number == len(runners):
                raise Fault("threads run past the end of the kernel")
            runner, ids = runners[number], self.fronts.pop(number)
            if runner.segment.of_warps:
                ids, is_empty = self._together(runner, ids)
                if is_empty:
                    continue
            if ids is not None and not (self.fronts or self.parked or self.waiting):
                self._compact(ids, runner.segment.live)
                ids = None
            self._select(ids)
            self._step(runner)

    def _step(self, runner: Runner) -> None:
        """Run a segment with the threads selected."""
        registers, ids = self.registers, self.ids
        inputs = [registers[slot] for slot in runner.inputs]
        if any(x is None for x in inputs):
            missing = runner.inputs[next(k for k, x in enumerate(inputs) if x is None)]
            name = list(self.launch.program.slots)[missing]
            raise Fault(f"line {runner.segment.line}: {name} is read before it is written")
        if ids is None:
            self.owned.difference_update(runner.inputs)
        else:
            inputs = [x if x.ndim == 0 else x[ids] for x in inputs]
        try:
            results = runner.function(self, *inputs)
        except Exception as error:
            raise self._located(error) from error
        if ids is None:
            for slot, value in zip(runner.outputs, results, strict=False):
                registers[slot] = value
                self.owned.discard(slot)
        else:
            live = self._live()
            for slot, value in zip(runner.outputs, results, strict=False):
                self._merge(slot, value, bool(live >> slot & 1))
        self._leave(runner, results)

    def _located(self, error: Exception) -> Exception:
        """Return an error with the line of PTX in which it came."""
        if isinstance(error, Fault) and str(error).startswith("line "):
            return error
        trace, lines = error.__traceback__, self.launch.program.lines
        while trace is not None and trace.tb_frame.f_code.co_filename not in lines:
            trace = trace.tb_next
        if trace is None:
            return error
        instruction = lines[trace.tb_frame.f_code.co_filename][trace.tb_lineno - 2]
        if isinstance(error, Fault):
            return instruction.fault(str(error))
        error.add_note(f"line {instruction.line}: {instruction.text}")
        return error

    def _live(self) -> int:
        """Return the registers, as bits, that threads read which do not run now."""
        live, runners = 0, self.launch.program.runners
        for number in (*self.fronts, *self.parked, *self.waiting):
            live |= runners[number].segment.live
        return live

    def _merge(self, slot: int, value: np.ndarray, is_live: bool) -> None:
        """Write a register for the threads that run, while others may need their own number of it."""
        old = self.registers[slot]
        if value.ndim == 0 and (
            not is_live or (old is not None and old.ndim == 0 and old.tobytes() == value.tobytes())
        ):
            self.registers[slot] = value
            self.owned.discard(slot)
            return
        if slot not in self.owned:
            if is_live and old is not None:
                old = np.broadcast_to(old, len(self.universe)).copy()
            else:
                old = np.empty(len(self.universe), value.dtype)
            self.registers[slot] = old
            self.owned.add(slot)
        old[self.ids] = value

    def _leave(self, runner: Runner, results: tuple) -> None:
        """Send the threads on."""
        ids = self.ids
        match runner.segment.end:
            case flow.Branch(None, target):
                self._go(target, ids)
            case flow.Branch(_, target, other):
                yes = results[-1] if runner.condition else ~results[-1]
                if yes.all():
                    self._go(target, ids)
                elif not yes.any():
                    self._go(other, ids)
                else:
                    every = np.arange(self.count) if ids is None else ids
                    self._go(target, every[yes])
                    self._go(other, every[~yes])
            case flow.Barrier(following):
                self._join(self.waiting, following, ids)
            case _:
                self.alive[self.lanes] = False

    def _go(self, number: int, ids: np.ndarray | None) -> None:
        runners = self.launch.program.runners
        if (
            number < len(runners)
            and not runners[number].segment.code
            and isinstance(runners[number].segment.end, flow.Exit)
        ):
            self.alive[self.universe if ids is None else self.universe[ids]] = False
            return
        self._join(self.fronts, number, ids)

    def _join(self, table: dict[int, np.ndarray | None], number: int, ids: np.ndarray | None) -> None:
        if number in table and ids is not None and table[number] is not None:
            ids = np.sort(np.concatenate([table[number], ids]))
        table[number] = None if ids is None or len(ids) == len(self.universe) else ids

    def _compact(self, ids: np.ndarray, live: int) -> None:
        """Leave in the arrays of registers only lanes that run: the others have ended."""
        self.universe, self._universal = self.universe[ids], {}
        for slot, value in enumerate(self.registers):
            if not live >> slot & 1:
                self.registers[slot] = None
            elif value is not None and value.ndim:
                self.registers[slot] = value[ids]
        self.owned.clear()

    # Where they wait

    def _together(self, runner: Runner, ids: np.ndarray | None) -> tuple[np.ndarray | None, bool]:
        """Return the threads whose warps are all there, for what a warp does together; the others are parked."""
        number = runner.segment.number
        if number in self.parked:
            self._join(self.parked, number, ids)
            ids = self.parked.pop(number)
        if ids is None:
            return None, False
        warps, alive = self.universe[ids] >> 5, self.alive.reshape(-1, 32).sum(1)
        whole = (np.bincount(warps, minlength=len(alive)) >= alive)[warps]
        if not whole.all():
            self._join(self.parked, number, ids[~whole])
        chosen = ids[whole]
        return (None if len(chosen) == len(self.universe) else chosen), not len(chosen)

    def _wake(self) -> bool:
        """Let threads that wait go on, when no other can; false where all have ended."""
        runners = self.launch.program.runners
        for number in [*self.parked]:  # some for which they wait may have ended
            ids, is_empty = self._together(runners[number], self.parked.pop(number))
            if not is_empty:
                self.fronts[number] = ids
                return True
        if self.parked:
            number, ids = next(iter(self.parked.items()))
            self._select(ids)
            first = runners[number].segment.code[0]
            raise first.fault(f"{self.thread(0)} waits for threads of its warp that do not come")
        if not self.waiting:
            return False
        self._release()
        return True

    def _release(self) -> None:
        """Let threads pass a barrier that all of their block have reached."""
        for number, ids in self.waiting.items():
            self._select(ids)
            blocks = self.lanes // self.padded_block
            here = np.bincount(blocks)
            short = (here > 0) & (here < self.threads)
            if short.any():
                block = int(np.flatnonzero(short)[0])
                barrier = self.launch.program.runners[number - 1].segment.code[-1]
                raise barrier.fault(
                    f"{int(here[block])} of {self.threads} threads of block {self.first + block} are here;"
                    f" {self._elsewhere(number, block)}"
                )
        self.fronts, self.waiting = self.waiting, {}
        self._tick()

    def _elsewhere(self, number: int, block: int) -> str:
        """Say where the other threads of a block are."""
        runners = self.launch.program.runners
        for other, ids in self.waiting.items():
            lanes = self.universe if ids is None else self.universe[ids]
            if other != number and (lanes // self.padded_block == block).any():
                return f"others wait at line {runners[other - 1].segment.code[-1].line}"
        return "the others have ended"


def _numbers(launch: Launch) -> dict[str, np.generic]:
    """Return the arguments as numbers of the types of the parameters."""
    result = {}
    for name, value in launch.arguments.items():
        kind = launch.program.kernel.params[name]
        if isinstance(value, Span):
            value = value.address
        if kind.kind in ("u", "s", "b"):
            bits = int(value) & ((1 << (8 * kind.nbytes)) - 1)
            result[name] = np.array(bits, f"u{kind.nbytes}")[()]
        else:
            result[name] = np.array(value, kind.dtype).view(f"u{kind.nbytes}")[()]
    return result
