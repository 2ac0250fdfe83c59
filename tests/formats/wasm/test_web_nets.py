"""Whole exports for the web, each of which runs itself in a browser, and the page that comes with them."""

import json
import re

import numpy
import pytest

import hybridize
from hybridize import np, npx
from hybridize.codegen.wgsl import binding
from hybridize.errors import VerificationError
from hybridize.formats import browsers
from hybridize.formats.wasm import module, read_wasm
from hybridize.gluon import nn, rnn
from tests.formats.wasm.browsing import browsing, told
from tests.refusals import refusal

pytestmark = pytest.mark.long
ON_A_GPU = r"on .*swiftshader.* in Chrome \d+: \d+ calls? as expected, largest difference \S+"


@pytest.fixture(autouse=True)
def browser(system):
    system("node", "chromium")


def mlp():
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu"), nn.Dense(128, activation="relu"), nn.Dense(2))
    return net, (512,)


def lenet():
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(6, 5, padding=2, activation="sigmoid"), nn.AvgPool2D(2, 2), nn.Conv2D(16, 5, activation="sigmoid")
    )
    net.add(nn.AvgPool2D(2, 2), nn.Dense(120, activation="sigmoid"), nn.Dense(84, activation="sigmoid"), nn.Dense(10))
    return net, (1, 28, 28)


def exported(folder, net, shape):
    net.initialize()
    net.hybridize()
    for rows in (1, 5, 3):
        net(np.random.normal(size=(rows, *shape)))
    return net.export(folder / "net", format="web")


@pytest.fixture(scope="module", params=[mlp, lenet])
def web(request, tmp_path_factory):
    """The chapter's net or LeNet: the net, the shape of a row, the folder of its export and the report."""
    folder = tmp_path_factory.mktemp("web")
    hybridize.random.seed(1)
    net, shape = request.param()
    return net, shape, folder, exported(folder, net, shape)


