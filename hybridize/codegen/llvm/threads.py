# SPDX-License-Identifier: Apache-2.0
"""Write the instructions of a GPU alone: numbers of threads, barriers, registers of others, shared memory."""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dims import Size, is_symbolic, same
from hybridize.codegen.llvm.text import Function, Module
from hybridize.loops.kernel import Param

LARGEST = (1 << 31) - 1
"""The largest number of 32 bits."""


class KernelFunction(Function):
    """A kernel being written, with the bounds of its threads' numbers."""

    def __init__(
        self, module: Module, name: str, params: Sequence[tuple[str, str]], attributes: str, threads: int, blocks: int
    ) -> None:
        super().__init__(module, name, params, linkage="ptx_kernel", attributes=attributes)
        self.bounds = {"tid.x": threads, "ctaid.x": blocks}


def kernel_function(
    module: Module,
    name: str,
    params: Sequence[tuple[str, Param | None]],
    threads: int,
    blocks: int = LARGEST,
    least: int = 0,
    numbers: Sequence[str] = (),
) -> KernelFunction:
    """Open the kernel `name`, whose blocks have so many threads; its params are pointers, to operands that nothing
    stores where there is no buffer.

    Args:
        module: that it belongs to.
        name: its name.
        params: names and buffers.
        threads: of a block.
        blocks: of a launch, at most; where it is known, LLVM divides in 32 bits.
        least: blocks that a processor has at once, at least: their threads share its registers, of which NVIDIA's
            assembler leaves them fewer where it is not told.
        numbers: names of further params, which differ between launches; each is an i64.
    """
    pointers = [(f"ptr {_promises(buffer)}nocapture", param) for param, buffer in params]
    pointers += [("i64", number) for number in numbers]
    attributes = f'nounwind "nvvm.maxntid"="{threads}"'  # so that a thread may have all registers that leaves it
    if least:
        attributes += f' "nvvm.minctasm"="{least}"'
    bound = LARGEST if is_symbolic(blocks) else max(1, min(blocks, LARGEST))
    return KernelFunction(module, name, pointers, attributes, threads, bound)


def _promises(buffer: Param | None) -> str:
    """Attributes that LLVM may rely on: what is only read, by one pointer, has a cache of its own."""
    alone = "" if buffer is not None and buffer.shared else "noalias "
    return alone if buffer is not None and buffer.written else f"{alone}readonly "


def thread(f: Function) -> str:
    """The number of the thread within its block, as an i64."""
    return _special(f, "tid.x")


def block(f: Function) -> str:
    """The number of the block, as an i64."""
    return _special(f, "ctaid.x")


def thread_of_all(f: Function) -> str:
    """The number of the thread among those of all blocks, as an i64."""
    assert isinstance(f, KernelFunction)
    return f.plus(f.times(block(f), f.bounds["tid.x"]), thread(f))


def block_in_rows(f: Function, size: str | Size) -> tuple[str, str]:
    """The row and the column of the block, where blocks are counted along rows of so many, each as an i64."""
    if not isinstance(size, str) and same(size, 1):
        return block(f), "0"
    narrow = [f.op(f"trunc i64 {x} to i32") for x in (block(f), f.operand(size))]  # blocks are fewer than 2^31
    parts = [f.op(f"{op} i32 {narrow[0]}, {narrow[1]}") for op in ("udiv", "urem")]
    row, column = (f.op(f"zext i32 {x} to i64") for x in parts)
    return row, column


def _special(f: Function, name: str) -> str:
    symbol = f.module.declare(f"llvm.nvvm.read.ptx.sreg.{name}", "i32", [])
    bound = f.bounds[name] if isinstance(f, KernelFunction) else LARGEST
    narrow = f.on_entry(f"call range(i32 0, {bound}) i32 {symbol}()", ("special", name))
    return f.on_entry(f"zext nneg i32 {narrow} to i64", ("special number", name))


def wait_for_block(f: Function) -> None:
    """Have all threads of the block wait for each other; what each stored before, all may read after."""
    symbol = f.module.declare("llvm.nvvm.barrier.cta.sync.aligned.all", "void", ["i32"], "convergent")
    f.do(f"call void {symbol}(i32 0)")


