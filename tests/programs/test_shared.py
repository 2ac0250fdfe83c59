"""Models that `load(path, shared=True)` gives: one copy of weights in memory, pickles that name the file."""

import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy
import pytest

import hybridize
from hybridize import load, np, npx, system
from hybridize.capture import saved_function
from hybridize.compiler import shared
from hybridize.errors import LoadError, ReadError, ShapeError, ValueArgumentError
from hybridize.programs.packed import DerivedCopy
from tests.platforms.marks import owners
from tests.refusals import refusal

ROWS = 40


def saved(path, function, *calls):
    made = hybridize.hybridize(function)
    for call in calls:
        made(*call)
    made.save(path)
    return path


def weights(seed=0, size=600):
    return np.array(numpy.random.default_rng(seed).normal(size=(size, size)).astype("f4"))


def rows(count=ROWS, size=600):
    return np.array(numpy.linspace(-1, 1, count * size, dtype="f4").reshape(count, size))


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr(saved_function, "_from_paths", type(saved_function._from_paths)())
    return tmp_path / "temporary" / f"hybridize-{system.user_name()}"


@pytest.fixture
def model(tmp_path):
    """A file of a product whose weight, of 1.4 MB, is packed for many rows."""
    w = weights()
    return saved(tmp_path / "model", lambda x: npx.relu(np.dot(x, w.T)), (rows(),))


def copies(function):
    return [
        copied for program in function.programs() for copied in program._runs.now()[1].all
        if isinstance(copied, DerivedCopy)
    ]  # fmt: skip


# --------------------------------------------------------------------------------------------------- one copy


def test_packed_weights_lie_in_a_file(model, temporary):
    plain, function = load(model), load(model, shared=True)
    assert [path.suffix for path in temporary.iterdir()] == [shared.SUFFIX]
    numpy.testing.assert_array_equal(function(rows()).asnumpy(), plain(rows()).asnumpy())
    (mapped,), (own,) = copies(function), copies(plain)
    numpy.testing.assert_array_equal(mapped.buffer, own.buffer)
    (file,) = temporary.iterdir()
    assert file.read_bytes()[: own.buffer.nbytes] == own.buffer.tobytes()


def test_the_second_process_writes_nothing(model, monkeypatch):
    function = load(model, shared=True)
    expected = function(rows()).asnumpy()
    monkeypatch.setattr(DerivedCopy, "derived_to", lambda *_: 1 / 0)
    again = load(model, shared=True)
    numpy.testing.assert_array_equal(again(rows()).asnumpy(), expected)


def test_other_weights_are_other_files(model, tmp_path, temporary):
    w = weights(1)
    other = saved(tmp_path / "other", lambda x: npx.relu(np.dot(x, w.T)), (rows(),))
    functions = [load(path, shared=True) for path in (model, other)]
    assert len(list(temporary.iterdir())) == 2
    for function, path in zip(functions, (model, other), strict=True):
        numpy.testing.assert_array_equal(function(rows()).asnumpy(), load(path)(rows()).asnumpy())


def test_who_writes_a_weight_writes_alone(model):
    function, other = load(model, shared=True), load(model, shared=True)
    expected = other(rows()).asnumpy()
    (array,) = [source.array for source in function.programs()[0].capture.sources if source.array is not None]
    array[:] = 0
    assert not function(rows()).asnumpy().any()
    numpy.testing.assert_array_equal(other(rows()).asnumpy(), expected)
    numpy.testing.assert_array_equal(load(model, shared=True)(rows()).asnumpy(), expected)
    again = pickle.loads(pickle.dumps(function))
    assert not again(rows()).asnumpy().any()


@owners
def test_where_nothing_can_be_shared_it_runs_as_well(model, temporary, capfd, monkeypatch):
    temporary.mkdir(mode=0o777)
    temporary.chmod(0o777)
    monkeypatch.setattr(hybridize.base.config.CONFIG, "explain", True)
    function = load(model, shared=True)
    numpy.testing.assert_array_equal(function(rows()).asnumpy(), load(model)(rows()).asnumpy())
    assert "nothing is shared with other processes" in capfd.readouterr().err


def test_large_pickles_by_value_lie_in_one_file(model, temporary):
    content = pickle.dumps(load(model))
    first, second = pickle.loads(content), pickle.loads(content)
    assert len(list(temporary.iterdir())) == 1
    numpy.testing.assert_array_equal(first(rows()).asnumpy(), second(rows()).asnumpy())


