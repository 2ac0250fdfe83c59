"""How calls are asked for: launches one by one at first, a graph for addresses that come again, one copy for numbers."""

from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest

from hybridize import gpu, hybridize, np
from hybridize.array.buffer import buffer_of


def asked(device, call, *args) -> list[str]:
    device.asked.clear()
    call(*args)
    return [*device.asked]


def test_a_graph_is_made_when_addresses_come_the_second_time(device):
    f = hybridize(lambda x: np.exp(x @ x.T).sum())
    x = np.ones((3, 3), ctx=gpu(0))
    first = asked(device, f, x)
    launches = first.count("launch")
    assert launches > 1 and "capture" not in first
    assert asked(device, f, x) == ["capture", *["record"] * launches]
    for _ in range(3):
        assert asked(device, f, x) == []  # the graph alone
    assert numpy.isclose(f(x).item(), 9 * numpy.exp(3))


def test_a_program_has_four_graphs_and_changes_one_for_a_fifth_set_of_addresses(device):
    f = hybridize(lambda x: x * 2)
    xs = [np.array([float(k)] * 3, ctx=gpu(0)) for k in range(5)]
    for x in xs:
        assert asked(device, f, x) == ["launch"]
    for x in xs[:4]:
        assert asked(device, f, x) == ["capture", "record"]
    assert asked(device, f, xs[4]) == ["update", "record"]
    assert asked(device, f, xs[0]) == ["update", "record"]
    assert asked(device, f, xs[4]) == []
    assert [f(x).asnumpy()[0] for x in xs] == [0, 2, 4, 6, 8]


def test_addresses_that_never_come_again_make_no_graph(device):
    f = hybridize(lambda x: x * 2)
    others = []
    for k in range(40):
        others.append(np.ones(3 + 0 * k, ctx=gpu(0)))
        assert asked(device, f, others[-1]) == ["launch"]
    code = f.programs()[0]._runs.code
    assert not code._graphs and len(code._seen) <= 16


def test_numbers_are_one_copy_and_only_where_a_kernel_reads_them(device):
    f = hybridize(lambda x, k, m: (x * k + m, m * 2))
    x = np.ones(3, ctx=gpu(0))
    for number in range(4):
        result, _ = f(x, float(number), 2)
        assert result.asnumpy().tolist() == [number + 2.0] * 3
    assert asked(device, f, x, 0.5, 3) == ["copy_in"]
    g = hybridize(lambda x, k: (x + 1, k * 2))
    for _ in range(3):
        g(x, 3.0)
    assert asked(device, g, x, 3.0) == []


def test_sizes_of_calls_have_graphs_of_their_own(device):
    f = hybridize(lambda x: x + 1)
    xs = [np.ones(n, ctx=gpu(0)) for n in (3, 5, 8)]
    for _ in range(3):
        for x in xs:
            assert (f(x).asnumpy() == 2).all()
    assert [asked(device, f, x) for x in xs] == [[], [], []]


def test_a_device_that_is_short_of_memory_gets_the_graphs_back(device):
    f = hybridize(lambda x: x + 1)
    x = np.ones(3, ctx=gpu(0))
    for _ in range(3):
        f(x)
    (code,) = (one._runs.code for one in f.programs())
    assert code._graphs
    for drop in device.when_scarce:
        drop()
    assert not code._graphs
    assert f(x).asnumpy().tolist() == [2, 2, 2]


def test_graphs_stay_while_another_thread_asks_for_a_call_and_nobody_waits(device):
    f = hybridize(lambda x: x + 1)
    x = np.ones(3, ctx=gpu(0))
    for _ in range(3):
        f(x)
    (code,) = (one._runs.code for one in f.programs())
    with ThreadPoolExecutor(1) as threads:
        with code.lock:
            threads.submit(code.drop_graphs).result(timeout=10)
            assert code._graphs
        threads.submit(code.drop_graphs).result(timeout=10)
    assert not code._graphs


def test_memory_of_a_call_is_free_when_it_has_been_asked_for(device):
    f = hybridize(lambda x: np.exp(x @ x.T) @ x)
    x = np.ones((4, 4), ctx=gpu(0))
    y = f(x)
    used = device.heap.used
    for _ in range(5):
        y = f(x)
    assert device.heap.used - used <= buffer_of(y).nbytes  # one result more, before the last one has gone


def test_constants_of_a_program_are_copied_once(device):
    f = hybridize(lambda x: x @ np.array([[0.0, 1, 2], [3, 4, 5]], ctx=gpu(0)))
    x = np.ones((2, 2), ctx=gpu(0))
    copies = [asked(device, f, x).count("copy_in") for _ in range(3)]
    assert copies == [1, 0, 0] and f(x).asnumpy().tolist() == [[3, 5, 7]] * 2


def test_an_image_of_an_earlier_process_is_loaded_without_llvm(tmp_path, monkeypatch, device):
    from hybridize import compiler
    from hybridize.base.config import CONFIG
    from hybridize.compiler import disk, identity

    monkeypatch.setattr(CONFIG, "cache", True)
    monkeypatch.setattr(CONFIG, "cache_folder", str(tmp_path))
    if disk.name(identity.of_devices()) is None:
        pytest.skip("the compiler's files are younger than this process")
    x = np.ones((2, 2), ctx=gpu(0))
    functions = [hybridize(lambda x: np.tanh(x) + 41) for _ in range(2)]
    found = []
    for f in functions:
        compiler.cache_clear()
        found.append(f(x).asnumpy())
    first, second = (one.programs()[0]._runs.executable.timings for one in functions)
    assert "llvm" in first and [*second] == ["disk"]
    assert found[0].tobytes() == found[1].tobytes()


def test_launches_that_differ_in_a_number_come_from_the_disk_and_in_a_graph(tmp_path, monkeypatch, device):
    """Runs of a long line are merged by one kernel, whose launches are told how long they are."""
    from hybridize import compiler
    from hybridize.base.config import CONFIG
    from hybridize.compiler import disk, identity

    monkeypatch.setattr(CONFIG, "cache", True)
    monkeypatch.setattr(CONFIG, "cache_folder", str(tmp_path))
    if disk.name(identity.of_devices()) is None:
        pytest.skip("the compiler's files are younger than this process")
    numbers = numpy.random.default_rng(0).permutation(4500).astype(numpy.float32)
    x = np.array(numbers, ctx=gpu(0))
    for _ in range(2):
        compiler.cache_clear()
        f = hybridize(lambda x: np.sort(x))
        launches = asked(device, f, x).count("launch")
        assert launches > 3
        assert asked(device, f, x) == ["capture", *["record"] * launches]
        assert f(x).asnumpy().tolist() == [*range(4500)]
    assert [*f.programs()[0]._runs.executable.timings] == ["disk"]


def test_a_length_that_comes_later_is_sorted_by_the_program_of_any_length(device):
    f = hybridize(lambda x: (np.sort(x), np.cumsum(x)))
    for n in (40, 5000, 7, 9000):
        numbers = numpy.random.default_rng(n).permutation(n).astype(numpy.float32)
        ordered, totals = f(np.array(numbers, ctx=gpu(0)))
        assert ordered.asnumpy().tolist() == [*range(n)]
        numpy.testing.assert_allclose(totals.asnumpy(), numpy.cumsum(numbers, dtype=float), rtol=1e-6)
    assert len(f.programs()) < 4
