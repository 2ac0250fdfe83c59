"""Anchors around the pixels of images: worked out one by one, and as MXNet 1.9.1 gives them."""

import json

import numpy
import pytest

from hybridize import autograd, hybridize, nd, np, npx, sym
from hybridize.errors import ArgumentError, DTypeError, ShapeError
from tests.refusals import refusal


def expected(height, width, sizes, ratios, clip=False, steps=(-1, -1), offsets=(0.5, 0.5)):
    steps = steps if min(steps) > 0 else (1 / height, 1 / width)
    boxes = []
    for row in range(height):
        for column in range(width):
            y, x = (row + offsets[0]) * steps[0], (column + offsets[1]) * steps[1]
            for size, ratio in [*((size, ratios[0]) for size in sizes), *((sizes[0], ratio) for ratio in ratios[1:])]:
                w, h = size * height / width * ratio**0.5, size / ratio**0.5
                boxes.append([x - w / 2, y - h / 2, x + w / 2, y + h / 2])
    found = numpy.array(boxes)[None]
    return found.clip(0, 1) if clip else found


CASES = [
    {"sizes": (0.75, 0.5, 0.25), "ratios": (1, 2, 0.5)},
    {"sizes": (0.4,), "ratios": (2, 0.5), "clip": True},
    {"sizes": (0.4, 0.3), "ratios": (1,), "steps": (0.5, 0.25), "offsets": (0.25, 1)},
    {"sizes": (1.0,), "ratios": (1.0,), "steps": (0.5, 0), "offsets": (0, 0.5)},
]


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
@pytest.mark.parametrize("shape", [(1, 3, 4, 6), (2, 1, 5, 2), (1, 2, 1, 1)])
def test_anchors(case, shape):
    x = np.ones(shape)
    wanted = expected(*shape[2:], **case)
    found = npx.multibox_prior(x, **case)
    numpy.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5, atol=1e-6)
    numpy.testing.assert_allclose(nd.contrib.MultiBoxPrior(x, **case).asnumpy(), wanted, rtol=1e-5, atol=1e-6)
    compiled = hybridize(lambda x: npx.multibox_prior(x, **case))
    for image in (x, np.ones((1, 1, shape[2] + 1, shape[3] + 2)), x):  # the second size is a symbol
        wanted = expected(*image.shape[2:], **case)
        numpy.testing.assert_allclose(compiled(image).asnumpy(), wanted, rtol=1e-5, atol=1e-6)


def test_as_mxnet_gives_them():
    """`mx.nd.contrib.MultiBoxPrior(mx.nd.zeros((1, 1, 1, 2)), sizes=(.5, .25), ratios=(1, 4), clip=True)` of 1.9.1."""
    found = npx.multibox_prior(np.zeros((1, 1, 1, 2)), sizes=(0.5, 0.25), ratios=(1, 4), clip=True)
    wanted = [
        [0.125, 0.25, 0.375, 0.75], [0.1875, 0.375, 0.3125, 0.625], [0.0, 0.375, 0.5, 0.625],
        [0.625, 0.25, 0.875, 0.75], [0.6875, 0.375, 0.8125, 0.625], [0.5, 0.375, 1.0, 0.625],
    ]  # fmt: skip
    assert found.tolist() == [wanted]


def test_one_number_is_a_tuple_and_images_have_no_gradient():
    x = np.ones((1, 1, 2, 2))
    x.attach_grad()
    with autograd.record():
        y = (npx.multibox_prior(x, 0.5, 1) * x.sum()).sum()
    y.backward()
    assert npx.multibox_prior(x, 0.5, 1).shape == (1, 4, 4)
    numpy.testing.assert_allclose(x.grad.asnumpy(), npx.multibox_prior(x, 0.5, 1).sum().item())


@pytest.mark.parametrize("word", ["_contrib_MultiBoxPrior", "_npx_multibox_prior"])
def test_in_files(word):
    """As MXNet writes them."""
    attributes = {"sizes": "(0.5, 0.25)", "ratios": "[1, 2]", "clip": "True"}
    nodes = [
        {"op": "null", "name": "data", "inputs": []},
        {"op": word, "name": "anchors", "attrs": attributes, "inputs": [[0, 0, 0]]},
    ]
    text = json.dumps({"nodes": nodes, "arg_nodes": [0], "heads": [[1, 0, 0]]})
    (found,) = sym.load_json(text).eval(data=nd.ones((1, 1, 3, 2)))
    numpy.testing.assert_allclose(found.asnumpy(), expected(3, 2, (0.5, 0.25), (1, 2), True), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda x: npx.multibox_prior(x[0]), ShapeError, "(?s)E182.*batch, channels"),
        (lambda x: npx.multibox_prior(x[:, :, :0]), ShapeError, "E182"),
        (lambda x: npx.multibox_prior(x.astype("int32")), DTypeError, "E239"),
        (lambda x: npx.multibox_prior(x, sizes=()), ArgumentError, "(?s)E399.*one or more"),
        (lambda x: npx.multibox_prior(x, ratios=(1, -1)), ArgumentError, "(?s)E399.*all positive"),
        (lambda x: npx.multibox_prior(x, offsets=(0.5, 2)), ArgumentError, "(?s)E399.*from 0 to 1"),
        (lambda x: npx.multibox_prior(x, steps=(0.5,)), ArgumentError, "(?s)E399.*both are"),
        (lambda x: npx.multibox_prior(x, steps=(0.5, -1)), ArgumentError, "(?s)E399.*both are"),
    ],
)
def test_refusals(call, kind, words):
    with refusal(kind, words):
        call(np.ones((1, 1, 2, 2)))
