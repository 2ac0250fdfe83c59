"""Plans of products, as text: one of each kind for three targets, and that nothing of a product is left out.

python tests/schedule/test_products.py    write the plans of today: for a change that is meant to change them
"""

import dataclasses
import itertools
from pathlib import Path

import pytest

from hybridize.base.dims import SizeScope
from hybridize.base.dtypes import float16, float32, int8
from hybridize.loops.index import Interner, Space
from hybridize.loops.kernel import Param
from hybridize.machine.target import named_target
from hybridize.schedule.contraction import Product, make_plan
from hybridize.schedule.contraction.panels import row_tiles
from hybridize.schedule.contraction.prologue import BATCH, COLUMN, TERM, Prologue
from tests.records import check_tree

GOLDENS = Path(__file__).with_name("goldens") / "products"
TARGETS = [named_target("avx512"), named_target("avx2"), named_target("aarch64-linux")]
SCOPE = SizeScope()
M, N, K, B = (SCOPE.symbol(hint) for hint in (11, 40, 30, 5))
SCOPE.capturing = False


def scaled():
    """The way of bytes with a scale for each term."""
    interner = Interner()
    space = Space(interner, {BATCH: 1, COLUMN: 256, TERM: 512})
    place = space.affine([(space.axis(COLUMN), 1), (space.axis(TERM), 256)])
    element = interner.cast(interner.load(int8, -1, (place,)), float32)
    scale = interner.load(float32, 0, (space.axis(TERM),))
    return Prologue(int8, interner.call(float32, "mul", (element, scale)), (Param(float32, 512, False),))


KINDS = {
    "dots of one row": Product(float32, 1, 256, 512, transpose_w=True),
    "dots of a far w": Product(float32, 1, 4096, 4096, transpose_w=True),
    "dots of a flipped w": Product(float32, 100, 2, 128),
    "dots of any rows": Product(float32, M, 3, 100, transpose_w=True),
    "rows in place": Product(float32, 64, 250, 512),
    "rows in place, few columns": Product(float32, 3, 10, 64),
    "rows over copied panels": Product(float32, 512, 512, 512),
    "rows over flipped panels": Product(float32, 300, 40, 500, transpose_w=True),
    "rows of a transposed x": Product(float32, 512, 256, 1000, transpose_x=True),
    "rows of a packed w": Product(float32, 64, 256, 512, transpose_w=True, packed=True),
    "a row of a far packed w": Product(float32, 1, 1000, 1280, transpose_w=True, packed=True),
    "rows of a packed w in few bits": Product(float16, 64, 256, 512, packed=True, narrow=True),
    "any rows of a packed w in few bits": Product(float16, M, 256, 512, packed=True, narrow=True),
    "rows of few terms, w in few bits": Product(float16, 512, 256, 512, packed=True, narrow=True, filled=1),
    "rows of a packed w with scales": Product(float32, 64, 256, 512, packed=True, narrow=True, prologue=scaled()),
    "rows of few terms, w with scales": Product(
        float32, 512, 256, 512, packed=True, narrow=True, filled=1, prologue=scaled()
    ),
    "a row of a packed w in few bits": Product(float16, 1, 256, 512, packed=True, narrow=True),
    "any rows": Product(float32, M, 100, 64),
    "any sizes": Product(float32, M, N, K, B),
    "columns": Product(float32, 64, 256, 512, transpose_w=True),
    "either": Product(float32, M, 256, 512, transpose_w=True),
    "any columns, packed by the call": Product(float32, 20, N, 64, transpose_w=True),
    "streams": Product(float32, 2, 4096, 2048),
    "blocks of k": Product(float32, 300, 70, 20000),
    "16-bit floats": Product(float16, 64, 256, 512),
    "integers": Product(int8, 64, 256, 512),
    "a batch against one w": Product(float32, 33, 40, 20, 8, transpose_x=True, shared_w=True),
    "many rows for threads": Product(float32, 4096, 64, 64),
    "gates of one row": Product(float32, 1, 1024, 256, packed=True, gates=4),
    "gates in place": Product(float32, 32, 1024, 256, gates=4),
    "gates of dots": Product(float32, 1, 1024, 256, transpose_w=True, gates=4),
    "gates of columns": Product(float32, 32, 768, 256, transpose_w=True, gates=3),
    "gates of streams": Product(float32, 1, 4096, 2048, gates=2),
}
del M, N, K, B  # pytest compares what a module has, which assumes the size
FOLLOWING = {"16-bit floats": "heavy", "rows in place": "light", "any rows": "light"}
FOLLOWING |= {kind: "light" if "place" in kind else "heavy" for kind in KINDS if kind.startswith("gates")}


