"""ONNX's branches, loops, scans and sequences give ONNX Runtime's numbers, for any batch by one general program."""

import numpy
import pytest

from hybridize import autograd, np
from hybridize.errors import CaptureError, LoadError, ShapeError
from tests.formats.onnx.oracles import agree, block_of, graph_of, info, listed, model_of, node, reference, sequence
from tests.refusals import refusal

LONG = pytest.mark.long
RANDOM = numpy.random.RandomState(0)
TRUE = {"true": numpy.array(True)}


def floats(*shape):
    return RANDOM.uniform(-1, 1, shape).astype("f4")


def number(x):
    return numpy.array(x, "i8")


def halving(end, **weights):
    """A body that adds half of the running sum to an input of the model, until `end` is false."""
    nodes = [node("Mul", "v half", "h"), node("Add", "h x", "w"), *end, node("ReduceSum", "w", "s", keepdims=0)]
    inputs = [info("i", "i8", []), info("c", "?", []), info("v")]
    return graph_of(nodes, inputs, [info("on", "?", []), info("w"), info("s", "f4", [])],
                    {"half": numpy.float32(0.5), **weights})  # fmt: skip


def looped(body, count=None, outputs="y sums", condition=False, **weights):
    """A model that runs a body from zeros of the shape of x."""
    nodes = [
        node("Sub", "x x", "zero"),
        node("Loop", ["count" if count is not None else "", "true" if condition else "", "zero"], outputs, body=body),
    ]
    known = {} if count is None else {"count": number(count)}
    outputs = [info(name) for name in outputs.split()]
    return model_of(nodes, [info("x", "f4", ["n", 3])], outputs, {**known, **TRUE, **weights})


def test_rounds_of_a_known_number_are_a_scan():
    """Its gradient is that of the rounds: y = x (2 - 1 / 2^4)."""
    block = agree(looped(halving([node("Identity", "c", "on")]), 5), *({"x": floats(n, 3)} for n in (2, 4, 3)))
    x = np.array(floats(2, 3))
    x.attach_grad()
    with autograd.record():
        y, _ = block(x)
    y.backward()
    numpy.testing.assert_allclose(x.grad.asnumpy(), 2 - 1 / 16, rtol=1e-6)


@pytest.mark.parametrize("count", [0, 1])
def test_few_rounds(count):
    agree(looped(halving([node("Identity", "true", "on")]), count), {"x": floats(2, 3)})


def test_a_body_that_ends_after_its_first_round():
    body = halving([node("Not", "true", "on")])
    agree(looped(body, 7), *({"x": floats(n, 3)} for n in (2, 5, 3)))


@pytest.mark.parametrize("count", [None, 3, pytest.param(100, marks=LONG)])
def test_data_end_a_loop(count):
    body = graph_of(
        [node("Add", "v v", "w"), node("ReduceMax", "w", "m", keepdims=0), node("Less", "m limit", "on")],
        [info("i", "i8", []), info("c", "?", []), info("v")], [info("on", "?", []), info("w")],
        {"limit": numpy.float32(10)},
    )  # fmt: skip
    nodes = [node("Loop", ["" if count is None else "count", "true", "x"], body=body)]
    weights = TRUE if count is None else {"count": number(count), **TRUE}
    model = model_of(nodes, [info("x", "f4", ["n", 3])], [info("y")], weights)
    agree(model, {"x": abs(floats(2, 3))}, {"x": abs(floats(4, 3))}, {"x": 100 + abs(floats(3, 3))})


def test_data_say_how_many_rounds_there_are():
    body = graph_of([node("Cast", "i", "k", to=1), node("Add", "v k", "w"), node("Identity", "c", "on")],
                    [info("i", "i8", []), info("c", "?", []), info("v")], [info("on", "?", []), info("w")])  # fmt: skip
    model = model_of([node("Loop", "m - x", body=body)], [info("m", "i8", []), info("x", "f4", ["n", 3])], [info("y")])
    x = floats(2, 3)
    agree(model, *({"m": number(m), "x": x} for m in (4, 0, 9)), programs=1)


