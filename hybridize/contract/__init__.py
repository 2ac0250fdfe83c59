# SPDX-License-Identifier: Apache-2.0
"""The contract between capture and programs, as data: a captured function and what its calls depend on.

In: nothing but plain values, arrays and graphs. `captured` is a function captured once; `call` the arguments of a call
and the key of its program; `guards` tests of `places` in the user's world, with `snapshots` of what was there;
`conditions` what must stay true of Python numbers; `feeds` what calls of a program begin and roll back.

It must not know how a function is captured, nor how a program runs.
"""
