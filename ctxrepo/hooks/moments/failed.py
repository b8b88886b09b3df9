"""A command failed: what memory says about it, by the words of the command and of what it said; each entry
once."""

import _sqlite3

from ctxrepo.hooks.dialect import Event
from ctxrepo.hooks.known.compiled import World
from ctxrepo.hooks.known.locate import SessionFolder, folders_of, place_of
from ctxrepo.hooks.recall.choice import choose_for_prompt
from ctxrepo.hooks.recall.ranking import RecallRequest, rank_by_words

LIMIT = 2

_COMMAND, _LINES, _SAID = 300, 8, 600
"""As much is looked at: characters of the command, lines at the end of what it said, characters of those."""


def failure_block(
    db: _sqlite3.Connection, cache: _sqlite3.Connection, world: World, event: Event, said: str
) -> str:
    """A block of at most `LIMIT` entries about the failure that are news to the session, or ''."""
    if not event.session:  # without a ledger it would be said at every failure
        return ""
    asked = question(event.command, said)
    folder = SessionFolder(event.cwd)
    folders = folders_of(place_of(db, world, folder).scopes)
    found = choose_for_prompt(rank_by_words(cache, RecallRequest(asked, [], folders, LIMIT))).hits
    if not found:  # memory says nothing about most failures
        return ""
    from ctxrepo.hooks.moments.remind import give, is_silent
    from ctxrepo.hooks.session.session import Session

    session = Session(world.state, world.repo.id, event.agent, event.session, event.sub)
    known = session.record.entries
    hits = [hit for hit in found if known.get(hit.id) != hit.hash]
    if not hits or is_silent(db, world, event, folder, session):
        return ""
    from ctxrepo.hooks.session.trace import Subject

    return give(db, world, session, Subject(event.agent, event.session, asked), hits)


def question(command: str, said: str) -> str:
    """What a failure is about: the command, and the last lines of what it said, where errors mostly stand."""
    lines = [line.strip() for line in said.split("\n") if line.strip()]
    return f"{command[:_COMMAND]}\n" + "\n".join(lines[-_LINES:])[-_SAID:]
