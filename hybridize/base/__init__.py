# SPDX-License-Identifier: Apache-2.0
"""The words every other package speaks: dtypes, types, errors, places in the user's source, modes.

In: nothing of ours. Out: plain values and small frozen classes. It must not know of graphs, ops,
arrays or compilers. A helper that two packages share lives here only when it has a name of its own.
"""
