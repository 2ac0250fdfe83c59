# SPDX-License-Identifier: Apache-2.0
"""Sizes that are not known when a program is compiled: polynomials over size symbols.

    dim    = constant + sum of coefficient * atom * ... * atom
    atom   = symbol | dim // divisor | dim % divisor | max(dim, dim)

A `Dim` stands wherever an int stands as a size. Code that treats it as a number stays right without knowing of it:

* arithmetic gives dims again, or ints where nothing symbolic is left;
* a comparison is decided by what is known of the symbols. Where that is not enough it is decided by the sizes of the
  call that is being compiled (the *hint*), and the outcome is remembered in the `SizeScope`: the program then holds for
  those sizes only for which it comes out the same;
* what needs the very number (`int(n)`, `range(n)`, an f-string) gets the hint and pins: the scope remembers that the
  dim has this value. While capturing, hash and repr do so too: a dict of the user's has to find what it would find.

Choices that are right either way (which loop is the inner one) ask `hint`, which remembers nothing.
"""

from hybridize.base.dims.dim import FAR as FAR
from hybridize.base.dims.dim import Atom as Atom
from hybridize.base.dims.dim import Bounds as Bounds
from hybridize.base.dims.dim import Dim as Dim
from hybridize.base.dims.dim import Division as Division
from hybridize.base.dims.dim import Larger as Larger
from hybridize.base.dims.dim import Remainder as Remainder
from hybridize.base.dims.dim import Size as Size
from hybridize.base.dims.dim import SizeSymbol as SizeSymbol
from hybridize.base.dims.dim import bounds as bounds
from hybridize.base.dims.dim import hint as hint
from hybridize.base.dims.dim import is_symbolic as is_symbolic
from hybridize.base.dims.dim import text as text
from hybridize.base.dims.dim import value as value
from hybridize.base.dims.grouping import grouped as grouped
from hybridize.base.dims.parse import parse as parse
from hybridize.base.dims.parse import parse_scope as parse_scope
from hybridize.base.dims.scope import SizeCondition as SizeCondition
from hybridize.base.dims.scope import SizeScope as SizeScope
from hybridize.base.dims.sizes import bind as bind
from hybridize.base.dims.sizes import broadcast as broadcast
from hybridize.base.dims.sizes import determined as determined
from hybridize.base.dims.sizes import fits as fits
from hybridize.base.dims.sizes import known as known
from hybridize.base.dims.sizes import maximum as maximum
from hybridize.base.dims.sizes import product as product
from hybridize.base.dims.sizes import proven as proven
from hybridize.base.dims.sizes import same as same
from hybridize.base.dims.sizes import scope_of as scope_of
from hybridize.base.dims.sizes import solve as solve
from hybridize.base.dims.sizes import stretches as stretches
