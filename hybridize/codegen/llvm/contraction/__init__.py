# SPDX-License-Identifier: Apache-2.0
"""Products: matrix times matrix, times vector, in batches.

`product` is what a program calls; it asks `form` which form pays. `tiles` walks the blocks, `micro` is the innermost
tile, `dots` the forms for few rows or columns, `arithmetic` loads and converts, `out` stores, `share` cuts the work for
threads, `epilogue` is what follows in the store.
"""
