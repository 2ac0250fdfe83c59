"""Several sums per element: which groups take the gates of a product, what they compute, and that nothing else moves."""

import dataclasses

import numpy
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import hybridize
from hybridize import np, npx
from hybridize.base.dtypes import float32
from hybridize.codegen.llvm.engine import host_target
from hybridize.codegen.llvm.program import scheduled
from hybridize.compiler import cache_clear
from hybridize.compiler import compile as compiled
from hybridize.machine.arithmetic import Arithmetic
from hybridize.machine.target import named_target
from hybridize.passes import PIPELINE
from hybridize.schedule import grouping, sharing
from hybridize.schedule.contraction.panels import panel_vectors
from hybridize.schedule.steps import ContractionStep, LoopStep

TARGET = named_target("avx512")

# How people take gates apart


def by_split(z, count):
    return np.split(z, count, axis=-1)


def by_slices(z, count):
    columns = z.shape[-1] // count
    return [z[..., gate * columns : (gate + 1) * columns] for gate in range(count)]


def by_index(z, count):
    rows = z.reshape(*z.shape[:-1], count, z.shape[-1] // count)
    return [rows[..., gate, :] for gate in range(count)]


def by_take(z, count):
    rows = z.reshape(*z.shape[:-1], count, z.shape[-1] // count)
    return [np.squeeze(one, -2) for one in np.split(rows, count, axis=-2)]


WAYS = [by_split, by_slices, by_index, by_take]

# What they make of them. The same lines run on NumPy's arrays: `f` has the functions.


class Exact:
    """The functions in float64."""

    tanh = staticmethod(numpy.tanh)

    @staticmethod
    def sigmoid(x):
        return 1 / (1 + numpy.exp(-x))


class Ours:
    """The functions of hybridize."""

    tanh = staticmethod(np.tanh)
    sigmoid = staticmethod(npx.sigmoid)


def lstm(f, gates, c):
    i, o, g, u = gates
    c = f.sigmoid(o) * c + f.sigmoid(i) * f.tanh(g)
    return f.sigmoid(u) * f.tanh(c), c


def lstm_keeping_gates(f, gates, c):
    i, o, g, u = f.sigmoid(gates[0]), f.sigmoid(gates[1]), f.tanh(gates[2]), f.sigmoid(gates[3])
    c = o * c + i * g
    return u * f.tanh(c), c, i, o, g, u


def gru(f, gates, h):
    r, u, n = gates
    u = f.sigmoid(u)
    return ((1 - u) * f.tanh(n + f.sigmoid(r) * h) + u * h,)


def glu(f, gates, _):
    return (gates[0] * f.sigmoid(gates[1]),)


def swiglu(f, gates, _):
    return (gates[0] * f.sigmoid(gates[0]) * gates[1],)


def bilinear(f, gates, c):
    return (gates[0] * gates[1] + c,)


def modulus(f, gates, _):
    """Of a complex number."""
    re, im = gates
    return (re * re + im * im,)


def complex_square(f, gates, _):
    """Two results, neither of which reads the other."""
    re, im = gates
    return re * re - im * im, 2 * re * im


def without_forgetting(f, gates, _):
    """The first step of a recurrent cell: one gate is not read."""
    i, _, g, u = gates
    return (f.sigmoid(u) * f.tanh(f.sigmoid(i) * f.tanh(g)),)


def many(f, gates, _):
    total = gates[0]
    for gate in gates[1:]:
        total = total + gate
    return (total,)


def tree(f, gates, c):
    i, left, right, u, o = gates
    c = f.sigmoid(i) * f.tanh(u) + f.sigmoid(left) * c + f.sigmoid(right) * c
    return f.sigmoid(o) * c, c


CELLS = {
    lstm: 4, lstm_keeping_gates: 4, gru: 3, glu: 2, swiglu: 2, bilinear: 2, modulus: 2, complex_square: 2,
    without_forgetting: 4, tree: 5, many: 12,
}  # fmt: skip


def layer(cell, apart, transposed=False):
    """A product, a bias, the gates, the cell."""

    def run(x, w, b, c):
        z = np.dot(x, w.T if transposed else w) + b
        return cell(Ours, apart(z, CELLS[cell]), c)

    return run


def true(cell, x, w, b, c, transposed=False):
    x, w, b, c = (one.astype("f8") for one in (x, w, b, c))
    return cell(Exact, numpy.split(x @ (w.T if transposed else w) + b, CELLS[cell], axis=-1), c)


def inputs(rows, columns, gates, k, transposed=False, dtype="float32", seed=0):
    rng = numpy.random.default_rng(seed)
    shapes = [
        (rows, k),
        (gates * columns, k) if transposed else (k, gates * columns),
        (gates * columns,),
        (rows, columns),
    ]
    scale = [1, k**-0.5, 1, 1]
    return [(rng.normal(size=shape) * one).astype(dtype) for shape, one in zip(shapes, scale, strict=True)]


def graph_of(function, arrays):
    made = hybridize.hybridize(function).program(*(np.array(one, dtype=one.dtype) for one in arrays))
    return PIPELINE.run(made.capture.graph)


def products(schedule):
    return [step for step in schedule.steps if isinstance(step, ContractionStep)]


@pytest.mark.parametrize("apart", WAYS)
@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.__name__)
def test_a_cell_and_its_product_are_one_step(cell, apart):
    arrays = inputs(64, 48, CELLS[cell], 40)
    graph = graph_of(layer(cell, apart), arrays)
    for stable in ((), (1,)):
        made = scheduled(graph, TARGET, stable=stable)
        (step,) = made.steps
        assert step.plan.product.gates == CELLS[cell]
        assert step.plan.product.columns == 48
        assert step.out.shape == (64, 48)
        sums = 64 * 48 * CELLS[cell] * 4
        assert made.scratch_bytes < sums, "the sums of all elements are nowhere"
        assert f"{CELLS[cell]} gates" in str(made)
    for found, wanted in zip(compiled(graph, host_target()).run(arrays), true(cell, *arrays), strict=True):
        numpy.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["avx512", "avx2", "baseline"])
