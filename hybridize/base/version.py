# SPDX-License-Identifier: Apache-2.0
"""The version of hybridize; files hold the one that wrote them."""

from typing import Final

VERSION: Final = "0.1.0"
