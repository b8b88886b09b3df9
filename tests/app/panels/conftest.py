"""What tests of panels share."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """None comes: it would go on in the folder that the next test copies to."""
    monkeypatch.setattr("ctxrepo.app.desk.run_forking", lambda start: None)
