"""Names that a module has not: an AttributeError that says what replaces them, or which one was meant."""

import importlib
import pkgutil

import pytest

import hybridize
from hybridize import autograd, gluon, init, lr_scheduler, metric, nd, np, npx, optimizer, sym
from hybridize.base.errors import MissingNameError
from hybridize.gluon import nn
from tests.refusals import refusal

MODULES = [
    hybridize, np, npx, np.linalg, np.random, nd, sym, gluon, nn, gluon.loss, gluon.data, gluon.contrib, autograd, init,
    metric, optimizer, lr_scheduler, importlib.import_module("hybridize.ndarray"),
]  # fmt: skip


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_module_of_the_users_says_what_is_missing(module):
    assert not hasattr(module, "nonsense_of_ours")
    with pytest.raises(MissingNameError, match=r"E364: module 'hybridize.*' has no 'nonsense_of_ours'"):
        _ = module.nonsense_of_ours
    with pytest.raises(AttributeError) as plain:
        _ = module.__nonsense__
    assert type(plain.value) is AttributeError
    names = [name for name in dir(module) if not name.startswith("_") and name[0].isupper()][:3]
    for name in names:
        wrong = (
            name[:-1] + "x" if len(name) > 4 else name.lower() + "_" if hasattr(module, name.lower()) else name.lower()
        )
        if not hasattr(module, wrong) and len(name) > 4:
            with refusal(AttributeError, name):
                getattr(module, wrong)


@pytest.mark.parametrize(
    ("module", "name", "said"),
    [
        (gluon.rnn, "LSTMcell", r"did you mean 'LSTMCell'\?"),
        (nn, "dense", r"did you mean 'Dense'\?"),
        (nn, "Linear", "nn.Dense"),
        (np, "bmat", "numpy.bmat on x.asnumpy"),
        (np, "Zeros", r"did you mean 'zeros'\?"),
        (nd, "sinc", "np.sinc"),
        (hybridize, "mod", "gluon.Trainer"),
        (autograd, "get_symbol", "is the graph"),
        (sym, "fulyconnected", "FullyConnected"),
    ],
)
def test_what_is_said(module, name, said):
    with refusal(MissingNameError, said):
        getattr(module, name)


def test_submodules_are_found_as_ever():
    assert all(importlib.import_module(f"hybridize.gluon.{one.name}") for one in pkgutil.iter_modules(gluon.__path__))


def test_names_of_other_libraries_are_not_completed():
    """`dir` has no name that raises; a subclass's own name of that kind is there."""

    class Own(nn.Dense):
        def parameters(self):
            return []

    for value in (np.ones(2), np.ones(2).as_nd_ndarray(), nn.Dense(2), Own(2)):
        names = dir(value)
        for name in (one for one in names if not one.startswith("_")):
            try:
                getattr(value, name)
            except MissingNameError as error:
                pytest.fail(f"{type(value).__name__}.{name}: {error}")
            except hybridize.errors.HybridizeError:  # what there is later only: an array's gradient, a net's program
                pass
        assert "numpy" not in names
    assert "parameters" in dir(Own(2)) and "parameters" not in dir(nn.Dense(2))
