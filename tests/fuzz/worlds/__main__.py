"""Run random programs with outside state: `python tests/fuzz/worlds 0 2000 --found FOLDER`; see docs/internals/testing.md."""

from __future__ import annotations

import argparse
import collections
import json
import re
import sys
import time
from pathlib import Path
from typing import Any

from world_programs import PRELUDE
from world_runs import check, clusters_key, options_of
from world_shrinking import shrunk
from world_twins import compare

MODULE, STEP = "# ------ the module", "# ------ step"


def script(module: str, steps: list[str], note: str, options: dict[str, Any]) -> str:
    """A program as a script that shows what it gives: `python NAME.py`, and `python NAME.py imperative`."""
    lines = [f"# {line}" for line in note.splitlines()]
    lines += [
        f"# options {json.dumps(options)}",
        PRELUDE,
        "if 'imperative' in sys.argv:",
        "    sys.argv.remove('imperative')",
        "    hybridize = lambda f: f",
        "else:",
        f"    hybridize = functools.partial(hybridize, backend={options['backend']!r})",
        MODULE,
        module,
    ]
    for step in steps:
        lines += [STEP, step]
        if result := re.search(r"^(out\d+) = program", step, re.M):
            lines.append(f"print({result.group(1)!r}, {result.group(1)})  # shown")
    return "\n".join(lines) + "\n"


def read_script(path: Path) -> tuple[str, list[str], dict[str, Any]]:
    """The program of a script."""
    text = re.sub(r"^print\(.*# shown$", "", path.read_text(), flags=re.M)
    options = json.loads(re.search(r"^# options (.*)$", text, re.M).group(1))
    module, *steps = text.split(MODULE, 1)[1].split(STEP)
    return module.strip(), [step.strip() for step in steps], options


def again(folder: Path) -> int:
    """Run the scripts of a folder again, and say which still differ."""
    differ = 0
    for path in sorted(folder.glob("*.py")):
        module, steps, options = read_script(path)
        report = compare(module, steps, **options)
        differ += report.wrong
        said = report.text.splitlines()[0][:150] if report.wrong and report.text else " ".join(report.codes)
        print(f"{'DIFFERS' if report.wrong else 'ok     '} {path.name} {report.outcome} {said}")
    print(f"{differ} differ")
    return 1 if differ else 0


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("first", type=int, nargs="?", default=0)
    parser.add_argument("last", type=int, nargs="?", default=200)
    parser.add_argument("--again", type=Path, default=None, help="run the scripts of a folder again")
    parser.add_argument("--found", type=Path, default=None, help="folder for one script per kind of difference")
    parser.add_argument("--attempts", type=int, default=300)
    parser.add_argument("--first", dest="only_first", action="store_true", help="stop at the first difference")
    parser.add_argument("--quiet", action="store_true")
    arguments = parser.parse_args()
    if arguments.again is not None:
        return again(arguments.again)
    outcomes: collections.Counter[str] = collections.Counter()
    codes: collections.Counter[str] = collections.Counter()
    kinds: collections.Counter[str] = collections.Counter()
    compiled = restless = 0
    started = time.time()
    for seed in range(arguments.first, arguments.last):
        report, module, steps = check(seed)
        outcomes[report.outcome] += 1
        codes.update(set(report.codes))
        compiled += report.compiled
        restless += not report.settles
        if not report.wrong:
            continue
        options = options_of(seed)
        if arguments.only_first:
            print(f"seed {seed}: {report.outcome}: {report.text[:400]}")
            return 1
        known = report.outcome

        def fails(module: str, steps: list[str], known: str = known, options: dict = options) -> bool:
            return compare(module, steps, **options).outcome == known

        module, steps = shrunk((module, steps), fails, arguments.attempts)
        small = compare(module, steps, **options)
        key = clusters_key(small.outcome, module, steps)
        kinds[key] += 1
        if kinds[key] == 1 and not arguments.quiet:
            print(
                f"---- seed {seed} {options}: {small.outcome}: {small.text[:400]}\n{module}\n# user\n"
                + "\n".join(steps),
                flush=True,
            )
        if arguments.found is not None and kinds[key] == 1:
            arguments.found.mkdir(parents=True, exist_ok=True)
            note = (
                f"seed {seed} {options}\n{small.outcome} at step {small.step} (found for expected): {small.text[:1000]}"
            )
            (arguments.found / f"{seed:06d}.py").write_text(script(module, steps, note, options))
    print(
        f"{arguments.last - arguments.first} programs, {compiled} compiled calls, {restless} never settle, {time.time() - started:.0f} s: {dict(outcomes)}"
    )
    print(f"refused: {dict(codes.most_common())}")
    for key, count in kinds.most_common():
        print(f"{count:5} {key}")
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
