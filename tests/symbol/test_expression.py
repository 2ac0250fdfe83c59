"""Expressions by hand: recorded, typed, compiled."""

import numpy
import pytest

from hybridize import init, name, nd
from hybridize import symbol as sym
from hybridize.array import np, npx
from hybridize.base.errors import ArgumentError, CaptureError, ShapeError
from hybridize.programs import Program


def test_define_compile_run():
    a, b = sym.var("a"), sym.var("b")
    expression = np.exp(a) * 2 + b.T @ a - b[0] / 3
    program = expression.compile(a=(3, 3), b=(3, 3))
    assert isinstance(program, Program)
    x, y = (numpy.random.rand(3, 3).astype("float32") for _ in range(2))
    numpy.testing.assert_allclose(program(x, y).asnumpy(), numpy.exp(x) * 2 + y.T @ x - y[0] / 3, rtol=1e-5)


def test_arguments_come_in_the_order_of_their_appearance():
    a, b, c = (sym.var(name) for name in "abc")
    assert (c + a * b).list_arguments() == ["c", "a", "b"]
    assert np.concatenate([b, a]).list_arguments() == ["b", "a"]
    program = (c - a).compile(a=(2,), c=(2,))
    assert program(numpy.ones(2, "float32"), numpy.zeros(2, "float32")).asnumpy().tolist() == [1.0, 1.0]


def test_types_of_variables():
    a = sym.var("a", shape=(2, 3))
    b = sym.var("b", dtype="float64")
    assert a.compile is not None
    assert [value.type.shape for value in (a * 2).compile().captured.inputs] == [(2, 3)]
    program = (a + b).compile(b=(2, 1))
    assert [str(kind) for kind in program.types] == ["f32[2,3]", "f64[2,1]"]
    assert str((a * 1).compile(a="i32[4]").types[0]) == "i32[4]"
    assert (a * 1).compile(a=np.zeros((5,))).types[0].shape == (5,)


def test_infer():
    a, b = sym.var("a"), sym.var("b")
    assert npx.fully_connected(a, b, None, num_hidden=4, no_bias=True).infer_shape(a=(2, 3), b=(4, 3)) == (
        [(2, 3), (4, 3)],
        [(2, 4)],
        [],
    )
    arguments, results, _ = (a > 1).infer_type(a="f64[2]")
    assert [str(dtype) for dtype in (*arguments, *results)] == ["float64", "float64"]


def test_texts():
    a, b = sym.var("a"), sym.var("b")
    assert repr(a) == "<Expression a>"
    assert repr((a + b) * 2) == "<Expression (a + b) * 2>"
    assert repr(np.sum(a, axis=1)) == "<Expression sum(a, axis=1)>"
    long = a
    for _ in range(300):
        long = long + b
    assert repr(long) == "<Expression add(...) of a, b>"


def test_expressions_have_no_values():
    a = sym.var("a")
    for use in (
        bool,
        lambda x: x.shape,
        lambda x: x.asnumpy(),
        len,
        numpy.asarray,
        lambda x: x.dtype,
        lambda x: x.item(),
    ):
        with pytest.raises(CaptureError, match="E453"):
            use(a)
    with pytest.raises(CaptureError, match="E452"):
        a[0] = 1
    b = a
    b += 1
    assert b is not a
    assert a.list_arguments() == ["a"]


def test_errors_are_where_the_expression_was_written():
    a, b = sym.var("a"), sym.var("b")
    wrong = a + b  # here
    with pytest.raises(ShapeError, match=r"f32\[2\]") as caught:
        wrong.compile(a=(2,), b=(3,))
    assert caught.value.loc.text.endswith("# here")
    with pytest.raises(ArgumentError, match="'c' is not a variable"):
        wrong.compile(a=(2,), b=(2,), c=(2,))
    with pytest.raises(ArgumentError, match="shape of variable 'b'"):
        wrong.compile(a=(2,))
    with pytest.raises(ArgumentError, match="two variables"):
        (sym.var("a") + a).compile(a=(2,))
    with pytest.raises(TypeError):
        sym.var("")


def test_eval_and_functions():
    a = sym.var("a")
    assert (a * 3).eval(a=np.array([2.0]))[0].item() == 6.0
    function = (a * 3).as_function()
    assert function(np.array([2.0])).item() == 6.0
    assert function(np.ones((2, 2))).shape == (2, 2)


def test_arrays_in_expressions_are_inputs():
    weight = np.array([1.0, 2.0])
    program = (sym.var("a") * weight).compile(a=(2,))
    weight[:] = 5
    assert program(np.ones((2,))).asnumpy().tolist() == [5.0, 5.0]


