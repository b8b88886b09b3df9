"""An anchor whose timestamp is no time, or lies far ahead, is never the newest, and is told."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from machines import Machine

from ctxrepo.domain.tape.anchors import anchors_of

NOW = datetime.now(UTC).timestamp()
AHEAD = (datetime.now(UTC) + timedelta(days=2)).isoformat()
ODD = [
    "zzzz",
    "2026-99-01T00:00:00Z",
    "99999-01-01T00:00:00Z",
    "3026-01-01T00:00:00.000Z",
    pytest.param(AHEAD, id="in two days"),
]


def line(timestamp: str, name: str = "evil/last") -> str:
    fields = {"id": f"id-{name}", "timestamp": timestamp, "name": name, "type": "handoff"}
    return json.dumps({**fields, "sessionId": "s", "sessionEntryId": "e", "meta": {"summary": "evil"}}) + "\n"


@pytest.mark.parametrize("timestamp", ODD)
def test_it_is_older_than_every_other(timestamp: str) -> None:
    soon = (datetime.now(UTC) + timedelta(hours=20)).isoformat()
    zoned = "2026-11-20T14:00:00.000+02:00"  # noon in UTC
    made = [line(soon, "soon"), line(timestamp), line("2026-11-20T13:00:00.000Z", "one"), line(zoned, "noon")]
    assert [anchor.name for anchor in anchors_of("".join(made), NOW)] == ["evil/last", "noon", "one", "soon"]


@pytest.mark.parametrize("timestamp", ODD)
def test_what_is_left_after_it_is_the_newest(ada: Machine, remote: Path, timestamp: str) -> None:
    ada.init(str(remote))
    ada.write("TAPE/shop/x.jsonl", line(timestamp))
    for existing in (False, True):
        made = ada.json("anchor", "same/y", "--summary", "s")["data"]
        assert made["existing"] is existing
    names = [anchor["name"] for anchor in ada.json("tape", "list")["data"]["anchors"]]
    assert names == ["evil/last", "same/y"]
    assert ada.json("handoff", "--show")["data"]["name"] == "same/y"
    later = ada.json("tape", "search", "--from", "2026-01-01", "--in", "anchors")["data"]["anchors"]
    assert [anchor["name"] for anchor in later] == ["same/y"]
    checked = ada.ctxrepo("check").stdout
    assert (
        "TAPE/shop/x.jsonl:1: warning: the anchor evil/last has a timestamp that is no time, or lies ahead"
        in checked
    )
    assert ada.ctxrepo("tape", "delete", "evil/last").returncode == 0
    assert "evil" not in ada.ctxrepo("check").stdout
