"""What is written as bytes of machine code is the assembly that it is said to be, and no module of a library has any."""

import dataclasses
import re

import pytest

from hybridize import hybridize, np
from hybridize.codegen import elf
from hybridize.codegen.levels import runnable
from hybridize.codegen.llvm.library import instructions
from hybridize.codegen.llvm.objects import emit_object
from hybridize.codegen.llvm.program import build
from hybridize.formats.library import platforms, write
from hybridize.machine.target import named_target
from hybridize.passes import PIPELINE
from tests.schedule.test_prologues import Layer

ASSEMBLY = {
    "CPUID": "mov r8, rdx; mov r9, rbx; mov eax, ecx; xor ecx, ecx; cpuid; mov [r8], eax; mov [r8 + 4], ebx; "
    "mov [r8 + 8], ecx; mov [r8 + 12], edx; mov rbx, r9; ret",
    "XGETBV": "xor ecx, ecx; xgetbv; ret",
    "CHKSTK": "push rcx; push rax; cmp rax, 4096; lea rcx, [rsp + 24]; jb 2f; 1: sub rcx, 4096; or qword ptr [rcx], 0; "
    "sub rax, 4096; cmp rax, 4096; ja 1b; 2: sub rcx, rax; or qword ptr [rcx], 0; pop rax; pop rcx; ret",
}


@pytest.mark.skipif("baseline" not in runnable(), reason="LLVM assembles for the processor that it runs on alone")
@pytest.mark.parametrize("name", ASSEMBLY)
def test_bytes_are_what_the_assembler_makes(name):
    words = [word for part in ASSEMBLY[name].split("; ") for word in re.split(r"(?<=\d:) ", part)]
    lines = ".intel_syntax noprefix", ".text", *words, ".att_syntax"
    content = emit_object("".join(f'module asm "{line}"\n' for line in lines), named_target("baseline"))
    code = next(section for section in elf.read(content).sections if section.name == ".text")
    assert bytes(code.data) == getattr(instructions, name)


@pytest.mark.parametrize("platform", platforms.PLATFORMS)
def test_no_module_of_a_library_has_assembly(platform, tmp_path, monkeypatch):
    """Where LLVM has no assembler for a processor, `asm` ends the process; here nothing would show it."""
    texts = []

    def emit(text, target):
        texts.append(text)
        return emit_object(text, target)

    monkeypatch.setattr(write, "emit_object", emit)
    fast = hybridize(lambda x: np.sort(x) @ x.T)
    fast(np.ones((8, 256)))
    fast.export(tmp_path / "net", "object", targets=platform)
    assert len(texts) == 1
    assert not re.search(r"\basm\b", texts[0])


@pytest.mark.parametrize("level", dict.fromkeys(level for one in platforms.PLATFORMS.values() for level in one.levels))
def test_no_kernel_of_a_level_has_assembly(level):
    """Not even where tiles convert bytes, for which kernels of one maker's processor have an instruction of its own."""
    layer = Layer(1, 1024, 64, "int8")
    target = named_target(level)
    texts = [
        build(PIPELINE.run(layer.graph), one, stable=tuple(layer.stable)).module.text()
        for one in (target, dataclasses.replace(target, cpu="znver4"))
    ]
    assert [" asm " in text for text in texts] == [False, target.processor == "x86_64" and target.vector_bytes >= 32]
