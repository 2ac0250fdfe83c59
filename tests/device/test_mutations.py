"""Faults that are planted in kernels of ours: each left-out barrier and each moved bound is found, or proven needless.

A bound is needless where no thread of the launch compares otherwise for it, which a trap behind the comparison proves.
Sizes of copies need several comparisons: there a trap behind the last one asks whether the size is another.
"""

import re
from collections import Counter
from collections.abc import Iterator
from unittest.mock import patch

import numpy as np
import pytest

from hybridize import ops
from hybridize.base.dtypes import float16, float64
from hybridize.base.types import TensorType
from hybridize.ops.elimination import LU, solve_triangular
from hybridize.ops.factors import QR, SVD, Cholesky, Eigh
from hybridize.ops.op import constant
from hybridize.schedule.device import thresholds
from tests.device.fault import Fault
from tests.device.programs import SM_80, Run, build_kernels, graph_of
from tests.schedule import goldens
from tests.schedule.goldens import each, f32

ROWS = np.random.default_rng(0).integers(0, 6, (40, 1))
MORE = ROWS.copy()
ROWS[13] = 6  # the last row takes one; of MORE, several


def f64(*shape: int) -> TensorType:
    return TensorType(shape, float64)


def scattered(base, part):
    return [ops.scatter_nd(base, constant(rows), part, "add") for rows in (ROWS, MORE)]


def positive(x):
    """Matrices with small elements beside the diagonal, of which the last one is not positive definite."""
    n = x.type.shape[-1]
    diagonals = n * np.stack([np.eye(n), np.eye(n), -np.eye(n)])
    return ops.add(ops.mul(x, constant(np.full((3, n, n), 0.01))), constant(diagonals))


def shuffled(x):
    """Numbers in no order."""
    factors = np.random.default_rng(0).standard_normal(x.type.shape).astype(x.type.dtype)
    return ops.mul(x, constant(factors))


def solved(x, b):
    x = positive(x)
    return [solve_triangular(x, b, lower=True), solve_triangular(x, b, lower=False)]


def dependent(x):
    """A matrix of which some columns are 0, one with one element, a matrix of zeros."""
    mask = np.zeros(x.type.shape)
    mask[0], mask[0, :, 1:3], mask[1, -1, -1] = 1, 0, -1
    return ops.mul(x, constant(mask))


def with_diagonal(x):
    """Numbers in no order, and a diagonal matrix of which the last eigenvalue is the first in order."""
    mask = np.random.default_rng(0).standard_normal(x.type.shape)
    mask[1] = -np.eye(x.type.shape[-1])
    return ops.mul(x, constant(mask))


def factors(op, prepared=shuffled):
    return lambda x: list(ops.bind(op, prepared(x)))


