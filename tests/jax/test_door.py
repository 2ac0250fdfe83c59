"""The door: arrays in and out, kinds of arguments, transformations of JAX's around it, refusals, files."""

import dataclasses
import functools
import subprocess
import sys
from collections import deque, namedtuple
from pathlib import Path
from types import ModuleType, SimpleNamespace

import jax
import jax.numpy as jnp
import numpy
import pytest
from jax import lax

import hybridize as package
from hybridize import hybridize, load
from hybridize.errors import ArgumentError, CaptureError, DTypeError, StateError
from hybridize.jax import JaxFunction
from tests.refusals import refusal

sys.path.insert(0, str(Path(__file__).parent))
from comparing import assert_same

x = jnp.arange(12.0).reshape(3, 4)
PYTHON = sys.executable


def line_of(error):
    return error.value.loc.text


# Arrays


def test_a_jitted_function_is_of_the_door_at_once():
    fast = hybridize(jax.jit(jnp.sin))
    assert isinstance(fast, JaxFunction)
    assert_same(fast(x), jnp.sin(x))


def test_a_plain_function_is_when_it_gets_arrays_of_jax():
    fast = hybridize(lambda a, b: jnp.tanh(a) + b)
    assert_same(fast(x, 1.0), jnp.tanh(x) + 1.0)
    assert_same(fast(numpy.ones((3, 4), "f4"), x), jnp.tanh(jnp.ones((3, 4))) + x)
    assert "2 programs" in repr(fast)


def test_a_plain_function_that_gets_none_but_uses_jax():
    assert_same(hybridize(lambda n: jnp.arange(4.0) * n)(2.0), jnp.arange(4.0) * 2.0)
    assert_same(hybridize(lambda a: jnp.sin(a))(numpy.ones(3, "f4")), jnp.sin(jnp.ones(3)))


def test_decorators():
    @hybridize
    @jax.jit
    def jitted(a):
        return a + 1

    @hybridize
    def plain(a):
        return jnp.exp(a)

    assert jitted.__name__ == "jitted"
    assert_same(jitted(x), x + 1)
    assert_same(plain(x), jnp.exp(x))


def test_arguments_are_read_where_they_are_and_results_lie_where_jax_takes_them():
    fast = hybridize(jax.jit(lambda a: a + 1))
    for size in range(0, 200, 13):
        y = fast(jnp.arange(float(size)))
        assert_same(y, jnp.arange(float(size)) + 1)
        assert y.unsafe_buffer_pointer() % 64 == 0
    y = fast(jnp.arange(5.0))
    later = [fast(jnp.full(5, float(k))) for k in range(20)]
    assert y.tolist() == [1, 2, 3, 4, 5]
    assert [int(one[0]) for one in later] == list(range(1, 21))


def test_arguments_that_are_results():
    a = numpy.ones(4, "f4")
    same, other = hybridize(jax.jit(lambda a, b: (a, b)))(a, x)
    a[:] = 7
    assert same.tolist() == [1, 1, 1, 1]
    assert_same(other, x)


def test_an_array_that_is_passed_twice():
    fast = hybridize(jax.jit(lambda a, b: a @ b.T))
    assert_same(fast(x, x), x @ x.T)
    assert_same(fast(x, x + 1), x @ (x + 1).T)
    assert len(fast.programs()) == 1


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int16", "uint32", "int32", "float16", "bfloat16", "complex64"]
)
def test_dtypes(dtype):
    a = (x * 3).astype(dtype)

    def function(a):
        return a[1:], a.T, (a + a if a.dtype != bool else ~a)

    assert_same(hybridize(jax.jit(function))(a), function(a))


def test_64_bits_where_they_are_enabled():
    fast = hybridize(jax.jit(lambda a: a * 2))
    assert fast(numpy.ones(3)).dtype == jnp.float32
    with jax.enable_x64(True):
        assert fast(numpy.ones(3)).dtype == jnp.float64
        assert fast(jnp.arange(3)).dtype == jnp.int64
    assert fast(numpy.arange(3)).dtype == jnp.int32