def test_an_array_with_an_element_for_each_round_is_for_their_number():
    """Where data end the rounds, a program is for so many; calls that end later have another one."""
    body = halving([node("ReduceMax", "w", "m", keepdims=0), node("Less", "m one", "on")], one=numpy.float32(1))
    x = numpy.full((2, 3), 0.9, "f4")
    agree(looped(body, 5), {"x": x}, {"x": x * 0.6}, {"x": x * 0.1}, {"x": x}, programs=3)


def test_data_say_how_many_elements_an_array_has():
    body = graph_of([node("Identity", "c", "on"), node("Add", "v v", "w"), node("Identity", "w", "e")],
                    [info("i", "i8", []), info("c", "?", []), info("v")], [info("on", "?", []), info("w"), info("e")])  # fmt: skip
    model = model_of([node("Loop", "m - x", "last y", body=body)], [info("m", "i8", []), info("x", "f4", ["n", 3])],
                     [info("y")])  # fmt: skip
    x = floats(2, 3)
    agree(model, *({"m": number(m), "x": x} for m in (2, 4, 2)), programs=2)


def test_long_loops_are_not_written_out(monkeypatch):
    monkeypatch.setattr("hybridize.formats.onnx.control.LONGEST", 4)
    body = graph_of([node("Concat", "v v", "w", axis=0), node("Identity", "c", "on")],
                    [info("i", "i8", []), info("c", "?", []), info("v")], [info("on", "?", []), info("w")])  # fmt: skip
    model = model_of([node("Loop", "m - x", body=body)], [info("m", "i8", []), info("x", "f4", ["n", 3])], [info("y")])
    block = block_of(model)
    for compiled in (False, True):
        block.hybridize(compiled)
        with pytest.raises(CaptureError, match="there are more than 4 rounds, which are not one graph") as error:
            block(numpy.array(5), floats(2, 3))
        assert error.value.code == "E463"


def test_rounds_that_change_types_are_written_out():
    """An array that grows, and a sequence."""
    body = graph_of(
        [node("Concat", "v x", "w", axis=0), node("SequenceInsert", "s v", "t"), node("Identity", "c", "on")],
        [info("i", "i8", []), info("c", "?", []), info("v"), sequence("s")],
        [info("on", "?", []), info("w"), sequence("t")],
    )  # fmt: skip
    nodes = [node("SequenceEmpty", "", "none"), node("Loop", "count - x none", "y all", body=body),
             node("ConcatFromSequence", "all", "joined", axis=0), node("SequenceLength", "all", "size")]  # fmt: skip
    model = model_of(nodes, [info("x", "f4", ["n", 3])], [info("y"), info("joined"), info("size", "i8", [])],
                     {"count": number(3)})  # fmt: skip
    agree(model, *({"x": floats(n, 3)} for n in (2, 4, 3)))


def test_what_stays_known_in_a_loop_says_shapes():
    """The shape that the body reads goes around with the state; the number of the round does not stay known."""
    body = graph_of(
        [node("Reshape", "x s", "r"), node("Add", "v r", "w"), node("Identity", "s", "t"), node("Identity", "c", "on"),
         node("Add", "k one", "l")],
        [info("i", "i8", []), info("c", "?", []), info("v"), info("s", "i8"), info("k", "i8", [])],
        [info("on", "?", []), info("w"), info("t", "i8"), info("l", "i8", [])], {"one": number(1)},
    )  # fmt: skip
    nodes = [node("Shape", "x", "size"), node("Sub", "x x", "zero"),
             node("Loop", "count - zero size k", "y s last", body=body)]  # fmt: skip
    model = model_of(nodes, [info("x", "f4", ["n", 3])], [info("y"), info("s", "i8"), info("last", "i8", [])],
                     {"count": number(4), "k": number(5)})  # fmt: skip
    agree(model, *({"x": floats(n, 3)} for n in (2, 4, 3)))


