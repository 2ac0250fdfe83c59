"""LeNet in a browser: our WebAssembly beside ONNX Runtime Web and TensorFlow.js.

    python benchmarks/web.py [--store] [--rounds N] [--seconds S]

Trains the tutorial's net (docs/tutorials/lenet.md), exports it, installs the two other runtimes by npm, and opens a
page for each in Chromium, in turn. Bytes are those of all files that the page asks for up to its first result, the page
itself and the image aside: as they are, and compressed by gzip. Time is that of a call with one image, all
on one thread: the median of a round's samples, and of these the median over the rounds. The probabilities must be those
of Python, else nothing is reported. `--store` writes benchmarks/web.json, which `docs/make.py` puts on the demo's page.
The machine must have nothing else to do; the load average before the first round is stored.
"""

import argparse
import datetime
import functools
import gzip
import http.server
import importlib.util
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy

HERE = Path(__file__).parent
ROOT = HERE.parent
STORED = HERE / "web.json"
FOLDER = ROOT / "build" / "web"
PACKAGES = ("onnxruntime-web", "@tensorflow/tfjs", "@tensorflow/tfjs-backend-wasm")
RUNTIMES = {
    "hybridize": "hybridize",
    "onnxruntime": "ONNX Runtime Web, wasm",
    "tfjs-wasm": "TensorFlow.js, wasm",
    "tfjs-cpu": "TensorFlow.js, cpu",
}
TOLERANCE = 1e-5


def module(path: Path) -> Any:
    """Return the module of a file that is in no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def models(folder: Path) -> numpy.ndarray:
    """Write the files of all runtimes, and return the probabilities that Python gives for image.bin."""
    for path in module(ROOT / "docs" / "site" / "demo.py").build(ROOT, ROOT / "build" / "demo"):
        shutil.copy(path, folder)
    sys.path.insert(0, str(ROOT / "build" / "demo"))
    before = Path.cwd()
    os.chdir(ROOT / "build" / "demo")  # the tutorial's programs look for their files where they run
    from classifier import classify, image, scores
    from net import net

    os.chdir(before)
    classify.export(str(folder / "lenet"), format="onnx")
    image.asnumpy().tofile(folder / "image.bin")
    weights = []
    for name, parameter in net.collect_params().items():
        value = parameter.data().asnumpy()
        # TensorFlow's order: inputs before outputs, which come first here.
        weights.append(value if "bias" in name else numpy.moveaxis(value, 0, -1))
    (folder / "lenet.weights.bin").write_bytes(b"".join(numpy.ascontiguousarray(one).tobytes() for one in weights))
    return scores.asnumpy().ravel()


def installed(folder: Path) -> dict[str, str]:
    """Install the other runtimes, put what browsers read of them into the folder, and return their versions."""
    if not (folder / "package.json").exists():
        (folder / "package.json").write_text("{}")
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", *PACKAGES], cwd=folder, check=True)
    versions = {}
    for name in PACKAGES:
        package = folder / "node_modules" / name
        shutil.copytree(package / "dist", folder / Path(name).name, dirs_exist_ok=True)
        versions[name] = json.loads((package / "package.json").read_text())["version"]
    return versions


class Counting(http.server.SimpleHTTPRequestHandler):
    """Remembers which files were asked for."""

    asked: set[str] = set()
    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {
        ".mjs": "text/javascript", ".wasm": "application/wasm",
    }  # fmt: skip

    def do_GET(self):
        self.asked.add(self.path.split("?")[0].lstrip("/"))
        super().do_GET()

    def end_headers(self):
        self.send_header("Cache-Control", "no-store")  # else a file of two runtimes would count for the first alone
        super().end_headers()

    def log_message(self, *_):
        pass


def sizes(folder: Path, paths: set[str]) -> tuple[int, int]:
    """Return the bytes of files as they are, and compressed by gzip."""
    contents = [(folder / path).read_bytes() for path in paths - {"index.html", "page.mjs", "image.bin", ""}]
    return sum(map(len, contents)), sum(len(gzip.compress(one, 9)) for one in contents)


def measured(folder: Path, expected: numpy.ndarray, rounds: int, seconds: float) -> tuple[dict[str, Any], str]:
    """Return bytes and microseconds of each runtime, and the browser's version."""
    driver = module(ROOT / "tests" / "examples" / "browser.py")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Counting, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    times: dict[str, list[float]] = {name: [] for name in RUNTIMES}
    rows: dict[str, Any] = {}
    try:
        with driver.Chromium(shutil.which("chromium"), folder / "profile") as browser:
            version = browser.evaluate("navigator.userAgent.match(/Chrome\\/[\\d.]+/)[0]")
            for _ in range(rounds):
                for name in RUNTIMES:
                    Counting.asked.clear()
                    browser.open(f"http://127.0.0.1:{server.server_port}/index.html?{name}")
                    browser.wait("window.first !== undefined")
                    first = browser.evaluate("window.first")
                    difference = numpy.abs(numpy.array(first["output"]) - expected).max()
                    if not difference < TOLERANCE:
                        raise SystemExit(f"{name}: probabilities differ from Python's by {difference:.1e}")
                    size, compressed = sizes(folder, Counting.asked)
                    rows[name] = {"bytes": size, "compressed": compressed, "files": sorted(Counting.asked)}
                    times[name].append(browser.evaluate(f"window.measure({seconds})"))
                    print(f"  {name}: {times[name][-1]:.1f} µs, {size:,} bytes", file=sys.stderr)
    finally:
        server.shutdown()
        server.server_close()
    for name, row in rows.items():
        row["microseconds"] = round(statistics.median(times[name]), 1)
    return rows, version


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", action="store_true", help="write benchmarks/web.json")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in (HERE / "web").iterdir():
        shutil.copy(path, FOLDER)
    expected = models(FOLDER)
    versions = installed(FOLDER)
    load = round(os.getloadavg()[0], 1)
    rows, browser = measured(FOLDER, expected, options.rounds, options.seconds)
    cpu = next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name"))
    result = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": cpu.split(":")[1].strip(),
        "system": platform.system(),
        "load": load,
        "browser": browser.replace("/", " "),
        "command": f"python benchmarks/web.py --rounds {options.rounds} --seconds {options.seconds:g}",
        "versions": versions,
        "runtimes": {RUNTIMES[name]: row for name, row in rows.items()},
    }
    text = json.dumps(result, indent=2)
    print(text)
    if options.store:
        STORED.write_text(text + "\n")


if __name__ == "__main__":
    main()
