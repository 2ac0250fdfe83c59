"""Two hundred ordinary programs, of the kinds that tutorials show: each gives the same hybridized, nearly all compile.

They are written without regard to what compiles, and lie in `programs/`; each takes the verb as its argument, so that
it runs imperatively with a verb that changes nothing.
"""

import contextlib
import dataclasses
import importlib.util
import io
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy
import pytest

from hybridize import hybridize, np
from hybridize import random as hybridize_random
from hybridize.base.errors import HybridizeError

FOLDER = Path(__file__).parent / "programs"
SAMPLE = 5
"""Of each so many, one is run by `make test`."""

REFUSED: dict[str, str] = {
    "language.beam_search_with_heap_of_tuples": "E401: sorts tuples by a value of the data",
    "language.cosine_similarity_of_words": "E422: words chosen by data",
    "language.ctc_collapse": "E402: returns x[mask], of a size that the data decides",
    "language.greedy_decoding_with_words": "E422: words chosen by data",
    "language.label_counts": "E406: a method of a Counter that is called as it is",
    "learning.counts_of_neighbours": "E403: returns np.nonzero, of a size that the data decides",
    "learning.decision_tree_as_dicts": "E440: a node of nested dicts chosen by data",
    "learning.nearest_neighbour_with_names": "E422: words chosen by data",
    "learning.tf_idf_retrieval": "E422: words chosen by data",
    "learning.viterbi_with_names": "E422: words chosen by data",
    "networks.activations_recorded_by_name": "E420: NumPy's generator inside of the function",
    "networks.mixture_of_experts_by_indexing": "E402: a product of x[mask]",
    "networks.weights_shared_by_name": "E420: NumPy's generator inside of the function",
    "numerics.gradient_descent_on_rosenbrock": "E545: attach_grad inside of the function",
    "numerics.gram_schmidt": "E430: a list that grows where the data says so",
    "regression.huber_regression": "E545: attach_grad inside of the function",
    "training.best_checkpoint_in_a_dict": "E430: an outside dict written where the data says so",
    "training.loss_scaling": "E430: an attribute set where the data says so",
}
"""Programs that are refused, and why."""


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"ordinary_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    f"{path.stem}.{program.__name__}": program
    for path in sorted(FOLDER.glob("*.py"))
    for program in loaded(path).PROGRAMS
}


def imperative(obj: Any = None, **options: Any) -> Any:
    """The verb that changes nothing."""
    return obj if obj is not None else imperative


def outcome(program: Callable[[Any], Any], verb: Any) -> tuple[Any, str]:
    """What a program returns and prints."""
    numpy.random.seed(0)
    hybridize_random.seed(0)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        result = program(verb)
    return result, printed.getvalue()


def assert_alike(found: Any, expected: Any, where: str) -> None:
    """Equal: classes exactly, floats up to rounding."""
    if isinstance(expected, (np.ndarray, numpy.ndarray)):
        assert isinstance(found, type(expected)), f"{where}: {type(found)} for {type(expected)}"
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape), where
        found, expected = numpy.asarray(found), numpy.asarray(expected)
        if expected.dtype.kind == "f":
            numpy.testing.assert_allclose(found, expected, rtol=2e-3, atol=2e-4, err_msg=where)
        else:
            numpy.testing.assert_array_equal(found, expected, err_msg=where)
        return
    # By name: the classes that a program defines are other ones each time it runs.
    assert type(found).__qualname__ == type(expected).__qualname__, f"{where}: {found!r} for {expected!r}"
    if dataclasses.is_dataclass(expected):
        found, expected = vars(found), vars(expected)
    if isinstance(expected, dict):
        assert list(found) == list(expected), where
        for key in expected:
            assert_alike(found[key], expected[key], f"{where}[{key!r}]")
    elif isinstance(expected, (list, tuple)):
        assert len(found) == len(expected), where
        for i, (x, y) in enumerate(zip(found, expected, strict=True)):
            assert_alike(x, y, f"{where}[{i}]")
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=2e-3, abs=2e-4, nan_ok=True), where
    else:
        assert found == expected, where


def compiled(name: str) -> HybridizeError | None:
    """Run a program both ways and compare; returns the refusal, if it is refused."""
    program = PROGRAMS[name]
    expected, said = outcome(program, imperative)
    try:
        found, also_said = outcome(program, hybridize)
    except HybridizeError as error:
        return error
    assert_alike(found, expected, name)
    assert len(also_said.splitlines()) == len(said.splitlines()), f"{also_said!r} for {said!r}"
    return None


def check(name: str) -> None:
    error = compiled(name)
    if name in REFUSED:
        assert error is not None, f"{name} is not refused any more: take it off the list"
        assert error.code == REFUSED[name].split(":")[0], str(error)
        assert error.loc is not None and FOLDER.name in error.loc.file, str(error)
    else:
        assert error is None, str(error)


@pytest.mark.parametrize("name", list(PROGRAMS)[::SAMPLE])
def test_a_sample_of_ordinary_programs(name: str) -> None:
    check(name)


@pytest.mark.long
@pytest.mark.parametrize("name", [name for number, name in enumerate(PROGRAMS) if number % SAMPLE])
def test_ordinary_programs(name: str) -> None:
    check(name)


def test_nine_in_ten_compile() -> None:
    assert len(PROGRAMS) >= 200
    assert set(REFUSED) <= set(PROGRAMS)
    assert len(REFUSED) <= len(PROGRAMS) / 10