def test_the_module_is_f():
    assert "hybridize.symbol" in repr(sym)
    assert sym.np is np
    assert (sym.Activation(sym.var("x"), act_type="relu")).compile(x=(2,))(
        np.array([-1.0, 1.0])
    ).asnumpy().tolist() == [0.0, 1.0]
    with pytest.raises(AttributeError, match="has no 'nonsense'"):
        sym.nonsense  # noqa: B018


NAMES = {
    "_plus": lambda a, b: a + b, "_plusscalar": lambda a, b: 1 + a, "_minus": lambda a, b: a - b,
    "_minusscalar": lambda a, b: a - 1, "_rminusscalar": lambda a, b: 1 - a, "_mul": lambda a, b: a * b,
    "_mulscalar": lambda a, b: a * 2, "_div": lambda a, b: a / b, "_divscalar": lambda a, b: a / 2,
    "_rdivscalar": lambda a, b: 2 / a, "_mod": lambda a, b: a % b, "_modscalar": lambda a, b: a % 2,
    "_rmodscalar": lambda a, b: 2 % a, "_power": lambda a, b: a**b, "_powerscalar": lambda a, b: a**2,
    "_rpower_scalar": lambda a, b: 2**a, "_equal": lambda a, b: a == b, "_equal_scalar": lambda a, b: a == 1,
    "_not_equal": lambda a, b: a != b, "_not_equal_scalar": lambda a, b: a != 1, "_greater": lambda a, b: a > b,
    "_greater_scalar": lambda a, b: a > 1, "_greater_equal": lambda a, b: a >= b,
    "_greater_equal_scalar": lambda a, b: a >= 1, "_lesser": lambda a, b: a < b, "_lesser_scalar": lambda a, b: a < 1,
    "_lesser_equal": lambda a, b: a <= b, "_lesser_equal_scalar": lambda a, b: a <= 1,
    "_maximum": sym.maximum, "_maximumscalar": lambda a, b: sym.maximum(a, 2),
    "_minimum": sym.minimum, "_minimumscalar": lambda a, b: sym.minimum(2, a),
    "abs": lambda a, b: abs(a), "sum": lambda a, b: a.sum(), "broadcast_add": sym.broadcast_add,
}  # fmt: skip


@pytest.mark.parametrize("stem", NAMES)
def test_operators_have_the_names_of_mxnet(stem):
    """By which programs take parts of a net: `get_internals()["_plus12_output"]`. The names are MXNet 1.9.1's."""
    a, b = sym.var("a"), sym.var("b")
    with name.NameManager():
        y, z = NAMES[stem](a, b), NAMES[stem](a, b)
    assert (y.name, z.list_outputs()) == (f"{stem}0", [f"{stem}1_output"])
    assert z.get_internals()[f"{stem}1_output"].list_arguments() == z.list_arguments()
    with name.Prefix("net_"):
        assert NAMES[stem](a, b).name.startswith(f"net_{stem}")
    given = {one: nd.array([1.0, 2, 3]) for one in y.list_arguments()}
    result, expected = y.eval(**given)[0], NAMES[stem](nd.array([1.0, 2, 3]), nd.array([1.0, 2, 3]))
    numpy.testing.assert_allclose(result.asnumpy(), expected.asnumpy())


def test_attributes_are_shown_as_mxnet_shows_them():
    x = sym.var("x", lr_mult=2.0, wd_mult=0.5, init=init.One())
    own = {"lr_mult": "2.0", "wd_mult": "0.5", "__lr_mult__": "2.0", "__wd_mult__": "0.5", "__init__": '["one", {}]'}
    assert (x.list_attr(), x.attr("lr_mult"), x.attr("init")) == (own, "2.0", None)
    y = sym.Convolution(x, kernel=(3, 3), num_filter=2, no_bias=True, name="c", attr={"__mood__": "x"})
    given = {"kernel": "(3, 3)", "num_filter": "2", "no_bias": "True", "__mood__": "x"}
    assert (y.list_attr(), y.attr("kernel")) == (given, "(3, 3)")
    assert y.attr_dict() == {"x": own, "c": given}


def test_what_is_not_there_is_a_value_error_as_in_mxnet():
    x, y = sym.var("x"), sym.var("y")
    for wrong in (
        lambda: x["y_output"],
        lambda: (x + y).eval(x=nd.ones((1,))),
        lambda: (x + y).bind(args={"x": nd.ones((1,))}),
    ):
        with pytest.raises(ValueError, match="E314"):
            wrong()
    for infer in ((x + y).infer_shape, (x + y).infer_shape_partial):
        with pytest.raises(ArgumentError, match="'z' is not a variable"):
            infer(x=(2,), z=(2,))
