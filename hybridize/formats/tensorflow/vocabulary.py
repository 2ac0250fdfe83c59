# SPDX-License-Identifier: Apache-2.0
"""`TENSORFLOW`: the vocabulary that the tables of rows fill, and the values of its walks that are no arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy

from hybridize.formats.foreign.known import Handle as Handle
from hybridize.formats.foreign.vocabulary import Vocabulary
from hybridize.formats.tensorflow.messages import NAMES

_TABLES: Final = (
    "elementwise", "assigns", "calls", "linear", "shapes", "reductions", "windows", "indices", "control", "lists",
    "gradients", "random", "draws", "segments", "matrices", "colours",
)  # fmt: skip
"""Modules of rows; those that most models need come first."""
_RESULTS: Final = frozenset({"DstT", "out_type", "output_type", "index_type", "out_idx", "type"})
"""Attributes that are types of results; those of inputs are theirs anyway."""
_IDLE: Final = {
    "as many inputs or outputs as there are": "N SplitV.num_split TensorListStack.num_elements",
    "what functions return has types and shapes itself":
        "Tout output_shapes Placeholder.shape PlaceholderWithDefault.shape",
    "where and how a device computes": "config config_proto executor_type use_cudnn_on_gpu parallel_iterations",
    "what nobody has set is 0 anyway": "Empty.init",
    "a note on how a gradient came to be": "grad_a grad_b grad_x grad_y",
    "only whether mistakes are looked for, and ours are refused":
        "validate_shape validate_indices incompatible_shape_error message summarize "
        "TensorListSetItem.resize_if_index_out_of_bounds",
    "a call has the variables to itself": "use_locking",
    "the type of an input, which that says itself": "Fill.index_type",
    "where TensorFlow holds a variable": "container shared_name debug_name allowed_devices VarHandleOp.shape",
    "the largest elements are looked for again": "MaxPoolGradWithArgmax.include_batch_in_index",
    "the order is open then, and ours is one": "TopKV2.sorted",
    "random numbers are those of hybridize's own generator": "seed seed2",
}  # fmt: skip
IDLE: Final[Mapping[str, str]] = {name: reason for reason, names in _IDLE.items() for name in names.split()}
"""Attributes that change nothing of what a call computes here, of all operators or of one, each with the reason."""


def _is_kind(value: Any) -> bool:
    """Tell whether a value is an element type, ours or the name of another, or several of them."""
    if isinstance(value, tuple):
        return all(map(_is_kind, value))
    return isinstance(value, numpy.dtype) or (isinstance(value, str) and value in NAMES.values())


def _idle(op: str, name: str, value: Any) -> bool:
    return name in IDLE or f"{op}.{name}" in IDLE or (name not in _RESULTS and _is_kind(value))


TENSORFLOW: Final = Vocabulary(
    "TensorFlow",
    "hybridize.formats.tensorflow.vocabulary:TENSORFLOW",
    [f"hybridize.formats.tensorflow.{table}" for table in _TABLES],
    idle=_idle,
)

_REMEDIES: Final = {
    "control flow of TensorFlow 1 (load the model with TensorFlow 2, and save it again)":
        "Switch Merge Enter Exit NextIteration LoopCond RefSwitch RefMerge RefEnter RefExit RefNextIteration",
    "Python inside of the graph (write it with TensorFlow's own functions)": "PyFunc EagerPyFunc PyFuncStateless",
    "text (leave it outside of what is saved: save a function of numbers)":
        "String RegexReplace StaticRegex AsString Decode Encode Substr Unicode UnsortedSegmentJoin Print ReduceJoin "
        "Parse",
    "tables (leave them outside of what is saved: save a function of numbers)":
        "HashTable MutableHashTable MutableDenseHashTable LookupTable InitializeTable AnonymousHashTable "
        "AnonymousMutableHashTable",
    "arrays that are not dense (make them dense: to_tensor, tf.sparse.to_dense)":
        "Ragged Sparse DenseToSparse DenseToCSRSparse CSRSparse DeserializeSparse SerializeSparse",
    "shapes that data decide (tf.math.unsorted_segment_sum and its like, tf.where(mask, x, y), masks)":
        "Unique SegmentSum SegmentMean SegmentMax SegmentMin SegmentProd DynamicPartition NonMaxSuppression",
    "data sets and files (give arrays)":
        "Iterator Anonymous Dataset TensorDataset OneShotIterator ReadFile Reader Queue RestoreV2 SaveV2",
}  # fmt: skip
TENSORFLOW.remedies.update({name: f"it has no {text}" for text, names in _REMEDIES.items() for name in names.split()})
