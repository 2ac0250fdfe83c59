"""Each pass: the text after it, and the value before and after."""

import functools
import math
import sys

import numpy
import pytest

from hybridize import ops
from hybridize.base.locations import SourceLoc
from hybridize.base.types import TensorType
from hybridize.graph import Graph, parse
from hybridize.ops import OPS, composites, evaluate, make_graph
from hybridize.passes import (
    PIPELINE,
    ComputeParts,
    EliminateCommon,
    EliminateDead,
    FoldConstants,
    Inline,
    MasksOfResults,
    Pipeline,
    Simplify,
    simplify,
)

SPECIAL = numpy.array([0.0, -0.0, 1.5, -2.0, math.inf, -math.inf, math.nan, 1e-40], "f4")


def read(text: str) -> Graph:
    return parse(text, OPS)


def after(graph: Graph, *passes) -> str:
    """The body of the graph after the passes, without indentation."""
    result = Pipeline(*passes).run(graph) if passes else PIPELINE.run(graph)
    return "\n".join(line.strip() for line in str(result).splitlines()[1:-1])


def same_bits(graph: Graph, changed: Graph, *inputs):
    for x, y in zip(evaluate(graph, inputs), evaluate(changed, inputs), strict=True):
        assert x.dtype == y.dtype
        numpy.testing.assert_array_equal(x, y)
        if x.dtype.kind == "f":
            numpy.testing.assert_array_equal(numpy.signbit(x), numpy.signbit(y))


def number(value: float) -> str:
    return f"""graph(%0: f32[8]) {{
      %1: f32[] = constant({value})
      %2: f32[8] = broadcast(%1, shape=(8,))
      %3: f32[8] = OP
      return %3
    }}"""


@pytest.mark.parametrize(
    ("value", "op"),
    [
        (1.0, "mul(%0, %2)"),
        (1.0, "mul(%2, %0)"),
        (-0.0, "add(%0, %2)"),
        (-0.0, "add(%2, %0)"),
        (0.0, "sub(%0, %2)"),
        (1.0, "pow(%0, %2)"),
    ],
)
def test_identities(value, op):
    graph = read(number(value).replace("OP", op))
    assert after(graph, Simplify()).endswith("return %0")
    same_bits(graph, PIPELINE.run(graph), SPECIAL)


@pytest.mark.parametrize(
    ("value", "op"),
    [
        (0.0, "add(%0, %2)"),
        (0.0, "mul(%0, %2)"),
        (-0.0, "sub(%0, %2)"),
        (0.0, "sub(%2, %0)"),
        (-1.0, "mul(%0, %2)"),
        (3.0, "div(%0, %2)"),
        (0.0, "div(%0, %2)"),
        (0.0, "pow(%0, %2)"),
        (1.0, "div(%2, %0)"),
    ],
)
def test_what_is_no_identity(value, op):
    """0 x is not 0 where x is infinite, and x + 0.0 is not x where x is -0.0."""
    graph = read(number(value).replace("OP", op))
    assert PIPELINE.run(graph).op_names()[-1] == op.split("(")[0]
    same_bits(graph, PIPELINE.run(graph), SPECIAL)


def test_division_by_a_power_of_two_is_a_product():
    graph = read(number(4.0).replace("OP", "div(%0, %2)"))
    assert PIPELINE.run(graph).op_names()[-1] == "mul"
    same_bits(graph, PIPELINE.run(graph), SPECIAL)


def test_sum_of_sums_of_constants_is_one_constant():
    def body():
        one, two, three, four = (ops.scalar(k, numpy.dtype("f4")) for k in (1, 2, 3, 4))
        return [ops.add(ops.add(one, two), ops.add(three, four))]

    graph = PIPELINE.run(make_graph(body, ()))
    assert graph.op_names() == []
    assert [array.item() for array in graph.constants.values()] == [10.0]


