# SPDX-License-Identifier: Apache-2.0
"""Einstein's sums: `ij,jk->ik` is the matrix product; letters that the result lacks are summed over.

Operands are contracted from left to right, two at a time. `...` stands for axes that are broadcast.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from hybridize.base import dims
from hybridize.base.dtypes import bool_, int32, int64
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.base.types import TensorType
from hybridize.ops.contract import LARGEST, contract
from hybridize.ops.indexing import gather_nd
from hybridize.ops.op import Operand, type_of
from hybridize.ops.reductions import any
from hybridize.ops.slicing import iota
from hybridize.ops.views import broadcast, cast, reshape, sum, transpose

LETTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def einsum(text: str, xs: Sequence[Operand]) -> Operand:
    """Return the sum of operands of one dtype; of bools, whether any of the products is true.

    Args:
        text: the subscripts, without spaces.
        xs: as many operands.

    Raises:
        ArgumentError E313, E397: the subscripts are of another number of operands, or cannot be read.
        ShapeError E114, E173: they do not fit the operands; the result is beyond 64 bits.
    """
    inputs, output = letters_of(text, [type_of(x) for x in xs])
    if len(xs) == 1:
        term, x = _diagonals(inputs[0], xs[0])
        gone = tuple(i for i, letter in enumerate(term) if letter not in output)
        if gone:
            x = any(x, gone) if type_of(x).dtype == bool_ else sum(x, gone)
            term = "".join(letter for letter in term if letter in output)
        return transpose(x, tuple(term.index(letter) for letter in output)) if term != output else x
    term, x = inputs[0], xs[0]
    for i in range(1, len(xs)):
        other, later = inputs[i], set(output).union(*inputs[i + 1 :])
        axes = output
        if i < len(xs) - 1:  # axes of both in front: as they lie where products are computed
            letters = dict.fromkeys((*(c for c in term if c in other), *term, *other))
            axes = "".join(c for c in letters if c in later)
        term, x = axes, _contract(term, x, other, xs[i], axes)
    return x


def letters_of(text: str, kinds: Sequence[TensorType]) -> tuple[list[str], str]:
    """Return every operand's letters and the result's, the ellipsis written out."""
    left, arrow, right = text.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(kinds):
        raise ArgumentError("E313", f"einsum {text!r} has {len(inputs)} operands, got {len(kinds)}")
    free = [letter for letter in LETTERS if letter not in text]
    pairs = list(zip(inputs, kinds, strict=True))
    most = max((kind.ndim - len(term.replace("...", "")) for term, kind in pairs if "..." in term), default=0)
    dots = "".join(free[:most])
    inputs = [
        term.replace("...", dots[most - (kind.ndim - len(term) + 3) :]) if "..." in term else term
        for term, kind in pairs
    ]
    if not arrow:
        letters = "".join(inputs).replace(dots, "") if dots else "".join(inputs)
        right = dots + "".join(
            sorted(letter for letter in set(letters) if letters.count(letter) == 1 and letter not in dots)
        )
    for term, kind in zip(inputs, kinds, strict=True):
        if len(term) != kind.ndim:
            raise ShapeError(
                "E114",
                f"einsum {text!r}: {term!r} does not match the number of axes of {kind}",
                help="give one letter for each axis",
            )
    output = right.replace("...", dots)
    strange = [letter for letter in "".join((*inputs, output)) if letter not in LETTERS]
    strange += [letter for letter in output if letter not in "".join(inputs) or output.count(letter) > 1]
    if strange:
        raise ArgumentError(
            "E397",
            f"einsum {text!r} cannot be read: {strange[0]!r}",
            help="axes are letters; each axis of the result must occur once and in an operand",
        )
    return inputs, output


def _diagonals(term: str, x: Operand) -> tuple[str, Operand]:
    """A letter that stands twice in one operand means its diagonal."""
    while len(set(term)) != len(term):
        letter = next(c for c in term if term.count(c) > 1)
        i, j = term.index(letter), term.index(letter, term.index(letter) + 1)
        rest = tuple(k for k in range(len(term)) if k not in (i, j))
        size = type_of(x).shape[i]
        if size != type_of(x).shape[j]:
            raise ShapeError("E114", f"einsum: {letter!r} has two sizes in {type_of(x)}")
        x = gather_nd(transpose(x, (i, j, *rest)), broadcast(iota((size, 1), 0, int64), (size, 2)))
        term = letter + "".join(term[k] for k in rest)
    return term, x


def _contract(p: str, x: Operand, q: str, y: Operand, axes: str) -> Operand:
    """The products of two operands, summed over the letters that are not kept."""
    sizes: dict[str, int] = {}
    for term, z in ((p, x), (q, y)):
        own: dict[str, int] = {}
        for letter, length in zip(term, type_of(z).shape, strict=True):
            known = sizes.get(letter, 1)
            together = dims.broadcast((known,), (length,))
            if own.setdefault(letter, length) != length or together is None:
                raise ShapeError("E114", f"einsum: {letter!r} has the sizes {dims.text(known)} and {dims.text(length)}")
            sizes[letter] = together[0]
    if 8 * dims.hint(dims.product(sizes[letter] for letter in axes)) >= LARGEST:
        raise ShapeError(
            "E173",
            f"einsum of {type_of(x)} and {type_of(y)} by '{p},{q}->{axes}': the result exceeds 64 bits",
            help="an array of this size cannot be addressed",
        )
    (p, x), (q, y) = _narrowed(p, x, sizes), _narrowed(q, y, sizes)
    dtype = type_of(x).dtype
    summed = int32 if dtype == bool_ else dtype  # of bools: whether any pair is true, counted
    return cast(contract(f"{p},{q}->{axes}", cast(x, summed), cast(y, summed), name="einsum"), dtype)


def _narrowed(term: str, x: Operand, sizes: Mapping[str, int]) -> tuple[str, Operand]:
    """An operand without the axes that stretch to a size of the other one's."""
    shape = type_of(x).shape
    pairs = [(size, sizes[letter]) for size, letter in zip(shape, term, strict=True)]
    axes = [axis for axis, (size, wide) in enumerate(pairs) if dims.same(size, wide) or not dims.stretches(size, wide)]
    if len(axes) == len(term):
        return term, x
    return "".join(term[axis] for axis in axes), reshape(x, tuple(shape[axis] for axis in axes))
