"""The site as `make site` builds it, in a browser: its weight, its accessibility, and the live demo."""

import functools
import http.server
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy
import pytest

ROOT = Path(__file__).parents[2]
MKDOCS = Path(os.environ.get("HYBRIDIZE_MKDOCS", ROOT / ".site" / "bin" / "mkdocs"))
AXE = "axe-core@4"
PAGES = ["index.html", "tutorials/lenet.html", "demo.html"]
OTHERS = """performance.getEntriesByType("resource").map(({ name }) => name)
  .filter((name) => !name.startsWith(location.origin) && !name.startsWith("data:"))"""
DRAW = """
(() => {
  const { left, top, width } = board.getBoundingClientRect();
  return Array.from({ length: 40 }, (_, k) => [
    left + width * (0.5 + 0.2 * Math.cos((k / 39) * 2 * Math.PI)),
    top + width * (0.5 + 0.3 * Math.sin((k / 39) * 2 * Math.PI)),
  ]);
})()
"""
SEEN = (
    "[...document.getElementById('seen').getContext('2d').getImageData(0, 0, 8, 8).data].filter((_, k) => k % 4 === 0)"
)
SCORES = "[...document.querySelectorAll('#bars data')].map((one) => Number(one.value))"
VERDICT = "document.getElementById('verdict').textContent"

pytestmark = pytest.mark.long


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The address of the site, and its folder."""
    if not MKDOCS.is_file():
        pytest.fail("the site's tools are not here: run make .site/.installed")
    folder = tmp_path_factory.mktemp("site")
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    subprocess.run([MKDOCS, "build", "--site-dir", folder], cwd=ROOT, env=environment, check=True)  # strict
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", folder
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def axe(tmp_path_factory, system):
    """The text of axe-core, from npm."""
    system("npm")
    folder = tmp_path_factory.mktemp("axe")
    (folder / "package.json").write_text("{}")
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", AXE], cwd=folder, check=True)
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text()


@pytest.fixture
def browser(tmp_path, system):
    system("chromium")
    spec = importlib.util.spec_from_file_location("browser", Path(__file__).with_name("browser.py"))
    driver = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(driver)
    with driver.Chromium(shutil.which("chromium"), tmp_path / "profile") as one:
        yield one


def open_page(browser, address):
    """Open a page, and wait until its scripts are done."""
    browser.open(address)
    browser.wait("document.readyState === 'complete' && document.querySelector('.md-search[aria-label]') !== null")
    browser.wait("(document.getElementById('demo')?.dataset.ready ?? 'yes') === 'yes'")


def test_the_home_page_is_light_and_asks_nobody_else(site, browser):
    address, _ = site
    open_page(browser, f"{address}/index.html")
    size = "performance.getEntries().reduce((sum, { decodedBodySize }) => sum + (decodedBodySize ?? 0), 0)"
    assert 50_000 < browser.evaluate(size) <= 500_000
    assert browser.evaluate(OTHERS) == []
    # The search's index comes when somebody searches, and then the search finds.
    browser.evaluate("document.querySelector('.md-search__input').focus()")
    browser.evaluate(
        "{ const input = document.querySelector('.md-search__input'); input.value = 'winograd';"
        " input.dispatchEvent(new Event('keyup')); }"
    )
    browser.wait("document.querySelectorAll('.md-search-result__item').length > 0")


QUERIES = {
    "install": "index.html",
    "E401": "errors/E401.html",
    "shapes do not broadcast": "errors/E101.html",
    "recompile": "tutorials/compiled-again.html",
    "optimizer": "reference/optimizer/index.html",
}
FIRST = "document.querySelector('.md-search-result__item a')?.getAttribute('href') ?? ''"


@pytest.mark.parametrize("query", QUERIES)
def test_the_search_lists_what_users_look_for_first(site, browser, query):
    open_page(browser, f"{site[0]}/index.html")
    browser.evaluate("document.querySelector('.md-search__input').focus()")
    browser.evaluate(
        "{ const input = document.querySelector('.md-search__input');"
        f" input.value = {json.dumps(query)}; input.dispatchEvent(new Event('keyup')); }}"
    )
    browser.wait(f"({FIRST}).includes({json.dumps(QUERIES[query])})", seconds=20)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", PAGES)
def test_pages_are_accessible_and_fit(site, axe, browser, page, scheme):
    browser.scheme(scheme)
    for width in (1280, 400):
        browser.resize(width, 900)
        open_page(browser, f"{site[0]}/{page}")
        assert browser.evaluate("document.body.dataset.mdColorScheme") == {"light": "default", "dark": "slate"}[scheme]
        assert browser.evaluate("document.documentElement.scrollWidth") <= width
        browser.evaluate(axe)
        faults = (
            "axe.run().then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => [id, nodes[0].html])))"
        )
        assert json.loads(browser.evaluate(faults)) == [], width
        assert browser.evaluate(OTHERS) == []


def test_the_demo_reads_what_is_drawn_as_python_does(site, browser, tmp_path):
    browser.resize(1280, 1000)
    open_page(browser, f"{site[0]}/demo.html")
    first, *others = browser.evaluate(DRAW)
    browser.mouse("mousePressed", *first, button="left", buttons=1, clickCount=1)
    for at in others:
        browser.mouse("mouseMoved", *at, button="left", buttons=1)
    browser.mouse("mouseReleased", *others[-1], button="left", clickCount=1)
    browser.wait(f"({VERDICT}).startsWith('It reads 0')", seconds=20)  # it reads when the page is drawn next
    ink = numpy.round((255 - numpy.array(browser.evaluate(SEEN))) / 238 * 16) / 16
    model = tmp_path / "demo"
    shutil.copytree(ROOT / "build" / "demo", model)
    numpy.save(model / "ink.npy", ink.astype("f4").reshape(1, 8, 8, 1))
    program = "import numpy; from classifier import classify, np; print(*classify(np.array(numpy.load('ink.npy')))[0])"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=model, env=environment, capture_output=True, text=True, check=True
    )
    numpy.testing.assert_allclose(browser.evaluate(SCORES), numpy.array(done.stdout.split(), "f8"), atol=1e-5)


def test_the_demo_works_by_keyboard(site, browser):
    open_page(browser, f"{site[0]}/demo.html")
    browser.evaluate("board.focus()")
    keys = [" ", *["ArrowDown"] * 14, " "]
    for key in keys:
        browser.ask("Input.dispatchKeyEvent", type="keyDown", key=key)
        browser.ask("Input.dispatchKeyEvent", type="keyUp", key=key)
    assert browser.evaluate(VERDICT).startswith("It reads 1")
    browser.ask("Input.dispatchKeyEvent", type="keyDown", key="Delete")
    assert browser.evaluate(VERDICT) == "Draw a digit."
    browser.evaluate("document.getElementById('sample').click()")
    assert browser.evaluate(VERDICT).endswith("Test image 1 is a 4.")
