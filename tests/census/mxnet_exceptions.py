# SPDX-License-Identifier: Apache-2.0
"""Calls whose results differ from MXNet 1.9.1's, by a pattern of the call, each with its reason.

Each pattern must differ somewhere, else the test fails: what no longer differs leaves the table. `docs/guide/differences.md`
says the same to users.
"""

INT = "(u?int8|int32|int64)"
EXCEPTIONS = {
    rf"erf\({INT}": "MXNet computes the error function of integers in float64, where erf(5) is below 1",
    r"contrib\.is(inf|finite)\(u?int8": "MXNet says of the integer 0 that it is infinite",
    rf"contrib\.div_sqrt_dim\({INT}": "MXNet rounds the root to an integer first",
    rf"norm\({INT}": "MXNet's scaled sum of squares rounds in every step",
    r"sign\(float\d+\[8\]edges": "the sign of NaN is NaN, as in np; MXNet gives 0",
    r"\w+\(3, 2\.5": "two Python numbers give an array; MXNet gives a Python number",
    r"SequenceMask\(uint8.*value=-1": "refused: -1 is no uint8; MXNet writes 255",
    r"SoftmaxActivation\(float32\[2, 4.*instance": "MXNet's routine for float32 goes over the last axis, that for other dtypes over all",
}  # fmt: skip
FLOAT32_CONSTANTS = (
    "degrees", "radians", "hard_sigmoid", "LeakyReLU", "contrib.BilinearResize2D",
)  # fmt: skip
"""Functions whose constants MXNet holds in float32 for float64 arrays too: results agree to the precision of float32."""
