"""Loaded programs know the lines that they come from."""

import pytest

import hybridize
from hybridize import np, npx
from hybridize.capture import Function
from hybridize.formats import read_archive
from hybridize.formats.archive.lines import lines_out, with_lines
from hybridize.graph import parse
from hybridize.ops import OPS


def function(x):
    y = npx.softmax(x * 2)
    while y.sum() < 10:
        y = y + np.tanh(x)
        if y.max() > 5:
            y = y * 3
    assert y.sum() > 0, "negative"
    return y


FIRST = function.__code__.co_firstlineno


def nodes(graph):
    for node in graph.nodes:
        yield node
        for inner in node.op.graphs.values():
            yield from nodes(inner)


@pytest.fixture
def path(tmp_path):
    fast = Function(function)
    fast(np.ones((2, 3)))
    fast.save(tmp_path / "f")
    return tmp_path / "f"


def test_every_node_has_its_line_again(path):
    fast = Function(function)
    fast(np.ones((2, 3)))
    before, after = fast.saved().signatures[0].graph, read_archive(path).signatures[0].graph
    assert after.fingerprint == before.fingerprint
    assert [(node.op.name, node.loc) for node in nodes(after)] == [(node.op.name, node.loc) for node in nodes(before)]
    assert {FIRST + k for k in (1, 2, 3, 4, 5)} <= {node.loc.line for node in nodes(after) if node.loc is not None}


@pytest.mark.parametrize("images", [True, False])
def test_reports_and_errors_name_the_lines(path, images):
    loaded = hybridize.load(path, images=images)
    report = str(loaded.program(np.ones((2, 3))).explain())
    for line in (1, 6):
        assert "test_archive_lines.py" in report and f":{FIRST + line}" in report
    with pytest.raises(AssertionError, match="negative"):
        loaded(np.full((2, 3), np.nan))
    text = str(loaded.program(np.ones((2, 3))).optimized)
    assert "tanh" in text


def test_lines_of_another_graph_are_refused(path):
    graph = read_archive(path).signatures[0].graph
    tree = lines_out(graph)
    bare = parse(graph.text, OPS, {})
    assert [node.loc for node in nodes(with_lines(bare, tree))] == [node.loc for node in nodes(graph)]
    for change in (
        {"nodes": tree["nodes"][1:]},
        {"nodes": [*tree["nodes"], 0]},
        {"files": []},
        {"nodes": [[-1, 1, 0]]},
    ):
        with pytest.raises((ValueError, LookupError)):
            with_lines(bare, {**tree, **change})
