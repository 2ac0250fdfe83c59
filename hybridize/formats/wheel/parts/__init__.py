# SPDX-License-Identifier: Apache-2.0
"""Files that go into wheels and their sources as they are: Python's standard library alone, from Python 3.10 on."""
