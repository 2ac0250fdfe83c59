# SPDX-License-Identifier: Apache-2.0
"""Control flow of converted code: plain Python on Python values, graph on values that data decides.

    statements, signals               what converted code calls; how parts end, and what runs next
    truth, operators, comparisons     conditions; `and`, `or`, `not`, `in`, `a if c else b`; `==`, `<` and their kin
    identity                          `is` and `id()`, which other calls may answer otherwise
    special                           special methods of the user's that operators and statements call
    branches, loops, combinators      sub-graphs: `if`, `for` and `while` on data; `npx.cond` and its kin
    scans, recorded_loops             loops on their way into the graph: of counted rounds, and as long as data says
    rounds, rows                      what a `for` goes through; rows read and written by the number of the round
    rolled, rolled_lists              lists to which a loop of the graph has appended
    joining                           what two sides leave behind, merged
    mixed, selected                   values that no type joins; lists of which data decides the items
    raising                           exceptions that data decides about
    texts                             text of values that only calls have

It must not know what the names of the user's code stand for: `python` does.
"""