@pytest.mark.parametrize("op", ["Less", pytest.param("Greater", marks=LONG)])
def test_loops_that_count_to_a_size_are_scans(op):
    """As TensorFlow's are written: the condition compares a number of the state, and says nothing of the first round."""
    pair = "nf kf" if op == "Less" else "kf nf"
    body = graph_of(
        [node("Add", "t one", "u"), node("Gather", "x t", "row"), node("Add", "v row", "w"),
         node("Cast", "u", "nf", to=1), node("Cast", "k", "kf", to=1), node(op, pair, "small"),
         node("Less", "count many", "few"), node("Add", "count one", "count2"), node("And", "few small", "on"),
         node("Identity", "k", "k2"), node("Identity", "w", "y1")],
        [info("i", "i8", []), info("c", "?", []), info("t", "i8", []), info("v"), info("k", "i8", []),
         info("count", "i8", [])],
        [info("on", "?", []), info("u", "i8", []), info("w"), info("k2", "i8", []), info("count2", "i8", []),
         info("y1")],
        {"one": number(1), "many": number(1 << 40)},
    )  # fmt: skip
    body.node[6].input[0] = "count2"
    body.node.insert(6, body.node.pop(7))
    nodes = [node("Shape", "x", "s", start=0, end=1), node("Squeeze", "s", "size"), node("Cast", "size", "sf", to=1),
             node("Less", "none0 sf", "any"), node("Sub", "x x", "none"), node("ReduceSum", "none axis", "zero", keepdims=0),
             node("Loop", "- any nought zero size nought", "t last k count ys", body=body)]  # fmt: skip
    model = model_of(nodes, [info("x", "f4", ["n", 3])], [info("last"), info("ys"), info("t", "i8", [])],
                     {"none0": numpy.float32(0), "nought": number(0), "axis": numpy.array([0], "i8")})  # fmt: skip
    agree(model, *({"x": floats(n, 3)} for n in (4, 7, 2, 5)))


def test_loops_in_loops():
    inner = graph_of([node("Add", "b a", "bb"), node("Identity", "cc", "more")],
                     [info("j", "i8", []), info("cc", "?", []), info("b")], [info("more", "?", []), info("bb")])  # fmt: skip
    outer = graph_of([node("Mul", "v x", "a"), node("Loop", "two - v", "w", body=inner), node("Identity", "c", "on")],
                     [info("i", "i8", []), info("c", "?", []), info("v")], [info("on", "?", []), info("w")])  # fmt: skip
    model = model_of(
        [node("Loop", "two - x", body=outer)], [info("x", "f4", ["n", 3])], [info("y")], {"two": number(2)}
    )
    agree(model, *({"x": floats(n, 3)} for n in (2, 4, 3)))


# ---------------------------------------------------------------------------------------------------------------- scans


@pytest.mark.parametrize(("ways", "axes"), [
    ((0, 0), (1, -1)), ((1, 1), (0, 0)), ((1, 0), (1, -1)), pytest.param((0, 1), (1, -1), marks=LONG),
    pytest.param((1, 1), (1, -1), marks=LONG), pytest.param((0, 0), (0, 0), marks=LONG),
])  # fmt: skip
def test_scans_go_along_any_axis_either_way(ways, axes):
    body = graph_of([node("Mul", "s half", "t"), node("Add", "t x", "u"), node("Mul", "u w", "y")],
                    [info("s"), info("x")], [info("u"), info("y")], {"half": numpy.float32(0.5)})  # fmt: skip
    attributes = {"scan_input_directions": [ways[0]], "scan_output_directions": [ways[1]],
                  "scan_input_axes": [axes[0]], "scan_output_axes": [axes[1]]}  # fmt: skip
    nodes = [node("Scan", "start x", "last y", body=body, num_scan_inputs=1, **attributes)]
    shape = ["n", 5, 3] if axes[0] else [5, "n", 3]
    model = model_of(nodes, [info("start", "f4", ["n", 3]), info("x", "f4", shape)], [info("last"), info("y")],
                     {"w": numpy.array([1, 2, 3], "f4")})  # fmt: skip
    feeds = [{"start": floats(n, 3), "x": floats(*(n if size == "n" else size for size in shape))} for n in (2, 4, 3)]
    agree(model, *feeds)


