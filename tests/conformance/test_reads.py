"""Reads of the world that a later call has to see: builtins, modules, gradients, descriptors, weak references."""

import abc
import array
import collections.abc
import decimal
import gc
import math
import operator
import sys
import types
import typing
import weakref

import numpy
import pytest

from hybridize import autograd, hybridize
from hybridize.array import np
from hybridize.errors import ArgumentError, StateError

X, Y = [1.0, 2.0], [-3.0, 4.0]


def _follows(function, *changes, args=lambda: (np.array(X),)):
    """A function and its program agree before and after each change of the world, both when they are called twice."""
    compiled, answers = hybridize(function), []
    for change in (lambda: None, *changes):
        change()
        for _ in range(2):
            expected = function(*args())
            found = compiled(*args())
            assert type(found) is type(expected)
            numpy.testing.assert_array_equal(numpy.asarray(found), numpy.asarray(expected))
        answers.append(numpy.asarray(expected).tolist())
    return answers


def reads_builtins(x):
    total = x * max(2, 3) + sum([1, 2]) + len(x) + float("4") + round(2.6)
    for i in range(2):
        total = total + i
    return total if isinstance(total, object) else -total


@pytest.mark.parametrize(("name", "other"), [
    ("max", lambda *args: -7), ("sum", lambda items: 70), ("len", lambda items: 700), ("float", lambda text: 0.25),
    ("round", lambda x: -1), ("range", lambda n: [5, 6]), ("isinstance", lambda x, kind: False),
])  # fmt: skip
def test_a_global_that_hides_a_builtin(name, other):
    names = globals()
    answers = _follows(
        reads_builtins, lambda: names.update({name: other}), lambda: names.pop(name), lambda: names.update({name: other}),
        lambda: names.pop(name),
    )  # fmt: skip
    assert answers[0] == answers[2] == answers[4] != answers[1] == answers[3]


def test_a_builtin_that_is_replaced(monkeypatch):
    answers = _follows(
        reads_builtins, lambda: monkeypatch.setattr("builtins.round", lambda x: 90), lambda: monkeypatch.undo()
    )
    assert answers[0] == answers[2] != answers[1]


def test_a_builtin_in_a_helper_a_lambda_and_a_comprehension():
    def helper(x):
        return x * (lambda n: abs(n))(-2) + sum([abs(k) for k in (-1, -2)])

    names = globals()
    answers = _follows(lambda x: helper(x), lambda: names.update(abs=lambda x: 50), lambda: names.pop("abs"))
    assert answers[0] == answers[2] != answers[1]


def test_programs_of_functions_with_builtins_are_not_made_anew():
    compiled = hybridize(reads_builtins)
    first = compiled(np.array(X))
    for k in range(3):
        globals()["of_no_concern"] = k  # other names of the module are nobody's business
        assert compiled(np.array(X)).asnumpy().tolist() == first.asnumpy().tolist()
    del globals()["of_no_concern"]
    assert len(compiled.programs()) == 1


def test_whether_an_argument_has_a_gradient():
    weight = np.array(X)
    answers = _follows(
        lambda x: x.grad is None, lambda: weight.attach_grad(), lambda: weight.attach_grad("null"),
        args=lambda: (weight,),
    )  # fmt: skip
    assert answers[:2] == [True, False]
    compiled = hybridize(lambda x: -x if x.grad is None else x + x.grad)
    for attached in (False, True, False, True):
        x = np.array(X)
        if attached:
            x.attach_grad()
        assert compiled(x).asnumpy().tolist() == (X if attached else [-1.0, -2.0])


def test_a_weight_that_gets_its_gradient_after_a_step_has_failed():
    state = {"w": np.array(X)}
    state["w"].attach_grad()
    log = []

    def step(x):
        with autograd.record():
            loss = (x * state["w"]).sum()
        loss.backward()
        log.append(1.0)
        return state["w"].grad * 1.0

    compiled = hybridize(step)
    for run in (0, 1, 2, 3):
        if run in (1, 3):
            state["w"] = np.array(Y)  # without a gradient
        if run == 2:
            state["w"].attach_grad()
        for function in (step, compiled):
            if run in (1, 3):
                with pytest.raises((TypeError, ArgumentError, StateError)):
                    function(np.array(X))
            else:
                assert function(np.array(X)).asnumpy().tolist() == X


