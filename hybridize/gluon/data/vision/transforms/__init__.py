# SPDX-License-Identifier: Apache-2.0
"""Transforms of images, as blocks: compositions, conversions, geometry, colours.

In and out: one image as an array (height, width, channels), or several of one size with an axis before those; after
`ToTensor` channels come first. Sizes are given as MXNet does, (width, height). Random ones draw from
`hybridize.random`. It must not know files or data sets.
"""

from hybridize.gluon.data.vision.transforms.basic import Cast as Cast
from hybridize.gluon.data.vision.transforms.basic import Compose as Compose
from hybridize.gluon.data.vision.transforms.basic import HybridCompose as HybridCompose
from hybridize.gluon.data.vision.transforms.basic import HybridRandomApply as HybridRandomApply
from hybridize.gluon.data.vision.transforms.basic import Normalize as Normalize
from hybridize.gluon.data.vision.transforms.basic import RandomApply as RandomApply
from hybridize.gluon.data.vision.transforms.basic import ToTensor as ToTensor
from hybridize.gluon.data.vision.transforms.colour import RandomBrightness as RandomBrightness
from hybridize.gluon.data.vision.transforms.colour import RandomColorJitter as RandomColorJitter
from hybridize.gluon.data.vision.transforms.colour import RandomContrast as RandomContrast
from hybridize.gluon.data.vision.transforms.colour import RandomGray as RandomGray
from hybridize.gluon.data.vision.transforms.colour import RandomHue as RandomHue
from hybridize.gluon.data.vision.transforms.colour import RandomLighting as RandomLighting
from hybridize.gluon.data.vision.transforms.colour import RandomSaturation as RandomSaturation
from hybridize.gluon.data.vision.transforms.geometry import CenterCrop as CenterCrop
from hybridize.gluon.data.vision.transforms.geometry import CropResize as CropResize
from hybridize.gluon.data.vision.transforms.geometry import RandomCrop as RandomCrop
from hybridize.gluon.data.vision.transforms.geometry import RandomFlipLeftRight as RandomFlipLeftRight
from hybridize.gluon.data.vision.transforms.geometry import RandomFlipTopBottom as RandomFlipTopBottom
from hybridize.gluon.data.vision.transforms.geometry import RandomResizedCrop as RandomResizedCrop
from hybridize.gluon.data.vision.transforms.geometry import Resize as Resize
