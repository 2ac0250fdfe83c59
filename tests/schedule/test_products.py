"""Products are cut into tiles without a slow rest."""

import itertools

from hybridize.schedule.contraction.panels import row_tiles


def test_row_tiles_differ_by_one_at_most():
    for total, limit in itertools.product(range(1, 200), (1, 6, 13, 24)):
        parts = row_tiles(total, limit)
        assert sum(part.count * part.height for part in parts) == total
        assert max(p.height for p in parts) <= limit
        assert max(p.height for p in parts) - min(p.height for p in parts) <= 1
        assert parts[0].start == 0
        assert all(b.start == a.start + a.count * a.height for a, b in itertools.pairwise(parts))
