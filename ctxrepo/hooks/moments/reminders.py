"""What memory says of a file that was edited or of a command that failed; each entry once a session."""

import _sqlite3
import os

from ctxrepo.hooks.dialect import Event
from ctxrepo.hooks.known.cached import EntryHit, ScopeSpan, hits_at, newest_alone, spans_of
from ctxrepo.hooks.known.locate import SessionFolder, folders_of, place_of
from ctxrepo.hooks.known.world import World, gives
from ctxrepo.hooks.own_files import today
from ctxrepo.hooks.recall.ranking import RecallRequest, rank_by_words
from ctxrepo.hooks.session.session import Session

LIMIT = 3
ROOM = 1000
COMMON = 30
"""A name that more entries of a scope have, such as README.md, says nothing without the folder before it."""

_MOST = 200
"""The most entries that are looked at closely."""

_PATH_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_.~@+/-")
"""Characters of a path as an entry writes it, in lower case."""

_NAMED = "select entry from mention where name = ? and entry between ? and ? limit ?"


def reminder(
    db: _sqlite3.Connection, cache: _sqlite3.Connection, world: World, event: Event, path: str
) -> str:
    """A block of at most `LIMIT` entries about the file at `path` that are news to the session, or ''."""
    if not event.session:  # without a ledger it would be said at every edit
        return ""
    folder = SessionFolder(event.cwd)
    folders = folders_of(place_of(db, world, folder).scopes)
    session = Session(world.state, world.repo.id, event.agent, event.session, event.sub)
    hits = _news(session, newest_alone(entries_naming(cache, folders, path))[0])[:LIMIT]
    if not hits and not world.is_semantic:
        return ""
    if is_silent(db, world, event, folder, session):  # few edits come so far
        return ""
    hits = hits or _news(session, _likely(cache, world, event, folders, path))
    return _give(db, world, session, hits, event.prompt, path) if hits else ""


def _news(session: Session, hits: list[EntryHit]) -> list[EntryHit]:
    """Those of the hits that the session doesn't know as they are now."""
    return [hit for hit in hits if session.record.entries.get(hit.id) != hit.hash]


def _give(
    db: _sqlite3.Connection,
    world: World,
    session: Session,
    hits: list[EntryHit],
    query: str,
    edited: str = "",
) -> str:
    """A block of these entries beside the answer of a tool, noted in the ledger and traced."""
    from ctxrepo.hooks.packet.sections import recall_block
    from ctxrepo.hooks.session.traces import Subject, note_trace

    text, shown = recall_block(hits, today(), world.secret, ROOM)
    session.note_given({hit.id: hit.hash for hit in shown})
    session.save()
    left_out = [(hit, f"no room for it within {ROOM} bytes") for hit in hits if hit not in shown]
    note_trace(db, world.repo, Subject(session.agent, session.id, query, edited), "", shown, left_out)
    return text


def is_silent(
    db: _sqlite3.Connection, world: World, event: Event, folder: SessionFolder, session: Session
) -> bool:
    """Whether this session is given no entries."""
    from ctxrepo.hooks.moments.claim import is_withheld
    from ctxrepo.hooks.moments.prompt_parts import switches, why_recall_is_off

    if not gives(world, "recall") or why_recall_is_off(world, switches()) or is_withheld(db, world, folder):
        return True
    # A subagent is given nothing where the session that started it isn't.
    parent = Session(world.state, world.repo.id, event.agent, event.session) if event.sub else session
    return session.record.is_off or parent.record.is_off


def entries_naming(cache: _sqlite3.Connection, scopes: list[str], path: str) -> list[EntryHit]:
    """The entries of `scopes` that name the file at `path`, best first: those that name more of its folders,
    then pinned ones, then those of newer notes. The score is how many names of the path an entry has."""
    parts = path.lower().split("/")
    numbers = [number for span in spans_of(cache, scopes) for number in _numbers(cache, span, parts)]
    hits = hits_at(cache, numbers).values()
    for hit in hits:
        hit.score = float(named_parts(hit.text, parts))
    best = sorted([hit for hit in hits if hit.score], key=lambda hit: hit.id)
    best.sort(key=lambda hit: hit.updated, reverse=True)
    best.sort(key=lambda hit: (hit.score, hit.is_pinned), reverse=True)
    return best


