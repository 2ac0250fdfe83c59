# SPDX-License-Identifier: Apache-2.0
"""The errors of hybridize, to catch: `except hybridize.errors.ShapeError`. Each is the built-in one, too.

See `docs/errors`: every error has a code, what was found and expected, the user's own line, and a remedy.
"""

from hybridize.base.errors import *  # noqa: F403, that module's `__all__` is the list
from hybridize.base.errors import __all__ as __all__
