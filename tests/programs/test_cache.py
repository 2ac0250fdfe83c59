"""The cache of programs that functions and modules share: what goes first, and what lookups without a lock see."""

from hybridize.programs.cache import ProgramCache


def is_general(program: str) -> bool:
    return program.startswith("any")


def filled(limit, *pairs, **options):
    cache = ProgramCache(limit, **options)
    for key, program in pairs:
        cache.add(key, program)
    return cache


def test_the_latest_of_a_key_comes_first():
    cache = filled(9, ("a", 1), ("b", 2), ("a", 3))
    assert list(cache.of("a")) == [3, 1]
    assert list(cache.of("c")) == []
    assert cache.newest() == [3, 2]
    assert list(cache) == [2, 1, 3]
    assert len(cache) == 3


def test_the_oldest_program_of_the_least_recently_used_key_goes():
    cache = filled(3, ("a", 1), ("a", 2), ("b", 3))
    cache.used("a")
    cache.add("c", 4)
    assert list(cache) == [1, 2, 4]
    cache.add("c", 5)
    assert list(cache) == [2, 4, 5]
    assert cache.evictions == 2
    cache.used("gone")  # by another thread


def test_those_for_many_sizes_stand_and_go_behind_the_others():
    cache = filled(4, ("a", "any 1"), ("a", 2 * "x"), ("a", "any 3"), ("a", 4 * "x"), general=is_general)
    assert list(cache.of("a")) == ["xxxx", "xx", "any 3", "any 1"]
    for expected in (["y", "xxxx", "any 3", "any 1"], ["y", "y", "any 3", "any 1"]):
        cache.add("a", "y")
        assert list(cache.of("a")) == expected
    generals = filled(2, ("a", "any 1"), ("a", "any 2"), ("a", "any 3"), general=is_general)
    assert list(generals.of("a")) == ["any 3", "any 2"]


def test_what_was_found_stays_what_it_is_while_others_change_the_cache():
    cache = filled(9, ("a", 1), ("a", 2), ("b", 1))
    seen = cache.of("a")
    cache.add("a", 3, lambda one: one == 2)
    assert list(seen) == [2, 1]
    assert list(cache.of("a")) == [3, 1]
    assert list(cache.of("b")) == [1]
    cache.remove(lambda one: one == 1)
    assert list(cache) == [3]


def test_what_is_known_of_sizes_is_bounded():
    cache = filled(2, ("a", 1))
    first = cache.family("a")
    assert cache.family("a") is first
    for key in "bcd":
        cache.family(key)
    assert list(cache.families) == ["c", "d"]
    cache.clear()
    assert not cache.families


def test_a_program_that_is_used_while_others_go_through_the_cache():
    cache = ProgramCache(9)

    class Key:
        """Every look at it is a chance for another thread to use a program."""

        def __hash__(self) -> int:
            if armed:
                armed.clear()
                cache.used(first)
                armed.append(True)
            return id(self)

    armed: list[bool] = []
    first, keys = Key(), [Key() for _ in range(5)]
    for number, key in enumerate((first, *keys)):
        cache.add(key, number)
    armed.append(True)
    try:
        assert sorted(cache.newest()) == sorted(cache) == list(range(6))
        cache.remove(lambda program: program == 5)
    finally:
        armed.clear()
    assert len(cache) == 5
