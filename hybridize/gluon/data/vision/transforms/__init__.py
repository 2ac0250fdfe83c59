# SPDX-License-Identifier: Apache-2.0
"""Transforms of images, as blocks: compositions, conversions, geometry, colours.

In and out: one image as an array (height, width, channels), or several of one size with an axis before those; after
`ToTensor` channels come first. Sizes are given as MXNet does, (width, height). Random ones draw from
`hybridize.random`. It must not know files or data sets.
"""

from hybridize.base.names import late, places

PLACES = places(
    "hybridize.gluon.data.vision.transforms",
    {
        "basic": "Cast Compose HybridCompose HybridRandomApply Normalize RandomApply ToTensor",
        "colour": (
            "RandomBrightness RandomColorJitter RandomContrast RandomGray RandomHue RandomLighting RandomSaturation"
        ),
        "geometry": (
            "CenterCrop CropResize RandomCrop RandomFlipLeftRight RandomFlipTopBottom RandomResizedCrop "
            "RandomRotation Resize Rotate"
        ),
    },
)
"""Places of the transforms."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(globals(), PLACES)
