"""Convolutional layers: values and gradients against PyTorch, both modes, every option, shapes, sizes, messages."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy
import pytest
import torch
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from torch.nn import functional

from hybridize import autograd, gluon, hybridize, np, npx
from hybridize.errors import ArgumentError, ShapeError
from hybridize.gluon import SymbolBlock, nn
from tests.refusals import refusal

MXNET = Path(__file__).parents[1] / "formats" / "mxnet_files" / "v1_9_1_nd"
MODES = pytest.mark.parametrize("compiled", [False, True], ids=["imperatively", "hybridized"])
TOLERANCES = {"float64": (1e-9, 1e-10), "float32": (1e-4, 1e-4), "float16": (2e-2, 2e-2)}


def drawn(*shape, seed=1):
    return numpy.random.default_rng(seed).normal(size=shape)


def is_last(layer):
    return layer._layout.endswith("C")


def first(array, last):
    """Channels first, as PyTorch has them."""
    return numpy.moveaxis(array, -1, 1) if last else array


def fill(layer, channels, dtype):
    """A layer with parameters that are neither zeros nor alike."""
    layer.initialize()
    rank = layer._rank
    shape = (1, *(9,) * rank, channels) if is_last(layer) else (1, channels, *(9,) * rank)
    layer.infer_shape(np.zeros(shape))
    layer.cast(dtype)
    for number, parameter in enumerate(layer.collect_params().values()):
        parameter.set_data(np.array(drawn(*parameter.shape, seed=number + 5), dtype=dtype))
    return layer


def peer(layer, x, weight, bias):
    """What PyTorch gives for tensors, channels first."""
    transposed = type(layer).__name__.endswith("Transpose")
    function = getattr(functional, f"conv{'_transpose' if transposed else ''}{layer._rank}d")
    arguments = {
        "stride": layer._strides,
        "padding": layer._padding,
        "dilation": layer._dilation,
        "groups": layer._groups,
        **({"output_padding": layer._more["adj"]} if transposed else {}),
    }
    y = function(x, weight, bias, **arguments)
    return y if layer.act is None else getattr(torch, layer.act._act_type)(y)


def check(layer, x, dtype="float64", gradients=True):
    """Compare results, and gradients by input, weight and bias, with PyTorch's."""
    last = is_last(layer)
    rtol, atol = TOLERANCES[dtype]
    ours = np.array(x, dtype=dtype)
    wide = torch.float64 if dtype == "float64" else torch.float32
    leaves = [
        torch.tensor(numpy.ascontiguousarray(first(array.asnumpy(), last)), dtype=wide, requires_grad=True)
        for array in (ours, layer.weight.data())
    ]
    bias = None if layer.bias is None else torch.tensor(layer.bias.data().asnumpy(), dtype=wide, requires_grad=True)
    theirs = peer(layer, *leaves, bias)
    if not gradients:
        found = layer(ours)
        assert found.dtype == dtype
        numpy.testing.assert_allclose(first(found.asnumpy(), last), theirs.detach(), rtol=rtol, atol=atol)
        return
    factor = drawn(*theirs.shape, seed=3)
    back = numpy.moveaxis(factor, 1, -1) if last else factor
    ours.attach_grad()
    with autograd.record():
        found = layer(ours)
        loss = (found * np.array(back, dtype=dtype)).sum()
    loss.backward()
    (theirs * torch.tensor(factor, dtype=wide)).sum().backward()
    assert found.dtype == dtype
    numpy.testing.assert_allclose(first(found.asnumpy(), last), theirs.detach(), rtol=rtol, atol=atol)
    pairs = [(ours.grad, leaves[0]), (layer.weight.grad(), leaves[1])]
    for gradient, leaf in pairs:
        scale = max(1.0, float(leaf.grad.abs().max()) if leaf.grad.numel() else 1.0)
        numpy.testing.assert_allclose(first(gradient.asnumpy(), last), leaf.grad, rtol=rtol, atol=atol * scale)
    if bias is not None:
        scale = max(1.0, float(bias.grad.abs().max()))
        numpy.testing.assert_allclose(layer.bias.grad().asnumpy(), bias.grad, rtol=rtol, atol=atol * scale)


