# SPDX-License-Identifier: Apache-2.0
"""Loop nests of the loop IR as code. All that is decided of them stands in the kernel (`schedule.nests`).

`kernels` writes a nest, `elements` the expression of an element, `positions` where an element lies, `memory` loads
and stores, `counted` loops. `tiles` and `accumulators` are for nests that read and write in different orders.
"""
