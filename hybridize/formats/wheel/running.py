# SPDX-License-Identifier: Apache-2.0
"""A wheel that was just written: its libraries run on calls, and itself in a Python that sees no other packages."""

from __future__ import annotations

import os
import subprocess
import tempfile
import zipfile
from collections.abc import Mapping
from typing import Any, Final

from hybridize.base.errors import VerificationError
from hybridize.base.frozen import changed
from hybridize.base.processes import FROZEN, interpreter
from hybridize.formats import checking
from hybridize.formats.deployable import Deployable, identifier
from hybridize.formats.library.platforms import host
from hybridize.formats.library.running import answers

_RUN: Final = (
    "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); runpy.run_module(sys.argv.pop(1), None, '__main__')"
)


def checked(model: Deployable, file: str, libraries: str, options: Mapping[str, Any]) -> list[str]:
    """Run a wheel's libraries in every way that this machine can, then its self-test; returns a line for each.

    Args:
        model: what was exported.
        file: the wheel.
        libraries: the folder with the libraries as `write_wheel` has left them.
        options: of the export.

    Raises:
        VerificationError E810, E812: a result differs; a process crashed, or did not end.
    """
    model = changed(model, name=identifier(options.get("name", model.name)))  # as the libraries call it
    calls, missing = checking.trials(model)
    lines = [f"not run: no call is known that {one} takes; give one with samples=[...]" for one in missing]
    rest = {name: value for name, value in options.items() if name in ("weights", "threads", "linker")}
    for machine in sorted(os.listdir(libraries)):
        folder = os.path.join(libraries, machine)
        written = sorted((os.path.join(folder, one) for one in os.listdir(folder)), key=_is_library, reverse=True)
        targets = None if machine == host() else machine
        for title, outcome in answers(model, written, [one.inputs for one in calls], targets=targets, **rest):
            title = title if targets is None else f"{machine}: {title}"
            lines.append(checking.compared(calls, outcome, model, title) if outcome else title)
    if os.path.isdir(os.path.join(libraries, host())):
        lines += _self_test(file, model.name)
    return lines


def _is_library(path: str) -> bool:
    return path.endswith((".so", ".dylib", ".dll"))


def _self_test(file: str, module: str) -> list[str]:
    title, lines, python = os.path.basename(file), [], interpreter()
    if python is None:
        return [f"{title}, {FROZEN}"]
    with tempfile.TemporaryDirectory(prefix="hybridize-") as folder:
        with zipfile.ZipFile(file) as archive:
            archive.extractall(folder)
        for level in checking.levels() or ("",):
            command = [python, "-I", "-S", "-B", "-c", _RUN, folder, module, *([level] if level else [])]
            try:
                done = subprocess.run(
                    command,
                    capture_output=True,
                    encoding="utf-8",
                    errors="replace",
                    timeout=checking.TIMEOUT,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                raise VerificationError("E812", f"{title} did not end in {checking.TIMEOUT:.0f} seconds") from None
            printed = (done.stdout + done.stderr).strip().splitlines() or ["it printed nothing"]
            if done.returncode:
                text = f"the self-test of {title} failed: {printed[-1]}; nothing was written"
                raise VerificationError("E812", text, help=checking.remedy(text))
            lines.append(
                f"{title}, {' '.join(['python -m', module, level]).rstrip()}: {printed[-1].partition(': ')[2]}"
            )
    return lines