CASES = {
    "1d": (nn.Conv1D, {"channels": 5, "kernel_size": 3, "strides": 2, "padding": 1}, (2, 3, 11)),
    "1d last": (nn.Conv1D, {"channels": 5, "kernel_size": 3, "dilation": 2, "layout": "NWC"}, (2, 11, 3)),
    "2d": (nn.Conv2D, {"channels": 17, "kernel_size": 3, "padding": 1}, (2, 3, 9, 8)),
    "2d relu": (nn.Conv2D, {"channels": 8, "kernel_size": (3, 2), "activation": "relu", "strides": (2, 1)}, (2, 3, 9, 8)),
    "2d no bias": (nn.Conv2D, {"channels": 4, "kernel_size": 1, "use_bias": False}, (3, 17, 4, 5)),
    "2d far": (nn.Conv2D, {"channels": 4, "kernel_size": 2, "padding": (4, 3), "strides": 3}, (1, 1, 3, 4)),
    "2d dilated": (nn.Conv2D, {"channels": 16, "kernel_size": 3, "dilation": (2, 3), "strides": 2, "padding": 2}, (2, 4, 12, 11)),
    "2d groups": (nn.Conv2D, {"channels": 6, "kernel_size": 3, "groups": 2, "padding": 1}, (2, 4, 6, 5)),
    "2d wide groups": (nn.Conv2D, {"channels": 32, "kernel_size": 3, "groups": 2}, (2, 6, 6, 5)),
    "2d depthwise": (nn.Conv2D, {"channels": 6, "kernel_size": 3, "groups": 6, "padding": 1}, (2, 6, 6, 5)),
    "2d last": (nn.Conv2D, {"channels": 16, "kernel_size": 3, "padding": 1, "layout": "NHWC", "strides": 2}, (2, 9, 8, 3)),
    "2d last groups": (nn.Conv2D, {"channels": 6, "kernel_size": (2, 3), "groups": 3, "layout": "NHWC"}, (2, 5, 6, 3)),
    "3d": (nn.Conv3D, {"channels": 4, "kernel_size": (2, 3, 2), "padding": (0, 1, 1), "strides": (1, 2, 1)}, (2, 3, 4, 5, 4)),
    "3d last": (nn.Conv3D, {"channels": 16, "kernel_size": 2, "layout": "NDHWC", "groups": 2}, (1, 4, 4, 3, 2)),
    "1d back": (nn.Conv1DTranspose, {"channels": 5, "kernel_size": 4, "strides": 3, "output_padding": 2}, (2, 3, 7)),
    "2d back": (nn.Conv2DTranspose, {"channels": 6, "kernel_size": 3, "strides": 2, "padding": 1, "output_padding": 1}, (2, 4, 5, 6)),
    "2d back wide": (nn.Conv2DTranspose, {"channels": 16, "kernel_size": 4, "strides": 2, "padding": 1}, (2, 8, 5, 6)),
    "2d back dilated": (nn.Conv2DTranspose, {"channels": 4, "kernel_size": (3, 2), "dilation": (2, 3), "activation": "tanh"}, (2, 3, 5, 6)),
    "2d back groups": (nn.Conv2DTranspose, {"channels": 6, "kernel_size": 3, "groups": 2, "use_bias": False}, (2, 4, 5, 4)),
    "2d back last": (nn.Conv2DTranspose, {"channels": 6, "kernel_size": 3, "strides": 2, "layout": "NHWC", "groups": 2}, (2, 4, 5, 4)),
    "3d back": (nn.Conv3DTranspose, {"channels": 3, "kernel_size": 2, "strides": (2, 1, 2), "padding": (1, 0, 0)}, (1, 2, 4, 3, 3)),
}  # fmt: skip


def made(name, dtype):
    kind, arguments, shape = CASES[name]
    layer = kind(**arguments)
    return fill(layer, shape[-1 if is_last(layer) else 1], dtype), drawn(*shape, seed=2)


@MODES
@pytest.mark.parametrize("name", CASES)
def test_layers_are_pytorchs(name, compiled):
    layer, x = made(name, "float32" if compiled else "float64")
    layer.hybridize(compiled)
    check(layer, x, "float32" if compiled else "float64")
    if compiled:
        layer(np.array(x, dtype="float32"))
        assert layer.program(np.array(x, dtype="float32")).fallbacks == ()


@pytest.mark.parametrize("name", ["1d", "2d groups", "2d last", "2d back", "3d"])
def test_compiled_in_float64(name):
    layer, x = made(name, "float64")
    layer.hybridize()
    check(layer, x)


@MODES
@pytest.mark.parametrize("name", ["2d", "2d last", "2d back", "2d depthwise"])
def test_float16_is_summed_in_float32(name, compiled):
    layer, x = made(name, "float16")
    layer.hybridize(compiled)
    check(layer, x, "float16", gradients=False)


@MODES
@pytest.mark.parametrize("name", ["2d relu", "1d last", "2d back"])
def test_second_order(name, compiled):
    layer, x = made(name, "float64")
    layer.hybridize(compiled)
    last = is_last(layer)
    ours = np.array(x, dtype="float64")
    ours.attach_grad()
    with autograd.record():
        y = (layer(ours) ** 3).sum()
        (slope,) = autograd.grad(y, [ours], create_graph=True)
        second = (slope**2).sum()
    second.backward()
    theirs = torch.tensor(numpy.ascontiguousarray(first(x, last)), requires_grad=True)
    weight = torch.tensor(numpy.ascontiguousarray(first(layer.weight.data().asnumpy(), last)), requires_grad=True)
    z = peer(layer, theirs, weight, torch.tensor(layer.bias.data().asnumpy()))
    (expected,) = torch.autograd.grad((z**3).sum(), theirs, create_graph=True)
    (expected**2).sum().backward()
    for found, wanted in ((ours.grad, theirs.grad), (layer.weight.grad(), weight.grad)):
        scale = float(wanted.abs().max())
        numpy.testing.assert_allclose(first(found.asnumpy(), last), wanted, rtol=1e-8, atol=1e-10 * scale)


