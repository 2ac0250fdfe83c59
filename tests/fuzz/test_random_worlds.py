"""Random programs with outside state: what they read and write around them is the same imperatively and hybridized.

The programs, the comparison and the shrinking lie in `worlds/`; `python tests/fuzz/worlds 0 2000` runs more of them and
says which constructs are to blame.
"""

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import hybridize

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


# ------------------------------------------------------------------------------------- what the programs would notice


WORLD = Path("capture", "outside", "world.py")


def policies(source: str) -> list[tuple[str, str]]:
    """Each line of policy in `World.read`, and the module without it."""
    count = len(list(_edits(ast.parse(source))))
    made = []
    for number in range(count):
        tree = ast.parse(source)
        told, edit = list(_edits(tree))[number]
        edit()
        made.append((told, ast.unparse(ast.fix_missing_locations(tree))))
    return made


def _edits(tree: ast.Module) -> Iterator[tuple[str, Callable[[], object]]]:
    (world,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "World")
    (read,) = (node for node in world.body if isinstance(node, ast.FunctionDef) and node.name == "read")
    for node in ast.walk(read):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        for index, statement in enumerate(body):
            if isinstance(statement, ast.If) or (
                isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
            ):
                text = ast.unparse(statement).splitlines()[0]
                yield f"without {text}", lambda body=body, index=index: body.__setitem__(index, ast.Pass())
            if isinstance(statement, ast.If) and isinstance(statement.test, ast.BoolOp):
                for place, operand in enumerate(statement.test.values):
                    yield (
                        f"without {ast.unparse(operand)}",
                        lambda values=statement.test.values, place=place: values.pop(place),
                    )


@pytest.mark.long
def test_programs_notice_each_policy_that_is_missing(tmp_path: Path) -> None:
    """Without any one line of `World.read`, some of the programs give something else."""
    package = Path(hybridize.__file__).parent
    copy = tmp_path / package.name
    shutil.copytree(package, copy)
    source = (package / WORLD).read_text()
    made = policies(source)
    assert len(made) >= 5
    unnoticed = []
    for told, without in made:
        (copy / WORLD).write_text(without)
        command = [sys.executable, "-W", "ignore", str(Path(__file__).parent / "worlds"), "0", str(PROGRAMS), "--first"]
        environment = os.environ | {"PYTHONPATH": str(tmp_path), "HYBRIDIZE_CACHE": "0"}
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if ran.returncode != 1 or not ran.stdout.startswith("seed "):
            unnoticed.append(f"{told}: {ran.stdout[-300:]}{ran.stderr[-300:]}")
    assert not unnoticed, "\n".join(unnoticed)
