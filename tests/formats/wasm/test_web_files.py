"""Exports for the web: their files, what the export says of itself, and where no GPU is, as in Node."""

import json
import operator
import os
import re
import shutil
import subprocess

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hybridize
from hybridize import np, npx
from hybridize.base import dims
from hybridize.base.dims import SizeScope
from hybridize.base.errors import LoadError
from hybridize.formats import browsers, exporting
from hybridize.formats.wasm import container, read_wasm

NO_GPU = "there is no WebGPU here"


@pytest.fixture(autouse=True, scope="module")
def no_browser(request):
    """What browsers do is tested in test_web.py."""
    request.getfixturevalue("system")("node")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(browsers, "browser", lambda: None)
        yield


def exported(folder, function, *calls, name="net", format="web"):
    program = hybridize.hybridize(function)
    for call in calls:
        program(*call)
    return program.export(folder / name, format=format)


def in_node(folder, body):
    """What a module beside the files prints, as JSON."""
    text = (
        f'import * as net from "./net.mjs";\nconst told = ({{ name, code, message }}) => [name, code, message];\n{body}'
    )
    (folder / "use.mjs").write_text(text)
    done = subprocess.run(["node", "use.mjs"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def affine(x):
    return np.dot(x, np.array(numpy.linspace(-1, 1, 12, dtype="f4").reshape(4, 3))) + 1


CALLS = tuple((np.ones((rows, 4)),) for rows in (1, 2, 5))


@pytest.fixture(scope="module")
def net(no_browser, tmp_path_factory):
    """The folder of an export, and its report."""
    folder = tmp_path_factory.mktemp("net")
    return folder, exported(folder, affine, *CALLS)


def test_the_files_and_the_report(net, tmp_path):
    folder, found = net
    assert [os.path.basename(file) for file in found.files] == ["net.wasm", "net.mjs", "net.d.mts", "net.html"]
    assert all((folder / file).is_file() for file in found.files)
    assert found.checks[0].startswith("net.wasm in Node.js: 4 calls as expected")
    assert found.checks[1:] == ("not run here on a GPU: no Chromium",)
    assert found.left_out == ()
    assert exporting.model_name("page.html", "web") == exporting.model_name("page.wasm", "web") == "page"


def test_weights_are_there_once_and_kernels_take_little(tmp_path):
    weight = numpy.random.default_rng(0).normal(size=(256, 256)).astype("f4")
    function = lambda x: np.tanh(np.dot(x, np.array(weight)))  # noqa: E731
    calls = [(np.ones((rows, 256)),) for rows in (1, 8, 9)]
    for format in ("wasm", "web"):
        exported(tmp_path, function, *calls, name=format, format=format)
    plain, both = (read_wasm(tmp_path / f"{format}.wasm") for format in ("wasm", "web"))
    assert plain.kernels is None and len(both.kernels["variants"]) == 2
    assert both.weight_bytes < plain.weight_bytes + 256
    sizes = [(tmp_path / f"{format}.wasm").stat().st_size for format in ("wasm", "web")]
    assert sizes[1] - sizes[0] < 8000
    assert "GPU" not in (tmp_path / "wasm.mjs").read_text() and "gpu" not in (tmp_path / "wasm.d.mts").read_text()


def test_where_no_gpu_is_webassembly_runs_and_says_so(net):
    free, result, forced, fallback, asked = in_node(
        net[0],
        """
        const say = (value) => console.log(JSON.stringify(value));
        const model = await net.load();
        say([model.device, model.adapter, model.reason]);
        const running = model.run({ x: new Float32Array(8).fill(2) });
        say([running instanceof Promise, ...(await running).output, ...(await running).output.shape]);
        say(await net.load({ device: "webgpu" }).catch((problem) => [problem instanceof net.DeviceError, ...told(problem)]));
        say([(await net.load({ device: "webgpu", fallback: true })).device]);
        const other = await net.load({ device: "wasm", source: new URL("net.wasm", import.meta.url) });
        other.destroy();
        say([other.device, other.reason]);
        """,
    )
    text = f'E701: net: {NO_GPU}; load({{ device: "wasm" }}) runs it on the processor'
    assert free == ["wasm", "", text]
    assert result[0] and result[-2:] == [2, 3]
    numpy.testing.assert_allclose(result[1:-2], affine(np.full((2, 4), 2.0)).asnumpy().ravel(), rtol=1e-6)
    assert forced == [True, "DeviceError", "E701", text]
    assert fallback == ["wasm"] and asked == ["wasm", "it was asked for"]


def test_errors_of_a_call_are_rejections(net):
    (found,) = in_node(
        net[0],
        """
        const model = await net.load();
        console.log(JSON.stringify(await Promise.all([
          model.run({}).catch(told),
          net.load({ device: "gpu" }).catch(told),
          net.load("data:application/wasm,abc").catch(told),
        ])));
        """,
    )
    assert [one[0] for one in found] == ["TypeError", "TypeError", "LoadError"]
    assert found[1][2] == 'device is "webgpu" or "wasm", or left out; got gpu'


def test_what_no_gpu_can_do_is_said_with_the_users_line(tmp_path):
    reason = r"exp of float64 \(test_web_files.py:\d+\)"
    found = exported(tmp_path, lambda x: np.exp(x), (np.ones((3,), dtype="float64"),))
    (line,) = found.left_out
    assert re.fullmatch(
        rf"code for GPUs, so that all browsers run WebAssembly: .*{reason} has no code for webgpu.*", line
    )
    (check,) = found.checks
    assert check.startswith("net.wasm in Node.js: 1 call as expected")
    (refused,) = in_node(tmp_path, 'console.log(JSON.stringify(await net.load({ device: "webgpu" }).catch(told)));')
    assert refused[:2] == ["DeviceError", "E705"] and re.search(rf"E705: net has no kernels: .*{reason}", refused[2])


def test_assertions_have_notes(tmp_path):
    def take(x, i):
        npx.assert_(x >= 0, "no negative numbers")  # noqa: PT009
        return np.take(x, i, axis=0, mode="raise")

    found = exported(tmp_path, take, (np.ones((5, 2)), np.array([1, 0], dtype="int64")))
    assert found.left_out == ()
    (variant,) = read_wasm(tmp_path / "net.wasm").kernels["variants"]
    assert [operands for _, operands in variant["notes"]] == [[], []]
    texts = [text for text, _ in variant["notes"]]
    assert "no negative numbers" in texts and any("an index is out of bounds" in text for text in texts)
    kinds = [kind for _, buffers, _ in variant["work"] for kind, _ in buffers]
    assert kinds.count("flag") == 2


def test_control_flow_that_is_not_known_before_a_call_is_said(tmp_path):
    def halve(x):
        while np.abs(x).max() > 1:
            x = x / 2
        return x

    def total(x):
        return npx.foreach(lambda row, state: (state[0] + row, [state[0] + row]), x, [np.zeros((2,))])[0]

    (line,) = exported(tmp_path, halve, (np.array([8.0]),)).left_out
    assert re.search(r"while, whose way data decides, \(test_web_files.py:\d+\)", line)
    (line,) = exported(tmp_path, total, *((np.ones((n, 2)),) for n in (3, 4, 6))).left_out
    assert re.search(r"scan, whose length only a call knows, \(test_web_files.py:\d+\)", line)
    assert exported(tmp_path, total, (np.ones((3, 2)),)).left_out == ()


def test_prints_stay_with_webassembly(tmp_path):
    def loud(x):
        npx.print("x is {}", x)
        return x + 1

    found = exported(tmp_path, loud, (np.ones(()),))
    assert "print" in found.left_out[0] and "test_web_files.py" in found.left_out[0]
    (line, output) = in_node(
        tmp_path,
        'const model = await net.load(); console.log = (text) => process.stdout.write(`"${text}"\\n`);'
        "const { output } = await model.run({ x: 2 }); process.stdout.write(String(output[0]));",
    )
    assert line == "x is 2" and output == 3


def test_the_types_are_those_of_a_model_that_may_be_anywhere(net):
    text = (net[0] / "net.d.mts").read_text()
    for line in (
        "  run(inputs: Inputs): Promise<Outputs>;",
        '  readonly device: "webgpu" | "wasm";',
        "export class DeviceError extends Error {",
        "export function load(options?: Options | Source | Promise<Source>): Promise<Model>;",
        "   * @throws DeviceError the GPU has no room for the call, or is lost.",
    ):
        assert text.count(f"{line}\n") == 1, line


def test_the_page_holds_a_call_that_was_captured(net, tmp_path):
    text = (net[0] / "net.html").read_text()
    sample = json.loads(re.search('id="sample">(.*?)</script>', text)[1])
    assert [one["shape"] for one in sample["inputs"] + sample["outputs"]] == [[1, 4], [1, 3]]
    assert 'import("./net.mjs")' in text and "NAME" not in text
    assert re.findall(r"https?://[^\s\"')]*", text) == ["http://localhost:8000/net.html"]
    exported(tmp_path, lambda x: x * 2, (np.ones((300, 300)),))
    assert 'id="sample">null<' in (tmp_path / "net.html").read_text(), "it was too large"
    total = np.zeros(())

    def count(x):
        total[...] = total + 1
        return x + total

    exported(tmp_path, count, (np.ones((3,)),))
    assert 'id="sample">null<' in (tmp_path / "net.html").read_text(), "each call gives another result"


def test_kernels_that_cannot_be_read_are_refused(net, tmp_path):
    shutil.copytree(net[0], tmp_path, dirs_exist_ok=True)
    file = tmp_path / "net.wasm"
    body = file.read_bytes()[:-4]
    at = body.index(b"hybridize.webgpu") + 30
    damaged = body[:at] + bytes([body[at] ^ 1]) + body[at + 1 :]
    file.write_bytes(damaged + container.struct.pack("<I", container.zlib.crc32(damaged)))
    with pytest.raises(LoadError, match="E604"):
        read_wasm(file)
    (found,) = in_node(
        tmp_path,
        """
        const before = await net.load({ device: "wasm" });
        console.log(JSON.stringify([before.device, ...await net.load().catch(told)]));
        """,
    )
    assert found[:2] == ["wasm", "LoadError"] and "its kernels cannot be read" in found[3]


def test_a_file_for_processors_alone_has_no_kernels(net, tmp_path):
    shutil.copytree(net[0], tmp_path, dirs_exist_ok=True)
    exported(tmp_path, affine, *CALLS, name="plain", format="wasm")
    (found,) = in_node(
        tmp_path,
        'console.log(JSON.stringify(await net.load({ source: "plain.wasm", device: "webgpu" }).catch(told)));',
    )
    assert found[1] == "E705" and "net.wasm was exported for processors alone" in found[2]


# Sizes, which the loader reads as text


@pytest.fixture(scope="module")
def sized(tmp_path_factory):
    """`sized(texts, sizes)`: their values in JavaScript; lines hold or not."""
    folder = tmp_path_factory.mktemp("sizes")
    text = browsers.drivers().parent.joinpath("wasm", "webgpu.mjs").read_text()
    begin = text.index("/** Whether a line on sizes holds")
    (folder / "sizes.mjs").write_text(
        text[begin : text.index("/** Bytes of a buffer for so many")] + "export { sized, holding };"
    )
    (folder / "use.mjs").write_text(
        'import { readFileSync } from "node:fs"; import { sized, holding } from "./sizes.mjs";'
        "const asked = JSON.parse(readFileSync(0));"
        "const answer = ([text, sizes]) => (String(text).includes(' ') ? holding(text, sizes) : sized(text, sizes));"
        "console.log(JSON.stringify(asked.map(answer)));"
    )

    def ask(pairs):
        done = subprocess.run(
            ["node", folder / "use.mjs"], input=json.dumps(pairs), capture_output=True, text=True, check=True
        )
        return json.loads(done.stdout)

    return ask


SYMBOLS = ("n0", "n1")


@st.composite
def sizes_and_values(draw):
    """A size over two symbols, and their values."""
    scope = SizeScope()
    scope.capturing = False
    symbols = [scope.symbol(9, name=name, low=1, high=1 << 20) for name in SYMBOLS]
    size = draw(st.sampled_from(symbols))
    for _ in range(draw(st.integers(0, 3))):
        other = draw(st.sampled_from([*symbols, 2, 3, 64]))
        operation = draw(st.sampled_from(["add", "sub", "mul", "floordiv", "mod", "max", "reversed"]))
        match operation:
            case "max":
                size = dims.maximum(size, other)
            case "reversed":
                size = other - size
            case _:
                size = getattr(operator, operation)(size, other)
    values = {name: draw(st.integers(1, 1000)) for name in SYMBOLS}
    return size, {one.symbol: values[one.symbol.name] for one in symbols}, values


def test_sizes_mean_in_javascript_what_they_mean_in_python(sized):
    asked, expected = [], []

    @given(sizes_and_values())
    def collect(case):
        size, by_symbol, values = case
        exact = dims.value(size, by_symbol) if dims.is_symbolic(size) else size
        if abs(exact) < 2**50:
            asked.append([dims.text(size) if dims.is_symbolic(size) else size, values])
            expected.append(exact)

    collect()
    assert len(asked) > 5
    assert sized(asked) == expected


def test_lines_on_sizes(sized):
    lines = {
        "n0 in 2..64 like 9": [False, True, True, False],
        "n0 in 2.. like 9": [False, True, True, True],
        "n0-9 == 0": [False, False, True, False],
        "n0-9 != 0": [True, True, False, True],
        "2*n0-17 > 0": [False, False, True, True],
        "mod(n0,2)-1 == 0": [True, False, True, True],
    }
    asked = [[line, {"n0": size}] for line in lines for size in (1, 2, 9, 65)]
    assert sized(asked) == [truth for line in lines.values() for truth in line]
