"""The version that each public name came with.

python docs/site/since.py    # when the first release is made: writes which names it has
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

FIRST = "0.1.0"
"""The first release."""
LATER: Mapping[str, str] = {}
"""Names that came after the first release, with their version: `{"np.name": "0.2.0"}`."""
NAMES = Path(__file__).with_name("first-release.txt")
"""The names of the first release; the file is not there before."""


def since(full: str) -> str:
    """Return the version that a name came with, by its full name."""
    return LATER.get(full, FIRST)


def undated(names: Iterable[str], first: Iterable[str], later: Mapping[str, str] = LATER) -> list[str]:
    """Return the names that are not of the first release and have no version in the table."""
    known = {*first, *later}
    return [name for name in names if name not in known]


if __name__ == "__main__":
    from public import names

    NAMES.write_text("".join(f"{one.full}\n" for name in names() for one in (name, *name.members)), encoding="utf-8")
