# SPDX-License-Identifier: Apache-2.0
"""The command line, and the two stopwatches of the chapter.

In: files and finished programs. Out: tables and text. Nothing imports this package but `hybridize` itself, for
`timing`; `command` is where the command `hybridize` starts, and only it loads typer and rich, so that
`import hybridize` does not pay for them. The benchmark is a package of its own, in the folder benchmarks of a checkout.
"""
