"""MXNet's paths: programs import by them, and get the very objects that the other names give."""

import ast
import importlib
import subprocess
import sys

import pytest

import hybridize
from hybridize.paths import MODULES, NAMES

ROOTS = ["hybridize", "hybridize.mxnet"]


def at(place):
    home, _, attribute = place.partition(":")
    module = importlib.import_module(home)
    return getattr(module, attribute) if attribute else module


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("path", sorted(MODULES))
def test_a_path_is_another_name_of_a_module(root, path):
    assert importlib.import_module(f"{root}.{path}") is at(MODULES[path])
    package, _, last = f"{root}.{path}".rpartition(".")
    assert getattr(importlib.import_module(package), last) is at(MODULES[path])


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
assert gluon is hybridize.gluon and nn is gluon.nn and autograd is hybridize.autograd
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
    from hybridize import gluon, nd, np, sym

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
