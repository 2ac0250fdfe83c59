# SPDX-License-Identifier: Apache-2.0
"""The thresholds of contractions: numbers that decide, each with its unit, where it comes from, and on which machine.

*Measured* is said where a measurement decided, and where; *counted* are facts of processors and of what LLVM writes;
*chosen* is what nothing was measured for.
"""

LIGHT = 10
"""Instructions of an epilogue that tiles have inside: a bias, a residual, scaling, a cut; no function. Chosen."""
