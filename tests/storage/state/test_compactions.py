"""Compactions wait for their handoff, however often somebody is killed between."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from ctxrepo.storage.state.spool import Compactions, SpoolEvent


def test_each_is_there_until_the_next_one_is_asked_for(tmp_path: Path) -> None:
    left = Compactions(tmp_path / "compactions")
    assert not left.are_left()
    events = [SpoolEvent("compact", "claude", f"s-{number}", cwd="/a\udcff\nb") for number in range(3)]
    for event in events:
        left.leave(event)
    assert list(islice(left.take(), 2)) == events[:2]
    assert list(left.take()) == events[1:], "who was killed while at the second one left it"
    assert not left.are_left()


def test_what_is_torn_or_no_file_is_dropped(tmp_path: Path) -> None:
    left = Compactions(tmp_path)
    (tmp_path / "1.json").write_text("{")
    os.mkfifo(tmp_path / "2.json")
    (tmp_path / "3.json").symlink_to("/dev/zero")
    left.leave(SpoolEvent("compact", "claude", "s-1"))
    assert [event.session for event in left.take()] == ["s-1"]
    assert not left.are_left()
