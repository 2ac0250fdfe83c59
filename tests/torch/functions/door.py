"""The capture of modules itself, without `torch.export` behind it: what it cannot do raises."""

import dataclasses

import torch

from hybridize.capture.options import Options
from hybridize.torch.traced import Followed


def door(module: torch.nn.Module) -> Followed:
    """Return a module whose calls run as programs."""
    options = Options()
    return Followed(module, {field.name: getattr(options, field.name) for field in dataclasses.fields(options)})