def test_dtypes_that_hybridize_has_not():
    with pytest.raises(DTypeError, match="E201: an array of int4"):
        hybridize(jax.jit(lambda a: a))(jnp.ones(3, jnp.int4))


def test_keys_of_random_numbers():
    def draws(key):
        first, second = jax.random.split(key)
        return jax.random.normal(first, (3,)), second

    assert_same(hybridize(jax.jit(draws))(jax.random.key(3)), draws(jax.random.key(3)))
    with pytest.raises(package.errors.LoadError, match=r"E603.*rbg"):
        hybridize(jax.jit(draws))(jax.random.key(3, impl="rbg"))


def test_weak_types_stay_weak():
    fast = hybridize(jax.jit(lambda n: n * 2))
    assert fast(1.5).weak_type
    assert (jnp.ones(2, jnp.bfloat16) * fast(1.5)).dtype == jnp.bfloat16
    assert not fast(jnp.float32(1.5)).weak_type


# Numbers, constants, trees


def test_numbers_are_data():
    fast = hybridize(jax.jit(lambda a, n: a * n))
    for n in (1.5, 2.5, -3.0):
        assert_same(fast(x, n), x * n)
    assert len(fast.programs()) == 1
    for n in (2, True):
        assert_same(fast(x, n), x * n)
    assert len(fast.programs()) == 3


def test_numbers_that_python_has_to_know_are_constants():
    fast = hybridize(lambda a, n: [a * k for k in range(n)])
    assert [len(fast(x, n)) for n in (2, 3, 2)] == [2, 3, 2]
    shaped = hybridize(lambda a, n, turn=False: a.reshape(n, -1) if turn else a * n)
    assert shaped(x, 2, turn=True).shape == (2, 6)
    assert_same(shaped(x, 2), x * 2)


@pytest.mark.parametrize("how", [{"static_argnums": 1}, {"static_argnames": "n"}, {"static_argnums": (-1,)}])
def test_static_arguments(how):
    fast = hybridize(jax.jit(lambda a, n: [a * k for k in range(n)], **how))
    assert [len(fast(x, n)) for n in (2, 3, 2)] == [2, 3, 2]
    assert len(fast.programs()) == 2
    if "static_argnames" in how:
        assert len(fast(x, n=4)) == 4


def test_a_static_argument_without_a_hash():
    with pytest.raises(ArgumentError, match="E311: a list cannot be an argument"):
        hybridize(jax.jit(lambda a, n: a, static_argnums=1))(x, [1])


def test_words_and_functions_among_the_arguments_of_a_plain_function():
    fast = hybridize(lambda a, how, f: (f(a), how))
    assert_same(fast(x, "sine", jnp.sin)[0], jnp.sin(x))
    assert fast(x, "cosine", jnp.cos)[1] == "cosine"
    assert_same(fast(x, "cosine", jnp.cos)[0], jnp.cos(x))


def test_what_a_plain_function_gives_besides_arrays_stays_what_it_is():
    fast = hybridize(lambda a: {"y": a + 1, "name": "net", "count": 3, "none": None})
    result = fast(x)
    assert (result["name"], result["count"], result["none"]) == ("net", 3, None)
    assert type(result["count"]) is int


Pair = namedtuple("Pair", "a b")


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Params:
    w: jax.Array
    b: jax.Array


def test_trees():
    tree = {"p": Params(x, x[0]), "q": [Pair(x, None), (x,)], "r": {}}
    fast = hybridize(jax.jit(lambda t: jax.tree.map(lambda a: a * 2, t)))
    assert_same(fast(tree), jax.tree.map(lambda a: a * 2, tree))
    assert isinstance(fast(tree)["p"], Params)


def test_results_whose_tree_depends_on_sizes():
    fast = hybridize(jax.jit(lambda a: [row * 2 for row in a]))
    for n in (2, 3, 2, 4):
        assert_same(fast(x[:1].repeat(n, 0)), [row * 2 for row in x[:1].repeat(n, 0)])


def test_donated_arguments_are_read_and_stay():
    fast = hybridize(jax.jit(lambda a: a + 1, donate_argnums=0))
    a = jnp.ones(3)
    assert_same(fast(a), a + 1)


