"""Loops and branches in MXNet's files: written, and read back."""

import json
import warnings
from pathlib import Path

import numpy
import pytest

from hybridize import gluon, np, npx
from hybridize.base.errors import CaptureError, LoadError
from hybridize.base.nested import flatten
from hybridize.formats.mxnet.symbol import parse_symbol
from tests.formats.mxnet_attention import ATTENTION
from tests.formats.mxnet_control import CONTROL, Body
from tests.formats.test_mxnet_symbol import SIGNATURES
from tests.refusals import refusal

NETS = CONTROL | ATTENTION
SIZED = {
    "attention causal": [[(1, 7, 8)], [(4, 9, 8)]],
    "attention by hand": [[(1, 7, 8)], [(4, 9, 3)]],
    "attention rotary": [[(1, 7, 8)], [(4, 9, 8)]],
    "attention plain": [[(3, 1, 7, 4)] * 3, [(1, 5, 2, 8)] * 3],
    "attention both": [[(1, 7, 8), (1,)], [(4, 9, 8), (4,)]],
    "attention masked for all": [[(1, 7, 8), (7, 7)], [(4, 3, 8), (3, 3)]],
    "attention other": [[(1, 7, 8), (1, 6, 8), (1,)], [(4, 2, 8), (4, 5, 8), (4,)]],
    "encoder": [[(1, 7, 8), (1,)], [(4, 9, 8), (4,)]],
    "decoder": [[(1, 7, 8), (1, 2, 8)], [(4, 9, 8), (4, 9, 8)]],
    "gpt": [[(1, 7)], [(4, 4)], [(5, 3)]],
    "memory": [[(7, 2, 3), (2, 4)], [(3, 6, 3), (6, 4)]],
    "normalized": [[(7, 5, 3), (5, 3)]],
    "numbers": [[(9,), (2,)]],
    "by number": [[(7, 5), (5,)], [(50, 2), (2,)]],
    "nested": [[(7, 5, 3), (5, 3)]],
    "rounds": [[(4, 6)]],
    "chosen": [[(5, 2), (5, 2)]],
}
"""Shapes of calls that files serve that were not written for them."""


SHORT = {
    "memory", "two states", "numbers", "branching", "backward branching", "by number", "written until", "limited",
    "searching", "chosen twice", "truths", "attention both", "attention masked", "attention rotary",
}  # fmt: skip
"""The nets that between them take every way of the writer; of the others the long tests take care."""


def some_of(names):
    """Names as parameters of a test, of which some are long ones."""
    return [pytest.param(name, marks=[] if name in SHORT else pytest.mark.long) for name in names]


def results(net, xs):
    return [y.asnumpy() for y in flatten(net(*map(np.array, xs)))[0]]


def close(found, expected):
    for y, z in zip(found, expected, strict=True):
        assert y.shape == z.shape
        assert y.dtype == z.dtype
        numpy.testing.assert_allclose(y, z, rtol=2e-5, atol=1e-5)


@pytest.mark.filterwarnings("ignore:the net computes with the sizes of its inputs")
@pytest.mark.parametrize("name", some_of(NETS))
def test_the_three_ways_agree(name, tmp_path):
    make, calls = NETS[name]
    net = make()
    net.initialize()
    expected = [results(net, xs) for xs in calls]
    net.hybridize()
    for xs, ys in zip(calls, expected, strict=True):
        close(results(net, xs), ys)
    files = net.export(tmp_path / "net")
    names = ["data"] if len(calls[0]) == 1 else [f"data{number}" for number in range(len(calls[0]))]
    again = gluon.SymbolBlock.imports(files[0], names, files[1])
    for _ in range(2):
        for xs, ys in zip(calls, expected, strict=True):
            close(results(again, xs), ys)
        again.hybridize()
    for version in SIGNATURES:
        for node in every(json.loads((tmp_path / "net-symbol.json").read_text())):
            assert node["op"] in SIGNATURES[version]
            assert set(node.get("attrs", {})) <= SIGNATURES[version][node["op"]], node


@pytest.mark.parametrize("name", some_of(SIZED))
def test_files_serve_other_sizes(name, tmp_path):
    make, calls = NETS[name]
    net = make()
    net.initialize()
    net.hybridize()
    results(net, calls[0])
    files = net.export(tmp_path / "net")
    names = ["data"] if len(calls[0]) == 1 else [f"data{number}" for number in range(len(calls[0]))]
    again = gluon.SymbolBlock.imports(files[0], names, files[1])
    for shapes in SIZED[name]:
        xs = [numpy.resize(x, shape) for x, shape in zip(calls[0], shapes, strict=True)]
        close(results(again, xs), results(net, xs))