@MODES
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_second_order_behind_a_batch_norm(layout, compiled):
    """The slope of the slope along random directions, by central differences of the gradient."""
    shape, axis = ((2, 3, 4, 5), 1) if layout == "NCHW" else ((2, 4, 5, 3), -1)
    window = (4, 3, 3, 3)
    arrays = [drawn(*size, seed=k) for k, size in enumerate((shape, window, (4,), (4,)))]
    toward, along = ([drawn(*x.shape, seed=k + more) for k, x in enumerate(arrays)] for more in (10, 20))
    zeros, ones = np.zeros(4, dtype="float64"), np.ones(4, dtype="float64")

    def net(x, w, gamma, beta):
        y = npx.convolution(x, w, pad=1, layout=layout)
        y = npx.batch_norm(y, gamma, beta, zeros.copy(), ones.copy(), eps=0.1, fix_gamma=False, axis=axis)
        return np.tanh(y)

    def slopes(*xs):
        with autograd.record():
            total = (net(*xs) ** 2 + net(*xs)).sum()
            first = autograd.grad(total, list(xs), create_graph=True)
            along_first = sum((g * np.array(d, dtype="float64")).sum() for g, d in zip(first, toward, strict=True))
        return along_first, autograd.grad(along_first, list(xs))

    run = hybridize(slopes) if compiled else slopes

    def at(step):
        xs = [np.array(x + step * d, dtype="float64") for x, d in zip(arrays, along, strict=True)]
        for x in xs:
            x.attach_grad()
        return run(*xs)

    step = 1e-5
    (low, _), (_, second), (high, _) = at(-step), at(0.0), at(step)
    found = sum((g.asnumpy() * d).sum() for g, d in zip(second, along, strict=True))
    numpy.testing.assert_allclose(found, (high - low).item() / (2 * step), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("name", ["2d dilated", "2d back dilated", "2d last groups"])
def test_gradients_are_slopes(name):
    """Central differences, along random directions."""
    layer, x = made(name, "float64")
    ours = np.array(x, dtype="float64")
    ours.attach_grad()
    with autograd.record():
        loss = (layer(ours) ** 2).sum()
    loss.backward()
    rows = [(ours, ours.grad.asnumpy().copy())]
    rows += [(p.data(), p.grad().asnumpy().copy()) for p in layer.collect_params().values()]
    for number, (array, gradient) in enumerate(rows):
        start, along = array.asnumpy().copy(), drawn(*array.shape, seed=number)
        sums = []
        for step in (1e-5, -1e-5):
            array[...] = np.array(start + step * along, dtype="float64")
            sums.append(float((layer(ours) ** 2).sum().item()))
        array[...] = np.array(start, dtype="float64")
        slope = (sums[0] - sums[1]) / 2e-5
        numpy.testing.assert_allclose((gradient * along).sum(), slope, rtol=1e-6)


# ------------------------------------------------------------------------------------------------------------- inputs


@MODES
@pytest.mark.parametrize(
    ("shape", "kernel", "padding"),
    [((0, 3, 6, 6), 3, 1), ((2, 3, 1, 1), 1, 0), ((2, 1, 1, 1), 3, 1), ((1, 17, 2, 2), 2, 5)],
)
def test_sizes_at_the_edge(shape, kernel, padding, compiled):
    layer = fill(nn.Conv2D(5, kernel, padding=padding), shape[1], "float32")
    layer.hybridize(compiled)
    check(layer, drawn(*shape), "float32", gradients=bool(shape[0]))


@MODES
def test_an_image_without_rows_has_its_padding(compiled):
    layer = fill(nn.Conv2D(5, 2, padding=1), 3, "float32")
    layer.hybridize(compiled)
    found = layer(np.zeros((1, 3, 0, 2)))
    wanted = numpy.broadcast_to(layer.bias.data().asnumpy().reshape(1, 5, 1, 1), (1, 5, 1, 3))
    numpy.testing.assert_array_equal(found.asnumpy(), wanted)


@MODES
@pytest.mark.parametrize("kind", [nn.Conv2D, nn.Conv2DTranspose])
def test_inputs_that_are_views_or_read_only(kind, compiled):
    layer = fill(kind(4, 3), 3, "float32")
    layer.hybridize(compiled)
    whole = drawn(2, 6, 7, 8).astype("f4")
    want = layer(np.array(whole[:, ::2].copy())).asnumpy()
    views = [np.array(whole)[:, ::2], np.array(whole.transpose(0, 2, 3, 1).copy()).transpose(0, 3, 1, 2)[:, ::2]]
    read_only = whole[:, ::2].copy()
    read_only.flags.writeable = False
    for view in (*views, np.array(read_only), np.array(whole[:, ::-1].copy())[:, ::-1][:, ::2]):
        numpy.testing.assert_allclose(layer(view).asnumpy(), want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["2d", "2d dilated", "2d last", "2d back", "2d groups", "1d", "3d"])
def test_one_program_for_any_batch_height_and_width(name):
    layer, x = made(name, "float32")
    layer.hybridize()
    last, programs = is_last(layer), set()
    for more in range(5):
        shape = [size + (more + 3 * axis) % 5 for axis, size in enumerate(x.shape)]
        shape[-1 if last else 1] = x.shape[-1 if last else 1]
        sample = drawn(*shape, seed=more)
        check(layer, sample, "float32", gradients=False)
        program = layer.program(np.array(sample, dtype="float32"))
        assert program.fallbacks == ()
        programs.add(program)
    assert len(programs) == 2  # for the first sizes, and for any


def test_a_float64_input_of_float32_weights_is_warned_of():
    layer = fill(nn.Conv2D(4, 3), 3, "float32")
    with pytest.warns(UserWarning, match="in float64"):
        assert layer(np.array(drawn(1, 3, 4, 4), dtype="float64")).dtype == "float64"


# ------------------------------------------------------------------------------------------------- what a layer is


@pytest.mark.parametrize(
    ("layer", "text"),
    [
        (nn.Conv2D(8, 3), "Conv2D(None -> 8, kernel_size=(3, 3), stride=(1, 1))"),
        (
            nn.Conv2D(8, (3, 1), 2, (1, 0), activation="relu", in_channels=3),
            "Conv2D(3 -> 8, kernel_size=(3, 1), stride=(2, 2), padding=(1, 0), Activation(relu))",
        ),
        (
            nn.Conv1D(8, 3, dilation=2, groups=4, use_bias=False, in_channels=4),
            "Conv1D(4 -> 8, kernel_size=(3,), stride=(1,), dilation=(2,), groups=4, bias=False)",
        ),
        (nn.Conv3D(4, 2, in_channels=2, layout="NDHWC"), "Conv3D(2 -> 4, kernel_size=(2, 2, 2), stride=(1, 1, 1))"),
        (
            nn.Conv2DTranspose(8, 3, 2, 1, 1, in_channels=4),
            "Conv2DTranspose(4 -> 8, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), output_padding=(1, 1))",
        ),
        (nn.Conv1DTranspose(8, 3), "Conv1DTranspose(None -> 8, kernel_size=(3,), stride=(1,))"),
    ],
)
def test_repr(layer, text):
    assert repr(layer) == text


@pytest.mark.parametrize(
    ("layer", "input", "weight"),
    [
        (nn.Conv1D(8, 3, groups=2), (2, 4, 9), (8, 2, 3)),
        (nn.Conv1D(8, 3, layout="NWC"), (2, 9, 4), (8, 3, 4)),
        (nn.Conv2D(8, (3, 5)), (2, 4, 9, 9), (8, 4, 3, 5)),
        (nn.Conv2D(8, (3, 5), groups=2, layout="NHWC"), (2, 9, 9, 4), (8, 3, 5, 2)),
        (nn.Conv3D(8, 2), (2, 4, 3, 3, 3), (8, 4, 2, 2, 2)),
        (nn.Conv2DTranspose(8, (3, 5), groups=2), (2, 4, 9, 9), (4, 4, 3, 5)),
        (nn.Conv2DTranspose(8, (3, 5), layout="NHWC"), (2, 9, 9, 4), (4, 3, 5, 8)),
        (nn.Conv3DTranspose(8, 2, layout="NDHWC"), (2, 3, 3, 3, 4), (4, 2, 2, 2, 8)),
    ],
)
def test_the_first_input_tells_the_channels(layer, input, weight):
    assert 0 in [max(size, 0) for size in layer.weight.shape]
    layer.initialize()
    layer(np.ones(input))
    assert layer.weight.shape == weight
    assert layer.bias.shape == (8,)


def test_a_net_that_was_never_called_is_hybridized():
    """Its first call tells the channels, and compiles."""
    net = lenet()
    net.initialize("xavier")
    net.hybridize()
    x = np.array(drawn(2, 3, 20, 20), dtype="float32")
    found = net(x).asnumpy()
    assert net[0].weight.shape == (6, 3, 5, 5)
    assert net.program(x).fallbacks == ()
    net.hybridize(False)
    numpy.testing.assert_allclose(found, net(x).asnumpy(), rtol=1e-4, atol=1e-5)


def test_names_of_parameters_in_both_generations():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3), nn.Conv2DTranspose(2, 3, prefix="up_"), nn.Conv1D(2, 1, use_bias=False))
    assert sorted(parameter.name for parameter in net.collect_params().values()) == [
        "net_conv0_bias", "net_conv0_weight", "net_conv1_weight", "net_up_bias", "net_up_weight",
    ]  # fmt: skip
    assert sorted(key for key in nn.Conv2D(4, 3).collect_params()) == ["bias", "weight"]


