"""Many small cases in one test: what a test costs besides its work, some milliseconds, is paid once for a group of them."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from tests.conftest import seed_everywhere


def word(name: str) -> str:
    """What stands before the first point of a case's name."""
    return name.partition(".")[0]


def initial(name: str) -> str:
    """The first letter of a case's name, after the space that it stands in."""
    space, point, own = name.rpartition(".")
    return space + point + next((letter for letter in own.casefold() if letter.isalnum()), "other")


def folded(names: str, cases: Iterable[Any], by: Callable[[str], str] = word) -> Callable[[Callable[..., None]], Any]:
    """As `pytest.mark.parametrize`, with one test for each group of cases, which have names (`pytest.param`).

    Every case runs, drawing the same numbers as alone; those that fail are reported together, each by its name.
    Fixtures of the test are those of the group.
    """
    parameters = [name.strip() for name in names.split(",")]
    groups: dict[str, list[Any]] = {}
    for case in cases:
        groups.setdefault(by(case.id), []).append(case)

    def decorate(test: Callable[..., None]) -> Any:
        @functools.wraps(test)
        def run(group: list[Any], **fixtures: Any) -> None:
            failures: list[BaseException] = []
            for case in group:
                seed_everywhere()
                try:
                    test(**dict(zip(parameters, case.values, strict=True)), **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"in the case {case.id}")
                    failures.append(error)
            if failures:
                names = ", ".join(error.__notes__[-1].removeprefix("in the case ") for error in failures)
                raise BaseExceptionGroup(f"{len(failures)} of {len(group)} cases: {names}", failures)

        signature = inspect.signature(test)
        kept = [one for name, one in signature.parameters.items() if name not in parameters]
        group = inspect.Parameter("group", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        run.__signature__ = signature.replace(parameters=[group, *kept])  # type: ignore[attr-defined]
        return pytest.mark.parametrize("group", [pytest.param(cases, id=name) for name, cases in groups.items()])(run)

    return decorate
