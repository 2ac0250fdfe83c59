"""Random programs with outside state: what they read and write around them is the same imperatively and hybridized.

The programs, the comparison and the shrinking lie in `worlds/`; `python tests/fuzz/worlds 0 2000` runs more of them and
says which constructs are to blame.
"""

import ast
import inspect
import os
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from hybridize.capture.outside import world

sys.path.insert(0, str(Path(__file__).parent / "worlds"))

from world_programs import CONSTRUCTS, Writer, directed, written
from world_runs import check, options_of
from world_shrinking import shrunk
from world_twins import compare

PROGRAMS = int(os.environ.get("HYBRIDIZE_FUZZ_WORLDS", "2000"))
SAMPLE = 30
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


# ------------------------------------------------------------------------------------- what the programs would notice


def _read() -> ast.FunctionDef:
    """`World.read` as a syntax tree."""
    (read,) = ast.parse(textwrap.dedent(inspect.getsource(world.World.read))).body
    assert isinstance(read, ast.FunctionDef)
    return read


SHORT = "if plain and "
"""The beginning of the line that is no policy, but a short way for what is known already."""


def _edits(read: ast.FunctionDef) -> Iterator[tuple[str, Callable[[], object]]]:
    """Each line of policy, with what takes it out."""
    for node in ast.walk(read):
        body = getattr(node, "body", None)
        for index, statement in enumerate(body if isinstance(body, list) else ()):
            if isinstance(statement, ast.If) or (
                isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
            ):
                text = ast.unparse(statement).splitlines()[0]
                if text.startswith(SHORT):
                    continue
                yield text, lambda body=body, index=index: body.__setitem__(index, ast.Pass())


POLICIES = [told for told, _ in _edits(_read())]


def without(number: int) -> Callable[..., Any]:
    """`World.read` without one line of its policy."""
    read = _read()
    list(_edits(read))[number][1]()
    made: dict[str, Any] = {}
    tree = ast.fix_missing_locations(ast.Module([read], []))
    exec(compile(tree, "<without a policy>", "exec", dont_inherit=True), vars(world), made)
    return made["read"]


def told_by(construct: str) -> tuple[str, bool]:
    """The outcome of the program of a construct: what differs, and whether its calls settle."""
    report = compare(*directed(construct))
    return report.outcome, report.settles


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_constructs_are_what_they_are_imperatively(construct: str) -> None:
    assert told_by(construct) == ("same", True)


@pytest.mark.parametrize("number", range(len(POLICIES)), ids=POLICIES)
def test_programs_notice_each_policy_that_is_missing(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any one line of `World.read`, a construct that the grammar writes gives something else."""
    monkeypatch.setattr(world.World, "read", without(number))
    assert any(told_by(construct) != ("same", True) for construct in CONSTRUCTS), POLICIES[number]


def test_the_grammar_writes_each_construct() -> None:
    """It is part of what random programs are made of."""
    left = set(CONSTRUCTS)
    for seed in range(1000):
        writer = Writer(seed)
        writer.written()
        left -= writer.constructs
        if not left:
            return
    raise AssertionError(f"never written: {sorted(left)}")
