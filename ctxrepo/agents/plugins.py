"""What agents note of our plugin: its name is `ctxrepo`, and a marketplace may follow it behind an @."""

from __future__ import annotations

from collections.abc import Iterable

from ctxrepo.domain.formats import jsontext

NAME = "ctxrepo"


def is_enabled(text: str) -> bool:
    """Whether `enabledPlugins` in these settings has our plugin, as Claude Code and Copilot CLI note it;
    jsontree.Malformed when they can't be read."""
    said = jsontext.parse(text).value if text.strip("\ufeff \t\r\n") else {}
    plugins = said.get("enabledPlugins") if isinstance(said, dict) else None
    named = plugins.items() if isinstance(plugins, dict) else ()
    return is_among(name for name, is_on in named if is_on is True)


def is_among(plugins: Iterable[str]) -> bool:
    """Whether our plugin is among those of these names."""
    return any(name.partition("@")[0] == NAME for name in plugins)
