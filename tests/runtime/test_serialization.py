"""Plain data as bytes that check themselves: what goes in comes out, what is damaged is refused, nothing is run."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridize.base.digests import digest
from hybridize.base.errors import LoadError
from hybridize.base.frozen import frozen
from hybridize.runtime.image import Image
from hybridize.runtime.plan import PLAN_CLASSES, Buffer, Plan, PlanAddress, PlanLaunch, PlanStep
from hybridize.runtime.serialization import dump, load


@frozen
class Pair:
    left: object
    right: object = 7


@frozen
class Empty:
    pass


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4).map(tuple) | st.builds(Pair, inner, inner) | st.builds(Empty),
    max_leaves=20,
)


@given(PLAIN)
def test_what_goes_in_comes_out(value):
    found = load(dump(value), [Pair, Empty])
    assert found == value
    assert repr(found) == repr(value)


def test_records_are_the_same_each_time():
    value = (Pair(b"one", "two"), 1.5, None)
    assert dump(value) == dump(value)
    assert dump(value) != dump((Pair(b"one", "two"), 1.5, False))


def sample():
    step = PlanStep(
        "loops",
        ("add",),
        ("a.py:1",),
        (PlanAddress("input", 0, 0), PlanAddress("output", 0, 0)),
        "rw",
        (3, 5),
        60,
        15,
        launches=(PlanLaunch("f"),),
    )
    plan = Plan((Buffer("f32", (3, 5), 60),), (), (Buffer("f32", (3, 5), 60),), 128, (step,), order=(0,))
    image = Image("x86_64", bytes(range(200)), 4096, b"abc", 16, (("program", 0),), (("memcpy", 192),), ((184, 8),))
    return plan, image


CLASSES = [*PLAN_CLASSES, Image]


def test_plans_and_images():
    assert load(dump(sample()), CLASSES) == sample()


def test_every_flipped_bit_is_noticed():
    content = dump(sample())
    rng = np.random.default_rng(0)
    places = {*range(60), *rng.integers(0, len(content), 300).tolist(), len(content) - 1}
    for place in places:
        damaged = bytearray(content)
        damaged[place] ^= 1 << int(rng.integers(8))
        with pytest.raises(LoadError, match="E651"):
            load(bytes(damaged), CLASSES)


def test_every_truncation_and_extension_is_noticed():
    content = dump(sample())
    for length in {*range(0, len(content), 7), len(content) - 1}:
        with pytest.raises(LoadError, match="E651"):
            load(content[:length], CLASSES)
    with pytest.raises(LoadError, match="E651"):
        load(content + b"\0", CLASSES)


def with_body(text, blobs=b""):
    body = struct.pack("<Q", len(text)) + text + blobs
    head = dump(None)[:16]
    return head + digest(body) + body


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"nonsense",
        b'{"Stranger":[]}',
        b'{"Pair":[1,2],"Empty":[]}',
        b"{}",
        b'{"Pair":[1]}',
        b'{"Pair":5}',
        b'{"":[1]}',
        b"[" * 100000,
        b'"\xff"',
    ],
)
def test_text_with_a_right_checksum_that_is_none_of_ours(text):
    with pytest.raises(LoadError, match="E651"):
        load(with_body(text), [Pair, Empty])


def test_a_length_beyond_the_end():
    body = struct.pack("<Q", 1 << 60) + b"[]"
    content = dump(None)[:16] + digest(body) + body
    assert load(content, []) == ()  # the text ends where the bytes do


def test_what_is_no_plain_data_is_refused():
    for value in (object(), np.float32(1), {"a": 1}, (Pair(object()),)):
        with pytest.raises(LoadError, match="E651"):
            dump(value)
