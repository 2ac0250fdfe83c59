# SPDX-License-Identifier: Apache-2.0
"""Backward passes inside of a program: `history` is the tape, `sweep` a reverse sweep, `custom` gradients by
functions.
"""
