# SPDX-License-Identifier: Apache-2.0
"""Signals while a compiled loop runs in programs of others: a kernel of Jupyter, `hybridize serve`, time limits of tests."""

import json
import os
import signal
import subprocess
import sys
import threading
import urllib.request

import pytest
from jupyter_client.manager import start_new_kernel

import hybridize
from hybridize import np
from tests.platforms.marks import signals

pytestmark = signals

ENDLESS = """
from hybridize import hybridize, np

@hybridize
def endless(x):
    while x.sum() > -1:
        x = np.sin(x) + 1
    return x

for _ in range(3):
    endless(np.full(2, -9.0))
"""


@pytest.mark.long
def test_the_interrupt_of_a_kernel_of_jupyter():
    """The cell ends with KeyboardInterrupt, at the user's line; the next cell runs the same program."""
    manager, client = start_new_kernel(kernel_name="python3")
    try:

        def interrupt(message):
            if message["msg_type"] == "stream" and "begun" in message["content"]["text"]:
                threading.Timer(0.3, manager.interrupt_kernel).start()

        def run(code):
            """Run a cell, which is interrupted once it prints that it has begun; return its error and the traceback."""
            content = client.execute_interactive(code, timeout=60, output_hook=interrupt)["content"]
            return content.get("ename"), "".join(content.get("traceback", ()))

        assert run(ENDLESS) == (None, "")
        for _ in range(2):
            name, text = run("print('begun', flush=True)\nendless(np.ones(2))")
            assert name == "KeyboardInterrupt" and "hybridize/" not in text, text
        assert run("assert endless(np.full(2, -9.0))[0] == -9") == (None, "")
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def turns(x):
    """Return how many turns it took: as many as the first number says, of microseconds each."""
    k, y = x[:, 0] * 0, np.ones(500)
    while k[0] < x[0, 0]:
        y = np.sin(y) + 1
        k = k + y[0] / y[0]
    return k


def _drained(process, ask, number):
    assert ask(5) == [5]
    answers = []
    thread = threading.Thread(target=lambda: answers.append(ask(3e6)))
    thread.start()
    thread.join(0.5)
    assert thread.is_alive(), "the request was over before the signal"
    process.send_signal(number)
    thread.join()
    assert answers == [[3e6]]
    assert process.wait(60) == 0


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_drains_the_server_of_a_long_request(number, tmp_path):
    """The loop belongs to another thread than the signal: the client has its answer, the process ends with 0."""
    function = hybridize.hybridize(turns)
    for rows in (2, 3):
        function(np.full((rows, 1), 9.0))
    function.save(tmp_path / "turns")
    command = [sys.executable, "-m", "hybridize", "serve", tmp_path / "turns", "--port", "0", "--drain", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        lines = map(json.loads, process.stderr)
        listening = next(line for line in lines if line["event"] == "listening")

        def ask(count):
            tensor = {"name": "x", "datatype": "FP32", "shape": [1, 1], "data": [count]}
            data = json.dumps({"inputs": [tensor]}).encode()
            request = urllib.request.Request(f"{listening['rest']}/v2/models/turns/infer", data)
            with urllib.request.urlopen(request, timeout=300) as answer:
                return json.loads(answer.read())["outputs"][0]["data"]

        try:
            _drained(process, ask, number)
        finally:
            process.kill()


def ended_by(code, tmp_path):
    """Run an endless loop in a process that ends by `code`, and return how it ended."""
    (tmp_path / "program.py").write_text(f"{ENDLESS}\n{code}\nendless(np.ones(2))\n")
    path = os.pathsep.join([str(os.path.dirname(os.path.dirname(hybridize.__file__))), *sys.path])
    return subprocess.run(
        [sys.executable, "program.py"], cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, timeout=120,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_time_limit_by_a_thread(tmp_path):
    """As pytest-timeout's method `thread`: another thread runs beside the loop, shows the stacks and ends the process."""
    code = """
import faulthandler, os, sys, threading
def late():
    faulthandler.dump_traceback(all_threads=True)
    os._exit(7)
threading.Timer(0.3, late).start()
"""
    done = ended_by(code, tmp_path)
    assert done.returncode == 7 and 'program.py", line' in done.stderr


def test_a_time_limit_by_a_signal():
    """As pytest-timeout's method `signal`: what the handler raises is no Exception, and fails the test."""
    compiled = hybridize.hybridize(turns)
    for rows in (2, 3, 2):
        compiled(np.full((rows, 1), 9.0))

    def handler(number, frame):
        pytest.fail("Timeout")

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(pytest.fail.Exception, match="Timeout"):
            compiled(np.full((2, 1), 1e9))  # for ever: the float32 after 2**24 is no turn away
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert compiled(np.full((2, 1), 9.0)).asnumpy().tolist() == [9, 9]
