"""Reads config.toml into Settings, telling what is wrong in it instead of giving up."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ctxrepo.domain.settings import RepositorySettings, Settings
from ctxrepo.domain.toml import with_first_table
from ctxrepo.errors import ConfigError
from ctxrepo.storage import foreign


def read_settings(file: Path) -> Settings:
    """Settings as `file` has them, defaults for the rest.

    A key that is unknown or of the wrong type becomes a warning and keeps its default; a file that is no
    TOML at all raises ConfigError, because guessing which remote was meant would be worse.
    """
    table = _load(file)
    warnings: list[str] = []
    origin: dict[str, str] = {}
    values: dict[str, Any] = {}
    sections = {f.name: t for f in dataclasses.fields(Settings) if _is_section(t := _hint(f.name))}
    for name, section in table.items():
        if name == "repository":
            continue
        if name not in sections:
            warnings.append(f"{file}: unknown section [{name}]{_nearest(name, [*sections, 'repository'])}")
        elif not isinstance(section, dict):
            warnings.append(f"{file}: {name} must be a section, [{name}]")
        else:
            values[name] = _section(sections[name], section, f"{file}: {name}.", warnings, origin)
    repositories = _repositories(table.get("repository", []), file, warnings, origin)
    return Settings(repository=repositories, origin=origin, warnings=tuple(warnings), **values)


def write_repository(file: Path, repository: RepositorySettings) -> None:
    """Add or replace the first `[[repository]]` of `file`; everything else stays as its author wrote it."""
    before = foreign.read(file)
    fields = {"path": repository.path, "remote": repository.remote, "branch": repository.branch}
    after = with_first_table((before or b"").decode("utf-8"), "repository", fields).encode()
    if after != before:
        foreign.apply([foreign.Change(file, before, after, private=True)])


def _load(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{file} can't be read: {error}", "Mend the file; nothing was changed.") from error


def _repositories(
    found: object, file: Path, warnings: list[str], origin: dict[str, str]
) -> tuple[RepositorySettings, ...]:
    if not isinstance(found, list) or not all(isinstance(r, dict) for r in found):
        raise ConfigError(f"{file}: repository must be a list of tables", "Write [[repository]].")
    return tuple(_section(RepositorySettings, r, f"{file}: repository.", warnings, origin) for r in found)


def _section(
    kind: Any, section: Mapping[str, object], where: str, warnings: list[str], origin: dict[str, str]
) -> Any:
    hints = get_type_hints(kind)
    values = {}
    for key, value in section.items():
        if key not in hints:
            warnings.append(f"{where}{key} is unknown{_nearest(key, list(hints))}")
        elif (converted := _convert(value, hints[key])) is None:
            warnings.append(f"{where}{key} must be {_said(hints[key])}, not {value!r}; its default is used")
        else:
            values[key] = converted
            origin[f"{where.rpartition(' ')[2]}{key}"] = where.rpartition(": ")[0]
    return kind(**values)


def _convert(value: object, hint: Any) -> object | None:
    if hint is bool or hint is str:
        return value if isinstance(value, hint) else None
    if hint in (int, float):
        number = value if isinstance(value, int | float) and not isinstance(value, bool) else None
        return hint(number) if number is not None and number >= 0 else None
    if get_origin(hint) is Literal:
        return value if value in get_args(hint) else None
    if isinstance(value, list) and all(isinstance(v, str) for v in value):
        return tuple(value)
    return None


def _said(hint: Any) -> str:
    if get_origin(hint) is Literal:
        return " or ".join(map(repr, get_args(hint)))
    return {bool: "true or false", str: "a text", int: "a number", float: "a number"}.get(
        hint, "a list of texts"
    )


def _is_section(hint: Any) -> bool:
    return dataclasses.is_dataclass(hint)


def _hint(name: str) -> Any:
    return get_type_hints(Settings)[name]


def _nearest(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""
