"""Every op as a library, at every level, its arrays beside memory that may not be touched."""

import shutil
import struct
import subprocess
from pathlib import Path

import numpy
import pytest

from hybridize.codegen.llvm.engine import runnable
from hybridize.formats.library.write import compiled

LEVELS = runnable()
BLOCKS = 12
CROSS = "aarch64-linux-gnu-gcc"
emulated = pytest.mark.skipif(
    not (shutil.which(CROSS) and shutil.which("qemu-aarch64")), reason="there is no AArch64 compiler or emulator"
)


@pytest.fixture
def together(tmp_path, libraries, system):
    """Many graphs in one shared library, each under a name of its own."""

    system("cc")

    def make(graphs, compiler="cc", **options):
        objects = []
        for number, graph in enumerate(graphs):
            made = compiled(libraries.of_graph(graph, f"program{number}"), **options)
            objects.append(tmp_path / f"program{number}.o")
            objects[-1].write_bytes(made.object)
        path = tmp_path / f"lib{libraries.fresh()}.so"
        subprocess.run([compiler, "-shared", "-o", path, *objects, "-lm"], check=True)
        if compiler != "cc":  # of another machine
            return path
        return [libraries.Library([path, f"program{number}.h"]) for number in range(len(graphs))]

    return make


def outputs_of(library, libraries, guarded_module, inputs, level, at_end):
    """What a library gives for inputs that end, or begin, where nothing may be read."""
    room = guarded_module.Guarded(at_end)
    model = library.create(processor=level)
    try:
        given = [room.place(x.shape, x.dtype, x) for x in inputs]
        described = [library.description.outputs[k] for k in range(library.description.output_count)]
        shapes = library.sizes([x.shape for x in inputs])
        kinds = [libraries.dtype(one.dtype.decode()) for one in described]
        results = [room.place(shape, kind) for shape, kind in zip(shapes, kinds, strict=True)]
        code = model.run([at for _, at in given], [x.shape for x in inputs], [at for _, at in results], shapes)
        assert code == 0, library.error(code)
        for (x, _), y in zip(given, inputs, strict=True):
            assert x.tobytes() == numpy.ascontiguousarray(y).tobytes()
        return [array.copy() for array, _ in results]
    finally:
        model.destroy()
        room.close()


def check(catalogue, cases, together, libraries, guarded_module, levels=LEVELS):
    made = together([catalogue.tests.graph_of(sample) for _, sample in cases])
    for level in levels:
        for at_end in (True, False):
            found = [
                outputs_of(library, libraries, guarded_module, sample.inputs, level, at_end)
                for library, (_, sample) in zip(made, cases, strict=True)
            ]
            catalogue.check(cases, found)


def test_ops_are_the_reference(catalogue, together, libraries, guarded_module):
    """A part: each of them in the long run."""
    check(catalogue, catalogue.cases[::48], together, libraries, guarded_module)


@pytest.mark.long
@pytest.mark.parametrize("block", range(BLOCKS))
def test_every_op_is_the_reference(block, catalogue, together, libraries, guarded_module):
    check(catalogue, catalogue.cases[block::BLOCKS], together, libraries, guarded_module)


def test_models_are_the_reference(models, together, libraries, guarded_module):
    jobs = [make() for make in models.MODELS.values()]
    made = together([graph for graph, _ in jobs])
    from hybridize.ops import evaluate

    for level in LEVELS:
        for library, (graph, inputs) in zip(made, jobs, strict=True):
            found = outputs_of(library, libraries, guarded_module, inputs, level, True)
            models.check(graph, found, evaluate(graph, inputs))


def test_one_program_for_several_sizes(models, together, libraries, guarded_module):
    jobs, exact = models.of_any_length([2, 3, 16, 70])
    (library,) = together([jobs[0][0]])
    from hybridize.ops import evaluate

    for level in LEVELS:
        for graph, inputs in exact:
            found = outputs_of(library, libraries, guarded_module, inputs, level, True)
            models.check(graph, found, evaluate(graph, inputs))


def fuzzed(random_graphs, seeds, together, libraries, guarded_module):
    made = random_graphs.given(seeds)
    built = together([graph for _, graph, _ in made])
    for level in LEVELS:
        found = [
            outputs_of(library, libraries, guarded_module, [numpy.asarray(x) for x in inputs], level, True)
            for library, (_, _, inputs) in zip(built, made, strict=True)
        ]
        random_graphs.compare(made, found)


