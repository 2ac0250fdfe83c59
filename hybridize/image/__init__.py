# SPDX-License-Identifier: Apache-2.0
"""MXNet's `image`: images out of files, other sizes, parts of them, random changes, and batches of all that.

In: local files and bytes, decoded by Pillow; arrays (height, width, channels), red before green before blue. Out: such
arrays, and batches with channels first. Random changes draw from `hybridize.random`. It must not know nets or training.

    files        imread, imdecode
    resizing     imresize and its interpolations, in OpenCV's meaning
    parts        crops, borders, rotations, colours by mean and deviation
    augmenters   random changes as objects, and CreateAugmenter, which puts them together
    iterator     ImageIter
    detection    both of these for images with the boxes of objects
    records      ImageRecordIter, by the settings of MXNet's
"""

from hybridize.base.names import late, places

PLACES = places(
    "hybridize.image",
    {
        "augmenters": (
            "Augmenter BrightnessJitterAug CastAug CenterCropAug ColorJitterAug ColorNormalizeAug "
            "ContrastJitterAug CreateAugmenter ForceResizeAug HorizontalFlipAug HueJitterAug LightingAug "
            "RandomCropAug RandomGrayAug RandomOrderAug RandomSizedCropAug ResizeAug SaturationJitterAug "
            "SequentialAug"
        ),
        "detection": (
            "CreateDetAugmenter CreateMultiRandCropAugmenter DetAugmenter DetBorrowAug DetHorizontalFlipAug "
            "DetRandomCropAug DetRandomPadAug DetRandomSelectAug ImageDetIter"
        ),
        "files": "imdecode imread",
        "iterator": "ImageIter",
        "parts": (
            "center_crop color_normalize copyMakeBorder fixed_crop imrotate random_crop random_rotate "
            "random_size_crop scale_down"
        ),
        "records": "ImageRecordIter",
        "resizing": "imresize resize_short",
    },
)
"""Places of the functions, augmenters and iterators."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(globals(), PLACES)
