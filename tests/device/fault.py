# SPDX-License-Identifier: Apache-2.0
"""What the interpreter raises."""

from __future__ import annotations


class Fault(Exception):
    """A broken rule of the machine, where a GPU would go on with other bits or stop at another line."""
