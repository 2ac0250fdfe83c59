"""Functions as libraries: what they give is what Python gives, at every level of processor."""

import json

import ml_dtypes
import numpy
import pytest

import hybridize as hy
from hybridize import np, npx
from hybridize.base.errors import CaptureError, CodegenError, StateError
from hybridize.codegen.llvm.engine import runnable
from hybridize.formats.deployable import deployable
from hybridize.gluon import nn

LEVELS = runnable()
must = npx.assert_


def numbers(x):
    return x.asnumpy() if isinstance(x, np.ndarray) else numpy.asarray(x)


def close(found, wanted):
    assert not isinstance(found, str), found
    wanted = [numbers(x) for x in wanted]
    assert len(found) == len(wanted)
    for x, y in zip(found, wanted, strict=True):
        assert (x.shape, x.dtype) == (y.shape, y.dtype)
        numpy.testing.assert_allclose(x.astype("f8"), y.astype("f8"), rtol=2e-5, atol=2e-6)


def mlp():
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu"), nn.Dense(128, activation="relu"), nn.Dense(2))
    net.initialize()
    return net


def normal(*shape):
    return np.array(numpy.random.default_rng(shape).standard_normal(shape).astype("f4"))


@pytest.mark.parametrize("weights", ["inside", "beside"])
def test_the_net_of_the_chapter_at_every_level(library, weights):
    net, x = mlp(), normal(1, 512)
    wanted = net(x)
    made = library(lambda data: net(data), (x,), weights=weights)
    beside = {"weights": str(made.files[-1])} if weights == "beside" else {}
    for level in (None, *LEVELS):
        model = made.create(**beside, **({} if level is None else {"processor": level}))
        close(model(numbers(x)), [wanted])
        model.destroy()


@pytest.mark.parametrize("weights", ["inside", "beside"])
def test_what_is_computed_of_weights_is_computed_when_a_model_is_made(library, weights):
    """Of two arrays larger than what is folded, by way of scratch, into one that calls read."""
    v, g, x = (np.array(numpy.round(numbers(normal(*shape)))) for shape in ((520, 640), (521, 640), (3, 640)))
    g = g[1:]
    made = library(lambda data: np.dot(data, (g * v).T) + 1, (x,), weights=weights)
    beside = {"weights": str(made.files[-1])} if weights == "beside" else {}
    for level in LEVELS:
        model = made.create(**beside, processor=level)
        for _ in range(2):
            close(model(numbers(x)), [np.dot(x, (g * v).T) + 1])
        model.destroy()


def test_sizes_are_the_calls(library):
    net = mlp()
    made = library(lambda data: net(data), (normal(1, 512),), (normal(4, 512),))
    model = made.create()
    for batch in (1, 2, 3, 4, 17, 64):
        x = normal(batch, 512)
        assert made.sizes([(batch, 512)]) == [(batch, 2)]
        close(model(numbers(x)), [net(x)])
    assert model(numbers(normal(0, 512))) == "SIZE: input 0 `data`: axis 0 must be 1 or more"
    assert model(numbers(normal(3, 511))) == "SIZE: input 0 `data`: axis 1 must be 512"
    one = made.description.inputs[0]
    assert (one.shape, one.smallest[0], one.largest[0], one.largest[1]) == (b"[n0,512]", 1, (1 << 63) - 1, 512)
    said = json.loads(made.description.json)
    limits = {"smallest": [1, 512], "largest": [(1 << 63) - 1, 512]}
    assert said["inputs"] == [{"name": "data", "dtype": "float32", "shape": ["n0", 512], **limits}]
    assert said["sizes"] == ["n0 in 1.."] and said["random"] is False and said["name"] == made.name
    model.destroy()


def test_sizes_that_depend_on_each_other(library):
    def rows(x, y):
        return np.concatenate([x, y]), x.sum(axis=1), x.reshape(-1)

    made = library(rows, (normal(5, 7), normal(4, 7)), (normal(9, 8), normal(2, 8)))
    model = made.create()
    for m, n, k in ((2, 3, 4), (33, 5, 2), (9, 2, 70)):
        x, y = normal(m, n), normal(k, n)
        assert made.sizes([x.shape, y.shape]) == [(m + k, n), (m,), (m * n,)]
        close(model(numbers(x), numbers(y)), rows(x, y))
    assert model(numbers(normal(3, 3)), numbers(normal(3, 4))).startswith("SIZE: input 1 `y`: axis 1 must be")
    model.destroy()


