# SPDX-License-Identifier: Apache-2.0
"""The units of a routine: parts that know nothing of each other. A processor does one after the other, on a device each
is a thread's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

from hybridize.base.dims import product, same
from hybridize.codegen.llvm.text import Function
from hybridize.schedule.routines import RoutineScratch


@contextmanager
def each_unit(f: Function, *sizes: int) -> Iterator[list[str]]:
    """Write what runs for each index of axes of these sizes; gives its indices."""
    with ExitStack() as stack:
        number = f.unit
        if not number:
            yield [stack.enter_context(f.loop(0, size)).index for size in sizes]
            return
        stack.enter_context(f.when(f.test("slt", number, product(sizes))))
        indices: list[str] = []
        for size in reversed(sizes[1:]):
            if same(size, 1):
                indices.append("0")
                continue
            indices.append(f.op(f"urem i64 {number}, {f.size(size)}"))
            number = f.op(f"udiv i64 {number}, {f.size(size)}")
        yield [number, *reversed(indices)]


def areas_of(f: Function, scratch: RoutineScratch) -> Mapping[str, str]:
    """The addresses of a routine's areas, those of the thread's unit on a device."""
    base = "%scratch"
    if f.unit and scratch.offsets:
        base = f.at(base, f.times(f.unit, scratch.nbytes))
    return {area: f.at(base, at) for area, at in scratch.offsets}
