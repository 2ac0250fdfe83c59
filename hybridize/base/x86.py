# SPDX-License-Identifier: Apache-2.0
"""Features of x86-64 processors that code uses, by Linux's names."""

from __future__ import annotations

from typing import Final

SSE2: Final = "sse2"
"""The one that every processor has."""
X86_V3: Final = f"{SSE2} avx avx2 bmi1 bmi2 f16c fma abm movbe xsave"
"""Those of the third level of the psABI."""
X86_V4: Final = f"{X86_V3} avx512f avx512bw avx512cd avx512dq avx512vl"
"""Those of the fourth."""
