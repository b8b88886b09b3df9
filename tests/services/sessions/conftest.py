"""A machine with a memory, whose agents have had sessions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from machines import Machine

from ctxrepo.errors import NotFound
from ctxrepo.services.sessions.found_messages import MessageQuery, find_messages
from ctxrepo.services.sessions.index_update import update_index
from ctxrepo.services.sessions.profiles import Profiles
from ctxrepo.services.sessions.session_projects import Projects
from ctxrepo.services.sessions.session_search import SessionHit, SessionQuery, hit_of, search_sessions

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
            return list(search_sessions(memory, SessionQuery(text, **asked)).hits)
        except NotFound:
            return []

    return found


@pytest.fixture
def find_each(mine: Machine) -> Finder:
    """Each message that has all words, and not only the best of its session; nothing is masked."""

    def found(text: str = "", agent: str = "", *, is_by_user: bool = False, **asked: Any) -> list[SessionHit]:
        memory = mine.open()
        assert update_index(memory, 60).is_complete
        asked |= {"types": ("user",)} if is_by_user else {}
        asked |= {"wants_session": lambda session: agent in ("", session.agent)}
        projects, profiles = Projects(memory), Profiles(memory)
        each = find_messages(memory, MessageQuery(text=text, **asked))
        messages = [replace(row.message, text=" ".join(row.text.split())) for row in each]
        return [
            hit_of(row.session, text, projects, profiles) for row, text in zip(each, messages, strict=True)
        ]

    return found
