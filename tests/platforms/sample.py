# SPDX-License-Identifier: Apache-2.0
"""A fixed sample of the tests, over all folders, for machines and Pythons that run too slowly, or too many, for all.

The sample needs NumPy, llvmlite and pytest with hypothesis, but no other framework. Files and tests are chosen by
digests of their names, so that every machine and every Python runs the same ones.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
COUNT = 300
_WITHOUT = ("benchmarks", "chapter", "house", "suites")
_FILES = 5
"""Files that are looked at in each folder."""
_OTHERS = re.compile(
    r"\b(torch|tensorflow|tf|jax|onnx|onnxruntime|uvicorn|starlette|grpc|mpi4py|matplotlib|sklearn|PIL|yaml|jedi|"
    r"ziglang|mpmath|nbclient|hybridize_bench|system|subprocess|load_bench|graphviz|guide|mxnet_scripts)\b"
)
"""Words of files that need other packages or programs, or start processes of their own."""
_OURS = re.compile(r"^(?:from|import) (tests(?:\.\w+)*)", re.MULTILINE)


def order(name: str) -> str:
    """Return the key by which the sample is drawn."""
    return hashlib.sha256(name.encode()).hexdigest()


def _texts(path: Path, done: set[Path]) -> Iterator[str]:
    """The text of a file of tests, and of the files of tests that it imports."""
    if path in done or not path.is_file():
        return
    done.add(path)
    text = path.read_text(encoding="utf-8")
    yield text
    for module in _OURS.findall(text):
        yield from _texts(TESTS.parent.joinpath(*module.split(".")).with_suffix(".py"), done)


def _alone(path: Path) -> bool:
    """Tell whether a file of tests needs nothing but what hybridize itself needs."""
    around = [path.parent / "conftest.py"]
    return not any(_OTHERS.search(text) for one in (path, *around) for text in _texts(one, set()))


def files() -> list[Path]:
    """Return the files of tests that the sample is drawn from, in order."""
    result = []
    for folder in sorted(path for path in TESTS.iterdir() if path.is_dir() and path.name not in _WITHOUT):
        paths = sorted(folder.rglob("test_*.py"), key=lambda path: order(path.relative_to(TESTS).as_posix()))
        result += [path for path in paths if _alone(path)][:_FILES]
    return sorted(result)


def sampled(items: Iterable[pytest.Item], count: int = COUNT) -> list[pytest.Item]:
    """Return the tests of the sample: one of each folder in turn, until there are enough."""
    folders: dict[str, list[pytest.Item]] = {}
    for item in sorted(items, key=lambda item: order(item.nodeid)):
        folders.setdefault(item.path.relative_to(TESTS).parts[0], []).append(item)
    turns = [item for turn in zip_longest(*map(folders.__getitem__, sorted(folders))) for item in turn if item]
    return sorted(turns[:count], key=lambda item: item.nodeid)


class Sample:
    """A plugin of pytest that leaves the sample of what was collected."""

    @pytest.hookimpl(trylast=True)  # after `-m`
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the tests of the sample."""
        items[:] = sampled(items)


if __name__ == "__main__":
    import sys

    sys.exit(pytest.main([*map(str, files()), *sys.argv[1:]], plugins=[Sample()]))
