# SPDX-License-Identifier: Apache-2.0
"""The state of a thread that traces a module by `torch.export`, in which a compiled one is a part like others."""

from __future__ import annotations

import threading

THREAD = threading.local()
"""`THREAD.traced`: this thread is tracing a module."""


def is_traced() -> bool:
    """Tell whether this thread is tracing a module."""
    return getattr(THREAD, "traced", False)
