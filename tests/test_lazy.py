"""Lazy dataclasses and patterns behave as those of the standard library; they are made later."""

from __future__ import annotations

import copy
import dataclasses
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import field

import pytest

from ctxrepo.lazy import dataclass, lazy_pattern


@dataclass(frozen=True)
class Base:
    """A dataclass that another one extends."""

    name: str
    count: int = 2


@dataclass(frozen=True)
class Longer(Base):
    """Its defaults come from the base and from itself."""

    tags: tuple[str, ...] = ()
    seen: list[str] = field(default_factory=list, compare=False)

    def __post_init__(self) -> None:
        self.seen.append(self.name)


@dataclass
class Changeable:
    """Not frozen."""

    value: int = 1


class Plain(Base):
    """A class that is no dataclass itself."""

    def __init__(self) -> None:
        super().__init__("plain", 9)


def test_values_are_made_compared_shown_and_hashed_as_by_the_standard_library() -> None:
    value = Longer("a", tags=("t",))
    assert (value.name, value.count, value.tags, value.seen) == ("a", 2, ("t",), ["a"])
    assert value == Longer("a", 2, ("t",)) != Longer("b")
    assert hash(value) == hash(Longer("a", 2, ("t",)))
    assert repr(Base("x")) == "Base(name='x', count=2)"
    assert value != Base("a")


@dataclass(frozen=True)
class Namesake:
    """Has the fields of `Base`."""

    name: str
    count: int = 2


@dataclass(frozen=True)
class Empty:
    """Without a field."""


@dataclass(frozen=True)
class Odd:
    """Says by itself how it is shown, and hides a field."""

    shown: int
    hidden: int = field(default=0, repr=False, compare=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Odd)


LIBRARY = {
    lazy: dataclasses.make_dataclass(lazy.__name__, [("name", str), ("count", int)], frozen=True)
    for lazy in (Base, Namesake)
}


def test_comparison_hash_and_representation_are_those_of_the_library() -> None:
    values = [("a", 1), ("a", 1), ("a", 2), ("b", 1)]
    for lazy, library in LIBRARY.items():
        ours, theirs = ([cls(*value) for value in values] for cls in (lazy, library))
        assert [[a == b for b in ours] for a in ours] == [[a == b for b in theirs] for a in theirs]
        assert len(set(ours)) == len(set(theirs)) == 3
        assert list(map(repr, ours)) == list(map(repr, theirs))
    first: object = Base("a")
    assert first != Namesake("a")
    assert first != ("a", 2)
    assert Empty() == Empty()
    assert repr(Empty()) == "Empty()"
    with pytest.raises(TypeError, match="unhashable"):
        hash(Changeable())


def test_what_a_class_says_itself_stays() -> None:
    assert Odd(1) == Odd(2)
    assert hash(Odd(1, 2)) == hash(Odd(1, 3))
    assert repr(Odd(1, 2)) == "Odd(shown=1)"


def test_nothing_but_the_type_checker_keeps_a_frozen_value_from_being_changed() -> None:
    assert Base("a").name == "a"
    assert not {"__setattr__", "__delattr__"} & vars(Base).keys()
    value = Changeable()
    value.value = 5
    assert value == Changeable(5)


def test_arguments_are_checked_from_the_first_call_on() -> None:
    @dataclass(frozen=True)
    class Strict:
        one: int

    make: Callable[..., Strict] = Strict
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'one'"):
        make()
    assert Strict(one=1).one == 1


def test_the_library_knows_every_instance_for_a_dataclass() -> None:
    value = Longer("a")
    assert [f.name for f in dataclasses.fields(value)] == ["name", "count", "tags", "seen"]
    assert dataclasses.replace(value, count=3).count == 3
    assert dataclasses.asdict(Base("a")) == {"name": "a", "count": 2}
    match value:
        case Base(name, count):
            assert (name, count) == ("a", 2)
    assert copy.deepcopy(value) == value


def test_a_class_that_inherits_from_one_and_begins_otherwise_is_whole() -> None:
    assert (Plain().name, Plain().count) == ("plain", 9)


def test_what_another_process_made_is_whole_here() -> None:
    code = """
import dataclasses
from ctxrepo.lazy import dataclass
from ctxrepo.storage.processes.apart import Apart

@dataclass(frozen=True)
class Sent:
    text: str

assert not dataclasses.is_dataclass(Sent)
with Apart(lambda: [Sent("x")], 5) as apart:
    found = apart.next()
assert found == Sent("x")
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_before_threads_begin_everything_is_made_and_nothing_waits_from_then_on() -> None:
    code = """
import dataclasses, threading
from ctxrepo.lazy import dataclass, make_all

@dataclass(frozen=True)
class Before:
    one: int

assert not dataclasses.is_dataclass(Before)
make_all()

@dataclass(frozen=True)
class After:
    two: int = 2

assert dataclasses.is_dataclass(Before) and dataclasses.is_dataclass(After)
made = []
threads = [threading.Thread(target=lambda: made.append(Before(1))) for _ in range(20)]
[t.start() for t in threads]
[t.join() for t in threads]
assert made == [Before(1)] * 20
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_dataclass_is_made_without_what_reads_source_code() -> None:
    code = """
import sys
from ctxrepo.__main__ import put_off_inspect
put_off_inspect()
from ctxrepo.lazy import dataclass, make_all

@dataclass(frozen=True)
class Described:
    'It has a sentence.'

@dataclass(frozen=True)
class Bare:
    one: int

Described(), Bare(1)
assert sys.version_info >= (3, 12) or not {"ast", "dis", "tokenize"} & set(sys.modules)
make_all()
assert {"ast", "dis", "tokenize"} <= set(sys.modules)
import inspect
assert inspect.signature(Bare).parameters.keys() == {"one"}
"""
    subprocess.run([sys.executable, "-I", "-c", code], check=True)


@pytest.mark.parametrize(
    ("expression", "flags", "text"),
    [("a(b+)", 0, "xabb"), (rb"A", re.IGNORECASE, b"a"), ("^b", re.MULTILINE, "a\nb")],
)
def test_a_pattern_finds_what_a_compiled_one_finds(expression: str, flags: int, text: str) -> None:
    lazy, real = lazy_pattern(expression, flags), re.compile(expression, flags)
    for _ in range(2):
        assert lazy.sub(expression[:0], text) == real.sub(expression[:0], text)
        assert [m.span() for m in lazy.finditer(text)] == [m.span() for m in real.finditer(text)]
        assert lazy.findall(text) == real.findall(text)
    assert (lazy.pattern, lazy.flags) == (real.pattern, real.flags)


def test_a_malformed_pattern_says_so_when_it_is_used() -> None:
    broken = lazy_pattern("(")
    with pytest.raises(re.error, match="unterminated"):
        broken.match("")


def test_a_pattern_can_be_copied() -> None:
    assert copy.deepcopy(lazy_pattern("a")).match("a")
