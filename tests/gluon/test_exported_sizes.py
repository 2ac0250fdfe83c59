"""A net that computes with the sizes of its inputs is exported for these sizes, and no others are taken."""

import numpy
import pytest

from hybridize.array import np, npx
from hybridize.base.errors import LoadError, ShapeError
from hybridize.gluon import HybridBlock, SymbolBlock, nn


class Net(HybridBlock):
    def __init__(self, function):
        super().__init__()
        self.dense = nn.Dense(6)
        self.function = function

    def forward(self, x):
        print("forward runs")
        return self.function(self.dense(x))


def exported(function, path, shape=(2, 4)):
    net = Net(function)
    net.initialize()
    net.hybridize()
    net(np.ones(shape))
    net.export(path)
    return net, SymbolBlock.imports(f"{path}-symbol.json", ["data"], f"{path}-0000.params")


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x + np.mean(x) * len(x),
        lambda x: x * x.shape[0],
        lambda x: x[: len(x) // 2] + x[0],
        lambda x: np.var(x, ddof=1),
        lambda x: x[-1] + x[1:2],
        lambda x: np.stack([row * i for i, row in enumerate(x)]),
        lambda x: x / len(x),
    ],
)
def test_sizes_that_are_part_of_the_graph(tmp_path, function, capsys):
    with pytest.warns(UserWarning, match=r"only right for data f32\[2,4\]"):
        net, block = exported(function, tmp_path / "net")
    assert capsys.readouterr().out == "forward runs\n", "looking for sizes is not heard"
    x = np.array(numpy.random.normal(size=(2, 4)))
    numpy.testing.assert_allclose(block(x).asnumpy(), net(x).asnumpy(), rtol=1e-5, atol=1e-6)
    for rows in (1, 3, 7):
        with pytest.raises(ShapeError, match="axis 0 of data has the size 2"):
            block(np.ones((rows, 4)))
    numpy.testing.assert_allclose(block(x).asnumpy(), net(x).asnumpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "function",
    [
        lambda x: npx.softmax(x, axis=0),
        lambda x: x.reshape(x.shape[0], 2, 3) + 1,
        lambda x: np.mean(x, axis=1),
        lambda x: x + np.mean(x),
        lambda x: x - np.mean(x, axis=0),
        lambda x: x * np.var(x) + np.std(x, axis=0, keepdims=True),
        lambda x: np.sum(x, axis=0) / 2.0 + x,
        lambda x: np.mean(x[:, None] * x[None], axis=1, keepdims=True)[:, 0] + np.max(x, axis=0, keepdims=True),
        lambda x: (x @ x.T) @ x,
        lambda x: x + np.ones_like(x),
        lambda x: x[::-1] if x.ndim == 3 else x[:, ::-1],
    ],
)
def test_other_sizes_where_the_graph_is_the_same(tmp_path, function):
    net, block = exported(function, tmp_path / "net")
    for rows in (1, 2, 3, 7):
        x = np.array(numpy.random.normal(size=(rows, 4)))
        numpy.testing.assert_allclose(block(x).asnumpy(), net(x).asnumpy(), rtol=1e-5, atol=1e-6)
    with pytest.raises(ShapeError, match="axis 1 of data has the size 4"):
        block(np.ones((2, 5)))


def test_edited_files_are_refused(tmp_path):
    exported(lambda x: x, tmp_path / "net")
    file = tmp_path / "net-symbol.json"
    text = file.read_text()
    for bad in ('"{\\"data\\": [9]}"', '"[1]"', '"{\\"other\\": [0]}"', '"{"'):
        start = text.index('"hybridize_bound"')
        value = text.index('"str"', start)
        stop = text.index("]", text.index("}", value)) if "}" in text[value:] else len(text)
        broken = text[: text.index(",", value) + 1] + bad + text[stop:]
        file.write_text(broken)
        with pytest.raises(LoadError):
            SymbolBlock.imports(str(file), ["data"], f"{tmp_path / 'net'}-0000.params")


