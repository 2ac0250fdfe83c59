# SPDX-License-Identifier: Apache-2.0
"""Models of ONNX by the packages that others have for them, where these are installed: the only import of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy

from hybridize.base.errors import VerificationError
from hybridize.base.loading import LOADING
from hybridize.formats import checking
from hybridize.formats.checking import Answer, Trial
from hybridize.formats.deployable import Deployable
from hybridize.system.interruptions import let_through

_ERROR: Final = 1e-6
"""The absolute error of its sigmoid is 1e-7, so that of small results no digit is right; what was written
is compared without any slack when our reader runs it."""


def checked(path: str, title: str) -> str:
    """Check a file by the onnx package; return what was checked.

    Raises:
        VerificationError E812: it finds a fault.
    """
    try:
        with LOADING:
            import onnx
    except ImportError:
        return f"{title}: not checked by the onnx package: it is not installed"
    try:
        onnx.checker.check_model(path, full_check=True)
    except Exception as error:  # of any class: what the package raises for a fault
        let_through(error)
        text = f"onnx.checker finds a fault: {str(error).strip().splitlines()[0]}; nothing was written"
        raise VerificationError("E812", text, help="please report it") from None
    return f"{title} by onnx {onnx.__version__}: operators, types and shapes fit"


def run(model: Deployable, path: str, title: str, calls: Sequence[Trial]) -> str:
    """Run a file by ONNX Runtime; return what was compared.

    Raises:
        VerificationError E810, E812: it gives something else, or an error.
    """
    try:
        with LOADING:
            import onnxruntime
    except ImportError:
        return f"{title}: not run by ONNX Runtime: it is not installed"
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # of any class: those of ONNX Runtime have a base in C++
        let_through(error)
        if _lacks(error):
            return f"{title}: not run by ONNX Runtime, which has no code for it: {_first_line(error)}"
        raise VerificationError("E812", f"ONNX Runtime refuses {title}: {_first_line(error)}; nothing was written",
                                help="please report it") from None  # fmt: skip
    names = [one.name for one in session.get_inputs()]
    answers = [_answer(session, names, call) for call in calls]
    return checking.compared(calls, answers, model, f"{title} by ONNX Runtime {onnxruntime.__version__}", _ERROR)


def _answer(session: Any, names: Sequence[str], call: Trial) -> Answer:
    inputs = {name: numpy.asarray(array, order="C") for name, array in zip(names, call.inputs, strict=True)}
    try:
        return Answer(0, "", tuple(session.run(None, inputs)))
    except Exception as error:  # of any class: see above
        let_through(error)
        return Answer(checking.SIZE if call.refusable else 1, _first_line(error), ())


def _lacks(error: Exception) -> bool:
    """Tell whether ONNX Runtime takes the model for valid and has no code for an operator or a dtype of it."""
    text = str(error)
    return "NOT_IMPLEMENTED" in text or "Could not find an implementation" in text or "is under development" in text


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0][:300]
