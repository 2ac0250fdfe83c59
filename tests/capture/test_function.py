"""`Function` and `Program`: keywords, caches, messages, files, threads."""

import functools
import gc
import inspect
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from types import BuiltinFunctionType, MethodType

import numpy
import pytest

from hybridize.array import np, npx, random
from hybridize.base import modes
from hybridize.base.config import CONFIG
from hybridize.base.errors import ArgumentError, CaptureError, DTypeError, ShapeError, StateError, VerificationError
from hybridize.capture import Function, SavedFunction
from hybridize.formats import read_archive
from hybridize.programs import Program
from tests.refusals import refusal

X = [1.0, 2.0]


def mlp(x, w, b):
    return npx.relu(np.dot(x, w) + b)


def arguments(rows=1):
    return np.random.normal(size=(rows, 4)), np.random.normal(size=(4, 3)), np.random.normal(size=(3,))


def test_a_call_is_captured_once():
    calls = []

    def function(x):
        calls.append(x.shape[0])  # seen by the capture alone
        return x + 1

    del calls[:]
    fast = Function(lambda x: function(x) if False else x + 1)
    for _ in range(5):
        assert fast(np.array(X)).asnumpy().tolist() == [2.0, 3.0]
    info = fast.cache_info()
    assert (info.programs, info.captures) == (1, 1)


def test_print_is_seen_once(capsys):
    def function(x):
        print("capturing")
        return x + 1

    fast = Function(function)
    for _ in range(3):
        fast(np.array(X))
    assert capsys.readouterr().out == "capturing\n"


@pytest.mark.parametrize("attributes", [{}, {"options": 1, "_cache": 2, "library": 3, "name": "other", "_lock": 4}])
def test_a_function_that_wraps_a_hybridized_one_is_another(attributes, tmp_path):
    """`functools.wraps` copies the attributes of what it wraps, among them all that a hybridized function keeps."""
    inner = Function(lambda x: x + 1)
    inner(np.array(X))
    inner.save(tmp_path / "inner")

    def twice(x):
        return inner(x) * 2

    vars(twice).update(attributes)
    for one in (inner, SavedFunction(read_archive(tmp_path / "inner"))):
        outer = Function(functools.wraps(one)(twice))
        for _ in range(3):
            assert outer(np.array(X)).asnumpy().tolist() == [4.0, 6.0]
            assert one(np.array(X)).asnumpy().tolist() == [2.0, 3.0]


@pytest.mark.parametrize("rows", [1, 2, 17])
def test_backends_agree(rows):
    args = arguments(rows)
    expected = mlp(*args).asnumpy()
    backends = ({}, {"backend": "numpy"}, {"verify": "outputs"}, {"verify": "ops"})
    for options in (*backends, {"freeze": True}, {"threads": 2}):
        fast = Function(mlp, **options)
        for _ in range(2):
            numpy.testing.assert_allclose(fast(*args).asnumpy(), expected, rtol=1e-5, atol=1e-6)
        program = fast.program(*args)
        assert bool(program.fallbacks) == (program.backend == "numpy")
        assert program.backend == options.get("backend", "llvm")


def test_programs_say_what_they_are():
    args = arguments()
    program = Function(mlp).program(*args)
    assert isinstance(program, Program)
    assert program.captured.op_names().count("relu") == 1
    assert len(program.kernels) == 1, "product, bias and relu are fused"
    assert program.memory.peak_bytes >= 3 * 4
    text = str(program.explain())
    assert "first program" in text
    assert "global 'npx'" in text
    assert "test_function.py" in text
    assert "f32[1,4]" in repr(program)
    assert program(*args).asnumpy().tolist() == mlp(*args).asnumpy().tolist()
    assert program(*[arg.asnumpy() for arg in args]).shape == (1, 3), "NumPy arrays too"


