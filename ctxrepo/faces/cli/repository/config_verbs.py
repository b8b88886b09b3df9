"""Commands about settings: config list, get, set, unset, explain; and for those of a shell: completion.

The scripts of completion each ask `_complete` and show what it answers: one candidate a line, with a tab
before what it means; `:files` stands for names of files."""

from __future__ import annotations

import shlex
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ctxrepo.app.repository import preferences
from ctxrepo.app.repository.preferences import KeyRequest, SetRequest
from ctxrepo.domain.settings.keys import spelled
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import completion as scripts
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer
from ctxrepo.faces.cli.completion.door import SHELLS
from ctxrepo.faces.cli.options import USUAL, Group, argument, command, json_option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctxrepo.app.repository.preferences import SettingsFile
    from ctxrepo.services.repository.configure import Setting, SettingChange


config = Group("config", "Show, explain and change the settings in config.toml.", "list")

KeyName = Annotated[str, argument(metavar="KEY", help="A setting, e.g. sync.timeout.")]


@config.command("list")
def list_settings(json: Annotated[bool, json_option()] = False) -> None:
    """List all settings with their values, and where each comes from."""

    def file_hint(listing: SettingsFile) -> Iterator[str]:
        if not json:
            yield f"the file is {listing.file}{'' if listing.file.exists() else ', which is not there yet'}"

    answer(preferences.list_settings, None, json, _table, file_hint)


@config.command()
def get(key: KeyName, json: Annotated[bool, json_option()] = False) -> None:
    """Print the value of one setting, as `config set` takes it."""
    answer(preferences.get_setting, KeyRequest(key), json, lambda setting: spelled(setting.value))


@config.command("set")
@command(key=USUAL, value=USUAL)
def set_value(request: SetRequest, json: bool = False) -> None:
    """Change one setting in config.toml."""
    answer(preferences.set_setting, request, json, partial(_change_words, unchanged="as it was"))


@config.command()
def unset(key: KeyName, json: Annotated[bool, json_option()] = False) -> None:
    """Remove one setting from config.toml, so that its default applies again."""
    words_of = partial(_change_words, unchanged="config.toml didn't set it")
    answer(preferences.unset_setting, KeyRequest(key), json, words_of)


def _change_words(change: SettingChange, unchanged: str) -> str:
    now = change.setting
    before = f"was {_shown(change.was)}" if change.is_changed else unchanged
    return f"{now.key.name} is {_shown(now.value)} ({before}), {now.origin}"


@config.command()
@command(key="KEY")
def explain(request: KeyRequest, json: bool = False) -> None:
    """Explain what a setting does, which values it takes, and its value now."""
    answer(preferences.explain_settings, request, json, lambda settings: "\n\n".join(map(_help, settings)))


def _table(listing: SettingsFile) -> str:
    """Key, value and origin in columns; the file is told once, below."""
    settings, file = listing.settings, str(listing.file)
    width = max(len(s.key.name) for s in settings)
    values = max(len(v) for s in settings if len(v := _shown(s.value)) <= 24)
    return "\n".join(
        f"{s.key.name:<{width}}  {_shown(s.value):<{values}}  {s.origin.replace(file, 'config.toml')}"
        for s in settings
    )


def _help(setting: Setting) -> str:
    key = setting.key
    now = f"{_shown(setting.value)}, from {setting.origin}" if setting.value != key.default else "the default"
    return (
        f"{key.name}\n  {key.sentence}\n  Takes {key.kind}; {_shown(key.default)} by default.\n  Now: {now}"
    )


def _shown(value: object) -> str:
    return spelled(value) or '""'


def completion(shell: Annotated[str, argument(metavar="SHELL")]) -> None:
    """Print a script that adds completion to your shell."""
    if shell not in SHELLS:
        raise UsageError(f"there is no completion for {shell!r}", f"There is one for {', '.join(SHELLS)}.")
    # By its absolute path, and -P: the interpreter imports nothing from where the person stands.
    ask = shlex.join([sys.executable, "-P", "-m", "ctxrepo", "_complete"])
    script = Path(scripts.__path__[0], f"ctxrepo.{shell}").read_text("utf-8")
    output.verbatim(script.replace("ASK", ask, 1).encode())