def test_an_export_runs_itself_on_a_gpu(web, tmp_path):
    net, shape, folder, found = web
    assert found.left_out == () and len(found.checks) == 2
    assert re.fullmatch(rf"net\.wasm {ON_A_GPU}", found.checks[1])
    batch = numpy.random.default_rng(2).normal(size=(4, *shape)).astype("f4")
    with browsing(folder, tmp_path / "profile") as page:
        both = told(
            page,
            """
            const { load } = await import("/net.mjs");
            const models = [await load({ device: "webgpu" }), await load({ device: "wasm" })];
            const data = { data: Float32Array.from(batch), shape };
            return Promise.all(models.map(async (model) => [...(await model.run({ data })).output]));
            """,
            batch=batch.ravel().tolist(),
            shape=batch.shape,
        )
    with hybridize.disabled():
        expected = net(np.array(batch)).asnumpy().ravel()
    for outputs in both:
        numpy.testing.assert_allclose(outputs, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("gpu", [True, False])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_says_where_the_model_ran(web, tmp_path, gpu, scheme):
    with browsing(web[2], tmp_path / "profile", gpu) as page:
        page.scheme(scheme)
        for width in (1000, 400):
            page.resize(width, 800)
            page.open(f"{page.address}/net.html")
            page.wait("document.body?.dataset.ready === 'yes'", 180)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        lines = page.evaluate("document.getElementById('webgpu').innerText").split("\n")
        assert [line for line in lines if line] == ["WebGPU", "–", "not loaded", "Run it by WebGPU, too"]
        page.evaluate("document.querySelector('#webgpu button').click()")
        page.wait("document.getElementById('webgpu').dataset.ready === 'yes'", 180)
        text = {name: page.evaluate(f"document.getElementById('{name}').innerText") for name in ("webgpu", "wasm")}
        assert page.evaluate("document.querySelectorAll('#arrays tr').length") == 2
        levels = [one.get("entry", {}).get("level") for one in page.messages]
        assert set(levels) <= {"warning"}, page.messages  # Chromium says so itself, where there is no GPU
        place = page.evaluate("document.getElementById('place').innerText")
        why = "WebGPU's only GPU here is imitated by the processor" if gpu else "WebGPU finds no GPU here"
        assert place == f"It runs by WebAssembly on the processor: {why}."
        assert page.evaluate("document.getElementById('progress').checkVisibility()") is False
    apart = re.search("at most (.*) from what Python gave", text["wasm"])[1]
    assert float(apart) < 1e-5 and re.search(r"[\d.]+ .s a call", text["wasm"])
    assert "what load() chooses here" in text["wasm"], "no processor gains by imitating a GPU"
    if gpu:
        assert "swiftshader" in text["webgpu"] and "from what Python gave" in text["webgpu"]
    else:
        assert "DeviceError: E701: net: WebGPU finds no GPU here" in text["webgpu"]


REAL = """
const { requestAdapter } = GPU.prototype;
GPU.prototype.requestAdapter = async function (options) {
  return Object.defineProperty(await requestAdapter.call(this, options), "info", { value: { description: "a GPU of glass" } });
};
globalThis.heard = [];
addEventListener("DOMContentLoaded", () => {
  const [place, progress] = ["place", "progress"].map((id) => document.getElementById(id));
  new MutationObserver(() => heard.push([place.textContent, progress.hidden ? null : [progress.value, progress.max]])).observe(
    place, { childList: true },
  );
});
"""


def test_the_page_on_a_gpu_shows_progress_and_draws_calls(web, tmp_path):
    _, shape, folder, _ = web
    with browsing(folder, tmp_path / "profile") as page:
        page.ask("Page.addScriptToEvaluateOnNewDocument", source=REAL)
        page.open(f"{page.address}/net.html")
        page.wait("document.body?.dataset.ready === 'yes'", 180)
        *compiling, (place, hidden) = page.evaluate("heard")
        exact = read_wasm(folder / "net.wasm").kernels["variants"][0]
        kernels = len({name for name, *_ in exact["work"]})
        counts = [done for _, (done, _) in compiling]  # several kernels may be ready at once
        assert counts == sorted(set(counts)) and counts[-1] == kernels and counts[0] > 0
        for done, (text, bar) in zip(counts, compiling, strict=True):
            assert text == f"Compiling kernels for the GPU: {done} of {kernels} …" and bar == [done, kernels]
        assert (place, hidden) == ("It runs on a GPU of glass by WebGPU.", None)
        assert "what load() chooses here" in page.evaluate("document.getElementById('webgpu').innerText")
        drawn = "[...document.querySelectorAll('figure')].map((one) => [one.firstChild.ariaLabel ?? one.firstChild.getAttribute('aria-label'), one.firstChild.children.length])"
        first, (result, bars) = page.evaluate(drawn)
        assert bars == {512: 2, 28: 10}[shape[-1]] and result.startswith("output output: ")
        assert first == (["input data: 28 by 28 elements", 0] if len(shape) > 1 else [first[0], 64])
        # By the keyboard: behind the button of the other place is "Other numbers", whose call is drawn anew.
        row = "document.querySelector('#arrays tr').innerText"
        before = page.evaluate(row)
        for key in ("Tab", "Tab", "Enter"):
            text = {"text": "\r"} if key == "Enter" else {}
            page.ask(
                "Input.dispatchKeyEvent",
                type="keyDown",
                key=key,
                code=key,
                windowsVirtualKeyCode=9 if key == "Tab" else 13,
                **text,
            )
            page.ask("Input.dispatchKeyEvent", type="keyUp", key=key, code=key)
        assert page.evaluate("document.activeElement.id") == "other"
        page.wait(f"{row} !== {json.dumps(before)}", 60)
        assert page.messages == []


def test_a_browser_without_webgpu_is_told_of(tmp_path, monkeypatch):
    monkeypatch.setattr(browsers, "_FLAGS", ("--headless", "--disable-gpu"))
    fast = hybridize.hybridize(lambda x: x + 1)
    fast(np.ones((3,)))
    assert "not run here on a GPU: chromium has no WebGPU" in fast.export(tmp_path / "net", "web").checks


def test_a_browser_whose_gpu_binds_too_few_buffers_is_told_of(tmp_path, monkeypatch):
    monkeypatch.setattr(binding, "BINDING", 16)  # so that each array has a buffer

    def total(a, b, c, d, e, f, g, h, i, j, k, m, n):
        return a + b + c + d + e + f + g + h + i + j + k + m + n

    fast = hybridize.hybridize(total)
    fast(*(np.ones((4,)) for _ in range(13)))
    found = fast.export(tmp_path / "net", "web")
    assert "not run here on a GPU: chromium imitates a GPU that is too small" in found.checks
    assert found.left_out == ()


def test_kernels_that_take_long_to_compile_are_told_of(tmp_path, monkeypatch):
    monkeypatch.setattr(browsers, "_COMPILES", 0.0)
    fast = hybridize.hybridize(lambda x: x + 1)
    fast(np.ones((3,)))
    line = "not run here on a GPU: chromium compiles the kernels for longer than 0 seconds"
    assert line in fast.export(tmp_path / "net", "web").checks


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (r"bitcast<f32>\(b0_at", "2 * bitcast<f32>(b0_at", r"E810.*output 'output' differs"),
        ("fn main", "fn man", r"E812.*E907.*does not compile kernel0"),
    ],
    ids=["wrong", "unknown"],
)
def test_kernels_that_are_not_right_are_not_written(tmp_path, monkeypatch, old, new, code):
    whole = module.kernels_of

    def damaged(*args):
        facts = whole(*args)
        kernel = facts["kernels"]["kernel0"]
        kernel["text"], count = re.subn(old, new, kernel["text"])
        assert count
        return facts

    monkeypatch.setattr(module, "kernels_of", damaged)
    fast = hybridize.hybridize(lambda x: x + 1)
    fast(np.arange(5.0))
    with refusal(VerificationError, code):
        fast.export(tmp_path / "net", "web")
    assert list(tmp_path.iterdir()) == []


def test_a_loop_over_a_sequence(tmp_path):
    """Its turns are launches; between them, states are copied."""
    layer = rnn.LSTM(8)
    layer.initialize()
    layer.hybridize()
    for batch in (2, 4, 3):
        layer(np.random.normal(size=(5, batch, 3)))
    found = layer.export(tmp_path / "net", format="web")
    assert re.fullmatch(rf"net\.wasm {ON_A_GPU}", found.checks[1]), found
    exact, general = read_wasm(tmp_path / "net.wasm").kernels["variants"]
    assert len(exact["work"]) > 5 and len(general["work"]) > 5, "a launch for each turn, at least"


def test_states_and_random_numbers(tmp_path):
    net = nn.HybridSequential()
    net.add(nn.Dense(6), nn.BatchNorm(), nn.Dropout(0.5))

    @hybridize.hybridize
    def step(x):
        return np.random.normal(size=(2, 3)) + npx.softmax(x) * np.random.uniform()

    step(np.ones((2, 3)))
    found = step.export(tmp_path / "net", "web")
    assert re.fullmatch(rf"net\.wasm {ON_A_GPU}", found.checks[1]), found
