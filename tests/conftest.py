"""Every test has a home, a git identity and an environment of its own, and none of the machine's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# What a test may see of the machine it runs on.
_KEPT = ("PATH", "TMPDIR", "LANG", "LC_ALL", "PYTHONDONTWRITEBYTECODE", "COVERAGE_PROCESS_START")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh HOME with a git identity; everything ctxrepo keeps lies below it."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    for name in list(os.environ):
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
    )
    for name, value in {**kept, "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}.items():
        monkeypatch.setenv(name, value)
    return home
