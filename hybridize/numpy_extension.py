# SPDX-License-Identifier: Apache-2.0
"""MXNet's full name of `hybridize.npx`: `import hybridize.numpy_extension as npx`."""

import sys

from hybridize.array import npx, random

sys.modules |= {__name__: npx, f"{__name__}.random": random}