def test_filled_arrays_are_computed_as_numbers():
    kind = TensorType((512, 1024), numpy.dtype("f4"))
    graph = make_graph(lambda x: [ops.mul(x, ops.exp(ops.add(ops.full(1, kind), ops.full(2, kind))))], (kind,))
    optimised = PIPELINE.run(graph)
    assert optimised.op_names() == ["broadcast", "mul"]
    assert sum(array.nbytes for array in optimised.constants.values()) == 4


def test_large_results_stay_computed():
    kind = TensorType((600, 1), numpy.dtype("f4"))
    graph = make_graph(
        lambda: [ops.matmul(ops.constant(numpy.ones(kind.shape, "f4")), ops.constant(numpy.ones((1, 600), "f4")))], ()
    )
    assert PIPELINE.run(graph).op_names() == ["matmul"]
    assert FoldConstants(limit_bytes=1 << 22)(graph).op_names() == []


def test_world_ops_are_neither_folded_nor_dropped_nor_merged():
    graph = read(
        """graph() {
      %0: f32[] = constant(1.0)
      print(%0, format="{}")
      print(%0, format="{}")
      return
    }"""
    )
    assert PIPELINE.run(graph).op_names() == ["print", "print"]


def test_a_branch_with_an_effect_is_kept():
    kind = TensorType((2,), numpy.dtype("f4"))

    def loud(x):
        ops.bind(ops.Print("{}"), x)
        return [x]

    op = ops.Cond(make_graph(loud, (kind,)), make_graph(lambda x: [x], (kind,)))
    graph = make_graph(lambda p, x: [ops.bind(op, p, x)[0], x][1:], (TensorType((), numpy.dtype("?")), kind))
    assert PIPELINE.run(graph).op_names() == ["cond"]


def test_of_a_known_condition_the_branch_taken_stays():
    kind = TensorType((2,), numpy.dtype("f4"))
    op = ops.Cond(make_graph(lambda x: [ops.sin(x)], (kind,)), make_graph(lambda x: [ops.cos(x)], (kind,)))
    for truth, name in ((True, "sin"), (False, "cos")):
        graph = make_graph(lambda x, truth=truth: [ops.bind(op, ops.constant(numpy.array(truth)), x)[0]], (kind,))
        assert PIPELINE.run(graph).op_names() == [name]


def test_a_branch_that_gives_a_constant_array_is_folded_further():
    kind, table = TensorType((3,), numpy.dtype("f4")), numpy.array([1, 2, 3], "f4")
    op = ops.Cond(make_graph(lambda x: [ops.constant(table)], (kind,)), make_graph(lambda x: [x], (kind,)))
    graph = make_graph(lambda x: [ops.add(x, ops.neg(ops.bind(op, ops.constant(numpy.asarray(True)), x)[0]))], (kind,))
    assert FoldConstants(1 << 20)(graph).op_names() == ["add"]


def test_endless_loops_are_not_run_by_the_compiler():
    count = TensorType((), numpy.dtype("i8"))
    forever = make_graph(lambda n: [ops.ge(n, ops.like(0, n))], (count,))
    op = ops.While(forever, make_graph(lambda n: [n], (count,)))
    graph = make_graph(lambda: [ops.bind(op, ops.scalar(1, count.dtype))[0]], ())
    assert PIPELINE.run(graph).op_names() == ["while"]


def test_unused_constants_and_nodes_go():
    graph = read("""graph(%0: f32[2]) {
      %1: f32[2] = constant([1.0, 2.0])
      %2: f32[2] = constant([3.0, 4.0])
      %3: f32[2] = add(%0, %1)
      %4: f32[2] = mul(%3, %2)
      %5: f32[2] = sub(%3, %1)
      return %5
    }""")
    assert after(graph, EliminateDead()) == (
        "%1: f32[2] = constant([1.0, 2.0])\n%2: f32[2] = add(%0, %1)\n%3: f32[2] = sub(%2, %1)\nreturn %3"
    )


