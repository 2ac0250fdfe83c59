# SPDX-License-Identifier: Apache-2.0
"""A kernel that writes words: the first of its arguments says where, the others are the words."""

from __future__ import annotations

from typing import Final

from hybridize.runtime.cuda.counting import OLDEST
from hybridize.runtime.device_entry import NUMBERS

WRITER_NAME: Final = "write_words"


def _text() -> str:
    params = ", ".join(f".param .u64 p{number}" for number in range(NUMBERS + 1))
    writes = [
        f"\tld.param.u64 %rd2, [p{number + 1}];\n\tst.global.u64 [%rd1+{8 * number}], %rd2;"
        for number in range(NUMBERS)
    ]
    lines = [
        ".version 7.0", f".target sm_{OLDEST}", ".address_size 64", f".visible .entry {WRITER_NAME}({params})", "{",
        "\t.reg .b64 %rd<3>;", "\tld.param.u64 %rd1, [p0];", "\tcvta.to.global.u64 %rd1, %rd1;", *writes, "\tret;", "}",
    ]  # fmt: skip
    return "\n".join([*lines, ""])


WRITER: Final = _text()
