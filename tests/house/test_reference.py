"""The reference of public names: each has a docstring with an example that runs, and the pages have all of them."""

import doctest
import functools
import importlib.util
import inspect
import re
import sys
from dataclasses import replace
from pathlib import Path

from hybridize import autograd, gluon, hybridize, nd, np, npx, sym
from hybridize.base.version import VERSION

ROOT = Path(__file__).parents[2]
SITE, CHANGELOG = ROOT / "docs" / "site", ROOT / "CHANGELOG.md"
NOT_HERE = tuple(name for name in ("jax", "tensorflow") if importlib.util.find_spec(name) is None)
"""Libraries with an environment of their own: the doors to them are tried there."""
GLOBALS = {
    "autograd": autograd, "gluon": gluon, "hybridize": hybridize, "nd": nd, "np": np, "npx": npx, "sym": sym,
}  # fmt: skip
"""What the reference says that examples begin with (`reference.Reference._modules`)."""


def loaded(name):
    """A module of docs/site, which is no package."""
    if name not in sys.modules:
        sys.path.insert(0, str(SITE))
        try:
            spec = importlib.util.spec_from_file_location(name, SITE / f"{name}.py")
            sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules[name])
        finally:
            sys.path.remove(str(SITE))
    return sys.modules[name]


public, since, reference = loaded("public"), loaded("since"), loaded("reference")


def examples():
    """The docstrings with examples, each with the first name that has it; NumPy's own are NumPy's to run."""
    every = [one for name in public.names() for one in (name, *name.members)]
    own = [one for one in every if not one.module.startswith(NOT_HERE) and not _of_numpy(one)]
    return {one.text: one for one in reversed(own) if ">>>" in one.text}


@functools.cache
def of_module(name):
    """The docstrings that `doctest` finds in a module, of which tests/house/test_doctests.py runs the examples."""
    file = getattr(sys.modules.get(name), "__file__", None)
    if not name.startswith("hybridize") or file is None or ">>>" not in Path(file).read_text(encoding="utf-8"):
        return set()
    return {inspect.cleandoc(one.docstring) for one in doctest.DocTestFinder().find(sys.modules[name])}


def _of_numpy(one):
    return str(getattr(one.value, "__module__", "")).startswith("numpy")


def test_every_example_runs(folder_of_examples):
    """Those of functions that tables make, and of methods that are put into classes: no module has their text."""
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    parser, output = doctest.DocTestParser(), []
    rest = {
        text: one
        for text, one in examples().items()
        if inspect.cleandoc(text) not in of_module(getattr(one.value, "__module__", ""))
    }
    assert len(rest) > 100
    for text, one in rest.items():
        runner.run(parser.get_doctest(text, {**GLOBALS}, one.full, None, None), out=output.append)
    assert not output, "".join(output)


def test_every_name_is_documented():
    assert public.lacking() == {}, "docs/internals/writing.md, Docstrings: a text, and an example that uses the name"


def test_the_check_names_what_is_missing():
    one = public.Name("np", "f", lambda: None, "Return nothing.\n\n>>> g()", "()", "function", "x.py", 1)
    assert one.lacks() == ["example"], "the example does not use the name"
    assert replace(one, text="").lacks() == ["text", "example"]
    assert replace(one, text="Return nothing.\n\n>>> f()").lacks() == []
    pages = reference.Reference([*public.names()[:20], one])
    pages._page_of.pop("np.f")
    assert pages.complaints()[:1] == ["np.f has no page"]


def test_data_of_classes_have_their_own_text():
    """Python gives an int or a bool the docstring of its class, which says nothing of this one."""
    members = {one.full: one for name in public.names() for one in name.members}
    assert members["gluon.probability.Distribution.has_grad"].text.startswith("True if samples have gradients")
    assert members["gluon.probability.Multinomial.event_dim"].text.startswith("The number of last axes")
    assert "gluon.probability.Normal.has_grad" not in members, "says what Distribution.has_grad does"
    texts = {kind.__doc__ for kind in (bool, int, float, str, tuple, list, dict)}
    assert [full for full, one in members.items() if one.text and one.text in texts] == []