def test_equal_things_are_computed_once():
    graph = read("""graph(%0: f32[2]) {
      %1: f32[2] = constant([1.0, -0.0])
      %2: f32[2] = constant([1.0, -0.0])
      %3: f32[2] = constant([1.0, 0.0])
      %4: f32[2] = add(%0, %1)
      %5: f32[2] = add(%0, %2)
      %6: f32[2] = add(%0, %3)
      %7: f32[2] = mul(%4, %5)
      %8: f32[2] = mul(%7, %6)
      return %8
    }""")
    assert after(graph, EliminateCommon()) == (
        "%1: f32[2] = constant([1.0, -0.0])\n"
        "%2: f32[2] = constant([1.0, 0.0])\n"
        "%3: f32[2] = add(%0, %1)\n"
        "%4: f32[2] = add(%0, %2)\n"
        "%5: f32[2] = mul(%3, %3)\n"
        "%6: f32[2] = mul(%5, %4)\n"
        "return %6"
    )
    same_bits(graph, EliminateCommon()(graph), SPECIAL[1:3])


@pytest.mark.parametrize(
    ("body", "rest"),
    [
        ("%1: f32[6] = reshape(%0, shape=(6,))\n%2: f32[2,3] = reshape(%1, shape=(2, 3))", []),
        ("%1: f32[6] = reshape(%0, shape=(6,))\n%2: f32[3,2] = reshape(%1, shape=(3, 2))", ["reshape"]),
        ("%1: f32[3,2] = transpose(%0, axes=(1, 0))\n%2: f32[2,3] = transpose(%1, axes=(1, 0))", []),
        ("%2: f32[2,3] = transpose(%0, axes=(0, 1))", []),
        ("%1: f64[2,3] = cast(%0, dtype=f64)\n%2: f32[2,3] = cast(%1, dtype=f32)", []),
        ("%1: f16[2,3] = cast(%0, dtype=f16)\n%2: f32[2,3] = cast(%1, dtype=f32)", ["cast", "cast"]),
        ("%1: i64[2,3] = cast(%0, dtype=i64)\n%2: f32[2,3] = cast(%1, dtype=f32)", ["cast", "cast"]),
        ("%2: f32[2,3] = broadcast(%0, shape=(2, 3))", []),
        (
            "%1: f32[4,2,3] = broadcast(%0, shape=(4, 2, 3))\n%2: f32[5,4,2,3] = broadcast(%1, shape=(5, 4, 2, 3))",
            ["broadcast"],
        ),
        ("%1: f32[2,3] = neg(%0)\n%2: f32[2,3] = neg(%1)", []),
        ("%2: f32[2,3] = slice(%0, starts=(0, 0), stops=(2, 3), steps=(1, 1))", []),
        ("%2: f32[2,3] = slice(%0, starts=(0, 2), stops=(2, -1), steps=(1, -1))", ["slice"]),
        ("%2: f32[2,3] = concat(%0, axis=1)", []),
        (
            "%1: f32[6,3] = concat(%0, %0, %0, axis=0)\n%2: f32[2,3] = slice(%1, starts=(2, 0), stops=(4, 3), steps=(1, 1))",
            [],
        ),
        (
            "%1: f32[4,3] = concat(%0, %0, axis=0)\n%2: f32[1,2] = slice(%1, starts=(3, 0), stops=(4, 3), steps=(1, 2))",
            ["slice"],
        ),
        (
            "%1: f32[4,3] = concat(%0, %0, axis=0)\n%2: f32[2,3] = slice(%1, starts=(1, 0), stops=(3, 3), steps=(1, 1))",
            ["concat", "slice"],
        ),
        (
            "%1: f32[4,3] = concat(%0, %0, axis=0)\n%2: f32[2,3] = slice(%1, starts=(1, 0), stops=(-1, 3), steps=(-1, 1))",
            ["concat", "slice"],
        ),
        ("%2: f32[2,3] = stop_gradient(%0)", []),
        ("%2: f32[2,3] = sum(%0, axes=())", []),
    ],
)
def test_shapes_and_dtypes(body, rest):
    result = body.rsplit("\n", 1)[-1].split(":")[0]
    graph = read(f"graph(%0: f32[2,3]) {{\n{body}\nreturn {result}\n}}")
    assert PIPELINE.run(graph).op_names() == rest
    same_bits(graph, PIPELINE.run(graph), SPECIAL[:6].reshape(2, 3))