def test_variables_of_the_surroundings_that_are_deleted():
    names = globals()

    def make():
        kept = 5.0

        def both(x):
            global made_here, other_here
            nonlocal kept
            made_here, other_here = x, x * 2
            result = made_here + other_here * kept
            del made_here, other_here, kept
            return result

        def put(value):
            nonlocal kept
            kept = value

        return both, put

    for wrap in (lambda function: function, hybridize):
        function, put = make()
        function = wrap(function)
        for value in (5.0, 2.0, 3.0, 4.0):
            put(value)
            assert function(np.array(X)).asnumpy().tolist() == [v + 2 * v * value for v in X]
            assert "made_here" not in names and "other_here" not in names
            with pytest.raises(NameError, match="kept"):
                function(np.array(X))
        assert "made_here" in names and "other_here" in names  # what was done before the exception was done
        del names["made_here"], names["other_here"]
        put(6.0)
        assert function(np.array(X)).asnumpy().tolist() == [13.0, 26.0]


@pytest.fixture
def module():
    """A module of the user's, which is at hand for `import`."""
    made = types.ModuleType("module_of_tests")
    made.SCALE, made.pair = 2.0, (1.0, 2.0)
    made.scaled = lambda x: x * 3
    sys.modules[made.__name__] = made
    yield made
    sys.modules.pop(made.__name__, None)


def imports_names(x):
    from module_of_tests import SCALE
    from module_of_tests import scaled as by_three

    return by_three(x) * SCALE


def imports_a_module(x):
    import module_of_tests as of_tests

    return of_tests.scaled(x) * of_tests.SCALE


def imports_in_a_branch(x):
    if x.sum() > 0:
        from module_of_tests import SCALE

        return x * SCALE
    return x


def imports_globally(x):
    global module_of_tests
    import module_of_tests

    return x * module_of_tests.SCALE


@pytest.mark.parametrize("function", [imports_names, imports_a_module, imports_in_a_branch, imports_globally])
def test_modules_that_are_imported_in_the_function(function, module):
    other = types.ModuleType(module.__name__)
    other.SCALE, other.scaled = 11.0, lambda x: x - 1

    def replace():
        sys.modules[module.__name__] = other

    answers = _follows(
        function, lambda: setattr(module, "SCALE", 5.0), lambda: setattr(module, "scaled", lambda x: x + 7), replace
    )
    assert answers[0] != answers[1] and answers[2] != answers[3]
    globals().pop("module_of_tests", None)


def test_a_name_that_is_not_in_the_module_yet(module):
    def reads(x):
        try:
            from module_of_tests import later
        except ImportError:
            later = 0.0
        return x * later if hasattr(module, "later") else x - 1

    answers = _follows(reads, lambda: setattr(module, "later", 4.0), lambda: delattr(module, "later"))
    assert answers[0] == answers[2] != answers[1]


def test_functions_of_pythons_modules_that_are_replaced(monkeypatch):
    answers = _follows(
        lambda x: x * math.sqrt(9) + operator.neg(1),
        lambda: monkeypatch.setattr(math, "sqrt", lambda v: 10.0),
        lambda: monkeypatch.setattr(operator, "neg", lambda v: 100.0),
        monkeypatch.undo,
    )
    assert answers[0] == answers[3] and len({str(answer) for answer in answers}) == 3


class Doubling:
    """A data descriptor that keeps half of what it shows, in another attribute."""

    def __get__(self, owner, kind):
        return owner.base * 2

    def __set__(self, owner, value):
        owner.base = value / 2

    def __delete__(self, owner):
        owner.base = -1.0


class Computed:
    """A descriptor that an attribute of the instance hides."""

    def __get__(self, owner, kind=None):
        return kind.scale if owner is None else owner.base + kind.scale


def _with_descriptors():
    class Owner:
        scale = 3.0
        shown = Doubling()
        computed = Computed()

        def __init__(self):
            self.base = 1.0

    return Owner, Owner()


