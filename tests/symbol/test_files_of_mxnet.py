"""Expressions of MXNet's files: what they compute, written and read again; loops and branches too; damage is refused."""

import glob
import json
import random
from pathlib import Path

import numpy
import pytest

from hybridize import nd, np, npx, sym
from hybridize.errors import HybridizeError, LoadError
from tests.refusals import refusal

FILES = Path(__file__).parents[1] / "formats" / "mxnet_files"
NETS = [
    *(f"v1_9_1_nd/{name}" for name in ("condnet", "whilenet", "foreachnet", "lstmnet", "convnet")),
    *(f"v2_0_0b1_np/{name}" for name in ("foreachnet", "lstmnet", "convnet")),
]


def results(expression, path):
    """What an expression gives for the inputs and the parameters that lie beside its file."""
    parameters = f"{path}-0000.params"
    loaded = (npx.load if "np" in path.parent.name else nd.load)(parameters) if Path(parameters).exists() else {}
    arrays = {name.partition(":")[2]: x for name, x in loaded.items()} if isinstance(loaded, dict) else {}
    names = sorted(name for name in expression.list_arguments() if name.startswith("data"))
    inputs = [np.array(numpy.load(file)) for file in sorted(glob.glob(f"{path}-input*.npy"))]
    arrays |= dict(zip(names, inputs, strict=True))
    states = {name: arrays[name] for name in expression.list_auxiliary_states()}
    given = {name: arrays[name] for name in expression.list_arguments()}
    return expression.bind(args=given, aux_states=states, grad_req="null").forward()


@pytest.mark.parametrize("net", NETS)
@pytest.mark.filterwarnings("ignore:.*was exported without its attributes")
def test_what_files_compute(net):
    path = FILES / net
    read = sym.load(f"{path}-symbol.json")
    again = sym.load_json(read.tojson())
    expected = [numpy.load(file) for file in sorted(glob.glob(f"{path}-output*.npy"))]
    assert expected
    for expression in (read, again):
        found = results(expression, path)
        assert len(found) == len(expected)
        for x, y in zip(found, expected, strict=True):
            x = x.asnumpy()[: len(y)]  # MXNet leaves rows that a loop does not reach as they were in memory
            numpy.testing.assert_allclose(x, y, rtol=1e-4, atol=1e-5)
    assert again.list_arguments() == read.list_arguments()
    assert again.list_outputs() == read.list_outputs()


def test_a_loop_of_mxnet_2_says_why_it_is_refused():
    tree = json.loads((FILES / "v2_0_0b1_np/foreachnet-symbol.json").read_text())
    (loop,) = [node for node in tree["nodes"] if node["op"] == "_npx_foreach"]
    loop["op"] = "_npx_while_loop"
    with refusal(LoadError, f"operator _npx_while_loop, node '{loop['name']}'.*nobody knows how often it runs"):
        sym.load_json(json.dumps(tree))
    loop["op"] = "_npx_nothing"
    with refusal(LoadError, f"E606.*operator _npx_nothing, node '{loop['name']}'"):
        sym.load_json(json.dumps(tree))


def mutated(draw, tree):
    """A tree in which some places hold something else, or nothing."""
    tree = json.loads(json.dumps(tree))
    for _ in range(draw.choice((1, 1, 2, 4))):
        at = tree
        while True:
            keys = list(at) if isinstance(at, dict) else list(range(len(at)))
            if not keys:
                break
            key = draw.choice(keys)
            if isinstance(at[key], (dict, list)) and draw.random() < 0.8:
                at = at[key]
                continue
            wrong = draw.choice([None, -1, 1 << 40, 0.5, "", "(1, 2", "x" * 50, [], {}, [[0, 0]], True, "_copy"])
            if draw.random() < 0.2:
                del at[key]
            else:
                at[key] = wrong
            break
    return tree


@pytest.mark.parametrize("net", NETS)
@pytest.mark.filterwarnings("ignore")
def test_damaged_files_are_errors_of_ours(net):
    draw, refused = random.Random(net), 0
    text = (FILES / f"{net}-symbol.json").read_text()
    tree = json.loads(text)
    for _ in range(150):
        try:
            sym.load_json(json.dumps(mutated(draw, tree))).list_outputs()
        except HybridizeError:
            refused += 1
    for size in range(0, len(text) - 2, max(1, len(text) // 40)):
        with pytest.raises(LoadError):
            sym.load_json(text[:size])
    assert refused > 30