def cut(x, axis, start, stop):
    shape = ops.type_of(x).shape
    starts, stops = [0] * len(shape), list(shape)
    starts[axis], stops[axis] = start, stop
    return tuple(starts), tuple(stops), (1,) * len(shape)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(
    ("ranges", "joined"),
    [
        ([(0, 2), (2, 8)], True),
        ([(5, 8), (0, 2), (2, 5)], True),
        ([(0, 2), (3, 8)], False),  # one is left out
        ([(0, 3), (2, 8)], False),  # one comes twice
        ([(0, 4), (4, 8), (0, 4)], True),  # the first two
        ([(0, 2), (2, 7)], False),
        ([(0, 8)], False),
    ],
)
def test_parts_of_zeros_that_are_added_are_joined(axis, ranges, joined):
    kind = TensorType((8, 8), numpy.dtype("f4"))

    def parts(x, y):
        zero = ops.full(0, kind)
        updates = [
            ops.update_slice(zero, ops.slice(one, *cut(x, axis, a, b)), *cut(x, axis, a, b))
            for one, (a, b) in zip((x, y, x), ranges, strict=False)
        ]
        total = updates[0]
        for update in updates[1:]:
            total = ops.add(total, update)
        return [total]

    graph = make_graph(parts, [kind, kind])
    changed = PIPELINE.run(graph)
    assert ("concat" in changed.op_names()) == joined
    rng = numpy.random.default_rng(0)
    with numpy.errstate(all="ignore"):
        same_bits(graph, changed, *(rng.choice(SPECIAL, (8, 8)).astype("f4") for _ in range(2)))


def updates_of_one_array(count, left):
    """A sum of `count` updates, each of a part of its own but for the first two: no additions of them can be joined."""
    kind = TensorType((count, 2), numpy.dtype("f4"))

    def total(x):
        zero = ops.full(0, kind)
        parts = [
            ops.update_slice(zero, ops.slice(x, *cut(x, 0, k, k + 1)), *cut(x, 0, k, k + 1))
            for k in (0, *range(count - 1))
        ]
        while len(parts) > 1:
            parts = [ops.add(parts[0], parts[1]), *parts[2:]] if left else [*parts[:-2], ops.add(*parts[-2:])]
        return [parts[0]]

    return make_graph(total, [kind])


def calls_of(function, *args):
    """Python functions that a call calls."""
    count = 0

    def called(frame, event, arg):
        nonlocal count
        count += event == "call"

    sys.setprofile(called)
    try:
        function(*args)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("left", [True, False])
def test_long_sums_of_parts_are_simplified_in_linear_time(left):
    calls = [calls_of(Simplify(), updates_of_one_array(count, left)) for count in (100, 400)]
    assert calls[1] < 4.5 * calls[0]


def test_a_part_that_is_doubled_over_and_over_is_simplified_in_linear_time():
    kind = TensorType((1 << 12, 2), numpy.dtype("f4"))

    def doubled(x):
        y = ops.update_slice(ops.full(0, kind), ops.slice(x, *cut(x, 0, 0, 1)), *cut(x, 0, 0, 1))
        for _ in range(12):  # the parts of all together are as many elements as there are
            y = ops.add(y, y)
        return [y]

    graph = make_graph(doubled, [kind])
    assert calls_of(Simplify(), graph) < 3000
    assert "concat" not in Simplify()(graph).op_names()


