"""What `test_windows.py` runs in Python for Windows: `windows_steps.py NAME ARGS`."""

import ctypes
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy

import hybridize
from hybridize import np
from hybridize.gluon import data, nn

X = numpy.linspace(-1, 1, 16, dtype="f4").reshape(1, 16)


def get_net():
    """A net of these weights, hybridized and called."""
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="tanh"), nn.Dense(3))
    net.initialize()
    net(np.array(X))
    for number, parameter in enumerate(net.collect_params().values()):
        parameter.set_data(np.array(numpy.random.default_rng(number).normal(size=parameter.shape).astype("f4")))
    net.hybridize()
    net(np.array(X))
    return net


def export(folder, kind, target=None):
    """Export the net; print the checks, and write its result."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    net = get_net()
    options = {"name": "wine-net", "version": "1.0"} if kind == "wheel" else {}
    print(net.export(Path(folder, "net"), format=kind, targets=target, **options))
    numpy.save(Path(folder, "result.npy"), net(np.array(X)).asnumpy())


def call(folder):
    """Call an exported library by Python's own means."""
    folder = Path(folder)
    model = runpy.run_path("examples/deploy/python/model.py", run_name="model")["Model"]
    (result,) = model(folder / "net.dll")(X).values()
    numpy.testing.assert_allclose(result, numpy.load(folder / "result.npy"), rtol=1e-5)


def at_once(cache):
    """Four processes that compile one program at once with an empty cache; then one that finds it."""
    command = [sys.executable, "tests/platforms/exchanged.py", "call"]
    environment = {**os.environ, "HYBRIDIZE_CACHE": "1", "HYBRIDIZE_CACHE_DIR": cache}
    started = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    print(*(process.communicate()[0].strip() or process.returncode for process in started))
    print(subprocess.run(command, env=environment, capture_output=True, text=True).stdout.strip())


class Squares(data.Dataset):
    """A data set that a started process can make anew."""

    def __len__(self):
        return 40

    def __getitem__(self, number):
        return numpy.full(3, number**2, "f4"), os.getpid()


def load(threads):
    """Batches of two workers."""
    threads = threads == "threads"
    loader = data.DataLoader(Squares(), 4, num_workers=2, thread_pool=threads)
    for _ in range(2):
        batches = list(loader)
        values = [float(row[0]) for rows, _ in batches for row in rows]
        assert values == [number**2 for number in range(40)], values
    makers = {int(maker) for _, numbers in batches for maker in numbers}
    assert (os.getpid() in makers) == threads
    print(len(makers))


def places():
    """Save, load and export below folders of long names, with blanks and other letters.

    Wine does not tell the final path of a file beyond 260 characters, which our temporary names have at 190.
    """
    x, net = np.array(X), get_net()
    for name in ("two words", "Größe ✔ 重み", "/".join(["a" * 60] * 2)):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch, name)
            folder.mkdir(parents=True)
            net.save(folder / "net")
            numpy.testing.assert_array_equal(hybridize.load(folder / "net")(x).asnumpy(), net(x).asnumpy())
            checks = net.export(folder / "net", format="library").checks
            assert any("as expected" in check for check in checks), checks
            print(len(os.fspath(folder)), sorted(path.name for path in folder.iterdir()))


def locked(folder):
    """Save over a file that another process reads, and over one whose sharing it does not grant."""
    path = Path(folder, "net")
    get_net().save(path)
    reader = "import sys; file = open(sys.argv[1], 'rb'); print('open', flush=True); sys.stdin.read()"
    (file,) = Path(folder).iterdir()
    with subprocess.Popen(
        [sys.executable, "-c", reader, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline().strip() == b"open"
        try:
            get_net().save(path)
        except hybridize.errors.WriteError as error:
            print(error)
        assert sorted(Path(folder).iterdir()) == [file]
        threading.Timer(0.1, other.stdin.close).start()  # as a scanner does
        get_net().save(path)
    print("saved")


def endless(x):
    """Compute until somebody interrupts."""
    while x.sum() > -1:
        x = np.sin(x) + 1
    return x


def loop():
    """A compiled loop that Ctrl-C ends."""
    compiled = hybridize.hybridize(endless)
    for _ in range(3):
        compiled(np.full(2, -9.0))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print("begins", flush=True)
    try:
        compiled(np.ones(2))
    except KeyboardInterrupt:
        print("ended", float(compiled(np.full(2, -9.0))[0]))


def ctrl_c():
    """Press Ctrl-C in the console of a process."""
    kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    kernel.FreeConsole()
    print("console", kernel.AllocConsole(), ctypes.get_last_error(), flush=True)
    command = [sys.executable, __file__, "loop"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL) as process:
        assert process.stdout.readline().strip() == b"begins"
        time.sleep(0.3)
        kernel.SetConsoleCtrlHandler(None, True)
        begin = time.perf_counter()
        assert kernel.GenerateConsoleCtrlEvent(0, 0), ctypes.get_last_error()
        print(process.stdout.readline().decode().strip())
        print(f"{time.perf_counter() - begin:.2f} s")


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
