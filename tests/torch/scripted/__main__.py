"""Print what the PyTorch door makes of every case: `python -m tests.torch.scripted [NAME ...] [--explain]`."""

import argparse
import logging
import os
import textwrap
from collections import Counter

os.environ.setdefault("HYBRIDIZE_CACHE", "0")  # what is looked at is this compiler, not what an earlier one has left

from tests.records import check_tree
from tests.torch.scripted import CASES
from tests.torch.scripted.running import REFUSED, RIGHT, WRONG, Verdict, judge

KINDS = (RIGHT, REFUSED, WRONG)
WIDTH = 80


def table(verdicts: dict[str, Verdict]) -> str:
    """Counts, then the names of what is refused, by code, and of what is wrong."""
    counts = Counter(one.kind for one in verdicts.values())
    lines = [", ".join(f"{counts[kind]} {kind}" for kind in KINDS)]
    groups: dict[str, list[str]] = {}
    for name, one in sorted(verdicts.items(), key=lambda item: (item[1].kind, item[1].code, item[0])):
        if one.kind != RIGHT:
            groups.setdefault(f"{one.kind} {one.code}".strip(), []).append(name)
    for title, names in groups.items():
        lines += ["", f"{title} ({len(names)})"]
        lines += textwrap.wrap(", ".join(names), WIDTH, initial_indent="  ", subsequent_indent="  ")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torch.scripted", description=__doc__)
    parser.add_argument("names", nargs="*", help="cases; all of them if none is named")
    parser.add_argument("--explain", action="store_true", help="say of each that is not right why")
    options = parser.parse_args()
    logging.disable(logging.ERROR)  # PyTorch writes pages about what its tracer does not take
    check_tree(os.path.dirname(__file__))
    verdicts = {}
    for name in options.names or CASES:
        verdicts[name] = one = judge(CASES[name])
        if options.explain and one.kind != RIGHT:
            print(textwrap.fill(f"{one.kind} {name}: {one.text}", WIDTH, subsequent_indent="    "), flush=True)
    if options.explain:
        print()
    print(table(verdicts))
    return any(one.kind == WRONG for one in verdicts.values())


if __name__ == "__main__":
    raise SystemExit(main())
