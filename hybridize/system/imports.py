# SPDX-License-Identifier: Apache-2.0
"""The lock that is held while a module is loaded late; `base.loading` says why, and gives it to all others."""

import threading
from typing import Final

IMPORTS: Final = threading.RLock()