def test_descriptors_give_take_and_delete_at_each_call():
    def of(make):
        kind, owner = _with_descriptors()

        def step(x):
            result = x * owner.shown + owner.computed + kind.computed
            owner.shown = owner.shown + 2
            owner.shown += 1
            return result

        def drop(x):
            del owner.shown
            return x * owner.shown

        step, drop, seen = make(step), make(drop), []
        for change in (
            lambda: None, lambda: None, lambda: setattr(owner, "base", 50), lambda: setattr(kind, "scale", 7.0),
            lambda: setattr(owner, "computed", 0.5), lambda: vars(owner).pop("computed"),
            lambda: setattr(kind, "computed", 9.0),
        ):  # fmt: skip
            change()
            seen.append((step(np.array(X)).tolist(), owner.base))
        seen.append((drop(np.array(X)).tolist(), owner.base))
        kind.shown = 2.0
        seen.append(step(np.array(X)).tolist())
        return seen

    assert of(hybridize) == of(lambda function: function)


def test_the_methods_of_a_descriptor_that_are_replaced(monkeypatch):
    _, owner = _with_descriptors()
    answers = _follows(
        lambda x: x * owner.shown,
        lambda: monkeypatch.setattr(Doubling, "__get__", lambda *given: 70.0),
        monkeypatch.undo,
    )
    assert answers[0] == answers[2] != answers[1]


def test_a_descriptor_that_refuses_leaves_everything_as_it_was():
    class Refusing:
        def __get__(self, owner, kind):
            return 1.0

        def __set__(self, owner, value):
            owner.tried = value
            raise ValueError("no")

    class Owner:
        attribute = Refusing()

    found = []
    for wrap in (lambda function: function, hybridize):
        owner = Owner()

        def step(x, owner=owner):
            owner.attribute = 3.0
            return x

        step = wrap(step)
        for _ in range(3):
            with pytest.raises(ValueError, match="no"):
                step(np.array(X))
        found.append(vars(owner))
    assert found[0] == found[1] == {"tried": 3.0}


class On:
    gain = 2.0

    def next(self, x):
        self.__class__ = Off
        return x * self.gain

    def name(self):
        return 1.0


class Off:
    gain = 5.0

    def next(self, x):
        self.__class__ = On
        return x * self.gain

    def name(self):
        return 2.0


def both_states(one, x):
    return one.next(x) + one.name() + one.next(x) * one.name() + isinstance(one, On)


@pytest.mark.parametrize("body", [lambda one, x: one.next(x), both_states, lambda one, x: x * isinstance(one, On)])
def test_objects_whose_class_is_set(body):
    found = []
    for wrap in (lambda function: function, hybridize):
        one = On()
        function, seen = wrap(lambda x, one=one: body(one, x)), []
        seen += [(function(np.array(X)).tolist(), type(one)) for _ in range(4)]
        one.__class__ = Off
        seen.append((function(np.array(X)).tolist(), type(one)))
        On.gain, before = 20.0, On.gain
        seen.append((function(np.array(X)).tolist(), type(one)))
        seen.append((function(np.array(X)).tolist(), type(one)))
        On.gain = before
        found.append(seen)
    assert found[0] == found[1]


def test_a_class_that_cannot_be_set_is_not_set():
    class Slotted:
        __slots__ = ("value",)

    one = On()

    @hybridize
    def sets(x):
        one.__class__ = Slotted
        return x

    for _ in range(2):
        with pytest.raises(TypeError):
            sets(np.array(X))
        assert type(one) is On


def test_the_bases_of_a_class():
    class First:
        k = 2.0

    class Second:
        k = 3.0

    class Derived(First):
        pass

    one = Derived()
    answers = _follows(
        lambda x: x * (Derived.__bases__[0] is First) + one.k + isinstance(one, Second),
        lambda: setattr(Derived, "__bases__", (Second,)), lambda: setattr(Derived, "__bases__", (First,)),
    )  # fmt: skip
    assert answers[0] == answers[2] != answers[1]


class Referred:
    """An object that weak references lead to."""

    gain = 3.0

    def __init__(self):
        self.value, self.calls = 2.0, 0

    def scaled(self, x):
        return x * self.value

    @property
    def shown(self):
        return self.value + 1


def asks_for_an_attribute(x, reference):
    return x * reference().value + reference().gain if reference() is not None else -x


def calls_a_method(x, reference):
    return -x if (found := reference()) is None else found.scaled(x)


