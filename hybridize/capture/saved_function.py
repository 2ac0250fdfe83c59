# SPDX-License-Identifier: Apache-2.0
"""`SavedFunction`: a function whose programs come from a file; there is no Python to capture another one from."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Generic

import numpy

from hybridize.array import random
from hybridize.array.buffer import host_copy, host_view
from hybridize.array.device import OTHERS, Device, as_device, current_device, is_away
from hybridize.array.placing import arrays_in, one_device, settled
from hybridize.base.errors import (
    ArgumentError,
    DeviceError,
    DTypeError,
    HybridizeError,
    LoadError,
    ReadError,
    ShapeError,
)
from hybridize.base.forks import renewed
from hybridize.base.frozen import changed
from hybridize.base.loading import LOADING
from hybridize.base.nested import arranged, unflatten
from hybridize.base.types import TensorType
from hybridize.capture.calls import P, R
from hybridize.capture.function import Function
from hybridize.capture.options import Options
from hybridize.compiler.archived import offer_process_code
from hybridize.contract.call import Call
from hybridize.formats import SavedProgram, SavedSignature, read_archive, read_received, written
from hybridize.formats.cursor import forget
from hybridize.programs import saving
from hybridize.programs.origins import is_unwritten
from hybridize.programs.program import Program, accepted, described

if TYPE_CHECKING:
    from hybridize.formats.exporting import Exported

MODELESS: Final = "modeless"
"""The option of a file whose programs are of a framework that has no training mode: they are for both."""


_READY: Final = 8
"""Functions of files that stay loaded for the next pickle that names them."""
_from_paths: OrderedDict[tuple[Any, ...], SavedFunction[..., Any]] = OrderedDict()
_lock = renewed(threading.RLock())


class Exportable:
    """A function of another framework's arrays, whose programs can be written as files."""

    __slots__ = ()

    if TYPE_CHECKING:  # whoever makes the programs says how they are plain data

        def saved(self, samples: Sequence[Any] = (), notes: list[str] | None = None) -> SavedProgram: ...

    def export(
        self, path: str | os.PathLike[str], format: str = "archive", *, samples: Sequence[Any] = (),
        progress: Callable[[str], None] | None = None, **options: Any,
    ) -> Exported:  # fmt: skip
        """Write all programs as files that run without this Python; each is run and compared before it is in place.

        Args:
            path: of the archive; of other formats, the folder and the name of the model.
            format: as in `hybridize.Function.export`: `"archive"`, `"library"`, `"object"`, `"wasm"` or `"web"`.
            samples: calls to check it with, besides those that the programs were made at: each an array or a
                tuple of arguments.
            progress: hears what is being done.
            options: as in `hybridize.Function.export`.

        Raises:
            StateError E507: nothing has been compiled yet.
            ArgumentError E334 to E337: a sample that no program takes, an unknown format or option.
            CaptureError E454 to E457: what only Python can do is part of a program.
            VerificationError E810 to E812: what was written is not what the framework gives. Nothing changed on the
                disk.
        """
        with LOADING:
            from hybridize.programs.exporting import export as write  # late: most processes write no file

        return write(self.saved, SavedFunction, path, format, samples=samples, progress=progress, options=options)


