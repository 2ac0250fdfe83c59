"""Hooks are filled once, by one package."""

import pytest

from hybridize.base.errors import InternalError
from hybridize.base.hooks import Hook, Hooks


def test_a_hook_holds_its_first_value_until_it_is_filled():
    hook = Hook(abs)
    assert hook.value(-1) == 1
    hook.fill(float)
    assert hook.value(-1) == -1
    with pytest.raises(InternalError, match="E916"):
        hook.fill(int)
    assert hook.value is float


def test_several_hooks_are_filled_by_several_but_each_by_one():
    hooks = Hooks()
    hooks.fill(first=1)
    hooks.fill(second=2)
    with pytest.raises(InternalError, match=r"E916.*first"):
        hooks.fill(third=3, first=1)
    assert vars(hooks) == {"first": 1, "second": 2}
