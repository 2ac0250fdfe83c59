# SPDX-License-Identifier: Apache-2.0
"""Data: samples, their order, batches of them, and who makes those.

In: arrays, or any object with a length and numbered samples. Out: batches, as arrays. A `Dataset` knows samples, a
`Sampler` their order, a batchify function makes one batch of a list of samples, a `DataLoader` iterates over batches,
made in this process, by threads, or by processes. `sets` and `vision`, loaded when first used, are data that exists
and transforms of images. It must not know nets or training.
"""

from hybridize.base.names import late, places

PLACES = places(
    "hybridize.gluon.data",
    {
        "dataloader": "DataLoader",
        "dataset": "ArrayDataset Dataset RecordFileDataset SimpleDataset",
        "sampler": "BatchSampler FilterSampler IntervalSampler RandomSampler Sampler SequentialSampler SplitSampler",
    },
) | {name: f"hybridize.gluon.data.{name}" for name in ("batchify", "sets", "vision")}
"""Places of samples, their order and batches of them."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(
    globals(), PLACES, {"ImageRecordDataset": "gluon.data.vision.ImageRecordDataset"}
)  # fmt: skip
