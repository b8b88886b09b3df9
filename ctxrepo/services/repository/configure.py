"""Every setting with where it comes from, and one of them set in config.toml, or taken out."""

import shlex
from collections.abc import Iterator, Mapping

from ctxrepo.agents.known import AGENTS
from ctxrepo.domain.project.policy import agents_in
from ctxrepo.domain.secrets import redact
from ctxrepo.domain.settings.keys import REPOSITORY, Key, key_named, keys, understood
from ctxrepo.domain.settings.values import RepositorySettings, Settings
from ctxrepo.errors import ConfigError, CtxrepoError, NotInitialised, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.delivery.file_blocks import settings_that_withhold
from ctxrepo.services.faults.faults import of_remote
from ctxrepo.services.repository.published import publish_settings
from ctxrepo.services.review.open_review import open_review
from ctxrepo.storage.git.address import check_url
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.user.config import line_numbers, read_settings, remove_value, write_value
from ctxrepo.storage.user.places import Places
from ctxrepo.storage.user.repository import clone_root

DEFAULT = "default"
ENVIRONMENT = "environment (CTXREPO_HOME)"


@dataclass(frozen=True)
class Setting:
    """A key, its value now (an address without credentials), and what says so: `default`, the environment,
    `FILE` or `FILE:LINE`."""

    key: Key
    value: object
    origin: str


@dataclass(frozen=True)
class SettingChange:
    """What was set or taken out, and lines for a person: what is odd in the file, what is left to do."""

    setting: Setting
    was: object
    is_changed: bool
    notices: tuple[str, ...]


def settings_now(places: Places) -> tuple[list[Setting], tuple[str, ...]]:
    """Every key as it holds now, in the order of the reference page, and what is odd in the file."""
    settings = read_settings(places.config_file)
    lines = line_numbers(places.config_file)
    return [_setting(key, settings, lines, places) for key in keys()], settings.warnings


def setting_now(places: Places, name: str) -> tuple[Setting, tuple[str, ...]]:
    """One key as it holds now; ConfigError names the nearest when there is none of this name."""
    key = key_named(name)
    settings, warnings = settings_now(places)
    return next(setting for setting in settings if setting.key == key), warnings


def change(places: Places, env: Mapping[str, str], name: str, words: str, interpreter: str) -> SettingChange:
    """Set one key in config.toml, also before `init`, and let hooks know, which start the Python
    `interpreter`. ConfigError, with nothing written, for no such key or value, or when the file can't be
    read."""
    places.secure()
    key = key_named(name)
    value = understood(words, key)
    was, _ = setting_now(places, name)
    if key.section == REPOSITORY:
        _check_repository(key, words, places)
    is_changed = write_value(places.config_file, key, value)
    now, warnings = setting_now(places, name)
    todo = list(_todo(key, now, places, env, interpreter))
    return SettingChange(now, was.value, is_changed, (*warnings, *todo))


def unset(places: Places, env: Mapping[str, str], name: str, interpreter: str) -> SettingChange:
    """Take one key out of config.toml, so that its default holds, and let hooks know; other lines stay.
    ConfigError when there is no such key or the file can't be read."""
    places.secure()
    key = key_named(name)
    was, _ = setting_now(places, name)
    if key.name == f"{REPOSITORY}.global_folder":
        _check_global_folder(RepositorySettings().global_folder, places)
    is_changed = remove_value(places.config_file, key)
    now, warnings = setting_now(places, name)
    todo = list(_todo(key, now, places, env, interpreter)) if is_changed else []
    return SettingChange(now, was.value, is_changed, (*warnings, *todo))


def _setting(key: Key, settings: Settings, lines: Mapping[str, int], places: Places) -> Setting:
    section: object = _first(settings) if key.section == REPOSITORY else getattr(settings, key.section)
    value, origin = getattr(section, key.field), settings.origin.get(key.name, DEFAULT)
    if key.name == f"{REPOSITORY}.path":
        if places.home_is_explicit:
            return Setting(key, str(places.home), ENVIRONMENT)
        value = value or str(places.home)
    if isinstance(value, str):
        value = redact(value)
    line = lines.get(key.name) if origin == str(places.config_file) else None
    return Setting(key, value, f"{origin}:{line}" if line else origin)


def _first(settings: Settings) -> RepositorySettings:
    return settings.repository[0] if settings.repository else RepositorySettings()


def _check_repository(key: Key, words: str, places: Places) -> None:
    """Refuse what no clone could be reached by, and what only `init` can do."""
    if key.field in ("path", "branch") and not words.strip():
        raise ConfigError(f"{key.name} can't be empty", key.sentence)
    if key.field == "path" and not words.startswith(("/", "~/")):
        raise ConfigError(f"{key.name} can't be {words!r}", "It takes an absolute path, or one below ~/.")
    if key.field == "global_folder":
        _check_global_folder(words, places)
    if key.field == "remote" and words:
        check_url(words)
        current = _first(read_settings(places.config_file))
        if not current.remote and (clone_root(places, current) / ".git").is_dir():
            raise UsageError(
                "the memory has no remote yet", f"`ctxrepo init {words}` connects it, and merges both."
            )


def _check_global_folder(name: str, places: Places) -> None:
    """Refuse another name for the global folder while the notes are in the one of now."""
    current = _first(read_settings(places.config_file))
    root = clone_root(places, current)
    was, new = root / current.global_folder, root / name.strip()
    if name.strip() != current.global_folder and any(was.rglob("*.md")) and not new.is_dir():
        move = shlex.join(["git", "-C", str(root), "mv", current.global_folder, name.strip()])
        raise UsageError(
            f"the global notes are in {current.global_folder}/, and no session would be given them",
            f"First `{move}`, then this on every machine.",
        )


def _todo(key: Key, now: Setting, places: Places, env: Mapping[str, str], interpreter: str) -> Iterator[str]:
    if now.origin == ENVIRONMENT:
        yield f"the environment's CTXREPO_HOME holds instead: {now.value}"
    try:
        memory = Memory.open(places, env)
        publish_settings(memory, interpreter)
    except NotInitialised as error:
        if key.section == REPOSITORY:
            yield f"{error.message}; {error.hint}"
    except CtxrepoError as error:
        yield f"hooks go on as before: {error.message}"
    else:
        unknown = agents_in(memory.settings.inbox.policy) - {*AGENTS}
        if key.name == "inbox.policy" and unknown:
            yield f"inbox.policy names {min(unknown)}, and there is no such agent: {', '.join(AGENTS)}"
        if key.section in ("delivery", "recall"):
            findings = settings_that_withhold(memory, places.user_home)
            yield from (f"{finding.problem}. {finding.remedy}".removesuffix(".") for finding in findings)
        if key.name == f"{REPOSITORY}.remote":
            yield from of_remote(memory)
        if key.name == f"{REPOSITORY}.review" and now.value == "direct" and (review := open_review(memory)):
            yield (
                f"{review.branch} is still in review: what is on it, and what is written until then, goes to "
                "the shared branch when somebody merges it on the remote"
            )
