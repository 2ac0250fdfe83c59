# SPDX-License-Identifier: Apache-2.0
"""The functions of np and npx, by family: arrays in, arrays out.

Each takes arrays, numbers, NumPy arrays or lists, makes operands of them, applies ops by `bind` (or, where nobody
captures and NumPy's answer is ours, NumPy directly), and gives an array back. A function that others can write with
these is a composition of them, without a rule of its own.

They call each other by the public names, `from hybridize.array import functions as np`: `hybridize.np` has the same,
and gives universal functions their methods besides, for which it loads what computes these.
"""

from __future__ import annotations

from hybridize.array import np
from hybridize.base.names import late

PLACES = np.PLACES
"""Places of the names."""

__getattr__, __dir__ = late(globals(), PLACES)
