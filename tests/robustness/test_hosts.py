# SPDX-License-Identifier: Apache-2.0
"""The chapter's net and a training step in processes whose surroundings lack something: files, memory, threads, rights.

Each is a process of its own; those that need a namespace of mounts run where the tests may make one.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hybridize

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform != "linux", reason="surroundings of Linux")]

PROGRAM = """
import os
import hybridize
from hybridize import autograd, gluon, np
from hybridize.gluon import nn

net = nn.HybridSequential()
net.add(nn.Dense(256, activation="relu"), nn.Dense(128, activation="relu"), nn.Dense(2))
net.initialize()
x = np.random.normal(size=(1, 512))
expected = net(x)
net.hybridize()
for _ in range(3):
    assert abs(net(x) - expected).max() < 1e-5
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 1e-3})
loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()

@hybridize.hybridize
def train(x, y):
    with autograd.record():
        loss = loss_fn(net(x), y)
    loss.backward()
    trainer.step(len(x))
    return loss.mean()

losses = [float(train(x, np.array([1]))) for _ in range(4)]
assert losses[-1] < losses[0]
large = np.random.uniform(0, 1, (1200, 1200))
product = hybridize.hybridize(lambda x: np.dot(x, x).sum() + np.exp(x).sum())
values = [float(product(large)) for _ in range(4)]
assert abs(values[-1] / float(np.dot(large, large).sum() + np.exp(large).sum()) - 1) < 1e-4
print("right", losses[0])
"""

CHECKOUT = str(Path(hybridize.__file__).parents[1])


def run(*command, **environment):
    """Run the program by a command in front of it, with few variables in the environment; returns what it printed."""
    path = os.pathsep.join([CHECKOUT, *(one for one in sys.path if "site-packages" in one)])
    variables = {"PYTHONPATH": path, "PATH": os.environ["PATH"], **environment}
    line = [*command, sys.executable, "-c", PROGRAM]
    done = subprocess.run(line, env=variables, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("right "), done.stdout
    return done


ENVIRONMENTS = {
    "nothing": {},
    "no home": {"HOME": "/nonexistent"},
    "nowhere to write": {"HOME": "/proc", "TMPDIR": "/proc", "XDG_CACHE_HOME": "/proc"},
    "latin-1": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "latin-1"},
    "odd settings": {"TZ": "Odd/Zone", "PYTHONHASHSEED": "7", "PYTHONSAFEPATH": "1", "LC_ALL": "POSIX"},
}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_environments(name):
    run(**ENVIRONMENTS[name])


LIMITS = {
    "memory of 512 MB": ("ulimit -v 524288", {"OPENBLAS_NUM_THREADS": "1", "HYBRIDIZE_CACHE": "0"}),
    "sixteen files": ("ulimit -n 16", {}),
    "files for nobody else": ("umask 077", {}),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits(name, tmp_path):
    limit, variables = LIMITS[name]
    run("sh", "-c", f'{limit}; exec "$@"', "sh", HYBRIDIZE_CACHE_DIR=str(tmp_path), **variables)


def test_threads_that_cannot_start(tmp_path):
    """Where a user may have no more of them, one thread does it all."""
    if os.geteuid() or shutil.which("setpriv") is None or not os.access("/usr/bin/python3", os.X_OK):
        pytest.skip("another user's limits need root, setpriv and a Python that all may run")
    path = os.pathsep.join([CHECKOUT, *(one for one in sys.path if "site-packages" in one)])
    user = [
        "setpriv",
        "--reuid",
        "65534",
        "--regid",
        "65534",
        "--clear-groups",
        "sh",
        "-c",
        'ulimit -u 1; exec "$@"',
        "sh",
    ]
    done = subprocess.run(
        [*user, "/usr/bin/python3", "-c", PROGRAM], capture_output=True, text=True, timeout=300, check=False,
        env={"PYTHONPATH": path, "PATH": os.environ["PATH"], "OPENBLAS_NUM_THREADS": "1", "HYBRIDIZE_NUM_THREADS": "4"},
    )  # fmt: skip
    if "No module named" in done.stderr or "Permission denied" in done.stderr:
        pytest.skip("the packages are not readable by all, or for another Python")
    assert done.stdout.startswith("right "), done.stderr[-2000:]


MOUNTS = {
    "no /proc": "umount -l /proc",
    "no /sys and no /proc": "mount -t tmpfs none /sys && umount -l /proc",
    "a read-only root": "for m in / /tmp /var/tmp /dev/shm; do mount --bind $m $m && mount -o remount,bind,ro $m; done",
    "no shared memory": "mount -t tmpfs -o ro none /dev/shm",
    "no code in /tmp": "mount -t tmpfs -o noexec none /var/tmp && export TMPDIR=/var/tmp XDG_CACHE_HOME=/var/tmp/cache",
}


@pytest.mark.parametrize("name", MOUNTS)
def test_mounts(name):
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no namespaces of mounts here")
    run("unshare", "-m", "sh", "-c", f'{MOUNTS[name]} && exec "$@"', "sh")


@pytest.mark.parametrize("flags", [["-I"], ["-E", "-s"], ["-S"]], ids=" ".join)
def test_flags_of_python(flags):
    paths = [CHECKOUT, *(one for one in sys.path if "site-packages" in one)]
    program = f"import sys; sys.path[:0] = {paths!r}\n{PROGRAM}"
    done = subprocess.run(
        [sys.executable, *flags, "-c", program], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.stdout.startswith("right "), done.stderr[-2000:]