def test_a_program_refuses_other_types():
    args = arguments()
    program = Function(mlp).program(*args)
    with pytest.raises(ShapeError, match=r"argument 0 of mlp must be f32\[1,4\], got f32\[2,4\]"):
        program(*arguments(2))
    with pytest.raises(DTypeError, match=r"f64\[1,4\]"):
        program(args[0].astype("float64"), *args[1:])
    with pytest.raises(ArgumentError, match="takes"):
        program(args[0])


def test_unknown_keywords_and_values():
    with refusal(TypeError, "bakend"):
        Function(mlp, bakend="llvm")
    with pytest.raises(TypeError, match="backend must be one of"):
        Function(mlp, backend="cuda")
    with refusal(TypeError, "threads"):
        Function(mlp, threads=0)
    with refusal(TypeError, "verify"):
        Function(mlp, verify="everything")
    Function(mlp, static_alloc=True, static_shape=True, inline_limit=3, forward_bulk_size=1, backward_bulk_size=2)


def test_disabled(monkeypatch):
    calls = []

    def function(x):
        calls.append(1)
        return x + 1

    fast = Function(function)
    with modes.mode(disabled=True):
        fast(np.array(X))
        fast(np.array(X))
    assert len(calls) == 2
    monkeypatch.setattr(CONFIG, "disable", True)
    off = Function(function)
    off(np.array(X))
    off(np.array(X))
    assert len(calls) == 4
    assert off.cache_info().programs == 0


def test_recompilations_are_explained_once(monkeypatch, capsys):
    monkeypatch.setattr(CONFIG, "explain", True)
    table = {"by": 2.0}

    def function(x, n=1, a=0.0):
        if a > 5:
            return x
        return x * table["by"] * len(range(n))

    fast = Function(function)
    fast(np.array(X))
    assert capsys.readouterr().err == ""
    table["by"] = 3.0
    fast(np.array(X))
    fast(np.array(X))
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    assert "item ['by'] was 2.0 and is 3.0" in line
    assert "test_function.py:" in line
    fast(np.ones((3, 3)))
    assert "argument x was f32[2] and is f32[3,3]" in capsys.readouterr().err
    fast(np.array(X), 2)
    assert "the arguments were" in capsys.readouterr().err
    fast(np.array(X), 3)
    assert "was 2 and is 3" in capsys.readouterr().err
    fast(np.array(X), 3, 1.0)
    assert "the arguments were" in capsys.readouterr().err
    fast(np.array(X), 3, 2.0)
    assert capsys.readouterr().err == "", "a number of which only a truth is needed may change"
    fast(np.array(X), 3, 7.0)
    assert "a condition on numbers was False and is not, at test_function.py" in capsys.readouterr().err
    with modes.mode(training=True):
        fast(np.array(X))
    assert "training was False and is True" in capsys.readouterr().err


def test_the_entry_is_made_at_the_second_call():
    fast = Function(lambda x: x + 1)
    x = np.array(X)
    entries = []
    for _ in range(3):
        assert fast(x).asnumpy().tolist() == [2.0, 3.0]
        entries.append(type(fast.__call__))
    assert entries == [MethodType, BuiltinFunctionType, BuiltinFunctionType]
    assert fast.cache_info().captures == 1
    fast.compile((5,))
    assert type(fast.__call__) is BuiltinFunctionType


def test_compile_ahead():
    fast = Function(mlp)
    program = fast.compile((1, 4), "f32[4,3]", np.zeros((3,)))
    assert program.types[0].shape == (1, 4)
    fast(*arguments())
    assert fast.cache_info().captures == 1


def test_caches_are_bounded():
    fast = Function(lambda x, n: x + len(range(n)), backend="numpy")
    for n in range(100):
        assert fast(np.array(X), n).asnumpy().tolist() == [1.0 + n, 2.0 + n]
    info = fast.cache_info()
    assert info.programs <= 64
    assert info.evictions >= 36
    for n in (60, 99):
        fast(np.array(X), n)
    before = fast.cache_info().captures
    fast(np.array(X), 60)
    assert fast.cache_info().captures == before, "the programs used last are kept"
    fast.cache_clear()
    assert fast.cache_info().programs == 0
    assert fast(np.array(X), 1).asnumpy().tolist() == [2.0, 3.0]


