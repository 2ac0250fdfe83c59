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
    r"power\((-3, )?uint8.*positive(, -3)?\)": "-3 is 253 there, and its powers are beyond the range: the nearest end",
    r"lamb_update_phase1.*wd=0\.1": "MXNet holds 1 - beta in float32, which has four digits there",
    r"contrib\.adamw_update": "MXNet leaves the rescaled and clipped gradient in `grad`",
    r"\w+\(3, 2\.5": "two Python numbers give an array; MXNet gives a Python number",
    r"SequenceMask\(uint8.*value=-1": "refused: -1 is no uint8; MXNet writes 255",
    r"SoftmaxActivation\(float32\[2, 4.*instance": "MXNet's routine for float32 goes over the last axis, that for other dtypes over all",
}  # fmt: skip
FLOAT32_CONSTANTS = (
    "degrees", "radians", "hard_sigmoid", "LeakyReLU", "contrib.BilinearResize2D",
)  # fmt: skip
"""Functions whose constants MXNet holds in float32 for float64 arrays too: results agree to the precision of float32."""

EXPRESSION_EXCEPTIONS: dict[str, str] = {}
"""The same of operators and methods of arrays."""

NPX_EXCEPTIONS = {
    rf"(sigmoid|erf|erfinv|softsign|smooth_l1|digamma|gamma|gammaln)\({INT}": "of integers in float32, as in np; MXNet cuts the result down to integers",
    rf"norm\({INT}": "of integers in float32, as in np; MXNet's roots are integers",
    r"norm\(float\d+\[2, 3\]mixed(, ord=1)?\)": "a number has the shape (), as in NumPy; MXNet gives (1,)",
    r"digamma\(float64.*positive": "MXNet computes in float32",
    r"digamma\(float\d+.*mixed": "MXNet gives other infinities at 0, and computes in float32",
    r"leaky_relu\(float64.*(selu|gelu)": "MXNet holds the constants in float32",
    r"layer_norm\(float64.*axis=1": "MXNet adds in float32 where the axis is not the last one",
    r"embedding\(\w+\[2, 2\]outside": "E110: MXNet takes the nearest row",
    r"arange_like\((float16|u?int\d+).*step=0.5": "MXNet cuts the step down to an integer, or rounds it",
    r"sequence_mask\(uint8.*value=-1": "refused: -1 is no uint8; MXNet writes 255",
}  # fmt: skip
"""The same of `npx`, from MXNet 2.0.0."""
