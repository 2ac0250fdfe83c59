# SPDX-License-Identifier: Apache-2.0
"""`hybridize(obj)`: the verb. It asks each door whether the object is its, and hands it over."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Final, ParamSpec, Protocol, TypeVar, overload

from hybridize.array.device import as_device, cpu, current_device
from hybridize.base import modes
from hybridize.base.errors import ArgumentError, ContentError, LoadError, ValueArgumentError
from hybridize.base.faces import FOREIGN, Foreign
from hybridize.base.loading import LOADING, load_module
from hybridize.base.participation import outside_only
from hybridize.base.progress import showing
from hybridize.base.tracebacks import leaves
from hybridize.capture import Function, SavedFunction
from hybridize.formats import SavedProgram, detect, read_archive, read_if_archive
from hybridize.formats.models import MODELS, read_model
from hybridize.gluon import Block

P = ParamSpec("P")
R = TypeVar("R")
B = TypeVar("B", bound=Block)

if TYPE_CHECKING:

    class _Decorator(Protocol):
        """`hybridize(...)` without an object: the same with these options."""

        @overload
        def __call__(self, obj: B, /) -> B: ...  # type: ignore[overload-overlap]  # a Block is callable, too
        @overload
        def __call__(self, obj: Callable[P, R], /) -> Function[P, R]: ...


@overload
def hybridize(obj: None = None, /, **options: Any) -> _Decorator: ...
@overload
def hybridize(obj: B, /, **options: Any) -> B: ...
@overload
def hybridize(obj: Callable[P, R], /, **options: Any) -> Function[P, R]: ...
@leaves
def hybridize(obj: Any = None, /, **options: Any) -> Any:
    """Return `obj` compiled: a function, a Block, a `torch.nn.Module`, a Keras model; also usable as a decorator.

    Args:
        obj: what to compile. A function gives a `Function`, a Block itself (now active), a torch module a module
            that takes and returns tensors, as a function does that gets them; a Keras model, a `tf.function`, a
            `tf.Module` a function of TensorFlow's tensors. Without it, a decorator is returned.
        **options: `backend="llvm"|"numpy"`, `verify=False|"outputs"|"ops"`, `dynamic=None|True|False`,
            `freeze=False`, `threads=None|int`, `winograd=False`; MXNet's tuning keywords are accepted and ignored.

    Raises:
        ArgumentError E301: `obj` is none of these.
        TypeError: an unknown keyword.

    >>> from hybridize import hybridize, np
    >>> fast = hybridize(lambda x: np.exp(x) + 1)
    >>> fast(np.zeros((2,)))
    array([2., 2.])
    """
    if obj is None:
        return lambda function: hybridize(function, **options)
    if isinstance(obj, (staticmethod, classmethod)):
        return type(obj)(hybridize(obj.__func__, **options))
    if isinstance(obj, Block):
        obj.hybridize(**options)
        return obj
    if isinstance(obj, _class_of("torch", "nn", "Module")):
        door = load_module("hybridize.torch")  # torch is loaded already; without it, its door stays shut
        return door.module_compiled(obj, **options)
    if _class_of("tensorflow", "Module"):
        door = load_module("hybridize.tensorflow")
        if door.takes(obj):
            return door.TensorFlowFunction(obj, **options)
    if isinstance(obj, Function):
        return Function(obj.python_function, **options)
    if isinstance(obj, _class_of("jax", "stages", "Wrapped")):
        return load_module("hybridize.jax").JaxFunction(obj, **options)
    if callable(obj) and not isinstance(obj, type):
        return Function(obj, **options)
    kind = type(obj).__name__
    remedy = "pass the callable itself, as in hybridize(net), not its result"
    if isinstance(obj, (property, functools.cached_property)):
        remedy = f"write @hybridize below @{kind}, next to the function"
    elif isinstance(obj, type):
        remedy = f"decorate its methods, or pass an instance: hybridize({kind}())".replace(kind, obj.__name__)
    raise ArgumentError(
        "E301", f"hybridize takes a function, a Block or a torch.nn.Module, got {kind}", help=remedy
    )  # fmt: skip


def _class_of(module: str, *path: str) -> Any:
    """Return a class of a library; nothing that `isinstance` takes for a class of an object, where it is not loaded.

    A file of the user's may have the library's name, and the library itself may be half loaded.
    """
    at = sys.modules.get(module)
    for name in path:
        at = getattr(at, name, None)
    return at or ()


FOREIGN.append(Foreign("torch", "Tensor", "hybridize.torch"))
FOREIGN.append(Foreign("tensorflow", "Tensor", "hybridize.tensorflow"))
FOREIGN.append(Foreign("jax", "Array", "hybridize.jax"))
_HOLDS: Final = {
    "params": "arrays",
    "safetensors": "arrays",
    "torch": "a PyTorch file (load it with torch, then hybridize the module)",
    "keras": "layers of Keras by their names",
    "library": "a library for C (its header says how to call it; `hybridize run` does)",
    "wasm": "WebAssembly (the .mjs beside it loads it; `hybridize run` does)",
}
_REMEDIES: Final = {
    "keras": "keras.models.load_model(path), then hybridize it; or model.export(folder) once, and load the folder",
}


@outside_only("reads a file")
@leaves
def load(
    path: str | os.PathLike[str],
    *,
    images: bool = False,
    verify: bool = False,
    shared: bool = False,
    signature: str | None = None,
    rounding: str = "float",
    device: Any = None,
    **options: Any,
) -> Callable[..., Any]:
    """Load a compiled program or net from disk. The content of the file says what kind of file it is.

    Args:
        path: an archive written by `save`, or the `-symbol.json` of an exported net with its `.params` beside it; or
            a model of ONNX or TFLite, or the folder of a SavedModel of TensorFlow.
        images: run the machine code of an archive, where it has some for this machine, instead of compiling. That is
            to trust the file as one trusts a program: its checksums tell damage, not malice.
        verify: call what was loaded with the samples of the archive, and compare with the results that stand there.
        shared: other processes of this machine use the archive, too: one copy of its weights in memory is for all of
            them, also of those that are packed; and a pickle names the file instead of holding it.
        signature: of a SavedModel, which of its functions: a signature or a method; `serving_default` where there is
            one. Of a TFLite model, which of its signatures; its first graph if None.
        rounding: of integers that stand for numbers in a TFLite model: `float`, once, as LiteRT does where users run
            it, or `reference`, twice, as TFLite for microcontrollers does.
        device: of its weights and its calls, such as `gpu(0)`; the present device if None.
        **options: of what is loaded as a block, and of archives: those of `hybridize`. With `freeze=True` weights are
            constants of the programs.

    Raises:
        ArgumentError E301: `path` is no path.
        ValueArgumentError E345: `shared` of another file than an archive.
        DeviceError E701: there is no such device.
        LoadError: the file is not one of these, is damaged, or was written by a later version.
        LoadError E653: there is nothing in the file to verify it by.
        VerificationError E810: what was loaded gives something else than the file says.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> import hybridize, tempfile
    >>> net = nn.Dense(2, in_units=3)
    >>> net.initialize("ones")
    >>> net.hybridize()
    >>> y = net(np.ones((1, 3)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     net.save(f"{folder}/net.hyb")
    ...     loaded = hybridize.load(f"{folder}/net.hyb")
    >>> loaded(np.ones((1, 3)))
    array([[3., 3.]])
    """
    _check_path(path)
    with showing(f"loading {os.path.basename(str(path))}"):
        return _loaded(path, images, verify, shared, signature, rounding, device, options)


def _loaded(
    path: str | os.PathLike[str], images: bool, verify: bool, shared: bool, signature: str | None, rounding: str,
    device: Any, options: dict[str, Any],
) -> Callable[..., Any]:  # fmt: skip
    saved = read_if_archive(path) if os.path.isfile(path) else None
    if saved is None:
        kind = detect(path)
        if shared and (kind == "symbol" or kind in MODELS):
            what = f"{os.fspath(path)} is not mapped: it is a model of {MODELS.get(kind, 'MXNet')}, read into memory"
            help = "save an archive of it once, and load that: net = load(path); net(x); net.save(archive)"
            raise ValueArgumentError("E345", what, help=help)
        if kind == "symbol" and not verify:
            with LOADING:
                from hybridize.gluon import SymbolBlock  # late: MXNet's graphs

            block: Block = SymbolBlock.read(path)
            _move(block, device)
            return _active(block, options) if options else block
        if kind in MODELS and not verify:
            with LOADING:
                from hybridize.gluon.imported_block import ImportedBlock  # late: models of other frameworks

            block = ImportedBlock(read_model(path, kind, signature, rounding))
            _move(block, device)
            return _active(block, options)
        if kind == "archive":
            saved = read_archive(path)
    if saved is not None:
        return _function(saved, os.fspath(path), images, verify, shared, {**options, "device": device})
    if kind == "symbol" or kind in MODELS:
        raise _unverifiable(os.fspath(path))
    raise ContentError(
        "E611",
        f"{path} holds {_HOLDS[kind]}, which is not a program by itself",
        help=_REMEDIES.get(kind)
        or "load an archive of save, an exported -symbol.json, an ONNX model or the folder of a "
        "SavedModel; nd.load and net.load_parameters read arrays",
    )


def _move(block: Block, device: Any) -> None:
    """Have the parameters of a block on a device, or on the present one."""
    wanted = current_device() if device is None else as_device(device)
    if wanted != cpu():
        block.reset_ctx(wanted)


def _active(block: Block, options: dict[str, Any]) -> Block:
    """A block that was loaded, hybridized."""
    block.hybridize(**options)
    return block


def _function(
    saved: SavedProgram, path: str, images: bool, verify: bool, shared: bool, options: dict[str, Any]
) -> Function:
    """The function of an archive."""
    if verify and not any(len(signature.samples) for signature in saved.signatures):
        raise _unverifiable(path)
    place = os.path.abspath(path) if shared else None
    function = SavedFunction(saved, owned=True, images=images, path=place, **options)
    if verify:
        with LOADING:  # late: few files are tried when they are loaded
            from hybridize.programs.verifying import verify as verified

        verified(function, os.path.basename(path))
    return function


def _check_path(path: object) -> None:
    if not isinstance(path, (str, os.PathLike)):
        help = "hybridize.onnx.InferenceSession takes the bytes of a model; others must be in a file"
        raise ArgumentError("E301", f"load takes the path of a file, got {type(path).__name__}", help=help)


def _unverifiable(path: str) -> LoadError:
    return LoadError("E653", f"{path} holds no recorded calls to verify it with", help="load it without verify=")


def disabled() -> AbstractContextManager[None]:
    """Run the user's Python instead of compiled programs inside a `with` block, so that a debugger works.

    >>> from hybridize import np
    >>> import hybridize
    >>> double = hybridize.hybridize(lambda x: x * 2)
    >>> with hybridize.disabled():
    ...     double(np.ones(2))
    array([2., 2.])
    """
    return modes.mode(disabled=True)
