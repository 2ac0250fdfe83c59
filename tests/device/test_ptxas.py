"""What the interpreter runs is PTX for NVIDIA's assembler, too."""

import pytest

from tests.device import ptxas, test_copies, test_opcodes, test_races
from tests.device.written import module

pytestmark = [pytest.mark.long, ptxas.installed]


def cases() -> list[tuple]:
    names = [name for name in vars(test_opcodes) if name.isupper()]
    tables = [getattr(test_opcodes, name) for name in names]
    return [case for table in tables if isinstance(table, list) for case in table if isinstance(case, tuple)]


def together(texts: list[str]) -> str:
    """Return one module of the kernels of several."""
    head = texts[0][: texts[0].index(".visible")]
    return head + "".join(text[text.index(".visible") :].replace(" k(", f" k{n}(") for n, text in enumerate(texts))


@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_every_opcode_is_assembled(arch, tmp_path):
    texts = [test_opcodes.text_of(opcode, result, operands) for opcode, result, operands, _ in cases()]
    texts = [text for text in texts if f".target {arch}" in text or arch == "sm_90"]
    assert len(texts) > 400
    used = ptxas.assembled(together(texts).replace(".target sm_80", f".target {arch}"), arch, tmp_path)
    assert len(used) == len(texts)
    assert all(one.spilled == 0 for one in used.values())


def test_kernels_with_shared_memory_and_barriers_are_assembled(tmp_path):
    for body, shared in ((test_races.TURNED, 256), (test_races.WARP.format(31), 256), (test_copies.STAGED, 2048)):
        used = ptxas.assembled(module(body, ("u64 out", "u64 x")), "sm_80", tmp_path)
        assert used["k"].shared == shared
        assert used["k"].spilled == 0


def test_what_is_refused_is_an_error(tmp_path):
    with pytest.raises(AssertionError, match="Unknown modifier"):
        ptxas.assembled(module("add.s99 %r1, %r2, %r3;"), "sm_80", tmp_path)