def test_a_damaged_pickle_is_nobody_elses(model, temporary):
    content = bytearray(pickle.dumps(load(model)))
    good = bytes(content)
    content[len(content) // 2] ^= 1
    with refusal(LoadError, "E614: the pickled <lambda> is damaged"):
        pickle.loads(bytes(content))
    assert not list(temporary.iterdir())
    numpy.testing.assert_array_equal(pickle.loads(good)(rows()).asnumpy(), load(model)(rows()).asnumpy())


PSS = """
import sys
import numpy
from hybridize import load, np
def pss():
    with open("/proc/self/smaps_rollup") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
np.ones((3, 3)) + 1
before = pss()
print("ready", flush=True)
sys.stdin.readline()
model = load(sys.argv[1], shared=True, threads=1, images=sys.argv[4] == "True")
for _ in range(3):
    model(np.ones((int(sys.argv[2]), int(sys.argv[3])))).asnumpy()
print("called", flush=True)
sys.stdin.readline()
print(pss() - before, flush=True)
sys.stdin.read()
"""


def grown(path, count, call, size, images):
    """The memory that processes of one file have together, in MB, beside what each had before."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PSS, path, str(call), str(size), str(images)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for _ in range(count)
    ]  # fmt: skip
    try:
        for word in ("ready", "called"):
            assert [process.stdout.readline().strip() for process in processes] == [word] * count
            for process in processes:
                process.stdin.write("\n")
                process.stdin.flush()
        return sum(int(process.stdout.readline()) for process in processes) / 1e3
    finally:
        for process in processes:
            process.communicate()


def net_of(path, size, layers):
    """Write a net, and return its size in MB."""
    ws = [weights(k, size) for k in range(layers)]

    def net(x):
        for w in ws:
            x = npx.relu(np.dot(x, w.T))
        return x

    saved(path, net, (rows(1, size),), (rows(ROWS, size),))
    return sum(w.nbytes for w in ws) / 1e6


TELLS = pytest.mark.skipif(
    not Path("/proc/self/smaps_rollup").exists(), reason="the system does not say what is shared"
)


@TELLS
def test_processes_have_one_copy(tmp_path):
    """Of packed weights."""
    nbytes = net_of(tmp_path / "net", 1024, 4)
    assert grown(tmp_path / "net", 2, ROWS, 1024, images=True) < 1.5 * nbytes


@pytest.mark.long
@TELLS
@pytest.mark.parametrize("images", [False, True])
@pytest.mark.parametrize("call", [1, ROWS])
def test_four_processes_have_one_copy_of_64_megabytes(tmp_path, call, images, monkeypatch):
    """Of weights as they lie in the file, which calls of one row read, and of packed ones.

    Where no machine code comes from the file, it is found in the disk cache: compilers take memory, too.
    """
    monkeypatch.setenv("HYBRIDIZE_CACHE", "1")
    monkeypatch.setenv("HYBRIDIZE_CACHE_DIR", str(tmp_path / "cache"))
    nbytes = net_of(tmp_path / "net", 2048, 4)
    grown(tmp_path / "net", 1, call, 2048, images)
    assert grown(tmp_path / "net", 4, call, 2048, images) < 1.5 * nbytes


# ------------------------------------------------------------------------------------------- pickles that name files


def test_a_pickle_names_the_file(model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    function = load("model", shared=True, threads=1)
    content = pickle.dumps(function)
    assert len(content) < 1000
    monkeypatch.chdir("/")
    again = pickle.loads(content)
    numpy.testing.assert_array_equal(again(rows()).asnumpy(), function(rows()).asnumpy())
    assert again is pickle.loads(content)
    assert again.options.threads == 1


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_are_their_own(model, copied, temporary):
    """In memory of this process."""
    function, files = load(model, shared=True), len(list(temporary.iterdir()))
    for one in (function, load(model)):
        other = copied(one)
        assert other is not one
        assert len(list(temporary.iterdir())) == files
        numpy.testing.assert_array_equal(other(rows()).asnumpy(), function(rows()).asnumpy())


def test_a_file_that_is_gone_is_named(model):
    content = pickle.dumps(load(model, shared=True))
    model.unlink()
    with refusal(
        ReadError, r"E600: cannot read .*model: No such file(.|\n)*the pickle of <lambda> names its file.*shared=True"
    ):
        pickle.loads(content)


@pytest.mark.parametrize("now", ["another program", "other weights", "no archive", "half of it"])
def test_a_file_that_has_changed_is_refused(model, now):
    content, whole = pickle.dumps(load(model, shared=True)), model.read_bytes()
    if now in ("another program", "other weights"):
        w, after = weights(1), npx.relu if now == "other weights" else np.tanh
        saved(model, lambda x: after(np.dot(x, w.T)), (rows(),))
    else:
        model.unlink()
        model.write_bytes(b"nothing" if now == "no archive" else whole[: len(whole) // 2])
    with refusal(LoadError, "E616: the pickle of <lambda> names the file .*model, which holds something else now"):
        pickle.loads(content)
    model.write_bytes(whole)  # of the same content, and later
    pickle.loads(content)


def test_what_calls_write_goes_along(tmp_path):
    count = np.zeros(3)

    def counting(step):
        count[:] = count + step
        return count.sum()

    function = load(saved(tmp_path / "counting", counting, (np.ones(3),)), shared=True)
    start = float(function(np.zeros(3)))
    function(np.ones(3))
    again = pickle.loads(pickle.dumps(function))
    assert float(again(np.ones(3))) == start + 6
    assert float(function(np.ones(3))) == start + 6


def test_random_numbers_do_not_hinder(tmp_path):
    function = load(
        saved(tmp_path / "drawing", lambda x: x + np.random.uniform(size=(4,)), (np.zeros(4),)), shared=True
    )
    function(np.zeros(4))
    assert len(pickle.dumps(function)) < 1000
    again = pickle.loads(pickle.dumps(function))
    hybridize.random.seed(3)
    expected = np.random.uniform(size=(4,)).asnumpy()
    hybridize.random.seed(3)
    numpy.testing.assert_array_equal(again(np.zeros(4)).asnumpy(), expected)


@pytest.mark.parametrize("name", ["net.onnx", "net-symbol.json"])
def test_models_that_are_converted_are_refused(tmp_path, name):
    net = hybridize.gluon.nn.Dense(2)
    net.initialize()
    net.hybridize()
    net(np.ones((1, 3)))
    net.export(tmp_path / "net", format="onnx" if name.endswith("onnx") else "mxnet")
    with refusal(ValueArgumentError, r"E345: .* is not mapped(.|\n)*save an archive"):
        load(tmp_path / name, shared=True)


def run(function, array):
    return numpy.asarray(function(array))


def threads_and_identity(function, array):
    function(array)
    return function.options.threads, id(function), os.getpid()


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_workers(model, method):
    """In order, and one function for each process, whatever the parent has run; errors are what was raised."""
    function = load(model, shared=True, images=True, threads=2)
    batches = [rows().asnumpy() * k for k in range(6)]
    expected = [run(function, batch) for batch in batches]
    with ProcessPoolExecutor(2, multiprocessing.get_context(method)) as pool:
        results = list(pool.map(run, [function] * 6, batches, timeout=120))
        asked = list(pool.map(threads_and_identity, [function] * 6, batches, timeout=120))
        error = pool.submit(run, function, numpy.ones((2, 3), "f4")).exception(120)
    numpy.testing.assert_array_equal(results, expected)
    assert {one[0] for one in asked} == {2}
    assert len(set(asked)) == len({one[2] for one in asked})
    assert isinstance(error, ShapeError)
    assert (error.code, error.loc.function) == ("E120", "run")
    assert "return numpy.asarray(function(array))" in str(error)


def test_threads_that_read_pickles_at_once(model):
    content = pickle.dumps(load(model, shared=True))
    with ThreadPoolExecutor(6) as pool:
        functions = list(pool.map(pickle.loads, [content] * 12))
        results = list(pool.map(run, functions, [rows()] * 12))
    assert len({id(function) for function in functions}) == 1
    numpy.testing.assert_array_equal(results, [results[0]] * 12)


# ------------------------------------------------------------------------------------------------ pickles by value


def test_options_go_along(model):
    for function in (load(model, threads=1), load(model, threads=1, shared=True)):
        assert pickle.loads(pickle.dumps(function)).options.threads == 1
        assert copy.deepcopy(function).options.threads == 1


def test_the_bytes_may_go_beside_the_pickle(model):
    function, beside = load(model), []
    content = pickle.dumps(function, 5, buffer_callback=beside.append)
    assert len(content) < 1000
    assert model.read_bytes() == bytes(beside[0])
    again = pickle.loads(content, buffers=[bytes(beside[0])])
    numpy.testing.assert_array_equal(again(rows()).asnumpy(), function(rows()).asnumpy())


def test_a_pickle_of_before_is_read(model):
    """What came without options, as bytes."""
    name, content, images, _ = load(model)._as_bytes()
    again = saved_function._received(name, content.tobytes(), images)
    numpy.testing.assert_array_equal(again(rows()).asnumpy(), load(model)(rows()).asnumpy())