def test_layers_share_parameters():
    one = nn.Conv2D(4, 3, in_channels=2)
    two = nn.Conv2D(4, 3, in_channels=2, params=one.params)
    one.initialize()
    x = np.array(drawn(1, 2, 5, 5), dtype="float32")
    assert two.weight is one.weight
    numpy.testing.assert_array_equal(one(x).asnumpy(), two(x).asnumpy())


def test_xavier_counts_windows():
    """The bounds of MXNet's: sqrt(3 / mean of inputs and outputs), each with the elements of a window."""
    layer = nn.Conv2D(64, 5, in_channels=32)
    layer.initialize("xavier")
    bound = (3 / ((32 * 25 + 64 * 25) / 2)) ** 0.5
    largest = float(np.abs(layer.weight.data()).max().item())
    assert 0.99 * bound < largest <= bound


class Symbolic(nn.HybridBlock):
    """MXNet 1.x's form, the shapes told by the first operation."""

    def __init__(self, transposed=False, **kwargs):
        super().__init__(**kwargs)
        self._transposed = transposed
        shape = (0, 4, 3, 3) if transposed else (4, 0, 3, 3)
        with self.name_scope():
            self.weight = self.params.get("weight", shape=shape, allow_deferred_init=True)
            self.bias = self.params.get("bias", shape=(4,), init="zeros", allow_deferred_init=True)

    def hybrid_forward(self, F, x, weight, bias):
        if self._transposed:
            return F.Deconvolution(
                x, weight, bias, kernel=(3, 3), stride=(2, 2), num_filter=4, no_bias=False, target_shape=(10, 11)
            )
        return F.Convolution(data=x, weight=weight, bias=bias, kernel=(3, 3), pad=(1, 1), num_filter=4, workspace=256)


