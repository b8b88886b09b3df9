"""What is held back is remembered with the moment since when, however often it is found again."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ctxrepo.domain.guard.refusals import Refusal
from ctxrepo.storage.state.committed_records import HeldBack, KeptOutFile

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
LARGE = Refusal("shop/big.md", "size", "it is larger than 1024 KiB")
SECRET = Refusal("shop/keys\udce9.md", "secret", "it holds a secret (AWS key)", 7, "f1")


def test_the_moment_stays_as_long_as_the_reason_does(tmp_path: Path) -> None:
    held = KeptOutFile(tmp_path / "held.json")
    assert not held.read().held
    held.note([LARGE], NOW)
    later = replace(SECRET, line=9)
    held.note([LARGE, SECRET], NOW + timedelta(hours=1))
    held.note([LARGE, later], NOW + timedelta(hours=2))
    assert held.read().held == [
        HeldBack(LARGE, "2026-11-20T12:00:00Z"),
        HeldBack(later, "2026-11-20T13:00:00Z"),
    ]
    held.note([later], NOW + timedelta(hours=3))
    assert [entry.refusal for entry in held.read().held] == [later]


def test_what_has_not_changed_is_not_written_again(tmp_path: Path) -> None:
    held = KeptOutFile(tmp_path / "held.json")
    held.note([], NOW)
    assert not held.file.exists()
    held.note([LARGE], NOW)
    before = held.file.stat()
    held.note([LARGE], NOW + timedelta(hours=1))
    assert held.file.stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize("data", [b"", b"[", b"{}", b"[1]", b'[{"refusal": {}, "since": ""}]', b"\xff"])
def test_a_file_that_is_spoiled_holds_nothing_and_is_written_anew(tmp_path: Path, data: bytes) -> None:
    held = KeptOutFile(tmp_path / "held.json")
    held.file.write_bytes(data)
    assert not held.read().held
    held.note([LARGE], NOW)
    assert len(held.read().held) == 1
