"""Calls that differ in sizes only: which of them share a program, and what such a program assumes."""

import collections.abc
import contextlib
import gc
import io
import math
import weakref

import numpy
import pytest

import hybridize
from hybridize import autograd
from hybridize.array import np, npx
from hybridize.array import random as hybrid_random
from hybridize.base.config import CONFIG
from hybridize.capture import Function
from hybridize.capture.calls import LIMIT as PROGRAMS
from hybridize.gluon import SymbolBlock, nn
from hybridize.programs.families import LIMIT


def array(*shape):
    return np.array(numpy.random.normal(size=shape))


W, B = array(16, 4), array(4)


def dense(x):
    return npx.relu(x @ W + B)


def agree(compiled, function, *args):
    found, expected = compiled(*args), function(*args)
    assert found.shape == expected.shape
    numpy.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), 1e-4, 1e-5)


@pytest.fixture(params=["numpy", "llvm"])
def backend(request):
    return request.param


def scopes(compiled):
    return [program.captured.scope for program in compiled.programs() if program.captured.scope is not None]


def test_one_program_for_all_batches(backend):
    compiled = Function(dense, backend=backend)
    for n in (4, 9, 33, 2, 700, 4):
        agree(compiled, dense, array(n, 16))
    assert compiled.cache_info().captures == 2
    assert scopes(compiled)[0].lines() == ["n0 in 1.. like 9"]
    (reason,) = [program.reason for program in compiled.programs() if program.captured.scope is not None]
    assert reason == "axis 0 of x was 4 and is 9: now any size from 1"


def test_reasons_are_told(capsys, monkeypatch):
    monkeypatch.setattr(CONFIG, "explain", True)
    compiled = Function(dense, backend="numpy")
    compiled(array(4, 16))
    compiled(array(9, 16))
    assert "axis 0 of x was 4 and is 9: now any size from 1" in capsys.readouterr().err


def test_sizes_of_one_before_the_general_program_are_exact(backend):
    compiled = Function(dense, backend=backend)
    for n in (4, 1, 9, 1, 5, 0):
        agree(compiled, dense, array(n, 16))
    assert [program.types[0].shape[0] for program in compiled.programs() if program.captured.scope is None] == [4, 1, 0]


def branching(x):
    return x * 2 if x.shape[0] > 32 else x * 3


def test_a_question_about_a_size_is_a_range(backend):
    compiled = Function(branching, backend=backend)
    for n in (4, 9, 20, 33, 32, 100, 12):
        agree(compiled, branching, array(n, 3))
    assert sorted(scope.lines() for scope in scopes(compiled)) == [["n0 in 1..32 like 9"], ["n0 in 33.. like 33"]]


def looping(x):
    total = np.zeros(3)
    for i in range(x.shape[0]):
        total = total + x[i] * i
    return total


def test_a_loop_over_a_size_is_one_program(backend):
    compiled = Function(looping, backend=backend)
    for n in (4, 9, 5, 9, 4):
        agree(compiled, looping, array(n, 3))
    assert [scope.lines() for scope in scopes(compiled)] == [["n0 in 1.. like 9"]]
    assert compiled.cache_info().captures == 2


def unrolling(x):
    """Rounds that are no one body: each asks for its number as Python has it."""
    total = np.zeros(3)
    for i in range(x.shape[0]):
        total = total + x[i] * int(str(i))
    return total


def test_a_python_loop_over_a_size_is_exact(backend):
    compiled = Function(unrolling, backend=backend)
    for n in (4, 9, 5, 9, 4):
        agree(compiled, unrolling, array(n, 3))
    assert scopes(compiled) == []
    assert compiled.cache_info().captures == 3


def test_an_axis_that_is_no_use_is_not_tried_again():
    def counted(x):
        print("captured")
        for i in range(x.shape[0]):
            x = x + int(str(i))
        return x

    compiled = Function(counted, backend="numpy")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        for n in (4, 5, 6, 7):
            compiled(array(n, 3))
    assert out.getvalue().count("captured") == 5, "once for each size, and the one attempt"