def test_members_that_are_chosen_of_a_class_are_there():
    members = {name.full: {one.word.rpartition(".")[2] for one in name.members} for name in public.names()}
    chosen = {full: {*words.split()} for full, words in public.CHOSEN.items() if full in members}
    assert chosen and {full: words - members[full] for full, words in chosen.items() if words - members[full]} == {}


def test_names_that_are_imported_for_the_inside_do_not_count():
    words = {name.word for name in public.names()}
    assert words.isdisjoint({"Any", "Sequence", "annotations", "late", "places", "PLACES", "absent", "load_module"})


def test_no_attribute_has_the_text_of_its_type():
    texts = {one.full: one.text for name in public.names() for one in name.members}
    others = {inspect.getdoc(kind) for kind in (bool, dict, float, int, str, tuple)}
    assert [full for full, text in texts.items() if text in others] == []
    assert texts["io.DataIter.provide_data"] == "A `DataDesc` for each array of a batch."
    assert "onnx.ExecutionMode.ORT_PARALLEL" not in texts, "the class's docstring tells of it"


def test_pages_have_every_name_once():
    made = reference.made()
    pages = dict(made.pages())
    anchors = {page: re.findall(r'\{ #([\w.]+) \}|<a id="([\w.]+)">', text) for page, text in pages.items()}
    for page, text in anchors.items():
        listed = [one or other for one, other in text]
        assert len(listed) == len({*listed}), page
        assert all(made._page_of[full] == page for full in listed)
    assert {one or other for text in anchors.values() for one, other in text} == {*made._page_of}
    assert {*made._page_of} >= {"np.sum", "np.ndarray.reshape", "gluon.Block.forward", "nd.linalg.gemm", "sym.var"}
    sources = {*re.findall(r"\((\S+)#L-\d+\)", pages["reference/np/reductions.md"])}
    assert "../../../hybridize/array/functions/reductions.py" in sources


def test_every_name_says_since_which_version():
    every = [one.full for name in public.names() for one in (name, *name.members)]
    assert since.LATER.keys() <= {*every}
    if f"\n## {since.FIRST} (" in CHANGELOG.read_text(encoding="utf-8"):
        assert since.NAMES.exists(), "the first release is made: `python docs/site/since.py` writes its names"
        undated = since.undated(every, since.NAMES.read_text(encoding="utf-8").split())
        assert not undated, f"since.LATER does not say which version these came with: {undated}"
    else:
        assert VERSION == since.FIRST, "before the first release every name is of this version"
        assert not since.LATER
    assert "\n\nSince 0.1.0 · [source](" in dict(reference.made().pages())["reference/np/reductions.md"]


def test_a_name_after_the_first_release_needs_an_entry():
    assert since.undated(["np.sum", "np.new"], ["np.sum"]) == ["np.new"]
    assert since.undated(["np.sum", "np.new"], ["np.sum"], {"np.new": "0.2.0"}) == []


def test_docstrings_as_markdown():
    made = reference.made()
    text = "Return *a* of x_y.\n\nArgs:\n    axis: the axis of\n        it.\n\nRaises:\n    ShapeError E102: no.\n\n>>> f()\n1"
    one = public.Name("np", "f", lambda: None, text, "()", "function", "x.py", 1)
    lines = "\n".join(made._text("reference/np/x.md", one))
    assert r"Return \*a\* of x\_y." in lines
    assert "**Args**\n\n- `axis`: the axis of\n  it." in lines
    assert "- ShapeError [E102](../../errors/E102.md): no." in lines
    assert lines.endswith("```pycon\n>>> f()\n1\n```")


def test_commands_have_their_options():
    page = reference.command_line()
    assert "| `--format -f` |" in page
    assert "hybridize compile [OPTIONS] MODULE:NAME\n" in page
    assert "hybridize doctor\n" in page
    assert "| `--write` |" in page.partition("## hybridize migrate")[2].partition("## ")[0]
    assert '"f32\\[1,512\\]"' in page
