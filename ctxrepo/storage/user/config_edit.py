"""Writes config.toml: one value, or the repository that is served, with all else as its author wrote it."""

from collections.abc import Callable
from pathlib import Path

from ctxrepo.domain.formats.toml_edit import with_first_table, with_value, without_empty
from ctxrepo.domain.settings.keys import REPOSITORY, Key
from ctxrepo.domain.settings.values import RepositorySettings
from ctxrepo.errors import ConfigError
from ctxrepo.storage.disk import foreign
from ctxrepo.storage.user.config import table_of


def write_repository(file: Path, repository: RepositorySettings) -> None:
    """Add or replace the first `[[repository]]` of `file`; everything else stays as its author wrote it."""
    fields = {"path": repository.path, "remote": repository.remote, "branch": repository.branch}
    if repository.global_folder != RepositorySettings().global_folder:
        fields["global_folder"] = repository.global_folder
    _edit(file, lambda text: with_first_table(text, REPOSITORY, fields))


def write_value(file: Path, key: Key, value: object) -> bool:
    """Set one key, with all else as its author wrote it; False when the file says so already. The file is
    made when missing, for its owner only. ConfigError where it can't be read as settings."""
    if not isinstance(table_of(file).get(key.section, {}), dict | list):
        raise ConfigError(f"{file}: {key.section} must be a section, [{key.section}]", "Mend it there first.")
    if key.section == REPOSITORY:
        return _edit(file, lambda text: with_first_table(text, REPOSITORY, {key.field: value}))
    return _edit(file, lambda text: with_value(text, key.section, key.field, value))


def remove_value(file: Path, key: Key) -> bool:
    """Take one key out, with all else as its author wrote it; False when the file doesn't set it.
    ConfigError where it can't be read as settings."""
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
