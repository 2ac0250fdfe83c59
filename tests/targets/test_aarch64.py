"""AArch64: objects are valid ELF of that machine and need libm alone; they are run in an emulator."""

import re

import pytest

from hybridize.codegen import elf
from hybridize.codegen.llvm.objects import assembly, emit_object
from hybridize.codegen.llvm.program import build
from hybridize.machine.target import named_target
from hybridize.ops import evaluate
from tests.platforms.compilers import commands, emulated

TARGET = named_target("aarch64-linux")
LIBM = {
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "expm1",
    "fmod", "hypot", "lgamma", "log", "log10", "log1p", "log2", "nextafter", "pow", "sin", "sinh", "tan", "tanh",
    "tgamma",
}  # fmt: skip
EXTERNALS = LIBM | {name + "f" for name in LIBM} | {"memcpy", "memset", "memmove"}


def needs(object_bytes):
    """Names that the object does not define."""
    read = elf.read(object_bytes)
    assert read.machine == "aarch64"
    undefined = [number for number, symbol in enumerate(read.symbols) if number and symbol["section"] == elf.UNDEFINED]
    return {read.name(number) for number in undefined}


def test_one_sample_of_every_op_is_emitted(catalogue):
    first = {name.partition(".")[0]: (name, sample) for name, sample in catalogue.cases}
    for graph, _ in catalogue.jobs(first.values()):
        assert needs(emit_object(build(graph, TARGET, interruptible=False).module.text(), TARGET)) <= EXTERNALS


def test_models_are_vectors_with_fused_multiply_add(models):
    for graph, _ in (models.mlp(64, constant=False), models.gelu_of_layer_norm(64, 128)):
        code = assembly(build(graph, TARGET).module.text(), TARGET)
        assert len(re.findall(r"\bfmla\b.*\.4s", code)) >= 20
        called = set(re.findall(r"\bbl\s+(\w[\w.]*)", code))
        assert not called & EXTERNALS - {"memcpy"}


def test_every_kind_of_kernel_runs(catalogue, programs, models, system):
    """What `make test` runs of this processor: small models, and of each eighth op a sample."""
    system(*commands("aarch64"))
    several, exact = models.of_any_length([3, 70])
    jobs = [make() for make in models.MODELS.values()]
    first = {name.partition(".")[0]: (name, sample) for name, sample in catalogue.cases}
    cases = list(first.values())[::8]
    found = programs([*jobs, *several, *catalogue.jobs(cases)], "aarch64").in_c()
    for (graph, inputs), outputs in zip([*jobs, *exact], found, strict=False):
        models.check(graph, outputs, evaluate(graph, inputs))
    catalogue.check(cases, found[len(jobs) + len(exact) :])


@emulated
@pytest.mark.long
def test_every_op_is_the_reference(catalogue, programs):
    catalogue.check(catalogue.cases, programs(catalogue.jobs(catalogue.cases), "aarch64").in_c())


@emulated
@pytest.mark.long
def test_models_run(models, programs):
    several, exact = models.of_any_length([2, 3, 16, 70])
    jobs = [*(make() for make in models.MODELS.values()), models.resnet18()]
    found = programs([*jobs, *several], "aarch64").in_c()
    for (graph, inputs), outputs in zip([*jobs, *exact], found, strict=True):
        models.check(graph, outputs, evaluate(graph, inputs))


@emulated
@pytest.mark.long
@pytest.mark.parametrize("block", range(4))
def test_random_graphs_agree(block, random_graphs, programs):
    made = random_graphs.given(range(5000 + 100 * block, 5100 + 100 * block))
    random_graphs.compare(made, programs([(graph, inputs) for _, graph, inputs in made], "aarch64").in_c())
