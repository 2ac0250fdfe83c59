# SPDX-License-Identifier: Apache-2.0
"""Every model that MXNet exported, against the output that MXNet stored beside it: imperatively and hybridized."""

import json
from pathlib import Path

import numpy
import pytest

from hybridize.array import np
from hybridize.base.errors import LoadError
from hybridize.formats.mxnet.lost_roles import with_roles
from hybridize.formats.mxnet.symbol import parse_symbol
from hybridize.gluon import SymbolBlock
from tests.refusals import refusal

FILES = Path(__file__).parent / "mxnet_files"
MODELS = sorted(str(p.relative_to(FILES))[: -len("-symbol.json")] for p in FILES.rglob("*-symbol.json"))
LOST = "v2_0_0b1_np/foreachnet"
"""Its loop has lost its attributes; MXNet itself cannot read it."""


def arrays(name, what):
    folder, stem = FILES / Path(name).parent, Path(name).name
    return [numpy.load(path) for path in sorted(folder.glob(f"{stem}-{what}*.npy"))]


def imported(name):
    inputs = arrays(name, "input")
    names = ["data"] if len(inputs) == 1 else [f"data{number}" for number in range(len(inputs))]
    params = FILES / f"{name}-0000.params"
    return SymbolBlock.imports(str(FILES / f"{name}-symbol.json"), names, str(params)), inputs


def test_all_models_of_all_generations_are_here():
    assert len(MODELS) == 12
    assert all(arrays(name, "output") for name in MODELS)


@pytest.mark.filterwarnings("ignore:.*was exported without its attributes")
@pytest.mark.parametrize("hybrid", [False, True], ids=["imperative", "hybridized"])
@pytest.mark.parametrize("name", MODELS)
def test_models_give_what_mxnet_gave(name, hybrid):
    net, inputs = imported(name)
    if hybrid:
        net.hybridize()
    expected = arrays(name, "output")
    for _ in range(2):  # the second call of a program goes another way
        found = net(*map(np.array, inputs))
        found = found if isinstance(found, (list, tuple)) else [found]
        assert len(found) == len(expected)
        for y, stored in zip(found, expected, strict=True):
            rows = y.asnumpy()
            if "whilenet" in name and stored.ndim:  # MXNet leaves rows that the loop does not reach undefined
                assert not rows[len(stored) :].any()
                rows = rows[: len(stored)]
            assert rows.dtype == stored.dtype
            numpy.testing.assert_allclose(rows, stored, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("hybrid", [False, True], ids=["imperative", "hybridized"])
def test_a_model_of_mxnet_0_8(hybrid):
    """No output is stored with it, so the reference is its layers in NumPy."""
    draw = numpy.random.default_rng(0)
    sizes = {"fc1": (128, 20), "fc2": (64, 128), "fc3": (10, 64)}
    weights = {f"{name}_weight": draw.normal(size=size).astype("f4") for name, size in sizes.items()}
    weights |= {f"{name}_bias": draw.normal(size=size[:1]).astype("f4") for name, size in sizes.items()}
    statistics = {"gamma": 1.5, "beta": 0.25, "moving_mean": -0.5, "moving_var": 2.0}
    weights |= {f"batchnorm0_{name}": numpy.full(10, value, "f4") for name, value in statistics.items()}
    net = SymbolBlock.imports(str(FILES / "legacy/save_000800.json"), ["data"])
    net.load_dict(weights)
    if hybrid:
        net.hybridize()
    x = draw.normal(size=(3, 20)).astype("f4")
    y = x
    for name in sizes:
        y = y @ weights[f"{name}_weight"].T + weights[f"{name}_bias"]
        y = numpy.maximum(y, 0) if name != "fc3" else y
    y = (y + 0.5) / numpy.sqrt(2.0 + 1e-3) + 0.25  # fix_gamma is the operator's default
    y = numpy.exp(y - y.max(-1, keepdims=True))
    numpy.testing.assert_allclose(net(np.array(x)).asnumpy(), y / y.sum(-1, keepdims=True), rtol=1e-4, atol=1e-6)


# ------------------------------------------------------------------------------------- loops without their attributes


def test_what_is_not_in_the_file_is_said():
    with pytest.warns(UserWarning, match="node 'node_7'.*1 data, 1 states and 1 outputs") as told:
        imported(LOST)
    assert [each.filename for each in told] == [__file__]


def edited(change):
    """The file whose loop has lost its attributes, with another change to its node."""
    tree = json.loads((FILES / f"{LOST}-symbol.json").read_text())
    (node,) = [one for one in tree["nodes"] if one["op"] == "_npx_foreach"]
    change(node)
    return parse_symbol(json.dumps(tree), "lost.json")


def rename(node, old, new):
    for one in node["subgraphs"][0]["nodes"]:
        one["name"] = new if one["name"] == old else one["name"]


def without_slices(node):
    rename(node, "data_subgraph0", "other")
    node["inputs"] = [[k, 0] for k in (1, 1, 0, 2, 3, 0, 2, 3)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda node: node.update(op="_npx_while_loop"), "_npx_while_loop, node 'node_7': .* how often"),
        (lambda node: node["inputs"].pop(), "takes 8 inputs, and it has 7"),
        (lambda node: node.update(inputs=[[k % 4, 0] for k in range(8)]), "is two inputs"),
        (lambda node: rename(node, "state_subgraph0", "state_subgraph1"), "does not read the state"),
        (lambda node: rename(node, "data_subgraph0", "other"), "body's other is two inputs"),
        (lambda node: without_slices(node), "has 0 slices"),
        (lambda node: node.update(subgraphs=[]), "0 graphs"),
        (lambda node: node.update(op="_npx_cond"), "1 graphs, a branch has three"),
    ],
)
def test_roles_that_cannot_be_told_are_refused(change, said):
    with refusal(LoadError, said):
        with_roles(edited(change))