def test_replaced_arrays_are_let_go():
    state = {"w": np.array(X)}
    fast = Function(lambda x: x * state["w"])
    seen = []
    for _ in range(10):
        fast(np.array(X))
        seen.append(weakref.ref(state["w"]))
        state["w"] = state["w"] + 1
        assert fast.cache_info().programs == 1
    gc.collect()
    assert sum(reference() is not None for reference in seen) <= 2


def test_recursion_on_data_is_refused():
    def halve(x):
        if x.sum() > 1:
            return halve(x / 2)
        return x

    with pytest.raises(CaptureError, match="E447"):
        Function(halve)(np.array(X))


def test_arguments_are_let_go():
    fast = Function(lambda x: x * 2)
    x = np.array(X)
    fast(x)
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None


def test_functions_are_let_go():
    def make():
        weight = np.array(X)
        fast = Function(lambda x: x * weight)
        fast(np.array(X))
        return weakref.ref(fast), weakref.ref(weight)

    function, weight = make()
    gc.collect()
    assert function() is None
    assert weight() is None


def test_methods_and_decorators():
    class Model:
        def __init__(self, by):
            self.by = by

        @Function
        def double(self, x):
            """Twice x."""
            return x * self.by

    two, three = Model(2.0), Model(3.0)
    for _ in range(2):
        assert two.double(np.array(X)).asnumpy().tolist() == [2.0, 4.0]
        assert three.double(np.array(X)).asnumpy().tolist() == [3.0, 6.0]
    assert Model.double.__doc__ == "Twice x."
    assert Model.double.__name__ == "double"
    two.by = 5.0
    assert two.double(np.array(X)).asnumpy().tolist() == [5.0, 10.0]


def test_concurrent_first_calls():
    fast = Function(mlp)
    batches = [arguments(rows) for rows in (1, 2, 3, 4)] * 8
    expected = [mlp(*args).asnumpy() for args in batches]
    barrier = threading.Barrier(8)

    def run(number):
        if number < 8:
            barrier.wait()
        return fast(*batches[number]).asnumpy()

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(run, range(len(batches))))
    for one, other in zip(found, expected, strict=True):
        numpy.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
    assert fast.cache_info().captures <= 4


def test_capturing_does_not_disturb_other_threads():
    fast = Function(lambda x: x + 1)
    x = np.array(X)
    fast(x)
    wrong = []
    stop = threading.Event()

    def work():
        while not stop.is_set():
            if fast(x).asnumpy().tolist() != [2.0, 3.0] or (x * 2).asnumpy().tolist() != [2.0, 4.0]:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for n in range(20):
        Function(lambda x, n=n: np.exp(x) * n, backend="numpy")(x)
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong


def test_verification_names_what_differs(monkeypatch):
    from hybridize.ops import Exp

    fast = Function(lambda x: np.exp(x) * 2 + 1, verify="ops")
    fast(np.array(X))
    wrong = Exp.reference
    monkeypatch.setattr(Exp, "reference", lambda self, x: (wrong(self, x)[0] * 1.5,))
    with pytest.raises(VerificationError, match="E802: exp is the first operation") as caught:
        fast(np.array(X))
    assert caught.value.loc.file == __file__
    fast = Function(lambda x: np.exp(x) * 2 + 3, verify="outputs")
    with pytest.raises(VerificationError, match="E801: output 0"):
        fast(np.array([[1.0]]))


