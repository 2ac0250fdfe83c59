# SPDX-License-Identifier: Apache-2.0
"""The command line, and the two stopwatches of the chapter.

In: files and finished programs. Out: tables and text. Nothing imports this package but `hybridize` itself, for
`timing`; `command` is where the command `hybridize` starts, and only it loads typer and rich, so that
`import hybridize` does not pay for them. Measuring (`bench`, `peers`, `worker`) runs each runtime in a process of its
own: libraries that share a process share thread pools, allocators and caches, and disturb each other's figures.
"""
