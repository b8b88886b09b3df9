"""Commands about settings: config list, get, set, unset, explain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.options import Json, without_verb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctxrepo.services.repository.configure import Setting, SettingChange

group = typer.Typer()

KeyName = Annotated[str, typer.Argument(metavar="KEY", help="A setting, e.g. sync.timeout.")]


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="config")


@group.callback(invoke_without_command=True)
def config(context: typer.Context, json: Json = False) -> None:
    """Show, explain and change the settings in config.toml.

    Without a verb it lists them.

    Example: ctxrepo config
    """
    without_verb(context, list_settings, json=json)


@group.command("list")
def list_settings(json: Json = False) -> None:
    """List every setting, its value, and where that comes from.

    Example: ctxrepo config list
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.repository.configure import settings_now

    places = Runtime().places
    settings, warnings = settings_now(places)
    _warn(warnings)
    file = str(places.config_file)
    data = {"file": file, "settings": [_data(s) for s in settings]}
    output.done(json, data, "\n".join(_rows(settings, file)))
    if not json:
        output.notice(
            f"the file is {file}{'' if places.config_file.exists() else ', which is not there yet'}"
        )


@group.command()
def get(key: KeyName, json: Json = False) -> None:
    """Print the value of one setting, as `config set` takes it.

    Example: ctxrepo config get sync.timeout
    """
    from ctxrepo.domain.settings.keys import spelled
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.repository.configure import setting_now

    setting, warnings = setting_now(Runtime().places, key)
    _warn(warnings)
    output.done(json, _data(setting), spelled(setting.value))


@group.command("set")
def set_value(
    key: KeyName,
    value: Annotated[
        str, typer.Argument(metavar="VALUE", help='What it shall be; a list is a,b and "" an empty one.')
    ],
    json: Json = False,
) -> None:
    """Change one setting in config.toml.

    Every other line of the file stays as it is. The value holds from the next command and the next hook on.

    Example: ctxrepo config set hooks.session_end commit,push
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.repository.configure import change

    run = Runtime()
    changed = change(run.places, run.env, key, value, run.interpreter)
    _tell(changed, "as it was", json)


@group.command()
def unset(key: KeyName, json: Json = False) -> None:
    """Take one setting out of config.toml, so that its default holds again.

    Every other line of the file stays as it is.

    Example: ctxrepo config unset sync.timeout
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.repository.configure import unset

    run = Runtime()
    _tell(unset(run.places, run.env, key, run.interpreter), "config.toml didn't set it", json)


def _tell(changed: SettingChange, unchanged: str, json: bool) -> None:
    _warn(changed.notices)
    now = changed.setting
    before = f"was {_shown(changed.was)}" if changed.is_changed else unchanged
    data = {**_data(now), "was": changed.was, "changed": changed.is_changed}
    output.done(json, data, f"{now.key.name} is {_shown(now.value)} ({before}), {now.origin}")


@group.command()
def explain(
    key: Annotated[str, typer.Argument(metavar="KEY", help="A setting; all of them without.")] = "",
    json: Json = False,
) -> None:
    """Say what a setting does, what it may be, and what it is now.

    Example: ctxrepo config explain sync.timeout
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.repository.configure import setting_now, settings_now

    places = Runtime().places
    if key:
        one, warnings = setting_now(places, key)
        settings = [one]
    else:
        settings, warnings = settings_now(places)
    _warn(warnings)
    told = [
        {**_data(s), "default": s.key.default, "kind": s.key.kind, "means": s.key.sentence} for s in settings
    ]
    output.done(json, told[0] if key else {"settings": told}, "\n\n".join(map(_explained, settings)))


def _warn(warnings: Sequence[str]) -> None:
    for warning in warnings:
        output.notice(warning)


def _rows(settings: Sequence[Setting], file: str) -> list[str]:
    """Key, value and origin in columns; the file is told once, below."""
    width = max(len(s.key.name) for s in settings)
    values = max(len(v) for s in settings if len(v := _shown(s.value)) <= 24)
    return [
        f"{s.key.name:<{width}}  {_shown(s.value):<{values}}  {s.origin.replace(file, 'config.toml')}"
        for s in settings
    ]


def _explained(setting: Setting) -> str:
    key = setting.key
    now = f"{_shown(setting.value)}, from {setting.origin}" if setting.value != key.default else "that"
    return (
        f"{key.name}\n  {key.sentence}\n  Takes {key.kind}; {_shown(key.default)} by default.\n  Now: {now}"
    )


def _shown(value: object) -> str:
    from ctxrepo.domain.settings.keys import spelled

    return spelled(value) or '""'


def _data(setting: Setting) -> dict[str, Any]:
    return {"key": setting.key.name, "value": setting.value, "origin": setting.origin}
