"""Attributes and methods of the user's with names that layers of ours keep, and methods that are set on a class later."""

import pytest

import hybridize
from hybridize import np
from hybridize.base.errors import ArgumentError
from hybridize.gluon import Block, HybridBlock, loss, nn, overriding, rnn
from tests.gluon.test_overriding import LAYERS, inputs_of, made
from tests.refusals import refusal


@pytest.mark.parametrize("name", LAYERS)
def test_private_attributes_of_layers_are_kept(name):
    """All that a layer has after a call, hybridized or not; those of MXNet's may be set, with effect."""
    block = made(name, LAYERS[name])
    block(*inputs_of(name))
    block.hybridize(backend="numpy")
    kept = dict(vars(block))
    for attribute in [one for one in kept if one.startswith("_")]:
        if attribute in overriding._MXNETS:
            setattr(block, attribute, kept[attribute])
        else:
            with refusal(ArgumentError, f"E369: {type(block).__name__} is given {attribute}, a name"):
                setattr(block, attribute, 3)
            assert vars(block)[attribute] is kept[attribute]
    for mine in ("_mine", "_own_kernel", "_count_of_calls"):
        setattr(block, mine, 3)
        assert getattr(block, mine) == 3


@pytest.mark.parametrize("name", LAYERS)
def test_private_methods_of_layers_are_kept(name):
    kind = LAYERS[name]
    methods = overriding._methods(kind)
    assert {"_run", "_changed"} <= methods
    for method in methods:
        with refusal(ArgumentError, f"E369: Own defines {method}, a name"):
            type("Own", (kind,), {method: lambda self: None})


def test_before_and_after_the_layer_is_made():
    class Before(nn.Conv2D):
        def __init__(self):
            self._kernel = 3
            super().__init__(2, 3)

    class After(nn.Conv2D):
        def __init__(self):
            super().__init__(2, 3)
            self._strides = 3

    class Through(After):
        def __setattr__(self, name, value):
            super().__setattr__(name, value)

    for kind in (Before, After, Through):
        with pytest.raises(ArgumentError, match=r"E369.*\n.*test_private_names.py"):
            kind()


def test_other_blocks_may_have_them():
    """Names of a layer are free in blocks that do not derive from it, and users' classes among themselves."""

    class Net(HybridBlock):
        def __init__(self):
            super().__init__()
            self._kernel, self._strides, self._cell, self._units = 2, 3, None, 5

        def _finished(self, x):
            return x * self._kernel

        def hybrid_forward(self, F, x):
            return self._finished(x) * self._strides

    class Further(Net):
        def _finished(self, x):
            self._seen = x.shape
            return x

    net = Net()
    assert float(net(np.ones(2)).sum()) == 12
    net.hybridize()
    assert float(net(np.ones(2)).sum()) == 12
    assert float(Further()(np.ones(2)).sum()) == 6


@pytest.mark.parametrize("kind", [Block, HybridBlock])
def test_names_of_blocks(kind):
    net = type("Net", (kind,), {})()
    for name in ("_parameters", "_hooks", "_watches"):
        with pytest.raises(ArgumentError, match="E369"):
            setattr(net, name, {})


def test_what_programs_set_of_mxnet_has_effect():
    drop = nn.Dropout(0.5)
    drop._rate = 0
    with hybridize.autograd.record():
        assert drop(np.ones(50)).asnumpy().tolist() == [1] * 50


# ------------------------------------------------------------------------------------------- set on a class later


def doubled(self, F, x, *args, **parameters):
    return x * 2


@pytest.mark.parametrize("name", LAYERS)
def test_hybrid_forward_of_a_class_of_ours_is_not_replaced(name, monkeypatch):
    kind = LAYERS[name]
    derived = type("Derived", (kind,), {})
    monkeypatch.setattr(kind, "hybrid_forward", doubled, raising=False)
    for one in (kind, derived):
        with refusal(ArgumentError, f"E369: hybrid_forward was set on {kind.__name__}"):
            made(name, one)
    monkeypatch.undo()
    made(name, kind)
    made(name, derived)


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("base", [HybridBlock, nn.Dense, loss.Loss, nn.HybridSequential])
def test_hybrid_forward_of_a_class_of_the_users_may_be_set_later(base, hybridized):
    class Own(base):
        def __init__(self):
            super().__init__(*((2,) if base is nn.Dense else (None, 0) if base is loss.Loss else ()))

    class Derived(Own):
        pass

    Own()
    Own.hybrid_forward = doubled
    for kind in (Own, Derived):
        net = kind()
        net.initialize()
        if hybridized:
            net.hybridize()
        assert net(np.ones((1, 3))).asnumpy().tolist() == [[2, 2, 2]]
    del Own.hybrid_forward
    assert Own().hybrid_forward.__func__ is not doubled


def test_one_method_after_another():
    class Own(rnn.RNNCell):
        def hybrid_forward(self, F, x, states, **weights):
            return x, states

    cell = Own(3)
    cell.initialize()
    assert cell(np.ones((1, 3)), cell.begin_state(1))[0].asnumpy().tolist() == [[1, 1, 1]]
    Own.hybrid_forward = lambda self, F, x, states, **weights: (x * 3, states)
    cell = Own(3)
    cell.initialize()
    assert cell(np.ones((1, 3)), cell.begin_state(1))[0].asnumpy().tolist() == [[3, 3, 3]]


@pytest.mark.parametrize(
    ("make", "name", "shape"),
    [
        (lambda **known: nn.Dense(3, **known), "_in_units", (2, 4)),
        (lambda **known: nn.Conv2D(3, 1, **known), "_in_channels", (2, 4, 1, 1)),
        (lambda **known: nn.Conv2DTranspose(3, 1, **known), "_in_channels", (2, 4, 1, 1)),
    ],
)
def test_the_size_of_an_input_may_be_set(make, name, shape):
    """As programs do that prune nets: it says what the shape of the weight does not."""
    layer = make()
    setattr(layer, name, 4)
    layer.initialize()
    assert getattr(layer, name) == 4
    assert layer.weight.data().size == 12
    assert layer(np.ones(shape)).shape[:2] == (2, 3)
    known = make(**{name[1:]: 4})
    setattr(known, name, 5)
    assert getattr(known, name) == 4
