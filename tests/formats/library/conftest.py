"""Libraries made of functions and graphs, called through ctypes."""

import ctypes
import importlib.util
import itertools
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy
import pytest

import hybridize as hy
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import runnable
from hybridize.formats.deployable import Deployable, Tensor, Variant, deployable
from hybridize.formats.library import write_library

DTYPES = {"bfloat16": numpy.dtype(ml_dtypes.bfloat16)}
LEVELS = runnable()
"""Of the levels of a library, those that this machine runs."""
_numbers = itertools.count()


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p), ("dtype", ctypes.c_char_p), ("itemsize", ctypes.c_int32), ("ndim", ctypes.c_int32),
        ("smallest", ctypes.POINTER(ctypes.c_int64)), ("largest", ctypes.POINTER(ctypes.c_int64)),
        ("shape", ctypes.c_char_p),
    )  # fmt: skip


class _Description(ctypes.Structure):
    _fields_ = (
        ("json", ctypes.c_char_p), ("name", ctypes.c_char_p), ("version", ctypes.c_char_p),
        ("input_count", ctypes.c_int32), ("output_count", ctypes.c_int32),
        ("inputs", ctypes.POINTER(_Tensor)), ("outputs", ctypes.POINTER(_Tensor)),
    )  # fmt: skip


class Options(ctypes.Structure):
    """NAME_options."""

    TASK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)
    HOST = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
    _fields_ = (
        ("weights", ctypes.c_char_p), ("processor", ctypes.c_char_p), ("parallel_for", HOST),
        ("context", ctypes.c_void_p), ("threads", ctypes.c_int32),
    )  # fmt: skip


class Library:
    """A shared library; `kinds` are the names of codes."""

    kinds = ("OK", "NULL", "SIZE", "UNALIGNED", "MEMORY", "FILE", "ASSERTION", "OPTION")

    def __init__(self, files):
        self.files = [Path(file) for file in files]
        self.name = self.files[1].stem
        self.code = ctypes.CDLL(str(self.files[0].absolute()))
        self.function("error").restype = ctypes.c_char_p
        self.function("describe").restype = ctypes.POINTER(_Description)
        self.function("destroy").restype = None

    def function(self, word):
        return getattr(self.code, f"{self.name}_{word}")

    def error(self, code):
        return self.function("error")(code).decode()

    @property
    def description(self):
        return self.function("describe")().contents

    def create(self, **options):
        """A model, or the text of what is wrong."""
        place = ctypes.c_void_p(1)
        given = Options(**{key: value.encode() if isinstance(value, str) else value for key, value in options.items()})
        code = self.function("create")(ctypes.byref(place), ctypes.byref(given) if options else None)
        if code:
            assert place.value is None
            return f"{self.kinds[code & 255]}: {self.error(code)}"
        return Model(self, place)

    def sizes(self, shapes):
        """Shapes of the outputs for shapes of the inputs."""
        outputs = [self.description.outputs[k] for k in range(self.description.output_count)]
        found = (ctypes.c_int64 * max(1, sum(one.ndim for one in outputs)))()
        code = self.function("sizes")(words(shapes), found)
        if code:
            return f"{self.kinds[code & 255]}: {self.error(code)}"
        sizes = iter(found)
        return [tuple(itertools.islice(sizes, one.ndim)) for one in outputs]


class Model:
    """A model of a library."""

    def __init__(self, library, place):
        self.library, self.place = library, place

    def __call__(self, *arrays):
        """The outputs, or the text of what is wrong."""
        library = self.library
        arrays = [numpy.ascontiguousarray(x).reshape(numpy.shape(x)) for x in arrays]
        shapes = library.sizes([x.shape for x in arrays])
        if isinstance(shapes, str):
            return shapes
        described = library.description.outputs
        outputs = []
        for k, shape in enumerate(shapes):
            word = described[k].dtype.decode()
            outputs.append(numpy.full(shape, 77).astype(DTYPES.get(word) or numpy.dtype(word)))
        code = self.run(
            [x.ctypes.data for x in arrays], [x.shape for x in arrays], [y.ctypes.data for y in outputs], shapes
        )
        return f"{library.kinds[code & 255]}: {library.error(code)}" if code else outputs

    def run(self, inputs, shapes, outputs, found=None):
        """The bare function, given addresses."""
        return self.library.function("run")(
            self.place,
            pointers(inputs),
            None if shapes is None else words(shapes),
            pointers(outputs),
            None if found is None else words(found),
        )

    def destroy(self):
        self.library.function("destroy")(self.place)


