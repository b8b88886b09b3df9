"""What was said in agents' sessions is found by its words, and shown with what stands around it."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from time import time
from typing import NamedTuple

from ctxrepo.domain.formats.moment import second_at
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import TAPES, tape_folder, visible
from ctxrepo.domain.question.excerpts import excerpt
from ctxrepo.domain.question.message_traits import BY_AGENT, FINDS_NOTHING, SEARCHES
from ctxrepo.domain.question.question_terms import QuestionTerm, first_hit, holds, question_terms
from ctxrepo.domain.question.window_ranking import HeldTerm, Window, ranked_by_folder, ranked_windows
from ctxrepo.domain.secrets import mask_part
from ctxrepo.domain.tape.anchors import Anchor, anchors_of, in_order
from ctxrepo.domain.tape.session_messages import SessionMessage
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.sessions.conversations import masked, shown
from ctxrepo.services.sessions.found_messages import (
    NEIGHBOUR_CHARS,
    FoundMessage,
    MessageQuery,
    PassageReader,
    message_found,
    neighbours_in,
)
from ctxrepo.services.sessions.profiles import Profiles
from ctxrepo.services.sessions.session_projects import Projects, resume_command, why_no_command
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.kept_file import kept_file
from ctxrepo.storage.sessions.local_tape import LocalTape
from ctxrepo.storage.sessions.session_index import (
    IndexedSession,
    MessageFilter,
    MessageRow,
    SessionIndex,
    beside,
    index_file,
    matching,
    postings,
    row_of,
    traits_between,
)

_PATIENCE = 20.0
"""Seconds for which transcripts may let a search wait."""

_MOST_POSTINGS = 8000
"""Messages with a word that are looked at, the newest; of those with a word like it a fifth."""

_MOST_ROWS = 5000
"""Messages that are looked at where no word is asked for, the newest."""

_RARE = 0.02
"""Share of the messages up to which a word is looked for in what begins like it, too."""

_SPARE = 3
"""Times the wanted number of windows that are judged, or times ten where fewer are wanted."""

_OPEN = 0.3
"""What a window counts in which a question is asked and nobody knows."""

_WEAKEST = 0.15
"""Share of the best window's score without which another one with some of the words isn't shown."""

WIDE = 5
"""Windows that are shown whole."""

AFTER_QUESTION, AROUND_ANSWER, AROUND = (1, 4), (2, 3), (1, 1)
"""Messages before and after the match that are read of these, where it is the user's and where it is the
agent's; and of the other windows."""


class FoundWindow(NamedTuple):
    """A window as its match with the messages around it; `missing` are the words of the question that it
    doesn't have."""

    found: FoundMessage
    missing: tuple[str, ...]


@dataclass(frozen=True)
class WindowsFound:
    """The windows, one of a session, the best first; and the words that stand in no message."""

    windows: Sequence[FoundWindow]
    unknown: tuple[str, ...] = ()


class _Candidate(NamedTuple):
    row: MessageRow
    missing: tuple[str, ...]


def find_windows(memory: Memory, query: MessageQuery, context: int | None = None) -> WindowsFound:
    """At most `limit` windows; without words the newest messages that fit, one of a session. `context` counts
    messages to read on either side, None: as many as a window has. UsageError for a text without a word.
    Bring the index up to date first."""
    terms = question_terms(query.text)
    if query.text.strip() and not terms:
        raise UsageError(
            f"{query.text!r} has no word in it", "`ctxrepo search --in sessions --raw` finds signs, too."
        )
    file = index_file(memory.state.root)
    with SessionIndex.opened(file) as index:
        sessions = {session.number: session for session in index.sessions().values()}
        numbers = [number for number, session in sessions.items() if query.wants_session(session)]
        wanted = numbers if len(numbers) < len(sessions) else None
        held = _held(index, query, terms, wanted)
        chosen = _chosen(index, query, terms, held, wanted, sessions)
    chosen = [one for one in chosen if one.row.session in sessions]
    chosen.sort(key=lambda one: bool(query.here) and sessions[one.row.session].id == query.here)
    unknown = tuple(t.text for t, h in zip(terms, held, strict=False) if not h.is_known)
    if not chosen:
        return WindowsFound((), unknown)
    demanded = [term.text for term in terms if term.is_required]
    read = partial(_read, file, sessions, chosen, demanded, query.limit, context)
    folder = Path(sessions[chosen[0].row.session].path).parent
    return WindowsFound(memory.outside.ask(folder, read, _PATIENCE), unknown)


