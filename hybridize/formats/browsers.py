# SPDX-License-Identifier: Apache-2.0
"""A browser without a window, which runs an exported model by WebGPU: on a GPU that is computed, the same everywhere.

    run_by_webgpu(loader, calls, types, states) -> (what ran it, answers)

A page of 127.0.0.1 loads the model, asks for the calls, and posts its answers.
"""

from __future__ import annotations

import http.server
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from numpy.typing import NDArray

from hybridize import system
from hybridize.base.errors import VerificationError
from hybridize.base.types import TensorType
from hybridize.formats.checking import TIMEOUT, Answer, drivers, read_results, write_calls

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
_FLAGS: Final = (
    "--headless", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan",
)  # fmt: skip
_PAGE: Final = b'<!doctype html><meta charset="utf-8"><script type="module" src="/drivers/webgpu.mjs"></script>'
_TYPES: Final = {".mjs": "text/javascript", ".wasm": "application/wasm"}
_BEGINS: Final = 60.0
"""Seconds within which a browser asks for the page."""
_COMPILES: Final = 120.0
"""Seconds after which it compiles no more kernels: it does so slowly for a GPU that the processor imitates."""
_MISSING: Final = {"E701": "has no WebGPU", "E705": "imitates a GPU that is too small"}
"""Codes of the loader that mean nothing against the kernels, and what they say of the browser."""


def browser() -> str | None:
    """Return the path of Chromium, or of one of its kin; None where none is installed."""
    return next((path for path in map(shutil.which, _NAMES) if path), None)


def run_by_webgpu(
    loader: str, calls: Sequence[tuple[NDArray[Any], ...]], types: Sequence[TensorType], states: bool
) -> tuple[str, list[Answer]]:
    """Call a model by its loader in a browser, on a GPU; returns what ran it, and the answers.

    Without answers, the text says why it was not run.

    Args:
        loader: the path of NAME.mjs.
        calls: the inputs of each.
        types: of the outputs.
        states: True if calls change the model, so that each needs one of its own.

    Raises:
        VerificationError E812: the model failed in the browser, or did not end.
    """
    program = browser()
    if program is None:
        return "not run here on a GPU: no Chromium", []
    request = {"loader": f"/model/{os.path.basename(loader)}", "states": states}
    contents = {"/": _PAGE, "/asked": json.dumps(request).encode(), "/calls": write_calls(calls, types)}
    folders = {"/drivers/": drivers(), "/model/": Path(loader).parent}
    with tempfile.TemporaryDirectory(prefix="hybridize-", ignore_cleanup_errors=True) as profile:
        site = _Site(contents, folders)
        try:
            return _answers(program, profile, site, len(calls), types, loader)
        finally:
            site.close()


def _answers(
    program: str, profile: str, site: _Site, count: int, types: Sequence[TensorType], loader: str
) -> tuple[str, list[Answer]]:
    command = [program, *_FLAGS, *(["--no-sandbox"] if _is_root() else []), f"--user-data-dir={profile}", site.address]
    title = os.path.basename(program)
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        if not site.started.wait(_BEGINS):
            return f"not run here on a GPU: {title} does not start", []
        for seconds in (_COMPILES, TIMEOUT):
            if site.done.wait(seconds):
                break
            if site.posted.get("/compiling") != b"0":
                return f"not run here on a GPU: {title} compiles the kernels for longer than {seconds:.0f} seconds", []
        else:
            raise VerificationError("E812", f"{loader} did not end in {title} within {TIMEOUT:.0f} seconds")
    finally:
        process.terminate()
        process.wait()
    outcome = json.loads(site.posted["/done"])
    if outcome.get("code") in _MISSING:
        return f"not run here on a GPU: {title} {_MISSING[outcome['code']]}", []
    if "problem" in outcome:
        raise VerificationError("E812", f"{loader} failed in {title}: {outcome['problem']}")
    where = f"{outcome['adapter']} in {site.agent}".strip()
    return where, list(read_results(site.posted["/results"], count, types))


def _is_root() -> bool:
    """Tell whether the browser would refuse its sandbox."""
    return system.user_name() == "0"


class _Site:
    """Files for one page of 127.0.0.1, and what it posts."""

    def __init__(self, contents: Mapping[str, bytes], folders: Mapping[str, Path]) -> None:
        self.posted: dict[str, bytes] = {}
        self.started, self.done = threading.Event(), threading.Event()
        self.agent = "a browser"
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.started.set()
                site.agent = _agent(self.headers.get("User-Agent", ""))
                body, kind = contents.get(self.path), "text/html"
                for prefix, folder in folders.items():
                    file = folder / self.path.removeprefix(prefix)
                    if self.path.startswith(prefix) and file.parent == folder and file.is_file():
                        body, kind = file.read_bytes(), _TYPES.get(file.suffix, "application/octet-stream")
                self.send_response(404 if body is None else 200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def do_POST(self) -> None:
                site.posted[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(204)
                self.end_headers()
                if self.path == "/done":
                    site.done.set()

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.address = f"http://127.0.0.1:{self._server.server_port}/"

    def close(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _agent(text: str) -> str:
    """Return the browser's name and version in what it says of itself.

    >>> _agent("Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36")
    'Chrome 156'
    """
    match = re.search(r"(?:Headless)?(Chrome|Edg)\w*/(\d+)", text)
    return f"{match[1]} {match[2]}" if match else "a browser"
