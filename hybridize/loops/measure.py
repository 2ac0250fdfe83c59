# SPDX-License-Identifier: Apache-2.0
"""Measure expressions and loops: how wide and heavy they are, and what they move."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from hybridize.base import dims
from hybridize.base.dtypes import FLOATS, bool_
from hybridize.loops.expr import Axis, CallExpr, Cast, Const, Expr, Fold, Load, Select
from hybridize.loops.functions import FUNCTIONS
from hybridize.loops.index import CHILDREN, Index
from hybridize.loops.kernel import ElementKernel, Param, Statement


def walk(*roots: Expr, indices: bool = True, folds: bool = True) -> Iterator[Expr]:
    """Each expression below `roots` once; optionally without what is inside indices, or inside folds."""
    seen: set[Expr] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        yield node
        if (indices or not isinstance(node, Load | Index)) and (folds or not isinstance(node, Fold)):
            parts = CHILDREN.get(node.__class__)
            if parts is not None:
                stack += parts(node)


def widest(*roots: Expr) -> int:
    """Bytes of the widest register below `roots`, indices aside; 16-bit floats compute in 4, bool counts 1."""
    best = 1
    for node in walk(*roots, indices=False):
        if isinstance(node, Load | CallExpr | Cast | Select | Fold) and node.dtype != bool_:
            narrow = node.dtype in FLOATS and node.dtype.itemsize == 2
            best = max(best, 4 if narrow else node.dtype.itemsize)
    return best


def weight(*roots: Expr, indices: bool = True) -> int:
    """Roughly how many instructions an element takes, folds aside, and `indices` too where they are taken elsewhere."""
    total = 0
    for node in walk(*roots, indices=indices, folds=False):
        if isinstance(node, CallExpr):
            total += FUNCTIONS[node.function].weight
        elif isinstance(node, Load | Select | Cast):
            total += 1
    return total


def step_along(address: Expr, axis: int) -> int | None:
    """The coefficient of an axis in an address; None where it is in anything but a plain term."""
    terms = address.terms if isinstance(address, Index) else ((address, 1),)
    step = 0
    for atom, coefficient in terms:
        if isinstance(atom, Axis):
            step += coefficient if atom.number == axis else 0
        elif any(isinstance(node, Axis) and node.number == axis for node in walk(atom)):
            return None
    return step


def bytes_moved(params: Sequence[Param], loops: Iterable[tuple[Sequence[int], Sequence[Statement]]]) -> int:
    """Return the bytes of buffers that loops read and store, each element once as far as its addresses tell.

    Args:
        params: the buffers, by number; others are not counted.
        loops: sizes of the axes, from axis 0 on, and the statements over them.
    """
    addresses: dict[int, dict[int, list[int]]] = {}
    whole: set[int] = set()
    for extents, statements in loops:
        sizes = dict(enumerate(extents))
        roots = [statement.value for statement in statements]
        sizes |= {fold.variable: fold.size for fold in walk(*roots) if isinstance(fold, Fold)}
        accesses = [(statement.buffer, statement.index) for statement in statements]
        accesses += [(load.operand, load.indices[0]) for load in walk(*roots) if isinstance(load, Load)]
        for number, address in accesses:
            count = _elements(address, sizes)
            if count is None:
                whole.add(number)
                continue
            known = addresses.setdefault(number, {}).setdefault(id(address), [])
            if not any(dims.same(count, other) for other in known):
                known.append(count)
    total = 0
    for number, param in enumerate(params):
        count = sum(count for counts in addresses.get(number, {}).values() for count in counts)
        inside = number not in whole and dims.proven(param.size - count, 0)
        total = total + (count if inside else param.size) * param.dtype.itemsize
    return total


def kernel_bytes(kernel: ElementKernel) -> int:
    """Return the bytes of its params that a kernel reads and stores."""
    return kernel.results.of(kernel_bytes, lambda: _kernel_bytes(kernel))


def _kernel_bytes(kernel: ElementKernel) -> int:
    loops = [((*nest.rows, *body.sizes), body.statements) for nest in kernel.nests for body in nest.bodies]
    return bytes_moved(kernel.params, loops)


def _elements(address: Expr, sizes: Mapping[int, int]) -> int | None:
    """The elements at an address as its axes run; None where it is not affine in them."""
    if isinstance(address, Const):
        return 1
    terms = address.terms if isinstance(address, Index) else ((address, 1),)
    if not all(isinstance(atom, Axis) for atom, _ in terms):
        return None
    return dims.product(sizes[atom.number] for atom, _ in terms if isinstance(atom, Axis))