def test_scans_of_operator_set_8_have_a_batch():
    body = graph_of(
        [node("Add", "s x", "u"), node("Identity", "u", "y")], [info("s"), info("x")], [info("u"), info("y")]
    )
    nodes = [node("Scan", "- start x", "last y", body=body, num_scan_inputs=1, directions=[1])]
    model = model_of(nodes, [info("start", "f4", ["n", 3]), info("x", "f4", ["n", 5, 3])], [info("last"), info("y")],
                     opset=8)  # fmt: skip
    agree(model, *({"start": floats(n, 3), "x": floats(n, 5, 3)} for n in (2, 4, 3)))


# ------------------------------------------------------------------------------------------------------------- branches


def test_data_choose_a_branch():
    """Both read values from outside, and one of them a sequence."""
    then = graph_of(
        [node("SequenceAt", "both zero", "a"), node("Mul", "a x", "y1")], [], [info("y1")], {"zero": number(0)}
    )
    orelse = graph_of([node("Sub", "x w", "y2")], [], [info("y2")])
    nodes = [node("Add", "x w", "s"), node("SequenceConstruct", "s x", "both"),
             node("If", "c", "y", then_branch=then, else_branch=orelse)]  # fmt: skip
    model = model_of(nodes, [info("c", "?", []), info("x", "f4", ["n", 3])], [info("y")], {"w": floats(3)})
    x, more = floats(2, 3), floats(4, 3)
    agree(
        model, *({"c": numpy.array(c), "x": one} for one in (x, more, floats(3, 3)) for c in (True, False)), programs=2
    )


def test_a_program_is_for_one_of_two_branches_of_other_shapes():
    """As in decoders that are one model with and without keys of steps before."""
    then = graph_of([node("Concat", "x x", "y1", axis=0)], [], [info("y1")])
    orelse = graph_of([node("Identity", "x", "y2")], [], [info("y2")])
    nodes = [node("If", "c", "y", then_branch=then, else_branch=orelse)]
    model = model_of(nodes, [info("c", "?", []), info("x", "f4", ["n", 3])], [info("y")])
    agree(model, *({"c": numpy.array(c), "x": floats(2, 3)} for c in (True, False, True)), programs=2)


def test_a_branch_for_other_sizes_fails_where_it_is_taken():
    """As in Silero's voice detector, which has one net for each of two sample rates."""
    branches = [graph_of([node("MatMul", f"x {name}", f"y{name}")], [], [info(f"y{name}")]) for name in ("w", "v")]
    nodes = [node("If", "c", "y", then_branch=branches[0], else_branch=branches[1])]
    model = model_of(nodes, [info("c", "?", []), info("x", "f4", ["n", "k"])], [info("y")],
                     {"w": floats(3, 4), "v": floats(5, 4)})  # fmt: skip
    block = agree(model, *({"c": numpy.array(k == 3), "x": floats(2, k)} for k in (3, 5)))
    for compiled in (False, True):
        block.hybridize(compiled)
        with pytest.raises(ShapeError, match="the condition is False, and that branch cannot take") as error:
            block(np.array(False, dtype=bool), np.ones((2, 3)))
        assert error.value.code == "E162"


# ------------------------------------------------------------------------------------------------------------ sequences


