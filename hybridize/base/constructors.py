# SPDX-License-Identifier: Apache-2.0
"""Constructors of classes of many fields, and of such whose fields can be assigned, under names that no class has.

`frozen` gives them a class's own names: so they are compiled with this module, once for all processes, instead of for
each class in each process, which took a hundred times as long. The compiler loads this module; a process that compiles
nothing does without.
"""

from __future__ import annotations

from typing import Any

from hybridize.base.frozen import FROZEN, MUTABLE

_put = object.__setattr__


def _frozen7(self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any, _7: Any) -> None:
    _put(self, "_1", _1)
    _put(self, "_2", _2)
    _put(self, "_3", _3)
    _put(self, "_4", _4)
    _put(self, "_5", _5)
    _put(self, "_6", _6)
    _put(self, "_7", _7)


def _frozen8(self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any, _7: Any, _8: Any) -> None:
    _put(self, "_1", _1)
    _put(self, "_2", _2)
    _put(self, "_3", _3)
    _put(self, "_4", _4)
    _put(self, "_5", _5)
    _put(self, "_6", _6)
    _put(self, "_7", _7)
    _put(self, "_8", _8)


def _frozen9(self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any, _7: Any, _8: Any, _9: Any) -> None:
    _put(self, "_1", _1)
    _put(self, "_2", _2)
    _put(self, "_3", _3)
    _put(self, "_4", _4)
    _put(self, "_5", _5)
    _put(self, "_6", _6)
    _put(self, "_7", _7)
    _put(self, "_8", _8)
    _put(self, "_9", _9)


def _frozen10(
    self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any, _7: Any, _8: Any, _9: Any, _10: Any,
) -> None:  # fmt: skip
    _put(self, "_1", _1)
    _put(self, "_2", _2)
    _put(self, "_3", _3)
    _put(self, "_4", _4)
    _put(self, "_5", _5)
    _put(self, "_6", _6)
    _put(self, "_7", _7)
    _put(self, "_8", _8)
    _put(self, "_9", _9)
    _put(self, "_10", _10)


def _frozen11(
    self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any, _7: Any, _8: Any, _9: Any, _10: Any, _11: Any,
) -> None:  # fmt: skip
    _put(self, "_1", _1)
    _put(self, "_2", _2)
    _put(self, "_3", _3)
    _put(self, "_4", _4)
    _put(self, "_5", _5)
    _put(self, "_6", _6)
    _put(self, "_7", _7)
    _put(self, "_8", _8)
    _put(self, "_9", _9)
    _put(self, "_10", _10)
    _put(self, "_11", _11)


def _frozen12(
    self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any, _7: Any, _8: Any, _9: Any, _10: Any, _11: Any,
    _12: Any,
) -> None:  # fmt: skip
    _put(self, "_1", _1)
    _put(self, "_2", _2)
    _put(self, "_3", _3)
    _put(self, "_4", _4)
    _put(self, "_5", _5)
    _put(self, "_6", _6)
    _put(self, "_7", _7)
    _put(self, "_8", _8)
    _put(self, "_9", _9)
    _put(self, "_10", _10)
    _put(self, "_11", _11)
    _put(self, "_12", _12)


def _frozen13(
    self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any, _7: Any, _8: Any, _9: Any, _10: Any, _11: Any,
    _12: Any, _13: Any,
) -> None:  # fmt: skip
    _put(self, "_1", _1)
    _put(self, "_2", _2)
    _put(self, "_3", _3)
    _put(self, "_4", _4)
    _put(self, "_5", _5)
    _put(self, "_6", _6)
    _put(self, "_7", _7)
    _put(self, "_8", _8)
    _put(self, "_9", _9)
    _put(self, "_10", _10)
    _put(self, "_11", _11)
    _put(self, "_12", _12)
    _put(self, "_13", _13)


def _frozen14(
    self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any, _7: Any, _8: Any, _9: Any, _10: Any, _11: Any,
    _12: Any, _13: Any, _14: Any,
) -> None:  # fmt: skip
    _put(self, "_1", _1)
    _put(self, "_2", _2)
    _put(self, "_3", _3)
    _put(self, "_4", _4)
    _put(self, "_5", _5)
    _put(self, "_6", _6)
    _put(self, "_7", _7)
    _put(self, "_8", _8)
    _put(self, "_9", _9)
    _put(self, "_10", _10)
    _put(self, "_11", _11)
    _put(self, "_12", _12)
    _put(self, "_13", _13)
    _put(self, "_14", _14)


def _frozen15(
    self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any, _7: Any, _8: Any, _9: Any, _10: Any, _11: Any,
    _12: Any, _13: Any, _14: Any, _15: Any,
) -> None:  # fmt: skip
    _put(self, "_1", _1)
    _put(self, "_2", _2)
    _put(self, "_3", _3)
    _put(self, "_4", _4)
    _put(self, "_5", _5)
    _put(self, "_6", _6)
    _put(self, "_7", _7)
    _put(self, "_8", _8)
    _put(self, "_9", _9)
    _put(self, "_10", _10)
    _put(self, "_11", _11)
    _put(self, "_12", _12)
    _put(self, "_13", _13)
    _put(self, "_14", _14)
    _put(self, "_15", _15)


