"""Functions are found one by one: a new program of known functions is linked, and what is no good is compiled anew."""

import gc
import os
import threading

import numpy as np
import pytest

from hybridize import compiler, hybridize, ops
from hybridize import np as np_
from hybridize.base.config import CONFIG
from hybridize.base.types import TensorType
from hybridize.codegen import functions as codes
from hybridize.codegen.llvm import engine
from hybridize.codegen.llvm.program import build
from hybridize.compiler import disk, functions, identity
from hybridize.compiler.folder import FUNCTIONS
from hybridize.machine.target import named_target
from hybridize.ops.evaluate import evaluate
from hybridize.passes import PIPELINE
from tests.platforms.marks import forks, owners

F = np.dtype(np.float32)
ROWS = TensorType((6, 40), F)


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """A cache of this test's own, and counts from zero."""
    monkeypatch.setattr(CONFIG, "cache", True)
    monkeypatch.setattr(CONFIG, "cache_folder", str(tmp_path / "cache"))
    monkeypatch.setattr(identity, "compiler", lambda: "this one")
    forget()
    yield tmp_path / "cache"
    forget()


def forget():
    """Forget what is in memory."""
    disk.forget_counts()
    compiler.cache_clear()
    gc.collect()


@pytest.fixture
def compiled(monkeypatch):
    """The names of the functions that LLVM has compiled, call by call."""
    names = []
    emit = engine.emit_objects

    def counted(sources, target, threads=1):
        lines = [line for source in sources for line in source.text.splitlines()]
        names.append([line.split("@")[1].split("(")[0] for line in lines if line.startswith("define ")])
        return emit(sources, target, threads)

    monkeypatch.setattr(engine, "emit_objects", counted)
    return names


def dense(x, w):
    return ops.tanh(ops.matmul(x, w))


def norm(x, w):
    mean = ops.mul(ops.sum(x, (1,)), ops.full(1 / 40, TensorType((6,), F)))
    return ops.sub(x, ops.broadcast(ops.reshape(mean, (6, 1)), (6, 40)))


def fields(x, w):
    return ops.transpose(ops.exp(ops.transpose(x, (1, 0))), (1, 0))


def layers(*order):
    """A graph whose layers are in this order; a sort between them keeps each by itself."""

    def run(x, w):
        x = ops.sort(x, 1)
        for layer in order:
            x = ops.sort(layer(x, w), 1)
        return [x]

    return ops.make_graph(run, [ROWS, TensorType((40, 40), F)])


def check(graph):
    inputs = [
        np.random.default_rng(k).uniform(-0.1, 0.1, one.type.shape).astype("f4") for k, one in enumerate(graph.inputs)
    ]
    (result,), (expected,) = compiler.compile(graph).run(inputs), evaluate(graph, inputs)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("place", ["memory", "disk"])
def test_layers_in_another_order_compile_nothing_but_the_function_that_calls_them(place, compiled):
    check(layers(dense, norm, fields))
    assert sum(map(len, compiled)) > 5
    counts = compiler.cache_info().functions
    assert (counts.hits, counts.misses) == (0, sum(map(len, compiled)) - 1)
    if place == "disk":
        forget()
    compiled.clear()
    check(layers(fields, dense, norm, dense))
    assert compiled == [["program"]]
    now = compiler.cache_info().functions
    assert now.hits == counts.misses
    assert (now.from_disk > 0) == (place == "disk")


def test_a_new_layer_is_all_that_is_compiled(compiled):
    check(layers(dense, norm))
    compiled.clear()
    check(layers(dense, norm, fields))
    names = [name for some in compiled for name in some]
    assert "program" in names
    assert 2 <= len(names) <= 3


def test_images_do_not_depend_on_what_was_known():
    graph, target = PIPELINE.run(layers(dense, fields)), engine.host_target()
    store = functions.FunctionStore(1 << 20)
    module = build(graph, target).module
    images = [engine.compile_program(module, target, one) for one in (None, store, store)]
    assert images[0] == images[1] == images[2]
    assert store.info().hits > 0


def test_other_machines_have_functions_of_their_own(compiled):
    compiler.compile(layers(dense), named_target("baseline"))
    before = sum(map(len, compiled))
    if "avx2" in engine.runnable():
        compiler.compile(layers(dense), named_target("avx2"))
        assert sum(map(len, compiled)) >= before + 2


def kept(folder):
    return sorted(path for path in folder.iterdir() if path.suffix == FUNCTIONS)


def without_programs(folder):
    """Remove the records of programs, so that these are made anew, of the functions that are there."""
    forget()
    for path in folder.iterdir():
        if path.suffix != FUNCTIONS:
            path.unlink()


