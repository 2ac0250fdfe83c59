# SPDX-License-Identifier: Apache-2.0
"""Writes contractions as the plans of `schedule.contraction` say: products of matrices, windows, lanes.

    step         the function of a contraction, by its plan; of that:
      product      of matrices; `tiles` walks their blocks, `micro` is their tile, `dots` the form for few rows,
                   `out` stores, `share` is a thread's part
      taps         tiles over a table of taps
      lanes        lanes that both operands have, or the first one
      winograd     convolutions by fewer products
    terms        the innermost loop of tiles, of products and of taps
    epilogue     what follows in the store of all of them; `prologue`: what elements of a panel go through
    arithmetic   loads, products, sums and conversions of one element type

It must not decide: what is written stands in the plan.
"""
