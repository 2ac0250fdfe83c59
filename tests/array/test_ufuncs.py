# SPDX-License-Identifier: Apache-2.0
"""NumPy's universal functions: their methods and keywords mean what they mean to NumPy, and the same in programs."""

import inspect
import operator
from functools import partial, reduce

import numpy
import pytest

from hybridize import autograd, errors, hybridize, np
from tests.array.conftest import run_traced

RANDOM = numpy.random.default_rng(0)
FLOATS, WHOLE = RANDOM.normal(size=(3, 4)).astype("f4"), RANDOM.integers(1, 9, (3, 4))
ARRAYS = {"floats": FLOATS, "positive": abs(FLOATS) + 0.2, "whole": WHOLE, "bools": FLOATS > 0}
MASK = RANDOM.random((3, 4)) > 0.5
UNIVERSAL = {
    name: value for name, value in vars(numpy).items() if isinstance(value, numpy.ufunc) and value.signature is None and name != "isnat"
}  # fmt: skip
PAIRS = sorted({one.__name__ for one in UNIVERSAL.values() if (one.nin, one.nout) == (2, 1) and one is not numpy.ldexp})
CALLS = (
    "np.{n}.reduce(x)", "np.{n}.reduce(x, axis=1, keepdims=True)", "np.{n}.reduce(x, axis=None)", "np.{n}.reduce(x, axis=(0, 1))",
    "np.{n}.accumulate(x, axis=1)", "np.{n}.accumulate(x[:1])", "np.{n}.reduceat(x, [0, 2, 1], axis=1)", "np.{n}.outer(x[0], x[1])",
    "np.{n}.reduce(x, initial=2)", "np.{n}.reduce(x, axis=1, where=M, initial=1)", "np.{n}.reduce(x[:0])",
    "np.{n}.reduce(x[:, :0], axis=1, initial=3)", "np.{n}.reduce(x, axis=2)", "np.{n}.reduceat(x, [0, 4], axis=1)",
    "written(np.{n}.at, x, [0, 0, 2], x[1])", "written(np.{n}.at, x, (slice(None), [0, 1, 1]), x[:, :3] + x[0, 0])", "written(np.{n}.at, x, [3], x[1])",
)  # fmt: skip
WRONG_IN_NUMPY = ("power", "arctan2")
"""Their reductions along the last axis, where the processor has AVX-512."""


def written(function, x, *args):
    """An array after a method has written it."""
    x = x.copy()
    function(x, *args)
    return x


def of_numpy(text, name, x):
    """NumPy's result, or its error."""
    names = {"np": numpy, "x": x, "M": MASK, "written": written}
    with numpy.errstate(all="ignore"):
        if name in WRONG_IN_NUMPY and ".reduce(" in text and "axis=1" in text and x.size:
            return None  # see `test_folds_begin_with_the_first_element`
        if name in WRONG_IN_NUMPY and ".reduceat(" in text:
            return None
        try:
            return numpy.asarray(eval(text.format(n=name), names))
        except (TypeError, ValueError, IndexError) as error:
            return error


def base_of(error):
    """The class that a program catches: NumPy's own are not all public."""
    return next(kind for kind in (IndexError, TypeError, ValueError) if isinstance(error, kind))


@pytest.mark.parametrize("name", PAIRS)
def test_methods_are_numpys_in_both_modes(name):
    for x in ARRAYS.values():
        ours, mask = np.array(x, dtype=x.dtype), np.array(MASK)
        try:
            getattr(np, name)(ours, ours)
        except errors.DTypeError:
            continue  # it is not of such arrays here: bools are no numbers
        for text in CALLS:
            wanted = of_numpy(text, name, x)
            if wanted is None:
                continue

            def call(x, mask, text=text):
                return eval(text.format(n=name), {"np": np, "x": x, "M": mask, "written": written})

            for run in (partial(call, ours, mask), partial(run_traced, call, [ours, mask])):
                if isinstance(wanted, Exception):
                    with pytest.raises((base_of(wanted), errors.DTypeError) if ".at" in text else base_of(wanted)):
                        run()
                    continue
                try:
                    found = run()
                except errors.DTypeError as error:
                    assert (".at" in text, error.code) == (True, "E206")  # noqa: PT017 - NumPy's `at` casts unsafely
                    continue
                found = found.asnumpy() if hasattr(found, "asnumpy") else found
                loose = 3e-3 if x.dtype == bool else 1e-4  # floats of bools are float16 there
                if not (x.dtype == bool and name == "nextafter"):
                    numpy.testing.assert_allclose(found, wanted, loose, 1e-4, err_msg=text)
                assert found.dtype.kind == wanted.dtype.kind


