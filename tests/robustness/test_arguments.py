"""Every function of the namespaces with arguments that do not fit: an error of ours at the caller's line, or a result.

Left as they are: Python's own TypeError of a call that names arguments the function does not have, and
`numpy.linalg.LinAlgError`, which people catch on purpose.
"""

import inspect
import traceback
import warnings

import numpy
import pytest

from hybridize import hybridize, np, npx
from hybridize.array import legacy
from hybridize.base.errors import HybridizeError, InternalError
from tests.folding import folded, initial

X, Y = np.ones((2, 3)), np.ones((4, 5))
INDEX = np.array([[0, 1, 2], [1, 1, 0]], dtype="int64")


def calls():
    """Arrays are made anew: some functions write into them."""
    x, y, empty, scalar = np.ones((2, 3)), np.ones((4, 5)), np.ones((0, 3)), np.ones(())
    index, flags = np.array([[0, 1, 2], [1, 1, 0]], dtype="int64"), np.ones((2, 3), dtype=bool)
    return [
        ((x,), {}),
        ((x, y), {}),
        ((x, x, y), {}),
        ((x,), {"axis": 9}),
        ((x,), {"axis": "a"}),
        ((x,), {"axis": (0, 0)}),
        ((x, x), {"axis": 9}),
        ((x, 9), {}),
        ((x, -9), {}),
        ((x, "a"), {}),
        ((x, None), {}),
        (("a",), {}),
        ((None,), {}),
        ((object(), x), {}),
        ((flags,), {}),
        ((flags, flags), {}),
        ((index, index), {}),
        ((x, index), {}),
        ((empty,), {}),
        ((empty, empty), {}),
        ((scalar,), {}),
        ((scalar, scalar), {}),
        ((-1,), {}),
        (((2, -1),), {}),
        (((2.5, 1),), {}),
        ((x, (5, 5)), {}),
        ((x, (-1, -1)), {}),
        ((x, 0.5), {}),
        ((), {"size": (-1,)}),
        ((), {"size": (2, "a")}),
        ((x, y), {"axis": 0}),
        (([x, y],), {}),
        (([],), {}),
        ((x, [x]), {}),
        ((x,), {"dtype": "nosuch"}),
        ((x, 3, 9), {}),
        ((x, (1, 2, 3)), {}),
        ((x, {}), {}),
        ((x, 2, "a"), {}),
    ]


MODULES = {"np": np, "npx": npx, "nd": legacy, "np.random": np.random, "np.linalg": np.linalg}
OTHERS = {
    "seed", "save", "load", "savez", "savez_compressed", "genfromtxt", "loadtxt", "fromfile", "set_printoptions", "seterr", "waitall",
    "set_np", "reset_np", "format_float_positional", "format_float_scientific",
}  # fmt: skip
"""These are about files and settings, and NumPy's texts of one number."""


def functions():
    for module_name, module in MODULES.items():
        for name in getattr(module, "__all__", None) or dir(module):
            function = getattr(module, name)
            ours = inspect.isfunction(function) and function.__module__.startswith("hybridize.array.functions")
            if ours and name not in OTHERS:
                yield pytest.param(function, id=f"{module_name}.{name}")


def is_signature(error):
    return isinstance(error, TypeError) and any(
        word in str(error) for word in ("positional", "keyword-only", "unexpected keyword", "multiple values")
    )


@folded("function", functions(), by=initial)
def test_arguments_that_do_not_fit(function):
    for args, kwargs in calls():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                function(*args, **kwargs)
            except InternalError:
                raise
            except HybridizeError as error:
                if error.loc is None or error.loc.file != __file__:
                    pytest.fail(f"at {error.loc}: {error}")
            except numpy.linalg.LinAlgError:
                pass
            except Exception as error:
                if not is_signature(error):
                    where = traceback.extract_tb(error.__traceback__)[-1]
                    pytest.fail(f"{args} {kwargs}: {type(error).__name__}: {error} at {where}")


@pytest.mark.parametrize(
    ("call", "code", "words"),
    [
        (lambda: npx.softmax(X, axis=5), "E1", "axis 5"),
        (lambda: npx.one_hot(INDEX, -3), "E112", "-3"),
        (lambda: np.random.normal(size=(-1,)), "E112", "-1"),
        (lambda: np.tensordot(X, Y, 9), "E111", "tensordot"),
        (lambda: np.bitwise_and(X, X), "E205", "f32[2,3]"),
        (lambda: X << X, "E205", "f32[2,3]"),
        (lambda: np.zeros((2, 1.5)), "E309", "1.5"),
    ],
)
def test_messages(call, code, words):
    with pytest.raises(HybridizeError) as caught:
        call()
    assert caught.value.code.startswith(code)
    assert words in str(caught.value)


def test_errors_of_the_users_own_code_stay_what_they_are():
    class Odd:
        def __array__(self, dtype=None, copy=None):
            raise ValueError("mine")

    def odd(x):
        raise ValueError("mine")

    with pytest.raises(ValueError, match=r"^mine$"):
        hybridize(lambda x: odd(x))(X)
    with pytest.raises((TypeError, ValueError)):
        np.array(Odd())


def test_result_type_is_our_promotion():
    half, brain = np.ones(2, dtype="float16"), np.ones(2, dtype="bfloat16")
    assert np.result_type(half, brain) == numpy.float32
    assert np.result_type(np.ones(2, dtype="int32"), 1.5) == numpy.float32
    assert np.result_type(X, numpy.float64(2)) == numpy.float32
    assert np.result_type("int8", numpy.uint8, np.int64) == numpy.int64
    assert np.promote_types("int64", "float16") == numpy.float16
    assert numpy.result_type(half, brain) == numpy.float32