def _frozen16(
    self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any, _7: Any, _8: Any, _9: Any, _10: Any, _11: Any,
    _12: Any, _13: Any, _14: Any, _15: Any, _16: Any,
) -> None:  # fmt: skip
    _put(self, "_1", _1)
    _put(self, "_2", _2)
    _put(self, "_3", _3)
    _put(self, "_4", _4)
    _put(self, "_5", _5)
    _put(self, "_6", _6)
    _put(self, "_7", _7)
    _put(self, "_8", _8)
    _put(self, "_9", _9)
    _put(self, "_10", _10)
    _put(self, "_11", _11)
    _put(self, "_12", _12)
    _put(self, "_13", _13)
    _put(self, "_14", _14)
    _put(self, "_15", _15)
    _put(self, "_16", _16)


def _frozen17(
    self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any, _7: Any, _8: Any, _9: Any, _10: Any, _11: Any,
    _12: Any, _13: Any, _14: Any, _15: Any, _16: Any, _17: Any,
) -> None:  # fmt: skip
    _put(self, "_1", _1)
    _put(self, "_2", _2)
    _put(self, "_3", _3)
    _put(self, "_4", _4)
    _put(self, "_5", _5)
    _put(self, "_6", _6)
    _put(self, "_7", _7)
    _put(self, "_8", _8)
    _put(self, "_9", _9)
    _put(self, "_10", _10)
    _put(self, "_11", _11)
    _put(self, "_12", _12)
    _put(self, "_13", _13)
    _put(self, "_14", _14)
    _put(self, "_15", _15)
    _put(self, "_16", _16)
    _put(self, "_17", _17)


def _frozen18(
    self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any, _7: Any, _8: Any, _9: Any, _10: Any, _11: Any,
    _12: Any, _13: Any, _14: Any, _15: Any, _16: Any, _17: Any, _18: Any,
) -> None:  # fmt: skip
    _put(self, "_1", _1)
    _put(self, "_2", _2)
    _put(self, "_3", _3)
    _put(self, "_4", _4)
    _put(self, "_5", _5)
    _put(self, "_6", _6)
    _put(self, "_7", _7)
    _put(self, "_8", _8)
    _put(self, "_9", _9)
    _put(self, "_10", _10)
    _put(self, "_11", _11)
    _put(self, "_12", _12)
    _put(self, "_13", _13)
    _put(self, "_14", _14)
    _put(self, "_15", _15)
    _put(self, "_16", _16)
    _put(self, "_17", _17)
    _put(self, "_18", _18)


def _frozen19(
    self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any, _7: Any, _8: Any, _9: Any, _10: Any, _11: Any,
    _12: Any, _13: Any, _14: Any, _15: Any, _16: Any, _17: Any, _18: Any, _19: Any,
) -> None:  # fmt: skip
    _put(self, "_1", _1)
    _put(self, "_2", _2)
    _put(self, "_3", _3)
    _put(self, "_4", _4)
    _put(self, "_5", _5)
    _put(self, "_6", _6)
    _put(self, "_7", _7)
    _put(self, "_8", _8)
    _put(self, "_9", _9)
    _put(self, "_10", _10)
    _put(self, "_11", _11)
    _put(self, "_12", _12)
    _put(self, "_13", _13)
    _put(self, "_14", _14)
    _put(self, "_15", _15)
    _put(self, "_16", _16)
    _put(self, "_17", _17)
    _put(self, "_18", _18)
    _put(self, "_19", _19)


def _frozen20(
    self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any, _7: Any, _8: Any, _9: Any, _10: Any, _11: Any,
    _12: Any, _13: Any, _14: Any, _15: Any, _16: Any, _17: Any, _18: Any, _19: Any, _20: Any,
) -> None:  # fmt: skip
    _put(self, "_1", _1)
    _put(self, "_2", _2)
    _put(self, "_3", _3)
    _put(self, "_4", _4)
    _put(self, "_5", _5)
    _put(self, "_6", _6)
    _put(self, "_7", _7)
    _put(self, "_8", _8)
    _put(self, "_9", _9)
    _put(self, "_10", _10)
    _put(self, "_11", _11)
    _put(self, "_12", _12)
    _put(self, "_13", _13)
    _put(self, "_14", _14)
    _put(self, "_15", _15)
    _put(self, "_16", _16)
    _put(self, "_17", _17)
    _put(self, "_18", _18)
    _put(self, "_19", _19)
    _put(self, "_20", _20)


