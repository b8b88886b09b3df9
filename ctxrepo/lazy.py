"""Dataclasses and patterns that are made when they are first used, not when their module is imported.

A command loads some 150 modules. They define 75 dataclasses and 100 regular expressions, and a run uses a
third of them; to make the rest would cost it as much as two bare starts of the interpreter. See ADR 46.
"""

from __future__ import annotations

import re
from dataclasses import dataclass as make_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass

    lazy_pattern = re.compile
else:

    def dataclass(cls: type | None = None, /, **options: Any) -> Any:
        """As `dataclasses.dataclass`, but for when its methods are made: for the first instance.

        `dataclasses.fields` wants an instance, too: before there is one, the class is no dataclass.
        """
        if cls is None:
            return lambda decorated: dataclass(decorated, **options)
        if _is_eager or "__init__" in vars(cls):
            return make_dataclass(cls, **options)
        _waiting[cls] = options
        _set_stubs(cls)
        return cls

    def lazy_pattern(expression: str | bytes, flags: int = 0) -> Any:
        """As `re.compile`, but a malformed expression is an error at the first match."""
        return _Pattern(expression, flags)


_waiting: dict[type, dict[str, Any]] = {}
_is_eager = False


def make_all() -> None:
    """Make every dataclass that waits, and from now on each at once.

    A process calls this before it starts a thread: while a class is made, it has no `__init__` for a moment.
    """
    global _is_eager
    _is_eager = True
    while _waiting:
        _make(next(iter(_waiting)))


def _make(cls: Any) -> None:
    """Make a dataclass, after those that it inherits from."""
    for one in reversed(cls.__mro__):
        options = _waiting.pop(one, None)
        if options is not None:
            del one.__init__, one.__setstate__
            make_dataclass(one, **options)


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
