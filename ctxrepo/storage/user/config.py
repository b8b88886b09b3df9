"""Reads config.toml into Settings, telling what is wrong in it and where instead of giving up; and writes one
value, or the repository that is served, with all else as its author wrote it."""

import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any

from ctxrepo.domain.formats.described import hints_of
from ctxrepo.domain.formats.toml import lines_of
from ctxrepo.domain.project.target import nearest
from ctxrepo.domain.secrets import redact
from ctxrepo.domain.settings.keys import REPOSITORY, Key, accepted, kind, nearest_key, sections
from ctxrepo.domain.settings.values import RepositorySettings, Settings
from ctxrepo.errors import ConfigError, CtxrepoError
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk import foreign


def read_settings(file: Path) -> Settings:
    """Settings as `file` has them, else defaults, with a warning for what is unknown or of the wrong type.
    What is no TOML at all is a ConfigError: guessing which remote was meant would be worse."""
    reading = _Reading(file, _text(file))
    values: dict[str, Any] = {}
    for name, section in reading.table.items():
        if name == REPOSITORY:
            values[name] = _repositories(section, reading)
        elif name not in sections() and isinstance(section, dict | list):
            reading.warn((name,), f"unknown section [{name}]", nearest(name, sections()))
        elif name not in sections():
            reading.warn((name,), f"{name} stands in no section", nearest_key(name))
        elif not isinstance(section, dict):
            reading.warn((name,), f"{name} must be a section, [{name}]")
        else:
            values[name] = _section(sections()[name], section, name, reading)
    return Settings(origin=reading.origin, warnings=tuple(reading.warnings), **values)


def keep_settings(file: Path, copy: Path) -> None:
    """Copy a `file` that was just read, for the time when somebody breaks it; not where that can't be
    written, nor a file with a password, so that this isn't copied around."""
    with suppress(CtxrepoError):
        before, now = foreign.read(copy), foreign.read(file) or b""
        text = now.decode("utf-8", "replace").replace("\r", "\n")
        if before != now and redact(text) == text:
            foreign.apply([foreign.Change(copy, before, now, private=True)])


def is_kept(file: Path, copy: Path) -> bool:
    """Whether `copy` is `file` as `keep_settings` makes it: then there is no password in that."""
    return bool(data := foreign.text(copy)) and data == foreign.text(file)


def settings_before(copy: Path) -> Settings | None:
    """The settings in the copy that `keep_settings` made; None when there is no good one."""
    try:
        return read_settings(copy) if foreign.exists(copy) else None
    except ConfigError:
        return None


def table_of(file: Path) -> dict[str, Any]:
    """What `file` says, unchecked; ConfigError where it can't be read."""
    return _Reading(file, _text(file)).table


def line_numbers(file: Path) -> dict[str, int]:
    """Dotted key -> the line of `file` on which it stands."""
    return {".".join(path): line for path, line in lines_of(_text(file)).items()}


@dataclass(frozen=True)
class _Reading:
    """A file while it is read: what is wrong in it, and which keys it sets."""

    file: Path
    text: str
    warnings: list[str] = field(default_factory=list)
    origin: dict[str, str] = field(default_factory=dict)

    @cached_property
    def table(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            count = len(self.text.splitlines())
            where = f" (the last of {count} lines)" if "end of doc" in str(error) else ""
            raise ConfigError(
                f"{self.file} can't be read: {error}{where}", "Mend the file; nothing was changed."
            ) from error

    @cached_property
    def lines(self) -> dict[tuple[str, ...], int]:
        return lines_of(self.text)  # only worth its time when there is something to tell

    def warn(self, path: tuple[str, ...], problem: str, near: str = "") -> None:
        line = self.lines.get(path)
        place = f"{self.file}:{line}" if line else str(self.file)
        self.warnings.append(f"{place}: {problem}{f'; did you mean {near}?' if near else ''}")


def _text(file: Path) -> str:
    try:
        return (foreign.read(file) or b"").decode("utf-8")
    except CtxrepoError as error:
        raise ConfigError(error.message, error.hint) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} can't be read: {error}", "Mend the file; nothing was changed.") from error


def _repositories(tables: object, reading: _Reading) -> tuple[RepositorySettings, ...]:
    if not isinstance(tables, list) or not all(isinstance(r, dict) for r in tables):
        line = reading.lines.get((REPOSITORY,))
        place = f"{reading.file}:{line}" if line else str(reading.file)
        raise ConfigError(f"{place}: repository must be a list of tables", "Write [[repository]].")
    names = [f"{REPOSITORY}[{n}]" if n else REPOSITORY for n in range(len(tables))]
    return tuple(_section(RepositorySettings, r, n, reading) for r, n in zip(tables, names, strict=True))


def _section(form: Any, section: Mapping[str, object], name: str, reading: _Reading) -> Any:
    hints = hints_of(form)
    values = {}
    for key, value in section.items():
        dotted = f"{name}.{key}"
        if key not in hints:
            reading.warn((name, key), f"{dotted} is unknown", nearest_key(dotted))
        elif (converted := accepted(value, hints[key])) is None:
            must = f"{dotted} must be {kind(hints[key])}, not {value!r}"
            reading.warn((name, key), f"{must}; its default is used")
        else:
            values[key] = converted
            reading.origin[dotted] = str(reading.file)
    return form(**values)


def write_repository(file: Path, repository: RepositorySettings) -> None:
    """Add or replace the first `[[repository]]` of `file`; everything else stays as its author wrote it."""
    from ctxrepo.domain.formats.toml_edit import with_first_table  # most commands only read

    fields = {"path": repository.path, "remote": repository.remote, "branch": repository.branch}
    if repository.global_folder != RepositorySettings().global_folder:
        fields["global_folder"] = repository.global_folder
    _edit(file, lambda text: with_first_table(text, REPOSITORY, fields))


def write_value(file: Path, key: Key, value: object) -> bool:
    """Set one key, with all else as its author wrote it; False when the file says so already. The file is
    made when missing, for its owner only. ConfigError where it can't be read as settings."""
    from ctxrepo.domain.formats.toml_edit import with_first_table, with_value

    if not isinstance(table_of(file).get(key.section, {}), dict | list):
        raise ConfigError(f"{file}: {key.section} must be a section, [{key.section}]", "Mend it there first.")
    if key.section == REPOSITORY:
        return _edit(file, lambda text: with_first_table(text, REPOSITORY, {key.field: value}))
    return _edit(file, lambda text: with_value(text, key.section, key.field, value))


def remove_value(file: Path, key: Key) -> bool:
    """Take one key out, with all else as its author wrote it; False when the file doesn't set it.
    ConfigError where it can't be read as settings."""
    from ctxrepo.domain.formats.toml_edit import with_value, without_empty

    section = table_of(file).get(key.section, {})
    place = section[0] if isinstance(section, list) and section else section
    if not isinstance(place, dict) or key.field not in place:
        return False
    return _edit(
        file, lambda text: without_empty(with_value(text, key.section, key.field, None), key.section)
    )


def _edit(file: Path, change: Callable[[str], str]) -> bool:
    before = foreign.read(file)
    after = change((before or b"").decode("utf-8")).encode()
    if after != (before or b""):
        foreign.apply([foreign.Change(file, before, after, private=True)])
    return after != (before or b"")
