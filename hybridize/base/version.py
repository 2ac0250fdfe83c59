# SPDX-License-Identifier: Apache-2.0
"""Which hybridize this is; files say what wrote them."""

from typing import Final

VERSION: Final = "0.1.0"
