# SPDX-License-Identifier: Apache-2.0
"""A product of matrices as data: its sizes and how its operands are stored."""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dims import hint, same
from hybridize.base.dtypes import DType
from hybridize.base.frozen import changed, frozen
from hybridize.base.precision import Precision, default_precision
from hybridize.loops.expr import Expr
from hybridize.loops.index import Space
from hybridize.machine.arithmetic import Arithmetic
from hybridize.machine.target import Target
from hybridize.schedule.contraction.plan import ElementTypes
from hybridize.schedule.contraction.prologue import Prologue


@frozen
class Strides:
    """The matrices of an operand or a result that do not lie one after the other, in elements.

    Elements of a row, as stored, lie close together: queries of several heads, [position, head, channel], are a matrix
    for each head.
    """

    row: int
    """From one row to the next."""
    members: tuple[tuple[int, int], ...] = ()
    """Of each axis of the batch, slowest first, its size and the elements from one member to the next."""

    def __str__(self) -> str:
        members = " of ".join(f"{size!r} by {stride!r}" for size, stride in self.members)
        return f"rows by {self.row!r}{', members ' if members else ''}{members}"


@frozen
class Product:
    """`out[batch, m, n] = sum over k of x[batch, m, k] w[batch, k, n]`; operands and result are C-contiguous, unless
    strides say otherwise.

    Unless `precision` says otherwise, numbers of 16-bit floats are multiplied and summed in float32, integers in their
    own type (they wrap), bool by and/or.
    """

    dtype: DType
    m: int
    n: int
    k: int
    batch: int = 1
    transpose_x: bool = False
    """x is stored [batch, k, m], not [batch, m, k]."""
    transpose_w: bool = False
    """w is stored [batch, n, k], not [batch, k, n]."""
    shared_x: bool = False
    """x has no batch axis: every member of the batch reads the same."""
    shared_w: bool = False
    """w has no batch axis."""
    packed: bool = False
    """w is what its `Packing` makes of the operand, not the operand itself."""
    gates: int = 1
    """Sums that an element of the result is made of, as in recurrent cells and gated linear units: the columns are
    [gate, column of the result], and the epilogue makes one element of the sums of a column's gates."""
    x_strides: Strides | None = None
    w_strides: Strides | None = None
    """Of w as it is before packing."""
    out_strides: Strides | None = None
    read_columns: int | None = None
    """Of row r of the result, nobody reads the columns from r + asked on."""
    filled: int | None = None
    """In row r of x, the terms from r + filled on are 0."""
    precision: Precision | None = None
    """The types of operands, sums and results; None for the default ones of `dtype`."""
    integers: int = 1
    """Numbers in an element of x and w: of two integers of 16 bits, or four of 8, the products are added."""
    prologue: Prologue | None = None
    """The way of elements of w where they are loaded: its memory has others."""
    narrow: bool = False
    """The panels of a packed w have elements as they are stored, which tiles convert."""

    @property
    def stored(self) -> DType:
        """Of the elements of w in memory, before packing."""
        return self.dtype if self.prologue is None else self.prologue.stored

    def arithmetic(self, target: Target) -> Arithmetic:
        """The arithmetic of its elements."""
        return self.elements.arithmetic(target)

    @property
    def elements(self) -> ElementTypes:
        """The elements that it multiplies and sums."""
        types = self.precision or default_precision(self.dtype)
        return ElementTypes(types, self.integers, self.stored if self.narrow else None, self.prologue)

    @property
    def x_row(self) -> int:
        """Elements from one row of x to the next, as stored."""
        return (self.m if self.transpose_x else self.k) if self.x_strides is None else self.x_strides.row

    @property
    def w_row(self) -> int:
        """Elements from one row of w to the next, as stored, before packing."""
        return (self.k if self.transpose_w else self.n) if self.w_strides is None else self.w_strides.row

    @property
    def out_row(self) -> int:
        """Elements from one row of the result to the next."""
        return self.columns if self.out_strides is None else self.out_strides.row

    @property
    def columns(self) -> int:
        """Columns of the result."""
        return self.n if self.gates == 1 else self.n // self.gates

    @property
    def x_bytes(self) -> int:
        """Bytes of x."""
        return (1 if self.shared_x else self.batch) * self.m * self.k * self.dtype.itemsize

    @property
    def w_bytes(self) -> int:
        """Bytes of w, as it is before packing."""
        return (1 if self.shared_w else self.batch) * self.k * self.n * self.stored.itemsize

    @property
    def flops(self) -> int:
        """Operations: a multiplication and an addition for each term."""
        return 2 * self.batch * self.m * self.n * self.k

    def __str__(self) -> str:
        x = f"{'' if self.shared_x else '[batch] '}{'[k, m]' if self.transpose_x else '[m, k]'}"
        w = f"{'' if self.shared_w else '[batch] '}{'[n, k]' if self.transpose_w else '[k, n]'}"
        sizes = ", ".join(f"{name} {getattr(self, name)!r}" for name in ("batch", "m", "n", "k"))
        gates = "" if self.gates == 1 else f"; {self.gates} gates"
        apart = "".join(
            f"; {name} in {strides}"
            for name, strides in (("x", self.x_strides), ("w", self.w_strides), ("out", self.out_strides))
            if strides is not None
        )
        packed = f" packed{f' as {self.stored.name}' if self.narrow else ''}" if self.packed else ""
        return f"{self.elements} {sizes}; x {x}, w {w}{packed}{gates}{apart}{self._reach}"

    @property
    def _reach(self) -> str:
        words = (("; row r has columns before r +", self.read_columns), ("; x has terms before r +", self.filled))
        return "".join(f"{word} {number!r}" for word, number in words if number is not None)


def place(space: Space, axes: Sequence[int], strides: Strides | None, offset: int = 0) -> Expr:
    """The element of an operand or a result at axes of a space: those of the batch as one, 0, where it has them, of its
    rows, and of what lies close together.
    """
    if strides is None:
        flat = space.flat(tuple(map(space.axis, axes)), tuple(space.ranges[axis] for axis in axes))
        return space.affine([(flat, 1)], offset)
    *_, row, close = map(space.axis, axes)
    terms, left = [(row, strides.row), (close, 1)], space.axis(0)
    for size, stride in reversed(strides.members):
        terms.append((space.mod(left, size), stride))
        left = space.floordiv(left, size)
    return space.affine(terms, offset)


def as_row(product: Product) -> Product:
    """A product of one column as one of one row: its operands change places."""
    return changed(
        product,
        m=product.n,
        n=product.m,
        transpose_x=not product.transpose_w,
        transpose_w=not product.transpose_x,
        shared_x=product.shared_w,
        shared_w=product.shared_x,
        x_strides=product.w_strides,
        w_strides=product.x_strides,
    )


def hinted(product: Product) -> Product:
    """The product as it is in the call that is being compiled."""
    m, n, k, batch = map(hint, (product.m, product.n, product.k, product.batch))
    return changed(product, m=m, n=n, k=k, batch=batch)


def normalised(product: Product) -> Product:
    """The same product with a vector operand called contiguous along k, which it is either way, if its elements lie
    close together.
    """
    transpose_x, transpose_w = product.transpose_x, product.transpose_w
    if product.x_strides is None:
        transpose_x = transpose_x and not same(product.m, 1) and not same(product.k, 1)
    if product.w_strides is None:
        transpose_w = transpose_w if product.packed or not same(product.n, 1) else True
    return changed(product, transpose_x=transpose_x, transpose_w=transpose_w)
