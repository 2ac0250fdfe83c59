# SPDX-License-Identifier: Apache-2.0
"""Memory of blocks whose sizes are not known: apart whatever the sizes, and formulas all of it."""

import random

import pytest

from hybridize.base import dims
from hybridize.base.dims import FAR, SizeScope
from hybridize.schedule.memory import ALIGN, ScratchBlock, assign


@pytest.mark.parametrize("seed", range(20))
def test_blocks_alive_together_never_overlap(seed):
    draw = random.Random(seed)
    scope = SizeScope()
    scope.capturing = False
    symbols = [scope.symbol(draw.randrange(2, 50)) for _ in range(3)]
    choices = [*(4 * n for n in symbols), symbols[0] * symbols[1] * 4, 100, 64 * symbols[2], 8 * symbols[0] + 12]
    blocks = []
    for _ in range(30):
        first = draw.randrange(20)
        blocks.append(ScratchBlock(draw.choice(choices), first, first + draw.randrange(5)))
    total = assign(blocks)
    assert not scope.conditions
    assert all(symbol.bounds == (2, FAR) for symbol in scope.symbols)
    for _ in range(20):
        sizes = {symbol: draw.choice([2, 3, 17, 64, 1000]) for symbol in scope.symbols}
        spans = [(dims.value(b.offset, sizes), dims.value(b.nbytes, sizes)) for b in blocks]
        assert all(start % ALIGN == 0 and start + size <= dims.value(total, sizes) for start, size in spans)
        for i, (a, (start, size)) in enumerate(zip(blocks, spans, strict=True)):
            for b, (other, length) in zip(blocks[:i], spans[:i], strict=True):
                if a.first <= b.last and b.first <= a.last:
                    assert start + size <= other or other + length <= start


def test_blocks_of_one_size_share():
    scope = SizeScope()
    scope.capturing = False
    n = scope.symbol(9)
    blocks = [ScratchBlock(4 * n, k, k + 1) for k in range(10)]
    assert dims.same(assign(blocks), 2 * ((4 * n + 63) // 64 * 64))
