"""The reports in the guide are what the package says today: what does not depend on the machine is compared."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def maker():
    spec = importlib.util.spec_from_file_location("explained", DOCS / "explained.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def passes(text):
    """The table of passes."""
    return text.partition("  passes\n")[2].partition("\n\n")[0]


@pytest.mark.parametrize("name", ["net", "function"])
def test_the_guide_shows_what_passes_do(name):
    page = maker().PAGE.read_text(encoding="utf-8")
    shown = page.partition(f"<!-- {name} -->")[2].partition(f"<!-- end of {name} -->")[0]
    fresh = str(maker().REPORTS[name]())
    assert passes(shown) == passes(fresh) != "", "run `python docs/explained.py`"


def test_reports_name_no_place_of_this_machine():
    for make in maker().REPORTS.values():
        conditions = " ".join(" ".join(text.split()) for text in make().valid)
        assert "is function" in conditions or "is module hybridize.array.npx" in conditions
        assert " at 0x" not in conditions
        assert "/" not in conditions.replace("docs/explained.py", "")
