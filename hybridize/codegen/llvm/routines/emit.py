# SPDX-License-Identifier: Apache-2.0
"""Loops that no scalar expression says: running sums, scatters, printing and asserting.

    void routine(ptr output..., ptr input..., ptr scratch)

One internal function per routine and case, written once per module. An array is seen as [outer, n, inner] around the
axis; where `inner` is larger than one, lanes run along it. Sorting is in `sorting`, random numbers by rejection in
`draws`.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from hybridize.base.dims import same
from hybridize.base.errors import CodegenError
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.routines import descents, draws, factors, orthogonal, prefixes, sorting, spectra
from hybridize.codegen.llvm.routines.cells import Cells
from hybridize.codegen.llvm.routines.units import areas_of, each_unit
from hybridize.codegen.llvm.text import Function, Module
from hybridize.loops.expr import Routine
from hybridize.machine.target import Target
from hybridize.runtime import effects
from hybridize.schedule.routines import RoutineScratch
from hybridize.schedule.steps import RoutineStep, ScheduleStep

Types = Sequence[TensorType]


def emit_routine(
    module: Module, routine: Routine, inputs: Types, outputs: Types, scratch: RoutineScratch, target: Target
) -> str:
    """Write the routine for operands of these types, once; returns the function's name.

    Its scratch is laid out as the schedule says (`schedule.routines`).

    Raises:
        CodegenError E955: there is no such routine.
    """
    case = (routine.name, repr(routine.parameters), *map(str, inputs), "->", *map(str, outputs))
    name = f"{routine.name}.{hashlib.sha256(' '.join(case).encode()).hexdigest()[:12]}"
    if name in module.functions:
        return name
    params = [("ptr", f"o{k}") for k in range(len(outputs))] + [("ptr", f"i{k}") for k in range(len(inputs))]
    f = Function(module, name, [*params, ("ptr", "scratch")])
    write_routine(f, routine, inputs, outputs, scratch, target)
    return name


def write_routine(
    f: Function, routine: Routine, inputs: Types, outputs: Types, scratch: RoutineScratch, target: Target
) -> None:
    """Write the body of a routine, whose params are `o0`, ..., `i0`, ... and `scratch`.

    Raises:
        CodegenError E955: there is no such routine.
    """
    if routine.name in WRITERS:
        WRITERS[routine.name](f, routine, inputs, outputs, target)
    elif routine.name in WRITERS_WITH_SCRATCH:
        areas = areas_of(f, scratch)
        WRITERS_WITH_SCRATCH[routine.name](f, routine, inputs, outputs, target, areas)
    else:
        raise CodegenError("E955", f"no routine is called {routine.name!r}")


def _around(type_: TensorType, axis: int) -> tuple[int, int, int]:
    """Sizes before, at and after the axis."""
    return math.prod(type_.shape[:axis]), type_.shape[axis], math.prod(type_.shape[axis + 1 :])


def _empty(sizes: Iterable[int]) -> bool:
    """Tell whether there is nothing to do. If only the call knows, the program is for calls like this one."""
    return any(size < 1 for size in sizes)


def _columns(
    f: Function, target: Target, outer: int, inner: int, lanes: int, body: Callable[[str, str, int], None]
) -> None:
    """Call body(outer index, inner index, lanes) so that every column of [outer, inner] is met once."""
    if target.device is not None:
        with each_unit(f, outer, inner) as (row, column):
            body(row, column, 1)
        return
    whole = inner // lanes * lanes if lanes > 1 and not same(inner, 1) else 0
    with f.loop(0, outer) as rows:
        for start, stop, width in ((0, whole, lanes), (whole, inner, 1)):
            if not same(start, stop):
                with f.loop(start, stop, width) as columns:
                    body(rows.index, columns.index, width)


def _position(f: Function, sizes: tuple[int, int, int], row: str, k: str | int, column: str) -> str:
    """Flat index of [row, k, column]."""
    _, n, inner = sizes
    return f.plus(f.times(f.plus(f.times(row, n), k), inner), column)


# Running totals


def _running(f: Function, routine: Routine, inputs: Types, outputs: Types, target: Target) -> None:
    """Sum, product or maximum of all elements up to each one, in order; half floats add up in float32."""
    sizes = _around(inputs[0], routine.parameters[0])
    if _empty(sizes):
        return
    source, result = Cells(f, inputs[0].dtype), Cells(f, outputs[0].dtype)
    outer, n, inner = sizes

    def column(row: str, at: str, lanes: int) -> None:
        def element(k: str | int) -> tuple[str, str]:
            position = _position(f, sizes, row, k, at)
            return position, source.load_number("%i0", position, lanes)

        position, first = element(0)
        result.store_number(first, "%o0", position, lanes)
        with f.loop(1, n, carry=[(result.number_type(lanes), first)]) as loop:
            position, x = element(loop.index)
            total = running_total(result, routine.name, loop.values[0], x, lanes)
            result.store_number(total, "%o0", position, lanes)
            loop.following = [total]

    _columns(f, target, outer, inner, target.lanes(max(4, outputs[0].dtype.itemsize)), column)


def running_total(cells: Cells, name: str, total: str, x: str, lanes: int) -> str:
    """The sum, product or maximum of what came before, and an element."""
    match name:
        case "cum_sum":
            return cells.arithmetic("add", total, x, lanes)
        case "cum_prod":
            return cells.arithmetic("mul", total, x, lanes)
    return cells.choose(cells.beyond(x, total, True, lanes), x, total, cells.number_type(lanes), lanes)


# Scatters


def _scatter(f: Function, routine: Routine, inputs: Types, outputs: Types, target: Target) -> None:
    """A copy of the base in which whole rows, named by index tuples, are replaced or added to, one after the other."""
    base, where = inputs[:2]
    depth = where.shape[-1]
    tuples, row = math.prod(where.shape[:-1]), math.prod(base.shape[depth:])
    cells = Cells(f, base.dtype)
    _begin_with(f, base)
    if _empty((tuples, row, base.size)):
        return
    indices = Cells(f, where.dtype)
    with f.loop(0, tuples) as loop:
        target_row = "0"
        for axis in range(depth):
            position = f.plus(f.times(loop.index, depth), axis)
            index = f.between(indices.load("%i1", position, 1), 0, base.shape[axis] - 1)
            target_row = f.plus(f.times(target_row, base.shape[axis]), index)
        start, source = (f.times(number, row) for number in (target_row, loop.index))

        def element(_: str, at: str, lanes: int) -> None:
            to, from_ = f.plus(start, at), f.plus(source, at)
            if routine.parameters[0] == "set":
                cells.store(cells.load("%i2", from_, lanes), "%o0", to, lanes)
                return
            x, y = cells.load_number("%o0", to, lanes), cells.load_number("%i2", from_, lanes)
            cells.store_number(cells.arithmetic("add", x, y, lanes), "%o0", to, lanes)

        _columns(f, target, 1, row, target.lanes(max(4, base.dtype.itemsize)), element)


def _begin_with(f: Function, base: TensorType) -> None:
    """Copy the first operand to the result, unless it lies there: then it is written over (`schedule.routines`)."""
    with f.when(f.op("icmp ne ptr %o0, %i0")):
        f.copy("%o0", "%i0", f.size(base.nbytes))


def _update(f: Function, routine: Routine, inputs: Types, outputs: Types, target: Target) -> None:
    """The first operand with a part along one axis, which begins where the second says, replaced by the third."""
    base, _, part = inputs
    axis = routine.parameters[0]
    outer, n, inner = _around(base, axis)
    length = part.shape[axis]
    if target.device is not None:
        cells = Cells(f, base.dtype)
        start = f.between(Cells(f, inputs[1].dtype).load("%i1", "0", 1), 0, n - length)
        with each_unit(f, outer, n, inner) as (before, k, after):
            at = _position(f, (outer, n, inner), before, k, after)
            moved = f.minus(k, start)
            there = _position(f, (outer, length, inner), before, moved, after)
            for way, source, place in (("ult", "%i2", there), ("uge", "%i0", at)):
                with f.when(f.test(way, moved, length)):
                    cells.store(cells.load(source, place, 1), "%o0", at, 1)
        return
    _begin_with(f, base)
    if _empty((outer, inner, length)):
        return
    start = f.between(Cells(f, inputs[1].dtype).load("%i1", "0", 1), 0, n - length)
    row = inner * base.dtype.itemsize
    first = f.times(start, row)
    with f.loop(0, outer) as loop:
        to, from_ = f.plus(f.times(loop.index, n * row), first), f.times(loop.index, length * row)
        f.copy(f.at("%o0", to), f.at("%i2", from_), length * row)


# Effects


def calls_back(step: ScheduleStep) -> bool:
    """Tell whether a step calls back to Python, or a step of its bodies does, which may leave an exception behind."""
    if any(calls_back(one) for body in step.programs for one in body.steps):
        return True
    return isinstance(step, RoutineStep) and WRITERS.get(step.routine.name) in (_effect, _foreign)


def _effect(f: Function, routine: Routine, inputs: Types, outputs: Types, target: Target) -> None:
    """Call back with a note and the operands; an assertion only where some element is false."""
    note = _note(f, routine, _exact(inputs))
    table = _table(f, [f"%i{number}" for number in range(len(inputs))])
    if routine.name == "print":
        _call_back(f, note, table)
        return
    with f.loop(0, inputs[0].size, carry=[("i8", "1")]) as loop:
        element = f.load("%i0", loop.index, "i8")
        loop.following = [f.op(f"and i8 {loop.values[0]}, {element}")]
    with f.when(f.op(f"icmp eq i8 {loop.results[0]}, 0")):
        _call_back(f, note, table)


def _foreign(f: Function, routine: Routine, inputs: Types, outputs: Types, target: Target) -> None:
    """Call back with a note, the operands and the memory of the results."""
    note = _note(f, routine, (*_exact(inputs), "->", *_exact(outputs)))
    operands = [f"%i{number}" for number in range(len(inputs))]
    _call_back(f, note, _table(f, [*operands, *(f"%o{number}" for number in range(len(outputs)))]))


def _exact(types: Types) -> list[TensorType]:
    """Types with numbers for sizes: a note tells the shapes, so it is for the sizes of one call."""
    return [type_.with_shape(tuple(map(int, type_.shape))) for type_ in types]


def _note(f: Function, routine: Routine, types: Sequence[TensorType | str]) -> str:
    message, recipe = map(str, routine.parameters)
    text = effects.note(routine.name, message, recipe, types).encode() + b"\0"
    quoted = "".join(f"\\{byte:02X}" for byte in text)
    return f.module.constant(f"note.{f.name}", f"[{len(text)} x i8]", f'c"{quoted}"')


def _table(f: Function, pointers: Sequence[str]) -> str:
    table = f.alloca("ptr", max(1, len(pointers)))
    for number, pointer in enumerate(pointers):
        f.store(pointer, f.element(table, number, "ptr"), type="ptr")
    return table


def _call_back(f: Function, note: str, table: str) -> None:
    callee = f.op(f"load ptr, ptr {f.module.variable(effects.VARIABLE, 8)}")
    f.do(f"call void {callee}(ptr {note}, ptr {table})")


WRITERS: Final[dict[str, Callable[..., None]]] = {
    "cum_sum": _running, "cum_prod": _running, "cum_max": _running,
    "scatter_nd": _scatter, "update_at": _update,
    "print": _effect, **dict.fromkeys(effects.RAISES, _effect),
    "foreign": _foreign, "hosted": _foreign,
    "cholesky": factors.write_cholesky, "lu": factors.write_lu, "solve_triangular": factors.write_triangular,
    "standard_gamma": draws.write_gamma, "dots_until": prefixes.write_dots, "sum_until": prefixes.write_sums,
    "descent": descents.write,
}  # fmt: skip
"""Writers of routines by their names."""
WRITERS_WITH_SCRATCH: Final[dict[str, Callable[..., None]]] = {
    "sort": sorting.write, "arg_sort": sorting.write,
    "qr": orthogonal.write_qr, "eigh": spectra.write_eigh, "svd": spectra.write_svd,
}  # fmt: skip
"""Those that work in scratch take pointers to its areas besides, by their names."""
