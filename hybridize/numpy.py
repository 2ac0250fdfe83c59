# SPDX-License-Identifier: Apache-2.0
"""MXNet's full name of `hybridize.np`: `import hybridize.numpy as np`, and `hybridize.numpy.random`, `.linalg`."""

import sys

from hybridize.array import linalg, np, random

sys.modules |= {__name__: np, f"{__name__}.linalg": linalg, f"{__name__}.random": random}
