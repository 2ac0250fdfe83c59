# SPDX-License-Identifier: Apache-2.0
"""What is no loop over elements: sorting, searching, gathering, random numbers.

`emit` chooses; `cells` reads and writes single elements.
"""
