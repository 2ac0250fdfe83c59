# SPDX-License-Identifier: Apache-2.0
"""MXNet's full name of `hybridize.init`: this name imports the same module."""

import sys

from hybridize import init

sys.modules[__name__] = init
