"""Dataclasses and patterns that are made when they are first used, not when their module is imported.

A command loads some 150 modules. They define 75 dataclasses and 100 regular expressions, and a run uses a
third of them; to make the rest would cost it as much as two bare starts of the interpreter. See ADR 46."""

from __future__ import annotations

import re
from dataclasses import dataclass as make_dataclass
from dataclasses import fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from dataclasses import dataclass as dataclass

    lazy_pattern = re.compile
else:

    def dataclass(cls: type | None = None, /, **options: Any) -> Any:
        """As `dataclasses.dataclass`, but its methods are made for the first instance: before there is one,
        the class is no dataclass, and `dataclasses.fields` knows nothing of it."""
        if cls is None:
            return lambda decorated: dataclass(decorated, **options)
        if _is_eager or "__init__" in vars(cls):
            _finish(cls, options)
            return cls
        _waiting[cls] = options
        _set_stubs(cls)
        return cls

    def lazy_pattern(expression: str | bytes, flags: int = 0) -> Any:
        """As `re.compile`, but a malformed expression is an error at the first match."""
        return _Pattern(expression, flags)


_waiting: dict[type, dict[str, Any]] = {}
_is_eager = False


def make_all() -> None:
    """Make every dataclass that waits, and from now on each at once, before a process starts a thread:
    while a class is made, it has no `__init__` for a moment."""
    import inspect

    global _is_eager
    _is_eager = True
    inspect.unwrap(fields)  # loads it, if that was put off (ADR 46): two threads must not do so at once
    while _waiting:
        _make(next(iter(_waiting)))


def _make(cls: Any) -> None:
    """Make a dataclass, after those that it inherits from."""
    for base in reversed(cls.__mro__):
        options = _waiting.pop(base, None)
        if options is not None:
            del base.__init__, base.__setstate__
            _finish(base, options)


def _finish(cls: Any, options: Mapping[str, bool]) -> None:
    """Have the standard library make the dataclass, but for all methods beside `__init__`: it compiles each
    from text, which takes a hundred times as long. What is frozen is so for the type checker alone."""
    cls.__doc__ = cls.__doc__ or cls.__name__  # for a class without one the library asks `inspect`
    make_dataclass(cls, **{**options, "eq": False, "repr": False, "frozen": False})
    methods: dict[str, Any] = {}
    if options.get("eq", True):
        names = [field.name for field in fields(cls) if field.compare]
        methods |= _comparison(names, is_frozen=options.get("frozen", False))
    if options.get("repr", True):
        methods["__repr__"] = _representation([field.name for field in fields(cls) if field.repr])
    for name, method in methods.items():
        if vars(cls).get(name) is None:  # as there: a class with its own `__eq__` has None for a hash
            setattr(cls, name, method)


def _comparison(names: list[str], *, is_frozen: bool) -> dict[str, Any]:
    """`__eq__` and `__hash__` by these fields; what can change has no hash."""
    get = attrgetter(*names, "__class__")

    def equal(self: object, other: object) -> bool:
        return get(self) == get(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: object) -> int:
        return hash(get(self))

    return {"__eq__": equal, "__hash__": hashed if is_frozen else None}


def _representation(names: list[str]) -> Any:
    """`__repr__` that shows these fields."""

    def represented(self: Any) -> str:
        return f"{self.__class__.__qualname__}({', '.join(f'{n}={getattr(self, n)!r}' for n in names)})"

    return represented


def _set_stubs(cls: Any) -> None:
    """Have the class made as soon as there is an instance: by a call, or by being unpickled."""

    def init(self: Any, *args: Any, **named: Any) -> None:
        _make(cls)
        cls.__init__(self, *args, **named)

    def set_state(self: Any, state: dict[str, Any]) -> None:
        _make(cls)
        vars(self).update(state)

    cls.__init__, cls.__setstate__ = init, set_state


class _Pattern:
    """Stands for a compiled pattern. A method that was asked for once is an attribute from then on."""

    def __init__(self, expression: str | bytes, flags: int) -> None:
        self._expression = expression
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # copy and pickle ask for these before there is an expression
            raise AttributeError(name)
        value = getattr(re.compile(self._expression, self._flags), name)
        setattr(self, name, value)
        return value
