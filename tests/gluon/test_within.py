# SPDX-License-Identifier: Apache-2.0
"""Errors about blocks: the layer and where it is in its net; keywords that no layer has."""

import inspect
import re

import pytest

from hybridize import autograd, errors, gluon, nd, np, npx
from hybridize.gluon import HybridBlock, nn, rnn
from hybridize.verb import hybridize
from tests.refusals import refusal


def net_of(compiled):
    inner, net = nn.HybridSequential(), nn.HybridSequential()
    inner.add(nn.Conv2D(4, 3, in_channels=3), nn.Activation("relu"))
    net.add(inner, nn.MaxPool2D(), nn.Conv2D(4, 3), nn.Dense(10))
    net.initialize()
    net(np.ones((2, 3, 16, 16)))
    net.hybridize(compiled)
    return net


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("way", ["call", "recorded", "step"])
@pytest.mark.parametrize(
    ("shape", "place", "remedy"),
    [
        (
            (2, 1, 16, 16),
            r"Conv2D\(3 -> 4, .*\), '0\.0' of HybridSequential",
            "the channels of x, 1, must be groups",
        ),
        ((2, 16, 16, 3), r"Conv2D\(3 -> 4, .*\), '0\.0' of", "axis 3 has so many: is the layout another one"),
        ((3, 16, 16), r"Conv2D\(3 -> 4, .*\), '0\.0' of", r"np\.expand_dims\(x, 0\)"),
        ((2, 3, 4, 4), r"Conv2D\(4 -> 4, .*\), '2' of", "a window over 3 elements does not fit into 1"),
        ((2, 3, 20, 20), r"Dense\(100 -> 10, linear\), '3' of", "each row has 196 elements"),
    ],
    ids=str,
)
def test_the_layer_that_does_not_take_its_input(compiled, way, shape, place, remedy):
    net = net_of(compiled)
    x = np.ones(shape)
    call = {"call": net, "recorded": net, "step": hybridize(lambda x: net(x).sum())}[way]
    with refusal(errors.ShapeError, remedy) as caught, autograd.record(way == "recorded"):
        call(x)
    assert re.match(place, caught.value.within)
    assert caught.value.loc.file == __file__, "the user's own line"
    assert net(np.ones((2, 3, 16, 16))).shape == (2, 10)


def of_if(x, layer):
    if x.sum() > 0:
        return layer(x)
    return x


def of_loop(x, layer):
    for row in x:
        if row.sum() > 0:
            x = layer(x)
    return x


WAYS = {
    "if": of_if,
    "loop": of_loop,
    "cond": lambda x, layer: npx.cond(x.sum() > 0, lambda: layer(x), lambda: x),
    "foreach": lambda x, layer: npx.foreach(lambda row, states: (layer(np.expand_dims(row, 0)), states), x, [])[0],
    "while": lambda x, layer: npx.while_loop(lambda x: x.sum() > 0, lambda x: (None, [layer(x)]), [x], 5)[1],
}


class Branching(HybridBlock):
    def __init__(self, way):
        super().__init__()
        self.way = way
        self.body = nn.HybridSequential()
        self.body.add(nn.Activation("relu"), nn.Dense(3, in_units=5))

    def forward(self, x):
        return WAYS[self.way](x, self.body)


@pytest.mark.parametrize("compiled", [False, "it", "around it", "a function", "alone", "two calls"])
@pytest.mark.parametrize("way", WAYS)
def test_a_layer_on_one_side_of_a_branch_on_data(way, compiled):
    """The whole path stands in the error, from the block that is called, however much of the net is one program."""
    inner, net = Branching(way), nn.HybridSequential()
    net.add(nn.Activation("tanh"), inner)
    net.initialize()
    if compiled == "around it":
        net.hybridize()
    elif compiled:
        inner.hybridize(compiled != "a function")
    call = {"a function": hybridize(lambda x: net(x)), "alone": inner}.get(compiled, net)
    path = r"'body\.1' of Branching" if compiled == "alone" else r"'1\.body\.1' of HybridSequential"
    if compiled == "two calls" and way in ("if", "cond"):  # the program is made for data that takes the other side
        assert inner(-np.ones((2, 4))).shape == (2, 4)
    for _ in range(2):
        with pytest.raises(errors.ShapeError) as caught:
            call(np.ones((2, 4)))
        assert re.match(r"Dense\(5 -> 3, linear\), " + path, caught.value.within)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_line_of_the_users_is_in_no_layer(compiled):
    class Sum(HybridBlock):
        def __init__(self):
            super().__init__()
            self.one, self.other = nn.Dense(3), nn.Dense(4)

        def forward(self, x):
            return self.one(x) + self.other(x)

    net = nn.HybridSequential()
    net.add(nn.Dense(5), Sum())
    net.initialize()
    net.hybridize(compiled)
    with refusal(errors.ShapeError, r"add.*f32\[2,3\] and f32\[2,4\]") as caught:
        net(np.ones((2, 2)))
    assert caught.value.loc.text == "return self.one(x) + self.other(x)"
    assert "\n  in " not in str(caught.value)