@pytest.mark.parametrize("name", WRONG_IN_NUMPY)
def test_folds_begin_with_the_first_element(name):
    x = np.array(ARRAYS["positive"])
    rows = [x.asnumpy()[:, k] for k in range(4)]
    wanted = reduce(getattr(numpy, name), rows)
    for run in (
        lambda x: getattr(np, name).reduce(x, axis=1),
        hybridize(lambda x: getattr(np, name).reduce(x, axis=1)),
    ):
        numpy.testing.assert_allclose(run(x).asnumpy(), wanted, rtol=1e-5)


def test_numbers():
    for name, theirs in UNIVERSAL.items():
        ours = getattr(np, name)
        assert [ours.nin, ours.nout, ours.nargs, ours.identity] == [
            theirs.nin,
            theirs.nout,
            theirs.nargs,
            theirs.identity,
        ]
        for method in ("reduce", "accumulate", "reduceat", "outer", "at"):
            assert callable(getattr(ours, method))
    for name in ("exp", "modf", "divmod", "ldexp"):
        with pytest.raises(ValueError, match="E345"):
            getattr(np, name).reduce(np.ones(3))


def test_gradients_pass_methods():
    x = np.array([1.5, 2.0, 3.0])
    x.attach_grad()
    for run in (lambda x: np.divide.reduce(x), hybridize(lambda x: np.divide.reduce(x))):
        with autograd.record():
            y = run(x)
        y.backward()
        numpy.testing.assert_allclose(x.grad.asnumpy(), [1 / 6, -1.5 / 12, -1.5 / 18], rtol=1e-5)
    for run in (lambda x: np.multiply.accumulate(x).sum(), lambda x: np.subtract.outer(x, x * 2.0).sum()):
        with autograd.record():
            y = run(x)
        y.backward()
        moved = [float(run(x + np.array(numpy.eye(3, dtype="f4")[k] * 1e-2)) - run(x)) / 1e-2 for k in range(3)]
        numpy.testing.assert_allclose(x.grad.asnumpy(), moved, rtol=3e-2)


def test_numpys_functions_of_our_arrays_are_ours():
    x = np.array(FLOATS)
    for name in ("subtract", "maximum", "add", "hypot"):
        theirs = getattr(numpy, name)
        for method, args in (("reduce", (1,)), ("accumulate", ()), ("reduceat", ([0, 2],)), ("outer", (x[0],))):
            found = getattr(theirs, method)(x, *args)
            assert isinstance(found, np.ndarray)
            wanted = getattr(theirs, method)(
                FLOATS, *(FLOATS[0] if isinstance(one, np.ndarray) else one for one in args)
            )
            numpy.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5)
    numpy.add.at(x, [0, 0], 1.0)
    numpy.testing.assert_allclose(x.asnumpy()[0], FLOATS[0] + 2, rtol=1e-6)


# ------------------------------------------------------------------------------------------------------------ keywords


def called(name, x):
    """The arguments of a universal function that it takes, of floats or else of integers; NumPy's result."""
    theirs = UNIVERSAL[name]
    for one in (abs(x), WHOLE):
        args = (one,) * theirs.nin if name not in ("ldexp",) else (one, WHOLE)
        try:
            getattr(np, name)(*(np.array(part, dtype=part.dtype) for part in args))
            return args
        except errors.DTypeError:
            continue
    raise AssertionError(name)


