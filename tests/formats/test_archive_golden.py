"""Files that earlier versions wrote are read, and give what they gave then."""

import json
from pathlib import Path

import ml_dtypes
import numpy
import pytest

import hybridize
from hybridize import np
from hybridize.base.nested import flatten

GOLDEN = Path(__file__).parent / "golden"
CALLS = json.loads((GOLDEN / "calls.json").read_text())


def read(value):
    if not isinstance(value, dict):
        return value
    dtype = ml_dtypes.bfloat16 if value["dtype"] == "bfloat16" else value["dtype"]
    return numpy.asarray(value["data"]).astype(dtype)


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.hybridize")), ids=lambda path: path.stem)
def test_golden_files_give_what_they_gave(path):
    loaded = hybridize.load(path)
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
    assert {f"v1-{name}" for name in CALLS} <= names
