"""What a rule writes again and again is text, the same as if the rule had written it."""

import dataclasses

import pytest

from hybridize.base.dtypes import float32
from hybridize.codegen.llvm.functions import float32 as functions
from hybridize.codegen.llvm.functions.templates import template
from hybridize.codegen.llvm.functions.vectors import Vectors
from hybridize.codegen.llvm.text import Function, Module
from hybridize.machine.target import named_target


def written(write, number: int) -> tuple[list[str], str, list[str]]:
    """The lines of a function in which something else stands before, its result, and what it declares."""
    module = Module()
    f = Function(module, "f", [("float", "x")])
    for _ in range(number):
        f.op("fneg float %x")
    result = write(f, ["%x"])
    after = f.op("fneg float %x")
    return f.text().splitlines(), f"{result} {after}", list(module.declarations.values())


@pytest.mark.parametrize("name", sorted(functions.INLINE))
@pytest.mark.parametrize("target", ["avx512", "avx2", "baseline", "aarch64", "wasm32"])
@pytest.mark.parametrize("lanes", [1, 4, 16, 32])
def test_a_template_is_what_the_rule_writes(name, target, lanes):
    machine = named_target(target)

    def by_rule(f, args):
        return functions.INLINE[name](Vectors(f, float32, lanes, machine), *args)

    def by_template(f, args):
        return functions.EMITTERS[name](f, args, float32, lanes, machine)

    for number in (0, 3):
        assert written(by_rule, number) == written(by_template, number)


def test_targets_have_templates_of_their_own():
    one, other = named_target("avx2"), dataclasses.replace(named_target("avx2"), fma=False)
    texts = [functions._template("exp", 1, 8, machine).text for machine in (one, other)]
    assert texts[0] != texts[1]


def test_rules_with_blocks_have_none():
    def branching(f, x):
        with f.when("true"):
            f.op(f"fneg float {x}")
        return x

    def with_memory(f, x):
        return f.alloca("float")

    assert template(branching, 1) is None
    assert template(with_memory, 1) is None


def test_constants_and_registers_are_arguments():
    rule = template(lambda f, x, y: f.op(f"fadd float {x}, {f.op(f'fmul float {y}, {y}')}"), 2)
    f = Function(Module(), "f", [])
    assert rule.write(f, ["%x.7", "0x3FF0000000000000"]) == "%t.2"
    assert f.text().splitlines()[4:6] == [
        "  %t.1 = fmul float 0x3FF0000000000000, 0x3FF0000000000000",
        "  %t.2 = fadd float %x.7, %t.1",
    ]
