# SPDX-License-Identifier: Apache-2.0
"""Sums of products of two operands by index maps: einsum, convolution, and the gradients of both.

    spec    = operand "," operand "->" {letter}
    operand = {letter | "[" index "]"}
    index   = sum | "(" sum ")/" number | letter "/" number
    sum     = ["-"] term {("+" | "-") term}
    term    = letter | number letter | number

`ij,jk->ik` is the matrix product, `nc[2y+r-1],ocr->noy` a convolution over one axis with stride 2 and padding 1,
`no[(i-r+1)/2],ocr->nci` its gradient by the first operand. Letters that the result lacks are summed
over. A letter that stands by itself goes over the operand's axis; in brackets stands an index that may leave the
operand, and is 0 there, as it is where a division leaves a remainder. Sizes of letters that nowhere stand by themselves
are given.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import numpy
from numpy.typing import NDArray

from hybridize.base import dims
from hybridize.base.dims import same
from hybridize.base.dtypes import CODES, DType, int32, is_float
from hybridize.base.errors import ArgumentError, DTypeError, ShapeError
from hybridize.base.frozen import changed, frozen
from hybridize.base.hooks import Hook
from hybridize.base.precision import Precision, default_precision
from hybridize.base.promotion import promote
from hybridize.base.types import Shape, TensorType
from hybridize.loops import contraction as contractions
from hybridize.loops.contraction import (
    Contraction,
    ContractionGradient,
    Subscript,
    axes_of,
    plain,
    subscript,
)
from hybridize.loops.expr import Element
from hybridize.ops.elementwise import SIGNED_NUMBER, check_dtype
from hybridize.ops.matmul import Matmul, matmul
from hybridize.ops.op import OfComplex, Op, Operand, bind1, type_of
from hybridize.ops.views import broadcast, cast, ones_at, reshape, sum, transpose, wide

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
LARGEST = 1 << 62


@frozen
class TurnedProduct:
    """Products of matrices whose axes stand in another order: how operands and result are transposed."""

    swapped: bool
    """True if the second operand has the rows of the result."""
    x: tuple[int, ...]
    w: tuple[int, ...]
    groups: tuple[int, ...]
    """Axes in front that w lacks, as those of queries that share a key: it is the same along them."""
    out: tuple[int, ...]


@frozen
class ContractSpec:
    """A spec that was read: subscripts over axes that are counted from 0, those of the result first."""

    text: str
    """The spec with the letters a, b, c, ... for axes 0, 1, 2, ..."""
    letters: str
    """The letters that it was written with, by axes."""
    rank: int
    operands: tuple[tuple[Subscript, ...], tuple[Subscript, ...]]
    bare: tuple[tuple[bool, ...], tuple[bool, ...]]
    """True where the subscript is a letter by itself, which says how large the operand is there."""
    free_axes: tuple[int, ...]
    """The axes whose sizes no operand says."""
    product: tuple[bool, bool, bool] | None
    """(the operands are swapped, x is transposed, w is) where it is a product of matrices; None where it is none."""
    turned_product: TurnedProduct | None
    """The transposes that make it a product of matrices with axes in front; None where there are none.
    """
    single: tuple[tuple[int, ...], tuple[int, ...]]
    """The axes of each operand that are summed over by themselves."""


_OPERAND = re.compile(r"([A-Za-z])|\[([^\[\]]*)\]")
_INDEX = re.compile(r"\((?P<sum>[^()]+)\)/(?P<by>\d+)|(?P<letter>[A-Za-z])/(?P<of>\d+)|(?P<whole>[^()/]+)")
_TERM = re.compile(r"([+-]?)(?:(\d*)([A-Za-z])|(\d+))")


@lru_cache(4096)
def read(text: str) -> ContractSpec:
    """Read a spec.

    Raises:
        ArgumentError E397: it is none.
    """
    written = text.replace(" ", "")
    left, arrow, out = written.partition("->")
    parts = left.split(",")
    if not arrow or len(parts) != 2:
        raise _unreadable(text, "it has two operands and a result")
    if not all(letter in LETTERS for letter in out) or len(set(out)) != len(out):
        raise _unreadable(text, f"the result {out!r} names each of its axes by one letter, once")
    letters = list(out)
    operands, bare = zip(*(_read_operand(text, part, letters) for part in parts), strict=True)
    if len(letters) > len(LETTERS):
        raise _unreadable(text, f"there are at most {len(LETTERS)} axes")
    missing = [letter for axis, letter in enumerate(out) if axis not in axes_of((*operands[0], *operands[1]))]
    if missing:
        raise _unreadable(text, f"no operand depends on {missing[0]!r}, which the result has")
    return _made(operands, bare, len(out), "".join(letters))


def _unreadable(text: str, why: str) -> ArgumentError:
    return ArgumentError("E397", f"cannot read {text!r}: {why}", help="write it as in ij,jk->ik or nc[2y+r-1],ocr->noy")


def _read_operand(text: str, part: str, letters: list[str]) -> tuple[tuple[Subscript, ...], tuple[bool, ...]]:
    subscripts, bare, end = [], [], 0
    for match in _OPERAND.finditer(part):
        if match.start() != end:
            break
        end = match.end()
        bare.append(match[1] is not None)
        subscripts.append(plain(_axis(match[1], letters)) if match[1] else _read_index(text, match[2], letters))
    if end != len(part):
        raise _unreadable(text, f"{part[end:]!r} is neither a letter nor an index in brackets")
    return tuple(subscripts), tuple(bare)


def _axis(letter: str, letters: list[str]) -> int:
    if letter not in letters:
        letters.append(letter)
    return letters.index(letter)


def _read_index(text: str, written: str, letters: list[str]) -> Subscript:
    match = _INDEX.fullmatch(written)
    total = match and (match["sum"] or match["letter"] or match["whole"])
    by = int((match and (match["by"] or match["of"])) or 1)
    if not total or not by:
        raise _unreadable(text, f"[{written}] is no index")
    terms, offset, end = [], 0, 0
    for term in _TERM.finditer(total):
        if term.start() != end or (end and not term[1]):
            break
        end = term.end()
        sign = -1 if term[1] == "-" else 1
        if term[3]:
            terms.append((_axis(term[3], letters), sign * int(term[2] or 1)))
        else:
            offset += sign * int(term[4])
    if end != len(total):
        raise _unreadable(text, f"[{written}] is no index")
    return subscript(terms, offset, by)


def _made(operands: Any, bare: Any, rank: int, letters: str) -> ContractSpec:
    shown: set[int] = set()
    for subscripts, alone in zip(operands, bare, strict=True):
        shown.update(index.axis for index, is_bare in zip(subscripts, alone, strict=True) if is_bare)
    axes = axes_of((*operands[0], *operands[1]))
    sums = tuple(axis for axis in sorted(axes) if axis not in shown)
    return ContractSpec(
        _written(operands, bare, rank),
        letters,
        rank,
        operands,
        bare,
        sums,
        _as_product(operands, bare, rank),
        _as_turned_product(operands, bare, rank),
        (_single(operands[0], operands[1], bare[0], rank), _single(operands[1], operands[0], bare[1], rank)),
    )


def _single(mine: Sequence[Subscript], others: Sequence[Subscript], bare: Sequence[bool], rank: int) -> tuple[int, ...]:
    """Positions of an operand's axes that are summed over, whatever the other operand and the operand's other axes."""
    elsewhere = axes_of(others)
    positions = []
    for position, (index, is_bare) in enumerate(zip(mine, bare, strict=True)):
        rest = axes_of(each for k, each in enumerate(mine) if k != position)
        axis = index.axis
        if is_bare and axis is not None and axis >= rank and axis not in elsewhere and axis not in rest:
            positions.append(position)
    return tuple(positions)


def _letters(subscripts: Sequence[Subscript], bare: Sequence[bool]) -> list[int] | None:
    """The axes of an operand that is named by letters, each once; None where it is not."""
    axes = [index.axis for index, is_bare in zip(subscripts, bare, strict=True) if is_bare and index.axis is not None]
    return axes if len(axes) == len(subscripts) == len(set(axes)) else None


def _as_product(operands: Any, bare: Any, rank: int) -> tuple[bool, bool, bool] | None:
    """Match a spec with a product of matrices, equal axes in front in order; None where it is none."""
    x, w = map(_letters, operands, bare)
    if x is None or w is None or rank < 2 or len(x) != rank or len(w) != rank:
        return None
    batch = list(range(rank - 2))
    if x[:-2] != batch or w[:-2] != batch:
        return None
    row, column, inner = rank - 2, rank - 1, rank
    for swapped, (left, right) in ((False, (x[-2:], w[-2:])), (True, (w[-2:], x[-2:]))):
        if sorted(left) == [row, inner] and sorted(right) == [column, inner]:
            return swapped, left[0] == inner, right[0] == column
    return None


def _as_turned_product(operands: Any, bare: Any, rank: int) -> TurnedProduct | None:
    """Match a spec with products of matrices whose axes stand in any order: of heads `bqhd,bkhd->bhqk`.

    Axes of the result that both operands have count them; each operand has one more, and one is summed over.
    """
    x, w = map(_letters, operands, bare)
    if x is None or w is None or rank < 3:
        return None
    swapped = rank - 1 in x
    x, w = (w, x) if swapped else (x, w)
    batch = [axis for axis in range(rank) if axis in x and axis in w]
    *groups, row = [axis for axis in range(rank) if axis in x and axis not in w] or [-1]
    batch, rows = sorted([*batch, *groups]), [row] if row >= 0 else []
    columns = [axis for axis in w if axis < rank and axis not in x]
    inner = [axis for axis in x if axis >= rank]
    one_each = len(rows) == len(columns) == len(inner) == 1
    if not batch or not one_each or inner != [axis for axis in w if axis >= rank]:
        return None
    if columns != [rank - 1] or x[-1] in batch or w[-1] in batch:
        return None  # elements of its matrices do not lie close together
    axes = [*batch, *rows, *columns]
    return TurnedProduct(
        swapped,
        tuple(x.index(axis) for axis in (*batch, *rows, *inner)),
        tuple(w.index(axis) for axis in (*batch, *inner, *columns) if axis in w),
        tuple(place for place, axis in enumerate(batch) if axis in groups),
        tuple(axes.index(axis) for axis in range(rank)),
    )


def _written(operands: Any, bare: Any, rank: int) -> str:
    parts = (
        "".join(
            _letter(index.terms[0][0]) if is_bare else f"[{_written_index(index)}]"
            for index, is_bare in zip(subscripts, alone, strict=True)
        )
        for subscripts, alone in zip(operands, bare, strict=True)
    )
    return f"{','.join(parts)}->{LETTERS[:rank]}"


def _letter(axis: int) -> str:
    if axis >= len(LETTERS):
        raise ArgumentError("E397", f"a contraction has at most {len(LETTERS)} axes", help="reshape several into one")
    return LETTERS[axis]


def _written_index(index: Subscript) -> str:
    total = ""
    for axis, coefficient in index.terms:
        sign = "-" if coefficient < 0 else "+" if total else ""
        total += f"{sign}{'' if abs(coefficient) == 1 else abs(coefficient)}{_letter(axis)}"
    if index.offset or not total:
        total += f"{index.offset:+d}" if total else str(index.offset)
    if index.divisor == 1:
        return total
    return f"{total}/{index.divisor}" if len(total) == 1 and total.isalpha() else f"({total})/{index.divisor}"


Runner = Callable[["Contract", NDArray[Any], NDArray[Any]], tuple[NDArray[Any], ...]]


def _by_products(op: Contract, x: NDArray[Any], w: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    return op.product(x, w)


RUNNER: Hook[Runner] = Hook(_by_products)
"""The function that runs imperative contractions; filled by `array`, which knows the compiler."""


@frozen
class Contract(Op):
    """Sums of products of elements of two operands by index maps; see the module.

    `sizes`: of the letters that stand nowhere by themselves, those of the result first, then in order of appearance.
    `result`: the dtype of the result, that of the operands if None. Short floats are summed in float32.
    """

    spec: str
    sizes: Shape = ()
    result: DType | None = None

    sums = True
    shares = True
    of_complex = OfComplex.HOLOMORPHIC
    winograd: ClassVar[bool] = False
    """True if it may be computed by Winograd's algorithm."""
    integers: ClassVar[int] = 1
    """Numbers in an element: of several, which are integers in an int32, the products are added."""

    def infer(self, x: TensorType, w: TensorType) -> tuple[TensorType, ...]:
        check_operands(self.name, x, w)
        if self.result is not None and (self.result not in SIGNED_NUMBER or is_float(self.result) != is_float(x.dtype)):
            raise DTypeError(
                "E236",
                f"contract of {x} and {w} with a result of {CODES.get(self.result, self.result)}",
                help="operands and result must both be floats or both be integers: cast the operands",
            )
        contraction = self.contraction(x, w)
        return (TensorType(contraction.shape, contraction.precision.result),)

    def contraction(self, x: TensorType, w: TensorType) -> Contraction:
        """The contraction of operands of these types.

        Raises:
            ShapeError E170, E171, E172, E173: the operands have other axes than the spec; a letter is of two sizes;
                the sizes that the spec needs are not those given; sizes or indices overflow.
        """
        spec = read(self.spec)
        sizes: dict[int, int] = {}
        for kind, subscripts, bare in zip((x, w), spec.operands, spec.bare, strict=True):
            if kind.ndim != len(subscripts):
                raise ShapeError(
                    "E170",
                    f"contract {self.spec!r} of {x} and {w}: it names {len(subscripts)} axes of {kind}",
                    help="name each axis of each operand by a letter, or by an index in brackets",
                )
            for index, is_bare, size in zip(subscripts, bare, kind.shape, strict=True):
                axis = index.axis
                if (
                    is_bare
                    and axis is not None
                    and not same(size, sizes.setdefault(axis, size))
                    and size != sizes[axis]
                ):
                    raise ShapeError(
                        "E171",
                        f"contract {self.spec!r} of {x} and {w}: {spec.letters[axis]!r} is of size "
                        f"{dims.text(sizes[axis])} and {dims.text(size)}",
                        help="axes with the same letter must have the same size",
                    )
        if len(self.sizes) != len(spec.free_axes) or any(size < 0 for size in self.sizes):
            named = ", ".join(spec.letters[axis] for axis in spec.free_axes) or "none"
            raise ShapeError(
                "E172",
                f"contract {self.spec!r} of {x} and {w} with sizes ({', '.join(map(dims.text, self.sizes))})",
                help=f"give a size of 0 or more for each letter that occurs only in brackets: {named}",
            )
        sizes.update(zip(spec.free_axes, self.sizes, strict=True))
        whole = tuple(sizes[axis] for axis in range(len(sizes)))
        precision = default_precision(x.dtype)
        if self.result is not None:
            precision = Precision(x.dtype, promote(precision.accumulate, self.result), self.result)
        contraction = Contraction(whole, spec.rank, *spec.operands, precision, self.winograd, self.integers)
        sizes_text = ", ".join(map(dims.text, self.sizes))
        check_ranges(f"{self.name} {self.spec!r} of {x} and {w} with sizes ({sizes_text})", contraction)
        return contraction

    def reference(self, x: NDArray[Any], w: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return (contractions.reference(self.contraction(_type(x), _type(w)), x, w),)

    def eager(self, x: NDArray[Any], w: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """By what fills `RUNNER`."""
        return RUNNER.value(self, x, w)

    def product(self, x: NDArray[Any], w: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """Compute by products of matrices of NumPy's."""
        return (contractions.product(self.contraction(_type(x), _type(w)), x, w),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand, w: Operand) -> tuple[Operand | None, ...]:
        """Both gradients are contractions again: the operand's indices, solved for axes of the result."""
        return self.partial_vjp((True, True), g, y, x, w)

    def partial_vjp(self, wanted: Sequence[bool], *args: Any) -> tuple[Operand | None, ...]:
        (g,), _, x, w = args
        kinds = type_of(x), type_of(w)
        contraction = self.contraction(*kinds)
        shapes = kinds[0].shape, kinds[1].shape
        is_known = dims.known((*contraction.sizes, *shapes[0], *shapes[1]))
        by_x = by_w = None
        if wanted[0]:
            solve = _by_x_once if is_known else contractions.by_x
            by_x = _applied(solve(contraction, shapes), g, w, kinds[0], True)
        if wanted[1]:
            solve = _by_w_once if is_known else contractions.by_w
            by_w = _applied(solve(contraction, shapes), g, x, kinds[1], False)
        return by_x, by_w

    def mapped(self, length: int, along: Sequence[bool], x: Operand, w: Operand) -> tuple[Operand, ...]:
        """A contraction with one more axis, of the operands that have it and of the result."""
        kinds = (_inner(kind) if is_along else kind for kind, is_along in zip(map(type_of, (x, w)), along, strict=True))
        contraction = self.contraction(*kinds)
        moved = {axis: axis + 1 for axis in range(len(contraction.sizes))}
        left, right = (
            ((plain(0),) if is_along else ()) + tuple(_renamed(index, moved) for index in subscripts)
            for subscripts, is_along in zip((contraction.x, contraction.w), along, strict=True)
        )
        whole = changed(contraction, sizes=(length, *contraction.sizes), rank=contraction.rank + 1, x=left, w=right)
        return (contracted(whole, x, w, self.result),)

    def lower(self, x: Element, w: Element, *, types: tuple[TensorType, ...]) -> Contraction:
        return self.contraction(*types)


@frozen
class PairedContract(Contract):
    """A contraction of pairs of 16-bit integers in int32s: for each term the products of both are added, as int32.

    It is what the passes make of contractions of int16 with sums of int32: machines multiply pairs by one instruction.
    """

    integers = 2
    differentiable = False
    sums = False

    def infer(self, x: TensorType, w: TensorType) -> tuple[TensorType, ...]:
        if x.dtype != int32 or self.result is not None:
            raise DTypeError("E236", f"{self.name} of {x} and {w}", help="several integers in an element are int32")
        return super().infer(x, w)

    def partial_vjp(self, wanted: Sequence[bool], *args: Any) -> tuple[Operand | None, ...]:
        return None, None


@frozen
class FourfoldContract(PairedContract):
    """A contraction of int32s that are four signed integers of 8 bits each: for each term four products are added.

    It is what the schedule makes of contractions of pairs whose integers were bytes, for machines that multiply four of
    these by one instruction.
    """

    integers = 4


@frozen
class WinogradContract(Contract):
    """A contraction that may be computed by fewer products where it is a convolution (*Winograd's algorithm*).

    Its meaning is that of `Contract`. The sums may be rounded otherwise, and an infinity or NaN in x may reach results
    whose windows it is not in, those of the same tile. Its gradients may be computed so, too.
    """

    winograd = True

    def met(self, *magnitudes: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """Return for each element the largest within a tile of it: all of them are added and subtracted."""
        spec, terms = read(self.spec), []
        for magnitude, subscripts in zip(magnitudes, spec.operands, strict=True):
            near = magnitude
            for axis, index in enumerate(subscripts):
                if len(index.terms) > 1 and magnitude.size:
                    near = _largest_within(near, axis, _TILE)
            terms.append(near)
        return tuple(terms)


_TILE = 6
"""Elements of x along an axis that a tile reads, at most."""


def _largest_within(x: NDArray[Any], axis: int, reach: int) -> NDArray[Any]:
    """The largest of the elements that are fewer than `reach` away along an axis."""
    widths = [(reach - 1, reach - 1) if one == axis else (0, 0) for one in range(x.ndim)]
    padded = numpy.pad(x, widths)
    parts = numpy.lib.stride_tricks.sliding_window_view(padded, 2 * reach - 1, axis)
    largest: NDArray[Any] = parts.max(-1)
    return largest


def by_winograd(op: Op) -> Op:
    """Return an op, a contraction as one that may be computed by Winograd's algorithm."""
    return WinogradContract(op.spec, op.sizes, op.result) if type(op) is Contract else op


def check_operands(name: str, x: TensorType, w: TensorType) -> None:
    """Raise unless operands are numbers of one dtype; `name` is what was called.

    Raises:
        DTypeError E221, E222: they are not.
    """
    if x.dtype != w.dtype:
        raise DTypeError("E222", f"{name} takes operands of one dtype, got {x} and {w}", help="cast one of them")
    check_dtype(name, SIGNED_NUMBER, x)


def check_ranges(what: str, contraction: Contraction) -> None:
    """Raise where 64 bits do not hold the elements of the result, or an index; of the sizes of this call.

    Raises:
        ShapeError E173: they do not; `what` says of what.
    """
    numbers = [max(1, dims.hint(size)) for size in contraction.sizes]
    largest = math.prod(numbers[: contraction.rank]) * 8
    for index in (*contraction.x, *contraction.w):
        reach = abs(dims.hint(index.offset)) + dims.hint(index.divisor)
        for axis, coefficient in index.terms:
            reach += abs(dims.hint(coefficient)) * numbers[axis]
        largest = max(largest, reach)
    if largest >= LARGEST:
        raise ShapeError("E173", f"{what}: an index or the result exceeds 64 bits", help="use smaller arrays")


def _type(x: NDArray[Any]) -> TensorType:
    return TensorType(x.shape, x.dtype)


def _total(sizes: Sequence[int], axes: Sequence[int]) -> int:
    total = 1
    for axis in axes:
        total = total * sizes[axis]
    return total


def contract(
    spec: str,
    x: Operand,
    w: Operand,
    sizes: Mapping[str, int] | None = None,
    result: DType | None = None,
    name: str = "contract",
) -> Operand:
    """Return the contraction of two operands by a spec with any letters.

    Axes that one operand has by itself, and that are summed over, are summed first; a product of matrices is `Matmul`.

    Args:
        spec: see the module.
        x: the first operand.
        w: the second operand.
        sizes: of the letters that stand nowhere by themselves.
        result: the dtype of the result; None: that of the operands.
        name: what was called, for errors.

    Raises:
        ArgumentError E397: the spec cannot be read.
        DTypeError E221, E222: the operands are not numbers of one dtype.
        ShapeError E170, E171, E172, E173: it does not fit the operands.
    """
    check_operands(name, type_of(x), type_of(w))
    subscripts = read(spec)
    sizes = sizes or {}
    if sizes.keys() != {subscripts.letters[axis] for axis in subscripts.free_axes}:
        named = ", ".join(subscripts.letters[axis] for axis in subscripts.free_axes) or "no letter"
        raise ShapeError(
            "E172",
            f"contract {spec!r} with sizes of {', '.join(sizes) or 'no letter'}",
            help=f"give the size of each letter that occurs only in brackets: {named}",
        )
    return _contracted(
        subscripts, tuple(sizes[subscripts.letters[axis]] for axis in subscripts.free_axes), x, w, result
    )


def _contracted(
    spec: ContractSpec, sizes: Shape, x: Operand, w: Operand, result: DType | None, of: type[Contract] = Contract
) -> Operand:
    if of.integers > 1:
        return bind1(of(spec.text, sizes, result), x, w)
    if any(spec.single):
        dtype = type_of(x).dtype
        if wide(dtype) != dtype and dtype == type_of(w).dtype:  # sums are rounded once
            x, w, result = cast(x, wide(dtype)), cast(w, wide(dtype)), result or dtype
        x, w = sum(x, spec.single[0]), sum(w, spec.single[1])
        return _contracted(_without_singles(spec), sizes, x, w, result, of)
    if spec.product is not None and result is None:
        swapped, transpose_x, transpose_w = spec.product
        left, right = (w, x) if swapped else (x, w)
        return bind1(Matmul(transpose_x, transpose_w), left, right)
    turned = None if result is not None else spec.turned_product
    if turned is not None:
        left, right = (w, x) if turned.swapped else (x, w)
        x, w = transpose(left, turned.x), transpose(right, turned.w)
        if turned.groups:
            shape, matrix = type_of(x).shape[:-2], type_of(w).shape[-2:]
            ones = tuple(1 if axis in turned.groups else size for axis, size in enumerate(shape))
            w = broadcast(reshape(w, (*ones, *matrix)), (*shape, *matrix))
        return transpose(matmul(x, w), turned.out)
    return bind1(of(spec.text, sizes, result), x, w)


@lru_cache(4096)
def _without_singles(spec: ContractSpec) -> ContractSpec:
    """The spec of what is left when axes that stand alone have been summed over."""
    operands, bare = [], []
    for subscripts, alone, single in zip(spec.operands, spec.bare, spec.single, strict=True):
        operands.append([index for k, index in enumerate(subscripts) if k not in single])
        bare.append(tuple(is_bare for k, is_bare in enumerate(alone) if k not in single))
    return read(_written(operands, bare, spec.rank))


def _applied(gradient: ContractionGradient, g: Operand, other: Operand, of: TensorType, first: bool) -> Operand:
    """Compute a gradient, the cotangent being the first operand of its contraction or the second."""
    contraction, shape = gradient.contraction, type_of(g).shape
    if gradient.stretched:
        ones = (1,) * len(gradient.stretched)
        g = broadcast(reshape(g, (*shape, *ones)), (*shape, *gradient.stretched))
    result = None
    if not type_of(g).dtype == type_of(other).dtype == of.dtype:
        total = contraction.precision.accumulate
        g, other, result = cast(g, total), cast(other, total), of.dtype
    x, w = (g, other) if first else (other, g)
    y = contracted(contraction, x, w, result)
    return broadcast(reshape(y, ones_at(of.shape, gradient.spread)), of.shape) if gradient.spread else y


def contracted(contraction: Contraction, x: Operand, w: Operand, result: DType | None = None) -> Operand:
    """Apply a contraction whose offsets and coefficients are known."""
    shapes = type_of(x).shape, type_of(w).shape
    spelled = _spelled_once if dims.known((*contraction.sizes, *shapes[0], *shapes[1])) else _spelled
    of = _OF_INTEGERS.get(contraction.integers) or (WinogradContract if contraction.winograd else Contract)
    return _contracted(*spelled(contraction, shapes), x, w, result, of)


_OF_INTEGERS: dict[int, type[Contract]] = {2: PairedContract, 4: FourfoldContract}


def sum_of_products(op: Matmul | Contract, length: int, x: Operand, w: Operand) -> Operand:
    """Return the sum over the first axis, of size `length`, of what `op` makes of the operands at each position.

    It is one product, whose sums are over that axis, too.
    """
    kinds = tuple(map(type_of, (x, w)))
    if isinstance(op, Matmul) and kinds[0].ndim == 3 and op.transpose_x and not op.transpose_w:
        x, w = (reshape(one, (length * kind.shape[1], kind.shape[2])) for one, kind in zip((x, w), kinds, strict=True))
        return bind1(op, x, w)
    contraction = op.contraction(*map(_inner, kinds))
    axis = (plain(len(contraction.sizes)),)
    whole = changed(contraction, sizes=(*contraction.sizes, length), x=axis + contraction.x, w=axis + contraction.w)
    return contracted(whole, x, w, None if isinstance(op, Matmul) else op.result)


def _inner(kind: TensorType) -> TensorType:
    """The type at a position of the first axis."""
    return kind.with_shape(kind.shape[1:])


def _renamed(index: Subscript, axes: Mapping[int, int]) -> Subscript:
    return subscript(((axes[axis], coefficient) for axis, coefficient in index.terms), index.offset, index.divisor)


def _spelled(contraction: Contraction, shapes: tuple[Shape, Shape]) -> tuple[ContractSpec, Shape]:
    """Return the spec of a contraction, and the sizes that it needs."""
    operands = ((contraction.x, shapes[0]), (contraction.w, shapes[1]))
    bare = [
        [_is_bare(index, size, contraction) for index, size in zip(subscripts, shape, strict=True)]
        for subscripts, shape in operands
    ]
    # Reading it puts the axes that are summed over into order of appearance.
    spec = read(_written((contraction.x, contraction.w), bare, contraction.rank))
    return spec, tuple(contraction.sizes[LETTERS.index(spec.letters[axis])] for axis in spec.free_axes)


_spelled_once = lru_cache(4096)(_spelled)
_by_x_once, _by_w_once = lru_cache(4096)(contractions.by_x), lru_cache(4096)(contractions.by_w)
"""The same, remembered for sizes that are known: imperative code asks again and again."""


def _is_bare(index: Subscript, size: int, contraction: Contraction) -> bool:
    """Tell whether an index is an axis of the operand's size, so that a letter says it."""
    return index.axis is not None and same(contraction.sizes[index.axis], size)