def wait_for_warp(f: Function) -> None:
    """The same of the threads of a warp."""
    symbol = f.module.declare("llvm.nvvm.bar.warp.sync", "void", ["i32"], "convergent")
    f.do(f"call void {symbol}(i32 -1)")


def begin_copy(f: Function, to: str, source: str, nbytes: int, there: str) -> None:
    """Begin to copy 4, 8 or 16 bytes of global to shared memory, or as many zeros where an i1 does not hold.

    They are there for the thread when it has waited for the group of copies that they are in.
    """
    kinds = ["ptr addrspace(3)", "ptr addrspace(1)", "i32"]
    level = "cg" if nbytes == 16 else "ca"  # the first cache has nothing of what is in shared memory
    symbol = f.module.declare(f"llvm.nvvm.cp.async.{level}.shared.global.{nbytes}.s", "void", kinds)
    to, source = f.op(f"addrspacecast ptr {to} to {kinds[0]}"), f.op(f"addrspacecast ptr {source} to {kinds[1]}")
    count = f.op(f"select i1 {there}, i32 {nbytes}, i32 0")
    f.do(f"call void {symbol}({kinds[0]} {to}, {kinds[1]} {source}, i32 {count})")


def end_copies(f: Function) -> None:
    """Close the group of copies that the thread has begun."""
    f.do(f"call void {f.module.declare('llvm.nvvm.cp.async.commit.group', 'void', [])}()")


def wait_for_copies(f: Function, newest: int) -> None:
    """Have the thread wait for its groups of copies, but for so many of the newest ones."""
    f.do(f"call void {f.module.declare('llvm.nvvm.cp.async.wait.group', 'void', ['i32'])}(i32 {newest})")


def from_below(f: Function, value: str, kind: str, distance: int) -> str:
    """The register of the thread so far behind in the warp."""
    return _exchanged(f, value, kind, "down", distance)


def from_first(f: Function, value: str, kind: str) -> str:
    """The register of the first thread of the warp."""
    return _exchanged(f, value, kind, "idx", 0)


def _exchanged(f: Function, value: str, kind: str, way: str, lane: int) -> str:
    """A register of another thread, by words of 32 bits."""
    symbol = f.module.declare(f"llvm.nvvm.shfl.sync.{way}.i32", "i32", ["i32"] * 4, "convergent")

    def word(x: str) -> str:
        return f.op(f"call i32 {symbol}(i32 -1, i32 {x}, i32 {lane}, i32 31)")

    if kind == "i32":
        return word(value)
    if kind == "float":
        return f.op(f"bitcast i32 {word(f.op(f'bitcast float {value} to i32'))} to float")
    if kind in ("i1", "i8", "i16"):
        return f.op(f"trunc i32 {word(f.op(f'zext {kind} {value} to i32'))} to {kind}")
    bits = value if kind == "i64" else f.op(f"bitcast {kind} {value} to i64")
    low = word(f.op(f"trunc i64 {bits} to i32"))
    high = word(f.op(f"trunc i64 {f.op(f'lshr i64 {bits}, 32')} to i32"))
    low, high = (f.op(f"zext i32 {x} to i64") for x in (low, high))
    both = f.op(f"or i64 {low}, {f.op(f'shl i64 {high}, 32')}")
    return both if kind == "i64" else f.op(f"bitcast i64 {both} to {kind}")


class SharedMemory:
    """The arrays that the threads of a block of one kernel share."""

    def __init__(self, f: Function) -> None:
        self._f = f
        self._count = 0
        self.nbytes = 0
        """Bytes of all arrays, each of which begins at a multiple of 16."""

    def array(self, kind: str, count: int, itemsize: int) -> str:
        """A pointer to a new array of so many elements of an LLVM type."""
        name = f"{self._f.name}_shared{self._count}"
        self._count += 1
        self.nbytes += -(-count * itemsize // 16) * 16
        text = f"@{name} = internal addrspace(3) global [{count} x {kind}] undef, align 16"
        self._f.module.globals[name] = text
        return f"addrspacecast (ptr addrspace(3) @{name} to ptr)"
