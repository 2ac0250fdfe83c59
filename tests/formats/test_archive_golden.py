"""Files that earlier versions wrote are read, and give what they gave then."""

import json
from pathlib import Path

import ml_dtypes
import numpy
import pytest

import hybridize
from hybridize import np
from hybridize.base.errors import VerificationError
from hybridize.base.nested import flatten
from hybridize.formats import read_archive
from hybridize.formats.archive.container import PROGRAM, checksum, chunks, opened
from hybridize.programs.saving import RANDOM

GOLDEN = Path(__file__).parent / "golden"
CALLS = json.loads((GOLDEN / "calls.json").read_text())


def read(value):
    if not isinstance(value, dict):
        return value
    dtype = ml_dtypes.bfloat16 if value["dtype"] == "bfloat16" else value["dtype"]
    return numpy.asarray(value["data"]).astype(dtype)


@pytest.mark.parametrize("images", [False, True])
@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.hybridize")), ids=lambda path: path.stem)
def test_golden_files_give_what_they_gave(path, images):
    loaded = hybridize.load(path, images=images)
    words = read_archive(path).weights.get(RANDOM)
    if words is not None:  # it draws from `hybridize.random`, which had this state when the file was written
        hybridize.random.state[...] = words
    for call in CALLS[path.stem.partition("-")[2]]:
        leaves, _ = flatten(loaded(*map(read, call["arguments"])))
        assert len(leaves) == len(call["result"])
        for found, expected in zip(leaves, map(read, call["result"]), strict=True):
            if isinstance(found, np.ndarray):
                assert str(found.dtype) == str(expected.dtype)
                tolerance = 2e-2 if found.dtype.name == "bfloat16" else 1e-5
                numpy.testing.assert_allclose(
                    found.asnumpy().astype("f8"), expected.astype("f8"), rtol=tolerance, atol=tolerance
                )
            else:
                assert found == expected


def test_every_version_has_its_files():
    names = {path.stem for path in GOLDEN.glob("*.hybridize")}
    assert names == {f"v2-{name}" for name in CALLS}


@pytest.mark.parametrize("name", CALLS)
def test_golden_files_verify_themselves(name):
    hybridize.load(GOLDEN / f"v2-{name}.hybridize", verify=True)
    hybridize.load(GOLDEN / f"v2-{name}.hybridize", verify=True, images=True)


def test_files_that_are_not_what_they_say_do_not_verify(tmp_path):
    """The file is sound; a weight was exchanged with all checksums made right."""
    container = opened(str(GOLDEN / "v2-mlp.hybridize"))
    tree = container.program()
    tensors = {name: container.array(name) for name in container.entries if name != PROGRAM}
    next(array for name, array in tensors.items() if name.startswith("weight:"))[...] += 1
    tree["checks"] = [checksum(array) for array in tensors.values()]
    (tmp_path / "f").write_bytes(b"".join(chunks(tensors, json.dumps(tree).encode())))
    hybridize.load(tmp_path / "f")
    with pytest.raises(VerificationError, match="E810"):
        hybridize.load(tmp_path / "f", verify=True)
