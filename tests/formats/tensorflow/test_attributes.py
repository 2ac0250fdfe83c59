"""Attributes of TensorFlow's nodes: each is read by the row of its operator, or a rule says why it has no effect."""

import numpy
import pytest

from hybridize.errors import LoadError
from tests.formats.tensorflow.test_graphdef import FLOAT, INT, const, loaded, node
from tests.refusals import refusal

X = numpy.array([1.5, -2.5, 3.0], "f4")
KIND = {"type": FLOAT}


def test_types_and_notes_have_no_effect(tmp_path):
    notes = {"_output_shapes": {"list": {}}, "_XlaMustCompile": {"b": True}, "_class": {"list": {"s": [b"loc:@x"]}}}
    nodes = [node("AddN", "t", "x", "x", T=KIND, N={"i": 2}, **notes), node("Neg", "y", "t:sum:0", T=KIND)]
    assert (loaded(tmp_path, nodes, "y:y:0")(X) == -2 * X).all()


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (node("Neg", "y", "x", T=KIND, slope={"f": 0.5}), "operator Neg.* has the attribute slope,"),
        (node("LeakyRelu", "y", "x", T=KIND, alpha={"f": 0.5}, odd={"b": False}), "has the attribute odd,"),
        (node("Shape", "y", "x", T=KIND, index_type={"type": INT}), "has the attribute index_type,"),
        (node("Cast", "y", "x", SrcT=KIND, DstT={"type": 19}, Truncate={"b": True}), "casts that cut bits off"),
        (node("Square", "y", "x", T=KIND, one={"i": 1}, two={"i": 2}), "has the attributes one, two,"),
    ],
)
def test_others_are_refused(tmp_path, one, words):
    with refusal(LoadError, f"E603.*{words}"):
        loaded(tmp_path, [one], "y:y:0")(X)


def test_points_that_are_left_out_are_refused(tmp_path):
    points = const("p", [[0], [2]])

    def gathered(policy):
        return [points, node("GatherNd", "y", "x", "p:output:0", Tparams=KIND, Tindices={"type": INT},
                             bad_indices_policy={"s": policy})]  # fmt: skip

    assert (loaded(tmp_path / "error", gathered(b"ERROR"), "y:output:0")(X) == X[[0, 2]]).all()
    with refusal(LoadError, "E603.*bad_indices_policy is 'IGNORE'"):
        loaded(tmp_path / "ignore", gathered(b"IGNORE"), "y:output:0")(X)


def test_products_of_bytes_may_be_wider(tmp_path):
    byte = {"type": 6}
    nodes = [node("Cast", "b", "x", SrcT=KIND, DstT=byte),
             node("BatchMatMulV3", "y", "b:y:0", "b:y:0", Ta=byte, Tb=byte, Tout={"type": INT})]  # fmt: skip
    y = loaded(tmp_path, nodes, "y:output:0", output=INT)(numpy.full((2, 2), 100, "f4"))
    assert y.dtype == "int32" and y.asnumpy().tolist() == [[20000] * 2] * 2