PROGRAMS = {
    "each row a thread": (goldens.softmax_over(0), f32(3, 300)),
    "each row a warp": (goldens.softmax_over(1), f32(9, 100)),
    "each row a block": (goldens.softmax_over(1), f32(3, 700)),
    "one row": (goldens.softmax_over(0), f32(900)),
    "a block that waits": (goldens.symmetric, f32(3, 20, 20)),
    "a block that waits in a fold": (goldens.turned_softmax, f32(3, 20, 40)),
    "a warp that waits": (goldens.turned_softmax, f32(5, 10, 20)),
    "parts": (goldens.sum_over(0, 1), f32(100, 100)),
    "columns": (goldens.sum_over(0), f32(40, 300)),
    "several folds": (goldens.statistics, f32(9, 100)),
    "each index a thread": (goldens.both, f32(300)),
    "neighbours and what is left": (goldens.both, f32(303)),
    "a product of other layouts": (lambda x, w: [ops.matmul(x, w, True, True)], f32(36, 70), f32(66, 36)),
    "halves that are turned": (
        lambda x, w: [ops.matmul(x, w, True)],
        *(TensorType(shape, float16) for shape in ((40, 72), (40, 64))),
    ),
    "a product": (each(ops.matmul), f32(70, 33), f32(33, 65)),
    "a convolution": (goldens.convolved(1, 1), f32(2, 4, 3, 6), f32(33, 4, 3, 3)),
    "a strided gradient": (goldens.strided_by_input, f32(2, 33, 9, 9), f32(5, 33, 3, 3), f32(2, 5, 5, 5)),
    "parts of sums": (goldens.dense, f32(33, 520), f32(520, 34), f32(34)),
    "parts of any length": (goldens.sum_over(0), f32(131, 30)),
    "halves": (each(ops.matmul), *(TensorType(shape, float16) for shape in ((40, 70), (70, 66)))),
    "softmax of a product": (goldens.weighted, f32(40, 20), f32(20, 150), f32(150)),
    "a block that sorts": (lambda x: [ops.arg_sort(x, 1, True)], f32(3, 70)),
    "a block that adds up": (lambda x: [ops.cum_sum(x, 1)], f32(2, 600)),
    "blocks that sort and merge": (lambda x: [ops.arg_sort(shuffled(x), 0, True)], f32(4500)),
    "blocks that add up parts": (lambda x: [ops.cum_sum(x, 0)], f32(256 * 130)),
    "a block that factorises": (factors(Cholesky(False, False), positive), f64(3, 33, 33)),
    "a block that eliminates": (factors(LU()), f64(8, 35, 35)),
    "a block that reflects": (factors(QR(False)), f64(2, 7, 5)),
    "a block that finds eigenvalues": (factors(Eigh(False), with_diagonal), f64(2, 5, 5)),
    "a block that finds singular values": (factors(SVD(True), dependent), f64(3, 6, 5)),
    "a block that solves": (solved, f64(3, 33, 33), f64(3, 33, 1)),
    "rows that take what is theirs": (scattered, f32(7, 3), f32(40, 3)),
    "gates": (goldens.lstm_step, *(f32(*shape) for shape in [(33, 12), (64, 12), (33, 16), (64, 16), (64,), (33, 16)])),
}
SPECTRUM = {"BLOCK_ELEMENTS": 1, "SPECTRUM_THREADS": 64}
PATCHES = {
    "blocks that add up parts": {"PART_TERMS": 256},
    "a block that eliminates": {"THREADS": 64},
    "a block that reflects": SPECTRUM,
    "a block that finds eigenvalues": SPECTRUM,
    "a block that finds singular values": SPECTRUM,
}
"""Thresholds of a program, so that few elements are enough for all of its threads."""
FEW = ["a warp that waits", "a block that waits", "a product", "a block that sorts"]
IN_VAIN = {
    "a block that sorts": ["8; for 7"],
    "blocks that sort and merge": ["12; for 11"],
    "rows that take what is theirs": ["7; for 6"],
    "a block that factorises": ["1634; for 1633"],
    "a block that solves": ["33; for 32", "33; for 32", "1634; for 1633"],
    "a block that eliminates": ["34; for 35"],
    "a block that finds eigenvalues": [
        "5; for 4", "6; for 5", "4; for 5", "4; for 3", "6; for 5", "4; for 5", "5; for 4", "3; for 4",
    ],
    "a block that finds singular values": ["6; for 5", "9; for 8", "4; for 5", "3; for 4"],
    "neighbours and what is left": ["76; for 75"],
}  # fmt: skip
"""Turns of loops more or less, which make no difference: a line is merged with no other, there is nothing to subtract, a
last column has no rows below it, a thread behind the last one stores none of its neighbours. A value alone is in order,
the last one has none beside it, a reflection of one element is none, a last line of zeros is none either way, vectors that
begin with zeros have no sign to turn."""
_KERNEL = re.compile(r"^(?=\.visible \.entry )", re.MULTILINE)
_GUARD = re.compile(r"\tselp\.b32 \t(%r\d+), (%r\d+|\d+), 0, (%p\d+);\n")
_BOUND = re.compile(r"setp\.(\w+\.[su]\d+) \t(%p\d+), (%rd?\d+), (\d+);\n")


def _steep(rng: np.random.Generator, of: TensorType, *, alone: bool) -> np.ndarray:
    """Numbers of which the last ones of a row are the largest: none can be left out of a maximum without effect.

    Factors of products are small, so that nothing is lost in a softmax behind them.
    """
    array = rng.random(of.shape)
    if alone:
        array += 1.5 * sum(np.indices(of.shape))
    else:
        array = 0.1 * array + (0.05 * np.arange(of.size) if len(of.shape) == 1 else 0)
    return array.astype(of.dtype)


def _with_traps(code: str, predicate: str) -> str:
    """The code behind a comparison, with traps for threads to which it makes a difference: `%moved1` says where it does.

    A predicate that only guards sizes of copies makes none where another guard of the same size fails.
    """
    guards = {guard[1]: guard for guard in _GUARD.finditer(code)}
    uses = re.findall(r"(?<![\w%])%[rp]\d+", _GUARD.sub(lambda guard: f"{guard[1]}\n", code))
    if predicate in uses or not any(guard[3] == predicate for guard in guards.values()):
        return f"\t@%moved1 trap;\n{code}"
    places = {}
    for size, guard in guards.items():
        predicates, source = [guard[3]], guard[2]
        while source in guards:
            predicates.append(guards[source][3])
            source = guards[source][2]
        if predicate in predicates and uses.count(size) > 1:
            masks = "".join(f"\tand.pred \t%moved0, %moved0, {one};\n" for one in predicates if one != predicate)
            places[guard.end()] = f"\tand.pred \t%moved0, %moved1, %moved1;\n{masks}\t@%moved0 trap;\n"
    assert places
    for place in sorted(places, reverse=True):
        code = code[:place] + places[place] + code[place:]
    return code


