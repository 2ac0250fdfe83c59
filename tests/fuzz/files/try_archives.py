"""Loads and runs archives that are damaged or forged, and says of each what came of it, a line of JSON for each.

    python try_archives.py < JOBS
    [{"archive": PATH, "calls": [[...]], "kind": "damaged"|"forged", "seed": 1, "first": 0, "count": 100, "others": [PATH]}]

With `"raise": true` the first wrong error is raised, so that one file can be looked at. A process of its own, since what is asked is also whether it survives. A line with nothing but the number says that the
file is being tried; if it is the last one, the process died of it.
"""

import faulthandler
import itertools
import json
import os
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any

os.environ["HYBRIDIZE_CACHE"] = "0"

import damage
import forgery
import numpy

import hybridize
from hybridize.base.errors import HybridizeError, LoadError, VerificationError
from hybridize.base.nested import flatten
from hybridize.capture import SavedFunction
from hybridize.formats import read_archive
from hybridize.tools import contents

CPU_S = float(os.environ.get("HYBRIDIZE_SLOWER", "1"))
"""What reading a file may take."""
CALL_S = 5
"""After which a call that NumPy runs is stopped: a program that somebody wrote may run for ever."""
CONSTANT_BYTES = 24 << 20
"""Memory that reading may take besides twice the file: pages of the reader itself, errors with their tracebacks."""
ADDRESSES = 16 << 30
"""What the process may have mapped, so that a huge allocation fails instead of taking the machine."""


WORST = {"seconds": 0.0, "bytes": 0}
"""The longest time, and the most memory beyond twice the file."""


class Stopped(BaseException):
    """A call took too long."""


def status(word: str) -> int:
    """Bytes of VmHWM or VmRSS."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(word):
            return int(line.split()[1]) << 10
    raise OSError(word)


def whole(program: Any) -> Any:
    """All that a file says, read to the last byte."""
    signatures = []
    for one in program.signatures:
        graph = one.graph
        samples = [[(a.tobytes(), a.shape, str(a.dtype)) for a in (*s.inputs, *s.outputs)] for s in one.samples]
        lines = [str(node.loc) for node in graph.nodes]
        said = [
            str(x)
            for x in (one.arguments, one.leaves, one.result, one.result_leaves, one.state, one.writes, one.training)
        ]
        signatures.append((graph.text, lines, said, samples, [code.read() for code in one.codes]))
    weights = [(name, array.tobytes(), array.shape, str(array.dtype)) for name, array in program.weights.items()]
    process = [(code.kind, code.target, code.abi, code.read()) for code in program.process]
    said = [program.name, program.argument_names, sorted(program.options.items())]
    return signatures, weights, process, said


def called(function: Any, calls: Any) -> list[bytes]:
    """What calls give, as bytes."""
    found = []
    for arguments in calls:
        leaves, structure = flatten(function(*map(value, arguments)))
        found += [str(structure).encode(), *map(content, leaves)]
    return found


def content(leaf: Any) -> bytes:
    return leaf.asnumpy().tobytes() if isinstance(leaf, hybridize.np.ndarray) else repr(leaf).encode()


def value(argument: Any) -> Any:
    """An argument as calls.json has it."""
    if not isinstance(argument, dict):
        return argument
    dtype = hybridize.np.bfloat16 if argument["dtype"] == "bfloat16" else argument["dtype"]
    return hybridize.np.array(numpy.asarray(argument["data"]), dtype=dtype)


class Trial:
    """One original, and what it gives."""

    def __init__(self, path: Path, calls: Any) -> None:
        self.calls = calls
        self.content = whole(read_archive(path))
        self.by_image, self.by_compiler = (self.loaded(path, images) for images in (True, False))

    def loaded(self, path: Path, images: bool) -> list[bytes]:
        program = hybridize.load(path, images=images)
        hybridize.random.seed(0)
        return called(program, self.calls)

    def damaged(self, path: Path) -> str:
        """A file whose checksums do not fit: refused, or read with what does, or the same to the last byte."""
        before = reading()
        try:
            program = read_archive(path)
            same = whole(program) == self.content
            said = "same" if same else "TAKEN FOR GOOD"
        except LoadError as error:
            said = refusal(error, path)
        said = within(before, path) or said
        for images, known in ((True, self.by_image), (False, self.by_compiler)):
            try:
                if self.loaded(path, images) != known:
                    return f"ANOTHER RESULT with images={images}"
            except LoadError as error:
                if said == "same":
                    return f"REFUSED ON LOADING ONLY: {refusal(error, path)}"
                said = refusal(error, path) if said.startswith("refused") else said
        return listed(path) or said

    def forged(self, path: Path) -> str:
        """A file of somebody's: refused, or another program, that runs or fails like one."""
        before = reading()
        said = "sound"
        try:
            whole(read_archive(path))
        except LoadError as error:
            said = refusal(error, path)
        said = within(before, path) or said
        if said == "sound":
            said = self.run(path)
        return listed(path) or said

    def run(self, path: Path) -> str:
        signal.alarm(CALL_S)
        try:
            verified(path)
            called(SavedFunction(read_archive(path), owned=True, backend="numpy"), self.calls)
            return "runs"
        except Stopped:
            return "runs on and on"
        except HybridizeError as error:
            return f"fails {error.code}"
        finally:
            signal.alarm(0)


