# SPDX-License-Identifier: Apache-2.0
"""The gradient of a parameter while a program is captured: its request, and whether it is fresh.

Both are facts of the parameter's variable, which each call of the program sets again. What the program has set itself
is its own from there on: it does not depend on what was there before.
"""

from __future__ import annotations

from typing import Any

from hybridize.array.traced import Variable
from hybridize.capture.python.writes import refused
from hybridize.capture.trace.recording import Recording, current_trace
from hybridize.contract.feeds import Feed, Setting
from hybridize.contract.places import Attribute


class Request(Feed):
    """The feed of a `grad_req` that a program sets: what comes later in the program goes by it."""

    def __init__(self, parameter: Any, request: str) -> None:
        self._parameter, self._request = parameter, request

    def before(self) -> Any:
        """Return what is asked for now."""
        return self._parameter.grad_req

    def begin(self, before: str) -> bool:
        """Set it."""
        self._parameter._request(self._request)
        return True

    def rollback(self, before: str) -> None:
        """Put what was before back."""
        self._parameter._request(before)


def request_in_turn(parameter: Any, request: str) -> bool:
    """Let calls of the program set `grad_req`, in turn; False where nothing is captured, or the parameter is made here.

    A program may switch between `write` and `add`; who has no gradient has no buffer that a program could write.

    Raises:
        CaptureError E407: to or from `null`.
        CaptureError E430: in a branch or loop that depends on data.
    """
    trace = _capturing(parameter)
    if trace is None:
        return False
    if trace.depth:
        raise refused(trace, "the attribute 'grad_req' is set")
    before = parameter.grad_req
    if request != before and "null" in (request, before):
        raise trace.refusal(
            "E407", f"grad_req of {parameter.name} is set from {before!r} to {request!r} inside of a compiled function",
            help="set it before the call; to leave parameters out, use detach(), autograd.pause() or a trainer of "
            "the other parameters",
        )  # fmt: skip
    variable = parameter._variable
    if variable is not None:
        trace.root.history.requests.setdefault(variable, variable.req)
    trace.begin(Request(parameter, request))
    _is_set(trace, parameter, "grad_req")
    return True


def set_fresh(parameter: Any, variable: Variable, fresh: bool) -> bool:
    """Let calls of the program say whether the gradient is fresh; False where nothing is captured.

    Raises:
        CaptureError E430: in a branch or loop that depends on data.
    """
    trace = _capturing(parameter)
    if trace is None:
        return False
    if trace.depth:
        raise refused(trace, "the attribute 'fresh_grad' is set")
    setting = Setting(variable, "fresh", bool(fresh))
    trace.root.history.set_fresh(variable, variable.fresh)  # what a later backward pass makes of it counts at the end
    trace.begin(setting)
    _is_set(trace, parameter, "fresh_grad")
    return True


def read_fresh(parameter: Any, variable: Variable) -> None:
    """Hear that code asks whether the gradient is fresh: the program does not depend on what it has decided itself."""
    trace = _capturing(parameter)
    if trace is not None and variable in trace.root.history.fresh:
        _is_set(trace, parameter, "fresh_grad")


def _capturing(parameter: Any) -> Recording | None:
    """The capture in charge, if the parameter is one that was there before."""
    trace = current_trace()
    return None if trace is None or trace.root.world.is_own(parameter) else trace


def _is_set(trace: Recording, parameter: Any, name: str) -> None:
    trace.root.world.note(Attribute(parameter, name))