def test_gates_lie_side_by_side_in_a_tile(name):
    target = dataclasses.replace(named_target(name), l2_bytes=64 << 10)
    for gates, cell in ((2, glu), (3, gru), (4, lstm)):
        arrays = inputs(32, 64, gates, 100)
        (step,) = scheduled(graph_of(layer(cell, by_split), arrays), target, stable=(1,)).steps
        assert step.plan.product.packed
        for section in step.plan.tiling.sections:
            assert section.gates * section.tiles == gates
            assert section.vectors % section.gates == 0
            assert section.tiles == 1 or section.gates <= panel_vectors(Arithmetic(float32, target))


def recurrent(apart, cell, bias=True):
    """The step of a recurrent layer: two products that add up."""

    def run(x, w, h, u, b, c):
        z = np.dot(x, w) + np.dot(h, u)
        return cell(Ours, apart(z + b if bias else z, CELLS[cell]), c)

    return run


def gated_by_each(x, w, h, u, b, c):
    """A gated recurrent unit whose reset gate is applied to one of the products."""
    xr, xu, xn = np.split(np.dot(x, w) + b, 3, axis=-1)
    hr, hu, hn = np.split(np.dot(h, u), 3, axis=-1)
    u = npx.sigmoid(xu + hu)
    return ((1 - u) * np.tanh(xn + npx.sigmoid(xr + hr) * hn) + u * c,)


def true_gru(x, w, h, u, b, c):
    xr, xu, xn = numpy.split(x @ w + b, 3, axis=-1)
    hr, hu, hn = numpy.split(h @ u, 3, axis=-1)
    u = Exact.sigmoid(xu + hu)
    return ((1 - u) * numpy.tanh(xn + Exact.sigmoid(xr + hr) * hn) + u * c,)


