# SPDX-License-Identifier: Apache-2.0
"""`hybridize bench` asks Linux for times, memory and processors: elsewhere there is nothing to test."""

import sys

if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]