def _likely(
    cache: _sqlite3.Connection, world: World, event: Event, folders: list[str], path: str
) -> list[EntryHit]:
    """The entry that an edit of the file at `path` is about by its meaning, if one stands out that far."""
    text = event.edit or event.wrote
    if not text:
        return []
    from ctxrepo.hooks.recall.ask_helper import MOST_READ, ask
    from ctxrepo.hooks.recall.choice import choose_for_edit, is_social

    here = os.path.normpath(event.cwd or os.getcwd())
    about = f"{path.removeprefix(here + '/')}\n{text[:MOST_READ]}"
    request = RecallRequest(about, [], folders, 1)
    ranking = None if is_social(request) else ask(cache, world, request)[0]
    return choose_for_edit(ranking).hits if ranking else []


def named_parts(text: str, parts: list[str]) -> int:
    """How many of the last names of a path (`parts`) occur together in the text: `a/b.py` counts 2; 0 where
    the text names another `b.py`, or none."""
    low, name, best = text.lower(), parts[-1], 0
    at = low.find(name)
    while at >= 0:
        first, last = at, at + len(name)
        while first and low[first - 1] in _PATH_LETTERS:
            first -= 1
        while last < len(low) and low[last] in _PATH_LETTERS:
            last += 1
        run = low[first:last].rstrip(".~@+/-")
        names = [part for part in run.split("/") if part not in ("", ".", "..", "~")]
        if names == parts[-len(names) :] and not run.startswith("//"):
            best = max(best, len(names))
        at = low.find(name, last)
    return best


def _numbers(cache: _sqlite3.Connection, span: ScopeSpan, parts: list[str]) -> list[int]:
    """Entries of the scope with this span that name the file, or one like it."""
    rows = cache.execute(_NAMED, (parts[-1], span.first, span.last, COMMON + 1)).fetchall()
    if len(rows) > COMMON:
        rows = cache.execute(_NAMED, ("/".join(parts[-2:]), span.first, span.last, _MOST)).fetchall()
    return [number for (number,) in rows]


FAILURE_LIMIT = 2

_COMMAND, _LINES, _OUTPUT = 300, 8, 600
"""As much is looked at: characters of the command, lines at the end of its output, characters of those."""


def failure_block(
    db: _sqlite3.Connection, cache: _sqlite3.Connection, world: World, event: Event, output: str
) -> str:
    """A block of at most `FAILURE_LIMIT` entries about the failure that are news to the session, or ''."""
    if not event.session:  # without a ledger it would be said at every failure
        return ""
    if event.command.lstrip().startswith("ctxrepo "):  # it says itself what was wrong
        return ""
    query = question(event.command, output)
    folder = SessionFolder(event.cwd)
    folders = folders_of(place_of(db, world, folder).scopes)
    ranking = rank_by_words(cache, RecallRequest(query, [], folders, FAILURE_LIMIT))
    if ranking.margin < ranking.dose.least:  # memory says nothing about most failures
        return ""
    from ctxrepo.hooks.recall.choice import choose_for_prompt

    hits = choose_for_prompt(ranking).hits
    session = Session(world.state, world.repo.id, event.agent, event.session, event.sub)
    hits = _news(session, hits)
    if not hits or is_silent(db, world, event, folder, session):
        return ""
    return _give(db, world, session, hits, query)


def question(command: str, output: str) -> str:
    """What a failure is about: the command, and the last lines of its output, where errors mostly stand."""
    lines = [line.strip() for line in output.split("\n") if line.strip()]
    return f"{command[:_COMMAND]}\n" + "\n".join(lines[-_LINES:])[-_OUTPUT:]
