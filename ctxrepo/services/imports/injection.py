"""How pi-memory gives its facts to a session, and which of our modes does the like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxrepo.services.imports.values import SourceSetting

KEY = "delivery.mode"

_SECTIONS = ("pi-memory", "memory")

_MODES = {
    "startup": "once",
    "systempromptperturn": "system",
    "systemprompt": "system",
    "contextperturn": "turn",
    "contexthook": "turn",
    "context": "turn",
}
"""Its mode, without case and dashes -> ours."""


def injection_of(settings: Mapping[str, Any]) -> tuple[SourceSetting, ...]:
    """The change of our settings that does what pi's say of pi-memory's way to give; none where they say
    nothing."""
    for section in _SECTIONS:
        table = settings.get(section)
        if not isinstance(table, dict):
            continue
        mode = table.get("injectionMode")
        if isinstance(mode, str) and (ours := _MODES.get(_plain(mode))):
            return (SourceSetting(KEY, ours, f"{section}.injectionMode is {mode!r}"),)
        if isinstance(table.get("perTurnInjection"), bool):
            target = table.get("perTurnInjectionTarget")
            is_context = isinstance(target, str) and _plain(target).startswith("context")
            per_turn = "turn" if is_context else "system"
            said = "true" if table["perTurnInjection"] else "false"
            ours = per_turn if table["perTurnInjection"] else "once"
            return (SourceSetting(KEY, ours, f"{section}.perTurnInjection is {said}"),)
    return ()


def _plain(mode: str) -> str:
    return mode.replace("-", "").replace("_", "").casefold()
