"""Hosts at machines whose memory is made."""

from __future__ import annotations

import pytest
from hosts import Host
from machines import Machine


@pytest.fixture
def host(ada: Machine, monkeypatch: pytest.MonkeyPatch) -> Host:
    """A host whose writes call no worker: what a test sees was not done by one."""
    monkeypatch.setattr("ctxrepo.app.desk.run_forking", lambda start: None)
    ada.init()
    return Host(ada)
