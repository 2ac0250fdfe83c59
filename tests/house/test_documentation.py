"""The pages that are made from the source say what the source says."""

import html
import importlib.util
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hybridize.array import methods

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def maker():
    spec = importlib.util.spec_from_file_location("make", DOCS / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_index_of_errors_is_that_of_the_pages():
    make = maker()
    assert (DOCS / "errors" / "catalogue.md").read_text() == make.catalogue(), "run `make docs`"
    assert (DOCS / "errors" / "mistakes.md").read_text() == make.mistakes(), "run `make docs`"


def test_a_code_means_one_class():
    classes = {}
    for code, name in maker().raised():
        classes.setdefault(code, set()).add(name)
    assert {code: names for code, names in classes.items() if len(names) > 1} == {}


def test_the_first_digit_is_the_class():
    families = {
        "1": {
            "ShapeError",
            "KeyShapeError",
            "MatrixShapeError",
            "OutOfBoundsError",
            "AxisError",
        },
        "2": {"DTypeError", "KeyTypeError"},
        "3": {
            "ArgumentError",
            "MissingConstantError",
            "MissingNameError",
            "UndefinedError",
            "UnsupportedError",
            "ValueArgumentError",
            "WriteError",
        },
        "4": {"CaptureError", "UntypedError", "UnusedError"},
        "5": {
            "AssertionFailed",
            "Lacking",
            "StateError",
            "UninitializedError",
            "StaleGradientError",
            "DeferredInitializationError",
            "LinAlgError",
            "ScheduledError",
        },
        "6": {"LoadError", "ReadError", "ContentError"},
        "7": {"DeviceError", "DeviceMemoryError", "PlacementError"},
        "8": {"VerificationError"},
        "9": {"InternalError", "GraphError", "CodegenError"},
    }
    wrong = {(code, name) for code, name in maker().raised() if name not in families.get(code[1], set())}
    assert wrong == set()


def test_every_operator_of_pytorch_is_on_its_page():
    page = (DOCS / "guide" / "pytorch.md").read_text()
    make = maker()
    assert make.with_part(page, make.OPERATORS, make.operators()) == page, "run `make docs`"


def test_the_demo_has_the_figures_that_are_stored():
    make, page = maker(), (DOCS / "demo.md").read_text()
    assert make.with_part(page, make.WEB, make.web()) == page, "run `make docs`"


def test_charts_are_those_of_the_tables():
    drawn = maker().charts.charts()
    assert {path.name for path in (DOCS / "charts").iterdir()} == drawn.keys()
    for name, text in drawn.items():
        assert (DOCS / "charts" / name).read_text() == text, "run `make docs`"


def test_the_picture_of_the_doors_is_made_from_its_table():
    road = maker().road
    for name, text in road.pictures().items():
        assert (DOCS / name).read_text() == text, "run `make docs`"
        assert all(html.escape(code) in text for _, code in (*road.DOORS_IN, *road.DOORS_OUT))


def test_the_pictures_of_a_device_are_made_from_their_tables_and_name_files():
    pictures = maker().device_pictures
    for name, text in pictures.pictures().items():
        assert (DOCS / name).read_text() == text, "run `make docs`"
    named = [ROOT / "hybridize" / file for _, boxes in pictures.ROAD for _, _, file in boxes]
    assert [file for file in named if not (file.is_dir() or file.with_suffix(".py").is_file())] == []


def test_printed_steps_of_a_device_are_those_of_the_goldens():
    goldens = [path.read_text().split() for path in (ROOT / "tests" / "schedule" / "goldens" / "device").glob("*.txt")]
    page = (DOCS / "internals" / "devices.md").read_text()
    printed = re.findall(r"```text\n((?:kernel\(|routine:).*?)```", page, re.DOTALL)
    assert len(printed) == 2
    assert [step for step in printed if not any(" ".join(step.split()) in " ".join(one) for one in goldens)] == []


def test_a_chart_shows_what_the_table_says_and_where_we_lose():
    charts = maker().charts
    bars = {bar.label: bar for bar in charts.ratios("Goals of training", "found")}
    assert bars["train-64, beside JAX jit"].value == 0.65
    assert bars["train-64, beside JAX jit"].kind == "ours"
    slower = bars["train-64, imperative, beside PyTorch eager"]
    assert (slower.value, slower.must, slower.kind) == (1.05, 1.2, "missed")
    assert charts.times("mlp-1: 512-256-128-2, ReLU, float32, one thread")[0].shown == "3.53 µs"


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))], ids=lambda page: str(page.relative_to(ROOT))
)
def test_links_lead_somewhere(page):
    targets = re.findall(r"\]\(([^)#\s]+)", page.read_text())
    broken = [target for target in targets if "://" not in target and not (page.parent / target).exists()]
    assert broken == [], "there are no such files beside the page"