def step_inputs(rows, columns, gates, k=24):
    x, w, b, c = inputs(rows, columns, gates, k)
    h, u, _, _ = inputs(rows, columns, gates, columns, seed=1)
    return [x, w, h, u, b, c]


@pytest.mark.parametrize("rows", [1, 32])
def test_of_two_products_that_add_up_the_last_has_the_gates(rows):
    arrays = step_inputs(rows, 64, 4)
    graph = graph_of(recurrent(by_split, lstm), arrays)
    first, last = scheduled(graph, TARGET, stable=(1, 3)).steps
    assert (first.plan.product.gates, first.plan.product.k) == (1, 24)
    assert (last.plan.product.gates, last.plan.product.k) == (4, 64)
    x, w, h, u, b, c = (one.astype("f8") for one in arrays)
    wanted = lstm(Exact, numpy.split(x @ w + h @ u + b, 4, axis=-1), c)
    for found, right in zip(compiled(graph, host_target()).run(arrays), wanted, strict=True):
        numpy.testing.assert_allclose(found, right, rtol=1e-4, atol=1e-5)


def test_a_gate_of_one_product_that_meets_others_of_another():
    arrays = step_inputs(32, 48, 3)
    graph = graph_of(gated_by_each, arrays)
    assert [step.plan.product.gates for step in scheduled(graph, TARGET).steps] == [1, 3]
    (found,) = compiled(graph, host_target()).run(arrays)
    numpy.testing.assert_allclose(found, true_gru(*(one.astype("f8") for one in arrays))[0], rtol=1e-4, atol=1e-5)


def complex_layer(re, im, w):
    """A product of complex matrices, the parts of each beside each other."""
    first, second = np.split(np.dot(re, w), 2, axis=-1), np.split(np.dot(im, w), 2, axis=-1)
    return np.tanh(first[0] - second[1]), np.tanh(first[1] + second[0])


def test_results_that_do_not_read_each_other_share_the_gates():
    rng = numpy.random.default_rng(0)
    arrays = [rng.normal(size=shape).astype("f4") for shape in ((9, 20), (9, 20), (20, 96))]
    graph = graph_of(complex_layer, arrays)
    assert [step.plan.product.gates for step in scheduled(graph, TARGET).steps] == [1, 2]
    re, im, w = (one.astype("f8") for one in arrays)
    z = (re + 1j * im) @ (w[:, :48] + 1j * w[:, 48:])
    for found, wanted in zip(compiled(graph, host_target()).run(arrays), (z.real, z.imag), strict=True):
        numpy.testing.assert_allclose(found, numpy.tanh(wanted), rtol=1e-4, atol=1e-4)


def test_a_result_that_waits_for_the_other_has_a_step_of_its_own():
    def run(x, w, v):
        first, second = by_split(np.dot(x, w), 2)
        return np.tanh(np.dot(np.tanh(first), v)) * second

    rng = numpy.random.default_rng(0)
    arrays = [rng.normal(size=shape).astype("f4") for shape in ((9, 20), (20, 96), (48, 48))]
    graph = graph_of(run, arrays)
    assert [step.plan.product.gates for step in products(scheduled(graph, TARGET))] == [1, 1]
    x, w, v = (one.astype("f8") for one in arrays)
    z = x @ w
    wanted = numpy.tanh(numpy.tanh(z[:, :48]) @ v) * z[:, 48:]
    numpy.testing.assert_allclose(compiled(graph, host_target()).run(arrays)[0], wanted, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("known", [(), (0, 1)])
def test_a_matrix_times_a_vector(known):
    """As in books: the product has one column, and the gates are rows of the matrix."""

    def run(w, u, b, x, h, c):
        return lstm(Ours, np.split(np.dot(w, x) + np.dot(u, h) + b, 4), c)

    rng = numpy.random.default_rng(0)
    shapes = (256, 24), (256, 64), (256,), (24,), (64,), (64,)
    arrays = [(rng.normal(size=shape) / 5).astype("f4") for shape in shapes]
    graph = graph_of(run, arrays)
    *_, last = scheduled(graph, TARGET, stable=known).steps
    assert (last.plan.product.m, last.plan.product.gates) == (1, 4)
    w, u, b, x, h, c = (one.astype("f8") for one in arrays)
    wanted = lstm(Exact, numpy.split(w @ x + u @ h + b, 4), c)
    for found, right in zip(compiled(graph, host_target(), stable=known).run(arrays), wanted, strict=True):
        numpy.testing.assert_allclose(found, right, rtol=1e-5, atol=1e-6)


def split_stored(arrays, function, **how):
    """What a program gives, and what it gives with all sums stored and read again."""
    graph = graph_of(function, arrays)
    cache_clear()
    whole = compiled(graph, host_target(), **how).run(arrays)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "gates_fit", lambda product, arithmetic: False)
        cache_clear()
        stored = compiled(graph, host_target(), **how)
        assert any(isinstance(step, LoopStep) for step in scheduled(graph, host_target(), **how).steps)
        return whole, stored.run(arrays)