def _held(
    index: SessionIndex, query: MessageQuery, terms: Sequence[QuestionTerm], wanted: Sequence[int] | None
) -> list[HeldTerm]:
    """Which messages hold each term, and which the file that is asked for."""
    asked, held = MessageFilter(query.types, "", query.since, query.until), list[HeldTerm]()
    rare = _RARE * index.message_count
    for term in terms:
        said = postings(index.db, asked, f"said : ({term.expression})", _MOST_POSTINGS, wanted)
        given = postings(index.db, asked, f"given : ({term.expression})", _MOST_POSTINGS // 5, wanted)
        alike = f"said : ({term.loose})" if term.loose and len(said) <= rare else ""
        loose = postings(index.db, asked, alike, _MOST_POSTINGS // 5, wanted) if alike else ()
        held.append(HeldTerm(said, given, loose, term.is_required))
    if terms and query.file:
        touched = MessageFilter((), query.file, query.since, query.until)
        rows = postings(index.db, touched, "", _MOST_POSTINGS, wanted)
        held.append(HeldTerm(rows, is_required=True, is_word=False))
    return held


def _chosen(
    index: SessionIndex,
    query: MessageQuery,
    terms: Sequence[QuestionTerm],
    held: Sequence[HeldTerm],
    wanted: Sequence[int] | None,
    sessions: Mapping[int, IndexedSession],
) -> list[_Candidate]:
    """The windows to read, the best first; a few more than are wanted, as some may be gone."""
    if not terms:
        newest: dict[int, MessageRow] = {}
        for row in matching(index.db, query, "", _MOST_ROWS, wanted):
            newest.setdefault(row.session, row)
        return [_Candidate(row, ()) for row in newest.values()]
    rows, likely = dict[int, MessageRow](), list[Window]()
    for window in ranked_windows(held, index.message_count)[: max(query.limit, 10) * _SPARE + 10]:
        match = row_of(index.db, window.match)
        if match is not None:
            rows[window.match] = match
            likely.append(window._replace(score=window.score * (_OPEN if _is_open(index, match) else 1.0)))
    windows = ranked_by_folder(likely, {number: session.cwd for number, session in sessions.items()})
    chosen: list[_Candidate] = []
    for window in windows:
        missing = tuple(term.text for number, term in enumerate(terms) if not window.terms >> number & 1)
        if not missing or window.score >= _WEAKEST * windows[0].score:
            chosen.append(_Candidate(rows[window.match], missing))
    return chosen


def _is_open(index: SessionIndex, row: MessageRow) -> bool:
    """Whether a message is a question for what was said before, or speaks of one: beside it somebody searched
    for it, or an agent says that it found nothing."""
    before, after = beside(index.db, row, 1, 1, is_said=True)
    first = row if row.traits & BY_AGENT == 0 or not before else before[0]
    last = row if row.traits & BY_AGENT or not after else after[0]
    traits = traits_between(index.db, row.session, first.place, last.place)
    return any(each & (SEARCHES | FINDS_NOTHING) for each in traits)


def _read(
    file: Path,
    sessions: Mapping[int, IndexedSession],
    chosen: Sequence[_Candidate],
    demanded: Sequence[str],
    limit: int,
    context: int | None,
) -> list[FoundWindow]:
    """The windows whose match is still in its transcript. Whoever asks masks secrets: in a process of its own
    this would load the rules each time."""
    windows: list[FoundWindow] = []
    with SessionIndex.opened(file) as index, closing(PassageReader(kept_file(file.parent))) as reader:
        for row, missing in chosen:
            usual = AROUND_ANSWER if row.traits & BY_AGENT else AFTER_QUESTION
            usual = usual if len(windows) < WIDE else AROUND
            counts = usual if context is None else (context, context)
            before, after = beside(index.db, row, *counts, is_said=True)
            session = sessions[row.session]
            messages = reader.messages_at(session, [*before, row, *after])
            if row.number not in messages:
                continue
            match = message_found(session, row, messages[row.number])
            sides = [neighbours_in(session, side, messages) for side in (before, after)]
            texts = "\n".join((match.text, *(other.text for side in sides for other in side)))
            if not holds(texts, demanded):
                continue
            windows.append(FoundWindow(FoundMessage(*match[:4], *sides), missing))
            if len(windows) == limit:
                break
    return windows


_LOOKED_BACK, _LOOKED_AHEAD = 128 * 1024, 4096
"""Characters before and from a hit that are looked at for secrets, before they are cut to what is shown: a
private key is known by its first line, thousands of characters before its last."""

_SHOWN, _NEIGHBOUR_SHOWN = 500, 320
"""Characters that are shown of a match, and of a message beside it, at most."""


@dataclass(frozen=True)
class SessionQuery:
    """What is looked for. `text`: a question, or words, each in any of its forms; `"…"` must be there.
    `project` is a folder of the memory, an id, or a checkout's name; `file` a path or its end; `since` unix
    seconds. `context` counts messages to show on either side, None: what a window has. `limit` counts
    sessions. The session `here`, which asks and has it, comes last."""

    text: str
    agent: str = ""
    project: str = ""
    since: int = 0
    is_by_user: bool = False
    file: str = ""
    context: int | None = None
    limit: int = 10
    here: str = ""

    def wants(self, projects: Projects, agent: str, cwd: str) -> bool:
        """Whether a session of this agent in this folder is one of those that are searched."""
        return self.agent in ("", agent) and projects.is_called(cwd, self.project)


@dataclass(frozen=True)
class SessionHit:
    """A message that was found, and those around it, masked and cut. `resume` is the command that goes on
    with its session, `no_resume` why there is none, `anchor` what was left before it."""

    agent: str
    session: str
    project: str
    cwd: str
    path: str
    resume: str
    said: SessionMessage
    anchor: Anchor | None = None
    before: Sequence[SessionMessage] = ()
    after: Sequence[SessionMessage] = ()
    no_resume: str = ""
    missing: Sequence[str] = ()
    """Words of the question that stand neither there nor near it."""


@dataclass(frozen=True)
class SessionsFound:
    """The hits, whether all that was said could be searched, and which words stand nowhere in it."""

    hits: Sequence[SessionHit]
    is_complete: bool = True
    unknown: Sequence[str] = ()

    @property
    def has_all_words(self) -> bool:
        """Whether a hit has all that was asked for."""
        return any(not hit.missing for hit in self.hits)


def search_sessions(memory: Memory, query: SessionQuery) -> SessionsFound:
    """At most `limit` hits, one of a session: the best first, and of equal ones the newest; NotFound for
    none. Bring the index up to date before."""
    if not (query.text.strip() or query.file or query.is_by_user):
        raise UsageError("there is nothing to search for", "Give a word, or --file, or --user.")
    projects = Projects(memory)
    asked = MessageQuery(
        text=query.text,
        wants_session=lambda one: query.wants(projects, one.agent, one.cwd),
        types=("user",) if query.is_by_user else (),
        file=query.file,
        since=query.since,
        here=query.here,
        limit=query.limit,
    )
    answer = find_windows(memory, asked, query.context)
    if not answer.windows:
        hint = "Without the quotes, any of its words is searched for." if '"' in query.text else ""
        raise NotFound(f"nothing found for {query.text or query.file!r} in agents' sessions", hint)
    anchors = anchors_of_sessions(memory, frozenset(one.found.session.id for one in answer.windows))
    profiles, terms = Profiles(memory), [term.text for term in question_terms(query.text)]
    # Secrets are looked for in all neighbours at once: most are short, and each search has a cost.
    neighbours = [other for one in answer.windows for other in (*one.found.before, *one.found.after)]
    sides = iter(shown(neighbours, NEIGHBOUR_CHARS, NEIGHBOUR_CHARS))
    hits = []
    for found, missing in answer.windows:
        before, after = (
            [_neighbour(other, terms) for other in islice(sides, len(side))]
            for side in (found.before, found.after)
        )
        session, when = found.session, second_at(found.at)
        text = snippet(found.text, terms)
        message = replace(found.message, session=session.id, when=when, text=text, details=())
        hit = hit_of(session, message, projects, profiles)
        anchor = last_before(anchors[session.id], found.at)
        hits.append(replace(hit, anchor=anchor, before=before, after=after, missing=missing))
    return SessionsFound(hits, unknown=answer.unknown)


def _neighbour(message: SessionMessage, terms: Sequence[str]) -> SessionMessage:
    return replace(message, text=excerpt(message.text, terms, _NEIGHBOUR_SHOWN))


def hit_of(
    session: IndexedSession, said: SessionMessage, projects: Projects, profiles: Profiles
) -> SessionHit:
    """A message of a session, with what is told of that session."""
    profile = profiles.assignment(session.agent, session.path)
    return SessionHit(
        session.agent,
        session.id,
        next(iter(projects.names_of(session.cwd)), ""),
        session.cwd,
        session.path,
        resume_command(session, profile),
        said,
        no_resume=why_no_command(session),
    )


def snippet(text: str, terms: Sequence[str]) -> str:
    """What stands around the terms, on one line, without secrets and what acts on terminals."""
    at = first_hit(text, terms)
    first, last = max(0, at - _LOOKED_BACK), at + _LOOKED_AHEAD
    clean = mask_part(text[first:last])
    head, tail = "…" if first else "", "…" if last < len(text) else ""
    return f"{head}{visible(excerpt(clean, terms, _SHOWN))}{tail}"


def anchors_of_sessions(memory: Memory, sessions: frozenset[str]) -> Mapping[str, Sequence[Anchor]]:
    """session -> its anchors, oldest first, each with the folder of its scope as its project."""
    names = [session.encode() for session in sessions]
    tapes = ((path, memory.worktree.read(path) or b"") for path in memory.worktree.scan(TAPES).files)
    of_files = (
        replace(anchor, project=tape_folder(path))
        for path, data in tapes
        if any(name in data for name in names)
        for anchor in anchors_of(decode(data))
    )
    anchors: dict[str, list[Anchor]] = {session: [] for session in sessions}
    for anchor in (*of_files, *LocalTape(memory.state).all_anchors()):
        if anchor.session_id in sessions:
            anchors[anchor.session_id].append(anchor)
    return {session: in_order(own, time()) for session, own in anchors.items()}


def last_before(anchors: Sequence[Anchor], at: int) -> Anchor | None:
    """The last anchor by the second `at`, without secrets; one left on purpose comes before one of a start or
    end."""
    earlier = [anchor for anchor in anchors if int(anchor.moment) <= at]
    handoffs = [anchor for anchor in earlier if anchor.type == "handoff"]
    last = (handoffs or earlier)[-1:]
    return masked(last[0]) if last else None