def test_methods_and_partials():
    class Net:
        def __init__(self):
            self.w = jnp.ones(4)

        def __call__(self, a):
            return a * self.w

        def apply(self, a):
            return a @ self.w

    net = Net()
    assert_same(hybridize(net)(x), x)
    assert_same(hybridize(net.apply)(x), x @ net.w)
    assert_same(hybridize(jax.jit(functools.partial(jnp.add, 2.0)))(x), x + 2)


# What functions that are not jitted read from outside

WEIGHT = jnp.ones(4)
SETTINGS = {"scale": 2.0, "parts": [jnp.ones(4)]}


def scaled(a):
    return a * WEIGHT * SETTINGS["scale"] + SETTINGS["parts"][0]


def test_globals_that_change(monkeypatch):
    fast = hybridize(lambda a: scaled(a) + 1)
    assert_same(fast(x), scaled(x) + 1)
    for name, value in (("WEIGHT", jnp.zeros(4)), ("SETTINGS", {"scale": 3.0, "parts": [jnp.zeros(4)]})):
        monkeypatch.setitem(globals(), name, value)
        assert_same(fast(x), scaled(x) + 1)
    SETTINGS["scale"] = 5.0
    SETTINGS["parts"][0] = jnp.full(4, 7.0)
    assert_same(fast(x), scaled(x) + 1)
    assert_same(fast(x + 1), scaled(x + 1) + 1)
    assert len(fast.programs()) == 1


def test_attributes_and_closures_that_change():
    weight = jnp.ones(4)
    table = numpy.ones(4, "f4")

    class Net:
        def __init__(self):
            self.w = jnp.ones(4)

        def __call__(self, a):
            return a * self.w + weight * table

    net = Net()
    fast = hybridize(net)
    assert_same(fast(x), net(x))
    net.w = jnp.zeros(4)
    assert_same(fast(x), net(x))
    weight = weight * 3
    assert_same(fast(x), net(x))
    table[0] = 9
    assert_same(fast(x), net(x))
    net.more = 1
    assert_same(fast(x), net(x))


class Part:
    __slots__ = ("bias",)
    scale = 2.0

    def __init__(self):
        self.bias = 1.0

    def __call__(self, a):
        return self.moved(a) * self.scale

    def moved(self, a):
        return a + self.bias * WEIGHT


class Whole:
    def __init__(self):
        self.parts, self.options, self.calls = [Part(), Part()], SimpleNamespace(rate=2.0), 0

    def __call__(self, a):
        return sum(part(a) for part in self.parts) * self.options.rate


def test_objects_that_hold_others(monkeypatch):
    """As a closure, and as the object whose method is decorated."""
    whole = Whole()
    fast = hybridize(lambda a: whole(a))
    monkeypatch.setattr(Whole, "fast", hybridize(Whole.__call__), raising=False)
    for change in (
        lambda: setattr(whole.parts[1], "bias", 5.0),
        lambda: setattr(whole.options, "rate", 3.0),
        lambda: whole.parts.append(Part()),
        lambda: monkeypatch.setattr(Part, "scale", 4.0),
        lambda: monkeypatch.setattr(Part, "moved", lambda self, a: -a),
    ):
        for function in (fast, whole.fast):
            assert_same(function(x), whole(x))
        change()
        for function in (fast, whole.fast):
            assert_same(function(x), whole(x))
    before = fast.programs()
    whole.calls += 1  # no code reads it
    fast(x)
    assert all(one is other for one, other in zip(fast.programs(), before, strict=True))


def test_two_objects_of_one_method_that_change_in_turn():
    """An entry that is made anew for one of them is not made right for the other."""

    class Scale:
        def __init__(self, by):
            self.by, self.inner = by, SimpleNamespace(by=2.0)

        @hybridize
        def apply(self, a):
            return a * self.by * self.inner.by

    one, two = Scale(1.0), Scale(3.0)
    for change in (
        lambda: setattr(one, "by", 0.0), lambda: setattr(one, "by", 2.0), lambda: setattr(one.inner, "by", 5.0),
        lambda: setattr(two, "by", 6.0), lambda: setattr(two.inner, "by", 7.0), lambda: None,
    ):  # fmt: skip
        change()
        for scale in (one, two):
            assert_same(scale.apply(x), x * scale.by * scale.inner.by)


