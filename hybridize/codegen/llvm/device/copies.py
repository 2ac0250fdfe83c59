# SPDX-License-Identifier: Apache-2.0
"""The kernel that copies elements from some strides to others: what views of an array are read and written by."""

from __future__ import annotations

from typing import Any

from hybridize.base.dims import FAR, SizeScope, product
from hybridize.base.dtypes import DType
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.device.nests import emit_nest
from hybridize.codegen.llvm.text import Module
from hybridize.loops.index import Interner, Space
from hybridize.loops.kernel import Param, Statement
from hybridize.machine.target import Target
from hybridize.schedule.device import thresholds
from hybridize.schedule.kernel import Body, EachThread, Kernel, Launch, LoopAxis, Nest


@frozen
class CopyKernel:
    """Code for arrays of so many axes, and elements of so many bytes."""

    module: Module
    function: str
    threads: int
    """Of a block; there is one for each unit."""
    numbers: tuple[str, ...]
    """The numbers that follow the two addresses: `n0` the size of an axis, `r0` and `w0` the distance of its elements
    where they are read and where they are written."""


def copy_kernel(axes: int, dtype: DType, target: Target) -> CopyKernel:
    """Write the kernel: a thread for each element; distances are counted in elements, and may be negative."""
    scope, module, interner = SizeScope(), Module(target.halves), Interner()
    scope.capturing = False
    sizes: tuple[Any, ...] = tuple(scope.symbol(64, name=f"n{axis}", low=1) for axis in range(axes))
    ways: list[list[Any]] = [[scope.symbol(1, name=f"{way}{axis}", low=-FAR) for axis in range(axes)] for way in "rw"]
    space = Space(interner, dict(enumerate(sizes)))
    source, target_place = (space.affine([(space.axis(axis), by) for axis, by in enumerate(way)]) for way in ways)
    reach: Any = scope.symbol(64, name="reach", low=1)
    params = Param(dtype, reach, written=False), Param(dtype, reach, written=True)
    statement = Statement(1, target_place, interner.load(dtype, 0, (source,)))
    body = Body(tuple(LoopAxis(size, EachThread()) for size in sizes), (statement,))
    nest = Nest((), (body,), launch=Launch.of(product(sizes), thresholds.THREADS))
    emit_nest(module, "strided", Kernel(params, (), (nest,)), nest, target)
    symbols = module.functions["strided"].symbols
    numbers = tuple(symbols[number].name for number in sorted(symbols))
    return CopyKernel(module, "strided", thresholds.THREADS, numbers)
