# SPDX-License-Identifier: Apache-2.0
"""The world outside: what a capture reads of it and writes to it.

    world                             `World`: one way to read, one to write, what guards them, how all is taken back
    trust, objects                    whose code is whose; classes whose methods are called as they are
    restored                          writes that a program takes back itself, which are no effects
    fed                               numbers and arrays that calls read again, instead of guarding them
    tracing                           the part of a trace that this room asks

It must not know how operations are recorded, nor what of Python reads and writes: upper rooms tell it places.
"""
