"""Models in a browser with WebGPU, on a GPU that is computed."""

import functools
import http.server
import json
import shutil
import threading
from contextlib import contextmanager

import hybridize
from hybridize.formats.deployable import deployable
from hybridize.formats.wasm import write_web
from tests.examples.browser import FLAGS, Chromium

WEBGPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan"]


class _Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {
        ".mjs": "text/javascript", ".wasm": "application/wasm",
    }  # fmt: skip

    def log_message(self, *_):
        pass


@contextmanager
def browsing(folder, profile, gpu=True):
    """A page of a browser of its own, at the address of a folder of files."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    flags = [*(flag for flag in FLAGS if flag != "--disable-gpu"), *WEBGPU] if gpu else FLAGS
    try:
        with Chromium(shutil.which("chromium"), profile, flags=flags) as page:
            page.patience = 600  # kernels are compiled slowly for a GPU that is computed
            page.address = f"http://127.0.0.1:{server.server_port}"
            (folder / "empty.html").write_text("<!doctype html><link rel='icon' href='data:,'>")
            blank(page)
            yield page
    finally:
        server.shutdown()
        server.server_close()


def blank(page):
    """Open an empty page."""
    page.open(f"{page.address}/empty.html")
    page.wait("document.readyState === 'complete' && location.href !== 'about:blank'")


def told(page, body, **values):
    """What a function in the page gives, whose body may wait and may use some values by name."""
    lines = "".join(f"const {name} = {json.dumps(value)};" for name, value in values.items())
    return page.evaluate(f"(async () => {{ {lines} {body} }})()")


def write(folder, name, function, *calls):
    """A function hybridized, called so, and written for the web."""
    program = hybridize.hybridize(function)
    for call in calls:
        program(*call)
    return write_web(deployable(program.saved()), folder / name)