def every(tree):
    """The nodes of a graph that are operators, with those of the graphs inside."""
    for node in tree["nodes"]:
        if node["op"] != "null":
            yield node
        for inner in node.get("subgraphs", ()):
            yield from every(inner)


def fixed(x):
    """Rounds that are at most what a number says."""
    return npx.while_loop(lambda x: x.sum() < 9, lambda x: (None, [x + 1]), [x], max_iterations=7)[1]


def in_threes(x):
    n = np.ones((), dtype="int64")
    while n <= 20:
        x = x / 2
        n = n + 3
        if x.sum() < 1:
            break
    return x


def upside_down(x):
    n = np.zeros((), dtype="int64")
    while x.sum() > 1 and np.greater(11, n):
        n = n + 2
        x = x - 1
    return x


def counting(x):
    """The condition of the loop itself is about its counter."""
    return npx.while_loop(lambda n, x: n < 13, lambda n, x: (None, [n + 4, x * 2]), [np.zeros((), "int64"), x])[1][1]


def skipping(x):
    for i in range(30):
        if x[0] > i:
            continue
        x = x + 1
        if x.sum() > 9:
            break
    return x


@pytest.mark.parametrize(
    ("function", "most"),
    [(fixed, 7), (in_threes, 7), (upside_down, 6), (counting, 4), (skipping, 30)],
)
def test_files_hold_the_most_rounds(function, most, tmp_path):
    net = Body(function)
    net.hybridize()
    net(np.ones(3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the number of rounds is in the file
        net.export(tmp_path / "net")
    nodes = every(json.loads((tmp_path / "net-symbol.json").read_text()))
    assert [node["attrs"]["max_iterations"] for node in nodes if node["op"] == "_while_loop"] == [str(most)]


def endless(x):
    while (x * x).sum() < 100:
        x = x * 2
    return x


def downwards(x):
    """A counter that a branch may leave where it is limits nothing."""
    n = np.zeros((), dtype="int64")
    while n < 20:
        n = npx.cond(x.sum() > 0, lambda n: n + 1, lambda n: n, [n])
        x = x - 1
        if x.sum() < -9:
            n = n + 20
    return x


@pytest.mark.parametrize("function", [endless, downwards])
def test_a_loop_without_a_limit_is_refused_with_a_remedy(function, tmp_path):
    net = Body(function)
    net.hybridize()
    net(np.ones(3))
    with pytest.raises(
        CaptureError, match=r"E467: a loop that runs while data says so(.|\n)*while (.|\n)*max_iterations"
    ):
        net.export(tmp_path / "net")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("hybrid", [False, True])
def test_loops_of_files_end_when_their_condition_does(hybrid):
    """However many rounds a file claims; what MXNet cannot count, or what there is no memory for, is refused."""
    stem = Path(__file__).parent / "mxnet_files" / "v1_9_1_nd" / "whilenet"
    arrays = [np.array(numpy.load(f"{stem}-input{number}.npy")) for number in range(2)]

    def called(rounds):
        tree = json.loads(Path(f"{stem}-symbol.json").read_text())
        (loop,) = [node for node in tree["nodes"] if node["op"] == "_while_loop"]
        loop["attrs"]["max_iterations"] = str(rounds)
        names = [node["name"] for node in tree["nodes"] if node["op"] == "null"]
        block = gluon.SymbolBlock(parse_symbol(json.dumps(tree), "some.json"), names)
        if hybrid:
            block.hybridize()
        return block(*arrays)

    few, many = called(6), called(100_000)
    assert many[0].shape == (100_000, *few[0].shape[1:])
    numpy.testing.assert_allclose(many[0][:6].asnumpy(), few[0].asnumpy(), rtol=1e-6)
    assert not many[0][6:].any()
    for x, y in zip(many[1:], few[1:], strict=True):
        numpy.testing.assert_allclose(x.asnumpy(), y.asnumpy(), rtol=1e-6)
    for rounds in (-1, 1 << 31, 10**12):
        with refusal(LoadError, "E603: some.json: operator _while_loop.*max_iterations"):
            called(rounds)
