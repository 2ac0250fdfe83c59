# SPDX-License-Identifier: Apache-2.0
"""Processors of Arm by the numbers that each core tells: Linux has no names for them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_ARM: Final = {
    0xD02: "Cortex-A34", 0xD03: "Cortex-A53", 0xD04: "Cortex-A35", 0xD05: "Cortex-A55", 0xD06: "Cortex-A65",
    0xD07: "Cortex-A57", 0xD08: "Cortex-A72", 0xD09: "Cortex-A73", 0xD0A: "Cortex-A75", 0xD0B: "Cortex-A76",
    0xD0C: "Neoverse-N1", 0xD0D: "Cortex-A77", 0xD0E: "Cortex-A76AE", 0xD40: "Neoverse-V1", 0xD41: "Cortex-A78",
    0xD42: "Cortex-A78AE", 0xD44: "Cortex-X1", 0xD46: "Cortex-A510", 0xD47: "Cortex-A710", 0xD48: "Cortex-X2",
    0xD49: "Neoverse-N2", 0xD4A: "Neoverse-E1", 0xD4B: "Cortex-A78C", 0xD4C: "Cortex-X1C", 0xD4D: "Cortex-A715",
    0xD4E: "Cortex-X3", 0xD4F: "Neoverse-V2", 0xD80: "Cortex-A520", 0xD81: "Cortex-A720", 0xD82: "Cortex-X4",
    0xD84: "Neoverse-V3", 0xD85: "Cortex-X925", 0xD87: "Cortex-A725", 0xD8E: "Neoverse-N3",
}  # fmt: skip
_APPLE: Final = {
    0x022: "Apple M1 (Icestorm)", 0x023: "Apple M1 (Firestorm)",
    0x024: "Apple M1 Pro (Icestorm)", 0x025: "Apple M1 Pro (Firestorm)",
    0x028: "Apple M1 Max (Icestorm)", 0x029: "Apple M1 Max (Firestorm)",
    0x032: "Apple M2 (Blizzard)", 0x033: "Apple M2 (Avalanche)",
    0x034: "Apple M2 Pro (Blizzard)", 0x035: "Apple M2 Pro (Avalanche)",
    0x038: "Apple M2 Max (Blizzard)", 0x039: "Apple M2 Max (Avalanche)",
}  # fmt: skip
_PARTS: Final[Mapping[int, Mapping[int, str]]] = {
    0x41: _ARM,
    0x46: {0x001: "Fujitsu A64FX"},
    0x48: {0xD01: "HiSilicon Kunpeng 920"},
    0x4E: {0x004: "NVIDIA Carmel"},
    0x51: {0x001: "Qualcomm Oryon"},
    0x61: _APPLE,
    0xC0: {0xAC3: "Ampere-1", 0xAC4: "Ampere-1a"},
}
"""Names of parts, by the implementer: the fields of the register MIDR_EL1."""
_NUMBERS: Final = re.compile(r"^CPU (implementer|part)\s*:\s*0x([0-9a-f]+)$", re.MULTILINE)


def names(cpuinfo: str) -> str:
    """Return the names of the kinds of cores that /proc/cpuinfo lists, each once; a new kind by its numbers."""
    cores = [dict(_NUMBERS.findall(core)) for core in cpuinfo.split("\n\n")]
    kinds = [(int(core["implementer"], 16), int(core["part"], 16)) for core in cores if len(core) == 2]
    return " + ".join(_name(*kind) for kind in dict.fromkeys(kinds))


def _name(implementer: int, part: int) -> str:
    known = _PARTS.get(implementer, {}).get(part)
    return known or f"AArch64 processor of implementer {implementer:#04x}, part {part:#05x}"