@pytest.mark.parametrize("name", sorted(UNIVERSAL))
@pytest.mark.filterwarnings("ignore")
def test_keywords_are_the_same_for_all(name):
    theirs, ours = UNIVERSAL[name], getattr(np, name)
    args = called(name, (FLOATS % 0.9).astype("f4"))
    xs = [np.array(part, dtype=part.dtype) for part in args]
    results = ours(*xs)
    results = results if isinstance(results, tuple) else (results,)
    outs = tuple(np.zeros_like(one) for one in results)
    found = ours(*xs, out=outs if len(outs) > 1 else outs[0])
    assert found is outs[0] or all(map(operator.is_, found, outs))
    assert ours(*xs, *outs[:1]) is outs[0] if len(outs) == 1 else ours(*xs, *outs)[0] is outs[0]
    for one, out in zip(results, outs, strict=True):
        numpy.testing.assert_array_equal(one.asnumpy(), out.asnumpy())
        out[...] = 7
    ours(*xs, out=outs, where=np.array(MASK))
    for one, out in zip(results, outs, strict=True):
        numpy.testing.assert_array_equal(
            out.asnumpy(), numpy.where(MASK, one.asnumpy(), numpy.array(7).astype(out.dtype))
        )
    assert [one.dtype for one in results] == [one.dtype for one in outs]
    ours(*xs, casting="same_kind", order="C", subok=True)
    narrow = np.zeros_like(results[0], dtype="int8")
    if not numpy.can_cast(results[0].dtype, "int8", "same_kind"):
        with pytest.raises(TypeError, match="E206"):
            ours(*xs, out=(narrow, *outs[1:]))
    else:
        assert ours(*xs, out=(narrow, *outs[1:])) is not None
    ours(*xs, out=(narrow, *outs[1:]), casting="unsafe")
    for wrong, kind in (
        ({"casting": "some"}, ValueError), ({"order": "x"}, ValueError), ({"out": 3}, TypeError), ({"where": np.array([1.0])}, TypeError), ({"dtype": "word"}, TypeError),
        ({"nothing": 1}, TypeError), ({"out": (None,) * 3}, (TypeError, ValueError)), ({"subok": "yes"}, TypeError),
    ):  # fmt: skip
        with pytest.raises(kind):
            ours(*xs, **wrong)
        with pytest.raises((TypeError, ValueError)):
            theirs(*args, **wrong)
    with pytest.raises(TypeError):
        ours(*xs[1:])
    signature = inspect.signature(ours)
    assert list(signature.parameters)[theirs.nin :] == ["out", "where", "dtype", "casting", "order", "subok"]


def test_dtypes_to_compute_in():
    x, n = np.array(FLOATS), np.array(WHOLE)
    assert np.add(n, n, dtype="float32").dtype == "float32"
    assert np.exp(n, dtype="float64").dtype == "float64"
    assert np.add(x, 1.5, dtype="float64").dtype == "float64"
    assert np.less(x, 0, dtype="bool").dtype == "bool"
    assert np.add(x, x, dtype="int32", casting="unsafe").tolist() == (FLOATS.astype("i4") * 2).tolist()
    for call in (
        lambda np, x, n: np.add(x, x, dtype="int32"), lambda np, x, n: np.add(n, 1.5, dtype="int32"), lambda np, x, n: np.less(x, x, dtype="float32"),
        lambda np, x, n: np.sqrt(n, dtype="int32"), lambda np, x, n: np.add(n, n, dtype="int8", casting="safe"), lambda np, x, n: np.add(n, n, dtype="uint8"),
        lambda np, x, n: np.logical_and(n, n, dtype="int64"), lambda np, x, n: np.isnan(x, dtype="float32"),
    ):  # fmt: skip
        with pytest.raises(TypeError):
            call(numpy, FLOATS, WHOLE)
        for run in (call, lambda np, x, n, call=call: hybridize(lambda x, n: call(np, x, n))(x, n)):
            with pytest.raises(TypeError, match=r"E20\d"):
                run(np, x, n)
