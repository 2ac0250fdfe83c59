"""Packages beside the environment: timm and transformers, which `make .timm/.installed` lays into .timm."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import torch

HERE = Path(__file__).parents[2] / ".timm"


def load(name: str) -> Any:
    """Import a package that `make test-long` lays into .timm, without its dependencies.

    Raises:
        ModuleNotFoundError: nothing was laid there.
    """
    if not (HERE / ".installed").exists():
        raise ModuleNotFoundError(f"{name} is not there: make .timm/.installed")
    if str(HERE) not in sys.path:
        sys.path.append(str(HERE))  # the last place, so that nothing else is taken from there
    try:
        importlib.import_module("torchvision")
    except RuntimeError as error:
        # The compiled part of torchvision is for another build of PyTorch. Its Python, of which timm takes a norm and
        # transforms, does without, but describes two operators that it believes declared; nothing here calls them.
        if "nms does not exist" not in str(error):
            raise
        declared = torch.library.Library("torchvision", "DEF")
        for operator in ("nms", "qnms"):
            declared.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        importlib.import_module("torchvision")
    return importlib.import_module(name)
