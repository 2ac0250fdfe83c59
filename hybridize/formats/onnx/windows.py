# SPDX-License-Identifier: Apache-2.0
"""Windows, images of other sizes and products with rows that data counts, in ONNX's words."""

from __future__ import annotations

from typing import Final

from hybridize.formats.onnx.writer import Write

WINDOWS: Final[dict[type, Write]] = {}
"""The writers of these ops."""
