"""Dataclasses whose fields are described: each by the sentence below it, and its type by what it takes."""

from collections.abc import Iterator
from functools import cache
from typing import Any, get_type_hints

from ctxrepo.lazy import dataclass


@dataclass(frozen=True)
class Between:
    """The numbers that a field takes; `most` is None where there is no largest one. Beyond that of a setting
    a slip of the finger is likelier than a wish."""

    least: int
    most: int | None = None


@dataclass(frozen=True)
class Like:
    """The texts that a field takes: those of a pattern, and how they are called."""

    pattern: str
    words: str


def hints_of(described: type) -> dict[str, Any]:
    """Field -> its type, with what `Annotated` adds to it."""
    return get_type_hints(described, include_extras=True)


@cache
def sentences(described: type) -> dict[str, str]:
    """Field -> the string below it, for each field that has one, inherited or not; only the source has it."""
    bases = [base for base in reversed(described.__mro__) if base is not object]
    return {field: sentence for base in bases for field, sentence in _own_sentences(base)}


def _own_sentences(described: type) -> Iterator[tuple[str, str]]:
    import ast  # the parser asks, and help: most command lines are read without either
    import inspect

    (body,) = ast.parse(inspect.getsource(described)).body
    assert isinstance(body, ast.ClassDef)
    for field, below in zip(body.body, body.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
            and isinstance(below.value.value, str)
        ):
            yield field.target.id, " ".join(below.value.value.split())
