# Written by `docs/make.py` from the module's table of names.

from hybridize.image.augmenters import Augmenter as Augmenter
from hybridize.image.augmenters import BrightnessJitterAug as BrightnessJitterAug
from hybridize.image.augmenters import CastAug as CastAug
from hybridize.image.augmenters import CenterCropAug as CenterCropAug
from hybridize.image.augmenters import ColorJitterAug as ColorJitterAug
from hybridize.image.augmenters import ColorNormalizeAug as ColorNormalizeAug
from hybridize.image.augmenters import ContrastJitterAug as ContrastJitterAug
from hybridize.image.augmenters import CreateAugmenter as CreateAugmenter
from hybridize.image.augmenters import ForceResizeAug as ForceResizeAug
from hybridize.image.augmenters import HorizontalFlipAug as HorizontalFlipAug
from hybridize.image.augmenters import HueJitterAug as HueJitterAug
from hybridize.image.augmenters import LightingAug as LightingAug
from hybridize.image.augmenters import RandomCropAug as RandomCropAug
from hybridize.image.augmenters import RandomGrayAug as RandomGrayAug
from hybridize.image.augmenters import RandomOrderAug as RandomOrderAug
from hybridize.image.augmenters import RandomSizedCropAug as RandomSizedCropAug
from hybridize.image.augmenters import ResizeAug as ResizeAug
from hybridize.image.augmenters import SaturationJitterAug as SaturationJitterAug
from hybridize.image.augmenters import SequentialAug as SequentialAug
from hybridize.image.detection import CreateDetAugmenter as CreateDetAugmenter
from hybridize.image.detection import CreateMultiRandCropAugmenter as CreateMultiRandCropAugmenter
from hybridize.image.detection import DetAugmenter as DetAugmenter
from hybridize.image.detection import DetBorrowAug as DetBorrowAug
from hybridize.image.detection import DetHorizontalFlipAug as DetHorizontalFlipAug
from hybridize.image.detection import DetRandomCropAug as DetRandomCropAug
from hybridize.image.detection import DetRandomPadAug as DetRandomPadAug
from hybridize.image.detection import DetRandomSelectAug as DetRandomSelectAug
from hybridize.image.detection import ImageDetIter as ImageDetIter
from hybridize.image.files import imdecode as imdecode
from hybridize.image.files import imread as imread
from hybridize.image.iterator import ImageIter as ImageIter
from hybridize.image.parts import center_crop as center_crop
from hybridize.image.parts import color_normalize as color_normalize
from hybridize.image.parts import copyMakeBorder as copyMakeBorder
from hybridize.image.parts import fixed_crop as fixed_crop
from hybridize.image.parts import imrotate as imrotate
from hybridize.image.parts import random_crop as random_crop
from hybridize.image.parts import random_rotate as random_rotate
from hybridize.image.parts import random_size_crop as random_size_crop
from hybridize.image.parts import scale_down as scale_down
from hybridize.image.records import ImageRecordIter as ImageRecordIter
from hybridize.image.resizing import imresize as imresize
from hybridize.image.resizing import resize_short as resize_short

PLACES: dict[str, str]
__all__ = [
    "Augmenter", "BrightnessJitterAug", "CastAug", "CenterCropAug", "ColorJitterAug", "ColorNormalizeAug",
    "ContrastJitterAug", "CreateAugmenter", "CreateDetAugmenter", "CreateMultiRandCropAugmenter", "DetAugmenter",
    "DetBorrowAug", "DetHorizontalFlipAug", "DetRandomCropAug", "DetRandomPadAug", "DetRandomSelectAug",
    "ForceResizeAug", "HorizontalFlipAug", "HueJitterAug", "ImageDetIter", "ImageIter", "ImageRecordIter",
    "LightingAug", "RandomCropAug", "RandomGrayAug", "RandomOrderAug", "RandomSizedCropAug", "ResizeAug",
    "SaturationJitterAug", "SequentialAug", "center_crop", "color_normalize", "copyMakeBorder", "fixed_crop",
    "imdecode", "imread", "imresize", "imrotate", "random_crop", "random_rotate", "random_size_crop", "resize_short",
    "scale_down"
]
