# Written by `docs/make.py` from the module's table of names.

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
from hybridize.gluon.data.vision.transforms.geometry import RandomRotation as RandomRotation
from hybridize.gluon.data.vision.transforms.geometry import Resize as Resize
from hybridize.gluon.data.vision.transforms.geometry import Rotate as Rotate

PLACES: dict[str, str]
__all__ = [
    "Cast", "CenterCrop", "Compose", "CropResize", "HybridCompose", "HybridRandomApply", "Normalize", "RandomApply",
    "RandomBrightness", "RandomColorJitter", "RandomContrast", "RandomCrop", "RandomFlipLeftRight",
    "RandomFlipTopBottom", "RandomGray", "RandomHue", "RandomLighting", "RandomResizedCrop", "RandomRotation",
    "RandomSaturation", "Resize", "Rotate", "ToTensor"
]
