"""Loaded programs travel as their file: pickled, copied, sent to other processes, with the weights of the moment."""

import copy
import multiprocessing
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy
import pytest

import hybridize
from hybridize import load, np, npx
from hybridize.formats.archive.container import opened

GOLDEN = Path(__file__).parent.parent / "formats" / "golden"
RECEIVER = """
import pickle, sys
import numpy
function = pickle.load(sys.stdin.buffer)
result = function(numpy.linspace(-1, 1, 12, dtype="f4").reshape(3, 4))
sys.stdout.write(f"{'llvmlite' in sys.modules} {numpy.asarray(result).tobytes().hex()}")
"""


def file_of(function, path, *args):
    """The function's file, after a call."""
    made = hybridize.hybridize(function)
    made(*args)
    made.save(path)
    return path


@pytest.fixture
def dense(tmp_path):
    weight = np.array(numpy.random.default_rng(0).normal(size=(4, 300)).astype("f4"))
    return file_of(lambda x: npx.relu(np.dot(x, weight)), tmp_path / "dense", np.ones((3, 4)))


def x():
    return np.array(numpy.linspace(-1, 1, 12, dtype="f4").reshape(3, 4))


@pytest.mark.parametrize("images", [False, True])
@pytest.mark.parametrize("protocol", [2, pickle.HIGHEST_PROTOCOL])
def test_a_pickle_holds_all(dense, images, protocol):
    function = load(dense, images=images)
    content, expected = pickle.dumps(function, protocol), function(x()).asnumpy()
    dense.unlink()
    again = pickle.loads(content)
    assert again is not function and again.name == function.name
    numpy.testing.assert_array_equal(again(x()).asnumpy(), expected)
    numpy.testing.assert_array_equal(pickle.loads(pickle.dumps(again))(x()).asnumpy(), expected)


def test_it_is_the_file(dense):
    assert dense.read_bytes() in pickle.dumps(load(dense))


def test_another_process_compiles_nothing_where_this_one_did_not(dense):
    for images in (True, False):
        function = load(dense, images=images)
        done = subprocess.run(
            [sys.executable, "-c", RECEIVER], input=pickle.dumps(function), capture_output=True, check=True
        )
        compiled, result = done.stdout.split()
        assert compiled == str(not images).encode()
        assert bytes.fromhex(result.decode()) == function(x()).asnumpy().tobytes()


def run(function, array):
    return numpy.asarray(function(array))


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_processes_get_it(dense, method):
    function = load(dense, images=True)
    with ProcessPoolExecutor(1, multiprocessing.get_context(method)) as pool:
        found = pool.submit(run, function, x().asnumpy()).result(timeout=120)
    numpy.testing.assert_array_equal(found, function(x()).asnumpy())


def test_state_goes_along_and_then_its_own_way(tmp_path):
    count = np.zeros(300)

    def counting(step):
        count[:] = count + step
        return count.sum()

    function = load(file_of(counting, tmp_path / "counting", np.ones(300)))
    start = float(function(np.zeros(300)))
    for copied in (copy.deepcopy, copy.copy, lambda one: pickle.loads(pickle.dumps(one))):
        function(np.ones(300))
        start += 300
        again = copied(function)
        assert float(again(np.ones(300))) == start + 300
        assert float(again(np.ones(300))) == start + 600
        assert float(function(np.zeros(300))) == start


def test_random_numbers_are_those_of_the_process(tmp_path):
    function = load(file_of(lambda x: x + np.random.uniform(size=(4,)), tmp_path / "drawing", np.zeros(4)))
    again = pickle.loads(pickle.dumps(function))
    hybridize.random.seed(7)
    together = [one(np.zeros(4)).asnumpy() for one in (function, again, function)]
    hybridize.random.seed(7)
    expected = [np.random.uniform(size=(4,)).asnumpy() for _ in range(3)]
    numpy.testing.assert_array_equal(together, expected)


def test_a_pickled_program_can_be_saved(dense, tmp_path):
    again = pickle.loads(pickle.dumps(load(dense)))
    again.save(tmp_path / "again")
    numpy.testing.assert_array_equal(load(tmp_path / "again", verify=True)(x()).asnumpy(), again(x()).asnumpy())


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.hybridize")), ids=lambda path: path.stem)
def test_files_of_all_versions_travel(path):
    function = load(path)
    again = pickle.loads(pickle.dumps(function))
    for (program, signature), (other, its) in zip(function.of_file(), again.of_file(), strict=True):
        assert str(program.captured) == str(other.captured)
        assert len(signature.samples) == len(its.samples)


def test_functions_that_were_not_loaded_travel_by_name():
    assert pickle.loads(pickle.dumps(doubled)) is doubled


@hybridize.hybridize
def doubled(x):
    return x * 2


def test_what_is_read_is_forgotten_before_anybody_writes(tmp_path):
    """Two threads ask for a tensor and write into it: neither's pages become the file's again."""
    large = np.array(numpy.arange(1 << 18, dtype="f4"))
    file = file_of(lambda x: x + large.sum(), tmp_path / "large", np.ones(1))
    for _ in range(20):
        container = opened(str(file))
        container.program()
        name = next(one for one in container.entries if one.startswith("weight:"))

        def write(container=container, name=name):
            container.array(name)[...] = 7

        threads = [threading.Thread(target=write) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (container.array(name) == 7).all()
    again = opened(str(file))
    again.program()
    numpy.testing.assert_array_equal(again.array(name), large.asnumpy())
