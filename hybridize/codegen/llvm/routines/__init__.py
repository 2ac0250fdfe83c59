# SPDX-License-Identifier: Apache-2.0
"""Routines, which are no loops over elements: sorting, searching, gathering, random numbers.

`emit` chooses; `units` are the parts that know nothing of each other; `cells` reads and writes single elements.
"""