def test_modules_and_classes_that_change(monkeypatch):
    module = ModuleType("settings_of_a_user")
    module.__file__ = __file__
    module.rate = 2.0

    class Options:
        rate = 3.0

    fast = hybridize(lambda a: a * module.rate * Options.rate)
    assert_same(fast(x), x * 6)
    module.rate = 4.0
    assert_same(fast(x), x * 12)
    Options.rate = -0.0
    assert_same(fast(x), x * -0.0)


def test_containers_of_all_kinds_that_change():
    class Table(dict):
        pass

    words, table, mixed, row, ring = {1, 2}, Table(k=2.0), {1: 2.0, "b": 3.0}, deque([1.0]), [1.0]
    ring.append(ring)
    fast = hybridize(lambda a: a * (sum(words) + table["k"] * mixed["b"] * row[0] * ring[0]))
    for change in (
        lambda: words.add(3), lambda: table.update(k=3.0), lambda: mixed.update(b=4.0), lambda: row.append(row.popleft() + 4),
        lambda: ring.__setitem__(0, 7.0),
    ):  # fmt: skip
        fast(x)
        change()
        assert_same(fast(x), x * (sum(words) + table["k"] * mixed["b"] * row[0] * ring[0]))


def test_constants_that_are_equal_and_not_the_same():
    fast = hybridize(lambda a, n, s: a.reshape(n, -1) / s)
    for s in (0.0, -0.0, float("nan"), float("nan"), 0.0):
        assert_same(fast(x, 2, s), x.reshape(2, -1) / s)
    assert len(fast.programs()) == 3


# Sizes


def test_sizes_that_python_asks_about():
    """JAX takes sizes that it does not know for unequal: the program holds for those only that are."""

    def function(a):
        return a * 10 if a.shape[0] == 6 else a + 1

    fast = hybridize(jax.jit(function))
    for n in (3, 4, 5, 6, 7, 6):
        assert_same(fast(jnp.ones((n, 2))), function(jnp.ones((n, 2))))


def test_sizes_that_are_equal_by_chance():
    def function(a, b):
        return a.sum() + b.sum() if a.shape[0] == b.shape[0] else a.sum() - b.sum()

    fast = hybridize(jax.jit(function))
    for n, m in ((3, 4), (5, 6), (7, 7), (8, 7), (4, 4)):
        assert_same(fast(jnp.ones(n), jnp.ones(m)), function(jnp.ones(n), jnp.ones(m)))


def test_sizes_that_decide_by_order_make_exact_programs():
    def function(a):
        return a.sum() if a.shape[0] > 4 else a.max()

    fast = hybridize(jax.jit(function))
    for n in (3, 4, 5, 6):
        assert_same(fast(jnp.arange(float(n))), function(jnp.arange(float(n))))


def test_a_size_of_one_and_none():
    fast = hybridize(jax.jit(lambda a, b: (a + b).sum(0)))
    b = jnp.ones((1, 3))
    for n in (4, 5, 1, 0, 2):
        a = jnp.ones((n, 3))
        assert_same(fast(a, b), (a + b).sum(0))


# Transformations of JAX's


@pytest.mark.parametrize("around", [lambda f: f, jax.jit])
def test_hybridized_functions_within_others(around):
    weight = jnp.ones(4) * 3
    plain, jitted = hybridize(lambda a: jnp.tanh(a) * 2), hybridize(jax.jit(lambda a: a + 1))
    plain(x)
    steps = hybridize(lambda n: jnp.arange(n * 1.0))
    functions = {
        lambda a: plain(a) + jitted(a): lambda a: jnp.tanh(a) * 2 + a + 1,
        lambda a: a * steps(4) + plain(numpy.ones(4, "f4")): lambda a: a * jnp.arange(4.0) + jnp.tanh(1.0) * 2,
        lambda a: a + plain(weight) + jitted(weight) * jitted(2.0): lambda a: (
            a + jnp.tanh(weight) * 2 + (weight + 1) * 3
        ),
        jax.vmap(lambda a: plain(a).sum()): jax.vmap(lambda a: (jnp.tanh(a) * 2).sum()),
        jax.grad(lambda a: plain(a).sum()): jax.grad(lambda a: (jnp.tanh(a) * 2).sum()),
        lambda a: lax.scan(lambda c, r: (plain(c), jitted(r)), a[0], a): lambda a: lax.scan(
            lambda c, r: (jnp.tanh(c) * 2, r + 1), a[0], a
        ),
    }
    for ours, theirs in functions.items():
        assert_same(hybridize(around(ours))(x), theirs(x))


