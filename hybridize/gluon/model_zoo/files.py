# SPDX-License-Identifier: Apache-2.0
"""Constructors of networks, and the files in which their parameters lie."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from hybridize.base.errors import ArgumentError, LoadError
from hybridize.gluon.hybrid_block import HybridBlock

Net = TypeVar("Net", bound=HybridBlock)

_SPELLED = re.compile("(mobilenet|inception)v([0-9])")
"""Families whose functions are spelled in another way than their files: `inception_v3` is in `inceptionv3.params`."""


def models_folder() -> Path:
    """Return the folder of parameters where no other is given: `models` in `$MXNET_HOME`, or in `~/.mxnet`."""
    home = os.environ.get("MXNET_HOME")
    return (Path(home) if home else Path.home() / ".mxnet") / "models"


def find_parameters(name: str, root: Any = None) -> Path:
    """Find the file of a network: `NAME.params`, or as MXNet calls what it downloads, `NAME-1234abcd.params`.

    Args:
        name: of the network, `resnet18_v1`.
        root: the folder; where none is given, `models_folder`.

    Raises:
        LoadError E615: there is none. Nothing is downloaded.
    """
    folder = models_folder() if root is None else Path(root).expanduser()
    plain = folder / f"{name}.params"
    path = plain if plain.is_file() else next(iter(sorted(folder.glob(f"{name}-????????.params"))), None)
    if path is None:
        raise LoadError(
            "E615",
            f"no parameters of {name} in {folder}; nothing is downloaded",
            help=f"put a file that MXNet or save_parameters wrote there as {plain.name}, name its folder by root=, or "
            "make the net without pretrained=True and call net.load_parameters(path)",
        )
    return path


def constructor(name: str, build: Callable[..., Net], *leading: Any, **fixed: Any) -> Callable[..., Net]:
    """Make the function that makes a network by name, as `vision.resnet18_v1`.

    Args:
        name: of the network and of its files; of `mobilenetv2_1.0` the function is `mobilenet_v2_1_0`.
        build: makes it, of `leading` arguments, those that are `fixed`, and what the user gives.
    """

    def construct(
        pretrained: bool = False, device: Any = None, root: Any = None, *, ctx: Any = None, **kwargs: Any
    ) -> Net:
        path = find_parameters(name, root) if pretrained else None
        net = build(*leading, **fixed, **kwargs)
        if path is not None:
            net.load_parameters(path, device if device is not None else ctx)
        return net

    construct.model = name  # type: ignore[attr-defined]
    construct.__name__ = construct.__qualname__ = _SPELLED.sub(r"\1_v\2", name).replace(".", "_").replace("__", "_")
    construct.__doc__ = f"""Return the network {name}. `initialize` draws its weights.

    Args:
        pretrained: load the parameters that `root` holds; nothing is downloaded (see `files.find_parameters`).
        device: the device of the parameters that are loaded: `cpu()`.
        root: the folder of parameters; `$MXNET_HOME/models` or `~/.mxnet/models` by default.
        ctx: MXNet 1.x name of `device`.
        kwargs: arguments of the class, such as `classes=10`.

    Raises:
        LoadError E615: `pretrained`, and there is no file.

    >>> from hybridize.gluon.model_zoo import vision
    >>> net = vision.{construct.__name__}(classes=10)
    >>> net.initialize()
    """
    return construct


def of_family(family: str, nets: Mapping[Any, Callable[..., Net]], layers: Any) -> Callable[..., Net]:
    """Return the constructor of a family's net by its number of layers.

    Raises:
        ArgumentError E331: the family has no net of so many.
    """
    if layers not in nets:
        what = f"{family} has {', '.join(map(str, nets))} layers, not {layers!r}"
        raise ArgumentError("E331", what, help="pass one of these numbers")
    return nets[layers]