@pytest.mark.parametrize("stable", [(), (1,)])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("rows", [1, 2, 32])
@pytest.mark.parametrize("cell", [lstm_keeping_gates, bilinear], ids=lambda cell: cell.__name__)
def test_bits_are_those_of_sums_that_are_stored(cell, rows, transposed, stable):
    """Whole panels: the terms of each sum are added in the same order, unless a few rows alone read w as streams."""
    arrays = inputs(rows, 128, CELLS[cell], 70, transposed)
    for found, wanted in zip(*split_stored(arrays, layer(cell, by_split, transposed), stable=stable), strict=True):
        if rows == 2 and transposed:
            numpy.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
        else:
            assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("dtype", ["float16", "float64", "int32", "int8"])
def test_other_dtypes(dtype):
    arrays = inputs(9, 40, 2, 30, dtype="float64")
    if dtype.startswith("int"):
        arrays = [numpy.round(one * 3) for one in arrays]
    arrays = [one.astype(dtype) for one in arrays]
    whole, stored = split_stored(arrays, layer(bilinear, by_slices))
    assert products(scheduled(graph_of(layer(bilinear, by_slices), arrays), TARGET))[0].plan.product.gates == 2
    if dtype.startswith("int"):
        x, w, b, c = arrays
        z = x @ w + b
        numpy.testing.assert_array_equal(whole[0], z[:, :40] * z[:, 40:] + c)
    numpy.testing.assert_array_equal(whole[0], stored[0])


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(list(CELLS)),
    st.sampled_from(WAYS),
    st.sampled_from([1, 2, 3, 5, 8, 17, 40, 64]),
    st.integers(1, 90),
    st.integers(1, 60),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["float32", "float64"]),
    st.sampled_from([1, 2]),
    st.sampled_from([16 << 10, 1 << 20]),
)
@example(lstm, by_split, 1, 64, 60, True, False, "float32", 2, 16 << 10)
@example(swiglu, by_split, 2, 64, 60, False, False, "float32", 2, 16 << 10)
@example(gru, by_split, 64, 17, 60, True, False, "float32", 2, 16 << 10)
def test_any_cell_of_any_sizes(cell, apart, rows, columns, k, transposed, known, dtype, threads, l2_bytes):
    arrays = inputs(rows, columns, CELLS[cell], k, transposed, dtype)
    graph = graph_of(layer(cell, apart, transposed), arrays)
    target = dataclasses.replace(host_target(), l2_bytes=l2_bytes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sharing, "worth", lambda *_: True)
        made = compiled(graph, target, stable=(1,) if known else (), threads=threads)
    rtol = 1e-12 if dtype == "float64" else 1e-3
    for found, wanted in zip(made.run(arrays), true(cell, *arrays, transposed), strict=True):
        numpy.testing.assert_allclose(found, wanted, rtol=rtol, atol=rtol / 10)