def test_refusals_say_what_is_there():
    with refusal(CaptureError, "help: use functions of jax.numpy, not NumPy's"):
        hybridize(lambda a: numpy.sin(a))(x)
    with refusal(CaptureError, "help: use jax.lax.cond"):
        hybridize(lambda a: a if a.sum() > 0 else -a)(x)
    with refusal(ArgumentError, "an array of <U1 cannot be an argument"):
        hybridize(jax.jit(lambda a, b: a))(x, numpy.array(["a"]))


def test_without_compilation_python_runs():
    fast = hybridize(
        jax.jit(lambda a: -a if a.sum() > 0 else lax.while_loop(lambda c: c.sum() < 9, lambda c: c + 1, a))
    )
    with jax.disable_jit():
        for a in (x, -x):
            assert_same(fast(a), fast.function(a))
    with pytest.raises(jax.errors.TracerBoolConversionError):
        fast(x)


def test_under_transformations_it_is_the_function_itself():
    fast = hybridize(jax.jit(lambda a: jnp.tanh(a) * a))
    fast(x)
    assert_same(jax.grad(lambda a: fast(a).sum())(x), jax.grad(lambda a: (jnp.tanh(a) * a).sum())(x))
    assert_same(jax.vmap(fast)(x), jnp.tanh(x) * x)
    assert_same(jax.jit(fast)(x), jnp.tanh(x) * x)
    assert_same(lax.scan(lambda c, r: (c, fast(r)), 0, x)[1], jnp.tanh(x) * x)
    assert_same(jax.jvp(fast, (x,), (x,)), jax.jvp(lambda a: jnp.tanh(a) * a, (x,), (x,)))
    assert fast.lower(x) is not None
    assert len(fast.programs()) == 1


def test_transformations_inside():
    fast = hybridize(jax.vmap(jax.grad(lambda a: (a**3).sum())))
    assert_same(fast(x), 3 * x**2)


def test_disabled():
    seen = []
    fast = hybridize(lambda a: (seen.append(type(a).__name__), a + 1)[1])
    with package.disabled():
        fast(x)
    assert seen == ["ArrayImpl"]


def test_gradients_of_ours_are_by_the_rules_of_functions():
    """A loaded program is differentiated by our own tape, which takes JAX's rule."""

    @jax.custom_vjp
    def cube(a, number, w):
        return a**3 * w, number

    cube.defvjp(
        lambda a, number, w: ((a**3 * w, number), (a, w)),
        lambda kept, g: (jnp.clip(kept[0] * g[0], -1, 1), None, kept[1] * 0 + 5),
    )
    fast = hybridize(jax.jit(lambda a, w: cube(a, 3, w)[0] * 2))
    assert_same(fast(x, x), 2 * x**3 * x)
    net = package.capture.SavedFunction(fast.saved())
    a, w = (package.np.array(numpy.asarray(x)) for _ in range(2))
    a.attach_grad()
    w.attach_grad()
    with package.autograd.record():
        total = net(a, w).sum()
    total.backward()
    wanted = jax.grad(lambda a, w: (cube(a, 3, w)[0] * 2).sum(), (0, 1))(x, x)
    assert_same([jnp.asarray(a.grad.asnumpy()), jnp.asarray(w.grad.asnumpy())], list(wanted))