def test_random_graphs_agree(random_graphs, together, libraries, guarded_module):
    fuzzed(random_graphs, range(7000, 7012), together, libraries, guarded_module)


@pytest.mark.long
@pytest.mark.parametrize("block", range(4))
def test_many_random_graphs_agree(block, random_graphs, together, libraries, guarded_module):
    fuzzed(random_graphs, range(7100 + 50 * block, 7150 + 50 * block), together, libraries, guarded_module)


# The same from C, under the sanitizers of its compiler and under valgrind


@pytest.fixture(scope="session")
def corpus(tmp_path_factory, system):
    """The driver, compiled plainly and with sanitizers."""
    system("cc")
    folder, source = tmp_path_factory.mktemp("corpus"), Path(__file__).with_name("corpus.c")
    strict = ["cc", "-std=c99", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-g", "-O1", source, "-ldl"]
    subprocess.run([*strict, "-o", folder / "plain"], check=True)
    watched = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    subprocess.run([*strict, *watched, "-o", folder / "watched"], check=True)
    return folder


def from_c(command, cases, library, catalogue, folder, level, compare=True):
    """Run the cases by a C program and compare what it writes."""
    parts = [struct.pack("<q", len(cases))]
    for _, sample in cases:
        parts.append(struct.pack("<q", len(sample.inputs)))
        for x in sample.inputs:
            parts.append(struct.pack(f"<{x.ndim + 2}q", x.ndim, *x.shape, x.nbytes))
            content = numpy.ascontiguousarray(x).tobytes()
            parts += [content, bytes(-len(content) % 8)]
    calls, results = folder / "calls", folder / "results"
    calls.write_bytes(b"".join(parts))
    done = subprocess.run([*command, library, calls, results, level], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    content, at, found = results.read_bytes(), 0, []
    for _, sample in cases:
        found.append([])
        for value in catalogue.tests.graph_of(sample).outputs:
            kind = value.type
            found[-1].append(numpy.frombuffer(content, kind.dtype, kind.size, at).reshape(kind.shape))
            at += kind.nbytes
    assert at == len(content)
    if compare:
        catalogue.check(cases, found)


def elsewhere(block, blocks, catalogue, together, tmp_path):
    """AArch64, emulated."""
    cases = catalogue.cases[block::blocks]
    library = together([catalogue.tests.graph_of(sample) for _, sample in cases], CROSS, targets="aarch64-linux")
    source = Path(__file__).with_name("corpus.c")
    subprocess.run([CROSS, "-std=c99", "-D_GNU_SOURCE", source, "-ldl", "-o", tmp_path / "driver"], check=True)
    command = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", tmp_path / "driver"]
    from_c(command, cases, library, catalogue, tmp_path, "aarch64")


@emulated
def test_ops_are_the_reference_on_aarch64(catalogue, together, tmp_path):
    elsewhere(5, 48, catalogue, together, tmp_path)


@emulated
@pytest.mark.long
@pytest.mark.parametrize("block", range(4))
def test_every_op_is_the_reference_on_aarch64(block, catalogue, together, tmp_path):
    elsewhere(block, 4, catalogue, together, tmp_path)


def watched(block, blocks, corpus, catalogue, together, tmp_path):
    cases = catalogue.cases[block::blocks]
    made = together([catalogue.tests.graph_of(sample) for _, sample in cases])
    for level in LEVELS:
        from_c([corpus / "watched"], cases, made[0].files[0], catalogue, tmp_path, level)
    if shutil.which("valgrind"):
        command = ["valgrind", "--quiet", "--leak-check=full", "--error-exitcode=9", corpus / "plain"]
        # It knows no AVX-512, and takes an ordered comparison (VCMPPS 12) for an unordered one: NaNs come out wrong.
        for level in ("avx2", "baseline"):
            from_c(command, cases, made[0].files[0], catalogue, tmp_path, level, compare=False)


def test_sanitizers_find_nothing_in_ops(corpus, catalogue, together, tmp_path):
    watched(3, 72, corpus, catalogue, together, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("block", range(BLOCKS))
def test_sanitizers_find_nothing_in_any_op(block, corpus, catalogue, together, tmp_path):
    watched(block, BLOCKS, corpus, catalogue, together, tmp_path)