def test_several_programs_of_sizes_that_the_call_chooses(library):
    def grown(x):
        return x * 2 if x.shape[0] > 10 else x + 1

    made = library(grown, *((normal(length),) for length in (3, 5, 20, 30)))
    model = made.create()
    for length in (1, 2, 3, 10, 11, 12, 100):
        close(model(numbers(normal(length))), [grown(normal(length))])
    assert model(numbers(normal(0))) == "SIZE: input 0 `x`: axis 0 must be 1 or more"
    assert json.loads(made.description.json)["sizes"] == ["n0 in 1.."]
    model.destroy()


factor = 1


def scaled(x):
    return x * factor


def test_what_the_function_did_in_another_world_is_not_exported(library):
    """Programs of before a global changed hold no more, whatever the sizes that they are for."""
    global factor
    function = hy.hybridize(scaled)
    function(normal(3))
    factor = 5
    function(normal(3))
    function(normal(4))
    model = library(deployable(function.saved())).create()
    for length in (3, 4, 7):
        close(model(numbers(normal(length))), [normal(length) * 5])
    model.destroy()
    factor = 6
    with pytest.raises(StateError, match="E535"):
        deployable(function.saved())


def test_several_programs_of_known_sizes(library):
    function = hy.hybridize(lambda x: x * 2, dynamic=False)
    for length in (3, 5):
        function(normal(length))
    made = library(deployable(function.saved()))
    model = made.create()
    for length in (3, 5):
        close(model(numbers(normal(length))), [normal(length) * 2])
    assert model(numbers(normal(4))) == "SIZE: input 0 `x`: axis 0 must be 3, or 5"
    assert made.description.inputs[0].smallest[0] == 3 and made.description.inputs[0].largest[0] == 5
    model.destroy()


def repeated(x):
    while x.sum() < 100:
        x = x * 2
    return x


def branched(x):
    return x * 2 if x.sum() > 0 else x - 1


def written(x):
    x[0] = 7
    return x * 2