def test_equal_sizes_are_one_symbol(backend):
    def joined(x, y):
        return np.concatenate([x * y, y], axis=1)

    compiled = Function(joined, backend=backend)
    for n in (4, 9, 7):
        agree(compiled, joined, array(n, 3), array(n, 3))
    assert compiled.cache_info().captures == 2
    assert scopes(compiled)[0].lines() == ["n0 in 1.. like 9"]


def test_sizes_that_were_equal_by_chance(backend):
    def product(x, y):
        return np.outer(x, y)

    compiled = Function(product, backend=backend)
    for n, m in ((4, 4), (9, 9), (5, 7), (3, 8), (6, 6)):
        agree(compiled, product, array(n), array(m))
    assert compiled.cache_info().captures == 3


def test_two_axes_of_one_array(backend):
    def centred(x):
        return x - x.mean(axis=1, keepdims=True)

    compiled = Function(centred, backend=backend)
    for n, m in ((4, 5), (9, 8), (5, 7), (3, 3)):
        agree(compiled, centred, array(n, m))
    assert scopes(compiled)[0].lines() == ["n0 in 1.. like 9", "n1 in 1.. like 8"]
    assert compiled.cache_info().captures == 2


def test_dynamic():
    always = Function(dense, backend="numpy", dynamic=True)
    for n in (4, 9, 33):
        agree(always, dense, array(n, 16))
    assert always.cache_info().captures == 1
    never = Function(dense, backend="numpy", dynamic=False)
    for n in (4, 9, 33):
        agree(never, dense, array(n, 16))
    assert never.cache_info().captures == 3


TABLE = {4: 1.0, 9: 2.0, 5: 3.0}


def looked_up(x):
    return x * TABLE[x.shape[0]]


def named(x):
    return {str(x.shape): x, f"{x.shape[0]}": x + 1}


def of_a_class(x):
    return x * (2 if type(x.shape[0]) is int and isinstance(x.shape[0], int) else 3)


def test_keys_and_texts_need_the_number(backend):
    compiled = Function(looked_up, backend=backend)
    for n in (4, 9, 5):
        agree(compiled, looked_up, array(n, 3))
    texts = Function(named, backend=backend)
    for n in (4, 9, 5):
        assert list(texts(array(n, 3))) == [f"({n}, 3)", str(n)]
    classes = Function(of_a_class, backend=backend)
    for n in (4, 9, 5):
        agree(classes, of_a_class, array(n, 3))
    assert classes.cache_info().captures == 2


def test_sizes_as_results_and_as_data(backend):
    def sizes(x):
        return x.shape, len(x), x.size, x.sum() / x.shape[0], x.shape[0] / 2, x.shape[0] > 2

    compiled = Function(sizes, backend=backend)
    for n in (4, 9, 5):
        x = array(n, 3)
        shape, length, size, mean, half, more = compiled(x)
        assert (shape, length, size, half, more) == ((n, 3), n, 3 * n, n / 2, True)
        assert [type(one) for one in (*shape, length, size, half)] == [int, int, int, int, float]
        numpy.testing.assert_allclose(mean.asnumpy(), x.asnumpy().sum() / n, 1e-5)
    assert compiled.cache_info().captures == 2


class Keeper:
    """An object that remembers sizes."""

    last = None


KEEPER = Keeper()


def remembering(x):
    KEEPER.last = (x.shape[0], x.sum())
    return x + 1


def test_sizes_that_are_written_outside(backend):
    compiled = Function(remembering, backend=backend)
    for n in (4, 9, 5):
        compiled(array(n, 3))
        assert KEEPER.last[0] == n
        assert type(KEEPER.last[0]) is int


def test_views_and_writes(backend):
    def shifted(x):
        y = x[1:]
        y += 1
        return x.reshape(-1), y

    compiled = Function(shifted, backend=backend)
    for n in (4, 9, 5, 7):
        x = array(n, 3)
        before = x.asnumpy().copy()
        flat, y = compiled(x)
        before[1:] += 1
        numpy.testing.assert_array_equal(x.asnumpy(), before)
        flat[...] = 0
        assert not y.asnumpy().any(), "both are views of the argument"


