"""Values as plain data: what JSON has of a dataclass, a path or a moment, by one rule."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any

from ctxrepo.domain.formats.moment import second

_NAME, _FORM = "name in data", "form in data"


def in_data(name: str = "", form: Callable[[Any], Any] | None = None) -> Mapping[str, Any]:
    """Metadata of a field whose data differ from the rule: another name, another form, or both."""
    return {_NAME: name, _FORM: form}


ENTRY_ID = in_data(form=lambda entry_id: f"^{entry_id}" if entry_id else "")
"""Metadata of an entry's id: with the caret that makes it one where it is typed."""

OR_NULL = in_data(form=lambda value: value or None)
"""Metadata of a field that is null when it is empty."""


def plain_data(value: Any) -> Any:
    """A dataclass as its fields by name, a path as text, a moment in ISO form to the second, and a collection
    as the data of its items. Values nest no deeper than their classes do."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, datetime):
        return second(value)
    if is_dataclass(value):
        return dict(_field(field, getattr(value, field.name)) for field in fields(value))
    if isinstance(value, Mapping):
        return {str(key): plain_data(part) for key, part in value.items()}
    if hasattr(value, "__fspath__"):
        return str(value)
    return [plain_data(part) for part in value]


def _field(field: Any, value: Any) -> tuple[str, Any]:
    form = field.metadata.get(_FORM) or plain_data
    return field.metadata.get(_NAME) or field.name, form(value)