CASES = {
    "several results": (lambda a, b: (a + b, a.sum(), {"more": b.astype("int32")}), [normal(3), normal(3)]),
    "a number": (lambda x, scale: x * scale, [normal(3), 2.5]),
    "an integer": (lambda x, n: x + n, [normal(3), 4]),
    "truths": (lambda x, y: (x > y, npx.relu(x)), [normal(9), normal(9) * 2]),
    "the same array": (lambda x: x, [normal(4)]),
    "one value twice": (lambda x: (x + 1, x + 1), [normal(4)]),
    "no axes": (lambda x: x.sum() * 2, [normal(4, 5)]),
    "a loop": (repeated, [normal(3) * normal(3)]),
    "a branch": (branched, [normal(6)]),
    "integers": (
        lambda x, y: (x // y, x % y, x << 1),
        [np.array([7, -9, 5], dtype="int32"), np.array([2, 4, -3], dtype="int32")],
    ),
    "doubles": (lambda x: np.exp(x).sum(axis=0), [normal(3, 4).astype("float64")]),
    "half floats": (lambda x: np.tanh(x) * 2, [normal(37).astype("float16")]),
    "bfloat16": (lambda x: x * x, [normal(37).astype(ml_dtypes.bfloat16)]),
    "rows": (lambda x: npx.softmax(x), [normal(33, 70)]),
    "sorted": (lambda x: (np.sort(x), np.argsort(x)), [normal(100)]),
    "nothing": (lambda x: (x + 1, x.sum()), [np.zeros((0, 3))]),
}


@pytest.mark.parametrize("case", CASES)
def test_all_kinds_of_functions(library, case):
    function, arguments = CASES[case]
    wanted = function(*arguments)
    wanted = list(wanted) if isinstance(wanted, tuple) else [wanted]
    wanted = [x for one in wanted for x in (one.values() if isinstance(one, dict) else [one])]
    made = library(function, arguments)
    described = [made.description.inputs[k].dtype.decode() for k in range(len(arguments))]
    given = [
        numbers(x) if isinstance(x, np.ndarray) else numpy.asarray(x, word)
        for x, word in zip(arguments, described, strict=True)
    ]
    for level in LEVELS:
        model = made.create(processor=level)
        close(model(*given), wanted)
        model.destroy()


def test_an_argument_that_is_written_comes_back_as_a_result(library):
    made = library(written, (normal(3),))
    assert [made.description.outputs[k].name for k in range(2)] == [b"output", b"x_after"]
    model, x = made.create(), numbers(normal(3))
    after = numpy.concatenate([[7], x[1:]]).astype("f4")
    given = x.copy()
    close(model(given), [after * 2, after])
    numpy.testing.assert_array_equal(given, x)
    model.destroy()


def test_one_array_as_two_inputs(library):
    made = library(lambda x, y: x * y, (normal(8), normal(8)))
    model, x, out = made.create(), numbers(normal(8)), numpy.zeros(8, "f4")
    assert model.run([x.ctypes.data] * 2, None, [out.ctypes.data]) == 0
    numpy.testing.assert_array_equal(out, x * x)
    model.destroy()


def test_random_numbers_follow_the_seed(library):
    def draw(x):
        return np.random.uniform(size=(5,)) + x

    made = library(draw, (np.zeros((5,)),))
    zeros = numpy.zeros(5, "f4")
    model, other = made.create(), made.create()
    for one in (model, other):
        assert made.function("seed")(one.place, numpy.uint64(7).item()) == 0
    hy.random.seed(7)
    wanted = [draw(np.zeros((5,))) for _ in range(3)]
    found = [model(zeros)[0] for _ in wanted]
    close(found, wanted)
    assert (found[0] != found[1]).all()
    close(other(zeros), wanted[:1])
    assert made.function("seed")(None, 1) & 255 == 1
    for one in (model, other):
        one.destroy()


def test_statistics_are_kept_by_each_model(library):
    total = np.zeros((2,))

    def count(x):
        total[:] = total + x
        return total * 1

    made = library(count, (np.ones((2,)),))
    start = numbers(total).copy()
    model, other = made.create(), made.create()
    ones = numpy.ones(2, "f4")
    for number in (1, 2, 3):
        close(model(ones), [start + number])
    close(other(ones), [start + 1])
    for one in (model, other):
        one.destroy()


def checked(x):
    must(x > 0, "positive")
    must((x < 10).all(), "below ten")
    return x + 1


def checked_in_a_loop(x):
    while x.sum() < 100:
        must(x < 60, "x grows slowly")
        x = x * 2
    return x


def checked_in_a_branch(x):
    if x.sum() > 0:
        must(x < 10, "small when positive")
        x = x + 1
    else:
        must(x > -10, "small when negative")
        x = x - 1
    return x


def checked_in_a_scan(x):
    total = np.zeros(())
    for row in range(x.shape[0]):
        must(x[row] < 5, "rows are small")
        total = total + x[row]
    return total


def failed(message):
    return f"ASSERTION: an assertion of the program does not hold: {message}"


@pytest.mark.parametrize(
    ("function", "good", "bad"),
    [
        (checked, [1, 2, 3], {"positive": [1, -1, 30], "below ten": [1, 11, 3]}),
        (checked_in_a_loop, [1, 1, 1], {"x grows slowly": [1, 61, 3]}),
        (checked_in_a_branch, [1, 2, 3], {"small when positive": [11, 2, 3], "small when negative": [-3, -11, 1]}),
        (checked_in_a_scan, [1, 2, 3], {"rows are small": [1, 2, 6]}),
    ],
)
def test_assertions_are_codes(library, function, good, bad):
    good = np.array(numpy.array(good, "f4"))
    made = library(function, (good,))
    model = made.create()
    wanted = function(good)
    for message, given in bad.items():
        assert model(numpy.array(given, "f4")) == failed(message)
        close(model(numbers(good)), [wanted])
    model.destroy()


def test_a_loop_ends_where_an_assertion_fails(library):
    """Nothing would ever end it otherwise."""

    def forever(x):
        while x.sum() < 100:
            must(x > 0, "x is positive")
            x = x * 2
        return x

    made = library(forever, (np.ones((3,)),))
    model = made.create()
    assert model(numpy.array([-1, -1, -1], "f4")) == failed("x is positive")
    model.destroy()


def test_a_failed_assertion_changes_no_state(library):
    total = np.zeros((2,))

    def count(x):
        total[:] = total + x
        must(total < 10, "below ten")
        return total * 1

    made = library(count, (np.ones((2,)),))
    start = numbers(total).copy()
    model = made.create()
    assert model(numpy.full(2, 20, "f4")) == failed("below ten")
    close(model(numpy.ones(2, "f4")), [start + 1])
    model.destroy()


def test_what_prints_is_refused_and_nothing_is_written(library, tmp_path):
    def shout(x):
        npx.print("x is {}", x)
        return x

    function = hy.hybridize(shout)
    function(np.ones((2,)))
    from hybridize.formats.library import write_library

    with pytest.raises(CaptureError, match=r"E455: .*prints"):
        write_library(deployable(function.saved()), tmp_path / "loud")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "name", ["double", "main", "namespace", "exp", "index", "timer", "size_t", "unix", "NULL", "X", "std"]
)
def test_names_that_c_has_already(library, name):
    with pytest.raises(CodegenError, match="E974"):
        library(lambda x: x + 1, (normal(2),), name=name)


def test_machines_that_there_are_not(library):
    with pytest.raises(CodegenError, match=r"E971.*riscv64-linux"):
        library(lambda x: x + 1, (normal(2),), targets="riscv64-linux")
    with pytest.raises(CodegenError, match="E973"):
        library(lambda x: x + 1, (normal(2),), linker="gold")