def test_layouts_of_arguments(backend):
    def flat(x):
        y = x.reshape(-1)
        y[0] = 7
        return x + 0

    compiled = Function(flat, backend=backend)
    for n in (4, 9, 5):
        for make in (lambda n: array(n, 3), lambda n: array(3, n).T, lambda n: array(2 * n, 3)[::2]):
            x = make(n)
            agree(compiled, flat, x.copy() if make(2)._data.flags.c_contiguous else x)


def test_control_flow(backend):
    def flowing(x):
        if x.sum() > 0:
            x = x * 2
        else:
            x = x - 1
        while x.sum() < 100:
            x = x + 1
        return x

    compiled = Function(flowing, backend=backend)
    for n in (4, 9, 5, 7):
        agree(compiled, flowing, array(n, 3))


def test_random_numbers(backend):
    def noisy(x):
        return x + hybrid_random.uniform(size=x.shape)

    compiled = Function(noisy, backend=backend)
    for n in (4, 9, 5, 9):
        x = array(n, 3)
        hybridize.random.seed(n)
        found = compiled(x)
        hybridize.random.seed(n)
        numpy.testing.assert_allclose(found.asnumpy(), noisy(x).asnumpy(), 1e-5)


def test_the_same_array_twice(backend):
    def product(x, y):
        return x * y + x.shape[0]

    compiled = Function(product, backend=backend)
    for n in (4, 9, 5):
        x = array(n, 3)
        agree(compiled, product, x, x)
        agree(compiled, product, x, array(n, 3))


def test_functions_without_source(backend):
    made = {}
    exec("def plain(x):\n    return x * (2 if type(x.shape[0]) is int else 3)", made)
    compiled = Function(made["plain"], backend=backend)
    for n in (4, 9, 5):
        agree(compiled, made["plain"], array(n, 3))
    assert scopes(compiled) == []


def test_programs_of_a_family_are_bounded():
    def by_class(x):
        for k in range(16):
            if x.shape[0] % 16 == k:
                return x * k
        return x

    compiled = Function(by_class, backend="numpy")
    for n in range(2, 34):
        agree(compiled, by_class, array(n, 3))
    assert len(scopes(compiled)) == LIMIT


def test_errors_speak_of_true_sizes():
    compiled = Function(dense, backend="numpy")
    compiled(array(4, 16))
    with pytest.raises(hybridize.base.errors.ShapeError, match=r"f32\[9,17\]"):
        compiled(array(9, 17))


def test_training_mode(backend):
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu"), nn.Dropout(0.5), nn.LayerNorm(), nn.Dense(3))
    net.initialize()
    net(array(2, 6))
    net.hybridize(backend=backend)
    for n in (4, 9, 5, 7, 1):
        for mode in (autograd.train_mode, autograd.predict_mode):
            x = array(n, 6)
            results = []
            for around in (hybridize.disabled, numpy.errstate):
                hybridize.random.seed(n)
                with around(), mode():
                    results.append(net(x).asnumpy())
            numpy.testing.assert_allclose(*results, 1e-3, 1e-5)
    assert net.cache_info().captures == 4, "the first, and the one with symbols, in two modes"


def test_saved_and_loaded(tmp_path, backend):
    compiled = Function(dense, backend=backend)
    for n in (4, 9):
        compiled(array(n, 16))
    compiled.save(tmp_path / "dense.hyb")
    loaded = hybridize.load(tmp_path / "dense.hyb")
    for n in (4, 9, 33, 2, 1):
        agree(loaded, dense, array(n, 16))
    with pytest.raises(hybridize.base.errors.ShapeError, match="E120"):
        loaded(array(0, 16))


