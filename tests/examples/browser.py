"""A browser without a window, spoken to by the DevTools protocol over two pipes; nothing but Chromium is needed."""

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--remote-debugging-pipe", "--lang=en-US",
]  # fmt: skip

# The browser reads commands from 3 and writes answers to 4. Copies first: either may be 3 or 4 itself.
LAUNCHER = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
os.dup2(ends[0], 3)
os.dup2(ends[1], 4)
os.closerange(5, max(ends) + 1)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Chromium:
    """One page of a browser of its own."""

    def __init__(self, program, profile, width=1280, height=800, flags=FLAGS):
        self._profile = profile
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        command = [sys.executable, "-c", LAUNCHER, str(to_browser), str(from_browser), program, *flags]
        self.process = subprocess.Popen(
            [*command, f"--user-data-dir={profile}"],
            pass_fds=(to_browser, from_browser),
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._number = 0
        self._buffer = b""
        self.patience = 60
        """Seconds that an answer may take."""
        self.messages = []
        """What the page reported: uncaught exceptions and what it wrote to the console."""
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")
        self.resize(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._ask("Browser.close")
            self.process.wait(timeout=10)
        except (OSError, TimeoutError, EOFError, subprocess.TimeoutExpired):
            os.killpg(self.process.pid, 9)
            self.process.wait()
        os.close(self._out)
        os.close(self._in)
        shutil.rmtree(self._profile, ignore_errors=True)

    def _read(self, until):
        while b"\0" not in self._buffer:
            if not select.select([self._in], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self._in, 1 << 16)
            if not part:
                raise EOFError("the browser has ended")
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def _ask(self, method, session=None, **params):
        self._number += 1
        message = {"id": self._number, "method": method, "params": params} | ({"sessionId": session} if session else {})
        os.write(self._out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + self.patience
        while True:
            answer = self._read(until)
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            if answer.get("method") in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"):
                self.messages.append(answer["params"])

    def ask(self, method, **params):
        """The result of a command to the page."""
        return self._ask(method, self._session, **params)

    def evaluate(self, expression):
        """The value of an expression, promises waited for."""
        found = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, expression, seconds=60):
        """Wait until an expression is true."""
        until = time.monotonic() + seconds
        while not self.evaluate(expression):
            assert time.monotonic() < until, f"{expression} does not become true"
            time.sleep(0.05)

    def open(self, url):
        self.ask("Page.navigate", url=url)

    def resize(self, width, height):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        """Prefer `light` or `dark`."""
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def mouse(self, kind, x, y, **params):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **params)

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", captureBeyondViewport=True)["data"]))
