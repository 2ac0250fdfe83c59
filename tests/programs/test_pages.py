"""What notebooks show: reports, arrays and nets as HTML that is sound, and says what the text says."""

import xml.etree.ElementTree as ET

import numpy
import pytest

from hybridize import hybridize, np, npx
from hybridize.errors import WriteError
from hybridize.gluon import nn
from hybridize.graph.drawn import MOST, drawn
from tests.refusals import refusal


def parsed(page):
    """The page as XML: every element is closed, every attribute quoted."""
    return ET.fromstring(page)


def texts(page, tag):
    return ["".join(one.itertext()) for one in parsed(page).iter(tag)]


def boxes(page):
    """The text of the boxes of the drawing."""
    root = parsed(page)
    group = "{http://www.w3.org/2000/svg}g"
    return [[one.text for one in box.iter("{http://www.w3.org/2000/svg}text")] for box in root.iter(group)]


@pytest.fixture(scope="module")
def net():
    made = nn.HybridSequential()
    made.add(nn.Dense(4, activation="relu"), nn.BatchNorm(), nn.Dense(2))
    made.initialize()
    made.hybridize()
    made(np.ones((3, 5)))
    return made


def test_a_report_draws_the_graph_and_tells_all_that_the_text_tells(net):
    program = net.program(np.ones((3, 5)))
    report = program.explain()
    page = report._repr_html_()
    shown = "".join(parsed(page).itertext())
    for _, fact in report.facts:
        assert fact in shown
    for table in report.tables:
        assert table.title in shown
        for row in table.rows:
            assert all(cell in shown for cell in row)
    found = boxes(page)
    assert [box[0] for box in found] == ["data", *program.captured.op_names(), "result"]
    assert found[1] == ["FullyConnected", "f32[3,4]", "outside: f32[4,5]", "outside: f32[4]"], "parameters are in it"
    assert program._repr_html_() == page


def test_times_are_bars(net):
    x = np.ones((3, 5))
    report = net.program(x).explain(x, profile=True)
    page = report._repr_html_()
    widths = [one.get("style") for one in parsed(page).iter("span") if "display:block" in (one.get("style") or "")]
    assert len(widths) == len(report.kernels)
    assert f"{report.kernels[0].share:.0%}" in texts(page, "td")


def test_a_report_is_written_as_a_page(net, tmp_path):
    program = net.program(np.ones((3, 5)))
    report = program.explain(html=tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert report._repr_html_() in page
    assert 'name="color-scheme" content="light dark"' in page
    assert f"<title>{program.name}</title>" in page
    with refusal(WriteError, "nowhere"):
        program.explain(html=tmp_path / "nowhere" / "report.html")


def test_names_that_look_like_markup_are_text():
    def f(x):
        return x + 1

    fast = hybridize(f)
    fast(np.ones(3))
    fast.program(np.ones(3)).name = "<script>"
    assert "<script>" in "".join(parsed(fast.program(np.ones(3))._repr_html_()).itertext())


def test_the_numpy_backend_has_a_page_too():
    fast = hybridize(lambda x: npx.softmax(x), backend="numpy")
    fast(np.ones(3))
    assert ["softmax", "f32[3]"] in boxes(fast.program(np.ones(3))._repr_html_())


def test_control_flow_is_one_box():
    @hybridize
    def halve(x):
        while np.abs(x).max() > 1:
            x = x / 2
        return x, x.sum()

    halve(np.ones(3))
    found = boxes(halve.program(np.ones(3))._repr_html_())
    assert [box[0] for box in found if box[0].startswith("result")] == ["result 0", "result 1"]


def test_a_graph_that_nobody_could_look_at_is_not_drawn():
    def f(x):
        for function in [np.sin, np.cos] * (MOST // 2 + 1):
            x = function(x)
        return x

    fast = hybridize(f, backend="numpy")
    fast(np.ones(3))
    program = fast.program(np.ones(3))
    assert len(program.captured.nodes) > MOST
    assert drawn(program.captured) is None
    assert "<svg" not in program._repr_html_()


@pytest.mark.parametrize(
    ("array", "title", "cells"),
    [
        (np.array([1.0, 2.5]), "float32 2", ["1", "2.5"]),
        (np.array([[1, 2], [3, 4]], dtype="int32"), "int32 2 × 2", ["0", "1", "2", "1", "3", "4"]),
        (np.array([True, False], dtype="bool"), "bool 2", ["True", "False"]),
        (np.arange(20), "float32 20", ["0", "1", "2", "3", "…", "16", "17", "18", "19"]),
        (np.array(3.5), "float32 without axes", None),
        (np.zeros((0, 3)), "float32 0 × 3", None),
        (np.ones((2, 2, 2)), "float32 2 × 2 × 2", None),
        (np.array([1.5], dtype="bfloat16"), "bfloat16 1", ["1.5"]),
    ],
    ids=["vector", "matrix", "bools", "long", "scalar", "empty", "three-axes", "bfloat16"],
)
def test_arrays(array, title, cells):
    page = array._repr_html_()
    assert "".join(parsed(page)[0].itertext()) == title
    if cells is None:
        assert texts(page, "pre") == [numpy.array2string(array.asnumpy())]
    else:
        assert texts(page, "td") == cells


def test_large_matrices_show_their_edges():
    page = np.arange(10000).reshape(100, 100)._repr_html_()
    assert texts(page, "th") == ["", "0", "1", "2", "3", "…", "96", "97", "98", "99"]
    assert len(texts(page, "tr")) == 10
    assert texts(page, "td")[-1] == "9999"


def test_nets_are_trees():
    net = nn.HybridSequential()
    inner = nn.HybridSequential()
    inner.add(nn.Dense(4, activation="relu"), nn.Dropout(0.5))
    net.add(inner, nn.Dense(2, in_units=4))
    page = net._repr_html_()
    cells = texts(page, "td")
    rows = [cells[number : number + 4] for number in range(0, len(cells), 4)]
    assert [row[0].replace("\u2003", ">") for row in rows] == ["·", ">0", ">>0", ">>1", ">1"]
    assert rows[2][1:] == ["Dense(None -> 4, Activation(relu))", "weight 4 × ? float32, bias 4 float32", "?"]
    assert rows[4][3] == "10"
    assert "14 parameters, and 1 arrays whose shapes" in parsed(page)[0].text
    net.initialize()
    net.hybridize()
    net(np.ones((1, 3)))
    assert parsed(net._repr_html_())[0].text == "HybridSequential, hybridized: 26 parameters"
