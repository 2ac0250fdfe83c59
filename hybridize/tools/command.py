# SPDX-License-Identifier: Apache-2.0
"""The start of the command `hybridize`. `migrate` is for environments of old packages, and needs no typer."""

from __future__ import annotations

import sys

from hybridize.base.errors import HybridizeError
from hybridize.base.loading import load_module
from hybridize.base.locations import no_program


def main() -> None:
    """Start of the command; errors of hybridize are shown as their text, without a traceback."""
    with no_program():
        if sys.argv[1:2] != ["migrate"]:
            load_module("hybridize.tools.application").main()
            return
        try:
            raise SystemExit(load_module("hybridize.tools.migrating.command").main(sys.argv[2:]))
        except HybridizeError as error:
            raise SystemExit(str(error)) from None
