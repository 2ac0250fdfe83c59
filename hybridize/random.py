# SPDX-License-Identifier: Apache-2.0
"""The module `hybridize.random`, as `import` finds it: the one that `from hybridize import random` gives."""

import sys

from hybridize.array import random

sys.modules[__name__] = random
