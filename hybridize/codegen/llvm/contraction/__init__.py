# SPDX-License-Identifier: Apache-2.0
"""Writes products: matrix times matrix, times vector, in batches, as the plans of `schedule.contraction` say.

`product` is what a program calls. `tiles` walks the blocks, `micro` is the innermost tile, `dots` the form for few rows
or columns, `arithmetic` loads and converts, `out` stores, `share` is a thread's part, `epilogue` is what follows in the
store. `taps` writes contractions by other index maps than those of matrices, `lanes` those whose lanes both operands
have, `winograd` convolutions by fewer products.
"""
