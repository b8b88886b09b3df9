"""What pi-memory-md's settings say of its tape, as the settings of ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ctxrepo.domain.settings.values import TapeSettings

BRIDGE_SECONDS = 60
"""Its session bridge has no setting for this."""

_NEVER = (
    *("/proc", "/sys", "/dev", "/run", "/nix/store", "/snap", "/System"),
    *("C:\\Windows", "C:\\Program Files", "C:\\Program Files (x86)", "C:\\ProgramData"),
)
"""Folders that it leaves alone on Linux, macOS and Windows, whatever `excludeDirs` says."""


def pi_tape(section: Mapping[str, Any], bridges: bool) -> TapeSettings:
    """The settings of the tape in pi-memory-md's `section`; `bridges` says that its hooks name the bridge.

    A tape is on where there is a `tape` block that doesn't say `enabled: false`. A value of a kind that
    pi-memory-md has no reading for counts as not set.
    """
    tape = section.get("tape")
    block, context, anchor = (
        _table(tape),
        _table(_table(tape).get("context")),
        _table(_table(tape).get("anchor")),
    )
    keywords = _table(anchor.get("keywords"))
    default = TapeSettings()
    first, most = _scan(context.get("memoryScan"), (default.scan_hours, default.scan_hours_max))
    named = [p for p in _texts(block.get("excludeDirs")) if p.startswith("/") or p[1:3] in (":\\", ":/")]
    return replace(
        default,
        enabled=bool(tape or tape == {}) and block.get("enabled") is not False,
        mode="manual" if anchor.get("mode") == "manual" else "auto",
        keywords=_distinct(w.lower() for k in ("global", "project") for w in _texts(keywords.get(k))),
        strategy="recent" if context.get("strategy") == "recent-only" else "smart",
        file_limit=_positive(context.get("fileLimit"), default.file_limit),
        scan_hours=first,
        scan_hours_max=most,
        whitelist=_distinct(p for k in ("alwaysInclude", "whitelist") for p in _texts(context.get(k))),
        blacklist=_distinct(_texts(context.get("blacklist"))),
        only_git=block.get("onlyGit") is not False,
        exclude_dirs=_distinct((*_NEVER, *named)),
        bridge_seconds=BRIDGE_SECONDS if bridges else 0,
        tools=True,
        label_prefix=_label(anchor.get("labelPrefix"), default.label_prefix),
    )


def _scan(value: object, default: tuple[int, int]) -> tuple[int, int]:
    pair = value if isinstance(value, list) and len(value) == 2 else default
    first, most = (_positive(hours, usual) for hours, usual in zip(pair, default, strict=True))
    return first, max(first, most)


def _positive(value: object, default: int) -> int:
    """Rounded down, as it does."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value < 1e9:
        return default
    return int(value)


def _label(value: object, default: str) -> str:
    return value if isinstance(value, str) and value.strip() else default


def _texts(value: object) -> Iterable[str]:
    items = value if isinstance(value, list) else []
    return (stripped for item in items if isinstance(item, str) and (stripped := item.strip()))


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
