# SPDX-License-Identifier: Apache-2.0
"""The version of hybridize; files hold the one that wrote them."""

from typing import Final

VERSION: Final = "0.1.0"

MXNET: Final = "1.9.1"
"""The version of MXNet whose programs run here, which they ask for."""
