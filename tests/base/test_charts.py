"""Curves as SVG: sound XML, points in their places, gaps, round numbers at the axes."""

import math
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridize.base.charts import ABOVE, BELOW, HIGH, LEFT, RIGHT, WIDTH, drawn, ticks

SVG = "{http://www.w3.org/2000/svg}"
NUMBERS = st.floats(-1e6, 1e6)


def curves(picture):
    """The pieces of the curves: lists of points, in the order of the drawing."""
    paths = [one.get("d") for one in ET.fromstring(picture).iter(f"{SVG}path") if one.get("fill") == "none"]
    pieces = [re.findall(r"([\d.-]+),([\d.-]+)", piece) for path in paths for piece in path.split("M")[1:]]
    return [[(float(x), float(y)) for x, y in piece] for piece in pieces]


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=30))
def test_points_lie_within_the_panel(points):
    for piece in curves(drawn({"loss": {"": points}})):
        for x, y in piece:
            assert LEFT <= x <= WIDTH - RIGHT
            assert ABOVE <= y <= HIGH - BELOW


def test_a_greater_value_stands_higher_and_a_later_one_to_the_right():
    ((first, second, third),) = curves(drawn({"loss": {"": [(1, 3.0), (2, 1.0), (3, 2.0)]}}))
    assert first[0] < second[0] < third[0]
    assert first[1] < third[1] < second[1]
    assert third[0] - second[0] == pytest.approx(second[0] - first[0], abs=0.2)


def test_what_is_not_finite_is_a_gap_and_a_lone_point_a_dot():
    picture = drawn({"loss": {"": [(1, 1.0), (2, 2.0), (3, math.nan), (4, 1.0), (5, math.inf), (6, 2.0), (7, 3.0)]}})
    assert [len(piece) for piece in curves(picture)] == [2, 1, 2]
    assert len([*ET.fromstring(picture).iter(f"{SVG}circle")]) == 1


@given(NUMBERS, st.floats(1e-6, 1e6))
def test_ticks_are_few_and_within(low, width):
    high = low + width
    found = ticks(low, high)
    assert 2 <= len(found) <= 9
    slack = 1e-6 * width + 2 * math.ulp(max(abs(low), abs(high)))
    assert all(low - slack <= one <= high + slack for one in found)


def test_panels_stand_below_each_other_and_text_is_escaped():
    picture = drawn({"a < b": {"training": [(0, 1)], "validation": [(0, 2)]}, "rate": {"": [(0, 3)]}}, "epoch")
    root = ET.fromstring(picture)
    assert float(root.get("height")) == 2 * HIGH
    texts = ["".join(one.itertext()) for one in root.iter(f"{SVG}text")]
    assert {"a < b", "training", "validation", "rate", "epoch"} <= {*texts}
    assert root.find(f"{SVG}title").text == "training a < b: 1; validation a < b: 2; rate: 3"
    assert ET.fromstring(drawn({})).tag == f"{SVG}svg"
