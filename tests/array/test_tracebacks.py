# SPDX-License-Identifier: Apache-2.0
"""Errors of ours leave functions and methods of arrays with no frame of the package, whoever shows the traceback."""

import traceback
import warnings

import pytest

import hybridize
from hybridize import nd, np, npx
from hybridize.errors import ArgumentError, HybridizeError
from tests.refusals import refusal

PACKAGE = hybridize.__path__[0]
OWNERS = {"np": np, "npx": npx, "ndarray": np.ones((2, 3)), "NDArray": nd.ones((2, 3))}
ODD = [(object(),), ("a",), (None,), (2.5,), (np.ones((2, 3)), object()), (np.ones((2, 3)), "a")]


def left(function, args):
    """Return the frames of the package in the traceback of the error that a call raises; none where it is not ours."""
    try:
        function(*args)
    except HybridizeError as error:
        return [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(PACKAGE)]
    except Exception:
        return []
    return []


@pytest.mark.parametrize("owner", OWNERS)
def test_no_error_leaves_with_frames_of_the_package(owner, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused = 0
    with warnings.catch_warnings(action="ignore"):
        for name in dir(OWNERS[owner]):
            skipped = name.startswith(("_", "set", "reset", "seed"))  # states of all tests
            function = None if skipped else getattr(OWNERS[owner], name, None)
            if callable(function) and not isinstance(function, type):
                for args in ODD:
                    frames = left(function, args)
                    assert not frames, f"{name}{args}: {frames}"
                    refused += 1
    assert refused > 100


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda x: x.copy(3, 4),
            r"E344: ndarray\.copy\(\) takes .* arguments.*\nhelp: its arguments are \(order='C'\)",
        ),
        (lambda x: x.softmax(1, 2, 3, 4), r"E344: ndarray\.softmax\(\) takes .*\nhelp: its arguments are \(axis="),
        (lambda x: x.view(int, 3), r"E344: ndarray\.view\(\) takes .*\nhelp: its arguments are \(dtype=None\)"),
        (lambda x: x.put(), r"E344: ndarray\.put\(\) missing .*'indices' and 'values'\nhelp: .*\(indices, values, "),
        (lambda x: x.item(object()), "E344: item.*\nhelp: pass an index"),
        (lambda x: x.tofile(object()), "E344: tofile takes a path or a file, got object\nhelp: "),
    ],
)
def test_a_method_is_named_by_the_class_of_its_array(call, words):
    with refusal(ArgumentError, words) as caught:
        call(np.ones((2, 3)))
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert not [frame for frame in frames if frame.filename.startswith(PACKAGE)]


@pytest.mark.parametrize("call", [np.seterr, np.errstate])
@pytest.mark.parametrize("kind", ["all", "divide", "over", "under", "invalid"])
def test_what_is_no_way_to_report_results(call, kind):
    before = np.geterr()
    with refusal(ArgumentError, rf"E345: {kind} of \w+ must be ignore, .*, got 'foo'\nhelp: "):
        call(**{kind: "foo"})
    assert np.geterr() == before
