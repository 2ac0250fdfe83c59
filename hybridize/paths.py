# SPDX-License-Identifier: Apache-2.0
"""MXNet's paths: the modules and names by which programs written for MXNet 1.9 and 2.0 import what lies elsewhere here.

Nothing is defined: a path stands for the module that has its names here, which is often a wider one, and a name of a
module for its place. They are looked up where Python or a module has found nothing (`base.names.Paths`).
"""

from hybridize.base.names import places

MODULES = {
    path: f"hybridize.{place}"
    for path, place in {
        "contrib.amp": "amp",
        "contrib.amp.amp": "amp",
        "image.image": "image",
        "initializer": "init",
        "nd": "ndarray",
        "ndarray.contrib": "ndarray:contrib",
        "ndarray.linalg": "ndarray:linalg",
        "ndarray.ndarray": "ndarray",
        "ndarray.op": "ndarray",
        "ndarray.random": "ndarray:random",
        "ndarray.sparse": "sparse",
        "numpy": "array.np",
        "numpy.linalg": "array.linalg",
        "numpy.random": "array.random",
        "numpy_extension": "array.npx",
        "numpy_extension.random": "array.random",
        "sym": "symbol",
        "symbol.contrib": "symbol:contrib",
        "symbol.linalg": "symbol:linalg",
        "symbol.op": "symbol",
        "symbol.random": "symbol:random",
        "symbol.symbol": "symbol",
    }.items()
}
"""By paths below `hybridize`: places of modules, or of groups of functions."""

NAMES = {
    "amp": {"amp": "hybridize.amp"},
    "gluon.block": places("hybridize.gluon", {"hybrid_block": "HybridBlock", "symbol_block": "SymbolBlock"}),
}
"""By modules below `hybridize`: places of names that MXNet has there, and their files here have not."""
