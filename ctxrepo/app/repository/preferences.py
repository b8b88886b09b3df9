"""Settings: listed, explained, changed; before there is a memory, too."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxrepo.app.result import Result
from ctxrepo.domain.project.layout import REGISTRY
from ctxrepo.errors import NotInitialised
from ctxrepo.lazy import dataclass
from ctxrepo.services.repository.configure import (
    Setting,
    SettingChange,
    change,
    setting_now,
    settings_now,
    unset,
)

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk


@dataclass(frozen=True)
class KeyRequest:
    """A setting, such as sync.timeout; '' is all of them, where that can be."""

    key: str = ""
    """A setting; by default all of them."""


@dataclass(frozen=True)
class SetRequest:
    """A setting and its new value, as text."""

    key: str
    """A setting, e.g. sync.timeout."""
    value: str
    """The new value; write a list as a,b and an empty list as ""."""


@dataclass(frozen=True)
class SettingsFile:
    """Every setting as it holds now, and the file that changes them."""

    file: Path
    settings: Sequence[Setting]


def list_settings(desk: Desk, _: None) -> Result[SettingsFile]:
    """List all settings with their values, and where each comes from."""
    settings = _settings(desk, "")
    file = desk.places.config_file
    data = {"file": str(file), "settings": [_fields(setting) for setting in settings]}
    return Result(SettingsFile(file, settings), data)


def get_setting(desk: Desk, request: KeyRequest) -> Result[Setting]:
    """Say what one setting is."""
    (setting,) = _settings(desk, request.key)
    return Result(setting, _fields(setting))


def set_setting(desk: Desk, request: SetRequest) -> Result[SettingChange]:
    """Change one setting; every other line of the file stays as it is."""
    _require_person(desk, request.key)
    outcome = change(desk.places, desk.env, request.key, request.value, desk.interpreter)
    return _changed(desk, outcome)


def unset_setting(desk: Desk, request: KeyRequest) -> Result[SettingChange]:
    """Take one setting out of the file, so that its default holds again."""
    _require_person(desk, request.key)
    return _changed(desk, unset(desk.places, desk.env, request.key, desk.interpreter))


def explain_settings(desk: Desk, request: KeyRequest) -> Result[Sequence[Setting]]:
    """Explain what a setting does, which values it takes, and its value now."""
    settings = _settings(desk, request.key)
    explanations = [
        {**_fields(s), "default": s.key.default, "kind": s.key.kind, "means": s.key.sentence}
        for s in settings
    ]
    return Result(settings, explanations[0] if request.key else {"settings": explanations})


def _settings(desk: Desk, key: str) -> list[Setting]:
    desk.places.secure()
    if key:
        setting, warnings = setting_now(desk.places, key)
        settings = [setting]
    else:
        settings, warnings = settings_now(desk.places)
    desk.notice(*warnings)
    return settings


def _require_person(desk: Desk, key: str) -> None:
    """Refused for an agent that may only propose somewhere, of the setting that says where."""
    if key != "inbox.policy" or not desk.agent:
        return
    from ctxrepo.services.inbox.staging import require_person

    with suppress(NotInitialised):  # then nothing is held that could be written past it
        memory = desk.open_memory(or_last_settings=True)
        require_person(memory, desk.agent, [REGISTRY], key)


def _changed(desk: Desk, change: SettingChange) -> Result[SettingChange]:
    desk.notice(*change.notices)
    return Result(change, {**_fields(change.setting), "was": change.was, "changed": change.is_changed})


def _fields(setting: Setting) -> dict[str, Any]:
    return {"key": setting.key.name, "value": setting.value, "origin": setting.origin}