@MODES
def test_blocks_of_the_first_generation(compiled):
    x = np.array(drawn(2, 3, 5, 5), dtype="float32")
    for transposed, shape, size in ((False, (4, 3, 3, 3), (5, 5)), (True, (3, 4, 3, 3), (10, 11))):
        block = Symbolic(transposed)
        block.initialize("xavier")
        block.hybridize(compiled)
        found = block(x)
        assert block.weight.shape == shape
        image, weight = torch.tensor(x.asnumpy()), torch.tensor(block.weight.data().asnumpy())
        if transposed:
            whole = functional.conv_transpose2d(image, weight, stride=2)  # 11 by 11: the first row goes
            wanted = functional.pad(whole, (0, 0, 0, 1))[:, :, 1:11]
        else:
            wanted = functional.conv2d(image, weight, padding=1)
        assert found.shape[2:] == size
        numpy.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-4, atol=1e-5)


# ------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: nn.Conv2D(0, 3), "channels of Conv2D must be a positive integer, got 0"),
        (lambda: nn.Conv2D(4, None), "needs a kernel_size"),
        (lambda: nn.Conv2D(4, (3, 3, 3)), r"Conv2D with kernel_size=\(3, 3, 3\)"),
        (lambda: nn.Conv2D(4, 0), "Conv2D with kernel_size=0"),
        (lambda: nn.Conv1D(4, 3, strides=0), "Conv1D with strides=0"),
        (lambda: nn.Conv2D(4, 3, padding=-1), "Conv2D with padding=-1"),
        (lambda: nn.Conv2D(4, 3, dilation=1.5), "Conv2D with dilation=1.5"),
        (lambda: nn.Conv2D(4, 3, groups=0), "Conv2D with groups=0"),
        (lambda: nn.Conv2D(4, 3, groups=3), "Conv2D to 4 channels in 3 groups"),
        (lambda: nn.Conv2D(4, 3, groups=2, in_channels=3), "from 3 to 4 channels in 2 groups"),
        (lambda: nn.Conv2D(4, 3, layout="NCW"), "layout of Conv2D must be 'NCHW' or 'NHWC', got 'NCW'"),
        (lambda: nn.Conv3D(4, 3, layout="NHCWD"), "layout of Conv3D must be 'NCDHW' or 'NDHWC'"),
        (lambda: nn.Conv2D(4, 3, activation="linear"), "'linear' is not an activation"),
        (lambda: nn.Conv2DTranspose(4, 3, output_padding=1), "output_padding"),
    ],
)
def test_arguments_that_are_refused(make, said):
    with refusal(ArgumentError, said) as caught:
        make()
    assert caught.value.loc.file == __file__


@MODES
@pytest.mark.parametrize(
    ("make", "input", "said"),
    [
        (lambda: nn.Conv2D(4, 3), (3, 8, 8), "Conv2D needs an input of 4 axes"),
        (lambda: nn.Conv2D(4, 3, in_channels=3), (3, 8, 8), "convolution needs"),
        (lambda: nn.Conv2D(4, 3, in_channels=3), (2, 4, 8, 8), "the channels of x, 4, must be groups"),
        (lambda: nn.Conv2D(4, 3, groups=2), (2, 3, 8, 8), "the 3 channels must be a multiple"),
        (lambda: nn.Conv2D(4, 5, padding=1), (2, 3, 2, 8), "a window over 5 elements does not fit into 4"),
        (
            lambda: nn.Conv2D(4, 3, layout="NHWC"),
            (2, 2, 8, 3),
            "along axis 1, a window over 3 elements does not fit into 2",
        ),
        (lambda: nn.Conv2D(4, 1, padding=2**61), (2, 3, 4, 4), "exceeds 64 bits"),
        (lambda: nn.Conv2DTranspose(4, 3, padding=3), (2, 3, 2, 4), "along axis 2, the result has no element"),
        (lambda: nn.Conv2DTranspose(4, 3, in_channels=2), (2, 3, 2, 4), "the channels of x, 3, must be the weight's 2"),
    ],
)
def test_inputs_that_do_not_fit(make, input, said, compiled):
    layer = make()
    layer.initialize()
    layer.hybridize(compiled)
    x = np.zeros(input)
    with refusal(ShapeError, said) as caught:
        layer(x)
    assert caught.value.loc.file == __file__