DAMAGES = {
    "cut off": lambda content: content[: len(content) // 2],
    "flipped": lambda content: content[:-9] + bytes([content[-9] ^ 4]) + content[-8:],
    "empty": lambda content: b"",
    "of another version": lambda content: content.replace(b"hybridize 1", b"hybridize 0", 1),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("of", ["index", "pack"])
def test_damaged_files_are_compiled_anew_and_replaced(of, damage, own_folder, compiled):
    check(layers(dense, norm))
    everything = sorted(name for some in compiled for name in some)
    (path,) = [one for one in kept(own_folder) if (b"FunctionPack" in one.read_bytes()) == (of == "pack")]
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    without_programs(own_folder)
    compiled.clear()
    check(layers(dense, norm))
    assert sorted(name for some in compiled for name in some) == everything
    assert disk.info().damaged >= 1
    without_programs(own_folder)
    compiled.clear()
    check(layers(dense, norm))
    assert compiled == [["program"]]


def test_another_compiler_and_another_release_of_llvm_find_nothing(own_folder, compiled, monkeypatch):
    check(layers(dense))
    everything = sum(map(len, compiled))
    for change in ((identity, "compiler", lambda: "another"), (engine, "version", lambda: "0.0.1")):
        without_programs(own_folder)
        compiled.clear()
        with monkeypatch.context() as other:
            other.setattr(*change)
            check(layers(dense))
        assert sum(map(len, compiled)) == everything


@pytest.mark.parametrize("place", ["memory", "disk"])
def test_digests_that_collide_are_not_believed(place, own_folder, compiled, monkeypatch):
    """All functions have one digest: the other one of their text tells them apart."""
    key = codes.function_key
    monkeypatch.setattr(engine, "function_key", lambda text: codes.FunctionKey(bytes(32), key(text).check))
    check(layers(dense))
    for order in [(norm, dense), (fields,), (dense, norm, fields)]:
        if place == "disk":
            forget()
        check(layers(*order))
    assert len(kept(own_folder)) > 2


@owners
def test_functions_of_others_are_not_read(own_folder, compiled):
    check(layers(dense))
    everything = sum(map(len, compiled))
    for path in kept(own_folder):
        os.chmod(path, 0o666)
    without_programs(own_folder)
    compiled.clear()
    check(layers(dense))
    assert sum(map(len, compiled)) == everything


def test_memory_is_bounded_and_the_least_recently_used_go_first():
    def code(number):
        return codes.FunctionCode("x86_64", codes.Chunk(bytes(1000), 16, b""), (), ((str(number), 0, 0),))

    keys = [codes.function_key(str(number)) for number in range(6)]
    CONFIG.cache = False
    store = functions.FunctionStore(3000)
    for number in (0, 1, 2):
        store.keep({keys[number]: code(number)})
    assert store.find(keys[:1]) == {keys[0]: code(0)}
    store.keep({keys[3]: code(3), keys[4]: code(4)})
    assert list(store.find(keys)) == [keys[0], keys[3], keys[4]]
    assert store.info().bytes == 3000


def test_the_index_forgets_the_oldest(own_folder, monkeypatch):
    monkeypatch.setattr(functions, "INDEXED", 3)
    code = codes.FunctionCode("x86_64", codes.Chunk(b"\xc3", 16, b""), (), ())
    keys = [codes.function_key(str(number)) for number in range(5)]
    for key in keys:
        functions.FunctionStore(1 << 10).keep({key: code})
    found = functions.FunctionStore(1 << 10).find(keys)
    assert list(found) == keys[2:]


def test_packs_that_are_gone_and_rows_that_another_process_lost(own_folder, compiled):
    check(layers(dense))
    everything = sorted(name for some in compiled for name in some)
    (index,) = [path for path in kept(own_folder) if b"FunctionPack" not in path.read_bytes()]
    (pack,) = [path for path in kept(own_folder) if path != index]
    for lost in (pack, index):
        lost.unlink()
        without_programs(own_folder)
        compiled.clear()
        check(layers(dense))
        assert sorted(name for some in compiled for name in some) == everything
        assert lost.exists()


def test_a_full_disk_and_a_folder_that_cannot_be_written_keep_nothing(own_folder, monkeypatch):
    monkeypatch.setattr(CONFIG, "cache_bytes", 100)
    check(layers(dense))
    assert not own_folder.exists() or not kept(own_folder)
    assert compiler.cache_info().functions.misses > 0


def test_threads_compile_programs_of_shared_functions_at_once():
    orders = [(dense, norm), (norm, dense), (dense, fields), (fields, norm)]
    problems = []

    def work(order):
        try:
            check(layers(*order))
        except Exception as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(order,)) for order in orders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems


@forks
def test_a_forked_child_has_the_functions_of_its_parent(compiled):
    check(layers(dense, norm))
    compiled.clear()
    child = os.fork()
    if not child:
        try:
            check(layers(norm, dense))
            os._exit(0 if compiled == [["program"]] else 1)
        except BaseException:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_effects_reach_their_variables_whether_functions_are_known_or_not(compiled, capsys):
    """A variable of the image is no part of any function that reads it."""

    @hybridize
    def loud(x):
        print("sum", x.sum())
        return x * 2

    @hybridize
    def louder(x):
        print("sum", x.sum())
        return x * 2 + 1

    x = np_.ones((5,))
    for function, expected in ((loud, 2.0), (louder, 3.0)):
        for _ in range(3):
            assert float(function(x)[0]) == expected
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["sum 5.0"] * 6