def test_shapes_of_parameters_are_numbers():
    net = nn.HybridSequential()
    net.add(nn.Dense(8), nn.Dense(3))
    net.initialize()
    net.hybridize(dynamic=True)
    net(array(4, 6))
    net(array(9, 6))
    assert repr([p.shape for p in net.collect_params().values()]) == "[(8, 6), (8,), (3, 8), (3,)]"
    assert net.cache_info().captures == 1


def test_exported(tmp_path):
    for dynamic in (None, True):
        net = nn.HybridSequential()
        net.add(nn.Dense(8, activation="relu"), nn.Dense(3))
        net.initialize()
        net.hybridize(dynamic=dynamic)
        for n in (4, 9):
            net(array(n, 6))
        net.export(str(tmp_path / "net"))
        again = SymbolBlock.imports(str(tmp_path / "net-symbol.json"), ["data"], str(tmp_path / "net-0000.params"))
        for n in (1, 4, 9, 12):
            x = array(n, 6)
            numpy.testing.assert_allclose(again(x).asnumpy(), net(x).asnumpy(), 1e-4, 1e-5)


def test_what_compiling_assumes_counts_for_all_who_share_the_code():
    """Equal graphs are one executable; what the compilation of the first assumed is not in the second's graph."""
    first, second = (Function(lambda x: x[1:] * 2 + x[:-1] * 3) for _ in range(2))
    for compiled in (first, second):
        for n in (4, 9, 2, 3, 33):
            agree(compiled, compiled.python_function, array(n, 3))


def test_memory_and_reports():
    compiled = Function(dense)
    for n in (4, 9):
        compiled(array(n, 16))
    (program,) = [program for program in compiled.programs() if program.captured.scope is not None]
    before = program.captured.scope.lines()
    assert program.memory.peak_bytes > 0
    assert "axis 0 of x was 4" in str(program.explain())
    assert "n0" in repr(program)
    assert program.captured.scope.lines() == before, "looking at a program changes nothing"
    numpy.testing.assert_allclose(program(array(5, 16)).shape, (5, 4))


def test_one_axis_open_and_one_not(backend):
    def rows(x):
        total = x[0] * 1
        for i in range(1, x.shape[0]):
            total = total + x[i] * int(str(i))
        return np.where(total > 0, total, total.mean())

    compiled = Function(rows, backend=backend)
    for n, m in ((4, 5), (3, 8), (3, 9), (3, 2), (4, 7), (4, 6)):
        agree(compiled, rows, array(n, m))
    assert scopes(compiled)[0].lines() == ["n0 in 1.. like 8"]
    assert compiled.cache_info().captures <= 4


def test_what_is_known_of_sizes_is_bounded():
    """Its keys hold arguments that stand for themselves: those of long ago are let go."""

    class Setting:
        pass

    compiled = Function(lambda x, setting: x + 1, backend="numpy")
    first = Setting()
    seen = weakref.ref(first)
    compiled(array(2), first)
    del first
    for _ in range(PROGRAMS + 10):
        compiled(array(2), Setting())
    gc.collect()
    assert seen() is None
    assert len(compiled._cache.families) <= PROGRAMS


def test_why_there_is_no_program_for_other_sizes():
    def over_rows(x):
        return sum(row * k for k, row in enumerate(x))

    def swallowed(x):
        return np.linspace(0.0, 1.0, x.shape[0]) + x

    for function, shapes in ((over_rows, [(4, 3), (9, 3)]), (swallowed, [(4,), (9,)])):
        compiled = Function(function, backend="numpy")
        for shape in shapes:
            compiled(array(*shape))
        assert "no program holds for other sizes" in compiled.program(array(*shapes[-1])).reason


WITHOUT_SOURCE = {}
exec("def doubled(x):\n    return x * 2", WITHOUT_SOURCE)


def calls_code_without_source(x):
    return WITHOUT_SOURCE["doubled"](x)


def catches(x):
    try:
        return x * math.sqrt(-1.0)
    except ValueError:
        return x / len(x)


def suppresses(x):
    with contextlib.suppress(KeyError):
        x = x / len(x)
    return x


