"""Graphs drawn as SVG: sound XML, boxes below what they read and beside each other, lines from box to box."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridize.base.drawing import FAR, WIDEST, Box, Drawing

SVG = "{http://www.w3.org/2000/svg}"


def rectangles(drawing):
    """Left, top, right and bottom of each box, by its number."""
    root = ET.fromstring(drawing.svg())
    found = []
    for rect in root.iter(f"{SVG}rect"):
        x, y, width, height = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
        found.append((x, y, x + width, y + height))
    return found


def ends(drawing):
    """The first and the last point of each line."""
    root = ET.fromstring(drawing.svg())
    for path in root.findall(f"{SVG}path"):
        points = path.get("d").replace("M", " ").replace("C", " ").replace("L", " ").split()
        yield tuple(tuple(map(float, point.split(","))) for point in (points[0], points[-1]))


@st.composite
def drawings(draw):
    boxes = []
    for number in range(draw(st.integers(1, 14))):
        reads = draw(st.lists(st.integers(0, number - 1), max_size=3)) if number else []
        boxes.append(Box(("a" * draw(st.integers(1, 12)), "f32[2]"), tuple(reads)))
    return Drawing(tuple(boxes))


@given(drawings())
def test_boxes_do_not_overlap_and_stand_below_what_they_read(drawing):
    found = rectangles(drawing)
    assert len(found) == len(drawing.boxes)
    root = ET.fromstring(drawing.svg())
    width, height = float(root.get("width")), float(root.get("height"))
    for number, (left, top, right, bottom) in enumerate(found):
        assert 0 <= left < right <= width and 0 <= top < bottom <= height
        for other in found[:number]:
            assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
        for source in drawing.boxes[number].reads:
            assert found[source][3] < top
    lines = [*ends(drawing)]
    expected = []
    for number, box in enumerate(drawing.boxes):
        for source in dict.fromkeys(box.reads):
            start, end = found[source], found[number]
            expected.append((((start[0] + start[2]) / 2, start[3]), ((end[0] + end[2]) / 2, end[1])))
    assert len(lines) == len(expected)
    for one, other in zip(lines, expected, strict=True):
        assert [*one[0], *one[1]] == pytest.approx([*other[0], *other[1]], abs=0.2)


def test_a_chain_is_straight():
    """Boxes of different widths, one below the other."""
    boxes = tuple(Box(("x" * (number + 1),), (number - 1,) if number else ()) for number in range(6))
    middles = {round((left + right) / 2, 0) for left, _, right, _ in rectangles(Drawing(boxes))}
    assert len(middles) == 1


def test_lines_around_a_diamond_do_not_cross():
    drawing = Drawing((Box(("top",)), Box(("left",), (0,)), Box(("right",), (0,)), Box(("bottom",), (1, 2))))
    top, left, right, bottom = [(one[0] + one[2]) / 2 for one in rectangles(drawing)]
    assert left < top < right and top == pytest.approx(bottom, abs=0.2)
    assert top - left == pytest.approx(right - top, abs=3)


def test_what_is_far_above_is_named_and_not_drawn():
    chain = [Box((f"box {number}",), (number - 1,) if number else ()) for number in range(FAR + 2)]
    far = Drawing((*chain[:-1], Box(("last",), (FAR, 0))))
    assert "reads box 0" in far.svg()
    assert len(list(ends(far))) == FAR + 1


def test_wide_graphs_are_continued_below():
    """Sixty operations on one argument and their sums: as wide as a page, and read from its upper left corner."""
    boxes = [Box(("x",), kind="argument")]
    boxes += [Box((f"operation {number}", "f32[1024,1024]"), (0,)) for number in range(60)]
    boxes += [Box(("add",), (number, number + 1)) for number in range(1, 60, 2)]
    found = rectangles(Drawing(tuple(boxes)))
    assert max(right for _, _, right, _ in found) < 2 * WIDEST  # eight times in one layer
    assert found[0][0] < WIDEST
    for number, box in enumerate(boxes):
        assert all(found[source][3] < found[number][1] for source in box.reads)


def test_text_is_escaped():
    drawing = Drawing((Box(("<b>", "a & b"), tip='"quoted" <i>'),))
    texts = ["".join(one.itertext()) for one in ET.fromstring(drawing.svg()).iter(f"{SVG}text")]
    assert texts == ["<b>", "a & b"]


def test_nothing_is_a_picture_too():
    assert ET.fromstring(Drawing(()).svg()).tag == f"{SVG}svg"
