"""What the tests of WebAssembly share: programs written into a folder, and called in Node."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import ml_dtypes
import numpy
import pytest

import hybridize
from hybridize.formats.deployable import Deployable, deployable
from hybridize.formats.wasm import write_wasm
from tests.formats.wasm.browsing import blank, browsing

HERE = Path(__file__).parent
KINDS = {
    "bool": "Uint8Array", "int8": "Int8Array", "int16": "Int16Array", "int32": "Int32Array", "int64": "BigInt64Array",
    "uint8": "Uint8Array", "uint16": "Uint16Array", "uint32": "Uint32Array", "uint64": "BigUint64Array",
    "float16": "Uint16Array", "bfloat16": "Uint16Array", "float32": "Float32Array", "float64": "Float64Array",
}  # fmt: skip


@dataclass
class Answers:
    """What calls gave: a dict of arrays each, or the error's name and message."""

    outcomes: list
    printed: list
    model: dict


class Model:
    """A program written as WebAssembly."""

    def __init__(self, folder, program, name="net"):
        self.deployable = program if isinstance(program, Deployable) else deployable(program)
        self.files = [Path(file) for file in write_wasm(self.deployable, folder / name)]
        self.wasm, self.mjs, self.types = self.files

    def calls(self, *calls):
        """Run calls in one process: dicts of inputs, or {"seed": n} and the like."""
        asked = [call if "seed" in call else {"inputs": {k: given(v) for k, v in call.items()}} for call in calls]
        question = json.dumps({"module": str(self.mjs), "calls": asked})
        done = subprocess.run(["node", HERE / "calls.mjs"], input=question, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        answers = json.loads(done.stdout)
        types = {tensor.name: tensor.type.dtype for tensor in self.deployable.outputs}
        outcomes = [
            (one["error"], one["message"])
            if "error" in one
            else {name: array(told, types[name]) for name, told in one["outputs"].items()}
            for one in answers["outcomes"]
        ]
        return Answers(outcomes, answers["printed"], answers["model"])


@dataclass
class Plain:
    """An array that is given without its shape."""

    array: numpy.ndarray


def given(value):
    """As calls.mjs reads it."""
    plain = isinstance(value, Plain)
    x = value.array if plain else value
    if not isinstance(x, numpy.ndarray):
        return x
    return {"kind": KINDS[x.dtype.name], "hex": x.tobytes().hex(), "shape": x.shape, "plain": plain}


def array(told, dtype):
    """An array that calls.mjs tells."""
    assert told["kind"] == KINDS[dtype.name]
    return numpy.frombuffer(bytes.fromhex(told["hex"]), dtype).reshape(told["shape"])


@pytest.fixture
def wasm(tmp_path, system):
    """`wasm(function, *calls)`: the function hybridized, called so, and written as WebAssembly."""
    system("node")

    def made(function, *calls, name="net"):
        program = hybridize.hybridize(function)
        for call in calls:
            program(*call)
        return Model(tmp_path, program.saved(), name)

    return made


@pytest.fixture
def plain():
    return Plain


@pytest.fixture
def written(tmp_path, system):
    """`written(deployable)`: the same of what is deployable already."""
    system("node")
    return lambda found: Model(tmp_path, found, found.name)


DTYPES = [numpy.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name) for name in KINDS]


@pytest.fixture(params=DTYPES, ids=str)
def dtype(request):
    return request.param


@pytest.fixture
def dtypes():
    return DTYPES


# A browser whose GPU is computed, and a folder of files that it sees


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("web")


@pytest.fixture(scope="module")
def browser(folder, tmp_path_factory, request):
    request.getfixturevalue("system")("chromium")
    with browsing(folder, tmp_path_factory.mktemp("profile") / "profile") as page:
        yield page


@pytest.fixture
def page(browser):
    blank(browser)
    return browser