def test_a_layer_alone():
    layer = nn.Conv2D(4, 3, in_channels=3)
    layer.initialize()
    with pytest.raises(errors.ShapeError, match=r"in Conv2D\(3 -> 4.*\)\n  help"):
        layer(np.ones((1, 2, 8, 8)))


class Mine(HybridBlock):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: nn.Conv2D(4, 3, stride=2), "Conv2D takes no keyword 'stride'\n.*'strides'"),
        (lambda: nn.Conv2DTranspose(4, 3, dilate=2), "'dilation'"),
        (lambda: nn.Conv1D(4, 3, padding_mode="same"), "'padding'"),
        (lambda: nn.Dense(3, bias=False), "'use_bias'"),
        (lambda: nn.Dense(3, in_features=2), "'in_units'"),
        (lambda: nn.BatchNorm(eps=1e-3), "'epsilon'"),
        (lambda: nn.MaxPool2D(kernel_size=2), "'pool_size'"),
        (lambda: nn.Dropout(0.5, axis=1), "'axes'"),
        (lambda: gluon.loss.L2Loss(reduction="mean"), "it takes batch_axis, params, prefix, weight"),
        (lambda: Mine(3, unit=4), "Mine takes no keyword 'unit'\n.*'units'"),
        (lambda: nn.HybridSequential(nn.Dense(3)), r"HybridSequential with prefix=Dense\n.*net\.add"),
        (lambda: nn.Sequential(prefix=3), "with prefix=int"),
    ],
)
def test_keywords_that_a_layer_has_not(make, said):
    with refusal(errors.ArgumentError, said) as caught:
        make()
    assert isinstance(caught.value, TypeError)
    assert __file__ in str(caught.value)


@pytest.mark.parametrize(("group", "name", "said"), [("contrib", "box_nmsx", ""), ("random", "unifrom", "uniform")])
def test_names_that_a_group_of_functions_has_not(group, name, said):
    with refusal(errors.MissingNameError, rf"'nd\.{group}' has no '{name}'.*(\n.*)*{said}"):
        getattr(getattr(nd, group), name)


class Sometimes(HybridBlock):
    """Calls its layer where data says so: in a branch, or in a loop."""

    def __init__(self, layer, looping):
        super().__init__()
        self.layer, self.looping = layer, looping

    def forward(self, x):
        if self.looping:
            while x.sum() < 3:
                x = x + self.layer(x).sum()
        elif x.sum() < 3:
            x = x + self.layer(x).sum()
        return x


@pytest.mark.parametrize("looping", [False, True])
@pytest.mark.parametrize(
    "layer", [lambda: nn.Dense(4, in_units=3), lambda: rnn.GRU(4, input_size=3), lambda: nn.Conv2D(4, 3, in_channels=3)]
)
def test_a_layer_in_a_branch_or_loop_on_data(layer, looping):
    net = Sometimes(layer(), looping)
    net.initialize()
    found = []
    for compiled in (False, True):
        net.hybridize(compiled)
        with pytest.raises(errors.ShapeError, match=r"\n  in \w+\(3 -> 4") as caught:
            net(np.zeros((1, 2)))
        assert caught.value.loc.file == __file__
        found.append((caught.value.code, caught.value.what, caught.value.loc))
    assert found[0] == found[1]


class Listed(HybridBlock):
    """Keeps its layers in an attribute that registers none of them."""

    def __init__(self, keep):
        super().__init__()
        self.layers = keep([nn.Dense(3, in_units=3), nn.Dense(2)])

    def forward(self, x):
        for layer in self.layers.values() if isinstance(self.layers, dict) else self.layers:
            x = layer(x)
        return x


@pytest.mark.parametrize("keep", [list, tuple, lambda layers: dict(enumerate(layers))], ids=["list", "tuple", "dict"])
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.filterwarnings("ignore:.*unregistered container")
def test_layers_that_are_not_registered(keep, compiled, nested):
    net = Listed(keep)
    if nested:
        outer = nn.HybridSequential()
        outer.add(net)
        net = outer
    net.initialize()
    net.hybridize(compiled)
    with refusal(errors.UninitializedError, r"E502.*\nhelp: the \w+ Listed\.layers .*nn\.Sequential.*register_child"):
        net(np.ones((1, 3)))