# ------------------------------------------------------------------------------------------------------------ training


def lenet():
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(6, 5, padding=2, activation="sigmoid"),
        nn.Conv2D(6, 2, strides=2, groups=6),
        nn.Conv2D(16, 5, activation="sigmoid"),
        nn.Conv2D(16, 2, strides=2, groups=16),
        nn.Dense(24, activation="sigmoid"),
        nn.Dense(10),
    )
    return net


def test_a_net_trains_alike_imperatively_hybridized_and_in_pytorch():
    x, labels = drawn(8, 1, 20, 20).astype("f4"), numpy.arange(8) % 10
    start, losses = None, {}
    for compiled in (False, True):
        net = lenet()
        net.initialize("xavier")
        net(np.array(x))
        if start is None:
            start = [parameter.data().asnumpy().copy() for parameter in net.collect_params().values()]
        for parameter, value in zip(net.collect_params().values(), start, strict=True):
            parameter.set_data(np.array(value))
        net.hybridize(compiled)
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.9})
        loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
        losses[compiled] = []
        for _ in range(6):
            with autograd.record():
                loss = loss_fn(net(np.array(x)), np.array(labels))
            loss.backward()
            trainer.step(len(x))
            losses[compiled].append(float(loss.mean().item()))
        if compiled:
            assert net.program(np.array(x)).fallbacks == ()
    values = [torch.tensor(value, requires_grad=True) for value in start]
    theirs = []
    for _ in range(6):
        y = torch.sigmoid(functional.conv2d(torch.tensor(x), *values[0:2], padding=2))
        y = functional.conv2d(y, *values[2:4], stride=2, groups=6)
        y = torch.sigmoid(functional.conv2d(y, *values[4:6]))
        y = functional.conv2d(y, *values[6:8], stride=2, groups=16).flatten(1)
        y = functional.linear(torch.sigmoid(functional.linear(y, *values[8:10])), *values[10:12])
        loss = functional.cross_entropy(y, torch.tensor(labels))
        slopes = torch.autograd.grad(loss, values)
        with torch.no_grad():
            for value, slope in zip(values, slopes, strict=True):
                value -= 0.9 * slope
        theirs.append(float(loss.detach()))
    assert theirs[-1] < theirs[0]
    for found in losses.values():
        numpy.testing.assert_allclose(found, theirs, rtol=1e-4)


# --------------------------------------------------------------------------------------------------------------- files


def test_files_of_mxnet_hold_the_layers(tmp_path):
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(6, 3, padding=1, groups=3, activation="relu"),
        nn.Conv2DTranspose(4, 3, 2, 1, 1, use_bias=False),
        nn.Conv2D(5, 1, dilation=2),
        nn.Dense(3),
    )
    net.initialize("xavier")
    net.hybridize()
    x = np.array(drawn(3, 3, 6, 5), dtype="float32")
    wanted = net(x).asnumpy()
    path = str(tmp_path / "net")
    net.export(path)
    words = [node["op"] for node in json.loads((tmp_path / "net-symbol.json").read_text())["nodes"]]
    assert [word for word in words if "onvolution" in word] == ["Convolution", "Deconvolution", "Convolution"]
    for compiled in (False, True):
        again = SymbolBlock.imports(f"{path}-symbol.json", ["data"], f"{path}-0000.params")
        again.hybridize(compiled)
        for rows in (3, 2):
            numpy.testing.assert_allclose(again(x[:rows]).asnumpy(), wanted[:rows], rtol=1e-5, atol=1e-6)
    net.save_parameters(str(tmp_path / "weights.params"))
    other = nn.HybridSequential()
    other.add(
        nn.Conv2D(6, 3, padding=1, groups=3, activation="relu"),
        nn.Conv2DTranspose(4, 3, 2, 1, 1, use_bias=False),
        nn.Conv2D(5, 1, dilation=2),
        nn.Dense(3),
    )
    other.load_parameters(str(tmp_path / "weights.params"))
    numpy.testing.assert_allclose(other(x).asnumpy(), wanted, rtol=1e-5, atol=1e-6)


