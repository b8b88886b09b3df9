"""What is missing is said aloud, and `make servers` installs it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from needs import INSTALLED, lacks


def test_make_servers_looks_for_all_that_a_test_may_start() -> None:
    makefile = (Path(__file__).parents[1] / "Makefile").read_text("utf-8")
    looked_for = re.search(r"for tool in ([^;]+);", makefile)
    assert looked_for is not None
    assert set(looked_for[1].split()) == INSTALLED


def test_what_is_missing_is_named_with_what_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("needs.PLACES", "")
    monkeypatch.setenv("PATH", "")
    assert "sshd and ssh-keygen" in lacks("sshd", "ssh-keygen")
    assert "`make servers`" in lacks("sshd")