def test_a_net_that_is_not_initialized_is_told_to_be():
    net = nn.HybridSequential()
    net.add(nn.Dense(3, in_units=3))
    with refusal(errors.UninitializedError, r"help: call net\.initialize\(\)"):
        net(np.ones((1, 3)))


@pytest.mark.parametrize("compiled", [False, True])
def test_an_imported_net_without_its_parameters_is_told_of_their_file(tmp_path, compiled):
    net = nn.Dense(2, in_units=3)
    net.initialize()
    net.hybridize()
    expected = net(np.ones((1, 3)))
    graph, parameters = net.export(str(tmp_path / "net"))
    loaded = gluon.SymbolBlock.imports(graph, ["data"])
    loaded.hybridize(compiled)
    with refusal(errors.UninitializedError, "E502.*\nhelp: .*param_file.*load_parameters.*random values"):
        loaded(np.ones((1, 3)))
    loaded.load_parameters(parameters)
    assert (loaded(np.ones((1, 3))) == expected).all()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: nn.Conv2D(4, kernel=3), "E344: Conv2D takes no keyword 'kernel'\nhelp: .*'kernel_size'"),
        (
            lambda: nn.Conv1DTranspose(4, kernel_sise=3),
            "Conv1DTranspose takes no keyword 'kernel_sise'\n.*'kernel_size'",
        ),
        (lambda: nn.Dropout(p=0.5), "Dropout takes no keyword 'p'\nhelp: did you mean 'rate'"),
        (lambda: nn.Embedding(3, output=4), "Embedding takes no keyword 'output'\n.*'output_dim'"),
        (lambda: rnn.LSTM(hidden=3), "LSTM takes no keyword 'hidden'\n.*'hidden_size'"),
        (lambda: nn.Conv2D(4), r"Conv2D missing .*'kernel_size'\nhelp: its arguments are \(channels, kernel_size, "),
        (lambda: nn.Dense(), r"Dense missing .*'units'\nhelp: its arguments are \(units, "),
        (lambda: nn.Flatten(1, 2, 3), r"Flatten takes .* positional arguments"),
    ],
)
def test_a_layer_that_lacks_an_argument_is_named_as_it_is_called(make, words):
    with refusal(errors.ArgumentError, words) as caught:
        make()
    assert caught.value.__cause__ is None
    assert caught.value.loc.file == __file__


def test_a_layer_says_what_arguments_it_takes():
    assert list(inspect.signature(nn.Dropout).parameters)[:2] == ["rate", "axes"]
    assert list(inspect.signature(nn.Conv2D).parameters)[:2] == ["channels", "kernel_size"]
    assert list(inspect.signature(np.ones(2).copy).parameters) == ["order"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: nn.Dropout(5), "E331: rate .*\nhelp: pass a probability"),
        (lambda: rnn.LSTM(3, dropout=2), "E331: dropout .*\nhelp: pass a probability"),
        (lambda: nn.LayerNorm(epsilon="a"), "E331.*\nhelp: "),
        (lambda: gluon.model_zoo.vision.get_resnet(3, 18), "E331.*\nhelp: pass 1 or 2"),
        (lambda: gluon.model_zoo.vision.get_resnet(1, 19), "E331.*\nhelp: pass one of these numbers"),
        (lambda: nn.Sequential().add(3), "E326: a child must be a Block, got int\nhelp: "),
        (lambda: nn.HybridSequential().add(3), "E326: .*, got int 3\nhelp: "),
    ],
)
def test_what_a_layer_does_not_take_has_a_remedy(call, words):
    with refusal(errors.ArgumentError, words):
        call()


def test_a_file_of_something_else_has_a_remedy(tmp_path):
    (tmp_path / "net.params").write_text("abc")
    with refusal(errors.LoadError, "E601: .* is malformed at byte 0.*\nhelp: check that this is the file"):
        nn.Dense(3).load_parameters(str(tmp_path / "net.params"))


def test_an_imported_net_without_its_inputs_names_the_option_of_the_command(tmp_path):
    net = nn.Dense(2, in_units=3)
    net.initialize()
    net.hybridize()
    net(np.ones((1, 3)))
    loaded = gluon.SymbolBlock.imports(net.export(str(tmp_path / "net"))[0], ["data"])
    with refusal(errors.ArgumentError, "E333: the block takes data, got 0 arguments\nhelp: .*--input"):
        loaded()
