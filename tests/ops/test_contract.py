# SPDX-License-Identifier: Apache-2.0
"""`Contract` and convolution: against NumPy and PyTorch, imperative and compiled, with gradients of two orders."""

import string

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import hybridize as hy
from hybridize import autograd, np, ops
from hybridize.array.operands import operand, result
from hybridize.base.errors import ArgumentError, DTypeError, HybridizeError, ShapeError
from hybridize.base.types import TensorType
from hybridize.compiler import compile as compiled
from hybridize.graph import parse, verify
from hybridize.ops import Contract, Matmul, evaluate, interpreting, make_graph, pullback
from hybridize.ops.op import ReferenceInterpreter
from tests.refusals import refusal

TOLERANCE = {"float64": 1e-10, "float32": 1e-4, "float16": 2e-2, "int32": 0}


def numbers(shape, dtype="float64", seed=0):
    rng = numpy.random.default_rng(seed + sum(shape))
    whole = numpy.dtype(dtype).kind == "i"
    return (rng.integers(-4, 5, shape) if whole else rng.uniform(-1, 1, shape)).astype(dtype)


def typed(x) -> TensorType:
    return TensorType(x.shape, x.dtype)


def convolved(x, w, *how, **more):
    """A convolution of arrays, as functions of arrays will call it."""
    return result(ops.convolution(operand(x), operand(w), *how, **more))


CASES = [
    ((2, 3, 7), (4, 3, 3), {}),
    ((2, 3, 7), (4, 3, 3), {"strides": 2, "padding": 1}),
    ((1, 2, 9), (2, 2, 3), {"dilation": 2, "padding": 2, "strides": 3}),
    ((2, 4, 6), (6, 2, 3), {"groups": 2, "padding": 1}),
    ((2, 4, 6), (4, 1, 3), {"groups": 4, "strides": 2}),
    ((2, 3, 6, 5), (4, 3, 3, 2), {"strides": (2, 1), "padding": (1, 0)}),
    ((1, 2, 5, 6), (3, 2, 2, 3), {"dilation": (1, 2), "padding": (0, 2)}),
    ((1, 4, 5, 5), (4, 2, 3, 3), {"groups": 2, "padding": 1, "strides": 2}),
    ((2, 3, 4, 4), (5, 3, 1, 1), {}),
    ((1, 2, 4, 3, 4), (2, 2, 2, 3, 2), {"padding": (0, 1, 1), "strides": (1, 1, 2)}),
]


def by_torch(x, w, strides=1, padding=0, dilation=1, groups=1):
    function = {3: torch.conv1d, 4: torch.conv2d, 5: torch.conv3d}[x.ndim]
    return function(x, w, None, strides, padding, dilation, groups)


