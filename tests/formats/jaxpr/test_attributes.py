"""Parameters of JAX's primitives: each is read by the row of its primitive, or a table says why it has no effect."""

import numpy
import pytest

from hybridize import np
from hybridize.base.dtypes import float32, int32
from hybridize.errors import LoadError
from hybridize.formats.foreign.program import ForeignGraph, ForeignProgram, Node, Port
from hybridize.formats.jaxpr.rows import JAXPR
from hybridize.gluon.imported_block import ImportedBlock
from tests.refusals import refusal

X = numpy.array([[3.0, 1, 2, 5], [4, 8, 7, 6]], "f4")


def run(op, outputs=("y",), **parameters):
    ports = [Port(name, int32 if name == "i" else float32) for name in outputs]
    graph = ForeignGraph((Port("x", float32),), (Node(op, ("x",), tuple(outputs), parameters, op),), tuple(ports))
    y = ImportedBlock(ForeignProgram("f", JAXPR, graph))(np.array(X))
    return [one.asnumpy() for one in (y if isinstance(y, tuple) else (y,))]


def test_what_has_no_effect_is_passed_over():
    assert (run("exp", accuracy="a Tolerance")[0] == run("exp")[0]).all()
    assert (run("neg", consts=(), sharding="a NamedSharding")[0] == -X).all()


@pytest.mark.parametrize(
    ("op", "parameters", "words"),
    [
        ("neg", {"slope": 2.0}, "operator neg, node 'neg' has the attribute slope,"),
        ("mul", {"out_dtype": "float64"}, "operator mul"),
        ("cumsum", {"axis": 0, "reverse": False, "exclusive": True}, "has the attribute exclusive,"),
        ("approx_top_k", {"k": 2, "aggregate_to_topk": False}, "more elements than were asked for"),
    ],
)
def test_others_are_refused(op, parameters, words):
    with refusal(LoadError, f"E603.*{words}"):
        run(op, ("y", "i") if op == "approx_top_k" else ("y",), **parameters)


@pytest.mark.parametrize("is_max_k", [True, False])
@pytest.mark.parametrize("axis", [0, 1])
def test_the_nearly_largest_are_the_largest_along_their_axis(is_max_k, axis):
    more = {"recall_target": 0.95, "reduction_input_size_override": -1, "aggregate_to_topk": True}
    values, places = run("approx_top_k", ("y", "i"), k=2, reduction_dimension=axis, is_max_k=is_max_k, **more)
    order = numpy.argsort(-X if is_max_k else X, axis, kind="stable").take([0, 1], axis)
    numpy.testing.assert_array_equal(places, order)
    numpy.testing.assert_array_equal(values, numpy.take_along_axis(X, order, axis))
