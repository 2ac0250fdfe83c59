# SPDX-License-Identifier: Apache-2.0
"""hybridize: write imperative Python, run it as one compiled program."""