class SavedFunction(Function[P, R], Generic[P, R]):
    """A function of the programs of a file.

    Args:
        saved: the programs and their weights.
        shared: the weights are somebody else's, who may write them: they are read where they are, at each call.
        owned: nobody else will look at the weights again: they are not copied.
        images: run the machine code that came with the programs, where it fits this machine.
        path: of the file, where other processes of this machine map it, too: what is made of the weights is shared with
            them, and a pickle names the file in place of holding it.
        device: where the weights are, and calls run; None for the present device.
        options: as for `Function`.

    Raises:
        DeviceError E701: there is no such device.
    """

    def __init__(
        self, saved: SavedProgram, *, shared: bool = False, owned: bool = False, images: bool = False,
        path: str | None = None, device: Any = None, **options: Any
    ) -> None:  # fmt: skip
        wanted = current_device() if device is None else as_device(device)
        self._gpu = wanted if is_away(wanted) else None
        """The GPU that it runs on; None for the host."""
        known = {name: value for name, value in saved.options.items() if name in Options.__dataclass_fields__}
        super().__init__(saving.without_python(saved.name), **{**known, **options})
        self.saved_program = saved
        self._names = saved.argument_names
        self.name: str = saved.name
        self._runs_images = images if owned else None
        """True if copies run the machine code in its file; None for those that are copied by name."""
        self._path = path
        self._chosen = options if self._gpu is None else {**options, "device": self._gpu}
        if images:
            offer_process_code(saved.process)
        captures = saving.captured(saved, shared=shared, owned=owned, common=path is not None, gpu=self._gpu)
        for captured, signature in zip(captures, saved.signatures, strict=True):
            self._keep(self._compile(captured, "", signature.codes if images else ()))
        if path is not None and self._gpu is None:
            for array in [source.array for captured in captures for source in captured.sources]:
                if array is not None:
                    forget(host_view(array))  # nobody can have written it yet, and what is packed was read for that
        self._new = True

    def __reduce__(self) -> Any:
        """Copied and pickled as the file that it comes from, weights as they are: its bytes, or where it lies.

        Of two copies of what writes state, each goes on by itself; random numbers are of the process where it runs.
        """
        if self._runs_images is None:
            return super().__reduce__()
        with self._lock:
            if self._path is not None and self.is_as_saved():
                arguments = self._path, self.saved_program.identity, self.name, self._runs_images, self._chosen
                return _from_path, arguments
            return _received, self._as_bytes()

    def _as_bytes(self) -> tuple[Any, ...]:
        """The arguments of `_received` that make a copy; `pickle` may leave the array beside its own bytes."""
        with self._lock:
            content = numpy.frombuffer(written(self.saved()), numpy.uint8)
        return self.name, content, self._runs_images, self._chosen

    def __copy__(self) -> Any:
        return self if self._runs_images is None else _received(*self._as_bytes(), common=False)

    def __deepcopy__(self, memo: Any) -> Any:
        return self.__copy__()

    def is_as_saved(self) -> bool:
        """Tell whether its weights certainly are those of the file, and no call changes them."""
        sources = [source for program in self.programs() for source in program.capture.sources]
        arrays = [
            (one.array, one.written) for one in sources if one.array is not None and one.array is not random.state
        ]
        return all(written < 0 and is_unwritten(array) for array, written in arrays)

    def _served(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not OTHERS:
            return super()._served(args, kwargs)
        # Programs at the host know no devices: what they give is where the arguments are.
        arrays = list(arrays_in((args, kwargs)))
        device = one_device(self.name, arrays) or self._gpu or current_device()
        self._check_device(arrays, device)
        call, program = self._call_and_program(args, kwargs)
        return settled((program or self._capture(call)).run(call), device, [])

    def _check_device(self, arrays: Sequence[Any], device: Device) -> None:
        """Refuse arrays that are in another memory than the weights.

        Raises:
            DeviceError E703: they are.
        """
        if device != self._gpu and (is_away(device) or (arrays and self._gpu is not None)):
            where, what = self._gpu or "the host", f"{arrays[0].type} on {device}"
            raise DeviceError(
                "E703",
                f"{self.name} was loaded on {where}, and is called with {what}",
                help=f"load it with device={device}, or pass x.as_in_ctx({self._gpu or 'cpu()'})",
            )

    def _call_and_program(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Call, Program | None]:
        """Take a call apart as the file has it: numbers of NumPy may be arrays without axes."""
        call, program = self._of_file(args, kwargs)
        if program is None and any(isinstance(leaf, numpy.generic) for leaf in call.leaves):
            arrays = [numpy.asarray(leaf) if isinstance(leaf, numpy.generic) else leaf for leaf in call.leaves]
            other, program = self._of_file(*unflatten(call.structure, arrays))
            return (call if program is None else other), program
        return call, program

    def _of_file(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Call, Program | None]:
        """The call with keywords by position, without devices, its keys in the order of a call of the file."""
        if kwargs:
            args, kwargs = self._positional(args, kwargs)
        call, program = super()._call_and_program(args, kwargs)
        if program is None:
            # Of the other class of arrays, too: the file has the program, whatever arrays hold what it computes with.
            classes = dict.fromkeys(one.capture.call.of_nd for one in self.programs())
            for other in (call, *self._arranged(args, kwargs)):
                for of_nd in classes:
                    program = self._find(changed(other, of_nd=of_nd))
                    if program is not None:
                        return other, program
        return call, program

    def _call_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        call = super()._call_of(args, kwargs)
        if self._gpu is not None:
            return changed(call, devices=saving.only_on(self._gpu, call.kinds))
        return call if call.devices is None else changed(call, devices=None)

    def _arranged(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[Call]:
        """The same call as those that a function was saved for: their order of keys, and what is None by default."""
        names, defaults = self._parameters(), self.saved_program.none_defaults
        values = {**dict(zip(names, args, strict=False)), **kwargs}
        for structure in dict.fromkeys(program.capture.call.structure for program in self.programs()):
            positional, keywords = structure.children
            positional_names = names[: len(positional.children)]
            wanted = {*positional_names, *keywords.keys}
            absent = {name for name in wanted ^ values.keys() if values.get(name) is not None or name not in defaults}
            if absent or len(positional_names) < len(positional.children) or len(args) > len(names):
                if len(args) == len(positional.children) and kwargs.keys() == set(keywords.keys):
                    yield self._call_of(*arranged((args, kwargs), structure))
                continue
            pair = (
                tuple(values.get(name) for name in positional_names),
                {name: values.get(name) for name in keywords.keys},
            )
            yield self._call_of(*arranged(pair, structure))

    def _positional(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Keywords in the order of their parameters, where the file knows those."""
        names = self._parameters()[len(args) :]
        leading = [name for name in names if name in kwargs]
        if list(names[: len(leading)]) != leading:
            return args, kwargs
        return (*args, *(kwargs[name] for name in leading)), {k: v for k, v in kwargs.items() if k not in leading}

    def _find(self, call: Call) -> Program | None:
        program = super()._find(call)
        if program is None and call.recording:
            return self._find(changed(call, recording=False))  # what was saved is differentiated as it is
        if program is None and self.saved_program.options.get(MODELESS):
            program = super()._find(changed(call, training=not call.training))
        return program

    def _capture(self, call: Call) -> Program:
        raise self._unknown(call)

    def cache_clear(self) -> None:
        """Forget nothing: there is no other source of its programs than the file."""

    def of_file(self) -> list[tuple[Program, SavedSignature]]:
        """The programs in the order of the file, with what that says of them."""
        by_graph = {id(program.captured): program for program in self.programs()}
        return [(by_graph[id(signature.graph)], signature) for signature in self.saved_program.signatures]

    def current(self) -> list[Program]:
        """The programs in the order of the file."""
        return [program for program, _ in self.of_file()]

    def _plain(self, programs: Sequence[Program], names: Mapping[int, str], steps: bool = False) -> SavedProgram:
        """The file as data, with the present contents of the arrays."""
        weights: dict[str, Any] = {}
        for program, signature in self.of_file():
            arrays = [source.array for source in program.capture.sources if source.array is not None]
            weights.update((name, host_copy(array)) for name, array in zip(signature.state, arrays, strict=True))
        return changed(self.saved_program, weights=weights)

    def _judge(self) -> None:
        """There is no Python to say what samples give: the programs do."""

    def _unknown(self, call: Call) -> HybridizeError:
        """The error for a call that it has no program for."""
        mode = call.training, call.recording
        everything = [program.capture.call for program in self.programs()]
        words = {
            id(program.capture.call): accepted(program.capture.call, program.captured.scope)
            for program in self.programs()
        }
        known = [one for one in everything if (one.training, one.recording) == mode]
        others = [one for one in everything if (one.training, one.recording) != mode]
        takes = [f"for {' or '.join(dict.fromkeys(words[id(one)] for one in known))}"] if known else []
        for state in dict.fromkeys(map(_modes, others)):
            calls = dict.fromkeys(words[id(one)] for one in others if _modes(one) == state)
            takes += [f"{state} for {' or '.join(calls)}"]
        got = f"; got {described(call)} {_modes(call)}" if others else f", got {described(call)}"
        text = f"{self.name} was saved {', '.join(takes)}{got}"
        for one in others:
            if one.structure == call.structure and one.kinds == call.kinds:
                return ArgumentError("E310", text, help="call it with these sizes in that mode before saving")
        for one in known:
            if one.structure == call.structure:
                pairs = list(zip(one.kinds, call.kinds, strict=True))
                if all(isinstance(x, TensorType) == isinstance(y, TensorType) for x, y in pairs):
                    wrong = [(x, y) for x, y in pairs if isinstance(x, TensorType) and x != y]
                    if any(x.dtype != y.dtype for x, y in wrong):
                        return DTypeError("E210", text, help="cast the arguments: x.astype(...)")
                    if wrong:
                        return ShapeError("E120", text, help="call it with these sizes before saving")
        for program in self.programs():
            one = program.capture.call
            if one not in known or one.structure != call.structure or one.kinds != call.kinds:
                continue
            text += f": {program.objections(call)}"
            return ArgumentError("E310", text, help="call it with these arguments before saving, or pass an array")
        return ArgumentError("E310", text, help="pass these arrays; on the command line: --input x.npy for each")


def _modes(call: Call) -> str:
    """`while training and recording`, as an error says it."""
    words = ["training" if call.training else "predicting"] + (["recording"] if call.recording else [])
    return f"while {' and '.join(words)}"


def _received(
    name: str, content: Any, images: bool, options: Mapping[str, Any] | None = None, *, common: bool = True
) -> SavedFunction[..., Any]:
    """The function of a file's bytes, which a copy or `pickle` brings; `common`: to other processes, too."""
    saved = read_received(f"the pickled {name}", content, common=common)
    return SavedFunction(saved, owned=True, images=images, **(options or {}))


def _from_path(
    path: str, identity: str, name: str, images: bool, options: Mapping[str, Any]
) -> SavedFunction[..., Any]:
    """The function of a file that a pickle names: the same one for all pickles of it that come to this process.

    Raises:
        ReadError E600: the file is not there.
        LoadError E616: it holds something else than when it was pickled.
    """
    key = path, identity, images, repr(sorted(options.items()))
    with _lock:
        function = _from_paths.get(key)
        if function is None or not function.is_as_saved():
            saved = _unchanged(path, identity, name)
            function = SavedFunction(saved, owned=True, images=images, path=path, **options)
            _from_paths[key] = function
            while len(_from_paths) > _READY:
                _from_paths.popitem(last=False)
        _from_paths.move_to_end(key)
        return function


def _unchanged(path: str, identity: str, name: str) -> SavedProgram:
    """Read a file that has to hold what it held."""
    remedy = "have the file there on each machine, or load it without shared=True, so that pickles hold it"
    cause = None
    try:
        saved = read_archive(path)
        if saved.identity == identity:
            return saved
    except ReadError as error:
        error.help = f"the pickle of {name} names its file: {remedy}"
        raise
    except LoadError as error:
        cause = error
    what = f"the pickle of {name} names the file {path}, which holds something else now"
    raise LoadError("E616", what, help="pickle it again; do not write over the files of programs at work") from cause
