"""Progress is shown on a terminal, after two seconds, and nowhere else."""

import os
import re
import select
import subprocess
import sys
import time

import pytest

from hybridize.base import progress

SLOW = """
import sys, time
from hybridize.base import progress
progress.AFTER_S = {after}
with progress.showing("exporting net") as shown:
    shown.say("compiling", 3, 12)
    with progress.showing("machine code"):
        time.sleep({seconds})
    print("result")
print("after", file=sys.stderr)
"""


def on_terminal(program, columns=80, **environment):
    """Run a program whose standard error is a terminal; returns what each of the two streams got."""
    pty = pytest.importorskip("pty", reason="terminals are asked of POSIX")
    ours, theirs = pty.openpty()
    import fcntl
    import struct
    import termios

    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    command = [sys.executable, "-c", program]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=theirs, env={**os.environ, "TERM": "xterm", **environment}
    ) as process:
        os.close(theirs)
        parts = []
        until = time.monotonic() + 60
        while select.select([ours], [], [], max(0.0, until - time.monotonic()))[0]:
            try:
                part = os.read(ours, 1 << 16)
            except OSError:  # the terminal is gone
                break
            if not part:
                break
            parts.append(part)
        out = process.stdout.read().decode()
    os.close(ours)
    assert process.returncode == 0, b"".join(parts)
    return out, b"".join(parts).decode()


def test_a_terminal_sees_one_line_that_is_gone_in_the_end():
    out, shown = on_terminal(SLOW.format(after=0.1, seconds=0.6))
    assert out == "result\n"
    looks = shown.split(progress._CLEAR)
    assert looks[-1] == "after\r\n"
    assert "exporting net: compiling [#####...............] 3 of 12 > machine code" in looks[1]
    assert re.search(r"machine code \d+ s$", looks[1])
    assert "\n" not in "".join(looks[:-1])
    assert {look[:1] for look in looks[1:-2]} <= {*progress._TURNING}


def test_what_is_done_soon_shows_nothing():
    out, shown = on_terminal(SLOW.format(after=2.0, seconds=0.0))
    assert (out, shown) == ("result\n", "after\r\n")


def test_narrow_terminals_see_a_shortened_line():
    _, shown = on_terminal(SLOW.format(after=0.1, seconds=0.4), columns=40)
    looks = [look for look in shown.split(progress._CLEAR)[:-1] if look]
    assert looks
    assert all(len(look) < 40 and "..." in look and look.endswith(" s") for look in looks)


@pytest.mark.parametrize("environment", [{"HYBRIDIZE_PROGRESS": "0"}, {"TERM": "dumb"}])
def test_it_can_be_turned_off(environment):
    _, shown = on_terminal(SLOW.format(after=0.1, seconds=0.4), **environment)
    assert shown == "after\r\n"


def test_a_pipe_and_a_replaced_stream_see_nothing(monkeypatch):
    done = subprocess.run(
        [sys.executable, "-c", SLOW.format(after=0.1, seconds=0.4)], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("result\n", "after\n")
    replaced = "import io, sys\nsys.stderr = io.StringIO()\n" + SLOW.format(after=0.1, seconds=0.4)
    assert on_terminal(replaced)[1] == ""
    without = "import sys\nsys.stderr = None\n" + SLOW.format(after=0.1, seconds=0.3).replace(", file=sys.stderr", "")
    assert on_terminal(without)[1] == ""


def test_errors_and_forks_leave_no_line():
    program = """
import os, sys, time
from hybridize.base import progress
progress.AFTER_S = 0.05
try:
    with progress.showing("one"):
        time.sleep(0.3)
        child = os.fork()
        if child == 0:
            with progress.showing("child"):
                pass
            os._exit(len(progress._lines))
        status = os.waitpid(child, 0)[1]
        raise KeyError
except KeyError:
    pass
import threading
print(os.waitstatus_to_exitcode(status), len(progress._lines), threading.active_count())
"""
    out, shown = on_terminal(program)
    assert out == "0 0 1\n"
    assert shown.endswith(progress._CLEAR)


def test_only_the_thread_that_began_is_shown():
    program = """
import threading, time
from hybridize.base import progress
progress.AFTER_S = 0.05
def other():
    with progress.showing("other") as shown:
        print(shown is progress.NOBODY)
with progress.showing("one"):
    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    time.sleep(0.4)
"""
    out, shown = on_terminal(program)
    assert out == "True\n"
    assert "one" in shown
    assert "other" not in shown


NET = """
import time
from hybridize.base import progress
progress.AFTER_S = 0.0
progress.EVERY_S = 0.002
from hybridize import np
from hybridize.gluon import nn
import hybridize, os
net = nn.HybridSequential()
net.add(nn.Dense(71, activation="tanh"), nn.Dense(3))
net.initialize()
net.hybridize()
y = net(np.ones((3, 5)))
net.export({path!r}, format="archive")
hybridize.load({path!r})(np.ones((3, 5)))
net.save_parameters({path!r} + ".params")
net.load_parameters({path!r} + ".params")
"""


def test_capturing_compiling_exporting_and_loading_are_shown(tmp_path):
    program = NET.format(path=str(tmp_path / "model"))
    _, shown = on_terminal(program, columns=200, HYBRIDIZE_CACHE="0")
    for words in ("capturing HybridSequential", "compiling HybridSequential: ", "functions", "exporting model: "):
        assert words in shown
    assert "running it on its samples" in shown


def test_items_are_counted():
    program = """
import time
from hybridize.base import progress
progress.AFTER_S = 0.05
for item in progress.watched("reading files", [1, 2, 3, 4]):
    time.sleep(0.3)
"""
    _, shown = on_terminal(program)
    assert "reading files [#####...............] 1 of 4" in shown