def plans(kind):
    return [make_plan(KINDS[kind], target, FOLLOWING.get(kind, "nothing")) for target in TARGETS]


def text(kind):
    return "\n".join(f"{target.name}: {plan}\n" for target, plan in zip(TARGETS, plans(kind), strict=True))


def file(kind):
    return GOLDENS / f"{kind.replace(',', '').replace(' ', '-')}.txt"


@pytest.mark.parametrize("kind", KINDS)
def test_plans_are_what_was_written_down(kind):
    assert text(kind) == file(kind).read_text(), "if it is meant to: python tests/schedule/test_products.py"
    assert not SCOPE.conditions, "to plan and to print assumes nothing of sizes"


def test_each_kind_has_its_text():
    assert {path.name for path in GOLDENS.iterdir()} == {file(kind).name for kind in KINDS}
    made = [plan for kind in KINDS for plan in plans(kind)]
    assert {plan.tiling.form for plan in made} == {"dots", "rows", "columns", "either"}
    assert {plan.tiling.order for plan in made} == {"once", "blocks", "streams"}
    assert {plan.stores for plan in made} == {"sums", "results", "buffer"}
    assert {plan.axis for plan in made} == {"batch", "rows", "panels"}
    assert {section.pack for plan in made for section in plan.tiling.sections} == {"", "flip", "copy", "widen", "keep"}


def test_equal_texts_are_of_equal_products():
    """Functions of a module are shared by the text of the product."""
    one = Product(float32, 7, 33, 20, 2)
    for name in ("transpose_x", "transpose_w", "shared_x", "shared_w", "packed"):
        assert str(dataclasses.replace(one, **{name: True})) != str(one)
    for name in ("m", "n", "k", "batch", "gates"):
        assert str(dataclasses.replace(one, **{name: 5})) != str(one)
    assert str(dataclasses.replace(one, dtype=float16)) != str(one)


def test_row_tiles_differ_by_one_at_most():
    for total, limit in itertools.product(range(1, 200), (1, 6, 13, 24)):
        parts = row_tiles(total, limit)
        assert sum(part.count * part.height for part in parts) == total
        assert max(p.height for p in parts) <= limit
        assert max(p.height for p in parts) - min(p.height for p in parts) <= 1
        assert parts[0].start == 0
        assert all(b.start == a.start + a.count * a.height for a, b in itertools.pairwise(parts))


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
@pytest.mark.parametrize(("rows", "columns", "terms", "ahead"), [
    (1, 1000, 1280, True), (2, 1000, 512, True), (1, 256, 128, False), (64, 1000, 1280, False),
])  # fmt: skip
def test_a_packed_w_that_is_far_and_read_once_is_fetched_ahead(target, rows, columns, terms, ahead):
    """What stays in the second-level cache, or is read again by the next tile of rows, is not."""
    plan = make_plan(Product(float32, rows, columns, terms, transpose_w=True, packed=True), target)
    assert (plan.tiling.panel_ahead > 0) == ahead
    assert ("bytes ahead" in str(plan)) == ahead


if __name__ == "__main__":
    check_tree(__file__)
    GOLDENS.mkdir(parents=True, exist_ok=True)
    for path in GOLDENS.iterdir():
        path.unlink()
    for kind in KINDS:
        file(kind).write_text(text(kind))
