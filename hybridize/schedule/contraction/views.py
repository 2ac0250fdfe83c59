# SPDX-License-Identifier: Apache-2.0
"""Views of operands composed into the index maps of a contraction, so that it reads their bases as they lie."""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dims import same
from hybridize.base.types import Shape
from hybridize.loops.contraction import Subscript, outside, subscript
from hybridize.loops.expr import Axis, Const, Expr, whole
from hybridize.loops.index import Index


def through(
    subscripts: Sequence[Subscript], sizes: Sequence[int], view: Shape, indices: Sequence[Expr], base: Shape
) -> tuple[Subscript, ...] | None:
    """The subscripts of the base of a view whose element at its axes is the base's at `indices`.

    None where that is no index map: an index that is not affine, or an axis whose indices leave the view, which are
    zeros there, unless the base has that very axis.
    """
    leaving = {axis for axis, leaves in enumerate(outside(subscripts, sizes, view)) if leaves}
    alone = {
        index.number
        for index, size in zip(indices, base, strict=True)
        if isinstance(index, Axis) and index.number >= 0 and same(view[index.number], size)
    }
    if not leaving <= alone:
        return None
    result = []
    for index in indices:
        terms, constant = _terms(index)
        if terms is None:
            return None
        total: list[tuple[int, int]] = []
        for axis, coefficient in terms:
            one = subscripts[axis]
            if not same(one.divisor, 1) and (len(terms) > 1 or not same(coefficient, 1) or not same(constant, 0)):
                return None
            total += [(number, coefficient * by) for number, by in one.terms]
            constant = constant + coefficient * one.offset
        divisor = subscripts[terms[0][0]].divisor if len(terms) == 1 else 1
        result.append(subscript(total, constant, divisor))
    return tuple(result)


def _terms(index: Expr) -> tuple[list[tuple[int, int]] | None, int]:
    """The axes in an affine index with their coefficients, and its constant; None for the axes of any other."""
    match index:
        case Const():
            return [], whole(index)
        case Axis(number=number) if number >= 0:
            return [(number, 1)], 0
        case Index(constant=constant, terms=terms) if all(
            isinstance(atom, Axis) and atom.number >= 0 for atom, _ in terms
        ):
            return [(atom.number, coefficient) for atom, coefficient in terms if isinstance(atom, Axis)], constant
    return None, 0
