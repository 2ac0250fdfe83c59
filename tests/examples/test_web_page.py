"""examples/deploy/web in a browser without a window: what the page shows is what the net gives in Python."""

import functools
import http.server
import importlib.util
import shutil
import threading
from pathlib import Path

import numpy
import pytest

import hybridize
from hybridize import np

HERE = Path(__file__).parent
DEPLOY = HERE.parents[1] / "examples" / "deploy"
OUTPUTS = "[...document.querySelectorAll('#bars output')].map((one) => Number(one.dataset.value))"
RANDOM = "{ let state = 1; Math.random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32; }"


def module(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


class Strict(http.server.SimpleHTTPRequestHandler):
    """Lets pages load from here alone, and evaluate no text."""

    POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src data:"

    def end_headers(self):
        self.send_header("Content-Security-Policy", self.POLICY)
        super().end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder as the server has it, and the net that is in it."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(DEPLOY / "web", folder / "web")
    (folder / "models").mkdir()
    hybridize.random.seed(0)
    net = module(DEPLOY / "make_models.py").make_mlp(folder / "models")
    net.export(str(folder / "models" / "mlp"), format="wasm")
    return folder, net


@pytest.fixture
def served(site, tmp_path):
    """`served()`: the address of the page, from a copy of the site whose files may be changed."""
    shutil.copytree(site[0], tmp_path / "site")
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Strict, directory=str(tmp_path / "site"))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield tmp_path / "site", f"http://127.0.0.1:{server.server_port}/web/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def page(tmp_path, system):
    system("chromium")
    with module(HERE / "browser.py").Chromium(shutil.which("chromium"), tmp_path / "profile") as browser:
        browser.scheme("light")
        browser.ask("Page.addScriptToEvaluateOnNewDocument", source=RANDOM)
        yield browser


def drawn(count):
    """The normal numbers that the page draws from `RANDOM`."""
    state, uniform = 1, []
    for _ in range(2 * count):
        state = (state * 1664525 + 1013904223) % 2**32
        uniform.append(state / 2**32)
    first, second = numpy.array(uniform).reshape(count, 2).T
    return (numpy.sqrt(-2 * numpy.log(1 - first)) * numpy.cos(2 * numpy.pi * second)).astype("f4")


