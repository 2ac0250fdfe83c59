"""What makes a site of the pages: links that leave docs/, and the pages that are made from the source.

mkdocs calls these functions by their names; `strict: true` makes an error of each warning that they log.
"""

from __future__ import annotations

import logging
import posixpath
import re
import sys
from collections.abc import Iterator, MutableMapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from hybridize.base.progress import showing

sys.path.insert(0, str(Path(__file__).parent))

import demo
import reference
import source

LOG = logging.getLogger("mkdocs.plugins.hybridize")
ROOT = Path(__file__).parents[2]
ERRORS = "hybridize/tools/errors"
"""The folder of the pages of errors, in the package."""
BOOST = {
    "errors/": 0.7,
    "decisions/": 0.1,
    "internals/": 0.4,
    "history.md": 0.3,
    "benchmarks.md": 0.2,
    "compatibility.md": 0.5,
    "reference/": 1.5,
    "": 3.0,
}
"""How much the search favours the pages of a folder: users look for guides, tutorials and names first."""
LINK = re.compile(r"(?<!\\)(\]\()([^)\s#]+)(#[^)\s]*)?(?=[\s)])")


_PAGES: dict[str, Any] = {}
"""While a site is made: what shows how far that is, and how many pages are read or written."""


def on_pre_build(config: MkDocsConfig) -> None:
    """Show on a terminal how far the site is."""
    stack = ExitStack()
    _PAGES.update(stack=stack, shown=stack.enter_context(showing("making the site")), done=0, of=0)
    _PAGES["shown"].say("reference and demo")


def _count(what: str) -> None:
    _PAGES["done"] += 1
    _PAGES["shown"].say(what, _PAGES["done"], _PAGES["of"])


def on_post_build(config: MkDocsConfig) -> None:
    """Take the line away."""
    _PAGES["stack"].close()


def on_build_error(error: Exception) -> None:
    """Take the line away."""
    _PAGES["stack"].close()


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made from the source, source files that pages link to, and the model of the demo."""
    made = reference.made()
    for complaint in made.complaints():
        LOG.warning("the reference: %s", complaint)
    for name, content in made.pages():
        files.append(File.generated(config, name, content=content))
    section = next(part["Reference"] for part in config.nav or () if "Reference" in part)
    section[1:1] = [{"API": made.nav()}]
    paths = {path for file in files.documentation_pages() for path in _outside(file.src_uri, file.content_string)}
    for name, content in source.pages(ROOT, sorted(paths)):
        files.append(File.generated(config, name, content=content))
    for file in sorted((ROOT / ERRORS).glob("*.md")):
        files.append(File.generated(config, f"errors/{file.name}", content=file.read_text(encoding="utf-8")))
    for path in demo.build(ROOT, ROOT / "build" / "demo"):
        files.append(File.generated(config, f"demo/{path.name}", abs_src_path=str(path)))
    _PAGES["of"] = 2 * len(files.documentation_pages())
    return files


def _outside(page: str, text: str) -> Iterator[str]:
    """Yield the paths in the repository, outside of docs/, that a page links to."""
    for _, target, _ in LINK.findall(text):
        path = _path(page, target)
        if path is not None:
            yield path


def _path(page: str, target: str) -> str | None:
    """Return the path in the repository of what a page links to, if it is a file outside of docs/ that is there."""
    path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), target))
    if _is_page_of_error(path):
        return None
    is_outside = "://" not in target and not path.startswith(("docs/", "..")) and (ROOT / path).exists()
    return path if is_outside else None


def _is_page_of_error(path: str) -> bool:
    """Tell whether a path is the page of a code, which lies in the package."""
    return posixpath.dirname(path) == ERRORS and (ROOT / path).exists()


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links to files outside of docs/ lead to pages that show them, and weight the page for the search."""
    here = page.file.src_uri
    _count("reading pages")
    boost = next(factor for folder, factor in BOOST.items() if here.startswith(folder))
    page.meta.setdefault("search", {}).setdefault("boost", boost)

    def led(match: re.Match[str]) -> str:
        named = posixpath.normpath(posixpath.join("docs", posixpath.dirname(here), match.group(2)))
        if _is_page_of_error(named):
            shown = posixpath.relpath(f"errors/{posixpath.basename(named)}", posixpath.dirname(here))
            return f"{match.group(1)}{shown}{match.group(3) or ''}"
        path = _path(here, match.group(2))
        if path is None:
            return match.group(0)
        shown = posixpath.relpath(source.page_of(path), posixpath.dirname(here))
        return f"{match.group(1)}{shown}{match.group(3) or ''}"

    return LINK.sub(led, markdown)


def on_page_context(context: MutableMapping[str, Any], page: Page, config: MkDocsConfig, nav: Any) -> None:
    """Show no button that leads to a repository."""
    _count("writing pages")
    page.edit_url = None
