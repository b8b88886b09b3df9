"""pi-memory-md's tape as that program handles it (`tape/tape-anchor.ts` of 0.1.36): it appends a line, and
deletes by writing what it understood of the whole file anew, with its keys in another order."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_NEEDED = ("name", "type", "sessionId", "sessionEntryId", "timestamp")


def rendered(anchor: dict[str, Any]) -> str:
    return json.dumps(anchor, ensure_ascii=False, separators=(",", ":")) + "\n"


@dataclass(frozen=True)
class PiTape:
    file: Path

    def anchors(self) -> list[dict[str, Any]]:
        lines = self.file.read_text().split("\n") if self.file.exists() else []
        return [anchor for line in lines if line.strip() and (anchor := _parsed(line))]

    def append(self, name: str, session: str = "pi-s", **meta: Any) -> str:
        number = len(self.anchors())
        fields = {
            "id": f"pi-{name}-{number:04}",
            "timestamp": f"2026-11-20T11:{number % 60:02}:00.000Z",
            "name": name,
            "type": "handoff",
            "meta": {"trigger": "direct", **meta},
            "sessionId": session,
            "sessionEntryId": "leaf",
        }
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a") as file:
            file.write(rendered(fields))
        return str(fields["id"])

    def remove(self, name: str) -> None:
        """By id; without any left the file goes."""
        stay = [anchor for anchor in self.anchors() if anchor["id"] != name]
        if stay:
            self.file.write_text("".join(map(rendered, stay)))
        else:
            self.clear()

    def clear(self) -> None:
        self.file.unlink(missing_ok=True)


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        raw = json.loads(line)
    except ValueError:
        return None
    if not isinstance(raw, dict) or not all(raw.get(key) for key in _NEEDED):
        return None
    name = raw.get("id") or f"{raw['sessionEntryId']}:{raw['timestamp']}:{raw['name']}"
    keys = ("name", "type", "sessionId", "sessionEntryId", "timestamp")
    anchor = {"id": name} | {key: raw[key] for key in keys}
    return anchor | ({"meta": raw["meta"]} if "meta" in raw else {})
