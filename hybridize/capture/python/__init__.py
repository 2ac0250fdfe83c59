# SPDX-License-Identifier: Apache-2.0
"""Python as converted code means it: reads, calls and writes of values that Python, or data, decides.

    router, semantics                 what converted code calls for each read, call and write; its protocol
    direct                            calls of ours that need none of the router's rules
    writes, mutators                  writes to objects and containers: by statements, by functions that do them
    definitions, instances, classes   functions and classes that a program defines; instances; the class a value has
    implicit, keys, contexts          special methods of the user's that builtins, dicts and `with` call
    spread, arguments                 `f(*args, **kwargs)`; numbers among the arguments of functions of arrays
    builtins, elements, mathematics   builtins that mean something else; over elements of arrays; `math` on numbers
    tables, masks                     lists indexed by data; `x[mask]`, whose size data decides
    rolled_calls                      functions that are given lists to which a loop of the graph has appended
    logs                              logging and warnings of values that only calls have
    unconverted                       functions without source, which run as they are

It must not know how source is rewritten: `convert` does.
"""