@st.composite
def cells(draw):
    """Random arithmetic of some gates and another array: operations of earlier values by number, and what is kept."""
    gates = draw(st.integers(2, 4))
    steps, count = [], gates + 1
    for _ in range(draw(st.integers(1, 8))):
        pair = st.integers(0, count - 1)
        steps.append((draw(st.sampled_from(["add", "multiply", "tanh"])), draw(pair), draw(pair)))
        count += 1
    kept = draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=3, unique=True))
    return gates, steps, kept


@settings(max_examples=20, deadline=None)
@given(cells(), st.sampled_from(WAYS), st.sampled_from([1, 7]), st.sampled_from([16, 37]))
def test_any_arithmetic_of_gates(drawn, apart, rows, columns):
    """Values that are kept, or read by several others, or not at all."""
    gates, steps, kept = drawn

    def run(module, values):
        values = list(values)
        for word, first, second in steps:
            operands = [values[first]] if word == "tanh" else [values[first], values[second]]
            values.append(getattr(module, word)(*operands))
        return tuple(values[number] for number in kept)

    arrays = inputs(rows, columns, gates, 12, dtype="float64")
    x, w, b, c = arrays
    wanted = run(numpy, [*numpy.split(x @ w + b, gates, axis=-1), c])
    function = hybridize.hybridize(lambda x, w, b, c: run(np, [*apart(np.dot(x, w) + b, gates), c]))
    found = function(*(np.array(one, dtype="float64") for one in arrays))
    for one, right in zip(found, wanted, strict=True):
        numpy.testing.assert_allclose(one.asnumpy(), right, rtol=1e-9, atol=1e-9)


def test_threads_share_the_rows_and_the_columns_of_the_result():
    for rows in (1, 512):
        arrays = inputs(rows, 512, 4, 700)
        graph = graph_of(layer(lstm, by_split), arrays)
        (step,) = products(scheduled(graph, TARGET, slots=4, stable=(1,)))
        assert step.split is not None
        assert step.plan.axis == ("rows" if rows > 1 else "panels")
        alone, shared = (compiled(graph, host_target(), threads=count, stable=(1,)).run(arrays) for count in (1, 4))
        assert [one.tobytes() for one in alone] == [one.tobytes() for one in shared]


def test_gated_layers_share_a_band():
    """What lies between the product of a gated unit and the next product is read from nearby."""

    def run(x, w, v):
        return np.dot(swiglu(Ours, by_split(np.dot(x, w.T), 2), None)[0], v.T)

    rng = numpy.random.default_rng(0)
    arrays = [(rng.normal(size=shape) / 4).astype("f4") for shape in ((600, 64), (256, 64), (64, 128))]
    graph, target = graph_of(run, arrays), dataclasses.replace(host_target(), l2_bytes=256 << 10)
    first, second = scheduled(graph, target, stable=(1, 2)).steps
    assert first.plan.product.gates == 2
    assert first.part.band.number == second.part.band.number
    x, w, v = (one.astype("f8") for one in arrays)
    (wanted,) = swiglu(Exact, numpy.split(x @ w.T, 2, axis=-1), None)
    (found,) = compiled(graph, target, stable=(1, 2)).run(arrays)
    numpy.testing.assert_allclose(found, wanted @ v.T, rtol=1e-4, atol=1e-4)


def test_any_number_of_rows():
    function = hybridize.hybridize(layer(lstm, by_index))
    for rows in (3, 7, 12, 1, 40):
        arrays = inputs(rows, 32, 4, 20)
        for found, wanted in zip(function(*map(np.array, arrays)), true(lstm, *arrays), strict=True):
            numpy.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-4, atol=1e-5)
    assert "4 gates" in function.program(*map(np.array, inputs(9, 32, 4, 20))).schedule()


