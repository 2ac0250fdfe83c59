# SPDX-License-Identifier: Apache-2.0
"""Objects of CPython and NumPy that lie otherwise than expected: each offset is proven before any program relies on it."""

import numpy
import pytest

from hybridize import hybridize, np
from hybridize.runtime import cpython, entry

OFFSETS = (
    "OB_TYPE", "ARRAY_DATA", "ARRAY_NDIM", "ARRAY_DIMS", "ARRAY_DESCR", "ARRAY_FLAGS", "FLOAT_VALUE", "CELL_CONTENTS",
    "DICT_USED", "LIST_ITEMS", "SEQUENCE_SIZE", "TUPLE_ITEMS",
)  # fmt: skip
ELSEWHERE = (-16, -8, -4, 4, 8, 16)


@pytest.fixture
def anew():
    """Let what was proven be asked again, and after the test once more."""

    def forget():
        for one in (cpython.supported, cpython.has_versions, cpython._items_supported):
            one.cache_clear()

    forget()
    yield
    forget()


def offsets():
    """Names and values of all that is an offset in an object."""
    return {
        name for name, value in vars(cpython).items()
        if name.isupper() and type(value) is int and name not in ("HEAD", "USABLE", "DICT_VERSION")
        and not name.startswith(("_", "MEMBER"))
    }  # fmt: skip


def test_each_offset_is_planted():
    assert offsets() == {*OFFSETS}


@pytest.mark.parametrize("name", OFFSETS)
def test_an_offset_that_is_not_right(name, monkeypatch, anew):
    """The entry is not used, and nothing is read that could end the process."""
    right = getattr(cpython, name)
    for difference in ELSEWHERE:
        if right + difference >= 0:
            monkeypatch.setattr(cpython, name, right + difference)
            cpython.supported.cache_clear()
            cpython._items_supported.cache_clear()
            assert not cpython.supported(), difference
    monkeypatch.setattr(cpython, name, right)
    cpython.supported.cache_clear()
    cpython._items_supported.cache_clear()
    assert cpython.supported()


@pytest.mark.parametrize("name", cpython.FUNCTION_WORDS)
def test_a_word_of_functions_that_is_not_there(name, monkeypatch, anew):
    for difference in (-8, 8):
        monkeypatch.setitem(cpython.FUNCTION_WORDS, name, cpython.FUNCTION_WORDS[name] + difference)
        cpython.supported.cache_clear()
        assert not cpython.supported()
        monkeypatch.undo()


@pytest.mark.parametrize(("name", "other"), [("HEAD", 32), ("_ABI", 3), ("_API_ARRAY_TYPE", 3)])
def test_other_heads_and_another_numpy(name, other, monkeypatch, anew):
    monkeypatch.setattr(cpython, name, other)
    assert not cpython.supported()


@pytest.mark.parametrize(("name", "other"), [("HEAD", 32), ("MEMBER", 32), ("MEMBER", 24), ("MEMBER_OFFSET", 8)])
def test_a_slot_that_cannot_be_proven(name, other, monkeypatch, anew):
    assert cpython.member_offset(entry.EntryTable, "table") is not None
    monkeypatch.setattr(cpython, name, other)
    assert cpython.member_offset(entry.EntryTable, "table") is None


def test_dicts_with_no_version_where_it_is_looked_for(monkeypatch, anew):
    monkeypatch.setattr(cpython, "DICT_VERSION", cpython.DICT_USED)
    assert not cpython.has_versions()


@pytest.mark.parametrize("name", ["ARRAY_DIMS", "LIST_ITEMS", "HEAD"])
def test_programs_run_all_the_same(name, monkeypatch, anew):
    """Python takes the calls that the entry would take: with changes outside, lists, numbers and other sizes."""
    monkeypatch.setattr(cpython, name, getattr(cpython, name) + 8)
    factor, weights = [2.0], [float(number) for number in range(40)]

    @hybridize
    def weighted(x, number=1.0, others=()):
        return (x * factor[0] + number + sum(weights)).sum(), [x + other for other in others]

    for call in range(6):
        factor[0], weights[3] = float(call // 2), float(call % 3)
        x = numpy.arange(3 + call % 2, dtype="float32")
        total, (moved,) = weighted(np.array(x), float(call), (np.array(x),))
        assert total.item() == pytest.approx((x * factor[0] + call + sum(weights)).sum(), rel=1e-6)
        numpy.testing.assert_array_equal(moved.asnumpy(), 2 * x)
    assert not cpython.supported()
