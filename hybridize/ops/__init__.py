# SPDX-License-Identifier: Apache-2.0
"""The primitives, one class each, and the one way to apply them: `bind` under the current interpreter.

In: operands that only the current interpreter understands (NumPy buffers when eager, graph values while capturing).
Out: operands of the same kind. An op is one frozen dataclass in one place: its parameters are its fields, and it
holds its type rule (`infer`), meaning (`reference`), optional fast imperative rule (`eager`), gradient (`vjp`),
and lowering (`lower`). The class definition registers it: `OPS` holds every primitive by the word that stands
for it in graphs and files. Operands of elementwise ops have equal shapes and dtypes: promotion and
broadcasting are explicit `Cast` and `Broadcast` nodes which `array` inserts.
It must not know arrays, compilers, kernels or file formats.
"""

from hybridize.base.names import late, places
from hybridize.ops.analysis import ANALYSIS
from hybridize.ops.composite import composite as composite  # now: the module has its name
from hybridize.ops.contract import contract as contract  # now: the module has its name
from hybridize.ops.convolution import convolution as convolution  # now: the module has its name
from hybridize.ops.evaluate import evaluate as evaluate  # now: the module has its name
from hybridize.ops.matmul import matmul as matmul  # now: the module has its name

PLACES = places(
    "hybridize.ops",
    {
        "analysis": " ".join(["digamma", *ANALYSIS, *(op.__name__ for op in ANALYSIS.values())]),
        "arithmetic": (
            "Abs Add BitAnd BitOr BitXor Div Eq FMax FMin FloorDiv Ge Gt Le Lt Max Min Mod Mul Ne Neg Not SharedMax "
            "SharedMin ShiftLeft ShiftRight Sign Sub Where abs add bit_and bit_not bit_or bit_xor div eq floor_div "
            "fmax fmin ge gt le lt max min mod mul ne neg shared_max shared_min shift_left shift_right sign sub where"
        ),
        "bits": "BitCount Bitcast bit_count bitcast",
        "composite": "Composite composite",
        "contract": "Contract FourfoldContract PairedContract WinogradContract by_winograd contract sum_of_products",
        "control": "Cond Scan While",
        "convolution": "convolution transposed_convolution",
        "custom": "After CustomGradient",
        "descents": "Descent descent",
        "dynamic_slices": "SliceAt UpdateAt slice_at update_at",
        "elementwise": "Elementwise",
        "evaluate": "evaluate",
        "gradient": "pullback",
        "indexing": (
            "Gather GatherND ScatterND TakeAlongAxis add_along_axis gather gather_nd scatter_nd take_along_axis"
        ),
        "matmul": "Matmul matmul",
        "op": (
            "Effect Interpreter OPS Op Operand ReferenceInterpreter bind bind1 capturing constant current "
            "effect_of imperatively interpreting scalar snake type_of"
        ),
        "powers": "Arctan2 Copysign Fmod Hypot LogAddExp Pow arctan2 copysign fmod hypot log_add_exp pow",
        "prefixes": "DotsUntil SumUntil dots_until sum_until",
        "randomness": "RandomBits StandardGamma random_bits standard_gamma uniform_numbers",
        "reductions": (
            "All Any ArgMax ArgMin CumMax CumProd CumSum Prod ReduceMax ReduceMin SharedReduceMax SharedReduceMin all "
            "any arg_max arg_min cum_max cum_prod cum_sum prod reduce_max reduce_min shared_reduce_max "
            "shared_reduce_min"
        ),
        "resampling": "Resample",
        "sizes": "SizeOf size_of",
        "slicing": "Concat Iota Pad Slice UpdateSlice concat flip iota pad part slice update_slice",
        "sorting": "ArgSort Sort arg_sort sort",
        "tracing": "GraphTracer make_graph",
        "views": (
            "Broadcast Cast Reshape StopGradient Sum Transpose broadcast cast full like reshape spread stop_gradient "
            "sum transpose"
        ),
        "windows": (
            "WindowArgMax WindowMax WindowPut WindowSpread WindowSum WindowTake window_arg_max window_max window_put "
            "window_spread window_sum window_take"
        ),
        "world": "Assert Bounds Permitted Print",
    },
) | {"composites": "hybridize.ops.composites"}
"""Places of the ops, and of the functions that apply them."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(globals(), PLACES)
