# SPDX-License-Identifier: Apache-2.0
"""`TENSORFLOW`: the vocabulary that the tables of rows fill, and the values of its walks that are no arrays."""

from __future__ import annotations

from typing import Final

from hybridize.formats.foreign.known import Handle as Handle
from hybridize.formats.foreign.vocabulary import Vocabulary

_TABLES: Final = (
    "elementwise", "assigns", "calls", "linear", "shapes", "reductions", "windows", "indices", "control", "lists",
    "gradients", "random", "draws", "segments", "matrices", "colours",
)  # fmt: skip
"""Modules of rows; those that most models need come first."""
TENSORFLOW: Final = Vocabulary(
    "TensorFlow",
    "hybridize.formats.tensorflow.vocabulary:TENSORFLOW",
    [f"hybridize.formats.tensorflow.{table}" for table in _TABLES],
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
