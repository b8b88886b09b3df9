"""A signer that failed is asked again after a pause that grows, and at once with another key."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxrepo.storage.state.committed_records import SignAttempts


def test_the_pause_doubles_up_to_an_hour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1e9
    monkeypatch.setattr("time.time", lambda: now)
    attempts = SignAttempts(tmp_path / "unsigned.json")
    assert not attempts.is_paused("key")
    for pause in (60, 120, 240, 480, 960, 1920, 3600, 3600):
        attempts.note("it is under way", "key", is_new=True)
        attempts.note("it failed", "key", is_new=False)
        now += pause - 1
        assert attempts.is_paused("key")
        assert not attempts.is_paused("another key")
        now += 1
        assert not attempts.is_paused("key")
    assert attempts.trouble() == "it failed"
    attempts.forget()
    assert not attempts.trouble()


def test_a_clock_that_was_put_back_ends_the_pause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attempts = SignAttempts(tmp_path / "unsigned.json")
    monkeypatch.setattr("time.time", lambda: 2e9)
    attempts.note("it failed", "key", is_new=True)
    monkeypatch.setattr("time.time", lambda: 1e9)
    assert not attempts.is_paused("key")


@pytest.mark.parametrize("data", [b"", b"[]", b"[1]", b"\xff", b'["", "x", 0, ""]'])
def test_a_file_that_is_spoiled_means_no_pause(tmp_path: Path, data: bytes) -> None:
    attempts = SignAttempts(tmp_path / "unsigned.json")
    attempts.file.write_bytes(data)
    assert not attempts.is_paused("key")
    attempts.note("it failed", "key", is_new=True)
    assert attempts.is_paused("key")