class ConvNet(nn.HybridBlock):
    """The net whose files MXNet wrote."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.body = nn.HybridSequential()
            with self.body.name_scope():
                self.body.add(
                    nn.Conv2D(8, 3, padding=1, use_bias=False),
                    nn.BatchNorm(),
                    nn.Activation("relu"),
                    nn.MaxPool2D(2, 2),
                    nn.Conv2D(16, 3, strides=2, padding=1),
                    nn.BatchNorm(scale=False),
                    nn.LeakyReLU(0.1),
                    nn.GlobalAvgPool2D(),
                    nn.Flatten(),
                    nn.Dropout(0.5),
                )
            self.out = nn.Dense(10)

    def forward(self, x):
        return npx.softmax(self.out(self.body(x)))


@MODES
def test_parameters_that_mxnet_saved_give_mxnets_output(compiled, tmp_path):
    net = ConvNet(prefix="convnet_")
    net.load_parameters(str(MXNET / "convnet.gluon.params"))
    net.hybridize(compiled)
    x, wanted = np.array(numpy.load(MXNET / "convnet-input.npy")), numpy.load(MXNET / "convnet-output.npy")
    numpy.testing.assert_allclose(net(x).asnumpy(), wanted, rtol=1e-5, atol=1e-6)
    names = {node["name"] for node in json.loads((MXNET / "convnet-symbol.json").read_text())["nodes"]}
    assert {parameter.name for parameter in net.collect_params().values()} <= names
    if compiled:
        net.export(str(tmp_path / "again"))
        again = SymbolBlock.imports(str(tmp_path / "again-symbol.json"), ["data"], str(tmp_path / "again-0000.params"))
        numpy.testing.assert_allclose(again(x).asnumpy(), wanted, rtol=1e-5, atol=1e-6)


# ------------------------------------------------------------------------------------------- random layers and inputs


@st.composite
def layers(draw):
    rank = draw(st.sampled_from([1, 2, 2, 2, 3]))
    transposed, last = draw(st.booleans()), draw(st.booleans())
    groups = draw(st.sampled_from([1, 1, 1, 2, 3]))
    inputs, outputs = (groups * draw(st.sampled_from([1, 2, 3, 8] if rank < 3 else [1, 2])) for _ in range(2))

    def numbers(low, high):
        return tuple(draw(st.integers(low, high)) for _ in range(rank))

    kernel, strides, dilation, padding = numbers(1, 4), numbers(1, 3), numbers(1, 3), numbers(0, 4)
    spans = [(size - 1) * by + 1 for size, by in zip(kernel, dilation, strict=True)]
    arguments = {
        "channels": outputs,
        "kernel_size": kernel,
        "strides": strides,
        "padding": padding,
        "dilation": dilation,
        "groups": groups,
        "use_bias": draw(st.booleans()),
        "layout": f"N{'' if last else 'C'}{'DHW'[3 - rank :]}{'C' if last else ''}",
    }
    if transposed:
        arguments["output_padding"] = tuple(
            draw(st.integers(0, max(step, by) - 1)) for step, by in zip(strides, dilation, strict=True)
        )
        # what is left must have an element
        least = [
            max(1, -(-(1 + 2 * pad - span) // step) + 1)
            for pad, span, step in zip(padding, spans, strides, strict=True)
        ]
    else:
        least = [max(1, span - 2 * pad) for pad, span in zip(padding, spans, strict=True)]
    pixels = [low + draw(st.integers(0, 8 if rank < 3 else 3)) for low in least]
    n = draw(st.integers(1, 3))
    shape = (n, *pixels, inputs) if last else (n, inputs, *pixels)
    return getattr(nn, f"Conv{rank}D{'Transpose' if transposed else ''}"), arguments, shape


def check_random(case, compiled):
    kind, arguments, shape = case
    layer = fill(kind(**arguments), shape[-1 if is_last_name(arguments) else 1], "float32")
    layer.hybridize(compiled)
    check(layer, drawn(*shape, seed=2), "float32")


def is_last_name(arguments):
    return arguments["layout"].endswith("C")


RANDOM = {"deadline": None, "suppress_health_check": list(HealthCheck)}


@settings(max_examples=40, **RANDOM)
@given(case=layers())
def test_random_layers_imperatively(case):
    check_random(case, False)


@settings(max_examples=10, **RANDOM)
@given(case=layers())
def test_random_layers_hybridized(case):
    check_random(case, True)


@pytest.mark.parametrize("inputs", [1, 16, 17])
@pytest.mark.parametrize(
    ("strides", "dilation"), [((1, 2, 2), (1, 1, 2)), ((2, 2, 1), (2, 1, 1)), ((1, 3, 2), (1, 3, 2))]
)
@pytest.mark.parametrize("layout", ["NDHWC", "NCDHW"])
def test_pixels_that_no_tap_reaches_are_zero(layout, strides, dilation, inputs):
    """Steps and dilation with a common factor leave pixels out: parts of the result that are sums of nothing."""
    layer = nn.Conv3DTranspose(
        1, (2, 4, 4), strides=strides, dilation=dilation, layout=layout, use_bias=False, in_channels=inputs
    )
    layer = fill(layer, inputs, "float32")
    layer.hybridize()
    pixels = (2, 1, 3)
    check(layer, drawn(*((1, *pixels, inputs) if layout == "NDHWC" else (1, inputs, *pixels)), seed=2), "float32")


@pytest.mark.long
@settings(max_examples=1500, **RANDOM)
@given(case=layers())
def test_many_random_layers(case):
    for compiled in (False, True):
        check_random(case, compiled)


@st.composite
def chains(draw):
    """Layers of one rank and layout, one behind the other, and an input large enough for all of them."""
    rank, last = draw(st.sampled_from([1, 2, 2, 2, 3])), draw(st.booleans())
    channels = [draw(st.sampled_from([1, 3, 4, 6, 16])) for _ in range(draw(st.integers(3, 4)))]
    chain = []
    for inputs, outputs in itertools.pairwise(channels):
        kernel, stride = draw(st.integers(1, 3)), draw(st.integers(1, 2))
        transposed = draw(st.sampled_from([False, False, True]))
        arguments = {
            "channels": outputs,
            "kernel_size": kernel,
            "strides": stride,
            "padding": draw(st.integers(0, kernel - 1)),
            "groups": draw(st.sampled_from([n for n in (1, 2, 3) if inputs % n == outputs % n == 0])),
            "activation": draw(st.sampled_from([None, "relu", "tanh"])),
            "use_bias": draw(st.booleans()),
            "layout": f"N{'' if last else 'C'}{'DHW'[3 - rank :]}{'C' if last else ''}",
        }
        chain.append((getattr(nn, f"Conv{rank}D{'Transpose' if transposed else ''}"), arguments))
    pixels = [draw(st.integers(16, 20)) if rank < 3 else draw(st.integers(12, 13)) for _ in range(rank)]
    n = draw(st.integers(1, 3))
    return chain, (n, *pixels, channels[0]) if last else (n, channels[0], *pixels)


def chain_by_peer(net, x, last, dtype):
    """Return PyTorch's result of a net, and its gradients by the input and every weight, computed in a dtype."""
    arrays = [x, *(layer.weight.data().asnumpy() for layer in net)]
    leaves = [
        torch.tensor(numpy.ascontiguousarray(first(each, last)), dtype=dtype, requires_grad=True) for each in arrays
    ]
    y = leaves[0]
    for layer, weight in zip(net, leaves[1:], strict=True):
        y = peer(
            layer, y, weight, None if layer.bias is None else torch.tensor(layer.bias.data().asnumpy(), dtype=dtype)
        )
    y.mean().backward()
    return [y.detach().numpy(), *(leaf.grad.numpy() for leaf in leaves)]