def fails_in_a_branch(x):
    if x.sum() > 1e9:
        x = x.reshape(3, 7)
    return x + 1


def views(x):
    return x.reshape(1, -1) * 2


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (WITHOUT_SOURCE["doubled"], "code without source is called"),
        (calls_code_without_source, "code without source is called"),
        (catches, "whether an `except` has an error to catch may depend on them"),
        (suppresses, "whether `suppress` has an error to hide may depend on them"),
        (fails_in_a_branch, "another size may give another error, or none"),
        (views, "the strides of an array may depend on them"),
    ],
)
def test_why_all_sizes_are_those_of_the_call(function, why):
    compiled = Function(function, backend="numpy")
    for size in (4, 9):
        x = array(2 * size)[::2]
        compiled(x)
    assert f"no program holds for other sizes, as {why}" in compiled.program(x).reason


KNOWN = {"known": 2.0}


class Names(collections.abc.Mapping):
    """A mapping in Python, whose `get` catches what `__getitem__` raises."""

    def __getitem__(self, name):
        return KNOWN[name]

    def __iter__(self):
        return iter(KNOWN)

    def __len__(self):
        return len(KNOWN)


NAMES = Names()


def raises_by_size(x):
    try:
        if len(x) > 6:
            raise ValueError("large")
        return x / len(x)
    except ValueError:
        return x * len(x)


def asks_for_no_key(x):
    try:
        return x * KNOWN["missing"]
    except KeyError:
        return x / len(x)


def gets(x):
    return x * NAMES.get("missing", 3.0) * NAMES.get("known", 5.0)


@pytest.mark.parametrize(("function", "programs"), [(raises_by_size, 3), (asks_for_no_key, 2), (gets, 2)])
def test_errors_that_are_guarded_leave_sizes_open(function, programs):
    """A `raise` that was reached, and a name that is no key, are the same for all sizes that a program is for."""
    compiled = Function(function, backend="numpy")
    for size in (3, 4, 5, 6, 8, 9, 12):
        agree(compiled, function, array(size))
    assert compiled.cache_info().captures <= programs


def test_a_key_that_comes_later_is_found():
    function = Function(asks_for_no_key, backend="numpy")
    x = array(4)
    agree(function, asks_for_no_key, x)
    KNOWN["missing"] = 7.0
    try:
        agree(function, asks_for_no_key, x)
    finally:
        del KNOWN["missing"]
    agree(function, asks_for_no_key, x)


WEIGHTS = {
    "matmul": ((5, 64), lambda x, w: np.matmul(x, w[:64]) + 1),
    "dense": ((5, 64), lambda x, w: npx.fully_connected(x, w[:, :64], num_hidden=192, no_bias=True)),
    "unrolled": ((5, 64), lambda x, w: np.tanh(np.matmul(np.tanh(np.matmul(x, w[:64, :64])), w[:64, :64]))),
    "convolution": (
        (5, 16, 9, 8),
        lambda x, w: npx.convolution(x, w[:16, :144].reshape(16, 16, 3, 3), kernel=(3, 3), num_filter=16, no_bias=True),
    ),
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_a_size_that_weights_tell_is_a_number_from_the_first_call_on(name):
    """With `dynamic=True` all axes are open; those that have to fit weights are not, and weights are packed once."""
    shape, function = WEIGHTS[name]
    w = np.array(numpy.random.RandomState(0).randn(192, 192).astype("f4") * 0.1)
    compiled = Function(lambda x: function(x, w), dynamic=True)
    for rows in (shape[0], 3, 17, 1):
        x = np.array(numpy.random.RandomState(rows).randn(rows, *shape[1:]).astype("f4"))
        numpy.testing.assert_allclose(compiled(x).asnumpy(), function(x, w).asnumpy(), rtol=2e-4, atol=2e-4)
    (program,) = compiled.programs()
    assert program.captured.inputs[0].type.shape[1] == shape[1]
    assert not any(str(one).endswith(": pack") for one in program.kernels)
