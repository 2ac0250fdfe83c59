# SPDX-License-Identifier: Apache-2.0
"""Conversion of source: a user's function is rewritten once, so that capture sees its reads, calls and control flow.

`source` finds it, `scopes` says which variable belongs to which function, `expressions` and `statements` rewrite,
`trees` walks.
Pure syntax trees: it knows no array and no graph.
"""