def test_sequences_of_a_known_number():
    double = graph_of(
        [node("Add", "e e", "d"), node("Shape", "e", "size")], [info("e")], [info("d"), info("size", "i8")]
    )
    nodes = [node("SplitToSequence", "x two", "parts", axis=1), node("SequenceErase", "parts minus", "fewer"),
             node("SequenceInsert", "fewer x minus", "more"), node("SequenceMap", "more", "doubled sizes", body=double),
             node("SequenceAt", "doubled minus", "y"), node("SequenceAt", "sizes zero", "s"),
             node("SplitToSequence", "x", "rows", axis=1, keepdims=0),
             node("ConcatFromSequence", "rows", "turned", axis=-1, new_axis=1)]  # fmt: skip
    model = model_of(nodes, [info("x", "f4", ["n", 5])], [info("y"), info("s", "i8"), info("turned")],
                     {"two": number(2), "minus": number(-1), "zero": number(0)})  # fmt: skip
    agree(model, *({"x": floats(n, 5)} for n in (2, 4, 3)), oracle=reference)


def test_values_that_may_be_missing_are_there_or_not():
    nodes = [node("Optional", "x", "o"), node("OptionalHasElement", "o", "has"), node("OptionalGetElement", "o", "y")]
    model = model_of(nodes, [info("x", "f4", ["n"])], [info("has", "?", []), info("y")], opset=18)
    x = floats(3)
    has, y = listed(block_of(model)(x))
    assert has and (y == x).all()
    model = model_of(nodes[1:], [info("o", "f4", ["n"])], [info("has", "?", []), info("y")], opset=18)
    del model.graph.input[:], model.graph.output[1:], model.graph.node[1:]
    model.graph.node[0].input[0] = ""
    assert not listed(block_of(model)())[0]


@pytest.mark.parametrize("sizes", [[2, 2], -1, 0])
def test_parts_that_do_not_make_an_axis_are_refused(sizes):
    nodes = [node("SplitToSequence", "x sizes", "parts", axis=1), node("SequenceAt", "parts zero", "y")]
    weights = {"sizes": numpy.array(sizes, "i8"), "zero": number(0)}
    model = model_of(nodes, [info("x", "f4", ["n", 5])], [info("y")], weights)
    with refusal(LoadError, "do not make an axis of 5"):
        block_of(model)(floats(2, 5))


@pytest.mark.parametrize("sizes", [[3], ["k"]])
def test_rounds_over_rows_of_which_there_are_none(sizes):
    """The body reads the row of its number, which an array without rows has none of."""
    nodes = [node("Gather", "x i", "row", axis=0), node("Add", "v row", "w"), node("Mul", "w w", "s")]
    body = graph_of([*nodes, node("Identity", "c", "on")], [info("i", "i8", []), info("c", "?", []), info("v")],
                    [info("on", "?", []), info("w"), info("s", "f4", sizes)])  # fmt: skip
    nodes = [node("Shape", "x", "shape"), node("Gather", "shape zero", "count"),
             node("Loop", ["count", "", "first"], "y rows", body=body)]  # fmt: skip
    model = model_of(nodes, [info("x", "f4", ["n", 3]), info("first", "f4", [3])], [info("y"), info("rows")],
                     {"zero": number(0)})  # fmt: skip
    agree(model, *({"x": floats(n, 3), "first": floats(3)} for n in (2, 4, 0)), programs=3)


def test_nodes_stand_in_any_order():
    """ONNX Runtime sorts them; a branch reads what a later node computes."""
    then, orelse = (graph_of([node(op, "late", name)], [], [info(name)]) for op, name in (("Relu", "a"), ("Neg", "b")))
    nodes = [node("If", "sure", "y", then_branch=then, else_branch=orelse), node("Greater", "sum zero", "sure"),
             node("ReduceSum", "late", "sum", keepdims=0), node("Mul", "x x", "square"), node("Sub", "square x", "late")]  # fmt: skip
    model = model_of(nodes, [info("x", "f4", ["n"])], [info("y")], {"zero": numpy.float32(0)})
    agree(model, *({"x": floats(n)} for n in (2, 4, 3)))