def test_a_rule_that_calls_its_function():
    from jax.experimental.ode import odeint

    def swings(start):
        return odeint(lambda y, t: jnp.array([y[1], -jnp.sin(y[0])]), start, jnp.linspace(0.0, 1.0, 3))

    assert_same(hybridize(jax.jit(swings))(jnp.ones(2)), jax.jit(swings)(jnp.ones(2)), rtol=1e-4)


# Refusals


def test_what_no_program_does_is_refused_at_its_line():
    def calls(a):
        b = a * 2
        return jax.pure_callback(numpy.sin, jax.ShapeDtypeStruct(b.shape, b.dtype), b)  # this line

    def prints(a):
        jax.debug.print("a is {}", a)  # this line
        return a

    def draws(a):
        return a + jax.experimental.io_callback(lambda: numpy.float32(1), jax.ShapeDtypeStruct((), "f4"))  # this line

    for function, word in ((calls, "pure_callback"), (prints, "debug_print"), (draws, "io_callback")):
        for one in (function, jax.jit(function)):
            with refusal(CaptureError, f"E420: {word}") as error:
                hybridize(one)(x)
            assert "this line" in line_of(error)


def test_branches_on_data():
    def function(a):
        if a.sum() > 0:  # this line
            return a
        return -a

    with pytest.raises(CaptureError, match="E420: function asks in Python for the value") as error:
        hybridize(function)(x)
    assert "this line" in line_of(error)
    assert "jax.lax.cond" in error.value.help
    with pytest.raises(jax.errors.TracerBoolConversionError):
        hybridize(jax.jit(function))(x)


def test_errors_of_the_function_are_its_own():
    with pytest.raises(TypeError, match="contracting"):
        hybridize(jax.jit(lambda a: a @ a))(x)

    def fails(a):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        hybridize(fails)(x)


def test_lines_of_programs():
    def function(a):
        b = jnp.sin(a)
        return b @ b.T  # the product

    fast = hybridize(jax.jit(function))
    lines = {node.op.word: node.loc.text for node in fast.program(x).captured.nodes}
    assert lines["sin"] == "b = jnp.sin(a)"
    assert "the product" in lines["matmul"]


def test_names_of_arguments():
    fast = hybridize(jax.jit(lambda params, a: a @ params["w"][0]))
    fast({"w": [jnp.ones((4, 2))]}, x)
    assert [value.name for value in fast.programs()[0].captured.inputs] == ["params['w'][0]", "a"]


# Files

State = namedtuple("State", "mean count")


@jax.jit
def step(params, a, rate=0.1):
    grads = jax.grad(lambda p: ((jnp.tanh(a @ p["w"]) + p["b"]) ** 2).mean())(params)
    return {name: params[name] - rate * grads[name] for name in params}, State(grads["w"].mean(), a.shape[0])


PARAMS = {"w": 0.1 * jnp.ones((4, 5)), "b": jnp.arange(5.0)}
LOADED = """
import sys
import numpy
from hybridize import load
from tests.refusals import refusal

step = load(sys.argv[1], verify=True)
params = {"w": numpy.full((4, 5), 0.1, "f4"), "b": numpy.arange(5, dtype="f4")}
a = numpy.arange(12, dtype="f4").reshape(3, 4)
for args in ((a,), (a, 0.5), (numpy.ones((9, 4), "f4"), 0.1)):
    params, state = step(params, *args)
    print(float(params["w"].sum()), float(state.mean))
assert "jax" not in sys.modules
"""


