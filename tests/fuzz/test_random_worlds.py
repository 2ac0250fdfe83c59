"""Random programs with outside state: what they read and write around them is the same imperatively and hybridized.

The programs, the comparison and the shrinking lie in `worlds/`; `python tests/fuzz/worlds 0 2000` runs more of them and
says which constructs are to blame.
"""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent / "worlds"))

from world_programs import written
from world_runs import check, options_of
from world_shrinking import shrunk
from world_twins import compare

PROGRAMS = int(os.environ.get("HYBRIDIZE_FUZZ_WORLDS", "2000"))
SAMPLE = 60
SHARE = 10


def fails_like(outcome: str, options: dict[str, Any]) -> Callable[[str, Sequence[str]], bool]:
    return lambda module, steps: compare(module, steps, **options).outcome == outcome


def run(seeds: range) -> int:
    """Compare the programs of some seeds; returns how many of their calls ran compiled."""
    compiled = 0
    for seed in seeds:
        report, module, steps = check(seed)
        compiled += report.compiled
        if report.wrong:
            options = options_of(seed)
            module, steps = shrunk((module, list(steps)), fails_like(report.outcome, options))
            small = compare(module, steps, **options)
            pytest.fail(f"seed {seed}, {options}: {small.outcome}, {small.text}\n{module}\n# user\n" + "\n".join(steps))
    return compiled


@pytest.mark.long
@pytest.mark.parametrize("start", range(0, SAMPLE, SHARE))
def test_random_worlds(start: int) -> None:
    assert run(range(start, start + SHARE)) > SHARE, "most programs are refused: they test nothing"


@pytest.mark.long
@pytest.mark.parametrize("start", range(10_000, 10_000 + PROGRAMS, 250))
def test_many_random_worlds(start: int) -> None:
    run(range(start, min(start + 250, 10_000 + PROGRAMS)))


def test_programs_are_told_by_their_seed() -> None:
    assert [written(seed) for seed in range(20)] == [written(seed) for seed in range(20)]
    assert len({written(seed)[0] for seed in range(20)}) == 20


@pytest.mark.parametrize(
    ("first", "second"),
    [("[x]", "[x, x]"), ("x", "x + 1"), ("1", "1.0"), ("True", "1"), ("0.1", "numpy.float64(0.1)"), ("(x,)", "[x]")],
)
def test_a_difference_is_seen(first: str, second: str) -> None:
    """The comparison itself: a program that tells by which of the two worlds it runs in gives two results."""
    module = (
        "def body(x):\n    global kept\n"
        f"    kept = {first} if hybridize.__name__ == 'verb' else {second}\n    return x\nprogram = body"
    )
    report = compare(module, ["out1 = program(np.ones(2))"])
    assert report.outcome == "differs", report


def test_a_failing_program_is_made_small() -> None:
    module = "G1 = 3\ndef body(x):\n    y = x + G1\n    z = y * 2\n    return (z, 1 if hybridize.__name__ == 'verb' else 2)\nprogram = body"
    steps = ["G1 = 5", "out1 = program(np.ones(2))", "out2 = program(np.zeros(2))"]
    small, left = shrunk((module, steps), fails_like("differs", {}))
    assert "G1" not in small and "y * 2" not in small
    assert len(left) == 1
