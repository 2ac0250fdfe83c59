# SPDX-License-Identifier: Apache-2.0
"""Loaded functions, tried on the samples of their file."""

from __future__ import annotations

from typing import Protocol

from hybridize.base.comparison import largest
from hybridize.base.errors import VerificationError
from hybridize.formats import SavedProgram, SavedSignature
from hybridize.formats.precision import precision_of_outputs
from hybridize.formats.roundoff import Rounding
from hybridize.programs.program import Program
from hybridize.programs.saving import RANDOM


class LoadedFunction(Protocol):
    """A function that was loaded from a file."""

    @property
    def name(self) -> str:
        """Name of the function."""

    @property
    def saved_program(self) -> SavedProgram:
        """The file as data."""

    def of_file(self) -> list[tuple[Program, SavedSignature]]:
        """List the programs in the order of the file, with what that says of them."""


def verify(function: LoadedFunction, title: str = "") -> list[str]:
    """Run a loaded function on the samples of its file.

    Returns:
        What was compared, a line for each program that has samples.

    Raises:
        VerificationError E810: a result is not what the file says; the program, the sample and the output are named.
    """
    title = title or function.name
    weights = function.saved_program.weights
    lines = []
    for number, (program, signature) in enumerate(function.of_file()):
        most = 0.0
        where = f"{title}, program {number} ({', '.join(map(str, program.types[: program.arguments]))})"
        precisions = precision_of_outputs(signature.graph)
        for k, sample in enumerate(signature.samples):
            words = weights[RANDOM] if RANDOM in signature.state else None  # samples are of the state in the file
            outputs = program.outputs(sample.inputs, words)
            inputs = [*sample.inputs, *(weights[name] for name in signature.state)]
            problems = Rounding(signature.graph, inputs, sample.outputs).problems(outputs, precisions)
            for output, (actual, expected, problem) in enumerate(zip(outputs, sample.outputs, problems, strict=True)):
                if problem:
                    apart = f"the largest difference is {largest(actual, expected):.3g}"
                    text = f"{where}, sample {k}: output {output} differs: {problem}; {apart}"
                    raise VerificationError("E810", text, help="the file or this machine has changed")
                most = max(most, largest(actual, expected))
        count = len(signature.samples)
        if count:
            lines.append(f"{where}: {count} call{'' if count == 1 else 's'} as expected, largest difference {most:.2g}")
        elif not signature.training:
            lines.append(f"{where}: not run: it has no sample; give one with samples=[...]")
    return lines
