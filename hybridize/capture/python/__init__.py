# SPDX-License-Identifier: Apache-2.0
"""Python as converted code means it: reads, calls and writes (`router`, `writes`), `builtins`, and numbers among
`arguments`.
"""