def asks_for_a_property(x, reference):
    return -x if (found := reference()) is None else x + found.shown + hasattr(found, "later")


def writes_an_attribute(x, reference):
    found = reference()
    if found is None:
        return -x
    found.calls += 1
    found.last = x.sum()
    return x * found.calls


@pytest.mark.parametrize("body", [asks_for_an_attribute, calls_a_method, asks_for_a_property, writes_an_attribute])
def test_what_a_weak_reference_leads_to_is_not_kept_alive(body):
    def of(make):
        one, seen = Referred(), []
        reference = weakref.ref(one)
        function = make(lambda x: body(x, reference))
        for value in (2.0, 2.0, 5.0, 7.0):
            one.value = value
            seen.append((function(np.array(X)).tolist(), one.calls))
        one.later = True
        seen += [function(np.array(X)).tolist() for _ in range(2)]
        del one
        gc.collect()
        seen.append(reference())
        return seen + [function(np.array(X)).tolist() for _ in range(2)]

    found = of(hybridize)
    assert found == of(lambda function: function)
    assert found[-3] is None and found[-1] == [-1.0, -2.0]


def test_a_weak_reference_whose_method_is_replaced(monkeypatch):
    one = Referred()
    reference = weakref.ref(one)
    answers = _follows(
        lambda x: reference().scaled(x),
        lambda: monkeypatch.setattr(Referred, "scaled", lambda self, x: x + 40),
        lambda: setattr(one, "scaled", lambda x: x + 50),
        lambda: delattr(one, "scaled"),
        monkeypatch.undo,
    )
    assert answers[0] == answers[4] != answers[1] == answers[3] != answers[2]


def test_builtins_of_functions_without_source():
    names = {}
    exec("def made(x): return x * max(2, 3) + abs(-1)", names)
    answers = _follows(
        lambda x: names["made"](x), lambda: names.update(max=lambda *args: 50), lambda: names.pop("max"),
        lambda: names.update(abs=lambda x: 7),
    )  # fmt: skip
    assert answers[0] == answers[2] and len({str(answer) for answer in answers}) == 3


def test_a_name_that_a_module_of_pythons_gets(monkeypatch):
    answers = _follows(
        lambda x: x * (math.of_tests if hasattr(math, "of_tests") else 5),
        lambda: monkeypatch.setattr(math, "of_tests", 2, raising=False), monkeypatch.undo,
    )  # fmt: skip
    assert answers[0] == answers[2] != answers[1]


def by_weak_method(one):
    method = weakref.WeakMethod(one.scaled)
    return lambda x: -x if (found := method()) is None else found(x)


def by_weak_dictionary(one):
    table = weakref.WeakValueDictionary(one=one)
    return lambda x: x * table["one"].value if "one" in table else -x


def by_get_of_weak_dictionary(one):
    table = weakref.WeakValueDictionary(one=one)
    return lambda x: -x if (found := table.get("one")) is None else x * found.value


def by_weak_proxy(one):
    proxy = weakref.proxy(one)
    return lambda x: x * proxy.value + proxy.gain


@pytest.mark.parametrize("way", [by_weak_method, by_weak_dictionary, by_weak_proxy, by_get_of_weak_dictionary])
def test_other_ways_to_an_object_that_is_not_kept_alive(way):
    def of(make):
        one, seen = Referred(), []
        function, reference = make(way(one)), weakref.ref(one)
        for value in (2.0, 2.0, 5.0, 7.0):
            one.value = value
            seen.append(function(np.array(X)).tolist())
        del one
        gc.collect()
        seen.append(reference())
        for _ in range(2):
            try:
                seen.append(function(np.array(X)).tolist())
            except ReferenceError:
                seen.append("nothing is there")
        return seen

    found = of(hybridize)
    assert found == of(lambda function: function)
    assert found[4] is None


def _seen_in(make, change):
    """What a function that reads an object of Python's own sees before and after a change of what it goes by."""
    found = []
    for compile in (lambda function: function, hybridize):
        function, changed = make()
        compiled, seen = compile(function), []
        for alter in (lambda: None, lambda changed=changed: change(changed)):
            alter()
            seen += [_plain(compiled(np.array(X))) for _ in range(2)]
        found.append(seen)
    assert found[0] == found[1]
    return found[0][0] != found[0][-1]


