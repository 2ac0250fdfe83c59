"""`frozen` and `mutable` against what they stand for: `dataclass(frozen=True)` and `dataclass`."""

import copy
import dataclasses
from dataclasses import dataclass, field

import pytest

from hybridize.base.frozen import changed, frozen, mutable


def define(decorator):
    @decorator
    class Base:
        pass

    @decorator
    class Pair(Base):
        x: int
        y: tuple[int, ...] = ()
        z: list[int] = field(default_factory=list, compare=False, repr=False)

    @decorator
    class Named(Pair):
        name: str = "none"

        def __repr__(self):
            return self.name

    @decorator
    class Same(Pair):
        w: int = 0

        def __eq__(self, other):
            return isinstance(other, Same)

        def __hash__(self):
            return 7

    return Base, Pair, Named, Same


@pytest.fixture(params=[frozen, dataclass(frozen=True)], ids=["frozen", "dataclass"])
def classes(request):
    return define(request.param)


@frozen
class Global:
    x: int
    y: str = "y"

    def __post_init__(self):
        if self.x < 0:
            raise ValueError("x")


def test_equality_and_hash_are_by_the_compared_fields(classes):
    base, pair, named, same = classes
    assert base() == base() and hash(base()) == hash(base())
    assert pair(1) == pair(1, (), [3]) and hash(pair(1)) == hash(pair(1, (), [3]))
    assert pair(1) != pair(2) and pair(1, (2,)) != pair(1)
    assert pair(1) != named(1) and named(1) != named(1, name="other") and pair(1) != (1, ())
    assert same(1) == same(2) and hash(same(1)) == 7


def test_repr_shows_fields(classes):
    _, pair, named, _ = classes
    assert repr(pair(1, y=(2,))).endswith("Pair(x=1, y=(2,))") and repr(named(1, name="n")) == "n"


def test_defaults_are_made_for_each_instance(classes):
    pair = classes[1]
    assert pair(1).z == [] and pair(1).z is not pair(1).z


@pytest.mark.parametrize("arguments", [((), {}), ((1, (), [], 4), {}), ((1,), {"q": 1}), ((1,), {"x": 1})])
def test_wrong_arguments(classes, arguments):
    args, kwargs = arguments
    for _ in range(20):  # the constructor is written meanwhile
        with pytest.raises(TypeError):
            classes[1](*args, **kwargs)