def verified(path: Path) -> None:
    """`load(verify=True)`: the samples are somebody's, too; a forged file may have none."""
    try:
        hybridize.load(path, verify=True)
    except VerificationError:
        pass
    except LoadError as error:
        if error.code != "E653":
            raise


def reading() -> tuple[float, int]:
    """Time and memory now; peaks begin here."""
    Path("/proc/self/clear_refs").write_text("5")
    return time.process_time(), status("VmRSS")


def within(before: tuple[float, int], path: Path) -> str:
    """What is wrong with the time and the memory since."""
    seconds, grown = time.process_time() - before[0], status("VmHWM") - before[1]
    WORST["seconds"], WORST["bytes"] = (
        max(WORST["seconds"], seconds),
        max(WORST["bytes"], grown - 2 * path.stat().st_size),
    )
    if seconds > CPU_S:
        return f"SLOW: {seconds:.1f} s"
    if grown > 2 * path.stat().st_size + CONSTANT_BYTES:
        return f"LARGE: {grown:,} bytes for a file of {path.stat().st_size:,}"
    return ""


def refusal(error: LoadError, path: Path) -> str:
    """The code; a text that does not say which file it is about, or what is wrong, is useless."""
    good = error.code.startswith("E6") and path.name in error.what and len(error.what) < 2000
    return f"refused {error.code}" if good else f"USELESS TEXT: {str(error)[:500]}"


def listed(path: Path) -> str:
    """`hybridize inspect` shows the file, or says why not."""
    try:
        contents.tables(path)
    except LoadError as error:
        said = refusal(error, path)
        return "" if said.startswith("refused") else said
    return ""


def stop(*_: object) -> None:
    raise Stopped


def tried(job: dict[str, Any]) -> None:
    """Try `count` files from the one with the number `first` on."""
    path = Path(job["archive"])
    data = path.read_bytes()
    trial = Trial(path, job["calls"])
    if job["kind"] == "damaged":
        borders = forgery.Archive(data).borders
        others = [Path(other).read_bytes() for other in job["others"]]
        files = damage.damaged(data, borders, others, job["seed"])
    else:
        files = forgery.forged(data, job["seed"])
    target = path.with_name(f"{job['kind']}-{os.getpid()}-{path.name}")
    numbered = itertools.islice(enumerate(files), job["first"], job["first"] + job["count"])
    for number, (what, data) in numbered:
        line = {"archive": path.name, "kind": job["kind"], "seed": job["seed"], "number": number, "what": what[:200]}
        print(json.dumps(line), flush=True)
        target.write_bytes(data)
        try:
            said = trial.damaged(target) if job["kind"] == "damaged" else trial.forged(target)
        except Exception as error:
            said = f"WRONG ERROR {type(error).__name__}: {str(error)[:500]}"
            if job.get("raise"):
                raise
        print(json.dumps({**line, "said": said}), flush=True)
    target.unlink(missing_ok=True)


if __name__ == "__main__":
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    signal.signal(signal.SIGALRM, stop)
    for job in json.load(sys.stdin):
        tried(job)
    print(json.dumps(WORST))