def test_saved_and_loaded_without_jax(tmp_path):
    fast = hybridize(step)
    fast(PARAMS, x)
    fast(PARAMS, x, 0.5)
    fast(PARAMS, jnp.ones((7, 4)), 0.5)
    fast.save(tmp_path / "step.hyb", samples=[(PARAMS, x + 1)])
    done = subprocess.run([PYTHON, "-c", LOADED, tmp_path / "step.hyb"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    params, expected = PARAMS, []
    for args in ((x,), (x, 0.5), (jnp.ones((9, 4)), 0.1)):
        params, state = step(params, *args)
        expected.append((float(params["w"].sum()), float(state.mean)))
    numbers = [[float(part) for part in text.split()] for text in done.stdout.splitlines()]
    numpy.testing.assert_allclose(numbers, expected, rtol=1e-4, atol=1e-6)
    again = load(tmp_path / "step.hyb")
    assert_same([jnp.asarray(again(PARAMS, numpy.asarray(x))[0]["w"])], [step(PARAMS, x)[0]["w"]])


@pytest.mark.parametrize("format", ["library", "wasm"])
def test_exported(tmp_path, format, system):
    if format == "wasm":
        system("node")
    fast = hybridize(jax.jit(lambda p, a: jax.nn.softmax(a @ p["w"] + p["b"])))
    fast(PARAMS, x)
    exported = fast.export(tmp_path / "net", format=format)
    assert "as expected" in str(exported)


def test_constants_in_files(tmp_path):
    fast = hybridize(jax.jit(lambda a, how, n: (a * n, a + 1)[how], static_argnums=(1, 2)))
    fast(x, 0, 3)
    fast(x, 1, 3)
    fast.save(tmp_path / "f.hyb")
    loaded = load(tmp_path / "f.hyb")
    with package.autograd.train_mode():
        assert loaded(numpy.asarray(x), 0, 3).asnumpy().tolist() == (x * 3).tolist()
    assert loaded(numpy.asarray(x), 0, 3).asnumpy().tolist() == (x * 3).tolist()
    assert loaded(numpy.asarray(x), 1, 3).asnumpy().tolist() == (x + 1).tolist()


@dataclasses.dataclass
class Layer:
    weight: object
    inner: object


jax.tree_util.register_dataclass(Layer, ["inner", "weight"], [])


def test_classes_of_arguments_and_files(tmp_path):
    """A file has named tuples of its own, and tuples for what else is registered."""

    def update(state, layer):
        return state._replace(count=state.count + 1, rest=(layer.weight * layer.inner["k"], Nothing())), layer

    Nothing = namedtuple("Nothing", "")
    Counted = namedtuple("Counted", "count rest")
    state, layer = Counted(jnp.int32(0), (x, Nothing())), Layer(x, {"k": jnp.float32(3)})
    fast = hybridize(jax.jit(update))
    fast(state, layer)
    fast.save(tmp_path / "f.hyb")
    loaded = load(tmp_path / "f.hyb")
    after, parts = loaded(state, layer)
    assert type(after).__name__ == "Counted" and int(after.count) == 1 and type(parts) is tuple
    again, _ = loaded(after, parts)
    assert type(again) is type(after) and int(again.count) == 2
    assert int(loaded(state, layer=layer)[0].count) == 1
    assert_same(again.rest[0], x * 3)
    with refusal(ArgumentError, "Other"):
        loaded(namedtuple("Other", "count rest")(*state), layer)


def test_numbers_of_numpy_are_arrays_to_a_file(tmp_path):
    fast = hybridize(jax.jit(lambda a, d: (a * d["n"], d["b"])))
    fast(x, {"n": jnp.int32(3), "b": jnp.array(True)})
    fast.save(tmp_path / "f.hyb")
    loaded = load(tmp_path / "f.hyb")
    product, flag = loaded(numpy.asarray(x), {"b": numpy.bool_(False), "n": numpy.int32(5)})
    assert product.asnumpy().tolist() == (x * 5).tolist() and not flag
    with refusal(ArgumentError, "numpy.int16"):
        loaded(numpy.asarray(x), {"b": numpy.bool_(False), "n": numpy.int16(5)})


def test_nothing_to_save(tmp_path):
    with pytest.raises(StateError, match="E507"):
        hybridize(step).save(tmp_path / "x.hyb")


def test_verified_calls():
    fast = hybridize(step, verify="outputs")
    assert_same(fast(PARAMS, x), step(PARAMS, x), rtol=1e-4)


def test_programs_can_be_forgotten():
    fast = hybridize(jax.jit(jnp.sin))
    fast(x)
    assert fast.cache_info() == {"programs": 1, "forms": 1}
    fast.forget(fast.program(x))
    assert fast.cache_info()["programs"] == 0
    fast(x)
    fast.cache_clear()
    assert fast.cache_info() == {"programs": 0, "forms": 0}
