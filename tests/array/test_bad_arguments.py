"""Arguments that a function does not take: the same class, code and words imperatively, in programs, and recorded."""

import inspect
import itertools

import numpy
import pytest

from hybridize import autograd
from hybridize.array import np, npx
from hybridize.base.errors import CaptureError, ShapeError
from hybridize.capture import Function
from tests.folding import folded, initial
from tests.refusals import refusal

NOT_CALLED = {
    "load", "save", "savez", "print", "set_printoptions", "printoptions", "seed", "waitall", "from_dlpack", "foreach",
    "while_loop", "cond", "Custom",
}  # fmt: skip
"""Functions that reach outside, or call one that they are given."""
RANDOM = numpy.random.default_rng(11)


def matrix(*shape, dtype="float32"):
    x = RANDOM.uniform(0.5, 1.5, shape)
    if len(shape) > 1 and shape[-1] == shape[-2]:
        x = x + numpy.eye(shape[-1])
    return np.array(x, dtype=dtype)


X, V, M = matrix(2, 3), matrix(3), matrix(4, 5)
SCALAR = np.array(2.0)
ARGUMENTS = [
    (X, M), (X, V, M), (X, -9), (X, 9), (X, "word"), (X, None), (X, (5, 7)), (SCALAR, 0), ([V, X],), (X, 0, 0, "q"),
]  # fmt: skip


def given(args):
    """The arrays among some arguments, and the function that puts them back among the others."""
    flat = [part for one in args for part in (one if isinstance(one, list) else [one])]
    arrays = [one for one in flat if isinstance(one, np.ndarray)]

    def among(function, kwargs=None):
        def call(*xs):
            rest = iter(xs)
            again = [
                [next(rest) for _ in one]
                if isinstance(one, list)
                else next(rest)
                if isinstance(one, np.ndarray)
                else one
                for one in args
            ]
            return function(*again, **(kwargs or {}))

        return call

    return arrays, among


def given_types(args):
    """Arguments in short."""
    return [getattr(one, "type", one) if not isinstance(one, list) else given_types(one) for one in args]


def outcome(function, arrays):
    """The class and the code of what a call raises, and its words; None where it returns. It may write to its own."""
    try:
        function(*(array.copy() for array in arrays))
    except Exception as error:
        return type(error), getattr(error, "code", None), getattr(error, "what", "")
    return None


def check_alike(function, args, kwargs=None):
    """Compare what an imperative call raises with what a program raises; a refusal of the program is none of it."""
    arrays, among = given(args)
    called = among(function, kwargs)
    expected, found = outcome(called, arrays), outcome(Function(called, backend="numpy"), arrays)
    if found is None or not issubclass(found[0], CaptureError):
        assert (found and found[:2]) == (expected and expected[:2]), (given_types(args), kwargs, expected, found)
    return expected


def functions_of(module):
    names = [name for name in module.__all__ if name not in NOT_CALLED]
    return [name for name in names if inspect.isfunction(getattr(module, name))]


CALLED = [pytest.param(module, name, id=name) for module in (np, npx) for name in functions_of(module)]


@folded("module, name", CALLED, by=initial)
def test_programs_raise_what_imperative_calls_raise(module, name):
    for args in ARGUMENTS:
        check_alike(getattr(module, name), args)


# ----------------------------------------------------------------------------------------------------- linear algebra

L = np.linalg
SINGLES = {
    "scalar": SCALAR, "vector": V, "rectangular": X, "whole": np.array([[2, 1], [0, 3]]),
    "half": matrix(3, 3, dtype="float16"), "empty": np.zeros((0, 0)), "stack": matrix(2, 3, 3), "tensor": matrix(2, 3, 6),
    "column": matrix(3, 1), "square": matrix(3, 3), "number": 3, "list": [[1.0, 2.0], [3.0, 4.0]], "none": None,
    "text": "a", "ragged": [[1, 2], [3]], "complex": 1j,
}  # fmt: skip
PAIRS = ("solve", "lstsq", "tensorsolve", "matmul", "outer", "tensordot", "cross", "vecdot")
OPTIONS = {
    "qr": [{"mode": "bad"}, {"mode": 3}], "eigh": [{"UPLO": "X"}, {"UPLO": 3}], "eigvalsh": [{"UPLO": "X"}],
    "svd": [{"hermitian": True}, {"bad": 1}], "pinv": [{"rcond": 0.1, "rtol": 0.1}, {"rcond": "a"}],
    "matrix_rank": [{"tol": 1, "rtol": 1}, {"hermitian": True}], "cond": [{"p": "bad"}, {"p": "fro"}, {"p": 7}],
    "tensorinv": [{"ind": 0}, {"ind": 1.5}, {"ind": 1}], "norm": [{"ord": "bad"}, {"ord": 2}, {"axis": (0, 0)}],
    "lstsq": [{"b": V, "rcond": "a"}, {}], "solve": [{}], "tensorsolve": [{"b": V, "axes": (5,)}],
    "matrix_power": [{"n": "a"}, {"n": -1}],
}  # fmt: skip
COMPLEX = ("eig", "eigvals")


def recorded(function, arrays):
    """The outcome of a call while recording, of arrays that have gradients."""
    copies = [x.copy() for x in arrays]
    for x in copies:
        if x.dtype.kind == "f":
            x.attach_grad()
    with autograd.record():
        return outcome(function, copies)


@pytest.mark.parametrize("name", [name for name in L.__all__ if name not in PAIRS])
def test_one_matrix(name):
    for kwargs in ({}, *OPTIONS.get(name, ())):
        for x in SINGLES.values():
            # An argument besides makes it a call of arrays, whatever x is.
            if isinstance(x, np.ndarray):
                expected = check_alike(getattr(L, name), (x,), kwargs)
                if name not in COMPLEX:
                    found = recorded(lambda x, kwargs=kwargs: getattr(L, name)(x, **kwargs), [x])
                    assert (found and found[:2]) == (expected and expected[:2])
            else:
                check_alike(lambda besides, x=x, kwargs=kwargs: (getattr(L, name)(x, **kwargs), besides), (V,))


@pytest.mark.parametrize("name", PAIRS)
def test_two_matrices(name):
    for args in itertools.product(SINGLES.values(), repeat=2):
        if any(isinstance(one, np.ndarray) for one in args):
            lists = [one for one in args if isinstance(one, list)]
            if not lists:
                check_alike(getattr(L, name), args)


def test_errors_name_the_function_that_was_called():
    for name in ("inv", "det", "cholesky", "solve", "eigh", "cond", "tensorsolve", "matrix_power", "svd", "lstsq"):
        rest = {"solve": (V,), "lstsq": (V,), "tensorsolve": (V,), "matrix_power": (-1,)}.get(name, ())
        with refusal(numpy.linalg.LinAlgError if name != "matrix_power" else ValueError, f": {name} (takes|needs)"):
            Function(lambda x, name=name, rest=rest: getattr(L, name)(x, *rest), backend="numpy")(SCALAR)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: np.matmul(x, y),
        lambda x, y: np.dot(x, y),
        lambda x, y: np.tensordot(x, y, 1),
    ],
)
def test_results_beyond_64_bits_of_memory_are_one_error_in_both_modes(function):
    x, y = np.zeros((1 << 40, 0)), np.zeros((0, 1 << 40))
    for call in (function, Function(function)):
        with pytest.raises(ShapeError, match="E125"):
            call(x, y)
