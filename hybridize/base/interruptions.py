# SPDX-License-Identifier: Apache-2.0
"""Exceptions that a signal handler raises, told from what the interrupted code raises: `system.interruptions`."""

from hybridize.system.interruptions import is_asynchronous as is_asynchronous
from hybridize.system.interruptions import let_through as let_through
from hybridize.system.interruptions import suppress as suppress