def _plain(value):
    parts = (list, tuple)
    return [_plain(part) for part in value] if isinstance(value, parts) else getattr(value, "tolist", lambda: value)()


def _of_mapping(view, function):
    def make():
        table = {"a": 1.0, "b": 2.0}
        shown = view(table)
        return (lambda x: (x, function(shown))), table

    return make


@pytest.mark.parametrize("change", [
    lambda table: table.update(c=3.0), lambda table: table.pop("a"), dict.clear,
    lambda table: (table.pop("a"), table.update(a=1.0)),
], ids=["added", "removed", "emptied", "moved"])  # fmt: skip
@pytest.mark.parametrize(("view", "function"), [
    (dict.items, lambda pairs: [(value, key) for key, value in pairs]),
    (dict.keys, lambda keys: [f"{key}," for key in keys]),
    (dict.keys, list), (dict.values, list),
    (dict.items, lambda pairs: list(dict(pairs))),
    (types.MappingProxyType, lambda proxy: [key.upper() for key in proxy]),
    (types.MappingProxyType, lambda proxy: list(dict(proxy))),
    (types.MappingProxyType, lambda proxy: list(proxy.items())),
    (types.MappingProxyType, lambda proxy: list({**proxy})),
    (lambda table: types.MappingProxyType(types.MappingProxyType(table)), lambda proxy: list(proxy)),
])  # fmt: skip
def test_views_of_a_mapping_show_what_it_holds_now(view, function, change):
    assert _seen_in(_of_mapping(view, function), change)


@pytest.mark.parametrize(("view", "function"), [
    (dict.keys, lambda keys: sorted(keys & {"a", "c"})), (dict.keys, lambda keys: "a" in keys), (dict.keys, len),
    (dict.keys, lambda keys: keys.isdisjoint({"a"})), (types.MappingProxyType, lambda proxy: "a" in proxy),
    (types.MappingProxyType, lambda proxy: proxy.get("a", 7.0)), (types.MappingProxyType, len),
    (types.MappingProxyType, lambda proxy: proxy | {"c": 1.0}),
])  # fmt: skip
def test_views_of_a_mapping_are_asked(view, function):
    assert _seen_in(_of_mapping(view, function), lambda table: table.pop("a"))


def test_a_view_of_nothing_is_guarded_too():
    def make():
        table = {}
        keys = table.keys()
        return (lambda x: (x, [key.upper() for key in keys])), table

    assert _seen_in(make, lambda table: table.update(a=1.0))


@pytest.mark.parametrize("make", [
    lambda: array.array("d", [1.0, 2.0]), lambda: memoryview(array.array("d", [1.0, 2.0])), lambda: bytearray(b"ab"),
])  # fmt: skip
@pytest.mark.parametrize("function", [lambda raw: raw[0], lambda raw: raw.tobytes() if hasattr(raw, "tobytes")
                                      else bytes(raw), list, sum, lambda raw: [part + 1 for part in raw]])  # fmt: skip
def test_bytes_that_others_write(make, function):
    def of():
        raw = make()
        return (lambda x: (x, function(raw))), raw

    assert _seen_in(of, lambda raw: raw.__setitem__(0, 99))


THIRD = decimal.Decimal(3)


@pytest.mark.parametrize("function", [
    lambda: float(decimal.Decimal(1) / decimal.Decimal(3)), lambda: float(1 / THIRD), lambda: float(THIRD.sqrt()),
    lambda: float(decimal.getcontext().divide(1, 3)), lambda: decimal.getcontext().prec,
])  # fmt: skip
def test_the_context_of_decimal(function):
    with decimal.localcontext() as context:

        def make():
            context.prec = 12
            return (lambda x: x.astype("float64") * function()), context

        assert _seen_in(make, lambda context: setattr(context, "prec", 3))


class Telling(type):
    taken = True

    def __instancecheck__(cls, one):
        return cls.taken and (super().__instancecheck__(one) or hasattr(one, "shape"))


class Told(metaclass=Telling):
    pass


@typing.runtime_checkable
class Fitting(typing.Protocol):
    def fit(self, x): ...


class Abstract(abc.ABC):
    @abc.abstractmethod
    def needed(self): ...


