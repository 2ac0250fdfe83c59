"""Reading `-symbol.json`: every file of MXNet, every dialect of attributes, nothing malformed."""

import json
import random
from pathlib import Path

import pytest

from hybridize.base.errors import LoadError
from hybridize.formats.mxnet.attributes import Attributes, parse_value
from hybridize.formats.mxnet.symbol import parse_symbol, read_symbol
from tests.refusals import refusal

FILES = Path(__file__).parent / "mxnet_files"
ALL = sorted([*FILES.rglob("*-symbol.json"), FILES / "legacy/save_000800.json"])


@pytest.mark.parametrize("path", ALL, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_every_graph_of_mxnet_is_read(path):
    graph = read_symbol(path)
    tree = json.loads(path.read_text())
    added = {"batchnorm0_moving_mean", "batchnorm0_moving_var"} if "legacy" in str(path) else set()
    names = [node["name"] for node in tree["nodes"] if node["op"] not in ("_zeros", "_npi_zeros")]  # of states
    assert [node.name for node in graph.nodes if node.name not in added] == names
    assert len(graph.heads) == len(tree["heads"])
    for position, node in enumerate(graph.nodes):
        assert all(entry[0] < position for entry in node.inputs)


def test_the_generations_say_who_they_are():
    assert read_symbol(FILES / "v1_9_1_nd/my_mlp-symbol.json").attributes["mxnet_version"] == 10901
    assert not read_symbol(FILES / "v1_9_1_nd/my_mlp-symbol.json").np_shape
    assert read_symbol(FILES / "v1_9_1_np/my_mlp-symbol.json").np_shape
    assert read_symbol(FILES / "v2_0_0b1_np/my_mlp-symbol.json").attributes["mxnet_version"] == 20000


def test_attributes_of_the_oldest_files_are_one():
    node = next(n for n in read_symbol(FILES / "legacy/save_000800.json").nodes if n.name == "fc1")
    assert node.attributes["num_hidden"] == "128"
    assert node.attributes["__wd_mult__"] == "0.3"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("256", 256),
        ("-1", -1),
        ("1e-05", 1e-5),
        ("1.5", 1.5),
        ("2L", 2),
        ("None", None),
        ("True", True),
        ("(3, 3)", (3, 3)),
        ("(256,)", (256,)),
        ("()", ()),
        ("[3,3]", (3, 3)),
        ("[]", ()),
        ("(2L,3L)", (2, 3)),
        ("[ 1 , 2 ]", (1, 2)),
        ("(None, 1)", (None, 1)),
        ("[None, 1]", (None, 1)),
        ("((0, 0), (1, 1))", ((0, 0), (1, 1))),
        ("[[0,0],[1,1]]", ((0, 0), (1, 1))),
        ("-inf", float("-inf")),
        ("3.0", 3.0),
    ],
)
def test_attribute_strings(text, value):
    got = parse_value(text)
    assert got == value
    assert type(got) is type(value)


@pytest.mark.parametrize("text", ["", "(", "(1", "1,", "[1)", "x", "1 2", "(1 2)", "((((((1))))))", "__import__"])
def test_strings_that_are_no_values(text):
    with pytest.raises(ValueError):
        parse_value(text)


def test_attributes_are_checked():
    given = {"max_iterations": "many", "num_outputs": "1.5", "func_var_locs": "(0, 0.5)", "cond_input_locs": "3L"}
    attributes = Attributes("_while_loop", "loop0", given, "a.json")
    with refusal(LoadError, "a.json: operator _while_loop, node 'loop0': max_iterations cannot be read, got 'many'"):
        attributes.integer("max_iterations", 0)
    with refusal(LoadError, "num_outputs must be an integer, got '1.5'"):
        attributes.integer("num_outputs", 1)
    with refusal(LoadError, "func_var_locs must be a tuple of integers"):
        attributes.integers("func_var_locs")
    assert attributes.integers("cond_input_locs") == (3,)
    assert (attributes.integer("num_out_data", 2), attributes.integers("func_input_locs")) == (2, ())


def graph(**changes):
    tree = {
        "nodes": [{"op": "null", "name": "data", "inputs": []}, {"op": "relu", "name": "r", "inputs": [[0, 0]]}],
        "heads": [[1, 0]],
    }
    return json.dumps({**tree, **changes})


def node(**changes):
    return [{"op": "null", "name": "data", "inputs": []}, {"op": "relu", "name": "r", "inputs": [[0, 0]], **changes}]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "nodes"),
        ("{}", "nodes"),
        (graph(nodes=3), "nodes"),
        (graph(nodes=[3]), r"nodes\[0\]"),
        (graph(nodes=node(name=3)), "op or name"),
        (graph(nodes=node(inputs=[[7, 0]])), r"nodes\[1\].inputs\[0\]"),
        (graph(nodes=node(inputs=[[0]])), "not an entry"),
        (graph(nodes=node(inputs=[[True, 0]])), "not an entry"),
        (graph(nodes=node(inputs=[[-1, 0]])), "not an entry"),
        (graph(nodes=node(inputs=[[1, 0]])), "depends on itself"),
        (graph(nodes=node(attrs={"a": 3})), "strings"),
        (graph(heads=None), "heads"),
        (graph(heads=[[0, -1]]), "heads"),
        (graph(attrs={"x": 3}), "attrs.x"),
        (graph(nodes=[{"op": "null", "name": "a"}] * 2, heads=[[0, 0], [1, 0]]), "two variables"),
    ],
)
def test_malformed_graphs_say_where(text, what):
    with refusal(LoadError, what) as error:
        parse_symbol(text, "some-symbol.json")
    assert "some-symbol.json" in str(error.value)


def test_nodes_may_come_in_any_order():
    nodes = [{"op": "relu", "name": "r", "inputs": [[1, 0]]}, {"op": "null", "name": "data"}]
    assert [n.name for n in parse_symbol(graph(nodes=nodes, heads=[[0, 0]])).nodes] == ["data", "r"]


def test_flipped_bytes_never_crash():
    draw = random.Random(0)
    data = (FILES / "v1_9_1_nd/my_mlp-symbol.json").read_bytes()
    for _ in range(500):
        wrong = bytearray(data)
        wrong[draw.randrange(len(wrong))] = draw.choice(b'0123456789-"{}[],:nullx\xff')
        try:
            parse_symbol(bytes(wrong))
        except LoadError:
            continue