def test_the_page_shows_what_the_net_gives(site, served, page):
    net, (folder, address) = site[1], served

    def close(x):
        with hybridize.disabled():
            expected = net(np.array(x[None])).asnumpy().ravel()
        numpy.testing.assert_allclose(page.evaluate(OUTPUTS), expected, rtol=1e-4, atol=1e-5)
        return expected

    page.open(address)
    page.wait("document.body?.dataset.measured === 'yes'")
    saved = numpy.load(folder / "models" / "mlp.input.npy")[0]
    expected = close(saved)
    shown = page.evaluate("[...document.querySelectorAll('#bars output')].map((one) => one.textContent)")
    assert [float(text.replace("−", "-")) for text in shown] == pytest.approx(expected.tolist(), abs=1e-5)
    assert "the same" in page.evaluate("document.getElementById('verdict').textContent")
    assert float(page.evaluate("document.getElementById('median').textContent")) > 0
    assert "float32 [n0, 512]" in page.evaluate("document.getElementById('facts').textContent")

    page.evaluate("document.getElementById('random').click()")
    x = drawn(512)
    close(x)
    assert "nothing is saved" in page.evaluate("document.getElementById('verdict').textContent")

    # Drawing over three cells of the fifth row.
    left, top, side = page.evaluate("(({x, y, width}) => [x, y, width / 32])(heat.getBoundingClientRect())")
    across = [(left + (column + 0.5) * side, top + 4.5 * side) for column in (6, 7, 8)]
    page.mouse("mousePressed", *across[0], button="left", buttons=1, clickCount=1)
    for at in across[1:]:
        page.mouse("mouseMoved", *at, button="left", buttons=1)
    page.mouse("mouseReleased", *across[-1], button="left", clickCount=1)
    x[4 * 32 + 6 : 4 * 32 + 9] = 3
    close(x)
    assert page.evaluate("document.getElementById('cell').textContent") == "data[0, 136] = 3.00"

    page.evaluate("document.getElementById('saved').click()")
    close(saved)
    assert page.messages == []


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (360, "dark"), (1280, "light"),
        pytest.param(360, "light", marks=pytest.mark.long), pytest.param(1280, "dark", marks=pytest.mark.long),
    ],
)  # fmt: skip
def test_the_page_fits_and_is_readable(served, page, scheme, width, tmp_path):
    page.scheme(scheme)
    page.resize(width, 900)
    page.open(served[1])
    page.wait("document.body?.dataset.measured === 'yes'")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.screenshot(tmp_path / "page.png")
    assert (tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")
    contrast = """
    (() => {
      const light = (text) => {
        const parts = text.match(/[\\d.]+/g).slice(0, 3).map((x) => x / 255);
        const [r, g, b] = parts.map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const ground = (node) => {
        for (; node; node = node.parentElement) {
          const { backgroundColor } = getComputedStyle(node);
          if (!/, 0\\)$|transparent/.test(backgroundColor)) return backgroundColor;
        }
      };
      const texts = [...document.querySelectorAll("body *")].filter((node) =>
        [...node.childNodes].some((one) => one.nodeType === 3 && one.data.trim()) && node.tagName !== "SCRIPT");
      return Math.min(...texts.map((node) => {
        const [x, y] = [light(getComputedStyle(node).color), light(ground(node))];
        return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
      }));
    })()
    """
    assert page.evaluate(contrast) >= 4.5, "WCAG's contrast for text"
    # The input is drawn in the colours of the scheme.
    corner = page.evaluate("[...heat.getContext('2d').getImageData(0, 0, heat.width, heat.height).data]")
    pixels = numpy.array(corner).reshape(-1, 4)
    brightness = pixels[pixels[:, 3] > 250, :3].mean()
    assert brightness > 150 if scheme == "light" else brightness < 110


def test_a_worker_runs_the_model(site, served, page):
    folder, address = served
    (folder / "web" / "worker.mjs").write_text(
        """
        import { load } from "../models/mlp.mjs";
        const model = await load();
        onmessage = ({ data }) => postMessage(model.run({ data }).output);
        postMessage("ready");
        """
    )
    page.open(address)
    page.wait("document.body?.dataset.measured === 'yes'")
    ask = """
    new Promise((resolve, reject) => {
      const worker = new Worker("worker.mjs", { type: "module" });
      worker.onerror = reject;
      worker.onmessage = ({ data }) => {
        if (data === "ready") worker.postMessage(new Float32Array(1024).fill(0.25));
        else resolve([...data]);
      };
    })
    """
    with hybridize.disabled():
        expected = site[1](np.full((2, 512), 0.25)).asnumpy().ravel()
    numpy.testing.assert_allclose(page.evaluate(ask), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("damage", ["altered", "missing"])
def test_the_page_says_when_the_model_cannot_be_loaded(served, page, damage):
    folder, address = served
    file = folder / "models" / "mlp.wasm"
    if damage == "altered":
        content = bytearray(file.read_bytes())
        content[-5000] ^= 1
        file.write_bytes(content)
    else:
        file.unlink()
    page.open(address)
    page.wait("document.body?.dataset.measured === 'failed'")
    text = page.evaluate("document.getElementById('verdict').textContent")
    assert text.startswith("LoadError: ") and ("cut short or altered" if damage == "altered" else "404") in text


def test_the_page_needs_nothing_from_elsewhere():
    text = "\n".join(path.read_text() for path in (DEPLOY / "web").iterdir())
    assert [word for word in text.split() if "//" in word and "http" in word] == ["http://localhost:8000/web/"]
