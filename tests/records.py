"""Files of what a program makes of something, which tests compare with and scripts write anew."""

from pathlib import Path

import hybridize


def check_tree(script: str) -> None:
    """Leave, unless the package that a script is about to look at is the one beside it.

    An environment may hold an installed package, or lead to another checkout: its answers are not this one's.

    Args:
        script: its `__file__`, in a folder of `tests`.
    """
    own, found = Path(script).resolve().parents[2], Path(hybridize.__file__).resolve().parents[1]
    if own != found:
        raise SystemExit(
            f"{Path(script).name} is of {own}, and hybridize is imported from {found}: set PYTHONPATH to the former"
        )