@pytest.mark.parametrize("transposed", [False, True])
def test_the_body_of_a_loop_is_one_step(transposed):
    """The input's product comes before the loop; the body has the other, and the cell."""

    def run(x, w, h, c, u):
        each = np.dot(x, w)

        def body(at, state):
            z = at + np.dot(state[0], u.T if transposed else u)
            h, c = lstm(Ours, by_split(z, 4), state[1])
            return h, [h, c]

        return npx.foreach(body, each, [h, c])

    rng = numpy.random.default_rng(0)
    x, w, u = rng.normal(size=(5, 3, 10)), rng.normal(size=(10, 128)) / 4, rng.normal(size=(32, 128)) / 6
    h, c = numpy.zeros((3, 32)), numpy.zeros((3, 32))
    arrays = [one.astype("f4") for one in (x, w, h, c, u.T if transposed else u)]
    graph = graph_of(run, arrays)
    (loop,) = (step for step in scheduled(graph, TARGET).steps if hasattr(step, "bodies"))
    (step,) = products(loop.bodies[-1])
    assert loop.bodies[-1].steps == (step,)
    assert step.plan.product.gates == 4
    outputs = compiled(graph, host_target()).run(arrays)
    for number in range(5):
        h, c = lstm(Exact, numpy.split(x[number] @ w + h @ u, 4, axis=-1), c)
        numpy.testing.assert_allclose(outputs[0][number], h, rtol=1e-4, atol=1e-5)
    numpy.testing.assert_allclose(outputs[2], c, rtol=1e-4, atol=1e-5)


def sums_wanted(x, w, b, c):
    z = np.dot(x, w) + b
    return *lstm(Ours, by_split(z, 4), c), z


def unequal(x, w, b, c):
    z = np.dot(x, w) + b
    return z[:, :48] * npx.sigmoid(z[:, 40:88])


def folded(x, w, b, c):
    first, second = by_split(np.dot(x, w) + b, 2)
    return (first * second).sum(-1)


@pytest.mark.parametrize(
    ("function", "columns", "gates", "why"),
    [
        (sums_wanted, 48, 4, "the sums are a result themselves"),
        (unequal, 48, 4, "elements that are read twice"),
        (folded, 48, 2, "an element of many columns"),
        (layer(lstm, by_split), 15, 4, "less than a vector of each gate"),
    ],
)
def test_other_sums_are_stored(function, columns, gates, why):
    arrays = inputs(20, columns, gates, 30)
    made = scheduled(graph_of(function, arrays), TARGET)
    (step,) = products(made)
    assert step.plan.product.gates == 1, why
    assert any(isinstance(step, LoopStep) for step in made.steps)


def test_state_that_each_call_replaces():
    """The cell may lie where it lay before; the hidden state may not, as the product reads all of it."""
    rng = numpy.random.default_rng(0)
    w, u = (rng.normal(size=shape).astype("f4") / 5 for shape in ((20, 128), (32, 128)))
    state = {"h": np.zeros((6, 32)), "c": np.zeros((6, 32))}
    first, second = np.array(w), np.array(u)

    @hybridize.hybridize
    def step(x):
        z = np.dot(x, first) + np.dot(state["h"], second)
        state["h"], state["c"] = lstm(Ours, by_split(z, 4), state["c"])
        return state["h"] * 2

    h = c = numpy.zeros((6, 32))
    for _ in range(6):
        x = rng.normal(size=(6, 20)).astype("f4")
        h, c = lstm(Exact, numpy.split(x.astype("f8") @ w + h @ u, 4, axis=-1), c)
        numpy.testing.assert_allclose(step(np.array(x)).asnumpy(), 2 * h, rtol=1e-4, atol=1e-5)
        numpy.testing.assert_allclose(state["c"].asnumpy(), c, rtol=1e-4, atol=1e-5)
    assert "4 gates" in step.program(np.array(x)).schedule()


def test_gates_are_updated_in_place_where_each_element_is_read_before_it_is_written():
    arrays = inputs(12, 48, 4, 30)
    graph = graph_of(layer(lstm, by_split), arrays)
    made = compiled(graph, host_target(), updates={1: 3})
    assert made.plan.updates == ((1, 3),)
    apart = made.run([one.copy() for one in arrays])
    there = made.run(arrays, donated={1: arrays[3]})
    assert there[1] is arrays[3]
    assert [one.tobytes() for one in there] == [one.tobytes() for one in apart]