@pytest.mark.parametrize(("x", "w", "how"), CASES)
@pytest.mark.parametrize("hybridized", [False, True])
def test_convolutions_and_their_gradients_of_two_orders_are_pytorchs(x, w, how, hybridized):
    x, w = numbers(x), numbers(w, seed=1)

    def gradients(x, w):
        """The gradients of a number, and those of a number made of them."""
        with autograd.record():
            y = convolved(x, w, **how)
            first = autograd.grad((y**3).sum(), [x, w], create_graph=True)
            total = (first[0] ** 2).sum() + (first[1] ** 2).sum()
        return [y, *first, *autograd.grad(total, [x, w])]

    tx, tw = (torch.tensor(each, requires_grad=True) for each in (x, w))
    ty = by_torch(tx, tw, **how)
    first = torch.autograd.grad((ty**3).sum(), (tx, tw), create_graph=True)
    second = torch.autograd.grad(sum((each**2).sum() for each in first), (tx, tw))
    arrays = [np.array(each, dtype="float64") for each in (x, w)]
    for each in arrays:
        each.attach_grad()
    found = (hy.hybridize(gradients) if hybridized else gradients)(*arrays)
    for ours_, theirs in zip(found, (ty, *first, *second), strict=True):
        numpy.testing.assert_allclose(ours_.asnumpy(), theirs.detach().numpy(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_dtypes_of_convolutions(dtype):
    x, w = numbers((2, 4, 6, 6), dtype), numbers((4, 2, 3, 3), dtype, seed=1)
    wanted = by_torch(*(torch.tensor(each.astype("float64")) for each in (x, w)), 2, 1, 1, 2).numpy()

    def run(x, w):
        return convolved(x, w, strides=2, padding=1, groups=2)

    for function in (run, hy.hybridize(run)):
        found = function(np.array(x, dtype=dtype), np.array(w, dtype=dtype)).asnumpy()
        assert found.dtype == dtype
        tolerance = TOLERANCE[dtype]
        numpy.testing.assert_allclose(found.astype("float64"), wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    ("stride", "padding", "dilation", "extra", "groups"),
    [(1, 0, 1, 0, 1), (2, 1, 1, 1, 1), (3, 0, 2, 2, 1), (2, 2, 1, 0, 2), (1, 3, 1, 0, 1)],
)
def test_a_transposed_convolution_is_one_of_spread_elements(stride, padding, dilation, extra, groups):
    x, w = numbers((2, 4, 5)), numbers((4, 3, 3), seed=1)
    wanted = torch.conv_transpose1d(
        torch.tensor(x), torch.tensor(w), None, stride, padding, extra, groups, dilation
    ).numpy()
    turned = w.reshape(groups, 4 // groups, 3, 3).swapaxes(1, 2).reshape(3 * groups, 4 // groups, 3)[..., ::-1]
    reach = dilation * 2 - padding
    found = convolved(
        np.array(x, dtype="float64"),
        np.array(turned.copy(), dtype="float64"),
        padding=((reach, reach + extra),),
        dilation=dilation,
        groups=groups,
        x_dilation=stride,
    )
    numpy.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-10, atol=1e-10)


def test_convolutions_of_nothing():
    for x, w, shape in (
        ((0, 2, 4), (3, 2, 2), (0, 3, 3)),
        ((2, 0, 4), (3, 0, 2), (2, 3, 3)),
        ((2, 1, 4), (0, 1, 2), (2, 0, 3)),
    ):
        for function in (convolved, hy.hybridize(convolved)):
            found = function(np.ones(x), np.ones(w)).asnumpy()
            numpy.testing.assert_array_equal(found, numpy.zeros(shape))


def test_padding_of_two_sides_and_below_zero():
    x, w = numbers((1, 1, 6)), numbers((1, 1, 2), seed=1)
    for low, high in ((2, 0), (0, 3), (-1, 0), (-2, 1), (4, -3)):
        padded = numpy.pad(x, ((0, 0), (0, 0), (max(low, 0), max(high, 0))))
        padded = padded[..., max(-low, 0) : padded.shape[-1] - max(-high, 0)]
        wanted = numpy.convolve(padded[0, 0], w[0, 0, ::-1], "valid")
        found = convolved(np.array(x, dtype="float64"), np.array(w, dtype="float64"), padding=[(low, high)])
        numpy.testing.assert_allclose(found.asnumpy()[0, 0], wanted, rtol=1e-12)


def test_sizes_that_only_calls_know():
    """One program for all, its gradients too."""
    w = np.array(numbers((3, 2, 3, 3), "float32", 1))
    w.attach_grad()

    def run(x):
        with autograd.record():
            y = convolved(x, w, strides=2, padding=1)
            total = (y**2).sum()
        total.backward()
        return y

    function = hy.hybridize(run, dynamic=True)
    for n, size in ((2, 5), (3, 8), (2, 9), (4, 12)):
        x = numbers((n, 2, size, size + 1), "float32")
        weight = torch.tensor(w.asnumpy(), requires_grad=True)
        wanted = by_torch(torch.tensor(x), weight, 2, 1)
        (wanted**2).sum().backward()
        found = function(np.array(x)).asnumpy()
        numpy.testing.assert_allclose(found, wanted.detach().numpy(), rtol=1e-4, atol=1e-5)
        numpy.testing.assert_allclose(w.grad.asnumpy(), weight.grad.numpy(), rtol=1e-4, atol=1e-3)
    assert len(function.programs()) == 1


def test_a_function_with_a_convolution_is_saved_and_loaded(tmp_path):
    w = np.array(numbers((3, 2, 3), "float32", 1))
    function = hy.hybridize(lambda x: convolved(x, w, padding=1))
    x = np.array(numbers((2, 2, 5), "float32"))
    wanted = function(x).asnumpy()
    function.save(tmp_path / "f")
    numpy.testing.assert_array_equal(hy.load(tmp_path / "f")(x).asnumpy(), wanted)


@pytest.mark.parametrize(
    ("x", "w", "how", "code"),
    [
        ((2, 3), (4, 3), {}, "E174"),
        ((2, 3, 4), (4, 3, 3, 3), {}, "E174"),
        ((2, 3, 4), (4, 2, 3), {}, "E174"),
        ((2, 4, 4), (3, 2, 3), {"groups": 2}, "E174"),
        ((2, 3, 4), (4, 3, 5), {}, "E175"),
        ((2, 3, 4), (4, 3, 3), {"dilation": 2}, "E175"),
        ((2, 3, 4), (4, 3, 0), {}, "E175"),
        ((2, 3, 4), (4, 3, 3), {"padding": -1}, "E175"),
        ((2, 3, 4), (4, 3, 3), {"strides": 0}, "E398"),
        ((2, 3, 4), (4, 3, 3), {"strides": (1, 1)}, "E398"),
        ((2, 3, 4), (4, 3, 3), {"dilation": 1.5}, "E398"),
        ((2, 3, 4), (4, 3, 3), {"padding": [(1, 1, 1)]}, "E398"),
        ((2, 3, 4), (4, 3, 3), {"padding": "same"}, "E398"),
        ((2, 3, 4), (4, 3, 3), {"groups": 0}, "E398"),
    ],
)
def test_convolutions_that_are_refused(x, w, how, code):
    with pytest.raises((ShapeError, ArgumentError)) as raised:
        convolved(np.array(numbers(x)), np.array(numbers(w)), **how)
    assert raised.value.code == code


def test_matrix_products_are_matmul():
    for spec, x, w, wanted in (
        ("ij,jk->ik", (2, 3), (3, 4), Matmul()),
        ("ji,jk->ik", (3, 2), (3, 4), Matmul(True, False)),
        ("ij,kj->ik", (2, 3), (4, 3), Matmul(False, True)),
        ("nij,nkj->nik", (2, 2, 3), (2, 4, 3), Matmul(False, True)),
        ("ij,jk->ki", (2, 3), (3, 4), Matmul(True, True)),
        ("ijl,jk->ik", (2, 3, 2), (3, 4), Matmul()),
    ):
        graph = make_graph(lambda x, w, spec=spec: [ops.contract(spec, x, w)], [typed(numbers(x)), typed(numbers(w))])
        assert graph.nodes[-1].op == wanted
        x, w = numbers(x), numbers(w)
        numpy.testing.assert_allclose(evaluate(graph, [x, w])[0], numpy.einsum(spec, x, w), rtol=1e-12)


def test_a_spec_is_canonical_and_reads_back():
    x, w = typed(numbers((2, 3, 8))), typed(numbers((4, 3, 3)))
    specs = ("nc[2y+r-1],ocr->noy", "zq[-1+k+2u],pqk->zpu")
    graphs = [
        make_graph(lambda x, w, s=spec: [ops.contract(s, x, w, {s.split("->")[1][2]: 4})], [x, w]) for spec in specs
    ]
    assert graphs[0].nodes[0].op == graphs[1].nodes[0].op == Contract("ad[2c+e-1],bde->abc", (4,))
    assert graphs[0] == graphs[1]
    assert parse(str(graphs[0]), ops.OPS) == graphs[0]
    assert 'contract(%0, %1, spec="ad[2c+e-1],bde->abc", sizes=(4,), result=None)' in str(graphs[0])


def test_sizes_are_given_by_letter():
    x = numbers((5,))
    with pytest.raises(ShapeError, match="E172"), interpreting(ReferenceInterpreter()):
        ops.contract("[y+r],r->y", x, numbers((2,)))
    with pytest.raises(ShapeError, match="E172"), interpreting(ReferenceInterpreter()):
        ops.contract("[y+r],r->y", x, numbers((2,)), {"y": 3, "r": 2})


@pytest.mark.parametrize(
    ("spec", "x", "w", "sizes", "error", "says"),
    [
        ("ab,b", (2, 3), (3,), (), ArgumentError, "E397.*two operands and a result"),
        ("a*b,b->a", (2, 3), (3,), (), ArgumentError, "E397.*neither a letter nor an index"),
        ("a[b+],b->a", (2, 3), (3,), (), ArgumentError, r"E397.*\[b\+\] is no index"),
        ("a[b/0],b->a", (2, 3), (3,), (), ArgumentError, "E397"),
        ("ab,b->ac", (2, 3), (3,), (), ArgumentError, "E397.*depends on 'c'"),
        ("abc,b->a", (2, 3), (3,), (), ShapeError, "E170.*names 3 axes"),
        ("ab,b->a", (2, 3), (4,), (), ShapeError, "E171.*'b' is of size 3 and 4"),
        ("a[b+c],c->ab", (2, 3), (3,), (), ShapeError, "E172"),
        ("a[b+c],c->ab", (2, 3), (3,), (-2,), ShapeError, "E172"),
        ("a[9223372036854775807b+c],c->ab", (2, 3), (3,), (2,), ShapeError, "E173"),
        ("a[b+c],c->ab", (2, 3), (3,), (1 << 62,), ShapeError, "E173"),
    ],
)
def test_specs_that_are_refused(spec, x, w, sizes, error, says):
    with refusal(error, says):
        Contract(spec, sizes).infer(TensorType(x, numpy.dtype("f4")), TensorType(w, numpy.dtype("f4")))


def test_dtypes_that_are_refused():
    x, w = typed(numbers((2, 3))), typed(numbers((3, 2), "float32"))
    with pytest.raises(DTypeError, match="E222"):
        Contract("ab,bc->ac").infer(x, w)
    with pytest.raises(DTypeError, match="E236"):
        Contract("ab,bc->ac", (), numpy.dtype("i4")).infer(x, x.with_shape((3, 2)))


@st.composite
def specs(draw):
    """A spec of letters and windows, shapes of its operands, sizes by letter."""
    letters = "abcde"[: draw(st.integers(1, 5))]
    sizes = {letter: draw(st.integers(1, 3)) for letter in letters}
    coefficient = st.sampled_from(("", "", "2", "-", "3"))

    @st.composite
    def window(draw):
        # Each letter once: "a-a" is an index that does not depend on a.
        inside = draw(st.lists(st.sampled_from(letters), min_size=1, max_size=2, unique=True))
        parts = [f"{draw(coefficient)}{letter}" for letter in inside]
        total = "+".join(parts).replace("+-", "-") + draw(st.sampled_from(("", "+1", "-1", "-2")))
        by = draw(st.sampled_from((1, 1, 2)))
        return f"[{total}]" if by == 1 else f"[({total})/{by}]"

    operands, shapes = [], []
    for _ in range(2):
        parts = draw(st.lists(st.sampled_from(letters) | window(), max_size=4))
        operands.append("".join(parts))
        shapes.append(tuple(sizes[part] if len(part) == 1 else draw(st.integers(1, 5)) for part in parts))
    used = [letter for letter in letters if letter in "".join(operands)]
    out = draw(st.permutations(used))[: draw(st.integers(0, len(used)))] if used else []
    bare = {part for operand in operands for part in _outside_brackets(operand)}
    return f"{','.join(operands)}->{''.join(out)}", shapes, {c: sizes[c] for c in used if c not in bare}


def _outside_brackets(operand):
    depth = 0
    for mark in operand:
        depth += (mark == "[") - (mark == "]")
        if not depth and mark in string.ascii_letters:
            yield mark


@settings(max_examples=40, deadline=None)
@given(specs(), st.sampled_from(("float64", "int64")))
def test_any_spec_compiled_is_its_reference_and_so_are_its_gradients(case, dtype):
    spec, shapes, sizes = case
    x, w = numbers(shapes[0], dtype), numbers(shapes[1], dtype, seed=1)
    graph = verify(make_graph(lambda x, w: [ops.contract(spec, x, w, sizes)], [typed(x), typed(w)]))
    assert parse(str(graph), ops.OPS) == graph
    wanted = evaluate(graph, [x, w])[0]
    numpy.testing.assert_allclose(compiled(graph).run([x, w])[0], wanted, rtol=1e-10, atol=1e-10)
    if dtype == "int64":
        return
    g = numbers(wanted.shape, seed=2)
    slope = make_graph(lambda x, w, g: pullback(graph, [x, w], [g]), [typed(each) for each in (x, w, g)])
    found, reference = compiled(slope).run([x, w, g]), evaluate(slope, [x, w, g])
    total = (wanted * g).sum()
    for operand_, ours, theirs in zip((x, w), found, reference, strict=True):
        numpy.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10)
        assert (operand_ * theirs).sum() == pytest.approx(total, abs=1e-9)


def test_what_is_outside_is_zero_whatever_is_beside_it():
    """A padded border is no NaN where the operand has them elsewhere, nor is a window that sees none of it."""
    x = numpy.array([numpy.nan, 1.0, 2.0, numpy.inf])
    for function in (lambda x, w: convolved(x, w, padding=2), hy.hybridize(lambda x, w: convolved(x, w, padding=2))):
        found = function(np.array(x.reshape(1, 1, 4), dtype="float64"), np.ones((1, 1, 2), dtype="float64")).asnumpy()
        numpy.testing.assert_array_equal(found.ravel(), [0.0, numpy.nan, numpy.nan, 3.0, numpy.inf, numpy.inf, 0.0])


def kinds(*dtypes):
    return [np.ones((1, 4, 5, 5), dtype=dtypes[0]), np.ones((6, 4, 3, 3), dtype=dtypes[1])]


REFUSED = {
    "two dtypes": (kinds("float32", "float64"), {}, "E222"),
    "a short float": (kinds("float16", "float32"), {}, "E222"),
    "integers and floats": (kinds("int32", "float32"), {}, "E222"),
    "bools": (kinds("bool", "bool"), {}, "E221"),
    "bools and floats": (kinds("bool", "float32"), {}, "E222"),
    "a window without elements": ((np.ones((1, 4, 5, 5)), np.ones((6, 4, 0, 3))), {}, "E175"),
    "a window that does not fit": ((np.ones((1, 4, 5, 5)), np.ones((6, 4, 7, 3))), {}, "E175"),
    "padding": (kinds("float32", "float32"), {"padding": 1 << 40}, "E173"),
    "strides": (kinds("float32", "float32"), {"strides": 1 << 62}, "E173"),
    "a dilated image": (kinds("float32", "float32"), {"x_dilation": 1 << 61}, "E173"),
    "groups and dtypes": (kinds("float32", "float64"), {"groups": 2}, "E222"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_convolutions_are_refused_in_both_modes_by_the_name_of_what_was_called(name):
    operands, how, code = REFUSED[name]

    def called(x, w):
        return result(ops.convolution(operand(x), operand(w), **how))

    texts = []
    for function in (called, hy.hybridize(called)):
        with pytest.raises(HybridizeError) as caught:
            function(*operands)
        assert caught.value.code == code
        assert caught.value.help
        assert caught.value.loc.function == "called"
        texts.append(caught.value.what)
    assert texts[0] == texts[1]
    assert texts[0].startswith("convolution ")
    assert "contract" not in texts[0]


def test_a_window_without_elements_says_what_to_give():
    with pytest.raises(ShapeError, match=r"the window is empty along axis 2\n.*\n  help: a weight is"):
        ops.convolution(numpy.ones((1, 4, 5, 5), "f4"), numpy.ones((6, 4, 0, 3), "f4"))


@pytest.mark.parametrize(("x", "w"), [("float32", "float64"), ("bool", "bool"), ("int32", "float32")])
@pytest.mark.parametrize("spec", ["ab,bc->ac", "a[b+c],c->ab"])
def test_contractions_of_other_dtypes_are_refused_in_both_modes(spec, x, w):
    """Products of matrices among them, which NumPy would promote."""
    operands = [np.ones((2, 3), dtype=x), np.ones((3, 4) if "bc" in spec.split(",")[1] else (2,), dtype=w)]
    sizes = {} if "bc" in spec.split(",")[1] else {"b": 2}

    def called(x, w):
        return result(ops.contract(spec, operand(x), operand(w), sizes))

    for function in (called, hy.hybridize(called)):
        with pytest.raises(DTypeError, match=r"^DTypeError E22[12]: contract takes "):
            function(*operands)


def test_einsums_that_are_too_large_are_refused_by_their_name():
    def called(x):
        wide = np.broadcast_to(x, (1 << 31,))
        return np.einsum("i,j->ij", wide, wide)

    for function in (called, hy.hybridize(called)):
        with pytest.raises(ShapeError, match=r"^ShapeError E173: einsum of .*'i,j->ij'"):
            function(np.ones((1,)))


def test_a_call_that_is_too_large_names_its_sizes_if_it_has_any():
    def called(x):
        return np.matmul(np.broadcast_to(x, (1 << 31, 1)), np.broadcast_to(x, (1, 1 << 31)))

    with pytest.raises(ShapeError, match=r"E125: a call of called takes \d+ bytes"):
        hy.hybridize(called)(np.ones((1,)))
