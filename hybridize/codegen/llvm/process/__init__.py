# SPDX-License-Identifier: Apache-2.0
"""Modules that a process needs once: `entry`, which Python calls; `timed` for profiles."""