def test_of_a_long_sum_of_parts_no_more_is_read_than_could_be_joined(monkeypatch):
    """Such are the gradients of an array that nested loops read: their work was the square of the rounds."""
    kind = TensorType((4,), numpy.dtype("f4"))
    asked = []
    producer = simplify.RewriteContext.producer
    monkeypatch.setattr(simplify.RewriteContext, "producer", lambda *args: (asked.append(1), producer(*args))[1])

    def work(count):
        def parts(x):
            zero, cuts = ops.full(0, kind), [((k % 4,), (k % 4 + 1,), (1,)) for k in range(count)]
            updates = [ops.update_slice(zero, ops.slice(ops.mul(x, x), *one), *one) for one in cuts]
            return [functools.reduce(ops.add, updates)]

        graph = make_graph(parts, [kind])
        asked.clear()
        PIPELINE.run(graph)
        return len(asked)

    assert work(200) < 2.5 * work(100)


@pytest.mark.parametrize("flag", [False, True])
def test_matmul_reads_transposed_operands(flag):
    graph = read(f"""graph(%0: f32[5,2,3], %1: f32[5,{"3,4" if flag else "4,3"}]) {{
      %2: f32[5,3,2] = transpose(%0, axes=(0, 2, 1))
      %3: f32[5,{"4,3" if flag else "3,4"}] = transpose(%1, axes=(0, 2, 1))
      %4: f32[5,2,4] = matmul(%2, %3, transpose_x=True, transpose_w={flag})
      return %4
    }}""")
    optimised = PIPELINE.run(graph)
    assert optimised.op_names() == ["matmul"]
    assert optimised.nodes[0].op == ops.Matmul(False, not flag)
    x, w = numpy.random.rand(*graph.inputs[0].type.shape), numpy.random.rand(*graph.inputs[1].type.shape)
    same_bits(graph, optimised, x.astype("f4"), w.astype("f4"))


def test_where_of_a_known_condition():
    graph = read("""graph(%0: f32[2], %1: f32[2]) {
      %2: bool[2] = constant([True, True])
      %3: f32[2] = where(%2, %0, %1)
      return %3
    }""")
    assert PIPELINE.run(graph).op_names() == []


def test_composites_are_inlined_at_any_depth_also_inside_control_flow():
    kind = TensorType((2, 3), numpy.dtype("f4"))
    body = make_graph(lambda x: [composites.softmax(x, 1)], (kind,))
    outer = ops.Composite("outer", (), make_graph(lambda x: [composites.relu(composites.softmax(x, 1))], (kind,)))

    def run(p, x):
        y = ops.bind(ops.Cond(body, body), p, x)[0]
        return [ops.bind(outer, y)[0]]

    graph = make_graph(run, (TensorType((), numpy.dtype("?")), kind))
    optimised = PIPELINE.run(graph)
    assert "composite" not in str(optimised)
    assert optimised.op_names()[0] == "cond"
    x = numpy.random.rand(2, 3).astype("f4")
    same_bits(graph, optimised, numpy.array(True), x)


@pytest.mark.parametrize(
    "step",
    [
        Inline(),
        FoldConstants(1 << 20),
        Simplify(),
        EliminateCommon(),
        MasksOfResults(),
        ComputeParts(),
        EliminateDead(),
        PIPELINE.run,
    ],
)
def test_a_pass_that_changes_nothing_returns_the_same_graph(step):
    kind = TensorType((2, 3), numpy.dtype("f4"))
    graph = make_graph(lambda x, y: [ops.add(ops.sin(x), y)], (kind, kind))
    assert step(graph) is graph