def test_save_and_load(tmp_path):
    weight = np.array([3.0, 4.0])
    total = np.zeros(2)

    def function(x, n, options):
        total[:] = total + x
        y = x * weight + n
        return {"y": y, "total": y.sum(), "n": n + 1}, options["name"]

    fast = Function(function)
    with pytest.raises(StateError, match="E530"):
        fast.save(tmp_path / "f")
    expected = fast(np.array(X), 2.0, {"name": "a"})
    fast(np.ones((2,)), 2.0, {"name": "b"})
    fast.save(tmp_path / "f")
    loaded = SavedFunction(read_archive(tmp_path / "f"))
    assert loaded.cache_info().programs == 2
    for _ in range(2):
        found = loaded(np.array(X), 2.0, {"name": "a"})
        assert found[0]["y"].asnumpy().tolist() == expected[0]["y"].asnumpy().tolist()
        assert found[0]["total"].item() == expected[0]["total"].item()
        assert (found[0]["n"], found[1]) == (3.0, "a")
    assert loaded(numpy.array(X, "float32"), n=3.0, options={"name": "b"})[0]["n"] == 4.0
    with pytest.raises(ShapeError, match=r"f32\[2\]"):
        loaded(np.ones((3,)), 2.0, {"name": "a"})
    with pytest.raises(DTypeError, match=r"f64\[2\]"):
        loaded(np.ones((2,), dtype="float64"), 2.0, {"name": "a"})
    with pytest.raises(ArgumentError, match="'c'"):
        loaded(np.array(X), 2.0, {"name": "c"})
    loaded.save(tmp_path / "again")
    again = SavedFunction(read_archive(tmp_path / "again"))
    assert again.cache_info().programs == 2
    first = SavedFunction(read_archive(tmp_path / "f"))
    before, after = (one.saved().weights["total"].tolist() for one in (first, again))
    assert after == [before[0] + 3.0, before[1] + 6.0], "what the calls of the loaded function wrote is saved too"


def test_program_alone_does_nothing_outside():
    log, space = [], {}

    def function(x):
        log.append(x)
        space["x"] = x * 2
        return x

    fast = Function(function)
    fast.program(np.array(X))
    assert log == []
    assert space == {}
    fast(np.array(X))
    assert len(log) == 1
    assert space["x"].asnumpy().tolist() == [2.0, 4.0]


def test_random_state_is_shared_with_imperative_code():
    fast = Function(lambda: random.uniform(size=(3,)))
    random.seed(7)
    found = [fast().asnumpy(), random.uniform(size=(3,)).asnumpy(), fast().asnumpy()]
    random.seed(7)
    expected = [random.uniform(size=(3,)).asnumpy() for _ in range(3)]
    numpy.testing.assert_array_equal(found, expected)


def test_frozen_weights_are_constants():
    weight = np.array([3.0, 4.0])
    fast = Function(lambda x: x * weight, freeze=True)
    fast(np.array(X))
    assert len(fast.program(np.array(X)).captured.inputs) == 1

    def writes(x):
        weight[:] = x
        return x

    with pytest.raises(CaptureError, match="E442"):
        Function(writes, freeze=True)(np.array(X))


def test_strided_and_read_only_arguments():
    fast = Function(lambda x: x * 2 + 1)
    base = numpy.arange(12, dtype="float32").reshape(3, 4)
    frozen = base.copy()
    frozen.setflags(write=False)
    for array in (base, base.T, base[:, ::2], base[::-1], frozen):
        numpy.testing.assert_array_equal(fast(np.array(array) if array is base else array).asnumpy(), array * 2 + 1)


def test_an_empty_function_and_constant_results():
    assert Function(lambda: None)() is None
    assert Function(lambda x: 3)(np.array(X)) == 3
    assert Function(lambda x: (x.shape, "a", None, 1.5))(np.array(X)) == ((2,), "a", None, 1.5)
    numbers = Function(lambda: {1, 2})
    numbers().add(3)
    assert numbers() == {1, 2}
    zeros = Function(lambda: np.zeros((2,)))
    first, second = zeros(), zeros()
    first[:] = 5
    assert second.asnumpy().tolist() == [0.0, 0.0]
    assert zeros().asnumpy().tolist() == [0.0, 0.0]


def test_frozen_functions_draw():
    """The state of the random numbers is no weight."""
    weight = np.ones((3,))

    def noisy(x):
        return np.random.uniform(size=(x.shape[0], 3)) + x * weight

    frozen = Function(noisy, freeze=True)
    for n in (5, 7, 6):
        results = []
        for function in (frozen, noisy):
            random.seed(n)
            results.append([function(np.ones((n, 3))).asnumpy() for _ in range(2)])
        numpy.testing.assert_array_equal(*results)
        assert (results[0][0] != results[0][1]).any()


