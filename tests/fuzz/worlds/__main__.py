"""Run random programs with outside state: `python tests/fuzz/worlds 0 2000 --found FOLDER`; see docs/internals/testing.md."""

from __future__ import annotations

import argparse
import collections
import re
import sys
import time
from pathlib import Path

from world_programs import PRELUDE
from world_runs import check, clusters_key, options_of
from world_shrinking import shrunk
from world_twins import compare


def script(module: str, steps: list[str], note: str, backend: str) -> str:
    """A program as a script that shows the difference: `python NAME.py`, and `python NAME.py imperative`."""
    shows = []
    for step in steps:
        shows.append(step)
        if result := re.search(r"^(out\d+) = program", step, re.M):
            shows.append(f"print({result.group(1)!r}, {result.group(1)})")
    verb = f"""\
if "imperative" in sys.argv:
    sys.argv.remove("imperative")
    hybridize = lambda f: f
elif {backend!r} != "llvm":
    hybridize = functools.partial(hybridize, backend={backend!r})
"""
    comment = "\n".join(f"# {line}" for line in note.splitlines())
    return (
        f"{comment}\n{PRELUDE}\n{verb}\n{module}\n\n# ------------------------------ the user\n"
        + "\n".join(shows)
        + "\n"
    )


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--found", type=Path, default=None, help="folder for one script per kind of difference")
    parser.add_argument("--attempts", type=int, default=300)
    parser.add_argument("--quiet", action="store_true")
    arguments = parser.parse_args()
    outcomes: collections.Counter[str] = collections.Counter()
    codes: collections.Counter[str] = collections.Counter()
    kinds: collections.Counter[str] = collections.Counter()
    compiled = 0
    started = time.time()
    for seed in range(arguments.first, arguments.last):
        report, module, steps = check(seed)
        outcomes[report.outcome] += 1
        codes.update(set(report.codes))
        compiled += report.compiled
        if not report.wrong:
            continue
        options = options_of(seed)
        known = report.outcome

        def fails(module: str, steps: list[str], known: str = known, options: dict = options) -> bool:
            return compare(module, steps, **options).outcome == known

        module, steps = shrunk((module, steps), fails, arguments.attempts)
        again = compare(module, steps, **options)
        key = clusters_key(again.outcome, module, steps)
        kinds[key] += 1
        if kinds[key] == 1 and not arguments.quiet:
            print(
                f"---- seed {seed} {options}: {again.outcome}: {again.text[:400]}\n{module}\n# user\n"
                + "\n".join(steps),
                flush=True,
            )
        if arguments.found is not None and kinds[key] == 1:
            arguments.found.mkdir(parents=True, exist_ok=True)
            note = (
                f"seed {seed} {options}\n{again.outcome} at step {again.step} (found for expected): {again.text[:1000]}"
            )
            (arguments.found / f"{seed:06d}.py").write_text(script(module, steps, note, options["backend"]))
    print(
        f"{arguments.last - arguments.first} programs, {compiled} compiled calls, {time.time() - started:.0f} s: {dict(outcomes)}"
    )
    print(f"refused: {dict(codes.most_common())}")
    for key, count in kinds.most_common():
        print(f"{count:5} {key}")
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