class Planted:
    """A program, and what it gives with other text."""

    def __init__(self, name: str) -> None:
        function, *types = PROGRAMS[name]
        rng = np.random.default_rng(0)
        self.inputs = [_steep(rng, one, alone=len(types) == 1) for one in types]
        self.patches = PATCHES.get(name, {})
        with patch.dict(vars(thresholds), self.patches):
            self.program = build_kernels(graph_of(function, *types), SM_80)
        self.text = self.program.ptx()
        self.right = self.results(self.text)

    def results(self, text: str) -> list[bytes]:
        """Run each kernel as a module of its own, so that those without a fault are compiled once."""
        head, *kernels = _KERNEL.split(text)
        with patch.dict(vars(thresholds), self.patches):
            run = Run(self.program, self.inputs, text=[head + kernel for kernel in kernels])
            return [array.tobytes() for array in run.outputs()]

    def is_found(self, text: str) -> bool:
        """Tell whether a fault is reported, or results differ."""
        try:
            return self.results(text) != self.right
        except Fault:
            return True

    def barriers(self) -> Iterator[str]:
        """The program without one of its barriers."""
        for place in re.finditer(r"\tbar\.[^\n]*\n", self.text):
            yield self.text[: place.start()] + self.text[place.end() :]

    def waits(self) -> Iterator[str]:
        """The program without one of its waits for copies."""
        for place in re.finditer(r"\tcp\.async\.wait_group[^\n]*\n", self.text):
            yield self.text[: place.start()] + self.text[place.end() :]

    def bounds(self) -> Iterator[tuple[str, str, str]]:
        """The program with a bound moved by one, and with a trap for threads that compare otherwise then; what it is."""
        for place in _BOUND.finditer(self.text):
            relation, predicate, register, bound = place.groups()
            for by in (1, -1):
                before, after = self.text[: place.start()], self.text[place.end() :]
                moved = f"setp.{relation} \t{predicate}, {register}, {int(bound) + by};\n"
                otherwise = (
                    "\t" + moved.replace(predicate, "%moved1") + f"\txor.pred \t%moved1, %moved1, {predicate};\n"
                )
                head, brace, body = before.rpartition("\n{")
                rest, end, others = after.partition("\n}")
                rest = _with_traps(rest, predicate)
                proof = f"{head}{brace}\n\t.reg .pred %moved<2>;{body}{place[0]}{otherwise}{rest}{end}{others}"
                yield before + moved + after, proof, f"{moved.strip()} for {bound}"

    def is_needless(self, proof: str) -> bool:
        """Tell whether no thread compares otherwise."""
        try:
            return self.results(proof) == self.right
        except Fault:
            return False


def check_barriers(name: str) -> None:
    planted = Planted(name)
    faults = [*planted.barriers(), *planted.waits()]
    missed = [number for number, text in enumerate(faults) if not planted.is_found(text)]
    assert not missed, missed


@pytest.mark.parametrize("name", FEW)
def test_each_barrier_is_needed(name):
    check_barriers(name)


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in FEW])
def test_each_barrier_of_other_programs_is_needed(name):
    check_barriers(name)


NEIGHBOURS = {
    "what is left is not stored": (r"\tst\.global\.b32[^\n]*\n", ""),
    "what is left is not there": (r"setp\.gt\.(\w+ \t%p\d+, %rd?\d+), 303;", r"setp.gt.\1, 400;"),
    "neighbours are loaded elsewhere": (r"(ld\.global\.nc\.v4\.b32[^\n]*\[%rd\d+)\]", r"\1+4]"),
    "neighbours are stored elsewhere": (r"(st\.global\.v4\.b32[^\n]*\[%rd\d+)\]", r"\1+8]"),
    "neighbours of the next thread": (r"(st\.global\.v4\.b32[^\n]*\[%rd\d+)\]", r"\1+16]"),
}


@pytest.mark.parametrize("fault", NEIGHBOURS)
def test_faults_of_neighbours_are_found(fault):
    planted, (pattern, other) = Planted("neighbours and what is left"), NEIGHBOURS[fault]
    text, count = re.subn(pattern, other, planted.text)
    assert count
    assert planted.is_found(text)


@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_each_bound_is_needed_or_proven_needless(name):
    planted = Planted(name)
    missed = [
        what for text, proof, what in planted.bounds() if not planted.is_found(text) and not planted.is_needless(proof)
    ]
    # One turn more of a product multiplies zeros, which lie behind the last terms.
    grids = [one.grid for step in planted.program.schedule.steps if hasattr(step, "plan") for one in step.plan.launches]
    turns = {-(-grid.terms // grid.tile.k) for grid in grids}
    in_vain = [f"{n + 1}; for {n}" for n in turns]
    missed = [what for what in missed if not any(what.endswith(f", {one}") for one in in_vain)]
    assert Counter(what.rpartition(", ")[2] for what in missed) == Counter(IN_VAIN.get(name)), missed