def test_fields_cannot_be_written(classes):
    one = classes[1](1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        del one.x
    with pytest.raises(AttributeError):
        one.new = 2


def test_dataclasses_knows_them(classes):
    named = classes[2]
    assert [part.name for part in dataclasses.fields(named)] == ["x", "y", "z", "name"]
    assert dataclasses.replace(named(1), y=(3,)) == named(1, (3,))
    match named(5, (6,)):
        case named(x, y, name="none"):
            assert (x, y) == (5, (6,))
        case _:
            pytest.fail("no match")


def test_post_init_runs_at_the_first_instance_too():
    with pytest.raises(ValueError):
        Global(-1)
    with pytest.raises(ValueError):
        Global(x=-1)


def test_the_first_instances_are_as_the_later_ones(classes):
    _, pair, named, _ = classes
    for _ in range(20):
        one = named(1, (2,), name="n")
        assert (one.x, one.y, one.z, one.name) == (1, (2,), [], "n")
        assert list(vars(pair(3, z=[4]))) == ["x", "y", "z"]


def test_copies():
    assert copy.deepcopy(Global(1)) == Global(1) == copy.copy(Global(1))


@pytest.fixture(params=[mutable, dataclass], ids=["mutable", "dataclass"])
def changing(request):
    return define(request.param)


def test_mutable_fields_can_be_written(changing):
    pair = changing[1]
    for _ in range(20):  # the constructor is written meanwhile
        one = pair(1)
        one.x, one.y = 2, (3,)
        one.z.append(4)
        assert one == pair(2, (3,)) and one != pair(2) and repr(one).endswith("Pair(x=2, y=(3,))")
        assert dataclasses.replace(one, x=1) == pair(1, (3,))
        with pytest.raises(TypeError, match="unhashable"):
            hash(one)


@pytest.mark.parametrize("decorator", [frozen, mutable])
def test_identity(decorator):
    @decorator(eq=False)
    class Only:
        x: int

    one, other = Only(1), Only(1)
    assert one == one and one != other and len({one, other, one}) == 2
    assert repr(one).endswith("Only(x=1)")


@pytest.mark.parametrize("decorator", [frozen, mutable, dataclass(frozen=True), dataclass])
@pytest.mark.parametrize("count", range(24))
@pytest.mark.parametrize("defaults", [0, 1, 3])
def test_constructors_of_any_number_of_fields(decorator, count, defaults):
    """The first ones, and those that are written for the class; parameters have the names of the fields."""
    odd = ["self_", "put", "_1", "cls", "name", "_12", "FROZEN", *(f"other{k}" for k in range(5))]
    names = [f"field{k}" if k % 2 else odd[k // 2] for k in range(count)]
    body = {"__annotations__": dict.fromkeys(names, "int")}
    with_default = names[max(0, count - defaults) :]
    made = decorator(type("Made", (), body | {name: 10 + k for k, name in enumerate(with_default)}))
    for _ in range(12):
        assert list(vars(made(*range(count)))) == names
        assert [getattr(made(*range(count)), name) for name in names] == list(range(count))
        assert made(**{name: k for k, name in enumerate(names)}) == made(*range(count))
        fewer = made(*range(count - len(with_default)))
        assert [getattr(fewer, name) for name in with_default] == [10 + k for k in range(len(with_default))]
        for wrong in (lambda: made(*range(count + 1)), lambda: made(*range(count), other=1)):
            with pytest.raises(TypeError):
                wrong()
    assert made.__init__.__qualname__.endswith("Made.__init__")
    assert made.__init__.__code__.co_varnames[1 : count + 1] == tuple(names)


@pytest.mark.parametrize("decorator", [frozen, mutable, dataclass(frozen=True), dataclass])
def test_changed_copies_the_fields_and_nothing_else(decorator):
    seen = []

    @decorator
    class Base:
        x: int
        y: int = 1

    @decorator
    class Checked(Base):
        def __post_init__(self):
            seen.append((self.x, self.y))

    @decorator
    class Written:
        x: int
        y: int

        def __init__(self, x, y):
            seen.append((x, y))
            vars(self).update(x=x, y=y)

    class Derived(Base):  # whose `__init__` is one of its own
        def __init__(self, x, y):
            seen.append((x, y))
            super().__init__(x, y)

    for kind in (Base, Checked, Written, Derived):
        one = kind(1, 2)
        vars(one)["cached"] = "of the first"
        seen.clear()
        copied = changed(one, y=3)
        assert type(copied) is kind and vars(copied) == {"x": 1, "y": 3}
        assert vars(one) == {"x": 1, "y": 2, "cached": "of the first"}
        assert seen == ([] if kind is Base else [(1, 3)])
        for wrong in ("cached", "z"):
            with pytest.raises(TypeError):
                changed(one, **{wrong: 4})


@pytest.mark.parametrize("decorator", [frozen, mutable, dataclass(frozen=True), dataclass])
@pytest.mark.parametrize("count", [1, 3, 6, 7, 13, 14, 20, 23])
def test_factories_of_any_number_of_fields(decorator, count):
    names = [f"field{k}" for k in range(count)]
    body = {"__annotations__": dict.fromkeys(names, "int"), names[-1]: field(default_factory=list)}
    made = decorator(type("Made", (), body))
    for _ in range(12):
        one, other = made(*range(count - 1)), made(*range(count - 1))
        assert getattr(one, names[-1]) == [] and getattr(one, names[-1]) is not getattr(other, names[-1])
        assert list(vars(one).values())[:-1] == list(range(count - 1)) and list(vars(one)) == names
        assert getattr(made(*range(count)), names[-1]) == count - 1
        assert getattr(made(**dict(zip(names, range(count), strict=True))), names[-1]) == count - 1
        for wrong in (lambda: made(*range(count + 1)), lambda: made(*range(count - 1), other=1)):
            with pytest.raises(TypeError):
                wrong()
        if count > 1:
            with pytest.raises(TypeError):
                made(*range(count - 2))