def _frozen21(
    self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any, _7: Any, _8: Any, _9: Any, _10: Any, _11: Any,
    _12: Any, _13: Any, _14: Any, _15: Any, _16: Any, _17: Any, _18: Any, _19: Any, _20: Any, _21: Any,
) -> None:  # fmt: skip
    _put(self, "_1", _1)
    _put(self, "_2", _2)
    _put(self, "_3", _3)
    _put(self, "_4", _4)
    _put(self, "_5", _5)
    _put(self, "_6", _6)
    _put(self, "_7", _7)
    _put(self, "_8", _8)
    _put(self, "_9", _9)
    _put(self, "_10", _10)
    _put(self, "_11", _11)
    _put(self, "_12", _12)
    _put(self, "_13", _13)
    _put(self, "_14", _14)
    _put(self, "_15", _15)
    _put(self, "_16", _16)
    _put(self, "_17", _17)
    _put(self, "_18", _18)
    _put(self, "_19", _19)
    _put(self, "_20", _20)
    _put(self, "_21", _21)


def _mutable1(self: Any, _1: Any) -> None:
    self._1 = _1


def _mutable2(self: Any, _1: Any, _2: Any) -> None:
    self._1 = _1
    self._2 = _2


def _mutable3(self: Any, _1: Any, _2: Any, _3: Any) -> None:
    self._1 = _1
    self._2 = _2
    self._3 = _3


def _mutable4(self: Any, _1: Any, _2: Any, _3: Any, _4: Any) -> None:
    self._1 = _1
    self._2 = _2
    self._3 = _3
    self._4 = _4


def _mutable5(self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any) -> None:
    self._1 = _1
    self._2 = _2
    self._3 = _3
    self._4 = _4
    self._5 = _5


def _mutable6(self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any) -> None:
    self._1 = _1
    self._2 = _2
    self._3 = _3
    self._4 = _4
    self._5 = _5
    self._6 = _6


def _mutable7(self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any, _7: Any) -> None:
    self._1 = _1
    self._2 = _2
    self._3 = _3
    self._4 = _4
    self._5 = _5
    self._6 = _6
    self._7 = _7


def _mutable8(self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any, _7: Any, _8: Any) -> None:
    self._1 = _1
    self._2 = _2
    self._3 = _3
    self._4 = _4
    self._5 = _5
    self._6 = _6
    self._7 = _7
    self._8 = _8


def _mutable9(self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any, _7: Any, _8: Any, _9: Any) -> None:
    self._1 = _1
    self._2 = _2
    self._3 = _3
    self._4 = _4
    self._5 = _5
    self._6 = _6
    self._7 = _7
    self._8 = _8
    self._9 = _9


def _mutable10(
    self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any, _7: Any, _8: Any, _9: Any, _10: Any,
) -> None:  # fmt: skip
    self._1 = _1
    self._2 = _2
    self._3 = _3
    self._4 = _4
    self._5 = _5
    self._6 = _6
    self._7 = _7
    self._8 = _8
    self._9 = _9
    self._10 = _10


def _mutable11(
    self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any, _7: Any, _8: Any, _9: Any, _10: Any, _11: Any,
) -> None:  # fmt: skip
    self._1 = _1
    self._2 = _2
    self._3 = _3
    self._4 = _4
    self._5 = _5
    self._6 = _6
    self._7 = _7
    self._8 = _8
    self._9 = _9
    self._10 = _10
    self._11 = _11


def _mutable12(
    self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any, _7: Any, _8: Any, _9: Any, _10: Any, _11: Any,
    _12: Any,
) -> None:  # fmt: skip
    self._1 = _1
    self._2 = _2
    self._3 = _3
    self._4 = _4
    self._5 = _5
    self._6 = _6
    self._7 = _7
    self._8 = _8
    self._9 = _9
    self._10 = _10
    self._11 = _11
    self._12 = _12


def _mutable13(
    self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any, _7: Any, _8: Any, _9: Any, _10: Any, _11: Any,
    _12: Any, _13: Any,
) -> None:  # fmt: skip
    self._1 = _1
    self._2 = _2
    self._3 = _3
    self._4 = _4
    self._5 = _5
    self._6 = _6
    self._7 = _7
    self._8 = _8
    self._9 = _9
    self._10 = _10
    self._11 = _11
    self._12 = _12
    self._13 = _13


FROZEN.update(enumerate((
    _frozen7, _frozen8, _frozen9, _frozen10, _frozen11, _frozen12, _frozen13, _frozen14, _frozen15, _frozen16,
    _frozen17, _frozen18, _frozen19, _frozen20, _frozen21,
), 7))  # fmt: skip

MUTABLE.update(enumerate((
    _mutable1, _mutable2, _mutable3, _mutable4, _mutable5, _mutable6, _mutable7, _mutable8, _mutable9, _mutable10,
    _mutable11, _mutable12, _mutable13,
), 1))  # fmt: skip
