"""MXNet's paths: programs import by them, and get the very objects that the other names give."""

import ast
import importlib
import multiprocessing.pool
import pickle
import subprocess
import sys

import pytest

import hybridize
from hybridize import gluon, nd, np, sym
from hybridize.errors import ArgumentError, LoadError, ValueArgumentError
from hybridize.paths import MODULES, NAMES

ROOTS = ["hybridize", "hybridize.mxnet"]
OWN = {
    f"hybridize.{name}": f"hybridize.mxnet.{name}"
    for name in ("metric", "optimizer", "gluon.loss", "gluon.nn", "gluon.trainer")
}
"""Modules that MXNet 1.9.1's face has of its own."""


def at(place):
    home, _, attribute = place.partition(":")
    module = importlib.import_module(home)
    return getattr(module, attribute) if attribute else module


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("path", sorted(MODULES))
def test_a_path_is_another_name_of_a_module(root, path):
    place = MODULES[path] if root == "hybridize" else OWN.get(MODULES[path], MODULES[path])
    assert importlib.import_module(f"{root}.{path}") is at(place)
    package, _, last = f"{root}.{path}".rpartition(".")
    assert getattr(importlib.import_module(package), last) is at(place)


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize(("module", "name"), [(module, name) for module in NAMES for name in NAMES[module]])
def test_a_name_of_a_path_is_the_one_that_is_elsewhere(root, module, name):
    assert getattr(importlib.import_module(f"{root}.{module}"), name) is at(NAMES[module][name])


PROGRAM = """
import hybridize.mxnet as mx
import hybridize.mxnet.gluon.nn as nn
from hybridize.mxnet import gluon, nd, autograd
from hybridize.mxnet.gluon.block import HybridBlock, SymbolBlock, Block
from hybridize.mxnet.ndarray.ndarray import NDArray
from hybridize.mxnet.gluon.model_zoo.vision import resnet
from hybridize.mxnet.numpy.linalg import svd
import sys, hybridize
assert mx.__version__ == mx.libinfo.__version__ == mx.base.__version__ == "1.9.1" != hybridize.__version__
assert gluon.rnn is hybridize.gluon.rnn and nn is gluon.nn and autograd is hybridize.autograd
assert (HybridBlock, SymbolBlock, Block) == (gluon.HybridBlock, gluon.SymbolBlock, gluon.Block)
assert nd is mx.nd is mx.ndarray is hybridize.nd is hybridize.ndarray and mx.sym is mx.symbol is hybridize.sym
assert isinstance(nd.ones(2), NDArray) and resnet is gluon.model_zoo.vision.resnet and svd is mx.np.linalg.svd
names = [name for name, module in sys.modules.items() if name.startswith("hybridize")]
for name in names:
    spec = getattr(sys.modules[name], "__spec__", None)
    assert spec is None or sys.modules[spec.name] is sys.modules[name], name
files = [module.__file__ for module in {id(sys.modules[name]): sys.modules[name] for name in names}.values()
         if getattr(module, "__file__", None)]
assert len(files) == len(set(files)), "a module was imported twice"
"""


def test_the_face_of_mxnet_in_a_fresh_process():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_paths_cost_the_import_nothing():
    code = "import sys, hybridize; print([n for n in ('paths', 'mxnet', 'libinfo') if f'hybridize.{n}' in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ast.literal_eval(done.stdout) == [], done.stderr


@pytest.mark.parametrize("name", ["hybridize.nonsense", "hybridize.mxnet.nonsense", "hybridize.mxnet.gluon.nonsense"])
def test_what_is_nowhere_is_not_found(name):
    with pytest.raises(ModuleNotFoundError, match="nonsense"):
        importlib.import_module(name)
    with pytest.raises(AttributeError, match="no 'nonsense'"):
        _ = importlib.import_module(name.rpartition(".")[0]).nonsense


