# SPDX-License-Identifier: Apache-2.0
"""`InferenceRequest`: what both protocols make of a request, and how it is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from hybridize.serve.batching import Arrays, late
from hybridize.serve.refusals import Refusal, refuse
from hybridize.serve.registry import ServedModel


@dataclass
class InferenceRequest:
    """The inputs of a request, by name, and what it wants to know."""

    id: str = ""
    inputs: dict[str, NDArray[Any]] = field(default_factory=dict)
    outputs: list[tuple[str, bool]] = field(default_factory=list)
    """Names of outputs, and True for those that go as bytes; empty: all."""
    binary: bool = False
    """True if outputs that are not named go as bytes."""
    seconds: float | None = None
    """That the client waits."""

    def add(self, name: Any, array: NDArray[Any]) -> None:
        """Add an input; refuse a second one of the same name."""
        if name in self.inputs:
            refuse(f"input {name!r} is there twice")
        self.inputs[name] = array

    def limit(self, microseconds: Any) -> None:
        """Set the time that the client waits, in microseconds; refuse what is no such number."""
        if type(microseconds) is not int or microseconds < 0:
            refuse(f"timeout needs microseconds, a whole number, got {str(microseconds)[:40]}")
        if microseconds:
            self.seconds = microseconds * 1e-6

    def chosen(self, served: ServedModel, arrays: Arrays) -> list[tuple[str, NDArray[Any], bool]]:
        """Return the outputs that the request wants: name, array, True for those that go as bytes."""
        names = [port.name for port in served.model.outputs]
        if not self.outputs:
            return [(name, array, self.binary) for name, array in zip(names, arrays, strict=True)]
        by_name = dict(zip(names, arrays, strict=True))
        return [(name, by_name[name], binary) for name, binary in self.outputs]

    def check_outputs(self, served: ServedModel) -> None:
        """Refuse outputs that the model has not."""
        names = {port.name for port in served.model.outputs}
        for name, _ in self.outputs:
            if name not in names:
                refuse(f"{served.model.label} has no output {str(name)[:80]!r}; it gives {', '.join(sorted(names))}")


def submitted(served: ServedModel, request: InferenceRequest, most: float) -> Arrays | asyncio.Future[Arrays]:
    """Return the outputs of a request, or the future of them, where it has to wait.

    Args:
        served: the model.
        request: checked here.
        most: seconds that any request may wait.

    Raises:
        Refusal: inputs or outputs are not the model's; too many requests wait.
    """
    if request.outputs:
        request.check_outputs(served)
    arrays = served.model.arranged(request.inputs)
    outputs = served.queue.at_once(arrays)
    if outputs is not None:
        return outputs
    seconds = most if request.seconds is None else min(request.seconds, most)
    loop = asyncio.get_running_loop()
    future = served.queue.submit(arrays, loop.time() + seconds)
    timer = loop.call_later(seconds, _expire, future, served.model.label)
    future.add_done_callback(lambda _: timer.cancel())
    return future


def _expire(future: asyncio.Future[Arrays], label: str) -> None:
    if not future.done():
        future.set_exception(late(label))


def gone(label: str) -> Refusal:
    """Return the refusal of a request whose client went away."""
    return Refusal("CANCELLED", f"the client of a request for {label} went away", "cancelled")


def check_parameters(parameters: Any, unsupported: Sequence[str]) -> dict[str, Any]:
    """Return the parameters of a request or tensor; refuse what is no such thing, or asks for what is not done."""
    if parameters is None:
        return {}
    if not isinstance(parameters, dict):
        refuse(f"parameters must be an object, got {type(parameters).__name__}")
    for word in unsupported:
        if parameters.get(word):
            raise Refusal("UNIMPLEMENTED", f"the parameter {word!r} asks for what this server does not do", "request")
    return parameters


UNSUPPORTED = (
    "shared_memory_region", "classification", "sequence_id", "sequence_start", "sequence_end", "priority",
)  # fmt: skip
"""Parameters of Triton's extensions that change what an answer is, and that nobody serves here."""