def test_a_class_that_answers_by_itself(monkeypatch):
    answers = _follows(
        lambda x: (x * 2 if isinstance(x, Told) else x) + (10 if isinstance(3, (Told, str)) else 0),
        lambda: monkeypatch.setattr(Telling, "taken", False),
        lambda: monkeypatch.setattr(Telling, "__instancecheck__", lambda cls, one: True),
    )  # fmt: skip
    assert len({str(answer) for answer in answers}) == 3


def test_a_pattern_of_a_class_that_answers_by_itself(monkeypatch):
    def body(x):
        match x:
            case Told():
                return x * 2
        return x

    answers = _follows(body, lambda: monkeypatch.setattr(Telling, "taken", False), monkeypatch.undo)
    assert answers[0] == answers[2] != answers[1]


@pytest.mark.parametrize(("kind", "change"), [
    (Fitting, lambda made: setattr(made, "fit", lambda self, x: x)), (Abstract, Abstract.register),
    ((int, Fitting), lambda made: setattr(made, "fit", lambda self, x: x)),
    (collections.abc.Sized, collections.abc.Sized.register),
])  # fmt: skip
@pytest.mark.parametrize("way", ["argument", "outside", "made", "class", "pattern"])
def test_a_class_that_an_abstract_one_takes_later(kind, change, way):
    made = type("Made", (), {"__module__": __name__})
    one = made()

    class Names:
        wanted = kind[1] if isinstance(kind, tuple) else kind

    def by_pattern(x, o):
        match o:
            case Names.wanted():
                return x * 2
        return x * 3

    functions = {
        "argument": lambda x, o: x * (2 if isinstance(o, kind) else 3),
        "outside": lambda x, o: x * (2 if isinstance(one, kind) else 3),
        "made": lambda x, o: x * (2 if isinstance(made(), kind) else 3),
        "class": lambda x, o: x * (2 if issubclass(made, kind) else 3),
        "pattern": by_pattern,
    }
    answers = _follows(functions[way], lambda: change(made), args=lambda: (np.array(X), one))
    kept = way == "class" and Names.wanted is Fitting  # Python keeps what `issubclass` has once said of a protocol
    assert (answers[0] == answers[1]) is kept


def test_get_of_a_weak_dictionary_follows_what_is_put_there():
    table, one = weakref.WeakValueDictionary(), Referred()
    answers = _follows(
        lambda x: -x if (found := table.get("one")) is None else x * found.value,
        lambda: table.update(one=one), lambda: setattr(one, "value", 9.0), lambda: table.pop("one"),
    )  # fmt: skip
    assert answers[0] == answers[3] and answers[1] != answers[2]


class Slotted:
    __slots__ = ("function",)


class Inherits(Slotted):
    pass


class OfClass:
    function = np.tanh


def _as_class_attribute(function):
    OfClass.function = staticmethod(function)
    return OfClass()


def _kept_by(kind):
    def keep(function, holder=None):
        holder = kind() if holder is None else holder
        holder.function = function
        return holder

    return keep


@pytest.mark.parametrize("kind", [type("Plain", (), {}), Slotted, Inherits, types.SimpleNamespace])
def test_functions_of_ours_that_objects_keep_are_seen(kind):
    keep = _kept_by(kind)
    holder, x = keep(np.tanh), np.array([0.5, 1.0])
    called, asked = (
        hybridize(lambda x: holder.function(x)),
        hybridize(lambda x: x if holder.function is np.tanh else -x),
    )
    for function in (np.tanh, np.exp, np.linalg.norm, np.tanh, lambda x: x * 0, np.exp):
        keep(function, holder)
        numpy.testing.assert_allclose(called(x).asnumpy(), function(x).asnumpy(), rtol=1e-6)
        numpy.testing.assert_array_equal(asked(x).asnumpy(), (x if function is np.tanh else -x).asnumpy())


def test_functions_of_ours_that_classes_keep_are_seen():
    holder, x = _as_class_attribute(np.tanh), np.array([0.5, 1.0])
    called = hybridize(lambda x: holder.function(x))
    for function in (np.tanh, np.exp, np.tanh):
        _as_class_attribute(function)
        numpy.testing.assert_allclose(called(x).asnumpy(), function(x).asnumpy(), rtol=1e-6)
