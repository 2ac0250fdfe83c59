# SPDX-License-Identifier: Apache-2.0
"""The words every other package speaks: dtypes, sizes, types, errors, lines of the user's source, modes.

In: nothing of ours. Out: plain values and small frozen classes. It must not know of graphs, ops,
arrays or compilers. A helper that two packages share lives here only when it has a name of its own.

    dtypes, promotion, dims, types    what an array is: element types, sizes that may be symbols, both in one
    errors, locations                 what goes wrong, and at which line of the user's
    config, modes                     switches: of the process, of a thread
    numbers, registry                 settings that are numbers, checked; classes that strings name
    frozen, nested, once, digests     immutable classes, trees of leaves, what is made once, hashes
    tracebacks                        what users see of them
    forks, interruptions              locks of processes that fork, exceptions of signal handlers
"""