def check_chain(case):
    """Compare result and gradients of a net with PyTorch's in float64, before it is hybridized and after.

    What PyTorch itself loses in float32 tells how far rounding goes in the net: the slope of a tanh, 1 - y * y, has few
    digits left where y is nearly 1, whoever computes it.
    """
    chain, shape = case
    last = is_last_name(chain[0][1])
    net = nn.HybridSequential()
    inputs = shape[-1 if last else 1]
    for kind, arguments in chain:
        net.add(fill(kind(**arguments), inputs, "float32"))
        inputs = arguments["channels"]
    x = drawn(*shape, seed=4).astype("f4")
    wanted, short = (chain_by_peer(net, x, last, dtype) for dtype in (torch.float64, torch.float32))
    for compiled in (False, True):
        net.hybridize(compiled)
        ours = np.array(x)
        ours.attach_grad()
        with autograd.record():
            found = net(ours)
            loss = found.mean()
        loss.backward()
        pairs = [found, ours.grad, *(layer.weight.grad() for layer in net)]
        for one, other, rounded in zip(pairs, wanted, short, strict=True):
            lost = numpy.abs(rounded - other).max()
            atol = 2e-5 * numpy.abs(other).max() + 16 * lost
            numpy.testing.assert_allclose(first(one.asnumpy(), last), other, rtol=0, atol=atol)
    assert net.program(np.array(x)).fallbacks == ()


def saturated(*layers):
    """Return a chain whose last step is a tanh of large elements."""
    kept = {"padding": 0, "groups": 1, "layout": "NWC"}
    names = ("channels", "kernel_size", "strides", "activation", "use_bias")
    return [(nn.Conv1D, dict(zip(names, layer, strict=True)) | kept) for layer in layers], (1, 16, 1)


@settings(max_examples=4, **RANDOM)
@given(case=chains())
@example(case=saturated((1, 2, 1, None, False), (3, 1, 2, None, False), (1, 3, 2, "tanh", True)))
def test_random_chains(case):
    check_chain(case)


@pytest.mark.long
@settings(max_examples=500, **RANDOM)
@given(case=chains())
def test_many_random_chains(case):
    check_chain(case)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("width", [1, 4])
@pytest.mark.parametrize("channels", [2, 16, 20])
def test_an_element_is_gathered_by_an_index_that_no_loop_moves(channels, width, dtype):
    """Two places that arrays say, one of them the same for all elements: it counted twice where tiles have no loop."""
    rng = numpy.random.default_rng(channels)
    for kernel, pad, stride in (((1, 3), (1, 1), (3, 1)), ((1, 1), (1, 0), (1, 1)), ((3, 3), (1, 1), (1, 1))):
        options = {"kernel": kernel, "pad": pad, "stride": stride, "num_filter": channels, "no_bias": True}

        def net(x, weight, rows, row, column, options=options):
            gathered = np.take(np.take(rows, row, axis=2), column, axis=3)
            return gathered + npx.convolution(x, weight, None, **options)

        shapes = (1, 2, 14, width), (channels, 2, *kernel), (1, channels, 2, 3)
        x, weight, rows = (np.array(rng.normal(size=shape), dtype=dtype) for shape in shapes)
        height = npx.convolution(x, weight, None, **options).shape[2]
        arguments = x, weight, rows, np.arange(height) % 2, np.array([1])
        numpy.testing.assert_allclose(
            hybridize(net)(*arguments).asnumpy(), net(*arguments).asnumpy(), rtol=1e-4, atol=1e-5
        )
