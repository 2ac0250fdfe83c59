# SPDX-License-Identifier: Apache-2.0
"""Control flow of converted code: plain Python on Python values, graph on values that data decides.

`signals` how parts end and what runs next; `truth` and `operators`; `joining` merges what two sides leave behind;
`branches`, `loops` and `combinators` (`npx.cond`, ...) record sub-graphs; `statements` is what converted code calls.
It must not know what the names of the user's code stand for: `python` does.
"""