def words(shapes):
    flat = [size for shape in shapes for size in shape]
    return (ctypes.c_int64 * max(1, len(flat)))(*flat)


def pointers(addresses):
    return None if addresses is None else (ctypes.c_void_p * max(1, len(addresses)))(*addresses)


def typed(x):
    return TensorType(x.shape, x.dtype)


def of_graph(graph, name="program"):
    """A graph as what is deployed: inputs x0..., outputs y0...."""
    inputs = tuple(Tensor(f"x{k}", value.type) for k, value in enumerate(graph.inputs))
    outputs = tuple(Tensor(f"y{k}", value.type) for k, value in enumerate(graph.outputs))
    return Deployable(name, inputs, outputs, (), (Variant(graph, (), (), ()),))


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Makes libraries: of a function and calls of it, or of a graph."""

    def make(what, *calls, name=None, **options):
        program = what
        if callable(what):
            function = hy.hybridize(what)
            for call in calls:
                function(*call)
            program = deployable(function.saved())
        elif not isinstance(what, Deployable):
            program = of_graph(what)
        # Each of another name: the loader knows libraries by it.
        folder = tmp_path_factory.mktemp("library")
        return Library(write_library(program, folder / (name or f"made{next(_numbers)}"), **options))

    return make


def _module_of(name, path):
    """A module of the tests: their folders are no packages."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


_HERE = Path(__file__).parent
_TARGETS = _module_of("shared_by_targets", _HERE.parents[1] / "targets" / "conftest.py")


@pytest.fixture(scope="session")
def guarded_module():
    """guarded.py."""
    return _module_of("guarded_arrays", _HERE / "guarded.py")


@pytest.fixture(scope="session")
def catalogue():
    """The samples of all ops."""
    return _TARGETS.Catalogue()


@pytest.fixture(scope="session")
def models():
    """Small programs of every kind of kernel."""
    return _TARGETS.module_of("models_for_targets", _TARGETS.HERE / "models.py")


@pytest.fixture(scope="session")
def random_graphs():
    """The graphs of the fuzz test."""
    return _TARGETS.RandomGraphs()


class Libraries:
    """What tests make libraries with by hand."""

    Library = Library
    of_graph = staticmethod(of_graph)

    @staticmethod
    def dtype(word):
        return DTYPES.get(word) or numpy.dtype(word)

    @staticmethod
    def fresh():
        """A name that no library has yet."""
        return f"made{next(_numbers)}"


@pytest.fixture(scope="session")
def libraries():
    return Libraries


@pytest.fixture(scope="session")
def options():
    """The structure of options."""
    return Options


@pytest.fixture(scope="session")
def compile_c(tmp_path_factory, system):
    """Compiles a C program against a library, strictly; returns the program's path."""

    system("cc")

    def make(source, library, *flags, language="c"):
        folder = tmp_path_factory.mktemp("program")
        path = folder / f"program.{'c' if language == 'c' else 'cc'}"
        path.write_text(source)
        where = library.files[0].parent
        standard = ["cc", "-std=c99"] if language == "c" else ["c++", "-std=c++11"]
        command = [
            *standard,
            "-D_GNU_SOURCE",
            "-Wall",
            "-Wextra",
            "-pedantic",
            "-Werror",
            "-O1",
            *flags,
            str(path),
            f"-I{where}",
            f"-L{where}",
            f"-l{library.name}",
            f"-Wl,-rpath,{where}",
            "-lm",
            "-lpthread",
            "-o",
            str(folder / "program"),
        ]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stderr
        return folder / "program"

    return make
