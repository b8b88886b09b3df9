"""A machine with a memory, whose agents have had sessions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from machines import Machine

from ctxrepo.errors import NotFound
from ctxrepo.services.sessions.index_update import update_index
from ctxrepo.services.sessions.session_search import SessionHit, SessionQuery, search_sessions

Finder = Callable[..., list[SessionHit]]


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    return ada


@pytest.fixture
def find(mine: Machine) -> Finder:
    """What is found once the index is up to date, [] for nothing."""

    def found(text: str = "", **asked: Any) -> list[SessionHit]:
        memory = mine.open()
        assert update_index(memory, 60).is_complete
        try:
            return search_sessions(memory, SessionQuery(text, **asked))
        except NotFound:
            return []

    return found