def test_the_second_call_goes_through_its_entry_which_is_made_once(monkeypatch):
    made = []
    entry = Program.entry
    monkeypatch.setattr(Program, "entry", lambda self, fallback: made.append(self) or entry(self, fallback))
    fast = Function(lambda x: x * 2 + 1)
    x = np.array([1.0, 2.0])
    for _ in range(4):
        assert fast(x).asnumpy().tolist() == [3.0, 5.0]
    assert len(made) == 1 and fast.cache_info().hits == 0, "no call after the first was Python's"
    assert fast(np.ones(3)).shape == fast(np.ones(3)).shape == (3,)
    assert len(made) == 3 and fast.cache_info().captures == 2, "the entries of both, one before the other"


def test_calls_with_numpy_arrays_make_no_entry_that_could_not_take_them(monkeypatch):
    made = []
    entry = Program.entry
    monkeypatch.setattr(Program, "entry", lambda self, fallback: made.append(self) or entry(self, fallback))
    fast = Function(lambda x: x * 2 + 1)
    for k in range(4):
        assert fast(numpy.full(2, k, "f4")).asnumpy().tolist() == [2 * k + 1.0] * 2
    assert not made
    assert [fast(np.array([1.0, 2.0])).asnumpy().tolist() for _ in range(2)] == [[3.0, 5.0]] * 2
    assert len(made) == 1


def test_containers_that_are_defaults_are_kept_from_call_to_call():
    """They are the function's, not the call's: Python makes them once."""
    arrays = [np.ones(2)]

    def f(x, weights=arrays, *, counts={"calls": 0}):  # noqa: B006
        weights[0] -= x
        counts["calls"] += 1
        return x * counts["calls"]

    compiled = Function(f)
    results = [compiled(np.ones(2)).asnumpy().tolist() for _ in range(3)]
    assert results == [[1, 1], [2, 2], [3, 3]]
    assert arrays[0].asnumpy().tolist() == [-2, -2]
    assert f.__kwdefaults__["counts"] == {"calls": 3}
    arrays[0] = np.zeros(2)
    compiled(np.ones(2))
    assert arrays[0].asnumpy().tolist() == [-1, -1]


def test_a_function_that_forgets_its_programs_forgets_what_they_read():
    class Counter:
        value = 0.0

    def made():
        counter = Counter()

        @Function
        def counts(x):
            counter.value = counter.value + 1.0
            return x * counter.value

        return counts, weakref.ref(counter)

    counts, counter = made()
    for _ in range(4):
        counts(np.ones(2))
    counts.cache_clear()
    counts.python_function.__closure__[0].cell_contents = None
    gc.collect()
    assert counter() is None


def _described():
    """Functions of every kind of signature."""

    class Kind:
        def method(self, x, /, y, *rest, z=1, **named):
            return x

        def loose(*everything):
            return everything

        @classmethod
        def of_class(cls, x):
            return x

        @staticmethod
        def static(x, y=2):
            return x

        def __call__(self, x):
            return x

    def plain(x, y, *, z):
        return x

    @functools.wraps(plain)
    def wrapping(*args, **kwargs):
        return plain(*args, **kwargs)

    def said(*args):
        return args

    said.__signature__ = inspect.signature(plain)
    one = Kind()
    return [plain, wrapping, said, one.method, one.loose, Kind.method, Kind.of_class, Kind.static, one, lambda: 0,
            functools.partial(plain, 1), MethodType(wrapping, 1), MethodType(one, 1)]  # fmt: skip


@pytest.mark.parametrize("number", range(13))
def test_arguments_have_the_names_that_python_gives_them(number):
    function = _described()[number]
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    expected = tuple(name for name, one in inspect.signature(function).parameters.items() if one.kind in kinds)
    assert Function(function)._parameters() == expected
