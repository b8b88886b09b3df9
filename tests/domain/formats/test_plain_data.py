"""Values as JSON has them, by one rule."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path

from ctxrepo.domain.formats.plain_data import ENTRY_ID, OR_NULL, in_data, plain_data
from ctxrepo.lazy import dataclass


@dataclass(frozen=True)
class Part:
    id: str = field(metadata=ENTRY_ID)
    since: str = field(default="", metadata=OR_NULL)


@dataclass(frozen=True)
class Whole:
    place: Path
    when: datetime
    parts: tuple[Part, ...]
    counts: Mapping[str, int]
    is_done: bool = field(default=False, metadata=in_data("done"))
    length: float | None = None


def test_a_dataclass_is_its_fields_and_what_they_hold() -> None:
    moment = datetime(2026, 11, 20, 10, 50, 3, 99, tzinfo=UTC)
    whole = Whole(Path("/a/b"), moment, (Part("3f9a"), Part("", "2026-11-20")), {"notes": 2}, is_done=True)
    data = plain_data(whole)
    assert data == {
        "place": "/a/b",
        "when": "2026-11-20T10:50:03Z",
        "parts": [{"id": "^3f9a", "since": None}, {"id": "", "since": "2026-11-20"}],
        "counts": {"notes": 2},
        "done": True,
        "length": None,
    }
    assert list(data) == ["place", "when", "parts", "counts", "done", "length"], "as the fields stand"
    assert json.loads(json.dumps(data)) == data


def test_what_json_has_stays_as_it_is() -> None:
    for value in (None, True, 3, 2.5, "text"):
        assert plain_data(value) is value
    assert plain_data(("a", ["b"])) == ["a", ["b"]]
