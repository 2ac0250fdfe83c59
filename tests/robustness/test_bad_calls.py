"""Calls, settings and saves that are wrong: the class, what was found and expected, the caller's line, a remedy.

Afterwards the net works on.
"""

import numpy
import pytest

import hybridize
from hybridize import np
from hybridize.base.errors import (
    ArgumentError,
    DTypeError,
    LoadError,
    ShapeError,
    StateError,
)
from hybridize.gluon import SymbolBlock, nn

X = np.ones((2, 3))


@pytest.fixture(params=[False, True], ids=["imperative", "hybridized"])
def net(request):
    net = nn.HybridSequential()
    net.add(nn.Dense(4, activation="relu"), nn.Dense(2))
    net.initialize()
    net.hybridize(request.param)
    net(X)
    return net


def fails(call, error, *words):
    with pytest.raises(error) as caught:
        call()
    text = str(caught.value)
    for word in words:
        assert word in text, text
    assert caught.value.loc.file == __file__, text
    assert caught.value.help or "got" in text, text


@pytest.mark.parametrize(
    ("argument", "error", "words"),
    [
        (np.ones((2, 5)), ShapeError, ("f32[2,5]", "f32[4,3]")),
        (np.ones(()), ShapeError, ("f32[]", "f32[4,3]")),
        ("abc", ArgumentError, ("str",)),
        (None, ArgumentError, ("NoneType",)),
        (object(), ArgumentError, ("object",)),
        ([X, X], ShapeError, ("f32[2,2,3]",)),
        ({"x": X}, ArgumentError, ("dict",)),
    ],
)
def test_arguments(net, argument, error, words):
    expected = net(X).asnumpy()
    for _ in range(2):
        fails(lambda: net(argument), error, *words)
        numpy.testing.assert_array_equal(net(X).asnumpy(), expected)


def test_structure(net):
    expected = net(X).asnumpy()
    for call in (lambda: net(), lambda: net(X, X), lambda: net(X, y=3), lambda: net(y=X)):
        with pytest.raises(TypeError, match="argument"):
            call()
        numpy.testing.assert_array_equal(net(X).asnumpy(), expected)


def test_other_dtypes_are_promoted(net):
    assert net(X.astype("float64")).dtype == numpy.float64
    assert net(np.ones((2, 3), dtype="int32")).dtype == numpy.float32


def test_programs_take_what_they_were_compiled_for():
    program = hybridize.hybridize(lambda x, n: x * n)
    program = program.program(X, 2)
    fails(lambda: program(X.astype("float64"), 2), DTypeError, "f32[2,3]", "f64[2,3]")
    fails(lambda: program(np.ones((3, 3)), 2), ShapeError, "f32[2,3]", "f32[3,3]")
    fails(lambda: program(X), ArgumentError, "f32[2,3]")
    fails(lambda: program(X, "two"), ArgumentError, "two")
    assert float(program(X, 2)[0, 0]) == 2


@pytest.mark.parametrize("active", [False, True])
def test_uninitialized(active):
    net = nn.Dense(2, in_units=3)
    net.hybridize(active)
    fails(lambda: net(X), StateError, "dense", "initialize()")
    net.initialize()
    assert net(X).shape == (2, 2)


@pytest.mark.parametrize(
    ("keywords", "word"),
    [({"bogus": 1}, "bogus"), ({"backend": "cuda"}, "cuda"), ({"verify": 3}, "3"), ({"threads": -1}, "-1")],
)
def test_keywords(net, keywords, word):
    expected = net(X).asnumpy()
    fails(lambda: net.hybridize(**keywords), ArgumentError, word)
    fails(lambda: hybridize.hybridize(lambda x: x, **keywords), ArgumentError, word)
    numpy.testing.assert_array_equal(net(X).asnumpy(), expected)


def test_too_early(tmp_path):
    net = nn.Dense(2)
    net.initialize()
    fails(lambda: net.export(str(tmp_path / "net")), StateError, "hybridize()")
    fails(lambda: net.program(X), StateError, "hybridize()")
    net.hybridize()
    fails(lambda: net.export(str(tmp_path / "net")), StateError, "nothing to export")
    fails(lambda: net.save_parameters(str(tmp_path / "net")), StateError, "dense")
    fails(lambda: hybridize.hybridize(lambda x: x).save(str(tmp_path / "f")), StateError, "no program to save")
    assert not list(tmp_path.iterdir())
    net(X)
    net.export(str(tmp_path / "net"))


@pytest.mark.parametrize(
    ("spec", "error", "word"),
    [("f32[2,x]", ArgumentError, "f32[2,x]"), ("q", ArgumentError, "q"), ((2, -3), ShapeError, "-3")],
)
def test_specifications(net, spec, error, word):
    net.hybridize()
    fails(lambda: net.compile(spec), error, word)
    assert net.compile((5, 3))(np.ones((5, 3))).shape == (5, 2)


def test_loaded_functions_take_what_was_saved(tmp_path):
    fast = hybridize.hybridize(lambda x: x + 1)
    fast(X)
    fast.save(str(tmp_path / "f"))
    loaded = hybridize.load(str(tmp_path / "f"))
    fails(lambda: loaded(np.ones((4,))), ShapeError, "f32[2,3]", "f32[4]")
    fails(lambda: loaded(X.astype("int32")), DTypeError, "f32[2,3]", "i32[2,3]")
    fails(lambda: loaded(X, X), ArgumentError, "f32[2,3]")
    assert float(loaded(X).sum()) == 12
    fails(lambda: hybridize.load(str(tmp_path / "nosuch")), LoadError, "nosuch")


def test_imports_name_what_does_not_fit(tmp_path, net):
    net.hybridize()
    net(X)
    symbol, parameters = net.export(str(tmp_path / "net"))
    fails(lambda: SymbolBlock.imports(str(symbol), ["x"], str(parameters)), LoadError, "data")
    block = SymbolBlock.imports(str(symbol), ["data"], str(parameters))
    fails(lambda: block(np.ones((2, 5))), ValueError, "5", "3")
    fails(lambda: block(X, X), ArgumentError, "data")
    numpy.testing.assert_allclose(block(X).asnumpy(), net(X).asnumpy(), rtol=1e-5, atol=1e-6)