def convolved(finish):
    """A convolution beside the image itself, one after the other, and what is computed of both."""

    def function(x, w, b, r):
        y = ops.convolution(x, w)
        joined = ops.concat(y, x, axis=1)
        whole = (1, 5, 4)
        return finish(joined, ops.broadcast(ops.reshape(b, (1, 5, 1)), whole), r, y)

    shapes = (1, 2, 4), (3, 2, 1), (5,), (1, 5, 4)
    return make_graph(function, tuple(TensorType(shape, numpy.dtype("f4")) for shape in shapes))


@pytest.mark.parametrize(
    ("finish", "names"),
    [
        (lambda j, b, r, y: [ops.add(j, b)], "add add concat"),
        (lambda j, b, r, y: [ops.neg(ops.mul(b, ops.add(r, j)))], "add add mul mul neg neg concat"),
        (lambda j, b, r, y: [composites.relu(ops.add(j, j))], "add add ge ge where where concat"),
        (lambda j, b, r, y: [ops.mul(j, r), ops.add(j, b)], "mul mul add add concat concat"),
        # What somebody else reads as a whole is stored as a whole.
        (lambda j, b, r, y: [ops.add(j, b), j], "concat add"),
        (lambda j, b, r, y: [ops.add(j, b), ops.sum(j, (1,))], "concat add"),
        (lambda j, b, r, y: [ops.add(j, b), y], "concat add"),
    ],
)
def test_what_is_computed_of_a_convolution_and_others_is_computed_by_parts(finish, names):
    graph = convolved(finish)
    changed = PIPELINE.run(graph)
    kept = [node.op.name for node in changed.nodes if node.op.name in ("add", "concat", "ge", "mul", "neg", "where")]
    assert sorted(kept) == sorted(names.split())
    rng = numpy.random.default_rng(3)
    inputs = [rng.choice(SPECIAL, value.type.shape).astype("f4") for value in graph.inputs]
    with numpy.errstate(all="ignore"):
        same_bits(graph, changed, *inputs)


def test_source_lines_survive():
    kind = TensorType((2, 3), numpy.dtype("f4"))
    recorded = make_graph(lambda x: [composites.relu(ops.neg(ops.neg(ops.matmul(x, x, True))))], (kind,))
    loc = SourceLoc("user.py", 7, "forward")
    graph = Graph(
        recorded.inputs,
        tuple(type(n)(n.op, n.inputs, n.outputs, loc) for n in recorded.nodes),
        recorded.outputs,
        recorded.constants,
    )
    nodes = PIPELINE.run(graph).nodes
    assert nodes
    assert all(node.loc == loc for node in nodes if not isinstance(node.op, ops.Broadcast))


def gelu_forms(y):
    """Half of 1 + tanh times y, associated in each way, and once without y."""
    kind = ops.type_of(y)
    half, one, c = (ops.full(value, kind) for value in (0.5, 1.0, 0.75))
    sum_ = ops.add(one, ops.tanh(ops.mul(c, y)))
    return [
        ops.mul(ops.mul(half, y), sum_),
        ops.mul(sum_, ops.mul(y, half)),
        ops.mul(half, ops.mul(y, sum_)),
        ops.mul(ops.mul(sum_, y), half),
        ops.mul(y, ops.mul(half, ops.add(ops.tanh(y), one))),
        ops.mul(sum_, half),
    ]


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2"])
def test_half_of_one_and_tanh_is_a_sigmoid(dtype):
    x = numpy.concatenate([numpy.linspace(-30, 30, 241), [math.inf, -0.0, math.nan]]).astype(dtype)
    graph = make_graph(gelu_forms, [TensorType(x.shape, x.dtype)])
    changed = PIPELINE.run(graph)
    assert "tanh" not in changed.op_names() and changed.op_names().count("sigmoid") == 2
    wide = make_graph(gelu_forms, [TensorType(x.shape, numpy.dtype("f8"))])
    y = x.astype("f8")
    results = (evaluate(g, [z]) for g, z in ((changed, x), (graph, x), (PIPELINE.run(wide), y), (wide, y)))
    for now, before, truth, plain in zip(*results, strict=True):
        # In the tail 1 + tanh u is 0 where the sigmoid still has all its digits: the truth is the sigmoid's.
        numpy.testing.assert_allclose(truth, plain, rtol=1e-14, atol=1e-14)
        assert numpy.isnan(now[-1]) and numpy.signbit(now[-2]) == numpy.signbit(before[-2])
        error = numpy.abs(now[:-3] - truth[:-3]) / (numpy.abs(truth[:-3]) + numpy.finfo(dtype).tiny)
        assert (error <= numpy.finfo(dtype).eps * (4 + numpy.abs(y[:-3]))).all()