def test_the_module_that_hybrid_forward_gets_is_the_one_of_arrays():
    class Net(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            modules.append(F)
            return x * 2

    modules = []
    net = Net()
    net(np.ones(2))
    net.hybridize()
    net(np.ones(2))
    assert modules[0] is nd is hybridize.ndarray
    assert modules[1] is sym is hybridize.symbol


# --------------------------------------------------------------------------------------------------- what is behind them


def test_instances_are_what_they_were():
    x, symbol = nd.ones(2), sym.var("x")
    assert isinstance(x, nd.NDArray) and not isinstance(x, sym.Symbol)
    assert isinstance(symbol, sym.Symbol) and not isinstance(symbol, nd.NDArray)
    assert isinstance(symbol * 2, hybridize.symbol.symbol.Symbol)
    assert all(isinstance(one, gluon.tensor_types) for one in (x, symbol)) and not isinstance(2.0, gluon.tensor_types)
    assert isinstance(x.context, hybridize.Context) and isinstance(
        hybridize.context.Context.default_ctx, hybridize.Context
    )
    with hybridize.cpu(1):
        assert hybridize.Context.default_ctx == hybridize.cpu(1)


def test_instances_within_a_program():
    class Net(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            answers.append((isinstance(x, nd.NDArray), isinstance(x, sym.Symbol), isinstance(2.0 * 3, sym.Symbol)))
            return x * 2

    answers = []
    net = Net()
    net(np.ones(2))
    net.hybridize()
    net(np.ones(2))
    assert answers == [(True, False, False), (True, True, False)]


def test_nested_arrays_are_flattened_and_nested_again():
    from hybridize.gluon.block import _flatten, _regroup

    a, b, pair = nd.ones(1), nd.ones(2), sym.split(sym.var("x"), num_outputs=2)
    nested = [a, [None, (b, pair)]]
    leaves, form = _flatten(nested, "input")
    assert (leaves, form) == ([a, None, b, pair], [0, [-1, [0, 2]]])
    assert _regroup([1, None, 2, 3, 4], form) == [1, [None, [2, [3, 4]]]]
    with pytest.raises(ValueError, match="the output of a block must be arrays or symbols in lists, got str"):
        _flatten([a, "b"], "output")
    with pytest.raises(ValueError, match="2 arrays are to be nested, got 1"):
        _regroup([1, None, 2, 3], form)
    with pytest.raises(ValueError, match="where there was None"):
        _regroup([1, 2, 2, 3, 4], form)


def test_helpers_of_loaders_and_repositories(monkeypatch):
    from hybridize.gluon.data.dataloader import _as_in_context, default_mp_batchify_fn
    from hybridize.gluon.utils import _get_repo_file_url, _get_repo_url, replace_file

    moved = _as_in_context([nd.ones(1), (nd.ones(2), "text")], hybridize.cpu(0))
    assert [type(one) for one in (moved, moved[1], moved[1][1])] == [list, list, str]
    assert default_mp_batchify_fn([nd.ones(2), nd.ones(2)]).shape == (2, 2)
    assert _get_repo_url().startswith("https://") and callable(replace_file)
    monkeypatch.setenv("MXNET_GLUON_REPO", "http://here")
    assert _get_repo_file_url("gluon/dataset", "a.zip") == "http://here/gluon/dataset/a.zip"


def test_registries_of_other_libraries():
    from hybridize import registry

    class Reader:
        def __init__(self, size=1):
            self.size = size

    register, create = registry.get_register_func(Reader, "reader"), registry.get_create_func(Reader, "reader")

    @registry.get_alias_func(Reader, "reader")("narrow", "Small")
    @register
    class Plain(Reader):
        pass

    assert registry.get_registry(Reader) == {"plain": Plain, "narrow": Plain, "small": Plain}
    one = create("PLAIN", 3)
    assert type(one) is Plain and one.size == 3 and create(one) is one
    for described in ('["small", {"size": 4}]', '{"reader": "small", "size": 4}', {"reader": "small", "size": 4}):
        assert create(described).size == 4
    assert create(reader="plain", size=5).size == 5
    with pytest.raises(ArgumentError, match=r"no reader 'wide'(.|\n)*narrow, plain, small"):
        create("wide")
    with pytest.raises(ArgumentError, match="must be derived from Reader"):
        register(int)
    with pytest.raises(ArgumentError, match="arguments stand beside"):
        create(one, 3)
    with pytest.warns(UserWarning, match="reader 'plain' was"):
        register(type("Plain", (Reader,), {}))


def test_files_of_networks(tmp_path):
    from hybridize.gluon.model_zoo import model_store

    (tmp_path / "net.params").write_bytes(b"abc")
    assert model_store.get_model_file("net", root=tmp_path) == str(tmp_path / "net.params")
    model_store._model_sha1["net"] = "a9993e364706816aba3e25717850c26c9cd0d89d"
    try:
        assert model_store.get_model_file("net", root=tmp_path) == str(tmp_path / "net.params")
        assert model_store.short_hash("net") == "a9993e36"
        (tmp_path / "net.params").write_bytes(b"abcd")
        with pytest.raises(ValueArgumentError, match="another SHA-1"):
            model_store.get_model_file("net", root=tmp_path)
    finally:
        del model_store._model_sha1["net"]
    with pytest.raises(ValueError, match="no digest of 'net'"):
        model_store.short_hash("net")
    model_store.purge(tmp_path)
    with pytest.raises(LoadError, match="nothing is downloaded"):
        model_store.get_model_file("net", root=tmp_path)


def _batch(numbers, batchify, dataset=None):
    made = batchify([number * 2 for number in numbers])
    return pickle.dumps(made) if dataset is None else made


@pytest.mark.parametrize("dataset", [None, [1]])
def test_batches_that_a_pool_makes(dataset):
    from hybridize.gluon.data.dataloader import _MultiWorkerIter

    class Mine(_MultiWorkerIter):
        pass

    with multiprocessing.pool.ThreadPool(2) as pool:
        batches = Mine(pool, np.array, [[0, 1], [2], [3, 4]], worker_fn=_batch, prefetch=2, dataset=dataset)
        assert len(batches) == 3
        assert [batch.tolist() for batch in batches] == [[0, 2], [4], [6, 8]]
        wrong = Mine(pool, np.array, [["a"]], worker_fn=lambda numbers, *rest: [][0])
        with pytest.raises(IndexError):
            next(wrong)