def test_frozen_weights_do_not_bind_sizes(tmp_path, recwarn):
    net = nn.HybridSequential()
    net.add(nn.Dense(6), nn.BatchNorm(), nn.LayerNorm())
    net.initialize()
    net.hybridize(freeze=True)
    net(np.ones((2, 4)))
    symbol, params = net.export(str(tmp_path / "net"))
    assert not [one for one in recwarn if "only right" in str(one.message)]
    x = np.array(numpy.random.default_rng(0).normal(size=(7, 4)))
    found = SymbolBlock.imports(symbol, ["data"], params)(x)
    numpy.testing.assert_allclose(found.asnumpy(), net(x).asnumpy(), rtol=1e-5, atol=1e-6)


def test_images_of_other_sizes(tmp_path, recwarn):
    class Attention(HybridBlock):
        def __init__(self):
            super().__init__()
            self.convolution = nn.Conv2D(6, 3, padding=1)
            self.channels, self.places = nn.Dense(6, activation="sigmoid"), nn.Conv2D(1, 3, padding=1)

        def forward(self, x):
            x = self.convolution(x)
            x = x * self.channels(x.mean(axis=(2, 3)))[..., None, None]
            most, middle = x.max(axis=1, keepdims=True), x.mean(axis=1, keepdims=True)
            return x * self.places(np.concatenate([most, middle], axis=1)) - x.mean(axis=(2, 3), keepdims=True)

    net = Attention()
    net.initialize()
    net.hybridize()
    net(np.ones((2, 3, 8, 9)))
    block = SymbolBlock.imports(net.export(str(tmp_path / "net"))[0], ["data"], str(tmp_path / "net-0000.params"))
    assert not [one for one in recwarn if "only right" in str(one.message)]
    for shape in ((2, 3, 8, 9), (1, 3, 5, 4), (3, 3, 16, 7)):
        x = np.array(numpy.random.default_rng(0).normal(size=shape))
        numpy.testing.assert_allclose(block(x).asnumpy(), net(x).asnumpy(), rtol=1e-4, atol=1e-6)


def _windows(x):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2).transpose(0, 2, 4, 1, 3, 5) * 2


def _channel_shuffle(x):
    n, c, h, w = x.shape
    return x.reshape(n, 2, c // 2, h, w).swapaxes(1, 2).reshape(n, c, h, w)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (nn.PixelShuffle1D(2), [(2, 4, 6), (3, 4, 7), (1, 4, 1), (2, 4, 2)]),
        (nn.PixelShuffle2D((2, 1)), [(2, 4, 5, 6), (3, 4, 9, 7), (1, 4, 1, 1), (4, 4, 2, 4)]),
        (nn.PixelShuffle2D(2), [(2, 8, 5, 6), (3, 8, 9, 7), (1, 8, 1, 1), (8, 8, 8, 2)]),
        (nn.PixelShuffle3D((1, 2, 2)), [(2, 4, 2, 5, 6), (3, 4, 4, 9, 7), (1, 4, 1, 1, 1), (4, 4, 4, 2, 2)]),
        (_windows, [(2, 3, 4, 6), (3, 3, 8, 10), (1, 3, 2, 2), (2, 3, 2, 4)]),
        (_channel_shuffle, [(2, 4, 5, 6), (3, 4, 9, 7), (1, 4, 1, 1), (2, 4, 4, 2)]),
        (lambda x: x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1), [(2, 3, 5, 6), (3, 3, 7, 6), (1, 3, 1, 6)]),
    ],
    ids=["1d", "2d, one axis", "2d", "3d", "windows", "channel shuffle", "rows"],
)  # fmt: skip
def test_axes_that_are_parted_and_joined_stay_open(tmp_path, function, shapes):
    net = nn.HybridSequential()
    net.add(nn.HybridLambda(function) if not isinstance(function, HybridBlock) else function)
    net.hybridize()
    for shape in shapes[:2]:
        net(np.ones(shape))
    net.export(tmp_path / "net")
    block = SymbolBlock.imports(f"{tmp_path / 'net'}-symbol.json", ["data"])
    for shape in shapes:
        x = np.array(numpy.random.default_rng(1).normal(size=shape))
        assert (block(x) == net(x)).all(), shape