def test_other_sums_with_tanh_stay():
    kind = TensorType((5,), numpy.dtype("f4"))
    for first, factor in ((2.0, 0.5), (1.0, 0.25), (-1.0, 0.5)):
        graph = make_graph(
            lambda y, first=first, factor=factor: [
                ops.mul(ops.full(factor, ops.type_of(y)), ops.add(ops.full(first, ops.type_of(y)), ops.tanh(y)))
            ],
            [kind],
        )
        assert "sigmoid" not in PIPELINE.run(graph).op_names()


def test_over_copies_of_a_root():
    def normalised(x, v):
        rows = ops.type_of(x).shape[0]
        return [ops.div(x, ops.broadcast(ops.reshape(ops.sqrt(v), (rows, 1)), ops.type_of(x).shape))]

    x = numpy.random.standard_normal((9, 8)).astype("f4")
    x[:, 0] = [0.0, -0.0, math.inf, -math.inf, math.nan, 1e-40, 3e38, 1, 1]
    v = numpy.array([0.0, 2.0, 5.0, math.inf, 3.0, 1e-44, 1e-30, 3e38, -1.0], "f4")
    graph = make_graph(normalised, [TensorType(x.shape, x.dtype), TensorType(v.shape, v.dtype)])
    changed = PIPELINE.run(graph)
    assert changed.op_names() == ["rsqrt", "reshape", "broadcast", "mul"]
    with numpy.errstate(all="ignore"):
        ((before,), (after_,)) = evaluate(graph, [x, v]), evaluate(changed, [x, v])
    numpy.testing.assert_allclose(after_, before, rtol=3e-7, atol=1e-45)
    numpy.testing.assert_array_equal(numpy.signbit(after_[:4]), numpy.signbit(before[:4]))


def test_a_division_by_as_many_roots_stays():
    graph = make_graph(lambda x, v: [ops.div(x, ops.sqrt(v))], [TensorType((5,), numpy.dtype("f4"))] * 2)
    assert PIPELINE.run(graph).op_names() == ["sqrt", "div"]


FLOATING = ("6.0", "-1.0", "0.0", "-0.0", "nan", "inf")


@pytest.mark.parametrize(
    ("op", "dtype", "number"),
    [(op, dtype, number) for op, dtype in (("max", "f32"), ("min", "f32"), ("max", "f64")) for number in FLOATING]
    + [("max", "i32", "6.0"), ("min", "i32", "-1.0")],
)
def test_a_number_is_the_first_operand_of_max_and_min_unless_its_sign_or_nan_would_tell(op, dtype, number):
    value = str(int(float(number))) if dtype == "i32" else number
    graph = read(f"""graph(%0: {dtype}[8]) {{
      %1: {dtype}[] = constant({value})
      %2: {dtype}[8] = broadcast(%1, shape=(8,))
      %3: {dtype}[8] = {op}(%0, %2)
      return %3
    }}""")
    changed = PIPELINE.run(graph)
    turned = dtype != "i32" and number in ("6.0", "-1.0", "inf")
    assert (f"{op}(%1, %0)" in str(changed)) == turned
    x = SPECIAL.astype("f8" if dtype == "f64" else "f4") if dtype != "i32" else numpy.arange(-4, 4, dtype="i4")
    same_bits(graph, changed, x)
