"""The pages of the errors say what the source says."""

import importlib.util
import re
from pathlib import Path

PAGES = Path(__file__).parents[2] / "docs" / "errors"


def maker():
    spec = importlib.util.spec_from_file_location("make_catalogue", PAGES / "make_catalogue.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_code_has_its_entry():
    """Codes only: the wording may move without a new page; run docs/errors/make_catalogue.py when this fails."""
    written = set(re.findall(r"^## (E\d{3})$", (PAGES / "catalogue.md").read_text(), re.MULTILINE))
    assert {code for code, *_ in maker().raised()} == written


def test_a_code_means_one_class():
    classes = {}
    for code, name, *_ in maker().raised():
        classes.setdefault(code, set()).add(name)
    assert {code: names for code, names in classes.items() if len(names) > 1} == {}


def test_the_first_digit_is_the_class():
    families = {
        "1": {"ShapeError", "OutOfBoundsError"},
        "2": {"DTypeError"},
        "3": {"ArgumentError"},
        "4": {"CaptureError"},
        "5": {"StateError", "DeferredInitializationError"},
        "6": {"LoadError"},
        "7": {"DeviceError"},
        "8": {"VerificationError"},
        "9": {"InternalError", "GraphError", "CodegenError"},
    }
    wrong = {(code, name) for code, name, *_ in maker().raised() if name not in families.get(code[1], set())}
    assert wrong == set()
