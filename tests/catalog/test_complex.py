"""Complex numbers and every op: it refuses them, or its values are NumPy's in programs too, and its gradient is right.

Samples of floats are made complex, so an op that is new is tested the day it is written.
"""

import dataclasses
import re

import numpy
import pytest

from hybridize.base.dtypes import is_complex, is_inexact
from hybridize.base.errors import DTypeError, StateError
from hybridize.base.types import TensorType
from hybridize.compiler import compile as compiled
from hybridize.graph import parse
from hybridize.ops import OPS, Cast, Effect, interpreting, make_graph, pullback
from hybridize.ops.op import OfComplex, ReferenceInterpreter, bind, eagerly
from tests.catalog.samples import samples
from tests.folding import folded

OF_REAL = {"custom_gradient", "from_parts", "real_fourier", "python_call", "composite"}
"""Ops whose samples hold graphs of real numbers, or that make complex numbers of real ones."""


def typed(x) -> TensorType:
    return TensorType(x.shape, x.dtype)


def turned(x, seed: int):
    """Complex numbers whose real part is given, for floats."""
    if x.dtype not in ("f4", "f8"):
        return x
    parts = numpy.random.default_rng(seed).uniform(-0.5, 0.5, x.shape)
    return numpy.asarray(x + 1j * parts, "c16" if x.dtype == "f8" else "c8")


def of(op, code: str):
    """The op with numbers of a code in the graphs inside, which are of f32 or of nothing."""
    constant = re.compile(r"(f32\[\] = constant)\((\S*)\)")
    texts = {name: constant.sub(r"\1([\2, 0.0])", str(graph)) for name, graph in op.graphs.items()}
    graphs = {name: parse(text.replace("f32", code), OPS) for name, text in texts.items()}
    return dataclasses.replace(op, **graphs) if graphs else op


def cases(*kinds: OfComplex):
    for word, cls in OPS.items():
        if word in OF_REAL or cls.effect is Effect.WORLD or cls.of_complex not in kinds:
            continue
        for number, sample in enumerate(samples(cls)):
            floats = [x for x in sample.inputs if x.dtype in ("f4", "f8")]
            of_floats = getattr(sample.op, "result", None) is not None  # the dtype of the result is said: one of floats
            if sample.fails is None and floats and not of_floats and all(numpy.isfinite(x).all() for x in floats):
                yield pytest.param(
                    sample.op, [turned(x, k) for k, x in enumerate(sample.inputs)], id=f"{word}.{number}"
                )


@folded("op, inputs", list(cases(OfComplex.REFUSED)))
def test_what_is_of_real_numbers_refuses_complex_ones(op, inputs):
    with pytest.raises(DTypeError, match=r"E242: .* takes real numbers, got"):
        op.infer(*map(typed, inputs))
    with pytest.raises(DTypeError, match="E242"):
        eagerly(op, inputs)


TAKING = list(cases(OfComplex.HOLOMORPHIC, OfComplex.RULED, OfComplex.VALUED))


@folded("op, inputs", TAKING)
def test_values_are_the_reference_imperatively_and_in_programs(op, inputs):
    op = of(op, "c64")
    graph = make_graph(lambda *xs: list(bind(op, *xs)), list(map(typed, inputs)))
    with numpy.errstate(all="ignore"):
        wanted = op.reference(*inputs)
        assert tuple(map(typed, wanted)) == op.infer(*map(typed, inputs))
        for found in (op.eager(*inputs), compiled(graph).run(list(inputs))):
            for x, y in zip(found, wanted, strict=True):
                numpy.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)


def is_smooth(op) -> bool:
    rounds = isinstance(op, Cast) and op.dtype not in ("f8", "c16")
    return not rounds and op.word not in ("while", "stop_gradient", "round")


@folded("op, inputs", [case for case in TAKING if is_smooth(case.values[0])])
def test_gradients_are_central_differences_or_refused(op, inputs):
    op, inputs = of(op, "c128"), [x.astype("c16") if is_complex(x.dtype) else x for x in inputs]
    draw = numpy.random.default_rng(0)
    graph = make_graph(lambda *xs: list(bind(op, *xs)), list(map(typed, inputs)))
    weights = [_like(y, draw) if is_inexact(y.dtype) else None for y in op.reference(*inputs)]
    with interpreting(ReferenceInterpreter()):
        if op.of_complex is OfComplex.VALUED and any(weight is not None for weight in weights):
            with pytest.raises(StateError, match="E548"):
                pullback(graph, inputs, weights)
            return
        found = pullback(graph, inputs, weights)

    def total() -> float:
        pairs = zip(weights, op.reference(*inputs), strict=True)
        return float(sum((numpy.conj(w) * y).sum().real for w, y in pairs if w is not None))

    def slope(x, place, direction: complex) -> float:
        centre, step = x[place], 1e-6 * direction
        x[place] = centre + step
        above = total()
        x[place] = centre - step
        below = total()
        x[place] = centre
        return (above - below) / 2e-6

    for x, gradient in zip(inputs, found, strict=True):
        if is_complex(x.dtype):
            gradient = numpy.zeros_like(x) if gradient is None else gradient
            assert typed(gradient) == typed(x)
            for place in list(numpy.ndindex(x.shape))[:6]:
                wanted = slope(x, place, 1) + 1j * slope(x, place, 1j)
                assert gradient[place] == pytest.approx(wanted, rel=1e-5, abs=1e-6), place


def _like(y, draw):
    real, imag = (draw.uniform(0.5, 1.5, y.shape) for _ in range(2))
    return (real + 1j * imag if is_complex(y.dtype) else real).astype(y.dtype)
