"""Which word of what was asked lately leads to something that is remembered."""

from __future__ import annotations

from machines import NOW, Machine
from transcripts import claude_says

from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.refresh import complete
from ctxrepo.services.sessions.found_messages import indexed_sessions, telling_words
from ctxrepo.services.sessions.index_update import update_index


def telling(machine: Machine) -> list[str]:
    memory = machine.open()
    complete(memory, commit(memory, NOW).head)
    assert update_index(memory, 60).is_complete
    return telling_words(memory, machine.project())


def test_a_word_leads_to_an_entry_or_to_another_session_and_the_former_comes_first(mine: Machine) -> None:
    claude_says(mine, "s-1", ["the pelican export", "pelican and export, yes", "export once more"])
    claude_says(mine, "s-2", ["does the export need pelican, redis or gannets?"])
    assert telling(mine) == ["pelican", "export"]
    mine.remember("redis listens on port 6380")
    claude_says(mine, "s-3", ["redis", "what of redis?", "and redis, then?"])
    assert telling(mine) == ["redis", "pelican", "export"]
    assert "gannets" not in telling(mine)


def test_what_says_nothing_or_may_be_a_secret_is_no_telling_word(mine: Machine) -> None:
    for session in ("s-1", "s-2"):
        claude_says(mine, session, ["thanks, go on with x1y2z3 and the api, please; continue"])
    assert telling(mine) == []


def test_where_nobody_asked_a_word_of_a_note_is_taken(mine: Machine) -> None:
    assert telling(mine) == []
    mine.remember("gannets dive")
    assert {"gannets", "dive"} <= {*telling(mine)}


def test_sessions_are_listed_the_newest_first(mine: Machine) -> None:
    for session in ("s-1", "s-2"):
        claude_says(mine, session, ["hello there"])
    assert update_index(mine.open(), 60).is_complete
    assert [session.id for session in indexed_sessions(mine.open())] == ["s-2", "s-1"]
