# SPDX-License-Identifier: Apache-2.0
"""Features of AArch64 processors that code uses or may use, by Linux's names."""

from __future__ import annotations

from typing import Final

ASIMD: Final = "asimd"
"""Vectors of 128 bits (NEON), which every processor has that runs Linux."""
