"""The keys of config.toml, as values: their names, what each may be, and the sentence that explains it."""

import dataclasses
import math
import re
from functools import cache, cached_property
from typing import Annotated, Any, Literal, get_args, get_origin

from ctxrepo.domain.formats.described import Like, hints_of, sentences
from ctxrepo.domain.project.target import nearest
from ctxrepo.domain.settings.values import RepositorySettings, Settings
from ctxrepo.errors import ConfigError
from ctxrepo.lazy import dataclass

REPOSITORY = "repository"


@dataclass(frozen=True)
class Key:
    """One setting: `name` is `section.field`, `hint` the type of the field."""

    name: str
    hint: Any
    default: object

    @property
    def section(self) -> str:
        return self.name.partition(".")[0]

    @property
    def field(self) -> str:
        return self.name.partition(".")[2]

    @property
    def kind(self) -> str:
        """What its value may be, in words."""
        return kind(self.hint)

    @cached_property
    def sentence(self) -> str:
        """What stands below the field in its dataclass."""
        return sentences(sections()[self.section])[self.field]


@cache
def sections() -> dict[str, type]:
    """Section name -> its dataclass, in the order of Settings."""
    settings = Settings()
    values = {field.name: getattr(settings, field.name) for field in dataclasses.fields(settings)}
    classes = {name: type(value) for name, value in values.items() if dataclasses.is_dataclass(value)}
    return {REPOSITORY: RepositorySettings, **classes}


@cache
def keys() -> tuple[Key, ...]:
    """Every key, section by section; those of `repository` are the first repository's."""
    return tuple(
        Key(f"{name}.{field.name}", hints_of(kind)[field.name], field.default)
        for name, kind in sections().items()
        for field in dataclasses.fields(kind())
    )


def key_named(name: str) -> Key:
    """The key of this dotted name; ConfigError names the nearest, or those of the section that was named."""
    match = next((key for key in keys() if key.name == name), None)
    if match is not None:
        return match
    if name in sections():
        raise ConfigError(
            f"{name} is a section of settings",
            f"Its keys: {', '.join(k.name for k in keys() if k.section == name)}.",
        )
    near = nearest_key(name)
    raise ConfigError(
        f"there is no setting {name!r}",
        f"Did you mean {near}?" if near else "`ctxrepo config list` shows all.",
    )


def nearest_key(name: str) -> str:
    """The key that a mistyped name most likely means, '' when none is near."""
    section, _, field = name.rpartition(".")
    own = {key.field: key.name for key in keys() if key.section == section}
    if near := nearest(field, own):
        return own[near]
    elsewhere = [key.name for key in keys() if key.field == field]
    if len(elsewhere) == 1:
        return elsewhere[0]
    by_field = {key.field: key.name for key in keys()}
    for word, known in ((name, {key.name: key.name for key in keys()}), (field, by_field)):
        if near := nearest(word, known):
            return known[near]
    return ""


def accepted(value: object, hint: Any) -> object | None:
    """A value as TOML has it in the form of the field; None when it is none that the field may have."""
    if hint is bool or hint is str:
        return value if isinstance(value, hint) else None
    if get_origin(hint) is Annotated:
        form, between = get_args(hint)
        if isinstance(between, Like):
            return value if isinstance(value, str) and re.fullmatch(between.pattern, value) else None
        number = _number(value, form)
        return number if number is not None and between.least <= number <= between.most else None
    if hint in (int, float):
        return _number(value, hint)
    if get_origin(hint) is Literal:
        return value if value in get_args(hint) else None
    item = get_args(hint)[0]
    if isinstance(value, list) and all(accepted(v, item) is not None for v in value):
        return tuple(value)
    return None


def understood(words: str, key: Key) -> object:
    """The value that a person typed for `key`, as TOML has it; ConfigError says what is allowed. Items of
    a list stand between commas; nothing at all is an empty list."""
    value: object = words
    if key.hint is bool:
        value = {"true": True, "false": False}.get(words.lower(), words)
    elif key.hint in (int, float) or get_origin(key.hint) is Annotated:
        value = _typed_number(words)
    elif get_origin(key.hint) is tuple:
        value = [item.strip() for item in words.split(",")] if words.strip() else []
        if "" in value:
            value = None
    if accepted(value, key.hint) is None:
        listed = "; commas between the items" if get_origin(key.hint) is tuple else ""
        raise ConfigError(f"{key.name} can't be {words!r}", f"It takes {key.kind}{listed}.")
    return value


def spelled(value: object) -> str:
    """A value as `understood` reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return ",".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) and value < 1e6 else str(value)


def kind(hint: Any) -> str:
    """What a field of this type may be, in words."""
    if get_origin(hint) is Literal:
        return " or ".join(str(word) or '""' for word in get_args(hint))
    if get_origin(hint) is Annotated:
        form, between = get_args(hint)
        least = f" from {between.least}" if between.least else ""
        return f"{kind(form)}{least} up to {between.most}"
    if get_origin(hint) is tuple:
        item = get_args(hint)[0]
        if get_origin(item) is Annotated:
            return f"a list of {get_args(item)[1].words}"
        return "a list of texts" if item is str else f"a list of {' and '.join(map(str, get_args(item)))}"
    return {bool: "true or false", int: "a whole number", float: "a number"}.get(hint, "a text")


def _number(value: object, hint: Any) -> int | float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    is_whole = isinstance(value, int) or value.is_integer()
    if not 0 <= value < math.inf or (hint is int and not is_whole):
        return None
    try:
        return int(value) if hint is int else float(value)
    except OverflowError:  # a whole number of hundreds of digits as seconds
        return None


def _typed_number(words: str) -> object:
    for form in (int, float):
        try:
            return form(words)
        except ValueError:
            continue
    return words