def test_every_decision_is_in_the_index():
    index = (DOCS / "decisions" / "README.md").read_text()
    pages = [page.name for page in (DOCS / "decisions").glob("0*.md")]
    assert [name for name in pages if f"]({name})" not in index] == [], "add a row to docs/decisions/README.md"
    assert len({name[:4] for name in pages}) == len(pages), "two decisions with one number"


@pytest.mark.parametrize("folder", ["internals", "guide"])
def test_every_page_is_linked_from_its_index(folder):
    index = (DOCS / folder / "README.md").read_text()
    pages = {page.name for page in (DOCS / folder).glob("*.md")} - {"README.md"}
    assert {name for name in pages if f"]({name})" not in index} == set(), f"link them from docs/{folder}/README.md"
    site = (ROOT / "mkdocs.yml").read_text()
    assert {name for name in pages if f" {folder}/{name}\n" not in site} == set(), "name them under nav in mkdocs.yml"


@pytest.mark.parametrize("page", sorted((DOCS / "internals").glob("*.md")), ids=lambda page: page.name)
def test_files_that_pages_name_exist(page):
    """A name alone is that of some file; with folders it is a path within the repository or the package."""
    kept = [
        path
        for folder in ("hybridize", "tests", "benchmarks", "examples", "docs")
        for path in (ROOT / folder).rglob("*")
    ]
    known = {
        "/".join(path.relative_to(ROOT).parts[k:]) for path in kept for k in range(len(path.relative_to(ROOT).parts))
    }
    named = re.findall(r"`([\w/.]+\.(?:py|c|mjs|json))`", page.read_text())
    assert [name for name in named if name not in known] == []


def test_stubs_are_those_of_the_tables():
    stubs = maker().stubs()
    assert ROOT / "hybridize/array/np.pyi" in stubs
    for path, text in stubs.items():
        assert path.read_text(encoding="utf-8") == text, "run `make docs`"


def test_every_name_of_a_table_is_there():
    for path in maker().stubs():
        module = importlib.import_module(
            ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        )
        for name in getattr(module, "PLACES", ()):
            assert getattr(module, name, module) is not module, (path, name)


def test_a_method_is_the_function_of_its_name():
    for name in methods._OF_NUMPY.split():
        function = getattr(methods.functions, name)
        assert inspect.unwrap(getattr(methods.Methods, name)) is inspect.unwrap(function), name
    for name in methods._OF_MXNET.split():
        assert callable(getattr(methods.Methods, name)), name


def test_no_late_name_is_hidden_by_a_module():
    """A module, once imported, stands in its package under its own name."""
    for path in maker().stubs():
        if path.name == "__init__.pyi":
            package = ".".join(path.relative_to(ROOT).parts[:-1])
            module = importlib.import_module(package)
            for name in {one.stem for one in path.parent.glob("*.py")} & getattr(module, "PLACES", {}).keys():
                importlib.import_module(f"{package}.{name}")
                home, _, attribute = module.PLACES[name].partition(":")
                value = importlib.import_module(home)
                assert getattr(module, name) is (getattr(value, attribute) if attribute else value), name


def test_a_method_has_the_text_of_its_function():
    """Also where `help(x.sum)` comes before any use of `np.sum`, whose text is put there when it is looked up."""
    program = "from hybridize.array.ndarray import ndarray\nprint(ndarray.sum.__doc__ or '')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ">>>" in done.stdout
